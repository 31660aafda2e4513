/* behind.c - large writes that go on while the caller does something else. */
#define _GNU_SOURCE /* O_DIRECT */
#include "io/write/behind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/vfs.h>
#endif

#include "base/block.h"
#include "base/cpu_probe.h"
#include "base/thread.h"
#include "base/whole.h"

/* Buffers beside those that are being written. */
#define SPARE 3
#define BUFFER_BYTES ((size_t)1 << 20)
#define PAGE WSI_BEHIND_PAGE
/* Threads that write to memory: at most, and of how many that work it is one. */
#define MOST_WRITERS 8
#define THREADS_EACH 4
/* From so many on pages of the file are mapped: one alone writes as fast by calls. */
#define MAPPED_WRITERS 3
#define WINDOW ((uint64_t)1 << 32)
#define WINDOWS 256
#define TMPFS 0x01021994

/* Bytes next to each other in the file.  Those at `at` lie at data + at % PAGE. */
typedef struct buffer {
	unsigned char *data;
	uint64_t at;
	size_t bytes;
	bool written;           /* it may be filled anew */
} buffer;

struct wsi_behind {
	int fd, direct;         /* direct: past the cache; -1: not here */
	unsigned char *memory;
	int n_buffers, most;    /* most: threads; none of either: the caller writes at once */
	uint64_t end;           /* of what was put last */
	pthread_mutex_t lock;   /* of what follows */
	pthread_cond_t moved;
	/* [n % n_buffers] for n below filled, which is being filled; those from drawn on nobody
	 * has begun to write */
	buffer buffers[MOST_WRITERS + SPARE];
	size_t filled, drawn;
	int error;
	bool ends;
	int started;
	pthread_t threads[MOST_WRITERS];
	unsigned char **windows; /* [WINDOWS] of the file, if mapped; NULL in it: not yet */
};

/* ---- Memory that is a file ------------------------------------------------------------ */

#if defined(__linux__) && UINTPTR_MAX > UINT32_MAX
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static bool
in_memory(int fd)
{
	struct statfs st;
	return fstatfs(fd, &st) == 0 && st.f_type == TMPFS;
}

/* The window that the byte lies in; NULL: it cannot be had. */
static unsigned char *
window(wsi_behind *b, uint64_t at)
{
	const uint64_t i = at / WINDOW;
	if (!b->windows || i >= WINDOWS)
		return NULL;
	pthread_mutex_lock(&b->lock);
	if (!b->windows[i]) {
		void *memory = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE,
		                    MAP_SHARED | MAP_NORESERVE, b->fd, (off_t)(i * WINDOW));
		b->windows[i] = memory == MAP_FAILED ? NULL : memory;
	}
	unsigned char *found = b->windows[i];
	pthread_mutex_unlock(&b->lock);
	return found;
}

/* Copies to the file's pages, which the system is asked for beforehand: where it has none (a full
 * disk), or does not know the question, nothing is touched, and false. */
static bool
copy_to_pages(wsi_behind *b, const unsigned char *data, size_t bytes, uint64_t at)
{
	unsigned char *to = window(b, at);
	const uint64_t from = at / PAGE * PAGE, end = at + bytes;
	if (!to || end > (at / WINDOW + 1) * WINDOW)
		return false;
	/* The file may grow meanwhile, but is not cut. */
	if (pwrite(b->fd, data + bytes - 1, 1, (off_t)(end - 1)) != 1)
		return false;
	if (madvise(to + from % WINDOW, (size_t)(end - from), MADV_POPULATE_WRITE) != 0)
		return false;
	memcpy(to + at % WINDOW, data, bytes);
	return true;
}

static void
forget_pages(wsi_behind *b)
{
	for (size_t i = 0; b->windows && i < WINDOWS; ++i)
		if (b->windows[i])
			munmap(b->windows[i], WINDOW);
	free(b->windows);
}
#else
static bool
in_memory(int fd)
{
	(void)fd;
	return false;
}

static bool
copy_to_pages(wsi_behind *b, const unsigned char *data, size_t bytes, uint64_t at)
{
	(void)b, (void)data, (void)bytes, (void)at;
	return false;
}

static void
forget_pages(wsi_behind *b)
{
	free(b->windows);
}
#endif

/* ---- The threads ------------------------------------------------------------------- */

/* Whole pages past the cache, the ends through it. */
static int
write_buffer(wsi_behind *b, const buffer *p)
{
	const unsigned char *data = p->data + p->at % PAGE;
	const uint64_t end = p->at + p->bytes, from = (p->at + PAGE - 1) / PAGE * PAGE;
	const uint64_t to = end / PAGE * PAGE;
	if (b->windows && copy_to_pages(b, data, p->bytes, p->at))
		return 0;
	if (b->direct < 0 || to < from + WSI_BEHIND_LEAST)
		return wsi_whole_write(b->fd, data, p->bytes, p->at);
	int error = wsi_whole_write(b->direct, data + (from - p->at), to - from, from);
	if (error == EINVAL) {
		close(b->direct);
		b->direct = -1;
		return wsi_whole_write(b->fd, data, p->bytes, p->at);
	}
	if (error == 0)
		error = wsi_whole_write(b->fd, data, from - p->at, p->at);
	return error ? error : wsi_whole_write(b->fd, data + (to - p->at), end - to, to);
}

