/*
 * test_kernels.cpp - the kernels that sift (src/cuda/stage) and what the host makes of them
 * (src/cuda/emd/sifting.cu), their lanes fibers of the CPU (lanes/lanes.h): the bits are those of the
 * CPU's own engine, and all lanes come to each meeting.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>

#include "cuda/emd/sift_f32.cu"
#include "cuda/emd/sift_f64.cu"
#include "cuda/emd/sifting.cu"

extern "C" {
#include "kernels_reference.h"
}

/* What blocks have of dynamic shared memory. */
alignas(1024) thread_local double shared[240 * 1024 / sizeof(double)];
alignas(1024) thread_local four<double> lists[240 * 1024 / sizeof(four<double>)];

template <class T>
cudaError_t
rows_clear(device_rows<T> y, const int *list, int count, int samples, cudaStream_t)
{
	for (int k = 0; k < count; ++k)
		memset(y[(size_t)list[k]], 0, (size_t)samples * sizeof(T));
	return cudaSuccess;
}

template cudaError_t rows_clear(device_rows<float>, const int *, int, int, cudaStream_t);
template cudaError_t rows_clear(device_rows<double>, const int *, int, int, cudaStream_t);

cudaError_t
cuda_load_file_of(const void *)
{
	return cudaSuccess;
}

/* ---- An engine of which only sifting is there ---------------------------------------------- */

/* That a block of its device may have: as on cards of compute capability 9.0. */
static size_t block_shared = 232448;

struct fixture {
	std::vector<std::vector<char>> memory;
	wsi_device device = {};
	wsi_arena arena = {};
	cuda_engine c = {};

	template <class A>
	void
	take(A *&a, size_t n)
	{
		memory.emplace_back((n + 1) * sizeof *a + 64);
		char *const p = memory.back().data();
		a = (A *)(p + (64 - (uintptr_t)p % 64));
	}

	fixture(const wsi_params *params, wsi_progress *progress, int rows, int processors,
	        int modes)
	{
		const bool f64 = params->type == WS_F64;
		const size_t n = (size_t)rows;
		const size_t row_bytes = WSI_WORDS(params->samples) * WSI_WORD * element(params);
		device.facts = { block_shared, block_shared + 1024, processors, 9, 1 };
		c.e.params = params;
		c.e.progress = progress;
		c.device = &device;
		c.memory = c.seldom = &arena;
		c.m.capacity = rows;
		c.e.modes_at_once = modes;
		c.m.warps = f64 ? sift_warps<double>(block_shared) : sift_warps<float>(block_shared);
		const int tile = c.m.warps * SIFT_SPAN;
		c.m.tiles = ((int)params->samples + tile - 1) / tile;
		c.m.groups = c.m.tiles * c.m.warps * 32;
		const size_t groups = (size_t)c.m.groups;
		take(c.y, n * row_bytes);
		take(c.room, n * row_bytes);
		take(c.m.marks, n * 2 * BITMAPS * groups);
		take(c.m.summary, n * 2 * BITMAPS * groups / 32);
		take(c.m.knots, n * groups / 32);
		if (c.m.tiles > 1) {
			c.m.list = sift_most_few(c.m.groups / 32) + 2 * WSI_NEAR;
			take(c.cubics, n * 2 * (size_t)c.m.list * 4 * element(params));
			take(c.m.ticks, n * 2 * (size_t)c.m.list);
			take(c.m.places, n * groups / 32);
		}
		take(c.m.edges, n * (size_t)c.m.tiles);
		take(c.m.sums, n * 3 * groups / 32);
		take(c.m.low, n);
		take(c.m.high, n);
		take(c.rows, n * sizeof(row<double>));
		take(c.m.work, SETS * ROW_PHASES * n);
		take(c.m.work_count, COUNTS);
		take(c.m.drawn, 1);
		take(c.host_drawn, 1);
		take(c.m.relay, n);
		take(c.m.relay_ended, 1);
		take(c.m.relayed, 2);
		take(c.list, LISTS * n);
		take(c.m.input, n);
		take(c.host_list[0], n);
		take(c.host_list[1], n);
		take(c.host_count[0], COUNTS);
		take(c.host_count[1], COUNTS);
		take(c.host_input, n);
		take(c.m.output, n * (size_t)modes);
		take(c.waiting, n);
		const int blocks = 2 * processors;
		c.board.blocks = blocks;
		take(c.board.word, 2 * (size_t)blocks);
		take(c.board.signs, 2 * (size_t)blocks);
		take(c.board.arrived, (size_t)blocks);
		take(c.board.note, 2 * (size_t)blocks * sizeof(team_note<double>));
		c.m.stays = !params->cyclic;
		c.m.forced = SIFT_WAYS;
		const int most = f64 ? sift_most_relay_blocks<double>(c.m.warps, processors)
		                     : sift_most_relay_blocks<float>(c.m.warps, processors);
		if (!stop_needs_sums(params->o.stop_rule) && c.m.tiles > 1 && !params->cyclic)
			c.m.relay_blocks = min(blocks, most);
	}
};

