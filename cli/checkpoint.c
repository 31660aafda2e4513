/* checkpoint.c - finished blocks of a run, kept beside its result until that is whole. */
#include "checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/new.h"
#include "checkpoint_folder.h"
#include "io/result/sha256.h"
#include "message.h"
#include "ranks.h"
#include "signals.h"

/* Work that is expected to take so many seconds is kept unasked.  Where --max-time asks for it, a
 * block is to take at most so many seconds, and this share of that time. */
#define LONG 60.0
#define BLOCK 300.0
#define SHARE 0.25

static bool
is_asked_for(const cli_args *a)
{
	return a->checkpoint > 0 || a->max_time > 0;
}

static bool
is_wanted(const cli_args *a)
{
	return is_asked_for(a) || a->resume;
}

void
cli_checkpoint_heed(const cli_args *args)
{
	if (is_wanted(args))
		cli_signals_stop();
}

bool
cli_checkpoint_may_be_there(const cli_args *args, const char *output)
{
	char *folder = cli_kept_folder(output);
	const bool there = folder && cli_is_folder(folder);
	free(folder);
	return there || is_asked_for(args);
}

/* ---- What is there ------------------------------------------------------------------------ */

/* Blocks that this run must not lose without a word. */
static ws_status
refuse_blocks(const cli_checkpoint *c)
{
	cli_blocks b;
	ws_status status = cli_blocks_list(&b, c->folder, c->manifest.id, NULL, 0);
	if (status == WS_OK && b.n_kept)
		status = WSI_FAIL(WS_E_EXISTS, "%s: has %.0f %% of this work finished; `resume` "
		                  "goes on with it, `overwrite` begins anew", c->folder,
		                  100.0 * (double)b.cells / (double)c->manifest.cells);
	cli_blocks_free(&b);
	return status;
}

/* The folder is there and held: does this run go on with it? */
static ws_status
look_inside(cli_checkpoint *c)
{
	const cli_args *a = c->args;
	ws_status status = cli_manifest_read(&c->manifest, c->folder);
	c->there = c->manifest.root != NULL;
	if (status == WS_OK && c->there)
		status = a->resume ? cli_manifest_check(&c->manifest, c->folder, a)
		         : refuse_blocks(c);
	const bool anew = a->overwrite && (status == WS_E_EXISTS || status == WS_E_FORMAT);
	if (status != WS_OK && !anew)
		return status;
	if (c->there && (anew || !a->resume)) {
		cli_manifest_free(&c->manifest);
		c->there = false;
	}
	return WS_OK;
}

static ws_status
look(cli_checkpoint *c)
{
	if (!cli_is_folder(c->folder))
		return WS_OK;
	if (!c->wanted) {
		cli_note("%s has finished blocks of an earlier run: --resume goes on with them",
		         c->folder);
		return WS_OK;
	}
	WSI_TRY(cli_kept_hold(c->folder, &c->lock));
	return c->lock >= 0 ? look_inside(c) : WS_OK;
}

/* Can a folder be beside it? */
static ws_status
check_output(const char *output)
{
	struct stat st;
	const bool out = strcmp(output, "-") == 0;
	if (out || (stat(output, &st) == 0 && !S_ISREG(st.st_mode)))
		return WSI_FAIL(WS_E_ARG, "%s: finished blocks (`checkpoint`, `max-time`) are kept "
		                "beside a result that is a file; choose one by `output`",
		                out ? "standard output" : output);
	return WS_OK;
}

/* s that a block is to take at most; 0: any. */
static double
seconds_of(const cli_args *a)
{
	const double part = SHARE * a->max_time;
	return a->checkpoint > 0 ? a->checkpoint : part < BLOCK ? part : BLOCK;
}

/* How the first rank found that the run was cut holds for all. */
static ws_status
agree(cli_checkpoint *c)
{
	size_t all[4] = { c->there, c->manifest.block, c->manifest.part, (size_t)c->manifest.id };
	WSI_TRY(cli_ranks_most(c->args->ranks, all, 4));
	c->there = all[0];
	c->cut.block = all[1];
	c->cut.part = all[2];
	c->manifest.id = all[3];
	return WS_OK;
}

