/* coherence_pair.h - a pair of channels: sums over epochs or over neighbouring times and
 * frequencies, and levels of epochs in another order. */
#ifndef WSI_TRANSFORM_COHERENCE_PAIR_H
#define WSI_TRANSFORM_COHERENCE_PAIR_H

#include "transform/cwt/coherence_parts.h"

/* Levels of the part's row `item`, of a pair and of the pair exchanged. */
void wsi_coherence_put_levels(const wsi_coherence_plan *plan, const wsi_io *io, size_t channel,
                              size_t with, size_t item, double coherence, double locking);
/* A number of the plan's type to the part's row `item`, of a pair and of the pair exchanged. */
void wsi_coherence_put_row(const wsi_epochs_channel *j, int kind, size_t item, size_t t,
                           double value);
/* Over epochs levels by formulae are the same of all pairs. */
void wsi_coherence_levels_of_epochs(const wsi_coherence_plan *plan, const wsi_io *io, size_t count);
/* Items of wsi_epochs_work: a frequency over epochs; a row of sums, averaged in time; a frequency
 * of those, averaged over its neighbours. */
void wsi_coherence_over_epochs(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory);
void wsi_coherence_over_times(void *user, size_t r, wsi_cwt_scratch *scratch, void *memory);
void wsi_coherence_over_frequencies(void *user, size_t item, wsi_cwt_scratch *scratch,
                                    void *memory);
/* Coherence and locking of the part's row `item`, to the places of w and v, and the outputs from
 * which and to before which the ends do not reach; all, where the recording is shorter. */
void wsi_coherence_form_row(const wsi_epochs_channel *j, size_t item,
                            const wsi_coherence_own *own, size_t within[2]);

#endif
