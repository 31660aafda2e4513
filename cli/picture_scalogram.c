/*
 * picture_scalogram.c - a transform whose main array has a frequency axis, in colours.
 *
 * What comes of the channels to be drawn is averaged to the columns of the picture.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/element.h"
#include "base/status.h"
#include "io/result/array_list.h"
#include "picture.h"
#include "plot/look.h"
#include "plot/smooth.h"
#include "times.h"
#include "values.h"
#include "wavesift/conv.h"

typedef struct colours {
	int array, arrays;       /* number of the array that is drawn, and how many are: octaves
	                            follow each other */
	size_t frequencies, columns; /* of all of them */
	double *frequency;       /* [frequencies] */
	float **values;          /* [channel]: [frequency][column] */
	double *cone;            /* [frequency] s; NULL: not known */
	float **contour;         /* [channel]: [frequency][column] values that noise seldom
	                            exceeds; NULL: not known */
	float **cluster;         /* likewise p of clusters */
	float **signal;          /* [channel]: [2][its columns], least and largest;
	                            NULL: not drawn */
	size_t signal_columns;
} colours;

/* Have the masks of an array different scales, and are its times within the signal? */
static bool
of_scales(const cli_outcome *o, int i)
{
	const ws_array *a = &o->outputs->arrays[i];
	const double *scale = o->outputs->axes[i * WS_MOST_AXES + 1];
	const ws_conv_opts *conv = o->args->opts;
	double low = HUGE_VAL, high = 0;
	if (a->axis[1] != WS_AXIS_MASK || (conv->masks && !conv->masks->scales)
	    || (conv->extent && conv->extent != WS_EXTENT_SAME))
		return false;
	for (size_t k = 0; k < a->extent[1]; k++) {
		low = fmin(low, scale[k]);
		high = fmax(high, scale[k]);
	}
	return low > 0 && high > low;
}

/* The array that is drawn; -1: this transform's picture is another. */
static int
find_array(const cli_outcome *o)
{
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		if (a->flags & WS_ARRAY_MAIN && a->rank == 3 && a->axis[2] == WS_AXIS_TIME
		    && a->extent[1] > 0 && a->type != WS_I32
		    && (a->axis[1] == WS_AXIS_FREQUENCY || of_scales(o, i)))
			return i;
	}
	return -1;
}

/* How many arrays from this one on are drawn as one: octaves. */
static int
arrays_from(const cli_outcome *o, int first)
{
	int n = 1;
	while (o->outputs->arrays[first].flags & WS_ARRAY_OWN_AXES && first + n < o->outputs->n
	       && o->outputs->arrays[first + n].flags & WS_ARRAY_OWN_AXES
	       && cli_array_made(&o->outputs->arrays[first + n]))
		n++;
	return n;
}

static const ws_array *
array_of(const colours *s, const cli_outcome *o)
{
	return &o->outputs->arrays[s->array];
}

/* Of whose family the transform is: its options; or NULL. */
static const void *
options_of(const cli_outcome *o, const char *family)
{
	const char *own = o->args->command.transform->family;
	return own && strcmp(own, family) == 0 ? o->opts : NULL;
}

/* Of Hilbert-Huang spectra the signal is drawn too, where there is one. */
static int
signal_array(const cli_outcome *o)
{
	for (int i = 0; options_of(o, "hht") && i < o->outputs->n; i++)
		if (o->outputs->arrays[i].flags & WS_ARRAY_SIGNAL
		    && cli_array_made(&o->outputs->arrays[i]))
			return i;
	return -1;
}

/* Of each channel so many numbers. */
static float **
new_rows(cli_drawn *d, size_t numbers)
{
	float **rows = CLI_DRAWN_NEW(d, d->n, float *);
	for (size_t i = 0; rows && i < d->n; i++)
		rows[i] = CLI_DRAWN_NEW(d, numbers, float);
	return rows;
}

/* How far the ends reach into sums by masks: of a Gaussian to where its square is 1/e, of others as
 * far as they have taps. */
static ws_status
reach_of_masks(colours *s, const cli_outcome *o, cli_drawn *d)
{
	const ws_conv_opts *conv = o->args->opts;
	const bool gaussian = !conv->mask_expression[0] && conv->mask_formula != WS_MASK_DOPPLER;
	s->cone = CLI_DRAWN_NEW(d, s->frequencies, double);
	WSI_TRY(cli_drawn_check(d));
	for (size_t k = 0; k < s->frequencies; k++)
		s->cone[k] = (conv->masks ? 0.5 * (double)conv->masks->lengths[k]
		              : s->frequency[k] * (gaussian ? M_SQRT2 : 8)) / o->in->fs;
	return WS_OK;
}

