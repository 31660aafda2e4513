/*
 * signals.c - Ctrl-C, SIGTERM, SIGHUP (a terminal that was closed), and SIGPIPE (a reader of ours
 * that went away).
 */
#include "signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "launch.h"

#define MAX_TEMPORARY 5

static volatile sig_atomic_t received, held, many, another_tells, stop_asked, kept;
static struct {
	int folder;
	char name[256];
} temporary[MAX_TEMPORARY];
static volatile sig_atomic_t n_temporary;

static void
handle(int signal)
{
	if (held && !received && signal != SIGPIPE) {
		received = signal;
		return;
	}
	static const char nothing[] = "wavesift: stopped by a signal; nothing was written\n";
	static const char those[] = "wavesift: stopped by a signal; finished results are whole\n";
	static const char blocks[] =
		"wavesift: stopped by a signal; finished blocks are kept, --resume goes on\n";
	static const char whole[] = "wavesift: stopped by a signal; the result is whole\n";
	int removed = 0;
	for (int i = 0; i < n_temporary; i++)
		removed += unlinkat(temporary[i].folder, temporary[i].name, 0) == 0;
	/* A temporary file that is gone has become the result. */
	const bool done = n_temporary > 0 && !removed;
	ssize_t written = 0;
	if (another_tells)
		_exit(128 + signal);
	if (signal != SIGPIPE && kept && !done)
		written = write(STDERR_FILENO, blocks, sizeof blocks - 1);
	else if (signal != SIGPIPE && many)
		written = write(STDERR_FILENO, those, sizeof those - 1);
	else if (signal != SIGPIPE)
		written = write(STDERR_FILENO, done ? whole : nothing,
		                (done ? sizeof whole : sizeof nothing) - 1);
	(void)written;
	_exit(128 + signal);
}

void
cli_signals_install(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART }, before;
	sigemptyset(&action.sa_mask);
	/* Where a task ends at once its launcher ends the others. */
	another_tells = cli_launch_of_us().task > 0;
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
		/* What nohup, or a script that runs us by &, ignores stays ignored. */
		if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(stops[i], &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	/* A limit on file sizes is an ordinary write error. */
	signal(SIGXFSZ, SIG_IGN);
}

/* Before the libraries begin, which takes them longer than all that main() does of a short job.
 * What comes while the program is being loaded ends it as the system does. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__linux__)
#define BEGINS_EARLY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BEGINS_EARLY 0
#endif
#endif
#ifndef BEGINS_EARLY
#define BEGINS_EARLY 1
#endif

#if BEGINS_EARLY
typedef void beginning(int argc, char **argv, char **environment);

static void
begin(int argc, char **argv, char **environment)
{
	(void)argc, (void)argv, (void)environment;
	cli_signals_install();
}

__attribute__((section(".preinit_array"), used)) static beginning *const first = begin;
#endif

static void
ask_to_stop(int signal)
{
	(void)signal;
	stop_asked = 1;
}

void
cli_signals_stop(void)
{
	struct sigaction action = { .sa_handler = ask_to_stop, .sa_flags = SA_RESTART };
	sigset_t usr1;
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	/* A batch holds it back until its process hears it. */
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
}

bool
cli_signals_stop_asked(void)
{
	return stop_asked != 0;
}

void
cli_signals_hold(void)
{
	held = 1;
}

void
cli_signals_many(void)
{
	many = 1;
}

void
cli_signals_kept(void)
{
	kept = 1;
}

void
cli_signals_another_tells(bool tells)
{
	another_tells = tells;
}

void
cli_signals_release(void)
{
	held = 0;
}

void
cli_signals_temporary(const wsi_newfile *file)
{
	if (n_temporary == MAX_TEMPORARY)
		return;
	/* One of its own: the file's is closed with the file. */
	const int folder = fcntl(file->place.folder, F_DUPFD_CLOEXEC, 3);
	if (folder < 0)
		return;
	temporary[n_temporary].folder = folder;
	snprintf(temporary[n_temporary].name, sizeof temporary[0].name, "%s", file->temp);
	n_temporary = n_temporary + 1;
}

bool
cli_signalled(void)
{
	return received != 0;
}

int
cli_signal_status(void)
{
	return 128 + (received ? received : SIGINT);
}
