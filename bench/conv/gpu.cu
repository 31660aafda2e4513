/*
 * gpu.cu - convolution with Morlet masks of 16 s + 1 taps, s = 1 .. SCALES, on a GPU: data
 * resident, beside the card's multiply-adds in registers and a plain kernel (one thread an output,
 * samples and taps from memory), all in one run.
 *
 *     gpu [SAMPLES SCALES]..
 *     gpu methods             the chosen method beside each of the others, for the host's arrays
 *                             (transfers counted) and the device's
 *
 * The signal is sqrt(t (1 - t)) sin(2.1 pi / (t + 0.05)).  Medians of 9 after a warm-up.  A rate
 * counts the multiply-adds of all taps, those beyond the signal's ends included.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "gpu.h"
#include "wavesift/conv.h"

/* ---- The yardsticks --------------------------------------------------------------------- */

template <class T>
__global__ void
fma_kernel(T *out, int rounds)
{
	T a[16];
	for (int k = 0; k < 16; ++k)
		a[k] = (T)(threadIdx.x + k);
	const T b = (T)0.999, c = (T)(0.001 * blockIdx.x);
	for (int r = 0; r < rounds; ++r)
#pragma unroll
		for (int k = 0; k < 16; ++k)
			a[k] = fma(a[k], b, c);
	T sum = 0;
	for (int k = 0; k < 16; ++k)
		sum += a[k];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Multiply-adds in registers, per second. */
template <class T>
static double
peak(cudaStream_t stream)
{
	const int blocks = 132 * 8, threads = 256, rounds = 20000;
	T *out;
	CUDA(cudaMalloc(&out, (size_t)blocks * threads * sizeof(T)));
	const double s = median_seconds([&] {
		fma_kernel<T><<<blocks, threads, 0, stream>>>(out, rounds);
	}, stream);
	CUDA(cudaFree(out));
	return (double)blocks * threads * rounds * 16 / s;
}

template <class T>
__global__ void
plain_kernel(const T *x, long long n, const T *masks, const int *lengths, const int *offsets, T *y)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	const int length = lengths[blockIdx.y];
	const T *m = masks + offsets[blockIdx.y];
	if (i >= n)
		return;
	T sum = 0;
	for (int k = 0; k < length; ++k) {
		const long long at = i + k - length / 2;
		if (at >= 0 && at < n)
			sum = fma(x[at], m[k], sum);
	}
	y[blockIdx.y * n + i] = sum;
}

/* ---- Ours ------------------------------------------------------------------------------- */

struct data {
	void *x, *y;             /* on the device */
	size_t n;
	int scales;
	ws_type type;
	double multiply_adds;
};

static double
ours(ws_ctx *ctx, const data &d, ws_sums sums, ws_conv_method method, cudaStream_t stream,
     std::string *description)
{
	ws_conv_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.mask_formula = WS_MASK_MORLET;
	o.scale_count = (size_t)d.scales;
	o.sums = sums;
	o.method = method;
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = 1;
	shape.samples = d.n;
	shape.type = d.type;
	ws_plan *plan;
	must(ws_plan_create(&plan, ctx, "conv", &shape, &o));
	ws_buffer buffers[WS_CONV_ARRAYS] = {};
	buffers[WS_CONV_RESPONSES].data = d.y;
	ws_io io = {};
	io.size = sizeof io;
	io.x = d.x;
	io.arrays = buffers;
	io.n_arrays = WS_CONV_ARRAYS;
	io.memory = WS_MEMORY_DEVICE;
	io.cuda_stream = stream;
	const double s = median_seconds([&] { must(ws_execute(plan, &io, NULL)); }, stream);
	*description = ws_plan_describe(plan);
	ws_plan_destroy(plan);
	return s;
}

