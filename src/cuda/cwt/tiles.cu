/*
 * tiles.cu - frequencies of one grid, tile by tile (overlap-save).
 *
 * The signal of a class, made by one inverse transform of whole length, has the bands of all its
 * frequencies, a point for `ratio` outputs.  A block takes a tile of it, transforms it forward, and
 * for each frequency multiplies by the response, transforms back, and interpolates.
 *
 * All in double but the interpolation: slow waves 10^4 times as strong as a band reach into every
 * bin of a tile, and must cancel.
 *
 * Fits      Morlet wavelets, which end in time; devices that are fast in double.
 * Launch    128 threads a tile and some frequencies.
 * Memory    reads a tile's points and responses, out of the cache; writes each coefficient once.
 */
#include "cuda/cwt/interpolate.cuh"
#include "cuda/cwt/tiles.cuh"
#include "math/kaiser.h"

/* ---- Tables ------------------------------------------------------------------------------- */

/* hat[scale][TILE]: bin j of a tile whose middle of the band has been moved to bin 0 (ratio 1: has
 * not). */
__global__ void __launch_bounds__(TILE_THREADS)
hat_kernel(const cwt_scale *scales, double *hat, unsigned m, int ratio, int taps, double beta,
           double peak)
{
	const cwt_scale &s = scales[blockIdx.y];
	const int j = (int)(blockIdx.x * TILE_THREADS + threadIdx.x);
	const int x = ((j - (ratio == 1 ? s.tile_bin : 0) + TILE / 2) & (TILE - 1)) - TILE / 2;
	const double k = s.tile_first + (double)(s.tile_bin + x) * ((double)m / TILE);
	wsi_wavelet wavelet = s.wavelet;
	/* The class's signal has no bins below 0: there the response goes on smoothly. */
	if (wavelet.kind == WS_MORLET)
		wavelet.kind = WS_MORLET_FULL;
	double value = s.gain / TILE * wavelet_shape(&wavelet, s.step * k);
	if (ratio > 1) {
		const int most = TILE / 4 + 4, from = x < 0 ? -x : x;
		const size_t q = (size_t)(from < most ? from : most);
		value *= kaiser_flatten(taps, beta, peak, q, TILE);
	}
	hat[(size_t)blockIdx.y * TILE + j] = value;
}

cudaError_t
cwt_tile_response(const cwt_scale *scales, unsigned count, unsigned m, int ratio, int taps,
                  double over, double *hat, cudaStream_t stream)
{
	const double beta = ratio > 1 ? kaiser_beta(taps, over) : 0.0;
	hat_kernel<<<dim3(TILE / TILE_THREADS, count), TILE_THREADS, 0, stream>>>(
		scales, hat, m, ratio, taps, beta, ratio > 1 ? kaiser_i0(beta) : 1.0);
	return cudaGetLastError();
}

/* y[channel][m]: bin k of first .. first + band - 1 at (k - base) mod m, zeros elsewhere. */
template <class X>
__global__ void __launch_bounds__(TILE_THREADS)
band_kernel(const two<X> *spectra, size_t stride, int n, int base, int first, int band, point *y,
            int m)
{
	const int q = (int)(blockIdx.x * TILE_THREADS + threadIdx.x);
	if (q >= m)
		return;
	point v = { 0.0, 0.0 };
	const int k = base + q < first + band ? base + q : base + q - m;
	if (k >= first) {
		const two<X> *x = spectra + blockIdx.y * stride;
		const two<X> a = x[k < 0 ? -k : k > n / 2 ? n - k : k];
		v = { (double)a.x, k < 0 || k > n / 2 ? -(double)a.y : (double)a.y };
	}
	y[(size_t)blockIdx.y * m + q] = v;
}

