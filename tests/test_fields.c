/*
 * test_fields.c - every field of the options structs, of ws_shape and of ws_io, in every transform:
 * it changes what a plan makes, or it is refused, or the header says where it has no effect.
 *
 * A row for each field has another value than its default, and what must be set beside it so that
 * it matters.  The rows cover the structs without a gap, so a field that is added fails the test
 * until it has one.  Where the transform offers the option that a field belongs to
 * (ws_transform_option()) it must have an effect; where it does not, it must be refused by name.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_test.h"

enum { CHANNELS = 2, SAMPLES = 120, EPOCHS = 3 };

static ws_ctx *ctx;
/* One more: signals also begin at the second. */
static double x[CHANNELS * EPOCHS * SAMPLES + 1];
static float x32[CHANNELS * EPOCHS * SAMPLES + 1];

/* ---- Rows ---------------------------------------------------------------------------------- */

typedef enum kind {
	HEAD,                   /* size, tag, room: other tests have them */
	INT, U64, REAL, POINTER, TEXT
} kind;

typedef struct row {
	const char *field;
	size_t offset, size;
	kind kind;
	double number;          /* INT, U64, REAL.  0: any of the option's choices will do */
	const void *pointer;    /* POINTER, TEXT: to which number above 1 adds a digit */
	const char *needs;      /* "field=number ..", set with and without it; of a pointer any
	                           number is that of its row */
	const char *with;       /* likewise, set with it alone */
	const char *option;     /* NULL: called as the field, up to a dot or bracket */
	const char *only;       /* " hht memd ": who has it, where the option does not say so */
	const char *where;      /* likewise: transforms that the row is for; "- hht ": the others */
	ws_type type;           /* of the samples */
} row;

#define AT(f) .field = #f, .offset = offsetof(S, f), .size = sizeof ((S *)0)->f

static const double listed[] = { 8, 13, 21, 34 }, edges[] = { 1, 3, 9, 20, 40 },
	pairs[] = { 4, 8, 10, 20 };
static double directions[64 * CHANNELS];

#define S ws_emd_opts
static const row emd_rows[] = {
	{ AT(size), .kind = HEAD }, { AT(tag), .kind = HEAD },
	{ AT(method), .kind = INT, .number = WS_METHOD_CEEMDAN, .only = " ",
		.where = "- ceemdan " },
	{ AT(method), .kind = INT, .number = WS_METHOD_MEMD, .only = " ", .where = "- memd " },
	{ AT(reference), .kind = INT }, { AT(boundary), .kind = INT }, { AT(spline), .kind = INT },
	{ AT(stop_rule), .kind = INT },
	{ AT(stop_rule_param[0]), .kind = REAL, .number = 0.9, .needs = "stop_rule=5",
		.option = "stop-rule" },
	{ AT(stop_rule_param[1]), .kind = REAL, .number = 3, .needs = "stop_rule=6",
		.only = " emd memd " },
	{ AT(stop_rule_param[1]), .kind = REAL, .number = 0.06, .needs = "stop_rule=2",
		.option = "stop-rule" },
	{ AT(stop_rule_param[2]), .kind = REAL, .number = 0.9, .needs = "stop_rule=2",
		.option = "stop-rule" },
	/* Of rules that have fewer. */
	{ AT(stop_rule_param[0]), .kind = REAL, .number = 5, .needs = "stop_rule=1", .only = " " },
	{ AT(stop_rule_param[1]), .kind = REAL, .number = 5, .needs = "stop_rule=5", .only = " " },
	{ AT(sifts), .kind = INT, .number = 3 },
	{ AT(max_sifts), .kind = INT, .number = 2,
		.needs = "stop_rule=5 stop_rule_param[0]=1e-12" },
	{ AT(check_every), .kind = INT, .number = 3, .needs = "stop_rule=5" },
	{ AT(modes), .kind = INT, .number = 1 }, { AT(realizations), .kind = INT, .number = 6 },
	{ AT(pairs), .kind = INT, .number = 1 },
	{ AT(noise), .kind = REAL, .number = 0.7 }, { AT(snr), .kind = INT },
	{ AT(seed), .kind = U64, .number = 5, .where = "- memd " },
	{ AT(seed), .kind = U64, .number = 5, .needs = "direction_set=3", .where = " memd " },
	{ AT(channel_noise), .kind = INT },
	{ AT(directions), .kind = INT, .number = 5 }, { AT(direction_set), .kind = INT },
	{ AT(direction_vectors), .kind = POINTER, .pointer = directions, .needs = "directions=64",
		.option = "direction-set" },
	{ AT(noise_channels), .kind = INT, .number = 1 },
	{ AT(noise_power), .kind = REAL, .number = 3, .needs = "noise_channels=1" },
	{ AT(standardize), .kind = INT, .number = 1 },
	{ .field = NULL },
};
#undef S

