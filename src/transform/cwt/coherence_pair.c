/* coherence_pair.c - sums of a pair of channels, what is formed of them, and levels of shuffled
 * epochs. */
#include "transform/cwt/coherence_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/rising.h"

/* ---- Sums of a pair ---------------------------------------------------------------------- */

#define TEMPLATE "transform/cwt/coherence_put.h"
#include "math/both_types.h"

static void
clear_sums(const wsi_coherence_own *own, size_t n)
{
	memset(own->power_w, 0, (size_t)((char *)own->unit_im - (char *)own->power_w) +
	       n * sizeof(double));
}

/* One epoch to the sums. */
static void
add_pair(const wsi_cwt *cwt, const void *w, const void *v, const wsi_coherence_own *own)
{
	cwt->ops->cwt->add_pair(&(wsi_cwt_pair){
		.w = w, .v = v, .count = cwt->outputs, .power_w = own->power_w,
		.power_v = own->power_v, .re = own->re, .im = own->im, .unit_re = own->unit_re,
		.unit_im = own->unit_im });
}

/* Sums over epochs at frequency f.  kept: where the coefficients of the channel beside are kept,
 * which the first channel makes before others begin; NULL: each makes them. */
static void
add_epochs(const wsi_epochs_channel *j, size_t f, const wsi_coherence_own *own,
           wsi_cwt_scratch *scratch, char *kept)
{
	const wsi_cwt_execution *e = j->execution;
	const wsi_cwt *cwt = e->plan->cwt;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	const size_t n = cwt->outputs, epochs = e->plan->epochs;
	const bool known = kept && j->channel != (wsi_coherence_of_all(plan) ? j->with : 0);
	const bool itself = kept && j->channel == j->with;
	clear_sums(own, n);
	for (size_t k = 0; k < epochs && wsi_cwt_goes_on(scratch); ++k) {
		const size_t at = k * wsi_cwt_spectrum_bytes(cwt);
		char *v = kept ? kept + k * wsi_coherence_row_bytes(plan)
			: own->v + k * own->next;
		char *w = itself ? v : own->w + k * own->next;
		if (!known)
			wsi_cwt_one(cwt, j->beside + at, f, WS_QUANTITY_COMPLEX, false, 0, n, v,
			            scratch);
		if (!itself)
			wsi_cwt_one(cwt, e->spectra + at, f, WS_QUANTITY_COMPLEX, false, 0, n, w,
			            scratch);
		add_pair(cwt, w, v, own);
	}
}

/* Where row or number `item` of the part is, of a channel and its partner; NULL: nowhere. */
static void *
place(const wsi_coherence_plan *plan, const wsi_io *io, int kind, size_t channel, size_t partner,
      size_t item)
{
	const bool all = wsi_coherence_of_all(plan);
	const ws_buffer *b = &io->arrays[wsi_coherence_array[all][kind]];
	const size_t at = channel * b->stride[0] +
		(all ? partner * b->stride[1] + item * b->stride[2] : item * b->stride[1]);
	return b->data ? (char *)b->data + at : NULL;
}

/* Levels of the part's row `item`, of a pair and of the pair exchanged. */
void
wsi_coherence_put_levels(const wsi_coherence_plan *plan, const wsi_io *io, size_t channel,
                         size_t with, size_t item, double coherence, double locking)
{
	const double levels[] = { coherence, locking };
	for (int exchanged = 0; exchanged < 1 + wsi_coherence_of_all(plan); ++exchanged)
		for (int k = 0; k < 2; ++k) {
			double *to = place(plan, io, PAIR_LEVEL + k,
			                   exchanged ? with : channel,
			                   exchanged ? channel : with, item);
			if (to)
				*to = channel == with ? NAN : levels[k];
		}
}

/* Row `item` of the part, of a channel and its partner. */
static void
put(const wsi_coherence_plan *plan, const wsi_io *io, size_t channel, size_t partner, size_t item,
    const wsi_coherence_own *own)
{
	void *out[PAIR_ROWS];
	for (int kind = 0; kind < PAIR_ROWS; ++kind)
		out[kind] = place(plan, io, kind, channel, partner, item);
	if (plan->family.cwt->type == WS_F64)
		put_f64(own, plan->outputs, (double)plan->family.epochs, out);
	else
		put_f32(own, plan->outputs, (double)plan->family.epochs, out);
}

/* The row of a pair, and that of the pair exchanged. */
static void
put_both(const wsi_epochs_channel *j, size_t item, const wsi_coherence_own *own)
{
	const wsi_io *io = j->execution->io;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	put(plan, io, j->channel, j->with, item, own);
	if (plan->o.against != WS_AGAINST_ALL || j->channel == j->with)
		return;
	for (size_t t = 0; t < plan->outputs; ++t)
		own->im[t] = -own->im[t];
	put(plan, io, j->with, j->channel, item, own);
}

