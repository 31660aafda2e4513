/* decoder.c - starts wavesift-decode on a file, asks it, waits for it and ends it. */
#define _GNU_SOURCE /* memfd_create, prlimit */
#include "io/decode/decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/result/array_list.h"
#include "io/read/describe.h"
#include "io/hdf5/h5_sums.h"
#include "io/read/readers.h"

/* Values that one request is for at most, and requests that are under way together: the next
 * samples are decoded while these are worked on. */
#define SLOT ((size_t)1 << 17)
#define SLOTS 2

/* Processor time that a request may take: far more than a sound file needs, even one that is
 * unpacked whole for it.  Of other time more, for slow disks. */
#define LEAST_SECONDS 1
#define BYTES_PER_SECOND ((uint64_t)16 << 20)
#define WALL_PER_CPU 5
#define LEAST_WALL 10

#define MOST_DETAIL 4096

struct wsi_decoder {
	char *path;           /* of the file, for messages */
	pid_t pid;            /* 0: it has ended and was told of */
	int socket;
	double *samples;      /* [SLOTS][SLOT], shared */
	uint64_t bytes;       /* that one request may have to go through */
	size_t memory;        /* that it may take */
	bool ends;            /* no more requests: it crashed, or was stopped */
	wsi_wire_read asked;  /* and not answered: count 0 none */
	size_t slot;          /* of the next request */
	/* Of the last samples read, to know whether the next follow. */
	size_t last_place, last_end;
};

size_t
wsi_reading_memory(const wsi_open_opts *opts)
{
	if (opts && opts->memory)
		return opts->memory;
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	return pages > 0 && page > 0 ? (size_t)pages / 5 * 4 * (size_t)page : (size_t)1 << 30;
}

/* ---- Its start --------------------------------------------------------------------- */

/* Beside the running program, or where it is installed with it.  Into path. */
static bool
find_program(char *path, size_t size)
{
	static const char *const places[] = { "wavesift-decode", WSI_LIBEXEC "/wavesift-decode" };
	char folder[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
	if (n <= 0)
		return false;
	folder[n] = '\0';
	*(strrchr(folder, '/') + 1) = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
		const int length = snprintf(path, size, "%s%s", folder, places[i]);
		if (length > 0 && (size_t)length < size && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* Does the file system keep locks?  HDF5 would refuse a file where there are none (Lustre without
 * flock, NFS without its daemon). */
static bool
has_locks(int file)
{
	if (flock(file, LOCK_SH | LOCK_NB) == 0)
		return flock(file, LOCK_UN) == 0;
	return errno == EWOULDBLOCK || errno == EINTR;
}

/* What it may know of our environment, and that HDF5 is to do without locks where there are none.
 * */
static char **
its_environment(char *environment[16], int file)
{
	static char without[] = "HDF5_USE_FILE_LOCKING=FALSE";
	static const char *const names[] = { "LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS",
		"UBSAN_OPTIONS", "TSAN_OPTIONS", "HDF5_USE_FILE_LOCKING" };
	size_t n = 0;
	for (char **e = environ; e && *e; ++e)
		for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
			const size_t length = strlen(names[i]);
			if (n < 14 && strncmp(*e, names[i], length) == 0 && (*e)[length] == '=')
				environment[n++] = *e;
		}
	if (!getenv("HDF5_USE_FILE_LOCKING") && !has_locks(file))
		environment[n++] = without;
	environment[n] = NULL;
	return environment;
}

/* Descriptors are where spawning will not overwrite one with another. */
static int
out_of_the_way(int fd)
{
	const int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, WSI_WIRE_END);
	const int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return high;
}

static int
spawn(pid_t *pid, const char *program, int socket, int file, int samples, size_t memory)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	char parent[24], bytes[24], *environment[16];
	char *const arguments[] = { "wavesift-decode", parent, bytes, NULL };
	snprintf(parent, sizeof parent, "%ld", (long)getpid());
	snprintf(bytes, sizeof bytes, "%zu", memory);
	sigfillset(&all);
	sigemptyset(&none);
	int error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error) {
		posix_spawn_file_actions_destroy(&actions);
		return error;
	}
	for (int fd = 0; fd < 3 && !error; ++fd)
		error = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	error = error ? error : posix_spawn_file_actions_adddup2(&actions, socket, WSI_WIRE_SOCKET);
	error = error ? error : posix_spawn_file_actions_adddup2(&actions, file, WSI_WIRE_FILE);
	error = error ? error : posix_spawn_file_actions_adddup2(&actions, samples,
	                                                         WSI_WIRE_SAMPLES);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	error = error ? error : posix_spawn(pid, program, &actions, &attributes, arguments,
	                                    its_environment(environment, file));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Memory that both see, and whose size the decoder cannot change under us. */