#define S ws_hht_opts
#define HOLO "parts=128 emd.modes=3"
#define OF_ENSEMBLES "emd.method=4 emd.realizations=2 emd.max_sifts=4"
#define OF_MEMD "emd.method=5 emd.directions=8 emd.modes=3"
static const row hht_rows[] = {
	{ AT(size), .kind = HEAD }, { AT(tag), .kind = HEAD },
	{ AT(frequency_method), .kind = INT },
	{ AT(reference), .kind = INT, .number = WS_HHT_REF_EMD }, { AT(ends), .kind = INT },
	{ AT(smooth_phase), .kind = INT, .number = 5 },
	{ AT(smooth_frequency), .kind = INT, .number = 7 }, { AT(exclude), .kind = INT },
	{ AT(outlier_ratio), .kind = REAL, .number = 1.01, .needs = "exclude=3" },
	{ AT(freqs.low), .kind = REAL, .number = 5 },
	{ AT(freqs.high), .kind = REAL, .number = 30 },
	{ AT(freqs.count), .kind = U64, .number = 7 },
	{ AT(freqs.spacing), .kind = INT, .number = WS_SPACING_LINEAR },
	{ AT(edges), .kind = POINTER, .pointer = edges, .with = "freqs.count=4",
		.option = "freqs" },
	{ AT(time_bin), .kind = REAL, .number = 0.1 }, { AT(quantity), .kind = INT },
	{ AT(parts), .kind = INT, .number = WS_HHT_PART_CYCLES },
	{ AT(confidence), .kind = REAL, .number = 0.5, .needs = "significance=5",
		.where = " hht " },
	{ AT(confidence), .kind = REAL, .number = 0.5, .where = " hhtrials ", .only = " hht " },
	{ AT(modes_given), .kind = INT, .number = 1, .option = "decomposition" },
	{ AT(emd.size), .kind = HEAD }, { AT(emd.tag), .kind = HEAD },
	{ AT(emd.method), .kind = INT, .number = WS_METHOD_ICEEMDAN, .option = "decomposition" },
	{ AT(emd.reference), .kind = INT, .number = WS_REF_LIBEEMD },
	{ AT(emd.boundary), .kind = INT }, { AT(emd.spline), .kind = INT },
	{ AT(emd.stop_rule), .kind = INT },
	{ AT(emd.stop_rule_param[0]), .kind = REAL, .number = 0.9, .needs = "emd.stop_rule=5",
		.option = "stop-rule" },
	{ AT(emd.stop_rule_param[1]), .kind = REAL, .number = 0.06, .needs = "emd.stop_rule=2",
		.option = "stop-rule" },
	{ AT(emd.stop_rule_param[2]), .kind = REAL, .number = 0.9, .needs = "emd.stop_rule=2",
		.option = "stop-rule" },
	{ AT(emd.sifts), .kind = INT, .number = 3 },
	{ AT(emd.max_sifts), .kind = INT, .number = 2,
		.needs = "emd.stop_rule=5 emd.stop_rule_param[0]=1e-12" },
	{ AT(emd.check_every), .kind = INT, .number = 3, .needs = "emd.stop_rule=5" },
	{ AT(emd.modes), .kind = INT, .number = 1 },
	{ AT(emd.realizations), .kind = INT, .number = 6, .needs = OF_ENSEMBLES },
	{ AT(emd.pairs), .kind = INT, .number = 1, .needs = "emd.method=2 emd.realizations=2" },
	{ AT(emd.noise), .kind = REAL, .number = 0.7, .needs = OF_ENSEMBLES },
	{ AT(emd.snr), .kind = INT, .needs = OF_ENSEMBLES },
	{ AT(emd.seed), .kind = U64, .number = 5, .needs = OF_ENSEMBLES },
	{ AT(emd.channel_noise), .kind = INT, .needs = OF_ENSEMBLES },
	{ AT(emd.directions), .kind = INT, .number = 5, .needs = OF_MEMD },
	{ AT(emd.direction_set), .kind = INT, .needs = OF_MEMD },
	{ AT(emd.direction_vectors), .kind = POINTER, .pointer = directions,
		.needs = OF_MEMD " emd.directions=64", .option = "direction-set" },
	{ AT(emd.noise_channels), .kind = INT, .number = 1, .needs = OF_MEMD },
	{ AT(emd.noise_power), .kind = REAL, .number = 3,
		.needs = OF_MEMD " emd.noise_channels=1" },
	{ AT(emd.standardize), .kind = INT, .number = 1, .needs = OF_MEMD },
	{ AT(emd_room), .kind = HEAD },
	{ AT(whole_given), .kind = INT, .number = 1, .needs = "modes_given=1", .only = " hht " },
	{ AT(modulation_freqs.low), .kind = REAL, .number = 2, .needs = HOLO },
	{ AT(modulation_freqs.high), .kind = REAL, .number = 20, .needs = HOLO },
	{ AT(modulation_freqs.count), .kind = U64, .number = 5, .needs = HOLO },
	{ AT(modulation_freqs.spacing), .kind = INT, .number = WS_SPACING_LINEAR, .needs = HOLO },
	{ AT(modulation_edges), .kind = POINTER, .pointer = edges, .needs = HOLO,
		.with = "modulation_freqs.count=4", .option = "modulation-freqs" },
	{ AT(limits_rule), .kind = INT, .number = WS_STOP_FIXED,
		.with = "limits_from=2 limits_to=4",
		.option = "limits" },
	{ AT(limits_from), .kind = INT, .number = 3,
		.needs = "limits_rule=1 limits_from=2 limits_to=4",
		.option = "limits" },
	{ AT(limits_to), .kind = INT, .number = 5,
		.needs = "limits_rule=1 limits_from=2 limits_to=4",
		.option = "limits" },
	{ AT(noise_signals), .kind = INT, .number = 50 },
	{ AT(sparse_cells), .kind = INT, .number = 1, .needs = "parts=256" },
	{ AT(significance), .kind = INT, .number = 5, .only = " hht " },
	{ AT(baseline_from), .kind = REAL, .number = 0.3, .needs = "baseline=1 baseline_to=0.6",
		.option = "baseline" },
	{ AT(baseline_to), .kind = REAL, .number = 0.9, .needs = "baseline=1 baseline_to=0.6",
		.option = "baseline" },
	{ AT(baseline), .kind = INT, .number = WS_BASELINE_DB, .with = "baseline_to=0.6" },
	{ AT(averages), .kind = INT, .number = WS_AVERAGE_EVOKED },
	{ .field = NULL },
};
#undef S

