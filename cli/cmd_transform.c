/*
 * cmd_transform.c - the command of any transform: one way from a recording through ws_run to a
 * result, a summary and a figure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "base/clock.h"
#include "base/status.h"
#include "checkpoint.h"
#include "commands.h"
#include "cycles.h"
#include "estimate.h"
#include "family.h"
#include "figure.h"
#include "input.h"
#include "io/read/input_read.h"
#include "io/read/masks.h"
#include "io/read/pauses.h"
#include "io/result/provenance.h"
#include "io/result/result.h"
#include "io/write/writer_format.h"
#include "json.h"
#include "machine.h"
#include "message.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "ranks_gpu.h"
#include "ranks_read.h"
#include "ranks_run.h"
#include "resume.h"
#include "run/program.h"
#include "signals.h"
#include "summary.h"
#include "values.h"
#include "written.h"

typedef struct job {
	const cli_args *args;
	cli_args replacing;       /* the same, where --resume replaces what is there */
	const cli_family *family;
	void *found;              /* the family's */
	double start;
	char output[4096];
	wsi_input in;
	ws_ctx *ctx;
	ws_run *run;
	cli_outputs outputs;
	cli_arrays arrays;
	cli_outcome outcome;      /* of all these */
	size_t memory;            /* that nobody uses, bytes */
	wsi_provenance provenance;
	cli_checkpoint kept;      /* finished blocks */
	cli_figure figure;
	cli_cycles cycles;
	wsi_writer *writer;
	wsi_mask_writer masks;    /* --write-masks */
	wsi_sheet picture;        /* --plot, once it is drawn */
	ws_status drawing;        /* how that went, and why not */
	char not_drawn[1024];
	bool all_write;           /* all ranks write the result */
	bool output_failed;       /* the last failure was of writing, not reading */
} job;

/* Of several ranks the first writes and tells. */
static bool
is_first(const job *j)
{
	return cli_rank(j->args->ranks) == 0;
}

/* ---- Names ---------------------------------------------------------------------- */

static ws_status
name_output(job *j)
{
	const cli_args *a = j->args;
	const char *name = strcmp(a->operands[0], "-") == 0 ? "stdin"
	                   : cli_base_name(a->operands[0]);
	const int n = a->output ? snprintf(j->output, sizeof j->output, "%s", a->output)
	              : snprintf(j->output, sizeof j->output, "%.*s_%s.h5",
	                         cli_stem_length(name), name, a->command.name);
	return n > 0 && (size_t)n < sizeof j->output ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "%.80s..: its name is too long for a file; choose a shorter "
	                  "one", j->output);
}

/* ---- Plan --------------------------------------------------------------------------- */

/* In so much memory; j->memory is what is left of it. */
static ws_status
create_run(job *j, const ws_shape *shape, size_t memory, const wsi_run_cut *cut)
{
	const cli_args *a = j->args;
	if (a->ranks)
		return cli_ranks_create(&j->run, j->ctx, a, shape, memory, cut, &j->memory);
	WSI_TRY(wsi_run_create_cut(&j->run, j->ctx, a->command.name, shape, a->opts, memory, cut));
	j->memory = memory ? memory - ws_run_bytes(j->run) : SIZE_MAX;
	return WS_OK;
}

/* How to read and how to run, in so much memory (0: no limit). */
static ws_status
plan_in(job *j, const ws_shape *shape, size_t memory, const wsi_run_cut *cut)
{
	wsi_input_plan(&j->in, memory ? memory / 4 : SIZE_MAX);
	ws_status status = create_run(j, shape, memory ? memory - j->in.reading_bytes : 0, cut);
	if (status == WS_E_NOMEM && j->in.reading_bytes > 0) {
		/* What reads well in much memory does so in little, by way of the disk. */
		wsi_input_plan(&j->in, 0);
		status = create_run(j, shape, memory, cut);
		j->memory -= j->memory < SIZE_MAX ? j->in.reading_bytes : 0;
	}
	return status;
}

