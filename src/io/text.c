/*
 * text.c - tables of numbers: CSV, TSV, semicolons or blanks between columns.
 *
 * A column is a channel, a row a moment.  Lines starting with # or % are
 * comments.  The first row is a header if it holds a word.  The first of
 * several columns is the time if the header says so, or if it holds dates; the
 * sampling rate and the origin follow from it, and it must be even unless the user
 * gives the rate.  A first column of row numbers without a name is left out.  Empty
 * fields, NA and NaN become NaN.  The table is read into memory when it is opened.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/decoder.h"
#include "io/readers.h"
#include "io/segments.h"
#include "io/sha256.h"
#include "io/text_time.h"

#define BLANKS '\0'  /* the delimiter of columns set apart by blanks */

#define BLOCK ((size_t)64 << 10)

/* A line may take this part of memory: for each of its bytes there may be a field. */
#define LINE_SHARE 16

typedef struct text_state {
	size_t columns, rows;
	double *values;    /* [row][column], the time column included */
	size_t skipped;    /* columns before the first channel, 0 or 1 */
	/* While the file is read: */
	size_t room;       /* of values */
	size_t most;       /* bytes of memory that it may take */
	int fd;            /* or -1 */
	bool piped;        /* it is standard input */
	char *block;       /* of the file, as it was read */
	size_t held, taken; /* bytes of it, and those that lines have */
	wsi_sha256 hash;   /* of the lines so far */
	char *line;
	size_t line_room, line_number;
	char delimiter;
	char **fields;     /* [columns] into line */
	char **names;      /* [columns], NULL without a header */
	bool has_time;     /* column 0 is the time */
	double time_unit;  /* s per unit of a numeric time column */
	bool dates;        /* the time column holds dates */
	bool compact;      /* among them 20090824 */
	text_date first_date;
	double first_time; /* of the first row, in its unit */
	double resolution; /* the finest of the times, s */
	bool torn;         /* in this line a quote does not end where a field does */
	size_t *lines;     /* [rows] where there is a time, as much room as rows of values */
} text_state;

static int
text_probe(const unsigned char *head, size_t n, const char *path)
{
	size_t digits = 0, marks = 0;
	bool printable = true;
	for (size_t i = 0; i < n; ++i) {
		digits += head[i] >= '0' && head[i] <= '9';
		marks += head[i] > ' ';
		printable = printable && (head[i] >= ' ' || (head[i] >= '\t' && head[i] <= '\r'));
	}
	/* Tables are digits for the most part; prose is not. */
	if (printable && digits > 0 && digits >= marks / 4)
		return 2;
	/* A byte order mark of UTF-16 is let through to be told what is wrong. */
	if (!printable && !(n >= 2 && (head[0] ^ head[1]) == 1 && head[0] >= 0xfe))
		return 0;
	return wsi_name_ends(path, ".csv") || wsi_name_ends(path, ".tsv") ||
	       wsi_name_ends(path, ".txt") || wsi_name_ends(path, ".dat") ||
	       wsi_name_ends(path, ".asc") || wsi_name_ends(path, ".ascii");
}

/* ---- Lines and fields ---------------------------------------------------- */

static bool
is_text(const char *line, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		if ((unsigned char)line[i] < ' ' && !(line[i] >= '\t' && line[i] <= '\r'))
			return false;
	return true;
}

/* More of the file; held stays 0 at its end. */
static ws_status
fill_block(wsi_recording *rec)
{
	text_state *s = rec->state;
	ssize_t n;
	do
		n = read(s->fd, s->block, BLOCK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read after line %zu: %s", rec->path,
		                s->line_number, strerror(errno));
	s->taken = 0;
	s->held = (size_t)n;
	wsi_sha256_add(&s->hash, s->block, s->held);
	return WS_OK;
}

/* So many bytes behind the n of the line. */
static ws_status
grow_line(wsi_recording *rec, size_t n, size_t more)
{
	text_state *s = rec->state;
	const size_t least = s->most / LINE_SHARE > BLOCK ? s->most / LINE_SHARE : BLOCK;
	if (n + more > least)
		return WSI_FAIL(WS_E_NOMEM, "%s: line %zu has more than %zu bytes, for which "
		                "--memory is too small; is it a table?", rec->path,
		                s->line_number + 1, least);
	if (n + more < s->line_room)
		return WS_OK;
	const size_t room = 2 * (n + more) + 256;
	char *grown = realloc(s->line, room);
	if (!grown)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for line %zu", rec->path,
		                s->line_number + 1);
	s->line = grown;
	s->line_room = room;
	return WS_OK;
}

