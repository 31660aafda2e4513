/*
 * writer_hdf5.c - the whole result; docs/result-format.md is its contract.
 *
 * Every array has time as its last axis and is cut into pieces of one row:
 * a channel is written as it comes, one mode of one channel is read alone,
 * and what is never written takes no room and reads as zeros.
 */
#include "io/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>
#include <hdf5_hl.h>

#include "io/h5.h"
#include "io/h5_disk.h"
#include "io/h5_facts.h"
#include "io/mode_figures.h"

/* Most samples of a piece that is compressed: large enough that its bookkeeping does
 * not count, small enough for HDF5's default cache of 1 MiB.  Others are whole rows, as
 * far as a piece may have fewer than 2^32 bytes: past the cache, they are written from
 * where they lie and read in part. */
#define PIECE ((hsize_t)1 << 16)
#define LONG_PIECE ((hsize_t)1 << 26)

/* Samples of a piece of n: all pieces alike, for the last takes as much room
 * as the others. */
static hsize_t
piece_of(hsize_t n, bool deflate)
{
	const hsize_t most = deflate ? PIECE : LONG_PIECE;
	hsize_t pieces = (n + most - 1) / most;
	return pieces ? (n + pieces - 1) / pieces : 1;
}

/* The figures of modes come last, by the name of their kind. */
enum { SIGNAL, MODES, RESIDUE, MODE_COUNT, FIGURES, N_ARRAYS = FIGURES + WSI_FIGURES };
enum { EPOCH_AXIS, CHANNEL_AXIS, MODE_AXIS, TIME_AXIS, N_AXES };

static const struct array_kind {
	const char *name;
	bool has_mode, has_time;
} first_kinds[FIGURES] = {
	[SIGNAL]         = { "signal",         false, true  },
	[MODES]          = { "modes",          true,  true  },
	[RESIDUE]        = { "residue",        false, true  },
	[MODE_COUNT]     = { "mode_count",     false, false },
};

static struct array_kind
kind_of(int array)
{
	return array < FIGURES ? first_kinds[array]
	       : (struct array_kind){ wsi_figure_names[array - FIGURES], true, false };
}

static const char *const axis_names[N_AXES] = { "epoch", "channel", "mode", "time" };

typedef struct h5_state {
	wsi_h5_disk disk;
	hid_t file;
	hid_t arrays[N_ARRAYS];
	double *figures[WSI_FIGURES]; /* [max_modes] of one channel */
} h5_state;

/* ---- Arrays -------------------------------------------------------------------- */

/* The axes of an array, in order; their number. */
static int
axes_of(const wsi_result_header *h, int array, int axes[N_AXES])
{
	int rank = 0;
	if (h->epochs)
		axes[rank++] = EPOCH_AXIS;
	axes[rank++] = CHANNEL_AXIS;
	if (kind_of(array).has_mode)
		axes[rank++] = MODE_AXIS;
	if (kind_of(array).has_time)
		axes[rank++] = TIME_AXIS;
	return rank;
}

static hsize_t
axis_length(const wsi_result_header *h, int axis)
{
	return axis == EPOCH_AXIS ? h->epochs : axis == CHANNEL_AXIS ? h->channels
	       : axis == MODE_AXIS ? h->max_modes : h->samples;
}

static hid_t
storage_of(const wsi_result_header *h, int array, int rank, const hsize_t *dims)
{
	hid_t p = H5Pcreate(H5P_DATASET_CREATE);
	/* The modes are cut to their number at commit, which needs pieces. */
	if (p < 0 || (!kind_of(array).has_mode && !kind_of(array).has_time))
		return p;
	hsize_t piece[N_AXES];
	for (int i = 0; i < rank; ++i)
		piece[i] = kind_of(array).has_time ? 1 : dims[i] ? dims[i] : 1;
	bool deflate = kind_of(array).has_time && h->compress > 0;
	if (kind_of(array).has_time)
		piece[rank - 1] = piece_of(dims[rank - 1], deflate);
	else if (rank == 3)
		piece[0] = 1;
	if (H5Pset_chunk(p, rank, piece) < 0
	    || (deflate && (H5Pset_shuffle(p) < 0 || H5Pset_deflate(p, (unsigned)h->compress) < 0))) {
		H5Pclose(p);
		return -1;
	}
	return p;
}

