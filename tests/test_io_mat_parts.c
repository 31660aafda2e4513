/* test_io_mat_parts.c - arrays in structs and cells of MAT files, and FieldTrip's raw data: of
 * version 5 as it is and packed, and 7.3. */
#include "io_test.h"

#include <matio.h>
#include <zlib.h>

enum { PLAIN, PACKED, HDF5_INSIDE, N_KINDS };

static mat_t *
create(int kind)
{
	mat_t *mat = Mat_CreateVer(test_path("a.mat"), NULL,
	                           kind == HDF5_INSIDE ? MAT_FT_MAT73 : MAT_FT_MAT5);
	assert_non_null(mat);
	return mat;
}

/* Packs each variable as MATLAB does: matio's packed structs do not read back. */
static const char *
finish(mat_t *mat, int kind)
{
	const char *path = test_path("a.mat");
	Mat_Close(mat);
	if (kind != PACKED)
		return path;
	FILE *f = fopen(path, "rb");
	unsigned char *bytes = malloc(1 << 24);
	assert_non_null(f);
	assert_non_null(bytes);
	const size_t n = fread(bytes, 1, 1 << 24, f);
	fclose(f);
	f = fopen(path, "wb");
	assert_non_null(f);
	fwrite(bytes, 1, 128, f);
	for (size_t at = 128; at < n;) {
		uint32_t tag[2];
		memcpy(tag, bytes + at, sizeof tag);
		const uLong all = 8 + tag[1];
		uLongf length = compressBound(all);
		unsigned char *packed = malloc(length);
		assert_int_equal(compress(packed, &length, bytes + at, all), Z_OK);
		const uint32_t outer[2] = { 15, (uint32_t)length };
		fwrite(outer, 1, sizeof outer, f);
		fwrite(packed, 1, length, f);
		free(packed);
		at += all;
	}
	assert_int_equal(fclose(f), 0);
	free(bytes);
	return path;
}

static void
write_variable(mat_t *mat, matvar_t *v)
{
	assert_non_null(v);
	assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
	Mat_VarFree(v);
}

/* Value i is first + i, the first index fastest. */
static matvar_t *
matrix(const char *name, size_t rows, size_t columns, double first)
{
	double *x = malloc((rows * columns + 1) * sizeof *x);
	assert_non_null(x);
	for (size_t i = 0; i < rows * columns; ++i)
		x[i] = first + (double)i;
	matvar_t *v = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2,
	                            (size_t[]){ rows, columns }, x, 0);
	free(x);
	return v;
}

static matvar_t *
text(const char *name, const char *value)
{
	return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UINT8, 2, (size_t[]){ 1, strlen(value) },
	                     (void *)(uintptr_t)value, 0);
}

static matvar_t *
cells(const char *name, size_t rows, size_t columns)
{
	return Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, (size_t[]){ rows, columns }, NULL, 0);
}

static void
add(matvar_t *s, const char *name, size_t i, matvar_t *v)
{
	assert_non_null(v);
	Mat_VarSetStructFieldByName(s, name, i, v);
}

static wsi_recording *
open_part(const char *path, const char *variable)
{
	return open_with(path, &(wsi_open_opts){ .variable = variable });
}

static void
refused_part(const char *path, const char *variable, const char *words)
{
	refused_with(path, &(wsi_open_opts){ .variable = variable }, WS_E_FORMAT, words);
}

/* ---- By name -------------------------------------------------------------------------- */

