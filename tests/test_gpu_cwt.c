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
#include "gpu_cwt.h"

#define PI 3.14159265358979323846

static void
test_options(void **state)
{
	(void)state;
	static const size_t lengths[] = { 2, 3, 17, 100, 777, 1000, 4096, 5000, 10007, 16384, 30504,
		65536, 100003 };
	static const size_t every[] = { 1, 1, 1, 2, 3, 8, 16, 100 };
	rng r = { 4001 };
	gpu_cwt_begin();
	for (int i = 0; i < (slow_tier() ? 2000 : few(240)); ++i) {
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = (size_t)rng_int(&r, 1, 4),
			.samples = lengths[rng_int(&r, 0, slow_tier() ? 12 : 10)], .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT,
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
		gpu_cwt_frequencies(&a, &r, (size_t)rng_int(&r, 1, 40), low, 120.0);
		a.x = gpu_cwt_signals(&r, &a.shape, true);
		gpu_cwt_compare(&a);
		free((void *)a.x);
	}
	gpu_cwt_finish("random options", few(100));
}

/* Long signals whose frequencies go every way; all quantities. */
static void
test_long(void **state)
{
	(void)state;
	static const size_t lengths[] = { 131072, 250001, 1000000 };
	rng r = { 4002 };
	gpu_cwt_begin();
	for (int i = 0; i < (slow_tier() ? 24 : fast_tier() ? 2 : 8); ++i) {
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = i % 4 == 3 ? WS_F64 : WS_F32,
			.channels = 1, .samples = lengths[i % 3], .fs = 1000.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT, .quantity = (ws_quantity)(i % 5),
			.decimate = i % 4 == 1 ? 16 : 1 };
		gpu_cwt_frequencies(&a, &r, 24, 0.5, 450.0);
		a.x = gpu_cwt_signals(&r, &a.shape, true);
		gpu_cwt_compare(&a);
		free((void *)a.x);
	}
	gpu_cwt_finish("long signals", fast_tier() ? 2 : 8);
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
	gpu_cwt_begin();
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
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = WS_F64, .channels = 1,
			.samples = n, .fs = 1000.0 }, .x = wide };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT, .padding = WS_PADDING_PERIODIC };
		for (size_t i = 0; i < 60; ++i)
			a.frequencies[i] = 0.5 * pow(900.0, (double)i / 59.0);
		a.o.frequencies = a.frequencies;
		a.o.frequency_count = 60;
		cwt_rows want, got, same;
		assert_int_equal(gpu_cwt_run(&a, "cpu", &want), WS_OK);
		a.shape.type = WS_F32;
		a.x = x;
		assert_int_equal(gpu_cwt_run(&a, "cuda", &got), WS_OK);
		assert_int_equal(gpu_cwt_run(&a, "cpu", &same), WS_OK);
		const double error = gpu_cwt_error(&a, &want, &got, NULL);
		printf("  kind %d: GPU f32 %.2g, CPU f32 %.2g of each frequency's peak\n", kind,
		       error, gpu_cwt_error(&a, &want, &same, NULL));
		gpu_cwt_count(&a, error, 1e-6, &got);
		cwt_rows_free(&want);
		cwt_rows_free(&got);
		cwt_rows_free(&same);
	}
	free(d);
	free(wide);
	free(x);
	gpu_cwt_finish("strong slow waves", 6);
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
	gpu_cwt_begin();
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
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = WS_F64,
			.channels = channels, .samples = n, .fs = 128.0 }, .x = wide };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT, .padding = WS_PADDING_PERIODIC };
		for (size_t i = 0; i < 60; ++i)
			a.frequencies[i] = pow(60.0, (double)i / 59.0);
		a.o.frequencies = a.frequencies;
		a.o.frequency_count = 60;
		cwt_rows want, got;
		assert_int_equal(gpu_cwt_run(&a, "cpu", &want), WS_OK);
		a.shape.type = WS_F32;
		a.x = x;
		assert_int_equal(gpu_cwt_run(&a, "cuda", &got), WS_OK);
		const double error = gpu_cwt_error(&a, &want, &got, NULL);
		printf("  recording, kind %d: GPU f32 %.2g of each frequency's peak\n", kind,
		       error);
		gpu_cwt_count(&a, error, 1e-6, &got);
		cwt_rows_free(&want);
		cwt_rows_free(&got);
	}
	free(eeg);
	free(x);
	free(wide);
	gpu_cwt_finish("recordings", 5);
}

/* Gaps between rows, channels and samples; rows of any alignment; little memory of the GPU; many
 * channels, and many frequencies. */
