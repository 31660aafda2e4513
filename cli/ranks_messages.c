/* ranks_messages.c - what ranks say to each other, and that one has failed. */
#include "ranks_messages.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/new.h"
#include "message.h"
#include "ranks_state.h"
#include "signals.h"

/* Seconds after a failure until ranks that have not come are ended; those that did not fail
 * themselves wait longer, so that one message is printed. */
#define PATIENCE 5.0
#define MORE_PATIENCE 2.0

/* Seconds that messages are taken for in one go; and for which the next is waited for. */
#define LISTENING 0.05
#define LINGERING 0.0005

enum { TAG_STOP = 0 };

/* ---- Failures -------------------------------------------------------- */

ws_status
cli_ranks_mpi_failed(const cli_ranks *r, int error)
{
	char text[256];
	return WSI_FAIL(WS_E_BACKEND, "MPI: %s", r->mpi->tell(error, text));
}

static ws_status
stopped(void)
{
	return WSI_FAIL(WS_E_CANCELLED, "stopped with the other ranks");
}

/* Takes a message for those that are to go out; it is freed when it has left. */
static ws_status
enqueue(cli_ranks *r, sending *s, int to, int tag)
{
	for (size_t at = 0, n; at < s->bytes; at += n) {
		n = s->bytes - at < WSI_MOST_MESSAGE ? s->bytes - at : WSI_MOST_MESSAGE;
		/* Parts leave in their order: when the last has left, all have. */
		void *request;
		TRY_MPI(r, r->mpi->send(to, tag, s->data + at, n, &request));
		s->request = request;
	}
	s->next = NULL;
	if (r->last)
		r->last->next = s;
	else
		r->first = s;
	r->last = s;
	r->on_their_way += s->bytes;
	return WS_OK;
}

static sending *
make_message(size_t bytes)
{
	sending *s = calloc(1, sizeof *s);
	uint64_t length = sizeof length + bytes;
	if (s)
		s->data = malloc(length);
	if (!s || !s->data) {
		free(s);
		return NULL;
	}
	s->bytes = length;
	memcpy(s->data, &length, sizeof length);
	return s;
}

static void
free_message(sending *s)
{
	if (s)
		free(s->data);
	free(s);
}

static bool
own_failure(const cli_ranks *r)
{
	return r->failure / CLI_STATUSES == r->rank.number;
}

static void
take_note(cli_ranks *r, int64_t failure)
{
	if (r->failure == CLI_NOBODY)
		r->since = wsi_now();
	if (failure < r->failure)
		r->failure = failure;
	/* Launchers end those that are left when the first leaves. */
	cli_signals_another_tells(!own_failure(r));
}

/* This rank has failed: the others are told, whatever they do. */
void
cli_ranks_give_up(cli_ranks *r, int status)
{
	if (r->failure != CLI_NOBODY)
		return;
	take_note(r, (int64_t)r->rank.number * CLI_STATUSES + status);
	for (int i = 0; i < r->rank.count; i++) {
		sending *s = i == r->rank.number ? NULL : make_message(sizeof r->failure);
		if (!s)
			continue;
		memcpy(s->data + sizeof(uint64_t), &r->failure, sizeof r->failure);
		if (enqueue(r, s, i, TAG_STOP) != WS_OK)
			free_message(s);
	}
}

/* After a signal, or where another failed. */
ws_status
cli_ranks_check(cli_ranks *r)
{
	if (cli_signalled())
		cli_ranks_give_up(r, cli_signal_status());
	return r->failure == CLI_NOBODY ? WS_OK : stopped();
}

void
cli_ranks_speak(const cli_ranks *r, bool failed)
{
	const bool own = failed && own_failure(r);
	const bool said = cli_messages_release(own);
	/* Who waits for others when a signal comes has nothing else to say. */
	if (own && !said && cli_signalled())
		cli_fail(0, "stopped by a signal");
	if (failed)
		cli_signals_another_tells(true);
}

/* Ends all, where some have not come for long. */
void
cli_ranks_mind_the_time(cli_ranks *r)
{
	if (r->failure == CLI_NOBODY)
		return;
	const double patience = PATIENCE + (own_failure(r) ? 0 : MORE_PATIENCE)
	                        + 0.1 * r->rank.local;
	if (wsi_now() - r->since < patience)
		return;
	cli_ranks_speak(r, true);
	r->mpi->abort((int)(r->failure % CLI_STATUSES));
	_Exit((int)(r->failure % CLI_STATUSES));
}

void
cli_ranks_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
}

/* ---- Messages -------------------------------------------------------- */

