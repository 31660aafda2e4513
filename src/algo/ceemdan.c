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
 * The residue of a noise counts as its last mode; a realization whose noise
 * has no mode left decomposes r alone.
 */
#include <string.h>

#include "algo/ensemble.h"
#include "base/threads.h"

typedef struct ceemdan {
	wsi_ensemble e;
	char *noise;            /* [chunk][time] E_k(w_i) of this stage */
	double *noise_std;      /* [chunk]; 0: no mode left */
	char *bare;             /* [time] what r alone yields */
	char *r;                /* [channel][time] */
	wsi_row_sum *sum;       /* [channel] */
	wsi_extent *extent;     /* [channel] of the input */
	double *std;            /* [channel] of r */
	bool *active;           /* [channel] has modes left */
	bool improved;
} ceemdan;

/* Puts the noise term of realization i into row k of the chunk. */
static void
noise_term(ceemdan *c, int thread, uint32_t stream, int stage, int i, int k)
{
	wsi_ensemble *e = &c->e;
	const wsi_work *w = e->work;
	const size_t n = w->params->samples;
	wsi_sifter *s = &e->sifters[thread];
	void *state = wsi_row(e, e->state, i), *term = wsi_row(e, c->noise, k);
	if (stage == 0) {
		wsi_noise_row(e, stream, i, state);
		e->extent[i] = wsi_extent_of(s, 0, state);
		e->alive[i] = true;
	}
	c->noise_std[k] = 0.0;
	if (!c->improved && stage == 0) {
		memcpy(term, state, n * w->ops->element);
	} else {
		if (!e->alive[i])
			return;
		wsi_sifted sifted;
		if (!wsi_next_mode(e, thread, i, w->params->noise_max_sifts, term, &sifted)) {
			e->alive[i] = false;
			memcpy(term, state, n * w->ops->element);
		}
	}
	double mean;
	wsi_mean_std(s, term, &mean, &c->noise_std[k]);
}

/* What one realization contributes: E_1(y), or M(y) of the improved method.
 * y stands in `out` and is replaced. */
static wsi_sifted
contribution(ceemdan *c, int thread, size_t channel, void *out)
{
	const wsi_work *w = c->e.work;
	const wsi_params *p = w->params;
	const size_t n = p->samples;
	wsi_sifter *s = &c->e.sifters[thread];
	s->r = out;
	wsi_sifter_scale(s, 0, c->extent[channel]);
	wsi_sifted sifted = wsi_sift(s, 0, p->o.max_sifts);
	if (sifted.cancelled)
		return sifted;
	const bool untouched = sifted.mode == s->r;
	if (c->improved) {
		/* Without extrema y is all mean; ceemdan.m takes an IMF for its own. */
		if (sifted.oscillates && !(untouched && p->imf_ends))
			w->ops->subtract(out, out, sifted.mode, n);
	} else if (!sifted.oscillates) {
		memset(out, 0, n * w->ops->element);
	} else if (!untouched) {
		memcpy(out, sifted.mode, n * w->ops->element);
	}
	return sifted;
}

static double
noise_scale(const ceemdan *c, int stage, int k, double r_std)
{
	const ws_emd_opts *o = &c->e.work->params->o;
	const bool normalise = o->snr == WS_SNR_CONSTANT || (c->improved && stage == 0);
	return o->noise * r_std / (normalise ? c->noise_std[k] : 1.0);
}

/* Adds the contributions of one chunk to the channel's sum. */
static void
channel_chunk(ceemdan *c, size_t channel, int stage, int count)
{
	wsi_ensemble *e = &c->e;
	const wsi_work *w = e->work;
	const size_t n = w->params->samples, bytes = n * w->ops->element;
	const void *r = wsi_row(e, c->r, (int)channel);
	int sifts = 0, unfinished = 0;
	bool alone = false;
	for (int k = 0; k < count; ++k)
		alone |= c->noise_std[k] == 0.0;
	if (alone) {
		memcpy(c->bare, r, bytes);
		contribution(c, 0, channel, c->bare);
	}
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 1) \
	reduction(max : sifts) reduction(+ : unfinished)
	for (int k = 0; k < count; ++k) {
		void *out = wsi_row(e, e->out, k);
		if (wsi_cancelled(w->progress))
			continue;
		if (c->noise_std[k] == 0.0) {
			memcpy(out, c->bare, bytes);
			continue;
		}
		w->ops->add_scaled(out, r, wsi_row(e, c->noise, k), noise_scale(c, stage, k, c->std[channel]), n);
		wsi_sifted sifted = contribution(c, wsi_thread_rank(), channel, out);
		sifts = sifted.sifts > sifts ? sifted.sifts : sifts;
		unfinished += sifted.unfinished;
	}
	wsi_row_sum_add(e, &c->sum[channel], e->out, count);
	wsi_note_sifts(w, channel, stage, sifts, unfinished);
}

/* Does the residue go on to the next stage?  Notes its std. */
static bool
splits(ceemdan *c, size_t channel)
{
	wsi_sifter *s = &c->e.sifters[0];
	double mean;
	s->r = wsi_row(&c->e, c->r, (int)channel);
	wsi_mean_std(s, s->r, &mean, &c->std[channel]);
	wsi_sifter_scale(s, 0, c->extent[channel]);
	if (!wsi_oscillates(s, 0, c->extent[channel].range))
		return false;
	if (!s->params->imf_ends)
		return true;
	wsi_sifted sifted = wsi_sift(s, 0, s->params->o.max_sifts);
	return sifted.mode != s->r;
}

