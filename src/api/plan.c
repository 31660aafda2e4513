/* plan.c - plans and executions of any transform: checks, the place to run, then its row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/place.h"
#include "base/arena.h"
#include "base/element.h"
#include "base/call.h"
#include "base/cpu_probe.h"
#include "base/sized.h"
#include "base/status.h"

/* ---- What the caller hands over ----------------------------------------------------------- */

static ws_status
check_shape(const ws_shape *shape)
{
	if (shape->channels == 0 || shape->samples == 0)
		return WSI_FAIL(WS_E_ARG, "%zu channels of %zu samples: need at least one of each",
		                shape->channels, shape->samples);
	if (shape->samples > WSI_MOST_SAMPLES)
		return WSI_FAIL(WS_E_ARG, "%zu samples: a channel may have "
		                WSI_MOST_SAMPLES_TEXT " at most; select a part", shape->samples);
	const size_t room = WSI_MOST_SAMPLES - shape->samples;
	if (shape->before > room || shape->after > room - shape->before)
		return WSI_FAIL(WS_E_ARG, "%zu samples with %zu before and %zu after them: a "
		                "channel may have " WSI_MOST_SAMPLES_TEXT " at most",
		                shape->samples, shape->before, shape->after);
	if (shape->channels > (size_t)1 << 24)
		return WSI_FAIL(WS_E_ARG, "%zu channels: there may be 2^24 at most; select some",
		                shape->channels);
	/* Sizes in bytes, with all modes, then fit in 64 bits. */
	const size_t samples = wsi_shape_x_samples(shape);
	if (shape->channels > ((size_t)1 << 48) / samples)
		return WSI_FAIL(WS_E_ARG, "%zu channels of %zu samples: more than 2^48 "
		                "samples in all; select a part", shape->channels, samples);
	if (shape->type != WS_F64 && shape->type != WS_F32)
		return WSI_FAIL(WS_E_ARG, "ws_type %d is neither WS_F64 nor WS_F32",
		                (int)shape->type);
	if (!(shape->fs > 0.0) || !isfinite(shape->fs))
		return WSI_FAIL(WS_E_ARG, "the sampling rate must be above 0, not %g", shape->fs);
	return WS_OK;
}

/* What a transform does not look at must be as if it was not told. */
static ws_status
check_effect(const ws_shape *shape, const ws_transform *t)
{
	if ((shape->before || shape->after) && !t->takes_context)
		return WSI_FAIL(WS_E_ARG, "%s takes no context: "
		                "ws_shape.before and after must be 0", t->name);
	if (shape->epochs > 1 && !t->takes_epochs)
		return WSI_FAIL(WS_E_ARG, "%s takes no epochs: give each epoch as a channel, and "
		                "leave ws_shape.epochs 0", t->name);
	if (shape->start != 0.0 && t->takes_epochs != 1)
		return WSI_FAIL(WS_E_ARG, "no option of %s names times of an epoch: "
		                "ws_shape.start must be 0", t->name);
	if (!isfinite(shape->start))
		return WSI_FAIL(WS_E_ARG, "ws_shape.start must be finite, not %g", shape->start);
	if (shape->recording_channels && shape->channels % shape->recording_channels)
		return WSI_FAIL(WS_E_ARG, "%zu channels are no multiple of the %zu of one "
		                "recording (ws_shape.recording_channels)", shape->channels,
		                shape->recording_channels);
	return WS_OK;
}

/* opts of this version's size, by malloc: all defaults where the caller gave none. */
static ws_status
copy_options(void **to, const wsi_transform *t, const void *from)
{
	*to = calloc(1, t->about.options_size);
	if (!*to)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	return wsi_options_take(t, *to, from);
}

ws_status
wsi_asked_take(wsi_asked *a, const char *name, const ws_shape *shape, const void *opts)
{
	*a = (wsi_asked){ .transform = wsi_transform_find(name) };
	if (!a->transform)
		return WSI_FAIL(WS_E_ARG, "there is no transform %s", name ? name : "NULL");
	WSI_TRY(WSI_SIZED_COPY(ws_shape, &a->shape, type, shape));
	if (a->shape.fs == 0.0)
		a->shape.fs = 1.0;
	WSI_TRY(check_effect(&a->shape, &a->transform->about));
	WSI_TRY(copy_options(&a->opts, a->transform, opts));
	return wsi_options_offered(a->transform, &a->shape, a->opts);
}

void
wsi_asked_free(wsi_asked *a)
{
	free(a->opts);
}

/* ---- Plans ----------------------------------------------------------------------------- */

