/*
 * text_names.c - names and units of a table's columns, from the lines before its numbers; see
 * text_table.h and text_head.c.
 */
#include "io/read/text_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Kinds of lines ------------------------------------------------------- */

bool
text_is_rule(const char *line)
{
	const size_t n = strlen(line);
	return n > 2 && strspn(line, "-=_*+~|# \t") == n;
}

static bool
is_known_unit(const char *name, size_t n)
{
	static const char known[] =
		" s sec ms us ns min h hr d v mv uv nv kv a ma ua w kw g m/s^2 m/s2 m/s**2 m/s m "
		"mm cm km um nm hz khz mhz pa kpa mpa hpa mbar bar psi c degc k degf f % t nt ft "
		"pt n kn nm count counts a.u. au arb rad deg rad/s deg/s rpm db lux ppm ppb w/m2 "
		"w/m^2 - n/a none ohm degrees celsius kelvin volt volts amp seconds milliseconds "
		"hours degt mi ft hh:mm:ss hh:mm:ss.mmm utc iso8601 datetime m/s/s bpm mmhg l/min "
		"ml mg kg nt/m v/m yr mo dy hr mn second minute hour microvolts millivolts ";
	char wanted[24];
	snprintf(wanted, sizeof wanted, " %.*s ", (int)n, name);
	return n > 0 && n < sizeof wanted - 2 && strstr(known, wanted);
}

/* "uv^2/(hz)": of units with marks of products, quotients and powers between them; "A/D" is
 * none. */
static bool
is_compound(const char *plain)
{
	size_t units = 0;
	bool marked = false;
	for (const char *c = plain; *c != '\0';) {
		const size_t n = strcspn(c, "/*^().0123456789");
		if (n > 0 && !is_known_unit(c, n))
			return false;
		units += n > 0;
		c += n;
		marked |= *c == '^' || n > 1;
		c += *c != '\0';
	}
	return marked && units > 1;
}

/* "units: s, mV": brackets taken off. */
static bool
is_unit(const char *text)
{
	char plain[20];
	size_t n = 0;
	const bool bracket = *text == '(' || *text == '[' || *text == '{';
	const char *c = text + bracket;
	if (strncmp(c, "\xc2\xb5", 2) == 0 || strncmp(c, "\xce\xbc", 2) == 0) {
		plain[n++] = 'u';
		c += 2;
	} else if (strncmp(c, "\xc2\xb0", 2) == 0) {
		n = (size_t)sprintf(plain, "deg");
		c += 2;
	}
	for (; *c != '\0' && !(bracket && strchr(")]}", *c)); ++c) {
		if (n >= sizeof plain - 2 || *c == ' ')
			return false;
		plain[n++] = (char)tolower((unsigned char)*c);
	}
	plain[n] = '\0';
	if (n == 0)
		return bracket;
	if (bracket && c[0] != '\0' && c[1] == '\0')
		return true;
	return *c == '\0' && (is_known_unit(plain, n) || is_compound(plain));
}

bool
text_unit_in(const char *name, char unit[24])
{
	const size_t n = strlen(name);
	const char *open = n && name[n - 1] == ']' ? strrchr(name, '[') : strrchr(name, '(');
	const size_t length = open ? (size_t)(name + n - open) - 1 : 0;
	if (n == 0 || !strchr(")]", name[n - 1]) || length < 2 || length > 20 || open == name)
		return false;
	memcpy(unit, open + 1, length - 1);
	unit[length - 1] = '\0';
	/* Neither "Value(s)" nor "run (b)". */
	if (length == 2 && (open[-1] != ' ' || !strchr("VAWKCNTFmsg%", *unit)))
		return false;
	return is_unit(unit);
}

/* "(mV)" without its brackets. */
static char *
without_brackets(char *unit)
{
	const size_t n = strlen(unit);
	if (n < 3 || !strchr("([{", unit[0]) || !strchr(")]}", unit[n - 1]))
		return unit;
	unit[n - 1] = '\0';
	return unit + 1;
}

/* Are the fields units, one of them at least? */
static bool
are_units(char **fields, size_t n)
{
	size_t units = 0;
	for (size_t i = 0; i < n; ++i) {
		if (*fields[i] == '\0')
			continue;
		if (!is_unit(fields[i]))
			return false;
		units += strcmp(fields[i], "-") != 0;
	}
	return units > 0;
}

bool
text_is_datum(const text_state *s, const char *field)
{
	text_date date;
	return text_is_cell(s, field) || text_parse_date(field, false, &date) ||
	       text_unit_behind(field, NULL) || text_is_short_clock(field) ||
	       text_parse_clock(field, TEXT_CLOCK_OPEN, &date);
}

