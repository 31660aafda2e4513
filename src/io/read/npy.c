/*
 * npy.c - NumPy arrays: .npy versions 1 to 3, and .npz, a zip of them.
 *
 * An array of one dimension is [time], of two [channel][time], of three
 * [epoch][channel][time].  Samples of a .npy are read from the file on demand;
 * an array of a .npz is unpacked into memory when it is opened.  A number called
 * fs or the like in a .npz is the rate, or dt or t tell it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/decode/decoder.h"
#include "io/read/layout.h"
#include "io/read/npy.h"
#include "io/read/readers.h"
#include "io/read/segments.h"

#define MAX_HEADER (1u << 16)  /* bytes; real ones have 128 */

static int
npy_probe(const unsigned char *head, size_t n, const char *path)
{
	if (n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0)
		return 2;
	const bool zip = n >= 30 && memcmp(head, "PK\3\4", 4) == 0;
	if (zip) {
		/* The local header of the first entry: length of its name, the name. */
		const size_t length = head[26] | (size_t)head[27] << 8;
		if (length >= 4 && n >= 30 + length &&
		    memcmp(head + 30 + length - 4, ".npy", 4) == 0)
			return 2;
	}
	return wsi_name_ends(path, ".npy") || wsi_name_ends(path, ".npz");
}

static ws_status
read_bytes(const npy_state *s, const char *path, uint64_t offset, void *out, size_t n)
{
	if (!s->memory)
		return wsi_file_read(&s->file, offset, out, n);
	if (offset > s->bytes || n > s->bytes - offset)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated: the array ends before its header says",
		                path);
	memcpy(out, s->memory + offset, n);
	return WS_OK;
}

/* ---- The header: a Python dict literal ----------------------------------- */

const char *
npy_find_value(const char *dict, const char *key)
{
	const size_t n = strlen(key);
	const char *value = NULL;
	for (const char *at = dict; (at = strpbrk(at, "'\"")) != NULL;) {
		const char quote = *at++;
		const char *end = strchr(at, quote);
		if (!end)
			break;
		const char *after = end + 1 + strspn(end + 1, " ");
		if ((size_t)(end - at) == n && memcmp(at, key, n) == 0 && *after == ':')
			value = after + 1 + strspn(after + 1, " ");
		at = end + 1;
	}
	return value;
}

/* Python's True or False. */
static bool
parse_truth(const char *value, bool *truth)
{
	const size_t n = *value == 'T' ? 4 : 5;
	*truth = n == 4;
	return strncmp(value, *truth ? "True" : "False", n) == 0 && strchr(" ,}", value[n]);
}

