/* checkpoint_replay.c - finished blocks, handed over as if they were just made. */
#include <stdlib.h>

#include "base/new.h"
#include "checkpoint.h"
#include "packed.h"
#include "ranks.h"
#include "signals.h"

typedef struct replay {
	cli_checkpoint *c;
	cli_blocks kept;
	ws_status (*write)(void *user, const ws_channel_result *result);
	void *user;
	size_t *list, room;     /* of one block */
	ws_slab *slabs;
} replay;

static ws_status
hand_over(replay *p, const cli_kept *k, size_t block)
{
	void *bytes;
	ws_channel_result result;
	const size_t most = p->c->args->memory;
	if (most && k->bytes > most)
		return WSI_FAIL(WS_E_NOMEM, "%s: results of %llu bytes are kept, more than "
		                "`memory` allows; allow more, or `overwrite` begins anew",
		                p->c->folder, (unsigned long long)k->bytes);
	WSI_TRY(cli_kept_read(&p->kept, k, &bytes));
	ws_status status = cli_unpack(p->c->outputs, bytes, k->bytes, p->slabs, &result, NULL);
	if (status != WS_OK)
		status = WSI_FAIL(WS_E_FORMAT, "%s: is of other arrays; `overwrite` begins anew",
		                  p->kept.files[k->file]);
	result.block = block;
	if (status == WS_OK)
		status = p->write(p->user, &result);
	free(bytes);
	return status;
}

/* Of a block whose results are all there, and as they were written; else it is worked on again. */
static ws_status
replay_block(replay *p, size_t block, bool *finished)
{
	const wsi_run_rows rows = wsi_run_rows_of(p->c->run, block);
	const size_t n = cli_blocks_find(&p->kept, &rows, p->list, p->room);
	*finished = n > 0;
	for (size_t i = 0; i < n && *finished; i++)
		*finished = cli_kept_is_whole(&p->kept, &p->kept.kept[p->list[i]]);
	for (size_t i = 0; i < n && *finished; i++) {
		if (cli_signalled())
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
		WSI_TRY(hand_over(p, &p->kept.kept[p->list[i]], block));
	}
	return WS_OK;
}

/* done [blocks] becomes 1 of those handed over. */
static ws_status
replay_all(cli_checkpoint *c, replay *p, size_t *done)
{
	WSI_TRY(cli_blocks_list(&p->kept, c->folder, c->manifest.id, c->in->mended,
	                        2 * c->in->n_channels * c->in->n_epochs));
	p->room = p->kept.n_kept;
	p->list = calloc(p->room + 1, sizeof *p->list);
	p->slabs = calloc((size_t)c->outputs->n, sizeof *p->slabs);
	WSI_HAVE(p->list && p->slabs, "%s: not enough memory for a list of blocks", c->folder);
	for (size_t block = 0; block < c->blocks; block++) {
		bool finished;
		WSI_TRY(replay_block(p, block, &finished));
		done[block] = finished;
	}
	return WS_OK;
}

/* What is left, of which all ranks know. */
static ws_status
share(cli_checkpoint *c, size_t *done)
{
	size_t all = 0, finished = 0;
	WSI_TRY(cli_ranks_most(c->args->ranks, done, c->blocks));
	c->n_todo = c->left = 0;
	for (size_t block = 0; block < c->blocks; block++) {
		const wsi_run_rows r = wsi_run_rows_of(c->run, block);
		all += r.channels * r.rows;
		finished += done[block] ? r.channels * r.rows : 0;
		c->left += done[block] ? 0 : r.channels;
		if (!done[block])
			c->todo[c->n_todo++] = block;
	}
	c->share = (double)finished / (double)all;
	return WS_OK;
}

ws_status
cli_checkpoint_replay(cli_checkpoint *c,
                      ws_status (*write)(void *user, const ws_channel_result *result), void *user)
{
	if (!c->keeps)
		return WS_OK;
	replay p = { .c = c, .write = write, .user = user };
	size_t *done = calloc(c->blocks, sizeof *done);
	c->todo = calloc(c->blocks, sizeof *c->todo);
	ws_status status = done && c->todo ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "not enough memory for %zu blocks", c->blocks);
	if (status == WS_OK && c->there && cli_rank(c->args->ranks) == 0)
		status = replay_all(c, &p, done);
	if (status == WS_OK)
		status = share(c, done);
	cli_blocks_free(&p.kept);
	free(p.list);
	free(p.slabs);
	free(done);
	return status;
}
