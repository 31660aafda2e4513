/* options.c - the options of cwt as programs offer them. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "math/quantities.h"
#include "transform/cwt/cwt.h"
#include "transform/epochs.h"
#include "transform/options.h"

_Static_assert(WSI_BASELINE_LIES(ws_cwt_opts), "a baseline lies in the options as one struct");

#define FIELD(name) offsetof(ws_cwt_opts, name)

#define LIST(variable, name, argument, field, counted, words)                    \
	static const wsi_list variable = {                                                \
		{ { name, argument, words, .kind = WS_OPTION_LIST,            \
		    .offset = FIELD(field) }, wsi_list_set, wsi_list_tell },              \
		FIELD(field), FIELD(counted)                                              \
	}

/* ---- Frequencies ------------------------------------------------------------------------ */

/* LO:HI[:COUNT][:log|lin], or a list; the one takes the place of the other. */
static ws_status
set_frequencies(const ws_option *o, void *opts, const char *text)
{
	ws_cwt_opts *cwt = opts;
	if (strchr(text, ':')) {
		WSI_TRY(wsi_range_set(o, opts, text));
		wsi_list_put(wsi_list_of(o), opts, NULL, 0);
		return WS_OK;
	}
	WSI_TRY(wsi_list_set(o, opts, text));
	cwt->freqs = (ws_range){ .low = 0.0 };
	return WS_OK;
}

static void
tell_frequencies(const ws_option *o, const void *opts, wsi_line *to)
{
	wsi_list_tell(o, opts, to);
	if (!((const ws_cwt_opts *)opts)->frequencies)
		wsi_range_tell(o, opts, to);
}

static const wsi_list freqs = {
	{ { "freqs", "LO:HI[:COUNT[:lin]]",
	  "Frequencies in Hz: from LO to HI, COUNT of them, evenly on a logarithmic axis, or with "
	  ":lin on a linear one; without COUNT as many an octave as `voices` says, from LO on up "
	  "to HI or below. Or a list: 4,8,12.5. Slow ones may be given by the minute, hour, day or "
	  "year: 0.05/y:0.2/y. Default: from the slowest wave of which the recording holds enough "
	  "to the fastest that the sampling rate does; so is what is left out, as in 2: or "
	  "::40.", .kind = WS_OPTION_RANGE,
	  .offset = FIELD(freqs), .low = DBL_TRUE_MIN, .high = 1e9 }, set_frequencies,
	  tell_frequencies }, FIELD(frequencies), FIELD(frequency_count),
};
LIST(scales, "scales", "LIST", scales, scale_count,
     "Scales in seconds instead: 0.01,0.02,0.05.");

static const ws_option voices = {
	"voices", "N", "Frequencies an octave, where `freqs` has no COUNT. Default: 10.",
	.kind = WS_OPTION_INT, .offset = FIELD(voices), .low = 1, .high = 1000,
};

/* ---- The wavelet ------------------------------------------------------------------------ */

#define WAVELET_CHOICE(number, name, form, a, b, both) { name, number },
static const ws_choice wavelets[] = { WSI_WAVELETS(WAVELET_CHOICE, WAVELET_CHOICE) { NULL, 0 } };

/* NAME[:P[,P]] */
static ws_status
set_wavelet(const ws_option *o, void *opts, const char *text)
{
	ws_cwt_opts *cwt = opts;
	const ws_choice *c;
	WSI_TRY(wsi_choice_take(&c, o->choices, text, strcspn(text, ":")));
	cwt->wavelet = (ws_wavelet)c->value;
	const int n = wsi_take_params(text, cwt->param, 2);
	if (n < 0 || n > 2)
		return WSI_FAIL(WS_E_ARG, "one or two numbers may follow the name, such as "
		                "morlet:8 or morse:20,3");
	for (int i = 0; i < n; ++i)
		if (!(cwt->param[i] > 0.0))
			return WSI_FAIL(WS_E_ARG, "its parameters must be numbers above 0");
	return WS_OK;
}

static void
tell_wavelet(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_cwt_opts *cwt = opts;
	wsi_params_tell(o->choices, (int)cwt->wavelet, cwt->param, 2, to);
}

#define FIRST_FORM(number, name, form, a, b, both) form
#define NEXT_FORM(number, name, form, a, b, both) ", " form
static const wsi_text wavelet = {
	{ "wavelet", "NAME[:P,..]",
	  WSI_WAVELETS(FIRST_FORM, NEXT_FORM) ".", .kind = WS_OPTION_TEXT,
	  .offset = FIELD(wavelet), .choices = wavelets }, set_wavelet, tell_wavelet,
};
LIST(cycles, "cycles", "N", cycles, cycle_count,
     "Width of a Morlet wavelet in cycles N, of which its deviation in time is N / (2 pi f), "
     "as MNE counts them: one number, or one for each frequency: 3,5,7. Default: OMEGA0, 6.");
