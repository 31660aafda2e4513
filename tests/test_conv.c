/*
 * test_conv.c - direct convolution: bits by the letter of math/conv.h for any instruction set,
 * threads, cut and grouping; accuracy; outputs; what is refused.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"
#include "math/conv.h"

/* ---- An output by the letter -------------------------------------------------------------- */

/* One mask on one signal; values are f64, and exactly f32 where sums are. */
typedef struct letter {
	const double *x, *m;
	int64_t n, length, parts, part; /* part of m[length][parts] */
	int64_t at;             /* the output */
	bool f32, carried;      /* how sums are made */
} letter;

typedef struct pair { double sum, rest; } pair;

/* Every operation is of the type of the sums. */
static double
op(const letter *l, double exact_in_f64)
{
	return l->f32 ? (float)exact_in_f64 : exact_in_f64;
}

static double
multiply_add(const letter *l, double a, double b, double c)
{
	return l->f32 ? fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static double plus(const letter *l, double a, double b) { return op(l, a + b); }
static double minus(const letter *l, double a, double b) { return op(l, a - b); }

/* What a + b = sum loses. */
static double
lost(const letter *l, double a, double b, double sum)
{
	const double z = minus(l, sum, a);
	return plus(l, minus(l, a, minus(l, sum, z)), minus(l, b, z));
}

static pair
add(const letter *l, pair a, pair b)
{
	const double sum = plus(l, a.sum, b.sum);
	if (!l->carried)
		return (pair){ sum, 0 };
	return (pair){ sum, plus(l, plus(l, a.rest, b.rest), lost(l, a.sum, b.sum, sum)) };
}

static pair
section(const letter *l, int64_t j)
{
	pair s = { 0, 0 };
	for (int64_t d = 512 * j - 256; d < 512 * j + 256; ++d) {
		const int64_t k = d + l->length / 2, i = l->at + d;
		const double m = k >= 0 && k < l->length ? l->m[k * l->parts + l->part] : 0;
		const double x = i >= 0 && i < l->n ? l->x[i] : 0;
		if (!l->carried) {
			s.sum = multiply_add(l, x, m, s.sum);
			continue;
		}
		const double p = op(l, x * m), rest = multiply_add(l, x, m, -p);
		const double sum = plus(l, s.sum, p);
		s.rest = plus(l, s.rest, plus(l, rest, lost(l, s.sum, p, sum)));
		s.sum = sum;
	}
	return s;
}

/* The sum of sections index 2^level .. (index + 1) 2^level - 1. */
static pair
tree(const letter *l, int64_t index, int level)
{
	const int64_t first = index * ((int64_t)1 << level), end = first + ((int64_t)1 << level);
	const int64_t low = -(l->length / 2), high = l->length - 1 + low;
	if (512 * end - 256 <= low || 512 * first - 256 > high)
		return (pair){ 0, 0 };
	if (level == 0)
		return section(l, index);
	return add(l, tree(l, 2 * index, level - 1), tree(l, 2 * index + 1, level - 1));
}

static double
by_the_letter(const letter *l)
{
	const pair s = add(l, tree(l, -1, WSI_CONV_LEVELS), tree(l, 0, WSI_CONV_LEVELS));
	return plus(l, l->carried ? plus(l, s.sum, s.rest) : s.sum, 0.0);
}

/* ---- Jobs --------------------------------------------------------------------------------- */

typedef struct set {
	ws_masks masks;
	size_t *lengths, *offsets;
	double *values;
	size_t n, channels;
	double *x;              /* [channel][n] */
	ws_type type;
} set;

/* Numbers are f32 in f32 sets, so that nothing is rounded on the way. */
static double
draw(rng *r, ws_type type)
{
	const double v = rng_int(r, 0, 20) ? rng_normal(r) : ldexp(rng_normal(r),
	                                                           rng_int(r, -20, 9));
	return type == WS_F32 ? (float)v : v;
}

/* lengths up to `longest`; a third of them alike. */
static set
draw_set(rng *r, ws_type type, size_t masks, size_t longest, size_t n, bool complex)
{
	set s = { .n = n, .channels = 2, .type = type };
	size_t taps = 0;
	s.lengths = need(masks * sizeof *s.lengths);
	s.offsets = need(masks * sizeof *s.offsets);
	const int like = rng_int(r, 1, (int)longest);
	for (size_t i = 0; i < masks; ++i) {
		s.lengths[i] = (size_t)(rng_int(r, 0, 2) ? rng_int(r, 1, (int)longest)
		               : like + (like < (int)longest ? rng_int(r, 0, 1) : 0));
		s.offsets[i] = taps;
		taps += s.lengths[i];
	}
	s.values = need(taps * 2 * sizeof *s.values);
	for (size_t k = 0; k < taps * (complex ? 2 : 1); ++k)
		s.values[k] = draw(r, type);
	s.x = need(s.channels * n * sizeof *s.x);
	for (size_t i = 0; i < s.channels * n; ++i)
		s.x[i] = draw(r, type);
	s.masks = (ws_masks){ .size = sizeof s.masks, .count = masks, .lengths = s.lengths,
		.offsets = rng_int(r, 0, 1) ? s.offsets : NULL, .values = s.values,
		.type = complex ? WS_C128 : WS_F64 };
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
context(const char *isa, int threads)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = "cpu", .isa = isa, .threads = threads };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

typedef struct responses {
	size_t outputs;
	int64_t first;          /* output */
	double *y;              /* [channel][mask][output][part], from either type */
	size_t parts;
} responses;

static void *
in_type(const double *x, size_t n, ws_type type)
{
	void *to = need(n * 8);
	for (size_t i = 0; i < n; ++i)
		if (type == WS_F32)
			((float *)to)[i] = (float)x[i];
		else
			((double *)to)[i] = x[i];
	return to;
}

static responses
convolve(const set *s, const char *isa, int threads, const ws_conv_opts *opts)
{
	ws_ctx *ctx = context(isa, threads);
	ws_conv_opts o = *opts;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.masks = &s->masks;
	o.method = o.method ? o.method : WS_CONV_DIRECT;
	if (s->type == WS_F64 && o.sums == WS_SUMS_F64)
		o.sums = WS_SUMS_PLAIN; /* the same */
	const ws_shape shape = { .size = sizeof shape, .channels = s->channels, .samples = s->n,
		.type = s->type };
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &o), WS_OK);
	responses r = { .parts = s->masks.type == WS_C128 ? 2 : 1 };
	const int array = WS_CONV_RESPONSES;
	ws_array a = { .size = sizeof a };
	assert_int_equal(ws_plan_array(plan, array, &a), WS_OK);
	r.outputs = a.extent[2];
	double *times = need(r.outputs * sizeof *times);
	assert_int_equal(ws_plan_axis(plan, array, WS_AXIS_TIME, times, r.outputs), WS_OK);
	r.first = (int64_t)times[0];
	const size_t numbers = s->channels * s->masks.count * r.outputs * r.parts;
	void *x = in_type(s->x, s->channels * s->n, s->type);
	char *y = need(numbers * 8);
	memset(y, 0x55, numbers * 8);
	int32_t *methods = need(s->masks.count * sizeof *methods);
	ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_METHOD] = { methods, { 0 } } };
	buffers[array].data = y;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	void *workspace = need(ws_plan_workspace(plan));
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	for (size_t i = 0; i < s->masks.count; ++i)
		assert_int_equal(methods[i], o.method);
	r.y = need(numbers * sizeof *r.y);
	for (size_t i = 0; i < numbers; ++i)
		r.y[i] = s->type == WS_F32 ? (double)((float *)y)[i] : ((double *)y)[i];
	free(methods);
	free(times);
	free(x);
	free(y);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return r;
}

