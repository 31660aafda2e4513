/* fuzz_edf.c - EDF, EDF+, BDF, BDF+. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_recording(fuzz_file(0, "f.edf", data, size), NULL, true);
	return 0;
}
