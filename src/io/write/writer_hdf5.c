/*
 * writer_hdf5.c - the whole result; docs/result-format.md is its contract.
 *
 * An array whose last axis is time is cut into chunks of one row: a channel is written as it comes,
 * one mode of one channel is read alone, and what is never written takes no room and reads as
 * zeros.  Long rows whose number is known have their places from the beginning, where other
 * processes may write them (writer_joined.c).
 */
#include "io/write/writer_hdf5_axes.h"

#include <stdlib.h>

#include "base/crc32.h"
#include "io/write/behind.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_facts.h"

static const h5_array no_array = { .dataset = -1, .type = -1, .space = -1 };

/* ---- Arrays -------------------------------------------------------------------- */

/* In the file, or in memory; the caller closes it. */
static hid_t
type_of(ws_type type, bool file)
{
	const ws_type part = wsi_type_part(type);
	hid_t plain = part == WS_F64 ? (file ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE)
	              : part == WS_F32 ? (file ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT)
	              : file ? H5T_STD_I32LE : H5T_NATIVE_INT32;
	return wsi_type_complex(type) ? wsi_h5_complex_type(plain, "r", "i") : H5Tcopy(plain);
}

/* Rows of time; or of what has none, which is small, as much of its last axes as a chunk holds. */
static void
cut(const wsi_file_array *a, const hsize_t *dims, bool deflate, hsize_t *chunk)
{
	hsize_t room = wsi_array_timed(a) ? 1 : CHUNK;
	for (int i = a->rank - 1; i >= 0; --i) {
		const hsize_t chunks = (dims[i] + room - 1) / room;
		chunk[i] = chunks ? (dims[i] + chunks - 1) / chunks : 1;
		room /= chunk[i];
		room += room == 0;
	}
	if (wsi_array_timed(a))
		chunk[a->rank - 1] = chunk_of(dims[a->rank - 1], deflate);
}

static hid_t
storage_of(const wsi_result_header *h, const wsi_file_array *a, const hsize_t *dims)
{
	hid_t p = wsi_h5_timeless(H5P_DATASET_CREATE);
	bool has_mode = false;
	for (int i = 0; i < a->rank; ++i)
		has_mode |= a->axes[i]->kind == WS_AXIS_MODE;
	/* The modes are cut to their number at commit, which needs chunks. */
	if (p < 0 || (!has_mode && !wsi_array_timed(a)))
		return p;
	hsize_t chunk[WSI_FILE_AXES];
	const bool deflate = wsi_array_timed(a) && h->compress > 0;
	cut(a, dims, deflate, chunk);
	if (H5Pset_chunk(p, a->rank, chunk) < 0
	    || (wsi_array_known(h, a) && (H5Pset_alloc_time(p, H5D_ALLOC_TIME_EARLY) < 0
	                                   || H5Pset_fill_time(p, H5D_FILL_TIME_NEVER) < 0))
	    || (deflate && (H5Pset_shuffle(p) < 0
	                    || H5Pset_deflate(p, (unsigned)h->compress) < 0))) {
		H5Pclose(p);
		return -1;
	}
	return p;
}

static void
create_array(h5_array *to, hid_t group, const wsi_h5_disk *disk, const wsi_result_header *h,
             const wsi_file_array *a)
{
	hsize_t dims[WSI_FILE_AXES], most[WSI_FILE_AXES];
	for (int i = 0; i < a->rank; ++i) {
		dims[i] = a->axes[i]->extent;
		most[i] = dims[i] ? dims[i] : 1;
	}
	hid_t type = type_of(a->type, true), storage = storage_of(h, a, dims);
	to->type = type_of(a->type, false);
	to->space = H5Screate_simple(a->rank, dims, most);
	to->place = disk->n_ends;
	if (type >= 0 && storage >= 0 && to->type >= 0 && to->space >= 0)
		to->dataset = H5Dcreate2(group, a->made.name, type, to->space, H5P_DEFAULT, storage,
		                         H5P_DEFAULT);
	const hsize_t length = dims[a->rank - 1];
	if (to->dataset >= 0 && wsi_array_timed(a) && h->compress == 0
	    && chunk_of(length, false) == length && H5Tequal(type, to->type) > 0)
		to->row = length;
	to->summed = wsi_array_timed(a) && H5Tequal(type, to->type) > 0;
	wsi_h5_close(type, storage);
}

/* Closes what is open; negative on failure. */
static herr_t
close_array(h5_array *a)
{
	const herr_t code = a->dataset < 0 ? 0 : H5Dclose(a->dataset);
	wsi_h5_close(a->type, a->space);
	free(a->state);
	*a = no_array;
	return code;
}

/* Takes the sums of the chunks of one row of a slab that has come, which is whole or is not.
 * at: its place; the last axis is counted here. */
