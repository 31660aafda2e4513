/* rehearse.c - a file is tried out in a process of its own first. */
#define _GNU_SOURCE /* pipe2 */
#include "io/rehearse.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far more than a sound file takes to open, even one that is unpacked whole;
 * ends what would not end. */
#define MIN_SECONDS 2
#define BYTES_PER_SECOND ((off_t)16 << 20)

/* All channels of an array are stored alike; these are enough of them. */
#define MAX_CHANNELS 64

/* A crash of the child is no event for debuggers, core files or the user. */
static void
be_quiet(const char *path)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
		signal(signals[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	struct stat st = { 0 };
	(void)stat(path, &st);
	rlim_t seconds = MIN_SECONDS + (rlim_t)(st.st_size / BYTES_PER_SECOND);
	setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds });
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
}

/* What the child found, through the pipe. */
typedef struct report {
	ws_status status;
	char detail[1024];
} report;

static void
tell(int pipe, ws_status status)
{
	report r = { .status = status };
	strncpy(r.detail, ws_error_detail(), sizeof r.detail - 1);
	const char *p = (const char *)&r;
	for (size_t left = sizeof r; left > 0;) {
		ssize_t n = write(pipe, p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(1);
		p += n;
		left -= (size_t)n;
	}
}

/* False where the child ended before it could tell. */
static bool
hear(int pipe, report *r)
{
	char *p = (char *)r;
	for (size_t left = sizeof *r; left > 0;) {
		ssize_t n = read(pipe, p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		left -= (size_t)n;
	}
	return true;
}

static ws_status
judge(const char *path, bool told, const report *r, int end)
{
	if (told && r->status == WS_OK)
		return WS_OK;
	if (told)
		return WSI_FAIL(r->status, "%s", r->detail);
	if (WIFSIGNALED(end) && (WTERMSIG(end) == SIGXCPU || WTERMSIG(end) == SIGKILL))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: reading it does not come to an end "
		                "or takes all memory", path);
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the library for its format crashes on it", path);
}

ws_status
wsi_rehearse(const char *path, ws_status (*act)(void *user), void *user)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return WS_OK;
	pid_t child = fork();
	if (child == 0) {
		be_quiet(path);
		tell(ends[1], act(user));
		_exit(0);
	}
	close(ends[1]);
	report r;
	bool told = child > 0 && hear(ends[0], &r);
	close(ends[0]);
	if (child < 0)
		return WS_OK;
	int end = 0;
	while (waitpid(child, &end, 0) < 0 && errno == EINTR)
		continue;
	return judge(path, told, &r, end);
}

typedef struct rehearsal {
	wsi_recording *rec;
	ws_status (*open)(wsi_recording *rec);
} rehearsal;

static ws_status
open_and_read(void *user)
{
	const rehearsal *r = user;
	wsi_recording *rec = r->rec;
	WSI_TRY(r->open(rec));
	size_t last = rec->epochs ? rec->epochs - 1 : 0;
	for (size_t c = 0; c < rec->n_channels && c < MAX_CHANNELS; ++c) {
		double x;
		size_t n = rec->channels[c].samples;
		if (n == 0)
			continue;
		WSI_TRY(rec->reader->read(rec, 0, c, 0, 1, &x));
		WSI_TRY(rec->reader->read(rec, last, c, n - 1, 1, &x));
	}
	return WS_OK;
}

ws_status
wsi_rehearse_open(wsi_recording *rec, ws_status (*open)(wsi_recording *rec))
{
	rehearsal r = { rec, open };
	return wsi_rehearse(rec->path, open_and_read, &r);
}
