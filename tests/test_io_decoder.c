/* test_io_decoder.c - files are decoded by a process that may do nothing else: what it contains,
 * how it ends, what it may not do. */
#define _GNU_SOURCE
#include "core_test.h"
#include "io_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <hdf5.h>

#include "decode/lockdown.h"

#define ROWS 3
#define SAMPLES ((size_t)300000)

static double
value_at(size_t channel, size_t i)
{
	return (double)(channel * 1000000 + i % 99991);
}

/* signal[ROWS][SAMPLES], in pieces. */
static const char *
sound_file(const char *name)
{
	const char *path = test_path(name);
	const hsize_t dims[2] = { ROWS, SAMPLES }, chunk[2] = { 1, 50000 };
	hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	hid_t space = H5Screate_simple(2, dims, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 2, chunk);
	H5Pset_deflate(how, 1);
	hid_t data = H5Dcreate2(file, "signal", H5T_IEEE_F64LE, space, H5P_DEFAULT, how,
	                        H5P_DEFAULT);
	double *x = malloc(ROWS * SAMPLES * sizeof *x);
	assert_non_null(x);
	for (size_t c = 0; c < ROWS; ++c)
		for (size_t i = 0; i < SAMPLES; ++i)
			x[c * SAMPLES + i] = value_at(c, i);
	assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
	free(x);
	H5Pclose(how);
	H5Sclose(space);
	H5Dclose(data);
	assert_true(H5Fclose(file) >= 0);
	return path;
}

/* ---- Processes --------------------------------------------------------------------- */

/* Its parent's number and the first letters of its name. */
static bool
process_is(pid_t pid, pid_t *parent, char name[32])
{
	char path[64], line[512] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	if (!f)
		return false;
	const bool got = fgets(line, sizeof line, f) != NULL;
	fclose(f);
	const char *end = strrchr(line, ')'), *start = strchr(line, '(');
	int number;
	char letter;
	if (!got || !end || sscanf(end + 1, " %c %d", &letter, &number) != 2 || letter == 'Z')
		return false;
	snprintf(name, 32, "%.*s", (int)(end - start - 1), start + 1);
	*parent = number;
	return true;
}

/* A decoder that a process has started; 0: none.  *count: how many. */
static pid_t
decoder_of(pid_t of, size_t *count)
{
	pid_t found = 0;
	DIR *all = opendir("/proc");
	assert_non_null(all);
	*count = 0;
	for (struct dirent *e; (e = readdir(all));) {
		pid_t parent;
		char name[32];
		const pid_t pid = atoi(e->d_name);
		if (pid > 0 && process_is(pid, &parent, name) && parent == of
		    && strcmp(name, "wavesift-decode") == 0) {
			found = pid;
			++*count;
		}
	}
	closedir(all);
	return found;
}

static bool
ends_soon(pid_t pid)
{
	for (int i = 0; i < 500; ++i) {
		pid_t parent;
		char name[32];
		if (!process_is(pid, &parent, name) || strcmp(name, "wavesift-decode") != 0)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	return false;
}

/* ---- Reading ----------------------------------------------------------------------- */

/* Pieces of any size, in order and not. */
static void
any_piece_is_right(void **state)
{
	(void)state;
	static const size_t sizes[] = { 1, 7, 65536, 131072, 131073, 299999 };
	wsi_recording *rec = open_ok(sound_file("a.h5"));
	double *x = malloc(SAMPLES * sizeof *x);
	assert_non_null(x);
	uint32_t random = 1;
	for (int k = 0; k < 200; ++k) {
		random = random * 1664525u + 1013904223u;
		const size_t c = random >> 8 & 1, n = sizes[(random >> 16) % 6];
		size_t first = (random >> 4) % (SAMPLES - n + 1);
		/* Now and then what follows, which is asked for beforehand. */
		for (int more = 0; more < 3 && first + n <= SAMPLES; ++more, first += n) {
			assert_int_equal(wsi_recording_read(rec, 0, c, first, n, x), WS_OK);
			for (size_t i = 0; i < n; ++i)
				if (x[i] != value_at(c, first + i))
					fail_msg("sample %zu of channel %zu", first + i, c);
		}
	}
	free(x);
	wsi_recording_close(rec);
}

/* A descriptor that its process leaves open for all is not open there. */
static void
inherits_nothing(void **state)
{
	(void)state;
	char path[64];
	size_t n, open = 0;
	const int fd = dup2(1, 77);
	assert_int_equal(fd, 77);
	wsi_recording *rec = open_ok(sound_file("i.h5"));
	snprintf(path, sizeof path, "/proc/%d/fd", (int)decoder_of(getpid(), &n));
	DIR *d = opendir(path);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		open += e->d_name[0] != '.';
		assert_string_not_equal(e->d_name, "77");
	}
	closedir(d);
	/* Three to nowhere, the socket, the file, and the file as HDF5 has it. */
	assert_int_equal(open, 6);
	wsi_recording_close(rec);
	close(fd);
}