/* As the run was cut whose blocks are kept, if all ranks can; else j->run stays NULL. */
static ws_status
plan_as_before(job *j, const ws_shape *shape, size_t memory)
{
	wsi_run_cut cut = j->kept.cut;
	cut.processes = (size_t)cli_ranks_count(j->args->ranks);
	const ws_status status = cut.block ? plan_in(j, shape, memory, &cut) : WS_OK;
	if (status != WS_OK && status != WS_E_NOMEM)
		return status;
	int64_t fits = status == WS_OK && cut.block;
	WSI_TRY(cli_ranks_agree(j->args->ranks, &fits, 1));
	if (!fits) {
		ws_run_destroy(j->run);
		j->run = NULL;
	}
	return WS_OK;
}

/* The same on all ranks, so that they cut alike. */
static ws_status
plan_alike(job *j, const ws_shape *shape, size_t memory)
{
	cli_ranks *ranks = j->args->ranks;
	wsi_run_cut cut = { .processes = (size_t)cli_ranks_count(ranks),
		.seconds = j->kept.cut.seconds };
	cli_ranks_part_input(ranks, &j->in);
	WSI_TRY(plan_as_before(j, shape, memory));
	if (!j->run)
		WSI_TRY(plan_in(j, shape, memory, &cut));
	if (!ranks)
		return WS_OK;
	WSI_TRY(cli_ranks_agree_cut(ranks, j->run, &cut));
	if (cut.block) {
		ws_run_destroy(j->run);
		j->run = NULL;
		WSI_TRY(plan_in(j, shape, memory, &cut));
	}
	WSI_TRY(cli_ranks_part_gpus(ranks, j->run));
	cli_ranks_tell_idle(ranks, j->run);
	return WS_OK;
}

/* What lists of channels and of signals take beside the samples, in bytes: names and what is known
 * of them in the recording and the result, and what the summary keeps of each.  0: few. */
static size_t
list_bytes(const wsi_input *in)
{
	const size_t bytes = in->rec->n_channels * (sizeof *in->rec->channels + 96)
	                     + in->n_channels * in->n_epochs * 96;
	return bytes < (size_t)1 << 20 ? 0 : bytes;
}

static ws_status
plan(job *j)
{
	const cli_args *a = j->args;
	ws_ctx_opts ctx_opts = { .size = sizeof ctx_opts, .threads = a->threads,
	                         .device = a->device,
		.device_memory = a->device_memory };
	WSI_TRY(ws_ctx_create(&j->ctx, &ctx_opts));
	WSI_TRY(cli_arrays_read(&j->arrays, a, &j->in));
	ws_shape shape = { .size = sizeof shape, .channels = j->in.n_channels,
		.samples = j->in.samples, .before = j->in.before, .behind = j->in.behind,
		.type = (ws_type)a->precision, .recording_channels = j->in.n_channels,
			.fs = j->in.fs };
	if (j->in.gathered)
		shape.epochs = j->in.n_epochs;
	else
		shape.channels *= j->in.n_epochs;
	if (j->in.gathered && a->command.transform->takes_epochs == 1)
		shape.start = wsi_input_first_time(&j->in);
	size_t memory = a->memory ? a->memory : cli_memory_default();
	if (memory && memory <= j->arrays.bytes)
		return WSI_FAIL(WS_E_NOMEM, "%s: takes %zu bytes, more than --memory leaves",
		                a->files[0].path, j->arrays.bytes);
	memory -= memory ? j->arrays.bytes : 0;
	if (memory && memory <= j->in.rec->held)
		return WSI_FAIL(WS_E_NOMEM, "%s: takes %zu bytes while it is open, more than "
		                "--memory leaves", j->in.rec->path, j->in.rec->held);
	memory -= memory ? j->in.rec->held : 0;
	const size_t lists = list_bytes(&j->in);
	if (memory && memory <= lists)
		return WSI_FAIL(WS_E_NOMEM, "%s: its %zu channels take %zu bytes beside their "
		                "samples, more than --memory leaves; choose some with --channels",
		                j->in.rec->path, j->in.rec->n_channels, lists);
	const ws_status planned = plan_alike(j, &shape, memory ? memory - lists : 0);
	if (planned == WS_E_NOMEM && (j->in.before || j->in.behind)) {
		char detail[512];
		snprintf(detail, sizeof detail, "%s", ws_error_detail());
		return WSI_FAIL(WS_E_NOMEM, "%s; %s takes all samples between two pauses "
		                "for a part of them", detail, a->command.name);
	}
	WSI_TRY(planned);
	WSI_TRY(cli_outputs_open(&j->outputs, j->run, j->in.samples, j->in.fs));
	j->outcome = (cli_outcome){ .args = a, .in = &j->in, .ctx = j->ctx, .run = j->run,
		.opts = ws_run_options(j->run), .outputs = &j->outputs, .output = j->output };
	return j->family->check ? j->family->check(&j->outcome) : WS_OK;
}

