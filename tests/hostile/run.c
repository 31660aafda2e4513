/* run.c - the program on one hostile file, and the judge; see hostile.h. */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#ifdef WSI_HAVE_SECCOMP
#include <seccomp.h>
#endif

#include "core_test.h"
#include "starter/starter.h"

#define MEMORY_MB 64
#define SPARE_MB 64

/* Of processor time, of the program and its decoder together: tests run beside each other.  Of
 * other time five times as much. */
#define MOST_SECONDS 5

static char program[4096], folder[128];
static const char *failing;  /* what is tried, for messages */
static size_t n_files, n_bad, n_told;
static hostile_failure failure;
static starter starts;       /* of what does not begin with calls that fail */

/* ---- Calls that fail ----------------------------------------------------------------- */

#ifdef WSI_HAVE_SECCOMP

/* In the program's process, before it begins. */
static bool
let_calls_fail(void)
{
	static const struct {
		hostile_failure failure;
		int call, error;
	} calls[] = {
		{ FAILS_CLONE, SCMP_SYS(clone), EAGAIN },
		{ FAILS_CLONE, SCMP_SYS(clone3), EAGAIN },
		{ FAILS_CLONE, SCMP_SYS(fork), EAGAIN },
		{ FAILS_CLONE, SCMP_SYS(vfork), EAGAIN },
		{ FAILS_PIPE, SCMP_SYS(socketpair), EMFILE },
		{ FAILS_PIPE, SCMP_SYS(pipe), EMFILE },
		{ FAILS_PIPE, SCMP_SYS(pipe2), EMFILE },
		{ FAILS_MEMORY, SCMP_SYS(memfd_create), ENOMEM },
	};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	bool good = filter != NULL;
	for (size_t i = 0; good && i < sizeof calls / sizeof *calls; ++i)
		if (calls[i].failure == failure)
			good = seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)calls[i].error),
			                        calls[i].call, 0) == 0;
	return good && seccomp_load(filter) == 0;
}

bool
hostile_fail(hostile_failure which)
{
	/* Sanitizers need processes themselves. */
	failure = SANITIZED ? FAILS_NOTHING : which;
	return !SANITIZED && prctl(PR_GET_SECCOMP) >= 0;
}

#else

static bool
let_calls_fail(void)
{
	return false;
}

bool
hostile_fail(hostile_failure which)
{
	return which == FAILS_NOTHING;
}

#endif

/* ---- One command ------------------------------------------------------------------- */

typedef struct outcome {
	int status;          /* of the exit; 128 + its signal */
	double seconds;      /* of the processor */
	long kilobytes;      /* at most, of one process */
	char out[65536], err[8192];
	bool timed_out;
} outcome;

static void
take(int fd, char *text, size_t size)
{
	size_t n = strlen(text);
	char more[4096];
	const ssize_t got = read(fd, more, sizeof more);
	for (ssize_t i = 0; i < got && n < size - 1; ++i)
		text[n++] = more[i] ? more[i] : '?';
	text[n] = '\0';
}

/* A process of the program, with these ends of pipes. */
static pid_t
start(const char *const *arguments, int out, int err)
{
	if (starts.pid > 0 && failure == FAILS_NOTHING)
		return starter_start(&starts, arguments, out, err);
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out, 1);
		dup2(err, 2);
		if (chdir(folder) == 0 && (failure == FAILS_NOTHING || let_calls_fail()))
			execv(program, (char *const *)(uintptr_t)arguments);
		_exit(125);
	}
	return pid;
}

