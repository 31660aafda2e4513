/* ranks.c - this process among those that a launcher has started to work on one command. */
#include "ranks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu_probe.h"
#include "base/library.h"
#include "base/new.h"
#include "message.h"
#include "ranks_cores.h"
#include "ranks_state.h"
#include "signals.h"

#define LIBRARY "libwavesift_mpi.so"

/* Seconds that tasks that cannot join wait for the one that says why. */
#define GRACE 2.0

/* ---- Steps -------------------------------------------------------- */

/* What is due while others are waited for. */
static ws_status
attend(cli_ranks *r)
{
	bool there;
	WSI_TRY(cli_ranks_hear(r, NULL, NULL, &there));
	(void)cli_ranks_check(r);
	cli_ranks_mind_the_time(r);
	if (!there)
		cli_ranks_nap();
	return WS_OK;
}

/* One step with all others: r->values become the least of all, the first of them the failure. */
static ws_status
step(cli_ranks *r)
{
	bool done = false;
	/* What rank 0 drops now, or others' failures. */
	WSI_TRY(cli_ranks_tidy(r));
	while (r->first) {
		WSI_TRY(attend(r));
		WSI_TRY(cli_ranks_tidy(r));
	}
	r->values[0] = r->failure;
	TRY_MPI(r, r->mpi->least(r->values, 1 + CLI_AGREED));
	for (;;) {
		TRY_MPI(r, r->mpi->least_done(&done));
		if (done)
			break;
		WSI_TRY(attend(r));
	}
	if (r->values[0] == CLI_NOBODY)
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
	WSI_TRY(cli_ranks_check(r));
	for (size_t i = 0; i < CLI_AGREED; i++)
		r->values[1 + i] = i < n ? values[i] : 0;
	WSI_TRY(step(r));
	WSI_TRY(cli_ranks_check(r));
	for (size_t i = 0; i < n; i++)
		values[i] = r->values[1 + i];
	return WS_OK;
}

ws_status
cli_ranks_least(cli_ranks *r, int64_t *values, size_t n)
{
	for (size_t at = 0, some; r && at < n; at += some) {
		some = n - at < CLI_AGREED ? n - at : CLI_AGREED;
		WSI_TRY(cli_ranks_agree(r, values + at, some));
	}
	return WS_OK;
}

ws_status
cli_ranks_share(cli_ranks *r, int64_t *values, size_t n)
{
	for (size_t i = 0; i < n && cli_rank(r) > 0; i++)
		values[i] = INT64_MAX;
	return cli_ranks_least(r, values, n);
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
	WSI_TRY(cli_ranks_check(r));
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
		cli_fail(0, "this is one of %d tasks that were started together, and they cannot "
		         "work together: %s; --mpi never has each do all of the work",
		         launch->tasks, why);
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
	size_t *of;
	WSI_NEW(of, (size_t)r->rank.count, "no memory for %d ranks", r->rank.count);
	of[r->rank.number] = (size_t)r->threads;
	const ws_status status = cli_ranks_most(r, of, (size_t)r->rank.count);
	for (int i = 0; i < r->rank.count; i++)
		r->all_threads += (int)of[i];
	free(of);
	return status;
}

/* cores: that this rank may use. */
static ws_status
meet(cli_ranks *r, const cli_args *args, char **argv, int cores)
{
	const int64_t command = number_of(argv);
	int64_t both[2] = { command, -command };
	WSI_TRY(cli_ranks_agree(r, both, 2));
	if (both[0] != -both[1])
		return WSI_FAIL(WS_E_ARG, "ranks have different command lines: start all %d alike, "
		                "to work on one together, or add --mpi never, to have each work "
		                "alone", r->rank.count);
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
		cli_signals_another_tells(false);
		return status;
	}
	cli_signals_hold();
	if (launch->deaf)
		return refuse(launch, "srun was told of no MPI (srun --mpi=pmix)");
	cli_ranks *r = calloc(1, sizeof *r);
	if (!r)
		return refuse(launch, "there is no memory for it");
	r->failure = CLI_NOBODY;
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
	int cores;
	ws_status met = cli_ranks_cores(r->mpi, &r->rank, &r->threads, &cores);
	r->threads = args->threads ? args->threads : r->threads;
	/* Of one whose command line was refused the others hear in their first step. */
	if (status >= 0)
		return status;
	if (met == WS_OK)
		met = meet(r, args, argv, cores);
	return met == WS_OK ? -1 : cli_report(met);
}

int
cli_ranks_close(cli_ranks *r, int status)
{
	if (!r)
		return status;
	if (status != EXIT_DONE)
		cli_ranks_give_up(r, status);
	if (!r->ended && step(r) != WS_OK) {
		cli_messages_release(true);
		r->mpi->abort(status);
	}
	/* What comes once all have agreed that all is well comes too late. */
	const bool failed = r->ended;
	cli_ranks_speak(r, failed);
	(void)r->mpi->close();
	status = failed ? (int)(r->failure % CLI_STATUSES) : status;
	cli_ranks_forget(r);
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

cli_ranks_place
cli_ranks_self(const cli_ranks *r)
{
	return r ? (cli_ranks_place){ r->rank.local, r->rank.locals, r->threads, r->all_threads }
	         : (cli_ranks_place){ .locals = 1 };
}
