/* test_io_npy.c - NumPy's .npy and .npz. */
#include "io_test.h"

#include <zip.h>

typedef struct array {
	unsigned char bytes[4096];
	size_t n;
} array;

/* An array of version 1..3 with this dict and data. */
static void
make(array *a, int version, const char *dict, const void *data, size_t bytes)
{
	const size_t before = version == 1 ? 10 : 12, length = strlen(dict);
	memset(a->bytes, 0, before);
	memcpy(a->bytes, "\x93NUMPY", 6);
	a->bytes[6] = (unsigned char)version;
	a->bytes[8] = (unsigned char)length;
	a->bytes[9] = (unsigned char)(length >> 8);
	memcpy(a->bytes + before, dict, length);
	memcpy(a->bytes + before + length, data, bytes);
	a->n = before + length + bytes;
}

static const char *
npy(const char *dict, const void *data, size_t bytes)
{
	array a;
	make(&a, 1, dict, data, bytes);
	return test_file("a.npy", a.bytes, a.n);
}

#define DICT(descr, order, shape) \
	"{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }   \n"

/* What follows the array is told. */
static void
bytes_behind(void **state)
{
	(void)state;
	static const double x[8] = { 1, 2, 3, 4, 5, 6 };
	noted(npy(DICT("<f8", "False", "(2, 3)"), x, 48), NULL);
	const char *path = npy(DICT("<f8", "False", "(2, 3)"), x, 64);
	noted(path, "16 bytes follow the array of 1 x 2 x 3");
	wsi_recording *rec = open_ok(path);
	assert_int_equal(rec->channels[0].samples, 3);
	close_to(sample(rec, 0, 1, 2), 6, 0);
	wsi_recording_close(rec);
}

static void
shapes(void **state)
{
	(void)state;
	double x[24];
	for (int i = 0; i < 24; ++i)
		x[i] = i;
	wsi_recording *rec = open_ok(npy(DICT("<f8", "False", "(24,)"), x, sizeof x));
	assert_string_equal(rec->format, "NPY");
	assert_int_equal(rec->n_channels, 1);
	assert_int_equal(rec->channels[0].samples, 24);
	assert_int_equal(rec->epochs, 0);
	assert_false(rec->fs_known);
	close_to(sample(rec, 0, 0, 23), 23, 0);
	wsi_recording_close(rec);

	rec = open_ok(npy(DICT("<f8", "False", "(4, 6)"), x, sizeof x));
	assert_int_equal(rec->n_channels, 4);
	assert_int_equal(rec->channels[3].samples, 6);
	close_to(sample(rec, 0, 2, 5), 17, 0);
	wsi_recording_close(rec);

	rec = open_ok(npy(DICT("<f8", "False", "(2L, 3L, 4L)"), x, sizeof x));
	assert_int_equal(rec->epochs, 2);
	assert_int_equal(rec->n_channels, 3);
	assert_int_equal(rec->channels[0].samples, 4);
	close_to(sample(rec, 1, 2, 1), 21, 0);
	wsi_recording_close(rec);

	/* Fortran order: the first index runs fastest. */
	rec = open_ok(npy(DICT("<f8", "True", "(2, 3, 4)"), x, sizeof x));
	double row[4];
	assert_int_equal(wsi_recording_read(rec, 1, 2, 0, 4, row), WS_OK);
	for (int t = 0; t < 4; ++t)
		close_to(row[t], 1 + 2 * 2 + 6 * t, 0);
	wsi_recording_close(rec);
}

static void
type_is(const char *dict, const void *data, size_t bytes, double first, double second)
{
	wsi_recording *rec = open_ok(npy(dict, data, bytes));
	assert_int_equal(rec->channels[0].samples, 2);
	close_to(sample(rec, 0, 0, 0), first, 0);
	close_to(sample(rec, 0, 0, 1), second, 0);
	wsi_recording_close(rec);
}

