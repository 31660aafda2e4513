/*
 * fused.cuh - overlap-save in one kernel: the product of two spectra of 8192 real points, its
 * inverse transform, and the writing of a unit's outputs.  Twin: the batches of spectra.cu.
 *
 * The transform of 8192 real numbers is one of 4096 complex ones, y[2 n] + i y[2 n + 1], in three
 * steps of radix 16: 256 threads have 16 numbers each in registers, and exchange them twice through
 * shared memory.
 *
 * Fits      masks of up to FUSED_HALF (4096) taps, in a block of FUSED_POINTS (8192) points, where
 *           fused_shared() is in a block's shared memory.
 * Twin      the batches of conv/spectra.cu: the same sums in another order; on the CPU
 *           cpu/conv/conv_fft.c.
 * Launch    as many blocks as run at once, 256 threads; each takes products one after the other.
 * Memory    reads both spectra, mostly from the second-level cache, and writes outputs.
 */
#ifndef WSI_CUDA_CONV_FUSED_CUH
#define WSI_CUDA_CONV_FUSED_CUH

#include "cuda/conv/spectra.h"
#include "cuda/device/complex.cuh"
#include "cuda/device/shared.h"

constexpr int FUSED_POINTS = WSI_CONV_FUSED, FUSED_HALF = FUSED_POINTS / 2, FUSED_THREADS = 256;
/* Numbers from one row of 256 to the next in shared memory: columns lie in different banks. */
constexpr int FUSED_ROW = FUSED_THREADS + 1;

/* Bytes of shared memory of a block of threads. */
inline size_t
fused_shared(ws_type type)
{
	return 16 * FUSED_ROW * (type == WS_F64 ? 16 : 8);
}

/* a conj(b) */
template <class T>
__device__ inline two<T>
times_conjugate(two<T> a, two<T> b)
{
	return { fma(a.x, b.x, a.y * b.y), fma(a.y, b.x, -(a.x * b.y)) };
}

/* e^(2 pi i k / n) */
template <class T>
__device__ inline two<T>
root(int k, int n)
{
	double re, im;
	sincospi(2.0 * k / n, &im, &re);
	return { (T)re, (T)im };
}

/* Sum over a of e^(2 pi i a n / 4) of four numbers, in place. */
template <class T>
__device__ inline void
four_points(two<T> &a, two<T> &b, two<T> &c, two<T> &d)
{
	const two<T> p = sum_of(a, c), q = difference(a, c), r = sum_of(b, d);
	const two<T> s = quarter(difference(b, d));
	a = sum_of(p, r);
	b = sum_of(q, s);
	c = difference(p, r);
	d = difference(q, s);
}

/* e^(2 pi i k / 16), a constant where k is. */
template <class T>
__device__ inline two<T>
sixteenth(int k)
{
	constexpr double C = 0.92387953251128675613, S = 0.38268343236508977173,
		R = 0.70710678118654752440;
	const double re[16] = { 1, C, R, S, 0, -S, -R, -C, -1, -C, -R, -S, 0, S, R, C };
	return { (T)re[k & 15], (T)re[(k + 12) & 15] };
}

/* e^(2 pi i k / 32), 0 <= k < 16. */
template <class T>
__device__ inline two<T>
thirty_second(int k)
{
	const double cosine[9] = { 1, 0.98078528040323044913, 0.92387953251128675613,
		0.83146961230254523708, 0.70710678118654752440, 0.55557023301960222474,
		0.38268343236508977173, 0.19509032201612826785, 0 };
	return { (T)(k <= 8 ? cosine[k] : -cosine[16 - k]), (T)cosine[k <= 8 ? 8 - k : k - 8] };
}

/* Of 16, in place: y[n] = sum over a of x[a] e^(2 pi i a n / 16). */
template <class T>
__device__ inline void
sixteen(two<T> (&x)[16])
{
#pragma unroll
	for (int a = 0; a < 4; ++a)
		four_points(x[a], x[a + 4], x[a + 8], x[a + 12]);
	/* x[a + 4 n]: the part of a of frequency n. */
#pragma unroll
	for (int n = 1; n < 4; ++n)
#pragma unroll
		for (int a = 1; a < 4; ++a)
			x[a + 4 * n] = times(sixteenth<T>(a * n), x[a + 4 * n]);
#pragma unroll
	for (int n = 0; n < 4; ++n)
		four_points(x[4 * n], x[4 * n + 1], x[4 * n + 2], x[4 * n + 3]);
	/* x[4 n + m] is y[n + 4 m]. */
#pragma unroll
	for (int n = 0; n < 4; ++n)
#pragma unroll
		for (int m = n + 1; m < 4; ++m) {
			const two<T> t = x[4 * n + m];
			x[4 * n + m] = x[4 * m + n];
			x[4 * m + n] = t;
		}
}

/* x[n] = x[n] w^n */
template <class T>
__device__ inline void
twiddle_by_powers(two<T> (&x)[16], two<T> w)
{
	/* No power is a product of more than four. */
	const two<T> w2 = times(w, w), w4 = times(w2, w2), w8 = times(w4, w4);
#pragma unroll
	for (int n = 1; n < 16; ++n) {
		two<T> p = n & 1 ? w : n & 2 ? w2 : n & 4 ? w4 : w8;
		if ((n & 1) && (n & 2))
			p = times(w2, p);
		if ((n & 3) && (n & 4))
			p = times(w4, p);
		if ((n & 7) && (n & 8))
			p = times(w8, p);
		x[n] = times(p, x[n]);
	}
}

/* Numbers k = 256 a + thread of the half-length transform's input, from the spectra of 4097 points
 * each; w = e^(2 pi i thread / 8192).  A number takes products k and 4096 - k, which threads
 * exchange through shared memory. */
