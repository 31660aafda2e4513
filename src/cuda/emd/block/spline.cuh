/*
 * spline.cuh - cubics of a list of knots in shared memory.
 *
 * Truncated PCR (math/spline.h) in registers: a lane owns K consecutive rows,
 * a warp 32 K of them, and what neighbours own comes by shuffles.  Rows at the
 * warp's edges are not finished; they only feed the others.
 */
#ifndef WSI_CUDA_SPLINE_CUH
#define WSI_CUDA_SPLINE_CUH

#include "cuda/emd/block/lanes.cuh"

/* What not-a-knot makes of the three knots at an end; and of both ends of a list. */
template <class T> struct knotless_end {
	T rhs, coupling;
};

template <class T> struct knotless_ends {
	knotless_end<T> left, right;
};

/* Of knots, in ticks; a list has those of first .. end - 1. */
struct knot_ticks {
	int32_t *t;
	int first, end;
	bool left_end, right_end;     /* and there are none beyond */
};

/* Knots, and the cubics v + u (s + u (c2 + u c3)) from each to the next. */
template <class T> struct knot_list : knot_ticks {
	using type = T;
	T *v;
	four<T> *cubic;               /* v, s, c2, c3 */

	__device__ __forceinline__ T
	value(int j) const
	{
		return v[j];
	}

	__device__ __forceinline__ void
	put(int j, const four<T> &c) const
	{
		cubic[j] = c;
	}
};

/* The same with cubics in two halves, the first of which have the knots' values from the start:
 * less memory, where it is scarce. */
template <class T> struct halved_list : knot_ticks {
	using type = T;
	two<T> *lower, *upper;        /* v, s; c2, c3 */
	knotless_ends<T> ends;

	__device__ __forceinline__ T
	value(int j) const
	{
		return lower[j].x;
	}

	__device__ __forceinline__ void
	put(int j, const four<T> &c) const
	{
		lower[j].y = c.y;
		upper[j] = { c.z, c.w };
	}
};

/* x[i] where 0 <= i < K, else of the lane that owns it. */
template <int I, int K, class T>
__device__ __forceinline__ T
fetch(const T (&x)[K])
{
	constexpr int q = I >= 0 ? I / K : -((K - 1 - I) / K), r = I - q * K;
	if constexpr (q == 0)
		return x[r];
	else if constexpr (q < 0)
		return __shfl_up_sync(FULL, x[r], -q);
	else
		return __shfl_down_sync(FULL, x[r], q);
}

template <class T, int K> struct rows {
	T a[K], c[K], r[K];
};

template <int STEP, int I, class T, int K>
__device__ __forceinline__ void
pcr_rows(const rows<T, K> &m, rows<T, K> &o)
{
	if constexpr (I < K) {
		constexpr int S = 1 << STEP;
		pcr_step(m.a[I], m.c[I], m.r[I], fetch<I - S>(m.a), fetch<I - S>(m.c),
		         fetch<I - S>(m.r), fetch<I + S>(m.a), fetch<I + S>(m.c), fetch<I + S>(m.r),
		         STEP, &o.a[I], &o.c[I], &o.r[I]);
		pcr_rows<STEP, I + 1>(m, o);
	}
}

template <int STEP, class T, int K>
__device__ __forceinline__ void
pcr_steps(rows<T, K> &m)
{
	if constexpr (STEP < real<T>::STEPS) {
		rows<T, K> o;
		pcr_rows<STEP, 0>(m, o);
		m = o;
		pcr_steps<STEP + 1>(m);
	}
}

template <int I, class T, int K>
__device__ __forceinline__ void
neumann_rows(const rows<T, K> &m, const T (&s)[K], T (&out)[K])
{
	if constexpr (I < K) {
		constexpr int S = real<T>::STRIDE;
		out[I] = neumann_term(m.a[I], m.c[I], m.r[I], fetch<I - S>(s), fetch<I + S>(s));
		neumann_rows<I + 1>(m, s, out);
	}
}

/* Of the first two intervals, inwards, and of the steps of the values.  Rare, and long. */
template <class T>
__device__ __noinline__ knotless_end<T>
end_of_steps(T h0, T h1, T v0, T v1)
{
	const T d0 = v0 * reciprocal(h0), d1 = v1 * reciprocal(h1);
	return { not_a_knot_rhs(h0, h1, d0, d1), not_a_knot_coupling(h0, h1) };
}

