/*
 * blocks.c - the blocks of a run: the most channels that fit in memory, or a part of what the
 * fewest channels give; fewer where the work is then shared better, or done in the time asked for.
 *
 * Blocks of several sizes are planned until one is found, and then a plan is made for each lane.
 */
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/status.h"
#include "run/blocks.h"

/* To read and write beside the work, each lane gets at least MANY_BLOCKS blocks, but slots
 * are not made smaller than SMALL_SLOT bytes. */
#define MANY_BLOCKS 8
#define SMALL_SLOT ((size_t)8 << 20)

/* Bytes of tables that may lie beyond the memory that is allowed, where nothing else fits: runs
 * that tables alone would forbid. */
#define SPARE_TABLES ((size_t)32 << 20)

/* Parts of channels for each process, where there are fewer channels than processes: more would be
 * shared more evenly, but each has a transform of the whole channel to begin with. */
#define PARTS_EACH 2

wsi_block
wsi_run_lay_out(const ws_plan *plan, wsi_arena *arena)
{
	wsi_block b;
	b.x = wsi_arena_take(arena, plan->shape.channels * wsi_plan_x_bytes(plan));
	char *signal = b.x ? b.x + plan->shape.before * wsi_type_size(plan->shape.type) : NULL;
	for (int i = 0; i < wsi_plan_arrays(plan); ++i) {
		ws_array a;
		wsi_plan_array_part(plan, i, plan->part, &a);
		size_t bytes = wsi_type_size(a.type);
		for (int k = 0; k < a.rank; ++k)
			bytes *= a.extent[k];
		b.arrays[i] = (ws_buffer){ .data = a.flags & WS_ARRAY_SIGNAL ? signal
		                           : wsi_arena_take(arena, bytes) };
	}
	return b;
}

static size_t
slot_bytes_of(const ws_plan *plan)
{
	wsi_arena measure = { 0 };
	wsi_run_lay_out(plan, &measure);
	return measure.used;
}

size_t
wsi_run_cut_extent(const ws_plan *plan)
{
	size_t most = 1;
	for (int i = 0; i < wsi_plan_arrays(plan); ++i) {
		ws_array a;
		wsi_plan_array(plan, i, &a);
		for (int k = 0; k < a.rank; ++k)
			if (a.axis[k] == plan->transform->cut && a.extent[k] > most)
				most = a.extent[k];
	}
	return most;
}

/* How blocks are to be chosen. */
typedef struct wishes {
	const wsi_asked *asked;
	const wsi_run_cut *cut;
	wsi_place place;
	size_t most;            /* channels of a block */
	size_t part;            /* as in ws_run */
	size_t lanes;
	size_t memory;          /* of one lane, bytes; 0: no limit */
	size_t all_memory;      /* of all */
	bool beside;            /* reading and writing go on beside the work */
	bool spares;            /* some tables need not fit */
} wishes;

/* Slots of a lane.  Transforms that work long on what they read (and ensembles, whose smaller
 * blocks repeat their noise) take all memory for one. */
static int
slots_of_lane(const ws_run *run, const wishes *w)
{
	const bool quick = !w->asked->transform->costly;
	return w->beside && quick && wsi_run_reads(run) > w->lanes ? 2 : 1;
}

/* Does a lane fit in its memory, as far as it must? */
static bool
fits_memory(const ws_run *run, const wishes *w)
{
	const size_t bytes = wsi_run_lane_bytes(run, slots_of_lane(run, w));
	const size_t spare = SPARE_TABLES / w->lanes;
	const size_t tables = run->table_bytes + (run->making_bytes > run->lane_bytes
	                      ? run->making_bytes - run->lane_bytes : 0);
	const size_t beyond = !w->spares ? 0 : tables < spare ? tables : spare;
	return w->memory == 0 || bytes - beyond <= w->memory;
}

/* Plans blocks of `channels` channels and tells whether they fit. */
static ws_status
try_block(ws_run *run, const wishes *w, size_t channels, bool *fits)
{
	wsi_lane *l = &run->lanes[0];
	ws_plan_destroy(l->plan);
	ws_status status = wsi_plan_at(&l->plan, run->ctx, w->asked, channels, w->part, &w->place);
	*fits = false;
	/* Fewer channels take less of a GPU's memory. */
	if (status == WS_E_NOMEM && w->place.gpu && channels > run->unit)
		return WS_OK;
	WSI_TRY(status);
	run->block = channels;
	run->slot_bytes = slot_bytes_of(l->plan);
	run->lane_bytes = l->plan->workspace;
	run->table_bytes = l->plan->tables;
	run->making_bytes = l->plan->making;
	run->host_bytes = l->plan->host_bytes;
	*fits = fits_memory(run, w);
	return WS_OK;
}

