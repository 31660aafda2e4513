/* test_io_text_forms.c - tables as other programs write them: titles, names, units, times, marks. */
#include "io_test.h"

#include "io/read/input.h"
#include "io/read/input_read.h"
#include "io/read/input_select.h"
#include "io/read/text_time.h"

static wsi_recording *
open_text(const char *text)
{
	return open_ok(test_text("t.csv", text));
}

/* One signal of this rate (0: not known), samples and first sample. */
static void
reads(const char *table, double fs, size_t n, double first)
{
	wsi_recording *rec = open_text(table);
	size_t signals = 0, at = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (rec->channels[i].is_signal) {
			at = i;
			++signals;
		}
	if (signals != 1 || rec->fs_known != (fs > 0) || rec->channels[at].samples != n)
		fail_msg("%zu signals, rate %s, %zu samples of\n%s", signals,
		         rec->fs_known ? "known" : "not known", rec->channels[at].samples, table);
	close_to(rec->channels[at].fs, fs > 0 ? fs : 1, fs * 1e-9);
	const double x = sample(rec, 0, at, 0);
	if (isnan(first) ? !isnan(x) : x != first)
		fail_msg("the first sample is %.17g, not %g, of\n%s", x, first, table);
	wsi_recording_close(rec);
}

static void
starts(const char *table, const char *start)
{
	wsi_recording *rec = open_text(table);
	assert_string_equal(rec->start_time, start);
	wsi_recording_close(rec);
}

/* ---- Times ---------------------------------------------------------------- */

static void
names_of_times(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		double unit;   /* 0: a time whose unit is not told; -1: no time */
	} cases[] = {
		{ "time", 0 }, { "Time", 0 }, { "t", 0 }, { "Timestamp", 0 }, { "time stamp", 0 },
		{ "timestamp_ms", 1e-3 }, { "Timestamp (ms)", 1e-3 }, { "timestampMs", 1e-3 },
		{ "Time [s]", 1 }, { "Time (hours)", 3600 }, { "time/s", 1 }, { "time_min", 60 },
		{ "Time (m)", 60 }, { "t_us", 1e-6 }, { "Time (\302\265s)", 1e-6 },
		{ "Time (\316\274s)", 1e-6 }, { "time_ns", 1e-9 }, { "Zeit (s)", 1 },
		{ "Elapsed time (s)", 1 }, { "time since start [ms]", 1e-3 }, { "X_Value", 0 },
		{ "seconds since 1970-01-01", 1 }, { "decimal year", 365.2425 * 86400 },
		{ "decimal date", 365.2425 * 86400 }, { "YEAR", 365.2425 * 86400 }, { "day", 86400 },
		{ "Time:250Hz", 0 }, { "relative time (s)", 1 }, { "Time in seconds", 1 },
		{ "time to peak", -1 }, { "temp", -1 }, { "min", -1 }, { "HR", -1 }, { "y", -1 },
		{ "Th", -1 }, { "tmin", -1 }, { "temps", -1 }, { "std", -1 }, { "x", -1 }, { "", -1 },
		{ "relative", -1 }, { "decimal", -1 }, { "t1", -1 }, { "Time (samples)", -1 },
		{ "Fp1 (uV)", -1 }, { "h", -1 }, { "d", -1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const text_time_name t = text_read_time_name(cases[i].name, NULL);
		if (t.is_time != (cases[i].unit >= 0) ||
		    (t.is_time && fabs(t.unit - cases[i].unit) > 1e-12 * t.unit))
			fail_msg("'%s': time %d, unit %g", cases[i].name, t.is_time, t.unit);
	}
	close_to(text_read_time_name("Time:250Hz", NULL).rate, 250, 0);
	close_to(text_read_time_name("Time (2.5kHz)", NULL).rate, 2500, 0);
	close_to(text_read_time_name("time", "ms").unit, 1e-3, 0);
	assert_int_equal(text_read_time_name("time", "hh:mm:ss.mmm").clock, TEXT_HOURS);
	assert_int_equal(text_read_time_name("time (mm:ss)", NULL).clock, TEXT_MINUTES);
}