static const ws_option fwhm = {
	"fwhm", "S", "Width of a Morlet wavelet in seconds, from half of its largest "
	"value to half, at all frequencies.", .kind = WS_OPTION_REAL, .offset = FIELD(fwhm),
	.low = DBL_TRUE_MIN, .high = HUGE_VAL,
};
static const ws_option norm = {
	"norm", "NAME", "l1: a tone of amplitude 1 has magnitude 1 (default). l2: each "
	"wavelet has unit energy over time in seconds. tc: over samples, as Torrence and Compo.",
	.kind = WS_OPTION_CHOICE, .offset = FIELD(norm), .choices = (const ws_choice[]){
		{ "l1", WS_NORM_L1 }, { "l2", WS_NORM_L2 }, { "tc", WS_NORM_TC }, { NULL, 0 } },
};
static const ws_option padding = {
	"padding", "NAME", "What stands beside the signal: its mirror image (reflect, "
	"default), zero, or its other end (periodic, or none).", .kind = WS_OPTION_CHOICE,
	.offset = FIELD(padding), .choices = (const ws_choice[]){
		{ "reflect", WS_PADDING_REFLECT }, { "zero", WS_PADDING_ZERO },
		{ "periodic", WS_PADDING_PERIODIC }, { "none", WS_PADDING_PERIODIC }, { NULL, 0 } },
};
static const ws_option reference = {
	"reference", "NAME", "Give the numbers of this published code; options given "
	"explicitly override what it sets.", .kind = WS_OPTION_CHOICE, .offset = FIELD(reference),
	.choices = (const ws_choice[]){ { "tc", WS_CWT_REF_TC },
		{ "tc-pycwt", WS_CWT_REF_TC_PYCWT }, { "ssqueezepy", WS_CWT_REF_SSQUEEZEPY },
		{ "mne", WS_CWT_REF_MNE }, { "pywt", WS_CWT_REF_PYWT },
		{ "fcwt", WS_CWT_REF_FCWT }, { "matlab", WS_CWT_REF_MATLAB },
		{ "deng", WS_CWT_REF_DENG }, { "superlets", WS_CWT_REF_SUPERLETS },
		{ NULL, 0 } },
};

const char *
wsi_cwt_reference_name(ws_cwt_reference r)
{
	return wsi_choice_name(reference.choices, (int)r);
}

/* ---- The result ------------------------------------------------------------------------- */

#define QUANTITY_CHOICE(number, array, name, file, element, text, of_octave) { name, number },
static const ws_option quantity = {
	"quantity", "WHAT", "Complex coefficients (complex, default), magnitude, power, "
	"or phase in radians.", .kind = WS_OPTION_CHOICE, .offset = FIELD(quantity),
	.choices = (const ws_choice[]){ WSI_QUANTITIES(QUANTITY_CHOICE) { NULL, 0 } },
};
static const ws_option decimate = {
	"decimate", "D", "One coefficient for D samples, computed only there. "
	"Default: 1.", .kind = WS_OPTION_U64, .offset = FIELD(decimate), .low = 1,
};

static const ws_option octave_arrays = {
	"octave-arrays", NULL, "One array an octave (power_1, the fastest, power_2, ..) "
	"with times of its own, computed as seldom as its wavelets allow: at one of D, 2 D, 4 D .. "
	"samples, so that nothing above 0.001 of the peak folds.",
	.kind = WS_OPTION_FLAG, .offset = FIELD(octave_arrays),
};

/* ---- Significance ----------------------------------------------------------------------- */

/* white, ar1 or ar1:LAG1 */
static ws_status
set_significance(const ws_option *o, void *opts, const char *text)
{
	ws_cwt_opts *cwt = opts;
	const ws_choice *c;
	WSI_TRY(wsi_choice_take(&c, o->choices, text, strcspn(text, ":")));
	cwt->significance = (ws_significance)c->value;
	const int n = wsi_take_params(text, &cwt->lag1, 1);
	if (n && (c->value != WS_SIGNIFICANCE_AR1 || n != 1 ||
	          !(cwt->lag1 > -1.0 && cwt->lag1 < 1.0 && cwt->lag1 != 0.0)))
		return WSI_FAIL(WS_E_ARG, "ar1 may be followed by its correlation at lag 1, "
		                "between -1 and 1 but not 0, such as ar1:0.72");
	return WS_OK;
}