static hid_t
create_array(hid_t file, const wsi_result_header *h, int array)
{
	int axes[N_AXES], rank = axes_of(h, array, axes);
	hsize_t dims[N_AXES], most[N_AXES];
	for (int i = 0; i < rank; ++i) {
		dims[i] = axis_length(h, axes[i]);
		most[i] = axes[i] == MODE_AXIS && dims[i] == 0 ? 1 : dims[i];
	}
	hid_t type = array == MODE_COUNT ? H5T_STD_I32LE
	             : kind_of(array).has_time && h->store == WS_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
	hid_t space = H5Screate_simple(rank, dims, most), storage = storage_of(h, array, rank, dims);
	hid_t dataset = space < 0 || storage < 0 ? -1
	                : H5Dcreate2(file, kind_of(array).name, type, space, H5P_DEFAULT, storage,
	                             H5P_DEFAULT);
	if (space >= 0)
		H5Sclose(space);
	if (storage >= 0)
		H5Pclose(storage);
	return dataset;
}

/* Writes data, of memory type, over the last axes of an array: those that
 * count[] covers from the given epoch and channel on. */
static herr_t
write_part(const wsi_writer *w, int array, size_t epoch, size_t channel, size_t modes,
           hid_t memory_type, const void *data)
{
	const h5_state *s = w->state;
	int axes[N_AXES], rank = axes_of(&w->header, array, axes);
	hsize_t start[N_AXES] = { 0 }, count[N_AXES];
	for (int i = 0; i < rank; ++i) {
		count[i] = axes[i] == MODE_AXIS ? modes : axes[i] == TIME_AXIS ? w->header.samples : 1;
		start[i] = axes[i] == EPOCH_AXIS ? epoch : axes[i] == CHANNEL_AXIS ? channel : 0;
		if (count[i] == 0)
			return 0;
	}
	hid_t memory = H5Screate_simple(rank, count, NULL), file = H5Dget_space(s->arrays[array]);
	herr_t code = -1;
	if (memory >= 0 && file >= 0
	    && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
		code = H5Dwrite(s->arrays[array], memory_type, memory, file, H5P_DEFAULT, data);
	if (memory >= 0)
		H5Sclose(memory);
	if (file >= 0)
		H5Sclose(file);
	return code;
}

/* ---- Axes ----------------------------------------------------------------------- */

/* The names of the channels, as a dataset. */
static hid_t
create_channel_axis(hid_t file, const wsi_result_header *h)
{
	hsize_t n = h->channels;
	hid_t type = wsi_h5_text_type(), space = H5Screate_simple(1, &n, NULL);
	hid_t axis = type < 0 || space < 0 ? -1
	             : H5Dcreate2(file, axis_names[CHANNEL_AXIS], type, space, H5P_DEFAULT, H5P_DEFAULT,
	                          H5P_DEFAULT);
	if (axis >= 0 && H5Dwrite(axis, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, h->channel_names) < 0) {
		H5Dclose(axis);
		axis = -1;
	}
	if (type >= 0)
		H5Tclose(type);
	if (space >= 0)
		H5Sclose(space);
	return axis;
}

static double
axis_value(const wsi_result_header *h, int axis, hsize_t i)
{
	return axis == TIME_AXIS ? h->time_origin + h->first_time + (double)i / h->fs
	       : axis == EPOCH_AXIS ? h->epoch_numbers[i] : (double)(i + 1);
}

/* Numbers, written piece by piece: time can be long. */
static herr_t
write_numbers(hid_t dataset, const wsi_result_header *h, int axis, hsize_t n)
{
	double *values = malloc(PIECE * sizeof *values);
	hid_t file = H5Dget_space(dataset);
	herr_t code = values && file >= 0 ? 0 : -1;
	for (hsize_t first = 0; code >= 0 && first < n; first += PIECE) {
		hsize_t count = n - first < PIECE ? n - first : PIECE;
		for (hsize_t i = 0; i < count; ++i)
			values[i] = axis_value(h, axis, first + i);
		hid_t memory = H5Screate_simple(1, &count, NULL);
		code = H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &count, NULL);
		if (code >= 0)
			code = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values);
		H5Sclose(memory);
	}
	if (file >= 0)
		H5Sclose(file);
	free(values);
	return code;
}

