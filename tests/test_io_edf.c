/* test_io_edf.c - EDF, EDF+, BDF, BDF+ by hand: what files may say, and what they may not. */
#include "io_test.h"

#include "io/read/input.h"
#include "io/read/input_select.h"

/* ---- Files by hand ------------------------------------------------------- */

typedef struct maker {
	unsigned char bytes[16384];
	size_t n;
} maker;

static void
put(maker *m, const char *text, size_t width)
{
	assert_true(strlen(text) <= width);
	memset(m->bytes + m->n, ' ', width);
	memcpy(m->bytes + m->n, text, strlen(text));
	m->n += width;
}

typedef struct edf_fields {
	const char *version, *date, *time, *header_bytes, *variant, *records, *seconds, *n;
	/* Per signal. */
	const char *label[3], *unit[3], *phys_min[3], *phys_max[3], *dig_min[3], *dig_max[3],
	           *per_record[3];
	size_t signals;
} edf_fields;

/* One signal of 4 samples a record of 1 s, from -100 to 100 uV. */
static const edf_fields plain = {
	.version = "0", .date = "24.08.09", .time = "00.20.03", .header_bytes = "512",
	.variant = "", .records = "3", .seconds = "1", .n = "1", .label = { "Fp1" },
	.unit = { "uV" }, .phys_min = { "-100" }, .phys_max = { "100" }, .dig_min = { "-2000" },
	.dig_max = { "2000" }, .per_record = { "4" }, .signals = 1,
};

static void
put_each(maker *m, const char *const text[3], size_t n, size_t width)
{
	for (size_t i = 0; i < n; ++i)
		put(m, text[i] ? text[i] : "", width);
}

static void
put_header(maker *m, const edf_fields *f)
{
	static const char *const none[3] = { NULL };
	m->n = 0;
	put(m, f->version, 8);
	put(m, "X X X X", 80);
	put(m, "Startdate 24-AUG-2009 X X X", 80);
	put(m, f->date, 8);
	put(m, f->time, 8);
	put(m, f->header_bytes, 8);
	put(m, f->variant, 44);
	put(m, f->records, 8);
	put(m, f->seconds, 8);
	put(m, f->n, 4);
	put_each(m, f->label, f->signals, 16);
	put_each(m, none, f->signals, 80);
	put_each(m, f->unit, f->signals, 8);
	put_each(m, f->phys_min, f->signals, 8);
	put_each(m, f->phys_max, f->signals, 8);
	put_each(m, f->dig_min, f->signals, 8);
	put_each(m, f->dig_max, f->signals, 8);
	put_each(m, none, f->signals, 80);
	put_each(m, f->per_record, f->signals, 8);
	put_each(m, none, f->signals, 32);
}

static void
put_samples(maker *m, size_t bytes, size_t n, const int32_t *values)
{
	for (size_t i = 0; i < n; ++i)
		for (size_t k = 0; k < bytes; ++k)
			m->bytes[m->n++] = (unsigned char)((uint32_t)values[i] >> (8 * k));
}

static const int32_t twelve[12] = { 0, 1000, -2000, 2000, 5, 6, 7, 8, 9, 10, 11, -12 };

static const char *
plain_file(maker *m, const edf_fields *f)
{
	put_header(m, f);
	put_samples(m, 2, 12, twelve);
	return test_file("plain.edf", m->bytes, m->n);
}

static void
by_hand(void **state)
{
	(void)state;
	maker m;
	wsi_recording *rec = open_ok(plain_file(&m, &plain));
	assert_string_equal(rec->format, "EDF");
	assert_string_equal(rec->start_time, "2009-08-24T00:20:03");
	assert_int_equal(rec->n_channels, 1);
	assert_int_equal(rec->epochs, 0);
	assert_true(rec->fs_known);
	assert_string_equal(rec->channels[0].name, "Fp1");
	assert_string_equal(rec->channels[0].unit, "uV");
	assert_int_equal(rec->channels[0].samples, 12);
	close_to(rec->channels[0].fs, 4, 0);
	double *x = samples(rec, 0, 0);
	for (size_t i = 0; i < 12; ++i)
		close_to(x[i], twelve[i] * 0.05, 1e-12);
	free(x);
	/* Across records, from within one. */
	double few[6];
	assert_int_equal(wsi_recording_read(rec, 0, 0, 3, 6, few), WS_OK);
	for (size_t i = 0; i < 6; ++i)
		close_to(few[i], twelve[i + 3] * 0.05, 1e-12);
	assert_int_equal(wsi_recording_read(rec, 0, 0, 8, 5, few), WS_E_ARG);
	assert_int_equal(wsi_recording_read(rec, 0, 0, 13, 0, few), WS_E_ARG);
	assert_int_equal(wsi_recording_read(rec, 0, 1, 0, 1, few), WS_E_ARG);
	assert_int_equal(wsi_recording_read(rec, 1, 0, 0, 1, few), WS_E_ARG);
	wsi_recording_close(rec);
}