/* Numbers of the plan's type to the part's row `item`, of a pair and of the pair exchanged. */
void
wsi_coherence_put_row(const wsi_epochs_channel *j, int kind, size_t item, size_t t, double value)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	for (int exchanged = 0; exchanged < 1 + wsi_coherence_of_all(plan); ++exchanged) {
		void *to = place(plan, j->execution->io, kind, exchanged ? j->with : j->channel,
		                 exchanged ? j->channel : j->with, item);
		if (to)
			wsi_real_put(to, plan->family.cwt->type, t, value);
	}
}

/* ---- Shuffled epochs ---------------------------------------------------------------------- */

/* The level of each time of the part's row `item`, and what is above it in each order: the evoked
 * responses of both channels are in every one of them (Lachaux et al. 1999). */
static void
put_shuffled(const wsi_epochs_channel *j, size_t item, const wsi_coherence_own *own)
{
	const wsi_cwt_execution *e = j->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	const size_t n = plan->outputs, signals = (size_t)plan->o.noise_signals;
	wsi_arena arena = { .base = e->shared };
	const wsi_coherence_shared shared = wsi_coherence_take_shared(plan, &arena);
	for (int k = 0; k < 2; ++k)
		for (size_t t = 0; t < n; ++t) {
			for (size_t i = 0; i < signals; ++i)
				own->sorted[i] = own->values[k][(1 + i) * n + t];
			qsort(own->sorted, signals, sizeof *own->sorted, wsi_rising);
			const double level = wsi_level_among(own->sorted, signals, plan->o.level);
			const double own_too = wsi_level_with(own->sorted, signals, plan->o.level,
			                                      own->values[k][t]);
			wsi_coherence_put_row(j, PAIR_SHUFFLED + k, item, t, level);
			for (size_t i = 0; plan->o.clusters && i <= signals; ++i)
				wsi_coherence_map_row(plan, &shared, i, k, item)[t] =
					wsi_cluster_cell(own->values[k][i * n + t], own_too);
		}
}

/* Coherence and locking at a frequency with the epochs of the channel beside in other orders; own
 * has the coefficients of all epochs. */
static void
shuffle(const wsi_epochs_channel *j, size_t item, const wsi_coherence_own *own,
        wsi_cwt_scratch *scratch)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	const size_t n = plan->outputs, epochs = plan->family.epochs;
	for (size_t i = 0; i <= (size_t)plan->o.noise_signals && wsi_cwt_goes_on(scratch); ++i) {
		void *out[PAIR_ROWS] = { own->values[0] + i * n, own->values[1] + i * n };
		wsi_surrogate_order(&plan->surrogates, j->channel, i, epochs, own->order);
		clear_sums(own, n);
		for (size_t k = 0; k < epochs; ++k)
			add_pair(plan->family.cwt, own->w + k * own->next,
			         own->v + own->order[k] * own->next, own);
		put_f64(own, n, (double)epochs, out);
	}
	if (wsi_cwt_goes_on(scratch))
		put_shuffled(j, item, own);
}

/* Neither a level nor a cluster: of a channel with itself, and before there are any. */
static void
put_none(const wsi_epochs_channel *j, size_t item)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	for (int kind = PAIR_SHUFFLED; kind < PAIR_KINDS; ++kind)
		for (size_t t = 0; wsi_coherence_has(plan, kind) && t < plan->outputs; ++t)
			wsi_coherence_put_row(j, kind, item, t, kind < PAIR_CLUSTERS ? NAN : 1.0);
}

void
wsi_coherence_over_epochs(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	wsi_arena arena = { .base = memory };
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	const wsi_coherence_own own = wsi_coherence_take_own(plan, &arena);
	arena = (wsi_arena){ .base = j->execution->shared };
	char *kept = wsi_coherence_take_shared(plan, &arena).kept;
	if (kept)
		kept += item * plan->family.epochs * wsi_coherence_row_bytes(plan);
	add_epochs(j, j->execution->first + item, &own, scratch, kept);
	put_both(j, item, &own);
	if (plan->shuffle && j->channel != j->with)
		shuffle(j, item, &own, scratch);
	else
		put_none(j, item);
}

/* Over epochs they are the same of all pairs. */
void
wsi_coherence_levels_of_epochs(const wsi_coherence_plan *plan, const wsi_io *io, size_t count)
{
	const size_t channels = plan->family.base.shape.channels;
	const double coherence = wsi_level_coherence(plan->family.epochs, plan->o.level);
	const double locking = wsi_level_locking(plan->family.epochs, plan->o.level);
	for (size_t c = 0; c < channels; ++c)
		for (size_t with = 0; with < channels; ++with)
			for (size_t i = 0; i < count; ++i)
				if (wsi_coherence_of_all(plan) || with == (size_t)plan->o.against)
					wsi_coherence_put_levels(plan, io, c, with, i, coherence,
					                         locking);
}

