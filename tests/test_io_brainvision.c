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
	noted(write_header(&h), "has no DataPoints, and one channel after the other");
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

/* Neither is as if it were not there. */
static void
numbers_of_points_that_are_none(void **state)
{
	(void)state;
	write_rest();
	static const char *const keys[] = { "DataPoints", "SegmentDataPoints" };
	static const char *const values[] = { "many", "3,0", "-3", "1.5", "inf" };
	for (size_t k = 0; k < 2; ++k) {
		char line[64];
		header h = usual;
		h.more = line;
		for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
			snprintf(line, sizeof line, "%s=%s\r\n", keys[k], values[i]);
			refused(write_header(&h), WS_E_FORMAT, keys[k]);
		}
		snprintf(line, sizeof line, "%s=\r\n", keys[k]);
		noted(write_header(&h), NULL);
		snprintf(line, sizeof line, "%s=0\r\n", keys[k]);
		noted(write_header(&h), NULL);
	}
	test_text("x.vmrk", "[Marker Infos]\r\nMk1=a,,1,x,0\r\nMk2=a,,1,,0\r\n");
	noted(write_header(&usual), "1 line, the first of them line 2, cannot be read as marker");
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
	noted(write_header(&h), "tells of 2 points, ");
	wsi_recording *rec = open_ok(write_header(&h));
	assert_int_equal(rec->channels[0].samples, 3);
	wsi_recording_close(rec);
	/* Channel after channel each begins where the number of points says. */
	h.orientation = "VECTORIZED";
	refused(write_header(&h), WS_E_FORMAT, "where each begins is not known");
	h.more = "DataPoints=5\r\n";
	refused(write_header(&h), WS_E_FORMAT, "where each begins is not known");
	h.orientation = "MULTIPLEXED";
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
	remove(test_path("x.eeg"));
	h.data_file = "C:\\data\\absent.eeg";
	refused(write_header(&h), WS_E_IO, "absent.eeg cannot be opened");
	remove(test_path("x.vmrk"));
	test_file("x.eeg", six, sizeof six);
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
	h.format = "HEX";
	refused(write_header(&h), WS_E_FORMAT, "DataFormat is 'HEX'");
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
	static const char *const intervals[] = { "0", "-1", "", "inf", "4,5", "0x10" };
	for (size_t i = 0; i < sizeof intervals / sizeof *intervals; ++i) {
		h = usual;
		h.interval = intervals[i];
		refused(write_header(&h), WS_E_FORMAT, "SamplingInterval");
	}
	h = usual;
	h.first = "Ch1=Fp1,,x,";
	refused(write_header(&h), WS_E_FORMAT, "the resolution 'x' is not a number");
}

/* A marker that cannot be read costs itself. */
static void
bad_markers(void **state)
{
	(void)state;
	write_rest();
	test_text("x.vmrk", "[Marker Infos]\nMk1=Stimulus,S1,1,1,0\nMk2=Stimulus,S2,here,1,0\n"
	          "Mk3=Stimulus,S3,3,1,0\n");
	wsi_recording *rec = open_ok(write_header(&usual));
	assert_int_equal(rec->n_events, 2);
	is_event(rec, 0, 0, 1 / 250.0, "Stimulus/S1");
	is_event(rec, 1, 2 / 250.0, 1 / 250.0, "Stimulus/S3");
	assert_non_null(strstr(rec->note, "1 line, the first of them line 3, cannot be read as "
	                       "marker: it is left out"));
	wsi_recording_close(rec);
	test_text("x.vmrk", "[Marker Infos]\nMk1=Stimulus\nMkX=Stimulus,S2,2,1,0\nMk3=,,0x2,1\n");
	noted(write_header(&usual), "3 lines, the first of them line 2");
}

/* The header's own name leads to files that were renamed with it. */
static void
renamed_trios(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	h.data_file = "before.eeg";
	h.marker_file = "before.vmrk";
	const char *path = write_header(&h);
	noted(path, "the data file that it names, ");
	noted(path, "the marker file that it names, ");
	wsi_recording *rec = open_ok(test_path("x.eeg"));
	assert_int_equal(rec->n_events, 3);
	close_to(sample(rec, 0, 0, 2), 250, 0);
	wsi_recording_close(rec);
	/* A file that is there is the one. */
	test_file("before.eeg", six + 2, sizeof six - 4);
	rec = open_ok(path);
	assert_int_equal(rec->channels[0].samples, 2);
	wsi_recording_close(rec);
	remove(test_path("before.eeg"));
}

static void
not_segmented(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	h.more = "SegmentationType=NOTSEGMENTED\r\nSegmentDataPoints=1\r\n";
	wsi_recording *rec = open_ok(write_header(&h));
	assert_int_equal(rec->epochs, 0);
	assert_int_equal(rec->channels[0].samples, 3);
	wsi_recording_close(rec);
}

/* Headers .ahdr: their data may have one channel more. */
static void
ahdr(void **state)
{
	(void)state;
	write_rest();
	header h = usual;
	h.more = "DataPoints=3\r\n";
	rename(write_header(&h), test_path("x.ahdr"));
	wsi_recording *rec = open_ok(test_path("x.eeg"));
	close_to(sample(rec, 0, 1, 2), -32768, 0);
	wsi_recording_close(rec);
	/* Twelve bytes are three points of two channels or two of three. */
	h.more = "DataPoints=2\r\n";
	rename(write_header(&h), test_path("x.ahdr"));
	rec = open_ok(test_path("x.ahdr"));
	assert_int_equal(rec->channels[0].samples, 2);
	close_to(sample(rec, 0, 0, 1), -2, 0);
	close_to(sample(rec, 0, 1, 1), 500, 0);
	wsi_recording_close(rec);
	rename(write_header(&usual), test_path("x.ahdr"));
	refused(test_path("x.ahdr"), WS_E_FORMAT, "add DataPoints=");
	test_file("x.eeg", six, 8);
	rec = open_ok(test_path("x.ahdr"));
	assert_int_equal(rec->channels[0].samples, 2);
	wsi_recording_close(rec);
	remove(test_path("x.ahdr"));
}

