/*
 * test_io_checksums.c - of each format that has checksums: of random changes in bytes that they
 * cover, none is read as other samples, names or rate.  docs/security.md has what each covers.
 */
#include "io_test.h"

#include <fcntl.h>
#include <sndfile.h>
#include <zip.h>

#define FRAMES 6000

static unsigned char whole[1 << 18], changed[1 << 18];

static uint32_t
next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static size_t
read_file(const char *path, unsigned char *bytes, size_t room)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	const size_t n = fread(bytes, 1, room, f);
	assert_true(n < room);
	fclose(f);
	return n;
}

/* Foreign libraries here: one process for 2000 files. */
static const wsi_open_opts here = { .decoder = WSI_IN_PROCESS };

/* Is a file, if it is read, what the whole one is? */
static bool
is_told(wsi_recording *right, const char *path)
{
	wsi_recording *rec;
	bool same = true, failed = false;
	if (wsi_recording_open(&rec, path, &here) != WS_OK)
		return true;
	same = rec->n_channels == right->n_channels && rec->epochs == right->epochs;
	for (size_t c = 0; same && !failed && c < rec->n_channels; ++c) {
		const wsi_channel *a = &rec->channels[c], *b = &right->channels[c];
		same = a->samples == b->samples && a->fs == b->fs && strcmp(a->name, b->name) == 0
		       && strcmp(a->unit, b->unit) == 0;
		double *x = calloc(a->samples + 1, sizeof *x), *y = samples(right, 0, c);
		assert_non_null(x);
		failed = same && wsi_recording_read(rec, 0, c, 0, a->samples, x) != WS_OK;
		same &= failed || memcmp(x, y, a->samples * sizeof *x) == 0;
		free(x);
		free(y);
	}
	wsi_recording_close(rec);
	return failed || same;
}

/* Changes of single bytes, and of four in a row, from byte `from` on and before `to`. */
static void
changes_are_told(const char *path, const char *name, size_t from, size_t to)
{
	const int count = getenv("WAVESIFT_SLOW") ? 20000 : 2000;
	const size_t n = read_file(path, whole, sizeof whole);
	uint64_t state = 37;
	assert_true(from < to && to <= n);
	wsi_recording *right = open_with(path, &here);
	const char *spoilt = test_file(name, whole, n);
	const int fd = open(spoilt, O_RDWR);
	assert_true(fd >= 0);
	for (int k = 0; k < count; ++k) {
		const size_t at = from + next_random(&state) % (to - from);
		const size_t bytes = k % 4 || to - at < 4 ? 1 : 4;
		unsigned char wrong[4];
		for (size_t i = 0; i < bytes; ++i)
			wrong[i] = whole[at + i] ^ (unsigned char)(1 + next_random(&state) % 255);
		assert_int_equal(pwrite(fd, wrong, bytes, (off_t)at), bytes);
		if (!is_told(right, spoilt))
			fail_msg("%s: byte %zu of %zu was changed, and nobody noticed", name, at, n);
		assert_int_equal(pwrite(fd, whole + at, bytes, (off_t)at), bytes);
	}
	assert_true(is_told(right, spoilt));
	close(fd);
	wsi_recording_close(right);
}

static const char *
write_sound(const char *name, int format)
{
	const char *path = test_path(name);
	SF_INFO info = { .samplerate = 8000, .channels = 2, .format = format };
	SNDFILE *f = sf_open(path, SFM_WRITE, &info);
	assert_non_null(f);
	uint64_t state = 1;
	for (int i = 0; i < FRAMES; ++i) {
		const double frame[2] = { 0.5 * sin(0.02 * i) + 1e-10 * next_random(&state),
			0.4 * cos(0.05 * i) };
		assert_int_equal(sf_writef_double(f, frame, 1), 1);
	}
	assert_int_equal(sf_close(f), 0);
	return path;
}