ws_status
cli_checkpoint_open(cli_checkpoint *c, const cli_args *args, const char *output, double start)
{
	const bool first = cli_rank(args->ranks) == 0;
	*c = (cli_checkpoint){ .args = args, .lock = -1, .start = start,
		.wanted = is_wanted(args), .folder = cli_kept_folder(output) };
	WSI_HAVE(c->folder, "not enough memory for a name");
	if (strcmp(args->operands[0], "-") == 0 && is_asked_for(args))
		return WSI_FAIL(WS_E_ARG, "`checkpoint`, `max-time`: standard input cannot be read "
		                "again; name a file");
	if (is_asked_for(args))
		WSI_TRY(check_output(output));
	if (first && !args->dry_run)
		WSI_TRY(look(c));
	WSI_TRY(agree(c));
	c->cut.seconds = is_asked_for(args) ? seconds_of(args) : 0;
	return WS_OK;
}

/* ---- The beginning ------------------------------------------------------------------------ */

/* For the manifest, and not again where the recording is not read from beginning to end. */
static ws_status
hash_input(wsi_input *in)
{
	wsi_recording *rec = in->rec;
	if (!rec->sha256[0])
		WSI_TRY(wsi_sha256_file(rec->path, rec->sha256));
	memcpy(in->sha256, rec->sha256, sizeof in->sha256);
	return WS_OK;
}

/* Goes on, or begins anew. */
static ws_status
begin(cli_checkpoint *c)
{
	c->ours = c->there;
	if (c->there) {
		const ws_status status = cli_manifest_check_run(&c->manifest, c->folder, c->run,
		                                                c->outputs);
		if (status != WS_E_EXISTS || !c->args->overwrite)
			return status;
		cli_manifest_free(&c->manifest);
		c->there = false;
	}
	WSI_TRY(cli_kept_make(c->folder, &c->lock));
	c->ours = true;
	cli_kept_empty(c->folder);
	WSI_TRY(hash_input(c->in));
	return cli_manifest_write(&c->manifest, c->folder, c->args, c->in, c->run, c->outputs);
}

static ws_status
begin_first(cli_checkpoint *c)
{
	const cli_args *a = c->args;
	const double seconds = ws_run_seconds(c->run);
	c->keeps = c->there || (c->blocks > 1 && (is_asked_for(a) || seconds > LONG));
	if (c->keeps)
		return begin(c);
	if (a->max_time > 0 && seconds > a->max_time)
		cli_note("the work is one block, which --max-time cannot stop");
	/* What is there is of no use, or is to be replaced. */
	if (c->lock >= 0)
		cli_kept_remove(c->folder);
	return WS_OK;
}

ws_status
cli_checkpoint_begin(cli_checkpoint *c, const ws_run *run, const cli_outputs *outputs,
                     wsi_input *in)
{
	const cli_args *a = c->args;
	c->run = run;
	c->outputs = outputs;
	c->in = in;
	c->blocks = c->n_todo = ws_run_blocks(run);
	c->left = c->blocks;
	if (!c->wanted)
		return WS_OK;
	const ws_status status = cli_rank(a->ranks) == 0 ? begin_first(c) : WS_OK;
	if (status != WS_OK)
		return status;
	/* What the first has begun all go on with. */
	size_t both[2] = { c->keeps, (size_t)c->manifest.id };
	WSI_TRY(cli_ranks_most(a->ranks, both, 2));
	c->keeps = both[0];
	if (c->keeps)
		cli_signals_kept();
	c->manifest.id = both[1];
	return !c->keeps || cli_is_folder(c->folder) ? WS_OK
	       : WSI_FAIL(WS_E_IO, "%s: rank %d does not find it: finished blocks are kept where "
	                  "all ranks can write", c->folder, cli_rank(a->ranks));
}

/* ---- While the run works ------------------------------------------------------------ */

