/*
 * gpu.cu - the wavelet transform on a GPU: ps a coefficient from samples in its memory to
 * coefficients in its memory, beside "multiply, then one batched inverse cuFFT" and the bare store,
 * in one run.
 *
 *     gpu [number]     one line a case: ours, cuFFT, store; ours by the goal
 *     gpu link CHANNELS SAMPLES    from pinned memory of the host to pinned memory
 *     gpu recording CHANNELS SAMPLES    all 64 channels of Deng et al., so many at a time, each
 *                                  time to the same pinned memory
 *     gpu octaves                  power of 1 M samples, one channel and eight, all frequencies at
 *                                  every sample and one array an octave, in the GPU's memory
 *     gpu shared DEVICES SAMPLES   64 channels of a run that several GPUs share out, "cuda:0,1",
 *                                  from and to ordinary memory, power
 *     gpu scales SAMPLES           the same for 10 .. 70 frequencies of one channel, beside the
 *                                  cuFFT way with its copies, and one core of the CPU
 *
 * Everything is counted but the plan: forward transform, responses, tables.  Best of several means
 * of some executions behind each other in a stream; repeats write to other memory than the last.
 */
#include <cuda_runtime.h>
#include <cufft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "wavesift/cwt.h"

static void
must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s, %s\n", what, ws_error_detail(),
	        cudaGetErrorString(cudaGetLastError()));
	exit(1);
}

static void
must(cudaError_t error, const char *what)
{
	must(error == cudaSuccess, what);
}

struct kase {
	const char *name;
	size_t channels, samples;
	double fs, low, high;
	size_t count;
	bool linear;
	ws_type type;
	ws_quantity quantity;
	size_t decimate;
	double goal;            /* ps an undecimated coefficient */
};

/* ms of one call, enqueued `calls` times; the best of some rounds. */
template <class F>
static double
time_of(cudaStream_t stream, int calls, F call)
{
	cudaEvent_t from, to;
	double best = 1e30;
	cudaEventCreate(&from);
	cudaEventCreate(&to);
	call(0);
	must(cudaStreamSynchronize(stream), "warming up");
	for (int round = 0; round < 5; ++round) {
		cudaEventRecord(from, stream);
		for (int i = 0; i < calls; ++i)
			call(i);
		cudaEventRecord(to, stream);
		must(cudaEventSynchronize(to), "timing");
		float ms;
		cudaEventElapsedTime(&ms, from, to);
		best = std::min(best, (double)ms / calls);
	}
	cudaEventDestroy(from);
	cudaEventDestroy(to);
	return best;
}

__global__ void
noise(void *x, size_t n, bool f64)
{
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x) {
		unsigned h = (unsigned)i * 2654435761u;
		h ^= h >> 15;
		h *= 2246822519u;
		h ^= h >> 13;
		const double v = (double)h / 4294967296.0 - 0.5;
		if (f64)
			((double *)x)[i] = v;
		else
			((float *)x)[i] = (float)v;
	}
}

__global__ void
store(float4 *to, size_t n)
{
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x)
		__stcs(to + i, make_float4(1.0f, 2.0f, 3.0f, (float)i));
}

/* W[s][k] = X[k] exp(-(s w - 6)^2 / 2) / n, all n bins. */
__global__ void
multiply(const float2 *x, float2 *w, int n, double low, double ratio, double fs)
{
	const int k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= n)
		return;
	const double unit = 6.0 * fs / (6.283185307 * low);
	const float scale = (float)(unit * pow(ratio, -(double)blockIdx.y));
	const float d = scale * (6.2831853f * (float)k / (float)n) - 6.0f;
	const float g = k <= n / 2 ? expf(-0.5f * d * d) * 2.0f / (float)n : 0.0f;
	const float2 v = k <= n / 2 ? x[k] : make_float2(0.0f, 0.0f);
	w[(size_t)blockIdx.y * n + k] = make_float2(v.x * g, v.y * g);
}