/* Does it begin like a number: "1d5", "-1_000"? */
static bool
is_nearly(const char *field)
{
	field += *field == '-' || *field == '+';
	field += *field == '.' || *field == ',';
	return isdigit((unsigned char)*field);
}

text_counted
text_count_data(const text_state *s, char **fields, size_t n)
{
	text_counted c = { 0 };
	for (size_t i = 0; i < n; ++i) {
		fields[i] = text_bare(fields[i]);
		const bool is = text_is_datum(s, fields[i]);
		c.data += is;
		c.told += is && !text_is_missing(fields[i]);
		c.nearly += is_nearly(fields[i]);
	}
	return c;
}

/* ---- Names ---------------------------------------------------------------- */

ws_status
text_copy_fields(wsi_recording *rec, char **fields, size_t n, size_t shift, char ***copies)
{
	text_state *s = rec->state;
	char **made = *copies = calloc(s->columns, sizeof *made);
	WSI_HAVE(made, "%s: no memory for its columns", rec->path);
	for (size_t i = 0; i < s->columns; ++i) {
		const char *field = i >= shift && i - shift < n ? text_bare(fields[i - shift]) : "";
		made[i] = wsi_clean_text(field, strlen(field));
		WSI_HAVE(made[i], "%s: no memory for its columns", rec->path);
	}
	return WS_OK;
}

/* "Time (s) Voltage (V)" has two names: what stands in brackets is part of the one before.  Returns
 * how many there are. */
static size_t
join_units(char **fields, size_t n)
{
	size_t joined = 0;
	for (size_t i = 0; i < n; ++i) {
		if (joined == 0 || (*fields[i] != '(' && *fields[i] != '[')) {
			fields[joined++] = fields[i];
			continue;
		}
		char *end = fields[joined - 1] + strlen(fields[joined - 1]);
		memset(end, ' ', (size_t)(fields[i] - end));
	}
	return joined;
}

/* Fields of a head line by the table's delimiter, or by its own where that gives as many; n 0 where
 * it cannot be names. */
static ws_status
head_fields(wsi_recording *rec, size_t i, char ***fields, size_t *n)
{
	text_state *s = rec->state;
	const char *line = s->heads[i] ? s->heads[i] : "";
	const char delimiter = s->delimiter;
	line += s->head_is_comment[i] ? strspn(line, "#% \t") : 0;
	*fields = NULL;
	*n = 0;
	if (!s->heads[i])
		return WS_OK;
	WSI_TRY(text_fields_of(rec, line, fields, n));
	const char own = text_find_delimiter(line);
	if (*n != s->columns && own != delimiter) {
		free(*fields);
		s->delimiter = own;
		const ws_status status = text_fields_of(rec, line, fields, n);
		s->delimiter = delimiter;
		WSI_TRY(status);
	}
	if (*n > s->columns && own == TEXT_BLANKS)
		*n = join_units(*fields, *n);
	/* LabVIEW names a column that lines of numbers lack. */
	*n -= *n == s->columns + 1 && strcasecmp((*fields)[*n - 1], "comment") == 0;
	/* Of comments that are prose, or say "fs: 250". */
	for (size_t k = 0; s->head_is_comment[i] && k < *n; ++k) {
		const size_t length = strlen((*fields)[k]);
		if ((length > 1 && (*fields)[k][length - 1] == ':') || strchr((*fields)[k], '='))
			*n = 0;
	}
	return WS_OK;
}

/* Names from head line i; false: it has none. */
static bool
may_be_names(const text_state *s, size_t i, char **fields, size_t n)
{
	if (n != s->columns)
		return false;
	const text_counted c = text_count_data(s, fields, n);
	return c.data < n && !(s->head_is_comment[i] && c.told > 0 && n > 1);
}

/* A unit stands below the name of a time: then words below other names are theirs. */
static bool
is_unit_of_time(char **fields, char **names, size_t n_names)
{
	return n_names > 0 && is_unit(fields[0]) && text_read_time_name(names[0], NULL).is_time;
}

/* Spreadsheets fill lines of titles up with empty fields. */
static bool
are_named(char **fields, size_t n)
{
	size_t named = 0;
	for (size_t i = 0; i < n; ++i)
		named += *fields[i] != '\0';
	return 2 * named > n;
}

/* "CAL, CAL, CAL" between names and units names nothing. */
static bool
are_alike(char **fields, size_t n)
{
	size_t i = 1;
	while (i < n && strcmp(fields[i], fields[0]) == 0)
		++i;
	return i == n && *fields[0] != '\0';
}

/* The line above it takes its place, if that may be names. */
static ws_status
take_third(wsi_recording *rec, char ***fields, size_t *n, bool *taken)
{
	char **third;
	size_t n_third;
	WSI_TRY(head_fields(rec, 2, &third, &n_third));
	*taken = third && may_be_names(rec->state, 2, third, n_third);
	char **other = *taken ? *fields : third;
	if (*taken) {
		*fields = third;
		*n = n_third;
	}
	free(other);
	return WS_OK;
}

