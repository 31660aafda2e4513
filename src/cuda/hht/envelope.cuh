/*
 * envelope.cuh - envelopes of modes and what is divided by them (algo/hht_envelope.c, and normalise()
 * of algo/hht_mode.c).
 *
 * A thread has samples that follow each other, so that peaks come out in order: tiles count theirs,
 * then each writes behind those before it.
 */
#ifndef WSI_CUDA_HHT_ENVELOPE_CUH
#define WSI_CUDA_HHT_ENVELOPE_CUH

#include "cuda/hht/look.cuh"
#include "cuda/math.cuh"
#include "math/emd_envelope.h"

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

/* Of |x|, those of sines through three samples, or samples; or samples that are maxima of x. */
enum hht_peaks { PEAKS_REFINED, PEAKS_PLAIN, PEAKS_MAXIMA };

template <hht_peaks KIND>
__device__ __forceinline__ bool
is_peak(const double *x, unsigned i)
{
	if (KIND == PEAKS_MAXIMA)
		return x[i] > x[i - 1] && x[i] > x[i + 1];
	const double l = fabs(x[i - 1]), m = fabs(x[i]), r = fabs(x[i + 1]);
	return m > l && (KIND == PEAKS_REFINED ? m >= r : m > r);
}

/* This thread's samples of a tile that have neighbours. */
__device__ __forceinline__ void
own_samples(unsigned n, unsigned tile, unsigned *first, unsigned *end)
{
	const unsigned own = tile * HHT_TILE + threadIdx.x * HHT_EACH;
	*first = own ? own : 1;
	*end = own + HHT_EACH < n - 1 ? own + HHT_EACH : n - 1;
}

/* Peaks of each tile; of PEAKS_MAXIMA also the row's minima.  n: at least 1.  Launch: (tiles,
 * rows). */
template <hht_peaks KIND>
__global__ void __launch_bounds__(HHT_THREADS)
hht_count_peaks_kernel(hht_chunk c, hht_envelopes e)
{
	const unsigned r = blockIdx.y;
	if (!e.of[r].active)
		return;
	const double *x = e.x + (size_t)r * c.stride;
	unsigned i, end;
	int peaks = 0, minima = 0, all;
	for (own_samples(c.n, blockIdx.x, &i, &end); i < end; ++i) {
		peaks += is_peak<KIND>(x, i);
		minima += KIND == PEAKS_MAXIMA && x[i] < x[i - 1] && x[i] < x[i + 1];
	}
	block_sum_before(peaks, &all);
	if (threadIdx.x == 0)
		e.count[(size_t)r * c.tiles + blockIdx.x] = (unsigned)all;
	if (KIND == PEAKS_MAXIMA && minima)
		atomicAdd(&e.of[r].minima, (unsigned)minima);
}

