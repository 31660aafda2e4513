/*
 * test_neighbours.c - what other libraries in the process may have set: results and environment
 * of a caller who rounds otherwise, flushes subnormal numbers to zero, or traps exceptions.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

#include "core_test.h"
#include "emd_rows.h"

#define N (SANITIZED ? 250 : 1000)
#define CHANNELS 2

/* ---- Environments ------------------------------------------------------------------- */

/* The register that rounding, flushing and traps of ordinary arithmetic come from. */
static uint64_t
control(void)
{
#if defined(__SSE__)
	return _mm_getcsr();
#elif defined(__aarch64__)
	uint64_t fpcr;
	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	return fpcr;
#else
	return 0;
#endif
}

/* Flush-to-zero and denormals-are-zero, as libraries built with -ffast-math set them. */
static void
flush(void)
{
#if defined(__SSE__)
	_mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, %0" : : "r"(control() | (uint64_t)1 << 24) : "memory");
#endif
}

enum { ORDINARY, FLUSHED, DOWN, UP, TOWARDS_ZERO, TRAPPED, FLUSHED_DOWN, ENVIRONMENTS };

static const char *const environment_names[] = {
	"ordinary", "flush to zero", "round down", "round up", "round towards zero",
	"invalid trapped", "flush to zero and round down",
};

static void
set_environment(int which)
{
	fesetenv(FE_DFL_ENV);
	static const int modes[] = { [DOWN] = FE_DOWNWARD, [UP] = FE_UPWARD,
		[TOWARDS_ZERO] = FE_TOWARDZERO,
		                     [FLUSHED_DOWN] = FE_DOWNWARD };
	if (which == DOWN || which == UP || which == TOWARDS_ZERO || which == FLUSHED_DOWN)
		fesetround(modes[which]);
	if (which == FLUSHED || which == FLUSHED_DOWN)
		flush();
	if (which == TRAPPED)
		feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
	/* Flags of the caller's own. */
	if (which != TRAPPED)
		feraiseexcept(FE_OVERFLOW);
}

typedef struct environment {
	uint64_t control;
	int rounding, trapped, raised;
} environment;

static environment
environment_now(void)
{
	return (environment){ control(), fegetround(), fegetexcept(), fetestexcept(FE_ALL_EXCEPT) };
}

static bool
same_environment(environment a, environment b)
{
	return a.control == b.control && a.rounding == b.rounding && a.trapped == b.trapped &&
	       a.raised == b.raised;
}

/* ---- Plans ---------------------------------------------------------------------------- */

/* Rounding and flushing what lies far below 1 is seen in squares and in small steps. */
static void
make_input(ws_type type, void *x)
{
	rng r = { 77 };
	double *d = need(CHANNELS * N * sizeof *d);
	signal_make(SIGNAL_CHIRP_NOISE, &r, CHANNELS * N, d);
	const double scale = type == WS_F32 ? 0x1p-60 : 0x1p-500;
	for (int i = 0; i < CHANNELS * N; ++i)
		d[i] *= scale;
	to_type(type, d, CHANNELS * N, x);
	free(d);
}

/* The result in an environment, which is to be there afterwards as it was. */
static void
decompose_in(int which, const job *j, result *r)
{
	set_environment(which);
	const environment before = environment_now();
	const ws_status status = decompose(j, r);
	const environment after = environment_now();
	fesetenv(FE_DFL_ENV);
	if (status != WS_OK)
		fail_msg("%s: %s", environment_names[which], ws_error_detail());
	/* The flags are those of the library's caller, which here computes nothing that raises
	 * any. */
	if (!same_environment(before, after))
		fail_msg("%s: control %#llx and %#llx, rounding %d and %d, trapped %d and %d, "
		         "raised %d and %d",
		         environment_names[which], (unsigned long long)before.control,
		         (unsigned long long)after.control, before.rounding, after.rounding,
		         before.trapped, after.trapped, before.raised, after.raised);
}

static void
test_methods(void **state)
{
	(void)state;
	const ws_emd_opts cases[] = {
		{ .method = WS_METHOD_EMD },
		{ .stop_rule = WS_STOP_SD },
		{ .stop_rule = WS_STOP_TOLERANCE, .stop_rule_param = { 0.2, 23.0 } },
		{ .stop_rule = WS_STOP_ENERGY, .stop_rule_param = { 43.0 }, .max_sifts = 60 },
		{ .spline = WS_SPLINE_PCHIP, .boundary = WS_BOUNDARY_EXTRAPOLATE },
		{ .spline = WS_SPLINE_AKIMA, .boundary = WS_BOUNDARY_PERIODIC },
		{ .method = WS_METHOD_EEMD, .realizations = 6 },
		{ .method = WS_METHOD_CEEMDAN, .realizations = 6 },
		{ .method = WS_METHOD_ICEEMDAN, .realizations = 6 },
		{ .method = WS_METHOD_MEMD, .directions = 20, .noise_channels = 1 },
		{ .reference = WS_REF_RILLING },
		{ .reference = WS_REF_COLOMINAS, .realizations = 4 },
		{ .reference = WS_REF_TORRES, .realizations = 4 },
		{ .reference = WS_REF_LIBEEMD },
		{ .reference = WS_REF_CEEMDAN_GPU, .realizations = 4 },
		{ .reference = WS_REF_MEMD_GPU, .directions = 20 },
	};
	static char x[CHANNELS * N * sizeof(double)];
	for (int type = 0; type < 2; ++type) {
		make_input((ws_type)type, x);
		for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
			job j = { .shape = { .channels = CHANNELS, .samples = N,
				.type = (ws_type)type },
				  .o = cases[c], .x = x, .threads = 2 };
			j.o.modes = 4;
			j.isa = c % 5 == 4 ? "plain" : NULL;
			result want, got;
			must_decompose(&j, &want);
			for (int e = ORDINARY; e < ENVIRONMENTS; ++e) {
				if (thinned_out(e + ENVIRONMENTS * (type + 2 * (int)c)))
					continue;
				decompose_in(e, &j, &got);
				if (!same_result(&want, &got))
					fail_msg("%s, case %zu, %s: other bits",
					         environment_names[e], c, type ? "f32" : "f64");
				result_free(&got);
			}
			result_free(&want);
		}
	}
}

