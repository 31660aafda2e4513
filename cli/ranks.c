/* ranks.c - this process among those that a launcher has started to work on one command. */
#include "ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/cpu_probe.h"
#include "base/library.h"
#include "base/status.h"
#include "machine.h"
#include "message.h"
#include "mpi/ranks.h"
#include "ranks_cores.h"
#include "signals.h"

#define LIBRARY "libwavesift_mpi.so"

/* Seconds after a failure until ranks that have not come are ended; those that did not fail
 * themselves wait longer, so that one message is printed. */
#define PATIENCE 5.0
#define MORE_PATIENCE 2.0

/* Seconds that tasks that cannot join wait for the one that says why. */
#define GRACE 2.0

/* Seconds that messages are taken for in one go; and for which the next is waited for. */
#define LISTENING 0.05
#define LINGERING 0.0005

enum { TAG_STOP = 0 };

/* No rank has failed. */
#define NOBODY INT64_MAX
/* A failure as a number, of which the least counts: that of the lowest rank. */
#define STATUSES 1000

/* A message on its way, with its length before it. */
typedef struct sending {
	struct sending *next;
	void *request;           /* of MPI's, the last of them */
	size_t bytes;
	char *data;
} sending;

struct cli_ranks {
	const wsi_ranks *mpi;
	wsi_rank rank;
	int threads, all_threads;
	int64_t failure;         /* rank * STATUSES + exit status; NOBODY */
	double since;            /* that it is known */
	bool ended;              /* all know it: no step follows */
	int64_t values[1 + CLI_AGREED];
	sending *first, *last;   /* in their order */
	size_t on_their_way;     /* bytes of these */
	sending *composed;
	char *inbox;
	size_t inbox_bytes;
};

/* ---- Failures -------------------------------------------------------- */

static ws_status
mpi_failed(const cli_ranks *r, int error)
{
	char text[256];
	return WSI_FAIL(WS_E_BACKEND, "MPI: %s", r->mpi->tell(error, text));
}

#define TRY_MPI(r, call) do { \
	const int error_ = (call); \
	if (error_) \
		return mpi_failed(r, error_); \
} while (0)

static ws_status
stopped(void)
{
	return WSI_FAIL(WS_E_CANCELLED, "stopped with the other ranks");
}

/* Takes a message for those that are to go out; it is freed when it has left. */
static ws_status
enqueue(cli_ranks *r, sending *s, int to, int tag)
{
	for (size_t at = 0, n; at < s->bytes; at += n) {
		n = s->bytes - at < WSI_MOST_MESSAGE ? s->bytes - at : WSI_MOST_MESSAGE;
		/* Parts leave in their order: when the last has left, all have. */
		void *request;
		TRY_MPI(r, r->mpi->send(to, tag, s->data + at, n, &request));
		s->request = request;
	}
	s->next = NULL;
	if (r->last)
		r->last->next = s;
	else
		r->first = s;
	r->last = s;
	r->on_their_way += s->bytes;
	return WS_OK;
}

static sending *
make_message(size_t bytes)
{
	sending *s = calloc(1, sizeof *s);
	uint64_t length = sizeof length + bytes;
	if (s)
		s->data = malloc(length);
	if (!s || !s->data) {
		free(s);
		return NULL;
	}
	s->bytes = length;
	memcpy(s->data, &length, sizeof length);
	return s;
}

static void
free_message(sending *s)
{
	if (s)
		free(s->data);
	free(s);
}

static void
take_note(cli_ranks *r, int64_t failure)
{
	if (r->failure == NOBODY)
		r->since = wsi_now();
	if (failure < r->failure)
		r->failure = failure;
}

/* This rank has failed: the others are told, whatever they do. */
static void
give_up(cli_ranks *r, int status)
{
	if (r->failure != NOBODY)
		return;
	take_note(r, (int64_t)r->rank.number * STATUSES + status);
	for (int i = 0; i < r->rank.count; i++) {
		sending *s = i == r->rank.number ? NULL : make_message(sizeof r->failure);
		if (!s)
			continue;
		memcpy(s->data + sizeof(uint64_t), &r->failure, sizeof r->failure);
		if (enqueue(r, s, i, TAG_STOP) != WS_OK)
			free_message(s);
	}
}

/* After a signal, or where another failed. */
static ws_status
check(cli_ranks *r)
{
	if (cli_signalled())
		give_up(r, cli_signal_status());
	return r->failure == NOBODY ? WS_OK : stopped();
}

static bool
is_own_failure(const cli_ranks *r)
{
	return r->failure / STATUSES == r->rank.number;
}

