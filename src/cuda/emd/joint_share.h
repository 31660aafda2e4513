/*
 * joint_share.h - joint sifting by several devices of a host, each with an engine and a thread.
 *
 * Each has all samples, and sifts the tiles from first_tile to end_tile.  A sift:
 *
 *     projections of own tiles  ->  take the others' steps  ->  knots of all, means of own tiles
 *                               ->  take the others' samples
 *
 * A step is what a projection does from one sample to the next: it rises, falls, or neither.  Each
 * device finds all knots, since to send them would take longer.  Every sum over directions is made
 * by one device, so the bits are those of one device alone.  Copies wait, in their stream, for an
 * event of the device that made what they copy; the threads meet so that nobody waits
 * for an event that is not recorded yet.
 */
#ifndef WSI_CUDA_JOINT_SHARE_H
#define WSI_CUDA_JOINT_SHARE_H

#include <cuda_runtime.h>

#include "base/peers.h"
#include "ops/engine.h"

struct cuda_engine;
struct joint_state;
template <class T> struct joint_signal;

/* Rising, falling; above and below zero. */
constexpr int JOINT_STEPS = 4;

/* What a device lets the others see. */
struct joint_shown {
	int device, first_tile, end_tile;
	uint32_t *steps[JOINT_STEPS]; /* joint_signal's, NULL where there are none */
	const void *h[2];
	cudaEvent_t stepped, sifted;
	unsigned long long above_sd, above_sd2; /* of own tiles */
	const double *sums;           /* of own tiles; on the host */
};

/* Where a kernel finds the others' steps. */
struct joint_others {
	int n;
	struct {
		const uint32_t *steps[JOINT_STEPS];
		int first_word, end_word;
	} of[WSI_MOST_PEERS];
};

struct joint_share {
	const wsi_joint_job *job;     /* NULL: this device has all tiles */
	joint_shown mine;
	bool asked, within_reach;     /* do devices reach each other's memory? */
};

/* Sets the tiles of s: all of them, where the job is not shared, or where devices do not reach each
 * other's memory. */
template <class T> void joint_share_begin(cuda_engine *c, joint_signal<T> &s,
                                          const wsi_joint_job *job);
/* Of the steps of h[at], or of its samples, the stream has just made those of own tiles: takes
 * those of the others' tiles. */
template <class T> void joint_share_steps(cuda_engine *c, const joint_signal<T> &s, int at);
template <class T> void joint_share_samples(cuda_engine *c, const joint_signal<T> &s, int at);
/* Adds the others' counts to `state`, and puts their sums of blocks beside own ones in `sums`,
 * unless that is NULL.  The stream must have been waited for. */
template <class T> void joint_share_statistics(cuda_engine *c, const joint_signal<T> &s,
                                               joint_state *state, double *sums);
/* Waits until nobody looks at this device's memory any more.  The stream must have been waited
 * for. */
void joint_share_end(cuda_engine *c);

#endif