#define S ws_cwt_opts
#define LIST "frequencies=1 frequency_count=4"
static const row cwt_rows[] = {
	{ AT(size), .kind = HEAD }, { AT(tag), .kind = HEAD },
	{ AT(reference), .kind = INT }, { AT(wavelet), .kind = INT },
	{ AT(param[0]), .kind = REAL, .number = 4, .option = "wavelet" },
	{ AT(param[1]), .kind = REAL, .number = 4, .needs = "wavelet=4", .option = "wavelet",
		.only = " cwt bands trials coherence ", .where = "- superlets " },
	{ AT(param[1]), .kind = REAL, .number = 4, .only = " " }, /* Morlet wavelets have one */
	{ AT(norm), .kind = INT }, { AT(padding), .kind = INT }, { AT(quantity), .kind = INT },
	{ AT(octave_arrays), .kind = INT, .number = 1 },
	{ AT(decimate), .kind = U64, .number = 2 },
	{ AT(frequencies), .kind = POINTER, .pointer = listed, .with = "frequency_count=4",
		.option = "freqs" },
	{ AT(frequency_count), .kind = U64, .number = 3, .needs = LIST, .option = "freqs" },
	{ AT(scales), .kind = POINTER, .pointer = listed, .with = "scale_count=4" },
	{ AT(scale_count), .kind = U64, .number = 3, .needs = "scales=1 scale_count=4",
		.option = "scales" },
	{ AT(freqs.low), .kind = REAL, .number = 5 },
	{ AT(freqs.high), .kind = REAL, .number = 20 },
	{ AT(freqs.count), .kind = U64, .number = 6 },
	{ AT(freqs.spacing), .kind = INT, .number = WS_SPACING_LINEAR, .needs = "freqs.count=6" },
	{ AT(voices), .kind = INT, .number = 5 },
	{ AT(cycles), .kind = POINTER, .pointer = listed, .with = "cycle_count=1" },
	{ AT(cycle_count), .kind = U64, .number = 4, .needs = LIST " cycles=1 cycle_count=1",
		.option = "cycles" },
	{ AT(fwhm), .kind = REAL, .number = 0.1 },
	{ AT(bands), .kind = POINTER, .pointer = pairs, .with = "band_count=2" },
	{ AT(band_count), .kind = U64, .number = 1, .needs = "bands=1 band_count=2",
		.option = "bands" },
	{ AT(significance), .kind = INT, .needs = "quantity=3", .where = "- coherence " },
	{ AT(significance), .kind = INT, .number = WS_SIGNIFICANCE_AR1, .needs = "noise_signals=20",
		.where = " coherence " },
	{ AT(lag1), .kind = REAL, .number = 0.9, .needs = "quantity=3 significance=2",
		.option = "significance", .where = "- coherence " },
	{ AT(lag1), .kind = REAL, .number = 0.9, .only = " ", .where = " coherence " },
	{ AT(level), .kind = REAL, .number = 0.5, .needs = "quantity=3 significance=1",
		.where = "- coherence " },
	{ AT(level), .kind = REAL, .number = 0.5, .needs = "noise_signals=20",
		.where = " coherence " },
	{ AT(averages), .kind = INT, .number = WS_AVERAGE_EVOKED },
	{ AT(baseline_from), .kind = REAL, .number = 0.3, .needs = "baseline=1 baseline_to=0.6",
		.option = "baseline" },
	{ AT(baseline_to), .kind = REAL, .number = 0.9, .needs = "baseline=1 baseline_to=0.6",
		.option = "baseline" },
	{ AT(baseline), .kind = INT, .number = WS_BASELINE_DB, .with = "baseline_to=0.6" },
	{ AT(against), .kind = INT, .number = 1 },
	{ AT(order[0]), .kind = REAL, .number = 2 },
	{ AT(order[1]), .kind = REAL, .number = 3, .needs = "order[0]=2" },
	{ AT(set), .kind = INT },
	{ AT(smooth_time), .kind = REAL, .number = 2 },
	{ AT(smooth_octaves), .kind = REAL, .number = 2 },
	{ AT(noise_signals), .kind = INT, .number = 20 },
	{ AT(clusters), .kind = INT, .number = 1, .needs = "noise_signals=20" },
	{ AT(seed), .kind = U64, .number = 7, .needs = "noise_signals=20" },
	{ .field = NULL },
};
#undef S

