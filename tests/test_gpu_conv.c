/*
 * test_gpu_conv.c - convolution on a GPU: direct sums have the CPU's bits, for any masks, made
 * there or here, options, cut and memory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cuda_driver.h"
#include "random_job.h"
#include "wavesift/conv.h"

/* ---- Jobs --------------------------------------------------------------------------------- */

typedef struct set {
	ws_masks masks;
	size_t *lengths, *offsets;
	double *values;
	ws_shape shape;
	void *x;                /* [channel][sample], of the shape's type */
} set;

/* How long masks are. */
typedef enum lengths { SHORT, MIXED, LONG, ALIKE, LENGTH_KINDS } lengths;

static size_t
draw_length(rng *r, lengths kind, size_t longest, size_t like)
{
	switch (kind) {
	case SHORT: return (size_t)rng_int(r, 1, 40);
	case MIXED: return (size_t)pow((double)longest, rng_uniform(r));
	case LONG: return (size_t)rng_int(r, 1, (int)longest);
	default: return like + (size_t)rng_int(r, 0, 2);
	}
}

static set
draw_set(rng *r, size_t channels, size_t samples, size_t masks, lengths kind, size_t longest,
         ws_type type, bool complex)
{
	set s = { .shape = { .size = sizeof s.shape, .channels = channels, .samples = samples,
		.type = type } };
	const size_t parts = complex ? 2 : 1, like = (size_t)rng_int(r, 1, (int)longest);
	size_t taps = 0;
	s.lengths = need(masks * sizeof *s.lengths);
	s.offsets = need(masks * sizeof *s.offsets);
	for (size_t i = 0; i < masks; ++i) {
		s.lengths[i] = draw_length(r, kind, longest, like);
		s.offsets[i] = taps;
		taps += s.lengths[i];
	}
	s.values = need(taps * parts * sizeof *s.values);
	for (size_t k = 0; k < taps * parts; ++k)
		s.values[k] = rng_int(r, 0, 9) ? rng_normal(r) : ldexp(rng_normal(r),
		                                                       rng_int(r, -20, 9));
	double *x = need(channels * samples * sizeof *x);
	for (size_t i = 0; i < channels * samples; ++i)
		x[i] = rng_normal(r);
	s.x = need(channels * samples * sizeof *x);
	to_type(type, x, channels * samples, s.x);
	free(x);
	s.masks = (ws_masks){ .size = sizeof s.masks, .count = masks, .lengths = s.lengths,
		.offsets = s.offsets, .values = s.values, .type = complex ? WS_C128 : WS_F64 };
	return s;
}

static void
free_set(set *s)
{
	free(s->lengths);
	free(s->offsets);
	free(s->values);
	free(s->x);
}

static ws_ctx *
context(const char *device, size_t device_memory)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = device,
		.device_memory = device_memory };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

static int
array_of(const set *s)
{
	return s->masks.type == WS_C128 ? WS_CONV_COMPLEX : WS_CONV_RESPONSES;
}

typedef struct responses {
	size_t outputs, bytes;  /* bytes: of a row */
	char *y;                /* [channel][mask][output] */
	int32_t *method;
} responses;

static ws_plan *
plan_of(ws_ctx *ctx, const set *s, const ws_conv_opts *opts, responses *r)
{
	ws_conv_opts o = *opts;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.masks = &s->masks;
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, "conv", &s->shape, &o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	ws_array a = { .size = sizeof a };
	assert_int_equal(ws_plan_array(plan, array_of(s), &a), WS_OK);
	r->outputs = a.extent[2];
	r->bytes = a.extent[2] * type_size(s->shape.type) * (s->masks.type == WS_C128 ? 2 : 1);
	return plan;
}

static ws_status
execute(const ws_plan *plan, const ws_io *io)
{
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 64) / 64 * 64);
	const ws_status status = ws_execute(plan, io, workspace);
	free(workspace);
	return status;
}

