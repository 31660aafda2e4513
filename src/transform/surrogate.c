/* surrogate.c - signals of noise in the place of a channel's: phases at random, red noise, epochs
 * in another order. */
#include "transform/surrogate.h"

#include <math.h>

#include "base/element.h"
#include "math/gaussian.h"

typedef struct parts {
	double *re, *im;        /* for the transform forward */
	double *full_re, *full_im; /* [samples] for the one back */
	void *rest;
} parts;

static parts
lay_out(const wsi_surrogates *s, size_t samples, wsi_arena *arena)
{
	parts p = { 0 };
	if (s->noise != WS_SIGNIFICANCE_PHASE)
		return p;
	const size_t numbers = wsi_dft_forward_numbers(&s->dft);
	const size_t forward = wsi_dft_forward_scratch(&s->dft), back = wsi_dft_scratch(&s->dft);
	const size_t each = (numbers > samples ? numbers : samples) + 1;
	p.re = wsi_arena_take(arena, each * sizeof(double));
	p.im = wsi_arena_take(arena, each * sizeof(double));
	p.full_re = wsi_arena_take(arena, samples * sizeof(double));
	p.full_im = wsi_arena_take(arena, samples * sizeof(double));
	p.rest = wsi_arena_take(arena, forward > back ? forward : back);
	return p;
}

size_t
wsi_surrogate_scratch(const wsi_surrogates *s, size_t samples)
{
	wsi_arena arena = { 0 };
	lay_out(s, samples, &arena);
	return arena.used;
}

/* Streams of noise of different channels: beside those that ensembles use, whose seeds are others'
 * anyway. */
static uint32_t
stream_of(size_t channel)
{
	return (uint32_t)channel;
}

static void
draw_phases(const wsi_surrogates *s, const void *x, size_t n, size_t channel, size_t number,
            void *out, void *scratch)
{
	wsi_arena arena = { .base = scratch };
	const parts p = lay_out(s, n, &arena);
	for (size_t t = 0; t < n; ++t)
		wsi_dft_put(&s->dft, t, wsi_real_at(x, s->type, t), p.re, p.im);
	wsi_dft_forward(&s->dft, p.re, p.im, p.rest);
	for (size_t k = 0; k <= n / 2; ++k) {
		double c = 1.0, sine = 0.0;
		uint64_t bits[2];
		/* The mean stays, and so does half the sampling rate, which has no phase. */
		if (k > 0 && 2 * k != n) {
			gaussian_bits(s->seed, stream_of(channel), (uint32_t)number, k, bits);
			gaussian_turn((double)bits[0] * 0x1p-53, &c, &sine);
		}
		p.full_re[k] = p.re[k] * c - p.im[k] * sine;
		p.full_im[k] = p.re[k] * sine + p.im[k] * c;
		if (k == 0 || 2 * k == n)
			continue;
		p.full_re[n - k] = p.full_re[k];
		p.full_im[n - k] = -p.full_im[k];
	}
	wsi_dft_inverse(&s->dft, p.full_re, p.full_im, p.full_re, p.full_im, p.rest);
	for (size_t t = 0; t < n; ++t)
		wsi_real_put(out, s->type, t, p.full_re[t] / (double)n);
}

static void
draw_ar1(const wsi_surrogates *s, const void *x, size_t n, size_t channel, size_t number, void *out)
{
	double mean = 0.0, power = 0.0, product = 0.0, last = 0.0, z[2] = { 0.0 };
	for (size_t t = 0; t < n; ++t)
		mean += wsi_real_at(x, s->type, t) / (double)n;
	for (size_t t = 0; t < n; ++t) {
		const double v = wsi_real_at(x, s->type, t) - mean;
		power += v * v;
		product += v * last;
		last = v;
	}
	double lag1 = power > 0.0 ? product / power : 0.0;
	lag1 = fmax(-0.999999, fmin(0.999999, lag1));
	const double deviation = sqrt(power / (double)n), innovation = sqrt(1.0 - lag1 * lag1);
	double value = 0.0;
	for (size_t t = 0; t < n; ++t) {
		if (t % 2 == 0)
			gaussian_pair(s->seed, stream_of(channel), (uint32_t)number, t / 2, z);
		value = t == 0 ? z[0] : lag1 * value + innovation * z[t % 2];
		wsi_real_put(out, s->type, t, mean + deviation * value);
	}
}

void
wsi_surrogate_make(const wsi_surrogates *s, const void *x, size_t samples, size_t channel,
                   size_t number, void *out, void *scratch)
{
	if (s->noise == WS_SIGNIFICANCE_PHASE)
		draw_phases(s, x, samples, channel, number, out, scratch);
	else
		draw_ar1(s, x, samples, channel, number, out);
}

/* Fisher & Yates: place k is changed for one of the first k + 1. */
void
wsi_surrogate_order(const wsi_surrogates *s, size_t channel, size_t number, size_t epochs,
                    size_t *order)
{
	for (size_t k = 0; k < epochs; ++k) {
		uint64_t bits[2];
		gaussian_bits(s->seed, stream_of(channel), (uint32_t)number, k, bits);
		const size_t at = number ? (size_t)(bits[0] % (k + 1)) : k;
		order[k] = order[at];
		order[at] = k;
	}
}
