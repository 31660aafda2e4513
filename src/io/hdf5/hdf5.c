/*
 * hdf5.c - recordings in HDF5: the /signal of our results, the array that
 * --variable names, or the only one that can be a signal.
 *
 * One dimension is [time]; of two the longer is time, in a series of NWB the first; three are
 * [epoch][channel][time].  h5_rate.c finds the rate.  Masks are [mask][tap], or packed
 * (h5_masks.h).
 */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_events.h"
#include "io/hdf5/h5_masks.h"
#include "io/hdf5/h5_packing.h"
#include "io/hdf5/h5_rate.h"
#include "io/hdf5/h5_sums.h"
#include "io/read/readers.h"
#include "io/decode/wire.h"
#include "io/hdf5/h5_check.h"

typedef struct h5_recording {
	hid_t file, data;
	wsi_h5_sums sums;    /* of a result's signal */
	int rank;
	int epoch_axis, channel_axis, time_axis;  /* -1: the array has none */
	char members[2][16]; /* of complex numbers */
	wsi_h5_packing packing;
	wsi_h5_masks *masks; /* the file's, if it has packed masks and these are wanted; or NULL */
} h5_recording;

/* HDF5 begins at 0, or after a block of the user's: 512, 1024, .. bytes.
 * MATLAB's files have such a block and are not ours. */
static int
h5_probe(const unsigned char *head, size_t n, const char *path)
{
	static const char signature[8] = "\x89HDF\r\n\x1a\n";
	if (n >= 6 && memcmp(head, "MATLAB", 6) == 0)
		return 0;
	for (size_t at = 0; at + sizeof signature <= n; at = at ? 2 * at : 512)
		if (memcmp(head + at, signature, sizeof signature) == 0)
			return 2;
	return wsi_name_ends(path, ".h5") || wsi_name_ends(path, ".hdf5");
}

/* ---- Which array ----------------------------------------------------------------- */

/* Arrays that can be signals, floating-point ones counted apart: integers
 * beside them are masks and markers. */
typedef struct candidates {
	size_t floats, integers, unreadable;
	char *float_name, *integer_name; /* of the first of each */
	char names[512];
	size_t length;
	const char *path;  /* of the file */
	size_t memory;
	bool masks;        /* complex numbers are candidates, too */
	bool ours;         /* it is a result of ours */
	bool nwb;          /* series alone are candidates */
} candidates;

/* *class: of its elements; H5T_NO_CLASS where anything of it cannot be told. */
static bool
is_candidate(hid_t dataset, const char *path, bool masks, H5T_class_t *class)
{
	hsize_t dims[H5S_MAX_RANK];
	char members[2][16];
	const int rank = wsi_h5_shape(dataset, dims);
	*class = rank < 0 ? H5T_NO_CLASS : wsi_h5_class(dataset, NULL);
	if (*class == H5T_NO_CLASS || rank < 1 || rank > 3)
		return false;
	if (*class != H5T_INTEGER && *class != H5T_FLOAT
	    && !(masks && wsi_h5_is_complex(dataset, members)))
		return false;
	hsize_t most = 0;
	for (int i = 0; i < rank; ++i)
		most = dims[i] > most ? dims[i] : most;
	bool axis;
	if (wsi_h5_text_is(dataset, path, "CLASS", "DIMENSION_SCALE", &axis) != WS_OK)
		*class = H5T_NO_CLASS;
	return most > 1 && !axis;
}

