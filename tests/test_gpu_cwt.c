/*
 * test_gpu_cwt.c - wavelets on a GPU against the CPU: every wavelet, norm, padding, quantity,
 * reference, both types, any length; strong slow waves; rows with gaps, arrays in the GPU's memory,
 * little of that memory, blocks, samples that are not finite.
 *
 * Both sum the same numbers in another order: errors are measured by the largest magnitude of their
 * frequency.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cuda_driver.h"
#include "random_job.h"
#include "wavesift/cwt.h"

#define PI 3.14159265358979323846

/* ---- A transform ------------------------------------------------------------------------- */

typedef struct asked {
	ws_shape shape;
	ws_cwt_opts o;
	double frequencies[64];
	const void *x;
	size_t x_gap, row_gap, channel_gap; /* bytes between rows */
	size_t device_memory;
	ws_progress progress;
} asked;

/* [channel][frequency][output] numbers */
typedef struct rows {
	size_t frequencies, outputs, numbers;
	double *v;
	char plan[1280];
} rows;

static void
rows_free(rows *r)
{
	free(r->v);
	r->v = NULL;
}

/* Contexts without a limit are kept: a device takes long to open. */
static ws_ctx *kept[2];

static ws_ctx *
context(const asked *a, const char *device)
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

static void
leave(const asked *a, ws_ctx *ctx)
{
	if (a->device_memory)
		ws_ctx_destroy(ctx);
}

static ws_status
execute(const ws_plan *plan, const ws_io *io)
{
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 127) / 64 * 64);
	const ws_status status = ws_execute(plan, io, workspace);
	free(workspace);
	return status;
}

static int
array_of(const asked *a)
{
	const int quantity = a->o.quantity ? (int)a->o.quantity : WS_COMPLEX;
	return quantity - WS_COMPLEX + WS_CWT_COEFFICIENTS;
}

static ws_status
make_plan(ws_plan **plan, ws_ctx *ctx, const asked *a, ws_array *array)
{
	*array = (ws_array){ .size = sizeof *array };
	ws_status status = ws_plan_create(plan, ctx, "cwt", &a->shape, &a->o);
	return status == WS_OK ? ws_plan_array(*plan, array_of(a), array) : status;
}

/* Rows of the caller's, and what lies between them, which is to stay as it was. */
static ws_status
run(const asked *a, const char *device, rows *out)
{
	ws_ctx *ctx = context(a, device);
	ws_plan *plan;
	ws_array array;
	*out = (rows){ 0 };
	ws_status status = make_plan(&plan, ctx, a, &array);
	if (status != WS_OK) {
		leave(a, ctx);
		return status;
	}
	const size_t element = type_size(a->shape.type);
	out->frequencies = array.extent[1];
	out->outputs = array.extent[2];
	out->numbers = array_of(a) == WS_CWT_COEFFICIENTS ? 2 : 1;
	snprintf(out->plan, sizeof out->plan, "%s", ws_plan_describe(plan));
	const size_t row = out->outputs * out->numbers * element, wide = row + a->row_gap;
	const size_t channel = out->frequencies * wide + a->channel_gap;
	char *memory = need(a->shape.channels * channel);
	memset(memory, 0x5a, a->shape.channels * channel);
	ws_buffer buffers[WS_CWT_ARRAYS] = { { .data = NULL } };
	buffers[array_of(a)] = (ws_buffer){ memory, { channel, wide } };
	const ws_io io = { .size = sizeof io, .x = a->x,
		.x_stride = a->shape.samples * element + a->x_gap, .arrays = buffers,
		.progress = a->progress };
	status = execute(plan, &io);
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
	leave(a, ctx);
	return status;
}

/* ---- Comparison ----------------------------------------------------------------------------- */

/* The largest magnitude of a channel's frequencies; row 0: of the first. */
static double
strongest(const rows *r, const double *row)
{
	double most = 0.0;
	for (size_t i = 0; i < r->frequencies * r->outputs * r->numbers; ++i)
		most = fabs(row[i]) > most ? fabs(row[i]) : most;
	return most;
}

/* Where responses are cut a GPU has tables, and the CPU spectra of the edges (cwt_edge.h). */
static bool
is_cut(const asked *a, const rows *got)
{
	return a->o.reference == WS_CWT_REF_NONE && strstr(got->plan, "by taps");
}

/* A GPU does not go on with what a Morlet wavelet has below 0, e^-18 of its peak (cwt.h): in its
 * place slow waves are heard from afar. */
