/*
 * text_head.c - what stands before the numbers of a table; see text_table.h.
 *
 * The first row of numbers decides the delimiter and the number of columns.  The line before it, a
 * comment or not, names the columns if it has as many fields; a row of units may stand between.
 * Other lines before them are titles, of which a note tells.  A line that holds a number among
 * other things is taken for a title only where names follow it: else it is a damaged row.
 */
#define _GNU_SOURCE /* strcasestr */
#include "io/text_table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/c_locale.h"

/* Lines before the first numbers. */
#define MOST_WORDS 2000

static ws_status
no_memory(const wsi_recording *rec)
{
	return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
}

/* ---- What comments tell --------------------------------------------------- */

/* Behind any of the words in text, past marks such as ":", "=" and quotes; NULL: none is there. */
static const char *
behind_words(const char *text, const char *const *words)
{
	for (size_t i = 0; words[i]; ++i)
		for (const char *at = text; (at = strcasestr(at, words[i])); ++at) {
			const size_t n = strlen(words[i]);
			if ((at > text && isalnum((unsigned char)at[-1])) ||
			    isalpha((unsigned char)at[n]))
				continue;
			return at + n;
		}
	return NULL;
}

/* The number that follows, at once but for marks and a unit in brackets, and the unit of it. */
static bool
number_behind(const char *at, double *value, char unit[16])
{
	const char *bracket = NULL;
	at += strspn(at, " \t_");
	if (strncasecmp(at, "hz", 2) == 0) {
		bracket = "hz";
		at += 2;
	} else if (*at == '(' || *at == '[') {
		bracket = at + 1;
		at += strcspn(at, ")]");
	}
	at += strspn(at, " \t:=\"')],;is");
	const char *digits = at + (*at == '[');
	char *end;
	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return false;
	*value = strtod(digits, &end);
	/* "2,5 kHz" might be 2500 or 25 000. */
	if (*end == ',' && isdigit((unsigned char)end[1]))
		return false;
	end += strspn(end, " \t\"]");
	const char *name = isalpha((unsigned char)*end) ? end : bracket ? bracket : "";
	size_t n = 0;
	for (; n < 15 && (isalpha((unsigned char)name[n]) || name[n] == '/'); ++n)
		unit[n] = (char)tolower((unsigned char)name[n]);
	unit[n] = '\0';
	return *value > 0 && isfinite(*value);
}

/* 0: of "samples/min". */
static double
rate_in(double value, const char *unit)
{
	const char *slash = strchr(unit, '/');
	const double period = text_unit_seconds(unit);
	if (period > 0)
		return 1 / (value * period);
	if (slash && slash[1] != 's')
		return 0;
	return strcmp(unit, "khz") == 0 ? 1e3 * value : strcmp(unit, "mhz") == 0 ? 1e6 * value : value;
}

static void
learn_rate(text_told *told, double rate)
{
	if (!(rate > 0))
		return;
	if (told->rate > 0 && fabs(told->rate - rate) > 1e-6 * rate)
		told->differ = true;
	told->rate = rate;
}

/* OpenSignals: {"..": {.. "column": ["nSeq", "I1"], ..}}, of several devices one after another. */
static ws_status
learn_names(wsi_recording *rec, const char *line)
{
	text_state *s = rec->state;
	for (const char *at = line; (at = strstr(at, "\"column\":"));) {
		at += strcspn(at, "[") + 1;
		const size_t n = at[-1] == '[' ? strcspn(at, "]") : 0;
		if (n == 0)
			return WS_OK;
		char *all;
		if (asprintf(&all, "%s%s%.*s", s->told.names ? s->told.names : "",
		             s->told.names ? "," : "", (int)(n < 65536 ? n : 0), at) < 0)
			return no_memory(rec);
		free(s->told.names);
		s->told.names = all;
	}
	return WS_OK;
}

