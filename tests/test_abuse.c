/*
 * test_abuse.c - every exported function, called as it should not be: handles and memory that are
 * not there, numbers that are beyond, structs without a size.  Each answers with a status, 0, "" or
 * NULL, as wavesift.h says, and nothing crashes; sanitizers look on.
 *
 * The list of functions is that of the public headers: a new one needs a row here.
 */
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"
#include "wavesift/match.h"

#define CHANNELS 2
#define SAMPLES 200

static ws_ctx *ctx;
static ws_plan *plan;
static ws_run *run;
static const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES };
static double x[CHANNELS * SAMPLES], values[SAMPLES + 1];

/* ---- Rows ------------------------------------------------------------------------------- */

#define REFUSED(call) assert_int_equal(call, WS_E_ARG)

static void
texts(void)
{
	for (int i = -1000; i < 1000; ++i)
		assert_non_null(ws_status_name((ws_status)i));
	assert_non_null(ws_error_detail());
	assert_non_null(ws_version());
	assert_true(ws_numerics_version() > 0);
	assert_null(ws_isa_name(-1));
	assert_null(ws_isa_name(1000000));
}

static void
contexts(void)
{
	ws_ctx *c;
	ws_ctx_opts o = { 0 };
	REFUSED(ws_ctx_create(NULL, NULL));
	REFUSED(ws_ctx_create(&c, &o));
	assert_null(c);
	o.size = sizeof o;
	o.threads = -1;
	REFUSED(ws_ctx_create(&c, &o));
	o.threads = 0;
	o.isa = "";
	assert_int_not_equal(ws_ctx_create(&c, &o), WS_OK);
	o.isa = NULL;
	o.device = "cuda:99999999999999999999";
	assert_int_not_equal(ws_ctx_create(&c, &o), WS_OK);
	ws_ctx_opts_init(NULL, sizeof o);
	ws_ctx_opts_init(&o, 0);
	assert_int_equal(o.size, sizeof o);
	ws_ctx_destroy(NULL);
	assert_int_equal(ws_ctx_threads(NULL), 0);
	assert_string_equal(ws_ctx_isa(NULL), "");
}

static void
devices(void)
{
	ws_device d = { 0 };
	REFUSED(ws_device_info(0, NULL));
	REFUSED(ws_device_info(0, &d));
	REFUSED(ws_ctx_device_info(NULL, 0, &d));
	REFUSED(ws_ctx_device_info(ctx, 0, NULL));
	REFUSED(ws_ctx_device_info(ctx, 0, &d));
	d.size = sizeof d;
	assert_int_not_equal(ws_device_info(-1, &d), WS_OK);
	assert_int_not_equal(ws_ctx_device_info(ctx, 1 << 30, &d), WS_OK);
}

static void
ignore(void *user, const ws_fact *fact)
{
	(void)user, (void)fact;
}

static void
options(void)
{
	const ws_transform *t = ws_transform_at(0);
	const ws_option *o = ws_transform_option(t, 0);
	char text[8] = "x";
	ws_emd_opts opts = { .size = sizeof opts, .tag = WS_TAG_EMD };
	ws_options_init(NULL, &opts, sizeof opts);
	ws_options_init(t, NULL, sizeof opts);
	ws_options_init(t, &opts, 0);
	ws_emd_opts_init(NULL, sizeof opts);
	ws_hht_opts_init(NULL, sizeof opts);
	ws_cwt_opts_init(NULL, sizeof opts);
	ws_conv_opts_init(NULL, sizeof opts);
	assert_int_equal(opts.size, sizeof opts);
	assert_null(ws_transform_at(-1));
	assert_null(ws_transform_at(1 << 30));
	assert_null(ws_transform_find(NULL));
	assert_null(ws_transform_find(""));
	assert_null(ws_transform_option(NULL, 0));
	assert_null(ws_transform_option(t, -1));
	assert_null(ws_transform_option(t, 1 << 30));
	ws_array a = { .size = sizeof a };
	REFUSED(ws_transform_array(NULL, 0, &a));
	REFUSED(ws_transform_array(t, 0, NULL));
	REFUSED(ws_transform_array(t, -1, &a));
	REFUSED(ws_transform_array(t, 1 << 30, &a));
	a.size = 0;
	REFUSED(ws_transform_array(t, 0, &a));
	REFUSED(ws_option_set(NULL, &opts, "1"));
	REFUSED(ws_option_set(o, NULL, "1"));
	REFUSED(ws_option_set(o, &opts, NULL));
	ws_options_free(NULL, &opts);
	ws_options_free(t, NULL);
	assert_int_equal(ws_option_text(NULL, &opts, text, sizeof text), 0);
	assert_string_equal(text, "");
	assert_int_equal(ws_option_text(o, NULL, text, sizeof text), 0);
	assert_int_equal(ws_option_text(o, &opts, NULL, 0), 0);
	assert_int_equal(ws_option_text(o, &opts, NULL, 9), 0);
	REFUSED(ws_options_check(NULL, &opts, NULL));
	REFUSED(ws_options_check(t, NULL, NULL));
	assert_int_not_equal(ws_options_facts(NULL, &opts, NULL, ignore, NULL), WS_E_NOMEM);
	assert_int_not_equal(ws_options_facts(t, NULL, NULL, ignore, NULL), WS_E_NOMEM);
	assert_int_not_equal(ws_options_facts(t, &opts, NULL, NULL, NULL), WS_E_NOMEM);
	assert_int_equal(ws_options_line(NULL, &opts, NULL, text, sizeof text), 0);
	assert_int_equal(ws_options_line(t, NULL, NULL, text, sizeof text), 0);
	const size_t all = ws_options_line(t, ws_plan_options(plan), NULL, NULL, 9);
	for (size_t n = 1; n < sizeof text; ++n) {
		assert_int_equal(ws_options_line(t, ws_plan_options(plan), NULL, text, n), all);
		assert_true(strlen(text) < n);
	}
}