static void
units_in_names(void **state)
{
	(void)state;
	reads("timestamp_ms,x\n0,5\n4,6\n8,7\n", 250, 3, 5);
	reads("Time (hours),x\n0,5\n0.25,6\n0.5,7\n", 4 / 3600.0, 3, 5);
	reads("Time:250Hz,Epoch,x,Event Id\n0,0,5,\n0.004,0,6,\n0.008,1,7,\n", 250, 3, 5);
	reads("# time,x\n0,5\n0.5,6\n1,7\n", 2, 3, 5);
	reads("# time x\n0.0e+00 5\n5.0e-01 6\n1.0e+00 7\n", 2, 3, 5);
	reads("# time,x\n0 5\n0.5 6\n1 7\n", 2, 3, 5);
	reads("Time,x\ns,mV\n0,5\n0.5,6\n1,7\n", 2, 3, 5);
	reads("Time,x\n(ms),(uV)\n0,5\n500,6\n1000,7\n", 2, 3, 5);
	reads("'Elapsed time','x'\n'hh:mm:ss.mmm','mV'\n'0:00.000',5\n'0:00.500',6\n'0:01.000',7\n", 2,
	      3, 5);
	reads("Time,x\nms,microvolts\n0,5\n500,6\n1000,7\n", 2, 3, 5);
	reads("Time (ms)  x [uV]\n0 5\n500 6\n1000 7\n", 2, 3, 5);
	reads("Time,x\n0 sec,5\n0.5 sec,6\n1 sec,7\n", 2, 3, 5);
	wsi_recording *rec = open_text("Time,x,y\ns,mV,\302\260C\n0,5,1\n0.5,6,1\n");
	assert_string_equal(rec->channels[0].unit, "mV");
	assert_string_equal(rec->channels[1].unit, "\302\260C");
	wsi_recording_close(rec);
	/* Names may hold units, which stay in them. */
	rec = open_text("Time,Fp1 (uV),T [degC],run (b),value(s),(mV)\n0,5,1,1,1,1\n0.5,6,1,1,1,1\n");
	assert_string_equal(rec->channels[0].unit, "uV");
	assert_string_equal(rec->channels[0].name, "Fp1 (uV)");
	assert_string_equal(rec->channels[1].unit, "degC");
	for (size_t i = 2; i < rec->n_channels; ++i)
		assert_string_equal(rec->channels[i].unit, "");
	wsi_recording_close(rec);
	/* A time that its name does not tell is a signal, and that is told. */
	noted(test_text("t.csv", "when,x\n0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n"),
	      "its first column (when) rises evenly");
}