/* gap: bytes between rows of responses, which must stay as they were. */
static responses
convolve(const set *s, ws_ctx *ctx, const ws_conv_opts *opts, size_t gap)
{
	responses r = { 0 };
	ws_plan *plan = plan_of(ctx, s, opts, &r);
	const size_t rows = s->shape.channels * s->masks.count, wide = r.bytes + gap;
	char *y = need(rows * wide);
	memset(y, 0x55, rows * wide);
	r.method = need(s->masks.count * sizeof *r.method);
	ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_METHOD] = { r.method, { 0 } } };
	buffers[array_of(s)] = (ws_buffer){ y, { s->masks.count * wide, wide } };
	const ws_io io = { .size = sizeof io, .x = s->x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	if (execute(plan, &io) != WS_OK)
		fail_msg("%s", ws_error_detail());
	r.y = need(rows * r.bytes);
	for (size_t i = 0; i < rows; ++i) {
		memcpy(r.y + i * r.bytes, y + i * wide, r.bytes);
		for (size_t k = 0; k < gap; ++k)
			assert_int_equal(y[i * wide + r.bytes + k], 0x55);
	}
	free(y);
	ws_plan_destroy(plan);
	return r;
}

static void
free_responses(responses *r)
{
	free(r->y);
	free(r->method);
}

/* Says where they first differ. */
static bool
same(const set *s, const responses *a, const responses *b)
{
	assert_int_equal(a->outputs, b->outputs);
	for (size_t c = 0; c < s->shape.channels; ++c)
		for (size_t m = 0; m < s->masks.count; ++m) {
			const char *p = a->y + (c * s->masks.count + m) * a->bytes;
			const char *q = b->y + (c * s->masks.count + m) * b->bytes;
			if (memcmp(p, q, a->bytes) == 0)
				continue;
			size_t i = 0;
			while (p[i] == q[i])
				++i;
			printf("channel %zu, mask %zu of %zu taps, byte %zu of a row of %zu\n", c,
			       m, s->lengths[m], i, a->bytes);
			return false;
		}
	return true;
}

/* ---- Bits --------------------------------------------------------------------------------- */

static void
describe_case(const set *s, const ws_conv_opts *o, int trial)
{
	printf("trial %d: %zu channels of %zu %s, %zu %s masks, every %d, extent %d, sums %d, "
	       "flip %d, accumulators %d, narrow %d\n", trial, s->shape.channels, s->shape.samples,
	       s->shape.type == WS_F32 ? "f32" : "f64", s->masks.count,
	       s->masks.type == WS_C128 ? "complex" : "real", o->decimate, (int)o->extent,
	       (int)o->sums, o->flip, o->accumulators, (int)o->narrow);
}

/* Work of a set, so that the CPU does it soon. */
static bool
is_heavy(const set *s, const ws_conv_opts *o)
{
	double taps = 0;
	for (size_t i = 0; i < s->masks.count; ++i)
		taps += (double)s->lengths[i];
	const double sums = o->sums == WS_SUMS_COMPENSATED ? 8
	                    : o->accumulators > 1 ? 3 * o->accumulators : 1;
	return taps * (double)(s->shape.samples * s->shape.channels) * sums > 2e9;
}

