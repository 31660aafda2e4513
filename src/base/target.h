/*
 * target.h - where a file is to be: a folder, held by a descriptor, and the last name in it, after
 * links.
 *
 * A folder that is held may be renamed or moved: the file appears in it all the same.  Two names
 * are one place where they would be one file, whether it is there or not: by "./", by links, also
 * to nothing, by linked folders, and by what the file system takes for one name, such as letters
 * of either case.
 */
#ifndef WSI_BASE_TARGET_H
#define WSI_BASE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* What stands after the last slash. */
const char *wsi_base_name(const char *path);

typedef struct wsi_target {
	int folder;     /* descriptor, to find names in; -1 */
	char *name;     /* in it */
} wsi_target;

/* 0, or errno: then nothing is left.  follow: where path is a symbolic link, what it leads to,
 * unless somebody else put the link into a folder where everybody may write: EACCES.  A place that
 * is held (below) is taken as it was found. */
int wsi_target_find(wsi_target *place, const char *path, bool follow);
/* A closed one is fine. */
void wsi_target_close(wsi_target *place);

/* Are they one file?  Where only the file system knows, a file is made in the folder and
 * removed. */
bool wsi_target_same(const wsi_target *a, const wsi_target *b);

/* ---- Places that a program is to write to ------------------------------------------------- */

/* Finds the place of path, following links, and holds it: files of this very name go there from now
 * on, and replace what is there only if they may.  For programs, in their first thread, before
 * others start.  0, or errno. */
int wsi_target_hold(const char *path, bool replace);
/* The place of path, where it is held; or NULL. */
const wsi_target *wsi_target_held(const char *path, bool *replace);
void wsi_target_release(void);

/* stat() of what is there, and whether its folder can be written to (errno where it cannot), of a
 * place that is held or else of the path. */
int wsi_target_stat(const char *path, struct stat *st);
int wsi_target_check_folder(const char *path);

/* ---- What newfile.h shares ----------------------------------------------------------------- */

/* ".wavesift-HOST-": how hidden names begin; some network file systems keep locks to one
 * machine. */
void wsi_hidden_start(char start[64]);
#define WSI_HIDDEN_ENDING ".part"

#endif