static void
sum_row(const h5_array *to, wsi_h5_new_sums *sums, hsize_t *at, bool whole, const char *row)
{
	const wsi_h5_chunks *p = &to->chunks;
	const int last = p->rank - 1;
	for (at[last] = 0; at[last] < p->grid[last]; ++at[last]) {
		const size_t number = wsi_h5_chunk_number(p->rank, p->grid, at);
		to->state[number] = whole ? WHOLE : PARTS;
		if (whole)
			sums->sums[to->first + number] = wsi_crc32(
				0, row + at[last] * p->chunk[last] * p->element,
				(size_t)wsi_h5_chunk_elements(p, at) * p->element);
	}
	at[last] = 0;
}

/* The place of a row of a slab, but for the last axis; how many rows there are. */
static void
row_place(int rank, const hsize_t *start, const hsize_t *count, hsize_t row, hsize_t *at)
{
	wsi_h5_chunk_place(rank - 1, count, (size_t)row, at);
	for (int i = 0; i < rank - 1; ++i)
		at[i] += start[i];
	at[rank - 1] = 0;
}

static hsize_t
count_rows(int rank, const hsize_t *count)
{
	hsize_t rows = 1;
	for (int i = 0; i < rank - 1; ++i)
		rows *= count[i];
	return rows;
}

static void
sum_rows(const h5_array *to, wsi_h5_new_sums *sums, const hsize_t *start, const hsize_t *count,
         const char *data)
{
	const int rank = to->chunks.rank;
	const bool whole = count[rank - 1] == to->chunks.dims[rank - 1];
	const size_t bytes = (size_t)count[rank - 1] * to->chunks.element;
	const hsize_t rows = count_rows(rank, count);
	hsize_t at[WSI_SUMS_RANK];
	for (hsize_t k = 0; k < rows; ++k) {
		row_place(rank, start, count, k, at);
		sum_row(to, sums, at, whole, data + k * bytes);
	}
}

/* Whole rows, each a chunk, from where they lie: HDF5 would copy them into its cache.  Each is
 * summed just before, while it is on its way through the processor's caches. */
static herr_t
write_rows(const h5_array *to, wsi_h5_new_sums *sums, int rank, const hsize_t *start,
           const hsize_t *count, const char *data, size_t bytes)
{
	const hsize_t rows = count_rows(rank, count);
	hsize_t at[WSI_FILE_AXES];
	herr_t code = 0;
	for (hsize_t k = 0; k < rows && code >= 0; ++k) {
		row_place(rank, start, count, k, at);
		if (to->summed)
			sum_row(to, sums, at, true, data + k * bytes);
		code = H5Dwrite_chunk(to->dataset, H5P_DEFAULT, 0, at, bytes, data + k * bytes);
	}
	return code;
}

static herr_t
write_slab(const wsi_writer *w, const wsi_file_array *a, size_t entry, const ws_slab *slab)
{
	const size_t channels = w->header.channels;
	h5_state *s = w->state;
	const h5_array *to = &s->arrays[a - w->arrays];
	hsize_t start[WSI_FILE_AXES], count[WSI_FILE_AXES];
	const int leading = a->rank - a->made.rank + 1;
	if (leading > 0) {
		start[0] = entry / channels;
		start[leading - 1] = entry % channels;
		count[0] = count[leading - 1] = 1;
	}
	for (int i = leading; i < a->rank; ++i) {
		start[i] = slab->first[i - leading];
		count[i] = slab->extent[i - leading];
	}
	if (to->row && count[a->rank - 1] == to->row)
		return write_rows(to, &s->sums, a->rank, start, count, slab->data,
		                  to->row * wsi_type_size(a->type));
	if (to->summed)
		sum_rows(to, &s->sums, start, count, slab->data);
	hid_t memory = H5Screate_simple(a->rank, count, NULL);
	herr_t code = memory < 0 ? -1 : H5Sselect_hyperslab(to->space, H5S_SELECT_SET, start, NULL,
	                                                    count, NULL);
	if (code >= 0)
		code = H5Dwrite(to->dataset, to->type, memory, to->space, H5P_DEFAULT, slab->data);
	wsi_h5_close(memory);
	return code;
}

/* ---- Life --------------------------------------------------------------------------- */

static hid_t
open_group(hid_t file, const char *name)
{
	return *name ? wsi_h5_put_group(file, name)
	       : H5Gopen2(file, "/", H5P_DEFAULT);
}

/* For the sums of an array. */
static ws_status
make_room(h5_state *s, h5_array *a, const wsi_writer *w)
{
	if (!wsi_h5_chunks_of(a->dataset, &a->chunks))
		return wsi_h5_disk_fail(&s->disk, w->path, "asking for the chunks of an array");
	a->first = wsi_h5_sums_add(&s->sums, a->chunks.count);
	a->state = calloc(a->chunks.count + 1, 1);
	return a->first != SIZE_MAX && a->state ? WS_OK
	       : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu checksums", w->path, a->chunks.count);
}

