/* h5_masks.c - packed masks in HDF5, as a recording whose channels are the arrays of the file. */
#include "io/hdf5/h5_masks.h"

#include <stdlib.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_check.h"
#include "io/read/readers.h"

enum { VALUES, LENGTHS, OFFSETS, SCALES, FREQUENCIES, ARRAYS };
static const char *const names[ARRAYS] = { "values", "lengths", "offsets", "scales",
	"frequencies" };

typedef struct column {
	hid_t dataset;
	const char *member;     /* of complex numbers; or NULL */
} column;

struct wsi_h5_masks {
	hid_t arrays[ARRAYS];   /* -1: there is none */
	char members[2][16];
	column columns[ARRAYS + 1]; /* [channel] */
	size_t n;
};

bool
wsi_h5_has_masks(hid_t file)
{
	/* What cannot be looked for is not absent: to open it tells. */
	return H5Lexists(file, names[VALUES], H5P_DEFAULT) != 0
	       && H5Lexists(file, names[LENGTHS], H5P_DEFAULT) != 0;
}

/* Opens an array that is there. */
static ws_status
open_array(wsi_h5_masks *m, const wsi_recording *rec, hid_t file, int i)
{
	hsize_t dims[H5S_MAX_RANK];
	const htri_t there = H5Lexists(file, names[i], H5P_DEFAULT);
	if (there == 0)
		return WS_OK;
	if (there < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its objects cannot be listed",
		                rec->path);
	WSI_TRY(wsi_h5_check_link(file, rec->path, names[i]));
	const hid_t d = m->arrays[i] = H5Dopen2(file, names[i], H5P_DEFAULT);
	if (d < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /%s cannot be opened", rec->path,
		                names[i]);
	WSI_TRY(wsi_h5_check(d, rec->path, names[i], rec->opts.memory));
	const bool complex = i == VALUES && wsi_h5_is_complex(d, m->members);
	if (wsi_h5_shape(d, dims) != 1 || !(complex || wsi_h5_is_numeric(d)))
		return WSI_FAIL(WS_E_FORMAT, "%s: /%s of packed masks must be one row of numbers",
		                rec->path, names[i]);
	return WS_OK;
}

static ws_status
add_channels(wsi_h5_masks *m, wsi_recording *rec, uint64_t bytes)
{
	hsize_t dims[H5S_MAX_RANK] = { 0 };
	const bool complex = wsi_h5_is_complex(m->arrays[VALUES], m->members);
	for (int i = 0; i < ARRAYS; ++i) {
		if (m->arrays[i] < 0)
			continue;
		m->columns[m->n++] = (column){ m->arrays[i],
			i == VALUES && complex ? m->members[0] : NULL };
		if (i == VALUES && complex)
			m->columns[m->n++] = (column){ m->arrays[i], m->members[1] };
	}
	WSI_TRY(wsi_recording_set_channels(rec, m->n, 0));
	for (size_t k = 0; k < m->n; ++k) {
		int i = 0;
		while (m->arrays[i] != m->columns[k].dataset)
			i++;
		if (!wsi_h5_is_plausible(m->arrays[i], bytes))
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated or damaged: /%s is empty or "
			                "claims more values than the file can hold", rec->path,
			                names[i]);
		wsi_h5_shape(m->arrays[i], dims);
		rec->channels[k].samples = (size_t)dims[0];
		WSI_TRY(wsi_channel_set_name(&rec->channels[k], k == 1 && complex ? "values.i"
		                             : names[i]));
	}
	return WS_OK;
}

ws_status
wsi_h5_masks_open(wsi_h5_masks **masks, wsi_recording *rec, hid_t file)
{
	wsi_h5_masks *m = *masks = calloc(1, sizeof *m);
	wsi_file f;
	WSI_HAVE(m, "%s: out of memory", rec->path);
	for (int i = 0; i < ARRAYS; ++i)
		m->arrays[i] = -1;
	for (int i = 0; i < ARRAYS; ++i)
		WSI_TRY(open_array(m, rec, file, i));
	WSI_TRY(wsi_file_open(&f, rec->source, rec->opts.opened));
	wsi_file_close(&f);
	rec->packed = true;
	rec->format = "HDF5 (packed masks)";
	return add_channels(m, rec, f.bytes);
}

herr_t
wsi_h5_masks_read(const wsi_h5_masks *m, size_t channel, size_t first, size_t count, double *out)
{
	const hsize_t start = first;
	const column *c = &m->columns[channel];
	return c->member ? wsi_h5_read_part(c->dataset, 1, &start, 0, count, c->member, out)
	       : wsi_h5_read_line(c->dataset, 1, &start, 0, count, out);
}

void
wsi_h5_masks_close(wsi_h5_masks *m)
{
	for (int i = 0; m && i < ARRAYS; ++i)
		wsi_h5_close(m->arrays[i]);
	free(m);
}
