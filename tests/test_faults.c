/*
 * test_faults.c - the n-th allocation, read, write, seek, sync, rename, start of a process or load
 * by HDF5 or zlib fails, for each n that a run without a failure has.  Whatever fails, the program
 * ends with status 0 and what it gives without a failure, or with one line, a status that says so,
 * and nothing left behind; inputs stay as they were.
 *
 *     test_faults [WORDS]    only the jobs that have these words in their name
 *
 * WAVESIFT_KIND=load tries that kind alone.  WAVESIFT_SLOW=1 tries every n; else some of them,
 * about so many of each kind of each job as MOST_RUNS.  WAVESIFT_PART=K/M tries one of M parts, K
 * from 0: parts may run at the same time, each with a folder of program and library of its own
 * (WAVESIFT_BUILD).
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
#include "starter/starter.h"

#define MOST_RUNS 16
#define MOST_SECONDS 60

static char program[2048], library[2048], folder[128];
static struct fault_plan *plan;
static starter starts;
static size_t n_bad, n_runs;
static const char *wanted = "";
static long part, parts = 1;

typedef struct job {
	const char *name;
	const char *input;    /* copied into the folder first; from the source's root */
	const char *as;       /* its name there */
	const char *arguments[16];
	const char *output;   /* or NULL */
	const char *beside, *beside_as;   /* another input; or NULL */
	const char *also;     /* another output, which is there with the first or not at all; or NULL */
	const char *third, *third_as;     /* a third input; or NULL */
} job;

#define ALONE NULL, NULL, NULL, NULL, NULL
#define NO_THIRD NULL, NULL

