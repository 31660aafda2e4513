/* batch_run.c - the recordings of a batch, each analysed by a process of its own. */
#define _GNU_SOURCE /* st_mtim */
#include "batch_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/clock.h"
#include "base/status.h"
#include "batch_arguments.h"
#include "batch_child.h"
#include "batch_outputs.h"
#include "batch_shard.h"
#include "batch_share.h"
#include "json.h"
#include "message.h"
#include "progress.h"
#include "signals.h"
#include "values.h"

#define MOST_MESSAGES 64

/* Seconds from a signal to us until it is passed on: of Ctrl-C all processes hear by themselves.
 * And until a second one makes them end at once. */
#define PASS_ON 0.3
#define INSIST 5.0

/* A place for one process at a time. */
typedef struct slot {
	cli_child child;
	const cli_recording *r;
	char *paths[MADE_KINDS];   /* of what it makes */
	int made[MADE_KINDS];      /* folders that were not there */
	struct stat before;        /* of its result; st_ino 0: there is none */
	json_t *messages, *words;  /* what it says; its command line */
	double start;
	double done;               /* share of its work, as it tells */
	int errors;                /* messages that are no notes */
	const cli_args *args;
} slot;

typedef struct batch {
	const cli_args *args;
	const cli_inputs *inputs;
	cli_batch_log *log;
	cli_tally *tally;
	slot *slots;               /* [jobs] */
	cli_share *shares;         /* [jobs] */
	int jobs;
	size_t next;               /* that is begun */
	double start;
	double weight, finished;   /* of all recordings; of those that ended */
	double told;               /* when a signal was passed on; 0: not yet */
	int times;                 /* how often */
	bool stopping;
} batch;

/* ---- What a process says ------------------------------------------------------------- */

/* Its progress, "emd  35 %, 3 min left", is part of ours. */
static bool
is_progress(slot *s, const char *line)
{
	const char *name = s->args->command.name;
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
	/* After a signal each would say that it was stopped by it. */
	if (is_progress(s, line) || cli_signalled())
		return;
	if (json_array_size(s->messages) < MOST_MESSAGES)
		json_array_append_new(s->messages, cli_json_text(text));
	s->errors += ours && !note;
	cli_shown(s->r->path, shown);
	const bool named = begins(text, shown);
	const char *name = named ? "" : shown, *colon = named ? "" : ": ";
	if (note)
		cli_note("%s%s%s", name, colon, text);
	else
		cli_fail(0, "%s%s%s", name, colon, text);
}

/* ---- Records ---------------------------------------------------------------------------- */

static const char *
word_of(int status, bool finished)
{
	if (status == EXIT_DONE)
		return finished ? "finished before" : "done";
	return cli_signalled() ? "stopped" : "failed";
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
	json_object_set_new(record, "status", json_string(word_of(status, finished)));
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
	return record;
}

static void
log_record(batch *b, slot *s, int status, bool finished)
{
	const ws_status logged = cli_batch_log_add(b->log, record_of(s, status, finished));
	if (logged != WS_OK && !b->tally->log_failed)
		cli_report_output(logged);
	b->tally->log_failed |= logged != WS_OK;
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
	return s->args->resume && s->before.st_ino && stat(s->paths[MADE_RESULT], &now) == 0
	       && now.st_ino == s->before.st_ino && now.st_dev == s->before.st_dev
	       && now.st_mtim.tv_sec == s->before.st_mtim.tv_sec
	       && now.st_mtim.tv_nsec == s->before.st_mtim.tv_nsec;
}

static void
tell_done(batch *b, const slot *s, bool finished)
{
	char seconds[32], name[CLI_SHOWN];
	const size_t ended = b->tally->done + b->tally->failed + b->tally->finished;
	if (b->args->quiet || b->args->json || b->args->dry_run)
		return;
	cli_progress_clear();
	int digits = snprintf(NULL, 0, "%zu", b->inputs->n);
	printf("%*zu of %zu  %s  %s", digits, ended, b->inputs->n, cli_shown(s->r->path, name),
	       finished ? "was finished" : cli_format_seconds(wsi_now() - s->start, seconds));
	printf("  %s\n", cli_shown(s->paths[MADE_RESULT], name));
	fflush(stdout);
}

static void
tell_failed(const slot *s, int status)
{
	char name[CLI_SHOWN];
	cli_shown(s->r->path, name);
	if (status > 128 && status < 128 + NSIG)
		cli_fail(0, "%s: its process was ended by signal %d (%s)%s", name, status - 128,
		         strsignal(status - 128), status - 128 == SIGKILL
		         ? "; was there not enough memory? --memory sets a limit" : "");
	else if (s->errors == 0)
		cli_fail(0, "%s: failed with status %d", name, status);
}

static void
clear_slot(slot *s)
{
	for (int kind = MADE_KINDS - 1; kind >= 0; kind--) {
		if (s->paths[kind] && s->args->dry_run)
			cli_folder_unmake_of(s->paths[kind], s->made[kind]);
		free(s->paths[kind]);
	}
	json_decref(s->messages);
	json_decref(s->words);
	const cli_args *args = s->args;
	*s = (slot){ .args = args, .child = { .from = -1 } };
}

