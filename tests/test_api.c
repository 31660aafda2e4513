/*
 * test_api.c - plans, contexts and options under good and bad use: every refusal names what is
 * wrong.
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

#include "api_test.h"

/* ---- Plans ---------------------------------------------------------------------- */

static void
refused(const ws_shape *shape, const ws_emd_opts *o, const char *words)
{
	ws_ctx *ctx = cpu_context(1);
	ws_plan *plan = (ws_plan *)&ctx;
	assert_int_equal(ws_plan_create(&plan, ctx, emd_name(o), shape, o), WS_E_ARG);
	assert_null(plan);
	expect_detail(words);
	ws_run *run = (ws_run *)&ctx;
	assert_int_equal(ws_run_create(&run, ctx, emd_name(o), shape, o, 0), WS_E_ARG);
	assert_null(run);
	expect_detail(words);
	ws_ctx_destroy(ctx);
}

static void
test_bad_shapes(void **state)
{
	(void)state;
	const struct { ws_shape shape; const char *words; } cases[] = {
		{ { .size = sizeof(ws_shape), .channels = 0, .samples = 9 }, "0 channels" },
		{ { .size = sizeof(ws_shape), .channels = 9, .samples = 0 }, "of 0 samples" },
		{ { .size = sizeof(ws_shape), .channels = 1, .samples = (size_t)1 << 29 }, "2^29 - "
		                                                                           "1" },
		{ { .size = sizeof(ws_shape), .channels = 1, .samples = SIZE_MAX }, "2^29 - 1" },
		{ { .size = sizeof(ws_shape), .channels = SIZE_MAX / 2, .samples = 9 }, "2^24" },
		{ { .size = sizeof(ws_shape), .channels = 1 << 24, .samples = 1 << 28 }, "2^48" },
		{ { .size = sizeof(ws_shape), .channels = 1, .samples = 9, .type = (ws_type)2 },
			"type 2" },
		{ { .size = 0, .channels = 1, .samples = 9 }, "ws_shape.size is 0" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
		refused(&cases[i].shape, NULL, cases[i].words);
}

static void
test_bad_options(void **state)
{
	(void)state;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 100 };
#define O(...) { .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD, __VA_ARGS__ }
	const struct { ws_emd_opts o; const char *words; } cases[] = {
		{ { .size = 3 }, "ws_emd_opts.size is 3" },
		{ O(.method = (ws_method)6), "`method` is not that of emd" },
		{ O(.method = (ws_method)-1), "`method` is not that of emd" },
		{ O(.reference = (ws_reference)8), "`reference`: 8" },
		{ O(.boundary = (ws_boundary)5), "`boundary`: 5" },
		{ O(.spline = (ws_spline)5), "`spline`: 5" },
		{ O(.stop_rule = (ws_stop)9), "`stop_rule`: there is no 9" },
		{ O(.snr = (ws_snr)3), "`snr`: 3" },
		{ O(.channel_noise = (ws_channel_noise)3), "`channel_noise`: 3" },
		{ O(.sifts = -1), "`sifts`: -1" },
		{ O(.max_sifts = -1), "`max_sifts`: -1" },
		{ O(.check_every = -1), "`check_every`: -1" },
		{ O(.modes = -1), "`modes`: -1" },
		{ O(.modes = 1001), "`modes`: 1001" },
		{ O(.stop_rule = WS_STOP_SD, .stop_rule_param = { -1.0 }), "`stop_rule`: parameter 1" },
		{ O(.stop_rule = WS_STOP_RILLING, .stop_rule_param = { 0, 0, NAN }),
			"`stop_rule`: parameter 3" },
		{ O(.stop_rule = WS_STOP_S_NUMBER, .stop_rule_param = { 1e10 }), "parameter 1 is 1e+10; it "
		                                                       "counts sifts" },
		{ O(.stop_rule = WS_STOP_FIX_H), "fix-h is of multivariate EMD only" },
		{ O(.sifts = 5, .stop_rule = WS_STOP_SD), "sifts and a stop rule" },
		{ O(.method = WS_METHOD_EEMD, .pairs = 1, .realizations = 7),
			"pairs need an even" },
		{ O(.method = WS_METHOD_EEMD, .reference = WS_REF_COLOMINAS),
			"reference colominas" },
		{ O(.method = WS_METHOD_EMD, .reference = WS_REF_TORRES), "reference torres" },
		{ O(.method = WS_METHOD_ICEEMDAN, .reference = WS_REF_RILLING),
			"reference rilling" },
		{ O(.method = WS_METHOD_ICEEMDAN, .reference = WS_REF_LIBEEMD),
			"reference libeemd" },
		{ O(.method = WS_METHOD_CEEMDAN, .reference = WS_REF_CEEMDAN_GPU),
			"reference ceemdan-gpu" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
		refused(&shape, &cases[i].o, cases[i].words);
	const struct { ws_emd_opts o; const char *words; } ensembles[] = {
		{ O(.realizations = -5), "`realizations`: -5" },
		{ O(.realizations = (1 << 24) + 1), "`realizations`: 16777217" },
		{ O(.noise = NAN), "`noise`: nan" },
		{ O(.noise = INFINITY), "`noise`: inf" },
		{ O(.noise = -INFINITY), "`noise`: -inf" },
		{ O(.noise = 1e7), "`noise`: 1e+07" },
	};
	for (size_t i = 0; i < sizeof ensembles / sizeof *ensembles; ++i)
		expect_no_plan("eemd", &shape, &ensembles[i].o, ensembles[i].words);
}

static void
test_bad_joint_options(void **state)
{
	(void)state;
	static const double zero[2][2] = { { 1, 1 }, { 0, 0 } },
		nan[2][2] = { { NAN, 1 }, { 1, 1 } };
	const ws_direction_set given = WS_DIRECTIONS_GIVEN;
#define M(...) O(.method = WS_METHOD_MEMD, __VA_ARGS__)
	const struct { size_t channels, together; ws_emd_opts o; const char *words; } cases[] = {
		{ 5, 3, M(0), "5 channels are no multiple of the 3 of one recording" },
		{ 2, 5, M(0), "2 channels are no multiple of the 5 of one recording" },
		{ 2, SIZE_MAX, M(0), "2 channels are no multiple" },
		{ (1 << 16) + 1, 0, M(0), "65537 channels together: there may be 65536" },
		{ 2, 0, M(.directions = -1), "`directions`: -1 is outside 0..1048576" },
		{ 2, 0, M(.directions = (1 << 20) + 1), "`directions`: 1048577 is outside" },
		{ 2, 0, M(.direction_set = (ws_direction_set)5), "`direction_set`: 5 is outside" },
		{ 2, 0, M(.direction_set = given), "`direction_set`: the vectors are missing" },
		{ 2, 0, M(.direction_set = given, .directions = 4), "`direction_set`: the vectors "
		                                                    "are missing" },
		{ 2, 0, M(.direction_vectors = zero[0]), "`direction_set`: how many vectors were "
		                                         "given" },
		{ 2, 0, M(.direction_vectors = zero[0], .directions = 2), "direction 1 is zero or "
		                                                          "not finite" },
		{ 2, 0, M(.direction_vectors = nan[0], .directions = 2), "direction 0 is zero or "
		                                                         "not finite" },
		{ 2, 0, M(.noise_channels = -1), "`noise_channels`: -1" },
		{ 2, 0, M(.noise_channels = 65537), "`noise_channels`: 65537" },
		{ 2, 0, M(.noise_power = -0.1), "`noise_power`: -0.1" },
		{ 2, 0, M(.noise_power = NAN), "`noise_power`: nan" },
		{ 2, 0, M(.noise_power = 1e7), "`noise_power`: 1e+07" },
		{ 2, 0, M(.spline = WS_SPLINE_PCHIP), "multivariate EMD has not-a-knot and natural "
		                                      "only" },
		{ 2, 0, M(.spline = WS_SPLINE_AKIMA), "multivariate EMD has not-a-knot and natural "
		                                      "only" },
		{ 2, 0, M(.stop_rule = WS_STOP_SD), "multivariate EMD has no sd" },
		{ 2, 0, M(.stop_rule = WS_STOP_S_NUMBER), "multivariate EMD has no s-number" },
		{ 2, 0, M(.stop_rule = WS_STOP_FIX_H, .stop_rule_param = { 1e7 }), "it counts sifts" },
		{ 2, 0, M(.reference = WS_REF_RILLING), "reference rilling does not have this "
		                                        "method" },
		{ 2, 0, O(.method = WS_METHOD_EMD, .reference = WS_REF_MEMD),
			"reference memd does not "
		                                                       "have" },
		{ 2, 0, O(.method = WS_METHOD_EEMD, .reference = WS_REF_MEMD_GPU),
			"reference memd-gpu "
		                                                            "does not" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const ws_shape shape = { .size = sizeof shape, .channels = cases[i].channels,
			.samples = 100,
					 .recording_channels = cases[i].together };
		refused(&shape, &cases[i].o, cases[i].words);
	}
}

/* What is left at its default, and what a caller knows who was built before it. */
static void
test_joint_defaults(void **state)
{
	(void)state;
	static const struct { size_t channels; ws_emd_opts o; int directions; } cases[] = {
		{ 1, { 0 }, 1 }, { 1, { .directions = 9 }, 1 }, { 2, { 0 }, 64 }, { 32, { 0 }, 64 },
		{ 33, { 0 }, 66 }, { 32, { .noise_channels = 2 }, 68 },
			{ 40, { .directions = 5 }, 5 },
		{ 40, { .reference = WS_REF_MEMD }, 64 },
	};
	ws_ctx *ctx = cpu_context(1);
	ws_plan *plan;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const ws_shape shape = { .size = sizeof shape, .channels = cases[i].channels,
					 .samples = 100 };
		ws_emd_opts o = cases[i].o;
		o.size = sizeof o;
		o.tag = WS_TAG_EMD;
		o.method = WS_METHOD_MEMD;
		assert_int_equal(ws_plan_create(&plan, ctx, emd_name(&o), &shape, &o), WS_OK);
		const ws_emd_opts *r = ws_plan_options(plan);
		assert_int_equal(r->directions, cases[i].directions);
		assert_int_equal(r->stop_rule, WS_STOP_RILLING);
		assert_true(r->stop_rule_param[0] == 0.075 && r->stop_rule_param[1] == 0.75 &&
		            r->stop_rule_param[2] == 0.075);
		assert_int_equal(r->direction_set,
		                 o.reference ? WS_DIRECTIONS_HAMMERSLEY : WS_DIRECTIONS_SCRAMBLED);
		assert_true(r->noise_power == 0.05);
		assert_null(r->direction_vectors);
		assert_non_null(strstr(ws_plan_describe(plan), "memd"));
		ws_plan_destroy(plan);
	}
	const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = 100 };
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .reference = WS_REF_MEMD_GPU };
	assert_int_equal(ws_plan_create(&plan, ctx, "memd", &shape, &o), WS_OK);
	assert_int_equal(((const ws_emd_opts *)ws_plan_options(plan))->method, WS_METHOD_MEMD);
	assert_int_equal(((const ws_emd_opts *)ws_plan_options(plan))->sifts, 10);
	ws_plan_destroy(plan);
	o = (ws_emd_opts){ .size = offsetof(ws_emd_opts, directions), .tag = WS_TAG_EMD,
		.method = WS_METHOD_MEMD, .directions = -3, .noise_power = NAN };
	assert_int_equal(ws_plan_create(&plan, ctx, emd_name(&o), &shape, &o), WS_OK);
	assert_int_equal(((const ws_emd_opts *)ws_plan_options(plan))->directions, 64);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* The caller's vectors are read while planning only, and of any length. */
static void
test_borrowed_directions(void **state)
{
	(void)state;
	enum { C = 3, N = 200, V = 6 };
	const ws_shape shape = { .size = sizeof shape, .channels = C, .samples = N };
	rng r = { 54 };
	double x[C * N], residue[2][C * N], vectors[V * C];
	int32_t count[C];
	signal_make(SIGNAL_WHITE, &r, C * N, x);
	ws_ctx *ctx = cpu_context(1);
	for (int i = 0; i < 2; ++i) {
		rng u = { 55 };
		for (int k = 0; k < V * C; ++k)
			vectors[k] = rng_normal(&u) * (i ? 1024.0 : 1.0);
		const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
			.method = WS_METHOD_MEMD, .directions = V,
					.direction_vectors = vectors, .modes = 2 };
		ws_plan *plan;
		assert_int_equal(ws_plan_create(&plan, ctx, emd_name(&o), &shape, &o), WS_OK);
		memset(vectors, 0xff, sizeof vectors);
		double *modes = need(C * 2 * N * sizeof *modes);
		void *w = need(ws_plan_workspace(plan));
		const ws_buffer arrays[] = EMD_BUFFERS(modes, residue[i], count);
		const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
			.n_arrays = sizeof arrays / sizeof *arrays };
		assert_int_equal(ws_execute(plan, &io, w), WS_OK);
		free(modes);
		free(w);
		ws_plan_destroy(plan);
	}
	assert_memory_equal(residue[0], residue[1], sizeof residue[0]);
	ws_ctx_destroy(ctx);
}

