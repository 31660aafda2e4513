/* test_hht_calls.c - Hilbert-Huang spectra: what is refused, signals of a few samples, options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_test.h"
#include "hht_test.h"

enum { SAMPLES = 1500 };

static int
stop(void *user, double done)
{
	(void)user;
	(void)done;
	return 1;
}

static void
test_refusals(void **state)
{
	static double x[4 * SAMPLES];
	hht h;
	(void)state;
	hht_noisy(x, 4 * SAMPLES, 1);
	static const double edges[] = { 1, 3, 2 }, above[] = { 6, 7, 8 };
	const ws_hht_opts wrong[] = {
		{ .frequency_method = (ws_hht_method)4 }, { .reference = (ws_hht_reference)2 },
		{ .ends = (ws_hht_ends)4 }, { .exclude = (ws_hht_exclude)-1 }, { .smooth_phase = 4 },
		{ .smooth_phase = 33 }, { .smooth_frequency = 2 }, { .outlier_ratio = 0.5 }, { .outlier_ratio = NAN },
		{ .time_bin = -1 }, { .quantity = (ws_hht_quantity)5 }, { .confidence = 1 },
		{ .freqs.low = 5, .freqs.high = 4 }, { .freqs.low = -1 }, { .freqs.high = INFINITY },
		{ .freqs.count = 65537 }, { .edges = edges, .freqs.count = 2 }, { .edges = edges },
		{ .parts = 1024 },
		{ .noise_signals = 49 }, { .noise_signals = 100, .modes_given = 1 },
		{ .limits_rule = WS_STOP_FIXED, .limits_from = 3, .limits_to = 3 },
		{ .limits_rule = WS_STOP_RILLING, .limits_from = 3, .limits_to = 5 },
		{ .limits_rule = WS_STOP_FIXED, .limits_from = 3, .limits_to = 5,
		  .modes_given = 1 },
		{ .limits_rule = WS_STOP_FIXED, .limits_from = 3, .limits_to = 5,
		  .parts = WS_HHT_PART_SPECTRUM },
		{ .parts = WS_HHT_PART_HOLOSPECTRUM, .modulation_freqs.low = 3, .modulation_freqs.high = 2 },
		/* Above half the sampling rate, 5 Hz */
		{ .freqs.low = 5, .freqs.high = 9 }, { .edges = above, .freqs.count = 2 },
		{ .parts = WS_HHT_PART_HOLOSPECTRUM, .modulation_freqs.low = 6, .modulation_freqs.high = 8 },
		{ .emd = { .modes = -1 } }, { .emd_room = { 1 } },
		{ .emd = { .method = WS_METHOD_MEMD, .realizations = -1 } }, { .modes_given = -1 },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
		const hht_job task = { .channels = 1, .samples = SAMPLES, .fs = 10, .x = x,
			.o = wrong[i] };
		if (hht_make(&task, &h) != WS_E_ARG)
			fail_msg("options %zu were taken", i);
	}
	hht_job task = { .channels = 2, .samples = SAMPLES, .fs = 10, .x = x,
		.o = { .modes_given = 2 } };
	x[3 * SAMPLES + 41] = NAN;
	assert_int_equal(hht_make(&task, &h), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel 1, mode 1, sample 41"));
	x[3 * SAMPLES + 41] = 0;
	task.progress = stop;
	assert_int_equal(hht_make(&task, &h), WS_E_CANCELLED);
	task.o.modes_given = 0;
	assert_int_equal(hht_make(&task, &h), WS_E_CANCELLED);
}