static size_t
samples_with(const edf_fields *f)
{
	maker m;
	wsi_recording *rec = open_ok(plain_file(&m, f));
	const size_t n = rec->channels[0].samples;
	wsi_recording_close(rec);
	return n;
}

static void
record_count_is_believed_within_the_file(void **state)
{
	(void)state;
	edf_fields f = plain;
	const struct {
		const char *text;
		size_t samples;
	} cases[] = { { "-1", 12 }, { "", 12 }, { "0", 12 }, { "junk", 12 }, { "99999999", 12 },
	              { "2", 12 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		f.records = cases[i].text;
		assert_int_equal(samples_with(&f), cases[i].samples);
	}
	/* The last record is cut off. */
	maker m;
	plain_file(&m, &plain);
	wsi_recording *rec = open_ok(test_file("cut.edf", m.bytes, m.n - 3));
	assert_int_equal(rec->channels[0].samples, 8);
	wsi_recording_close(rec);
	refused(test_file("cut.edf", m.bytes, 512 + 7), WS_E_FORMAT, "truncated");
}

static void
lacking_records_are_told(void **state)
{
	(void)state;
	static const char *const silent[] = { "-1", "", "0", "junk", "3" };
	edf_fields f = plain;
	maker m;
	for (size_t i = 0; i < sizeof silent / sizeof *silent; ++i) {
		f.records = silent[i];
		noted(plain_file(&m, &f), NULL);
	}
	f.records = "9999";
	noted(plain_file(&m, &f), "the header promises 9999 data records, the file holds 3: it was cut");
	f.records = "2";
	noted(plain_file(&m, &f), "tells of 2 data records, the file holds 3: all that are whole");
	plain_file(&m, &f);
	noted(test_file("cut.edf", m.bytes, m.n - 3), "5 bytes follow its last data record");
	plain_file(&m, &plain);
	noted(test_file("cut.edf", m.bytes, m.n - 3), "promises 3 data records, the file holds 2");
	f.records = "-1";
	plain_file(&m, &f);
	noted(test_file("cut.edf", m.bytes, m.n - 3), "its last data record has");
}

/* Notes are lines; none replaces another. */
static void
notes_add_up(void **state)
{
	(void)state;
	maker m;
	wsi_recording *rec = open_ok(plain_file(&m, &plain));
	assert_null(rec->note);
	assert_int_equal(wsi_recording_add_note(rec, "%s: one\nline", "f"), WS_OK);
	assert_int_equal(wsi_recording_add_note(rec, "f: two"), WS_OK);
	assert_int_equal(wsi_recording_add_note(rec, "f: two"), WS_OK);
	assert_int_equal(wsi_recording_add_note(rec, "f: one"), WS_OK);
	assert_string_equal(rec->note, "f: one line\nf: two\nf: one");
	wsi_recording_close(rec);
}

/* A few bytes of a header are printable, and no table. */
static void
beginnings_are_no_tables(void **state)
{
	(void)state;
	static const char *const names[] = { "short.edf", "short.bdf", "short.rec" };
	static const char beginning[] = "0       X X X X 12 12 1234 5678 9";
	for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
		for (size_t n = 1; n < sizeof beginning; ++n)
			refused(test_file(names[i], beginning, n), WS_E_FORMAT, "truncated");
	/* What has only the name is told by its content. */
	wsi_recording *rec;
	assert_int_equal(wsi_recording_open(&rec, test_text("table.edf", "0,1\n1,2\n2,4\n"), NULL),
	                 WS_OK);
	assert_string_equal(rec->format, "text");
	wsi_recording_close(rec);
}

static void
harmless_garbage_is_tolerated(void **state)
{
	(void)state;
	maker m;
	edf_fields f = plain;
	f.header_bytes = "";
	f.date = "no date";
	f.seconds = "0,5";
	f.phys_max[0] = "100,0";
	f.unit[0] = "\265V";
	wsi_recording *rec = open_ok(plain_file(&m, &f));
	assert_string_equal(rec->start_time, "");
	assert_string_equal(rec->channels[0].unit, "\302\265V");
	close_to(rec->channels[0].fs, 8, 0);
	close_to(sample(rec, 0, 0, 1), 50, 1e-12);
	wsi_recording_close(rec);

	/* No scale: digital values, and no unit. */
	f.dig_min[0] = f.dig_max[0] = "0";
	f.seconds = "0";
	rec = open_ok(plain_file(&m, &f));
	assert_string_equal(rec->channels[0].unit, "");
	assert_false(rec->fs_known);
	close_to(rec->channels[0].fs, 1, 0);
	close_to(sample(rec, 0, 0, 1), 1000, 0);
	wsi_recording_close(rec);

	/* EDF+ says so where the date is not known. */
	plain_file(&m, &plain);
	memcpy(m.bytes + 88, "Startdate X X X X          ", 27);
	rec = open_ok(test_file("plain.edf", m.bytes, m.n));
	assert_string_equal(rec->start_time, "");
	wsi_recording_close(rec);

	/* A reversed scale is one. */
	f = plain;
	f.phys_min[0] = "100";
	f.phys_max[0] = "-100";
	rec = open_ok(plain_file(&m, &f));
	close_to(sample(rec, 0, 0, 1), -50, 1e-12);
	wsi_recording_close(rec);
}

static void
damage_is_refused(void **state)
{
	(void)state;
	maker m;
	edf_fields f;
	static const char *const numbers[] = { "0", "-1", "", "x", "1.5" };
	for (size_t i = 0; i < 5; ++i) {
		f = plain;
		f.n = numbers[i];
		put_header(&m, &f);
		/* The name alone makes it EDF: nothing else claims it. */
		refused(test_file("damaged.edf", m.bytes, m.n), WS_E_FORMAT, "number of signals");
	}
	f = plain;
	f.n = "9999";
	refused(plain_file(&m, &f), WS_E_FORMAT, "truncated in the header");
	f = plain;
	f.header_bytes = "768";
	refused(plain_file(&m, &f), WS_E_FORMAT, "says it has 768 bytes");
	f = plain;
	f.per_record[0] = "0";
	refused(plain_file(&m, &f), WS_E_FORMAT, "no signal has a sample");
	f.per_record[0] = "-4";
	refused(plain_file(&m, &f), WS_E_FORMAT, "signal 1 (Fp1)");
	f.per_record[0] = "99999999";
	refused(plain_file(&m, &f), WS_E_FORMAT, "199999998 bytes");
	f = plain;
	f.seconds = "1e-308";
	f.per_record[0] = "12";
	refused(plain_file(&m, &f), WS_E_FORMAT, "sampling rate of inf Hz");
	f = plain;
	f.version = "1";
	f.records = "4";
	refused(plain_file(&m, &f), WS_E_FORMAT, "neither EDF nor BDF");
	f.records = "3";
	f.header_bytes = "";
	refused(plain_file(&m, &f), WS_E_FORMAT, "neither EDF nor BDF");
	f.header_bytes = "512";
	plain_file(&m, &f);
	refused(test_file("plain.edf", m.bytes, m.n - 1), WS_E_FORMAT, "neither EDF nor BDF");
}

/* Another version than 0 is read where all sizes agree, whatever the file is called. */
static void
other_versions(void **state)
{
	(void)state;
	static const char *const versions[] = { "1", "", "0.0", "EDF", "\377BIOSEMJ" };
	maker m;
	edf_fields f = plain;
	for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
		f.version = versions[i];
		plain_file(&m, &f);
		const char *path = test_file(i % 2 ? "version" : "version.edf", m.bytes, m.n);
		noted(path, "not 0; the sizes in its header are the file's, so it is read as EDF");
		wsi_recording *rec = open_ok(path);
		assert_int_equal(rec->channels[0].samples, 12);
		close_to(sample(rec, 0, 0, 1), 50, 1e-12);
		wsi_recording_close(rec);
	}
	f.variant = "24BIT";
	put_header(&m, &f);
	put_samples(&m, 3, 12, twelve);
	noted(test_file("version", m.bytes, m.n), "so it is read as BDF");
}