/* A call that fails gives the environment back, too. */
static void
test_failures(void **state)
{
	(void)state;
	static double x[N];
	x[7] = 1.0 / 0.0;
	const job jobs[] = {
		{ .shape = { .channels = 1, .samples = N }, .o = { .noise = 1e9 }, .x = x },
		{ .shape = { .channels = 0, .samples = N }, .x = x },
		{ .shape = { .channels = 1, .samples = N }, .x = x, .threads = 2 },
	};
	for (int e = ORDINARY; e < ENVIRONMENTS; ++e)
		for (int i = 0; i < 3; ++i) {
			set_environment(e);
			const environment before = environment_now();
			result r;
			const ws_status status = decompose(&jobs[i], &r);
			const environment after = environment_now();
			fesetenv(FE_DFL_ENV);
			assert_int_not_equal(status, WS_OK);
			assert_true(same_environment(before, after));
		}
}

/* ---- Runs and callbacks --------------------------------------------------------------- */

typedef struct sink {
	const double *x;
	double *rows;           /* of the results, one after the other */
	size_t used;
	int strange;            /* callbacks that saw another environment than the default */
	int calls;
	int disturb;            /* environment that a callback leaves behind */
} sink;

static void
look(sink *s)
{
	s->calls++;
	s->strange += fegetround() != FE_TONEAREST || fegetexcept() != 0;
#if defined(__SSE__)
	s->strange += (control() & 0x8040) != 0;
#endif
	set_environment(s->disturb);
}

static ws_status
read_channel(void *user, size_t channel, void *x)
{
	sink *s = user;
	look(s);
	memcpy(x, s->x + channel * N, N * sizeof(double));
	return WS_OK;
}

static ws_status
write_channel(void *user, const ws_channel_result *of)
{
	const emd_rows rows = emd_rows_of(of), *r = &rows;
	sink *s = user;
	memcpy(s->rows + s->used, r->mode_rows, (size_t)r->modes * N * sizeof(double));
	s->used += (size_t)r->modes * N;
	memcpy(s->rows + s->used, r->residue, N * sizeof(double));
	s->used += N;
	look(s);
	return WS_OK;
}

static int
progress(void *user, double done)
{
	(void)done;
	look(user);
	return 0;
}

static void
run_in(int which, int disturb, sink *s)
{
	static double x[CHANNELS * N];
	make_input(WS_F64, x);
	*s = (sink){ .x = x, .rows = need(CHANNELS * 30 * N * sizeof(double)), .disturb = disturb };
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = N };
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_ICEEMDAN,
		.realizations = 20,
		                .sifts = 10 };
	const ws_ctx_opts c = { .size = sizeof c, .device = "cpu", .threads = 2 };
	const ws_stream stream = { .size = sizeof stream, .read = read_channel,
		.write = write_channel,
		                   .progress = progress, .user = s };
	ws_ctx *ctx;
	ws_run *run;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	set_environment(which);
	const environment before = environment_now();
	const ws_status made = ws_run_create(&run, ctx, emd_fit(&o), &shape, &o, 0);
	const environment between = environment_now();
	const ws_status done = made == WS_OK ? ws_run_execute(run, &stream) : made;
	const environment after = environment_now();
	fesetenv(FE_DFL_ENV);
	assert_int_equal(done, WS_OK);
	assert_true(same_environment(before, between) && same_environment(before, after));
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
}

static void
test_runs(void **state)
{
	(void)state;
	sink want, got;
	run_in(ORDINARY, ORDINARY, &want);
	assert_int_equal(want.strange, 0);
	for (int e = FLUSHED; e < ENVIRONMENTS; ++e)
		for (int disturb = 0; disturb < 2; ++disturb) {
			run_in(e, disturb ? FLUSHED_DOWN : ORDINARY, &got);
			assert_true(got.calls >= 2 * CHANNELS);
			assert_true(disturb || got.strange == 0);
			assert_int_equal(got.used, want.used);
			assert_memory_equal(got.rows, want.rows, want.used * sizeof(double));
			free(got.rows);
		}
	free(want.rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
