/*
 * test_gpu_hht.c - Hilbert-Huang spectra on a GPU have the bits of the CPU: every method, every
 * option, lengths from one sample on, modes that are flat or not there, little memory.
 *
 * Built a second time (HHT_LANES) for a GPU whose lanes are fibers of the CPU
 * (lanes/hht_backend.cpp).
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

#include "core_test.h"
#include "cuda_driver.h"
#include "hht_test.h"
#include "random_job.h"

#ifdef HHT_LANES
enum { JOBS = 60, LONGEST = 9000 };
#else
enum { JOBS = 400, LONGEST = 60000 };
#endif

enum { MOST_CHANNELS = 4, MOST_MODES = 5 };

/* ---- Jobs ---------------------------------------------------------------------------------- */

static size_t
some_length(rng *r)
{
	static const size_t lengths[] = { 1, 2, 3, 4, 5, 7, 16, 64, 333, 1000, 4095, 4096, 4097,
		4098, 8191, 8193 };
	const int i = rng_int(r, 0, 23);
	return i < 16 ? lengths[i] : (size_t)rng_int(r, 6, LONGEST);
}

/* A mode: noise, a tone, one that fades, a chirp, few values, a constant, nothing. */
static void
some_mode(rng *r, size_t n, double unit, double *x)
{
	const int kind = rng_int(r, 0, 7);
	const double w = 3.0 * rng_uniform(r) * rng_uniform(r);
	for (size_t i = 0; i < n; ++i) {
		const double t = (double)i, noise = rng_normal(r);
		x[i] = unit * (kind == 0 ? noise
			: kind == 1 ? sin(w * t)
			: kind == 2 ? sin(w * t) * exp(-t / 100) + 1e-3 * noise
			: kind == 3 ? cos(1e-4 * w * t * t)
			: kind == 4 ? floor(2 * sin(w * t) + 0.3 * noise)
			: kind == 5 ? 1.0
			: kind == 6 ? 0.0 : sin(w * t) + 0.1 * noise);
	}
}

/* In units whose square the type holds. */
static double *
some_samples(rng *r, ws_type type, size_t rows, size_t n)
{
	const double far = type == WS_F64 ? 1e30 : 1e12;
	const double units[] = { 1.0, 1.0, 1e-6, 3e4, 1.0 / far, far };
	double *x = need(rows * n * sizeof *x);
	const double unit = units[rng_int(r, 0, 5)];
	for (size_t i = 0; i < rows; ++i)
		some_mode(r, n, unit, x + i * n);
	return x;
}

/* Modes that are given, or a signal that has some. */
static hht_job
some_job(rng *r, int i, double **x, void **typed)
{
	static const int medians[] = { 0, 0, 0, 1, 3, 5, 7, 31 };
	static const int lines[] = { 0, 0, 0, 3, 5, 9, 101 };
	static const double times[] = { 0, 0, 1e-9, 0.07, 0.9, 1e9 };
	hht_job j = { .channels = (size_t)rng_int(r, 1, MOST_CHANNELS), .samples = some_length(r),
		.fs = i % 3 ? 100.0 : 1.0, .type = i % 4 ? WS_F64 : WS_F32, .device = "cuda:0" };
	const bool given = rng_int(r, 0, 3) > 0;
	const size_t modes = (size_t)rng_int(r, 1, MOST_MODES);
	j.o = (ws_hht_opts){ .frequency_method = (ws_hht_method)(1 + i % 3),
		.reference = (ws_hht_reference)(rng_int(r, 0, 2) == 0),
		.ends = (ws_hht_ends)rng_int(r, 0, 3), .smooth_phase = medians[rng_int(r, 0, 7)],
		.smooth_frequency = lines[rng_int(r, 0, 6)], .exclude = (ws_hht_exclude)rng_int(r, 0, 3),
		.outlier_ratio = rng_int(r, 0, 1) ? 0 : 1.0 + rng_uniform(r),
		.freqs.spacing = (ws_spacing)rng_int(r, 0, 2),
		.freqs.count = rng_int(r, 0, 3) ? 0 : (size_t)rng_int(r, 1, i % 10 ? 300 : 5000),
		.time_bin = times[rng_int(r, 0, 5)], .quantity = (ws_hht_quantity)rng_int(r, 0, 4),
		.parts = rng_int(r, 0, 2) ? 63 : rng_int(r, 0, 63),
		.modes_given = given ? (int)modes : 0 };
	if (j.o.freqs.count > 300 && j.o.time_bin > 0 && j.o.time_bin < 0.05)
		j.o.time_bin = 0;
	j.o.emd.modes = given ? 0 : (int)modes;
	*x = some_samples(r, j.type, j.channels * (given ? modes : 1), j.samples);
	const size_t n = j.channels * (given ? modes : 1) * j.samples;
	*typed = need(n * 8);
	to_type(j.type, *x, n, *typed);
	j.x = *typed;
	return j;
}