/* The next line with its end into s->line, NUL behind it; *n 0 at the end of the file. */
static ws_status
read_line(wsi_recording *rec, size_t *n)
{
	text_state *s = rec->state;
	bool whole = false;
	*n = 0;
	while (!whole) {
		if (s->taken == s->held)
			WSI_TRY(fill_block(rec));
		const char *from = s->block + s->taken;
		const size_t left = s->held - s->taken;
		const char *end = left ? memchr(from, '\n', left) : NULL;
		const size_t more = end ? (size_t)(end - from) + 1 : left;
		WSI_TRY(grow_line(rec, *n, more));
		memcpy(s->line + *n, from, more);
		*n += more;
		s->taken += more;
		whole = end || left == 0;
	}
	s->line[*n] = '\0';
	return WS_OK;
}

/* The next line that is neither blank nor a comment; *more false at the end. */
static ws_status
next_line(wsi_recording *rec, bool *more)
{
	text_state *s = rec->state;
	for (size_t n;;) {
		WSI_TRY(read_line(rec, &n));
		if (n == 0)
			break;
		++s->line_number;
		if (s->piped && !is_text(s->line, n))
			return WSI_FAIL(WS_E_FORMAT, "%s: standard input is no table at line %zu; "
			                "only CSV and TSV can be read from there, name the file of "
			                "other formats", rec->path, s->line_number);
		if (strlen(s->line) != n)
			return WSI_FAIL(WS_E_FORMAT, "%s: not a known format (" WSI_FORMATS
			                "): it starts as text, but line %zu has a NUL byte; save "
			                "tables as UTF-8", rec->path, s->line_number);
		if (s->line_number == 1 && strncmp(s->line, "\xef\xbb\xbf", 3) == 0)
			memmove(s->line, s->line + 3, n - 2);
		char *end = s->line + strcspn(s->line, "\r\n");
		if (end[strspn(end, "\r\n")] != '\0')
			return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has a carriage return within "
			                "it; save the table with line ends LF or CRLF", rec->path,
			                s->line_number);
		*end = '\0';
		const char *start = s->line + strspn(s->line, " \t\v\f");
		if (*start != '\0' && *start != '#' && *start != '%') {
			*more = true;
			return WS_OK;
		}
	}
	*more = false;
	return WS_OK;
}

/* Takes the quotes off a field at its opening one, in place; "" inside stands
 * for one.  Returns where the line goes on. */
static char *
unquote(text_state *s, char *field)
{
	char *from = field + 1, *to = field;
	while (*from != '\0' && (*from != '"' || from[1] == '"')) {
		from += *from == '"';
		*to++ = *from++;
	}
	s->torn |= *from == '\0';
	char *rest = from + (*from == '"');
	*to = '\0';
	return rest;
}

/* Ends the field at *at, and moves *at to the next one, or to NULL. */
static char *
cut_field(text_state *s, char **at)
{
	const char stops[3] = { s->delimiter ? s->delimiter : ' ', s->delimiter ? '\0' : '\t',
	                        '\0' };
	char *field = *at + strspn(*at, s->delimiter == '\t' ? " " : " \t");
	const bool quoted = *field == '"';
	char *end = quoted ? unquote(s, field) : field;
	const size_t n = strcspn(end, stops);
	s->torn |= quoted && strspn(end, " \t\v\f") < n;
	end += n;
	*at = *end == '\0' ? NULL : end + 1;
	*end = '\0';
	while (!quoted && end > field && strchr(" \t\v\f", end[-1]))
		*--end = '\0';
	if (s->delimiter == BLANKS && *at) {
		*at += strspn(*at, " \t");
		if (**at == '\0')
			*at = NULL;
	}
	return field;
}

/* Cuts the line into fields and returns their number; fields[] takes the
 * first max.  A delimiter at the end of the line makes none. */
static size_t
split(text_state *s, size_t max)
{
	size_t n = 0;
	const char *last = "";
	s->torn = false;
	for (char *at = s->line; at; ++n) {
		char *field = cut_field(s, &at);
		if (n < max)
			s->fields[n] = field;
		last = field;
	}
	return n > 1 && *last == '\0' && n != s->columns ? n - 1 : n;
}

/* ---- Cells --------------------------------------------------------------- */

static bool
is_missing(const char *field)
{
	return *field == '\0' || strcasecmp(field, "NA") == 0 || strcasecmp(field, "N/A") == 0 ||
	       strcasecmp(field, "NaN") == 0;
}

