/* method.h - runs a plan's algorithm on the engine of its device. */
#ifndef WSI_METHOD_H
#define WSI_METHOD_H

#include "plan/plan.h"
#include "ops/engine.h"

/* Fills plan->rows, workspace, device_bytes and host_bytes.  aside: rows that
 * are used seldom may lie in host memory where the GPU's does not suffice.  WS_E_NOMEM where
 * not even the fewest rows at a time fit. */
ws_status wsi_method_measure(struct ws_plan *plan, bool aside);

/* Checks the samples, then runs.  workspace: plan->workspace bytes.  A cancelled
 * run is WS_OK here. */
ws_status wsi_method_run(const struct ws_plan *plan, const ws_emd_io *io, wsi_progress *progress,
                         void *workspace);

#endif
