/*
 * test_bits.c - the results depend on input, options and type only: the
 * reference table, every instruction set of this machine, any number of
 * threads, any way of cutting the work and whatever the memory held before
 * give the same bits.
 *
 * Cases come at random from fixed seeds; a failing one is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"
#include "emd_rows.h"
#include "random_job.h"
#include "math/marks.h"
#include "math/real.h"
#include "ops/ops.h"
#include "transform/emd/emd.h"

/* ---- Kernels ------------------------------------------------------------------ */

/* One signal with what the two slots read and write. */
typedef struct bench {
	ws_type type;
	size_t n, words;
	void *x, *y;
	uint64_t *marks[2], *half;
	double *sums;
	wsi_counts counts;
	wsi_mean_counts above;
	wsi_ends ends;              /* beyond the whole signal */
} bench;

static bench
bench_new(ws_type type, size_t n, int fill)
{
	bench b = { .type = type, .n = n, .words = WSI_WORDS(n) };
	b.x = need(b.words * WSI_WORD * type_size(type));
	b.y = need(b.words * WSI_WORD * type_size(type));
	memset(b.x, fill, b.words * WSI_WORD * type_size(type));
	memset(b.y, fill, b.words * WSI_WORD * type_size(type));
	for (int k = 0; k < 2; ++k) {
		b.marks[k] = need(b.words * sizeof(uint64_t));
		memset(b.marks[k], fill, b.words * sizeof(uint64_t));
	}
	b.half = need(b.words * sizeof *b.half);
	memset(b.half, fill, b.words * sizeof *b.half);
	b.sums = need(6 * b.words * sizeof(double));
	memset(b.sums, fill, 6 * b.words * sizeof(double));
	return b;
}

static void
bench_free(bench *b)
{
	free(b->x);
	free(b->y);
	free(b->marks[0]);
	free(b->marks[1]);
	free(b->half);
	free(b->sums);
}

/* The next of several cuts of `words` into ranges, at random. */
static size_t
next_cut(rng *r, size_t from, size_t words)
{
	if (!r)
		return words;
	size_t to = from + (size_t)rng_int(r, 1, rng_int(r, 0, 2) ? 4 : 400);
	return to < words ? to : words;
}

/* Marks in ranges of words; r NULL: in one. */
static void
run_mark(const wsi_ops *ops, bench *b, wsi_mark_args m, rng *r)
{
	m.x = b->x;
	m.n = b->n;
	m.marks[0] = b->marks[0];
	m.marks[1] = b->marks[1];
	m.half = m.half ? b->half : NULL;
	memset(&b->counts, 0, sizeof b->counts);
	for (size_t w = 0; w < b->words; w = m.word1) {
		m.word0 = w;
		m.word1 = next_cut(r, w, b->words);
		ops->mark(&m, &b->counts);
	}
}

/* Does the knot of the extremum at sample i lie half a sample earlier? */
static bool
is_half(const bench *b, bool half_ticks, size_t i)
{
	return half_ticks && b->half[i / WSI_WORD] >> (i % WSI_WORD) & 1;
}

static double
knot_value(const bench *b, bool half, size_t i)
{
	const double v = get(b->type, b->x, i), before = half ? get(b->type, b->x, i - 1) : v;
	return b->type == WS_F64 ? 0.5 * (before + v) : (double)(0.5f * ((float)before + (float)v));
}

/* The knots on one side of samples first .. end - 1: extrema outwards, then those
 * beyond the signal's end. */
static void
side_of_range(const bench *b, bool half_ticks, int kind, int side, size_t first, size_t end,
              wsi_extras *out)
{
	const wsi_extras *beyond = &b->ends.extra[kind][side];
	int32_t t[WSI_BEYOND];
	double v[WSI_BEYOND];
	int n = 0;
	for (size_t i = side == WSI_LEFT ? first : end; n < WSI_BEYOND;) {
		if (side == WSI_LEFT ? i == 0 : i >= b->n)
			break;
		const size_t p = side == WSI_LEFT ? --i : i++;
		if (b->marks[kind][p / WSI_WORD] >> (p % WSI_WORD) & 1) {
			const bool half = is_half(b, half_ticks, p);
			t[n] = (int32_t)(WSI_TICKS * p) - half;
			v[n++] = knot_value(b, half, p);
		}
	}
	for (int i = 0; i < beyond->n && n < WSI_BEYOND; ++i, ++n) {
		const int k = side == WSI_LEFT ? beyond->n - 1 - i : i;
		t[n] = beyond->t[k];
		v[n] = beyond->v[k];
	}
	out->n = n;
	for (int i = 0; i < n; ++i) {
		out->t[i] = t[side == WSI_LEFT ? n - 1 - i : i];
		out->v[i] = v[side == WSI_LEFT ? n - 1 - i : i];
	}
}

