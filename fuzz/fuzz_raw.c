/* fuzz_raw.c - plain binary: its description, NUL, its bytes. */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char description[256];
	const size_t most = size < sizeof description ? size : sizeof description - 1;
	const size_t n = strnlen((const char *)data, most);
	memcpy(description, data, n);
	description[n] = '\0';
	const size_t used = n < size ? n + 1 : n;
	const wsi_open_opts opts = { .raw = description };
	fuzz_recording(fuzz_file(0, "f.bin", data + used, size - used), &opts, true);
	return 0;
}