static int
make_samples(wsi_decoder *d)
{
	const size_t bytes = SLOTS * SLOT * sizeof *d->samples;
	int fd = out_of_the_way(memfd_create("wavesift samples", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)bytes) == 0
	    && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
		void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
		if (memory != MAP_FAILED) {
			d->samples = memory;
			return fd;
		}
	}
	const int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* The process, with the file handed to it. */
static ws_status
start_program(wsi_decoder *d, const char *program, int file)
{
	int ends[2], samples = make_samples(d), error = samples < 0 ? errno : 0;
	int theirs = -1;
	if (!error && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		error = errno;
	} else if (!error) {
		d->socket = out_of_the_way(ends[0]);
		error = d->socket < 0 ? errno : 0;
		theirs = out_of_the_way(ends[1]);
		error = error ? error : theirs < 0 ? errno : 0;
	}
	if (!error)
		error = spawn(&d->pid, program, theirs, file, samples, d->memory);
	if (theirs >= 0)
		close(theirs);
	if (samples >= 0)
		close(samples);
	if (!error)
		return WS_OK;
	d->pid = 0;
	return WSI_FAIL(error == ENOMEM ? WS_E_NOMEM : WS_E_IO, "%s: cannot be read: its decoder "
	                "%s cannot be started: %s", d->path, program, strerror(error));
}

static ws_status
start(wsi_decoder **decoder, const char *path, const wsi_open_opts *opts)
{
	char found[PATH_MAX];
	const char *program = opts && opts->decoder ? opts->decoder : found;
	/* By which it is found, and opens what it was handed. */
	if (access("/proc/self/fd", X_OK) != 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read: this format is decoded by a process "
		                "of its own, which needs /proc: mount it", path);
	if (program == found && !find_program(found, sizeof found))
		return WSI_FAIL(WS_E_IO, "%s: cannot be read: the program wavesift-decode, which "
		                "decodes this format, is neither beside wavesift nor in "
		                WSI_LIBEXEC "; install wavesift anew", path);
	wsi_decoder *d;
	WSI_NEW(d, 1, "%s: no memory to open it", path);
	*decoder = d;
	d->socket = -1;
	d->memory = wsi_reading_memory(opts);
	d->path = wsi_strdup(path);
	WSI_HAVE(d->path, "%s: no memory to open it", path);
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, path, opts ? opts->opened : NULL));
	d->bytes = f.bytes;
	const int file = out_of_the_way(f.fd);
	if (file < 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
	const ws_status status = start_program(d, program, file);
	close(file);
	return status;
}

/* ---- Its end ----------------------------------------------------------------------- */

/* Stops it if it runs, and waits for it.  What waitpid() tells; -1: another part of the process
 * took it. */
static int
stop(wsi_decoder *d, bool runs)
{
	int end = -1;
	if (d->pid > 0 && runs)
		kill(d->pid, SIGKILL);
	while (d->pid > 0 && waitpid(d->pid, &end, 0) < 0)
		if (errno != EINTR) {
			end = -1;
			break;
		}
	d->pid = 0;
	d->ends = true;
	return end;
}

static ws_status
endless(const wsi_decoder *d)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: reading it does not come to an end", d->path);
}

/* Why there is no answer: error as wire.h has them. */
static ws_status
tell_end(wsi_decoder *d, int error)
{
	if (d->ends)
		return WSI_FAIL(WS_E_FORMAT, "%s: its decoder has ended after an earlier error",
		                d->path);
	const int end = stop(d, error != -1);
	if (error == ETIMEDOUT)
		return endless(d);
	if (error != -1)
		return WSI_FAIL(WS_E_IO, "%s: its decoder does not answer: %s", d->path,
		                strerror(error));
	if (end == -1)
		return WSI_FAIL(WS_E_FORMAT, "%s: its decoder has ended before it was done",
		                d->path);
	if (WIFSIGNALED(end) && WTERMSIG(end) == SIGXCPU)
		return endless(d);
	if (WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL)
		return WSI_FAIL(WS_E_NOMEM, "%s: its decoder was killed, as systems do where "
		                "memory runs out; give less `memory`", d->path);
	if (WIFEXITED(end) && WEXITSTATUS(end) == WSI_WIRE_NOT_LOCKED)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read: its decoder cannot give up its "
		                "rights on this system", d->path);
	if (WIFEXITED(end) && WEXITSTATUS(end) == 127)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read: its decoder cannot be started",
		                d->path);
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the library for its format crashes on it",
	                d->path);
}

