/* plan.c - what plans of all transforms share: how they are made, their arrays, and work that takes
 * each channel alone. */
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/sized.h"
#include "base/status.h"
#include "transform/transform.h"

/* ---- Plans ------------------------------------------------------------------------------ */

void
wsi_plan_tell(ws_plan *plan)
{
	wsi_line to = wsi_line_in(plan->describe, sizeof plan->describe);
	plan->transform->describe(plan, &to);
}

ws_status
wsi_plan_make(ws_plan **out, const ws_plan *like, const void *opts, bool aside)
{
	*out = NULL;
	ws_plan *plan = calloc(1, like->transform->plan_size);
	if (!plan)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	*plan = *like;
	ws_status status = plan->transform->resolve(plan, opts);
	if (status == WS_OK)
		status = plan->transform->measure(plan, aside);
	if (status != WS_OK) {
		wsi_plan_free(plan);
		return status;
	}
	wsi_plan_tell(plan);
	*out = plan;
	return WS_OK;
}

ws_status
wsi_plan_within(ws_plan **out, const ws_plan *outer, const char *name, const ws_shape *shape,
                const void *opts)
{
	const ws_plan like = { .transform = wsi_transform_find(name), .shape = *shape,
		.isa = outer->isa, .threads = outer->threads, .gpu = outer->gpu, .size = 1 };
	return wsi_plan_make(out, &like, opts, outer->gpu != NULL);
}

ws_status
wsi_plan_fill(ws_plan *plan, wsi_progress *progress)
{
	return plan && plan->transform->fill ? plan->transform->fill(plan, progress) : WS_OK;
}

void
wsi_plan_empty(ws_plan *plan)
{
	if (plan && plan->transform->empty)
		plan->transform->empty(plan);
}

void
wsi_plan_free(ws_plan *plan)
{
	if (!plan)
		return;
	if (plan->transform->release)
		plan->transform->release(plan);
	wsi_kept_free(&plan->kept);
	free(plan);
}

/* ---- Arrays --------------------------------------------------------------------------- */

static ws_type
type_of(wsi_element element, ws_type type)
{
	switch (element) {
	case WSI_REAL:    return type;
	case WSI_COMPLEX: return type == WS_F32 ? WS_C64 : WS_C128;
	case WSI_F64:     return WS_F64;
	default:          return WS_I32;
	}
}

static size_t
extent_of(const ws_plan *plan, int i, ws_axis axis)
{
	const wsi_array *a = wsi_plan_declared(plan, i);
	const size_t extent = plan->transform->extent ? plan->transform->extent(plan, i, axis)
	                                              : plan->shape.samples;
	/* Some extent of an array that is not made is 0; if it has no other, that of channels. */
	const bool made = extent > 0 || a->axis[1];
	return axis == WS_AXIS_CHANNEL ? (made ? plan->shape.channels : 0) : extent;
}

/* An array as a row declares it, without extents. */
static void
declared(const wsi_array *a, ws_type type, ws_array *array)
{
	*array = (ws_array){ .size = sizeof *array, .name = a->name, .text = a->text,
		.type = type_of(a->element, type), .flags = a->flags };
	for (; array->rank < WS_MOST_AXES && a->axis[array->rank]; ++array->rank)
		array->axis[array->rank] = a->axis[array->rank];
}

void
wsi_plan_array(const ws_plan *plan, int i, ws_array *array)
{
	const wsi_transform *t = plan->transform;
	const wsi_array *a = wsi_plan_declared(plan, i);
	declared(a, plan->shape.type, array);
	if (t->element)
		array->type = type_of(t->element(plan, i, a->element), plan->shape.type);
	for (int k = 0; k < array->rank; ++k)
		array->extent[k] = extent_of(plan, i, array->axis[k]);
}

ws_status
ws_transform_array(const ws_transform *about, int i, ws_array *array)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	if (!t || !array)
		return WSI_FAIL(WS_E_ARG, "ws_transform_array: transform and array must not be "
		                "NULL");
	if (i < 0 || i >= t->n_arrays)
		return WSI_FAIL(WS_E_ARG, "%s has %d arrays: there is no number %d", t->about.name,
		                t->n_arrays, i);
	WSI_TRY(wsi_sized_check("ws_array", array->size, WSI_UP_TO(ws_array, extent)));
	ws_array full;
	declared(&t->arrays[i], t->about.type, &full);
	wsi_sized_fill(array, &full, sizeof full);
	return WS_OK;
}

ws_status
wsi_axis_extent(const ws_array *array, ws_axis axis, size_t room, size_t *extent)
{
	int k = 0;
	while (k < array->rank && array->axis[k] != axis)
		++k;
	if (k == array->rank)
		return WSI_FAIL(WS_E_ARG, "array %s has no ws_axis %d", array->name, (int)axis);
	*extent = array->extent[k];
	if (*extent > room)
		return WSI_FAIL(WS_E_ARG, "ws_axis %d of array %s has %zu values, and there is "
		                "room for %zu: ask for its extent first", (int)axis, array->name,
		                *extent, room);
	return WS_OK;
}

void
wsi_plan_array_part(const ws_plan *plan, int i, size_t part, ws_array *array)
{
	wsi_plan_array(plan, i, array);
	for (int k = 0; k < array->rank; ++k)
		if (part && array->axis[k] == plan->transform->cut && part < array->extent[k])
			array->extent[k] = part;
}

/* ---- Transforms that take each channel alone ------------------------------------------ */

typedef struct each {
	const ws_plan *plan;
	const wsi_io *io;
	ws_status (*one)(const ws_plan *plan, const wsi_io *io, size_t channel);
	atomic_int status;      /* of the first that failed */
	pthread_mutex_t lock;   /* of detail */
	char detail[512];
} each;

static void
each_one(void *arg, size_t c, int rank)
{
	each *e = arg;
	(void)rank;
	if (atomic_load(&e->status) != WS_OK)
		return;
	const ws_status status = e->one(e->plan, e->io, c);
	if (status != WS_OK) {
		pthread_mutex_lock(&e->lock);
		if (atomic_load(&e->status) == WS_OK)
			snprintf(e->detail, sizeof e->detail, "%s", ws_error_detail());
		atomic_store(&e->status, status);
		pthread_mutex_unlock(&e->lock);
	}
}

ws_status
wsi_each_channel(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                 ws_status (*one)(const ws_plan *plan, const wsi_io *io, size_t channel))
{
	wsi_worker workers[64];
	wsi_pool pool;
	each e = { .plan = plan, .io = io, .one = one };
	atomic_init(&e.status, WS_OK);
	const size_t channels = plan->shape.channels;
	const int most = plan->threads < 64 ? plan->threads : 64;
	pthread_mutex_init(&e.lock, NULL);
	wsi_progress_step(progress, 0.0, 1.0);
	wsi_pool_start(&pool, channels < (size_t)most ? (int)channels : most, workers, progress);
	wsi_pool_items_told(&pool, channels, each_one, &e);
	wsi_pool_stop(&pool);
	pthread_mutex_destroy(&e.lock);
	const ws_status status = (ws_status)atomic_load(&e.status);
	return status == WS_OK ? WS_OK : WSI_FAIL(status, "%s", e.detail);
}

bool
wsi_same_anywhere(const ws_plan *plan)
{
	(void)plan;
	return true;
}

ws_status
wsi_no_workspace(ws_plan *plan, bool aside)
{
	(void)aside;
	plan->workspace = 0;
	return WS_OK;
}