static bool
leaves_below_out(const asked *a)
{
	return a->o.reference == WS_CWT_REF_NONE && a->o.wavelet <= WS_MORLET &&
	       a->o.padding != WS_PADDING_PERIODIC && a->shape.type == WS_F64 &&
	       a->shape.samples > 16384;
}

/* Of a channel's samples. */
static double
largest(const asked *a, size_t channel)
{
	const size_t n = a->shape.samples;
	const char *x = (const char *)a->x + channel * (n * type_size(a->shape.type) + a->x_gap);
	double most = 0.0;
	for (size_t t = 0; t < n; ++t)
		most = fmax(most, fabs(get(a->shape.type, x, t)));
	return most;
}

/* What either may be wrong by because of strong waves that the row does not hear: of the channel's
 * strongest frequency, or, where responses are cut, of its samples. */
static double
rounds(const asked *a, bool cut, size_t channel, double strongest)
{
	if (a->shape.type == WS_F32)
		return cut ? 2e-7 * strongest : 0.0;
	if (leaves_below_out(a))
		return 1e-6 * strongest;
	return cut ? 1e-12 * largest(a, channel) : 2e-15 * strongest;
}

/* The largest difference by the largest number of each row; of phases by the magnitudes, as far as
 * they change the coefficient; less what rounds.  NaN where a number is none. */
static char where[160]; /* the output that error_of() found worst */

