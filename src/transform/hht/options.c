/* options.c - the options of Hilbert-Huang spectra as programs offer them. */
#define EMD_FIELD(name) (offsetof(ws_hht_opts, emd) + offsetof(ws_emd_opts, name))
#define EMD_OF(opts) ((void *)((char *)(opts) + offsetof(ws_hht_opts, emd)))
#include "transform/emd/descriptors.h"

#include "transform/epochs.h"
#include "transform/hht/hht.h"

#define FIELD(name) offsetof(ws_hht_opts, name)
#define CHOICES(...) (const ws_choice[]){ __VA_ARGS__, { NULL, 0 } }

/* ---- Hilbert analysis ------------------------------------------------------------------ */

static const ws_option frequency_method = {
	"frequency-method", "NAME",
	"How a mode becomes amplitude and phase: hilbert (default), the analytic signal; nht, that "
	"of the mode divided by its envelope; quadrature, the normalised mode f and sqrt(1 - f^2).",
	WS_OPTION_CHOICE, FIELD(frequency_method), .choices = CHOICES({ "hilbert", WS_HHT_HILBERT },
		{ "nht", WS_HHT_NHT }, { "quadrature", WS_HHT_QUADRATURE }),
};
static const ws_option ends = {
	"ends", "NAME",
	"What continues a mode beyond its ends: mirror (default), its image about the nearest "
	"extremum; periodic; zero.", WS_OPTION_CHOICE, FIELD(ends),
	.choices = CHOICES({ "mirror", WS_HHT_ENDS_MIRROR }, { "periodic", WS_HHT_ENDS_PERIODIC },
		{ "zero", WS_HHT_ENDS_ZERO }),
};
static const ws_option smooth_phase = {
	"smooth-phase", "N",
	"Running median of N samples of the phase, N odd. Default: 1, none.",
	.kind = WS_OPTION_INT, .offset = FIELD(smooth_phase), .low = 1, .high = WSI_WIDEST_MEDIAN,
};
static const ws_option smooth_frequency = {
	"smooth-frequency", "N",
	"The frequency is the slope of a line fitted to N samples of the phase, N odd. Default: 3.",
	.kind = WS_OPTION_INT, .offset = FIELD(smooth_frequency), .low = 3, .high = 8191,
};
static const ws_option exclude = {
	"exclude", "WHAT",
	"Leave out samples of negative frequency (negative), or these and outliers (outliers). "
	"They are counted in any case. Default: none.", WS_OPTION_CHOICE, FIELD(exclude),
	.choices = CHOICES({ "none", WS_HHT_EXCLUDE_NONE }, { "negative", WS_HHT_EXCLUDE_NEGATIVE },
		{ "outliers", WS_HHT_EXCLUDE_OUTLIERS }),
};
static const ws_option outlier_ratio = {
	"outlier-ratio", "R",
	"A frequency above R times the mean one of its mode is an outlier. Default: 5.",
	.kind = WS_OPTION_REAL, .offset = FIELD(outlier_ratio), .low = 1, .high = 1e9,
};

/* ---- Spectrum -------------------------------------------------------------------------- */