/* Channels by the side of one whose scale is no number are read; that one is not. */
static void
scales_that_are_no_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *minimum, *maximum, *low, *high, *words;
	} cases[] = {
		{ "-100", "1_0", "-2000", "2000", "physical maximum in the header, '1_0'" },
		{ "0x10", "100", "-2000", "2000", "physical minimum in the header, '0x10'" },
		{ "-100", "100", "", "2000", "digital minimum in the header, ''" },
		{ "-100", "100", "-2000", "inf", "digital maximum in the header, 'inf'" },
		{ "-100", "nan", "-2000", "2000", "physical maximum in the header, 'nan'" },
	};
	double x[12];
	maker m;
	edf_fields f = plain;
	f.n = "2";
	f.header_bytes = "768";
	f.signals = 2;
	f.label[1] = "Cz";
	f.per_record[1] = "4";
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		f.phys_min[1] = cases[i].minimum;
		f.phys_max[1] = cases[i].maximum;
		f.dig_min[1] = cases[i].low;
		f.dig_max[1] = cases[i].high;
		put_header(&m, &f);
		for (size_t r = 0; r < 3; ++r) {
			put_samples(&m, 2, 4, twelve);
			put_samples(&m, 2, 4, twelve);
		}
		const char *path = test_file("scale.edf", m.bytes, m.n);
		wsi_recording *rec = open_ok(path);
		close_to(sample(rec, 0, 0, 1), 50, 1e-12);
		assert_non_null(strstr(rec->channels[1].fault, cases[i].words));
		assert_int_equal(wsi_recording_read(rec, 0, 1, 0, 12, x), WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), "channel Cz"));
		/* Selected by default; not selected. */
		wsi_input in;
		assert_int_equal(wsi_input_select(&in, rec, &(wsi_pick){ .type = WS_F64 }),
		                 WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), cases[i].words));
		assert_int_equal(wsi_input_select(&in, open_ok(path), &(wsi_pick){ .type = WS_F64,
		                                  .channels = "1" }), WS_OK);
		wsi_input_close(&in);
	}
	/* None of the four is there: digital values, and a note. */
	f.phys_min[1] = f.phys_max[1] = f.dig_min[1] = f.dig_max[1] = "";
	put_header(&m, &f);
	for (size_t r = 0; r < 6; ++r)
		put_samples(&m, 2, 4, twelve);
	noted(test_file("scale.edf", m.bytes, m.n), "1 channel (Cz) has no scale");
	/* Logarithms, which the first signal's prefilter tells. */
	plain_file(&m, &plain);
	memcpy(m.bytes + 256 + 136, "sign*LN[sign*(at 1Hz)/(0.5)]/(0.001)", 36);
	noted(test_file("log.edf", m.bytes, m.n), "channel Fp1 holds logarithms");
}