/* Rows of few samples, of none but zeros, without extrema. */
static void
test_small(void **state)
{
	double x[64];
	(void)state;
	for (size_t n = 1; n <= 64; n = n < 9 ? n + 1 : 2 * n)
		for (int method = 1; method <= 3; ++method)
			for (int kind = 0; kind < 12; ++kind) {
				for (size_t i = 0; i < n; ++i)
					x[i] = kind % 3 == 0 ? 0 : kind % 3 == 1 ? (double)i
					       : i % 2 ? -1 : 1;
				hht h;
				const hht_job task = { .channels = 1, .samples = n, .fs = 10,
					.x = x,
					.o = { .frequency_method = (ws_hht_method)method,
					       .reference = (ws_hht_reference)(kind / 3 % 2),
					       .modes_given = kind / 6 } };
				hht_must(&task, &h);
				const size_t modes = (size_t)hht_at(&h, WS_HHT_MODE_COUNT, 0);
				for (size_t i = 0; i < modes * n; ++i) {
					assert_true(isfinite(hht_at(&h, WS_HHT_AMPLITUDE, i)));
					assert_true(isfinite(hht_at(&h, WS_HHT_PHASE, i)));
					assert_true(isfinite(hht_at(&h, WS_HHT_INSTANTANEOUS_FREQUENCY, i)));
				}
				hht_free(&h);
			}
}

static void
test_options(void **state)
{
	static const struct { const char *name, *text, *told, *refused; } cases[] = {
		{ "freqs", "1:45:88", "1:45:88:log", "45" },
		{ "freqs", "1:45", "1:45:66:log", "0:45" },
		{ "freqs", "0:50:100:lin", "0:50:100:lin", "5:4:10" },
		{ "limits", "s-number:3-12", "s-number:3-12", "s-number:12-3" },
		{ "modulation-freqs", "0.5:8:20", "0.5:8:20:log", "8:0.5:20" },
		{ "frequency-method", "nht", "nht", "direct" },
		{ "parts", "modes,mode-spectrum", "modes,mode-spectrum", "modes," },
		{ "reference", "emd", "emd", "matlab" },
		{ "reference", "rilling", "rilling", "" },
		{ "decomposition", "memd", "memd", "vmd" },
		{ "stop-rule", "rilling:0.5", "rilling:0.5", "fixed:0" },
		{ "sifts", "7", "7", "0" }, { "noise", "0", "0", "-1" },
		{ "ends", "zero", "zero", "x" },
		{ "decomposition", "none", "none", "" },
		{ "decomposition", "stored", "stored", "" },
		{ "quantity", "energy", "energy", "joule" },
		{ "smooth-phase", "5", "5", "0" }, { "time-bin", "0.5", "0.5", "0" },
	};
	const ws_transform *t = ws_transform_find("hht");
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		ws_hht_opts o = { .size = sizeof o, .tag = WS_TAG_HHT }, again = o;
		char text[64];
		int k = 0;
		while (strcmp(ws_transform_option(t, k)->name, cases[i].name) != 0)
			++k;
		const ws_option *option = ws_transform_option(t, k);
		ws_option_text(option, &o, text, sizeof text);
		assert_string_equal(text, "");
		assert_int_equal(ws_option_set(option, &o, cases[i].text), WS_OK);
		ws_option_text(option, &o, text, sizeof text);
		assert_string_equal(text, cases[i].told);
		assert_int_equal(ws_option_set(option, &again, text), WS_OK);
		assert_memory_equal(&o, &again, sizeof o);
		assert_int_equal(ws_option_set(option, &o, cases[i].refused), WS_E_ARG);
	}
	/* Set through the table, they reach the decomposition. */
	static double x[SAMPLES];
	hht_noisy(x, SAMPLES, 3);
	hht h;
	const hht_job task = { .channels = 1, .samples = SAMPLES, .x = x,
		.o = { .emd = { .method = WS_METHOD_EEMD, .realizations = 4, .modes = 3 } } };
	hht_must(&task, &h);
	assert_int_equal(h.modes, 3);
	assert_int_equal(h.opts.emd.realizations, 4);
	assert_int_equal(h.opts.emd.method, WS_METHOD_EEMD);
	hht_free(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_small),
		cmocka_unit_test(test_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
