/*
 * status.h - how a failure is reported inside wavesift.
 *
 *     if (n == 0)
 *             return WSI_FAIL(WS_E_ARG, "samples must be at least 1, not %zu", n);
 *     WSI_TRY(wsi_layout(&layout, n));
 *
 * The detail is one line that says what, where and what to do.
 */
#ifndef WSI_STATUS_H
#define WSI_STATUS_H

#include "wavesift/wavesift.h"

/* Stores the detail of this thread's failure and returns status. */
ws_status wsi_fail(const char *file, int line, ws_status status, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Bytes of a detail, with the 0 at its end. */
#define WSI_DETAIL 1024

/* Makes `text` this thread's detail (call.h). */
void wsi_set_detail(const char *text);

/* What the first of several things is called in texts for people: channels, samples, epochs, modes,
 * masks, taps, frequencies, directions.  0, as in C; the program, whose users count from 1, sets it
 * before it does anything else. */
extern size_t wsi_numbers_from;
#define WSI_NO(i) ((size_t)(i) + wsi_numbers_from)

#define WSI_FAIL(status, ...) wsi_fail(__FILE__, __LINE__, (status), __VA_ARGS__)

#define WSI_TRY(call)                        \
	do {                                 \
		ws_status wsi_try_ = (call); \
		if (wsi_try_ != WS_OK)       \
			return wsi_try_;     \
	} while (0)

/* Calls whose answer nobody looks at are refused: a failure must not pass for absence. */
#define WSI_LOOK_AT __attribute__((warn_unused_result))

#endif
