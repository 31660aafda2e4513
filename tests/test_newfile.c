/*
 * test_newfile.c - files that appear whole, one or several: what is one place, what is put back
 * where a rename fails, and that a folder is held.
 *
 * Calls of the system are ours here: a rename fails when it is told to, and file systems that know
 * no difference of letters, or cannot exchange names, stand where they are asked for.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/newfile.h"

/* ---- The system ---------------------------------------------------------------------- */

static struct {
	bool folds;        /* names are the same in either case */
	bool exchanges;    /* two names in one step */
	bool links;
	int renames_left;  /* until one fails; -1: none does */
	char calls[64];    /* s: a flush, r: a rename */
} host;

static void
note(char call)
{
	const size_t n = strlen(host.calls);
	if (n + 1 < sizeof host.calls)
		host.calls[n] = call;
}

/* The name as such a file system knows it; the caller's memory. */
static const char *
folded(const char *name, char lower[512])
{
	snprintf(lower, 512, "%s", name);
	for (char *c = lower; host.folds && *c; ++c)
		*c = (char)tolower((unsigned char)*c);
	return lower;
}

int
fstatat(int folder, const char *name, struct stat *st, int flags)
{
	char lower[512];
	return (int)syscall(SYS_newfstatat, folder, folded(name, lower), st, flags);
}

int
unlinkat(int folder, const char *name, int flags)
{
	char lower[512];
	return (int)syscall(SYS_unlinkat, folder, folded(name, lower), flags);
}

int
openat(int folder, const char *name, int flags, ...)
{
	char lower[512];
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return (int)syscall(SYS_openat, folder, folded(name, lower), flags, mode);
}

int
fsync(int fd)
{
	note('s');
	return (int)syscall(SYS_fsync, fd);
}

static bool
fails(void)
{
	note('r');
	if (host.renames_left < 0 || host.renames_left-- > 0)
		return false;
	errno = EIO;
	return true;
}

int
renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
	if (flags == RENAME_EXCHANGE && !host.exchanges) {
		errno = EINVAL;
		return -1;
	}
	return fails() ? -1 : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}

int
renameat(int a, const char *from, int b, const char *to)
{
	return fails() ? -1 : (int)syscall(SYS_renameat2, a, from, b, to, 0);
}

int
linkat(int a, const char *from, int b, const char *to, int flags)
{
	if (!host.links) {
		errno = EPERM;
		return -1;
	}
	return (int)syscall(SYS_linkat, a, from, b, to, flags);
}

/* ---- A folder -------------------------------------------------------------------------- */

static char home[64];

