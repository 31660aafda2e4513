/*
 * writer_csv.c - a table for spreadsheets: a line per sample with its time,
 * in the unit that the recording counts it in, and, for each channel, the
 * signal, its modes and the residue.  Epochs follow each other, told by a
 * first column.  Numbers have the digits that bring the same value back.
 */
#include "io/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

/* The columns of an epoch, and where they go. */
typedef struct csv {
	const wsi_writer *w;
	FILE *f;
	size_t *modes;         /* [channel] most of any epoch */
	wsi_spool_row *rows;   /* [n] in the order of the columns */
	size_t n;
	size_t epoch;
	double time_unit;      /* of the first column, s */
	bool far;              /* from 0, so that 15 digits of a time are too few */
} csv;

/* NAME.part, quoted where the name holds what a reader would split at. */
static void
write_title(FILE *f, const char *name, const char *part)
{
	bool quote = strpbrk(name, ",;\"\t\r\n") != NULL;
	fputs(quote ? ",\"" : ",", f);
	for (const char *c = name; *c; ++c) {
		if (*c == '"')
			fputc('"', f);
		fputc(*c, f);
	}
	fprintf(f, quote ? ".%s\"" : ".%s", part);
}

static void
write_titles(const csv *c)
{
	const wsi_result_header *h = &c->w->header;
	fputs(h->epochs ? "epoch," : "", c->f);
	if (h->fs_known)
		fprintf(c->f, "time_%s", wsi_time_unit_name(c->time_unit));
	else
		fputs("sample", c->f);
	for (size_t ch = 0; ch < h->channels; ++ch) {
		write_title(c->f, h->channel_names[ch], "signal");
		for (size_t m = 0; m < c->modes[ch]; ++m) {
			char part[32];
			snprintf(part, sizeof part, "mode%zu", m + 1);
			write_title(c->f, h->channel_names[ch], part);
		}
		write_title(c->f, h->channel_names[ch], "residue");
	}
	fputc('\n', c->f);
}

static ws_status
write_block(void *user, size_t first, size_t count, const void *block)
{
	const csv *c = user;
	const wsi_result_header *h = &c->w->header;
	for (size_t t = 0; t < count; ++t) {
		if (h->epochs)
			fprintf(c->f, "%d,", (int)h->epoch_numbers[c->epoch]);
		double time = h->time_origin + h->first_time + (double)(first + t) / h->fs;
		char text[WSI_TIME_TEXT];
		if (c->far)
			fputs(wsi_format_time(time, c->time_unit, h->fs, text), c->f);
		else
			fprintf(c->f, "%.15g", time / c->time_unit);
		for (size_t r = 0; r < c->n; ++r)
			if (h->store == WS_F32)
				fprintf(c->f, ",%.9g",
				        (double)((const float *)block)[t * c->n + r]);
			else
				fprintf(c->f, ",%.17g", ((const double *)block)[t * c->n + r]);
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
	c->time_unit = h->fs_known ? wsi_time_unit(wsi_time_unit_name(h->time_unit)) : 1;
	c->far = fabs(h->time_origin + h->first_time) * h->fs > 1e8;
}

static void
choose_columns(csv *c)
{
	const wsi_result_header *h = &c->w->header;
	c->n = 0;
	for (size_t ch = 0; ch < h->channels; ++ch) {
		size_t entry = c->epoch * h->channels + ch;
		c->rows[c->n++] = (wsi_spool_row){ entry, WSI_ROW_SIGNAL };
		for (size_t m = 0; m < c->modes[ch]; ++m)
			c->rows[c->n++] = (wsi_spool_row){ entry, m };
		c->rows[c->n++] = (wsi_spool_row){ entry, WSI_ROW_RESIDUE };
	}
}

static ws_status
write_table(csv *c)
{
	const wsi_writer *w = c->w;
	const wsi_spool *spool = w->state;
	for (size_t e = 0; e < spool->entries; ++e) {
		size_t *most = &c->modes[e % w->header.channels];
		if (spool->modes[e] > *most)
			*most = spool->modes[e];
	}
	choose_time(c);
	write_titles(c);
	for (c->epoch = 0; c->epoch < wsi_header_epochs(&w->header); ++c->epoch) {
		choose_columns(c);
		WSI_TRY(wsi_spool_turn(spool, c->rows, c->n, write_block, c));
	}
	return WS_OK;
}

static ws_status
csv_finish(wsi_writer *w, const wsi_fact *facts, size_t n_facts)
{
	(void)facts;
	(void)n_facts;
	csv c = { .w = w };
	c.modes = calloc(w->header.channels, sizeof *c.modes);
	c.rows = calloc(w->header.channels * (w->modes + 2), sizeof *c.rows);
	c.f = w->temp ? fopen(w->temp, "wbe") : stdout;
	ws_status status;
	if (!c.modes || !c.rows) {
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
	return status;
}

const wsi_writer_format wsi_writer_csv = {
	".csv", wsi_spooled_open, wsi_spooled_put, csv_finish, wsi_spooled_close, false,
};
