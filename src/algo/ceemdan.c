/*
 * ceemdan.c - CEEMDAN (Torres et al. 2011) and Improved CEEMDAN (Colominas
 * et al. 2014).
 *
 * Both add a mode of noise to the residue r, decompose a single mode, and
 * average over realizations; E_k is the k-th mode by EMD, M(y) = y - E_1(y).
 *     CEEMDAN    c_k = mean_i E_1(r + b E_{k-1}(w_i)),  E_0(w) = w;  r -= c_k
 *     Improved   r'  = mean_i M(r + b E_k(w_i));        c_k = r - r'
 *     b = noise std(r), divided by the std of the noise term at constant SNR,
 *         and at the first stage of the improved method always.
 * Noise modes are extracted when their stage comes and serve all channels.
 * The residue of a noise counts as its last mode (wsi_params.noise_residue); a
 * realization whose noise has no mode left decomposes r alone.
 */
#include "algo/algo.h"
#include "algo/row_sum.h"
#include "base/element.h"

typedef struct ceemdan {
	bool improved;
	int realizations, chunk;
	wsi_members own;        /* of them, those of this device */
	wsi_rows state;         /* [own realization] residue of its noise */
	wsi_rows noise;         /* [chunk] noise terms of this stage */
	wsi_rows out;           /* [chunk] what each realization contributes */
	wsi_rows bare;          /* two rows: what r alone contributes; a mean and a rest */
	wsi_rows r;             /* [channel] */
	wsi_row_sum *sum;       /* [channel] */
	wsi_extent *input;      /* [channel] */
	double *std;            /* [channel] of r */
	bool *splits;           /* [channel] r has modes left */
	wsi_extent *noise_input; /* [realization] */
	bool *alive;            /* [realization] its noise has modes left */
	double *noise_std;      /* [chunk] 0: no noise term */
	double *scale;          /* [chunk] b */
	bool *active;           /* [chunk] has a noise term */
	wsi_extent *y_input;    /* [chunk] */
	wsi_sifted *sifted;     /* [chunk] */
} ceemdan;

/* ---- Noise ------------------------------------------------------------------ */

/* Puts the noise terms of realizations i0.. into rows 0..n - 1 of noise. */
static void
noise_terms(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t channel, int stage, int i0, int n)
{
	const wsi_rows state = wsi_some_rows(c->state, i0 - c->own.first, n);
	const wsi_rows term = wsi_some_rows(c->noise, 0, n);
	if (stage == 0) {
		wsi_noise_rows(w, e, state, channel, i0, 1);
		e->extent(e, state, c->noise_input + i0);
		for (int i = i0; i < i0 + n; ++i)
			c->alive[i] = true;
	}
	if (stage == 0 && !c->improved) {
		e->copy(e, term, state);
		e->mean_std(e, term, NULL, c->noise_std);
		return;
	}
	wsi_sift_job job = { .r = state, .out = term, .deflate = true, .active = c->alive + i0,
		             .input = c->noise_input + i0, .step = true, .mode = stage,
		             .sifted = c->sifted, .max_sifts = e->params->noise_max_sifts,
		             .std = c->noise_std };
	e->sift(e, &job);
	if (wsi_cancelled(e->progress))
		return;
	for (int i = 0; i < n; ++i)
		if (c->alive[i0 + i] && !c->sifted[i].oscillates) {
			const wsi_rows last = wsi_some_rows(term, i, 1);
			c->alive[i0 + i] = false;
			c->noise_std[i] = 0.0;
			if (!e->params->noise_residue)
				continue;
			e->copy(e, last, wsi_some_rows(state, i, 1));
			e->mean_std(e, last, NULL, &c->noise_std[i]);
		}
}

/* ---- One stage of one channel ------------------------------------------------- */

/* What rows of y = r + scale b contribute: M(y) if improved; else E_1(y), which is 0 where y
 * has no mode, or y itself (wsi_params.rest_is_mode). */
static void
contribute(ceemdan *c, wsi_engine *e, wsi_sift_job job)
{
	job.rest = c->improved;
	job.input = c->y_input;
	job.max_sifts = e->params->o.max_sifts;
	job.sifted = c->sifted;
	e->sift(e, &job);
	if (!e->params->rest_is_mode || wsi_cancelled(e->progress))
		return;
	for (int i = 0; i < job.out.n; ++i) {
		if (c->sifted[i].oscillates || (job.active && !job.active[i]))
			continue;
		const wsi_rows out = wsi_some_rows(job.out, i, 1), r = wsi_some_rows(job.r, i, 1);
		if (job.scale)
			e->add_scaled(e, out, r, wsi_some_rows(job.b, i, 1), &job.scale[i]);
		else
			e->copy(e, out, r);
	}
}

