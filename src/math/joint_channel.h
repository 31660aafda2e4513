/*
 * joint_channel.h - template: what joint.h leaves to do for each channel.
 * REAL may be a vector of channels; what depends on times is the same in all
 * its lanes.
 */
#include "math/real.h"

/* A projection on a direction u is the sum of u x over all channels, first channel first. */
WSI_FN REAL
FN(project_first)(REAL x, REAL u)
{
	return x * u;
}

WSI_FN REAL
FN(project_next)(REAL sum, REAL x, REAL u)
{
	return FMA(x, u, sum);
}

/* p_j from the differences either side and p_{j-1}. */
WSI_FN REAL
FN(joint_forward)(REAL a, REAL b, REAL l, REAL d0, REAL d1, REAL p)
{
	return FMA(l, p, FMA(a, d0, b * d1));
}

/* s_j from p_j and s_{j+1}. */
WSI_FN REAL
FN(joint_backward)(REAL q, REAL p, REAL s1)
{
	return FMA(q, s1, p);
}

/* An end slope (joint.h). */
WSI_FN REAL
FN(joint_end_slope)(REAL f, REAL g, REAL q, REAL d0, REAL d1, REAL s)
{
	return FMA(f, d0, FMA(g, d1, -(q * s)));
}

/* The cubic of an interval (math/cubic.h) of difference d, slopes s0 and s1;
 * i = 1 / length, i2 = i * i. */
WSI_FN void
FN(joint_cubic)(REAL d, REAL i, REAL i2, REAL s0, REAL s1, REAL *c2, REAL *c3)
{
	const REAL e0 = FMA(d, i, -s0), e1 = FMA(-d, i, s1);
	const REAL bend = e1 - e0;
	*c2 = (e0 - bend) * i;
	*c3 = bend * i2;
}

/* The cubic as one of the time since u (Horner's scheme). */
WSI_FN void
FN(joint_recentre)(REAL *c0, REAL *c1, REAL *c2, REAL c3, REAL u)
{
	const REAL b2 = FMA(c3, u, *c2), b1 = FMA(b2, u, *c1);
	*c0 = FMA(b1, u, *c0);
	*c2 = FMA(c3, u, b2);
	*c1 = FMA(*c2, u, b1);
	*c2 = FMA(c3, u, *c2);
}

/*
 * The jump at a knot: the cubic after it (coefficients n2, n3) less the one before it (c2, c3, of
 * the knot that is u earlier) is d^2 (j2 + d j3) at d samples behind the knot.  Both have the same
 * value and slope there.
 */
WSI_FN void
FN(joint_bend)(REAL c2, REAL c3, REAL u, REAL n2, REAL n3, REAL *j2, REAL *j3)
{
	*j2 = n2 - FMA(c3 + c3 + c3, u, c2);
	*j3 = n3 - c3;
}

/* The jump 1 and 2 samples behind the knot. */
WSI_FN void
FN(joint_jump)(REAL c2, REAL c3, REAL u, REAL n2, REAL n3, REAL *one, REAL *two)
{
	REAL j2, j3;
	FN(joint_bend)(c2, c3, u, n2, n3, &j2, &j3);
	const REAL half = j2 + (j3 + j3);
	*one = j2 + j3;
	*two = (half + half) + (half + half);
}

/* The jump d samples behind the knot; for one that lies between two samples. */
WSI_FN REAL
FN(joint_jump_at)(REAL j2, REAL j3, REAL d)
{
	return FMA(d, j3, j2) * (d * d);
}

/*
 * The jump for a whole part of four samples, of which the knot lies between the first and the
 * second: the cubic c1 u + c2 u^2 + c3 u^3, u samples behind the first, that is 0 at the first and
 * equals the jump at the other three.  The jump's own cubic would be e at the first sample, so
 * e (1 - u) (2 - u) (3 - u) / 6 is taken off it.
 * before: -0.5; w1, w3: 11 / 6 and 1 / 6 (all arguments, since REAL may be a vector).
 */
WSI_FN void
FN(joint_part_jump)(REAL j2, REAL j3, REAL before, REAL w1, REAL w3, REAL *c1, REAL *c2, REAL *c3)
{
	const REAL b2 = FMA(j3, before, j2), b1 = b2 * before, e = b1 * before;
	const REAL a2 = FMA(j3, before, b2);
	*c1 = FMA(e, w1, FMA(a2, before, b1));
	*c2 = FMA(j3, before, a2) - e;
	*c3 = FMA(e, w3, j3);
}
