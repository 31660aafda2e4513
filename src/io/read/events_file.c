/* events_file.c - events that stand in a file of their own beside the recording (--events). */
#define _GNU_SOURCE /* strcasestr */
#include "io/read/events_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/c_locale.h"
#include "io/read/open.h"
#include "io/read/segments.h"
#include "io/read/text_table.h"
#include "io/read/time_units.h"

/* What a column of the table is. */
typedef enum part { ONSET, DURATION, END, LABEL, SAMPLE, PARTS } part;

typedef struct table {
	wsi_recording *rec;       /* that the events are of */
	wsi_recording text;       /* the file, as the reader of tables sees it */
	bool named;               /* its columns have names */
	size_t column[PARTS];     /* from 1; 0: there is none */
	size_t second_label;      /* where the first has none; 0: there is none */
	double unit, duration_unit;
	double start;             /* of rec, s since 1970; NaN: not known */
	double shift;             /* from where numbers count to the start, s */
	size_t rows, untimed;     /* read so far; of them those whose onset is n/a */
	size_t torn;              /* those that have fewer fields than there are columns */
} table;

/* ---- Columns -------------------------------------------------------------- */

/* The place of a name in a list of them, from 1; 0: it is none of them. */
static size_t
place_in(const char *name, const char *list)
{
	char wanted[24];
	if (*name == '\0' || strlen(name) > 20 || strchr(name, ' '))
		return 0;
	snprintf(wanted, sizeof wanted, " %s ", name);
	const char *at = strcasestr(list, wanted);
	return at ? (size_t)(at - list) + 1 : 0;
}

/* The name without a unit in brackets or behind a mark, which *unit becomes in s. */
static void
cut_unit(const char *name, char plain[24], double *unit)
{
	const size_t n = strcspn(name, " ([_/");
	snprintf(plain, 24, "%.*s", (int)(n < 23 ? n : 23), name);
	*unit = 1;
	if (name[n] == '\0')
		return;
	char text[24];
	const char *from = name + n + strspn(name + n, " ([_/");
	snprintf(text, sizeof text, "%.*s", (int)strcspn(from, ")] "), from);
	*unit = text_unit_seconds(text);
}

/* Which parts do the names of columns tell? */
static void
read_names(table *t, char **fields, size_t n)
{
	static const char *const names[PARTS] = {
		[ONSET] = " onset start begin time t tmin latency_s beginning from ",
		[DURATION] = " duration dur length ",
		[END] = " end stop offset tmax to ",
		[LABEL] = (" trial_type label labels description event event_type type name "
		           "annotation annotations stage text comment marker stim_type condition "
		           "value "),
		[SAMPLE] = " sample sample_index ",
	};
	size_t best = SIZE_MAX, second = SIZE_MAX;
	for (size_t i = 0; i < n; ++i) {
		char plain[24];
		double unit;
		fields[i] = text_bare(fields[i]);
		const size_t place = place_in(fields[i], names[LABEL]);
		if (place > 0) {
			/* The names that say most stand first. */
			const bool better = place < best;
			if (better || place < second) {
				t->second_label = better ? t->column[LABEL] : i + 1;
				second = better ? best : place;
			}
			t->column[LABEL] = better ? i + 1 : t->column[LABEL];
			best = better ? place : best;
			continue;
		}
		if (place_in(fields[i], names[SAMPLE])) {
			t->column[SAMPLE] = i + 1;
			continue;
		}
		cut_unit(fields[i], plain, &unit);
		for (part p = ONSET; p <= END && unit > 0; ++p)
			if (!t->column[p] && place_in(plain, names[p])) {
				t->column[p] = i + 1;
				*(p == DURATION ? &t->duration_unit : &t->unit) = unit;
				break;
			}
	}
	t->named = t->column[ONSET] || t->column[SAMPLE];
}

