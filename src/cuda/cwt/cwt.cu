/*
 * cwt.cu - the continuous wavelet transform on a device: its row of the table of transforms.
 *
 * Twin: cpu/cwt/cwt.c.  cwt/ways.cu chooses how each frequency is computed, cwt/layout.cu how
 * memory is shared out, cwt/group.cu makes spectra, cwt/rows.cu coefficients, cwt/results.cu what
 * is formed of them.
 */
#include <stdio.h>
#include <string.h>

#include <deque>
#include <memory>
#include <new>
#include <vector>

#include "cuda/cwt/run.h"

/* Pinned memory for what is told of so many channels. */
static size_t
told_bytes(size_t channels)
{
	return channels * (sizeof(cwt_head) + sizeof(unsigned long long));
}

/* ---- Ranges ------------------------------------------------------------------------------- */

/* Arrays in the device's memory are filled in place. */
static void
make_in_place(cwt_run *r)
{
	const ws_buffer &to = r->w.io->arrays[r->job->array];
	for (size_t f = 0; f < r->count && goes_on(r); f += r->l.listed) {
		const size_t n = r->count - f < r->l.listed ? r->count - f : r->l.listed;
		const cwt_out out = { (char *)to.data + r->group * to.stride[0] + f * to.stride[1],
			              to.stride[0], to.stride[1],
			              (const cwt_head *)at(r, r->l.heads), r->job->quantity,
			              (unsigned)r->job->outputs };
		cwt_make_range(r, r->channels, r->first + f, n, out);
	}
}

/* Arrays in the host's memory: one range leaves while the next is made. */
static void
make_and_send(cwt_run *r)
{
	const ws_buffer &to = r->w.io->arrays[r->job->array];
	const cwt_layout &l = r->l;
	const bool dense = to.stride[0] == r->count * to.stride[1];
	const size_t step = dense && l.frequencies >= r->count ? l.range_channels : 1;
	for (size_t c = 0; c < r->channels && goes_on(r); c += step)
		for (size_t f = 0; f < r->count && goes_on(r); f += l.frequencies) {
			const size_t channels = r->channels - c < step ? r->channels - c : step;
			const size_t n = r->count - f < l.frequencies ? r->count - f
				: l.frequencies;
			char *mine = at(r, l.staging + (size_t)r->staging * l.staging_bytes);
			r->staging = 1 - r->staging;
			const cwt_out out = { mine, n * l.row_bytes, l.row_bytes,
				              (const cwt_head *)at(r, l.heads) + c,
				              r->job->quantity, (unsigned)r->job->outputs };
			cwt_make_range(r, channels, r->first + f, n, out);
			if (goes_on(r))
				cuda_work_get(&r->w, (char *)to.data +
				              (r->group + c) * to.stride[0] + f * to.stride[1],
				              to.stride[1], mine, l.row_bytes, l.row_bytes,
				              channels * n, true);
			if (r->job->next || r->job->begin)
				continue; /* octaves are short */
			const double done = (double)(r->group + c) * (double)r->count +
			                    (double)(f + n) * (double)channels;
			wsi_progress_part(r->w.progress, done / (double)r->job->channels /
			                  (double)r->count);
		}
}

/* ---- The row ------------------------------------------------------------------------------ */

/* Devices for pictures have a 32nd or a 64th of their rate in double; some have too little shared
 * memory for tiles. */
static bool
slow_double(const wsi_device *d, ws_type type)
{
	int times = 0;
	return cudaDeviceGetAttribute(&times, cudaDevAttrSingleToDoublePrecisionPerfRatio,
	                              d->number) != cudaSuccess || times > 4 ||
	       d->facts.sharedMemPerBlockOptin < cwt_tile_shared(type);
}

static ws_status
no_memory(wsi_why *why)
{
	snprintf(why->text, sizeof why->text, "no memory of the host for a plan");
	return WS_E_BACKEND;
}

/* Frequencies, or rows of what is formed of them, that a job makes. */
static size_t
rows_of(const wsi_cwt_job &job)
{
	return job.sums.form ? job.sums.rows : job.count;
}

/* A job's frequencies among those of the plan from *first on, *count of them (0: all); what it has
 * of them, from its own first. */
static void
take_part(const wsi_cwt_job &job, size_t *first, size_t *count)
{
	if (!*count) {
		*first = 0;
		*count = rows_of(job);
		return;
	}
	const size_t from = *first > job.begin ? *first : job.begin;
	const size_t to = *first + *count, last = job.begin + rows_of(job);
	const size_t end = to < last ? to : last;
	*count = end > from ? end - from : 0;
	*first = *count ? from - job.begin : 0;
}

