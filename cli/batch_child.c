/* batch_child.c - the program, run again as a process of its own. */
#define _GNU_SOURCE /* pipe2 */
#include "batch_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Bytes to the process that started us say why its child is none. */
static _Noreturn void
give_up(int failed)
{
	const int error = errno;
	const ssize_t written = write(failed, &error, sizeof error);
	(void)written;
	_exit(127);
}

/* The program itself, even if its file was replaced meanwhile. */
static void
become(char **arguments)
{
	execv("/proc/self/exe", arguments);
	if (errno == ENOENT)
		execvp(arguments[0], arguments);
}

static _Noreturn void
run_child(char **arguments, cli_child_says says, const char *gpus, int to, int failed, pid_t parent)
{
	const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
#ifdef __linux__
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
		_exit(127);
#endif
	/* What comes before it heeds it is not lost (cli_signals_stop), and ends nothing. */
	sigset_t usr1;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	if (nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0)
		give_up(failed);
	if (says != CHILD_PLANS
	    && dup2(says == CHILD_OUTPUT ? to : nowhere, STDOUT_FILENO) < 0)
		give_up(failed);
	if (dup2(says == CHILD_OUTPUT ? nowhere : to, STDERR_FILENO) < 0
	    || (gpus && setenv("CUDA_VISIBLE_DEVICES", gpus, 1) != 0))
		give_up(failed);
	become(arguments);
	give_up(failed);
}

/* What give_up() says; nothing once the program runs. */
static int
read_failure(int failed)
{
	int error = 0;
	ssize_t n;
	do
		n = read(failed, &error, sizeof error);
	while (n < 0 && errno == EINTR);
	return n == sizeof error ? error : 0;
}

int
cli_child_start(cli_child *c, char **arguments, cli_child_says says, const char *gpus)
{
	int said[2], failed[2];
	*c = (cli_child){ .from = -1 };
	if (pipe2(said, O_CLOEXEC) != 0)
		return errno;
	int error = pipe2(failed, O_CLOEXEC) != 0 ? errno : 0;
	if (!error) {
		const pid_t parent = getpid();
		c->pid = fork();
		if (c->pid == 0)
			run_child(arguments, says, gpus, said[1], failed[1], parent);
		error = c->pid < 0 ? errno : 0;
		close(failed[1]);
		if (!error && (error = read_failure(failed[0])) != 0)
			waitpid(c->pid, NULL, 0);
		close(failed[0]);
	}
	close(said[1]);
	if (error) {
		close(said[0]);
		c->pid = 0;
		return error;
	}
	c->from = said[0];
	return 0;
}

bool
cli_child_read(cli_child *c, void (*take)(void *user, const char *line), void *user)
{
	const size_t room = sizeof c->line - 1 - c->held;
	const ssize_t n = read(c->from, c->line + c->held, room);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	c->held += n > 0 ? (size_t)n : 0;
	size_t start = 0;
	for (char *end; (end = memchr(c->line + start, '\n', c->held - start));) {
		*end = '\0';
		take(user, c->line + start);
		start = (size_t)(end - c->line) + 1;
	}
	memmove(c->line, c->line + start, c->held - start);
	c->held -= start;
	/* A line that is longer than all room is handed over in parts. */
	if (c->held && (n <= 0 || c->held == sizeof c->line - 1)) {
		c->line[c->held] = '\0';
		c->held = 0;
		take(user, c->line);
	}
	return n > 0;
}

int
cli_child_end(cli_child *c)
{
	int end = 0;
	if (c->from >= 0)
		close(c->from);
	while (waitpid(c->pid, &end, 0) < 0 && errno == EINTR)
		;
	*c = (cli_child){ .from = -1 };
	return WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end);
}
