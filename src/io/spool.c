/* spool.c - see spool.h. */
#define _GNU_SOURCE /* O_TMPFILE, asprintf, mkostemp */
#include "io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "io/writer.h"

/* Bytes of a block of wsi_spool_turn: large enough that a row's piece of it
 * is a long read even with thousands of rows. */
#define TURN_BYTES ((size_t)32 << 20)

static size_t
element_bytes(const wsi_spool *spool)
{
	return wsi_type_bytes(spool->type);
}

static int
open_nameless(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd;
	/* Some file systems know no nameless files. */
	char *name;
	if (asprintf(&name, "%s/.wavesift-XXXXXX", folder) < 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

static const char *
folder_for(const char *output, char *text, size_t size)
{
	const char *slash = strrchr(output, '/');
	if (strcmp(output, "-") == 0) {
		const char *tmp = getenv("TMPDIR");
		return tmp && *tmp ? tmp : "/tmp";
	}
	if (!slash)
		return ".";
	snprintf(text, size, "%.*s", slash == output ? 1 : (int)(slash - output), output);
	return text;
}

ws_status
wsi_spool_file(int *fd, const char *output)
{
	char folder[4096];
	*fd = open_nameless(folder_for(output, folder, sizeof folder));
	return *fd >= 0 ? WS_OK : wsi_write_fail(output);
}

ws_status
wsi_spool_file_read(int fd, const char *path, size_t offset, void *out, size_t bytes)
{
	for (char *p = out; bytes > 0;) {
		ssize_t n = pread(fd, p, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return WSI_FAIL(WS_E_IO, "%s: its temporary file cannot be read back", path);
		p += n;
		offset += (size_t)n;
		bytes -= (size_t)n;
	}
	return WS_OK;
}

ws_status
wsi_spool_open(wsi_spool *spool, const char *path, size_t max_entries, size_t samples,
               ws_type type, size_t room)
{
	*spool = (wsi_spool){ .fd = -1, .path = path, .samples = samples, .type = type };
	spool->modes = calloc(max_entries ? max_entries : 1, sizeof *spool->modes);
	spool->first_row = calloc(max_entries ? max_entries : 1, sizeof *spool->first_row);
	if (!spool->modes || !spool->first_row) {
		wsi_spool_close(spool);
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for the table of %zu channels",
		                path, max_entries);
	}
	spool->memory = room ? malloc(room) : NULL;
	const ws_status status = spool->memory ? WS_OK : wsi_spool_file(&spool->fd, path);
	if (status != WS_OK)
		wsi_spool_close(spool);
	return status;
}

void
wsi_spool_close(wsi_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->memory);
	free(spool->modes);
	free(spool->first_row);
	*spool = (wsi_spool){ .fd = -1 };
}

/* Writes rows from row `first` of the spool on. */
static ws_status
put_rows(const wsi_spool *spool, size_t first, const void *data, size_t rows)
{
	const size_t row_bytes = spool->samples * element_bytes(spool);
	size_t at = first * row_bytes, bytes = rows * row_bytes;
	if (spool->memory) {
		if (bytes > 0)
			memcpy(spool->memory + at, data, bytes);
		return WS_OK;
	}
	for (const char *p = data; bytes > 0;) {
		ssize_t n = pwrite(spool->fd, p, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return wsi_write_fail(spool->path);
		p += n;
		at += (size_t)n;
		bytes -= (size_t)n;
	}
	return WS_OK;
}

ws_status
wsi_spool_put(wsi_spool *spool, const void *signal, const void *modes,
              size_t n_modes, const void *residue)
{
	const size_t e = spool->entries;
	const size_t first = e ? spool->first_row[e - 1] + spool->modes[e - 1] + 2 : 0;
	spool->first_row[e] = first;
	spool->modes[e] = n_modes;
	WSI_TRY(put_rows(spool, first, signal, 1));
	WSI_TRY(put_rows(spool, first + 1, modes, n_modes));
	WSI_TRY(put_rows(spool, first + 1 + n_modes, residue, 1));
	spool->entries = e + 1;
	return WS_OK;
}

ws_status
wsi_spool_read(const wsi_spool *spool, wsi_spool_row row, size_t first, size_t count, void *out)
{
	size_t size = element_bytes(spool), modes = spool->modes[row.entry];
	if (row.row != WSI_ROW_SIGNAL && row.row != WSI_ROW_RESIDUE && row.row >= modes) {
		memset(out, 0, count * size);
		return WS_OK;
	}
	size_t r = spool->first_row[row.entry] + (row.row == WSI_ROW_SIGNAL ? 0
	           : row.row == WSI_ROW_RESIDUE ? modes + 1 : row.row + 1);
	const size_t offset = (r * spool->samples + first) * size;
	if (!spool->memory)
		return wsi_spool_file_read(spool->fd, spool->path, offset, out, count * size);
	memcpy(out, spool->memory + offset, count * size);
	return WS_OK;
}

/* out[t * n + r] = in[r * count + t]; both elements of size bytes. */
static void
transpose(const char *in, size_t n, size_t count, size_t size, char *out)
{
	/* Square tiles keep both sides in cache. */
	enum { TILE = 32 };
	for (size_t r0 = 0; r0 < n; r0 += TILE)
		for (size_t t0 = 0; t0 < count; t0 += TILE)
			for (size_t r = r0; r < n && r < r0 + TILE; ++r)
				for (size_t t = t0; t < count && t < t0 + TILE; ++t)
					memcpy(out + (t * n + r) * size, in + (r * count + t) * size, size);
}

ws_status
wsi_spool_turn(const wsi_spool *spool, const wsi_spool_row *rows, size_t n,
               wsi_spool_sink sink, void *user)
{
	if (n == 0)
		return WS_OK;
	size_t size = element_bytes(spool);
	size_t block = TURN_BYTES / size / n;
	block = block < 1 ? 1 : block > spool->samples ? spool->samples : block;
	char *in = malloc(n * block * size), *out = malloc(n * block * size);
	ws_status status = WS_OK;
	if (!in || !out)
		status = WSI_FAIL(WS_E_NOMEM, "%s: no memory to turn %zu rows", spool->path, n);
	for (size_t first = 0; status == WS_OK && first < spool->samples; first += block) {
		size_t count = spool->samples - first < block ? spool->samples - first : block;
		for (size_t r = 0; status == WS_OK && r < n; ++r)
			status = wsi_spool_read(spool, rows[r], first, count, in + r * count * size);
		if (status != WS_OK)
			break;
		transpose(in, n, count, size, out);
		status = sink(user, first, count, out);
	}
	free(in);
	free(out);
	return status;
}