static double error_scale = 0.002;

static double
error_of(void *user, double scale, double frequency)
{
	(void)scale, (void)frequency;
	return user ? *(const double *)user : 0.001;
}

static const double taps[] = { 0.25, 0.5, 0.25, 1, 1 }, rows[] = { 1, 0.5, 0.5 };
static const size_t lengths[] = { 3, 2 }, row_lengths[] = { 1, 2 };
static const ws_masks masks = { .size = sizeof masks, .count = 2, .lengths = lengths,
	.values = taps }, kernel = { .size = sizeof kernel, .count = 2, .lengths = row_lengths,
	.values = rows };
static const ws_ratio ratios[] = { { 2, 1 }, { 3, 1 }, { 7, 2 } };
static ws_error_function *const by_function = (ws_error_function[]){ error_of };

#define S ws_conv_opts
#define EXPRESSION "mask_formula=0 mask_expression=1 mask_constants=1"
static const row conv_rows[] = {
	{ AT(size), .kind = HEAD }, { AT(tag), .kind = HEAD },
	{ AT(masks), .kind = POINTER, .pointer = &masks, .with = "mask_formula=0 scale_count=0" },
	{ AT(mask_formula), .kind = INT, .number = WS_MASK_GABOR },
	{ AT(mask_formula_param), .kind = REAL, .number = 7, .option = "mask-formula" },
	{ AT(scales), .kind = POINTER, .pointer = ratios, .with = "scale_count=3" },
	{ AT(scale_low.numerator), .kind = U64, .number = 2, .with = "scale_low.denominator=1",
		.option = "scales" },
	{ AT(scale_low.denominator), .kind = U64, .number = 2, .needs = "scale_low.numerator=3 "
		"scale_low.denominator=1", .option = "scales" },
	{ AT(scale_high.numerator), .kind = U64, .number = 9, .with = "scale_high.denominator=1",
		.option = "scales" },
	{ AT(scale_high.denominator), .kind = U64, .number = 2, .needs = "scale_high.numerator=9 "
		"scale_high.denominator=1", .option = "scales" },
	{ AT(scale_count), .kind = U64, .number = 2, .option = "scales" },
	{ AT(scale_spacing), .kind = INT, .number = WS_SPACING_LOG, .option = "scales" },
	{ AT(mask_rounding), .kind = INT, .type = WS_F32 },
	{ AT(seed), .kind = U64, .number = 3, .needs = "mask_rounding=5", .type = WS_F32 },
	{ AT(flip), .kind = INT, .number = 1, .needs = "mask_formula=4" },
	{ AT(extent), .kind = INT },
	{ AT(decimate), .kind = INT, .number = 2 }, { AT(sums), .kind = INT },
	{ AT(method), .kind = INT },
	{ AT(mask_expression), .kind = TEXT, .pointer = "w*x*exp(-x*x)",
		.with = "mask_formula=0 mask_constants=1" },
	{ AT(mask_imaginary), .kind = TEXT, .pointer = "x", .needs = EXPRESSION },
	{ AT(mask_constants), .kind = TEXT, .number = 2, .pointer = "w=5", .needs = EXPRESSION },
	{ AT(accumulators), .kind = INT, .number = 3 },
	{ AT(amplitude_error), .kind = TEXT, .pointer = "1.5" },
	{ AT(timing_error), .kind = TEXT, .pointer = "0.005" },
	{ AT(timing_jitter), .kind = TEXT, .pointer = "0.001" },
	{ AT(narrow), .kind = INT, .type = WS_F32 },
	{ AT(interpolation_kernel), .kind = POINTER, .pointer = &kernel,
		.with = "oversample=2 interpolation=5" },
	{ AT(oversample), .kind = INT, .number = 2 },
	{ AT(interpolation), .kind = INT, .number = WS_INTERPOLATE_LINEAR,
		.needs = "oversample=2" },
	{ AT(error_function[0]), .kind = POINTER, .option = "amplitude-error" },
	{ AT(error_function[1]), .kind = POINTER, .option = "timing-error" },
	{ AT(error_function[2]), .kind = POINTER, .option = "timing-jitter" },
	{ AT(error_user), .kind = POINTER, .pointer = &error_scale, .needs = "error_function[0]=1",
		.option = "amplitude-error" },
	{ AT(error_values[0]), .kind = POINTER, .pointer = "1.5,2,2", .option = "amplitude-error" },
	{ AT(error_values[1]), .kind = POINTER, .pointer = "0.001,0.002,0.003",
		.option = "timing-error" },
	{ AT(error_values[2]), .kind = POINTER, .pointer = "0.001,0.002,0.003",
		.option = "timing-jitter" },
	{ .field = NULL },
};
#undef S

