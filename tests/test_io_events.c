/* test_io_events.c - lists of names, epochs around events, events in a file of their own. */
#include "io_test.h"

#include "io/read/events_file.h"
#include "io/read/input.h"
#include "io/read/input_select.h"
#include "io/read/names.h"
#include "io/read/pauses.h"

/* ---- Names ---------------------------------------------------------------- */

static bool
is_known(const void *user, const char *text)
{
	const char *const *names = user;
	while (*names && strcmp(*names, text) != 0)
		++names;
	return *names != NULL;
}

/* The items of a list, each in brackets, those that are names and nothing else with a mark. */
static void
items(const char *list, const char *const *names, const char *expected)
{
	char all[512] = "";
	for (const char *at = list; at;) {
		wsi_name_item item;
		if (wsi_names_next(&at, names ? is_known : NULL, names, "names", &item) != WS_OK) {
			strcat(all, "refused");
			assert_null(item.text);
			break;
		}
		sprintf(all + strlen(all), "%s[%s]", item.quoted ? "=" : "", item.text);
		free(item.text);
	}
	assert_string_equal(all, expected);
}

static void
lists_of_names(void **state)
{
	(void)state;
	static const char *const names[] = { "left", "left, hand", "a,b,c", "a", "b", "say \"x\"", "\"q",
	                                     NULL };
	items("left", names, "=[left]");
	items("left, hand", names, "=[left, hand]");
	items("left, hand,left", names, "=[left, hand]=[left]");
	items("left,left, hand", names, "=[left]=[left, hand]");
	items("a,b,c,a", names, "=[a,b,c]=[a]");
	items("a,b", names, "=[a]=[b]");
	items("a,b,d", names, "=[a]=[b][d]");
	items("Cz,EEG*,1-4", names, "[Cz][EEG*][1-4]");
	items("\"left, hand\",x", names, "=[left, hand][x]");
	items("\"a\"", names, "=[a]");
	items("\"1-4\",\"x*\"", NULL, "=[1-4]=[x*]");
	items("\"say \"\"x\"\"\"", names, "=[say \"x\"]");
	items("say \"x\"", names, "=[say \"x\"]");
	items("\"q", names, "=[\"q]");
	items("\"\"", names, "=[]");
	items("a,,b", names, "=[a]refused");
	items("", names, "refused");
	items("a,", names, "=[a]refused");
	items("\"a,b", names, "refused");
	items("\"a\"b", names, "refused");
	/* As long as any. */
	char list[3000];
	memset(list, 'x', sizeof list - 1);
	list[sizeof list - 1] = '\0';
	const char *at = list;
	wsi_name_item item;
	assert_int_equal(wsi_names_next(&at, is_known, names, "names", &item), WS_OK);
	assert_string_equal(item.text, list);
	free(item.text);
}

/* ---- Events of a file ----------------------------------------------------- */

static const char *
ten_seconds(void)
{
	static char table[4096];
	char *end = table + sprintf(table, "time,x\n");
	for (int i = 0; i < 40; ++i)
		end += sprintf(end, "%g,%d\n", i / 4.0, i);
	return test_text("ten.csv", table);
}

