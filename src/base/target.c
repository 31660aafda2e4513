/* target.c - where a file is to be. */
#define _GNU_SOURCE /* O_PATH, asprintf */
#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40
#define MOST_HELD 8

/* A folder that may be searched, and not read, has places, too. */
#if defined(O_PATH)
#define TO_FIND (O_PATH | O_DIRECTORY | O_CLOEXEC)
#elif defined(O_SEARCH)
#define TO_FIND (O_SEARCH | O_DIRECTORY | O_CLOEXEC)
#else
#define TO_FIND (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

void
wsi_hidden_start(char start[64])
{
	char host[40] = "";
	if (gethostname(host, sizeof host - 1) != 0)
		host[0] = '\0';
	for (char *c = host; *c; ++c)
		if (*c == '/')
			*c = '_';
	snprintf(start, 64, ".wavesift-%s-", host);
}

const char *
wsi_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* ---- Finding --------------------------------------------------------------------------- */

/* The folder of path, as seen from `from`, which is closed; -1 with errno. */
static int
open_folder(int from, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path))
	        : strdup(".");
	errno = ENOMEM;
	const int folder = name ? openat(from, name, TO_FIND) : -1;
	const int error = errno;
	free(name);
	if (from != AT_FDCWD)
		close(from);
	errno = error;
	return folder;
}

/* A link that somebody else put into a folder where everybody may, such as /tmp, is not followed:
 * the system's own rule for opening files (fs.protected_symlinks). */
static bool
is_trap(int folder, const struct stat *link)
{
	struct stat st;
	return fstat(folder, &st) == 0
	       && (st.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH)
	       && link->st_uid != geteuid() && link->st_uid != st.st_uid;
}

/* The next path where the place is a link, seen from its folder; NULL with errno 0 where it is
 * none. */
