/*
 * test_gpu_spectra.c - bands, superlets, averages over epochs and coherence on a GPU against the
 * CPU: both types, lengths from one sample on, channels, epochs, paddings, decimation, context,
 * little of the GPU's memory, arrays with gaps; a sample that is not finite.  WAVESIFT_FAST leaves
 * long signals out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_job.h"
#include "wavesift/cwt.h"

enum { MOST_ARRAYS = 24, GAP = 48, LEAST = 8 }; /* LEAST: MiB that need not suffice */

typedef struct asked {
	const char *name;
	ws_shape shape;
	ws_cwt_opts o;
	size_t device_memory;
	const void *x;
} asked;

typedef struct made {
	int count;
	ws_array array[MOST_ARRAYS];
	char *data[MOST_ARRAYS];
	size_t rows[MOST_ARRAYS], numbers[MOST_ARRAYS];
	size_t row[MOST_ARRAYS]; /* bytes, with a gap */
	char plan[1280], why[512];
} made;

static size_t
x_samples(const ws_shape *s)
{
	return (s->epochs ? s->epochs : 1) * (s->before + s->samples + s->after);
}

/* Rows of the last axis, each with a gap behind it. */
static void
lay_out(const ws_plan *plan, made *m, ws_buffer *buffers)
{
	for (m->count = 0; m->count < ws_plan_arrays(plan); ++m->count) {
		const int i = m->count;
		ws_array *a = &m->array[i];
		*a = (ws_array){ .size = sizeof *a };
		assert_int_equal(ws_plan_array(plan, i, a), WS_OK);
		size_t all = 1, last = a->rank > 0 ? a->extent[a->rank - 1] : 1;
		for (int k = 0; k < a->rank; ++k)
			all *= a->extent[k];
		if (!all || (a->flags & WS_ARRAY_SIGNAL))
			continue;
		const size_t element = a->type == WS_F64 || a->type == WS_C128 ? 8 : 4;
		m->numbers[i] = last * (a->type == WS_C128 || a->type == WS_C64 ? 2 : 1);
		m->rows[i] = all / last;
		m->row[i] = m->numbers[i] * element + (a->rank > 1 ? GAP : 0);
		m->data[i] = need(m->rows[i] * m->row[i]);
		memset(m->data[i], 0x5a, m->rows[i] * m->row[i]);
		buffers[i].data = m->data[i];
		size_t stride = m->row[i];
		for (int k = a->rank - 2; k >= 0; --k) {
			buffers[i].stride[k] = stride;
			stride *= a->extent[k];
		}
	}
}

static ws_status
run(const asked *q, const char *device, made *m)
{
	const ws_ctx_opts opts = { .size = sizeof opts, .device = device,
		.device_memory = q->device_memory };
	ws_buffer buffers[MOST_ARRAYS] = { { .data = NULL } };
	ws_shape shape = q->shape;
	ws_ctx *ctx;
	ws_plan *plan;
	*m = (made){ 0 };
	shape.size = sizeof shape;
	assert_int_equal(ws_ctx_create(&ctx, &opts), WS_OK);
	ws_status status = ws_plan_create(&plan, ctx, q->name, &shape, &q->o);
	if (status == WS_OK) {
		snprintf(m->plan, sizeof m->plan, "%s", ws_plan_describe(plan));
		lay_out(plan, m, buffers);
		const ws_io io = { .size = sizeof io, .x = q->x,
			.x_stride = x_samples(&q->shape) * type_size(q->shape.type),
			.arrays = buffers, .n_arrays = m->count };
		void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 127) / 64 * 64);
		status = ws_execute(plan, &io, workspace);
		free(workspace);
		ws_plan_destroy(plan);
	}
	if (status != WS_OK)
		snprintf(m->why, sizeof m->why, "%s", ws_error_detail());
	ws_ctx_destroy(ctx);
	return status;
}

static void
made_free(made *m)
{
	for (int i = 0; i < m->count; ++i)
		free(m->data[i]);
}

static double
number(const made *m, int array, size_t row, size_t k)
{
	const ws_type type = m->array[array].type == WS_F64 || m->array[array].type == WS_C128
		? WS_F64 : WS_F32;
	return get(type, m->data[array] + row * m->row[array], k);
}

/* What is between 0 and 1 is a quotient: exact as far as what it divides by is not small.  So its
 * mean difference counts; single ones, where a coefficient is near 0, may be larger. */
static bool
is_share(const made *m, int i)
{
	const char *name = m->array[i].name;
	return strstr(name, "coherence") || strstr(name, "locking") || strstr(name, "itc") ||
	       strstr(name, "imaginary");
}