/* Ends all, where some have not come for long. */
static void
mind_the_time(cli_ranks *r)
{
	if (r->failure == NOBODY)
		return;
	const double patience = PATIENCE + (is_own_failure(r) ? 0 : MORE_PATIENCE)
	                        + 0.1 * r->rank.local;
	if (wsi_now() - r->since < patience)
		return;
	cli_messages_release(is_own_failure(r));
	r->mpi->abort((int)(r->failure % STATUSES));
	_Exit((int)(r->failure % STATUSES));
}

void
cli_ranks_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
}

/* ---- Messages -------------------------------------------------------- */

/* Frees what has left. */
static ws_status
tidy(cli_ranks *r)
{
	while (r->first) {
		bool done;
		sending *s = r->first;
		TRY_MPI(r, r->mpi->sent(s->request, &done));
		if (!done)
			return WS_OK;
		r->on_their_way -= s->bytes;
		r->first = s->next;
		r->last = r->first ? r->last : NULL;
		free_message(s);
	}
	return WS_OK;
}

static ws_status
make_room(cli_ranks *r, size_t bytes)
{
	if (bytes <= r->inbox_bytes)
		return WS_OK;
	char *grown = realloc(r->inbox, bytes);
	if (!grown)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu bytes of another rank", bytes);
	r->inbox = grown;
	r->inbox_bytes = bytes;
	return WS_OK;
}

/* The rest of a message whose first part is here. */
static ws_status
receive_rest(cli_ranks *r, int from, int tag, size_t here, size_t *bytes)
{
	uint64_t length;
	memcpy(&length, r->inbox, sizeof length);
	WSI_TRY(make_room(r, length));
	for (size_t at = here, n; at < length; at += n) {
		n = length - at < WSI_MOST_MESSAGE ? length - at : WSI_MOST_MESSAGE;
		TRY_MPI(r, r->mpi->receive(from, tag, r->inbox + at, n));
	}
	*bytes = length - sizeof length;
	return WS_OK;
}

/* Takes one message, if there is one.  Without take() what others have for rank 0 stays where it is:
 * they may be a step ahead; once a rank has failed it is dropped, so that it is out of their way. */
static ws_status
hear(cli_ranks *r, cli_ranks_take take, void *user, bool *there)
{
	int from, tag = take || r->failure != NOBODY ? -1 : TAG_STOP;
	size_t bytes;
	TRY_MPI(r, r->mpi->probe(there, &from, &tag, &bytes));
	if (!*there)
		return WS_OK;
	WSI_TRY(make_room(r, bytes));
	TRY_MPI(r, r->mpi->receive(from, tag, r->inbox, bytes));
	WSI_TRY(receive_rest(r, from, tag, bytes, &bytes));
	const char *data = r->inbox + sizeof(uint64_t);
	if (tag == TAG_STOP) {
		int64_t failure;
		memcpy(&failure, data, sizeof failure);
		take_note(r, failure);
		return WS_OK;
	}
	return take ? take(user, from, tag, data, bytes) : WS_OK;
}

ws_status
cli_ranks_listen(cli_ranks *r, cli_ranks_take take, void *user)
{
	const double start = wsi_now();
	double last = start, now = start;
	bool there;
	WSI_TRY(tidy(r));
	while (now - start < LISTENING && now - last < LINGERING) {
		WSI_TRY(hear(r, take, user, &there));
		WSI_TRY(check(r));
		now = wsi_now();
		last = there ? now : last;
		/* Who has heard nothing yet does not linger. */
		if (!there && last == start)
			break;
	}
	return WS_OK;
}

ws_status
cli_ranks_compose(cli_ranks *r, size_t bytes, size_t room, void **data)
{
	bool there;
	WSI_TRY(tidy(r));
	while (r->on_their_way && r->on_their_way + bytes > room) {
		WSI_TRY(hear(r, NULL, NULL, &there));
		WSI_TRY(check(r));
		cli_ranks_nap();
		WSI_TRY(tidy(r));
	}
	free_message(r->composed);
	r->composed = make_message(bytes);
	if (!r->composed)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu bytes for another rank", bytes);
	*data = r->composed->data + sizeof(uint64_t);
	return WS_OK;
}

ws_status
cli_ranks_post(cli_ranks *r, int tag)
{
	sending *s = r->composed;
	r->composed = NULL;
	return enqueue(r, s, 0, tag);
}

