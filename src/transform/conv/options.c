/* options.c - the options of conv as programs offer them. */
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "transform/conv/conv.h"
#include "transform/conv/errors.h"
#include "transform/conv/scales.h"

#define FIELD(name) offsetof(ws_conv_opts, name)

static const ws_option masks = {
	WSI_MASKS, "FILE",
	"Take masks from a file: the rows of an NPY, MAT or HDF5 array [mask][tap], in CSV "
	"columns, shorter ones ended by NaN; complex where the numbers are, or columns are named "
	"NAME.re and NAME.im in turn. Or from a packed file (`write_masks`).",
	.kind = WS_OPTION_ARRAY, .offset = FIELD(masks),
};

/* ---- Formula --------------------------------------------------------------------------- */

static const ws_choice formulae[] = {
	{ "morlet", WS_MASK_MORLET }, { "mexican-hat", WS_MASK_MEXICAN_HAT },
	{ "gabor", WS_MASK_GABOR }, { "doppler", WS_MASK_DOPPLER }, { NULL, 0 },
};

static bool
has_param(ws_mask_formula f)
{
	return f == WS_MASK_MORLET || f == WS_MASK_GABOR;
}

/* NAME[:W] */
static ws_status
set_formula(const ws_option *o, void *opts, const char *text)
{
	ws_conv_opts *conv = opts;
	const ws_choice *c;
	WSI_TRY(wsi_choice_take(&c, o->choices, text, strcspn(text, ":")));
	double w = 0.0;
	const int n = wsi_take_params(text, &w, 1);
	if (n && !has_param((ws_mask_formula)c->value))
		return WSI_FAIL(WS_E_ARG, "%s takes no parameter", c->name);
	if (n && !(n == 1 && w > 0.0 && w <= 1e6))
		return WSI_FAIL(WS_E_ARG, "its parameter must be a number above 0, at most 1e6");
	conv->mask_formula = (ws_mask_formula)c->value;
	conv->mask_formula_param = w;
	return WS_OK;
}

static void
tell_formula(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_conv_opts *conv = opts;
	wsi_params_tell(o->choices, (int)conv->mask_formula, &conv->mask_formula_param,
	                has_param(conv->mask_formula), to);
}

static const wsi_text formula = {
	{ "mask-formula", "NAME[:W]",
	  "Make masks of 2 floor(8 s) + 1 taps at scales s: morlet[:5], mexican-hat, gabor[:5] "
	  "(complex), or doppler, matched to the Doppler signal.", WS_OPTION_TEXT,
	  FIELD(mask_formula), .choices = formulae }, set_formula, tell_formula,
};

/* ---- Expression ------------------------------------------------------------------------ */

static ws_status
set_words(const ws_option *o, void *opts, const char *text)
{
	const size_t n = strlen(text);
	if (n == 0 || n >= WS_EXPRESSION)
		return WSI_FAIL(WS_E_ARG, "must have 1 to %d characters", WS_EXPRESSION - 1);
	memcpy((char *)opts + o->offset, text, n + 1);
	return WS_OK;
}

static void
tell_words(const ws_option *o, const void *opts, wsi_line *to)
{
	wsi_line_put(to, "%s", (const char *)opts + o->offset);
}

static const wsi_text expression = {
	{ "mask-expression", "TEXT",
	  "Make masks by an expression, such as 'exp(-(x/s)^2/2)*cos(w*x/s)/sqrt(s)': x is the "
	  "place in samples, from -8 s to 8 s, s the scale, f = fs/s in Hz; fs, pi, e and "
	  "`mask_constants` are known, and the functions of muParser.",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(mask_expression) }, set_words, tell_words,
};
static const wsi_text imaginary = {
	{ "mask-imaginary", "TEXT",
	  "The imaginary part of complex masks, an expression likewise.",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(mask_imaginary) }, set_words, tell_words,
};
static const wsi_text constants = {
	{ "mask-constants", "LIST", "Constants of expressions, such as w=5,b=0.5.",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(mask_constants) }, set_words, tell_words,
};