ws_status
wsi_plan_at(ws_plan **out, ws_ctx *ctx, const wsi_asked *a, size_t channels, size_t part,
            const wsi_place *place)
{
	ws_plan like = { .transform = a->transform, .shape = a->shape, .isa = ctx->isa,
		.threads = place->threads ? place->threads : ctx->threads, .part = part,
		.memory = a->memory, .again = channels < a->shape.channels, .gpu = place->gpu,
		.rank = place->rank, .size = place->size ? place->size : 1 };
	*out = NULL;
	like.shape.channels = channels;
	memcpy(like.note, place->note, sizeof like.note);
	WSI_TRY(check_shape(&like.shape));
	return wsi_plan_make(out, &like, a->opts, place->aside);
}

ws_status
wsi_plan_keep(ws_plan *plan, const wsi_asked *a)
{
	return plan->transform->keep ? plan->transform->keep(plan, a->opts) : WS_OK;
}

ws_status
wsi_plan_complete(ws_plan *plan, wsi_progress *progress)
{
	if (!plan->transform->fill)
		return WS_OK;
	WSI_TRY(plan->transform->fill(plan, progress));
	wsi_plan_tell(plan);
	return WS_OK;
}

/* Seconds: what waking a GPU takes, and what a byte of the result takes to be written, wherever it
 * was made. */
#define WAKING 0.35
#define WRITTEN_BYTE 0.5e-9

/* Of the arrays that everyone takes. */
static double
result_bytes(const ws_plan *plan)
{
	double all = 0.0;
	for (int i = 0; i < wsi_plan_arrays(plan); ++i) {
		ws_array a;
		wsi_plan_array(plan, i, &a);
		double bytes = a.flags & WS_ARRAY_MAIN ? (double)wsi_type_size(a.type) : 0.0;
		for (int k = 0; k < a.rank; ++k)
			bytes *= (double)a.extent[k];
		all += bytes;
	}
	return all;
}

/* Does the work take longer than waking a GPU and writing what that has made in no time? */
static bool
is_worth_a_gpu(const ws_plan *plan)
{
	return plan->seconds > WAKING + WRITTEN_BYTE * result_bytes(plan);
}

ws_status
wsi_place_choose(wsi_place *place, ws_ctx *ctx, const wsi_asked *a)
{
	*place = (wsi_place){ .gpu = NULL };
	/* Who works with how many threads changes no choice, and so no bit. */
	const wsi_place all = { .threads = wsi_cpu_threads() };
	if (!ctx->may_gpu)
		return WS_OK;
	const ws_status able = a->transform->on_gpu
	                       ? a->transform->on_gpu(&a->shape, a->opts)
	                       : WSI_FAIL(WS_E_UNSUPPORTED, "%s runs on the CPU only; leave "
	                                  "out `device`", a->transform->about.name);
	if (able != WS_OK)
		return ctx->may_cpu ? WS_OK : able;
	/* Mistakes in the options come before missing devices. */
	ws_plan *plan;
	WSI_TRY(wsi_plan_at(&plan, ctx, a, a->shape.channels, 0, &all));
	const bool worth = is_worth_a_gpu(plan);
	ws_plan_destroy(plan);
	if (!ctx->may_cpu)
		return wsi_ctx_gpu(ctx, 0, &place->gpu);
	place->or_cpu = true;
	if (worth && wsi_ctx_gpu(ctx, 0, &place->gpu) != WS_OK && ctx->present)
		wsi_place_leave_gpu(place);
	return WS_OK;
}

bool
wsi_place_leaves_gpu(const wsi_place *place, ws_status status)
{
	return place->gpu && place->or_cpu && (status == WS_E_NOMEM || status == WS_E_BACKEND);
}

void
wsi_place_leave_gpu(wsi_place *place)
{
	*place = (wsi_place){ .gpu = NULL };
	snprintf(place->note, sizeof place->note, "%s", ws_error_detail());
}

static ws_status
plan_asked(ws_plan **out, ws_ctx *ctx, const wsi_asked *a)
{
	wsi_place place;
	WSI_TRY(wsi_place_choose(&place, ctx, a));
	place.aside = true;
	ws_status status = wsi_plan_at(out, ctx, a, a->shape.channels, 0, &place);
	if (wsi_place_leaves_gpu(&place, status)) {
		wsi_place_leave_gpu(&place);
		status = wsi_plan_at(out, ctx, a, a->shape.channels, 0, &place);
	}
	if (status == WS_OK)
		status = wsi_plan_keep(*out, a);
	if (status == WS_OK)
		status = wsi_plan_complete(*out, NULL);
	if (status != WS_OK) {
		ws_plan_destroy(*out);
		*out = NULL;
	}
	return status;
}

static ws_status
create(ws_plan **out, ws_ctx *ctx, const char *name, const ws_shape *shape, const void *opts)
{
	if (!out || !ctx || !shape)
		return WSI_FAIL(WS_E_ARG, "ws_plan_create: plan, ctx and shape must not be NULL");
	*out = NULL;
	wsi_asked asked;
	ws_status status = wsi_asked_take(&asked, name, shape, opts);
	if (status == WS_OK)
		status = plan_asked(out, ctx, &asked);
	wsi_asked_free(&asked);
	return status;
}