static herr_t
consider(hid_t root, const char *name, const H5O_info_t *info, void *user)
{
	candidates *c = user;
	if (info->type != H5O_TYPE_DATASET || (c->ours && strcmp(name, WSI_SUMS) == 0))
		return 0;
	hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
	H5T_class_t class = H5T_NO_CLASS;
	if (dataset < 0) {
		c->unreadable++;
		return 0;
	}
	const hid_t series = c->nwb ? wsi_h5_series_of(dataset) : -1;
	wsi_h5_close(series);
	if (c->nwb && series < 0) {
		H5Dclose(dataset);
		return 0;
	}
	/* One that is not to be had is told of by name, if it is the one: the shape of a virtual
	 * dataset is that of its sources. */
	const bool candidate = is_candidate(dataset, c->path, c->masks, &class);
	c->unreadable += class == H5T_NO_CLASS;
	if (wsi_h5_check(dataset, c->path, name, c->memory) != WS_OK || candidate) {
		const bool real = class != H5T_INTEGER;
		if ((*(real ? &c->floats : &c->integers))++ == 0)
			*(real ? &c->float_name : &c->integer_name) = wsi_strdup(name);
		int n = snprintf(c->names + c->length, sizeof c->names - c->length, "%s/%s",
		                 c->length ? ", " : "", name);
		if (n > 0)
			c->length += (size_t)n < sizeof c->names - c->length ? (size_t)n
			             : sizeof c->names - c->length - 1;
	}
	H5Dclose(dataset);
	return 0;
}

/* The one among them. */
static ws_status
choose_array(const wsi_recording *rec, hid_t file, hid_t *data, candidates *c)
{
	if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, consider, c, H5O_INFO_BASIC) < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: its objects "
		                "cannot be listed", rec->path);
	if (c->unreadable)
		return WSI_FAIL(WS_E_FORMAT, "%s: %zu of its arrays cannot be opened: damaged, or "
		                "written by a newer HDF5 (convert with h5repack --high=V110); one "
		                "of the others can be chosen with `variable`", rec->path,
		                c->unreadable);
	if (c->floats + c->integers == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds no array of numbers of one to "
		                "three dimensions", rec->path);
	if (c->floats != 1 && (c->floats > 1 || c->integers > 1))
		return WSI_FAIL(WS_E_FORMAT, "%s: holds several arrays; choose one with "
		                "`variable`: %s", rec->path, c->names);
	const char *name = c->floats ? c->float_name : c->integer_name;
	WSI_HAVE(name, "%s: no memory for its names", rec->path);
	*data = H5Dopen2(file, name, H5P_DEFAULT);
	if (*data < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its array cannot be opened", rec->path);
	return wsi_h5_check(*data, rec->path, name, rec->opts.memory);
}

static ws_status
find_array(const wsi_recording *rec, hid_t file, bool ours, hid_t *data)
{
	candidates c = { .path = rec->path, .memory = rec->opts.memory,
		.masks = rec->opts.masks, .ours = ours,
		.nwb = H5Aexists(file, "nwb_version") > 0 };
	const ws_status status = choose_array(rec, file, data, &c);
	free(c.float_name);
	free(c.integer_name);
	return status;
}

static ws_status
open_array(const wsi_recording *rec, h5_recording *h, bool *ours)
{
	const char *variable = rec->opts.variable;
	WSI_TRY(wsi_h5_is_result(h->file, rec->path, ours));
	bool has_signal = false;
	if (!variable)
		WSI_TRY(wsi_h5_has(h->file, rec->path, "signal", &has_signal));
	if (has_signal)
		variable = "signal";
	if (!variable)
		return find_array(rec, h->file, *ours, &h->data);
	*ours = *ours && strcmp(variable + (*variable == '/'), "signal") == 0;
	WSI_TRY(wsi_h5_check_link(h->file, rec->path, variable));
	h->data = H5Dopen2(h->file, variable, H5P_DEFAULT);
	if (h->data < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no array %s; see what it has with h5ls -r",
		                rec->path, variable);
	WSI_TRY(wsi_h5_check(h->data, rec->path, variable, rec->opts.memory));
	if (!wsi_h5_is_numeric(h->data)
	    && !(rec->opts.masks && wsi_h5_is_complex(h->data, h->members)))
		return WSI_FAIL(WS_E_FORMAT, "%s: %s does not hold plain numbers (but a "
		                "compound, text or references); choose another with `variable`",
		                rec->path, variable);
	return WS_OK;
}

/* ---- Its shape --------------------------------------------------------------------- */

