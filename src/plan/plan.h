/*
 * plan.h - how a decomposition will run: kernels, threads, workspace.
 */
#ifndef WSI_PLAN_H
#define WSI_PLAN_H

#include "ops/params.h"
#include "ops/ops.h"

struct ws_ctx {
	int threads;
	const char *isa;
};

struct ws_plan {
	wsi_params params;
	size_t channels;
	const wsi_ops *ops;
	int threads;
	bool within;            /* all threads work on one signal at a time */
	size_t workspace;       /* bytes */
	double seconds;         /* expected */
	char describe[1024];
};

/* Checks the options and resolves every default and reference; WS_E_ARG names
 * the option. */
ws_status wsi_params_resolve(wsi_params *params, const ws_shape *shape, const ws_emd_opts *opts);

/* Expected seconds of execution, from stored measured constants (cost.c). */
double wsi_plan_cost(const struct ws_plan *plan);

/* Fills plan->describe. */
void wsi_plan_describe(struct ws_plan *plan);

/* Names as the command line spells them; never NULL. */
const char *wsi_method_name(ws_method method);
const char *wsi_boundary_name(ws_boundary boundary);
const char *wsi_spline_name(ws_spline spline);
const char *wsi_stop_name(ws_stop stop);

#endif
