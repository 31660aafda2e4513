/*
 * checkpoint_blocks.c - finished blocks of a run as files of a folder:
 *
 *     head   pairs (place, number)   for each channel: length, packed result, checksum
 *
 * all of them multiples of 16 bytes.
 */
#include "checkpoint_blocks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/new.h"
#include "base/whole.h"
#include "io/read/readers.h"
#include "io/write/outfile.h"
#include "packed.h"
#include "values.h"

static const char magic[8] = "wsblock";

/* Bytes that are written, or compared, at a time. */
#define CHUNK ((size_t)256 << 10)

/* Before and behind a channel's packed bytes. */
typedef struct length {
	uint64_t bytes, channel;
} length;
typedef struct sum {
	uint32_t crc, zero[3];
} sum;

static ws_status
no_memory(const char *path)
{
	return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for a list of blocks", path);
}

/* ---- Writing ------------------------------------------------------------------------ */

static ws_status
write_all(cli_block_writer *w, const char *bytes, size_t n)
{
	while (n > 0) {
		const ssize_t some = write(w->file.fd, bytes, n);
		if (some < 0 && errno == EINTR)
			continue;
		if (some == 0)
			errno = ENOSPC;
		if (some <= 0)
			return wsi_write_fail(w->path);
		bytes += some;
		n -= (size_t)some;
	}
	return WS_OK;
}

static ws_status
flush(cli_block_writer *w)
{
	const size_t n = w->used;
	w->used = 0;
	return write_all(w, w->buffer, n);
}

/* Few bytes wait for others. */
static ws_status
put(cli_block_writer *w, const void *bytes, size_t n)
{
	if (n > CHUNK - w->used)
		WSI_TRY(flush(w));
	if (n > CHUNK)
		return write_all(w, bytes, n);
	memcpy(w->buffer + w->used, bytes, n);
	w->used += n;
	return WS_OK;
}

static ws_status
put_summed(void *user, const void *bytes, size_t n)
{
	cli_block_writer *w = user;
	w->crc = wsi_crc32(w->crc, bytes, n);
	return put(w, bytes, n);
}

static ws_status
put_head(cli_block_writer *w, uint64_t id, const size_t *numbers, size_t n)
{
	cli_block_head h = { .id = id, .channel = w->rows.channel, .channels = w->rows.channels,
		.row = w->rows.row, .rows = w->rows.rows, .slab = sizeof(ws_slab) };
	memcpy(h.magic, magic, sizeof h.magic);
	for (size_t i = 0; i < n; i++)
		h.numbers += numbers[i] != 0;
	uint32_t crc = wsi_crc32(0, &h, sizeof h);
	for (size_t i = 0; i < n; i++)
		if (numbers[i])
			crc = wsi_crc32(crc, (uint64_t[]){ i, numbers[i] }, 16);
	h.crc = crc;
	WSI_TRY(put(w, &h, sizeof h));
	for (size_t i = 0; i < n; i++)
		if (numbers[i])
			WSI_TRY(put(w, (uint64_t[]){ i, numbers[i] }, 16));
	return WS_OK;
}

ws_status
cli_block_open(cli_block_writer *w, const char *folder, uint64_t id, const wsi_run_rows *rows,
               const size_t *numbers, size_t n)
{
	char name[128];
	_Static_assert(sizeof(cli_block_head) % 16 == 0, "what follows it is aligned");
	snprintf(name, sizeof name, "channels-%zu-%zu_rows-%zu-%zu" CLI_BLOCK_ENDING,
	         rows->channel + 1, rows->channel + rows->channels, rows->row + 1,
	         rows->row + rows->rows);
	*w = (cli_block_writer){ .file.fd = -1, .file.place.folder = -1, .rows = *rows,
		.path = cli_path_in(folder, name), .buffer = malloc(CHUNK) };
	ws_status status = w->path && w->buffer ? WS_OK : no_memory(folder);
	if (status == WS_OK) {
		errno = wsi_newfile_open(&w->file, w->path, true);
		status = errno ? wsi_write_fail(w->path) : put_head(w, id, numbers, n);
	}
	if (status != WS_OK)
		cli_block_close(w);
	return status;
}

ws_status
cli_block_put(cli_block_writer *w, const cli_outputs *outputs, const ws_channel_result *result)
{
	const length before = { cli_packed_bytes(outputs, result, NULL), result->channel };
	WSI_TRY(put(w, &before, sizeof before));
	w->crc = wsi_crc32(0, &before, sizeof before);
	WSI_TRY(cli_pack(outputs, result, NULL, NULL, put_summed, w));
	return put(w, &(sum){ .crc = w->crc }, sizeof(sum));
}