static hid_t
create_number_axis(hid_t file, const wsi_result_header *h, int axis, hsize_t n)
{
	hid_t space = H5Screate_simple(1, &n, NULL), storage = H5Pcreate(H5P_DATASET_CREATE);
	hsize_t piece = piece_of(n, true);
	hid_t dataset = -1;
	/* Times are so regular that they shrink to nearly nothing. */
	if (space >= 0 && storage >= 0
	    && (h->compress <= 0 || n == 0
	        || (H5Pset_chunk(storage, 1, &piece) >= 0 && H5Pset_shuffle(storage) >= 0
	            && H5Pset_deflate(storage, (unsigned)h->compress) >= 0)))
		dataset = H5Dcreate2(file, axis_names[axis], axis == TIME_AXIS ? H5T_IEEE_F64LE
		                     : H5T_STD_I32LE, space, H5P_DEFAULT, storage, H5P_DEFAULT);
	if (dataset >= 0 && write_numbers(dataset, h, axis, n) < 0) {
		H5Dclose(dataset);
		dataset = -1;
	}
	if (space >= 0)
		H5Sclose(space);
	if (storage >= 0)
		H5Pclose(storage);
	return dataset;
}

/* Creates one axis and attaches it to every array that has it. */
static herr_t
put_axis(const wsi_writer *w, int axis)
{
	const h5_state *s = w->state;
	const wsi_result_header *h = &w->header;
	hsize_t n = axis == MODE_AXIS ? w->modes : axis_length(h, axis);
	hid_t scale = axis == CHANNEL_AXIS ? create_channel_axis(s->file, h)
	              : create_number_axis(s->file, h, axis, n);
	if (scale < 0)
		return -1;
	herr_t code = H5DSset_scale(scale, axis_names[axis]);
	if (code >= 0 && axis == TIME_AXIS)
		code = wsi_h5_put_text(scale, "unit", h->fs_known ? "s" : "samples");
	for (int array = 0; array < N_ARRAYS && code >= 0; ++array) {
		int axes[N_AXES], rank = axes_of(h, array, axes);
		for (int i = 0; i < rank && code >= 0; ++i)
			if (axes[i] == axis)
				code = H5DSattach_scale(s->arrays[array], scale, (unsigned)i);
	}
	if (H5Dclose(scale) < 0)
		code = -1;
	return code;
}

/* ---- Life --------------------------------------------------------------------------- */

