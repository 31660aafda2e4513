/*
 * joint_statistics.cuh - what rules want to know of a sift (math/stop.h): the mean distance of both
 * envelopes, counts of samples above thresholds, sums of squares.
 *
 * Fits      rules other than a fixed number of sifts.
 * Twin      joint_statistics of cpu/emd/joint_mean_simd.h: the same bits.
 * Launch    amplitude_kernel: WSI_JOINT_TILE threads, a sample each, a block a tile of the chunk;
 *           statistics_kernel: likewise, a block a tile that is sifted here.
 * Memory    reads a distance a direction and sample, writes an amplitude; then reads h and
 *           amplitudes once, writes sums of 32 samples.
 */
#ifndef WSI_CUDA_JOINT_STATISTICS_CUH
#define WSI_CUDA_JOINT_STATISTICS_CUH

#include "cuda/emd/stage/joint_envelope.cuh"

/* Sums over directions of the distance of both envelopes, of a chunk of tiles, into
 * s.amplitude [sample]; a thread has a sample. */
template <class T>
__global__ void __launch_bounds__(WSI_JOINT_TILE)
amplitude_kernel(const joint_signal<T> s, int tile0, int groups)
{
	const size_t samples = (size_t)s.chunk * WSI_JOINT_TILE;
	const int in_chunk = blockIdx.x * WSI_JOINT_TILE + threadIdx.x;
	const int sample = tile0 * WSI_JOINT_TILE + in_chunk;
	T total[WSI_JOINT_SUMS];
	if (sample >= s.n)
		return;
#pragma unroll
	for (int g = 0; g < WSI_JOINT_SUMS; ++g) {
		T sum = (T)0;
		for (int d = g; d < s.directions; d += WSI_JOINT_SUMS) {
			if (!s.active[d])
				continue;
			T square = (T)0;
			for (int k = 0; k < groups; ++k) {
				const T x = s.distances[((size_t)k * s.directions + d) * samples +
				                        in_chunk];
				square = k == 0 ? x : square + x;
			}
			sum += sqrt(square);
		}
		total[g] = sum;
	}
#pragma unroll
	for (int n = WSI_JOINT_SUMS / 2; n > 0; n /= 2)
#pragma unroll
		for (int i = 0; i < n; ++i)
			total[i] = total[2 * i] + total[2 * i + 1];
	s.amplitude[sample] = total[0];
}

/* Counts, and sums over blocks of 32 samples; a warp has a block. */
template <class T>
__global__ void __launch_bounds__(WSI_JOINT_TILE)
statistics_kernel(const joint_signal<T> s, int groups, bool above, bool sums)
{
	const int i = (s.first_tile + blockIdx.x) * WSI_JOINT_TILE + threadIdx.x;
	T square[2] = { (T)0, (T)0 };
	for (int k = 0; k < 2 && i < s.n; ++k)
		for (int g = 0; g < groups; ++g) {
			const T x = s.squares[(size_t)(k * groups + g) * s.n + i];
			square[k] = g == 0 ? x : square[k] + x;
		}
	if (above) {
		const bool valid = i < s.n && s.state->active > 0;
		const T m = sqrt(square[0]), a = valid ? s.amplitude[i] * share_of(s) : (T)0;
		const unsigned one = __ballot_sync(FULL, valid && m > (T)s.sd * a);
		const unsigned two = __ballot_sync(FULL, valid && m > (T)s.sd2 * a);
		if ((threadIdx.x & 31) == 0) {
			atomicAdd(&s.state->above_sd, (unsigned long long)__popc(one));
			atomicAdd(&s.state->above_sd2, (unsigned long long)__popc(two));
		}
	}
	if (!sums)
		return;
	const int blocks = (s.n + 63) / 64 * 2;
	for (int k = 0; k < 2; ++k) {
		const T total = sum_channels<32>(square[k]);
		if ((threadIdx.x & 31) == 0 && i / 32 < blocks)
			s.block_sums[(size_t)k * blocks + i / 32] = (double)total;
	}
}

#endif
