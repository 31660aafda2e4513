/*
 * interpolate.cu - coefficients from grids in the device's memory: of all ratios in one launch.
 *
 * Fits      segments of the way CWT_INTERPOLATED, and CWT_INVERSE whose ratio is 1.
 * Twin      cwt_interpolate (cpu/cwt/cwt_simd.h), within rounding.
 * Launch    GRID_THREADS (256) make some 7680 outputs of a row (f64: 3840), a third of them of
 *           short rows; over (outputs, rows of the batch).
 * Memory    a grid point is read once from the device's memory into shared memory, a coefficient is
 *           written once.
 */
#include "cuda/cwt/interpolate.cuh"

constexpr int GRID_THREADS = 256;

constexpr int GRID_STEPS = 15, GRID_FEW_STEPS = 5;
constexpr unsigned GRID_MANY = 1 << 18; /* outputs; a batch's rows must not decide over bits */

/* Outputs of a block, whatever the ratio. */
template <class T, int STEPS>
constexpr unsigned OUTPUTS = GRID_THREADS * STEPS * (sizeof(T) == 4 ? 2 : 1);

/* What the ratios of a launch have in common. */
template <class T> struct grid_row {
	const two<T> *z;
	const cwt_segment *segment;
	cwt_carrier carrier;
	cwt_sink<T> sink;
	two<T> *rotated, *u;     /* shared memory */
};

template <class T, int RATIO, int TAPS, int STEPS, bool COMPLEX, bool ROTATED>
__device__ __forceinline__ void
between(const grid_row<T> &row)
{
	using as = interpolation<T, RATIO, TAPS, GRID_THREADS, STEPS>;
	static_assert(as::BLOCK * RATIO == OUTPUTS<T, STEPS>, "all ratios make as many");
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
	if (ROTATED)
		make_rotations<T, RATIO, TAPS, GRID_THREADS, STEPS>(row.carrier, row.rotated);
	__syncthreads();
	interpolate<T, RATIO, TAPS, GRID_THREADS, STEPS, COMPLEX, ROTATED>(
		row.u, row.rotated, (const T *)row.segment->weights, row.carrier, first * RATIO, 0,
		row.sink);
}

/* The points are the outputs. */
template <class T, int STEPS, bool COMPLEX>
__device__ __forceinline__ void
at_points(const grid_row<T> &row)
{
	const unsigned first = blockIdx.x * OUTPUTS<T, STEPS>;
	for (unsigned i = threadIdx.x; i < OUTPUTS<T, STEPS> && first + i < row.sink.end;
	     i += GRID_THREADS)
		store_one<T, COMPLEX>(row.sink.to, first + i, row.z[first + i], row.sink.unit,
		                      row.sink.quantity);
}

template <class T, int TAPS, int STEPS, bool COMPLEX, bool ROTATED>
__device__ __forceinline__ void
by_ratio(const grid_row<T> &row)
{
	switch (row.segment->ratio) {
	case 2:
		return between<T, 2, TAPS, STEPS, COMPLEX, ROTATED>(row);
	case 4:
		return between<T, 4, TAPS, STEPS, COMPLEX, ROTATED>(row);
	case 8:
		return between<T, 8, TAPS, STEPS, COMPLEX, ROTATED>(row);
	case 16:
		return between<T, 16, TAPS, STEPS, COMPLEX, ROTATED>(row);
	case 32:
		return between<T, 32, TAPS, STEPS, COMPLEX, ROTATED>(row);
	case 64:
		return between<T, 64, TAPS, STEPS, COMPLEX, ROTATED>(row);
	default:
		return between<T, 128, TAPS, STEPS, COMPLEX, ROTATED>(row);
	}
}

template <class T, int TAPS, int STEPS, bool COMPLEX, bool ROTATED>
__global__ void __launch_bounds__(GRID_THREADS)
grid_kernel(const __grid_constant__ cwt_batch batch, const two<T> *z, const cwt_out out)
{
	extern __shared__ two<double> shared[];
	const cwt_segment &s = segment_of(batch, blockIdx.y);
	const cwt_row row = row_of(batch, s, blockIdx.y);
	const cwt_scale &scale = s.scales[row.scale];
	two<T> *const rotated = (two<T> *)shared;
	const grid_row<T> mine = {
		z + s.z + (size_t)(blockIdx.y - s.begin) * s.m, &s,
		{ scale.rotation, 0, batch.n, 1, batch.by_n, 0.0 },
		{ place_of<T>(out, row, scale), (T)out.heads[row.channel].scale, out.quantity,
		  out.outputs },
		rotated, rotated + 16,
	};
	if (s.ratio == 1 && s.room)
		return;
	if (s.ratio == 1)
		at_points<T, STEPS, COMPLEX>(mine);
	else
		by_ratio<T, TAPS, STEPS, COMPLEX, ROTATED>(mine);
}

template <class T, int TAPS, int STEPS, bool COMPLEX, bool ROTATED>
static cudaError_t
launch(const cwt_batch &batch, const void *z, const cwt_out &out, cudaStream_t stream)
{
	constexpr unsigned outputs = OUTPUTS<T, STEPS>;
	const dim3 grid((out.outputs + outputs - 1) / outputs, batch.count);
	unsigned points = 0;
	for (int i = 0; i < batch.segments; ++i) {
		const unsigned ratio = (unsigned)batch.segment[i].ratio;
		const unsigned some = ratio > 1 ? outputs / ratio + TAPS : 0;
		points = some > points ? some : points;
	}
	const size_t bytes = (16 + points) * sizeof(two<T>);
	grid_kernel<T, TAPS, STEPS, COMPLEX, ROTATED><<<grid, GRID_THREADS, bytes, stream>>>(
		batch, (const two<T> *)z, out);
	return cudaGetLastError();
}

template <class T, int TAPS, int STEPS>
static cudaError_t
launch(const cwt_batch &batch, const void *z, const cwt_out &out, cudaStream_t stream)
{
	if (out.quantity == WS_QUANTITY_COMPLEX)
		return launch<T, TAPS, STEPS, true, true>(batch, z, out, stream);
	if (out.quantity == WS_QUANTITY_PHASE)
		return launch<T, TAPS, STEPS, false, true>(batch, z, out, stream);
	return launch<T, TAPS, STEPS, false, false>(batch, z, out, stream);
}

template <class T, int TAPS>
static cudaError_t
launch(const cwt_batch &batch, const void *z, const cwt_out &out, cudaStream_t stream)
{
	return out.outputs < GRID_MANY
		? launch<T, TAPS, GRID_FEW_STEPS>(batch, z, out, stream)
		: launch<T, TAPS, GRID_STEPS>(batch, z, out, stream);
}

cudaError_t
cwt_interpolate(const cwt_batch &batch, const void *z, ws_type type, const cwt_out &out,
                cudaStream_t stream)
{
	return type == WS_F64 ? launch<double, WSI_CWT_FEW_TAPS(64)>(batch, z, out, stream)
	                      : launch<float, WSI_CWT_FEW_TAPS(32)>(batch, z, out, stream);
}
