/* watch.c - see watch.h. */
#define _GNU_SOURCE
#include "decode/watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int failed;
static bool missed;
static size_t most = SIZE_MAX;

void
wsi_watch_start(size_t memory)
{
	most = memory;
	failed = 0;
	missed = false;
}

int
wsi_watch_take(bool *no_memory)
{
	const int error = failed;
	*no_memory = missed;
	failed = 0;
	missed = false;
	return error;
}

/* Sanitizers have these functions themselves, and other C libraries other ways to them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHES 0
#endif
#endif
#if !defined(WATCHES) && defined(__GLIBC__)
#define WATCHES 1
#endif

#if WATCHES

/* ---- Memory ------------------------------------------------------------------------ */

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

/* The function behind ours; looking it up may itself allocate, for which theirs stands in. */
static void *
behind(const char *name)
{
	static __thread bool looking;
	if (looking)
		return NULL;
	looking = true;
	void *f = dlsym(RTLD_NEXT, name);
	looking = false;
	return f;
}

static void *
note_memory(void *p, size_t n)
{
	if (!p && n > 0 && n <= most)
		missed = true;
	return p;
}

void *
malloc(size_t n)
{
	static void *(*next)(size_t);
	if (!next)
		next = (void *(*)(size_t))behind("malloc");
	return note_memory(next ? next(n) : __libc_malloc(n), n);
}

void *
calloc(size_t n, size_t size)
{
	static void *(*next)(size_t, size_t);
	size_t bytes;
	if (!next)
		next = (void *(*)(size_t, size_t))behind("calloc");
	void *p = next ? next(n, size) : __libc_calloc(n, size);
	return __builtin_mul_overflow(n, size, &bytes) ? p : note_memory(p, bytes);
}

void *
realloc(void *old, size_t n)
{
	static void *(*next)(void *, size_t);
	if (!next)
		next = (void *(*)(void *, size_t))behind("realloc");
	return note_memory(next ? next(old, n) : __libc_realloc(old, n), n);
}

/* ---- Files ------------------------------------------------------------------------- */

/* A damaged file has them seek anywhere and read past its end, which is no failure of ours. */
static void
note_file(void)
{
	if (errno != EINTR && errno != EAGAIN && errno != EINVAL && errno != EOVERFLOW
	    && errno != ESPIPE && errno != EBADF && errno != EFAULT)
		failed = errno ? errno : EIO;
}

/* A function in front of one of the C library's, which failed where the condition holds of r. */
#define WATCHED(type, name, parameters, arguments, condition)           \
	type name parameters;                                           \
	type name parameters                                            \
	{                                                               \
		static type (*next) parameters;                         \
		if (!next)                                              \
			next = (type (*) parameters)behind(#name);      \
		const type r = next arguments;                          \
		if (condition)                                          \
			note_file();                                    \
		return r;                                               \
	}

WATCHED(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), r < 0)
WATCHED(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), r < 0)
WATCHED(ssize_t, pread64, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), r < 0)
WATCHED(off_t, lseek, (int fd, off_t at, int from), (fd, at, from), r < 0)
WATCHED(off_t, lseek64, (int fd, off_t at, int from), (fd, at, from), r < 0)
WATCHED(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f),
        r < n && ferror(f))
WATCHED(int, fseek, (FILE *f, long at, int from), (f, at, from), r != 0)
WATCHED(int, fseeko, (FILE *f, off_t at, int from), (f, at, from), r != 0)
WATCHED(int, fseeko64, (FILE *f, off_t at, int from), (f, at, from), r != 0)
WATCHED(long, ftell, (FILE *f), (f), r < 0)
WATCHED(off_t, ftello, (FILE *f), (f), r < 0)
WATCHED(off_t, ftello64, (FILE *f), (f), r < 0)

#endif
