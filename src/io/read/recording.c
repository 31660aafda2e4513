/* recording.c - what every reader fills in: channels and events. */
#define _GNU_SOURCE /* vasprintf */
#include "io/read/recording.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "io/read/clean.h"

/* More than any device records; a header that claims more is not believed
 * (or an array is turned the wrong way round). */
#define MAX_CHANNELS ((size_t)1 << 20)

const char *const wsi_rate_names[] = {
	"fsample", "fs", "Fs", "srate", "sfreq", "sampling_rate", "sampling_frequency",
	        "sample_rate",
	"samplerate", "samplingrate", "sampleRate", "samplingRate", "samplingFrequency",
	"SampleRate", "SamplingRate", "SamplingFrequency", "dt", NULL,
};
const char *const wsi_time_names[] = { "t", "time", "times", NULL };

char *
wsi_strdup(const char *s)
{
	return s ? strdup(s) : NULL;
}

ws_status
wsi_recording_set_channels(wsi_recording *rec, size_t n, size_t samples)
{
	if (n > MAX_CHANNELS)
		return WSI_FAIL(WS_E_FORMAT, "%s: %zu channels are more than the %zu that a "
		                "recording may have; is the array turned the wrong way round?",
		                rec->path, n, MAX_CHANNELS);
	/* With the least that names and units take of malloc(). */
	const size_t bytes = n * (sizeof *rec->channels + 64);
	if (rec->opts.memory && bytes > rec->opts.memory)
		return WSI_FAIL(WS_E_NOMEM, "%s: %zu channels take %zu bytes, more than `memory` "
		                "leaves; is the array turned the wrong way round?", rec->path, n,
		                bytes);
	WSI_NEW(rec->channels, n, "%s: no memory for %zu channels", rec->path, n);
	rec->n_channels = n;
	for (size_t i = 0; i < n; ++i) {
		char name[24];
		snprintf(name, sizeof name, "%zu", i + 1);
		wsi_channel *c = &rec->channels[i];
		*c = (wsi_channel){ .name = strdup(name), .unit = strdup(""), .fs = 1,
		                    .samples = samples, .is_signal = true };
		WSI_HAVE(c->name && c->unit, "%s: no memory for %zu channels", rec->path, n);
	}
	return WS_OK;
}

ws_status
wsi_recording_rate_of(wsi_recording *rec, const char *name, double *value)
{
	if (strcmp(name, "dt") != 0)
		return WS_OK;
	*value = 1 / *value;
	return wsi_recording_add_note(rec, "%s: its rate is that of dt, in seconds: %g Hz",
	                              rec->path, *value);
}

/* Is it one of these lines?  NULL: there are none. */
static bool
has_line(const char *lines, const char *line)
{
	const size_t n = strlen(line);
	while (lines && *lines) {
		const size_t length = strcspn(lines, "\n");
		if (length == n && memcmp(lines, line, n) == 0)
			return true;
		lines += length + (lines[length] == '\n');
	}
	return false;
}

ws_status
wsi_recording_add_note(wsi_recording *rec, const char *format, ...)
{
	va_list args;
	char *note, *all = NULL;
	if (rec->note && strlen(rec->note) >= WSI_MOST_NOTES)
		return WS_OK;
	va_start(args, format);
	int n = vasprintf(&note, format, args);
	va_end(args);
	if (n < 0)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for a note on it", rec->path);
	for (char *c = note; *c; ++c)
		*c = *c == '\n' ? ' ' : *c;
	if (!*note || has_line(rec->note, note)) {
		free(note);
		return WS_OK;
	}
	if (rec->note) {
		const bool full = strlen(rec->note) + strlen(note) >= WSI_MOST_NOTES;
		n = asprintf(&all, "%s\n%s%s", rec->note, note,
		             full ? "\nthere are more notes, which are left out" : "");
		free(note);
	} else {
		all = note;
	}
	if (n < 0)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for a note on it", rec->path);
	free(rec->note);
	rec->note = all;
	return WS_OK;
}

ws_status
wsi_recording_note_transposed(wsi_recording *rec)
{
	const size_t channels = rec->n_channels, samples = rec->channels[0].samples;
	if (channels < 64 || samples / 16 >= channels)
		return WS_OK;
	return wsi_recording_add_note(rec, "%s: read as %zu channels of %zu samples, the "
	                              "longer axis as time; if it is %zu channels, save it as "
	                              ".npy, which is always [channel][time]", rec->path, channels,
	                              samples, samples);
}

static ws_status
replace(char **text, const char *by)
{
	char *copy = wsi_clean_name(by);
	WSI_HAVE(copy, "no memory for the name '%s'", by);
	free(*text);
	*text = copy;
	return WS_OK;
}

ws_status
wsi_channel_set_name(wsi_channel *channel, const char *name)
{
	char *old = channel->name;
	channel->name = NULL;
	const ws_status status = replace(&channel->name, name);
	/* A name of blanks is none. */
	if (status != WS_OK || !*channel->name) {
		free(channel->name);
		channel->name = old;
	} else {
		free(old);
	}
	return status;
}

ws_status
wsi_channel_set_unit(wsi_channel *channel, const char *unit)
{
	return replace(&channel->unit, unit);
}