/* ---- Bits --------------------------------------------------------------------------------- */

static letter
letter_of(const set *s, const ws_conv_opts *o, size_t channel, size_t mask, size_t part)
{
	const size_t parts = s->masks.type == WS_C128 ? 2 : 1;
	return (letter){ .x = s->x + channel * s->n, .m = s->values + s->offsets[mask] * parts,
		.n = (int64_t)s->n, .length = (int64_t)s->lengths[mask], .parts = (int64_t)parts,
		.part = (int64_t)part, .f32 = s->type == WS_F32 && o->sums != WS_SUMS_F64,
		.carried = o->sums == WS_SUMS_COMPENSATED };
}

static void
check_letter(rng *r, const set *s, const ws_conv_opts *o, const responses *got, const char *what)
{
	const int64_t every = o->decimate ? o->decimate : 1;
	for (int i = 0; i < 60; ++i) {
		const size_t c = rng_next(r) % s->channels, m = rng_next(r) % s->masks.count;
		const size_t part = rng_next(r) % got->parts;
		size_t at = rng_next(r) % got->outputs;
		at = i == 0 ? 0 : i == 1 ? got->outputs - 1 : at;
		letter l = letter_of(s, o, c, m, part);
		l.at = got->first + (int64_t)at * every;
		double want = by_the_letter(&l);
		if (s->type == WS_F32)
			want = (float)want;
		const double y = got->y[((c * s->masks.count + m) * got->outputs + at) * got->parts
		                        + part];
		if (memcmp(&y, &want, sizeof y) != 0)
			fail_msg("%s: channel %zu, mask %zu of %zu taps, output %lld: %a, not %a",
			         what, c, m, s->lengths[m], (long long)l.at, y, want);
	}
}

