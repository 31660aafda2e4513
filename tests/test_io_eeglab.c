/* test_io_eeglab.c - EEGLAB data sets: samples inside and beside, fields as a struct and as
 * variables, epochs, events. */
#include "io_test.h"

#include <matio.h>

enum { CHANNELS = 2, SAMPLES = 6, EPOCHS = 3 };
enum { INSIDE, BESIDE, NO_DATA };

typedef struct shape {
	bool v73, as_fields;
	int where;
	size_t epochs;  /* 1: continuous */
} shape;

/* Taken by a struct, or written and freed. */
static void
add(mat_t *mat, matvar_t *set, matvar_t *v)
{
	assert_non_null(v);
	if (set) {
		assert_int_equal(Mat_VarAddStructField(set, v->name), 0);
		Mat_VarSetStructFieldByName(set, v->name, 0, v);
		return;
	}
	assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
	Mat_VarFree(v);
}

static matvar_t *
number(const char *name, double value)
{
	return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){ 1, 1 }, &value, 0);
}

static matvar_t *
text(const char *name, const char *value)
{
	return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UINT8, 2, (size_t[]){ 1, strlen(value) },
	                     (void *)value, 0);
}

static matvar_t *
channel_places(void)
{
	const char *fields[] = { "labels" };
	matvar_t *v = Mat_VarCreateStruct("chanlocs", 2, (size_t[]){ 1, CHANNELS }, fields, 1);
	Mat_VarSetStructFieldByName(v, "labels", 0, text("labels", "Fz"));
	Mat_VarSetStructFieldByName(v, "labels", 1, text("labels", "Cz"));
	return v;
}

static bool odd; /* the first latency is a text, the rate none */

static matvar_t *
event_list(void)
{
	const char *fields[] = { "type", "latency", "duration" };
	matvar_t *v = Mat_VarCreateStruct("event", 2, (size_t[]){ 1, 2 }, fields, 3);
	Mat_VarSetStructFieldByName(v, "type", 0, number("type", 7));
	Mat_VarSetStructFieldByName(v, "latency", 0, odd ? text("latency", "4") : number("latency", 4));
	Mat_VarSetStructFieldByName(v, "duration", 0, number("duration", 2));
	Mat_VarSetStructFieldByName(v, "type", 1, text("type", "square"));
	Mat_VarSetStructFieldByName(v, "latency", 1, number("latency", 1));
	Mat_VarSetStructFieldByName(v, "duration", 1,
		Mat_VarCreate("duration", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){ 0, 0 }, NULL, 0));
	return v;
}

/* Sample t of channel c of epoch e. */
static float
value(size_t e, size_t c, size_t t)
{
	return (float)(100 * e + 10 * c + t) + 0.25f;
}

/* As MATLAB lays data(channel,time,epoch) out, and a .fdt too. */
static const float *
data(size_t epochs)
{
	static float x[EPOCHS * SAMPLES * CHANNELS];
	for (size_t e = 0; e < epochs; ++e)
		for (size_t t = 0; t < SAMPLES; ++t)
			for (size_t c = 0; c < CHANNELS; ++c)
				x[(e * SAMPLES + t) * CHANNELS + c] = value(e, c, t);
	return x;
}

