/* h5_verify.c - checksums of a result verified: of what is read, or of all. */
#include <stdlib.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_check.h"
#include "io/hdf5/h5_events.h"
#include "io/hdf5/h5_sums.h"

static ws_status
damaged(const wsi_h5_sums *s)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the checksums of %s are not as its pieces are",
	                s->path, s->name);
}

/* The attribute: false where it makes no sense. */
static bool
take_numbers(wsi_h5_sums *s, hsize_t *first, size_t *count)
{
	int64_t values[1 + WSI_SUMS_RANK] = { 0 };
	bool good = wsi_h5_get_ints(s->dataset, WSI_SUMS, values, 1 + (size_t)s->chunks.rank)
	            && values[0] >= 0;
	*first = (hsize_t)values[0];
	*count = 1;
	for (int i = 0; i < s->chunks.rank && good; ++i) {
		good = values[1 + i] >= 0 && (uint64_t)values[1 + i] >= s->chunks.grid[i]
		       && !__builtin_mul_overflow(*count, (size_t)values[1 + i], count);
		s->numbered[i] = (hsize_t)values[1 + i];
	}
	return good;
}

/* Reads those of the dataset from all. */
static ws_status
take_sums(wsi_h5_sums *s, hid_t all)
{
	hsize_t dims[H5S_MAX_RANK], first, n;
	size_t count;
	WSI_TRY(wsi_h5_check(all, s->path, WSI_SUMS, 0));
	if (!take_numbers(s, &first, &count) || wsi_h5_shape(all, dims) != 1
	    || !wsi_h5_is_numeric(all) || first > dims[0] || count > dims[0] - first
	    || count > PTRDIFF_MAX / sizeof *s->sums)
		return damaged(s);
	s->sums = malloc((count + 1) * sizeof *s->sums);
	s->right = calloc(count + 1, sizeof *s->right);
	WSI_HAVE(s->sums && s->right, "%s: no memory for its checksums", s->path);
	if (count == 0)
		return WS_OK;
	n = count;
	const hid_t memory = H5Screate_simple(1, &n, NULL), file = H5Dget_space(all);
	herr_t code = memory < 0 || file < 0 ? -1
	              : H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &n, NULL);
	if (code >= 0)
		code = H5Dread(all, H5T_NATIVE_UINT32, memory, file, H5P_DEFAULT, s->sums);
	wsi_h5_close(memory, file);
	return code < 0 ? damaged(s) : WS_OK;
}

ws_status
wsi_h5_sums_open(wsi_h5_sums *s, hid_t file, hid_t dataset, const char *path, const char *name)
{
	*s = (wsi_h5_sums){ .dataset = dataset, .path = path, .name = name };
	const htri_t there = H5Lexists(file, WSI_SUMS, H5P_DEFAULT);
	if (there == 0)
		return WS_OK;
	WSI_TRY(wsi_h5_check_link(file, path, WSI_SUMS));
	const hid_t all = there < 0 ? -1 : H5Dopen2(file, WSI_SUMS, H5P_DEFAULT);
	if (all < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its checksums cannot be opened", path);
	const ws_status status = wsi_h5_chunks_of(dataset, &s->chunks) ? take_sums(s, all)
	                         : damaged(s);
	H5Dclose(all);
	if (status != WS_OK)
		wsi_h5_sums_close(s);
	return status;
}

void
wsi_h5_sums_close(wsi_h5_sums *s)
{
	free(s->sums);
	free(s->right);
	s->sums = NULL;
	s->right = NULL;
}

/* Its place, from 1 on, as "3,1". */
static void
tell_place(int rank, const hsize_t *at, char text[WSI_SUMS_RANK * 24])
{
	size_t used = 0;
	for (int i = 0; i < rank; ++i)
		used += (size_t)sprintf(text + used, "%s%llu", i ? "," : "",
		                        (unsigned long long)at[i] + 1);
}

static ws_status
check_chunk(wsi_h5_sums *s, const hsize_t *at)
{
	char place[WSI_SUMS_RANK * 24];
	uint32_t sum;
	const size_t number = wsi_h5_chunk_number(s->chunks.rank, s->numbered, at);
	if (s->right[number])
		return WS_OK;
	tell_place(s->chunks.rank, at, place);
	if (wsi_h5_sum_chunk(s->dataset, &s->chunks, at, &sum) < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: piece %s of %s cannot be "
		                "read", s->path, place, s->name);
	if (sum != s->sums[number])
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: piece %s of %s has not the checksum "
		                "with which it was written", s->path, place, s->name);
	s->right[number] = true;
	return WS_OK;
}