static int
enter(void **state)
{
	(void)state;
	memset(&host, 0, sizeof host);
	host.exchanges = host.links = true;
	host.renames_left = -1;
	strcpy(home, "/tmp/wavesift-newfile-XXXXXX");
	return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int
leave(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", home);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void
write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *
text_of(const char *path)
{
	static char text[64];
	memset(text, 0, sizeof text);
	FILE *f = fopen(path, "r");
	if (!f)
		return "absent";
	if (!fgets(text, sizeof text, f))
		text[0] = '\0';
	fclose(f);
	return text;
}

/* Files, hidden ones too. */
static size_t
count(const char *folder)
{
	size_t n = 0;
	DIR *d = opendir(folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void
begin(wsi_newfile *f, const char *path, bool replace, const char *text)
{
	assert_int_equal(wsi_newfile_open(f, path, replace), 0);
	assert_int_equal(write(f->fd, text, strlen(text)), strlen(text));
}

/* ---- One place ------------------------------------------------------------------------- */

static bool
one(const char *a, const char *b)
{
	wsi_target x, y;
	assert_int_equal(wsi_target_find(&x, a, true), 0);
	assert_int_equal(wsi_target_find(&y, b, true), 0);
	const bool same = wsi_target_same(&x, &y), turned = wsi_target_same(&y, &x);
	wsi_target_close(&x);
	wsi_target_close(&y);
	assert_int_equal(same, turned);
	return same;
}

static void
places(void **state)
{
	(void)state;
	char absolute[128];
	mkdir("d", 0700);
	mkdir("e", 0700);
	assert_int_equal(symlink("d", "d2"), 0);
	assert_int_equal(symlink("r.h5", "d/to"), 0);
	assert_int_equal(symlink("../e/absent", "d/far"), 0);
	assert_int_equal(symlink("../d2/far", "e/farther"), 0);
	snprintf(absolute, sizeof absolute, "%s/d/r.h5", home);
	for (int there = 0; there < 2; ++there) {
		static const char *const names[] = { "d/r.h5", "./d/r.h5", "d/./r.h5", "d2/r.h5",
			"d//r.h5", "d/../d/r.h5", "d/to", "d2/to", "e/../d2/to" };
		for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
			if (!one(names[0], names[i]) || !one(absolute, names[i]))
				fail_msg("%s is not %s", names[i], names[0]);
		assert_true(one("d/far", "e/farther"));
		assert_true(one("e/absent", "e/farther"));
		assert_false(one("d/r.h5", "e/r.h5"));
		assert_false(one("d/r.h5", "d/r.npy"));
		assert_false(one("d/r.h5", "d/R.h5"));
		assert_false(one("d/\xc3\xa9.h5", "d/e\xcc\x81.h5"));
		write_text("d/r.h5", "x");
	}
	/* Each name of a file is replaced for itself. */
	assert_int_equal(link("d/r.h5", "d/other.h5"), 0);
	assert_false(one("d/r.h5", "d/other.h5"));
	assert_int_equal(count("d"), 4);
	assert_int_equal(count("e"), 1);
}

static void
places_that_are_none(void **state)
{
	(void)state;
	wsi_target p;
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(wsi_target_find(&p, "loop", true), ELOOP);
	assert_int_equal(wsi_target_find(&p, "no/a", true), ENOENT);
	write_text("file", "x");
	assert_int_equal(wsi_target_find(&p, "file/a", true), ENOTDIR);
	assert_int_equal(wsi_target_find(&p, "./", true), EISDIR);
	assert_int_equal(wsi_target_find(&p, "..", true), EISDIR);
}

static void
letters_of_either_case(void **state)
{
	(void)state;
	host.folds = true;
	assert_true(one("a.h5", "A.h5"));
	assert_true(one("x-long-name.h5", "x-long-NAME.h5"));
	assert_false(one("a.h5", "b.h5"));
	write_text("a.h5", "x");
	assert_true(one("a.h5", "A.H5"));
	assert_int_equal(count("."), 1);
}

/* ---- Several files ----------------------------------------------------------------------- */

static void
all_are_flushed_before_one_is_renamed(void **state)
{
	(void)state;
	wsi_newfile f[3];
	size_t failed;
	write_text("b", "old");
	static const char *const names[] = { "a", "b", "c" };
	for (int i = 0; i < 3; ++i)
		begin(&f[i], names[i], i == 1, names[i]);
	assert_int_equal(wsi_newfile_commit((wsi_newfile *[]){ &f[0], &f[1], &f[2] }, 3, &failed),
	                 0);
	const char *rename = strchr(host.calls, 'r');
	assert_non_null(rename);
	assert_int_equal(rename - host.calls, 3);
	for (int i = 0; i < 3; ++i) {
		assert_string_equal(text_of(names[i]), names[i]);
		wsi_newfile_close(&f[i]);
	}
	assert_int_equal(count("."), 3);
}

/* The second rename fails: the first name has what it had, or nothing. */
static void
a_failure_undoes_what_came_before(void **state)
{
	for (int how = 0; how < 16; ++how) {
		const bool there = how & 1, replace = there || (how & 2), second = how & 8;
		wsi_newfile a, b;
		size_t failed;
		enter(state);
		host.exchanges = how & 4;
		if (there)
			write_text("a", "old");
		if (second)
			write_text("b", "other");
		begin(&a, "a", replace, "new");
		begin(&b, "b", replace || second, "more");
		host.renames_left = 1;
		assert_int_equal(wsi_newfile_commit((wsi_newfile *[]){ &a, &b }, 2, &failed), EIO);
		assert_int_equal(failed, 1);
		assert_string_equal(text_of("a"), there ? "old" : "absent");
		assert_string_equal(text_of("b"), second ? "other" : "absent");
		wsi_newfile_close(&a);
		wsi_newfile_close(&b);
		assert_int_equal(count("."), there + second);
		leave(state);
	}
	enter(state);
}

/* Where the file system lets nothing be put back, the first file is new and whole. */
static void
without_a_way_back(void **state)
{
	(void)state;
	wsi_newfile a, b;
	size_t failed;
	host.exchanges = host.links = false;
	write_text("a", "old");
	begin(&a, "a", true, "new");
	begin(&b, "b", true, "more");
	assert_int_equal(wsi_newfile_commit((wsi_newfile *[]){ &a, &b }, 2, &failed), 0);
	assert_string_equal(text_of("a"), "new");
	assert_string_equal(text_of("b"), "more");
	wsi_newfile_close(&a);
	wsi_newfile_close(&b);
	assert_int_equal(count("."), 2);
}

/* What took the second name meanwhile stays, and both files are kept beside their names. */
static void
a_name_that_was_taken(void **state)
{
	for (int what = 0; what < 4; ++what) {
		wsi_newfile a, b;
		size_t failed;
		struct stat before, st;
		enter(state);
		write_text("a", "old");
		begin(&a, "a", true, "new");
		begin(&b, "b", what > 0, "more");
		if (what == 0)
			write_text("b", "theirs");
		else if (what == 1)
			assert_int_equal(mkfifo("b", 0600), 0);
		else if (what == 2)
			assert_int_equal(mkdir("b", 0700), 0);
		else
			assert_int_equal(symlink("nowhere", "b"), 0);
		assert_int_equal(lstat("b", &before), 0);
		assert_int_equal(wsi_newfile_commit((wsi_newfile *[]){ &a, &b }, 2, &failed),
		                 EEXIST);
		assert_int_equal(failed, 1);
		assert_int_equal(lstat("b", &st), 0);
		assert_int_equal(st.st_ino, before.st_ino);
		assert_string_equal(a.kept, "a.new");
		assert_string_equal(b.kept, "b.new");
		assert_string_equal(text_of("a"), "old");
		assert_string_equal(text_of("a.new"), "new");
		assert_string_equal(text_of("b.new"), "more");
		wsi_newfile_close(&a);
		wsi_newfile_close(&b);
		assert_int_equal(count("."), 4);
		leave(state);
	}
	enter(state);
}

/* ---- The folder -------------------------------------------------------------------------- */

static void
a_folder_is_held(void **state)
{
	(void)state;
	wsi_newfile f, *list[] = { &f };
	size_t failed;
	mkdir("d", 0700);
	begin(&f, "d/r", false, "new");
	assert_int_equal(rename("d", "e"), 0);
	FILE *stream = wsi_newfile_stream(&f);
	assert_non_null(stream);
	fclose(stream);
	assert_int_equal(wsi_newfile_commit(list, 1, &failed), 0);
	wsi_newfile_close(&f);
	assert_string_equal(text_of("e/r"), "new");
	assert_int_equal(count("e"), 1);
}

static void
a_place_is_held(void **state)
{
	(void)state;
	wsi_newfile f, *list[] = { &f };
	size_t failed;
	struct stat st;
	mkdir("d", 0700);
	assert_int_equal(wsi_target_hold("d/r", false), 0);
	assert_int_equal(rename("d", "e"), 0);
	assert_int_equal(wsi_target_check_folder("d/r"), 0);
	assert_int_equal(wsi_target_stat("d/r", &st), ENOENT);
	begin(&f, "d/r", true, "new");
	/* Whoever held it said that nothing may be replaced. */
	write_text("e/r", "theirs");
	assert_int_equal(wsi_target_stat("d/r", &st), 0);
	assert_int_equal(wsi_newfile_commit(list, 1, &failed), EEXIST);
	wsi_newfile_close(&f);
	assert_string_equal(text_of("e/r"), "theirs");
	assert_string_equal(text_of("e/r.new"), "new");
	wsi_target_release();
	assert_int_equal(wsi_target_check_folder("d/r"), ENOENT);
}

int
main(void)
{
#define HERE(test) cmocka_unit_test_setup_teardown(test, enter, leave)
	const struct CMUnitTest tests[] = {
		HERE(places), HERE(places_that_are_none), HERE(letters_of_either_case),
		HERE(all_are_flushed_before_one_is_renamed), HERE(a_failure_undoes_what_came_before),
		HERE(without_a_way_back), HERE(a_name_that_was_taken), HERE(a_folder_is_held),
		HERE(a_place_is_held),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
