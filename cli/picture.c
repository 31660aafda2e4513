/* picture.c - kinds of pictures. */
#include "picture.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "plot/text.h"
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
	return d->kept.failed ? WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure",
	                                 d->path) : WS_OK;
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
cli_picture_unit(const char *unit, char text[32])
{
	wsi_text_unit(text, 32, unit);
	return *text ? text : strcpy(text, "unit");
}
