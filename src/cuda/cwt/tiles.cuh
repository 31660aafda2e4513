/*
 * tiles.cuh - a transform of 2048 points by 128 threads of a block, in double: 16 x 16 x 8, 16
 * points a thread, two exchanges through shared memory.
 */
#ifndef WSI_CUDA_CWT_TILES_CUH
#define WSI_CUDA_CWT_TILES_CUH

#include "cuda/cwt/store.cuh"

constexpr int TILE = (int)CWT_TILE, TILE_THREADS = 128;
constexpr int TILE_EACH = TILE / TILE_THREADS; /* points of a thread */
/* Room of an exchange: eight rows, one number apart in their banks. */
constexpr int TILE_ROW = TILE / 8 + 1, TILE_ROOM = 8 * TILE_ROW;
constexpr int TILE_TURNS = TILE_THREADS + 8;

typedef two<double> point;

__device__ __forceinline__ point plus(point a, point b) { return { a.x + b.x, a.y + b.y }; }
__device__ __forceinline__ point minus(point a, point b) { return { a.x - b.x, a.y - b.y }; }
/* i times a */
__device__ __forceinline__ point turned(point a) { return { -a.y, a.x }; }

/* out[q] = sum over b of in[b] i^{b q} */
__device__ __forceinline__ void
points4(point &a, point &b, point &c, point &d)
{
	const point s = plus(a, c), t = minus(a, c), u = plus(b, d), v = turned(minus(b, d));
	a = plus(s, u);
	b = plus(t, v);
	c = minus(s, u);
	d = minus(t, v);
}

/* In place, v[k] to v[n]: sum over k of v[k] e^{2 pi i k n / 16}. */
__device__ __forceinline__ void
points16(point (&v)[16])
{
	constexpr double C = 0.92387953251128675613, S = 0.38268343236508977173,
		R = 0.70710678118654752440;
#pragma unroll
	for (int j = 0; j < 4; ++j)
		points4(v[j], v[j + 4], v[j + 8], v[j + 12]);
	/* v[j + 4 q] times e^{2 pi i j q / 16} */
	const point w1 = { C, S }, w2 = { R, R }, w3 = { S, C }, w6 = { -R, R }, w9 = { -C, -S };
	v[5] = times(v[5], w1);
	v[9] = times(v[9], w2);
	v[13] = times(v[13], w3);
	v[6] = times(v[6], w2);
	v[10] = turned(v[10]);
	v[14] = times(v[14], w6);
	v[7] = times(v[7], w3);
	v[11] = times(v[11], w6);
	v[15] = times(v[15], w9);
#pragma unroll
	for (int q = 0; q < 4; ++q)
		points4(v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]);
	/* v[4 q + r] is number q + 4 r. */
#pragma unroll
	for (int q = 0; q < 4; ++q)
#pragma unroll
		for (int r = q + 1; r < 4; ++r) {
			const point p = v[4 * q + r];
			v[4 * q + r] = v[4 * r + q];
			v[4 * r + q] = p;
		}
}

__device__ __forceinline__ void
points8(point (&v)[8])
{
	constexpr double R = 0.70710678118654752440;
	points4(v[0], v[2], v[4], v[6]);
	points4(v[1], v[3], v[5], v[7]);
	v[3] = times(v[3], point{ R, R });
	v[5] = turned(v[5]);
	v[7] = times(v[7], point{ -R, R });
	/* v[2 q] and v[2 q + 1] are the halves of numbers q and q + 4. */
	const point a = plus(v[0], v[1]), b = plus(v[2], v[3]), c = plus(v[4], v[5]),
		    d = plus(v[6], v[7]);
	const point e = minus(v[0], v[1]), f = minus(v[2], v[3]), g = minus(v[4], v[5]),
		    h = minus(v[6], v[7]);
	v[0] = a; v[1] = b; v[2] = c; v[3] = d;
	v[4] = e; v[5] = f; v[6] = g; v[7] = h;
}

/* v[n] times w^n, odd and even powers each by the one before. */
__device__ __forceinline__ void
turn_by_powers(point (&v)[16], point w)
{
	const point by = times(w, w);
	point odd = w, even = by;
#pragma unroll
	for (int n = 1; n < 15; n += 2) {
		v[n] = times(v[n], odd);
		v[n + 1] = times(v[n + 1], even);
		odd = times(odd, by);
		even = times(even, by);
	}
	v[15] = times(v[15], odd);
}

/*
 * out[n] = sum over k of in[k] e^{2 pi i k n / TILE}.  In: v[b] is in[threadIdx.x + 128 b].  Out:
 * v[q] is out[threadIdx.x + 256 q], v[8 + q] is out[threadIdx.x + 128 + 256 q].
 * turns: e^{2 pi i t / TILE} for t < 128, then e^{2 pi i t / 128} for t < 8.
 * room[TILE_ROOM] of shared memory is nobody's before and after; all threads meet.
 */
__device__ __forceinline__ void
block_transform(point (&v)[16], const point *turns, point *room)
{
	const int t = threadIdx.x, n0 = t / 8, a1 = t % 8;
	points16(v);
	turn_by_powers(v, turns[t]);
	__syncthreads();
#pragma unroll
	for (int n = 0; n < 16; ++n)
		room[n * 128 + t] = v[n];
	__syncthreads();
#pragma unroll
	for (int a2 = 0; a2 < 16; ++a2)
		v[a2] = room[n0 * 128 + a1 + 8 * a2];
	points16(v);
	turn_by_powers(v, turns[128 + a1]);
	__syncthreads();
#pragma unroll
	for (int p = 0; p < 16; ++p)
		room[a1 * TILE_ROW + n0 + 16 * p] = v[p];
	__syncthreads();
#pragma unroll
	for (int half = 0; half < 2; ++half) {
		point w[8];
#pragma unroll
		for (int a = 0; a < 8; ++a)
			w[a] = room[a * TILE_ROW + t + 128 * half];
		points8(w);
#pragma unroll
		for (int q = 0; q < 8; ++q)
			v[8 * half + q] = w[q];
	}
}

#endif