static void
run_mean(const wsi_ops *ops, bench *b, wsi_mean_args m, rng *r)
{
	wsi_ends ends;
	m.x = b->x;
	m.y = b->y;
	m.n = b->n;
	m.marks[0] = b->marks[0];
	m.marks[1] = b->marks[1];
	m.half = m.half ? b->half : NULL;
	m.ends = &ends;
	m.block_sums = b->sums;
	m.scratch = need(ops->mean_scratch + 1);
	memset(m.scratch, 0x5a, ops->mean_scratch);
	memset(&b->above, 0, sizeof b->above);
	for (size_t w = 0; w < b->words; w = m.word1) {
		m.word0 = w;
		m.word1 = next_cut(r, w, b->words);
		for (int i = 0; i < 4; ++i)
			side_of_range(b, m.half != NULL, i / 2, i % 2, w * WSI_WORD,
			              m.word1 * WSI_WORD, &ends.extra[i / 2][i % 2]);
		ops->mean_sub(&m, &b->above);
	}
	free(m.scratch);
}

static bool
same_marks(const bench *a, const bench *b, bool half)
{
	for (size_t w = 0; half && w < a->words; ++w)
		if (a->half[w] != b->half[w]) {
			printf("  word %zu of half: %016llx and %016llx\n", w,
			       (unsigned long long)a->half[w], (unsigned long long)b->half[w]);
			return false;
		}
	for (int k = 0; k < 2; ++k)
		for (size_t w = 0; w < a->words; ++w)
			if (a->marks[k][w] != b->marks[k][w]) {
				printf("  word %zu of marks %d: %016llx and %016llx\n", w, k,
				       (unsigned long long)a->marks[k][w],
				       (unsigned long long)b->marks[k][w]);
				return false;
			}
	if (memcmp(&a->counts, &b->counts, sizeof a->counts) != 0) {
		printf("  counts differ\n");
		return false;
	}
	return true;
}

static bool
same_mean(const bench *a, const bench *b, bool stats)
{
	const size_t e = type_size(a->type);
	for (size_t i = 0; i < a->n; ++i)
		if (memcmp((char *)a->y + i * e, (char *)b->y + i * e, e) != 0) {
			printf("  sample %zu of y: %a and %a\n", i, get(a->type, a->y, i),
			       get(a->type, b->y, i));
			return false;
		}
	if (!stats)
		return true;
	if (memcmp(a->sums, b->sums, 6 * a->words * sizeof(double)) != 0 ||
	    memcmp(&a->above, &b->above, sizeof a->above) != 0) {
		printf("  statistics differ\n");
		return false;
	}
	return true;
}

/* One or two knots beyond each end, now and then inside but beyond all extrema. */
static void
make_ends(bench *b, rng *r)
{
	const int32_t last = (int32_t)(b->n - 1) * WSI_TICKS;
	for (int kind = 0; kind < 2; ++kind) {
		int64_t first_mark = -1, last_mark = -1;
		for (size_t i = 0; i < b->n; ++i)
			if (b->marks[kind][i / WSI_WORD] >> (i % WSI_WORD) & 1) {
				first_mark = first_mark < 0 ? (int64_t)i : first_mark;
				last_mark = (int64_t)i;
			}
		for (int side = 0; side < 2; ++side) {
			wsi_extras *e = &b->ends.extra[kind][side];
			const int choice = rng_int(r, 0, 3);
			e->n = choice == 0 ? 1 : choice == 1 ? 3 : choice == 2 ? WSI_HALO : 2;
			/* From the inside out. */
			int32_t t = side == WSI_LEFT ? 2 *
				(int32_t)(first_mark < 0 ? 1 : first_mark)
			                             : 2 * (int32_t)(last_mark < 0 ? 1 : last_mark);
			const int32_t stop = side == WSI_LEFT ? 0 : last;
			for (int i = 0; i < e->n; ++i) {
				int32_t room = side == WSI_LEFT ? t - stop : stop - t;
				/* The outermost must reach the end sample. */
				int32_t step = 2 * rng_int(r, 2, i & 1 ? 4 : 40);
				if (i == e->n - 1 && step < room)
					step = room;
				t += side == WSI_LEFT ? -step : step;
				int k = side == WSI_LEFT ? e->n - 1 - i : i;
				e->t[k] = t;
				e->v[k] = b->type == WS_F64 ? rng_normal(r)
					: (double)(float)rng_normal(r);
			}
		}
		/* Knots of both sides must not meet where there is no extremum between. */
		if (first_mark < 0)
			for (int i = 0; i < b->ends.extra[kind][WSI_RIGHT].n; ++i)
				b->ends.extra[kind][WSI_RIGHT].t[i] += 4;
	}
}