static void
print_hht(const hht_job *j, int i)
{
	printf("job %d: %zu x %zu x %d, type %d, method %d, reference %d, ends %d, median %d, line "
	       "%d, exclude %d, outlier ratio %g, bins %zu, time bin %g, quantity %d, parts %d\n", i,
	       j->channels, j->samples, j->o.modes_given, (int)j->type, (int)j->o.frequency_method,
	       (int)j->o.reference, (int)j->o.ends, j->o.smooth_phase, j->o.smooth_frequency,
	       (int)j->o.exclude, j->o.outlier_ratio, j->o.freqs.count, j->o.time_bin, (int)j->o.quantity,
	       j->o.parts);
}

/* How many arrays differ in any bit. */
static int
differences(const hht *a, const hht *b)
{
	int differ = 0;
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		/* Of residues in a GPU's memory it is not known. */
		if (!a->array[i] || i == WS_HHT_CAPPED ||
		    memcmp(a->array[i], b->array[i], a->bytes[i]) == 0)
			continue;
		const size_t element = i == WS_HHT_PHASE ? 8 : 4;
		size_t at = 0;
		while (memcmp((char *)a->array[i] + at, (char *)b->array[i] + at, element) == 0)
			at += element;
		const bool wide = a->type == WS_F64 && i != WS_HHT_CYCLE;
		const size_t k = at / (wide || i == WS_HHT_PHASE ? 8 : 4);
		printf("  array %d differs from element %zu on: %.17g, not %.17g\n", i, k,
		       hht_at(b, i, k), hht_at(a, i, k));
		++differ;
	}
	return differ;
}

/* That of jobs which may have all memory: a GPU takes long to be opened. */
static ws_ctx *
open_gpu(void)
{
	static ws_ctx *ctx;
	const ws_ctx_opts c = { .size = sizeof c, .threads = 1, .device = "cuda:0" };
	if (!ctx)
		assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	return ctx;
}

/* Runs it on the CPU and on the GPU; false where they differ. */
static bool
same_on_both(hht_job *j, int i, int *compared)
{
	hht cpu, gpu;
	const char *device = j->device;
	j->device = NULL;
	const ws_status status = hht_make(j, &cpu);
	j->device = device;
	j->ctx = j->device_memory ? NULL : open_gpu();
	const ws_status other = hht_make(j, &gpu);
	if (status != other)
		fail_msg("job %d: %s: %d, not %d", i, ws_error_detail(), (int)other, (int)status);
	if (status != WS_OK)
		return true;
	++*compared;
	const int differ = differences(&cpu, &gpu);
	if (differ)
		print_hht(j, i);
	hht_free(&cpu);
	hht_free(&gpu);
	return differ == 0;
}

/* ---- A GPU's memory -------------------------------------------------------------------------- */

#ifdef HHT_LANES
static void device_open(void) { }
static void *device_take(size_t bytes) { return need(bytes); }
static void device_drop(void *p) { free(p); }
static void device_wait(void) { }
static void to_device(void *to, const void *from, size_t n) { memcpy(to, from, n); }
static void to_host(void *to, const void *from, size_t n) { memcpy(to, from, n); }
#else
static void device_open(void) { open_driver(); }
static void *device_take(size_t bytes) { return (void *)on_device(bytes); }
static void device_drop(void *p) { cu.free((address)p); }
static void device_wait(void) { assert_int_equal(cu.wait(NULL), 0); }

static void
to_device(void *to, const void *from, size_t n)
{
	assert_int_equal(cu.to_device((address)to, from, n), 0);
}

static void
to_host(void *to, const void *from, size_t n)
{
	assert_int_equal(cu.to_host(to, (address)from, n), 0);
}
#endif

/* Runs a job with samples, and all arrays that have a time axis, or `memory` all that may lie
 * there, in the GPU's memory, those with `gap` bytes behind each row; what it gives must be what h
 * has.  Twice, since tables of a plan stay there. */
