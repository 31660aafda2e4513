/* test_io_edf_real.c - EDF, EDF+, BDF, BDF+ that others wrote: EDFlib, and real recordings by MNE. */
#include "io_test.h"

#include <edflib.h>

/* ---- EDFlib writes, we read ---------------------------------------------- */

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

/* ---- Real files; figures by MNE 1.x: read_raw_edf(..).get_data() ---------- */

static void
real_edf_plus(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(data_file("eeg/edf/mne_test.edf"));
	assert_int_equal(rec->n_channels, 140);
	assert_string_equal(rec->start_time, "2014-04-29T22:19:44");
	assert_string_equal(rec->channels[0].name, "A1");
	assert_int_equal(rec->channels[0].samples, 3072);
	close_to(rec->channels[0].fs, 512, 0);
	close_to(sample(rec, 0, 0, 0), -15, 1e-9);
	close_to(sample(rec, 0, 0, 1234), 12, 1e-9);
	close_to(sample(rec, 0, 0, 3071), -30, 1e-9);
	close_to(sum_of(rec, 0), -7386, 1e-6);
	close_to(sum_of(rec, 1), 17910, 1e-6);
	assert_int_equal(rec->n_events, 5);
	is_event(rec, 1, 0.1344, 0.256, "type A");
	is_event(rec, 4, 2.5, 2.5, "type A");
	wsi_recording_close(rec);
}

static void
real_rates_differ(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(data_file("eeg/edf/mne_test_uneven_samp.edf"));
	assert_int_equal(rec->n_channels, 2);
	close_to(rec->channels[0].fs, 100, 0);
	close_to(rec->channels[1].fs, 12.8, 1e-12);
	close_to(sample(rec, 0, 0, 1), 0.9375, 1e-12);
	close_to(sample(rec, 0, 0, 1234), 0.625, 1e-12);
	close_to(sum_of(rec, 0), 26.318359375, 1e-9);
	wsi_recording_close(rec);
	refused_with(data_file("eeg/edf/mne_test_uneven_samp.edf"), &(wsi_open_opts){ .fs = 100 },
	             WS_E_ARG, "differing rates");
}

static void
real_annotations_only(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(data_file("eeg/edf/wfdb_test_edfann.edf"));
	assert_int_equal(rec->n_channels, 1);
	assert_false(rec->channels[0].is_signal);
	assert_int_equal(rec->n_events, 856);
	is_event(rec, 2, 33.43, 0, "Lights off@@EEG F4-A1");
	wsi_recording_close(rec);
}

static void
real_biosemi(void **state)
{
	(void)state;
	/* Record count -1; EDFlib refuses it. */
	wsi_recording *rec = open_ok(data_file("eeg/bdf/sccn_test.bdf"));
	assert_int_equal(rec->n_channels, 17);
	assert_int_equal(rec->channels[0].samples, 15360);
	close_to(sample(rec, 0, 0, 0), -526.6094063883666, 1e-9);
	close_to(sample(rec, 0, 0, 1234), -458.4844023277999, 1e-9);
	close_to(sum_of(rec, 0), -8115898.608745255, 1e-3);
	/* mne.find_events: 40, the first at sample 414; inputs rest at 254, and become 255. */
	assert_int_equal(rec->n_events, 40);
	is_event(rec, 0, 414 / 256.0, 0, "1");
	wsi_recording_close(rec);
	rec = open_ok(data_file("eeg/bdf/pyedflib_test_generator.bdf"));
	assert_string_equal(rec->format, "BDF+");
	close_to(sample(rec, 0, 0, 1234), 891.0064632300411, 1e-9);
	wsi_recording_close(rec);
}

/* ---- Abuse --------------------------------------------------------------- */

static void
abuse_of_real(void **state)
{
	(void)state;
	static unsigned char bytes[60000];
	FILE *f = fopen(data_file("eeg/edf/mne_test.edf"), "rb");
	assert_non_null(f);
	const size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	survives_truncation("abuse.edf", bytes, n, 97, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edflib_edf),
		cmocka_unit_test(edflib_bdf),
		cmocka_unit_test(real_edf_plus),
		cmocka_unit_test(real_rates_differ),
		cmocka_unit_test(real_annotations_only),
		cmocka_unit_test(real_biosemi),
		cmocka_unit_test(abuse_of_real),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
