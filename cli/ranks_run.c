/* ranks_run.c - a run whose blocks are shared out among ranks. */
#include "ranks_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/element.h"
#include "base/status.h"
#include "message.h"
#include "signals.h"
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
	size_t room;
	double *shares;             /* [rank] of all work, that it has done */
	double told;                /* when rank 0 was last told */
	int done;                   /* ranks that have sent all, on rank 0 */
	ws_slab *slabs;             /* [outputs->n] of a result of another rank */
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
			return WSI_FAIL(WS_E_NOMEM, "results of %zu bytes go from rank to rank, more "
			                "than `memory` leaves", result);
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

/* Before the slabs of a result; what these hold follows, each aligned. */
typedef struct result_head {
	uint64_t channel, block;
} result_head;

static size_t
slab_bytes(const ws_array *a, const ws_slab *slab)
{
	size_t bytes = slab->data ? wsi_type_size(a->type) : 0;
	const int axes = a->rank - (a->axis[0] == WS_AXIS_CHANNEL);
	for (int i = 0; i < axes; i++)
		bytes *= slab->extent[i];
	return bytes;
}

static size_t
aligned(size_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

static ws_status
send_result(void *user, const ws_channel_result *result)
{
	shared *s = user;
	const result_head head = { result->channel, result->block };
	const size_t n = (size_t)s->outputs->n;
	size_t bytes = sizeof head + n * sizeof(ws_slab);
	for (size_t i = 0; i < n; i++)
		bytes += aligned(slab_bytes(&s->outputs->arrays[i], &result->slabs[i]));
	void *message;
	WSI_TRY(cli_ranks_compose(s->ranks, bytes, s->room, &message));
	char *to = message;
	memcpy(to, &head, sizeof head);
	to += sizeof head;
	memcpy(to, result->slabs, n * sizeof(ws_slab));
	to += n * sizeof(ws_slab);
	for (size_t i = 0; i < n; i++) {
		const size_t some = slab_bytes(&s->outputs->arrays[i], &result->slabs[i]);
		if (some)
			memcpy(to, result->slabs[i].data, some);
		to += aligned(some);
	}
	return cli_ranks_post(s->ranks, TAG_RESULT);
}

/* Hands over a result of another rank. */
static ws_status
take_result(shared *s, const char *data)
{
	result_head head;
	const size_t n = (size_t)s->outputs->n;
	memcpy(&head, data, sizeof head);
	memcpy(s->slabs, data + sizeof head, n * sizeof(ws_slab));
	data += sizeof head + n * sizeof(ws_slab);
	for (size_t i = 0; i < n; i++) {
		const size_t bytes = slab_bytes(&s->outputs->arrays[i], &s->slabs[i]);
		s->slabs[i].data = s->slabs[i].data ? data : NULL;
		data += aligned(bytes);
	}
	const ws_channel_result result = { .size = sizeof result, .channel = head.channel,
		.block = head.block, .slabs = s->slabs };
	return s->own->write(s->own->user, &result);
}

static ws_status
take(void *user, int from, int tag, const void *data, size_t bytes)
{
	shared *s = user;
	(void)bytes;
	if (tag == TAG_RESULT)
		return take_result(s, data);
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
	return s->own->write(s->own->user, result);
}

static ws_status
next_block(void *user, size_t *block)
{
	shared *s = user;
	const size_t blocks = ws_run_blocks(s->run);
	/* Before it works again: long messages do not leave by themselves. */
	WSI_TRY(cli_ranks_flush(s->ranks));
	WSI_TRY(cli_ranks_next(s->ranks, block));
	*block = *block < blocks ? *block : blocks;
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
		return wsi_now() - s->told < TELL ? WS_OK : tell_share(s, s->shares[cli_rank(s->ranks)]);
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

/* Until all has arrived at rank 0. */
static ws_status
finish(shared *s)
{
	void *message;
	if (cli_rank(s->ranks) > 0) {
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
                  size_t memory)
{
	shared s = { .ranks = r, .run = run, .own = stream, .outputs = outputs,
		.room = room_of(memory), .told = wsi_now() };
	s.shares = calloc((size_t)cli_ranks_count(r), sizeof *s.shares);
	s.slabs = calloc((size_t)outputs->n, sizeof *s.slabs);
	const ws_status status = s.shares && s.slabs ? execute(&s)
	                         : WSI_FAIL(WS_E_NOMEM, "no memory for %d ranks", cli_ranks_count(r));
	free(s.shares);
	free(s.slabs);
	return status;
}