static const wsi_list freqs = {
	{ { "freqs", "LO:HI[:COUNT[:lin]]",
	  "Bins of frequency in Hz: COUNT of them from LO to HI, evenly on a logarithmic axis, or "
	  "with :lin on a linear one; without COUNT 12 an octave. Slow ones may be given by the "
	  "minute, hour, day or year: 0.05/y:0.2/y. Default: up to half the sampling "
	  "rate, from 4 waves in the recording or 10 octaves below; so is what is left out, as in "
	  "2: or ::40.",
	  .kind = WS_OPTION_RANGE, .offset = FIELD(freqs), .high = 65536,
	  .zero = WSI_HHT_BINS_AN_OCTAVE }, wsi_range_set, wsi_range_tell }, 0, 0,
};
static const wsi_list modulation_freqs = {
	{ { "modulation-freqs", "LO:HI[:COUNT[:lin]]",
	  "Bins of the frequency of an amplitude, of the holospectrum, as for `freqs`; without "
	  "COUNT 6 an octave. Default: from the lowest to half the highest of `freqs`.",
	  .kind = WS_OPTION_RANGE, .offset = FIELD(modulation_freqs), .high = 65536,
	  .zero = WSI_HHT_MODULATIONS_AN_OCTAVE }, wsi_range_set, wsi_range_tell }, 0, 0,
};
static const ws_option time_bin = {
	"time-bin", "S",
	"Seconds of a time bin; at least a sample. Default: the recording in about 1000.",
	.kind = WS_OPTION_REAL, .offset = FIELD(time_bin), .low = DBL_TRUE_MIN, .high = HUGE_VAL,
};
static const ws_option quantity = {
	"quantity", "WHAT",
	"What a cell holds: density (default), the mean of a^2/2 over the time bin for each Hz, "
	"a being the amplitude: unit^2/Hz; power, the same for the bin: unit^2; energy, the sum "
	"of a^2 over samples; amplitude, the sum of a.", WS_OPTION_CHOICE, FIELD(quantity),
	.choices = CHOICES({ "density", WS_HHT_QUANTITY_DENSITY },
		{ "power", WS_HHT_QUANTITY_POWER },
		{ "energy", WS_HHT_QUANTITY_ENERGY }, { "amplitude", WS_HHT_QUANTITY_AMPLITUDE }),
};
static const ws_option confidence = {
	"confidence", "P",
	"Share of noise that lies between noise_low and noise_high, and in the band of the figure "
	"of significance. Default: 0.9, so that one in twenty lies above; of wu-huang 0.99.",
	.kind = WS_OPTION_REAL, .offset = FIELD(confidence), .low = 1e-9, .high = 1 - 1e-12,
};

static const ws_option noise_signals = {
	"noise-signals", "N",
	"Compare the energy of each mode with that of N signals of noise that are decomposed "
	"alike, and tell the share p of noise of its period that has as much: 199 for p of 0.05, "
	"999 for 0.01; 50 or more. What noise: `significance`. With connectivity among `parts` "
	"also the phase locking that unrelated channels seldom exceed, by N times the channels "
	"with phases at random. Default: none, and nothing is said of significance.",
	.kind = WS_OPTION_INT, .offset = FIELD(noise_signals), .low = 50, .high = 100000,
};

static const ws_option significance = {
	"significance", "NOISE",
	"What noise `noise_signals` are: background (default), Gaussian noise with a spectrum "
	"fitted to that of the signal: white, AR(1), white plus a power law, or a power law with a "
	"bend, as the likelihood says; white, ar1, power-law, bend: that one. Or wu-huang, without "
	"such signals: the formula of Wu & Huang 2004 for EMD of white noise, of which the first "
	"mode is taken to be.",
	WS_OPTION_CHOICE, FIELD(significance), .choices = CHOICES(
		{ "background", WS_HHT_BACKGROUND }, { "white", WS_HHT_WHITE },
		{ "ar1", WS_HHT_AR1 }, { "power-law", WS_HHT_POWER_LAW },
		{ "bend", WS_HHT_BEND },
		{ "wu-huang", WS_HHT_WU_HUANG }),
};

static const ws_option sparse_cells = {
	"sparse-cells", "N",
	"With sparse among `parts`: keep at most N cells of each time bin, the largest; what share "
	"the others have is told for each. Default: 3 a mode.",
	.kind = WS_OPTION_INT, .offset = FIELD(sparse_cells), .low = 1, .high = 65536,
};

static const ws_choice limit_rules[] = {
	{ "fixed", WS_STOP_FIXED }, { "s-number", WS_STOP_S_NUMBER }, { "fix-h", WS_STOP_FIX_H },
	{ NULL, 0 },
};