/* Without names: onset, duration, label; onset, label; or Audacity's onset, end, label. */
static void
guess_columns(table *t, size_t n, char delimiter)
{
	t->column[ONSET] = 1;
	if (n > 2)
		t->column[delimiter == '\t' ? END : DURATION] = 2;
	if (n > 1)
		t->column[LABEL] = n > 2 ? 3 : 2;
}

/* ---- Rows ----------------------------------------------------------------- */

static ws_status
refuse(const table *t, const char *field, const char *what)
{
	const text_state *s = t->text.state;
	char *shown = wsi_clean_text(field, strnlen(field, 40));
	const ws_status status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu: '%s' is no %s", t->text.path,
	                                  s->line_number, shown ? shown : "", what);
	free(shown);
	return status;
}

/* A number in its unit, or a date against the recording's start. */
static ws_status
take_onset(table *t, char *field, double unit, double *onset)
{
	text_date date;
	if (text_parse_cell(t->text.state, field, onset) && isfinite(*onset)) {
		*onset = *onset * unit + t->shift;
		return WS_OK;
	}
	if (!text_parse_date(field, false, &date) || date.open)
		return refuse(t, field, "onset: seconds from the first sample, or a date");
	/* MNE writes seconds from the first sample as times of the first day of 1970. */
	if (date.seconds >= 0 && date.seconds < 86400 && !(t->start < 86400)) {
		*onset = (double)date.seconds + date.fraction;
		return WS_OK;
	}
	if (isnan(t->start))
		return WSI_FAIL(WS_E_FORMAT, "%s: its events have dates, but %s does not tell when "
		                "it begins; give onsets in seconds from its first sample",
		                t->text.path, t->rec->path);
	*onset = (double)date.seconds + date.fraction - t->start;
	return WS_OK;
}

static char *
field_of(const table *t, part p, char **fields, size_t n)
{
	static char none[] = "";
	const size_t c = t->column[p];
	return c > 0 && c <= n ? text_bare(fields[c - 1]) : none;
}

static ws_status
take_label(const table *t, char **fields, size_t n, const char **label)
{
	*label = field_of(t, LABEL, fields, n);
	if (text_is_missing(*label) && t->second_label && t->second_label <= n)
		*label = fields[t->second_label - 1];
	if (**label == '\0')
		*label = t->column[LABEL] ? "n/a" : "event";
	return WS_OK;
}

static ws_status
take_row(table *t, char **fields, size_t n)
{
	const wsi_channel *c = &t->rec->channels[0];
	char *onset = field_of(t, ONSET, fields, n), *sample = field_of(t, SAMPLE, fields, n);
	char *duration = field_of(t, DURATION, fields, n), *end = field_of(t, END, fields, n);
	const char *label;
	double from, lasts = 0;
	WSI_TRY(take_label(t, fields, n, &label));
	t->torn += n < ((text_state *)t->text.state)->columns;
	if (text_is_missing(onset) && text_is_missing(sample)) {
		t->untimed++;
		return WS_OK;
	}
	if (t->column[ONSET] && !(text_is_missing(onset) && !text_is_missing(sample)))
		WSI_TRY(take_onset(t, onset, t->unit, &from));
	else
		WSI_TRY(take_onset(t, sample, 1 / c->fs, &from));
	if (!text_is_missing(end)) {
		WSI_TRY(take_onset(t, end, t->unit, &lasts));
		lasts -= from;
	} else if (!text_is_missing(duration) &&
	           (!text_parse_cell(t->text.state, duration, &lasts) || !isfinite(lasts))) {
		return refuse(t, duration, "duration");
	} else {
		lasts *= t->duration_unit;
	}
	if (lasts < 0)
		return refuse(t, text_is_missing(end) ? duration : end, "duration: it is below 0");
	return wsi_recording_add_event(t->rec, from, lasts, label);
}

/* ---- The table ------------------------------------------------------------ */

