/*
 * places.cuh - where the samples and marks of a row lie.
 */
#ifndef WSI_CUDA_PLACES_CUH
#define WSI_CUDA_PLACES_CUH

#include "cuda/emd/block/samples.cuh"
#include "cuda/emd/sift.h"

/* Is row i one of those beside the job's own, wsi_sift_job.beside? */
template <class T>
__device__ __forceinline__ bool
is_beside(const sift_rows<T> &s, int i)
{
	return i >= s.first_beside;
}

/* What the job wants of row i.  Is it sifted as part of a decomposition? */
template <class T>
__device__ __forceinline__ bool
is_step(const sift_rows<T> &s, int i)
{
	return s.step || is_beside(s, i);
}

/* Is its mode taken off it? */
template <class T>
__device__ __forceinline__ bool
is_deflated(const sift_rows<T> &s, int i)
{
	return s.deflate || is_beside(s, i);
}

/* Is what the mode leaves delivered, and not the mode? */
template <class T>
__device__ __forceinline__ bool
gives_rest(const sift_rows<T> &s, int i)
{
	return s.rest && !is_beside(s, i);
}

/* Is something added to it before it is sifted? */
template <class T>
__device__ __forceinline__ bool
is_added_to(const sift_rows<T> &s, int i)
{
	return s.b && !is_beside(s, i);
}

/* Where its mode is taken off. */
template <class T>
__device__ __forceinline__ T *
deflated_row(const sift_rows<T> &s, int i)
{
	return is_beside(s, i) ? s.beside + (i - s.first_beside) * s.beside_stride
	                       : s.r + i * s.r_stride;
}

/* Where row i of the signals, and of what is added to them, begins: see wsi_sift_job.members. */
template <class T>
__device__ __forceinline__ const T *
signal_row(const sift_rows<T> &s, int i)
{
	if (is_beside(s, i))
		return deflated_row(s, i);
	const unsigned of = s.members ? (unsigned)i / (unsigned)s.members : (unsigned)i;
	return s.r + of * s.r_stride;
}

template <class T>
__device__ __forceinline__ const T *
added_row(const sift_rows<T> &s, int i)
{
	const unsigned of = s.members ? (unsigned)i % (unsigned)s.members : (unsigned)i;
	return s.b + of * s.b_stride;
}

template <class T>
__device__ __forceinline__ const T *
place_of(const sift_rows<T> &s, int i, int place)
{
	return place == ROW_OUT    ? s.out + i * s.out_stride
	       : place == ROW_ROOM ? s.room + i * s.stride
	       : s.b || s.copy     ? s.y + i * s.stride
	                           : signal_row(s, i);
}

/* kind: or HALVES.  Numbers without a sign multiply in one instruction; what all kinds share is
 * computed once. */
template <class T>
__device__ __forceinline__ bitmap
bitmap_of(const sift_rows<T> &s, int i, int set, int kind)
{
	const unsigned groups = (unsigned)s.groups, words = groups / 32;
	const unsigned long long set_words =
		(unsigned long long)((unsigned)i * 2 + (unsigned)set) * (BITMAPS * words);
	return { s.marks + set_words * 32 + (unsigned)kind * groups,
		 s.summary + set_words + (unsigned)kind * words };
}

/* A sample of y = r + scale b; maybe another block has just left it. */
template <class T>
__device__ __forceinline__ T
source_at(const sift_rows<T> &s, int i, int sample)
{
	const T r = __ldcg(signal_row(s, i) + sample);
	return is_added_to(s, i) ? fma((T)s.input[i].scale, added_row(s, i)[sample], r) : r;
}

/* Those of a thread. */
template <class T>
__device__ __forceinline__ void
load_source(const sift_rows<T> &s, int i, int s0, T (&x)[GROUP])
{
	load_group(signal_row(s, i), s0, s.n, x);
	if (!is_added_to(s, i))
		return;
	const T scale = (T)s.input[i].scale;
	T b[GROUP];
	load_group(added_row(s, i), s0, s.n, b);
#pragma unroll
	for (int k = 0; k < GROUP; ++k)
		x[k] = fma(scale, b[k], x[k]);
}

/* A thread's samples x with one beside either way. */
template <class T>
__device__ __forceinline__ void
with_source_beside(const sift_rows<T> &s, int i, int s0, const T (&x)[GROUP], T (&y)[GROUP + 2])
{
#pragma unroll
	for (int k = 0; k < GROUP; ++k)
		y[k + 1] = x[k];
	y[0] = s0 > 0 && s0 < s.n ? source_at(s, i, s0 - 1) : (T)0;
	y[GROUP + 1] = s0 + GROUP < s.n ? source_at(s, i, s0 + GROUP) : (T)0;
}

#endif