/* Of all rows of an array. */
static double
largest(const made *m, int i)
{
	double peak = 0.0;
	for (size_t r = 0; r < m->rows[i]; ++r)
		for (size_t k = 0; k < m->numbers[i]; ++k)
			peak = fmax(peak, fabs(number(m, i, r, k)));
	return peak;
}

#define MOST_SHARE 0.05

/* The largest difference of a row by its largest number; of superlets, of the products that they
 * are roots of: where one factor is near 0 a root says more of its rounding than of the signal. */
static double
row_error(const asked *q, const made *want, const made *got, int i, size_t row)
{
	double peak = 0.0, error = 0.0, mean = 0.0, order = 1.0;
	const bool share = is_share(want, i);
	if (strcmp(q->name, "superlets") == 0 && want->array[i].rank == 3)
		order = number(want, WS_SUPERLETS_ORDER, 0, row % want->array[i].extent[1]) /
			(i == WS_SUPERLETS_POWER ? 2.0 : 1.0);
	for (size_t k = 0; k < want->numbers[i]; ++k)
		peak = fmax(peak, fabs(number(want, i, row, k)));
	/* Rounding where there is nothing, as of a band of two samples. */
	peak = fmax(peak, 1e-3 * largest(want, i));
	for (size_t k = 0; k < want->numbers[i]; ++k) {
		double w = number(want, i, row, k), g = number(got, i, row, k);
		if (isnan(w) && isnan(g))
			continue;
		if (order > 1.0 && peak > 0.0) {
			w = pow(w / peak, order) * peak;
			g = pow(g / peak, order) * peak;
		}
		mean += fabs(g - w) / (double)want->numbers[i];
		error = fabs(g - w) <= error ? error : fabs(g - w);
	}
	return error == 0.0 ? 0.0 : !share ? error / peak : error <= MOST_SHARE ? mean : error;
}

static int compared, refused; /* refused: for lack of memory */
static double worst[2][3];

/* Gaps are as they were. */
static void
untouched(const made *m, int i)
{
	for (size_t r = 0; m->array[i].rank > 1 && r < m->rows[i]; ++r)
		for (size_t k = m->row[i] - GAP; k < m->row[i]; ++k)
			assert_int_equal(m->data[i][r * m->row[i] + k], 0x5a);
}

static void
compare(const asked *q)
{
	made want, got;
	asked here = *q;
	here.device_memory = 0;
	const ws_status status = run(&here, "cpu", &want), there = run(q, "cuda", &got);
	if (there == WS_E_NOMEM && q->device_memory >> 20 <= 2 * LEAST && q->device_memory) {
		++refused;
		made_free(&want);
		made_free(&got);
		return;
	}
	if (status == WS_OK && there != WS_OK)
		fail_msg("%s, %zu x %zu: %s", q->name, q->shape.channels, q->shape.samples,
		         got.why);
	assert_int_equal(status, there);
	if (status != WS_OK)
		fail_msg("%s, %zu x %zu: %s", q->name, q->shape.channels, q->shape.samples,
		         want.why);
	assert_non_null(strstr(got.plan, "cuda/cwt"));
	const bool f32 = q->shape.type == WS_F32;
	for (int i = 0; i < want.count; ++i) {
		if (!want.data[i])
			continue;
		const bool share = is_share(&want, i), roots = strcmp(q->name, "superlets") == 0;
		/* Those of two channels that hardly agree are small beside their powers. */
		const bool cross = strstr(want.array[i].name, "cross");
		const double most = share ? f32 ? 1e-5 : 1e-12 : roots ? f32 ? 2e-5 : 2e-12
			: cross ? f32 ? 2e-5 : 3e-12 : f32 ? 2e-6 : 3e-13;
		untouched(&got, i);
		for (size_t r = 0; r < want.rows[i]; ++r) {
			const double error = row_error(q, &want, &got, i, r);
			double *w = &worst[f32][share ? 2 : roots];
			*w = error > *w ? error : *w;
			if (!(error <= most))
				fail_msg("%s, %s, %zu channels of %zu samples, %zu epochs, %zu "
				         "bytes, %s, row %zu: %g\n%s", q->name,
				         f32 ? "f32" : "f64", q->shape.channels, q->shape.samples,
				         q->shape.epochs, q->device_memory, want.array[i].name, r,
				         error, got.plan);
		}
	}
	++compared;
	made_free(&want);
	made_free(&got);
}

/* Noise and tones about an offset, something of it in all channels and epochs. */
static void *
signals(rng *r, const ws_shape *s)
{
	const size_t n = x_samples(s), each = n / (s->epochs ? s->epochs : 1);
	void *x = need((s->channels * n + 1) * type_size(s->type));
	double *d = need((s->channels * n + 1) * sizeof *d);
	for (size_t i = 0; i < s->channels * n; ++i)
		d[i] = 20.0 + rng_normal(r) + sin(0.1 * (double)(i % each)) +
			cos(0.031 * (double)(i % each));
	to_type(s->type, d, s->channels * n, x);
	free(d);
	return x;
}

