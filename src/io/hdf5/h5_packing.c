/*
 * h5_packing.c - what the numbers of an array in HDF5 are: by attributes as netCDF has them, or as
 * a series of NWB has them.
 */
#include "io/hdf5/h5_packing.h"

#include <math.h>
#include <stdlib.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_rate.h"

/* Of a series of NWB, the factor of each channel. */
static ws_status
take_gains(wsi_recording *rec, hid_t series, wsi_h5_packing *p)
{
	hid_t array;
	ws_status status = wsi_h5_open_beside(rec, series, "channel_conversion", &array);
	if (status == WS_OK && array >= 0) {
		if (!(p->gains = calloc(rec->n_channels, sizeof *p->gains)))
			status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for its channels", rec->path);
		else if (!wsi_h5_read_values(array, rec->n_channels, p->gains))
			status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: its channel_conversion is not "
			                  "a number for each of %zu channels", rec->path,
			                  rec->n_channels);
	}
	wsi_h5_close(array);
	return status;
}

/* The number that unwritten samples of netCDF have, where no attribute says another. */
static void
take_default_fill(hid_t data, wsi_h5_packing *p)
{
	size_t bytes = 0;
	H5D_fill_value_t defined;
	const hid_t made = H5Dget_create_plist(data);
	if (wsi_h5_class(data, &bytes) != H5T_NO_CLASS && bytes > 1
	    && H5Pfill_value_defined(made, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED
	    && H5Pget_fill_value(made, H5T_NATIVE_DOUBLE, &p->fill[0]) < 0)
		p->fill[0] = NAN;
	wsi_h5_close(made);
}

ws_status
wsi_h5_take_packing(wsi_recording *rec, hid_t file, hid_t data, wsi_h5_packing *p)
{
	const hid_t series = wsi_h5_series_of(data);
	const bool nwb = series >= 0;
	bool there[4], is_unsigned;
	size_t bytes = 0;
	const ws_status status = nwb ? take_gains(rec, series, p) : WS_OK;
	wsi_h5_close(series);
	WSI_TRY(status);
	p->factor = 1;
	p->offset = p->wrap = 0;
	p->fill[0] = p->fill[1] = NAN;
	WSI_TRY(wsi_h5_find_number(rec, data, nwb ? "conversion" : "scale_factor", &p->factor,
	                           &there[0]));
	WSI_TRY(wsi_h5_find_number(rec, data, nwb ? "offset" : "add_offset", &p->offset,
	                           &there[1]));
	WSI_TRY(wsi_h5_find_number(rec, data, "_FillValue", &p->fill[0], &there[2]));
	WSI_TRY(wsi_h5_find_number(rec, data, "missing_value", &p->fill[1], &there[3]));
	WSI_TRY(wsi_h5_text_is(data, rec->path, "_Unsigned", "true", &is_unsigned));
	if (is_unsigned && wsi_h5_class(data, &bytes) == H5T_INTEGER)
		p->wrap = ldexp(1, 8 * (int)bytes);
	if (!there[2] && H5Aexists(file, "_NCProperties") > 0)
		take_default_fill(data, p);
	p->packed = there[0] || there[1] || there[3] || p->wrap > 0 || !isnan(p->fill[0])
	            || p->gains;
	return WS_OK;
}

void
wsi_h5_unpack(const wsi_h5_packing *p, size_t channel, double *x, size_t n)
{
	const double factor = p->factor * (p->gains ? p->gains[channel] : 1);
	for (size_t i = 0; p->packed && i < n; ++i)
		x[i] = x[i] == p->fill[0] || x[i] == p->fill[1] ? NAN
		       : (x[i] < 0 ? x[i] + p->wrap : x[i]) * factor + p->offset;
}
