/*
 * test_faults.c - the n-th allocation, read, write, seek, sync, rename or start of a process fails,
 * each n in turn until none is reached.  Whatever fails, the program ends with status 0 and what it gives without
 * a failure, or with one line, a status that says so, and nothing left behind; inputs stay as they
 * were.
 *
 * WAVESIFT_SLOW=1 tries every n; else some of them, so that each kind of each job has about so many
 * runs as MOST_RUNS.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "faults/faults.h"

#define MOST_RUNS 12
#define MOST_SECONDS 60

static char program[2048], library[2048], folder[128];
static struct fault_plan *plan;
static size_t n_bad, n_runs;

typedef struct job {
	const char *name;
	const char *input;    /* copied into the folder first; from the source's root */
	const char *as;       /* its name there */
	const char *arguments[12];
	const char *output;   /* or NULL */
} job;

static const job jobs[] = {
	{ "info of EDF", "examples/data/eeg.edf", "a.edf", { "info", "a.edf" }, NULL },
	{ "info of HDF5", "fuzz/corpus/result/deflate2.h5", "a.h5", { "info", "a.h5" }, NULL },
	{ "info of MAT 5", "fuzz/corpus/mat/v5_1.mat", "a.mat", { "info", "a.mat" }, NULL },
	{ "info of EEGLAB", "fuzz/corpus/eeglab/inside_73.set", "a.set", { "info", "a.set" },
		NULL },
	{ "info of NPZ", "fuzz/corpus/npy/one.npz", "a.npz", { "info", "--json", "a.npz" }, NULL },
	{ "info of CSV", "fuzz/corpus/text/header.csv", "a.csv", { "info", "a.csv" }, NULL },
	{ "info of FLAC", "fuzz/corpus/sound/pcm_16.flac", "a.flac", { "info", "a.flac" }, NULL },
	{ "emd of HDF5 to NPY", "fuzz/corpus/hdf5/plain.h5", "a.h5",
	  { "emd", "--threads", "1", "--quiet", "a.h5", "-o", "made.npy" }, "made.npy" },
	{ "emd of CSV to MAT", "fuzz/corpus/text/blanks.txt", "a.csv",
	  { "emd", "--threads", "1", "--quiet", "a.csv", "-o", "made.mat" }, "made.mat" },
	{ "emd of NPY to HDF5", "fuzz/corpus/npy/f8.npy", "a.npy",
	  { "emd", "--threads", "1", "--quiet", "a.npy", "-o", "made.h5" }, "made.h5" },
	{ "emd of NPY to CSV", "fuzz/corpus/npy/f8.npy", "a.npy",
	  { "emd", "--threads", "1", "--quiet", "a.npy", "-o", "made.csv" }, "made.csv" },
	{ "emd by threads", "fuzz/corpus/npy/f8.npy", "a.npy",
	  { "emd", "--threads", "3", "--quiet", "a.npy", "-o", "made.npy" }, "made.npy" },
	{ "plot", "fuzz/corpus/result/deflate2.h5", "a.h5",
	  { "plot", "--quiet", "a.h5", "-o", "made.svg" }, "made.svg" },
	{ "compare", "fuzz/corpus/result/deflate2.h5", "a.h5", { "compare", "a.h5", "a.h5" },
		NULL },
};

static const char *const kinds[FAULT_KINDS] = { "no fault", "allocation", "read", "write", "seek",
	"sync", "rename", "process" };

/* ---- Files ------------------------------------------------------------------------- */

typedef struct bytes {
	char *at;
	size_t n;
} bytes;

static const char *
in_folder(const char *name)
{
	static char path[512];
	snprintf(path, sizeof path, "%.127s/%.255s", folder, name);
	return path;
}

static bytes
read_all(int fd)
{
	bytes b = { .at = malloc(1) };
	ssize_t got;
	char more[16384];
	while ((got = read(fd, more, sizeof more)) > 0) {
		b.at = realloc(b.at, b.n + (size_t)got + 1);
		assert_non_null(b.at);
		memcpy(b.at + b.n, more, (size_t)got);
		b.n += (size_t)got;
	}
	b.at[b.n] = '\0';
	return b;
}

static bytes
file_bytes(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (bytes){ 0 };
	const bytes b = read_all(fd);
	close(fd);
	return b;
}

static bool
same(bytes a, bytes b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

/* A file of the folder that is neither of these; "" where there is none. */
static const char *
left_over(const char *input, const char *output)
{
	static char found[256];
	found[0] = '\0';
	DIR *d = opendir(folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0
		    && strcmp(e->d_name, input) != 0 && (!output || strcmp(e->d_name, output) != 0))
			snprintf(found, sizeof found, "%s", e->d_name);
	closedir(d);
	if (found[0])
		unlink(in_folder(found));
	return found;
}

/* ---- A run ------------------------------------------------------------------------- */

typedef struct outcome {
	int status;
	bytes out, err, made;
} outcome;

static void
release(outcome *o)
{
	free(o->out.at);
	free(o->err.at);
	free(o->made.at);
}

static outcome
run(const job *j)
{
	const char *arguments[16] = { "wavesift" };
	for (size_t i = 0; j->arguments[i]; ++i)
		arguments[i + 1] = j->arguments[i];
	outcome o = { .status = -1 };
	if (j->output)
		unlink(in_folder(j->output));
	const int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	assert_true(out >= 0 && err >= 0);
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out, 1);
		dup2(err, 2);
		alarm(MOST_SECONDS);
		setenv("LD_PRELOAD", library, 1);
		if (chdir(folder) == 0)
			execv(program, (char *const *)(uintptr_t)arguments);
		_exit(125);
	}
	int end;
	assert_int_equal(waitpid(pid, &end, 0), pid);
	o.status = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
	lseek(out, 0, SEEK_SET);
	lseek(err, 0, SEEK_SET);
	o.out = read_all(out);
	o.err = read_all(err);
	o.made = j->output ? file_bytes(in_folder(j->output)) : (bytes){ 0 };
	close(out);
	close(err);
	++n_runs;
	return o;
}

