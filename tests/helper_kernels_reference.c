/* helper_kernels_reference.c - see kernels_reference.h. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/emd/engine.h"
#include "kernels_reference.h"
#include "transform/emd/emd.h"
#include "random_job.h"

/* Of core_test.h, and one: every second sample a maximum, in places. */
enum { SIGNALS = SIGNAL_KINDS + 1, MOST_SIFTS = 5, MOST_MODES = 4 };

static wsi_rows
rows_for(const wsi_params *p, int n)
{
	const size_t stride = WSI_WORDS(p->samples) * WSI_WORD * type_size(p->type);
	wsi_rows rows = { aligned_alloc(WSI_ALIGN,
		                        ((size_t)n * stride / WSI_ALIGN + 2) * WSI_ALIGN),
		          stride, n };
	assert(rows.base);
	memset(rows.base, 0, (size_t)n * stride);
	return rows;
}

static void
make_signal(int signal, rng *r, size_t n, double *x)
{
	signal_make((signal_kind)(signal % SIGNAL_KINDS), r, n, x);
	for (size_t i = 0; signal == SIGNALS - 1 && i < n; ++i)
		if (i % 4000 < 3000)
			x[i] = (i % 2 ? 1.0 : -1.0) * (1.0 + 0.5 * rng_uniform(r));
}

/* The modes one after the other. */
static void
sift_modes(reference *r, wsi_engine *e)
{
	const int rows = r->rest.n;
	bool *active = calloc((size_t)(unsigned)rows, sizeof *active);
	for (int i = 0; i < rows; ++i)
		active[i] = true;
	for (int k = 0; k <= r->job.more; ++k) {
		wsi_sift_job one = r->job;
		one.r = r->rest;
		one.out = wsi_some_rows(r->want, k * rows, rows);
		one.active = active;
		one.mode += k;
		one.more = 0;
		one.sifted = r->sifted + k * rows;
		e->sift(e, &one);
		for (int i = 0; i < rows; ++i)
			active[i] = one.sifted[i].oscillates;
	}
	free(active);
}

/* The job of rows of r->params, whose samples are yet to be set. */
static void
make_job(reference *r, rng *random, int rows)
{
	const wsi_params *p = &r->params;
	const int modes = rng_int(random, 0, 1) ? rng_int(random, 2, MOST_MODES) : 1;
	r->extent = calloc((size_t)rows, sizeof *r->extent);
	r->sifted = calloc((size_t)(rows * modes), sizeof *r->sifted);
	r->rest = rows_for(p, rows);
	r->want = rows_for(p, rows * modes);
	r->job = (wsi_sift_job){ .r = rows_for(p, rows),
		                 .out = rows_for(p, rows * modes),
		                 .deflate = true,
		                 .input = r->extent,
		                 .max_sifts = p->o.max_sifts,
		                 .step = true,
		                 .mode = rng_int(random, 0, 1),
		                 .bounded = rng_int(random, 0, 2) > 0,
		                 .more = modes - 1 };
}

static void
set_row(reference *r, int i, const double *x)
{
	to_type(r->params.type, x, r->params.samples, r->job.r.base + (size_t)i * r->job.r.stride);
}

/* Extrema between two samples. */
static long
count_halves(const reference *r)
{
	const wsi_params *p = &r->params;
	const size_t words = WSI_WORDS(p->samples);
	uint64_t *marks = malloc(3 * words * sizeof *marks);
	wsi_counts counts = { { 0, 0 }, 0, 0 };
	long halves = 0;
	for (int i = 0; i < r->rest.n; ++i) {
		const wsi_mark_args mark = { .x = r->rest.base + (size_t)i * r->rest.stride,
			                    .n = p->samples,
			                    .marks = { marks, marks + words },
			                    .half = marks + 2 * words,
			                    .word1 = words,
			                    .flat = p->resolution * r->extent[i].magnitude,
			                    .plateaus = p->plateaus,
			                    .lone = p->lone_steps };
		wsi_ops_find("ref", p->type)->mark(&mark, &counts);
		for (size_t w = 0; w < words && p->half_ticks; ++w)
			halves += __builtin_popcountll(marks[2 * words + w]);
	}
	free(marks);
	return halves;
}

/* Sifts rows by the CPU's engine. */
typedef void (*sift_by)(reference *r, wsi_engine *e);

