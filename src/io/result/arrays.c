/* arrays.c - the arrays of a result: what is known of arrays once the file is open. */
#include "io/result/arrays.h"

#include <string.h>

#include "io/decode/decoder.h"
#include "io/read/open.h"
#include "io/read/readers.h"

ws_status
wsi_arrays_read(wsi_recording *rec, const wsi_stored_array *a, int part, size_t line, size_t first,
                size_t count, double *out)
{
	const size_t length = wsi_stored_length(a), number = (size_t)(a - rec->arrays->items);
	const size_t which = 2 * number + (size_t)part;
	if (line >= a->lines || first > length || count > length - first || part < 0 || part > 1)
		return WSI_FAIL(WS_E_ARG, "%s: %zu elements from %zu of line %zu are outside %s",
		                rec->path, count, first, line + 1, a->name);
	if (count == 0)
		return WS_OK;
	return rec->decoder ? wsi_decoder_read(rec->decoder, which, line, first, count, length, out)
	                    : rec->reader->read(rec, which, line, first, count, out);
}

/* What callers rely on, whatever a decoder says. */
static ws_status
check_opened(const wsi_recording *rec)
{
	const size_t samples = rec->channels[0].samples;
	const wsi_stored_array *epochs = rec->arrays ? wsi_arrays_find(rec, "epoch") : NULL;
	if (!rec->arrays || samples < 1 || samples > WSI_MOST_SAMPLES
	    || (rec->epochs && (!epochs || epochs->rank != 1 || epochs->extent[0] != rec->epochs)))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its arrays make no sense", rec->path);
	return WS_OK;
}

ws_status
wsi_arrays_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts)
{
	unsigned char head[8] = { 0 };
	size_t n = sizeof head;
	*rec = NULL;
	WSI_TRY(wsi_file_head(path, opts ? opts->opened : NULL, head, &n));
	if (memcmp(head, WSI_HDF5_HEAD, 8) != 0)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: is no HDF5 file", path);
	WSI_TRY(wsi_recording_open_by(rec, path, opts, &wsi_reader_arrays));
	const ws_status checked = check_opened(*rec);
	if (checked != WS_OK) {
		wsi_recording_close(*rec);
		*rec = NULL;
	}
	return checked;
}