#define S ws_shape
static const row shape_rows[] = {
	{ AT(size), .kind = HEAD },
	{ AT(channels), .kind = U64, .number = 1, .where = "- coherence " },
	{ AT(samples), .kind = U64, .number = 100 },
	{ AT(type), .kind = INT, .number = WS_F32 },
	/* To transforms of single channels it makes no difference. */
	{ AT(recording_channels), .kind = U64, .number = 1, .where = " memd " },
	{ AT(recording_channels), .kind = U64, .number = 3, .only = " " },
	{ AT(fs), .kind = REAL, .number = 50 },
	{ AT(epochs), .kind = U64, .number = 2, .only = " trials hhtrials coherence " },
	/* Times of an epoch. */
	{ AT(start), .kind = REAL, .number = -0.5, .only = " trials hhtrials ",
		.needs = "baseline=1 baseline_to=0.4" },
	{ AT(before), .kind = U64, .number = 9, .only = " bands " },
	{ AT(after), .kind = U64, .number = 9, .only = " bands " },
	{ .field = NULL },
};
#undef S

/* ---- Setting them --------------------------------------------------------------------------- */

static const row *
rows_of(const ws_transform *t)
{
	return t->options_tag == WS_TAG_EMD ? emd_rows
		: t->options_tag == WS_TAG_HHT ? hht_rows
		: t->options_tag == WS_TAG_CWT ? cwt_rows : conv_rows;
}

static void
put(const row *r, void *opts, double number)
{
	char *to = (char *)opts + r->offset;
	const int i = (int)number;
	const uint64_t u = (uint64_t)number;
	if (r->kind == INT)
		memcpy(to, &i, sizeof i);
	else if (r->kind == U64)
		memcpy(to, &u, sizeof u);
	else if (r->kind == REAL)
		memcpy(to, &number, sizeof number);
	else if (r->kind == TEXT)
		sprintf(to, number > 1 ? "%s%g" : "%s", (const char *)r->pointer, number);
	else if (r->pointer)
		memcpy(to, &r->pointer, sizeof r->pointer);
	else
		memcpy(to, by_function, sizeof *by_function);
}

/* "field=number field=number" */
static void
put_all(const ws_transform *t, void *opts, const char *text)
{
	char field[64];
	double number;
	int used;
	for (; text && sscanf(text, " %63[^=]=%lf%n", field, &number, &used) == 2; text += used) {
		const row *r = rows_of(t);
		while (r->field && strcmp(r->field, field) != 0)
			++r;
		if (!r->field)
			fail_msg("there is no row of %s", field);
		put(r, opts, number);
	}
}

/* Options by which a transform is quick, and fields have effect. */
static void
begin(const ws_transform *t, void *opts)
{
	static const struct { const char *name, *fields; } begun[] = {
		{ "eemd", "realizations=2" }, { "ceemdan", "realizations=2" },
		{ "iceemdan", "realizations=2" }, { "memd", "directions=8 modes=3" },
		{ "conv", "mask_formula=1 scale_count=3" }, { "cwt", "voices=3" },
	};
	ws_options_init(t, opts, t->options_size);
	for (size_t i = 0; i < sizeof begun / sizeof *begun; ++i)
		if (strcmp(begun[i].name, t->name) == 0)
			put_all(t, opts, begun[i].fields);
}

/* ---- What a plan makes ----------------------------------------------------------------------- */

static uint64_t
add(uint64_t digest, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		digest = (digest ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
	return digest;
}

/* Of an array: its axes, with their values, and its elements once they are made. */
static uint64_t
add_array(uint64_t digest, const ws_plan *plan, int i, const ws_array *a, const void *data)
{
	static const size_t bytes[] = { 8, 4, 16, 8, 4 };
	size_t n = bytes[a->type];
	digest = add(digest, a->extent, (size_t)a->rank * sizeof *a->extent);
	digest = add(digest, &a->type, sizeof a->type);
	for (int k = 0; k < a->rank; ++k) {
		double *values = calloc(a->extent[k] + 1, sizeof *values);
		assert_int_equal(ws_plan_axis(plan, i, a->axis[k], values, a->extent[k]), WS_OK);
		digest = add(digest, values, a->extent[k] * sizeof *values);
		n *= a->extent[k];
		free(values);
	}
	return data ? add(digest, data, n) : digest;
}

static ws_status
execute(const ws_plan *plan, const ws_io *asked, uint64_t *digest)
{
	enum { MOST = 64 };
	ws_buffer buffers[MOST] = { { NULL, { 0 } } };
	ws_array arrays[MOST];
	const int n = ws_plan_arrays(plan);
	assert_true(n <= MOST);
	for (int i = 0; i < n; ++i) {
		size_t bytes = 16;
		arrays[i].size = sizeof arrays[i];
		assert_int_equal(ws_plan_array(plan, i, &arrays[i]), WS_OK);
		for (int k = 0; k < arrays[i].rank; ++k)
			bytes *= arrays[i].extent[k];
		if (bytes && !(arrays[i].flags & WS_ARRAY_SIGNAL))
			buffers[i].data = calloc(1, bytes);
	}
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 127) / 64 * 64);
	ws_io io = *asked;
	io.arrays = buffers;
	io.n_arrays = n;
	const ws_status status = ws_execute(plan, &io, workspace);
	*digest = 0xcbf29ce484222325u;
	for (int i = 0; i < n; ++i) {
		*digest = add_array(*digest, plan, i, &arrays[i], buffers[i].data);
		free(buffers[i].data);
	}
	free(workspace);
	return status;
}

static ws_shape
shape_for(const ws_transform *t)
{
	return (ws_shape){ .size = sizeof(ws_shape), .channels = CHANNELS, .samples = SAMPLES,
		.fs = 100, .epochs = t->takes_epochs == 1 ? EPOCHS : 0 };
}