/* ---- Cases --------------------------------------------------------------------------------- */

struct shape {
	int rows, samples;
	int processors;               /* of the device: they decide which way rows go */
};

static int compared, differ;

static void
count(const reference &r, const wsi_sifted *sifted, const shape &of)
{
	++compared;
	if (reference_equals(&r, sifted))
		return;
	++differ;
	const ws_emd_opts &o = r.params.o;
	printf("  %s, %d x %d, %d processors: reference %d, boundary %d, spline %d, stop %d, sifts "
	       "%d, max_sifts %d, "
	       "%d modes from %d on\n",
	       r.params.type == WS_F64 ? "f64" : "f32", of.samples, of.rows, of.processors,
	       o.reference, o.boundary, o.spline, o.stop_rule, o.sifts, o.max_sifts, 1 + r.job.more,
	       r.job.mode);
}

/* Some modes of each row, by both. */
static void
compare(rng *random, ws_type type, const shape &of)
{
	reference r;
	if (!reference_sift(&r, random, type, of.rows, of.samples))
		return;
	wsi_progress progress;
	wsi_progress_init(&progress, NULL, NULL);
	const int modes = 1 + r.job.more;
	fixture f(&r.params, &progress, of.rows, of.processors, modes);
	f.c.job = compared % 4 ? 0 : 0xffff; /* or the last number that there is */
	std::vector<wsi_sifted> sifted((size_t)(of.rows * modes));
	wsi_sift_job job = r.job;
	job.sifted = sifted.data();
	lanes::in_order = (lanes::order)(compared % lanes::ORDERS);
	cuda_sift(&f.c.e, &job);
	count(r, sifted.data(), of);
	reference_free(&r);
}

template <int N>
static void
compare_shapes(const shape (&shapes)[N], uint64_t seed)
{
	rng random = { seed };
	const int times = slow_tier() ? 200 : few(20);
	compared = differ = 0;
	for (const shape &s : shapes)
		for (int k = 0; k < times; ++k)
			compare(&random, k % 3 == 2 ? WS_F64 : WS_F32, s);
	printf("%d of %d jobs compared, %d differ\n", compared, N * times, differ);
	assert_true(compared > N * times / 2);
	assert_int_equal(differ, 0);
}

static void
test_short_rows(void **)
{
	static const shape shapes[] = {
		{ 5, 512, 2 }, { 3, 77, 1 }, { 2, 16, 1 }, { 1, 1, 1 }, { 40, 300, 1 }
	};
	compare_shapes(shapes, 81);
}

static void
test_rows_of_a_tile(void **)
{
	static const shape shapes[] = { { 2, 1000, 2 }, { 2, 2048, 2 }, { 3, 1500, 1 } };
	compare_shapes(shapes, 82);
}

static void
test_teams(void **)
{
	static const shape shapes[] = {
		{ 1, 2049, 4 }, { 1, 8000, 4 }, { 1, 12000, 4 }, { 2, 10500, 3 }
	};
	compare_shapes(shapes, 83);
}

static void
test_whole_rows(void **)
{
	static const shape shapes[] = {
		{ 2, 2049, 1 }, { 3, 3333, 1 }, { 2, 5120, 2 }, { 2, 10240, 3 }, { 3, 7000, 2 }
	};
	compare_shapes(shapes, 85);
}

