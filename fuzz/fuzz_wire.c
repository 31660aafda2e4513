/*
 * fuzz_wire.c - what a decoder that a file has taken over may say of a recording or a result: a
 * byte, odd for a result, and its message.  Whatever it says, the process that hears it stays
 * sound, and its texts can be shown.
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

static void
result(wsi_wire *w)
{
	wsi_result r = { .fs = 1 };
	if (took(wsi_result_take(w, &r, "f.h5"))) {
		const size_t rows = (r.epochs ? r.epochs : 1) * r.channels;
		size_t values;
		fuzz_require(rows > 0 && r.samples > 0);
		fuzz_require(!__builtin_mul_overflow(rows, r.samples, &values)
		             && !__builtin_mul_overflow(values, r.max_modes + 2, &values)
		             && values <= SIZE_MAX / sizeof(double));
		shown(r.start_time);
		shown(r.title);
		shown(r.options);
		for (size_t i = 0; i < r.channels; ++i) {
			shown(r.channel_names[i]);
			shown(r.units[i]);
		}
		for (size_t i = 0; i < r.epochs; ++i)
			fuzz_require(wsi_result_epoch(&r, i) >= 1);
	}
	for (size_t i = 0; i < r.channels; ++i) {
		free(r.channel_names ? r.channel_names[i] : NULL);
		free(r.units ? r.units[i] : NULL);
	}
	free(r.channel_names);
	free(r.units);
	free(r.mode_count);
	free(r.epoch_numbers);
	free(r.title);
	free(r.options);
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
	(data[0] & 1 ? result : recording)(&w);
	wsi_wire_free(&w);
	return 0;
}
