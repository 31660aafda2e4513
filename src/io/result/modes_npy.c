/*
 * modes_npy.c - modes as a NumPy array, [epoch][channel][mode][time] or the
 * last two or three of these, the residue as the last mode.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/readers.h"
#include "io/result/modes.h"

#define MAX_HEADER 4096  /* bytes; ours have 128 */

typedef struct npy_modes {
	const char *path;
	wsi_file file;
	uint64_t data_offset;
	wsi_sample_type type;
	bool big_endian;
	size_t rows, samples;  /* rows: modes and residue, of a channel */
	double *counts;        /* [epoch][channel] modes */
} npy_modes;

/* What follows 'key': in the dict; NULL if it is absent. */
static const char *
value_of(const char *dict, const char *key)
{
	const char *at = strstr(dict, key);
	return at ? at + strlen(key) + strspn(at + strlen(key), " :") : NULL;
}

/* "(2, 3, 4)" into dims; the number of them, 0 unless it is 2 to 4. */
static int
parse_shape(const char *text, size_t dims[4])
{
	int rank = 0;
	if (!text || *text++ != '(')
		return 0;
	for (;;) {
		text += strspn(text, " ,");
		if (*text == ')')
			return rank >= 2 ? rank : 0;
		if (rank == 4 || *text < '0' || *text > '9')
			return 0;
		char *end;
		dims[rank++] = strtoull(text, &end, 10);
		text = end;
	}
}

static bool
parse_type(npy_modes *s, const char *text)
{
	if (!text || (*text != '\'' && *text != '"'))
		return false;
	s->big_endian = text[1] == '>';
	bool wide = strncmp(text + 2, "f8", 2) == 0;
	s->type = wide ? WSI_F64 : WSI_F32;
	return strchr("<>=", text[1]) && (wide || strncmp(text + 2, "f4", 2) == 0);
}

static ws_status
parse_header(npy_modes *s, int *rank, size_t dims[4])
{
	unsigned char start[12] = { 0 };
	char dict[MAX_HEADER + 1] = "";
	WSI_TRY(wsi_file_read(&s->file, 0, start, 10));
	size_t head = start[6] == 1 ? 10 : 12, n = start[8] | (size_t)start[9] << 8;
	WSI_TRY(wsi_file_read(&s->file, 0, start, head));
	if (start[6] > 1)
		n |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
	if (start[6] < 1 || start[6] > 3 || n > MAX_HEADER)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: not the header of a NumPy array",
		                s->path);
	WSI_TRY(wsi_file_read(&s->file, head, dict, n));
	s->data_offset = head + n;
	const char *order = value_of(dict, "'fortran_order'");
	*rank = parse_shape(value_of(dict, "'shape'"), dims);
	if (*rank == 0 || !order || strncmp(order, "False", 5) != 0
	    || !parse_type(s, value_of(dict, "'descr'")))
		return WSI_FAIL(WS_E_FORMAT, "%s: not modes: needs float32 or float64 in C order, "
		                "[channel][mode][time] or [mode][time]", s->path);
	return WS_OK;
}

static ws_status
check_size(const npy_modes *s, int rank, const size_t *dims)
{
	size_t bytes = wsi_sample_bytes(s->type);
	bool good = dims[rank - 2] > 0;
	for (int i = 0; i < rank && good; ++i)
		good = wsi_mul_size(bytes, dims[i], &bytes);
	if (!good || bytes > s->file.bytes - s->data_offset)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated or empty: its header announces "
		                "more than the %llu bytes that follow it", s->path,
		                (unsigned long long)(s->file.bytes - s->data_offset));
	return WS_OK;
}

static ws_status
read_row(const npy_modes *s, size_t row, size_t first, size_t count, double *out)
{
	size_t bytes = wsi_sample_bytes(s->type);
	return wsi_file_read_samples(&s->file, s->data_offset + (row * s->samples + first) * bytes,
	                             bytes, count, s->type, s->big_endian, out);
}

static ws_status
is_zero(const npy_modes *s, size_t row, bool *zero)
{
	double part[1024];
	*zero = true;
	for (size_t first = 0; *zero && first < s->samples; first += 1024) {
		size_t n = s->samples - first < 1024 ? s->samples - first : 1024;
		WSI_TRY(read_row(s, row, first, n, part));
		for (size_t i = 0; i < n; ++i)
			*zero = *zero && part[i] == 0;
	}
	return WS_OK;
}

/* Rows of zeros after a channel's last mode fill the array up to the largest
 * count. */
static ws_status
count_modes(npy_modes *s, size_t channels)
{
	s->counts = malloc((channels + 1) * sizeof *s->counts);
	if (!s->counts)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu channels", s->path, channels);
	for (size_t c = 0; c < channels; ++c) {
		size_t count = s->rows - 1;
		for (bool zero = true; zero && count > 0; count -= zero)
			WSI_TRY(is_zero(s, c * s->rows + count - 1, &zero));
		s->counts[c] = (double)count;
	}
	return WS_OK;
}

static ws_status
npy_open(wsi_recording *rec)
{
	npy_modes *s = rec->state;
	s->file.fd = -1;
	s->path = rec->path;
	WSI_TRY(wsi_file_open(&s->file, rec->source, rec->opts.opened));
	s->file.path = s->path;
	wsi_stored_array a = { .type = WS_F64 };
	WSI_TRY(parse_header(s, &a.rank, a.extent));
	WSI_TRY(check_size(s, a.rank, a.extent));
	s->rows = a.extent[a.rank - 2];
	s->samples = a.extent[a.rank - 1];
	WSI_TRY(wsi_arrays_make(rec, 2, 0));
	WSI_TRY(wsi_arrays_add(rec, a, "modes"));
	WSI_TRY(wsi_modes_take_shape(rec));
	WSI_TRY(count_modes(s, (rec->epochs ? rec->epochs : 1) * rec->n_channels));
	a = (wsi_stored_array){ .type = WS_I32, .rank = rec->epochs ? 2 : 1 };
	a.extent[0] = rec->epochs;
	a.extent[a.rank - 1] = rec->n_channels;
	WSI_TRY(wsi_arrays_add(rec, a, "mode_count"));
	return wsi_modes_take_times(rec, 1);
}

/* epoch: twice the array's number; channel: the line. */
static ws_status
npy_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	const npy_modes *s = rec->state;
	if (epoch < 2)
		return read_row(s, channel, first, count, out);
	memcpy(out, s->counts + channel * rec->n_channels + first, count * sizeof *out);
	return WS_OK;
}

static void
npy_close(wsi_recording *rec)
{
	npy_modes *s = rec->state;
	wsi_file_close(&s->file);
	free(s->counts);
}

const wsi_reader wsi_reader_modes_npy = {
	.name = "NPY (modes)", .state_bytes = sizeof(npy_modes), .open = npy_open,
	.read = npy_read, .close = npy_close,
};
