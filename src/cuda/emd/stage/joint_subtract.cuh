/* joint_subtract.cuh - a sift from knots on: launches. */
#ifndef WSI_CUDA_JOINT_SUBTRACT_CUH
#define WSI_CUDA_JOINT_SUBTRACT_CUH

#include "cuda/emd/stage/joint_mean.cuh"
#include "cuda/emd/stage/joint_statistics.cuh"
#include "cuda/emd/stage/joint_whole.cuh"
#include "cuda/emd/stage/joint_windows.cuh"

/* s with the way from h[set] to middle. */
template <class T>
static joint_signal<T>
with_middle(joint_signal<T> s, int set)
{
	if (s.middle)
		s.middle_offset = (int)(((const char *)s.middle - (const char *)s.h[set]) / 64);
	return s;
}

/* Slopes and means of a chunk of tiles whose windows are there, some groups of channels at a
 * time. */
template <class T, int LANES, bool ABOVE>
static cudaError_t
subtract_groups(const joint_signal<T> &s, int set, int tile0, int tiles, bool squares,
                cudaStream_t stream)
{
	cudaError_t error = allow_shared(mean_kernel<T, LANES, ABOVE>, mean_bytes<T, LANES>);
	const T *h = s.h[set];
	const int groups = (s.lanes + 31) / 32, left = s.n - tile0 * WSI_JOINT_TILE;
	const int samples = left < tiles * WSI_JOINT_TILE ? left : tiles * WSI_JOINT_TILE;
	const unsigned spans =
		(unsigned)((samples + MEAN_SPAN<T, LANES> - 1) / MEAN_SPAN<T, LANES>);
	const unsigned whole = (unsigned)(tiles * (WSI_JOINT_BLOCKS / WHOLE_BLOCKS<LANES>));
	for (int group = 0; group < groups && error == cudaSuccess; group += s.groups) {
		const unsigned n =
			(unsigned)(groups - group < s.groups ? groups - group : s.groups);
		error = launch_slopes<T, LANES>(s, h, tiles, group, (int)n, stream);
		if (error != cudaSuccess)
			return error;
		whole_kernel<T, LANES><<<dim3(whole, n), MEAN_THREADS, 0, stream>>>(s, h, tile0,
		                                                                   group);
		mean_kernel<T, LANES, ABOVE>
			<<<dim3(spans, n), MEAN_THREADS, mean_bytes<T, LANES>, stream>>>(
				s, h, s.h[1 - set], tile0, group, squares);
		error = cudaGetLastError();
	}
	return error;
}

/* A chunk of tiles: windows, then the rest with lanes for as few channels as there are. */
template <class T, bool ABOVE>
static cudaError_t
subtract_chunk(const joint_signal<T> &s, int set, int tile0, bool squares, cudaStream_t stream)
{
	constexpr int windows_bytes = (int)sizeof(windows_shared<T>);
	cudaError_t error = allow_shared(windows_kernel<T>, windows_bytes);
	if (error != cudaSuccess)
		return error;
	const int tiles = s.end_tile - tile0 < s.chunk ? s.end_tile - tile0 : s.chunk;
	const unsigned lists = 2 * (unsigned)s.directions, t = (unsigned)tiles;
	windows_kernel<T><<<dim3((t + 31) / 32, lists), WINDOWS_THREADS, windows_bytes, stream>>>(
		with_middle(s, set), tile0, tiles);
	const auto subtract = s.channels <= 8  ? subtract_groups<T, 8, ABOVE>
	                    : s.channels <= 16 ? subtract_groups<T, 16, ABOVE>
	                                       : subtract_groups<T, 32, ABOVE>;
	error = subtract(s, set, tile0, tiles, squares, stream);
	if (ABOVE && error == cudaSuccess) {
		amplitude_kernel<T><<<t, WSI_JOINT_TILE, 0, stream>>>(s, tile0,
		                                                      (s.lanes + 31) / 32);
		error = cudaGetLastError();
	}
	return error;
}

template <class T>
cudaError_t
joint_subtract_mean(const joint_signal<T> &s, int set, bool above, bool sums, cudaStream_t stream)
{
	for (int tile0 = s.first_tile; tile0 < s.end_tile; tile0 += s.chunk) {
		const cudaError_t error =
			above ? subtract_chunk<T, true>(s, set, tile0, true, stream)
			      : subtract_chunk<T, false>(s, set, tile0, sums, stream);
		if (error != cudaSuccess)
			return error;
	}
	if (above || sums) {
		const int groups = (s.lanes + 31) / 32;
		statistics_kernel<T><<<s.end_tile - s.first_tile, WSI_JOINT_TILE, 0, stream>>>(
			s, groups, above, sums);
	}
	return cudaGetLastError();
}

#endif