static void
test_nulls(void **state)
{
	(void)state;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 100 };
	ws_ctx *ctx = cpu_context(1);
	ws_plan *plan;
	ws_run *run;
	assert_int_equal(ws_ctx_create(NULL, NULL), WS_E_ARG);
	assert_int_equal(ws_plan_create(NULL, ctx, "emd", &shape, NULL), WS_E_ARG);
	assert_int_equal(ws_plan_create(&plan, NULL, "emd", &shape, NULL), WS_E_ARG);
	assert_int_equal(ws_plan_create(&plan, ctx, "emd", NULL, NULL), WS_E_ARG);
	assert_int_equal(ws_run_create(NULL, ctx, "emd", &shape, NULL, 0), WS_E_ARG);
	assert_int_equal(ws_run_create(&run, NULL, "emd", &shape, NULL, 0), WS_E_ARG);
	assert_int_equal(ws_run_create(&run, ctx, "emd", NULL, NULL, 0), WS_E_ARG);
	ws_ctx_destroy(NULL);
	ws_plan_destroy(NULL);
	ws_run_destroy(NULL);

	assert_int_equal(ws_plan_create(&plan, ctx, "emd", &shape, NULL), WS_OK);
	const size_t bytes = ws_plan_workspace(plan);
	double x[100] = { 0 }, *modes = need((size_t)ws_plan_modes(plan) * sizeof x), residue[100];
	int32_t count;
	char *w = need(bytes + 64);
	ws_buffer arrays[] = EMD_BUFFERS(modes, residue, &count);
	const ws_io good = { .size = sizeof good, .x = x, .arrays = arrays,
		.n_arrays = sizeof arrays / sizeof *arrays };
	assert_int_equal(ws_execute(plan, &good, w), WS_OK);
	assert_int_equal(ws_execute(NULL, &good, w), WS_E_ARG);
	assert_int_equal(ws_execute(plan, NULL, w), WS_E_ARG);
	assert_int_equal(ws_execute(plan, &good, NULL), WS_E_ARG);
	assert_int_equal(ws_execute(plan, &good, w + 8), WS_E_ARG);
	expect_detail("64-byte aligned");
	for (int i = 0; i < 5; ++i) {
		static const int needed[] = { WS_EMD_MODES, WS_EMD_RESIDUE, WS_EMD_MODE_COUNT };
		ws_buffer fewer[WS_EMD_ARRAYS];
		memcpy(fewer, arrays, sizeof fewer);
		ws_io bad = good;
		bad.arrays = fewer;
		bad.x = i == 0 ? NULL : bad.x;
		if (i >= 1 && i <= 3)
			fewer[needed[i - 1]].data = NULL;
		bad.size = i == 4 ? 8 : bad.size;
		assert_int_equal(ws_execute(plan, &bad, w), WS_E_ARG);
		expect_detail(i == 4 ? "ws_io.size is 8" : "must be given");
	}
	free(modes);
	free(w);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
