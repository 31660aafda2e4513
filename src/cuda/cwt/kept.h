/*
 * kept.h - what the host works out for an execution, kept for the next one of the same plan: some
 * us a frequency otherwise; and its tables, in the device's memory: an execution that copied them
 * would wait for the one before.
 */
#ifndef WSI_CUDA_CWT_KEPT_H
#define WSI_CUDA_CWT_KEPT_H

#include <memory>

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/layout.h"

/* The frequencies of a range, by their classes. */
struct cwt_range {
	size_t first, count;    /* frequencies; count 0: none yet */
	std::vector<cwt_scale> scales;
	std::vector<uint32_t> members;
	std::vector<size_t> ends; /* of each class, in both */
};

/* Of one job, so many frequencies of it, and so many bytes of the device's memory. */
struct cwt_kept_plan {
	uint64_t made;          /* the job's number */
	size_t frequencies, device;
	std::vector<cwt_class> classes;
	cwt_layout layout;
	cwt_range range;        /* the last one */
	/* On the device, of the first of jobs: tables beside edges, those of responses,
	 * the map of edges. */
	double *tables;
	cudaEvent_t last;       /* what used them last; NULL: they are not there */

	~cwt_kept_plan();
};

/* One that is kept, or a new one whose classes and layout are to be filled; the taker has it alone.
 * Throws std::bad_alloc. */
std::unique_ptr<cwt_kept_plan> cwt_take_plan(wsi_device *d, const wsi_cwt_job &job,
                                             size_t frequencies, size_t device);
/* Bytes of the device's memory that the tables of jobs take; mapped: as cwt_lay_out() has it. */
size_t cwt_tables_bytes(const wsi_cwt_job &first, bool mapped);
/* They are there for what comes next in the work's stream. */
void cwt_tables_ready(cuda_work *w, cwt_kept_plan *plan, const wsi_cwt_job &job);
/* They are in use by what is in the work's stream so far. */
void cwt_tables_used(cuda_work *w, cwt_kept_plan *plan);
/* The device keeps it, in place of the one given longest ago. */
void cwt_give_plan(wsi_device *d, std::unique_ptr<cwt_kept_plan> plan);

#endif
