/*
 * writer_csv.c - a table for spreadsheets: a line per sample with its time,
 * in the unit that the recording counts it in, or its date, and, for each channel, the
 * signal and the rows of the main arrays (modes, residue); of complex ones the real and the
 * imaginary part.  Epochs follow each other, told by a first column.  Numbers have the digits
 * that bring the same value back.
 */
#include "io/write/writer_format.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/read/time_units.h"
#include "io/read/times.h"

/* The columns of an epoch, and where they go. */
typedef struct csv {
	const wsi_writer *w;
	FILE *f;
	const wsi_file_axis *time;
	size_t *modes;         /* [channel] most of any epoch */
	wsi_spool_row *rows;   /* [n] in the order of the columns */
	ws_type *types;        /* [n] */
	size_t n;
	size_t epoch;
	double time_unit;      /* of the first column, s */
	bool far;              /* from 0, so that 15 digits of a time are too few */
	bool dates;            /* in the first column: days, or the clock of them */
} csv;

/* ---- Which arrays ------------------------------------------------------------ */

/* Time of the lines: that of the first main array. */
static const wsi_file_axis *
time_of(const wsi_writer *w)
{
	for (size_t i = 0; i < w->n_arrays; ++i)
		if (w->arrays[i].made.flags & WS_ARRAY_MAIN)
			return w->arrays[i].axes[w->arrays[i].rank - 1];
	return NULL;
}

/* The signal where it has the time of the main arrays, and these. */
static bool
is_shown(const wsi_writer *w, const wsi_file_array *a)
{
	return (a->made.flags & (WS_ARRAY_MAIN | WS_ARRAY_SIGNAL | WSI_ARRAY_INTERVAL)) != 0
	       && a->made.rank <= 3 && a->axes[a->rank - 1] == time_of(w);
}

static ws_status
csv_open(wsi_writer *w)
{
	const wsi_file_axis *time = time_of(w);
	bool good = time && time->kind == WS_AXIS_TIME;
	for (size_t i = 0; i < w->n_arrays; ++i)
		if (w->arrays[i].made.flags & WS_ARRAY_MAIN)
			good = good && is_shown(w, &w->arrays[i]);
	return good ? wsi_spooled_open(w)
	       : WSI_FAIL(WS_E_UNSUPPORTED, "%s: a table needs arrays [channel][time] or "
	                  "[channel][row][time] of one time axis; write .h5", w->path);
}

/* Rows that a channel has of an array. */
static size_t
rows_of(const csv *c, const wsi_file_array *a, size_t channel)
{
	return a->made.rank == 2 ? 1 : a->made.axis[1] == WS_AXIS_MODE ? c->modes[channel]
	       : a->made.extent[1];
}

/* ---- Titles ------------------------------------------------------------------- */

