/* npz.c - which array of a .npz is read, unpacked, and the rate beside it. */
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

static bool
is_rate(const char *entry)
{
	size_t i = 0;
	while (wsi_rate_names[i] && !is_named(entry, wsi_rate_names[i]))
		++i;
	return wsi_rate_names[i] != NULL;
}

/* The number in the first n bytes of an array's file, if it is one; else 0. */
static double
number_in(unsigned char *bytes, zip_int64_t n)
{
	npy_state one;
	double value;
	const zip_int64_t data = n < 12 || bytes[6] != 1 ? n : 10 + (bytes[8] | bytes[9] << 8);
	if (data >= n)
		return 0;
	bytes[data - 1] = '\0';
	const char *descr = npy_find_value((const char *)bytes + 10, "descr");
	if (!descr || !npy_parse_descr(&one, descr, false) ||
	    n != data + (zip_int64_t)wsi_sample_bytes(one.type))
		return 0;
	wsi_decode(bytes + data, (size_t)(n - data), 1, one.type, one.big_endian, &value);
	return value;
}

/* The rate beside the array, if there is one. */
static ws_status
find_rate(wsi_recording *rec, zip_t *zip, zip_uint64_t array)
{
	npy_state *s = rec->state;
	const zip_int64_t n = rec->opts.fs != 0 || rec->opts.masks
	        ? 0 : zip_get_num_entries(zip, 0);
	for (zip_int64_t i = 0; i < n && s->fs == 0; ++i) {
		unsigned char bytes[512];
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);
		if (!name || (zip_uint64_t)i == array || !is_rate(name))
			continue;
		zip_file_t *entry = zip_fopen_index(zip, (zip_uint64_t)i, 0);
		const zip_int64_t got = entry ? zip_fread(entry, bytes, sizeof bytes) : 0;
		if (entry)
			zip_fclose(entry);
		s->fs = number_in(bytes, got);
		if (!(s->fs > 0) || !isfinite(s->fs))
			return WSI_FAIL(WS_E_FORMAT, "%s: its %.*s is no sampling rate; give the "
			                "true one with `fs`", rec->path, (int)strcspn(name, "."),
			                name);
	}
	return WS_OK;
}

/* The entry that the user named, or the only one. */
static ws_status
find_entry(const wsi_recording *rec, zip_t *zip, zip_uint64_t *index)
{
	const char *variable = rec->opts.variable;
	char names[400] = "";
	size_t arrays = 0, length = 0;
	const zip_int64_t n = zip_get_num_entries(zip, 0);
	for (zip_int64_t i = 0; i < n; ++i) {
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);
		if (!name || !wsi_name_ends(name, ".npy"))
			continue;
		const bool wanted = variable && is_named(name, variable);
		if (!wanted && !rec->opts.masks && is_rate(name))
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
	if (arrays == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: a zip file without arrays (.npy) in it",
		                rec->path);
	if (variable)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no array '%s'; `variable` may be one of:%s",
		                rec->path, variable, names);
	if (arrays > 1)
		return WSI_FAIL(WS_E_FORMAT, "%s: has %zu arrays; choose one by `variable`, or "
		                "several (A,B) as channels:%s", rec->path, arrays, names);
	return WS_OK;
}

/* Unpacks an entry.  Memory grows with the bytes that do come, whatever the
 * directory of the zip claims. */
static ws_status
unpack(wsi_recording *rec, zip_file_t *entry)
{
	npy_state *s = rec->state;
	const size_t most = wsi_reading_memory(&rec->opts);
	size_t room = 0;
	for (;;) {
		if (s->bytes == room) {
			if (room >= most)
				return WSI_FAIL(WS_E_NOMEM, "%s: its array has more than the %zu "
				                "bytes that `memory` leaves to unpack it; give "
				                "more, or unzip it and name the .npy", rec->path,
				                most);
			room = room == 0 ? 65536 : room > most / 2 ? most : 2 * room;
			unsigned char *grown = room > s->bytes ? realloc(s->memory, room) : NULL;
			WSI_HAVE(grown, "%s: no memory to unpack more than %" PRIu64 " bytes",
			         rec->path, s->bytes);
			s->memory = grown;
		}
		const zip_int64_t got = zip_fread(entry, s->memory + s->bytes, room - s->bytes);
		if (got < 0)
			return WSI_FAIL(WS_E_FORMAT, "%s: cannot be unpacked: %s", rec->path,
			                zip_file_strerror(entry));
		if (got == 0) {
			rec->held = s->bytes;
			return WS_OK;
		}
		s->bytes += (uint64_t)got;
	}
}

ws_status
npy_open_packed(wsi_recording *rec)
{
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
		status = entry ? unpack(rec, entry)
		               : WSI_FAIL(WS_E_FORMAT, "%s: the array cannot be unpacked: %s",
		               rec->path,
		                          zip_strerror(zip));
		if (entry)
			zip_fclose(entry);
	}
	zip_discard(zip);
	return status;
}
