/*
 * faults.c - a library for LD_PRELOAD that makes the n-th call of a kind fail: an allocation, or a
 * read, write, seek, sync or rename, or the start of a process or thread.  Calls are counted from
 * the start of the program on, in each process; the plan lies beside the library (faults.h).
 */
#define _GNU_SOURCE
#include "faults.h"
#include "starter/starter.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static struct fault_plan *plan;
static long calls[FAULT_KINDS];

static void
count_from_here(void)
{
	for (int kind = 0; kind < FAULT_KINDS; ++kind)
		__atomic_store_n(&calls[kind], 0, __ATOMIC_SEQ_CST);
}

/* Of test_faults.c; see ../starter/starter.h. */
void
starter_began(void)
{
	count_from_here();
}

__attribute__((constructor)) static void
begin(void)
{
	Dl_info self;
	char path[4096];
	if (!dladdr((void *)&calls, &self) || !strrchr(self.dli_fname, '/'))
		return;
	snprintf(path, sizeof path, "%.*s/" FAULTS_FILE,
	         (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE,
	                                          MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	count_from_here();
	if (memory != MAP_FAILED)
		plan = memory;
}

/* Is this the one? */
static int
fails(enum fault_kind kind)
{
	if (!plan)
		return 0;
	const long n = __atomic_add_fetch(&calls[kind], 1, __ATOMIC_SEQ_CST);
	long most = __atomic_load_n(&plan->most[kind], __ATOMIC_SEQ_CST);
	while (plan->kind == FAULT_NONE && n > most &&
	       !__atomic_compare_exchange_n(&plan->most[kind], &most, n, 0, __ATOMIC_SEQ_CST,
	                                    __ATOMIC_SEQ_CST))
		;
	return plan->kind == (int)kind && n == plan->n;
}

/* ---- Allocations ------------------------------------------------------------------- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

#define ALLOCATION(call)                   \
	if (fails(FAULT_ALLOCATION)) {     \
		errno = ENOMEM;            \
		return NULL;               \
	}                                  \
	return call

EXPORT void *malloc(size_t n) { ALLOCATION(__libc_malloc(n)); }
EXPORT void *calloc(size_t n, size_t size) { ALLOCATION(__libc_calloc(n, size)); }
EXPORT void *realloc(void *p, size_t n) { ALLOCATION(__libc_realloc(p, n)); }
EXPORT void *aligned_alloc(size_t to, size_t n) { ALLOCATION(__libc_memalign(to, n)); }
EXPORT void *memalign(size_t to, size_t n) { ALLOCATION(__libc_memalign(to, n)); }

EXPORT int
posix_memalign(void **p, size_t to, size_t n)
{
	void *memory = fails(FAULT_ALLOCATION) ? NULL : __libc_memalign(to, n);
	if (!memory)
		return ENOMEM;
	*p = memory;
	return 0;
}

/* ---- Files ------------------------------------------------------------------------- */

#define CALL(kind, error, type, name, parameters, arguments, failure)            \
	EXPORT type name parameters                                              \
	{                                                                        \
		static type (*next) parameters;                                  \
		if (!next)                                                       \
			next = (type (*) parameters)dlsym(RTLD_NEXT, #name);     \
		if (fails(kind)) {                                               \
			errno = error;                                           \
			return failure;                                          \
		}                                                                \
		return next arguments;                                           \
	}

/* As glibc remembers an error of a stream. */
#define ERROR_SEEN 0x20

EXPORT size_t
fread(void *p, size_t size, size_t n, FILE *f)
{
	static size_t (*next)(void *, size_t, size_t, FILE *);
	if (!next)
		next = (size_t (*)(void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT, "fread");
	if (!fails(FAULT_READ))
		return next(p, size, n, f);
	f->_flags |= ERROR_SEEN;
	errno = EIO;
	return 0;
}

EXPORT size_t
fwrite(const void *p, size_t size, size_t n, FILE *f)
{
	static size_t (*next)(const void *, size_t, size_t, FILE *);
	if (!next)
		next = (size_t (*)(const void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT, "fwrite");
	if (!fails(FAULT_WRITE))
		return next(p, size, n, f);
	f->_flags |= ERROR_SEEN;
	errno = ENOSPC;
	return 0;
}

CALL(FAULT_READ, EIO, ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), -1)
CALL(FAULT_READ, EIO, ssize_t, pread64, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), -1)
CALL(FAULT_WRITE, ENOSPC, ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), -1)
CALL(FAULT_WRITE, ENOSPC, ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at),
     (fd, p, n, at), -1)
CALL(FAULT_WRITE, ENOSPC, ssize_t, pwrite64, (int fd, const void *p, size_t n, off_t at),
     (fd, p, n, at), -1)
CALL(FAULT_WRITE, ENOSPC, int, ftruncate, (int fd, off_t n), (fd, n), -1)
CALL(FAULT_SEEK, EIO, off_t, lseek, (int fd, off_t at, int from), (fd, at, from), -1)
CALL(FAULT_SEEK, EIO, off_t, lseek64, (int fd, off_t at, int from), (fd, at, from), -1)
CALL(FAULT_SEEK, EIO, int, fseek, (FILE *f, long at, int from), (f, at, from), -1)
CALL(FAULT_SEEK, EIO, int, fseeko, (FILE *f, off_t at, int from), (f, at, from), -1)
CALL(FAULT_SEEK, EIO, int, fseeko64, (FILE *f, off_t at, int from), (f, at, from), -1)
CALL(FAULT_SEEK, EIO, long, ftell, (FILE *f), (f), -1)
CALL(FAULT_SEEK, EIO, off_t, ftello, (FILE *f), (f), -1)
CALL(FAULT_SEEK, EIO, off_t, ftello64, (FILE *f), (f), -1)
CALL(FAULT_SYNC, EIO, int, fsync, (int fd), (fd), -1)
CALL(FAULT_SYNC, EIO, int, fdatasync, (int fd), (fd), -1)
CALL(FAULT_SYNC, EIO, int, syncfs, (int fd), (fd), -1)
CALL(FAULT_SYNC, EIO, int, sync_file_range, (int fd, off_t at, off_t n, unsigned how),
     (fd, at, n, how), -1)
CALL(FAULT_RENAME, EIO, int, rename, (const char *from, const char *to), (from, to), -1)
CALL(FAULT_RENAME, EIO, int, renameat, (int a, const char *from, int b, const char *to),
     (a, from, b, to), -1)
CALL(FAULT_RENAME, EIO, int, renameat2,
     (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags), -1)
CALL(FAULT_RENAME, EIO, int, linkat,
     (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), -1)
CALL(FAULT_RENAME, EIO, int, link, (const char *from, const char *to), (from, to), -1)

CALL(FAULT_PROCESS, EMFILE, int, socketpair, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends), -1)
CALL(FAULT_PROCESS, EMFILE, int, pipe, (int ends[2]), (ends), -1)
CALL(FAULT_PROCESS, EMFILE, int, pipe2, (int ends[2], int flags), (ends, flags), -1)
CALL(FAULT_PROCESS, ENOMEM, int, memfd_create, (const char *name, unsigned flags), (name, flags),
     -1)