static void
types(void **state)
{
	(void)state;
	type_is(DICT("|i1", "False", "(2,)"), "\xff\x7f", 2, -1, 127);
	type_is(DICT("|u1", "False", "(2,)"), "\xff\x7f", 2, 255, 127);
	type_is(DICT("<i2", "False", "(2,)"), "\xfe\xff\x00\x01", 4, -2, 256);
	type_is(DICT(">i2", "False", "(2,)"), "\xff\xfe\x01\x00", 4, -2, 256);
	type_is(DICT("<u2", "False", "(2,)"), "\xfe\xff\x00\x01", 4, 65534, 256);
	type_is(DICT("<i4", "False", "(2,)"), "\xff\xff\xff\xff\x00\x00\x00\x80", 8, -1, -2147483648.0);
	type_is(DICT("<u4", "False", "(2,)"), "\xff\xff\xff\xff\x00\x00\x00\x80", 8, 4294967295.0,
	        2147483648.0);
	type_is(DICT(">i8", "False", "(2,)"), "\xff\xff\xff\xff\xff\xff\xff\xfd\0\0\0\1\0\0\0\0", 16, -3,
	        4294967296.0);
	type_is(DICT("<f4", "False", "(2,)"), (float[]){ -1.5f, 1e30f }, 8, -1.5, 1e30f);
	type_is(DICT(">f8", "False", "(2,)"), "\xbf\xf8\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 16, -1.5, 2);
}

static void
versions(void **state)
{
	(void)state;
	array a;
	for (int version = 1; version <= 3; ++version) {
		make(&a, version, DICT("|u1", "False", "(2,)"), "\1\2", 2);
		wsi_recording *rec = open_ok(test_file("noname", a.bytes, a.n));
		close_to(sample(rec, 0, 0, 1), 2, 0);
		wsi_recording_close(rec);
	}
	make(&a, 4, DICT("|u1", "False", "(2,)"), "\1\2", 2);
	refused(test_file("a.npy", a.bytes, a.n), WS_E_FORMAT, "version");
}

static void
refusals(void **state)
{
	(void)state;
	refused(npy(DICT("<c16", "False", "(1,)"), "0123456789abcdef", 16), WS_E_FORMAT,
	        "elements of type '<c16' are not");
	refused(npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,)}", "01234567", 8),
	        WS_E_FORMAT, "elements of type");
	refused(npy(DICT("<f8", "False", "()"), "01234567", 8), WS_E_FORMAT, "shape () is not");
	refused(npy(DICT("<f8", "False", "(1, 1, 1, 1)"), "01234567", 8), WS_E_FORMAT,
	        "shape (1, 1, 1, 1) is not");
	refused(npy(DICT("<f8", "False", "(-1,)"), "01234567", 8), WS_E_FORMAT, "shape (-1,) is not");
	refused(npy("{'shape': 7}", "01234567", 8), WS_E_FORMAT, "lacks");
	refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': 7 }", "01234567", 8),
	        WS_E_FORMAT, "shape 7 is not");
	refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (7", "01234567", 8),
	        WS_E_FORMAT, "shape (7 is not");
	refused(npy(DICT("<f8", "False", "(0,)"), "01234567", 8), WS_E_FORMAT, "empty");
	refused(npy(DICT("<f8", "False", "(2,)"), "01234567", 8), WS_E_FORMAT, "truncated");
	refused(npy(DICT("<f8", "False", "(9223372036854775807,)"), "01234567", 8), WS_E_FORMAT,
	        "truncated");
	refused(npy(DICT("<f8", "False", "(4294967296, 4294967296, 2)"), "01234567", 8), WS_E_FORMAT,
	        "truncated");
	refused(npy(DICT("<f8", "False", "(99999999999999999999,)"), "01234567", 8), WS_E_FORMAT,
	        "shape");
	refused(npy("{}", "01234567", 8), WS_E_FORMAT, "lacks");
	refused(npy("{'descr': '<f8', 'shape': (1,)}", "01234567", 8), WS_E_FORMAT, "lacks");
	refused(test_file("a.npy", "\x93NUMPY\2\0\xff\xff\xff\xff", 12), WS_E_FORMAT, "claims 4294967295");
	refused(test_file("a.npy", "junk\1\2\3", 7), WS_E_FORMAT, "truncated");
}