/* The usual way: one forward transform, one product, one batched inverse transform; no padding. */
static double
cufft_way(const kase &k, void *x, char *out, size_t room, cudaStream_t stream)
{
	const int n = (int)k.samples;
	const size_t rows = std::min(k.count, room / (k.samples * 8));
	cufftHandle forward, back;
	float2 *spectrum;
	if (k.type != WS_F32 || rows < 1)
		return NAN;
	must(cudaMalloc(&spectrum, (k.samples / 2 + 1) * 8), "memory");
	int size = n;
	must(cufftPlan1d(&forward, n, CUFFT_R2C, 1) == 0 &&
	     cufftPlanMany(&back, 1, &size, NULL, 1, n, NULL, 1, n, CUFFT_C2C, (int)rows) == 0,
	     "cufft");
	cufftSetStream(forward, stream);
	cufftSetStream(back, stream);
	const double ratio = pow(k.high / k.low, 1.0 / (double)std::max<size_t>(k.count - 1, 1));
	const double ms = time_of(stream, 3, [&](int) {
		cufftExecR2C(forward, (float *)x, (cufftComplex *)spectrum);
		multiply<<<dim3((unsigned)(n + 255) / 256, (unsigned)rows), 256, 0, stream>>>(
			spectrum, (float2 *)out, n, k.low, ratio, k.fs);
		cufftExecC2C(back, (cufftComplex *)out, (cufftComplex *)out, CUFFT_INVERSE);
	});
	cufftDestroy(forward);
	cufftDestroy(back);
	cudaFree(spectrum);
	return ms * 1e9 / ((double)rows * (double)k.samples);
}

static void
race(ws_ctx *ctx, const kase &k, char *memory, size_t room, cudaStream_t stream)
{
	const size_t element = k.type == WS_F64 ? 8 : 4;
	const int numbers = k.quantity == WS_QUANTITY_COMPLEX ? 2 : 1;
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = k.channels;
	shape.samples = k.samples;
	shape.fs = k.fs;
	shape.type = k.type;
	ws_cwt_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.freqs.low = k.low;
	o.freqs.high = k.high;
	o.freqs.count = k.count;
	o.freqs.spacing = k.linear ? WS_SPACING_LINEAR : WS_SPACING_LOG;
	o.quantity = k.quantity;
	o.decimate = k.decimate;
	ws_plan *plan;
	must(ws_plan_create(&plan, ctx, "cwt", &shape, &o) == WS_OK, k.name);
	const size_t bytes = k.channels * k.count * ((k.samples + k.decimate - 1) / k.decimate) *
	                     element * numbers;
	void *x;
	must(cudaMalloc(&x, k.channels * k.samples * element), "memory");
	noise<<<1024, 256, 0, stream>>>(x, k.channels * k.samples, k.type == WS_F64);
	must(bytes <= room, "room");
	const int copies = (int)std::min<size_t>(room / bytes, 8);
	const int array = (int)k.quantity - WS_QUANTITY_COMPLEX + WS_CWT_COEFFICIENTS;
	std::vector<char> workspace(ws_plan_workspace(plan) + 64);
	const int calls = (int)std::max<size_t>(2, std::min<size_t>(20, ((size_t)1 << 32) / bytes));
	double host = 0.0;
	const double ours = time_of(stream, calls, [&](int i) {
		const auto from = std::chrono::steady_clock::now();
		ws_buffer buffers[WS_CWT_ARRAYS] = {};
		buffers[array].data = memory + (size_t)(i % copies) * (bytes / 256 * 256);
		ws_io io = {};
		io.size = sizeof io;
		io.x = x;
		io.arrays = buffers;
		io.n_arrays = WS_CWT_ARRAYS;
		io.memory = WS_MEMORY_DEVICE;
		io.cuda_stream = stream;
		must(ws_execute(plan, &io, (void *)(((size_t)workspace.data() + 63) / 64 * 64)) ==
		     WS_OK, k.name);
		const auto to = std::chrono::steady_clock::now();
		host = std::chrono::duration<double>(to - from).count();
	});
	const double bare = time_of(stream, 3, [&](int) {
		store<<<132 * 16, 256, 0, stream>>>((float4 *)memory, bytes / 16);
	});
	const double peer = cufft_way(k, x, memory, room, stream);
	const double each = 1e9 / ((double)k.channels * (double)k.count * (double)k.samples);
	printf("%-34s %6.2f ps; cuFFT %6.2f (%.1f x); store %5.2f (%3.0f %%); goal %.2f: %.2f x; "
	       "%.0f us, host %.0f us\n",
	       k.name, ours * each, peer, peer / (ours * each), bare * each, 100.0 * bare / ours,
	       k.goal, ours * each / k.goal, ours * 1e3, host * 1e6);
	if (getenv("VERBOSE"))
		fputs(ws_plan_describe(plan), stdout);
	fflush(stdout);
	cudaFree(x);
	ws_plan_destroy(plan);
}