/* Writes the next buffer.  The lock is held at both ends. */
static void
write_next(wsi_behind *b)
{
	buffer *p = &b->buffers[b->drawn++ % (size_t)b->n_buffers];
	if (b->error == 0) {
		pthread_mutex_unlock(&b->lock);
		const int error = write_buffer(b, p);
		pthread_mutex_lock(&b->lock);
		b->error = b->error ? b->error : error;
	}
	p->written = true;
	pthread_cond_broadcast(&b->moved);
}

static void *
run(void *arg)
{
	wsi_behind *b = arg;
	pthread_mutex_lock(&b->lock);
	while (!b->ends || b->drawn < b->filled)
		if (b->drawn < b->filled)
			write_next(b);
		else
			pthread_cond_wait(&b->moved, &b->lock);
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

/* ---- The caller -------------------------------------------------------------------- */

/* Threads that write to a file beside so many that work.  To memory the caller writes at once,
 * which spares a copy, where it keeps up with one that works, or no processor is left for it. */
static int
writers(int fd, int threads)
{
	const int wanted = threads / THREADS_EACH;
	if (!in_memory(fd))
		return 1;
	if (wanted < 1)
		return threads > 1 && threads < wsi_cpu_threads() ? 1 : 0;
	return wanted < MOST_WRITERS ? wanted : MOST_WRITERS;
}

wsi_behind *
wsi_behind_open(int fd, const wsi_newfile *file, int threads)
{
	const int most = writers(fd, threads), buffers = most ? most + SPARE : 0;
	wsi_behind *b = calloc(1, sizeof *b);
	/* So large that it is aligned to pages. */
	void *memory = buffers ? wsi_block_take((size_t)buffers * BUFFER_BYTES) : NULL;
	if (!b || (buffers && !memory)) {
		free(memory);
		free(b);
		return NULL;
	}
	*b = (wsi_behind){ .fd = fd, .memory = memory, .n_buffers = buffers, .most = most };
	if (most >= MAPPED_WRITERS)
		b->windows = calloc(WINDOWS, sizeof *b->windows);
	b->direct = buffers ? wsi_newfile_again(file, O_WRONLY | O_DIRECT) : -1;
	for (int i = 0; i < buffers; ++i)
		b->buffers[i] = (buffer){ .data = b->memory + (size_t)i * BUFFER_BYTES,
			.written = true };
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->moved, NULL);
	return b;
}

/* The buffer that is being filled. */
static buffer *
at_hand(wsi_behind *b)
{
	return &b->buffers[b->filled % (size_t)b->n_buffers];
}

/* That buffer is full, or others follow it elsewhere. */
static void
submit(wsi_behind *b)
{
	pthread_mutex_lock(&b->lock);
	/* One more for each buffer that nobody has begun to write.  Without a thread to be had,
	 * buffers are written by the caller. */
	if (b->started < b->most && b->filled - b->drawn >= (b->started ? 1u : 0u))
		b->started += wsi_thread_start(&b->threads[b->started], run, b);
	at_hand(b)->written = false;
	b->filled++;
	pthread_cond_broadcast(&b->moved);
	if (b->started == 0)
		write_next(b);
	while (!at_hand(b)->written)
		pthread_cond_wait(&b->moved, &b->lock);
	at_hand(b)->bytes = 0;
	pthread_mutex_unlock(&b->lock);
}

static void
put_at_once(wsi_behind *b, uint64_t at, const void *data, size_t bytes)
{
	if (b->error == 0)
		b->error = wsi_whole_write(b->fd, data, bytes, at);
}

void
wsi_behind_put(wsi_behind *b, uint64_t at, const void *data, size_t bytes)
{
	b->end = at + bytes;
	if (b->n_buffers == 0) {
		put_at_once(b, at, data, bytes);
		return;
	}
	for (const unsigned char *from = data; bytes > 0;) {
		buffer *p = at_hand(b);
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
	const size_t used = b->end % PAGE;
	if (used > 0)
		wsi_behind_put(b, b->end, zeros, PAGE - used);
}

bool
wsi_behind_holds(wsi_behind *b, uint64_t at, size_t bytes)
{
	bool held = false;
	pthread_mutex_lock(&b->lock);
	for (int i = 0; i < b->n_buffers; ++i) {
		const buffer *p = &b->buffers[i];
		held |= (!p->written || p == at_hand(b)) && p->bytes > 0 && p->at < at + bytes
		        && at < p->at + p->bytes;
	}
	pthread_mutex_unlock(&b->lock);
	return held;
}

int
wsi_behind_wait(wsi_behind *b)
{
	if (b->n_buffers && at_hand(b)->bytes > 0)
		submit(b);
	pthread_mutex_lock(&b->lock);
	for (int i = 0; i < b->n_buffers; ++i)
		while (!b->buffers[i].written)
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
	for (int i = 0; i < b->started; ++i)
		pthread_join(b->threads[i], NULL);
	forget_pages(b);
	if (b->direct >= 0)
		close(b->direct);
	pthread_cond_destroy(&b->moved);
	pthread_mutex_destroy(&b->lock);
	free(b->memory);
	free(b);
}
