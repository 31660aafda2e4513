/*
 * test_outputs.c - no two outputs of a command are one file: every pair of options that name a file
 * to write, of every command, as the table of options has them, onto one file by another way to it;
 * and what a run gives whose folder is renamed meanwhile.
 *
 *     test_outputs [COMMAND]
 *     test_outputs letters     on a file system to which r and R are one name, where one can be mounted
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
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
#include <unistd.h>

#include <cmocka.h>

#include "args.h"
#include "options.h"

#define MOST 5

static char program[2048], home[64];
static const char *wanted;
static size_t n_runs;

/* ---- What the options are -------------------------------------------------------------- */

/* Endings of the files that an option names.  One that is new needs a row here. */
static const struct {
	const char *option, *endings[4];
} known[] = {
	{ "output", { ".h5", ".csv", ".npy", ".mat" } },
	{ "plot", { ".png", ".svg", ".pdf" } },
	{ "cycle-table", { ".csv" } },
	{ "write-masks", { ".h5" } },
	{ "report", { ".html" } },
};

static const char *const figures[4] = { ".png", ".svg", ".pdf" };

static const char *const *
endings_of(const cli_command *c, const char *option)
{
	/* Of reconstruct that of the recording. */
	static const char *const recording[4] = { ".npy" };
	if (c->id == CMD_PLOT && strcmp(option, "report") != 0)
		return figures;
	if (c->id == CMD_RECONSTRUCT && strcmp(option, "output") == 0)
		return recording;
	for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
		if (strcmp(known[i].option, option) == 0)
			return known[i].endings;
	fail_msg("--%s of %s names a file to write, and has no row in known[]", option, c->name);
	return NULL;
}

static size_t
outputs_of(const cli_command *c, const char *names[MOST])
{
	const ws_option *o;
	size_t n = 0;
	for (int i = 0; (o = cli_option_at(c, i)); ++i)
		if (cli_option_is_written(o)) {
			assert_true(n < MOST);
			names[n++] = o->name;
		}
	return n;
}

/* An ending that both may have; NULL: none. */
static const char *
common_ending(const char *const a[4], const char *const b[4])
{
	for (int i = 0; i < 4 && a[i]; ++i)
		for (int k = 0; k < 4 && b[k]; ++k)
			if (strcmp(a[i], b[k]) == 0)
				return a[i];
	return NULL;
}

/* ---- Runs ------------------------------------------------------------------------------ */

typedef struct outcome {
	int status;
	char err[1024];
} outcome;

static pid_t
start(const char *const arguments[], int in, int err)
{
	const pid_t pid = fork();
	if (pid)
		return pid;
	dup2(in, 0);
	dup2(open("/dev/null", O_WRONLY), 1);
	dup2(err, 2);
	alarm(60);
	execv(program, (char *const *)(uintptr_t)arguments);
	_exit(125);
}

static outcome
await(pid_t pid, int err)
{
	outcome o = { .status = -1 };
	int end;
	assert_int_equal(waitpid(pid, &end, 0), pid);
	o.status = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
	const ssize_t n = pread(err, o.err, sizeof o.err - 1, 0);
	o.err[n > 0 ? n : 0] = '\0';
	++n_runs;
	return o;
}

static outcome
run(const char *const arguments[])
{
	const int in = open("/dev/null", O_RDONLY), err = memfd_create("err", 0);
	const outcome o = await(start(arguments, in, err), err);
	close(in);
	close(err);
	return o;
}