static const job jobs[] = {
	{ "info of EDF", "examples/data/eeg.edf", "a.edf", { "info", "a.edf" }, NULL, ALONE },
	{ "info of HDF5", "fuzz/corpus/result/deflate2.h5", "a.h5", { "info", "a.h5" },
	  NULL, ALONE },
	{ "info of MAT 5", "fuzz/corpus/mat/v5_1.mat", "a.mat", { "info", "a.mat" }, NULL, ALONE },
	{ "info of EEGLAB", "fuzz/corpus/eeglab/inside_73.set", "a.set", { "info", "a.set" },
	  NULL, ALONE },
	{ "info of EEGLAB, packed", "fuzz/corpus/eeglab/octave_v7.set", "a.set",
	  { "info", "--json", "a.set" }, NULL, ALONE },
	{ "info of EEGLAB and what lies beside", "fuzz/corpus/eeglab/beside_0.set", "a.set",
	  { "info", "--json", "a.set" }, NULL, "tests/data/f.fdt", "f.fdt", NULL, NO_THIRD },
	{ "info of BrainVision", "tests/data/trio.vhdr", "trio.vhdr",
	  { "info", "--json", "trio.vhdr" }, NULL, "tests/data/trio.vmrk", "trio.vmrk", NULL,
	  "tests/data/trio.eeg", "trio.eeg" },
	{ "info of HDF5 as JSON", "fuzz/corpus/hdf5/plain.h5", "a.h5", { "info", "--json", "a.h5" },
	  NULL, ALONE },
	{ "info of MAT 5, packed", "fuzz/corpus/result/v5z_2.mat", "a.mat",
	  { "info", "--json", "--variable", "signal", "a.mat" }, NULL, ALONE },
	{ "info of MAT 7.3", "fuzz/corpus/mat/v73.mat", "a.mat", { "info", "--json", "a.mat" },
	  NULL, ALONE },
	{ "info of FieldTrip", "fuzz/corpus/mat/fieldtrip_73.mat", "a.mat",
	  { "info", "--json", "a.mat" }, NULL, ALONE },
	{ "info of NPZ", "fuzz/corpus/npy/one.npz", "a.npz", { "info", "--json", "a.npz" },
	  NULL, ALONE },
	{ "info of CSV", "fuzz/corpus/text/header.csv", "a.csv", { "info", "a.csv" }, NULL, ALONE },
	{ "info of FLAC", "fuzz/corpus/sound/pcm_16.flac", "a.flac", { "info", "a.flac" },
	  NULL, ALONE },
	{ "emd of HDF5 to NPY", "fuzz/corpus/hdf5/plain.h5", "a.h5",
	  { "emd", "--threads", "1", "--quiet", "a.h5", "-o", "made.npy" }, "made.npy", ALONE },
	{ "emd of CSV to MAT", "fuzz/corpus/text/blanks.txt", "a.csv",
	  { "emd", "--threads", "1", "--quiet", "a.csv", "-o", "made.mat" }, "made.mat", ALONE },
	{ "emd of NPY to HDF5", "fuzz/corpus/npy/f8.npy", "a.npy",
	  { "emd", "--threads", "1", "--quiet", "a.npy", "-o", "made.h5" }, "made.h5", ALONE },
	{ "emd of NPY to CSV", "fuzz/corpus/npy/f8.npy", "a.npy",
	  { "emd", "--threads", "1", "--quiet", "a.npy", "-o", "made.csv" }, "made.csv", ALONE },
	{ "emd by threads", "fuzz/corpus/npy/f8.npy", "a.npy",
	  { "emd", "--threads", "3", "--quiet", "a.npy", "-o", "made.npy" }, "made.npy", ALONE },
	{ "plot", "fuzz/corpus/result/deflate2.h5", "a.h5",
	  { "plot", "--quiet", "a.h5", "-o", "made.svg" }, "made.svg", ALONE },
	{ "plot of wavelets", "fuzz/corpus/result/cwt0.h5", "a.h5",
	  { "plot", "--quiet", "a.h5", "-o", "made.svg" }, "made.svg", ALONE },
	{ "compare", "fuzz/corpus/result/deflate2.h5", "a.h5", { "compare", "a.h5", "a.h5" },
	  NULL, ALONE },
	{ "info of events as JSON", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "info", "--json", "a.edf" }, NULL, ALONE },
	{ "conv of EDF by masks of HDF5", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "conv", "--threads", "1", "--quiet", "a.edf", "--masks", "m.h5", "-o", "made.npy" },
	  "made.npy", "fuzz/corpus/masks/complex.h5", "m.h5", NULL, NO_THIRD },
	{ "conv by masks of NPY", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "conv", "--threads", "1", "--quiet", "a.edf", "--masks", "m.npy", "-o", "made.npy" },
	  "made.npy", "fuzz/corpus/masks/rows.npy", "m.npy", NULL, NO_THIRD },
	{ "conv by an expression", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "conv", "--threads", "1", "--quiet", "a.edf", "--mask-expression",
	    "exp(-(x/s)^2/2)", "--scales", "1:2:2", "-o", "made.npy" }, "made.npy", ALONE },
	{ "conv that writes its masks", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "conv", "--threads", "1", "--quiet", "a.edf", "--mask-formula", "gabor", "--scales",
	    "1:2:2", "-o", "made.h5", "--write-masks", "also.h5" }, "made.h5",
	  NULL, NULL, "also.h5", NO_THIRD },
	{ "cwt of epochs", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "cwt", "--threads", "1", "--quiet", "--freqs", "1:2:3", "a.edf", "--epochs-at",
	    "go,a", "--tmin", "-0.25", "--tmax", "0.5", "-o", "made.npy" }, "made.npy", ALONE },
	{ "trials", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "trials", "--threads", "1", "--quiet", "--freqs", "1:2:3", "a.edf", "--epochs-at",
	    "go,a", "--tmin", "-0.25", "-o", "made.mat" }, "made.mat", ALONE },
	{ "hhtrials", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "hhtrials", "--threads", "1", "--quiet", "a.edf", "--epochs-at", "go,a", "--tmin",
	    "-0.25", "-o", "made.npy" }, "made.npy", ALONE },
	{ "bands", "fuzz/corpus/edf/plus.edf", "a.edf",
	  { "bands", "--threads", "1", "--quiet", "a.edf", "-o", "made.npy" }, "made.npy", ALONE },
	{ "coherence", "fuzz/corpus/npy/i2_fortran.npy", "a.npy",
	  { "coherence", "--threads", "1", "--quiet", "a.npy", "--freqs", "0.2:0.4:2", "-o",
	    "made.npy" }, "made.npy", ALONE },
	{ "superlets", "fuzz/corpus/npy/i2_fortran.npy", "a.npy",
	  { "superlets", "--threads", "1", "--quiet", "a.npy", "--freqs", "0.2:0.4:2", "-o",
	    "made.npy" }, "made.npy", ALONE },
	{ "memd of MAT 7.3", "fuzz/corpus/mat/v73.mat", "a.mat",
	  { "memd", "--threads", "1", "--quiet", "a.mat", "--modes", "2", "-o", "made.npy" },
	  "made.npy", ALONE },
	{ "compare of MAT", "fuzz/corpus/result/v73_2.mat", "a.mat", { "compare", "a.mat", "a.mat" },
	  NULL, ALONE },
	{ "hht of stored modes", "fuzz/corpus/result/deflate2.h5", "a.h5",
	  { "hht", "--threads", "1", "--quiet", "a.h5", "-o", "made.npy" }, "made.npy", ALONE },
	{ "hht and its cycles", "fuzz/corpus/result/v5_2.mat", "a.mat",
	  { "hht", "--threads", "1", "--quiet", "a.mat", "-o", "made.npy", "--cycle-table",
	    "also.csv" }, "made.npy", NULL, NULL, "also.csv", NO_THIRD },
	{ "emd whose blocks are kept", "fuzz/corpus/npy/i2_fortran.npy", "a.npy",
	  { "emd", "--threads", "1", "--quiet", "a.npy", "--checkpoint", "1e-9", "-o", "made.npy" },
	  "made.npy", ALONE },
	{ "cwt whose parts are kept", "fuzz/corpus/npy/f8.npy", "a.npy",
	  { "cwt", "--threads", "1", "--quiet", "a.npy", "--freqs", "0.2:0.4:4", "--checkpoint",
	    "1us", "-o", "made.npy" }, "made.npy", ALONE },
};

