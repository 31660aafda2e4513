/* test_io_mat.c - recordings in MAT files of version 5, plain and compressed, and 7.3. */
#include "io_test.h"

#include <matio.h>

enum { PLAIN, COMPRESSED, HDF5_INSIDE, N_KINDS };
static const char *const files[N_KINDS] = { "plain.mat", "compressed.mat", "v73.mat" };

static mat_t *
create(int kind)
{
	mat_t *mat = Mat_CreateVer(test_path(files[kind]), NULL,
	                           kind == HDF5_INSIDE ? MAT_FT_MAT73 : MAT_FT_MAT5);
	assert_non_null(mat);
	return mat;
}

static void
put(mat_t *mat, int kind, const char *name, enum matio_classes class, enum matio_types type,
    int rank, size_t *dims, const void *data, int flags)
{
	matvar_t *v = Mat_VarCreate(name, class, type, rank, dims, (void *)data, flags);
	assert_non_null(v);
	assert_int_equal(Mat_VarWrite(mat, v, kind == PLAIN ? MAT_COMPRESSION_NONE
	                              : MAT_COMPRESSION_ZLIB), 0);
	Mat_VarFree(v);
}

static void
put_doubles(mat_t *mat, int kind, const char *name, int rank, size_t *dims, const double *x)
{
	put(mat, kind, name, MAT_C_DOUBLE, MAT_T_DOUBLE, rank, dims, x, 0);
}

static void
put_scalar(mat_t *mat, int kind, const char *name, double value)
{
	put_doubles(mat, kind, name, 2, (size_t[]){ 1, 1 }, &value);
}

/* value i is i + 0.5, the first index fastest. */
static const double *
numbers(void)
{
	static double x[24];
	for (int i = 0; i < 24; ++i)
		x[i] = i + 0.5;
	return x;
}

/* Of many channels the longer axis is no sure sign of time. */
static void
turned(void **state)
{
	(void)state;
	static const double x[200 * 64];
	for (int tall = 0; tall < 2; ++tall) {
		mat_t *mat = create(PLAIN);
		put_doubles(mat, PLAIN, "x", 2, (size_t[]){ tall ? 200 : 64, tall ? 64 : 200 }, x);
		Mat_Close(mat);
		noted(test_path(files[PLAIN]), tall ? "if it is 200 channels, save it as .npy" : NULL);
	}
}

static void
shapes(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; ++kind) {
		mat_t *mat = create(kind);
		put_doubles(mat, kind, "wide", 2, (size_t[]){ 2, 12 }, numbers());
		put_doubles(mat, kind, "tall", 2, (size_t[]){ 12, 2 }, numbers());
		put_doubles(mat, kind, "cube", 3, (size_t[]){ 2, 4, 3 }, numbers());
		Mat_Close(mat);
		const char *path = test_path(files[kind]);
		wsi_recording *rec = open_with(path, &(wsi_open_opts){ .variable = "wide" });
		assert_int_equal(rec->n_channels, 2);
		assert_int_equal(rec->channels[1].samples, 12);
		assert_false(rec->fs_known);
		close_to(sample(rec, 0, 1, 3), 1 + 2 * 3 + 0.5, 0);
		double *x = samples(rec, 0, 0);
		for (int t = 0; t < 12; ++t)
			close_to(x[t], 2 * t + 0.5, 0);
		free(x);
		wsi_recording_close(rec);
		rec = open_with(path, &(wsi_open_opts){ .variable = "tall" });
		assert_int_equal(rec->n_channels, 2);
		close_to(sample(rec, 0, 1, 3), 12 + 3 + 0.5, 0);
		wsi_recording_close(rec);
		rec = open_with(path, &(wsi_open_opts){ .variable = "cube" });
		assert_int_equal(rec->n_channels, 2);
		assert_int_equal(rec->epochs, 3);
		assert_int_equal(rec->channels[0].samples, 4);
		close_to(sample(rec, 2, 1, 3), 23.5, 0);
		close_to(sample(rec, 1, 0, 2), 8 + 4 + 0.5, 0);
		wsi_recording_close(rec);
		refused(path, WS_E_FORMAT, "`variable`");
		refused_with(path, &(wsi_open_opts){ .variable = "none" }, WS_E_FORMAT, "no variable none");
	}
}

