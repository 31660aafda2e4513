/* test_io_pauses.c - recordings that were interrupted: what each format tells of it, and what is
 * then selected.  All recordings have 1000 samples of 0, 1, 2, .. at 100 Hz. */
#include <matio.h>

#include "io/read/input.h"
#include "io/read/input_read.h"
#include "io/read/input_select.h"
#include "io/read/pauses.h"
#include "io/read/segments.h"
#include "io_test.h"

#define SAMPLES 1000
#define FS 100

/* ---- Files ---------------------------------------------------------------------------- */

static unsigned char bytes[1 << 16];
static size_t n_bytes;

static void
put(const char *text, size_t width)
{
	memset(bytes + n_bytes, ' ', width);
	memcpy(bytes + n_bytes, text, strlen(text));
	n_bytes += width;
}

static void
put_each(const char *first, const char *const *others, const char *other, size_t n, size_t width)
{
	put(first, width);
	for (size_t i = 1; i < n; ++i)
		put(others ? others[i - 1] : other, width);
}

/* The channel Cz, and n - 1 more of these names and samples a record. */
static void
put_head(bool bdf, const char *variant, size_t n, const char *const *names,
         const char *const *samples)
{
	char text[12];
	n_bytes = 0;
	put(bdf ? "\377BIOSEMI" : "0", 8);
	put("X X X X", 80);
	put("Startdate 24-AUG-2009 X X X", 80);
	put("24.08.09", 8);
	put("00.20.03", 8);
	snprintf(text, sizeof text, "%zu", 256 * (n + 1));
	put(text, 8);
	put(variant, 44);
	put("10", 8);
	put("1", 8);
	snprintf(text, sizeof text, "%zu", n);
	put(text, 4);
	put_each("Cz", names, NULL, n, 16);
	put_each("", NULL, "", n, 80);
	put_each("uV", NULL, "", n, 8);
	put_each("-8192", NULL, "-1", n, 8);
	put_each("8191", NULL, "1", n, 8);
	put_each("-8192", NULL, "-8192", n, 8);
	put_each("8191", NULL, "8191", n, 8);
	put_each("", NULL, "", n, 80);
	put_each("100", samples, NULL, n, 8);
	put_each("", NULL, "", n, 32);
}

static void
put_integer(uint32_t value, size_t width)
{
	for (size_t k = 0; k < width; ++k)
		bytes[n_bytes++] = (unsigned char)(value >> (8 * k));
}

/* lists: of each record; "|" stands for NUL. */
static const char *
edf_file(const char *variant, const char *const lists[10])
{
	put_head(false, variant, 2, (const char *[]){ "EDF Annotations" }, (const char *[]){ "40" });
	for (uint32_t r = 0; r < 10; ++r) {
		for (uint32_t i = 0; i < FS; ++i)
			put_integer(r * FS + i, 2);
		memset(bytes + n_bytes, 0, 80);
		assert_true(strlen(lists[r]) < 80);
		for (size_t i = 0; lists[r][i]; ++i)
			bytes[n_bytes + i] = lists[r][i] == '|' ? 0 : (unsigned char)lists[r][i];
		n_bytes += 80;
	}
	return test_file("pause.edf", bytes, n_bytes);
}

/* BDF+D: 0 to 5 s and 25 to 30 s, and a status that is 9 from sample 750 on for one sample. */
static const char *
bdf_plus_file(void)
{
	put_head(true, "BDF+D", 3, (const char *[]){ "BDF Annotations", "Status" },
	         (const char *[]){ "20", "100" });
	for (uint32_t r = 0; r < 10; ++r) {
		for (uint32_t i = 0; i < FS; ++i)
			put_integer(r * FS + i, 3);
		memset(bytes + n_bytes, 0, 60);
		snprintf((char *)bytes + n_bytes, 60, "+%u\x14\x14", r < 5 ? r : r + 20);
		n_bytes += 60;
		for (uint32_t i = 0; i < FS; ++i)
			put_integer(r * FS + i == 750 ? 9 : r * FS + i == 850 ? 0x10000 : 0, 3);
	}
	return test_file("plus.bdf", bytes, n_bytes);
}

