/* several.c - several arrays of a file as the channels of one recording. */
#include "io/read/several.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/open.h"
#include "io/read/read.h"
#include "io/read/readers.h"

/* More are no list that anybody writes. */
#define MOST 1024

typedef struct several {
	size_t n;
	wsi_recording **parts;
	char **names;           /* of the arrays, which the parts borrow */
} several;

/* Where the item of a list ends. */
static size_t
item_length(const char *text)
{
	size_t n = 0;
	for (int depth = 0; text[n] && (text[n] != ',' || depth > 0); ++n)
		depth += strchr("({[", text[n]) ? 1 : strchr(")}]", text[n]) ? -1 : 0;
	return n;
}

/* Names of a channel where the array tells none are numbers from 1. */
static ws_status
name_channel(wsi_channel *to, const wsi_recording *part, size_t i, const char *array)
{
	char number[24];
	snprintf(number, sizeof number, "%zu", i + 1);
	const char *own = part->channels[i].name;
	if (strcmp(own, number) != 0)
		return wsi_channel_set_name(to, own);
	const size_t size = strlen(array) + sizeof number + 1;
	char *name = malloc(size);
	WSI_HAVE(name, "%s: no memory for a name", part->path);
	snprintf(name, size, part->n_channels > 1 ? "%s %s" : "%s", array, number);
	const ws_status status = wsi_channel_set_name(to, name);
	free(name);
	return status;
}

static ws_status
take_part(wsi_recording *rec, const wsi_recording *part, const char *array, size_t first)
{
	const wsi_recording *head = ((several *)rec->state)->parts[0];
	if (part->epochs != head->epochs)
		return WSI_FAIL(WS_E_FORMAT, "%s: of %s some have epochs and others none, or "
		                "another number of them; take arrays that are alike (`variable`)",
		                rec->path, rec->opts.variable);
	for (size_t i = 0; i < part->n_channels; ++i) {
		const wsi_channel *from = &part->channels[i];
		wsi_channel *to = &rec->channels[first + i];
		WSI_TRY(name_channel(to, part, i, array));
		WSI_TRY(wsi_channel_set_unit(to, from->unit));
		to->fs = from->fs;
		to->samples = from->samples;
		to->is_signal = from->is_signal;
		to->type = from->type;
	}
	return part->note ? wsi_recording_add_note(rec, "%s", part->note) : WS_OK;
}

static ws_status
open_parts(wsi_recording *rec)
{
	several *s = rec->state;
	wsi_open_opts opts = rec->opts;
	const char *at = rec->opts.variable;
	for (size_t n; s->n < MOST && *at; at += n + (at[n] == ',')) {
		n = item_length(at);
		WSI_HAVE(s->names[s->n] = strndup(at, n), "%s: no memory to open it", rec->path);
		opts.variable = s->names[s->n];
		WSI_TRY(wsi_recording_open(&s->parts[s->n], rec->path, &opts));
		s->n++;
	}
	return WS_OK;
}

static ws_status
several_open(wsi_recording *rec)
{
	several *s = rec->state;
	s->parts = calloc(MOST, sizeof *s->parts);
	s->names = calloc(MOST, sizeof *s->names);
	WSI_HAVE(s->parts && s->names, "%s: no memory to open it", rec->path);
	WSI_TRY(open_parts(rec));
	size_t channels = 0;
	for (size_t k = 0; k < s->n; ++k) {
		channels += s->parts[k]->n_channels;
		rec->held += s->parts[k]->held;
	}
	const wsi_recording *head = s->parts[0];
	rec->format = head->format;
	rec->epochs = head->epochs;
	rec->fs_known = head->fs_known;
	rec->time_origin = head->time_origin;
	rec->time_unit = head->time_unit;
	memcpy(rec->start_time, head->start_time, sizeof rec->start_time);
	WSI_TRY(wsi_recording_set_channels(rec, channels, 0));
	for (size_t k = 0, first = 0; k < s->n; first += s->parts[k++]->n_channels)
		WSI_TRY(take_part(rec, s->parts[k], s->names[k], first));
	return WS_OK;
}

static ws_status
several_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
             double *out)
{
	const several *s = rec->state;
	size_t k = 0;
	while (channel >= s->parts[k]->n_channels)
		channel -= s->parts[k++]->n_channels;
	return wsi_recording_read(s->parts[k], epoch, channel, first, count, out);
}

static void
several_close(wsi_recording *rec)
{
	several *s = rec->state;
	for (size_t k = 0; k < MOST && s->names; ++k) {
		if (s->parts)
			wsi_recording_close(s->parts[k]);
		free(s->names[k]);
	}
	free(s->parts);
	free(s->names);
}

static const wsi_reader reader = {
	.name = "arrays", .state_bytes = sizeof(several), .open = several_open,
	.read = several_read, .close = several_close,
};

const wsi_reader *
wsi_reader_of_several(const char *variable)
{
	return variable && variable[item_length(variable)] == ',' ? &reader : NULL;
}

const wsi_reader *
wsi_reader_beneath(const wsi_recording *rec)
{
	const several *s = rec->state;
	return rec->reader == &reader ? s->parts[0]->reader : rec->reader;
}