static ws_status
take_line(table *t)
{
	text_state *s = t->text.state;
	char **fields;
	size_t n;
	if (t->rows == 0 && !t->named && !s->delimiter_told)
		s->delimiter = text_find_delimiter(s->line);
	WSI_TRY(text_fields_of(&t->text, s->line, &fields, &n));
	ws_status status = WS_OK;
	if (s->torn) {
		status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu has a quote that does not end where "
		                  "its field does; mend the line", t->text.path, s->line_number);
	} else if (t->rows == 0 && !t->named) {
		text_date date;
		read_names(t, fields, n);
		const bool cell = text_is_cell(s, fields[0])
		        || text_parse_date(fields[0], false, &date);
		/* BIDS has names always. */
		if (!t->named && (!cell || wsi_name_ends(t->text.path, "_events.tsv")))
			status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu: no column is named onset; a "
			                  "table of events has columns onset, duration and label",
			                  t->text.path, s->line_number);
		else if (!t->named)
			guess_columns(t, n, s->delimiter);
		s->delimiter_told = true;
		s->columns = n;
		if (t->named) {
			free(fields);
			return WS_OK;
		}
	}
	if (status == WS_OK && n > s->columns)
		status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu has %zu fields where there are %zu "
		                  "columns; put a label that holds the delimiter in double quotes",
		                  t->text.path, s->line_number, n, s->columns);
	if (status == WS_OK) {
		status = take_row(t, fields, n);
		t->rows++;
	}
	free(fields);
	return status;
}

/* s since 1970 of a start "2009-08-24T00:20:03", NaN where there is none. */
static double
moment_of(const char *start)
{
	text_date date;
	return *start && text_parse_date(start, false, &date) && !date.open
	       ? (double)date.seconds + date.fraction : NAN;
}

/* "# onset, duration, description" as MNE writes it, and "# orig_time : 2009-08-24 00:20:03", which
 * numbers count from. */
static ws_status
take_comment(table *t)
{
	text_state *s = t->text.state;
	const char *line = s->line + s->line_start;
	char **fields;
	size_t n;
	if (t->named)
		return WS_OK;
	line += strspn(line, "#% ");
	if (strncmp(line, "orig_time", 9) == 0) {
		const double shift = moment_of(line + 9 + strspn(line + 9, " :")) - t->start;
		t->shift = isfinite(shift) ? shift : 0;
		return WS_OK;
	}
	s->delimiter = text_find_delimiter(line);
	WSI_TRY(text_fields_of(&t->text, line, &fields, &n));
	read_names(t, fields, n);
	s->delimiter_told = t->named;
	s->columns = t->named ? n : 0;
	free(fields);
	return WS_OK;
}

static ws_status
read_lines(table *t)
{
	const text_state *s = t->text.state;
	for (text_line_kind kind;;) {
		WSI_TRY(text_next_line(&t->text, &kind));
		if (kind == TEXT_END)
			break;
		if (kind == TEXT_COMMENT && t->rows == 0)
			WSI_TRY(take_comment(t));
		/* Audacity: frequencies of the label before. */
		else if (kind == TEXT_ROW && s->line[0] != '\\')
			WSI_TRY(take_line(t));
	}
	return t->rows ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: holds no events; a table of them has "
	                                  "columns onset, duration and label", t->text.path);
}

static ws_status
read_table(wsi_recording *rec, const char *path)
{
	table t = { .rec = rec, .unit = 1, .duration_unit = 1,
	            .start = moment_of(rec->start_time) };
	t.text.opts = rec->opts;
	t.text.path = (char *)path;
	wsi_c_locale locale;
	wsi_c_locale_enter(&locale);
	ws_status status = text_begin(&t.text);
	if (status == WS_OK)
		status = read_lines(&t);
	if (status == WS_OK && t.untimed)
		status = wsi_recording_add_note(rec, "%s: %zu of its %zu events %s no onset (n/a) "
		                                "and %s left out", path, t.untimed, t.rows,
		                                t.untimed == 1 ? "has" : "have",
		                                t.untimed == 1 ? "is" : "are");
	if (status == WS_OK && t.torn)
		status = wsi_recording_add_note(rec, "%s: %zu of its %zu events %s fewer fields "
		                                "than there are columns; what is missing is taken "
		                                "as n/a", path,
		                                t.torn, t.rows, t.torn == 1 ? "has" : "have");
	text_end(&t.text);
	wsi_c_locale_leave(&locale);
	return status;
}