/* The recording of Deng et al. 2012 has 64 channels of 5.76 M samples at 1600 Hz: so much of it. */
static ws_shape
published_shape(size_t channels, size_t samples)
{
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = channels;
	shape.samples = samples;
	shape.fs = 1600.0;
	shape.type = WS_F32;
	return shape;
}

/* Its 70 frequencies. */
static ws_cwt_opts
published_scales()
{
	ws_cwt_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.freqs.low = 0.5;
	o.freqs.high = 200.0;
	o.freqs.count = 70;
	return o;
}

/* From pinned memory of the host to pinned memory: the published recording, of which so much as is
 * asked for; beside a bare copy of as many bytes, and power sampled by 16. */
static void
race_link(ws_ctx *ctx, size_t channels, size_t samples, cudaStream_t stream)
{
	const size_t bytes = channels * samples * 70 * 8;
	float *x;
	char *out, *there;
	must(cudaMallocHost(&x, channels * samples * sizeof *x), "pinned memory");
	must(cudaMallocHost(&out, bytes), "pinned memory");
	must(cudaMalloc(&there, bytes / 4), "memory");
	for (size_t i = 0; i < channels * samples; ++i)
		x[i] = (float)(i * 2654435761u % 1000003) / 1000003.0f;
	const double link = 4.0 * time_of(stream, 1, [&](int) {
		cudaMemcpyAsync(out, there, bytes / 4, cudaMemcpyDeviceToHost, stream);
	});
	cudaFree(there);
	for (size_t decimate = 1; decimate <= 16; decimate *= 16) {
		const ws_shape shape = published_shape(channels, samples);
		ws_cwt_opts o = published_scales();
		o.decimate = decimate;
		o.quantity = decimate > 1 ? WS_QUANTITY_POWER : WS_QUANTITY_COMPLEX;
		ws_plan *plan;
		must(ws_plan_create(&plan, ctx, "cwt", &shape, &o) == WS_OK, "plan");
		std::vector<char> workspace(ws_plan_workspace(plan) + 64);
		ws_buffer buffers[WS_CWT_ARRAYS] = {};
		buffers[decimate > 1 ? WS_CWT_POWER : WS_CWT_COEFFICIENTS].data = out;
		ws_io io = {};
		io.size = sizeof io;
		io.x = x;
		io.arrays = buffers;
		io.n_arrays = WS_CWT_ARRAYS;
		double best = 1e30;
		for (int round = 0; round < 3; ++round) {
			const auto from = std::chrono::steady_clock::now();
			must(ws_execute(plan, &io, (void *)(((size_t)workspace.data() + 63) / 64 *
			                                    64)) == WS_OK, "execution");
			best = std::min(best, std::chrono::duration<double>(
				std::chrono::steady_clock::now() - from).count());
		}
		const double sent = link * 1e-3 / (decimate > 1 ? 32.0 : 1.0);
		printf("pinned %zu x %zu x 70, %s: %.4f s, its bytes on the link %.4f s: %.2f x; "
		       "64 x 5.76 M at this rate %.3f s\n", channels, samples, decimate > 1
		       ? "power by 16" : "complex", best, sent, best / sent,
		       best * 64.0 * 5.76e6 / (double)(channels * samples));
		fflush(stdout);
		ws_plan_destroy(plan);
	}
	cudaFreeHost(x);
	cudaFreeHost(out);
}

/* Frequencies of the recording of Deng et al. */
static ws_plan *
deng_plan(ws_ctx *ctx, size_t samples, size_t count, size_t channels = 1, size_t decimate = 1)
{
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = channels;
	shape.samples = samples;
	shape.fs = 1600.0;
	shape.type = WS_F32;
	ws_cwt_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.freqs.low = 0.5;
	o.freqs.high = 200.0;
	o.freqs.count = count;
	o.decimate = decimate;
	o.quantity = decimate > 1 ? WS_QUANTITY_POWER : WS_QUANTITY_COMPLEX;
	ws_plan *plan;
	must(ws_plan_create(&plan, ctx, "cwt", &shape, &o) == WS_OK, "plan");
	return plan;
}

