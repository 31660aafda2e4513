/*
 * envelope.cuh - envelopes of modes and what is divided by them (cpu/hht/hht_envelope.c, and
 * normalise() of cpu/hht/hht_mode.c).
 *
 * A thread has samples that follow each other, in shared memory, so that peaks come out in order:
 * tiles count theirs, then each writes behind those before it.
 *
 * Fits      the methods that divide by an envelope (normalised ones, quadrature), emd_py's
 *           included.
 * Twin      cpu/hht/hht_envelope.c, normalise() of cpu/hht/hht_mode.c: the same bits.
 * Launch    HHT_THREADS over (tiles, rows), or a thread a row for what is a chain (outermost knots,
 *           emd_py's slopes).  Each kernel says its own.
 * Memory    a tile is staged in shared memory (STAGED numbers); knots are [row][stride] in the
 *           device's; each pass reads and writes the row once.
 */
#ifndef WSI_CUDA_HHT_ENVELOPE_CUH
#define WSI_CUDA_HHT_ENVELOPE_CUH

#include "cuda/hht/look.cuh"
#include "cuda/device/math.cuh"
#include "math/emd_py_envelope.h"

/* A row's envelope. */
struct hht_envelope {
	unsigned n;             /* knots */
	unsigned minima;
	int active;             /* it is still being divided */
	int has;                /* an envelope was found */
	double off;             /* largest distance of a peak from 1 */
};

/* Buffers of a chunk, by its rows. */
struct hht_envelopes {
	double *x;              /* the mode, by and by normalised */
	double *t, *v, *s, *w;  /* knots: time, value, slope; scratch */
	size_t stride;          /* knots from one row to the next */
	unsigned *count;        /* [tile] peaks */
	double *sum;            /* [tile] of the envelope */
	hht_envelope *of;
};

/* Copies rows, at scale, and begins.  Launch: (tiles, rows). */
template <class T>
__global__ void __launch_bounds__(HHT_THREADS)
hht_load_kernel(hht_chunk c, hht_rows<T> rows, hht_envelopes e)
{
	const unsigned r = blockIdx.y;
	const bool alive = hht_alive(c, r);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		e.of[r] = { 0, 0, alive, 0, 0.0 };
	if (!alive)
		return;
	const hht_row<T> x = rows(c.row0 + r);
	const unsigned end = (blockIdx.x + 1) * HHT_TILE < c.n ? (blockIdx.x + 1) * HHT_TILE : c.n;
	for (unsigned i = blockIdx.x * HHT_TILE + threadIdx.x; i < end; i += HHT_THREADS)
		e.x[(size_t)r * c.stride + i] = x[i];
}

/* ---- Peaks --------------------------------------------------------------------------------- */

/* Peaks of |x|: of the sines through three samples each, or the samples themselves; or samples that
 * are maxima of x. */
enum hht_peaks { PEAKS_REFINED, PEAKS_PLAIN, PEAKS_MAXIMA };

template <hht_peaks KIND>
__device__ __forceinline__ bool
is_peak(double before, double x, double after)
{
	if (KIND == PEAKS_MAXIMA)
		return x > before && x > after;
	const double l = fabs(before), m = fabs(x), r = fabs(after);
	return m > l && (KIND == PEAKS_REFINED ? m >= r : m > r);
}

/* A tile in shared memory, with the samples before and after it: sample m at place skewed(m + 1).
 * Returns its length. */
constexpr int STAGED = HHT_TILE + 2 + (HHT_TILE + 2) / HHT_EACH;

__device__ __forceinline__ unsigned
stage_tile(const double *x, unsigned n, unsigned tile, double *s)
{
	const unsigned i0 = tile * HHT_TILE, count = n - i0 < HHT_TILE ? n - i0 : HHT_TILE;
	for (unsigned k = threadIdx.x; k < count + 2; k += HHT_THREADS)
		if (i0 + k > 0 && i0 + k <= n)
			s[skewed(k)] = x[i0 + k - 1];
	__syncthreads();
	return count;
}

