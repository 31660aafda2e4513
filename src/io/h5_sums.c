/* h5_sums.c - see h5_sums.h. */
#include "io/h5_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "io/h5.h"
#include "io/h5_events.h"

/* Bytes that are read at a time. */
#define BLOCK ((size_t)1 << 20)

/* ---- Pieces ---------------------------------------------------------------------------- */

/* Bytes of an element that is a number, or a compound of two; 0 of others. */
static size_t
element_of(hid_t dataset)
{
	char members[2][16];
	const hid_t type = H5Dget_type(dataset);
	const size_t size = type < 0 ? 0 : H5Tget_size(type);
	if (type >= 0)
		H5Tclose(type);
	return size <= 16 && (wsi_h5_is_numeric(dataset) || wsi_h5_is_complex(dataset, members))
	       ? size : 0;
}

bool
wsi_h5_pieces_of(hid_t dataset, wsi_h5_pieces *p)
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
		good = H5Pget_chunk(how, WSI_SUMS_RANK, p->piece) == p->rank;
	for (int i = 0; i < p->rank && good; ++i) {
		p->dims[i] = dims[i];
		p->piece[i] = chunked ? p->piece[i] : dims[i] ? dims[i] : 1;
		good = p->piece[i] > 0;
		p->grid[i] = good ? dims[i] / p->piece[i] + (dims[i] % p->piece[i] != 0) : 0;
		good = good && !__builtin_mul_overflow(p->count, p->grid[i], &p->count);
	}
	if (how >= 0)
		H5Pclose(how);
	return good;
}

size_t
wsi_h5_piece_number(int rank, const hsize_t *grid, const hsize_t *at)
{
	size_t number = 0;
	for (int i = 0; i < rank; ++i)
		number = number * (size_t)grid[i] + (size_t)at[i];
	return number;
}

void
wsi_h5_piece_place(int rank, const hsize_t *grid, size_t number, hsize_t *at)
{
	for (int i = rank - 1; i >= 0; --i) {
		at[i] = number % grid[i];
		number /= grid[i];
	}
}

/* Where the piece begins, and its extent within the array. */
static hsize_t
extent_of(const wsi_h5_pieces *p, const hsize_t *at, hsize_t *start, hsize_t *extent)
{
	hsize_t all = 1;
	for (int i = 0; i < p->rank; ++i) {
		start[i] = at[i] * p->piece[i];
		const hsize_t left = p->dims[i] - start[i];
		extent[i] = left < p->piece[i] ? left : p->piece[i];
		all *= extent[i];
	}
	return all;
}

hsize_t
wsi_h5_piece_elements(const wsi_h5_pieces *p, const hsize_t *at)
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
	if (memory >= 0)
		H5Sclose(memory);
	if (code >= 0)
		*sum = wsi_crc32(*sum, block, (size_t)n * element);
	return code;
}