ws_status
cli_ranks_flush(cli_ranks *r)
{
	bool there;
	WSI_TRY(tidy(r));
	while (r->first) {
		WSI_TRY(hear(r, NULL, NULL, &there));
		mind_the_time(r);
		WSI_TRY(check(r));
		cli_ranks_nap();
		WSI_TRY(tidy(r));
	}
	return WS_OK;
}

/* ---- Steps -------------------------------------------------------- */

/* One step with all others: r->values become the least of all, the first of them the failure. */
static ws_status
step(cli_ranks *r)
{
	bool done = false, there;
	/* What rank 0 drops now, or others' failures. */
	WSI_TRY(tidy(r));
	while (r->first) {
		WSI_TRY(hear(r, NULL, NULL, &there));
		(void)check(r);
		mind_the_time(r);
		if (!there)
			cli_ranks_nap();
		WSI_TRY(tidy(r));
	}
	r->values[0] = r->failure;
	TRY_MPI(r, r->mpi->least(r->values, 1 + CLI_AGREED));
	for (;;) {
		TRY_MPI(r, r->mpi->least_done(&done));
		if (done)
			break;
		WSI_TRY(hear(r, NULL, NULL, &there));
		(void)check(r);
		mind_the_time(r);
		if (!there)
			cli_ranks_nap();
	}
	if (r->values[0] == NOBODY)
		return WS_OK;
	r->failure = r->values[0];
	r->ended = true;
	return WS_OK;
}

ws_status
cli_ranks_agree(cli_ranks *r, int64_t *values, size_t n)
{
	if (!r)
		return WS_OK;
	WSI_TRY(check(r));
	for (size_t i = 0; i < CLI_AGREED; i++)
		r->values[1 + i] = i < n ? values[i] : 0;
	WSI_TRY(step(r));
	WSI_TRY(check(r));
	for (size_t i = 0; i < n; i++)
		values[i] = r->values[1 + i];
	return WS_OK;
}

ws_status
cli_ranks_most(cli_ranks *r, size_t *counts, size_t n)
{
	int64_t values[CLI_AGREED];
	for (size_t at = 0, some; r && at < n; at += some) {
		some = n - at < CLI_AGREED ? n - at : CLI_AGREED;
		for (size_t i = 0; i < some; i++)
			values[i] = -(int64_t)counts[at + i];
		WSI_TRY(cli_ranks_agree(r, values, some));
		for (size_t i = 0; i < some; i++)
			counts[at + i] = (size_t)-values[i];
	}
	return WS_OK;
}

ws_status
cli_ranks_next(cli_ranks *r, size_t *number)
{
	int64_t value;
	WSI_TRY(check(r));
	TRY_MPI(r, r->mpi->next(&value, 1));
	*number = (size_t)value;
	return WS_OK;
}

ws_status
cli_ranks_no_more(cli_ranks *r)
{
	int64_t value;
	if (!r)
		return WS_OK;
	TRY_MPI(r, r->mpi->next(&value, (int64_t)1 << 40));
	return WS_OK;
}

/* ---- The library -------------------------------------------------------- */

static const wsi_ranks *
open_library(const char **why)
{
	char path[PATH_MAX];
	*why = LIBRARY " is not beside this program; use a build with MPI";
	if (!wsi_library_find(LIBRARY, path))
		return NULL;
	/* Parts of MPI that it opens itself look for its symbols among all. */
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
	*why = library ? LIBRARY " is of another version of wavesift; reinstall both" : dlerror();
	wsi_ranks_entry_fn entry = NULL;
	if (library)
		*(void **)&entry = dlsym(library, WSI_RANKS_ENTRY);
	const wsi_ranks *mpi = entry ? entry(WSI_RANKS_VERSION) : NULL;
	return mpi && mpi->size == sizeof *mpi ? mpi : NULL;
}

/* Of tasks that cannot join one speaks for all.  A launcher ends those that are left when one has
 * ended, so the others let it speak. */
static int
refuse(const cli_launch *launch, const char *why)
{
	const double start = wsi_now();
	while (launch->task > 0 && wsi_now() - start < GRACE && !cli_signalled())
		cli_ranks_nap();
	cli_messages_release(false);
	if (launch->task == 0)
		cli_fail(0, "this is one of %d tasks that were started together, and they cannot work "
		         "together: %s; --mpi never has each do all of the work", launch->tasks, why);
	return EXIT_USAGE;
}

/* Is --mpi never among words that could not be parsed? */
static bool
says_never(char **argv)
{
	for (char **a = argv; *a; a++)
		if (strcmp(*a, "--mpi=never") == 0
		    || (strcmp(*a, "--mpi") == 0 && a[1] && strcmp(a[1], "never") == 0))
			return true;
	return false;
}

