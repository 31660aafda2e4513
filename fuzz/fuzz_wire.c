/*
 * fuzz_wire.c - what a decoder that a file has taken over may say of a recording: a byte that is
 * passed over, and its message.  Whatever it says, the process that hears it stays sound, and its
 * texts can be shown.
 */
#include "fuzz.h"

#include <jansson.h>

#include "io/result/arrays.h"
#include "io/read/describe.h"
#include "io/read/readers.h"

static void
shown(const char *text)
{
	json_t *string = json_string(text);
	fuzz_require(string != NULL);
	json_decref(string);
	for (const unsigned char *c = (const unsigned char *)text; *c; ++c)
		fuzz_require(*c >= ' ' && *c != 0x7f && !(*c == 0xc2 && c[1] < 0xa0));
}

/* A failure has words. */
static bool
took(ws_status status)
{
	fuzz_require(status == WS_OK || ws_error_detail()[0] != '\0');
	return status == WS_OK;
}

static void
arrays(const wsi_arrays *a)
{
	size_t values;
	for (size_t i = 0; i < a->n; ++i) {
		const wsi_stored_array *one = &a->items[i];
		shown(one->name);
		fuzz_require(one->rank >= 1 && one->rank <= WSI_STORED_AXES);
		fuzz_require(!__builtin_mul_overflow(one->lines, wsi_stored_length(one), &values)
		             && values <= SIZE_MAX / sizeof(double));
	}
	for (size_t i = 0; i < 2 * a->n_facts; ++i)
		shown(a->facts[i]);
}

static void
recording(wsi_wire *w)
{
	wsi_recording *rec = calloc(1, sizeof *rec);
	if (!rec || !(rec->path = strdup("f.h5")))
		abort();
	rec->opts.memory = (size_t)64 << 20;
	if (took(wsi_recording_take(w, rec))) {
		size_t values = 0;
		shown(rec->format);
		shown(rec->start_time);
		for (char *line = rec->note ? strtok(rec->note, "\n") : NULL; line;
		     line = strtok(NULL, "\n"))
			shown(line);
		for (size_t i = 0; i < rec->n_channels; ++i) {
			const wsi_channel *c = &rec->channels[i];
			shown(c->name);
			shown(c->unit);
			fuzz_require(c->name[0] != '\0');
			fuzz_require(!__builtin_add_overflow(values, c->samples, &values));
		}
		fuzz_require(!__builtin_mul_overflow(values, rec->epochs ? rec->epochs : 1, &values)
		             && values <= SIZE_MAX / sizeof(double));
		for (size_t i = 0; i < rec->n_events; ++i) {
			fuzz_require(isfinite(rec->events[i].onset + rec->events[i].duration * 0));
			shown(rec->events[i].label);
		}
		if (rec->arrays)
			arrays(rec->arrays);
		if (took(wsi_recording_check(rec)) && took(wsi_recording_find_segments(rec)))
			fuzz_segments(rec);
	}
	wsi_recording_close(rec);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wsi_wire w = { 0 };
	if (size == 0)
		return 0;
	/* As large as the message is, so that a step past its end is seen. */
	wsi_wire_put(&w, data + 1, size - 1);
	unsigned char *exact = realloc(w.bytes, w.size ? w.size : 1);
	if (w.failed || !exact)
		abort();
	w.bytes = exact;
	recording(&w);
	wsi_wire_free(&w);
	return 0;
}
