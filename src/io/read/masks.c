/* masks.c - reads masks, one a row, from files of any format that is read. */
#include "io/read/masks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/new.h"
#include "io/read/open.h"
#include "io/read/read.h"

#define MOST_MASKS ((size_t)1 << 24)
/* Its length and offset, both once more as numbers, its scale and its frequency. */
#define MASK_BYTES ((size_t)5 * 8)

void
wsi_mask_file_free(wsi_mask_file *f)
{
	free(f->lengths);
	free(f->offsets);
	free(f->values);
	free(f->scales);
	free(f->frequencies);
	*f = (wsi_mask_file){ 0 };
}

/* Room for so many masks and numbers in their values. */
static ws_status
take_room(wsi_mask_file *f, const wsi_recording *rec, size_t masks, size_t numbers)
{
	const size_t memory = rec->opts.memory;
	size_t bytes;
	if (masks > MOST_MASKS)
		return WSI_FAIL(WS_E_FORMAT, "%s: has %zu masks; 2^24 are the most", rec->path,
		                masks);
	if (__builtin_mul_overflow(numbers, sizeof *f->values, &bytes) ||
	    __builtin_add_overflow(bytes, masks * MASK_BYTES, &bytes) ||
	    (memory && bytes > memory - (rec->held < memory ? rec->held : memory)))
		return WSI_FAIL(WS_E_NOMEM, "%s: %zu masks of %zu numbers in all take more memory "
		                "than may be used: allow more (`memory`)", rec->path, masks,
		                numbers);
	f->bytes = bytes;
	f->lengths = malloc(masks * sizeof *f->lengths);
	f->offsets = malloc(masks * sizeof *f->offsets);
	f->values = malloc(numbers * sizeof *f->values + 1);
	WSI_HAVE(f->lengths && f->offsets && f->values, "%s: not enough memory for %zu masks",
	         rec->path, masks);
	f->masks = (ws_masks){ .size = sizeof f->masks, .count = masks, .lengths = f->lengths,
		.offsets = f->offsets, .values = f->values };
	return WS_OK;
}

/* ---- Rows of an array -------------------------------------------------------------------- */

/* Length of the name before what says that it is the part of complex numbers; -1: it does not. */
static int
stem_of(const char *name, int part)
{
	static const char *const endings[2][2] = { { "re", "real" }, { "im", "imag" } };
	const size_t n = strlen(name);
	for (int k = 0; k < 2; ++k) {
		const size_t end = strlen(endings[part][k]);
		if (n < end || strcasecmp(name + n - end, endings[part][k]) != 0)
			continue;
		if (n == end)
			return 0;
		if (strchr("._ ", name[n - end - 1]))
			return (int)(n - end - 1);
	}
	return -1;
}

static bool
named_in_pairs(const wsi_recording *rec)
{
	for (size_t i = 0; i + 1 < rec->n_channels; i += 2) {
		const char *a = rec->channels[i].name, *b = rec->channels[i + 1].name;
		const int stem = stem_of(a, 0);
		if (stem < 0 || stem != stem_of(b, 1) || strncmp(a, b, (size_t)stem) != 0)
			return false;
	}
	return rec->n_channels % 2 == 0;
}

/* Both parts of row i lie in taps, in turn; what is NaN at its end is no part of it. */
static ws_status
take_row(wsi_mask_file *f, const wsi_recording *rec, size_t i, const double *taps, size_t most,
         size_t parts)
{
	size_t n = most;
	while (n > 0 && isnan(taps[(n - 1) * parts]))
		n--;
	for (size_t k = 0; k < n * parts; ++k)
		if (!isfinite(taps[k]))
			return WSI_FAIL(WS_E_FORMAT, "%s: mask %zu is not finite (%g) at tap %zu; "
			                "mend the file", rec->path, i + 1, taps[k], k / parts + 1);
	if (n == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: mask %zu is empty; leave it out", rec->path,
		                i + 1);
	f->lengths[i] = n;
	return WS_OK;
}