static ws_status
open_colours(void *state, const cli_outcome *o, cli_drawn *d)
{
	colours *s = state;
	const size_t samples = o->in->samples;
	s->array = find_array(o);
	s->arrays = arrays_from(o, s->array);
	for (int k = s->array; k < s->array + s->arrays; k++) {
		const ws_array *a = &o->outputs->arrays[k];
		s->frequencies += a->extent[1];
		s->columns = a->extent[2] > s->columns ? a->extent[2] : s->columns;
	}
	s->columns = s->columns < WSI_SCALOGRAM_COLUMNS ? s->columns : WSI_SCALOGRAM_COLUMNS;
	s->frequency = CLI_DRAWN_NEW(d, s->frequencies, double);
	WSI_TRY(cli_drawn_check(d));
	for (size_t k = (size_t)s->array, at = 0; k < (size_t)(s->array + s->arrays); k++) {
		const size_t rows = o->outputs->arrays[k].extent[1];
		memcpy(s->frequency + at, o->outputs->axes[k * WS_MOST_AXES + 1],
		       rows * sizeof *s->frequency);
		at += rows;
	}
	if (array_of(s, o)->axis[1] == WS_AXIS_MASK)
		WSI_TRY(reach_of_masks(s, o, d));
	s->values = new_rows(d, s->frequencies * s->columns);
	s->signal_columns = samples < WSI_SCALOGRAM_COLUMNS ? samples : WSI_SCALOGRAM_COLUMNS;
	if (signal_array(o) >= 0)
		s->signal = new_rows(d, 2 * s->signal_columns);
	return cli_drawn_check(d);
}

/* ---- While it runs ------------------------------------------------------------------------ */

/* How far the ends reach, where the transform tells it. */
static ws_status
take_cone(colours *s, const cli_outcome *o, cli_drawn *d, const ws_channel_result *r)
{
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		const ws_slab *slab = &r->slabs[i];
		if (strcmp(a->name, "cone") != 0 || a->rank != 1 || a->type != WS_F64
		    || a->extent[0] != s->frequencies || !slab->data)
			continue;
		if (!s->cone)
			s->cone = CLI_DRAWN_NEW(d, s->frequencies, double);
		WSI_TRY(cli_drawn_check(d));
		memcpy(s->cone + slab->first[0], slab->data, slab->extent[0] * sizeof *s->cone);
	}
	return WS_OK;
}

/* What noise seldom exceeds, of the quantity that is drawn, a number for a frequency or for each
 * cell, and p of clusters. */
static ws_status
take_lines(colours *s, size_t i, const cli_outcome *o, cli_drawn *d, const ws_channel_result *r)
{
	const ws_array *drawn = array_of(s, o);
	const bool root = wsi_look_called(drawn, "coefficients")
	                  || wsi_look_called(drawn, "magnitude");
	const bool fits = root || wsi_look_called(drawn, "power")
	                  || wsi_look_called(drawn, "coherence");
	for (int k = 0; k < o->outputs->n; k++) {
		const ws_array *a = &o->outputs->arrays[k];
		const ws_slab *slab = &r->slabs[k];
		const bool cells = wsi_look_of_lines(a);
		if (!slab->data || !fits || a->extent[1] != s->frequencies
		    || !(cells || (strcmp(a->name, "significance") == 0 && a->rank == 2
		                   && a->type == WS_F64)))
			continue;
		float ***to = strcmp(a->name, "cluster_p") == 0 ? &s->cluster : &s->contour;
		if (!*to)
			*to = new_rows(d, s->frequencies * s->columns);
		WSI_TRY(cli_drawn_check(d));
		for (size_t f = 0; f < slab->extent[0]; f++) {
			float *row = (*to)[i] + (slab->first[0] + f) * s->columns;
			if (cells) {
				wsi_look_average((const char *)slab->data + f * slab->extent[1]
				                 * wsi_type_size(a->type), a, s->columns, row);
				continue;
			}
			const double power = ((const double *)slab->data)[f];
			for (size_t c = 0; c < s->columns; c++)
				row[c] = (float)(root ? sqrt(power) : power);
		}
	}
	return WS_OK;
}

