/* picture.c - kinds of pictures. */
#include "picture.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "wavesift/cwt.h"

size_t
cli_drawn_place(const cli_drawn *drawn, size_t channel)
{
	size_t i = 0;
	/* A number past the first epoch's channels is of a later epoch. */
	while (i < drawn->n && drawn->channels[i] != channel)
		i++;
	return i;
}

wsi_plot_data
cli_drawn_data(const cli_drawn *drawn, const wsi_input *in)
{
	return (wsi_plot_data){
		.source = in->rec->path, .n_channels = drawn->n,
		.samples = in->samples, .fs = in->fs, .fs_known = in->fs_known,
		.first_time = wsi_input_first_time(in), .time_unit = in->rec->time_unit,
		.start_time = wsi_input_start_time(in),
	};
}

size_t
cli_drawn_against(const cli_outcome *o)
{
	const bool coherence = strcmp(o->args->command.name, "coherence") == 0;
	const ws_cwt_opts *cwt = coherence ? o->opts : NULL;
	return cwt && cwt->against != WS_AGAINST_ALL ? (size_t)cwt->against - 1 : o->in->n_channels;
}

ws_status
cli_drawn_no_memory(const cli_drawn *drawn)
{
	return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", drawn->path);
}

const char *
cli_picture_subtitle(const char *options, wsi_frequency_unit unit, int epoch, char text[320])
{
	wsi_axis_range_in(text, 320, options, unit);
	const size_t used = strlen(text);
	if (epoch)
		snprintf(text + used, 320 - used, "%sepoch %d", used ? ", " : "", epoch);
	return text;
}

const char *
cli_outcome_subtitle(const cli_outcome *o, const wsi_provenance *p, char text[320])
{
	const wsi_input *in = o->in;
	return cli_picture_subtitle(p->options,
	                            wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples),
	                            cli_input_shown_epoch(in), text);
}

const char *
cli_outcome_title(const cli_outcome *o, const wsi_provenance *p, const char *what, char text[512])
{
	const size_t own = strlen(o->args->command.transform->title);
	snprintf(text, 512, "%s%s", what, strlen(p->title) > own ? p->title + own : "");
	return text;
}
