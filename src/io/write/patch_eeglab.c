/* patch_eeglab.c - elements of a MAT 5 file, copied or written anew, for a set of EEGLAB. */
#include "io/write/patch_eeglab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/beside.h"
#include "io/read/mat5_array.h"
#include "io/decode/decoder.h"

#define HEAD 128
#define MX_STRUCT 2
#define MX_CHAR 4
#define MX_DOUBLE 6
#define MX_SINGLE 7

/* What is written. */
typedef struct set_copy {
	const wsi_recording *rec;
	FILE *out;
	const char *beside;     /* or NULL */
	bool big_endian;
	uint64_t data;          /* where samples lie in what is written; 0: nowhere yet */
	wsi_sample_type type;   /* then: of them */
} set_copy;

/* Bytes of a file or of an unpacked variable. */
typedef struct span {
	const unsigned char *at;
	size_t n;
} span;

typedef struct element {
	uint32_t type;
	span data;
	span whole;             /* with tag and padding */
} element;

static ws_status
damaged(const set_copy *c)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: an element of it ends beyond its end",
	                c->rec->path);
}

static uint32_t
word(const set_copy *c, const unsigned char *at)
{
	return c->big_endian
	       ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
	       : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

/* Takes an element off the front of a span. */
static ws_status
next(const set_copy *c, span *from, element *e)
{
	if (from->n < 8)
		return damaged(c);
	const uint32_t first = word(c, from->at), small = first >> 16;
	const size_t bytes = small ? small : word(c, from->at + 4);
	const size_t padded = small ? 4 : first == MI_COMPRESSED ? bytes : (bytes + 7) / 8 * 8;
	const size_t head = small ? 4 : 8;
	if (bytes > padded || bytes > from->n - head)
		return damaged(c);
	const size_t whole = head + padded < from->n ? head + padded : from->n;
	*e = (element){ .type = small ? first & 0xffff : first,
		.data = { from->at + head, bytes }, .whole = { from->at, whole } };
	from->at += whole;
	from->n -= whole;
	return WS_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void
put(set_copy *c, span s)
{
	fwrite(s.at, 1, s.n, c->out);
}

static void
put_word(set_copy *c, uint32_t value)
{
	unsigned char at[4];
	wsi_encode(value, WSI_U32, c->big_endian, at);
	fwrite(at, 1, sizeof at, c->out);
}

static void
put_tag(set_copy *c, uint32_t type, size_t bytes)
{
	put_word(c, type);
	put_word(c, (uint32_t)bytes);
}

static void
pad(set_copy *c, size_t bytes)
{
	static const char none[8] = "";
	fwrite(none, 1, (8 - bytes % 8) % 8, c->out);
}

/* Begins an array; end_array() puts its size where it returns. */
static off_t
begin_array(set_copy *c)
{
	put_tag(c, MI_MATRIX, 0);
	return ftello(c->out);
}

static ws_status
end_array(set_copy *c, off_t begin)
{
	const off_t end = ftello(c->out);
	if (end - begin > (off_t)UINT32_MAX)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: takes more than 4 GiB where it is written, "
		                "which a MAT file of version 5 cannot hold; save it with a file of "
		                "samples beside it (.fdt)", c->rec->path);
	fseeko(c->out, begin - 4, SEEK_SET);
	put_word(c, (uint32_t)(end - begin));
	fseeko(c->out, end, SEEK_SET);
	return WS_OK;
}

/* Flags and dimensions of an array, and its name. */
static void
put_head(set_copy *c, uint32_t class, uint32_t rows, uint32_t columns, span name)
{
	put_tag(c, MI_UINT32, 8);
	put_word(c, class);
	put_word(c, 0);
	put_tag(c, MI_INT32, 8);
	put_word(c, rows);
	put_word(c, columns);
	put_tag(c, MI_INT8, name.n);
	put(c, name);
	pad(c, name.n);
}

static ws_status
put_text(set_copy *c, span name, const char *text)
{
	const size_t n = strlen(text);
	uint32_t letters = 0;
	for (size_t i = 0; i < n; ++i)
		letters += ((unsigned char)text[i] & 0xc0) != 0x80;
	const off_t begin = begin_array(c);
	put_head(c, MX_CHAR, 1, letters, name);
	put_tag(c, MI_UTF8, n);
	fwrite(text, 1, n, c->out);
	pad(c, n);
	return end_array(c, begin);
}

static ws_status
put_empty(set_copy *c, span name)
{
	const off_t begin = begin_array(c);
	put_head(c, MX_DOUBLE, 0, 0, name);
	put_tag(c, MI_DOUBLE, 0);
	return end_array(c, begin);
}

static bool
sample_type(uint32_t mi, wsi_sample_type *type)
{
	static const struct { uint32_t mi; wsi_sample_type type; } types[] = {
		{ MI_INT8, WSI_I8 }, { MI_UINT8, WSI_U8 }, { MI_INT16, WSI_I16 },
		{ MI_UINT16, WSI_U16 }, { MI_INT32, WSI_I32 }, { MI_UINT32, WSI_U32 },
		{ MI_SINGLE, WSI_F32 }, { MI_DOUBLE, WSI_F64 },
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
		if (types[i].mi == mi) {
			*type = types[i].type;
			return true;
		}
	return false;
}

/* Samples as numbers of their class, whatever smaller type the file has packed them into. */
static ws_status
put_samples(set_copy *c, uint32_t class, const element *flags, const element *dims,
            const element *name, const element *values)
{
	wsi_sample_type from;
	if ((class != MX_SINGLE && class != MX_DOUBLE) || !sample_type(values->type, &from))
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: its samples are whole numbers, between "
		                "which none can be written; save them as single", c->rec->path);
	c->type = class == MX_SINGLE ? WSI_F32 : WSI_F64;
	const size_t size = wsi_sample_bytes(from), n = values->data.n / size;
	const size_t bytes = n * wsi_sample_bytes(c->type);
	const off_t begin = begin_array(c);
	double value;
	unsigned char at[8];
	put(c, flags->whole);
	put(c, dims->whole);
	put(c, name->whole);
	put_tag(c, c->type == WSI_F32 ? MI_SINGLE : MI_DOUBLE, bytes);
	c->data = (uint64_t)ftello(c->out);
	for (size_t i = 0; i < n; ++i) {
		wsi_decode(values->data.at + i * size, size, 1, from, c->big_endian, &value);
		wsi_encode(value, c->type, c->big_endian, at);
		fwrite(at, 1, wsi_sample_bytes(c->type), c->out);
	}
	pad(c, bytes);
	return end_array(c, begin);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool
is(const char *name, size_t n, const char *wanted)
{
	return n == strlen(wanted) && memcmp(name, wanted, n) == 0;
}

/* A field of EEG, or a variable of its name. */
static ws_status
put_field(set_copy *c, const char *name, size_t n, const element *array)
{
	span in = array->data;
	element flags, dims, own, values;
	const bool is_data = is(name, n, "data"), beside = c->beside != NULL;
	if (array->type != MI_MATRIX || in.n == 0
	    || !(is_data || is(name, n, "icaact") || (beside && is(name, n, "datfile")))) {
		put(c, array->whole);
		return WS_OK;
	}
	WSI_TRY(next(c, &in, &flags));
	WSI_TRY(next(c, &in, &dims));
	WSI_TRY(next(c, &in, &own));
	if (is(name, n, "icaact"))
		return put_empty(c, own.data);
	if (beside)
		return put_text(c, own.data, c->beside);
	WSI_TRY(next(c, &in, &values));
	if (flags.data.n < 4)
		return damaged(c);
	return put_samples(c, word(c, flags.data.at) & 0xff, &flags, &dims, &own, &values);
}

/* The struct EEG: its fields one by one. */
static ws_status
put_struct(set_copy *c, const element *array)
{
	span in = array->data;
	element part, field;
	const off_t begin = begin_array(c);
	for (int i = 0; i < 3; ++i) {
		WSI_TRY(next(c, &in, &part));
		put(c, part.whole);
	}
	WSI_TRY(next(c, &in, &part));
	put(c, part.whole);
	const size_t length = part.data.n >= 4 ? word(c, part.data.at) : 0;
	WSI_TRY(next(c, &in, &part));
	put(c, part.whole);
	const size_t fields = length ? part.data.n / length : 0;
	for (size_t i = 0; i < fields; ++i) {
		const char *name = (const char *)part.data.at + i * length;
		WSI_TRY(next(c, &in, &field));
		WSI_TRY(put_field(c, name, strnlen(name, length), &field));
	}
	put(c, in);
	return end_array(c, begin);
}

/* A variable that is not packed. */
static ws_status
put_variable(set_copy *c, const element *array)
{
	span in = array->data;
	element flags, dims, name;
	WSI_TRY(next(c, &in, &flags));
	WSI_TRY(next(c, &in, &dims));
	WSI_TRY(next(c, &in, &name));
	const char *text = (const char *)name.data.at;
	if (is(text, name.data.n, "EEG") && flags.data.n >= 4
	    && (word(c, flags.data.at) & 0xff) == MX_STRUCT)
		return put_struct(c, array);
	return put_field(c, text, name.data.n, array);
}

/* ---- Variables ------------------------------------------------------------------------------- */

/* Unpacks a variable; *bytes are the caller's to free. */
static ws_status
unpack(const set_copy *c, const wsi_file *f, uint64_t begin, uint64_t end, unsigned char **bytes,
       size_t *n)
{
	wsi_mat_stream s;
	unsigned char head[8];
	const size_t most = wsi_reading_memory(&c->rec->opts);
	*bytes = NULL;
	ws_status status = wsi_mat_stream_open(&s, f, begin, end, true);
	if (status == WS_OK)
		status = wsi_mat_stream_read(&s, head, sizeof head);
	*n = status == WS_OK ? word(c, head + 4) : 0;
	if (status == WS_OK && *n + sizeof head > most)
		status = WSI_FAIL(WS_E_NOMEM, "%s: unpacked it takes more than the %zu bytes that "
		                  "`memory` leaves; give more", c->rec->path, most);
	if (status == WS_OK && !(*bytes = malloc(*n + sizeof head)))
		status = WSI_FAIL(WS_E_NOMEM, "%s: no memory to unpack it", c->rec->path);
	if (status == WS_OK) {
		memcpy(*bytes, head, sizeof head);
		status = wsi_mat_stream_read(&s, *bytes + sizeof head, *n);
		*n += sizeof head;
	}
	wsi_mat_stream_close(&s);
	return status;
}

/* A variable of the file, so many bytes from a place on, tag and all. */
static ws_status
take_variable(set_copy *c, const wsi_file *f, uint64_t at, size_t n, bool packed)
{
	unsigned char *bytes = NULL;
	ws_status status;
	element array;
	if (packed) {
		status = unpack(c, f, at + 8, at + n, &bytes, &n);
	} else {
		bytes = n <= wsi_reading_memory(&c->rec->opts) ? malloc(n) : NULL;
		status = bytes ? wsi_file_read(f, at, bytes, n)
		               : WSI_FAIL(WS_E_NOMEM, "%s: no memory for its %zu bytes",
		                          c->rec->path, n);
	}
	span in = { bytes, n };
	if (status == WS_OK)
		status = next(c, &in, &array);
	if (status == WS_OK && array.type == MI_MATRIX)
		status = put_variable(c, &array);
	else if (status == WS_OK)
		put(c, array.whole);
	free(bytes);
	return status;
}

static ws_status
put_all(set_copy *c, const wsi_file *f)
{
	unsigned char head[HEAD], tag[8];
	WSI_TRY(wsi_file_read(f, 0, head, HEAD));
	c->big_endian = head[126] == 'M';
	/* Where data of subsystems would lie has moved. */
	memset(head + 116, ' ', 8);
	fwrite(head, 1, HEAD, c->out);
	for (uint64_t at = HEAD; at + sizeof tag <= f->bytes;) {
		WSI_TRY(wsi_file_read(f, at, tag, sizeof tag));
		const bool packed = word(c, tag) == MI_COMPRESSED;
		const uint64_t bytes = word(c, tag + 4);
		const uint64_t whole = 8 + (packed ? bytes : (bytes + 7) / 8 * 8);
		if (whole > f->bytes - at)
			return damaged(c);
		WSI_TRY(take_variable(c, f, at, (size_t)whole, packed));
		at += whole;
	}
	return c->data || c->beside ? WS_OK
	       : WSI_FAIL(WS_E_UNSUPPORTED, "%s: its samples are not where they can be written; "
	                  "save it by EEGLAB anew", c->rec->path);
}

ws_status
wsi_patch_check_set(const wsi_recording *rec)
{
	return strcmp(rec->format, "EEGLAB (MAT v5)") == 0 ? WS_OK
	       : WSI_FAIL(WS_E_UNSUPPORTED, "%s: sets are written anew of MAT version 5 (6, 7) "
	                  "alone, and this is %s; save it by save(.., '-v6')", rec->path,
	                  rec->format);
}

/* All channels of a moment together, or channel after channel. */
static void
lay_out(const wsi_recording *rec, bool together, uint64_t data, wsi_sample_type type,
        bool big_endian, wsi_layout *l)
{
	const size_t bytes = wsi_sample_bytes(type), samples = rec->channels[0].samples;
	l->type = type;
	l->big_endian = big_endian;
	l->step = together ? bytes * rec->n_channels : bytes;
	l->epoch_bytes = (uint64_t)samples * l->step;
	for (size_t i = 0; i < rec->n_channels; ++i)
		l->channels[i].offset = data + i * (together ? bytes
		                        : l->epoch_bytes * (rec->epochs ? rec->epochs : 1));
}

void
wsi_patch_lay_out_beside(const wsi_recording *rec, wsi_layout *layout)
{
	layout->path = rec->beside->path;
	lay_out(rec, rec->beside->channels_together, 0, WSI_F32, false, layout);
}

ws_status
wsi_patch_write_set(const wsi_recording *rec, const wsi_patch_file *f, const char *beside,
                    wsi_layout *layout)
{
	wsi_file from;
	WSI_TRY(wsi_file_open(&from, rec->path, rec->opts.opened));
	set_copy c = { .rec = rec, .beside = beside, .out = wsi_newfile_stream(&f->file) };
	ws_status status = c.out ? put_all(&c, &from) : wsi_write_fail(f->path);
	if (c.out) {
		const ws_status closed = status == WS_OK ? wsi_write_close(c.out, f->path) : WS_OK;
		if (status != WS_OK)
			fclose(c.out);
		status = status == WS_OK ? closed : status;
	}
	if (status == WS_OK && !beside)
		lay_out(rec, true, c.data, c.type, c.big_endian, layout);
	wsi_file_close(&from);
	return status;
}
