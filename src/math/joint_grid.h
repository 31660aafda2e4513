/* joint_grid.h - the cuts of multivariate EMD that are part of its numerics. */
#ifndef WSI_MATH_JOINT_GRID_H
#define WSI_MATH_JOINT_GRID_H

/* Samples whose envelopes come from one window of knots (math/joint.h). */
#define WSI_JOINT_TILE 256
/* Knots of a window either side of the tile's own. */
#define WSI_JOINT_REACH_64 24
#define WSI_JOINT_REACH_32 14
/* Most knots of a window: those of a kind lie two samples apart, but at ends. */
#define WSI_JOINT_WINDOW (WSI_JOINT_TILE / 2 + 2 * WSI_JOINT_REACH_64 + 8)

/* Directions d, d + 8, d + 16, .. are added one after the other; the eight sums
 * by a binary tree. */
#define WSI_JOINT_SUMS 8

#endif
