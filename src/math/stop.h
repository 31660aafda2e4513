/*
 * stop.h - the stop rules of sifting, when they are asked, and which modes are none.  A rule sees
 * nothing but these statistics, so that rules, splines and boundaries do not multiply.
 *
 * A rule is a row of the table, and what it asks of the statistics.  Its options, their defaults
 * and their texts follow from the row (docs/adding-a-stop-rule.md).
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

/*
 * Number, name, the parameters as people write them, how many there are, their defaults (of
 * WS_STOP_FIXED the sifts are none), whose rule it is (BOTH, SINGLE: of a channel by itself, JOINT:
 * of WS_METHOD_MEMD), and what it asks for.
 */
#define WSI_STOP_RULES(FIRST, ROW) \
	FIRST(WS_STOP_FIXED, "fixed", "S", 1, 0.0, 0.0, 0.0, BOTH, WSI_RULE_COUNTS) \
	ROW(WS_STOP_RILLING, "rilling", "SD,SD2,TOL", 3, 0.05, 0.5, 0.05, BOTH, WSI_RULE_SIGNS) \
	ROW(WS_STOP_S_NUMBER, "s-number", "S", 1, 4.0, 0.0, 0.0, SINGLE, \
	    WSI_RULE_COUNTS | WSI_RULE_SIGNS) \
	ROW(WS_STOP_SD, "sd", "LIMIT", 1, 0.25, 0.0, 0.0, SINGLE, WSI_RULE_SUMS) \
	ROW(WS_STOP_CAUCHY, "cauchy", "LIMIT", 1, 0.05, 0.0, 0.0, BOTH, WSI_RULE_SUMS) \
	ROW(WS_STOP_TOLERANCE, "tolerance", "LIMIT,DB", 2, 0.2, 20.0, 0.0, BOTH, WSI_RULE_SUMS) \
	ROW(WS_STOP_ENERGY, "energy", "DB", 1, 50.0, 0.0, 0.0, BOTH, WSI_RULE_SUMS) \
	ROW(WS_STOP_FIX_H, "fix-h", "N", 1, 2.0, 0.0, 0.0, JOINT, WSI_RULE_COUNTS)

enum {
	WSI_RULE_COUNTS = 1,      /* its parameter is a number of sifts */
	WSI_RULE_SIGNS = 2,       /* zero crossings of h and the signs of its extrema are counted */
	WSI_RULE_SUMS = 4         /* it is a rule of stop_sums() */
};

/* A stop rule with all that its schedule depends on. */
typedef struct wsi_rule {
	ws_stop stop;
	double p[3];
	int sifts;                /* WS_STOP_FIXED makes so many */
	int max_sifts;            /* the others at most so many */
	int check_every;          /* sifts between two tests */
	bool at_once;             /* the first sift is judged, whose verdict depends on offsets */
	bool compare_crossings;   /* WS_STOP_RILLING: zero crossings and extrema must agree */
} wsi_rule;

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
#define WSI_OF_SUMS(number, name, form, n, a, b, c, whose, asks) \
	|| (((asks) & WSI_RULE_SUMS) && rule == (number))
	return false WSI_STOP_RULES(WSI_OF_SUMS, WSI_OF_SUMS);
#undef WSI_OF_SUMS
}

