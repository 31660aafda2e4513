/*
 * test_options.c - options by their descriptors, for every transform: from text and back, checked
 * together, told as facts and in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wavesift/wavesift.h"

static const ws_option *
option(const char *transform, const char *name)
{
	const ws_transform *t = ws_transform_find(transform);
	const ws_option *o;
	assert_non_null(t);
	for (int i = 0; (o = ws_transform_option(t, i)); ++i)
		if (strcmp(o->name, name) == 0)
			return o;
	fail_msg("%s has no --%s", transform, name);
	return NULL;
}

static void
set(ws_emd_opts *opts, const char *transform, const char *name, const char *text)
{
	assert_int_equal(ws_option_set(option(transform, name), opts, text), WS_OK);
}

/* ---- One option ------------------------------------------------------------------------ */

/* A text that an option takes. */
static const char *
sample_of(const ws_option *o, char text[64])
{
	if (o->kind == WS_OPTION_RANGE)
		return "1:4:3";
	if (o->kind == WS_OPTION_LIST)
		return strstr(o->argument, ":HI") ? "1:4,4:8.5" : "1,8.5";
	if (o->kind == WS_OPTION_TEXT && !o->choices && strstr(o->argument, ":TO"))
		return "1:4:db";
	if (o->argument && strstr(o->argument, "FROM-TO"))
		return "fixed:3-5";
	if (o->choices)
		return o->choices[0].name;
	if (o->kind == WS_OPTION_U64)
		return "9223372036854775807";
	/* What is 0 in its field is told as nothing, its default. */
	if (o->kind == WS_OPTION_TEXT && o->zero == 1.0)
		return "2";
	const bool beyond = o->kind == WS_OPTION_REAL && o->high < 1;
	snprintf(text, 64, "%.17g", o->low > 1 || beyond ? o->low : 1.0);
	return text;
}

static bool
is_array(const ws_option *o)
{
	return o->kind == WS_OPTION_ARRAY && !o->choices;
}

/* An option that is set leaves all others as they were. */
static void
test_alone(void **state)
{
	(void)state;
	const ws_transform *t;
	const ws_option *o, *p;
	for (int i = 0; (t = ws_transform_at(i)); ++i)
		for (int k = 0; (o = ws_transform_option(t, k)); ++k)
			for (int n = 0; (p = ws_transform_option(t, n)); ++n) {
				if (o == p || is_array(o) || is_array(p))
					continue;
				size_t *a = calloc(1, t->options_size);
				char text[64], told[64], again[64];
				ws_options_init(t, a, t->options_size);
				assert_int_equal(ws_option_set(o, a, sample_of(o, text)), WS_OK);
				ws_option_text(o, a, told, sizeof told);
				assert_int_equal(ws_option_set(p, a, sample_of(p, text)), WS_OK);
				ws_option_text(o, a, again, sizeof again);
				/* Which is short for a stop rule. */
				if (strcmp(p->name, "sifts") != 0)
					assert_string_equal(told, again);
				ws_options_free(t, a);
				free(a);
			}
}

/* What is set is told as it was given, and taken again. */
static void
test_round_trip(void **state)
{
	(void)state;
	const ws_transform *t;
	int options = 0;
	for (int i = 0; (t = ws_transform_at(i)); ++i) {
		const ws_option *o;
		for (int k = 0; (o = ws_transform_option(t, k)); ++k) {
			size_t *a = calloc(1, t->options_size), *b = calloc(1, t->options_size);
			char text[64], told[64], again[64];
			ws_options_init(t, a, t->options_size);
			ws_options_init(t, b, t->options_size);
			assert_int_equal(ws_option_text(o, a, told, sizeof told), 0);
			assert_string_equal(told, "");
			if (o->kind == WS_OPTION_ARRAY && !o->choices) {
				assert_int_equal(ws_option_set(o, a, "x.npy"), WS_E_ARG);
			} else {
				assert_int_equal(ws_option_set(o, a, sample_of(o, text)), WS_OK);
				ws_option_text(o, a, told, sizeof told);
				assert_string_not_equal(told, "");
				assert_int_equal(ws_option_set(o, a, told), WS_OK);
				assert_int_equal(ws_option_set(o, b, told), WS_OK);
				assert_int_equal(ws_option_text(o, b, again, sizeof again),
				                 strlen(told));
				assert_string_equal(again, told);
				/* Lists lie where they were put. */
				ws_options_free(t, a);
				ws_options_free(t, b);
				assert_memory_equal(a, b, t->options_size);
				ws_options_free(t, a);
			}
			free(a);
			free(b);
			options++;
		}
	}
	assert_true(options > 40);
}

