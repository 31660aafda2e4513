/*
 * serve.c - for LD_PRELOAD, in a library: the process of a starter (starter.h).  It takes the place
 * of what calls main(), once all libraries are loaded.
 */
#define _GNU_SOURCE
#include "starter.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ARGUMENTS 64

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

extern char **environ;
static char request[STARTER_BYTES];
/* As the kernel gives them: arguments, NULL, environment, NULL. */
static char *argv[4096];

/* The next request and its two descriptors; false at the end. */
static bool
take_request(int socket, ssize_t *bytes, int fds[2])
{
	char control[CMSG_SPACE(2 * sizeof *fds)];
	struct iovec part = { request, sizeof request };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		            .msg_controllen = sizeof control };
	*bytes = recvmsg(socket, &m, 0);
	const struct cmsghdr *c = *bytes > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return false;
	memcpy(fds, CMSG_DATA(c), 2 * sizeof *fds);
	return true;
}

/* Arguments of a request; their number. */
static int
take_arguments(ssize_t bytes)
{
	int argc = 0;
	for (char *at = request; at < request + bytes && argc < MOST_ARGUMENTS;
	     at += strlen(at) + 1)
		argv[argc++] = at;
	char **end = argv + argc;
	*end++ = NULL;
	for (char **e = environ; *e && end + 1 < argv + sizeof argv / sizeof *argv; ++e)
		*end++ = *e;
	*end = NULL;
	return argc;
}

/* Returns in each process that is to be the program. */
static int
serve(int socket)
{
	ssize_t bytes;
	int fds[2];
	while (take_request(socket, &bytes, fds)) {
		/* fork() may be one of those that are to fail. */
		const pid_t pid = _Fork();
		if (pid == 0) {
			dup2(fds[0], 1);
			dup2(fds[1], 2);
			close(fds[0]);
			close(fds[1]);
			close(socket);
			return take_arguments(bytes);
		}
		close(fds[0]);
		close(fds[1]);
		started end = { .status = -1 };
		send(socket, &pid, sizeof pid, MSG_NOSIGNAL);
		if (pid > 0)
			wait4(pid, &end.status, 0, &end.used);
		send(socket, &end, sizeof end, MSG_NOSIGNAL);
	}
	_exit(0);
}

__attribute__((visibility("default"))) start_function __libc_start_main;

int
__libc_start_main(main_function *begin, int argc, char **given, void (*init)(void),
                  void (*fini)(void), void (*loader)(void), void *stack)
{
	start_function *const next =
	        (start_function *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
	const char *const socket = getenv(STARTER_SOCKET);
	char **arguments = given;
	if (socket) {
		const int fd = atoi(socket);
		unsetenv(STARTER_SOCKET);
		if (!starter_began)
			unsetenv("LD_PRELOAD");
		argc = serve(fd);
		arguments = argv;
		if (starter_began)
			starter_began();
	}
	return next(begin, argc, arguments, init, fini, loader, stack);
}
