/*
 * emd.c - empirical mode decomposition (Huang et al. 1998): extract the
 * fastest mode by sifting, subtract it, go on with the rest.
 */
#include <string.h>

#include "algo/algo.h"
#include "base/threads.h"

/* One channel by a team; each member moves its own range of samples. */
static void
decompose(const wsi_work *w, wsi_sifter *s, int rank, size_t channel)
{
	const wsi_params *p = w->params;
	const size_t element = w->ops->element;
	size_t first, count;
	wsi_team_range(s, rank, &first, &count);
	const size_t offset = first * element, bytes = count * element;
	char *r = (char *)s->r + offset;
	memcpy(r, (const char *)wsi_input_row(w, channel) + offset, bytes);
	wsi_team_wait(s);
	const wsi_extent input = wsi_extent_of(s, rank, s->r);
	wsi_sifter_scale(s, rank, input);
	const double energy = p->max_energy_ratio > 0.0 ? wsi_energy(s, rank, s->r) : 0.0;
	int mode = 0;
	while (mode < w->max_modes) {
		if (energy > 0.0 && energy > p->max_energy_ratio * wsi_energy(s, rank, s->r))
			break;
		wsi_sifted out = wsi_extract(s, rank, input.range, p->o.max_sifts);
		if (out.cancelled || !out.oscillates)
			break;
		char *row = (char *)wsi_mode_row(w, channel, mode) + offset;
		memcpy(row, (const char *)out.mode + offset, bytes);
		w->ops->subtract(r, r, row, count);
		if (rank == 0)
			wsi_note_sifts(w, channel, mode, out.sifts, out.unfinished);
		++mode;
		wsi_team_wait(s);
		/* Only now: the user may cancel, and all have read out.cancelled of this mode. */
		if (rank == 0 && s->reports && s->size > 1)
			wsi_progress_report(s->progress, ((double)channel + (double)mode / w->max_modes) /
			                                         (double)w->channels);
	}
	memcpy((char *)wsi_residue_row(w, channel) + offset, r, bytes);
	for (int k = mode; k < w->max_modes; ++k)
		memset((char *)wsi_mode_row(w, channel, k) + offset, 0, bytes);
	if (rank == 0)
		w->io->mode_count[channel] = mode;
	wsi_team_wait(s);
}

static void
across_channels(const wsi_work *w, wsi_sifter *sifters)
{
	atomic_size_t done;
	atomic_init(&done, 0);
#pragma omp parallel num_threads(w->threads)
	{
		const int thread = wsi_thread_rank();
#pragma omp for schedule(dynamic, 1)
		for (size_t channel = 0; channel < w->channels; ++channel) {
			if (wsi_cancelled(w->progress))
				continue;
			decompose(w, &sifters[thread], 0, channel);
			size_t n = atomic_fetch_add(&done, 1) + 1;
			if (sifters[thread].reports)
				wsi_progress_report(w->progress, (double)n / (double)w->channels);
		}
	}
}

static void
within_channels(const wsi_work *w, wsi_sifter *s)
{
#pragma omp parallel num_threads(w->threads)
	{
		/* The runtime may give fewer threads than asked for. */
#pragma omp single
		wsi_team_start(s, wsi_team_size());
		for (size_t channel = 0; channel < w->channels && !wsi_cancelled(w->progress); ++channel)
			decompose(w, s, wsi_thread_rank(), channel);
	}
}

/* Workspace: a sifter for each thread, or one for all. */
ws_status
wsi_emd(const wsi_work *w, wsi_arena *arena)
{
	const int n = w->within ? 1 : w->threads;
	wsi_sifter *sifters = wsi_arena_take(arena, (size_t)n * sizeof *sifters);
	for (int i = 0; i < n; ++i) {
		wsi_sifter s;
		wsi_sifter_layout(&s, w->ops, w->params, w->within ? w->threads : 1, true, w->progress,
		                  arena);
		s.reports = i == 0;
		if (sifters)
			sifters[i] = s;
	}
	if (!arena->base)
		return WS_OK;
	if (w->within)
		within_channels(w, sifters);
	else
		across_channels(w, sifters);
	return WS_OK;
}
