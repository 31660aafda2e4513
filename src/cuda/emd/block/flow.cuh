/*
 * flow.cuh - the sift of a thread's 16 samples, some at a time, where nothing is wanted of it but
 * what comes out, its steps and maybe counts: little code and few registers, so that many warps are
 * under way while others wait.
 */
#ifndef WSI_CUDA_FLOW_CUH
#define WSI_CUDA_FLOW_CUH

#include "cuda/emd/block/plateaus.cuh"
#include "cuda/emd/block/samples.cuh"

/* A thread's samples in device memory, from s0 on. */
template <class T> struct samples_in_memory {
	const T *x;                   /* of the row */
	int s0;

	__device__ __forceinline__ some_samples<T>
	from(int i) const
	{
		return *(const some_samples<T> *)(x + s0 + i);
	}

	__device__ __forceinline__ T
	before() const
	{
		return x[s0 - 1];
	}

	__device__ __forceinline__ T
	after() const
	{
		return x[s0 + GROUP];
	}
};

/* HALVES: no row is so long that ticks could not be added up, and half bits are looked at
 * everywhere: one loop serves all.  Else a warp with half bits goes exactly, in a loop that others
 * need not fetch; not where knots are so rare that all look their ticks up.  COUNTS: means beside
 * amplitudes, zero crossings and signs are counted. */