/* ---- Errors of the instrument ----------------------------------------------------------- */

/* Which error an option is. */
static int
error_of(const ws_option *o)
{
	return o->offset == FIELD(amplitude_error) ? WS_ERROR_AMPLITUDE
	       : o->offset == FIELD(timing_error) ? WS_ERROR_TIMING : WS_ERROR_JITTER;
}

static ws_status
set_error(const ws_option *o, void *opts, const char *text)
{
	static ws_status (*const check[])(const char *text) = { wsi_errors_check_amplitude,
		wsi_errors_check_timing, wsi_errors_check_jitter };
	const int kind = error_of(o);
	ws_conv_opts *conv = opts;
	const size_t prefix = sizeof WSI_EACH_MASK - 1;
	if (strncmp(text, WSI_EACH_MASK, prefix) == 0 && wsi_errors_are_values(text + prefix)) {
		*((char *)opts + o->offset) = '\0';
		conv->error_values[kind] = text + prefix;
		return WS_OK;
	}
	WSI_TRY(check[kind](text));
	WSI_TRY(set_words(o, opts, text));
	conv->error_values[kind] = NULL;
	return WS_OK;
}

static void
tell_error(const ws_option *o, const void *opts, wsi_line *to)
{
	const char *values = ((const ws_conv_opts *)opts)->error_values[error_of(o)];
	if (values)
		wsi_line_put(to, WSI_EACH_MASK "%s", values);
	else
		tell_words(o, opts, to);
}


static const wsi_text amplitude_error = {
	{ "amplitude-error", "ERROR",
	  "Gain of the instrument, which masks make good: a number, scale^P:C or frequency^P:C, "
	  "C times a power of the mask's scale or frequency (Hz), a table, "
	  "frequency:1=0.99,50=0.9 or scale:.., or an expression of the frequency f and the scale "
	  "s, 'expression:1/sqrt(1+(f/40)^2)', as of `mask_expression`. Or a value for each mask: "
	  "masks:0.9,0.95,..",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(amplitude_error) }, set_error, tell_error,
};
static const wsi_text timing_error = {
	{ "timing-error", "ERROR",
	  "Seconds by which samples are taken too late, likewise.",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(timing_error) }, set_error, tell_error,
};
static const wsi_text timing_jitter = {
	{ "timing-jitter", "ERROR",
	  "Rms of the samples' times in seconds, likewise; or of an oscillator of HZ whose phase "
	  "noise is L dBc/Hz at F Hz from it, phase-noise:HZ:F=L,F=L. Masks make good what it "
	  "takes from their frequency on average.",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(timing_jitter) }, set_error, tell_error,
};

/* ---- Samples between samples --------------------------------------------------------------- */

static const ws_option oversample = {
	"oversample", "R",
	"Convolve the signal with R - 1 new samples in each gap, R 2 or 4. All is counted in "
	"these: scales, times, `decimate`, which with R gives responses at the samples. "
	"Default: 1.",
	.kind = WS_OPTION_INT, .offset = FIELD(oversample), .low = 1, .high = 4,
};
static const ws_option interpolation = {
	"interpolation", "NAME",
	"New samples of `oversample`: linear, cubic (the polynomial through four), band-limited (a "
	"windowed sinc of 64, default), or what an autoregressive model of the channel expects "
	"(autoregressive).", WS_OPTION_CHOICE, FIELD(interpolation), .choices = (const ws_choice[]){
		{ "linear", WS_INTERPOLATE_LINEAR }, { "cubic", WS_INTERPOLATE_CUBIC },
		{ "band-limited", WS_INTERPOLATE_BAND_LIMITED },
		{ "autoregressive", WS_INTERPOLATE_AUTOREGRESSIVE }, { NULL, 0 } },
};
static const ws_option kernel = {
	WSI_KERNEL, "FILE",
	"Make new samples by a polyphase kernel of your own, a file as of `masks`: R rows, row p "
	"the weights of the samples about n, its middle one's at n, for the p-th place behind n.",
	.kind = WS_OPTION_ARRAY, .offset = FIELD(interpolation_kernel),
};