/* Verifies the chunks that count[rank] elements from start on lie in, each once. */
static ws_status
check(wsi_h5_sums *s, const hsize_t *start, const hsize_t *count)
{
	hsize_t first[WSI_SUMS_RANK], grid[WSI_SUMS_RANK], at[WSI_SUMS_RANK];
	size_t n = 1;
	if (!s->sums)
		return WS_OK;
	for (int i = 0; i < s->chunks.rank; ++i) {
		if (count[i] == 0)
			return WS_OK;
		first[i] = start[i] / s->chunks.chunk[i];
		grid[i] = (start[i] + count[i] - 1) / s->chunks.chunk[i] - first[i] + 1;
		n *= (size_t)grid[i];
	}
	for (size_t k = 0; k < n; ++k) {
		wsi_h5_chunk_place(s->chunks.rank, grid, k, at);
		for (int i = 0; i < s->chunks.rank; ++i)
			at[i] += first[i];
		WSI_TRY(check_chunk(s, at));
	}
	return WS_OK;
}

ws_status
wsi_h5_sums_check_line(wsi_h5_sums *s, const hsize_t *start, size_t count)
{
	hsize_t counts[WSI_SUMS_RANK];
	for (int i = 0; i < WSI_SUMS_RANK; ++i)
		counts[i] = i == s->chunks.rank - 1 ? count : 1;
	return check(s, start, counts);
}

/* ---- A whole file ---------------------------------------------------------------------- */

typedef struct visit {
	hid_t file;
	const char *path;
	size_t memory, arrays, chunks;
	ws_status status;
} visit;

static ws_status
verify(visit *v, hid_t dataset, const char *name)
{
	wsi_h5_sums s;
	const htri_t has = H5Aexists(dataset, WSI_SUMS);
	if (has == 0)
		return WS_OK;
	WSI_TRY(wsi_h5_check(dataset, v->path, name, v->memory));
	WSI_TRY(wsi_h5_sums_open(&s, v->file, dataset, v->path, name));
	const ws_status status = check(&s, (hsize_t[WSI_SUMS_RANK]){ 0 }, s.chunks.dims);
	v->arrays++;
	v->chunks += s.chunks.count;
	wsi_h5_sums_close(&s);
	return status;
}

/* A H5O_iterate_t. */
static herr_t
look_at(hid_t root, const char *name, const H5O_info_t *info, void *user)
{
	visit *v = user;
	if (info->type != H5O_TYPE_DATASET)
		return 0;
	const hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
	if (dataset < 0) {
		v->status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: an array of it cannot be opened",
		                     v->path);
		return 1;
	}
	v->status = verify(v, dataset, name);
	H5Dclose(dataset);
	return v->status != WS_OK;
}

static ws_status
verify_file(visit *v, const char *source)
{
	bool ours = false;
	if (v->file < 0 && H5Fis_hdf5(source) > 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: HDF5 cannot open it",
		                v->path);
	if (v->file >= 0)
		WSI_TRY(wsi_h5_is_result(v->file, v->path, &ours));
	if (!ours || H5Lexists(v->file, WSI_SUMS, H5P_DEFAULT) == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no checksums: results (.h5) of wavesift "
		                "have", v->path);
	WSI_TRY(wsi_h5_text_sums_check(v->file, v->path));
	WSI_TRY(wsi_h5_events_check(v->file, v->path));
	if (H5Ovisit2(v->file, H5_INDEX_NAME, H5_ITER_INC, look_at, v, H5O_INFO_BASIC) < 0
	    && v->status == WS_OK)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: its arrays cannot be "
		                "listed", v->path);
	return v->status;
}

ws_status
wsi_h5_sums_verify(const char *path, const char *source, size_t memory, size_t *arrays,
                   size_t *chunks)
{
	visit v = { .path = path, .memory = memory };
	ws_status status;
	H5E_BEGIN_TRY {
		v.file = H5Fopen(source, H5F_ACC_RDONLY, H5P_DEFAULT);
		status = verify_file(&v, source);
		wsi_h5_close(v.file);
	} H5E_END_TRY
	*arrays = v.arrays;
	*chunks = v.chunks;
	return status;
}
