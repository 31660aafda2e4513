/* engine.h - the CPU's engine: ops/engine.h on host memory and threads. */
#ifndef WSI_CPU_ENGINE_H
#define WSI_CPU_ENGINE_H

#include "base/items.h"
#include "cpu/emd/joint.h"
#include "cpu/emd/rows.h"
#include "cpu/emd/sifter.h"

typedef struct wsi_cpu_engine {
	wsi_cpu_rows rows;      /* first */
	int threads;
	wsi_worker *workers;    /* [thread] */
	wsi_sifter *sifters;    /* [thread], no more than rows */
	int n_sifters;
	wsi_member *members;    /* [thread], no more than sifters where rows are not shared */
	int most;               /* that a row is shared by */
	wsi_joint joint;        /* of methods that sift channels together */
} wsi_cpu_engine;

/* arena->base NULL: measures.  rows: most that are sifted at a time. */
void wsi_cpu_engine_layout(wsi_cpu_engine *c, const wsi_ops *ops, const wsi_params *params,
                           int threads, int rows, wsi_progress *progress, wsi_arena *arena);

/* Between these its threads run. */
void wsi_cpu_engine_start(wsi_cpu_engine *c);
void wsi_cpu_engine_stop(wsi_cpu_engine *c);

/* Do several threads work on a row together, where there are this many? */
bool wsi_cpu_shares_rows(const wsi_params *params, int threads, size_t rows);

/* Rows that keep the threads busy, without taking much memory. */
int wsi_cpu_good_rows(const wsi_params *params, const wsi_ops *ops, int threads);

#endif
