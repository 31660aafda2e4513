/* fuzz_events.c - events in a file of their own, beside a recording of ten seconds. */
#include "fuzz.h"

#include "io/read/events_file.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char table[] = "date,x\n2009-08-24T00:00:00,1\n2009-08-24T00:00:05,2\n";
	wsi_recording *rec;
	const wsi_open_opts opts = { .memory = (size_t)64 << 20, .decoder = WSI_IN_PROCESS };
	fuzz_require(wsi_recording_open(&rec, fuzz_file(0, "t.csv", (const uint8_t *)table,
	                                                sizeof table - 1), &opts) == WS_OK);
	if (wsi_events_read(rec, fuzz_file(1, "e.tsv", data, size)) == WS_OK)
		for (size_t i = 0; i < rec->n_events; ++i) {
			fuzz_require(isfinite(rec->events[i].onset) && rec->events[i].duration >= 0);
			fuzz_require(i == 0 || rec->events[i - 1].onset <= rec->events[i].onset);
		}
	wsi_recording_close(rec);
	return 0;
}