bool
npy_parse_descr(npy_state *s, const char *value, bool complex)
{
	static const struct {
		char code[3];
		wsi_sample_type type;
	} types[] = {
		{ "f4", WSI_F32 }, { "f8", WSI_F64 }, { "i1", WSI_I8 },  { "i2", WSI_I16 },
		{ "i4", WSI_I32 }, { "i8", WSI_I64 }, { "u1", WSI_U8 },  { "u2", WSI_U16 },
		{ "u4", WSI_U32 }, { "u8", WSI_U64 },
	};
	const char quote = value[0];
	if ((quote != '\'' && quote != '"') || !value[1] || !strchr("<>|=", value[1]))
		return false;
	s->big_endian = value[1] == '>';
	s->parts = 1;
	for (int wide = 0; complex && wide < 2; ++wide) {
		const char *code = wide ? "c16" : "c8";
		const size_t n = strlen(code);
		if (strncmp(value + 2, code, n) == 0 && value[2 + n] == quote) {
			s->type = wide ? WSI_F64 : WSI_F32;
			s->parts = 2;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
		if (strncmp(value + 2, types[i].code, 2) == 0 && value[4] == quote) {
			s->type = types[i].type;
			return true;
		}
	return false;
}

/* "(3, 4)" of 1 to 3 dimensions; the number of them, 0 if it is none. */
static size_t
parse_shape(const char *value, size_t shape[3])
{
	size_t n = 0;
	if (*value++ != '(')
		return 0;
	for (bool comma = true;; comma = *value == ',', value += comma) {
		value += strspn(value, " ");
		if (*value == ')')
			return n;
		if (n == 3 || !comma || *value < '0' || *value > '9')
			return 0;
		char *end;
		const unsigned long long length = strtoull(value, &end, 10);
		if (length > INT64_MAX)
			return 0;
		/* NumPy of Python 2 wrote "3L". */
		value = *end == 'L' ? end + 1 : end;
		value += strspn(value, " ");
		shape[n++] = (size_t)length;
	}
}

static ws_status
apply_shape(wsi_recording *rec, const size_t shape[3], size_t n, bool fortran)
{
	npy_state *s = rec->state;
	const size_t epochs = n == 3 ? shape[0] : 1, channels = n >= 2 ? shape[n - 2] : 1;
	const size_t samples = shape[n - 1];
	size_t rows, count, bytes;
	if (!wsi_mul_size(epochs, channels, &rows) || !wsi_mul_size(rows, samples, &count) ||
	    !wsi_mul_size(count, s->parts * wsi_sample_bytes(s->type), &bytes) ||
	    bytes > s->bytes - s->data_offset)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated: an array of %zu x %zu x %zu "
		                "needs more than the %" PRIu64 " bytes after its header", rec->path,
		                epochs, channels, samples, s->bytes - s->data_offset);
	if (count == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: the array of %zu x %zu x %zu is empty", rec->path,
		                epochs, channels, samples);
	const uint64_t behind = s->bytes - s->data_offset - bytes;
	if (behind > 0)
		WSI_TRY(wsi_recording_add_note(rec, "%s: %" PRIu64 " bytes follow the array of %zu "
		                               "x %zu x %zu that its header tells of; they are not "
		                               "read", rec->path, behind, epochs, channels,
		                               samples));
	s->epoch_stride = fortran ? 1 : channels * samples;
	s->channel_stride = fortran ? epochs : samples;
	s->time_stride = fortran ? epochs * channels : 1;
	rec->epochs = n == 3 ? epochs : 0;
	rec->file = s->memory ? NULL : &s->file;
	rec->order = !fortran || rows == 1 ? WSI_ORDER_CHANNELS
	             : epochs == 1 ? WSI_ORDER_SAMPLES : WSI_ORDER_OTHER;
	rec->complex = s->parts == 2;
	/* Of files of masks, rows are masks. */
	if (n == 2 && channels > samples && !rec->opts.masks && !rec->opts.of_option)
		WSI_TRY(wsi_recording_add_note(rec, "%s: its %zu rows are read as channels, of %zu "
		                               "samples each; if time runs down the rows, save the "
		                               "array's transpose", rec->path, channels, samples));
	return wsi_recording_set_channels(rec, channels * s->parts, samples);
}

/* Characters of the value that starts here, for messages: a quoted word, a
 * tuple or list with all that is in it, or up to the next comma. */
static int
value_length(const char *value)
{
	const size_t most = 200;
	size_t n = 0, depth = 0;
	if (*value == '\'' || *value == '"') {
		const char *end = strchr(value + 1, *value);
		n = end ? (size_t)(end - value) + 1 : strlen(value);
		return (int)(n < most ? n : most);
	}
	for (; value[n] != '\0' && n < most; ++n) {
		if (depth == 0 && (value[n] == ',' || value[n] == '}'))
			break;
		depth += value[n] == '(' || value[n] == '[';
		if ((value[n] == ')' || value[n] == ']') && (depth == 0 || --depth == 0))
			return (int)n + 1;
	}
	while (n > 0 && value[n - 1] == ' ')
		--n;
	return (int)n;
}

static ws_status
parse_dict(wsi_recording *rec, const char *dict)
{
	npy_state *s = rec->state;
	const char *descr = npy_find_value(dict, "descr"),
	        *order = npy_find_value(dict, "fortran_order");
	const char *extent = npy_find_value(dict, "shape");
	if (!descr || !order || !extent)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the array's header lacks descr, "
		                "fortran_order or shape", rec->path);
	if (!npy_parse_descr(s, descr, rec->opts.masks))
		return WSI_FAIL(WS_E_FORMAT, "%s: elements of type %.*s are not supported; "
		                "save the array as float32, float64%s or integers", rec->path,
		                value_length(descr), descr, rec->opts.masks ? ", complex" : "");
	bool fortran;
	if (!parse_truth(order, &fortran))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the array's fortran_order is neither "
		                "True nor False but %.*s", rec->path, value_length(order), order);
	size_t shape[3] = { 0, 0, 0 };
	const size_t n = parse_shape(extent, shape);
	if (n == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: the array's shape %.*s is not [time], "
		                "[channel][time] or [epoch][channel][time]", rec->path,
		                value_length(extent), extent);
	return apply_shape(rec, shape, n, fortran);
}

