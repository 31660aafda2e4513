/*
 * text_head.c - what stands before the numbers of a table (text_table.h).
 *
 * The first row of numbers decides the delimiter and the number of columns.  The line before it, a
 * comment or not, names the columns if it has as many fields; a row of units may stand between.
 * Other lines before them are titles, of which a note tells.  A line that holds a number among
 * other things is taken for a title only where names follow it: else it is a damaged row.
 */
#include "io/read/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Lines before the first numbers. */
#define MOST_WORDS 2000

/* ---- Lines that are kept -------------------------------------------------- */

static ws_status
keep(wsi_recording *rec, const char *line, bool comment)
{
	text_state *s = rec->state;
	char *copy = strdup(line), **fields;
	WSI_HAVE(copy, "%s: no memory for its columns", rec->path);
	s->delimiter = s->delimiter_told ? s->delimiter : text_find_delimiter(line);
	const ws_status status = text_fields_of(rec, line, &fields, &s->head_columns);
	if (status != WS_OK) {
		free(copy);
		return status;
	}
	free(fields);
	free(s->heads[TEXT_HEADS - 1]);
	for (size_t i = TEXT_HEADS - 1; i > 0; --i) {
		s->heads[i] = s->heads[i - 1];
		s->head_is_comment[i] = s->head_is_comment[i - 1];
		s->head_line[i] = s->head_line[i - 1];
	}
	s->heads[0] = copy;
	s->head_is_comment[0] = comment;
	s->head_line[0] = s->line_number;
	if (!comment) {
		if (s->words++ == 0)
			s->first_words = s->line_number;
		s->blank_rows = 0;
	}
	return text_listen(rec, line, comment);
}

/* A line that is nearly one of numbers: what is wrong with it is told if none of numbers follow, or
 * names do not. */
static ws_status
suspect(wsi_recording *rec, char **fields, size_t n)
{
	text_state *s = rec->state;
	size_t column = 0;
	while (column < n && text_is_datum(s, fields[column]))
		++column;
	if (s->suspect || column == n)
		return WS_OK;
	char **names = NULL, **before = s->fields;
	size_t n_names = 0;
	if (s->heads[0])
		WSI_TRY(text_fields_of(rec, s->heads[0], &names, &n_names));
	s->fields = fields;
	s->names = n_names == n ? names : NULL;
	text_refuse_cell(rec, column);
	s->names = NULL;
	s->fields = before;
	free(names);
	s->suspect = strdup(ws_error_detail());
	return s->suspect ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns",
	                                     rec->path);
}

/* Are the fields "0", "1", "2".. , as pandas writes names that are none? */
static bool
count_up(char **fields, size_t n)
{
	char number[24];
	for (size_t i = 0; i < n; ++i) {
		snprintf(number, sizeof number, "%zu", i);
		if (strcmp(fields[i], number) != 0)
			return false;
	}
	return n > 0;
}

/* Above dates ",0,1" is a line of names; above numbers it is a row till all are read. */
static ws_status
take_corner(wsi_recording *rec)
{
	text_state *s = rec->state;
	text_date date;
	char **fields;
	size_t n;
	if (!text_parse_date(s->fields[0], false, &date) &&
	    !text_parse_clock(s->fields[0], TEXT_CLOCK_OPEN, &date)) {
		s->numeric_names = true;
		return WS_OK;
	}
	s->corner_row = false;
	WSI_TRY(text_fields_of(rec, s->heads[0], &fields, &n));
	const ws_status status = text_copy_fields(rec, fields, n, 0, &s->names);
	free(fields);
	return status;
}

/* ---- The head ------------------------------------------------------------- */

/* The line is the first of numbers. */
static ws_status
begin_table(wsi_recording *rec, size_t columns)
{
	text_state *s = rec->state;
	s->columns = columns;
	WSI_NEW(s->fields, columns + 1, "%s: no memory for its columns", rec->path);
	if (!s->corner_row)
		WSI_TRY(text_find_names(rec));
	if (s->blank_rows && s->blank_columns != columns)
		return text_refuse_header(rec, s->blank_columns);
	text_split(s, s->line, columns + 1);
	for (size_t i = 0; i < columns; ++i)
		s->fields[i] = text_bare(s->fields[i]);
	if (s->corner_row)
		return take_corner(rec);
	/* A mask has no names. */
	s->numeric_names = !s->names && !s->blank_rows && s->words == 0 && !rec->opts.masks &&
	                   count_up(s->fields, columns);
	return WS_OK;
}