/* Writes them: times and values from the second knot on; maxima to w.  Launch: (tiles, rows). */
template <hht_peaks KIND>
__global__ void __launch_bounds__(HHT_THREADS)
hht_write_peaks_kernel(hht_chunk c, hht_envelopes e)
{
	const unsigned r = blockIdx.y;
	if (!e.of[r].active)
		return;
	const double *x = e.x + (size_t)r * c.stride;
	unsigned i, end, first;
	int peaks = 0, all;
	own_samples(c.n, blockIdx.x, &first, &end);
	for (i = first; i < end; ++i)
		peaks += is_peak<KIND>(x, i);
	size_t at = (size_t)block_sum_before(peaks, &all) + (size_t)r * e.stride +
	            (KIND != PEAKS_MAXIMA);
	for (unsigned t = 0; t < blockIdx.x; ++t)
		at += e.count[(size_t)r * c.tiles + t];
	for (i = first; i < end; ++i) {
		if (!is_peak<KIND>(x, i))
			continue;
		if (KIND == PEAKS_MAXIMA) {
			e.w[at++] = (double)i;
			continue;
		}
		double behind = 0.0, value = fabs(x[i]);
		if (KIND == PEAKS_REFINED)
			value = phase_peak(x[i] < 0.0 ? -x[i - 1] : x[i - 1], value,
			                   x[i] < 0.0 ? -x[i + 1] : x[i + 1], &behind);
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

/* The cubic at samples that ascend (cpu/hht_simd.h, hht_curve). */
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

/* Stops where the envelope is 1: peaks within WSI_NORMAL, or of emd the mean of all of it, whose
 * sums are there.  Launch: a thread a row. */
static __global__ void
hht_is_normal_kernel(hht_chunk c, hht_envelopes e, bool emd, unsigned rows)
{
	const unsigned r = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (r >= rows || !e.of[r].active)
		return;
	const bool normal = emd ? fabs(tiles_total(e.sum + (size_t)r * c.tiles, c.tiles) -
	                               (double)c.n) < WSI_NORMAL_EMD
	                        : e.of[r].off < WSI_NORMAL;
	e.of[r].active = !normal;
}

/* Sums of the envelope.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_envelope_sum_kernel(hht_chunk c, hht_envelopes e)
{
	const unsigned tile = blockIdx.x, r = blockIdx.y;
	if (!e.of[r].active)
		return;
	const unsigned end = (tile + 1) * HHT_TILE < c.n ? (tile + 1) * HHT_TILE : c.n;
	unsigned i = tile * HHT_TILE + threadIdx.x;
	double sum = 0.0;
	if (i < end)
		for (hht_curve curve(e, r, i); i < end; i += HHT_THREADS)
			sum += curve.at(i);
	const double v[1] = { sum };
	double *const to[1] = { &e.sum[(size_t)r * c.tiles + tile] };
	block_wide_totals<1>(v, to);
}

/* Divides by the envelope, and multiplies the amplitude (NULL: none) by it, which is 1 before the
 * first.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_divide_kernel(hht_chunk c, hht_envelopes e, double *amplitude, bool first)
{
	const unsigned r = blockIdx.y, own = blockIdx.x * HHT_TILE + threadIdx.x * HHT_EACH;
	if (!e.of[r].active || own >= c.n)
		return;
	double *x = e.x + (size_t)r * c.stride;
	double *a = amplitude ? amplitude + (size_t)(c.row0 + r) * c.stride : NULL;
	hht_curve curve(e, r, own);
	for (unsigned i = own; i < own + HHT_EACH && i < c.n; ++i) {
		const double v = curve.at(i);
		x[i] /= v;
		if (a)
			a[i] = first ? v : a[i] * v;
	}
}

/* ---- As emd 0.8.1 -------------------------------------------------------------------------- */

/* The knots through maxima and beyond the ends, and their slopes; no knots where there are too few.
 * Launch: (1, rows), one thread: an elimination goes from knot to knot. */
static __global__ void
hht_emd_knots_kernel(hht_chunk c, hht_envelopes e)
{
	const unsigned r = blockIdx.y, n = c.n;
	hht_envelope *of = &e.of[r];
	if (!of->active)
		return;
	const double *x = e.x + (size_t)r * c.stride;
	emd_turns turns = {};
	turns.x = x;
	turns.n = n;
	turns.max = e.w + (size_t)r * e.stride;
	turns.n_max = peaks_of(c, e, r);
	turns.n_min = of->minima;
	of->n = 0;
	if (turns.n_max < 2 || turns.n_min < 2)
		return;
	unsigned found = 0;
	for (unsigned i = 1; i + 1 < n && found < 3; ++i)
		if (x[i] < x[i - 1] && x[i] < x[i + 1])
			turns.first_min[found++] = (double)i;
	found = 0;
	for (unsigned i = n - 2; i > 0 && found < 3; --i)
		if (x[i] < x[i - 1] && x[i] < x[i + 1])
			turns.last_min[found++] = (double)i;
	emd_knots k = { e.t + (size_t)r * e.stride, e.v + (size_t)r * e.stride, 0 };
	emd_pad(&k, &turns);
	if (k.n < 4)
		return;
	emd_slopes(k.t, k.v, k.n, e.s + (size_t)r * e.stride, e.w + (size_t)r * e.stride);
	of->n = (unsigned)k.n;
}

/* The amplitude by these knots; where there are none, the largest magnitude.  Launch: (tiles,
 * rows). */
template <class T>
__global__ void __launch_bounds__(HHT_THREADS)
hht_emd_amplitude_kernel(hht_chunk c, hht_rows<T> rows, hht_envelopes e, double *amplitude)
{
	const unsigned r = blockIdx.y, own = blockIdx.x * HHT_TILE + threadIdx.x * HHT_EACH;
	if (!e.of[r].active || own >= c.n)
		return;
	double *a = amplitude + (size_t)(c.row0 + r) * c.stride;
	const unsigned end = own + HHT_EACH < c.n ? own + HHT_EACH : c.n;
	unsigned i = own;
	if (e.of[r].n)
		for (hht_curve curve(e, r, own); i < end; ++i)
			a[i] = curve.at(i);
	else
		for (const double peak = c.sums[c.row0 + r].peak * rows(c.row0 + r).by; i < end; ++i)
			a[i] = peak;
}

/* The largest magnitude of all normalised modes of a channel, to largest [channel]; a mode without
 * an envelope counts in the unit of the samples.  Launch: (tiles, rows). */
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

/* What becomes of normalised modes: nothing, but amplitudes of those without an envelope; all within
 * -1 .. 1; all over the largest. */
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