/* 0 of an option whose 0 means "default" is another number in the struct. */
static void
test_zero(void **state)
{
	(void)state;
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD };
	char text[64];
	set(&o, "eemd", "noise", "0");
	assert_true(o.noise < 0);
	assert_int_equal(ws_option_text(option("eemd", "noise"), &o, text, sizeof text), 1);
	assert_string_equal(text, "0");
}

static void
refused(const char *transform, const char *name, const char *text, const char *words)
{
	ws_hht_opts o = { .size = sizeof o, .tag = WS_TAG_HHT }; /* as long as any */
	assert_int_equal(ws_option_set(option(transform, name), &o, text), WS_E_ARG);
	if (!strstr(ws_error_detail(), words))
		fail_msg("--%s %s: \"%s\" has no \"%s\"", name, text, ws_error_detail(), words);
}

static void
test_refused(void **state)
{
	(void)state;
	refused("emd", "modes", "0", "a whole number from 1 to 1000");
	refused("emd", "modes", "1001", "a whole number from 1 to 1000");
	refused("eemd", "realizations", "16777217", "a whole number from 1 to 16777216");
	refused("hht", "confidence", "1", "a number from 1e-09 to 0.999999999999");
	refused("hht", "freqs", "1:10:5:lin:x", "LOW:HIGH:COUNT");
	refused("hht", "freqs", "0:10:5", "cannot begin at 0");
	refused("hht", "freqs", "0:10:5:log", "cannot begin at 0");
	refused("hht", "modulation-freqs", "0:10:5", "cannot begin at 0");
	refused("emd", "modes", "7x", "a whole number");
	refused("emd", "modes", " 7", "a whole number");
	refused("eemd", "seed", "-1", "0 or more");
	refused("eemd", "seed", "9223372036854775808", "0 or more");
	refused("eemd", "noise", "nan", "0 or more");
	refused("memd", "noise-power", "0", "above 0");
	refused("memd", "spline", "pchip", "must be not-a-knot or natural");
	refused("memd", "direction-set", "u.npy", "must be scrambled, hammersley or gaussian");
	refused("emd", "stop-rule", "fix-h", "must be fixed,");
	refused("emd", "stop-rule", "sd:1,2", "more parameters");
	refused("emd", "stop-rule", "fixed:1.5", "whole number from 1");
	/* What follows is not passed over. */
	refused("cwt", "freqs", "1:10:5:lin:x", "LOW:HIGH:COUNT");
	refused("superlets", "order", "1:2:3", "an order of at least 1");
	refused("trials", "baseline", "0:1:db:x", "times of an epoch");
	refused("hht", "limits", "fixed:3-5-7", "RULE:FROM-TO");
	/* Nor is the end of a number, though what is left would be one. */
	char long_number[100] = "1:";
	memset(long_number + 2, '1', 80);
	refused("cwt", "freqs", long_number, "LOW:HIGH:COUNT");
	refused("hht", "freqs", long_number, "LOW:HIGH:COUNT");
	memcpy(long_number, "sd:0.", 5);
	refused("emd", "stop-rule", long_number, "parameters");
}

/* ---- Options together --------------------------------------------------------------------- */

