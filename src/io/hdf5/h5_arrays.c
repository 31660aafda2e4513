/*
 * h5_arrays.c - the arrays of an HDF5 result, as docs/result-format.md describes them: all that lie
 * in the folder of its transform (arrays.h), or modes and what goes with them (modes.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#include "base/element.h"
#include "base/line.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_events.h"
#include "io/hdf5/h5_sums.h"
#include "io/decode/wire.h"
#include "io/hdf5/h5_check.h"
#include "io/result/modes.h"
#include "io/result/result.h"

typedef struct h5_arrays {
	hid_t file, group, provenance;
	hid_t *data;             /* [WSI_MOST_STORED] of each array, as it is open */
	char (*members)[2][16];  /* likewise: of complex numbers */
	wsi_h5_sums *sums;       /* likewise */
	uint64_t bytes;          /* of the file */
	const char *folder;      /* of modes: that they lie in, "" or "hht/", for messages */
	wsi_recording *rec;
	ws_status status;        /* of the calls that HDF5 makes */
} h5_arrays;

static ws_status
other(const wsi_recording *rec)
{
	return WSI_FAIL(WS_E_UNSUPPORTED, "%s: is no result with a folder of arrays", rec->path);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* What the numbers of a dataset are read as; false: they are none, but texts or others. */
static bool
take_type(hid_t data, H5T_class_t class, size_t size, char members[2][16], ws_type *type)
{
	if (wsi_h5_is_complex(data, members))
		*type = size <= 8 ? WS_C64 : WS_C128;
	else
		*type = class == H5T_INTEGER ? WS_I32 : size <= 4 ? WS_F32 : WS_F64;
	return class == H5T_INTEGER || class == H5T_FLOAT || wsi_type_complex(*type);
}

static ws_status
take_array(h5_arrays *h, const char *name, hid_t data)
{
	wsi_arrays *to = h->rec->arrays;
	wsi_stored_array a = { 0 };
	hsize_t dims[H5S_MAX_RANK];
	const char *path = h->rec->path;
	size_t size;
	WSI_TRY(wsi_h5_check(data, path, name, h->rec->opts.memory));
	a.rank = wsi_h5_shape(data, dims);
	const H5T_class_t class = wsi_h5_class(data, &size);
	if (a.rank < 0 || class == H5T_NO_CLASS)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: shape or type of %s cannot be read",
		                path, name);
	if (a.rank < 1 || a.rank > WSI_STORED_AXES
	    || !take_type(data, class, size, h->members[to->n], &a.type))
		return WS_OK;
	bool empty = false;
	for (int i = 0; i < a.rank; ++i) {
		a.extent[i] = (size_t)dims[i];
		empty |= dims[i] == 0;
	}
	if (!empty && !wsi_h5_is_plausible(data, h->bytes))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s claims more values than the file can "
		                "hold", path, name);
	WSI_TRY(wsi_arrays_add(h->rec, a, name));
	h->data[to->n - 1] = data;
	return wsi_h5_sums_open(&h->sums[to->n - 1], h->file, data, path,
	                        to->items[to->n - 1].name);
}

/* A H5L_iterate_t. */
static herr_t
take_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
	h5_arrays *h = user;
	H5O_info_t object;
	if (info->type != H5L_TYPE_HARD) {
		h->status = wsi_h5_check_link(group, h->rec->path, name);
		return h->status != WS_OK;
	}
	if (strcmp(name, WSI_SUMS) == 0)
		return 0;
	const hid_t data = H5Oopen(group, name, H5P_DEFAULT);
	const size_t before = h->rec->arrays->n;
	if (data < 0 || H5Oget_info2(data, &object, H5O_INFO_BASIC) < 0)
		h->status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: an array of its folder cannot be "
		                     "opened", h->rec->path);
	else if (object.type == H5O_TYPE_DATASET)
		h->status = take_array(h, name, data);
	if (data >= 0 && h->rec->arrays->n == before)
		H5Oclose(data);
	return h->status != WS_OK;
}

static ws_status
make_room(h5_arrays *h)
{
	WSI_TRY(wsi_arrays_make(h->rec, WSI_MOST_STORED, WSI_MOST_STORED));
	h->data = malloc((WSI_MOST_STORED + 1) * sizeof *h->data);
	h->members = calloc(WSI_MOST_STORED + 1, sizeof *h->members);
	h->sums = calloc(WSI_MOST_STORED + 1, sizeof *h->sums);
	WSI_HAVE(h->data && h->members && h->sums, "%s: no memory for its arrays", h->rec->path);
	return WS_OK;
}

