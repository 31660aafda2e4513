/* h5.c - types, groups and datasets of HDF5: what readers and writers of our files both do. */
#include "io/hdf5/h5.h"

#include <stdlib.h>
#include <string.h>

/* Deflate cannot shrink by more than 1032; the rest is for filters with a
 * smaller unit. */
#define MAX_SHRINK 2048

void
wsi_h5_close_all(const hid_t *ids, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		switch (ids[i] < 0 ? H5I_BADID : H5Iget_type(ids[i])) {
		case H5I_FILE: H5Fclose(ids[i]); break;
		case H5I_DATATYPE: H5Tclose(ids[i]); break;
		case H5I_DATASPACE: H5Sclose(ids[i]); break;
		case H5I_ATTR: H5Aclose(ids[i]); break;
		case H5I_GENPROP_LST: H5Pclose(ids[i]); break;
		case H5I_DATASET:
		case H5I_GROUP: H5Oclose(ids[i]); break;
		default: break;
		}
}

/* ---- Types ---------------------------------------------------------------------- */

hid_t
wsi_h5_text_type(void)
{
	hid_t type = H5Tcopy(H5T_C_S1);
	if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0
	                  || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
		H5Tclose(type);
		return -1;
	}
	return type;
}

hid_t
wsi_h5_complex_type(hid_t part, const char *real, const char *imaginary)
{
	const size_t size = H5Tget_size(part);
	hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
	if (type >= 0 && (H5Tinsert(type, real, 0, part) < 0
	                  || H5Tinsert(type, imaginary, size, part) < 0)) {
		H5Tclose(type);
		return -1;
	}
	return type;
}

/* ---- Objects ------------------------------------------------------------------- */

ws_status
wsi_h5_has(hid_t at, const char *path, const char *name, bool *there)
{
	char *way = wsi_strdup(name);
	htri_t found = way ? 1 : -1;
	/* HDF5 wants each group on the way to be there. */
	for (char *slash = way; found > 0 && slash;) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		found = H5Lexists(at, way, H5P_DEFAULT);
		if (slash)
			*slash = '/';
	}
	free(way);
	*there = found > 0;
	WSI_HAVE(way, "%s: out of memory", path);
	return found >= 0 ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: damaged: whether it has /%s cannot "
	                                     "be read", path, name);
}

/* ---- Datasets ------------------------------------------------------------------ */

H5T_class_t
wsi_h5_class(hid_t dataset, size_t *size)
{
	const hid_t type = H5Dget_type(dataset);
	const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
	if (size)
		*size = type < 0 ? 0 : H5Tget_size(type);
	wsi_h5_close(type);
	return class;
}

hid_t
wsi_h5_timeless(hid_t class)
{
	const hid_t list = H5Pcreate(class);
	if (list < 0 || H5Pset_obj_track_times(list, 0) >= 0)
		return list;
	H5Pclose(list);
	return -1;
}

hid_t
wsi_h5_put_group(hid_t at, const char *name)
{
	const hid_t list = wsi_h5_timeless(H5P_GROUP_CREATE);
	const hid_t group = list < 0 ? -1 : H5Gcreate2(at, name, H5P_DEFAULT, list, H5P_DEFAULT);
	wsi_h5_close(list);
	return group;
}

/* Texts are written by way of a buffer of so many bytes: HDF5's own takes, and clears, 1 MiB. */
#define TEXTS_BYTES ((size_t)16 << 10)

static hid_t
small_transfer(void)
{
	const hid_t list = H5Pcreate(H5P_DATASET_XFER);
	if (list < 0 || H5Pset_buffer(list, TEXTS_BYTES, NULL, NULL) >= 0)
		return list;
	H5Pclose(list);
	return -1;
}

herr_t
wsi_h5_put_dataset(hid_t at, const char *name, hid_t stored, hid_t given, size_t n,
                   const void *data)
{
	const hsize_t dims = n;
	const hid_t transfer = small_transfer();
	const hid_t storage = wsi_h5_timeless(H5P_DATASET_CREATE);
	const hid_t space = stored < 0 || given < 0 || storage < 0 || transfer < 0 ? -1
	                    : H5Screate_simple(1, &dims, NULL);
	const hid_t d = space < 0 ? -1 : H5Dcreate2(at, name, stored, space, H5P_DEFAULT, storage,
	                                            H5P_DEFAULT);
	herr_t code = d < 0 ? -1 : n == 0 ? 0
	              : H5Dwrite(d, given, H5S_ALL, H5S_ALL, transfer, data);
	if (d >= 0 && H5Dclose(d) < 0)
		code = -1;
	wsi_h5_close(space, storage, transfer);
	return code;
}

int
wsi_h5_shape(hid_t dataset, hsize_t dims[H5S_MAX_RANK])
{
	hid_t space = H5Dget_space(dataset);
	int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
	if (rank > 0)
		rank = H5Sget_simple_extent_dims(space, dims, NULL);
	wsi_h5_close(space);
	return rank;
}

bool
wsi_h5_is_complex(hid_t dataset, char members[2][16])
{
	hid_t type = H5Dget_type(dataset);
	bool good = type >= 0 && H5Tget_class(type) == H5T_COMPOUND
	            && H5Tget_nmembers(type) == 2;
	for (unsigned i = 0; good && i < 2; ++i) {
		char *name = H5Tget_member_name(type, i);
		good = name && strlen(name) < sizeof members[i]
		       && H5Tget_member_class(type, i) == H5T_FLOAT;
		if (good)
			memcpy(members[i], name, strlen(name) + 1);
		H5free_memory(name);
	}
	wsi_h5_close(type);
	return good;
}

bool
wsi_h5_is_numeric(hid_t dataset)
{
	const H5T_class_t class = wsi_h5_class(dataset, NULL);
	return class == H5T_INTEGER || class == H5T_FLOAT;
}

bool
wsi_h5_can_hold(uint64_t values, size_t size, uint64_t file_bytes)
{
	return values / MAX_SHRINK <= file_bytes / size;
}

bool
wsi_h5_is_plausible(hid_t dataset, uint64_t file_bytes)
{
	const hid_t space = H5Dget_space(dataset);
	const hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
	size_t size;
	wsi_h5_class(dataset, &size);
	wsi_h5_close(space);
	return n > 0 && size > 0 && wsi_h5_can_hold((uint64_t)n, size, file_bytes);
}