static ws_status
put(void *state, const cli_outcome *o, cli_drawn *d, size_t i, const ws_channel_result *r)
{
	colours *s = state;
	size_t rows = 0;         /* of the arrays before */
	const int signal = signal_array(o);
	for (int array = s->array; array < s->array + s->arrays; array++) {
		const ws_array *a = &o->outputs->arrays[array];
		const ws_slab *slab = &r->slabs[array];
		const size_t size = wsi_type_size(a->type);
		for (size_t k = 0; k < slab->extent[0]; k++) {
			const char *row = (const char *)slab->data + k * slab->extent[1] * size;
			const size_t every = o->outputs->every[array * WS_MOST_AXES + 2];
			float *to = s->values[i] + (rows + slab->first[0] + k) * s->columns;
			if (a->flags & WS_ARRAY_OWN_AXES)
				wsi_look_spread(row, a, every ? every : 1, o->in->samples,
				                o->skipped, s->columns, to);
			else
				wsi_look_average(row, a, s->columns, to);
		}
		rows += a->extent[1];
	}
	WSI_TRY(take_lines(s, i, o, d, r));
	if (s->signal)
		wsi_look_extremes(r->slabs[signal].data, o->outputs->arrays[signal].type,
		                  o->in->samples, s->signal_columns, s->signal[i]);
	return take_cone(s, o, d, r);
}

/* ---- Drawing -------------------------------------------------------------------------- */

/* LO:HI of --clim. */
static ws_status
take_range(const char *text, double range[2])
{
	char *end = NULL;
	if (!text)
		return WS_OK;
	range[0] = strtod(text, &end);
	const bool first = end > text && *end == ':';
	const char *second = first ? end + 1 : text;
	range[1] = strtod(second, &end);
	if (!first || end == second || *end || !isfinite(range[0]) || !isfinite(range[1])
	    || !(range[0] < range[1]))
		return WSI_FAIL(WS_E_ARG, "--clim %s: the numbers of the first and of the last "
		                "colour are needed, such as 0:0.6", text);
	return WS_OK;
}

/* What the line tells, behind the options. */
static const char *
tell_contour(const char *options, const ws_cwt_opts *cwt, bool clusters, cli_drawn *d)
{
	const size_t size = strlen(options) + 120;
	char *text = CLI_DRAWN_NEW(d, size, char);
	if (text)
		snprintf(text, size, "%s%sline: level %g, pointwise%s", options,
		         *options ? "; " : "", cwt->level,
		         clusters ? "; thick: clusters of p <= 0.05" : "");
	return text ? text : options;
}

/* Of what is compared "O2 and O1". */
static ws_status
name_pairs(const cli_outcome *o, cli_drawn *d, wsi_plot_data *of)
{
	const size_t against = cli_drawn_against(o);
	const char **names = CLI_DRAWN_NEW(d, d->n, const char *);
	for (size_t i = 0; names && against < o->in->n_channels && i < d->n; i++) {
		char *text = CLI_DRAWN_NEW(d, 128, char);
		if (text)
			snprintf(text, 128, "%.60s and %.60s", of->channel_names[i],
			         wsi_input_name(o->in, against));
		names[i] = text;
	}
	if (against < o->in->n_channels)
		of->channel_names = names;
	return cli_drawn_check(d);
}

/* TIME[:BINS] of --plot-smooth, in s, or samples without a rate, and in bins. */
static ws_status
parse_smooth(const char *text, double *time, double *bins)
{
	char first[64];
	const char *colon = text ? strchr(text, ':') : NULL;
	*time = *bins = 0;
	if (!text)
		return WS_OK;
	*bins = 1;
	snprintf(first, sizeof first, "%.*s", colon ? (int)(colon - text) : 63, text);
	if ((strcmp(first, "0") != 0 && !cli_parse_duration(first, time))
	    || (colon && !cli_parse_real(colon + 1, bins)) || !(*bins >= 0 && *bins <= 1000)
	    || !(*time > 0 || *bins > 0))
		return WSI_FAIL(WS_E_ARG, "--plot-smooth %s: a time and maybe a number of bins are "
		                "needed, such as 0.1 or 50ms:2", text);
	return WS_OK;
}

/* Columns of the picture that begin a segment, where pauses were joined; *n of them. */
static size_t *
cuts_of(const cli_outcome *o, const colours *s, cli_drawn *d, size_t *n)
{
	const wsi_input *in = o->in;
	size_t *cuts = CLI_DRAWN_NEW(d, in->joined + 1, size_t);
	*n = 0;
	for (size_t k = 1; cuts && k < in->joined; k++) {
		const size_t at = in->joins[k];
		if (at > in->first && at < in->first + in->samples)
			cuts[(*n)++] = (at - in->first) * s->columns / in->samples;
	}
	return cuts;
}

