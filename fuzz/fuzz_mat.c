/* fuzz_mat.c - MAT recordings, of whatever variable and of x. */
#include "foreign.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(0, "f.mat", data, size);
	fuzz_recording(path, NULL, false);
	fuzz_recording(path, &(wsi_open_opts){ .masks = true }, false);
	fuzz_recording(path, &(wsi_open_opts){ .variable = "x" }, false);
	return 0;
}