static const char *const kinds[FAULT_KINDS] = { "no fault", "allocation", "read", "write", "seek",
	"sync", "rename", "process", "load" };

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

/* Is this file of the folder one of these, some of which may be NULL? */
static bool
is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		if (names[i] && strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* What stands beside the output; NULL: nothing does. */
static const char *
sidecar(const job *j)
{
	const char *const ending = j->output ? strrchr(j->output, '.') : NULL;
	return ending && strcmp(ending, ".npy") == 0 ? "made.npy.json" : NULL;
}

/* A file of the folder that is neither an input nor, where the job was done, an output; "" where
 * there is none. */
static const char *
left_over(const job *j, bool done)
{
	const char *const names[] = { ".", "..", j->as, j->beside_as, j->third_as, j->output,
		done ? j->also : NULL, done ? sidecar(j) : NULL };
	static char found[256];
	found[0] = '\0';
	DIR *d = opendir(folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		if (!is_one_of(e->d_name, names, sizeof names / sizeof *names))
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
run_with(const job *j, const char *option)
{
	const char *arguments[20] = { "wavesift" };
	size_t n = 1;
	for (size_t i = 0; j->arguments[i]; ++i)
		arguments[n++] = j->arguments[i];
	arguments[n] = option;
	outcome o = { .status = -1 };
	if (j->output)
		unlink(in_folder(j->output));
	if (j->also)
		unlink(in_folder(j->also));
	unlink(in_folder("made.npy.json"));
	const int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	assert_true(out >= 0 && err >= 0);
	const pid_t pid = starter_start(&starts, arguments, out, err);
	assert_true(pid > 0);
	struct pollfd ended = { .fd = starts.socket, .events = POLLIN };
	if (poll(&ended, 1, 1000 * MOST_SECONDS) == 0)
		kill(pid, SIGKILL);
	started end;
	assert_true(starter_wait(&starts, &end));
	o.status = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : 128 + WTERMSIG(end.status);
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

static outcome
run(const job *j)
{
	return run_with(j, NULL);
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

/* The first line of err that is no note. */
static const char *
past_notes(const char *err)
{
	static const char mark[] = "wavesift: note: ";
	while (strncmp(err, mark, sizeof mark - 1) == 0 && strchr(err, '\n'))
		err = strchr(err, '\n') + 1;
	return err;
}

static void
judge(const job *j, int kind, long n, const outcome *o, const outcome *expected, bytes input)
{
	const char *refusal = past_notes(o->err.at), *line = strchr(refusal, '\n');
	char other[100];
	snprintf(other, sizeof other, "says that all went well, and gives another result: %zu bytes for "
	         "%zu", o->made.n, expected->made.n);
	if (o->status > 7)
		complain(j, kind, n, o, "crashes or hangs");
	else if (o->status == 0 && !is_right(o, expected))
		complain(j, kind, n, o, other);
	else if (o->status != 0 && (strncmp(refusal, "wavesift: ", 10) != 0 || !line || line[1])
	         && kind != FAULT_WRITE)
		complain(j, kind, n, o, "not one line");
	else if (o->status != 0 && o->status != 3 && o->status != 4)
		complain(j, kind, n, o, "a status that does not say what failed");
	/* Nor is one left where the other could not get its name. */
	if (o->status != 0 && o->made.n)
		complain(j, kind, n, o, "leaves an output");
	const char *rest = left_over(j, o->status == 0);
	if (*rest)
		complain(j, kind, n, o, rest);
	bytes now = file_bytes(in_folder(j->as));
	if (!same(now, input))
		complain(j, kind, n, o, "changes its input");
	free(now.at);
}

/* A folder of blocks that could not be read to be removed has no manifest: its blocks are none. */
static void
remove_blocks(const job *j)
{
	char path[1200], blocks[600];
	snprintf(blocks, sizeof blocks, "%s.resume", in_folder(j->output));
	snprintf(path, sizeof path, "%s/manifest.json", blocks);
	DIR *d = access(path, F_OK) == 0 ? NULL : opendir(blocks);
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "%s/%s", blocks, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(blocks);
}

/* What was kept leads to the same output, and is gone then. */
static void
go_on(const job *j, int kind, long n, const outcome *failed, const outcome *expected)
{
	*plan = (struct fault_plan){ .kind = FAULT_NONE };
	outcome o = run_with(j, "--resume");
	if (o.status != 0 || !same(o.made, expected->made))
		complain(j, kind, n, o.status != 0 ? &o : failed, "does not go on to the same");
	unlink(in_folder(j->output));
	unlink(in_folder("made.npy.json"));
	release(&o);
}

static void
try_one(const job *j, int kind, long n, const outcome *expected, bytes input)
{
	*plan = (struct fault_plan){ .kind = kind, .n = n };
	outcome o = run(j);
	if (strstr(j->name, "are kept") && o.status != 0)
		go_on(j, kind, n, &o, expected);
	if (strstr(j->name, "are kept"))
		remove_blocks(j);
	judge(j, kind, n, &o, expected, input);
	release(&o);
}

/* Of so many calls the i-th that is to fail, from 0; 0: there are no more.  All where they are few,
 * else MOST_RUNS over all and the last two. */
static long
call_to_fail(long i, long calls)
{
	if (getenv("WAVESIFT_SLOW") || calls <= MOST_RUNS + 2)
		return i < calls ? i + 1 : 0;
	if (i < MOST_RUNS)
		return 1 + i * (calls - 2) / MOST_RUNS;
	return i < MOST_RUNS + 2 ? calls - 1 + i - MOST_RUNS : 0;
}

/* A file of the source into the folder; its bytes. */
static bytes
put(const char *from, const char *as)
{
	char source[1024];
	const char *root = getenv("WAVESIFT_SOURCE");
	snprintf(source, sizeof source, "%s/%s", root ? root : WAVESIFT_SOURCE_DIR, from);
	const bytes b = file_bytes(source);
	assert_true(b.n > 0);
	FILE *f = fopen(in_folder(as), "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b.at, 1, b.n, f), b.n);
	fclose(f);
	return b;
}

static void
try_job(const job *j)
{
	bytes input = put(j->input, j->as);
	if (j->beside)
		free(put(j->beside, j->beside_as).at);
	if (j->third)
		free(put(j->third, j->third_as).at);
	*plan = (struct fault_plan){ .kind = FAULT_NONE };
	outcome expected = run(j);
	const struct fault_plan made = *plan;
	if (expected.status != 0)
		complain(j, FAULT_NONE, 0, &expected, "fails by itself");
	const char *only = getenv("WAVESIFT_KIND");
	for (int kind = 1; kind < FAULT_KINDS && expected.status == 0; ++kind) {
		if (only && strcmp(only, kinds[kind]) != 0)
			continue;
		/* HDF5 itself crashes where it lacks memory while it writes. */
		if (kind == FAULT_ALLOCATION && j->output && strstr(j->output, ".h5"))
			continue;
		/* muParser, of C++, ends the program where it lacks memory. */
		if (kind == FAULT_ALLOCATION && strstr(j->name, "expression"))
			continue;
		/* Fontconfig crashes where it lacks memory, and does without what it cannot
		 * read. */
		if (kind <= FAULT_READ && j->output && strstr(j->output, ".svg"))
			continue;
		const long calls = made.most[kind];
		long tried = 0;
		for (long i = part, n; (n = call_to_fail(i, calls)) > 0; i += parts, ++tried)
			try_one(j, kind, n, &expected, input);
		printf("%s: %s 1 to %ld%s\n", j->name, kinds[kind], calls,
		       tried < calls ? ", some" : "");
		fflush(stdout);
	}
	release(&expected);
	const char *const files[] = { j->as, j->beside_as, j->third_as, j->output, sidecar(j),
		j->also };
	for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
		if (files[i])
			unlink(in_folder(files[i]));
	free(input.at);
}

static void
whatever_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; ++i)
		if (strstr(jobs[i].name, wanted))
			try_job(&jobs[i]);
	printf("%zu runs\n", n_runs);
	assert_true(n_runs > 0);
	assert_int_equal(n_bad, 0);
}

static int
start(void **state)
{
	(void)state;
	char path[2200];
	const char *build = getenv("WAVESIFT_BUILD"), *tmp = getenv("TMPDIR");
	const char *portion = getenv("WAVESIFT_PART");
	char where[1024];
	if (portion && (sscanf(portion, "%ld/%ld", &part, &parts) != 2 || part < 0
	                || part >= parts)) {
		printf("WAVESIFT_PART must be K/M, K from 0 to M - 1\n");
		return -1;
	}
	/* The program runs in another folder. */
	if (!build && (build = getcwd(where, sizeof where)) == NULL)
		return -1;
	snprintf(program, sizeof program, "%s/wavesift", build);
	snprintf(library, sizeof library, "%s/faults/libfaults.so", build);
	snprintf(path, sizeof path, "%s/faults/" FAULTS_FILE, build);
	snprintf(folder, sizeof folder, "%s/wavesift-faults-XXXXXX", tmp ? tmp : "/tmp");
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof *plan) != 0 || access(library, R_OK) != 0
	    || access(program, X_OK) != 0 || !mkdtemp(folder)) {
		printf("set WAVESIFT_BUILD to the folder of the program\n");
		return -1;
	}
	plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return plan == MAP_FAILED || !starter_open(&starts, program, library, folder) ? -1 : 0;
}

static int
finish(void **state)
{
	(void)state;
	starter_close(&starts);
	return rmdir(folder);
}

int
main(int argc, char **argv)
{
	wanted = argc > 1 ? argv[1] : "";
	const struct CMUnitTest tests[] = { cmocka_unit_test(whatever_fails) };
	return cmocka_run_group_tests(tests, start, finish);
}