/* status: where it changes, and to what, in turn. */
static const char *
bdf_file(const uint32_t (*status)[2], size_t n)
{
	put_head(true, "24BIT", 2, (const char *[]){ "Status" }, (const char *[]){ "100" });
	uint32_t now = 0;
	for (uint32_t r = 0; r < 10; ++r) {
		for (uint32_t i = 0; i < FS; ++i)
			put_integer(r * FS + i, 3);
		for (uint32_t i = 0; i < FS; ++i) {
			for (size_t k = 0; k < n; ++k)
				if (status[k][0] == r * FS + i)
					now = status[k][1];
			put_integer(now, 3);
		}
	}
	return test_file("pause.bdf", bytes, n_bytes);
}

static const char *
brainvision_file(const char *markers, const char *more)
{
	char text[2000];
	float x[SAMPLES];
	for (size_t i = 0; i < SAMPLES; ++i)
		x[i] = (float)i;
	test_file("pause.eeg", x, sizeof x);
	snprintf(text, sizeof text, "Brain Vision Data Exchange Marker File, Version 1.0\n"
	         "[Common Infos]\nDataFile=pause.eeg\n[Marker Infos]\n%s", markers);
	test_text("pause.vmrk", text);
	snprintf(text, sizeof text, "Brain Vision Data Exchange Header File Version 1.0\n"
	         "[Common Infos]\nDataFile=pause.eeg\nMarkerFile=pause.vmrk\nDataFormat=BINARY\n"
	         "DataOrientation=MULTIPLEXED\nNumberOfChannels=1\nSamplingInterval=10000\n%s"
	         "[Binary Infos]\nBinaryFormat=IEEE_FLOAT_32\n[Channel Infos]\nCh1=Cz,,1,uV\n", more);
	return test_text("pause.vhdr", text);
}

typedef struct set_event {
	const char *type;   /* NULL: the number -99 */
	double latency, duration;
} set_event;

static matvar_t *
number(const char *name, double value)
{
	return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){ 1, 1 }, &value, 0);
}

static void
add_field(matvar_t *set, matvar_t *v)
{
	assert_int_equal(Mat_VarAddStructField(set, v->name), 0);
	Mat_VarSetStructFieldByName(set, v->name, 0, v);
}

static const char *
set_file(size_t epochs, const set_event *e, size_t n)
{
	static const char *const fields[] = { "type", "latency", "duration" };
	const char *path = test_path("pause.set");
	double x[SAMPLES];
	for (size_t i = 0; i < SAMPLES; ++i)
		x[i] = (double)i;
	mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
	matvar_t *set = Mat_VarCreateStruct("EEG", 2, (size_t[]){ 1, 1 }, NULL, 0);
	matvar_t *events = Mat_VarCreateStruct("event", 2, (size_t[]){ 1, n }, (const char **)fields,
	                                       3);
	for (size_t i = 0; i < n; ++i) {
		matvar_t *type = !e[i].type ? number("type", -99)
			: Mat_VarCreate("type", MAT_C_CHAR, MAT_T_UINT8, 2,
			                (size_t[]){ 1, strlen(e[i].type) }, (void *)e[i].type, 0);
		Mat_VarSetStructFieldByName(events, "type", i, type);
		Mat_VarSetStructFieldByName(events, "latency", i, number("latency", e[i].latency));
		Mat_VarSetStructFieldByName(events, "duration", i,
		                            number("duration", e[i].duration));
	}
	add_field(set, number("nbchan", 1));
	add_field(set, number("pnts", (double)(SAMPLES / epochs)));
	add_field(set, number("trials", (double)epochs));
	add_field(set, number("srate", FS));
	add_field(set, number("xmin", 0));
	add_field(set, Mat_VarCreate("data", MAT_C_DOUBLE, MAT_T_DOUBLE, epochs > 1 ? 3 : 2,
	                             (size_t[]){ 1, SAMPLES / epochs, epochs }, x, 0));
	add_field(set, events);
	assert_int_equal(Mat_VarWrite(mat, set, MAT_COMPRESSION_NONE), 0);
	Mat_VarFree(set);
	Mat_Close(mat);
	return path;
}

