/*
 * newfile.h - a file that appears whole or not at all: written under a hidden name in its folder,
 * flushed to the disk, renamed; and several that appear together.
 *
 * The folder is held by a descriptor, so that the file appears in it under whatever name it has by
 * then.  The hidden name is locked while its process lives.  Opening one removes from the same
 * folder what earlier processes of this user and machine left behind when they were killed.
 *
 * Where a file is there already and may be replaced the new one takes its mode, and its owner and
 * group where the system lets us; where a symbolic link is there, what it leads to is replaced.
 * What is no file (a FIFO, a folder, a link that was put there meanwhile) is never replaced.
 */
#ifndef WSI_BASE_NEWFILE_H
#define WSI_BASE_NEWFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/target.h"

typedef struct wsi_newfile {
	wsi_target place; /* where it will be */
	char *temp;      /* the hidden name in that folder; NULL once it is gone */
	char *old;       /* a hidden name of what it replaced, while it may be put back; or NULL */
	char *kept;      /* the name it has instead, where commit answers EEXIST; or NULL */
	int fd;          /* of it, to read and write, and to hold the lock; -1 */
	bool replace;
	bool locked;     /* as far as its file system keeps locks */
	bool joined;     /* it is another process's, who gives it its name, or removes it */
	bool swapped;    /* the old file came to its hidden name in one step with that */
} wsi_newfile;

/* 0, or errno: then nothing is left.  replace: path may be there. */
int wsi_newfile_open(wsi_newfile *f, const char *path, bool replace);

/* The file that another process has opened for path, under that hidden name and of that number in
 * its file system, to write to it, too.  0, or errno: ENOENT where it is not there. */
int wsi_newfile_join(wsi_newfile *f, const char *path, const char *temp, uint64_t inode);
/* Do processes of several machines that write to it, each its own pages, see what they write?  Not
 * where each keeps pages of its own for a while: NFS, SMB, and what FUSE serves. */
bool wsi_newfile_is_shared(const wsi_newfile *f);

/* Another description of the open file, O_RDWR and so on; -1 with errno. */
int wsi_newfile_again(const wsi_newfile *f, int flags);
/* The same as a stream for reading and writing; NULL with errno. */
FILE *wsi_newfile_stream(const wsi_newfile *f);

/* To the disk, but without its name yet; 0, or errno. */
int wsi_newfile_flush(const wsi_newfile *f);

/* Gives n files their names, or none of them: all are flushed before the first is renamed, and
 * where one cannot get its name those before it give theirs back to what was there.  0, or errno,
 * then *failed is the number of the file.  EEXIST: its name was taken meanwhile and may not be
 * replaced; the files, which may have taken hours, stay beside their names as kept.  Other failures
 * leave them to wsi_newfile_close().
 *
 * A kill between two renames may leave the first.  So does a failure of the second where the file
 * system can neither exchange two names nor link a file. */
int wsi_newfile_commit(wsi_newfile *const *files, size_t n, size_t *failed);

/* Removes what has not got its name.  A zeroed or closed one is fine. */
void wsi_newfile_close(wsi_newfile *f);

#endif
