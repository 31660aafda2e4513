/* options.c - the table of commands and options; see options.h. */
#include "options.h"

#include <string.h>

const cli_command cli_commands[] = {
	{ CMD_INFO, "info", "Look", "INPUT", 1, "what is in a recording",
	  "Prints the format, the channels with their rates, units and lengths, the start and the "
	  "events of a recording, reading no samples.",
	  { "wavesift info night.edf\twhat is in this file",
	    "wavesift info night.edf --json\tthe same for programs" } },
	{ CMD_DEVICES, "devices", "Look", "", 0, "what this machine offers",
	  "Prints the processor, its instruction sets, the threads and the memory that wavesift "
	  "would use, and the GPUs with model, versions and memory, or why one cannot be used.",
	  { "wavesift devices" } },
	{ CMD_EMD, "emd", "Decompose", "INPUT", 1, "empirical mode decomposition",
	  "Splits every channel into oscillating modes, fastest first, and a residue; their sum is "
	  "the signal (Huang et al. 1998). Quick, but neighbouring modes may mix.",
	  { "wavesift emd night.edf --channels Cz\tone channel, 10 sifts a mode",
	    "wavesift emd bearing.wav --stop-rule rilling --modes 6\tat most 6 modes",
	    "wavesift emd x.csv --fs 250 --reference rilling -o x.mat\tas emd.m does" } },
	{ CMD_EEMD, "eemd", "Decompose", "INPUT", 1, "ensemble EMD",
	  "Averages the modes of many copies of the signal, each with its own noise added (Wu & "
	  "Huang 2009). Modes mix less; a little noise stays unless the noise comes in pairs.",
	  { "wavesift eemd night.edf --channels 1-4 --realizations 200\tfour channels",
	    "wavesift eemd night.edf --pairs\tcomplementary: each noise added and subtracted" } },
	{ CMD_CEEMDAN, "ceemdan", "Decompose", "INPUT", 1, "complete ensemble EMD, adaptive noise",
	  "Takes the ensemble average mode by mode, so that modes and residue add up to the signal "
	  "(Torres et al. 2011).",
	  { "wavesift ceemdan night.edf --channels Cz --seed 1",
	    "wavesift ceemdan night.edf --reference libeemd\tas libeemd does" } },
	{ CMD_ICEEMDAN, "iceemdan", "Decompose", "INPUT", 1, "improved CEEMDAN (recommended)",
	  "Averages local means instead of modes: less noise in the modes and no spurious ones "
	  "(Colominas et al. 2014). All channels see the same noise, so that their modes can be "
	  "compared.",
	  { "wavesift iceemdan night.edf --dry-run\tplan, memory and time only",
	    "wavesift iceemdan night.edf --channels Cz --to 60 --plot cz.png\t"
	    "a minute of one channel, drawn",
	    "wavesift iceemdan x.npy --fs 500 --reference colominas -o x.h5\tas ceemdan.m does" } },
	{ CMD_MEMD, "memd", "Decompose", "INPUT", 1, "multivariate EMD: all channels together",
	  "Sifts all channels as one signal, by the envelopes of its projections on "
	  "many directions (Rehman & Mandic 2010): mode k lies in the same band in every channel, "
	  "and all have as many modes. Channels should share a unit, or be scaled alike. With "
	  "channels of noise sifted along (noise-assisted MEMD, 2011) the modes spread evenly over "
	  "the octaves.",
	  { "wavesift memd night.edf --channels 1-8 --plot aligned.png --figure spectra\t"
	    "eight channels, and how well their modes are aligned",
	    "wavesift memd night.edf --noise-channels 2 --sifts 10\tnoise-assisted",
	    "wavesift memd x.npy --fs 500 --reference memd -o x.mat\tas memd.m does" } },
	{ CMD_PLOT, "plot", "Use results", "RESULT", 1, "draw a result",
	  "Draws signal, modes and residue of chosen channels of a result on one time "
	  "axis, without --channels of the first three; or the spectra of its modes in "
	  "all channels.",
	  { "wavesift plot night_iceemdan.h5 -o night.pdf --channels Cz",
	    "wavesift plot night_iceemdan.h5 -o detail.png --from 10 --to 12",
	    "wavesift plot night_iceemdan.h5 --figure spectra\tare modes aligned "
	    "between channels?" } },
	{ CMD_COMPARE, "compare", "Use results", "A B", 2, "similarity of two results",
	  "Prints the similarity index (the correlation) of two results, mode by mode and channel "
	  "by channel, of more than 7 signals their summary: 1 is equal up to a factor.",
	  { "wavesift compare mine.h5 theirs.mat",
	    "wavesift compare a.h5 b.h5 --plot similarity.png\ta box plot over the channels",
	    "wavesift compare a.h5 b.h5 --json\tfor programs" } },
	{ 0 }
};

