/* helper_gpu_cwt.c - a wavelet transform on a GPU against the CPU's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_cwt.h"

#define PI 3.14159265358979323846

/* ---- A transform ------------------------------------------------------------------------- */

void
cwt_rows_free(cwt_rows *r)
{
	free(r->v);
	r->v = NULL;
}

static ws_ctx *kept[2];

ws_ctx *
gpu_cwt_context(const cwt_asked *a, const char *device)
{
	const ws_ctx_opts opts = { .size = sizeof opts, .device = device,
		.device_memory = a->device_memory };
	const int gpu = strcmp(device, "cpu") != 0;
	ws_ctx *ctx = kept[gpu];
	if (!ctx || a->device_memory)
		assert_int_equal(ws_ctx_create(&ctx, &opts), WS_OK);
	if (!a->device_memory)
		kept[gpu] = ctx;
	return ctx;
}

void
gpu_cwt_leave(const cwt_asked *a, ws_ctx *ctx)
{
	if (a->device_memory)
		ws_ctx_destroy(ctx);
}

ws_status
gpu_cwt_execute(const ws_plan *plan, const ws_io *io)
{
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 127) / 64 * 64);
	const ws_status status = ws_execute(plan, io, workspace);
	free(workspace);
	return status;
}

int
gpu_cwt_array(const cwt_asked *a)
{
	const int quantity = a->o.quantity ? (int)a->o.quantity : WS_QUANTITY_COMPLEX;
	return quantity - WS_QUANTITY_COMPLEX + WS_CWT_COEFFICIENTS;
}

ws_status
gpu_cwt_plan(ws_plan **plan, ws_ctx *ctx, const cwt_asked *a, ws_array *array)
{
	*array = (ws_array){ .size = sizeof *array };
	ws_status status = ws_plan_create(plan, ctx, "cwt", &a->shape, &a->o);
	return status == WS_OK ? ws_plan_array(*plan, gpu_cwt_array(a), array) : status;
}

ws_status
gpu_cwt_run(const cwt_asked *a, const char *device, cwt_rows *out)
{
	ws_ctx *ctx = gpu_cwt_context(a, device);
	ws_plan *plan;
	ws_array array;
	*out = (cwt_rows){ 0 };
	ws_status status = gpu_cwt_plan(&plan, ctx, a, &array);
	if (status != WS_OK) {
		gpu_cwt_leave(a, ctx);
		return status;
	}
	const size_t element = type_size(a->shape.type);
	out->frequencies = array.extent[1];
	out->outputs = array.extent[2];
	out->numbers = gpu_cwt_array(a) == WS_CWT_COEFFICIENTS ? 2 : 1;
	snprintf(out->plan, sizeof out->plan, "%s", ws_plan_describe(plan));
	const size_t row = out->outputs * out->numbers * element, wide = row + a->row_gap;
	const size_t channel = out->frequencies * wide + a->channel_gap;
	char *memory = need(a->shape.channels * channel);
	memset(memory, 0x5a, a->shape.channels * channel);
	ws_buffer buffers[WS_CWT_ARRAYS] = { { .data = NULL } };
	buffers[gpu_cwt_array(a)] = (ws_buffer){ memory, { channel, wide } };
	const ws_io io = { .size = sizeof io, .x = a->x,
		.x_stride = a->shape.samples * element + a->x_gap, .arrays = buffers,
			.n_arrays = WS_CWT_ARRAYS,
		.progress = a->progress };
	status = gpu_cwt_execute(plan, &io);
	out->v = need((a->shape.channels * out->frequencies * out->outputs * out->numbers + 1) *
	              sizeof(double));
	size_t k = 0, touched = 0;
	for (size_t c = 0; status == WS_OK && c < a->shape.channels; ++c) {
		const char *from = memory + c * channel;
		for (size_t f = 0; f < out->frequencies; ++f, from += wide) {
			for (size_t i = 0; i < out->outputs * out->numbers; ++i)
				out->v[k++] = get(a->shape.type, from, i);
			for (size_t i = row; i < wide; ++i)
				touched += from[i] != 0x5a;
		}
		for (size_t i = 0; i < a->channel_gap; ++i)
			touched += from[i] != 0x5a;
	}
	assert_int_equal(touched, 0);
	free(memory);
	ws_plan_destroy(plan);
	gpu_cwt_leave(a, ctx);
	return status;
}

/* ---- Comparison ----------------------------------------------------------------------------- */

/* The largest magnitude of a channel's frequencies; row 0: of the first. */
static double
strongest(const cwt_rows *r, const double *row)
{
	double most = 0.0;
	for (size_t i = 0; i < r->frequencies * r->outputs * r->numbers; ++i)
		most = fabs(row[i]) > most ? fabs(row[i]) : most;
	return most;
}

/* Of a channel's samples. */
static double
largest(const cwt_asked *a, size_t channel)
{
	const size_t n = a->shape.samples;
	const char *x = (const char *)a->x + channel * (n * type_size(a->shape.type) + a->x_gap);
	double most = 0.0;
	for (size_t t = 0; t < n; ++t)
		most = fmax(most, fabs(get(a->shape.type, x, t)));
	return most;
}

/* What either may be wrong by because of strong waves that a row does not hear: of the channel's
 * strongest frequency, and of its samples. */
static double
rounds(const cwt_asked *a, size_t channel, double strongest)
{
	return a->shape.type == WS_F64 ? 2e-15 * strongest + 3e-15 * largest(a, channel) : 0.0;
}

static char where[160]; /* the output that gpu_cwt_error() found worst */