static void
tell_significance(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_cwt_opts *cwt = opts;
	wsi_params_tell(o->choices, (int)cwt->significance, &cwt->lag1,
	                cwt->significance == WS_SIGNIFICANCE_AR1, to);
}

static const wsi_text significance = {
	{ "significance", "NOISE", "Tell for every frequency the power that noise of "
	  "the signal's variance seldom exceeds, and draw its contour (Torrence & Compo 1998): of "
	  "white noise (white), or of red noise as correlated as the signal (ar1) or so much "
	  "(ar1:0.72).", .kind = WS_OPTION_TEXT, .offset = FIELD(significance),
	  .choices = (const ws_choice[]){ { "white", WS_SIGNIFICANCE_WHITE },
		{ "ar1", WS_SIGNIFICANCE_AR1 }, { NULL, 0 } } },
	set_significance, tell_significance,
};
static const ws_option level = {
	"level", "P", "Probability with which noise stays below that power. Default: "
	"0.95.", .kind = WS_OPTION_REAL, .offset = FIELD(level), .low = 1e-9,
	.high = 1.0 - 1e-9,
};

/* ---- Bands ------------------------------------------------------------------------------ */

/* LO:HI,LO:HI.. */
static ws_status
set_bands(const ws_option *o, void *opts, const char *text)
{
	size_t n = 1;
	for (const char *p = text; *p; ++p)
		n += *p == ',';
	double *bands = malloc(2 * n * sizeof *bands);
	if (!bands)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu bands", n);
	for (size_t b = 0; b < n; ++b) {
		char band[2 * WSI_PART] = "", part[2][WSI_PART];
		const size_t width = strcspn(text, ",");
		if (width < sizeof band)
			memcpy(band, text, width);
		text += width + (text[width] == ',');
		if (wsi_take_apart(band, ':', part, 2) != 2 ||
		    !wsi_parse_frequency(part[0], &bands[2 * b]) ||
		    !wsi_parse_frequency(part[1], &bands[2 * b + 1]) ||
		    !(bands[2 * b] > 0.0) || !(bands[2 * b + 1] >= bands[2 * b])) {
			free(bands);
			return WSI_FAIL(WS_E_ARG, "bands of frequencies above 0 are needed, the "
			                "lower one of each first, such as 4:8,8:13");
		}
	}
	wsi_list_put(wsi_list_of(o), opts, bands, n);
	return WS_OK;
}

static void
tell_bands(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_cwt_opts *cwt = opts;
	(void)o;
	for (size_t b = 0; cwt->bands && b < cwt->band_count; ++b) {
		wsi_line_put(to, b ? "," : "");
		wsi_line_put_real(to, cwt->bands[2 * b]);
		wsi_line_put(to, ":");
		wsi_line_put_real(to, cwt->bands[2 * b + 1]);
	}
}

static const wsi_list bands = {
	{ { "bands", "LO:HI,..", "Bands in Hz, such as 4:8,8:13,13:30. Where "
	  "`freqs` is not given the frequencies reach from the "
	  "lowest to the highest. Default: one band of all frequencies.", .kind = WS_OPTION_LIST,
	  .offset = FIELD(bands) }, set_bands, tell_bands }, FIELD(bands), FIELD(band_count),
};
static const ws_option band_quantity = {
	"quantity", "WHAT", "The signal of each band (signal, default), or the variance "
	"that it has at every moment (power).", .kind = WS_OPTION_CHOICE,
	.offset = FIELD(quantity), .choices = (const ws_choice[]){ { "signal", WS_QUANTITY_SIGNAL },
		{ "power", WS_QUANTITY_POWER }, { NULL, 0 } },
};

/* ---- Superlets -------------------------------------------------------------------------- */

/* ORDER or LOW:HIGH */
static ws_status
set_order(const ws_option *o, void *opts, const char *text)
{
	ws_cwt_opts *cwt = opts;
	char part[2][WSI_PART] = { "", "0" };
	(void)o;
	const int n = wsi_take_apart(text, ':', part, 2);
	if (n < 1 || !wsi_parse_real(part[0], &cwt->order[0]) ||
	    !wsi_parse_real(part[1], &cwt->order[1]) || !(cwt->order[0] >= 1.0) ||
	    (n == 2 && !(cwt->order[1] >= 1.0)))
		return WSI_FAIL(WS_E_ARG, "an order of at least 1 is needed, such as 5, or those "
		                "of the lowest and the highest frequency, such as 1:30");
	return WS_OK;
}

