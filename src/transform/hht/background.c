/* background.c - fits the spectrum of noise to a periodogram. */
#include "transform/hht/background.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rising.h"
#include "math/logarithm.h"

/* An ordinate counts as at most so many times the spectrum; 5 % of noise's are larger. */
#define CLIP 3.0
/* Mean of an ordinate, so clipped: 1 - e^-CLIP. */
#define CLIPPED_MEAN 0.950212931632136
/* Of a Hann window neighbouring ordinates are correlated: variance of their mean over that of as
 * many independent ones : n sum w^4 / (sum w^2)^2. */
#define HANN_VARIANCE 1.9444444444444444
/* Ordinates of the lowest octaves, and of each further one, that are kept. */
#define ORDINATES_AN_OCTAVE 2048

#define STEPS 40
#define PARAMETERS 4
/* Limits of parameters: a lag-1 autocorrelation 4e-9 below 1, exponents below a bend, and what a
 * bend adds to them or takes. */
#define MOST_SHAPE 10.0
#define MOST_EXPONENT 4.0
#define LEAST_BELOW (-3.0)
#define MOST_STEEPER 8.0
#define EULER 0.5772156649015329
#define LN2 0.6931471805599453

/* ---- Ordinates ------------------------------------------------------------------------------- */

/* sin^2(pi f), 0 <= f <= 1/2. */
static double
squared_sine(double f)
{
	double c, s;
	gaussian_turn(f, &c, &s);
	return 0.5 * (1.0 - c);
}

/* Numbers of the ordinates that are kept, and their weights; NULL: counts them. */
static size_t
choose_ordinates(size_t all, double *number, double *weight)
{
	size_t count = 0, step = 1, next = 2 * ORDINATES_AN_OCTAVE;
	for (size_t j = 1; j <= all; j += step) {
		if (j >= next) {
			step *= 2;
			next *= 2;
		}
		if (number) {
			number[count] = (double)(j + step / 2 <= all ? j + step / 2 : all);
			weight[count] = (double)step;
		}
		++count;
	}
	return count;
}

void
wsi_ordinates_make(wsi_ordinates *o, const wsi_dft *dft, size_t n, wsi_arena *arena)
{
	const size_t all = (n - 1) / 2;
	o->dft = dft;
	o->n = n;
	o->count = choose_ordinates(all, NULL, NULL);
	double **const tables[] = { &o->number, &o->weight, &o->log_f, &o->chord };
	o->window = wsi_arena_take(arena, n * sizeof(double));
	for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
		*tables[i] = wsi_arena_take(arena, o->count * sizeof(double));
	if (!arena->base)
		return;
	double sum = 0.0, squares = 0.0;
	choose_ordinates(all, o->number, o->weight);
	for (size_t t = 0; t < n; ++t)
		o->window[t] = squared_sine(((double)t + 0.5) / (double)n);
	for (size_t j = 0; j < o->count; ++j) {
		const double f = o->number[j] / (double)n;
		o->log_f[j] = portable_log(f);
		o->chord[j] = 4.0 * squared_sine(f);
		sum += o->weight[j];
		squares += o->weight[j] * o->weight[j];
	}
	/* Neighbours that are left out between two take no correlation with them. */
	o->information = sum / squares / HANN_VARIANCE;
}

typedef struct room {
	double *re, *im, *power, *sorted;
	void *rest;
} room;

static room
take_room(const wsi_ordinates *o, wsi_arena *arena)
{
	const size_t numbers = wsi_dft_forward_numbers(o->dft) * sizeof(double);
	return (room){ wsi_arena_take(arena, numbers), wsi_arena_take(arena, numbers),
		       wsi_arena_take(arena, o->count * sizeof(double)),
		       wsi_arena_take(arena, o->count * sizeof(double)),
		       wsi_arena_take(arena, wsi_dft_forward_scratch(o->dft)) };
}

size_t
wsi_background_scratch(const wsi_ordinates *o)
{
	wsi_arena arena = { 0 };
	take_room(o, &arena);
	return arena.used;
}

/* Ordinates of x, one-sided. */
static void
periodogram(const wsi_ordinates *o, const double *x, const room *r)
{
	double sum = 0.0, weights = 0.0, squares = 0.0;
	for (size_t t = 0; t < o->n; ++t) {
		sum += o->window[t] * (x[t] - x[0]);
		weights += o->window[t];
		squares += o->window[t] * o->window[t];
	}
	const double mean = sum / weights, by = sqrt(2.0 / squares);
	for (size_t t = 0; t < o->n; ++t)
		wsi_dft_put(o->dft, t, o->window[t] * (x[t] - x[0] - mean) * by, r->re, r->im);
	wsi_dft_forward(o->dft, r->re, r->im, r->rest);
	for (size_t j = 0; j < o->count; ++j) {
		const size_t k = (size_t)o->number[j];
		r->power[j] = r->re[k] * r->re[k] + r->im[k] * r->im[k];
	}
}