ws_status
ws_plan_create(ws_plan **out, ws_ctx *ctx, const char *name, const ws_shape *shape,
               const void *opts)
{
	wsi_call call;
	wsi_call_enter(&call);
	const ws_status status = create(out, ctx, name, shape, opts);
	return wsi_call_leave(&call, status);
}

void
ws_plan_destroy(ws_plan *plan)
{
	wsi_plan_free(plan);
}

/* ---- What a plan tells ----------------------------------------------------------------- */

size_t
ws_plan_workspace(const ws_plan *plan)
{
	return plan ? plan->workspace : 0;
}

const char *
ws_plan_device(const ws_plan *plan)
{
	return !plan ? "" : plan->gpu ? plan->gpu->name : "cpu";
}

size_t
ws_plan_device_bytes(const ws_plan *plan)
{
	return plan ? plan->device_bytes : 0;
}

size_t
ws_plan_host_bytes(const ws_plan *plan)
{
	return plan ? plan->host_bytes : 0;
}

const void *
ws_plan_options(const ws_plan *plan)
{
	return plan ? plan->options : NULL;
}

double
ws_plan_seconds(const ws_plan *plan)
{
	return plan ? plan->seconds : 0.0;
}

const char *
ws_plan_describe(const ws_plan *plan)
{
	return plan ? plan->describe : "";
}

int
ws_plan_arrays(const ws_plan *plan)
{
	return plan ? wsi_plan_arrays(plan) : 0;
}

ws_status
ws_plan_array(const ws_plan *plan, int i, ws_array *array)
{
	if (!plan || !array)
		return WSI_FAIL(WS_E_ARG, "ws_plan_array: plan and array must not be NULL");
	if (i < 0 || i >= wsi_plan_arrays(plan))
		return WSI_FAIL(WS_E_ARG, "%s makes %d arrays: there is no number %d",
		                plan->transform->about.name, wsi_plan_arrays(plan), i);
	WSI_TRY(wsi_sized_check("ws_array", array->size, WSI_UP_TO(ws_array, extent)));
	ws_array full;
	wsi_plan_array(plan, i, &full);
	wsi_sized_fill(array, &full, sizeof full);
	return WS_OK;
}

int
ws_plan_find(const ws_plan *plan, const char *name)
{
	for (int i = 0; plan && name && i < wsi_plan_arrays(plan); ++i) {
		ws_array a;
		wsi_plan_array(plan, i, &a);
		size_t elements = 1;
		for (int k = 0; k < a.rank; ++k)
			elements = a.extent[k] ? elements : 0;
		if (elements && strcmp(a.name, name) == 0)
			return i;
	}
	return -1;
}

int
ws_plan_modes(const ws_plan *plan)
{
	for (int i = 0; plan && i < wsi_plan_arrays(plan); ++i) {
		ws_array a;
		wsi_plan_array(plan, i, &a);
		for (int k = 0; k < a.rank; ++k)
			if (a.axis[k] == WS_AXIS_MODE)
				return (int)a.extent[k];
	}
	return 0;
}

ws_status
ws_plan_axis(const ws_plan *plan, int i, ws_axis axis, double *values, size_t room)
{
	ws_array a = { .size = sizeof a };
	if (!plan || !values)
		return WSI_FAIL(WS_E_ARG, "ws_plan_axis: plan and values must not be NULL");
	WSI_TRY(ws_plan_array(plan, i, &a));
	size_t extent;
	WSI_TRY(wsi_axis_extent(&a, axis, room, &extent));
	const wsi_transform *t = plan->transform;
	if (extent == 0)
		return WS_OK;
	if (axis != WS_AXIS_CHANNEL && t->axis_values && t->axis_values(plan, i, axis, values))
		return WS_OK;
	const size_t every = axis == WS_AXIS_TIME && t->every ? t->every(plan, i) : 1;
	for (size_t n = 0; n < extent; ++n)
		values[n] = axis == WS_AXIS_TIME ? (double)(n * every) / plan->shape.fs : (double)n;
	return WS_OK;
}

/* ---- Execution ------------------------------------------------------------------------- */

