/* text_rows.c - the rows of a table, read into numbers. */
#include "io/read/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is kept of each row beside its values. */
static size_t
bytes_beside(const text_state *s)
{
	return (s->numbered ? sizeof *s->lines : 0) +
	       (s->times == TEXT_OPEN_DATES ? sizeof *s->parts : 0);
}

static ws_status
no_memory(const wsi_recording *rec)
{
	const text_state *s = rec->state;
	return WSI_FAIL(WS_E_NOMEM, "%s: no memory for the table at line %zu", rec->path,
	                s->line_number);
}

/* Messages on times name lines, which are known only while the file is read. */
static ws_status
grow_beside(wsi_recording *rec)
{
	text_state *s = rec->state;
	const size_t rows = s->room / s->columns;
	if (s->numbered) {
		size_t *grown = realloc(s->lines, rows * sizeof *grown);
		if (!grown)
			return no_memory(rec);
		s->lines = grown;
	}
	if (s->times == TEXT_OPEN_DATES) {
		uint32_t *grown = realloc(s->parts, rows * sizeof *grown);
		if (!grown)
			return no_memory(rec);
		s->parts = grown;
	}
	return WS_OK;
}

/* Room for another row: twice as much as before, as far as memory goes. */
static ws_status
grow_values(wsi_recording *rec)
{
	text_state *s = rec->state;
	const size_t row = s->columns * sizeof *s->values + bytes_beside(s);
	const size_t most = s->most / row * s->columns, least = s->room + s->columns;
	size_t room = s->room > s->columns ? 2 * s->room : 2 * s->columns;
	room = room > most ? most : room;
	if (room < least)
		return WSI_FAIL(WS_E_NOMEM, "%s: line %zu: the table takes more memory than the "
		                "%zu bytes that `memory` leaves; give more, or save it as .npy",
		                rec->path, s->line_number, s->most);
	double *grown = realloc(s->values, room * sizeof *grown);
	if (!grown)
		return no_memory(rec);
	s->values = grown;
	s->room = room;
	return grow_beside(rec);
}

/* Where the values of the next row go. */
static ws_status
next_row(wsi_recording *rec, double **values)
{
	text_state *s = rec->state;
	const size_t used = s->rows * s->columns;
	if (s->room - used < s->columns)
		WSI_TRY(grow_values(rec));
	if (s->numbered)
		s->lines[s->rows] = s->line_number;
	*values = &s->values[used];
	return WS_OK;
}

static ws_status
add_missing(wsi_recording *rec)
{
	text_state *s = rec->state;
	double *values;
	WSI_TRY(next_row(rec, &values));
	for (size_t i = 0; i < s->columns; ++i)
		values[i] = NAN;
	if (s->times == TEXT_OPEN_DATES)
		s->parts[s->rows] = TEXT_NO_PARTS;
	++s->rows;
	return WS_OK;
}

/* Rows in which two whole numbers are looked at for a decimal comma: "0,05". */
#define LOOKED_AT 256

static bool
has_leading_zero(const char *field)
{
	return field[0] == '0' && field[1] >= '0' && field[1] <= '9';
}

static ws_status
add_row(wsi_recording *rec)
{
	text_state *s = rec->state;
	const bool stamped = s->times != TEXT_UNTIMED && s->times != TEXT_CALENDAR;
	const size_t stamps = stamped ? s->time_columns : 0;
	double *values;
	WSI_TRY(next_row(rec, &values));
	s->integers = true;
	for (size_t i = 0; i < s->columns; ++i) {
		if (stamps && i == s->time_column) {
			if (!text_parse_stamp(s, &values[i]))
				return text_refuse_cell(rec, i);
			i += stamps - 1;
		} else if (s->skipped && s->skipped[i]) {
			values[i] = NAN;
		} else if (!text_parse_cell(s, s->fields[i], &values[i])) {
			return text_refuse_cell(rec, i);
		}
	}
	if (s->rows < LOOKED_AT && s->columns == 2 && s->delimiter == ',' && !s->points &&
	    has_leading_zero(s->fields[1]))
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: %s,%s may be one number with a decimal "
		                "comma; write decimal points, or set columns apart by semicolons",
		                rec->path, s->line_number, s->fields[0], s->fields[1]);
	/* Numbers that count are names only if those below are of another kind. */
	if (s->rows > 0 && s->integers && !(s->columns > 1 && isnan(s->values[0]))) {
		s->numeric_row |= s->numeric_names;
		s->numeric_names = false;
	}
	++s->rows;
	return WS_OK;
}