/* Classes and layouts of a job and those that follow it, with groups of channels alike; those that
 * are kept are taken.  counts: frequencies of each, 0: none are made; mapped: edges may have a
 * map. */
static ws_status
lay_out_all(wsi_device *d, const wsi_cwt_job &first, const std::vector<size_t> &counts,
            size_t most, bool mapped, std::vector<std::unique_ptr<cwt_kept_plan>> &plans,
            wsi_why *why)
{
	size_t channels = first.channels;
	const size_t tables = cwt_tables_bytes(first, mapped);
	const size_t room = most > tables ? most - tables : 0;
	bool alike = false;
	for (bool again = false; !alike; again = true) {
		size_t i = 0;
		alike = true;
		for (const wsi_cwt_job *job = &first; job; job = job->next, ++i) {
			if (!again)
				plans.push_back(cwt_take_plan(d, *job, counts[i], most));
			cwt_kept_plan &p = *plans[i];
			const bool kept = !p.classes.empty();
			if (!kept)
				p.classes = cwt_choose(*job, slow_double(d, job->type));
			if (kept && i == 0 && !again)
				channels = p.layout.channels;
			if (kept && p.layout.channels == channels)
				continue;
			const size_t some = counts[i] ? counts[i] : 1;
			const ws_status status = cwt_lay_out(d, *job, p.classes, some, channels,
			                                     room, mapped, &p.layout, why);
			if (status != WS_OK)
				return status;
			alike = alike && (i == 0 || p.layout.channels == channels);
			channels = p.layout.channels;
		}
	}
	return WS_OK;
}

static ws_status
measure_mapped(wsi_device *d, const wsi_cwt_job &first, size_t part, size_t most, bool mapped,
               size_t *device, size_t *pinned, wsi_why *why)
{
	const size_t tables = cwt_tables_bytes(first, mapped);
	const size_t room = most > tables ? most - tables : 0;
	ws_status status = WS_OK;
	*device = *pinned = 0;
	for (const wsi_cwt_job *job = &first; job; job = job->next) {
		cwt_layout l = {};
		const size_t rows = part && part < rows_of(*job) ? part : rows_of(*job);
		const std::vector<cwt_class> classes = cwt_choose(*job, slow_double(d, job->type));
		const ws_status one = cwt_lay_out(d, *job, classes, rows, job->channels, room,
		                                  mapped, &l, why);
		status = status == WS_OK ? one : status;
		*device = l.total > *device ? l.total : *device;
		*pinned = told_bytes(l.channels) > *pinned ? told_bytes(l.channels) : *pinned;
	}
	*device += tables;
	return status;
}

/* Without a map where memory is short. */
static ws_status
measure(wsi_device *d, const void *asked, size_t part, size_t most, size_t *device, size_t *pinned,
        wsi_why *why)
try {
	const wsi_cwt_job &first = *(const wsi_cwt_job *)asked;
	ws_status status = WS_E_NOMEM;
	if (cwt_edge_map(first.edge))
		status = measure_mapped(d, first, part, most, true, device, pinned, why);
	return status != WS_E_NOMEM
		? status : measure_mapped(d, first, part, most, false, device, pinned, why);
} catch (const std::bad_alloc &) {
	return no_memory(why);
}

/* The frequencies of a job, of the group of channels whose spectra are there. */
static void
make_frequencies(cwt_run *r)
{
	if (r->on_device)
		make_in_place(r);
	else
		make_and_send(r);
}

/* Frequencies of the first range. */
static size_t
first_range(const cwt_run &r)
{
	const size_t most = r.on_device ? r.l.listed : r.l.frequencies;
	return r.count < most ? r.count : most;
}

/* Octaves share spectra, and all other memory. */
static void
make_group(std::deque<cwt_run> &all, size_t channels)
{
	cwt_run &first = all.front();
	first.channels = channels;
	first.epochs = 1;
	if (first.job->sums.form)
		return cwt_make_results(&first, channels);
	if (all.size() == 1)
		cwt_begin_range(&first, first.first, first_range(first));
	cwt_make_spectra(&first);
	for (cwt_run &r : all) {
		if (!goes_on(&first) || !r.count)
			continue;
		r.group = first.group;
		r.channels = channels;
		if (all.size() > 1) {
			r.weights.clear();
			r.flat.clear();
			r.roots.clear();
			r.begun = false;
		}
		make_frequencies(&r);
		if (all.size() == 1)
			continue;
		cwt_close_streams(&r);
		cuda_work_settle(&r.w);
		first.status = r.status;
	}
}

