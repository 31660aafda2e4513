/* spool.c - what is kept until commit, in memory or in a nameless file. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "io/write/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/target.h"
#include "base/whole.h"
#include "io/write/outfile.h"

/* Bytes of a block of wsi_spool_transpose: large enough that a row's piece of it
 * is a long read even with thousands of rows. */
#define BLOCK_BYTES ((size_t)32 << 20)

/* A file without a name in an open folder; -1 with errno. */
static int
open_nameless(int folder)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd;
	/* Some file systems know no nameless files. */
	for (unsigned i = 0; i < 10000; ++i) {
		char name[64];
		snprintf(name, sizeof name, ".wavesift-%ld-%u", (long)getpid(), i);
		fd = openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			unlinkat(folder, name, 0);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Any name in the folder where temporary files go. */
static const char *
in_temporary(char *text, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(text, size, "%s/x", tmp && *tmp ? tmp : "/tmp");
	return text;
}

/* Where a file for `output` lies: text is room for it. */
static const char *
place_for(const char *output, char text[4096])
{
	return strcmp(output, "-") == 0 ? in_temporary(text, 4096) : output;
}

ws_status
wsi_spool_file(int *fd, const char *output)
{
	char text[4096];
	wsi_target place;
	*fd = -1;
	errno = wsi_target_find(&place, place_for(output, text), true);
	if (errno)
		return wsi_write_fail(output);
	*fd = open_nameless(place.folder);
	const int error = errno;
	wsi_target_close(&place);
	errno = error;
	return *fd >= 0 ? WS_OK : wsi_write_fail(output);
}

ws_status
wsi_spool_share(wsi_newfile *file, const char *output)
{
	char text[4096];
	errno = wsi_newfile_open(file, place_for(output, text), true);
	return errno ? wsi_write_fail(output) : WS_OK;
}

ws_status
wsi_spool_join(wsi_newfile *file, const char *output, const char *temp, uint64_t inode)
{
	char text[4096];
	errno = wsi_newfile_join(file, place_for(output, text), temp, inode);
	return errno ? wsi_write_fail(output) : WS_OK;
}

int
wsi_spool_take(wsi_newfile *file)
{
	const int fd = file->fd;
	file->fd = -1;
	wsi_newfile_close(file);
	return fd;
}

ws_status
wsi_spool_file_write(int fd, const char *output, size_t offset, const void *data, size_t bytes)
{
	errno = wsi_whole_write(fd, data, bytes, offset);
	return errno ? wsi_write_fail(output) : WS_OK;
}

ws_status
wsi_spool_file_read(int fd, const char *path, size_t offset, void *out, size_t bytes)
{
	return wsi_whole_read(fd, out, bytes, offset) == bytes ? WS_OK
	       : WSI_FAIL(WS_E_IO, "%s: its temporary file cannot be read back", path);
}

ws_status
wsi_spool_open(wsi_spool *spool, const char *path, uint64_t bytes, bool in_memory)
{
	*spool = (wsi_spool){ .fd = -1, .path = path };
	spool->memory = in_memory ? calloc(bytes ? bytes : 1, 1) : NULL;
	if (spool->memory)
		return WS_OK;
	WSI_TRY(wsi_spool_file(&spool->fd, path));
	if (ftruncate(spool->fd, (off_t)bytes) == 0)
		return WS_OK;
	const ws_status status = wsi_write_fail(path);
	wsi_spool_close(spool);
	return status;
}

void
wsi_spool_close(wsi_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->memory);
	*spool = (wsi_spool){ .fd = -1 };
}

ws_status
wsi_spool_put(const wsi_spool *spool, uint64_t at, const void *data, size_t bytes)
{
	if (spool->memory) {
		memcpy(spool->memory + at, data, bytes);
		return WS_OK;
	}
	return wsi_spool_file_write(spool->fd, spool->path, at, data, bytes);
}

ws_status
wsi_spool_read(const wsi_spool *spool, uint64_t at, void *out, size_t bytes)
{
	if (!spool->memory)
		return wsi_spool_file_read(spool->fd, spool->path, at, out, bytes);
	memcpy(out, spool->memory + at, bytes);
	return WS_OK;
}

/* n elements of a row into records; of known sizes, which is several times as fast. */
static void
scatter(const char *in, size_t size, size_t n, size_t record, char *out)
{
	if (size == 8)
		for (size_t i = 0; i < n; ++i)
			memcpy(out + i * record, in + i * 8, 8);
	else if (size == 4)
		for (size_t i = 0; i < n; ++i)
			memcpy(out + i * record, in + i * 4, 4);
	else
		for (size_t i = 0; i < n; ++i)
			memcpy(out + i * record, in + i * size, size);
}

/* Record t of out: the t-th sample of each of n rows, which lie in `in` one after the other. */
static void
transpose(const char *in, const wsi_spool_row *rows, size_t n, size_t count, size_t record,
          char *out)
{
	/* Squares of so many numbers keep both sides in cache. */
	enum { SQUARE = 32 };
	size_t before = 0;     /* bytes of a record that earlier rows have */
	for (size_t r0 = 0; r0 < n; r0 += SQUARE) {
		size_t width = 0;
		for (size_t r = r0; r < n && r < r0 + SQUARE; ++r)
			width += rows[r].size;
		for (size_t t0 = 0; t0 < count; t0 += SQUARE) {
			const size_t some = count - t0 < SQUARE ? count - t0 : SQUARE;
			size_t at = before;
			for (size_t r = r0; r < n && r < r0 + SQUARE; at += rows[r++].size)
				scatter(in + at * count + t0 * rows[r].size, rows[r].size, some,
				        record, out + t0 * record + at);
		}
		before += width;
	}
}

ws_status
wsi_spool_transpose(const wsi_spool *spool, const wsi_spool_row *rows, size_t n, size_t all,
                    wsi_spool_sink sink, void *user)
{
	size_t record = 0;
	for (size_t r = 0; r < n; ++r)
		record += rows[r].size;
	if (n == 0 || all == 0)
		return WS_OK;
	size_t block = BLOCK_BYTES / record;
	block = block < 1 ? 1 : block > all ? all : block;
	char *in = malloc(record * block), *out = malloc(record * block);
	ws_status status = WS_OK;
	if (!in || !out)
		status = WSI_FAIL(WS_E_NOMEM, "%s: no memory to transpose %zu rows", spool->path,
		                  n);
	for (size_t first = 0; status == WS_OK && first < all; first += block) {
		const size_t count = all - first < block ? all - first : block;
		char *to = in;
		for (size_t r = 0; status == WS_OK && r < n; ++r) {
			const size_t size = rows[r].size;
			status = wsi_spool_read(spool, rows[r].at + first * size, to, count * size);
			to += count * size;
		}
		if (status != WS_OK)
			break;
		transpose(in, rows, n, count, record, out);
		status = sink(user, first, count, out);
	}
	free(in);
	free(out);
	return status;
}