/* ---- .npz ---------------------------------------------------------------- */

static void
add_entry(zip_t *zip, const char *name, const array *a)
{
	zip_source_t *source = zip_source_buffer(zip, a->bytes, a->n, 0);
	assert_non_null(source);
	assert_true(zip_file_add(zip, name, source, ZIP_FL_OVERWRITE) >= 0);
}

/* x = [1 2], and y = [[3 4 5] [6 7 8]] if two. */
static const char *
npz(const char *name, bool two)
{
	const char *path = test_path(name);
	array x, y;
	make(&x, 1, DICT("|u1", "False", "(2,)"), "\1\2", 2);
	make(&y, 1, DICT("|u1", "False", "(2, 3)"), "\3\4\5\6\7\10", 6);
	int error;
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
	assert_non_null(zip);
	add_entry(zip, "x.npy", &x);
	if (two)
		add_entry(zip, "y.npy", &y);
	assert_int_equal(zip_close(zip), 0);
	return path;
}

/* A number beside the array is its rate. */
static void
rates(void **state)
{
	(void)state;
	static const char *const numbers[] = { "\0\0\0\0\0\x40\x6f\x40", "\0\0\0\0\0\0\0\0" };
	for (int i = 0; i < 2; ++i) {
		const char *path = npz("rate.npz", true);
		array fs;
		int error;
		make(&fs, 1, DICT("<f8", "False", "()"), numbers[i], 8);
		zip_t *zip = zip_open(path, 0, &error);
		assert_non_null(zip);
		add_entry(zip, "sfreq.npy", &fs);
		assert_int_equal(zip_close(zip), 0);
		if (i == 1) {
			refused_with(path, &(wsi_open_opts){ .variable = "y" }, WS_E_FORMAT,
			             "its sfreq is no sampling rate");
			break;
		}
		wsi_recording *rec = open_with(path, &(wsi_open_opts){ .variable = "y" });
		assert_true(rec->fs_known);
		close_to(rec->channels[1].fs, 250, 0);
		wsi_recording_close(rec);
		refused(path, WS_E_FORMAT, "has 2 arrays");
	}
}

/* An array of these numbers into a .npz. */
static void
put_doubles(const char *path, const char *name, const char *dict, const double *values, size_t n)
{
	array a;
	int error;
	make(&a, 1, dict, values, n * sizeof *values);
	zip_t *zip = zip_open(path, 0, &error);
	assert_non_null(zip);
	add_entry(zip, name, &a);
	assert_int_equal(zip_close(zip), 0);
}

