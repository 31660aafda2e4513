/*
 * test_dry_run.c - plans of any shape are told quickly and in little memory, and what fits keeps to
 * --memory and ends at the first Ctrl-C: the program over a grid of transforms, options and shapes.
 *
 *     test_dry_run [TRANSFORM]
 *
 * Recordings are sparse files of one byte a sample.  WAVESIFT_SLOW=1 tries all shapes of the grid,
 * looks at processor time, and lets runs go on for longer before they are stopped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core_test.h"

#define MOST_BYTES ((off_t)8 << 40)
#define MEMORY_MB 64
#define SPARE_MB 64

static char program[4096], folder[128];
static const char *wanted;
static bool slow;
static size_t n_plans, n_runs, n_stopped, n_bad;

/* ---- What is tried ----------------------------------------------------------------------- */

typedef struct command {
	const char *options[12]; /* the transform's name first */
	bool epochs;            /* of five epochs */
} command;

static const command jobs[] = {
	{ { "emd" }, false }, { { "eemd" }, false }, { { "ceemdan" }, false },
	{ { "iceemdan" }, false }, { { "memd" }, false },
	{ { "memd", "--directions", "100000" }, false },
	{ { "hht" }, false }, { { "hht", "--parts", "sparse" }, false },
	{ { "hhtrials" }, true }, { { "cwt" }, false },
	{ { "cwt", "--reference", "tc" }, false },
	{ { "cwt", "--reference", "mne", "--freqs", "40:100:20" }, false },
	{ { "cwt", "--reference", "pywt" }, false },
	{ { "cwt", "--reference", "ssqueezepy" }, false },
	{ { "cwt", "--reference", "superlets" }, false },
	{ { "cwt", "--wavelet", "paul" }, false },
	{ { "cwt", "--significance", "ar1" }, false },
	{ { "bands" }, false }, { { "superlets" }, false }, { { "trials" }, true },
	{ { "coherence" }, false }, { { "coherence" }, true },
	{ { "conv", "--mask-formula", "gabor", "--scales", "1:50:20" }, false },
	{ { "conv", "--mask-formula", "morlet", "--scales", "1:200:20000" }, false },
	{ { "conv", "--mask-formula", "mexican-hat", "--scales", "1:1000000:100" }, false },
};
enum { JOBS = sizeof jobs / sizeof *jobs };

/* ---- Files --------------------------------------------------------------------------------- */

static void
put_sparse(const char *name, const void *head, size_t bytes, off_t size)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, bytes), bytes);
	if (ftruncate(fd, (off_t)bytes + size) != 0)
		fail_msg("%s: %s", name, strerror(errno));
	close(fd);
}

/* False: a file system takes none that large. */
static bool
put_recording(const command *j, size_t channels, size_t samples)
{
	const off_t size = (off_t)channels * (off_t)samples * (j->epochs ? 5 : 1);
	char head[256] = "";
	if (size > MOST_BYTES)
		return false;
	if (!j->epochs) {
		put_sparse("x.raw", "", 0, size);
		return true;
	}
	memcpy(head, "\x93NUMPY\1\0\x76\0", 10);
	const int n = snprintf(head + 10, 118, "{'descr': '|i1', 'fortran_order': False, 'shape': "
	                       "(5, %zu, %zu), }", channels, samples);
	memset(head + 10 + n, ' ', (size_t)(117 - n));
	head[127] = '\n';
	put_sparse("x.npy", head, 128, size);
	return true;
}

/* ---- The program ----------------------------------------------------------------------------- */

typedef struct outcome {
	int status;             /* 128 + signal; of an exit its own */
	double seconds;         /* of the processor */
	long kilobytes;
	char err[4096];
} outcome;