static ws_status
take_arrays(h5_arrays *h)
{
	if (H5Literate(h->group, H5_INDEX_NAME, H5_ITER_INC, NULL, take_link, h) < 0
	    && h->status == WS_OK)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: its arrays cannot be "
		                "listed", h->rec->path);
	return h->status;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

/* A H5A_operator2_t. */
static herr_t
take_fact(hid_t group, const char *name, const H5A_info_t *info, void *user)
{
	h5_arrays *h = user;
	wsi_arrays *to = h->rec->arrays;
	char digits[32] = "", *text = NULL;
	wsi_line line = wsi_line_in(digits, sizeof digits);
	double number;
	wsi_h5_attribute a;
	bool there = false;
	(void)info;
	h->status = wsi_h5_look(group, h->rec->path, name, &a);
	if (h->status == WS_OK && a.numbers && a.n == 1)
		h->status = wsi_h5_get_real(group, h->rec->path, name, &number, &there);
	else if (h->status == WS_OK && a.texts && a.n == 1)
		h->status = wsi_h5_get_text(group, h->rec->path, name, &text, &there);
	else if (h->status == WS_OK)
		h->status = wsi_recording_add_note(h->rec, "%s: its attribute %s is neither one "
		                                   "number nor one text, and is left out",
		                                   h->rec->path, name);
	if (h->status != WS_OK || !there)
		return h->status != WS_OK;
	if (!text)
		wsi_line_put_real(&line, number);
	if (to->n_facts == WSI_MOST_STORED) {
		free(text);
		h->status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: its provenance has more than %d "
		                     "facts", h->rec->path, WSI_MOST_STORED);
		return 1;
	}
	const char *told = text ? text : digits;
	char **fact = to->facts + 2 * to->n_facts;
	fact[0] = wsi_clean_name(name);
	fact[1] = wsi_clean_text(told, strlen(told));
	free(text);
	to->n_facts++;
	if (fact[0] && fact[1])
		return 0;
	h->status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for its provenance", h->rec->path);
	return 1;
}

static ws_status
take_facts(h5_arrays *h)
{
	if (H5Aiterate2(h->provenance, H5_INDEX_NAME, H5_ITER_INC, NULL, take_fact, h) < 0
	    && h->status == WS_OK)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its provenance cannot be listed",
		                h->rec->path);
	return h->status;
}

/* *there: it is, and open. */
static ws_status
open_provenance(h5_arrays *h, bool *there)
{
	WSI_TRY(wsi_h5_has(h->file, h->rec->path, "provenance", there));
	if (*there)
		h->provenance = H5Gopen2(h->file, "provenance", H5P_DEFAULT);
	return !*there || h->provenance >= 0 ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: damaged: /provenance cannot be opened",
	                  h->rec->path);
}

/* Is it one of our results, whose transform has a folder?  Opens that: h->group is -1 where it is
 * none. */
static ws_status
find_folder(h5_arrays *h)
{
	char *text = NULL;
	bool there, ours;
	const char *path = h->rec->path;
	WSI_TRY(wsi_h5_is_result(h->file, path, &ours));
	if (!ours)
		return WS_OK;
	WSI_TRY(open_provenance(h, &there));
	if (!there)
		return WS_OK;
	ws_status status = wsi_h5_get_text(h->provenance, path, "transform", &text, &there);
	there = there && *text && !strpbrk(text, "/.");
	if (status == WS_OK && there)
		status = wsi_h5_has(h->file, path, text, &there);
	if (status == WS_OK && there) {
		h->group = H5Oopen(h->file, text, H5P_DEFAULT);
		if (h->group < 0)
			status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: /%s cannot be opened", path,
			                  text);
		/* An array may have the name of its transform. */
		if (h->group >= 0 && H5Iget_type(h->group) != H5I_GROUP) {
			H5Oclose(h->group);
			h->group = -1;
		}
	}
	free(text);
	if (status == WS_OK && h->group < 0 && h->rec->opts.any_arrays)
		h->group = H5Gopen2(h->file, "/", H5P_DEFAULT);
	return status;
}

/* ---- Signals --------------------------------------------------------------------------------- */