static size_t
random_length(rng *r)
{
	static const int around[] = { 64, 128, 192, 1024, 4096, 16384 };
	switch (rng_int(r, 0, 3)) {
	case 0:
		return (size_t)rng_int(r, 1, 200);
	case 1:
		return (size_t)(around[rng_int(r, 0, 5)] + rng_int(r, -2, 2));
	case 2:
		return (size_t)rng_int(r, 200, 3000);
	default:
		return (size_t)rng_int(r, 1, 4) * 64;
	}
}

static bool
check_kernels(rng *r, ws_type type, size_t n, signal_kind kind)
{
	double *d = need(n * sizeof *d);
	signal_make(kind, r, n, d);
	bench ref = bench_new(type, n, 0xa5);
	to_type(type, d, n, ref.x);
	free(d);
	static const double flats[] = { 0.0, 0.0, 1e-3, 0.3, 2.0 };
	wsi_mark_args mark = {
		.flat = (double)(float)flats[rng_int(r, 0, 4)],
		.plateaus = rng_int(r, 0, 3) > 0, .lone = rng_int(r, 0, 1) > 0,
		.cyclic = rng_int(r, 0, 2) == 0, .signs = true,
	};
	mark.half = rng_int(r, 0, 1) ? ref.half : NULL; /* each bench has its own */
	run_mark(wsi_ops_find("ref", type), &ref, mark, NULL);
	make_ends(&ref, r);
	wsi_mean_args mean = {
		.spline = (ws_spline)rng_int(r, 1, 4),
		.want_above = rng_int(r, 0, 1), .want_sums = rng_int(r, 0, 1), .sd = 0.05,
			.sd2 = 0.5,
	};
	mean.half = mark.half;
	run_mean(wsi_ops_find("ref", type), &ref, mean, NULL);
	bool ok = true;
	const char *isa;
	for (int i = 1; ok && (isa = isa_to_test(i)); ++i)
		for (int cut = 0; ok && cut < 2; ++cut) {
			bench b = bench_new(type, n, cut ? 0xa5 : 0x5a);
			memcpy(b.x, ref.x, n * type_size(type));
			b.ends = ref.ends;
			run_mark(wsi_ops_find(isa, type), &b, mark, cut ? r : NULL);
			ok = same_marks(&ref, &b, mark.half != NULL);
			run_mean(wsi_ops_find(isa, type), &b, mean, cut ? r : NULL);
			ok = ok && same_mean(&ref, &b, mean.want_sums);
			if (!ok)
				printf("  kernels %s, %s, %zu samples of %s, spline %d, plateaus "
				       "%d, cyclic %d, half ticks "
				       "%d%s\n", isa, type == WS_F64 ? "f64" : "f32", n,
				       signal_name(kind), mean.spline, mark.plateaus, mark.cyclic,
				       mean.half != NULL, cut ? ", cut at random" : "");
			bench_free(&b);
		}
	bench_free(&ref);
	return ok;
}