/* A channel without samples is no signal: the others are taken, by default too. */
static void
channels_without_samples(void **state)
{
	(void)state;
	maker m;
	edf_fields f = plain;
	f.n = "2";
	f.header_bytes = "768";
	f.signals = 2;
	f.label[1] = "none";
	f.phys_min[1] = f.dig_min[1] = "0";
	f.phys_max[1] = f.dig_max[1] = "1";
	f.per_record[1] = "0";
	put_header(&m, &f);
	put_samples(&m, 2, 12, twelve);
	wsi_recording *rec = open_ok(test_file("none.edf", m.bytes, m.n));
	assert_true(rec->channels[0].is_signal);
	assert_false(rec->channels[1].is_signal);
	wsi_input in;
	assert_int_equal(wsi_input_select(&in, rec, &(wsi_pick){ .type = WS_F64 }), WS_OK);
	assert_int_equal(in.n_channels, 1);
	assert_int_equal(in.samples, 12);
	wsi_input_close(&in);
}

static void
file_that_shrinks(void **state)
{
	(void)state;
	maker m;
	wsi_recording *rec = open_ok(plain_file(&m, &plain));
	test_file("plain.edf", m.bytes, m.n - 4);
	double x[12];
	assert_int_equal(wsi_recording_read(rec, 0, 0, 0, 12, x), WS_E_IO);
	assert_non_null(strstr(ws_error_detail(), "became shorter"));
	wsi_recording_close(rec);
}

