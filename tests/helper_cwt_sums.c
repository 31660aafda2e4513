/* helper_cwt_sums.c - see cwt_sums.h. */
#include "cwt_sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"

#define PI_L 3.14159265358979323846264338327950288L

static long double
formula(const known *v, long double w)
{
	const long double a = v->a, b = v->b;
	switch (v->kind) {
	case WS_WAVELET_MORLET:
		return w > 0.0L ? expl(-0.5L * (w - a) * (w - a)) : 0.0L;
	case WS_WAVELET_MORLET_FULL:
		return expl(-0.5L * (w - a) * (w - a));
	case WS_WAVELET_MORLET_ZERO_MEAN:
		return expl(-0.5L * (w - a) * (w - a)) - expl(-0.5L * (a * a + w * w));
	case WS_WAVELET_MORSE:
		return w > 0.0L ? expl(a * logl(w) - powl(w, b)) : 0.0L;
	case WS_WAVELET_PAUL:
		return w > 0.0L ? expl(a * logl(w) - w) : 0.0L;
	case WS_WAVELET_DOG:
		return powl(w, a) * expl(-0.5L * w * w);
	default:
		return fabsl(w - a) < b ? expl(1.0L - 1.0L / (1.0L - (w - a) * (w - a) / (b * b)))
			: 0.0L;
	}
}

known
known_wavelet(ws_wavelet kind, double a_given, double b_given)
{
	known v = { kind, a_given, b_given, 0.0L, 0.0L };
	const long double a = v.a;
	v.peak = a;
	if (v.kind == WS_WAVELET_MORSE)
		v.peak = powl(a / v.b, 1.0L / v.b);
	else if (v.kind == WS_WAVELET_DOG)
		v.peak = sqrtl(a);
	for (int i = 0; v.kind == WS_WAVELET_MORLET_ZERO_MEAN && i < 300; ++i)
		v.peak = 0.5L * (v.peak + a / (1.0L - expl(-a * v.peak)));
	v.most = formula(&v, v.peak);
	return v;
}

static bool
two_sided(const known *v)
{
	return v->kind == WS_WAVELET_MORLET_FULL || v->kind == WS_WAVELET_MORLET_ZERO_MEAN ||
		v->kind == WS_WAVELET_DOG;
}

/* conj(psi^) of a wavelet of peak frequency f cycles a sample, at w radians a sample. */
static long double complex
response(const known *v, long double f, long double w)
{
	const long double complex turn[4] = { 1.0L, I, -1.0L, -I };
	const int m = (int)v->a % 4;
	const long double size = formula(v, v->peak * w / (2.0L * PI_L * f)) / v->most;
	/* -i^m, conjugate */
	return v->kind == WS_WAVELET_DOG ? -conjl(turn[m]) * size : 2.0L * size;
}

/* The rule of 10 points. */
static const long double place[5] = { 0.1488743389816312108848L, 0.4333953941292471907993L,
	0.6794095682990244062343L, 0.8650633666889845107321L, 0.9739065285171717200780L };
static const long double weight[5] = { 0.2955242247147528701739L, 0.2692667193099963550913L,
	0.2190863625159820439955L, 0.1494513491505805931458L, 0.0666713443086881375936L };

/* psi(j), lags 0 .. n - 1 and their negatives: h[n - 1 + j]. */
static long double complex *
wavelet_in_time(const known *v, double f, size_t n)
{
	long double complex *h = need((2 * n - 1) * sizeof *h);
	memset(h, 0, (2 * n - 1) * sizeof *h);
	/* w by that of the formula */
	const long double unit = 2.0L * PI_L * (long double)f / v->peak;
	/* Shapes end at 1e-25 of their peak. */
	long double low = 0.0L, high = v->peak;
	while (high < 2.0L * PI_L / unit && fabsl(formula(v, high)) > 1e-25L * v->most)
		high *= 1.02L;
	if (v->kind == WS_WAVELET_BUMP) {
		low = v->a - v->b;
		high = v->a + v->b;
	} else if (v->kind <= WS_WAVELET_MORLET_ZERO_MEAN) {
		low = v->a - 11.0L;
		high = v->a + 11.0L;
	} else if (v->kind == WS_WAVELET_DOG) {
		low = -high;
	}
	low = fmaxl(low * unit, two_sided(v) ? -PI_L : 0.0L);
	high = fminl(high * unit, PI_L);
	/* Pieces of the band; the first by halves, down to 0, where powers may have no
	 * derivative. */
	const int panels = 96 + (int)n, halves = 60;
	const long double each = (high - low) / panels;
	for (int p = 1 - halves; p < panels; ++p)
		for (int i = 0; i < 10; ++i) {
			const long double half = 0.5L * (p > 0 ? each : ldexpl(each, p - 1));
			const long double from = low + (p > 0 ? each * p : 2.0L * half);
			const long double w = from + half * (1.0L + (i < 5 ? -place[i]
			                                             : place[i - 5]));
			const long double complex value = response(v, f, w) * half * weight[i % 5] /
				(2.0L * PI_L);
			/* Lags above 0, by a rotation; the others are its way back. */
			const long double c = cosl(w), s = sinl(w);
			const long double x = creall(value), y = cimagl(value);
			long double a = 1.0L, b = 0.0L;
			for (size_t j = 0; j < n; ++j) {
				h[n - 1 + j] += x * a - y * b + I * (x * b + y * a);
				if (j)
					h[n - 1 - j] += x * a + y * b + I * (y * a - x * b);
				const long double next = a * c - b * s;
				b = a * s + b * c;
				a = next;
			}
		}
	return h;
}

void
between_zeros(const known *v, double f, const double *x, size_t n, size_t every,
              double complex *out)
{
	long double complex *h = wavelet_in_time(v, f, n);
	for (size_t t = 0; t < n; t += every) {
		long double complex sum = 0.0L;
		for (size_t u = 0; u < n; ++u)
			sum += (long double)x[u] * h[n - 1 + t - u];
		out[t / every] = (double complex)sum;
	}
	free(h);
}

/* X[q] of the period, times the response, back. */
void
between_mirrors(const known *v, double f, const double *x, size_t n, size_t every,
                double complex *out)
{
	const size_t period = n > 1 ? 2 * n - 2 : 1;
	long double complex *turn = need(period * sizeof *turn), *sum = need(n * sizeof *sum);
	memset(sum, 0, n * sizeof *sum);
	for (size_t t = 0; t < period; ++t)
		turn[t] = cexpl(2.0L * PI_L * I * (long double)t / (long double)period);
	for (size_t q = 0; 2 * q <= period; ++q) {
		const long double w = 2.0L * PI_L * (long double)q / (long double)period;
		const long double share = (q == 0 || 2 * q == period ? 0.5L : 1.0L) /
			(long double)period;
		const long double complex there = share * response(v, f, w);
		const long double complex back = two_sided(v) ? share * response(v, f, -w) : 0.0L;
		long double bin = 0.0L;
		for (size_t t = 0; t < period; ++t)
			bin += (long double)x[t < n ? t : period - t] *
				creall(turn[q * t % period]);
		for (size_t t = 0; t < n; t += every) {
			const long double complex at = turn[q * t % period];
			sum[t] += bin * (there * at + back * conjl(at));
		}
	}
	for (size_t t = 0; t < n; t += every)
		out[t / every] = (double complex)sum[t];
	free(turn);
	free(sum);
}
