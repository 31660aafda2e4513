/*
 * fuzz.h - what the fuzz targets of the readers share: bytes become a file,
 * the file is opened and looked at, and what every recording promises is
 * checked.  A broken promise aborts, so that the fuzzer reports it.
 *
 * Each process has a folder /dev/shm/wavesift-fuzz-*, which libFuzzer, unlike
 * replay.c, leaves behind: it ends without exit handlers.
 */
#ifndef WSI_FUZZ_H
#define WSI_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/read/open.h"
#include "io/read/read.h"
#include "io/read/segments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char fuzz_folder[64];
static char fuzz_names[4][96];

static inline void
fuzz_remove_folder(void)
{
	for (size_t i = 0; i < sizeof fuzz_names / sizeof *fuzz_names; ++i)
		if (fuzz_names[i][0] != '\0')
			remove(fuzz_names[i]);
	rmdir(fuzz_folder);
}

/* HDF5's, before it opens a file: when the process ends it does not look for objects that are still
 * open, as it leaves some of damaged files, and says nothing of them. */
int H5dont_atexit(void);

/* Writes a file of this name, in memory, into a folder of this process; slot
 * 0..3 tells the files of one input apart.  Returns its path. */
static inline const char *
fuzz_file(int slot, const char *name, const uint8_t *data, size_t size)
{
	if (fuzz_folder[0] == '\0') {
		strcpy(fuzz_folder, "/dev/shm/wavesift-fuzz-XXXXXX");
		if (!mkdtemp(fuzz_folder))
			abort();
		atexit(fuzz_remove_folder);
		H5dont_atexit();
	}
	snprintf(fuzz_names[slot], sizeof fuzz_names[slot], "%s/%s", fuzz_folder, name);
	FILE *f = fopen(fuzz_names[slot], "wb");
	if (!f || (size > 0 && fwrite(data, 1, size, f) != size) || fclose(f) != 0) {
		/* The machine's fault, not a finding. */
		perror(fuzz_names[slot]);
		abort();
	}
	return fuzz_names[slot];
}

static inline void
fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

/* Reads the first and the last samples of a channel.  exact: a reader that
 * opened the file can read all that it promised. */
static inline void
fuzz_channel(wsi_recording *rec, size_t epoch, size_t channel, bool exact)
{
	double x[512];
	const size_t samples = rec->channels[channel].samples;
	const size_t n = samples < 512 ? samples : 512;
	const ws_status first = wsi_recording_read(rec, epoch, channel, 0, n, x);
	const ws_status last = wsi_recording_read(rec, epoch, channel, samples - n, n, x);
	const bool sound = exact && !rec->channels[channel].fault;
	fuzz_require(!sound || (first == WS_OK && last == WS_OK));
	fuzz_require(wsi_recording_read(rec, epoch, channel, samples, 1, x) == WS_E_ARG);
}

/* Segments begin with the first sample, one behind the other, and join. */
static inline void
fuzz_segments(wsi_recording *rec)
{
	const wsi_channel *c = &rec->channels[0];
	for (size_t k = 0; k < rec->n_segments; ++k) {
		const wsi_segment *s = &rec->segments[k];
		fuzz_require(isfinite(s->at) && isfinite(s->start));
		fuzz_require(k > 0 ? s->at > s[-1].at : s->at == 0 && s->start == 0);
		fuzz_require(wsi_segment_first(rec, k, c->fs, c->samples)
		             <= wsi_segment_first(rec, k + 1, c->fs, c->samples));
	}
	const ws_status status = wsi_recording_join(rec);
	fuzz_require(status == WS_OK || status == WS_E_NOMEM);
	for (size_t i = 0; i < rec->n_events; ++i)
		fuzz_require(isfinite(rec->events[i].onset));
}

/* What every recording promises. */
static inline void
fuzz_promises(wsi_recording *rec, bool exact)
{
	fuzz_require(rec->n_channels > 0 && rec->format && strlen(rec->start_time) < 32);
	fuzz_require(isfinite(rec->time_origin) && rec->time_unit >= 0);
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const wsi_channel *c = &rec->channels[i];
		fuzz_require(c->name && c->name[0] != '\0' && c->unit);
		fuzz_require(isfinite(c->fs) && c->fs > 0);
	}
	for (size_t i = 0; i < rec->n_events; ++i) {
		const wsi_event *e = &rec->events[i];
		fuzz_require(e->label && isfinite(e->onset) && isfinite(e->duration));
		fuzz_require(i == 0 || rec->events[i - 1].onset <= e->onset);
	}
	const size_t channels = rec->n_channels < 64 ? rec->n_channels : 64;
	for (size_t i = 0; i < channels; ++i)
		fuzz_channel(rec, rec->epochs ? rec->epochs - 1 : 0, i, exact);
}

static inline void
fuzz_recording(const char *path, const wsi_open_opts *opts, bool exact)
{
	/* What libraries decode, too: a fault of theirs is to be found. */
	wsi_open_opts here = opts ? *opts : (wsi_open_opts){ 0 };
	wsi_recording *rec;
	here.decoder = WSI_IN_PROCESS;
	here.memory = here.memory ? here.memory : (size_t)64 << 20;
	const ws_status status = wsi_recording_open(&rec, path, &here);
	if (status != WS_OK) {
		fuzz_require(!rec && ws_error_detail()[0] != '\0' &&
		             !strchr(ws_error_detail(), '\n'));
		return;
	}
	fuzz_promises(rec, exact);
	fuzz_segments(rec);
	wsi_recording_close(rec);
}

#endif