/* The caller's buffer of array i with all strides; buffers that are left out are NULL. */
static ws_status
take_buffer(ws_buffer *to, const ws_plan *plan, int i, size_t part, const ws_buffer *from)
{
	ws_array a;
	wsi_plan_array_part(plan, i, part, &a);
	const size_t element = wsi_type_size(a.type);
	size_t stride = element, elements = 1;
	*to = *from;
	for (int k = a.rank - 1; k >= 0; --k) {
		to->stride[k] = from->stride[k] ? from->stride[k] : stride;
		stride = to->stride[k] * a.extent[k];
		elements *= a.extent[k];
	}
	if (!to->data && !(a.flags & (WS_ARRAY_OPTIONAL | WS_ARRAY_SIGNAL)) && elements)
		return WSI_FAIL(WS_E_ARG, "ws_execute: array %s must be given", a.name);
	if (to->data && to->stride[a.rank - 1] != element)
		return WSI_FAIL(WS_E_ARG, "ws_execute: array %s may have no gaps on its last axis",
		                a.name);
	return WS_OK;
}

ws_status
wsi_check_noise(const ws_plan *plan, const void *noise)
{
	const wsi_transform *t = plan->transform;
	return !noise || (t->takes_noise && t->takes_noise(plan)) ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "%s adds no noise by these options: leave `noise` NULL",
	                  t->about.name);
}

ws_status
wsi_execute(const ws_plan *plan, const ws_io *io, size_t first, size_t count, wsi_peers *peers,
            void *workspace)
{
	const int n = wsi_plan_arrays(plan);
	static const ws_buffer none;
	ws_buffer buffers[WSI_MOST_ARRAYS];
	for (int i = 0; i < n; ++i)
		WSI_TRY(take_buffer(&buffers[i], plan, i, count,
		                    i < io->n_arrays ? &io->arrays[i] : &none));
	const wsi_io own = {
		.x = io->x, .x_stride = io->x_stride ? io->x_stride : wsi_plan_x_bytes(plan),
		.first_channel = io->first_channel, .numbers_from = wsi_numbers_from,
		.noise = io->noise, .arrays = buffers, .first = first, .count = count,
		.on_device = io->memory != WS_MEMORY_HOST,
		.all_on_device = io->memory == WS_MEMORY_DEVICE_ALL, .stream = io->cuda_stream,
		.peers = peers,
	};
	wsi_progress progress;
	wsi_progress_init(&progress, io->progress, io->user);
	WSI_TRY(plan->transform->run(plan, &own, &progress, workspace));
	if (wsi_cancelled(&progress))
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	return WS_OK;
}

static ws_status
execute(const ws_plan *plan, const ws_io *asked, void *workspace)
{
	if (!plan || !asked || (!workspace && plan->workspace))
		return WSI_FAIL(WS_E_ARG, "ws_execute: plan, io and workspace must not be NULL");
	ws_io io;
	WSI_TRY(WSI_SIZED_COPY(ws_io, &io, n_arrays, asked));
	if (!io.x || !io.arrays)
		return WSI_FAIL(WS_E_ARG, "ws_execute: x and arrays must be given");
	if (io.n_arrays < 1)
		return WSI_FAIL(WS_E_ARG, "ws_execute: n_arrays is %d: set it to the number of "
		                "arrays", io.n_arrays);
	for (int i = wsi_plan_arrays(plan); i < io.n_arrays; ++i)
		if (io.arrays[i].data)
			return WSI_FAIL(WS_E_ARG, "ws_execute: array %d has data, but %s makes %d",
			                i, plan->transform->about.name, wsi_plan_arrays(plan));
	if (io.memory < WS_MEMORY_HOST || io.memory > WS_MEMORY_DEVICE_ALL)
		return WSI_FAIL(WS_E_ARG, "ws_execute: memory must be one of ws_memory, not %d",
		                (int)io.memory);
	if (io.memory == WS_MEMORY_DEVICE_ALL && !plan->transform->fills_there)
		return WSI_FAIL(WS_E_ARG, "ws_execute: arrays of %s without a time axis lie in the "
		                "host's memory: say WS_MEMORY_DEVICE", plan->transform->about.name);
	if (io.memory != WS_MEMORY_HOST && !plan->gpu)
		return WSI_FAIL(WS_E_ARG, "ws_execute: the arrays are in a GPU's memory, and the "
		                "plan works on the CPU: plan with the context's device cuda, or "
		                "copy them");
	if (io.cuda_stream && io.memory == WS_MEMORY_HOST)
		return WSI_FAIL(WS_E_ARG, "ws_execute: cuda_stream is of arrays in a GPU's memory: "
		                "leave it NULL");
	WSI_TRY(wsi_check_noise(plan, io.noise));
	if ((uintptr_t)workspace % WSI_ALIGN)
		return WSI_FAIL(WS_E_ARG, "ws_execute: workspace must be %d-byte aligned",
		                WSI_ALIGN);
	return wsi_execute(plan, &io, 0, 0, NULL, workspace);
}

ws_status
ws_execute(const ws_plan *plan, const ws_io *io, void *workspace)
{
	wsi_call call;
	wsi_call_enter(&call);
	const ws_status status = execute(plan, io, workspace);
	return wsi_call_leave(&call, status);
}