/* Row r of those that the part needs, [PAIR_SUMS][outputs]: averaged in time. */
static double *
shared_row(const wsi_cwt_execution *e, size_t r)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	wsi_arena arena = { .base = e->shared };
	return wsi_coherence_take_shared(plan, &arena).rows + r * PAIR_SUMS * plan->outputs;
}

/* Rounding is no coherence: below 1e-13 of the largest power of its frequency there is nothing. */
static void
silence(const wsi_coherence_own *own, size_t n)
{
	double most_w = 0.0, most_v = 0.0;
	for (size_t t = 0; t < n; ++t) {
		most_w = fmax(most_w, own->power_w[t]);
		most_v = fmax(most_v, own->power_v[t]);
	}
	for (size_t t = 0; t < n; ++t) {
		const bool w = own->power_w[t] > 1e-13 * most_w;
		const bool v = own->power_v[t] > 1e-13 * most_v;
		own->power_w[t] = w ? own->power_w[t] : 0.0;
		own->power_v[t] = v ? own->power_v[t] : 0.0;
		if (w && v)
			continue;
		own->re[t] = own->im[t] = own->unit_re[t] = own->unit_im[t] = 0.0;
	}
}

void
wsi_coherence_over_times(void *user, size_t r, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const wsi_cwt_execution *e = j->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	wsi_arena arena = { .base = memory };
	const wsi_coherence_own own = wsi_coherence_take_own(plan, &arena);
	double *sums[PAIR_SUMS] = { own.power_w, own.power_v, own.re, own.im, own.unit_re,
		own.unit_im };
	size_t from;
	wsi_smoothing_reach(&plan->smoothing, e->first, e->count, &from);
	add_epochs(j, from + r, &own, scratch, NULL);
	wsi_smoothing_time(&plan->smoothing, plan->family.cwt, from + r, plan->o.decimate, sums,
	                   PAIR_SUMS, own.rest);
	silence(&own, plan->outputs);
	for (int i = 0; i < PAIR_SUMS; ++i)
		memcpy(shared_row(e, r) + (size_t)i * plan->outputs, sums[i],
		       plan->outputs * sizeof(double));
}

/* Sums of the part's row `item`, over neighbouring frequencies. */
static void
average_frequencies(const wsi_epochs_channel *j, size_t item, const wsi_coherence_own *own)
{
	const wsi_cwt_execution *e = j->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	const wsi_smoothing_window *w = &plan->smoothing.window[e->first + item];
	double *sums[PAIR_SUMS] = { own->power_w, own->power_v, own->re, own->im, own->unit_re,
		own->unit_im };
	size_t from;
	wsi_smoothing_reach(&plan->smoothing, e->first, e->count, &from);
	for (int i = 0; i < PAIR_SUMS; ++i) {
		memset(sums[i], 0, plan->outputs * sizeof(double));
		for (size_t k = 0; k < w->count; ++k) {
			const double *row = shared_row(e, w->first - from + k) +
				(size_t)i * plan->outputs;
			for (size_t t = 0; t < plan->outputs; ++t)
				sums[i][t] += w->weight[k] * row[t];
		}
	}
}

void
wsi_coherence_over_frequencies(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	wsi_arena arena = { .base = memory };
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	const wsi_coherence_own own = wsi_coherence_take_own(plan, &arena);
	(void)scratch;
	average_frequencies(j, item, &own);
	put_both(j, item, &own);
	put_none(j, item);
}

/* Coherence and locking of the part's row `item`, to the places of w and v, and the outputs from
 * which and to before which the ends do not reach; all, where the recording is shorter. */
void
wsi_coherence_form_row(const wsi_epochs_channel *j, size_t item, const wsi_coherence_own *own,
                       size_t within[2])
{
	const wsi_cwt_execution *e = j->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	const wsi_cwt *cwt = plan->family.cwt;
	void *out[PAIR_ROWS] = { own->w, own->v };
	average_frequencies(j, item, own);
	put_f64(own, plan->outputs, 1.0, out);
	const double step = (double)plan->o.decimate / cwt->fs;
	const double end = (double)(cwt->samples - 1) / cwt->fs;
	double cone = cwt->scale[e->first + item].cone;
	cone = 2.0 * cone < end ? cone : 0.0;
	within[0] = 0;
	within[1] = plan->outputs;
	while ((double)within[0] * step < cone)
		++within[0];
	while (within[1] > within[0] && (double)(within[1] - 1) * step > end - cone)
		--within[1];
}
