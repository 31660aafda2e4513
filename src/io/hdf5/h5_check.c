/* h5_check.c - what an HDF5 file may not have: ways to other files, and code from elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_check.h"
#include "io/read/readers.h"

/* Text of a file for a message: on one line, not too long. */
static void
show(char *out, size_t size, const char *text)
{
	char *clean = wsi_clean_name(text);
	snprintf(out, size, "%s", clean ? clean : "?");
	free(clean);
}

/* ---- Datasets ---------------------------------------------------------------------- */

static ws_status
refuse_external(hid_t how, const char *path, const char *name)
{
	char file[256] = "", shown[128];
	off_t offset;
	hsize_t bytes;
	if (H5Pget_external(how, 0, sizeof file - 1, file, &offset, &bytes) < 0)
		strcpy(file, "?");
	show(shown, sizeof shown, file);
	return WSI_FAIL(WS_E_FORMAT, "%s: %s has its values in another file, %s (external "
	                "storage), which is not opened; copy it into one file with h5repack", path,
	                name, shown);
}

static ws_status
refuse_virtual(hid_t how, const char *path, const char *name)
{
	char file[256] = "", shown[128];
	if (H5Pget_virtual_filename(how, 0, file, sizeof file) < 0)
		strcpy(file, "?");
	show(shown, sizeof shown, file);
	return WSI_FAIL(WS_E_FORMAT, "%s: %s is a virtual dataset, its values are those of other "
	                "files, such as %s, which are not opened; copy it into a dataset of "
	                "its own", path, name, shown);
}

/* Filters that HDF5 brings along. */
static bool
is_built_in(H5Z_filter_t filter)
{
	return filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE
	       || filter == H5Z_FILTER_FLETCHER32 || filter == H5Z_FILTER_SZIP
	       || filter == H5Z_FILTER_NBIT || filter == H5Z_FILTER_SCALEOFFSET;
}

static ws_status
check_filters(hid_t how, const char *path, const char *name)
{
	const int n = H5Pget_nfilters(how);
	for (int i = 0; i < n; ++i) {
		char title[64] = "", shown[64];
		unsigned flags;
		size_t values = 0;
		const H5Z_filter_t filter = H5Pget_filter2(how, (unsigned)i, &flags, &values, NULL,
		                                           sizeof title, title, NULL);
		if (filter >= 0 && is_built_in(filter))
			continue;
		title[sizeof title - 1] = '\0';
		show(shown, sizeof shown, title);
		return WSI_FAIL(WS_E_FORMAT, "%s: %s is packed with filter %d (%s), a plugin, and "
		                "none are loaded; repack it with h5repack -f GZIP=4", path, name,
		                (int)filter, *shown ? shown : "without a name");
	}
	return WS_OK;
}

/* A chunk is unpacked as a whole. */
static ws_status
check_chunk(hid_t dataset, hid_t how, const char *path, const char *name, size_t memory)
{
	hsize_t dims[H5S_MAX_RANK];
	const int rank = H5Pget_chunk(how, H5S_MAX_RANK, dims);
	size_t size;
	wsi_h5_class(dataset, &size);
	double bytes = (double)size;
	for (int i = 0; i < rank; ++i)
		bytes *= (double)dims[i];
	if (memory && bytes > (double)memory)
		return WSI_FAIL(WS_E_NOMEM, "%s: %s is stored in chunks of %.0f bytes, more than "
		                "`memory` leaves; give more, or cut it smaller with h5repack -l",
		                path, name, bytes);
	return WS_OK;
}

ws_status
wsi_h5_check(hid_t dataset, const char *path, const char *name, size_t memory)
{
	hid_t how = H5Dget_create_plist(dataset);
	if (how < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: how %s is stored cannot be told", path,
		                name);
	char shown[128];
	show(shown, sizeof shown, name);
	const H5D_layout_t layout = H5Pget_layout(how);
	ws_status status = WS_OK;
	if (H5Pget_external_count(how) > 0)
		status = refuse_external(how, path, shown);
	else if (layout == H5D_VIRTUAL)
		status = refuse_virtual(how, path, shown);
	else if (layout == H5D_CHUNKED)
		status = check_chunk(dataset, how, path, shown, memory);
	if (status == WS_OK)
		status = check_filters(how, path, shown);
	H5Pclose(how);
	return status;
}

/* Bytes of a chunk as it lies in the file; 0 where the dataset has none, or packed ones, which may
 * have any number.  dims[rank]: its shape. */
static hsize_t
plain_chunk(hid_t dataset, int rank, hsize_t *dims)
{
	hid_t how = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
	hsize_t bytes = 0;
	if (how >= 0 && type >= 0 && H5Pget_layout(how) == H5D_CHUNKED
	    && H5Pget_nfilters(how) == 0 && H5Pget_chunk(how, rank, dims) == rank)
		bytes = H5Tget_size(type);
	for (int i = 0; i < rank && bytes; ++i)
		bytes *= dims[i];
	wsi_h5_close(type, how);
	return bytes;
}