static double
error_of(const asked *a, const rows *want, const rows *got, const rows *magnitude)
{
	double worst = 0.0, rounded = 0.0;
	const size_t n = want->outputs, numbers = want->numbers;
	for (size_t r = 0; r < a->shape.channels * want->frequencies; ++r) {
		const rows *of = magnitude ? magnitude : want;
		if (r % want->frequencies == 0)
			rounded = rounds(a, is_cut(a, got), r / want->frequencies,
			                 strongest(of, of->v + r * n * of->numbers));
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
allowed(const asked *a, bool cut)
{
	return (a->shape.type == WS_F32 ? 1e-6 : cut ? 1e-12 : 1e-13)
	       * (a->o.quantity == WS_POWER ? 2.0 : 1.0);
}

static void
print_asked(const asked *a, double error, const rows *got)
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

/* Runs both and compares; options that contradict each other are passed over. */
static void
compare(asked *a)
{
	rows want, got, magnitude = { 0 };
	const ws_status status = run(a, "cpu", &want);
	if (status == WS_E_ARG) {
		rows_free(&want);
		return;
	}
	assert_int_equal(status, WS_OK);
	if (a->o.quantity == WS_PHASE) {
		asked b = *a;
		b.o.quantity = WS_MAGNITUDE;
		assert_int_equal(run(&b, "cpu", &magnitude), WS_OK);
	}
	const ws_status there = run(a, "cuda", &got);
	if (a->o.wavelet == WS_PAUL) {
		assert_int_equal(there, WS_E_UNSUPPORTED);
		rows_free(&want);
		rows_free(&got);
		rows_free(&magnitude);
		return;
	}
	++compared;
	const double error = there != WS_OK ? NAN
		: error_of(a, &want, &got, magnitude.v ? &magnitude : NULL);
	if (there != WS_OK)
		printf("  %s: %s\n", ws_status_name(there), ws_error_detail());
	if (!(error <= allowed(a, is_cut(a, &got)))) {
		++differ;
		print_asked(a, error, &got);
	} else {
		const double share = error / allowed(a, is_cut(a, &got));
		double *w = &worst[a->shape.type == WS_F32];
		*w = share > *w ? share : *w;
	}
	rows_free(&want);
	rows_free(&got);
	rows_free(&magnitude);
}

static void
begin(void)
{
	compared = differ = 0;
	worst[0] = worst[1] = 0.0;
}

static void
finish(const char *what, int least)
{
	printf("%d %s compared, %d differ; the others at most by %.2f (f64) and %.2f (f32) of "
	       "what is allowed\n", compared, what, differ, worst[0], worst[1]);
	assert_true(compared >= least);
	assert_int_equal(differ, 0);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void *
signals(rng *r, const ws_shape *shape, bool walks)
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

/* Log-spaced at random between two, in any order. */
static void
take_frequencies(asked *a, rng *r, size_t count, double low, double high)
{
	for (size_t i = 0; i < count; ++i)
		a->frequencies[i] = low * pow(high / low, rng_uniform(r));
	a->o.frequencies = a->frequencies;
	a->o.frequency_count = count;
}

static void
test_options(void **state)
{
	(void)state;
	static const size_t lengths[] = { 2, 3, 17, 100, 777, 1000, 4096, 5000, 10007, 16384, 30504,
		65536, 100003 };
	static const size_t every[] = { 1, 1, 1, 2, 3, 8, 16, 100 };
	rng r = { 4001 };
	begin();
	for (int i = 0; i < (slow_tier() ? 2000 : few(240)); ++i) {
		asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = (size_t)rng_int(&r, 1, 4),
			.samples = lengths[rng_int(&r, 0, slow_tier() ? 12 : 10)], .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o,
			.reference = i % 3 ? WS_CWT_REF_NONE : (ws_cwt_reference)rng_int(&r, 0, 8),
			.norm = (ws_cwt_norm)rng_int(&r, 0, 3),
			.quantity = (ws_quantity)rng_int(&r, 0, 4),
			.decimate = every[rng_int(&r, 0, 7)] };
		if (a.o.reference == WS_CWT_REF_NONE || rng_int(&r, 0, 1)) {
			a.o.wavelet = (ws_wavelet)rng_int(&r, 0, 7);
			a.o.padding = (ws_padding)rng_int(&r, 0, 3);
		}
		if (a.o.decimate > a.shape.samples)
			a.o.decimate = 1;
		const double longest = a.o.reference == WS_CWT_REF_MNE ? 20.0 : 4.0;
		double low = longest * a.shape.fs / (double)a.shape.samples;
		low = low < 110.0 ? low : 110.0;
		take_frequencies(&a, &r, (size_t)rng_int(&r, 1, 40), low, 120.0);
		a.x = signals(&r, &a.shape, true);
		compare(&a);
		free((void *)a.x);
	}
	finish("random options", few(100));
}

/* Long signals whose frequencies go every way; all quantities. */
static void
test_long(void **state)
{
	(void)state;
	static const size_t lengths[] = { 131072, 250001, 1000000 };
	rng r = { 4002 };
	begin();
	for (int i = 0; i < (slow_tier() ? 24 : fast_tier() ? 2 : 8); ++i) {
		asked a = { .shape = { .size = sizeof a.shape, .type = i % 4 == 3 ? WS_F64 : WS_F32,
			.channels = 1, .samples = lengths[i % 3], .fs = 1000.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .quantity = (ws_quantity)(i % 5),
			.decimate = i % 4 == 1 ? 16 : 1 };
		take_frequencies(&a, &r, 24, 0.5, 450.0);
		a.x = signals(&r, &a.shape, true);
		compare(&a);
		free((void *)a.x);
	}
	finish("long signals", fast_tier() ? 2 : 8);
}

/*
 * What swamps single precision where it is not kept out: an offset of 1000 deviations, a drift over
 * the whole recording, noise whose power falls with the frequency, its mains' hum.  f32 on the GPU
 * against f64 on the CPU, of the same samples; nothing is padded, so that both see the same signal.
 * Every other length has a factor of 7, for which transforms are by cuFFT.
 */
static void
test_strong_slow_waves(void **state)
{
	(void)state;
	const size_t lengths[] = { fast_tier() ? 20000 : 120000, fast_tier() ? 14336 : 114688 };
	rng r = { 4003 };
	double *d = need(lengths[0] * sizeof *d), *wide = need(lengths[0] * sizeof *wide);
	float *x = need(lengths[0] * sizeof *x);
	begin();
	for (int kind = 0; kind < 6; ++kind) {
		const size_t n = lengths[kind % 2];
		double walk = 0.0, steep = 0.0;
		for (size_t t = 0; t < n; ++t) {
			const double v = 2.0 * PI * (double)t / (double)n;
			walk += rng_normal(&r);
			steep += 0.01 * walk;
			d[t] = kind == 0 ? 1000.0 + rng_normal(&r)
				: kind == 1 ? 3000.0 * sin(v) + rng_normal(&r)
				: kind == 2 ? walk : kind == 3 ? steep * 0.01
				: kind == 4 ? rng_normal(&r) + 300.0 * sin(0.1 * PI * (double)t)
				: 1e4 * sin(3.0 * v) + 0.01 * walk + rng_normal(&r);
		}
		to_type(WS_F32, d, n, x);
		for (size_t t = 0; t < n; ++t)
			wide[t] = x[t];
		asked a = { .shape = { .size = sizeof a.shape, .type = WS_F64, .channels = 1,
			.samples = n, .fs = 1000.0 }, .x = wide };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .padding = WS_PADDING_PERIODIC };
		for (size_t i = 0; i < 60; ++i)
			a.frequencies[i] = 0.5 * pow(900.0, (double)i / 59.0);
		a.o.frequencies = a.frequencies;
		a.o.frequency_count = 60;
		rows want, got, same;
		assert_int_equal(run(&a, "cpu", &want), WS_OK);
		a.shape.type = WS_F32;
		a.x = x;
		assert_int_equal(run(&a, "cuda", &got), WS_OK);
		assert_int_equal(run(&a, "cpu", &same), WS_OK);
		const double error = error_of(&a, &want, &got, NULL);
		printf("  kind %d: GPU f32 %.2g, CPU f32 %.2g of each frequency's peak\n", kind,
		       error, error_of(&a, &want, &same, NULL));
		++compared;
		if (!(error <= 1e-6)) {
			++differ;
			print_asked(&a, error, &got);
		}
		rows_free(&want);
		rows_free(&got);
		rows_free(&same);
	}
	free(d);
	free(wide);
	free(x);
	finish("strong slow waves", 6);
}

/* Channels of the recording of the examples, EDF: [channel][*samples], as the file has them. */
static float *
recording(size_t *channels, size_t *samples)
{
	FILE *file = fopen(WAVESIFT_SOURCE_DIR "/examples/data/eeg.edf", "rb");
	unsigned char head[256], *pair;
	char number[9] = "";
	assert_non_null(file);
	assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
	const size_t records = (size_t)atoi(memcpy(number, head + 236, 8));
	const size_t count = (size_t)atoi(memcpy(memset(number, 0, 8), head + 252, 4));
	assert_int_equal(fseek(file, 256 + (long)count * 216, SEEK_SET), 0);
	assert_int_equal(fread(number, 1, 8, file), 8);
	const size_t each = (size_t)atoi(number), all = records * count * each;
	assert_int_equal(fseek(file, 256 + (long)count * 256, SEEK_SET), 0);
	pair = need(2 * all);
	assert_int_equal(fread(pair, 2, all, file), all);
	fclose(file);
	*channels = count;
	*samples = records * each;
	float *x = need(all * sizeof *x);
	for (size_t i = 0; i < all; ++i) {
		const size_t record = i / (count * each), channel = i / each % count;
		x[channel * *samples + record * each + i % each] =
			(int16_t)(pair[2 * i] | pair[2 * i + 1] << 8);
	}
	free(pair);
	return x;
}

static double
deviation_of(const float *x, size_t n)
{
	double sum = 0.0, squares = 0.0;
	for (size_t t = 0; t < n; ++t)
		sum += x[t];
	for (size_t t = 0; t < n; ++t)
		squares += (x[t] - sum / (double)n) * (x[t] - sum / (double)n);
	return sqrt(squares / (double)n);
}

/* An electroencephalogram as it is, on an offset, on a drift, and 1/f noise: f32 on the GPU against
 * f64 on the CPU of the same samples, no worse than white noise by the same bound. */
static void
test_recording(void **state)
{
	(void)state;
	size_t channels, n;
	float *eeg = recording(&channels, &n), *x = need(channels * n * sizeof *x);
	double *wide = need(channels * n * sizeof *wide);
	rng r = { 4009 };
	begin();
	for (int kind = 0; kind < 5; ++kind) {
		for (size_t c = 0; c < channels; ++c) {
			const double d = deviation_of(eeg + c * n, n);
			double walk = 0.0;
			for (size_t t = 0; t < n; ++t) {
				const double v = 2.0 * PI * (double)t / (double)n;
				walk += rng_normal(&r);
				const double beside = kind == 1 ? 1000.0 * d
					: kind == 2 ? 3000.0 * d * sin(v) : 0.0;
				x[c * n + t] = (float)(kind == 3 ? rng_normal(&r) : kind == 4 ? walk
				                       : eeg[c * n + t] + beside);
			}
		}
		for (size_t t = 0; t < channels * n; ++t)
			wide[t] = x[t];
		asked a = { .shape = { .size = sizeof a.shape, .type = WS_F64,
			.channels = channels, .samples = n, .fs = 128.0 }, .x = wide };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .padding = WS_PADDING_PERIODIC };
		for (size_t i = 0; i < 60; ++i)
			a.frequencies[i] = pow(60.0, (double)i / 59.0);
		a.o.frequencies = a.frequencies;
		a.o.frequency_count = 60;
		rows want, got;
		assert_int_equal(run(&a, "cpu", &want), WS_OK);
		a.shape.type = WS_F32;
		a.x = x;
		assert_int_equal(run(&a, "cuda", &got), WS_OK);
		const double error = error_of(&a, &want, &got, NULL);
		printf("  recording, kind %d: GPU f32 %.2g of each frequency's peak\n", kind,
		       error);
		++compared;
		if (!(error <= 1e-6)) {
			++differ;
			print_asked(&a, error, &got);
		}
		rows_free(&want);
		rows_free(&got);
	}
	free(eeg);
	free(x);
	free(wide);
	finish("recordings", 5);
}

/* Gaps between rows, channels and samples; rows of any alignment; little memory of the GPU; many
 * channels, and many frequencies. */
static void
test_rows(void **state)
{
	(void)state;
	rng r = { 4004 };
	begin();
	for (int i = 0; i < 24; ++i) {
		asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = i % 3 ? 3 : 130, .samples = 2001 + (size_t)(i % 4) * 1000,
			.fs = 250.0 } };
		const size_t element = type_size(a.shape.type);
		a.row_gap = (size_t)rng_int(&r, 0, 3) * element;
		a.channel_gap = (size_t)rng_int(&r, 0, 5) * element;
		a.x_gap = (size_t)rng_int(&r, 0, 2) * element;
		a.device_memory = i % 4 == 2 ? (size_t)3 << 20 : 0;
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .quantity = (ws_quantity)rng_int(&r, 1, 4),
			.decimate = i % 5 == 4 ? 4 : 1 };
		take_frequencies(&a, &r, 50, 1.0, 100.0);
		void *x = signals(&r, &a.shape, true);
		const size_t row = a.shape.samples * element, wide = row + a.x_gap;
		char *apart = need(a.shape.channels * wide);
		memset(apart, 0xff, a.shape.channels * wide);
		for (size_t c = 0; c < a.shape.channels; ++c)
			memcpy(apart + c * wide, (char *)x + c * row, row);
		a.x = apart;
		compare(&a);
		free(apart);
		free(x);
	}
	finish("arrays with gaps", 24);
}

