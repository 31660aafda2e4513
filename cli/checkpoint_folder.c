/* checkpoint_folder.c - NAME.resume, the folder of finished blocks beside a result NAME. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "checkpoint_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "base/target.h"
#include "checkpoint_blocks.h"
#include "io/read/file.h"
#include "io/write/outfile.h"
#include "manifest.h"
#include "message.h"

#define LOCK "lock"

char *
cli_kept_folder(const char *output)
{
	const size_t size = strlen(output) + sizeof CLI_KEPT_ENDING;
	char *folder = malloc(size);
	if (folder)
		snprintf(folder, size, "%s" CLI_KEPT_ENDING, output);
	return folder;
}

bool
cli_is_folder(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool
is_ours(const char *name)
{
	char start[64];
	wsi_hidden_start(start);
	return strcmp(name, CLI_MANIFEST) == 0 || wsi_name_ends(name, CLI_BLOCK_ENDING)
	       || (strncmp(name, start, strlen(start)) == 0
	           && wsi_name_ends(name, WSI_HIDDEN_ENDING));
}

void
cli_kept_empty(const char *folder)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	unlinkat(fd, CLI_MANIFEST, 0);
	DIR *d = fdopendir(fd);
	if (!d) {
		close(fd);
		return;
	}
	for (struct dirent *e; (e = readdir(d));)
		if (is_ours(e->d_name))
			unlinkat(fd, e->d_name, 0);
	closedir(d);
}

void
cli_kept_remove(const char *folder)
{
	char lock[4200];
	cli_kept_empty(folder);
	snprintf(lock, sizeof lock, "%s/" LOCK, folder);
	unlink(lock);
	rmdir(folder);
}

/* ---- The lock ------------------------------------------------------------------------ */

/* What the file says: who has it. */
static ws_status
is_locked(const char *folder, int fd)
{
	char who[300] = "";
	if (pread(fd, who, sizeof who - 1, 0) < 0)
		who[0] = '\0';
	who[strcspn(who, "\n")] = '\0';
	return WSI_FAIL(WS_E_EXISTS, "%s: another run works on it%s%s; wait for its end, or end it",
	                folder, *who ? ", " : "", who);
}

static void
sign(int fd)
{
	char who[300], host[200] = "";
	(void)gethostname(host, sizeof host - 1);
	const int n = snprintf(who, sizeof who, "process %ld on %s\n", (long)getpid(), host);
	if (ftruncate(fd, 0) == 0 && pwrite(fd, who, (size_t)n, 0) != n)
		(void)ftruncate(fd, 0);
}

ws_status
cli_kept_hold(const char *folder, int *lock)
{
	char path[4200];
	struct stat st;
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	snprintf(path, sizeof path, "%s/" LOCK, folder);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (fd < 0)
		return errno == ENOENT ? WS_OK : wsi_write_fail(path);
	const int error = fcntl(fd, F_OFD_SETLK, &whole) != 0 ? errno : 0;
	if (error == EAGAIN || error == EACCES) {
		const ws_status status = is_locked(folder, fd);
		close(fd);
		return status;
	}
	if (error)
		cli_note("%s: there are no locks on this file system (%s): see to it that no two "
		         "runs work on it", folder, strerror(error));
	if (fstat(fd, &st) != 0 || st.st_nlink == 0) {
		close(fd);
		return WS_OK;
	}
	sign(fd);
	*lock = fd;
	return WS_OK;
}

bool
cli_kept_is_held(const char *folder)
{
	char path[4200];
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	snprintf(path, sizeof path, "%s/" LOCK, folder);
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const bool held = fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
	if (fd >= 0)
		close(fd);
	return held;
}

ws_status
cli_kept_make(const char *folder, int *lock)
{
	for (int tries = 0; *lock < 0 && tries < 100; tries++) {
		if (mkdir(folder, 0777) != 0 && errno != EEXIST)
			return wsi_write_fail(folder);
		if (!cli_is_folder(folder))
			return WSI_FAIL(WS_E_EXISTS, "%s: is no folder; finished blocks are kept "
			                "there: move it away", folder);
		WSI_TRY(cli_kept_hold(folder, lock));
	}
	return *lock >= 0 ? WS_OK : WSI_FAIL(WS_E_IO, "%s: is removed again and again", folder);
}
