/* kept.cu - what the host works out for an execution, kept for the next one of the same plan. */
#include "cuda/cwt/kept.h"

#include <mutex>
#include <utility>

constexpr size_t KEPT = 40; /* octaves of a plan have one each */

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
}

void
cwt_kept_close(cwt_kept *kept)
{
	delete kept;
}