static void
stamps(void **state)
{
	(void)state;
	static const struct {
		const char *first, *second, *words;
		double fs;
	} cases[] = {
		{ "1700000000", "1700000002", "seconds since 1970: its numbers have 10 digits", 0.5 },
		{ "1700000000000", "1700000000004", "milliseconds since 1970", 250 },
		{ "1700000000000000", "1700000000000250", "microseconds since 1970", 4000 },
		{ "1700000000000000001", "1700000000000050001", "nanoseconds since 1970", 20000 },
		{ "1700000000.123456", "1700000000.123956", "seconds since 1970", 2000 },
		{ "1700000000000.25", "1700000000000.5", "milliseconds since 1970", 4000 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		char table[128];
		snprintf(table, sizeof table, "timestamp,x\n%s,1\n%s,2\n", cases[i].first,
		         cases[i].second);
		reads(table, cases[i].fs, 2, 1);
		noted(test_text("t.csv", table), cases[i].words);
	}
	/* Every digit of 19 counts. */
	char table[4096], *end = table + sprintf(table, "time,x\n");
	for (int i = 0; i < 100; ++i)
		end += sprintf(end, "%lld,%d\n", 1700000000000000123LL + i * 20833, i);
	wsi_recording *rec = open_text(table);
	close_to(rec->channels[0].fs, 1e9 / 20833, 1e-6);
	wsi_recording_close(rec);
	/* The header goes before the digits. */
	noted(test_text("t.csv", "time_s,x\n1700000000000,1\n1700000000004,2\n"), NULL);
	reads("time_s,x\n1700000000000,1\n1700000000004,2\n", 0.25, 2, 1);
	refused(test_text("t.csv", "timestamp,x\n170000000000,1\n170000000004,2\n"), WS_E_FORMAT,
	        "a time of 12 digits does not tell its unit");
	reads("epoch,x\n1700000000000,5\n1700000000500,6\n", 2, 2, 5);
}

static void
dates(void **state)
{
	(void)state;
	reads("date,x\n2009/08/24,5\n2009/08/25,6\n", 1 / 86400.0, 2, 5);
	starts("date,x\n8/24/2009 0:20,5\n8/24/2009 0:30,6\n", "2009-08-24T00:20:00");
	starts("date,x\n24/08/2009 00:20,5\n24/08/2009 00:30,6\n", "2009-08-24T00:20:00");
	starts("date;x\n03.04.2009;0,5\n04.04.2009;0,6\n", "2009-04-03T00:00:00");
	starts("Time,x\n24-Aug-2009 00:20:03,5\n24-Aug-2009 00:20:04,6\n", "2009-08-24T00:20:03");
	starts("Time,x\n\"Aug 24, 2009 12:20 AM\",5\n\"Aug 24, 2009 12:21 AM\",6\n",
	       "2009-08-24T00:20:00");
	starts("Date,Time,x\n08/24/2009,01:20:03 PM,5\n08/24/2009,01:20:04 PM,6\n",
	       "2009-08-24T13:20:03");
	starts("Datum;Uhrzeit;x\n24.08.2009;23:59:59;5\n25.08.2009;00:00:00;6\n",
	       "2009-08-24T23:59:59");
	starts("20090824T002003Z,5\n20090824T002004Z,6\n", "2009-08-24T00:20:03Z");
	/* Months are counted in years. */
	starts("Date,Value\n189512,5\n189601,6\n189602,7\n", "");
	starts("date,x\n20090824002003,5\n20090824002004,6\n", "2009-08-24T00:20:03");
	starts("#YY MM DD hh mm x\n#yr mo dy hr mn m/s\n2009 08 24 00 20 5\n2009 08 24 00 30 6\n",
	       "2009-08-24T00:20:00");
	starts("year,doy,hour,x\n2009,236,0,5\n2009,236,1,6\n", "2009-08-24T00:00:00");
	/* Two digits of a year, settled by a day that is no month and no year of this form. */
	starts("date,x\n8/31/69,5\n9/1/69,6\n", "2069-08-31T00:00:00");
	/* A later row settles it. */
	starts("date,x\n10/01/2020,1\n11/01/2020,2\n12/01/2020,3\n13/01/2020,4\n",
	       "2020-01-10T00:00:00");
	/* The day is that of the month in all: no matter. */
	starts("date,x\n03/03/2020 00:00,1\n03/03/2020 01:00,2\n", "2020-03-03T00:00:00");
	static const char open[] = "date,x\n03/04/2020 00:00,1\n03/04/2020 01:00,2\n";
	refused(test_text("t.csv", open), WS_E_FORMAT,
	        "nothing tells whether 03/04/2020 (line 2) is dmy or mdy: give `date_order dmy` or mdy");
	const char *path = test_text("t.csv", open);
	static const char *const told[] = { "2020-04-03T00:00:00", "2020-03-04T00:00:00" };
	for (int i = 0; i < 2; ++i) {
		wsi_recording *rec = open_with(path, &(wsi_open_opts){ .date_order = TEXT_DMY + i });
		assert_string_equal(rec->start_time, told[i]);
		wsi_recording_close(rec);
	}
	refused_with(path, &(wsi_open_opts){ .date_order = TEXT_YMD }, WS_E_FORMAT,
	             "03/04/2020 is no date in the order ymd");
	refused(test_text("t.csv", "date,x\n13/01/2020,1\n01/13/2020,2\n"), WS_E_FORMAT, "is no date");
	/* No such day. */
	static const char *const none[] = {
		"2009-02-29", "2009-02-30", "1900-02-29", "2009-04-31", "2009-13-01", "2009-00-01",
		"2009-01-00", "31/04/2009", "30.02.2009", "31-Jun-2009", "2009-02-28T24:00:01",
		"2009-02-28 12:60", "2009-8", "24/08",
	};
	text_date date;
	for (size_t i = 0; i < sizeof none / sizeof *none; ++i)
		if (text_parse_date(none[i], false, &date))
			fail_msg("%s is taken for a date", none[i]);
	assert_true(text_parse_date("2000-02-29", false, &date));
	assert_false(text_parse_date("20090230", true, &date));
	refused(test_text("t.csv", "date,x\n2009-02-28,1\n2009-02-30,2\n"), WS_E_FORMAT,
	        "line 3, column 1 (date): '2009-02-30' is not a date");
}

static void
clocks(void **state)
{
	(void)state;
	reads("time,x\n23:59:58,5\n23:59:59,6\n00:00:00,7\n00:00:01,8\n", 1, 4, 5);
	reads("time,x\n00:00:00.000,5\n00:00:00.004,6\n00:00:00.008,7\n", 250, 3, 5);
	reads("time,x\n10:20:30:000,5\n10:20:30:500,6\n", 2, 2, 5);
	reads("time,x\n1:00:00 AM,5\n2:00:00 AM,6\n", 1 / 3600.0, 2, 5);
	reads("time (mm:ss),x\n00:00,5\n00:02,6\n", 0.5, 2, 5);
	reads("time (hh:mm),x\n00:00,5\n00:02,6\n", 1 / 120.0, 2, 5);
	reads(",x\n0 days 00:00:00,5\n0 days 00:00:00.250000,6\n", 4, 2, 5);
	refused(test_text("t.csv", "time,x\n00:00,5\n00:01,6\n"), WS_E_FORMAT,
	        "hours and minutes or minutes and seconds");
	/* The row before is one of the day before, not of the night. */
	refused(test_text("t.csv", "time,x\n10:00:00,5\n10:00:01,6\n10:00:00,7\n"), WS_E_FORMAT,
	        "goes back");
}

static void
told_rates(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"# Sampling rate: 250 Hz", "% Sample Rate = 250 Hz", "# fs=250", "# sampling_rate 0.25 kHz",
		"# dt = 0.004 s", "# Sampling interval (ms): 4", "# {\"sampling rate\": 250}",
		"# sample_rate_hz: 250", "# Abtastrate: 250 Hz", "# Sampling rate [Hz]: 250",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
		char table[128];
		snprintf(table, sizeof table, "%s\nx\n5\n6.5\n", lines[i]);
		reads(table, 250, 2, 5);
		noted(test_text("t.csv", table), "250 Hz, is what the lines before its numbers tell");
	}
	reads("# Sampling rate: 2,5 kHz\nx\n5\n6.5\n", 0, 2, 5);
	reads("# 15 samples/min\n# sampling rate: 15 samples/min\nx\n5\n6.5\n", 0, 2, 5);
	noted(test_text("t.csv", "# fs=250\n# fs=500\nx\n5\n6.5\n"), "several sampling rates");
	/* What is told agrees with the times, tells their unit, or contradicts them. */
	reads("# fs=250\ntime,x\n0,5\n0.004,6\n0.008,7\n", 250, 3, 5);
	reads("# fs=250\ntime,x\n0,5\n4,6\n8,7\n", 250, 3, 5);
	noted(test_text("t.csv", "# fs=250\ntime,x\n0,5\n4,6\n8,7\n"), "times are taken for ms");
	refused(test_text("t.csv", "# fs=100\ntime_s,x\n0,5\n0.004,6\n0.008,7\n"), WS_E_FORMAT,
	        "a rate of 100 Hz is told where the times of its rows are 0.004 s apart");
	refused(test_text("t.csv", "# fs=250\ntime_s,x\n0,5\n4,6\n8,7\n"), WS_E_FORMAT, "`fs`");
	/* OpenSignals. */
	wsi_recording *rec = open_text("# OpenSignals Text File Format\n# {\"a\": {\"column\": [\"nSeq\", "
	                               "\"A1\"], \"sampling rate\": 1000}}\n# EndOfHeader\n14\t5\t\n15\t6\t\n"
	                               "0\t7\t\n");
	close_to(rec->channels[1].fs, 1000, 0);
	assert_string_equal(rec->channels[0].name, "nSeq");
	assert_false(rec->channels[0].is_signal);
	assert_string_equal(rec->channels[1].name, "A1");
	wsi_recording_close(rec);
}