/* The row that the head ended with, and those before it. */
static ws_status
add_first_rows(wsi_recording *rec)
{
	text_state *s = rec->state;
	s->alternating = true;
	for (size_t i = 0; i < s->blank_rows; ++i)
		WSI_TRY(add_missing(rec));
	if (s->untimed_head && s->names) {
		WSI_TRY(wsi_recording_add_note(rec, "%s: line %zu has no time, and is left out",
		                               rec->path, s->line_number));
		return WS_OK;
	}
	if (s->corner_row) {
		char **fields, **row = s->fields;
		size_t n;
		WSI_TRY(text_fields_of(rec, s->heads[0], &fields, &n));
		s->fields = fields;
		const ws_status status = n == s->columns ? add_row(rec) : WS_OK;
		s->fields = row;
		free(fields);
		WSI_TRY(status);
	}
	return add_row(rec);
}

/* ---- Blank lines of one column -------------------------------------------- */

/* Before another number: those lines are missing values, unless as many stand between all. */
static ws_status
take_blanks(wsi_recording *rec)
{
	text_state *s = rec->state;
	if (s->columns > 1 || s->rows == 0)
		s->blanks = 0;
	if (s->rows == 1)
		s->between = s->blanks;
	s->alternating &= s->rows == 0 || s->blanks == s->between;
	for (; s->blanks > 0; --s->blanks, ++s->inserted)
		WSI_TRY(add_missing(rec));
	return WS_OK;
}

/* Lines that stand between all numbers are how the file ends its lines. */
static void
take_blanks_out(text_state *s)
{
	const size_t step = s->between + 1;
	if (!s->alternating || s->between == 0 || s->rows < 2 * step + 1)
		return;
	s->rows = (s->rows - 1) / step + 1;
	for (size_t i = 0; i < s->rows; ++i) {
		s->values[i] = s->values[i * step];
		if (s->numbered)
			s->lines[i] = s->lines[i * step];
	}
	s->inserted = 0;
}

/* ---- Behind the numbers --------------------------------------------------- */

static ws_status
refuse_columns(const wsi_recording *rec, size_t n)
{
	const text_state *s = rec->state;
	return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has %zu column%s, the lines "
	                "before have %zu; a table has as many in every line",
	                rec->path, s->line_number, n, n == 1 ? "" : "s", s->columns);
}

/* Words may follow the table: they are no row that is damaged if they stand apart, or have not as
 * many fields, and no numbers follow them. */
static bool
may_be_footer(const text_state *s, size_t n, bool apart)
{
	text_date date;
	const unsigned char c = (unsigned char)s->line[s->line_start];
	if (!s->footer && !((c | 32) >= 'a' && (c | 32) <= 'z') && c < 0x80 && c != '*' && c != '(')
		return false;
	return (n != s->columns || apart) && !text_is_cell(s, s->fields[0]) &&
	       !text_parse_date(s->fields[0], s->compact, &date) &&
	       !text_parse_clock(s->fields[0], TEXT_HOURS, &date);
}

