/*
 * products.cuh - outputs between points in shared memory by tensor cores, in single precision.
 *
 * What a window makes of its points is a product of matrices: a row for each point, a column for
 * each of its outputs, and the sum goes over the taps.  The carrier is in the weights, which are
 * complex: points are those of the band where it lies, not moved to bin 0.
 *
 * Tensor cores take factors of 11 bits.  Each number is split into two of these, and of the four
 * products the least is left out: 2^-22 of the whole.
 */
#ifndef WSI_CUDA_CWT_PRODUCTS_CUH
#define WSI_CUDA_CWT_PRODUCTS_CUH

#include "cuda/cwt/sink.cuh"

/* Do tensor cores make outputs of the type? */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
template <class T> constexpr bool by_products = sizeof(T) == 4;
#else
template <class T> constexpr bool by_products = false;
#endif

/* Rows of 8 outputs or more: of one point, or of some neighbours. */
template <int RATIO> struct window_matrix {
	static constexpr int TAPS = WSI_CWT_FEW_TAPS(32);
	static constexpr int POINTS = RATIO < 8 ? 8 / RATIO : 1;      /* of a row */
	static constexpr int OUTPUTS = POINTS * RATIO;                /* of a row */
	static constexpr int PARTS = OUTPUTS / 8;                     /* columns, by 8 */
	static constexpr int SUMS = (TAPS + POINTS - 1 + 7) / 8;      /* terms, by 8 */
	static constexpr int ROWS = 16;                               /* of a product */
};

/* A number as two of 11 bits. */
struct split_number {
	unsigned high, low;
};

__device__ __forceinline__ split_number
split(float x)
{
	const unsigned high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
	return { high, __float_as_uint(x - __uint_as_float(high)) };
}

/* What a lane has of 16 x 8 factors, and of 8 x 8. */
struct row_factors {
	unsigned high[4], low[4];
};
struct column_factors {
	unsigned high[2], low[2];
};

__device__ __forceinline__ void
multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
	asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* What is small comes first: sums are cut off, not rounded. */
__device__ __forceinline__ void
add_small(float (&sum)[4], const row_factors &a, const column_factors &b)
{
	multiply_add(sum, a.low, b.high);
	multiply_add(sum, a.high, b.low);
}

/* Of 8 columns and 8 terms: weights, rotated. */
struct window_part {
	column_factors x, y, minus_y;
};

/* Output u of a row, and tap j, counted from the first of the row's first point.  step: the
 * carrier's, from output to output, in 2^-64 turns. */
template <int RATIO>
__device__ __forceinline__ two<float>
rotated_weight(const float *weights, unsigned long long step, float unit, int u, int j)
{
	using as = window_matrix<RATIO>;
	const int of_point = j - u / RATIO;
	const float w = of_point < 0 || of_point >= as::TAPS ? 0.0f
		: weights[u % RATIO * as::TAPS + of_point] * unit;
	const long long far = u - (long long)(j - (as::TAPS / 2 - 1)) * RATIO;
	const two<float> phasor = phasor_of<float>(step * (unsigned long long)far);
	return { w * phasor.x, w * phasor.y };
}

template <int RATIO>
__device__ __forceinline__ void
make_window(window_part (&to)[window_matrix<RATIO>::PARTS][window_matrix<RATIO>::SUMS],
            const float *weights, unsigned long long step, float unit, int lane)
{
	using as = window_matrix<RATIO>;
#pragma unroll
	for (int i = 0; i < as::PARTS * as::SUMS * 2; ++i) {
		const int half = i % 2, sum = i / 2 % as::SUMS, part = i / 2 / as::SUMS;
		const two<float> w = rotated_weight<RATIO>(weights, step, unit, 8 * part + lane / 4,
		                                           8 * sum + 4 * half + lane % 4);
		const split_number x = split(w.x), y = split(w.y);
		window_part &p = to[part][sum];
		p.x.high[half] = x.high, p.x.low[half] = x.low;
		p.y.high[half] = y.high, p.y.low[half] = y.low;
		p.minus_y.high[half] = y.high ^ 1u << 31, p.minus_y.low[half] = y.low ^ 1u << 31;
	}
}

/* Stores two outputs; not WHOLE: only the first `left` of them. */
template <bool COMPLEX, bool WHOLE>
__device__ __forceinline__ void
store_some(float *to, two<float> a, two<float> b, int left, const tile_sink<float> &sink)
{
	if constexpr (WHOLE) {
		store_outputs<COMPLEX>(to, a, b, sink.unit, sink.quantity);
		return;
	}
	if (left >= 1)
		store_output<float, COMPLEX>(to, a, sink.unit, sink.quantity);
	if (left >= 2)
		store_output<float, COMPLEX>(to + (COMPLEX ? 2 : 1), b, sink.unit, sink.quantity);
}

/* Two parts' outputs of 8 rows, own[part]: a lane's of its row.  Neighbouring rows' lanes exchange
 * them, so that 8 lanes together store 128 bytes of one row, then of the other. */
template <int RATIO, int COUNT>
__device__ __forceinline__ void
store_lines(float *to, const float (&own)[2][COUNT], bool odd)
{
	float first[COUNT], second[COUNT];
#pragma unroll
	for (int i = 0; i < COUNT; ++i) {
		const float keep = odd ? own[1][i] : own[0][i];
		const float got = __shfl_xor_sync(~0u, odd ? own[0][i] : own[1][i], 4);
		first[i] = odd ? got : keep;
		second[i] = odd ? keep : got;
	}
	constexpr int far = window_matrix<RATIO>::OUTPUTS * COUNT / 2;
	if constexpr (COUNT == 4) {
		const auto store = [](float *there, const float (&v)[4]) {
			__stcs((float4 *)there, make_float4(v[0], v[1], v[2], v[3]));
		};
		store(to, first);
		store(to + far, second);
	} else {
		__stcs((float2 *)to, make_float2(first[0], first[1]));
		__stcs((float2 *)(to + far), make_float2(second[0], second[1]));
	}
}