/* Seconds of the best of some executions between arrays in the host's memory. */
static double
seconds_of(ws_plan *plan, const float *x, char *out, int rounds)
{
	std::vector<char> workspace(ws_plan_workspace(plan) + 64);
	ws_buffer buffers[WS_CWT_ARRAYS] = {};
	buffers[WS_CWT_COEFFICIENTS].data = buffers[WS_CWT_POWER].data = out;
	ws_io io = {};
	io.size = sizeof io;
	io.x = x;
	io.arrays = buffers;
	io.n_arrays = WS_CWT_ARRAYS;
	double best = 1e30;
	for (int round = 0; round < rounds; ++round) {
		const auto from = std::chrono::steady_clock::now();
		must(ws_execute(plan, &io, (void *)(((size_t)workspace.data() + 63) / 64 * 64)) ==
		     WS_OK, "execution");
		best = std::min(best, std::chrono::duration<double>(
			std::chrono::steady_clock::now() - from).count());
	}
	return best;
}

/* All 64 channels, `channels` at a time, once, at 10 to 70 scales. */
static void
race_recording(ws_ctx *ctx, size_t channels, size_t samples)
{
	enum { LEAST = 10, MOST = 70, STEP = 10 };
	const size_t row = samples * MOST * 8;
	float *x;
	char *out;
	must(cudaMallocHost(&x, 64 * samples * sizeof *x), "pinned memory");
	must(cudaMallocHost(&out, channels * row), "pinned memory");
	for (size_t i = 0; i < 64 * samples; ++i)
		x[i] = (float)(i * 2654435761u % 1000003) / 1000003.0f;
	for (size_t decimate = 1; decimate <= 16; decimate *= 16)
		for (size_t scales = LEAST; scales <= MOST; scales += STEP) {
			ws_plan *plan = deng_plan(ctx, samples, scales, channels, decimate);
			double all = 0.0;
			seconds_of(plan, x, out, 1);
			for (size_t c = 0; c + channels <= 64; c += channels)
				all += seconds_of(plan, x + c * samples, out, 1);
			printf("64 x %zu x %zu, %zu channels at a time, %s: %.3f s\n", samples, scales,
			       channels, decimate > 1 ? "power by 16" : "complex", all);
			fflush(stdout);
			ws_plan_destroy(plan);
		}
	cudaFreeHost(x);
	cudaFreeHost(out);
}

static ws_status
read_noise(void *user, size_t channel, void *x)
{
	const size_t samples = *(const size_t *)user;
	for (size_t i = 0; i < samples; ++i)
		((float *)x)[i] = (float)((i + channel) * 2654435761u % 1000003) / 1000003.0f;
	return WS_OK;
}

static ws_status
write_nothing(void *, const ws_channel_result *)
{
	return WS_OK;
}

/* GPUs that share the channels: seconds of work, without reading and writing beside it. */
static void
race_shared(const char *devices, size_t samples)
{
	ws_ctx_opts opts = {};
	opts.size = sizeof opts;
	opts.device = devices;
	const ws_shape shape = published_shape(64, samples);
	ws_cwt_opts o = published_scales();
	o.quantity = WS_QUANTITY_POWER;
	ws_ctx *ctx;
	ws_run *run;
	must(ws_ctx_create(&ctx, &opts) == WS_OK, "context");
	must(ws_run_create(&run, ctx, "cwt", &shape, &o, (size_t)24 << 30) == WS_OK, "run");
	ws_stream stream = {};
	stream.size = sizeof stream;
	stream.read = read_noise;
	stream.write = write_nothing;
	stream.user = &samples;
	double worked = 1e30;
	for (int round = 0; round < 3; ++round) {
		must(ws_run_execute(run, &stream) == WS_OK, "execution");
		worked = std::min(worked, ws_run_worked(run));
	}
	printf("64 x %zu x 70, power, on %s: %.3f s of work\n", samples, ws_run_device(run),
	       worked);
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
}