/* How the input is read, for people. */
static const char *
reading(const wsi_input *in)
{
	switch (in->reading) {
	case WSI_READ_ONCE:    return "once, in its order";
	case WSI_READ_TRANSPOSED:  return "once, turned in memory";
	case WSI_READ_SPOOLED: return "once, turned through a temporary file beside the result";
	default:               return "channel by channel";
	}
}

static int
print_plan(const job *j)
{
	double bytes = (double)(ws_run_bytes(j->run) + j->in.reading_bytes);
	const cli_estimate expected = cli_estimate_of(&j->outcome);
	char memory[32], time[32], size[32], on_device[64] = "", name[CLI_SHOWN], plan[CLI_SHOWN];
	cli_dashed(ws_run_describe(j->run), plan);
	if (j->args->json) {
		json_t *root = json_object();
		json_object_set_new(root, "plan", cli_json_text(plan));
		json_object_set_new(root, "output", cli_json_text(j->output));
		if (j->family->plan_json)
			j->family->plan_json(&j->outcome, root);
		json_object_set_new(root, "memory", json_integer((json_int_t)bytes));
		json_object_set_new(root, "reading", cli_json_text(reading(&j->in)));
		if (j->in.before || j->in.behind) {
			json_object_set_new(root, "samples_before",
			                    json_integer((json_int_t)j->in.before));
			json_object_set_new(root, "samples_behind",
			                    json_integer((json_int_t)j->in.behind));
		}
		json_object_set_new(root, "device", cli_json_text(ws_run_device(j->run)));
		json_object_set_new(root, "device_memory",
		                    json_integer((json_int_t)ws_run_device_bytes(j->run)));
		json_object_set_new(root, "seconds", cli_json_real(expected.seconds));
		json_object_set_new(root, "result_bytes", cli_json_real(expected.bytes));
		return cli_json_print(root);
	}
	printf("%s of %s (%s), %zu channel%s, %zu sample%s\n%s", j->args->command.name,
	       cli_shown(j->args->operands[0], name), j->in.rec->format, j->in.n_channels,
	       j->in.n_channels == 1 ? "" : "s", j->in.samples, j->in.samples == 1 ? "" : "s", plan);
	if (ws_run_device_bytes(j->run))
		snprintf(on_device, sizeof on_device, ", and %s on the GPU",
		         cli_format_size((double)ws_run_device_bytes(j->run), time));
	printf("input   read %s", reading(&j->in));
	if (j->in.before || j->in.behind)
		printf(", with %zu samples before and %zu behind", j->in.before, j->in.behind);
	printf("\nmemory  %s%s\ntime    about %s%s\n"
	       "result  %s (not written: --dry-run), up to %s\n",
	       cli_format_size(bytes, memory), on_device,
	       cli_format_seconds(expected.seconds, time),
	       j->family->time_note ? j->family->time_note(&j->outcome) : "", j->output,
	       cli_format_size(expected.bytes, size));
	return EXIT_DONE;
}

/* ---- Run ------------------------------------------------------------------------------ */