test_context(void **state)
{
	(void)state;
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	assert_true(ws_ctx_threads(ctx) >= 1);
	assert_string_equal(ws_ctx_isa(ctx), ws_isa_name(0));
	ws_ctx_destroy(ctx);
	for (int i = 0; i < 3; ++i) {
		ws_ctx_opts o = { .size = i == 2 ? 0 : sizeof o,
			.threads = i == 0 ? -1 : i == 1 ? 5000 : 2 };
		assert_int_equal(ws_ctx_create(&ctx, &o), WS_E_ARG);
		assert_null(ctx);
		expect_detail(i == 2 ? "ws_ctx_opts.size is 0" : "threads: ");
	}
	ws_ctx_opts o = { .size = sizeof o, .isa = "mmx" };
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_E_UNSUPPORTED);
	expect_detail("instruction set mmx");
	/* Every set that is listed can be had; an older caller knows no isa. */
	for (int i = 0; (o.isa = ws_isa_name(i)); ++i) {
		assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
		assert_string_equal(ws_ctx_isa(ctx), o.isa);
		ws_ctx_destroy(ctx);
	}
	o = (ws_ctx_opts){ .size = offsetof(ws_ctx_opts, isa), .threads = 3, .isa = "mmx" };
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	assert_int_equal(ws_ctx_threads(ctx), 3);
	ws_ctx_destroy(ctx);
	/* Later fields of an older caller are not looked at. */
	o = (ws_ctx_opts){ .size = offsetof(ws_ctx_opts, device), .device = "nowhere" };
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	ws_ctx_destroy(ctx);
	o.size = sizeof o;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_E_ARG);
	assert_null(ctx);
	expect_detail("device nowhere: must be");
	assert_null(ws_isa_name(-1));
	assert_null(ws_isa_name(100));
	assert_string_equal(ws_status_name(WS_E_CANCELLED), "WS_E_CANCELLED");
	assert_string_equal(ws_status_name((ws_status)-99), "unknown status");
	char version[32];
	snprintf(version, sizeof version, "%d.%d.%d", WS_VERSION_MAJOR, WS_VERSION_MINOR,
	         WS_VERSION_PATCH);
	assert_string_equal(ws_version(), version);
}

