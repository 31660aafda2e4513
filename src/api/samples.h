/* samples.h - are the samples of an execution fit to be worked on? */
#ifndef WSI_SAMPLES_H
#define WSI_SAMPLES_H

#include "base/pool.h"
#include "plan/plan.h"

/* Looks at all samples and all noise that the caller gave, on all threads of a pool;
 * NULL: alone. */
ws_status wsi_check_samples(const struct ws_plan *plan, const ws_emd_io *io, wsi_pool *pool);

#endif
