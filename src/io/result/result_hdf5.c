/* result_hdf5.c - results of HDF5 as docs/result-format.md describes them. */
#include "io/result/result_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_sums.h"
#include "io/read/readers.h"

enum { MODES, RESIDUE, SIGNAL, COUNTS, EPOCHS, N_NAMES };
#define N_ARRAYS COUNTS
/* Results of hht have their arrays, modes too, in a group. */
static const char *const roots[2][N_NAMES] = {
	{ "modes", "residue", "signal", "mode_count", "epoch" },
	{ "hht/modes", "hht/residue", "hht/signal", "hht/mode_count", "hht/epoch" },
};

typedef struct h5_result {
	char *path;
	hid_t file, arrays[N_ARRAYS];
	wsi_h5_sums sums[N_ARRAYS];
	const char *const *names;  /* of roots */
	int rank;  /* of the modes */
} h5_result;

/* *array -1 where there is none; what is there must open. */
static ws_status
open_array(const h5_result *h, const char *name, hid_t *array)
{
	bool there;
	*array = -1;
	WSI_TRY(wsi_h5_has(h->file, h->path, name, &there));
	if (there)
		*array = H5Dopen2(h->file, name, H5P_DEFAULT);
	if (there && *array < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /%s is there but is no array that can "
		                "be opened", h->path, name);
	return WS_OK;
}

/* Which of roots the file has modes in. */
static ws_status
find_root(h5_result *h)
{
	h->names = roots[0];
	WSI_TRY(wsi_h5_check_link(h->file, h->path, "modes"));
	bool there;
	WSI_TRY(wsi_h5_has(h->file, h->path, "modes", &there));
	if (there)
		return WS_OK;
	WSI_TRY(wsi_h5_check_link(h->file, h->path, roots[1][MODES]));
	WSI_TRY(wsi_h5_has(h->file, h->path, roots[1][MODES], &there));
	if (there)
		h->names = roots[1];
	return WS_OK;
}

static ws_status
open_modes(wsi_result *r, h5_result *h, uint64_t bytes)
{
	hsize_t dims[H5S_MAX_RANK];
	size_t sizes[4];
	hid_t modes = h->arrays[MODES];
	h->rank = wsi_h5_shape(modes, dims);
	if (h->rank < 2 || h->rank > 4 || !wsi_h5_is_numeric(modes))
		return WSI_FAIL(WS_E_FORMAT, "%s: /modes is not an array of numbers "
		                "[channel][mode][time]", h->path);
	for (int i = 0; i < h->rank; ++i)
		sizes[i] = (size_t)dims[i];
	/* No channel may have had a mode: then there is an empty array, and rows of other arrays
	 * are as many as it says. */
	size_t rest = 1;
	bool held = true;
	for (int i = 0; i < h->rank; ++i)
		held = held && (i == h->rank - 2 || wsi_mul_size(rest, sizes[i], &rest));
	if (!held || !(sizes[h->rank - 2] == 0 ? wsi_h5_can_hold(rest, 1, bytes)
	                                       : wsi_h5_is_plausible(modes, bytes)))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /modes claims more values than the "
		                "file can hold", h->path);
	return wsi_result_set_shape(r, h->path, h->rank, sizes);
}

/* Residue and signal have the shape of the modes without the mode axis. */
static ws_status
check_rows(const wsi_result *r, const h5_result *h, int array, uint64_t bytes)
{
	hsize_t dims[H5S_MAX_RANK];
	int rank = wsi_h5_shape(h->arrays[array], dims), i = 0;
	bool good = rank == h->rank - 1 && wsi_h5_is_numeric(h->arrays[array])
	            && wsi_h5_is_plausible(h->arrays[array], bytes);
	if (good && h->rank == 4)
		good = dims[i++] == r->epochs;
	if (good && h->rank >= 3)
		good = dims[i++] == r->channels;
	if (!good || dims[i] != r->samples)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the shape of /%s does not match /modes",
		                h->path, h->names[array]);
	return WS_OK;
}

/* Of what is read as a whole. */
static ws_status
verify_whole(const h5_result *h, hid_t dataset, const char *name)
{
	wsi_h5_sums sums;
	WSI_TRY(wsi_h5_sums_open(&sums, h->file, dataset, h->path, name));
	const ws_status status = wsi_h5_sums_check_all(&sums);
	wsi_h5_sums_close(&sums);
	return status;
}

