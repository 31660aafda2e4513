/*
 * radix.cu - a plain wavelet transform on the chip by block size and by radix: 64 channels of 6 s
 * at 1600 Hz, 30 frequencies from 0.5 to 200 Hz, as the tables of Deng et al. 2012 have it.
 *
 * A block of threads has one channel at one frequency: the spectrum times the wavelet's response,
 * and an inverse transform of 2^14 points in shared memory by passes of radix 2, 4, 8 or 16 (the
 * last pass of what is left), each pass's butterflies in registers.  All samples lie in the
 * device's memory, and so do the coefficients.  Beside it the cuFFT way and the library's own
 * transform, which does it otherwise (docs/decisions/0015-wavelets-on-a-gpu.md).  Every variant is
 * held to a direct sum.
 *
 *     radix
 */
#include <cuda_runtime.h>
#include <cufft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "wavesift/cwt.h"

constexpr int LOG = 14, N = 1 << LOG, SAMPLES = 9600, CHANNELS = 64, SCALES = 30;
constexpr double FS = 1600.0, LOW = 0.5, HIGH = 200.0, PI = 3.14159265358979323846;

static void
must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
	exit(1);
}

__device__ static float2
times(float2 a, float2 b)
{
	return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* e^{2 pi i k / 16} */
__constant__ float2 sixteenth[16];

/* v[k] = sum of v[j] e^{2 pi i j k / R} */
template <int R>
__device__ static void
small(float2 *v)
{
	if constexpr (R > 1) {
		float2 even[R / 2], odd[R / 2];
#pragma unroll
		for (int i = 0; i < R / 2; ++i) {
			const float2 a = v[i], b = v[i + R / 2];
			even[i] = make_float2(a.x + b.x, a.y + b.y);
			odd[i] = times(make_float2(a.x - b.x, a.y - b.y), sixteenth[i * (16 / R)]);
		}
		small<R / 2>(even);
		small<R / 2>(odd);
#pragma unroll
		for (int i = 0; i < R / 2; ++i) {
			v[2 * i] = even[i];
			v[2 * i + 1] = odd[i];
		}
	}
}

/* A pass of radix R over parts of `length` points, in place: result q of a butterfly stays where
 * its q-th number was. */
template <int R, int THREADS>
__device__ static void
pass(float2 *x, int length)
{
	const int step = length / R;
	for (int b = threadIdx.x; b < N / R; b += THREADS) {
		const int j = b % step, first = b / step * length + j;
		float2 v[R], turn, turned = make_float2(1.0f, 0.0f);
#pragma unroll
		for (int q = 0; q < R; ++q)
			v[q] = x[first + q * step];
		small<R>(v);
		sincospif(2.0f * (float)j / (float)length, &turn.y, &turn.x);
#pragma unroll
		for (int q = 0; q < R; ++q) {
			x[first + q * step] = times(v[q], turned);
			turned = times(turned, turn);
		}
	}
	__syncthreads();
}

/* Place of output k: its digits in the order of the passes. */
template <int R>
__device__ static int
place(int k)
{
	int at = 0, length = N;
	while (length > 1) {
		const int r = length < R ? length : R;
		length /= r;
		at += k % r * length;
		k /= r;
	}
	return at;
}

template <int R, int THREADS>
__global__ void __launch_bounds__(THREADS)
transform(const float2 *spectra, float2 *out)
{
	extern __shared__ float2 x[];
	const float2 *spectrum = spectra + (size_t)blockIdx.y * (N / 2 + 1);
	const float f = (float)HIGH * powf((float)(LOW / HIGH), (float)blockIdx.x / (SCALES - 1));
	const float scale = 6.0f * (float)(FS / N) / f;
	for (int k = threadIdx.x; k < N; k += THREADS) {
		const float d = scale * (float)k - 6.0f;
		const float g = k <= N / 2 ? expf(-0.5f * d * d) * 2.0f / N : 0.0f;
		const float2 v = k <= N / 2 ? spectrum[k] : make_float2(0.0f, 0.0f);
		x[k] = make_float2(v.x * g, v.y * g);
	}
	__syncthreads();
	int length = N;
	for (; length >= R; length /= R)
		pass<R, THREADS>(x, length);
	if (R > 2 && length == 2)
		pass<2, THREADS>(x, 2);
	if (R > 4 && length == 4)
		pass<4, THREADS>(x, 4);
	if (R > 8 && length == 8)
		pass<8, THREADS>(x, 8);
	float2 *to = out + ((size_t)blockIdx.y * SCALES + blockIdx.x) * SAMPLES;
	for (int t = threadIdx.x; t < SAMPLES; t += THREADS)
		to[t] = x[place<R>(t)];
}

__global__ void
multiply(const float2 *spectra, float2 *w)
{
	const int k = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
	const float f = (float)HIGH * powf((float)(LOW / HIGH),
	                                   (float)(row % SCALES) / (SCALES - 1));
	const float d = 6.0f * (float)(FS / N) / f * (float)k - 6.0f;
	const float g = k <= N / 2 ? expf(-0.5f * d * d) * 2.0f / N : 0.0f;
	const float2 v = k <= N / 2 ? spectra[(size_t)(row / SCALES) * (N / 2 + 1) + k]
		: make_float2(0.0f, 0.0f);
	w[(size_t)row * N + k] = make_float2(v.x * g, v.y * g);
}

/* ms of the best of some calls. */
template <class F>
static double
time_of(F call)
{
	cudaEvent_t from, to;
	double best = 1e30;
	cudaEventCreate(&from);
	cudaEventCreate(&to);
	for (int i = 0; i < 7; ++i) {
		float ms;
		cudaEventRecord(from);
		call();
		cudaEventRecord(to);
		must(cudaEventSynchronize(to) == cudaSuccess, "timing");
		cudaEventElapsedTime(&ms, from, to);
		best = ms < best ? ms : best;
	}
	return best;
}

/* The largest error of some coefficients by the largest of them. */
static double
error_of(const std::vector<float2> &spectra, const float2 *out)
{
	double worst = 0.0, peak = 0.0;
	for (int i = 0; i < 60; ++i) {
		const int c = i * 7 % CHANNELS, s = i % SCALES, t = i * 1237 % SAMPLES;
		const double f = HIGH * pow(LOW / HIGH, (double)s / (SCALES - 1));
		double re = 0.0, im = 0.0;
		for (int k = 0; k <= N / 2; ++k) {
			const double d = 6.0 * FS / N / f * k - 6.0;
			const double g = exp(-0.5 * d * d) * 2.0 / N;
			const double turn = 2.0 * PI * (double)((long)k * t % N) / N;
			const float2 v = spectra[(size_t)c * (N / 2 + 1) + (size_t)k];
			re += g * (v.x * cos(turn) - v.y * sin(turn));
			im += g * (v.x * sin(turn) + v.y * cos(turn));
		}
		float2 got;
		cudaMemcpy(&got, out + ((size_t)c * SCALES + s) * SAMPLES + t, sizeof got,
		           cudaMemcpyDeviceToHost);
		worst = fmax(worst, hypot(got.x - re, got.y - im));
		peak = fmax(peak, hypot(re, im));
	}
	return worst / peak;
}

template <int R, int THREADS>
static void
race(const std::vector<float2> &spectra, const float2 *there, float2 *out)
{
	const auto kernel = transform<R, THREADS>;
	must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
	                          N * (int)sizeof(float2)) == cudaSuccess, "shared memory");
	cudaMemset(out, 0xff, (size_t)CHANNELS * SCALES * SAMPLES * sizeof *out);
	const double ms = time_of([&] {
		kernel<<<dim3(SCALES, CHANNELS), THREADS, N * sizeof(float2)>>>(there, out);
	});
	const double error = error_of(spectra, out);
	printf("  %8.3f", ms);
	if (!(error < 1e-5))
		printf(" (WRONG by %g)", error);
	fflush(stdout);
}

