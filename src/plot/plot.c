/* plot.c - what all figures of a decomposition refuse. */
#include "plot/plot.h"

#include <math.h>

#include "base/status.h"
#include "plot/surface.h"

ws_status
wsi_plot_check(const wsi_plot_data *d, const char *path)
{
	WSI_TRY(wsi_surface_check(path));
	if (d->n_channels == 0 || d->samples == 0)
		return WSI_FAIL(WS_E_ARG, "%s: nothing to draw: the selection is empty", path);
	if (d->fs_known && !(d->fs > 0 && isfinite(d->fs)))
		return WSI_FAIL(WS_E_ARG, "%s: the sampling rate must be positive, not %g", path,
		                d->fs);
	return WS_OK;
}