static void
by_name(void **state)
{
	(void)state;
	const char *const fields[] = { "x", "fs", "deep", "note" }, *const inner[] = { "y", "label" };
	for (int kind = 0; kind < N_KINDS; ++kind) {
		mat_t *mat = create(kind);
		matvar_t *s = Mat_VarCreateStruct("s", 2, (size_t[]){ 1, 1 },
		                                  (const char **)(uintptr_t)fields, 4);
		matvar_t *deep = Mat_VarCreateStruct("deep", 2, (size_t[]){ 1, 2 },
		                                     (const char **)(uintptr_t)inner, 1);
		add(deep, "y", 0, matrix("y", 2, 5, 10));
		add(deep, "y", 1, matrix("y", 3, 7, 100));
		add(s, "x", 0, matrix("x", 2, 9, 0));
		add(s, "fs", 0, matrix("fs", 1, 1, 64));
		add(s, "note", 0, text("note", "none"));
		add(s, "deep", 0, deep);
		write_variable(mat, s);
		matvar_t *c = cells("c", 1, 2);
		Mat_VarSetCell(c, 0, matrix(NULL, 2, 4, 0));
		Mat_VarSetCell(c, 1, matrix(NULL, 2, 4, 50));
		write_variable(mat, c);
		const char *path = finish(mat, kind);
		wsi_recording *rec = open_part(path, "s.x");
		assert_int_equal(rec->n_channels, 2);
		assert_int_equal(rec->channels[0].samples, 9);
		close_to(rec->channels[0].fs, 64, 0);
		close_to(sample(rec, 0, 1, 3), 7, 0);
		wsi_recording_close(rec);
		rec = open_part(path, "s.deep(2).y");
		assert_int_equal(rec->n_channels, 3);
		close_to(sample(rec, 0, 2, 6), 120, 0);
		assert_false(rec->fs_known);
		wsi_recording_close(rec);
		rec = open_part(path, "c{2}");
		close_to(sample(rec, 0, 1, 3), 57, 0);
		wsi_recording_close(rec);
		rec = open_part(path, "c");
		assert_int_equal(rec->epochs, 2);
		close_to(sample(rec, 0, 1, 3), 7, 0);
		close_to(sample(rec, 1, 1, 3), 57, 0);
		wsi_recording_close(rec);
		refused_part(path, "s", "`variable`: s.x");
		refused(path, WS_E_FORMAT, "lie in a struct; choose one with `variable`: s.x");
		refused_part(path, "s.note", "is not an array of real numbers");
		static const char *const none[] = { "s.z", "t", "s.deep.y", "s.deep(3).y", "c{3}", "c{0}",
			"c{", "s.", "s..x", ".x", "", "s.x.y", "c{1}.x", "s(1", "s.deep(2).y{1}" };
		for (size_t i = 0; i < sizeof none / sizeof *none; ++i)
			refused_part(path, none[i], "has no variable");
	}
}

/* ---- FieldTrip -------------------------------------------------------------------------- */

typedef struct shape {
	size_t trials, samples;
	bool fsample, unequal, shifted, late; /* late: the last sample of each trial, by a step */
} shape;

enum { CHANNELS = 3 };

static double
value(size_t e, size_t c, size_t t)
{
	return 1e6 * (double)e + (double)(t * CHANNELS + c);
}

static const char *
write_raw(int kind, shape s)
{
	const char *const fields[] = { "label", "trial", "time", "fsample" };
	mat_t *mat = create(kind);
	matvar_t *raw = Mat_VarCreateStruct("data", 2, (size_t[]){ 1, 1 },
	                                    (const char **)(uintptr_t)fields, s.fsample ? 4 : 3);
	matvar_t *label = cells("label", CHANNELS, 1), *trial = cells("trial", 1, s.trials);
	matvar_t *time = cells("time", 1, s.trials);
	const char *const names[CHANNELS] = { "Fz", "Cz", "Pz" };
	for (int c = 0; c < CHANNELS; ++c)
		Mat_VarSetCell(label, c, text(NULL, names[c]));
	for (size_t e = 0; e < s.trials; ++e) {
		const size_t n = s.samples + (s.unequal ? e : 0);
		double *t = malloc(n * sizeof *t);
		assert_non_null(t);
		for (size_t i = 0; i < n; ++i)
			t[i] = -0.5 + (double)i / 250 + (s.shifted ? (double)e : 0)
			       + (s.late && i + 1 == n ? 1 / 250.0 : 0);
		Mat_VarSetCell(trial, (int)e, matrix(NULL, CHANNELS, n, 1e6 * (double)e));
		Mat_VarSetCell(time, (int)e, Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2,
		                                           (size_t[]){ 1, n }, t, 0));
		free(t);
	}
	add(raw, "label", 0, label);
	add(raw, "trial", 0, trial);
	add(raw, "time", 0, time);
	if (s.fsample)
		add(raw, "fsample", 0, matrix("fsample", 1, 1, 250));
	write_variable(mat, raw);
	return finish(mat, kind);
}

static void
check_raw(wsi_recording *rec, shape s, size_t first)
{
	assert_int_equal(rec->n_channels, CHANNELS);
	assert_int_equal(rec->epochs, s.trials > 1 ? s.trials : 0);
	assert_string_equal(rec->channels[2].name, "Pz");
	assert_true(rec->fs_known);
	close_to(rec->channels[0].fs, 250, 0);
	for (size_t e = 0; e < s.trials; ++e)
		for (size_t c = 0; c < CHANNELS; ++c) {
			assert_int_equal(rec->channels[c].samples, s.samples);
			double *x = samples(rec, e, c);
			for (size_t t = 0; t < s.samples; ++t)
				close_to(x[t], value(first + e, c, t), 0);
			free(x);
		}
}