ws_status
wsi_channel_set_fault(wsi_channel *channel, const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	const int n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return WSI_FAIL(WS_E_NOMEM, "no memory to tell what is wrong with channel %s",
		                channel->name);
	free(channel->fault);
	channel->fault = wsi_clean_text(text, (size_t)n);
	free(text);
	return channel->fault ? WS_OK
	       : WSI_FAIL(WS_E_NOMEM, "no memory to tell what is wrong with channel %s",
	                  channel->name);
}

ws_status
wsi_channel_check(const wsi_recording *rec, size_t channel)
{
	const wsi_channel *c = &rec->channels[channel];
	return !c->fault ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: channel %s cannot be read: %s; correct it, or leave "
	                  "the channel out (`channels`)", rec->path, c->name, c->fault);
}

ws_status
wsi_recording_count(wsi_recording *rec, uint64_t bytes, const char *what)
{
	const size_t memory = rec->opts.memory;
	if (memory && (rec->held > memory || bytes > memory - rec->held))
		return WSI_FAIL(WS_E_NOMEM, "%s: %s more memory than the %zu bytes that `memory` "
		                "leaves; give more", rec->path, what, memory);
	rec->held += (size_t)bytes;
	return WS_OK;
}

/* What an event takes for good: the room for events doubles, and malloc() gives 32 bytes at
 * least. */
static size_t
event_bytes(const char *label)
{
	const size_t n = strlen(label) + 1 + sizeof(size_t);
	return 2 * sizeof(wsi_event) + (n < 32 ? 32 : n);
}

ws_status
wsi_recording_add_event(wsi_recording *rec, double onset, double duration, const char *label)
{
	if (!isfinite(onset) || !isfinite(duration))
		return WSI_FAIL(WS_E_FORMAT, "%s: event %zu has no finite time", rec->path,
		                rec->n_events + 1);
	/* The room is the next power of two, so it needs no field of its own. */
	const size_t n = rec->n_events;
	if ((n & (n - 1)) == 0) {
		wsi_event *grown = realloc(rec->events, (n ? 2 * n : 1) * sizeof *grown);
		WSI_HAVE(grown, "%s: no memory for %zu events", rec->path, n + 1);
		rec->events = grown;
	}
	char *copy = wsi_clean_name(label);
	WSI_HAVE(copy, "%s: no memory for %zu events", rec->path, n + 1);
	rec->events[n] = (wsi_event){ .onset = onset, .duration = duration, .label = copy };
	rec->n_events = n + 1;
	return wsi_recording_count(rec, event_bytes(copy), "its events take");
}

ws_status
wsi_recording_place_event(wsi_recording *rec, double time, double duration, const char *label,
                          int epoch)
{
	double at = time - rec->time_origin;
	if (rec->epochs && epoch > 0) {
		/* What began before its epoch is none of the one before. */
		duration = at < 0 ? fmax(duration + at, 0) : duration;
		at = fmax(at, 0) + (double)(epoch - 1) * (double)rec->channels[0].samples
		     / rec->channels[0].fs;
	}
	return wsi_recording_add_event(rec, at, duration, label);
}

void
wsi_recording_drop_events(wsi_recording *rec)
{
	for (size_t i = 0; i < rec->n_events; ++i) {
		rec->held -= event_bytes(rec->events[i].label);
		free(rec->events[i].label);
	}
	free(rec->events);
	rec->events = NULL;
	rec->n_events = 0;
}

typedef struct numbered_event {
	wsi_event event;
	size_t index;
} numbered_event;

static int
by_onset(const void *a, const void *b)
{
	const numbered_event *x = a, *y = b;
	if (x->event.onset != y->event.onset)
		return x->event.onset < y->event.onset ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

ws_status
wsi_recording_sort_events(wsi_recording *rec)
{
	const size_t n = rec->n_events;
	size_t i = 1;
	while (i < n && rec->events[i - 1].onset <= rec->events[i].onset)
		++i;
	if (i >= n)
		return WS_OK;
	/* qsort() may copy them once more. */
	const size_t bytes = 2 * n * sizeof(numbered_event);
	WSI_TRY(wsi_recording_count(rec, bytes, "to sort its events takes"));
	rec->held -= bytes;
	numbered_event *copy = malloc(n * sizeof *copy);
	WSI_HAVE(copy, "%s: no memory to sort %zu events", rec->path, n);
	for (i = 0; i < n; ++i)
		copy[i] = (numbered_event){ .event = rec->events[i], .index = i };
	qsort(copy, n, sizeof *copy, by_onset);
	for (i = 0; i < n; ++i)
		rec->events[i] = copy[i].event;
	free(copy);
	return WS_OK;
}

ws_status
wsi_recording_check(wsi_recording *rec)
{
	if (rec->n_channels == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no channels", rec->path);
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const double fs = rec->channels[i].fs;
		if (!isfinite(fs) || fs <= 0 || !isfinite((double)rec->channels[i].samples / fs))
			return WSI_FAIL(WS_E_FORMAT, "%s: channel %zu (%s) has a sampling "
			                "rate of %g Hz; give the true one with `fs`", rec->path,
			                i + 1, rec->channels[i].name, fs);
	}
	if (!isfinite(rec->time_origin))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its times begin at %g", rec->path,
		                rec->time_origin);
	if (!(rec->time_unit > 0) || !isfinite(rec->time_unit))
		rec->time_unit = 0;
	return WS_OK;
}
