/* rows.h - an engine's kernels and threads, and its operations that pass over rows. */
#ifndef WSI_CPU_ROWS_H
#define WSI_CPU_ROWS_H

#include "base/pool.h"
#include "ops/engine.h"

typedef struct wsi_cpu_rows {
	wsi_engine e;           /* first: what algorithms see */
	const wsi_ops *ops;
	wsi_pool pool;          /* runs when passes are made */
} wsi_cpu_rows;

/* Memory, put, get and passes of e; the others are its owner's. */
void wsi_cpu_rows_make(wsi_cpu_rows *c, const wsi_ops *ops, const wsi_params *params,
                       wsi_progress *progress, wsi_arena *arena);

#endif
