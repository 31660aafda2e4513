/* on_gpu.h - measure() and run() of rows whose work a GPU's backend does as a whole. */
#ifndef WSI_TRANSFORM_ON_GPU_H
#define WSI_TRANSFORM_ON_GPU_H

#include "transform/transform.h"

/* job: of `bytes` bytes, ops/NAME_job.h.  Both need plan->gpu. */

/* WS_E_NOMEM: plan->device_bytes are more than the device's limit. */
ws_status wsi_gpu_too_little(const ws_plan *plan);
/* As measure() of a row: sets workspace (none), device_bytes and host_bytes.  WS_E_NOMEM,
 * WS_E_BACKEND where the device or its libraries cannot do it. */
ws_status wsi_gpu_measure(ws_plan *plan, const void *job, size_t bytes);

/* A number that no other job of this process has: it tells those apart that lie at one address, one
 * after the other. */
uint64_t wsi_gpu_job_number(void);

/* As run() of a row. */
ws_status wsi_gpu_run(const ws_plan *plan, const void *job, const wsi_io *io,
                      wsi_progress *progress);

/* What the device says of such a plan: "  kernels    cuda/..\n". */
void wsi_gpu_describe(const ws_plan *plan, const void *job, wsi_line *to);

#endif