/* ---- What formats tell ------------------------------------------------------------------ */

static void
has_segments(const char *path, size_t n, const wsi_segment *want)
{
	wsi_recording *rec = open_ok(path);
	if (rec->n_segments != n)
		fail_msg("%s: %zu segments, not %zu", path, rec->n_segments, n);
	for (size_t k = 0; k < n; ++k) {
		close_to(rec->segments[k].at, want[k].at, 1e-9);
		close_to(rec->segments[k].start, want[k].start, 1e-9);
		if (isnan(want[k].pause) != isnan(rec->segments[k].pause))
			fail_msg("%s: the pause before segment %zu is %g", path, k + 1,
			         rec->segments[k].pause);
		if (!isnan(want[k].pause))
			close_to(rec->segments[k].pause, want[k].pause, 1e-6);
	}
	wsi_recording_close(rec);
}

static const char *const stamps[10] = { "+0\x14\x14", "+1\x14\x14", "+2\x14\x14", "+3\x14\x14",
	"+4\x14\x14", "+5\x14\x14", "+6\x14\x14", "+7\x14\x14", "+8\x14\x14", "+9\x14\x14" };

static void
edf(void **state)
{
	(void)state;
	const char *lists[10];
	memcpy(lists, stamps, sizeof lists);
	has_segments(edf_file("EDF+D", lists), 0, NULL);
	/* The header's time is not that of the first sample. */
	lists[0] = "+0.5\x14\x14";
	for (int r = 1; r < 10; ++r)
		lists[r] = (const char *const[]){ "", "+1.5\x14\x14", "+2.5\x14\x14", "+3.5\x14\x14",
			"+14.5\x14\x14|+14.75\x14go\x14", "+15.5\x14\x14", "+16.5\x14\x14",
			"+17.2\x14\x14", "+18.2\x14\x14", "+19.2\x14\x14" }[r];
	/* A pause of 10 s, then records that overlap by 0.3 s. */
	has_segments(edf_file("EDF+D", lists), 3, (wsi_segment[]){ { 0, 0, NAN }, { 4, 14, 10 },
	             { 7, 16.7, -0.3 } });
	/* Continuous, whatever it stamps. */
	has_segments(edf_file("EDF+C", lists), 0, NULL);
	/* A record that has no time may lie anywhere. */
	memcpy(lists, stamps, sizeof lists);
	lists[6] = "";
	has_segments(edf_file("EDF+D", lists), 2, (wsi_segment[]){ { 0, 0, NAN }, { 6, 6, NAN } });
	/* Half a sample moves none. */
	lists[6] = "+6.004\x14\x14";
	has_segments(edf_file("EDF+D", lists), 0, NULL);
}

static void
edf_annotations(void **state)
{
	(void)state;
	const char *lists[10];
	memcpy(lists, stamps, sizeof lists);
	lists[0] = "+0\x14\x14|+0\x14Recording starts\x14";
	lists[4] = "+4\x14\x14|+4.25\x14Recording ends\x14";
	lists[5] = "+5\x14\x14|+5.5\x14Recording starts\x14|+6\x14Lights off\x14";
	lists[9] = "+9\x14\x14|+10\x14Recording ends\x14";
	has_segments(edf_file("EDF+C", lists), 3, (wsi_segment[]){ { 0, 0, NAN },
	             { 4.25, 4.25, NAN }, { 5.5, 5.5, NAN } });
	memcpy(lists, stamps, sizeof lists);
	lists[2] = "+2\x14\x14|+2.5\x14" "EDGE boundary\x14" "BAD boundary\x14";
	lists[3] = "+3\x14\x14|+3\x15" "1.5\x14" "BAD_ACQ_SKIP\x14";
	lists[7] = "+7\x14\x14|+7\x15" "12\x14" "boundary\x14";
	has_segments(edf_file("EDF+C", lists), 5, (wsi_segment[]){ { 0, 0, NAN }, { 2.5, 2.5, NAN },
	             { 3, 3, NAN }, { 4.5, 4.5, NAN }, { 7, 7, 12 } });
	/* Their times are the file's own. */
	memcpy(lists, stamps, sizeof lists);
	for (int r = 5; r < 10; ++r)
		lists[r] = (const char *const[]){ "+25\x14\x14", "+26\x14\x14",
			"+27\x14\x14|+27.5\x14" "EDGE boundary\x14", "+28\x14\x14",
			"+29\x14\x14" }[r - 5];
	has_segments(edf_file("EDF+D", lists), 3, (wsi_segment[]){ { 0, 0, NAN }, { 5, 25, 20 },
	             { 7.5, 27.5, NAN } });
}

