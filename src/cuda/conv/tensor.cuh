/*
 * tensor.cuh - the sums of a section of 16 masks at 256 outputs by tensor cores, in f64.
 *
 * mma.m16n8k16 adds its 16 products to a sum as a chain of fma, k ascending (bench/conv/tensor.cu):
 * the order of math/conv.h.  A is 16 masks by 16 taps, B 16 taps by 8 outputs, B[k][n] = x[n + k].
 * A lane has group g = lane / 4 and place t = lane % 4.
 *   Of B it holds x[4 i + t + g], i = 0 .. 3, counted from the first output.  The next eight
 *     outputs and the next 16 taps take the same numbers with i moved by 2 and by 4.  So 16 taps at
 *     64 outputs take four loads of samples.
 *   Its sums are those of rows g (s[0]) and g + 8 (s[1]).  Sum v = 2 j + q is output 8 j + 2 t + q
 *     of its warp's 64.
 * Taps lie in shared memory as lanes take them, [tap / 4][lane][rows g and g + 8].
 *
 * Twin      sum_dense() of sums.cuh: the same bits.
 */
#ifndef WSI_CUDA_CONV_TENSOR_CUH
#define WSI_CUDA_CONV_TENSOR_CUH

#include <cuda_pipeline.h>

#include "cuda/conv/sums.cuh"

/* Taps that are staged at once, and groups of eight outputs of a warp. */
constexpr int TENSOR_TAPS = 256, TENSOR_EIGHTS = TENSOR_TILE / DIRECT_THREADS * 4;
constexpr size_t TENSOR_SHARED = (TENSOR_TAPS * TENSOR_ROWS + TENSOR_TILE + TENSOR_TAPS) *
                                 sizeof(double);

__device__ inline void
tensor_mma(double &c0, double &c1, double &c2, double &c3, const double (&a)[8], const double *b)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
	             "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
	             : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
	             : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
	             "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
	(void)c0, (void)c1, (void)c2, (void)c3, (void)a, (void)b;
#endif
}

/* What a lane stages of a row: the tap of offset d is at taps[d step]. */
struct tensor_row {
	const double *taps;
	int d0, d1, step;

	__device__ tensor_row(const direct_job &job, const direct_row &row)
		: taps((const double *)job.values + row.taps - (long long)row.d0 * row.step),
		  d0(row.d0), d1(row.d1), step(row.step) {}
	/* Copied beside other work; 0 where there is none, or it is not wanted. */
	__device__ void copy(double *to, int d, bool wanted) const
	{
		const bool there = wanted && d >= d0 && d < d1;
		__pipeline_memcpy_async(to, taps + (long long)(there ? d : d0) * step, 8,
		                        there ? 0 : 8);
	}
};

/* A sample to the window; f64 are copied beside other work. */
template <class K>
__device__ void
tensor_sample(const direct_job &job, const typename K::X *x, long long i, double *to)
{
	if constexpr (sizeof(typename K::X) == 8) {
		const bool there = i >= job.low && i < job.high;
		__pipeline_memcpy_async(to, there ? x + (i - job.low) : x, 8, there ? 0 : 8);
	} else {
		*to = sample<K>(job, x, i);
	}
}

/* Taps a .. a + count - 1 and zeros up to `padded`, a multiple of 16, and their samples.  Copies
 * need no registers, so that all are under way at once. */
template <class K>
__device__ void
tensor_stage(const direct_job &job, const direct_place &p, const typename K::X *x, long long first,
             int a, int count, int padded, double2 *taps, double *window)
{
	const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
	const tensor_row low(job, p.row[lane / 4]), high(job, p.row[lane / 4 + 8]);
	for (int i = warp; i < padded / 4; i += DIRECT_THREADS / 32) {
		const int k = 4 * i + lane % 4;
		low.copy(&taps[i * 32 + lane].x, a + k, k < count);
		high.copy(&taps[i * 32 + lane].y, a + k, k < count);
	}
	for (int i = (int)threadIdx.x; i < TENSOR_TILE + padded; i += DIRECT_THREADS)
		tensor_sample<K>(job, x, first + i, &window[i]);
	__pipeline_commit();
	__pipeline_wait_prior(0);
}

