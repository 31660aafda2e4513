/*
 * emd.c - empirical mode decomposition (Huang et al. 1998): extract the
 * fastest mode by sifting, subtract it, go on with the rest, until nothing there
 * oscillates, or what does is none of the signal's.
 *
 * Channels go in groups, mode by mode.
 */
#include "algo/algo.h"

typedef struct emd {
	wsi_rows r, mode;
	wsi_extent *input;      /* [row] */
	double *energy;         /* [row] of the input, and of r */
	bool *active;           /* [row] has modes left */
	int *modes;             /* [row] */
	wsi_sifted *sifted;     /* [row] */
} emd;

/* MATLAB's emd ends once the residue has this much less energy than the input. */
static void
end_quiet_rows(emd *m, wsi_engine *e, wsi_rows r)
{
	double *left = m->energy + m->r.n;
	e->energy(e, r, left);
	for (int i = 0; i < r.n; ++i)
		if (m->energy[i] > e->params->max_energy_ratio * left[i])
			m->active[i] = false;
}

/*
 * A mean of envelopes that stays within the range of what is sifted leaves a
 * mode of twice that range at most.  A wider one is an overshoot of splines, such as
 * where what modes have left is flat but for its ends, far from knot to knot.  The first
 * mode is one in any case: a gap in a recording makes the rest of it no less oscillate.
 */
static bool
overshoots(const wsi_sifted *s)
{
	return s->mode_range > 2.0 * s->range;
}

/* Makes what was left of a row before mode k once more, as it was made first. */
static void
restore(emd *m, const wsi_work *w, wsi_engine *e, size_t first, int i, int k)
{
	const wsi_rows r = wsi_some_rows(m->r, i, 1), mode = wsi_some_rows(m->mode, i, 1);
	wsi_put_input(w, e, r, first + (size_t)i, &m->input[i]);
	for (int before = 0; before < k; ++before) {
		e->put(e, mode, wsi_mode_row(w, first + (size_t)i, before), 0);
		e->subtract(e, r, r, mode);
	}
}

/* Extracts mode k of every row that has one. */
static bool
next_mode(emd *m, const wsi_work *w, wsi_engine *e, wsi_rows r, size_t first, int k)
{
	const wsi_rows mode = wsi_some_rows(m->mode, 0, r.n);
	if (e->params->max_energy_ratio > 0.0)
		end_quiet_rows(m, e, r);
	wsi_sift_job job = { .r = r, .out = mode, .deflate = true, .active = m->active,
		             .input = m->input, .again = k > 0, .max_sifts = e->params->o.max_sifts,
		             .step = true, .ranges = k > 0, .sifted = m->sifted };
	e->sift(e, &job);
	if (wsi_cancelled(e->progress))
		return false;
	int left = 0;
	for (int i = 0; i < r.n; ++i) {
		m->active[i] = m->active[i] && m->sifted[i].oscillates;
		if (m->active[i] && k > 0 && overshoots(&m->sifted[i])) {
			restore(m, w, e, first, i, k);
			m->active[i] = false;
		}
		if (!m->active[i])
			continue;
		wsi_note_sifts(w, first + (size_t)i, k, &m->sifted[i], 1);
		m->modes[i] = k + 1;
		++left;
	}
	if (left > 0)
		e->get(e, wsi_mode_row(w, first, k), (size_t)e->params->o.max_modes * wsi_row_bytes(w), mode,
		       left < r.n ? m->active : NULL);
	return left > 0;
}

static void
decompose(emd *m, const wsi_work *w, wsi_engine *e, size_t first, int n)
{
	const int max_modes = e->params->o.max_modes;
	const wsi_rows r = wsi_some_rows(m->r, 0, n);
	wsi_put_input(w, e, r, first, m->input);
	for (int i = 0; i < n; ++i) {
		m->active[i] = true;
		m->modes[i] = 0;
	}
	if (e->params->max_energy_ratio > 0.0)
		e->energy(e, r, m->energy);
	const double channels = (double)w->channels;
	bool any = true;
	for (int k = 0; k < max_modes && any; ++k) {
		wsi_progress_step(e->progress,
		                  ((double)first + n * wsi_share_of_modes(e->params, k)) / channels,
		                  ((double)first + n * wsi_share_of_modes(e->params, k + 1)) / channels);
		any = next_mode(m, w, e, r, first, k);
	}
	wsi_get_residue(w, e, r, first, m->input);
	for (int i = 0; i < n; ++i)
		w->io->mode_count[first + (size_t)i] = m->modes[i];
}

void
wsi_emd(const wsi_work *w, wsi_engine *e)
{
	const int rows = w->channels < (size_t)w->rows ? (int)w->channels : w->rows;
	emd m = { .r = e->take(e, rows, WSI_USED_OFTEN), .mode = e->take(e, rows, WSI_USED_OFTEN) };
	m.input = wsi_arena_take(e->arena, (size_t)rows * sizeof *m.input);
	m.energy = wsi_arena_take(e->arena, 2 * (size_t)rows * sizeof *m.energy);
	m.active = wsi_arena_take(e->arena, (size_t)rows * sizeof *m.active);
	m.modes = wsi_arena_take(e->arena, (size_t)rows * sizeof *m.modes);
	m.sifted = wsi_arena_take(e->arena, (size_t)rows * sizeof *m.sifted);
	if (e->measuring)
		return;
	for (size_t first = 0; first < w->channels && !wsi_cancelled(e->progress);
	     first += (size_t)rows) {
		size_t left = w->channels - first;
		decompose(&m, w, e, first, left < (size_t)rows ? (int)left : rows);
	}
}
