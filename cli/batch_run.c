/* batch_run.c - the recordings of a batch, each analysed by a process of its own. */
#define _GNU_SOURCE /* st_mtim */
#include "batch_run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/clock.h"
#include "base/new.h"
#include "batch_account.h"
#include "batch_arguments.h"
#include "batch_child.h"
#include "batch_known.h"
#include "batch_outputs.h"
#include "batch_shard.h"
#include "batch_share.h"
#include "json.h"
#include "message.h"
#include "progress.h"
#include "ranks.h"
#include "signals.h"
#include "values.h"

#define MOST_MESSAGES 64

/* Seconds until a signal is passed on (Ctrl-C reaches all processes by itself), and from then until
 * a second one makes them end at once. */
#define PASS_ON 0.3
#define INSIST 5.0

/* A place for one process at a time. */
typedef struct slot {
	struct batch *b;
	cli_child child;
	const cli_recording *r;
	char *paths[MADE_KINDS];   /* of what it makes */
	int made[MADE_KINDS];      /* folders that were not there */
	struct stat before;        /* of its result; st_ino 0: there is none */
	json_t *messages, *words;  /* what it says; its command line */
	json_t *told;              /* which files it has read; or NULL */
	bool known;                /* to be finished, without a process */
	double start;
	double done;               /* share of its work, as it tells */
	int errors;                /* messages that are no notes */
} slot;

typedef struct batch {
	const cli_args *args;
	const cli_inputs *inputs;
	cli_account account;
	slot *slots;               /* [jobs] */
	cli_share *shares;         /* [jobs] */
	int jobs, running;
	json_t *known;             /* what the record tells (batch_known.h); or NULL */
	size_t next;               /* that is begun, where this process is alone */
	const cli_recording **order; /* of those that ranks take in turn, the largest first; or
	                                NULL */
	bool all_begun;
	double start;
	double told;               /* when a signal was passed on; 0: not yet */
	int times;                 /* how often */
	bool asked;                /* to stop at a good moment (--max-time, SIGUSR1) */
	bool stopping;             /* none is begun */
	bool ending;               /* nor are those that run left to finish */
	ws_status failed;          /* the first failure of the batch itself, and why */
	char detail[CLI_SHOWN];
} batch;

/* What fails here ends the batch: those that run are ended, too. */
static void
note_failure(batch *b, ws_status status)
{
	if (status == WS_OK || b->failed != WS_OK)
		return;
	b->failed = status;
	snprintf(b->detail, sizeof b->detail, "%s", ws_error_detail());
	b->stopping = b->ending = true;
}

/* ---- What a process says ------------------------------------------------------------- */

/* Its progress, "emd  35 %, 3 min left", is part of ours. */
static bool
is_progress(slot *s, const char *line)
{
	const char *name = s->b->args->command.name;
	const size_t n = strlen(name);
	double percent;
	char sign;
	if (strncmp(line, name, n) != 0 || sscanf(line + n, " %lf %c", &percent, &sign) != 2
	    || sign != '%')
		return false;
	s->done = percent / 100;
	return true;
}

static bool
begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* A message names the file in most cases; else the recording is put before it. */
static void
take_line(void *user, const char *line)
{
	slot *s = user;
	char shown[CLI_SHOWN];
	const bool ours = begins(line, "wavesift: ");
	const char *text = line + (ours ? strlen("wavesift: ") : 0);
	const bool note = ours && begins(text, "note: ");
	text += note ? strlen("note: ") : 0;
	if (begins(line, CLI_TELLS_FILES)) {
		json_decref(s->told);
		s->told = json_loads(line + strlen(CLI_TELLS_FILES), 0, NULL);
		return;
	}
	/* After a signal each would say that it was stopped by it. */
	if (is_progress(s, line) || cli_signalled() || s->b->ending)
		return;
	if (json_array_size(s->messages) < MOST_MESSAGES)
		json_array_append_new(s->messages, cli_json_text(text));
	/* How all go on is told once. */
	if (ours && begins(text, "stopped by "))
		return;
	s->errors += ours && !note;
	cli_shown(s->r->path, shown);
	const bool named = begins(text, shown);
	const char *name = named ? "" : shown, *colon = named ? "" : ": ";
	char said[2 * CLI_SHOWN];
	snprintf(said, sizeof said, "%s%s%s", name, colon, text);
	note_failure(s->b, cli_account_say(&s->b->account, note, said));
}

