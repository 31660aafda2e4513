/*
 * test_hostile.c - the collection of hostile files: what the program must give for each.
 *
 * hostile/hostile.h says what every command must do with every file; the status and words that
 * stand here are those of this file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hostile/hostile.h"

/* ---- Files that are none ----------------------------------------------------------- */

static void
no_files(void **state)
{
	(void)state;
	static const char *const endings[] = { "edf", "bdf", "vhdr", "set", "mat", "h5", "npy",
		                               "npz", "csv", "wav", "flac", "ogg" };
	for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
		char name[64];
		snprintf(name, sizeof name, "fifo.%s", endings[i]);
		assert_int_equal(mkfifo(in_folder(name), 0600), 0);
		try_file(name, 3, "not a regular file", 3, NULL);
		snprintf(name, sizeof name, "link.%s", endings[i]);
		char target[64];
		snprintf(target, sizeof target, "fifo.%s", endings[i]);
		assert_int_equal(symlink(target, in_folder(name)), 0);
		try_file(name, 3, "not a regular file", 3, NULL);
		snprintf(name, sizeof name, "empty.%s", endings[i]);
		put_file(name, "", 0);
		try_file(name, 3, "empty", 3, NULL);
		snprintf(name, sizeof name, "short.%s", endings[i]);
		put_file(name, "\x89HD\0\xff", 5);
		try_file(name, 3, name, 3, NULL);
	}
	assert_int_equal(symlink("loop.h5", in_folder("loop.h5")), 0);
	try_file("loop.h5", 3, "cannot be opened", 3, NULL);
	/* What was begun in a folder is told; there is no more to read. */
	try_file(".", 0, "no work in it was stopped", 3, NULL);
	try_file("/dev/zero", 3, "not a regular file", 3, NULL);
	try_file("/dev/tty", 3, "/dev/tty", 3, NULL);
	try_file("/proc/self/mem", 3, NULL, 3, NULL);
}

/* ---- HDF5 that reaches for other files --------------------------------------------- */

static void
reaching_out(void **state)
{
	(void)state;
	static const struct {
		const char *stem;
		maker *make;
		const char *words;  /* of a .h5; of MAT files too, where all is looked at */
		int status;
		bool in_mat;
		const char *variable;
	} ways[] = {
		{ "storage", external_storage, "external storage", 3, true, NULL },
		{ "virtual", virtual_dataset, "virtual dataset", 3, true, NULL },
		{ "growing", growing_virtual_dataset, "virtual dataset", 3, true, NULL },
		{ "link", external_link, "link to another file", 3, true, NULL },
		{ "group", external_group, "link to another file", 3, true, "/g/x" },
		{ "twice", link_to_link, NULL, 3, true, NULL },
		{ "plugin", plugin_filter, "a plugin", 3, true, NULL },
		{ "chunk", one_huge_chunk, "in chunks of", 4, true, NULL },
		{ "claims", claims, "more values than", 3, false, NULL },
	};
	static const char *const others[] = { "/etc/passwd", "other.h5", "pipe", "../other.h5" };
	make_hdf5("other.h5", claims, NULL);
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
		for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
			char name[64];
			if (k > 0 && ways[i].make != external_storage &&
			    ways[i].make != virtual_dataset
			    && ways[i].make != external_link)
				break;
			snprintf(name, sizeof name, "%s%zu.h5", ways[i].stem, k);
			make_hdf5(name, ways[i].make, others[k]);
			try_file(name, ways[i].status, ways[i].words, ways[i].status,
			         ways[i].variable);
			snprintf(name, sizeof name, "%s%zu.mat", ways[i].stem, k);
			make_hdf5(name, ways[i].make, others[k]);
			try_file(name, ways[i].status, ways[i].in_mat ? ways[i].words : NULL,
			         ways[i].status, NULL);
			snprintf(name, sizeof name, "%s%zu.set", ways[i].stem, k);
			make_hdf5(name, ways[i].make, others[k]);
			try_file(name, ways[i].make == claims ? 3 : ways[i].status, NULL,
			         ways[i].status, NULL);
		}
	}
}

