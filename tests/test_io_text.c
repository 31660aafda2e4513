/* test_io_text.c - tables of numbers: delimiters, headers, time, refusals. */
#include "io_test.h"

#include <fcntl.h>

#include "io/read/text_time.h"
#include "io/read/time_units.h"

static wsi_recording *
open_text(const char *text)
{
	return open_ok(test_text("t.csv", text));
}

static void
delimiters(void **state)
{
	(void)state;
	static const char *const tables[] = {
		"1,-2.5\n3,4e2\n", "1\t-2.5\r\n3\t4e2\r\n", "1;-2.5\n3;4e2", "1 -2.5\n 3   4e2 \n",
		"# about\n\n% more\n1, -2.5\n3 ,+4e2\n", "\"1\",\"-2.5\"\n\"3\",\"4e2\"\n",
		"1,-2.5,\n3,4e2,\n", ("\xef\xbb\xbf" "1,-2.5\n3,4e2\n"), "1\t -2.5\n3 \t4e2\n",
	};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
		wsi_recording *rec = open_text(tables[i]);
		assert_string_equal(rec->format, "text");
		assert_int_equal(rec->n_channels, 2);
		assert_string_equal(rec->channels[1].name, "2");
		assert_int_equal(rec->channels[1].samples, 2);
		assert_false(rec->fs_known);
		close_to(sample(rec, 0, 0, 0), 1, 0);
		close_to(sample(rec, 0, 1, 0), -2.5, 0);
		close_to(sample(rec, 0, 0, 1), 3, 0);
		close_to(sample(rec, 0, 1, 1), 400, 0);
		wsi_recording_close(rec);
	}
}

static void
header_and_missing(void **state)
{
	(void)state;
	wsi_recording *rec = open_text("\"a, \"\"b\"\"\",\265V\n1,\nNA,2\n nan ,3\n");
	assert_string_equal(rec->channels[0].name, "a, \"b\"");
	assert_string_equal(rec->channels[1].name, "\302\265V");
	assert_true(isnan(sample(rec, 0, 1, 0)));
	assert_true(isnan(sample(rec, 0, 0, 1)));
	assert_true(isnan(sample(rec, 0, 0, 2)));
	close_to(sample(rec, 0, 1, 2), 3, 0);
	wsi_recording_close(rec);
	rec = open_text("\"\",\"x\"\n\"1\",5\n\"2\",6\n");
	assert_int_equal(rec->n_channels, 1);
	assert_string_equal(rec->channels[0].name, "x");
	close_to(sample(rec, 0, 0, 1), 6, 0);
	wsi_recording_close(rec);
	rec = open_text(",x\n0,5\n2,6\n");
	assert_int_equal(rec->n_channels, 2);
	assert_string_equal(rec->channels[0].name, "1");
	wsi_recording_close(rec);
	/* One column, even of this name, is data. */
	rec = open_text("time\n1\n2\n");
	assert_int_equal(rec->n_channels, 1);
	close_to(sample(rec, 0, 0, 1), 2, 0);
	wsi_recording_close(rec);
}

static void
rate_is(const char *table, double fs, const char *start)
{
	wsi_recording *rec = open_text(table);
	assert_int_equal(rec->n_channels, 1);
	assert_true(rec->fs_known == (fs > 0));
	close_to(rec->channels[0].fs, fs > 0 ? fs : 1, fs * 1e-12);
	assert_string_equal(rec->start_time, start);
	wsi_recording_close(rec);
}

static void
time_column(void **state)
{
	(void)state;
	rate_is("time,x\n0,1\n0.004,2\n0.008,3\n", 250, "");
	rate_is("Time (ms);x\n10;1\n12;2\n14;3\n", 500, "");
	rate_is("t\tx\n5\t1\n7\t2\n9\t3\n", 0.5, "");
	/* Steps of 1/128 s as printed: the whole rate is meant. */
	char table[16384], *end = table + sprintf(table, "time_s,x\n");
	for (int i = 0; i < 1000; ++i)
		end += sprintf(end, "%.3f,%d\n", i / 128.0, i);
	rate_is(table, 128, "");
	rate_is("t,x\n0,1\n", 0, "");
	rate_is("year,x\n1700,1\n1701,2\n", 1 / (365.2425 * 86400), "");
	/* No name says that it is the time. */
	wsi_recording *rec = open_text("a,b\n0,1\n1,2\n2,3\n");
	assert_int_equal(rec->n_channels, 2);
	wsi_recording_close(rec);
}

