/*
 * tensor.cu - what FP64 tensor cores could do for direct convolution: the multiply-adds of each
 * shape of mma.f64 in registers beside the vector units'; whether a shape adds its products as a
 * chain of fma, k ascending (then it has the bits of math/conv.h); and sums of 16 masks at tiles of
 * outputs, the samples laid out as Toeplitz matrices, checked against that chain.
 *
 *     tensor                  compute capability 9.0 or later
 *
 * Medians of 9 after a warm-up.
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gpu.h"

/* ---- Shapes ------------------------------------------------------------------------------ */

/* A lane of group g = lane / 4, place t = lane % 4 has a[i] = A[g + 8 (i % 2)][t + 4 (i / 2)] (8
 * rows: A[g][t]), b[i] = B[t + 4 i][g], and c[i] = C[g + 8 (i / 2)][2 t + i % 2]. */
template <int M, int K> struct shape;

template <> struct shape<8, 4> {
	static constexpr int A = 1, B = 1, C = 2;
	__device__ static void mma(double (&c)[2], const double (&a)[1], const double (&b)[1])
	{
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, "
		             "{%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a[0]), "d"(b[0]));
	}
};

template <> struct shape<16, 4> {
	static constexpr int A = 2, B = 1, C = 4;
	__device__ static void mma(double (&c)[4], const double (&a)[2], const double (&b)[1])
	{
		asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
		             "{%4,%5}, {%6}, {%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]),
		             "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
	}
};

template <> struct shape<16, 8> {
	static constexpr int A = 4, B = 2, C = 4;
	__device__ static void mma(double (&c)[4], const double (&a)[4], const double (&b)[2])
	{
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
		             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]),
		             "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]),
		             "d"(b[0]), "d"(b[1]));
	}
};

template <> struct shape<16, 16> {
	static constexpr int A = 8, B = 4, C = 4;
	__device__ static void mma(double (&c)[4], const double (&a)[8], const double (&b)[4])
	{
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
		             "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
		             : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
		             : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]),
		             "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
	}
};

/* ---- Rates ------------------------------------------------------------------------------- */

