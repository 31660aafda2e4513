/*
 * capped.c - signals that have as many modes as there may be, although what is left of them
 * would make more.
 */
#include "base/element.h"
#include "transform/emd/emd.h"

/* Has a residue of n samples three extrema or more?  Steps of `level` or less are none. */
static bool
has_extrema(ws_type type, const void *x, size_t n, double level)
{
	int found = 0, way = 0;
	for (size_t i = 1; i < n && found < 3; ++i) {
		const double step = wsi_real_at(x, type, i) - wsi_real_at(x, type, i - 1);
		const int now = step > level ? 1 : step < -level ? -1 : 0;
		found += now && way && now != way;
		way = now ? now : way;
	}
	return found >= 3;
}

static double
range_of(ws_type type, const void *x, size_t n)
{
	double low = wsi_real_at(x, type, 0), high = low;
	for (size_t i = 1; i < n; ++i) {
		const double v = wsi_real_at(x, type, i);
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	return high - low;
}

/* Would a decomposition go on with this residue of a signal of that range? */
static bool
oscillates(const wsi_params *p, const void *residue, double range)
{
	const double resolution = p->type == WS_F32 ? 0x1p-21 : 0x1p-50;
	return has_extrema(p->type, residue, p->samples, range * resolution) &&
	       range_of(p->type, residue, p->samples) >= range * p->tiny_range;
}

void
wsi_emd_capped(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges)
{
	const ws_shape *shape = &plan->base.shape;
	if (!wsi_io_wants(io, WS_EMD_CAPPED))
		return;
	for (size_t c = 0; c < shape->channels; ++c) {
		const int32_t modes = *(int32_t *)wsi_io_row(io, WS_EMD_MODE_COUNT, c, 0);
		int32_t *capped = wsi_io_row(io, WS_EMD_CAPPED, c, 0);
		*capped = modes == plan->params.o.modes;
		if (*capped && io->on_device)
			*capped = -1;
		else if (*capped)
			*capped = oscillates(&plan->params, wsi_io_row(io, WS_EMD_RESIDUE, c, 0),
			                     ranges[c].high - ranges[c].low);
	}
}
