/*
 * algo.h - the algorithms, each once, against ops.
 */
#ifndef WSI_ALGO_H
#define WSI_ALGO_H

#include "algo/sifter.h"
#include "base/progress.h"

/* What an execution works on. */
typedef struct wsi_work {
	const wsi_ops *ops;
	const wsi_params *params;
	size_t channels;
	int threads;
	bool within;            /* threads share each signal, instead of sharing out signals */
	const ws_emd_io *io;
	int max_modes;          /* rows of io->modes per channel */
	wsi_progress *progress;
} wsi_work;

/* Each lays out its workspace in arena; with arena->base NULL it measures and
 * does nothing else.  Errors: WS_E_CANCELLED. */
ws_status wsi_emd(const wsi_work *work, wsi_arena *arena);
ws_status wsi_eemd(const wsi_work *work, wsi_arena *arena);
ws_status wsi_ceemdan(const wsi_work *work, wsi_arena *arena);  /* also Improved CEEMDAN */

/* Rows of the caller's arrays. */
static inline const void *
wsi_input_row(const wsi_work *w, size_t channel)
{
	return (const char *)w->io->x + channel * w->params->samples * w->ops->element;
}

static inline void *
wsi_mode_row(const wsi_work *w, size_t channel, int mode)
{
	size_t row = channel * (size_t)w->max_modes + (size_t)mode;
	return (char *)w->io->modes + row * w->params->samples * w->ops->element;
}

static inline void *
wsi_residue_row(const wsi_work *w, size_t channel)
{
	return (char *)w->io->residue + channel * w->params->samples * w->ops->element;
}

/* Notes the outcome of one mode; thread safe only per channel. */
static inline void
wsi_note_sifts(const wsi_work *w, size_t channel, int mode, int sifts, int unfinished)
{
	if (w->io->sifts) {
		int32_t *s = &w->io->sifts[channel * (size_t)w->max_modes + (size_t)mode];
		*s = sifts > *s ? sifts : *s;
	}
	if (w->io->unfinished)
		w->io->unfinished[channel] += unfinished;
}

#endif