static void
test_bits(void **state)
{
	rng r = { 21 };
	(void)state;
	for (int trial = 0; trial < 40; ++trial) {
		const ws_type type = trial % 2 ? WS_F32 : WS_F64;
		const bool complex = trial % 5 == 0;
		const size_t n = (size_t)rng_int(&r, 1, trial % 4 ? 900 : 5000);
		const int longest = trial % 3 == 0 ? 40 : trial % 3 == 1 ? 1500 : 9000;
		set s = draw_set(&r, type, (size_t)rng_int(&r, 1, 17), (size_t)longest, n, complex);
		const ws_conv_opts o = { .sums = (ws_sums)rng_int(&r, 0, 3),
			.decimate = trial % 7 == 0 ? rng_int(&r, 1, 2000) : trial % 3 ? 1
			            : rng_int(&r, 2, 30),
			.extent = rng_int(&r, 0, 2) ? WS_EXTENT_SAME : WS_EXTENT_FULL };
		const char *isa;
		responses first = { 0 };
		for (int i = 0; (isa = ws_isa_name(i)); ++i)
			for (int threads = 1; threads < 4; threads += 2) {
				responses got = convolve(&s, isa, threads, &o);
				if (!first.y) {
					first = got;
					check_letter(&r, &s, &o, &got, isa);
					continue;
				}
				const size_t numbers = s.channels * s.masks.count * got.outputs *
				                       got.parts;
				if (memcmp(first.y, got.y, numbers * sizeof *got.y) != 0)
					fail_msg("trial %d: %s with %d threads has other bits",
					         trial, isa, threads);
				free(got.y);
			}
		free(first.y);
		free_set(&s);
	}
}

