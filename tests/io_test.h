/* io_test.h - what the tests of readers share: files made of bytes, real data, abuse. */
#ifndef WSI_IO_TEST_H
#define WSI_IO_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/read/open.h"
#include "io/read/read.h"
#include "io/read/readers.h"
#include "io/result/result.h"
#include "io/write/outfile.h"

static char test_folder[256];
static char test_paths[64][320];
static size_t test_n_paths;

static inline void
remove_test_files(void)
{
	for (size_t i = 0; i < test_n_paths; ++i)
		remove(test_paths[i]);
	rmdir(test_folder);
}

/* HDF5's, before it opens a file: when the process ends it does not look for objects that are still
 * open, as it leaves some of damaged files, and says nothing of them. */
int H5dont_atexit(void);

/* A path in a folder of this process, which is removed when it ends. */
static inline const char *
test_path(const char *name)
{
	if (test_folder[0] == '\0') {
		const char *tmp = getenv("TMPDIR");
		snprintf(test_folder, sizeof test_folder, "%s/wavesift-test-XXXXXX",
		         tmp ? tmp : P_tmpdir);
		assert_non_null(mkdtemp(test_folder));
		atexit(remove_test_files);
		H5dont_atexit();
	}
	char path[320];
	snprintf(path, sizeof path, "%s/%s", test_folder, name);
	for (size_t i = 0; i < test_n_paths; ++i)
		if (strcmp(test_paths[i], path) == 0)
			return test_paths[i];
	assert_true(test_n_paths < sizeof test_paths / sizeof *test_paths);
	return strcpy(test_paths[test_n_paths++], path);
}

/* The same, of a file with these bytes. */
static inline const char *
test_file(const char *name, const void *bytes, size_t n)
{
	const char *path = test_path(name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return path;
}

static inline const char *
test_text(const char *name, const char *text)
{
	return test_file(name, text, strlen(text));
}

/* A real recording; where there is none the test is skipped. */
static inline const char *
data_file(const char *name)
{
	static char path[1024];
	const char *folder = getenv("WAVESIFT_DATA");
	snprintf(path, sizeof path, "%s/%s", folder ? folder : WAVESIFT_SOURCE_DIR "/../shared/data",
	         name);
	if (access(path, R_OK) != 0) {
		printf("SKIPPED: no %s; set WAVESIFT_DATA to the folder of real recordings\n", path);
		skip();
	}
	return path;
}

static inline wsi_recording *
open_with(const char *path, const wsi_open_opts *opts)
{
	wsi_recording *rec;
	const ws_status status = wsi_recording_open(&rec, path, opts);
	if (status != WS_OK)
		fail_msg("%s: %s", ws_status_name(status), ws_error_detail());
	assert_non_null(rec);
	return rec;
}

static inline wsi_recording *
open_ok(const char *path)
{
	return open_with(path, NULL);
}

/* Opening fails with this status and one line that names the file and says word. */
static inline void
refused_with(const char *path, const wsi_open_opts *opts, ws_status expected, const char *word)
{
	wsi_recording *rec;
	const ws_status status = wsi_recording_open(&rec, path, opts);
	if (status == WS_OK)
		fail_msg("%s was opened; expected: %s", path, word);
	assert_null(rec);
	if (status != expected || !strstr(ws_error_detail(), word))
		fail_msg("%s: '%s'; expected %s: '%s'", ws_status_name(status), ws_error_detail(),
		         ws_status_name(expected), word);
	assert_null(strchr(ws_error_detail(), '\n'));
}

static inline void
refused(const char *path, ws_status expected, const char *word)
{
	refused_with(path, NULL, expected, word);
}

/* Opens; its note has the words, or there is none where they are NULL. */
static inline void
noted_with(const char *path, const wsi_open_opts *opts, const char *words)
{
	wsi_recording *rec = open_with(path, opts);
	if (!words && rec->note)
		fail_msg("the note '%s'; expected none", rec->note);
	if (words && (!rec->note || !strstr(rec->note, words)))
		fail_msg("the note '%s'; expected: '%s'", rec->note ? rec->note : "", words);
	wsi_recording_close(rec);
}

static inline void
noted(const char *path, const char *words)
{
	noted_with(path, NULL, words);
}

static inline void
close_to(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g, expected %.17g within %g", value, expected, tolerance);
}

static inline double
sample(wsi_recording *rec, size_t epoch, size_t channel, size_t at)
{
	double x = NAN;
	assert_int_equal(wsi_recording_read(rec, epoch, channel, at, 1, &x), WS_OK);
	return x;
}

/* All samples of a channel; to be freed. */
static inline double *
samples(wsi_recording *rec, size_t epoch, size_t channel)
{
	const size_t n = rec->channels[channel].samples;
	double *x = calloc(n + 1, sizeof *x);
	assert_non_null(x);
	if (wsi_recording_read(rec, epoch, channel, 0, n, x) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return x;
}

static inline double
sum_of(wsi_recording *rec, size_t channel)
{
	double *x = samples(rec, 0, channel), sum = 0;
	for (size_t i = 0; i < rec->channels[channel].samples; ++i)
		sum += x[i];
	free(x);
	return sum;
}

static inline void
is_event(const wsi_recording *rec, size_t i, double onset, double duration, const char *label)
{
	assert_true(i < rec->n_events);
	close_to(rec->events[i].onset, onset, 1e-9);
	close_to(rec->events[i].duration, duration, 1e-9);
	assert_string_equal(rec->events[i].label, label);
}

/* Opens whatever there is and, if it opens, reads all of it.  The reader may
 * refuse it; sanitizers watch how.  Returns whether it opened. */
static inline bool
survives(const char *path, const wsi_open_opts *opts)
{
	wsi_recording *rec;
	if (wsi_recording_open(&rec, path, opts) != WS_OK) {
		assert_null(rec);
		assert_true(ws_error_detail()[0] != '\0');
		return false;
	}
	for (size_t i = 0; i < rec->n_channels; ++i) {
		double *x = malloc((rec->channels[i].samples + 1) * sizeof *x);
		assert_non_null(x);
		for (size_t e = 0; e < (rec->epochs ? rec->epochs : 1); ++e)
			wsi_recording_read(rec, e, i, 0, rec->channels[i].samples, x);
		free(x);
	}
	wsi_recording_close(rec);
	return true;
}

/* The file cut off at every step-th byte. */
static inline void
survives_truncation(const char *name, const void *bytes, size_t n, size_t step,
                    const wsi_open_opts *opts)
{
	for (size_t length = 0; length < n; length += step)
		survives(test_file(name, bytes, length), opts);
}

/* A result complete, with its name; frees w. */
static inline ws_status
writer_commit(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	wsi_complete files[2];
	ws_status status = wsi_writer_finish(w, facts, n_facts);
	const size_t n = status == WS_OK ? wsi_writer_complete(w, files) : 0;
	if (n)
		status = wsi_put_in_place(files, n);
	wsi_writer_abort(w);
	return status;
}

#endif