static wsi_recording *
with_events(const char *name, const char *events)
{
	wsi_recording *rec = open_ok(ten_seconds());
	if (wsi_events_read(rec, test_text(name, events)) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return rec;
}

static void
tables_of_events(void **state)
{
	(void)state;
	/* Each has an event at 1.5 s of 0.5 s, "go, left", and one at 3 s. */
	static const char *const tables[] = {
		"onset\tduration\ttrial_type\n1.5\t0.5\tgo, left\n3\tn/a\tstop\n",
		"onset\tduration\tvalue\ttrial_type\n1.5\t0.5\t7\tgo, left\n3\t0\t8\tstop\n",
		"onset\tduration\ttrial_type\tvalue\n1.5\t0.5\tgo, left\t7\n3\t0\tn/a\tstop\n",
		"onset,duration,label\n1.5,0.5,\"go, left\"\n3,,stop\n",
		"label,onset_ms,duration_ms\n\"go, left\",1500,500\nstop,3000,0\n",
		"Onset (ms);Duration (ms);Label\n1500,0;500,0;go, left\n3000;0;stop\n",
		"start\tend\tlabel\n1.5\t2\tgo, left\n3\t3\tstop\n",
		"1.500000\t2.000000\tgo, left\n\\\t100.0\t200.0\n3.000000\t3.000000\tstop\n",
		"1.5;0.5;go, left\n3;0;stop\n",
		"# MNE-Annotations\n# onset, duration, description\n1.5,0.5,\"go, left\"\n3.0,0.0,stop\n",
		"onset,duration,description\n1970-01-01 00:00:01.5,0.5,\"go, left\"\n"
		"1970-01-01 00:00:03,0,stop\n",
		"sample\tduration\ttrial_type\n6\t0.5\tgo, left\n12\t0\tstop\n",
		"\xef\xbb\xbfonset\tduration\ttrial_type\r\n1.5\t0.5\tgo, left\r\n3\t0\tstop\r\n",
	};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
		wsi_recording *rec = with_events("e.tsv", tables[i]);
		if (rec->n_events != 2)
			fail_msg("%zu events of\n%s", rec->n_events, tables[i]);
		is_event(rec, 0, 1.5, 0.5, "go, left");
		is_event(rec, 1, 3, 0, "stop");
		wsi_recording_close(rec);
	}
	/* Onsets that count from another moment than the recording. */
	wsi_recording *rec = open_ok(test_text("d.csv", "time,x\n2020-01-01T10:00:00,1\n"
	                                       "2020-01-01T10:00:01,2\n2020-01-01T10:00:02,3\n"));
	const char *counted = "# MNE-Annotations\n# orig_time : 2020-01-01 10:00:00.500000\n"
	                      "# onset, duration, description\n0.5,0.25,go\n";
	assert_int_equal(wsi_events_read(rec, test_text("e.txt", counted)), WS_OK);
	is_event(rec, 0, 1, 0.25, "go");
	wsi_recording_close(rec);
	rec = with_events("e.txt", counted);
	is_event(rec, 0, 0.5, 0.25, "go");
	wsi_recording_close(rec);
	rec = with_events("e.tsv", "onset\n3\n1.5\n");
	is_event(rec, 0, 1.5, 0, "event");
	wsi_recording_close(rec);
	rec = with_events("e.tsv", "onset\tduration\ttrial_type\n-1\t0\tx\n2\t0\tx\n10\t0\ty\n");
	assert_non_null(strstr(rec->note, "2 of its 3 events lie outside"));
	wsi_recording_close(rec);
	rec = with_events("e.tsv", "onset\tduration\ttrial_type\nn/a\t0\tx\n2\tn/a\ty\nn/a\tn/a\tz\n3\n");
	assert_int_equal(rec->n_events, 2);
	is_event(rec, 0, 2, 0, "y");
	is_event(rec, 1, 3, 0, "n/a");
	assert_non_null(strstr(rec->note, "2 of its 4 events have no onset (n/a) and are left out"));
	assert_non_null(strstr(rec->note, "1 of its 4 events has fewer fields than there are columns"));
	wsi_recording_close(rec);
}

static void
wrong_events(const char *text, const char *words)
{
	wsi_recording *rec = open_ok(ten_seconds());
	const ws_status status = wsi_events_read(rec, test_text("e.tsv", text));
	if (status != WS_E_FORMAT || !strstr(ws_error_detail(), words))
		fail_msg("%s: '%s'; expected '%s'", ws_status_name(status), ws_error_detail(), words);
	wsi_recording_close(rec);
}

static void
refused_events(void **state)
{
	(void)state;
	wrong_events("time_of_it\tlabel\n1\tx\n", "line 1: no column is named onset");
	wrong_events("onset\tduration\ttrial_type\n", "holds no events");
	wrong_events("onset\tlabel\nx\ty\n", "line 2: 'x' is no onset");
	wrong_events("onset\tlabel\n0x10\ty\n", "'0x10' is no onset");
	wrong_events("onset\tduration\tlabel\n1\tx\ty\n", "line 2: 'x' is no duration");
	wrong_events("onset\tduration\tlabel\n1\t-1\ty\n", "'-1' is no duration: it is below 0");
	wrong_events("start\tend\tlabel\n2\t1\ty\n", "'1' is no duration: it is below 0");
	wrong_events("onset,duration,label\n1,0,left, hand\n", "line 2 has 4 fields where there are 3");
	wrong_events("onset\tlabel\n2009-08-24T00:20:03\ty\n", "does not tell when it begins");
	wrong_events("", "");
	wsi_recording *rec = open_ok(test_text("t.csv", "x\n1\n2\n"));
	assert_int_equal(wsi_events_read(rec, test_text("e.tsv", "onset\n1\n")), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "`fs`"));
	wsi_recording_close(rec);
	rec = open_ok(ten_seconds());
	assert_int_equal(wsi_events_read(rec, test_path("none.tsv")), WS_E_IO);
	wsi_recording_close(rec);
	/* Dates against the start of the recording. */
	rec = open_ok(test_text("t.csv", "date,x\n2009-08-24T00:00:00,1\n2009-08-24T00:00:01,2\n"
	                        "2009-08-24T00:00:02,3\n"));
	static const char dated[] = "onset\tlabel\n2009-08-24T00:00:01.5\ty\n";
	assert_int_equal(wsi_events_read(rec, test_text("e.tsv", dated)), WS_OK);
	is_event(rec, 0, 1.5, 0, "y");
	wsi_recording_close(rec);
}