/* Which of this thread's samples of a staged tile are peaks, a bit each; minima likewise, of
 * PEAKS_MAXIMA. */
template <hht_peaks KIND>
__device__ __forceinline__ unsigned
own_peaks(const double *s, unsigned n, unsigned tile, unsigned count, unsigned *minima)
{
	const unsigned own = threadIdx.x * HHT_EACH, i0 = tile * HHT_TILE;
	unsigned peaks = 0;
	*minima = 0;
	for (unsigned k = 0; k < HHT_EACH; ++k) {
		const unsigned m = own + k;
		if (m >= count || i0 + m == 0 || i0 + m + 1 >= n)
			continue;
		const double before = s[skewed(m)], x = s[skewed(m + 1)], after = s[skewed(m + 2)];
		peaks |= (unsigned)is_peak<KIND>(before, x, after) << k;
		*minima |= (unsigned)(KIND == PEAKS_MAXIMA && x < before && x < after) << k;
	}
	return peaks;
}

/* Peaks of each tile; of PEAKS_MAXIMA also the row's minima.  Launch: (tiles, rows). */
template <hht_peaks KIND>
__global__ void __launch_bounds__(HHT_THREADS)
hht_count_peaks_kernel(hht_chunk c, hht_envelopes e)
{
	__shared__ double s[STAGED];
	const unsigned r = blockIdx.y, tile = blockIdx.x;
	if (!e.of[r].active)
		return;
	const unsigned count = stage_tile(e.x + (size_t)r * c.stride, c.n, tile, s);
	unsigned minima;
	int all;
	block_sum_before(__popc(own_peaks<KIND>(s, c.n, tile, count, &minima)), &all);
	if (threadIdx.x == 0)
		e.count[(size_t)r * c.tiles + tile] = (unsigned)all;
	if (KIND == PEAKS_MAXIMA && minima)
		atomicAdd(&e.of[r].minima, (unsigned)__popc(minima));
}

/* Writes them: times and values from the second knot on; maxima to w.  Launch: (tiles, rows). */
template <hht_peaks KIND>
__global__ void __launch_bounds__(HHT_THREADS)
hht_write_peaks_kernel(hht_chunk c, hht_envelopes e)
{
	__shared__ double s[STAGED];
	const unsigned r = blockIdx.y, tile = blockIdx.x, own = threadIdx.x * HHT_EACH;
	if (!e.of[r].active)
		return;
	const unsigned count = stage_tile(e.x + (size_t)r * c.stride, c.n, tile, s);
	unsigned minima, peaks = own_peaks<KIND>(s, c.n, tile, count, &minima);
	int all;
	size_t at = (size_t)block_sum_before(__popc(peaks), &all) + (size_t)r * e.stride +
	            (KIND != PEAKS_MAXIMA);
	for (unsigned t = 0; t < tile; ++t)
		at += e.count[(size_t)r * c.tiles + t];
	for (; peaks; peaks &= peaks - 1) {
		const unsigned m = own + (unsigned)__ffs(peaks) - 1, i = tile * HHT_TILE + m;
		if (KIND == PEAKS_MAXIMA) {
			e.w[at++] = (double)i;
			continue;
		}
		const double before = s[skewed(m)], x = s[skewed(m + 1)], after = s[skewed(m + 2)];
		double behind = 0.0, value = fabs(x);
		if (KIND == PEAKS_REFINED)
			value = phase_peak(x < 0.0 ? -before : before, value,
			                   x < 0.0 ? -after : after, &behind);
		e.t[at] = (double)i + behind;
		e.v[at++] = value;
	}
}

__device__ __forceinline__ unsigned
peaks_of(const hht_chunk &c, const hht_envelopes &e, unsigned r)
{
	unsigned peaks = 0;
	for (unsigned t = 0; t < c.tiles; ++t)
		peaks += e.count[(size_t)r * c.tiles + t];
	return peaks;
}