/* RULE:FROM-TO */
static ws_status
set_limits(const ws_option *option, void *opts, const char *text)
{
	ws_hht_opts *o = opts;
	const size_t length = strcspn(text, ":");
	const ws_choice *c;
	char part[2][WSI_PART];
	double v[2];
	WSI_TRY(wsi_choice_take(&c, option->choices, text, length));
	if (wsi_take_apart(text + length + (text[length] == ':'), '-', part, 2) != 2 ||
	    !wsi_parse_real(part[0], &v[0]) || !wsi_parse_real(part[1], &v[1]) ||
	    v[0] != floor(v[0]) || v[1] != floor(v[1]) || v[0] < 1.0 || v[1] <= v[0] ||
	    v[1] > 1e6 || v[1] - v[0] >= WSI_HHT_RULES)
		return WSI_FAIL(WS_E_ARG, "must be RULE:FROM-TO, 2 to %d whole numbers from 1 on",
		                WSI_HHT_RULES);
	o->limits_rule = (ws_stop)c->value;
	o->limits_from = (int)v[0];
	o->limits_to = (int)v[1];
	return WS_OK;
}

static void
tell_limits(const ws_option *option, const void *opts, wsi_line *to)
{
	const ws_hht_opts *o = opts;
	if (o->limits_rule)
		wsi_line_put(to, "%s:%d-%d", wsi_choice_name(option->choices,
		             (int)o->limits_rule), o->limits_from, o->limits_to);
}

static const wsi_text limits = {
	{ "limits", "RULE:FROM-TO",
	  "Confidence limits of the marginal spectrum (Huang et al. 2003): its mean and standard "
	  "deviation over decompositions by fixed, s-number or fix-h with each of these numbers, "
	  "such as s-number:3-12.", WS_OPTION_TEXT, FIELD(limits_rule), .choices = limit_rules },
	set_limits, tell_limits,
};

static const ws_choice part_names[] = {
	{ "modes", WS_HHT_PART_MODES }, { "instantaneous", WS_HHT_PART_INSTANTANEOUS },
	{ "spectrum", WS_HHT_PART_SPECTRUM }, { "mode-spectrum", WS_HHT_PART_MODE_SPECTRUM },
	{ "marginal", WS_HHT_PART_MARGINAL }, { "cycles", WS_HHT_PART_CYCLES },
	{ "connectivity", WS_HHT_PART_CONNECTIVITY },
	{ "holospectrum", WS_HHT_PART_HOLOSPECTRUM }, { "sparse", WS_HHT_PART_SPARSE },
	{ NULL, 0 },
};

static const wsi_text parts = {
	{ "parts", "NAME[,NAME..]",
	  "What is made besides figures of modes: modes, instantaneous, spectrum, mode-spectrum, "
	  "marginal, cycles, connectivity, holospectrum, sparse. Default: all but mode-spectrum, a "
	  "spectrum for each mode; cycles, the number of the cycle that each sample is in; "
	  "connectivity, phase locking and amplitude correlation of each mode between channels; "
	  "holospectrum, energy over frequency and the frequency of its modulation (Huang et al. "
	  "2016); sparse, the cells of the spectrum that are not zero (see `sparse_cells`).",
	  WS_OPTION_TEXT, FIELD(parts), .choices = part_names }, wsi_names_set, wsi_names_tell,
};

/* ---- The decomposition ----------------------------------------------------------------- */

#define STORED -1
static const ws_choice decompositions[] = {
	{ "emd", WS_METHOD_EMD }, { "eemd", WS_METHOD_EEMD }, { "ceemdan", WS_METHOD_CEEMDAN },
	{ "iceemdan", WS_METHOD_ICEEMDAN }, { "memd", WS_METHOD_MEMD }, { "none", 0 }, { "stored",
		STORED },
	{ NULL, 0 },
};

/* A method; none: every channel is one mode that is given; or stored: the caller still has to tell
 * how many modes there are. */
