/* helper_gpu_conv.c - a convolution with masks at random, on a GPU and on the CPU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_conv.h"

static size_t
draw_length(rng *r, lengths kind, size_t longest, size_t like)
{
	switch (kind) {
	case SHORT: return (size_t)rng_int(r, 1, 40);
	case MIXED: return (size_t)pow((double)longest, rng_uniform(r));
	case LONG: return (size_t)rng_int(r, 1, (int)longest);
	default: return like + (size_t)rng_int(r, 0, 2);
	}
}

conv_set
conv_set_draw(rng *r, size_t channels, size_t samples, size_t masks, lengths kind, size_t longest,
              ws_type type, bool complex)
{
	conv_set s = { .shape = { .size = sizeof s.shape, .channels = channels, .samples = samples,
		.type = type } };
	const size_t parts = complex ? 2 : 1, like = (size_t)rng_int(r, 1, (int)longest);
	size_t taps = 0;
	s.lengths = need(masks * sizeof *s.lengths);
	s.offsets = need(masks * sizeof *s.offsets);
	for (size_t i = 0; i < masks; ++i) {
		s.lengths[i] = draw_length(r, kind, longest, like);
		s.offsets[i] = taps;
		taps += s.lengths[i];
	}
	s.values = need(taps * parts * sizeof *s.values);
	for (size_t k = 0; k < taps * parts; ++k)
		s.values[k] = rng_int(r, 0, 9) ? rng_normal(r) : ldexp(rng_normal(r),
		                                                       rng_int(r, -20, 9));
	double *x = need(channels * samples * sizeof *x);
	for (size_t i = 0; i < channels * samples; ++i)
		x[i] = rng_normal(r);
	s.x = need(channels * samples * sizeof *x);
	to_type(type, x, channels * samples, s.x);
	free(x);
	s.masks = (ws_masks){ .size = sizeof s.masks, .count = masks, .lengths = s.lengths,
		.offsets = s.offsets, .values = s.values, .type = complex ? WS_C128 : WS_F64 };
	return s;
}

void
conv_set_free(conv_set *s)
{
	free(s->lengths);
	free(s->offsets);
	free(s->values);
	free(s->x);
}

ws_ctx *
gpu_conv_context(const char *device, size_t device_memory)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = device,
		.device_memory = device_memory };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

void
gpu_conv_mend(ws_conv_opts *o, ws_type type)
{
	if (type == WS_F64 && o->sums == WS_SUMS_F64)
		o->sums = WS_SUMS_PLAIN;
	if (type == WS_F64)
		o->mask_rounding = WS_ROUND_NEAREST;
	if (o->mask_rounding != WS_ROUND_DITHER)
		o->seed = 0;
}

ws_plan *
gpu_conv_plan(ws_ctx *ctx, const conv_set *s, const ws_conv_opts *opts, responses *r)
{
	ws_conv_opts o = *opts;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.masks = &s->masks;
	gpu_conv_mend(&o, s->shape.type);
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, "conv", &s->shape, &o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	ws_array a = { .size = sizeof a };
	assert_int_equal(ws_plan_array(plan, WS_CONV_RESPONSES, &a), WS_OK);
	r->outputs = a.extent[2];
	r->bytes = a.extent[2] * type_size(s->shape.type) * (s->masks.type == WS_C128 ? 2 : 1);
	return plan;
}

ws_status
gpu_conv_execute(const ws_plan *plan, const ws_io *io)
{
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 64) / 64 * 64);
	const ws_status status = ws_execute(plan, io, workspace);
	free(workspace);
	return status;
}

responses
gpu_convolve(const conv_set *s, ws_ctx *ctx, const ws_conv_opts *opts, size_t gap)
{
	responses r = { 0 };
	ws_plan *plan = gpu_conv_plan(ctx, s, opts, &r);
	const size_t rows = s->shape.channels * s->masks.count, wide = r.bytes + gap;
	char *y = need(rows * wide);
	memset(y, 0x55, rows * wide);
	r.method = need(s->masks.count * sizeof *r.method);
	ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_METHOD] = { r.method, { 0 } } };
	buffers[WS_CONV_RESPONSES] = (ws_buffer){ y, { s->masks.count * wide, wide } };
	const ws_io io = { .size = sizeof io, .x = s->x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	if (gpu_conv_execute(plan, &io) != WS_OK)
		fail_msg("%s", ws_error_detail());
	r.y = need(rows * r.bytes);
	for (size_t i = 0; i < rows; ++i) {
		memcpy(r.y + i * r.bytes, y + i * wide, r.bytes);
		for (size_t k = 0; k < gap; ++k)
			assert_int_equal(y[i * wide + r.bytes + k], 0x55);
	}
	free(y);
	ws_plan_destroy(plan);
	return r;
}

void
responses_free(responses *r)
{
	free(r->y);
	free(r->method);
}

bool
same_responses(const conv_set *s, const responses *a, const responses *b)
{
	assert_int_equal(a->outputs, b->outputs);
	for (size_t c = 0; c < s->shape.channels; ++c)
		for (size_t m = 0; m < s->masks.count; ++m) {
			const char *p = a->y + (c * s->masks.count + m) * a->bytes;
			const char *q = b->y + (c * s->masks.count + m) * b->bytes;
			if (memcmp(p, q, a->bytes) == 0)
				continue;
			size_t i = 0;
			while (p[i] == q[i])
				++i;
			printf("channel %zu, mask %zu of %zu taps, byte %zu of a row of %zu\n", c,
			       m, s->lengths[m], i, a->bytes);
			return false;
		}
	return true;
}

void
describe_convolution(const conv_set *s, const ws_conv_opts *o, int trial)
{
	printf("trial %d: %zu channels of %zu %s, %zu %s masks, every %d, extent %d, sums %d, "
	       "flip %d, accumulators %d, narrow %d\n", trial, s->shape.channels, s->shape.samples,
	       s->shape.type == WS_F32 ? "f32" : "f64", s->masks.count,
	       s->masks.type == WS_C128 ? "complex" : "real", o->decimate, (int)o->extent,
	       (int)o->sums, o->flip, o->accumulators, (int)o->narrow);
}
