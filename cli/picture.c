/* picture.c - kinds of pictures. */
#include "picture.h"

#include <stdio.h>
#include <string.h>

#include "wavesift/cwt.h"

size_t
cli_drawn_against(const cli_outcome *o)
{
	const bool coherence = strcmp(o->args->command.name, "coherence") == 0;
	const ws_cwt_opts *cwt = coherence ? o->opts : NULL;
	return cwt && cwt->against != WS_AGAINST_ALL ? (size_t)cwt->against : o->in->n_channels;
}

ws_status
cli_drawn_check(const cli_drawn *d)
{
	return wsi_plot_kept(&d->kept, d->path);
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
