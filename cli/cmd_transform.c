/*
 * cmd_transform.c - the command of any transform: one way from a recording through ws_run to a
 * result, a summary and a figure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/element.h"
#include "base/status.h"
#include "commands.h"
#include "input.h"
#include "io/read/input_read.h"
#include "job.h"
#include "json.h"
#include "message.h"
#include "options.h"
#include "progress.h"
#include "ranks_read.h"
#include "ranks_run.h"
#include "resume.h"
#include "run/program.h"
#include "signals.h"
#include "values.h"
#include "written.h"

/* ---- Names ---------------------------------------------------------------------- */

static ws_status
name_output(cli_job *j)
{
	const cli_args *a = j->args;
	const char *name = strcmp(a->operands[0], "-") == 0 ? "stdin"
	                   : wsi_base_name(a->operands[0]);
	return cli_name_output(j->output, a->output, name, a->command.name, ".h5");
}

/* ---- Run ------------------------------------------------------------------------------ */

static ws_status
read_signal(void *user, size_t channel, void *x)
{
	cli_job *j = user;
	const wsi_input *in = &j->in;
	const size_t row = wsi_input_handed(in) * wsi_type_size(in->type);
	if (!in->gathered)
		return j->family->read_input ? j->family->read_input(&j->in, j->args, channel, x)
		       : wsi_input_read(&j->in, channel, x);
	for (size_t e = 0; e < in->n_epochs; e++)
		WSI_TRY(wsi_input_read(&j->in, e * in->n_channels + channel, (char *)x + e * row));
	return WS_OK;
}

/* Writes a result, and keeps what figures show of it. */
static ws_status
put_signal(void *user, const ws_channel_result *r)
{
	cli_job *j = user;
	WSI_TRY(wsi_writer_put(j->writer, r));
	WSI_TRY(cli_figure_put(&j->figure, j->made, r));
	return cli_report_put(&j->reported, r);
}

/* Takes a result, of this process or another, or one that was kept. */
static ws_status
take_signal(void *user, const ws_channel_result *r)
{
	cli_job *j = user;
	if (j->family->add)
		WSI_TRY(j->family->add(j->found, &j->outcome, r));
	ws_status status = j->args->average ? cli_averages_put(&j->averages, r) : put_signal(j, r);
	if (status == WS_OK)
		status = cli_cycles_put(&j->cycles, &j->outcome, r);
	j->output_failed = status != WS_OK;
	return status;
}

static ws_status
write_signal(void *user, const ws_channel_result *r)
{
	cli_job *j = user;
	cli_checkpoint_count(&j->kept);
	return take_signal(user, r);
}

/* Of a run that is alone; of ranks each keeps what it makes (ranks_run.h). */
static ws_status
keep_and_write_signal(void *user, const ws_channel_result *r)
{
	cli_job *j = user;
	const ws_status status = cli_checkpoint_put(&j->kept, r);
	j->output_failed = status != WS_OK;
	return status == WS_OK ? write_signal(user, r) : status;
}

static ws_status
next_block(void *user, size_t *block)
{
	cli_job *j = user;
	*block = cli_checkpoint_stops(&j->kept) ? ws_run_blocks(j->run)
	         : cli_checkpoint_block(&j->kept, j->kept.taken);
	return WS_OK;
}

/* Of what was left to be done. */
static int
progress(void *user, double done)
{
	const double left = 1 - ((cli_job *)user)->kept.share;
	return cli_progress_step(NULL, left > 0 && done < left ? done / left : 1);
}

/* Of several ranks: do all write?  What another looks like to them is not worth a failure. */
static ws_status
share_writer(cli_job *j)
{
	cli_ranks *ranks = j->args->ranks;
	wsi_places places = { 0 };
	/* Averages are made by the first. */
	ws_status status = j->args->average ? WS_OK
	                   : cli_ranks_share_places(ranks, j->writer, &places);
	if (status == WS_OK && places.n > 0) {
		if (!cli_job_is_first(j))
			status = cli_job_open_writer(j, &places);
		if (status != WS_E_NOMEM)
			status = cli_ranks_agree_to_write(ranks, j->writer, status == WS_OK,
			                                  j->output, &j->all_write);
	}
	free(places.at);
	if (status == WS_OK && !cli_job_is_first(j) && j->args->plot)
		status = cli_figure_look(&j->figure, j->made);
	if (status == WS_OK && !cli_job_is_first(j))
		status = cli_report_open(&j->reported, j->made);
	return status;
}

/* Does the first rank look at the values of an array of a channel, beside writing them? */
static bool
is_needed(void *user, size_t channel, int array)
{
	const cli_job *j = user;
	return cli_figure_wants(&j->figure, channel) || cli_report_wants(&j->reported, channel)
	       || (j->family->reads && j->family->reads(array));
}

