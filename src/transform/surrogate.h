/*
 * surrogate.h - surrogates: signals of noise that replace a channel's and are independent of all
 * other channels; for the coherence of channels and the phase locking of modes.
 */
#ifndef WSI_TRANSFORM_SURROGATE_H
#define WSI_TRANSFORM_SURROGATE_H

#include "base/arena.h"
#include "cpu/fft/dft.h"
#include "wavesift/cwt.h"

/* How surrogates are made. */
typedef struct wsi_surrogates {
	ws_significance noise;  /* WS_SIGNIFICANCE_PHASE, WS_SIGNIFICANCE_AR1,
	                           WS_SIGNIFICANCE_SHUFFLE */
	uint64_t seed;
	ws_type type;
	wsi_dft dft;            /* of all samples; of WS_SIGNIFICANCE_PHASE */
} wsi_surrogates;

/* Bytes of scratch of the next; a multiple of 64. */
size_t wsi_surrogate_scratch(const wsi_surrogates *s, size_t samples);
/* Surrogate number `number` of a channel with samples x, to out: the same whatever else is made.
 * Phases: the channel's spectrum of magnitudes, mean included, each phase drawn at random.  AR(1):
 * Gaussian noise of its mean, variance and correlation at lag 1. */
void wsi_surrogate_make(const wsi_surrogates *s, const void *x, size_t samples, size_t channel,
                        size_t number, void *out, void *scratch);

/* Order `number` of a channel's epochs, drawn at random; 0: as they are. */
void wsi_surrogate_order(const wsi_surrogates *s, size_t channel, size_t number, size_t epochs,
                         size_t *order);

#endif