static void
begins(const char *table, double fs, double origin, double unit)
{
	wsi_recording *rec = open_with(test_text("t.csv", table), &(wsi_open_opts){ .fs = fs });
	close_to(rec->time_origin, origin, fabs(origin) * 1e-15);
	close_to(rec->time_unit, unit, 0);
	wsi_recording_close(rec);
}

static void
times_begin_where_the_table_does(void **state)
{
	(void)state;
	const double year = 365.2425 * 86400;
	begins("t,x\n0,1\n1,2\n2,3\n", 0, 0, 1);
	begins("t,x\n5,1\n7,2\n9,3\n", 0, 5, 1);
	begins("time_ms,x\n-200,1\n-198,2\n-196,3\n", 0, -0.2, 1e-3);
	begins("year,x\n1749,1\n1750,2\n", 0, 1749 * year, year);
	begins("mjd,x\n41684.00,1\n41685.00,2\n", 0, 41684 * 86400.0, 86400);
	begins("time_s,x\n1700000000.123,1\n1700000000.124,2\n", 0, 1700000000.123, 1);
	/* Where the times are not used, neither is the first one. */
	begins("t,x\n5,1\n7,2\n9,3\n", 50, 0, 0);
	begins("t,x\n5,1\n", 0, 0, 0);
	begins("a,b\n5,1\n6,2\n", 0, 0, 0);
	/* Dates are told by start_time. */
	begins("date,x\n2009-08-24,1\n2009-08-25,2\n", 0, 0, 0);
	begins("Year,x\n1850-01,1\n1850-02,2\n1850-03,3\n", 0, 1850 * 31556952.0, 31556952);
	/* The names that our own tables give their times. */
	static const char *const names[] = { "us", "ms", "s", "min", "h", "d", "y" };
	for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
		char table[64];
		const double unit = wsi_time_unit(names[i]);
		assert_string_equal(wsi_time_unit_name(unit), names[i]);
		snprintf(table, sizeof table, "time_%s,x\n3,1\n4,2\n", names[i]);
		begins(table, 0, 3 * unit, unit);
	}
	close_to(wsi_time_unit("w"), 0, 0);
	assert_string_equal(wsi_time_unit_name(12), "s");
}

/* n rows at rate, written with so many digits; row gone is left out, where it is
 * one. */
static const char *
rounded(double rate, int digits, int n, int gone)
{
	static char table[1 << 16];
	char *end = table + sprintf(table, "time_s,x\n");
	for (int i = 0; i < n; ++i)
		if (i != gone)
			end += sprintf(end, "%.*f,%d\n", digits, i / rate, i);
	return table;
}

static void
times_may_be_rounded(void **state)
{
	(void)state;
	static const double rates[] = { 100, 128, 200, 250, 256, 400, 500, 512, 1000 };
	for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i)
		for (int n = 990; n <= 1000; ++n)
			rate_is(rounded(rates[i], 3, n, -1), rates[i], "");
	rate_is("t,x\n0,1\n1.2,2\n2,3\n2.9,4\n4,5\n", 1, "");
	/* Dates too, with milliseconds. */
	char table[16384], *end = table + sprintf(table, "date,x\n");
	for (int i = 0; i < 100; ++i)
		end += sprintf(end, "2009-08-24T00:20:%06.3f,%d\n", i / 128.0, i);
	rate_is(table, 128, "2009-08-24T00:20:00");
}

/* Refused for such words; a rate that is given takes the times' place. */
static void
uneven(const char *table, const char *words)
{
	const char *path = test_text("t.csv", table);
	refused(path, WS_E_FORMAT, words);
	refused(path, WS_E_FORMAT, "`fs`");
	wsi_recording *rec = open_with(path, &(wsi_open_opts){ .fs = 50 });
	assert_int_equal(rec->n_channels, 1);
	assert_true(rec->fs_known);
	close_to(rec->channels[0].fs, 50, 0);
	close_to(sample(rec, 0, 0, 1), 2, 0);
	wsi_recording_close(rec);
}

/* A table at fs whose segments after the first begin with these rows, at these times from its
 * first. */
