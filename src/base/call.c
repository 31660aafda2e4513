/* call.c - calls across the border between the library and its caller. */
#include "base/call.h"

#include <string.h>

void
wsi_call_enter(wsi_call *call)
{
	strcpy(call->detail.text, ws_error_detail());
	wsi_fpenv_enter(&call->env);
}

ws_status
wsi_call_leave(const wsi_call *call, ws_status status)
{
	wsi_fpenv_leave(&call->env);
	if (status == WS_OK)
		wsi_set_detail(call->detail.text);
	return status;
}

void
wsi_callback_enter(wsi_detail *before)
{
	strcpy(before->text, ws_error_detail());
	wsi_set_detail("");
}

ws_status
wsi_callback_leave(const wsi_detail *before, ws_status status, const char *function)
{
	if (status == WS_OK)
		wsi_set_detail(before->text);
	else if (!*ws_error_detail())
		return WSI_FAIL(status, "the caller's %s gave up: %s", function,
		                ws_status_name(status));
	return status;
}
