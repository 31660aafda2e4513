/* samples.h - are the samples of an execution fit to be worked on, and within which limits? */
#ifndef WSI_SAMPLES_H
#define WSI_SAMPLES_H

#include "base/pool.h"
#include "plan/plan.h"

/* What wsi_look_at_samples() needs room for, of which it leaves a range for each channel,
 * then for each realization of noise that the caller gave. */
size_t wsi_ranges_bytes(const struct ws_plan *plan);

/* Looks at all samples and all noise that the caller gave, on all threads of a pool;
 * NULL: alone.  WS_E_FORMAT names a sample that is not finite. */
ws_status wsi_look_at_samples(const struct ws_plan *plan, const ws_emd_io *io, wsi_pool *pool,
                              wsi_range *ranges);

/* Of signals near the largest number of the type: WS_E_FORMAT where their modes are beyond it. */
ws_status wsi_check_results(const struct ws_plan *plan, const ws_emd_io *io,
                            const wsi_range *ranges);

#endif