/* Smooths a Hilbert spectrum, of which the subtitle tells. */
static ws_status
smooth(colours *s, const cli_outcome *o, cli_drawn *d, const ws_hht_opts *hht, wsi_plot_data *of)
{
	double time, bins;
	char width[48];
	wsi_smoothing how = { 0 };
	WSI_TRY(parse_smooth(o->args->smooth, &time, &bins));
	if (!o->args->smooth)
		return WS_OK;
	if (!hht)
		return WSI_FAIL(WS_E_ARG, "--plot-smooth is for figures of Hilbert spectra, which "
		                "%s has none of", o->args->command.name);
	if (!o->run && strcmp(wsi_arrays_fact(o->in->rec, "gaps"), "join") == 0)
		return WSI_FAIL(WS_E_ARG, "--plot-smooth: %s does not tell where pauses were "
		                "joined; draw it by hht --plot", o->in->rec->path);
	double *widths = CLI_DRAWN_NEW(d, s->frequencies, double);
	const size_t size = strlen(of->subtitle) + 120;
	char *text = CLI_DRAWN_NEW(d, size, char);
	how.columns = time * of->fs * (double)s->columns / (double)of->samples;
	how.rows = bins;
	how.amplitude = hht->quantity == WS_HHT_QUANTITY_AMPLITUDE;
	how.cuts = cuts_of(o, s, d, &how.n_cuts);
	WSI_TRY(cli_drawn_check(d));
	/* Of densities over bins that widen with their frequency. */
	for (size_t f = 0; f < s->frequencies; f++)
		widths[f] = s->frequency[f];
	if (hht->quantity == WS_HHT_QUANTITY_DENSITY && hht->freqs.spacing != WS_SPACING_LINEAR)
		how.weight = widths;
	for (size_t i = 0; i < d->n; i++)
		WSI_TRY(wsi_smooth(s->values[i], s->frequencies, s->columns, &how));
	if (*of->title) {
		wsi_axis_duration(width, sizeof width, time, time, of->fs_known);
		wsi_snprintf(text, size, "%s; smoothed, standard deviations %s%s%g bin%s",
		             of->subtitle, width, *width ? " and " : "", bins,
		             bins == 1 ? "" : "s");
		of->subtitle = text;
	}
	return WS_OK;
}

/* --db and --period. */
static void
take_colours(const cli_args *args, wsi_scalogram *figure)
{
	const bool decibels = args->db && !*args->db;
	figure->linear_colours = args->db && *args->db;
	figure->periods = args->period && !figure->axis_title;
	if (decibels && figure->colours == WSI_COLOURS_LINEAR && !figure->unit) {
		figure->colours = WSI_COLOURS_DECIBEL;
		figure->amplitude = true;
	}
	if (figure->linear_colours && figure->colours == WSI_COLOURS_DECIBEL)
		figure->colours = WSI_COLOURS_LINEAR;
}

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	colours *s = state;
	const ws_array *a = array_of(s, o);
	const ws_cwt_opts *cwt = options_of(o, "cwt");
	const ws_hht_opts *hht = options_of(o, "hht");
	char per[32];
	wsi_scalogram figure = {
		.of = of, .n_frequencies = s->frequencies, .frequency = s->frequency,
		.cone = s->cone, .before = (double)o->skipped / of->fs,
		.after = (double)o->left / of->fs, .contour = (const float *const *)s->contour,
		.cluster = (const float *const *)s->cluster,
		.axis_title = a->axis[1] == WS_AXIS_MASK ? "scale (samples)" : NULL,
		.columns = s->columns, .values = (const float *const *)s->values,
		.signal = (const float *const *)s->signal, .signal_columns = s->signal_columns,
	};
	if (s->contour && cwt)
		of->subtitle = tell_contour(of->subtitle ? of->subtitle : "", cwt, s->cluster,
		                            d);
	WSI_TRY(take_range(o->args->clim, figure.range));
	WSI_TRY(smooth(s, o, d, hht, of));
	figure.fades = o->args->smooth;
	WSI_TRY(name_pairs(o, d, of));
	wsi_look_choose(a, hht, cwt ? cwt->baseline : hht ? hht->baseline : 0, &figure);
	wsi_look_take_unit(&figure, s->values, per);
	take_colours(o->args, &figure);
	return wsi_plot_scalogram(&figure, sheet);
}

static ws_status
check(const cli_outcome *o)
{
	double range[2], time, bins;
	WSI_TRY(take_range(o->args->clim, range));
	return parse_smooth(o->args->smooth, &time, &bins);
}

static bool
fits(const cli_outcome *o)
{
	return find_array(o) >= 0;
}

const cli_picture cli_picture_scalogram = {
	.figure = FIGURE_NOT_GIVEN, .colours = true, .decibels = true, .frequencies = true,
	.size = sizeof(colours), .fits = fits, .check = check,
	.check_page = wsi_plot_check, .open = open_colours, .put = put, .draw = draw,
};
