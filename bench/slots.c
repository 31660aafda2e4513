/*
 * slots.c - the slots one by one: ns per sample on one core by instruction
 * set, type and density of knots, beside the least time that the machine's
 * measured limits allow: the larger of bytes moved at the rate of memcpy in
 * L2 and operations at the rate of multiply-adds.  Plain kernels have no such
 * limit: their multiply-adds are calls of fma().
 *
 *     slots FOLDER     writes FOLDER/slots.json
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "math/real.h"
#include "ops/ops.h"

enum { N = 16384, WORDS = N / WSI_WORD, ROWS = 32 }; /* x and y stay in L2 */

static const char *const type_names[] = { "f64", "f32" };

typedef struct slot_state {
	const wsi_ops *ops;
	wsi_mark_args mark;
	wsi_mean_args mean;
	wsi_ends ends;
	void *x, *y, *rows;
	double knots;           /* per sample */
	double sums[N / 32];
} slot_state;

/* ---- Limits ------------------------------------------------------------------- */

/*
 * Operations, each at best one instruction on a vector, counted in src/math.
 * mark      comparisons with both neighbours, one mask operation for each kind
 * mean_sub  per envelope a conversion of ticks and 3 multiply-adds; sum, result
 * knot      chord and row 12; f64: 4 steps of 14, 16, 14, 10, f32: 3 steps of
 *           14, 14, 12; Neumann terms of 2, two of them, f32: three; c2 and c3 8 (a
 *           division counts as one)
 * noise     per pair: Philox 10 rounds of 8, logarithm 17, turn 25, 10 between
 */
enum { MARK_OPS = 4, SAMPLE_OPS = 10, KNOT_OPS_64 = 78, KNOT_OPS_32 = 66, NOISE_OPS = 66 };

typedef struct limits {
	double bytes_per_ns;
	double ops_per_ns[2];
} limits;

typedef struct slot {
	const char *name;
	void (*run)(void *state);
	double bytes, ops;      /* per sample */
} slot;

static void
put_row(json_t *rows, const char *name, const slot_state *state, double density, double ns,
        double bytes, double ops, const limits *l)
{
	const int type = state->ops->type;
	const double rate = l->ops_per_ns[type];
	const double by_bytes = bytes / l->bytes_per_ns, by_ops = rate > 0.0 ? ops / rate : 0.0;
	const bool bytes_bind = by_bytes > by_ops;
	const double limit = rate > 0.0 ? bytes_bind ? by_bytes : by_ops : 0.0;
	const char *bound = rate > 0.0 ? bytes_bind ? "bytes" : "operations" : "none";
	printf("%-10s %-6s %s", name, state->ops->isa, type_names[type]);
	if (density > 0.0)
		printf(" %5.3f knots a sample", density);
	printf(" %7.3f ns, limit %6.3f (%s)\n", ns, limit, bound);
	json_array_append_new(rows, json_pack(
		"{s:s, s:s, s:s, s:f, s:f, s:f, s:s, s:f, s:f}", "slot", name, "isa",
		state->ops->isa, "type", type_names[type], "density", density, "ns", ns, "limit",
			limit,
		"bound", bound, "bytes", bytes, "operations", ops));
}

static void
report(json_t *rows, const slot *s, slot_state *state, const limits *l, double density)
{
	double ns = bench_time(s->run, state, 15, 2e-4) * 1e9 / N;
	put_row(rows, s->name, state, density, ns, s->bytes, s->ops, l);
}

/* ---- Slots ---------------------------------------------------------------------- */

static void
run_mark(void *arg)
{
	slot_state *s = arg;
	wsi_counts counts = { { 0, 0 }, 0, 0 };
	s->ops->mark(&s->mark, &counts);
	s->knots = (double)(counts.extrema[WSI_MAX] + counts.extrema[WSI_MIN]) / N;
}

static void
run_mean_sub(void *arg)
{
	slot_state *s = arg;
	wsi_mean_counts counts = { 0, 0 };
	s->ops->mean_sub(&s->mean, &counts);
}

static void
run_block_sums(void *arg)
{
	slot_state *s = arg;
	s->ops->block_sums(s->x, N, NULL, s->sums);
}

static void
run_subtract(void *arg)
{
	slot_state *s = arg;
	s->ops->subtract(s->y, s->y, s->x, N);
}

static void
run_sum_rows(void *arg)
{
	slot_state *s = arg;
	s->ops->sum_rows(s->y, s->rows, N / ROWS, ROWS, N / ROWS);
}

static void
run_noise(void *arg)
{
	slot_state *s = arg;
	s->ops->noise(1, 0, 0, N, s->y);
}

/* Another signal: its marks, and its end samples as knots of both envelopes. */
static void
give(slot_state *s, double density)
{
	const bool f64 = s->ops->type == WS_F64;
	bench_waves(s->ops->type, N, density, s->x);
	run_mark(s);
	const double ends[2] = { f64 ? ((double *)s->x)[0] : (double)((float *)s->x)[0],
		                 f64 ? ((double *)s->x)[N - 1] : (double)((float *)s->x)[N - 1] };
	for (int kind = 0; kind < 2; ++kind)
		for (int side = 0; side < 2; ++side) {
			wsi_extras *e = &s->ends.extra[kind][side];
			e->n = 1;
			e->t[0] = side == WSI_LEFT ? 0 : (N - 1) * WSI_TICKS;
			e->v[0] = ends[side];
		}
}

