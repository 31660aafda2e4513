/*
 * stop.h - the stop rules of sifting, and which modes are none.  A rule sees nothing but these
 * statistics, so that rules, splines and boundaries do not multiply.
 */
#ifndef WSI_MATH_STOP_H
#define WSI_MATH_STOP_H

#include "math/real.h"
#include "math/marks.h"
#include "wavesift/wavesift.h"

/* Of h, and of the mean m and amplitude of its envelopes. */
typedef struct wsi_sift_stats {
	int64_t n;
	wsi_counts counts;        /* of h */
	wsi_mean_counts above;
	double sum_m2, sum_h2;    /* over all samples */
	double sum_q2;            /* (m / h)^2 where h is not 0 */
} wsi_sift_stats;

/* Is the test made on h before the mean is subtracted? */
WSI_FN bool
stop_is_before(ws_stop rule)
{
	return rule == WS_STOP_RILLING;
}

/* Does the rule look at the sums? */
WSI_FN bool
stop_needs_sums(ws_stop rule)
{
	return rule == WS_STOP_SD || rule == WS_STOP_CAUCHY || rule == WS_STOP_TOLERANCE ||
	       rule == WS_STOP_ENERGY;
}

/*
 * Rilling, Flandrin & Goncalves 2003: p = { sd, sd2, tol }.  The published
 * GPU code leaves the comparison of crossings and extrema out.
 */
WSI_FN bool
stop_rilling(const wsi_sift_stats *s, const double p[3], bool compare_crossings)
{
	int64_t extrema = s->counts.extrema[WSI_MAX] + s->counts.extrema[WSI_MIN];
	int64_t excess = s->counts.zero_crossings - extrema;
	bool large = (double)s->above.above_sd > p[2] * (double)s->n || s->above.above_sd2 > 0;
	if (large && extrema > 2)
		return false;
	return !compare_crossings || (excess <= 1 && excess >= -1);
}

/* The rules on sums, after the mean was subtracted. */
WSI_FN bool
stop_sums(ws_stop rule, const wsi_sift_stats *s, const double p[3])
{
	switch (rule) {
	case WS_STOP_SD:
		return s->sum_q2 < p[0];
	case WS_STOP_CAUCHY:
	case WS_STOP_TOLERANCE:
		return s->sum_m2 < p[0] * s->sum_h2;
	case WS_STOP_ENERGY: /* p[1] = 10^(dB / 10), worked out once */
		return s->sum_h2 > p[1] * s->sum_m2;
	default:
		return false;
	}
}

/* Huang's S number: *run counts the sifts in a row that left the numbers of
 * extrema as they were (one may come or go). */
WSI_FN bool
stop_s_number(const wsi_counts *now, const wsi_counts *before, int s_number, int *run)
{
	int64_t a = now->extrema[WSI_MAX] - before->extrema[WSI_MAX];
	int64_t b = now->extrema[WSI_MIN] - before->extrema[WSI_MIN];
	int64_t change = (a < 0 ? -a : a) + (b < 0 ? -b : b);
	*run = change <= 1 ? *run + 1 : 0;
	return *run >= s_number && now->wrong_sign == 0;
}

/*
 * Of a mode, not of a sift.  A mean of envelopes that stays within the range of what is sifted leaves a mode of
 * twice that range at most.  A wider one is an overshoot of splines, such as where what modes have left is flat
 * but for its ends, far from knot to knot.  The first mode is one in any case: a gap in a recording makes the
 * rest of it no less oscillate.
 */
WSI_FN bool
mode_overshoots(double mode_range, double range)
{
	return mode_range > 2.0 * range;
}

#endif