static void
check(const char *transform, const ws_emd_opts *o, const ws_option_file *files, const char *words)
{
	const ws_status status = ws_options_check(ws_transform_find(transform), o, files);
	assert_int_equal(status, words ? WS_E_ARG : WS_OK);
	if (words && !strstr(ws_error_detail(), words))
		fail_msg("\"%s\" has no \"%s\"", ws_error_detail(), words);
}

#define OPTS(...) &(ws_emd_opts){ .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD, __VA_ARGS__ }

static void
test_together(void **state)
{
	(void)state;
	const ws_option_file noise[] = { { "noise-file", "w.npy", "" }, { NULL, NULL, NULL } };
	check("emd", OPTS(.sifts = 5), NULL, NULL);
	check("emd", OPTS(.sifts = 5, .stop_rule = WS_STOP_RILLING), NULL, "contradict");
	check("emd", OPTS(.max_sifts = 5), NULL, "`max_sifts` means nothing");
	check("iceemdan", OPTS(.max_sifts = 5), NULL, NULL);
	check("iceemdan", OPTS(.check_every = 5, .sifts = 3), NULL, "`check_every` means nothing");
	check("memd", OPTS(.max_sifts = 5, .reference = WS_REF_MEMD_GPU), NULL, "means nothing");
	check("eemd", OPTS(.pairs = 1, .realizations = 5), NULL, "even number");
	check("memd", OPTS(.noise_power = 0.1), NULL, "needs `noise_channels`");
	check("memd", OPTS(.seed = 1), NULL, "`seed` means nothing");
	check("memd", OPTS(.seed = 1, .direction_set = WS_DIRECTIONS_GAUSSIAN), NULL, NULL);
	check("eemd", OPTS(.seed = 1), NULL, NULL);
	check("eemd", OPTS(.seed = 1), noise, "`seed` and `noise_file` contradict");
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void
append(void *user, const ws_fact *f)
{
	char *text = user;
	const size_t used = strlen(text);
	if (f->kind == WS_OPTION_TEXT)
		snprintf(text + used, 1024 - used, "%s=%s ", f->key, f->text);
	else if (f->kind == WS_OPTION_INT)
		snprintf(text + used, 1024 - used, "%s=%lld ", f->key, (long long)f->integer);
	else
		snprintf(text + used, 1024 - used, "%s=%g ", f->key, f->real);
}

static void
told(const char *transform, const ws_emd_opts *o, const ws_option_file *files, const char *facts,
     const char *line)
{
	const ws_transform *t = ws_transform_find(transform);
	const ws_ctx_opts cpu = { .size = sizeof cpu, .device = "cpu", .threads = 1 };
	const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = 64 };
	char got[1024] = "", words[256];
	ws_ctx *ctx;
	ws_plan *plan;
	assert_int_equal(ws_ctx_create(&ctx, &cpu), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, transform, &shape, o), WS_OK);
	assert_int_equal(ws_options_facts(t, ws_plan_options(plan), files, append, got), WS_OK);
	assert_string_equal(got, facts);
	const size_t length = strlen(line);
	assert_int_equal(ws_options_line(t, ws_plan_options(plan), files, words, sizeof words),
	                 length);
	assert_string_equal(words, line);
	/* Where there is less room it is counted all the same. */
	assert_int_equal(ws_options_line(t, ws_plan_options(plan), files, NULL, 0), length);
	assert_int_equal(ws_options_line(t, ws_plan_options(plan), files, words, 8), length);
	assert_int_equal(strlen(words), 7);
	assert_memory_equal(words, line, 7);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