static void
test_launches(void **)
{
	static const shape shapes[] = {
		{ 3, 4097, 1 }, { 2, 5000, 1 }, { 2, 12000, 1 }, { 5, 6500, 2 }
	};
	compare_shapes(shapes, 84);
}

/* A card of compute capability 7.5, whose code lacks kernels. */
static int
play_old_card(void **)
{
	block_shared = 65536;
	lanes::card.shared = block_shared;
	lanes::card.code = most_shared_of(7);
	return 0;
}

static int
play_usual_card(void **)
{
	block_shared = 232448;
	lanes::card = {};
	return 0;
}

/* Rows so long that lists of their knots are made of the spans that have some, by advances of 16
 * warps, of fewer, and of f64's narrow tiles; and level runs of more tiles than a warp looks at
 * together. */
static void
test_sparse_rows(void **state)
{
	/* A warp looks for the end of a level run from tile 33 on, 128 at once: at ends of that. */
	constexpr int TILE = TILE_WARPS * SIFT_SPAN, LAST = 33 + 127, NEXT = 33 + 128;
	static const struct {
		ws_type type;
		shape of;
		bool little;  /* shared memory */
		int level_to; /* a tile; 0: any */
	} jobs[] = {
		{ WS_F32, { 1, 400000, 1 } }, { WS_F32, { 2, 170000, 1 } },
		{ WS_F64, { 1, 370000, 1 } }, { WS_F64, { 2, 100000, 1 } },
		{ WS_F64, { 1, 370000, 1 }, true },
		{ WS_F32, { 1, 340000, 1 }, false, LAST },
		{ WS_F32, { 1, 340000, 1 }, false, NEXT },
	};
	rng random = { 104 };
	int number = 0;
	compared = differ = 0;
	for (const auto &job : jobs)
		for (int level = 0; level < 2; ++level) {
			ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD };
			o.stop_rule = WS_STOP_FIXED;
			o.sifts = job.level_to ? 1 : 2;
			if (thinned_out(number++) || (job.level_to && !level))
				continue;
			if (job.little)
				play_old_card(state);
			reference r;
			reference_sift_sparse(&r, &random, job.type, job.of.rows, job.of.samples,
			                      &o, job.level_to ? job.level_to * TILE + TILE / 2
			                                       : level);
			wsi_progress progress;
			wsi_progress_init(&progress, NULL, NULL);
			const int modes = 1 + r.job.more;
			fixture f(&r.params, &progress, job.of.rows, job.of.processors, modes);
			f.c.m.forced = SIFT_STEPS;
			std::vector<wsi_sifted> sifted((size_t)(job.of.rows * modes));
			wsi_sift_job one = r.job;
			one.sifted = sifted.data();
			lanes::in_order = (lanes::order)(compared % lanes::ORDERS);
			cuda_sift(&f.c.e, &one);
			/* They were listed. */
			assert_true(f.c.m.places[f.c.m.groups / 32 - 1] > 0);
			count(r, sifted.data(), job.of);
			reference_free(&r);
			play_usual_card(state);
		}
	printf("%d jobs compared, %d differ\n", compared, differ);
	assert_true(compared > 0);
	assert_int_equal(differ, 0);
}

static void
test_little_shared_memory(void **)
{
	static const shape shapes[] = {
		{ 3, 300, 1 },  { 3, 1500, 1 }, { 2, 3000, 2 }, { 1, 1025, 4 },
		{ 2, 5000, 6 }, { 2, 4097, 1 }, { 3, 6500, 2 },
	};
	compare_shapes(shapes, 88);
	assert_false(lanes::card.missing);
}