/* What a run delivers, slab by slab. */
typedef struct delivery {
	const asked *a;
	const rows *want;
	double *v;
	size_t slabs, numbers;
} delivery;

static ws_status
read_channel(void *user, size_t channel, void *x)
{
	const asked *a = ((delivery *)user)->a;
	const size_t row = a->shape.samples * type_size(a->shape.type);
	memcpy(x, (const char *)a->x + channel * row, row);
	return WS_OK;
}

static ws_status
take_channel(void *user, const ws_channel_result *channel)
{
	delivery *d = user;
	const ws_slab *s = &channel->slabs[array_of(d->a)];
	const size_t row = d->want->outputs * d->want->numbers;
	double *to = d->v + (channel->channel * d->want->frequencies + s->first[0]) * row;
	for (size_t i = 0; i < s->extent[0] * row; ++i)
		to[i] = get(d->a->shape.type, s->data, i);
	++d->slabs;
	d->numbers += s->extent[0] * row;
	return WS_OK;
}

/* Memory for some frequencies of a channel at a time, here and on the GPU: the same numbers. */
static void
test_blocks(void **state)
{
	(void)state;
	rng r = { 4008 };
	begin();
	for (int i = 0; i < 4; ++i) {
		asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = 3, .samples = 40000, .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o,
			.quantity = i < 2 ? WS_COMPLEX : WS_POWER };
		take_frequencies(&a, &r, 40, 1.0, 110.0);
		a.x = signals(&r, &a.shape, true);
		rows want;
		assert_int_equal(run(&a, "cuda", &want), WS_OK);
		const size_t element = type_size(a.shape.type);
		const size_t channel = want.frequencies * want.outputs * want.numbers * element;
		ws_ctx *ctx = context(&a, "cuda");
		ws_run *blocks;
		/* The tables of a plan count, too: the least memory that serves cuts a channel. */
		ws_status made = WS_E_NOMEM;
		for (size_t room = channel / 2; made == WS_E_NOMEM; room += channel / 4)
			made = ws_run_create(&blocks, ctx, "cwt", &a.shape, &a.o, room);
		assert_int_equal(made, WS_OK);
		delivery d = { .a = &a, .want = &want, .v = need(3 * channel / element *
		                                                  sizeof(double)) };
		const ws_stream stream = { .size = sizeof stream, .read = read_channel,
			.write = take_channel, .user = &d };
		assert_string_equal(ws_run_device(blocks), "cuda:0");
		assert_int_equal(ws_run_execute(blocks, &stream), WS_OK);
		assert_true(d.slabs > 3);
		assert_int_equal(d.numbers, 3 * channel / element);
		rows got = { want.frequencies, want.outputs, want.numbers, d.v, "" };
		snprintf(got.plan, sizeof got.plan, "%s", ws_run_describe(blocks));
		++compared;
		const double error = error_of(&a, &want, &got, NULL);
		if (!(error <= allowed(&a, is_cut(&a, &got)))) {
			++differ;
			print_asked(&a, error, &got);
		}
		ws_run_destroy(blocks);
		leave(&a, ctx);
		free(d.v);
		free((void *)a.x);
		rows_free(&want);
	}
	finish("transforms in blocks", 4);
}