static ws_status
take_texts(h5_arrays *h, const char *name, char **texts, bool *there,
           ws_status (*set)(wsi_channel *channel, const char *text))
{
	wsi_recording *rec = h->rec;
	ws_status status = wsi_h5_get_texts(h->file, rec->path, name, texts, rec->n_channels,
	                                    there);
	if (status != WS_OK || !*there)
		return status;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		if (status == WS_OK)
			status = set(&rec->channels[i], texts[i]);
		free(texts[i]);
	}
	return status;
}

/* Names and units of the channels, whose number is known. */
static ws_status
take_names(h5_arrays *h)
{
	wsi_recording *rec = h->rec;
	bool there;
	char **texts;
	WSI_NEW(texts, rec->n_channels, "%s: no memory for %zu channels", rec->path,
	        rec->n_channels);
	ws_status status = take_texts(h, "channel_names", texts, &rec->arrays->named,
	                              wsi_channel_set_name);
	if (status == WS_OK)
		status = take_texts(h, "unit", texts, &there, wsi_channel_set_unit);
	free(texts);
	return status;
}

static ws_status
take_channels(h5_arrays *h)
{
	wsi_recording *rec = h->rec;
	hsize_t dims[H5S_MAX_RANK];
	WSI_TRY(wsi_h5_check_link(h->group, rec->path, "channel"));
	const hid_t names = H5Dopen2(h->group, "channel", H5P_DEFAULT);
	const bool good = names >= 0 && wsi_h5_shape(names, dims) == 1
	                  && wsi_h5_is_plausible(names, h->bytes);
	wsi_h5_close(names);
	if (!good)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: it does not tell its channels",
		                rec->path);
	WSI_TRY(wsi_recording_set_channels(rec, (size_t)dims[0], 0));
	return take_names(h);
}

/* How many samples the n moments of an axis stand for, fs a second. */
static ws_status
samples_of_axis(wsi_recording *rec, const wsi_stored_array *axis, double fs, double *samples)
{
	const size_t n = wsi_stored_length(axis);
	double first, last;
	*samples = (double)n;
	if (n < 2)
		return WS_OK;
	WSI_TRY(wsi_arrays_read(rec, axis, 0, 0, 0, 1, &first));
	WSI_TRY(wsi_arrays_read(rec, axis, 0, 0, n - 1, 1, &last));
	const double every = floor((last - first) * fs / (double)(n - 1) + 0.5);
	*samples = every >= 1 ? every * (double)n : (double)n;
	return WS_OK;
}

/* Those that the file tells; else what the finest of its axes of time stands for. */
static ws_status
take_samples(h5_arrays *h, double fs, double *samples)
{
	wsi_recording *rec = h->rec;
	double all;
	bool there;
	*samples = 0;
	WSI_TRY(wsi_h5_get_real(h->file, rec->path, "samples", samples, &there));
	if (there)
		return WS_OK;
	for (size_t i = 0; i < rec->arrays->n; ++i) {
		const wsi_stored_array *a = &rec->arrays->items[i];
		if (!wsi_arrays_is_time(rec, a) || a->extent[0] == 0)
			continue;
		WSI_TRY(samples_of_axis(rec, a, fs, &all));
		*samples = *samples == 0 || all < *samples ? all : *samples;
	}
	return WS_OK;
}

static ws_status
take_times(h5_arrays *h, double *fs)
{
	wsi_recording *rec = h->rec;
	wsi_arrays *told = rec->arrays;
	const char *path = rec->path;
	double known = 1;
	bool there;
	*fs = 1;
	WSI_TRY(wsi_h5_get_real(h->file, path, "fs", fs, &rec->fs_known));
	WSI_TRY(wsi_h5_get_real(h->file, path, "fs_known", &known, &there));
	rec->fs_known = rec->fs_known && known != 0;
	WSI_TRY(wsi_h5_get_moment(h->file, path, "start_time", rec->start_time));
	WSI_TRY(wsi_h5_get_real(h->file, path, "first_time", &told->first_time, &told->timed));
	WSI_TRY(wsi_h5_get_real(h->file, path, "time_origin", &told->time_origin, &there));
	WSI_TRY(wsi_h5_get_real(h->file, path, "time_unit", &rec->time_unit, &there));
	rec->time_origin = told->time_origin + told->first_time;
	return WS_OK;
}