static bool
parse_number(const char *field, double *value)
{
	char *end;
	*value = NAN;
	if (is_missing(field))
		return true;
	*value = strtod(field, &end);
	return *end == '\0';
}

/* "3,14": digits on both sides of one comma. */
static bool
has_decimal_comma(const char *field)
{
	const char *comma = strchr(field, ',');
	return comma && strspn(field, "+-0123456789.") == (size_t)(comma - field) &&
	       comma[1] != '\0' && strspn(comma + 1, "0123456789eE+-") == strlen(comma + 1);
}

static ws_status
refuse_cell(const wsi_recording *rec, size_t column)
{
	const text_state *s = rec->state;
	const char *field = s->fields[column];
	char *shown = wsi_clean_text(field, strnlen(field, 40));
	const char *name = s->names ? s->names[column] : "";
	const char *what = has_decimal_comma(field) ? "has a decimal comma; write decimal points"
	                 : column == 0 && s->dates  ? "is not a date (2009-08-24 is)"
	                 : "is not a number; remove the column or mark missing values by NA";
	const ws_status status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu, column %zu%s%.40s%s: '%s' %s",
	                                  rec->path, s->line_number, column + 1,
	                                  *name != '\0' ? " (" : "", name,
	                                  *name != '\0' ? ")" : "", shown ? shown : "", what);
	free(shown);
	return status;
}

/* The moment in a row's first field, in s from that in the first row. */
static bool
parse_time(text_state *s, double *value)
{
	text_date date;
	const double resolution = text_resolution(s->fields[0]) * (s->dates ? 1 : s->time_unit);
	if (!is_missing(s->fields[0]) && (s->rows == 0 || resolution < s->resolution))
		s->resolution = resolution;
	if (!s->dates || is_missing(s->fields[0])) {
		const bool ok = parse_number(s->fields[0], value);
		if (s->rows == 0)
			s->first_time = *value;
		/* Stamps of 16 digits keep them all in differences alone. */
		*value = (*value - s->first_time) * s->time_unit;
		return ok;
	}
	if (!text_parse_date(s->fields[0], s->compact, &date))
		return false;
	if (s->rows == 0)
		s->first_date = date;
	*value = (double)(date.seconds - s->first_date.seconds) +
	         (date.fraction - s->first_date.fraction);
	return true;
}

/* Messages on times name lines, which are known only while the file is read. */
static ws_status
grow_lines(wsi_recording *rec)
{
	text_state *s = rec->state;
	if (!s->has_time)
		return WS_OK;
	size_t *grown = realloc(s->lines, s->room / s->columns * sizeof *grown);
	if (!grown)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for the table at line %zu", rec->path,
		                s->line_number);
	s->lines = grown;
	return WS_OK;
}

/* Room for another row: twice as much as before, as far as memory goes. */
static ws_status
grow_values(wsi_recording *rec)
{
	text_state *s = rec->state;
	const size_t row = (s->columns + (s->has_time ? 1 : 0)) * sizeof *s->values;
	const size_t most = s->most / row * s->columns, least = s->room + s->columns;
	size_t room = s->room > s->columns ? 2 * s->room : 2 * s->columns;
	room = room > most ? most : room;
	if (room < least)
		return WSI_FAIL(WS_E_NOMEM, "%s: line %zu: the table takes more memory than the "
		                "%zu bytes that --memory leaves; give more, or save it as .npy",
		                rec->path, s->line_number, s->most);
	double *grown = realloc(s->values, room * sizeof *grown);
	if (!grown)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for the table at line %zu", rec->path,
		                s->line_number);
	s->values = grown;
	s->room = room;
	return grow_lines(rec);
}

static ws_status
add_row(wsi_recording *rec)
{
	text_state *s = rec->state;
	const size_t used = s->rows * s->columns;
	if (s->room - used < s->columns)
		WSI_TRY(grow_values(rec));
	if (s->has_time)
		s->lines[s->rows] = s->line_number;
	for (size_t i = 0; i < s->columns; ++i) {
		double *value = &s->values[used + i];
		if (i == 0 && s->has_time ? !parse_time(s, value)
		                          : !parse_number(s->fields[i], value))
			return refuse_cell(rec, i);
	}
	++s->rows;
	return WS_OK;
}

/* ---- The table ----------------------------------------------------------- */

static char
find_delimiter(const char *line)
{
	return strchr(line, '\t') ? '\t' : strchr(line, ';') ? ';' : strchr(line, ',') ? ','
	       : BLANKS;
}