static void
bdf(void **state)
{
	(void)state;
	/* High from the first sample on, and again where recording went on. */
	has_segments(bdf_file((const uint32_t[][2]){ { 0, 0x910000 }, { 1, 0x900000 },
	             { 200, 0x900007 }, { 201, 0x900000 }, { 400, 0x910000 }, { 700, 0x900000 } }, 6),
	             2, (wsi_segment[]){ { 0, 0, NAN }, { 4, 4, NAN } });
	has_segments(bdf_file((const uint32_t[][2]){ { 0, 0x910000 } }, 1), 0, NULL);
	/* Triggers lie where their samples do, at times that have the pause in them. */
	wsi_recording *rec = open_ok(bdf_plus_file());
	is_event(rec, 0, 27.5, 0, "9");
	wsi_recording_close(rec);
	has_segments(test_path("plus.bdf"), 3, (wsi_segment[]){ { 0, 0, NAN }, { 5, 25, 20 },
	             { 8.5, 28.5, NAN } });
	/* Triggers below 0 are no words of a device. */
	has_segments(bdf_file((const uint32_t[][2]){ { 300, 0xffffff }, { 301, 0 } }, 2), 0, NULL);
}

static void
brainvision(void **state)
{
	(void)state;
	has_segments(brainvision_file("Mk1=New Segment,,1,1,0,20131113161403000000\n"
	             "Mk2=Stimulus,S1,200,1,0\n", ""), 0, NULL);
	has_segments(brainvision_file("Mk1=New Segment,,1,1,0,20131113161403000000\n"
	             "Mk2=New Segment,,401,1,0,20131113161410500000\nMk3=New Segment,x,601,1,0\n", ""),
	             3, (wsi_segment[]){ { 0, 0, NAN }, { 4, 4, 3.5 }, { 6, 6, NAN } });
	/* Written by MNE, of recordings put together. */
	has_segments(brainvision_file("Mk1=New Segment,,1,1,0\n"
	             "Mk2=Comment,BAD boundary,401,1,0\nMk3=Comment,EDGE boundary,401,1,0\n", ""), 2,
	             (wsi_segment[]){ { 0, 0, NAN }, { 4, 4, NAN } });
	/* Markers between epochs part nothing that belongs together. */
	const char *path = brainvision_file("Mk1=New Segment,,1,1,0\nMk2=New Segment,,501,1,0\n",
	                                    "SegmentDataPoints=500\n");
	wsi_input in;
	assert_int_equal(wsi_input_select(&in, open_ok(path), &(wsi_pick){ .type = WS_F64 }), WS_OK);
	assert_int_equal(in.n_epochs, 2);
	wsi_input_close(&in);
}

static void
eeglab(void **state)
{
	(void)state;
	has_segments(set_file(1, (set_event[]){ { "boundary", 0.5, 12 }, { "S1", 200, 0 },
	             { "boundary", 500.5, 6000 }, { "boundary", 1000.5, NAN } }, 4), 2,
	             (wsi_segment[]){ { 0, 0, NAN }, { 5, 5, 60 } });
	has_segments(set_file(1, (set_event[]){ { "boundary", 501, NAN }, { NULL, 700.5, 0 } }, 2), 3,
	             (wsi_segment[]){ { 0, 0, NAN }, { 5, 5, NAN }, { 7, 7, NAN } });
}

/* ---- What is selected ------------------------------------------------------------------- */

static wsi_moment
at(const char *text)
{
	return (wsi_moment){ .text = text, .value = strtod(text, NULL) };
}