static ws_status
run_all(std::deque<cwt_run> &all, size_t device, size_t pinned, wsi_device *d, const wsi_io *io,
        wsi_progress *progress)
{
	cwt_run &r = all.front();
	/* Nothing is staged on the way to arrays in the device's memory. */
	size_t bytes = 0;
	for (const cwt_run &one : all)
		bytes = one.l.staging > bytes ? one.l.staging : bytes;
	ws_status status = cuda_work_begin(&r.w, d, io, io->on_device ? bytes : device, pinned,
	                                   progress, r.why);
	if (status != WS_OK)
		return status;
	cwt_tables_ready(&r.w, r.plan, *r.job);
	for (cwt_run &one : all)
		one.tables = r.plan->tables;
	/* Of sums, whole channels. */
	const bool sums = r.job->sums.form;
	const size_t channels = sums ? r.job->channels / r.job->sums.epochs : r.job->channels;
	const size_t step = sums ? r.l.channels / r.l.epochs : r.l.channels;
	for (r.group = 0; r.group < channels && goes_on(&r); r.group += step) {
		const size_t left = channels - r.group;
		make_group(all, left < step ? left : step);
	}
	cwt_close_streams(&r);
	cwt_tables_used(&r.w, r.plan);
	status = cuda_work_end(&r.w, r.why);
	return status != WS_OK ? status : r.status;
}

static ws_status
run(wsi_device *d, const void *asked, const wsi_io *io, size_t device, size_t pinned,
    wsi_progress *progress, wsi_why *why)
try {
	const wsi_cwt_job &first = *(const wsi_cwt_job *)asked;
	std::vector<std::unique_ptr<cwt_kept_plan>> plans;
	std::vector<size_t> firsts, counts;
	for (const wsi_cwt_job *job = &first; job; job = job->next) {
		size_t from = io->first, count = io->count;
		take_part(*job, &from, &count);
		firsts.push_back(from);
		counts.push_back(count);
	}
	ws_status status = lay_out_all(d, first, counts, device, true, plans, why);
	if (status == WS_E_NOMEM && cwt_edge_map(first.edge)) {
		plans.clear();
		status = lay_out_all(d, first, counts, device, false, plans, why);
	}
	if (status != WS_OK)
		return status;
	cuda_work w = {};
	std::deque<cwt_run> all;
	size_t i = 0;
	for (const wsi_cwt_job *job = &first; job; job = job->next, ++i) {
		all.push_back({ w, job, plans[i].get(), plans[i]->classes, plans[i]->layout,
		                NULL });
		cwt_run &r = all.back();
		r.first = firsts[i];
		r.count = counts[i];
		r.on_device = io->on_device;
		r.why = why;
	}
	status = run_all(all, device, pinned, d, io, progress);
	for (std::unique_ptr<cwt_kept_plan> &p : plans)
		if (status == WS_OK)
			cwt_give_plan(d, std::move(p));
	return status;
} catch (const std::bad_alloc &) {
	return no_memory(why);
}

static void
describe(wsi_device *d, const void *asked, char *text, size_t size)
try {
	const wsi_cwt_job &job = *(const wsi_cwt_job *)asked;
	char ways[400] = "";
	for (const cwt_class &k : cwt_choose(job, slow_double(d, job.type))) {
		const size_t used = strlen(ways);
		char grid[64] = "";
		if (k.way == CWT_TILES)
			snprintf(grid, sizeof grid, " (%d output%s a point)", k.ratio,
			         k.ratio > 1 ? "s" : "");
		if (k.way == CWT_INTERPOLATED)
			snprintf(grid, sizeof grid, " (%zu points, %d outputs each, %d taps)", k.m,
			         k.ratio, k.taps);
		snprintf(ways + used, sizeof ways - used, "%s%zu by %s%s", used ? ", " : "",
		         k.members.size(), cwt_way_name(k.way), grid);
	}
	snprintf(text, size, "  scales     %s\n  kernels    cuda/cwt/%s\n", ways,
	         job.type == WS_F64 ? "f64" : "f32");
} catch (const std::bad_alloc &) {
	snprintf(text, size, "  kernels    cuda/cwt\n");
}

#define TRANSFORM(name) { name, sizeof(wsi_cwt_job), measure, run, describe }
const wsi_device_transform cuda_transform_cwt = TRANSFORM("cwt");
const wsi_device_transform cuda_transform_bands = TRANSFORM("bands");
const wsi_device_transform cuda_transform_superlets = TRANSFORM("superlets");
const wsi_device_transform cuda_transform_trials = TRANSFORM("trials");
const wsi_device_transform cuda_transform_coherence = TRANSFORM("coherence");