/* Power of some channels: all frequencies at every sample, and one array an octave. */
static void
race_octaves(ws_ctx *ctx, size_t channels, char *memory, cudaStream_t stream)
{
	double ms[2];
	float *x;
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = channels;
	shape.samples = 1 << 20;
	shape.fs = 1024.0;
	shape.type = WS_F32;
	must(cudaMalloc(&x, channels * shape.samples * sizeof *x), "memory");
	noise<<<1024, 256>>>(x, channels * shape.samples, false);
	for (int octaves = 0; octaves < 2; ++octaves) {
		ws_cwt_opts o = {};
		o.size = sizeof o;
		o.tag = WS_TAG_CWT;
		o.freqs.low = 1.0;
		o.freqs.high = 400.0;
		o.quantity = WS_QUANTITY_POWER;
		o.octave_arrays = octaves;
		ws_plan *plan;
		must(ws_plan_create(&plan, ctx, "cwt", &shape, &o) == WS_OK, "plan");
		std::vector<char> workspace(ws_plan_workspace(plan) + 64);
		std::vector<ws_buffer> buffers((size_t)ws_plan_arrays(plan));
		char *at = memory;
		for (int i = 0; i < ws_plan_arrays(plan); ++i) {
			ws_array a = {};
			a.size = sizeof a;
			ws_plan_array(plan, i, &a);
			buffers[(size_t)i] = {};
			if (a.rank < 3 || !a.extent[1])
				continue;
			buffers[(size_t)i].data = at;
			at += (channels * a.extent[1] * a.extent[2] * 4 + 255) / 256 * 256;
		}
		ws_io io = {};
		io.size = sizeof io;
		io.x = x;
		io.arrays = buffers.data();
		io.n_arrays = (int)buffers.size();
		io.memory = WS_MEMORY_DEVICE;
		io.cuda_stream = stream;
		ms[octaves] = time_of(stream, 10, [&](int) {
			must(ws_execute(plan, &io, (void *)(((size_t)workspace.data() + 63) / 64 *
			                                    64)) == WS_OK, "execution");
		});
		ws_plan_destroy(plan);
	}
	printf("power of %zu x 1 M samples, 1 to 400 Hz, 10 an octave: at every sample %.3f ms, "
	       "one array an octave %.3f ms: %.1f times\n", channels, ms[0], ms[1],
	       ms[0] / ms[1]);
	cudaFree(x);
}

/* The usual way with its copies: samples in, transforms, all coefficients out. */
static double
cufft_with_copies(const float *x, char *out, char *there, size_t samples, size_t count,
                  cudaStream_t stream)
{
	int n = (int)samples;
	cufftHandle forward, back;
	float2 *spectrum;
	must(cudaMalloc(&spectrum, (samples / 2 + 1) * 8), "memory");
	must(cufftPlan1d(&forward, n, CUFFT_R2C, 1) == 0 &&
	     cufftPlanMany(&back, 1, &n, NULL, 1, n, NULL, 1, n, CUFFT_C2C, (int)count) == 0,
	     "cufft");
	cufftSetStream(forward, stream);
	cufftSetStream(back, stream);
	const double ratio = pow(400.0, 1.0 / (double)(count - 1));
	const double ms = time_of(stream, 1, [&](int) {
		cudaMemcpyAsync(there, x, samples * 4, cudaMemcpyHostToDevice, stream);
		cufftExecR2C(forward, (float *)there, (cufftComplex *)spectrum);
		multiply<<<dim3((unsigned)(n + 255) / 256, (unsigned)count), 256, 0, stream>>>(
			spectrum, (float2 *)there, n, 0.5, ratio, 1600.0);
		cufftExecC2C(back, (cufftComplex *)there, (cufftComplex *)there, CUFFT_INVERSE);
		cudaMemcpyAsync(out, there, samples * count * 8, cudaMemcpyDeviceToHost, stream);
	});
	cufftDestroy(forward);
	cufftDestroy(back);
	cudaFree(spectrum);
	return ms * 1e-3;
}

static void
race_scales(ws_ctx *ctx, size_t samples, cudaStream_t stream)
{
	ws_ctx_opts opts = {};
	opts.size = sizeof opts;
	opts.device = "cpu";
	opts.threads = 1;
	ws_ctx *cpu;
	float *x;
	char *out, *there;
	must(ws_ctx_create(&cpu, &opts) == WS_OK, "context");
	must(cudaMallocHost(&x, samples * sizeof *x), "pinned memory");
	must(cudaMallocHost(&out, samples * 70 * 8), "pinned memory");
	must(cudaMalloc(&there, samples * 70 * 8), "memory");
	for (size_t i = 0; i < samples; ++i)
		x[i] = (float)(i * 2654435761u % 1000003) / 1000003.0f;
	for (size_t count = 10; count <= 70; count += 10) {
		ws_plan *ours = deng_plan(ctx, samples, count);
		ws_plan *core = deng_plan(cpu, samples, count);
		const double one = seconds_of(core, x, out, 1);
		const double peer = cufft_with_copies(x, out, there, samples, count, stream);
		const double mine = seconds_of(ours, x, out, 3);
		printf("1 x %zu x %zu: one core %.3f s, cuFFT way %.4f s, ours %.4f s\n", samples,
		       count, one, peer, mine);
		fflush(stdout);
		ws_plan_destroy(ours);
		ws_plan_destroy(core);
	}
	cudaFree(there);
	cudaFreeHost(x);
	cudaFreeHost(out);
	ws_ctx_destroy(cpu);
}