/* places: in the file of the first rank, which this one joins; NULL: it opens its own. */
static ws_status
open_writer(job *j, const wsi_places *places)
{
	const cli_args *a = j->args;
	const wsi_input *in = &j->in;
	const char **names = calloc(2 * in->n_channels, sizeof *names);
	int32_t *epochs = calloc(in->n_epochs, sizeof *epochs);
	if (!names || !epochs) {
		free(names);
		free(epochs);
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for %zu channels", in->n_channels);
	}
	for (size_t i = 0; i < in->n_epochs; i++)
		epochs[i] = (int32_t)in->epochs[i] + 1;
	const char **units = names + in->n_channels;
	for (size_t i = 0; i < in->n_channels; i++) {
		names[i] = wsi_input_name(in, i);
		units[i] = in->rec->channels[in->channels[i]].unit;
	}
	wsi_result_header header = {
		.epochs = cli_input_epochs(in), .epoch_numbers = epochs,
		.channels = in->n_channels,
		.samples = in->samples, .arrays = j->outputs.arrays,
		.n_arrays = (size_t)j->outputs.n,
		.axes = (const double *const *)j->outputs.axes, .every = j->outputs.every,
		.folder = a->command.transform->folder ? a->command.transform->folder : "",
		.type = (ws_type)a->precision, .store = (ws_type)a->store,
		.memory = j->memory, .compress = a->compress ? 4 : 0, .fs = in->fs,
		.fs_known = in->fs_known,
		.first_time = wsi_input_first_offset(in),
		.time_origin = in->starts ? 0 : in->rec->time_origin,
		.time_unit = in->rec->time_unit, .start_time = wsi_input_start_time(in),
		.channel_names = names, .units = units,
		/* Of epochs around events the times of events mean nothing. */
		.events = in->rec->events, .n_events = in->starts ? 0 : in->rec->n_events,
		.facts = j->provenance.items, .n_facts = j->provenance.n,
	};
	ws_status status = places ? wsi_writer_join(&j->writer, j->output, &header, places)
	                   : wsi_writer_open(&j->writer, j->output, &header, a->overwrite);
	free(names);
	free(epochs);
	if (status == WS_OK && j->writer->temp && !j->writer->file.locked && !places)
		cli_note("%s: its file system keeps no locks: files (.wavesift-..part) that "
		         "commands leave there when they are killed are yours to remove",
		         j->output);
	if (status == WS_OK && j->writer->temp && !places)
		cli_signals_temporary(&j->writer->file);
	return status;
}

static ws_status
read_signal(void *user, size_t channel, void *x)
{
	job *j = user;
	const wsi_input *in = &j->in;
	const size_t row = wsi_input_handed(in) * wsi_type_size(in->type);
	if (!in->gathered)
		return j->family->read_input ? j->family->read_input(&j->in, j->args, channel, x)
		       : wsi_input_read(&j->in, channel, x);
	for (size_t e = 0; e < in->n_epochs; e++)
		WSI_TRY(wsi_input_read(&j->in, e * in->n_channels + channel, (char *)x + e * row));
	return WS_OK;
}

/* Takes a result, of this process or another, or one that was kept. */
static ws_status
take_signal(void *user, const ws_channel_result *r)
{
	job *j = user;
	if (j->family->add)
		WSI_TRY(j->family->add(j->found, &j->outcome, r));
	ws_status status = wsi_writer_put(j->writer, r);
	if (status == WS_OK)
		status = cli_figure_put(&j->figure, &j->outcome, r);
	if (status == WS_OK)
		status = cli_cycles_put(&j->cycles, &j->outcome, r);
	j->output_failed = status != WS_OK;
	return status;
}

static ws_status
write_signal(void *user, const ws_channel_result *r)
{
	job *j = user;
	cli_checkpoint_count(&j->kept);
	return take_signal(user, r);
}

/* Of a run that is alone; of ranks each keeps what it makes (ranks_run.h). */
static ws_status
keep_and_write_signal(void *user, const ws_channel_result *r)
{
	job *j = user;
	const ws_status status = cli_checkpoint_put(&j->kept, r);
	j->output_failed = status != WS_OK;
	return status == WS_OK ? write_signal(user, r) : status;
}