/* ---- Scales ---------------------------------------------------------------------------- */

/* LO:HI:COUNT[:lin|log] */
static ws_status
set_range(const ws_option *o, ws_conv_opts *conv, const char *text)
{
	char part[4][WSI_PART];
	const int n = wsi_take_apart(text, ':', part, 4);
	ws_ratio low, high;
	int64_t count = 0;
	int length;
	const char *end;
	if (n < 3 || !wsi_scale_parse(part[0], &low) || !wsi_scale_parse(part[1], &high))
		return WSI_FAIL(WS_E_ARG, "must be LO:HI:COUNT[:lin|log], LO and HI numbers above "
		                "0 such as 4, 0.75 or 3/4");
	if (!wsi_digits(part[2], &count, &length, &end) || *end || count < 1 || count > 1 << 24)
		return WSI_FAIL(WS_E_ARG, "the number of scales must be from 1 to 2^24");
	const ws_choice *spacing = n == 4 ? wsi_choice_of(wsi_spacings, part[3], strlen(part[3]))
	                           : &wsi_spacings[0];
	if (!spacing)
		return WSI_FAIL(WS_E_ARG, "the spacing must be lin or log");
	wsi_list_put(wsi_list_of(o), conv, NULL, (size_t)count);
	conv->scale_low = low;
	conv->scale_high = high;
	conv->scale_spacing = n == 4 ? (ws_spacing)spacing->value : 0;
	return WS_OK;
}

/* That, or a list. */
static ws_status
set_scales(const ws_option *o, void *opts, const char *text)
{
	ws_ratio *scales;
	size_t count;
	if (strchr(text, ':'))
		return set_range(o, opts, text);
	WSI_TRY(wsi_scales_parse(text, &scales, &count));
	wsi_list_put(wsi_list_of(o), opts, scales, count);
	return WS_OK;
}

static void
tell_scales(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_conv_opts *c = opts;
	(void)o;
	if (c->scales)
		wsi_scales_tell(c->scales, c->scale_count, to);
	if (c->scales || !c->scale_low.denominator || !c->scale_high.denominator || !c->scale_count)
		return;
	wsi_scales_tell(&c->scale_low, 1, to);
	wsi_line_put(to, ":");
	wsi_scales_tell(&c->scale_high, 1, to);
	wsi_line_put(to, ":%zu", c->scale_count);
	if (c->scale_spacing)
		wsi_line_put(to, ":%s", wsi_choice_name(wsi_spacings, (int)c->scale_spacing));
}

static const wsi_list scales = {
	{ { "scales", "RATIOS|LO:HI:COUNT[:HOW]",
	  "Scales of masks by formula or expression, in samples: a list, 1,3/2,7/3, or from LO to "
	  "HI evenly spaced (lin, default) or by ratios (log). Each is a number such as 3, 0.75 or "
	  "3/4, taken exactly. Default: 1:32:32.",
	  .kind = WS_OPTION_RANGE, .offset = FIELD(scales) }, set_scales, tell_scales },
	FIELD(scales), FIELD(scale_count),
};

static const ws_option mask_rounding = {
	"mask-rounding", "HOW",
	"How masks become f32 with `precision f32`: nearest (default), zero, up, down, or dither.",
	WS_OPTION_CHOICE, FIELD(mask_rounding), .choices = (const ws_choice[]){
		{ "nearest", WS_ROUND_NEAREST }, { "zero", WS_ROUND_ZERO }, { "up", WS_ROUND_UP },
		{ "down", WS_ROUND_DOWN }, { "dither", WS_ROUND_DITHER }, { NULL, 0 } },
};
static const ws_option seed = {
	"seed", "N", "Number of the noise of `mask_rounding dither`. Default: 0.",
	.kind = WS_OPTION_U64, .offset = FIELD(seed),
};

/* ---- Convolution ----------------------------------------------------------------------- */