__attribute__((weak)) bool
wsi_h5_chunks_are_watched(void)
{
	return false;
}

bool
wsi_h5_line_is_whole(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count)
{
	hsize_t chunk[H5S_MAX_RANK], at[H5S_MAX_RANK];
	if (wsi_h5_chunks_are_watched())
		return true;
	const hsize_t bytes = plain_chunk(dataset, rank, chunk);
	if (!bytes)
		return true;
	for (int i = 0; i < rank; ++i)
		at[i] = start[i] / chunk[i] * chunk[i];
	for (; at[axis] < start[axis] + count; at[axis] += chunk[axis]) {
		hsize_t stored = 0;
		haddr_t where = HADDR_UNDEF;
		unsigned skipped;
		if (H5Dget_chunk_info_by_coord(dataset, at, &skipped, &where, &stored) < 0)
			return false;
		/* Chunks that were never written are nowhere. */
		if (where != HADDR_UNDEF && stored != bytes)
			return false;
	}
	return true;
}

/* ---- Links ------------------------------------------------------------------------- */

static ws_status
refuse_link(hid_t group, const char *link, const H5L_info_t *info, const char *path)
{
	const char *file = "?", *object = "?";
	char shown[128], name[128], *value = malloc(info->u.val_size + 1);
	unsigned flags;
	if (!value || H5Lget_val(group, link, value, info->u.val_size, H5P_DEFAULT) < 0
	    || H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &object) < 0)
		file = "?";
	show(shown, sizeof shown, file);
	show(name, sizeof name, link);
	free(value);
	return WSI_FAIL(WS_E_FORMAT, "%s: %s is a link to another file, %s, which is not opened; "
	                "name that file instead", path, name, shown);
}

ws_status
wsi_h5_check_link(hid_t file, const char *path, const char *name)
{
	char *way = wsi_strdup(name);
	WSI_HAVE(way, "%s: no memory", path);
	ws_status status = WS_OK;
	for (char *at = way; status == WS_OK && at && *at;) {
		H5L_info_t info;
		char *slash = strchr(at + 1, '/');
		if (slash)
			*slash = '\0';
		if (H5Lget_info(file, way, &info, H5P_DEFAULT) < 0)
			break;
		if (info.type == H5L_TYPE_EXTERNAL)
			status = refuse_link(file, way, &info, path);
		if (slash)
			*slash = '/';
		at = slash;
	}
	free(way);
	return status;
}

typedef struct visit {
	const char *path;
	size_t memory;
	ws_status status;
} visit;

static herr_t
look_at_object(hid_t root, const char *name, const H5O_info_t *info, void *user)
{
	visit *v = user;
	if (info->type != H5O_TYPE_DATASET)
		return 0;
	hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
	if (dataset < 0)
		return 0;
	v->status = wsi_h5_check(dataset, v->path, name, v->memory);
	H5Dclose(dataset);
	return v->status != WS_OK;
}

static herr_t
look_at_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
	visit *v = user;
	if (info->type == H5L_TYPE_EXTERNAL)
		v->status = refuse_link(group, name, info, v->path);
	return v->status != WS_OK;
}

ws_status
wsi_h5_check_file(hid_t file, const char *path, size_t memory)
{
	visit v = { .path = path, .memory = memory };
	if ((H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, look_at_link, &v) < 0
	     || (v.status == WS_OK
	         && H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, look_at_object, &v,
	                      H5O_INFO_BASIC) < 0)) && v.status == WS_OK)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: its objects cannot be "
		                "listed", path);
	return v.status;
}

static herr_t
read_line(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count, hid_t type,
          double *out)
{
	hsize_t n = count, counts[H5S_MAX_RANK];
	for (int i = 0; i < rank; ++i)
		counts[i] = i == axis ? count : 1;
	hid_t memory = H5Screate_simple(1, &n, NULL), file = H5Dget_space(dataset);
	herr_t code = -1;
	if (memory >= 0 && file >= 0 && wsi_h5_line_is_whole(dataset, rank, start, axis, count)
	    && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, counts, NULL) >= 0)
		code = H5Dread(dataset, type, memory, file, H5P_DEFAULT, out);
	wsi_h5_close(file, memory);
	return code;
}

herr_t
wsi_h5_read_line(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count,
                 double *out)
{
	return read_line(dataset, rank, start, axis, count, H5T_NATIVE_DOUBLE, out);
}

herr_t
wsi_h5_read_part(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count,
                 const char *member, double *out)
{
	/* HDF5 fills the members that the type in memory has, by name. */
	hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *out);
	herr_t code = -1;
	if (type >= 0 && H5Tinsert(type, member, 0, H5T_NATIVE_DOUBLE) >= 0)
		code = read_line(dataset, rank, start, axis, count, type, out);
	wsi_h5_close(type);
	return code;
}
