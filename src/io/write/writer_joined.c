/*
 * writer_joined.c - rows of a result that another process has opened (writer_hdf5.c), written to
 * their places; and where the rows of any result are that several processes write.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "io/write/behind.h"
#include "io/write/writer_format.h"

/* Most samples of a chunk that is not compressed: it may have fewer than 2^32 bytes. */
#define MOST_SAMPLES ((size_t)1 << 26)

/* ---- Which rows, and where ----------------------------------------------------------- */

size_t
wsi_row_chunks(size_t row, size_t *samples)
{
	const size_t chunks = row / MOST_SAMPLES + (row % MOST_SAMPLES != 0);
	*samples = chunks ? row / chunks + (row % chunks != 0) : 1;
	return chunks;
}

bool
wsi_array_known(const wsi_result_header *h, const wsi_file_array *a)
{
	bool known = wsi_array_timed(a) && h->compress == 0;
	for (int i = 0; i < a->rank; ++i)
		known = known && a->axes[i]->kind != WS_AXIS_MODE && a->axes[i]->extent > 0;
	return known;
}

bool
wsi_array_placed(const wsi_result_header *h, const wsi_file_array *a)
{
	const size_t row = a->axes[a->rank - 1]->extent;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	return false;
#endif
	return wsi_array_known(h, a) && !a->shared
	       && row >= WSI_BEHIND_LEAST / wsi_type_size(a->type);
}

/* Rows of all channels. */
static size_t
rows_of(const wsi_file_array *a)
{
	size_t rows = 1;
	for (int i = 0; i < a->rank - 1; ++i)
		rows *= a->axes[i]->extent;
	return rows;
}

size_t
wsi_slab_rows(const wsi_file_array *a, const ws_slab *slab)
{
	size_t rows = 1;
	for (int i = 0; i < a->made.rank - 2; ++i)
		rows *= slab->extent[i];
	return rows;
}

size_t
wsi_slab_row(const wsi_file_array *a, size_t entry, const ws_slab *slab, size_t k)
{
	size_t number = 0, stride = 1;
	/* Entries are numbered through all epochs, as rows are. */
	for (int i = a->made.rank - 3; i >= 0; --i) {
		number += (slab->first[i] + k % slab->extent[i]) * stride;
		k /= slab->extent[i];
		stride *= a->made.extent[i + 1];
	}
	return entry * stride + number;
}

/* ---- The writer ------------------------------------------------------------------------ */

/* Of an array: where its rows lie, and the sums of those that the last put had. */
typedef struct joined_array {
	const uint64_t *at;      /* [row][chunk]; NULL: it has no place */
	size_t chunks, samples;  /* of a row; of a chunk */
	uint32_t *sums;
	size_t n, room;
} joined_array;

typedef struct joined {
	uint64_t *at;
	joined_array *arrays;    /* [w->n_arrays] */
	wsi_behind *behind;
} joined;

ws_status
wsi_joined_open(wsi_writer *w, const wsi_places *places)
{
	joined *s = w->state = calloc(1, sizeof *s);
	const size_t bytes = (places->n + 1) * sizeof *s->at;
	if (s) {
		s->arrays = calloc(w->n_arrays, sizeof *s->arrays);
		s->at = malloc(bytes);
		s->behind = wsi_behind_open(w->file.fd, &w->file, w->header.threads);
	}
	WSI_HAVE(s && s->arrays && s->at && s->behind, "%s: out of memory", w->path);
	memcpy(s->at, places->at, places->n * sizeof *s->at);
	size_t n = 0;
	for (size_t i = 0; i < w->n_arrays; ++i) {
		const wsi_file_array *a = &w->arrays[i];
		joined_array *to = &s->arrays[i];
		if (!wsi_array_placed(&w->header, a))
			continue;
		to->at = s->at + n;
		to->chunks = wsi_row_chunks(a->axes[a->rank - 1]->extent, &to->samples);
		n += rows_of(a) * to->chunks;
	}
	return n == places->n ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "%s: is of another shape in the process that opened it",
	                  w->path);
}

static ws_status
make_room(const wsi_writer *w, joined_array *a, size_t n)
{
	if (n <= a->room)
		return WS_OK;
	uint32_t *grown = realloc(a->sums, n * sizeof *grown);
	WSI_HAVE(grown, "%s: no memory for %zu checksums", w->path, n);
	a->sums = grown;
	a->room = n;
	return WS_OK;
}

/* One row, which begins at chunk `first` of its array. */
static void
put_row(joined *s, joined_array *a, size_t first, const char *row, size_t samples, size_t element)
{
	for (size_t done = 0, n, i = 0; done < samples; done += n, ++i) {
		n = samples - done < a->samples ? samples - done : a->samples;
		const char *from = row + done * element;
		a->sums[a->n++] = wsi_crc32(0, from, n * element);
		wsi_behind_put(s->behind, a->at[first + i], from, n * element);
		/* The rest of a last chunk, too, is this row's. */
		wsi_behind_pad(s->behind);
	}
}

static ws_status
joined_put(wsi_writer *w, const wsi_file_array *array, size_t entry, const ws_slab *slab)
{
	joined *s = w->state;
	joined_array *a = &s->arrays[array - w->arrays];
	const size_t samples = slab->extent[array->made.rank - 2];
	const size_t rows = wsi_slab_rows(array, slab), element = wsi_type_size(array->type);
	/* Parts of rows are the first's. */
	if (!a->at || samples != array->axes[array->rank - 1]->extent)
		return WS_OK;
	WSI_TRY(make_room(w, a, rows * a->chunks));
	a->n = 0;
	for (size_t k = 0; k < rows; ++k)
		put_row(s, a, wsi_slab_row(array, entry, slab, k) * a->chunks,
		        (const char *)slab->data + k * samples * element, samples, element);
	errno = wsi_behind_error(s->behind);
	return errno ? wsi_write_fail(w->path) : WS_OK;
}

const uint32_t *
wsi_writer_sums(wsi_writer *w, size_t slab, size_t *n)
{
	joined *s = w->state;
	*n = 0;
	for (size_t i = 0; i < w->n_arrays; ++i) {
		joined_array *a = &s->arrays[i];
		if (w->arrays[i].slab != slab || a->n == 0)
			continue;
		*n = a->n;
		a->n = 0;
		return a->sums;
	}
	return NULL;
}

/* To the disk. */
static ws_status
joined_finish(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	joined *s = w->state;
	(void)facts;
	(void)n_facts;
	errno = wsi_behind_wait(s->behind);
	if (!errno)
		errno = wsi_newfile_flush(&w->file);
	return errno ? wsi_write_fail(w->path) : WS_OK;
}

static void
joined_close(wsi_writer *w)
{
	joined *s = w->state;
	if (!s)
		return;
	wsi_behind_close(s->behind);
	for (size_t i = 0; s->arrays && i < w->n_arrays; ++i)
		free(s->arrays[i].sums);
	free(s->arrays);
	free(s->at);
	free(s);
}

const wsi_writer_format wsi_writer_joined = {
	.put = joined_put, .finish = joined_finish, .close = joined_close,
};
