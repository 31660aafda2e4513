/* fuzz_hdf5.c - HDF5 recordings; fuzz_masks.c has masks.  What HDF5 opened it may fail to read. */
#include "foreign.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_recording(fuzz_file(0, "f.h5", data, size), NULL, false);
	return 0;
}