static void
plans(void)
{
	ws_plan *p;
	ws_shape bad = { 0 };
	REFUSED(ws_plan_create(NULL, ctx, "emd", &shape, NULL));
	REFUSED(ws_plan_create(&p, NULL, "emd", &shape, NULL));
	REFUSED(ws_plan_create(&p, ctx, NULL, &shape, NULL));
	REFUSED(ws_plan_create(&p, ctx, "", &shape, NULL));
	REFUSED(ws_plan_create(&p, ctx, "emd", NULL, NULL));
	REFUSED(ws_plan_create(&p, ctx, "emd", &bad, NULL));
	REFUSED(ws_plan_create(&p, ctx, "emd", &shape, &bad));
	assert_null(p);
	bad = (ws_shape){ .size = sizeof bad, .channels = SIZE_MAX, .samples = SIZE_MAX };
	REFUSED(ws_plan_create(&p, ctx, "emd", &bad, NULL));
	bad = (ws_shape){ .size = sizeof bad, .channels = 1, .samples = 9, .type = (ws_type)77 };
	REFUSED(ws_plan_create(&p, ctx, "emd", &bad, NULL));
	REFUSED(ws_plan_create(&p, ctx, "emd", &shape, &(ws_emd_opts){ .size = 1 }));
	ws_plan_destroy(NULL);
}

static void
plan_getters(void)
{
	ws_array a = { 0 };
	assert_int_equal(ws_plan_workspace(NULL), 0);
	assert_string_equal(ws_plan_device(NULL), "");
	assert_int_equal(ws_plan_device_bytes(NULL), 0);
	assert_int_equal(ws_plan_host_bytes(NULL), 0);
	assert_null(ws_plan_options(NULL));
	assert_true(ws_plan_seconds(NULL) == 0);
	assert_string_equal(ws_plan_describe(NULL), "");
	assert_int_equal(ws_plan_arrays(NULL), 0);
	assert_int_equal(ws_plan_modes(NULL), 0);
	REFUSED(ws_plan_array(plan, 0, &a));
	a.size = sizeof a;
	REFUSED(ws_plan_array(NULL, 0, &a));
	REFUSED(ws_plan_array(plan, 0, NULL));
	REFUSED(ws_plan_array(plan, -1, &a));
	REFUSED(ws_plan_array(plan, 1 << 30, &a));
	assert_int_equal(ws_plan_find(NULL, "modes"), -1);
	assert_int_equal(ws_plan_find(plan, NULL), -1);
	assert_int_equal(ws_plan_find(plan, "nonsense"), -1);
	REFUSED(ws_plan_axis(NULL, 0, WS_AXIS_TIME, values, 8));
	REFUSED(ws_plan_axis(plan, 0, WS_AXIS_TIME, NULL, 8));
	REFUSED(ws_plan_axis(plan, 0, WS_AXIS_MASK, values, 8));
	REFUSED(ws_plan_axis(plan, 0, (ws_axis)-7, values, 8));
	REFUSED(ws_plan_axis(plan, 1 << 30, WS_AXIS_TIME, values, 8));
}

