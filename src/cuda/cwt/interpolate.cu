/*
 * interpolate.cu - outputs between the points of a grid, by a window, and the band's carrier.
 *
 * Fits      any grid in the device's memory.
 * Twin      cwt_interpolate (cpu/cwt_simd.h).
 * Launch    256 threads make some 8192 outputs of a row.  A thread keeps the weights of EACH
 *           neighbouring outputs of a grid point, and goes along the grid with a window of its
 *           points; at least 8 lanes store 128 bytes or more that lie together.
 * Memory    a grid point is read once from the device's memory, a coefficient is written once.
 */
#include "cuda/cwt/store.cuh"

template <class T, int RATIO, int TAPS> struct interpolation {
	static constexpr int THREADS = 256, STEPS = 16;
	static constexpr int EACH = sizeof(T) == 4 ? 2 : 1; /* outputs of a thread a step */
	static constexpr int LANES = RATIO / EACH;          /* of a grid point */
	static constexpr int GROUP = LANES < 8 ? 8 : LANES; /* lanes whose outputs lie together */
	static constexpr int POINTS = GROUP / LANES;        /* of a group, a step */
	static constexpr int BLOCK = THREADS / GROUP * POINTS * STEPS; /* points of a block */
};

template <class T, bool COMPLEX>
__device__ __forceinline__ void
store_one(T *to, unsigned t, two<T> v, T unit, ws_quantity quantity)
{
	if (COMPLEX)
		stream((two<T> *)to + t, two<T>{ v.x * unit, v.y * unit });
	else
		stream(to + t, quantity_of(quantity, v, unit));
}

/* Outputs t and t + 1, t even; aligned: the row is, to the pair. */
template <bool COMPLEX>
__device__ __forceinline__ void
store_pair(float *to, unsigned t, two<float> a, two<float> b, float unit, ws_quantity quantity)
{
	if (COMPLEX)
		__stcs((float4 *)(to + 2 * (size_t)t),
		       make_float4(a.x * unit, a.y * unit, b.x * unit, b.y * unit));
	else
		__stcs((float2 *)(to + t), make_float2(quantity_of(quantity, a, unit),
		                                       quantity_of(quantity, b, unit)));
}

template <class T, int RATIO, int TAPS, bool COMPLEX>
__global__ void __launch_bounds__(256)
interpolate_kernel(const cwt_rows rows, const two<T> *grids, unsigned m, unsigned turns,
                   double share, const T *weights, const cwt_out out)
{
	using as = interpolation<T, RATIO, TAPS>;
	__shared__ two<T> u[as::BLOCK + TAPS];
	__shared__ two<T> turned[as::STEPS];
	const cwt_row row = row_of(rows, blockIdx.y);
	const cwt_scale &scale = rows.scales[row.scale];
	const unsigned long long turn = scale.turn;
	const unsigned first = blockIdx.x * as::BLOCK;
	{
		const two<T> *z = grids + (size_t)blockIdx.y * m;
		const unsigned left = (out.outputs + RATIO - 1) / RATIO - first;
		const unsigned need = (left < as::BLOCK ? left : as::BLOCK) + TAPS - 1;
		unsigned at = (first + m - (TAPS / 2 - 1) % m + threadIdx.x) % m;
		const unsigned along = as::THREADS % m;
		for (unsigned i = threadIdx.x; i < need; i += as::THREADS) {
			u[i] = z[at];
			at += along;
			at = at < m ? at : at - m;
		}
		if (threadIdx.x < as::STEPS)
			turned[threadIdx.x] = turn_of<T>(
				turn * (RATIO * as::POINTS * threadIdx.x) % turns, share);
	}
	__syncthreads();
	const unsigned group = threadIdx.x / as::GROUP, lane = threadIdx.x % as::GROUP;
	const unsigned phase = lane % as::LANES * as::EACH;
	const unsigned point = group * (as::POINTS * as::STEPS) + lane / as::LANES;
	unsigned t = (first + point) * RATIO + phase;
	if (t >= out.outputs)
		return;
	T w[as::EACH][TAPS];
	two<T> carrier[as::EACH];
	for (int e = 0; e < as::EACH; ++e) {
		for (int j = 0; j < TAPS; ++j)
			w[e][j] = weights[(phase + e) * TAPS + j];
		carrier[e] = turn_of<T>(turn * (t + e) % turns, share);
	}
	T *const to = place_of<T>(out, row, scale);
	const T unit = (T)out.heads[row.channel].scale;
	const bool aligned = (size_t)to % (as::EACH * (COMPLEX ? 2 : 1) * sizeof(T)) == 0;
	two<T> v[TAPS];
#pragma unroll
	for (int j = 0; j < TAPS; ++j)
		v[j] = u[point + j];
#pragma unroll
	for (int step = 0; step < as::STEPS; ++step) {
		if (step > 0) {
			constexpr int by = as::POINTS < TAPS ? as::POINTS : TAPS;
#pragma unroll
			for (int j = 0; j < TAPS - by; ++j)
				v[j] = v[j + by];
#pragma unroll
			for (int j = TAPS - by; j < TAPS; ++j)
				v[j] = u[point + step * as::POINTS + j];
		}
		two<T> z[as::EACH];
#pragma unroll
		for (int e = 0; e < as::EACH; ++e) {
			two<T> sum = { v[0].x * w[e][0], v[0].y * w[e][0] };
#pragma unroll
			for (int j = 1; j < TAPS; ++j)
				sum = { fma(v[j].x, w[e][j], sum.x), fma(v[j].y, w[e][j], sum.y) };
			z[e] = times(sum, times(carrier[e], turned[step]));
		}
		if (t >= out.outputs)
			return;
		if constexpr (as::EACH == 2) {
			if (aligned && t + 1 < out.outputs) {
				store_pair<COMPLEX>(to, t, z[0], z[1], unit, out.quantity);
			} else {
				store_one<T, COMPLEX>(to, t, z[0], unit, out.quantity);
				if (t + 1 < out.outputs)
					store_one<T, COMPLEX>(to, t + 1, z[1], unit, out.quantity);
			}
		} else {
			store_one<T, COMPLEX>(to, t, z[0], unit, out.quantity);
		}
		t += RATIO * as::POINTS;
	}
}