/* All of `padded` taps; from: the lane's first sample. */
template <class SUM, int V>
__device__ void
tensor_sum(SUM (&s)[2][V], const double2 *taps, const double *from, int padded)
{
	constexpr int J = TENSOR_EIGHTS, KEPT = 2 * (J - 1);
	double sample[KEPT + 4];
#pragma unroll
	for (int i = 0; i < KEPT; ++i)
		sample[i] = from[4 * i];
	from += 4 * KEPT;
#pragma unroll 1
	for (int k = 0; k < padded; k += 16) {
		double a[8];
#pragma unroll
		for (int i = 0; i < 4; ++i) {
			sample[KEPT + i] = from[k + 4 * i];
			const double2 v = taps[(k / 4 + i) * 32];
			a[2 * i] = v.x;
			a[2 * i + 1] = v.y;
		}
#pragma unroll
		for (int j = 0; j < J; ++j)
			tensor_mma(s[0][2 * j].sum, s[0][2 * j + 1].sum, s[1][2 * j].sum,
			           s[1][2 * j + 1].sum, a, sample + 2 * j);
#pragma unroll
		for (int i = 0; i < KEPT; ++i)
			sample[i] = sample[i + 4];
	}
}

/* All taps of a section, a .. b - 1, at the tile's `count` outputs; shared: TENSOR_SHARED bytes. */
template <class K>
__device__ void
tensor_section(const direct_job &job, const direct_place &p, const typename K::X *x, long long n0,
               int count, int a, int b, double *shared, typename K::SUM (&s)[2][K::V])
{
	static_assert(K::V == 2 * TENSOR_EIGHTS, "a thread's sums fill its registers");
	const int lane = (int)threadIdx.x % 32, first = (int)threadIdx.x / 32 * 8 * TENSOR_EIGHTS;
	double2 *taps = (double2 *)shared;
	double *window = shared + TENSOR_TAPS * TENSOR_ROWS;
#pragma unroll
	for (int i = 0; i < 2 * K::V; ++i)
		s[i / K::V][i % K::V].zero();
	for (; a < b; a += TENSOR_TAPS) {
		const int n_taps = b - a < TENSOR_TAPS ? b - a : TENSOR_TAPS;
		const int padded = (n_taps + 15) / 16 * 16;
		/* Nobody reads what was there any more. */
		__syncthreads();
		tensor_stage<K>(job, p, x, n0 + a, a, n_taps, padded, taps, window);
		__syncthreads();
		/* A warp whose outputs all lie behind the last has no work. */
		if (first < count)
			tensor_sum(s, taps + lane, window + first + lane % 4 + lane / 4, padded);
	}
}

/* Responses, or sums of a branch. */
template <class K>
__device__ void
tensor_write(const direct_job &job, const direct_place &p, bool whole,
             typename K::SUM (&s)[2][K::V])
{
	typedef typename K::X X;
	const int lane = (int)threadIdx.x % 32;
	const long long at = p.tile * TENSOR_TILE + (int)threadIdx.x / 32 * 8 * TENSOR_EIGHTS +
	                     2 * (lane % 4);
#pragma unroll
	for (int half = 0; half < 2; ++half) {
		const int r = lane / 4 + 8 * half;
		if ((unsigned)r >= p.g.used)
			continue;
		const direct_row &row = p.row[r];
		X *out = (X *)(job.y + p.channel * job.y_channel + row.row * job.y_row) + row.part;
		double *sums = (double *)job.partial + (whole ? 0 : branch_at(job, p.g, p.channel,
		                                                              p.branch, r, 0, 1));
		bool bad = false;
#pragma unroll
		for (int v = 0; v < K::V; ++v) {
			const long long i = at + 8 * (v / 2) + v % 2;
			if (i >= job.outputs)
				continue;
			if (!whole) {
				sums[i] = s[half][v].sum;
				continue;
			}
			const X z = (X)(s[half][v].sum + 0.0);
			out[i * job.parts] = z;
			bad |= !(z - z == (X)0);
		}
		if (bad)
			atomicMin(job.high_response, (unsigned long long)(job.first_channel +
			          p.channel) << 32 | row.mask);
	}
}

#endif