ws_status
cli_block_commit(cli_block_writer *w)
{
	wsi_newfile *file = &w->file;
	size_t failed;
	WSI_TRY(flush(w));
	errno = wsi_newfile_commit(&file, 1, &failed);
	const ws_status status = errno ? wsi_write_fail(w->path) : WS_OK;
	cli_block_close(w);
	return status;
}

void
cli_block_close(cli_block_writer *w)
{
	if (w->path)
		wsi_newfile_close(&w->file);
	free(w->path);
	free(w->buffer);
	*w = (cli_block_writer){ 0 };
}

/* ---- Listing ------------------------------------------------------------------------ */

static bool
read_at(int fd, void *to, size_t n, uint64_t at)
{
	return wsi_whole_read(fd, to, n, at) == n;
}

static ws_status
add_kept(cli_blocks *b, const cli_kept *k)
{
	if (b->n_kept == b->room) {
		const size_t room = b->room ? 2 * b->room : 64;
		cli_kept *grown = realloc(b->kept, room * sizeof *grown);
		if (!grown)
			return no_memory(b->folder);
		b->kept = grown;
		b->room = room;
	}
	b->kept[b->n_kept++] = *k;
	return WS_OK;
}

/* Reads head and numbers; false: they are not whole. */
static bool
read_head(int fd, uint64_t id, cli_block_head *h, size_t *numbers, size_t n)
{
	uint64_t pair[2];
	if (!read_at(fd, h, sizeof *h, 0) || memcmp(h->magic, magic, sizeof magic) != 0
	    || h->id != id || h->slab != sizeof(ws_slab))
		return false;
	const uint32_t crc = h->crc;
	h->crc = 0;
	uint32_t found = wsi_crc32(0, h, sizeof *h);
	for (uint64_t i = 0; i < h->numbers; i++) {
		if (!read_at(fd, pair, sizeof pair, sizeof *h + i * sizeof pair))
			return false;
		found = wsi_crc32(found, pair, sizeof pair);
	}
	for (uint64_t i = 0; found == crc && numbers && i < h->numbers; i++)
		if (read_at(fd, pair, sizeof pair, sizeof *h + i * sizeof pair) && pair[0] < n
		    && pair[1] > numbers[pair[0]])
			numbers[pair[0]] = (size_t)pair[1];
	return found == crc;
}

/* The channels of file number `file`; of one that is not whole none. */
static ws_status
list_file(cli_blocks *b, size_t file, int fd, uint64_t id, size_t *numbers, size_t n)
{
	cli_block_head h;
	struct stat st;
	length l;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !read_head(fd, id, &h, numbers, n))
		return WS_OK;
	const size_t before = b->n_kept;
	const uint64_t size = (uint64_t)st.st_size;
	uint64_t at = sizeof h + 16 * h.numbers;
	for (uint64_t i = 0; i < h.channels; i++) {
		const bool good = read_at(fd, &l, sizeof l, at) && l.channel == h.channel + i
		                  && l.bytes <= size - at
		                  && sizeof l + sizeof(sum) <= size - at - l.bytes;
		if (!good) {
			b->n_kept = before;
			return WS_OK;
		}
		WSI_TRY(add_kept(b, &(cli_kept){ .channel = l.channel, .row = h.row, .rows = h.rows,
		                                 .file = file, .at = at, .bytes = l.bytes }));
		at += sizeof l + l.bytes + sizeof(sum);
	}
	b->bytes += size;
	return WS_OK;
}

static int
by_place(const void *x, const void *y)
{
	const cli_kept *a = x, *b = y;
	if (a->channel != b->channel)
		return a->channel < b->channel ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->rows > b->rows ? -1 : a->rows < b->rows;
}

/* Rows that are there twice count once. */
static void
count_cells(cli_blocks *b)
{
	size_t end = 0;
	for (size_t i = 0; i < b->n_kept; i++) {
		const cli_kept *k = &b->kept[i];
		const size_t behind = k->row + k->rows;
		if (i == 0 || k->channel != k[-1].channel)
			end = 0;
		const size_t from = k->row > end ? k->row : end;
		b->cells += behind > from ? behind - from : 0;
		end = behind > end ? behind : end;
	}
}