static void
selects_between(const char *path, wsi_pick pick, size_t first, size_t samples, double time,
                size_t before, size_t after)
{
	wsi_input in;
	double x[SAMPLES];
	pick.type = WS_F64;
	pick.channels = "1";
	if (wsi_input_select(&in, open_ok(path), &pick) != WS_OK)
		fail_msg("%s", ws_error_detail());
	assert_int_equal(in.samples, samples);
	assert_int_equal(in.first, first);
	close_to(wsi_input_first_time(&in), time, 1e-9);
	wsi_input_plan(&in, SIZE_MAX);
	assert_int_equal(wsi_input_start(&in, path, NULL), WS_OK);
	assert_int_equal(wsi_input_read(&in, 0, x), WS_OK);
	assert_int_equal(wsi_input_handed(&in), samples + in.before + in.after);
	for (size_t i = 0; i < wsi_input_handed(&in); ++i)
		close_to(x[i], (double)(first - in.before + i), 1e-2);
	assert_true(in.before == before && in.after == after);
	wsi_input_close(&in);
}

static void
selects(const char *path, wsi_pick pick, size_t first, size_t samples, double time)
{
	selects_between(path, pick, first, samples, time, 0, 0);
}

static void
does_not(const char *path, wsi_pick pick, ws_status expected, const char *words)
{
	wsi_input in;
	pick.type = WS_F64;
	const ws_status status = wsi_input_select(&in, open_ok(path), &pick);
	if (status == WS_OK)
		fail_msg("%s: was selected; expected: %s", path, words);
	if (status != expected || !strstr(ws_error_detail(), words))
		fail_msg("%s: %s, not %s: %s", ws_error_detail(), ws_status_name(status),
		         ws_status_name(expected), words);
	assert_null(strchr(ws_error_detail(), '\n'));
}

/* EDF+D: 0 to 5 s, a pause of 20 s, 25 to 30 s; events before, in and after the pause. */
static const char *
told_times(void)
{
	const char *lists[10];
	memcpy(lists, stamps, sizeof lists);
	lists[1] = "+1\x14\x14|+2\x14go\x14|+10\x14" "coffee\x14";
	for (int r = 5; r < 10; ++r)
		lists[r] = (const char *const[]){ "+25\x14\x14|+25.2\x14go\x14", "+26\x14\x14",
			"+27\x14\x14|+27.5\x14go\x14", "+28\x14\x14", "+29\x14\x14" }[r - 5];
	return edf_file("EDF+D", lists);
}

