/* test_io_edf_edflib.c - EDF+ and BDF+ that EDFlib wrote. */
#include "io_test.h"

#include <edflib.h>

static void
against_edflib(int type, const char *name, const char *format, double step)
{
	const char *path = test_path(name);
	const int h = edfopen_file_writeonly(path, type, 2);
	assert_true(h >= 0);
	static const int rates[2] = { 200, 50 };
	const bool bdf = type == EDFLIB_FILETYPE_BDFPLUS;
	for (int i = 0; i < 2; ++i) {
		assert_int_equal(edf_set_samplefrequency(h, i, rates[i]), 0);
		assert_int_equal(edf_set_physical_maximum(h, i, 500), 0);
		assert_int_equal(edf_set_physical_minimum(h, i, -250), 0);
		assert_int_equal(edf_set_digital_maximum(h, i, bdf ? 8388607 : 32767), 0);
		assert_int_equal(edf_set_digital_minimum(h, i, bdf ? -8388608 : -32768), 0);
		assert_int_equal(edf_set_label(h, i, i ? "slow" : "fast"), 0);
		assert_int_equal(edf_set_physical_dimension(h, i, "mV"), 0);
	}
	assert_int_equal(edf_set_startdatetime(h, 2017, 12, 31, 23, 59, 58), 0);
	double written[2][600];
	for (int r = 0; r < 3; ++r)
		for (int i = 0; i < 2; ++i) {
			double *x = &written[i][r * rates[i]];
			for (int k = 0; k < rates[i]; ++k)
				x[k] = 200 * sin(0.1 * (r * rates[i] + k)) + 30 * i;
			assert_int_equal(edfwrite_physical_samples(h, x), 0);
		}
	assert_int_equal(edfwrite_annotation_latin1(h, 15000, 2500, "seizure"), 0);
	assert_int_equal(edfwrite_annotation_latin1(h, 5000, -1, "lights"), 0);
	assert_int_equal(edfclose_file(h), 0);

	wsi_recording *rec = open_ok(path);
	assert_string_equal(rec->format, format);
	assert_string_equal(rec->start_time, "2017-12-31T23:59:58");
	assert_int_equal(rec->n_channels, 3);
	assert_false(rec->channels[2].is_signal);
	for (size_t i = 0; i < 2; ++i) {
		const wsi_channel *c = &rec->channels[i];
		assert_string_equal(c->name, i ? "slow" : "fast");
		assert_string_equal(c->unit, "mV");
		assert_int_equal(c->samples, 3 * (size_t)rates[i]);
		close_to(c->fs, rates[i], 0);
		double *x = samples(rec, 0, i);
		/* EDFlib cuts to the digital step below. */
		for (size_t k = 0; k < c->samples; ++k)
			close_to(x[k], written[i][k], 1.01 * step);
		free(x);
	}
	assert_int_equal(rec->n_events, 2);
	is_event(rec, 0, 0.5, 0, "lights");
	is_event(rec, 1, 1.5, 0.25, "seizure");
	wsi_recording_close(rec);
}

static void
edflib_edf(void **state)
{
	(void)state;
	against_edflib(EDFLIB_FILETYPE_EDFPLUS, "lib.edf", "EDF+", 750.0 / 65535);
}

static void
edflib_bdf(void **state)
{
	(void)state;
	against_edflib(EDFLIB_FILETYPE_BDFPLUS, "lib.bdf", "BDF+", 750.0 / 16777215);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edflib_edf),
		cmocka_unit_test(edflib_bdf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
