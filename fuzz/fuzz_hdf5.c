/* fuzz_hdf5.c - HDF5 recordings.  What HDF5 opened it may still fail to read. */
#include "foreign.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(0, "f.h5", data, size);
	fuzz_recording(path, NULL, false);
	fuzz_recording(path, &(wsi_open_opts){ .masks = true }, false);
	return 0;
}
