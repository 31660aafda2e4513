/* complete.h - the tables of a run's plans, made before it begins. */
#ifndef WSI_RUN_COMPLETE_H
#define WSI_RUN_COMPLETE_H

#include "wavesift/wavesift.h"

/* Makes the tables of all lanes, which ws_run_execute() else does when it comes to need them;
 * ws_run_describe() may tell more then.  WS_E_NOMEM, WS_E_CANCELLED. */
ws_status wsi_run_complete(ws_run *run, ws_progress progress, void *user);

#endif
