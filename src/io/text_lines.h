/* text_lines.h - the lines of a table, one after the other, and the fingerprint of all. */
#ifndef WSI_IO_TEXT_LINES_H
#define WSI_IO_TEXT_LINES_H

#include <stdbool.h>

#include "io/opened.h"
#include "io/sha256.h"

typedef struct text_lines {
	const char *path;  /* borrowed; "-": standard input */
	size_t most;       /* bytes of memory that the table may take */
	int fd;            /* or -1 */
	bool piped;        /* it is standard input */
	char *block;       /* of the file, as it was read */
	size_t held, taken; /* bytes of it, and those that lines have */
	wsi_sha256 hash;   /* of the lines so far */
	char *line;
	size_t room, number; /* of the line: bytes that it may take; from 1 */
} text_lines;

/* opened is told the file, and may be NULL.  Where it fails, close follows. */
ws_status text_lines_open(text_lines *lines, const char *path, size_t most,
                          struct wsi_opened *opened);
/* The next line that is neither blank nor a comment, without its end, into lines->line; *more false
 * at the end of the file. */
ws_status text_lines_next(text_lines *lines, bool *more);
/* A closed or zeroed one is fine. */
void text_lines_close(text_lines *lines);

#endif
