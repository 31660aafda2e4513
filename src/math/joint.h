/*
 * joint.h - template: the spline of many channels through the same knot
 * times (multivariate EMD), tile by tile.
 *
 * A tile of WSI_JOINT_TILE samples, on a fixed grid, sees a window of knots:
 * those of its intervals and JOINT_REACH more either side.  All that depends
 * on times only is worked out once a window, by elimination from left to
 * right; a channel then takes four products a knot,
 *     p_j = A_j D_{j-1} + B_j D_j + L_j p_{j-1}     D_j = v_{j+1} - v_j
 *     s_j = p_j + Q_j s_{j+1}                       from right to left.
 * What the window cuts off reaches its tile weakened by at least 2 a knot, by
 * 3.7 where knots are about evenly spaced: no more than rounding, unless intervals
 * grow by 1.3 a knot and more over all of the reach (tests/test_math.c measures it).
 * The grid is part of the numerics: docs/decisions/0008-memd.md.
 */
#include <stdbool.h>

#include "math/joint_grid.h"
#include "math/real.h"

#undef JOINT_REACH
#if REAL_BITS == 64
#define JOINT_REACH WSI_JOINT_REACH_64
#else
#define JOINT_REACH WSI_JOINT_REACH_32
#endif

/* Row j of the system, s_j = a s_{j-1} + c s_{j+1} + f D_{j-1} + g D_j. */
typedef struct FN(joint_row) { REAL a, c, f, g; } FN(joint_row);

/* An end slope that follows from its neighbour's: s = f D + g D' - q s', D the
 * outer difference, D' the next. */
typedef struct FN(joint_end) { REAL f, g, q; } FN(joint_end);

/* Inner knot between intervals of h0 and h1; i0 = 1 / h0, i1 = 1 / h1,
 * i01 = 1 / (h0 + h1).  As spline_row (math/spline.h). */
WSI_FN FN(joint_row)
FN(joint_inner)(REAL h0, REAL h1, REAL i0, REAL i1, REAL i01)
{
	const REAL w = (REAL)0.5 * i01;
	const REAL w0 = h0 * w, w1 = h1 * w;
	const FN(joint_row) r = { -w1, -w0, (REAL)3 * w1 * i0, (REAL)3 * w0 * i1 };
	return r;
}

/* The pivot of a row after the one that ended with Q = q. */
WSI_FN REAL
FN(joint_pivot)(REAL a, REAL q)
{
	return (REAL)1 / FMA(-a, q, (REAL)1);
}

/*
 * Not-a-knot: h0, i0 of the outermost interval, h1, i1 of the next.  `outer`
 * and `inner` are the row's weights of the outermost difference and the next,
 * `outward` and `inward` its couplings; all change (math/spline.h).
 */
WSI_FN FN(joint_end)
FN(joint_not_a_knot)(REAL h0, REAL h1, REAL i0, REAL i1, REAL i01, REAL *outward, REAL *inward,
                     REAL *outer, REAL *inner)
{
	const REAL sum = h0 + h1, scale = i01 * i1;
	FN(joint_end) e;
	e.f = FMA((REAL)2, sum, h0) * h1 * scale * i0;
	e.g = h0 * h0 * scale * i1;
	e.q = sum * i1;
	*outer = (REAL)2 * FMA(*outward, e.f, *outer);
	*inner = (REAL)2 * FMA(*outward, e.g, *inner);
	*inward = (REAL)2 * *inward;
	*outward = (REAL)0;
	return e;
}

/* Three knots in all: a parabola.  Its middle row, and the end slopes 2 d - s. */
WSI_FN FN(joint_row)
FN(joint_parabola)(REAL h0, REAL h1, REAL i0, REAL i1, REAL i01)
{
	const FN(joint_row) r = { (REAL)0, (REAL)0, h1 * i01 * i0, h0 * i01 * i1 };
	return r;
}

WSI_FN FN(joint_end)
FN(joint_parabola_end)(REAL i0)
{
	const FN(joint_end) e = { (REAL)2 * i0, (REAL)0, (REAL)1 };
	return e;
}

/*
 * The value at an end of the line through the two extrema of a kind nearest to it, a and the next,
 * b, where that is more extreme than the end sample's y; else y.  ahead: boundary_ahead().
 */
WSI_FN REAL
FN(joint_line)(REAL y, REAL a, REAL b, REAL ahead, bool larger)
{
	const REAL line = FMA(ahead, a - b, a);
	return (larger ? line > y : line < y) ? line : y;
}
