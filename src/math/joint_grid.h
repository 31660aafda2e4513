/* joint_grid.h - the cuts of multivariate EMD that are part of its numerics. */
#ifndef WSI_MATH_JOINT_GRID_H
#define WSI_MATH_JOINT_GRID_H

/* Samples whose envelopes come from one window of knots (math/joint.h). */
#define WSI_JOINT_TILE 256
/* An envelope is added as one cubic to so many aligned samples: to a block, if no knot lies behind
 * its first sample; else to its parts, and to that the jumps at the knots within them. */
#define WSI_JOINT_BLOCK 32
#define WSI_JOINT_PART 4
#define WSI_JOINT_BLOCKS (WSI_JOINT_TILE / WSI_JOINT_BLOCK)
#define WSI_JOINT_PARTS (WSI_JOINT_TILE / WSI_JOINT_PART)
/* Knots of a window either side of the tile's own. */
#define WSI_JOINT_REACH_64 24
#define WSI_JOINT_REACH_32 14
/* Knots of a window, at most: those of a kind lie two samples apart, but for the signal's ends. */
#define WSI_JOINT_WINDOW (WSI_JOINT_TILE / 2 + 2 * WSI_JOINT_REACH_64 + 8)

/* memd.m takes a projection that stays below this, in the signal's unit, for zero. */
#define WSI_JOINT_VANISHED 1e-6

/* Directions d, d + 8, d + 16, .. are added one after the other; the eight sums
 * by a binary tree. */
#define WSI_JOINT_SUMS 8

#endif
