/*
 * cycles.cuh - good cycles of a phase (cpu/hht/hht_cycles.c): a warp for each row, in order.
 * Cycles end at few samples, found by votes; those between are only asked whether the phase rises.
 *
 * Fits      any phase; rows without good cycles write nothing.
 * Twin      cpu/hht/hht_cycles.c: the same bits.
 * Launch    a warp a row, over (1, rows).
 * Memory    reads the phase once, 32 neighbours at a time, writes a number a sample; nothing is
 *           shared.
 */
#ifndef WSI_CUDA_HHT_CYCLES_CUH
#define WSI_CUDA_HHT_CYCLES_CUH

#include "cuda/hht/view.cuh"

/* phases: as the caller sees them; ahead: of a rising crossing of zero.  Launch: (1, rows), a
 * warp. */
static __global__ void
hht_cycles_kernel(hht_chunk c, hht_rows<double> phases, double ahead, hht_out<int32_t> out)
{
	const unsigned r = blockIdx.y, row = c.row0 + r, lane = threadIdx.x, n = c.n;
	if (!hht_alive(c, r))
		return;
	const double *phase = phases(row).x;
	int32_t *cycle = out(row);
	int count = 0;
	unsigned begin = 0, written = 0;
	bool rises = true, stepped = false;
	double start = phase_wrap(phase[0] + ahead), before = start;
	for (unsigned base = 1; base < n; base += 32) {
		const unsigned i = base + lane;
		const double w = i < n ? phase_wrap(phase[i] + ahead) : 0.0;
		const double up = __shfl_up_sync(~0u, w, 1), left = lane ? up : before;
		unsigned steps = __ballot_sync(~0u, i < n && fabs(w - left) > WSI_CYCLE_STEP);
		const unsigned falls = __ballot_sync(~0u, i < n && !(w > left));
		const unsigned last = n - 1 - base; /* lane of the last sample */
		/* The last sample is in no cycle. */
		if (last < 32 && (stepped || steps))
			steps |= 1u << last;
		unsigned done = 0; /* lanes before those that are looked at */
		for (; steps; steps &= steps - 1) {
			const unsigned at = (unsigned)__ffs(steps) - 1;
			const unsigned between = (at ? ~0u >> (32 - at) : 0) & ~done;
			rises = rises && !(falls & between);
			const double end = __shfl_sync(~0u, left, at);
			const double next = __shfl_sync(~0u, w, at);
			const unsigned i_end = base + at;
			const bool good = cycle_is_good(rises, start, end, i_end - begin);
			for (unsigned k = begin + lane; k < i_end; k += 32)
				cycle[k] = good ? count : -1;
			count += good;
			written = begin = i_end;
			start = next;
			rises = true;
			stepped = true;
			done = at == 31 ? ~0u : (2u << at) - 1;
		}
		rises = rises && !(falls & ~done);
		before = __shfl_sync(~0u, w, 31);
	}
	for (unsigned k = written + lane; k < n; k += 32)
		cycle[k] = -1;
	if (lane == 0)
		c.sums[row].cycles = count;
}

#endif
