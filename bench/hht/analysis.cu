/*
 * analysis.cu - Hilbert-Huang analysis of modes in a GPU's memory beside one batched round trip of
 * cuFFT over the same data, double precision, real to complex and back, in the same run:
 *
 *     analysis [CHANNELS MODES SAMPLES]        32 12 102400
 *
 * Prints for each way the median of some executions in ms, and its ratio to the round trip.  An
 * execution is ws_execute(), with its waiting and the numbers that it brings to the host.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <cufft.h>

#include "gpu.h"

enum { RUNS = 9, WARM = 2 };

template <class Work>
static double
median_ms(Work work)
{
	std::vector<double> ms;
	for (int i = 0; i < WARM + RUNS; ++i) {
		CUDA(cudaDeviceSynchronize());
		const double start = now();
		work();
		CUDA(cudaDeviceSynchronize());
		if (i >= WARM)
			ms.push_back(1e3 * (now() - start));
	}
	std::sort(ms.begin(), ms.end());
	return ms[RUNS / 2];
}

/* Modes: mode k of slowly changing amplitude and frequency, an octave below the one before; the
 * first is noise. */
__global__ void
modes_kernel(double *x, unsigned modes, unsigned n)
{
	const unsigned row = blockIdx.y, k = row % modes;
	const unsigned step = gridDim.x * blockDim.x;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		const double t = (double)i, w = 1.6 / (double)(1u << k);
		unsigned hash = i * 2654435761u ^ row * 40503u;
		hash = (hash ^ hash >> 15) * 2246822519u;
		hash ^= hash >> 13;
		const double noise = (double)hash / 4294967296.0 - 0.5;
		x[(size_t)row * n + i] = k == 0 ? noise
			: (1.0 + 0.4 * sin(w * t / 37.0 + row)) *
			  cos(w * t + 2.0 * sin(w * t / 53.0) + row) + 0.001 * noise;
	}
}

struct job {
	size_t channels, modes, n;
	double *x;
};

static double
round_trip(const job &j)
{
	const int n = (int)j.n, batch = (int)(j.channels * j.modes);
	const int bins = n / 2 + 1;
	cufftHandle there, back;
	double *y;
	cufftDoubleComplex *z;
	CUDA(cudaMalloc(&y, sizeof(double) * (size_t)n * batch));
	CUDA(cudaMalloc(&z, sizeof *z * (size_t)bins * batch));
	int length = n;
	need(cufftPlanMany(&there, 1, &length, NULL, 1, n, NULL, 1, bins, CUFFT_D2Z, batch) ==
	     CUFFT_SUCCESS && cufftPlanMany(&back, 1, &length, NULL, 1, bins, NULL, 1, n, CUFFT_Z2D,
	                                    batch) == CUFFT_SUCCESS, "cufftPlanMany");
	const double ms = median_ms([&] {
		need(cufftExecD2Z(there, j.x, z) == CUFFT_SUCCESS &&
		     cufftExecZ2D(back, z, y) == CUFFT_SUCCESS, "cufft");
	});
	cufftDestroy(there);
	cufftDestroy(back);
	cudaFree(y);
	cudaFree(z);
	return ms;
}

/* Bytes of an array of a plan. */
static size_t
bytes_of(const ws_plan *plan, int i, bool *timed)
{
	ws_array a = {};
	a.size = sizeof a;
	need(ws_plan_array(plan, i, &a) == WS_OK, "array");
	size_t bytes = a.type == WS_F64 ? 8 : 4;
	*timed = false;
	for (int k = 0; k < a.rank; ++k) {
		bytes *= a.extent[k];
		*timed = *timed || a.axis[k] == WS_AXIS_TIME;
	}
	return bytes;
}