/* A size that was never set is refused before anything is read by it. */
static void
test_absurd_sizes(void **state)
{
	(void)state;
	const ws_shape good = { .size = sizeof good, .channels = 1, .samples = 9 };
	ws_ctx *ctx = cpu_context(1);
	ws_run *run;
	ws_stream stream = { .size = 8 };
	assert_int_equal(ws_run_create(&run, ctx, "emd", &good, NULL, 0), WS_OK);
	assert_int_equal(ws_run_execute(run, &stream), WS_E_ARG);
	expect_detail("ws_stream.size is 8: set it to sizeof(ws_stream)");
	stream.size = SIZE_MAX;
	assert_int_equal(ws_run_execute(run, &stream), WS_E_ARG);
	expect_detail("ws_stream.size is 18446744073709551615: set it");
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
	const ws_shape shape = { .size = 1 << 20, .channels = 1, .samples = 9 };
	refused(&shape, NULL, "ws_shape.size is 1048576: set it");
	const ws_emd_opts o = { .size = SIZE_MAX };
	refused(&good, &o, "ws_emd_opts.size is 18446744073709551615: set it");
}

/* A struct that ends early leaves the later options at their defaults. */
static void
test_older_caller(void **state)
{
	(void)state;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 1000 };
	ws_ctx *ctx = cpu_context(1);
	ws_plan *plan;
	ws_emd_opts o = { .size = offsetof(ws_emd_opts, realizations), .tag = WS_TAG_EMD,
		.method = WS_METHOD_EEMD, .sifts = 7, .modes = 3, .realizations = -44,
		.noise = NAN };
	assert_int_equal(ws_plan_create(&plan, ctx, emd_name(&o), &shape, &o), WS_OK);
	const ws_emd_opts *r = ws_plan_options(plan);
	assert_int_equal(r->size, sizeof *r);
	assert_int_equal(r->sifts, 7);
	assert_int_equal(r->modes, 3);
	assert_int_equal(r->realizations, 100);
	assert_true(r->noise == 0.2);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
