/*
 * eemd.c - ensemble EMD (Wu & Huang 2009): the mean of the decompositions of
 * x + noise std(x) w_i, mode by mode.  With pairs, realizations 2 j and
 * 2 j + 1 see +w_j and -w_j, and the noise cancels (complementary EEMD).
 *
 * Members may have unequal numbers of modes.  They are aligned at the fast
 * end: mode k is the mean over all members, those without a k-th mode
 * counting as zero there; what a member has left is part of the residue.
 * So the modes and the residue always add up to the mean of the members.
 */
#include <string.h>

#include "algo/ensemble.h"
#include "base/threads.h"

static void
start_members(wsi_ensemble *e, size_t channel, double scale)
{
	const wsi_work *w = e->work;
	const wsi_params *p = w->params;
	const bool independent = p->o.channel_noise == WS_NOISE_INDEPENDENT;
	const uint32_t stream = independent ? (uint32_t)(w->io->first_channel + channel) : 0;
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 1)
	for (int i = 0; i < e->realizations; ++i) {
		wsi_sifter *s = &e->sifters[wsi_thread_rank()];
		void *state = wsi_row(e, e->state, i);
		const double sign = p->o.pairs && (i & 1) ? -1.0 : 1.0;
		memset(s->h[0], 0, e->row);
		if (scale > 0.0)
			wsi_noise_row(e, stream, p->o.pairs ? i / 2 : i, s->h[0]);
		w->ops->add_scaled(state, wsi_input_row(w, channel), s->h[0], sign * scale, p->samples);
		e->extent[i] = wsi_extent_of(s, 0, state);
	}
}

/* Mode `mode` of all members into the caller's row; false where none has it. */
static bool
stage(wsi_ensemble *e, wsi_row_sum *sum, size_t channel, int mode)
{
	const wsi_work *w = e->work;
	bool any = false;
	for (int i0 = 0; i0 < e->realizations; i0 += e->chunk) {
		const int count = e->realizations - i0 < e->chunk ? e->realizations - i0 : e->chunk;
		int sifts = 0, unfinished = 0;
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 1) \
	reduction(|| : any) reduction(max : sifts) reduction(+ : unfinished)
		for (int i = 0; i < count; ++i) {
			wsi_sifted sifted;
			if (wsi_cancelled(w->progress))
				continue;
			if (wsi_next_mode(e, wsi_thread_rank(), i0 + i, w->params->o.max_sifts,
			                  wsi_row(e, e->out, i), &sifted))
				any = true;
			sifts = sifted.sifts > sifts ? sifted.sifts : sifts;
			unfinished += sifted.unfinished;
		}
		if (wsi_cancelled(w->progress))
			return false;
		wsi_row_sum_add(e, sum, e->out, count);
		wsi_note_sifts(w, channel, mode, sifts, unfinished);
		wsi_progress_report(w->progress, ((double)channel + ((double)mode + (double)(i0 + count) /
		                    e->realizations) / w->max_modes) / (double)w->channels);
	}
	wsi_row_sum_take(e, sum, e->realizations, wsi_mode_row(w, channel, mode));
	return any;
}

static void
decompose(wsi_ensemble *e, wsi_row_sum *sum, size_t channel)
{
	const wsi_work *w = e->work;
	const size_t bytes = w->params->samples * w->ops->element;
	double mean, std;
	wsi_mean_std(&e->sifters[0], wsi_input_row(w, channel), &mean, &std);
	start_members(e, channel, w->params->o.noise * std);
	int mode = 0;
	while (mode < w->max_modes && stage(e, sum, channel, mode))
		++mode;
	if (wsi_cancelled(w->progress))
		return;
	for (int i0 = 0; i0 < e->realizations; i0 += e->chunk) {
		const int count = e->realizations - i0 < e->chunk ? e->realizations - i0 : e->chunk;
		wsi_row_sum_add(e, sum, wsi_row(e, e->state, i0), count);
	}
	wsi_row_sum_take(e, sum, e->realizations, wsi_residue_row(w, channel));
	for (int k = mode; k < w->max_modes; ++k)
		memset(wsi_mode_row(w, channel, k), 0, bytes);
	w->io->mode_count[channel] = mode;
}

ws_status
wsi_eemd(const wsi_work *w, wsi_arena *arena)
{
	wsi_ensemble e;
	wsi_row_sum sum;
	wsi_ensemble_layout(&e, w, arena);
	wsi_row_sum_layout(&sum, &e, arena);
	if (!arena->base)
		return WS_OK;
	for (size_t channel = 0; channel < w->channels && !wsi_cancelled(w->progress); ++channel)
		decompose(&e, &sum, channel);
	return WS_OK;
}
