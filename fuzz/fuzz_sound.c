/* fuzz_sound.c - WAV, AIFF, FLAC and OGG. */
#include "fuzz.h"

__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

/* libsndfile 1.2 forgets what libvorbis allocated for a damaged OGG header. */
const char *
__lsan_default_suppressions(void)
{
	return "leak:libvorbis\nleak:libogg\nleak:libsndfile\n";
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_recording(fuzz_file(0, "f.wav", data, size), NULL, false);
	return 0;
}