static void
gaps(const char *table, double fs, size_t n, const size_t *rows, const double *starts)
{
	wsi_recording *rec = open_ok(test_text("t.csv", table));
	assert_true(rec->fs_known);
	close_to(rec->channels[0].fs, fs, 1e-3 * fs);
	assert_int_equal(rec->n_segments, n + 1);
	for (size_t k = 0; k < n; ++k) {
		const wsi_segment *s = &rec->segments[k + 1];
		close_to(s->at, (double)rows[k] / rec->channels[0].fs, 1e-9);
		close_to(s->start, starts[k], 1e-9);
		close_to(s->pause, starts[k] - s[-1].start - (s->at - s[-1].at), 1e-9);
	}
	wsi_recording_close(rec);
	rec = open_with(test_path("t.csv"), &(wsi_open_opts){ .fs = 50 });
	assert_int_equal(rec->n_segments, 0);
	wsi_recording_close(rec);
}

static void
gaps_part_a_table(void **state)
{
	(void)state;
	gaps("t,x\n0,1\n0.1,2\n0.3,3\n0.4,4\n", 10, 1, (size_t[]){ 2 }, (double[]){ 0.3 });
	gaps("t,x\n5,1\n# so\n\n6,2\n7,3\n3607,4\n3608,5\n", 1, 1, (size_t[]){ 3 },
	     (double[]){ 3602 });
	gaps("t (ms),x\n0,1\n4,2\n8,3\n16,4\n20,5\n24,6\n99,7\n", 250, 2, (size_t[]){ 3, 6 },
	     (double[]){ 0.016, 0.099 });
	gaps("date,x\n2009-08-24,1\n2009-08-25,2\n2009-08-27,3\n2009-08-28,4\n", 1 / 86400.0, 1,
	     (size_t[]){ 2 }, (double[]){ 3 * 86400.0 });
	gaps("t,x\n1700000000.000,1\n1700000000.004,2\n1700000000.008,3\n1700000007.5,4\n"
	     "1700000007.504,5\n", 250, 1, (size_t[]){ 3 }, (double[]){ 1700000007.5 - 1700000000.0 });
	/* A missing row is never taken for rounding. */
	static const double rates[] = { 100, 128, 200, 250, 256, 400, 500, 512, 1000 };
	for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i)
		for (int gone = 3; gone < 397; gone += 7) {
			wsi_recording *rec;
			const char *path = test_text("t.csv", rounded(rates[i], 3, 400, gone));
			if (wsi_recording_open(&rec, path, NULL) != WS_OK)
				continue;
			assert_int_equal(rec->n_segments, 2);
			close_to(rec->segments[1].at, gone / rec->channels[0].fs, 1e-9);
			wsi_recording_close(rec);
		}
}

static void
uneven_times_are_refused(void **state)
{
	(void)state;
	uneven("t,x\n0,1\n1,2\n3,3\n", "line 3: the times are not evenly spaced: this one is "
	       "off by 0.5 s of steps of 1.5 s");
	uneven("t,x\n3,1\n2,2\n1,3\n", "line 3: the time goes back by 1 s");
	uneven("t,x\n0,1\n1,2\n1,3\n2,4\n", "line 4 repeats the time");
	uneven("t,x\n0,1\n,2\n2,3\n", "line 3 has no time");
	uneven("t,x\n0,1\n1,2\n2.4,3\n3,4\n4,5\n", "line 4: the times are not evenly spaced: this "
	       "one is off by 0.4 s of steps of 1 s");
	/* Stamps of arrival: late ones are followed by early ones. */
	uneven("t,x\n0,1\n4,2\n8,3\n15,4\n16,5\n20,6\n", "line 5: the times are not evenly spaced: "
	       "this one is off by 3 s of steps of 4 s");
	uneven("date,x\n2009-08-24T00:00:01,1\n2009-08-24T00:00:02,2\n2009-08-24T00:00:00,3\n",
	       "line 4: the time goes back by 2 s");
}