static void
rates(void **state)
{
	(void)state;
	static const char *const names[] = { "fs", "Fs", "srate", "sfreq", "sampling_rate",
	                                     "samplerate" };
	for (int kind = 0; kind < N_KINDS; ++kind)
		for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
			mat_t *mat = create(kind);
			put_scalar(mat, kind, names[i], 100 + (double)i);
			put_doubles(mat, kind, "x", 2, (size_t[]){ 2, 12 }, numbers());
			put_scalar(mat, kind, "other", 7);
			Mat_Close(mat);
			wsi_recording *rec = open_ok(test_path(files[kind]));
			assert_true(rec->fs_known);
			close_to(rec->channels[1].fs, 100 + (double)i, 0);
			wsi_recording_close(rec);
		}
}

/* dt, or the times t of the samples; a rate goes first. */
static void
steps_and_times(void **state)
{
	(void)state;
	double times[12];
	for (int i = 0; i < 12; ++i)
		times[i] = 5 + (i < 8 ? i : i + 3) * 0.25;
	for (int kind = 0; kind < N_KINDS; ++kind)
		for (int with = 0; with < 4; ++with) {
			mat_t *mat = create(kind);
			put_doubles(mat, kind, "x", 2, (size_t[]){ 2, 12 }, numbers());
			if (with == 0)
				put_scalar(mat, kind, "dt", 0.004);
			else
				put_doubles(mat, kind, "t", 2, (size_t[]){ 1, with == 1 ? 8 : 12 }, times);
			if (with == 3)
				put_scalar(mat, kind, "fs", 100);
			Mat_Close(mat);
			const char *path = test_path(files[kind]);
			noted(path, with == 0 ? "its rate is that of dt, in seconds: 250 Hz"
			      : with == 1 ? "its t is not the time of each of 12 samples"
			      : with == 2 ? "its rate is that of t, in seconds: 4 Hz" : NULL);
			wsi_recording *rec = open_ok(path);
			assert_int_equal(rec->n_channels, 2);
			assert_int_equal(rec->fs_known, with != 1);
			close_to(rec->channels[1].fs, ((double[]){ 250, 1, 4, 100 })[with], 1e-9);
			close_to(rec->time_origin, with == 2 ? 5 : 0, 0);
			assert_int_equal(rec->n_segments, with == 2 ? 2 : 0);
			wsi_recording_close(rec);
			rec = open_with(path, &(wsi_open_opts){ .variable = "x", .fs = 50 });
			close_to(rec->channels[0].fs, 50, 0);
			wsi_recording_close(rec);
		}
	mat_t *mat = create(PLAIN);
	put_doubles(mat, PLAIN, "t", 2, (size_t[]){ 12, 1 }, times);
	Mat_Close(mat);
	wsi_recording *rec = open_ok(test_path(files[PLAIN]));
	assert_int_equal(rec->channels[0].samples, 12);
	assert_false(rec->fs_known);
	wsi_recording_close(rec);
}