/* One process for each open file, gone when it is closed. */
static void
comes_and_goes(void **state)
{
	(void)state;
	const char *path = sound_file("b.h5");
	size_t n;
	decoder_of(getpid(), &n);
	assert_int_equal(n, 0);
	wsi_recording *a = open_ok(path), *b = open_ok(path);
	decoder_of(getpid(), &n);
	assert_int_equal(n, 2);
	wsi_recording_close(a);
	assert_true(sample(b, 0, 1, 5) == value_at(1, 5));
	wsi_recording_close(b);
	decoder_of(getpid(), &n);
	assert_int_equal(n, 0);
}

/* It is killed, as by a system without memory: one line, again and again, no hang. */
static void
its_death_is_told(void **state)
{
	(void)state;
	size_t n;
	double x[4];
	wsi_recording *rec = open_ok(sound_file("c.h5"));
	kill(decoder_of(getpid(), &n), SIGKILL);
	assert_int_equal(wsi_recording_read(rec, 0, 0, 0, 4, x), WS_E_NOMEM);
	assert_non_null(strstr(ws_error_detail(), "was killed"));
	assert_int_equal(wsi_recording_read(rec, 0, 0, 0, 4, x), WS_E_FORMAT);
	wsi_recording_close(rec);
}

/* What stops does not stop us for ever. */
static void
its_crash_is_told(void **state)
{
	(void)state;
	size_t n;
	double x[4];
	wsi_recording *rec = open_ok(sound_file("d.h5"));
	kill(decoder_of(getpid(), &n), SIGSEGV);
	assert_int_equal(wsi_recording_read(rec, 0, 0, 0, 4, x), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "crashes"));
	wsi_recording_close(rec);
}

/* Signals of the terminal are for the program: it may finish what it does. */
static void
leaves_signals_to_us(void **state)
{
	(void)state;
	size_t n;
	wsi_recording *rec = open_ok(sound_file("e.h5"));
	const pid_t pid = decoder_of(getpid(), &n);
	kill(pid, SIGINT);
	kill(pid, SIGTERM);
	kill(pid, SIGHUP);
	assert_true(sample(rec, 0, 2, 9) == value_at(2, 9));
	wsi_recording_close(rec);
}

static void *
open_in_thread(void *user)
{
	*(wsi_recording **)user = open_ok(sound_file("f.h5"));
	return NULL;
}

/* The thread that opened a file ends; another goes on. */
static void
outlives_a_thread(void **state)
{
	(void)state;
	wsi_recording *rec = NULL;
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, open_in_thread, &rec), 0);
	pthread_join(thread, NULL);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	assert_true(sample(rec, 0, 1, 7) == value_at(1, 7));
	wsi_recording_close(rec);
}

static void *
open_path_in_thread(void *user)
{
	wsi_recording *rec;
	return wsi_recording_open(&rec, user, NULL) == WS_OK ? user : NULL;
}

/* Its process is killed: it does not stay behind, stopped or not, nor where a thread started it that
 * has ended. */