/* By as much of the last axis as fits at a time, line after line; or all of it, where that fits. */
static herr_t
add_parts(hid_t dataset, hid_t type, hid_t space, const wsi_h5_pieces *p, const hsize_t *start,
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
		wsi_h5_piece_place(last, extent, (size_t)line, lines);
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
wsi_h5_sum_piece(hid_t dataset, const wsi_h5_pieces *p, const hsize_t *at, uint32_t *sum)
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
	if (type >= 0)
		H5Tclose(type);
	if (space >= 0)
		H5Sclose(space);
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
wsi_h5_sums_attach(hid_t dataset, const wsi_h5_pieces *numbered, size_t first)
{
	int64_t values[1 + WSI_SUMS_RANK] = { (int64_t)first };
	const hsize_t n = 1 + (hsize_t)numbered->rank;
	for (int i = 0; i < numbered->rank; ++i)
		values[1 + i] = (int64_t)numbered->grid[i];
	const hid_t space = H5Screate_simple(1, &n, NULL);
	const hid_t attribute = space < 0 ? -1
	                        : H5Acreate2(dataset, WSI_SUMS, H5T_STD_I64LE, space, H5P_DEFAULT,
	                                     H5P_DEFAULT);
	herr_t code = attribute < 0 ? -1 : H5Awrite(attribute, H5T_NATIVE_INT64, values);
	if (attribute >= 0 && H5Aclose(attribute) < 0)
		code = -1;
	if (space >= 0)
		H5Sclose(space);
	return code;
}

herr_t
wsi_h5_sums_put(hid_t file, const wsi_h5_new_sums *s)
{
	const hsize_t n = s->n;
	const hid_t space = H5Screate_simple(1, &n, NULL);
	const hid_t dataset = space < 0 ? -1
	                      : H5Dcreate2(file, WSI_SUMS, H5T_STD_U32LE, space, H5P_DEFAULT,
	                                   H5P_DEFAULT, H5P_DEFAULT);
	herr_t code = dataset < 0 ? -1 : n == 0 ? 0
	              : H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->sums);
	if (dataset >= 0 && H5Dclose(dataset) < 0)
		code = -1;
	if (space >= 0)
		H5Sclose(space);
	return code;
}

/* ---- Texts ----------------------------------------------------------------------------- */

#define TEXT_SUMS "text_checksums"

/* Numbers as the file has them. */
static uint32_t
add_real(uint32_t sum, double value)
{
	uint64_t bits;
	unsigned char bytes[8];
	memcpy(&bits, &value, sizeof bits);
	for (int i = 0; i < 8; ++i)
		bytes[i] = (unsigned char)(bits >> 8 * i);
	return wsi_crc32(sum, bytes, sizeof bytes);
}

uint32_t
wsi_h5_add_event(uint32_t sum, double onset, double duration, const char *label)
{
	sum = add_real(add_real(sum, onset), duration);
	return wsi_crc32(sum, label, strlen(label) + 1);
}

typedef struct texts {
	uint32_t sum;
	bool good;
} texts;

/* A H5A_operator2_t. */
static herr_t
add_fact(hid_t group, const char *name, const H5A_info_t *info, void *user)
{
	texts *t = user;
	(void)info;
	t->sum = wsi_crc32(t->sum, name, strlen(name) + 1);
	t->good = wsi_h5_add_texts(group, name, &t->sum);
	return !t->good;
}

/* The first two.  False where the file cannot be read. */
static bool
sum_texts(hid_t file, int64_t sums[WSI_TEXT_SUMS])
{
	texts t = { 0, true };
	static const char *const names[] = { "start_time", "channel_names", "unit" };
	for (int i = 0; i < 3 && t.good; ++i)
		t.good = wsi_h5_add_texts(file, names[i], &t.sum);
	sums[WSI_SUM_ATTRIBUTES] = t.sum;
	t.sum = 0;
	const htri_t there = H5Lexists(file, "provenance", H5P_DEFAULT);
	const hid_t group = there > 0 ? H5Gopen2(file, "provenance", H5P_DEFAULT) : -1;
	if (group >= 0) {
		t.good = t.good && H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_fact, &t)
		         >= 0 && t.good;
		H5Gclose(group);
	}
	sums[WSI_SUM_PROVENANCE] = t.sum;
	return t.good && there >= 0 && (there == 0 || group >= 0);
}

herr_t
wsi_h5_text_sums_put(hid_t file, uint32_t events)
{
	int64_t sums[WSI_TEXT_SUMS];
	const hsize_t n = WSI_TEXT_SUMS;
	if (!sum_texts(file, sums))
		return -1;
	sums[WSI_SUM_EVENTS] = events;
	const hid_t space = H5Screate_simple(1, &n, NULL);
	const hid_t attribute = space < 0 ? -1
	                        : H5Acreate2(file, TEXT_SUMS, H5T_STD_I64LE, space, H5P_DEFAULT,
	                                     H5P_DEFAULT);
	herr_t code = attribute < 0 ? -1 : H5Awrite(attribute, H5T_NATIVE_INT64, sums);
	if (attribute >= 0 && H5Aclose(attribute) < 0)
		code = -1;
	if (space >= 0)
		H5Sclose(space);
	return code;
}

