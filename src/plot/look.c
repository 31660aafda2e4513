/* look.c - how an array of time and frequency is drawn. */
#include "plot/look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/element.h"

bool
wsi_look_called(const ws_array *a, const char *name)
{
	const size_t n = strlen(name);
	return strncmp(a->name, name, n) == 0
	       && (!a->name[n] || (a->flags & WS_ARRAY_OWN_AXES && a->name[n] == '_'));
}

bool
wsi_look_of_lines(const ws_array *a)
{
	return strcmp(a->name, "shuffled_significance") == 0 || strcmp(a->name, "cluster_p") == 0;
}

/* ---- Columns -------------------------------------------------------------------------------- */

/* Element t of a row, of complex ones the magnitude. */
static float
value_at(const void *row, ws_type type, size_t t)
{
	const float *f = row;
	const double *d = row;
	switch (type) {
	case WS_C64:  return hypotf(f[2 * t], f[2 * t + 1]);
	case WS_C128: return (float)hypot(d[2 * t], d[2 * t + 1]);
	default:      return (float)wsi_real_at(row, type, t);
	}
}

void
wsi_look_average(const void *row, const ws_array *a, size_t columns, float *out)
{
	const size_t n = a->extent[2];
	const bool phase = wsi_look_called(a, "phase"), of_masks = a->axis[1] == WS_AXIS_MASK;
	for (size_t c = 0; c < columns; c++) {
		const size_t from = c * n / columns, to = phase ? from + 1 : (c + 1) * n / columns;
		double sum = 0;
		for (size_t t = from; t < to; t++)
			sum += of_masks ? fabsf(value_at(row, a->type, t))
			       : value_at(row, a->type, t);
		out[c] = (float)(sum / (double)(to - from));
	}
}

void
wsi_look_spread(const void *row, const ws_array *a, size_t every, size_t samples, size_t skipped,
                size_t columns, float *out)
{
	const size_t n = a->extent[2], base = skipped / every;
	const bool phase = wsi_look_called(a, "phase");
	for (size_t c = 0; c < columns; c++) {
		const size_t first = (skipped + c * samples / columns + every - 1) / every - base;
		const size_t end = (skipped + (c + 1) * samples / columns + every - 1) / every
		                   - base;
		double sum = 0;
		if (end > first && (phase || end > first + 1)) {
			for (size_t t = first; t < (phase ? first + 1 : end); t++)
				sum += value_at(row, a->type, t);
			out[c] = (float)(sum / (double)(phase ? 1 : end - first));
			continue;
		}
		const double at = ((double)(skipped % every) + ((double)c + 0.5) * (double)samples
		                   / (double)columns) / (double)every;
		const size_t low = at < (double)(n - 1) ? (size_t)at : n - 1;
		const size_t next = low + 1 < n ? low + 1 : low;
		const double share = phase ? 0 : at - (double)low < 1 ? at - (double)low : 1;
		out[c] = (float)((1 - share) * value_at(row, a->type, low)
		                 + share * value_at(row, a->type, next));
	}
}

void
wsi_look_extremes(const void *row, ws_type type, size_t n, size_t columns, float *out)
{
	float *low = out, *high = low + columns;
	for (size_t c = 0; c < columns; c++) {
		low[c] = INFINITY;
		high[c] = -INFINITY;
		for (size_t t = c * n / columns; t < (c + 1) * n / columns; t++) {
			const float v = value_at(row, type, t);
			low[c] = fminf(low[c], v);
			high[c] = fmaxf(high[c], v);
		}
	}
}

/* ---- Colours and words ---------------------------------------------------------------------- */

/* Of Hilbert spectra. */
static void
choose_hilbert(const ws_hht_opts *hht, const char *array, wsi_scalogram *figure)
{
	static const char *const quantities[][5] = {
		{ "", "power density", "power", "sum of a\u00b2", "sum of amplitude" },
		{ "", "total power density", "total power", "total a\u00b2", "total amplitude" },
		{ "", "evoked power density", "evoked power", "evoked a\u00b2",
		  "evoked amplitude" },
		{ "", "induced power density", "induced power", "induced a\u00b2",
		  "induced amplitude" },
	};
	const int average = *array == 't' ? 1 : *array == 'e' ? 2 : *array == 'i' ? 3 : 0;
	figure->quantity = quantities[average][hht->quantity];
	figure->reference = hht->quantity == WS_HHT_QUANTITY_DENSITY ? "/Hz" : "";
	figure->amplitude = hht->quantity == WS_HHT_QUANTITY_AMPLITUDE;
	figure->linear = hht->freqs.spacing == WS_SPACING_LINEAR;
	figure->colours = WSI_COLOURS_SPARSE;
}

void
wsi_look_choose(const ws_array *a, const ws_hht_opts *hht, ws_baseline baseline,
                wsi_scalogram *figure)
{
	static const char *const changes[] = { NULL, "times the baseline", "dB over the baseline",
		"% over the baseline", "standard deviations over the baseline" };
	static const struct {
		const char *array, *quantity;
		wsi_scalogram_colours colours;
	} looks[] = {
		{ "coefficients", "magnitude", WSI_COLOURS_LINEAR },
		{ "power", "power", WSI_COLOURS_DECIBEL },
		{ "phase", "phase", WSI_COLOURS_CYCLE },
		{ "total_power", "total power", WSI_COLOURS_DECIBEL },
		{ "evoked_power", "evoked power", WSI_COLOURS_DECIBEL },
		{ "induced_power", "induced power", WSI_COLOURS_DECIBEL },
		{ "itc", "inter-trial coherence", WSI_COLOURS_LINEAR },
		{ "coherence", "coherence", WSI_COLOURS_LINEAR },
	};
	figure->quantity = wsi_type_complex(a->type) || a->axis[1] == WS_AXIS_MASK
	                   ? "magnitude" : wsi_look_called(a, "magnitude") ? "magnitude" : a->name;
	figure->colours = WSI_COLOURS_LINEAR;
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
		if (wsi_look_called(a, looks[i].array)) {
			figure->quantity = looks[i].quantity;
			figure->colours = looks[i].colours;
		}
	if (strcmp(a->name, "itc") == 0 || strcmp(a->name, "coherence") == 0)
		figure->unit = "";
	figure->shared = figure->unit != NULL;
	if (hht)
		choose_hilbert(hht, a->name, figure);
	if (baseline && (hht || strstr(a->name, "_power"))) {
		figure->colours = baseline == WS_BASELINE_RATIO ? WSI_COLOURS_LINEAR
		                  : WSI_COLOURS_SIGNED;
		figure->unit = changes[baseline];
		figure->reference = NULL;
	}
}

void
wsi_look_take_unit(wsi_scalogram *figure, float *const *values, char text[32])
{
	const wsi_frequency_unit unit = wsi_plot_unit(figure->of);
	if (!figure->reference || strcmp(figure->reference, "/Hz") != 0 || unit.name[0] != '/')
		return;
	snprintf(text, 32, " %s", unit.name + 1);
	figure->reference = text;
	for (size_t i = 0; i < figure->of->n_channels; i++)
		for (size_t k = 0; k < figure->n_frequencies * figure->columns; k++)
			values[i][k] = (float)(values[i][k] / unit.seconds);
}