/* ---- Beginning and end -------------------------------------------------------- */

/* A number of the command line, which may begin with a path of the machine. */
static int64_t
number_of(char **argv)
{
	uint64_t h = 14695981039346656037u;
	for (char **a = argv + 1; *a; a++)
		for (const char *c = *a; ; c++) {
			h = (h ^ (unsigned char)*c) * 1099511628211u;
			if (!*c)
				break;
		}
	return (int64_t)(h >> 1);
}

/* Threads of all ranks together. */
static ws_status
count_threads(cli_ranks *r)
{
	size_t *of = calloc((size_t)r->rank.count, sizeof *of);
	if (!of)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %d ranks", r->rank.count);
	of[r->rank.number] = (size_t)r->threads;
	const ws_status status = cli_ranks_most(r, of, (size_t)r->rank.count);
	for (int i = 0; i < r->rank.count; i++)
		r->all_threads += (int)of[i];
	free(of);
	return status;
}

static ws_status
meet(cli_ranks *r, const cli_args *args, char **argv)
{
	const int64_t command = number_of(argv);
	int64_t both[2] = { command, -command };
	int cores;
	WSI_TRY(cli_ranks_cores(r->mpi, &r->rank, &r->threads, &cores));
	if (args->threads)
		r->threads = args->threads;
	WSI_TRY(cli_ranks_agree(r, both, 2));
	if (both[0] != -both[1])
		return WSI_FAIL(WS_E_ARG, "ranks have different command lines: start all %d alike, to "
		                "work on one together, or add --mpi never, to have each work alone",
		                r->rank.count);
	WSI_TRY(count_threads(r));
	if (cores == 1 && !args->threads && wsi_cpu_online() >= 2 * r->rank.locals)
		cli_note("each rank is bound to one core of the %d that this machine has: mpirun "
		         "--bind-to none, or --map-by slot:PE=N, lets it use more",
		         wsi_cpu_online());
	return WS_OK;
}

int
cli_ranks_open(cli_ranks **ranks, const cli_launch *launch, const cli_args *args, char **argv,
               int status)
{
	const char *why;
	*ranks = NULL;
	if (launch->tasks < 2 || args->mpi || (status >= 0 && says_never(argv))) {
		cli_messages_release(true);
		cli_signals_alone();
		return status;
	}
	cli_signals_hold();
	if (launch->deaf)
		return refuse(launch, "srun was told of no MPI (srun --mpi=pmix)");
	cli_ranks *r = calloc(1, sizeof *r);
	if (!r)
		return refuse(launch, "there is no memory for it");
	r->failure = NOBODY;
	r->mpi = open_library(&why);
	if (r->mpi)
		why = r->mpi->open(&r->rank) != 0 ? "MPI cannot be started"
		      : r->rank.count != launch->tasks ? LIBRARY " is of another MPI than the "
		      "launcher" : NULL;
	if (why) {
		free(r);
		return refuse(launch, why);
	}
	*ranks = r;
	if (r->rank.number)
		cli_notes_off();
	/* Of one whose command line was refused the others hear in their first step. */
	if (status >= 0)
		return status;
	const ws_status met = meet(r, args, argv);
	return met == WS_OK ? -1 : cli_report(met);
}

int
cli_ranks_close(cli_ranks *r, int status)
{
	if (!r)
		return status;
	if (status != EXIT_DONE)
		give_up(r, status);
	if (!r->ended && step(r) != WS_OK) {
		cli_messages_release(true);
		r->mpi->abort(status);
	}
	const bool failed = r->failure != NOBODY;
	cli_messages_release(failed && is_own_failure(r));
	(void)r->mpi->close();
	status = failed ? (int)(r->failure % STATUSES) : status;
	while (r->first) {
		sending *s = r->first;
		r->first = s->next;
		free_message(s);
	}
	free_message(r->composed);
	free(r->inbox);
	free(r);
	return status;
}

/* ---- Who is there -------------------------------------------------------- */

int
cli_rank(const cli_ranks *r)
{
	return r ? r->rank.number : 0;
}

int
cli_ranks_count(const cli_ranks *r)
{
	return r ? r->rank.count : 1;
}

int
cli_ranks_number_here(const cli_ranks *r)
{
	return r ? r->rank.local : 0;
}

int
cli_ranks_here(const cli_ranks *r)
{
	return r ? r->rank.locals : 1;
}

int
cli_ranks_threads(const cli_ranks *r)
{
	return r ? r->threads : 0;
}

int
cli_ranks_all_threads(const cli_ranks *r)
{
	return r ? r->all_threads : 0;
}