static ws_status
open_file(wsi_writer *w)
{
	h5_state *s = w->state;
	const wsi_result_header *h = &w->header;
	s->file = wsi_h5_disk_create(&s->disk, w->temp, 0);
	if (s->file < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "creating the file");
	if (wsi_h5_put_attributes(s->file, h) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing the attributes");
	if (wsi_h5_put_events(s->file, h) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing /events");
	if (wsi_h5_put_facts(s->file, h->facts, h->n_facts) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing /provenance");
	for (int i = 0; i < N_ARRAYS; ++i) {
		s->arrays[i] = create_array(s->file, h, i);
		if (s->arrays[i] < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, kind_of(i).name);
	}
	return s->disk.error ? wsi_h5_disk_fail(&s->disk, w->path, "creating the file") : WS_OK;
}

static ws_status
h5_open(wsi_writer *w)
{
	h5_state *s = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	w->state = s;
	s->file = -1;
	for (int i = 0; i < N_ARRAYS; ++i)
		s->arrays[i] = -1;
	size_t modes = w->header.max_modes ? w->header.max_modes : 1;
	for (int i = 0; i < WSI_FIGURES; ++i) {
		s->figures[i] = calloc(modes, sizeof *s->figures[i]);
		if (!s->figures[i])
			return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	}
	ws_status status;
	H5E_BEGIN_TRY {
		status = open_file(w);
	} H5E_END_TRY
	return status;
}

static ws_status
put_channel(wsi_writer *w, size_t epoch, size_t channel, const void *const *data, size_t n_modes)
{
	const h5_state *s = w->state;
	for (int i = 0; i < N_ARRAYS; ++i) {
		hid_t type = i == MODE_COUNT ? H5T_NATIVE_INT32
		             : kind_of(i).has_time && w->header.store == WS_F32 ? H5T_NATIVE_FLOAT
		             : H5T_NATIVE_DOUBLE;
		if (write_part(w, i, epoch, channel, n_modes, type, data[i]) < 0 || s->disk.error)
			return wsi_h5_disk_fail(&s->disk, w->path, kind_of(i).name);
	}
	return WS_OK;
}

static ws_status
h5_put(wsi_writer *w, size_t epoch, size_t channel, const void *signal,
       const void *modes, size_t n_modes, const void *residue, const ws_mode_figures *figures)
{
	const h5_state *s = w->state;
	int32_t count = (int32_t)n_modes;
	const void *data[N_ARRAYS] = {
		[SIGNAL] = signal, [MODES] = modes, [RESIDUE] = residue, [MODE_COUNT] = &count,
	};
	for (int i = 0; i < WSI_FIGURES; ++i) {
		wsi_figure_values((wsi_figure_kind)i, figures, n_modes, s->figures[i]);
		data[FIGURES + i] = s->figures[i];
	}
	ws_status status;
	H5E_BEGIN_TRY {
		status = put_channel(w, epoch, channel, data, n_modes);
	} H5E_END_TRY
	return status;
}

/* Cuts the mode axis to the largest count there was. */
static herr_t
trim(const wsi_writer *w, int array)
{
	int axes[N_AXES], rank = axes_of(&w->header, array, axes);
	hsize_t dims[N_AXES];
	for (int i = 0; i < rank; ++i)
		dims[i] = axes[i] == MODE_AXIS ? w->modes : axis_length(&w->header, axes[i]);
	return H5Dset_extent(((const h5_state *)w->state)->arrays[array], dims);
}

static ws_status
finish_file(wsi_writer *w, const wsi_fact *facts, size_t n_facts)
{
	h5_state *s = w->state;
	for (int i = 0; i < N_ARRAYS; ++i)
		if (kind_of(i).has_mode && trim(w, i) < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, kind_of(i).name);
	for (int axis = w->header.epochs ? EPOCH_AXIS : CHANNEL_AXIS; axis < N_AXES; ++axis)
		if (put_axis(w, axis) < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, axis_names[axis]);
	if (wsi_h5_put_facts(s->file, facts, n_facts) < 0)
		return wsi_h5_disk_fail(&s->disk, w->path, "writing /provenance");
	for (int i = 0; i < N_ARRAYS; ++i) {
		hid_t array = s->arrays[i];
		s->arrays[i] = -1;
		if (H5Dclose(array) < 0)
			return wsi_h5_disk_fail(&s->disk, w->path, kind_of(i).name);
	}
	hid_t file = s->file;
	s->file = -1;
	if (H5Fclose(file) < 0 || s->disk.error)
		return wsi_h5_disk_fail(&s->disk, w->path, "closing the file");
	return WS_OK;
}

static ws_status
h5_finish(wsi_writer *w, const wsi_fact *facts, size_t n_facts)
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
		for (int i = 0; i < N_ARRAYS; ++i)
			if (s->arrays[i] >= 0)
				H5Dclose(s->arrays[i]);
		if (s->file >= 0)
			H5Fclose(s->file);
	} H5E_END_TRY
	for (int i = 0; i < WSI_FIGURES; ++i)
		free(s->figures[i]);
	free(s);
}

const wsi_writer_format wsi_writer_hdf5 = {
	".h5", h5_open, h5_put, h5_finish, h5_close, false,
};
