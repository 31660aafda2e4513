/*
 * test_cwt_padding_long.c - long signals between zeros and mirror images, by formulae of their own.
 *
 * The Morlet wavelet of omega0 6 is cut at 0, where it has e^-18 of its peak.  In time that is a
 * tail as 1 / j, which slow waves far away are heard by: of a random walk 1e-7 of a fast row.
 */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cwt_test.h"

#define PI_L 3.14159265358979323846264338327950288L
#define OMEGA0 6.0L

static const double frequencies[] = { 0.4, 0.21, 0.03, 0.004 };
enum { ROWS = sizeof frequencies / sizeof *frequencies };

/* Samples: e-folding unit of a row's wavelet. */
static long double
scale_of(double f)
{
	return OMEGA0 / (2.0L * PI_L * (long double)f);
}

/* ---- Between zeros: the direct sum ----------------------------------------------------------- */

/* Integral of e^{-v^2 / 2 - z v} over v > 0, Re z > 0: Mills' ratio, by its continued fraction. */
static long double complex
mills(long double complex z)
{
	long double complex sum = z;
	for (int k = cabsl(z) > 30.0L ? 12 : 120; k > 0; --k)
		sum = z + (long double)k / sum;
	return 1.0L / sum;
}

/* The wavelet of norm l1 at lag j: the whole Gaussian's, less what it has below 0 and beyond pi. */
static long double complex
wavelet_at(double f, long double j)
{
	const long double s = scale_of(f), u = j / s, end = PI_L * s;
	const long double complex whole = sqrtl(2.0L * PI_L) * expl(-0.5L * u * u) *
		cexpl(I * OMEGA0 * u);
	const long double complex below = expl(-0.5L * OMEGA0 * OMEGA0) * mills(OMEGA0 + I * u);
	const long double complex beyond = expl(-0.5L * (end - OMEGA0) * (end - OMEGA0)) *
		cexpl(I * PI_L * j) * mills(end - OMEGA0 - I * u);
	return (whole - below - beyond) / (PI_L * s);
}

static double
largest(const transform *r, size_t row, size_t n)
{
	double most = 0.0;
	for (size_t t = 0; t < n; ++t)
		most = fmax(most, cabs(coefficient(r, row, t)));
	return most;
}

static void
equals(const transform *r, size_t n, size_t row, size_t t, long double complex want, double most)
{
	const double error = (double)cabsl(coefficient(r, row, t) - want) / largest(r, row, n);
	const wsi_cwt_scale *scale = &r->cwt->scale[row];
	if (!(error <= most))
		fail_msg("%zu samples, padding %d, %g a sample, output %zu: %g of the row's largest "
		         "(padded to %zu%s)", n, r->cwt->o.padding, scale->frequency, t, error,
		         scale->of->length, scale->of->edge ? ", edges" : "");
}

/* Beside a wavelet that is longer than the signal rows have edges, in a near part, or tables. */
static transform
transform_as(const double *x, size_t n, const ws_cwt_opts *o, bool whole)
{
	return whole ? transform_whole(x, n, 1.0, WS_F64, o) : transform_of(x, n, 1.0, WS_F64, o);
}

static void
between_zeros_by_sums(size_t n, const double *also, size_t rows, bool whole)
{
	double *x = need(n * sizeof *x);
	nasty_signal(PINK, x, n);
	double walk = 0.0;
	for (size_t t = 0; t < n; ++t)
		x[t] = walk += x[t];
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .padding = WS_PADDING_ZERO,
		.frequencies = also, .frequency_count = rows };
	transform r = transform_as(x, n, &o, whole);
	const size_t outputs[] = { 0, n / 3, n - 1 };
	for (size_t row = 0; row < ROWS; ++row)
		for (int i = 0; i < 3; ++i) {
			long double complex want = 0.0L;
			for (size_t t = 0; t < n; ++t)
				want += (long double)x[t] * wavelet_at(
					frequencies[row], (long double)outputs[i] - (long double)t);
			equals(&r, n, row, outputs[i], want, 1e-12);
		}
	transform_free(&r);
	free(x);
}

/* ---- Between mirror images: waves that are their own ---------------------------------------- */

/* Cosines of whole half periods are; each is heard by the response at its frequency.  The slow ones
 * are strong, as of a walk, or all are alike, some close to half the rate. */