/* ---- Records ---------------------------------------------------------------------------- */

/* Does a signal, or a failure of the batch, end it? */
static bool
is_stopped(const batch *b)
{
	return cli_signalled() || b->ending;
}

static const char *
word_of(const slot *s, int status, bool finished)
{
	if (status == EXIT_DONE)
		return finished ? "finished before" : "done";
	return is_stopped(s->b) || status == EXIT_STOPPED ? "stopped" : "failed";
}

static json_t *
record_of(slot *s, int status, bool finished)
{
	char clock[32] = "";
	const time_t begun = time(NULL) - (time_t)(wsi_now() - s->start + 0.5);
	struct tm tm;
	if (gmtime_r(&begun, &tm))
		strftime(clock, sizeof clock, "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_t *record = json_object();
	json_object_set_new(record, "recording", cli_json_text(s->r->path));
	json_object_set_new(record, "status", json_string(word_of(s, status, finished)));
	json_object_set_new(record, "exit", json_integer(status));
	for (int kind = 0; kind < MADE_KINDS; kind++)
		if (s->paths[kind] && status == EXIT_DONE)
			json_object_set_new(record, cli_made_word((cli_made)kind),
			                    cli_json_text(s->paths[kind]));
	json_object_set_new(record, "started", json_string(clock));
	json_object_set_new(record, "seconds",
	                    json_real((double)(long long)((wsi_now() - s->start) * 1e3) / 1e3));
	json_object_set(record, "messages", s->messages);
	json_object_set(record, "arguments", s->words);
	json_object_set_new(record, "version", json_string(ws_version()));
	if (status == EXIT_DONE)
		cli_known_add(record, s->told, s->paths[MADE_RESULT]);
	return record;
}

/* ---- The end of one ------------------------------------------------------------------------ */

/* Is there no room left where results go?  What fails for it once fails so again. */
static bool
is_full(const char *folder)
{
	struct statvfs v;
	return statvfs(folder, &v) == 0 && v.f_frsize > 0
	       && (double)v.f_bavail * (double)v.f_frsize < 65536;
}

/* Is its result the one that was there, whole and left alone? */
static bool
was_finished(const slot *s)
{
	struct stat now;
	return s->b->args->resume && s->before.st_ino && stat(s->paths[MADE_RESULT], &now) == 0
	       && now.st_ino == s->before.st_ino && now.st_dev == s->before.st_dev
	       && now.st_mtim.tv_sec == s->before.st_mtim.tv_sec
	       && now.st_mtim.tv_nsec == s->before.st_mtim.tv_nsec;
}

static void
clear_slot(slot *s)
{
	for (int kind = MADE_KINDS - 1; kind >= 0; kind--) {
		if (s->paths[kind] && s->b->args->dry_run)
			cli_folder_unmake_of(s->paths[kind], s->made[kind]);
		free(s->paths[kind]);
	}
	json_decref(s->messages);
	json_decref(s->words);
	json_decref(s->told);
	*s = (slot){ .b = s->b, .child = { .from = -1 } };
}

static void
finish(batch *b, slot *s)
{
	const int status = s->known ? EXIT_DONE : cli_child_end(&s->child);
	b->running -= !s->known;
	const bool finished = status == EXIT_DONE && was_finished(s);
	const bool failed = status != EXIT_DONE && status != EXIT_STOPPED && !is_stopped(b);
	const cli_end end = { .i = (size_t)(s->r - b->inputs->all), .status = status,
		.finished = finished, .stopped = !failed && status != EXIT_DONE,
		.full = failed && status == EXIT_NOROOM && is_full(b->args->output_dir),
		.silent = s->errors == 0, .seconds = wsi_now() - s->start,
		.result = s->paths[MADE_RESULT],
		.record = b->args->dry_run ? NULL : record_of(s, status, finished) };
	note_failure(b, cli_account_end(&b->account, &end));
	if (failed && (b->args->stop_on_error || end.full)) {
		b->stopping = true;
		note_failure(b, cli_ranks_no_more(b->args->ranks));
	}
	clear_slot(s);
}

/* ---- The start of one ---------------------------------------------------------------- */

/* The next that is for this process, or none: then all are begun. */
static ws_status
take_next(batch *b, const cli_recording **r)
{
	size_t i = b->next++;
	if (b->order)
		WSI_TRY(cli_ranks_next(b->args->ranks, &i));
	b->all_begun = i >= b->inputs->n;
	*r = b->all_begun ? NULL : b->order ? b->order[i] : &b->inputs->all[i];
	return WS_OK;
}

static ws_status
start(batch *b, slot *s, const cli_share *share)
{
	char **arguments;
	s->start = wsi_now();
	s->messages = json_array();
	s->words = json_array();
	for (int kind = 0; kind < MADE_KINDS; kind++) {
		WSI_TRY(cli_made_path(&s->paths[kind], (cli_made)kind, s->r, b->args));
		if (s->paths[kind])
			WSI_TRY(cli_folder_make_of(s->paths[kind], &s->made[kind]));
	}
	if (stat(s->paths[MADE_RESULT], &s->before) != 0)
		s->before.st_ino = 0;
	cli_share own = *share;
	if (b->args->max_time > 0)
		own.max_time = fmax(b->args->max_time - (wsi_now() - b->start), 0.001);
	WSI_TRY(cli_arguments_make(&arguments, b->args, s->r, s->paths, &own));
	for (char **word = arguments + 1; *word; word++)
		json_array_append_new(s->words, cli_json_text(*word));
	if (s->before.st_ino && !b->args->dry_run)
		s->told = json_incref(cli_known_finished(b->known, s->r, s->words, s->paths));
	s->known = s->told != NULL;
	const int error = s->known ? 0
	                  : cli_child_start(&s->child, arguments, b->args->dry_run ? CHILD_PLANS
	                                    : CHILD_MESSAGES, share->gpus);
	cli_arguments_free(arguments);
	return error ? WSI_FAIL(error == ENOMEM || error == EAGAIN ? WS_E_NOMEM : WS_E_INTERNAL,
	                        "the program cannot be started for %s: %s", s->r->path,
	                        strerror(error)) : WS_OK;
}

static ws_status
start_some(batch *b)
{
	for (int i = 0; i < b->jobs; i++) {
		slot *s = &b->slots[i];
		while (!s->child.pid && !b->stopping && !b->all_begun) {
			WSI_TRY(take_next(b, &s->r));
			if (!s->r)
				break;
			WSI_TRY(start(b, s, &b->shares[i]));
			b->running += !s->known;
			if (s->known)
				finish(b, s);
			b->stopping |= is_stopped(b);
		}
	}
	return WS_OK;
}

/* ---- All ---------------------------------------------------------------------------------- */

static void
signal_all(batch *b)
{
	for (int i = 0; i < b->jobs; i++)
		if (b->slots[i].child.pid)
			kill(b->slots[i].child.pid, SIGTERM);
	b->told = wsi_now();
	b->times++;
}

/* Those at work stop by themselves, in time or when they hear of it. */
static void
heed_stop(batch *b)
{
	const double most = b->args->max_time;
	const bool late = most > 0 && wsi_now() - b->start > most;
	if (b->asked || (!late && !cli_signals_stop_asked()))
		return;
	b->asked = b->stopping = true;
	note_failure(b, cli_ranks_no_more(b->args->ranks));
	for (int i = 0; i < b->jobs && !late; i++)
		if (b->slots[i].child.pid)
			kill(b->slots[i].child.pid, SIGUSR1);
}

static void
heed_signals(batch *b)
{
	heed_stop(b);
	if (!is_stopped(b))
		return;
	if (b->told == 0) {
		b->stopping = true;
		b->told = wsi_now();
		cli_progress_clear();
	} else if (wsi_now() - b->told > (b->times == 0 ? PASS_ON : INSIST)) {
		signal_all(b);
	}
}

static ws_status
show_progress(batch *b)
{
	double at_work = 0;
	for (int i = 0; i < b->jobs; i++)
		if (b->slots[i].child.pid)
			at_work += b->slots[i].done * cli_recording_weight(b->slots[i].r);
	return b->stopping ? WS_OK : cli_account_progress(&b->account, at_work);
}

/* Reads what they say for a while; those that ended are finished. */
static ws_status
listen(batch *b, struct pollfd *said)
{
	for (int i = 0; i < b->jobs; i++)
		said[i] = (struct pollfd){ .fd = b->slots[i].child.from, .events = POLLIN };
	if (poll(said, (nfds_t)b->jobs, 200) < 0 && errno != EINTR)
		return WSI_FAIL(WS_E_INTERNAL, "poll: %s", strerror(errno));
	for (int i = 0; i < b->jobs; i++)
		if (said[i].fd >= 0 && said[i].revents
		    && !cli_child_read(&b->slots[i].child, take_line, &b->slots[i]))
			finish(b, &b->slots[i]);
	return cli_account_listen(&b->account);
}

static ws_status
run_all(batch *b, struct pollfd *said)
{
	for (;;) {
		heed_signals(b);
		if (!b->stopping)
			note_failure(b, start_some(b));
		if (b->running == 0)
			break;
		note_failure(b, listen(b, said));
		note_failure(b, show_progress(b));
	}
	if (!is_stopped(b))
		note_failure(b, cli_account_finish(&b->account));
	cli_progress_clear();
	if (b->failed != WS_OK)
		return WSI_FAIL(b->failed, "%s", b->detail);
	return cli_signalled() ? WSI_FAIL(WS_E_CANCELLED, "cancelled") : WS_OK;
}

static int
by_size(const void *a, const void *b)
{
	const cli_recording *x = *(const cli_recording *const *)a;
	const cli_recording *y = *(const cli_recording *const *)b;
	return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1) : (x > y) - (x < y);
}

