/* plot.c - what all figures of a decomposition refuse. */
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>

#include "base/status.h"

ws_status
wsi_plot_check(const wsi_plot_data *d, const char *path)
{
	WSI_TRY(wsi_sheet_check(path));
	if (d->n_channels == 0 || d->samples == 0)
		return WSI_FAIL(WS_E_ARG, "%s: nothing to draw: the selection is empty", path);
	if (d->fs_known && !(d->fs > 0 && isfinite(d->fs)))
		return WSI_FAIL(WS_E_ARG, "%s: the sampling rate must be positive, not %g", path,
		                d->fs);
	for (size_t c = 0; d->modes && c < d->n_channels; c++)
		if (d->modes[c] > WSI_MOST_MODES)
			return WSI_FAIL(WS_E_ARG, "%s: %zu modes of a channel do not fit in one "
			                "figure, which holds %d", path, d->modes[c],
			                WSI_MOST_MODES);
	double step = d->fs_known ? 1 / d->fs : 1;
	double last = d->first_time + (double)(d->samples - 1) * step;
	if (!(d->first_time + step > d->first_time && last + step > last && isfinite(last + step)))
		return WSI_FAIL(WS_E_FORMAT, "%s: its times, %g s apart from %g s on, are "
		                "too far from 0 to be told apart; give them another origin",
		                d->source, step, d->first_time);
	return WS_OK;
}

ws_status
wsi_plot_kept(const wsi_kept *kept, const char *path)
{
	return !kept->failed ? WS_OK
	       : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", path);
}

ws_status
wsi_plot_refuse(const wsi_plot_data *d, size_t channel, size_t row, size_t sample, double value,
                const char *done)
{
	char name[32];
	/* Samples count from 1 where they are told by number. */
	const double after = d->fs_known ? (double)sample / d->fs : (double)sample + 1;
	const double at = d->first_time + after;
	/* Far from 0 what tells one sample from the next. */
	const int digits = (int)fmin(fmax(log10(fabs(at) * d->fs + 1) + 2, 10), 16);
	if (row > 0 && d->labels)
		snprintf(name, sizeof name, "%s", d->labels[row - 1]);
	else
		snprintf(name, sizeof name, "mode %zu",
		         row > 0 && row <= d->modes[channel] ? wsi_plot_number(d, row) : row);
	return WSI_FAIL(WS_E_FORMAT, "%s: channel %s, %s: %g at %s%.*g%s cannot be %s; "
	                "mend the file or leave out the channel", d->source,
	                d->channel_names[channel], row == 0 ? "signal" : row > d->modes[channel]
	                ? "residue" : name, value, d->fs_known ? "" : "sample ", digits, at,
	                d->fs_known ? " s" : "", done);
}