/* ---- EDF+ ---------------------------------------------------------------- */

/* A signal and an annotation signal of 24 bytes a record of so many seconds. */
static const char *
plus_lasting(maker *m, const char *variant, const char *seconds, const char *const lists[3])
{
	edf_fields f = plain;
	f.variant = variant;
	f.seconds = seconds;
	f.n = "2";
	f.header_bytes = "768";
	f.signals = 2;
	f.label[1] = "EDF Annotations";
	f.phys_min[1] = "-1";
	f.phys_max[1] = "1";
	f.dig_min[1] = "-32768";
	f.dig_max[1] = "32767";
	f.per_record[1] = "12";
	put_header(m, &f);
	for (size_t r = 0; r < 3; ++r) {
		put_samples(m, 2, 4, twelve + 4 * r);
		/* "|" stands for the NUL that ends a list. */
		char list[24] = { 0 };
		memcpy(list, lists[r], strlen(lists[r]));
		for (size_t i = 0; i < sizeof list; ++i)
			m->bytes[m->n++] = list[i] == '|' ? 0 : (unsigned char)list[i];
	}
	return test_file("plus.edf", m->bytes, m->n);
}

static const char *
plus_file(maker *m, const char *variant, const char *const lists[3])
{
	return plus_lasting(m, variant, "1", lists);
}

static void
annotations(void **state)
{
	(void)state;
	maker m;
	static const char *const lists[3] = {
		"+0.25\x14\x14|+1.5\x15" "0.5\x14go\x14|", "+1.25\x14\x14|+0.5\x14" "a\x14\xc3\xa4\x14|",
		"+2.25\x14\x14|+0x1\x14" "h\x14|+3\x14z\x14"
	};
	wsi_recording *rec = open_ok(plus_file(&m, "EDF+C", lists));
	assert_string_equal(rec->format, "EDF+");
	assert_string_equal(rec->start_time, "2009-08-24T00:20:03.250");
	assert_int_equal(rec->n_channels, 2);
	assert_true(rec->channels[0].is_signal);
	assert_false(rec->channels[1].is_signal);
	/* Sorted, and counted from the first sample. */
	assert_int_equal(rec->n_events, 4);
	is_event(rec, 0, 0.25, 0, "a");
	is_event(rec, 1, 0.25, 0, "\xc3\xa4");
	is_event(rec, 2, 1.25, 0.5, "go");
	is_event(rec, 3, 2.75, 0, "z");
	wsi_recording_close(rec);
	/* A rate that is told moves the events with their samples. */
	rec = open_with(test_path("plus.edf"), &(wsi_open_opts){ .fs = 8 });
	close_to(rec->channels[0].fs, 8, 0);
	is_event(rec, 2, 0.625, 0.25, "go");
	wsi_recording_close(rec);
}

static void
discontinuous(void **state)
{
	(void)state;
	maker m;
	static const char *const whole[3] = { "+7\x14\x14", "+8\x14\x14", "+9.1\x14\x14" };
	static const char *const gap[3] = { "+0\x14\x14", "+1\x14\x14", "+5\x14\x14" };
	static const char *const unstamped[3] = { "+0\x14\x14", "", "+2\x14\x14" };
	/* 0.1 s is less than half a sample at 4 Hz. */
	wsi_recording *rec = open_ok(plus_file(&m, "EDF+D", whole));
	assert_int_equal(rec->channels[0].samples, 12);
	wsi_recording_close(rec);
	rec = open_ok(plus_file(&m, "EDF+D", gap));
	assert_int_equal(rec->n_segments, 2);
	close_to(rec->segments[1].start, 5, 0);
	wsi_recording_close(rec);
	rec = open_ok(plus_file(&m, "EDF+D", unstamped));
	assert_int_equal(rec->n_segments, 2);
	wsi_recording_close(rec);
	noted(plus_file(&m, "EDF+C", gap), "its data record 3 is stamped 5 s where 2 s is due");
	noted(plus_file(&m, "EDF+C", whole), NULL);
	/* Nobody knows how long records are. */
	rec = open_ok(plus_lasting(&m, "EDF+D", "0", whole));
	assert_int_equal(rec->n_segments, 3);
	close_to(rec->segments[2].at, 8, 0);
	wsi_recording_close(rec);
	static const char *const never[3] = { "+0\x14\x14", "+1\x14\x14", "+1e300\x14\x14" };
	refused(plus_file(&m, "EDF+D", never), WS_E_FORMAT, "damaged: its segment 2 begins at 1e+300");
	edf_fields f = plain;
	f.variant = "EDF+D";
	noted(plain_file(&m, &f), "has no annotations that tell where");
	rec = open_ok(test_path("plain.edf"));
	assert_int_equal(rec->n_segments, 3);
	wsi_recording_close(rec);
}

