/* fuzz_eeglab.c - EEGLAB data sets, beside which lie 128 bytes of samples. */
#include "foreign.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t beside[2 * 16 * sizeof(float)];
	fuzz_file(1, "f.fdt", beside, sizeof beside);
	fuzz_recording(fuzz_file(0, "f.set", data, size), NULL, false);
	return 0;
}
