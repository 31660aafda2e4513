/* modes.c - results of modes as recordings: which format, and what its readers share. */
#include "io/result/modes.h"

#include <math.h>
#include <string.h>

#include "io/read/mat_file.h"
#include "io/read/open.h"

enum { HEAD = 128 };

ws_status
wsi_modes_take_shape(wsi_recording *rec)
{
	const wsi_stored_array *modes = wsi_arrays_find(rec, "modes");
	const size_t *extent = modes->extent, samples = wsi_stored_length(modes);
	const size_t channels = modes->rank >= 3 ? extent[modes->rank - 3] : 1;
	rec->epochs = modes->rank >= 4 ? extent[0] : 0;
	if (samples == 0 || channels == 0 || (modes->rank >= 4 && rec->epochs == 0)
	    || extent[modes->rank - 2] > INT32_MAX)
		return WSI_FAIL(WS_E_FORMAT, "%s: its array of modes is empty or too large",
		                rec->path);
	return wsi_recording_set_channels(rec, channels, samples);
}

ws_status
wsi_modes_take_times(wsi_recording *rec, double fs)
{
	const wsi_arrays *told = rec->arrays;
	if (!(fs > 0) || !isfinite(fs) || !isfinite((double)rec->channels[0].samples / fs))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its sampling rate is %g", rec->path, fs);
	for (size_t i = 0; i < rec->n_channels; ++i)
		rec->channels[i].fs = fs;
	rec->time_origin = told->time_origin + told->first_time;
	return WS_OK;
}

/* By the first bytes of a file, which are in head then, followed by a 0; or NULL. */
static ws_status
find_reader(const char *path, const wsi_open_opts *opts, unsigned char head[HEAD + 1],
            const wsi_reader **reader)
{
	size_t n = HEAD;
	memset(head, 0, HEAD + 1);
	WSI_TRY(wsi_file_head(path, opts ? opts->opened : NULL, head, &n));
	*reader = memcmp(head, WSI_HDF5_HEAD, 8) == 0 ? &wsi_reader_modes_hdf5
	          : memcmp(head, "\x93NUMPY", 6) == 0 ? &wsi_reader_modes_npy
	          : wsi_mat_probe(head, n) ? &wsi_reader_modes_mat : NULL;
	return WS_OK;
}

ws_status
wsi_any_result_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts)
{
	unsigned char head[HEAD + 1];
	const wsi_reader *reader;
	wsi_open_opts any = { .memory = opts->memory, .decoder = opts->decoder,
		.opened = opts->opened, .any_arrays = true };
	*rec = NULL;
	WSI_TRY(find_reader(path, opts, head, &reader));
	if (reader == &wsi_reader_modes_hdf5)
		return wsi_arrays_open(rec, path, &any);
	if (!reader || (reader == &wsi_reader_modes_mat && !strstr((char *)head, WSI_MAT_OURS)))
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: is no result that tells what it is", path);
	WSI_TRY(wsi_recording_open_by(rec, path, &any, reader));
	(*rec)->format = reader == &wsi_reader_modes_npy ? "NPY (wavesift result)"
	                 : "MAT (wavesift result)";
	return WS_OK;
}

ws_status
wsi_modes_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts)
{
	unsigned char head[HEAD + 1];
	const wsi_reader *reader;
	*rec = NULL;
	WSI_TRY(find_reader(path, opts, head, &reader));
	if (!reader)
		return WSI_FAIL(WS_E_FORMAT, "%s: not a result: neither HDF5 nor NPY nor "
		                "MAT (5, 7.3)", path);
	return wsi_recording_open_by(rec, path, opts, reader);
}
