/* batch_account.c - what becomes of the recordings of a batch: told, counted and recorded. */
#include "batch_account.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/new.h"
#include "batch_shard.h"
#include "json.h"
#include "message.h"
#include "progress.h"
#include "ranks.h"
#include "values.h"

/* Messages of the other ranks are objects of JSON, but for the weight and the end. */
enum { TAG_LINE = 1, TAG_END, TAG_AT_WORK, TAG_DONE };

/* Seconds between two words of how far a rank is. */
#define TELL 0.5

/* ---- Here ---------------------------------------------------------------------------- */

static void
tell_done(const cli_account *a, const cli_end *e)
{
	char seconds[32], name[CLI_SHOWN];
	const size_t ended = a->tally->done + a->tally->failed + a->tally->finished;
	if (a->args->quiet || a->args->json || a->args->dry_run)
		return;
	cli_progress_clear();
	int digits = snprintf(NULL, 0, "%zu", a->inputs->n);
	printf("%*zu of %zu  %s  %s", digits, ended, a->inputs->n,
	       cli_shown(a->inputs->all[e->i].path, name),
	       e->finished ? "was finished" : cli_format_seconds(e->seconds, seconds));
	printf("  %s\n", cli_shown(e->result, name));
	fflush(stdout);
}

static void
tell_failed(const cli_account *a, const cli_end *e)
{
	char name[CLI_SHOWN];
	cli_shown(a->inputs->all[e->i].path, name);
	const int signal = e->status - 128;
	if (signal > 0 && signal < NSIG)
		cli_fail(0, "%s: its process was ended by signal %d (%s)%s", name, signal,
		         strsignal(signal), signal == SIGKILL
		         ? "; was there not enough memory? --memory sets a limit" : "");
	else if (e->silent)
		cli_fail(0, "%s: failed with status %d", name, e->status);
}

static void
log_record(cli_account *a, json_t *record)
{
	const ws_status logged = cli_batch_log_add(a->log, record);
	if (logged != WS_OK && !a->tally->log_failed)
		cli_report_output(logged);
	a->tally->log_failed |= logged != WS_OK;
}

static void
count(cli_account *a, const cli_end *e)
{
	cli_tally *t = a->tally;
	const double weight = cli_recording_weight(&a->inputs->all[e->i]);
	/* What took no time tells nothing of how long the rest takes. */
	if (e->finished)
		a->weight -= weight;
	else
		a->finished += weight;
	if (e->status == EXIT_DONE) {
		t->done += !e->finished;
		t->finished += e->finished;
		tell_done(a, e);
	} else if (e->status == EXIT_STOPPED) {
		t->asked = true;
	} else if (!e->stopped) {
		t->failed++;
		tell_failed(a, e);
		t->full |= e->full;
	}
	if (e->record)
		log_record(a, e->record);
}

static void
say(bool note, const char *text)
{
	if (note)
		cli_note("%s", text);
	else
		cli_fail(0, "%s", text);
}

/* ---- From rank to rank ------------------------------------------------------------------- */

static ws_status
send(cli_account *a, int tag, const void *data, size_t bytes)
{
	void *message;
	WSI_TRY(cli_ranks_compose(a->args->ranks, bytes, SIZE_MAX, &message));
	memcpy(message, data, bytes);
	return cli_ranks_post(a->args->ranks, tag);
}

static ws_status
send_json(cli_account *a, int tag, json_t *object)
{
	char *text = cli_json_line(object);
	WSI_HAVE(text, "not enough memory for a message to another rank");
	const ws_status status = send(a, tag, text, strlen(text));
	free(text);
	return status;
}

static ws_status
send_end(cli_account *a, const cli_end *e)
{
	json_t *o = json_object();
	json_object_set_new(o, "i", json_integer((json_int_t)e->i));
	json_object_set_new(o, "status", json_integer(e->status));
	json_object_set_new(o, "finished", json_boolean(e->finished));
	json_object_set_new(o, "stopped", json_boolean(e->stopped));
	json_object_set_new(o, "full", json_boolean(e->full));
	json_object_set_new(o, "silent", json_boolean(e->silent));
	json_object_set_new(o, "seconds", json_real(e->seconds));
	json_object_set_new(o, "result", cli_json_text(e->result ? e->result : ""));
	json_object_set_new(o, "record", e->record ? e->record : json_null());
	return send_json(a, TAG_END, o);
}