static ws_status
take_shape(wsi_recording *rec, h5_recording *h, bool ours)
{
	hsize_t dims[H5S_MAX_RANK];
	h->rank = wsi_h5_shape(h->data, dims);
	rec->complex = rec->opts.masks && wsi_h5_is_complex(h->data, h->members);
	if (h->rank < 1 || h->rank > 3)
		return WSI_FAIL(WS_E_FORMAT, "%s: the array has %d dimensions; a recording "
		                "has [time], [channel][time] or [epoch][channel][time]", rec->path,
		                h->rank);
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, rec->source, rec->opts.opened));
	wsi_file_close(&f);
	if (!wsi_h5_is_plausible(h->data, f.bytes))
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated or damaged: the array is empty or "
		                "claims more values than the file can hold", rec->path);
	h->time_axis = h->rank - 1;
	h->channel_axis = h->rank - 2;
	h->epoch_axis = h->rank - 3;
	const hid_t series = wsi_h5_series_of(h->data);
	wsi_h5_close(series);
	if (h->rank == 2 && !ours && !rec->opts.masks && (series >= 0 || dims[0] > dims[1])) {
		h->time_axis = 0;
		h->channel_axis = 1;
	}
	rec->epochs = h->epoch_axis >= 0 ? (size_t)dims[h->epoch_axis] : 0;
	const size_t rows = h->channel_axis >= 0 ? (size_t)dims[h->channel_axis] : 1;
	WSI_TRY(wsi_recording_set_channels(rec, rows * (rec->complex ? 2 : 1),
	                                   (size_t)dims[h->time_axis]));
	return h->time_axis == 0 && h->rank == 2 ? wsi_recording_note_transposed(rec) : WS_OK;
}

/* ---- What attributes tell ------------------------------------------------------------ */

/* A text for every channel, or one for all; what is there and is neither is told. */
static ws_status
take_texts(wsi_recording *rec, hid_t object, const char *name, bool one_for_all,
           ws_status (*set)(wsi_channel *, const char *))
{
	const size_t n = rec->n_channels;
	wsi_h5_attribute a;
	bool there;
	WSI_TRY(wsi_h5_look(object, rec->path, name, &a));
	if (!a.there || (a.texts && a.n == 0))
		return WS_OK;
	if (!a.texts || (a.n != n && !(one_for_all && a.n == 1)))
		return wsi_recording_add_note(rec, "%s: its attribute %s is not a text for each of "
		                              "%zu channels, and is left out", rec->path, name, n);
	char **texts;
	WSI_NEW(texts, a.n, "%s: out of memory", rec->path);
	ws_status status = wsi_h5_get_texts(object, rec->path, name, texts, a.n, &there);
	for (size_t i = 0; i < n && status == WS_OK; ++i)
		status = set(&rec->channels[i], texts[a.n == n ? i : 0]);
	for (size_t i = 0; i < a.n; ++i)
		free(texts[i]);
	free(texts);
	return status;
}

static ws_status
take_names(wsi_recording *rec, h5_recording *h)
{
	static const struct {
		const char *attribute;
		bool one_for_all;
		ws_status (*set)(wsi_channel *, const char *);
	} texts[] = {
		{ "channel_names", false, wsi_channel_set_name },
		{ "ch_names", false, wsi_channel_set_name },
		{ "unit", true, wsi_channel_set_unit },
		{ "units", true, wsi_channel_set_unit },
	};
	const hid_t objects[] = { h->file, h->data };
	for (int i = 0; i < 2; ++i)
		for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
			WSI_TRY(take_texts(rec, objects[i], texts[k].attribute,
			                   texts[k].one_for_all, texts[k].set));
	return take_texts(rec, h->data, "Yunits", true, wsi_channel_set_unit);
}