static void
types(void **state)
{
	(void)state;
	size_t dims[2] = { 1, 3 };
	const int16_t shorts[3] = { -300, 0, 32767 };
	const float singles[3] = { 0.1f, -2, 1e30f };
	const uint8_t bytes[3] = { 0, 128, 255 };
	const int64_t longs[3] = { -5, 0, (int64_t)1 << 50 };
	for (int kind = 0; kind < N_KINDS; ++kind) {
		mat_t *mat = create(kind);
		put(mat, kind, "shorts", MAT_C_INT16, MAT_T_INT16, 2, dims, shorts, 0);
		put(mat, kind, "singles", MAT_C_SINGLE, MAT_T_SINGLE, 2, dims, singles, 0);
		put(mat, kind, "bytes", MAT_C_UINT8, MAT_T_UINT8, 2, dims, bytes, 0);
		put(mat, kind, "longs", MAT_C_INT64, MAT_T_INT64, 2, dims, longs, 0);
		Mat_Close(mat);
		for (int i = 0; i < 4; ++i) {
			static const char *const names[] = { "shorts", "singles", "bytes", "longs" };
			wsi_recording *rec = open_with(test_path(files[kind]),
			                               &(wsi_open_opts){ .variable = names[i] });
			for (size_t t = 0; t < 3; ++t)
				close_to(sample(rec, 0, 0, t), i == 0 ? shorts[t] : i == 1 ? (double)singles[t]
				         : i == 2 ? bytes[t] : (double)longs[t], 0);
			wsi_recording_close(rec);
		}
	}
}

static void
not_signals(void **state)
{
	(void)state;
	size_t dims[2] = { 1, 4 };
	const double re[4] = { 1 }, im[4] = { 2 };
	struct mat_complex_split_t z = { (void *)re, (void *)im };
	for (int kind = 0; kind < N_KINDS; ++kind) {
		mat_t *mat = create(kind);
		put(mat, kind, "z", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &z, MAT_F_COMPLEX);
		put(mat, kind, "text", MAT_C_CHAR, MAT_T_UINT8, 2, dims, "abcd", 0);
		put_scalar(mat, kind, "fs", 7);
		Mat_Close(mat);
		const char *path = test_path(files[kind]);
		refused(path, WS_E_FORMAT, "no array of real numbers");
		refused_with(path, &(wsi_open_opts){ .variable = "z" }, WS_E_FORMAT, "real numbers");
		refused_with(path, &(wsi_open_opts){ .variable = "text" }, WS_E_FORMAT, "real numbers");
		mat = create(kind);
		const char *fields[] = { "nbchan" };
		matvar_t *eeg = Mat_VarCreateStruct("EEG", 2, (size_t[]){ 1, 1 }, fields, 1);
		assert_int_equal(Mat_VarWrite(mat, eeg, MAT_COMPRESSION_NONE), 0);
		Mat_VarFree(eeg);
		Mat_Close(mat);
		refused(path, WS_E_FORMAT, ".set");
	}
	refused(test_text("old.mat", "not a MAT file"), WS_E_FORMAT, "old.mat");
}

static void
damaged(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; ++kind) {
		mat_t *mat = create(kind);
		put_scalar(mat, kind, "fs", 7);
		put_doubles(mat, kind, "x", 2, (size_t[]){ 2, 12 }, numbers());
		Mat_Close(mat);
		static char bytes[1 << 16];
		FILE *f = fopen(test_path(files[kind]), "rb");
		size_t n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		assert_true(n > 128 && n < sizeof bytes);
		survives_truncation("cut.mat", bytes, n, 1 + n / 50, NULL);
		refused(test_file("cut.mat", bytes, n - 9), WS_E_FORMAT, "truncated");
		for (size_t at = 100; at < n; at += 1 + n / 60) {
			bytes[at] ^= 0x81;
			survives(test_file("bits.mat", bytes, n), NULL);
			bytes[at] ^= 0x81;
		}
	}
}

/* A variable whose head claims far more than the file has. */
static void
claims_too_much(void **state)
{
	(void)state;
	mat_t *mat = create(PLAIN);
	put_doubles(mat, PLAIN, "x", 2, (size_t[]){ 2, 12 }, numbers());
	Mat_Close(mat);
	unsigned char bytes[1024];
	FILE *f = fopen(test_path(files[PLAIN]), "rb");
	size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	/* After the file's head: a matrix tag, flags, then tag and dimensions. */
	const int32_t dims[2] = { 2000, 2000000 };
	memcpy(bytes + 128 + 8 + 16 + 8, dims, sizeof dims);
	refused(test_file("claims.mat", bytes, n), WS_E_FORMAT, "claims more values than");
}

