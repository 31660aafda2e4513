/* gpu.c - a plan of frequencies as a GPU's backend is asked for it. */
#include <string.h>

#include "base/status.h"
#include "transform/cwt/cwt.h"
#include "transform/cwt/edge.h"
#include "transform/cwt/inverse.h"
#include "transform/on_gpu.h"

/* ---- Tables ------------------------------------------------------------------------------ */

/* Tables are made when the plan is filled; where each will lie is known before. */
static double *
lay_out_tables(const wsi_cwt *cwt, wsi_cwt_job_scale *scales, size_t *count, wsi_kept *kept)
{
	*count = 0;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_response *f = &cwt->scale[i].response;
		if (!cwt->scale[i].far)
			continue;
		scales[i].table = *count;
		scales[i].table_bins = (size_t)(f->plain0 - f->k0) + (size_t)(f->k1 - f->plain1);
		*count += scales[i].table_bins;
	}
	return *count ? wsi_kept_new(kept, *count, sizeof(double)) : NULL;
}

static wsi_cwt_job_edge
edge_of(const wsi_cwt *cwt)
{
	const wsi_cwt_edge *e = cwt->edge;
	if (!e)
		return (wsi_cwt_job_edge){ .table_count = 0 };
	wsi_cwt_job_edge edge = { .at_zero = e->at_zero, .at_half = e->at_half,
		.mirrored = e->mirrored, .in = e->in, .out = e->out, .count = e->count,
		.line = e->line->n, .chirps = e->chirps->n, .period = e->period,
		.first = e->first };
	edge.table_count = wsi_edge_places(e, edge.at);
	return edge;
}

void
wsi_cwt_job_fill(wsi_cwt_job *job, const wsi_cwt *cwt)
{
	wsi_cwt_job_scale *scales = (wsi_cwt_job_scale *)job->scales;
	for (size_t i = 0; i < cwt->count; ++i) {
		scales[i].taps = cwt->scale[i].taps;
		scales[i].tap_zero = cwt->scale[i].tap_zero;
		if (scales[i].table_bins)
			memcpy(job->tables + scales[i].table, cwt->scale[i].response.table,
			       scales[i].table_bins * sizeof *job->tables);
	}
	if (cwt->edge)
		job->edge.table = cwt->edge->table;
}

/* ---- Jobs -------------------------------------------------------------------------------- */

/* The jobs of all octaves, the first in *job; scales, tables and `next` become its own. */
static void
make_jobs(wsi_cwt_job *job, const wsi_cwt *cwt, const wsi_cwt_job_scale *scales, double *tables,
          size_t table_count, wsi_cwt_job *next)
{
	const size_t others = cwt->octaves > 1 ? (size_t)cwt->octaves - 1 : 0;
	const wsi_cwt_octave all = { .count = cwt->count, .decimate = cwt->o.decimate,
		.outputs = cwt->outputs };
	const int array = job->array;
	const size_t channels = job->channels;
	for (size_t o = 0; o <= others; ++o) {
		const wsi_cwt_octave *alike = cwt->octaves ? &cwt->octave[o] : &all;
		*(o ? &next[o - 1] : job) = (wsi_cwt_job){
			.channels = channels, .samples = cwt->samples, .length = cwt->length,
			.decimate = alike->decimate, .outputs = alike->outputs, .type = cwt->type,
			.quantity = cwt->o.quantity, .padding = cwt->o.padding,
			.steps = cwt->steps, .centred = cwt->centred,
			.made = wsi_gpu_job_number(), .array = array + (int)o,
			.count = alike->count, .scales = scales + alike->first,
			.edge = edge_of(cwt), .tables = tables, .table_count = table_count,
			.begin = alike->first, .next = o < others ? &next[o] : NULL,
		};
	}
}

ws_status
wsi_cwt_job_make(wsi_cwt_job *job, const wsi_cwt *cwt, size_t channels, int array,
                 wsi_kept *kept)
{
	const size_t others = cwt->octaves > 1 ? (size_t)cwt->octaves - 1 : 0;
	wsi_cwt_job_scale *scales = wsi_kept_new(kept, cwt->count, sizeof *scales);
	wsi_cwt_job *next = wsi_kept_new(kept, others, sizeof *next);
	size_t table_count = 0;
	for (size_t i = 0; scales && i < cwt->count; ++i) {
		const wsi_cwt_scale *s = &cwt->scale[i];
		scales[i] = (wsi_cwt_job_scale){ .response = s->response, .centre = s->centre,
			.tap_count = s->tap_count };
	}
	double *tables = scales ? lay_out_tables(cwt, scales, &table_count, kept) : NULL;
	if (kept->failed)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", cwt->count);
	*job = (wsi_cwt_job){ .channels = channels, .array = array };
	make_jobs(job, cwt, scales, tables, table_count, next);
	return WS_OK;
}

/* ---- Filters ----------------------------------------------------------------------------- */

ws_status
wsi_cwt_job_filters(wsi_cwt_job *job, const wsi_cwt *cwt, const wsi_inverse *v, bool even,
                    wsi_kept *kept)
{
	wsi_cwt_job_scale *scales = wsi_kept_new(kept, v->bands, sizeof *scales);
	double *tables = wsi_kept_new(kept, v->total, sizeof *tables);
	size_t used = 0;
	if (kept->failed)
		return WSI_FAIL(WS_E_NOMEM, "no memory for filters of %zu bins", v->total);
	for (size_t b = 0; b < v->bands; ++b) {
		const int64_t k0 = (int64_t)v->band[b].k0, k1 = (int64_t)v->band[b].k1;
		scales[b].response = (wsi_cwt_response){ .wavelet = cwt->scale[0].response.wavelet,
			.k0 = k0, .k1 = k1, .plain0 = k1, .plain1 = k1 };
		scales[b].table = used;
		used += scales[b].table_bins = (size_t)(k1 - k0);
	}
	*job = (wsi_cwt_job){
		.samples = cwt->samples, .length = even ? v->period : cwt->length,
		.type = cwt->type, .quantity = WS_QUANTITY_SIGNAL, .padding = cwt->o.padding,
		.steps = cwt->steps, .centred = cwt->centred,
		.made = wsi_gpu_job_number(), .count = v->bands, .scales = scales,
		.tables = tables, .table_count = used,
	};
	if (!even)
		job->edge = edge_of(cwt);
	return WS_OK;
}

void
wsi_cwt_job_fill_filters(wsi_cwt_job *job, const wsi_inverse *v, const wsi_cwt *cwt)
{
	for (size_t b = 0; b < v->bands; ++b) {
		const wsi_band *band = &v->band[b];
		double *to = job->tables + job->scales[b].table;
		for (size_t k = band->k0; k < band->k1; ++k) {
			/* A bin stands for two but at the ends. */
			const double sides = k == 0 || 2 * k == job->length ? 1.0 : 2.0;
			*to++ = sides * band->gain[k - band->k0];
		}
	}
	if (job->edge.table_count)
		job->edge.table = cwt->edge->table;
}