/* What the options make of a shape, as io says; or why not, in ws_error_detail(). */
static ws_status
make(const ws_transform *t, const ws_shape *shape, const void *opts, const ws_io *io,
     uint64_t *digest)
{
	ws_plan *plan;
	ws_status status = ws_plan_create(&plan, ctx, t->name, shape, opts);
	if (status == WS_OK)
		status = execute(plan, io, digest);
	ws_plan_destroy(plan);
	return status;
}

/* ---- The tests ------------------------------------------------------------------------------ */

/* The option of a transform that a field belongs to; NULL: it has none. */
static const ws_option *
option_of(const ws_transform *t, const row *r)
{
	char name[64];
	const char *field = strncmp(r->field, "emd.", 4) == 0 ? r->field + 4 : r->field;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(field, ".["), field);
	for (char *c = name; *c; ++c)
		*c = *c == '_' ? '-' : *c;
	const ws_option *o;
	for (int i = 0; (o = ws_transform_option(t, i)); ++i)
		if (strcmp(o->name, r->option ? r->option : name) == 0)
			return o;
	return NULL;
}

/* " hht memd " */
static bool
names(const char *list, const ws_transform *t)
{
	char name[32];
	snprintf(name, sizeof name, " %s ", t->name);
	return strstr(list, name) != NULL;
}

static bool
is_offered(const ws_transform *t, const row *r)
{
	return r->only ? names(r->only, t) : option_of(t, r) != NULL;
}

static int
try_value(const ws_transform *t, const row *r, double number, char *told, size_t room)
{
	/* What is beside it might be refused in its place. */
	const bool beside = is_offered(t, r) || r->only;
	size_t *without = calloc(1, t->options_size), *with = calloc(1, t->options_size);
	uint64_t before = 0, after = 0;
	begin(t, without);
	put_all(t, without, beside ? r->needs : NULL);
	memcpy(with, without, t->options_size);
	put_all(t, with, r->with);
	put(r, with, number);
	ws_shape shape = shape_for(t);
	shape.type = r->type;
	const ws_io io = { .size = sizeof io, .x = r->type == WS_F32 ? (const void *)x32 : x };
	ws_status status = make(t, &shape, without, &io, &before);
	if (status != WS_OK)
		snprintf(told, room, "without it: %s", ws_error_detail());
	else if ((status = make(t, &shape, with, &io, &after)) != WS_OK)
		snprintf(told, room, "%s", ws_error_detail());
	else
		snprintf(told, room, "no effect");
	free(without);
	free(with);
	return status != WS_OK ? -1 : before != after;
}

/* 1: has an effect, 0: none, -1: is refused.  Where a transform has an option of names, one of them
 * is to have an effect. */
static int
try_row(const ws_transform *t, const row *r, char *told, size_t room)
{
	const ws_option *o = option_of(t, r);
	int got = 0;
	if (r->kind != INT || r->number || !o || !o->choices)
		return try_value(t, r, r->number ? r->number : r->kind == TEXT ? 1 : 2, told, room);
	for (const ws_choice *c = o->choices; c->name && got != 1; ++c)
		got = try_value(t, r, c->value, told, room);
	return got;
}

/* Does the detail of a failure name the field, or the option that it belongs to? */
static bool
names_it(const char *detail, const row *r)
{
	char name[64];
	const char *field = strncmp(r->field, "emd.", 4) == 0 ? r->field + 4 : r->field;
	snprintf(name, sizeof name, "`%.*s", (int)strcspn(field, ".["), field);
	if (strstr(detail, name))
		return true;
	snprintf(name, sizeof name, "`%s", r->option ? r->option : "-");
	for (char *c = name; *c; ++c)
		*c = *c == '-' ? '_' : *c;
	return strstr(detail, name) != NULL;
}

static void
every_field(void **state)
{
	(void)state;
	const ws_transform *t;
	int bad = 0, tried = 0;
	for (int k = 0; (t = ws_transform_at(k)); ++k)
		for (const row *r = rows_of(t); r->field; ++r) {
			char told[600] = "";
			if (r->kind == HEAD ||
			    (r->where && names(r->where, t) == (*r->where == '-')))
				continue;
			const bool offered = is_offered(t, r);
			++tried;
			if (try_row(t, r, told, sizeof told) == (offered ? 1 : -1) &&
			    (offered || names_it(told, r)))
				continue;
			print_message("%s: %s: %s: %s\n", t->name, r->field,
			              offered ? "has no effect" : "is not refused", told);
			++bad;
		}
	assert_int_equal(bad, 0);
	assert_true(tried > 400);
}

/* An option that another makes meaningless is refused; beside what gives it a meaning it passes,
 * and so do the options of that plan. */