/* Where the frames of a FLAC begin: behind its blocks of metadata. */
static size_t
flac_frames(const unsigned char *bytes)
{
	size_t at = 4;
	for (bool last = false; !last;) {
		last = bytes[at] & 0x80;
		at += 4 + ((size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | bytes[at + 3]);
	}
	return at;
}

static void
flac_has_a_sum_for_each_frame(void **state)
{
	(void)state;
	static const int kinds[] = { SF_FORMAT_PCM_16, SF_FORMAT_PCM_24 };
	for (size_t k = 0; k < 2; ++k) {
		const char *path = write_sound("a.flac", SF_FORMAT_FLAC | kinds[k]);
		const size_t n = read_file(path, whole, sizeof whole);
		changes_are_told(path, "changed.flac", flac_frames(whole), n);
	}
}

/* Where no frame's sum tells, because it was made to agree, that of all samples does. */
static void
flac_has_a_sum_of_all_samples(void **state)
{
	(void)state;
	static const int kinds[] = { SF_FORMAT_PCM_S8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24 };
	double x[FRAMES];
	for (size_t k = 0; k < 3; ++k) {
		const char *path = write_sound("a.flac", SF_FORMAT_FLAC | kinds[k]);
		const size_t n = read_file(path, whole, sizeof whole);
		wsi_recording *rec = open_ok(path);
		for (size_t c = 0; c < 2; ++c)
			assert_int_equal(wsi_recording_read(rec, 0, c, 0, FRAMES, x), WS_OK);
		wsi_recording_close(rec);
		whole[30] ^= 1;   /* of the MD5 */
		rec = open_ok(test_file("sum.flac", whole, n));
		assert_int_equal(wsi_recording_read(rec, 0, 0, 100, 1000, x), WS_OK);
		assert_int_equal(wsi_recording_read(rec, 0, 0, 0, FRAMES, x), WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), "MD5"));
		wsi_recording_close(rec);
		memset(whole + 26, 0, 16);   /* not told */
		rec = open_ok(test_file("sum.flac", whole, n));
		assert_int_equal(wsi_recording_read(rec, 0, 0, 0, FRAMES, x), WS_OK);
		wsi_recording_close(rec);
	}
}

/* A part needs the frames that it lies in, no others. */
static void
parts_of_a_flac(void **state)
{
	(void)state;
	double x[FRAMES], part[1000];
	const char *path = write_sound("a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
	const size_t n = read_file(path, whole, sizeof whole);
	wsi_recording *rec = open_ok(path);
	assert_int_equal(wsi_recording_read(rec, 0, 1, 0, FRAMES, x), WS_OK);
	wsi_recording_close(rec);
	const size_t frames = flac_frames(whole), at = frames + (n - frames) / 12;
	whole[at] ^= 0x10;
	rec = open_ok(test_file("part.flac", whole, n));
	assert_int_equal(wsi_recording_read(rec, 0, 1, 5000, 1000, part), WS_OK);
	assert_memory_equal(part, x + 5000, sizeof part);
	assert_int_equal(wsi_recording_read(rec, 0, 1, 100, 1000, part), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "damaged"));
	wsi_recording_close(rec);
}

static void
ogg_has_a_sum_for_each_page(void **state)
{
	(void)state;
	static const int kinds[] = { SF_FORMAT_VORBIS, SF_FORMAT_OPUS };
	for (size_t k = 0; k < 2; ++k) {
		const char *path = write_sound("a.ogg", SF_FORMAT_OGG | kinds[k]);
		changes_are_told(path, "changed.ogg", 0, read_file(path, whole, sizeof whole));
	}
}