template <class T>
static double
plain(const data &d, cudaStream_t stream)
{
	std::vector<T> masks;
	std::vector<int> lengths, offsets;
	for (int s = 1; s <= d.scales; ++s) {
		lengths.push_back(16 * s + 1);
		offsets.push_back((int)masks.size());
		for (int k = -8 * s; k <= 8 * s; ++k) {
			const double t = (double)k / s;
			masks.push_back((T)(exp(-t * t / 2) * cos(5 * t) / sqrt((double)s)));
		}
	}
	T *m;
	int *l, *o;
	CUDA(cudaMalloc(&m, masks.size() * sizeof(T)));
	CUDA(cudaMalloc(&l, lengths.size() * sizeof(int)));
	CUDA(cudaMalloc(&o, offsets.size() * sizeof(int)));
	CUDA(cudaMemcpy(m, masks.data(), masks.size() * sizeof(T), cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(l, lengths.data(), lengths.size() * sizeof(int), cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(o, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
	const dim3 grid((unsigned)((d.n + 255) / 256), (unsigned)d.scales);
	const double s = median_seconds([&] {
		plain_kernel<T><<<grid, 256, 0, stream>>>((const T *)d.x, (long long)d.n, m, l, o,
		                                          (T *)d.y);
	}, stream);
	CUDA(cudaFree(m));
	CUDA(cudaFree(l));
	CUDA(cudaFree(o));
	return s;
}

template <class T>
static void
take_signal(data *d)
{
	std::vector<T> x(d->n);
	for (size_t i = 0; i < d->n; ++i) {
		const double t = ((double)i + 0.5) / (double)d->n;
		x[i] = (T)(sqrt(t * (1 - t)) * sin(2.1 * M_PI / (t + 0.05)));
	}
	CUDA(cudaMalloc(&d->x, d->n * sizeof(T)));
	CUDA(cudaMalloc(&d->y, d->n * d->scales * sizeof(T)));
	CUDA(cudaMemcpy(d->x, x.data(), d->n * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T>
static void
measure(ws_ctx *ctx, ws_type type, size_t n, int scales, double most, cudaStream_t stream)
{
	static const struct { const char *name; ws_sums sums; ws_conv_method method; } ways[] = {
		{ "direct", WS_SUMS_PLAIN, WS_CONV_DIRECT },
		{ "direct, f64 sums", WS_SUMS_F64, WS_CONV_DIRECT },
		{ "direct, compensated", WS_SUMS_COMPENSATED, WS_CONV_DIRECT },
		{ "FFT", WS_SUMS_PLAIN, WS_CONV_FFT },
		{ "overlap-save", WS_SUMS_PLAIN, WS_CONV_OVERLAP_SAVE },
		{ "chosen", WS_SUMS_PLAIN, (ws_conv_method)0 },
	};
	data d = { NULL, NULL, n, scales, type, 0 };
	const char *name = type == WS_F64 ? "f64" : "f32";
	for (int s = 1; s <= scales; ++s)
		d.multiply_adds += (16.0 * s + 1) * (double)n;
	take_signal<T>(&d);
	const double naive = plain<T>(d, stream);
	printf("%-4s %8zu x %-4d %-20s %9.3f ms  %3.0f %% of the peak\n", name, n, scales,
	       "plain kernel", 1e3 * naive, 100 * d.multiply_adds / naive / most);
	std::string text;
	for (const auto &w : ways) {
		if (w.sums == WS_SUMS_F64 && type == WS_F64)
			continue;
		const double s = ours(ctx, d, w.sums, w.method, stream, &text);
		printf("%-4s %8zu x %-4d %-20s %9.3f ms", name, n, scales, w.name, 1e3 * s);
		if (w.method == WS_CONV_DIRECT && w.sums == WS_SUMS_PLAIN)
			printf("  %3.0f %% of the peak, plain / ours %.1f",
			       100 * d.multiply_adds / s / most, naive / s);
		printf("\n");
		if (w.method == 0 && getenv("VERBOSE"))
			printf("%s", text.c_str());
	}
	CUDA(cudaFree(d.x));
	CUDA(cudaFree(d.y));
}

/* ---- Methods ---------------------------------------------------------------------------- */

/* Seconds of one plan's execution, data on the device or on the host. */
static double
seconds_of(ws_ctx *ctx, const ws_shape &shape, const ws_masks &masks, ws_conv_method method,
           bool on_host, void *x, void *y, cudaStream_t stream, int *methods)
{
	ws_conv_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.masks = &masks;
	o.method = method;
	ws_plan *plan;
	must(ws_plan_create(&plan, ctx, "conv", &shape, &o));
	std::vector<int32_t> method_of(masks.count);
	ws_buffer buffers[WS_CONV_ARRAYS] = {};
	buffers[WS_CONV_RESPONSES].data = y;
	buffers[WS_CONV_METHOD].data = method_of.data();
	ws_io io = {};
	io.size = sizeof io;
	io.x = x;
	io.arrays = buffers;
	io.n_arrays = WS_CONV_ARRAYS;
	io.memory = on_host ? WS_MEMORY_HOST : WS_MEMORY_DEVICE;
	io.cuda_stream = on_host ? NULL : stream;
	double s = 0;
	if (on_host) {
		std::vector<double> times;
		for (int i = -2; i < 7; ++i) {
			struct timespec a, b;
			clock_gettime(CLOCK_MONOTONIC, &a);
			must(ws_execute(plan, &io, NULL));
			clock_gettime(CLOCK_MONOTONIC, &b);
			if (i >= 0)
				times.push_back((double)(b.tv_sec - a.tv_sec) +
				                1e-9 * (double)(b.tv_nsec - a.tv_nsec));
		}
		std::sort(times.begin(), times.end());
		s = times[3];
	} else {
		s = median_seconds([&] { must(ws_execute(plan, &io, NULL)); }, stream);
	}
	for (int i = 0; i < 4; ++i)
		methods[i] = (int)std::count(method_of.begin(), method_of.end(), i);
	ws_plan_destroy(plan);
	return s;
}

/* `count` masks of `length` taps each, or where that is 0 of 16 s + 1, by each method. */
static void
compare_methods(ws_ctx *ctx, ws_type type, size_t n, size_t count, size_t length, bool on_host,
                cudaStream_t stream)
{
	static const char *const names[] = { "chosen", "direct", "FFT", "overlap-save" };
	const size_t size = type == WS_F64 ? 8 : 4;
	std::vector<size_t> lengths;
	size_t taps = 0;
	for (size_t i = 1; i <= count; ++i) {
		lengths.push_back(length ? length : 16 * i + 1);
		taps += lengths.back();
	}
	std::vector<double> values(taps), x(n);
	for (size_t i = 0; i < taps; ++i)
		values[i] = sin(0.37 * (double)i);
	for (size_t i = 0; i < n; ++i)
		x[i] = cos(0.11 * (double)i * (double)i);
	std::vector<float> narrow(x.begin(), x.end());
	const void *host = size == 8 ? (const void *)x.data() : narrow.data();
	ws_masks masks = {};
	masks.size = sizeof masks;
	masks.count = count;
	masks.lengths = lengths.data();
	masks.values = values.data();
	masks.type = WS_F64;
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = 1;
	shape.samples = n;
	shape.type = type;
	void *from, *to;
	CUDA(cudaMalloc(&from, n * size));
	CUDA(cudaMemcpy(from, host, n * size, cudaMemcpyHostToDevice));
	if (on_host)
		to = calloc(n * count, size);
	else
		CUDA(cudaMalloc(&to, n * count * size));
	printf("%s %s %8zu x %-4zu of %-5zu", type == WS_F64 ? "f64" : "f32",
	       on_host ? "host  " : "device", n, count, length);
	double best = HUGE_VAL;
	int methods[4];
	for (int m = 1; m <= 4; ++m) {
		const double s = seconds_of(ctx, shape, masks, (ws_conv_method)(m % 4), on_host,
		                            on_host ? (void *)host : from, to, stream, methods);
		printf(" %s %.3f", names[m % 4], 1e3 * s);
		if (m < 4)
			best = std::min(best, s);
		else
			printf(" ms = %.2f (%d %d %d)\n", s / best, methods[1], methods[2],
			       methods[3]);
	}
	CUDA(cudaFree(from));
	if (on_host)
		free(to);
	else
		CUDA(cudaFree(to));
}

static void
compare_all(ws_ctx *ctx, cudaStream_t stream)
{
	static const size_t sizes[][2] = { { 1024, 16 }, { 4096, 32 }, { 10240, 64 },
		{ 32768, 100 }, { 102400, 200 }, { 1024000, 50 } };
	for (int type = 0; type < 2; ++type)
		for (const auto &s : sizes)
			for (int on_host = 0; on_host < 2; ++on_host)
				compare_methods(ctx, type ? WS_F32 : WS_F64, s[0], s[1], 0, on_host,
				                stream);
	for (int type = 0; type < 2; ++type)
		for (size_t n : { (size_t)1024, (size_t)16384, (size_t)102400, (size_t)1024000 })
			for (size_t length : { 17, 65, 129, 257, 513, 1025, 4097, 8193 })
				compare_methods(ctx, type ? WS_F32 : WS_F64, n,
				                n > 500000 ? 20 : 64, length, false, stream);
}

int
main(int argc, char **argv)
{
	ws_ctx_opts c = {};
	setvbuf(stdout, NULL, _IOLBF, 0);
	c.size = sizeof c;
	c.device = "cuda:0";
	ws_ctx *ctx;
	must(ws_ctx_create(&ctx, &c));
	cudaStream_t stream;
	CUDA(cudaStreamCreate(&stream));
	if (argc == 2 && strcmp(argv[1], "methods") == 0) {
		compare_all(ctx, stream);
		ws_ctx_destroy(ctx);
		return 0;
	}
	const double f64 = peak<double>(stream), f32 = peak<float>(stream);
	printf("multiply-adds in registers: f64 %.2f, f32 %.2f per ps\n", f64 * 1e-12, f32 * 1e-12);
	for (int i = 1; i == 1 || i + 1 < argc; i += 2) {
		const size_t n = argc > i + 1 ? strtoull(argv[i], NULL, 10) : 102400;
		const int scales = argc > i + 1 ? atoi(argv[i + 1]) : 200;
		measure<double>(ctx, WS_F64, n, scales, f64, stream);
		measure<float>(ctx, WS_F32, n, scales, f32, stream);
	}
	ws_ctx_destroy(ctx);
	return 0;
}