/* Every D-th output, as among all. */
static void
test_decimated(void **state)
{
	rng r = { 5 };
	(void)state;
	for (int trial = 0; trial < 20; ++trial) {
		set s = draw_set(&r, trial % 2 ? WS_F32 : WS_F64, 5, trial % 3 ? 700 : 3000,
		                 (size_t)rng_int(&r, 1, 4000), trial % 4 == 0);
		const int every = trial % 5 ? rng_int(&r, 2, 40) : rng_int(&r, 500, 3000);
		ws_conv_opts o = { .extent = WS_EXTENT_FULL };
		responses all = convolve(&s, NULL, 1, &o);
		o.decimate = every;
		responses some = convolve(&s, NULL, 2, &o);
		assert_int_equal(some.outputs, (all.outputs - 1) / (size_t)every + 1);
		assert_int_equal(some.first, all.first);
		for (size_t row = 0; row < s.channels * s.masks.count; ++row)
			for (size_t i = 0; i < some.outputs * some.parts; ++i) {
				const size_t at = i / some.parts * (size_t)every * some.parts + i %
				                  some.parts;
				assert_memory_equal(&some.y[row * some.outputs * some.parts + i],
				                    &all.y[row * all.outputs * all.parts + at],
				                    sizeof *all.y);
			}
		free(all.y);
		free(some.y);
		free_set(&s);
	}
}

/* ---- Accuracy ----------------------------------------------------------------------------- */

/* In long double; *size: the sum of |x m|. */
static long double
plainly(const letter *l, long double *size)
{
	long double sum = 0;
	*size = 0;
	for (int64_t k = 0; k < l->length; ++k) {
		const int64_t i = l->at + k - l->length / 2;
		if (i < 0 || i >= l->n)
			continue;
		const long double p = (long double)l->x[i] * l->m[k * l->parts + l->part];
		sum += p;
		*size += fabsl(p);
	}
	return sum;
}

/* How far a response may be from the truth. */
static long double
bound(const letter *l, ws_type type, ws_sums sums, long double want, long double size)
{
	const long double ulp = ldexpl(1, ilogbf((float)want == 0 ? FLT_MIN : (float)want) - 23);
	if (type == WS_F64)
		return sums == WS_SUMS_COMPENSATED ? 2e-16L * fabsl(want) + 1e-25L * size + 1e-300L
		       : 1e-13L * size;
	if (sums == WS_SUMS_F64)
		return ulp + ldexpl(size, -44);
	if (sums == WS_SUMS_COMPENSATED)
		return ulp + ldexpl(size * (long double)l->length, -46);
	return 512 * 6e-8L * size;
}

static void
test_accuracy(void **state)
{
	rng r = { 77 };
	(void)state;
	for (int trial = 0; trial < 200; ++trial) {
		const ws_type type = trial % 2 ? WS_F32 : WS_F64;
		const size_t n = (size_t)rng_int(&r, 1, 2000);
		size_t masks = (size_t)rng_int(&r, 1, 40), longest = (size_t)rng_int(&r, 1, 3000);
		if (trial % 20 == 0) {
			masks = (size_t)rng_int(&r, 1000, 5000);
			longest = 30;
		}
		set s = draw_set(&r, type, masks, longest, n, rng_int(&r, 0, 2) == 0);
		const ws_conv_opts o = { .sums = (ws_sums)(trial / 2 % 4) };
		responses got = convolve(&s, NULL, 2, &o);
		for (int i = 0; i < 200; ++i) {
			const size_t c = rng_next(&r) % 2, m = rng_next(&r) % masks;
			const size_t part = rng_next(&r) % got.parts, at = rng_next(&r) % n;
			letter l = letter_of(&s, &o, c, m, part);
			l.at = (int64_t)at;
			long double size;
			const long double want = plainly(&l, &size);
			const double y = got.y[((c * masks + m) * n + at) * got.parts + part];
			const long double most = bound(&l, type, o.sums, want, size);
			if (fabsl(y - want) > most)
				fail_msg("trial %d: %zu taps: %.17g, not %.17Lg: off by %.3Lg, "
				         "more than "
				         "%.3Lg", trial, s.lengths[m], y, want, fabsl(y - want),
					most);
		}
		free(got.y);
		free_set(&s);
	}
}

/* ---- Outputs ------------------------------------------------------------------------------ */

