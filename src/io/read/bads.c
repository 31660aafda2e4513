/* bads.c - channels that a table calls bad (--bads). */
#include "io/read/bads.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/read/readers.h"

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

static ws_status
mark(wsi_recording *rec, const char *name, const char *path)
{
	size_t found = 0, last = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (strcmp(rec->channels[i].name, name) == 0) {
			rec->channels[i].bad = true;
			found = 1;
			last = i;
		}
	for (size_t i = 0; found == 0 && i < rec->n_channels; ++i)
		if (strcasecmp(rec->channels[i].name, name) == 0)
			rec->channels[last = i].bad = true;
	return rec->n_channels && rec->channels[last].bad
	       && strcasecmp(rec->channels[last].name, name) == 0 ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: channel %s is bad there, and %s has none of this name",
	                  path, name, rec->path);
}

static ws_status
mark_line(wsi_recording *rec, const char *line, int names, int states, const char *path)
{
	char *name = cell(line, names), *state = cell(line, states);
	ws_status status = WS_OK;
	if (name && state && strcasecmp(state, "bad") == 0)
		status = mark(rec, name, path);
	free(name);
	free(state);
	return status;
}

ws_status
wsi_bads_read(wsi_recording *rec, const char *path)
{
	char *text, *line;
	ws_status status = read_text(rec, path, &text);
	char *rest = text;
	if (status == WS_OK && strncmp(rest, "\xef\xbb\xbf", 3) == 0)
		rest += 3;
	line = status == WS_OK ? next_line(&rest) : NULL;
	const int names = line ? column_of(line, "name") : -1;
	const int states = line ? column_of(line, "status") : -1;
	if (status == WS_OK && names < 0)
		status = WSI_FAIL(WS_E_FORMAT, "%s: is no table of channels: its first line needs "
		                  "the columns name and status, apart by tabs", path);
	while (status == WS_OK && states >= 0 && (line = next_line(&rest)))
		status = mark_line(rec, line, names, states, path);
	free(text);
	return status;
}