static ws_status
read_rows(wsi_mask_file *f, wsi_recording *rec)
{
	const size_t parts = rec->complex || named_in_pairs(rec) ? 2 : 1;
	const size_t masks = rec->n_channels / parts;
	size_t numbers = 0, longest = 0, at = 0;
	if (rec->epochs)
		return WSI_FAIL(WS_E_FORMAT, "%s: the masks must be an array [mask][tap]",
		                rec->path);
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const size_t n = rec->channels[i].samples;
		longest = n > longest ? n : longest;
		if (n != rec->channels[i - i % parts].samples ||
		    __builtin_add_overflow(numbers, n, &numbers))
			return WSI_FAIL(WS_E_FORMAT, "%s: the masks do not fit together",
			                rec->path);
	}
	WSI_TRY(take_room(f, rec, masks, numbers + (parts == 2 ? longest : 0)));
	f->masks.type = parts == 2 ? WS_C128 : WS_F64;
	for (size_t i = 0; i < masks; ++i) {
		const size_t most = rec->channels[i * parts].samples;
		double *taps = f->values + at * parts, *part = f->values + numbers;
		f->offsets[i] = at;
		if (parts == 1)
			WSI_TRY(wsi_recording_read(rec, 0, i, 0, most, taps));
		for (size_t p = 0; parts == 2 && p < 2; ++p) {
			WSI_TRY(wsi_recording_read(rec, 0, 2 * i + p, 0, most, part));
			for (size_t k = 0; k < most; ++k)
				taps[2 * k + p] = part[k];
		}
		WSI_TRY(take_row(f, rec, i, taps, most, parts));
		at += f->lengths[i];
	}
	return WS_OK;
}

/* ---- Packed ------------------------------------------------------------------------------ */

/* The channel of that name; or NULL. */
static const wsi_channel *
find(const wsi_recording *rec, const char *name)
{
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (strcmp(rec->channels[i].name, name) == 0)
			return &rec->channels[i];
	return NULL;
}

/* Fills out with the numbers of a channel, of which there must be n. */
static ws_status
read_column(wsi_recording *rec, const char *name, size_t n, double *out)
{
	const wsi_channel *c = find(rec, name);
	if (!c || c->samples != n)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /%s has %zu numbers, of %zu", rec->path,
		                name, c ? c->samples : 0, n);
	return wsi_recording_read(rec, 0, (size_t)(c - rec->channels), 0, n, out);
}

/* The same as whole numbers of 0 or more, below 2^53. */
static ws_status
read_sizes(wsi_recording *rec, const char *name, size_t n, size_t *out)
{
	double *numbers = malloc(n * sizeof *numbers);
	WSI_HAVE(numbers, "%s: not enough memory for %zu masks", rec->path, n);
	ws_status status = read_column(rec, name, n, numbers);
	for (size_t i = 0; i < n && status == WS_OK; ++i) {
		if (!(numbers[i] >= 0 && numbers[i] < 0x1p53 && floor(numbers[i]) == numbers[i]))
			status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: number %zu of /%s is %g",
			                  rec->path, i + 1, name, numbers[i]);
		else
			out[i] = (size_t)numbers[i];
	}
	free(numbers);
	return status;
}

/* Is every part of this tap finite? */
static bool
is_finite(const double *values, size_t tap, size_t parts)
{
	return isfinite(values[tap * parts]) && isfinite(values[tap * parts + parts - 1]);
}

/* Taps of which the first that is not finite is kept. */
#define BLOCK ((size_t)64)

/* For each block, and the end, the first tap from there on that is not finite; or taps.  The
 * caller's to free; NULL for want of memory. */
static size_t *
find_bad(const double *values, size_t taps, size_t parts)
{
	const size_t blocks = (taps + BLOCK - 1) / BLOCK;
	size_t *first = malloc((blocks + 1) * sizeof *first);
	if (!first)
		return NULL;
	first[blocks] = taps;
	for (size_t b = blocks; b-- > 0;) {
		const size_t end = b + 1 < blocks ? (b + 1) * BLOCK : taps;
		size_t k = b * BLOCK;
		while (k < end && is_finite(values, k, parts))
			k++;
		first[b] = k < end ? k : first[b + 1];
	}
	return first;
}

/* Masks may share taps: each is looked at once, however many masks have it. */
static ws_status
check_finite(const wsi_mask_file *f, const wsi_recording *rec, size_t taps, size_t parts)
{
	size_t *first = find_bad(f->values, taps, parts);
	ws_status status = first ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for %zu "
	                                            "masks", rec->path, f->masks.count);
	for (size_t i = 0; i < f->masks.count && status == WS_OK; ++i) {
		const size_t at = f->offsets[i], end = at + f->lengths[i], next = at / BLOCK + 1;
		size_t k = at;
		while (k < end && k < next * BLOCK && is_finite(f->values, k, parts))
			k++;
		if (k < end && k == next * BLOCK)
			k = first[next];
		if (k < end) {
			const double *tap = f->values + k * parts;
			status = WSI_FAIL(WS_E_FORMAT, "%s: mask %zu is not finite (%g) at tap "
			                  "%zu; mend the file", rec->path, i + 1,
			                  isfinite(*tap) ? tap[parts - 1] : *tap, k - at + 1);
		}
	}
	free(first);
	return status;
}