/* ---- Samples that are text ------------------------------------------------------------------ */

static const char *
text_header(const char *orientation, const char *infos)
{
	static char more[400];
	header h = usual;
	snprintf(more, sizeof more, "[ASCII Infos]\r\n%s", infos);
	h.format = "ASCII";
	h.orientation = orientation;
	h.more = more;
	return write_header(&h);
}

/* 1.5, -2; 3e2, 4; 0.25, 6: the first channel in half units. */
static void
holds_six(const char *path)
{
	static const double expected[2][3] = { { 0.75, 150, 0.125 }, { -2, 4, 6 } };
	wsi_recording *rec = open_ok(path);
	assert_int_equal(rec->n_channels, 2);
	assert_int_equal(rec->channels[1].samples, 3);
	assert_int_equal(rec->n_events, 3);
	for (size_t c = 0; c < 2; ++c)
		for (size_t i = 0; i < 3; ++i)
			close_to(sample(rec, 0, c, i), expected[c][i], 0);
	wsi_recording_close(rec);
}

static void
text_samples(void **state)
{
	(void)state;
	write_rest();
	static const struct {
		const char *orientation, *infos, *data;
	} cases[] = {
		{ "MULTIPLEXED", "DecimalSymbol=.\r\n", "1.5 -2\r\n3e2 4\r\n.25 6\r\n" },
		{ "MULTIPLEXED", "", "1.5,-2\n300,4\n0.25,6" },
		{ "MULTIPLEXED", "DecimalSymbol=,\r\nSkipLines=1\r\n",
		  "Fp1 Cz\n 1,5 -2,0\n 300,0 4,0\n 0,25 6,0\n\n" },
		{ "MULTIPLEXED", "SkipColumns=1\r\n", "0 1.5 -2\n4 300 4\n8 0.25 6\n" },
		{ "VECTORIZED", "", "1.5 300 0.25\n-2 4 6\n" },
		{ "VECTORIZED", "DecimalSymbol=,\r\nSkipColumns=1\r\n",
		  "Fp1 1,5 300,0 ,25\r\nCz -2,0 4,0 6,0\r\n" },
		{ "VECTORIZED", "SkipLines=2\r\n", "a\n\n1.5;300;0.25\n-2;4;6" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		test_text("x.eeg", cases[i].data);
		holds_six(text_header(cases[i].orientation, cases[i].infos));
	}
	static const struct {
		const char *orientation, *data, *words;
	} wrong[] = {
		{ "MULTIPLEXED", "Fp1 Cz\n1 2\n", "line 1: 'Fp1' is no number" },
		{ "MULTIPLEXED", "1 2\n0x10 4\n", "line 2: '0x10' is no number" },
		{ "MULTIPLEXED", "1 2\n3 4 5\n6 7\n", "line 2 has more than 2 numbers" },
		{ "MULTIPLEXED", "1 2\n3\n6 7\n", "line 2 has 1 numbers" },
		{ "VECTORIZED", "1 2 3\n4 5\n", "line 2 has 2 numbers, others have 3" },
		{ "VECTORIZED", "1 2 3\n", "has 1 lines of numbers" },
		{ "MULTIPLEXED", "\n\n", "has no samples" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
		test_text("x.eeg", wrong[i].data);
		refused(text_header(wrong[i].orientation, ""), WS_E_FORMAT, wrong[i].words);
	}
	test_text("x.eeg", "1 2\n3 4\n5");
	noted(text_header("MULTIPLEXED", ""), "ends within point 3: it was cut short");
	test_text("x.eeg", "1 2\n3 4\n5 6\n");
	noted(text_header("VECTORIZED", ""), "line 3 follows the samples");
	refused(text_header("VECTORIZED", "SkipLines=x\r\n"), WS_E_FORMAT, "SkipLines is 'x'");
	refused(text_header("VECTORIZED", "DecimalSymbol=#\r\n"), WS_E_FORMAT, "DecimalSymbol");
	/* A header .ahdr: a column more. */
	test_text("x.eeg", "1.5 -2 7\n300 4 8\n0.25 6 9\n");
	rename(text_header("MULTIPLEXED", ""), test_path("x.ahdr"));
	holds_six(test_path("x.ahdr"));
	remove(test_path("x.ahdr"));
	static const char text[] = "1.5 300 0.25\n-2 4 6\n";
	for (size_t n = 0; n < sizeof text; ++n) {
		test_file("x.eeg", text, n);
		survives(text_header(n % 2 ? "VECTORIZED" : "MULTIPLEXED", ""), NULL);
		survives(test_path("x.vhdr"), &(wsi_open_opts){ .memory = 1000 });
	}
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplexed),
		cmocka_unit_test(vectorized_and_types),
		cmocka_unit_test(byte_order), cmocka_unit_test(segments_are_epochs),
		cmocka_unit_test(cut_off_data),
		cmocka_unit_test(numbers_of_points_that_are_none),
		cmocka_unit_test(lacking_points_are_told),
		cmocka_unit_test(other_files_are_missed_by_name),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(bad_markers),
		cmocka_unit_test(renamed_trios),
		cmocka_unit_test(not_segmented),
		cmocka_unit_test(ahdr),
		cmocka_unit_test(text_samples),
		cmocka_unit_test(abuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
