/*
 * writer_mat.c - MATLAB files: modes(channel,mode,time), residue and
 * signal(channel,time), all with a leading epoch dimension if epoched, and epoch;
 * mode_count, the figures of mode_figures.h (channel,mode), fs, fs_known, first_time, time_origin,
 * time_unit, start_time, channel_names, units. Version 5 where every array stays below MATLAB's 2
 * GiB, else 7.3.
 */
#include "io/writer.h"

#include <stdlib.h>

#include "io/writer_mat.h"

/* MATLAB's bound for a variable of version 5, less its heads. */
#define MAT5_MAX_BYTES (((uint64_t)1 << 31) - 4096)

static size_t
modes_of(const wsi_writer *w, wsi_mat_part part)
{
	return part == WSI_MAT_MODES ? w->modes : 1;
}

ws_status
wsi_mat_layout(wsi_mat_array *a, const wsi_writer *w, wsi_mat_part part)
{
	static const char *const names[] = { "modes", "residue", "signal" };
	const wsi_result_header *h = &w->header;
	size_t modes = modes_of(w, part), epochs = wsi_header_epochs(h);
	*a = (wsi_mat_array){ .name = names[part], .n_rows = epochs * h->channels * modes };
	if (h->epochs)
		a->dims[a->rank++] = epochs;
	a->dims[a->rank++] = h->channels;
	if (part == WSI_MAT_MODES)
		a->dims[a->rank++] = modes;
	a->dims[a->rank++] = h->samples;
	a->rows = calloc(a->n_rows ? a->n_rows : 1, sizeof *a->rows);
	if (!a->rows)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	size_t r = 0;
	for (size_t m = 0; m < modes; ++m)
		for (size_t c = 0; c < h->channels; ++c)
			for (size_t e = 0; e < epochs; ++e) {
				size_t row = part == WSI_MAT_MODES ? m
				             : part == WSI_MAT_RESIDUE ? WSI_ROW_RESIDUE
				             : WSI_ROW_SIGNAL;
				a->rows[r++] = (wsi_spool_row){ e * h->channels + c, row };
			}
	return WS_OK;
}

ws_status
wsi_mat_counts(int32_t **counts, const wsi_writer *w)
{
	const wsi_spool *spool = w->state;
	size_t epochs = wsi_header_epochs(&w->header), channels = w->header.channels;
	*counts = calloc(spool->entries, sizeof **counts);
	if (!*counts)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	for (size_t e = 0; e < spool->entries; ++e)
		(*counts)[e % channels * epochs + e / channels] = (int32_t)spool->modes[e];
	return WS_OK;
}

ws_status
wsi_mat_figures(wsi_mat_figure_array *a, const wsi_writer *w, wsi_figure_kind kind)
{
	const wsi_result_header *h = &w->header;
	const size_t epochs = wsi_header_epochs(h), channels = h->channels, modes = w->modes;
	*a = (wsi_mat_figure_array){ .name = wsi_figure_names[kind] };
	if (h->epochs)
		a->dims[a->rank++] = epochs;
	a->dims[a->rank++] = channels;
	a->dims[a->rank++] = modes;
	a->values = calloc(epochs * channels, (modes ? modes : 1) * sizeof *a->values);
	if (!a->values)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	const double *from = w->figures + (size_t)kind * epochs * channels * h->max_modes;
	for (size_t e = 0; e < epochs * channels; ++e)
		for (size_t m = 0; m < modes; ++m)
			a->values[(m * channels + e % channels) * epochs + e / channels] =
				from[e * h->max_modes + m];
	return WS_OK;
}

/* One code unit, or two, of the character at *s, which moves on.  Bytes that
 * are not UTF-8 are taken as Latin-1. */
static size_t
utf16_units(const unsigned char **s, uint16_t out[2])
{
	const unsigned char *p = *s;
	int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc2 ? 1 : 0;
	uint32_t code = more == 3 ? p[0] & 7u : more == 2 ? p[0] & 15u : more ? p[0] & 31u : p[0];
	for (int i = 1; i <= more; ++i) {
		if ((p[i] & 0xc0) != 0x80) {
			more = 0;
			code = p[0];
			break;
		}
		code = code << 6 | (p[i] & 0x3fu);
	}
	*s += more + 1;
	if (code < 0x10000 || code > 0x10ffff) {
		out[0] = (uint16_t)code;
		return 1;
	}
	out[0] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
	out[1] = (uint16_t)(0xdc00 + ((code - 0x10000) & 0x3ff));
	return 2;
}

size_t
wsi_utf16(const char *text, uint16_t *out)
{
	size_t n = 0;
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		uint16_t units[2];
		size_t k = utf16_units(&s, units);
		for (size_t i = 0; out && i < k; ++i)
			out[n + i] = units[i];
		n += k;
	}
	return n;
}

static ws_status
mat_finish(wsi_writer *w, const wsi_fact *facts, size_t n_facts)
{
	(void)facts;
	(void)n_facts;
	const wsi_result_header *h = &w->header;
	uint64_t rows = (uint64_t)wsi_header_epochs(h) * h->channels * (w->modes ? w->modes : 1);
	if (rows * h->samples * wsi_type_bytes(h->store) < MAT5_MAX_BYTES)
		return wsi_mat5_write(w);
	return wsi_mat73_write(w);
}

const wsi_writer_format wsi_writer_mat = {
	".mat", wsi_spooled_open, wsi_spooled_put, mat_finish, wsi_spooled_close, true,
};
