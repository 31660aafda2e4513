/* patch_text.c - lines of a table, with other numbers in the cells that changed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/read/text_table.h"
#include "io/write/patch_text.h"

#define NUMBER 40  /* characters of one */

ws_status
wsi_patch_check_table(const wsi_recording *rec)
{
	const text_state *s = rec->state;
	if (s->months || !s->lines)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: a table of years by months is not written "
		                "anew; give one with a row for each moment", rec->path);
	return WS_OK;
}

size_t
wsi_patch_put_in_table(wsi_recording *rec, size_t channel, size_t first, size_t count,
                       const double *before, const double *after)
{
	const text_state *s = rec->state;
	size_t changed = 0;
	for (size_t i = 0; i < count; ++i) {
		if (isnan(after[i]) || after[i] == before[i])
			continue;
		s->values[(s->first_row + first + i) * s->columns + s->column_of[channel]] =
		        after[i];
		changed++;
	}
	return changed;
}

/* As few digits as bring it back; the decimal mark is the table's. */
static void
format(const text_state *s, double value, char text[NUMBER])
{
	for (int digits = 15; digits <= 17; ++digits) {
		wsi_snprintf(text, NUMBER, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	char *mark = strchr(text, '.');
	if (mark)
		*mark = s->point;
}

/* What a line is written to. */
typedef struct line {
	const char *from;      /* as it was, of n bytes */
	size_t n;
	char *to;              /* room for all, however many cells change */
	size_t used, done;     /* bytes written, and taken of from */
} line;

static void
take(line *l, size_t end)
{
	if (end <= l->done)
		return;
	memcpy(l->to + l->used, l->from + l->done, end - l->done);
	l->used += end - l->done;
	l->done = end;
}

/* A cell that begins at a byte of the line, of so many. */
static void
replace(line *l, size_t at, size_t length, const char *text)
{
	take(l, at);
	const size_t n = strlen(text);
	memcpy(l->to + l->used, text, n);
	l->used += n;
	l->done = at + length;
}

/* Replaces the cells of a row that are no longer what they say; *replaced counts them. */
static ws_status
write_row(wsi_recording *rec, size_t row, line *l, const char *content, size_t *replaced)
{
	text_state *s = rec->state;
	char **fields, text[NUMBER];
	size_t n, column = 0;
	WSI_TRY(text_fields_of(rec, content, &fields, &n));
	/* fields[] are slices of a copy of content, each at its place. */
	const char *copy = (const char *)(fields + strlen(content) + 1);
	for (; column < s->columns && column < n; ++column) {
		const size_t at = (size_t)(fields[column] - copy);
		const bool quoted = content[at] == '"';
		const size_t length = strlen(fields[column]);
		const double value = s->values[row * s->columns + column];
		double was = 0;
		bool is_channel = false;
		for (size_t c = 0; c < rec->n_channels && !is_channel; ++c)
			is_channel = s->column_of[c] == column;
		if (!is_channel || !text_parse_cell(s, fields[column], &was) || was == value
		    || isnan(value))
			continue;
		format(s, value, text);
		replace(l, (size_t)(content - l->from) + at + quoted, length, text);
		++*replaced;
	}
	free(fields);
	return WS_OK;
}

/* A line of so many bytes, which is that of a row, or of none (SIZE_MAX). */
static ws_status
write_line(wsi_recording *rec, char *bytes, size_t n, size_t row, FILE *out, size_t *replaced)
{
	const text_state *s = rec->state;
	line l = { .from = bytes, .n = n, .to = malloc(n + s->columns * NUMBER) };
	WSI_HAVE(l.to, "%s: no memory for a line of %zu bytes", rec->path, n);
	ws_status status = WS_OK;
	if (row != SIZE_MAX) {
		size_t end = n;
		while (end > 0 && strchr("\r\n", bytes[end - 1]))
			end--;
		const char last = bytes[end];
		bytes[end] = '\0';
		status = write_row(rec, row, &l,
		                   bytes + 3 * (strncmp(bytes, "\xef\xbb\xbf", 3) == 0), replaced);
		bytes[end] = last;
	}
	take(&l, l.n);
	fwrite(l.to, 1, l.used, out);
	free(l.to);
	return status;
}

static ws_status
write_lines(wsi_recording *rec, size_t changed, FILE *in, FILE *out, char **bytes, size_t *room)
{
	const text_state *s = rec->state;
	size_t row = s->first_row, replaced = 0, number = 0;
	for (ssize_t n; (n = getline(bytes, room, in)) > 0;) {
		number++;
		while (row < s->rows && s->lines[row] < number)
			row++;
		const bool is_row = row < s->rows && s->lines[row] == number;
		WSI_TRY(write_line(rec, *bytes, (size_t)n, is_row ? row : SIZE_MAX, out,
		                   &replaced));
	}
	if (ferror(in))
		return WSI_FAIL(WS_E_IO, "%s: cannot be read: %s", rec->path, strerror(errno));
	if (replaced != changed)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: %zu of the %zu samples that would change "
		                "were found in its lines: it changed meanwhile, or its rows stand "
		                "in lines in a way that is not written anew", rec->path, replaced,
		                changed);
	return WS_OK;
}

ws_status
wsi_patch_write_table(wsi_recording *rec, const wsi_patch_file *f, size_t changed)
{
	wsi_c_locale locale;
	char *bytes = NULL;
	size_t room = 0;
	FILE *out = wsi_newfile_stream(&f->file);
	if (!out)
		return wsi_write_fail(f->path);
	FILE *in = fopen(rec->path, "re");
	wsi_c_locale_enter(&locale);
	ws_status status = in ? write_lines(rec, changed, in, out, &bytes, &room)
	                   : WSI_FAIL(WS_E_IO, "%s: cannot be read: %s", rec->path,
	                              strerror(errno));
	wsi_c_locale_leave(&locale);
	free(bytes);
	if (in)
		fclose(in);
	const ws_status closed = status == WS_OK ? wsi_write_close(out, f->path) : WS_OK;
	if (status != WS_OK)
		fclose(out);
	return status == WS_OK ? closed : status;
}