test_facts(void **state)
{
	(void)state;
	const ws_option_file noise[] = { { "noise-file", "w.npy", "12ab" }, { NULL, NULL, NULL } };
	told("emd", OPTS(.modes = 3), NULL,
	     "modes=3 sifts=10 stop_rule=fixed:10 max_sifts=10 check_every=1 boundary=mirror "
	     "spline=not-a-knot ", "10 sifts, not-a-knot, mirror");
	told("eemd", OPTS(.pairs = 1, .seed = 7, .noise = -1), NULL,
	     "modes=6 sifts=10 stop_rule=fixed:10 max_sifts=10 check_every=1 boundary=mirror "
	     "spline=not-a-knot realizations=100 pairs=1 noise=0 seed=7 channel_noise=shared ",
	     "100 realizations in pairs, noise 0, seed 7, 10 sifts, not-a-knot, mirror");
	told("iceemdan", OPTS(.reference = WS_REF_COLOMINAS), noise,
	     "reference=colominas modes=6 "
	     "stop_rule=rilling:0.05,0.5,0.05 max_sifts=2000 "
	     "check_every=1 boundary=mirror spline=not-a-knot realizations=100 noise=0.2 "
	     "snr=increasing seed=0 noise_file=w.npy noise_file_sha256=12ab channel_noise=shared ",
	     "100 realizations, noise 0.2, from a file, stop rule rilling, not-a-knot, mirror, "
	     "as colominas");
	told("memd", OPTS(.noise_channels = 1, .sifts = 4), NULL,
	     "modes=14 sifts=4 stop_rule=fixed:4 max_sifts=4 check_every=1 boundary=mirror "
	     "spline=not-a-knot directions=64 direction_set=scrambled noise_channels=1 "
	     "noise_power=0.05 standardize=0 seed=0 ",
	     "64 directions, 1 noise channel of power 0.05, seed 0, 4 sifts, not-a-knot, mirror");
	/* What differs from the default is told in the line, too. */
	told("emd", OPTS(.stop_rule = WS_STOP_S_NUMBER, .stop_rule_param = { 7 }, .max_sifts = 20,
	                 .check_every = 2), NULL,
	     "modes=14 stop_rule=s-number:7 max_sifts=20 check_every=2 boundary=mirror "
	     "spline=not-a-knot ",
	     "stop rule s-number:7, not-a-knot, mirror, at most 20 sifts, tested every 2 sifts");
	told("iceemdan", OPTS(.snr = WS_SNR_CONSTANT, .channel_noise = WS_NOISE_INDEPENDENT), NULL,
	     "modes=6 stop_rule=rilling:0.05,0.5,0.05 max_sifts=1000 check_every=1 boundary=mirror "
	     "spline=not-a-knot realizations=100 noise=0.2 snr=constant seed=0 "
	     "channel_noise=independent ",
	     "100 realizations, noise 0.2, seed 0, stop rule rilling, not-a-knot, mirror, "
	     "snr constant, independent noise of channels");
	told("memd", OPTS(.direction_set = WS_DIRECTIONS_HAMMERSLEY,
	                  .stop_rule_param = { 0.05, 0.5, 0.05 }), NULL,
	     "modes=14 stop_rule=rilling:0.05,0.5,0.05 max_sifts=1000 check_every=1 boundary=mirror "
	     "spline=not-a-knot directions=64 direction_set=hammersley noise_channels=0 "
	     "noise_power=0.05 standardize=0 seed=0 ",
	     "64 directions, stop rule rilling:0.05,0.5,0.05, not-a-knot, mirror, "
	     "directions hammersley");
}

/* ---- Of any length ------------------------------------------------------------------------- */

enum { NUMBERS = 4000 };

/* A fact that is to be told with this text. */
typedef struct sought {
	const char *key, *text;
	int found;
} sought;

static void
seek(void *user, const ws_fact *f)
{
	sought *s = user;
	if (strcmp(f->key, s->key) == 0) {
		assert_int_equal(f->kind, WS_OPTION_TEXT);
		assert_string_equal(f->text, s->text);
		s->found++;
	}
}

