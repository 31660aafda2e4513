/*
 * gpu.c - Hilbert-Huang spectra on a GPU.  The decomposition, if there is one, runs there too;
 * its modes stay in the GPU's memory, or where that has no room go through the host's.  The GPU
 * analyses them (ops/hht_job.h); what follows from its sums is done here (hht/finish.c).
 *
 * Workspace:  sums of all modes, marginal spectra, .. of all channels
 *             modes and residues that go through the host and that the caller does not take
 *             that of the decomposition
 */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "transform/emd/emd.h"
#include "transform/hht/work.h"
#include "transform/on_gpu.h"

static size_t
row_bytes(const ws_plan *base)
{
	return base->shape.samples * wsi_type_size(base->shape.type);
}

/* x, modes and residues of all channels. */
static size_t
resident_bytes(const wsi_hht_plan *plan)
{
	const size_t bytes = plan->base.shape.channels * (plan->modes + 2) * row_bytes(&plan->base);
	return (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

static wsi_hht_job
job_of(const wsi_hht_plan *plan)
{
	const wsi_hht *h = &plan->hht;
	const ws_shape *shape = &plan->base.shape;
	wsi_hht_job job = {
		.task = WSI_HHT_ANALYSE, .type = shape->type, .channels = shape->channels,
		.modes = plan->modes, .n = h->n, .method = h->method, .ends = h->ends,
		.exclude = h->exclude, .quantity = h->quantity, .parts = plan->o.parts,
		.emd_py = h->emd_py,
		.spread = plan->spread, .made = plan->made,
		.decomposes = plan->emd != NULL, .smooth_phase = h->smooth_phase,
		.smooth_frequency = h->smooth_frequency, .fs = h->fs,
		.outlier_ratio = h->outlier_ratio,
		.lead = h->lead, .padded = h->padded, .bins = h->bins, .time_bin = h->time_bin,
		.time_bins = h->time_bins, .stretches = WSI_HHT_STRETCHES,
	};
	if (h->hilbert)
		job.hilbert = wsi_hilbert_look(h->hilbert);
	if (plan->on_device) {
		job.resident = resident_bytes(plan);
		job.given.on_device = job.signal.on_device = job.residue.on_device = true;
	}
	return job;
}

static void
lay_out(const wsi_hht_plan *plan, const wsi_io *io, wsi_hht_job *job, wsi_hht_work *w,
        wsi_arena *arena)
{
	const size_t channels = job->channels, modes = job->modes, bins = (size_t)job->bins.n;
	job->sums = wsi_arena_take(arena, channels * modes * sizeof *job->sums);
	job->channel = wsi_arena_take(arena, channels * sizeof *job->channel);
	job->marginal = wsi_arena_take(arena, channels * modes * bins * sizeof *job->marginal);
	job->squares = wsi_arena_take(arena, channels * bins * sizeof *job->squares);
	w->mode = wsi_arena_take(arena, channels * modes * sizeof *w->mode);
	w->facts = wsi_arena_take(arena, channels * modes * sizeof *w->facts);
	w->count = wsi_arena_take(arena, channels * sizeof *w->count);
	w->scale = wsi_arena_take(arena, channels * sizeof *w->scale);
	w->sums = wsi_arena_take(arena, bins * sizeof *w->sums);
	w->squares = job->squares;
	if (plan->emd && !plan->on_device)
		wsi_hht_take_modes(w, io, arena);
	if (plan->emd)
		w->decomposition = wsi_arena_take(arena, plan->emd->workspace);
}

ws_status
wsi_hht_gpu_measure(ws_plan *base, bool aside)
{
	wsi_hht_plan *plan = (wsi_hht_plan *)base;
	const wsi_gpu *g = base->gpu;
	ws_status status = WS_OK;
	plan->made = wsi_gpu_job_number();
	plan->batch = base->shape.channels;
	base->at_once = plan->batch;
	if (plan->emd)
		WSI_TRY(plan->emd->transform->measure(plan->emd, aside));
	const size_t inner = plan->emd ? plan->emd->device_bytes : 0;
	/* What decomposes and what analyses come one after the other. */
	plan->on_device = plan->emd && inner + resident_bytes(plan) <= g->limit &&
	                  !wsi_emd_plan_of(plan->emd)->params.ends_by_extrema;
	wsi_hht_job job = job_of(plan);
	status = wsi_gpu_measure(base, &job, sizeof job);
	if (status == WS_E_NOMEM && plan->on_device) {
		plan->on_device = false;
		job = job_of(plan);
		status = wsi_gpu_measure(base, &job, sizeof job);
	}
	WSI_TRY(status);
	const size_t decomposing = inner + job.resident;
	if (base->device_bytes < decomposing)
		base->device_bytes = decomposing;
	if (plan->emd && base->host_bytes < plan->emd->host_bytes)
		base->host_bytes = plan->emd->host_bytes;
	wsi_hht_work w = { .plan = plan };
	wsi_arena arena = { 0 };
	lay_out(plan, NULL, &job, &w, &arena);
	base->workspace = arena.used;
	return WS_OK;
}

void
wsi_hht_gpu_describe(const ws_plan *base, wsi_line *to)
{
	const wsi_hht_job job = job_of(wsi_hht_plan_of(base));
	wsi_gpu_describe(base, &job, to);
}

/* ---- The decomposition ---------------------------------------------------------------------- */

/* Does the caller take all that a decomposition leaves, in the GPU's memory? */
static bool
takes_modes(const wsi_hht_plan *plan, const wsi_io *io)
{
	return io->on_device && plan->o.parts & WS_HHT_PART_MODES &&
	       wsi_io_wants(io, WS_HHT_MODES) && wsi_io_wants(io, WS_HHT_RESIDUE);
}

/* Its arrays in the GPU's memory: the caller's, if they are there, else within `memory`, which may
 * be NULL where takes_modes(). */
static void
place_modes(const wsi_hht_plan *plan, const wsi_io *io, char *memory, wsi_hht_work *w,
            wsi_io *inner)
{
	const size_t row = row_bytes(&plan->base), channels = plan->base.shape.channels;
	const bool modes = plan->o.parts & WS_HHT_PART_MODES && io->on_device;
	if (memory) {
		w->modes = (ws_buffer){ memory, { plan->modes * row, row } };
		w->residue = (ws_buffer){ memory + channels * plan->modes * row, { row } };
	}
	if (modes && wsi_io_wants(io, WS_HHT_MODES))
		w->modes = io->arrays[WS_HHT_MODES];
	if (modes && wsi_io_wants(io, WS_HHT_RESIDUE))
		w->residue = io->arrays[WS_HHT_RESIDUE];
	inner->on_device = true;
	inner->stream = io->on_device ? io->stream : NULL;
	if (io->on_device)
		return;
	inner->x = memory + channels * (plan->modes + 1) * row;
	inner->x_stride = row;
}

/* Puts x where the decomposition reads it. */
static ws_status
put_signal(const wsi_hht_plan *plan, wsi_hht_job job, const wsi_io *io, const wsi_io *inner,
           wsi_progress *progress)
{
	if (io->on_device)
		return WS_OK;
	job.task = WSI_HHT_PUT;
	job.put = (void *)(uintptr_t)inner->x;
	return wsi_gpu_run(&plan->base, &job, io, progress);
}

static ws_status
decompose(const wsi_hht_plan *plan, const wsi_io *io, char *memory, wsi_hht_job *job,
          wsi_hht_work *w)
{
	wsi_io inner = { .x = io->x, .x_stride = io->x_stride, .first_channel = io->first_channel,
		         .noise = io->noise };
	if (plan->on_device)
		place_modes(plan, io, memory, w, &inner);
	else if (io->on_device)
		return WSI_FAIL(WS_E_UNSUPPORTED, "arrays in the GPU's memory need their modes "
		                "there: this decomposition, or what memory there is, has them in "
		                "the host's");
	if (plan->on_device)
		WSI_TRY(put_signal(plan, *job, io, &inner, w->progress));
	WSI_TRY(wsi_hht_decompose(w, plan->emd, &inner));
	const wsi_hht_rows none = { .on_device = plan->on_device };
	job->given = job->signal = job->residue = none;
	job->given.data = w->modes.data;
	job->given.channel = w->modes.stride[0];
	job->given.row = w->modes.stride[1];
	job->signal.data = inner.x;
	job->signal.channel = inner.x_stride;
	job->residue.data = w->residue.data;
	job->residue.channel = w->residue.stride[0];
	return WS_OK;
}

/* ---- The analysis --------------------------------------------------------------------------- */

/* What the GPU found, as the CPU would have left it. */
static ws_status
take_sums(wsi_hht_work *w, const wsi_hht_job *job)
{
	const size_t modes = job->modes, bins = (size_t)job->bins.n;
	for (size_t c = 0; c < job->channels; ++c) {
		int32_t *count = wsi_io_row(w->io, WS_HHT_MODE_COUNT, c, 0);
		w->count[c] = (size_t)job->channel[c].count;
		w->scale[c] = job->channel[c].scale;
		double peak = 0.0;
		for (size_t k = 0; k < modes; ++k) {
			const wsi_hht_sums *s = &job->sums[c * modes + k];
			if (s->bad != UINT64_MAX)
				return wsi_hht_refuse(w, c, k, (size_t)s->bad);
			peak = k < w->count[c] ? fmax(peak, s->peak) : peak;
			w->facts[c * modes + k] = (wsi_hht_facts){ .peak = s->peak,
				.squares = s->squares, .maxima = (size_t)s->maxima };
			w->mode[c * modes + k] = (wsi_hht_mode){
				.marginal = job->marginal + (c * modes + k) * bins,
				.energy = s->energy, .moment = s->moment, .kept = s->kept,
				.outside = s->outside, .negative = (size_t)s->negative,
				.outliers = (size_t)s->outliers };
		}
		WSI_TRY(wsi_hht_power_fits(w, c, peak));
		if (!w->plan->emd)
			*count = job->channel[c].count;
		int32_t *cycles = wsi_hht_out_row(w, WS_HHT_CYCLE_COUNT, WS_HHT_PART_CYCLES, c, 0);
		for (size_t k = 0; cycles && k < w->count[c]; ++k)
			cycles[k] = job->sums[c * modes + k].cycles;
	}
	return WS_OK;
}

static ws_status
analyse(const wsi_hht_plan *plan, const wsi_io *io, char *memory, wsi_hht_job *job,
        wsi_hht_work *w)
{
	const size_t row = row_bytes(&plan->base);
	int32_t *counts = NULL;
	if (plan->emd) {
		WSI_TRY(decompose(plan, io, memory, job, w));
		if (wsi_cancelled(w->progress))
			return WS_OK;
		counts = malloc(job->channels * sizeof *counts);
		if (!counts)
			return WSI_FAIL(WS_E_NOMEM, "no memory for counts of modes");
		for (size_t c = 0; c < job->channels; ++c)
			counts[c] = *(int32_t *)wsi_io_row(io, WS_HHT_MODE_COUNT, c, 0);
		job->before = WSI_HHT_DECOMPOSING;
	} else {
		job->given = (wsi_hht_rows){ .data = io->x, .channel = io->x_stride, .row = row,
			                     .on_device = io->on_device };
	}
	job->counts = counts;
	job->awaited = memory != NULL;
	ws_status status = wsi_gpu_run(&plan->base, job, io, w->progress);
	free(counts);
	if (status != WS_OK || wsi_cancelled(w->progress) || io->all_on_device)
		return status;
	WSI_TRY(take_sums(w, job));
	w->n = job->channels;
	w->stretches = 1;
	w->channel = job->channel;
	for (size_t c = 0; c < w->n && wsi_goes_on(w->progress, 0); ++c)
		wsi_hht_finish_channel(w, c, 0);
	return WS_OK;
}

ws_status
wsi_hht_gpu_run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const wsi_hht_plan *plan = wsi_hht_plan_of(base);
	const wsi_gpu *g = base->gpu;
	wsi_hht_job job = job_of(plan);
	wsi_hht_work w = { .plan = plan, .io = io, .progress = progress };
	wsi_arena arena = { .base = workspace };
	lay_out(plan, io, &job, &w, &arena);
	wsi_why why = { "" };
	void *memory = NULL;
	wsi_progress_step(progress, 0.0, 1.0);
	if (plan->on_device && !takes_modes(plan, io)) {
		const ws_status status = g->backend->borrow(g->device, WSI_DEVICE_MEMORY,
		                                            resident_bytes(plan), &memory, &why);
		if (status != WS_OK)
			return WSI_FAIL(status, "device %s: %s", g->name, why.text);
	}
	const ws_status status = analyse(plan, io, memory, &job, &w);
	if (memory)
		g->backend->give_back(g->device, WSI_DEVICE_MEMORY, memory);
	return status;
}
