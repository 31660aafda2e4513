/* samples.h - checks the samples of an execution and finds the extremes of each row. */
#ifndef WSI_SAMPLES_H
#define WSI_SAMPLES_H

#include "base/pool.h"
#include "plan/plan.h"

/* Bytes of the array `ranges` of wsi_look_at_samples(), including scratch.  Afterwards it holds
 * a range for each channel, then one for each realization of noise that the caller gave. */
size_t wsi_ranges_bytes(const struct ws_plan *plan);

/* Checks all samples and all noise that the caller gave, on all threads of pool (NULL: on this
 * thread) and fills ranges.  WS_E_FORMAT names a sample that is not finite. */
ws_status wsi_look_at_samples(const struct ws_plan *plan, const ws_emd_io *io, wsi_pool *pool,
                              wsi_range *ranges);

/* Checks the modes of signals near the largest number of the type: WS_E_FORMAT where one is
 * beyond it. */
ws_status wsi_check_results(const struct ws_plan *plan, const ws_emd_io *io,
                            const wsi_range *ranges);

#endif