/* ---- Models ---------------------------------------------------------------------------------- */

static double
lag1_of(double shape)
{
	return 1.0 - 2.0 / (portable_exp(2.0 * shape) + 1.0);
}

double
wsi_background_at(const wsi_background *b, double f)
{
	if (b->model == WS_BACKGROUND_AR1) {
		const double r = lag1_of(b->shape);
		return b->level - portable_log((1.0 - r) * (1.0 - r) + r * 4.0 * squared_sine(f));
	}
	if (b->model == WSI_BACKGROUND_WALK)
		return b->level - portable_log(4.0 * squared_sine(f));
	if (b->model == WS_BACKGROUND_POWER_LAW)
		return portable_log(portable_exp(b->level - b->shape * portable_log(f)) +
		                    portable_exp(b->floor));
	if (b->model == WS_BACKGROUND_BEND)
		return b->level - b->shape * portable_log(f) - 0.5 * b->steeper *
		       portable_log(1.0 + f * f * portable_exp(-2.0 * b->bend));
	return b->level;
}

double
wsi_background_excess(const wsi_background *b, double energy, double period)
{
	return portable_log(energy) - wsi_background_at(b, 1.0 / period) + portable_log(period);
}

double
wsi_background_slope(const wsi_background *b)
{
	return b->model == WS_BACKGROUND_AR1 ? lag1_of(b->shape)
	       : b->model == WSI_BACKGROUND_WALK ? 1.0
	       : b->model == WS_BACKGROUND_POWER_LAW ? b->shape
	       : b->model == WS_BACKGROUND_BEND ? b->shape + b->steeper : 0.0;
}

static int
parameters(ws_background model)
{
	return model == WS_BACKGROUND_BEND ? PARAMETERS : model == WS_BACKGROUND_POWER_LAW ? 3
	       : model == WS_BACKGROUND_AR1 ? 2 : 1;
}

/* The loss of a fit, and what a step of Fisher's scoring needs. */
typedef struct slopes {
	double loss, gradient[PARAMETERS], information[PARAMETERS][PARAMETERS];
} slopes;

/* Of a spectrum: e^level, lag1, e^floor, e^(-2 bend). */
typedef struct constants {
	double level, lag1, floor, bend;
} constants;

/* The density at ordinate j, and the derivatives of its logarithm by the parameters. */
static double
density(const wsi_ordinates *o, const wsi_background *b, const constants *v, size_t j,
        double by[PARAMETERS])
{
	by[0] = 1.0;
	if (b->model == WS_BACKGROUND_AR1) {
		const double r = v->lag1, d = (1.0 - r) * (1.0 - r) + r * o->chord[j];
		by[1] = (2.0 * (1.0 - r) - o->chord[j]) / d * (1.0 - r * r);
		return v->level / d;
	}
	if (b->model == WSI_BACKGROUND_WALK)
		return v->level / o->chord[j];
	if (b->model == WS_BACKGROUND_POWER_LAW) {
		const double power = v->level * portable_exp(-b->shape * o->log_f[j]);
		const double all = power + v->floor;
		by[0] = power / all;
		by[1] = -by[0] * o->log_f[j];
		by[2] = 1.0 - by[0];
		return all;
	}
	if (b->model == WS_BACKGROUND_BEND) {
		const double square = v->bend * portable_exp(2.0 * o->log_f[j]);
		by[1] = -o->log_f[j];
		by[2] = -0.5 * portable_log(1.0 + square);
		by[3] = b->steeper * square / (1.0 + square);
		return v->level * portable_exp(b->shape * by[1] + b->steeper * by[2]);
	}
	return v->level;
}

/* Densities whose logarithms are added as that of their product. */
#define FACTORS 4

