/* fuzz_npy.c - NumPy's .npy and .npz. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_recording(fuzz_file(0, "f.npz", data, size), NULL, true);
	return 0;
}
