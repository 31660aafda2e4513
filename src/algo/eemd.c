/*
 * eemd.c - ensemble EMD (Wu & Huang 2009): the mean of the decompositions of
 * x + noise std(x) w_i, mode by mode.  With pairs, realizations 2 j and
 * 2 j + 1 see +w_j and -w_j, and the noise cancels (complementary EEMD).
 *
 * Members may have unequal numbers of modes.  They are aligned at the fast
 * end: mode k is the mean over all members, those without a k-th mode
 * counting as zero there; what a member has left is part of the residue.
 * So the modes and the residue always add up to the mean of the members.
 *
 * Channels go in groups: the members of all of them are handed out together.  Where members go in
 * chunks there are enough of one channel.
 */
#include "algo/algo.h"
#include "algo/row_sum.h"

typedef struct eemd {
	int members, chunk, group;
	wsi_members own;        /* those of this device */
	/* [channel of group]: */
	wsi_rows x;             /* the channels, later means */
	wsi_row_sum sum;
	wsi_extent *channel;    /* of x */
	int *modes;
	bool *splits;           /* a member has modes left */
	/* [channel of group][own member]: */
	wsi_rows state;         /* the residues */
	wsi_extent *input;
	bool *active;           /* has modes left */
	/* [channel of group][chunk]: */
	wsi_rows mode;
	wsi_sifted *sifted;
	double *scale;          /* [chunk] of the noise */
} eemd;

static int
own_members(const eemd *m)
{
	return m->own.end - m->own.first;
}

static int
chunk_from(const eemd *m, int first)
{
	return m->own.end - first < m->chunk ? m->own.end - first : m->chunk;
}

/* Those of channel k of the group, of chunk i0. */
static wsi_rows
states_from(const eemd *m, int k, int i0)
{
	return wsi_some_rows(m->state, k * own_members(m) + i0 - m->own.first, chunk_from(m, i0));
}

/* Of channel k of the group.  False where the user cancelled. */
static bool
start_members(eemd *m, const wsi_work *w, wsi_engine *e, size_t channel, int k, double std)
{
	const ws_emd_opts *o = &e->params->o;
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
		e->add_scaled(e, states_from(m, k, i0), wsi_row_repeated(m->x, k, n), noise,
		              m->scale);
	}
	return true;
}

/* False where the user cancelled. */
static bool
start_group(eemd *m, const wsi_work *w, wsi_engine *e, size_t first, int channels)
{
	const int states = channels * own_members(m);
	for (int k = 0; k < channels; ++k) {
		const wsi_rows x = wsi_some_rows(m->x, k, 1);
		double std;
		wsi_put_input(w, e, x, first + (size_t)k, &m->channel[k]);
		e->mean_std(e, x, NULL, &std);
		if (!start_members(m, w, e, first + (size_t)k, k, std))
			return false;
		m->splits[k] = true;
		m->modes[k] = 0;
	}
	if (states)
		e->extent(e, wsi_some_rows(m->state, 0, states), m->input);
	for (int i = 0; i < states; ++i)
		m->active[i] = true;
	m->sum.sums = channels;
	return true;
}

