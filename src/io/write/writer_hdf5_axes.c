/* writer_hdf5_axes.c - the axes of HDF5 results, as dimension scales. */
#include <stdlib.h>

#include <hdf5_hl.h>

#include "base/crc32.h"
#include "io/hdf5/h5.h"
#include "io/write/writer_hdf5_axes.h"

static bool
is_channels(const wsi_result_header *h, const wsi_file_axis *axis)
{
	return axis->kind == WS_AXIS_CHANNEL ||
	       (axis->kind == WS_AXIS_PARTNER && axis->extent == h->channels);
}

/* The names of the channels, as a dataset. */
static hid_t
create_channel_axis(hid_t group, const wsi_result_header *h, const wsi_file_axis *axis)
{
	const hid_t type = wsi_h5_text_type();
	const herr_t code = wsi_h5_put_dataset(group, axis->name, type, type, h->channels,
	                                       h->channel_names);
	wsi_h5_close(type);
	return code < 0 ? -1 : H5Dopen2(group, axis->name, H5P_DEFAULT);
}

/* Numbers, written part by part: time can be long.  Their sums come of what is written, where that
 * lies in the file as in memory (type). */
static herr_t
write_numbers(hid_t dataset, const wsi_writer *w, const wsi_file_axis *axis, hsize_t n, hid_t type,
              hsize_t chunk, uint32_t *sums)
{
	const bool whole = H5Tequal(type, H5T_NATIVE_INT32) > 0;
	double *values = malloc(CHUNK * sizeof *values);
	int32_t *numbers = (int32_t *)(void *)values;
	hid_t file = H5Dget_space(dataset);
	herr_t code = values && file >= 0 ? 0 : -1;
	for (hsize_t first = 0, count; code >= 0 && first < n; first += count) {
		/* Not beyond the chunk that it begins in. */
		count = (first / chunk + 1) * chunk;
		count = (count < n ? count : n) - first;
		count = count < CHUNK ? count : CHUNK;
		for (hsize_t i = 0; i < count; ++i)
			if (whole)
				numbers[i] = (int32_t)wsi_axis_value(w, axis, first + i);
			else
				values[i] = wsi_axis_value(w, axis, first + i);
		sums[first / chunk] = wsi_crc32(sums[first / chunk], values, (size_t)count
		                                * (whole ? sizeof *numbers : sizeof *values));
		hid_t memory = H5Screate_simple(1, &count, NULL);
		code = H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &count, NULL);
		if (code >= 0)
			code = H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, values);
		H5Sclose(memory);
	}
	wsi_h5_close(file);
	free(values);
	return code;
}

/* The axis with its sums. */
static herr_t
put_numbers(hid_t dataset, const wsi_writer *w, const wsi_file_axis *axis, hsize_t n, hid_t type)
{
	h5_state *s = w->state;
	wsi_h5_chunks chunks;
	if (!wsi_h5_chunks_of(dataset, &chunks))
		return -1;
	const size_t first = wsi_h5_sums_add(&s->sums, chunks.count);
	if (first == SIZE_MAX)
		return -1;
	const herr_t code = write_numbers(dataset, w, axis, n, type, chunks.chunk[0],
	                                  s->sums.sums + first);
	return code < 0 ? code : wsi_h5_sums_attach(dataset, &chunks, first);
}

static hid_t
create_number_axis(hid_t group, const wsi_writer *w, const wsi_file_axis *axis, hsize_t n)
{
	const wsi_result_header *h = &w->header;
	const bool whole = !axis->values && axis->kind != WS_AXIS_TIME;
	hid_t space = H5Screate_simple(1, &n, NULL), storage = wsi_h5_timeless(H5P_DATASET_CREATE);
	hsize_t chunk = chunk_of(n, true);
	hid_t dataset = -1;
	/* Times are so regular that they shrink to nearly nothing. */
	if (space >= 0 && storage >= 0
	    && (h->compress <= 0 || n == 0
	        || (H5Pset_chunk(storage, 1, &chunk) >= 0 && H5Pset_shuffle(storage) >= 0
	            && H5Pset_deflate(storage, (unsigned)h->compress) >= 0)))
		dataset = H5Dcreate2(group, axis->name, whole ? H5T_STD_I32LE : H5T_IEEE_F64LE,
		                     space, H5P_DEFAULT, storage, H5P_DEFAULT);
	if (dataset >= 0 && put_numbers(dataset, w, axis, n, whole ? H5T_NATIVE_INT32
	                                : H5T_NATIVE_DOUBLE) < 0) {
		H5Dclose(dataset);
		dataset = -1;
	}
	wsi_h5_close(space, storage);
	return dataset;
}

/* Dates of months beside their times, as the CF conventions have them. */
static herr_t
put_dates(hid_t group, const wsi_writer *w, const wsi_file_axis *axis, hid_t scale)
{
	const wsi_file_axis days = wsi_axis_of_days(axis);
	hid_t dataset = create_number_axis(group, w, &days, wsi_axis_extent(w, axis));
	herr_t code = dataset < 0 ? -1 : wsi_h5_put_text(dataset, "units", "days since 1970-01-01");
	if (code >= 0)
		code = wsi_h5_put_text(dataset, "calendar", "proleptic_gregorian");
	if (code >= 0)
		code = H5DSattach_scale(dataset, scale, 0);
	if (dataset >= 0 && H5Dclose(dataset) < 0)
		code = -1;
	return code;
}

/* What an axis counts in; NULL: nothing. */
static const char *
unit_of(const wsi_result_header *h, const wsi_file_axis *axis)
{
	return axis->kind == WS_AXIS_TIME ? (h->fs_known ? "s" : "samples")
	       : wsi_axis_in_hz(axis->kind) && axis->values ? "Hz" : NULL;
}

herr_t
wsi_h5_put_axis(const wsi_writer *w, const wsi_file_axis *axis)
{
	const h5_state *s = w->state;
	const wsi_result_header *h = &w->header;
	hid_t scale = is_channels(h, axis) ? create_channel_axis(s->group, h, axis)
	              : create_number_axis(s->group, w, axis, wsi_axis_extent(w, axis));
	if (scale < 0)
		return -1;
	herr_t code = H5DSset_scale(scale, axis->name);
	if (code >= 0 && unit_of(h, axis))
		code = wsi_h5_put_text(scale, "unit", unit_of(h, axis));
	/* As the CF conventions have it, so that xarray and its like know dates. */
	char units[WSI_TIME_UNITS];
	if (code >= 0 && axis->kind == WS_AXIS_TIME && *wsi_header_time_units(h, units))
		code = wsi_h5_put_text(scale, "units", units);
	else if (code >= 0 && wsi_axis_steps_by_months(w, axis))
		code = put_dates(s->group, w, axis, scale);
	for (size_t a = 0; a < w->n_arrays; ++a)
		for (int i = 0; i < w->arrays[a].rank && code >= 0; ++i)
			if (w->arrays[a].axes[i] == axis && s->arrays[a].dataset >= 0)
				code = H5DSattach_scale(s->arrays[a].dataset, scale, (unsigned)i);
	if (H5Dclose(scale) < 0)
		code = -1;
	return code;
}
