/*
 * transform.cuh - transforms of some columns of points by a block: mixed radices, between stages
 * through shared memory (Stockham).
 *
 *     out[n] = sum over k of in[k] e^{2 pi i k n / L}
 *
 * Loops of the caller fill the room and empty it: they are short, and the code of all radices stays
 * small enough for the cache of instructions.
 */
#ifndef WSI_CUDA_CWT_TRANSFORM_CUH
#define WSI_CUDA_CWT_TRANSFORM_CUH

#include "cuda/cwt/split.h"
#include "cuda/cwt/store.cuh"

/* ---- Roots of unity, while compiling --------------------------------------------------------- */

/* x in quarters of a turn's eighth at most: |x| <= pi / 4. */
__host__ __device__ constexpr double
series(double x, bool sine)
{
	double term = sine ? x : 1.0, sum = term;
	for (int k = sine ? 2 : 1; k < 24; k += 2) {
		term *= -x * x / ((double)k * (k + 1));
		sum += term;
	}
	return sum;
}

/* cos, or sin, of 2 pi k / n, 0 <= k < n. */
__host__ __device__ constexpr double
root(int k, int n, bool sine)
{
	const int quarters = (8 * k + n) / (2 * n);
	const double x = 1.57079632679489661923 * (double)(4 * k - quarters * n) / (double)n;
	const double c = series(x, false), s = series(x, true);
	switch (quarters & 3) {
	case 0:
		return sine ? s : c;
	case 1:
		return sine ? c : -s;
	case 2:
		return sine ? -s : -c;
	default:
		return sine ? -c : s;
	}
}

/* v e^{2 pi i K / N} */
template <int K, int N, class T>
__device__ __forceinline__ two<T>
rooted(two<T> v)
{
	if constexpr (K % N == 0) {
		return v;
	} else if constexpr (4 * (K % N) == N) {
		return quarter(v);
	} else if constexpr (2 * (K % N) == N) {
		return { -v.x, -v.y };
	} else {
		constexpr double c = root(K % N, N, false), s = root(K % N, N, true);
		return times(v, two<T>{ (T)c, (T)s });
	}
}

template <int I> struct number {
	static constexpr int value = I;
};

/* f of number<FROM> .. number<TO - 1> */
template <int FROM, int TO, class F>
__device__ __forceinline__ void
each(F f)
{
	if constexpr (FROM < TO) {
		f(number<FROM>());
		each<FROM + 1, TO>(f);
	}
}

/* The n-th roots of unity, n < 2^29. */
template <class T> struct unit_roots {
	unsigned n;
	float fours;            /* 4 / n */
	T part;                 /* 1 / (4 n) */
};

template <class T>
__device__ __forceinline__ unit_roots<T>
unit_roots_of(unsigned n)
{
	return { n, 4.0f / (float)n, (T)0.25 / (T)n };
}

/* e^{2 pi i k / n}, 0 <= k < n; whole quarter turns are exact. */
template <class T>
__device__ __forceinline__ two<T>
unit_root(const unit_roots<T> &of, unsigned k)
{
	const unsigned quarters = (unsigned)fmaf((float)k, of.fours, 0.5f);
	const int rest = (int)(4 * k - quarters * of.n);
	T c, s;
	cos_sin_2pi((T)rest * of.part, &c, &s);
	const bool odd = quarters & 1, half = quarters & 2;
	const T x = odd ? -s : c, y = odd ? c : s;
	return { half ? -x : x, half ? -y : y };
}

/* ---- Transforms in registers ------------------------------------------------------------- */

template <class T>
__device__ __forceinline__ void
points(two<T> (&v)[2])
{
	const two<T> a = v[0];
	v[0] = sum_of(a, v[1]);
	v[1] = difference(a, v[1]);
}

template <class T>
__device__ __forceinline__ void
points(two<T> (&v)[3])
{
	constexpr T S = (T)0.86602540378443864676;
	const two<T> s = sum_of(v[1], v[2]), d = difference(v[1], v[2]);
	const two<T> t = { fma((T)-0.5, s.x, v[0].x), fma((T)-0.5, s.y, v[0].y) };
	v[0] = sum_of(v[0], s);
	v[1] = { fma(-S, d.y, t.x), fma(S, d.x, t.y) };
	v[2] = { fma(S, d.y, t.x), fma(-S, d.x, t.y) };
}