cudaError_t
cwt_tile_band(const cwt_spectra &spectra, ws_type from, unsigned channels, int base,
              int first, int band, double *y, unsigned m, cudaStream_t stream)
{
	const dim3 grid((m + TILE_THREADS - 1) / TILE_THREADS, channels);
	if (from == WS_F32)
		band_kernel<float><<<grid, TILE_THREADS, 0, stream>>>(
			(const two<float> *)spectra.x, spectra.stride, (int)spectra.n, base, first,
			band, (point *)y, (int)m);
	else
		band_kernel<double><<<grid, TILE_THREADS, 0, stream>>>(
			(const two<double> *)spectra.x, spectra.stride, (int)spectra.n, base, first,
			band, (point *)y, (int)m);
	return cudaGetLastError();
}

/* ---- Tiles -------------------------------------------------------------------------------- */

struct tile_job {
	const point *z;         /* [channel][m] */
	const cwt_scale *scales;
	const double *hat;      /* [scale][TILE] */
	const void *weights;
	unsigned m, turns_n;    /* points; N */
	double by_n;
	unsigned guard, useful; /* points of a tile before those that are kept, and these */
	unsigned count, each;   /* scales, and those of a block */
	cwt_out out;
};

/* Outputs of the points that a block has kept, ratio > 1. */
template <class T, int RATIO, int TAPS, bool COMPLEX>
__device__ __forceinline__ void
put_between(const tile_job &job, const cwt_scale &s, const point (&v)[16], two<T> *u,
            two<T> *turned, unsigned first, const cwt_sink<T> &sink)
{
	using as = interpolation<T, RATIO, TAPS, TILE_THREADS>;
	constexpr unsigned wave = TILE * RATIO;
	const cwt_carrier carrier = { s.turn, (unsigned)s.tile_bin & (TILE - 1), job.turns_n, wave,
		                      job.by_n, 1.0 / wave };
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 16; ++i)
		u[threadIdx.x + 128 * (i / 8) + 256 * (i % 8)] = { (T)v[i].x, (T)v[i].y };
	make_turns<T, RATIO, TAPS, TILE_THREADS>(carrier, turned);
	__syncthreads();
	cwt_sink<T> to = sink;
	const unsigned end = (first + job.useful) * RATIO;
	to.end = end < sink.end ? end : sink.end;
	for (unsigned p = 0; p < job.useful; p += as::BLOCK)
		interpolate<T, RATIO, TAPS, TILE_THREADS, COMPLEX>(
			u + job.guard + p - (TAPS / 2 - 1), turned, (const T *)job.weights, carrier,
			(first + p) * RATIO, (job.guard + p) * RATIO, to);
}

/* The points are the outputs. */
template <class T, bool COMPLEX>
__device__ __forceinline__ void
put_points(const tile_job &job, const point (&v)[16], unsigned first, const cwt_sink<T> &sink)
{
#pragma unroll
	for (int i = 0; i < 16; ++i) {
		const unsigned n = threadIdx.x + 128 * (i / 8) + 256 * (i % 8);
		const unsigned t = first + n - job.guard;
		if (n >= job.guard && n < job.guard + job.useful && t < sink.end)
			store_one<T, COMPLEX>(sink.to, t, two<T>{ (T)v[i].x, (T)v[i].y }, sink.unit,
			                      sink.quantity);
	}
}