/* Turns the channel's sum into its mode and its next residue. */
static void
finish_stage(ceemdan *c, size_t channel, int stage)
{
	wsi_ensemble *e = &c->e;
	const wsi_work *w = e->work;
	const size_t n = w->params->samples;
	void *r = wsi_row(e, c->r, (int)channel), *mode = wsi_mode_row(w, channel, stage);
	if (c->improved) {
		wsi_row_sum_take(e, &c->sum[channel], e->realizations, c->bare);
		w->ops->subtract(mode, r, c->bare, n);
		memcpy(r, c->bare, n * w->ops->element);
	} else {
		wsi_row_sum_take(e, &c->sum[channel], e->realizations, mode);
		w->ops->subtract(r, r, mode, n);
	}
	w->io->mode_count[channel] = stage + 1;
	c->active[channel] = splits(c, channel);
}

/* One stage of channels first .. last - 1, which share their noise. */
static bool
run_stage(ceemdan *c, size_t first, size_t last, int stage)
{
	wsi_ensemble *e = &c->e;
	const wsi_work *w = e->work;
	const bool independent = w->params->o.channel_noise == WS_NOISE_INDEPENDENT;
	const uint32_t stream = independent ? (uint32_t)(w->io->first_channel + first) : 0;
	const double share = (double)(last - first) / (double)w->channels;
	for (int i0 = 0; i0 < e->realizations; i0 += e->chunk) {
		const int count = e->realizations - i0 < e->chunk ? e->realizations - i0 : e->chunk;
		if (w->params->o.noise > 0.0) {
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 1)
			for (int k = 0; k < count; ++k)
				if (!wsi_cancelled(w->progress))
					noise_term(c, wsi_thread_rank(), stream, stage, i0 + k, k);
		} else {
			memset(c->noise_std, 0, (size_t)count * sizeof *c->noise_std);
		}
		for (size_t channel = first; channel < last; ++channel)
			if (c->active[channel] && !wsi_cancelled(w->progress))
				channel_chunk(c, channel, stage, count);
		if (wsi_cancelled(w->progress))
			return false;
		double done = ((double)stage + (double)(i0 + count) / e->realizations) / w->max_modes;
		wsi_progress_report(w->progress, (double)first / (double)w->channels + share * done);
	}
	bool any = false;
	for (size_t channel = first; channel < last; ++channel)
		if (c->active[channel]) {
			finish_stage(c, channel, stage);
			any |= c->active[channel];
		}
	return any;
}

static void
decompose(ceemdan *c, size_t first, size_t last)
{
	wsi_ensemble *e = &c->e;
	const wsi_work *w = e->work;
	const size_t bytes = w->params->samples * w->ops->element;
	bool any = false;
	for (size_t channel = first; channel < last; ++channel) {
		wsi_sifter *s = &e->sifters[0];
		s->r = wsi_row(e, c->r, (int)channel);
		memcpy(s->r, wsi_input_row(w, channel), bytes);
		c->extent[channel] = wsi_extent_of(s, 0, s->r);
		wsi_sifter_scale(s, 0, c->extent[channel]);
		double mean;
		wsi_mean_std(s, s->r, &mean, &c->std[channel]);
		c->active[channel] = wsi_oscillates(s, 0, c->extent[channel].range);
		w->io->mode_count[channel] = 0;
		any |= c->active[channel];
	}
	for (int stage = 0; stage < w->max_modes && any; ++stage)
		any = run_stage(c, first, last, stage);
	if (wsi_cancelled(w->progress))
		return;
	for (size_t channel = first; channel < last; ++channel) {
		memcpy(wsi_residue_row(w, channel), wsi_row(e, c->r, (int)channel), bytes);
		for (int k = w->io->mode_count[channel]; k < w->max_modes; ++k)
			memset(wsi_mode_row(w, channel, k), 0, bytes);
	}
}

ws_status
wsi_ceemdan(const wsi_work *w, wsi_arena *arena)
{
	ceemdan c = { .improved = w->params->o.method == WS_ICEEMDAN };
	wsi_ensemble *e = &c.e;
	wsi_ensemble_layout(e, w, arena);
	c.noise = wsi_arena_take(arena, (size_t)e->chunk * e->row);
	c.noise_std = wsi_arena_take(arena, (size_t)e->chunk * sizeof *c.noise_std);
	c.bare = wsi_arena_take(arena, e->row);
	c.r = wsi_arena_take(arena, w->channels * e->row);
	c.sum = wsi_arena_take(arena, w->channels * sizeof *c.sum);
	for (size_t channel = 0; channel < w->channels; ++channel) {
		wsi_row_sum sum;
		wsi_row_sum_layout(&sum, e, arena);
		if (c.sum)
			c.sum[channel] = sum;
	}
	c.extent = wsi_arena_take(arena, w->channels * sizeof *c.extent);
	c.std = wsi_arena_take(arena, w->channels * sizeof *c.std);
	c.active = wsi_arena_take(arena, w->channels * sizeof *c.active);
	if (!arena->base)
		return WS_OK;
	if (w->params->o.channel_noise == WS_NOISE_SHARED)
		decompose(&c, 0, w->channels);
	else
		for (size_t channel = 0; channel < w->channels; ++channel)
			decompose(&c, channel, channel + 1);
	return WS_OK;
}