static void
die_with_its_process(bool stopped, bool by_thread)
{
	const char *path = sound_file("g.h5");
	int told[2];
	assert_int_equal(pipe(told), 0);
	const pid_t host = fork();
	if (host == 0) {
		wsi_recording *rec;
		pthread_t thread;
		void *done = NULL;
		if (by_thread && pthread_create(&thread, NULL, open_path_in_thread,
		                                (char *)(uintptr_t)path) == 0)
			pthread_join(thread, &done);
		const bool open = by_thread ? done != NULL
		                  : wsi_recording_open(&rec, path, NULL) == WS_OK;
		if (write(told[1], &open, sizeof open) != sizeof open)
			_exit(1);
		pause();
		_exit(0);
	}
	bool open = false;
	size_t n;
	assert_int_equal(read(told[0], &open, sizeof open), sizeof open);
	close(told[0]);
	close(told[1]);
	const pid_t pid = decoder_of(host, &n);
	if (pid > 0 && stopped)
		kill(pid, SIGSTOP);
	kill(host, SIGKILL);
	waitpid(host, NULL, 0);
	assert_true(open && pid > 0);
	if (!ends_soon(pid)) {
		kill(pid, SIGKILL);
		fail_msg("%s%s", stopped ? "stopped " : "", by_thread ? "by a thread" : "");
	}
}

static void
dies_with_its_process(void **state)
{
	(void)state;
	for (int how = 0; how < 4; ++how)
		die_with_its_process(how & 1, how & 2);
}

/* ---- Without it -------------------------------------------------------------------- */

static void
no_decoder_no_reading(void **state)
{
	(void)state;
	const char *path = sound_file("h.h5");
	const char *script = test_text("no-decoder", "#!/bin/sh\nexit 3\n");
	refused_with(path, &(wsi_open_opts){ .decoder = "/nowhere/decode" }, WS_E_IO,
	             "cannot be started");
	/* Not to be executed, and not ours. */
	refused_with(path, &(wsi_open_opts){ .decoder = script }, WS_E_IO, "cannot be started");
	assert_int_equal(chmod(script, 0755), 0);
	refused_with(path, &(wsi_open_opts){ .decoder = script }, WS_E_FORMAT, "h.h5");
	/* No descriptors are left for it. */
	struct rlimit before, few;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (rlim_t most = 5; most < 12; ++most) {
		wsi_recording *rec;
		few = (struct rlimit){ most, before.rlim_max };
		setrlimit(RLIMIT_NOFILE, &few);
		const ws_status status = wsi_recording_open(&rec, path, NULL);
		setrlimit(RLIMIT_NOFILE, &before);
		assert_true(status == WS_E_IO || status == WS_OK);
		if (status == WS_OK)
			wsi_recording_close(rec);
	}
}

/* ---- What it contains -------------------------------------------------------------- */

static const struct known {
	const char *name;
	ws_status open;        /* what opening gives; words: that it or the reading of all says */
	const char *words;
} known[] = {
	{ "hdf5-endless-global-heap.h5", WS_E_FORMAT, "does not come to an end" },
	{ "hdf5-overlapping-copy.h5", WS_E_FORMAT, "damaged" },
	{ "hdf5-invalid-free.h5", WS_E_FORMAT, "damaged" },
	{ "hdf5-huge-allocation.h5", WS_E_FORMAT, "damaged" },
	{ "hdf5-division-by-zero.h5", WS_E_FORMAT, "crashes on it" },
	{ "hdf5-wrong-tree.h5", WS_E_FORMAT, "damaged" },
	{ "hdf5-wild-read.h5", WS_E_FORMAT, "damaged" },
	{ "mat-heap-free-list.mat", WS_E_FORMAT, "damaged" },
	{ "hdf5-read-past-chunk.h5", WS_OK, "cannot be read" },
	{ "mat-heap-overflow.mat", WS_E_FORMAT, "has the MATLAB_class" },
	{ "mat-endless-read.mat", WS_E_FORMAT, "cannot be opened" },
	{ "eeglab-wild-copy.set", WS_OK, NULL },
	{ "eeglab-huge-struct.set", WS_E_FORMAT, "damaged" },
	{ "eeglab-field-of-nothing.set", WS_E_FORMAT, "damaged" },
};