static ws_status
read_counts(wsi_result *r, const h5_result *h)
{
	hid_t counts;
	WSI_TRY(open_array(h, h->names[COUNTS], &counts));
	if (counts < 0)
		return WS_OK;
	ws_status status = wsi_h5_check(counts, h->path, h->names[COUNTS], 0);
	if (status == WS_OK)
		status = verify_whole(h, counts, h->names[COUNTS]);
	if (status != WS_OK) {
		H5Dclose(counts);
		return status;
	}
	hsize_t dims[H5S_MAX_RANK];
	int rank = wsi_h5_shape(counts, dims), i = 0;
	bool good = rank == (r->epochs ? 2 : 1);
	if (good && r->epochs)
		good = dims[i++] == r->epochs;
	good = good && dims[i] == r->channels
	       && H5Dread(counts, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT,
	       r->mode_count) >= 0;
	H5Dclose(counts);
	return good ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: damaged: /mode_count does not "
	                               "match /modes", h->path);
}

static ws_status
take_epochs(wsi_result *r, const h5_result *h, hid_t epochs)
{
	hsize_t dims[H5S_MAX_RANK];
	WSI_TRY(wsi_h5_check(epochs, h->path, h->names[EPOCHS], 0));
	WSI_TRY(verify_whole(h, epochs, h->names[EPOCHS]));
	const bool good = wsi_h5_shape(epochs, dims) == 1 && dims[0] == r->epochs
	                  && wsi_h5_is_numeric(epochs);
	int32_t *numbers = good ? calloc(r->epochs, sizeof *numbers) : NULL;
	if (good && !numbers)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu epochs", h->path, r->epochs);
	if (!good || H5Dread(epochs, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT,
	                     numbers) < 0) {
		free(numbers);
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /%s does not number the epochs of "
		                "/modes", h->path, h->names[EPOCHS]);
	}
	/* Numbers that no epoch has are left out: a result is whole without them. */
	wsi_result_take_epochs(r, numbers);
	return WS_OK;
}

static ws_status
read_epochs(wsi_result *r, const h5_result *h)
{
	hid_t epochs = -1;
	if (r->epochs)
		WSI_TRY(open_array(h, h->names[EPOCHS], &epochs));
	if (epochs < 0)
		return WS_OK;
	const ws_status status = take_epochs(r, h, epochs);
	H5Dclose(epochs);
	return status;
}

static void
replace_texts(char **to, char **from, size_t n)
{
	for (size_t i = 0; i < n; ++i) {
		free(to[i]);
		to[i] = from[i];
	}
}

static ws_status
read_words(wsi_result *r, const h5_result *h)
{
	bool there;
	WSI_TRY(wsi_h5_has(h->file, h->path, "provenance", &there));
	const hid_t facts = there ? H5Gopen2(h->file, "provenance", H5P_DEFAULT) : -1;
	if (there && facts < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /provenance cannot be opened", h->path);
	if (!there)
		return WS_OK;
	ws_status status = wsi_h5_get_text(facts, h->path, "title", &r->title, &there);
	if (status == WS_OK)
		status = wsi_h5_get_text(facts, h->path, "options", &r->options, &there);
	H5Gclose(facts);
	return status;
}

/* to[channel], where the attribute has a text for each; *there: it has. */
static ws_status
read_texts(const wsi_result *r, const h5_result *h, const char *name, char **to, bool *there)
{
	char **texts = calloc(r->channels, sizeof *texts);
	if (!texts)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", h->path);
	const ws_status status = wsi_h5_get_texts(h->file, h->path, name, texts, r->channels,
	                                          there);
	if (status == WS_OK && *there)
		replace_texts(to, texts, r->channels);
	free(texts);
	return status;
}

static ws_status
read_attributes(wsi_result *r, const h5_result *h)
{
	const char *path = h->path;
	double known = 1;
	bool there;
	WSI_TRY(wsi_h5_get_real(h->file, path, "fs", &r->fs, &r->fs_known));
	WSI_TRY(wsi_h5_get_real(h->file, path, "fs_known", &known, &there));
	r->fs_known = r->fs_known && known != 0;
	WSI_TRY(wsi_h5_get_real(h->file, path, "first_time", &r->first_time, &r->timed));
	WSI_TRY(wsi_h5_get_real(h->file, path, "time_origin", &r->time_origin, &there));
	WSI_TRY(wsi_h5_get_real(h->file, path, "time_unit", &r->time_unit, &there));
	WSI_TRY(wsi_h5_get_moment(h->file, path, "start_time", r->start_time));
	WSI_TRY(read_words(r, h));
	WSI_TRY(read_texts(r, h, "channel_names", r->channel_names, &r->named));
	return read_texts(r, h, "unit", r->units, &there);
}

static ws_status
file_bytes(const char *path, uint64_t *bytes)
{
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, path, NULL));
	*bytes = f.bytes;
	wsi_file_close(&f);
	return WS_OK;
}