static const ws_option flip = {
	"flip", NULL,
	"Reverse the masks, which makes it a convolution; without, it is a correlation.",
	.kind = WS_OPTION_FLAG, .offset = FIELD(flip),
};
static const ws_option extent = {
	"extent", "NAME",
	"Responses at the samples (same, default), wherever the longest mask meets one (full), or "
	"where it lies within the signal (valid).", WS_OPTION_CHOICE, FIELD(extent),
	.choices = (const ws_choice[]){ { "same", WS_EXTENT_SAME }, { "full", WS_EXTENT_FULL },
		{ "valid", WS_EXTENT_VALID }, { NULL, 0 } },
};
static const ws_option decimate = {
	"decimate", "D",
	"Compute every D-th response only, the first at the first. Default: 1.",
	.kind = WS_OPTION_INT, .offset = FIELD(decimate), .low = 1, .high = WSI_SAMPLES_BOUND,
};
static const ws_option sums = {
	"sums", "HOW",
	"Sum in the precision of the signal (plain, default), f32 signals in f64 (f64), or along "
	"with all rounding errors (compensated).", WS_OPTION_CHOICE, FIELD(sums),
	.choices = (const ws_choice[]){ { "plain", WS_SUMS_PLAIN }, { "f64", WS_SUMS_F64 },
		{ "compensated", WS_SUMS_COMPENSATED }, { NULL, 0 } },
};

static const ws_option accumulators = {
	"accumulators", "N",
	"Sum products by their magnitude in N accumulators, which are added at the end, the "
	"smallest first; plain sums and the direct method only. Default: 1.",
	.kind = WS_OPTION_INT, .offset = FIELD(accumulators), .low = 1,
	.high = WS_MOST_ACCUMULATORS,
};
static const ws_option narrow = {
	"narrow", "TYPE",
	"Round samples and masks to 16 bits, f16 or bf16, at the scale of the largest of each; "
	"products and sums stay in f32 (with `precision f32`). Default: they are not rounded.",
	WS_OPTION_CHOICE, FIELD(narrow), .choices = (const ws_choice[]){
		{ "f16", WS_NARROW_F16 }, { "bf16", WS_NARROW_BF16 }, { NULL, 0 } },
};

static const ws_option method = {
	"method", "NAME",
	"Multiply and add (direct; the same bits on any machine), by one transform (fft), or by "
	"transforms of pieces (overlap-save). Default: for each mask what is faster.",
	WS_OPTION_CHOICE, FIELD(method), .choices = (const ws_choice[]){
		{ "direct", WS_CONV_DIRECT }, { "fft", WS_CONV_FFT },
		{ "overlap-save", WS_CONV_OVERLAP_SAVE }, { NULL, 0 } },
};

const ws_option *const wsi_conv_options[] = {
	&masks, &formula.option, &expression.option, &imaginary.option, &constants.option,
	&scales.text.option, &mask_rounding, &seed, &amplitude_error.option, &timing_error.option,
	&timing_jitter.option, &oversample, &interpolation, &kernel, &flip, &extent, &decimate,
	&sums, &accumulators, &narrow, &method, NULL,
};

static bool
is_narrower(const ws_shape *shape, const void *opts)
{
	return shape->type == WS_F32 ||
	       ((const ws_conv_opts *)opts)->mask_rounding <= WS_ROUND_NEAREST;
}

static bool
is_dithered(const ws_shape *shape, const void *opts)
{
	return shape->type == WS_F32 &&
	       ((const ws_conv_opts *)opts)->mask_rounding == WS_ROUND_DITHER;
}

static bool
is_wider(const ws_shape *shape, const void *opts)
{
	return shape->type == WS_F32 || ((const ws_conv_opts *)opts)->sums != WS_SUMS_F64;
}

const wsi_need wsi_conv_needs[] = {
	{ "mask-rounding", is_narrower, "where masks stay in f64 (`precision f32` rounds them)" },
	{ "seed", is_dithered, "without `mask_rounding dither` of masks in f32 (`precision f32`)" },
	{ "sums", is_wider, "where all is in f64 (f64 is for `precision f32`)" },
	{ NULL, NULL, NULL },
};