static void
test_kernels(void **state)
{
	(void)state;
	rng r = { 20 };
	int n_cases = 0;
	/* Every short length, then lengths at random. */
	for (size_t n = 1; n <= 200; ++n)
		for (int type = 0; type < 2; ++type, ++n_cases)
			assert_true(check_kernels(&r, (ws_type)type, n,
			                          (signal_kind)rng_int(&r, 0, SIGNAL_KINDS - 1)));
	const int more = slow_tier() ? 20000 : 1000;
	for (int i = 0; i < more; ++i, ++n_cases)
		assert_true(check_kernels(&r, (ws_type)(i & 1), random_length(&r),
		                          (signal_kind)(i / 2 % SIGNAL_KINDS)));
	printf("%d signals through mark and mean_sub\n", n_cases);
}

/* The passes over whole rows: what all of them make of ROWS rows. */
enum { ROWS = 5, RESULTS = 12 };

typedef struct passes {
	char *rows;             /* [RESULTS][time] */
	double *sums;           /* [block] twice: of samples, of squares about a mean */
	double min, max;
} passes;

static passes
run_passes(const wsi_ops *ops, const char *rows, size_t n, uint64_t seed, int exponent)
{
	const size_t e = ops->element, row = n * e, blocks = (n + 31) / 32;
	const double mean = 0.125;
	passes p = { .rows = need(RESULTS * row), .sums = need(2 * blocks * sizeof(double)) };
	char *o = p.rows;
	ops->subtract(o, rows, rows + row, n);
	ops->add_scaled(o += row, rows, rows + row, 0.3, n);
	ops->sum_rows(o += row, rows, n, ROWS, n);
	ops->sum_rows(o += row, rows, n, 1, n);
	ops->add(o += row, rows, rows + row, n);
	ops->divide(o += row, rows, 7.0, n);
	memcpy(o += row, rows, row);
	ops->divide(o, o, 3.0, n);
	ops->shift(o += row, rows, -0.7, n);
	/* To subnormals, rounded, and back; to numbers of size 1, and an offset. */
	ops->scale(o += row, rows, exponent, 0.0, n);
	ops->scale(o + row, o, -exponent, 0.0, n);
	o += row;
	ops->scale(o += row, rows, -3, 0.7, n);
	ops->noise(seed, 3, 5, n, o += row);
	assert_true(o == p.rows + (RESULTS - 1) * row);
	ops->minmax(rows, n, &p.min, &p.max);
	ops->block_sums(rows, n, NULL, p.sums);
	ops->block_sums(rows, n, &mean, p.sums + blocks);
	return p;
}

static void
free_passes(passes *p)
{
	free(p->rows);
	free(p->sums);
}

static void
check_rows(rng *r, ws_type type, size_t n)
{
	const size_t e = type_size(type), blocks = (n + 31) / 32;
	const int exponent = type == WS_F64 ? -1060 : -140;
	const uint64_t seed = rng_next(r);
	double *d = need(ROWS * n * sizeof *d);
	for (size_t i = 0; i < ROWS * n; ++i)
		d[i] = rng_int(r, 0, 9) ? rng_normal(r) : rng_int(r, 0, 1) ? 0.0 : -0.0;
	char *rows = need(ROWS * n * e);
	to_type(type, d, ROWS * n, rows);
	passes want = run_passes(wsi_ops_find("ref", type), rows, n, seed, exponent);
	const char *isa;
	for (int i = 1; (isa = isa_to_test(i)); ++i) {
		passes got = run_passes(wsi_ops_find(isa, type), rows, n, seed, exponent);
		for (size_t k = 0; k < RESULTS; ++k)
			assert_memory_equal(want.rows + k * n * e, got.rows + k * n * e, n * e);
		assert_memory_equal(want.sums, got.sums, 2 * blocks * sizeof(double));
		assert_true(want.min == got.min && want.max == got.max);
		free_passes(&got);
	}
	free_passes(&want);
	free(d);
	free(rows);
}

static void
test_rows(void **state)
{
	(void)state;
	rng r = { 21 };
	for (size_t n = 1; n <= 140; ++n)
		for (int type = 0; type < 2; ++type)
			check_rows(&r, (ws_type)type, n);
	for (int i = 0; i < 20; ++i)
		check_rows(&r, (ws_type)(i & 1), random_length(&r));
}

/* ---- Decompositions -------------------------------------------------------------- */