__global__ void
fma_kernel(double *out, int rounds)
{
	double a[16];
	for (int k = 0; k < 16; ++k)
		a[k] = (double)(threadIdx.x + k);
	const double b = 0.999, c = 0.001 * blockIdx.x;
	for (int r = 0; r < rounds; ++r)
#pragma unroll
		for (int k = 0; k < 16; ++k)
			a[k] = fma(a[k], b, c);
	double sum = 0;
	for (int k = 0; k < 16; ++k)
		sum += a[k];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int M, int K>
__global__ void
rate_kernel(double *out, int rounds)
{
	typedef shape<M, K> S;
	constexpr int TILES = 8;
	double a[S::A], b[S::B], c[TILES][S::C];
	for (int i = 0; i < S::A; ++i)
		a[i] = 1e-3 * (threadIdx.x + i);
	for (int i = 0; i < S::B; ++i)
		b[i] = 1e-3 * (threadIdx.x * 3 + i);
	for (int t = 0; t < TILES; ++t)
		for (int i = 0; i < S::C; ++i)
			c[t][i] = t + i;
	for (int r = 0; r < rounds; ++r)
#pragma unroll
		for (int t = 0; t < TILES; ++t)
			S::mma(c[t], a, b);
	double sum = 0;
	for (int t = 0; t < TILES; ++t)
		for (int i = 0; i < S::C; ++i)
			sum += c[t][i];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int M, int K>
static void
tell_rate(double *out, int blocks, int threads, double vector)
{
	const int rounds = 40000 / K;
	const double s = median_seconds([&] { rate_kernel<M, K><<<blocks, threads>>>(out, rounds); });
	const double rate = (double)blocks * (threads / 32) * rounds * 8 * M * 8 * K / s;
	printf("m%dn8k%-2d  %6.2f multiply-adds a ps in registers, %.2f of the vector units'\n", M,
	       K, rate * 1e-12, rate / vector);
}

/* ---- The order of a sum -------------------------------------------------------------------- */

/* One warp a matrix: c += A B, A[M][K], B[K][8], C[M][8]. */
template <int M, int K>
__global__ void
order_kernel(const double *A, const double *B, double *C)
{
	typedef shape<M, K> S;
	const int lane = (int)threadIdx.x, g = lane / 4, t = lane % 4;
	A += (size_t)blockIdx.x * M * K;
	B += (size_t)blockIdx.x * K * 8;
	C += (size_t)blockIdx.x * M * 8;
	double a[S::A], b[S::B], c[S::C];
	for (int i = 0; i < S::A; ++i)
		a[i] = M == 8 ? A[g * K + t] : A[(g + 8 * (i % 2)) * K + t + 4 * (i / 2)];
	for (int i = 0; i < S::B; ++i)
		b[i] = B[(t + 4 * i) * 8 + g];
	for (int i = 0; i < S::C; ++i)
		c[i] = C[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2];
	S::mma(c, a, b);
	for (int i = 0; i < S::C; ++i)
		C[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = c[i];
}

static uint64_t state = 88172645463325252ull;

static double
draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	const double u = (double)(int64_t)state * 0x1p-63;
	return ldexp(u, (int)(state >> 20 & 31) - 16);
}

template <int M, int K>
static void
tell_order(void)
{
	const size_t n = 20000;
	std::vector<double> a(n * M * K), b(n * K * 8), c(n * M * 8), got(c.size());
	for (double &v : a)
		v = draw();
	for (double &v : b)
		v = draw();
	for (double &v : c)
		v = draw();
	double *A, *B, *C;
	CUDA(cudaMalloc(&A, a.size() * 8));
	CUDA(cudaMalloc(&B, b.size() * 8));
	CUDA(cudaMalloc(&C, c.size() * 8));
	CUDA(cudaMemcpy(A, a.data(), a.size() * 8, cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(B, b.data(), b.size() * 8, cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(C, c.data(), c.size() * 8, cudaMemcpyHostToDevice));
	order_kernel<M, K><<<(unsigned)n, 32>>>(A, B, C);
	CUDA(cudaMemcpy(got.data(), C, got.size() * 8, cudaMemcpyDeviceToHost));
	size_t differ = 0;
	for (size_t i = 0; i < n; ++i)
		for (int r = 0; r < M; ++r)
			for (int q = 0; q < 8; ++q) {
				double s = c[(i * M + r) * 8 + q];
				for (int k = 0; k < K; ++k)
					s = fma(a[(i * M + r) * K + k], b[(i * K + k) * 8 + q], s);
				differ += memcmp(&s, &got[(i * M + r) * 8 + q], 8) != 0;
			}
	printf("m%dn8k%-2d  %zu of %zu random sums differ from the chain of fma\n", M, K, differ,
	       got.size());
	CUDA(cudaFree(A));
	CUDA(cudaFree(B));
	CUDA(cudaFree(C));
}

/* ---- Sums of masks ------------------------------------------------------------------------- */

constexpr int WARPS = 4, MASKS = 16;

/* y[mask][output] of 16 masks of `taps` taps, a multiple of CHUNK, at x[output ..]; a block has
 * 16 masks and WARPS 8 J outputs.  masks: [group][taps / 4][lane][2], as lanes take them. */
template <int K, int J, int BLOCKS, int CHUNK>
__global__ void
__launch_bounds__(WARPS * 32, BLOCKS)
toeplitz_kernel(const double *x, const double *masks, int taps, double *y, size_t outputs)
{
	typedef shape<16, K> S;
	constexpr int TILE = WARPS * 8 * J, NEW = K / 4;
	extern __shared__ __align__(16) double shared[];
	double *own = shared, *window = shared + CHUNK * MASKS;
	const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, g = lane / 4,
		t = lane % 4;
	const size_t at = (size_t)blockIdx.x * TILE;
	masks += (size_t)blockIdx.y * MASKS * taps;
	double total[J][4];
#pragma unroll
	for (int j = 0; j < J; ++j)
		for (int i = 0; i < 4; ++i)
			total[j][i] = 0.0;
	for (int k0 = 0; k0 < taps; k0 += CHUNK) {
		__syncthreads();
		for (int i = (int)threadIdx.x; i < CHUNK * MASKS / 2; i += WARPS * 32)
			((double2 *)own)[i] = ((const double2 *)(masks + (size_t)k0 * MASKS))[i];
		for (int i = (int)threadIdx.x; i < TILE + CHUNK; i += WARPS * 32)
			window[i] = x[at + k0 + i];
		__syncthreads();
		/* sample[i]: x of 4 i + t + g behind the warp's first output. */
		double sample[2 * (J - 1) + NEW];
		const double *from = window + warp * 8 * J + t + g;
		const double2 *a2 = (const double2 *)own + lane;
#pragma unroll
		for (int i = 0; i < 2 * (J - 1); ++i)
			sample[i] = from[4 * i];
		from += 8 * (J - 1);
#pragma unroll 2
		for (int k = 0; k < CHUNK; k += K) {
			double a[S::A];
#pragma unroll
			for (int i = 0; i < NEW; ++i) {
				sample[2 * (J - 1) + i] = from[k + 4 * i];
				const double2 v = a2[(k / 4 + i) * 32];
				a[2 * i] = v.x;
				a[2 * i + 1] = v.y;
			}
#pragma unroll
			for (int j = 0; j < J; ++j) {
				double b[S::B];
#pragma unroll
				for (int i = 0; i < NEW; ++i)
					b[i] = sample[2 * j + i];
				S::mma(total[j], a, b);
			}
#pragma unroll
			for (int i = 0; i < 2 * (J - 1); ++i)
				sample[i] = sample[i + NEW];
		}
	}
#pragma unroll
	for (int j = 0; j < J; ++j)
#pragma unroll
		for (int i = 0; i < 4; ++i) {
			const size_t n = at + warp * 8 * J + 8 * j + 2 * t + i % 2;
			if (n < outputs)
				y[((size_t)blockIdx.y * MASKS + g + 8 * (i / 2)) * outputs + n] =
					total[j][i];
		}
}

template <int K, int J, int BLOCKS, int CHUNK>
static void
tell_sums(double vector)
{
	const size_t outputs = 102400;
	const int groups = 13, taps = 1536;
	const size_t n = outputs + taps + 4096;
	std::vector<double> x(n), m((size_t)groups * MASKS * taps), laid(m.size());
	for (double &v : x)
		v = draw();
	for (double &v : m)
		v = draw();
	for (int q = 0; q < groups; ++q)
		for (int k = 0; k < taps; ++k)
			for (int r = 0; r < MASKS; ++r)
				laid[(size_t)q * MASKS * taps +
				     ((size_t)(k / 4) * 32 + (r % 8) * 4 + k % 4) * 2 + r / 8] =
					m[((size_t)q * MASKS + r) * taps + k];
	double *dx, *dm, *dy;
	CUDA(cudaMalloc(&dx, n * 8));
	CUDA(cudaMalloc(&dm, m.size() * 8));
	CUDA(cudaMalloc(&dy, outputs * groups * MASKS * 8));
	CUDA(cudaMemcpy(dx, x.data(), n * 8, cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(dm, laid.data(), m.size() * 8, cudaMemcpyHostToDevice));
	const int tile = WARPS * 8 * J, bytes = (CHUNK * MASKS + tile + CHUNK) * 8;
	CUDA(cudaFuncSetAttribute(toeplitz_kernel<K, J, BLOCKS, CHUNK>,
	                          cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
	const dim3 grid((unsigned)((outputs + tile - 1) / tile), groups);
	const double s = median_seconds([&] {
		toeplitz_kernel<K, J, BLOCKS, CHUNK><<<grid, WARPS * 32, bytes>>>(dx, dm, taps, dy,
		                                                                  outputs);
	});
	CUDA(cudaGetLastError());
	std::vector<double> row(outputs);
	size_t differ = 0;
	for (int r : { 0, 7, 8, 13, 15 }) {
		CUDA(cudaMemcpy(row.data(), dy + (size_t)(3 * MASKS + r) * outputs, outputs * 8,
		                cudaMemcpyDeviceToHost));
		for (size_t i = 0; i < outputs; i += 97) {
			double sum = 0.0;
			for (int k = 0; k < taps; ++k)
				sum = fma(x[i + k], m[((size_t)3 * MASKS + r) * taps + k], sum);
			differ += memcmp(&sum, &row[i], 8) != 0;
		}
	}
	const double rate = (double)outputs * groups * MASKS * taps / s;
	printf("sums, m16n8k%-2d, 16 masks x %d outputs a warp, %d blocks, chunks of %d: %.3f ms, "
	       "%.2f a ps, %.2f of the vector units', %zu differ\n", K, 8 * J, BLOCKS, CHUNK,
	       1e3 * s, rate * 1e-12, rate / vector, differ);
	CUDA(cudaFree(dx));
	CUDA(cudaFree(dm));
	CUDA(cudaFree(dy));
}

int
main(void)
{
	cudaDeviceProp facts;
	CUDA(cudaGetDeviceProperties(&facts, 0));
	if (facts.major < 9) {
		printf("NOT RUN: needs compute capability 9.0\n");
		return 0;
	}
	const int blocks = facts.multiProcessorCount * 4, threads = 256, rounds = 20000;
	double *out;
	CUDA(cudaMalloc(&out, (size_t)blocks * threads * sizeof *out));
	const double s = median_seconds([&] { fma_kernel<<<blocks, threads>>>(out, rounds); });
	const double vector = (double)blocks * threads * rounds * 16 / s;
	printf("vector   %6.2f multiply-adds a ps in registers\n", vector * 1e-12);
	tell_rate<8, 4>(out, blocks, threads, vector);
	tell_rate<16, 4>(out, blocks, threads, vector);
	tell_rate<16, 8>(out, blocks, threads, vector);
	tell_rate<16, 16>(out, blocks, threads, vector);
	tell_order<8, 4>();
	tell_order<16, 4>();
	tell_order<16, 8>();
	tell_order<16, 16>();
	tell_sums<4, 8, 3, 256>(vector);
	tell_sums<8, 8, 3, 256>(vector);
	tell_sums<16, 8, 3, 256>(vector);
	tell_sums<16, 8, 2, 512>(vector);
	tell_sums<16, 8, 3, 128>(vector);
	tell_sums<16, 4, 4, 256>(vector);
	tell_sums<8, 4, 4, 256>(vector);
	tell_sums<8, 12, 2, 256>(vector);
	tell_sums<16, 12, 2, 256>(vector);
	return 0;
}
