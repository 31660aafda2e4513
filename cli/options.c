/* options.c - the options of the program: a table, and what is found in it. */
#include "options.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "args.h"
#include "progress.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* ---- Options of the program ------------------------------------------------------ */

#define READS (CMD_INFO | CMD_TRANSFORM)
#define WRITES (CMD_TRANSFORM | CMD_PLOT)

#define SELECTING "Selecting"
#define READING "Reading"
#define RUNNING "Running"
#define OUTPUT "Output"
#define OTHER "Other"

/* Kind and place of an option. */
#define TEXT(field) WS_OPTION_TEXT, offsetof(cli_args, field), 0, 0, 0, NULL
#define FLAG(field) WS_OPTION_FLAG, offsetof(cli_args, field), 0, 0, 0, NULL
#define INT(field, low, high) WS_OPTION_INT, offsetof(cli_args, field), low, high, 0, NULL
#define MOMENT(field) WS_OPTION_REAL, offsetof(cli_args, field), -HUGE_VAL, HUGE_VAL, \
	DBL_TRUE_MIN, NULL
#define REAL(field) WS_OPTION_REAL, offsetof(cli_args, field), 0, HUGE_VAL, 0, NULL
#define CHOICE(field, ...) WS_OPTION_CHOICE, offsetof(cli_args, field), 0, 0, 0, \
	(const ws_choice[]){ __VA_ARGS__, { NULL, 0 } }

#define NUMBERED "counted from 1"
#define QUOTED \
	"A name that holds commas may be given as it is, or in double quotes, within which " \
	"nothing is a pattern. "