/* ---- Before and behind ---------------------------------------------------- */

static void
titles(void **state)
{
	(void)state;
	reads("Device,X12\nSample Rate,2\nChannels,1\n\nTime (s),A\n0,5\n0.5,6\n", 2, 2, 5);
	reads("My measurement,\n,\nTime,A\ns,mV\n0,5\n0.5,6\n", 2, 2, 5);
	reads("A TITLE OF FIVE WORDS\n====\nYear x\n----\n1749 5\n1750 6\n", 1 / (365.2425 * 86400), 2, 5);
	reads("sep=;\nZeit;A\n0,0;0,5\n0,5;0,25\n", 2, 2, 0.5);
	reads("Sample Rate: 2 Hz. Sample values on linear scale.\nLength: two.\n\n0.5\n0.25\n", 2, 2, 0.5);
	reads("Writer_Version\t2\nDelta_X\t0.5\nX_Value\tU\tComment\n0.000\t5\n0.500\t6\n", 2, 2, 5);
	reads("TIMESERIES X_Y, 2 samples, 2 sps, 2003-05-29T02:13:22.043400, TSPAIR, INTEGER, Counts\n"
	      "2003-05-29T02:13:22.043400  5\n2003-05-29T02:13:22.543400  6\n", 2, 2, 5);
	refused(test_text("t.csv", "TIMESERIES X_Y, 4 samples, 2 sps, 2003-05-29T02:13:22.04, SLIST, "
	                  "INTEGER, Counts\n5 6\n7 8\n"), WS_E_FORMAT, "SLIST");
	/* An oscilloscope's, AcqKnowledge's, OpenBCI's. */
	reads("x-axis,1\nsecond,Volt\n-0.5,5\n0,6\n0.5,7\n", 2, 3, 5);
	reads("rest.acq\n500 msec/sample\n1 channels\nECG\nmV\nmin,CH1\n,3\n0,5\n0.00833333,6\n"
	      "0.0166667,7\n", 2, 3, 5);
	reads("%Sample Rate = 250 Hz\nSample Index, EXG Channel 0, Timestamp, Timestamp (Formatted)\n"
	      "254, 5.5, 1600000000.1, 2020-09-13 12:26:40.100\n255, 6.5, 1600000000.1, "
	      "2020-09-13 12:26:40.100\n0, 7.5, 1600000000.3, 2020-09-13 12:26:40.300\n", 250, 3, 5.5);
	noted(test_text("t.csv", "Device,X12\nOwner,me\n\nTime (s),A\n0,5\n0.5,6\n"),
	      "2 lines, from line 1 on, are before the table");
	reads("Year x\n1749 5\n1750 6\n\nNote:  Data are preliminary.\n", 1 / (365.2425 * 86400), 2, 5);
	noted(test_text("t.csv", "Year x\n1749 5\n1750 6\n\nNote:  Data are preliminary.\n"),
	      "the table ends before line 5, where words follow");
	/* A damaged row is no title, and no end. */
	refused(test_text("t.csv", "time,x\nabc,2\n1,2\n"), WS_E_FORMAT,
	        "line 2, column 1 (time): 'abc' is not a number");
	refused(test_text("t.csv", "time,x\n0,1\nabc,2\n"), WS_E_FORMAT, "line 3, column 1 (time): 'abc'");
	refused(test_text("t.csv", "a b\n0 1\n\nwords, more words\n2 3\n"), WS_E_FORMAT, "line 4");
	refused(test_text("t.csv", "Source,Year\ngcag,1850\ngcag,1851\n"), WS_E_FORMAT,
	        "line 2, column 1 (Source): 'gcag'");
	refused(test_text("t.csv", "a\n1d5\n2\n"), WS_E_FORMAT, "line 2, column 1 (a): '1d5' is not a");
	refused(test_text("t.csv", "a,b\n1,2\n\"3,4\"\n"), WS_E_FORMAT, "line 3 has 1 column,");
	refused(test_text("t.csv", "Wert\n0,5\n0,6\n"), WS_E_FORMAT, "line 2 has 2 columns");
	refused(test_text("t.csv", "a,b,c\n1,2\n"), WS_E_FORMAT, "line 2 has 2 columns");
}

