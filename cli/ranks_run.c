/* ranks_run.c - a run whose blocks are shared out among ranks. */
#include "ranks_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "message.h"
#include "packed.h"
#include "values.h"

/* Bytes of results that may be on their way to rank 0, beside one. */
#define MOST_ROOM ((size_t)64 << 20)

/* Seconds between two words of how far a rank is. */
#define TELL 0.5

enum { TAG_RESULT = 1, TAG_SHARE, TAG_DONE };

typedef struct shared {
	cli_ranks *ranks;
	ws_run *run;
	const ws_stream *own;       /* the caller's */
	const cli_outputs *outputs;
	cli_ranks_writing *writing;
	size_t room;
	double *shares;             /* [rank] of all work, that it has done */
	double told;                /* when rank 0 was last told */
	int done;                   /* ranks that have sent all, on rank 0 */
	/* [outputs->n] of a result on its way */
	ws_slab *slabs;
	const uint32_t **sums;
	size_t *n_sums;
	ws_status status;           /* the first failure inside a progress function */
	char detail[CLI_SHOWN];
} shared;

/* ---- Plan -------------------------------------------------------- */

static size_t
room_of(size_t memory)
{
	const size_t some = memory ? memory / 16 : MOST_ROOM;
	return some < MOST_ROOM ? some : MOST_ROOM;
}

ws_status
cli_ranks_create(ws_run **run, ws_ctx *ctx, const cli_args *a, const ws_shape *shape,
                 size_t memory, const wsi_run_cut *cut, size_t *left)
{
	const char *name = a->command.name;
	size_t beside = room_of(memory);
	*left = SIZE_MAX;
	WSI_TRY(wsi_run_create_cut(run, ctx, name, shape, a->opts, memory ? memory - beside : 0,
	                           cut));
	if (!memory)
		return WS_OK;
	const size_t result = wsi_run_result_bytes(*run);
	if (result > beside && ws_run_bytes(*run) + result > memory) {
		/* Smaller blocks, of smaller results if any. */
		ws_run_destroy(*run);
		*run = NULL;
		if (result >= memory)
			return WSI_FAIL(WS_E_NOMEM, "results of %zu bytes go from rank to rank, "
			                "more than `memory` leaves", result);
		WSI_TRY(wsi_run_create_cut(run, ctx, name, shape, a->opts, memory - result, cut));
	}
	const size_t taken = ws_run_bytes(*run) + (result > beside ? result : beside);
	*left = memory > taken ? memory - taken : 0;
	return WS_OK;
}

ws_status
cli_ranks_agree_cut(cli_ranks *r, const ws_run *run, wsi_run_cut *cut)
{
	const wsi_run_cut own = wsi_run_cut_of(run);
	const int64_t uncut = INT64_MAX;
	int64_t least[2] = { (int64_t)own.block, own.part ? (int64_t)own.part : uncut };
	WSI_TRY(cli_ranks_agree(r, least, 2));
	cut->part = least[1] == uncut ? 0 : (size_t)least[1];
	cut->block = (size_t)least[0] == own.block && cut->part == own.part ? 0 : (size_t)least[0];
	return WS_OK;
}

void
cli_ranks_tell_idle(const cli_ranks *r, const ws_run *run)
{
	const size_t blocks = ws_run_blocks(run), ranks = (size_t)cli_ranks_count(r);
	if (blocks < ranks)
		cli_note("%zu of %zu ranks %s nothing to do: the work is %s", ranks - blocks, ranks,
		         ranks - blocks == 1 ? "has" : "have", blocks == 1 ? "one block"
		         : "in fewer blocks, which --verbose tells");
}

/* ---- Results on their way -------------------------------------------------------- */

/* What is written here, and what rank 0 need not have, leaves the message. */
static ws_status
write_own(shared *s, const ws_channel_result *result, ws_slab *slabs)
{
	cli_ranks_writing *writing = s->writing;
	if (!writing->writer)
		return WS_OK;
	const ws_status status = wsi_writer_put(writing->writer, result);
	writing->failed |= status != WS_OK;
	WSI_TRY(status);
	for (int i = 0; i < s->outputs->n; i++) {
		s->sums[i] = wsi_writer_sums(writing->writer, (size_t)i, &s->n_sums[i]);
		if (s->sums[i] && !writing->needed(s->own->user, result->channel, i))
			slabs[i].data = NULL;
	}
	return WS_OK;
}

/* What this rank has made. */
static ws_status
keep(shared *s, const ws_channel_result *result)
{
	const ws_status status = cli_checkpoint_put(s->writing->kept, result);
	s->writing->failed |= status != WS_OK;
	return status;
}

static ws_status
append(void *user, const void *bytes, size_t n)
{
	char **to = user;
	memcpy(*to, bytes, n);
	*to += n;
	return WS_OK;
}

static ws_status
send_result(void *user, const ws_channel_result *result)
{
	shared *s = user;
	ws_channel_result sent = *result;
	void *message;
	WSI_TRY(keep(s, result));
	sent.slabs = memcpy(s->slabs, result->slabs, (size_t)s->outputs->n * sizeof *s->slabs);
	WSI_TRY(write_own(s, result, s->slabs));
	WSI_TRY(cli_ranks_compose(s->ranks, cli_packed_bytes(s->outputs, &sent, s->n_sums), s->room,
	                          &message));
	char *to = message;
	WSI_TRY(cli_pack(s->outputs, &sent, s->sums, s->n_sums, append, &to));
	return cli_ranks_post(s->ranks, TAG_RESULT);
}

