/*
 * test_gpu_ways.c - each way of a sift on a GPU (src/cuda/emd/stage/ways.cuh), forced by WAVESIFT_WAY,
 * is really taken, on any card, and gives the bits of the CPU's engine: signals with plateaus
 * across the edges of threads, warps, tiles and rows.  Jobs are small, so that it can run under
 * compute-sanitizer (sanitize_gpu.sh).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/backend.h"
#include "kernels_reference.h"
#include "random_job.h"

/* What is open all the time. */
static const wsi_backend *gpu;
static wsi_device *device;

static void
must(ws_status status, const wsi_why *why)
{
	if (status != WS_OK)
		fail_msg("%s", why->text);
}

/* An engine on the device, with rows for a job and its modes. */
typedef struct bench {
	wsi_engine *e;
	wsi_progress progress;
	wsi_arena host;
	void *memory;
	wsi_rows r, out;
} bench;

static void
set_up(bench *b, const reference *r)
{
	const int rows = r->job.r.n, modes = 1 + r->job.more;
	wsi_arena memory = { 0 };
	wsi_why why;
	memset(b, 0, sizeof *b);
	wsi_progress_init(&b->progress, NULL, NULL);
	b->e = aligned_alloc(WSI_ALIGN, (gpu->engine_bytes / WSI_ALIGN + 1) * WSI_ALIGN);
	for (int real = 0; real < 2; ++real) {
		const size_t bytes = (b->host.used / WSI_ALIGN + 1) * WSI_ALIGN;
		if (real)
			must(gpu->borrow(device, WSI_DEVICE_MEMORY, memory.used, &b->memory, &why),
			     &why);
		b->host = (wsi_arena){ real ? aligned_alloc(WSI_ALIGN, bytes) : NULL, 0 };
		memory = (wsi_arena){ b->memory, 0 };
		gpu->layout(b->e, device, &r->params, rows, 0, &b->progress, &b->host, &memory,
		            NULL);
		if (real)
			must(gpu->start(b->e, &why), &why);
		b->r = b->e->take(b->e, rows, WSI_USED_OFTEN);
		b->out = b->e->take(b->e, rows * modes, WSI_USED_OFTEN);
	}
}

static void
tear_down(bench *b)
{
	wsi_why why;
	must(gpu->stop(b->e, &why), &why);
	gpu->give_back(device, WSI_DEVICE_MEMORY, b->memory);
	free(b->host.base);
	free(b->e);
}

/* The modes of the job, in as many jobs as it takes; the results come into the reference's rows. */
static void
sift_on_gpu(bench *b, const reference *r, wsi_sifted *sifted)
{
	wsi_engine *e = b->e;
	const int rows = b->r.n, modes = 1 + r->job.more;
	const int at_once = e->modes_at_once < modes ? 1 : modes;
	bool *active = need((size_t)rows * sizeof *active);
	bool *made = need((size_t)(rows * modes) * sizeof *made);
	memset(active, true, (size_t)rows * sizeof *active);
	e->put(e, b->r, r->job.r.base, r->job.r.stride, NULL);
	for (int k = 0; k < modes; k += at_once) {
		wsi_sift_job one = r->job;
		one.r = b->r;
		one.out = wsi_some_rows(b->out, k * rows, at_once * rows);
		one.active = active;
		one.mode += k;
		one.more = at_once - 1;
		one.again = k > 0;
		one.sifted = sifted + k * rows;
		e->sift(e, &one);
		for (int i = 0; i < rows; ++i)
			active[i] = one.sifted[i].oscillates;
	}
	e->get(e, r->job.r.base, r->job.r.stride, b->r, NULL, NULL);
	/* What is no mode was never written. */
	for (int i = 0; i < rows * modes; ++i)
		made[i] = sifted[i].oscillates;
	e->get(e, r->job.out.base, r->job.out.stride, b->out, made, NULL);
	free(made);
	free(active);
}

/* By which stop rules, and in which types, a way takes such rows; FLOWING: not by sums. */
enum { ANY, FLOWING, FLOWING_F32 };

typedef struct shape {
	int rows, samples, only;
} shape;

static int compared, differ, taken;