static ws_status
set_decomposition(const ws_option *option, void *opts, const char *text)
{
	ws_hht_opts *o = opts;
	const ws_choice *c;
	WSI_TRY(wsi_choice_take(&c, option->choices, text, strlen(text)));
	o->emd.method = c->value == STORED ? (ws_method)0 : (ws_method)c->value;
	o->modes_given = c->value ? 0 : 1;
	o->whole_given = c->value == STORED;
	return WS_OK;
}

static void
tell_decomposition(const ws_option *option, const void *opts, wsi_line *to)
{
	const ws_hht_opts *o = opts;
	wsi_line_put(to, "%s", o->whole_given ? "stored" : o->modes_given ? "none"
	             : o->emd.method
	             ? wsi_choice_name(option->choices, (int)o->emd.method) : "");
}

static const wsi_text decomposition = {
	{ "decomposition", "NAME",
	  "How the signal is decomposed: emd (default), eemd, ceemdan, iceemdan or memd; none: "
	  "every channel is one mode already; stored: INPUT is a result (.h5, .npy, .mat) whose "
	  "modes are taken (default of .h5 and .mat results without other options of this group).",
	  WS_OPTION_TEXT, EMD_FIELD(method),
	  .choices = decompositions }, set_decomposition, tell_decomposition,
};

/* Values below FIRST_OF_EMD are of ws_hht_reference. */
#define FIRST_OF_EMD 16
static const ws_choice reference_names[] = {
	{ "emd", WS_HHT_REF_EMD }, { "rilling", FIRST_OF_EMD + WS_REF_RILLING },
	{ "libeemd", FIRST_OF_EMD + WS_REF_LIBEEMD }, { "torres", FIRST_OF_EMD + WS_REF_TORRES },
	{ "colominas", FIRST_OF_EMD + WS_REF_COLOMINAS },
	{ "ceemdan-gpu", FIRST_OF_EMD + WS_REF_CEEMDAN_GPU },
	{ "memd", FIRST_OF_EMD + WS_REF_MEMD }, { "memd-gpu", FIRST_OF_EMD + WS_REF_MEMD_GPU },
	{ NULL, 0 },
};

static ws_status
set_reference(const ws_option *option, void *opts, const char *text)
{
	const ws_choice *c;
	WSI_TRY(wsi_choice_take(&c, option->choices, text, strlen(text)));
	if (c->value < FIRST_OF_EMD)
		((ws_hht_opts *)opts)->reference = (ws_hht_reference)c->value;
	else
		((ws_hht_opts *)opts)->emd.reference = (ws_reference)(c->value - FIRST_OF_EMD);
	return WS_OK;
}

static void
tell_reference(const ws_option *option, const void *opts, wsi_line *to)
{
	const ws_hht_opts *o = opts;
	const int value = o->reference ? (int)o->reference
	                  : o->emd.reference ? FIRST_OF_EMD + (int)o->emd.reference : 0;
	wsi_line_put(to, "%s", value ? wsi_choice_name(option->choices, value) : "");
}

static const wsi_text reference = {
	{ "reference", "NAME",
	  "Set every option as this published code does, its quirks included; options given "
	  "explicitly override it. emd: the instantaneous quantities and spectra of Python's emd "
	  "0.8.1; the others: the decomposition.",
	  WS_OPTION_TEXT, FIELD(reference), .choices = reference_names },
	set_reference, tell_reference,
};

#define ANY_RULE(number, name, form, n, a, b, c, whose, asks) { name, number },
static const ws_choice all_rules[] = { WSI_STOP_RULES(ANY_RULE, ANY_RULE) { NULL, 0 } };
STOP_RULE(stop_any, all_rules, "When a mode is finished, as of the decomposition's own command.");
MODES(modes_any, "log2 of the samples; emd and memd 8 more, which are rarely needed.");

/* ---- Averages over epochs ---------------------------------------------------------------- */

