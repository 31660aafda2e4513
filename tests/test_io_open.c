/* test_io_open.c - choosing a reader, and the helpers that readers share. */
#include "io_test.h"

#include <sys/stat.h>

#include <sys/stat.h>

#include "io/result/sha256.h"

static void
not_files(void **state)
{
	(void)state;
	refused(test_path("absent.edf"), WS_E_IO, "No such file");
	test_file("x", "1", 1);
	char folder[256];
	snprintf(folder, sizeof folder, "%s", test_folder);
	refused(folder, WS_E_IO, "is a directory");
	/* A pipe without a writer must not be waited for. */
	const char *fifo = test_path("fifo.csv");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	refused(fifo, WS_E_IO, "not a regular file");
	refused(test_file("empty.edf", "", 0), WS_E_FORMAT, "empty");
	refused(test_file("x.bin", "\0\1\2\3", 4), WS_E_FORMAT, "not a known format");
	if (geteuid() != 0) {
		const char *path = test_text("secret.csv", "1\n");
		assert_int_equal(chmod(path, 0), 0);
		refused(path, WS_E_IO, "Permission denied");
	}
}

static void
content_before_name(void **state)
{
	(void)state;
	wsi_recording *rec = open_ok(test_text("table.edf", "1,2\n3,4\n"));
	assert_string_equal(rec->format, "text");
	wsi_recording_close(rec);
	rec = open_ok(test_text("table", "1 2\n3 4\n"));
	assert_string_equal(rec->format, "text");
	wsi_recording_close(rec);
	/* By name alone: refused by the reader of that name. */
	refused(test_file("x.wav", "\0\1\2\3", 4), WS_E_FORMAT, "neither WAV");
	refused(test_file("x.EDF", "\0\1\2\3", 4), WS_E_FORMAT, "truncated");
	/* --raw goes before everything. */
	rec = open_with(test_text("table.csv", "1,2\n"), &(wsi_open_opts){ .raw = "u8" });
	assert_string_equal(rec->format, "raw");
	close_to(sample(rec, 0, 0, 0), '1', 0);
	wsi_recording_close(rec);
}

static void
told_rate(void **state)
{
	(void)state;
	static const char table[] = "time,x\n0,1\n0.5,2\n1,3\n";
	wsi_recording *rec = open_with(test_text("t.csv", table), &(wsi_open_opts){ .fs = 8 });
	assert_true(rec->fs_known);
	close_to(rec->channels[0].fs, 8, 0);
	wsi_recording_close(rec);
	const double wrong[] = { -1, NAN, INFINITY };
	for (size_t i = 0; i < 3; ++i)
		refused_with(test_text("t.csv", table), &(wsi_open_opts){ .fs = wrong[i] },
		             WS_E_ARG, "is not above 0");
	wsi_recording_close(NULL);
}

static void
events_are_sorted(void **state)
{
	(void)state;
	wsi_recording rec = { .path = "here" };
	static const double onsets[] = { 5, 1, 3, 1, 9, 1 };
	static const char *const labels[] = { "a", "b", "c", "d", "e", "f" };
	for (size_t i = 0; i < 6; ++i)
		assert_int_equal(wsi_recording_add_event(&rec, onsets[i], 0, labels[i]), WS_OK);
	assert_int_equal(wsi_recording_add_event(&rec, NAN, 0, "x"), WS_E_FORMAT);
	assert_int_equal(wsi_recording_add_event(&rec, 1, INFINITY, "x"), WS_E_FORMAT);
	assert_int_equal(wsi_recording_sort_events(&rec), WS_OK);
	char order[7] = "";
	assert_int_equal(rec.n_events, 6);
	for (size_t i = 0; i < 6; ++i) {
		order[i] = rec.events[i].label[0];
		free(rec.events[i].label);
	}
	free(rec.events);
	assert_string_equal(order, "bdfcae");
}

static void
too_many_channels(void **state)
{
	(void)state;
	wsi_recording rec = { .path = "here" };
	assert_int_equal(wsi_recording_set_channels(&rec, (size_t)1 << 40, 0), WS_E_FORMAT);
	assert_null(rec.channels);
}

static void
cleans_to(const char *text, size_t n, const char *expected)
{
	char *clean = wsi_clean_text(text, n);
	assert_string_equal(clean, expected);
	free(clean);
}

