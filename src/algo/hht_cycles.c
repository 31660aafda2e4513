/* hht_cycles.c - cycles of a mode, by its phase. */
#include <math.h>
#include <string.h>

#include "algo/hht.h"
#include "math/phase.h"

/* A cycle ends where the phase steps back by more than this, */
#define STEP (1.5 * PHASE_PI)
/* is good if it begins and ends within this of a whole turn, */
#define EDGE (PHASE_PI / 12.0)
/* and has more samples than this. */
#define FEW 2

/* phase modulo a turn, exactly. */
static double
wrap(double phase)
{
	double turns = floor(phase / PHASE_TURN), w = fma(-turns, PHASE_TURN, phase);
	if (w < 0.0)
		w = fma(-(turns - 1.0), PHASE_TURN, phase);
	else if (w >= PHASE_TURN)
		w = fma(-(turns + 1.0), PHASE_TURN, phase);
	return w;
}

size_t
wsi_hht_cycles(const double *phase, double ahead, size_t n, int32_t *cycle)
{
	size_t count = 0, begin = 0;
	bool rises = true, stepped = false;
	double start = n ? wrap(phase[0] + ahead) : 0.0, before = start;
	memset(cycle, -1, n * sizeof *cycle);
	for (size_t i = 1; i < n; ++i) {
		const double w = wrap(phase[i] + ahead);
		const bool steps = fabs(w - before) > STEP;
		stepped = stepped || steps;
		/* The last sample is in no cycle. */
		if (steps || (stepped && i == n - 1)) {
			const bool good = rises && start <= EDGE && before >= PHASE_TURN - EDGE &&
			                  i - begin > FEW;
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
