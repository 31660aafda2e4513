/*
 * joint_channel.h - template: what joint.h leaves to do for each channel.
 * REAL may be a vector of channels; what depends on times is the same in all
 * its lanes.
 */
#include "math/real.h"

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

/* What the cubic after a knot, n2 and n3, has more than the one before it, of a knot u
 * earlier: 1 and 2 samples later. Value and slope are the same for both. */
WSI_FN void
FN(joint_jump)(REAL c2, REAL c3, REAL u, REAL n2, REAL n3, REAL *one, REAL *two)
{
	/* d^2 (j2 + d j3) at d = 1, 2. */
	const REAL j2 = n2 - FMA(c3 + c3 + c3, u, c2), j3 = n3 - c3, half = j2 + (j3 + j3);
	*one = j2 + j3;
	*two = (half + half) + (half + half);
}