/* The outermost knots.  least: peaks, fewer make no envelope.  Launch: a thread a row. */
static __global__ void
hht_outer_knots_kernel(hht_chunk c, hht_envelopes e, unsigned least, bool first, unsigned rows)
{
	const unsigned r = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (r >= rows || !e.of[r].active)
		return;
	const unsigned peaks = peaks_of(c, e, r);
	hht_envelope *of = &e.of[r];
	double *t = e.t + (size_t)r * e.stride, *v = e.v + (size_t)r * e.stride;
	of->active = peaks >= least;
	of->has = first ? of->active : of->has;
	of->off = 0.0;
	of->n = peaks + 2;
	if (!of->active)
		return;
	t[0] = phase_lower(t[1], 0.0) - 1.0;
	v[0] = v[1];
	t[peaks + 1] = phase_upper(t[peaks], (double)c.n) + 1.0;
	v[peaks + 1] = v[peaks];
}

/* Slopes of PCHIP, level at the outermost knots.  Launch: (some, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_pchip_kernel(hht_envelopes e)
{
	const unsigned r = blockIdx.y;
	hht_envelope *of = &e.of[r];
	if (!of->active)
		return;
	const double *t = e.t + (size_t)r * e.stride, *v = e.v + (size_t)r * e.stride;
	double *s = e.s + (size_t)r * e.stride, off = 0.0;
	for (unsigned k = blockIdx.x * HHT_THREADS + threadIdx.x; k < of->n;
	     k += gridDim.x * HHT_THREADS) {
		double slope = 0.0;
		if (k > 0 && k + 1 < of->n) {
			const double h0 = t[k] - t[k - 1], h1 = t[k + 1] - t[k];
			slope = pchip_slope(h0, h1, (v[k] - v[k - 1]) / h0, (v[k + 1] - v[k]) / h1);
		}
		s[k] = slope;
		off = phase_upper(fabs(v[k] - 1.0), off);
	}
	keep_largest(&of->off, off);
}

/* ---- Curves -------------------------------------------------------------------------------- */

/* The cubic at samples that ascend (cpu/hht/hht_simd.h, hht_curve). */
struct hht_curve {
	const double *t, *v, *s;
	unsigned n, k;
	double c2, c3;

	__device__ __forceinline__ void
	enter(unsigned to)
	{
		k = to;
		const double h = t[k + 1] - t[k], d = (v[k + 1] - v[k]) / h, ih = 1.0 / h;
		c2 = cubic_c2(s[k], s[k + 1], d, ih);
		c3 = cubic_c3(s[k], s[k + 1], d, ih);
	}

	__device__ __forceinline__
	hht_curve(const hht_envelopes &e, unsigned r, unsigned i)
		: t(e.t + (size_t)r * e.stride), v(e.v + (size_t)r * e.stride),
		  s(e.s + (size_t)r * e.stride), n(e.of[r].n)
	{
		/* The first interval that ends behind i. */
		unsigned low = 0, high = n - 2;
		while (low < high) {
			const unsigned middle = (low + high) / 2;
			if (t[middle + 1] > (double)i)
				high = middle;
			else
				low = middle + 1;
		}
		enter(low);
	}

	__device__ __forceinline__ double
	at(unsigned i)
	{
		unsigned to = k;
		while (to + 2 < n && t[to + 1] <= (double)i)
			++to;
		if (to != k)
			enter(to);
		return mode_curve((double)i, t[k], v[k], s[k], c2, c3);
	}
};

/* A row is no longer active once its envelope is 1: at its peaks, within WSI_NORMAL; or, as emd
 * 0.8.1 has it, in the sum over its samples.  Launch: a thread a row. */