static const char *
write_set(const char *name, shape s)
{
	const char *path = test_path(name);
	mat_t *mat = Mat_CreateVer(path, NULL, s.v73 ? MAT_FT_MAT73 : MAT_FT_MAT5);
	assert_non_null(mat);
	matvar_t *set = s.as_fields ? NULL
	                : Mat_VarCreateStruct("EEG", 2, (size_t[]){ 1, 1 }, NULL, 0);
	size_t dims[3] = { CHANNELS, SAMPLES, s.epochs };
	add(mat, set, number("nbchan", CHANNELS));
	add(mat, set, number("pnts", SAMPLES));
	add(mat, set, number("trials", (double)s.epochs));
	add(mat, set, number("srate", odd ? 0 : 4));
	add(mat, set, number("xmin", -0.5));
	if (s.where == INSIDE)
		add(mat, set, Mat_VarCreate("data", MAT_C_SINGLE, MAT_T_SINGLE, s.epochs > 1 ? 3 : 2, dims,
		                            (void *)data(s.epochs), 0));
	else if (s.where == BESIDE)
		add(mat, set, text("data", "C:\\study\\samples.fdt"));
	add(mat, set, channel_places());
	add(mat, set, event_list());
	if (set) {
		assert_int_equal(Mat_VarWrite(mat, set, MAT_COMPRESSION_NONE), 0);
		Mat_VarFree(set);
	}
	Mat_Close(mat);
	return path;
}

static void
check_set(const char *path, size_t epochs)
{
	wsi_recording *rec = open_ok(path);
	assert_int_equal(rec->n_channels, CHANNELS);
	assert_int_equal(rec->epochs, epochs > 1 ? epochs : 0);
	/* A single epoch, or an average of some, begins before its event, too. */
	close_to(rec->time_origin, -0.5, 0);
	assert_true(rec->fs_known);
	static const char *const names[] = { "Fz", "Cz" };
	for (size_t c = 0; c < CHANNELS; ++c) {
		assert_string_equal(rec->channels[c].name, names[c]);
		assert_string_equal(rec->channels[c].unit, "uV");
		assert_int_equal(rec->channels[c].samples, SAMPLES);
		close_to(rec->channels[c].fs, 4, 0);
		for (size_t e = 0; e < epochs; ++e) {
			double *x = samples(rec, e, c);
			for (size_t t = 0; t < SAMPLES; ++t)
				close_to(x[t], (double)value(e, c, t), 0);
			free(x);
			close_to(sample(rec, e, c, 4), (double)value(e, c, 4), 0);
		}
	}
	assert_int_equal(rec->n_events, 2);
	is_event(rec, 0, 0, 0, "square");
	is_event(rec, 1, 0.75, 0.5, "7");
	wsi_recording_close(rec);
}

static void
every_kind(void **state)
{
	(void)state;
	test_file("samples.fdt", data(1), SAMPLES * CHANNELS * sizeof(float));
	for (int kind = 0; kind < 8; ++kind) {
		shape s = { kind & 1, kind & 2, kind & 4 ? BESIDE : INSIDE, 1 };
		check_set(write_set("a.set", s), 1);
	}
	test_file("samples.fdt", data(EPOCHS), EPOCHS * SAMPLES * CHANNELS * sizeof(float));
	for (int kind = 0; kind < 8; ++kind) {
		shape s = { kind & 1, kind & 2, kind & 4 ? BESIDE : INSIDE, EPOCHS };
		check_set(write_set("a.set", s), EPOCHS);
	}
	remove(test_path("samples.fdt"));
}

/* An odd event costs that event, a rate that is none is told. */
static void
odd_parts(void **state)
{
	(void)state;
	odd = true;
	const char *path = write_set("o.set", (shape){ .where = INSIDE, .epochs = 1 });
	odd = false;
	noted(path, "1 of 2 events have no number for a latency");
	noted(path, "its srate is no sampling rate");
	wsi_recording *rec = open_ok(path);
	assert_int_equal(rec->n_events, 1);
	assert_false(rec->fs_known);
	wsi_recording_close(rec);
}

/* Compressed, as MATLAB and Octave save by default; matio's own compressed
 * structs with texts do not read back.  This one is Octave's. */
static void
compressed(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(WAVESIFT_SOURCE_DIR "/fuzz/corpus/eeglab/octave_v7.set");
	assert_int_equal(rec->n_channels, 2);
	assert_string_equal(rec->channels[1].name, "Cz");
	close_to(sample(rec, 0, 1, 15), 32, 0);
	close_to(sample(rec, 0, 0, 1), 3, 0);
	assert_int_equal(rec->n_events, 4);
	is_event(rec, 0, 0, 0, "square");
	is_event(rec, 1, 0.75, 0.5, "7");
	is_event(rec, 3, 2.5, 0.75, "x");
	wsi_recording_close(rec);
}

