/* test_io_result_abuse.c - what goes wrong where results are written or read: nothing is lost,
 * nothing half written. */
#include "result_test.h"

#include <dirent.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* ---- Writing -------------------------------------------------------------------------- */

/* Files in the test's folder that carry a temporary name. */
static size_t
leftovers(void)
{
	size_t n = 0;
	DIR *folder = opendir(test_folder);
	assert_non_null(folder);
	for (struct dirent *e; (e = readdir(folder)) != NULL;)
		n += strncmp(e->d_name, ".wavesift", 9) == 0;
	closedir(folder);
	return n;
}

static const char *const outputs[] = { "x.h5", "x.npy", "x.mat", "x73.mat", "x.csv" };
enum { N_OUTPUTS = sizeof outputs / sizeof *outputs };

/* With what stands beside it. */
static void
remove_result(const char *path)
{
	char beside[1100];
	snprintf(beside, sizeof beside, "%s.json", path);
	unlink(path);
	unlink(beside);
}

static void
existing_output(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	for (int f = 0; f < N_OUTPUTS; ++f) {
		const char *path = test_text(outputs[f], "mine");
		assert_int_equal(write_result(path, &h, false), WS_E_EXISTS);
		assert_non_null(strstr(ws_error_detail(), "`overwrite`"));
		size_t n;
		char *text = content(path, &n);
		assert_string_equal(text, "mine");
		free(text);
		assert_int_equal(write_result(path, &h, true), WS_OK);
		text = content(path, &n);
		assert_true(n > 100);
		free(text);
	}
	assert_int_equal(leftovers(), 0);
}

/* Another program takes the name while we compute: neither file is lost. */
static void
race(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	wsi_writer *w;
	const char *path = test_path("race.mat");
	assert_int_equal(wsi_writer_open(&w, path, &h, false), WS_OK);
	for (size_t c = 0; c < CHANNELS; ++c)
		assert_int_equal(put_channel(w, h.type, 0, c, mode_count(0, c)), WS_OK);
	test_text("race.mat", "theirs");
	char kept[400];
	snprintf(kept, sizeof kept, "%s.new2", path);
	/* Nor is one that was kept before. */
	test_text("race.mat.new", "earlier");
	assert_int_equal(writer_commit(w, NULL, 0), WS_E_EXISTS);
	assert_non_null(strstr(ws_error_detail(), kept));
	size_t n;
	char *text = content(path, &n);
	assert_string_equal(text, "theirs");
	free(text);
	check_result(kept, &h, false);
	unlink(kept);
}

static void
abort_leaves_nothing(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	for (int f = 0; f < N_OUTPUTS; ++f)
		for (size_t channels = 0; channels <= CHANNELS; ++channels) {
			wsi_writer *w;
			const char *path = test_path(outputs[f]);
			remove_result(path);
			assert_int_equal(wsi_writer_open(&w, path, &h, false), WS_OK);
			for (size_t c = 0; c < channels; ++c)
				assert_int_equal(put_channel(w, h.type, 0, c, 1), WS_OK);
			assert_int_equal(leftovers(), strstr(path, ".npy") ? 2 : 1);
			wsi_writer_abort(w);
			assert_int_equal(leftovers(), 0);
			assert_int_not_equal(access(path, F_OK), 0);
		}
	wsi_writer_abort(NULL);
}

static void
misuse(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	wsi_writer *w;
	const char *path = test_path("misuse.h5");
	assert_int_equal(wsi_writer_open(&w, path, &h, false), WS_OK);
	assert_int_equal(put_channel(w, h.type, 1, 0, 1), WS_E_ARG);
	assert_int_equal(put_channel(w, h.type, 0, 0, 1), WS_OK);
	assert_int_equal(put_channel(w, h.type, 0, 0, 1), WS_E_ARG);
	assert_int_equal(put_channel(w, h.type, 0, 1, MAX_MODES + 1), WS_E_ARG);
	assert_int_equal(writer_commit(w, NULL, 0), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "1 of 3"));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(leftovers(), 0);
	assert_int_equal(write_result(test_path("x.txt"), &h, false), WS_E_ARG);
	h.samples = SIZE_MAX / 64;
	declare(&h, MAX_MODES);
	assert_int_equal(write_result(path, &h, false), WS_E_ARG);
	h.samples = 0;
	assert_int_equal(write_result(path, &h, false), WS_E_ARG);
}

static void
beyond_f32(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F32, 0);
	wsi_writer *w;
	double x[SAMPLES] = { [9] = 1e39 };
	assert_int_equal(wsi_writer_open(&w, test_path("big.h5"), &h, false), WS_OK);
	assert_int_equal(put_rows(w, 0, x, x, 1, x), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel Fz is beyond the range of f32 at sample "
	                       "10"));
	wsi_writer_abort(w);
}

static void
bad_places(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	char path[400];
	for (int f = 0; f < N_OUTPUTS; ++f) {
		snprintf(path, sizeof path, "%s/nowhere/%s", test_folder, outputs[f]);
		assert_int_equal(write_result(path, &h, false), WS_E_IO);
		assert_non_null(strstr(ws_error_detail(), "folder does not exist"));
	}
	snprintf(path, sizeof path, "%s/folder.h5", test_folder);
	assert_int_equal(mkdir(path, 0500), 0);
	assert_int_equal(write_result(path, &h, true), WS_E_IO);
	assert_non_null(strstr(ws_error_detail(), "is a folder"));
	if (geteuid() != 0) {  /* nothing is unwritable for root */
		char inside[420];
		snprintf(inside, sizeof inside, "%s/x.h5", path);
		assert_int_equal(write_result(inside, &h, false), WS_E_IO);
		assert_non_null(strstr(ws_error_detail(), "not writable"));
	}
	rmdir(path);
}