static void
check_on_device(const hht_job *task, size_t x_bytes, const hht *h, size_t gap, ws_memory memory)
{
	const ws_ctx_opts c = { .size = sizeof c, .device = "cuda:0" };
	const ws_shape shape = { .size = sizeof shape, .channels = task->channels,
		.samples = task->samples, .type = task->type, .fs = task->fs };
	ws_hht_opts o = task->o;
	ws_ctx *ctx;
	ws_plan *plan;
	ws_buffer buffers[WS_HHT_ARRAYS] = { 0 };
	size_t row[WS_HHT_ARRAYS] = { 0 }, rows[WS_HHT_ARRAYS] = { 0 };
	bool there[WS_HHT_ARRAYS] = { 0 };
	o.size = sizeof o;
	o.tag = WS_TAG_HHT;
	o.emd.size = sizeof o.emd;
	o.emd.tag = WS_TAG_EMD;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, "hht", &shape, &o), WS_OK);
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		ws_array a = { .size = sizeof a };
		assert_int_equal(ws_plan_array(plan, i, &a), WS_OK);
		if (!h->array[i])
			continue;
		there[i] = a.axis[a.rank - 1] == WS_AXIS_TIME ||
		           (memory == WS_MEMORY_DEVICE_ALL &&
		            (i != WS_HHT_MODE_COUNT || o.modes_given) &&
		            i != WS_HHT_CAPPED);
		row[i] = a.rank > 1 ? a.extent[a.rank - 1] * (a.type == WS_F64 ? 8 : 4)
		         : h->bytes[i];
		rows[i] = h->bytes[i] / row[i];
		const size_t wide = row[i] + gap;
		if (!there[i]) {
			buffers[i].data = need(h->bytes[i]);
			memset(buffers[i].data, 0, h->bytes[i]);
			continue;
		}
		void *zeros = need(rows[i] * wide);
		memset(zeros, 0, rows[i] * wide);
		buffers[i].data = device_take(rows[i] * wide);
		to_device(buffers[i].data, zeros, rows[i] * wide);
		free(zeros);
		for (int k = a.rank - 2; k >= 0; --k)
			buffers[i].stride[k] = k == a.rank - 2 ? wide
			                       : buffers[i].stride[k + 1] * a.extent[k + 1];
	}
	void *x = device_take(x_bytes), *workspace = need(ws_plan_workspace(plan));
	to_device(x, task->x, x_bytes);
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers, .n_arrays = WS_HHT_ARRAYS,
		.memory = memory };
	for (int times = 0; times < 2; ++times)
		if (ws_execute(plan, &io, workspace) != WS_OK)
			fail_msg("%s", ws_error_detail());
	device_wait();
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		for (size_t k = 0; h->array[i] && k < rows[i]; ++k) {
			char *got = need(row[i]);
			const char *from = (char *)buffers[i].data +
			                   k * (there[i] ? row[i] + gap : row[i]);
			if (there[i])
				to_host(got, from, row[i]);
			else
				memcpy(got, from, row[i]);
			if (i != WS_HHT_CAPPED &&
			    memcmp(got, (char *)h->array[i] + k * row[i], row[i]) != 0)
				fail_msg("array %d, row %zu differs", i, k);
			free(got);
		}
		if (there[i])
			device_drop(buffers[i].data);
		else
			free(buffers[i].data);
	}
	device_drop(x);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void
test_device_arrays(void **state)
{
	rng r = { 33 };
	enum { N = 5001, K = 3, CHANNELS = 2 };
	(void)state;
	device_open();
	for (int i = 0; i < 18; ++i) {
		const bool given = i % 2;
		const size_t n = CHANNELS * (given ? K : 1) * (size_t)N;
		double *x = some_samples(&r, i % 5 ? WS_F64 : WS_F32, n / N, N);
		hht_job j = { .channels = CHANNELS, .samples = N, .fs = 50, .x = x,
			.type = i % 5 ? WS_F64 : WS_F32,
			.o = { .modes_given = given ? K : 0, .frequency_method = (ws_hht_method)(1 + i % 3),
			       .reference = (ws_hht_reference)(i % 4 == 3), .parts = 63,
			       .smooth_phase = i > 9 ? 3 : 0, .time_bin = 1 } };
		j.o.emd.modes = given ? 0 : K;
		void *typed = need(n * 8);
		to_type(j.type, x, n, typed);
		j.x = typed;
		hht cpu;
		hht_must(&j, &cpu);
		for (int memory = WS_MEMORY_DEVICE; memory <= WS_MEMORY_DEVICE_ALL; ++memory)
			check_on_device(&j, n * (j.type == WS_F64 ? 8 : 4), &cpu, i % 3 ? 0 : 48,
			                (ws_memory)memory);
		hht_free(&cpu);
		free(typed);
		free(x);
	}
}