static void
tell_order(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_cwt_opts *cwt = opts;
	(void)o;
	if (cwt->order[0] != 0.0)
		wsi_line_put_real(to, cwt->order[0]);
	if (cwt->order[1] != 0.0 && cwt->order[1] != cwt->order[0]) {
		wsi_line_put(to, ":");
		wsi_line_put_real(to, cwt->order[1]);
	}
}

static const wsi_text order = {
	{ "order", "N[:N]", "Wavelets of each frequency, at all frequencies or at the "
	  "lowest and the highest: 1:30. Between them on a line, so that orders need not be whole "
	  "numbers. Default: 1:10.", .kind = WS_OPTION_TEXT, .offset = FIELD(order) },
	set_order, tell_order,
};
static const wsi_text superlets_wavelet = {
	{ "wavelet", "NAME[:OMEGA0]", "The shortest wavelet of each frequency: "
	  "morlet:OMEGA0 (default, 3.77), morlet-full, or morlet-zero-mean.",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(wavelet), .choices = (const ws_choice[]){
		{ "morlet", WS_WAVELET_MORLET }, { "morlet-full", WS_WAVELET_MORLET_FULL },
		{ "morlet-zero-mean", WS_WAVELET_MORLET_ZERO_MEAN }, { NULL, 0 } } },
	set_wavelet, tell_wavelet,
};
LIST(superlets_cycles, "cycles", "N", cycles, cycle_count,
     "Its width in cycles: one number, or "
     "one for each frequency. `reference superlets` counts them as its authors do: their 3 are "
     "3.77 of other references.");
static const ws_option set = {
	"set", "HOW", "Cycles of the second, third, .. wavelet of a frequency: twice, "
	"three times those of the first (multiplicative, default), or one, two more (additive).",
	.kind = WS_OPTION_CHOICE, .offset = FIELD(set), .choices = (const ws_choice[]){
		{ "multiplicative", WS_SUPERLET_MULTIPLICATIVE },
		{ "additive", WS_SUPERLET_ADDITIVE }, { NULL, 0 } },
};
static const ws_option superlets_quantity = {
	"quantity", "WHAT", "Power (power, default), or its root (magnitude).",
	.kind = WS_OPTION_CHOICE, .offset = FIELD(quantity), .choices = (const ws_choice[]){
		{ "power", WS_QUANTITY_POWER }, { "magnitude", WS_QUANTITY_MAGNITUDE }, { NULL,
			0 } },
};

/* ---- Trials ----------------------------------------------------------------------------- */

static const ws_choice average_names[] = {
	{ "total", WS_AVERAGE_TOTAL }, { "evoked", WS_AVERAGE_EVOKED },
	{ "induced", WS_AVERAGE_INDUCED }, { "itc", WS_AVERAGE_ITC }, { NULL, 0 },
};

static const wsi_text averages = {
	{ "averages", "LIST", "What is averaged over the epochs: total power, evoked "
	  "(of the mean epoch: what is locked to the event), induced (the rest), itc (inter-trial "
	  "coherence, 0 to 1). Default: all, total,evoked,induced,itc.", .kind = WS_OPTION_TEXT,
	  .offset = FIELD(averages), .choices = average_names }, wsi_names_set, wsi_names_tell,
};

static const wsi_text baseline = {
	{ "baseline", "FROM:TO[:HOW]", "Compare averaged power with its mean between "
	  "these times of an epoch, in seconds, at each frequency: -0.5:0:percent. HOW: db "
	  "(default), ratio, percent, or z, by the standard deviation there.",
	  .kind = WS_OPTION_TEXT, .offset = FIELD(baseline_from) }, wsi_baseline_set,
	  wsi_baseline_tell,
};

/* ---- Coherence -------------------------------------------------------------------------- */

/* N, from 1 on as all texts of people count, or all. */
static ws_status
set_against(const ws_option *o, void *opts, const char *text)
{
	ws_cwt_opts *cwt = opts;
	double number;
	(void)o;
	if (strcmp(text, "all") == 0) {
		cwt->against = WS_AGAINST_ALL;
		return WS_OK;
	}
	if (!wsi_parse_real(text, &number) || number != floor(number) || number < 1.0 ||
	    number > 1 << 24)
		return WSI_FAIL(WS_E_ARG, "the number of a channel is needed, from 1 on, or all");
	cwt->against = (int)number - 1;
	return WS_OK;
}

static void
tell_against(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_cwt_opts *cwt = opts;
	(void)o;
	if (cwt->against == WS_AGAINST_ALL)
		wsi_line_put(to, "all");
	else if (cwt->against)
		wsi_line_put(to, "%d", cwt->against + 1);
}