static void
what_means_nothing(void **state)
{
	(void)state;
	static const struct {
		const char *transforms, *field, *set, *means;
		ws_type type;   /* of both, but where means is NULL: there f32 */
	} cases[] = {
		{ " conv ", "mask_rounding", "mask_rounding=2", NULL, WS_F64 },
		{ " conv ", "sums", "sums=2", NULL, WS_F64 },
		{ " conv ", "seed", "seed=3", "mask_rounding=5", WS_F32 },
		{ " cwt ", "level", "level=0.5 quantity=3", "significance=1", WS_F64 },
		{ " hht ", "sparse_cells", "sparse_cells=1", "parts=256", WS_F64 },
		{ " hht ", "modulation_freqs", "modulation_freqs.low=2 modulation_freqs.high=20",
			HOLO, WS_F64 },
		{ " hht ", "modulation_freqs", "modulation_freqs.low=2", HOLO, WS_F64 },
		{ " hht ", "modulation_freqs", "modulation_freqs.count=5", HOLO, WS_F64 },
		{ " hhtrials ", "outlier_ratio", "outlier_ratio=2", "exclude=3", WS_F64 },
		{ " hht hhtrials ", "noise", "emd.noise=0.3", OF_ENSEMBLES, WS_F64 },
		{ " hht hhtrials ", "pairs", "emd.pairs=1", "emd.method=2 emd.realizations=2",
			WS_F64 },
		{ " hht hhtrials ", "realizations", "emd.realizations=2", OF_ENSEMBLES, WS_F64 },
		{ " hht hhtrials ", "snr", "emd.snr=2", OF_ENSEMBLES, WS_F64 },
		{ " hht hhtrials ", "channel_noise", "emd.channel_noise=2", OF_ENSEMBLES, WS_F64 },
		{ " hht hhtrials ", "seed", "emd.seed=5", OF_ENSEMBLES, WS_F64 },
		{ " hht ", "directions", "emd.directions=8", OF_MEMD, WS_F64 },
		{ " hht ", "direction_set", "emd.direction_set=2", OF_MEMD, WS_F64 },
		{ " hht ", "noise_channels", "emd.noise_channels=1", OF_MEMD, WS_F64 },
		{ " hht ", "noise_power", "emd.noise_power=3", OF_MEMD " emd.noise_channels=1",
			WS_F64 },
	};
	const ws_transform *t;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
		for (int k = 0; (t = ws_transform_at(k)); ++k) {
			if (!names(cases[i].transforms, t))
				continue;
			size_t *opts = calloc(1, t->options_size);
			ws_shape shape = shape_for(t);
			const row r = { .field = cases[i].field };
			ws_plan *plan, *again;
			shape.type = cases[i].type;
			begin(t, opts);
			put_all(t, opts, cases[i].set);
			if (ws_plan_create(&plan, ctx, t->name, &shape, opts) != WS_E_ARG ||
			    !names_it(ws_error_detail(), &r))
				fail_msg("%s: %s: %s", t->name, r.field, ws_error_detail());
			shape.type = cases[i].means ? shape.type : WS_F32;
			put_all(t, opts, cases[i].means);
			put_all(t, opts, cases[i].set);
			if (ws_plan_create(&plan, ctx, t->name, &shape, opts) != WS_OK)
				fail_msg("%s: %s: %s", t->name, r.field, ws_error_detail());
			/* Of conv they have no masks. */
			if (strcmp(t->name, "conv") != 0 &&
			    ws_plan_create(&again, ctx, t->name, &shape,
			                   ws_plan_options(plan)) != WS_OK)
				fail_msg("%s: %s, again: %s", t->name, r.field, ws_error_detail());
			if (strcmp(t->name, "conv") != 0)
				ws_plan_destroy(again);
			ws_plan_destroy(plan);
			free(opts);
		}
}

/* Nor does a range mean anything beside a list, however little of it is given, nor two lists. */
static void
a_range_beside_a_list(void **state)
{
	(void)state;
	static const char *const sets[] = { LIST " freqs.low=5", LIST " freqs.high=30",
		LIST " freqs.count=7", LIST " freqs.spacing=2", LIST " scales=1 scale_count=4",
		"scales=1 scale_count=4 freqs.low=5" };
	const ws_transform *t;
	const size_t n = sizeof sets / sizeof *sets;
	size_t tried = 0;
	for (int k = 0; (t = ws_transform_at(k)); ++k)
		for (size_t i = 0; t->options_tag == WS_TAG_CWT && i < n; ++i) {
			size_t *opts = calloc(1, t->options_size);
			const ws_shape shape = shape_for(t);
			const row r = { .field = i == 4 ? "scales" : "freqs" };
			ws_plan *plan;
			begin(t, opts);
			put_all(t, opts, sets[i]);
			if (ws_plan_create(&plan, ctx, t->name, &shape, opts) != WS_E_ARG ||
			    !names_it(ws_error_detail(), &r))
				fail_msg("%s: %s: %s", t->name, sets[i], ws_error_detail());
			free(opts);
			++tried;
		}
	assert_int_equal(tried, 5 * n);
}

/* A number that no enumeration has is refused by its field. */
static void
numbers_that_there_are_not(void **state)
{
	(void)state;
	const ws_transform *t;
	int tried = 0;
	for (int k = 0; (t = ws_transform_at(k)); ++k)
		for (const row *r = rows_of(t); r->field; ++r) {
			const ws_option *o = option_of(t, r);
			if (r->kind != INT || !o || !o->choices || strstr(r->field, "_given"))
				continue;
			for (int i = 0; i < 2; ++i, ++tried) {
				char told[600] = "passes";
				if (try_value(t, r, i ? 1 << 20 : -1, told, sizeof told) != -1)
					fail_msg("%s: %s: %s", t->name, r->field, told);
			}
		}
	assert_true(tried > 100);
}