/* What only our own files tell. */
static ws_status
take_times(wsi_recording *rec, h5_recording *h)
{
	const char *path = rec->path;
	double first = 0;
	bool there;
	rec->format = "HDF5 (wavesift result)";
	WSI_TRY(wsi_h5_get_moment(h->file, path, "start_time", rec->start_time));
	WSI_TRY(wsi_h5_get_real(h->file, path, "first_time", &first, &there));
	WSI_TRY(wsi_h5_get_real(h->file, path, "time_origin", &rec->time_origin, &there));
	WSI_TRY(wsi_h5_get_real(h->file, path, "time_unit", &rec->time_unit, &there));
	rec->time_origin += first;
	WSI_TRY(wsi_h5_has(h->file, path, "provenance", &there));
	if (there) {
		const hid_t facts = H5Gopen2(h->file, "provenance", H5P_DEFAULT);
		rec->dated = facts >= 0 && H5Aexists(facts, "dated") > 0;
		wsi_h5_close(facts);
	}
	return wsi_h5_take_events(rec, h->file, first);
}

/* ---- The reader ------------------------------------------------------------------------- */

static ws_status
open_file(wsi_recording *rec)
{
	h5_recording *h = rec->state;
	bool ours;
	h->file = H5Fopen(rec->source, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (h->file < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: HDF5 cannot open it",
		                rec->path);
	if (rec->opts.masks && !rec->opts.variable && wsi_h5_has_masks(h->file))
		return wsi_h5_masks_open(&h->masks, rec, h->file);
	WSI_TRY(open_array(rec, h, &ours));
	WSI_TRY(take_shape(rec, h, ours));
	WSI_TRY(wsi_h5_take_rate(rec, h->file, h->data, h->time_axis, ours));
	WSI_TRY(take_names(rec, h));
	if (!ours)
		return rec->opts.masks ? WS_OK
		       : wsi_h5_take_packing(rec, h->file, h->data, &h->packing);
	WSI_TRY(wsi_h5_text_sums_check(h->file, rec->path));
	WSI_TRY(wsi_h5_sums_open(&h->sums, h->file, h->data, rec->path, "signal"));
	return take_times(rec, h);
}

static ws_status
h5_open(wsi_recording *rec)
{
	h5_recording *h = rec->state;
	ws_status status;
	h->file = h->data = -1;
	H5E_BEGIN_TRY {
		status = open_file(rec);
	} H5E_END_TRY
	return status;
}

static ws_status
h5_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	h5_recording *h = rec->state;
	hsize_t start[3] = { 0 };
	if (!h->masks && h->epoch_axis >= 0)
		start[h->epoch_axis] = epoch;
	if (!h->masks && h->channel_axis >= 0)
		start[h->channel_axis] = rec->complex ? channel / 2 : channel;
	herr_t code;
	ws_status status;
	start[h->time_axis] = first;
	H5E_BEGIN_TRY {
		status = wsi_h5_sums_check_line(&h->sums, start, count);
	} H5E_END_TRY
	WSI_TRY(status);
	H5E_BEGIN_TRY {
		code = h->masks ? wsi_h5_masks_read(h->masks, channel, first, count, out)
		       : rec->complex
		       ? wsi_h5_read_part(h->data, h->rank, start, h->time_axis, count,
		                          h->members[channel % 2], out)
		       : wsi_h5_read_line(h->data, h->rank, start, h->time_axis, count, out);
	} H5E_END_TRY
	if (code < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: channel %zu (%s) cannot be "
		                "read", rec->path, channel + 1, rec->channels[channel].name);
	wsi_h5_unpack(&h->packing, channel, out, count);
	return WS_OK;
}

static void
h5_close(wsi_recording *rec)
{
	h5_recording *h = rec->state;
	H5E_BEGIN_TRY {
		wsi_h5_close(h->data);
		wsi_h5_sums_close(&h->sums);
		wsi_h5_masks_close(h->masks);
		wsi_h5_close(h->file);
	} H5E_END_TRY
	free(h->packing.gains);
}

const wsi_reader wsi_reader_hdf5 = {
	.name = "HDF5", .state_bytes = sizeof(h5_recording), .probe = h5_probe, .open = h5_open,
	.read = h5_read, .close = h5_close, .foreign = true, .decoder = WSI_WIRE_RECORDING_HDF5,
};