/* Ranks take the largest recordings first. */
static ws_status
order_for_ranks(batch *b)
{
	const size_t n = b->inputs->n;
	if (!b->args->ranks || b->args->dry_run)
		return WS_OK;
	WSI_NEW(b->order, n, "not enough memory for %zu recordings", n);
	for (size_t i = 0; i < n; i++)
		b->order[i] = &b->inputs->all[i];
	qsort(b->order, n, sizeof *b->order, by_size);
	return WS_OK;
}

static ws_status
prepare(batch *b, cli_batch_log *log, cli_tally *tally)
{
	const size_t n = (size_t)b->jobs;
	b->slots = calloc(n, sizeof *b->slots);
	b->shares = calloc(n, sizeof *b->shares);
	WSI_HAVE(b->slots && b->shares, "not enough memory for %d jobs", b->jobs);
	for (int i = 0; i < b->jobs; i++)
		b->slots[i] = (slot){ .b = b, .child = { .from = -1 } };
	WSI_TRY(cli_account_open(&b->account, b->args, b->inputs, log, tally));
	WSI_TRY(order_for_ranks(b));
	/* Who is to verify looks into all. */
	if (b->args->resume && !*b->args->resume && log)
		b->known = cli_known_read(log->path);
	cli_known_ask();
	return cli_shares_make(b->shares, b->jobs, b->args);
}