static void
segments_and_times(void **state)
{
	(void)state;
	const char *path = told_times();
	static const char list[] = "2 segments, 1 (0 to 5 s), 2 (25 to 30 s); choose one with "
	                           "`segment`";
	does_not(path, (wsi_pick){ 0 }, WS_E_FORMAT, list);
	selects(path, (wsi_pick){ .segment = 1 }, 0, 500, 0);
	selects(path, (wsi_pick){ .segment = 2 }, 500, 500, 25);
	selects(path, (wsi_pick){ .segment = 2, .from = at("26"), .to = at("27.5") }, 600, 150, 26);
	does_not(path, (wsi_pick){ .segment = 3 }, WS_E_ARG, "has 2: 1 (0 to 5 s)");
	does_not(path, (wsi_pick){ .segment = 1, .from = at("26") }, WS_E_ARG, "ends at 5 s");
	/* Times are enough where they lie inside one. */
	selects(path, (wsi_pick){ .to = at("5") }, 0, 500, 0);
	selects(path, (wsi_pick){ .from = at("28") }, 800, 200, 28);
	selects(path, (wsi_pick){ .from = at("1"), .to = at("3") }, 100, 200, 1);
	does_not(path, (wsi_pick){ .from = at("1") }, WS_E_FORMAT, "`from 1`: not inside one");
	does_not(path, (wsi_pick){ .from = at("4"), .to = at("26") }, WS_E_FORMAT, list);
	does_not(path, (wsi_pick){ .from = at("8"), .to = at("9") }, WS_E_FORMAT, list);
	/* Joined, times count samples. */
	selects(path, (wsi_pick){ .join = true }, 0, 1000, 0);
	selects(path, (wsi_pick){ .join = true, .from = at("4"), .to = at("6") }, 400, 200, 4);
	does_not(path, (wsi_pick){ .join = true, .segment = 1 }, WS_E_ARG, "give one of them");
	/* Formats that count samples do so across pauses. */
	path = brainvision_file("Mk1=New Segment,,1,1,0\nMk2=New Segment,,401,1,0\n", "");
	does_not(path, (wsi_pick){ 0 }, WS_E_FORMAT, "2 segments, 1 (0 to 4 s), 2 (4 to 10 s)");
	selects(path, (wsi_pick){ .segment = 2 }, 400, 600, 4);
	selects(path, (wsi_pick){ .from = at("4"), .to = at("6") }, 400, 200, 4);
	does_not(path, (wsi_pick){ .from = at("3.99"), .to = at("6") }, WS_E_FORMAT, "not inside");
	path = set_file(1, (set_event[]){ { "boundary", 500.5, 6000 } }, 1);
	selects(path, (wsi_pick){ .segment = 2 }, 500, 500, 5);
	path = bdf_file((const uint32_t[][2]){ { 400, 0x10000 } }, 1);
	selects(path, (wsi_pick){ .segment = 2 }, 400, 600, 4);
	/* One segment is all. */
	path = brainvision_file("Mk1=New Segment,,1,1,0\n", "");
	selects(path, (wsi_pick){ .segment = 1 }, 0, 1000, 0);
	does_not(path, (wsi_pick){ .segment = 2 }, WS_E_ARG, "has 1, as it has no pause");
}

/* The clock when the segment began, and when its times are 0. */
static void
clock_is(const char *path, size_t segment, const char *began, const char *zero)
{
	wsi_input in;
	char text[32] = "";
	const wsi_pick pick = { .type = WS_F64, .channels = "1", .segment = segment };
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	assert_int_equal(wsi_input_segment_clock(&in, text), *began != '\0');
	assert_string_equal(text, began);
	assert_string_equal(wsi_input_start_time(&in), zero);
	wsi_input_close(&in);
}

static void
clocks(void **state)
{
	(void)state;
	const char *path = told_times();
	clock_is(path, 1, "2009-08-24T00:20:03", "2009-08-24T00:20:03");
	clock_is(path, 2, "2009-08-24T00:20:28", "2009-08-24T00:20:03");
	path = brainvision_file("Mk1=New Segment,,1,1,0,20131113161403250000\n"
	                        "Mk2=New Segment,,401,1,0,20131113161410750000\n"
	                        "Mk3=New Segment,x,601,1,0\n", "");
	clock_is(path, 1, "2013-11-13T16:14:03.250", "2013-11-13T16:14:03.250000");
	clock_is(path, 2, "2013-11-13T16:14:10.750", "");
	clock_is(path, 3, "", "");
}

static void
overlap(void **state)
{
	(void)state;
	const char *lists[10];
	memcpy(lists, stamps, sizeof lists);
	for (int r = 5; r < 10; ++r)
		lists[r] = (const char *const[]){ "+3\x14\x14|+3.5\x14go\x14|+1.5\x14go\x14",
			"+4\x14\x14", "+5\x14\x14", "+6\x14\x14|+6.5\x14go\x14", "+7\x14\x14" }[r - 5];
	const char *path = edf_file("EDF+D", lists);
	selects(path, (wsi_pick){ .segment = 2 }, 500, 500, 3);
	selects(path, (wsi_pick){ .from = at("5"), .to = at("6") }, 700, 100, 5);
	/* Both have it. */
	does_not(path, (wsi_pick){ .from = at("3"), .to = at("4") }, WS_E_FORMAT, "not inside one");
	/* An event that both have belongs to neither, unless one is chosen. */
	wsi_input in;
	wsi_pick pick = { .type = WS_F64, .epochs_at = "go", .tmin = -0.1, .tmax = 0.1 };
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	assert_int_equal(in.n_epochs, 2);
	assert_int_equal(in.starts[0], 140);
	assert_int_equal(in.starts[1], 840);
	assert_int_equal(in.crossing, 1);
	wsi_input_close(&in);
	pick.segment = 2;
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	assert_int_equal(in.n_epochs, 2);
	assert_int_equal(in.starts[0], 540);
	wsi_input_close(&in);
}