CALL(FAULT_PROCESS, EAGAIN, pid_t, fork, (void), (), -1)
CALL(FAULT_PROCESS, EAGAIN, int, pthread_create,
     (pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user),
     (thread, attributes, run, user), EAGAIN)
CALL(FAULT_PROCESS, EAGAIN, int, posix_spawn,
     (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]),
     (pid, path, actions, attributes, arguments, environment), EAGAIN)

/* ---- What libraries load ----------------------------------------------------------- */

/* HDF5's numbers of objects are of 64 bits, what it answers of 32; negative is a failure. */
typedef int64_t id;

#define LOAD(type, name, parameters, arguments)                      \
	type name parameters;                                        \
	CALL(FAULT_LOAD, EIO, type, name, parameters, arguments, -1)

LOAD(id, H5Fopen, (const char *path, unsigned flags, id how), (path, flags, how))
LOAD(id, H5Aopen, (id at, const char *name, id how), (at, name, how))
LOAD(int, H5Aexists, (id at, const char *name), (at, name))
LOAD(int, H5Aread, (id a, id type, void *out), (a, type, out))
LOAD(id, H5Aget_type, (id a), (a))
LOAD(id, H5Aget_space, (id a), (a))
LOAD(int, H5Aiterate2, (id at, int by, int order, void *n, void *call, void *user),
     (at, by, order, n, call, user))
LOAD(id, H5Dopen2, (id at, const char *name, id how), (at, name, how))
LOAD(id, H5Dget_type, (id d), (d))
LOAD(id, H5Dget_space, (id d), (d))
LOAD(id, H5Dget_create_plist, (id d), (d))
LOAD(int, H5Dread, (id d, id type, id memory, id file, id how, void *out),
     (d, type, memory, file, how, out))
LOAD(id, H5Gopen2, (id at, const char *name, id how), (at, name, how))
LOAD(id, H5Oopen, (id at, const char *name, id how), (at, name, how))
LOAD(int, H5Ovisit2, (id at, int by, int order, void *call, void *user, unsigned what),
     (at, by, order, call, user, what))
LOAD(int, H5Lexists, (id at, const char *name, id how), (at, name, how))
LOAD(int, H5Literate, (id at, int by, int order, void *n, void *call, void *user),
     (at, by, order, n, call, user))
LOAD(int, H5Lvisit, (id at, int by, int order, void *call, void *user),
     (at, by, order, call, user))
LOAD(int, H5Lget_info, (id at, const char *name, void *info, id how), (at, name, info, how))
LOAD(id, H5Rdereference2, (id at, id how, int type, const void *reference),
     (at, how, type, reference))
LOAD(int, H5Tget_class, (id type), (type))
LOAD(int, H5Sget_simple_extent_ndims, (id space), (space))
LOAD(int64_t, H5Sget_simple_extent_npoints, (id space), (space))
int inflate(void *z, int flush);
CALL(FAULT_LOAD, EIO, int, inflate, (void *z, int flush), (z, flush), -3)

/* ---- The last ------------------------------------------------------------------------ */

/* read() is that of a file; what starts the program and the decoder's socket use others. */
CALL(FAULT_READ, EIO, ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), -1)