static void
test_refused(void **state)
{
	(void)state;
	rng r = { 4005 };
	asked a = { .shape = { .size = sizeof a.shape, .type = WS_F32, .channels = 5,
		.samples = 5000, .fs = 250.0 } };
	a.o = (ws_cwt_opts){ .size = sizeof a.o };
	take_frequencies(&a, &r, 5, 2.0, 60.0);
	float *x = signals(&r, &a.shape, true);
	a.x = x;
	rows out;
	x[3 * 5000 + 1234] = NAN;
	x[3 * 5000 + 4000] = INFINITY;
	x[4 * 5000] = INFINITY;
	assert_int_equal(run(&a, "cuda", &out), WS_E_FORMAT);
	assert_string_equal(ws_error_detail(), "channel 4, sample 1235 is not finite: mend or "
	                    "leave out that stretch");
	rows_free(&out);
	x[3 * 5000 + 1234] = x[3 * 5000 + 4000] = x[4 * 5000] = 0.0f;
	a.device_memory = 100000;
	assert_int_equal(run(&a, "cuda", &out), WS_E_NOMEM);
	printf("%s\n", ws_error_detail());
	a.device_memory = 0;
	assert_int_equal(run(&a, "cuda", &out), WS_OK);
	rows_free(&out);
	free(x);
}

