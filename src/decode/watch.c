/* watch.c - failures that libraries do not pass on. */
#define _GNU_SOURCE
#include "decode/watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>


#include "io/hdf5/h5_check.h"

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

/* ---- What is unpacked ---------------------------------------------------------------- */

/* Of what HDF5 reads now: bytes of a chunk, 0 where there are none, and of one that has no
 * filters and is read as a whole. */
static size_t chunk, whole;

static void
look_at_chunks(hid_t dataset)
{
	hsize_t dims[H5S_MAX_RANK];
	const hid_t how = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
	const hid_t access = H5Dget_access_plist(dataset);
	size_t cache = 0;
	chunk = 0;
	if (how >= 0 && type >= 0 && H5Pget_layout(how) == H5D_CHUNKED) {
		const int rank = H5Pget_chunk(how, H5S_MAX_RANK, dims);
		chunk = rank > 0 ? H5Tget_size(type) : 0;
		for (int i = 0; i < rank; ++i)
			if (__builtin_mul_overflow(chunk, dims[i], &chunk))
				chunk = SIZE_MAX;
	}
	/* Larger ones are read in parts, from the file into what asks for them. */
	if (access < 0 || H5Pget_chunk_cache(access, NULL, &cache, NULL) < 0)
		cache = 0;
	whole = chunk <= cache && how >= 0 && H5Pget_nfilters(how) == 0 ? chunk : 0;
	if (access >= 0)
		H5Pclose(access);
	if (type >= 0)
		H5Tclose(type);
	if (how >= 0)
		H5Pclose(how);
}

herr_t
H5Dread(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t transfer, void *out)
{
	static herr_t (*next)(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
	if (!next)
		next = (herr_t (*)(hid_t, hid_t, hid_t, hid_t, hid_t, void *))
		       dlsym(RTLD_NEXT, "H5Dread");
	look_at_chunks(dataset);
	const herr_t code = next(dataset, type, memory, file, transfer, out);
	chunk = whole = 0;
	return code;
}

#if !H5_VERSION_GE(1, 15, 0)

/* The filters of a chunk, one after the other: a function of the library's own, which HDF5 calls by
 * name.  It does not mind that they give fewer bytes than the chunk has, and would take the rest
 * from whatever lies behind them. */
struct callback {
	void *function, *user;
};
herr_t H5Z_pipeline(const void *filters, unsigned flags, unsigned *left_out, int checks,
                    struct callback told, size_t *bytes, size_t *room, void **at);

herr_t
H5Z_pipeline(const void *filters, unsigned flags, unsigned *left_out, int checks,
             struct callback told, size_t *bytes, size_t *room, void **at)
{
	static herr_t (*next)(const void *, unsigned, unsigned *, int, struct callback, size_t *,
	                      size_t *, void **);
	if (!next)
		next = (herr_t (*)(const void *, unsigned, unsigned *, int, struct callback,
		                   size_t *, size_t *, void **))dlsym(RTLD_NEXT, "H5Z_pipeline");
	const herr_t code = next(filters, flags, left_out, checks, told, bytes, room, at);
	return code >= 0 && (flags & H5Z_FLAG_REVERSE) && *bytes < chunk ? -1 : code;
}

/* The same of bytes of a file: a chunk without filters is as long as its index says. */
static bool watched;

#define BLOCK_READ(name)                                                                      \
	herr_t name(void *file, int type, haddr_t at, size_t n, void *out);                   \
	herr_t name(void *file, int type, haddr_t at, size_t n, void *out)                    \
	{                                                                                     \
		static herr_t (*next)(void *, int, haddr_t, size_t, void *);                  \
		if (!next)                                                                    \
			next = (herr_t (*)(void *, int, haddr_t, size_t, void *))             \
			       dlsym(RTLD_NEXT, #name);                                       \
		watched = true;                                                               \
		return type == H5FD_MEM_DRAW && n < whole ? -1 : next(file, type, at, n, out); \
	}

BLOCK_READ(H5F_block_read)
BLOCK_READ(H5F_shared_block_read)

bool
wsi_h5_chunks_are_watched(void)
{
	return watched;
}

#endif
