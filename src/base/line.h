/*
 * line.h - text that is put together piece by piece in a caller's room, and counted whole where
 * that is too small, as snprintf() does.
 */
#ifndef WSI_LINE_H
#define WSI_LINE_H

#include <stddef.h>

typedef struct wsi_line {
	char *text;    /* what fits, and a NUL; untouched where size is 0 */
	size_t size;
	size_t used;   /* length of all that was put: text is whole where it is below size */
} wsi_line;

/* Empty; text may be NULL where size is 0. */
wsi_line wsi_line_in(char *text, size_t size);
/* Appends a number with as few digits as are that number when they are read. */
void wsi_line_put_real(wsi_line *line, double value);
/* Appends, with a decimal point whatever the locale is. */
void wsi_line_put(wsi_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