static void
look(const wsi_ordinates *o, const double *power, const wsi_background *b, slopes *s)
{
	const int n = parameters(b->model);
	const constants v = { portable_exp(b->level), lag1_of(b->shape), portable_exp(b->floor),
		portable_exp(-2.0 * b->bend) };
	const double per = 1.0 / v.level;
	double product = 1.0, logs = 0.0, weights = 0.0;
	memset(s, 0, sizeof *s);
	for (size_t j = 0; j < o->count; ++j) {
		double by[PARAMETERS];
		const double w = o->weight[j], all = density(o, b, &v, j, by);
		const double u = power[j] / all, clipped = u < CLIP ? u : CLIP;
		product *= all * per;
		weights += w;
		if (j % FACTORS == FACTORS - 1 || j + 1 == o->count || o->weight[j + 1] != w) {
			logs += w * portable_log(product);
			product = 1.0;
		}
		s->loss += w * (u < CLIP ? u : CLIP * (1.0 + portable_log(u / CLIP)));
		for (int i = 0; i < n; ++i) {
			s->gradient[i] += w * (clipped - CLIPPED_MEAN) * by[i];
			for (int k = 0; k <= i; ++k)
				s->information[i][k] += w * CLIPPED_MEAN * by[i] * by[k];
		}
	}
	s->loss += CLIPPED_MEAN * (logs + weights * b->level);
}

/* Solves (information + damping of its diagonal) step = gradient, by Cholesky. */
static void
solve(const slopes *s, int n, double damping, double step[PARAMETERS])
{
	double l[PARAMETERS][PARAMETERS];
	for (int i = 0; i < n; ++i) {
		for (int k = 0; k <= i; ++k) {
			double v = s->information[i][k];
			if (i == k)
				v += damping * v + 1e-9 * s->information[0][0] + 1e-300;
			for (int m = 0; m < k; ++m)
				v -= l[i][m] * l[k][m];
			l[i][k] = i == k ? sqrt(v > 1e-300 ? v : 1e-300) : v / l[k][k];
		}
		double v = s->gradient[i];
		for (int m = 0; m < i; ++m)
			v -= l[i][m] * step[m];
		step[i] = v / l[i][i];
	}
	for (int i = n - 1; i >= 0; --i) {
		for (int m = i + 1; m < n; ++m)
			step[i] -= l[m][i] * step[m];
		step[i] /= l[i][i];
	}
}

static double
within(double v, double low, double high)
{
	return v < low ? low : v > high ? high : v;
}

/* ---- Fits ------------------------------------------------------------------------------------ */

/* The parameters of b moved by step, where the model has them. */
static wsi_background
move(const wsi_ordinates *o, const wsi_background *b, const double step[PARAMETERS])
{
	wsi_background next = *b;
	next.level += step[0];
	if (b->model == WS_BACKGROUND_AR1)
		next.shape = within(b->shape + step[1], -MOST_SHAPE, MOST_SHAPE);
	if (b->model == WS_BACKGROUND_POWER_LAW) {
		next.shape = within(b->shape + step[1], 0.0, MOST_EXPONENT);
		next.floor += step[2];
	}
	if (b->model == WS_BACKGROUND_BEND) {
		next.shape = within(b->shape + step[1], LEAST_BELOW, MOST_EXPONENT);
		next.steeper = within(b->steeper + step[2], -MOST_STEEPER, MOST_STEEPER);
		next.bend = within(b->bend + within(step[3], -1.0, 1.0), o->log_f[0],
		                   o->log_f[o->count - 1]);
	}
	return next;
}

/* Improves a fit, whose loss becomes *loss; level: ln of the power about which it lies. */
static void
improve(const wsi_ordinates *o, const double *power, double level, wsi_background *b, double *loss)
{
	slopes now, then;
	double damping = 1e-3;
	look(o, power, b, &now);
	for (int i = 0; i < STEPS && damping < 1e6; ++i) {
		double step[PARAMETERS] = { 0 };
		solve(&now, parameters(b->model), damping, step);
		wsi_background next = move(o, b, step);
		next.level = within(next.level, level - 40.0, level + 40.0);
		next.floor = within(next.floor, level - 25.0, level + 10.0);
		look(o, power, &next, &then);
		if (!(then.loss < now.loss)) {
			damping *= 5.0;
			continue;
		}
		const bool settled = now.loss - then.loss < 1e-5;
		*b = next;
		now = then;
		damping *= 0.2;
		if (settled)
			break;
	}
	*loss = now.loss;
}

/* The median of v[n] over that of an exponential variable; sorted: room for n. */
static double
middle(const double *v, size_t n, double *sorted)
{
	memcpy(sorted, v, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, wsi_rising);
	return sorted[n / 2] / LN2;
}

/* The power law through the logarithms of the first n ordinates (Vaughan 2005). */
static wsi_background
straight(const wsi_ordinates *o, const double *power, size_t n, double least, double floor)
{
	double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
	for (size_t j = 0; j < n; ++j) {
		x += o->log_f[j] / (double)n;
		y += (portable_log(power[j] + least) + EULER) / (double)n;
	}
	for (size_t j = 0; j < n; ++j) {
		xx += (o->log_f[j] - x) * (o->log_f[j] - x);
		xy += (o->log_f[j] - x) * (portable_log(power[j] + least) + EULER - y);
	}
	const double shape = within(-xy / xx, 0.1, 3.0);
	return (wsi_background){ .model = WS_BACKGROUND_POWER_LAW, .level = y + shape * x,
		.shape = shape, .floor = floor };
}