/* A mode of rows that were started with many knots, and leave the relay after their first sift. */
template <class T>
static void
sift_and_leave(cuda_engine *c, const wsi_sift_job &job)
{
	const int n = job.r.n;
	assert_int_equal(list_rows(c, &job), n);
	send_input(&c->e, &job);
	sift_rows<T> s = rows_of_job<T>(c, &job);
	s.job = next_job(c);
	s.few = few_knots<T>(c, n);
	sift_start(s, (const int *)NULL, n, NULL);
	sift_rows<T> leaves = s;
	leaves.few = s.n;
	sift_relay(leaves, n, NULL);
	relay_output left;
	assert_true(read_output(c, &c->m.relayed[true], &left));
	assert_true(left.count > 0);
	assert_false(left.again); /* all that leave have few knots */
	sift_left(s, left.count, NULL);
	run_steps(&c->e, &job, s, left.count);
	sift_finish(s, (const int *)NULL, n, NULL);
	const int crowded = take_answers(c, &job, 0, 1, n);
	if (crowded > 0) { /* see sift_mode */
		s.flow = NO_FLOW;
		s.whole = false;
		sift_listed(&c->e, &job, s, crowded);
		take_answers(c, &job, 0, 1, crowded);
	}
}

static void
test_rows_that_leave(void **)
{
	const int jobs = slow_tier() ? 200 : few(20);
	rng random = { 86 };
	compared = differ = 0;
	while (compared < jobs) {
		reference r;
		const bool f64 = compared % 3 == 2;
		if (!reference_sift(&r, &random, f64 ? WS_F64 : WS_F32, 4, 5000))
			continue;
		wsi_progress progress;
		wsi_progress_init(&progress, NULL, NULL);
		fixture f(&r.params, &progress, 4, 1, 1);
		std::vector<wsi_sifted> sifted(4);
		wsi_sift_job job = r.job;
		job.sifted = sifted.data();
		lanes::in_order = (lanes::order)(compared % lanes::ORDERS);
		/* With one sift they are done with it. */
		if (f.c.m.relay_blocks > 0 && job.more == 0 &&
		    (r.params.o.stop_rule != WS_STOP_FIXED || r.params.o.sifts > 1) &&
		    r.sifted[0].sifts > 1) {
			if (f64)
				sift_and_leave<double>(&f.c, job);
			else
				sift_and_leave<float>(&f.c, job);
			++compared;
			differ += !reference_equals(&r, sifted.data());
		}
		reference_free(&r);
	}
	printf("%d jobs compared, %d differ\n", compared, differ);
	assert_int_equal(differ, 0);
}

/* A stage of an ensemble, with the noise of the next. */
static void
test_rows_beside(void **)
{
	static const shape shapes[] = { { 1, 300, 1 },  { 2, 1000, 2 }, { 2, 3000, 4 },
		                        { 2, 5000, 1 }, { 1, 6500, 2 }, { 3, 2500, 3 } };
	constexpr int MEMBERS = 2, TIMES = 6;
	rng random = { 103 };
	compared = differ = 0;
	for (const shape &of : shapes)
		for (int k = 0; k < (slow_tier() ? 20 * TIMES : TIMES); ++k) {
			reference r;
			if (!reference_stage(&r, &random, k % 3 == 2 ? WS_F64 : WS_F32, of.rows,
			                     MEMBERS, of.samples))
				continue;
			wsi_progress progress;
			wsi_progress_init(&progress, NULL, NULL);
			wsi_sift_job job = r.job;
			const int rows = wsi_sift_rows(&job);
			fixture f(&r.params, &progress, rows, of.processors, 1);
			std::vector<wsi_sifted> sifted((size_t)rows);
			job.sifted = sifted.data();
			if (k % 2 && f.c.m.relay_blocks > 0)
				f.c.m.forced = SIFT_RELAY;
			lanes::in_order = (lanes::order)(compared % lanes::ORDERS);
			cuda_sift(&f.c.e, &job);
			count(r, sifted.data(), of);
			reference_free(&r);
		}
	printf("%d jobs compared, %d differ\n", compared, differ);
	assert_true(compared > 10);
	assert_int_equal(differ, 0);
}

