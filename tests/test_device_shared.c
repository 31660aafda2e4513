/*
 * test_device_shared.c - ensembles of fewer channels than GPUs, whose realizations these share, with
 * the backend of fake_backend.c: the bits are the CPU's for any number of GPUs; failures of one of
 * them, and who stops, end all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_test.h"
#include "emd_rows.h"

enum { CHANNELS = 2, SAMPLES = 700, MODES = 5 };

static double x[CHANNELS * SAMPLES];
static float narrow[CHANNELS * SAMPLES];

static int
make_input(void **state)
{
	rng r = { 15 };
	(void)state;
	setenv("FAKE_DEVICES", "16", 1);
	signal_make(SIGNAL_CHIRP_NOISE, &r, SAMPLES, x);
	signal_make(SIGNAL_WALK, &r, SAMPLES, x + SAMPLES);
	for (size_t t = 0; t < CHANNELS * SAMPLES; ++t)
		narrow[t] = (float)x[t];
	return 0;
}

static int
clear_settings(void **state)
{
	(void)state;
	unsetenv("FAKE_FAIL");
	unsetenv("FAKE_FAIL_ON");
	return 0;
}

/* What a run delivered. */
typedef struct sink {
	ws_type type;
	int reports, cancel_after; /* 0: never */
	double last;
	char rows[CHANNELS][MODES + 1][SAMPLES * sizeof(double)];
	int32_t modes[CHANNELS], sifts[CHANNELS][MODES], unfinished[CHANNELS];
} sink;

static ws_status
read_channel(void *user, size_t channel, void *to)
{
	const sink *s = user;
	if (s->type == WS_F64)
		memcpy(to, x + channel * SAMPLES, SAMPLES * sizeof *x);
	else
		memcpy(to, narrow + channel * SAMPLES, SAMPLES * sizeof *narrow);
	return WS_OK;
}

static const void *
data_of(const ws_channel_result *of, int array)
{
	ws_slab slab = { .size = sizeof slab };
	assert_int_equal(ws_result_slab(of, array, &slab), WS_OK);
	return slab.data;
}

static ws_status
write_channel(void *user, const ws_channel_result *of)
{
	sink *s = user;
	const size_t c = of->channel, row = SAMPLES * (s->type == WS_F64 ? 8 : 4);
	const emd_rows r = emd_rows_of(of);
	s->modes[c] = r.modes;
	for (int k = 0; k < r.modes; ++k) {
		memcpy(s->rows[c][k], (const char *)r.mode_rows + (size_t)k * row, row);
		s->sifts[c][k] = ((const int32_t *)data_of(of, WS_EMD_SIFTS))[k];
	}
	memcpy(s->rows[c][MODES], data_of(of, WS_EMD_RESIDUE), row);
	s->unfinished[c] = *(const int32_t *)data_of(of, WS_EMD_UNFINISHED);
	return WS_OK;
}

static int
report(void *user, double done)
{
	sink *s = user;
	assert_true(done >= s->last && done <= 1.0);
	s->last = done;
	return ++s->reports == s->cancel_after;
}

static ws_status
run(const char *device, const ws_emd_opts *o, size_t channels, const char *on, sink *s)
{
	const ws_type type = s->type;
	const ws_ctx_opts opts = { .size = sizeof opts, .threads = 1, .device = device };
	const ws_shape shape = { .size = sizeof shape, .channels = channels, .samples = SAMPLES,
		.type = type };
	const ws_stream stream = { .size = sizeof stream, .read = read_channel,
		.write = write_channel, .progress = report, .user = s };
	ws_ctx *ctx;
	ws_run *r;
	assert_int_equal(ws_ctx_create(&ctx, &opts), WS_OK);
	ws_emd_opts fit = *o;
	const ws_status made = ws_run_create(&r, ctx, emd_fit(&fit), &shape, &fit, 0);
	if (made != WS_OK)
		fail_msg("%s", ws_error_detail());
	if (on) {
		assert_string_equal(ws_run_device(r), on);
		assert_non_null(strstr(ws_run_describe(r), strchr(on, ',') ? on : "blocks"));
	}
	const ws_status status = ws_run_execute(r, &stream);
	ws_run_destroy(r);
	ws_ctx_destroy(ctx);
	return status;
}