bool
cli_checkpoint_stops(const cli_checkpoint *c)
{
	if (!c->keeps)
		return false;
	const double most = c->args->max_time;
	/* One at least, so that all is done one day. */
	return cli_signals_stop_asked()
	       || (most > 0 && c->taken > 0
	           && wsi_now() - c->start + c->longest * (double)(c->taken - c->done + 1) > most);
}

size_t
cli_checkpoint_block(cli_checkpoint *c, size_t number)
{
	const double now = wsi_now();
	if (number >= c->n_todo)
		return c->blocks;
	c->taken++;
	if (c->taken == 1)
		c->begun = now;
	return c->todo ? c->todo[number] : number;
}

/* From the moment when the first block was begun, or the one before was finished. */
static void
note_time(cli_checkpoint *c)
{
	const double now = wsi_now();
	c->longest = now - c->begun > c->longest ? now - c->begun : c->longest;
	c->begun = now;
}

ws_status
cli_checkpoint_put(cli_checkpoint *c, const ws_channel_result *result)
{
	if (!c->keeps)
		return WS_OK;
	const wsi_run_rows rows = wsi_run_rows_of(c->run, result->block);
	if (result->channel == rows.channel) {
		cli_block_close(&c->writer);
		WSI_TRY(cli_block_open(&c->writer, c->folder, c->manifest.id, &rows, c->in->mended,
		                       2 * c->in->n_channels * c->in->n_epochs));
	}
	WSI_TRY(cli_block_put(&c->writer, c->outputs, result));
	if (result->channel + 1 < rows.channel + rows.channels)
		return WS_OK;
	note_time(c);
	c->done++;
	return cli_block_commit(&c->writer);
}

void
cli_checkpoint_count(cli_checkpoint *c)
{
	c->left -= c->left > 0;
}

/* ---- Its end ------------------------------------------------------------------------ */

bool
cli_checkpoint_stopped(const cli_checkpoint *c)
{
	return c->keeps && c->left > 0;
}

bool
cli_checkpoint_tells(const cli_checkpoint *c, char *text, size_t size)
{
	cli_blocks b;
	if (!c->args || !c->keeps || !c->manifest.root
	    || cli_blocks_list(&b, c->folder, c->manifest.id, NULL, 0) != WS_OK)
		return false;
	snprintf(text, size, "%.0f %% of the work are kept in %.400s; the same command %s goes on",
	         100.0 * (double)b.cells / (double)c->manifest.cells, c->folder,
	         c->args->resume ? "(--resume)" : "with --resume");
	const bool any = b.n_kept > 0;
	cli_blocks_free(&b);
	return any;
}

ws_status
cli_checkpoint_check(const cli_checkpoint *c)
{
	return c->there ? cli_manifest_check_read(&c->manifest, c->folder, c->args, c->in) : WS_OK;
}

void
cli_checkpoint_remove(cli_checkpoint *c)
{
	if (c->lock >= 0)
		cli_kept_remove(c->folder);
}

void
cli_checkpoint_close(cli_checkpoint *c)
{
	if (!c->args)
		return;
	cli_block_close(&c->writer);
	/* A folder without a block is of no use to anybody, unless other ranks still make one. */
	const bool alone = !c->args->ranks || !c->todo;
	cli_blocks b = { 0 };
	if (c->ours && alone && c->lock >= 0
	    && cli_blocks_list(&b, c->folder, c->manifest.id, NULL, 0) == WS_OK && b.n_kept == 0)
		cli_kept_remove(c->folder);
	cli_blocks_free(&b);
	cli_manifest_free(&c->manifest);
	if (c->lock >= 0)
		close(c->lock);
	free(c->folder);
	free(c->todo);
	*c = (cli_checkpoint){ .lock = -1 };
}

void
cli_checkpoint_forget(const char *output)
{
	int lock = -1;
	char *folder = cli_kept_folder(output);
	if (folder && cli_is_folder(folder) && cli_kept_hold(folder, &lock) == WS_OK && lock >= 0) {
		cli_kept_remove(folder);
		close(lock);
	}
	free(folder);
}