template <class T>
__device__ inline void
take_products(two<T> (&z)[16], const two<T> *x, const two<T> *m, two<T> w,
              two<T> *shared)
{
	const int t = (int)threadIdx.x;
	const two<T> last = times_conjugate(x[FUSED_HALF], m[FUSED_HALF]);
#pragma unroll
	for (int a = 0; a < 16; ++a) {
		z[a] = times_conjugate(x[256 * a + t], m[256 * a + t]);
		/* Else all loads come first, and there are not registers for so many. */
		if (a % 4 == 3)
			asm volatile("" ::: "memory");
	}
	/* Nobody reads the last product's numbers any more. */
	__syncthreads();
#pragma unroll
	for (int a = 0; a < 16; ++a)
		shared[256 * a + t] = z[a];
	__syncthreads();
#pragma unroll
	for (int a = 0; a < 16; ++a) {
		const int k = 256 * a + t;
		const two<T> p = z[a];
		two<T> q = k == 0 ? last : shared[FUSED_HALF - k];
		q.y = -q.y;
		z[a] = sum_of(sum_of(p, q), quarter(times(difference(p, q),
		                                          times(thirty_second<T>(a), w))));
	}
}

/* Outputs 2 n and 2 n + 1 of a unit, n = thread + 256 a. */
template <class X, class T>
__device__ inline void
write_unit(const spectra_job &job, const spectra_shape &s, const two<T> (&z)[16], size_t unit,
           size_t channel, const direct_row &row)
{
	const long long at = (long long)(unit * s.outputs);
	const int count = (int)s.outputs;
	X *y = (X *)(job.y + channel * job.y_channel + row.row * job.y_row) + row.part;
	const bool together = job.every == 1 && job.parts == 1 &&
	                      (size_t)(y + at) % (2 * sizeof(X)) == 0;
	const int over = (int)(at % job.every);
	bool bad = false;
#pragma unroll
	for (int a = 0; a < 16; ++a) {
		const int q = 2 * (256 * a + (int)threadIdx.x);
		const two<X> v = { (X)(z[a].x * (T)(1.0 / FUSED_POINTS) + (T)0),
			               (X)(z[a].y * (T)(1.0 / FUSED_POINTS) + (T)0) };
		if (together && q + 1 < count && at + q + 1 < job.outputs) {
			*(two<X> *)(y + at + q) = v;
			bad |= !(v.x - v.x == (X)0) || !(v.y - v.y == (X)0);
			continue;
		}
#pragma unroll
		for (int k = 0; k < 2; ++k) {
			const long long i = (at + q + k) / job.every;
			const X one = k ? v.y : v.x;
			if (q + k >= count || i >= job.outputs ||
			    (over + q + k) % (int)job.every != 0)
				continue;
			y[i * job.parts] = one;
			bad |= !(one - one == (X)0);
		}
	}
	if (bad)
		atomicMin(job.high_response, (unsigned long long)(job.first_channel + channel) << 32
		          | row.mask);
}

/* Products of lines line0 .. line0 + lines - 1 by all units: [line][channel][unit]. */
template <class X, class T>
__global__ void
__launch_bounds__(FUSED_THREADS, 2)
fused_kernel(const spectra_job job, const spectra_shape s, size_t line0, unsigned products,
             const two<T> *samples, const two<T> *lines)
{
	extern __shared__ __align__(16) char fused_numbers[];
	two<T> *shared = (two<T> *)fused_numbers;
	const int t = (int)threadIdx.x, row = t / 16, column = t % 16;
	const unsigned units = (unsigned)s.units * (unsigned)job.channels;
	const two<T> w = root<T>(t, FUSED_POINTS), of_column = root<T>(column, 256);
	for (unsigned p = blockIdx.x; p < products; p += gridDim.x) {
		const unsigned line = p / units, unit = p % units;
		two<T> z[16];
		take_products(z, samples + unit * s.step, lines + line * s.step, w, shared);
		sixteen(z);
		twiddle_by_powers(z, times(w, w));
		__syncthreads();
#pragma unroll
		for (int a = 0; a < 16; ++a)
			shared[a * FUSED_ROW + t] = z[a];
		__syncthreads();
#pragma unroll
		for (int a = 0; a < 16; ++a)
			z[a] = shared[row * FUSED_ROW + 16 * a + column];
		sixteen(z);
		twiddle_by_powers(z, of_column);
		/* To where they came from. */
#pragma unroll
		for (int a = 0; a < 16; ++a)
			shared[row * FUSED_ROW + 16 * a + column] = z[a];
		__syncthreads();
#pragma unroll
		for (int a = 0; a < 16; ++a)
			z[a] = shared[column * FUSED_ROW + 16 * row + a];
		sixteen(z);
		write_unit<X, T>(job, s, z, unit % (unsigned)s.units, unit / (unsigned)s.units,
		                 job.rows[line0 + line]);
	}
}

template <class X, class T>
inline cudaError_t
fused_launch(const spectra_job &job, const spectra_shape &s, size_t line0, size_t lines,
             const void *samples, const void *spectra, int processors, cudaStream_t stream)
{
	/* Fewer than 2^32: the spectra of all units and lines are in memory. */
	const size_t products = lines * s.units * (size_t)job.channels;
	const size_t shared = fused_shared(sizeof(T) == 8 ? WS_F64 : WS_F32);
	const size_t most = (size_t)processors * 2;
	const cudaError_t error = allow_shared(fused_kernel<X, T>, shared);
	if (error != cudaSuccess)
		return error;
	fused_kernel<X, T><<<(unsigned)(products < most ? products : most), FUSED_THREADS, shared,
		stream>>>(job, s, line0, (unsigned)products, (const two<T> *)samples,
		          (const two<T> *)spectra);
	return cudaGetLastError();
}

#endif
