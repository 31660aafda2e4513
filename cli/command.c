/* command.c - the commands: those of the program, and one for each transform. */
#include "command.h"

#include <string.h>

#define LINES(...) (const char *const[]){ __VA_ARGS__, NULL }

static const cli_command look[] = {
	{ CMD_INFO, "info", "Look", "INPUT", 1, "what is in a recording or a result",
	  "Prints the format, the channels with their rates, units and lengths, the start and the "
	  "events of a recording, reading no samples. Of a result (.h5, .mat, .npy with the .json "
	  "beside it) also what it is of, by which command and options, its arrays, and numbers "
	  "and frequencies of its modes. Of a folder, with all folders in it, work that "
	  "was stopped (--checkpoint, --max-time), how far it is, and how it goes on.",
	  LINES("wavesift info night.edf\twhat is in this file",
	        "wavesift info night.edf --json\tthe same for programs",
	        "wavesift info night_iceemdan.mat\thow was this result made?",
	        "wavesift info night_cwt.h5 --verify\tis a result as it was written?",
	        "wavesift info results\twhat was stopped and did not go on?"), NULL },
	{ CMD_DEVICES, "devices", "Look", "", 0, "what this machine offers",
	  "Prints the processor, its instruction sets, the threads and the memory that wavesift "
	  "would use, and the GPUs with model, versions and memory, or why one cannot be used.",
	  LINES("wavesift devices"), NULL },
};

static const cli_command use[] = {
	{ CMD_PLOT, "plot", "Use results", "RESULT", 1, "draw a result",
	  "Draws signal, modes and residue of chosen channels of a result on one time "
	  "axis, without --channels of the first three; or the spectra of its modes in "
	  "all channels. Results of emd, eemd, ceemdan, iceemdan, memd and hht have modes. Of .h5 "
	  "results of cwt, superlets, bands, trials, coherence, hht and hhtrials it draws what "
	  "these commands draw by --plot, without computing it anew.",
	  LINES("wavesift plot night_iceemdan.h5 -o night.pdf --channels Cz",
	        "wavesift plot night_iceemdan.h5 -o detail.png --from 10 --to 12",
	        "wavesift plot night_iceemdan.h5 -o a.svg --size 180x120mm --title none\tfor a "
	        "page of a journal",
	        "wavesift plot night_iceemdan.h5 --figure spectra\tare modes aligned "
	        "between channels?",
	        "wavesift plot night_cwt.h5 --channels Cz --from 10 --to 12\ta part of a "
	        "scalogram"), NULL },
	{ CMD_COMPARE, "compare", "Use results", "A B", 2, "similarity of the modes of two results",
	  "Prints the similarity index (the correlation) of two results, mode by mode and channel "
	  "by channel, of more than 7 signals their summary: 1 is equal up to a factor. By "
	  "--match, modes that moved or were split are found.",
	  LINES("wavesift compare mine.h5 theirs.mat",
	        "wavesift compare a.h5 b.h5 --plot similarity.png\ta box plot over the channels",
	        "wavesift compare a.h5 b.h5 --match\tmodes in their order, not by number",
	        "wavesift compare a.h5 b.h5 --json\tfor programs"), NULL },
	{ CMD_RECONSTRUCT, "reconstruct", "Use results", "RESULT RECORDING", 2,
	  "a recording without some of its modes or bands",
	  "Writes the recording that a result was made of anew, in its own format, without the "
	  "modes that are dropped, or with those alone that are kept: EDF, BDF, BrainVision (all "
	  "three files), EEGLAB, WAV, NPY, CSV, raw binary. RESULT is an .h5 of emd, eemd, "
	  "ceemdan, iceemdan, memd or hht, of bands, or of conv with real masks. Nothing else "
	  "changes: not the header, events and other channels, nor, where the result is of a part "
	  "(--from, --to, --channels), what lies outside it. Samples become those of the recording "
	  "less what is dropped, rounded to the steps that the file has; so with nothing dropped "
	  "the file is the same. A recording whose samples are not those that were decomposed is "
	  "refused.",
	  LINES("wavesift reconstruct night_emd.h5 night.edf --drop 1 -o clean.edf\twithout the "
	        "fastest mode, in all channels of the result",
	        "wavesift reconstruct night_emd.h5 night.edf --drop 'Fp1,Fp2=5-,rest;Cz=45:55'\tby "
	        "channel: slow modes of two, those between 45 and 55 Hz of a third",
	        "wavesift reconstruct night_bands.h5 night.edf --keep 8:13\tthe alpha band alone"),
	  NULL },
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* Of a transform. */
static unsigned
id_of(const ws_transform *t)
{
	static const struct { const char *family; unsigned id; } families[] = {
		{ "emd", CMD_EMD }, { "hht", CMD_HHT }, { "conv", CMD_CONV },
	};
	static const char *const wavelets[] = { "cwt", "trials", "coherence" };
	const bool bands = strcmp(t->name, "bands") == 0;
	const bool rows = strcmp(t->family ? t->family : "", "emd") == 0 || bands;
	const unsigned any = CMD_TRANSFORM | (rows ? CMD_ROWS : CMD_COLOURS) | (bands
	                                                                        ? CMD_BANDS : 0);
	/* Averages over epochs have none of the arrays of their family. */
	for (int i = 0; t->family && !t->takes_epochs && i < COUNT(families); i++)
		if (strcmp(t->family, families[i].family) == 0)
			return any | families[i].id;
	for (int i = 0; i < COUNT(wavelets); i++)
		if (strcmp(t->name, wavelets[i]) == 0)
			return any | CMD_WAVELETS;
	return any;
}

bool
cli_command_at(int i, cli_command *c)
{
	int transforms = 0;
	while (ws_transform_at(transforms))
		transforms++;
	if (i < COUNT(look)) {
		*c = look[i];
		return true;
	}
	i -= COUNT(look);
	const ws_transform *t = ws_transform_at(i);
	if (t) {
		*c = (cli_command){ id_of(t), t->name, t->group, "INPUT..", 1, t->summary, t->text,
			t->examples, t };
		return true;
	}
	i -= transforms;
	if (i >= COUNT(use))
		return false;
	*c = use[i];
	return true;
}

bool
cli_find_command(const char *name, cli_command *c)
{
	for (int i = 0; cli_command_at(i, c); i++)
		if (strcmp(c->name, name) == 0)
			return true;
	return false;
}