/* All names below a folder, with what links lead to and what files hold. */
static void
list(const char *folder, char *text, size_t size)
{
	struct dirent **all;
	const int n = scandir(folder, &all, NULL, alphasort);
	assert_true(n >= 0);
	for (int i = 0; i < n; ++i) {
		char path[512], held[128] = "";
		struct stat st;
		snprintf(path, sizeof path, "%.200s/%.255s", folder, all[i]->d_name);
		assert_int_equal(lstat(path, &st), 0);
		if (S_ISLNK(st.st_mode))
			assert_true(readlink(path, held, sizeof held - 1) > 0);
		else if (S_ISREG(st.st_mode) && st.st_size < 100) {
			const int fd = open(path, O_RDONLY);
			assert_true(read(fd, held, sizeof held - 1) >= 0);
			close(fd);
		}
		const size_t used = strlen(text);
		snprintf(text + used, size - used, "%s %lu %s\n", path,
		         (unsigned long)st.st_ino, held);
		if (S_ISDIR(st.st_mode) && all[i]->d_name[0] != '.')
			list(path, text, size);
		free(all[i]);
	}
	free(all);
}

static void
write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* ---- One command ------------------------------------------------------------------------- */

/* What it needs beside its outputs. */
static size_t
needs(const cli_command *c, const char *to[16])
{
	size_t n = 0;
	to[n++] = "wavesift";
	to[n++] = c->name;
	to[n++] = !c->transform ? "emd.h5" : c->transform->takes_epochs ? "epochs.npy" : "a.npy";
	if (c->id == CMD_COMPARE)
		to[n++] = "emd.h5";
	if (c->id == CMD_RECONSTRUCT) {
		static const char *const kept[] = { "a.npy", "--keep", "all" };
		for (size_t i = 0; i < 3; ++i)
			to[n++] = kept[i];
	}
	if (strcmp(c->name, "conv") == 0) {
		static const char *const masks[] = { "--mask-formula", "gabor", "--scales", "2:4:2" };
		for (size_t i = 0; i < 4; ++i)
			to[n++] = masks[i];
	}
	if (c->transform)
		to[n++] = "--quiet";
	return n;
}

/* Ways to one file: of the two names one or both lead elsewhere, as seen from `home`. */
enum { DOT, LINK, LINK_TO_LINK, FOLDER, FOLDER_AND_LINK, ABSOLUTE, WAYS, LETTERS = WAYS };
static const char *const way_names[] = { "./", "a link", "a link to a link", "a linked folder",
	"a link in a linked folder", "an absolute name", "letters of either case" };