/* Is the row in fields[] a header: does it hold a word? */
static bool
is_header(const text_state *s)
{
	double number;
	text_date date;
	for (size_t i = 0; i < s->columns; ++i)
		if (!parse_number(s->fields[i], &number) && !has_decimal_comma(s->fields[i]) &&
		    !text_parse_date(s->fields[i], false, &date))
			return true;
	return false;
}

/* What stands behind a quoted number would be lost. */
static ws_status
refuse_quotes(const wsi_recording *rec)
{
	const text_state *s = rec->state;
	return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has a quote that does not end where its field "
	                "does; mend the line", rec->path, s->line_number);
}

/* From the first line: delimiter, number of columns, names if it is a header. */
static ws_status
parse_first_line(wsi_recording *rec, bool *header)
{
	text_state *s = rec->state;
	s->delimiter = find_delimiter(s->line);
	const size_t most = strlen(s->line) + 1;
	s->fields = calloc(most + 1, sizeof *s->fields);
	if (!s->fields)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
	s->columns = split(s, most);
	if (s->torn)
		return refuse_quotes(rec);
	*header = is_header(s);
	if (!*header)
		return WS_OK;
	s->names = calloc(s->columns, sizeof *s->names);
	for (size_t i = 0; s->names && i < s->columns; ++i) {
		s->names[i] = wsi_clean_text(s->fields[i], strlen(s->fields[i]));
		if (!s->names[i])
			return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
	}
	return s->names ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
}

/* From the header and the first row of numbers: is column 0 the time? */
static void
find_time(text_state *s)
{
	text_date date;
	if (s->columns < 2)
		return;
	if (s->names)
		s->time_unit = text_time_unit(s->names[0]);
	s->compact = s->names && strncasecmp(s->names[0], "date", 4) == 0;
	s->dates = text_parse_date(s->fields[0], s->compact, &date);
	s->has_time = s->dates || s->time_unit > 0;
}

static ws_status
read_rows(wsi_recording *rec)
{
	text_state *s = rec->state;
	bool more, header = false;
	WSI_TRY(next_line(rec, &more));
	if (!more)
		return WSI_FAIL(WS_E_FORMAT, "%s: no line holds a number", rec->path);
	WSI_TRY(parse_first_line(rec, &header));
	if (header)
		WSI_TRY(next_line(rec, &more));
	for (bool first = true; more; first = false) {
		/* Without a header the first line is cut already. */
		const size_t n = first && !header ? s->columns : split(s, s->columns + 1);
		if (s->torn)
			return refuse_quotes(rec);
		if (n != s->columns)
			return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has %zu column%s, the lines "
			                "before have %zu; a table has as many in every line",
			                rec->path, s->line_number, n, n == 1 ? "" : "s",
			                s->columns);
		if (first)
			find_time(s);
		WSI_TRY(add_row(rec));
		WSI_TRY(next_line(rec, &more));
	}
	if (s->rows == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: a header, but no line of numbers after it",
		                rec->path);
	return WS_OK;
}

/* Does the first column count the rows?  pandas and R write it so, without a
 * name. */
static bool
counts_rows(const text_state *s)
{
	if (!s->names || s->columns < 2 || s->names[0][0] != '\0')
		return false;
	for (size_t i = 0; i < s->rows; ++i)
		if (s->values[i * s->columns] != s->values[0] + (double)i)
			return false;
	return s->values[0] == 0 || s->values[0] == 1;
}

/* Says what is wrong with the times; a decomposition across a gap would pass
 * for one of the whole. */
static ws_status
refuse_times(const wsi_recording *rec, const text_spacing *t)
{
	static const char fs[] = "give --fs to take the rows as evenly spaced";
	const text_state *s = rec->state;
	const size_t line = s->lines[t->row];
	const double unit = s->dates ? 1 : s->time_unit;
	const char *name = s->dates || unit == 1 ? " s" : "";
	switch (t->found) {
	case TEXT_NO_TIME:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has no time; remove the line, or %s",
		                rec->path, line, fs);
	case TEXT_BACK:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the time goes back by %.6g%s; sort "
		                "the rows, or %s", rec->path, line, -t->interval / unit, name, fs);
	case TEXT_REPEATED:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu repeats the time of the line "
		                "before; remove one of them, or %s", rec->path, line, fs);
	default:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the times are not evenly spaced: "
		                "this one is off by %.3g%s of steps of %.6g%s; resample the "
		                "table, or %s", rec->path, line, t->off / unit, name,
		                t->step / unit, name, fs);
	}
}

