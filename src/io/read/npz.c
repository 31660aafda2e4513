/* npz.c - which array of a .npz is read, unpacked, and the rate or times beside it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zip.h>

#include "io/decode/decoder.h"
#include "io/read/npy.h"

static bool
is_named(const char *entry, const char *variable)
{
	const size_t n = strlen(variable);
	return strncmp(entry, variable, n) == 0 &&
	       (entry[n] == '\0' || strcmp(entry + n, ".npy") == 0);
}

/* That of the names which an entry has; NULL: none. */
static const char *
name_among(const char *const *names, const char *entry)
{
	while (*names && !is_named(entry, *names))
		++names;
	return *names;
}

/* Unpacks an entry.  Memory grows with the bytes that do come, whatever the
 * directory of the zip claims. */
static ws_status
unpack(const wsi_recording *rec, zip_file_t *entry, unsigned char **memory, uint64_t *bytes)
{
	const size_t most = wsi_reading_memory(&rec->opts);
	size_t room = 0;
	for (;;) {
		if (*bytes == room) {
			if (room >= most)
				return WSI_FAIL(WS_E_NOMEM, "%s: its array has more than the %zu "
				                "bytes that `memory` leaves to unpack it; give "
				                "more, or unzip it and name the .npy", rec->path,
				                most);
			room = room == 0 ? 65536 : room > most / 2 ? most : 2 * room;
			unsigned char *grown = room > *bytes ? realloc(*memory, room) : NULL;
			WSI_HAVE(grown, "%s: no memory to unpack more than %" PRIu64 " bytes",
			         rec->path, *bytes);
			*memory = grown;
		}
		const zip_int64_t got = zip_fread(entry, *memory + *bytes, room - *bytes);
		if (got < 0)
			return WSI_FAIL(WS_E_FORMAT, "%s: cannot be unpacked: %s", rec->path,
			                zip_file_strerror(entry));
		if (got == 0)
			return WS_OK;
		*bytes += (uint64_t)got;
	}
}

/* The numbers of an array, in whatever order, for the caller to free; NULL: it is none of them. */
static double *
numbers_in(unsigned char *bytes, uint64_t n, size_t *count)
{
	npy_state one;
	const uint64_t data = n < 12 || bytes[6] != 1 ? n
	                      : 10 + (bytes[8] | (uint64_t)bytes[9] << 8);
	if (data >= n)
		return NULL;
	bytes[data - 1] = '\0';
	const char *descr = npy_find_value((const char *)bytes + 10, "descr");
	if (!descr || !npy_parse_descr(&one, descr, false))
		return NULL;
	const size_t size = wsi_sample_bytes(one.type);
	*count = (size_t)(n - data) / size;
	double *values = (n - data) % size ? NULL : malloc(*count * sizeof *values);
	if (values)
		wsi_decode(bytes + data, size, *count, one.type, one.big_endian, values);
	return values;
}

/* Those of entry i; NULL: it holds none. */
static ws_status
read_numbers(wsi_recording *rec, zip_t *zip, zip_uint64_t i, double **values, size_t *count)
{
	unsigned char *bytes = NULL;
	uint64_t n = 0;
	zip_file_t *entry = zip_fopen_index(zip, i, 0);
	const ws_status status = entry ? unpack(rec, entry, &bytes, &n) : WS_OK;
	*values = status == WS_OK && bytes ? numbers_in(bytes, n, count) : NULL;
	free(bytes);
	if (entry)
		zip_fclose(entry);
	return status;
}

/* The rate beside the array, or the times of samples, if there are such. */
static ws_status
find_rate(wsi_recording *rec, zip_t *zip, zip_uint64_t array)
{
	npy_state *s = rec->state;
	const zip_int64_t n = rec->opts.fs != 0 || rec->opts.masks
	        ? 0 : zip_get_num_entries(zip, 0);
	for (zip_int64_t i = 0; i < n && s->fs == 0; ++i) {
		const char *entry = zip_get_name(zip, (zip_uint64_t)i, 0);
		const bool other = entry && (zip_uint64_t)i != array;
		const char *name = other ? name_among(wsi_rate_names, entry) : NULL;
		const char *times = other ? name_among(wsi_time_names, entry) : NULL;
		double *values;
		size_t count = 0;
		if (!name && (!times || s->times))
			continue;
		WSI_TRY(read_numbers(rec, zip, (zip_uint64_t)i, &values, &count));
		if (times) {
			s->times = values;
			s->n_times = count;
			s->times_name = times;
			continue;
		}
		s->fs = values && count == 1 ? values[0] : 0;
		free(values);
		WSI_TRY(wsi_recording_rate_of(rec, name, &s->fs));
		if (!(s->fs > 0) || !isfinite(s->fs))
			return WSI_FAIL(WS_E_FORMAT, "%s: its %s is no sampling rate; give the "
			                "true one with `fs`", rec->path, name);
	}
	return WS_OK;
}