static void
compare_all(asked q, size_t times)
{
	rng r = { 7 };
	static const size_t memories[] = { 0, 96, 24, LEAST };
	if (q.shape.samples > 1000 && getenv("WAVESIFT_FAST"))
		return;
	for (int wide = 0; wide < 2; ++wide) {
		q.shape.fs = 250.0;
		q.shape.type = wide ? WS_F64 : WS_F32;
		void *x = signals(&r, &q.shape);
		q.x = x;
		for (size_t i = 0; i < times; ++i) {
			q.device_memory = memories[i] << (20 + wide);
			compare(&q);
		}
		free(x);
	}
}

/* ---- Tests ------------------------------------------------------------------------------- */

static const size_t lengths[] = { 1, 2, 3, 17, 1000, 4097, 30504 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void
superlets(void **state)
{
	(void)state;
	for (size_t n = 0; n < LENGTHS; ++n) {
		asked q = { .name = "superlets", .shape.channels = 1 + n % 4,
			.shape.samples = lengths[n] };
		q.o = (ws_cwt_opts){ .size = sizeof q.o, .tag = WS_TAG_CWT,
			.freqs = { 4.0, 60.0, 7, WS_SPACING_LINEAR }, .order = { 1.0, 6.5 },
			.quantity = n % 2 ? WS_QUANTITY_MAGNITUDE : WS_QUANTITY_POWER,
			.decimate = n % 3 ? 1 : 3, .padding = n % 2 ? WS_PADDING_ZERO : 0 };
		if (q.o.decimate > lengths[n])
			q.o.decimate = 1;
		compare_all(q, n == LENGTHS - 1 ? 3 : 1);
	}
}

static void
bands(void **state)
{
	(void)state;
	static const double edges[][2] = { { 4.0, 8.0 }, { 8.0, 13.0 }, { 6.0, 40.0 } };
	for (size_t n = 0; n < LENGTHS; ++n)
		for (int kind = 0; kind < 4; ++kind) {
			asked q = { .name = "bands", .shape.channels = 1 + n % 4,
				.shape.samples = lengths[n] };
			q.o = (ws_cwt_opts){ .size = sizeof q.o, .tag = WS_TAG_CWT,
				.freqs = { 3.0, 60.0, 30, WS_SPACING_LOG },
				.bands = edges[0], .band_count = 3,
				.quantity = kind & 1 ? WS_QUANTITY_POWER : WS_QUANTITY_SIGNAL,
				.padding = kind & 2 ? WS_PADDING_PERIODIC : WS_PADDING_REFLECT };
			if (lengths[n] > 100) {
				q.o.decimate = 1 + n % 3;
				q.shape.before = kind & 1 ? 12 : 0;
				q.shape.after = kind & 1 ? 30 : 7;
			}
			compare_all(q, n == LENGTHS - 1 ? 3 : 1);
		}
}

/* Coefficients to signals, by the CPU: the same bits whatever the plan is of. */
static void
inverse(void **state)
{
	(void)state;
	enum { N = 3000, ROWS = 30 };
	static const double edges[][2] = { { 4.0, 8.0 }, { 8.0, 40.0 } };
	static const char *const devices[] = { "cpu", "cuda" };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = N, .fs = 250.0,
		.type = WS_F32 };
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
		.freqs = { 3.0, 60.0, ROWS, WS_SPACING_LOG }, .bands = edges[0], .band_count = 2 };
	float *coefficients = need(2 * ROWS * N * sizeof *coefficients);
	float *x[2];
	rng r = { 11 };
	for (size_t i = 0; i < 2 * ROWS * N; ++i)
		coefficients[i] = (float)rng_normal(&r);
	for (int i = 0; i < 2; ++i) {
		const ws_ctx_opts opts = { .size = sizeof opts, .device = devices[i] };
		ws_ctx *ctx;
		ws_plan *plan;
		x[i] = need(2 * N * sizeof **x);
		assert_int_equal(ws_ctx_create(&ctx, &opts), WS_OK);
		assert_int_equal(ws_plan_create(&plan, ctx, "bands", &shape, &o), WS_OK);
		assert_true(!strstr(ws_plan_describe(plan), "cuda/cwt") == (i == 0));
		assert_int_equal(ws_cwt_inverse(plan, coefficients, x[i]), WS_OK);
		ws_plan_destroy(plan);
		ws_ctx_destroy(ctx);
	}
	assert_true(x[0][N / 2] != 0.0F);
	assert_memory_equal(x[0], x[1], 2 * N * sizeof **x);
	free(coefficients);
	free(x[0]);
	free(x[1]);
}