static const ws_option epoch_bin = {
	"time-bin", "S",
	"Seconds of a time bin; at least a sample. Default: an epoch in about 100.",
	.kind = WS_OPTION_REAL, .offset = FIELD(time_bin), .low = DBL_TRUE_MIN, .high = HUGE_VAL,
};

static const wsi_text averages = {
	{ "averages", "LIST",
	  "What is averaged over the epochs: total, the spectra of all epochs; evoked, that of the "
	  "mean epoch: what is locked to the event; induced, those of the epochs less the mean "
	  "epoch: the rest. Default: all, total,evoked,induced.",
	  WS_OPTION_TEXT, FIELD(averages), .choices = CHOICES({ "total", WS_AVERAGE_TOTAL },
		{ "evoked", WS_AVERAGE_EVOKED }, { "induced", WS_AVERAGE_INDUCED }) },
	wsi_names_set, wsi_names_tell,
};

static const wsi_text baseline = {
	{ "baseline", "FROM:TO[:HOW]", "Compare averaged spectra with their mean "
	  "between these times of an epoch, in seconds, at each frequency: -0.5:0:percent. HOW: db "
	  "(default), ratio, percent, or z, by the standard deviation there. Marginal spectra are "
	  "not compared.", .kind = WS_OPTION_TEXT, .offset = FIELD(baseline_from) },
	wsi_baseline_set, wsi_baseline_tell,
};

static const ws_choice epoch_decompositions[] = {
	{ "emd", WS_METHOD_EMD }, { "eemd", WS_METHOD_EEMD }, { "ceemdan", WS_METHOD_CEEMDAN },
	{ "iceemdan", WS_METHOD_ICEEMDAN }, { "none", 0 }, { NULL, 0 },
};
static const wsi_text epoch_decomposition = {
	{ "decomposition", "NAME",
	  "How each epoch is decomposed: emd (default), eemd, ceemdan or iceemdan; none: it is one "
	  "mode already.", WS_OPTION_TEXT, EMD_FIELD(method), .choices = epoch_decompositions },
	set_decomposition, tell_decomposition,
};

const ws_option *const wsi_hhtrials_options[] = {
	&frequency_method, &ends, &smooth_phase, &smooth_frequency, &exclude, &outlier_ratio,
	&freqs.text.option,
	&epoch_bin, &quantity, &averages.option, &baseline.option, &epoch_decomposition.option,
	&reference.option, &modes_any, &sifts, &stop_any.option, &max_sifts, &check_every,
	&boundary, &spline, &realizations, &pairs, &noise, &snr, &seed, &channel_noise, NULL,
};

const ws_option *const wsi_hht_options[] = {
	&frequency_method, &ends, &smooth_phase, &smooth_frequency, &exclude, &outlier_ratio,
	&freqs.text.option, &modulation_freqs.text.option, &time_bin, &quantity,
	&parts.option, &confidence, &noise_signals, &significance, &sparse_cells, &limits.option,
	&decomposition.option, &reference.option, &modes_any, &sifts, &stop_any.option,
	&max_sifts, &check_every, &boundary, &spline, &realizations, &pairs, &noise, &snr, &seed,
	&noise_file, &channel_noise, &directions, &direction_set, &noise_channels, &noise_power,
	&standardize,
	NULL,
};

int
wsi_hht_digits(double frequency)
{
	return frequency < 1000.0 ? 4 : 7;
}

/* ---- What others make meaningless -------------------------------------------------------- */

static bool
is_sparse(const ws_shape *shape, const void *opts)
{
	(void)shape;
	return ((const ws_hht_opts *)opts)->parts & WS_HHT_PART_SPARSE;
}

static bool
has_holospectrum(const ws_shape *shape, const void *opts)
{
	(void)shape;
	return ((const ws_hht_opts *)opts)->parts & WS_HHT_PART_HOLOSPECTRUM;
}

static bool
excludes_outliers(const ws_shape *shape, const void *opts)
{
	(void)shape;
	return ((const ws_hht_opts *)opts)->exclude == WS_HHT_EXCLUDE_OUTLIERS;
}

