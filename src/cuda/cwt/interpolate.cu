/*
 * interpolate.cu - coefficients from grids in the device's memory: of all ratios in one launch.
 *
 * Launch    256 threads make some 8192 outputs of a row (f64: 4096).
 * Memory    a grid point is read once from the device's memory, a coefficient is written once.
 */
#include "cuda/cwt/interpolate.cuh"

constexpr int GRID_THREADS = 256;

/* Outputs of a block, whatever the ratio. */
template <class T>
constexpr unsigned OUTPUTS = GRID_THREADS * 16 * (sizeof(T) == 4 ? 2 : 1);

/* What the ratios of a launch have in common. */
template <class T> struct grid_row {
	const two<T> *z;
	const cwt_segment *segment;
	cwt_carrier carrier;
	cwt_sink<T> sink;
	two<T> *turned, *u;     /* shared memory */
};

template <class T, int RATIO, int TAPS, bool COMPLEX>
__device__ __forceinline__ void
between(const grid_row<T> &row)
{
	using as = interpolation<T, RATIO, TAPS, GRID_THREADS>;
	static_assert(as::BLOCK * RATIO == OUTPUTS<T>, "all ratios make as many");
	const unsigned m = row.segment->m, first = blockIdx.x * as::BLOCK;
	const unsigned left = (row.sink.end + RATIO - 1) / RATIO - first;
	const unsigned need = (left < as::BLOCK ? left : as::BLOCK) + TAPS - 1;
	unsigned at = (first + m - (TAPS / 2 - 1) % m + threadIdx.x) % m;
	const unsigned along = GRID_THREADS % m;
	for (unsigned i = threadIdx.x; i < need; i += GRID_THREADS) {
		row.u[i] = row.z[at];
		at += along;
		at = at < m ? at : at - m;
	}
	make_turns<T, RATIO, TAPS, GRID_THREADS>(row.carrier, row.turned);
	__syncthreads();
	interpolate<T, RATIO, TAPS, GRID_THREADS, COMPLEX>(
		row.u, row.turned, (const T *)row.segment->weights, row.carrier, first * RATIO, 0,
		row.sink);
}

/* The points are the outputs. */
template <class T, bool COMPLEX>
__device__ __forceinline__ void
at_points(const grid_row<T> &row)
{
	const unsigned first = blockIdx.x * OUTPUTS<T>;
	for (unsigned i = threadIdx.x; i < OUTPUTS<T> && first + i < row.sink.end;
	     i += GRID_THREADS)
		store_one<T, COMPLEX>(row.sink.to, first + i, row.z[first + i], row.sink.unit,
		                      row.sink.quantity);
}

template <class T, int TAPS, bool COMPLEX>
__device__ __forceinline__ void
by_ratio(const grid_row<T> &row)
{
	switch (row.segment->ratio) {
	case 2:
		return between<T, 2, TAPS, COMPLEX>(row);
	case 4:
		return between<T, 4, TAPS, COMPLEX>(row);
	case 8:
		return between<T, 8, TAPS, COMPLEX>(row);
	case 16:
		return between<T, 16, TAPS, COMPLEX>(row);
	case 32:
		return between<T, 32, TAPS, COMPLEX>(row);
	case 64:
		return between<T, 64, TAPS, COMPLEX>(row);
	default:
		return between<T, 128, TAPS, COMPLEX>(row);
	}
}

template <class T, int TAPS, bool COMPLEX>
__global__ void __launch_bounds__(GRID_THREADS)
grid_kernel(const __grid_constant__ cwt_batch batch, const two<T> *z, const cwt_out out)
{
	extern __shared__ two<double> shared[];
	const cwt_segment &s = segment_of(batch, blockIdx.y);
	const cwt_row row = row_of(batch, s, blockIdx.y);
	const cwt_scale &scale = s.scales[row.scale];
	two<T> *const turned = (two<T> *)shared;
	const grid_row<T> mine = {
		z + s.z + (size_t)(blockIdx.y - s.begin) * s.m, &s,
		{ scale.turn, 0, batch.n, 1, batch.by_n, 0.0 },
		{ place_of<T>(out, row, scale), (T)out.heads[row.channel].scale, out.quantity,
		  out.outputs },
		turned, turned + 16,
	};
	if (s.ratio == 1 && s.room)
		return;
	if (s.ratio == 1)
		at_points<T, COMPLEX>(mine);
	else
		by_ratio<T, TAPS, COMPLEX>(mine);
}

template <class T, int TAPS>
static cudaError_t
launch(const cwt_batch &batch, const void *z, const cwt_out &out, cudaStream_t stream)
{
	const dim3 grid((out.outputs + OUTPUTS<T> - 1) / OUTPUTS<T>, batch.count);
	unsigned points = 0;
	for (int i = 0; i < batch.segments; ++i) {
		const unsigned ratio = (unsigned)batch.segment[i].ratio;
		const unsigned some = ratio > 1 ? OUTPUTS<T> / ratio + TAPS : 0;
		points = some > points ? some : points;
	}
	const size_t bytes = (16 + points) * sizeof(two<T>);
	if (out.quantity == WS_COMPLEX)
		grid_kernel<T, TAPS, true><<<grid, GRID_THREADS, bytes, stream>>>(
			batch, (const two<T> *)z, out);
	else
		grid_kernel<T, TAPS, false><<<grid, GRID_THREADS, bytes, stream>>>(
			batch, (const two<T> *)z, out);
	return cudaGetLastError();
}

cudaError_t
cwt_interpolate(const cwt_batch &batch, const void *z, ws_type type, const cwt_out &out,
                cudaStream_t stream)
{
	return type == WS_F64 ? launch<double, WSI_CWT_FEW_TAPS(64)>(batch, z, out, stream)
	                      : launch<float, WSI_CWT_FEW_TAPS(32)>(batch, z, out, stream);
}
