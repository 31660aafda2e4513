/* behind.c - large writes that go on while the caller does something else. */
#define _GNU_SOURCE /* O_DIRECT */
#include "io/write/behind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"

#define BUFFERS 4
#define BUFFER_BYTES ((size_t)1 << 20)
#define PAGE WSI_BEHIND_PAGE

/* Bytes next to each other in the file.  Those at `at` lie at data + at % PAGE. */
typedef struct buffer {
	unsigned char *data;
	uint64_t at;
	size_t bytes;
} buffer;

struct wsi_behind {
	int fd, direct;         /* direct: past the cache; -1: not here */
	unsigned char *memory;
	pthread_mutex_t lock;   /* of what follows */
	pthread_cond_t moved;
	/* [n % BUFFERS] for n of written .. filled, which is being filled */
	buffer buffers[BUFFERS];
	size_t filled, written;
	int error;
	bool started, ends;
	pthread_t thread;
};

/* ---- The thread -------------------------------------------------------------------- */

static int
write_all(int fd, const unsigned char *data, size_t bytes, uint64_t at)
{
	while (bytes > 0) {
		const ssize_t n = pwrite(fd, data, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		data += n;
		bytes -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* Whole pages past the cache, the ends through it. */
static int
write_buffer(wsi_behind *b, const buffer *p)
{
	const unsigned char *data = p->data + p->at % PAGE;
	const uint64_t end = p->at + p->bytes, from = (p->at + PAGE - 1) / PAGE * PAGE;
	const uint64_t to = end / PAGE * PAGE;
	if (b->direct < 0 || to < from + WSI_BEHIND_LEAST)
		return write_all(b->fd, data, p->bytes, p->at);
	int error = write_all(b->direct, data + (from - p->at), to - from, from);
	if (error == EINVAL) {
		close(b->direct);
		b->direct = -1;
		return write_all(b->fd, data, p->bytes, p->at);
	}
	if (error == 0)
		error = write_all(b->fd, data, from - p->at, p->at);
	return error ? error : write_all(b->fd, data + (to - p->at), end - to, to);
}

/* Writes the oldest buffer.  The lock is held at both ends. */
static void
write_oldest(wsi_behind *b)
{
	const buffer *p = &b->buffers[b->written % BUFFERS];
	int error = b->error;
	if (error == 0) {
		pthread_mutex_unlock(&b->lock);
		error = write_buffer(b, p);
		pthread_mutex_lock(&b->lock);
	}
	b->error = error;
	b->written++;
	pthread_cond_broadcast(&b->moved);
}

static void *
run(void *arg)
{
	wsi_behind *b = arg;
	pthread_mutex_lock(&b->lock);
	while (!b->ends || b->written < b->filled)
		if (b->written < b->filled)
			write_oldest(b);
		else
			pthread_cond_wait(&b->moved, &b->lock);
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

/* ---- The caller -------------------------------------------------------------------- */

wsi_behind *
wsi_behind_open(int fd, const wsi_newfile *file)
{
	wsi_behind *b = calloc(1, sizeof *b);
	void *memory = NULL;
	if (!b || posix_memalign(&memory, PAGE, BUFFERS * BUFFER_BYTES) != 0) {
		free(b);
		return NULL;
	}
	*b = (wsi_behind){ .fd = fd, .memory = memory };
	b->direct = wsi_newfile_again(file, O_WRONLY | O_DIRECT);
	for (size_t i = 0; i < BUFFERS; ++i)
		b->buffers[i].data = b->memory + i * BUFFER_BYTES;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->moved, NULL);
	return b;
}

/* The buffer that is being filled is full, or others follow it elsewhere. */
static void
submit(wsi_behind *b)
{
	pthread_mutex_lock(&b->lock);
	/* Without a thread to be had, buffers are written by the caller. */
	if (!b->started)
		b->started = wsi_thread_start(&b->thread, run, b);
	b->filled++;
	pthread_cond_broadcast(&b->moved);
	if (!b->started)
		write_oldest(b);
	while (b->filled - b->written == BUFFERS)
		pthread_cond_wait(&b->moved, &b->lock);
	b->buffers[b->filled % BUFFERS].bytes = 0;
	pthread_mutex_unlock(&b->lock);
}

void
wsi_behind_put(wsi_behind *b, uint64_t at, const void *data, size_t bytes)
{
	for (const unsigned char *from = data; bytes > 0;) {
		buffer *p = &b->buffers[b->filled % BUFFERS];
		if (p->bytes > 0 && p->at + p->bytes != at) {
			submit(b);
			continue;
		}
		if (p->bytes == 0)
			p->at = at;
		const size_t used = p->at % PAGE + p->bytes, left = BUFFER_BYTES - used;
		const size_t n = bytes < left ? bytes : left;
		memcpy(p->data + used, from, n);
		p->bytes += n;
		from += n;
		at += n;
		bytes -= n;
		if (n == left)
			submit(b);
	}
}

void
wsi_behind_pad(wsi_behind *b)
{
	static const unsigned char zeros[PAGE];
	const buffer *p = &b->buffers[b->filled % BUFFERS];
	const size_t used = (p->at + p->bytes) % PAGE;
	if (p->bytes > 0 && used > 0)
		wsi_behind_put(b, p->at + p->bytes, zeros, PAGE - used);
}

bool
wsi_behind_holds(wsi_behind *b, uint64_t at, size_t bytes)
{
	bool held = false;
	pthread_mutex_lock(&b->lock);
	for (size_t n = b->written; n <= b->filled; ++n) {
		const buffer *p = &b->buffers[n % BUFFERS];
		held |= p->bytes > 0 && p->at < at + bytes && at < p->at + p->bytes;
	}
	pthread_mutex_unlock(&b->lock);
	return held;
}

int
wsi_behind_wait(wsi_behind *b)
{
	if (b->buffers[b->filled % BUFFERS].bytes > 0)
		submit(b);
	pthread_mutex_lock(&b->lock);
	while (b->written < b->filled)
		pthread_cond_wait(&b->moved, &b->lock);
	const int error = b->error;
	pthread_mutex_unlock(&b->lock);
	return error;
}

int
wsi_behind_error(wsi_behind *b)
{
	pthread_mutex_lock(&b->lock);
	const int error = b->error;
	pthread_mutex_unlock(&b->lock);
	return error;
}

void
wsi_behind_close(wsi_behind *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	b->ends = true;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
	if (b->started)
		pthread_join(b->thread, NULL);
	if (b->direct >= 0)
		close(b->direct);
	pthread_cond_destroy(&b->moved);
	pthread_mutex_destroy(&b->lock);
	free(b->memory);
	free(b);
}
