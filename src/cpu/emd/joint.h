/*
 * joint.h - the sifting loop of several channels together (multivariate EMD,
 * Rehman & Mandic 2010).
 *
 * A sift is three passes, each shared out among all threads: the steps of all
 * projections, word by word; their extrema and knots, direction by direction
 * (joint_knots.c); h minus the mean of all envelopes, tile by tile.
 */
#ifndef WSI_CPU_JOINT_H
#define WSI_CPU_JOINT_H

#include "cpu/emd/joint_knots.h"

/* channels: those of one signal, noise included. */
void wsi_joint_layout(wsi_joint *j, const wsi_ops *ops, const wsi_params *params, int threads,
                      wsi_progress *progress, wsi_arena *arena);

/* pool: between its start and stop. */
void wsi_joint_sift(wsi_joint *j, wsi_pool *pool, const wsi_joint_job *job);

#endif
