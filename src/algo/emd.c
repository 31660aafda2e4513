/*
 * emd.c - empirical mode decomposition (Huang et al. 1998): extract the
 * fastest mode by sifting, subtract it, go on with the rest, until nothing there
 * oscillates, or what does is none of the signal's.
 *
 * Channels go in groups, as many modes at a time as the engine makes at once.
 */
#include "algo/algo.h"

typedef struct emd {
	int at_once;            /* modes that are asked for together */
	wsi_rows r, mode;       /* [row]; [mode][row] */
	wsi_extent *input;      /* [row] */
	double *energy;         /* [row] of the input, and of r */
	bool *active;           /* [row] has modes left */
	int *modes;             /* [row] */
	wsi_sifted *sifted;     /* [mode][row] */
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

/* Hands out mode k of every row that has one; false where none has. */
static bool
hand_out(emd *m, const wsi_work *w, wsi_engine *e, wsi_rows mode, const wsi_sifted *sifted,
         size_t first, int k)
{
	int left = 0;
	for (int i = 0; i < mode.n; ++i) {
		m->active[i] = m->active[i] && sifted[i].oscillates;
		if (!m->active[i])
			continue;
		wsi_note_sifts(w, first + (size_t)i, k, &sifted[i], 1);
		m->modes[i] = k + 1;
		++left;
	}
	if (left > 0)
		e->get(e, wsi_mode_row(w, first, k),
		       wsi_channel_stride(w, WS_EMD_MODES), mode,
		       left < mode.n ? m->active : NULL, m->input);
	return left > 0;
}

/* Extracts some modes, from k on, of every row that has them; false where there are no more. */
static bool
next_modes(emd *m, const wsi_work *w, wsi_engine *e, wsi_rows r, size_t first, int k, int some)
{
	if (e->params->max_energy_ratio > 0.0)
		end_quiet_rows(m, e, r);
	wsi_sift_job job = { .r = r, .out = wsi_some_rows(m->mode, 0, some * r.n), .deflate = true,
		             .active = m->active, .input = m->input, .again = k > 0,
		             .max_sifts = e->params->o.max_sifts, .step = true, .mode = k,
		             .bounded = true, .more = some - 1, .sifted = m->sifted };
	e->sift(e, &job);
	if (wsi_cancelled(e->progress))
		return false;
	for (int j = 0; j < some; ++j)
		if (!hand_out(m, w, e, wsi_some_rows(job.out, j * r.n, r.n),
		              m->sifted + (size_t)j * (size_t)r.n, first, k + j))
			return false;
	return true;
}

static void
decompose(emd *m, const wsi_work *w, wsi_engine *e, size_t first, int n)
{
	const int max_modes = e->params->o.modes;
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
	for (int k = 0, some; k < max_modes && any; k += some) {
		some = max_modes - k < m->at_once ? max_modes - k : m->at_once;
		wsi_progress_step(e->progress,
		                  ((double)first + n * wsi_share_of_modes(e->params, k)) / channels,
		                  ((double)first + n * wsi_share_of_modes(e->params, k + some)) /
		                  channels);
		any = next_modes(m, w, e, r, first, k, some);
	}
	wsi_get_residue(w, e, r, first, m->input);
	for (int i = 0; i < n; ++i)
		wsi_set_mode_count(w, first + (size_t)i, m->modes[i]);
}

static int
modes_at_once(const wsi_engine *e)
{
	const int most = e->params->o.modes;
	/* MATLAB's rule looks at what is left between modes. */
	if (e->params->max_energy_ratio > 0.0 || most == 0)
		return 1;
	return most < e->modes_at_once ? most : e->modes_at_once;
}

void
wsi_emd(const wsi_work *w, wsi_engine *e)
{
	const int rows = w->channels < (size_t)w->rows ? (int)w->channels : w->rows;
	emd m = { .at_once = modes_at_once(e) };
	m.r = e->take(e, rows, WSI_USED_OFTEN);
	m.mode = e->take(e, m.at_once * rows, WSI_USED_OFTEN);
	m.input = wsi_arena_take(e->arena, (size_t)rows * sizeof *m.input);
	m.energy = wsi_arena_take(e->arena, 2 * (size_t)rows * sizeof *m.energy);
	m.active = wsi_arena_take(e->arena, (size_t)rows * sizeof *m.active);
	m.modes = wsi_arena_take(e->arena, (size_t)rows * sizeof *m.modes);
	m.sifted = wsi_arena_take(e->arena, (size_t)m.at_once * (size_t)rows * sizeof *m.sifted);
	if (e->measuring)
		return;
	if (m.at_once > 1) /* rows are fetched whether they have the mode or not */
		e->zero(e, m.mode);
	for (size_t first = 0; first < w->channels && !wsi_cancelled(e->progress);
	     first += (size_t)rows) {
		size_t left = w->channels - first;
		decompose(&m, w, e, first, left < (size_t)rows ? (int)left : rows);
	}
}