static void
dates(void **state)
{
	(void)state;
	rate_is("date,x\n2009-08-24,1\n2009-08-25,2\n2009-08-26,3\n", 1 / 86400.0,
	        "2009-08-24T00:00:00");
	rate_is("2008-02-28,1\n2008-02-29,2\n2008-03-01,3\n", 1 / 86400.0, "2008-02-28T00:00:00");
	rate_is("date,x\n19691231,1\n19700101,2\n", 1 / 86400.0, "1969-12-31T00:00:00");
	rate_is("datetime;x\n2009-08-24 00:20:03.5;1\n2009-08-24 00:20:03.75;2\n", 4,
	        "2009-08-24T00:20:03.500");
	rate_is("a,x\n2009-08-24T00:20:03+02:00,1\n2009-08-23T22:20:04Z,2\n", 1,
	        "2009-08-23T22:20:03Z");
	/* Months have no one length, nor have years: they are counted. */
	rate_is("Year,x\n1850-01,1\n1850-02,2\n1850-03,3\n", 12 / 31556952.0, "");
	noted(test_text("t.csv", "Year,x\n1850-11,1\n1850-12,2\n1851-01,3\n"), "12 a year");
	noted(test_text("t.csv", "date,x\n2009-01-31,1\n2009-02-28,2\n2009-03-31,3\n"),
	      "calendar months");
	rate_is("date,x\n2007-01-01,1\n2008-01-01,2\n2009-01-01,3\n", 1 / 31556952.0, "");
	wsi_recording *rec = open_ok(test_text("t.csv", "date,x\n2007-07-01,1\n2008-01-01,2\n2008-07-01,3\n"));
	close_to(rec->time_origin / 31556952.0, 2007.5, 1e-12);
	wsi_recording_close(rec);
	refused(test_text("t.csv", "Year,x\n1850-01,1\n1850-02,2\n1850-04,3\n1850-05,4\n"),
	        WS_E_FORMAT, "`fs`");
	refused(test_text("t.csv", "date,x\n2009-08-24,1\n2009-13-25,2\n"), WS_E_FORMAT,
	        "line 3, column 1 (date): '2009-13-25' is not a date");
	rate_is("date,x\n2023-11-14T22:13:20.000123Z,1\n2023-11-14T22:13:20.001123Z,2\n", 1000,
	        "2023-11-14T22:13:20.000123Z");
	rate_is("date,x\n2009-08-24 00:00:00.9999996,1\n2009-08-24 00:00:01.9999996,2\n", 1,
	        "2009-08-24T00:00:00.999999");
	/* Every day of 800 years there and back. */
	text_date date, before = { 0 };
	for (int64_t day = -146097; day < 146097; ++day) {
		char text[32];
		date = (text_date){ .seconds = day * 86400 + 86399 };
		text_format_date(&date, text);
		assert_true(text_parse_date(text, false, &before));
		assert_true(before.seconds == date.seconds);
	}
}

