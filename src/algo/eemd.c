/*
 * eemd.c - ensemble EMD (Wu & Huang 2009): the mean of the decompositions of
 * x + noise std(x) w_i, mode by mode.  With pairs, realizations 2 j and
 * 2 j + 1 see +w_j and -w_j, and the noise cancels (complementary EEMD).
 *
 * Members may have unequal numbers of modes.  They are aligned at the fast
 * end: mode k is the mean over all members, those without a k-th mode
 * counting as zero there; what a member has left is part of the residue.
 * So the modes and the residue always add up to the mean of the members.
 */
#include "algo/algo.h"
#include "algo/row_sum.h"

typedef struct eemd {
	int members, chunk;
	wsi_members own;        /* those of this device */
	wsi_rows x;             /* the channel, later a mean */
	wsi_rows state;         /* [own member] its residue */
	wsi_rows mode;          /* [chunk] */
	wsi_row_sum sum;
	wsi_extent channel;     /* of x */
	wsi_extent *input;      /* [own member] */
	bool *active;           /* [own member] has modes left */
	double *scale;          /* [chunk] of the noise */
	wsi_sifted *sifted;     /* [chunk] */
} eemd;

static int
chunk_from(const eemd *m, int first)
{
	return m->own.end - first < m->chunk ? m->own.end - first : m->chunk;
}

/* Those of chunk i0. */
static wsi_rows
states_from(const eemd *m, int i0)
{
	return wsi_some_rows(m->state, i0 - m->own.first, chunk_from(m, i0));
}

/* False where the user cancelled. */
static bool
start_members(eemd *m, const wsi_work *w, wsi_engine *e, size_t channel)
{
	const ws_emd_opts *o = &e->params->o;
	double std;
	wsi_put_input(w, e, m->x, channel, &m->channel);
	e->mean_std(e, m->x, NULL, &std);
	const double scale = o->noise * std;
	for (int i0 = m->own.first; i0 < m->own.end; i0 += m->chunk) {
		wsi_progress_poll(e->progress);
		if (wsi_cancelled(e->progress))
			return false;
		const int n = chunk_from(m, i0);
		const wsi_rows noise = wsi_some_rows(m->mode, 0, n);
		for (int i = 0; i < n; ++i)
			m->scale[i] = (o->pairs && (i0 + i) % 2 ? -scale : scale) *
			              wsi_noise_unit(w, (i0 + i) / (o->pairs ? 2 : 1));
		if (scale > 0.0)
			wsi_noise_rows(w, e, noise, channel, i0, o->pairs ? 2 : 1);
		else
			e->zero(e, noise);
		e->add_scaled(e, states_from(m, i0), wsi_row_repeated(m->x, 0, n),
		              noise, m->scale);
	}
	if (m->own.end > m->own.first)
		e->extent(e, m->state, m->input);
	for (int i = 0; i < m->own.end - m->own.first; ++i)
		m->active[i] = true;
	return true;
}

/* Of the whole, once `members` of mode k of a channel are done. */
static double
share_done(const eemd *m, const wsi_work *w, size_t channel, int k, int members)
{
	const double all = (double)(m->own.end - m->own.first);
	double modes = wsi_share_of_modes(w->params,
	                                  (double)k + (double)(members - m->own.first) / all);
	return ((double)channel + modes) / (double)w->channels;
}

/* Has a member of any device a mode? */
static bool
any_of_all(const wsi_work *w, wsi_engine *e, const bool *own)
{
	wsi_peers *peers = w->io->peers;
	bool any = *own;
	if (w->size == 1)
		return any;
	peers->shown[w->rank] = own;
	bool met = !wsi_cancelled(e->progress) && wsi_peers_meet(peers);
	for (int i = 0; met && i < w->size; ++i)
		any = any || *(const bool *)peers->shown[i];
	met = met && wsi_peers_meet(peers);
	if (!met)
		wsi_progress_cancel(e->progress);
	return met && any;
}

/* Mode k of all members; false where none has it. */
static bool
next_mode(eemd *m, const wsi_work *w, wsi_engine *e, size_t channel, int k)
{
	bool any = false;
	for (int i0 = m->own.first; i0 < m->own.end; i0 += m->chunk) {
		const int n = chunk_from(m, i0);
		bool *active = m->active + (i0 - m->own.first);
		const wsi_rows mode = wsi_some_rows(m->mode, 0, n);
		wsi_progress_step(e->progress, share_done(m, w, channel, k, i0),
		                  share_done(m, w, channel, k, i0 + n));
		wsi_sift_job job = { .r = states_from(m, i0), .out = mode, .deflate = true,
			             .active = active, .input = m->input + (i0 - m->own.first),
			             .max_sifts = e->params->o.max_sifts, .step = true, .mode = k,
			             .sifted = m->sifted };
		e->sift(e, &job);
		if (wsi_cancelled(e->progress))
			return false;
		for (int i = 0; i < n; ++i) {
			active[i] = active[i] && m->sifted[i].oscillates;
			any = any || active[i];
		}
		wsi_row_sum_add(e, &m->sum, mode);
		wsi_note_sifts(w, channel, k, m->sifted, n);
	}
	wsi_row_sum_mean(e, &m->sum, m->members, m->x);
	any = any_of_all(w, e, &any);
	if (any && wsi_leads(w))
		e->get(e, wsi_mode_row(w, channel, k), 0, m->x, NULL, &m->channel);
	return any;
}

static void
decompose(eemd *m, const wsi_work *w, wsi_engine *e, size_t channel)
{
	int modes = 0;
	if (!start_members(m, w, e, channel))
		return;
	while (modes < e->params->o.modes && next_mode(m, w, e, channel, modes))
		++modes;
	if (wsi_cancelled(e->progress))
		return;
	for (int i0 = m->own.first; i0 < m->own.end; i0 += m->chunk)
		wsi_row_sum_add(e, &m->sum, states_from(m, i0));
	wsi_row_sum_mean(e, &m->sum, m->members, m->x);
	if (wsi_cancelled(e->progress))
		return;
	wsi_get_residue(w, e, m->x, channel, &m->channel);
	wsi_set_mode_count(w, channel, modes);
}

void
wsi_eemd(const wsi_work *w, wsi_engine *e)
{
	const int n = e->params->o.realizations;
	eemd m = { .members = n, .own = wsi_own_members(w, n) };
	const int own = m.own.end - m.own.first;
	m.chunk = wsi_chunk_rows(w->rows, own);
	m.x = e->take(e, 1, WSI_USED_OFTEN);
	m.state = e->take(e, own, WSI_USED_SELDOM);
	m.mode = e->take(e, m.chunk, WSI_USED_OFTEN);
	m.sum = wsi_row_sum_take(w, e, n);
	m.input = wsi_arena_take(e->arena, (size_t)own * sizeof *m.input);
	m.active = wsi_arena_take(e->arena, (size_t)own * sizeof *m.active);
	m.scale = wsi_arena_take(e->arena, (size_t)m.chunk * sizeof *m.scale);
	m.sifted = wsi_arena_take(e->arena, (size_t)m.chunk * sizeof *m.sifted);
	if (e->measuring)
		return;
	for (size_t channel = 0; channel < w->channels && !wsi_cancelled(e->progress); ++channel)
		decompose(&m, w, e, channel);
}