/* What the CPU's engine makes of the job, whose samples are set, of so many rows at a time. */
static void
by_reference(reference *r, int rows, sift_by sift)
{
	const wsi_params *p = &r->params;
	const ws_type type = p->type;
	wsi_progress progress;
	wsi_progress_init(&progress, NULL, NULL);
	wsi_arena arena = { 0 };
	wsi_cpu_engine c;
	for (int real = 0; real < 2; ++real) {
		arena = (wsi_arena){ real ? aligned_alloc(WSI_ALIGN,
			                                  (arena.used / WSI_ALIGN + 1) * WSI_ALIGN)
			                  : NULL,
			             0 };
		wsi_cpu_engine_layout(&c, wsi_ops_find("ref", type), p, 1, rows, &progress, &arena);
	}
	wsi_cpu_engine_start(&c);
	sift(r, &c.rows.e);
	wsi_cpu_engine_stop(&c);
	free(arena.base);
}

static void
sift_each(reference *r, wsi_engine *e)
{
	e->extent(e, r->rest, r->extent);
	r->halves = count_halves(r);
	sift_modes(r, e);
}

static void
sift_reference(reference *r)
{
	memcpy(r->rest.base, r->job.r.base, (size_t)r->rest.n * r->rest.stride);
	by_reference(r, r->rest.n, sift_each);
}

/* The rows of a stage as two jobs, each row of which is there. */
static void
sift_stage(reference *r, wsi_engine *e)
{
	const wsi_sift_job *all = &r->job;
	const int n = all->beside.n, rows = wsi_sift_rows(all) - n;
	wsi_rows x = rows_for(&r->params, rows), b = rows_for(&r->params, rows);
	for (int i = 0; i < rows; ++i) {
		memcpy(wsi_row(x, (size_t)i), wsi_sift_row(all, i), x.stride);
		memcpy(wsi_row(b, (size_t)i), wsi_sift_noise(all, i), b.stride);
	}
	e->extent(e, x, r->extent);
	e->extent(e, r->rest, r->extent + rows);
	wsi_sift_job one = *all;
	one.r = x;
	one.b = b;
	one.members = 0;
	one.beside = (wsi_rows){ 0 };
	one.out = wsi_some_rows(r->want, 0, rows);
	one.sifted = r->sifted;
	e->sift(e, &one);
	wsi_sift_job noise = { .r = r->rest, .out = wsi_some_rows(r->want, rows, n),
		               .deflate = true, .input = r->extent + rows, .step = true,
		               .max_sifts = all->max_sifts, .mode = all->mode,
		               .sifted = r->sifted + rows };
	e->sift(e, &noise);
	free(x.base);
	free(b.base);
}

static bool
resolve(reference *r, ws_type type, int rows, int samples, const ws_emd_opts *o)
{
	const ws_shape shape = { .size = sizeof shape,
		                 .channels = (size_t)rows,
		                 .samples = (size_t)samples,
		                 .type = type };
	memset(r, 0, sizeof *r);
	return wsi_params_resolve(&r->params, &shape, o) == WS_OK;
}

/* Of few sifts, half of them of a fixed number. */
static ws_emd_opts
few_sifts(rng *random, ws_method method)
{
	ws_emd_opts o = random_options(random, method);
	o.size = sizeof o;
	o.tag = WS_TAG_EMD;
	/* Fixed numbers of sifts, which most jobs have, go their own ways. */
	if (rng_int(random, 0, 1)) {
		o.stop_rule = WS_STOP_FIXED;
		o.sifts = rng_int(random, 1, MOST_SIFTS);
	}
	o.sifts = o.sifts > MOST_SIFTS ? MOST_SIFTS : o.sifts;
	return o;
}

static void
set_signals(const reference *r, wsi_rows rows, rng *random)
{
	const size_t n = r->params.samples;
	double *x = malloc(n * sizeof *x);
	for (int i = 0; i < rows.n; ++i) {
		make_signal(rng_int(random, 0, SIGNALS - 1), random, n, x);
		to_type(r->params.type, x, n, wsi_row(rows, (size_t)i));
	}
	free(x);
}

bool
reference_stage(reference *r, rng *random, ws_type type, int channels, int members, int samples)
{
	const ws_emd_opts o = few_sifts(random, WS_METHOD_ICEEMDAN);
	if (!resolve(r, type, channels, samples, &o))
		return false;
	const wsi_params *p = &r->params;
	const int rows = channels * members + members;
	r->extent = calloc((size_t)rows, sizeof *r->extent);
	r->sifted = calloc((size_t)rows, sizeof *r->sifted);
	r->scale = calloc((size_t)rows, sizeof *r->scale);
	r->rest = rows_for(p, members);
	r->want = rows_for(p, rows);
	r->job = (wsi_sift_job){ .r = rows_for(p, channels), .b = rows_for(p, members),
		                 .members = members, .beside = rows_for(p, members),
		                 .scale = r->scale, .out = rows_for(p, rows),
		                 .rest = rng_int(random, 0, 3) > 0, .input = r->extent,
		                 .max_sifts = p->o.max_sifts, .mode = rng_int(random, 0, 2) };
	for (int i = 0; i < rows; ++i)
		r->scale[i] = i < channels * members ? rng_uniform(random) : 0.0;
	set_signals(r, r->job.r, random);
	set_signals(r, r->job.b, random);
	set_signals(r, r->job.beside, random);
	memcpy(r->rest.base, r->job.beside.base, (size_t)members * r->rest.stride);
	by_reference(r, rows, sift_stage);
	return true;
}