/* ---- Bombs ------------------------------------------------------------------------- */

static void
bombs(void **state)
{
	(void)state;
	put_mat5_bomb("bomb.mat", 20000000, 20000000);
	try_file("bomb.mat", 4, "-v7.3", 4, NULL);
	put_mat5_bomb("claims-more.mat", 500000000, 1000);
	try_file("claims-more.mat", 3, "claims more values", 3, NULL);
	put_npz_bomb("bomb.npz", 12000000, 12000000);
	try_file("bomb.npz", 4, "unzip it", 4, NULL);
	put_npz_bomb("claims-more.npz", (size_t)1 << 60, 1000);
	try_file("claims-more.npz", 3, "needs more than", 3, NULL);
	make_hdf5("bomb.h5", packed_zeros, NULL);
	/* Each chunk is read on its own; what is decomposed does not fit. */
	try_file("bomb.h5", 0, NULL, 4, NULL);
	put_long_text("endless.csv", "", "1111111111111111111111111111111111111111", 2000000);
	try_file("endless.csv", 4, "--memory is too small", 4, NULL);
	put_long_text("long.csv", "a\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n8\n", 1000000);
	try_file("long.csv", 4, "than the", 4, NULL);
	put_long_text("wide.csv", "1", ",1", 3000000);
	try_file("wide.csv", 4, NULL, 4, NULL);
	put_long_text("columns.csv", "1", ",1", 1000000);
	try_file("columns.csv", 4, NULL, 4, NULL);
}

/* ---- Events ------------------------------------------------------------------------ */

/* They are held in memory, all of them. */
static void
events(void **state)
{
	(void)state;
	put_triggers("triggers.bdf", 4000000);
	try_file("triggers.bdf", 4, "its triggers take more memory", 4, NULL);
	put_triggers("few.bdf", 1000);
	try_file("few.bdf", 0, "rests at 1: ", 3, NULL);
	put_long_annotations("annotations.edf", 150000000);
	try_file("annotations.edf", 4, "a data record of annotations takes more memory", 4, NULL);
	put_long_annotations("short.edf", 2000);
	try_file("short.edf", 0, NULL, 0, NULL);
	put_file("marked.eeg", "\1\0\2\0\1\0\3\0\1\0\2\0", 12);
	put_text("marked.vhdr", "Brain Vision Data Exchange Header File Version 1.0\n"
	         "[Common Infos]\nDataFile=marked.eeg\nMarkerFile=marked.vmrk\n"
	         "DataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=1\n"
	         "SamplingInterval=1000\n[Binary Infos]\nBinaryFormat=INT_16\n"
	         "[Channel Infos]\nCh1=A,,1,uV\n");
	put_long_text("marked.vmrk", "[Marker Infos]\n", "Mk1=a,,1\n", 3000000);
	try_file("marked.vhdr", 4, "its events take more memory", 4, NULL);
	put_long_text("marked.vmrk", "[Marker Infos]\n", "; a remark\n", 7000000);
	try_file("marked.vhdr", 3, "too many for a BrainVision", 3, NULL);
	put_long_text("marked.vmrk", "[Marker Infos]\nMk1=a,,1\n", "; a remark\n", 1000);
	try_file("marked.vhdr", 0, "1 event", 0, NULL);
}

/* ---- Words that readers might pass over ---------------------------------------------- */

