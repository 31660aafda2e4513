/* batch.c - one command over many recordings (--output-dir). */
#include "batch.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "batch_inputs.h"
#include "batch_log.h"
#include "batch_outputs.h"
#include "batch_run.h"
#include "batch_shard.h"
#include "bids.h"
#include "checkpoint.h"
#include "json.h"
#include "message.h"
#include "options.h"
#include "ranks.h"
#include "signals.h"
#include "report.h"
#include "values.h"

int
cli_batch_check(const cli_args *a)
{
	cli_shard shard;
	if (cli_is_batch(a)) {
		const int status = *a->output_dir ? cli_made_check(a)
			: cli_fail(EXIT_USAGE, "--output-dir: a folder is needed");
		return status >= 0 ? status : cli_shard_parse(&shard, a->shard);
	}
	for (int i = 0; i < a->n_given; i++)
		if (cli_option_of_many(a->given[i].option))
			return cli_fail(EXIT_USAGE, "--%s needs --output-dir DIR",
			                a->given[i].option->name);
	return -1;
}

/* The folder is there, and files can be made in it. */
static ws_status
make_folder(const cli_args *args)
{
	WSI_TRY(cli_folder_make(args->output_dir));
	return access(args->output_dir, W_OK | X_OK) == 0 ? WS_OK
	       : WSI_FAIL(WS_E_IO, "%s: the folder is not writable: %s", args->output_dir,
	                  strerror(errno));
}

static ws_status
find(cli_inputs *in, const cli_args *args, const cli_shard *shard)
{
	WSI_TRY(cli_inputs_find(in, args));
	if (in->repeated)
		cli_note("%zu recording%s named more than once, and analysed once", in->repeated,
		         in->repeated == 1 ? " is" : "s are");
	WSI_TRY(cli_inputs_name(in, args->command.name));
	WSI_TRY(cli_made_check_inputs(in, args));
	const size_t all = in->n;
	WSI_TRY(cli_inputs_shard(in, shard));
	if (in->n == 0)
		cli_note("--shard %d/%d: there are only %zu recordings; this share has none",
		         shard->i, shard->n, all);
	return WS_OK;
}

static int
tell_json(const cli_tally *t, const cli_inputs *in, const cli_args *args, const char *log)
{
	json_t *root = json_object();
	json_object_set_new(root, "command", cli_json_text(args->command.name));
	json_object_set_new(root, "output_dir", cli_json_text(args->output_dir));
	json_object_set_new(root, "recordings", json_integer((json_int_t)in->n));
	json_object_set_new(root, "done", json_integer((json_int_t)t->done));
	json_object_set_new(root, "finished_before", json_integer((json_int_t)t->finished));
	json_object_set_new(root, "failed", json_integer((json_int_t)t->failed));
	json_object_set_new(root, "left", json_integer((json_int_t)t->left));
	json_object_set_new(root, "seconds", cli_json_real(t->seconds));
	json_object_set_new(root, "log", cli_json_text(log));
	return cli_json_print(root);
}

static int
tell(const cli_tally *t, const cli_inputs *in, const cli_args *args, const char *log)
{
	char seconds[32], name[CLI_SHOWN], left[64] = "", before[64] = "";
	if (t->left)
		snprintf(left, sizeof left, ", %zu not begun", t->left);
	if (t->finished)
		snprintf(before, sizeof before, ", %zu finished before", t->finished);
	if (args->json && !args->dry_run)
		tell_json(t, in, args, log);
	else if (!args->quiet && !args->dry_run)
		printf("%zu of %zu recording%s done in %s%s; records in %s\n", t->done, in->n,
		       in->n == 1 ? "" : "s", cli_format_seconds(t->seconds, seconds),
		       before, cli_shown(log, name));
	fflush(stdout);
	if (t->full)
		return cli_fail(EXIT_SOME, "%s: the disk is full; %zu of %zu recordings failed%s",
		                args->output_dir, t->failed, in->n, left);
	if (t->asked)
		return cli_fail(EXIT_STOPPED, "stopped by %s; of %zu recordings %zu are left%s; "
		                "the same command %s goes on",
		                cli_signals_stop_asked() ? "SIGUSR1" : "--max-time", in->n,
		                t->left, t->failed ? ", some failed" : "",
		                args->resume ? "(--resume)" : "with --resume");
	if (t->failed)
		return cli_fail(EXIT_SOME, "%zu of %zu recording%s failed%s", t->failed, in->n,
		                in->n == 1 ? "" : "s", left);
	return t->log_failed ? EXIT_NOROOM : EXIT_DONE;
}