static void
complain(const job *j, int kind, long n, const outcome *o, const char *what)
{
	printf("FAIL %s, %s %ld: %s\n     status %d, '%s'\n", j->name, kinds[kind], n, what,
	       o->status, o->err.at);
	++n_bad;
}

/* Lines of the output that tell the time differ from run to run. */
static bool
is_right(const outcome *o, const outcome *expected)
{
	return same(o->out, expected->out) && same(o->err, expected->err)
	       && o->made.n == expected->made.n;
}

static void
judge(const job *j, int kind, long n, const outcome *o, const outcome *expected, bytes input)
{
	const char *line = strchr(o->err.at, '\n');
	if (o->status > 7)
		complain(j, kind, n, o, "crashes or hangs");
	else if (o->status == 0 && !is_right(o, expected))
		complain(j, kind, n, o, "says that all went well, and gives another result");
	else if (o->status != 0 && (strncmp(o->err.at, "wavesift: ", 10) != 0 || !line || line[1])
	         && kind != FAULT_WRITE)
		complain(j, kind, n, o, "not one line");
	else if (o->status != 0 && o->status != 3 && o->status != 4)
		complain(j, kind, n, o, "a status that does not say what failed");
	if (o->status != 0 && o->made.n)
		complain(j, kind, n, o, "leaves an output");
	const char *rest = left_over(j->as, j->output);
	if (*rest)
		complain(j, kind, n, o, rest);
	bytes now = file_bytes(in_folder(j->as));
	if (!same(now, input))
		complain(j, kind, n, o, "changes its input");
	free(now.at);
}

/* Whether the fault was reached. */
static bool
try_one(const job *j, int kind, long n, const outcome *expected, bytes input)
{
	*plan = (struct fault_plan){ .kind = kind, .n = n };
	outcome o = run(j);
	const bool reached = plan->reached;
	judge(j, kind, n, &o, expected, input);
	release(&o);
	return reached;
}

/* The last n that is reached. */
static long
count_calls(const job *j, int kind, const outcome *expected, bytes input)
{
	long low = 0, high = 1;
	while (try_one(j, kind, high, expected, input)) {
		low = high;
		high *= 4;
	}
	while (high - low > 1) {
		const long middle = (low + high) / 2;
		if (try_one(j, kind, middle, expected, input))
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void
try_job(const job *j)
{
	char source[1024];
	snprintf(source, sizeof source, "%s/%s", WAVESIFT_SOURCE_DIR, j->input);
	bytes input = file_bytes(source);
	assert_true(input.n > 0);
	FILE *f = fopen(in_folder(j->as), "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(input.at, 1, input.n, f), input.n);
	fclose(f);
	*plan = (struct fault_plan){ .kind = FAULT_NONE };
	outcome expected = run(j);
	if (expected.status != 0)
		complain(j, FAULT_NONE, 0, &expected, "fails by itself");
	for (int kind = 1; kind < FAULT_KINDS && expected.status == 0; ++kind) {
		/* HDF5 itself crashes where it lacks memory while it writes. */
		if (kind == FAULT_ALLOCATION && j->output && strstr(j->output, ".h5"))
			continue;
		/* Fontconfig crashes where it lacks memory, and does without what it cannot read. */
		if (kind <= FAULT_READ && j->output && strstr(j->output, ".svg"))
			continue;
		const long calls = count_calls(j, kind, &expected, input);
		const long step = getenv("WAVESIFT_SLOW") || calls <= MOST_RUNS ? 1
		                  : calls / MOST_RUNS;
		for (long n = 1; n <= calls; n += step)
			try_one(j, kind, n, &expected, input);
	}
	release(&expected);
	unlink(in_folder(j->as));
	if (j->output)
		unlink(in_folder(j->output));
	free(input.at);
}

static void
whatever_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; ++i)
		try_job(&jobs[i]);
	printf("%zu runs\n", n_runs);
	assert_int_equal(n_bad, 0);
}

static int
start(void **state)
{
	(void)state;
	char path[2200];
	const char *build = getenv("WAVESIFT_BUILD"), *tmp = getenv("TMPDIR");
	snprintf(program, sizeof program, "%s/wavesift", build ? build : ".");
	snprintf(library, sizeof library, "%s/faults/libfaults.so", build ? build : ".");
	snprintf(path, sizeof path, "%s/faults/" FAULTS_FILE, build ? build : ".");
	snprintf(folder, sizeof folder, "%s/wavesift-faults-XXXXXX", tmp ? tmp : "/tmp");
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof *plan) != 0 || access(library, R_OK) != 0
	    || access(program, X_OK) != 0 || !mkdtemp(folder)) {
		printf("set WAVESIFT_BUILD to the folder of the program\n");
		return -1;
	}
	plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return plan == MAP_FAILED ? -1 : 0;
}

static int
finish(void **state)
{
	(void)state;
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(whatever_fails) };
	return cmocka_run_group_tests(tests, start, finish);
}
