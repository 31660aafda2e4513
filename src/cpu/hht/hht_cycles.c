/* hht_cycles.c - cycles of a mode, by its phase. */
#include <math.h>
#include <string.h>

#include "cpu/hht/hht.h"
#include "math/modes.h"

size_t
wsi_hht_cycles(const double *phase, double ahead, size_t n, int32_t *cycle)
{
	size_t count = 0, begin = 0;
	bool rises = true, stepped = false;
	double start = n ? phase_wrap(phase[0] + ahead) : 0.0, before = start;
	memset(cycle, -1, n * sizeof *cycle);
	for (size_t i = 1; i < n; ++i) {
		const double w = phase_wrap(phase[i] + ahead);
		const bool steps = fabs(w - before) > WSI_CYCLE_STEP;
		stepped = stepped || steps;
		/* The last sample is in no cycle. */
		if (steps || (stepped && i == n - 1)) {
			const bool good = cycle_is_good(rises, start, before, i - begin);
			for (size_t k = begin; good && k < i; ++k)
				cycle[k] = (int32_t)count;
			count += good;
			begin = i;
			start = w;
			rises = true;
		} else {
			rises = rises && w > before;
		}
		before = w;
	}
	return count;
}