static void
executions(void)
{
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 127) / 64 * 64);
	ws_buffer arrays[WS_EMD_ARRAYS] = { 0 };
	ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = WS_EMD_ARRAYS };
	REFUSED(ws_execute(NULL, &io, workspace));
	REFUSED(ws_execute(plan, NULL, workspace));
	REFUSED(ws_execute(plan, &io, NULL));
	REFUSED(ws_execute(plan, &io, (char *)workspace + 1));
	REFUSED(ws_execute(plan, &io, workspace));
	REFUSED(ws_execute(plan, &(ws_io){ 0 }, workspace));
	io.x = NULL;
	REFUSED(ws_execute(plan, &io, workspace));
	io.x = x;
	io.arrays = NULL;
	REFUSED(ws_execute(plan, &io, workspace));
	io.arrays = arrays;
	io.memory = WS_MEMORY_DEVICE;
	REFUSED(ws_execute(plan, &io, workspace));
	io.memory = (ws_memory)9;
	REFUSED(ws_execute(plan, &io, workspace));
	io.memory = WS_MEMORY_HOST;
	io.n_arrays = -1;
	REFUSED(ws_execute(plan, &io, workspace));
	/* What comes after cannot be left out. */
	io.n_arrays = 1;
	REFUSED(ws_execute(plan, &io, workspace));
	io.n_arrays = 0;
	free(workspace);
}

static void
runs(void)
{
	ws_run *r;
	ws_array a = { .size = sizeof a };
	REFUSED(ws_run_create(NULL, ctx, "emd", &shape, NULL, 0));
	REFUSED(ws_run_create(&r, NULL, "emd", &shape, NULL, 0));
	REFUSED(ws_run_create(&r, ctx, NULL, &shape, NULL, 0));
	REFUSED(ws_run_create(&r, ctx, "emd", NULL, NULL, 0));
	assert_int_equal(ws_run_create(&r, ctx, "emd", &shape, NULL, 1), WS_E_NOMEM);
	assert_null(r);
	ws_run_destroy(NULL);
	assert_string_equal(ws_run_describe(NULL), "");
	assert_int_equal(ws_run_bytes(NULL), 0);
	assert_string_equal(ws_run_device(NULL), "");
	assert_int_equal(ws_run_device_bytes(NULL), 0);
	assert_true(ws_run_seconds(NULL) == 0 && ws_run_worked(NULL) == 0);
	assert_null(ws_run_options(NULL));
	assert_int_equal(ws_run_blocks(NULL), 0);
	assert_int_equal(ws_run_arrays(NULL), 0);
	assert_int_equal(ws_run_modes(NULL), 0);
	assert_int_equal(ws_run_find(NULL, "modes"), -1);
	assert_int_equal(ws_run_find(run, NULL), -1);
	REFUSED(ws_run_array(NULL, 0, &a));
	REFUSED(ws_run_array(run, 0, NULL));
	REFUSED(ws_run_array(run, -1, &a));
	REFUSED(ws_run_axis(NULL, 0, WS_AXIS_CHANNEL, values, 8));
	REFUSED(ws_run_axis(run, 0, WS_AXIS_CHANNEL, NULL, 8));
	REFUSED(ws_run_axis(run, -1, WS_AXIS_CHANNEL, values, 8));
	REFUSED(ws_run_axis(run, 0, (ws_axis)99, values, 8));
	REFUSED(ws_run_axis(run, 0, WS_AXIS_CHANNEL, values, 0));
}

static ws_status
give(void *user, size_t channel, void *to)
{
	(void)user;
	memcpy(to, x + channel * SAMPLES, SAMPLES * sizeof *x);
	return WS_OK;
}

static ws_status
take(void *user, const ws_channel_result *r)
{
	ws_slab slab = { 0 };
	(void)user;
	REFUSED(ws_result_slab(NULL, 0, &slab));
	REFUSED(ws_result_slab(r, 0, NULL));
	REFUSED(ws_result_slab(r, 0, &slab));
	return WS_OK;
}

static ws_status
beyond(void *user, size_t *block)
{
	(void)user;
	*block = SIZE_MAX;
	return WS_OK;
}

static void
run_executions(void)
{
	ws_stream s = { .size = sizeof s, .read = give, .write = take };
	REFUSED(ws_run_execute(NULL, &s));
	REFUSED(ws_run_execute(run, NULL));
	REFUSED(ws_run_execute(run, &(ws_stream){ 0 }));
	s.read = NULL;
	REFUSED(ws_run_execute(run, &s));
	s.read = give;
	s.write = NULL;
	REFUSED(ws_run_execute(run, &s));
	s.write = take;
	assert_int_equal(ws_run_execute(run, &s), WS_OK);
	s.next = beyond;
	REFUSED(ws_run_execute(run, &s));
}

