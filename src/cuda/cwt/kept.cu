/* kept.cu - what the host works out for an execution, kept for the next one of the same plan. */
#include "cuda/cwt/kept.h"

#include <mutex>
#include <utility>

constexpr size_t KEPT = 40; /* octaves of a plan have one each */
constexpr size_t KEPT_TABLES = 4; /* plans that keep their tables, of some megabytes */

/* When nothing uses them any more. */
static void
free_tables(cwt_kept_plan *plan)
{
	if (plan->last) {
		cudaEventSynchronize(plan->last);
		cudaEventDestroy(plan->last);
	}
	cudaFree(plan->tables);
	plan->last = NULL;
	plan->tables = NULL;
}

cwt_kept_plan::~cwt_kept_plan()
{
	free_tables(this);
}

/* ---- Tables -------------------------------------------------------------------------------- */

size_t
cwt_tables_bytes(const wsi_cwt_job &first, bool mapped)
{
	const size_t map = mapped ? cwt_edge_map(first.edge) : 0;
	return (first.edge.table_count + first.table_count + map) * sizeof(double);
}

void
cwt_tables_ready(cuda_work *w, cwt_kept_plan *plan, const wsi_cwt_job &job)
{
	const size_t edges = job.edge.table_count, count = edges + job.table_count;
	const size_t map = plan->layout.edge_mapped ? cwt_edge_map(job.edge) : 0;
	if (plan->last)
		well(w, cudaStreamWaitEvent(w->stream, plan->last, 0), "waiting for tables");
	if (plan->last || !count || w->error != cudaSuccess)
		return;
	well(w, cudaMallocAsync((void **)&plan->tables, (count + map) * sizeof(double), w->stream),
	     "device memory for tables");
	if (w->error != cudaSuccess)
		return;
	cuda_work_table(w, plan->tables, job.edge.table, edges * sizeof(double));
	cuda_work_table(w, plan->tables + edges, job.tables, job.table_count * sizeof(double));
	wsi_cwt_job_edge edge = job.edge;
	edge.table = plan->tables;
	if (map && w->error == cudaSuccess)
		well(w, cwt_edge_make_map(edge, (unsigned)job.length, plan->tables + count,
		                          w->stream), "spectra beside edges");
	well(w, cudaEventCreateWithFlags(&plan->last, cudaEventDisableTiming), "keeping tables");
	cwt_tables_used(w, plan);
}

void
cwt_tables_used(cuda_work *w, cwt_kept_plan *plan)
{
	if (plan->last)
		well(w, cudaEventRecord(plan->last, w->stream), "keeping tables");
}

/* ---- Plans --------------------------------------------------------------------------------- */

/* The last given first. */
struct cwt_kept { std::unique_ptr<cwt_kept_plan> at[KEPT]; };

std::unique_ptr<cwt_kept_plan>
cwt_take_plan(wsi_device *d, const wsi_cwt_job &job, size_t frequencies, size_t device)
{
	{
		const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
		if (!d->cwt)
			d->cwt = new cwt_kept();
		for (std::unique_ptr<cwt_kept_plan> &p : d->cwt->at)
			if (p && p->made == job.made && p->frequencies == frequencies &&
			    p->device == device)
				return std::move(p);
	}
	std::unique_ptr<cwt_kept_plan> p(new cwt_kept_plan());
	p->made = job.made;
	p->frequencies = frequencies;
	p->device = device;
	return p;
}

void
cwt_give_plan(wsi_device *d, std::unique_ptr<cwt_kept_plan> plan)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	for (size_t i = 0; i < KEPT && plan; ++i)
		plan.swap(d->cwt->at[i]);
	size_t tables = 0;
	for (std::unique_ptr<cwt_kept_plan> &p : d->cwt->at)
		if (p && p->tables && ++tables > KEPT_TABLES)
			free_tables(p.get());
}

void
cwt_kept_close(cwt_kept *kept)
{
	delete kept;
}
