/* newfile.c - a file that appears whole or not at all. */
#define _GNU_SOURCE /* asprintf, renameat2, F_OFD_SETLK */
#include "base/newfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif
#include <unistd.h>

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

static bool
is_ours(const char *name, const char *start)
{
	const size_t n = strlen(name), m = strlen(WSI_HIDDEN_ENDING);
	return strncmp(name, start, strlen(start)) == 0 && n > m
	       && strcmp(name + n - m, WSI_HIDDEN_ENDING) == 0;
}

static void
remove_leftovers(int folder, const char *start)
{
	struct stat st;
	const int here = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = here < 0 ? NULL : fdopendir(here);
	if (here >= 0 && !d)
		close(here);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!is_ours(e->d_name, start))
			continue;
		const int fd = openat(folder, e->d_name,
		                      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()
		    && lock(fd))
			unlinkat(folder, e->d_name, 0);
		close(fd);
	}
	if (d)
		closedir(d);
}

/* Takes the name, if nobody has it; 0, EEXIST or another errno. */
static int
take_name(wsi_newfile *f, const char *name, mode_t mode)
{
	struct stat st;
	f->fd = openat(f->place.folder, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
	if (f->fd < 0)
		return errno;
	/* Before it was locked another process may have taken it for a leftover. */
	f->locked = lock(f->fd);
	const bool held = f->locked || (errno != EAGAIN && errno != EACCES);
	if (held && fstat(f->fd, &st) == 0 && st.st_nlink > 0)
		return 0;
	close(f->fd);
	f->fd = -1;
	return EEXIST;
}

/* The i-th hidden name of this process; NULL: no memory. */
static char *
hidden_name(unsigned i)
{
	char start[64], *name;
	wsi_hidden_start(start);
	return asprintf(&name, "%s%ld-%u" WSI_HIDDEN_ENDING, start, (long)getpid(), i) < 0 ? NULL
	       : name;
}

static int
create(wsi_newfile *f)
{
	char start[64];
	struct stat st;
	wsi_hidden_start(start);
	remove_leftovers(f->place.folder, start);
	/* What replaces a private file is private from the start. */
	const mode_t mode = f->replace && fstatat(f->place.folder, f->place.name, &st, 0) == 0
	                    ? 0600 : 0666;
	for (unsigned i = 0; i < 10000; ++i) {
		char *name = hidden_name(i);
		const int error = name ? take_name(f, name, mode) : ENOMEM;
		if (error == 0) {
			f->temp = name;
			return 0;
		}
		free(name);
		if (error != EEXIST)
			return error;
	}
	return EEXIST;
}

int
wsi_newfile_open(wsi_newfile *f, const char *path, bool replace)
{
	bool may = true;
	*f = (wsi_newfile){ .fd = -1, .place.folder = -1 };
	(void)wsi_target_held(path, &may);
	f->replace = replace && may;
	int error = wsi_target_find(&f->place, path, f->replace);
	if (!error)
		error = create(f);
	if (error)
		wsi_newfile_close(f);
	return error;
}

int
wsi_newfile_join(wsi_newfile *f, const char *path, const char *temp, uint64_t inode)
{
	struct stat st;
	*f = (wsi_newfile){ .fd = -1, .place.folder = -1, .joined = true };
	int error = strchr(temp, '/') ? ENOENT : wsi_target_find(&f->place, path, true);
	if (!error) {
		f->temp = strdup(temp);
		f->fd = f->temp ? wsi_newfile_again(f, O_RDWR) : -1;
		error = f->temp ? f->fd < 0 ? errno : 0 : ENOMEM;
	}
	if (!error && (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_ino != inode))
		error = ENOENT;
	if (error)
		wsi_newfile_close(f);
	return error;
}

bool
wsi_newfile_is_shared(const wsi_newfile *f)
{
#ifdef __linux__
	/* statfs(2): NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Coda. */
	static const long apart[] = { 0x6969, 0x517b, (long)0xff534d42, (long)0xfe534d42,
		0x65735546, 0x01021997, 0x5346414f, 0x73757245 };
	struct statfs st;
	if (fstatfs(f->fd, &st) != 0)
		return false;
	for (size_t i = 0; i < sizeof apart / sizeof *apart; ++i)
		if ((uint32_t)st.f_type == (uint32_t)apart[i])
			return false;
	return true;
#else
	(void)f;
	return false;
#endif
}

int
wsi_newfile_again(const wsi_newfile *f, int flags)
{
	return openat(f->place.folder, f->temp, flags | O_NOFOLLOW | O_CLOEXEC);
}

FILE *
wsi_newfile_stream(const wsi_newfile *f)
{
	const int fd = wsi_newfile_again(f, O_RDWR);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r+b");
	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

/* ---- Its name ------------------------------------------------------------------------ */

/* As what it replaces; what is not ours to give away stays ours. */
static int
take_mode_and_owner(const wsi_newfile *f)
{
	struct stat st;
	if (!f->replace || fstatat(f->place.folder, f->place.name, &st, 0) != 0)
		return 0;
	if (fchown(f->fd, st.st_uid, st.st_gid) != 0 && fchown(f->fd, (uid_t)-1, st.st_gid) != 0)
		/* Its group would be another: what the old one might do, this one may not. */
		st.st_mode &= ~(mode_t)S_IRWXG;
	return fchmod(f->fd, st.st_mode & 0777) == 0 ? 0 : errno;
}

/* In one step, only where the name is free. */
static int
rename_if_free(const wsi_newfile *f, const char *to)
{
	const int folder = f->place.folder;
#ifdef __linux__
	if (renameat2(folder, f->temp, folder, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
#endif
	if (linkat(folder, f->temp, folder, to, 0) != 0)
		return errno;
	unlinkat(folder, f->temp, 0);
	return 0;
}

static int
rename_over(const wsi_newfile *f, const char *to)
{
	return renameat(f->place.folder, f->temp, f->place.folder, to) == 0 ? 0 : errno;
}

/* Exchanges the file with what has its name. */
static int
swap(const wsi_newfile *f)
{
#ifdef __linux__
	const int folder = f->place.folder;
	return renameat2(folder, f->temp, folder, f->place.name, RENAME_EXCHANGE) == 0 ? 0 : errno;
#else
	(void)f;
	return ENOSYS;
#endif
}

/* Gives the file of its name a second, hidden one, f->old; 0, or errno. */
static int
link_old(wsi_newfile *f)
{
	const int folder = f->place.folder;
	for (unsigned i = 0; i < 10000; ++i) {
		char *name = hidden_name(i);
		if (!name)
			return ENOMEM;
		if (linkat(folder, f->place.name, folder, name, 0) == 0) {
			f->old = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

/* Replaces what has its name so that take_back() can put it there again, where the file system
 * lets it. */
static int
replace_for_now(wsi_newfile *f)
{
	int error = swap(f);
	if (error == 0) {
		f->old = f->temp;
		f->temp = NULL;
		f->swapped = true;
		return 0;
	}
	if (error != EINVAL && error != ENOSYS && error != ENOTSUP)
		return error;
	error = link_old(f);
	if (error != 0 && error != EPERM && error != ENOTSUP && error != ENOSYS && error != EMLINK)
		return error;
	return rename_over(f, f->place.name);
}

/* 0, or errno; the last file needs no way back. */
static int
give_name(wsi_newfile *f, bool last)
{
	struct stat st;
	const bool there = fstatat(f->place.folder, f->place.name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	int error;
	if (!f->replace)
		error = rename_if_free(f, f->place.name);
	else if (there && !S_ISREG(st.st_mode))
		error = EEXIST;
	else if (there && !last)
		error = replace_for_now(f);
	else
		error = rename_over(f, f->place.name);
	return error;
}

/* What was there has its name again, and the file its hidden one. */
static void
take_back(wsi_newfile *f)
{
	const int folder = f->place.folder;
	if (f->swapped) {
		f->temp = f->old;
		f->old = NULL;
		f->swapped = false;
		(void)swap(f);
	} else if (f->old) {
		/* The new one is lost only where it cannot be linked, but could be before. */
		if (f->temp && linkat(folder, f->place.name, folder, f->temp, 0) != 0) {
			free(f->temp);
			f->temp = NULL;
		}
		(void)renameat(folder, f->old, folder, f->place.name);
		free(f->old);
		f->old = NULL;
	} else {
		(void)renameat(folder, f->place.name, folder, f->temp);
	}
}

/* A name that no later process takes for a leftover; where there is none it stays hidden. */
static void
keep(wsi_newfile *f)
{
	char *name;
	for (int i = 1; f->temp && i < 100; ++i) {
		if (asprintf(&name, i > 1 ? "%s.new%d" : "%s.new", f->place.name, i) < 0)
			break;
		const int error = rename_if_free(f, name);
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

/* All names, or those before the one that failed. */
static int
give_names(wsi_newfile *const *files, size_t n, size_t *failed)
{
	int error = 0;
	size_t i = 0;
	while (i < n && (error = give_name(files[i], i + 1 == n)) == 0)
		++i;
	*failed = i;
	if (error) {
		while (i > 0)
			take_back(files[--i]);
		return error;
	}
	for (i = 0; i < n; ++i) {
		if (files[i]->old)
			unlinkat(files[i]->place.folder, files[i]->old, 0);
		free(files[i]->old);
		free(files[i]->temp);
		files[i]->old = files[i]->temp = NULL;
	}
	return 0;
}

/* The name is there; a folder that cannot be flushed changes nothing now. */
static void
flush_folder(const wsi_newfile *f)
{
	const int folder = openat(f->place.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0) {
		(void)flush(folder);
		close(folder);
	}
}

int
wsi_newfile_flush(const wsi_newfile *f)
{
	return flush(f->fd);
}

int
wsi_newfile_commit(wsi_newfile *const *files, size_t n, size_t *failed)
{
	sigset_t all, before;
	*failed = 0;
	for (size_t i = 0; i < n; ++i) {
		int error = take_mode_and_owner(files[i]);
		if (!error)
			error = flush(files[i]->fd);
		*failed = i;
		if (error)
			return error;
	}
	/* A signal does not come between them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int error = give_names(files, n, failed);
	for (size_t i = 0; i < n && error == EEXIST; ++i)
		keep(files[i]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; i < n && !error; ++i)
		flush_folder(files[i]);
	return error;
}

void
wsi_newfile_close(wsi_newfile *f)
{
	if (f->temp && !f->joined)
		unlinkat(f->place.folder, f->temp, 0);
	/* 0 where it is zeroed: ours is never standard input. */
	if (f->fd > 0)
		close(f->fd);
	wsi_target_close(&f->place);
	free(f->temp);
	free(f->old);
	free(f->kept);
	*f = (wsi_newfile){ .fd = -1 };
}