static void
texts_and_names(void **state)
{
	(void)state;
	cleans_to("  a\tb\n ", 7, "a b");
	cleans_to("", 0, "");
	cleans_to("\0\0x\0y\0", 6, "x y");
	cleans_to("\265V", 2, "\302\265V");
	cleans_to("\302\265V", 3, "\302\265V");
	/* Cut within a character, overlong, surrogate: Latin-1, then. */
	cleans_to("\302", 1, "\303\202");
	cleans_to("\300\200", 2, "\303\200");
	cleans_to("\355\240\200", 3, "\303\255\302\240");
	/* Escapes and the controls C1, in UTF-8 or not; marks of direction and of lines. */
	cleans_to("a\033[2Jb", 6, "a [2Jb");
	cleans_to("a\302\2332Jb", 6, "a 2Jb");
	cleans_to("a\2332Jb", 5, "a 2Jb");
	cleans_to("a\342\200\256b\342\201\251c\342\200\250d", 13, "a b c d");
	cleans_to("\357\273\277a", 4, " a");
	assert_true(wsi_name_ends("/x/A.EDF", ".edf"));
	assert_false(wsi_name_ends("edf", ".edf"));
	char *path = wsi_path_with_ext("/a.b/c", "set");
	assert_string_equal(path, "/a.b/c.set");
	free(path);
	path = wsi_path_with_ext("a.b/c.d.set", "fdt");
	assert_string_equal(path, "a.b/c.d.fdt");
	free(path);
	path = wsi_path_beside("/a/b", "c");
	assert_string_equal(path, "/a/c");
	free(path);
	path = wsi_path_beside("b", "c");
	assert_string_equal(path, "c");
	free(path);
}

