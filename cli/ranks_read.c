/* ranks_read.c - a recording that all ranks read, each its own part. */
#include "ranks_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "io/read/input_checks.h"
#include "io/read/input_read.h"
#include "io/write/spool.h"
#include "signals.h"

#define NAME_NUMBERS 32

void
cli_ranks_part_input(const cli_ranks *r, wsi_input *in)
{
	if (!r)
		return;
	in->reader = (size_t)cli_rank(r);
	in->readers = (size_t)cli_ranks_count(r);
}

/* The file that rank 0 has made, opened by all; *all: it is. */
static ws_status
open_file(cli_ranks *r, wsi_newfile *file, const char *output, bool *all)
{
	struct stat st;
	int64_t told[2 + NAME_NUMBERS] = { 0 };
	const bool first = cli_rank(r) == 0;
	bool good = first && wsi_spool_share(file, output) == WS_OK && fstat(file->fd, &st) == 0
	            && strlen(file->temp) < NAME_NUMBERS * sizeof *told;
	if (good) {
		told[0] = 1;
		told[1] = (int64_t)st.st_ino;
		strcpy((char *)(told + 2), file->temp);
	}
	WSI_TRY(cli_ranks_share(r, told, sizeof told / sizeof *told));
	if (!first)
		good = told[0] && wsi_spool_join(file, output, (const char *)(told + 2),
		                                 (uint64_t)told[1]) == WS_OK;
	int64_t may = good && (cli_ranks_self(r).locals == cli_ranks_count(r) ||
	                       wsi_newfile_is_shared(file));
	WSI_TRY(cli_ranks_agree(r, &may, 1));
	*all = may;
	return WS_OK;
}

static ws_status
share_file(cli_ranks *r, wsi_input *in, const char *output)
{
	wsi_newfile file = { .fd = -1, .place.folder = -1 };
	bool all = false;
	const ws_status status = open_file(r, &file, output, &all);
	if (status == WS_OK && all)
		in->spool = wsi_spool_take(&file);
	else
		wsi_newfile_close(&file);
	in->readers = all ? in->readers : 0;
	in->reader = all ? in->reader : 0;
	return status;
}

/* What is wrong with all samples of a signal together, of which each rank has seen some. */
static ws_status
agree_on_samples(cli_ranks *r, wsi_input *in)
{
	const size_t signals = in->n_channels * in->n_epochs;
	int64_t *small;
	WSI_NEW(small, signals, "no memory for %zu signals", signals);
	for (size_t i = 0; i < signals; i++)
		small[i] = wsi_input_small(in, i);
	ws_status status = cli_ranks_least(r, small, signals);
	for (size_t i = 0; i < signals && status == WS_OK; i++)
		status = wsi_input_take_small(in, i, small[i]);
	free(small);
	return status;
}

ws_status
cli_ranks_start_input(cli_ranks *r, wsi_input *in, const char *output)
{
	if (!r || !wsi_input_waits(in))
		return wsi_input_start(in, output, cli_signalled);
	WSI_TRY(share_file(r, in, output));
	WSI_TRY(wsi_input_start(in, output, cli_signalled));
	return in->readers ? agree_on_samples(r, in) : WS_OK;
}
