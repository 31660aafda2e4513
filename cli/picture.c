/* picture.c - what all kinds of pictures need: options that a kind has no use for are refused; the
 * line below the title. */
#include "picture.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "headings.h"
#include "options.h"
#include "wavesift/cwt.h"

size_t
cli_drawn_against(const cli_outcome *o)
{
	const bool coherence = strcmp(o->args->command.name, "coherence") == 0;
	const ws_cwt_opts *cwt = coherence ? o->opts : NULL;
	return cwt && cwt->against != WS_AGAINST_ALL ? (size_t)cwt->against : o->in->n_channels;
}

ws_status
cli_picture_look_check(const cli_args *args, const cli_picture *kind)
{
	static const char colours[] = "colours over time and frequency";
	const struct { const char *name; bool given, known; const char *what; } looks[] = {
		{ "clim", args->clim, kind->colours, colours },
		{ "period", args->period, kind->frequencies, "axis of frequencies" },
		{ "plot-smooth", args->smooth, kind->colours, colours },
		{ "db", args->db, kind->decibels, "powers" },
	};
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
		if (looks[i].given && !looks[i].known)
			return WSI_FAIL(WS_E_ARG, "--%s means nothing for this figure, which has "
			                "no %s; leave it out, or choose another figure (--figure)",
			                looks[i].name, looks[i].what);
	return WS_OK;
}

ws_status
cli_drawn_check(const cli_drawn *d)
{
	return wsi_plot_kept(&d->kept, d->path);
}

/* The option that an item such as "mask_formula morlet:5" tells; NULL: it is other words. */
static const ws_option *
option_of(const char *item, size_t length, const cli_command *of)
{
	char name[64];
	const char *space = memchr(item, ' ', length);
	const size_t n = space ? (size_t)(space - item) : length;
	snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, item);
	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return cli_find_option(of, name, strlen(name));
}

static bool
is_given(const ws_option *o, const char *command)
{
	char name[72], letter[4];
	snprintf(name, sizeof name, " --%s", o->name);
	snprintf(letter, sizeof letter, " -%c", cli_option_letter(o) ? cli_option_letter(o) : ' ');
	const char *at = strstr(command, name);
	return (at && strchr(" =", at[strlen(name)]))
	       || (cli_option_letter(o) && strstr(command, letter));
}

/* Takes off what is as it is by default; names of options are told in words. */
static void
keep_given(char *text, const cli_command *of, const char *command)
{
	char *to = text;
	for (char *at = text, *end; *at; at = end) {
		end = strstr(at, ", ");
		end = end ? end + 2 : at + strlen(at);
		const ws_option *o = option_of(at, (size_t)(end - at), of);
		if (at == text && !o)
			return;
		/* The other channel stands above each picture. */
		if (at > text && o && (!is_given(o, command) || strcmp(o->name, "against") == 0))
			continue;
		for (char *c = at; o && c < end && *c != ' '; c++)
			*c = *c == '_' ? ' ' : *c;
		memmove(to, at, (size_t)(end - at));
		to += end - at;
	}
	*to = '\0';
	if (to - text > 2 && strcmp(to - 2, ", ") == 0)
		to[-2] = '\0';
}

const char *
cli_picture_subtitle(const char *options, const cli_command *of, const char *command,
                     wsi_frequency_unit unit, int epoch, char text[320])
{
	wsi_axis_range_in(text, 320, options, unit);
	if (command && *command)
		keep_given(text, of, command);
	const size_t used = strlen(text);
	if (epoch)
		snprintf(text + used, 320 - used, "%sepoch %d", used ? ", " : "", epoch);
	return text;
}

void
cli_picture_tell_channels(char text[320], size_t shown, size_t all)
{
	const size_t used = strlen(text);
	if (shown > 0 && shown < all)
		snprintf(text + used, 320 - used, "%s%zu of %zu channels", used ? ", " : "", shown,
		         all);
}
