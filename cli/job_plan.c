/* job_plan.c - how a transform runs: in which memory, cut how, and what --dry-run tells of it. */
#include <stdio.h>

#include "base/status.h"
#include "estimate.h"
#include "io/read/input_read.h"
#include "io/read/pauses.h"
#include "job.h"
#include "json.h"
#include "machine.h"
#include "message.h"
#include "options.h"
#include "ranks_gpu.h"
#include "ranks_read.h"
#include "ranks_run.h"
#include "run/program.h"
#include "values.h"

/* In so much memory; j->memory is what is left of it. */
static ws_status
create_run(cli_job *j, const ws_shape *shape, size_t memory, const wsi_run_cut *cut)
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
plan_in(cli_job *j, const ws_shape *shape, size_t memory, const wsi_run_cut *cut)
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
plan_as_before(cli_job *j, const ws_shape *shape, size_t memory)
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
plan_alike(cli_job *j, const ws_shape *shape, size_t memory)
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

ws_status
cli_job_plan(cli_job *j)
{
	const cli_args *a = j->args;
	ws_ctx_opts ctx_opts = { .size = sizeof ctx_opts, .threads = a->threads,
	                         .device = a->device,
		.device_memory = a->device_memory };
	WSI_TRY(ws_ctx_create(&j->ctx, &ctx_opts));
	WSI_TRY(cli_arrays_read(&j->arrays, a, &j->in));
	ws_shape shape = { .size = sizeof shape, .channels = j->in.n_channels,
		.samples = j->in.samples, .before = j->in.before, .after = j->in.after,
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
	if (planned == WS_E_NOMEM && (j->in.before || j->in.after)) {
		char detail[512];
		snprintf(detail, sizeof detail, "%s", ws_error_detail());
		return WSI_FAIL(WS_E_NOMEM, "%s; %s takes all samples between two pauses "
		                "for a part of them", detail, a->command.name);
	}
	WSI_TRY(planned);
	WSI_TRY(cli_outputs_open(&j->outputs, j->run, j->in.samples, j->in.fs));
	j->outcome = (cli_outcome){ .args = a, .in = &j->in, .ctx = j->ctx, .run = j->run,
		.opts = ws_run_options(j->run), .outputs = &j->outputs, .output = j->output };
	j->made = &j->outcome;
	if (a->average) {
		WSI_TRY(cli_averages_plan(&j->averages, &j->outcome));
		j->made = &j->averages.outcome;
	}
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

int
cli_job_print_plan(const cli_job *j)
{
	double bytes = (double)(ws_run_bytes(j->run) + j->in.reading_bytes);
	const cli_estimate expected = cli_estimate_of(j->made);
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
		if (j->in.before || j->in.after) {
			json_object_set_new(root, "samples_before",
			                    json_integer((json_int_t)j->in.before));
			json_object_set_new(root, "samples_after",
			                    json_integer((json_int_t)j->in.after));
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
	       j->in.n_channels == 1 ? "" : "s", j->in.samples,
	       j->in.samples == 1 ? "" : "s", plan);
	if (ws_run_device_bytes(j->run))
		snprintf(on_device, sizeof on_device, ", and %s on the GPU",
		         cli_format_size((double)ws_run_device_bytes(j->run), time));
	printf("input   read %s", reading(&j->in));
	if (j->in.before || j->in.after)
		printf(", with %zu samples before and %zu after", j->in.before, j->in.after);
	printf("\nmemory  %s%s\ntime    about %s%s\n"
	       "result  %s (not written: --dry-run), about %s\n",
	       cli_format_size(bytes, memory), on_device,
	       cli_format_seconds(expected.seconds, time),
	       j->family->time_note ? j->family->time_note(&j->outcome) : "", j->output,
	       cli_format_size(expected.bytes, size));
	return EXIT_DONE;
}