/* Against numpy: x = [1 2 3 4 5], masks [1 10 100] and [1 10]. */
static void
test_outputs(void **state)
{
	double x[] = { 1, 2, 3, 4, 5 }, values[] = { 1, 10, 100, 1, 10 };
	size_t lengths[] = { 3, 2 };
	const set s = { .masks = { .size = sizeof s.masks, .count = 2, .lengths = lengths,
		.values = values, .type = WS_F64 }, .n = 5, .channels = 1, .x = x };
	(void)state;
	ws_conv_opts o = { .extent = WS_EXTENT_SAME };
	responses r = convolve(&s, NULL, 1, &o);
	/* numpy.correlate(x, m, "same") */
	const double same[] = { 210, 321, 432, 543, 54, 10, 21, 32, 43, 54 };
	assert_memory_equal(r.y, same, sizeof same);
	free(r.y);
	o.flip = 1;
	r = convolve(&s, NULL, 1, &o);
	/* numpy.convolve(x, m, "same") */
	const double convolved[] = { 12, 123, 234, 345, 450, 1, 12, 23, 34, 45 };
	assert_memory_equal(r.y, convolved, sizeof convolved);
	free(r.y);
	o = (ws_conv_opts){ .extent = WS_EXTENT_FULL };
	r = convolve(&s, NULL, 1, &o);
	assert_int_equal(r.outputs, 7);
	assert_int_equal(r.first, -1);
	const double full[] = { 100, 210, 321, 432, 543, 54, 5, 0, 10, 21, 32, 43, 54, 5 };
	assert_memory_equal(r.y, full, sizeof full);
	free(r.y);
	o = (ws_conv_opts){ .extent = WS_EXTENT_VALID, .decimate = 2 };
	r = convolve(&s, NULL, 1, &o);
	assert_int_equal(r.outputs, 2);
	assert_int_equal(r.first, 1);
	const double valid[] = { 321, 543, 21, 43 };
	assert_memory_equal(r.y, valid, sizeof valid);
	free(r.y);
}

/* ---- Runs in parts ------------------------------------------------------------------------ */

typedef struct sink {
	const set *s;
	double *y;
	size_t parts;
} sink;

static ws_status
read_channel(void *user, size_t channel, void *to)
{
	const sink *k = user;
	memcpy(to, k->s->x + channel * k->s->n, k->s->n * sizeof(double));
	return WS_OK;
}

static ws_status
take(void *user, const ws_channel_result *r)
{
	sink *k = user;
	const ws_slab *slab = &r->slabs[WS_CONV_RESPONSES];
	const size_t row = k->s->n, first = slab->first[0], count = slab->extent[0];
	assert_true(first + count <= k->s->masks.count);
	memcpy(k->y + (r->channel * k->s->masks.count + first) * row, slab->data,
	       count * row * sizeof *k->y);
	k->parts++;
	return WS_OK;
}

/* However few masks fit in memory, the bits are the same. */
static void
check_cut(ws_conv_method method)
{
	rng r = { 9 };
	set s = draw_set(&r, WS_F64, 23, 1200, 3000, false);
	const ws_conv_opts plain = { .size = sizeof plain, .tag = WS_TAG_CONV, .method = method };
	responses all = convolve(&s, NULL, 1, &plain);
	ws_ctx *ctx = context(NULL, 2);
	ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .masks = &s.masks,
		.method = method };
	const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = s.n };
	size_t most = 0;
	ws_run *run;
	for (size_t memory = (size_t)2 << 20; memory > 400000; memory = memory * 9 / 10) {
		const ws_status status = ws_run_create(&run, ctx, "conv", &shape, &o, memory);
		if (status == WS_E_NOMEM)
			break;
		assert_int_equal(status, WS_OK);
		/* Of one mask at a time tables may lie beyond. */
		assert_true(ws_run_bytes(run) <= memory || ws_run_blocks(run) == 2 * 23);
		most = ws_run_blocks(run) > most ? ws_run_blocks(run) : most;
		sink k = { .s = &s, .y = need(2 * 23 * s.n * sizeof(double)) };
		const ws_stream stream = { .size = sizeof stream, .read = read_channel,
			.write = take,
			.user = &k };
		assert_int_equal(ws_run_execute(run, &stream), WS_OK);
		assert_memory_equal(k.y, all.y, 2 * 23 * s.n * sizeof(double));
		free(k.y);
		ws_run_destroy(run);
	}
	assert_true(most > 4);
	/* Too little for one mask. */
	assert_int_equal(ws_run_create(&run, ctx, "conv", &shape, &o, 100000), WS_E_NOMEM);
	assert_non_null(strstr(ws_error_detail(), "`memory`"));
	assert_null(strchr(ws_error_detail(), '\n'));
	ws_ctx_destroy(ctx);
	free(all.y);
	free_set(&s);
}