/* Does an entry hold texts or objects, such as names of channels, and no numbers? */
static bool
is_text(zip_t *zip, zip_uint64_t i)
{
	char bytes[513] = "";
	zip_file_t *entry = zip_fopen_index(zip, i, 0);
	const zip_int64_t n = entry ? zip_fread(entry, bytes, sizeof bytes - 1) : 0;
	if (entry)
		zip_fclose(entry);
	bytes[n > 0 ? n : 0] = '\0';
	const char *dict = bytes + (bytes[6] == 1 ? 10 : 12);
	const char *descr = n > 12 ? npy_find_value(dict, "descr") : NULL;
	return descr && descr[0] && descr[1] && strchr("USO", descr[2]) && descr[2];
}

/* The entry that the user named, or the only one of numbers. */
static ws_status
find_entry(const wsi_recording *rec, zip_t *zip, zip_uint64_t *index)
{
	const char *variable = rec->opts.variable;
	char names[400] = "";
	size_t arrays = 0, times = 0, length = 0;
	const zip_int64_t n = zip_get_num_entries(zip, 0);
	for (zip_int64_t i = 0; i < n; ++i) {
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);
		if (!name || !wsi_name_ends(name, ".npy"))
			continue;
		const bool wanted = variable && is_named(name, variable);
		if (!wanted && !rec->opts.masks && name_among(wsi_rate_names, name))
			continue;
		if (!wanted && !rec->opts.masks && name_among(wsi_time_names, name)) {
			*index = arrays == 0 ? (zip_uint64_t)i : *index;
			++times;
			continue;
		}
		if (!wanted && is_text(zip, (zip_uint64_t)i))
			continue;
		if (wanted || arrays == 0)
			*index = (zip_uint64_t)i;
		if (wanted)
			return WS_OK;
		++arrays;
		const size_t stem = strlen(name) - 4;
		if (stem + 2 < sizeof names - length) {
			memcpy(names + length, " ", 1);
			memcpy(names + length + 1, name, stem);
			length += stem + 1;
			names[length] = '\0';
		}
	}
	if (arrays + times == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: a zip file without arrays of numbers (.npy) in "
		                "it", rec->path);
	if (variable)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no array '%s'; `variable` may be one of:%s",
		                rec->path, variable, names);
	if (arrays > 1)
		return WSI_FAIL(WS_E_FORMAT, "%s: has %zu arrays; choose one by `variable`, or "
		                "several (A,B) as channels:%s", rec->path, arrays, names);
	return WS_OK;
}

ws_status
npy_open_packed(wsi_recording *rec)
{
	npy_state *s = rec->state;
	int error = 0;
	zip_t *zip = zip_open(rec->path, ZIP_RDONLY, &error);
	if (!zip)
		return WSI_FAIL(WS_E_FORMAT, "%s: the zip file cannot be read (libzip error "
		                "%d); it is cut off or damaged", rec->path, error);
	zip_uint64_t index = 0;
	ws_status status = find_entry(rec, zip, &index);
	if (status == WS_OK)
		status = find_rate(rec, zip, index);
	if (status == WS_OK) {
		zip_file_t *entry = zip_fopen_index(zip, index, 0);
		status = entry ? unpack(rec, entry, &s->memory, &s->bytes)
		               : WSI_FAIL(WS_E_FORMAT, "%s: the array cannot be unpacked: %s",
		               rec->path,
		                          zip_strerror(zip));
		rec->held = s->bytes;
		if (entry)
			zip_fclose(entry);
	}
	zip_discard(zip);
	return status;
}