/* A lane's blocks need more than `memory`. */
static ws_status
too_little(const ws_run *run, size_t memory)
{
	const ws_plan *plan = run->lanes[0].plan;
	const char *fewer = plan->transform->fewer;
	char seldom[96] = "";
	const bool on_gpu = plan->gpu && run->host_bytes;
	if (on_gpu)
		wsi_snprintf(seldom, sizeof seldom, " (%.1f MiB for what the GPU's memory does not "
		             "hold)", (double)run->host_bytes / 1048576.0);
	return WSI_FAIL(WS_E_NOMEM, "%zu channel%s of %zu samples need%s %.1f MiB%s and "
	                "%.*f MiB may be used: allow more memory (`memory`)%s, or fewer %s",
	                run->block, run->block == 1 ? "" : "s", wsi_shape_x_samples(&run->shape),
	                run->block == 1 ? "s" : "",
	                (double)wsi_run_lane_bytes(run, 1) / 1048576.0, seldom,
	                memory < 1 << 20 ? 3 : 1, (double)memory / 1048576.0,
	                on_gpu ? ", here or on the GPU (`device_memory`)" : "",
	                fewer ? fewer : "samples");
}

/* Plans n channels, or a part of so many of the fewest channels, and tells whether they fit. */
static ws_status
try_size(ws_run *run, wishes *w, bool parts, size_t n, bool *fits)
{
	w->part = parts ? n : 0;
	return try_block(run, w, parts ? run->unit : n, fits);
}

/* Plans the largest that fits, from low on, which does, to below high, which does not. */
static ws_status
largest(ws_run *run, wishes *w, bool parts, size_t low, size_t high)
{
	bool fits;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		WSI_TRY(try_size(run, w, parts, middle, &fits));
		*(fits ? &low : &high) = middle;
	}
	return try_size(run, w, parts, low, &fits);
}

/* The largest block that fits, or the largest part of the fewest channels. */
static ws_status
largest_block(ws_run *run, wishes *w)
{
	bool fits;
	WSI_TRY(try_size(run, w, false, w->most, &fits));
	if (fits)
		return WS_OK;
	WSI_TRY(try_size(run, w, false, run->unit, &fits));
	if (fits)
		return largest(run, w, false, run->unit, w->most);
	const size_t all = wsi_run_cut_extent(run->lanes[0].plan);
	if (w->asked->transform->cut)
		WSI_TRY(try_size(run, w, true, 1, &fits));
	return fits ? largest(run, w, true, 1, all) : too_little(run, w->memory);
}

/* Chooses smaller blocks than would fit: while the first block is read and the last one
 * written, nothing else is done.  A block keeps as many rows as are worked on together. */
static ws_status
smaller_block(ws_run *run, const wishes *w)
{
	const ws_plan *plan = run->lanes[0].plan;
	const size_t rows = plan->at_once ? plan->at_once : 1,
		row = slot_bytes_of(plan) / run->block;
	size_t least = SMALL_SLOT / row > rows ? SMALL_SLOT / row : rows;
	size_t wanted = (w->most + MANY_BLOCKS - 1) / MANY_BLOCKS;
	wanted = wanted > least ? wanted : least;
	wanted = (wanted + rows - 1) / rows * rows;
	const size_t fitting = run->block;
	bool fits;
	if (wanted >= fitting)
		return WS_OK;
	WSI_TRY(try_block(run, w, wanted, &fits));
	/* Two slots of more than half the channels each may not fit where one slot of all
	 * channels did. */
	return fits ? WS_OK : try_block(run, w, fitting, &fits);
}

/* The block that all processes agreed on, or the largest that fits. */
static ws_status
fitting_block(ws_run *run, wishes *w)
{
	bool fits;
	if (!w->cut->block)
		return largest_block(run, w);
	w->part = w->cut->part;
	WSI_TRY(try_block(run, w, w->cut->block, &fits));
	return fits ? WS_OK : too_little(run, w->memory);
}

/* Plans a part of the fewest channels, or if it does not fit, as before. */
static ws_status
take_part(ws_run *run, wishes *w, size_t part)
{
	const size_t before = w->part;
	bool fits;
	w->part = part;
	WSI_TRY(try_block(run, w, run->unit, &fits));
	if (fits)
		return WS_OK;
	w->part = before;
	return try_block(run, w, run->unit, &fits);
}