static void
random_cases(ws_method method, int cases)
{
	rng r = { 100 + (uint64_t)method };
	int compared = 0;
	for (int i = 0; i < cases; ++i) {
		signal_kind kind;
		job j = random_job(&r, method, i, &kind);
		bool valid;
		assert_true(same_everywhere(&j, kind, &r, &valid));
		compared += valid;
		random_job_free(&j);
	}
	printf("%d of %d random configurations compared (the others contradict themselves)\n",
	       compared, cases);
	assert_true(compared > cases / 2);
}

static void
test_emd(void **state)
{
	(void)state;
	random_cases(WS_METHOD_EMD, slow_tier() ? 8000 : SANITIZED ? 150 : 500);
}

static void
test_eemd(void **state)
{
	(void)state;
	random_cases(WS_METHOD_EEMD, slow_tier() ? 1000 : few(70));
}

static void
test_ceemdan(void **state)
{
	(void)state;
	random_cases(WS_METHOD_CEEMDAN, slow_tier() ? 1000 : few(70));
}

static void
test_iceemdan(void **state)
{
	(void)state;
	random_cases(WS_METHOD_ICEEMDAN, slow_tier() ? 1000 : few(70));
}

static void
test_memd(void **state)
{
	(void)state;
	random_cases(WS_METHOD_MEMD, slow_tier() ? 2000 : SANITIZED ? 20 : few(150));
}

/* Every boundary x spline x stop rule of EMD, in both types. */
static void
test_all_combinations(void **state)
{
	(void)state;
	rng r = { 31 };
	int n_cases = 0;
	for (int boundary = 1; boundary <= 4; ++boundary)
		for (int spline = 1; spline <= 4; ++spline)
			for (int stop = 1; stop <= 7; ++stop)
				for (int type = 0; type < 2; ++type, ++n_cases) {
					job j = {
						.shape = { .channels = 1,
							.samples = 300 + (size_t)n_cases % 64,
						           .type = (ws_type)type },
						.o = { .boundary = (ws_boundary)boundary,
						       .spline = (ws_spline)spline,
							.stop_rule = (ws_stop)stop,
						       .max_sifts = stop == WS_STOP_FIXED ? 0
							: 15 },
					};
					signal_kind kind = (signal_kind)(n_cases % SIGNAL_KINDS);
					void *x = random_signals(&r, &j.shape, kind);
					j.x = x;
					bool valid;
					assert_true(same_everywhere(&j, kind, &r, &valid) && valid);
					free(x);
				}
	printf("%d combinations of boundary, spline, stop rule and type\n", n_cases);
}

/* Signals long enough that threads share one, cut at words nobody chose. */
static void
test_within(void **state)
{
	(void)state;
	rng r = { 32 };
	static const size_t lengths[] = { 16384, 16385, 16447, 32767, 40000 };
	int n_cases = 0;
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l)
		for (int k = 0; k < SIGNAL_KINDS; ++k, ++n_cases) {
			if (!slow_tier() && (k + (int)l) % 5)
				continue;
			job j = {
				.shape = { .channels = 1 + (size_t)(k == 3), .samples = lengths[l],
				           .type = (ws_type)(n_cases & 1) },
				.o = { .boundary = (ws_boundary)rng_int(&r, 1, 4),
				       .spline = (ws_spline)rng_int(&r, 1, 4),
					.stop_rule = (ws_stop)rng_int(&r, 1, 7),
				       .reference = rng_int(&r, 0,
				                            3) ? WS_REF_NONE : WS_REF_LIBEEMD,
				       .max_sifts = 6, .check_every = rng_int(&r, 1, 2) },
			};
			void *x = random_signals(&r, &j.shape, (signal_kind)k);
			j.x = x;
			result want, got;
			j.threads = 1;
			j.fill = 0xa5;
			must_decompose(&j, &want);
			for (j.threads = 2; j.threads <= 4; ++j.threads) {
				j.isa = isa_to_test(1 + (k + j.threads) % 2);
				j.fill = 0x5a;
				must_decompose(&j, &got);
				bool same = same_result(&want, &got);
				if (!same)
					print_job(&j, (signal_kind)k);
				assert_true(same);
				result_free(&got);
			}
			result_free(&want);
			free(x);
		}
}

/* ---- Runs in blocks ---------------------------------------------------------------- */

typedef struct sink {
	const char *x;
	result *r;
	size_t row, next;
} sink;