/* Would a spreadsheet compute the name?  Wide forms of = + - @ count in some languages. */
static bool
is_formula(const char *name)
{
	static const char *const starts[] = { "=", "+", "-", "@", "\t", "\r", "\n",
		"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0" };
	for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

void
wsi_csv_put_name(FILE *f, const char *name, const char *after)
{
	/* What readers would split at; an apostrophe tells spreadsheets that it is text. */
	bool quote = strpbrk(name, ",;\"\t\r\n") != NULL;
	fputs(quote ? "\"" : "", f);
	if (is_formula(name))
		fputc('\'', f);
	for (const char *c = name; *c; ++c) {
		if (*c == '"')
			fputc('"', f);
		fputc(*c, f);
	}
	fputs(after, f);
	fputs(quote ? "\"" : "", f);
}

/* NAME.part */
static void
write_title(FILE *f, const char *name, const char *part)
{
	char after[176];
	snprintf(after, sizeof after, ".%.170s", part);
	fputc(',', f);
	wsi_csv_put_name(f, name, after);
}

/* Of a row: "residue", "mode2", "coefficients.10.5Hz". */
static void
write_row_titles(const csv *c, const wsi_file_array *a, const char *name, size_t row)
{
	const wsi_file_axis *axis = a->axes[a->rank - 2];
	char part[160];
	if (a->made.rank == 2)
		snprintf(part, sizeof part, "%.100s", a->made.name);
	else if (wsi_axis_in_hz(axis->kind) && axis->values)
		snprintf(part, sizeof part, "%.100s.%.10gHz", a->made.name,
		         wsi_axis_value(c->w, axis, row));
	else if (axis->kind == WS_AXIS_MODE)
		snprintf(part, sizeof part, "mode%zu%s", row + 1,
		         a->made.flags & WSI_ARRAY_INTERVAL ? WSI_INTERVAL : "");
	else
		snprintf(part, sizeof part, "%.100s.%zu", a->made.name, row + 1);
	const size_t end = strlen(part);
	if (wsi_type_complex(a->type))
		strcpy(part + end, ".re");
	write_title(c->f, name, part);
	if (wsi_type_complex(a->type)) {
		strcpy(part + end, ".im");
		write_title(c->f, name, part);
	}
}

static void
write_titles(const csv *c)
{
	const wsi_writer *w = c->w;
	const wsi_result_header *h = &w->header;
	fputs(h->epochs ? "epoch," : "", c->f);
	if (c->dates)
		fputs("date", c->f);
	else if (h->fs_known)
		fprintf(c->f, "time_%s", wsi_time_unit_name(c->time_unit));
	else
		fputs("sample", c->f);
	for (size_t ch = 0; ch < h->channels; ++ch)
		for (const wsi_file_array *a = w->arrays; a < w->arrays + w->n_arrays; ++a)
			for (size_t r = 0; is_shown(w, a) && r < rows_of(c, a, ch); ++r)
				write_row_titles(c, a, h->channel_names[ch], r);
	fputc('\n', c->f);
}

/* ---- Lines -------------------------------------------------------------------- */

/* With as few digits as are the number when it is read: 0.72, not 0.71999999999999997.  Of numbers
 * that have 15 the 17 that always suffice end with a step of at most 11 from 00. */
static void
write_wide(FILE *f, double value)
{
	char all[40], few[40];
	const int n = snprintf(all, sizeof all, "%.17g", value);
	const char *end = strpbrk(all, "e");
	const int last = (int)(end ? end - all : n) - 1;
	if (last > 15 && isdigit((unsigned char)all[last]) &&
	    isdigit((unsigned char)all[last - 1])) {
		const int step = 10 * (all[last - 1] - '0') + (all[last] - '0');
		if (step <= 11 || step >= 89) {
			snprintf(few, sizeof few, "%.15g", value);
			fprintf(f, ",%s", strtod(few, NULL) == value ? few : all);
			return;
		}
	}
	fprintf(f, ",%s", all);
}

static void
write_value(FILE *f, ws_type type, const char *value)
{
	float narrow;
	double wide;
	int32_t whole;
	switch (type) {
	case WS_F32:
		memcpy(&narrow, value, sizeof narrow);
		fprintf(f, ",%.9g", (double)narrow);
		break;
	case WS_F64:
		memcpy(&wide, value, sizeof wide);
		write_wide(f, wide);
		break;
	case WS_I32:
		memcpy(&whole, value, sizeof whole);
		fprintf(f, ",%d", (int)whole);
		break;
	default:
		write_value(f, wsi_type_part(type), value);
		write_value(f, wsi_type_part(type), value + wsi_type_size(wsi_type_part(type)));
	}
}

static ws_status
write_block(void *user, size_t first, size_t count, void *block)
{
	const csv *c = user;
	const wsi_result_header *h = &c->w->header;
	const char *value = block;
	for (size_t t = 0; t < count; ++t) {
		if (h->epochs)
			fprintf(c->f, "%d,", (int)h->epoch_numbers[c->epoch]);
		double time = wsi_axis_value(c->w, c->time, first + t);
		char text[WSI_TIME_TEXT];
		if (c->dates)
			fputs(wsi_format_date(time, h->start_time, h->time_unit, text), c->f);
		else if (c->far)
			fputs(wsi_format_time(time, c->time_unit, h->fs, text), c->f);
		else
			fprintf(c->f, "%.15g", time / c->time_unit);
		for (size_t r = 0; r < c->n; value += c->rows[r++].size)
			write_value(c->f, c->types[r], value);
		fputc('\n', c->f);
		if (ferror(c->f))
			return wsi_write_fail(c->w->path);
	}
	return WS_OK;
}

/* 15 digits hide what rounding leaves of 0.1, and are quick. */
static void
choose_time(csv *c)
{
	const wsi_result_header *h = &c->w->header;
	c->time = time_of(c->w);
	c->time_unit = h->fs_known ? wsi_time_unit(wsi_time_unit_name(h->time_unit)) : 1;
	c->dates = h->fs_known && !h->epochs
	           && wsi_tells_dates(h->dated, h->start_time, h->fs, h->time_unit);
	c->far = fabs(h->time_origin + h->first_time) * h->fs > 1e8;
}

/* Counts the columns, and says where they lie if there is room for it. */
static void
choose_columns(csv *c)
{
	const wsi_writer *w = c->w;
	const size_t channels = w->header.channels;
	c->n = 0;
	for (size_t ch = 0; ch < channels; ++ch)
		for (const wsi_file_array *a = w->arrays; a < w->arrays + w->n_arrays; ++a) {
			const size_t rows = is_shown(w, a) ? rows_of(c, a, ch) : 0;
			const size_t size = wsi_type_size(a->type);
			uint64_t at = wsi_spooled_place(w, a, c->epoch * channels + ch);
			for (size_t r = 0; r < rows; ++r, ++c->n) {
				if (!c->rows)
					continue;
				c->rows[c->n] = (wsi_spool_row){ at, size };
				c->types[c->n] = a->type;
				at += c->time->extent * size;
			}
		}
}

static ws_status
write_table(csv *c)
{
	const wsi_writer *w = c->w;
	const wsi_spool *spool = wsi_spooled_in(w, true);
	for (size_t e = 0; e < w->n_entries; ++e) {
		size_t *most = &c->modes[e % w->header.channels];
		if (w->entries[e].modes > *most)
			*most = w->entries[e].modes;
	}
	choose_time(c);
	choose_columns(c);
	c->rows = calloc(c->n, sizeof *c->rows);
	c->types = calloc(c->n, sizeof *c->types);
	WSI_HAVE(c->rows && c->types, "%s: out of memory", w->path);
	write_titles(c);
	for (c->epoch = 0; c->epoch < wsi_header_epochs(&w->header); ++c->epoch) {
		choose_columns(c);
		WSI_TRY(wsi_spool_transpose(spool, c->rows, c->n, c->time->extent, write_block, c));
	}
	return WS_OK;
}

static ws_status
csv_finish(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	(void)facts;
	(void)n_facts;
	csv c = { .w = w };
	c.modes = calloc(w->header.channels, sizeof *c.modes);
	c.f = w->temp ? wsi_newfile_stream(&w->file) : stdout;
	ws_status status;
	if (!c.modes) {
		status = WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	} else if (!c.f) {
		status = wsi_write_fail(w->path);
	} else {
		wsi_c_locale locale;
		wsi_c_locale_enter(&locale);
		status = write_table(&c);
		wsi_c_locale_leave(&locale);
		if (status == WS_OK && !w->temp && (fflush(stdout) != 0 || ferror(stdout)))
			status = wsi_write_fail(w->path);
	}
	if (c.f && w->temp) {
		if (status == WS_OK)
			status = wsi_write_close(c.f, w->path);
		else
			fclose(c.f);
	}
	free(c.modes);
	free(c.rows);
	free(c.types);
	return status;
}

/* What the table does not show takes no room. */
static ws_status
csv_put(wsi_writer *w, const wsi_file_array *array, size_t entry, const ws_slab *slab)
{
	return is_shown(w, array) ? wsi_spooled_put(w, array, entry, slab) : WS_OK;
}

const wsi_writer_format wsi_writer_csv = {
	".csv", csv_open, csv_put, csv_finish, wsi_spooled_close, NULL, NULL,
};