/* Rows behind a gap are a segment.  Their times count from the first row. */
static ws_status
report_gaps(wsi_recording *rec, const text_spacing *spacing)
{
	const text_state *s = rec->state;
	for (size_t i = 1, found = 0; i < s->rows && found < spacing->gaps; ++i) {
		const double time = s->values[i * s->columns];
		if (!text_is_gap(spacing, time - s->values[(i - 1) * s->columns]))
			continue;
		++found;
		WSI_TRY(wsi_recording_add_segment(rec, (double)i / spacing->rate, time, NAN));
	}
	return WS_OK;
}

/* *rate from the times, 0 where they tell none, and where they begin.  A rate that
 * the user gives takes their place. */
static ws_status
take_times(wsi_recording *rec, double *rate)
{
	const text_state *s = rec->state;
	text_spacing spacing;
	*rate = 0;
	if (!s->has_time || s->rows < 2 || rec->opts.fs != 0)
		return WS_OK;
	if (!text_examine(s->values, s->rows, s->columns, s->dates ? &s->first_date : NULL,
	                  s->resolution, &spacing))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to look at its times", rec->path);
	if (spacing.found == TEXT_MONTHS)
		return wsi_recording_add_note(rec, "%s: its times step by calendar months, "
		                              "which differ in length, so they count samples; --fs "
		                              "gives a rate", rec->path);
	if (spacing.found != TEXT_EVEN)
		return refuse_times(rec, &spacing);
	*rate = spacing.rate;
	/* Dates count from the first one, which start_time tells. */
	rec->time_origin = s->dates ? 0 : s->first_time * s->time_unit;
	rec->time_unit = s->dates ? 0 : s->time_unit;
	return report_gaps(rec, &spacing);
}

static ws_status
set_channels(wsi_recording *rec)
{
	text_state *s = rec->state;
	double rate;
	WSI_TRY(take_times(rec, &rate));
	s->skipped = s->has_time || counts_rows(s);
	WSI_TRY(wsi_recording_set_channels(rec, s->columns - s->skipped));
	rec->fs_known = rate > 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const char *name = s->names ? s->names[i + s->skipped] : "";
		if (*name != '\0')
			WSI_TRY(wsi_channel_set_name(&rec->channels[i], name));
		if (rec->fs_known)
			rec->channels[i].fs = rate;
		rec->channels[i].samples = s->rows;
	}
	if (s->dates)
		text_format_date(&s->first_date, rec->start_time);
	return WS_OK;
}

/* What is needed only while the file is read. */
static void
free_reading(text_state *s)
{
	for (size_t i = 0; s->names && i < s->columns; ++i)
		free(s->names[i]);
	if (s->fd >= 0 && !s->piped)
		close(s->fd);
	s->fd = -1;
	free(s->block);
	free(s->names);
	free(s->fields);
	free(s->line);
	free(s->lines);
	s->names = s->fields = NULL;
	s->lines = NULL;
	s->line = s->block = NULL;
}

static ws_status
text_open(wsi_recording *rec)
{
	text_state *s = rec->state = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	s->fd = -1;
	s->most = wsi_reading_memory(&rec->opts);
	s->block = malloc(BLOCK);
	if (!s->block)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	if (strcmp(rec->path, "-") == 0) {
		s->piped = true;
		s->fd = STDIN_FILENO;
		WSI_TRY(wsi_opened_add(rec->opts.opened, s->fd, "standard input"));
	} else {
		wsi_file f;
		WSI_TRY(wsi_file_open(&f, rec->path, rec->opts.opened));
		s->fd = f.fd;
	}
	wsi_sha256_start(&s->hash);
	WSI_TRY(read_rows(rec));
	if (!s->piped)
		wsi_sha256_finish(&s->hash, rec->sha256);
	rec->held = s->rows * s->columns * sizeof *s->values;
	WSI_TRY(set_channels(rec));
	free_reading(s);
	return WS_OK;
}

static ws_status
text_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	(void)epoch;
	const text_state *s = rec->state;
	const double *from = s->values + first * s->columns + channel + s->skipped;
	for (size_t i = 0; i < count; ++i)
		out[i] = from[i * s->columns];
	return WS_OK;
}

static void
text_close(wsi_recording *rec)
{
	text_state *s = rec->state;
	if (!s)
		return;
	free_reading(s);
	free(s->values);
	free(s);
	rec->state = NULL;
}

const wsi_reader wsi_reader_text = {
	.name = "text", .probe = text_probe, .open = text_open, .read = text_read,
	.close = text_close,
};