/* Rate and start from a comment or a title. */
static void
listen(text_state *s, const char *line)
{
	static const char *const rates[] = {
		"sampling rate", "sample rate", "sampling_rate", "sample_rate", "samplingrate",
		"samplerate", "sampling frequency", "sample frequency", "sampling_frequency",
		"samplingfrequency", "sampling freq", "sampling_freq", "sample_freq", "sfreq", "srate",
		"samp_rate", "fs", "abtastrate", "abtastfrequenz", "sample_rate_hz", NULL,
	};
	static const char *const periods[] = {
		"sampling interval", "sample interval", "sampling_interval", "sample_interval",
		"samplinginterval", "sampling period", "sample period", "sampling_period", "delta_x",
		"dt", "delta t", "time step", "timestep", NULL,
	};
	static const char *const starts[] = { "start_time", "start time", "starttime", "start", NULL };
	char unit[16];
	double value;
	const char *at = behind_words(line, rates);
	if (at && number_behind(at, &value, unit))
		learn_rate(&s->told, rate_in(value, unit));
	at = behind_words(line, periods);
	if (at && number_behind(at, &value, unit)) {
		const double seconds = text_unit_seconds(unit);
		if (seconds > 0 || *unit == '\0')
			learn_rate(&s->told, 1 / (value * (seconds > 0 ? seconds : 1)));
	}
	/* AcqKnowledge. */
	char *behind;
	value = strtod(line, &behind);
	if (value > 0 && isfinite(value) && strcmp(behind, " msec/sample") == 0)
		learn_rate(&s->told, 1000 / value);
	else if (value > 0 && isfinite(value) && strcmp(behind, " samples/second") == 0)
		learn_rate(&s->told, value);
	/* What ObsPy writes. */
	const char *sps = strncmp(line, "TIMESERIES ", 11) == 0 ? strstr(line, " sps, ") : NULL;
	if (sps) {
		s->told.rows_of_samples = strstr(sps, " SLIST") != NULL;
		while (sps > line && sps[-1] != ' ')
			--sps;
		learn_rate(&s->told, strtod(sps, NULL));
	}
	at = behind_words(line, starts);
	if (at && s->told.start[0] == '\0') {
		at += strspn(at, " \t:=\"'");
		text_date date;
		snprintf(s->told.start, sizeof s->told.start, "%.*s", (int)strcspn(at, "\",;\t"), at);
		if (!text_parse_date(s->told.start, false, &date) || date.open)
			s->told.start[0] = '\0';
	}
}

/* ---- Kinds of lines ------------------------------------------------------- */

/* "-----  ====": nothing but marks. */
bool
text_is_rule(const char *line)
{
	const size_t n = strlen(line);
	return n > 2 && strspn(line, "-=_*+~|# \t") == n;
}

/* "units: s, mV": brackets taken off. */
static bool
is_unit(const char *text)
{
	static const char known[] =
		" s sec ms us ns min h hr d v mv uv nv kv a ma ua w kw g m/s^2 m/s2 m/s**2 m/s m mm cm "
		"km um nm hz khz mhz pa kpa mpa hpa mbar bar psi c degc k degf f % t nt ft pt n kn nm "
		"count counts a.u. au arb rad deg rad/s deg/s rpm db lux ppm ppb w/m2 w/m^2 - n/a none "
		"ohm degrees celsius kelvin volt volts amp seconds milliseconds hours degt mi ft hh:mm:ss "
		"hh:mm:ss.mmm utc iso8601 datetime m/s/s bpm mmhg l/min ml mg kg nt/m v/m yr mo dy hr mn second minute hour "
		"microvolts millivolts ";
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
	for (; *c != '\0' && !strchr(")]}", *c); ++c) {
		if (n >= sizeof plain - 2 || *c == ' ')
			return false;
		plain[n++] = (char)tolower((unsigned char)*c);
	}
	plain[n] = '\0';
	if (n == 0)
		return bracket;
	if (bracket && c[0] != '\0' && c[1] == '\0')
		return true;
	char wanted[24];
	snprintf(wanted, sizeof wanted, " %s ", plain);
	return *c == '\0' && strstr(known, wanted);
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

/* A number, a date or a clock, or missing. */
static bool
is_datum(const text_state *s, const char *field)
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

/* How many of the fields are data, how many of these are no missing ones, and how many begin like
 * numbers. */
typedef struct counted {
	size_t data, told, nearly;
} counted;

static counted
count_data(const text_state *s, char **fields, size_t n)
{
	counted c = { 0 };
	for (size_t i = 0; i < n; ++i) {
		fields[i] = text_bare(fields[i]);
		const bool is = is_datum(s, fields[i]);
		c.data += is;
		c.told += is && !text_is_missing(fields[i]);
		c.nearly += is_nearly(fields[i]);
	}
	return c;
}

/* ---- Lines that are kept -------------------------------------------------- */

static ws_status
keep(wsi_recording *rec, const char *line, bool comment)
{
	text_state *s = rec->state;
	char *copy = strdup(line), **fields;
	if (!copy)
		return no_memory(rec);
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
	listen(s, line);
	return comment ? learn_names(rec, line) : WS_OK;
}

/* A line that is nearly one of numbers: what is wrong with it is told if none of numbers follow, or
 * names do not. */
static ws_status
suspect(wsi_recording *rec, char **fields, size_t n)
{
	text_state *s = rec->state;
	size_t column = 0;
	while (column < n && is_datum(s, fields[column]))
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
	return s->suspect ? WS_OK : no_memory(rec);
}

/* ---- Names ---------------------------------------------------------------- */

/* Clean copies of a line's fields. */
static ws_status
copy_fields(wsi_recording *rec, char **fields, size_t n, size_t shift, char ***copies)
{
	text_state *s = rec->state;
	char **made = *copies = calloc(s->columns, sizeof *made);
	if (!made)
		return no_memory(rec);
	for (size_t i = 0; i < s->columns; ++i) {
		const char *field = i >= shift && i - shift < n ? text_bare(fields[i - shift]) : "";
		made[i] = wsi_clean_text(field, strlen(field));
		if (!made[i])
			return no_memory(rec);
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
	const counted c = count_data(s, fields, n);
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
	return wsi_recording_add_note(rec, "%s: %zu lines, from line %zu on, are before the table, and "
	                              "left out", rec->path, titles, s->first_words);
}

/* The lines before have another number of columns. */
static ws_status
refuse_header(const wsi_recording *rec, size_t n)
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
	const ws_status status = n == s->columns ? copy_fields(rec, fields, n, 0, &s->names) : WS_OK;
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
		return copy_fields(rec, fields, n, 1, &s->names);
	}
	/* One column has one name, of several words; a line without any comma before "0,5" may name a
	 * column of decimal commas. */
	if (s->columns == 1 && own == TEXT_BLANKS && strlen(line) <= 40 && !strpbrk(line, ":.")) {
		char *whole = s->heads[0];
		WSI_TRY(note_titles(rec, 0));
		return copy_fields(rec, &whole, 1, 0, &s->names);
	}
	if (s->columns > 1 && ((s->delimiter && own == s->delimiter) || own != TEXT_BLANKS))
		return refuse_header(rec, n);
	if ((s->columns == 1 && own != TEXT_BLANKS) || (s->delimiter == ',' && s->columns == 2))
		return refuse_header(rec, n);
	return note_titles(rec, TEXT_HEADS);
}