static const ws_emd_opts kinds[] = {
	{ .method = WS_METHOD_ICEEMDAN },
	{ .method = WS_METHOD_ICEEMDAN, .channel_noise = WS_NOISE_INDEPENDENT, .snr = WS_SNR_CONSTANT },
	{ .method = WS_METHOD_CEEMDAN, .stop_rule = WS_STOP_RILLING },
	{ .method = WS_METHOD_CEEMDAN, .sifts = 4 },
	{ .method = WS_METHOD_EEMD, .stop_rule = WS_STOP_RILLING },
	{ .method = WS_METHOD_EEMD, .pairs = 1, .channel_noise = WS_NOISE_INDEPENDENT },
	{ .method = WS_METHOD_ICEEMDAN, .noise = -1.0 }, /* none */
};

/* Blocks of 32 realizations: as many devices as there are of these, at most. */
static void
test_bits(void **state)
{
	static const struct { const char *devices; int realizations; const char *on; } cases[] = {
		{ "cuda:0,1", 34, "cuda:0,1" }, { "cuda:0,1,2", 100, "cuda:0,1,2" },
		{ "cuda:3,1,2,0", 100, "cuda:3,1,2,0" }, { "cuda:0,1,2", 38, NULL },
		{ "cuda:0,1,2,3,4,5,6,7", 200, "cuda:0,1,2,3,4,5,6" },
		{ "cuda:0,1,2", 320, "cuda:0,1,2" }, { "cuda:0,1,2,3,4", 20, NULL },
	};
	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
		for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
			static sink cpu, gpu;
			ws_emd_opts o = kinds[k];
			const size_t channels = i % 2 ? 1 : 2;
			o.size = sizeof o;
			o.tag = WS_TAG_EMD;
			o.modes = MODES;
			o.seed = 7;
			o.realizations = cases[i].realizations;
			if (o.noise < 0.0)
				o.noise = 0x1p-1000;
			cpu = (sink){ .type = (k + i) % 2 ? WS_F32 : WS_F64 };
			gpu = (sink){ .type = cpu.type };
			assert_int_equal(run("cpu", &o, channels, "cpu", &cpu), WS_OK);
			assert_int_equal(run(cases[i].devices, &o, channels, cases[i].on, &gpu),
			                 WS_OK);
			assert_true(cpu.modes[0] > 0);
			assert_memory_equal(gpu.modes, cpu.modes, sizeof cpu.modes);
			assert_memory_equal(gpu.sifts, cpu.sifts, sizeof cpu.sifts);
			assert_memory_equal(gpu.unfinished, cpu.unfinished, sizeof cpu.unfinished);
			assert_memory_equal(gpu.rows, cpu.rows, sizeof cpu.rows);
		}
}

static const ws_emd_opts long_work = { .size = sizeof long_work, .tag = WS_TAG_EMD,
	.method = WS_METHOD_ICEEMDAN, .realizations = 3000, .modes = MODES };

static void
test_failures(void **state)
{
	static const char *const on[] = { "0", "2", "3" };
	(void)state;
	for (int i = 0; i < 3; ++i)
		for (int stop = 0; stop < 2; ++stop) {
			static sink s;
			char words[64];
			s = (sink){ .type = WS_F64 };
			setenv("FAKE_FAIL", stop ? "stop" : "start", 1);
			setenv("FAKE_FAIL_ON", on[i], 1);
			assert_int_equal(run("cuda:0,1,2,3", &long_work, 1, NULL, &s),
			                 WS_E_BACKEND);
			snprintf(words, sizeof words, "device cuda:%s: it %s", on[i],
			         stop ? "was lost" : "does not answer");
			expect_detail(words);
		}
}

static void
test_cancelled(void **state)
{
	(void)state;
	for (int n = 1; n < 5; ++n) {
		static sink s;
		s = (sink){ .type = WS_F64, .cancel_after = n };
		assert_int_equal(run("cuda:0,1,2,3", &long_work, 2, NULL, &s), WS_E_CANCELLED);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits),
		cmocka_unit_test_teardown(test_failures, clear_settings),
		cmocka_unit_test_teardown(test_cancelled, clear_settings),
	};
	return cmocka_run_group_tests(tests, make_input, NULL);
}