void
wsi_decoder_close(wsi_decoder *d)
{
	if (!d)
		return;
	char byte;
	/* What has ended may not be the one with this number any more. */
	if (d->pid > 0)
		stop(d, recv(d->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0);
	if (d->socket >= 0)
		close(d->socket);
	if (d->samples)
		munmap(d->samples, SLOTS * SLOT * sizeof *d->samples);
	free(d->path);
	free(d);
}

/* ---- Questions and answers --------------------------------------------------------- */

static uint64_t
seconds_for(const wsi_decoder *d)
{
	return LEAST_SECONDS + d->bytes / BYTES_PER_SECOND;
}

/* From now on it may take so much of the processor.  Where that cannot be set, the time that we
 * wait ends it. */
static void
allow_time(const wsi_decoder *d)
{
	clockid_t clock;
	struct timespec used;
	struct rlimit now;
	if (clock_getcpuclockid(d->pid, &clock) != 0 || clock_gettime(clock, &used) != 0
	    || prlimit(d->pid, RLIMIT_CPU, NULL, &now) != 0)
		return;
	const rlim_t until = (rlim_t)used.tv_sec + 1 + (rlim_t)seconds_for(d);
	now.rlim_cur = until < now.rlim_max ? until : now.rlim_max;
	prlimit(d->pid, RLIMIT_CPU, &now, NULL);
}

static int
wait_for(const wsi_decoder *d)
{
	const uint64_t seconds = LEAST_WALL + WALL_PER_CPU * seconds_for(d);
	return seconds < INT_MAX / 1000 ? (int)seconds * 1000 : INT_MAX;
}

static ws_status
ask(wsi_decoder *d, int what, const void *bytes, size_t n)
{
	const wsi_wire_head head = { .what = what, .version = WSI_WIRE_VERSION, .bytes = n };
	if (d->ends)
		return tell_end(d, -1);
	allow_time(d);
	int error = wsi_wire_send(d->socket, &head, sizeof head, wait_for(d));
	error = error ? error : wsi_wire_send(d->socket, bytes, n, wait_for(d));
	return error ? tell_end(d, error) : WS_OK;
}

/* Its own words of failure, on one line. */
static ws_status
pass_on(const wsi_decoder *d, ws_status status, const wsi_wire *detail)
{
	char *text = wsi_clean_text((const char *)detail->bytes, detail->size);
	const ws_status answer = status < WS_OK && status >= WS_E_INTERNAL ? status : WS_E_FORMAT;
	const ws_status told = WSI_FAIL(answer, "%s", text && *text ? text : d->path);
	free(text);
	return told;
}

/* The answer to the oldest question, whose body is body's. */
static ws_status
hear(wsi_decoder *d, wsi_wire *body)
{
	wsi_wire_head head;
	*body = (wsi_wire){ 0 };
	int error = d->ends ? -1 : wsi_wire_receive(d->socket, &head, sizeof head, wait_for(d));
	if (error)
		return tell_end(d, error);
	if (head.version != WSI_WIRE_VERSION
	    || head.bytes > (head.what == WS_OK ? d->memory : MOST_DETAIL)) {
		stop(d, true);
		return WSI_FAIL(WS_E_FORMAT, "%s: cannot be read: its decoder gives no sensible "
		                "answer; is it of this version of wavesift?", d->path);
	}
	body->size = (size_t)head.bytes;
	body->bytes = malloc(body->size + 1);
	if (!body->bytes) {
		stop(d, true);
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its description", d->path);
	}
	error = wsi_wire_receive(d->socket, body->bytes, body->size, wait_for(d));
	ws_status status = error ? tell_end(d, error) : WS_OK;
	if (status == WS_OK && head.what != WS_OK)
		status = pass_on(d, (ws_status)head.what, body);
	if (status != WS_OK)
		wsi_wire_free(body);
	return status;
}

/* Opens what the decoder was started for; the description is body's. */
static ws_status
open_there(wsi_decoder *d, int what, const wsi_open_opts *opts, wsi_wire *body)
{
	wsi_wire question = { 0 };
	*body = (wsi_wire){ 0 };
	wsi_wire_put_text(&question, d->path);
	wsi_wire_put_text(&question, opts ? opts->variable : NULL);
	wsi_wire_put_size(&question, opts && opts->masks);
	wsi_wire_put_real(&question, opts ? opts->fs : 0);
	wsi_wire_put_size(&question, opts && opts->with_events);
	wsi_wire_put_size(&question, opts && opts->any_arrays);
	ws_status status = question.failed ? WSI_FAIL(WS_E_NOMEM, "%s: no memory", d->path)
	                   : ask(d, what, question.bytes, question.size);
	wsi_wire_free(&question);
	return status == WS_OK ? hear(d, body) : status;
}

/* A request may have to go through all values there are, as they are unpacked. */
static void
expect(wsi_decoder *d, size_t channels, size_t samples, size_t rows)
{
	const double bytes = (double)channels * (double)samples * (double)rows * sizeof(double);
	if (bytes > (double)d->bytes)
		d->bytes = bytes < 0x1p62 ? (uint64_t)bytes : (uint64_t)1 << 62;
}

ws_status
wsi_decoder_open(wsi_recording *rec)
{
	wsi_wire body;
	WSI_TRY(start(&rec->decoder, rec->path, &rec->opts));
	WSI_TRY(open_there(rec->decoder, rec->reader->decoder, &rec->opts, &body));
	const ws_status status = wsi_recording_take(&body, rec);
	wsi_wire_free(&body);
	if (status == WS_OK && rec->n_channels > 0)
		expect(rec->decoder, rec->n_channels, rec->channels[0].samples,
		       rec->epochs ? rec->epochs : 1);
	for (size_t i = 0; status == WS_OK && rec->arrays && i < rec->arrays->n; ++i)
		expect(rec->decoder, 2, rec->arrays->items[i].lines,
		       wsi_stored_length(&rec->arrays->items[i]));
	return status;
}

ws_status
wsi_decoder_verify(const char *path, const wsi_open_opts *opts, size_t *arrays, size_t *chunks)
{
	wsi_decoder *d = NULL;
	wsi_wire body;
	*arrays = *chunks = 0;
	if (opts && opts->decoder && strcmp(opts->decoder, WSI_IN_PROCESS) == 0)
		return wsi_h5_sums_verify(path, path, opts->memory, arrays, chunks);
	ws_status status = start(&d, path, opts);
	if (status == WS_OK) {
		/* All that the file holds may be packed. */
		d->bytes *= 8;
		status = open_there(d, WSI_WIRE_VERIFY, opts, &body);
	}
	if (status == WS_OK) {
		*arrays = wsi_wire_get_size(&body);
		*chunks = wsi_wire_get_size(&body);
		wsi_wire_free(&body);
	}
	wsi_decoder_close(d);
	return status;
}

/* ---- Samples ----------------------------------------------------------------------- */

static ws_status
request(wsi_decoder *d, const wsi_wire_read *wanted)
{
	wsi_wire_read r = *wanted;
	r.at = d->slot * SLOT;
	WSI_TRY(ask(d, WSI_WIRE_READ, &r, sizeof r));
	d->slot = (d->slot + 1) % SLOTS;
	d->asked = r;
	return WS_OK;
}

/* Takes the answer to what was asked; *at: where the samples lie. */
static ws_status
collect(wsi_decoder *d, const double **at)
{
	wsi_wire body;
	*at = d->samples + d->asked.at;
	d->asked.count = 0;
	const ws_status status = hear(d, &body);
	wsi_wire_free(&body);
	return status;
}

static bool
is_asked(const wsi_decoder *d, const wsi_wire_read *r)
{
	return d->asked.count == r->count && d->asked.first == r->first
	       && d->asked.channel == r->channel && d->asked.epoch == r->epoch;
}

/* One part, of at most SLOT samples; next, unless its count is 0, is asked for while these are
 * taken. */
static ws_status
read_part(wsi_decoder *d, const wsi_wire_read *part, const wsi_wire_read *next, double *out)
{
	const double *from;
	/* What was asked for in vain is not worth a word where it failed. */
	if (d->asked.count && !is_asked(d, part)) {
		(void)collect(d, &from);
		if (d->ends)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the library for its format "
			                "crashes on it", d->path);
	}
	if (!d->asked.count)
		WSI_TRY(request(d, part));
	WSI_TRY(collect(d, &from));
	if (next->count)
		WSI_TRY(request(d, next));
	memcpy(out, from, part->count * sizeof *out);
	return WS_OK;
}

ws_status
wsi_decoder_read(wsi_decoder *d, size_t epoch, size_t channel, size_t first, size_t count,
                 size_t samples, double *out)
{
	wsi_wire_read part = { .epoch = epoch, .channel = channel };
	const size_t place = epoch * 31 + channel;
	const bool follows = d->last_place == place && d->last_end == first && first > 0;
	for (size_t done = 0; done < count; done += part.count) {
		part.first = first + done;
		part.count = count - done < SLOT ? count - done : SLOT;
		wsi_wire_read next = part;
		const size_t end = done + part.count, left = samples - first - end;
		next.first = first + end;
		next.count = end < count ? (count - end < SLOT ? count - end : SLOT)
		             : follows ? (left < part.count ? left : part.count) : 0;
		WSI_TRY(read_part(d, &part, &next, out + done));
	}
	d->last_place = place;
	d->last_end = first + count;
	return WS_OK;
}
