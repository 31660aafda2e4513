/*
 * ours.c - one channel of white noise decomposed by wavesift, its sifts
 * counted: by running once with a table of operations that counts.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "bench.h"
#include "transform/emd/emd.h"

static atomic_long passes;
static void (*counted_mean_sub)(const wsi_mean_args *job, wsi_mean_counts *counts);

static void
count_mean_sub(const wsi_mean_args *job, wsi_mean_counts *counts)
{
	atomic_fetch_add(&passes, 1);
	counted_mean_sub(job, counts);
}

static void
check(ws_status status)
{
	if (status != WS_OK)
		bench_die("%s: %s", ws_status_name(status), ws_error_detail());
}

void
bench_ours_run(void *arg)
{
	bench_ours *b = arg;
	check(ws_execute(b->plan, &b->io, b->workspace));
}

const char *
bench_method(const ws_emd_opts *opts)
{
	return opts->method == WS_METHOD_EMD ? "emd" : "iceemdan";
}

bench_ours *
bench_ours_create(const ws_emd_opts *opts, ws_type type, size_t n, const char *isa, int threads,
                  bool count)
{
	bench_ours *b = bench_alloc(sizeof *b);
	ws_ctx_opts c = { .size = sizeof c, .threads = threads, .isa = isa, .device = "cpu" };
	check(ws_ctx_create(&b->ctx, &c));
	ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = n, .type = type };
	/* What only ensembles have, emd refuses. */
	ws_emd_opts o = *opts;
	if (o.method == WS_METHOD_EMD) {
		o.realizations = 0;
		o.seed = 0;
	}
	check(ws_plan_create(&b->plan, b->ctx, bench_method(opts), &shape, &o));
	const size_t row = n * (type == WS_F64 ? 8 : 4);
	b->workspace_bytes = ws_plan_workspace(b->plan);
	b->modes_bytes = (size_t)ws_plan_modes(b->plan) * row;
	b->workspace = bench_alloc(b->workspace_bytes);
	b->x = bench_alloc(row);
	b->modes = bench_alloc(b->modes_bytes);
	b->residue = bench_alloc(row);
	bench_white(type, n, b->x);
	b->arrays[WS_EMD_MODES].data = b->modes;
	b->arrays[WS_EMD_RESIDUE].data = b->residue;
	b->arrays[WS_EMD_MODE_COUNT].data = &b->mode_count;
	b->io = (ws_io){ .size = sizeof b->io, .x = b->x, .arrays = b->arrays,
		.n_arrays = WS_EMD_ARRAYS };
	if (count) {
		if (threads != 1)
			bench_die("sifts are counted on one thread");
		wsi_emd_plan *plan = (wsi_emd_plan *)b->plan;
		const wsi_ops *ops = plan->ops;
		wsi_ops counting = *ops;
		counted_mean_sub = ops->mean_sub;
		counting.mean_sub = count_mean_sub;
		plan->ops = &counting;
		atomic_store(&passes, 0);
		bench_ours_run(b);
		plan->ops = ops;
		b->sifts = (double)atomic_load(&passes);
		if (b->sifts == 0.0)
			bench_die("no sift was counted");
	}
	return b;
}

void
bench_ours_destroy(bench_ours *b)
{
	ws_plan_destroy(b->plan);
	ws_ctx_destroy(b->ctx);
	free(b->workspace);
	free(b->x);
	free(b->modes);
	free(b->residue);
	free(b);
}