bool
reference_sift(reference *r, rng *random, ws_type type, int rows, int samples)
{
	const ws_emd_opts o = few_sifts(random, WS_METHOD_EMD);
	const int signal = rng_int(random, 0, SIGNALS - 1);
	if (!resolve(r, type, rows, samples, &o))
		return false;
	make_job(r, random, rows);
	double *x = malloc((size_t)samples * sizeof *x);
	for (int i = 0; i < rows; ++i) {
		make_signal(i ? rng_int(random, 0, SIGNALS - 1) : signal, random, (size_t)samples,
		            x);
		set_row(r, i, x);
	}
	free(x);
	sift_reference(r);
	return true;
}

/* What jobs of given options are made of; kind: of signals. */
typedef void (*make_row)(int kind, rng *r, size_t n, double *x);

static void
sift_made(reference *r, rng *random, ws_type type, int rows, int samples, const ws_emd_opts *opts,
          make_row make, int kind)
{
	const bool resolved = resolve(r, type, rows, samples, opts);
	assert(resolved);
	(void)resolved;
	make_job(r, random, rows);
	double *x = malloc((size_t)samples * sizeof *x);
	for (int i = 0; i < rows; ++i) {
		make(kind, random, (size_t)samples, x);
		set_row(r, i, x);
	}
	free(x);
	sift_reference(r);
}

static void
make_plateaus(int kind, rng *r, size_t n, double *x)
{
	plateaus_make((plateau_kind)kind, r, n, x);
}

void
reference_sift_plateaus(reference *r, rng *random, ws_type type, int rows, int samples,
                        const ws_emd_opts *opts, plateau_kind kind)
{
	sift_made(r, random, type, rows, samples, opts, make_plateaus, kind);
}

static double
wave(double turns)
{
	return sin(6.283185307179586 * turns);
}

/* Clipped waves, with stretches of quick ones; level: over most of the row, between two slopes;
 * beyond 1 it is the last level sample, before a fall. */
static void
make_sparse(int level, rng *r, size_t n, double *x)
{
	const double slow = 1.0 / (7000.0 + rng_int(r, 0, 90000));
	for (size_t i = 0; i < n; ++i) {
		const double t = (double)i;
		x[i] = wave(slow * t) + 0.4 * wave(0.00041 * t);
		x[i] = x[i] > 0.8 ? 0.8 : x[i] < -0.8 ? -0.8 : x[i];
		if (i / 900 % 37 == 5)
			x[i] += 0.3 * wave(0.07 * t);
	}
	const size_t begin = n / 20 + (size_t)rng_int(r, 0, 4000);
	size_t end = n - n / 12 - (size_t)rng_int(r, 0, 4000);
	const double out = rng_int(r, 0, 1) || level > 1 ? 1.0 : -1.0;
	if (level > 1)
		end = (size_t)level + 2;
	for (size_t i = begin; level && i < end; ++i)
		x[i] = i == begin ? 1.5 : i + 1 == end ? 1.5 - out : 2.0;
}

void
reference_sift_sparse(reference *r, rng *random, ws_type type, int rows, int samples,
                      const ws_emd_opts *opts, int level)
{
	sift_made(r, random, type, rows, samples, opts, make_sparse, level);
}

bool
reference_equals(const reference *r, const wsi_sifted *sifted)
{
	const size_t bytes = r->params.samples * type_size(r->params.type);
	const wsi_rows deflated = r->job.beside.n ? r->job.beside : r->job.r;
	bool same = true;
	for (int i = 0; i < r->rest.n; ++i) {
		const size_t at = (size_t)i * r->rest.stride;
		same = same && memcmp(deflated.base + at, r->rest.base + at, bytes) == 0;
	}
	for (int i = 0; i < r->want.n; ++i) {
		const wsi_sifted *a = &r->sifted[i], *b = &sifted[i];
		const size_t at = (size_t)i * r->want.stride;
		same = same && a->sifts == b->sifts && a->oscillates == b->oscillates &&
		       ((!a->oscillates && !r->job.rest) ||
		        memcmp(r->job.out.base + at, r->want.base + at, bytes) == 0);
	}
	return same;
}

void
reference_free(reference *r)
{
	free(r->job.r.base);
	free(r->job.b.base);
	free(r->job.beside.base);
	free(r->scale);
	free(r->job.out.base);
	free(r->rest.base);
	free(r->want.base);
	free(r->extent);
	free(r->sifted);
}