/* Frees what has left. */
ws_status
cli_ranks_tidy(cli_ranks *r)
{
	while (r->first) {
		bool done;
		sending *s = r->first;
		TRY_MPI(r, r->mpi->sent(s->request, &done));
		if (!done)
			return WS_OK;
		r->on_their_way -= s->bytes;
		r->first = s->next;
		r->last = r->first ? r->last : NULL;
		free_message(s);
	}
	return WS_OK;
}

static ws_status
make_room(cli_ranks *r, size_t bytes)
{
	if (bytes <= r->inbox_bytes)
		return WS_OK;
	char *grown = realloc(r->inbox, bytes);
	WSI_HAVE(grown, "no memory for %zu bytes of another rank", bytes);
	r->inbox = grown;
	r->inbox_bytes = bytes;
	return WS_OK;
}

/* The rest of a message whose first part is here. */
static ws_status
receive_rest(cli_ranks *r, int from, int tag, size_t here, size_t *bytes)
{
	uint64_t length;
	memcpy(&length, r->inbox, sizeof length);
	WSI_TRY(make_room(r, length));
	for (size_t at = here, n; at < length; at += n) {
		n = length - at < WSI_MOST_MESSAGE ? length - at : WSI_MOST_MESSAGE;
		TRY_MPI(r, r->mpi->receive(from, tag, r->inbox + at, n));
	}
	*bytes = length - sizeof length;
	return WS_OK;
}

ws_status
cli_ranks_hear(cli_ranks *r, cli_ranks_take take, void *user, bool *there)
{
	int from, tag = take || r->failure != CLI_NOBODY ? -1 : TAG_STOP;
	size_t bytes;
	TRY_MPI(r, r->mpi->probe(there, &from, &tag, &bytes));
	if (!*there)
		return WS_OK;
	WSI_TRY(make_room(r, bytes));
	TRY_MPI(r, r->mpi->receive(from, tag, r->inbox, bytes));
	WSI_TRY(receive_rest(r, from, tag, bytes, &bytes));
	const char *data = r->inbox + sizeof(uint64_t);
	if (tag == TAG_STOP) {
		int64_t failure;
		memcpy(&failure, data, sizeof failure);
		take_note(r, failure);
		return WS_OK;
	}
	return take ? take(user, from, tag, data, bytes) : WS_OK;
}

ws_status
cli_ranks_listen(cli_ranks *r, cli_ranks_take take, void *user)
{
	const double start = wsi_now();
	double last = start, now = start;
	bool there;
	WSI_TRY(cli_ranks_tidy(r));
	while (now - start < LISTENING && now - last < LINGERING) {
		WSI_TRY(cli_ranks_hear(r, take, user, &there));
		WSI_TRY(cli_ranks_check(r));
		WSI_TRY(cli_ranks_tidy(r));
		now = wsi_now();
		/* A long message leaves while both ends call MPI. */
		last = there || r->first ? now : last;
		/* Who has heard nothing yet does not linger. */
		if (!there && last == start)
			break;
	}
	return WS_OK;
}

ws_status
cli_ranks_compose(cli_ranks *r, size_t bytes, size_t room, void **data)
{
	bool there;
	WSI_TRY(cli_ranks_tidy(r));
	while (r->on_their_way && r->on_their_way + bytes > room) {
		WSI_TRY(cli_ranks_hear(r, NULL, NULL, &there));
		WSI_TRY(cli_ranks_check(r));
		cli_ranks_nap();
		WSI_TRY(cli_ranks_tidy(r));
	}
	free_message(r->composed);
	r->composed = make_message(bytes);
	WSI_HAVE(r->composed, "no memory for %zu bytes for another rank", bytes);
	*data = r->composed->data + sizeof(uint64_t);
	return WS_OK;
}

ws_status
cli_ranks_post(cli_ranks *r, int tag)
{
	sending *s = r->composed;
	r->composed = NULL;
	return enqueue(r, s, 0, tag);
}

ws_status
cli_ranks_flush(cli_ranks *r)
{
	bool there;
	WSI_TRY(cli_ranks_tidy(r));
	while (r->first) {
		WSI_TRY(cli_ranks_hear(r, NULL, NULL, &there));
		cli_ranks_mind_the_time(r);
		WSI_TRY(cli_ranks_check(r));
		cli_ranks_nap();
		WSI_TRY(cli_ranks_tidy(r));
	}
	return WS_OK;
}

void
cli_ranks_forget(cli_ranks *r)
{
	while (r->first) {
		sending *s = r->first;
		r->first = s->next;
		free_message(s);
	}
	free_message(r->composed);
	free(r->inbox);
}