/* Rows reach from the beginning of a struct to its end, in order; what lies between two is no more
 * than aligns the second. */
static void
no_field_is_left_out(void **state)
{
	(void)state;
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		size_t end = 0;
		for (const row *r = rows_of(t); r->field; ++r) {
			const size_t align = r->kind == INT || r->size == 4 ? 4
				: r->size % 8 ? 1 : 8;
			/* A ws_range ends in padding. */
			const bool range = r > rows_of(t) && strstr(r[-1].field, ".spacing");
			if (r->offset > end && r->offset != (end + align - 1) / align * align &&
			    !(range && r->offset == end + 4))
				fail_msg("what lies before %s has no row", r->field);
			end = r->offset + r->size > end ? r->offset + r->size : end;
		}
		assert_int_equal(end, t->options_size);
	}
	for (const row *r = shape_rows; r->field; ++r)
		assert_true(r[1].field ? r[1].offset <= r->offset + 8
			: r->offset + r->size == sizeof(ws_shape));
}

/* ---- The shape ------------------------------------------------------------------------------- */

static void
every_field_of_a_shape(void **state)
{
	(void)state;
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k)
		for (const row *r = shape_rows; r->field; ++r) {
			if (r->kind == HEAD ||
			    (r->where && names(r->where, t) == (*r->where == '-')))
				continue;
			size_t *opts = calloc(1, t->options_size);
			ws_shape shape = shape_for(t);
			uint64_t before, after = 0;
			const bool offered = !r->only || names(r->only, t);
			begin(t, opts);
			put_all(t, opts, offered ? r->needs : NULL);
			ws_io io = { .size = sizeof io, .x = x };
			assert_int_equal(make(t, &shape, opts, &io, &before), WS_OK);
			put(r, &shape, r->number);
			if (shape.type == WS_F32)
				io.x = x32;
			const ws_status status = make(t, &shape, opts, &io, &after);
			if (status != (offered ? WS_OK : WS_E_ARG) || before == after)
				fail_msg("%s: %s: %s", t->name, r->field,
				         status ? ws_error_detail() : "no effect");
			free(opts);
		}
}

/* ---- An execution ---------------------------------------------------------------------------- */

static int
stop(void *user, double done)
{
	*(double *)user = done;
	return 1;
}

static void
every_field_of_an_execution(void **state)
{
	(void)state;
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		size_t *opts = calloc(1, t->options_size);
		const ws_shape shape = shape_for(t);
		const bool draws = names(" eemd ceemdan iceemdan ", t);
		uint64_t before, after;
		double done = -1;
		begin(t, opts);
		if (draws)
			put_all(t, opts, "channel_noise=2");
		const ws_io plain = { .size = sizeof plain, .x = x };
		assert_int_equal(make(t, &shape, opts, &plain, &before), WS_OK);
		ws_io io = plain;
		io.x = x + 1;
		assert_int_equal(make(t, &shape, opts, &io, &after), WS_OK);
		assert_true(before != after);
		io = plain;
		io.x_stride = (EPOCHS * SAMPLES - 1) * sizeof *x;
		assert_int_equal(make(t, &shape, opts, &io, &after), WS_OK);
		assert_true(before != after);
		/* It picks noise. */
		io = plain;
		io.first_channel = 3;
		assert_int_equal(make(t, &shape, opts, &io, &after), WS_OK);
		assert_true((before != after) == draws);
		io = plain;
		io.noise = x;
		assert_int_equal(make(t, &shape, opts, &io, &after), draws ? WS_OK : WS_E_ARG);
		assert_true(!draws || before != after);
		io = plain;
		io.memory = WS_MEMORY_DEVICE;
		assert_int_equal(make(t, &shape, opts, &io, &after), WS_E_ARG);
		io = plain;
		io.cuda_stream = x;
		assert_int_equal(make(t, &shape, opts, &io, &after), WS_E_ARG);
		io = plain;
		io.progress = stop;
		io.user = &done;
		assert_int_equal(make(t, &shape, opts, &io, &after), WS_E_CANCELLED);
		assert_true(done >= 0.0);
		free(opts);
	}
}

static int
set_up(void **state)
{
	(void)state;
	ctx = cpu_context(1);
	uint32_t random = 1;
	for (size_t i = 0; i < sizeof x / sizeof *x; ++i) {
		random = random * 1664525u + 1013904223u;
		x[i] = sin(0.3 * (double)i) + (double)(random >> 8) / (1 << 24);
		/* Channels of different units. */
		x[i] *= i / SAMPLES % CHANNELS ? 1 : 4;
		x32[i] = (float)x[i];
	}
	for (size_t i = 0; i < sizeof directions / sizeof *directions; ++i)
		directions[i] = cos((double)i * (double)i);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	ws_ctx_destroy(ctx);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_means_nothing), cmocka_unit_test(a_range_beside_a_list),
		cmocka_unit_test(numbers_that_there_are_not),
		cmocka_unit_test(no_field_is_left_out),
		cmocka_unit_test(every_field), cmocka_unit_test(every_field_of_a_shape),
		cmocka_unit_test(every_field_of_an_execution) };
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