template <class T>
__device__ __forceinline__ void
points(two<T> (&v)[4])
{
	const two<T> s = sum_of(v[0], v[2]), t = difference(v[0], v[2]);
	const two<T> u = sum_of(v[1], v[3]), w = quarter(difference(v[1], v[3]));
	v[0] = sum_of(s, u);
	v[1] = sum_of(t, w);
	v[2] = difference(s, u);
	v[3] = difference(t, w);
}

template <class T>
__device__ __forceinline__ void
points(two<T> (&v)[5])
{
	constexpr T A = (T)0.30901699437494742410, B = (T)-0.80901699437494742410;
	constexpr T C = (T)0.95105651629515357212, D = (T)0.58778525229247312917;
	const two<T> s = sum_of(v[1], v[4]), d = difference(v[1], v[4]);
	const two<T> t = sum_of(v[2], v[3]), e = difference(v[2], v[3]);
	const two<T> a = { fma(A, s.x, fma(B, t.x, v[0].x)), fma(A, s.y, fma(B, t.y, v[0].y)) };
	const two<T> b = { fma(B, s.x, fma(A, t.x, v[0].x)), fma(B, s.y, fma(A, t.y, v[0].y)) };
	const two<T> c = quarter(two<T>{ fma(C, d.x, D * e.x), fma(C, d.y, D * e.y) });
	const two<T> f = quarter(two<T>{ fma(D, d.x, -C * e.x), fma(D, d.y, -C * e.y) });
	v[0] = sum_of(v[0], sum_of(s, t));
	v[1] = sum_of(a, c);
	v[4] = difference(a, c);
	v[2] = sum_of(b, f);
	v[3] = difference(b, f);
}

/* A transforms of B points behind B of A. */
template <int A, int B, class T>
__device__ __forceinline__ void
points_of(two<T> (&v)[A * B])
{
	two<T> t[A][B];
	each<0, B>([&](auto column) {
		constexpr int b = decltype(column)::value;
		two<T> w[A];
#pragma unroll
		for (int a = 0; a < A; ++a)
			w[a] = v[b + B * a];
		points(w);
		each<0, A>([&](auto row) {
			constexpr int q = decltype(row)::value;
			t[q][b] = rooted<b * q, A * B>(w[q]);
		});
	});
#pragma unroll
	for (int q = 0; q < A; ++q) {
		points(t[q]);
#pragma unroll
		for (int r = 0; r < B; ++r)
			v[q + A * r] = t[q][r];
	}
}

/* 6, 8, 9, 10, 12, 15 or 16 points. */
template <class T, int N>
__device__ __forceinline__ void
points(two<T> (&v)[N])
{
	constexpr int A = N == 16 ? 4 : N % 3 == 0 && N != 6 ? 3 : 2;
	points_of<A, N / A>(v);
}

/* v[r] times w^r, r > 0: powers of fours, times those between. */
template <int R, class T>
__device__ __forceinline__ void
twiddle_powers(two<T> (&v)[R], two<T> w)
{
	const two<T> w2 = times(w, w), w3 = times(w, w2), w4 = times(w2, w2);
	two<T> fours = w4;
#pragma unroll
	for (int r = 1; r < R; ++r) {
		const two<T> between = r % 4 == 1 ? w : r % 4 == 2 ? w2 : w3;
		const two<T> by = r < 4 ? between : r % 4 ? times(fours, between) : fours;
		v[r] = times(v[r], by);
		if (r > 4 && r % 4 == 3)
			fours = times(fours, w4);
	}
}

/* ---- Stages --------------------------------------------------------------------------------- */

/* Where a stage has its points from, and where they go. */
template <class T> struct from_room {
	const two<T> *room;

	/* Points i, i + count, .. */
	template <int R>
	__device__ __forceinline__ void
	operator()(int i, int count, two<T> (&v)[R]) const
	{
#pragma unroll
		for (int r = 0; r < R; ++r)
			v[r] = room[i + r * count];
	}
};

template <class T> struct to_room {
	two<T> *room;
	int columns;            /* 2^columns */

	/* Points first, first + apart, .. of a column. */
	template <int R>
	__device__ __forceinline__ void
	operator()(int first, int apart, int column, const two<T> (&v)[R]) const
	{
		two<T> *const place = room + ((first << columns) + column);
		const int step = apart << columns;
#pragma unroll
		for (int r = 0; r < R; ++r)
			place[r * step] = v[r];
	}
};

