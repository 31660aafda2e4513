/*
 * near.c - a plan of frequencies in one part or in two.
 *
 * The padded length is what the longest wavelet needs: between mirror images up to four times the
 * signal.  Fast frequencies, whose bands are wide, would take transforms of all of it for wavelets
 * of a few samples.  So those that reach little may be a part of their own, with spectra of a
 * shorter padded signal, as if they were all that is asked for.  Both lengths are long enough:
 * numbers differ by rounding alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "transform/cwt/maker.h"

/* What two parts are to save of the work on one core. */
#define WORTH 0.1

/* The scales before they are laid out; its own are those that reach further than `above`, and no
 * further than `reach`. */
static void
take_scales(wsi_cwt *cwt, const wsi_cwt_scale *raw, double above, double reach)
{
	for (size_t i = 0; i < cwt->count; ++i) {
		const bool own = raw[i].reach > above && raw[i].reach <= reach;
		cwt->scale[i] = raw[i];
		cwt->scale[i].of = own ? cwt : NULL;
	}
}

static double
cost_of(const wsi_cwt *cwt)
{
	double cost = wsi_cwt_forward_cost(cwt);
	for (size_t i = 0; i < cwt->count; ++i)
		cost += cwt->scale[i].of == cwt ? cwt->scale[i].cost : 0.0;
	return cost;
}

/* What the frequencies that reach so far at most cost in the whole plan. */
static double
cost_within(const wsi_cwt *whole, double reach)
{
	double cost = 0.0;
	for (size_t i = 0; i < whole->count; ++i)
		cost += whole->scale[i].reach <= reach ? whole->scale[i].cost : 0.0;
	return cost;
}

/* A part of them can hardly cost less: its share of the whole plan's work, by the least padded
 * length that it may have. */
static double
least_within(const wsi_cwt *whole, double reach, size_t least_length)
{
	const double share = (double)least_length / (double)whole->length;
	return share * (cost_within(whole, reach) + wsi_cwt_forward_cost(whole));
}

static void
free_part(wsi_cwt *part)
{
	if (!part)
		return;
	wsi_cwt_free_own(part);
	free(part->scale);
	free(part);
}

/* What a plan is before it is laid out, but for its scales. */
static wsi_cwt
bare(const wsi_cwt *cwt)
{
	return (wsi_cwt){ .samples = cwt->samples, .fs = cwt->fs, .type = cwt->type, .o = cwt->o,
		.ops = cwt->ops, .wide = cwt->wide, .outputs = cwt->outputs,
		.steps = cwt->steps, .centred = cwt->centred, .count = cwt->count };
}

/* A plan of the scales that reach so far at most, before it is laid out. */
static ws_status
make_part(wsi_cwt **out, const wsi_cwt *like, const wsi_cwt_scale *raw, double reach)
{
	wsi_cwt *part = *out = calloc(1, sizeof *part);
	if (!part)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	*part = bare(like);
	part->scale = calloc(part->count, sizeof *part->scale);
	if (!part->scale)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu scales", part->count);
	take_scales(part, raw, -1.0, reach);
	return WS_OK;
}

static size_t
count_within(const wsi_cwt *cwt, double reach)
{
	size_t count = 0;
	for (size_t i = 0; i < cwt->count; ++i)
		count += cwt->scale[i].reach <= reach;
	return count;
}

/* The part of frequencies that reach little by which most is saved, and how far they reach; *best
 * is NULL where none saves enough. */
static ws_status
find_near(const wsi_cwt_maker *m, const wsi_cwt_scale *raw, wsi_cwt **best, double *reach)
{
	const wsi_cwt *cwt = m->cwt;
	const double all = cost_of(cwt), images = cwt->o.padding == WS_PADDING_ZERO ? 1.0 : 2.5;
	double least = (1.0 - WORTH) * all;
	size_t before = 0;
	*best = NULL;
	for (size_t gap = cwt->samples / 64; gap <= cwt->samples; gap = 2 * gap + 1) {
		const double within = (double)gap / images;
		const size_t count = count_within(cwt, within);
		wsi_cwt *part = NULL;
		const double others = all - cost_within(cwt, within);
		if (count == before || count == cwt->count ||
		    others + least_within(cwt, within, cwt->samples + gap) >= least)
			continue;
		before = count;
		ws_status status = make_part(&part, cwt, raw, within);
		wsi_cwt_maker of = *m;
		of.cwt = part;
		if (status == WS_OK)
			status = wsi_cwt_lay_out_own(&of);
		const double cost = status == WS_OK ? others + cost_of(part) : HUGE_VAL;
		if (cost < least) {
			free_part(*best);
			*best = part;
			*reach = within;
			least = cost;
		} else {
			free_part(part);
		}
		WSI_TRY(status);
	}
	return WS_OK;
}

/* Lays the plan out anew, with that part. */
static ws_status
join(wsi_cwt_maker *m, const wsi_cwt_scale *raw, wsi_cwt *near, double reach)
{
	wsi_cwt *cwt = m->cwt;
	wsi_cwt_scale *scales = cwt->scale;
	wsi_cwt_free_own(cwt);
	*cwt = bare(cwt);
	cwt->scale = scales;
	cwt->near = near;
	take_scales(cwt, raw, reach, HUGE_VAL);
	for (size_t i = 0; i < cwt->count; ++i)
		if (near->scale[i].of == near)
			cwt->scale[i] = near->scale[i];
	free(near->scale);
	near->scale = cwt->scale;
	WSI_TRY(wsi_cwt_lay_out_own(m));
	near->lead = wsi_cwt_own_spectrum_bytes(cwt);
	cwt->seconds += near->seconds;
	cwt->forward += near->forward;
	cwt->responses += near->responses;
	return WS_OK;
}

ws_status
wsi_cwt_lay_out_all(wsi_cwt_maker *m)
{
	wsi_cwt *cwt = m->cwt, *near = NULL;
	double reach = 0.0;
	for (size_t i = 0; i < cwt->count; ++i)
		cwt->scale[i].of = cwt;
	if (m->whole || !wsi_cwt_is_ours(m) || cwt->o.octave_arrays || cwt->count < 2 ||
	    cwt->o.padding == WS_PADDING_PERIODIC || cwt->o.quantity == WS_QUANTITY_SIGNAL)
		return wsi_cwt_lay_out_own(m);
	wsi_cwt_scale *raw = malloc(cwt->count * sizeof *raw);
	if (!raw)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu scales", cwt->count);
	memcpy(raw, cwt->scale, cwt->count * sizeof *raw);
	ws_status status = wsi_cwt_lay_out_own(m);
	if (status == WS_OK)
		status = find_near(m, raw, &near, &reach);
	if (status == WS_OK && near)
		status = join(m, raw, near, reach);
	else
		free_part(near);
	free(raw);
	return status;
}
