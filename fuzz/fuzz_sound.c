/* fuzz_sound.c - WAV, AIFF, FLAC and OGG. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_recording(fuzz_file(0, "f.wav", data, size), NULL, false);
	return 0;
}