static const wsi_text against = {
	{ "against", "CHANNEL|all", "The channel that every channel is compared with, by "
	  "its name, or its number among those selected; or all: every pair. Default: 1.",
	  .kind = WS_OPTION_TEXT, .zero = 1.0,
	  .offset = FIELD(against) }, set_against, tell_against,
};
static const ws_option smooth_time = {
	"smooth-time", "X", "Of a recording without epochs: deviation of the Gaussian "
	"over which is averaged in time, in scales of the wavelet. Default: 1.",
	.kind = WS_OPTION_REAL, .offset = FIELD(smooth_time), .low = 1e-3, .high = 1e3,
};
static const ws_option smooth_octaves = {
	"smooth-octaves", "X", "Likewise the range of frequencies. Default: as wide as "
	"the wavelet, 0.6 for morlet:6.", .kind = WS_OPTION_REAL, .offset = FIELD(smooth_octaves),
	.low = 1e-3, .high = 20,
};

static const ws_option noise_signals = {
	"noise-signals", "N", "Tell the coherence and phase locking that unrelated channels seldom "
	"exceed by N pairs of signals of noise in their place, 100 or 200. Without epochs a level "
	"for each pair and frequency, and each pair of signals takes the time of the pair. Over "
	"epochs, where a level else follows from their number, those of one channel in other "
	"orders, a level at each frequency and time: what both channels do at the event by "
	"themselves is then below it (Lachaux et al. 1999).", .kind = WS_OPTION_INT,
	.offset = FIELD(noise_signals), .low = 20, .high = 100000,
};
static const ws_option coherence_noise = {
	"significance", "NOISE", "What these signals are: without epochs the channels themselves, "
	"the phases of whose Fourier transforms are drawn at random (phase, default), or red noise "
	"of each channel's variance and correlation at lag 1 (ar1, Grinsted et al. 2004); over "
	"epochs these in another order (shuffle).",
	.kind = WS_OPTION_CHOICE, .offset = FIELD(significance), .choices = (const ws_choice[]){
		{ "phase", WS_SIGNIFICANCE_PHASE }, { "ar1", WS_SIGNIFICANCE_AR1 },
		{ "shuffle", WS_SIGNIFICANCE_SHUFFLE }, { NULL, 0 } },
};
static const ws_option coherence_level = {
	"level", "P", "Probability with which unrelated channels stay below the level, "
	"at one time and frequency. Default: 0.95.", .kind = WS_OPTION_REAL, .offset = FIELD(level),
	.low = 1e-9, .high = 1.0 - 1e-9,
};
static const ws_option coherence_seed = {
	"seed", "N", "Which signals of noise are drawn. Default: 0.",
	.kind = WS_OPTION_U64, .offset = FIELD(seed),
};
static const ws_option coherence_clusters = {
	"clusters", NULL, "Join cells above the level of `noise_signals` that touch in time or "
	"frequency, and tell of each cluster the share p of the signals of noise of which the "
	"largest is as large (Maris & Oostenveld 2007): corrected for all cells of a pair. Without "
	"epochs it takes twice the time.", .kind = WS_OPTION_FLAG, .offset = FIELD(clusters),
};

/* ---- Rows ------------------------------------------------------------------------------- */

#define WAVELETS &reference, &wavelet.option, &cycles.text.option, &fwhm, &norm, &padding, \
	&freqs.text.option, &scales.text.option, &voices

const ws_option *const wsi_cwt_options[] = {
	WAVELETS, &quantity, &decimate, &octave_arrays, &significance.option, &level, NULL,
};
const ws_option *const wsi_bands_options[] = {
	WAVELETS, &bands.text.option, &band_quantity, &decimate, NULL,
};
const ws_option *const wsi_superlets_options[] = {
	&reference, &superlets_wavelet.option, &superlets_cycles.text.option, &order.option, &set,
	&norm, &padding, &freqs.text.option, &scales.text.option, &voices, &superlets_quantity,
	&decimate, NULL,
};
const ws_option *const wsi_trials_options[] = {
	WAVELETS, &averages.option, &baseline.option, &decimate, NULL,
};
const ws_option *const wsi_coherence_options[] = {
	WAVELETS, &against.option, &smooth_time, &smooth_octaves, &decimate, &noise_signals,
	&coherence_noise, &coherence_level, &coherence_seed, &coherence_clusters, NULL,
};

static bool
has_significance(const ws_shape *shape, const void *opts)
{
	(void)shape;
	return ((const ws_cwt_opts *)opts)->significance;
}

const wsi_need wsi_cwt_needs[] = {
	{ "level", has_significance, "without `significance`" }, { NULL, NULL, NULL },
};
