/* masks_write.c - writes masks to a packed file (.h5). */
#include "io/write/masks_write.h"

#include <errno.h>
#include <stdlib.h>

#include <hdf5.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_disk.h"
#include "io/read/readers.h"
#include "io/write/writer_format.h"

/* The taps of all masks, in the order in which they lie in memory. */
static herr_t
put_values(hid_t file, const ws_masks *m, size_t taps)
{
	const bool complex = m->type == WS_C128;
	hid_t stored = complex ? wsi_h5_complex_type(H5T_IEEE_F64LE, "r", "i")
	               : H5Tcopy(H5T_IEEE_F64LE);
	hid_t given = complex ? wsi_h5_complex_type(H5T_NATIVE_DOUBLE, "r", "i")
	              : H5Tcopy(H5T_NATIVE_DOUBLE);
	const herr_t code = wsi_h5_put_dataset(file, "values", stored, given, taps, m->values);
	wsi_h5_close(stored, given);
	return code;
}

static herr_t
put_sizes(hid_t file, const char *name, const size_t *sizes, size_t n)
{
	const hid_t given = sizeof(size_t) == 8 ? H5T_NATIVE_UINT64 : H5T_NATIVE_UINT32;
	return wsi_h5_put_dataset(file, name, H5T_STD_U64LE, given, n, sizes);
}

static herr_t
put_all(hid_t file, const ws_masks *m)
{
	size_t taps = 0, at = 0;
	size_t *offsets = malloc(m->count * sizeof *offsets);
	if (!offsets)
		return -1;
	for (size_t i = 0; i < m->count; ++i) {
		offsets[i] = m->offsets ? m->offsets[i] : at;
		at += m->lengths[i];
		taps = offsets[i] + m->lengths[i] > taps ? offsets[i] + m->lengths[i] : taps;
	}
	herr_t code = wsi_h5_put_text(file, "format", "wavesift masks");
	if (code >= 0)
		code = wsi_h5_put_int(file, "format_version", 1);
	if (code >= 0)
		code = put_values(file, m, taps);
	if (code >= 0)
		code = put_sizes(file, "lengths", m->lengths, m->count);
	if (code >= 0)
		code = put_sizes(file, "offsets", offsets, m->count);
	if (code >= 0 && m->scales)
		code = wsi_h5_put_dataset(file, "scales", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
		                          m->count, m->scales);
	if (code >= 0 && m->frequencies)
		code = wsi_h5_put_dataset(file, "frequencies", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
		                          m->count, m->frequencies);
	free(offsets);
	return code;
}

static ws_status
write_file(const wsi_newfile *to, const char *path, const ws_masks *m)
{
	wsi_h5_disk disk = { 0 };
	herr_t code;
	H5E_BEGIN_TRY {
		hid_t file = wsi_h5_disk_create(&disk, to, 0, 1);
		code = file < 0 ? -1 : put_all(file, m);
		if (wsi_h5_disk_close(&disk, file) < 0)
			code = -1;
	} H5E_END_TRY
	return code < 0 || disk.error ? wsi_h5_disk_fail(&disk, path, "writing the masks") : WS_OK;
}

ws_status
wsi_mask_writer_check(const char *path, bool overwrite)
{
	if (!wsi_name_ends(path, ".h5"))
		return WSI_FAIL(WS_E_ARG, "%s: a file of masks must end in .h5", path);
	return wsi_writer_check(path, overwrite);
}

ws_status
wsi_mask_writer_open(wsi_mask_writer *w, const char *path, const ws_masks *masks, bool overwrite)
{
	*w = (wsi_mask_writer){ .path = wsi_strdup(path) };
	WSI_HAVE(w->path, "%s: out of memory", path);
	errno = wsi_newfile_open(&w->file, path, overwrite);
	ws_status status = errno ? wsi_write_fail(path) : WS_OK;
	if (status == WS_OK)
		status = write_file(&w->file, path, masks);
	if (status != WS_OK)
		wsi_mask_writer_abort(w);
	return status;
}

void
wsi_mask_writer_abort(wsi_mask_writer *w)
{
	wsi_newfile_close(&w->file);
	free(w->path);
	*w = (wsi_mask_writer){ 0 };
}
