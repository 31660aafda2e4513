/*
 * place.h - where a file is to be: a folder, held by a descriptor, and the last name in it, after
 * links.
 *
 * A folder that is held may be renamed or moved: the file appears in it all the same.  Two names
 * are one place where they would be one file, whether it is there or not: by "./", by links, also
 * to nothing, by linked folders, and by what the file system takes for one name, such as letters
 * of either case.
 */
#ifndef WSI_BASE_PLACE_H
#define WSI_BASE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

typedef struct wsi_place {
	int folder;     /* descriptor, to find names in; -1 */
	char *name;     /* in it */
} wsi_place;

/* 0, or errno: then nothing is left.  follow: where path is a symbolic link, what it leads to, unless
 * somebody else put the link into a folder where everybody may write: EACCES.  A place that is held
 * (below) is taken as it was found. */
int wsi_place_find(wsi_place *place, const char *path, bool follow);
/* A closed one is fine. */
void wsi_place_close(wsi_place *place);

/* Are they one file?  Where only the file system knows, a file is made in the folder and removed. */
bool wsi_place_same(const wsi_place *a, const wsi_place *b);

/* ---- Places that a program is to write to ------------------------------------------------- */

/* Finds the place of path, following links, and holds it: files of this very name go there from now
 * on, and replace what is there only if they may.  For programs, in their first thread, before
 * others start.  0, or errno. */
int wsi_place_hold(const char *path, bool replace);
/* The place of path, where it is held; or NULL. */
const wsi_place *wsi_place_held(const char *path, bool *replace);
void wsi_place_release(void);

/* stat() of what is there, and whether its folder can be written to (errno where it cannot), of a
 * place that is held or else of the path. */
int wsi_place_stat(const char *path, struct stat *st);
int wsi_place_check_folder(const char *path);

/* ---- What newfile.h shares ----------------------------------------------------------------- */

/* ".wavesift-HOST-": how hidden names begin; some network file systems keep locks to one machine. */
void wsi_hidden_start(char start[64]);
#define WSI_HIDDEN_ENDING ".part"

#endif