static ws_status
next_block(void *user, size_t *block)
{
	job *j = user;
	*block = cli_checkpoint_stops(&j->kept) ? ws_run_blocks(j->run)
	         : cli_checkpoint_block(&j->kept, j->kept.taken);
	return WS_OK;
}

/* Of what was left to be done. */
static int
progress(void *user, double done)
{
	const double left = 1 - ((job *)user)->kept.share;
	return cli_progress_step(NULL, left > 0 && done < left ? done / left : 1);
}

/* What open_outputs would refuse, before the samples are read: also where
 * nothing will be written. */
static ws_status
check_outputs(const job *j)
{
	const cli_args *a = j->args;
	WSI_TRY(cli_written_check(a, j->output));
	WSI_TRY(wsi_writer_check(j->output, a->overwrite));
	WSI_TRY(cli_cycles_rehearse(a));
	if (a->write_masks)
		WSI_TRY(wsi_mask_writer_check(a->write_masks, a->overwrite));
	if (!a->plot)
		return WS_OK;
	WSI_TRY(cli_figure_check(a, a->plot));
	return cli_figure_rehearse(&j->outcome);
}

/* Writes the masks under a temporary name.  They are made once more: the plan's are rounded and
 * laid out for its kernels.  The plan has left room for both. */
static ws_status
write_masks(job *j)
{
	const cli_args *a = j->args;
	ws_masks *masks;
	WSI_TRY(ws_masks_create(&masks, j->ctx, a->opts, j->in.fs));
	ws_status status = wsi_mask_writer_open(&j->masks, a->write_masks, masks, a->overwrite);
	ws_masks_destroy(masks);
	if (status == WS_OK)
		cli_signals_temporary(&j->masks.file);
	return status;
}

/* Opens what is written to, before hours of work are spent in vain. */
static ws_status
open_outputs(job *j)
{
	j->output_failed = true;
	WSI_TRY(open_writer(j, NULL));
	if (j->args->write_masks)
		WSI_TRY(write_masks(j));
	if (j->args->plot)
		WSI_TRY(cli_figure_open(&j->figure, &j->outcome));
	WSI_TRY(cli_cycles_open(&j->cycles, &j->outcome));
	if (j->family->open)
		WSI_TRY(j->family->open(&j->found, &j->outcome));
	j->output_failed = false;
	return WS_OK;
}

/* Of several ranks: do all write?  What another looks like to them is not worth a failure. */
static ws_status
share_writer(job *j)
{
	cli_ranks *ranks = j->args->ranks;
	wsi_places places;
	ws_status status = cli_ranks_share_places(ranks, j->writer, &places);
	if (status == WS_OK && places.n > 0) {
		if (!is_first(j))
			status = open_writer(j, &places);
		if (status != WS_E_NOMEM)
			status = cli_ranks_agree_to_write(ranks, j->writer, status == WS_OK,
			                                  j->output, &j->all_write);
	}
	free(places.at);
	if (status == WS_OK && !is_first(j) && j->args->plot)
		status = cli_figure_look(&j->figure, &j->outcome);
	return status;
}

/* Does the first rank look at the values of an array of a channel, beside writing them? */
static bool
is_needed(void *user, size_t channel, int array)
{
	const job *j = user;
	return cli_figure_wants(&j->figure, channel)
	       || (j->family->reads && j->family->reads(array));
}

static ws_status
execute_by_ranks(job *j, const ws_stream *stream)
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
execute(job *j)
{
	const cli_args *a = j->args;
	if (a->ranks)
		WSI_TRY(share_writer(j));
	j->in.unhashed = !is_first(j);
	WSI_TRY(cli_ranks_start_input(a->ranks, &j->in, j->output));
	WSI_TRY(cli_checkpoint_replay(&j->kept, take_signal, j));
	ws_stream stream = { .size = sizeof stream, .read = read_signal, .progress = progress,
		.write = a->ranks ? write_signal : keep_and_write_signal,
		.next = j->kept.keeps ? next_block : NULL, .noise = j->arrays.noise, .user = j };
	cli_progress_start(is_first(j) ? a->progress : PROGRESS_NEVER, a->command.name);
	ws_status status = a->ranks ? execute_by_ranks(j, &stream)
	                   : ws_run_execute(j->run, &stream);
	cli_progress_clear();
	WSI_TRY(status);
	/* The rest of the recording tells nothing of a run that was stopped. */
	if (!is_first(j) || !cli_checkpoint_stopped(&j->kept))
		WSI_TRY(wsi_input_finish(&j->in));
	/* What was mended is told by the first. */
	return cli_ranks_most(a->ranks, j->in.mended, 2 * j->in.n_channels * j->in.n_epochs);
}