/* The signals that arrays of any transform are of. */
static ws_status
take_signals(h5_arrays *h)
{
	wsi_recording *rec = h->rec;
	double fs, samples;
	WSI_TRY(take_channels(h));
	WSI_TRY(take_times(h, &fs));
	WSI_TRY(take_samples(h, fs, &samples));
	if (!(samples >= 1 && samples <= (double)WSI_MOST_SAMPLES))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its signals have %g samples", rec->path,
		                samples);
	for (size_t i = 0; i < rec->n_channels; ++i) {
		rec->channels[i].fs = fs;
		rec->channels[i].samples = (size_t)samples;
	}
	const wsi_stored_array *epochs = wsi_arrays_find(rec, "epoch");
	rec->epochs = epochs && epochs->rank == 1 ? epochs->extent[0] : 0;
	return wsi_h5_take_events(rec, h->file, rec->arrays->first_time);
}

/* ---- Modes ----------------------------------------------------------------------------------- */

/* Results of hht have their arrays, modes too, in a group: h->group is the one that has modes. */
static ws_status
find_modes(h5_arrays *h)
{
	static const char *const folders[] = { "", "hht/" };
	bool there = false;
	char name[16];
	for (int i = 0; i < 2 && !there; ++i) {
		h->folder = folders[i];
		snprintf(name, sizeof name, "%smodes", h->folder);
		WSI_TRY(wsi_h5_check_link(h->file, h->rec->path, name));
		WSI_TRY(wsi_h5_has(h->file, h->rec->path, name, &there));
	}
	h->group = H5Gopen2(h->file, there && *h->folder ? h->folder : "/", H5P_DEFAULT);
	return h->group >= 0 ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: damaged: /%s cannot be opened", h->rec->path,
	                  h->folder);
}

/* The array of a name, if there is one: it must be real numbers, of 1 to 4 axes. */
static ws_status
take_array_of_modes(h5_arrays *h, const char *name)
{
	const wsi_arrays *all = h->rec->arrays;
	const char *path = h->rec->path;
	bool there;
	WSI_TRY(wsi_h5_check_link(h->group, path, name));
	WSI_TRY(wsi_h5_has(h->group, path, name, &there));
	const hid_t data = there ? H5Dopen2(h->group, name, H5P_DEFAULT) : -1;
	if (data < 0)
		return !there ? WS_OK
		       : WSI_FAIL(WS_E_FORMAT, "%s: damaged: /%s%s is there but is no array that "
		                  "can be opened", path, h->folder, name);
	const size_t before = all->n;
	ws_status status = take_array(h, name, data);
	if (all->n == before)
		H5Dclose(data);
	if (status == WS_OK && (all->n == before || wsi_type_complex(all->items[before].type)))
		status = WSI_FAIL(WS_E_FORMAT, "%s: /%s%s is not an array of numbers "
		                  "[channel][mode][time]", path, h->folder, name);
	return status;
}

/* No channel may have had a mode: then there is an empty array, and the rows of others are as many
 * as it says. */
static ws_status
check_modes(const h5_arrays *h)
{
	const wsi_stored_array *modes = wsi_arrays_find(h->rec, "modes");
	size_t rest = 1;
	bool held = true;
	if (!modes || !wsi_arrays_find(h->rec, "residue"))
		return WSI_FAIL(WS_E_FORMAT, "%s: not a result of modes: it has no /%s",
		                h->rec->path, modes ? "residue" : "modes");
	if (modes->rank < 2 || modes->rank > 4)
		return WSI_FAIL(WS_E_FORMAT, "%s: /modes is not an array of numbers "
		                "[channel][mode][time]", h->rec->path);
	for (int i = 0; i < modes->rank; ++i)
		held = held && (i == modes->rank - 2
		                || wsi_mul_size(rest, modes->extent[i], &rest));
	return held && wsi_h5_can_hold(rest, 1, h->bytes) ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: damaged: /modes claims more values than the file can "
	                  "hold", h->rec->path);
}

static ws_status
take_modes(h5_arrays *h)
{
	/* From alignment on they may be anything in files of others. */
	static const char *const names[] = { "modes", "residue", "signal", "mode_count", "epoch",
		                             "alignment", "variance_share", "frequency",
		                             "mean_frequency", "band_low", "band_high",
		                             "half_waves", "end_share",
		                             "modes" WSI_INTERVAL, "residue" WSI_INTERVAL,
		                             "signal" WSI_INTERVAL };
	const size_t all = sizeof names / sizeof *names;
	double fs;
	bool there, ours;
	WSI_TRY(wsi_h5_is_result(h->file, h->rec->path, &ours));
	for (size_t i = 0; i < (ours ? all : 5); ++i)
		WSI_TRY(take_array_of_modes(h, names[i]));
	WSI_TRY(check_modes(h));
	WSI_TRY(wsi_modes_take_shape(h->rec));
	WSI_TRY(wsi_h5_text_sums_check(h->file, h->rec->path));
	WSI_TRY(open_provenance(h, &there));
	if (there)
		WSI_TRY(take_facts(h));
	WSI_TRY(take_names(h));
	WSI_TRY(take_times(h, &fs));
	WSI_TRY(wsi_modes_take_times(h->rec, fs));
	return !ours || !h->rec->opts.with_events ? WS_OK
	       : wsi_h5_take_events(h->rec, h->file, h->rec->arrays->first_time);
}