/* stop: seconds after which it is interrupted; 0: not. */
static void
start(const command *j, size_t channels, const char *const *more, double stop, outcome *o)
{
	char layout[64];
	const char *arguments[32] = { program };
	size_t n = 1;
	snprintf(layout, sizeof layout, "i8,channels=%zu,order=channel", channels);
	for (size_t i = 0; i < 12 && j->options[i]; ++i)
		arguments[n++] = j->options[i];
	arguments[n++] = j->epochs ? "x.npy" : "x.raw";
	if (!j->epochs) {
		arguments[n++] = "--raw";
		arguments[n++] = layout;
	}
	arguments[n++] = "--fs";
	arguments[n++] = "250";
	for (; *more; ++more)
		arguments[n++] = *more;
	unlink("err");
	const pid_t pid = fork();
	if (pid == 0) {
		const int null = open("/dev/null", O_RDWR);
		const int err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(null, 0);
		dup2(null, 1);
		dup2(err, 2);
		/* A shell's jobs beside it have it ignored. */
		signal(SIGINT, SIG_DFL);
		execv(program, (char *const *)(uintptr_t)arguments);
		_exit(125);
	}
	struct rusage used;
	int end, got = 0;
	for (double waited = 0; stop > 0 && waited < stop && got == 0; waited += 0.01) {
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
		got = wait4(pid, &end, WNOHANG, &used);
	}
	if (stop > 0 && got == 0)
		kill(pid, SIGINT);
	if (got == 0)
		got = wait4(pid, &end, 0, &used);
	assert_int_equal(got, pid);
	o->status = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
	o->kilobytes = used.ru_maxrss;
	o->seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	             (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
	FILE *f = fopen("err", "r");
	const size_t read = f ? fread(o->err, 1, sizeof o->err - 1, f) : 0;
	o->err[read] = '\0';
	if (f)
		fclose(f);
}

static void
complain(const command *j, size_t channels, size_t samples, const outcome *o, const char *what)
{
	printf("FAIL");
	for (size_t i = 0; i < 12 && j->options[i]; ++i)
		printf(" %s", j->options[i]);
	printf(", %zu x %zu: %s\n     status %d, %.2f s, %ld kB, '%s'\n", channels, samples, what,
	       o->status, o->seconds, o->kilobytes, o->err);
	++n_bad;
}

/* Is what is left but notes one line? */
static bool
is_one_line(const char *err)
{
	static const char mark[] = "wavesift: note: ";
	while (strncmp(err, mark, sizeof mark - 1) == 0 && strchr(err, '\n'))
		err = strchr(err, '\n') + 1;
	const char *end = strchr(err, '\n');
	return strncmp(err, "wavesift: ", 10) == 0 && end && !end[1];
}

/* ---- Plans ------------------------------------------------------------------------------------- */

static void
plan(const command *j, size_t channels, size_t samples)
{
	static const char *const without[] = { "--dry-run", NULL };
	static const char *const within[] = { "--dry-run", "--memory", "256M", NULL };
	if (!put_recording(j, channels, samples))
		return;
	for (int few = 0; few < (slow ? 2 : 1); ++few) {
		outcome o;
		start(j, channels, few ? within : without, 0, &o);
		++n_plans;
		if (o.status != 0 && o.status != 2 && o.status != 4)
			complain(j, channels, samples, &o, "no plan, and no refusal");
		if (o.status != 0 && !is_one_line(o.err))
			complain(j, channels, samples, &o, "not one line");
		if (!SANITIZED && o.kilobytes > 64 * 1024)
			complain(j, channels, samples, &o, "a plan of more than 64 MB");
		if (slow && !SANITIZED && o.seconds > 2)
			complain(j, channels, samples, &o, "a plan that took more than 2 s");
	}
}

static void
plans(void **state)
{
	static const size_t some_channels[] = { 1, 100000 }, some_samples[] = { 1000, 1 << 24 };
	static const size_t channels[] = { 1, 3, 1000, 100000 };
	static const size_t samples[] = { 1, 2, 7, 1000, 65536, 1000003, 1 << 24, (1 << 29) - 1,
		1 << 29 };
	const size_t before = n_bad;
	(void)state;
	for (int i = 0; i < JOBS; ++i) {
		if (wanted && strcmp(wanted, jobs[i].options[0]) != 0)
			continue;
		for (size_t c = 0; c < (slow ? 4 : 2); ++c)
			for (size_t n = 0; n < (slow ? 9 : 2); ++n)
				plan(&jobs[i], slow ? channels[c] : some_channels[c],
				     slow ? samples[n] : some_samples[n]);
	}
	printf("%zu plans\n", n_plans);
	assert_int_equal(n_bad, before);
}

/* ---- Runs --------------------------------------------------------------------------------------- */

/* Something for a decomposition to do. */
static void
put_noise(const command *j, size_t channels, size_t samples)
{
	put_recording(j, channels, samples);
	const size_t size = channels * samples * (j->epochs ? 5 : 1);
	FILE *f = fopen(j->epochs ? "x.npy" : "x.raw", "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, j->epochs ? 128 : 0, SEEK_SET), 0);
	uint64_t state = 88172645463325252u;
	for (size_t i = 0; i < size; ++i) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		putc((int)(state >> 56), f);
	}
	assert_int_equal(fclose(f), 0);
}

static void
run(const command *j, size_t channels, size_t samples)
{
	static const char *const dry[] = { "--dry-run", "--memory", "64M", NULL };
	static const char *const real[] = { "--memory", "64M", "--threads", "2", "-o", "out.h5",
		NULL };
	outcome o;
	put_noise(j, channels, samples);
	start(j, channels, dry, 0, &o);
	if (o.status != 0)
		return;
	++n_runs;
	start(j, channels, real, slow ? 3 : 0.3, &o);
	if (!SANITIZED && o.kilobytes > (MEMORY_MB + SPARE_MB) * 1024L)
		complain(j, channels, samples, &o, "takes more than --memory and 64 MB");
	n_stopped += o.status == 130;
	if (o.status == 130 && !is_one_line(o.err))
		complain(j, channels, samples, &o, "stopped without one line");
	if (o.status == 130 && access("out.h5", F_OK) == 0)
		complain(j, channels, samples, &o, "stopped, and left a result");
	if (o.status == 0 && access("out.h5", F_OK) != 0)
		complain(j, channels, samples, &o, "no result");
	if (o.status != 130 && o.status != 0)
		complain(j, channels, samples, &o, "fitted, and did not run");
	unlink("out.h5");
}

static void
runs(void **state)
{
	static const size_t shapes[][2] = { { 3, 16384 }, { 3, 65536 }, { 1, 1000 }, { 200, 2000 }, { 1, 262144 },
		{ 2, 1000003 }, { 20000, 50 } };
	const size_t before = n_bad;
	(void)state;
	for (int i = 0; i < JOBS; ++i)
		for (size_t k = 0; k < (slow ? 7 : 1); ++k)
			if (!wanted || strcmp(wanted, jobs[i].options[0]) == 0)
				run(&jobs[i], shapes[k][0], shapes[k][1]);
	printf("%zu runs, %zu stopped\n", n_runs, n_stopped);
	assert_true(n_runs > 0);
	assert_int_equal(n_bad, before);
}

/* What fitted before numerics 3 padded long wavelets further fits still. */
static void
fits_as_before(void **state)
{
	static const struct { size_t samples; const char *memory; } cases[] = {
		{ 100000, "10M" }, { 1 << 20, "125M" } };
	const command *j = jobs;
	(void)state;
	while (strcmp(j->options[0], "cwt") != 0 || j->options[1])
		++j;
	for (int i = 0; i < 2; ++i) {
		const char *const dry[] = { "--dry-run", "--memory", cases[i].memory, NULL };
		outcome o;
		put_recording(j, 1, cases[i].samples);
		start(j, 1, dry, 0, &o);
		if (o.status != 0)
			fail_msg("cwt of %zu samples in %s: %s", cases[i].samples,
			         cases[i].memory, o.err);
	}
}

/* ---- All ------------------------------------------------------------------------------------------ */

static int
make_folder(void **state)
{
	const char *build = getenv("WAVESIFT_BUILD"), *tmp = getenv("TMPDIR");
	char given[4000];
	(void)state;
	snprintf(given, sizeof given, "%s/wavesift", build ? build : ".");
	if (!realpath(given, program)) {
		printf("no %s; set WAVESIFT_BUILD\n", given);
		return -1;
	}
	snprintf(folder, sizeof folder, "%s/wavesift-dry-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int
remove_folder(void **state)
{
	char removal[512];
	(void)state;
	snprintf(removal, sizeof removal, "rm -rf '%s'", folder);
	return chdir("/") == 0 ? system(removal) : -1;
}

int
main(int argc, char **argv)
{
	wanted = argc > 1 ? argv[1] : NULL;
	slow = getenv("WAVESIFT_SLOW") != NULL;
	const struct CMUnitTest tests[] = { cmocka_unit_test(plans), cmocka_unit_test(runs),
		cmocka_unit_test(fits_as_before) };
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