static ws_status
execute_by_ranks(cli_job *j, const ws_stream *stream)
{
	const cli_args *a = j->args;
	cli_ranks_writing writing = { .writer = j->all_write ? j->writer : NULL,
		.needed = is_needed, .kept = &j->kept };
	const ws_status status = cli_ranks_execute(a->ranks, j->run, stream, &j->outputs, a->memory,
	                                           &writing);
	j->output_failed |= writing.failed;
	return status;
}

static ws_status
execute(cli_job *j)
{
	const cli_args *a = j->args;
	if (a->ranks)
		WSI_TRY(share_writer(j));
	j->in.unhashed = !cli_job_is_first(j);
	WSI_TRY(cli_ranks_start_input(a->ranks, &j->in, j->output));
	WSI_TRY(cli_checkpoint_replay(&j->kept, take_signal, j));
	ws_stream stream = { .size = sizeof stream, .read = read_signal, .progress = progress,
		.write = a->ranks ? write_signal : keep_and_write_signal,
		.next = j->kept.keeps ? next_block : NULL, .noise = j->arrays.noise, .user = j };
	cli_progress_start(cli_job_is_first(j) ? a->progress : PROGRESS_NEVER, a->command.name);
	ws_status status = a->ranks ? execute_by_ranks(j, &stream)
	                   : ws_run_execute(j->run, &stream);
	cli_progress_clear();
	WSI_TRY(status);
	/* The rest of the recording tells nothing of a run that was stopped. */
	if (!cli_job_is_first(j) || !cli_checkpoint_stopped(&j->kept))
		WSI_TRY(wsi_input_finish(&j->in));
	/* What was mended is told by the first. */
	return cli_ranks_most(a->ranks, j->in.mended, 2 * j->in.n_channels * j->in.n_epochs);
}

static int
write_report(cli_job *j)
{
	j->reported.title = j->provenance.title;
	j->reported.options = j->provenance.options;
	const cli_page report = { .args = j->args, .title = j->provenance.title, .in = &j->in,
		.root = cli_summary_json(j->made, j->family, j->found, &j->provenance),
		.figures = j->reported.n, .draw = cli_report_draw, .user = &j->reported,
		.no_figure = j->reported.why };
	return cli_page_write(&report);
}

static int
summarize(cli_job *j)
{
	const cli_args *a = j->args;
	cli_input_tell_shape(&j->in);
	cli_input_tell_resampled(&j->in);
	cli_input_tell_pauses(&j->in);
	if (a->command.transform->takes_epochs || a->average)
		cli_input_tell_overlap(&j->in);
	cli_input_tell_mended(&j->in);
	if (j->family->tell)
		j->family->tell(j->found, &j->outcome);
	if (a->average)
		cli_averages_tell(&j->averages);
	j->outcome.seconds = j->averages.outcome.seconds = wsi_now() - j->start;
	j->outcome.kept = j->averages.outcome.kept = j->kept.share;
	if (a->json)
		return cli_summary_print_json(j->made, j->family, j->found, &j->provenance);
	if (!a->quiet && strcmp(j->output, "-") != 0)
		cli_summary_print(j->made, j->family, j->found, &j->provenance);
	return EXIT_DONE;
}

/* What is kept. */
static int
report_stop(const cli_job *j, int status)
{
	char kept[1024];
	const char *why = status != EXIT_STOPPED ? "a signal"
	                  : cli_signals_stop_asked() ? "SIGUSR1" : "--max-time";
	if (cli_checkpoint_tells(&j->kept, kept, sizeof kept))
		return cli_fail(status, "stopped by %s; %s", why, kept);
	return cli_fail(status, "stopped by %s; nothing was written", why);
}

static int
report(const cli_job *j, ws_status status)
{
	if (status == WS_E_CANCELLED && j->kept.keeps)
		return report_stop(j, cli_signal_status());
	if (j->found && j->family->strict_failed && j->family->strict_failed(j->found)) {
		cli_report(status);
		return EXIT_STRICT;
	}
	return j->output_failed ? cli_report_output(status) : cli_report(status);
}

static ws_status
collect(cli_job *j)
{
	const cli_args *a = j->args;
	const wsi_origin origin = { .transform = a->command.transform, .ctx = j->ctx,
		.run = j->run, .in = &j->in, .files = a->files, .command_line = a->command_line,
		.threads = cli_ranks_self(a->ranks).all_threads, .input = a->operands[0],
		.epochs = a->epochs, .epochs_at = a->epochs_at, .average = a->average };
	return wsi_provenance_collect(&j->provenance, &origin);
}

/* As with --overwrite. */
static void
replace_output(cli_job *j)
{
	j->replacing = *j->args;
	j->replacing.overwrite = 1;
	j->args = &j->replacing;
}