static void
test_cut(void **state)
{
	(void)state;
	for (ws_conv_method m = WS_CONV_DIRECT; m <= WS_CONV_OVERLAP_SAVE; ++m)
		check_cut(m);
}

/* ---- By transforms ------------------------------------------------------------------------ */

/* Each response to 1e-13 (f32: 3e-5) of its largest over time, against the direct method with
 * compensated sums; the same bits for any threads and instruction set. */
static void
test_transforms(void **state)
{
	rng r = { 31 };
	(void)state;
	for (int trial = 0; trial < 200; ++trial) {
		const ws_type type = trial % 4 == 3 ? WS_F32 : WS_F64;
		const size_t n = (size_t)rng_int(&r, 1, trial % 5 ? 900 : 7000);
		const size_t masks = (size_t)(trial % 40 ? rng_int(&r, 1, 12) : rng_int(&r, 500,
		                                                                        2000));
		set s = draw_set(&r, type, masks,
		                 (size_t)rng_int(&r, 1, masks > 400 ? 30 : 2500), n,
		                 rng_int(&r, 0, 2) == 0);
		ws_conv_opts o = { .sums = WS_SUMS_COMPENSATED, .decimate = trial % 3 ? 1 :
			rng_int(&r, 1, 50), .extent = rng_int(&r, 0, 1) ? WS_EXTENT_FULL : 0,
			.flip = trial % 2 };
		responses want = convolve(&s, NULL, 2, &o), got[3] = { { 0 } };
		o.sums = 0;
		o.method = trial % 2 ? WS_CONV_FFT : WS_CONV_OVERLAP_SAVE;
		got[0] = convolve(&s, NULL, 1, &o);
		got[1] = convolve(&s, NULL, 3, &o);
		got[2] = convolve(&s, trial % 10 ? ws_isa_name(1) : "plain", 1, &o);
		const size_t row = want.outputs * want.parts;
		for (size_t i = 0; i < 2 * masks; ++i) {
			double largest = 0, off = 0;
			for (size_t k = 0; k < row; ++k) {
				largest = fmax(largest, fabs(want.y[i * row + k]));
				off = fmax(off, fabs(want.y[i * row + k] - got[0].y[i * row + k]));
			}
			if (off > (type == WS_F64 ? 1e-13 : 3e-5) * largest)
				fail_msg("trial %d, row %zu of %zu taps, %zu samples: off by %g of "
				         "%g", trial, i, s.lengths[i % masks], n, off, largest);
		}
		for (int k = 1; k < 3; ++k)
			assert_memory_equal(got[0].y, got[k].y, 2 * masks * row * sizeof *want.y);
		for (int k = 0; k < 3; ++k)
			free(got[k].y);
		free(want.y);
		free_set(&s);
	}
}