/* A list of thousands of numbers, and an expression of the most characters, are told whole. */
static void
test_long(void **state)
{
	(void)state;
	static char list[NUMBERS * 24], expression[WS_EXPRESSION];
	size_t used = 0;
	for (int i = 0; i < NUMBERS; ++i)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%.15g", i ? "," : "",
		                         1.0 + i / 7.0);
	memset(expression, 'x', sizeof expression - 1);
	static const struct {
		const char *transform, *option, *key;
		char *text;
	} cases[] = {
		{ "cwt", "freqs", "freqs", list }, { "cwt", "scales", "scales", list },
		{ "cwt", "cycles", "cycles", list }, { "superlets", "freqs", "freqs", list },
		{ "conv", "mask-expression", "mask_expression", expression },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const ws_transform *t = ws_transform_find(cases[i].transform);
		const ws_option *o = option(cases[i].transform, cases[i].option);
		const size_t length = strlen(cases[i].text);
		size_t *opts = calloc(1, t->options_size);
		char *text = malloc(length + 1), few[16], *line;
		sought s = { .key = cases[i].key, .text = cases[i].text };
		ws_options_init(t, opts, t->options_size);
		assert_int_equal(ws_option_set(o, opts, cases[i].text), WS_OK);
		assert_int_equal(ws_option_text(o, opts, NULL, 0), length);
		assert_int_equal(ws_option_text(o, opts, few, sizeof few), length);
		assert_int_equal(strlen(few), sizeof few - 1);
		assert_int_equal(ws_option_text(o, opts, text, length + 1), length);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(ws_options_facts(t, opts, NULL, seek, &s), WS_OK);
		assert_int_equal(s.found, 1);
		const size_t all = ws_options_line(t, opts, NULL, NULL, 0);
		line = malloc(all + 1);
		assert_int_equal(ws_options_line(t, opts, NULL, line, all + 1), all);
		assert_int_equal(strlen(line), all);
		assert_non_null(strstr(line, cases[i].text));
		free(line);
		free(text);
		ws_options_free(t, opts);
		free(opts);
	}
}

/* A list takes the place of a range, and a range that of a list; a list that is none changes
 * nothing. */
static void
test_list_or_range(void **state)
{
	(void)state;
	const ws_transform *t = ws_transform_find("cwt");
	const ws_option *freqs = option("cwt", "freqs"), *bands = option("bands", "bands");
	ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT };
	char text[64];
	assert_int_equal(ws_option_set(freqs, &o, "4,8,0.5/min"), WS_OK);
	assert_int_equal(o.frequency_count, 3);
	assert_true(o.frequencies[1] == 8.0 && o.frequencies[2] == 0.5 / 60.0);
	assert_int_equal(ws_option_set(freqs, &o, "4,,8"), WS_E_ARG);
	assert_int_equal(ws_option_set(freqs, &o, "4,-8"), WS_E_ARG);
	assert_int_equal(ws_option_set(freqs, &o, ""), WS_E_ARG);
	assert_int_equal(o.frequency_count, 3);
	assert_int_equal(ws_option_set(freqs, &o, "2:40:5"), WS_OK);
	assert_null(o.frequencies);
	assert_int_equal(o.frequency_count, 0);
	assert_int_equal(ws_option_set(freqs, &o, "4,12.5"), WS_OK);
	assert_true(o.freqs.high == 0.0 && o.freqs.count == 0);
	ws_option_text(freqs, &o, text, sizeof text);
	assert_string_equal(text, "4,12.5");
	ws_options_free(t, &o);
	assert_true(!o.frequencies && !o.frequency_count);
	/* What is left out of a range is left at its default, and told so. */
	static const char *const ranges[] = { "2:", ":40", "2::7", "::7", ":40:7:lin", "::7:lin" };
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
		assert_int_equal(ws_option_set(freqs, &o, ranges[i]), WS_OK);
		ws_option_text(freqs, &o, text, sizeof text);
		assert_string_equal(text, ranges[i]);
	}
	assert_true(o.freqs.low == 0.0 && o.freqs.high == 0.0 && o.freqs.count == 7);
	assert_int_equal(ws_option_set(freqs, &o, "0:"), WS_E_ARG);
	assert_int_equal(ws_option_set(freqs, &o, "40:2"), WS_E_ARG);
	/* Scales are in seconds. */
	assert_int_equal(ws_option_set(option("cwt", "scales"), &o, "1/min"), WS_E_ARG);
	assert_int_equal(ws_option_set(bands, &o, "4:8,x"), WS_E_ARG);
	assert_int_equal(ws_option_set(bands, &o, "4:8,13:8"), WS_E_ARG);
	assert_null(o.bands);
	assert_int_equal(ws_option_set(bands, &o, "4:8,8:13.5"), WS_OK);
	assert_true(o.band_count == 2 && o.bands[3] == 13.5);
	ws_options_free(ws_transform_find("bands"), &o);
	assert_null(o.bands);
}