/* Of the end knot, number j, and the next two inwards. */
template <class List, class T = typename List::type>
__device__ __forceinline__ knotless_end<T>
end_of(const List &l, int j, int step)
{
	const int32_t *const t = l.t + j;
	const T v0 = l.value(j), v1 = l.value(j + step), v2 = l.value(j + 2 * step);
	return end_of_steps((T)((t[step] - t[0]) * step), (T)((t[2 * step] - t[step]) * step),
	                    (v1 - v0) * (T)step, (v2 - v1) * (T)step);
}

template <class T>
__device__ __forceinline__ knotless_end<T>
end_of_lane(const knotless_end<T> &mine, int lane)
{
	return { __shfl_sync(FULL, mine.rhs, lane), __shfl_sync(FULL, mine.coupling, lane) };
}

/* Both at once, half of the lanes each. */
template <class T>
__device__ __forceinline__ knotless_ends<T>
ends_of(const knot_list<T> &l)
{
	const bool at_end = l.right_end && ((threadIdx.x & 31) >= 16 || !l.left_end);
	const knotless_end<T> mine = end_of(l, at_end ? l.end - 1 : l.first, at_end ? -1 : 1);
	return { end_of_lane(mine, 0), end_of_lane(mine, 31) };
}

template <class T>
__device__ __forceinline__ knotless_ends<T>
ends_of(const halved_list<T> &l)
{
	return l.ends;
}

template <class T, int K>
__device__ __forceinline__ void
put_row(rows<T, K> &m, int k, bool here, T a, T c, T r)
{
	m.a[k] = here ? a : m.a[k];
	m.c[k] = here ? c : m.c[k];
	m.r[k] = here ? r : m.r[k];
}

/* Rows at and beside the left end, which is the first row of a lane, and before it, where there are
 * none; lanes: after that one. */
template <class T, int K>
__device__ __forceinline__ void
left_end_rows(bool natural, int lanes, const T (&d)[K + 1], const knotless_end<T> &end,
              rows<T, K> &m)
{
	const bool here = lanes == 0, beside = here && !natural;
#pragma unroll
	for (int k = 0; k < K; ++k)
		put_row(m, k, lanes < 0 || (k == 0 && here), (T)0, (T)0, (T)0);
	put_row(m, 0, here && natural, (T)0, real<T>::NATURAL_COUPLING,
	        real<T>::NATURAL_CHORD * d[1]);
	put_row(m, 1, beside, (T)0, (T)2 * m.c[1], not_a_knot_row_rhs(m.a[1], end.rhs, m.r[1]));
}

/* The same on the right, where the end is the lane's row number `last`, wherever that is. */
template <class T, int K>
__device__ __forceinline__ void
right_end_rows(bool natural, int last, const T (&d)[K + 1], const knotless_end<T> &end,
               rows<T, K> &m)
{
#pragma unroll
	for (int k = 0; k < K; ++k) {
		put_row(m, k, !natural && k == last - 1, (T)2 * m.a[k], (T)0,
		        not_a_knot_row_rhs(m.c[k], end.rhs, m.r[k]));
		put_row(m, k, k >= last, (T)0, (T)0, (T)0);
		put_row(m, k, natural && k == last, real<T>::NATURAL_COUPLING, (T)0,
		        real<T>::NATURAL_CHORD * d[k]);
	}
}

/* Intervals that a warp of K rows a lane can finish: of a whole list; of a part
 * that may touch its ends, beyond which rows are needed that are none; of one
 * that does not. */
enum list_part { WHOLE, AT_ENDS, INSIDE };

template <class T, int K>
__device__ __forceinline__ int
intervals_of(list_part part)
{
	constexpr int NONE = 2 * real<T>::STRIDE + K + 2, HALO = 2 * real<T>::REACH + 1;
	return 32 * K - (part == WHOLE ? NONE : part == AT_ENDS ? NONE + HALO : HALO);
}