/* None of these may be read as something else. */
static void
words(void **state)
{
	(void)state;
	static const struct {
		const char *text, *told;
	} tables[] = {
		{ "1\r2\r3\r4\r5\r", "line 1 has a carriage return" },
		{ "a,b\r1,2\r3,4\r", "line 1 has a carriage return" },
		{ "1\n2\r3\n4\n5\n", "line 2 has a carriage return" },
		{ "a,b\r\n1,2\r\n3,4\r5,6\r\n7,8\r\n", "line 3 has a carriage return" },
		{ "# remark\r1\n2\n3\n", "line 1 has a carriage return" },
		{ "a\n\"1\"5\n\"2\"\n", "line 2 has a quote" },
		{ "a,b\n1,2\n\"3,4\"\n5,\"6\n", "line 3 has 1 column" },
		{ "a,b\n1,2\n3,\"4\n5,6\n", "line 3 has a quote" },
		{ "a,b\n1,2\n3,1_000\n", "'1_000' is not a number" },
		{ "a,b\n1,2\n3,\357\274\221\n", "is not a number" },
		{ "a;b\n1,5;2,5\n1.5;2\n", "has a decimal point where others have decimal commas" },
		{ "a;b\n1.000,5;2\n", "decimal comma" },
		{ "a\n1d5\n2\n", "'1d5' is not a number" },
		{ "sep=,\na;b\n1;2\n", "'1;2' is not a number" },
		{ "date,b\n2009-13-45,2\n2009-14-45,3\n", "'2009-13-45'" },
		{ "time,b\n0,2\n1e308,3\n-1e308,1\n", "goes back" },
	};
	char name[32];
	for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
		snprintf(name, sizeof name, "words%zu.csv", i);
		put_text(name, tables[i].text);
		try_file(name, 3, tables[i].told, 3, NULL);
	}
	/* Such numbers are none, or too large; info does not look at them. */
	static const char *const numbers[] = { "1e400", "inf", "-infinity", "nan(123)", "" };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
		char text[64];
		snprintf(name, sizeof name, "number%zu.csv", i);
		snprintf(text, sizeof text, "a,b\n1,2\n3,%s\n5,1\n2,2\n", numbers[i]);
		put_text(name, text);
		try_file(name, 0, NULL, 3, NULL);
	}
	static const struct {
		const char *dict, *told;
	} arrays[] = {
		{ "{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 5)}", "fortran_order" },
		{ "{'descr': '<f8', 'fortran_order': Truer, 'shape': (2, 5)}", "fortran_order" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (2 5)}", "shape" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (2,, 5)}", "shape" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 9)}", "shape" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (9,)}", "type '<f2'" },
		{ "{'descr': '|b1', 'fortran_order': False, 'shape': (9,)}", "type '|b1'" },
		{ "{'descr': '|O', 'fortran_order': False, 'shape': (9,)}", "type '|O'" },
		{ "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (9,)}", "type '<M8" },
		{ "{'descr': '<c16', 'fortran_order': False, 'shape': (5,)}", "type '<c16'" },
		{ "{'descr': [('a\033[2J', '<f8')], 'fortran_order': False, 'shape': (9,)}",
		  "elements of type" },
		/* Python has the last of two. */
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), 'descr': '|O'}",
		  "type '|O'" },
	};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
		snprintf(name, sizeof name, "words%zu.npy", i);
		put_npy_dict(name, arrays[i].dict);
		try_file(name, 3, arrays[i].told, 3, NULL);
	}
	put_npy_dict("usual.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 5), }");
	try_file("usual.npy", 0, NULL, 0, NULL);
	put_npy_long_header("header.npy");
	try_result("header.npy", 3, "damaged");
}