/* A limit on the size of files looks to the writer like a full disk. */
static void
disk_full(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (int f = 0; f < N_OUTPUTS; ++f) {
		const char *path = test_path(outputs[f]);
		remove_result(path);
		written(path, &h);
		struct stat whole;
		assert_int_equal(stat(path, &whole), 0);
		remove_result(path);
		for (int part = 0; part < 40; ++part) {
			struct rlimit limit = { (rlim_t)(whole.st_size * part / 40),
				before.rlim_max };
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
			ws_status status = write_result(path, &h, false);
			setrlimit(RLIMIT_FSIZE, &before);
			if (status != WS_E_NOSPACE)
				fail_msg("%s at %d/40: %s", path, part, ws_error_detail());
			assert_int_not_equal(access(path, F_OK), 0);
			assert_int_equal(leftovers(), 0);
		}
		written(path, &h);
		remove_result(path);
	}
}

/* ---- Reading ---------------------------------------------------------------------------- */

static void
truncated(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	for (int f = 0; f < N_FORMATS; ++f) {
		written(test_path(formats[f]), &h);
		size_t n;
		char *bytes = content(test_path(formats[f]), &n);
		for (size_t keep = 0; keep < n; keep += 1 + n / 97) {
			const char *path = test_file(strstr(formats[f], "npy") ? "cut.npy"
			                             : "cut.h5", bytes, keep);
			wsi_result *r;
			if (wsi_result_open(&r, path, NULL) == WS_OK)
				fail_msg("%s cut to %zu of %zu bytes was opened", formats[f],
				         keep, n);
			assert_null(r);
			assert_non_null(strstr(ws_error_detail(), path));
		}
		free(bytes);
	}
}

/* What no axis can show is refused; a unit that is none is left out. */
static void
impossible_times(void **state)
{
	(void)state;
	for (int i = 0; i < 4; ++i) {
		wsi_result_header h = header(0, WS_F64, WS_F64, 0);
		h.first_time = i == 0 ? INFINITY : 0;
		h.time_origin = i == 1 ? NAN : 0;
		h.fs = i == 2 ? 1e-310 : 128;
		h.time_unit = i == 3 ? -INFINITY : 60;
		for (int f = 0; f < N_FORMATS; ++f) {
			if (strstr(formats[f], "npy"))
				continue;
			wsi_result *r;
			const char *path = test_path(formats[f]);
			written(path, &h);
			ws_status status = wsi_result_open(&r, path, NULL);
			assert_int_equal(status, i == 3 ? WS_OK : WS_E_FORMAT);
			if (status != WS_OK) {
				assert_non_null(strstr(ws_error_detail(), "damaged: its "));
				continue;
			}
			close_to(r->time_unit, 0, 0);
			wsi_result_close(r);
		}
	}
}

static herr_t
count_complaint(hid_t stack, void *n)
{
	(void)stack;
	++*(int *)n;
	return 0;
}

/* HDF5 says nothing of our failures; of those of our caller it tells whom it
 * told before. */
static void
complaints_are_the_callers(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	H5E_auto2_t before, handler;
	void *own_before, *own;
	int n = 0;
	assert_true(H5Eget_auto2(H5E_DEFAULT, &before, &own_before) >= 0);
	assert_true(H5Eset_auto2(H5E_DEFAULT, count_complaint, &n) >= 0);
	for (int f = 0; f < N_FORMATS; ++f) {
		written(test_path(formats[f]), &h);
		check_result(test_path(formats[f]), &h, strstr(formats[f], ".npy") != NULL);
		size_t bytes;
		char *whole = content(test_path(formats[f]), &bytes);
		wsi_result *r;
		assert_int_equal(wsi_result_open(&r, test_file("half", whole, bytes / 2), NULL),
		                 WS_E_FORMAT);
		free(whole);
	}
	assert_int_equal(n, 0);
	assert_true(H5Eget_auto2(H5E_DEFAULT, &handler, &own) >= 0);
	assert_true(handler == count_complaint && own == &n);
	assert_true(H5Fopen(test_path("absent.h5"), H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
	assert_int_equal(n, 1);
	H5Eset_auto2(H5E_DEFAULT, before, own_before);
}

static void
not_results(void **state)
{
	(void)state;
	wsi_result *r;
	assert_int_equal(wsi_result_open(&r, test_path("absent.h5"), NULL), WS_E_IO);
	assert_int_equal(wsi_result_open(&r, test_text("text.h5", "time,x\n0,1\n"), NULL),
	                 WS_E_FORMAT);
	const char *path = test_path("other.h5");
	hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(file);
	assert_int_equal(wsi_result_open(&r, path, NULL), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "no /modes"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(existing_output), cmocka_unit_test(race),
			cmocka_unit_test(abort_leaves_nothing),
		cmocka_unit_test(misuse), cmocka_unit_test(beyond_f32),
			cmocka_unit_test(bad_places),
		cmocka_unit_test(disk_full), cmocka_unit_test(truncated),
			cmocka_unit_test(impossible_times),
		cmocka_unit_test(complaints_are_the_callers), cmocka_unit_test(not_results),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