static ws_status
note_titles(wsi_recording *rec, size_t named)
{
	const text_state *s = rec->state;
	const size_t titles = s->words - (named < TEXT_HEADS && !s->head_is_comment[named]
	                                  ? named + 1 : 0);
	if (titles == 0 || s->words < named + 1)
		return WS_OK;
	if (titles == 1)
		return wsi_recording_add_note(rec, "%s: line %zu is before the table, and left out",
		                              rec->path, s->first_words);
	return wsi_recording_add_note(rec, "%s: %zu lines, from line %zu on, are before the table, "
	                              "and left out", rec->path, titles, s->first_words);
}

ws_status
text_refuse_header(const wsi_recording *rec, size_t n)
{
	const text_state *s = rec->state;
	return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has %zu column%s, the lines before have %zu; a "
	                "table has as many in every line", rec->path, s->line_number, s->columns,
	                s->columns == 1 ? "" : "s", n);
}

/* Names that a comment lists, if they are as many as columns. */
static ws_status
take_told_names(wsi_recording *rec)
{
	text_state *s = rec->state;
	const char delimiter = s->delimiter;
	char **fields;
	size_t n;
	s->delimiter = ',';
	const ws_status split = text_fields_of(rec, s->told.names, &fields, &n);
	s->delimiter = delimiter;
	WSI_TRY(split);
	const ws_status status = n == s->columns ? text_copy_fields(rec, fields, n, 0, &s->names)
	        : WS_OK;
	free(fields);
	return status;
}

/* Where the line before the numbers has another number of fields. */
static ws_status
unnamed(wsi_recording *rec, char **fields, size_t n)
{
	text_state *s = rec->state;
	const char *line = s->heads[0] ? s->heads[0] : "";
	const char own = text_find_delimiter(line);
	if (!s->heads[0] || s->head_is_comment[0]) {
		WSI_TRY(note_titles(rec, TEXT_HEADS));
		return s->told.names ? take_told_names(rec) : WS_OK;
	}
	/* R leaves out the name of the column that names rows. */
	if (n + 1 == s->columns && own == s->delimiter && (s->delimiter || n > 1)) {
		s->corner = true;
		return text_copy_fields(rec, fields, n, 1, &s->names);
	}
	/* One column has one name, of several words; a line without any comma before "0,5" may name
	 * a column of decimal commas. */
	if (s->columns == 1 && own == TEXT_BLANKS && strlen(line) <= 40 && !strpbrk(line, ":.")) {
		char *whole = s->heads[0];
		WSI_TRY(note_titles(rec, 0));
		return text_copy_fields(rec, &whole, 1, 0, &s->names);
	}
	if (s->columns > 1 && ((s->delimiter && own == s->delimiter) || own != TEXT_BLANKS))
		return text_refuse_header(rec, n);
	if ((s->columns == 1 && own != TEXT_BLANKS) || (s->delimiter == ',' && s->columns == 2))
		return text_refuse_header(rec, n);
	return note_titles(rec, TEXT_HEADS);
}

ws_status
text_find_names(wsi_recording *rec)
{
	text_state *s = rec->state;
	char **first = NULL, **second = NULL;
	size_t n_first, n_second;
	ws_status status = head_fields(rec, 0, &first, &n_first);
	if (status == WS_OK)
		status = head_fields(rec, 1, &second, &n_second);
	bool alike = status == WS_OK && n_second > 1 && are_alike(second, n_second);
	if (alike)
		status = take_third(rec, &second, &n_second, &alike);
	if (status != WS_OK) {
		free(first);
		return status;
	}
	if (may_be_names(s, 0, first, n_first)) {
		const bool units = (are_units(first, n_first)
		                    || is_unit_of_time(first, second, n_second)) &&
		                   may_be_names(s, 1, second, n_second) &&
		                   are_named(second, n_second);
		/* A damaged row between names and numbers is no line of names. */
		const text_counted c = text_count_data(s, first, n_first);
		if (c.told + c.nearly > 0 && s->suspect && may_be_names(s, 1, second, n_second))
			status = WSI_FAIL(WS_E_FORMAT, "%s", s->suspect);
		else
			status = text_copy_fields(rec, units ? second : first, s->columns, 0,
			                          &s->names);
		for (size_t i = 0; units && i < n_first; ++i)
			first[i] = without_brackets(text_bare(first[i]));
		if (status == WS_OK && units)
			status = text_copy_fields(rec, first, s->columns, 0, &s->units);
		if (status == WS_OK)
			status = note_titles(rec, units ? 1 + alike : 0);
	} else {
		status = unnamed(rec, first, n_first);
	}
	free(first);
	free(second);
	return status;
}
