/* wire.c - what wavesift and its decoder tell each other (decoder.h). */
#include "io/decode/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* ---- Values ------------------------------------------------------------------------ */

void
wsi_wire_free(wsi_wire *w)
{
	free(w->bytes);
	*w = (wsi_wire){ 0 };
}

void
wsi_wire_put(wsi_wire *w, const void *bytes, size_t n)
{
	if (w->failed || n == 0)
		return;
	if (n > w->room - w->size) {
		size_t room = w->room ? w->room : 1024;
		while (room - w->size < n && room <= SIZE_MAX / 2)
			room *= 2;
		unsigned char *grown = room - w->size < n ? NULL : realloc(w->bytes, room);
		if (!grown) {
			w->failed = true;
			return;
		}
		w->bytes = grown;
		w->room = room;
	}
	memcpy(w->bytes + w->size, bytes, n);
	w->size += n;
}

void
wsi_wire_put_size(wsi_wire *w, size_t value)
{
	wsi_wire_put(w, &value, sizeof value);
}

void
wsi_wire_put_real(wsi_wire *w, double value)
{
	wsi_wire_put(w, &value, sizeof value);
}

void
wsi_wire_put_text(wsi_wire *w, const char *text)
{
	const size_t n = text ? strlen(text) + 1 : 0;
	wsi_wire_put_size(w, n);
	wsi_wire_put(w, text, n);
}

void
wsi_wire_get(wsi_wire *w, void *bytes, size_t n)
{
	if (w->failed || n > w->size - w->at) {
		w->failed = true;
		memset(bytes, 0, n);
		return;
	}
	if (n > 0)
		memcpy(bytes, w->bytes + w->at, n);
	w->at += n;
}

size_t
wsi_wire_get_size(wsi_wire *w)
{
	size_t value;
	wsi_wire_get(w, &value, sizeof value);
	return value;
}

double
wsi_wire_get_real(wsi_wire *w)
{
	double value;
	wsi_wire_get(w, &value, sizeof value);
	return value;
}

const char *
wsi_wire_get_text(wsi_wire *w)
{
	const size_t n = wsi_wire_get_size(w);
	if (w->failed || n == 0)
		return NULL;
	const char *text = (const char *)w->bytes + w->at;
	if (n > w->size - w->at || text[n - 1] != '\0') {
		w->failed = true;
		return NULL;
	}
	w->at += n;
	return text;
}

size_t
wsi_wire_get_count(wsi_wire *w, size_t least)
{
	const size_t n = wsi_wire_get_size(w);
	if (w->failed || n > (w->size - w->at) / least)
		w->failed = true;
	return w->failed ? 0 : n;
}

/* ---- The socket -------------------------------------------------------------------- */

static int64_t
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* wait_ms from now; -1: never. */
static int64_t
end_of(int wait_ms)
{
	return wait_ms < 0 ? -1 : now_ms() + wait_ms;
}

/* 0, or errno. */
static int
await(int socket, short what, int64_t end)
{
	for (;;) {
		struct pollfd p = { .fd = socket, .events = what };
		const int64_t left = end < 0 ? -1 : end - now_ms();
		const int n = end >= 0 && left <= 0 ? 0 : poll(&p, 1, (int)left);
		if (n > 0)
			return 0;
		if (n == 0)
			return ETIMEDOUT;
		if (errno != EINTR)
			return errno;
	}
}

/* What a transfer of so many bytes, or -1 and errno, means: 0 go on, else the answer. */
static int
judge(int socket, ssize_t n, short what, int64_t end)
{
	if (n > 0 || (n < 0 && errno == EINTR))
		return 0;
	if (n == 0 || errno == EPIPE || errno == ECONNRESET)
		return -1;
	return errno == EAGAIN ? await(socket, what, end) : errno;
}

int
wsi_wire_send(int socket, const void *bytes, size_t n, int wait_ms)
{
	const char *from = bytes;
	const int64_t end = end_of(wait_ms);
	while (n > 0) {
		const ssize_t sent = send(socket, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		const int error = judge(socket, sent, POLLOUT, end);
		if (error)
			return error;
		from += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

int
wsi_wire_receive(int socket, void *bytes, size_t n, int wait_ms)
{
	char *to = bytes;
	const int64_t end = end_of(wait_ms);
	while (n > 0) {
		const ssize_t got = recv(socket, to, n, wait_ms < 0 ? 0 : MSG_DONTWAIT);
		const int error = judge(socket, got, POLLIN, end);
		if (error)
			return error;
		to += got > 0 ? got : 0;
		n -= got > 0 ? (size_t)got : 0;
	}
	return 0;
}