/* Where a rule decides, a relay leaves half of its rows to another, until they are few. */
static void
test_relays_that_follow(void **)
{
	const int jobs = slow_tier() ? 100 : few(10), most = 10 * jobs;
	const shape of = { 9, 3000, 3 };
	rng random = { 100 };
	const auto followed = [] {
		return lanes_launched[(const void *)relay_again_kernel<float>] +
		       lanes_launched[(const void *)relay_again_kernel<double>];
	};
	lanes_launched.clear();
	compared = differ = 0;
	/* Not all have knots enough. */
	while (compared < jobs || (followed() == 0 && compared < most)) {
		reference r;
		const bool f64 = compared % 3 == 2;
		if (!reference_sift(&r, &random, f64 ? WS_F64 : WS_F32, of.rows, of.samples))
			continue;
		wsi_progress progress;
		wsi_progress_init(&progress, NULL, NULL);
		fixture f(&r.params, &progress, of.rows, of.processors, 1);
		std::vector<wsi_sifted> sifted((size_t)of.rows);
		wsi_sift_job job = r.job;
		job.sifted = sifted.data();
		f.c.m.forced = SIFT_RELAY;
		f.c.m.relay_blocks = min(f.c.m.relay_blocks, 4); /* of which each has a tile */
		lanes::in_order = (lanes::order)(compared % lanes::ORDERS);
		if (f.c.m.relay_blocks > 0 && job.more == 0 &&
		    r.params.o.stop_rule != WS_STOP_FIXED) {
			cuda_sift(&f.c.e, &job);
			count(r, sifted.data(), of);
		}
		reference_free(&r);
	}
	printf("%d jobs compared, %d differ, %d relays followed others\n", compared, differ,
	       followed());
	assert_int_equal(differ, 0);
	assert_true(followed() > 0);
}

/* A mode of rows that two steps have sifted, and teams thereafter. */
template <class T>
static void
sift_and_resume(cuda_engine *c, const wsi_sift_job &job)
{
	const int n = job.r.n, steps = 2;
	assert_int_equal(list_rows(c, &job), n);
	send_input(&c->e, &job);
	sift_rows<T> s = rows_of_job<T>(c, &job);
	s.job = next_job(c);
	s.few = few_knots<T>(c, n);
	s.flow = NO_FLOW; /* no row is too crowded */
	assert_true(sift_resumes(s, n));
	sift_start(s, (const int *)NULL, n, NULL);
	for (int made = 0; made < steps; ++made)
		sift_step(s, made % SETS, n, NULL);
	assert_true(sift_resume(s, steps % SETS, n, NULL) == cudaSuccess);
	sift_finish(s, (const int *)NULL, n, NULL);
	take_answers(c, &job, 0, 1, n);
}

static void
test_rows_that_resume(void **)
{
	const int jobs = slow_tier() ? 200 : few(20);
	rng random = { 89 };
	int wide = 0;
	compared = differ = 0;
	while (compared < jobs) {
		reference r;
		const bool f64 = compared % 3 == 2;
		/* Of teams whose tiles are as wide as those of steps, or twice. */
		const shape of = { 3, compared % 2 ? 4500 : 3000, compared % 2 ? 12 : 4 };
		if (!reference_sift(&r, &random, f64 ? WS_F64 : WS_F32, of.rows, of.samples))
			continue;
		wsi_progress progress;
		wsi_progress_init(&progress, NULL, NULL);
		fixture f(&r.params, &progress, of.rows, of.processors, 1);
		std::vector<wsi_sifted> sifted((size_t)of.rows);
		wsi_sift_job job = r.job;
		job.sifted = sifted.data();
		lanes::in_order = (lanes::order)(compared % lanes::ORDERS);
		int most = 0;
		for (int i = 0; i < of.rows; ++i)
			most = max(most, r.sifted[i].sifts);
		if (f.c.m.stays && job.more == 0 && r.params.o.stop_rule != WS_STOP_FIXED &&
		    most > 3) {
			if (f64)
				sift_and_resume<double>(&f.c, job);
			else
				sift_and_resume<float>(&f.c, job);
			wide += of.processors == 4;
			count(r, sifted.data(), of);
		}
		reference_free(&r);
	}
	printf("%d jobs compared, %d differ\n", compared, differ);
	assert_true(wide > 0);
	assert_int_equal(differ, 0);
}

/* ---- Plateaus, by each way ----------------------------------------------------------------- */

struct forced {
	sift_way by;
	shape of;
	bool fixed;                   /* the way has only fixed numbers of sifts, for these rows */
};

static int with_halves;               /* jobs that have extrema between samples */
static int taken[SIFT_WAYS];          /* jobs that went the way that they were to go */