/* Keys of BrainVision headers that change what the samples are. */
static void
keys(void **state)
{
	(void)state;
	static const struct {
		const char *common, *binary, *channels;
		int status;
		const char *told;
	} headers[] = {
		{ "", "", "Ch1=A,,1,uV\n", 0, NULL },
		{ "DataType=TIMEDOMAIN\n", "UseBigEndianOrder=NO\nDataOffset=0\n",
		  "Ch1=A,,1,uV\n", 0, NULL },
		{ "", "UseBigEndianOrder=YES\n", "Ch1=A,,1,uV\n", 0, NULL },
		{ "", "UseBigEndianOrder=MAYBE\n", "Ch1=A,,1,uV\n", 3, "UseBigEndianOrder" },
		{ "DataType=FREQUENCYDOMAIN\n", "", "Ch1=A,,1,uV\n", 3, "FREQUENCYDOMAIN" },
		{ "", "DataOffset=4\n", "Ch1=A,,1,uV\n", 3, "DataOffset" },
		{ "", "SegmentHeaderSize=4\n", "Ch1=A,,1,uV\n", 3, "SegmentHeaderSize" },
		{ "", "", "Ch1=A,,1,uV\nCh2=B,,1,uV\n", 3, "channel 2 is more than the 1" },
		{ "", "", "Ch1=A,,1e400,uV\n", 3, "'1e400' is not a number" },
		{ "SegmentDataPoints=5\n", "", "Ch1=A,,1,uV\n", 3, "does not divide" },
		{ "DataFile=other.eeg\n", "", "Ch1=A,,1,uV\n", 0, NULL },
	};
	char name[32], text[1024];
	put_file("keys.eeg", "\1\0\2\0\1\0\3\0\1\0\2\0", 12);
	for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
		snprintf(name, sizeof name, "keys%zu.vhdr", i);
		snprintf(text, sizeof text, "Brain Vision Data Exchange Header File Version 1.0\n"
		         "[Common Infos]\nDataFile=keys.eeg\nDataFormat=BINARY\n"
		         "DataOrientation=MULTIPLEXED\nNumberOfChannels=1\nSamplingInterval=1000\n"
		         "%s[Binary Infos]\nBinaryFormat=INT_16\n%s[Channel Infos]\n%s",
		         headers[i].common, headers[i].binary, headers[i].channels);
		put_text(name, text);
		try_file(name, headers[i].status, headers[i].told, headers[i].status, NULL);
	}
	static const char wide[] = "B\0r\0a\0i\0n\0V\0i\0s\0i\0o\0n\0";
	put_file("wide.vhdr", wide, sizeof wide);
	try_file("wide.vhdr", 3, "NUL byte", 3, NULL);
	static const char cut[] = "Brain Vision Data Exchange Header File Version 1.0\n"
	                          "[Common Infos]\nx=\0\nDataFile=keys.eeg\n";
	put_file("nul.vhdr", cut, sizeof cut - 1);
	try_file("nul.vhdr", 3, "NUL byte", 3, NULL);
}

/* ---- HDF5 that is odd -------------------------------------------------------------------- */

static void
odd_files(void **state)
{
	(void)state;
	static const struct {
		maker *make;
		const char *text;
		int status, mat_info, mat;
	} files[] = {
		{ cyclic_groups, NULL, 0, 3, 3 },     { deep_groups, NULL, 0, 3, 3 },
		{ soft_loop, NULL, 3, 3, 3 },         { many_links, NULL, 0, 3, 3 },
		/* MATLAB's own word for its type is believed as long as HDF5 converts it. */
		{ odd_types, "enum", 3, 0, 0 },       { odd_types, "opaque", 3, 3, 3 },
		{ odd_types, "texts", 3, 3, 3 },      { odd_types, "lists", 3, 3, 3 },
		{ odd_types, "arrays", 3, 3, 3 },     { odd_types, "references", 3, 3, 3 },
		{ odd_types, "bits", 3, 3, 3 },       { no_space, "null", 3, 3, 3 },
		{ no_space, "scalar", 3, 3, 3 },      { no_space, "samples", 3, 3, 3 },
		{ no_space, "rows", 3, 3, 3 },
	};
	char name[32];
	for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
		snprintf(name, sizeof name, "odd%zu.h5", i);
		make_hdf5(name, files[i].make, files[i].text);
		try_file(name, files[i].status, NULL, files[i].status, NULL);
		snprintf(name, sizeof name, "odd%zu.mat", i);
		make_hdf5(name, files[i].make, files[i].text);
		try_file(name, files[i].mat_info, NULL, files[i].mat, NULL);
	}
	make_hdf5("odd.set", cyclic_groups, NULL);
	try_file("odd.set", 3, NULL, 3, NULL);
	/* What is there and cannot be had is not as if it were not there. */
	static const struct {
		const char *what;
		int info, plot;
		const char *told;
	} results[] = {
		{ "nothing", 0, 0, NULL },
		{ "events: a link to nothing", 3, 3, "its events cannot be opened" },
		{ "events: a group", 3, 3, "its events cannot be opened" },
		{ "events: numbers", 3, 3, "no list of onset" },
		{ "events: without a time", 3, 3, "no list of onset" },
		{ "events: elsewhere", 3, 3, "link to another file" },
		{ "signal", 3, 3, "signal" },
		{ "mode_count", 0, 3, "/mode_count is there" },
		{ "epoch: a link to nothing", 0, 3, "/epoch is there" },
		{ "epoch: too many", 0, 3, "epoch does not match modes" },
	};
	for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
		snprintf(name, sizeof name, "result%zu.h5", i);
		make_hdf5(name, odd_result, results[i].what);
		try_file(name, results[i].info, results[i].info ? results[i].told : NULL, -1, NULL);
		try_result(name, results[i].plot, results[i].plot ? results[i].told : NULL);
		if (strncmp(results[i].what, "events", 6) == 0)
			try_stored(name, 3, results[i].told);
	}
}