/* A line that is no comment; *begun: it is the first of numbers. */
static ws_status
take_line(wsi_recording *rec, bool *begun)
{
	text_state *s = rec->state;
	*begun = false;
	if (s->words == 0 && strncasecmp(s->line, "sep=", 4) == 0 && strlen(s->line) == 5) {
		s->delimiter = s->line[4];
		s->delimiter_told = true;
		return WS_OK;
	}
	if (strncmp(s->line, "TIMESERIES ", 11) == 0)
		return keep(rec, s->line, true);
	if (!s->delimiter_told)
		s->delimiter = text_find_delimiter(s->line);
	if (text_is_rule(s->line) && s->delimiter == TEXT_BLANKS)
		return WS_OK;
	char **fields;
	size_t n;
	/* An empty field at the end of the first row is one where the names have one for it. */
	s->columns = s->head_columns;
	WSI_TRY(text_fields_of(rec, s->line, &fields, &n));
	/* A name may hold the end of a line: "EEG\n(uV)". */
	for (int i = 0; i < 8 && s->open; ++i) {
		free(fields);
		WSI_TRY(text_join_line(rec));
		WSI_TRY(text_fields_of(rec, s->line, &fields, &n));
	}
	s->columns = 0;
	const bool torn = s->torn;
	const text_counted c = text_count_data(s, fields, n);
	ws_status status = WS_OK;
	if (s->open || (torn && c.told + c.nearly > 0)) {
		status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu has a quote that does not end where "
		                  "its field does; mend the line", rec->path, s->line_number);
	} else if (c.data == n && c.told > 0 && s->words == 0 && n > 1 && *fields[0] == '\0' &&
	           count_up(fields + 1, n - 1)) {
		s->corner_row = true;
		status = keep(rec, s->line, false);
	} else if (c.data == n && c.told > 0) {
		s->corner_row &= n == s->head_columns;
		*begun = true;
	} else if (c.data == n) {
		++s->blank_rows;
		s->blank_columns = n;
	} else {
		s->corner_row = false;
		if (c.told + c.nearly > 0 && s->words > 0)
			status = suspect(rec, fields, n);
		if (status == WS_OK)
			status = keep(rec, s->line, false);
	}
	free(fields);
	return status != WS_OK || !*begun ? status : begin_table(rec, n);
}

ws_status
text_read_head(wsi_recording *rec, bool *more)
{
	text_state *s = rec->state;
	text_line_kind kind;
	*more = false;
	while (!*more) {
		WSI_TRY(text_next_line(rec, &kind));
		if (kind == TEXT_COMMENT)
			WSI_TRY(keep(rec, s->line + s->line_start, true));
		else if (kind == TEXT_ROW)
			WSI_TRY(take_line(rec, more));
		if (kind == TEXT_END || s->words > MOST_WORDS)
			break;
	}
	if (*more && s->told.rows_of_samples)
		return WSI_FAIL(WS_E_FORMAT, "%s: the samples of a signal stand in rows (SLIST), "
		                "which is no table; write it as TSPAIR or GeoCSV, or read it with "
		                "ObsPy in Python", rec->path);
	if (*more)
		return WS_OK;
	if (s->suspect)
		return WSI_FAIL(WS_E_FORMAT, "%s", s->suspect);
	if (s->words > MOST_WORDS)
		return WSI_FAIL(WS_E_FORMAT, "%s: no line of numbers among its first %zu lines",
		                rec->path, s->line_number);
	return s->words ? WSI_FAIL(WS_E_FORMAT, "%s: a header, but no line of numbers after it",
	                           rec->path)
	                : WSI_FAIL(WS_E_FORMAT, "%s: no line holds a number", rec->path);
}
