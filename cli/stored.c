/* stored.c - wavesift hht over a result: the modes that it holds, read in place of a recording. */
#include "stored.h"

#include <string.h>

#include "base/element.h"
#include "base/status.h"
#include "io/read/input_read.h"
#include "io/read/input_select.h"
#include "io/read/open.h"
#include "io/result/stored.h"

/* Is no option of the decomposition given? */
static bool
is_default(const ws_hht_opts *o)
{
	ws_emd_opts none;
	ws_emd_opts_init(&none, sizeof none);
	return memcmp(&o->emd, &none, sizeof none) == 0;
}

/* A result of ours that says so: an NPY of three dimensions may be epochs as well. */
static ws_status
holds_modes(const cli_args *args, const wsi_open_opts *opts, bool *has)
{
	const char *path = args->operands[0];
	wsi_result *r;
	*has = false;
	if (args->raw || args->variable || strcmp(path, "-") == 0)
		return WS_OK;
	const ws_status status = wsi_result_open(&r, path, opts);
	if (status != WS_OK)
		/* A disk or memory that fails says nothing of what the file is. */
		return status == WS_E_NOMEM || status == WS_E_IO ? status : WS_OK;
	*has = r->max_modes > 0 &&
	       (*r->title || (r->has_signal && wsi_name_ends(path, ".mat")));
	wsi_result_close(r);
	return WS_OK;
}

ws_status
cli_stored_open(wsi_input *in, const cli_args *args)
{
	ws_hht_opts *o = args->opts;
	const wsi_open_opts opts = cli_open_opts(args);
	bool implied = false;
	if (!o->whole_given && !o->modes_given && is_default(o))
		WSI_TRY(holds_modes(args, &opts, &implied));
	if (!o->whole_given && !implied)
		return cli_input_open(in, args);
	if (!is_default(o))
		return WSI_FAIL(WS_E_ARG, "--decomposition stored: other options of the "
		                "decomposition mean nothing beside it");
	if (args->resample != 0)
		return WSI_FAIL(WS_E_ARG, "--resample: %s is a result, whose modes keep their rate",
		                args->operands[0]);
	if (args->rereference || args->unit_variance)
		return WSI_FAIL(WS_E_ARG, "--%s: %s is a result, whose modes are those of the "
		                "signals that it was made of",
		                args->rereference ? "rereference" : "unit-variance",
		                args->operands[0]);
	if (args->bads)
		return WSI_FAIL(WS_E_ARG, "--bads: %s is a result; choose channels with --channels",
		                args->operands[0]);
	if (args->events_from)
		return WSI_FAIL(WS_E_ARG, "--events-from: %s is a result, which has no channel of "
		                "triggers", args->operands[0]);
	wsi_recording *rec;
	WSI_TRY(wsi_stored_open(&rec, args->operands[0], &opts));
	const wsi_result *r = wsi_stored_result(rec);
	o->whole_given = 1;
	o->modes_given = (int)r->max_modes;
	if (r->max_modes == 0) {
		wsi_recording_close(rec);
		return WSI_FAIL(WS_E_FORMAT, "%s: holds no mode to analyse", args->operands[0]);
	}
	const wsi_pick pick = { .channels = args->channels, .epochs = args->epochs,
		.from = args->from, .to = args->to, .segment = (size_t)args->segment,
		.join = args->join, .type = (ws_type)args->precision,
		.interpolate = args->interpolate, .missing = args->missing };
	return wsi_input_select(in, rec, &pick);
}

/* A mode or the residue, from sample `first` of the selection on. */
static ws_status
read_row(const wsi_input *in, size_t i, size_t row, void *x)
{
	wsi_result *r = wsi_stored_result(in->rec);
	double part[1024];
	for (size_t done = 0, n; done < in->samples; done += n) {
		n = in->samples - done < 1024 ? in->samples - done : 1024;
		WSI_TRY(wsi_result_read(r, in->epochs[i / in->n_channels],
		                        in->channels[i % in->n_channels], row, in->first + done, n,
		                        part));
		for (size_t k = 0; k < n; k++)
			wsi_real_put(x, in->type, done + k, part[k]);
	}
	return WS_OK;
}

ws_status
cli_stored_read(wsi_input *in, const cli_args *args, size_t i, void *x)
{
	const ws_hht_opts *o = args->opts;
	WSI_TRY(wsi_input_read(in, i, x));
	if (!wsi_stored_result(in->rec))
		return WS_OK;
	const size_t bytes = in->samples * wsi_type_size(in->type);
	const size_t modes = (size_t)o->modes_given;
	for (size_t k = 0; k < modes; k++)
		WSI_TRY(read_row(in, i, k, (char *)x + (1 + k) * bytes));
	return read_row(in, i, WSI_ROW_RESIDUE, (char *)x + (1 + modes) * bytes);
}
