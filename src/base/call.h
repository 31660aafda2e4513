/*
 * call.h - calls across the border of the library: of public functions, and of callbacks.
 *
 * A public function gives the caller's floating point environment back when it returns, and changes
 * ws_error_detail() only where it fails.  What a callback does to that detail ends with the
 * callback, but for one that fails.
 */
#ifndef WSI_CALL_H
#define WSI_CALL_H

#include "base/fpenv.h"
#include "base/status.h"

/* A thread's error detail, put aside. */
typedef struct wsi_detail {
	char text[WSI_DETAIL];
} wsi_detail;

/* What a public function keeps while it works. */
typedef struct wsi_call {
	wsi_fpenv env;
	wsi_detail detail;
} wsi_call;

/* A public function begins: results are computed in the library's environment. */
void wsi_call_enter(wsi_call *call);

/* It ends with a status, which is returned.  Where that is WS_OK the detail is again that of the
 * thread's last failure, whatever was tried meanwhile. */
ws_status wsi_call_leave(const wsi_call *call, ws_status status);

/* A function of the caller's is about to be called. */
void wsi_callback_enter(wsi_detail *before);

/* It returned a status, which is returned.  Of a failure that told no detail this says which
 * function it was. */
ws_status wsi_callback_leave(const wsi_detail *before, ws_status status, const char *function);

#endif