/* ---- The reader ------------------------------------------------------------------------------ */

static ws_status
open_file(h5_arrays *h)
{
	wsi_recording *rec = h->rec;
	const bool modes = rec->reader == &wsi_reader_modes_hdf5;
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, rec->source, rec->opts.opened));
	h->bytes = f.bytes;
	wsi_file_close(&f);
	h->file = H5Fopen(rec->source, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (h->file < 0)
		return modes ? WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: HDF5 cannot open "
		                        "it", rec->path) : other(rec);
	WSI_TRY(modes ? find_modes(h) : find_folder(h));
	if (h->group < 0)
		return other(rec);
	WSI_TRY(make_room(h));
	if (modes)
		return take_modes(h);
	WSI_TRY(wsi_h5_text_sums_check(h->file, rec->path));
	WSI_TRY(take_arrays(h));
	WSI_TRY(take_facts(h));
	return take_signals(h);
}

static ws_status
h5_open(wsi_recording *rec)
{
	ws_status status = WS_OK;
	h5_arrays *h = rec->state;
	*h = (h5_arrays){ .file = -1, .group = -1, .provenance = -1, .rec = rec };
	H5E_BEGIN_TRY {
		status = open_file(h);
	} H5E_END_TRY
	return status;
}

/* epoch: twice the array's number, and one more for imaginary parts; channel: the line. */
static ws_status
h5_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	h5_arrays *h = rec->state;
	const size_t number = epoch / 2;
	size_t at[WSI_STORED_AXES];
	hsize_t start[WSI_STORED_AXES];
	herr_t code = -1;
	if (number >= rec->arrays->n)
		return WSI_FAIL(WS_E_INTERNAL, "%s: has no array of this number", rec->path);
	const wsi_stored_array *a = &rec->arrays->items[number];
	wsi_stored_place(a, channel, first, at);
	for (int i = 0; i < a->rank; ++i)
		start[i] = at[i];
	ws_status status;
	H5E_BEGIN_TRY {
		status = wsi_h5_sums_check_line(&h->sums[number], start, count);
	} H5E_END_TRY
	WSI_TRY(status);
	H5E_BEGIN_TRY {
		code = wsi_type_complex(a->type)
		       ? wsi_h5_read_part(h->data[number], a->rank, start, a->rank - 1, count,
		                          h->members[number][epoch % 2], out)
		       : wsi_h5_read_line(h->data[number], a->rank, start, a->rank - 1, count, out);
	} H5E_END_TRY
	return code >= 0 ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: %s cannot be read", rec->path,
	                  a->name);
}

static void
h5_close(wsi_recording *rec)
{
	h5_arrays *h = rec->state;
	H5E_BEGIN_TRY {
		for (size_t i = 0; h->data && rec->arrays && i < rec->arrays->n; ++i)
			H5Dclose(h->data[i]);
		wsi_h5_close(h->provenance, h->group, h->file);
	} H5E_END_TRY
	for (size_t i = 0; h->sums && rec->arrays && i < rec->arrays->n; ++i)
		wsi_h5_sums_close(&h->sums[i]);
	free(h->data);
	free(h->members);
	free(h->sums);
}

const wsi_reader wsi_reader_arrays = {
	.name = "HDF5 (wavesift result)", .state_bytes = sizeof(h5_arrays), .open = h5_open,
	.read = h5_read, .close = h5_close, .foreign = true, .decoder = WSI_WIRE_RECORDING_ARRAYS,
};

const wsi_reader wsi_reader_modes_hdf5 = {
	.name = "HDF5 (wavesift result)", .state_bytes = sizeof(h5_arrays), .open = h5_open,
	.read = h5_read, .close = h5_close, .foreign = true,
	.decoder = WSI_WIRE_RECORDING_MODES_HDF5,
};
