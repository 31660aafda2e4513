/* joint_grid.h - the cuts of multivariate EMD that are part of its numerics. */
#ifndef WSI_MATH_JOINT_GRID_H
#define WSI_MATH_JOINT_GRID_H

/* Samples whose envelopes come from one window of knots (math/joint.h). */
#define WSI_JOINT_TILE 256
/* Samples, aligned, to which an envelope is added as one cubic: a block, if no knot
 * starts after its first sample; else its parts, and what changes at knots in them. */
#define WSI_JOINT_BLOCK 32
#define WSI_JOINT_PART 4
#define WSI_JOINT_BLOCKS (WSI_JOINT_TILE / WSI_JOINT_BLOCK)
#define WSI_JOINT_PARTS (WSI_JOINT_TILE / WSI_JOINT_PART)
/* Knots of a window either side of the tile's own. */
#define WSI_JOINT_REACH_64 24
#define WSI_JOINT_REACH_32 14
/* Most knots of a window: those of a kind lie two samples apart, but at ends. */
#define WSI_JOINT_WINDOW (WSI_JOINT_TILE / 2 + 2 * WSI_JOINT_REACH_64 + 8)

/* memd.m takes a projection that stays below this, in the signal's unit, for zero. */
#define WSI_JOINT_VANISHED 1e-6

/* Directions d, d + 8, d + 16, .. are added one after the other; the eight sums
 * by a binary tree. */
#define WSI_JOINT_SUMS 8

#endif
