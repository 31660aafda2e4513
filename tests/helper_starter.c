/* helper_starter.c - the side of a starter that tests have; see starter/starter.h. */
#define _GNU_SOURCE
#include "starter/starter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool
starter_open(starter *s, const char *program, const char *library, const char *folder)
{
	int ends[2];
	*s = (starter){ .pid = -1, .socket = -1 };
	if (access(library, R_OK) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	const pid_t pid = fork();
	if (pid == 0) {
		char number[16];
		const int socket = dup(ends[1]); /* not closed by exec */
		snprintf(number, sizeof number, "%d", socket);
		dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
		setenv(STARTER_SOCKET, number, 1);
		setenv("LD_PRELOAD", library, 1);
		if (chdir(folder) == 0)
			execl(program, "wavesift", (char *)NULL);
		_exit(125);
	}
	close(ends[1]);
	s->socket = ends[0];
	s->pid = pid;
	return pid > 0;
}

pid_t
starter_start(starter *s, const char *const *arguments, int out, int err)
{
	char request[STARTER_BYTES], control[CMSG_SPACE(2 * sizeof out)] = { 0 };
	size_t bytes = 0;
	for (; *arguments; ++arguments) {
		const size_t n = strlen(*arguments) + 1;
		if (bytes + n > sizeof request)
			return -1;
		memcpy(request + bytes, *arguments, n);
		bytes += n;
	}
	const int fds[2] = { out, err };
	struct iovec part = { request, bytes };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		            .msg_controllen = sizeof control };
	struct cmsghdr *const c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fds);
	memcpy(CMSG_DATA(c), fds, sizeof fds);
	pid_t pid = -1;
	if (sendmsg(s->socket, &m, MSG_NOSIGNAL) < 0 ||
	    recv(s->socket, &pid, sizeof pid, 0) != sizeof pid)
		return -1;
	return pid;
}

bool
starter_wait(starter *s, started *end)
{
	return recv(s->socket, end, sizeof *end, 0) == sizeof *end;
}

void
starter_close(starter *s)
{
	if (s->socket >= 0)
		close(s->socket);
	if (s->pid > 0)
		waitpid(s->pid, NULL, 0);
	*s = (starter){ .pid = -1, .socket = -1 };
}
