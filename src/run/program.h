/* program.h - what the program asks of a run beside wavesift.h. */
#ifndef WSI_RUN_PROGRAM_H
#define WSI_RUN_PROGRAM_H

#include "wavesift/wavesift.h"

/* Makes the tables of all lanes, which ws_run_execute() else does when it comes to need them;
 * ws_run_describe() may tell more then.  WS_E_NOMEM, WS_E_CANCELLED. */
ws_status wsi_run_complete(ws_run *run, ws_progress progress, void *user);

/* Samples between the moments of an array's time axis, where these are 0, every, 2 every .. samples
 * of the signal; 0: ws_run_axis() tells them.  There can be as many as samples. */
size_t wsi_run_every(const ws_run *run, int array);

#endif