static ws_status
open_file(wsi_writer *w)
{
	h5_state *s = w->state;
	const wsi_result_header *h = &w->header;
	s->file = wsi_h5_disk_create(&s->disk, &w->file, 0, w->header.threads);
	if (s->file < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "creating the file");
	if (wsi_h5_put_attributes(s->file, h) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing the attributes");
	if (wsi_h5_put_events(s->file, h, &s->events) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing /events");
	if (wsi_h5_put_facts(s->file, h->facts, h->n_facts) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing /provenance");
	s->group = open_group(s->file, h->folder);
	for (size_t i = 0; i < w->n_arrays; ++i) {
		create_array(&s->arrays[i], s->group, &s->disk, h, &w->arrays[i]);
		if (s->arrays[i].dataset < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, w->arrays[i].made.name);
		WSI_TRY(make_room(s, &s->arrays[i], w));
	}
	return s->disk.error ? wsi_h5_disk_fail(&s->disk, w->path, "creating the file") : WS_OK;
}

static ws_status
h5_open(wsi_writer *w)
{
	h5_state *s = w->state = calloc(1, sizeof *s);
	WSI_HAVE(s, "%s: out of memory", w->path);
	s->file = s->group = -1;
	WSI_NEW(s->arrays, w->n_arrays, "%s: out of memory", w->path);
	for (size_t i = 0; i < w->n_arrays; ++i)
		s->arrays[i] = no_array;
	ws_status status;
	H5E_BEGIN_TRY {
		status = open_file(w);
	} H5E_END_TRY
	return status;
}

static ws_status
h5_put(wsi_writer *w, const wsi_file_array *array, size_t entry, const ws_slab *slab)
{
	const h5_state *s = w->state;
	herr_t code;
	H5E_BEGIN_TRY {
		code = write_slab(w, array, entry, slab);
	} H5E_END_TRY
	return code < 0 || s->disk.error ? wsi_h5_disk_fail(&s->disk, w->path, array->made.name)
	       : WS_OK;
}

/* ---- Several processes ----------------------------------------------------------- */

/* Chunks whose places are asked for once more. */
#define MOST_ASKED 64

/* Is the k-th chunk of an array where it should be? */
static bool
lies_at(const h5_array *a, size_t k, haddr_t place)
{
	hsize_t at[WSI_SUMS_RANK], bytes;
	haddr_t found;
	unsigned skipped;
	wsi_h5_chunk_place(a->chunks.rank, a->chunks.grid, k, at);
	for (int i = 0; i < a->chunks.rank; ++i)
		at[i] *= a->chunks.chunk[i];
	return H5Dget_chunk_info_by_coord(a->dataset, at, &skipped, &found, &bytes) >= 0
	       && found == place;
}

/* HDF5 gives chunks their places in their order, and asks our driver for each.  It takes long to
 * tell them, so some are asked for: along each axis the first two, and others all over. */
static bool
find_places(const h5_state *s, const h5_array *a, uint64_t *at)
{
	const wsi_h5_chunks *p = &a->chunks;
	hsize_t bytes = p->element;
	for (int i = 0; i < p->rank; ++i)
		bytes *= p->chunk[i];
	if (a->place + p->count > s->disk.n_ends)
		return false;
	for (size_t k = 0; k < p->count; ++k)
		at[k] = s->disk.ends[a->place + k] - bytes;
	const size_t step = p->count / MOST_ASKED + 1;
	bool good = lies_at(a, p->count - 1, at[p->count - 1]);
	for (size_t k = 0; k < p->count && good; k += step)
		good = lies_at(a, k, at[k]);
	for (size_t i = 0, k = 1; i < (size_t)p->rank && good; ++i) {
		good = k >= p->count || lies_at(a, k, at[k]);
		k *= (size_t)p->grid[p->rank - 1 - (int)i];
	}
	return good;
}

static ws_status
h5_places(wsi_writer *w, wsi_places *places)
{
	const h5_state *s = w->state;
	size_t n = 0;
	for (size_t i = 0; i < w->n_arrays; ++i)
		n += wsi_array_placed(&w->header, &w->arrays[i]) ? s->arrays[i].chunks.count : 0;
	WSI_NEW(places->at, n + 1, "%s: no memory for %zu places", w->path, n);
	bool good = true;
	for (size_t i = 0; i < w->n_arrays && good; ++i) {
		if (!wsi_array_placed(&w->header, &w->arrays[i]))
			continue;
		H5E_BEGIN_TRY {
			good = find_places(s, &s->arrays[i], places->at + places->n);
		} H5E_END_TRY
		places->n += s->arrays[i].chunks.count;
	}
	places->n = good ? places->n : 0;
	return WS_OK;
}

static ws_status
h5_note(wsi_writer *w, const wsi_file_array *array, size_t entry, const ws_slab *slab,
        const uint32_t *sums)
{
	h5_state *s = w->state;
	const h5_array *to = &s->arrays[array - w->arrays];
	const size_t rows = wsi_slab_rows(array, slab);
	const size_t each = (size_t)to->chunks.grid[to->chunks.rank - 1];
	for (size_t k = 0; k < rows; ++k) {
		const size_t number = wsi_slab_row(array, entry, slab, k) * each;
		for (size_t i = 0; i < each; ++i) {
			s->sums.sums[to->first + number + i] = *sums++;
			to->state[number + i] = WHOLE;
		}
	}
	return WS_OK;
}

/* ---- The end ------------------------------------------------------------------------ */

/* Cuts the mode axis to the largest count there was. */
static herr_t
trim(const wsi_writer *w, const wsi_file_array *a)
{
	const h5_state *s = w->state;
	hsize_t dims[WSI_FILE_AXES];
	bool less = false;
	for (int k = 0; k < a->rank; ++k) {
		dims[k] = wsi_axis_extent(w, a->axes[k]);
		less |= dims[k] < a->axes[k]->extent;
	}
	return less ? H5Dset_extent(s->arrays[a - w->arrays].dataset, dims) : 0;
}

/* An array that never came is no part of the file. */
static herr_t
leave_out(const h5_state *s, const char *name, h5_array *array)
{
	return close_array(array) < 0 ? -1 : H5Ldelete(s->group, name, H5P_DEFAULT);
}

/* Those sums that the rows as they came did not give, once the array has its last extent. */
static herr_t
finish_sums(const h5_state *s, const h5_array *a)
{
	wsi_h5_chunks now;
	hsize_t at[WSI_SUMS_RANK];
	if (!wsi_h5_chunks_of(a->dataset, &now))
		return -1;
	for (size_t k = 0; k < now.count; ++k) {
		wsi_h5_chunk_place(now.rank, now.grid, k, at);
		const size_t number = wsi_h5_chunk_number(now.rank, a->chunks.grid, at);
		uint32_t *sum = &s->sums.sums[a->first + number];
		if (a->summed && a->state[number] == ABSENT)
			*sum = wsi_crc32_zeros(wsi_h5_chunk_elements(&now, at) * now.element);
		else if (!a->summed || a->state[number] == PARTS)
			if (wsi_h5_sum_chunk(a->dataset, &now, at, sum) < 0)
				return -1;
	}
	return wsi_h5_sums_attach(a->dataset, &a->chunks, a->first);
}

static ws_status
finish_file(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	h5_state *s = w->state;
	for (size_t i = 0; i < w->n_arrays; ++i) {
		const wsi_file_array *a = &w->arrays[i];
		if (wsi_array_absent(a) ? leave_out(s, a->made.name, &s->arrays[i]) < 0
		    : trim(w, a) < 0 || finish_sums(s, &s->arrays[i]) < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, a->made.name);
	}
	for (size_t i = 0; i < w->n_axes; ++i)
		if (wsi_h5_put_axis(w, &w->axes[i]) < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, w->axes[i].name);
	if (wsi_h5_put_facts(s->file, facts, n_facts) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing /provenance");
	if (wsi_h5_sums_put(s->file, &s->sums) < 0
	    || wsi_h5_text_sums_put(s->file, s->events) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing /" WSI_SUMS);
	for (size_t i = 0; i < w->n_arrays; ++i)
		if (close_array(&s->arrays[i]) < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, w->arrays[i].made.name);
	H5Gclose(s->group);
	s->group = -1;
	hid_t file = s->file;
	s->file = -1;
	if (wsi_h5_disk_close(&s->disk, file) < 0 || s->disk.error)
		return wsi_h5_disk_fail(&s->disk, w->path, "closing the file");
	return WS_OK;
}

static ws_status
h5_finish(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	ws_status status;
	H5E_BEGIN_TRY {
		status = finish_file(w, facts, n_facts);
	} H5E_END_TRY
	return status;
}

static void
h5_close(wsi_writer *w)
{
	h5_state *s = w->state;
	if (!s)
		return;
	H5E_BEGIN_TRY {
		for (size_t i = 0; s->arrays && i < w->n_arrays; ++i)
			close_array(&s->arrays[i]);
		wsi_h5_close(s->group);
		wsi_h5_disk_close(&s->disk, s->file);
	} H5E_END_TRY
	free(s->arrays);
	free(s->sums.sums);
	free(s);
}

const wsi_writer_format wsi_writer_hdf5 = {
	".h5", h5_open, h5_put, h5_finish, h5_close, h5_places, h5_note,
};
