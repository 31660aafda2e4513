/* mode_figures.c - see mode_figures.h. */
#include "io/mode_figures.h"

#include "base/status.h"

const char *const wsi_figure_names[WSI_FIGURES] = {
	[WSI_FREQUENCY]            = "frequency",
	[WSI_BAND_LOW]             = "band_low",
	[WSI_BAND_HIGH]            = "band_high",
	[WSI_HALF_WAVES]           = "half_waves",
	[WSI_EFFECTIVE_HALF_WAVES] = "effective_half_waves",
	[WSI_CROSSING_FREQUENCY]   = "zero_crossing_frequency",
	[WSI_VARIANCE_SHARE]       = "variance_share",
};

ws_status
wsi_channel_figures(const void *modes, size_t n_modes, const void *residue, ws_type type,
                    size_t n, double fs, ws_mode_figures *figures)
{
	const size_t row_bytes = n * (type == WS_F64 ? sizeof(double) : sizeof(float));
	for (size_t m = 0; m <= n_modes; ++m) {
		figures[m].size = sizeof *figures;
		WSI_TRY(ws_mode_stats(m < n_modes ? (const char *)modes + m * row_bytes : residue,
		                      type, n, fs, &figures[m]));
	}
	return WS_OK;
}

double
wsi_variance_share(const ws_mode_figures *figures, size_t n_modes, size_t row)
{
	double largest = 0, sum = 0;
	for (size_t m = 0; m <= n_modes; ++m)
		largest = figures[m].deviation > largest ? figures[m].deviation : largest;
	if (!(largest > 0))
		return 0;
	/* By the largest, so that no square leaves the range. */
	for (size_t m = 0; m <= n_modes; ++m) {
		double d = figures[m].deviation / largest;
		sum += d * d;
	}
	double d = figures[row].deviation / largest;
	return d * d / sum;
}

static double
value(wsi_figure_kind kind, const ws_mode_figures *figures, size_t n_modes, size_t m)
{
	const ws_mode_figures *f = &figures[m];
	switch (kind) {
	case WSI_FREQUENCY:            return f->frequency;
	case WSI_BAND_LOW:             return f->band_low;
	case WSI_BAND_HIGH:            return f->band_high;
	case WSI_HALF_WAVES:           return (double)f->half_waves;
	case WSI_EFFECTIVE_HALF_WAVES: return f->effective_half_waves;
	case WSI_CROSSING_FREQUENCY:   return f->crossing_frequency;
	default:                       return wsi_variance_share(figures, n_modes, m);
	}
}

void
wsi_figure_values(wsi_figure_kind kind, const ws_mode_figures *figures, size_t n_modes,
                  double *out)
{
	for (size_t m = 0; m < n_modes; ++m)
		out[m] = value(kind, figures, n_modes, m);
}
