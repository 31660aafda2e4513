/* text_lines.c - see text_lines.h. */
#include "io/text_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/readers.h"

#define BLOCK ((size_t)64 << 10)

/* A line may take this part of memory: for each of its bytes there may be a field. */
#define LINE_SHARE 16

ws_status
text_lines_open(text_lines *l, const char *path, size_t most, struct wsi_opened *opened)
{
	*l = (text_lines){ .path = path, .most = most, .fd = -1, .block = malloc(BLOCK) };
	if (!l->block)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", path);
	if (strcmp(path, "-") == 0) {
		l->piped = true;
		l->fd = STDIN_FILENO;
		WSI_TRY(wsi_opened_add(opened, l->fd, "standard input"));
	} else {
		wsi_file f;
		WSI_TRY(wsi_file_open(&f, path, opened));
		l->fd = f.fd;
	}
	wsi_sha256_start(&l->hash);
	return WS_OK;
}

void
text_lines_close(text_lines *l)
{
	if (l->block && l->fd >= 0 && !l->piped)
		close(l->fd);
	free(l->block);
	free(l->line);
	*l = (text_lines){ .fd = -1 };
}

static bool
is_text(const char *line, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		if ((unsigned char)line[i] < ' ' && !(line[i] >= '\t' && line[i] <= '\r'))
			return false;
	return true;
}

/* More of the file; held stays 0 at its end. */
static ws_status
fill_block(text_lines *l)
{
	ssize_t n;
	do
		n = read(l->fd, l->block, BLOCK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read after line %zu: %s", l->path,
		                l->number, strerror(errno));
	l->taken = 0;
	l->held = (size_t)n;
	wsi_sha256_add(&l->hash, l->block, l->held);
	return WS_OK;
}

/* So many bytes behind the n of the line. */
static ws_status
grow_line(text_lines *l, size_t n, size_t more)
{
	const size_t least = l->most / LINE_SHARE > BLOCK ? l->most / LINE_SHARE : BLOCK;
	if (n + more > least)
		return WSI_FAIL(WS_E_NOMEM, "%s: line %zu has more than %zu bytes, for which "
		                "--memory is too small; is it a table?", l->path,
		                l->number + 1, least);
	if (n + more < l->room)
		return WS_OK;
	const size_t room = 2 * (n + more) + 256;
	char *grown = realloc(l->line, room);
	if (!grown)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for line %zu", l->path,
		                l->number + 1);
	l->line = grown;
	l->room = room;
	return WS_OK;
}

/* The next line with its end into l->line, NUL behind it; *n 0 at the end of the file. */
static ws_status
read_line(text_lines *l, size_t *n)
{
	bool whole = false;
	*n = 0;
	while (!whole) {
		if (l->taken == l->held)
			WSI_TRY(fill_block(l));
		const char *from = l->block + l->taken;
		const size_t left = l->held - l->taken;
		const char *end = left ? memchr(from, '\n', left) : NULL;
		const size_t more = end ? (size_t)(end - from) + 1 : left;
		WSI_TRY(grow_line(l, *n, more));
		memcpy(l->line + *n, from, more);
		*n += more;
		l->taken += more;
		whole = end || left == 0;
	}
	l->line[*n] = '\0';
	return WS_OK;
}

ws_status
text_lines_next(text_lines *l, bool *more)
{
	for (size_t n;;) {
		WSI_TRY(read_line(l, &n));
		if (n == 0)
			break;
		++l->number;
		if (l->piped && !is_text(l->line, n))
			return WSI_FAIL(WS_E_FORMAT, "%s: standard input is no table at line %zu; "
			                "only CSV and TSV can be read from there, name the file of "
			                "other formats", l->path, l->number);
		if (strlen(l->line) != n)
			return WSI_FAIL(WS_E_FORMAT, "%s: not a known format (" WSI_FORMATS
			                "): it starts as text, but line %zu has a NUL byte; save "
			                "tables as UTF-8", l->path, l->number);
		if (l->number == 1 && strncmp(l->line, "\xef\xbb\xbf", 3) == 0)
			memmove(l->line, l->line + 3, n - 2);
		l->line[strcspn(l->line, "\r\n")] = '\0';
		const char *start = l->line + strspn(l->line, " \t\v\f");
		if (*start != '\0' && *start != '#' && *start != '%') {
			*more = true;
			return WS_OK;
		}
	}
	*more = false;
	return WS_OK;
}
