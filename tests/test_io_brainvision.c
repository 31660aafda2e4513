/* test_io_brainvision.c - BrainVision: by hand, and against MNE. */
#include "io_test.h"

#define MARKERS \
	"Brain Vision Data Exchange Marker File, Version 1.0\r\n" \
	"[Common Infos]\r\nDataFile=x.eeg\r\n[Marker Infos]\r\n; a comment\r\n" \
	"Mk1=New Segment,,1,1,0,20131113161403794232\r\n" \
	"Mk2=Stimulus,S  1\\1x,4,2,0\r\nMk3=Comment,\265,2,0,0\r\n"

typedef struct header {
	const char *data_file, *marker_file, *format, *orientation, *channels, *interval, *more,
	           *type, *first, *second;
} header;

static const header usual = {
	.data_file = "x.eeg", .marker_file = "x.vmrk", .format = "BINARY",
	.orientation = "MULTIPLEXED", .channels = "2", .interval = "4000", .more = "",
	.type = "INT_16", .first = "Ch1=F\\1p1,,0.5,\302\265V", .second = "Ch2=Cz,REF,,",
};

/* Writes x.vhdr; returns its path. */
static const char *
write_header(const header *h)
{
	char text[2000];
	snprintf(text, sizeof text,
	         "Brain Vision Data Exchange Header File Version 1.0\r\n; made by hand\r\n\r\n"
	         "[Common Infos]\r\nCodepage=UTF-8\r\nDataFile=%s\r\nMarkerFile=%s\r\n"
	         "DataFormat=%s\r\nDataOrientation=%s\r\nNumberOfChannels=%s\r\n"
	         "SamplingInterval=%s\r\n%s[Binary Infos]\r\nBinaryFormat=%s\r\n"
	         "[Channel Infos]\r\n%s\r\n%s\r\n[Comment]\r\nNumberOfChannels=77\r\n",
	         h->data_file, h->marker_file, h->format, h->orientation, h->channels, h->interval,
	         h->more, h->type, h->first, h->second);
	return test_text("x.vhdr", text);
}

static const int16_t six[6] = { 1, -2, 3, -4, 500, -32768 };

static void
write_rest(void)
{
	test_file("x.eeg", six, sizeof six);
	test_text("x.vmrk", MARKERS);
}

static void
multiplexed(void **state)
{
	(void)state;
	write_rest();
	const char *header_path = write_header(&usual);
	/* Any of the three files may be named. */
	const char *paths[] = { header_path, test_path("x.eeg"), test_path("x.vmrk") };
	for (size_t i = 0; i < 3; ++i) {
		wsi_recording *rec = open_ok(paths[i]);
		assert_string_equal(rec->format, "BrainVision");
		assert_string_equal(rec->start_time, "2013-11-13T16:14:03.794232");
		assert_int_equal(rec->n_channels, 2);
		assert_int_equal(rec->epochs, 0);
		assert_string_equal(rec->channels[0].name, "F,p1");
		assert_string_equal(rec->channels[0].unit, "\302\265V");
		assert_string_equal(rec->channels[1].name, "Cz");
		assert_string_equal(rec->channels[1].unit, "\302\265V");
		assert_int_equal(rec->channels[1].samples, 3);
		close_to(rec->channels[1].fs, 250, 0);
		for (size_t k = 0; k < 3; ++k) {
			close_to(sample(rec, 0, 0, k), six[2 * k] * 0.5, 0);
			close_to(sample(rec, 0, 1, k), six[2 * k + 1], 0);
		}
		assert_int_equal(rec->n_events, 3);
		is_event(rec, 0, 0, 1 / 250.0, "New Segment");
		is_event(rec, 1, 1 / 250.0, 0, "Comment/\302\265");
		is_event(rec, 2, 3 / 250.0, 2 / 250.0, "Stimulus/S  1,x");
		wsi_recording_close(rec);
	}
}

static void
vectorized_and_types(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	h.orientation = "VECTORIZED";
	wsi_recording *rec = open_ok(write_header(&h));
	close_to(sample(rec, 0, 0, 1), -1, 0);
	close_to(sample(rec, 0, 1, 2), -32768, 0);
	wsi_recording_close(rec);

	h.type = "UINT_16";
	rec = open_ok(write_header(&h));
	close_to(sample(rec, 0, 1, 2), 32768, 0);
	wsi_recording_close(rec);

	h.type = "IEEE_FLOAT_32";
	test_file("x.eeg", (float[]){ 1.5f, 2.5f, -3.5f, 1e9f }, 16);
	rec = open_ok(write_header(&h));
	close_to(sample(rec, 0, 1, 0), -3.5, 0);
	wsi_recording_close(rec);

	h.type = "INT_32";
	test_file("x.eeg", (int32_t[]){ 1, 2, -70000, 4 }, 16);
	rec = open_ok(write_header(&h));
	close_to(sample(rec, 0, 1, 0), -70000, 0);
	wsi_recording_close(rec);
}