/* Later modes of a relay may go by steps, and so do rows that are too crowded for their way. */
static void
compare(const char *way, const shape *of, ws_type type, const ws_emd_opts *o, plateau_kind kind,
        rng *random)
{
	reference r;
	bench b;
	reference_sift_plateaus(&r, random, type, of->rows, of->samples, o, kind);
	wsi_sifted *sifted = need((size_t)(of->rows * (1 + r.job.more)) * sizeof *sifted);
	set_up(&b, &r);
	assert_string_equal(b.e->way, way);
	sift_on_gpu(&b, &r, sifted);
	const bool took = strcmp(b.e->took, way) == 0;
	taken += took;
	if (!took)
		assert_string_equal(b.e->took, "steps");
	tear_down(&b);
	++compared;
	if (!reference_equals(&r, sifted)) {
		++differ;
		printf("  %s %s %d x %d: boundary %d, spline %d, stop %d, sifts %d, %d modes, "
		       "plateaus %d\n",
		       way, type == WS_F64 ? "f64" : "f32", of->samples, of->rows, o->boundary,
		       o->spline, o->stop_rule, o->sifts, 1 + r.job.more, kind);
	}
	free(sifted);
	reference_free(&r);
}

/* Boundaries but the periodic one, which goes by steps alone; kinds of plateaus, types; rules and
 * splines in turn. */
static void
compare_way(const char *way, const shape *shapes, int n_shapes)
{
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_S_NUMBER,
		                         WS_STOP_CAUCHY };
	enum { FLOWING_RULES = 3, RULES };
	const bool steps = strcmp(way, "steps") == 0;
	rng random = { 91 };
	int number = 0;
	compared = differ = taken = 0;
	setenv("WAVESIFT_WAY", way, 1);
	for (int s = 0; s < n_shapes; ++s)
		for (int boundary = 1; boundary <= 4; ++boundary)
			for (int k = 0; k < 2 * PLATEAU_KINDS; ++k) {
				const ws_type type = k % 2 ? WS_F64 : WS_F32;
				ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
					          .boundary = (ws_boundary)boundary,
					          .spline = (ws_spline)(1 + (k + boundary) % 4) };
				if ((boundary == WS_BOUNDARY_PERIODIC && !steps) ||
				    (shapes[s].only == FLOWING_F32 && type == WS_F64))
					continue;
				++number;
				/* Each rule comes to both types. */
				o.stop_rule = rules[(number + number / RULES) %
				                    (shapes[s].only != ANY ? FLOWING_RULES
				                                           : RULES)];
				o.max_sifts = number % 2 ? 4 : 12;
				if (o.stop_rule == WS_STOP_FIXED)
					o.sifts = 1 + number % 3;
				if (number % 4 == 0 || !thinned_out(number))
					compare(way, &shapes[s], type, &o, (plateau_kind)(k / 2),
					        &random);
			}
	unsetenv("WAVESIFT_WAY");
	printf("%s: %d jobs compared, %d by nothing else, %d differ\n", way, compared, taken,
	       differ);
	assert_true(taken > 0);
	assert_int_equal(differ, 0);
}

#define COMPARE_WAY(way, shapes) compare_way(way, shapes, (int)(sizeof(shapes) / sizeof *(shapes)))

static void
test_whole(void **state)
{
	(void)state;
	static const shape shapes[] = {
		{ 5, 512, ANY },  { 3, 77, ANY },     { 2, 1000, ANY },        { 2, 2048, ANY },
		{ 3, 4000, ANY }, { 2, 5100, FLOWING }, { 2, 10000, FLOWING_F32 },
	};
	COMPARE_WAY("whole", shapes);
}

/* Tiles of four warps, and of eight where there are more than multiprocessors. */
static void
test_teams(void **state)
{
	(void)state;
	static const shape shapes[] = { { 1, 9000, ANY }, { 3, 10500, ANY }, { 40, 12288, ANY } };
	COMPARE_WAY("teams", shapes);
}

/* Where a rule decides, rows leave before there is but one for each block. */
static void
test_relay(void **state)
{
	(void)state;
	static const shape shapes[] = { { 2, 12000, FLOWING }, { 5, 45000, FLOWING },
		                        { 100, 16000, FLOWING } };
	COMPARE_WAY("relay", shapes);
}

static void
test_steps(void **state)
{
	(void)state;
	static const shape shapes[] = { { 2, 500, ANY }, { 3, 1000, ANY }, { 2, 12000, ANY } };
	COMPARE_WAY("steps", shapes);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	wsi_loaded loaded;
	wsi_why why;
	wsi_backend_load(&loaded, NULL);
	gpu = loaded.backend;
	if (!gpu || gpu->open(0, &device, &why) != WS_OK)
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_teams),
		cmocka_unit_test(test_relay),
		cmocka_unit_test(test_steps),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	gpu->close(device);
	return failed;
}
