/*
 * writer_npy.c - NumPy's array format: the main arrays of a result as one, [epoch][channel][row]..,
 * the epoch axis only if epoched.  Rows are those of the main arrays in order, of modes and then of
 * the residue, say; one main array alone keeps its axes.
 *
 * Rows are written to where they belong if a channel has as many modes as announced.
 * Where none turns out to, they move together at commit.
 */
#include "io/write/writer_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/write/behind.h"
#include "io/write/writer_sidecar.h"

#define NPY_ALIGN 64
#define NPY_HEAD (6 * NPY_ALIGN)
#define MOVED ((size_t)1 << 20)  /* bytes at a time */

typedef struct npy_state {
	int fd;
	wsi_behind *behind;
	size_t head;            /* bytes before the first row */
	size_t modes;           /* of an entry, as the rows lie */
	const wsi_file_array *first; /* of the main arrays */
	size_t n_main;
	uint64_t row_bytes;
} npy_state;

static bool
is_main(const wsi_file_array *a)
{
	return (a->made.flags & WS_ARRAY_MAIN) != 0;
}

/* Does the array have an axis of rows, after the channel, or is it one row? */
static bool
has_rows(const wsi_file_array *a)
{
	return a->made.rank > 2 || (a->made.rank == 2 && a->made.axis[1] == WS_AXIS_MODE);
}

/* Rows of an array where channels have so many modes. */
static size_t
rows_of(const wsi_file_array *a, size_t modes)
{
	if (!has_rows(a))
		return 1;
	const size_t most = a->made.extent[1];
	return a->made.axis[1] == WS_AXIS_MODE && modes < most ? modes : most;
}

/* Rows of an entry before an array; of all, before NULL. */
static size_t
rows_before(const wsi_writer *w, const wsi_file_array *array, size_t modes)
{
	size_t rows = 0;
	for (const wsi_file_array *a = w->arrays; a < w->arrays + w->n_arrays && a != array; ++a)
		rows += is_main(a) ? rows_of(a, modes) : 0;
	return rows;
}

/* Where a row of an array of an entry lies if every entry has so many modes. */
static uint64_t
place(const wsi_writer *w, size_t modes, size_t entry, const wsi_file_array *array, size_t row)
{
	const npy_state *s = w->state;
	const size_t before = entry * rows_before(w, NULL, modes) + rows_before(w, array, modes);
	return s->head + (before + row) * s->row_bytes;
}

/* The shape, each number followed by a comma. */
static void
make_shape(const wsi_writer *w, size_t modes, char *text, size_t size)
{
	const npy_state *s = w->state;
	const wsi_file_array *a = s->first;
	const int leading = w->header.epochs ? 2 : 1;
	int n = 0;
	for (int i = 0; i < leading; ++i)
		n += snprintf(text + n, size - (size_t)n, "%zu, ", a->axes[i]->extent);
	const bool rows = has_rows(a) || s->n_main > 1;
	if (rows)
		n += snprintf(text + n, size - (size_t)n, "%zu, ", rows_before(w, NULL, modes));
	for (int i = leading + has_rows(a); i < a->rank; ++i)
		n += snprintf(text + n, size - (size_t)n, "%zu, ", a->axes[i]->extent);
	/* Only a tuple of one ends in a comma. */
	if (a->rank > 1 || rows)
		text[n - 2] = '\0';
}

/* Magic, version 1.0, the header's length, the header, padded to 64 bytes or to what an
 * earlier one took.  Its size. */
