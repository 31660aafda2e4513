/* hhtrials.c - what the program knows of hhtrials: whether its decompositions have all modes. */
#include "capped.h"
#include "family.h"

static ws_status
add(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	const ws_slab *capped = &r->slabs[WS_HHTRIALS_CAPPED];
	(void)o;
	if (capped->data)
		cli_capped_add(state, *(const int32_t *)capped->data);
	return WS_OK;
}

static void
facts(const void *state, wsi_provenance *p)
{
	wsi_provenance_add(p, "capped", ((const cli_capped *)state)->oscillating);
}

/* Of each channel, the decompositions of all averages. */
static size_t
decompositions(const cli_outcome *o)
{
	const ws_hht_opts *opts = ws_run_options(o->run);
	size_t each = opts->averages & WS_AVERAGE_EVOKED ? 1 : 0;
	each += opts->averages & WS_AVERAGE_TOTAL ? o->in->n_epochs : 0;
	each += opts->averages & WS_AVERAGE_INDUCED ? o->in->n_epochs : 0;
	return each * o->in->n_channels;
}

static void
tell(const void *state, const cli_outcome *o)
{
	const ws_hht_opts *opts = ws_run_options(o->run);
	if (((const ws_hht_opts *)o->args->opts)->emd.modes == 0)
		cli_capped_tell(state, decompositions(o), "decomposition", opts->emd.modes);
}

const cli_family cli_family_hhtrials = {
	.name = "hht", .transform = "hhtrials", .size = sizeof(cli_capped), .add = add,
	.facts = facts, .tell = tell, .print = cli_family_print, .json = cli_family_json,
};
