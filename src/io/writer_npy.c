/*
 * writer_npy.c - NumPy's array format: [epoch][channel][mode][time], the
 * epoch axis only if epoched, the residue as the last mode.
 *
 * Rows are written to where they belong if a channel has as many modes as announced.
 * Where none turns out to, they move together at commit.
 */
#include "io/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/behind.h"

#define NPY_ALIGN 64
#define MOVED ((size_t)1 << 20)  /* bytes at a time */

typedef struct npy_state {
	int fd;
	wsi_behind *behind;
	size_t head;            /* bytes before the first row */
	size_t modes;           /* of an entry, as the rows lie */
} npy_state;

static size_t
row_bytes(const wsi_writer *w)
{
	return w->header.samples * wsi_type_bytes(w->header.store);
}

/* Where a row of an entry lies if every entry has so many modes. */
static uint64_t
place(const wsi_writer *w, size_t modes, size_t entry, size_t row)
{
	const npy_state *s = w->state;
	return s->head + (uint64_t)(entry * (modes + 1) + row) * row_bytes(w);
}

static ws_status
write_at(const wsi_writer *w, const void *data, size_t bytes, uint64_t at)
{
	const npy_state *s = w->state;
	for (const char *p = data; bytes > 0;) {
		const ssize_t n = pwrite(s->fd, p, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return wsi_write_fail(w->path);
		p += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return WS_OK;
}

static ws_status
read_at(const wsi_writer *w, void *data, size_t bytes, uint64_t at)
{
	const npy_state *s = w->state;
	for (char *p = data; bytes > 0;) {
		const ssize_t n = pread(s->fd, p, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return WSI_FAIL(WS_E_IO, "%s: what was written cannot be read back", w->path);
		p += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return WS_OK;
}

/* Magic, version 1.0, the header's length, the header, padded to 64 bytes or to what an
 * earlier one took.  Its size. */
static size_t
make_head(const wsi_writer *w, size_t modes, size_t least, unsigned char head[4 * NPY_ALIGN])
{
	const wsi_result_header *h = &w->header;
	char epochs[32] = "";
	if (h->epochs)
		snprintf(epochs, sizeof epochs, "%zu, ", h->epochs);
	memset(head, ' ', 4 * NPY_ALIGN);
	memcpy(head, "\x93NUMPY\x01\x00", 8);
	char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
	int n = snprintf((char *)head + 10, 4 * NPY_ALIGN - 10,
	                 "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (%s%zu, %zu, %zu), }",
	                 order, wsi_type_bytes(h->store), epochs, h->channels, modes + 1,
	                 h->samples);
	/* At most 10 + 150 + 1 bytes: four 20-digit numbers and the rest. */
	size_t total = (10 + (size_t)n + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;
	total = total > least ? total : least;
	head[10 + n] = ' '; /* over the NUL */
	head[total - 1] = '\n';
	head[8] = (unsigned char)((total - 10) & 0xff);
	head[9] = (unsigned char)((total - 10) >> 8);
	return total;
}

static ws_status
npy_open(wsi_writer *w)
{
	unsigned char head[4 * NPY_ALIGN];
	npy_state *s = w->state = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	s->modes = w->header.max_modes;
	s->head = make_head(w, s->modes, 0, head);
	s->fd = open(w->temp, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return wsi_write_fail(w->path);
	s->behind = wsi_behind_open(s->fd, w->temp);
	return s->behind ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
}

static ws_status
npy_put(wsi_writer *w, size_t epoch, size_t channel, const void *signal, const void *modes,
        size_t n_modes, const void *residue, const ws_mode_figures *figures)
{
	(void)signal;
	(void)figures;
	npy_state *s = w->state;
	const size_t entry = epoch * w->header.channels + channel;
	if (wsi_header_epochs(&w->header) * w->header.channels == 1)
		s->modes = n_modes;
	wsi_behind_put(s->behind, place(w, s->modes, entry, 0), modes, n_modes * row_bytes(w));
	wsi_behind_put(s->behind, place(w, s->modes, entry, s->modes), residue, row_bytes(w));
	errno = wsi_behind_error(s->behind);
	return errno ? wsi_write_fail(w->path) : WS_OK;
}

/* Moves a row towards the beginning. */
static ws_status
move_row(const wsi_writer *w, uint64_t from, uint64_t to, char *piece)
{
	for (size_t left = row_bytes(w), n; left > 0; left -= n) {
		n = left < MOVED ? left : MOVED;
		WSI_TRY(read_at(w, piece, n, from));
		WSI_TRY(write_at(w, piece, n, to));
		from += n;
		to += n;
	}
	return WS_OK;
}

/* Fewer modes than were announced: rows that nobody has leave.  What was not written
 * reads as zeros. */
static ws_status
move_together(wsi_writer *w)
{
	npy_state *s = w->state;
	char *piece = malloc(MOVED);
	ws_status status = piece ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	for (size_t e = 0; e < w->entries; ++e)
		for (size_t r = 0; r <= w->modes && status == WS_OK; ++r)
			if (e > 0 || r == w->modes)
				status = move_row(w, place(w, s->modes, e, r < w->modes ? r : s->modes),
				                  place(w, w->modes, e, r), piece);
	free(piece);
	if (status == WS_OK && ftruncate(s->fd, (off_t)place(w, w->modes, w->entries, 0)) != 0)
		status = wsi_write_fail(w->path);
	return status;
}

static ws_status
npy_finish(wsi_writer *w, const wsi_fact *facts, size_t n_facts)
{
	(void)facts;
	(void)n_facts;
	unsigned char head[4 * NPY_ALIGN];
	npy_state *s = w->state;
	errno = wsi_behind_wait(s->behind);
	if (errno)
		return wsi_write_fail(w->path);
	if (w->modes < s->modes)
		WSI_TRY(move_together(w));
	WSI_TRY(write_at(w, head, make_head(w, w->modes, s->head, head), 0));
	const int fd = s->fd;
	s->fd = -1;
	return close(fd) == 0 ? WS_OK : wsi_write_fail(w->path);
}

static void
npy_close(wsi_writer *w)
{
	npy_state *s = w->state;
	if (!s)
		return;
	wsi_behind_close(s->behind);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

const wsi_writer_format wsi_writer_npy = {
	".npy", npy_open, npy_put, npy_finish, npy_close, false,
};