static ws_status
open_file(wsi_result *r, h5_result *h, const char *source, size_t memory)
{
	uint64_t bytes;
	WSI_TRY(file_bytes(source, &bytes));
	h->file = H5Fopen(source, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (h->file < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: HDF5 cannot open it",
		                h->path);
	WSI_TRY(find_root(h));
	for (int i = 0; i < N_ARRAYS; ++i) {
		WSI_TRY(wsi_h5_check_link(h->file, h->path, h->names[i]));
		WSI_TRY(open_array(h, h->names[i], &h->arrays[i]));
		if (h->arrays[i] >= 0)
			WSI_TRY(wsi_h5_check(h->arrays[i], h->path, h->names[i], memory));
	}
	if (h->arrays[MODES] < 0 || h->arrays[RESIDUE] < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: not a result of modes: it has no /%s", h->path,
		                h->arrays[MODES] < 0 ? "modes" : "residue");
	WSI_TRY(open_modes(r, h, bytes));
	WSI_TRY(check_rows(r, h, RESIDUE, bytes));
	r->has_signal = h->arrays[SIGNAL] >= 0;
	if (r->has_signal)
		WSI_TRY(check_rows(r, h, SIGNAL, bytes));
	WSI_TRY(wsi_h5_text_sums_check(h->file, h->path));
	for (int i = 0; i < N_ARRAYS; ++i)
		if (h->arrays[i] >= 0)
			WSI_TRY(wsi_h5_sums_open(&h->sums[i], h->file, h->arrays[i], h->path,
			                         h->names[i]));
	WSI_TRY(read_counts(r, h));
	WSI_TRY(read_epochs(r, h));
	return read_attributes(r, h);
}

static ws_status
h5_open(wsi_result *r, const char *path, const char *source, size_t memory, void **own)
{
	h5_result *h = calloc(1, sizeof *h);
	if (!h)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
	*own = h;
	h->file = -1;
	for (int i = 0; i < N_ARRAYS; ++i)
		h->arrays[i] = -1;
	h->path = wsi_strdup(path);
	if (!h->path)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
	ws_status status;
	H5E_BEGIN_TRY {
		status = open_file(r, h, source, memory);
	} H5E_END_TRY
	return status;
}

static ws_status
h5_read(void *own, size_t epoch, size_t channel, size_t row, size_t first, size_t count,
        double *out)
{
	h5_result *h = own;
	int array = row == WSI_ROW_SIGNAL ? SIGNAL : row == WSI_ROW_RESIDUE ? RESIDUE : MODES;
	hsize_t start[4];
	int rank = 0;
	if (h->rank == 4)
		start[rank++] = epoch;
	if (h->rank >= 3)
		start[rank++] = channel;
	if (array == MODES)
		start[rank++] = row;
	start[rank++] = first;
	herr_t code;
	ws_status status;
	H5E_BEGIN_TRY {
		status = wsi_h5_sums_check_line(&h->sums[array], start, count);
	} H5E_END_TRY
	WSI_TRY(status);
	H5E_BEGIN_TRY {
		code = wsi_h5_read_line(h->arrays[array], rank, start, rank - 1, count, out);
	} H5E_END_TRY
	if (code < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: channel %zu of /%s "
		                "cannot be read", h->path, channel + 1, h->names[array]);
	return WS_OK;
}

static void
h5_close(void *own)
{
	h5_result *h = own;
	if (!h)
		return;
	H5E_BEGIN_TRY {
		for (int i = 0; i < N_ARRAYS; ++i)
			if (h->arrays[i] >= 0)
				H5Dclose(h->arrays[i]);
		if (h->file >= 0)
			H5Fclose(h->file);
	} H5E_END_TRY
	for (int i = 0; i < N_ARRAYS; ++i)
		wsi_h5_sums_close(&h->sums[i]);
	free(h->path);
	free(h);
}

const wsi_result_format wsi_result_hdf5 = { h5_open, h5_read, h5_close };
