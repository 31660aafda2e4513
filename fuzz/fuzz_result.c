/* fuzz_result.c - results read back, as such, as the recording they came from and as arrays of any
 * transform: HDF5, NPY and MAT, told by content. */
#include "foreign.h"
#include "io/result/arrays.h"
#include "io/result/stored.h"

static void
read_rows(wsi_result *r, size_t epoch, size_t channel)
{
	double x[256];
	const size_t n = r->samples < 256 ? r->samples : 256;
	const size_t modes = (size_t)r->mode_count[epoch * r->channels + channel];
	for (size_t m = 0; m < modes && m < 16; ++m)
		wsi_result_read(r, epoch, channel, m, r->samples - n, n, x);
	wsi_result_read(r, epoch, channel, WSI_ROW_RESIDUE, r->samples - n, n, x);
	if (modes < 64)
		wsi_result_read(r, epoch, channel, WSI_ROW_SIGNAL, 0, n, x);
}

/* The ends of each array's first lines. */
static void
read_arrays(const char *path, const wsi_open_opts *opts)
{
	wsi_recording *rec;
	double x[256];
	if (wsi_arrays_open(&rec, path, opts) != WS_OK) {
		fuzz_require(!rec && !strchr(ws_error_detail(), '\n'));
		return;
	}
	fuzz_require(rec->n_channels > 0 && rec->channels[0].fs > 0);
	fuzz_require(isfinite(rec->time_origin) && rec->time_unit >= 0);
	for (size_t i = 0; i < rec->arrays->n && i < 64; ++i) {
		const wsi_stored_array *a = &rec->arrays->items[i];
		const size_t length = wsi_stored_length(a), n = length < 256 ? length : 256;
		for (size_t line = 0; line < a->lines && line < 4; ++line)
			wsi_arrays_read(rec, a, line % 2, line, length - n, n, x);
	}
	wsi_recording_close(rec);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const wsi_open_opts opts = { .decoder = WSI_IN_PROCESS, .memory = (size_t)64 << 20 };
	const char *path = fuzz_file(0, "f.h5", data, size);
	wsi_result *r;
	wsi_recording *rec;
	read_arrays(path, &opts);
	if (wsi_result_open(&r, path, &opts) != WS_OK) {
		fuzz_require(!r && !strchr(ws_error_detail(), '\n'));
		return 0;
	}
	fuzz_require(r->channels > 0 && r->samples > 0 && r->fs > 0);
	fuzz_require(isfinite(r->time_origin + r->first_time) && r->time_unit >= 0);
	for (size_t c = 0; c < r->channels && c < 16; ++c) {
		fuzz_require(r->channel_names[c] && r->units[c]);
		read_rows(r, r->epochs ? r->epochs - 1 : 0, c);
	}
	wsi_result_close(r);
	if (wsi_stored_open(&rec, path, &opts) == WS_OK) {
		fuzz_promises(rec, false);
		wsi_recording_close(rec);
	}
	return 0;
}
