/* fuzz_text.c - tables of numbers. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_recording(fuzz_file(0, "f.csv", data, size), NULL, true);
	return 0;
}