static void
others(void)
{
	ws_masks *m;
	ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV };
	ws_mode_figures f = { .size = sizeof f };
	REFUSED(ws_masks_create(NULL, ctx, &o, 1));
	REFUSED(ws_masks_create(&m, NULL, &o, 1));
	REFUSED(ws_masks_create(&m, ctx, NULL, 1));
	REFUSED(ws_masks_create(&m, ctx, &(ws_conv_opts){ 0 }, 1));
	REFUSED(ws_masks_create(&m, ctx, &o, 1));
	ws_masks_destroy(NULL);
	REFUSED(ws_cwt_inverse(NULL, x, x));
	REFUSED(ws_cwt_inverse(plan, x, x));
	REFUSED(ws_cwt_inverse(plan, NULL, x));
	REFUSED(ws_match_modes(NULL, 1, 1, (int32_t[2]){ 0 }));
	REFUSED(ws_match_modes((double[4]){ 1 }, 1, 1, NULL));
	REFUSED(ws_match_modes((double[4]){ 1 }, 1 << 20, 1, (int32_t[2]){ 0 }));
	REFUSED(ws_match_modes((double[4]){ NAN }, 1, 1, (int32_t[2]){ 0 }));
	REFUSED(ws_mode_stats(x, WS_F64, SAMPLES, 1, NULL));
	REFUSED(ws_mode_stats(NULL, WS_F64, SAMPLES, 1, &f));
	REFUSED(ws_mode_stats(x, WS_F64, 0, 1, &f));
	REFUSED(ws_mode_stats(x, (ws_type)9, SAMPLES, 1, &f));
	REFUSED(ws_mode_stats(x, WS_F64, SAMPLES, 0, &f));
	f.size = 0;
	REFUSED(ws_mode_stats(x, WS_F64, SAMPLES, 1, &f));
}

static const struct {
	void (*abuse)(void);
	const char *functions;  /* that it calls, between spaces */
} rows[] = {
	{ texts, " ws_status_name ws_error_detail ws_version ws_numerics_version ws_isa_name " },
	{ contexts, " ws_ctx_opts_init ws_ctx_create ws_ctx_destroy ws_ctx_threads ws_ctx_isa " },
	{ devices, " ws_device_info ws_ctx_device_info " },
	{ options, " ws_transform_at ws_transform_find ws_transform_option ws_transform_array ws_option_set "
	  "ws_option_text ws_options_free ws_options_check ws_options_facts ws_options_line "
	  "ws_options_init ws_emd_opts_init ws_hht_opts_init ws_cwt_opts_init ws_conv_opts_init " },
	{ plans, " ws_plan_create ws_plan_destroy " },
	{ plan_getters, " ws_plan_workspace ws_plan_device ws_plan_device_bytes ws_plan_host_bytes "
	  "ws_plan_options ws_plan_seconds ws_plan_describe ws_plan_arrays ws_plan_array "
	  "ws_plan_axis ws_plan_find ws_plan_modes " },
	{ executions, " ws_execute " },
	{ runs, " ws_run_create ws_run_destroy ws_run_describe ws_run_bytes ws_run_device "
	  "ws_run_device_bytes ws_run_seconds ws_run_worked ws_run_options ws_run_blocks "
	  "ws_run_arrays ws_run_array ws_run_axis ws_run_find ws_run_modes " },
	{ run_executions, " ws_run_execute ws_result_slab " },
	{ others, " ws_masks_create ws_masks_destroy ws_cwt_inverse ws_mode_stats ws_match_modes " },
};

static void
every_function_is_abused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
		rows[i].abuse();
}

/* ---- The headers ------------------------------------------------------------------------ */

static bool
has_row(const char *function)
{
	char wanted[128];
	snprintf(wanted, sizeof wanted, " %s ", function);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
		if (strstr(rows[i].functions, wanted))
			return true;
	return false;
}

/* The functions that a header exports; how many. */
static size_t
look_at_header(const char *name)
{
	char path[1024], line[512];
	const char *root = getenv("WAVESIFT_SOURCE");
	size_t found = 0;
	snprintf(path, sizeof path, "%s/include/wavesift/%s", root ? root : WAVESIFT_SOURCE_DIR,
	         name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		char *end = strchr(line, '(');
		if (strncmp(line, "WS_API ", 7) != 0 || !end)
			continue;
		char *start = end;
		while (isalnum((unsigned char)start[-1]) || start[-1] == '_')
			--start;
		*end = '\0';
		if (!has_row(start))
			fail_msg("%s of %s has no row", start, name);
		++found;
	}
	fclose(f);
	return found;
}