static char *
link_of(const wsi_target *p)
{
	char target[PATH_MAX];
	struct stat st;
	errno = 0;
	if (fstatat(p->folder, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(st.st_mode)) {
		errno = 0;
		return NULL;
	}
	errno = EACCES;
	if (is_trap(p->folder, &st))
		return NULL;
	const ssize_t n = readlinkat(p->folder, p->name, target, sizeof target);
	return n < 0 ? NULL : strndup(target, (size_t)n);
}

/* Takes the place of `path` seen from p->folder; 0 or errno. */
static int
step(wsi_target *p, const char *path)
{
	free(p->name);
	p->name = NULL;
	p->folder = open_folder(p->folder, path);
	if (p->folder < 0)
		return errno;
	const char *name = wsi_base_name(path);
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return EISDIR;
	p->name = strdup(name);
	return p->name ? 0 : ENOMEM;
}

static int
find(wsi_target *p, const char *path, bool follow)
{
	int error = step(p, path);
	for (int i = 0; !error && follow; ++i) {
		char *next = link_of(p);
		if (!next)
			return errno;
		error = i == MOST_LINKS ? ELOOP : step(p, next);
		free(next);
	}
	return error;
}

int
wsi_target_find(wsi_target *p, const char *path, bool follow)
{
	const wsi_target *held = wsi_target_held(path, NULL);
	*p = (wsi_target){ .folder = AT_FDCWD };
	int error = 0;
	if (held) {
		p->folder = fcntl(held->folder, F_DUPFD_CLOEXEC, 3);
		p->name = p->folder < 0 ? NULL : strdup(held->name);
		error = p->folder < 0 ? errno : p->name ? 0 : ENOMEM;
	} else {
		error = find(p, path, follow);
	}
	if (error)
		wsi_target_close(p);
	return error;
}

void
wsi_target_close(wsi_target *p)
{
	/* 0 where it is zeroed: ours is never standard input. */
	if (p->folder > 0)
		close(p->folder);
	free(p->name);
	*p = (wsi_target){ .folder = -1 };
}

/* ---- Comparing ------------------------------------------------------------------------- */

static bool
is_ascii(const char *s)
{
	while (*s && !((unsigned char)*s & 0x80))
		++s;
	return !*s;
}

static bool
one_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Letters that both begin with, whole ones in UTF-8. */
static size_t
common_start(const char *a, const char *b)
{
	size_t n = 0;
	while (a[n] && a[n] == b[n])
		++n;
	while (n > 0 && (((unsigned char)a[n] & 0xc0) == 0x80
	                 || ((unsigned char)b[n] & 0xc0) == 0x80))
		--n;
	return n;
}

/* Makes a file under a hidden name that ends like a, and looks for it under one that ends like b:
 * so the file system itself says what it takes for one name. */
static bool
found_as(int folder, const char *a, const char *b)
{
	char start[64], *made = NULL, *other = NULL;
	struct stat x, y;
	bool same = false;
	wsi_hidden_start(start);
	if (asprintf(&made, "%s%ld-%s" WSI_HIDDEN_ENDING, start, (long)getpid(), a) < 0)
		made = NULL;
	if (asprintf(&other, "%s%ld-%s" WSI_HIDDEN_ENDING, start, (long)getpid(), b) < 0)
		other = NULL;
	const int fd = made && other ? openat(folder, made, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
	                                      0600) : -1;
	if (fd >= 0) {
		same = fstat(fd, &x) == 0
		       && fstatat(folder, other, &y, AT_SYMLINK_NOFOLLOW) == 0 && one_file(&x, &y);
		unlinkat(folder, made, 0);
		close(fd);
	}
	free(made);
	free(other);
	return same;
}

bool
wsi_target_same(const wsi_target *a, const wsi_target *b)
{
	struct stat x, y;
	if (fstat(a->folder, &x) != 0 || fstat(b->folder, &y) != 0 || !one_file(&x, &y))
		return false;
	if (strcmp(a->name, b->name) == 0)
		return true;
	/* Other hard links are files of their own once they are replaced. */
	if (fstatat(a->folder, a->name, &x, AT_SYMLINK_NOFOLLOW) == 0
	    && fstatat(b->folder, b->name, &y, AT_SYMLINK_NOFOLLOW) == 0)
		return one_file(&x, &y) && x.st_nlink == 1;
	if (is_ascii(a->name) && is_ascii(b->name) && strcasecmp(a->name, b->name) != 0)
		return false;
	const size_t n = common_start(a->name, b->name);
	return found_as(a->folder, a->name + n, b->name + n);
}

/* ---- Held places ----------------------------------------------------------------------- */

static struct held {
	char *path;
	wsi_target place;
	bool replace;
} held[MOST_HELD];
static size_t n_held;

int
wsi_target_hold(const char *path, bool replace)
{
	if (wsi_target_held(path, NULL))
		return 0;
	if (n_held == MOST_HELD)
		return EMFILE;
	struct held h = { .path = strdup(path), .replace = replace };
	const int error = h.path ? wsi_target_find(&h.place, path, true) : ENOMEM;
	if (error) {
		free(h.path);
		return error;
	}
	held[n_held++] = h;
	return 0;
}

const wsi_target *
wsi_target_held(const char *path, bool *replace)
{
	for (size_t i = 0; i < n_held; ++i) {
		if (strcmp(held[i].path, path) != 0)
			continue;
		if (replace)
			*replace = held[i].replace;
		return &held[i].place;
	}
	return NULL;
}

void
wsi_target_release(void)
{
	while (n_held > 0) {
		struct held *h = &held[--n_held];
		wsi_target_close(&h->place);
		free(h->path);
	}
}

int
wsi_target_stat(const char *path, struct stat *st)
{
	const wsi_target *p = wsi_target_held(path, NULL);
	return (p ? fstatat(p->folder, p->name, st, 0) : stat(path, st)) == 0 ? 0 : errno;
}

int
wsi_target_check_folder(const char *path)
{
	wsi_target place;
	struct stat st;
	int error = wsi_target_find(&place, path, false);
	if (error)
		return error;
	if (faccessat(place.folder, ".", W_OK | X_OK, 0) != 0)
		error = errno;
	else if (fstatat(place.folder, place.name, &st, AT_SYMLINK_NOFOLLOW) != 0
	         && errno == ENAMETOOLONG)
		error = ENAMETOOLONG;
	wsi_target_close(&place);
	return error;
}
