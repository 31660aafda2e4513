/*
 * lanes.cuh - a transform of 1024 points by the 32 lanes of a warp: 32 x 32, 32 points a lane in
 * registers, one exchange through shared memory.
 *
 * Butterflies of two, each with six multiply-adds: a +- w b, w = c (1 + i t), is a +- c (b + i t b)
 * (Linzer and Feig 1993).
 */
#ifndef WSI_CUDA_CWT_LANES_CUH
#define WSI_CUDA_CWT_LANES_CUH

#include "cuda/cwt/store.cuh"

constexpr int LANES = 32, LANE_POINTS = 32;
constexpr int TILE = (int)CWT_TILE;
static_assert(TILE == LANES * LANE_POINTS, "a warp transforms a tile");

/* Room of a warp's exchange: rows of 32 numbers, and as many more as are read at once, so that
 * lanes read other banks. */
template <class T> struct lane_room {
	static constexpr int AT_ONCE = 16 / sizeof(two<T>), ROW = LANES + AT_ONCE;
	static constexpr int ALL = LANES * ROW;
};

template <int I> struct constant {
	__host__ __device__ constexpr operator int() const { return I; }
};

/* f(0), f(1), .. f(TO - 1), each with its number as a constant. */
template <int TO, int FROM = 0, class F>
__device__ __forceinline__ void
each(F f)
{
	if constexpr (FROM < TO) {
		f(constant<FROM>{});
		each<TO, FROM + 1>(f);
	}
}

/* Two numbers of single precision are read at once. */
template <class T> struct pair_of {
	T a, b;
};
template <> struct alignas(8) pair_of<float> {
	float a, b;
};
template <> struct alignas(16) pair_of<two<float>> {
	two<float> a, b;
};

/* The place of a number where a lane reads two of its own at once: lane + 32 i and
 * lane + 32 (i + 1), i even, lie together. */
__host__ __device__ constexpr unsigned
paired(unsigned bin)
{
	return (bin & ~63u) | (bin & 31) << 1 | (bin >> 5 & 1);
}

/* cos(2 pi k / 32) */
constexpr double COSINES[9] = { 1.0, 0.98078528040323044913, 0.92387953251128675613,
	0.83146961230254523708, 0.70710678118654752440, 0.55557023301960222474,
	0.38268343236508977173, 0.19509032201612826785, 0.0 };

/* The place of number k before a transform: its five bits in reverse. */
__host__ __device__ constexpr int
reversed(int k)
{
	return (k & 1) << 4 | (k & 2) << 2 | (k & 4) | (k & 8) >> 2 | (k & 16) >> 4;
}

/* a + w b and a - w b, w = e^{2 pi i K / 32}, 0 <= K < 16. */
template <int K, class T>
__device__ __forceinline__ void
butterfly(two<T> &a, two<T> &b)
{
	constexpr int q = K % 8;
	const two<T> from = a;
	if constexpr (q == 0) {
		const two<T> w = K == 0 ? b : two<T>{ -b.y, b.x };
		a = { from.x + w.x, from.y + w.y };
		b = { from.x - w.x, from.y - w.y };
	} else {
		constexpr bool low = q <= 4;
		constexpr T c = (T)(low ? COSINES[q] : COSINES[8 - q]);
		constexpr T t = (T)(low ? COSINES[8 - q] / COSINES[q]
		                        : COSINES[q] / COSINES[8 - q]);
		const two<T> w = low ? two<T>{ fma(-t, b.y, b.x), fma(t, b.x, b.y) }
		                     : two<T>{ fma(t, b.x, -b.y), fma(t, b.y, b.x) };
		const two<T> v = K < 8 ? w : two<T>{ -w.y, w.x };
		a = { fma(c, v.x, from.x), fma(c, v.y, from.y) };
		b = { fma(-c, v.x, from.x), fma(-c, v.y, from.y) };
	}
}

/* v[reversed(k)] to v[n]: sum over k of it times e^{2 pi i k n / 32}.  FROM 1: the first of its
 * stages has been done. */
template <int FROM = 0, class T>
__device__ __forceinline__ void
points32(two<T> (&v)[32])
{
	each<5, FROM>([&](auto stage) {
		constexpr int half = 1 << stage;
		each<16>([&](auto number) {
			constexpr int j = number % half, at = number / half * 2 * half + j;
			butterfly<j * 16 / half>(v[at], v[at + half]);
		});
	});
}

/* Where twiddles have number k = 32 i + lane, which is e^{2 pi i i lane / TILE}. */
template <class T>
__host__ __device__ constexpr unsigned
twiddle_place(unsigned k)
{
	return sizeof(T) == 4 ? paired(k) : k;
}

/* What lane_transform() does behind the first points32(). */
template <class T>
__device__ __forceinline__ void
lane_exchange(two<T> (&v)[32], const two<T> *twiddles, two<T> *room, int lane)
{
	constexpr int ROW = lane_room<T>::ROW;
	typedef pair_of<two<T>> pair;
	each<16>([&](auto i) {
		pair w;
		if constexpr (lane_room<T>::AT_ONCE == 2)
			w = *(const pair *)(twiddles + 64 * i + 2 * lane);
		else
			w = { twiddles[64 * i + lane], twiddles[64 * i + 32 + lane] };
		room[2 * i * ROW + lane] = i == 0 ? v[0] : times(v[2 * i], w.a);
		room[(2 * i + 1) * ROW + lane] = times(v[2 * i + 1], w.b);
	});
	__syncwarp();
	each<16>([&](auto i) {
		const pair two_of_them = *(const pair *)(room + lane * ROW + 2 * i);
		v[reversed(2 * i)] = two_of_them.a;
		v[reversed(2 * i + 1)] = two_of_them.b;
	});
	__syncwarp();
	points32(v);
}

/*
 * out[n] = sum over k of in[k] e^{2 pi i k n / TILE}, of a warp.  In: v[reversed(i)] is
 * in[lane + 32 i].  Out: v[i] is out[lane + 32 i].
 * twiddles: take_lane_twiddles().  room[lane_room<T>::ALL] of shared memory is nobody's before and
 * after.
 */
template <class T>
__device__ __forceinline__ void
lane_transform(two<T> (&v)[32], const two<T> *twiddles, two<T> *room, int lane)
{
	points32(v);
	lane_exchange(v, twiddles, room, lane);
}

/* twiddles, by all threads of a block, who then must meet; roots[k]: e^{2 pi i k / TILE}. */
template <class T>
__device__ __forceinline__ void
take_lane_twiddles(const two<double> *roots, two<T> *twiddles)
{
	for (int k = (int)threadIdx.x; k < TILE; k += (int)blockDim.x) {
		const two<double> root = roots[k / LANES * (k % LANES)];
		twiddles[twiddle_place<T>((unsigned)k)] = { (T)root.x, (T)root.y };
	}
}

#endif
