/* channels_file.c - a table of channels beside a recording. */
#define _GNU_SOURCE /* asprintf */
#include "io/read/channels_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/read/readers.h"
#include "io/read/types.h"

/* More than any list of channels has. */
#define MOST_BYTES ((uint64_t)64 << 20)

static ws_status
read_text(wsi_recording *rec, const char *path, char **text)
{
	wsi_file f;
	*text = NULL;
	WSI_TRY(wsi_file_open(&f, path, rec->opts.opened));
	ws_status status = f.bytes > MOST_BYTES
	                   ? WSI_FAIL(WS_E_FORMAT, "%s: is too large for a table of channels", path)
	                   : WS_OK;
	if (status == WS_OK && !(*text = malloc((size_t)f.bytes + 1)))
		status = WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", path);
	if (status == WS_OK)
		status = wsi_file_read(&f, 0, *text, (size_t)f.bytes);
	if (status == WS_OK)
		(*text)[f.bytes] = '\0';
	/* No text: nor a table. */
	if (status == WS_OK && strlen(*text) < f.bytes)
		**text = '\0';
	wsi_file_close(&f);
	return status;
}

/* Takes a line off *text; NULL: there is none. */
static char *
next_line(char **text)
{
	char *line = *text;
	if (!*line)
		return NULL;
	const size_t n = strcspn(line, "\n");
	*text = line + n + (line[n] == '\n');
	line[n] = '\0';
	if (n > 0 && line[n - 1] == '\r')
		line[n - 1] = '\0';
	return line;
}

/* A cell as a clean copy, or NULL: there is none, or no memory. */
static char *
cell(const char *line, int column)
{
	for (; column > 0; column--) {
		line += strcspn(line, "\t");
		if (!*line++)
			return NULL;
	}
	return wsi_clean_text(line, strcspn(line, "\t"));
}

static int
column_of(const char *line, const char *name)
{
	char *text;
	int column = 0, found = -1;
	for (; found < 0 && (text = cell(line, column)); column++) {
		if (strcasecmp(text, name) == 0)
			found = column;
		free(text);
	}
	return found;
}

typedef enum part { NAME, STATUS, TYPE, UNITS, PARTS } part;

/* A line of the table, and what its columns are. */
typedef struct row {
	const char *path;
	int columns[PARTS];      /* from 0; -1: there is none */
	char *cells[PARTS];      /* or NULL */
	size_t lines, strange;   /* read so far; of them those whose name no channel has */
	size_t torn;             /* those that have fewer cells than there are columns */
	size_t others;           /* channels whose unit is another in the recording */
	char *other;             /* of the first of these what the note tells */
} row;

/* What stands behind a sign of micro. */
static const char *
behind_micro(const char *unit)
{
	static const char *const signs[] = { "\xc2\xb5", "\xce\xbc", "micro", "u" };
	for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i)
		if (strncmp(unit, signs[i], strlen(signs[i])) == 0)
			return unit + strlen(signs[i]);
	return unit;
}

/* Values are in the unit of the recording, whatever the table says. */
static ws_status
take_unit(row *r, wsi_channel *c)
{
	const char *unit = r->cells[UNITS];
	if (!unit || !*unit || strcasecmp(unit, "n/a") == 0)
		return WS_OK;
	if (!*c->unit)
		return wsi_channel_set_unit(c, unit);
	const char *a = behind_micro(unit), *b = behind_micro(c->unit);
	if (strcmp(a, b) == 0 && (a == unit) == (b == c->unit))
		return WS_OK;
	if (r->others++ == 0 && asprintf(&r->other, "%s is in %s, not in %s", c->name, c->unit,
	                                 unit) < 0)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", r->path);
	return WS_OK;
}

/* Of the cells of a line what a channel lacks, or had better not have. */
static ws_status
take(row *r, wsi_channel *c)
{
	const char *type = r->cells[TYPE];
	const char *known = type ? wsi_type_of_word(type, strlen(type)) : NULL;
	c->bad |= r->cells[STATUS] && strcasecmp(r->cells[STATUS], "bad") == 0;
	if (known) {
		c->type = known;
		c->is_signal &= strcmp(known, "status") != 0;
	}
	return take_unit(r, c);
}

/* All channels of exactly this name, or else of this name in any case. */
static ws_status
take_row(wsi_recording *rec, row *r)
{
	const char *name = r->cells[NAME];
	bool found = false;
	for (int pass = 0; pass < 2 && !found; ++pass)
		for (size_t i = 0; i < rec->n_channels; ++i) {
			wsi_channel *c = &rec->channels[i];
			if ((pass ? strcasecmp : strcmp)(c->name, name) != 0)
				continue;
			found = true;
			WSI_TRY(take(r, c));
		}
	r->lines++;
	r->strange += !found;
	return found || !r->cells[STATUS] || strcasecmp(r->cells[STATUS], "bad") != 0 ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: channel %s is bad there, and %s has none of this name",
	                  r->path, name, rec->path);
}

static ws_status
take_line(wsi_recording *rec, row *r, const char *line)
{
	bool torn = false;
	for (int i = 0; i < PARTS; ++i) {
		r->cells[i] = r->columns[i] >= 0 ? cell(line, r->columns[i]) : NULL;
		torn |= *line && r->columns[i] >= 0 && !r->cells[i];
	}
	r->torn += torn;
	const ws_status status = r->cells[NAME] && *r->cells[NAME] ? take_row(rec, r) : WS_OK;
	for (int i = 0; i < PARTS; ++i)
		free(r->cells[i]);
	return status;
}

ws_status
wsi_channels_read(wsi_recording *rec, const char *path)
{
	static const char *const names[PARTS] = { "name", "status", "type", "units" };
	row r = { .path = path };
	char *text, *line;
	ws_status status = read_text(rec, path, &text);
	char *rest = text;
	if (status == WS_OK && strncmp(rest, "\xef\xbb\xbf", 3) == 0)
		rest += 3;
	line = status == WS_OK ? next_line(&rest) : NULL;
	for (int i = 0; i < PARTS; ++i)
		r.columns[i] = line ? column_of(line, names[i]) : -1;
	if (status == WS_OK && r.columns[NAME] < 0)
		status = WSI_FAIL(WS_E_FORMAT, "%s: is no table of channels: its first line needs "
		                  "the columns name and status, apart by tabs", path);
	while (status == WS_OK && (line = next_line(&rest)))
		status = take_line(rec, &r, line);
	if (status == WS_OK && r.others)
		status = wsi_recording_add_note(rec, "%s: its units of %zu channel%s contradict "
		                                "those of %s, which hold (%s)", path, r.others,
		                                r.others == 1 ? "" : "s", rec->path, r.other);
	if (status == WS_OK && r.torn)
		status = wsi_recording_add_note(rec, "%s: %zu of its lines %s fewer fields than "
		                                "there are columns; what is missing is taken as "
		                                "n/a", path, r.torn, r.torn == 1 ? "has" : "have");
	if (status == WS_OK && r.strange)
		status = wsi_recording_add_note(rec, "%s: of its %zu channels %zu %s not in the "
		                                "recording", path, r.lines, r.strange,
		                                r.strange == 1 ? "is" : "are");
	free(r.other);
	free(text);
	return status;
}