/* Draws the figure, whose file gets its name together with the result. */
static void
draw(job *j)
{
	const cli_args *a = j->args;
	if (!a->plot)
		return;
	j->picture.path = a->plot;
	j->drawing = cli_figure_draw(&j->figure, &j->outcome, j->provenance.title,
	                             j->provenance.options, &j->picture);
	if (j->drawing != WS_OK)
		snprintf(j->not_drawn, sizeof j->not_drawn, "%s", ws_error_detail());
	else
		cli_signals_temporary(&j->picture.file);
}

static ws_status
commit(job *j)
{
	wsi_provenance *p = &j->provenance;
	const size_t told = wsi_provenance_finish(p, &j->in, wsi_now() - j->start);
	WSI_TRY(cli_resume_tell(p, j->args, &j->in));
	if (j->family->facts)
		j->family->facts(j->found, p);
	WSI_TRY(wsi_provenance_check(p));
	WSI_TRY(cli_checkpoint_check(&j->kept));
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	/* A table takes long to print. */
	cli_signals_release();
	wsi_complete files[WSI_MOST_COMPLETE];
	size_t n = 0;
	j->output_failed = true;
	ws_status status = wsi_writer_finish(j->writer, p->items + told, p->n - told);
	if (status == WS_OK)
		status = cli_cycles_finish(&j->cycles);
	cli_signals_hold();
	if (status == WS_OK)
		draw(j);
	if (wsi_writer_complete(j->writer, &files[n]))
		n++;
	if (j->cycles.newfile.temp)
		files[n++] = (wsi_complete){ &j->cycles.newfile, j->cycles.path };
	if (j->masks.file.temp)
		files[n++] = (wsi_complete){ &j->masks.file, j->masks.path };
	if (j->picture.file.temp)
		files[n++] = (wsi_complete){ &j->picture.file, j->picture.path };
	if (status == WS_OK)
		status = wsi_put_in_place(files, n);
	if (status == WS_OK)
		cli_checkpoint_remove(&j->kept);
	wsi_writer_abort(j->writer);
	j->writer = NULL;
	return status;
}

/* A figure that was not drawn costs itself: the result is safe by now. */
static int
report_drawing(const job *j)
{
	if (j->drawing == WS_OK)
		return EXIT_DONE;
	if (j->drawing == WS_E_CANCELLED)
		return cli_fail(cli_signal_status(), "stopped by a signal; %s is whole, %s "
		                "was not drawn", j->output, j->args->plot);
	return cli_report_output(WSI_FAIL(j->drawing, "%s", j->not_drawn));
}

static int
summarize(job *j)
{
	const cli_args *a = j->args;
	cli_input_tell_resampled(&j->in);
	cli_input_tell_pauses(&j->in);
	if (a->command.transform->takes_epochs)
		cli_input_tell_overlap(&j->in);
	cli_input_tell_mended(&j->in);
	if (j->family->tell)
		j->family->tell(j->found, &j->outcome);
	j->outcome.seconds = wsi_now() - j->start;
	j->outcome.kept = j->kept.share;
	if (a->json)
		return cli_summary_print_json(&j->outcome, j->family, j->found, &j->provenance);
	if (!a->quiet && strcmp(j->output, "-") != 0)
		cli_summary_print(&j->outcome, j->family, j->found, &j->provenance);
	return EXIT_DONE;
}