/* All columns' stage of radix R behind stages of `before` points together. */
template <int R, class T, class FROM, class TO>
__device__ __forceinline__ void
stage(const cwt_pass &pass, int before, const two<T> *roots, const FROM &from, const TO &to)
{
	const int apart = pass.n / R, count = apart << pass.columns;
	const int columns = (1 << pass.columns) - 1, root = apart / before;
	const float by = 1.0f / (float)before;
#pragma unroll 1
	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) {
		const int column = i & columns, j = i >> pass.columns;
		two<T> v[R];
		from(i, count, v);
		const int high = (int)(((float)j + 0.5f) * by), low = j - high * before;
		if constexpr (sizeof(T) == 4) {
			/* Powers would multiply what is rounded off the root. */
#pragma unroll
			for (int r = 1; r < R && before > 1; ++r)
				v[r] = times(v[r], roots[low * root * r]);
		} else if (before > 1) {
			twiddle_powers(v, roots[low * root]);
		}
		points(v);
		to(high * before * R + low, before, column, v);
	}
}

template <class T, class FROM, class TO>
__device__ __forceinline__ void
stage_of(const cwt_pass &pass, int radix, int before, const two<T> *roots, const FROM &from,
         const TO &to)
{
	switch (radix) {
	case 2:
		return stage<2>(pass, before, roots, from, to);
	case 3:
		return stage<3>(pass, before, roots, from, to);
	case 4:
		return stage<4>(pass, before, roots, from, to);
	case 5:
		return stage<5>(pass, before, roots, from, to);
	case 6:
		return stage<6>(pass, before, roots, from, to);
	case 8:
		return stage<8>(pass, before, roots, from, to);
	case 9:
		return stage<9>(pass, before, roots, from, to);
	case 10:
		return stage<10>(pass, before, roots, from, to);
	case 12:
		return stage<12>(pass, before, roots, from, to);
	default:
		break;
	}
	if constexpr (sizeof(T) == 4) {
		if (radix == 15)
			return stage<15>(pass, before, roots, from, to);
		return stage<16>(pass, before, roots, from, to);
	}
}

/* roots[pass.n]; then threads must meet. */
template <class T>
__device__ __forceinline__ void
make_roots(const cwt_pass &pass, two<T> *roots)
{
	const unit_roots<T> of = unit_roots_of<T>(pass.n);
	for (int i = (int)threadIdx.x; i < pass.n; i += CWT_PASS_THREADS)
		roots[i] = unit_root(of, (unsigned)i);
}

/* from, to: [pass.n][columns], of which the first is filled; which has the result.  All threads
 * meet before and behind. */
template <class T>
__device__ __forceinline__ two<T> *
block_columns(const cwt_pass &pass, const two<T> *roots, two<T> *from, two<T> *to)
{
	int before = 1;
	for (int s = 0; s < pass.stages; ++s) {
		__syncthreads();
		stage_of(pass, pass.radix[s], before, roots, from_room<T>{ from },
		         to_room<T>{ to, pass.columns });
		before *= pass.radix[s];
		two<T> *const other = from;
		from = to;
		to = other;
	}
	__syncthreads();
	return from;
}

/* room: [2][pass.n][columns], of which the first half is filled. */
template <class T>
__device__ __forceinline__ two<T> *
block_columns(const cwt_pass &pass, const two<T> *roots, two<T> *room)
{
	return block_columns(pass, roots, room, room + ((int)pass.n << pass.columns));
}

/* The same of two stages or more, the first of points that `first` gives, the last of points that
 * `last` takes.  room, and with more than two stages other: [pass.n][columns]; other may be what
 * `first` gives.  roots may be made just before. */
template <class T, class FIRST, class LAST>
__device__ __forceinline__ void
block_columns_between(const cwt_pass &pass, const two<T> *roots, two<T> *room, two<T> *other,
                      const FIRST &first, const LAST &last)
{
	two<T> *from = room, *to = other;
	stage_of(pass, pass.radix[0], 1, roots, first, to_room<T>{ from, pass.columns });
	int before = pass.radix[0], s = 1;
	for (; s + 1 < pass.stages; ++s) {
		__syncthreads();
		stage_of(pass, pass.radix[s], before, roots, from_room<T>{ from },
		         to_room<T>{ to, pass.columns });
		before *= pass.radix[s];
		two<T> *const next = from;
		from = to;
		to = next;
	}
	__syncthreads();
	stage_of(pass, pass.radix[s], before, roots, from_room<T>{ from }, last);
}

#endif
