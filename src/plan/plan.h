/*
 * plan.h - how a decomposition will run: where, kernels, threads, workspace.
 */
#ifndef WSI_PLAN_H
#define WSI_PLAN_H

#include "ops/backend.h"
#include "ops/ops.h"
#include "ops/params.h"

/* A GPU that is open. */
typedef struct wsi_gpu {
	const wsi_backend *backend;
	wsi_device *device;
	char name[16];          /* "cuda:0" */
	char model[128];
	size_t limit;           /* bytes of its memory that a plan may take */
} wsi_gpu;

struct ws_plan {
	wsi_params params;
	double *vectors;        /* params.vectors; WS_MEMD only */
	size_t channels;
	const wsi_ops *ops;
	int threads;
	bool within;            /* all threads work on one signal at a time */
	const wsi_gpu *gpu;     /* works instead of the CPU; or NULL */
	const char *way;        /* of its sifts (wsi_engine); or NULL */
	char note[256];         /* why the CPU works although there is a GPU; or "" */
	int rows;               /* worked on together */
	size_t workspace;       /* bytes */
	size_t device_bytes;    /* of the GPU's memory */
	size_t host_bytes;      /* besides workspace, for rows that do not fit there; or 0 */
	double seconds;         /* expected */
	char describe[1280];
};

/* Checks the options and resolves every default and reference; WS_E_ARG names
 * the option.  opts: of this version's size, or NULL. */
ws_status wsi_params_resolve(wsi_params *params, const ws_shape *shape, const ws_emd_opts *opts);

/* Are channels sifted together?  o: defaults not yet resolved, or NULL. */
bool wsi_opts_joint(const ws_emd_opts *o);

/* Rows that can be worked on at the same time. */
static inline size_t
wsi_plan_signals(const struct ws_plan *plan)
{
	const ws_emd_opts *o = &plan->params.o;
	if (o->method == WS_MEMD)
		return 1; /* all threads work on all channels */
	return o->method == WS_EMD ? plan->channels : (size_t)o->realizations;
}

/* Expected seconds of execution, from stored measured constants (cost.c). */
double wsi_plan_cost(const struct ws_plan *plan);

/* Fills plan->describe. */
void wsi_plan_describe(struct ws_plan *plan);

/* Names as the command line spells them; never NULL. */
const char *wsi_method_name(ws_method method);
const char *wsi_boundary_name(ws_boundary boundary);
const char *wsi_spline_name(ws_spline spline);
const char *wsi_stop_name(ws_stop stop);
const char *wsi_direction_set_name(ws_direction_set set);

#endif