static __global__ void
hht_is_normal_kernel(hht_chunk c, hht_envelopes e, bool emd_py, unsigned rows)
{
	const unsigned r = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (r >= rows || !e.of[r].active)
		return;
	const bool normal = emd_py ? fabs(tiles_total(e.sum + (size_t)r * c.tiles, c.tiles) -
	                                  (double)c.n) < WSI_NORMAL_EMD
	                        : e.of[r].off < WSI_NORMAL;
	e.of[r].active = !normal;
}

/* The envelope at the samples of a tile, to shared memory: sample m at place skewed(m).  By all
 * threads, a few samples in a row each.  Returns its length. */
__device__ __forceinline__ unsigned
trace_tile(const hht_envelopes &e, unsigned r, unsigned n, unsigned tile, double *s)
{
	const unsigned i0 = tile * HHT_TILE, count = n - i0 < HHT_TILE ? n - i0 : HHT_TILE;
	const unsigned own = threadIdx.x * HHT_EACH;
	if (own < count) {
		hht_curve curve(e, r, i0 + own);
		for (unsigned m = own; m < own + HHT_EACH && m < count; ++m)
			s[skewed(m)] = curve.at(i0 + m);
	}
	__syncthreads();
	return count;
}

/* Sums of the envelope.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_envelope_sum_kernel(hht_chunk c, hht_envelopes e)
{
	__shared__ double s[STAGED];
	const unsigned tile = blockIdx.x, r = blockIdx.y;
	if (!e.of[r].active)
		return;
	const unsigned count = trace_tile(e, r, c.n, tile, s);
	double sum = 0.0;
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS)
		sum += s[skewed(m)];
	const double v[1] = { sum };
	double *const to[1] = { &e.sum[(size_t)r * c.tiles + tile] };
	block_wide_totals<1>(v, to);
}

/* Divides rows by their envelopes.  The amplitude (NULL: none) is multiplied by the envelope, or
 * the first time becomes it.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_divide_kernel(hht_chunk c, hht_envelopes e, double *amplitude, bool first)
{
	__shared__ double s[STAGED];
	const unsigned r = blockIdx.y, i0 = blockIdx.x * HHT_TILE;
	if (!e.of[r].active)
		return;
	const unsigned count = trace_tile(e, r, c.n, blockIdx.x, s);
	double *x = e.x + (size_t)r * c.stride + i0;
	double *a = amplitude ? amplitude + (size_t)(c.row0 + r) * c.stride + i0 : NULL;
#pragma unroll 4
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS) {
		const double v = s[skewed(m)];
		x[m] /= v;
		if (a)
			a[m] = first ? v : a[m] * v;
	}
}

/* ---- As emd 0.8.1 -------------------------------------------------------------------------- */

/* The knots through maxima and beyond the ends, and their slopes; no knots where there are too few.
 * Launch: (1, rows), one thread: an elimination goes from knot to knot. */
static __global__ void
hht_emd_py_knots_kernel(hht_chunk c, hht_envelopes e)
{
	const unsigned r = blockIdx.y, n = c.n;
	hht_envelope *of = &e.of[r];
	if (!of->active)
		return;
	const double *x = e.x + (size_t)r * c.stride;
	emd_py_extrema extrema = {};
	extrema.x = x;
	extrema.n = n;
	extrema.max = e.w + (size_t)r * e.stride;
	extrema.n_max = peaks_of(c, e, r);
	extrema.n_min = of->minima;
	of->n = 0;
	if (extrema.n_max < 2 || extrema.n_min < 2)
		return;
	unsigned found = 0;
	for (unsigned i = 1; i + 1 < n && found < 3; ++i)
		if (x[i] < x[i - 1] && x[i] < x[i + 1])
			extrema.first_min[found++] = (double)i;
	found = 0;
	for (unsigned i = n - 2; i > 0 && found < 3; --i)
		if (x[i] < x[i - 1] && x[i] < x[i + 1])
			extrema.last_min[found++] = (double)i;
	emd_py_knots k = { e.t + (size_t)r * e.stride, e.v + (size_t)r * e.stride, 0 };
	emd_py_pad(&k, &extrema);
	if (k.n < 4)
		return;
	emd_py_slopes(k.t, k.v, k.n, e.s + (size_t)r * e.stride, e.w + (size_t)r * e.stride);
	of->n = (unsigned)k.n;
}

