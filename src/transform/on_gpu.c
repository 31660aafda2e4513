/* on_gpu.c - transforms that a GPU's backend does as a whole. */
#include "transform/on_gpu.h"

#include <stdatomic.h>
#include <string.h>

#include "base/status.h"

static const wsi_device_transform *
row_of(const ws_plan *plan)
{
	return plan->gpu->backend->transform(plan->transform->about.name);
}

ws_status
wsi_gpu_too_little(const ws_plan *plan)
{
	const char *fewer = plan->transform->fewer;
	return WSI_FAIL(WS_E_NOMEM, "device %s: %.1f MiB of its memory are needed and %.1f MiB may "
	                "be used: allow more (`device_memory`), take fewer %s, or use the CPU "
	                "(`device cpu`)", plan->gpu->name, (double)plan->device_bytes / 1048576.0,
	                (double)plan->gpu->limit / 1048576.0, fewer ? fewer : "samples");
}

ws_status
wsi_gpu_measure(ws_plan *plan, const void *job, size_t bytes)
{
	const wsi_gpu *g = plan->gpu;
	const wsi_device_transform *row = row_of(plan);
	const char *name = plan->transform->about.name;
	wsi_why why = { "" };
	if (!row || row->job_bytes != bytes)
		return WSI_FAIL(WS_E_BACKEND, "device %s: its library has no %s; build both from "
		                "the same sources, or use the CPU (`device cpu`)", g->name, name);
	const ws_status status = row->measure(g->device, job, plan->part, g->limit,
	                                      &plan->device_bytes, &plan->host_bytes, &why);
	if (status == WS_E_NOMEM)
		return wsi_gpu_too_little(plan);
	if (status != WS_OK)
		return WSI_FAIL(status, "device %s: %s", g->name, why.text);
	plan->workspace = 0;
	return WS_OK;
}

uint64_t
wsi_gpu_job_number(void)
{
	static atomic_uint_fast64_t made;
	return atomic_fetch_add(&made, 1) + 1;
}

ws_status
wsi_gpu_run(const ws_plan *plan, const void *job, const wsi_io *io, wsi_progress *progress)
{
	wsi_why why = { "" };
	wsi_progress_step(progress, 0.0, 1.0);
	const ws_status status = row_of(plan)->run(plan->gpu->device, job, io, plan->device_bytes,
	                                           plan->host_bytes, progress, &why);
	if (status == WS_E_FORMAT)
		return WSI_FAIL(status, "%s", why.text);
	if (status != WS_OK)
		return WSI_FAIL(status, "device %s: %s", plan->gpu->name, why.text);
	return WS_OK;
}

void
wsi_gpu_describe(const ws_plan *plan, const void *job, wsi_line *to)
{
	if (to->used >= to->size)
		return;
	row_of(plan)->describe(plan->gpu->device, job, to->text + to->used, to->size - to->used);
	to->used += strlen(to->text + to->used);
}