static ws_status
fetch(void *user, size_t channel, void *x)
{
	const sink *s = user;
	memcpy(x, s->x + channel * s->row, s->row);
	return WS_OK;
}

static ws_status
deliver(void *user, const ws_channel_result *of)
{
	const emd_rows rows = emd_rows_of(of), *c = &rows;
	sink *s = user;
	result *r = s->r;
	assert_int_equal(c->channel, s->next);
	s->next++;
	assert_memory_equal(c->x, s->x + c->channel * s->row, s->row);
	r->count[c->channel] = c->modes;
	r->unfinished[c->channel] = c->unfinished;
	const size_t first = c->channel * (size_t)r->rows, modes = (size_t)c->modes;
	memset((char *)r->modes + first * s->row, 0, (size_t)r->rows * s->row);
	memset(r->sifts + first, 0, (size_t)r->rows * sizeof *r->sifts);
	memcpy((char *)r->modes + first * s->row, c->mode_rows, modes * s->row);
	memcpy(r->sifts + first, c->sifts, modes * sizeof *r->sifts);
	memcpy((char *)r->residue + c->channel * s->row, c->residue, s->row);
	return WS_OK;
}

static void
check_run(rng *r, ws_method method, ws_type type)
{
	job j = {
		.shape = { .size = sizeof(ws_shape), .channels = 7, .samples = 300, .type = type },
		.o = random_options(r, method), .threads = rng_int(r, 1, 4),
	};
	j.o.reference = WS_REF_NONE;
	void *x = random_signals(r, &j.shape, SIGNAL_WHITE);
	j.x = x;
	j.o.size = sizeof j.o;
	j.o.tag = WS_TAG_EMD;
	result want, got;
	must_decompose(&j, &want);
	ws_ctx *ctx;
	ws_ctx_opts ctx_opts = { .size = sizeof ctx_opts, .threads = j.threads };
	assert_int_equal(ws_ctx_create(&ctx, &ctx_opts), WS_OK);
	must_decompose(&j, &got);
	ws_run *run;
	assert_int_equal(ws_run_create(&run, ctx, emd_fit(&j.o), &j.shape, &j.o, 0), WS_OK);
	const size_t whole = ws_run_bytes(run);
	ws_run_destroy(run);
	/* Down to a single channel at a time, each size of blocks once. */
	int tried = 0;
	size_t last = 0;
	for (size_t memory = whole; memory > whole / 16; memory -= whole / 256) {
		ws_status status = ws_run_create(&run, ctx, emd_fit(&j.o), &j.shape, &j.o, memory);
		if (status == WS_E_NOMEM)
			break;
		assert_int_equal(status, WS_OK);
		assert_true(ws_run_bytes(run) <= memory);
		if (ws_run_bytes(run) == last) {
			ws_run_destroy(run);
			continue;
		}
		last = ws_run_bytes(run);
		sink s = { x, &got, j.shape.samples * type_size(type), 0 };
		ws_stream stream = { .size = sizeof stream, .read = fetch, .write = deliver,
			.user = &s };
		assert_int_equal(ws_run_execute(run, &stream), WS_OK);
		assert_int_equal(s.next, j.shape.channels);
		/* Stages of ensembles may note sifts in rows past the last mode. */
		for (size_t c = 0; c < want.channels; ++c)
			for (int k = want.count[c]; k < want.rows; ++k)
				want.sifts[c * (size_t)want.rows + (size_t)k] = 0;
		bool same = same_result(&want, &got);
		if (!same)
			print_job(&j, SIGNAL_WHITE);
		assert_true(same);
		ws_run_destroy(run);
		tried++;
	}
	assert_true(tried > 1);
	ws_ctx_destroy(ctx);
	result_free(&want);
	result_free(&got);
	free(x);
}

static void
test_blocks(void **state)
{
	(void)state;
	rng r = { 33 };
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method)
		for (int type = 0; type < 2; ++type)
			for (int i = 0; i < (slow_tier() ? 10 : 2); ++i)
				check_run(&r, (ws_method)method, (ws_type)type);
}

int
main(void)
{
	print_isas();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_all_combinations),
		cmocka_unit_test(test_emd),
		cmocka_unit_test(test_eemd),
		cmocka_unit_test(test_ceemdan),
		cmocka_unit_test(test_iceemdan),
		cmocka_unit_test(test_memd),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