/* Bins of hht that nobody counts are 12 an octave, in text and in a plan. */
static void
test_bins_an_octave(void **state)
{
	(void)state;
	const ws_option *freqs = option("hht", "freqs");
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 400, .fs = 128 };
	ws_hht_opts o = { .size = sizeof o, .tag = WS_TAG_HHT };
	char text[64];
	ws_ctx *ctx;
	ws_plan *plan;
	assert_int_equal(ws_option_set(freqs, &o, "2:64"), WS_OK);
	ws_option_text(freqs, &o, text, sizeof text);
	assert_string_equal(text, "2:64:60:log");
	assert_int_equal(ws_option_set(freqs, &o, "2:"), WS_OK);
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, "hht", &shape, &o), WS_OK);
	ws_option_text(freqs, ws_plan_options(plan), text, sizeof text);
	assert_string_equal(text, "2:64:60:log");
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* A plan tells lists that the caller has overwritten and freed since. */
static void
test_plan_keeps_lists(void **state)
{
	(void)state;
	static const struct {
		const char *transform, *option, *list;
		size_t epochs;
	} cases[] = {
		{ "cwt", "freqs", "4,8,12.5", 0 }, { "cwt", "cycles", "3,7,2", 0 },
		{ "bands", "bands", "4:8,8:12.5", 0 }, { "superlets", "freqs", "4,8,12.5", 0 },
		{ "trials", "freqs", "4,8,12.5", 3 }, { "coherence", "freqs", "4,8,12.5", 3 },
		{ "conv", "scales", "1,3/2,7/3", 0 },
	};
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const ws_transform *t = ws_transform_find(cases[i].transform);
		const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = 200, .fs = 100,
			                     .epochs = cases[i].epochs, .type = WS_F64 };
		size_t *opts = calloc(1, t->options_size);
		char *list = strdup(cases[i].list), told[64];
		ws_plan *plan;
		ws_options_init(t, opts, t->options_size);
		assert_int_equal(ws_option_set(option(t->name, cases[i].option), opts, list), WS_OK);
		if (strcmp(cases[i].option, "cycles") == 0)
			assert_int_equal(ws_option_set(option("cwt", "freqs"), opts, "4,8,16"), WS_OK);
		if (strcmp(t->name, "conv") == 0)
			assert_int_equal(ws_option_set(option("conv", "mask-formula"), opts, "morlet"),
			                 WS_OK);
		memset(list, '#', strlen(list));
		free(list);
		assert_int_equal(ws_plan_create(&plan, ctx, t->name, &shape, opts), WS_OK);
		ws_options_free(t, opts);
		ws_option_text(option(t->name, cases[i].option), ws_plan_options(plan), told,
		               sizeof told);
		assert_string_equal(told, cases[i].list);
		ws_plan_destroy(plan);
		free(opts);
	}
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_alone),
		cmocka_unit_test(test_zero), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_together), cmocka_unit_test(test_facts), cmocka_unit_test(test_long),
		cmocka_unit_test(test_list_or_range), cmocka_unit_test(test_bins_an_octave),
		cmocka_unit_test(test_plan_keeps_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
