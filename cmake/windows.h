/*
 * windows.h - what the core asks of POSIX, where it is built for Windows by zig (mingw-w64, which
 * has threads): included before each of its files, by CMake.
 *
 * Memory: aligned memory has a free() of its own there, so all of the core's is aligned.
 */
#ifndef WSI_WINDOWS_H
#define WSI_WINDOWS_H

#define __USE_MINGW_ANSI_STDIO 1
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void *
wsi_windows_calloc(size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		return NULL;
	void *p = _aligned_malloc(n * size ? n * size : 1, 16);
	return p ? memset(p, 0, n * size) : NULL;
}

static inline char *
wsi_windows_strdup(const char *s)
{
	const size_t n = strlen(s) + 1;
	char *p = _aligned_malloc(n, 16);
	return p ? memcpy(p, s, n) : NULL;
}

#define malloc(n) _aligned_malloc((n) ? (n) : 1, 16)
#define aligned_alloc(align, n) _aligned_malloc((n) ? (n) : 1, (align))
#define calloc(n, size) wsi_windows_calloc((n), (size))
#define realloc(p, n) _aligned_realloc((p), (n) ? (n) : 1, 16)
#define free(p) _aligned_free(p)
#undef strdup
#define strdup(s) wsi_windows_strdup(s)

#define realpath(path, out) _fullpath((out), (path), PATH_MAX)

/* Processors; the name alone is asked for. */
#define _SC_NPROCESSORS_ONLN 0
#define sysconf(name) wsi_windows_processors()
long wsi_windows_processors(void);

/* There are no signals that a thread could be spared. */
typedef int wsi_windows_signals;
#define sigset_t wsi_windows_signals
#define sigfillset(set) (*(set) = 0)

#endif
