/* lockdown.h - the rights that the decoder gives up before it decodes anything. */
#ifndef WSI_DECODE_LOCKDOWN_H
#define WSI_DECODE_LOCKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* From now on this process dies with the process parent, however that ends. */
bool wsi_die_with(pid_t parent);

/*
 * Gives up, for good: to open any file but the one behind the descriptor file, and that only to
 * read it (Landlock); to make sockets, processes, executable memory, and all else that decoding
 * does not take (seccomp); to write files, to leave core files, and to take much more memory than
 * memory bytes (limits).  What the kernel does not have is left out, see docs/security.md; false
 * where it has it and refuses.
 */
bool wsi_lock_down(int file, size_t memory);

#endif