/* The share of all work that is done once a group's members below number `members` have mode k. */
static double
share_done(const eemd *m, const wsi_work *w, size_t first, int channels, int k, int members)
{
	const double all = (double)own_members(m);
	double modes = wsi_share_of_modes(w->params,
	                                  (double)k + (double)(members - m->own.first) / all);
	return ((double)first + channels * modes) / (double)w->channels;
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

/* Sifts mode k of chunk i0, of all channels of a group, into their sums. */
static void
sift_chunk(eemd *m, const wsi_work *w, wsi_engine *e, size_t first, int channels, int k, int i0)
{
	const int n = chunk_from(m, i0), rows = channels * n, at = i0 - m->own.first;
	/* Of several channels, all members are one chunk. */
	const wsi_rows mode = wsi_some_rows(m->mode, 0, rows);
	bool *active = m->active + at;
	wsi_sift_job job = { .r = wsi_some_rows(m->state, at, rows), .out = mode, .deflate = true,
		             .active = active, .input = m->input + at,
		             .max_sifts = e->params->o.max_sifts, .step = true, .mode = k,
		             .sifted = m->sifted };
	e->sift(e, &job);
	if (wsi_cancelled(e->progress))
		return;
	for (int i = 0; i < rows; ++i)
		active[i] = active[i] && m->sifted[i].oscillates;
	wsi_row_sum_add(e, &m->sum, wsi_some_rows(mode, 0, n), n);
	for (int c = 0; c < channels; ++c)
		if (m->splits[c])
			wsi_note_sifts(w, first + (size_t)c, k, m->sifted + c * n, n);
}

/* Notes which channels of a group have a mode k, and hands it out. */
static bool
hand_out(eemd *m, const wsi_work *w, wsi_engine *e, size_t first, int channels, int k)
{
	const int own = own_members(m);
	bool all = false;
	for (int c = 0; c < channels; ++c) {
		bool any = false;
		for (int i = 0; i < own; ++i)
			any = any || m->active[c * own + i];
		any = any_of_all(w, e, &any);
		m->splits[c] = m->splits[c] && any;
		if (!m->splits[c])
			continue;
		all = true;
		m->modes[c] = k + 1;
		if (wsi_leads(w))
			e->get(e, wsi_mode_row(w, first + (size_t)c, k), 0,
			       wsi_some_rows(m->x, c, 1), NULL, &m->channel[c]);
	}
	return all;
}

/* Mode k of all members of a group; false where none has it. */
static bool
next_mode(eemd *m, const wsi_work *w, wsi_engine *e, size_t first, int channels, int k)
{
	for (int i0 = m->own.first; i0 < m->own.end; i0 += m->chunk) {
		wsi_progress_step(e->progress, share_done(m, w, first, channels, k, i0),
		                  share_done(m, w, first, channels, k, i0 + chunk_from(m, i0)));
		sift_chunk(m, w, e, first, channels, k, i0);
		if (wsi_cancelled(e->progress))
			return false;
	}
	wsi_row_sum_mean(e, &m->sum, m->members, wsi_some_rows(m->x, 0, channels));
	return hand_out(m, w, e, first, channels, k);
}

static void
decompose(eemd *m, const wsi_work *w, wsi_engine *e, size_t first, int channels)
{
	int k = 0;
	if (!start_group(m, w, e, first, channels))
		return;
	while (k < e->params->o.modes && next_mode(m, w, e, first, channels, k))
		++k;
	if (wsi_cancelled(e->progress))
		return;
	for (int i0 = m->own.first; i0 < m->own.end; i0 += m->chunk)
		wsi_row_sum_add(e, &m->sum, states_from(m, 0, i0), own_members(m));
	const wsi_rows x = wsi_some_rows(m->x, 0, channels);
	wsi_row_sum_mean(e, &m->sum, m->members, x);
	if (wsi_cancelled(e->progress))
		return;
	wsi_get_residue(w, e, x, first, m->channel);
	for (int c = 0; c < channels; ++c)
		wsi_set_mode_count(w, first + (size_t)c, m->modes[c]);
}

void
wsi_eemd(const wsi_work *w, wsi_engine *e)
{
	const int n = e->params->o.realizations;
	eemd m = { .members = n, .own = wsi_own_members(w, n) };
	const int own = own_members(&m);
	m.chunk = wsi_chunk_rows(w->rows, own);
	m.group = m.chunk == own ? wsi_group_channels(w, e, own) : 1;
	const size_t group = (size_t)m.group, states = group * (size_t)own,
		modes = group * (size_t)m.chunk;
	m.x = e->take(e, m.group, WSI_USED_OFTEN);
	m.state = e->take(e, (int)states, WSI_USED_SELDOM);
	m.mode = e->take(e, (int)modes, WSI_USED_OFTEN);
	m.sum = wsi_row_sum_take(w, e, n, m.group);
	m.channel = wsi_arena_take(e->arena, group * sizeof *m.channel);
	m.modes = wsi_arena_take(e->arena, group * sizeof *m.modes);
	m.splits = wsi_arena_take(e->arena, group * sizeof *m.splits);
	m.input = wsi_arena_take(e->arena, states * sizeof *m.input);
	m.active = wsi_arena_take(e->arena, states * sizeof *m.active);
	m.scale = wsi_arena_take(e->arena, (size_t)m.chunk * sizeof *m.scale);
	m.sifted = wsi_arena_take(e->arena, modes * sizeof *m.sifted);
	if (e->measuring)
		return;
	for (size_t first = 0; first < w->channels && !wsi_cancelled(e->progress); first += group) {
		const size_t left = w->channels - first;
		decompose(&m, w, e, first, left < group ? (int)left : m.group);
	}
}