/* Is there nothing to do?  Then that is told.  The first of ranks looks. */
static ws_status
resume(cli_job *j, bool *finished)
{
	const cli_args *a = j->args;
	char name[CLI_SHOWN];
	bool replace = false;
	if (cli_job_is_first(j))
		WSI_TRY(cli_resume_check(a, j->output, finished, &replace));
	int64_t found = cli_job_is_first(j) ? *finished : 1;
	WSI_TRY(cli_ranks_agree(a->ranks, &found, 1));
	*finished = found;
	if (replace)
		replace_output(j);
	if (!*finished || !cli_job_is_first(j))
		return WS_OK;
	cli_checkpoint_forget(j->output);
	if (a->json) {
		json_t *root = json_object();
		json_object_set_new(root, "output", cli_json_text(j->output));
		json_object_set_new(root, "finished", json_true());
		return cli_json_print(root) == EXIT_DONE ? WS_OK
		       : WSI_FAIL(WS_E_IO, "standard output cannot be written");
	}
	if (!a->quiet)
		printf("%s is finished, of these files and options (--resume)\n",
		       cli_shown(j->output, name));
	return WS_OK;
}

/* From the plan to the summary. */
static int
make(cli_job *j)
{
	const cli_args *a = j->args;
	ws_status status = cli_job_check_outputs(j);
	if (status != WS_OK)
		return cli_report_output(status);
	if (a->dry_run)
		return cli_job_print_plan(j);
	status = collect(j);
	if (status != WS_OK)
		return cli_report(status);
	cli_signals_hold();
	if (a->verbose) {
		/* With its tables a plan tells more. */
		status = wsi_run_complete(j->run, cli_progress_step, NULL);
		if (status != WS_OK)
			return cli_report(status);
		char plan[CLI_SHOWN];
		fputs(cli_dashed(ws_run_describe(j->run), plan), stderr);
	}
	status = cli_checkpoint_begin(&j->kept, j->run, &j->outputs, &j->in);
	if (status != WS_OK)
		return cli_report_output(status);
	status = cli_job_open_outputs(j);
	if (status == WS_OK)
		status = execute(j);
	if (status == WS_OK && cli_checkpoint_stopped(&j->kept))
		return report_stop(j, EXIT_STOPPED);
	if (status == WS_OK && a->average) {
		status = cli_averages_finish(&j->averages, put_signal, j);
		j->output_failed = status != WS_OK;
	}
	if (status == WS_OK)
		status = cli_job_commit(j);
	if (status != WS_OK)
		return report(j, status);
	int code = cli_job_report_drawing(j);
	if (code == EXIT_DONE)
		code = summarize(j);
	return code == EXIT_DONE && a->report ? write_report(j) : code;
}

/* Works for the first rank. */
static int
help_first(cli_job *j)
{
	if (j->args->dry_run)
		return EXIT_DONE;
	ws_status status = cli_checkpoint_begin(&j->kept, j->run, &j->outputs, &j->in);
	if (status == WS_OK)
		status = execute(j);
	return report(j, status);
}

static int
run(cli_job *j)
{
	bool finished = false;
	if (j->args->dry_run)
		replace_output(j);
	ws_status status = name_output(j);
	if (status == WS_OK)
		status = cli_cycles_check(j->args);
	if (status == WS_OK && j->args->ranks && strcmp(j->args->operands[0], "-") == 0)
		status = WSI_FAIL(WS_E_ARG, "standard input comes to one of %d ranks only; name a "
		                  "file that all can read", cli_ranks_count(j->args->ranks));
	if (status == WS_OK && j->args->resume)
		status = resume(j, &finished);
	if (status != WS_OK || finished)
		return cli_report(status);
	const cli_args *a = j->args;
	status = cli_job_is_first(j) ? cli_written_hold(a, j->output) : WS_OK;
	if (status != WS_OK)
		return cli_report_output(status);
	status = cli_checkpoint_open(&j->kept, a, j->output, j->start);
	if (status != WS_OK)
		return cli_report_output(status);
	cli_figure_prepare(a);
	status = (j->family->open_input ? j->family->open_input : cli_input_open)(&j->in, a);
	if (status == WS_OK)
		status = cli_job_plan(j);
	if (status != WS_OK)
		return cli_report(status);
	return cli_job_is_first(j) ? make(j) : help_first(j);
}

int
cli_cmd_transform(const cli_args *args)
{
	cli_job j = { .args = args, .family = cli_family_of(args->command.transform),
		.start = wsi_now() };
	cli_checkpoint_heed(args);
	int code = run(&j);
	wsi_writer_abort(j.writer);
	wsi_mask_writer_abort(&j.masks);
	wsi_newfile_close(&j.picture.file);
	cli_checkpoint_close(&j.kept);
	cli_figure_close(&j.figure);
	cli_report_close(&j.reported);
	cli_cycles_close(&j.cycles);
	cli_averages_close(&j.averages);
	wsi_kept_free(&j.found_kept);
	wsi_provenance_free(&j.provenance);
	cli_outputs_close(&j.outputs);
	ws_run_destroy(j.run);
	ws_ctx_destroy(j.ctx);
	cli_arrays_free(&j.arrays);
	if (j.in.rec)
		wsi_input_close(&j.in);
	return code;
}
