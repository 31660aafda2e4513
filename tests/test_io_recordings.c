/*
 * test_io_recordings.c - every reader on real recordings, where there are any (WAVESIFT_DATA).
 * Files that are made on the spot are in the test_io_* of each format.
 */
#include <stdlib.h>

#include "io_test.h"

/* ---- EDF and BDF; figures by MNE 1.x: read_raw_edf(..).get_data() ---------- */

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

/* ---- Other formats --------------------------------------------------------- */

static void
brainvision(void **state)
{
	(void)state;
	/* MNE 1.x: read_raw_brainvision(..).get_data(). */
	wsi_recording *rec = open_ok(data_file("eeg/brainvision/test.vhdr"));
	assert_int_equal(rec->n_channels, 32);
	assert_int_equal(rec->channels[0].samples, 7900);
	close_to(rec->channels[0].fs, 1000, 0);
	close_to(sample(rec, 0, 0, 0), -23.5, 1e-9);
	close_to(sample(rec, 0, 0, 1234), -24.5, 1e-9);
	close_to(sum_of(rec, 0), 919.5, 1e-6);
	close_to(sum_of(rec, 1), 48143.5, 1e-6);
	close_to(sum_of(rec, 26), 53546.5, 1e-6);
	close_to(sum_of(rec, 31), 1545295, 1e-6);
	assert_string_equal(rec->channels[1].unit, "\302\265V");
	assert_string_equal(rec->channels[27].unit, "\302\265S");
	assert_int_equal(rec->n_events, 14);
	is_event(rec, 1, 0.486, 0, "Stimulus/S253");
	is_event(rec, 13, 7.699, 0.001, "Optic/O  1");
	wsi_recording_close(rec);
}

/* The sample data set of EEGLAB, and the same samples as others publish them. */
static void
eeglab(void **state)
{
	(void)state;
	enum { N_CHANNELS = 32, N_SAMPLES = 30504 };
	FILE *f = fopen(data_file("eeg/pannon/EEGsample_32CH_30504.bin"), "rb");
	assert_non_null(f);
	float *expected = malloc(N_SAMPLES * sizeof *expected);
	wsi_recording *rec = open_ok(data_file("eeg/eeglab/eeglab_data.set"));
	assert_int_equal(rec->n_channels, N_CHANNELS);
	assert_int_equal(rec->channels[0].samples, N_SAMPLES);
	assert_int_equal(rec->epochs, 0);
	close_to(rec->channels[0].fs, 128, 0);
	assert_string_equal(rec->channels[0].name, "FPz");
	assert_string_equal(rec->channels[31].name, "O2");
	assert_int_equal(rec->n_events, 154);
	is_event(rec, 0, 1.0000683593749999, 0, "square");
	for (size_t c = 0; c < N_CHANNELS; ++c) {
		assert_int_equal(fread(expected, sizeof *expected, N_SAMPLES, f), N_SAMPLES);
		double *x = samples(rec, 0, c);
		for (size_t t = 0; t < N_SAMPLES; ++t)
			if (x[t] != (double)expected[t])
				fail_msg("channel %zu sample %zu: %g, not %g", c, t, x[t], (double)expected[t]);
		free(x);
	}
	wsi_recording_close(rec);
	free(expected);
	fclose(f);
}

/* GW150914: 32 s of strain, a mask of 32 integers and more beside it. */
static void
hdf5(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(data_file("ligo/H-H1_LOSC_4_V2-1126259446-32.hdf5"));
	assert_int_equal(rec->n_channels, 1);
	assert_int_equal(rec->channels[0].samples, 131072);
	close_to(rec->channels[0].fs, 4096, 0);
	close_to(sample(rec, 0, 0, 0), 2.177040281449375e-19, 0);
	close_to(sample(rec, 0, 0, 131071), 7.5812119511653e-20, 0);
	wsi_recording_close(rec);
}

static void
mat73(void **state)
{
	(void)state;
	wsi_recording *rec = open_with(data_file("cases/mat73-nullpad/a73.mat"),
	                               &(wsi_open_opts){ .fs = 100 });
	wsi_recording *same = open_with(data_file("cases/mat73-nullpad/c73.mat"),
	                                &(wsi_open_opts){ .fs = 100 });
	for (int i = 0; i < 2; ++i) {
		assert_int_equal(rec->n_channels, 2);
		assert_int_equal(rec->channels[i].samples, 1000);
		close_to(rec->channels[i].fs, 100, 0);
		close_to(sum_of(rec, (size_t)i), sum_of(same, (size_t)i), 0);
	}
	wsi_recording_close(rec);
	wsi_recording_close(same);
	/* Of fs the name MATLAB_class is damaged; HDF5 says that it is a number. */
	rec = open_ok(data_file("cases/checksum/C_bad.mat"));
	close_to(rec->channels[0].fs, 100, 0);
	wsi_recording_close(rec);
	rec = open_ok(data_file("cases/checksum/evc.set"));
	assert_int_equal(rec->n_channels, 3);
	assert_int_equal(rec->n_events, 10);
	close_to((double)rec->channels[0].samples / rec->channels[0].fs, 2.56, 1e-12);
	wsi_recording_close(rec);
}

