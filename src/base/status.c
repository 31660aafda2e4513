/* status.c - the thread-local error detail. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

/* Aligned for the linker mold 1: with bytes of any alignment at the end of a page programs do not
 * start, as it counts the page before among those to be protected. */
size_t wsi_numbers_from;

static _Alignas(16) _Thread_local char detail[WSI_DETAIL];

ws_status
wsi_fail(const char *file, int line, ws_status status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = wsi_vsnprintf(detail, sizeof detail, format, args);
	va_end(args);
	/* Names out of damaged files can hold anything; the detail is one line. */
	for (char *c = detail; *c; ++c)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	/* Users read the sentence; developers also want the place. */
	if (getenv("WAVESIFT_DEBUG") && n >= 0 && (size_t)n < sizeof detail)
		snprintf(detail + n, sizeof detail - (size_t)n, " [%s:%d]", file, line);
	return status;
}

void
wsi_set_detail(const char *text)
{
	strcpy(detail, text);
}

const char *
ws_error_detail(void)
{
	return detail;
}

const char *
ws_status_name(ws_status status)
{
	switch (status) {
	case WS_OK:            return "WS_OK";
	case WS_E_ARG:         return "WS_E_ARG";
	case WS_E_NOMEM:       return "WS_E_NOMEM";
	case WS_E_UNSUPPORTED: return "WS_E_UNSUPPORTED";
	case WS_E_BACKEND:     return "WS_E_BACKEND";
	case WS_E_IO:          return "WS_E_IO";
	case WS_E_FORMAT:      return "WS_E_FORMAT";
	case WS_E_NOSPACE:     return "WS_E_NOSPACE";
	case WS_E_EXISTS:      return "WS_E_EXISTS";
	case WS_E_CANCELLED:   return "WS_E_CANCELLED";
	case WS_E_INTERNAL:    return "WS_E_INTERNAL";
	}
	return "unknown status";
}