/* What other programs wrote before MATLAB 5, by matio. */
static void
version_4(void **state)
{
	(void)state;
	mat_t *mat = Mat_CreateVer(test_path("old4.mat"), NULL, MAT_FT_MAT4);
	assert_non_null(mat);
	put_scalar(mat, PLAIN, "Fs", 250);
	put_doubles(mat, PLAIN, "x", 2, (size_t[]){ 2, 12 }, numbers());
	const double re[4] = { 1, 2, 3, 4 }, im[4] = { 5, 6, 7, 8 };
	struct mat_complex_split_t z = { (void *)re, (void *)im };
	put(mat, PLAIN, "z", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){ 1, 4 }, &z, MAT_F_COMPLEX);
	put(mat, PLAIN, "note", MAT_C_CHAR, MAT_T_UINT8, 2, (size_t[]){ 1, 4 }, "abcd", 0);
	Mat_Close(mat);
	wsi_recording *rec = open_ok(test_path("old4.mat"));
	assert_string_equal(rec->format, "MAT v4");
	assert_int_equal(rec->n_channels, 2);
	assert_true(rec->fs_known);
	close_to(rec->channels[0].fs, 250, 0);
	close_to(sample(rec, 0, 1, 3), 1 + 2 * 3 + 0.5, 0);
	wsi_recording_close(rec);
	rec = open_with(test_path("old4.mat"),
	                &(wsi_open_opts){ .variable = "z", .masks = true });
	close_to(sample(rec, 0, 0, 2), 3, 0);
	close_to(sample(rec, 0, 1, 2), 7, 0);
	wsi_recording_close(rec);
	refused_with(test_path("old4.mat"), &(wsi_open_opts){ .variable = "note" }, WS_E_FORMAT,
	             "not an array");
	char bytes[2048];
	FILE *f = fopen(test_path("old4.mat"), "rb");
	const size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	assert_true(n > 100 && n < sizeof bytes);
	survives_truncation("cut.mat", bytes, n, 1, NULL);
	refused(test_file("cut.mat", bytes, n - 3), WS_E_FORMAT, "truncated");
}

/* Big-endian, of 16-bit integers, and sparse: from the format's description. */
static void
version_4_by_hand(void **state)
{
	(void)state;
	static const unsigned char big[] = {
		0, 0, 0x04, 0x06 /* 1030: big-endian, int16 */, 0, 0, 0, 2, 0, 0, 0, 3,
		0, 0, 0, 0, 0, 0, 0, 2, 'x', 0, 0, 1, 0xff, 0xfe, 0, 3, 0, 4, 0, 5, 0x80, 0,
	};
	wsi_recording *rec = open_ok(test_file("big4.mat", big, sizeof big));
	close_to(sample(rec, 0, 0, 0), 1, 0);
	close_to(sample(rec, 0, 1, 0), -2, 0);
	close_to(sample(rec, 0, 1, 2), -32768, 0);
	wsi_recording_close(rec);
	/* 2 x 4 with x(1,2) = 5, x(2,4) = -7, x(2,1) = 3. */
	static const double rows[4][3] = { { 1, 2, 5 }, { 2, 4, -7 }, { 2, 1, 3 }, { 2, 4, 0 } };
	struct {
		int32_t head[5];
		char name[4];
		double x[3][4];
	} file = { { 2, 4, 3, 0, 4 }, "abc", { { 0 } } };
	for (int i = 0; i < 4; ++i)
		for (int c = 0; c < 3; ++c)
			file.x[c][i] = rows[i][c];
	rec = open_ok(test_file("sparse4.mat", &file, sizeof file));
	assert_int_equal(rec->n_channels, 2);
	static const double expected[2][4] = { { 0, 5, 0, 0 }, { 3, 0, 0, -7 } };
	for (size_t c = 0; c < 2; ++c)
		for (size_t t = 0; t < 4; ++t)
			close_to(sample(rec, 0, c, t), expected[c][t], 0);
	wsi_recording_close(rec);
	file.x[0][0] = 3;
	rec = open_ok(test_file("sparse4.mat", &file, sizeof file));
	double x;
	assert_int_equal(wsi_recording_read(rec, 0, 0, 0, 1, &x), WS_E_FORMAT);
	wsi_recording_close(rec);
}