template <class T, int RATIO, int TAPS, bool COMPLEX>
__global__ void __launch_bounds__(TILE_THREADS, 3)
tile_kernel(const tile_job job)
{
	extern __shared__ point memory[];
	__shared__ two<T> turned[32];
	/* The room comes first: a window may look past it. */
	point *const room = memory, *const spectrum = memory + TILE_ROOM;
	point *const turns = spectrum + TILE;
	const unsigned first = blockIdx.x * job.useful, channel = blockIdx.y;
	const point *z = job.z + (size_t)channel * job.m;
	const unsigned t = threadIdx.x;
	turns[t] = turn_by<double>((double)t / TILE);
	if (t < 8)
		turns[128 + t] = turn_by<double>((double)t / 128);
	__syncthreads();
	point v[16];
	/* Forward: the transform between two conjugations. */
	const unsigned start = (first % job.m + job.m - job.guard % job.m) % job.m;
#pragma unroll
	for (int i = 0; i < 16; ++i) {
		unsigned at = start + t + 128 * i;
		while (at >= job.m)
			at -= job.m;
		v[i] = z[at];
		v[i].y = -v[i].y;
	}
	block_transform(v, turns, room);
#pragma unroll
	for (int i = 0; i < 16; ++i)
		spectrum[t + 128 * (i / 8) + 256 * (i % 8)] = { v[i].x, -v[i].y };
	__syncthreads();
	const unsigned from = blockIdx.z * job.each;
	const unsigned to = from + job.each < job.count ? from + job.each : job.count;
	for (unsigned k = from; k < to; ++k) {
		const cwt_scale &s = job.scales[k];
		const double *hat = job.hat + (size_t)k * TILE;
		const unsigned moved = RATIO == 1 ? 0 : (unsigned)s.tile_bin;
#pragma unroll
		for (int i = 0; i < 16; ++i) {
			const point x = spectrum[(t + 128 * i + moved) & (TILE - 1)];
			const double h = hat[t + 128 * i];
			v[i] = { x.x * h, x.y * h };
		}
		block_transform(v, turns, room);
		const cwt_row row = { k, channel };
		const cwt_sink<T> sink = { place_of<T>(job.out, row, s),
			                   (T)job.out.heads[channel].scale, job.out.quantity,
			                   job.out.outputs };
		if constexpr (RATIO == 1)
			put_points<T, COMPLEX>(job, v, first, sink);
		else
			put_between<T, RATIO, TAPS, COMPLEX>(job, s, v, (two<T> *)room, turned,
			                                     first, sink);
		__syncthreads();
	}
}

size_t
cwt_tile_shared(void)
{
	return (TILE + TILE_ROOM + TILE_TURNS) * sizeof(point);
}

template <class T, int RATIO, int TAPS, bool COMPLEX>
static cudaError_t
launch(const tile_job &job, dim3 grid, cudaStream_t stream)
{
	const int bytes = (int)cwt_tile_shared();
	const cudaError_t error = cudaFuncSetAttribute(
		tile_kernel<T, RATIO, TAPS, COMPLEX>, cudaFuncAttributeMaxDynamicSharedMemorySize,
		bytes);
	if (error != cudaSuccess)
		return error;
	tile_kernel<T, RATIO, TAPS, COMPLEX><<<grid, TILE_THREADS, bytes, stream>>>(job);
	return cudaGetLastError();
}

template <class T, bool COMPLEX>
static cudaError_t
launch_ratio(const tile_job &job, int ratio, dim3 grid, cudaStream_t stream)
{
	constexpr int FEW = WSI_CWT_FEW_TAPS(8 * sizeof(T));
	switch (ratio) {
	case 1:
		return launch<T, 1, FEW, COMPLEX>(job, grid, stream);
	case 2:
		return launch<T, 2, FEW, COMPLEX>(job, grid, stream);
	default:
		return launch<T, 4, FEW, COMPLEX>(job, grid, stream);
	}
}

cudaError_t
cwt_tiles(const cwt_tile_class &k, unsigned channels, ws_type type, const cwt_out &out,
          cudaStream_t stream)
{
	const unsigned points = (out.outputs + (unsigned)k.ratio - 1) / (unsigned)k.ratio;
	const unsigned useful = TILE - 2 * k.guard;
	const unsigned tiles = (points + useful - 1) / useful;
	/* Enough blocks, each with as many frequencies as leaves so many. */
	unsigned each = k.count;
	while (each > 1 && (size_t)tiles * channels * ((k.count + each - 1) / each) < 1000)
		each = (each + 1) / 2;
	const tile_job job = { (const point *)k.z, k.scales, k.hat, k.weights, k.m, k.n,
		               1.0 / k.n, k.guard, useful, k.count, each, out };
	const dim3 grid(tiles, channels, (k.count + each - 1) / each);
	if (type == WS_F64)
		return out.quantity == WS_COMPLEX
		       ? launch_ratio<double, true>(job, k.ratio, grid, stream)
		       : launch_ratio<double, false>(job, k.ratio, grid, stream);
	return out.quantity == WS_COMPLEX ? launch_ratio<float, true>(job, k.ratio, grid, stream)
	                                  : launch_ratio<float, false>(job, k.ratio, grid, stream);
}