template <class T, int RATIO, int TAPS>
static cudaError_t
launch(const cwt_rows &rows, const void *z, const cwt_grid &grid, const cwt_out &out,
       cudaStream_t stream)
{
	using as = interpolation<T, RATIO, TAPS>;
	const unsigned points = (out.outputs + RATIO - 1) / RATIO;
	const dim3 blocks((points + as::BLOCK - 1) / as::BLOCK, rows.count);
	const double share = 1.0 / grid.turns;
	if (out.quantity == WS_COMPLEX)
		interpolate_kernel<T, RATIO, TAPS, true><<<blocks, as::THREADS, 0, stream>>>(
			rows, (const two<T> *)z, grid.m, grid.turns, share, (const T *)grid.weights,
			out);
	else
		interpolate_kernel<T, RATIO, TAPS, false><<<blocks, as::THREADS, 0, stream>>>(
			rows, (const two<T> *)z, grid.m, grid.turns, share, (const T *)grid.weights,
			out);
	return cudaGetLastError();
}

template <class T, int TAPS>
static cudaError_t
launch_ratio(const cwt_rows &rows, const void *z, const cwt_grid &grid, const cwt_out &out,
             cudaStream_t stream)
{
	switch (grid.ratio) {
	case 2:
		return launch<T, 2, TAPS>(rows, z, grid, out, stream);
	case 4:
		return launch<T, 4, TAPS>(rows, z, grid, out, stream);
	case 8:
		return launch<T, 8, TAPS>(rows, z, grid, out, stream);
	case 16:
		return launch<T, 16, TAPS>(rows, z, grid, out, stream);
	default:
		return launch<T, 32, TAPS>(rows, z, grid, out, stream);
	}
}

cudaError_t
cwt_interpolate(const cwt_rows &rows, const void *z, const cwt_grid &grid, ws_type type,
                const cwt_out &out, cudaStream_t stream)
{
	if (type == WS_F64)
		return grid.taps == WSI_CWT_FEW_TAPS(64)
		       ? launch_ratio<double, WSI_CWT_FEW_TAPS(64)>(rows, z, grid, out, stream)
		       : launch_ratio<double, WSI_CWT_MANY_TAPS(64)>(rows, z, grid, out, stream);
	return grid.taps == WSI_CWT_FEW_TAPS(32)
	       ? launch_ratio<float, WSI_CWT_FEW_TAPS(32)>(rows, z, grid, out, stream)
	       : launch_ratio<float, WSI_CWT_MANY_TAPS(32)>(rows, z, grid, out, stream);
}