static void
odd_results_of_arrays(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		int plot;
		const char *told;
	} results[] = {
		{ "nothing", 0, NULL },
		{ "cone: long", 3, "cone has not the shape" },
		{ "octave", 3, "no axis of its frequencies" },
		{ "facts: many", 3, "more than 1024 facts" },
		{ "frequency: none", 3, "no axis of its frequencies" },
		{ "frequency: too many", 3, "no axis of its frequencies" },
		{ "frequency: zero", 3, "what is no frequency" },
		{ "power: no frequency", 3, "has no array that plot draws" },
		{ "power: of three channels", 3, "power has not the shape" },
		{ "power: flat", 3, "power has not the shape" },
		{ "power: huge", 3, "claims more values" },
		{ "power: elsewhere", 3, "link to another file" },
		{ "power: a link to nothing", 3, "has no array that plot draws" },
		{ "epoch: none", 3, "power has not the shape" },
		{ "epoch: zeros", 3, "what is no number of one" },
		{ "arrays: many", 3, "more than 1024 arrays" },
		{ "channel: none", 3, "does not tell its channels" },
		{ "events: elsewhere", 3, "link to another file" },
		{ "samples: few", 3, "other times than its signals" },
		{ "samples: huge", 3, "1e+300 samples" },
		{ "samples: no number", 3, "nan samples" },
		{ "fs", 3, "sampling rate of -1" },
		{ "transform: not known", 3, "is a result of cwx" },
		{ "transform: a way", 3, "not a result of modes" },
		{ "against: a far one", 3, "names a channel that it has not" },
		{ "against: no channel", 3, "against has no value" },
	};
	char name[32];
	for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
		snprintf(name, sizeof name, "arrays%zu.h5", i);
		make_hdf5(name, odd_arrays, results[i].what);
		try_result(name, results[i].plot, results[i].told);
	}
}

/* ---- Sizes that lie ---------------------------------------------------------------- */

static void
lying_sizes(void **state)
{
	(void)state;
	static const char *const shapes[] = {
		"(1, 4611686018427387904)", "(4294967296, 4294967296)", "(2305843009213693952, 8)",
		"(18446744073709551615,)", "(1, 1, 99999999999999999999)", "(0, 10)", "(-1, 10)",
		"(1, 11)", "(1048577, 1)", "((1, 10))", "(1, 10", "()",
	};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
		char name[32];
		snprintf(name, sizeof name, "shape%zu.npy", i);
		put_npy(name, shapes[i]);
		try_file(name, 3, name, 3, NULL);
	}
	static const struct {
		size_t at;
		const char *field;
		int status;
	} edf[] = {
		{ 184, "99999999", 3 }, { 184, "0       ", 3 }, { 236, "99999999", 0 },
		{ 236, "-9999999", 0 }, { 244, "1e-300", 0 }, { 244, "0", 0 }, { 244, "-1", 0 },
		{ 252, "9999", 3 }, { 252, "0", 3 }, { 252, "-1", 3 }, { 688, "99999999", 3 },
		{ 688, "-8", 3 }, { 688, "2147483", 3 },
	};
	for (size_t i = 0; i < sizeof edf / sizeof *edf; ++i) {
		char name[32];
		snprintf(name, sizeof name, "size%zu.edf", i);
		put_edf(name, edf[i].at, edf[i].field);
		try_file(name, edf[i].status, name, edf[i].status, NULL);
	}
}

