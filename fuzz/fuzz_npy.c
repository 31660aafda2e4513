/* fuzz_npy.c - NumPy's .npy and .npz. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(0, "f.npz", data, size);
	fuzz_recording(path, NULL, true);
	fuzz_recording(path, &(wsi_open_opts){ .masks = true }, true);
	return 0;
}