static void
years_of_months(void **state)
{
	(void)state;
	static const char head[] = "Year,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec,J-D\n";
	char table[512];
	snprintf(table, sizeof table, "%s1950,1,2,3,4,5,6,7,8,9,10,11,12,6\n1951,13,14,***,16\n", head);
	wsi_recording *rec = open_text(table);
	assert_int_equal(rec->n_channels, 1);
	assert_int_equal(rec->channels[0].samples, 16);
	close_to(rec->channels[0].fs, 12 / (365.2425 * 86400), 1e-20);
	close_to(sample(rec, 0, 0, 11), 12, 0);
	close_to(sample(rec, 0, 0, 12), 13, 0);
	assert_true(isnan(sample(rec, 0, 0, 14)));
	close_to(sample(rec, 0, 0, 15), 16, 0);
	assert_non_null(strstr(rec->note, "years of 12 months are read as one signal"));
	wsi_recording_close(rec);
	snprintf(table, sizeof table, "%s1950,1,2,3\n1951,13,14,15,16\n", head);
	refused(test_text("t.csv", table), WS_E_FORMAT, "line 2 has 4 columns");
}

static void
rows_that_count(void **state)
{
	(void)state;
	static const struct {
		const char *table;
		size_t channels, samples;
	} cases[] = {
		{ "0,1\n0.5,1\n2,0.25\n", 2, 2 },                 /* names */
		{ "0\n0.5\n0.25\n", 1, 2 },
		{ "0,1\n0.5,1\n2,3\n", 2, 3 },                    /* a row of whole numbers follows */
		{ "0,1\n2,3\n", 2, 2 },
		{ "0,2\n0.5,1\n", 2, 2 },                         /* 0, 2 counts nothing */
		{ "1,2\n0.5,1\n", 2, 2 },
		{ "0,1.0\n0.5,1.5\n", 2, 2 },
		{ "0,1\n", 2, 1 },
		{ ",0,1\n0,0.5,6\n1,7,0.25\n", 2, 2 },            /* pandas' index */
		{ ",0,1\n0,5,6\n1,7,8\n", 2, 2 },
		{ ",0,1\n2020-01-01,0.5,6\n2020-01-02,7,8\n", 2, 2 },
		{ ",0,1\n0,5,6\n5,7,8\n", 3, 3 },                 /* no index: a row with a gap */
		{ ",0\n0.25,0.5\n", 2, 2 },
		{ "\"\",\"x\"\n\"1\",5\n\"2\",6\n", 1, 2 },       /* R */
		{ "\"x\" \"y\"\n\"1\" 5 6\n\"2\" 7 8\n", 2, 2 },
		{ "Unnamed: 0,x\n0,5\n1,6\n", 1, 2 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		wsi_recording *rec = open_text(cases[i].table);
		if (rec->n_channels != cases[i].channels ||
		    rec->channels[0].samples != cases[i].samples)
			fail_msg("%zu channels of %zu samples of\n%s", rec->n_channels,
			         rec->channels[0].samples, cases[i].table);
		wsi_recording_close(rec);
	}
	wsi_recording *rec = open_text("0,1\n0.5,1\n2,0.25\n");
	assert_string_equal(rec->channels[1].name, "1");
	assert_non_null(strstr(rec->note, "its first line is taken for names"));
	close_to(sample(rec, 0, 0, 0), 0.5, 0);
	wsi_recording_close(rec);
	/* Masks have no names. */
	rec = open_with(test_text("t.csv", "0\n0.5\n0.25\n"), &(wsi_open_opts){ .masks = true });
	assert_int_equal(rec->channels[0].samples, 3);
	wsi_recording_close(rec);
	rec = open_text("Sample Index,x,time\n0,5,0\n1,6,0.5\n2,7,1\n");
	assert_false(rec->channels[0].is_signal);
	close_to(rec->channels[1].fs, 2, 0);
	assert_int_equal(rec->n_channels, 2);
	wsi_recording_close(rec);
	rec = open_text(",time,x\n0,0,5\n1,0.5,6\n");
	assert_int_equal(rec->n_channels, 1);
	close_to(rec->channels[0].fs, 2, 0);
	wsi_recording_close(rec);
	refused(test_text("t.csv", "\"x\" \"y\"\n4 5 6\n2 7 8\n"), WS_E_FORMAT, "has 2");
}

/* ---- Numbers -------------------------------------------------------------- */

static void
decimal_commas(void **state)
{
	(void)state;
	reads("Zeit;x\n0,0;0,5\n0,25;1,5\n", 4, 2, 0.5);
	reads("Zeit\tx\n0\t0,5\n0,25\t1,5\n", 4, 2, 0.5);
	reads("Zeit x\n0 0,5\n0,25 1,5\n", 4, 2, 0.5);
}

static void
commas_and_points(void **state)
{
	(void)state;
	wsi_recording *rec = open_text("a;b\n1,5e-3;-2\n-0,5;1,25\n");
	close_to(sample(rec, 0, 0, 0), 1.5e-3, 0);
	close_to(sample(rec, 0, 0, 1), -0.5, 0);
	close_to(sample(rec, 0, 1, 0), -2, 0);
	close_to(sample(rec, 0, 1, 1), 1.25, 0);
	wsi_recording_close(rec);
	refused(test_text("t.csv", "a;b\n0,5;1\n0.5;1\n"), WS_E_FORMAT, "has a decimal point where others");
	refused(test_text("t.csv", "a;b\n0.5;1\n0,5;1\n"), WS_E_FORMAT, "has a decimal comma where others");
	refused(test_text("t.csv", "a;b\n1.234,5;1\n"), WS_E_FORMAT, "'1.234,5'");
	refused(test_text("t.csv", "47,000\n18,050\n"), WS_E_FORMAT, "line 1: 47,000 may be one number");
	rec = open_text("47.5,000\n18,050\n");
	assert_int_equal(rec->n_channels, 2);
	wsi_recording_close(rec);
	/* Thousands or thousandths? */
	refused(test_text("t.csv", "a\tb\n1,234\t5,678\n"), WS_E_FORMAT, "set off thousands");
	rec = open_text("a\tb\n1,234\t5,678\n1,2\t3\n");
	close_to(sample(rec, 0, 0, 0), 1.234, 0);
	wsi_recording_close(rec);
}

/* Numbers are those of strtod(), to the last bit. */
static void
numbers(void **state)
{
	(void)state;
	static const char *const odd[] = {
		"9007199254740993", "9007199254740992.5", "0.1", "1e22", "1e23", "123456789012345678",
		"1234567890123456789", "12345678901234567890", "2.2250738585072014e-308", "4.9e-324",
		"1.7976931348623157e308", "0.30000000000000004", "8.5e-27", "5e-28", "-0", "-0.0", "+3",
		".5", "5.", "1e-5", "1E+5", "9.5367431640625e-07", "0.000000000000000000001", "inf",
		"-Infinity", "7.0000000000000000000000001e0", "1e400",
	};
	char table[8192] = "", *end = table;
	size_t n = 0;
	double expected[300];
	for (; n < sizeof odd / sizeof *odd; ++n) {
		expected[n] = strtod(odd[n], NULL);
		end += sprintf(end, "%s\n", odd[n]);
	}
	uint64_t seed = 88172645463325252u;
	for (; n < 300; ++n) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		const double x = ldexp((double)(int64_t)seed, -40 - (int)(seed % 50));
		static const char *const forms[] = { "%.17g", "%.6f", "%.18e", "%.9g" };
		char text[64];
		snprintf(text, sizeof text, forms[n % 4], x);
		expected[n] = strtod(text, NULL);
		end += sprintf(end, "%s\n", text);
	}
	wsi_recording *rec = open_text(table);
	assert_int_equal(rec->channels[0].samples, n);
	double *x = samples(rec, 0, 0);
	assert_memory_equal(x, expected, n * sizeof *x);
	free(x);
	wsi_recording_close(rec);
}