/* Cubics p .. q - 1 of a C2 spline of at least three knots.  One warp. */
template <int K, class List, class T = typename List::type>
__device__ __forceinline__ void
cubics_c2(const List &l, bool natural, int p, int q)
{
	/* Lanes before a left end, so that its neighbours that do not exist are zero. */
	constexpr int BEFORE = (real<T>::STRIDE + K - 1) / K;
	const int lane = threadIdx.x & 31;
	const bool at_left = l.left_end && p - real<T>::REACH - 1 <= l.first;
	const int base = at_left ? l.first - BEFORE * K : p - real<T>::REACH;
	const bool at_right = l.right_end && base + 32 * K >= l.end - 1;
	const int j0 = base + lane * K;
	/* Lanes without knots load some others. */
	const int from = min(max(j0 - 1, 0), l.end);
	T h[K + 1], ih[K + 1], d[K + 1];
	{
		int32_t t = l.t[from];
		T v = l.value(from);
#pragma unroll
		for (int i = 0; i <= K; ++i) {
			const int32_t t1 = l.t[from + i + 1];
			const T v1 = l.value(from + i + 1);
			h[i] = (T)(t1 - t);
			ih[i] = reciprocal(h[i]);
			d[i] = (v1 - v) * ih[i];
			t = t1;
			v = v1;
		}
	}
	rows<T, K> m;
#pragma unroll
	for (int k = 0; k < K; ++k)
		spline_row(h[k], h[k + 1], d[k], d[k + 1], &m.a[k], &m.c[k], &m.r[k]);
	knotless_ends<T> ends = {};
	if (at_left || at_right) {
		if (!natural)
			ends = ends_of(l);
		left_end_rows(natural, at_left ? lane - BEFORE : 1, d, ends.left, m);
		right_end_rows(natural, at_right ? l.end - 1 - j0 : 2 * K, d, ends.right, m);
	}
	pcr_steps<0>(m);
	T s[K + 1];
	{
		T x[K], y[K];
#pragma unroll
		for (int k = 0; k < K; ++k)
			x[k] = m.r[k];
#pragma unroll
		for (int term = 0; term < real<T>::TERMS; ++term) {
			neumann_rows<0>(m, x, y);
#pragma unroll
			for (int k = 0; k < K; ++k)
				x[k] = y[k];
		}
#pragma unroll
		for (int k = 0; k < K; ++k)
			s[k] = x[k];
	}
	s[K] = __shfl_down_sync(FULL, s[0], 1);
	if (!natural && at_left && lane == BEFORE)
		s[0] = not_a_knot_end(ends.left.coupling, ends.left.rhs, s[1]);
	if (!natural && at_right)
#pragma unroll
		for (int k = 0; k < K; ++k)
			if (j0 + k == l.end - 2)
				s[k + 1] =
					not_a_knot_end(ends.right.coupling, ends.right.rhs, s[k]);
#pragma unroll
	for (int k = 0; k < K; ++k) {
		const int j = j0 + k;
		if (j < p || j >= q)
			continue;
		l.put(j, { l.value(j), s[k], cubic_c2(s[k], s[k + 1], d[k + 1], ih[k + 1]),
		           cubic_c3(s[k], s[k + 1], d[k + 1], ih[k + 1]) });
	}
}

/* ---- A lane for each knot ---------------------------------------------------------------- */

/* Of the lane that is d before or after this one; 0 where there is none. */
template <class T>
__device__ __forceinline__ T
lane_before(T x, int d)
{
	const T y = __shfl_up_sync(FULL, x, d);
	return (int)(threadIdx.x & 31) >= d ? y : (T)0;
}

template <class T>
__device__ __forceinline__ T
lane_after(T x, int d)
{
	const T y = __shfl_down_sync(FULL, x, d);
	return (int)(threadIdx.x & 31) + d < 32 ? y : (T)0;
}

template <int STEP, class T>
__device__ __forceinline__ void
pcr_lanes(T &a, T &c, T &r)
{
	if constexpr (STEP < real<T>::STEPS) {
		constexpr int S = 1 << STEP;
		T a1, c1, r1;
		pcr_step(a, c, r, lane_before(a, S), lane_before(c, S), lane_before(r, S),
		         lane_after(a, S), lane_after(c, S), lane_after(r, S), STEP, &a1, &c1, &r1);
		a = a1, c = c1, r = r1;
		pcr_lanes<STEP + 1>(a, c, r);
	}
}

/* All cubics of a C2 spline of at least three knots, and no more than there are lanes: for so
 * few the rows that cubics_c2 has a lane would be idle, and their code long.  One warp. */
