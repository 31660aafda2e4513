/*
 * joint_share.cuh - steps of projections that other devices have made.
 *
 * Fits      rows of memd that several devices share (joint_share.h).
 * Twin      none: the CPU's threads have one memory.
 * Launch    take_kernel: TAKE_THREADS over (directions, kinds of steps); middle_kernel: a warp
 *           for a word and JOINT_DIRECTIONS directions.
 * Memory    reads the others' bits through the link once, writes them; then reads them as
 *           project_kernel has made its own, writes rows between two samples.
 */
#ifndef WSI_CUDA_STAGE_JOINT_SHARE_CUH
#define WSI_CUDA_STAGE_JOINT_SHARE_CUH

#include "cuda/emd/joint_share.h"
#include "cuda/emd/stage/joint_project.cuh"

constexpr int TAKE_THREADS = 256;

/* grid: directions; kinds of steps. */
template <class T>
__global__ void __launch_bounds__(TAKE_THREADS)
take_kernel(const joint_signal<T> s, const joint_others others)
{
	uint32_t *const kinds[] = { s.rise, s.fall, s.above, s.below };
	const size_t row = (size_t)blockIdx.x * s.words;
	uint32_t *const to = kinds[blockIdx.y] + row;
	for (int k = 0; k < others.n; ++k) {
		const uint32_t *const from = others.of[k].steps[blockIdx.y] + row;
		for (int w = others.of[k].first_word + (int)threadIdx.x;
		     w < others.of[k].end_word; w += TAKE_THREADS)
			to[w] = from[w];
	}
}

/* Rows between two samples, of the tiles that are sifted elsewhere; see project_kernel.
 * grid: words / TAKE_THREADS * 32; groups of directions. */
template <class T>
__global__ void __launch_bounds__(TAKE_THREADS)
middle_kernel(const joint_signal<T> s, const T *h)
{
	const int lane = threadIdx.x & 31, d = blockIdx.y * JOINT_DIRECTIONS + lane;
	const int word = (int)(blockIdx.x * TAKE_THREADS + threadIdx.x) / 32;
	const int tile = word / JOINT_TILE_WORDS, sample = word * 32 + lane;
	if (word >= s.words || (tile >= s.first_tile && tile < s.end_tile))
		return;
	const unsigned inner = __ballot_sync(FULL, sample > 0 && sample < s.n);
	const bool used = lane < JOINT_DIRECTIONS && d < s.directions;
	const size_t at = (size_t)d * s.words + word;
	const unsigned rise = used ? s.rise[at] : 0, fall = used ? s.fall[at] : 0;
	const unsigned level = used ? inner & ~(rise | fall) : 0;
	if (__any_sync(FULL, level != 0))
		fill_middle(s, h, or_lanes(maybe_middle(level, rise, fall)), word);
}

template <class T>
cudaError_t
joint_take_steps(const joint_signal<T> &s, int set, const joint_others &others, cudaStream_t stream)
{
	take_kernel<T><<<dim3((unsigned)s.directions, s.crossings ? 4 : 2), TAKE_THREADS, 0,
	                 stream>>>(s, others);
	if (s.middle)
		middle_kernel<T><<<dim3((unsigned)(s.words * 32 + TAKE_THREADS - 1) / TAKE_THREADS,
		                        (unsigned)(s.padded / JOINT_DIRECTIONS)),
		                   TAKE_THREADS, 0, stream>>>(s, s.h[set]);
	return cudaGetLastError();
}

#endif