static void
finish(batch *b, slot *s)
{
	const int status = cli_child_end(&s->child);
	const bool finished = status == EXIT_DONE && was_finished(s);
	/* What took no time tells nothing of how long the rest takes. */
	if (finished)
		b->weight -= cli_recording_weight(s->r);
	else
		b->finished += cli_recording_weight(s->r);
	if (status == EXIT_DONE) {
		b->tally->done += !finished;
		b->tally->finished += finished;
		tell_done(b, s, finished);
	} else if (cli_signalled()) {
		b->tally->left++;
	} else {
		b->tally->failed++;
		tell_failed(s, status);
		b->tally->full |= status == EXIT_NOROOM && is_full(b->args->output_dir);
		b->stopping |= b->args->stop_on_error || b->tally->full;
	}
	if (!b->args->dry_run)
		log_record(b, s, status, finished);
	clear_slot(s);
}

/* ---- The start of one ---------------------------------------------------------------- */

static ws_status
start(batch *b, slot *s, const cli_share *share)
{
	char **arguments;
	s->r = &b->inputs->all[b->next++];
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
	WSI_TRY(cli_arguments_make(&arguments, b->args, s->r, s->paths, share));
	for (char **word = arguments + 1; *word; word++)
		json_array_append_new(s->words, cli_json_text(*word));
	const int error = cli_child_start(&s->child, arguments,
	                                  b->args->dry_run ? CHILD_PLANS : CHILD_MESSAGES,
	                                  share->gpus);
	cli_arguments_free(arguments);
	return error ? WSI_FAIL(error == ENOMEM || error == EAGAIN ? WS_E_NOMEM : WS_E_INTERNAL,
	                        "the program cannot be started for %s: %s", s->r->path,
	                        strerror(error)) : WS_OK;
}

static ws_status
start_some(batch *b, int *running)
{
	for (int i = 0; i < b->jobs; i++) {
		if (b->slots[i].child.pid || b->stopping || b->next == b->inputs->n)
			continue;
		WSI_TRY(start(b, &b->slots[i], &b->shares[i]));
		++*running;
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

static void
heed_signals(batch *b)
{
	if (!cli_signalled())
		return;
	if (b->told == 0) {
		b->stopping = true;
		b->told = wsi_now();
		cli_progress_clear();
	} else if (wsi_now() - b->told > (b->times == 0 ? PASS_ON : INSIST)) {
		signal_all(b);
	}
}

static void
show_progress(const batch *b)
{
	double done = b->finished;
	for (int i = 0; i < b->jobs; i++)
		if (b->slots[i].child.pid)
			done += b->slots[i].done * cli_recording_weight(b->slots[i].r);
	if (!b->stopping)
		cli_progress_step(NULL, b->weight > 0 ? done / b->weight : 1);
}

/* Reads what they say for a while; those that ended are finished. */
static ws_status
listen(batch *b, struct pollfd *said, int *running)
{
	for (int i = 0; i < b->jobs; i++)
		said[i] = (struct pollfd){ .fd = b->slots[i].child.from, .events = POLLIN };
	if (poll(said, (nfds_t)b->jobs, 200) < 0 && errno != EINTR)
		return WSI_FAIL(WS_E_INTERNAL, "poll: %s", strerror(errno));
	for (int i = 0; i < b->jobs; i++)
		if (said[i].fd >= 0 && said[i].revents
		    && !cli_child_read(&b->slots[i].child, take_line, &b->slots[i])) {
			finish(b, &b->slots[i]);
			--*running;
		}
	return WS_OK;
}

static ws_status
run_all(batch *b, struct pollfd *said)
{
	int running = 0;
	ws_status status = WS_OK;
	for (;;) {
		heed_signals(b);
		if (status == WS_OK && !b->stopping)
			status = start_some(b, &running);
		if (status != WS_OK && !b->stopping) {
			b->stopping = true;
			signal_all(b);
		}
		if (running == 0)
			break;
		const ws_status heard = listen(b, said, &running);
		status = status == WS_OK ? heard : status;
		show_progress(b);
	}
	cli_progress_clear();
	return status;
}

ws_status
cli_batch_run(cli_tally *tally, const cli_inputs *inputs, const cli_args *args, cli_batch_log *log)
{
	batch b = { .args = args, .inputs = inputs, .log = log, .tally = tally,
		.start = wsi_now(), .jobs = args->jobs ? args->jobs : 1 };
	*tally = (cli_tally){ 0 };
	if (args->dry_run)
		b.jobs = 1;
	if (inputs->n == 0)
		return WS_OK;
	if ((size_t)b.jobs > inputs->n)
		b.jobs = (int)inputs->n;
	for (size_t i = 0; i < inputs->n; i++)
		b.weight += cli_recording_weight(&inputs->all[i]);
	const size_t n = (size_t)b.jobs;
	b.slots = calloc(n, sizeof *b.slots);
	b.shares = calloc(n, sizeof *b.shares);
	struct pollfd *said = calloc(n, sizeof *said);
	ws_status status = b.slots && b.shares && said ? cli_shares_make(b.shares, b.jobs, args)
	                   : WSI_FAIL(WS_E_NOMEM, "not enough memory for %d jobs", b.jobs);
	for (int i = 0; b.slots && i < b.jobs; i++)
		b.slots[i] = (slot){ .args = args, .child = { .from = -1 } };
	cli_progress_start(args->progress, args->command.name);
	if (status == WS_OK)
		status = run_all(&b, said);
	tally->left += inputs->n - b.next;
	tally->seconds = wsi_now() - b.start;
	for (int i = 0; b.slots && i < b.jobs; i++)
		clear_slot(&b.slots[i]);
	if (b.shares)
		cli_shares_free(b.shares, b.jobs);
	free(b.slots);
	free(b.shares);
	free(said);
	return status == WS_OK && cli_signalled() ? WSI_FAIL(WS_E_CANCELLED, "cancelled") : status;
}