static void
pages_of_an_ogg_that_lack(void **state)
{
	(void)state;
	const char *path = write_sound("a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS);
	const size_t n = read_file(path, whole, sizeof whole);
	size_t pages[64], count = 0;
	for (size_t i = 0; i + 4 <= n; ++i)
		if (memcmp(whole + i, "OggS", 4) == 0 && count < 63)
			pages[count++] = i;
	pages[count] = n;
	assert_true(count >= 3);
	memcpy(changed, whole, pages[1]);
	memcpy(changed + pages[1], whole + pages[2], n - pages[2]);
	refused(test_file("lack.ogg", changed, n - (pages[2] - pages[1])), WS_E_FORMAT,
	        "one is missing");
	/* Something else between them. */
	memcpy(changed, whole, pages[1]);
	memset(changed + pages[1], 0, 100);
	memcpy(changed + pages[1] + 100, whole + pages[1], n - pages[1]);
	refused(test_file("lack.ogg", changed, n + 100), WS_E_FORMAT, "there is no page");
}

/* libsndfile reads the first of recordings that lie one behind the other. */
static void
chained(void **state)
{
	(void)state;
	static const int kinds[] = { SF_FORMAT_VORBIS, SF_FORMAT_OPUS };
	for (size_t k = 0; k < 2; ++k) {
		const char *path = write_sound("a.ogg", SF_FORMAT_OGG | kinds[k]);
		const size_t n = read_file(path, whole, sizeof whole);
		noted(path, NULL);
		memcpy(changed, whole, n);
		memcpy(changed + n, whole, n);
		path = test_file("chain.ogg", changed, 2 * n);
		noted(path, "1 more recording lies behind the one that is read (chained OGG)");
		wsi_recording *rec = open_ok(path);
		assert_int_equal(rec->channels[0].samples, FRAMES);
		wsi_recording_close(rec);
		memcpy(changed + 2 * n, whole, n);
		noted(test_file("chain.ogg", changed, 3 * n), "2 more recordings lie behind");
	}
}

/* ---- .npz ---------------------------------------------------------------------------------- */

/* An array [2][1500] of float64; deflated or stored. */
static const char *
write_npz(const char *name, bool deflated, size_t *from, size_t *to)
{
	static unsigned char array[128 + 24000];
	const char *path = test_path(name);
	uint64_t state = 3;
	int error;
	memset(array, ' ', 128);
	memcpy(array, "\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': "
	       "(2, 1500), }", 10 + 61);
	array[127] = '\n';
	for (size_t i = 0; i < 3000; ++i) {
		const double x = (double)(next_random(&state) % 1000);
		memcpy(array + 128 + 8 * i, &x, sizeof x);
	}
	remove(path);
	zip_t *zip = zip_open(path, ZIP_CREATE, &error);
	assert_non_null(zip);
	const zip_int64_t index = zip_file_add(zip, "x.npy", zip_source_buffer(zip, array,
	                                       sizeof array, 0), 0);
	assert_true(index >= 0);
	zip_set_file_compression(zip, (zip_uint64_t)index, deflated ? ZIP_CM_DEFLATE
	                         : ZIP_CM_STORE, 0);
	assert_int_equal(zip_close(zip), 0);
	const size_t n = read_file(path, whole, sizeof whole);
	*from = 30 + whole[26] + (size_t)(whole[28] | whole[29] << 8);
	*to = n;
	while (*to > 4 && memcmp(whole + *to - 4, "PK\1\2", 4) != 0)
		--*to;
	*to -= 4;
	return path;
}

static void
npz_has_a_sum_for_each_array(void **state)
{
	(void)state;
	for (int deflated = 0; deflated < 2; ++deflated) {
		size_t from, to;
		const char *path = write_npz("a.npz", deflated, &from, &to);
		changes_are_told(path, "changed.npz", from, to);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flac_has_a_sum_for_each_frame),
		cmocka_unit_test(flac_has_a_sum_of_all_samples),
		cmocka_unit_test(parts_of_a_flac),
		cmocka_unit_test(ogg_has_a_sum_for_each_page),
		cmocka_unit_test(pages_of_an_ogg_that_lack),
		cmocka_unit_test(chained),
		cmocka_unit_test(npz_has_a_sum_for_each_array),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