/* From the lines before the first row of numbers. */
static ws_status
find_names(wsi_recording *rec)
{
	text_state *s = rec->state;
	char **first = NULL, **second = NULL;
	size_t n_first, n_second;
	ws_status status = head_fields(rec, 0, &first, &n_first);
	if (status == WS_OK)
		status = head_fields(rec, 1, &second, &n_second);
	if (status != WS_OK) {
		free(first);
		return status;
	}
	if (may_be_names(s, 0, first, n_first)) {
		const bool units = (are_units(first, n_first) || is_unit_of_time(first, second, n_second)) &&
		                   may_be_names(s, 1, second, n_second) &&
		                   are_named(second, n_second);
		/* A damaged row between names and numbers is no line of names. */
		const counted c = count_data(s, first, n_first);
		if (c.told + c.nearly > 0 && s->suspect && may_be_names(s, 1, second, n_second))
			status = WSI_FAIL(WS_E_FORMAT, "%s", s->suspect);
		else
			status = copy_fields(rec, units ? second : first, s->columns, 0, &s->names);
		if (status == WS_OK && units)
			status = copy_fields(rec, first, s->columns, 0, &s->units);
		if (status == WS_OK)
			status = note_titles(rec, units ? 1 : 0);
	} else {
		status = unnamed(rec, first, n_first);
	}
	free(first);
	free(second);
	return status;
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
	const ws_status status = copy_fields(rec, fields, n, 0, &s->names);
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
	s->fields = calloc(columns + 1, sizeof *s->fields);
	if (!s->fields)
		return no_memory(rec);
	if (!s->corner_row)
		WSI_TRY(find_names(rec));
	if (s->blank_rows && s->blank_columns != columns)
		return refuse_header(rec, s->blank_columns);
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
	s->columns = 0;
	const bool torn = s->torn;
	const counted c = count_data(s, fields, n);
	ws_status status = WS_OK;
	if (torn && c.told + c.nearly > 0) {
		status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu has a quote that does not end where its "
		                  "field does; mend the line", rec->path, s->line_number);
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
		return WSI_FAIL(WS_E_FORMAT, "%s: the samples of a signal stand in rows (SLIST), which is "
		                "no table; write it as TSPAIR or GeoCSV, or read it with ObsPy in Python",
		                rec->path);
	if (*more)
		return WS_OK;
	if (s->suspect)
		return WSI_FAIL(WS_E_FORMAT, "%s", s->suspect);
	if (s->words > MOST_WORDS)
		return WSI_FAIL(WS_E_FORMAT, "%s: no line of numbers among its first %zu lines", rec->path,
		                s->line_number);
	return s->words ? WSI_FAIL(WS_E_FORMAT, "%s: a header, but no line of numbers after it",
	                           rec->path)
	                : WSI_FAIL(WS_E_FORMAT, "%s: no line holds a number", rec->path);
}
