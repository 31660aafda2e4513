/*
 * noise.c - signals of the noise that each channel stands on, decomposed as the channel is.
 *
 * The signals are of all models, as often as each is likely.  Of their modes a number is kept that
 * hardly depends on the spectrum: energy over the energy that the spectrum has about that period.
 * The spectrum is fitted again to each signal for that, as it was to the channel: what the fit errs
 * by is in the numbers of both (levels.c).
 */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "math/gaussian.h"
#include "math/logarithm.h"
#include "transform/emd/emd.h"
#include "transform/hht/work.h"

/* The most signals that are decomposed at once, and the most numbers that they and their modes
 * have. */
#define TOGETHER 64
#define MOST_NUMBERS ((size_t)1 << 24)
/* The first stream of random numbers; smaller ones are those of ensembles (math/gaussian.h).  All
 * channels have it, so that none depends on which others there are; of channels that are decomposed
 * together each has its own. */
#define STREAM 0x48485400u
/* The pair of samples whose random numbers choose the model. */
#define OF_SPECTRUM ((uint64_t)1 << 40)
/* Of a fit, seconds of an ordinate on one thread. */
/* In the signal, of a mode that has a p: of 1/f noise the p of slower ones is small too often. */
#define LEAST_PERIODS 6
#define SECONDS_AN_ORDINATE 2e-6

static bool
joint(const wsi_hht_plan *plan)
{
	return wsi_opts_method(&plan->o.emd) == WS_METHOD_MEMD;
}

/* Rows that the plan of noise has: channels that are decomposed together, or signals. */
static size_t
rows_of(const wsi_hht_plan *plan)
{
	if (joint(plan))
		return plan->base.shape.channels;
	const size_t rows = MOST_NUMBERS / (plan->hht.n * plan->modes);
	const size_t n = rows < TOGETHER ? rows : TOGETHER;
	const size_t all = (size_t)plan->o.noise_signals;
	return n < 1 ? 1 : n < all ? n : all;
}

/* Points of a period of the noise that is made by a Fourier transform: two signals or more. */
static size_t
circle(size_t n)
{
	size_t points = 2;
	while (points < 2 * n)
		points *= 2;
	return points;
}