static void
test_random(void **state)
{
	int compared = 0, differ = 0;
	const char *only = getenv("HHT_JOB");
	(void)state;
	const int jobs = getenv("WAVESIFT_FAST") ? JOBS / 8 : JOBS;
	for (int i = only ? atoi(only) : 0; i < (only ? atoi(only) + 1 : jobs); ++i) {
		rng r = { 1000 + (uint64_t)i };
		double *x;
		void *typed;
		hht_job j = some_job(&r, i, &x, &typed);
		differ += !same_on_both(&j, i, &compared);
		free(x);
		free(typed);
	}
	printf("%d jobs compared\n", compared);
	assert_true(only || compared > jobs / 2);
	assert_int_equal(differ, 0);
}

/* One channel, one mode at a time; and what does not fit at all. */
static void
test_little_memory(void **state)
{
	rng r = { 4 };
	enum { N = 5000, K = 4 };
	double *x = some_samples(&r, WS_F64, 3 * K, N);
	(void)state;
	for (int method = 1; method <= 3; ++method)
		for (int reference = 0; reference < 2; ++reference) {
			int compared = 0;
			hht_job j = { .channels = 3, .samples = N, .fs = 100, .x = x,
				.device = "cuda:0", .device_memory = (size_t)3800 << 10,
				.o = { .modes_given = K, .frequency_method = (ws_hht_method)method,
				       .reference = (ws_hht_reference)reference, .time_bin = 1,
				       .parts = 63 } };
			assert_true(same_on_both(&j, method, &compared));
			assert_int_equal(compared, 1);
			j.device_memory = (size_t)100 << 10;
			hht h;
			assert_int_equal(hht_make(&j, &h), WS_E_NOMEM);
			assert_non_null(strstr(ws_error_detail(), "`device_memory`"));
		}
	free(x);
}

static void
test_not_finite(void **state)
{
	rng r = { 9 };
	enum { N = 900, K = 3 };
	double *x = some_samples(&r, WS_F64, 2 * K, N);
	(void)state;
	x[(K + 2) * N + 77] = NAN;
	x[(K + 2) * N + 99] = INFINITY;
	const hht_job j = { .channels = 2, .samples = N, .fs = 1, .x = x, .device = "cuda:0",
		.o = { .modes_given = K } };
	hht h;
	assert_int_equal(hht_make(&j, &h), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel 1, mode 2, sample 77 is not finite"));
	free(x);
}

/* What only the CPU does. */
static void
test_refused(void **state)
{
	static const int parts[] = { WS_HHT_PART_CONNECTIVITY, WS_HHT_PART_HOLOSPECTRUM };
	const double x[64] = { 1, 2 };
	(void)state;
	for (size_t i = 0; i < 2; ++i) {
		const hht_job j = { .channels = 1, .samples = 64, .fs = 1, .x = x,
			.device = "cuda:0", .o = { .modes_given = 1, .parts = parts[i] } };
		hht h;
		assert_int_equal(hht_make(&j, &h), WS_E_UNSUPPORTED);
		assert_non_null(strstr(ws_error_detail(), "on the CPU only"));
	}
}

static int
stop(void *user, double done)
{
	(void)done;
	++*(int *)user;
	return 1;
}

static void
test_cancel(void **state)
{
	rng r = { 19 };
	enum { N = 3000, K = 3 };
	double *x = some_samples(&r, WS_F64, 2 * K, N);
	int calls = 0;
	(void)state;
	for (int given = 0; given < 2; ++given) {
		const hht_job j = { .channels = given ? 2 : 2 * K, .samples = N, .fs = 1, .x = x,
			.device = "cuda:0", .progress = stop, .user = &calls,
			.o = { .modes_given = given ? K : 0 } };
		hht h;
		assert_int_equal(hht_make(&j, &h), WS_E_CANCELLED);
	}
	assert_true(calls >= 2);
	free(x);
}

int
main(void)
{
#ifndef HHT_LANES
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_device_arrays),
		cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cancel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