/* ---- Fewer values than there must be ----------------------------------------------- */

/* Nothing may stand in for what is not there. */
static void
short_streams(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		maker *make;
	} chunks[] = {
		{ "short.h5", short_chunk },       { "short.mat", short_chunk },
		{ "bare.h5", bare_short_chunk },   { "bare.mat", bare_short_chunk },
		{ "plain.h5", plain_short_chunk }, { "plain.mat", plain_short_chunk },
	};
	for (size_t i = 0; i < sizeof chunks / sizeof *chunks; ++i) {
		make_hdf5(chunks[i].name, chunks[i].make, NULL);
		try_file(chunks[i].name, 0, NULL, 3, NULL);
	}
	for (int i = 0; i < 8; ++i) {
		char name[32];
		const bool packed = i & 1, another = i & 2, most = i & 4;
		snprintf(name, sizeof name, "short%d.mat", i);
		put_mat5_short(name, 200, most ? 199 : 5, packed, another);
		try_file(name, 3, NULL, 3, "x");
	}
	/* They are read where nothing is missing. */
	put_mat5_short("whole0.mat", 200, 200, false, true);
	put_mat5_short("whole1.mat", 200, 200, true, true);
	try_file("whole0.mat", 0, NULL, 0, "x");
	try_file("whole1.mat", 0, NULL, 0, "x");
}

/* ---- Data elsewhere ---------------------------------------------------------------- */

static void
data_elsewhere(void **state)
{
	(void)state;
	static const char *const elsewhere[] = {
		"/etc/passwd", "../../../../../../etc/passwd", "..\\..\\etc\\passwd", "..", ".",
			"pipe",
		"/dev/zero", "\033[2J", "a\302\233b",
	};
	unlink(in_folder("pipe"));
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; ++i) {
		char name[32];
		snprintf(name, sizeof name, "data%zu.vhdr", i);
		put_vhdr(name, elsewhere[i], "A");
		try_file(name, 3, "cannot be opened", 3, NULL);
	}
}

/* ---- What options name ------------------------------------------------------------- */

static void
files_of_options(void **state)
{
	(void)state;
	static const struct {
		maker *make;
		const char *text;
		int status;
		const char *words;
	} masks[] = {
		{ masks_stored_elsewhere, "/etc/passwd", 3, "external storage" },
		{ masks_stored_elsewhere, "pipe", 3, "external storage" },
		{ masks_linked, "/etc/passwd", 3, "link to another file" },
		{ masks_virtual, "other.h5", 3, "virtual dataset" },
		{ masks_claim, NULL, 3, "claims more values" },
		{ masks_of_zeros, NULL, 4, "--memory" },
		{ masks_too_many, NULL, 3, "2^24" },
		{ masks_overlapping, NULL, 3, "mask 300000 is not finite (nan) at tap 300000" },
		{ masks_with_lengths, "2 4", 3, "mask 2 has 4 taps from tap 2 on" },
		{ masks_with_lengths, "0 5", 3, "mask 1 is empty" },
		{ masks_with_lengths, "-1 5", 3, "damaged: number 1 of /lengths" },
		{ masks_with_lengths, "2.5 2", 3, "damaged: number 1 of /lengths" },
		{ masks_with_lengths, "nan 2", 3, "damaged: number 1 of /lengths" },
		{ masks_with_lengths, "0x1p52 0x1p52", 3, "damaged: mask 1" },
		{ masks_far_off, NULL, 3, "damaged: mask 2" },
		{ masks_of_wild_scales, NULL, 3, "number 1 of /scales is not finite" },
	};
	for (size_t i = 0; i < sizeof masks / sizeof *masks; ++i) {
		make_hdf5("masks.h5", masks[i].make, masks[i].text);
		try_option("conv", "--masks", "masks.h5", masks[i].status, masks[i].words);
	}
	put_npz_bomb("masks.npz", 12000000, 12000000);
	try_option("conv", "--masks", "masks.npz", 4, "unzip it");
	try_option("conv", "--masks", "/dev/zero", 3, "not a regular file");
	make_hdf5("noise.h5", noise_of_zeros, NULL);
	try_option("eemd", "--noise-file", "noise.h5", 4, "--memory");
	try_option("memd", "--direction-set", "noise.h5", 3, "numbers, but");
	make_hdf5("noise.h5", external_storage, "/etc/passwd");
	try_option("eemd", "--noise-file", "noise.h5", 3, "external storage");
}

