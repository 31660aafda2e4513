/* redraw_check.c - has a result on disk what its picture shows? */
#include <string.h>

#include "base/status.h"
#include "plot/look.h"
#include "redraw_check.h"
#include "wavesift/hht.h"

/* Arrays that a figure of hht asks for, by their numbers. */
static const struct {
	int figure;
	int arrays[6];           /* and a 0: the signal is in none */
} needs[] = {
	{ FIGURE_MARGINAL, { WS_HHT_MODE_COUNT, WS_HHT_MODE_ENERGY, WS_HHT_MARGINAL,
		WS_HHT_MODE_MARGINAL } },
	{ FIGURE_SIGNIFICANCE, { WS_HHT_MODE_COUNT, WS_HHT_MODE_ENERGY, WS_HHT_MEAN_PERIOD,
		WS_HHT_NOISE_LOW, WS_HHT_NOISE_HIGH } },
	{ FIGURE_CONNECTIVITY, { WS_HHT_MODE_COUNT, WS_HHT_MEAN_FREQUENCY, WS_HHT_PHASE_LOCKING,
		WS_HHT_AMPLITUDE_CORRELATION } },
	{ FIGURE_HOLOSPECTRUM, { WS_HHT_HOLOSPECTRUM } },
};

/* Has the file, of hht, what the figure that is asked for shows? */
static ws_status
check_hht(cli_redrawing *s)
{
	const char *path = s->in.rec->path;
	ws_hht_opts *opts = s->args.opts;
	if (strcmp(s->args.command.name, "hht") != 0)
		return WSI_FAIL(WS_E_ARG, "%s: is a result of %s; this --figure is of hht", path,
		                s->args.command.name);
	for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
		for (int i = 0; needs[k].figure == s->args.figure && needs[k].arrays[i]; i++)
			if (!s->arrays[needs[k].arrays[i]].from)
				return WSI_FAIL(WS_E_ARG, "%s: has not the arrays that this "
				                "--figure shows (hht --parts)", path);
	if (!s->arrays[WS_HHT_LIMITS_MEAN].from != !s->arrays[WS_HHT_LIMITS_DEVIATION].from)
		return cli_redraw_damaged(s, "limits_mean", "has no limits_deviation beside it");
	if (s->arrays[WS_HHT_P_ANY].from && (!s->arrays[WS_HHT_NOISE_MODEL].from ||
	                                     !s->arrays[WS_HHT_NOISE_SLOPE].from))
		return cli_redraw_damaged(s, "p_any",
		                          "has no noise_model or noise_slope beside it");
	if (s->in.samples != s->in.rec->channels[0].samples)
		return WSI_FAIL(WS_E_ARG, "%s: this --figure is of all times: leave --from and "
		                "--to out", path);
	if (!(opts->freqs.high > 0)
	    || (s->args.figure == FIGURE_HOLOSPECTRUM && !(opts->modulation_freqs.high > 0)))
		return cli_redraw_damaged(s, "freqs", "does not tell its range of frequencies");
	/* What it has was found to be there. */
	opts->parts = ~0;
	return WS_OK;
}

ws_status
cli_redraw_check(cli_redrawing *s)
{
	const cli_outputs *o = &s->outputs;
	if (s->args.figure != FIGURE_NOT_GIVEN)
		return check_hht(s);
	const ws_array *first = NULL;
	for (int i = 0; i < o->n; i++) {
		const ws_array *a = &o->arrays[i];
		s->arrays[i].drawn |= s->arrays[i].from && wsi_look_of_lines(a);
		if (!s->arrays[i].from || !(a->flags & WS_ARRAY_MAIN) || !cli_array_made(a))
			continue;
		first = first ? first : a;
		/* In colours are the first, or octaves; of rows all are drawn. */
		s->arrays[i].drawn = a == first || a->axis[1] == WS_AXIS_BAND
		                     || first->flags & a->flags & WS_ARRAY_OWN_AXES;
	}
	if (first)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: has no array that plot draws; other pictures of %s are "
	                "those of its own command (--plot)", s->in.rec->path, s->args.command.name);
}