int
main(int argc, char **argv)
{
	const size_t M = 1 << 20;
	const kase cases[] = {
		{ "narrow, N 1 M, 64", 1, M, 1024, 1, 12, 64, false, WS_F32, WS_QUANTITY_COMPLEX, 1,
			2.2 },
		{ "narrow, N 131072, 512", 1, 131072, 1024, 4, 12, 512, false, WS_F32,
			WS_QUANTITY_COMPLEX,
		  1, 2.2 },
		{ "narrow, N 4 M, 64", 1, 4 * M, 1024, 1, 12, 64, false, WS_F32,
			WS_QUANTITY_COMPLEX, 1,
		  2.2 },
		{ "EEG grid, 1 M x 100", 1, M, 1024, 1, 100, 100, false, WS_F32,
			WS_QUANTITY_COMPLEX, 1,
		  2.6 },
		{ "full band, 1 M x 100 log", 1, M, 1, 0.0045, 0.45, 100, false, WS_F32,
			WS_QUANTITY_COMPLEX,
		  1, 3.0 },
		{ "full band, 1 M x 100 linear", 1, M, 1, 0.0045, 0.45, 100, true, WS_F32,
		  WS_QUANTITY_COMPLEX, 1, 3.0 },
		{ "32 x 30504 x 60", 32, 30504, 250, 1, 60, 60, false, WS_F32, WS_QUANTITY_COMPLEX,
			1, 3.0 },
		{ "power by 16, EEG grid", 1, M, 1024, 1, 100, 100, false, WS_F32,
			WS_QUANTITY_POWER, 16,
		  0.6 },
		{ "power by 16, full band", 1, M, 1, 0.0045, 0.45, 100, false, WS_F32,
			WS_QUANTITY_POWER, 16,
		  0.6 },
		{ "power by 16, 8 x EEG grid", 8, M, 1024, 1, 100, 100, false, WS_F32,
			WS_QUANTITY_POWER, 16,
		  0.6 },
		{ "f64 EEG grid, 1 M x 100", 1, M, 1024, 1, 100, 100, false, WS_F64,
			WS_QUANTITY_COMPLEX, 1,
		  7.8 },
		{ "f64 full band, 1 M x 100 log", 1, M, 1, 0.0045, 0.45, 100, false, WS_F64,
		  WS_QUANTITY_COMPLEX, 1, 9.0 },
	};
	ws_ctx_opts opts = {};
	opts.size = sizeof opts;
	opts.device = "cuda";
	ws_ctx *ctx;
	must(ws_ctx_create(&ctx, &opts) == WS_OK, "context");
	/* Memory of executions stays with the process between them. */
	cudaMemPool_t pool;
	unsigned long long keep = ~0ull;
	must(cudaSetDevice(0), "device");
	must(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
	cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
	cudaStream_t stream;
	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
	if (argc > 3 && strcmp(argv[1], "link") == 0) {
		race_link(ctx, (size_t)atol(argv[2]), (size_t)atol(argv[3]), stream);
		return 0;
	}
	if (argc > 3 && strcmp(argv[1], "recording") == 0) {
		race_recording(ctx, (size_t)atol(argv[2]), (size_t)atol(argv[3]));
		return 0;
	}
	if (argc > 3 && strcmp(argv[1], "shared") == 0) {
		race_shared(argv[2], (size_t)atol(argv[3]));
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "scales") == 0) {
		race_scales(ctx, (size_t)atol(argv[2]), stream);
		return 0;
	}
	const size_t room = (size_t)4 << 30;
	char *memory;
	must(cudaMalloc(&memory, room), "memory");
	if (argc > 1 && strcmp(argv[1], "octaves") == 0) {
		race_octaves(ctx, 1, memory, stream);
		race_octaves(ctx, 8, memory, stream);
		return 0;
	}
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
		if (argc < 2 || (size_t)atoi(argv[1]) == i)
			race(ctx, cases[i], memory, room, stream);
	ws_ctx_destroy(ctx);
	return 0;
}