static void
abuse(void **state)
{
	(void)state;
	static const char table[] = "onset\tduration\tvalue\ttrial_type\n1.5\t0.5\t7\t\"go, left\"\n"
	                            "3\t\t8\tn/a\n";
	static const char wrong[] = { '"', ';', '\n', '-', '\377', ',', '\t', '0', ':', '\'', '#', '\0' };
	wsi_recording *rec = open_ok(ten_seconds());
	char broken[sizeof table];
	for (size_t i = 0; i + 1 < sizeof table; ++i)
		for (size_t k = 0; k <= sizeof wrong; ++k) {
			memcpy(broken, table, sizeof table);
			if (k < sizeof wrong)
				broken[i] = wrong[k];
			const size_t n = k < sizeof wrong ? sizeof table - 1 : i;
			if (wsi_events_read(rec, test_file("e.tsv", broken, n)) != WS_OK)
				assert_true(ws_error_detail()[0] != '\0');
		}
	wsi_recording_close(rec);
}

/* ---- Epochs --------------------------------------------------------------- */

/* The first epoch that is cut at fs around an event begins at start and has so many samples; the
 * sample of time 0 is the event's. */
static void
epoch_is(double onset, double tmin, double tmax, double start, size_t n)
{
	char events[64];
	snprintf(events, sizeof events, "onset\tlabel\n%.9g\tgo, left\n", onset);
	wsi_recording *rec = with_events("e.tsv", events);
	wsi_input in;
	const wsi_pick pick = { .epochs_at = "go, left", .tmin = tmin, .tmax = tmax, .type = WS_F64 };
	if (wsi_input_select(&in, rec, &pick) != WS_OK)
		fail_msg("%s", ws_error_detail());
	close_to(wsi_input_first_time(&in), start, 0);
	assert_int_equal(in.samples, n);
	/* Samples count 4 a second from 0. */
	close_to((double)in.starts[0] - in.start * 4, rint(4 * onset), 0);
	wsi_input_close(&in);
}

static void
epochs_lie_on_samples(void **state)
{
	(void)state;
	epoch_is(5, -1, 1, -1, 8);
	epoch_is(5, -2.1, 1, -2, 12);
	epoch_is(5, -0.9, 1.1, -1, 8);
	epoch_is(5, 0.1, 1, 0, 4);
	epoch_is(5.1, -1, 1, -1, 8);
	epoch_is(5.2, -2.1, 1, -2, 12);
	epoch_is(4.9, -1.2, 0.3, -1.25, 6);
}

static void
events_that_are_none(void **state)
{
	(void)state;
	static const struct {
		const char *list;
		size_t epochs;   /* 0: refused */
	} cases[] = {
		{ "left, hand", 2 }, { "right", 1 }, { "left, hand,right", 3 }, { "\"left, hand\",right", 3 },
		{ "l*", 2 }, { "\"l*\"", 0 }, { "left", 0 }, { "right,wrong", 0 }, { "right,", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		wsi_recording *rec = with_events("e.tsv", "onset\tlabel\n2\tleft, hand\n4\tright\n"
		                                 "6\tleft, hand\n");
		wsi_input in;
		const wsi_pick pick = { .epochs_at = cases[i].list, .tmin = -1, .tmax = 1, .type = WS_F64 };
		const ws_status status = wsi_input_select(&in, rec, &pick);
		assert_int_equal(status, cases[i].epochs ? WS_OK : WS_E_ARG);
		if (status == WS_OK) {
			assert_int_equal(in.n_epochs, cases[i].epochs);
			wsi_input_close(&in);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_names),        cmocka_unit_test(tables_of_events),
		cmocka_unit_test(refused_events),        cmocka_unit_test(abuse),
		cmocka_unit_test(epochs_lie_on_samples), cmocka_unit_test(events_that_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