/* A number of all recordings and their order. */
static int64_t
number_of(const cli_inputs *in)
{
	uint64_t h = in->n;
	for (size_t i = 0; i < in->n; i++)
		for (const char *c = in->all[i].label; *c; c++)
			h = (h ^ (unsigned char)*c) * 1099511628211u;
	return (int64_t)(h >> 1);
}

/* Do all ranks find the same?  They do, once the folder of results is there. */
static ws_status
find_alike(cli_inputs *in, const cli_args *args, const cli_shard *shard)
{
	WSI_TRY(cli_ranks_agree(args->ranks, NULL, 0));
	WSI_TRY(find(in, args, shard));
	const int64_t number = number_of(in);
	int64_t both[2] = { number, -number };
	WSI_TRY(cli_ranks_agree(args->ranks, both, 2));
	return both[0] == -both[1] ? WS_OK
	       : WSI_FAIL(WS_E_IO, "ranks find different recordings: these must lie where all "
	                  "ranks can read them");
}

/* What is written beside the results, before the first. */
static ws_status
open_outputs(const cli_args *args, const cli_inputs *in, cli_batch_log *log, const cli_shard *shard)
{
	char name[96], share[32] = "";
	/* On a file system of several machines two would write into one another. */
	if (shard->n)
		snprintf(share, sizeof share, "_%d-of-%d", shard->i, shard->n);
	snprintf(name, sizeof name, "wavesift_%s%s.jsonl", args->command.name, share);
	WSI_TRY(cli_batch_log_open(log, args->output_dir, name));
	return cli_bids_describe(in, args);
}

/* All recordings, as far as this process is to work on them. */
static ws_status
analyse(const cli_args *args, const cli_inputs *in, cli_batch_log *log, cli_tally *tally)
{
	const bool first = cli_rank(args->ranks) == 0;
	cli_signals_many();
	cli_signals_hold();
	/* What becomes of each is told at once. */
	if (args->ranks && first)
		cli_messages_release(true);
	const ws_status status = cli_batch_run(tally, in, args, log);
	if (args->ranks && first)
		cli_messages_keep();
	return status;
}

static int
run(const cli_args *args, cli_inputs *in, cli_batch_log *log)
{
	const bool first = cli_rank(args->ranks) == 0, writes = first && !args->dry_run;
	cli_tally tally;
	cli_shard shard;
	const int parsed = cli_shard_parse(&shard, args->shard);
	if (parsed >= 0)
		return parsed;
	ws_status status = writes ? make_folder(args) : WS_OK;
	if (status != WS_OK)
		return cli_report_output(status);
	status = find_alike(in, args, &shard);
	if (status != WS_OK)
		return cli_report(status);
	status = writes ? open_outputs(args, in, log, &shard) : WS_OK;
	if (status != WS_OK)
		return cli_report_output(status);
	if (!first && args->dry_run)
		return EXIT_DONE;
	status = analyse(args, in, log, &tally);
	if (status == WS_E_CANCELLED && !first)
		return cli_fail(cli_signal_status(), "stopped by a signal; finished results are "
		                "whole");
	if (status == WS_E_CANCELLED)
		return cli_fail(cli_signal_status(), "stopped by a signal; of %zu recording%s %zu "
		                "are done and whole", in->n, in->n == 1 ? "" : "s", tally.done);
	if (status != WS_OK)
		return cli_report(status);
	const int code = first ? tell(&tally, in, args, log->path) : EXIT_DONE;
	const int index = writes && args->report ? cli_report_index(args, in) : EXIT_DONE;
	return code == EXIT_DONE ? index : code;
}

int
cli_cmd_batch(const cli_args *args)
{
	cli_inputs inputs = { 0 };
	cli_batch_log log = { .fd = -1 };
	cli_checkpoint_heed(args);
	const int status = run(args, &inputs, &log);
	cli_batch_log_close(&log);
	cli_inputs_free(&inputs);
	return status;
}
