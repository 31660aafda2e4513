/*
 * fuzz_brainvision.c - the three files of a BrainVision recording in one
 * input: header, NUL, markers, NUL, data.
 */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	const uint8_t *markers = size ? memchr(data, '\0', size) : NULL;
	const uint8_t *header_end = markers ? markers : end;
	markers = markers ? markers + 1 : end;
	const uint8_t *samples = markers < end ? memchr(markers, '\0', (size_t)(end - markers)) : NULL;
	const uint8_t *markers_end = samples ? samples : end;
	samples = samples ? samples + 1 : end;
	const char *path = fuzz_file(0, "f.vhdr", data, (size_t)(header_end - data));
	fuzz_file(1, "f.vmrk", markers, (size_t)(markers_end - markers));
	fuzz_file(2, "f.eeg", samples, (size_t)(end - samples));
	fuzz_recording(path, NULL, true);
	return 0;
}
