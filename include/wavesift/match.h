/*
 * match.h - which modes of two decompositions of one signal are the same.
 */
#ifndef WAVESIFT_MATCH_H
#define WAVESIFT_MATCH_H

#include "wavesift/wavesift.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matches the modes of a and of b, which keep their order: a mode equals one, several neighbours
 * added up, or nothing.  covariance: [n_a + n_b][n_a + n_b], of the modes of a and then of those of
 * b, over all samples; a common factor makes no difference.  group gets for each of these modes the
 * number of its group, from 0, or -1 where nothing equals it; groups keep the order of a and of b.
 * At most 1024 modes of either.  WS_E_ARG, also where a covariance is not finite; WS_E_NOMEM. */
WS_API ws_status ws_match_modes(const double *covariance, size_t n_a, size_t n_b, int32_t *group);

#ifdef __cplusplus
}
#endif
#endif