static void
compare_plateaus(rng *random, const forced &f, ws_type type, plateau_kind kind,
                 const ws_emd_opts &o)
{
	reference r;
	wsi_progress progress;
	wsi_progress_init(&progress, NULL, NULL);
	reference_sift_plateaus(&r, random, type, f.of.rows, f.of.samples, &o, kind);
	fixture x(&r.params, &progress, f.of.rows, f.of.processors, 1 + r.job.more);
	x.c.m.forced = f.by;
	with_halves += r.halves > 0;
	std::vector<wsi_sifted> sifted((size_t)(f.of.rows * (1 + r.job.more)));
	wsi_sift_job job = r.job;
	job.sifted = sifted.data();
	lanes::in_order = (lanes::order)(compared % lanes::ORDERS);
	cuda_sift(&x.c.e, &job);
	/* Rows that are too crowded for theirs go on by steps. */
	if (strcmp(x.c.e.took, "steps"))
		assert_string_equal(x.c.e.took, sift_way_name<float>(f.by));
	taken[f.by] += strcmp(x.c.e.took, sift_way_name<float>(f.by)) == 0;
	count(r, sifted.data(), f.of);
	reference_free(&r);
}

/* Each way x type x boundary x spline x signal, by some stop rule. */
static void
test_plateaus(void **)
{
	static const forced ways[] = {
		{ SIFT_WHOLE, { 5, 512, 2 } },        { SIFT_WHOLE, { 3, 77, 1 } },
		{ SIFT_WHOLE, { 2, 2048, 1 } },       { SIFT_WHOLE, { 3, 4000, 1 } },
		{ SIFT_WHOLE, { 2, 5100, 2 }, true }, { SIFT_TEAMS, { 1, 9000, 5 } },
		{ SIFT_TEAMS, { 2, 10500, 3 } },      { SIFT_RELAY, { 2, 12000, 1 }, true },
		{ SIFT_STEPS, { 2, 500, 1 } },        { SIFT_STEPS, { 3, 1000, 1 } },
		{ SIFT_STEPS, { 2, 12000, 1 } },
	};
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_S_NUMBER,
		                         WS_STOP_CAUCHY };
	rng random = { 87 };
	int number = 0;
	compared = differ = with_halves = 0;
	for (const forced &f : ways)
		for (int boundary = 1; boundary <= 4; ++boundary)
			for (int spline = 1; spline <= 4; ++spline)
				for (int k = 0; k < 2 * PLATEAU_KINDS; ++k, ++number) {
					const bool fixed = f.fixed || number % 3;
					ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
						          .boundary = (ws_boundary)boundary,
						          .spline = (ws_spline)spline,
						          .max_sifts = 4 };
					o.stop_rule = fixed ? WS_STOP_FIXED : rules[number % 4];
					if (o.stop_rule == WS_STOP_FIXED)
						o.sifts = 1 + number % 3;
					/* Nothing stays on the chip whose last samples precede its
					 * first. */
					if (boundary == WS_BOUNDARY_PERIODIC && f.by != SIFT_STEPS)
						continue;
					if (thinned_out(number) ||
					    (!slow_tier() && (k + boundary + spline) % 2))
						continue;
					compare_plateaus(&random, f,
					                 k < PLATEAU_KINDS ? WS_F32 : WS_F64,
					                 (plateau_kind)(k % PLATEAU_KINDS), o);
				}
	printf("%d jobs of plateaus compared, %d with half ticks, %d differ\n", compared,
	       with_halves, differ);
	assert_true(with_halves > compared * 9 / 10);
	assert_int_equal(differ, 0);
	for (int by = 0; by < SIFT_WAYS; ++by)
		assert_true(taken[by] > 0);
}

/* The table's own choice, on a device of 132 multiprocessors: rows, samples, way of the first mode,
 * of the fifth. */