/* What is left to the plan is what is faster, and tells so. */
static void
test_choice(void **state)
{
	static double values[4000], x[60000], y[2 * 60000];
	size_t lengths[] = { 5, 3000 };
	const ws_masks m = { .size = sizeof m, .count = 2, .lengths = lengths, .values = values };
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .masks = &m };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 60000 };
	ws_ctx *ctx = context(NULL, 1);
	ws_plan *plan;
	int32_t method[2];
	(void)state;
	assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &o), WS_OK);
	void *workspace = need(ws_plan_workspace(plan));
	const ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { y, { 0 } },
		[WS_CONV_METHOD] = { method, { 0 } } };
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	assert_int_equal(method[0], WS_CONV_DIRECT);
	assert_int_equal(method[1], WS_CONV_OVERLAP_SAVE);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void
refuse(const ws_conv_opts *o, size_t samples, ws_type type, const char *word)
{
	ws_ctx *ctx = context(NULL, 1);
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = samples,
		.type = type };
	ws_plan *plan;
	ws_conv_opts copy = *o;
	copy.size = sizeof copy;
	copy.tag = WS_TAG_CONV;
	assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &copy), WS_E_ARG);
	assert_null(plan);
	if (!strstr(ws_error_detail(), word))
		fail_msg("\"%s\" does not have \"%s\"", ws_error_detail(), word);
	assert_null(strchr(ws_error_detail(), '\n'));
	ws_ctx_destroy(ctx);
}

static void
test_refused(void **state)
{
	double values[] = { 1, NAN, 3, 4, 1e300 };
	size_t lengths[] = { 2, 0, 2 };
	ws_masks m = { .size = sizeof m, .count = 3, .lengths = lengths, .values = values };
	(void)state;
	ws_conv_opts o = { .masks = &m };
	refuse(&o, 10, WS_F64, "mask 1 is empty");
	lengths[1] = 1;
	refuse(&o, 10, WS_F64, "mask 0, tap 1 is not finite");
	values[1] = 2;
	refuse(&o, 10, WS_F32, "mask 2, tap 1 is 1e+300, more than f32 holds");
	o.extent = WS_EXTENT_VALID;
	refuse(&o, 1, WS_F64, "2 taps does not lie within 1 samples");
	o.mask_formula = WS_MASK_MORLET;
	refuse(&o, 10, WS_F64, "a formula too");
	refuse(&(ws_conv_opts){ .mask_formula = WS_MASK_MORLET, .method = WS_CONV_FFT,
		.sums = WS_SUMS_COMPENSATED }, 10, WS_F64, "by the direct method only");
	refuse(&(ws_conv_opts){ .flip = 1 }, 10, WS_F64, "no masks");
	refuse(&(ws_conv_opts){ .mask_formula = WS_MASK_MORLET, .scale_count = 3,
		.scale_high = { 1, 0 }, .scale_low = { -1, 2 } }, 10, WS_F64, "scale -1/2");
	m.count = 0;
	refuse(&(ws_conv_opts){ .masks = &m }, 10, WS_F64, "0 masks");
}

/* A sample that is not finite, and a response that is more than the type holds, name their
 * place. */
static void
test_not_finite(void **state)
{
	static double x[2][500], y[2][2][500];
	double values[] = { 1, 1, 1 };
	size_t lengths[] = { 1, 2 };
	ws_masks m = { .size = sizeof m, .count = 2, .lengths = lengths, .values = values };
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .masks = &m };
	const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = 500 };
	ws_ctx *ctx = context(NULL, 2);
	ws_plan *plan;
	(void)state;
	assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &o), WS_OK);
	void *workspace = need(ws_plan_workspace(plan));
	const ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { y, { 0 } } };
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	x[1][17] = -HUGE_VAL;
	assert_int_equal(ws_execute(plan, &io, workspace), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel 1, sample 17 is not finite"));
	x[1][17] = x[1][18] = 1.7e308;
	assert_int_equal(ws_execute(plan, &io, workspace), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel 1: the response to mask 1"));
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits), cmocka_unit_test(test_decimated),
		cmocka_unit_test(test_accuracy), cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_transforms), cmocka_unit_test(test_choice),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
