/* no_locks.c - a library for LD_PRELOAD that makes every file system one that keeps no locks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int
flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
	errno = ENOLCK;
	return -1;
}

static int
control(const char *name, int fd, int command, void *argument)
{
	int (*next)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
	if (command == F_OFD_SETLK || command == F_SETLK) {
		errno = ENOLCK;
		return -1;
	}
	return next(fd, command, argument);
}

#define CONTROL(name)                                                  \
	EXPORT int name(int fd, int command, ...)                      \
	{                                                              \
		va_list rest;                                          \
		va_start(rest, command);                               \
		void *argument = va_arg(rest, void *);                 \
		va_end(rest);                                          \
		return control(#name, fd, command, argument);          \
	}

CONTROL(fcntl)
CONTROL(fcntl64)
