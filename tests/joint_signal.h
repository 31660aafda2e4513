/*
 * joint_signal.h - signals of several channels and directions, for the tests of
 * multivariate EMD's steps.
 */
#ifndef JOINT_SIGNAL_H
#define JOINT_SIGNAL_H

#include "core_test.h"
#include "ops/ops.h"

/* Rows beyond the signal for a side of an envelope, at most. */
enum { EXTRAS = WSI_JOINT_REACH_64 };

typedef struct joint {
	ws_type type;
	size_t channels, lanes, n, directions, padded, words, tiles;
	char *h;                /* [row][lane] */
	char *middle;           /* [sample][lane] noise */
	char *u;                /* [channel][direction] */
} joint;

/* Channels of any kind, the first of `kind`, in the rows of samples, noise in those
 * beyond; the first direction sees the first channel only, as it is. */
joint joint_new(rng *r, ws_type type, size_t channels, size_t directions, size_t n,
                signal_kind kind);
void joint_free(joint *j);

#endif