static void
numpy_arrays(void **state)
{
	(void)state;
	/* Figures by numpy.load. */
	wsi_recording *rec = open_ok(data_file("ecg/scipy_ecg.dat"));
	assert_int_equal(rec->channels[0].samples, 108000);
	close_to(sample(rec, 0, 0, 0), 975, 0);
	close_to(sum_of(rec, 0), 107025651, 0);
	wsi_recording_close(rec);
	rec = open_with(data_file("seismic/obspy_example.npz"), &(wsi_open_opts){ .variable = "EHZ",
	                                                                         .fs = 100 });
	assert_int_equal(rec->channels[0].samples, 3000);
	close_to(rec->channels[0].fs, 100, 0);
	close_to(sum_of(rec, 0), -13486.690859101, 1e-6);
	wsi_recording_close(rec);
}

static void
raw(void **state)
{
	(void)state;
	const wsi_open_opts opts = { .raw = "f32,channels=32,order=channel", .fs = 128 };
	wsi_recording *rec = open_with(data_file("eeg/pannon/EEGsample_32CH_30504.bin"), &opts);
	assert_int_equal(rec->channels[3].samples, 30504);
	close_to(rec->channels[3].fs, 128, 0);
	double *fourth = samples(rec, 0, 3);
	wsi_recording_close(rec);
	/* The same channel, published on its own. */
	rec = open_with(data_file("eeg/pannon/eegSampleDataCH4.bin"), &(wsi_open_opts){ .raw = "f32" });
	double *alone = samples(rec, 0, 0);
	assert_memory_equal(fourth, alone, 30504 * sizeof *alone);
	wsi_recording_close(rec);
	free(fourth);
	free(alone);
}

static void
sound(void **state)
{
	(void)state;
	/* Figures by Python's soundfile. */
	wsi_recording *rec = open_ok(data_file("audio/glacier-bay-humpback.ogg"));
	assert_int_equal(rec->channels[0].samples, 1429039);
	close_to(rec->channels[0].fs, 22050, 0);
	close_to(sample(rec, 0, 0, 1234), 0.3715552091598511, 1e-6);
	close_to(sample(rec, 0, 0, 1429038), 0.25957831740379333, 1e-6);
	close_to(sum_of(rec, 0), 509042.3206003491, 1e-2);
	wsi_recording_close(rec);
	rec = open_ok(data_file("audio/test2_8000.wav"));
	assert_int_equal(rec->channels[0].samples, 241581);
	close_to(sample(rec, 0, 0, 1234), 0.040069580078125, 0);
	close_to(sum_of(rec, 0), 0.23614501953125, 1e-12);
	wsi_recording_close(rec);
}

static void
tables(void **state)
{
	(void)state;
	/* Figures as head, tail and wc -l show them. */
	wsi_recording *rec = open_ok(data_file("climate/co2_weekly.csv"));
	assert_int_equal(rec->channels[0].samples, 2284);
	assert_string_equal(rec->channels[0].name, "co2");
	assert_string_equal(rec->start_time, "1958-03-29T00:00:00");
	close_to(rec->channels[0].fs, 1 / (7 * 86400.0), 1e-18);
	close_to(sample(rec, 0, 0, 1), 317.3, 0);
	close_to(sample(rec, 0, 0, 2283), 371.5, 0);
	wsi_recording_close(rec);
	rec = open_ok(data_file("climate/elnino.csv"));
	assert_int_equal(rec->n_channels, 1);
	assert_int_equal(rec->channels[0].samples, 61 * 12);
	close_to(rec->channels[0].fs, 12 / (365.2425 * 86400), 1e-20);
	close_to(sample(rec, 0, 0, 23), 22.89, 0);
	wsi_recording_close(rec);
	rec = open_ok(data_file("climate/derived_lod_daily.csv"));
	assert_int_equal(rec->channels[0].samples, 19581);
	close_to(rec->channels[0].fs, 1 / 86400.0, 1e-17);
	wsi_recording_close(rec);
	rec = open_ok(data_file("climate/sunspots_monthly.dat"));
	assert_int_equal(rec->channels[0].samples, 260 * 12 + 6);
	close_to(sample(rec, 0, 0, 11), 85.2, 0);
	close_to(sample(rec, 0, 0, 260 * 12 + 5), 2.6, 0);
	close_to(rec->time_origin, 1749 * 365.2425 * 86400, 1);
	wsi_recording_close(rec);
	refused(data_file("climate/global_temp_monthly.csv"), WS_E_FORMAT, "column 1 (Source): 'gcag'");
}

static void
forms_of_tables(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(data_file("cases/time-column/unixms.csv"));
	close_to(rec->channels[0].fs, 250, 1e-9);
	wsi_recording_close(rec);
	rec = open_ok(data_file("cases/time-column/tshd.csv"));
	assert_int_equal(rec->n_channels, 1);
	close_to(rec->channels[0].fs, 250, 1e-9);
	wsi_recording_close(rec);
	rec = open_ok(data_file("cases/numeric-header/pd_noidx.csv"));
	assert_int_equal(rec->channels[0].samples, 1000);
	wsi_recording_close(rec);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_edf_plus), cmocka_unit_test(real_rates_differ),
		cmocka_unit_test(real_annotations_only), cmocka_unit_test(real_biosemi),
		cmocka_unit_test(abuse_of_real), cmocka_unit_test(brainvision),
		cmocka_unit_test(eeglab), cmocka_unit_test(hdf5), cmocka_unit_test(mat73),
		cmocka_unit_test(numpy_arrays), cmocka_unit_test(raw), cmocka_unit_test(sound),
		cmocka_unit_test(tables), cmocka_unit_test(forms_of_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