static void
prepare(slot_state *s, const wsi_ops *ops)
{
	s->ops = ops;
	s->x = bench_alloc(N * ops->element);
	s->y = bench_alloc(N * ops->element);
	s->rows = bench_alloc(N * ops->element);
	uint64_t *max = bench_alloc(3 * WORDS * sizeof *max), *half = max + 2 * WORDS;
	s->mark = (wsi_mark_args){ .x = s->x, .n = N, .marks = { max, max + WORDS }, .half = half,
		                  .word1 = WORDS, .plateaus = true };
	s->mean = (wsi_mean_args){ .x = s->x, .y = s->y, .n = N, .marks = { max, max + WORDS },
		                  .half = half, .ends = &s->ends,
		                  .spline = WS_SPLINE_NOT_A_KNOT, .word1 = WORDS,
		                  .scratch = bench_alloc(ops->mean_scratch) };
}

static void
release(slot_state *s)
{
	free(s->x);
	free(s->y);
	free(s->rows);
	free(s->mark.marks[0]);
	free(s->mean.scratch);
}

/* What a knot costs: the slope of mean_sub over the knots, against a signal of
 * next to none.  Both the making of the list and the spline are in it. */
static void
report_knots(json_t *rows, slot_state *s, const limits *l)
{
	const int type = s->ops->type;
	double ns[2], knots[2];
	for (int i = 0; i < 2; ++i) {
		give(s, i ? 0.667 : 0.0005);
		knots[i] = s->knots;
		ns[i] = bench_time(run_mean_sub, s, 15, 2e-4) * 1e9 / N;
	}
	double each = (ns[1] - ns[0]) / (knots[1] - knots[0]);
	put_row(rows, "knot", s, 0.0, each, 0.0, type == WS_F64 ? KNOT_OPS_64 : KNOT_OPS_32, l);
}

static void
all_slots(json_t *rows, const wsi_ops *ops, const limits *l)
{
	static const double densities[] = { 0.667, 0.2, 0.02 };
	static slot_state s;
	prepare(&s, ops);
	const double e = (double)ops->element;
	const double knot_ops = ops->type == WS_F64 ? KNOT_OPS_64 : KNOT_OPS_32;
	for (int i = 0; i < 3; ++i) {
		give(&s, densities[i]);
		const slot mark = { "mark", run_mark, e + 0.25, MARK_OPS };
		const slot mean = { "mean_sub", run_mean_sub, 2.0 * e + 0.25,
			            SAMPLE_OPS + s.knots * knot_ops };
		report(rows, &mark, &s, l, s.knots);
		report(rows, &mean, &s, l, s.knots);
	}
	report_knots(rows, &s, l);
	const slot rest[] = {
		{ "subtract", run_subtract, 2.0 * e, 1.0 }, /* y in place */
		{ "sum_rows", run_sum_rows, e + e / ROWS, 1.0 },
		{ "block_sums", run_block_sums, e, 1.0 },
		{ "noise", run_noise, e, NOISE_OPS / 2.0 },
	};
	for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i)
		report(rows, &rest[i], &s, l, 0.0);
	release(&s);
}

static void
report_limits(json_t *rows, const char *isa, const limits *l)
{
	printf("limits of %s: memcpy in L2 %.0f bytes a ns, multiply-adds %.1f (f64) and %.1f "
	       "(f32) a ns\n", isa, l->bytes_per_ns, l->ops_per_ns[WS_F64], l->ops_per_ns[WS_F32]);
	json_array_append_new(rows, json_pack(
		"{s:s, s:s, s:f, s:f, s:f}", "slot", "limits", "isa", isa, "bytes_per_ns",
		l->bytes_per_ns, "f64_per_ns", l->ops_per_ns[WS_F64], "f32_per_ns",
		l->ops_per_ns[WS_F32]));
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		bench_die("usage: slots FOLDER");
	setvbuf(stdout, NULL, _IOLBF, 0);
	json_t *rows = json_array();
	limits l = { .bytes_per_ns = bench_copy_rate(256 << 10) };
	const double memory = bench_copy_rate((size_t)256 << 20);
	printf("memcpy in memory (256 MiB): %.1f bytes a ns\n", memory);
	json_array_append_new(rows,
	                      json_pack("{s:s, s:f}", "slot", "memory", "bytes_per_ns", memory));
	const char *isa;
	for (int i = 0; (isa = ws_isa_name(i)) != NULL; ++i) {
		for (int type = WS_F64; type <= WS_F32; ++type)
			l.ops_per_ns[type] = strcmp(isa, "plain") == 0 ? 0.0 : bench_fma_rate(isa,
			                                                                      type);
		report_limits(rows, isa, &l);
		for (int type = WS_F64; type <= WS_F32; ++type)
			all_slots(rows, wsi_ops_find(isa, type), &l);
	}
	bench_write(argv[1], "slots", rows);
	return 0;
}