/* ---- Recordings ----------------------------------------------------------- */

/* Those of another recording, moved by as much as it begins later. */
static ws_status
copy_events(wsi_recording *rec, const wsi_recording *other)
{
	const double later = moment_of(other->start_time) - moment_of(rec->start_time);
	const double shift = isfinite(later) ? later : 0;
	if (other->n_events == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: is %s without events", other->path,
		                other->format);
	for (size_t i = 0; i < other->n_events; ++i) {
		const wsi_event *e = &other->events[i];
		WSI_TRY(wsi_recording_add_event(rec, e->onset + shift, e->duration, e->label));
	}
	return shift == 0 ? WS_OK
	       : wsi_recording_add_note(rec, "%s: begins %g s %s %s, which its events are moved by",
	                                other->path, fabs(shift), shift > 0 ? "after" : "before",
	                                rec->path);
}

/* Text of lines, and none of the formats that begin as text does. */
static ws_status
is_table(const wsi_recording *rec, const char *path, bool *is)
{
	wsi_file f;
	char head[WSI_HEAD_BYTES];
	WSI_TRY(wsi_file_open(&f, path, rec->opts.opened));
	const size_t n = f.bytes < sizeof head ? (size_t)f.bytes : sizeof head;
	const ws_status status = wsi_file_read(&f, 0, head, n);
	wsi_file_close(&f);
	WSI_TRY(status);
	*is = n > 0 && !(n > 8 && memcmp(head, "0       ", 8) == 0) &&
	      !(n > 12 && strncasecmp(head, "brain vision", 12) == 0);
	for (size_t i = 0; i < n; ++i)
		*is = *is && ((unsigned char)head[i] >= ' '
		              || (head[i] >= '\t' && head[i] <= '\r'));
	return WS_OK;
}

static ws_status
read_recording(wsi_recording *rec, const char *path)
{
	wsi_recording *other;
	const wsi_open_opts opts = { .memory = rec->opts.memory, .opened = rec->opts.opened,
		.decoder = rec->opts.decoder };
	WSI_TRY(wsi_recording_open(&other, path, &opts));
	const ws_status status = copy_events(rec, other);
	wsi_recording_close(other);
	return status;
}

/* ---- Both ----------------------------------------------------------------- */

/* Of events beyond the recording a note tells. */
static ws_status
note_outside(wsi_recording *rec, const char *path)
{
	double end = 0;
	size_t n = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		end = fmax(end, (double)rec->channels[i].samples / rec->channels[i].fs);
	for (size_t i = 0; i < rec->n_events; ++i)
		n += rec->events[i].onset < 0 || rec->events[i].onset >= end;
	return n == 0 ? WS_OK
	       : wsi_recording_add_note(rec, "%s: %zu of its %zu events lie%s outside %s", path, n,
	                                rec->n_events, n == 1 ? "s" : "", rec->path);
}

ws_status
wsi_events_read(wsi_recording *rec, const char *path)
{
	bool is;
	if (rec->epochs)
		return WSI_FAIL(WS_E_ARG, "`events %s`: %s has epochs already, in which times of "
		                "events mean nothing", path, rec->path);
	if (!rec->fs_known)
		return WSI_FAIL(WS_E_ARG, "`events %s`: the sampling rate of %s is not known; give "
		                "it with `fs`", path, rec->path);
	WSI_TRY(is_table(rec, path, &is));
	for (size_t i = 0; i < rec->n_events; ++i)
		free(rec->events[i].label);
	free(rec->events);
	rec->events = NULL;
	rec->n_events = 0;
	WSI_TRY(is ? read_table(rec, path) : read_recording(rec, path));
	WSI_TRY(note_outside(rec, path));
	WSI_TRY(wsi_recording_sort_events(rec));
	return wsi_recording_find_segments(rec);
}
