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