static void
every_function_has_a_row(void **state)
{
	static const char *const headers[] = { "wavesift.h", "emd.h", "cwt.h", "conv.h", "hht.h",
		"match.h" };
	size_t found = 0;
	(void)state;
	for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
		found += look_at_header(headers[i]);
	assert_true(found >= 50);
}

/* ---- Eight threads ------------------------------------------------------------------------ */

#define THREADS 8

typedef struct worker {
	pthread_t thread;
	int number;
	double sum, shared, ran; /* of a plan of its own, of the shared one, of a run */
	bool failed;
} worker;

static ws_status
add(void *user, const ws_channel_result *r)
{
	const ws_slab *s = &r->slabs[WS_EMD_RESIDUE];
	for (size_t k = 0; k < SAMPLES; ++k)
		*(double *)user += ((const double *)s->data)[k];
	return WS_OK;
}

/* The sum of a residue; NaN where it fails. */
static double
execute(const ws_plan *p)
{
	const size_t modes = (size_t)ws_plan_modes(p);
	void *workspace = aligned_alloc(64, (ws_plan_workspace(p) + 63) / 64 * 64);
	double *all = calloc((modes + 1) * CHANNELS * SAMPLES, sizeof *all);
	double *residue = all + modes * CHANNELS * SAMPLES, sum = 0;
	int32_t count[CHANNELS];
	const ws_buffer arrays[] = EMD_BUFFERS(all, residue, count);
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
		.n_arrays = sizeof arrays / sizeof *arrays };
	const bool good = ws_execute(p, &io, workspace) == WS_OK;
	for (size_t k = 0; k < CHANNELS * SAMPLES; ++k)
		sum += residue[k];
	free(workspace);
	free(all);
	return good ? sum : (double)NAN;
}

static void *
work(void *arg)
{
	worker *w = arg;
	for (int round = 0; round < 5; ++round) {
		ws_plan *own;
		ws_run *r;
		const ws_stream s = { .size = sizeof s, .read = give, .write = add, .user = &w->ran };
		w->ran = 0;
		w->failed |= ws_plan_create(&own, ctx, "emd", &shape, NULL) != WS_OK;
		w->sum = execute(own);
		w->shared = execute(plan);
		ws_plan_destroy(own);
		w->failed |= ws_run_create(&r, ctx, "emd", &shape, NULL, 0) != WS_OK
		             || ws_run_execute(r, &s) != WS_OK;
		ws_run_destroy(r);
		/* Each thread has its own last failure. */
		w->failed |= ws_plan_create(&own, ctx, w->number % 2 ? "odd" : "even", &shape, NULL)
		             != WS_E_ARG
		             || !strstr(ws_error_detail(), w->number % 2 ? "odd" : "even");
	}
	return NULL;
}

/* One context, one plan that all share, plans and runs of their own. */
static void
eight_threads(void **state)
{
	worker workers[THREADS] = { 0 };
	const double expected = execute(plan);
	(void)state;
	for (int i = 0; i < THREADS; ++i) {
		workers[i].number = i;
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; ++i)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < THREADS; ++i) {
		assert_false(workers[i].failed);
		assert_true(workers[i].sum == expected && workers[i].shared == expected);
		assert_true(workers[i].ran == workers[0].ran);
	}
}

/* ---- Main ----------------------------------------------------------------------------------- */

static int
begin(void **state)
{
	(void)state;
	uint32_t random = 1;
	for (size_t k = 0; k < CHANNELS * SAMPLES; ++k) {
		random = random * 1664525u + 1013904223u;
		x[k] = (double)(random >> 8) / (1 << 24);
	}
	const ws_ctx_opts o = { .size = sizeof o, .device = "cpu", .threads = 2 };
	return ws_ctx_create(&ctx, &o) == WS_OK
	       && ws_plan_create(&plan, ctx, "emd", &shape, NULL) == WS_OK
	       && ws_run_create(&run, ctx, "emd", &shape, NULL, 0) == WS_OK ? 0 : -1;
}

static int
end(void **state)
{
	(void)state;
	ws_run_destroy(run);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_has_a_row),
		cmocka_unit_test(every_function_is_abused), cmocka_unit_test(eight_threads),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