static void
missing_values(void **state)
{
	(void)state;
	static const char *const words[] = { "#N/A", "#NV", "#VALUE!", "#DIV/0!", "NA", "n/a", "null",
	                                     "None", "-", ".", "***", "NaN", "1.#QNAN", "", "<NA>", "-nan(ind)" };
	for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
		char table[64];
		snprintf(table, sizeof table, "a,b\n1,2\n%s,3\n4,%s\n", words[i], words[i]);
		wsi_recording *rec = open_text(table);
		assert_int_equal(rec->channels[0].samples, 3);
		assert_true(isnan(sample(rec, 0, 0, 1)));
		close_to(sample(rec, 0, 1, 1), 3, 0);
		assert_true(isnan(sample(rec, 0, 1, 2)));
		assert_null(rec->note);
		wsi_recording_close(rec);
	}
	/* At the beginning they are rows, too, with a header and without. */
	reads("a\n#N/A\n2\n", 0, 2, NAN);
	reads("a\nNA\n2\n", 0, 2, NAN);
	reads("NA\n2\n", 0, 2, NAN);
	noted(test_text("t.csv", "1,2\n# so\n3,4\n"), "1 comment line among or behind the numbers, from line "
	      "2 on, is skipped");
	noted(test_text("t.csv", "# so\n1,2\n3,4.5\n"), NULL);
	/* Or one column of decimal commas. */
	noted(test_text("t.csv", "1,5\n2,6\n"), "if 1,5 is one number, write 1.5");
	noted(test_text("t.csv", "a,b\n1,5\n2,6\n"), NULL);
	noted(test_text("t.csv", "1,5\n2,-6\n"), NULL);
	noted(test_text("t.csv", "1,5,1\n2,6,1\n"), NULL);
	/* A column without any number is no signal. */
	wsi_recording *rec = open_text("a,b\n1,\n2,\n");
	assert_true(rec->channels[0].is_signal);
	assert_false(rec->channels[1].is_signal);
	wsi_recording_close(rec);
	rec = open_text("a\tb\n1\t2\n\t\n3\t4\n");
	assert_int_equal(rec->channels[0].samples, 3);
	wsi_recording_close(rec);
}