static ws_status
take_row(wsi_recording *rec, bool apart)
{
	text_state *s = rec->state;
	const size_t n = text_split(s, s->line, s->columns + 1);
	if (s->torn)
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has a quote that does not end where its "
		                "field does; mend the line", rec->path, s->line_number);
	if ((n != s->columns || apart || s->footer) && may_be_footer(s, n, apart || s->footer)) {
		if (!s->footer) {
			n == s->columns ? text_refuse_cell(rec, 0) : refuse_columns(rec, n);
			s->footer = s->line_number;
			s->footer_detail = wsi_strdup(ws_error_detail());
		}
		return s->footer_detail ? WS_OK : no_memory(rec);
	}
	if (s->footer)
		return WSI_FAIL(WS_E_FORMAT, "%s", s->footer_detail);
	/* The last year may not be over. */
	if (s->months && !s->partial && n > s->time_column + 1 && n < s->columns) {
		s->partial = n;
		for (size_t i = n; i < s->columns; ++i)
			s->fields[i] = s->line + strlen(s->line);
		return add_row(rec);
	}
	if (n != s->columns || s->partial)
		return refuse_columns(rec, n);
	WSI_TRY(take_blanks(rec));
	return add_row(rec);
}

static ws_status
note_lines(wsi_recording *rec)
{
	const text_state *s = rec->state;
	if (s->comments)
		WSI_TRY(wsi_recording_add_note(rec, "%s: %zu comment line%s among or behind the "
		                               "numbers, from line %zu on, %s skipped", rec->path,
		                               s->comments, s->comments == 1 ? "" : "s",
		                               s->first_comment, s->comments == 1 ? "is" : "are"));
	if (s->footer)
		WSI_TRY(wsi_recording_add_note(rec, "%s: the table ends before line %zu, where "
		                               "words follow", rec->path, s->footer));
	if (s->inserted)
		WSI_TRY(wsi_recording_add_note(rec, "%s: %zu blank line%s between its numbers %s "
		                               "taken for missing values", rec->path, s->inserted,
		                               s->inserted == 1 ? "" : "s",
		                               s->inserted == 1 ? "is" : "are"));
	return WS_OK;
}

/* The row has fields, though none holds anything: tabs alone. */
static bool
is_empty_row(const text_state *s)
{
	size_t tabs = 0;
	for (const char *c = s->line; s->delimiter == '\t' && *c != '\0'; ++c)
		tabs += *c == '\t';
	return tabs > 0 && (tabs + 1 == s->columns || tabs == s->columns);
}

static ws_status
take_line(wsi_recording *rec, text_line_kind kind, bool *apart)
{
	text_state *s = rec->state;
	const bool after_blank = *apart;
	if (kind == TEXT_COMMENT || (s->line[s->line_start] == '-' && text_is_rule(s->line) &&
	                             s->columns > 1)) {
		*apart |= kind != TEXT_COMMENT;
		if (s->comments++ == 0)
			s->first_comment = s->line_number;
		return WS_OK;
	}
	*apart = false;
	if (kind == TEXT_ROW || is_empty_row(s))
		return take_row(rec, after_blank);
	++s->blanks;
	*apart = true;
	return WS_OK;
}

ws_status
text_read_rows(wsi_recording *rec)
{
	text_state *s = rec->state;
	bool more, apart = false;
	WSI_TRY(text_read_head(rec, &more));
	if (!more)
		return WS_OK;
	WSI_TRY(text_find_times(rec));
	s->numbered = s->times != TEXT_UNTIMED || rec->opts.keeps_lines;
	WSI_TRY(add_first_rows(rec));
	for (text_line_kind kind;;) {
		WSI_TRY(text_next_line(rec, &kind));
		if (kind == TEXT_END)
			break;
		WSI_TRY(take_line(rec, kind, &apart));
	}
	take_blanks_out(s);
	if (s->rows == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: a header, but no line of numbers after it",
		                rec->path);
	WSI_TRY(note_lines(rec));
	return s->times == TEXT_UNTIMED ? WS_OK : text_settle_times(rec);
}