static void
test_choice(void **)
{
	static const struct { int rows, samples; sift_way first, fifth; } jobs[] = {
		{ 100000, 512, SIFT_WHOLE, SIFT_WHOLE }, { 1, 100, SIFT_WHOLE, SIFT_WHOLE },
		{ 1000, 5000, SIFT_WHOLE, SIFT_WHOLE },  { 100, 10240, SIFT_WHOLE, SIFT_WHOLE },
		{ 1, 5000, SIFT_TEAMS, SIFT_TEAMS },     { 1, 500000, SIFT_TEAMS, SIFT_TEAMS },
		{ 100, 102401, SIFT_RELAY, SIFT_STEPS }, { 300, 30000, SIFT_RELAY, SIFT_STEPS },
		{ 1, 10000000, SIFT_STEPS, SIFT_STEPS }, { 4, 1, SIFT_STEPS, SIFT_STEPS },
	};
	for (const auto &j : jobs) {
		sift_rows<float> s = {};
		s.n = j.samples;
		s.warps = TILE_WARPS;
		s.tiles = (j.samples + TILE_WARPS * SPAN - 1) / (TILE_WARPS * SPAN);
		s.groups = s.tiles * TILE_WARPS * 32;
		s.processors = 132;
		s.shared = 232448;
		s.board.blocks = s.tiles > 1 ? 4 * 132 : 0;
		s.relay_blocks = s.tiles > 1 ? 5 * 132 : 0;
		s.rule.stop = WS_STOP_FIXED;
		s.rule.sifts = 10;
		s.few = sift_most_few(s.groups / 32);
		s.flow = PLAIN_FLOW;
		s.whole = s.stays = true;
		s.forced = SIFT_WAYS;
		assert_int_equal(sift_choose(s, j.rows), j.first);
		s.mode = 4;
		assert_int_equal(sift_choose(s, j.rows), j.fifth);
	}
}

/* ---- Code for cards with little shared memory ---------------------------------------------- */

struct card {
	const char *name;             /* compute capability */
	size_t shared;                /* of a block */
	int processors, major;
};

static int refused;

static void
must_launch(cudaError_t error)
{
	refused += error != cudaSuccess;
}

/* A job as kernels see it: nothing to do, and no memory but what launches clear and kernels look at
 * first. */
struct idle_job {
	wsi_params params = {};
	wsi_device device = {};
	cuda_engine c = {};
	int work_count[COUNTS] = {}, drawn = 0;
	relay_ends ended = {};
	relay_output relayed[2] = {};
	std::vector<unsigned> arrived = std::vector<unsigned>(1 << 14);

	template <class T>
	sift_rows<T>
	rows(const card &of, int samples, int count, bool fixed)
	{
		params.type = real<T>::F64 ? WS_F64 : WS_F32;
		params.samples = (size_t)samples;
		params.o.stop_rule = fixed ? WS_STOP_FIXED : WS_STOP_RILLING;
		params.o.sifts = params.o.max_sifts = 10;
		device.facts = { of.shared, of.shared + 1024, of.processors, of.major, 1 };
		c.device = &device;
		c.e.params = &params;
		c.m.capacity = count;
		c.m.warps = sift_warps<T>(of.shared);
		const int tile = c.m.warps * SIFT_SPAN;
		c.m.tiles = (samples + tile - 1) / tile;
		c.m.groups = c.m.tiles * c.m.warps * 32;
		c.m.work_count = work_count;
		c.m.drawn = &drawn;
		c.m.relay_ended = &ended;
		c.m.relayed = relayed;
		c.m.stays = true;
		if (c.m.tiles > 1) {
			c.cubics = (char *)arrived.data(); /* there are lists */
			c.board.arrived = arrived.data();
			c.board.blocks = sift_most_team_blocks<T>(c.m.warps, of.processors);
			c.m.relay_blocks = sift_most_relay_blocks<T>(c.m.warps, of.processors);
		}
		return rows_of_engine<T>(&c);
	}
};

/* All that the host may launch for such rows, by each way that fits them. */
template <class T>
static void
launch_all(sift_rows<T> s, int count)
{
	const int *const none = NULL;
	for (int by = 0; by < SIFT_WAYS; ++by) {
		s.forced = (sift_way)by;
		if (sift_choose(s, count) != by)
			continue;
		must_launch(sift_launch(s.forced, s, none, count, NULL));
		if (by == SIFT_RELAY) {
			must_launch(sift_left(s, count, NULL));
			must_launch(sift_relay_again(s, count, NULL));
		}
		if (by == SIFT_RELAY || by == SIFT_STEPS)
			must_launch(sift_step(s, 0, count, NULL));
	}
}