/* What is kept. */
static int
report_stop(const job *j, int status)
{
	char kept[1024];
	const char *why = status != EXIT_STOPPED ? "a signal"
	                  : cli_signals_stop_asked() ? "SIGUSR1" : "--max-time";
	if (cli_checkpoint_tells(&j->kept, kept, sizeof kept))
		return cli_fail(status, "stopped by %s; %s", why, kept);
	return cli_fail(status, "stopped by %s; nothing was written", why);
}

static int
report(const job *j, ws_status status)
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
collect(job *j)
{
	const cli_args *a = j->args;
	const wsi_origin origin = { .transform = a->command.transform, .ctx = j->ctx,
		.run = j->run, .in = &j->in, .files = a->files, .command_line = a->command_line,
		.threads = cli_ranks_all_threads(a->ranks), .input = a->operands[0], .epochs = a->epochs, .epochs_at = a->epochs_at,
		.events = a->events };
	return wsi_provenance_collect(&j->provenance, &origin);
}

/* Is there nothing to do?  Then that is told.  The first of ranks looks. */
static ws_status
resume(job *j, bool *finished)
{
	const cli_args *a = j->args;
	char name[CLI_SHOWN];
	bool replace = false;
	if (is_first(j))
		WSI_TRY(cli_resume_check(a, j->output, finished, &replace));
	int64_t found = is_first(j) ? *finished : 1;
	WSI_TRY(cli_ranks_agree(a->ranks, &found, 1));
	*finished = found;
	if (replace) {
		j->replacing = *a;
		j->replacing.overwrite = 1;
		j->args = &j->replacing;
	}
	if (!*finished || !is_first(j))
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
make(job *j)
{
	const cli_args *a = j->args;
	ws_status status = check_outputs(j);
	if (status != WS_OK)
		return cli_report_output(status);
	if (a->dry_run)
		return print_plan(j);
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
	status = open_outputs(j);
	if (status == WS_OK)
		status = execute(j);
	if (status == WS_OK && cli_checkpoint_stopped(&j->kept))
		return report_stop(j, EXIT_STOPPED);
	if (status == WS_OK)
		status = commit(j);
	if (status != WS_OK)
		return report(j, status);
	const int code = report_drawing(j);
	return code == EXIT_DONE ? summarize(j) : code;
}

/* Works for the first rank. */
static int
help_first(job *j)
{
	if (j->args->dry_run)
		return EXIT_DONE;
	ws_status status = cli_checkpoint_begin(&j->kept, j->run, &j->outputs, &j->in);
	if (status == WS_OK)
		status = execute(j);
	return report(j, status);
}

static int
run(job *j)
{
	bool finished = false;
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
	status = is_first(j) ? cli_written_hold(a, j->output) : WS_OK;
	if (status != WS_OK)
		return cli_report_output(status);
	status = cli_checkpoint_open(&j->kept, a, j->output, j->start);
	if (status != WS_OK)
		return cli_report_output(status);
	cli_figure_prepare(a);
	status = (j->family->open_input ? j->family->open_input : cli_input_open)(&j->in, a);
	if (status == WS_OK)
		status = plan(j);
	if (status != WS_OK)
		return cli_report(status);
	return is_first(j) ? make(j) : help_first(j);
}

int
cli_cmd_transform(const cli_args *args)
{
	job j = { .args = args, .family = cli_family_of(args->command.transform),
		.start = wsi_now() };
	cli_checkpoint_heed(args);
	int code = run(&j);
	wsi_writer_abort(j.writer);
	wsi_mask_writer_abort(&j.masks);
	wsi_newfile_close(&j.picture.file);
	cli_checkpoint_close(&j.kept);
	cli_figure_close(&j.figure);
	cli_cycles_close(&j.cycles);
	if (j.family->close)
		j.family->close(j.found);
	wsi_provenance_free(&j.provenance);
	cli_outputs_close(&j.outputs);
	ws_run_destroy(j.run);
	ws_ctx_destroy(j.ctx);
	cli_arrays_free(&j.arrays);
	if (j.in.rec)
		wsi_input_close(&j.in);
	return code;
}