static ws_status
check_places(const wsi_mask_file *f, const wsi_recording *rec, size_t taps, size_t parts)
{
	for (size_t i = 0; i < f->masks.count; ++i) {
		const size_t n = f->lengths[i], at = f->offsets[i];
		if (n == 0)
			return WSI_FAIL(WS_E_FORMAT, "%s: mask %zu is empty; leave it out",
			                rec->path, i + 1);
		if (at > taps || n > taps - at)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: mask %zu has %zu taps from tap "
			                "%zu on, and /values %zu", rec->path, i + 1, n, at, taps);
	}
	return check_finite(f, rec, taps, parts);
}

/* Of each mask one number, if the file has them. */
static ws_status
read_axis(wsi_recording *rec, const char *name, size_t masks, double **out)
{
	if (!find(rec, name))
		return WS_OK;
	*out = malloc(masks * sizeof **out);
	WSI_HAVE(*out, "%s: not enough memory for %zu masks", rec->path, masks);
	WSI_TRY(read_column(rec, name, masks, *out));
	for (size_t i = 0; i < masks; ++i)
		if (!isfinite((*out)[i]))
			return WSI_FAIL(WS_E_FORMAT, "%s: number %zu of /%s is not finite",
			                rec->path, i + 1, name);
	return WS_OK;
}

static ws_status
read_values(wsi_mask_file *f, wsi_recording *rec, size_t taps, size_t parts)
{
	double *part = f->values + taps * parts;
	if (parts == 1)
		return read_column(rec, "values", taps, f->values);
	for (size_t p = 0; p < 2; ++p) {
		WSI_TRY(read_column(rec, p ? "values.i" : "values", taps, part));
		for (size_t k = 0; k < taps; ++k)
			f->values[2 * k + p] = part[k];
	}
	return WS_OK;
}

static ws_status
read_packed(wsi_mask_file *f, wsi_recording *rec)
{
	const wsi_channel *values = find(rec, "values"), *lengths = find(rec, "lengths");
	const size_t parts = find(rec, "values.i") ? 2 : 1;
	if (!values || !lengths || values->samples > SIZE_MAX / 4)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: it has no masks", rec->path);
	const size_t taps = values->samples, masks = lengths->samples;
	/* Parts of complex numbers come one after the other. */
	WSI_TRY(take_room(f, rec, masks, taps * (parts == 2 ? 3 : 1)));
	f->masks.type = parts == 2 ? WS_C128 : WS_F64;
	WSI_TRY(read_sizes(rec, "lengths", masks, f->lengths));
	if (find(rec, "offsets"))
		WSI_TRY(read_sizes(rec, "offsets", masks, f->offsets));
	size_t at = 0;
	for (size_t i = 0; !find(rec, "offsets") && i < masks; ++i) {
		f->offsets[i] = at;
		at = f->lengths[i] > SIZE_MAX - at ? SIZE_MAX : at + f->lengths[i];
	}
	WSI_TRY(read_values(f, rec, taps, parts));
	WSI_TRY(check_places(f, rec, taps, parts));
	WSI_TRY(read_axis(rec, "scales", masks, &f->scales));
	WSI_TRY(read_axis(rec, "frequencies", masks, &f->frequencies));
	f->masks.scales = f->scales;
	f->masks.frequencies = f->frequencies;
	return WS_OK;
}

ws_status
wsi_mask_file_read(wsi_mask_file *f, const char *path, const wsi_open_opts *opts)
{
	wsi_recording *rec;
	wsi_open_opts wanted = opts ? *opts : (wsi_open_opts){ 0 };
	wanted.masks = true;
	*f = (wsi_mask_file){ 0 };
	WSI_TRY(wsi_recording_open(&rec, path, &wanted));
	const ws_status status = rec->packed ? read_packed(f, rec) : read_rows(f, rec);
	wsi_recording_close(rec);
	if (status != WS_OK)
		wsi_mask_file_free(f);
	return status;
}