/* ---- BDF ----------------------------------------------------------------- */

static void
biosemi(void **state)
{
	(void)state;
	maker m;
	edf_fields f = plain;
	f.version = "\377BIOSEMI";
	f.variant = "24BIT";
	f.records = "-1";
	f.n = "2";
	f.header_bytes = "768";
	f.signals = 2;
	f.phys_min[0] = "-262144";
	f.phys_max[0] = "262143";
	f.dig_min[0] = "-8388608";
	f.dig_max[0] = "8388607";
	f.label[1] = "Status";
	f.per_record[1] = "4";
	put_header(&m, &f);
	static const int32_t x[4] = { -8388608, 8388607, -1, 300000 };
	static const int32_t first[4] = { 0x10007, 0x10007, 0x10005, 0x20005 };
	static const int32_t second[4] = { 0x10000, 0x10009, -1, 0x10000 };
	put_samples(&m, 3, 4, x);
	put_samples(&m, 3, 4, first);
	put_samples(&m, 3, 4, x);
	put_samples(&m, 3, 4, second);
	wsi_recording *rec = open_ok(test_file("bio.bdf", m.bytes, m.n));
	assert_string_equal(rec->format, "BDF");
	assert_int_equal(rec->channels[0].samples, 8);
	assert_false(rec->channels[1].is_signal);
	const double gain = (262143.0 + 262144.0) / 16777215.0;
	for (size_t i = 0; i < 4; ++i)
		close_to(sample(rec, 0, 0, 4 + i), -262144 + gain * (x[i] + 8388608.0), 1e-6);
	/* What lies there from the start is no onset, nor is a return to 0. */
	assert_int_equal(rec->n_events, 3);
	is_event(rec, 0, 0.5, 0, "5");
	is_event(rec, 1, 1.25, 0, "9");
	is_event(rec, 2, 1.5, 0, "65535");
	wsi_recording_close(rec);
}

/* A status channel of 16 samples, of these values; 4 samples a second. */
static wsi_recording *
status_file(const int32_t values[16])
{
	maker m;
	edf_fields f = plain;
	f.version = "\377BIOSEMI";
	f.variant = "24BIT";
	f.records = "4";
	f.label[0] = "Status";
	put_header(&m, &f);
	put_samples(&m, 3, 16, values);
	return open_ok(test_file("status.bdf", m.bytes, m.n));
}

/* Inputs that nothing is connected to are 1: that is where they rest. */
static void
triggers_that_rest_at_a_level(void **state)
{
	(void)state;
	enum { REST = 0x10ff00 };
	wsi_recording *rec = status_file((int32_t[16]){ 0, REST, REST, REST, REST + 3, REST + 3,
		REST, REST, REST, REST + 5, REST + 6, REST, REST, REST, 0x100003, REST });
	assert_int_equal(rec->n_events, 4);
	is_event(rec, 0, 1, 0, "3");
	is_event(rec, 1, 2.25, 0, "5");
	is_event(rec, 2, 2.5, 0, "6");
	is_event(rec, 3, 3.5, 0, "3");
	assert_non_null(strstr(rec->note, "trigger channel Status rests at 65280"));
	wsi_recording_close(rec);
	/* A code that is held for most of the time is no rest where there is a 0. */
	rec = status_file((int32_t[16]){ 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 7, 7, 7, 7 });
	assert_int_equal(rec->n_events, 2);
	is_event(rec, 0, 0.5, 0, "7");
	is_event(rec, 1, 3, 0, "7");
	assert_null(rec->note);
	wsi_recording_close(rec);
	/* Rest alone. */
	rec = status_file((int32_t[16]){ REST, REST, REST, REST, REST, REST, REST, REST, REST,
		REST, REST, REST, REST, REST, REST, REST });
	assert_int_equal(rec->n_events, 0);
	assert_null(rec->note);
	wsi_recording_close(rec);
}