static void
test_rows(void **state)
{
	(void)state;
	rng r = { 4004 };
	gpu_cwt_begin();
	for (int i = 0; i < 24; ++i) {
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = i % 3 ? 3 : 130, .samples = 2001 + (size_t)(i % 4) * 1000,
			.fs = 250.0 } };
		const size_t element = type_size(a.shape.type);
		a.row_gap = (size_t)rng_int(&r, 0, 3) * element;
		a.channel_gap = (size_t)rng_int(&r, 0, 5) * element;
		a.x_gap = (size_t)rng_int(&r, 0, 2) * element;
		a.device_memory = i % 4 == 2 ? (size_t)3 << 20 : 0;
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT,
			.quantity = (ws_quantity)rng_int(&r, 1, 4),
			.decimate = i % 5 == 4 ? 4 : 1 };
		gpu_cwt_frequencies(&a, &r, 50, 1.0, 100.0);
		void *x = gpu_cwt_signals(&r, &a.shape, true);
		const size_t row = a.shape.samples * element, wide = row + a.x_gap;
		char *apart = need(a.shape.channels * wide);
		memset(apart, 0xff, a.shape.channels * wide);
		for (size_t c = 0; c < a.shape.channels; ++c)
			memcpy(apart + c * wide, (char *)x + c * row, row);
		a.x = apart;
		gpu_cwt_compare(&a);
		free(apart);
		free(x);
	}
	gpu_cwt_finish("arrays with gaps", 24);
}

/* What a run delivers, slab by slab. */
typedef struct delivery {
	const cwt_asked *a;
	const cwt_rows *want;
	double *v;
	size_t slabs, numbers;
} delivery;

static ws_status
read_channel(void *user, size_t channel, void *x)
{
	const cwt_asked *a = ((delivery *)user)->a;
	const size_t row = a->shape.samples * type_size(a->shape.type);
	memcpy(x, (const char *)a->x + channel * row, row);
	return WS_OK;
}

static ws_status
take_channel(void *user, const ws_channel_result *channel)
{
	delivery *d = user;
	const ws_slab *s = &channel->slabs[gpu_cwt_array(d->a)];
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
	gpu_cwt_begin();
	for (int i = 0; i < 4; ++i) {
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = 3, .samples = 40000, .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT,
			.quantity = i < 2 ? WS_QUANTITY_COMPLEX : WS_QUANTITY_POWER };
		gpu_cwt_frequencies(&a, &r, 40, 1.0, 110.0);
		a.x = gpu_cwt_signals(&r, &a.shape, true);
		cwt_rows want;
		assert_int_equal(gpu_cwt_run(&a, "cuda", &want), WS_OK);
		const size_t element = type_size(a.shape.type);
		const size_t channel = want.frequencies * want.outputs * want.numbers * element;
		ws_ctx *ctx = gpu_cwt_context(&a, "cuda");
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
		cwt_rows got = { want.frequencies, want.outputs, want.numbers, d.v, "" };
		snprintf(got.plan, sizeof got.plan, "%s", ws_run_describe(blocks));
		gpu_cwt_count(&a, gpu_cwt_error(&a, &want, &got, NULL),
		              a.shape.type == WS_F32 ? 1e-6 : 1e-13, &got);
		ws_run_destroy(blocks);
		gpu_cwt_leave(&a, ctx);
		free(d.v);
		free((void *)a.x);
		cwt_rows_free(&want);
	}
	gpu_cwt_finish("transforms in blocks", 4);
}

static void
test_refused(void **state)
{
	(void)state;
	rng r = { 4005 };
	cwt_asked a = { .shape = { .size = sizeof a.shape, .type = WS_F32, .channels = 5,
		.samples = 5000, .fs = 250.0 } };
	a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT };
	gpu_cwt_frequencies(&a, &r, 5, 2.0, 60.0);
	float *x = gpu_cwt_signals(&r, &a.shape, true);
	a.x = x;
	cwt_rows out;
	x[3 * 5000 + 1234] = NAN;
	x[3 * 5000 + 4000] = INFINITY;
	x[4 * 5000] = INFINITY;
	assert_int_equal(gpu_cwt_run(&a, "cuda", &out), WS_E_FORMAT);
	assert_string_equal(ws_error_detail(), "channel 3, sample 1234 is not finite: mend or "
	                    "leave out that stretch");
	cwt_rows_free(&out);
	x[3 * 5000 + 1234] = x[3 * 5000 + 4000] = x[4 * 5000] = 0.0f;
	a.device_memory = 100000;
	assert_int_equal(gpu_cwt_run(&a, "cuda", &out), WS_E_NOMEM);
	printf("%s\n", ws_error_detail());
	a.device_memory = 0;
	assert_int_equal(gpu_cwt_run(&a, "cuda", &out), WS_OK);
	cwt_rows_free(&out);
	free(x);
}