template <class T>
static void
launch_on(const card &of, int samples)
{
	int blocks = 0;
	for (int count : { 1, 2, 3, 10, 50, 170, 400, 1000, 10000, 100000 })
		for (int k = 0; k < 4; ++k) {
			static idle_job job;
			job.c = {};
			sift_rows<T> s = job.rows<T>(of, samples, count, k & 1);
			s.whole = k < 2;
			s.few = few_knots<T>(&job.c, count);
			launch_all(s, count);
			s.flow = NO_FLOW; /* again, what was too crowded */
			launch_all(s, count);
			if (s.tiles == 1)
				continue;
			must_launch(sift_team_blocks<T>(s.warps, of.processors, &blocks));
			must_launch(sift_relay_blocks<T>(s.warps, of.processors, &blocks));
		}
}

/* Launches of a card, whose code is that of compute capability code.x; returns the kernels that it
 * lacks of those launched. */
static int
look_at_launches(const card &of, int code)
{
	lanes::card.shared = of.shared;
	lanes::card.code = most_shared_of(code);
	lanes::card.looks = true;
	lanes_seen.clear();
	/* No kernel of these is ever left out, and they have no number of rows that could be 0. */
	lanes_seen[(const void *)start_kernel<float, TILE_WARPS>] = false;
	lanes_seen[(const void *)start_kernel<double, TILE_WARPS>] = false;
	lanes_seen[(const void *)start_kernel<double, NARROW_TILE_WARPS>] = false;
	lanes_seen[(const void *)mode_extent_kernel<float>] = false;
	lanes_seen[(const void *)mode_extent_kernel<double>] = false;
	lanes_seen[(const void *)finish_kernel<float>] = false;
	lanes_seen[(const void *)finish_kernel<double>] = false;
	refused = 0;
	/* Lengths on both sides of those at which a way or a width ends. */
	for (int samples = 2; samples <= 4 << 20; samples += samples / 8 + 1) {
		launch_on<float>(of, samples);
		launch_on<double>(of, samples);
	}
	for (int spans = 1; spans <= 24; ++spans)
		for (int more = 0; more < 2; ++more) {
			launch_on<float>(of, spans * SPAN + more);
			launch_on<double>(of, spans * SPAN + more);
		}
	int missing = 0;
	for (const auto &kernel : lanes_seen)
		missing += kernel.second;
	lanes::card = {};
	return missing;
}

/* On no card a kernel is launched that is left out of its code, nor one that it refuses. */
static void
test_code_of_cards(void **)
{
	static const card cards[] = {
		{ "7.5", 65536, 40, 7 },    { "8.0", 166912, 108, 8 },
		{ "8.6", 101376, 84, 8 },   { "8.9", 101376, 128, 8 },
		{ "9.0", 232448, 132, 9 },  { "10.0", 232448, 148, 10 },
		{ "12.0", 101376, 170, 12 },
	};
	for (const card &of : cards) {
		const int missing = look_at_launches(of, of.major);
		printf("compute capability %s: %d kernels launched, %d of them left out, %d "
		       "launches refused\n",
		       of.name, (int)lanes_seen.size(), missing, refused);
		assert_int_equal(missing, 0);
		assert_int_equal(refused, 0);
	}
	/* A card with more than its code is for would miss some. */
	assert_true(look_at_launches(cards[1], 7) > 0);
	assert_true(look_at_launches(cards[4], 8) > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_rows),
		cmocka_unit_test(test_rows_of_a_tile),
		cmocka_unit_test(test_teams),
		cmocka_unit_test(test_whole_rows),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_sparse_rows),
		cmocka_unit_test_setup_teardown(test_little_shared_memory, play_old_card,
		                                play_usual_card),
		cmocka_unit_test(test_rows_that_leave),
		cmocka_unit_test(test_relays_that_follow),
		cmocka_unit_test(test_rows_beside),
		cmocka_unit_test(test_rows_that_resume),
		cmocka_unit_test(test_plateaus),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_code_of_cards),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
