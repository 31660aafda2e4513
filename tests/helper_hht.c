/* helper_hht.c - see hht_test.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_test.h"
#include "hht_test.h"

static size_t
element(ws_type type)
{
	return type == WS_F64 ? 8 : 4;
}

static void
take_arrays(hht *h, const ws_plan *plan, ws_buffer *buffers)
{
	assert_int_equal(ws_plan_arrays(plan), WS_HHT_ARRAYS);
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		ws_array a = { .size = sizeof a };
		assert_int_equal(ws_plan_array(plan, i, &a), WS_OK);
		size_t n = 1;
		for (int k = 0; k < a.rank; ++k)
			n *= a.extent[k];
		for (int k = 0; k < a.rank && n; ++k) {
			h->modes = a.axis[k] == WS_AXIS_MODE ? a.extent[k] : h->modes;
			h->bins = a.axis[k] == WS_AXIS_FREQUENCY ? a.extent[k] : h->bins;
			if (i == WS_HHT_SPECTRUM && a.axis[k] == WS_AXIS_TIME)
				h->times = a.extent[k];
		}
		h->bytes[i] = n * element(a.type);
		buffers[i] = (ws_buffer){ .data = NULL };
		if (n == 0 || a.flags & WS_ARRAY_SIGNAL)
			continue;
		h->array[i] = need(h->bytes[i]);
		memset(h->array[i], 0, h->bytes[i]);
		buffers[i].data = h->array[i];
	}
}

ws_status
hht_make(const hht_job *task, hht *h)
{
	const ws_ctx_opts c = { .size = sizeof c, .threads = task->threads ? task->threads : 1,
		.isa = task->isa, .device = task->device ? task->device : "cpu",
		.device_memory = task->device_memory };
	ws_ctx *ctx = task->ctx;
	ws_plan *plan;
	ws_buffer buffers[WS_HHT_ARRAYS];
	*h = (hht){ .channels = task->channels, .samples = task->samples, .type = task->type };
	const ws_shape shape = { .size = sizeof shape, .channels = task->channels,
		.samples = task->samples, .type = task->type, .fs = task->fs,
		.recording_channels = task->together };
	ws_hht_opts o = task->o;
	o.size = sizeof o;
	o.tag = WS_TAG_HHT;
	o.emd.size = sizeof o.emd;
	o.emd.tag = WS_TAG_EMD;
	if (!ctx)
		assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	ws_status status = ws_plan_create(&plan, ctx, "hht", &shape, &o);
	if (status != WS_OK) {
		ws_ctx_destroy(task->ctx ? NULL : ctx);
		return status;
	}
	take_arrays(h, plan, buffers);
	h->opts = *(const ws_hht_opts *)ws_plan_options(plan);
	h->edges = need((h->bins + 1) * sizeof *h->edges);
	if (h->bins)
		memcpy(h->edges, h->opts.edges, (h->bins + 1) * sizeof *h->edges);
	h->opts.edges = NULL;
	snprintf(h->describe, sizeof h->describe, "%s", ws_plan_describe(plan));
	void *workspace = need(ws_plan_workspace(plan));
	memset(workspace, 0x7f, ws_plan_workspace(plan));
	const ws_io io = { .size = sizeof io, .x = task->x, .arrays = buffers,
		.n_arrays = WS_HHT_ARRAYS,
		.progress = task->progress, .user = task->user };
	status = ws_execute(plan, &io, workspace);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(task->ctx ? NULL : ctx);
	if (status != WS_OK)
		hht_free(h);
	return status;
}

void
hht_must(const hht_job *task, hht *h)
{
	if (hht_make(task, h) != WS_OK)
		fail_msg("%s", ws_error_detail());
}

void
hht_free(hht *h)
{
	for (int i = 0; i < WS_HHT_ARRAYS; ++i)
		free(h->array[i]);
	free(h->edges);
	*h = (hht){ .channels = 0 };
}

double
hht_at(const hht *h, int array, size_t i)
{
	const void *a = h->array[array];
	switch (array) {
	case WS_HHT_MODE_COUNT:
	case WS_HHT_NEGATIVE:
	case WS_HHT_CYCLE:
	case WS_HHT_CYCLE_COUNT:
	case WS_HHT_OUTLIERS:
	case WS_HHT_CAPPED:
	case WS_HHT_NOISE_MODEL:
		return ((const int32_t *)a)[i];
	case WS_HHT_MODES:
	case WS_HHT_RESIDUE:
	case WS_HHT_AMPLITUDE:
	case WS_HHT_INSTANTANEOUS_FREQUENCY:
	case WS_HHT_SPECTRUM:
	case WS_HHT_SPARSE_VALUE:
	case WS_HHT_MODE_SPECTRUM:
		return get(h->type, a, i);
	default:
		return ((const double *)a)[i];
	}
}

void
hht_same(const hht *a, const hht *b, const char *what)
{
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		/* Of residues in a GPU's memory it is not known. */
		if (!a->array[i] || !b->array[i] || i == WS_HHT_CAPPED)
			continue;
		assert_int_equal(a->bytes[i], b->bytes[i]);
		if (memcmp(a->array[i], b->array[i], a->bytes[i]) != 0)
			fail_msg("%s: array %d differs", what, i);
	}
}

void
hht_near(double got, double want, double relative, const char *what)
{
	if (!(fabs(got - want) <= relative * (fabs(want) + 1e-300)))
		fail_msg("%s: %.17g, not %.17g", what, got, want);
}

void
hht_noisy(double *x, size_t n, uint64_t seed)
{
	rng r = { seed };
	double walk = 0;
	for (size_t i = 0; i < n; ++i) {
		walk += 0.1 * rng_normal(&r);
		x[i] = rng_normal(&r) + walk + 2 * sin(0.05 * (double)i);
	}
}

void
hht_some_modes(double *x, size_t channels, size_t modes, size_t samples, uint64_t seed)
{
	rng r = { seed };
	for (size_t c = 0; c < channels; ++c)
		for (size_t k = 0; k < modes; ++k)
			for (size_t i = 0; i < samples; ++i)
				x[(c * modes + k) * samples + i] = c == 2 && k > 2 ? 0
					: k == 0 ? rng_normal(&r)
					: sin((double)i / (3.0 * (double)(k + c))) * (double)k +
					  0.01 * rng_normal(&r);
}