static void
between_mirrors_by_waves(size_t n, const double *also, size_t rows, bool whole, bool alike)
{
	enum { WAVES = 40 };
	size_t harmonic[WAVES];
	double *x = need(n * sizeof *x), size[WAVES];
	rng random = { 5 };
	for (int i = 0; i < WAVES; ++i) { /* some for each row */
		harmonic[i] = i < 10 ? (alike ? n - 2 - 7 * (size_t)i : (size_t)i + 1)
			: i < 10 + ROWS
			? (size_t)(2.0 * also[i - 10] * (double)n)
			: (size_t)rng_int(&random, 1, (int)n - 1);
		size[i] = alike ? 1.0 : 1e5 / (double)harmonic[i];
	}
	for (size_t t = 0; t < n; ++t) {
		long double sum = 0.0L;
		for (int i = 0; i < WAVES; ++i)
			sum += (long double)size[i] * cosl(PI_L * (long double)(harmonic[i] * t %
				(2 * (n - 1))) / (long double)(n - 1));
		x[t] = (double)sum;
	}
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .padding = WS_PADDING_REFLECT,
		.frequencies = also, .frequency_count = rows };
	transform r = transform_as(x, n, &o, whole);
	const size_t outputs[] = { 0, 1, n / 7, n / 2, n - 1 };
	for (size_t row = 0; row < ROWS; ++row)
		for (int i = 0; i < 5; ++i) {
			long double complex want = 0.0L;
			for (int k = 0; k < WAVES; ++k) {
				const long double w = PI_L * (long double)harmonic[k] /
					(long double)(n - 1);
				const long double v = scale_of(also[row]) * w - OMEGA0;
				want += (long double)size[k] * expl(-0.5L * v * v) *
					cexpl(I * w * (long double)outputs[i]);
			}
			equals(&r, n, row, outputs[i], want, alike ? 1e-14 : 1e-12);
		}
	transform_free(&r);
	free(x);
}

/* Alone, and beside a wavelet that is longer than the signal, for which all have tables. */
static void
cut_at_zero(void **state)
{
	(void)state;
	static const size_t lengths[] = { 16385, 30504 };
	double also[ROWS + 1];
	for (int i = 0; i < ROWS; ++i)
		also[i] = frequencies[i];
	also[ROWS] = 1e-5;
	for (int i = 0; i < (SANITIZED ? 1 : 2); ++i)
		for (size_t rows = ROWS; rows <= ROWS + 1; ++rows) {
			const bool whole = rows > ROWS;
			between_mirrors_by_waves(lengths[i], also, rows, whole, false);
			between_zeros_by_sums(lengths[i], also, rows, whole);
		}
}

/* The response is cut where it is large: a table's digits are those of frequencies that lie close
 * to each other, far from 0. */
static void
cut_at_half(void **state)
{
	static const double also[ROWS + 1] = { 0.496, 0.47, 0.44, 0.3, 1e-5 };
	(void)state;
	between_mirrors_by_waves(30504, also, ROWS, false, true);
	between_mirrors_by_waves(30504, also, ROWS + 1, false, true);
	between_mirrors_by_waves(30504, also, ROWS + 1, true, true);
}

/* ---- f32 -------------------------------------------------------------------------------------- */

/* Random walks of f32, by what f64 gives for the same samples, which is tested above. */
static void
walks_of_f32(void **state)
{
	(void)state;
	static const size_t lengths[] = { 800, 2000, 3000, 3001, 4096, 9000, 12001, 16385, 30504 };
	enum { LENGTHS = sizeof lengths / sizeof *lengths };
	static const double rows[] = { 0.45, 0.4, 0.21, 0.03 };
	rng random = { 36 };
	for (int i = 0; i < (SANITIZED ? LENGTHS : 20 * LENGTHS); ++i) {
		const size_t n = lengths[i % LENGTHS];
		double *x = need(n * sizeof *x), walk = 0.0;
		for (size_t t = 0; t < n; ++t) {
			walk += rng_uniform(&random) - 0.5;
			x[t] = (double)(float)walk;
		}
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .frequencies = rows,
			.frequency_count = 4,
			.padding = i / LENGTHS % 6 < 5 ? WS_PADDING_REFLECT : WS_PADDING_ZERO };
		transform wide = transform_of(x, n, 1.0, WS_F64, &o);
		transform r = transform_of(x, n, 1.0, WS_F32, &o);
		for (size_t row = 0; row < 4; ++row) {
			double error = 0.0;
			for (size_t t = 0; t < n; ++t)
				error = fmax(error, cabs(coefficient(&r, row, t) -
				                         coefficient(&wide, row, t)));
			error /= largest(&wide, row, n);
			if (!(error <= (n > 3000 ? 5e-7 : 1e-6)))
				fail_msg("%zu samples, padding %d, %g a sample: %g of the row's "
				         "largest", n, o.padding, rows[row], error);
		}
		transform_free(&wide);
		transform_free(&r);
		free(x);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_at_zero), cmocka_unit_test(cut_at_half),
		cmocka_unit_test(walks_of_f32),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