/* dt, or the times t of the samples, tell the rate, too; what is called so may be something else. */
static void
steps_and_times(void **state)
{
	(void)state;
	static const double dt = 0.004, times[] = { 5, 5.25, 5.5, 5.75, 6, 9, 9.25, 9.5 };
	const char *path = npz("dt.npz", false);
	put_doubles(path, "dt.npy", DICT("<f8", "False", "()"), &dt, 1);
	noted(path, "its rate is that of dt, in seconds: 250 Hz");
	wsi_recording *rec = open_ok(path);
	close_to(rec->channels[0].fs, 250, 1e-12);
	wsi_recording_close(rec);

	path = test_path("t.npz");
	remove(path);
	path = npz("t.npz", false);
	put_doubles(path, "x.npy", DICT("<f8", "False", "(2, 4)"), times, 8);
	put_doubles(path, "time.npy", DICT("<f8", "False", "(4,)"), times, 4);
	noted(path, "its rate is that of time, in seconds: 4 Hz");
	rec = open_ok(path);
	assert_int_equal(rec->n_channels, 2);
	close_to(rec->channels[1].fs, 4, 1e-12);
	close_to(rec->time_origin, 5, 0);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .variable = "time" });
	assert_false(rec->fs_known);
	assert_int_equal(rec->channels[0].samples, 4);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .fs = 100 });
	close_to(rec->channels[0].fs, 100, 0);
	wsi_recording_close(rec);

	/* Texts and objects are no signals. */
	put_doubles(path, "ch_names.npy", DICT("<U2", "False", "(1,)"), times, 1);
	put_doubles(path, "info.npy", DICT("|O", "False", "()"), times, 1);
	wsi_recording_close(open_ok(path));

	/* A gap; another length; falling; uneven. */
	put_doubles(path, "x.npy", DICT("<f8", "False", "(8,)"), times, 8);
	noted(path, "its time is not the time of each of 8 samples");
	put_doubles(path, "time.npy", DICT("<f8", "False", "(8,)"), times, 8);
	rec = open_ok(path);
	assert_int_equal(rec->n_segments, 2);
	wsi_recording_close(rec);
	static const double odd[][8] = { { 8, 7, 6, 5, 4, 3, 2, 1 }, { 1, 2, 3, 4.5, 5, 6, 7, 8 } };
	put_doubles(path, "time.npy", DICT("<f8", "False", "(8,)"), odd[0], 8);
	noted(path, "its time is not the time of each of 8 samples");
	put_doubles(path, "time.npy", DICT("<f8", "False", "(8,)"), odd[1], 8);
	refused(path, WS_E_FORMAT, "not evenly spaced, at sample 4");
}

static void
archives(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(npz("one.npz", false));
	assert_string_equal(rec->format, "NPZ");
	close_to(sample(rec, 0, 0, 1), 2, 0);
	wsi_recording_close(rec);
	const char *two = npz("two.dat", true);
	refused(two, WS_E_FORMAT, "has 2 arrays; choose one by `variable`, or several (A,B) as channels: x y");
	refused_with(two, &(wsi_open_opts){ .variable = "z" }, WS_E_FORMAT, "no array 'z'");
	rec = open_with(two, &(wsi_open_opts){ .variable = "y" });
	assert_int_equal(rec->n_channels, 2);
	close_to(sample(rec, 0, 1, 2), 8, 0);
	wsi_recording_close(rec);
	wsi_recording_close(open_with(two, &(wsi_open_opts){ .variable = "x.npy" }));
	refused(test_file("a.npz", "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22), WS_E_FORMAT,
	        "without arrays");
	refused(test_file("a.npz", "PK\3\4 not a zip", 14), WS_E_FORMAT, "cut off or damaged");
}

static void
abuse(void **state)
{
	(void)state;
	array a;
	make(&a, 1, DICT("<f4", "True", "(2, 3, 2)"), "0123456789abcdef0123456789abcdef0123456789abcdef",
	     48);
	survives_truncation("a.npy", a.bytes, a.n, 1, NULL);
	static const char wrong[] = { '\'', '9', '(', '\0', '\377' };
	for (size_t i = 0; i < a.n; ++i)
		for (size_t k = 0; k < sizeof wrong; ++k) {
			const unsigned char right = a.bytes[i];
			a.bytes[i] = (unsigned char)wrong[k];
			survives(test_file("a.npy", a.bytes, a.n), NULL);
			a.bytes[i] = right;
		}
	FILE *f = fopen(npz("two.npz", true), "rb");
	assert_non_null(f);
	const size_t n = fread(a.bytes, 1, sizeof a.bytes, f);
	fclose(f);
	survives_truncation("a.npz", a.bytes, n, 1, &(wsi_open_opts){ .variable = "y" });
	for (size_t i = 0; i < n; ++i) {
		a.bytes[i] ^= 0x41;
		survives(test_file("a.npz", a.bytes, n), &(wsi_open_opts){ .variable = "y" });
		a.bytes[i] ^= 0x41;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes), cmocka_unit_test(bytes_behind), cmocka_unit_test(types),
		cmocka_unit_test(versions),
		cmocka_unit_test(refusals), cmocka_unit_test(rates),
		cmocka_unit_test(steps_and_times), cmocka_unit_test(archives), cmocka_unit_test(abuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