static void
fieldtrip(void **state)
{
	(void)state;
	/* The last has trials and times that are not read while their struct is looked through. */
	static const shape shapes[] = { { 4, 20, true, false, false, false }, { 4, 20, false, false, false, false },
		{ 1, 20, true, false, false, false }, { 1, 2, false, false, false, false },
		{ 3, 9000, false, false, false, false } };
	for (int kind = 0; kind < N_KINDS; ++kind)
		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
			const char *path = write_raw(kind, shapes[i]);
			static const char *const names[] = { NULL, "data", "data.trial" };
			for (size_t k = 0; k < 3; ++k) {
				wsi_recording *rec = open_part(path, names[k]);
				close_to(rec->time_origin, -0.5, 0);
				assert_null(rec->note);
				check_raw(rec, shapes[i], 0);
				wsi_recording_close(rec);
			}
			wsi_recording *rec = open_with(path, &(wsi_open_opts){ .fs = 500 });
			close_to(rec->channels[0].fs, 500, 0);
			close_to(rec->time_origin, shapes[i].fsample ? -0.5 : -0.5, 1e-12);
			wsi_recording_close(rec);
		}
}

static void
fieldtrip_trials(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; ++kind) {
		shape s = { 3, 20, false, true, true, false };
		const char *path = write_raw(kind, s);
		static const char *const names[] = { NULL, "data", "data.trial" };
		for (size_t k = 0; k < 3; ++k)
			refused_part(path, names[k], "`variable 'data.trial{1}'`");
		wsi_recording *rec = open_part(path, "data.trial{3}");
		s = (shape){ 1, 22, false, false, false, false };
		close_to(rec->time_origin, 1.5, 0);
		check_raw(rec, s, 2);
		wsi_recording_close(rec);
		s = (shape){ 3, 20, true, false, true, false };
		rec = open_ok(write_raw(kind, s));
		assert_non_null(strstr(rec->note, "begin at different times"));
		close_to(rec->time_origin, 0, 0);
		check_raw(rec, s, 0);
		wsi_recording_close(rec);
		path = write_raw(kind, (shape){ .trials = 2, .samples = 20, .fsample = true, .late = true });
		refused_part(path, "data", "trial 1 has its sample 20 at");
		rec = open_with(path, &(wsi_open_opts){ .fs = 500 });
		close_to(rec->channels[0].fs, 500, 0);
		wsi_recording_close(rec);
	}
}

/* Nothing that it tells is left out because it is odd. */
static void
fieldtrip_damaged(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; ++kind)
		for (int odd = 0; odd < 5; ++odd) {
			const char *const fields[] = { "label", "trial", "time", "fsample" };
			mat_t *mat = create(kind);
			matvar_t *raw = Mat_VarCreateStruct("data", 2, (size_t[]){ 1, 1 },
			                                    (const char **)(uintptr_t)fields, 4);
			matvar_t *label = cells("label", odd == 0 ? 1 : 2, 1);
			matvar_t *trial = cells("trial", 1, 1), *time = cells("time", 1, odd == 1 ? 2 : 1);
			Mat_VarSetCell(label, 0, odd == 2 ? matrix(NULL, 1, 1, 7) : text(NULL, "Fz"));
			if (odd != 0)
				Mat_VarSetCell(label, 1, text(NULL, "Cz"));
			Mat_VarSetCell(trial, 0, matrix(NULL, 2, 9, 0));
			Mat_VarSetCell(time, 0, matrix(NULL, 1, odd == 3 ? 8 : 9, 0));
			if (odd == 1)
				Mat_VarSetCell(time, 1, matrix(NULL, 1, 9, 0));
			add(raw, "label", 0, label);
			add(raw, "trial", 0, trial);
			add(raw, "time", 0, time);
			add(raw, "fsample", 0, odd == 4 ? text("fsample", "fast")
			                                : matrix("fsample", 1, 1, 100));
			write_variable(mat, raw);
			static const char *const words[] = { "label", "time", "label", "time",
				"fsample" };
			refused(finish(mat, kind), WS_E_FORMAT, words[odd]);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_name), cmocka_unit_test(fieldtrip),
		cmocka_unit_test(fieldtrip_trials), cmocka_unit_test(fieldtrip_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