/* ---- Names ------------------------------------------------------------------------- */

static const char *const nasty[] = {
	"a\033[2J\033]0;x\007b", "a\r\nwavesift: ok", "\302\2332Ja",
	"\342\200\256gnp.eeg", "\177\010\010x",
	"=cmd|' /C calc'!A0", "%s%n%s%n", "a\"b'c;d,e", "\xff\xfe\xfd",
};

static void
names(void **state)
{
	(void)state;
	char name[300], text[16000];
	for (size_t i = 0; i < sizeof nasty / sizeof *nasty; ++i) {
		snprintf(name, sizeof name, "name%zu.h5", i);
		make_hdf5(name, named_array, nasty[i]);
		try_file(name, 0, NULL, 0, NULL);
		snprintf(name, sizeof name, "name%zu.edf", i);
		snprintf(text, 17, "%s", nasty[i]);
		put_edf(name, 256, text);
		try_file(name, 0, NULL, 0, NULL);
		if (strpbrk(nasty[i], "\r\n,;\""))
			continue;
		snprintf(name, sizeof name, "name%zu.csv", i);
		snprintf(text, sizeof text, "%s\n1\n2\n3\n1\n2\n5\n1\n", nasty[i]);
		put_text(name, text);
		/* Bytes that no text has, and blanks, which part columns. */
		const int status = strpbrk(nasty[i], "\177 ") ? 3 : 0;
		try_file(name, status, NULL, status, NULL);
		snprintf(name, sizeof name, "name%zu.vhdr", i);
		put_file("name.eeg", "\1\0\2\0\1\0\3\0\1\0\2\0", 12);
		put_vhdr(name, "name.eeg", nasty[i]);
		try_file(name, 0, NULL, 0, NULL);
	}
	/* Of the file itself, which messages and summaries name. */
	put_text("f\033[2J\302\233x.csv", "1\n2\n3\n1\n2\n5\n1\n");
	try_file("f\033[2J\302\233x.csv", 0, NULL, 0, NULL);
	try_file("none\033[2J\302\233x.csv", 3, NULL, 3, NULL);
	memset(text, 'n', 15000);
	strcpy(text + 15000, "\n1\n2\n3\n1\n2\n5\n1\n");
	put_text("long-name.csv", text);
	try_file("long-name.csv", 0, NULL, 0, NULL);
}

/* ---- Damage that crashes libraries ------------------------------------------------- */

static void
known_crashes(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int info, emd;
	} known[] = {
		{ "hdf5-endless-global-heap.h5", 3, 3 }, { "hdf5-overlapping-copy.h5", 3, 3 },
		{ "hdf5-invalid-free.h5", 3, 3 },        { "hdf5-huge-allocation.h5", 3, 3 },
		{ "hdf5-division-by-zero.h5", 3, 3 },    { "hdf5-wrong-tree.h5", 3, 3 },
		{ "hdf5-wild-read.h5", 3, 3 },           { "mat-heap-free-list.mat", 3, 3 },
		{ "hdf5-read-past-chunk.h5", 0, 3 },     { "mat-heap-overflow.mat", 3, 3 },
		{ "mat-endless-read.mat", 3, 3 },        { "eeglab-wild-copy.set", 0, 0 },
		{ "eeglab-huge-struct.set", 3, 3 },      { "eeglab-field-of-nothing.set", 3, 3 },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
		char path[512];
		snprintf(path, sizeof path, "%s/fuzz/known/%s", WAVESIFT_SOURCE_DIR, known[i].name);
		try_file(path, known[i].info, NULL, known[i].emd, NULL);
	}
}