static int
ways(ws_background model)
{
	return model == WS_BACKGROUND_BEND ? 3 : parameters(model) == 1 ? 1 : 2;
}

/* Where a fit begins: the ways of a model differ. */
static wsi_background
begin(const wsi_ordinates *o, const room *r, ws_background model, int way, double level)
{
	if (model == WS_BACKGROUND_AR1) {
		const double lag1 = way ? 0.9 : 0.0;
		return (wsi_background){ .model = model, .shape = way ? 1.4722194895832204 : 0.0,
			.level = level + portable_log(1.0 - lag1 * lag1 + 1e-3) };
	}
	if (model == WS_BACKGROUND_POWER_LAW) {
		const size_t third = o->count / 3, few = o->count / 6 < 6 ? 6 : o->count / 6;
		const double high = portable_log(middle(r->power + 2 * third, third, r->sorted) +
		                                 portable_exp(level - 30.0));
		return straight(o, r->power, way ? few : o->count, portable_exp(level - 30.0),
		                way ? high - 0.5 : high - 3.0);
	}
	if (model == WS_BACKGROUND_BEND) {
		wsi_background b = straight(o, r->power, o->count, portable_exp(level - 30.0), 0.0);
		const double low = o->log_f[0], high = o->log_f[o->count - 1];
		b.model = model;
		b.bend = low + (high - low) * (way + 1) / (ways(model) + 1);
		return b;
	}
	return (wsi_background){ .model = model, .level = level };
}

/* ln of the power that the spectrum of x[n] lies about, whose periodogram is made; -HUGE_VAL: x is
 * constant. */
static double
find_level(const wsi_ordinates *o, const double *x, const room *r)
{
	double mean = 0.0;
	periodogram(o, x, r);
	for (size_t j = 0; j < o->count; ++j)
		mean += r->power[j] / (double)o->count;
	const double median = middle(r->power, o->count, r->sorted);
	/* A line without noise has all of its power in a few ordinates. */
	const double base = median > 1e-24 * mean ? median : 1e-24 * mean;
	return base > 0.0 ? portable_log(base) : -HUGE_VAL;
}

void
wsi_background_fit(const wsi_ordinates *o, const double *x, unsigned models,
                   wsi_background of[WSI_BACKGROUNDS], double loss[WSI_BACKGROUNDS], void *scratch)
{
	wsi_arena arena = { .base = scratch };
	const room r = take_room(o, &arena);
	const double level = find_level(o, x, &r);
	memset(of, 0, WSI_BACKGROUNDS * sizeof *of);
	for (ws_background m = WS_BACKGROUND_WHITE; level > -HUGE_VAL && m < WSI_BACKGROUNDS; ++m)
		for (int way = 0; models >> m & 1 && way < ways(m); ++way) {
			double l;
			wsi_background b = begin(o, &r, m, way, level);
			improve(o, r.power, level, &b, &l);
			if (way && !(l < loss[m]))
				continue;
			of[m] = b;
			loss[m] = l;
		}
}

wsi_background
wsi_background_refit(const wsi_ordinates *o, const double *x, const wsi_background *near,
                     void *scratch)
{
	wsi_arena arena = { .base = scratch };
	const room r = take_room(o, &arena);
	const double level = find_level(o, x, &r);
	wsi_background b = *near;
	double loss;
	if (level > -HUGE_VAL)
		improve(o, r.power, level, &b, &loss);
	else
		b.model = WS_BACKGROUND_NONE;
	return b;
}

ws_background
wsi_background_weigh(const wsi_ordinates *o, const wsi_background *of, const double *loss,
                     double share[WSI_BACKGROUNDS])
{
	ws_background best = WS_BACKGROUND_NONE;
	double all[WSI_BACKGROUNDS], sum = 0.0;
	for (ws_background m = WS_BACKGROUND_WHITE; m < WSI_BACKGROUNDS; ++m) {
		all[m] = o->information * loss[m] + parameters(m);
		if (of[m].model && (!best || all[m] < all[best]))
			best = m;
	}
	for (ws_background m = 0; m < WSI_BACKGROUNDS; ++m) {
		share[m] = m && of[m].model ? portable_exp(within(all[best] - all[m], -700.0, 0.0))
		                            : 0.0;
		sum += share[m];
	}
	for (ws_background m = 0; best && m < WSI_BACKGROUNDS; ++m)
		share[m] /= sum;
	return best;
}
