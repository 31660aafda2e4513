/* fuzz_result.c - results read back, as such and as the recording they came from: HDF5, NPY and
 * MAT, told by content. */
#include "foreign.h"
#include "io/stored.h"

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const wsi_open_opts opts = { .decoder = WSI_IN_PROCESS, .memory = (size_t)64 << 20 };
	const char *path = fuzz_file(0, "f.h5", data, size);
	wsi_result *r;
	wsi_recording *rec;
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