/* A status, and its words. */
static ws_status
told(const asked *a, const char *device, char words[256])
{
	rows out;
	const ws_status status = run(a, device, &out);
	snprintf(words, 256, "%s", status == WS_OK ? "" : ws_error_detail());
	rows_free(&out);
	return status;
}

/* Power that the type does not hold is refused as on the CPU, by whatever way spectra are made;
 * magnitudes of any size are not. */
static void
test_power_of_the_type(void **state)
{
	static const double by[2][4] = { [WS_F32] = { 1e25, 1e-30, 1e16, 1e-16 },
	                                 [WS_F64] = { 1e300, 1e-300, 1e140, 1e-140 } };
	static const size_t lengths[] = { 5000, 10007 };
	(void)state;
	for (int i = 0; i < 32; ++i) {
		rng r = { 4100 };
		const ws_type type = i % 2 ? WS_F64 : WS_F32;
		const double times = by[type][i / 2 % 4];
		asked a = { .shape = { .size = sizeof a.shape, .type = type, .channels = 3,
			.samples = lengths[i / 8 % 2], .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o,
			.quantity = i < 16 ? WS_POWER : WS_MAGNITUDE };
		take_frequencies(&a, &r, 5, 2.0, 60.0);
		void *x = signals(&r, &a.shape, true);
		for (size_t k = a.shape.samples; k < 2 * a.shape.samples; ++k) {
			if (type == WS_F64)
				((double *)x)[k] *= times;
			else
				((float *)x)[k] *= (float)times;
		}
		a.x = x;
		char cpu[256], cuda[256];
		const ws_status status = told(&a, "cpu", cpu);
		assert_int_equal(status, i < 16 && i / 2 % 4 < 2 ? WS_E_FORMAT : WS_OK);
		assert_int_equal(told(&a, "cuda", cuda), status);
		assert_string_equal(cuda, cpu);
		free(x);
	}
}

static int
cancel(void *user, double done)
{
	/* The next look is 50 ms away at the earliest. */
	const struct timespec pause = { 0, 60000000 };
	(void)user;
	nanosleep(&pause, NULL);
	return done > 0.0;
}

static void
test_cancelled(void **state)
{
	(void)state;
	rng r = { 4006 };
	asked a = { .shape = { .size = sizeof a.shape, .type = WS_F32, .channels = 40,
		.samples = 200000, .fs = 250.0 }, .progress = cancel };
	a.o = (ws_cwt_opts){ .size = sizeof a.o };
	take_frequencies(&a, &r, 8, 2.0, 60.0);
	void *x = signals(&r, &a.shape, true);
	a.x = x;
	rows out;
	assert_int_equal(run(&a, "cuda", &out), WS_E_CANCELLED);
	rows_free(&out);
	free(x);
}

/* ---- Arrays in the GPU's memory ----------------------------------------------------------- */

/* The status of the same transform with significance. */
static ws_status
refused_significance(const asked *a, ws_ctx *ctx, const ws_io *io)
{
	asked b = *a;
	ws_plan *plan;
	ws_array array;
	double values[3 * 64];
	ws_buffer buffers[WS_CWT_ARRAYS];
	b.o.frequencies = b.frequencies;
	b.o.significance = WS_SIGNIFICANCE_WHITE;
	b.o.quantity = WS_POWER;
	assert_int_equal(make_plan(&plan, ctx, &b, &array), WS_OK);
	memcpy(buffers, io->arrays, sizeof buffers);
	buffers[WS_CWT_POWER].data = buffers[array_of(a)].data;
	buffers[WS_CWT_SIGNIFICANCE].data = values;
	ws_io with = *io;
	with.arrays = buffers;
	const ws_status status = execute(plan, &with);
	ws_plan_destroy(plan);
	return status;
}

static void
test_device_arrays(void **state)
{
	(void)state;
	rng r = { 4007 };
	open_driver();
	begin();
	for (int i = 0; i < 8; ++i) {
		asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = 3, .samples = 20001 + (size_t)i, .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .quantity = (ws_quantity)(1 + i % 4) };
		take_frequencies(&a, &r, 30, 1.0, 110.0);
		a.x = signals(&r, &a.shape, true);
		rows want;
		assert_int_equal(run(&a, "cuda", &want), WS_OK);
		ws_ctx *ctx = context(&a, "cuda");
		ws_plan *plan;
		ws_array array;
		assert_int_equal(make_plan(&plan, ctx, &a, &array), WS_OK);
		const size_t element = type_size(a.shape.type), in = 3 * a.shape.samples * element;
		const size_t numbers = 3 * want.frequencies * want.outputs * want.numbers;
		const address x = on_device(in), out = on_device(numbers * element);
		void *stream, *back = need(numbers * element);
		double scales[64];
		assert_int_equal(cu.stream(&stream, 1), 0);
		assert_int_equal(cu.to_device(x, a.x, in), 0);
		ws_buffer buffers[WS_CWT_ARRAYS] = { { .data = NULL } };
		buffers[array_of(&a)].data = (void *)out;
		buffers[WS_CWT_SCALE].data = scales;
		const ws_io io = { .size = sizeof io, .x = (void *)x, .arrays = buffers,
			.memory = WS_MEMORY_DEVICE, .stream = stream };
		assert_int_equal(execute(plan, &io), WS_OK);
		assert_int_equal(cu.wait(stream), 0);
		assert_int_equal(cu.to_host(back, out, numbers * element), 0);
		/* It would read the samples here. */
		assert_int_equal(refused_significance(&a, ctx, &io), WS_E_UNSUPPORTED);
		size_t wrong = 0;
		for (size_t k = 0; k < numbers; ++k)
			wrong += get(a.shape.type, back, k) != want.v[k];
		++compared;
		differ += wrong != 0;
		assert_true(scales[0] > 0.0);
		cu.free(x);
		cu.free(out);
		ws_plan_destroy(plan);
		leave(&a, ctx);
		free(back);
		free((void *)a.x);
		rows_free(&want);
	}
	finish("arrays in the GPU's memory", 8);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_device_arrays), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_power_of_the_type),
		cmocka_unit_test(test_cancelled), cmocka_unit_test(test_strong_slow_waves),
		cmocka_unit_test(test_recording), cmocka_unit_test(test_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
