/*
 * test_io_mat_checksums.c - random changes of bytes of MAT, EEGLAB and HDF5 that a checksum covers:
 * none gives a recording with other samples, events, names or rate (docs/security.md lists what
 * covers what).
 *
 *     test_io_mat_checksums [CHANGES]    of each file, 2000 where it is not told
 *
 * WAVESIFT_FAST=1: 200.
 */
#include "io_test.h"

#include <fcntl.h>

#include <hdf5.h>
#include <matio.h>
#include <zlib.h>

static size_t n_changes = 2000;

/* Bytes of a file, and the ranges of them that are covered. */
typedef struct covered {
	unsigned char *bytes;
	size_t n, n_ranges, all;
	struct {
		size_t at, n;
	} ranges[256];
} covered;

static void
add_range(covered *c, size_t at, size_t n)
{
	assert_true(c->n_ranges < sizeof c->ranges / sizeof *c->ranges && at + n <= c->n);
	c->ranges[c->n_ranges].at = at;
	c->ranges[c->n_ranges++].n = n;
	c->all += n;
}

static void
take_bytes(covered *c, const char *path)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*c = (covered){ .n = (size_t)ftell(f) };
	rewind(f);
	c->bytes = malloc(c->n);
	assert_non_null(c->bytes);
	assert_int_equal(fread(c->bytes, 1, c->n, f), c->n);
	fclose(f);
}

/* ---- What a recording is ----------------------------------------------------------------- */

/* All that is told of it, as one number; status 0 only where all of it could be read. */
static ws_status
checksum(const char *path, const wsi_open_opts *opts, uint64_t *sum)
{
	wsi_recording *rec;
	const ws_status opened = wsi_recording_open(&rec, path, opts);
	if (opened != WS_OK)
		return opened;
	uLong crc = crc32(0, NULL, 0);
#define ADD(p, n) crc = crc32(crc, (const Bytef *)(p), (uInt)(n))
	ADD(&rec->n_channels, sizeof rec->n_channels);
	ADD(&rec->epochs, sizeof rec->epochs);
	ADD(&rec->time_origin, sizeof rec->time_origin);
	ADD(&rec->fs_known, sizeof rec->fs_known);
	for (size_t i = 0; i < rec->n_events; ++i) {
		ADD(&rec->events[i].onset, sizeof(double));
		ADD(&rec->events[i].duration, sizeof(double));
		ADD(rec->events[i].label, strlen(rec->events[i].label) + 1);
	}
	ws_status status = WS_OK;
	for (size_t c = 0; c < rec->n_channels && status == WS_OK; ++c) {
		const wsi_channel *channel = &rec->channels[c];
		ADD(&channel->fs, sizeof channel->fs);
		ADD(channel->name, strlen(channel->name) + 1);
		for (size_t e = 0; e < (rec->epochs ? rec->epochs : 1) && status == WS_OK; ++e) {
			double *x = malloc((channel->samples + 1) * sizeof *x);
			assert_non_null(x);
			status = wsi_recording_read(rec, e, c, 0, channel->samples, x);
			ADD(x, status == WS_OK ? channel->samples * sizeof *x : 0);
			free(x);
		}
	}
	wsi_recording_close(rec);
	*sum = crc;
	return status;
}

static uint64_t seed = 1;

static size_t
random_below(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (size_t)(seed % n);
}

/* name: of a file to be made. */
static void
change_bytes(const char *what, covered *c, const char *name, const wsi_open_opts *opts)
{
	uint64_t right = 0, now = 0;
	size_t refusals = 0, same = 0;
	const char *path = test_file(name, c->bytes, c->n);
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(checksum(path, opts, &right), WS_OK);
	for (size_t i = 0; i < n_changes; ++i) {
		size_t at = random_below(c->all), r = 0;
		while (at >= c->ranges[r].n)
			at -= c->ranges[r++].n;
		at += c->ranges[r].at;
		const unsigned char old = c->bytes[at];
		const unsigned char other = (unsigned char)(old ^ (1 + random_below(255)));
		assert_int_equal(pwrite(fd, &other, 1, (off_t)at), 1);
		if (checksum(path, opts, &now) != WS_OK)
			++refusals;
		else if (now == right)
			++same;
		else
			fail_msg("%s: byte %zu made %u instead of %u: another recording, and no "
			         "word of it", what, at, other, old);
		assert_int_equal(pwrite(fd, &old, 1, (off_t)at), 1);
	}
	close(fd);
	printf("%s: %zu of %zu changes refused, %zu without effect\n", what, refusals, n_changes,
	       same);
	assert_true(refusals > 0);
	free(c->bytes);
}

/* ---- MAT 5 -------------------------------------------------------------------------------- */

static uint32_t
word_at(const covered *c, size_t at)
{
	uint32_t word;
	memcpy(&word, c->bytes + at, sizeof word);
	return word;
}

/* What packed variables hold, without the tags before them. */
static void
cover_mat5(covered *c)
{
	for (size_t at = 128; at + 8 <= c->n;) {
		const size_t n = word_at(c, at + 4);
		assert_int_equal(word_at(c, at), 15);
		add_range(c, at + 8, n);
		at += 8 + n;
	}
}

static void
put_array(mat_t *mat, const char *name, size_t rows, size_t columns, const double *x)
{
	matvar_t *v = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2,
	                            (size_t[]){ rows, columns }, (void *)(uintptr_t)x, 0);
	assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_ZLIB), 0);
	Mat_VarFree(v);
}