static void
blank_lines(void **state)
{
	(void)state;
	static const struct {
		const char *table;
		size_t samples;
		double second;   /* NaN: it is missing */
	} cases[] = {
		{ "x\n1\n\n3\n4\n", 4, NAN },        { "x\n1\n2\n\n\n", 2, 2 },
		{ "x\n1\n\n2\n\n3\n\n", 3, 2 },      { "x\n\n1\n2\n3\n", 3, 2 },
		{ "x\n1\n\n\n2\n\n\n3\n", 3, 2 },    { "x\n1\n\n2\n\n3\n4\n", 6, NAN },
		{ "1\n \n3\n4\n", 4, NAN },          { "1\r\n\r\n2\r\n\r\n3\r\n", 3, 2 },
		{ "1\n\n2\n\n\n3\n", 6, NAN },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		wsi_recording *rec = open_text(cases[i].table);
		const double second = sample(rec, 0, 0, 1);
		if (rec->channels[0].samples != cases[i].samples ||
		    (isnan(cases[i].second) ? !isnan(second) : second != cases[i].second))
			fail_msg("%zu samples, the second %g, of\n%s", rec->channels[0].samples, second,
			         cases[i].table);
		assert_true((rec->note != NULL) == isnan(cases[i].second));
		wsi_recording_close(rec);
	}
	wsi_recording *rec = open_text("a,b\n1,2\n\n3,4\n");
	assert_int_equal(rec->channels[0].samples, 2);
	wsi_recording_close(rec);
}

/* Numbers of nines that may stand for none are told, and taken only if that is said. */
static void
fill_values(void **state)
{
	(void)state;
	static const char table[] = "x,y\n1,-9999\n2,99\n-9999,98\n3,97\n1.5,96\n";
	const char *path = test_text("t.csv", table);
	noted(path, "channel x has -9999 1 time, far from its other numbers");
	noted(path, "channel y has -9999 1 time");
	noted_with(path, &(wsi_open_opts){ .missing = "-9999" }, NULL);
	noted(test_text("u.csv", "x\n97\n98\n99\n96.5\n"), NULL);
	noted(test_text("u.csv", "x\n-1\n-99.9\n2\n0.5\n"), "`missing -99.9` says so");
	static const struct {
		const char *missing;
		ws_status status;
	} cases[] = { { NULL, WS_OK }, { "-9999", WS_E_FORMAT }, { "1,-9999", WS_E_FORMAT },
		      { "7", WS_OK }, { "x", WS_E_ARG }, { "1,", WS_E_ARG }, { "0x10", WS_E_ARG } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		wsi_input in;
		double x[5];
		const wsi_pick pick = { .channels = "x", .missing = cases[i].missing, .type = WS_F64 };
		ws_status status = wsi_input_select(&in, open_ok(path), &pick);
		if (status == WS_OK) {
			wsi_input_plan(&in, 0);
			status = wsi_input_start(&in, test_path("out"), NULL);
			if (status == WS_OK)
				status = wsi_input_read(&in, 0, x);
			wsi_input_close(&in);
		}
		if (status != cases[i].status)
			fail_msg("%s: %s", cases[i].missing ? cases[i].missing : "none",
			         ws_status_name(status));
	}
	/* Mended as all that is missing. */
	wsi_input in;
	double x[5];
	const wsi_pick pick = { .channels = "x", .missing = "-9999", .interpolate = true,
	                        .type = WS_F64 };
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	wsi_input_plan(&in, 0);
	assert_int_equal(wsi_input_start(&in, test_path("out"), NULL), WS_OK);
	assert_int_equal(wsi_input_read(&in, 0, x), WS_OK);
	close_to(x[2], 2.5, 0);
	wsi_input_close(&in);
}

/* What is guessed, or may be meant otherwise, is told. */
static void
devices(void **state)
{
	(void)state;
	/* What wristbands and loggers write above their numbers. */
	starts("1544027337.5,1544027337.5\n4.0,4.0\n1,2\n3,nan\n5,7\n", "2018-12-05T16:28:57.500Z");
	reads("1544027337\n4\n9\n8\n7\n", 4, 3, 9);
	noted(test_text("t.csv", "1544027337\n4\n9\n8\n7\n"), "its first two rows are taken");
	reads("1544027337\n4\n9\n8\n1544027338\n", 0, 5, 1544027337);
	static const char *const loggers[] = {
		"sep=,\nS_Timestamp,Acc\nms,m/(s^2)\n4000,5\n4250,6\n4500,7\n",
		"Timestamp,Acc\nCAL,CAL\nms,m/(s^2)\n4000,5\n4250,6\n4500,7\n",
		"Time,Acc\n(ms),(m/(s^2))\n\n4000,5\n4250,6\n4500,7\n",
	};
	for (int i = 0; i < 3; ++i) {
		reads(loggers[i], 4, 3, 5);
		wsi_recording *rec = open_text(loggers[i]);
		assert_string_equal(rec->channels[0].name, "Acc");
		assert_string_equal(rec->channels[0].unit, "m/(s^2)");
		wsi_recording_close(rec);
	}
	wsi_recording *rec = open_text("EEG,EEG\nuV,uV\n0.5,1\n2,3\n");
	assert_string_equal(rec->channels[1].name, "EEG");
	assert_string_equal(rec->channels[1].unit, "uV");
	wsi_recording_close(rec);
	rec = open_text("time,ECG (A/D)\n0,1\n1,3\n");
	assert_string_equal(rec->channels[0].unit, "");
	wsi_recording_close(rec);
}