#define READS (CMD_INFO | CMD_DECOMPOSE)
#define WRITES (CMD_DECOMPOSE | CMD_PLOT)

const cli_option cli_options[] = {
	{ OPT_CHANNELS, 'c', "channels", "LIST", NULL, WRITES | CMD_COMPARE, "Selecting",
	  "Channels by name, pattern, number or range, counted from 1: Cz,EEG*,1-4,7. "
	  "Default: every signal (status, trigger and annotation channels are none)." },
	{ OPT_FROM, 0, "from", "TIME", NULL, WRITES, "Selecting",
	  "First moment, itself included. A plain number is in seconds, whatever a table "
	  "counts time in; others have a unit: 250ms, 1.5h, 1850y (us, ms, s, min, h, d, y). Times "
	  "of a table and of epochs are those that it gives them, from where wavesift info says; "
	  "other recordings begin at 0. Without a sampling rate times count samples." },
	{ OPT_TO, 0, "to", "TIME", NULL, WRITES, "Selecting",
	  "Last moment, itself excluded; as for --from." },
	{ OPT_EPOCHS, 0, "epochs", "LIST", NULL, WRITES, "Selecting",
	  "Epochs of an epoched recording, by number or range, counted from 1. Each is decomposed "
	  "by itself; a figure shows the first. Default: all." },
	{ OPT_NAN, 0, "nan", "HOW", "refuse|interpolate", CMD_DECOMPOSE, "Selecting",
	  "Samples that are not finite: refuse the input (default), or interpolate gaps "
	  "of up to 1 s or 10 samples, whichever is longer, by a straight line." },

	{ OPT_FS, 0, "fs", "HZ", NULL, READS, "Reading",
	  "Sampling rate, over what the file says." },
	{ OPT_RAW, 0, "raw", "LAYOUT", NULL, READS, "Reading",
	  "Read raw binary: f32,channels=32,order=channel (or order=sample), also skip=BYTES, "
	  "endian=big; types i8, i16, i32, u8, u16, u32, f32, f64." },
	{ OPT_VARIABLE, 0, "variable", "NAME", NULL, READS, "Reading",
	  "The array to take from a MAT or HDF5 file." },

	{ OPT_REFERENCE, 0, "reference", "NAME",
	  "rilling|colominas|torres|libeemd|ceemdan-gpu|memd|memd-gpu", CMD_DECOMPOSE,
	  "Decomposition",
	  "Set every option as this published code does, its quirks included; options given "
	  "explicitly override it. rilling has emd and eemd, colominas and ceemdan-gpu iceemdan, "
	  "torres ceemdan, libeemd emd, eemd and ceemdan, memd and memd-gpu memd." },
	{ OPT_MODES, 0, "modes", "K", NULL, CMD_DECOMPOSE, "Decomposition",
	  "At most K modes, the residue not counted; what is slower stays in the residue. Default: "
	  "log2 of the samples; emd, memd and reference torres 8 more, which they rarely need." },
	{ OPT_SIFTS, 's', "sifts", "S", NULL, CMD_DECOMPOSE, "Decomposition",
	  "Exactly S sifts a mode; the same as --stop-rule fixed:S." },
	{ OPT_STOP_RULE, 0, "stop-rule", "NAME[:P,..]", NULL, CMD_DECOMPOSE, "Decomposition",
	  "When a mode is finished: fixed:S, rilling:SD,SD2,TOL, s-number:S, sd:LIMIT, "
	  "cauchy:LIMIT, tolerance:LIMIT,DB, energy:DB, fix-h:N. Default: emd and eemd fixed:10, "
	  "ceemdan and iceemdan rilling:0.05,0.5,0.05, memd rilling:0.075,0.75,0.075. "
	  "fix-h is memd's alone, which has no s-number and sd." },
	{ OPT_MAX_SIFTS, 0, "max-sifts", "M", NULL, CMD_DECOMPOSE, "Decomposition",
	  "Most sifts a mode under rules other than fixed. Default: 1000, tolerance "
	  "100, references their own." },
	{ OPT_CHECK_EVERY, 0, "check-every", "N", NULL, CMD_DECOMPOSE, "Decomposition",
	  "Sifts between two tests of the stop rule. Default: 1." },
	{ OPT_BOUNDARY, 0, "boundary", "NAME", "mirror|extrapolate|slope|periodic", CMD_DECOMPOSE,
	  "Decomposition", "What continues the extrema beyond both ends. Default: mirror." },
	{ OPT_SPLINE, 0, "spline", "NAME", "not-a-knot|natural|pchip|akima", CMD_DECOMPOSE,
	  "Decomposition", "The curve of the envelopes. Default: not-a-knot. memd has not-a-knot "
	  "and natural." },

	{ OPT_REALIZATIONS, 'n', "realizations", "I", NULL, CMD_ENSEMBLE, "Ensemble",
	  "Copies of the signal with noise. Default: 100." },
	{ OPT_PAIRS, 0, "pairs", NULL, NULL, CMD_EEMD, "Ensemble",
	  "Add and subtract each noise (complementary EEMD); needs an even number of "
	  "realizations." },
	{ OPT_NOISE, 0, "noise", "EPS", NULL, CMD_ENSEMBLE, "Ensemble",
	  "Strength of the noise in standard deviations of the signal. Default: 0.2." },
	{ OPT_SNR, 0, "snr", "HOW", "increasing|constant", CMD_CEEMDAN | CMD_ICEEMDAN, "Ensemble",
	  "From mode to mode the noise weakens as its own modes do (increasing, default), or keeps "
	  "its ratio to what is left of the signal (constant)." },
	{ OPT_SEED, 0, "seed", "N", NULL, CMD_ENSEMBLE | CMD_MEMD, "Ensemble",
	  "Number of the noise; the same seed gives the same bits. Default: 0." },
	{ OPT_NOISE_FILE, 0, "noise-file", "FILE", NULL, CMD_ENSEMBLE, "Ensemble",
	  "Take the noise from an array [realization][time], such as W.npy." },
	{ OPT_CHANNEL_NOISE, 0, "channel-noise", "HOW", "shared|independent", CMD_ENSEMBLE,
	  "Ensemble", "All channels see the same noise (default), or each its own." },

	{ OPT_DIRECTIONS, 0, "directions", "V", NULL, CMD_MEMD, "Multivariate",
	  "Directions on which the channels are projected. Default: 64, or twice the "
	  "channels if that is more; fewer than twice the channels are too few." },
	{ OPT_DIRECTION_SET, 0, "direction-set", "NAME|FILE", "scrambled|hammersley|gaussian",
	  CMD_MEMD, "Multivariate", "The directions: scrambled (default), evenly spread for "
	  "any number of channels; hammersley, those of memd.m, uneven from some ten channels "
	  "on; gaussian, independent, by --seed; or an array [direction][channel], such as U.npy, "
	  "noise channels last." },
	{ OPT_NOISE_CHANNELS, 0, "noise-channels", "Q", NULL, CMD_MEMD, "Multivariate",
	  "Channels of white noise that are sifted along and dropped (noise-assisted "
	  "MEMD). Default: 0." },
	{ OPT_NOISE_POWER, 0, "noise-power", "P", NULL, CMD_MEMD, "Multivariate",
	  "Power of each noise channel, in shares of the mean power of the channels. "
	  "Default: 0.05." },

	{ OPT_DEVICE, 0, "device", "WHERE", "auto|cpu|cuda", CMD_DECOMPOSE, "Running",
	  "Where to compute: cpu; cuda, the first usable GPU; cuda:LIST, GPUs by number, such as "
	  "cuda:1 or cuda:0,2, which share the channels; auto (default), the first GPU "
	  "where there is one and the work is worth it, else the CPU. Changes no bit "
	  "of the result." },
	{ OPT_DEVICE_MEMORY, 0, "device-memory", "SIZE", NULL, CMD_DECOMPOSE, "Running",
	  "Most memory to use of each GPU. Default: 90 % of what is free." },
	{ OPT_THREADS, 't', "threads", "T", NULL, CMD_DECOMPOSE, "Running",
	  "Default: the processors this process may use. Changes no bit of the result." },
	{ OPT_PRECISION, 0, "precision", "TYPE", "f64|f32", CMD_DECOMPOSE, "Running",
	  "Type of the arithmetic. Default: f64." },
	{ OPT_MEMORY, 0, "memory", "SIZE", NULL, CMD_DECOMPOSE, "Running",
	  "Most memory of this machine to use, such as 4G or 500M. Default: 80 % of "
	  "what is free." },
	{ OPT_DRY_RUN, 0, "dry-run", NULL, NULL, CMD_DECOMPOSE, "Running",
	  "Print plan, memory and expected time; read no samples, write nothing." },
	{ OPT_STRICT, 0, "strict", NULL, NULL, CMD_DECOMPOSE, "Running",
	  "Fail with status 6, writing nothing, where a mode reaches --max-sifts before its stop "
	  "rule holds." },
	{ OPT_PROGRESS, 0, "progress", "WHEN", "auto|always|never", CMD_DECOMPOSE, "Running",
	  "Show the time left on standard error, even with --quiet. auto (default): on a terminal, "
	  "after 2 s." },

	{ OPT_OUTPUT, 'o', "output", "FILE", NULL, WRITES, "Output",
	  "Where the result goes; the ending tells the format: .h5, .npy, .mat, .csv "
	  "(figures: .png, .svg, .pdf); - is CSV on standard output. Default: STEM_COMMAND.h5 in "
	  "the working directory (figures: STEM.png)." },
	{ OPT_OVERWRITE, 0, "overwrite", NULL, NULL, WRITES | CMD_COMPARE, "Output",
	  "Replace files that exist." },
	{ OPT_COMPRESS, 0, "compress", NULL, NULL, CMD_DECOMPOSE, "Output",
	  "Deflate .h5 and .mat results." },
	{ OPT_STORE, 0, "store", "TYPE", "f64|f32", CMD_DECOMPOSE, "Output",
	  "Type of the stored samples. Default: that of --precision." },
	{ OPT_PLOT, 0, "plot", "FILE", NULL, CMD_DECOMPOSE | CMD_COMPARE, "Output",
	  "Also draw the result, as .png, .svg or .pdf; of a comparison the box plot of "
	  "each mode's similarity over channels and epochs." },
	{ OPT_PLOT_CHANNELS, 0, "plot-channels", "LIST", NULL, CMD_DECOMPOSE, "Output",
	  "Channels of that figure, among those selected. Default: the first three; of "
	  "spectra all." },
	{ OPT_FIGURE, 0, "figure", "WHAT", "modes|spectra", CMD_DECOMPOSE | CMD_PLOT, "Output",
	  "What a figure shows: signal, modes and residue of up to 32 channels on common scales "
	  "(modes, default), or the power spectra of each mode in all channels, whether they hold "
	  "the same frequencies and how they share the frequency axis (spectra)." },
	{ OPT_JSON, 0, "json", NULL, NULL, CMD_ALL & ~CMD_PLOT, "Output",
	  "Print the summary as JSON." },
	{ OPT_QUIET, 'q', "quiet", NULL, NULL, WRITES, "Output",
	  "No summary and, unless --progress is given, no progress; errors only." },
	{ OPT_VERBOSE, 'v', "verbose", NULL, NULL, CMD_DECOMPOSE, "Output",
	  "Also print the plan, on standard error." },

	{ OPT_HELP, 'h', "help", NULL, NULL, CMD_ALL, "Other", "This text." },
	{ OPT_VERSION, 'V', "version", NULL, NULL, CMD_ALL, "Other", "The version." },
	{ 0 }
};