static void
make_mat(const char *path, int kind, size_t samples, bool noise)
{
	double *x = malloc(3 * samples * sizeof *x), fs = 250;
	assert_non_null(x);
	for (size_t i = 0; i < 3 * samples; ++i)
		x[i] = noise ? (double)random_below((size_t)1 << 52)
		       : (double)((i * 37) % 101) + (kind == MAT_FT_MAT5 ? 0.5 : 0.25);
	mat_t *mat = Mat_CreateVer(path, NULL, kind);
	assert_non_null(mat);
	put_array(mat, "fs", 1, 1, &fs);
	put_array(mat, "x", 3, samples, x);
	Mat_Close(mat);
	free(x);
}

static const wsi_open_opts in_process = { .decoder = WSI_IN_PROCESS };

static void
mat5(void **state)
{
	(void)state;
	covered c;
	make_mat(test_path("a.mat"), MAT_FT_MAT5, 400, false);
	take_bytes(&c, test_path("a.mat"));
	cover_mat5(&c);
	change_bytes("MAT 5", &c, "b.mat", &in_process);
}

/* Octave's: one packed variable, which holds names and events, too. */
static void
eeglab(void **state)
{
	(void)state;
	covered c;
	take_bytes(&c, WAVESIFT_SOURCE_DIR "/fuzz/corpus/eeglab/octave_v7.set");
	cover_mat5(&c);
	change_bytes("EEGLAB in MAT 5", &c, "b.set", &in_process);
}

/* A result of ours in MAT 5, as a recording. */
static void
result_mat5(void **state)
{
	(void)state;
	covered c;
	take_bytes(&c, WAVESIFT_SOURCE_DIR "/fuzz/corpus/result/v5z_2.mat");
	cover_mat5(&c);
	change_bytes("result in MAT 5", &c, "c.mat",
	             &(wsi_open_opts){ .decoder = WSI_IN_PROCESS, .variable = "signal" });
}

/* ---- HDF5 ----------------------------------------------------------------------------------- */

/* The chunks of a dataset. */
static void
cover_chunks(covered *c, const char *path, const char *name)
{
	const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), how = H5Fget_create_plist(file);
	const hid_t space = H5Dget_space(set);
	hsize_t n = 0, block = 0;
	assert_true(H5Dget_num_chunks(set, space, &n) >= 0 && n > 0);
	assert_true(H5Pget_userblock(how, &block) >= 0);
	for (hsize_t i = 0; i < n; ++i) {
		hsize_t offset[3], bytes;
		haddr_t at;
		unsigned mask;
		assert_true(H5Dget_chunk_info(set, space, i, offset, &mask, &at, &bytes) >= 0);
		add_range(c, (size_t)(block + at), (size_t)bytes);
	}
	H5Pclose(how);
	H5Sclose(space);
	H5Dclose(set);
	H5Fclose(file);
}

static const char *
make_hdf5(const char *name, bool sums, bool packed)
{
	const hid_t file = H5Fcreate(test_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	const hsize_t dims[2] = { 3, 400 }, chunk[2] = { 2, 64 };
	const hid_t space = H5Screate_simple(2, dims, NULL);
	static double x[3 * 400];
	for (size_t i = 0; i < 3 * 400; ++i)
		x[i] = (double)((i * 37) % 101) + 0.25;
	H5Pset_chunk(how, 2, chunk);
	if (packed)
		H5Pset_shuffle(how), H5Pset_deflate(how, 6);
	if (sums)
		H5Pset_fletcher32(how);
	const hid_t set = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how,
	                             H5P_DEFAULT);
	assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
	H5Dclose(set);
	H5Sclose(space);
	H5Pclose(how);
	H5Fclose(file);
	return test_path(name);
}

static void
hdf5(void **state)
{
	(void)state;
	static const char *const what[] = { "", "HDF5 with Fletcher-32", "HDF5 packed",
		"HDF5 packed, with Fletcher-32" };
	for (int kind = 1; kind < 4; ++kind) {
		covered c;
		const char *path = make_hdf5("a.h5", kind & 1, kind & 2);
		take_bytes(&c, path);
		cover_chunks(&c, path, "x");
		change_bytes(what[kind], &c, "b.h5", &in_process);
	}
}

static void
mat73(void **state)
{
	(void)state;
	covered c;
	make_mat(test_path("c73.mat"), MAT_FT_MAT73, 400, false);
	take_bytes(&c, test_path("c73.mat"));
	cover_chunks(&c, test_path("c73.mat"), "x");
	change_bytes("MAT 7.3", &c, "b73.mat", &in_process);
}

/* A part of a recording is checked by all that covers it: of a packed variable the whole. */
static void
parts(void **state)
{
	(void)state;
	covered c;
	double x;
	make_mat(test_path("long.mat"), MAT_FT_MAT5, 100000, true);
	take_bytes(&c, test_path("long.mat"));
	c.bytes[c.n - 1] ^= 1;
	wsi_recording *rec = open_with(test_file("long.mat", c.bytes, c.n), &in_process);
	for (int i = 0; i < 2; ++i) {
		assert_int_equal(wsi_recording_read(rec, 0, 0, 0, 1, &x), WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), "checksum differs"));
	}
	wsi_recording_close(rec);
	free(c.bytes);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mat5), cmocka_unit_test(eeglab), cmocka_unit_test(result_mat5),
		cmocka_unit_test(hdf5), cmocka_unit_test(mat73), cmocka_unit_test(parts),
	};
	if (getenv("WAVESIFT_FAST"))
		n_changes = 200;
	if (argc > 1)
		n_changes = strtoul(argv[1], NULL, 10);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