static void
take_end(cli_account *a, json_t *o)
{
	json_t *record = json_object_get(o, "record");
	const cli_end e = { (size_t)json_integer_value(json_object_get(o, "i")),
		(int)json_integer_value(json_object_get(o, "status")),
		json_is_true(json_object_get(o, "finished")),
		json_is_true(json_object_get(o, "stopped")),
		json_is_true(json_object_get(o, "full")),
		json_is_true(json_object_get(o, "silent")),
		json_real_value(json_object_get(o, "seconds")),
		json_string_value(json_object_get(o, "result")),
		json_is_object(record) ? json_incref(record) : NULL };
	if (e.i < a->inputs->n && e.result)
		count(a, &e);
}

static ws_status
take(void *user, int from, int tag, const void *data, size_t bytes)
{
	cli_account *a = user;
	json_t *o = tag == TAG_LINE || tag == TAG_END ? json_loadb(data, bytes, 0, NULL) : NULL;
	const char *text = json_string_value(json_object_get(o, "text"));
	if (tag == TAG_LINE && text)
		say(json_is_true(json_object_get(o, "note")), text);
	if (tag == TAG_END && o)
		take_end(a, o);
	if (tag == TAG_AT_WORK)
		memcpy(&a->at_work[from], data, sizeof *a->at_work);
	if (tag == TAG_DONE)
		a->at_work[from] = 0;
	a->reported += tag == TAG_DONE;
	json_decref(o);
	return WS_OK;
}

/* ---- Either --------------------------------------------------------------------------------- */

static bool
is_first(const cli_account *a)
{
	return cli_rank(a->args->ranks) == 0;
}

ws_status
cli_account_open(cli_account *a, const cli_args *args, const cli_inputs *inputs,
                 cli_batch_log *log, cli_tally *tally)
{
	*a = (cli_account){ .args = args, .inputs = inputs, .log = log, .tally = tally };
	*tally = (cli_tally){ 0 };
	for (size_t i = 0; i < inputs->n; i++)
		a->weight += cli_recording_weight(&inputs->all[i]);
	a->at_work = calloc((size_t)cli_ranks_count(args->ranks), sizeof *a->at_work);
	return a->at_work ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory for the recordings");
}

void
cli_account_close(cli_account *a)
{
	free(a->at_work);
}

ws_status
cli_account_say(cli_account *a, bool note, const char *text)
{
	if (is_first(a)) {
		say(note, text);
		return WS_OK;
	}
	json_t *o = json_object();
	json_object_set_new(o, "note", json_boolean(note));
	json_object_set_new(o, "text", cli_json_text(text));
	return send_json(a, TAG_LINE, o);
}

ws_status
cli_account_end(cli_account *a, const cli_end *end)
{
	if (!is_first(a))
		return send_end(a, end);
	count(a, end);
	return WS_OK;
}

ws_status
cli_account_progress(cli_account *a, double at_work)
{
	double done = a->finished + at_work;
	if (!is_first(a)) {
		if (wsi_now() - a->told < TELL)
			return WS_OK;
		a->told = wsi_now();
		return send(a, TAG_AT_WORK, &at_work, sizeof at_work);
	}
	for (int i = 1; i < cli_ranks_count(a->args->ranks); i++)
		done += a->at_work[i];
	cli_progress_step(NULL, a->weight > 0 && done < a->weight ? done / a->weight : 1);
	return WS_OK;
}

ws_status
cli_account_listen(cli_account *a)
{
	return a->args->ranks ? cli_ranks_listen(a->args->ranks, take, a) : WS_OK;
}

ws_status
cli_account_finish(cli_account *a)
{
	cli_ranks *ranks = a->args->ranks;
	/* Plans are the first rank's alone. */
	if (!ranks || a->args->dry_run)
		return WS_OK;
	if (!is_first(a)) {
		WSI_TRY(send(a, TAG_DONE, "", 0));
		return cli_ranks_flush(ranks);
	}
	while (a->reported < cli_ranks_count(ranks) - 1) {
		WSI_TRY(cli_account_listen(a));
		WSI_TRY(cli_account_progress(a, 0));
		cli_ranks_nap();
	}
	return WS_OK;
}