static void
checksum(void **state)
{
	(void)state;
	/* FIPS 180-2, appendix B.1. */
	char hex[65];
	assert_int_equal(wsi_sha256_file(test_text("abc", "abc"), hex), WS_OK);
	assert_string_equal(hex,
	                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(wsi_sha256_file(test_path("absent"), hex), WS_E_IO);
	assert_string_equal(hex, "");
}

/* Two names that differ in their last letter alone, of so many letters before it: kept whole up to
 * 240 bytes, and else cut between letters, and still two. */
static void
stay_apart(const char *letter, size_t letters)
{
	char *name[2], *clean[2];
	const size_t width = strlen(letter), n = letters * width + 1;
	for (int k = 0; k < 2; ++k) {
		name[k] = calloc(n + 1, 1);
		for (size_t i = 0; i < letters; ++i)
			memcpy(name[k] + i * width, letter, width);
		name[k][n - 1] = (char)('a' + k);
		clean[k] = wsi_clean_name(name[k]);
		assert_non_null(clean[k]);
		char *again = wsi_clean_name(clean[k]), *text = wsi_clean_text(clean[k],
		                                                               strlen(clean[k]));
		assert_string_equal(again, clean[k]);
		assert_string_equal(text, clean[k]);
		free(again);
		free(text);
		assert_int_equal(wsi_name_is_cut(clean[k]), n > 240);
		if (n <= 240)
			assert_string_equal(clean[k], name[k]);
		else
			assert_in_range(strlen(clean[k]), 237, 240);
	}
	assert_string_not_equal(clean[0], clean[1]);
	for (int k = 0; k < 2; ++k) {
		free(name[k]);
		free(clean[k]);
	}
}

static void
long_names(void **state)
{
	(void)state;
	static const char *const letters[] = { "x", "\303\251", "\342\202\254", "\360\237\216\265" };
	for (size_t k = 0; k < 4; ++k)
		for (size_t n = 230 / strlen(letters[k]); n < 300; ++n)
			stay_apart(letters[k], n);
	assert_false(wsi_name_is_cut("Fz..#0123456789ab"));
	assert_false(wsi_name_is_cut(""));
}

/* Formats of others are named, with the line that converts them. */
static void
formats_of_others(void **state)
{
	(void)state;
	static const unsigned char fif[64] = { 0, 0, 0, 100, 0, 0, 0, 31, 0, 0, 0, 20 };
	static unsigned char sac[700], gz[64] = { 0x1f, 0x8b, 8 };
	memset(sac, 1, sizeof sac);
	memcpy(sac + 304, "\6\0\0\0", 4);
	refused(test_file("x.fif", fif, sizeof fif), WS_E_FORMAT, "import sys, mne, h5py");
	refused(test_path("x.fif"), WS_E_FORMAT, "/x.fif x.h5");
	refused(test_file("renamed", fif, sizeof fif), WS_E_FORMAT, "is FIF");
	/* Nothing of a name is for a shell. */
	refused(test_file("a b;$(rm).fif", fif, sizeof fif), WS_E_FORMAT, "\" FILE FILE.h5");
	refused(test_file("x.fif.gz", gz, sizeof gz), WS_E_FORMAT, "is FIF");
	refused(test_file("x.csv.gz", gz, sizeof gz), WS_E_FORMAT, "unpack it with gunzip");
	refused(test_file("x.sac", sac, sizeof sac), WS_E_FORMAT, "import sys, obspy, h5py");
	static const char hea[] = "# a comment\nx 2 360 1000\r\nx.dat 212 200 11\r\nx.dat 212 200 11\r\n";
	refused(test_file("x.hea", hea, sizeof hea - 1), WS_E_FORMAT, "import sys, wfdb, h5py");
	refused(test_file("x.dat", sac, sizeof sac), WS_E_FORMAT, "is WFDB");
	memcpy(sac + 304, "\0\0\0\6", 4);
	refused(test_file("x.sac", sac, sizeof sac), WS_E_FORMAT, "is SAC");
	memcpy(sac, "000001D ", 8);
	refused(test_file("x.mseed", sac, sizeof sac), WS_E_FORMAT, "is miniSEED");
	memcpy(sac, "MS\3", 3);
	refused(test_file("x", sac, sizeof sac), WS_E_FORMAT, "is miniSEED");
	memcpy(sac, "caff\0\1\0\0", 8);
	refused(test_file("x", sac, sizeof sac), WS_E_FORMAT, "import sys, soundfile, h5py");
	refused(test_file("x.mp3", "\377\373\0", 3), WS_E_FORMAT, "import sys, soundfile, h5py");
	memcpy(sac, "Version 3.0", 12);
	refused(test_file("x.cnt", sac, sizeof sac), WS_E_FORMAT, "is Neuroscan CNT");
	const char *folder = test_path("x.ds");
	assert_int_equal(mkdir(folder, 0700), 0);
	refused(folder, WS_E_FORMAT, "is CTF");
	assert_int_equal(rmdir(folder), 0);
	/* A table is one, whatever it is called. */
	wsi_recording_close(open_ok(test_text("x.con", "a,b\n1,2\n3,4\n")));
}

static void
channel_of_triggers(void **state)
{
	(void)state;
	static const char table[] = "time,x,stim,noise\n0,1,5,1\n1,2,5,2\n2,3,7,3\n3,4,5,4\n"
		"4,5,6.5,5\n5,6,6.5,6\n6,7,5,7\n7,8,5,8\n";
	const char *path = test_text("stim.csv", table);
	wsi_recording *rec = open_with(path, &(wsi_open_opts){ .events_from = "stim" });
	assert_false(rec->channels[1].is_signal);
	assert_true(rec->channels[0].is_signal);
	assert_int_equal(rec->n_events, 2);
	is_event(rec, 0, 2, 0, "2");     /* 7, without the bits of 5 */
	is_event(rec, 1, 4, 0, "6.5");
	assert_non_null(strstr(rec->note, "trigger channel stim rests at 5"));
	wsi_recording_close(rec);
	/* At another rate. */
	rec = open_with(path, &(wsi_open_opts){ .events_from = "2", .fs = 10 });
	is_event(rec, 1, 0.4, 0, "6.5");
	wsi_recording_close(rec);
	refused_with(path, &(wsi_open_opts){ .events_from = "absent" }, WS_E_ARG, "absent");
	refused_with(path, &(wsi_open_opts){ .events_from = "1,2" }, WS_E_ARG, "name one");
	char text[4000];
	int n = 0;
	for (int i = 0; i < 500; ++i)
		n += sprintf(text + n, "%d\n", i * i % 499);
	refused_with(test_text("noise.csv", text), &(wsi_open_opts){ .events_from = "1" },
	             WS_E_FORMAT, "it is none of triggers");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_files),         cmocka_unit_test(content_before_name),
		cmocka_unit_test(told_rate),         cmocka_unit_test(events_are_sorted),
		cmocka_unit_test(too_many_channels), cmocka_unit_test(texts_and_names),
		cmocka_unit_test(checksum),       cmocka_unit_test(long_names),
		cmocka_unit_test(formats_of_others),
		cmocka_unit_test(channel_of_triggers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