static void
run(const char *const *arguments, outcome *o)
{
	int out[2], err[2];
	*o = (outcome){ .status = -1 };
	assert_true(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	const pid_t pid = start(arguments, out[1], err[1]);
	assert_true(pid > 0);
	close(out[1]);
	close(err[1]);
	struct pollfd p[2] = { { .fd = out[0], .events = POLLIN },
		               { .fd = err[0], .events = POLLIN } };
	for (bool open = true; open;) {
		poll(p, 2, 100);
		clock_gettime(CLOCK_MONOTONIC, &now);
		open = !(p[0].revents & POLLHUP) || !(p[1].revents & POLLHUP)
		       || (p[0].revents & POLLIN) || (p[1].revents & POLLIN);
		if (p[0].revents & POLLIN)
			take(out[0], o->out, sizeof o->out);
		if (p[1].revents & POLLIN)
			take(err[0], o->err, sizeof o->err);
		if (now.tv_sec - begin.tv_sec > (SANITIZED ? 50 : 5) * MOST_SECONDS &&
		    !o->timed_out) {
			o->timed_out = true;
			kill(pid, SIGKILL);
		}
	}
	close(out[0]);
	close(err[0]);
	started end;
	if (starts.pid > 0 && failure == FAILS_NOTHING)
		assert_true(starter_wait(&starts, &end));
	else
		assert_int_equal(wait4(pid, &end.status, 0, &end.used), pid);
	o->status = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : 128 + WTERMSIG(end.status);
	const struct timeval user = end.used.ru_utime, system = end.used.ru_stime;
	o->kilobytes = end.used.ru_maxrss;
	o->seconds = (double)(user.tv_sec + system.tv_sec)
	             + (double)(user.tv_usec + system.tv_usec) * 1e-6;
}

static void
complain(const char *command, const outcome *o, const char *what)
{
	printf("FAIL %s: %s: %s\n     status %d, %.1f s, %ld kB, '%s'\n", failing, command, what,
	       o->status, o->seconds, o->kilobytes, o->err);
	++n_bad;
}

/* Is there anything but what is to be seen? */
static bool
steers_terminals(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	for (; *s; ++s)
		if ((*s < ' ' && *s != '\n') || *s == 0x7f ||
		    (*s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)
		    || (*s == 0xe2 && s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae))
			return true;
	return false;
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
judge(const char *command, const outcome *o, const char *output)
{
	const char *refusal = past_notes(o->err), *line = strchr(refusal, '\n');
	if (o->timed_out || o->seconds > (SANITIZED ? 10 : 1) * MOST_SECONDS)
		complain(command, o, "takes too long");
	if (o->status != 0 && o->status != 2 && o->status != 3 && o->status != 4)
		complain(command, o, "a status that no file may give");
	if (o->status != 0 && (strncmp(refusal, "wavesift: ", 10) != 0 || !line || line[1]))
		complain(command, o, "not one line");
	/* Sanitizers take memory and time of their own. */
	if (!SANITIZED && o->kilobytes > (MEMORY_MB + SPARE_MB) * 1024L)
		complain(command, o, "takes too much memory");
	if (steers_terminals(o->out) || steers_terminals(o->err))
		complain(command, o, "prints what steers terminals");
	if (strstr(o->out, "root:") || strstr(o->err, "root:"))
		complain(command, o, "shows another file");
	if (!output)
		return;
	char beside[600]; /* of a .npy */
	snprintf(beside, sizeof beside, "%s.json", output);
	if (o->status != 0 && (access(output, F_OK) == 0 || access(beside, F_OK) == 0))
		complain(command, o, "leaves an output behind");
	unlink(output);
	unlink(beside);
}

/* A library's mistake that goes on otherwise, but ends the decoder under a sanitizer. */
static bool
sanitizer_ends(const outcome *o)
{
	return SANITIZED && o->status == 3 && strstr(o->err, "crashes on it");
}

void
try_file(const char *name, int status, const char *words, int emd_status, const char *variable)
{
	static outcome o;
	char output[512];
	failing = name;
	++n_files;
	snprintf(output, sizeof output, "%s/made.npy", folder);
	const char *const info[] = { "wavesift", "info", "--memory", "64M", name,
		                     variable ? "--variable" : NULL, variable, NULL };
	run(info, &o);
	judge("info", &o, NULL);
	if (!sanitizer_ends(&o) &&
	    (o.status != status || (words && !strstr(*o.err ? o.err : o.out, words)))) {
		printf("expected status %d and '%s'\n", status, words ? words : "");
		complain("info", &o, "another status, or other words");
	}
	const char *const emd[] = { "wavesift", "emd", "--memory", "64M", "--modes", "2", "-o",
		                    "made.npy", "--quiet", name,
		                    variable ? "--variable" : NULL, variable, NULL };
	run(emd, &o);
	judge("emd", &o, output);
	if (emd_status >= 0 && o.status != emd_status && !sanitizer_ends(&o))
		complain("emd", &o, "another status than expected");
	const char *const plot[] = { "wavesift", "plot", "--memory", "64M", name, "-o", "made.npy",
		                     NULL };
	run(plot, &o);
	judge("plot", &o, output);
	const char *const compare[] = { "wavesift", "compare", "--memory", "64M", name, name,
		NULL };
	run(compare, &o);
	judge("compare", &o, NULL);
	const char *const hht[] = { "wavesift", "hht", "--memory", "64M", "-o", "made.npy",
		                    "--quiet", name, NULL };
	run(hht, &o);
	judge("hht", &o, output);
	const char *const cwt[] = { "wavesift", "cwt", "--memory", "64M", "-o", "made.npy",
		                    "--freqs", "0.1:0.4:4", "--quiet", name, NULL };
	run(cwt, &o);
	judge("cwt", &o, output);
	const char *const conv[] = { "wavesift", "conv", "--memory", "64M", "-o", "made.npy",
		                     "--quiet", "small.csv", "--to", "64", "--masks", name, NULL };
	run(conv, &o);
	judge("conv --masks", &o, output);
}

/* A command on the file `failing`, that makes `made`: this status and words. */
static void
try_command(const char *command, const char *const arguments[], const char *made, int status,
            const char *words)
{
	static outcome o;
	char output[512];
	snprintf(output, sizeof output, "%s/%s", folder, made);
	run(arguments, &o);
	judge(command, &o, output);
	if (!sanitizer_ends(&o) && (o.status != status || (words && !strstr(o.err, words)))) {
		printf("expected status %d and '%s'\n", status, words ? words : "");
		complain(command, &o, "another status, or other words");
	}
}

void
try_result(const char *name, int status, const char *words)
{
	failing = name;
	++n_files;
	const char *const plot[] = { "wavesift", "plot", "--memory", "64M", "--quiet", name, "-o",
		                     "made.svg", NULL };
	try_command("plot", plot, "made.svg", status, words);
}

void
try_stored(const char *name, int status, const char *words)
{
	failing = name;
	++n_files;
	const char *const hht[] = { "wavesift", "hht", "--memory", "64M", "--quiet", name,
		                    "--decomposition", "stored", "-o", "made.npy", NULL };
	try_command("hht", hht, "made.npy", status, words);
}

void
try_option(const char *command, const char *option, const char *name, int status,
           const char *words)
{
	failing = name;
	++n_files;
	const char *const arguments[] = { "wavesift", command, "--memory", "64M", "-o", "made.npy",
		                          "--quiet", "small.csv", option, name, NULL };
	try_command(option, arguments, "made.npy", status, words);
}

const char *
in_folder(const char *name)
{
	static char paths[4][512];
	static int next;
	char *path = paths[next++ % 4];
	assert_true(strlen(name) < 300);
	snprintf(path, sizeof paths[0], "%.127s/%.299s", folder, name);
	return path;
}

/* ---- Start and end ------------------------------------------------------------------- */

size_t
hostile_complaints(void)
{
	const size_t n = n_bad - n_told;
	n_told = n_bad;
	return n;
}

int
hostile_start(void **state)
{
	(void)state;
	char library[4096];
	const char *build = getenv("WAVESIFT_BUILD"), *tmp = getenv("TMPDIR");
	snprintf(program, sizeof program, "%s/wavesift", build ? build : ".");
	if (access(program, X_OK) != 0) {
		printf("no %s; set WAVESIFT_BUILD\n", program);
		return -1;
	}
	snprintf(folder, sizeof folder, "%s/wavesift-hostile-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	snprintf(library, sizeof library, "%s/starter/libstarter.so", build ? build : ".");
	if (!SANITIZED && !starter_open(&starts, program, library, folder)) {
		printf("no %s; set WAVESIFT_BUILD\n", library);
		return -1;
	}
	put_long_text("small.csv", "a,b\n", "1,2\n0,1\n", HOSTILE_SAMPLES / 2);
	return 0;
}

int
hostile_finish(void **state)
{
	(void)state;
	char command[512];
	starter_close(&starts);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	printf("%zu files, %zu complaints\n", n_files, n_bad);
	return system(command);
}