/* Realizations without a noise term all contribute what r alone does. */
static void
contribute_bare(ceemdan *c, wsi_engine *e, size_t channel, int n)
{
	int bare = 0;
	for (int i = 0; i < n; ++i)
		bare += !c->active[i];
	if (bare == 0)
		return;
	const wsi_rows out = wsi_some_rows(c->bare, 0, 1);
	contribute(c, e, (wsi_sift_job){ .r = wsi_some_rows(c->r, (int)channel, 1), .out = out });
	for (int i = 0; i < n; ++i)
		if (!c->active[i])
			e->copy(e, wsi_some_rows(c->out, i, 1), out);
}

static void
channel_chunk(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t channel, int stage, int i0,
              int n)
{
	const ws_emd_opts *o = &e->params->o;
	const bool normalise = stage > 0 ? o->snr == WS_SNR_CONSTANT
	                       : c->improved ||
	                         (o->snr == WS_SNR_CONSTANT && !e->params->noise_as_given);
	const wsi_rows out = wsi_some_rows(c->out, 0, n);
	for (int i = 0; i < n; ++i) {
		c->active[i] = c->noise_std[i] > 0.0;
		const double scale = o->noise * c->std[channel];
		c->scale[i] = !c->active[i] ? 0.0
		              : normalise   ? scale / c->noise_std[i]
		                            : scale * wsi_noise_unit(w, i0 + i);
		c->y_input[i] = c->input[channel];
	}
	contribute(c, e, (wsi_sift_job){ .r = wsi_row_repeated(c->r, (int)channel, n),
	                                 .b = wsi_some_rows(c->noise, 0, n), .scale = c->scale,
	                                 .out = out, .active = c->active, .mode = stage });
	wsi_note_sifts(w, channel, stage, c->sifted, n);
	contribute_bare(c, e, channel, n);
	if (!wsi_cancelled(e->progress))
		wsi_row_sum_add(e, &c->sum[channel], out);
}

/* The sign of step i of x: of x[i + 1] - x[i]. */
static int
step_sign(ws_type type, const void *x, size_t i)
{
	const double a = wsi_real_at(x, type, i), b = wsi_real_at(x, type, i + 1);
	return (b > a) - (b < a);
}

/* nnz(diff(sign(diff(r)))) > 2: a plateau, an extremum or not, counts twice.  r is copied to the
 * row of the caller's residues, where it will end up. */
static bool
has_many_extrema(const wsi_work *w, wsi_engine *e, size_t channel, wsi_rows r)
{
	void *x = wsi_residue_row(w, channel);
	e->get(e, x, 0, r, NULL, NULL);
	size_t extrema = 0;
	for (size_t i = 1; i + 1 < w->params->samples; ++i)
		extrema += step_sign(w->params->type, x, i) != step_sign(w->params->type, x, i - 1);
	return extrema > 2;
}

/* Notes the std of r, and whether it is to be split further. */
static void
look_at_residue(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t channel)
{
	const wsi_rows r = wsi_some_rows(c->r, (int)channel, 1);
	e->mean_std(e, r, NULL, &c->std[channel]);
	if (e->params->ends_by_extrema) {
		c->splits[channel] = has_many_extrema(w, e, channel, r);
		return;
	}
	e->oscillates(e, r, &c->input[channel], &c->splits[channel]);
	if (!c->splits[channel] || !e->params->imf_ends)
		return;
	/* ceemdan.m ends at a residue that is an IMF already. */
	wsi_sifted sifted;
	wsi_sift_job job = { .r = r, .out = wsi_some_rows(c->bare, 0, 1),
		             .input = &c->input[channel], .max_sifts = e->params->o.max_sifts,
		             .sifted = &sifted };
	e->sift(e, &job);
	c->splits[channel] = !sifted.untouched;
}

/* Turns the channel's sum into its mode and its next residue. */
static void
finish_stage(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t channel, int stage)
{
	const wsi_rows r = wsi_some_rows(c->r, (int)channel, 1);
	const wsi_rows mean = wsi_some_rows(c->bare, 0, 1), other = wsi_some_rows(c->bare, 1, 1);
	wsi_row_sum_mean(e, &c->sum[channel], c->realizations, mean);
	if (wsi_cancelled(e->progress))
		return;
	e->subtract(e, other, r, mean);
	/* Of mean and other one is the mode, one the residue. */
	const wsi_rows mode = c->improved ? other : mean;
	e->copy(e, r, c->improved ? mean : other);
	if (wsi_leads(w))
		e->get(e, wsi_mode_row(w, channel, stage), 0, wsi_some_rows(mode, 0, 1), NULL,
		       &c->input[channel]);
	wsi_set_mode_count(w, channel, stage + 1);
	look_at_residue(c, w, e, channel);
}

/* ---- The whole ------------------------------------------------------------------ */

/* The next step of a chunk of n realizations from i0: the noise is its step 0,
 * a channel each of the others. */