template <int R>
static void
race_radix(const std::vector<float2> &spectra, const float2 *there, float2 *out)
{
	printf("radix %2d ", R);
	race<R, 64>(spectra, there, out);
	race<R, 128>(spectra, there, out);
	race<R, 256>(spectra, there, out);
	race<R, 512>(spectra, there, out);
	race<R, 1024>(spectra, there, out);
	printf("\n");
}

static void
race_peers(const float2 *there, float2 *out, float2 *wide, const float *x)
{
	int n = N;
	cufftHandle back;
	must(cufftPlanMany(&back, 1, &n, NULL, 1, n, NULL, 1, n, CUFFT_C2C, CHANNELS * SCALES) == 0,
	     "cufft");
	const double peer = time_of([&] {
		multiply<<<dim3(N / 256, CHANNELS * SCALES), 256>>>(there, wide);
		cufftExecC2C(back, wide, wide, CUFFT_INVERSE);
	});
	ws_ctx_opts opts = {};
	opts.size = sizeof opts;
	opts.device = "cuda";
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = CHANNELS;
	shape.samples = SAMPLES;
	shape.fs = FS;
	shape.type = WS_F32;
	ws_cwt_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.freqs.low = LOW;
	o.freqs.high = HIGH;
	o.freqs.count = SCALES;
	ws_ctx *ctx;
	ws_plan *plan;
	must(ws_ctx_create(&ctx, &opts) == WS_OK, "context");
	must(ws_plan_create(&plan, ctx, "cwt", &shape, &o) == WS_OK, "plan");
	std::vector<char> workspace(ws_plan_workspace(plan) + 64);
	ws_buffer buffers[WS_CWT_ARRAYS] = {};
	buffers[WS_CWT_COEFFICIENTS].data = out;
	ws_io io = {};
	io.size = sizeof io;
	io.x = x;
	io.arrays = buffers;
	io.n_arrays = WS_CWT_ARRAYS;
	io.memory = WS_MEMORY_DEVICE;
	const double ours = time_of([&] {
		must(ws_execute(plan, &io, (void *)(((size_t)workspace.data() + 63) / 64 * 64)) ==
		     WS_OK, ws_error_detail());
	});
	printf("cuFFT way (multiply, batched inverse) %.3f ms; wavesift, with its forward "
	       "transform, %.3f ms\n", peer, ours);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	std::vector<float2> spectra((size_t)CHANNELS * (N / 2 + 1));
	float2 *there, *out, *wide, turns[16];
	float *x;
	unsigned h = 1;
	for (float2 &v : spectra) {
		v.x = (float)((h = h * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f;
		v.y = (float)((h = h * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f;
	}
	for (int i = 0; i < 16; ++i)
		turns[i] = make_float2((float)cos(PI * i / 8), (float)sin(PI * i / 8));
	const size_t coefficients = (size_t)CHANNELS * SCALES * SAMPLES;
	must(cudaMemcpyToSymbol(sixteenth, turns, sizeof turns) == cudaSuccess &&
	     cudaMalloc(&there, spectra.size() * sizeof *there) == cudaSuccess &&
	     cudaMalloc(&out, coefficients * sizeof *out) == cudaSuccess &&
	     cudaMalloc(&wide, (size_t)CHANNELS * SCALES * N * sizeof *wide) == cudaSuccess &&
	     cudaMalloc(&x, (size_t)CHANNELS * SAMPLES * sizeof *x) == cudaSuccess, "memory");
	cudaMemcpy(there, spectra.data(), spectra.size() * sizeof *there, cudaMemcpyHostToDevice);
	cudaMemcpy(x, spectra.data(), (size_t)CHANNELS * SAMPLES * sizeof *x,
	           cudaMemcpyHostToDevice);
	printf("ms of %d x %d x %d, threads of a block:\n           %8d  %8d  %8d  %8d  %8d\n",
	       CHANNELS, SAMPLES, SCALES, 64, 128, 256, 512, 1024);
	race_radix<2>(spectra, there, out);
	race_radix<4>(spectra, there, out);
	race_radix<8>(spectra, there, out);
	race_radix<16>(spectra, there, out);
	race_peers(there, out, wide, x);
	return 0;
}