static ws_status
parse_header(wsi_recording *rec)
{
	npy_state *s = rec->state;
	unsigned char start[12] = { 0 };
	WSI_TRY(read_bytes(s, rec->path, 0, start, 10));
	const int version = start[6];
	if (memcmp(start, "\x93NUMPY", 6) != 0 || version < 1 || version > 3)
		return WSI_FAIL(WS_E_FORMAT, "%s: not a NumPy array of version 1, 2 or 3",
		                rec->path);
	const size_t before = version == 1 ? 10 : 12;
	WSI_TRY(read_bytes(s, rec->path, 0, start, before));
	size_t n = start[8] | (size_t)start[9] << 8;
	if (version > 1)
		n |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
	if (n > MAX_HEADER)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the array's header claims %zu bytes",
		                rec->path, n);
	char *dict = malloc(n + 1);
	WSI_HAVE(dict, "%s: no memory", rec->path);
	ws_status status = read_bytes(s, rec->path, before, dict, n);
	if (status == WS_OK) {
		dict[n] = '\0';
		/* Pieces of it appear in messages. */
		for (size_t i = 0; i < n; ++i)
			if ((unsigned char)dict[i] < ' ' || (unsigned char)dict[i] > '~')
				dict[i] = ' ';
		s->data_offset = before + n;
		status = parse_dict(rec, dict);
	}
	free(dict);
	return status;
}

/* ---- Reader -------------------------------------------------------------- */

static ws_status
npy_open(wsi_recording *rec)
{
	npy_state *s = rec->state;
	s->file.fd = -1;
	WSI_TRY(wsi_file_open(&s->file, rec->path, rec->opts.opened));
	unsigned char start[4] = { 0 };
	if (s->file.bytes >= sizeof start)
		WSI_TRY(wsi_file_read(&s->file, 0, start, sizeof start));
	if (memcmp(start, "PK", 2) == 0) {
		rec->format = "NPZ";
		wsi_file_close(&s->file);
		WSI_TRY(npy_open_packed(rec));
	} else {
		s->bytes = s->file.bytes;
	}
	WSI_TRY(parse_header(rec));
	for (size_t i = 0; s->fs > 0 && i < rec->n_channels; ++i)
		rec->channels[i].fs = s->fs;
	rec->fs_known = s->fs > 0;
	return rec->fs_known || !s->times ? WS_OK
	       : wsi_recording_take_array(rec, s->times_name, s->times, s->n_times);
}

static ws_status
npy_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	const npy_state *s = rec->state;
	const size_t part = wsi_sample_bytes(s->type), bytes = s->parts * part;
	const size_t stride = s->time_stride * bytes;
	const size_t sample = epoch * s->epoch_stride + channel / s->parts * s->channel_stride +
	                      first * s->time_stride;
	const uint64_t at = s->data_offset + sample * bytes + channel % s->parts * part;
	if (!s->memory)
		return wsi_file_read_samples(&s->file, at, stride, count, s->type, s->big_endian,
		                             out);
	wsi_decode(s->memory + at, stride, count, s->type, s->big_endian, out);
	return WS_OK;
}

static ws_status
npy_layout(wsi_recording *rec, wsi_layout *layout)
{
	const npy_state *s = rec->state;
	const size_t bytes = wsi_sample_bytes(s->type);
	if (s->memory)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: samples in a packed file (NPZ) cannot be "
		                "replaced; save the array as .npy", rec->path);
	layout->path = s->file.path;
	layout->type = s->type;
	layout->big_endian = s->big_endian;
	layout->step = s->time_stride * bytes;
	layout->epoch_bytes = (uint64_t)s->epoch_stride * bytes;
	for (size_t i = 0; i < rec->n_channels; ++i)
		layout->channels[i].offset = s->data_offset
		                             + (uint64_t)i * s->channel_stride * bytes;
	return WS_OK;
}

static void
npy_close(wsi_recording *rec)
{
	npy_state *s = rec->state;
	wsi_file_close(&s->file);
	free(s->memory);
	free(s->times);
}

const wsi_reader wsi_reader_npy = {
	.name = "NPY", .state_bytes = sizeof(npy_state), .probe = npy_probe, .open = npy_open,
	.read = npy_read, .close = npy_close, .layout = npy_layout,
};