/* A renamed pair: the set still tells the old name. */
static void
renamed(void **state)
{
	(void)state;
	const char *path = write_set("b.set", (shape){ .where = BESIDE, .epochs = 1 });
	refused(path, WS_E_IO, "samples.fdt");
	test_file("b.fdt", data(1), SAMPLES * CHANNELS * sizeof(float));
	check_set(path, 1);
	test_file("b.fdt", data(1), SAMPLES * CHANNELS * sizeof(float) - 4);
	refused(path, WS_E_FORMAT, "44 bytes");
	/* More points than the set tells of; what is no whole point is another file. */
	test_file("b.fdt", data(EPOCHS), 2 * SAMPLES * CHANNELS * sizeof(float));
	noted(path, "samples, ");
	wsi_recording *rec = open_ok(path);
	assert_int_equal(rec->channels[0].samples, 2 * SAMPLES);
	close_to(sample(rec, 0, 1, SAMPLES - 1), value(0, 1, SAMPLES - 1), 0);
	close_to(sample(rec, 0, 1, SAMPLES + 1), value(1, 1, 1), 0);
	wsi_recording_close(rec);
	test_file("b.fdt", data(EPOCHS), SAMPLES * CHANNELS * sizeof(float) + 4);
	refused(path, WS_E_FORMAT, "52 bytes");
	char *epoched = strdup(write_set("e.set", (shape){ .where = BESIDE, .epochs = 2 }));
	assert_non_null(epoched);
	test_file("e.fdt", data(EPOCHS), EPOCHS * SAMPLES * CHANNELS * sizeof(float));
	noted(epoched, "tells of 2 epochs, ");
	rec = open_ok(epoched);
	assert_int_equal(rec->epochs, EPOCHS);
	close_to(sample(rec, EPOCHS - 1, 0, 2), value(EPOCHS - 1, 0, 2), 0);
	wsi_recording_close(rec);
	remove(test_path("e.fdt"));
	free(epoched);
	remove(test_path("b.fdt"));
	/* .dat: a channel's samples together. */
	float turned[CHANNELS * SAMPLES];
	for (size_t c = 0; c < CHANNELS; ++c)
		for (size_t t = 0; t < SAMPLES; ++t)
			turned[c * SAMPLES + t] = value(0, c, t);
	test_file("b.dat", turned, sizeof turned);
	check_set(path, 1);
}

static void
damaged(void **state)
{
	(void)state;
	refused(write_set("c.set", (shape){ .where = NO_DATA, .epochs = 1 }), WS_E_IO, "fdt");
	refused(test_text("d.set", "no MAT file"), WS_E_FORMAT, "d.set");
	mat_t *mat = Mat_CreateVer(test_path("e.set"), NULL, MAT_FT_MAT5);
	add(mat, NULL, number("nbchan", 2.5));
	Mat_Close(mat);
	refused(test_path("e.set"), WS_E_FORMAT, "nbchan");
	for (int kind = 0; kind < 4; ++kind) {
		const char *path = write_set("f.set", (shape){ kind & 1, kind & 2, INSIDE, 1 });
		static char bytes[1 << 17];
		FILE *f = fopen(path, "rb");
		size_t n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		assert_true(n > 128 && n < sizeof bytes);
		survives_truncation("cut.set", bytes, n, 1 + n / 40, NULL);
		for (size_t at = 128; at < n; at += 1 + n / 30) {
			bytes[at] ^= 0x41;
			survives(test_file("bits.set", bytes, n), NULL);
			bytes[at] ^= 0x41;
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind), cmocka_unit_test(compressed), cmocka_unit_test(renamed),
		cmocka_unit_test(odd_parts),
		cmocka_unit_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
