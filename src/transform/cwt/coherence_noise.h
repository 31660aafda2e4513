/* coherence_noise.h - what unrelated channels seldom exceed, by signals of noise in the place of a
 * pair's: levels over time, and clusters of cells above a level. */
#ifndef WSI_TRANSFORM_COHERENCE_NOISE_H
#define WSI_TRANSFORM_COHERENCE_NOISE_H

#include "transform/cwt/coherence_parts.h"

/* wsi_epochs_work.after of a pair: clusters of shuffled epochs, whose maps are there. */
ws_status wsi_coherence_clusters(const wsi_epochs_channel *pair, double begin, double end);
/* The same: levels, by signals of noise that have its channels' spectra, and its clusters. */
ws_status wsi_coherence_noise(const wsi_epochs_channel *pair, double begin, double end);

#endif