static void
told(void **state)
{
	(void)state;
	/* A name may hold the end of a line, as spreadsheets write it. */
	wsi_recording *rec = open_text("time,\"a, \"\"b\"\"\",\"c\n(uV)\"\n0,1,2\n0.5,3,4\n1,5,7\n");
	assert_string_equal(rec->channels[0].name, "a, \"b\"");
	assert_string_equal(rec->channels[1].name, "c (uV)");
	close_to(rec->channels[1].fs, 2, 0);
	assert_null(rec->note);
	wsi_recording_close(rec);
	refused(test_text("t.csv", "\"a,b\n1,2\n3,4\n"), WS_E_FORMAT, "a quote that does not end");
	/* The name of a moment since 1970 that "time" stands behind is one of any time. */
	reads("unix_time,a\n0,1\n0.25,3\n0.5,5\n", 4, 3, 1);
	noted(test_text("t.csv", "unix,a\n0,1\n0.25,3\n0.5,5\n"), "column unix is called a time");
	noted(test_text("t.csv", "0,1\n5,6\n7,8\n"), "its first line, which counts its columns");
	noted(test_text("t.csv", "a\n1\n1e20\n2\n"), "a has 1e+20 1 time");
	noted(test_text("t.csv", "a\n1\n-999.25\n2\n"), "a has -999.25 1 time");
	/* Days that nothing calls so, and none of them; a table that lies. */
	noted(test_text("t.csv", "Time,a\n43831.25,1\n43831.5,2\n43831.75,3\n"), NULL);
	noted(test_text("t.csv", "Time,a\n43831.041667,1\n43831.083333,2\n43831.125,3\n"),
	      "if they are days, as spreadsheets count them");
	noted(test_text("t.csv", "time,a\n737791.0000000,1\n737791.0000116,2\n737791.0000231,3\n"),
	      "if they are days, as MATLAB counts them");
	noted(test_text("t.csv", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17\n"),
	      "16 columns are read as channels, of 1 sample each");
	/* Rounded times: the roundest rate that fits, and how well they tell it. */
	reads("time,a\n0,1\n0.000023,2\n0.000045,3\n0.000068,4\n0.000091,5\n", 44000, 5, 1);
	noted(test_text("t.csv", "time,a\n0,1\n0.000023,2\n0.000045,3\n0.000068,4\n0.000091,5\n"),
	      "tell its rate to 0.");
}

/* ---- Abuse ---------------------------------------------------------------- */

static void
abuse(void **state)
{
	(void)state;
	static const char *const tables[] = {
		"Device,X12\nSample Rate,2\n,\nTime,A\ns,mV\n0,5\n0.5,6\n\nEnd of file\n",
		",0,1\n03/04/2020,0.5,6\n13/04/2020,7,8\n#N/A,1,2\n",
		"#YY MM DD hh mm x\n#yr mo dy hr mn m/s\n2009 08 24 00 20 5\n2009 08 24 00 30 6\n",
		"# {\"column\": [\"nSeq\", \"A1\"], \"sampling rate\": 1000}\n14\t5\t\n15\t6\t\n",
		"Year,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec\n1950,1,2,3,4,5,6,7,8,9,10,11,12\n1951,13\n",
		"Zeit;x\n0,0;0,5\n0,25;1,5\n\n", "1\n\n2\n\n3\n",
	};
	for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t) {
		const size_t n = strlen(tables[t]);
		survives_truncation("t.csv", tables[t], n, 1, NULL);
		char broken[256];
		static const char wrong[] = { '"', ';', '\n', '-', '\377', ',', '\t', '0', ':', '\'', '#' };
		for (size_t i = 0; i < n; ++i)
			for (size_t k = 0; k < sizeof wrong; ++k) {
				memcpy(broken, tables[t], n + 1);
				broken[i] = wrong[k];
				survives(test_file("t.csv", broken, n), NULL);
			}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_times),  cmocka_unit_test(units_in_names),
		cmocka_unit_test(stamps),          cmocka_unit_test(dates),
		cmocka_unit_test(clocks),          cmocka_unit_test(told_rates),
		cmocka_unit_test(titles),          cmocka_unit_test(years_of_months),
		cmocka_unit_test(rows_that_count), cmocka_unit_test(decimal_commas),
		cmocka_unit_test(commas_and_points), cmocka_unit_test(numbers),
		cmocka_unit_test(missing_values),  cmocka_unit_test(blank_lines),
		cmocka_unit_test(fill_values),     cmocka_unit_test(devices), cmocka_unit_test(told),
		cmocka_unit_test(abuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