/* A status, and its words. */
static ws_status
told(const cwt_asked *a, const char *device, char words[256])
{
	cwt_rows out;
	const ws_status status = gpu_cwt_run(a, device, &out);
	snprintf(words, 256, "%s", status == WS_OK ? "" : ws_error_detail());
	cwt_rows_free(&out);
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
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = type, .channels = 3,
			.samples = lengths[i / 8 % 2], .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT,
			.quantity = i < 16 ? WS_QUANTITY_POWER : WS_QUANTITY_MAGNITUDE };
		gpu_cwt_frequencies(&a, &r, 5, 2.0, 60.0);
		void *x = gpu_cwt_signals(&r, &a.shape, true);
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
	cwt_asked a = { .shape = { .size = sizeof a.shape, .type = WS_F32, .channels = 40,
		.samples = 200000, .fs = 250.0 }, .progress = cancel };
	a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT };
	gpu_cwt_frequencies(&a, &r, 8, 2.0, 60.0);
	void *x = gpu_cwt_signals(&r, &a.shape, true);
	a.x = x;
	cwt_rows out;
	assert_int_equal(gpu_cwt_run(&a, "cuda", &out), WS_E_CANCELLED);
	cwt_rows_free(&out);
	free(x);
}

/* ---- Arrays in the GPU's memory ----------------------------------------------------------- */

/* The status of the same transform with significance. */
static ws_status
refused_significance(const cwt_asked *a, ws_ctx *ctx, const ws_io *io)
{
	cwt_asked b = *a;
	ws_plan *plan;
	ws_array array;
	double values[3 * 64];
	ws_buffer buffers[WS_CWT_ARRAYS];
	b.o.frequencies = b.frequencies;
	b.o.significance = WS_SIGNIFICANCE_WHITE;
	b.o.quantity = WS_QUANTITY_POWER;
	assert_int_equal(gpu_cwt_plan(&plan, ctx, &b, &array), WS_OK);
	memcpy(buffers, io->arrays, sizeof buffers);
	buffers[WS_CWT_POWER].data = buffers[gpu_cwt_array(a)].data;
	buffers[WS_CWT_SIGNIFICANCE].data = values;
	ws_io with = *io;
	with.arrays = buffers;
	const ws_status status = gpu_cwt_execute(plan, &with);
	ws_plan_destroy(plan);
	return status;
}

static void
test_device_arrays(void **state)
{
	(void)state;
	rng r = { 4007 };
	open_driver();
	gpu_cwt_begin();
	for (int i = 0; i < 8; ++i) {
		cwt_asked a = { .shape = { .size = sizeof a.shape, .type = i % 2 ? WS_F64 : WS_F32,
			.channels = 3, .samples = 20001 + (size_t)i, .fs = 250.0 } };
		a.o = (ws_cwt_opts){ .size = sizeof a.o, .tag = WS_TAG_CWT,
			.quantity = (ws_quantity)(1 + i % 4) };
		gpu_cwt_frequencies(&a, &r, 30, 1.0, 110.0);
		a.x = gpu_cwt_signals(&r, &a.shape, true);
		cwt_rows want;
		assert_int_equal(gpu_cwt_run(&a, "cuda", &want), WS_OK);
		ws_ctx *ctx = gpu_cwt_context(&a, "cuda");
		ws_plan *plan;
		ws_array array;
		assert_int_equal(gpu_cwt_plan(&plan, ctx, &a, &array), WS_OK);
		const size_t element = type_size(a.shape.type), in = 3 * a.shape.samples * element;
		const size_t numbers = 3 * want.frequencies * want.outputs * want.numbers;
		const address x = on_device(in), out = on_device(numbers * element);
		void *stream, *back = need(numbers * element);
		double scales[64];
		assert_int_equal(cu.stream(&stream, 1), 0);
		assert_int_equal(cu.to_device(x, a.x, in), 0);
		ws_buffer buffers[WS_CWT_ARRAYS] = { { .data = NULL } };
		buffers[gpu_cwt_array(&a)].data = (void *)out;
		buffers[WS_CWT_SCALE].data = scales;
		const ws_io io = { .size = sizeof io, .x = (void *)x, .arrays = buffers,
			.n_arrays = WS_CWT_ARRAYS,
			.memory = WS_MEMORY_DEVICE, .cuda_stream = stream };
		assert_int_equal(gpu_cwt_execute(plan, &io), WS_OK);
		assert_int_equal(cu.wait(stream), 0);
		assert_int_equal(cu.to_host(back, out, numbers * element), 0);
		/* It would read the samples here. */
		assert_int_equal(refused_significance(&a, ctx, &io), WS_E_UNSUPPORTED);
		size_t wrong = 0;
		for (size_t k = 0; k < numbers; ++k)
			wrong += get(a.shape.type, back, k) != want.v[k];
		gpu_cwt_count(&a, (double)wrong, 0.0, &want);
		assert_true(scales[0] > 0.0);
		cu.free(x);
		cu.free(out);
		ws_plan_destroy(plan);
		gpu_cwt_leave(&a, ctx);
		free(back);
		free((void *)a.x);
		cwt_rows_free(&want);
	}
	gpu_cwt_finish("arrays in the GPU's memory", 8);
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