/* Must zero crossings and signs be counted? */
WSI_FN bool
stop_needs_signs(ws_stop rule)
{
#define WSI_OF_SIGNS(number, name, form, n, a, b, c, whose, asks) \
	|| (((asks) & WSI_RULE_SIGNS) && rule == (number))
	return false WSI_STOP_RULES(WSI_OF_SIGNS, WSI_OF_SIGNS);
#undef WSI_OF_SIGNS
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

/* ---- The judge -------------------------------------------------------------------------- */

/*
 * A loop of sifts has a judge.  h_i is what i sifts have made, m_i the mean of its envelopes and
 * h_(i+1) = h_i - m_i.  Each sift asks it twice: judge_extrema() once the extrema of h_i are
 * counted, then judge_mean() once m_i is there, with the statistics that judge_wants() names.
 */
typedef struct wsi_judge {
	int run;                  /* sifts, or tests, in a row as S number or fix-h want them */
	wsi_counts before;        /* of h_(i-1) */
} wsi_judge;

typedef enum wsi_verdict {
	WSI_GO_ON,
	WSI_IS_MODE,              /* h_i is the mode */
	WSI_NEXT_IS_MODE,         /* h_(i+1) is */
	WSI_CUT_OFF               /* h_i is taken for it: max_sifts came before the rule held */
} wsi_verdict;

/* Statistics of m_i. */
typedef struct wsi_wants { bool above, sums; } wsi_wants;

/* Is the i-th sift judged?  The first takes off offsets, on which no verdict is to depend; some
 * references do not wait for that. */
WSI_FN bool
judge_sees(const wsi_rule *r, int i)
{
	return i > 0 || r->at_once;
}

WSI_FN wsi_wants
judge_wants(const wsi_rule *r, int i)
{
	const bool seen = judge_sees(r, i);
	const wsi_wants w = {
		stop_is_before(r->stop) && ((seen && i % r->check_every == 0) || i == r->max_sifts),
		stop_needs_sums(r->stop) && seen && (i + 1) % r->check_every == 0
	};
	return w;
}

/* Is h_(i+1) known to be the mode beforehand?  Then nobody needs its extrema. */
WSI_FN bool
judge_ends_with(const wsi_rule *r, int i)
{
	return r->stop == WS_STOP_FIXED && i + 1 == r->sifts;
}

/* agrees, WS_STOP_FIX_H: some direction has as many crossings as extrema, give or take one. */
WSI_FN wsi_verdict
judge_extrema(const wsi_rule *r, wsi_judge *j, int i, const wsi_counts *counts, bool agrees)
{
	if (r->stop == WS_STOP_FIXED)
		return i < r->max_sifts ? WSI_GO_ON : WSI_IS_MODE;
	const bool due = i % r->check_every == 0;
	if (r->stop == WS_STOP_S_NUMBER && i > 0 &&
	    stop_s_number(counts, &j->before, (int)r->p[0], &j->run) && due)
		return WSI_IS_MODE;
	j->before = *counts;
	if (r->stop == WS_STOP_FIX_H) {
		j->run = judge_sees(r, i) && agrees ? j->run + 1 : 0;
		if (judge_sees(r, i) && due && j->run >= (int)r->p[0])
			return WSI_IS_MODE;
	}
	return i < r->max_sifts || stop_is_before(r->stop) ? WSI_GO_ON : WSI_CUT_OFF;
}

WSI_FN wsi_verdict
judge_mean(const wsi_rule *r, int i, const wsi_sift_stats *stats)
{
	if (r->stop == WS_STOP_FIXED)
		return judge_ends_with(r, i) ? WSI_NEXT_IS_MODE : WSI_GO_ON;
	const wsi_wants w = judge_wants(r, i);
	if (w.above && stop_rilling(stats, r->p, r->compare_crossings))
		return WSI_IS_MODE;
	if (i == r->max_sifts)
		return WSI_CUT_OFF;
	return w.sums && stop_sums(r->stop, stats, r->p) ? WSI_NEXT_IS_MODE : WSI_GO_ON;
}

/* ---- Modes -------------------------------------------------------------------------------- */

/*
 * Of a mode, not of a sift.  A mean of envelopes that stays within the range of what is sifted
 * leaves a mode of twice that range at most.  A wider one is an overshoot of splines, such as
 * where what modes have left is flat but for its ends, far from knot to knot.  The first mode is
 * one in any case: a gap in a recording makes the rest of it no less oscillate.
 */
WSI_FN bool
mode_overshoots(double mode_range, double range)
{
	return mode_range > 2.0 * range;
}

#endif
