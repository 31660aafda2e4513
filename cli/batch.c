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
#include "json.h"
#include "message.h"
#include "signals.h"
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
		if (strcmp(a->given[i].option->group, CLI_MANY) == 0)
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
	if (t->failed)
		return cli_fail(EXIT_SOME, "%zu of %zu recording%s failed%s", t->failed, in->n,
		                in->n == 1 ? "" : "s", left);
	return t->log_failed ? EXIT_NOROOM : EXIT_DONE;
}

static int
run(const cli_args *args, cli_inputs *in, cli_batch_log *log)
{
	char name[96], share[32] = "";
	cli_tally tally;
	cli_shard shard;
	const int parsed = cli_shard_parse(&shard, args->shard);
	if (parsed >= 0)
		return parsed;
	ws_status status = args->dry_run ? WS_OK : make_folder(args);
	if (status != WS_OK)
		return cli_report_output(status);
	status = find(in, args, &shard);
	if (status != WS_OK)
		return cli_report(status);
	/* On a file system of several machines two would write into one another. */
	if (shard.n)
		snprintf(share, sizeof share, "_%d-of-%d", shard.i, shard.n);
	snprintf(name, sizeof name, "wavesift_%s%s.jsonl", args->command.name, share);
	status = args->dry_run ? WS_OK : cli_batch_log_open(log, args->output_dir, name);
	if (status != WS_OK)
		return cli_report_output(status);
	status = args->dry_run ? WS_OK : cli_bids_describe(in, args);
	if (status != WS_OK)
		return cli_report_output(status);
	cli_signals_many();
	cli_signals_hold();
	status = cli_batch_run(&tally, in, args, log);
	if (status == WS_E_CANCELLED)
		return cli_fail(cli_signal_status(), "stopped by a signal; of %zu recording%s %zu "
		                "are done and whole", in->n, in->n == 1 ? "" : "s", tally.done);
	return status == WS_OK ? tell(&tally, in, args, log->path) : cli_report(status);
}

int
cli_cmd_batch(const cli_args *args)
{
	cli_inputs inputs = { 0 };
	cli_batch_log log = { .fd = -1 };
	const int status = run(args, &inputs, &log);
	cli_batch_log_close(&log);
	cli_inputs_free(&inputs);
	return status;
}
