/*
 * padding.h - what stands beside the samples of a padded signal.
 */
#ifndef WSI_MATH_PADDING_H
#define WSI_MATH_PADDING_H

#include <stdbool.h>
#include <stddef.h>

#include "math/exponential.h"
#include "wavesift/cwt.h"

/* A value between two samples: that of `before`, and a share of what `after` has more. */
typedef struct padding_place {
	size_t before, after;   /* samples */
	double share;           /* 0: before; 1: after */
} padding_place;

/* The sample that mirrored place i shows, i of any size. */
WSI_FN size_t
padding_mirrored(size_t n, size_t i)
{
	if (n == 1)
		return 0;
	const size_t period = 2 * (n - 1), along = i < period ? i : i % period;
	return along < n ? along : period - along;
}

/* The middle fifth of a gap, from padding_fade() on, padding_fades() places at most. */
WSI_FN size_t
padding_fade(size_t gap)
{
	return 2 * gap / 5;
}

WSI_FN size_t
padding_fades(size_t gap)
{
	return gap / 5 + 2;
}

/* padding_place.share of place i of a gap. */
WSI_FN double
padding_share(size_t gap, size_t i)
{
	const double v = 5.0 * ((double)i + 0.5) / (double)gap - 2.0;
	return v <= 0.0 ? 0.0 : v >= 1.0 ? 1.0 :
		1.0 / (1.0 + exponential(1.0 / v - 1.0 / (1.0 - v)));
}

/*
 * Place t of a signal of n samples padded to `length`, n <= t < length; padding is not zero.  The
 * gap begins with the mirror image of the end and ends with that of the beginning.  They meet
 * without a step (but where `steps` is asked for), which would outshine the signal where it drifts:
 * in the gap's middle fifth one fades into the other,
 *     h(v) = 1 / (1 + e^{1 / v - 1 / (1 - v)}),   0 < v < 1.
 */
WSI_FN padding_place
padding_at(ws_padding padding, bool steps, size_t n, size_t length, size_t t)
{
	const size_t gap = length - n;
	padding_place p = { 0, 0, 0.0 };
	if (padding == WS_PADDING_PERIODIC) {
		p.before = t - n < gap / 2 ? (t - n) % n : n - 1 - (length - 1 - t) % n;
		return p;
	}
	p.before = padding_mirrored(n, t);
	p.after = padding_mirrored(n, length - t);
	p.share = !steps ? padding_share(gap, t - n) : t - n < gap / 2 ? 0.0 : 1.0;
	return p;
}

/* The value between these two, by their halves: the difference of the largest numbers is none. */
WSI_FN double
padding_between(double before, double after, double share)
{
	const double half = 0.5 * before;
	return share <= 0.0 ? before : share >= 1.0 ? after
	       : 2.0 * fma(share, 0.5 * after - half, half);
}

#endif
