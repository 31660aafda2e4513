/* newfile.c - see newfile.h. */
#define _GNU_SOURCE /* asprintf, renameat2, F_OFD_SETLK */
#include "base/newfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define START  ".wavesift-"
#define ENDING ".part"
#define MOST_LINKS 40

/* ---- Places ------------------------------------------------------------------------ */

static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

/* A link that somebody else put into a folder where everybody may, such as /tmp, is not followed:
 * the system's own rule for opening files (fs.protected_symlinks). */
static bool
is_trap(const char *link, const struct stat *st)
{
	struct stat folder;
	char *name = folder_of(link);
	const bool open_to_all = name && stat(name, &folder) == 0
	                         && (folder.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
	free(name);
	return open_to_all && st->st_uid != geteuid() && st->st_uid != folder.st_uid;
}

/* What the link leads to, as seen from here; NULL with errno. */
static char *
follow(const char *link)
{
	char target[PATH_MAX], *path;
	const ssize_t n = readlink(link, target, sizeof target - 1);
	if (n < 0)
		return NULL;
	target[n] = '\0';
	const char *slash = strrchr(link, '/');
	const int folder = target[0] == '/' || !slash ? 0 : (int)(slash + 1 - link);
	return asprintf(&path, "%.*s%s", folder, link, target) < 0 ? NULL : path;
}

/* path, or where a chain of links that begins there ends; NULL with errno. */
static char *
end_of_links(const char *path)
{
	char *at = strdup(path);
	struct stat st;
	for (int i = 0; at && lstat(at, &st) == 0 && S_ISLNK(st.st_mode); ++i) {
		errno = i == MOST_LINKS ? ELOOP : EACCES;
		char *next = i == MOST_LINKS || is_trap(at, &st) ? NULL : follow(at);
		const int error = errno;
		free(at);
		at = next;
		errno = error;
	}
	return at;
}

/* ---- The hidden name ----------------------------------------------------------------- */

/* Locks belong to the open file, and go with its process. */
static bool
lock(int fd)
{
#ifdef F_OFD_SETLK
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	return fcntl(fd, F_OFD_SETLK, &whole) == 0;
#else
	(void)fd;
	errno = ENOSYS;
	return false;
#endif
}

/* ".wavesift-HOST-": some network file systems keep locks to one machine. */
static void
name_start(char start[64])
{
	char host[40] = "";
	if (gethostname(host, sizeof host - 1) != 0)
		host[0] = '\0';
	for (char *c = host; *c; ++c)
		if (*c == '/')
			*c = '_';
	snprintf(start, 64, START "%s-", host);
}

static bool
is_ours(const char *name, const char *start)
{
	const size_t n = strlen(name), m = strlen(ENDING);
	return strncmp(name, start, strlen(start)) == 0 && n > m
	       && strcmp(name + n - m, ENDING) == 0;
}

static void
remove_leftovers(const char *folder, const char *start)
{
	struct stat st;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!is_ours(e->d_name, start))
			continue;
		const int fd = openat(dirfd(d), e->d_name,
		                      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()
		    && lock(fd))
			unlinkat(dirfd(d), e->d_name, 0);
		close(fd);
	}
	if (d)
		closedir(d);
}

/* Takes f->temp, if nobody has it; 0, EEXIST or another errno. */
static int
take_name(wsi_newfile *f, mode_t mode)
{
	struct stat st;
	f->fd = open(f->temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
	if (f->fd < 0)
		return errno;
	/* Before it was locked another process may have taken it for a leftover. */
	const bool held = lock(f->fd) || (errno != EAGAIN && errno != EACCES);
	if (held && fstat(f->fd, &st) == 0 && st.st_nlink > 0)
		return 0;
	close(f->fd);
	f->fd = -1;
	return EEXIST;
}

static int
create(wsi_newfile *f)
{
	char start[64];
	struct stat st;
	name_start(start);
	remove_leftovers(f->folder, start);
	/* What replaces a private file is private from the start. */
	const mode_t mode = f->replace && stat(f->path, &st) == 0 ? 0600 : 0666;
	for (unsigned i = 0; i < 10000; ++i) {
		if (asprintf(&f->temp, "%s/%s%ld-%u" ENDING, f->folder, start, (long)getpid(),
		             i) < 0) {
			f->temp = NULL;
			return ENOMEM;
		}
		const int error = take_name(f, mode);
		if (error == 0)
			return 0;
		free(f->temp);
		f->temp = NULL;
		if (error != EEXIST)
			return error;
	}
	return EEXIST;
}

int
wsi_newfile_open(wsi_newfile *f, const char *path, bool replace)
{
	*f = (wsi_newfile){ .fd = -1, .replace = replace };
	errno = ENOMEM;
	f->path = replace ? end_of_links(path) : strdup(path);
	int error = f->path ? 0 : errno;
	f->folder = f->path ? folder_of(f->path) : NULL;
	if (!error)
		error = f->folder ? create(f) : ENOMEM;
	if (error)
		wsi_newfile_close(f);
	return error;
}

/* ---- Its name ------------------------------------------------------------------------ */

/* As what it replaces; what is not ours to give away stays ours. */
static int
take_mode_and_owner(const wsi_newfile *f)
{
	struct stat st;
	if (!f->replace || stat(f->path, &st) != 0)
		return 0;
	if (fchown(f->fd, st.st_uid, st.st_gid) != 0 && fchown(f->fd, (uid_t)-1, st.st_gid) != 0)
		/* Its group would be another: what the old one might do, this one may not. */
		st.st_mode &= ~(mode_t)S_IRWXG;
	return fchmod(f->fd, st.st_mode & 0777) == 0 ? 0 : errno;
}

/* In one step, only where the name is free. */
static int
rename_if_free(const char *from, const char *to)
{
#ifdef __linux__
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
#endif
	if (link(from, to) != 0)
		return errno;
	unlink(from);
	return 0;
}

/* A name that no later process takes for a leftover; where there is none it stays hidden. */
static void
keep(wsi_newfile *f)
{
	char *name;
	for (int i = 1; i < 100; ++i) {
		if (asprintf(&name, i > 1 ? "%s.new%d" : "%s.new", f->path, i) < 0)
			break;
		const int error = rename_if_free(f->temp, name);
		if (error == 0) {
			free(f->temp);
			f->temp = name;
			break;
		}
		free(name);
		if (error != EEXIST)
			break;
	}
	f->kept = f->temp;
	f->temp = NULL;
}

/* Some file systems cannot flush a folder, which is no failure of ours. */
static int
flush(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
}

int
wsi_newfile_commit(wsi_newfile *f)
{
	int error = take_mode_and_owner(f);
	if (!error)
		error = flush(f->fd);
	if (!error && f->replace)
		error = rename(f->temp, f->path) == 0 ? 0 : errno;
	else if (!error)
		error = rename_if_free(f->temp, f->path);
	if (error == EEXIST && !f->replace)
		keep(f);
	if (error)
		return error;
	free(f->temp);
	f->temp = NULL;
	/* The name is there; a folder that cannot be flushed changes nothing now. */
	const int folder = open(f->folder, O_RDONLY | O_CLOEXEC);
	if (folder >= 0) {
		(void)flush(folder);
		close(folder);
	}
	return 0;
}

void
wsi_newfile_close(wsi_newfile *f)
{
	if (f->temp)
		unlink(f->temp);
	/* 0 where it is zeroed: ours is never standard input. */
	if (f->fd > 0)
		close(f->fd);
	free(f->path);
	free(f->folder);
	free(f->temp);
	free(f->kept);
	*f = (wsi_newfile){ .fd = -1 };
}
