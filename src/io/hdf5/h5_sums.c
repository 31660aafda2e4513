/* h5_sums.c - checksums of chunks, taken and written. */
#include "io/hdf5/h5_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_check.h"

/* Bytes that are read at a time. */
#define BLOCK ((size_t)1 << 20)

/* ---- Chunks ---------------------------------------------------------------------------- */

/* Bytes of an element that is a number, or a compound of two; 0 of others. */
static size_t
element_of(hid_t dataset)
{
	char members[2][16];
	size_t size;
	wsi_h5_class(dataset, &size);
	return size <= 16 && (wsi_h5_is_numeric(dataset) || wsi_h5_is_complex(dataset, members))
	       ? size : 0;
}

bool
wsi_h5_chunks_of(hid_t dataset, wsi_h5_chunks *p)
{
	hsize_t dims[H5S_MAX_RANK];
	p->rank = wsi_h5_shape(dataset, dims);
	p->element = element_of(dataset);
	p->count = 1;
	if (p->rank < 1 || p->rank > WSI_SUMS_RANK || p->element == 0)
		return false;
	const hid_t how = H5Dget_create_plist(dataset);
	bool good = how >= 0;
	const bool chunked = good && H5Pget_layout(how) == H5D_CHUNKED;
	if (chunked)
		good = H5Pget_chunk(how, WSI_SUMS_RANK, p->chunk) == p->rank;
	for (int i = 0; i < p->rank && good; ++i) {
		p->dims[i] = dims[i];
		p->chunk[i] = chunked ? p->chunk[i] : dims[i] ? dims[i] : 1;
		good = p->chunk[i] > 0;
		p->grid[i] = good ? dims[i] / p->chunk[i] + (dims[i] % p->chunk[i] != 0) : 0;
		good = good && !__builtin_mul_overflow(p->count, p->grid[i], &p->count);
	}
	wsi_h5_close(how);
	return good;
}

size_t
wsi_h5_chunk_number(int rank, const hsize_t *grid, const hsize_t *at)
{
	size_t number = 0;
	for (int i = 0; i < rank; ++i)
		number = number * (size_t)grid[i] + (size_t)at[i];
	return number;
}

void
wsi_h5_chunk_place(int rank, const hsize_t *grid, size_t number, hsize_t *at)
{
	for (int i = rank - 1; i >= 0; --i) {
		at[i] = number % grid[i];
		number /= grid[i];
	}
}

/* Where the chunk begins, and its extent within the array. */
static hsize_t
extent_of(const wsi_h5_chunks *p, const hsize_t *at, hsize_t *start, hsize_t *extent)
{
	hsize_t all = 1;
	for (int i = 0; i < p->rank; ++i) {
		start[i] = at[i] * p->chunk[i];
		const hsize_t left = p->dims[i] - start[i];
		extent[i] = left < p->chunk[i] ? left : p->chunk[i];
		all *= extent[i];
	}
	return all;
}

hsize_t
wsi_h5_chunk_elements(const wsi_h5_chunks *p, const hsize_t *at)
{
	hsize_t start[WSI_SUMS_RANK], extent[WSI_SUMS_RANK];
	return extent_of(p, at, start, extent);
}

/* Reads a part in the file's own type, and adds it to the sum. */
static herr_t
add_part(hid_t dataset, hid_t type, hid_t space, const hsize_t *start, const hsize_t *extent,
         hsize_t n, size_t element, void *block, uint32_t *sum)
{
	const hid_t memory = H5Screate_simple(1, &n, NULL);
	herr_t code = memory < 0 ? -1 : H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL,
	                                                    extent, NULL);
	if (code >= 0)
		code = H5Dread(dataset, type, memory, space, H5P_DEFAULT, block);
	wsi_h5_close(memory);
	if (code >= 0)
		*sum = wsi_crc32(*sum, block, (size_t)n * element);
	return code;
}

/* By as much of the last axis as fits at a time, line after line; or all of it, where that fits. */
static herr_t
add_parts(hid_t dataset, hid_t type, hid_t space, const wsi_h5_chunks *p, const hsize_t *start,
          const hsize_t *extent, hsize_t all, void *block, uint32_t *sum)
{
	const int last = p->rank - 1;
	const hsize_t most = BLOCK / p->element;
	hsize_t from[WSI_SUMS_RANK], count[WSI_SUMS_RANK], lines[WSI_SUMS_RANK];
	herr_t code = 0;
	if (all <= most)
		return add_part(dataset, type, space, start, extent, all, p->element, block, sum);
	for (int i = 0; i < last; ++i)
		count[i] = 1;
	for (hsize_t line = 0; line < all / extent[last] && code >= 0; ++line) {
		wsi_h5_chunk_place(last, extent, (size_t)line, lines);
		for (int i = 0; i < last; ++i)
			from[i] = start[i] + lines[i];
		for (hsize_t done = 0; done < extent[last] && code >= 0; done += count[last]) {
			const hsize_t left = extent[last] - done;
			from[last] = start[last] + done;
			count[last] = left < most ? left : most;
			code = add_part(dataset, type, space, from, count, count[last], p->element,
			                block, sum);
		}
	}
	return code;
}

herr_t
wsi_h5_sum_chunk(hid_t dataset, const wsi_h5_chunks *p, const hsize_t *at, uint32_t *sum)
{
	hsize_t start[WSI_SUMS_RANK], extent[WSI_SUMS_RANK];
	const hsize_t all = extent_of(p, at, start, extent);
	const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
	void *block = malloc(all < BLOCK / p->element ? (size_t)all * p->element + 1 : BLOCK);
	herr_t code = -1;
	*sum = 0;
	if (block && type >= 0 && space >= 0
	    && wsi_h5_line_is_whole(dataset, p->rank, start, p->rank - 1,
	                            (size_t)extent[p->rank - 1]))
		code = add_parts(dataset, type, space, p, start, extent, all, block, sum);
	free(block);
	wsi_h5_close(type, space);
	return code;
}

/* ---- Written --------------------------------------------------------------------------- */

size_t
wsi_h5_sums_add(wsi_h5_new_sums *s, size_t count)
{
	const size_t first = s->n;
	if (count > s->room - s->n) {
		const size_t room = 2 * s->room + count;
		uint32_t *grown = room > PTRDIFF_MAX / sizeof *grown ? NULL
		                  : realloc(s->sums, (room + 1) * sizeof *grown);
		if (!grown)
			return SIZE_MAX;
		s->sums = grown;
		s->room = room;
	}
	memset(s->sums + s->n, 0, count * sizeof *s->sums);
	s->n += count;
	return first;
}

herr_t
wsi_h5_sums_attach(hid_t dataset, const wsi_h5_chunks *numbered, size_t first)
{
	int64_t values[1 + WSI_SUMS_RANK] = { (int64_t)first };
	for (int i = 0; i < numbered->rank; ++i)
		values[1 + i] = (int64_t)numbered->grid[i];
	return wsi_h5_put_ints(dataset, WSI_SUMS, values, 1 + (size_t)numbered->rank);
}

herr_t
wsi_h5_sums_put(hid_t file, const wsi_h5_new_sums *s)
{
	return wsi_h5_put_dataset(file, WSI_SUMS, H5T_STD_U32LE, H5T_NATIVE_UINT32, s->n,
	                          s->sums);
}
