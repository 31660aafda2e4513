/* fuzz_masks.c - masks for a convolution: HDF5, MAT and NPY, told by content. */
#include "foreign.h"
#include "io/read/masks.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const wsi_open_opts opts = { .decoder = WSI_IN_PROCESS, .memory = (size_t)64 << 20 };
	wsi_mask_file f;
	if (wsi_mask_file_read(&f, fuzz_file(0, "f.h5", data, size), &opts) != WS_OK) {
		fuzz_require(ws_error_detail()[0] != '\0' && !strchr(ws_error_detail(), '\n'));
		return 0;
	}
	const ws_masks *m = &f.masks;
	fuzz_require(m->count > 0);
	wsi_mask_file_free(&f);
	return 0;
}