static void
epochs_at_events(void **state)
{
	(void)state;
	wsi_input in;
	wsi_pick pick = { .type = WS_F64, .channels = "1", .epochs_at = "go,coffee", .tmin = -0.5,
		.tmax = 1 };
	const char *path = told_times();
	double x[SAMPLES];
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	assert_int_equal(in.n_epochs, 2);
	assert_int_equal(in.starts[0], 150);
	assert_int_equal(in.starts[1], 700);
	assert_int_equal(in.crossing, 2);
	assert_int_equal(in.left_out, 0);
	wsi_input_plan(&in, SIZE_MAX);
	assert_int_equal(wsi_input_start(&in, path, NULL), WS_OK);
	assert_int_equal(wsi_input_read(&in, 1, x), WS_OK);
	close_to(x[0], 700, 1e-2);
	wsi_input_close(&in);
	/* What --from and --to leave is not cut by a pause, but not whole. */
	pick.from = at("26");
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	assert_int_equal(in.n_epochs, 1);
	assert_int_equal(in.left_out, 2);
	assert_int_equal(in.crossing, 1);
	wsi_input_close(&in);
	pick.from = (wsi_moment){ 0 };
	/* Joined: what lies in the pause lies where it ended. */
	pick.join = true;
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	assert_int_equal(in.n_epochs, 4);
	assert_int_equal(in.joined, 2);
	assert_int_equal(in.starts[1], 450);
	assert_int_equal(in.starts[2], 470);
	assert_int_equal(in.starts[3], 700);
	wsi_input_close(&in);
	pick.join = false;
	pick.tmin = -20;
	does_not(path, pick, WS_E_ARG, "without a pause");
}

/* What lies about times, up to pauses and ends. */
static void
beyond(void **state)
{
	(void)state;
	const char *path = told_times();
	selects_between(path, (wsi_pick){ .beyond = true, .segment = 2 }, 500, 500, 25, 0, 0);
	selects_between(path, (wsi_pick){ .beyond = true, .segment = 2, .from = at("26"),
	                                  .to = at("27.5") }, 600, 150, 26, 100, 250);
	selects_between(path, (wsi_pick){ .beyond = true, .from = at("1"), .to = at("3") }, 100,
	                200, 1, 100, 200);
	selects_between(path, (wsi_pick){ .beyond = true, .join = true, .from = at("4"),
	                                  .to = at("6") }, 400, 200, 4, 400, 400);
	path = brainvision_file("Mk1=New Segment,,1,1,0\n", "");
	selects_between(path, (wsi_pick){ .beyond = true, .from = at("4"), .to = at("6") }, 400,
	                200, 4, 400, 400);
	/* Of epochs as much as all of them have: the 4th of 100 samples is cut after its 50th. */
	path = set_file(10, (set_event[]){ { "boundary", 350.5, NAN } }, 1);
	selects_between(path, (wsi_pick){ .beyond = true, .from = at("0.1"), .to = at("0.4") }, 10,
	                30, 0.1, 10, 10);
	selects_between(path, (wsi_pick){ .beyond = true, .from = at("0.6"), .to = at("0.8") }, 60,
	                20, 0.6, 10, 20);
	selects_between(path, (wsi_pick){ .beyond = true, .from = at("0.6"), .to = at("0.8"),
	                                  .epochs = "1-3" }, 60, 20, 0.6, 60, 20);
	/* Epochs around events have no neighbours. */
	wsi_input in;
	const wsi_pick pick = { .type = WS_F64, .channels = "1", .epochs_at = "go", .tmin = -0.1,
		.tmax = 0.1, .beyond = true };
	assert_int_equal(wsi_input_select(&in, open_ok(told_times()), &pick), WS_OK);
	assert_int_equal(in.before + in.after, 0);
	wsi_input_close(&in);
}

