/* job_outputs.c - what a transform writes: opened before it works, named once all is whole. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/new.h"
#include "input.h"
#include "io/read/pauses.h"
#include "io/write/writer_format.h"
#include "job.h"
#include "message.h"
#include "resume.h"
#include "sheet.h"
#include "signals.h"
#include "written.h"

ws_status
cli_job_open_writer(cli_job *j, const wsi_places *places)
{
	const cli_args *a = j->args;
	const wsi_input *in = j->made->in;
	const cli_outputs *outputs = j->made->outputs;
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
		.samples = in->samples, .arrays = outputs->arrays,
		.n_arrays = (size_t)outputs->n,
		.axes = (const double *const *)outputs->axes, .every = outputs->every,
		.folder = a->command.transform->folder ? a->command.transform->folder : "",
		.type = (ws_type)a->precision, .store = (ws_type)a->store,
		.memory = j->memory, .threads = ws_ctx_threads(j->ctx),
		.compress = a->compress ? 4 : 0, .fs = in->fs,
		.fs_known = in->fs_known,
		.first_time = wsi_input_first_offset(in),
		.time_origin = in->starts ? 0 : in->rec->time_origin,
		.time_unit = in->rec->time_unit, .start_time = wsi_input_start_time(in),
		.dated = in->rec->dated && !in->epoched,
		.channel_names = names, .units = units,
		.events = in->events, .n_events = in->n_events,
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
	wsi_complete files[2];
	const size_t n = status == WS_OK && !places ? wsi_writer_complete(j->writer, files) : 0;
	for (size_t i = 0; i < n; i++)
		cli_signals_temporary(files[i].file);
	return status;
}

ws_status
cli_job_check_outputs(const cli_job *j)
{
	const cli_args *a = j->args;
	WSI_TRY(cli_written_check(a, j->output));
	WSI_TRY(wsi_writer_check(j->output, a->overwrite));
	WSI_TRY(cli_cycles_rehearse(a));
	WSI_TRY(cli_page_check(a));
	if (a->write_masks)
		WSI_TRY(wsi_mask_writer_check(a->write_masks, a->overwrite));
	if (!a->plot)
		return WS_OK;
	WSI_TRY(cli_figure_check(a, a->plot));
	return cli_figure_rehearse(j->made);
}

/* Writes the masks under a temporary name.  They are made once more: the plan's are rounded and
 * laid out for its kernels.  The plan has left room for both. */
static ws_status
write_masks(cli_job *j)
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

ws_status
cli_job_open_outputs(cli_job *j)
{
	j->output_failed = true;
	WSI_TRY(cli_job_open_writer(j, NULL));
	if (j->args->write_masks)
		WSI_TRY(write_masks(j));
	if (j->args->plot)
		WSI_TRY(cli_figure_open(&j->figure, j->made));
	WSI_TRY(cli_report_open(&j->reported, j->made));
	WSI_TRY(cli_cycles_open(&j->cycles, &j->outcome));
	if (j->args->average)
		WSI_TRY(cli_averages_open(&j->averages, j->memory));
	j->found = j->family->size ? wsi_kept_new(&j->found_kept, 1, j->family->size) : NULL;
	if (j->found && j->family->open)
		j->family->open(j->found, &j->outcome, &j->found_kept);
	WSI_HAVE(!j->found_kept.failed, "not enough memory for the summary of %zu signals",
	         j->in.n_channels * j->in.n_epochs);
	j->output_failed = false;
	return WS_OK;
}

/* Draws the figure, whose file gets its name together with the result. */
static void
draw(cli_job *j)
{
	const cli_args *a = j->args;
	if (!a->plot)
		return;
	j->drawing = cli_sheet_of(a, a->plot, &j->picture);
	if (j->drawing == WS_OK)
		j->drawing = cli_figure_draw(&j->figure, j->made, j->provenance.title,
		                             j->provenance.options, &j->picture);
	if (j->drawing != WS_OK)
		snprintf(j->not_drawn, sizeof j->not_drawn, "%s", ws_error_detail());
	else
		cli_signals_temporary(&j->picture.file);
}

ws_status
cli_job_commit(cli_job *j)
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
	n += wsi_writer_complete(j->writer, files);
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
	const char *channel, *faint = wsi_writer_faint(j->writer, &channel);
	if (status == WS_OK && faint)
		cli_note("%s: %s of channel %s is below the range of f32: digits of it are lost, "
		         "or it is 0; --store f64 keeps it", j->output, faint, channel);
	wsi_writer_abort(j->writer);
	j->writer = NULL;
	return status;
}

int
cli_job_report_drawing(const cli_job *j)
{
	if (j->drawing == WS_OK)
		return EXIT_DONE;
	if (j->drawing == WS_E_CANCELLED)
		return cli_fail(cli_signal_status(), "stopped by a signal; %s is whole, %s "
		                "was not drawn", j->output, j->args->plot);
	return cli_report_output(WSI_FAIL(j->drawing, "%s", j->not_drawn));
}
