/*
 * modes_npy.c - modes as a NumPy array, [epoch][channel][mode][time] or the last two or three of
 * these, the residue as the last mode; of results of ours with what stands beside it (sidecar.h),
 * and then arrays of any kind where opts.any_arrays wants them.
 */
#include <stdlib.h>
#include <string.h>

#include "io/read/readers.h"
#include "io/result/modes.h"
#include "io/result/sidecar.h"

#define MAX_HEADER 4096  /* bytes; ours have 128 */

typedef struct npy_modes {
	const char *path;
	wsi_file file;
	uint64_t data_offset;
	wsi_sample_type type;
	bool big_endian;
	size_t rows, samples;  /* rows: modes and residue, of a channel */
	json_t *about;         /* what stands beside it; NULL: nothing */
	double *values[WSI_SIDECAR_ARRAYS]; /* of other arrays than the file's */
} npy_modes;

static ws_status
not_modes(const npy_modes *s)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: not modes: needs float32 or float64 in C order, "
	                "[channel][mode][time] or [mode][time]", s->path);
}

/* What follows 'key': in the dict; NULL if it is absent. */
static const char *
value_of(const char *dict, const char *key)
{
	const char *at = strstr(dict, key);
	return at ? at + strlen(key) + strspn(at + strlen(key), " :") : NULL;
}

/* "(2, 3, 4)" into dims; the number of them, 0 where there are too many. */
static int
parse_shape(const char *text, size_t dims[WSI_STORED_AXES])
{
	int rank = 0;
	if (!text || *text++ != '(')
		return 0;
	for (;;) {
		text += strspn(text, " ,");
		if (*text == ')')
			return rank;
		if (rank == WSI_STORED_AXES || *text < '0' || *text > '9')
			return 0;
		char *end;
		dims[rank++] = strtoull(text, &end, 10);
		text = end;
	}
}

static bool
parse_type(npy_modes *s, const char *text, ws_type *type)
{
	static const struct { const char *name; ws_type type; } types[] = { { "f8", WS_F64 },
		{ "f4", WS_F32 }, { "c16", WS_C128 }, { "c8", WS_C64 }, { "i4", WS_I32 } };
	if (!text || (*text != '\'' && *text != '"') || !strchr("<>=", text[1]))
		return false;
	s->big_endian = text[1] == '>';
	for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
		if (strncmp(text + 2, types[i].name, strlen(types[i].name)) == 0) {
			*type = types[i].type;
			s->type = *type == WS_F64 ? WSI_F64 : WSI_F32;
			return true;
		}
	return false;
}

static ws_status
parse_header(npy_modes *s, wsi_stored_array *a)
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
	a->rank = parse_shape(value_of(dict, "'shape'"), a->extent);
	if (a->rank == 0 || !order || strncmp(order, "False", 5) != 0
	    || !parse_type(s, value_of(dict, "'descr'"), &a->type))
		return not_modes(s);
	return WS_OK;
}

static ws_status
check_size(const npy_modes *s, const wsi_stored_array *a)
{
	size_t bytes = wsi_type_size(a->type);
	bool good = a->rank < 2 || a->extent[a->rank - 2] > 0;
	for (int i = 0; i < a->rank && good; ++i)
		good = wsi_mul_size(bytes, a->extent[i], &bytes);
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
	double *counts = s->values[1] = malloc((channels + 1) * sizeof *counts);
	WSI_HAVE(counts, "%s: no memory for %zu channels", s->path, channels);
	for (size_t c = 0; c < channels; ++c) {
		size_t count = s->rows - 1;
		for (bool zero = true; zero && count > 0; count -= zero)
			WSI_TRY(is_zero(s, c * s->rows + count - 1, &zero));
		counts[c] = (double)count;
	}
	return WS_OK;
}

/* An array that nothing describes. */
static ws_status
take_bare(npy_modes *s, wsi_recording *rec, wsi_stored_array a)
{
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

static ws_status
npy_open(wsi_recording *rec)
{
	npy_modes *s = rec->state;
	s->file.fd = -1;
	s->path = rec->path;
	WSI_TRY(wsi_file_open(&s->file, rec->source, rec->opts.opened));
	s->file.path = s->path;
	wsi_stored_array a = { .type = WS_F64 };
	/* All of ours have such a header. */
	const ws_status status = parse_header(s, &a);
	if (status != WS_OK && !(status == WS_E_FORMAT && rec->opts.any_arrays))
		return status;
	if (status == WS_OK)
		WSI_TRY(wsi_sidecar_read(rec, &a, &s->about));
	if (rec->opts.any_arrays && !s->about)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: nothing tells that it is a result", s->path);
	const bool modes = !s->about || strcmp(wsi_sidecar_array(s->about), "modes") == 0;
	if (!modes && !rec->opts.any_arrays)
		return WSI_FAIL(WS_E_FORMAT, "%s: is a result without modes; write .h5 for what "
		                "looks at other results", s->path);
	if (modes && (a.rank < 2 || a.rank > 4 || wsi_type_complex(a.type) || a.type == WS_I32))
		return not_modes(s);
	WSI_TRY(check_size(s, &a));
	s->rows = a.rank > 1 ? a.extent[a.rank - 2] : 1;
	s->samples = a.extent[a.rank - 1];
	return s->about ? wsi_sidecar_take(rec, s->about, a, s->values) : take_bare(s, rec, a);
}

/* epoch: twice the array's number; channel: the line. */
static ws_status
npy_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	const npy_modes *s = rec->state;
	const wsi_stored_array *a = &rec->arrays->items[epoch / 2];
	if (epoch >= 2)
		memcpy(out, s->values[epoch / 2] + channel * wsi_stored_length(a) + first,
		       count * sizeof *out);
	else if (wsi_type_complex(a->type) || a->type == WS_I32)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: is read from .h5 alone", a->name);
	return epoch >= 2 ? WS_OK : read_row(s, channel, first, count, out);
}

static void
npy_close(wsi_recording *rec)
{
	npy_modes *s = rec->state;
	wsi_file_close(&s->file);
	json_decref(s->about);
	for (size_t i = 0; i < WSI_SIDECAR_ARRAYS; ++i)
		free(s->values[i]);
}

const wsi_reader wsi_reader_modes_npy = {
	.name = "NPY (modes)", .state_bytes = sizeof(npy_modes), .open = npy_open,
	.read = npy_read, .close = npy_close,
};