static void
trials(void **state)
{
	(void)state;
	static const ws_baseline baselines[] = { WS_BASELINE_NONE, WS_BASELINE_PERCENT,
		WS_BASELINE_RATIO, WS_BASELINE_NONE, WS_BASELINE_DB, WS_BASELINE_Z };
	for (size_t n = 0; n < LENGTHS; ++n) {
		asked q = { .name = "trials", .shape.channels = 1 + n % 4,
			.shape.samples = lengths[n], .shape.epochs = lengths[n] > 5000 ? 3 : 21 };
		q.o = (ws_cwt_opts){ .size = sizeof q.o, .tag = WS_TAG_CWT,
			.freqs = { 5.0, 60.0, 6, WS_SPACING_LOG } };
		if (lengths[n] > 100) {
			q.o.baseline = baselines[n % 6];
			q.o.baseline_to = q.o.baseline ? 0.5 : 0.0;
			q.o.averages = q.o.baseline == WS_BASELINE_DB ? WS_AVERAGE_TOTAL : 0;
			q.o.decimate = 1 + n % 2;
		}
		compare_all(q, n + 3 >= LENGTHS ? 4 : 1);
	}
}

static void
coherence(void **state)
{
	(void)state;
	for (size_t n = 0; n < LENGTHS; ++n) {
		asked q = { .name = "coherence", .shape.channels = 2 + n % 4,
			.shape.samples = lengths[n], .shape.epochs = lengths[n] > 5000 ? 5 : 24 };
		q.o = (ws_cwt_opts){ .size = sizeof q.o, .tag = WS_TAG_CWT,
			.freqs = { 5.0, 60.0, 6, WS_SPACING_LOG },
			.against = n % 2 ? WS_AGAINST_ALL : 1 };
		compare_all(q, n + 3 >= LENGTHS ? 4 : 1);
	}
}

/* Without epochs. */
static void
coherence_over_time(void **state)
{
	(void)state;
	for (size_t n = 0; n < LENGTHS; ++n) {
		asked q = { .name = "coherence", .shape.channels = 2 + n % 3,
			.shape.samples = lengths[n] };
		q.o = (ws_cwt_opts){ .size = sizeof q.o, .tag = WS_TAG_CWT,
			.freqs = { 5.0, 60.0, 12, WS_SPACING_LOG },
			.padding = n % 3 ? WS_PADDING_REFLECT : WS_PADDING_PERIODIC,
			.decimate = lengths[n] > 100 ? 1 + n % 3 : 1,
			.against = n % 2 ? WS_AGAINST_ALL : 1 };
		compare_all(q, n + 3 >= LENGTHS ? 3 : 1);
	}
}

static void
refuses_what_is_not_finite(void **state)
{
	(void)state;
	static const char *const names[] = { "superlets", "bands", "trials", "coherence" };
	for (int i = 0; i < 4; ++i) {
		float x[2][4][200] = { { { 0.0f } } };
		x[1][i < 2 ? 0 : 2][7] = INFINITY;
		asked q = { .name = names[i], .shape = { .channels = 2, .fs = 100.0,
			.type = WS_F32, .samples = i < 2 ? 800 : 200, .epochs = i < 2 ? 0 : 4 } };
		q.o = (ws_cwt_opts){ .size = sizeof q.o, .tag = WS_TAG_CWT,
			.freqs = { 5.0, 20.0, 4, WS_SPACING_LOG } };
		q.x = x;
		made want, got;
		assert_int_equal(run(&q, "cpu", &want), WS_E_FORMAT);
		assert_int_equal(run(&q, "cuda", &got), WS_E_FORMAT);
		assert_string_equal(want.why, got.why);
		made_free(&want);
		made_free(&got);
	}
}

/* Fails where few were compared. */
static int
told(void **state)
{
	(void)state;
	printf("%d compared, %d refused; of the peak f32 %.2g, f64 %.2g; products %.2g, %.2g; shares %.2g, "
	       "%.2g\n", compared, refused, worst[1][0], worst[0][0], worst[1][1], worst[0][1],
	       worst[1][2], worst[0][2]);
	return compared > (getenv("WAVESIFT_FAST") ? 80 : 150) ? 0 : -1;
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(superlets), cmocka_unit_test(bands), cmocka_unit_test(inverse),
		cmocka_unit_test(trials),
		cmocka_unit_test(coherence), cmocka_unit_test(coherence_over_time),
		cmocka_unit_test(refuses_what_is_not_finite),
	};
	return cmocka_run_group_tests(tests, NULL, told);
}