template <class List, class T = typename List::type>
__device__ __forceinline__ void
cubics_of_few(const List &l, bool natural)
{
	const int lane = threadIdx.x & 31, last = l.end - 1 - l.first;
	const int j = l.first + min(lane, last);
	const T v = l.value(j), v1 = __shfl_down_sync(FULL, v, 1);
	const int t = l.t[j], t1 = __shfl_down_sync(FULL, t, 1);
	const T h1 = lane < last ? (T)(t1 - t) : (T)1, ih = reciprocal(h1), d1 = (v1 - v) * ih;
	const T h0 = lane_before(h1, 1), d0 = lane_before(d1, 1);
	const bool inner = lane > 0 && lane < last, right = lane == last - 1;
	T a, c, r;
	spline_row(h0, h1, d0, d1, &a, &c, &r);
	if (!inner) {
		const bool bends = natural && lane <= last;
		c = bends && lane == 0 ? real<T>::NATURAL_COUPLING : (T)0;
		a = bends && lane > 0 ? real<T>::NATURAL_COUPLING : (T)0;
		r = bends ? real<T>::NATURAL_CHORD * (lane == 0 ? d1 : d0) : (T)0;
	}
	/* Of the end that this lane's knot is next to. */
	knotless_end<T> end = {};
	if (!natural) {
		const knotless_ends<T> ends = ends_of(l);
		end = right ? ends.right : ends.left;
		if (lane == 1 || right) {
			r = not_a_knot_row_rhs(right ? c : a, end.rhs, r);
			a = right ? (T)2 * a : (T)0;
			c = right ? (T)0 : (T)2 * c;
		}
	}
	pcr_lanes<0>(a, c, r);
	T s = r;
#pragma unroll
	for (int term = 0; term < real<T>::TERMS; ++term)
		s = neumann_term(a, c, r, lane_before(s, real<T>::STRIDE),
		                 lane_after(s, real<T>::STRIDE));
	T s1 = __shfl_down_sync(FULL, s, 1);
	if (!natural) {
		const T at_end = not_a_knot_end(end.coupling, end.rhs, s);
		const T left = __shfl_sync(FULL, at_end, 1);
		s = lane == 0 ? left : s;
		s1 = right ? at_end : s1;
	}
	if (lane < last)
		l.put(j, { v, s, cubic_c2(s, s1, d1, ih), cubic_c3(s, s1, d1, ih) });
}

/* ---- Few knots, and splines without a system -------------------------------------- */

template <class List, class T = typename List::type> __device__ __forceinline__ T
interval(const List &l, int j)
{
	return (T)(l.t[j + 1] - l.t[j]);
}

template <class List, class T = typename List::type> __device__ __forceinline__ T
chord(const List &l, int j)
{
	return (l.value(j + 1) - l.value(j)) * reciprocal(interval(l, j));
}

/* Chord j, extrapolated linearly beyond the ends as Akima does. */
template <class List, class T = typename List::type> __device__ T
akima_chord(const List &l, int j)
{
	const int f = l.first, e = l.end - 2; /* first and last chord */
	if (e == f || (j >= f && j <= e))
		return chord(l, j < f ? f : j > e ? e : j);
	const T outer = chord(l, j < f ? f : e), inner = chord(l, j < f ? f + 1 : e - 1);
	return akima_beyond(outer, inner, j == f - 1 || j == e + 1 ? 1 : 2);
}

template <class List, class T = typename List::type> __device__ T
pchip_slope_at(const List &l, int j)
{
	const int f = l.first, e = l.end - 1;
	if (e == f + 1)
		return chord(l, f);
	if (j == f)
		return pchip_end(interval(l, f), interval(l, f + 1), chord(l, f), chord(l, f + 1));
	if (j == e)
		return pchip_end(interval(l, e - 1), interval(l, e - 2), chord(l, e - 1),
		                 chord(l, e - 2));
	return pchip_slope(interval(l, j - 1), interval(l, j), chord(l, j - 1), chord(l, j));
}

/* Slopes of splines through two knots, and of the parabola through three. */
template <class List, class T = typename List::type> __device__ T
slope_of_few(const List &l, int j)
{
	const int f = l.first;
	if (l.end - f == 2)
		return chord(l, f);
	const T d0 = chord(l, f), d1 = chord(l, f + 1);
	const T middle = parabola_slope(interval(l, f), interval(l, f + 1), d0, d1);
	return j == f       ? parabola_end(d0, middle)
	       : j == f + 1 ? middle
	                    : parabola_end(d1, middle);
}