#define REFERENCE_TEXT "Set every option as this published code does, its quirks included; " \
	"options given explicitly override it."
#define STOP_RULES_TEXT "When a mode is finished: fixed:S, rilling:SD,SD2,TOL, s-number:S, " \
	"sd:LIMIT, cauchy:LIMIT, tolerance:LIMIT,DB, energy:DB. Default: "

/* What an option means, and takes, where a command has it narrower than the
 * table, which the man page shows. */
typedef struct cli_variant {
	int id;
	unsigned commands;
	const char *text;
	const char *choices;  /* NULL: those of the table */
} cli_variant;

static const cli_variant variants[] = {
	{ OPT_CHANNELS, CMD_PLOT, "Channels by name, pattern, number or range, counted from 1: "
	  "Cz,EEG*,1-4,7. Default: the first three; of spectra all.", NULL },
	{ OPT_CHANNELS, CMD_COMPARE, "Channels that both results have, by name, pattern, number or "
	  "range among them, counted from 1: Cz,EEG*,1-4,7. Default: all of them.", NULL },
	{ OPT_EPOCHS, CMD_PLOT, "The epoch to draw, by its number in the recording. Default: the "
	  "first of the result.", NULL },
	{ OPT_REFERENCE, CMD_EMD | CMD_EEMD, REFERENCE_TEXT, "rilling|libeemd" },
	{ OPT_REFERENCE, CMD_CEEMDAN, REFERENCE_TEXT, "torres|libeemd" },
	{ OPT_REFERENCE, CMD_ICEEMDAN, REFERENCE_TEXT, "colominas|ceemdan-gpu" },
	{ OPT_REFERENCE, CMD_MEMD, REFERENCE_TEXT, "memd|memd-gpu" },
	{ OPT_MODES, CMD_ENSEMBLE, "At most K modes, the residue not counted; what is slower stays "
	  "in the residue. Default: log2 of the samples.", NULL },
	{ OPT_MODES, CMD_EMD | CMD_MEMD, "At most K modes, the residue not counted; what is slower "
	  "stays in the residue. Default: log2 of the samples and 8 more, which are rarely needed.",
	  NULL },
	{ OPT_STOP_RULE, CMD_EMD | CMD_EEMD, STOP_RULES_TEXT "fixed:10.", NULL },
	{ OPT_STOP_RULE, CMD_CEEMDAN | CMD_ICEEMDAN, STOP_RULES_TEXT "rilling:0.05,0.5,0.05.",
	  NULL },
	{ OPT_STOP_RULE, CMD_MEMD, "When a mode is finished: fixed:S, rilling:SD,SD2,TOL, "
	  "cauchy:LIMIT, tolerance:LIMIT,DB, energy:DB, fix-h:N. Default: "
	  "rilling:0.075,0.75,0.075.", NULL },
	{ OPT_SPLINE, CMD_ALL & ~CMD_MEMD, "The curve of the envelopes. Default: not-a-knot.",
	  NULL },
	{ OPT_SPLINE, CMD_MEMD, "The curve of the envelopes. Default: not-a-knot.",
	  "not-a-knot|natural" },
	{ OPT_OUTPUT, CMD_DECOMPOSE, "Where the result goes; the ending tells the "
	  "format: .h5, .npy, .mat, .csv; - is CSV on standard output. Default: STEM_COMMAND.h5 in "
	  "the working directory.", NULL },
	{ OPT_OUTPUT, CMD_PLOT, "Where the figure goes; the ending tells the format: .png, .svg, "
	  ".pdf. Default: STEM.png in the working directory.", NULL },
	{ OPT_QUIET, CMD_PLOT, "No summary; errors only.", NULL },
	{ OPT_PLOT, CMD_DECOMPOSE, "Also draw the result, as .png, .svg or .pdf.", NULL },
	{ OPT_PLOT, CMD_COMPARE, "Also draw the box plot of each mode's similarity over "
	  "channels and epochs, as .png, .svg or .pdf.", NULL },
	{ 0 }
};