/* Those of the attribute; *there false where it is absent. */
static ws_status
take_text_sums(hid_t file, const char *path, int64_t sums[WSI_TEXT_SUMS], bool *there)
{
	const htri_t exists = H5Aexists(file, TEXT_SUMS);
	*there = exists > 0;
	if (exists == 0)
		return WS_OK;
	const hid_t attribute = H5Aopen(file, TEXT_SUMS, H5P_DEFAULT);
	const hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
	const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
	const bool good = space >= 0 && type >= 0 && H5Tget_class(type) == H5T_INTEGER
	                  && H5Sget_simple_extent_npoints(space) == WSI_TEXT_SUMS
	                  && H5Aread(attribute, H5T_NATIVE_INT64, sums) >= 0;
	if (type >= 0)
		H5Tclose(type);
	if (space >= 0)
		H5Sclose(space);
	if (attribute >= 0)
		H5Aclose(attribute);
	return good ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: damaged: its attribute " TEXT_SUMS
	                               " cannot be read", path);
}

static ws_status
changed(const char *path, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its %s not the checksum with which %s written",
	                path, what, strstr(what, "have") ? "they were" : "it was");
}

ws_status
wsi_h5_text_sums_check(hid_t file, const char *path)
{
	int64_t sums[WSI_TEXT_SUMS], now[WSI_TEXT_SUMS];
	bool there;
	WSI_TRY(take_text_sums(file, path, sums, &there));
	if (!there)
		return WS_OK;
	if (!sum_texts(file, now))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its texts cannot be read", path);
	if (sums[WSI_SUM_ATTRIBUTES] != now[WSI_SUM_ATTRIBUTES])
		return changed(path, "names of channels have");
	return sums[WSI_SUM_PROVENANCE] == now[WSI_SUM_PROVENANCE] ? WS_OK
	       : changed(path, "provenance has");
}

ws_status
wsi_h5_event_sum_check(hid_t file, const char *path, uint32_t events)
{
	int64_t sums[WSI_TEXT_SUMS];
	bool there;
	WSI_TRY(take_text_sums(file, path, sums, &there));
	return !there || sums[WSI_SUM_EVENTS] == events ? WS_OK : changed(path, "events have");
}

/* ---- Verified -------------------------------------------------------------------------- */

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
	const int n = 1 + s->pieces.rank;
	const hid_t attribute = H5Aopen(s->dataset, WSI_SUMS, H5P_DEFAULT);
	const hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
	const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
	bool good = space >= 0 && type >= 0 && H5Tget_class(type) == H5T_INTEGER
	            && H5Sget_simple_extent_npoints(space) == n
	            && H5Aread(attribute, H5T_NATIVE_INT64, values) >= 0 && values[0] >= 0;
	*first = (hsize_t)values[0];
	*count = 1;
	for (int i = 0; i < s->pieces.rank && good; ++i) {
		good = values[1 + i] >= 0 && (uint64_t)values[1 + i] >= s->pieces.grid[i]
		       && !__builtin_mul_overflow(*count, (size_t)values[1 + i], count);
		s->numbered[i] = (hsize_t)values[1 + i];
	}
	if (type >= 0)
		H5Tclose(type);
	if (space >= 0)
		H5Sclose(space);
	if (attribute >= 0)
		H5Aclose(attribute);
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
	if (!s->sums || !s->right)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its checksums", s->path);
	if (count == 0)
		return WS_OK;
	n = count;
	const hid_t memory = H5Screate_simple(1, &n, NULL), file = H5Dget_space(all);
	herr_t code = memory < 0 || file < 0 ? -1
	              : H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &n, NULL);
	if (code >= 0)
		code = H5Dread(all, H5T_NATIVE_UINT32, memory, file, H5P_DEFAULT, s->sums);
	if (memory >= 0)
		H5Sclose(memory);
	if (file >= 0)
		H5Sclose(file);
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
	const ws_status status = wsi_h5_pieces_of(dataset, &s->pieces) ? take_sums(s, all)
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
check_piece(wsi_h5_sums *s, const hsize_t *at)
{
	char place[WSI_SUMS_RANK * 24];
	uint32_t sum;
	const size_t number = wsi_h5_piece_number(s->pieces.rank, s->numbered, at);
	if (s->right[number])
		return WS_OK;
	tell_place(s->pieces.rank, at, place);
	if (wsi_h5_sum_piece(s->dataset, &s->pieces, at, &sum) < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: piece %s of %s cannot be "
		                "read", s->path, place, s->name);
	if (sum != s->sums[number])
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: piece %s of %s has not the checksum "
		                "with which it was written", s->path, place, s->name);
	s->right[number] = true;
	return WS_OK;
}

