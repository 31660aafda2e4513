/*
 * open.c - picks the reader of a file and guards what readers do.
 *
 * Content goes before name: of the readers in the table, the first of those
 * that are surest takes the file.
 */
#include "io/read/open.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/c_locale.h"
#include "io/result/array_list.h"
#include "io/read/beside.h"
#include "io/read/converted.h"
#include "io/decode/decoder.h"
#include "io/read/events_from.h"
#include "io/read/readers.h"
#include "io/read/segments.h"
#include "io/read/types.h"

#define READER(name) &wsi_reader_##name,
static const wsi_reader *const readers[] = { WSI_READERS(READER) };

static ws_status
pick_reader(wsi_recording *rec)
{
	if (rec->opts.raw) {
		rec->reader = &wsi_reader_raw;
		return WS_OK;
	}
	if (strcmp(rec->path, "-") == 0) {
		rec->reader = &wsi_reader_text;
		return WS_OK;
	}
	struct stat st;
	unsigned char head[WSI_HEAD_BYTES];
	size_t n = sizeof head;
	if (stat(rec->path, &st) == 0 && S_ISDIR(st.st_mode))
		WSI_TRY(wsi_converted_check(NULL, 0, rec->path));
	WSI_TRY(wsi_file_head(rec->path, rec->opts.opened, head, &n));
	if (n == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: the file is empty", rec->path);

	int surest = 0;
	for (size_t i = 0; i < sizeof readers / sizeof *readers; ++i) {
		const int sure = readers[i]->probe(head, n, rec->path);
		if (sure > surest) {
			surest = sure;
			rec->reader = readers[i];
		}
	}
	/* A header of WFDB is a text of numbers. */
	if (surest < 2 || wsi_name_ends(rec->path, ".hea"))
		WSI_TRY(wsi_converted_check(head, n, rec->path));
	if (surest == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: not a known format (" WSI_FORMATS
		                "); plain binary needs `raw TYPE,channels=N,order=channel`",
		                rec->path);
	return WS_OK;
}

/* Gives every signal the rate the user told and moves the events with it, and where
 * time begins. */
static ws_status
override_fs(wsi_recording *rec)
{
	const double fs = rec->opts.fs;
	double old = 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const wsi_channel *c = &rec->channels[i];
		if (!c->is_signal)
			continue;
		if (old != 0 && c->fs != old)
			return WSI_FAIL(WS_E_ARG, "%s: its channels have differing rates (%g "
			                "and %g Hz), which one rate of %g Hz cannot replace",
			                rec->path, old, c->fs, fs);
		old = c->fs;
	}
	if (old == 0)
		return WS_OK;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		wsi_channel *c = &rec->channels[i];
		c->fs = c->is_signal ? fs : c->fs * (fs / old);
	}
	for (size_t i = 0; i < rec->n_events; ++i) {
		rec->events[i].onset *= old / fs;
		rec->events[i].duration *= old / fs;
	}
	for (size_t i = 0; i < rec->n_segments; ++i) {
		rec->segments[i].at *= old / fs;
		rec->segments[i].start *= old / fs;
		rec->segments[i].pause *= old / fs;
	}
	rec->time_origin *= old / fs;
	rec->fs_known = true;
	return WS_OK;
}

/* Names of channels and labels of events that are not whole. */
static ws_status
tell_cut_names(wsi_recording *rec)
{
	size_t names = 0, labels = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		names += wsi_name_is_cut(rec->channels[i].name)
		         || wsi_name_is_cut(rec->channels[i].unit);
	for (size_t i = 0; i < rec->n_events; ++i)
		labels += wsi_name_is_cut(rec->events[i].label);
	if (names + labels == 0)
		return WS_OK;
	return wsi_recording_add_note(rec, "%s: names of %zu channel%s and %zu event%s are longer "
	                              "than names may be: each is cut, and ends in ..# and a "
	                              "number of its own", rec->path, names,
	                              names == 1 ? "" : "s", labels, labels == 1 ? "" : "s");
}

ws_status
wsi_reader_open(wsi_recording *rec)
{
	const size_t bytes = rec->reader->state_bytes;
	if (bytes && !(rec->state = calloc(1, bytes)))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to open it", rec->path);
	return rec->reader->open(rec);
}

/* Numbers in files have decimal points, whatever the program's locale. */
static ws_status
open_in_c_locale(wsi_recording *rec)
{
	wsi_c_locale locale;
	wsi_c_locale_enter(&locale);
	const bool here = !rec->reader->foreign
	                  || (rec->opts.decoder && strcmp(rec->opts.decoder, WSI_IN_PROCESS) == 0);
	ws_status status = here ? wsi_reader_open(rec) : wsi_decoder_open(rec);
	if (status == WS_OK && rec->beside)
		status = wsi_beside_open(rec);
	wsi_c_locale_leave(&locale);
	return status;
}

static ws_status
open_recording(wsi_recording *rec)
{
	if (!rec->reader)
		WSI_TRY(pick_reader(rec));
	rec->format = rec->reader->name;
	WSI_TRY(open_in_c_locale(rec));
	if (rec->opts.fs != 0)
		WSI_TRY(override_fs(rec));
	WSI_TRY(wsi_recording_check(rec));
	WSI_TRY(tell_cut_names(rec));
	wsi_recording_find_types(rec);
	WSI_TRY(wsi_recording_sort_events(rec));
	WSI_TRY(wsi_recording_find_segments(rec));
	/* What events told of pauses is known by now. */
	if (rec->opts.events_from)
		WSI_TRY(wsi_recording_events_from(rec, rec->opts.events_from));
	return wsi_recording_sort_events(rec);
}

ws_status
wsi_recording_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts)
{
	return wsi_recording_open_by(rec, path, opts, NULL);
}

ws_status
wsi_recording_open_by(wsi_recording **rec, const char *path, const wsi_open_opts *opts,
                      const wsi_reader *reader)
{
	*rec = NULL;
	if (opts && opts->fs != 0 && !(isfinite(opts->fs) && opts->fs > 0))
		return WSI_FAIL(WS_E_ARG, "%s: a sampling rate of %g Hz is not above 0", path,
		                opts->fs);
	wsi_recording *r;
	WSI_NEW(r, 1, "%s: no memory to open it", path);
	r->path = strdup(path);
	r->source = r->path;
	r->reader = r->path ? reader : NULL;
	if (opts)
		r->opts = *opts;
	const ws_status status = r->path ? open_recording(r)
	                                 : WSI_FAIL(WS_E_NOMEM, "%s: no memory to open it", path);
	if (status != WS_OK) {
		wsi_recording_close(r);
		return status;
	}
	r->dated = r->dated || (r->arrays && *wsi_arrays_fact(r, "dated"));
	*rec = r;
	return WS_OK;
}

void
wsi_recording_close(wsi_recording *rec)
{
	if (!rec)
		return;
	wsi_decoder_close(rec->decoder);
	if (rec->state) {
		rec->reader->close(rec);
		if (rec->reader->state_bytes)
			free(rec->state);
	}
	wsi_beside_close(rec->beside);
	wsi_arrays_free(rec->arrays);
	for (size_t i = 0; rec->channels && i < rec->n_channels; ++i) {
		free(rec->channels[i].name);
		free(rec->channels[i].unit);
		free(rec->channels[i].fault);
	}
	for (size_t i = 0; i < rec->n_events; ++i)
		free(rec->events[i].label);
	free(rec->channels);
	free(rec->events);
	free(rec->segments);
	free(rec->events_file);
	free(rec->channels_file);
	free(rec->note);
	free(rec->path);
	free(rec);
}