/* A lane's two outputs as numbers. */
template <bool COMPLEX, int COUNT>
__device__ __forceinline__ void
numbers_of(float (&v)[COUNT], two<float> a, two<float> b, const tile_sink<float> &sink)
{
	if constexpr (COMPLEX) {
		v[0] = a.x, v[1] = a.y, v[2] = b.x, v[3] = b.y;
	} else {
		v[0] = quantity_of(sink.quantity, a, sink.unit);
		v[1] = quantity_of(sink.quantity, b, sink.unit);
	}
}

/* Outputs of 16 rows.  The lane's first point is u[0], its first output goes to `to`; not WHOLE:
 * only `left` outputs from there on are wanted. */
template <int RATIO, bool COMPLEX, bool WHOLE>
__device__ __forceinline__ void
put_rows(const window_part (&window)[window_matrix<RATIO>::PARTS][window_matrix<RATIO>::SUMS],
         const two<float> *u, float *to, int left, const tile_sink<float> &sink, bool odd)
{
	using as = window_matrix<RATIO>;
	constexpr int NUMBERS = COMPLEX ? 2 : 1, FAR = 8 * as::OUTPUTS, COUNT = 2 * NUMBERS;
	constexpr bool PAIRS = WHOLE && as::PARTS > 1;
	row_factors x[as::SUMS], y[as::SUMS];
#pragma unroll
	for (int i = 0; i < 4 * as::SUMS; ++i) {
		const two<float> v = u[8 * as::POINTS * (i % 2) + 4 * (i / 2)];
		const split_number a = split(v.x), b = split(v.y);
		x[i / 4].high[i % 4] = a.high, x[i / 4].low[i % 4] = a.low;
		y[i / 4].high[i % 4] = b.high, y[i / 4].low[i % 4] = b.low;
	}
	float up[2][COUNT], low[2][COUNT];
#pragma unroll
	for (int part = 0; part < as::PARTS; ++part) {
		float re[4] = {}, im[4] = {};
#pragma unroll
		for (int i = 0; i < as::SUMS; ++i) {
			const window_part &w = window[part][i];
			add_small(re, x[i], w.x);
			add_small(im, x[i], w.y);
			add_small(re, y[i], w.minus_y);
			add_small(im, y[i], w.x);
		}
#pragma unroll
		for (int i = 0; i < as::SUMS; ++i) {
			const window_part &w = window[part][i];
			multiply_add(re, x[i].high, w.x.high);
			multiply_add(im, x[i].high, w.y.high);
			multiply_add(re, y[i].high, w.minus_y.high);
			multiply_add(im, y[i].high, w.x.high);
		}
		float *const here = to + 8 * part * NUMBERS;
		if constexpr (PAIRS) {
			numbers_of<COMPLEX>(up[part % 2], { re[0], im[0] }, { re[1], im[1] },
			                    sink);
			numbers_of<COMPLEX>(low[part % 2], { re[2], im[2] }, { re[3], im[3] },
			                    sink);
			if (part % 2) {
				float *const pair = here - (odd ? as::OUTPUTS : 8) * NUMBERS;
				store_lines<RATIO>(pair, up, odd);
				store_lines<RATIO>(pair + FAR * NUMBERS, low, odd);
			}
		} else {
			store_some<COMPLEX, WHOLE>(here, { re[0], im[0] }, { re[1], im[1] },
			                           left - 8 * part, sink);
			store_some<COMPLEX, WHOLE>(here + FAR * NUMBERS, { re[2], im[2] },
			                           { re[3], im[3] }, left - 8 * part - FAR, sink);
		}
	}
}

/* Outputs between `count` points, from z[0] on.  Points up to 80 beyond these are read. */
template <int RATIO, bool COMPLEX>
__device__ __forceinline__ void
put_products(const float *weights, unsigned count, const two<float> *z, unsigned long long step,
             const tile_sink<float> &sink, int lane)
{
	using as = window_matrix<RATIO>;
	constexpr int NUMBERS = COMPLEX ? 2 : 1, FAR = as::ROWS * as::OUTPUTS;
	window_part window[as::PARTS][as::SUMS];
	make_window<RATIO>(window, weights, step, COMPLEX ? sink.unit : 1.0f, lane);
	/* Outputs are counted from the first that the tile keeps. */
	const unsigned there = sink.end - sink.first * RATIO;
	int left = (int)(count * RATIO < there ? count * RATIO : there);
	const int mine = lane / 4 * as::OUTPUTS + lane % 4 * 2;
	float *to = sink.to + ((size_t)sink.first * RATIO + (unsigned)mine) * NUMBERS;
	const two<float> *u = z + lane / 4 * as::POINTS + lane % 4 - (as::TAPS / 2 - 1);
	if ((size_t)to % (2 * NUMBERS * sizeof(float)) == 0)
#pragma unroll 1
		for (; left >= FAR; left -= FAR, to += FAR * NUMBERS, u += as::ROWS * as::POINTS)
			put_rows<RATIO, COMPLEX, true>(window, u, to, 0, sink, lane & 4);
#pragma unroll 1
	for (; left > 0; left -= FAR, to += FAR * NUMBERS, u += as::ROWS * as::POINTS)
		put_rows<RATIO, COMPLEX, false>(window, u, to, left - mine, sink, lane & 4);
}

#endif