/* What the file tells of its clock, and of annotations that cannot be read. */
static void
dates_and_lost_lists(void **state)
{
	(void)state;
	static const char *const whole[3] = { "+0\x14\x14|", "+1\x14\x14|", "+2\x14\x14|" };
	static const char *const later[3] = { "+3600.5\x14\x14|", "+3601.5\x14\x14|", "+3602.5\x14\x14|" };
	static const char *const lost[3] = { "+0\x14\x14|+1,5\x14" "go\x14|", "+1\x14\x14|1.5\x14" "go\x14|",
	                                     "+2\x14\x14|+2.5\x14" "go\x14|" };
	static const struct {
		const char *date, *identification, *start;
	} dates[] = {
		{ "24.08.09", "Startdate 24-AUG-1909 X", "1909-08-24T00:20:03" },
		{ "24.08.yy", "Startdate 24-AUG-2109 X", "2109-08-24T00:20:03" },
		{ "24.08.09", "Startdate 23-AUG-1909 X", "2009-08-24T00:20:03" },
		{ "24.08.yy", "Startdate 23-AUG-2109 X", "" },
		{ "29.02.21", "", "" },
	};
	maker m;
	for (size_t i = 0; i < sizeof dates / sizeof *dates; ++i) {
		plus_file(&m, "EDF+C", whole);
		memset(m.bytes + 88, ' ', 80);
		memcpy(m.bytes + 88, dates[i].identification, strlen(dates[i].identification));
		memcpy(m.bytes + 168, dates[i].date, 8);
		wsi_recording *rec = open_ok(test_file("dates.edf", m.bytes, m.n));
		assert_string_equal(rec->start_time, dates[i].start);
		wsi_recording_close(rec);
	}
	wsi_recording *rec = open_ok(plus_file(&m, "EDF+C", later));
	assert_string_equal(rec->start_time, "2009-08-24T01:20:03.500");
	wsi_recording_close(rec);
	rec = open_ok(plus_file(&m, "EDF+C", lost));
	assert_int_equal(rec->n_events, 1);
	assert_non_null(strstr(rec->note, "2 annotations have no time that can be read"));
	wsi_recording_close(rec);
	edf_fields f = plain;
	f.seconds = "none";
	noted(plain_file(&m, &f), "no duration of data records, so no sampling rate");
	f = plain;
	f.variant = "BDF+C";
	put_header(&m, &f);
	put_samples(&m, 3, 12, twelve);
	refused(test_file("wide.edf", m.bytes, m.n), WS_E_FORMAT, "its sizes are those of samples of 3");
}

/* ---- Abuse --------------------------------------------------------------- */

static void
abuse(void **state)
{
	(void)state;
	maker m;
	static const char *const lists[3] = { ("+0\x14\x14|+1\x15" "0.5\x14go\x14|"), "+1\x14\x14",
	                                      "+2\x14\x14" };
	plus_file(&m, "EDF+D", lists);
	survives_truncation("abuse.edf", m.bytes, m.n, 3, NULL);
	/* Each byte in turn wrong. */
	static const unsigned char wrong[] = { '-', '9', 0, 0xff, '9' };
	for (size_t i = 0; i < m.n; ++i) {
		const unsigned char right = m.bytes[i];
		m.bytes[i] = wrong[i % sizeof wrong];
		survives(test_file("abuse.edf", m.bytes, m.n), NULL);
		m.bytes[i] = right;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(record_count_is_believed_within_the_file),
		cmocka_unit_test(lacking_records_are_told),
		cmocka_unit_test(notes_add_up),
		cmocka_unit_test(beginnings_are_no_tables),
		cmocka_unit_test(harmless_garbage_is_tolerated),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(other_versions),
		cmocka_unit_test(scales_that_are_no_numbers),
		cmocka_unit_test(channels_without_samples),
		cmocka_unit_test(file_that_shrinks),
		cmocka_unit_test(annotations),
		cmocka_unit_test(discontinuous),
		cmocka_unit_test(biosemi),
		cmocka_unit_test(triggers_that_rest_at_a_level),
		cmocka_unit_test(dates_and_lost_lists),
		cmocka_unit_test(abuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
