/*
 * newfile.h - a file that appears whole or not at all: written under a hidden name in its folder,
 * flushed to the disk, renamed.
 *
 * The hidden name is locked while its process lives.  Opening one removes from the same folder what
 * earlier processes of this user and machine left behind when they were killed.
 *
 * Where a file is there already and may be replaced the new one takes its mode, and its owner and
 * group where the system lets us; where a symbolic link is there, what it leads to is replaced.
 */
#ifndef WSI_BASE_NEWFILE_H
#define WSI_BASE_NEWFILE_H

#include <stdbool.h>

typedef struct wsi_newfile {
	char *path;      /* its place; where that is a symbolic link, what it leads to */
	char *folder;    /* of path; "." */
	char *temp;      /* the hidden name; NULL once it is gone */
	char *kept;      /* the name it has instead, where commit answers EEXIST; or NULL */
	int fd;          /* of it, to read and write, and to hold the lock; -1 */
	bool replace;
} wsi_newfile;

/* 0, or errno: then nothing is left.  replace: path may be there. */
int wsi_newfile_open(wsi_newfile *f, const char *path, bool replace);

/* Flushes the file and gives it its name; 0, or errno.  EEXIST: path was made meanwhile and may not
 * be replaced; the file, which may have taken hours, stays beside it as f->kept.  Other failures
 * leave it to wsi_newfile_close(). */
int wsi_newfile_commit(wsi_newfile *f);

/* Removes what has not got its name.  A zeroed or closed one is fine. */
void wsi_newfile_close(wsi_newfile *f);

#endif