/* Makes the way; false where the two options share no ending that it needs. */
static bool
make_way(int way, const char *const ends_a[4], const char *const ends_b[4], char a[128],
         char b[128])
{
	const char *both = common_ending(ends_a, ends_b);
	const char *e = way == LINK || way == LINK_TO_LINK || way == FOLDER_AND_LINK ? ends_a[0] : both;
	if (!e)
		return false;
	snprintf(a, 128, "d/r%s", e);
	char target[64], path[128];
	snprintf(target, sizeof target, "r%s", e);
	switch (way) {
	case DOT:
		snprintf(b, 128, "./d/./r%s", e);
		break;
	case ABSOLUTE:
		snprintf(b, 128, "%s/d/r%s", home, e);
		break;
	case LETTERS:
		snprintf(a, 128, "either/r%s", e);
		snprintf(b, 128, "either/R%s", e);
		break;
	case FOLDER:
		snprintf(b, 128, "d2/r%s", e);
		break;
	case LINK_TO_LINK:
		snprintf(path, sizeof path, "d/between");
		assert_int_equal(symlink(target, path), 0);
		snprintf(target, sizeof target, "../d/between");
		/* fall through */
	default:
		snprintf(path, sizeof path, "d/l%s", ends_b[0]);
		assert_int_equal(symlink(target, path), 0);
		snprintf(b, 128, "%s/l%s", way == FOLDER_AND_LINK ? "d2" : "d", ends_b[0]);
	}
	return true;
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

/* Makes d an empty folder; without a shell, as each run begins with it. */
static void
clear(void)
{
	if (nftw("d", remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		assert_int_equal(errno, ENOENT);
	assert_int_equal(mkdir("d", 0777), 0);
}

/* Two options onto one file, which is there or not. */
static void
try_pair(const cli_command *c, const char *first, const char *second, int way, bool there,
         bool overwrite)
{
	static char before[8192], after[8192];
	char a[128], b[128], options[2][64];
	const char *arguments[24];
	clear();
	if (!make_way(way, endings_of(c, first), endings_of(c, second), a, b))
		return;
	if (there)
		write_text(a, "precious");
	size_t n = needs(c, arguments);
	snprintf(options[0], sizeof options[0], "--%s", first);
	snprintf(options[1], sizeof options[1], "--%s", second);
	arguments[n++] = options[0];
	arguments[n++] = a;
	arguments[n++] = options[1];
	arguments[n++] = b;
	if (overwrite)
		arguments[n++] = "--overwrite";
	arguments[n] = NULL;
	*before = *after = '\0';
	list(".", before, sizeof before);
	const outcome o = run(arguments);
	list(".", after, sizeof after);
	const char *line = strchr(o.err, '\n');
	if (o.status != 2 || !strstr(o.err, "choose another name") || !line || line[1]
	    || strcmp(before, after) != 0)
		fail_msg("%s --%s and --%s by %s, %s%s: status %d, %s", c->name, first, second,
		         way_names[way], there ? "there" : "not there",
		         overwrite ? ", --overwrite" : "", o.status, o.err);
}

/* The same command with names of their own is done: nothing else is wrong with it. */
static void
try_apart(const cli_command *c, const char *const names[], size_t n)
{
	const char *arguments[24];
	char options[MOST][64], paths[MOST][64];
	struct stat st;
	clear();
	size_t used = needs(c, arguments);
	for (size_t i = 0; i < n; ++i) {
		snprintf(options[i], sizeof options[i], "--%s", names[i]);
		snprintf(paths[i], sizeof paths[i], "d/%zu%s", i, endings_of(c, names[i])[0]);
		arguments[used++] = options[i];
		arguments[used++] = paths[i];
	}
	arguments[used] = NULL;
	const outcome o = run(arguments);
	if (o.status != 0)
		fail_msg("%s: status %d, %s", c->name, o.status, o.err);
	for (size_t i = 0; i < n; ++i)
		assert_int_equal(stat(paths[i], &st), 0);
}

/* Two of a report: files of other endings, which a link can make one; all commands have it. */
static int
ways_of(const char *first, const char *second)
{
	return strcmp(first, "report") == 0 || strcmp(second, "report") == 0 ? LINK + 1 : WAYS;
}

static void
every_pair_is_refused(void **state)
{
	(void)state;
	cli_command c;
	size_t pairs = 0;
	for (int i = 0; cli_command_at(i, &c); ++i) {
		const char *names[MOST];
		const size_t n = outputs_of(&c, names);
		if (n < 2 || (wanted && strcmp(wanted, c.name) != 0))
			continue;
		try_apart(&c, names, n);
		for (size_t x = 0; x < n * n; ++x)
			for (int k = 0; x / n != x % n && k < 4 * ways_of(names[x / n], names[x % n]); ++k)
				try_pair(&c, names[x / n], names[x % n], k / 4, k & 1, k & 2);
		pairs += n * (n - 1) / 2;
	}
	printf("%zu pairs, %zu runs\n", pairs, n_runs);
	assert_true(wanted || pairs >= 17);
}

/* Mounts a file system to which r and R are one name, as `either`; false where none can be. */
static bool
mount_either(void)
{
	static const char *const ways[] = {
		"mkfs.vfat either.image && mount -o loop either.image either",
		"mkntfs -F -Q -q either.image && lowntfs-3g -o ignore_case either.image either",
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
		char command[512];
		snprintf(command, sizeof command, "{ rm -f either.image && mkdir -p either && "
		         "truncate -s 16M either.image && %s; } >/dev/null 2>&1", ways[i]);
		if (system(command) == 0)
			return true;
	}
	return false;
}

static void
letters_of_either_case(void **state)
{
	(void)state;
	cli_command c;
	size_t before = n_runs;
	if (!mount_either()) {
		printf("no file system can be mounted to which r and R are one name\n");
		skip();
	}
	write_text("either/a.txt", "");
	assert_int_equal(access("either/A.TXT", F_OK), 0);
	for (int i = 0; cli_command_at(i, &c); ++i) {
		const char *names[MOST];
		const size_t n = outputs_of(&c, names);
		for (size_t x = 0; n > 1 && x < n * n; ++x)
			for (int k = 0; x / n != x % n && k < 4; ++k) {
				assert_int_equal(system("rm -f either/r.* either/R.*"), 0);
				try_pair(&c, names[x / n], names[x % n], LETTERS, k & 1, k & 2);
			}
	}
	assert_true(wanted || n_runs >= before + 8);
}

/* The result's own name, where -o gives none. */
static void
a_name_by_default(void **state)
{
	(void)state;
	clear();
	assert_int_equal(symlink("../a_conv.h5", "d/m.h5"), 0);
	const outcome o = run((const char *[]){ "wavesift", "conv", "a.npy", "--mask-formula",
		"gabor", "--scales", "2:4:2", "--write-masks", "d/m.h5", NULL });
	assert_int_equal(o.status, 2);
	assert_non_null(strstr(o.err, "is the file of --output"));
	assert_int_not_equal(access("a_conv.h5", F_OK), 0);
}

/* Where standard output or standard error go is no place for a result. */
static void
standard_streams(void **state)
{
	(void)state;
	clear();
	for (int stream = 1; stream < 3; ++stream) {
		write_text("d/s.csv", "");
		char command[2300];
		snprintf(command, sizeof command, "%s emd a.npy -o d/s.csv --overwrite %d>>d/s.csv",
		         program, stream);
		const int end = system(command);
		assert_true(WIFEXITED(end));
		assert_int_equal(WEXITSTATUS(end), 2);
	}
}

/* ---- A folder that moves ------------------------------------------------------------------- */

/* The input comes by a pipe; once a part of it was taken, the outputs are known and held. */
static void
a_folder_that_is_renamed(void **state)
{
	(void)state;
	static const char *const arguments[] = { "wavesift", "hht", "-", "--fs", "100", "--quiet",
		"--output", "d/r.npy", "--plot", "d/p.png", "--cycle-table", "d/c.csv", NULL };
	static const char *const made[] = { "e/r.npy", "e/p.png", "e/c.csv" };
	int ends[2];
	char rows[200000];
	size_t n = 0;
	for (int i = 0; n < sizeof rows - 16; ++i)
		n += (size_t)snprintf(rows + n, 16, "%d.%d\n", i % 17, i % 29);
	clear();
	assert_int_equal(system("rm -rf e"), 0);
	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	const int err = memfd_create("err", 0);
	const pid_t pid = start(arguments, ends[0], err);
	close(ends[0]);
	/* More than a pipe holds. */
	assert_int_equal(write(ends[1], rows, n), n);
	assert_int_equal(rename("d", "e"), 0);
	close(ends[1]);
	const outcome o = await(pid, err);
	close(err);
	if (o.status != 0)
		fail_msg("status %d, %s", o.status, o.err);
	for (size_t i = 0; i < sizeof made / sizeof *made; ++i)
		assert_int_equal(access(made[i], F_OK), 0);
	assert_int_not_equal(access("d", F_OK), 0);
	DIR *e = opendir("e");
	size_t files = 0;
	while (readdir(e))
		++files;
	closedir(e);
	assert_int_equal(files, 2 + sizeof made / sizeof *made + 1); /* with what stands beside a .npy */
}

/* f8 samples of [rows][n], or [2][rows][n]. */
static void
write_npy(const char *path, size_t epochs, size_t rows, size_t n)
{
	char head[128], shape[64];
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	if (epochs)
		snprintf(shape, sizeof shape, "(%zu, %zu, %zu)", epochs, rows, n);
	else
		snprintf(shape, sizeof shape, "(%zu, %zu)", rows, n);
	snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': %s}", shape);
	fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
	fprintf(f, "%-117s\n", head);
	uint32_t random = 1;
	for (size_t i = 0; i < (epochs ? epochs : 1) * rows * n; ++i) {
		random = random * 1664525u + 1013904223u;
		const double x = (double)(random >> 8) / (1 << 24) - 0.5;
		fwrite(&x, sizeof x, 1, f);
	}
	fclose(f);
}

/* ---- Together ------------------------------------------------------------------------------- */

/* Is there a hidden file in d? */
static bool
is_at_work(void)
{
	bool found = false;
	DIR *d = opendir("d");
	for (const struct dirent *e; (e = readdir(d));)
		found = found || strncmp(e->d_name, ".wavesift-", 10) == 0;
	closedir(d);
	return found;
}

/* The figure's name is taken by a FIFO meanwhile: neither is in place, both are beside their names,
 * and what the result would have replaced is there. */
static void
a_figure_and_its_result(void **state)
{
	(void)state;
	static const char *const arguments[] = { "wavesift", "iceemdan", "long.npy", "-n", "40",
		"--quiet", "--output", "d/r.npy", "--plot", "d/p.png", "--overwrite", NULL };
	char held[16] = "";
	struct stat st;
	clear();
	write_npy("long.npy", 0, 1, 6000);
	write_text("d/r.npy", "precious");
	const int in = open("/dev/null", O_RDONLY), err = memfd_create("err", 0);
	const pid_t pid = start(arguments, in, err);
	for (int i = 0; i < 30000 && !is_at_work(); ++i)
		usleep(1000);
	assert_int_equal(mkfifo("d/p.png", 0600), 0);
	const outcome o = await(pid, err);
	close(in);
	close(err);
	if (o.status != 2 || !strstr(o.err, "d/p.png: was created meanwhile"))
		fail_msg("status %d, %s", o.status, o.err);
	assert_int_equal(lstat("d/p.png", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	const int fd = open("d/r.npy", O_RDONLY);
	assert_int_equal(read(fd, held, sizeof held), 8);
	close(fd);
	assert_string_equal(held, "precious");
	assert_int_equal(access("d/r.npy.new", F_OK), 0);
	assert_int_equal(access("d/p.png.new", F_OK), 0);
}

/* ---- Main ------------------------------------------------------------------------------------ */

static int
begin(void **state)
{
	(void)state;
	char where[1024];
	const char *build = getenv("WAVESIFT_BUILD"), *tmp = getenv("TMPDIR");
	if (!build)
		build = getcwd(where, sizeof where);
	snprintf(program, sizeof program, "%s/wavesift", build);
	snprintf(home, sizeof home, "%.32s/wavesift-outputs-XXXXXX", tmp ? tmp : "/tmp");
	if (access(program, X_OK) != 0 || !mkdtemp(home) || chdir(home) != 0)
		return -1;
	write_npy("a.npy", 0, 2, 64);
	write_npy("epochs.npy", 3, 2, 64);
	const outcome o = run((const char *[]){ "wavesift", "emd", "a.npy", "-q", "-o", "emd.h5",
		NULL });
	assert_int_equal(o.status, 0);
	clear();
	return symlink("d", "d2");
}

static int
end(void **state)
{
	(void)state;
	char command[256];
	snprintf(command, sizeof command, "umount %s/either 2>/dev/null; rm -rf %s", home, home);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest letters[] = { cmocka_unit_test(letters_of_either_case) };
	if (argc > 1 && strcmp(argv[1], "letters") == 0)
		return cmocka_run_group_tests(letters, begin, end);
	wanted = argc > 1 ? argv[1] : NULL;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_is_refused), cmocka_unit_test(a_name_by_default),
		cmocka_unit_test(standard_streams), cmocka_unit_test(a_folder_that_is_renamed),
		cmocka_unit_test(a_figure_and_its_result),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
