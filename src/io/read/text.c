/*
 * text.c - tables of numbers: CSV, TSV, semicolons, bars or blanks between columns.
 *
 * A column is a channel, a row a moment.  Lines starting with # or % are comments, of which those
 * before the numbers may name the columns and tell the rate.  What the first column says of time
 * gives the sampling rate and the origin, and times must be even unless the user gives the rate.  A
 * first column of row numbers is no signal.  The table is read into memory when it is opened.
 * text_table.h shows how the work is shared out.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/decode/decoder.h"
#include "io/read/text_table.h"

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
	       wsi_name_ends(path, ".asc") || wsi_name_ends(path, ".ascii") ||
	       wsi_name_ends(path, ".psv") || wsi_name_ends(path, ".lvm");
}

/* Tabs and blanks: "1,234" might be any of two numbers. */
static ws_status
check_commas(const wsi_recording *rec)
{
	const text_state *s = rec->state;
	if (s->point != ',' || s->delimiter == ';' || s->commas_sure)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: nothing tells whether the commas in its numbers are "
	                "decimal marks or set off thousands; write decimal points", rec->path);
}

/* ---- The reader ----------------------------------------------------------- */

/* What is needed only while the file is read. */
static void
free_reading(const wsi_recording *rec)
{
	text_state *s = rec->state;
	for (size_t i = 0; s->names && i < s->columns; ++i)
		free(s->names[i]);
	for (size_t i = 0; s->units && i < s->columns; ++i)
		free(s->units[i]);
	for (size_t i = 0; i < TEXT_HEADS; ++i) {
		free(s->heads[i]);
		s->heads[i] = NULL;
	}
	if (s->fd >= 0 && !s->piped)
		close(s->fd);
	s->fd = -1;
	free(s->block);
	free(s->names);
	free(s->units);
	free(s->fields);
	free(s->line);
	if (!rec->opts.keeps_lines) {
		free(s->lines);
		s->lines = NULL;
	}
	free(s->parts);
	free(s->suspect);
	free(s->skipped);
	s->skipped = NULL;
	free(s->footer_detail);
	free(s->told.names);
	s->told.names = NULL;
	s->names = s->units = s->fields = NULL;
	s->parts = NULL;
	s->line = s->block = s->suspect = s->footer_detail = NULL;
}

ws_status
text_begin(wsi_recording *rec)
{
	text_state *s = rec->state = calloc(1, sizeof *s);
	WSI_HAVE(s, "%s: no memory", rec->path);
	s->fd = -1;
	s->point = '.';
	s->most = wsi_reading_memory(&rec->opts);
	WSI_NEW(s->block, TEXT_BLOCK, "%s: no memory", rec->path);
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
	return WS_OK;
}

static ws_status
text_open(wsi_recording *rec)
{
	WSI_TRY(text_begin(rec));
	text_state *s = rec->state;
	WSI_TRY(text_read_rows(rec));
	WSI_TRY(check_commas(rec));
	if (!s->piped)
		wsi_sha256_finish(&s->hash, rec->sha256);
	rec->held = s->rows * s->columns * sizeof *s->values;
	WSI_TRY(text_set_channels(rec));
	free_reading(rec);
	return WS_OK;
}

static ws_status
text_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	(void)epoch;
	const text_state *s = rec->state;
	for (size_t i = 0; s->months && i < count; ++i)
		out[i] = text_month(s, first + i);
	if (s->months)
		return WS_OK;
	const double *from = s->values + (s->first_row + first) * s->columns +
	        s->column_of[channel];
	for (size_t i = 0; i < count; ++i)
		out[i] = from[i * s->columns];
	return WS_OK;
}

void
text_end(wsi_recording *rec)
{
	text_state *s = rec->state;
	if (!s)
		return;
	free_reading(rec);
	free(s->column_of);
	free(s->lines);
	free(s->values);
	free(s);
	rec->state = NULL;
}

const wsi_reader wsi_reader_text = {
	.name = "text", .probe = text_probe, .open = text_open, .read = text_read,
	.close = text_end,
};