template <class List, class T = typename List::type> __device__ T
slope_at(const List &l, ws_spline spline, int j)
{
	if (spline == WS_SPLINE_AKIMA)
		return akima_slope(akima_chord(l, j - 2), akima_chord(l, j - 1), akima_chord(l, j),
		                   akima_chord(l, j + 1));
	return spline == WS_SPLINE_PCHIP ? pchip_slope_at(l, j) : slope_of_few(l, j);
}

/* Cubics p .. q - 1, each by itself.  One warp. */
template <class List, class T = typename List::type>
__device__ __forceinline__ void
cubics_local(const List &l, ws_spline spline, int p, int q)
{
	for (int first = p; first < q; first += 32) {
		const int j = min(first + (int)(threadIdx.x & 31), q - 1);
		const T s0 = slope_at(l, spline, j), s1 = slope_at(l, spline, j + 1);
		const T d = chord(l, j), ih = reciprocal(interval(l, j));
		const four<T> c = { l.value(j), s0, cubic_c2(s0, s1, d, ih),
			            cubic_c3(s0, s1, d, ih) };
		if (first + (int)(threadIdx.x & 31) < q)
			l.put(j, c);
		__syncwarp();
	}
}

/* ---- The whole ------------------------------------------------------------------------ */

/* That lists have room for.  Odd, as all numbers of rows a lane are: lanes then find
 * their knots in different banks of shared memory. */
constexpr int MOST_ROWS_A_LANE = 13;

/* Cubics p .. q - 1, of a list or part of `length` intervals, by as few rows a
 * lane as do, MOST at most.  One warp. */
template <int MOST, class List, class T = typename List::type>
__device__ __forceinline__ void
cubics_in_one_go(const List &l, bool natural, int p, int q, int length, list_part part)
{
	if (length <= intervals_of<T, 3>(part))
		cubics_c2<3>(l, natural, p, q);
	else if (length <= intervals_of<T, 5>(part))
		cubics_c2<5>(l, natural, p, q);
	else if (MOST == 7 || length <= intervals_of<T, 7>(part))
		cubics_c2<7>(l, natural, p, q);
	else if (MOST == 9 || length <= intervals_of<T, 9>(part))
		cubics_c2<9>(l, natural, p, q);
	else
		cubics_c2<MOST>(l, natural, p, q);
}

/* The cubics between knots p and q, as far as there are such, by `workers`
 * warps of a block, of which this is number `worker`. */
template <int MOST, class List, class T = typename List::type>
__device__ __forceinline__ void
make_cubics(const List &l, ws_spline spline, int p, int q, int worker, int workers)
{
	const int lane = threadIdx.x & 31;
	p = uniform(max(p, l.first));
	q = uniform(min(q, l.end - 1));
	/* The last knot of all may lie on the last sample: its value stands. */
	if (l.right_end && q == l.end - 1 && worker == 0 && lane == 0)
		l.put(q, { l.value(q), (T)0, (T)0, (T)0 });
	__syncwarp();
	const bool whole = l.left_end && l.right_end;
	const bool few = whole && (l.end - l.first <= 2 ||
	                           (l.end - l.first == 3 && spline == WS_SPLINE_NOT_A_KNOT));
	if (few || spline == WS_SPLINE_PCHIP || spline == WS_SPLINE_AKIMA) {
		if (worker == 0)
			cubics_local(l, spline, p, q);
		return;
	}
	const bool natural = spline == WS_SPLINE_NATURAL;
	if (whole && l.end - l.first <= 32) {
		if (worker == 0)
			cubics_of_few(l, natural);
		return;
	}
	const list_part part = whole ? WHOLE : l.left_end || l.right_end ? AT_ENDS : INSIDE;
	const list_part cut = whole ? AT_ENDS : part;
	/* At once, if a warp can; if not, shares that are worth a warp's time. */
	const int length = whole ? l.end - l.first - 1 : q - p;
	const int even = (q - p + workers - 1) / workers;
	const bool at_once = whole && length <= intervals_of<T, MOST>(part);
	const int share =
		at_once ? length
			: min(max(even, intervals_of<T, 5>(cut)), intervals_of<T, MOST>(cut));
	for (int a = p + worker * share; a < q; a += workers * share) {
		cubics_in_one_go<MOST>(l, natural, a, min(a + share, q),
		                       at_once ? length : min(share, q - p), at_once ? part : cut);
		__syncwarp();
	}
}

#endif