/* The amplitude by these knots; where there are none, the largest magnitude.  Launch: (tiles,
 * rows). */
template <class T>
__global__ void __launch_bounds__(HHT_THREADS)
hht_emd_amplitude_kernel(hht_chunk c, hht_rows<T> rows, hht_envelopes e, double *amplitude)
{
	__shared__ double s[STAGED];
	const unsigned r = blockIdx.y, row = c.row0 + r, i0 = blockIdx.x * HHT_TILE;
	if (!e.of[r].active)
		return;
	const bool knots = e.of[r].n != 0;
	unsigned count = c.n - i0 < HHT_TILE ? c.n - i0 : HHT_TILE;
	if (knots)
		count = trace_tile(e, r, c.n, blockIdx.x, s);
	double *a = amplitude + (size_t)row * c.stride + i0;
	const double peak = c.sums[row].peak * rows(row).by;
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS)
		a[m] = knots ? s[skewed(m)] : peak;
}

/* largest[channel]: the largest magnitude of all normalised modes of a channel.  A mode without an
 * envelope counts in the unit of the samples.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_emd_largest_kernel(hht_chunk c, hht_envelopes e, int modes, const wsi_hht_channel *channel,
                       double *largest)
{
	const unsigned r = blockIdx.y, ch = (c.row0 + r) / (unsigned)modes;
	if (!hht_alive(c, r))
		return;
	double *x = e.x + (size_t)r * c.stride, peak = 0.0;
	const bool raw = !e.of[r].has;
	const double scale = channel[ch].scale;
	const unsigned end = (blockIdx.x + 1) * HHT_TILE < c.n ? (blockIdx.x + 1) * HHT_TILE : c.n;
	for (unsigned i = blockIdx.x * HHT_TILE + threadIdx.x; i < end; i += HHT_THREADS) {
		if (raw)
			x[i] *= scale;
		peak = phase_upper(fabs(x[i]), peak);
	}
	keep_largest(&largest[ch], peak);
}

/* ---- After the division -------------------------------------------------------------------- */

/* What is done with normalised modes: only those without an envelope get amplitudes; all are
 * brought to within -1 .. 1; all are divided by the largest. */
enum hht_finish { FINISH_NHT, FINISH_QUADRATURE, FINISH_EMD };

/* Launch: (tiles, rows). */
template <class T, hht_finish HOW>
__global__ void __launch_bounds__(HHT_THREADS)
hht_normalised_kernel(hht_chunk c, hht_rows<T> rows, hht_envelopes e, double *amplitude,
                      const double *largest)
{
	const unsigned r = blockIdx.y, row = c.row0 + r;
	if (!hht_alive(c, r))
		return;
	double *x = e.x + (size_t)r * c.stride, *a = amplitude + (size_t)row * c.stride;
	const bool has = e.of[r].has;
	const double peak = c.sums[row].peak * rows(row).by;
	const double over = HOW == FINISH_EMD ? largest[row / (unsigned)rows.modes] + 1e-8 : 1.0;
	const unsigned end = (blockIdx.x + 1) * HHT_TILE < c.n ? (blockIdx.x + 1) * HHT_TILE : c.n;
	for (unsigned i = blockIdx.x * HHT_TILE + threadIdx.x; i < end; i += HHT_THREADS) {
		if (HOW == FINISH_EMD) {
			x[i] = x[i] / over;
			continue;
		}
		if (!has)
			a[i] = peak;
		if (HOW == FINISH_QUADRATURE) {
			const double v = !has && peak > 0.0 ? x[i] / peak : x[i];
			x[i] = phase_upper(phase_lower(v, 1.0), -1.0);
		}
	}
}

#endif
