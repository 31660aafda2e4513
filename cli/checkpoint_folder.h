/*
 * checkpoint_folder.h - NAME.resume, the folder of finished blocks beside a result NAME, and the
 * lock of the run that works on it, which goes with its process.
 */
#ifndef CLI_CHECKPOINT_FOLDER_H
#define CLI_CHECKPOINT_FOLDER_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

#define CLI_KEPT_ENDING ".resume"

/* That of a result, to free(); NULL for want of memory. */
char *cli_kept_folder(const char *output);

/* And no link to one. */
bool cli_is_folder(const char *path);

/* Holds one that is there; *lock, -1 before, becomes a descriptor to close.  It stays -1 where
 * the folder was removed meanwhile.  WS_E_EXISTS: another run holds it; WS_E_IO. */
ws_status cli_kept_hold(const char *folder, int *lock);
/* Does a run hold it? */
bool cli_kept_is_held(const char *folder);
/* Makes it where it is not there, and holds it where *lock is -1. */
ws_status cli_kept_make(const char *folder, int *lock);

/* Removes what is ours in a folder that is held: first the manifest, without which the rest is
 * nothing.  *_remove also removes the folder, if that was all. */
void cli_kept_empty(const char *folder);
void cli_kept_remove(const char *folder);

#endif