static double
analyse(const job &j, ws_hht_method method, ws_hht_ends ends, int parts, bool verbose)
{
	ws_ctx_opts co = {};
	co.size = sizeof co;
	co.device = "cuda:0";
	ws_ctx *ctx;
	ws_plan *plan;
	ws_shape shape = {};
	shape.size = sizeof shape;
	shape.channels = j.channels;
	shape.samples = j.n;
	shape.type = WS_F64;
	shape.fs = 1000.0;
	ws_hht_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_HHT;
	o.frequency_method = method;
	o.ends = ends;
	o.parts = parts;
	o.modes_given = (int)j.modes;
	need(ws_ctx_create(&ctx, &co) == WS_OK, "context");
	need(ws_plan_create(&plan, ctx, "hht", &shape, &o) == WS_OK, "plan");
	ws_buffer buffers[WS_HHT_ARRAYS] = {};
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		bool timed;
		const size_t bytes = bytes_of(plan, i, &timed);
		if (bytes && timed)
			CUDA(cudaMalloc(&buffers[i].data, bytes));
		else if (bytes)
			buffers[i].data = calloc(1, bytes);
	}
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	ws_io io = {};
	io.size = sizeof io;
	io.x = j.x;
	io.arrays = buffers;
	io.n_arrays = WS_HHT_ARRAYS;
	io.memory = WS_MEMORY_DEVICE;
	const double ms = median_ms([&] {
		need(ws_execute(plan, &io, workspace) == WS_OK, "execution");
	});
	if (verbose)
		printf("%s  device %.2f GiB\n", ws_plan_describe(plan),
		       (double)ws_plan_device_bytes(plan) / (1 << 30));
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		bool timed;
		const size_t bytes = bytes_of(plan, i, &timed);
		if (bytes && timed)
			cudaFree(buffers[i].data);
		else
			free(buffers[i].data);
	}
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return ms;
}

int
main(int argc, char **argv)
{
	job j = { 32, 12, 102400, NULL };
	if (argc == 4)
		j = { (size_t)atol(argv[1]), (size_t)atol(argv[2]), (size_t)atol(argv[3]), NULL };
	const size_t rows = j.channels * j.modes;
	CUDA(cudaMalloc(&j.x, rows * j.n * sizeof(double)));
	modes_kernel<<<dim3(64, (unsigned)rows), 256>>>(j.x, (unsigned)j.modes, (unsigned)j.n);
	CUDA(cudaDeviceSynchronize());
	const double fft = round_trip(j), bytes = (double)(rows * j.n) * sizeof(double);
	printf("%zu channels of %zu modes of %zu samples, f64\n", j.channels, j.modes, j.n);
	printf("%-44s %8.3f ms  (%.2f reads and writes at 4.2 TB/s)\n", "cuFFT, real, round trip",
	       fft, fft * 4.2e9 / bytes);
	const int spectra = WS_HHT_PART_SPECTRUM | WS_HHT_PART_MARGINAL;
	const struct {
		const char *name;
		ws_hht_method method;
		ws_hht_ends ends;
		int parts;
	} ways[] = {
		{ "hilbert, mirrored ends, spectra", WS_HHT_HILBERT, WS_HHT_ENDS_MIRROR, spectra },
		{ "hilbert, periodic, spectra", WS_HHT_HILBERT, WS_HHT_ENDS_PERIODIC, spectra },
		{ "hilbert, mirrored, and all samples", WS_HHT_HILBERT, WS_HHT_ENDS_MIRROR,
		  spectra | WS_HHT_PART_INSTANTANEOUS },
		{ "nht, spectra", WS_HHT_NHT, WS_HHT_ENDS_MIRROR, spectra },
		{ "quadrature, spectra", WS_HHT_QUADRATURE, WS_HHT_ENDS_MIRROR, spectra },
	};
	for (const auto &w : ways) {
		const double ms = analyse(j, w.method, w.ends, w.parts, &w == ways);
		printf("%-44s %8.3f ms  %5.2f of the round trip\n", w.name, ms, ms / fft);
	}
	const double again = round_trip(j);
	printf("%-44s %8.3f ms\n", "cuFFT again", again);
	cudaFree(j.x);
	return 0;
}