ws_status
wsi_hht_noise_resolve(wsi_hht_plan *plan, const ws_emd_opts *asked)
{
	if (!plan->o.noise_signals)
		return WS_OK;
	const wsi_ops *ops = wsi_ops_find(plan->base.isa, WS_F64);
	ws_shape shape = plan->base.shape;
	ws_emd_opts opts = *asked;
	if (shape.samples < WSI_BACKGROUND_LEAST)
		return WSI_FAIL(WS_E_ARG, "`noise_signals`: a spectrum of noise needs %d samples "
		                "or more, not %zu", WSI_BACKGROUND_LEAST, shape.samples);
	plan->modes = (size_t)wsi_emd_plan_of(plan->emd)->params.o.modes;
	shape.channels = rows_of(plan);
	if (!joint(plan))
		shape.recording_channels = 0;
	shape.type = WS_F64;
	opts.modes = (int)plan->modes;
	WSI_TRY(wsi_plan_within(&plan->noise, &plan->base, wsi_hht_decomposition(&plan->o), &shape,
	                        &opts));
	WSI_TRY(wsi_dft_create(&plan->spectra, ops, shape.samples));
	WSI_TRY(wsi_dft_create(&plan->colours, ops, circle(shape.samples)));
	WSI_TRY(wsi_dft_add_inverse(&plan->colours));
	const double signals = (double)plan->o.noise_signals * (double)plan->base.shape.channels;
	plan->base.seconds += signals * (plan->noise->seconds / (double)shape.channels +
	                                 SECONDS_AN_ORDINATE * 0.5 * (double)shape.samples /
	                                 plan->base.threads);
	return WS_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void
wsi_hht_noise_lay_out(wsi_hht_work *w, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t signals = (size_t)plan->o.noise_signals, channels = plan->base.shape.channels;
	if (!plan->noise)
		return;
	w->noise.null = wsi_arena_take(arena, channels * sizeof *w->noise.null);
	for (size_t c = 0; c < channels; ++c) {
		double *largest = wsi_arena_take(arena, signals * sizeof *largest);
		size_t *first = wsi_arena_take(arena, (plan->modes + 1) * sizeof *first);
		wsi_hht_sides *sides = wsi_arena_take(arena, plan->modes * sizeof *sides);
		wsi_hht_point *points = wsi_arena_take(arena, signals * plan->modes *
		                                       sizeof *points);
		/* What is there stays: this is laid out several times. */
		if (arena->base) {
			w->noise.null[c].points = points;
			w->noise.null[c].largest = largest;
			w->noise.null[c].first = first;
			w->noise.null[c].sides = sides;
			w->noise.null[c].modes = plan->modes;
		}
	}
}

typedef struct colours {
	double *row;            /* [n] */
	double *re, *im;        /* [circle] */
	double *by;             /* [circle / 2 + 1] what noise of a spectrum is multiplied by; .. */
	const wsi_background *of; /* .. and which that is, or NULL: many signals have the same */
	char *rest;             /* of either transform, and of a fit */
} colours;

typedef struct room {
	wsi_ordinates ordinates;
	double *x, *modes, *residue;
	int32_t *count;
	wsi_worker *workers;    /* [thread] */
	colours *colours;       /* [thread] */
	char *decomposition;
} room;

/* Signals, and what is at work of them. */
typedef struct surrogates {
	wsi_hht_work *w;
	room r;
	size_t channel, first;  /* of row 0 */
	size_t n;               /* rows */
} surrogates;

static void
take_room(room *r, const wsi_hht_plan *plan, wsi_arena *arena)
{
	const size_t rows = rows_of(plan), row = plan->hht.n * sizeof(double);
	const size_t threads = (size_t)plan->base.threads, points = plan->colours.n;
	wsi_ordinates_make(&r->ordinates, &plan->spectra, plan->hht.n, arena);
	r->x = wsi_arena_take(arena, rows * row);
	r->modes = wsi_arena_take(arena, rows * plan->modes * row);
	r->residue = wsi_arena_take(arena, rows * row);
	r->count = wsi_arena_take(arena, rows * sizeof(int32_t));
	r->workers = wsi_arena_take(arena, threads * sizeof *r->workers);
	r->colours = wsi_arena_take(arena, threads * sizeof *r->colours);
	size_t rest = wsi_dft_scratch(&plan->colours);
	if (wsi_background_scratch(&r->ordinates) > rest)
		rest = wsi_background_scratch(&r->ordinates);
	for (size_t i = 0; i < threads; ++i) {
		const colours c = { wsi_arena_take(arena, row),
			wsi_arena_take(arena, points * sizeof(double)),
			wsi_arena_take(arena, points * sizeof(double)),
			wsi_arena_take(arena, (points / 2 + 1) * sizeof(double)), NULL,
			wsi_arena_take(arena, rest) };
		if (arena->base)
			r->colours[i] = c;
	}
	r->decomposition = wsi_arena_take(arena, plan->noise->workspace);
}

size_t
wsi_hht_noise_bytes(const wsi_hht_plan *plan)
{
	wsi_arena arena = { 0 };
	room r = { .x = NULL };
	if (plan->noise)
		take_room(&r, plan, &arena);
	return arena.used;
}

/* ---- The channels' own noise ----------------------------------------------------------------- */

static unsigned
models_of(const wsi_hht_plan *plan)
{
	switch (plan->o.significance) {
	case WS_HHT_WHITE: return 1u << WS_BACKGROUND_WHITE;
	case WS_HHT_AR1: return 1u << WS_BACKGROUND_AR1 | 1u << WSI_BACKGROUND_WALK;
	case WS_HHT_POWER_LAW: return 1u << WS_BACKGROUND_POWER_LAW;
	case WS_HHT_BEND: return 1u << WS_BACKGROUND_BEND;
	default: return ~0u;
	}
}

/* Fits the noise of a channel, a power of two larger or smaller, which changes no digit. */
static void
fit_channel(void *arg, size_t c, int rank)
{
	surrogates *s = arg;
	wsi_hht_work *w = s->w;
	const size_t n = w->plan->hht.n;
	const ws_type type = w->plan->base.shape.type;
	double *x = s->r.colours[rank].row;
	const char *from = w->io->x + c * w->io->x_stride;
	wsi_hht_null *null = &w->noise.null[c];
	double loss[WSI_BACKGROUNDS] = { 0 }, peak = 0.0;
	for (size_t t = 0; t < n; ++t) {
		const double size = fabs(wsi_real_at(from, type, t));
		/* Not fmax: of floats taken as doubles gcc 12 for aarch64 fails at -O3. */
		if (size > peak)
			peak = size;
	}
	null->exponent = 0;
	null->best = WS_BACKGROUND_NONE;
	if (!(peak > 0.0) || !isfinite(peak))
		return;
	frexp(peak, &null->exponent);
	for (size_t t = 0; t < n; ++t)
		x[t] = ldexp(wsi_real_at(from, type, t), -null->exponent);
	wsi_background_fit(&s->r.ordinates, x, models_of(w->plan), null->of, loss,
	                   s->r.colours[rank].rest);
	null->best = wsi_background_weigh(&s->r.ordinates, null->of, loss, null->share);
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* Of AR(1) noise n samples, the first with the spread of all. */
static void
make_ar1(const wsi_background *b, uint64_t seed, uint32_t stream, uint32_t i, size_t n, double *x)
{
	const double lag1 = wsi_background_slope(b);
	/* A walk begins anywhere, so at 0. */
	const double wide = lag1 < 1.0 ? 1.0 / sqrt((1.0 - lag1) * (1.0 + lag1)) : 0.0;
	const double spread = portable_exp(0.5 * b->level) * sqrt(0.5);
	double last = 0.0;
	for (size_t t = 0; t < n; t += 2) {
		double z[2];
		gaussian_pair(seed, stream, i, t / 2, z);
		last = t ? lag1 * last + spread * z[0]
		         : spread * z[0] * wide;
		x[t] = last;
		if (t + 1 < n)
			x[t + 1] = last = lag1 * last + spread * z[1];
	}
}

/* Of noise of any spectrum n samples, of a circle of two times as many or more. */
static void
make_coloured(const wsi_dft *dft, const wsi_background *b, uint64_t seed, uint32_t stream,
              uint32_t i, size_t n, colours *c, double *x)
{
	const double points = (double)dft->n;
	for (size_t k = 1; c->of != b && k <= dft->n / 2; ++k)
		c->by[k] = portable_exp(0.5 * wsi_background_at(b, (double)k / points)) /
		           sqrt(points);
	c->of = b;
	memset(c->re, 0, dft->n * sizeof *c->re);
	memset(c->im, 0, dft->n * sizeof *c->im);
	for (size_t k = 1; k <= dft->n / 2; ++k) {
		double z[2];
		gaussian_pair(seed, stream, i, k, z);
		c->re[k] = z[0] * c->by[k];
		c->im[k] = z[1] * c->by[k];
	}
	wsi_dft_inverse(dft, c->re, c->im, c->re, c->im, c->rest);
	memcpy(x, c->re, n * sizeof *x);
}

/* The spectrum of signal i: of a model by how likely that is. */
static const wsi_background *
draw_spectrum(const wsi_hht_null *null, uint64_t seed, uint32_t stream, uint32_t i)
{
	uint64_t bits[2];
	gaussian_bits(seed, stream, i, OF_SPECTRUM, bits);
	double at = (double)(int64_t)bits[0] * 0x1p-53;
	for (ws_background m = WS_BACKGROUND_WHITE; m < WSI_BACKGROUNDS; ++m) {
		if (at < null->share[m])
			return &null->of[m];
		at -= null->share[m];
	}
	return &null->of[null->best];
}

/* The channel and the number of a row. */
static size_t
place(const surrogates *s, size_t row, size_t *signal)
{
	const bool together = joint(s->w->plan);
	*signal = s->first + (together ? 0 : row);
	return together ? row : s->channel;
}

static void
make_signal(void *arg, size_t row, int rank)
{
	surrogates *s = arg;
	const wsi_hht_plan *plan = s->w->plan;
	const size_t n = plan->hht.n;
	size_t i;
	const size_t c = place(s, row, &i);
	const wsi_hht_null *null = &s->w->noise.null[c];
	const uint32_t stream = STREAM + (joint(plan) ? (uint32_t)row : 0);
	double *x = s->r.x + row * n;
	if (!null->best) {
		memset(x, 0, n * sizeof *x);
		return;
	}
	const uint64_t seed = plan->o.emd.seed;
	const wsi_background *b = draw_spectrum(null, seed, stream, (uint32_t)i);
	if (b->model == WS_BACKGROUND_POWER_LAW || b->model == WS_BACKGROUND_BEND)
		make_coloured(&plan->colours, b, seed, stream, (uint32_t)i, n,
		              &s->r.colours[rank], x);
	else
		make_ar1(b, seed, stream, (uint32_t)i, n, x);
}

static ws_status
decompose(const surrogates *s)
{
	const room *r = &s->r;
	return wsi_hht_decompose_aside(s->w, s->w->plan->noise, r->x, r->modes, r->residue,
	                               r->count, r->decomposition);
}

/* ---- What is kept of them -------------------------------------------------------------------- */

static void
measure_signal(void *arg, size_t row, int rank)
{
	surrogates *s = arg;
	const wsi_hht_plan *plan = s->w->plan;
	const size_t n = plan->hht.n;
	size_t i;
	wsi_hht_null *null = &s->w->noise.null[place(s, row, &i)];
	if (i >= (size_t)plan->o.noise_signals || !null->best)
		return;
	const wsi_background b = wsi_background_refit(
		&s->r.ordinates, s->r.x + row * n, &null->of[null->best],
		s->r.colours[rank].rest);
	for (size_t k = 0; k < plan->modes; ++k) {
		wsi_hht_point *p = &null->points[i * plan->modes + k];
		wsi_hht_facts f = { .maxima = 0 };
		*p = (wsi_hht_point){ .signal = (int32_t)i,
			.mode = WSI_HHT_NO_MODE };
		if (k >= (size_t)s->r.count[row] || !b.model)
			continue;
		f.squares = plan->hht.ops->facts(s->r.modes + (row * plan->modes + k) * n,
		                                 n, &f.maxima);
		if (!f.maxima || !(f.squares > 0.0))
			continue;
		const double period = (double)n / (double)f.maxima;
		p->mode = (int32_t)k;
		p->at = portable_log(period);
		p->value = wsi_background_excess(&b, f.squares / (double)n, period);
	}
}

static void
share(surrogates *s, wsi_pool_item *one, size_t n)
{
	wsi_pool pool;
	wsi_pool_start(&pool, s->w->plan->base.threads, s->r.workers, s->w->progress);
	wsi_pool_items(&pool, n, one, s);
	wsi_pool_stop(&pool);
}

/* Signals from number s->first on. */
static ws_status
some_signals(surrogates *s)
{
	share(s, make_signal, s->n);
	if (!wsi_cancelled(s->w->progress))
		WSI_TRY(decompose(s));
	if (!wsi_cancelled(s->w->progress))
		share(s, measure_signal, s->n);
	return WS_OK;
}

static void
sort_levels(void *arg, size_t c, int rank)
{
	const wsi_hht_work *w = ((surrogates *)arg)->w;
	/* Half a maximum more tells one number of them from the next. */
	w->noise.null[c].longest = portable_log((double)w->plan->hht.n / (LEAST_PERIODS - 0.5));
	wsi_hht_levels_make(&w->noise.null[c], (size_t)w->plan->o.noise_signals, w->progress, rank);
}

ws_status
wsi_hht_noise_run(wsi_hht_work *w, void *workspace)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t signals = (size_t)plan->o.noise_signals, channels = plan->base.shape.channels;
	wsi_arena arena = { .base = workspace };
	surrogates s = { .w = w, .n = rows_of(plan) };
	if (w->io->noise)
		return WSI_FAIL(WS_E_UNSUPPORTED, "signals of noise are decomposed with noise of "
		                "their own: leave `noise_file` or `noise_signals` out");
	take_room(&s.r, plan, &arena);
	share(&s, fit_channel, channels);
	const size_t each = joint(plan) ? 1 : s.n;
	for (size_t c = 0; c < (joint(plan) ? 1 : channels); ++c) {
		s.channel = c;
		for (s.first = 0; s.first < signals && !wsi_cancelled(w->progress); s.first += each)
			if (joint(plan) || w->noise.null[c].best)
				WSI_TRY(some_signals(&s));
	}
	if (!wsi_cancelled(w->progress))
		share(&s, sort_levels, channels);
	return WS_OK;
}