template <class T, class Cubics, bool HALVES, bool COUNTS> struct flow {
	using some = some_samples<T>;
	const Cubics (&l)[2];
	const int s0, n;
	const T flat;
	walker<Cubics> w[2];
	unsigned mark[2], any[2]; /* of what is left; in the thread's group, in any of the warp's */
	unsigned half;                /* of these marks, if HALVES: those half a sample before */
	int ticks[2];                 /* since the knots, as whole numbers */
	bool plain;                   /* see begin_walk */
	T before;                     /* what came of the sample before */
	unsigned rises, falls;        /* the steps so far, the last in bit 0 */
	/* COUNTS: */
	mean_notes<T> notes;
	unsigned positive, negative;  /* of what came of them, and of the sample before */

	__device__ __forceinline__
	flow(const Cubics (&l)[2], const int (&at)[2], const unsigned (&mark)[2], unsigned half,
	     int s0, int n, T flat, T sd, T sd2)
		: l(l), s0(s0), n(n), flat(flat), half(half), rises(0), falls(0),
		  notes{ sd, sd2 }, positive(0), negative(0)
	{
		plain = HALVES || Cubics::RARE || half == 0;
#pragma unroll
		for (int k = 0; k < 2; ++k) {
			w[k] = begin_walk(l[k], at[k], s0, plain);
			ticks[k] = (s0 - 1) * WSI_TICKS - w[k].tick;
			this->mark[k] = mark[k];
			any[k] = or_lanes(mark[k]);
		}
		plain = HALVES || __all_sync(FULL, plain);
	}

	__device__ __forceinline__ T
	minus_mean(T x) const
	{
		return minus_half(x, height(w[WSI_MAX]) + height(w[WSI_MIN]), (T)-0.5);
	}

	/* The same, and notes how large the mean is. */
	__device__ __forceinline__ T
	minus_noted_mean(T x)
	{
		const T upper = height(w[WSI_MAX]), lower = height(w[WSI_MIN]);
		notes.note(upper + lower, upper - lower);
		return minus_half(x, upper + lower, (T)-0.5);
	}

	/* Zeros of either sign have neither. */
	__device__ __forceinline__ void
	note_sign(T y)
	{
		positive = __funnelshift_l(sign_word((T)0 - y), positive, 1);
		negative = __funnelshift_l(sign_word(y + (T)0), negative, 1);
	}

	__device__ __forceinline__ void
	note_step(T y)
	{
		const T step = y - before;
		rises = __funnelshift_l(sign_word(flat - step), rises, 1);
		falls = __funnelshift_l(sign_word(step + flat), falls, 1);
		before = y;
	}

	/* To a sample, the next, whatever the ticks are.  Samples that have a knot in no lane are
	 * passed over by a branch, see step_plainly. */
	__device__ __forceinline__ void
	step_exactly(bool maximum, bool minimum, int sample)
	{
		const bool knot[2] = { maximum, minimum };
		ticks[0] += WSI_TICKS;
		ticks[1] += WSI_TICKS;
		if (__any_sync(FULL, maximum || minimum)) {
			__syncwarp();
#pragma unroll
			for (int k = 0; k < 2; ++k)
				if (knot[k]) {
					w[k].c = l[k].cubic(w[k].next);
					ticks[k] = sample * WSI_TICKS - l[k].tick(w[k].next);
					w[k].next = l[k].beyond(w[k].next, 1);
				}
		}
		w[0].u = (T)ticks[0];
		w[1].u = (T)ticks[1];
	}

	/* Of sample s0 + i, the j-th of what is left. */
	template <bool PLAIN>
	__device__ __forceinline__ T
	sift(T x, int i, int j)
	{
		if constexpr (PLAIN) {
			const bool before = HALVES && half >> j & 1;
#pragma unroll
			for (int k = 0; k < 2; ++k)
				step_plainly(w[k], l[k], any[k] >> j & 1, mark[k] >> j & 1, before,
				             s0 + i);
		} else {
			step_exactly(mark[0] >> j & 1, mark[1] >> j & 1, s0 + i);
		}
		const T y = COUNTS ? minus_noted_mean(x) : minus_mean(x);
		note_step(y);
		if (COUNTS)
			note_sign(y);
		return y;
	}

	/* All of the thread's; what comes of them is put into its place of the buffer. */
	template <bool PLAIN, class Samples>
	__device__ __forceinline__ void
	sift_all(const Samples &x, span_buffer<T> &buffer)
	{
		const bool there = s0 < n;
		some next = {};
		if (there)
			next = x.from(0);
		/* Not unrolled: instructions that are fetched once serve often. */
#pragma unroll 1
		for (int i = 0; i < GROUP; i += some::COUNT) {
			some v = next;
			if (there && i + some::COUNT < GROUP)
				next = x.from(i + some::COUNT);
#pragma unroll
			for (int j = 0; j < some::COUNT; ++j)
				v.v[j] = sift<PLAIN>(v.v[j], i + j, j);
			buffer.put(i, v);
#pragma unroll
			for (int k = 0; k < 2; ++k) {
				mark[k] >>= some::COUNT;
				any[k] >>= some::COUNT;
			}
			if (HALVES)
				half >>= some::COUNT;
		}
	}

	/* Of the thread's steps, as note_exactly() has them; start: what came of the sample before
	 * them. */
	__device__ __forceinline__ unsigned
	exactly(const span_buffer<T> &buffer, T start) const
	{
		unsigned exact = 0;
#pragma unroll 1
		for (int i = 0; i < GROUP; ++i) {
			const T y = buffer.own(i);
			note_exactly(exact, i, start, y);
			start = y;
		}
		return exact;
	}

	/* y = x minus the mean of the envelopes, into the buffer; rise and fall: as steps_of_group
	 * has them.  exact: see mark_steps; lone: it is wanted.  x.from(i) gives some of the
	 * thread's samples, x.before() and x.after() those beside them. */
	template <class Samples>
	__device__ __forceinline__ void
	run(const Samples &x, span_buffer<T> &buffer, bool lone, unsigned &rise, unsigned &fall,
	    unsigned &exact)
	{
		const int next = s0 + GROUP;
		before = minus_mean(s0 > 0 && s0 < n ? x.before() : (T)0);
		const T start = before;
		if (COUNTS)
			note_sign(start);
		if (!HALVES && seldom(!plain))
			sift_all<false>(x, buffer);
		else
			sift_all<true>(x, buffer);
		T after = __shfl_down_sync(FULL, buffer.own(0), 1);
		if ((threadIdx.x & 31) == 31 && next < n) {
#pragma unroll
			for (int k = 0; k < 2; ++k)
				step_to_next(w[k], l[k], next);
			after = minus_mean(x.after());
		}
		note_step(after);
		rise = __brev(rises) >> (31 - GROUP);
		fall = __brev(falls) >> (31 - GROUP);
		exact = lone && some_level(rise, fall) && some_alone(rise, fall, s0, n)
		                ? exactly(buffer, start) : 0u;
	}

	/* What was counted, given the marks of what came of the samples. */
	__device__ __forceinline__ void
	count(const unsigned mark[2], tally &count) const
	{
		const auto in_order = [](unsigned bits, int n) { return __brev(bits) >> (32 - n); };
		count.above = notes.count(s0, n);
		count.signs = count_sign_bits(in_order(positive, GROUP + 1),
		                              in_order(negative, GROUP + 1), s0, n, mark);
	}
};

#endif