ws_status
cli_batch_run(cli_tally *tally, const cli_inputs *inputs, const cli_args *args, cli_batch_log *log)
{
	batch b = { .args = args, .inputs = inputs, .start = wsi_now(),
		.jobs = args->jobs ? args->jobs : 1 };
	*tally = (cli_tally){ 0 };
	if (args->dry_run)
		b.jobs = 1;
	if (inputs->n == 0)
		return WS_OK;
	if ((size_t)b.jobs > inputs->n)
		b.jobs = (int)inputs->n;
	struct pollfd *said = calloc((size_t)b.jobs, sizeof *said);
	ws_status status = said ? prepare(&b, log, tally)
	                   : WSI_FAIL(WS_E_NOMEM, "not enough memory for %d jobs", b.jobs);
	cli_progress_start(cli_rank(args->ranks) == 0 ? args->progress : PROGRESS_NEVER,
	                   args->command.name);
	if (status == WS_OK)
		status = run_all(&b, said);
	tally->left = inputs->n - tally->done - tally->failed - tally->finished;
	tally->asked = tally->left && (tally->asked || b.asked);
	tally->seconds = wsi_now() - b.start;
	for (int i = 0; b.slots && i < b.jobs; i++)
		clear_slot(&b.slots[i]);
	if (b.shares)
		cli_shares_free(b.shares, b.jobs);
	cli_account_close(&b.account);
	json_decref(b.known);
	free(b.slots);
	free(b.shares);
	free((void *)b.order);
	free(said);
	return status;
}