static size_t
make_head(const wsi_writer *w, size_t modes, size_t least, unsigned char head[NPY_HEAD])
{
	const npy_state *s = w->state;
	const ws_type type = s->first->type;
	char shape[160];
	make_shape(w, modes, shape, sizeof shape);
	memset(head, ' ', NPY_HEAD);
	memcpy(head, "\x93NUMPY\x01\x00", 8);
	const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
	const char kind = type == WS_I32 ? 'i' : wsi_type_complex(type) ? 'c' : 'f';
	/* At most 10 + 180 + 1 bytes: five 20-digit numbers and the rest. */
	int n = snprintf((char *)head + 10, NPY_HEAD - 10, "{'descr': '%c%c%zu', 'fortran_order': "
	                 "False, 'shape': (%s), }", order, kind, wsi_type_size(type), shape);
	size_t total = (10 + (size_t)n + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;
	total = total > least ? total : least;
	head[10 + n] = ' '; /* over the NUL */
	head[total - 1] = '\n';
	head[8] = (unsigned char)((total - 10) & 0xff);
	head[9] = (unsigned char)((total - 10) >> 8);
	return total;
}

/* Can the array follow the first, whose rows are row_bytes? */
static bool
joins(const npy_state *s, const wsi_file_array *a, uint64_t row_bytes)
{
	for (int i = 2; i < a->made.rank; ++i)
		if (a->made.axis[i] == WS_AXIS_MODE)
			return false;
	if (s->first == a)
		return true;
	/* Rows of rank 1 join rows of rank 1. */
	return a->type == s->first->type && row_bytes == s->row_bytes
	       && a->made.rank - has_rows(a) == s->first->made.rank - has_rows(s->first);
}

static ws_status
find_main(wsi_writer *w)
{
	npy_state *s = w->state;
	for (const wsi_file_array *a = w->arrays; a < w->arrays + w->n_arrays; ++a) {
		if (!is_main(a))
			continue;
		uint64_t row_bytes = wsi_type_size(a->type);
		for (int i = 1 + has_rows(a); i < a->made.rank; ++i)
			row_bytes *= a->made.extent[i];
		s->first = s->first ? s->first : a;
		if (!joins(s, a, row_bytes))
			return WSI_FAIL(WS_E_UNSUPPORTED, "%s: an .npy file holds one array, and "
			                "%s has not the shape of rows of it; write .h5", w->path,
			                a->made.name);
		s->row_bytes = row_bytes;
		s->n_main++;
	}
	return s->first ? WS_OK
	       : WSI_FAIL(WS_E_UNSUPPORTED, "%s: an .npy file holds one array, and this result "
	                  "has no main one; write .h5", w->path);
}

static ws_status
npy_open(wsi_writer *w)
{
	unsigned char head[NPY_HEAD];
	npy_state *s = w->state = calloc(1, sizeof *s);
	WSI_HAVE(s, "%s: out of memory", w->path);
	s->fd = -1;
	WSI_TRY(find_main(w));
	s->modes = SIZE_MAX;
	s->head = make_head(w, s->modes, 0, head);
	s->fd = wsi_newfile_again(&w->file, O_RDWR);
	if (s->fd < 0)
		return wsi_write_fail(w->path);
	s->behind = wsi_behind_open(s->fd, &w->file, w->header.threads);
	return s->behind ? wsi_sidecar_open(w) : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
}

typedef struct target {
	const wsi_writer *w;
	uint64_t at;            /* of the array of the channel */
	size_t bytes;           /* of the slab */
} target;

static ws_status
put_stretch(void *user, uint64_t at, const void *data, size_t bytes)
{
	const target *t = user;
	const npy_state *s = t->w->state;
	/* Many short ones here and there are no work for a thread. */
	if (bytes < t->bytes && bytes < WSI_BEHIND_LEAST)
		return wsi_spool_file_write(s->fd, t->w->path, t->at + at, data, bytes);
	wsi_behind_put(s->behind, t->at + at, data, bytes);
	return WS_OK;
}

static ws_status
npy_put(wsi_writer *w, const wsi_file_array *array, size_t entry, const ws_slab *slab)
{
	npy_state *s = w->state;
	if (!is_main(array))
		return wsi_sidecar_put(w, array, entry, slab);
	/* The modes of a channel that is alone come before what follows them. */
	if (w->n_entries == 1)
		s->modes = w->modes;
	target t = { w, place(w, s->modes, entry, array, 0), wsi_type_size(array->type) };
	for (int i = 0; i < array->made.rank - 1; ++i)
		t.bytes *= slab->extent[i];
	WSI_TRY(wsi_slab_stretches(array, slab, put_stretch, &t));
	errno = wsi_behind_error(s->behind);
	return errno ? wsi_write_fail(w->path) : WS_OK;
}

/* Moves a row towards the beginning. */
static ws_status
move_row(const wsi_writer *w, uint64_t from, uint64_t to, char *part)
{
	const npy_state *s = w->state;
	for (uint64_t left = from == to ? 0 : s->row_bytes, n; left > 0; left -= n) {
		n = left < MOVED ? left : MOVED;
		WSI_TRY(wsi_spool_file_read(s->fd, w->path, from, part, n));
		WSI_TRY(wsi_spool_file_write(s->fd, w->path, to, part, n));
		from += n;
		to += n;
	}
	return WS_OK;
}

/* Fewer modes than were announced: rows that nobody has leave. */
static ws_status
move_together(wsi_writer *w)
{
	const npy_state *s = w->state;
	char *part = malloc(MOVED);
	ws_status status = part ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	for (size_t e = 0; e < w->n_entries; ++e)
		for (const wsi_file_array *a = s->first; a < w->arrays + w->n_arrays; ++a)
			for (size_t r = 0; is_main(a) && r < rows_of(a, w->modes)
			                   && status == WS_OK; ++r)
				status = move_row(w, place(w, s->modes, e, a, r),
				                  place(w, w->modes, e, a, r), part);
	free(part);
	return status;
}

/* What was not written reads as zeros. */
static ws_status
set_size(const wsi_writer *w, size_t modes)
{
	const npy_state *s = w->state;
	return ftruncate(s->fd, (off_t)place(w, modes, w->n_entries, s->first, 0)) == 0
	       ? WS_OK : wsi_write_fail(w->path);
}

/* Beside it, all that the array does not tell. */
static ws_status
describe(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	const npy_state *s = w->state;
	char shape[160];
	size_t n;
	ws_fact *all = wsi_writer_facts(w, facts, n_facts, &n);
	WSI_HAVE(all, "%s: out of memory", w->path);
	make_shape(w, w->modes, shape, sizeof shape);
	const ws_status status = wsi_sidecar_finish(w, s->first, s->n_main > 1, shape, all, n);
	free(all);
	return status;
}

static ws_status
npy_finish(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	unsigned char head[NPY_HEAD];
	npy_state *s = w->state;
	errno = wsi_behind_wait(s->behind);
	if (errno)
		return wsi_write_fail(w->path);
	if (rows_before(w, NULL, w->modes) < rows_before(w, NULL, s->modes)) {
		WSI_TRY(set_size(w, s->modes));
		WSI_TRY(move_together(w));
	}
	WSI_TRY(set_size(w, w->modes));
	make_head(w, w->modes, s->head, head);
	WSI_TRY(wsi_spool_file_write(s->fd, w->path, 0, head, s->head));
	const int fd = s->fd;
	s->fd = -1;
	return close(fd) == 0 ? describe(w, facts, n_facts) : wsi_write_fail(w->path);
}

static void
npy_close(wsi_writer *w)
{
	npy_state *s = w->state;
	if (!s)
		return;
	wsi_behind_close(s->behind);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

const wsi_writer_format wsi_writer_npy = {
	".npy", npy_open, npy_put, npy_finish, npy_close, NULL, NULL,
};