static void
epochs_of_the_file(void **state)
{
	(void)state;
	wsi_input in;
	/* Of 10 epochs of 1 s the 4th is cut; a boundary between the 6th and 7th is none. */
	const char *path = set_file(10, (set_event[]){ { "boundary", 350.5, NAN },
	                                               { "boundary", 600.5, NAN } }, 2);
	does_not(path, (wsi_pick){ 0 }, WS_E_FORMAT,
	         "1 of its epochs (4); choose others with `epochs 1-3,5-10`");
	does_not(path, (wsi_pick){ .segment = 1 }, WS_E_ARG, "has epochs");
	wsi_pick others = { .type = WS_F64, .epochs = "1-3,5-10" }, join = { .join = true };
	wsi_pick part = { .to = at("0.5") };
	assert_int_equal(wsi_input_select(&in, open_ok(path), &others), WS_OK);
	wsi_input_close(&in);
	assert_int_equal(wsi_input_select(&in, open_ok(path), &join), WS_OK);
	assert_int_equal(in.n_epochs, 10);
	wsi_input_close(&in);
	/* The part of each epoch before the cut. */
	assert_int_equal(wsi_input_select(&in, open_ok(path), &part), WS_OK);
	wsi_input_close(&in);
}

/* Times of any size fit the message. */
static void
long_times(void **state)
{
	(void)state;
	char text[10][60];
	const char *lists[10];
	for (int r = 0; r < 10; ++r) {
		snprintf(text[r], sizeof text[r], "+%s%d.123456789\x14\x14",
		         r ? "12345678901234567" : "", r);
		lists[r] = text[r];
	}
	does_not(edf_file("EDF+D", lists), (wsi_pick){ 0 }, WS_E_FORMAT,
	         " s), 3 (");
	selects(test_path("pause.edf"), (wsi_pick){ .segment = 1 }, 0, 100, 0);
}

/* A rate that is told moves pauses with their samples. */
static void
another_rate(void **state)
{
	(void)state;
	wsi_recording *rec = open_with(told_times(), &(wsi_open_opts){ .fs = 50 });
	assert_int_equal(rec->n_segments, 2);
	close_to(rec->segments[1].at, 10, 1e-9);
	close_to(rec->segments[1].start, 50, 1e-9);
	wsi_recording_close(rec);
}

/* As many as a file can tell of take memory that is counted, and little time. */
static void
many(void **state)
{
	(void)state;
	enum { N = 200000 };
	put_head(true, "24BIT", 2, (const char *[]){ "Status" }, (const char *[]){ "100" });
	const size_t head = n_bytes, n = head + 6 * (size_t)N;
	unsigned char *file = calloc(n, 1);
	assert_non_null(file);
	memcpy(file, bytes, head);
	memcpy(file + 236, "-1      ", 8);
	for (size_t r = 0; r < N / FS; ++r)
		for (size_t i = 0; i < FS; i += 2)
			file[head + 600 * r + 300 + 3 * i + 2] = 1;
	const char *path = test_file("many.bdf", file, n);
	free(file);
	wsi_recording *rec = open_ok(path);
	assert_int_equal(rec->n_segments, N / 2);
	does_not(path, (wsi_pick){ .type = WS_F64 }, WS_E_FORMAT, "and 99995 more");
	does_not(path, (wsi_pick){ .type = WS_F64, .from = at("1"), .to = at("5") }, WS_E_FORMAT,
	         "not inside");
	wsi_recording_close(rec);
	refused_with(path, &(wsi_open_opts){ .memory = 4 << 20 }, WS_E_NOMEM, "segments take");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edf), cmocka_unit_test(edf_annotations), cmocka_unit_test(bdf),
		cmocka_unit_test(brainvision), cmocka_unit_test(eeglab),
		cmocka_unit_test(segments_and_times), cmocka_unit_test(clocks), cmocka_unit_test(overlap),
		cmocka_unit_test(epochs_at_events), cmocka_unit_test(epochs_of_the_file),
		cmocka_unit_test(beyond),
		cmocka_unit_test(long_times), cmocka_unit_test(another_rate),
		cmocka_unit_test(many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