/* matio writes sparse matrices of version 5 and 7.3. */
static void
sparse(void **state)
{
	(void)state;
	double values[] = { 3, 5, -7 };
	mat_uint32_t rows[] = { 1, 0, 1 }, starts[] = { 0, 1, 2, 2, 3 };
	static const double expected[2][4] = { { 0, 5, 0, 0 }, { 3, 0, 0, -7 } };
	mat_sparse_t matrix = { .nzmax = 3, .ir = rows, .nir = 3, .jc = starts, .njc = 5,
		.ndata = 3, .data = values };
	for (int kind = 0; kind < N_KINDS; ++kind) {
		mat_t *mat = create(kind);
		put(mat, kind, "x", MAT_C_SPARSE, MAT_T_DOUBLE, 2, (size_t[]){ 2, 4 }, &matrix,
		    MAT_F_DONT_COPY_DATA);
		put_scalar(mat, kind, "fs", 100);
		Mat_Close(mat);
		wsi_recording *rec = open_ok(test_path(files[kind]));
		assert_int_equal(rec->n_channels, 2);
		assert_true(rec->held >= 8 * sizeof(double));
		for (size_t c = 0; c < 2; ++c)
			for (size_t t = 0; t < 4; ++t)
				close_to(sample(rec, 0, c, t), expected[c][t], 0);
		wsi_recording_close(rec);
		refused_with(test_path(files[kind]), &(wsi_open_opts){ .memory = 50 },
		             WS_E_NOMEM, "memory");
	}
}

/* A rate that is there and is none is no rate that is not there. */
static void
odd_rates(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; ++kind)
		for (int odd = 0; odd < 4; ++odd) {
			mat_t *mat = create(kind);
			put_doubles(mat, kind, "x", 2, (size_t[]){ 2, 12 }, numbers());
			if (odd == 0)
				put(mat, kind, "fs", MAT_C_CHAR, MAT_T_UINT8, 2,
				    (size_t[]){ 1, 3 }, "100", 0);
			else if (odd == 1)
				put_doubles(mat, kind, "srate", 2, (size_t[]){ 1, 1 }, &(double){ -1 });
			else if (odd == 2)
				put_doubles(mat, kind, "sfreq", 2, (size_t[]){ 1, 1 }, &(double){ NAN });
			else
				put_doubles(mat, kind, "Fs", 2, (size_t[]){ 1, 0 }, numbers());
			Mat_Close(mat);
			const char *path = test_path(files[kind]);
			wsi_recording *rec = open_with(path, &(wsi_open_opts){ .fs = 50 });
			close_to(rec->channels[0].fs, 50, 0);
			wsi_recording_close(rec);
			if (odd < 3) {
				refused(path, WS_E_FORMAT, odd == 0 ? "fs" : odd == 1 ? "srate" : "sfreq");
				continue;
			}
			/* MATLAB's [] is nothing. */
			rec = open_ok(path);
			assert_false(rec->fs_known);
			wsi_recording_close(rec);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes), cmocka_unit_test(turned),
		cmocka_unit_test(rates), cmocka_unit_test(steps_and_times),
		cmocka_unit_test(types),
		cmocka_unit_test(not_signals), cmocka_unit_test(damaged),
		cmocka_unit_test(claims_too_much), cmocka_unit_test(version_4),
		cmocka_unit_test(version_4_by_hand), cmocka_unit_test(sparse),
		cmocka_unit_test(odd_rates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
