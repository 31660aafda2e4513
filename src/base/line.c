/*
 * line.c - text that is put together piece by piece in a caller's room, and counted whole where
 * that is too small, as snprintf() does.
 */
#include "base/line.h"

#include <stdlib.h>

#include "base/c_locale.h"

wsi_line
wsi_line_in(char *text, size_t size)
{
	if (size > 0)
		*text = '\0';
	return (wsi_line){ .text = text, .size = size };
}

void
wsi_line_put(wsi_line *l, const char *format, ...)
{
	va_list args;
	const size_t left = l->used < l->size ? l->size - l->used : 0;
	va_start(args, format);
	const int n = wsi_vsnprintf(left ? l->text + l->used : NULL, left, format, args);
	va_end(args);
	l->used += n > 0 ? (size_t)n : 0;
}

void
wsi_line_put_real(wsi_line *l, double value)
{
	char digits[32];
	wsi_c_locale c;
	wsi_c_locale_enter(&c);
	for (int n = 15; n <= 17; ++n) {
		wsi_snprintf(digits, sizeof digits, "%.*g", n, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	wsi_c_locale_leave(&c);
	wsi_line_put(l, "%s", digits);
}
