/*
 * masks.cu - values of masks of a formula, made on the device, where they are summed.
 *
 * Fits      masks that are a formula (math/masks.h); given values come from the host.
 * Twin      mask_values() of ops/conv_rows.h, then rounding_tap() of math/rounding.h: the same
 *           bits.
 * Launch    THREADS (256) with EACH_TAPS (8) taps each over (taps of the longest row, rows).
 * Memory    reads a row's form, writes each value once; nothing is shared.
 */
#include "cuda/conv/masks.h"

#include <algorithm>

#include "math/rounding.h"

constexpr int THREADS = 256;
/* Taps of a thread, so that what a mask's taps share is computed once for several. */
constexpr int EACH_TAPS = 8;

/* A formula is a constant in each call. */
template <class T>
__device__ void
fill_row(const mask_shape &s, const direct_row &row, const wsi_conv_form &f,
         const ws_mask_formula formula, T *to)
{
	wsi_mask m = f.mask;
	m.formula = formula;
	const int last = 2 * (int)m.half, n = row.d1 - row.d0;
	const int first = (int)blockIdx.x * THREADS * EACH_TAPS + (int)threadIdx.x;
	for (int i = first; i < n && i < first + THREADS * EACH_TAPS; i += THREADS) {
		/* Tap k of those in the order of offsets. */
		const int k = row.d0 + i + (last + 1) / 2, tap = s.flip ? last - k : k;
		double imaginary, value = mask_value(&m, tap - m.half, &imaginary);
		value = (row.part ? imaginary : value) * f.factor;
		if (s.rounded)
			value = rounding_tap(value, s.rounding, s.seed, row.mask,
			                     (uint64_t)tap * (unsigned)s.parts + row.part);
		to[i] = (T)value;
	}
}

template <class T>
__global__ void
__launch_bounds__(THREADS)
fill_kernel(mask_shape s, const direct_row *rows, size_t count, const wsi_conv_form *forms, T *base)
{
	for (size_t r = blockIdx.y; r < count; r += gridDim.y) {
		const direct_row row = rows[r];
		const wsi_conv_form &f = forms[row.mask];
		T *to = base + row.taps;
		switch (f.mask.formula) {
		case WS_MASK_MORLET: fill_row(s, row, f, WS_MASK_MORLET, to); break;
		case WS_MASK_MEXICAN_HAT: fill_row(s, row, f, WS_MASK_MEXICAN_HAT, to); break;
		case WS_MASK_GABOR: fill_row(s, row, f, WS_MASK_GABOR, to); break;
		default: fill_row(s, row, f, WS_MASK_DOPPLER, to); break;
		}
	}
}

cudaError_t
masks_fill(const mask_shape &shape, const direct_row *rows, size_t count, size_t longest,
           const wsi_conv_form *forms, void *base, cudaStream_t stream)
{
	if (count == 0 || longest == 0)
		return cudaSuccess;
	constexpr size_t BLOCK = THREADS * EACH_TAPS;
	const dim3 grid((unsigned)((longest + BLOCK - 1) / BLOCK),
	                (unsigned)std::min(count, (size_t)65535));
	if (shape.values == WS_F64)
		fill_kernel<double><<<grid, THREADS, 0, stream>>>(shape, rows, count, forms,
		                                                  (double *)base);
	else
		fill_kernel<float><<<grid, THREADS, 0, stream>>>(shape, rows, count, forms,
		                                                 (float *)base);
	return cudaGetLastError();
}