static void
byte_order(void **state)
{
	(void)state;
	test_file("x.eeg", "\0\1\377\376\0\3\377\374", 8);
	test_text("x.vmrk", MARKERS);
	header h = usual;
	h.type = "INT_16\r\nUseBigEndianOrder=YES\r\nDataOffset=0";
	wsi_recording *rec = open_ok(write_header(&h));
	close_to(sample(rec, 0, 0, 0), 0.5, 0);
	close_to(sample(rec, 0, 1, 0), -2, 0);
	close_to(sample(rec, 0, 1, 1), -4, 0);
	wsi_recording_close(rec);
	h.type = "INT_16\r\nDataOffset=4";
	refused(write_header(&h), WS_E_FORMAT, "DataOffset is '4'");
	h = usual;
	h.more = "DataType=FREQUENCYDOMAIN\r\n";
	refused(write_header(&h), WS_E_FORMAT, "FREQUENCYDOMAIN");
	h = usual;
	h.channels = "1";
	refused(write_header(&h), WS_E_FORMAT, "channel 2 is more than the 1");
}

static void
segments_are_epochs(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	h.more = "SegmentationType=MARKERBASED\r\nSegmentDataPoints=1\r\n";
	wsi_recording *rec = open_ok(write_header(&h));
	assert_int_equal(rec->epochs, 3);
	assert_int_equal(rec->channels[0].samples, 1);
	close_to(sample(rec, 2, 0, 0), 250, 0);
	wsi_recording_close(rec);
	h.more = "SegmentDataPoints=2\r\n";
	refused(write_header(&h), WS_E_FORMAT, "does not divide");
}

static void
cut_off_data(void **state)
{
	(void)state;
	write_rest();
	test_file("x.eeg", six, 9);
	wsi_recording *rec = open_ok(write_header(&usual));
	assert_int_equal(rec->channels[0].samples, 2);
	wsi_recording_close(rec);
	header h = usual;
	h.orientation = "VECTORIZED";
	refused(write_header(&h), WS_E_FORMAT, "cut off");
	test_file("x.eeg", six, 3);
	refused(write_header(&usual), WS_E_FORMAT, "cut off");
}

static void
lacking_points_are_told(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	noted(write_header(&h), NULL);
	h.more = "DataPoints=3\r\n";
	noted(write_header(&h), NULL);
	h.more = "DataPoints=2\r\n";
	noted(write_header(&h), NULL);
	h.more = "DataPoints=5\r\n";
	noted(write_header(&h), "the header promises 5 points");
	test_file("x.eeg", six, 9);
	noted(write_header(&usual), "x.eeg: ends within point 3: it was cut short");
}

static void
other_files_are_missed_by_name(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	h.data_file = "C:\\data\\absent.eeg";
	refused(write_header(&h), WS_E_IO, "absent.eeg cannot be opened");
	h.data_file = "";
	refused(write_header(&h), WS_E_FORMAT, "names no DataFile");
	h = usual;
	h.marker_file = "absent.vmrk";
	refused(write_header(&h), WS_E_IO, "absent.vmrk cannot be read");
	h.marker_file = "";
	wsi_recording *rec = open_ok(write_header(&h));
	assert_int_equal(rec->n_events, 0);
	wsi_recording_close(rec);
	h.data_file = "$b.eeg";
	wsi_recording_close(open_ok(write_header(&h)));
	refused(test_file("lonely.eeg", six, sizeof six), WS_E_IO, "lonely.vhdr cannot be opened");
}

static void
damage_is_refused(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	h.format = "ASCII";
	refused(write_header(&h), WS_E_FORMAT, "DataFormat is 'ASCII'");
	h = usual;
	h.orientation = "DIAGONAL";
	refused(write_header(&h), WS_E_FORMAT, "DataOrientation");
	h = usual;
	h.type = "INT_12";
	refused(write_header(&h), WS_E_FORMAT, "BinaryFormat");
	static const char *const counts[] = { "0", "-2", "1e9", "", "many", "1.5" };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
		h = usual;
		h.channels = counts[i];
		refused(write_header(&h), WS_E_FORMAT, "NumberOfChannels");
	}
	h = usual;
	h.channels = "3";
	refused(write_header(&h), WS_E_FORMAT, "no entry Ch3");
	static const char *const intervals[] = { "0", "-1", "", "inf", "4,5" };
	for (size_t i = 0; i < sizeof intervals / sizeof *intervals; ++i) {
		h = usual;
		h.interval = intervals[i];
		refused(write_header(&h), WS_E_FORMAT, "SamplingInterval");
	}
	h = usual;
	h.first = "Ch1=Fp1,,x,";
	refused(write_header(&h), WS_E_FORMAT, "the resolution 'x' is not a number");
	test_text("x.vmrk", "[Marker Infos]\nMk1=Stimulus,S1,here,1,0\n");
	refused(write_header(&usual), WS_E_FORMAT, "line 2: the position 'here'");
}

static void
abuse(void **state)
{
	(void)state;
	write_rest();
	char text[2000];
	FILE *f = fopen(write_header(&usual), "rb");
	assert_non_null(f);
	const size_t n = fread(text, 1, sizeof text, f);
	fclose(f);
	survives_truncation("x.vhdr", text, n, 1, NULL);
	test_file("x.vhdr", text, n);
	survives_truncation("x.vmrk", MARKERS, sizeof MARKERS, 1, NULL);
	for (size_t length = 0; length < sizeof MARKERS; ++length) {
		test_file("x.vmrk", MARKERS, length);
		survives(test_path("x.vhdr"), NULL);
	}
}

static void
real(void **state)
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplexed),
		cmocka_unit_test(vectorized_and_types),
		cmocka_unit_test(byte_order), cmocka_unit_test(segments_are_epochs),
		cmocka_unit_test(cut_off_data),
		cmocka_unit_test(lacking_points_are_told),
		cmocka_unit_test(other_files_are_missed_by_name),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(abuse),
		cmocka_unit_test(real),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