static void
tell_step(const ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, size_t last, int stage,
          int i0, int n, size_t step)
{
	const double group = (double)(last - first), steps = group + 1.0;
	double done[2];
	for (int end = 0; end < 2; ++end) {
		const double all = (double)(c->own.end - c->own.first);
		const double members = (double)(i0 - c->own.first) +
		                       n * ((double)step + end) / steps;
		const double modes = wsi_share_of_modes(e->params, (double)stage + members / all);
		done[end] = ((double)first + group * modes) / (double)w->channels;
	}
	wsi_progress_step(e->progress, done[0], done[1]);
}

/* One stage of channels first .. last - 1, which share their noise. */
static bool
run_stage(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, size_t last, int stage)
{
	for (int i0 = c->own.first; i0 < c->own.end; i0 += c->chunk) {
		const int n = c->own.end - i0 < c->chunk ? c->own.end - i0 : c->chunk;
		tell_step(c, w, e, first, last, stage, i0, n, 0);
		if (e->params->o.noise > 0.0)
			noise_terms(c, w, e, first, stage, i0, n);
		else
			memset(c->noise_std, 0, (size_t)n * sizeof *c->noise_std);
		for (size_t channel = first; channel < last && !wsi_cancelled(e->progress);
		     ++channel) {
			tell_step(c, w, e, first, last, stage, i0, n, channel - first + 1);
			if (c->splits[channel])
				channel_chunk(c, w, e, channel, stage, i0, n);
		}
		if (wsi_cancelled(e->progress))
			return false;
	}
	bool any = false;
	for (size_t channel = first; channel < last; ++channel)
		if (c->splits[channel]) {
			finish_stage(c, w, e, channel, stage);
			any = any || c->splits[channel];
		}
	return any;
}

static void
decompose(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, size_t last)
{
	bool any = false;
	const wsi_rows r = wsi_some_rows(c->r, (int)first, (int)(last - first));
	wsi_put_input(w, e, r, first, c->input + first);
	for (size_t channel = first; channel < last; ++channel) {
		e->mean_std(e, wsi_some_rows(c->r, (int)channel, 1), NULL, &c->std[channel]);
		/* A reference that looks at residues only makes one mode of any signal. */
		c->splits[channel] = e->params->ends_by_extrema && c->std[channel] > 0.0;
		if (!e->params->ends_by_extrema)
			e->oscillates(e, wsi_some_rows(c->r, (int)channel, 1), &c->input[channel],
			              &c->splits[channel]);
		wsi_set_mode_count(w, channel, 0);
		any = any || c->splits[channel];
	}
	for (int stage = 0; stage < e->params->o.modes && any; ++stage)
		any = run_stage(c, w, e, first, last, stage);
	wsi_get_residue(w, e, r, first, c->input + first);
}

void
wsi_ceemdan(const wsi_work *w, wsi_engine *e)
{
	const int n = e->params->o.realizations, channels = (int)w->channels;
	ceemdan c = { .improved = e->params->o.method == WS_METHOD_ICEEMDAN, .realizations = n,
		      .own = wsi_own_members(w, n) };
	const int own = c.own.end - c.own.first;
	c.chunk = wsi_chunk_rows(w->rows, own);
	const size_t chunk = (size_t)c.chunk, members = (size_t)n;
	c.state = e->take(e, own, WSI_USED_SELDOM);
	c.noise = e->take(e, c.chunk, WSI_USED_OFTEN);
	c.out = e->take(e, c.chunk, WSI_USED_OFTEN);
	c.bare = e->take(e, 2, WSI_USED_OFTEN);
	c.r = e->take(e, channels, WSI_USED_OFTEN);
	c.sum = wsi_arena_take(e->arena, w->channels * sizeof *c.sum);
	for (int i = 0; i < channels; ++i) {
		wsi_row_sum sum = wsi_row_sum_take(w, e, n);
		if (c.sum)
			c.sum[i] = sum;
	}
	c.input = wsi_arena_take(e->arena, w->channels * sizeof *c.input);
	c.std = wsi_arena_take(e->arena, w->channels * sizeof *c.std);
	c.splits = wsi_arena_take(e->arena, w->channels * sizeof *c.splits);
	c.noise_input = wsi_arena_take(e->arena, members * sizeof *c.noise_input);
	c.alive = wsi_arena_take(e->arena, members * sizeof *c.alive);
	c.noise_std = wsi_arena_take(e->arena, chunk * sizeof *c.noise_std);
	c.scale = wsi_arena_take(e->arena, chunk * sizeof *c.scale);
	c.active = wsi_arena_take(e->arena, chunk * sizeof *c.active);
	c.y_input = wsi_arena_take(e->arena, chunk * sizeof *c.y_input);
	c.sifted = wsi_arena_take(e->arena, chunk * sizeof *c.sifted);
	if (e->measuring)
		return;
	if (e->params->o.channel_noise == WS_NOISE_SHARED)
		decompose(&c, w, e, 0, w->channels);
	else
		for (size_t channel = 0; channel < w->channels && !wsi_cancelled(e->progress);
		     ++channel)
			decompose(&c, w, e, channel, channel + 1);
}