static const cli_variant *
variant_of(const cli_option *o, unsigned command)
{
	const cli_variant *v = variants;
	while (v->id && (v->id != o->id || !(v->commands & command)))
		v++;
	return v->id ? v : NULL;
}

const char *
cli_option_text(const cli_option *o, unsigned command)
{
	const cli_variant *v = variant_of(o, command);
	return v ? v->text : o->text;
}

const char *
cli_option_choices(const cli_option *o, unsigned command)
{
	const cli_variant *v = variant_of(o, command);
	return v && v->choices ? v->choices : o->choices;
}

const cli_command *
cli_find_command(const char *name)
{
	for (const cli_command *c = cli_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

const cli_option *
cli_find_option(int id)
{
	for (const cli_option *o = cli_options; o->name; o++)
		if (o->id == id)
			return o;
	return NULL;
}

int
cli_choice(const char *choices, const char *text)
{
	char name[32];
	for (int n = 1;; n++) {
		cli_choice_name(choices, n, name);
		if (!name[0])
			return 0;
		if (strcmp(name, text) == 0)
			return n;
	}
}

void
cli_choice_name(const char *choices, int n, char name[32])
{
	name[0] = '\0';
	while (--n > 0) {
		choices = strchr(choices, '|');
		if (!choices)
			return;
		choices++;
	}
	size_t length = strcspn(choices, "|");
	if (n == 0 && length < 32) {
		memcpy(name, choices, length);
		name[length] = '\0';
	}
}
