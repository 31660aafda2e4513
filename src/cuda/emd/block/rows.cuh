/*
 * rows.cuh - how rows are listed and drawn by those who sift them, delivered and reported.
 */
#ifndef WSI_CUDA_BLOCK_ROWS_CUH
#define WSI_CUDA_BLOCK_ROWS_CUH

#include <string.h>

#include "cuda/emd/block/places.cuh"

/*
 * The next of a launch's `count` rows, for one of the `at_once` that sift a row each.  Rows are
 * drawn, not dealt, since some take one look and others many sifts.  One thread.
 */
template <class T>
__device__ __forceinline__ int
draw_row(const sift_rows<T> &s, int count, int at_once)
{
	return count > at_once ? at_once + atomicAdd(s.drawn, 1) : count;
}

/* Rows of a set that are in a phase. */
template <class T>
__device__ __forceinline__ int *
work_of(const sift_rows<T> &s, int set, int phase)
{
	return s.work + (size_t)(set * ROW_PHASES + phase) * s.capacity;
}

/* Row `item` of a set that has so many of each phase. */
template <class T>
__device__ __forceinline__ int
row_of_set(const sift_rows<T> &s, int set, const int (&of)[ROW_PHASES], int item)
{
	return item < of[ROW_KNOTS] ? work_of(s, set, ROW_KNOTS)[item]
	                            : work_of(s, set, ROW_CUBICS)[item - of[ROW_KNOTS]];
}

/* Delivers what the job wants of row i to out.  The thread has samples x of its mode from s0 on,
 * which do not outlive the call.  oscillates: it is a mode; untouched: no sift came to it; buffer:
 * the warp's, whose samples begin at `begin`. */
template <class T>
__device__ __forceinline__ void
deliver_group(const sift_rows<T> &s, int i, T *out, bool oscillates, bool untouched, int s0,
              T (&x)[GROUP], span_buffer<T> &buffer, int begin)
{
	T source[GROUP];
	if (s.copy)
		load_group(s.y + i * s.stride, s0, s.n, source);
	else if (s.rest || is_deflated(s, i))
		load_source(s, i, s0, source);
#pragma unroll
	for (int k = 0; k < GROUP; ++k) {
		/* ceemdan.m takes an IMF for its own local mean. */
		if (gives_rest(s, i))
			x[k] = !oscillates || (untouched && s.imf_ends) ? source[k]
			                                                : source[k] - x[k];
		else
			x[k] = oscillates ? x[k] : (T)0;
	}
	__syncwarp();
	buffer.store(out, begin, s.n, x);
	if (!oscillates || !is_deflated(s, i))
		return;
	T *rest = deflated_row(s, i);
	if (is_added_to(s, i))
		load_group(rest, s0, s.n, source);
#pragma unroll
	for (int k = 0; k < GROUP; ++k)
		source[k] -= x[k];
	__syncwarp();
	buffer.store(rest, begin, s.n, source);
}

/* Tells the host what became of a mode of row i, once a job. */
template <class T>
__device__ __forceinline__ void
answer(const sift_rows<T> &s, int i, row_output what, int mode = 0)
{
	unsigned long long word;
	what.job = s.job;
	memcpy(&word, &what, sizeof word);
	tell_host((unsigned long long *)&s.output[(size_t)mode * s.capacity + i], word);
}

/* Tells it how far a relay is, or, in the end, how many rows are left, and for what. */
template <class T>
__device__ __forceinline__ void
tell_relay(const sift_rows<T> &s, bool ended, int count, bool again = false)
{
	const relay_output what = { count, s.job, again };
	unsigned long long word;
	memcpy(&word, &what, sizeof word);
	tell_host((unsigned long long *)&s.relayed[ended], word);
}

#endif
