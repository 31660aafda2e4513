/*
 * plateau.h - what a run of level steps is: which of its samples is an extremum.
 *
 * A step is level if it is at most `flat`, the resolution of the signal (docs/decisions/0004).
 * Rounding decides the direction of a smaller one, so that a run of them, near the crest of a slow
 * wave, has one extremum, in its middle.  In f32 the resolution is four units in the last place of
 * the largest sample, and steps as small are met at crests of quick waves too: alone, between two
 * steps that are not level, where the wave bends by far more than rounding does.  There the two
 * samples differ by what the wave does, and a step that is not 0 goes the way it goes (`lone`).
 *
 * Directions: 1 rises, -1 falls, 0 is level or there is no such step.
 */
#ifndef WSI_MATH_PLATEAU_H
#define WSI_MATH_PLATEAU_H

#include "math/real.h"

/* What a sample is between two steps: 1 a maximum, -1 a minimum, 0 neither. */
WSI_FN int
extremum_between(int in, int out)
{
	return in == -out ? in : 0;
}

/* What the first, the middle and the last sample of a run are.  The middle one is marked as
 * math/marks.h says. */
typedef struct wsi_plateau {
	int first, middle, last;
} wsi_plateau;

/* in, out: the steps before and after the run.  lone: the direction of its only step, if it has
 * but one and that counts; else 0. */
WSI_FN wsi_plateau
plateau_between(int in, int lone, int out)
{
	wsi_plateau p = { 0, 0, 0 };
	if (lone) {
		p.first = extremum_between(in, lone);
		p.last = extremum_between(lone, out);
	} else {
		p.middle = extremum_between(in, out);
	}
	return p;
}

#endif