static void
stamps_keep_their_digits(void **state)
{
	(void)state;
	/* Steps of 7 us of stamps whose rounding in s is 0.2 us. */
	rate_is("time_us,x\n1700000000000123,1\n1700000000000130,2\n1700000000000137,3\n", 1e6 / 7,
	        "");
	static const struct {
		double t, unit, fs;
		const char *text;
	} cases[] = {
		{ 1700000000.000123, 1e-6, 1000, "1700000000000123" },
		{ 1700000000.123456, 1, 250, "1700000000.123456" },
		{ 1700000000.123 + 998 / 250., 1e-3, 250, "1700000004115" },
		{ 0.1 + 0.2, 1, 1000, "0.3" },
		{ 999 / 142857., 1, 142857, "0.006993007" },
		{ -0.2, 1e-3, 250, "-200" },
		{ -1e-12, 1, 250, "0" },
		{ 1749.5 * 31556952, 31556952, 1. / 31556952, "1749.5" },
		{ 1e21, 1, 1, "1e+21" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		char text[WSI_TIME_TEXT];
		assert_string_equal(wsi_format_time(cases[i].t, cases[i].unit, cases[i].fs, text),
		                    cases[i].text);
	}
}

static void
refusals(void **state)
{
	(void)state;
	refused(test_text("t.csv", "time,x\n0,0.5\n1,abc\n"), WS_E_FORMAT,
	        "line 3, column 2 (x): 'abc' is not a number");
	refused(test_text("t.csv", "1,2\n1,x\n"), WS_E_FORMAT, "line 2, column 2: 'x'");
	refused(test_text("t.csv", "1,2\n1,2 3\n"), WS_E_FORMAT, "'2 3' is not a number");
	refused(test_text("t.csv", "a,b\n\"0,5\",1\n"), WS_E_FORMAT, "decimal comma");
	refused(test_text("t.csv", "a,b\n1,2\n0x10,3\n"), WS_E_FORMAT, "'0x10' is not a number");
	refused(test_text("t.csv", "1,2\n3,4\n5\n"), WS_E_FORMAT, "line 3 has 1 column,");
	refused(test_text("t.csv", "1,2\n3,4,5\n"), WS_E_FORMAT, "line 2 has 3 columns");
	refused(test_text("t.csv", "a,b\n# 1\n"), WS_E_FORMAT, "no line of numbers");
	refused(test_text("t.csv", "\n# 1\n\n"), WS_E_FORMAT, "no line holds a number");
	refused(test_file("t.csv", "1,2\n3,4\0\n", 9), WS_E_FORMAT, "not a known format");
	refused(test_file("t.csv", "\xff\xfe" "1\0\n\0", 6), WS_E_FORMAT, "NUL byte");
	refused(test_text("t.csv", ""), WS_E_FORMAT, "empty");
	/* SEED starts with pages of printed digits. */
	char seed[8192];
	memset(seed, '7', sizeof seed);
	seed[6000] = '\0';
	refused(test_file("t.mseed", seed, sizeof seed), WS_E_FORMAT, "not a known format (EDF, BDF,");
}

static void
growth(void **state)
{
	(void)state;
	const size_t rows = 20000;
	char *text = malloc(rows * 16), *end = text;
	assert_non_null(text);
	for (size_t i = 0; i < rows; ++i)
		end += sprintf(end, "%zu,%g,\n", i, 0.5 * (double)i);
	wsi_recording *rec = open_ok(test_file("t.csv", text, (size_t)(end - text)));
	free(text);
	assert_int_equal(rec->channels[0].samples, rows);
	double *x = samples(rec, 0, 1);
	for (size_t i = 0; i < rows; ++i)
		close_to(x[i], 0.5 * (double)i, 1);
	close_to(x[rows - 2], 9999, 1e-9);
	free(x);
	wsi_recording_close(rec);
}

static void
standard_input(void **state)
{
	(void)state;
	const int before = dup(STDIN_FILENO), fd = open(test_text("t.csv", "1;2\n3;4\n"), O_RDONLY);
	assert_true(before >= 0 && fd >= 0 && dup2(fd, STDIN_FILENO) >= 0);
	wsi_recording *rec = open_with("-", &(wsi_open_opts){ .fs = 10 });
	assert_int_equal(rec->n_channels, 2);
	assert_true(rec->fs_known);
	close_to(rec->channels[0].fs, 10, 0);
	close_to(sample(rec, 0, 1, 1), 4, 0);
	wsi_recording_close(rec);
	assert_true(dup2(before, STDIN_FILENO) >= 0);
	close(fd);
	close(before);
}

static void
abuse(void **state)
{
	(void)state;
	static const char table[] = "\"date\";\"x \"\"y\"\t;z\n2009-08-24T10:11:12.5Z;1e5;-3\n"
	                            "2009-08-25T10:11:12.5+02:00;\"\";NA;\n";
	survives_truncation("t.csv", table, sizeof table - 1, 1, NULL);
	char broken[sizeof table];
	static const char wrong[] = { '"', ';', '\n', '-', '\377' };
	for (size_t i = 0; i + 1 < sizeof table; ++i)
		for (size_t k = 0; k < sizeof wrong; ++k) {
			memcpy(broken, table, sizeof table);
			broken[i] = wrong[k];
			survives(test_file("t.csv", broken, sizeof table - 1), NULL);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delimiters),
		cmocka_unit_test(header_and_missing),
		cmocka_unit_test(time_column),
		cmocka_unit_test(times_begin_where_the_table_does),
		cmocka_unit_test(times_may_be_rounded),
		cmocka_unit_test(gaps_part_a_table),
		cmocka_unit_test(uneven_times_are_refused),
		cmocka_unit_test(dates),
		cmocka_unit_test(stamps_keep_their_digits),
		cmocka_unit_test(refusals),
		cmocka_unit_test(growth),
		cmocka_unit_test(standard_input),
		cmocka_unit_test(abuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
