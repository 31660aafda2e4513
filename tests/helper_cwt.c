/* helper_cwt.c - see cwt_test.h. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cwt_test.h"

enum { MOST_ARRAYS = 32 };

ws_status
cwt_execute(const cwt_task *task, int arrays, void *const *out)
{
	ws_ctx *ctx;
	ws_plan *plan;
	const ws_ctx_opts c = { .size = sizeof c, .threads = task->threads, .isa = task->isa,
		.device = "cpu" };
	const ws_shape shape = { .size = sizeof shape, .channels = task->channels,
		.samples = task->samples, .fs = task->fs, .type = task->type,
		.epochs = task->epochs, .start = task->start };
	ws_cwt_opts o = task->o;
	if (strcmp(task->name, "coherence") != 0)
		o.smooth_time = o.smooth_octaves = 0.0;
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	if (ws_plan_create(&plan, ctx, task->name, &shape, &o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	assert_true(arrays <= MOST_ARRAYS && ws_plan_arrays(plan) <= MOST_ARRAYS);
	ws_buffer buffers[MOST_ARRAYS] = { { .data = NULL } };
	for (int i = 0; i < arrays; ++i)
		buffers[i].data = out[i];
	const size_t n = task->channels * (task->epochs ? task->epochs : 1) * task->samples;
	void *samples = need(n * type_size(task->type));
	to_type(task->type, task->x, n, samples);
	void *workspace = aligned_alloc(64, ws_plan_workspace(plan));
	const ws_io io = { .size = sizeof io, .x = samples, .arrays = buffers,
		.n_arrays = MOST_ARRAYS,
		.progress = task->progress, .user = task->user };
	const ws_status status = ws_execute(plan, &io, workspace);
	if (status != WS_OK && status != WS_E_CANCELLED)
		fail_msg("%s", ws_error_detail());
	free(workspace);
	free(samples);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return status;
}

wsi_cwt *
plan_of(size_t n, double fs, ws_type type, const ws_cwt_opts *o, const char *isa)
{
	wsi_cwt *cwt;
	const ws_status status = wsi_cwt_create(&cwt, n, fs, type, o, isa);
	if (status != WS_OK)
		fail_msg("%s: %s", ws_status_name(status), ws_error_detail());
	return cwt;
}

/* cwt becomes its own. */
static transform
run(wsi_cwt *cwt, const double *x, size_t channels, int threads, size_t f, size_t t)
{
	transform r = { .cwt = cwt };
	const ws_type type = cwt->type;
	const size_t n = cwt->samples;
	const size_t element = type_size(type), outputs = r.cwt->outputs, count = r.cwt->count;
	r.numbers = wsi_cwt_numbers(r.cwt->o.quantity);
	r.out = need(channels * count * outputs * r.numbers * element);
	void *samples = need(channels * n * element);
	to_type(type, x, channels * n, samples);
	void *spectra = aligned_alloc(64, channels * wsi_cwt_spectrum_bytes(r.cwt));
	void *workspace = aligned_alloc(64, wsi_cwt_workspace(r.cwt, channels, threads));
	wsi_worker workers[8];
	wsi_pool pool;
	wsi_pool_start(&pool, threads, workers, NULL);
	assert_int_equal(wsi_cwt_forward(r.cwt, samples, n * element, channels, spectra, &pool,
	                                 NULL, workspace), WS_OK);
	f = f ? f : count;
	t = t ? t : outputs;
	for (size_t f0 = 0; f0 < count; f0 += f)
		for (size_t t0 = 0; t0 < outputs; t0 += t) {
			const size_t row = outputs * r.numbers * element;
			const wsi_cwt_part block = { .spectra = spectra, .channels = channels,
				.f0 = f0,
				.f1 = f0 + f < count ? f0 + f : count, .t0 = t0,
				.t1 = t0 + t < outputs ? t0 + t : outputs,
				.out = (char *)r.out + f0 * row + t0 * r.numbers * element,
				.channel_stride = count * row, .frequency_stride = row };
			wsi_cwt_run(r.cwt, &block, &pool, NULL, workspace);
		}
	wsi_pool_stop(&pool);
	free(samples);
	free(spectra);
	free(workspace);
	return r;
}

transform
transform_in_blocks(const double *x, size_t channels, size_t n, double fs, ws_type type,
                    const ws_cwt_opts *o, const char *isa, int threads, size_t f, size_t t)
{
	return run(plan_of(n, fs, type, o, isa), x, channels, threads, f, t);
}

transform
transform_whole(const double *x, size_t n, double fs, ws_type type, const ws_cwt_opts *o)
{
	wsi_cwt *cwt;
	assert_int_equal(wsi_cwt_lay_out(&cwt, n, fs, type, o, NULL, true), WS_OK);
	assert_int_equal(wsi_cwt_fill(cwt, NULL), WS_OK);
	return run(cwt, x, 1, 1, 0, 0);
}

transform
transform_of(const double *x, size_t n, double fs, ws_type type, const ws_cwt_opts *o)
{
	return transform_in_blocks(x, 1, n, fs, type, o, NULL, 1, 0, 0);
}

void
transform_free(transform *r)
{
	free(r->out);
	wsi_cwt_destroy(r->cwt);
}

double complex
coefficient(const transform *r, size_t f, size_t t)
{
	const size_t at = 2 * (f * r->cwt->outputs + t);
	return get(r->cwt->type, r->out, at) + I * get(r->cwt->type, r->out, at + 1);
}

void
nasty_signal(nasty kind, double *x, size_t n)
{
	rng random = { 7 + (uint64_t)kind };
	double walk = 0.0;
	for (size_t t = 0; t < n; ++t) {
		const double white = rng_normal(&random);
		walk += white;
		x[t] = kind == PINK ? walk : white;
		if (kind == OFFSET)
			x[t] += 1000.0;
		if (kind == DRIFT)
			x[t] += 1000.0 * (double)t / (double)n + 300.0 *
				sin(2.0 * PI * (double)t / (double)n);
		if (kind == LINE)
			x[t] += 1000.0 * sin(0.013 * (double)t);
	}
}