/* Reads all of it; the first failure. */
static ws_status
read_all(wsi_recording *rec)
{
	ws_status status = WS_OK;
	for (size_t c = 0; c < rec->n_channels && status == WS_OK; ++c) {
		double *x = calloc(rec->channels[c].samples + 1, sizeof *x);
		assert_non_null(x);
		for (size_t e = 0; e < (rec->epochs ? rec->epochs : 1) && status == WS_OK; ++e)
			status = wsi_recording_read(rec, e, c, 0, rec->channels[c].samples, x);
		free(x);
	}
	return status;
}

static void
known_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
		char path[512];
		wsi_recording *rec;
		snprintf(path, sizeof path, "%s/fuzz/known/%s", WAVESIFT_SOURCE_DIR, known[i].name);
		ws_status status = wsi_recording_open(&rec, path, NULL);
		/* Sanitizers see some where the library goes on. */
		if (status == WS_E_FORMAT && (SANITIZED || known[i].words)
		    && strstr(ws_error_detail(), "crashes"))
			continue;
		if (status != known[i].open)
			fail_msg("%s: %s: %s", path, ws_status_name(status), ws_error_detail());
		if (status == WS_OK) {
			status = read_all(rec);
			wsi_recording_close(rec);
		}
		/* They slow it down, too. */
		if (SANITIZED && status != WS_OK && strstr(ws_error_detail(), "come to an end"))
			continue;
		if ((status == WS_OK) != !known[i].words
		    || (known[i].words && !strstr(ws_error_detail(), known[i].words)))
			fail_msg("%s: '%s', expected '%s'", path, ws_error_detail(),
			         known[i].words ? known[i].words : "success");
	}
}

/* ---- What it may not do ------------------------------------------------------------ */

/* Each a bit of the exit status where it could. */
enum {
	OTHER_FILE = 1, SOCKET = 2, PROCESS = 4, CODE = 8, WRITING = 16, MEMORY = 32, NOT_OURS = 64
};

static int
try_all(int file, const char *ours)
{
	int could = 0, fd;
	char own[64];
	snprintf(own, sizeof own, "/proc/self/fd/%d", file);
	could |= open("/etc/passwd", O_RDONLY) >= 0 || open("/etc", O_RDONLY) >= 0 ? OTHER_FILE : 0;
	could |= socket(AF_INET, SOCK_STREAM, 0) >= 0 ? SOCKET : 0;
	could |= fork() >= 0 ? PROCESS : 0;
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	could |= code != MAP_FAILED ? CODE : 0;
	could |= open(ours, O_RDWR) >= 0 || open(ours, O_RDONLY | O_TRUNC) >= 0 || unlink(ours) == 0
	         ? WRITING : 0;
#if !SANITIZED
	could |= mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	              -1, 0) != MAP_FAILED ? MEMORY : 0;
#endif
	fd = open(own, O_RDONLY);
	could |= fd < 0 ? NOT_OURS : 0;
	return could;
}

static void
gives_up_its_rights(void **state)
{
	(void)state;
	const char *path = test_text("ours", "1\n2\n");
	const pid_t child = fork();
	if (child == 0) {
		const int file = open(path, O_RDONLY);
		if (!wsi_lock_down(file, (size_t)64 << 20))
			_exit(128);
		_exit(try_all(file, path));
	}
	int end;
	assert_int_equal(waitpid(child, &end, 0), child);
	assert_true(WIFEXITED(end));
	assert_int_equal(WEXITSTATUS(end), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_piece_is_right),   cmocka_unit_test(inherits_nothing),
		cmocka_unit_test(comes_and_goes),
		cmocka_unit_test(its_death_is_told),    cmocka_unit_test(its_crash_is_told),
		cmocka_unit_test(leaves_signals_to_us), cmocka_unit_test(outlives_a_thread),
		cmocka_unit_test(dies_with_its_process), cmocka_unit_test(no_decoder_no_reading),
		cmocka_unit_test(known_files),          cmocka_unit_test(gives_up_its_rights),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