/* Hands over a result of another rank. */
static ws_status
take_result(shared *s, const void *data, size_t bytes)
{
	ws_channel_result result;
	WSI_TRY(cli_unpack(s->outputs, data, bytes, s->slabs, &result, s->sums));
	if (s->writing->writer)
		wsi_writer_expect(s->writing->writer, s->sums);
	const ws_status status = s->own->write(s->own->user, &result);
	if (s->writing->writer)
		wsi_writer_expect(s->writing->writer, NULL);
	return status;
}

static ws_status
take(void *user, int from, int tag, const void *data, size_t bytes)
{
	shared *s = user;
	if (tag == TAG_RESULT)
		return take_result(s, data, bytes);
	if (tag == TAG_SHARE)
		memcpy(&s->shares[from], data, sizeof *s->shares);
	s->done += tag == TAG_DONE;
	return WS_OK;
}

/* ---- The run of this rank -------------------------------------------------------- */

static ws_status
read_channel(void *user, size_t channel, void *x)
{
	shared *s = user;
	return s->own->read(s->own->user, channel, x);
}

static ws_status
write_channel(void *user, const ws_channel_result *result)
{
	shared *s = user;
	WSI_TRY(keep(s, result));
	return s->own->write(s->own->user, result);
}

static ws_status
next_block(void *user, size_t *block)
{
	shared *s = user;
	cli_checkpoint *kept = s->writing->kept;
	size_t number;
	/* Before it works again: long messages do not leave by themselves. */
	WSI_TRY(cli_ranks_flush(s->ranks));
	if (cli_checkpoint_stops(kept))
		WSI_TRY(cli_ranks_no_more(s->ranks));
	WSI_TRY(cli_ranks_next(s->ranks, &number));
	*block = cli_checkpoint_block(kept, number);
	return WS_OK;
}

static ws_status
tell_share(shared *s, double share)
{
	void *message;
	s->told = wsi_now();
	WSI_TRY(cli_ranks_compose(s->ranks, sizeof share, SIZE_MAX, &message));
	memcpy(message, &share, sizeof share);
	return cli_ranks_post(s->ranks, TAG_SHARE);
}

/* What is done by all, on rank 0. */
static double
share_of_all(const shared *s)
{
	double sum = 0;
	for (int i = 0; i < cli_ranks_count(s->ranks); i++)
		sum += s->shares[i];
	return sum < 1 ? sum : 1;
}

/* Between its own steps a rank hears the others. */
static ws_status
attend(shared *s)
{
	WSI_TRY(cli_ranks_listen(s->ranks, take, s));
	if (cli_rank(s->ranks) > 0)
		return wsi_now() - s->told < TELL
		        ? WS_OK : tell_share(s, s->shares[cli_rank(s->ranks)]);
	if (s->own->progress && s->own->progress(s->own->user, share_of_all(s)))
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	return WS_OK;
}

static int
progress(void *user, double done)
{
	shared *s = user;
	/* A run says at its end that all is done. */
	if (done < 1)
		s->shares[cli_rank(s->ranks)] = done;
	const ws_status status = attend(s);
	if (status == WS_OK)
		return 0;
	s->status = status;
	snprintf(s->detail, sizeof s->detail, "%s", ws_error_detail());
	return 1;
}

/* What this rank has written is on the disk. */
static ws_status
settle(shared *s)
{
	const ws_status status = s->writing->writer ? wsi_writer_settle(s->writing->writer) : WS_OK;
	s->writing->failed |= status != WS_OK;
	return status;
}

/* Until all has arrived at rank 0. */
static ws_status
finish(shared *s)
{
	void *message;
	if (cli_rank(s->ranks) > 0) {
		WSI_TRY(settle(s));
		WSI_TRY(cli_ranks_compose(s->ranks, 0, SIZE_MAX, &message));
		WSI_TRY(cli_ranks_post(s->ranks, TAG_DONE));
		return cli_ranks_flush(s->ranks);
	}
	while (s->done < cli_ranks_count(s->ranks) - 1) {
		WSI_TRY(attend(s));
		cli_ranks_nap();
	}
	return WS_OK;
}

static ws_status
execute(shared *s)
{
	ws_stream stream = *s->own;
	stream.read = read_channel;
	stream.write = cli_rank(s->ranks) > 0 ? send_result : write_channel;
	stream.progress = progress;
	stream.next = next_block;
	stream.user = s;
	const ws_status status = ws_run_execute(s->run, &stream);
	if (s->status != WS_OK)
		return WSI_FAIL(s->status, "%s", s->detail);
	WSI_TRY(status);
	return finish(s);
}

ws_status
cli_ranks_execute(cli_ranks *r, ws_run *run, const ws_stream *stream, const cli_outputs *outputs,
                  size_t memory, cli_ranks_writing *writing)
{
	shared s = { .ranks = r, .run = run, .own = stream, .outputs = outputs, .writing = writing,
		.room = room_of(memory), .told = wsi_now() };
	s.shares = calloc((size_t)cli_ranks_count(r), sizeof *s.shares);
	s.slabs = calloc((size_t)outputs->n, sizeof *s.slabs);
	s.sums = calloc((size_t)outputs->n, sizeof *s.sums);
	s.n_sums = calloc((size_t)outputs->n, sizeof *s.n_sums);
	const ws_status status = s.shares && s.slabs && s.sums && s.n_sums ? execute(&s)
	                         : WSI_FAIL(WS_E_NOMEM, "no memory for %d ranks",
	                                    cli_ranks_count(r));
	free(s.shares);
	free(s.slabs);
	free(s.sums);
	free(s.n_sums);
	return status;
}