double
gpu_cwt_error(const cwt_asked *a, const cwt_rows *want, const cwt_rows *got,
              const cwt_rows *magnitude)
{
	double worst = 0.0, rounded = 0.0;
	const size_t n = want->outputs, numbers = want->numbers;
	for (size_t r = 0; r < a->shape.channels * want->frequencies; ++r) {
		const cwt_rows *of = magnitude ? magnitude : want;
		if (r % want->frequencies == 0)
			rounded = rounds(a, r / want->frequencies, strongest(of, of->v + r * n * of->numbers));
		const double *w = want->v + r * n * numbers, *g = got->v + r * n * numbers;
		const double *m = magnitude ? magnitude->v + r * n : NULL;
		double peak = 0.0, error = 0.0;
		size_t at = 0;
		for (size_t i = 0; i < n * numbers; ++i) {
			const double e = fabs(m ? remainder(g[i] - w[i], 2.0 * PI) * m[i]
			                      : g[i] - w[i]);
			const double p = m ? m[i] : fabs(w[i]);
			if (!isfinite(e))
				return NAN;
			peak = p > peak ? p : peak;
			at = e - rounded > error ? i / numbers : at;
			error = e - rounded > error ? e - rounded : error;
		}
		if (error > 0.0 && !(error <= worst * peak)) {
			worst = peak > 0.0 ? error / peak : INFINITY;
			snprintf(where, sizeof where, "%g Hz of channel %zu, output %zu of %zu: "
			         "error %.3g, peak %.3g, the channel's strongest %.3g",
			         a->frequencies[r % want->frequencies], r / want->frequencies, at,
			         n, error, peak,
			         strongest(of, of->v + r / want->frequencies * want->frequencies *
			                   n * of->numbers));
		}
	}
	return worst;
}

static double
allowed(const cwt_asked *a)
{
	return (a->shape.type == WS_F32 ? 1e-6 : 1e-13) * (a->o.quantity == WS_QUANTITY_POWER ? 2.0
	                                                   : 1.0);
}

static void
print_asked(const cwt_asked *a, double error, const cwt_rows *got)
{
	printf("  %s %zu x %zu, reference %d, wavelet %d (%g, %g), norm %d, padding %d, "
	       "quantity %d, decimate %zu, %zu frequencies from %g: error %.2g, %s\n%s",
	       a->shape.type == WS_F64 ? "f64" : "f32", a->shape.channels, a->shape.samples,
	       (int)a->o.reference,
	       (int)a->o.wavelet, a->o.param[0], a->o.param[1], (int)a->o.norm, (int)a->o.padding,
	       (int)a->o.quantity, a->o.decimate, a->o.frequency_count, a->frequencies[0], error,
	       where, got->plan);
}

static int compared, differ;
static double worst[2];

void
gpu_cwt_count(const cwt_asked *a, double error, double most, const cwt_rows *got)
{
	double *w = &worst[a->shape.type == WS_F32];
	++compared;
	if (!(error <= most)) {
		++differ;
		print_asked(a, error, got);
	} else {
		*w = error > *w * most ? error / most : *w;
	}
}

void
gpu_cwt_compare(cwt_asked *a)
{
	cwt_rows want, got, magnitude = { 0 };
	const ws_status status = gpu_cwt_run(a, "cpu", &want);
	if (status == WS_E_ARG) {
		cwt_rows_free(&want);
		return;
	}
	assert_int_equal(status, WS_OK);
	if (a->o.quantity == WS_QUANTITY_PHASE) {
		cwt_asked b = *a;
		b.o.quantity = WS_QUANTITY_MAGNITUDE;
		assert_int_equal(gpu_cwt_run(&b, "cpu", &magnitude), WS_OK);
	}
	const ws_status there = gpu_cwt_run(a, "cuda", &got);
	if (a->o.wavelet == WS_WAVELET_PAUL) {
		assert_int_equal(there, WS_E_UNSUPPORTED);
		cwt_rows_free(&want);
		cwt_rows_free(&got);
		cwt_rows_free(&magnitude);
		return;
	}
	const double error = there != WS_OK ? NAN
		: gpu_cwt_error(a, &want, &got, magnitude.v ? &magnitude : NULL);
	if (there != WS_OK)
		printf("  %s: %s\n", ws_status_name(there), ws_error_detail());
	gpu_cwt_count(a, error, allowed(a), &got);
	cwt_rows_free(&want);
	cwt_rows_free(&got);
	cwt_rows_free(&magnitude);
}

void
gpu_cwt_begin(void)
{
	compared = differ = 0;
	worst[0] = worst[1] = 0.0;
}

void
gpu_cwt_finish(const char *what, int least)
{
	printf("%d %s compared, %d differ; the others at most by %.2f (f64) and %.2f (f32) of "
	       "what is allowed\n", compared, what, differ, worst[0], worst[1]);
	assert_true(compared >= least);
	assert_int_equal(differ, 0);
}

void *
gpu_cwt_signals(rng *r, const ws_shape *shape, bool walks)
{
	const signal_kind kinds[] = { SIGNAL_WHITE, SIGNAL_TONES, SIGNAL_CHIRP_NOISE, SIGNAL_WALK };
	double *d = need(shape->channels * shape->samples * sizeof *d);
	for (size_t c = 0; c < shape->channels; ++c)
		signal_make(kinds[rng_int(r, 0, walks ? 3 : 2)], r, shape->samples,
		            d + c * shape->samples);
	void *x = need(shape->channels * shape->samples * type_size(shape->type));
	to_type(shape->type, d, shape->channels * shape->samples, x);
	free(d);
	return x;
}

void
gpu_cwt_frequencies(cwt_asked *a, rng *r, size_t count, double low, double high)
{
	for (size_t i = 0; i < count; ++i)
		a->frequencies[i] = low * pow(high / low, rng_uniform(r));
	a->o.frequencies = a->frequencies;
	a->o.frequency_count = count;
}