ws_status
wsi_h5_sums_check(wsi_h5_sums *s, const hsize_t *start, const hsize_t *count)
{
	hsize_t first[WSI_SUMS_RANK], grid[WSI_SUMS_RANK], at[WSI_SUMS_RANK];
	size_t n = 1;
	if (!s->sums)
		return WS_OK;
	for (int i = 0; i < s->pieces.rank; ++i) {
		if (count[i] == 0)
			return WS_OK;
		first[i] = start[i] / s->pieces.piece[i];
		grid[i] = (start[i] + count[i] - 1) / s->pieces.piece[i] - first[i] + 1;
		n *= (size_t)grid[i];
	}
	for (size_t k = 0; k < n; ++k) {
		wsi_h5_piece_place(s->pieces.rank, grid, k, at);
		for (int i = 0; i < s->pieces.rank; ++i)
			at[i] += first[i];
		WSI_TRY(check_piece(s, at));
	}
	return WS_OK;
}

ws_status
wsi_h5_sums_check_line(wsi_h5_sums *s, const hsize_t *start, size_t count)
{
	hsize_t counts[WSI_SUMS_RANK];
	for (int i = 0; i < WSI_SUMS_RANK; ++i)
		counts[i] = i == s->pieces.rank - 1 ? count : 1;
	return wsi_h5_sums_check(s, start, counts);
}

ws_status
wsi_h5_sums_check_all(wsi_h5_sums *s)
{
	const hsize_t start[WSI_SUMS_RANK] = { 0 };
	return wsi_h5_sums_check(s, start, s->pieces.dims);
}

/* ---- A whole file ---------------------------------------------------------------------- */

typedef struct visit {
	hid_t file;
	const char *path;
	size_t memory, arrays, pieces;
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
	const ws_status status = wsi_h5_sums_check_all(&s);
	v->arrays++;
	v->pieces += s.pieces.count;
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
	const char *broken = NULL;
	if (v->file < 0 && H5Fis_hdf5(source) > 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: HDF5 cannot open it",
		                v->path);
	if (v->file < 0 || !wsi_h5_text_is(v->file, "format", "wavesift result", &broken)
	    || H5Lexists(v->file, WSI_SUMS, H5P_DEFAULT) == 0)
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
                   size_t *pieces)
{
	visit v = { .path = path, .memory = memory };
	ws_status status;
	H5E_BEGIN_TRY {
		v.file = H5Fopen(source, H5F_ACC_RDONLY, H5P_DEFAULT);
		status = verify_file(&v, source);
		if (v.file >= 0)
			H5Fclose(v.file);
	} H5E_END_TRY
	*arrays = v.arrays;
	*pieces = v.pieces;
	return status;
}