test_defaults(void **state)
{
	(void)state;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 1000 };
	ws_ctx *ctx = cpu_context(1);
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, "emd", &shape, NULL), WS_OK);
	const ws_emd_opts *r = ws_plan_options(plan);
	assert_int_equal(r->method, WS_METHOD_EMD);
	assert_int_equal(r->boundary, WS_BOUNDARY_MIRROR);
	assert_int_equal(r->spline, WS_SPLINE_NOT_A_KNOT);
	assert_int_equal(r->stop_rule, WS_STOP_FIXED);
	assert_int_equal(r->sifts, 10);
	assert_int_equal(r->check_every, 1);
	assert_int_equal(r->channel_noise, WS_NOISE_SHARED);
	assert_int_equal(ws_plan_modes(plan), r->modes);
	assert_true(ws_plan_seconds(plan) > 0.0);
	assert_non_null(strstr(ws_plan_describe(plan), "emd"));
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_shapes), cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_bad_joint_options), cmocka_unit_test(test_joint_defaults),
		cmocka_unit_test(test_borrowed_directions), cmocka_unit_test(test_nulls),
		cmocka_unit_test(test_context), cmocka_unit_test(test_absurd_sizes),
		cmocka_unit_test(test_older_caller), cmocka_unit_test(test_defaults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