static void
test_random_sets(void **state)
{
	rng r = { 77 };
	(void)state;
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", 0);
	ws_ctx *small = context("cuda", (size_t)40 << 20);
	const int trials = slow_tier() ? 1000 : few(200);
	int compared = 0, differ = 0;
	for (int trial = 0; trial < trials && differ < 5; ++trial) {
		const bool complex = trial % 4 == 3;
		const size_t masks = trial % 40 == 9 ? 5000 : (size_t)rng_int(&r, 1, 40);
		const size_t n = (size_t)pow(10.0, 1 + 3.5 * rng_uniform(&r));
		const lengths kind = masks > 40 ? SHORT : (lengths)(trial % LENGTH_KINDS);
		set s = draw_set(&r, (size_t)rng_int(&r, 1, 3), n, masks, kind,
		                 1 + (size_t)(1.5 * (double)n), trial % 2 ? WS_F32 : WS_F64,
		                 complex);
		ws_conv_opts o = { .method = WS_CONV_DIRECT, .flip = rng_int(&r, 0, 1),
			.sums = (ws_sums)rng_int(&r, 1, 3),
			.extent = rng_int(&r, 0, 3) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.decimate = rng_int(&r, 0, 2) ? 1 : rng_int(&r, 2, rng_int(&r, 2, 700)) };
		size_t longest = 0;
		for (size_t i = 0; i < masks; ++i)
			longest = s.lengths[i] > longest ? s.lengths[i] : longest;
		if (longest <= n && rng_int(&r, 0, 4) == 0)
			o.extent = WS_EXTENT_VALID;
		if (!is_heavy(&s, &o)) {
			const size_t gap = trial % 3 ? 0 : 24;
			responses want = convolve(&s, cpu, &o, 0);
			responses got = convolve(&s, trial % 5 ? gpu : small, &o, gap);
			++compared;
			if (!same(&s, &want, &got)) {
				describe_case(&s, &o, trial);
				++differ;
			}
			for (size_t i = 0; i < masks; ++i)
				assert_int_equal(got.method[i], WS_CONV_DIRECT);
			free_responses(&want);
			free_responses(&got);
		}
		free_set(&s);
	}
	printf("%d of %d random sets compared, %d differ\n", compared, trials, differ);
	assert_true(compared > trials / 2);
	assert_int_equal(differ, 0);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* Accumulators by magnitude, 16-bit numbers, signals that are oversampled. */
static void
test_parted_and_narrow(void **state)
{
	rng r = { 83 };
	(void)state;
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", 0);
	ws_ctx *small = context("cuda", (size_t)40 << 20);
	const int trials = slow_tier() ? 400 : few(120);
	int compared = 0, differ = 0;
	for (int trial = 0; trial < trials && differ < 5; ++trial) {
		const ws_type type = trial % 3 ? WS_F32 : WS_F64;
		const size_t n = (size_t)pow(10.0, 1 + 3.2 * rng_uniform(&r));
		set s = draw_set(&r, (size_t)rng_int(&r, 1, 3), n, (size_t)rng_int(&r, 1, 20),
		                 (lengths)(trial % LENGTH_KINDS), 1 + n, type, trial % 4 == 3);
		/* Each channel has a scale of its own. */
		for (size_t c = 0; c < s.shape.channels; ++c)
			for (size_t i = c * n; i < (c + 1) * n; ++i)
				if (type == WS_F32)
					((float *)s.x)[i] *= ldexpf(1.0f, 9 * (int)c - 20);
				else
					((double *)s.x)[i] *= ldexp(1.0, 90 * (int)c - 200);
		ws_conv_opts o = { .method = WS_CONV_DIRECT,
			.accumulators = trial % 5 ? 1 + trial % 8 : 1,
			.narrow = type == WS_F32 ? (ws_narrow)rng_int(&r, 0, 2) : (ws_narrow)0,
			.mask_rounding = (ws_mask_rounding)rng_int(&r, 1, 5),
			.extent = rng_int(&r, 0, 3) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.decimate = rng_int(&r, 0, 2) ? 1 : rng_int(&r, 2, 50) };
		if (o.accumulators == 1)
			o.sums = (ws_sums)rng_int(&r, 1, 3);
		if (trial % 3 == 1) {
			o.oversample = 2 << rng_int(&r, 0, 1);
			o.interpolation = (ws_interpolation)rng_int(&r, 1, 4);
		}
		if (!is_heavy(&s, &o)) {
			responses want = convolve(&s, cpu, &o, 0);
			responses got = convolve(&s, trial % 5 ? gpu : small, &o, 0);
			++compared;
			if (!same(&s, &want, &got)) {
				describe_case(&s, &o, trial);
				++differ;
			}
			free_responses(&want);
			free_responses(&got);
		}
		free_set(&s);
	}
	printf("%d of %d sets of accumulators, 16-bit numbers and oversampled signals compared, %d "
	       "differ\n", compared, trials, differ);
	assert_true(compared > trials / 2);
	assert_int_equal(differ, 0);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* ---- Masks that the GPU makes -------------------------------------------------------------- */

/* All responses of a formula's masks; *made: the plan leaves the masks to the GPU. */
static void *
respond(ws_ctx *ctx, const set *s, const ws_conv_opts *o, size_t *bytes, bool *made)
{
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, "conv", &s->shape, o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	*made = strstr(ws_plan_describe(plan), "made by the GPU") != NULL;
	const int array = o->mask_formula == WS_MASK_GABOR ? WS_CONV_COMPLEX : WS_CONV_RESPONSES;
	ws_array a = { .size = sizeof a };
	assert_int_equal(ws_plan_array(plan, array, &a), WS_OK);
	*bytes = a.extent[0] * a.extent[1] * a.extent[2] * type_size(s->shape.type) *
	         (array == WS_CONV_COMPLEX ? 2 : 1);
	void *y = need(*bytes);
	ws_buffer buffers[WS_CONV_ARRAYS] = { [0] = { 0 } };
	buffers[array].data = y;
	const ws_io io = { .size = sizeof io, .x = s->x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	/* The second finds the masks there. */
	for (int i = 0; i < 2; ++i)
		if (execute(plan, &io) != WS_OK)
			fail_msg("%s", ws_error_detail());
	ws_plan_destroy(plan);
	return y;
}

static void
test_formulae(void **state)
{
	rng r = { 84 };
	(void)state;
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", 0);
	ws_ctx *small = context("cuda", (size_t)24 << 20);
	const int trials = slow_tier() ? 400 : few(120);
	int made_there = 0;
	for (int trial = 0; trial < trials; ++trial) {
		const ws_type type = trial % 2 ? WS_F32 : WS_F64;
		set s = draw_set(&r, 1, (size_t)rng_int(&r, 200, 4000), 1, SHORT, 40, type, false);
		ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .method = WS_CONV_DIRECT,
			.mask_formula = (ws_mask_formula)(1 + trial % 4),
			.mask_rounding = (ws_mask_rounding)rng_int(&r, 1, 5), .seed = 9,
			.flip = rng_int(&r, 0, 1), .sums = (ws_sums)rng_int(&r, 1, 3),
			.extent = rng_int(&r, 0, 1) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.scale_low = { rng_int(&r, 1, 40), rng_int(&r, 1, 8) },
			.scale_high = { rng_int(&r, 1, 200), rng_int(&r, 1, 8) },
			.scale_count = (size_t)rng_int(&r, 1, trial % 10 ? 30 : 400),
			.scale_spacing = (ws_spacing)rng_int(&r, 1, 2) };
		if (trial % 3 == 0) {
			strcpy(o.amplitude_error, "0.37");
			strcpy(o.timing_error, "scale^0.5:0.01");
		}
		/* Masks that not all are there at once. */
		if (trial % 10 == 0) {
			o.scale_low = (ws_ratio){ 1, 1 };
			o.scale_high = (ws_ratio){ 400, 1 };
			o.scale_count = 400;
		}
		size_t bytes, others;
		bool here, there;
		void *want = respond(cpu, &s, &o, &bytes, &here);
		void *got = respond(trial % 5 ? gpu : small, &s, &o, &others, &there);
		assert_false(here);
		made_there += there;
		assert_int_equal(bytes, others);
		if (memcmp(want, got, bytes) != 0) {
			describe_case(&s, &o, trial);
			fail_msg("masks of formula %d differ", (int)o.mask_formula);
		}
		free(want);
		free(got);
		free_set(&s);
	}
	printf("%d of %d made by the GPU\n", made_there, trials);
	assert_int_equal(made_there, trials);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* A million masks, of a tap each. */
static void
test_million(void **state)
{
	double x[3] = { 1.5, -2.25, 1e-3 };
	const set s = { .shape = { .size = sizeof s.shape, .channels = 1, .samples = 3,
	                           .type = WS_F64 }, .x = x };
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .method = WS_CONV_DIRECT,
		.mask_formula = WS_MASK_MORLET, .scale_low = { 1, 100 }, .scale_high = { 1, 50 },
		.scale_count = fast_tier() ? 50000 : 1000000 };
	(void)state;
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", 0);
	size_t bytes, others;
	bool made;
	void *want = respond(cpu, &s, &o, &bytes, &made);
	void *got = respond(gpu, &s, &o, &others, &made);
	assert_true(made);
	assert_int_equal(bytes, 3 * o.scale_count * sizeof(double));
	assert_int_equal(bytes, others);
	assert_memory_equal(want, got, bytes);
	free(got);
	/* Their tables alone are more than this. */
	ws_ctx *small = context("cuda", (size_t)4 << 20);
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, small, "conv", &s.shape, &o), WS_E_NOMEM);
	assert_null(strchr(ws_error_detail(), '\n'));
	assert_non_null(strstr(ws_error_detail(), "`device_memory`"));
	free(want);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* One long mask: its tree is shared between blocks of threads. */
static void
test_long_masks(void **state)
{
	static const size_t lengths_of[] = { 511, 512, 513, 1025, 30001, 200001 };
	rng r = { 78 };
	(void)state;
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", 0);
	/* Sanitizers take their time. */
	const size_t n = fast_tier() ? 3001 : 20011, kinds = fast_tier() ? 4 : 6;
	for (size_t i = 0; i < kinds; ++i)
		for (int sums = WS_SUMS_PLAIN; sums <= WS_SUMS_COMPENSATED; sums += 2)
			for (int type = WS_F64; type <= WS_F32; ++type) {
				set s = draw_set(&r, 1, n, 1 + i % 3, ALIKE, lengths_of[i],
				                 (ws_type)type, i == 4);
				for (size_t m = 0; m < s.masks.count; ++m)
					s.lengths[m] = lengths_of[i];
				s.masks.offsets = NULL;
				free(s.values);
				const size_t taps = s.masks.count * lengths_of[i] * 2;
				s.masks.values = s.values = need(taps * sizeof *s.values);
				for (size_t k = 0; k < taps; ++k)
					s.values[k] = rng_normal(&r);
				for (int every = 1; every < 20; every += 16) {
					const ws_conv_opts o = { .method = WS_CONV_DIRECT,
						.sums = (ws_sums)sums, .decimate = every,
						.extent = i % 2 ? WS_EXTENT_FULL : WS_EXTENT_SAME };
					responses want = convolve(&s, cpu, &o, 0);
					responses got = convolve(&s, gpu, &o, 0);
					assert_true(same(&s, &want, &got));
					free_responses(&want);
					free_responses(&got);
				}
				free_set(&s);
			}
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
}

/* ---- Transforms --------------------------------------------------------------------------- */

/* The largest difference of a row from the direct one over the largest value of that. */
static double
row_error(const set *s, const responses *a, const responses *b, size_t row)
{
	const size_t n = a->bytes / type_size(s->shape.type);
	double most = 0, largest = 0;
	for (size_t i = 0; i < n; ++i) {
		const double p = get(s->shape.type, a->y + row * a->bytes, i);
		const double q = get(s->shape.type, b->y + row * b->bytes, i);
		/* What is not a number counts. */
		most = !(fabs(p - q) <= most) ? fabs(p - q) : most;
		largest = fabs(p) > largest ? fabs(p) : largest;
	}
	return largest > 0 ? most / largest : most;
}

/* The method of all masks is recorded; where `method` is 0, of each. */
static void
test_transforms(void **state)
{
	rng r = { 82 };
	double worst[2] = { 0, 0 };
	int used[4] = { 0 }, trials = slow_tier() ? 200 : few(64);
	(void)state;
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", 0);
	ws_ctx *small = context("cuda", (size_t)64 << 20);
	for (int trial = 0; trial < trials; ++trial) {
		const bool complex = trial % 5 == 3;
		const size_t n = (size_t)pow(10.0, 1 + 4 * rng_uniform(&r));
		const ws_type type = trial % 2 ? WS_F32 : WS_F64;
		set s = draw_set(&r, (size_t)rng_int(&r, 1, 3), n, (size_t)rng_int(&r, 1, 40),
		                 (lengths)(trial % LENGTH_KINDS), 1 + n / 2, type, complex);
		ws_conv_opts o = { .method = WS_CONV_DIRECT, .flip = rng_int(&r, 0, 1),
			.sums = (ws_sums)rng_int(&r, 1, 2),
			.extent = rng_int(&r, 0, 3) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.decimate = rng_int(&r, 0, 2) ? 1 : rng_int(&r, 2, 70) };
		if (!is_heavy(&s, &o)) {
			responses want = convolve(&s, cpu, &o, 0);
			o.method = trial % 3 == 2 ? (ws_conv_method)0
			           : trial % 3 ? WS_CONV_OVERLAP_SAVE : WS_CONV_FFT;
			responses got = convolve(&s, trial % 7 ? gpu : small, &o, 0);
			const bool wide = type == WS_F64;
			for (size_t i = 0; i < s.shape.channels * s.masks.count; ++i) {
				const double e = row_error(&s, &want, &got, i);
				if (!(e <= (wide ? 1e-13 : 3e-6))) {
					describe_case(&s, &o, trial);
					fail_msg("row %zu: error %g of the largest value", i, e);
				}
				worst[!wide] = e > worst[!wide] ? e : worst[!wide];
			}
			for (size_t i = 0; i < s.masks.count; ++i) {
				assert_true(got.method[i] >= 1 && got.method[i] <= 3);
				++used[got.method[i]];
				if (o.method)
					assert_int_equal(got.method[i], o.method);
			}
			free_responses(&want);
			free_responses(&got);
		}
		free_set(&s);
	}
	printf("%d masks direct, %d by FFT, %d by overlap-save; worst error over the largest value "
	       "%.2g (f64), %.2g (f32)\n", used[1], used[2], used[3], worst[0], worst[1]);
	assert_true(used[1] && used[2] && used[3]);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* ---- Arrays in the device's memory ---------------------------------------------------------- */

/* Rows with gaps; the samples come only once the stream has come so far. */
static void
check_on_device(rng *r, size_t n, ws_type type, bool complex, const ws_conv_opts *opts, size_t gap,
                size_t memory)
{
	set s = draw_set(r, 3, n, 70, LONG, 2000, type, complex);
	ws_ctx *gpu = context("cuda:0", memory);
	responses want = convolve(&s, gpu, opts, 0), got = { 0 };
	ws_plan *plan = plan_of(gpu, &s, opts, &got);
	const size_t row = s.shape.samples * type_size(type), wide = row + gap;
	const size_t rows = s.shape.channels * s.masks.count, out = got.bytes + gap;
	const address from = on_device(s.shape.channels * wide);
	const address late = on_device(s.shape.channels * wide);
	const address y = on_device(rows * out);
	void *stream;
	assert_int_equal(cu.stream(&stream, 1), 0);
	/* The gaps, too: what is copied was written. */
	char *padded = need(s.shape.channels * wide);
	memset(padded, 0x55, s.shape.channels * wide);
	for (size_t c = 0; c < s.shape.channels; ++c)
		memcpy(padded + c * wide, (char *)s.x + c * row, row);
	assert_int_equal(cu.to_device(from, padded, s.shape.channels * wide), 0);
	free(padded);
	assert_int_equal(cu.copy(late, from, s.shape.channels * wide, stream), 0);
	ws_buffer buffers[WS_CONV_ARRAYS] = { 0 };
	buffers[array_of(&s)] = (ws_buffer){ (void *)y, { s.masks.count * out, out } };
	const ws_io io = { .size = sizeof io, .x = (void *)late, .x_stride = wide,
		.arrays = buffers, .n_arrays = WS_CONV_ARRAYS, .memory = WS_MEMORY_DEVICE,
			.cuda_stream = stream };
	assert_int_equal(execute(plan, &io), WS_OK);
	assert_int_equal(cu.wait(stream), 0);
	got.y = need(rows * got.bytes);
	for (size_t i = 0; i < rows; ++i)
		assert_int_equal(cu.to_host(got.y + i * got.bytes, y + i * out, got.bytes), 0);
	if (!same(&s, &want, &got)) {
		describe_case(&s, opts, -1);
		fail_msg("arrays on the device and in the host's memory differ");
	}
	cu.free(from);
	cu.free(late);
	cu.free(y);
	ws_plan_destroy(plan);
	ws_ctx_destroy(gpu);
	free_responses(&want);
	free_responses(&got);
	free_set(&s);
}

static void
test_device_arrays(void **state)
{
	rng r = { 79 };
	(void)state;
	open_driver();
	for (int trial = 0; trial < 12; ++trial) {
		const ws_conv_opts o = { .decimate = trial < 6 ? 1 : 7,
			.method = trial % 5 ? WS_CONV_DIRECT : WS_CONV_OVERLAP_SAVE,
			.accumulators = trial % 5 && trial > 7 ? 3 : 1,
			.narrow = trial % 2 && trial > 6 ? WS_NARROW_BF16 : (ws_narrow)0,
			.extent = trial % 2 ? WS_EXTENT_SAME : WS_EXTENT_FULL };
		check_on_device(&r, 5003, (ws_type)(trial % 2), trial % 4 > 1, &o,
		                trial % 3 ? 48 : 0, 0);
	}
}

/* Signals that the GPU oversamples beside those that the CPU does. */
static void
test_oversampled_there(void **state)
{
	rng r = { 82 };
	(void)state;
	open_driver();
	double taps[4 * 9];
	size_t taps_of[4] = { 1, 9, 4, 6 };
	for (int i = 0; i < 4 * 9; ++i)
		taps[i] = rng_normal(&r);
	ws_masks kernel = { .size = sizeof kernel, .type = WS_F64, .lengths = taps_of,
		.values = taps };
	static const size_t samples[] = { 5003, 1, 2, 3, 4, 5, 70 };
	for (int trial = 0; trial < 28; ++trial) {
		ws_conv_opts o = { .oversample = trial % 2 ? 2 : 4,
			.interpolation = (ws_interpolation)(1 + trial % 3),
			.decimate = trial % 7 ? 1 : 3,
			.method = trial % 5 ? WS_CONV_DIRECT : WS_CONV_OVERLAP_SAVE };
		if (trial % 4 == 3) {
			kernel.count = (size_t)o.oversample;
			o.interpolation = (ws_interpolation)0;
			o.interpolation_kernel = &kernel;
		}
		check_on_device(&r, samples[trial % 7], (ws_type)(trial / 2 % 2), trial % 8 == 1,
		                &o, trial % 3 ? 48 : 0, trial % 2 ? 0 : (size_t)40 << 20);
	}
	/* What is not done there is refused. */
	set s = draw_set(&r, 1, 100, 3, SHORT, 40, WS_F64, false);
	const ws_conv_opts o = { .oversample = 2, .method = WS_CONV_DIRECT,
		.interpolation = WS_INTERPOLATE_AUTOREGRESSIVE };
	ws_ctx *gpu = context("cuda:0", 0);
	responses rows = { 0 };
	ws_plan *plan = plan_of(gpu, &s, &o, &rows);
	const address memory = on_device((size_t)1 << 20);
	ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { (void *)memory, { 0 } } };
	const ws_io io = { .size = sizeof io, .x = (void *)memory, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS,
		.memory = WS_MEMORY_DEVICE };
	assert_int_equal(execute(plan, &io), WS_E_UNSUPPORTED);
	assert_non_null(strstr(ws_error_detail(), "autoregressive"));
	cu.free(memory);
	ws_plan_destroy(plan);
	ws_ctx_destroy(gpu);
	free_set(&s);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void
test_refused(void **state)
{
	rng r = { 80 };
	(void)state;
	ws_ctx *ctx[2] = { context("cpu", 0), context("cuda", 0) };
	set s = draw_set(&r, 3, 3000, 20, MIXED, 900, WS_F64, false);
	responses rows = { 0 };
	const ws_conv_opts o = { .method = WS_CONV_DIRECT };
	char line[2][512];
	double *x = s.x;
	for (int kind = 0; kind < 2; ++kind) {
		for (int i = 0; i < 2; ++i) {
			ws_plan *plan = plan_of(ctx[i], &s, &o, &rows);
			ws_buffer buffers[WS_CONV_ARRAYS] = {
				[WS_CONV_RESPONSES] = { need(60 * rows.bytes), { 0 } } };
			const ws_io io = { .size = sizeof io, .x = s.x, .arrays = buffers,
				.n_arrays = WS_CONV_ARRAYS,
				.first_channel = 4 };
			const double kept = x[3000 + 1234];
			x[3000 + 1234] = kind ? 1e308 : (double)NAN;
			if (kind == 0)
				x[2 * 3000 + 7] = INFINITY;
			assert_int_equal(execute(plan, &io), WS_E_FORMAT);
			x[3000 + 1234] = kept;
			x[2 * 3000 + 7] = 0.5;
			snprintf(line[i], sizeof line[i], "%s", ws_error_detail());
			free(buffers[WS_CONV_RESPONSES].data);
			ws_plan_destroy(plan);
		}
		assert_string_equal(line[0], line[1]);
	}
	ws_ctx_destroy(ctx[0]);
	ws_ctx_destroy(ctx[1]);
	free_set(&s);
}

typedef struct striker { int calls; struct timespec asked; } striker;

/* Asks to stop as soon as there has been some work. */
static int
strike(void *user, double done)
{
	striker *s = user;
	(void)done;
	if (++s->calls < 3)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &s->asked);
	return 1;
}

/* Sums of masks so long that an item of them takes most of a second are left in the middle; what
 * comes next is as it would be. */
static void
test_cancel(void **state)
{
	rng r = { 82 };
	(void)state;
	if (fast_tier())
		return;
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", 0);
	enum { MASKS = 32, TAPS = 400000 };
	set s = draw_set(&r, 1, 1000000, MASKS, SHORT, 1, WS_F64, false);
	free(s.values);
	s.masks.offsets = NULL;
	s.masks.values = s.values = need((size_t)MASKS * TAPS * sizeof *s.values);
	for (size_t k = 0; k < (size_t)MASKS * TAPS; ++k)
		s.values[k] = sin(1e-3 * (double)k);
	for (size_t m = 0; m < MASKS; ++m)
		s.lengths[m] = TAPS;
	const ws_conv_opts o = { .method = WS_CONV_DIRECT, .sums = WS_SUMS_COMPENSATED,
		.decimate = 16 };
	responses rows = { 0 };
	ws_plan *plan = plan_of(gpu, &s, &o, &rows);
	ws_buffer buffers[WS_CONV_ARRAYS] = {
		[WS_CONV_RESPONSES] = { need(MASKS * rows.bytes), { 0 } } };
	striker user = { 0 };
	const ws_io io = { .size = sizeof io, .x = s.x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS, .progress = strike,
		.user = &user };
	struct timespec now;
	for (int times = 0; times < 3; ++times) {
		user.calls = 0;
		assert_int_equal(execute(plan, &io), WS_E_CANCELLED);
		clock_gettime(CLOCK_MONOTONIC, &now);
		const double waited = (double)(now.tv_sec - user.asked.tv_sec) +
		                      1e-9 * (double)(now.tv_nsec - user.asked.tv_nsec);
		printf("cancelled: back after %.0f ms\n", 1e3 * waited);
		assert_true(waited < 0.2);
	}
	ws_plan_destroy(plan);
	free(buffers[WS_CONV_RESPONSES].data);
	free_set(&s);
	s = draw_set(&r, 2, 30000, 9, MIXED, 900, WS_F64, false);
	responses want = convolve(&s, cpu, &o, 0), got = convolve(&s, gpu, &o, 0);
	assert_true(same(&s, &want, &got));
	free_responses(&want);
	free_responses(&got);
	free_set(&s);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
}

/* The least memory that is asked for suffices; what does not is refused by one line. */
static void
test_memory(void **state)
{
	rng r = { 81 };
	(void)state;
	set s = draw_set(&r, 2, 300000, 6, ALIKE, 100, WS_F32, false);
	ws_ctx *cpu = context("cpu", 0), *gpu = context("cuda", (size_t)1 << 20);
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .method = WS_CONV_DIRECT,
		.masks = &s.masks };
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, gpu, "conv", &s.shape, &o), WS_E_NOMEM);
	double least = 0;
	assert_int_equal(sscanf(strstr(ws_error_detail(), ": "), ": %lf MiB", &least), 1);
	assert_true(least > 1.0 && least < 64.0);
	ws_ctx_destroy(gpu);
	gpu = context("cuda", (size_t)((least + 0.1) * 1048576.0));
	responses want = convolve(&s, cpu, &o, 0), got = convolve(&s, gpu, &o, 0);
	assert_true(same(&s, &want, &got));
	free_responses(&want);
	free_responses(&got);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	free_set(&s);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_sets),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_parted_and_narrow),
		cmocka_unit_test(test_formulae),
		cmocka_unit_test(test_million),
		cmocka_unit_test(test_long_masks),
		cmocka_unit_test(test_transforms),
		cmocka_unit_test(test_device_arrays),
		cmocka_unit_test(test_oversampled_there),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