/* Where an option means something else in another command, it has another row. */
static const cli_own before[] = {
	{ 'c', SELECTING, { "channels", "LIST",
	    "Channels by name, pattern, number or range, " NUMBERED ": Cz,EEG*,1-4,7; or by type, "
	    "as names, formats and sidecars tell it: eeg, eog, ecg, emg, .. A ! takes away what "
	    "follows: 'eeg,!A1', or of all signals '!EOG*'. " QUOTED
	    "Default: every signal (status, trigger and annotation channels are none).",
	    TEXT(channels) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 'c', SELECTING, { "channels", "LIST",
	    "Channels by name, pattern, number or range, " NUMBERED ": Cz,EEG*,1-4,7. "
	    "Default: the first three; of spectra all.",
	    TEXT(channels) }, CMD_PLOT, VALUE_TEXT },
	{ 'c', SELECTING, { "channels", "LIST",
	    "Channels that both results have, by name, pattern, number or "
	    "range among them, " NUMBERED ": Cz,EEG*,1-4,7. Default: all of them.",
	    TEXT(channels) }, CMD_COMPARE, VALUE_TEXT },
	{ 'c', SELECTING, { "channels", "LIST",
	    "Channels of the result that may change, by name, pattern, number or range among them, "
	    NUMBERED ": Cz,EEG*,1-4,7. Default: all of them.",
	    TEXT(channels) }, CMD_RECONSTRUCT, VALUE_TEXT },
	{ 0, SELECTING, { "drop", "LIST",
	    "What to take off: modes (bands, masks) by number, 1,3-4,6-, or by frequency, 8:13 "
	    "(Hz): modes whose mean frequency, bands whose middle lies there; rest: what is in "
	    "none of them, such as the residue; all, none. For channels of their own: "
	    "CHANNELS=LIST, several set apart by ; as in 'Fp1,Fp2=5-;Cz=1'; channels that none "
	    "names stay as they are.", TEXT(drop) }, CMD_RECONSTRUCT, VALUE_TEXT },
	{ 0, SELECTING, { "keep", "LIST",
	    "Instead: what is left, likewise; the residue only where the list has rest.",
	    TEXT(keep) }, CMD_RECONSTRUCT, VALUE_TEXT },
	{ 0, SELECTING, { "bads", "FILE",
	    "Leave out channels whose status is bad in this table (BIDS _channels.tsv: columns "
	    "name, status, type and units, apart by tabs), also of those that --channels names. "
	    "Their types are taken, too, and units where the recording has none.", TEXT(bads) },
	  CMD_TRANSFORM, VALUE_TEXT },
	{ 0, SELECTING, { "sidecars", "WHEN",
	    "Tables of BIDS beside a recording called sub-.._eeg.edf and the like, _channels.tsv "
	    "and _events.tsv: take them as --bads and --events (auto, default), or not (never).",
	    CHOICE(no_sidecars, { "auto", 0 }, { "never", 1 }) }, READS, 0 },
	{ 0, SELECTING, { "from", "TIME",
	    "First moment, itself included. A plain number is in seconds, whatever a table "
	    "counts time in; others have a unit: 250ms, 1.5h, 1850y (us, ms, s, min, h, d, y). "
	    "Where the recording tells when it begins, or counts years, a date will do: "
	    "1965-01-01, 2009-08-24T00:20:03. "
	    "Times of a table and of epochs are those that it gives them, from where wavesift "
	    "info says; other recordings begin at 0. Of a recording with pauses they lie inside "
	    "one segment (--segment). Without a sampling rate times count samples. A part of bands "
	    "has what the whole would have there: what lies about it is read too, up to pauses "
	    "and the ends; other commands cut it off.",
	    TEXT(from) }, WRITES, VALUE_MOMENT },
	{ 0, SELECTING, { "to", "TIME", "Last moment, itself excluded; as for --from.",
	    TEXT(to) }, WRITES, VALUE_MOMENT },
	{ 0, SELECTING, { "segment", "N",
	    "Of a recording that was interrupted, this segment, " NUMBERED ": what lies between "
	    "two pauses. wavesift info lists them. Its times are those of the recording.",
	    INT(segment, 1, 1 << 30) }, CMD_TRANSFORM, 0 },
	{ 0, SELECTING, { "gaps", "HOW",
	    "Pauses of a recording: refuse to analyse across one (default), or join the segments "
	    "as if there were none; then times count samples alone.",
	    CHOICE(join, { "refuse", 0 }, { "join", 1 }) }, CMD_TRANSFORM, 0 },
	{ 0, SELECTING, { "epochs", "LIST",
	    "Epochs of an epoched recording, by number or range, " NUMBERED ". Each is taken by "
	    "itself; a figure shows the first. Default: all.",
	    TEXT(epochs) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, SELECTING, { "epochs", "LIST",
	    "The epoch to draw, by its number in the recording. Default: the first of the result.",
	    TEXT(epochs) }, CMD_PLOT, VALUE_TEXT },
	{ 0, SELECTING, { "epochs-at", "EVENT",
	    "Cut epochs from a continuous recording around these of its events, by label or "
	    "pattern: square,rt*. wavesift info lists them. " QUOTED "Epochs that are not whole, "
	    "or that a pause cuts, are left out.", TEXT(epochs_at) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, SELECTING, { "tmin", "S",
	    "Where these epochs begin, in seconds from the sample of the event, which is time 0; "
	    "rounded to whole samples. Default: -0.5. Of a file of "
	    "epochs: the time of their first sample, over what the file says.",
	    MOMENT(tmin) }, CMD_TRANSFORM, 0 },
	{ 0, SELECTING, { "tmax", "S",
	    "Where they end, that moment excluded. Default: 1.", MOMENT(tmax) }, CMD_TRANSFORM, 0 },
	{ 0, SELECTING, { "average", NULL,
	    "Instead of the result of each epoch the mean over all of them, moment by moment, of "
	    "the signal and of each mode or band, and half of its 95 % interval (Student's t, "
	    "epochs taken for independent), NAME_interval, which figures shade. Modes are averaged "
	    "by number, where an epoch has fewer as zeros; how far a number is one rhythm is told.",
	    FLAG(average) }, CMD_ROWS, 0 },
	{ 0, SELECTING, { "nan", "HOW",
	    "Samples that are not finite: refuse the input (default), or interpolate gaps "
	    "of up to 1 s or 10 samples, whichever is longer, by a straight line; "
	    "interpolate:LENGTH those of up to this time, such as interpolate:0.5 or "
	    "interpolate:3d (without a sampling rate so many samples).",
	    REAL(interpolate) }, CMD_TRANSFORM, VALUE_GAP },

	{ 0, SELECTING, { "missing", "LIST",
	    "Numbers that stand for samples that were not taken, such as -9999 or 99,999; --nan "
	    "decides what becomes of them.", TEXT(missing) }, CMD_TRANSFORM, VALUE_TEXT },

	{ 0, READING, { "fs", "HZ",
	    "Sampling rate, over what the file says; slow ones such as 12/y or 24/d (min, h, d, "
	    "y).",
	    TEXT(fs) }, READS, VALUE_RATE },
	{ 0, READING, { "resample", "RATE",
	    "Bring the channels selected to one sampling rate before all else: in Hz, or the "
	    "lowest or highest among them. By band-limited interpolation: tones up to 0.91 of half "
	    "the slower rate keep amplitude and phase, what lies above half of it is taken off "
	    "(120 dB); times and events stay. Without it channels that differ in rate are refused.",
	    REAL(resample) }, CMD_TRANSFORM, VALUE_NEW_RATE },
	{ 0, READING, { "rereference", "average|LIST",
	    "Set channels against another reference than they were recorded with: the average of "
	    "themselves, or the mean of the channels that LIST names (as --channels does), which "
	    "need not be selected. Meant are those that are known to be EEG, or where none is, all "
	    "that are selected. Modes depend on the reference, and BioSemi's files have none.",
	    TEXT(rereference) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, READING, { "unit-variance", NULL,
	    "Divide each signal, of epochs each epoch's, by its standard deviation. Results are in "
	    "units of it (SD); memd has --standardize besides, whose modes keep the recording's.",
	    FLAG(unit_variance) }, CMD_TRANSFORM, 0 },
	{ 0, READING, { "date-order", "ORDER",
	    "How a table's dates such as 03/04/2020 are meant: dmy, mdy or ymd. Needed only where "
	    "none of them settles it.",
	    CHOICE(date_order, { "dmy", 1 }, { "mdy", 2 }, { "ymd", 3 }) }, READS | CMD_RECONSTRUCT,
	  0 },
	{ 0, READING, { "events", "FILE",
	    "Events from a file of their own, in place of those of the recording: a table with "
	    "columns onset, duration and label (BIDS _events.tsv, CSV, Audacity's labels; seconds "
	    "from the first sample, or dates), or a recording that has events, such as a hypnogram "
	    "in EDF+.",
	    TEXT(events) }, READS, VALUE_TEXT },
	{ 0, READING, { "events-from", "CHANNEL",
	    "Take events from this channel of triggers, by name or number, instead of those that "
	    "the recording has: wherever its value becomes another than the one it rests at.",
	    TEXT(events_from) }, READS, VALUE_TEXT },
	{ 0, READING, { "raw", "LAYOUT",
	    "Read raw binary: f32,channels=32,order=channel (or order=sample), also skip=BYTES, "
	    "endian=big; types i8, i16, i32, u8, u16, u32, f32, f64.",
	    TEXT(raw) }, READS | CMD_RECONSTRUCT, VALUE_TEXT },
	{ 0, READING, { "variable", "NAME",
	    "The array to take from a MAT, HDF5 or NPZ file; of MAT also a part of a struct or "
	    "cell, such as s.x, s(2).x or data.trial{3}. Several, apart by commas, are the "
	    "channels of one recording: left,right.",
	    TEXT(variable) }, READS, VALUE_TEXT },
};

/* Those of the transform come between. */
static const cli_own after[] = {
	{ 0, RUNNING, { "device", "WHERE",
	    "Where to compute: cpu; cuda, the first usable GPU; cuda:LIST, GPUs by number, such as "
	    "cuda:1 or cuda:0,2, which share the work; auto (default), the first GPU "
	    "where there is one and the work is worth it, else the CPU. Decompositions are the "
	    "same to the last bit, and so are their Hilbert spectra; wavelets and convolutions by "
	    "Fourier transforms are the same to rounding.",
	    CHOICE(device, { "auto", 0 }, { "cpu", 0 }, { "cuda", 0 }) }, CMD_TRANSFORM,
	  VALUE_TEXT },
	{ 0, RUNNING, { "device-memory", "SIZE",
	    "Most memory to use of each GPU. Default: 90 % of what is free.",
	    TEXT(device_memory) }, CMD_TRANSFORM, VALUE_SIZE },
	{ 't', RUNNING, { "threads", "T",
	    "Default: the processors this process may use. Changes no bit of the result.",
	    INT(threads, 1, 4096) }, CMD_TRANSFORM, 0 },
	{ 0, RUNNING, { "precision", "TYPE", 
	    "Type of the arithmetic. Default: f64, of cwt, bands, trials and coherence f32.",
	    CHOICE(precision, { "f64", WS_F64 }, { "f32", WS_F32 }) }, CMD_TRANSFORM, 0 },
	{ 0, RUNNING, { "memory", "SIZE",
	    "Most memory of this machine to use, such as 4G or 500M. Default: 80 % of "
	    "what is free.", TEXT(memory) }, CMD_ALL & ~CMD_DEVICES, VALUE_SIZE },
	{ 0, RUNNING, { "dry-run", NULL,
	    "Print plan, memory, and expected time and size of the result; read no samples, write "
	    "nothing.",
	    FLAG(dry_run) }, CMD_TRANSFORM, 0 },
	{ 0, RUNNING, { "strict", NULL,
	    "Fail with status 6, writing nothing, where a mode reaches --max-sifts before its stop "
	    "rule holds.", FLAG(strict) }, CMD_EMD, 0 },
	{ 0, RUNNING, { "progress", "WHEN",
	    "Show the time left on standard error, even with --quiet. auto (default): on a "
	    "terminal, after 2 s.",
	    CHOICE(progress, { "auto", PROGRESS_AUTO }, { "always", PROGRESS_ALWAYS },
	           { "never", PROGRESS_NEVER }) }, CMD_TRANSFORM, 0 },

	{ 0, RUNNING, { "mpi", "WHEN",
	    "Several tasks that mpirun or srun has started work on one command together, each on a "
	    "part, and make one result (auto, default); never: each works alone, as it was told.",
	    CHOICE(mpi, { "auto", 0 }, { "never", 1 }) }, CMD_TRANSFORM, 0 },

	{ 0, RUNNING, { "resume", "[=verify]",
	    "Leave alone what is finished: a result (.h5) that these options made of these files, "
	    "by size, time of change and SHA-256 of each that was read; =verify reads them all, "
	    "without it one whose size and time are as they were is not read. What other contents "
	    "made is made anew; a result of other options is refused without --overwrite. Where "
	    "there is none it begins. Work that was stopped goes on with the blocks that are kept "
	    "in NAME.resume beside the result NAME (--checkpoint), to the same bits, also with "
	    "other --threads, --memory, GPUs or ranks; results by Fourier transforms on the same "
	    "kind of device.", TEXT(resume) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, RUNNING, { "checkpoint", "SECONDS",
	    "Keep finished blocks of channels, or of parts of them, in the folder NAME.resume "
	    "beside the result NAME until it is whole, so that --resume goes on after a crash, a "
	    "signal or a time limit. Blocks are cut so that each is expected to take no longer "
	    "than this, as far as the work can be cut: a channel of an ensemble cannot, nor can "
	    "one signal of memd. With --resume alone they are kept of work that takes more than a "
	    "minute, cut as memory asks.", REAL(checkpoint) }, CMD_TRANSFORM, VALUE_DURATION },
	{ 0, RUNNING, { "max-time", "TIME",
	    "Stop in time, such as 55min: begin no block that is not expected to end before this "
	    "much time has passed since the start, keep those that are finished as --checkpoint "
	    "does, and exit with status 75; --resume goes on. SIGUSR1 does so at once. Without "
	    "--checkpoint blocks are to take a quarter of it, or five minutes.",
	    REAL(max_time) }, CMD_TRANSFORM, VALUE_DURATION },

	{ 0, CLI_MANY, { "output-dir", "DIR",
	    "Analyse every INPUT, each by a process of its own, and write the results into this "
	    "folder, which is made where it is not there, as STEM_COMMAND.h5; recordings of one "
	    "name keep the folders that tell them apart. An INPUT may be a folder, which is "
	    "searched for recordings (by the endings of names; results and .txt are left out), or "
	    "@LIST, a file with a name on each line (@-: standard input). -o tells the ending "
	    "alone here, such as .npy; --plot, --cycle-table and --write-masks name folders, such "
	    "as figures or, with the ending, figures/.svg. Failures are told and the others are "
	    "finished; then the status is 7. A record of each is added to wavesift_COMMAND.jsonl "
	    "in DIR.", TEXT(output_dir) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 'j', CLI_MANY, { "jobs", "N",
	    "So many recordings at a time, which share threads, memory and GPUs. Default: 1.",
	    INT(jobs, 1, 4096) }, CMD_TRANSFORM, 0 },
	{ 0, CLI_MANY, { "subject", "LIST",
	    "Of a BIDS data set, whose root is INPUT, these subjects: 01,02 or sub-0*.",
	    TEXT(subject) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, CLI_MANY, { "session", "LIST", "These sessions of it, likewise.", TEXT(session) },
	  CMD_TRANSFORM, VALUE_TEXT },
	{ 0, CLI_MANY, { "task", "LIST", "These tasks.", TEXT(task) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, CLI_MANY, { "run", "LIST", "These runs; 1 is also 01.", TEXT(run) }, CMD_TRANSFORM,
	  VALUE_TEXT },
	{ 0, CLI_MANY, { "shard", "I/N",
	    "Of all these recordings the I-th of N shares, counted from 1, which are alike in "
	    "size; or slurm: that of the task of an array 1-N. The share depends on names and "
	    "sizes of all recordings only, so tasks need not know of each other.",
	    TEXT(shard) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, CLI_MANY, { "on-error", "HOW",
	    "When a recording fails: continue with the others (default), or stop: start no other.",
	    CHOICE(stop_on_error, { "continue", 0 }, { "stop", 1 }) }, CMD_TRANSFORM, 0 },

	{ 'o', OUTPUT, { "output", "FILE",
	    "Where the result goes; the ending tells the format: .h5, .npy, .mat, .csv; - is CSV "
	    "on standard output. Default: STEM_COMMAND.h5 in the working directory.",
	    TEXT(output) }, CMD_TRANSFORM, VALUE_OUTPUT },
	{ 'o', OUTPUT, { "output", "FILE",
	    "Where the figure goes; the ending tells the format: .png, .svg, "
	    ".pdf. Default: STEM.png in the working directory.",
	    TEXT(output) }, CMD_PLOT, VALUE_OUTPUT },
	{ 'o', OUTPUT, { "output", "FILE",
	    "Where the recording goes, with the ending that it has; of BrainVision the header, "
	    "beside which the others get its name. Default: STEM_reconstruct and that ending, in "
	    "the working directory.", TEXT(output) }, CMD_RECONSTRUCT, VALUE_OUTPUT },
	{ 0, OUTPUT, { "rescale", NULL,
	    "Where a sample is beyond what a channel of EDF or BDF can hold: widen its scale, so "
	    "that all its samples are rounded to coarser steps, instead of refusing.",
	    FLAG(rescale) },
	  CMD_RECONSTRUCT, 0 },
	{ 0, OUTPUT, { "overwrite", NULL, "Replace files that exist; their mode and owner stay, "
	    "and a link stays a link.", FLAG(overwrite) }, CMD_ALL & ~CMD_DEVICES, 0 },
	{ 0, OUTPUT, { "match", NULL,
	    "Match the modes of each signal in their order, not by number: a mode of A may equal "
	    "one of B that has another number, several neighbours of it added up, or nothing, and "
	    "the other way round. Modes of memd are matched once for all channels.",
	    FLAG(match) }, CMD_COMPARE, 0 },
	{ 0, READING, { "verify", NULL,
	    "Of a result (.h5): read all of it and compare every piece with the checksum with "
	    "which it was written, instead of telling what it holds.",
	    FLAG(verify) }, CMD_INFO, 0 },
	{ 0, OUTPUT, { "compress", NULL, "Deflate .h5 and .mat results.",
	    FLAG(compress) }, CMD_TRANSFORM, 0 },
	{ 0, OUTPUT, { "store", "TYPE",
	    "Type of the stored samples. Default: that of --precision.",
	    CHOICE(store, { "f64", WS_F64 }, { "f32", WS_F32 }) }, CMD_TRANSFORM, 0 },
	{ 0, OUTPUT, { "plot", "FILE", "Also draw the result, as .png, .svg or .pdf.",
	    TEXT(plot) }, CMD_TRANSFORM, VALUE_OUTPUT },
	{ 0, OUTPUT, { "plot", "FILE",
	    "Also draw the box plot of each mode's similarity over channels and epochs, as .png, "
	    ".svg or .pdf.", TEXT(plot) }, CMD_COMPARE, VALUE_OUTPUT },
	{ 0, OUTPUT, { "report", "FILE.html",
	    "Also write one page that needs no other file: figures, summary, warnings, events, "
	    "options and provenance, how to cite. With --output-dir it names a folder, in which "
	    "index.html has a link to each report.",
	    TEXT(report) }, CMD_INFO | CMD_TRANSFORM | CMD_PLOT | CMD_COMPARE | CMD_RECONSTRUCT,
	  VALUE_OUTPUT },
	{ 0, OUTPUT, { "cycle-table", "FILE.csv",
	    "Also write a table of the cycles of all modes: when, how long, how fast, how strong, "
	    "and their shape.", TEXT(cycles) }, CMD_HHT, VALUE_OUTPUT },
	{ 0, OUTPUT, { "plot-channels", "LIST",
	    "Channels of that figure, among those selected. Default: the first three; of "
	    "spectra all.", TEXT(plot_channels) }, CMD_TRANSFORM, VALUE_TEXT },
	{ 0, OUTPUT, { "events-shown", "LIST",
	    "Events that figures mark, by label or pattern: go,S*; none: no event. Those whose "
	    "labels would touch are counted under one. Default: all within the times drawn.",
	    TEXT(events_shown) }, WRITES, VALUE_TEXT },
	{ 0, OUTPUT, { "clim", "LO:HI",
	    "The numbers, as the colour bar has them, of the first and of the last colour of a "
	    "figure over time and frequency, in all panels: 0:0.6. Default: as each panel needs; "
	    "of coherences from 0 on, the same in all; the lowest twentieth and the highest 0.2 % "
	    "of what the ends of the recording do not reach share the outer colours.",
	    TEXT(clim) }, CMD_COLOURS | CMD_PLOT, VALUE_TEXT },
	{ 0, OUTPUT, { "db", "[=off]",
	    "Colours of a figure over time and frequency in decibels, or powers of bands; =off: "
	    "never. Default: of powers, and of magnitudes whose largest are 40 times their median; "
	    "of powers of bands where the largest is 40 times the mean.",
	    TEXT(db) }, CMD_COLOURS | CMD_BANDS | CMD_PLOT, VALUE_TEXT },
	{ 0, OUTPUT, { "period", NULL,
	    "Tell periods instead of frequencies on the axis of a figure over frequency.",
	    FLAG(period) }, CMD_COLOURS | CMD_PLOT, 0 },
	{ 0, OUTPUT, { "plot-smooth", "TIME[:BINS]",
	    "Spread each cell of a figure of a Hilbert spectrum over its neighbours, by a Gaussian "
	    "whose standard deviations are this time, such as 0.1 or 50ms, and so many bins of "
	    "frequency (1): energy, before decibels, whose sum stays; not across pauses that were "
	    "joined. The result is left alone. Default: as it is.",
	    TEXT(smooth) }, CMD_HHT | CMD_PLOT, VALUE_TEXT },
	{ 0, OUTPUT, { "plot-modes", "LIST",
	    "Modes of a figure of modes or of their spectra, by number, " NUMBERED ", and residue: "
	    "2-6,residue. Default: all.", TEXT(plot_modes) }, CMD_EMD | CMD_PLOT, VALUE_TEXT },
	{ 0, OUTPUT, { "title", "TEXT",
	    "Title of a figure in place of its own; none: neither title nor subtitle, as where a "
	    "caption tells it.", TEXT(title) }, CMD_TRANSFORM | CMD_PLOT | CMD_COMPARE,
	    VALUE_TEXT },
	{ 0, OUTPUT, { "size", "WxH",
	    "Width and height of a page of a figure, with mm (default), cm, in, pt or px (1/96 "
	    "in): 180x120mm, 7x5in; a width alone: 88mm. Figures of many channels have several "
	    "pages: of a PDF pages, else below each other.",
	    TEXT(size) }, CMD_TRANSFORM | CMD_PLOT | CMD_COMPARE, VALUE_TEXT },
	{ 0, OUTPUT, { "dpi", "N", "Pixels per inch of a PNG. Default: 192.",
	    INT(dpi, 10, 2400) }, CMD_TRANSFORM | CMD_PLOT | CMD_COMPARE, 0 },
	{ 0, OUTPUT, { "figure", "WHAT",
	    "What a figure shows: signal, modes and residue of up to 256 channels on common scales "
	    "(modes, default), or the power spectra of each mode in all channels, whether they "
	    "hold the same frequencies and how they share the frequency axis (spectra).",
	    CHOICE(figure, { "modes", FIGURE_OWN }, { "spectra", FIGURE_SPECTRA }) },
	  CMD_EMD, 0 },
	{ 0, OUTPUT, { "figure", "WHAT",
	    "What a figure shows, of what the result has: signal, modes and residue of up to 256 "
	    "channels on common scales (modes); the power spectra of each mode in all channels "
	    "(spectra); colours over time and frequency (scalogram, or hilbert); of hht also "
	    "marginal, significance, connectivity and holospectrum, as wavesift hht --help says. "
	    "Default: modes, if there are any.",
	    CHOICE(figure, { "modes", FIGURE_OWN }, { "spectra", FIGURE_SPECTRA },
	           { "scalogram", FIGURE_COLOURS }, { "hilbert", FIGURE_COLOURS },
	           { "marginal", FIGURE_MARGINAL }, { "significance", FIGURE_SIGNIFICANCE },
	           { "connectivity", FIGURE_CONNECTIVITY },
	           { "holospectrum", FIGURE_HOLOSPECTRUM }) }, CMD_PLOT, 0 },
	{ 0, OUTPUT, { "figure", "WHAT",
	    "What a figure shows: the Hilbert spectrum (hilbert, default); the marginal spectrum "
	    "beside Welch's (marginal); the modes against white noise (significance); phase "
	    "locking and correlation of amplitudes of each mode between channels (connectivity); "
	    "energy over frequency and the frequency of its modulation (holospectrum).",
	    CHOICE(figure, { "hilbert", FIGURE_OWN }, { "marginal", FIGURE_MARGINAL },
	           { "significance", FIGURE_SIGNIFICANCE },
	           { "connectivity", FIGURE_CONNECTIVITY },
	           { "holospectrum", FIGURE_HOLOSPECTRUM }) }, CMD_HHT, 0 },
	{ 0, OUTPUT, { "figure", "WHAT",
	    "What a figure shows: the responses in colours, where masks have scales, else as rows "
	    "(responses, default), or up to 12 of the masks, and their spectra (masks).",
	    CHOICE(figure, { "responses", FIGURE_OWN }, { "masks", FIGURE_MASKS }) }, CMD_CONV,
	  0 },
	{ 0, OUTPUT, { "figure", "WHAT",
	    "What a figure shows: the result in colours over time and frequency (scalogram, "
	    "default), or the wavelets of up to 5 of its frequencies, in time and in frequency, "
	    "with their widths (wavelets).",
	    CHOICE(figure, { "scalogram", FIGURE_OWN }, { "wavelets", FIGURE_WAVELETS }) },
	  CMD_WAVELETS, 0 },
	{ 0, OUTPUT, { "write-masks", "FILE",
	    "Also write the masks, in f64, to a packed file (.h5) that --masks reads.",
	    TEXT(write_masks) }, CMD_CONV, VALUE_OUTPUT },
	{ 0, OUTPUT, { "json", NULL, "Print the summary as JSON.", FLAG(json) },
	  CMD_ALL & ~CMD_PLOT, 0 },
	{ 'q', OUTPUT, { "quiet", NULL,
	    "No summary and, unless --progress is given, no progress; errors only.",
	    FLAG(quiet) }, CMD_TRANSFORM, 0 },
	{ 'q', OUTPUT, { "quiet", NULL, "No summary; errors only.", FLAG(quiet) },
	  CMD_PLOT | CMD_RECONSTRUCT, 0 },
	{ 'v', OUTPUT, { "verbose", NULL, "Also print the plan, on standard error.",
	    FLAG(verbose) }, CMD_TRANSFORM, 0 },

	{ 'h', OTHER, { "help", NULL, "This text.", FLAG(help) }, CMD_ALL, 0 },
	{ 'V', OTHER, { "version", NULL, "The version.", FLAG(version) }, CMD_ALL, 0 },
};

/* The i-th of a table that a command has; or NULL, and *i is less by as many as there are. */
static const ws_option *
own_at(const cli_own *table, int n, const cli_command *c, int *i)
{
	for (int k = 0; k < n; k++)
		if ((table[k].commands & c->id) && (*i)-- == 0)
			return &table[k].option;
	return NULL;
}

const ws_option *
cli_option_at(const cli_command *c, int i)
{
	const ws_option *o = own_at(before, COUNT(before), c, &i);
	if (o)
		return o;
	for (int k = 0; c->transform && (o = ws_transform_option(c->transform, k)); k++)
		if (i-- == 0)
			return o;
	return own_at(after, COUNT(after), c, &i);
}

const ws_option *
cli_find_option(const cli_command *c, const char *name, size_t length)
{
	const ws_option *o;
	for (int i = 0; (o = cli_option_at(c, i)); i++)
		if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
			return o;
	return NULL;
}

/* Is it the name of an option of any command, with _ for -? */
static bool
is_option(const char *name, size_t length, char dashed[CLI_SHOWN])
{
	cli_command c;
	for (size_t i = 0; i < length; i++)
		dashed[i] = name[i] == '_' ? '-' : name[i];
	for (int i = 0; cli_command_at(i, &c); i++)
		if (cli_find_option(&c, dashed, length))
			return true;
	return false;
}

const char *
cli_dashed(const char *text, char shown[CLI_SHOWN])
{
	size_t n = 0;
	while (*text && n + 3 < CLI_SHOWN) {
		/* Within a word they are a file's. */
		const bool begins = n == 0 || strchr(" ('\"", shown[n - 1]);
		const size_t name = begins && *text == '`' ? strcspn(text + 1, " `") : 0;
		const char *end = name ? strchr(text + 1 + name, '`') : NULL;
		if (!end || n + (size_t)(end - text) + 3 > CLI_SHOWN ||
		    !is_option(text + 1, name, shown + n + 2)) {
			shown[n++] = *text++;
			continue;
		}
		memcpy(shown + n, "--", 2);
		n += 2 + name;
		for (text += 1 + name; text < end;)
			shown[n++] = *text++;
		text++;
	}
	shown[n] = '\0';
	return shown;
}

bool
cli_option_of_channel(const ws_option *o)
{
	return o->argument && strncmp(o->argument, "CHANNEL", 7) == 0;
}

const cli_own *
cli_option_own(const ws_option *o)
{
	for (int i = 0; i < COUNT(before) + COUNT(after); i++) {
		const cli_own *own = i < COUNT(before) ? &before[i] : &after[i - COUNT(before)];
		if (o == &own->option)
			return own;
	}
	return NULL;
}

bool
cli_option_is_written(const ws_option *o)
{
	const cli_own *own = cli_option_own(o);
	return own && own->value == VALUE_OUTPUT;
}

bool
cli_option_of_many(const ws_option *o)
{
	const cli_own *own = cli_option_own(o);
	return own && strcmp(own->heading, CLI_MANY) == 0;
}