static bool
decomposes(const ws_shape *shape, const void *opts)
{
	(void)shape;
	return !((const ws_hht_opts *)opts)->modes_given;
}

/* References set these, too, whether or not their method has them. */
static bool
has_ensemble(const ws_shape *shape, const void *opts)
{
	const ws_hht_opts *o = opts;
	return decomposes(shape, opts) && (o->emd.reference || (
	       wsi_opts_method(&o->emd) != WS_METHOD_EMD &&
	       wsi_opts_method(&o->emd) != WS_METHOD_MEMD));
}

static bool
is_joint(const ws_shape *shape, const void *opts)
{
	const ws_hht_opts *o = opts;
	return decomposes(shape, opts) &&
	       (o->emd.reference || wsi_opts_method(&o->emd) == WS_METHOD_MEMD);
}

static bool
has_seed(const ws_shape *shape, const void *opts)
{
	return has_ensemble(shape, opts) || is_joint(shape, opts) ||
	       ((const ws_hht_opts *)opts)->noise_signals;
}

#define OF_DECOMPOSITIONS(name) { name, decomposes, "without a decomposition" }
#define OF_ENSEMBLES(name) { name, has_ensemble, "without an ensemble (`decomposition eemd`)" }
#define OF_JOINT(name) { name, is_joint, "without `decomposition memd`" }
#define OF_ANY                                                                                \
	OF_DECOMPOSITIONS("modes"), OF_DECOMPOSITIONS("sifts"), OF_DECOMPOSITIONS("stop-rule"), \
	OF_DECOMPOSITIONS("max-sifts"), OF_DECOMPOSITIONS("check-every"),                 \
	OF_DECOMPOSITIONS("boundary"), OF_DECOMPOSITIONS("spline"),                       \
	OF_ENSEMBLES("realizations"), OF_ENSEMBLES("pairs"), OF_ENSEMBLES("noise"),       \
	OF_ENSEMBLES("snr"), OF_ENSEMBLES("channel-noise"),                               \
	{ "seed", has_seed, "without noise (`decomposition eemd`)" }

const wsi_need wsi_hht_needs[] = {
	{ "sparse-cells", is_sparse, "without sparse among `parts`" },
	{ "modulation-freqs", has_holospectrum, "without holospectrum among `parts`" },
	OF_ANY, OF_JOINT("directions"), OF_JOINT("direction-set"), OF_JOINT("noise-channels"),
	OF_JOINT("noise-power"), OF_JOINT("standardize"), { NULL, NULL, NULL },
};
/* Those of hht are counted among the figures of modes. */
const wsi_need wsi_hhtrials_needs[] = {
	{ "outlier-ratio", excludes_outliers, "without `exclude outliers`" },
	OF_ANY, { NULL, NULL, NULL },
};

/* ---- Words ------------------------------------------------------------------------------- */

const char *
wsi_hht_decomposition(const ws_hht_opts *o)
{
	const char *name = wsi_choice_name(decompositions, (int)wsi_opts_method(&o->emd));
	return *name ? name : "emd";
}

void
wsi_hht_line(const void *opts, const ws_option_file *files, wsi_line *to)
{
	const ws_hht_opts *o = opts;
	wsi_line_put(
		to, "%s%s, %s of %zu bins, %.*g to %.*g Hz",
		wsi_choice_name(frequency_method.choices, (int)o->frequency_method),
		o->reference ? " as emd 0.8.1" : "",
		wsi_choice_name(quantity.choices, (int)o->quantity), o->freqs.count,
		wsi_hht_digits(o->freqs.low), o->freqs.low, wsi_hht_digits(o->freqs.high),
		o->freqs.high);
	if (o->whole_given)
		wsi_line_put(to, "; modes as stored");
	if (!o->modes_given) {
		wsi_line_put(to, "; %s, ", wsi_hht_decomposition(o));
		wsi_emd_line(&o->emd, files, to);
	}
}