/* Cuts channels, of which there are fewer than processes or GPUs, into smaller parts than would
 * fit.  GPUs of one process are alike: a part each. */
static ws_status
smaller_part(ws_run *run, wishes *w)
{
	const size_t all = wsi_run_cut_extent(run->lanes[0].plan), reads = wsi_run_reads(run);
	const size_t each = w->cut->processes > 1 ? PARTS_EACH : 1;
	const size_t parts = (each * w->cut->processes * w->lanes + reads - 1) / reads;
	const size_t part = (all + parts - 1) / parts;
	return part >= (w->part ? w->part : all) ? WS_OK : take_part(run, w, part);
}

/* Where there are too few blocks for all processes: smaller ones, of costly transforms only where
 * that does not repeat what all channels share; then parts of channels. */
static ws_status
share_out(ws_run *run, wishes *w)
{
	const wsi_transform *t = w->asked->transform;
	bool fits;
	if (wsi_run_reads(run) >= w->cut->processes)
		return WS_OK;
	if (!t->costly && run->block > run->unit)
		WSI_TRY(try_block(run, w, run->unit, &fits));
	const bool few = t->cut && wsi_run_reads(run) < w->cut->processes;
	return few ? smaller_part(run, w) : WS_OK;
}

/* Parts of the fewest channels that take no longer than asked for, as far as that goes. */
static ws_status
bounded_part(ws_run *run, wishes *w)
{
	const size_t all = wsi_run_cut_extent(run->lanes[0].plan);
	const double share = w->cut->seconds / run->lanes[0].plan->seconds;
	const size_t part = (size_t)(share * (double)all);
	return w->part && part >= w->part ? WS_OK : take_part(run, w, part > 1 ? part : 1);
}

/* Blocks that are expected to take no longer than asked for: the largest of them. */
static ws_status
bounded_block(ws_run *run, wishes *w)
{
	const wsi_lane *l = &run->lanes[0];
	size_t low = run->unit, high = run->block; /* high takes too long */
	bool fits;
	if (w->cut->seconds <= 0 || w->cut->block || l->plan->seconds <= w->cut->seconds)
		return WS_OK;
	while (high - low > run->unit) {
		const size_t middle = low + (high - low) / 2;
		WSI_TRY(try_block(run, w, middle, &fits));
		if (l->plan->seconds <= w->cut->seconds)
			low = middle;
		else
			high = middle;
	}
	WSI_TRY(try_block(run, w, low, &fits));
	return l->plan->seconds > w->cut->seconds && w->asked->transform->cut
	       ? bounded_part(run, w) : WS_OK;
}

static ws_status
chosen_block(ws_run *run, wishes *w)
{
	w->beside = true;
	w->spares = false;
	ws_status status = fitting_block(run, w);
	if (status == WS_E_NOMEM) {
		w->beside = false;
		status = fitting_block(run, w);
		w->spares = status == WS_E_NOMEM && !w->place.gpu;
		status = w->spares ? fitting_block(run, w) : status;
		return status != WS_OK || w->cut->block ? status : share_out(run, w);
	}
	if (status != WS_OK || w->cut->block)
		return status;
	if (run->unit == 1 && !w->asked->transform->costly && !w->part)
		WSI_TRY(smaller_block(run, w));
	return share_out(run, w);
}

static ws_status
choose_block(ws_run *run, wishes *w)
{
	WSI_TRY(chosen_block(run, w));
	return bounded_block(run, w);
}

/* Plans a lane for blocks of run->block channels; lane 0 has its first plan already. */
static ws_status
plan_lane(ws_run *run, const wishes *w, wsi_lane *l)
{
	const size_t rest = run->shape.channels % run->block;
	if (!l->plan)
		WSI_TRY(wsi_plan_at(&l->plan, run->ctx, w->asked, run->block, w->part, &w->place));
	if (rest)
		WSI_TRY(wsi_plan_at(&l->last, run->ctx, w->asked, rest, w->part, &w->place));
	ws_plan *const plans[] = { l->plan, l->last };
	for (int i = 0; i < 2 && plans[i]; ++i) {
		WSI_TRY(wsi_plan_keep(plans[i], w->asked));
		if (plans[i]->workspace > run->lane_bytes)
			run->lane_bytes = plans[i]->workspace;
		if (plans[i]->host_bytes > run->host_bytes)
			run->host_bytes = plans[i]->host_bytes;
		if (plans[i]->tables > run->table_bytes)
			run->table_bytes = plans[i]->tables;
		if (plans[i]->making > run->making_bytes)
			run->making_bytes = plans[i]->making;
	}
	static const unsigned char none[16];
	if (w->place.gpu && memcmp(w->place.gpu->uuid, none, sizeof none) != 0)
		memcpy(run->gpus[run->n_gpus++], w->place.gpu->uuid, sizeof none);
	const size_t used = strlen(run->device);
	const char *name = ws_plan_device(l->plan);
	snprintf(run->device + used, sizeof run->device - used, "%s%s", used ? "," : "",
	         used ? strchr(name, ':') + 1 : name);
	return WS_OK;
}