static ws_status
list_name(cli_blocks *b, const char *name, uint64_t id, size_t *numbers, size_t n)
{
	char **files = realloc(b->files, (b->n_files + 1) * sizeof *files);
	if (!files)
		return no_memory(b->folder);
	b->files = files;
	files[b->n_files] = cli_path_in(b->folder, name);
	if (!files[b->n_files])
		return no_memory(b->folder);
	const size_t file = b->n_files++;
	const int fd = open(files[file], O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return WS_OK;
	const ws_status status = list_file(b, file, fd, id, numbers, n);
	close(fd);
	return status;
}

ws_status
cli_blocks_list(cli_blocks *b, const char *folder, uint64_t id, size_t *numbers, size_t n)
{
	*b = (cli_blocks){ .folder = strdup(folder) };
	if (!b->folder)
		return no_memory(folder);
	DIR *d = opendir(folder);
	if (!d)
		return WSI_FAIL(WS_E_IO, "%s: cannot be opened: %s", folder, strerror(errno));
	ws_status status = WS_OK;
	for (struct dirent *e; status == WS_OK && (e = readdir(d));)
		if (e->d_name[0] != '.' && wsi_name_ends(e->d_name, CLI_BLOCK_ENDING))
			status = list_name(b, e->d_name, id, numbers, n);
	closedir(d);
	if (status != WS_OK)
		return status;
	if (b->n_kept)
		qsort(b->kept, b->n_kept, sizeof *b->kept, by_place);
	count_cells(b);
	return WS_OK;
}

void
cli_blocks_free(cli_blocks *b)
{
	for (size_t i = 0; i < b->n_files; i++)
		free(b->files[i]);
	free(b->files);
	free(b->kept);
	free(b->folder);
	*b = (cli_blocks){ 0 };
}

/* ---- Reading ------------------------------------------------------------------------ */

/* The longest that begins at this row of a channel and ends in time; or n_kept. */
static size_t
find_kept(const cli_blocks *b, size_t channel, size_t row, size_t end)
{
	size_t low = 0, high = b->n_kept;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const cli_kept *k = &b->kept[middle];
		if (k->channel < channel || (k->channel == channel && k->row < row))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < b->n_kept; low++) {
		const cli_kept *k = &b->kept[low];
		if (k->channel != channel || k->row != row)
			break;
		if (k->rows <= end - row)
			return low;
	}
	return b->n_kept;
}

size_t
cli_blocks_find(const cli_blocks *b, const wsi_run_rows *r, size_t *list, size_t room)
{
	size_t n = 0;
	const size_t end = r->row + r->rows;
	for (size_t c = r->channel; c < r->channel + r->channels; c++)
		for (size_t row = r->row; row < end;) {
			const size_t i = find_kept(b, c, row, end);
			if (i == b->n_kept || n == room || b->kept[i].rows == 0)
				return 0;
			list[n++] = i;
			row += b->kept[i].rows;
		}
	return n;
}

bool
cli_kept_is_whole(const cli_blocks *b, const cli_kept *k)
{
	sum found = { 0 };
	char *chunk = malloc(CHUNK);
	const int fd = open(b->files[k->file], O_RDONLY | O_CLOEXEC);
	uint64_t left = sizeof(length) + k->bytes, at = k->at;
	bool good = chunk && fd >= 0;
	uint32_t crc = 0;
	while (good && left > 0) {
		const size_t n = left < CHUNK ? (size_t)left : CHUNK;
		good = read_at(fd, chunk, n, at);
		crc = good ? wsi_crc32(crc, chunk, n) : 0;
		at += n;
		left -= n;
	}
	good = good && read_at(fd, &found, sizeof found, at) && found.crc == crc;
	if (fd >= 0)
		close(fd);
	free(chunk);
	return good;
}

ws_status
cli_kept_read(const cli_blocks *b, const cli_kept *k, void **bytes)
{
	const char *path = b->files[k->file];
	*bytes = malloc(k->bytes);
	WSI_HAVE(*bytes, "%s: no memory for %llu bytes of it", path, (unsigned long long)k->bytes);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const bool good = fd >= 0 && read_at(fd, *bytes, k->bytes, k->at + sizeof(length));
	const int error = errno;
	if (fd >= 0)
		close(fd);
	if (good)
		return WS_OK;
	free(*bytes);
	*bytes = NULL;
	return WSI_FAIL(WS_E_IO, "%s: cannot be read: %s", path, strerror(error));
}