/* ---- No process, no reading -------------------------------------------------------- */

/* What libraries decode is refused in one line where its process cannot be had; what we read
 * ourselves is read.  Threads are processes, too, for the system: runs may then end with 4. */
static void
without_processes(void **state)
{
	(void)state;
	static const char *const decoded[] = {
		"corpus/hdf5/chunked.h5", "corpus/mat/v5_1.mat", "corpus/mat/v73.mat",
		"corpus/eeglab/inside_73.set", "corpus/sound/pcm_16.flac", "known/hdf5-invalid-free.h5",
		"known/hdf5-endless-global-heap.h5", "known/hdf5-read-past-chunk.h5",
		"known/mat-heap-overflow.mat", "known/mat-endless-read.mat",
		"known/eeglab-wild-copy.set", "known/eeglab-huge-struct.set",
	};
	static const char *const ours[] = {
		"corpus/edf/plain.edf", "corpus/npy/f8.npy", "corpus/npy/one.npz",
		"corpus/text/header.csv",
	};
	char path[512];
	for (hostile_failure f = FAILS_CLONE; f <= FAILS_MEMORY; ++f) {
		if (!hostile_fail(f)) {
			printf("SKIPPED  calls that fail: no seccomp here, or a sanitizer\n");
			return;
		}
		for (size_t i = 0; i < sizeof decoded / sizeof *decoded; ++i) {
			snprintf(path, sizeof path, "%s/fuzz/%s", WAVESIFT_SOURCE_DIR, decoded[i]);
			try_file(path, f == FAILS_MEMORY ? 4 : 3, "cannot be started",
			         f == FAILS_MEMORY ? 4 : 3, NULL);
		}
		for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i) {
			snprintf(path, sizeof path, "%s/fuzz/%s", WAVESIFT_SOURCE_DIR, ours[i]);
			try_file(path, 0, NULL, -1, NULL);
		}
	}
	hostile_fail(FAILS_NOTHING);
}

/* ---- ------------------------------------------------------------------------------- */

#define GROUP(f)                        \
	static void                     \
	f##_are_held(void **state)      \
	{                               \
		f(state);               \
		assert_int_equal(hostile_complaints(), 0); \
	}
GROUP(no_files)
GROUP(reaching_out)
GROUP(bombs)
GROUP(events)
GROUP(words)
GROUP(keys)
GROUP(odd_files)
GROUP(odd_results_of_arrays)
GROUP(lying_sizes)
GROUP(short_streams)
GROUP(data_elsewhere)
GROUP(files_of_options)
GROUP(names)
GROUP(known_crashes)
GROUP(without_processes)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_files_are_held),     cmocka_unit_test(reaching_out_are_held),
		cmocka_unit_test(bombs_are_held),        cmocka_unit_test(lying_sizes_are_held),
		cmocka_unit_test(events_are_held),       cmocka_unit_test(words_are_held),
		cmocka_unit_test(keys_are_held),         cmocka_unit_test(odd_files_are_held),
		cmocka_unit_test(odd_results_of_arrays_are_held),
		cmocka_unit_test(short_streams_are_held), cmocka_unit_test(data_elsewhere_are_held),
		cmocka_unit_test(files_of_options_are_held), cmocka_unit_test(names_are_held),
		cmocka_unit_test(known_crashes_are_held),
		cmocka_unit_test(without_processes_are_held),
	};
	/* A part of them, such as events*. */
	if (getenv("WAVESIFT_ONLY"))
		cmocka_set_test_filter(getenv("WAVESIFT_ONLY"));
	return cmocka_run_group_tests(tests, hostile_start, hostile_finish);
}