/* Where there are fewer channels than GPUs these take parts of a channel, or all of them work on a
 * block together, as the transform can. */
static ws_status
share_work(ws_run *run, wishes *w, size_t gpus)
{
	const ws_plan *plan = run->lanes[0].plan;
	const int most = plan->transform->most_peers ? plan->transform->most_peers(plan) : 1;
	const int many = (int)gpus < most ? (int)gpus : most;
	if (plan->transform->cut && run->block == run->unit) {
		if (w->cut->block)
			return WS_OK;
		const size_t before = w->lanes;
		w->lanes = gpus;
		w->memory = w->all_memory / gpus;
		WSI_TRY(smaller_part(run, w));
		if (fits_memory(run, w))
			return bounded_block(run, w);
		w->lanes = before;
		w->memory = w->all_memory / before;
		return choose_block(run, w);
	}
	if (many <= (int)w->lanes)
		return WS_OK;
	w->place.size = run->peers = many;
	w->lanes = (size_t)many;
	w->memory = w->all_memory / w->lanes;
	w->most = run->shape.channels;
	return choose_block(run, w);
}

/* The lanes but the first, on a GPU each. */
static ws_status
plan_others(ws_run *run, wishes *w)
{
	const size_t tasks = wsi_run_reads(run) * run->parts;
	const size_t most = run->peers > 1 || w->lanes < tasks ? w->lanes : tasks;
	w->place.aside = true; /* another GPU may have less memory than the first */
	for (size_t i = 1; i < most; ++i) {
		WSI_TRY(wsi_ctx_gpu(run->ctx, (int)i, &w->place.gpu));
		w->place.rank = run->peers > 1 ? (int)i : 0;
		WSI_TRY(plan_lane(run, w, &run->lanes[i]));
		run->n_lanes += run->peers == 1;
	}
	return WS_OK;
}

ws_status
wsi_run_choose_blocks(ws_run *run, const wsi_asked *asked, size_t memory, const wsi_run_cut *cut)
{
	wishes w = { .asked = asked, .cut = cut };
	WSI_TRY(wsi_place_choose(&w.place, run->ctx, asked));
	const size_t channels = run->shape.channels, gpus = (size_t)run->ctx->n_slots;
	const size_t units = channels / run->unit;
	w.lanes = gpus < units || units == 0 ? gpus : units;
	const size_t takers = w.lanes * cut->processes;
	run->processes = cut->processes;
	w.most = run->unit > 1 ? run->unit : (channels + takers - 1) / takers;
	w.all_memory = memory;
	w.memory = memory / w.lanes;
	run->peers = 1;
	ws_status status = choose_block(run, &w);
	if (status == WS_OK && w.place.gpu && w.lanes < gpus &&
	    (!cut->block || cut->processes == 1))
		status = share_work(run, &w, gpus);
	/* Where memory does not suffice: first smaller blocks, then rows in host memory, then
	 * the CPU. */
	if (status == WS_E_NOMEM && w.place.gpu) {
		w.place.aside = true;
		status = choose_block(run, &w);
	}
	if (wsi_place_leaves_gpu(&w.place, status)) {
		wsi_place_leave_gpu(&w.place);
		run->peers = 1;
		status = choose_block(run, &w);
	}
	WSI_TRY(status);
	WSI_TRY(plan_lane(run, &w, &run->lanes[run->n_lanes++]));
	run->part = w.part;
	const size_t all = w.part ? wsi_run_cut_extent(run->lanes[0].plan) : 1;
	run->parts = w.part ? (all + w.part - 1) / w.part : 1;
	if (w.place.gpu)
		WSI_TRY(plan_others(run, &w));
	if (!fits_memory(run, &w))
		return too_little(run, w.memory);
	run->n_slots = slots_of_lane(run, &w) * run->n_lanes;
	return WS_OK;
}
