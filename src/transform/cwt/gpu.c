/* gpu.c - a plan of frequencies as a GPU's backend is asked for it. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "transform/cwt/cwt.h"

static atomic_uint_fast64_t made;

/* Responses that are tables become taps, which are laid out here. */
static ws_status
lay_out_taps(const wsi_cwt *cwt, wsi_cwt_job_scale *scales, double **taps)
{
	const size_t n = cwt->length;
	size_t far = 0;
	*taps = NULL;
	for (size_t i = 0; i < cwt->count; ++i)
		far += cwt->scale[i].far;
	if (!far)
		return WS_OK;
	double *next = *taps = aligned_alloc(64, (2 * far * n * sizeof *next + 63) / 64 * 64);
	if (!next)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu wavelets of %zu samples", far, n);
	for (size_t i = 0; i < cwt->count; ++i) {
		if (!cwt->scale[i].far)
			continue;
		/* Lags from 0 on, then those below 0. */
		scales[i].taps = next;
		scales[i].tap_count = n;
		scales[i].tap_zero = 0;
		next += 2 * n;
	}
	return WS_OK;
}

/* The transform of a response. */
static void
fill_taps(const wsi_cwt *cwt, const wsi_cwt_response *f, const wsi_dft *dft, double *values,
          double *re, void *scratch)
{
	const int64_t n = (int64_t)dft->n;
	double *im = re + n, *part = f->quarters & 1 ? im : re;
	cwt->wide->cwt->response(&(wsi_cwt_response_args){ .response = f, .n = dft->n,
	                                                   .values = values });
	memset(re, 0, 2 * dft->n * sizeof *re);
	for (int64_t k = f->k0; k < f->k1; ++k) {
		const double v = values[k - f->k0];
		part[((k % n) + n) % n] += f->quarters & 2 ? -v : v;
	}
	wsi_dft_inverse(dft, re, im, re, im, scratch);
}

/* Bytes of the response with most bins. */
static size_t
most_values(const wsi_cwt *cwt)
{
	int64_t most = 0;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_response *f = &cwt->scale[i].response;
		most = cwt->scale[i].far && f->k1 - f->k0 > most ? f->k1 - f->k0 : most;
	}
	return ((size_t)most * sizeof(double) + 63) / 64 * 64;
}

ws_status
wsi_cwt_job_fill(wsi_cwt_job *job, const wsi_cwt *cwt, wsi_progress *progress)
{
	double *next = job->owned_taps;
	wsi_dft dft;
	for (size_t i = 0; i < cwt->count; ++i) {
		wsi_cwt_job_scale *scale = (wsi_cwt_job_scale *)job->scales + i;
		if (!cwt->scale[i].tap_count)
			continue;
		scale->taps = cwt->scale[i].taps;
		scale->tap_zero = cwt->scale[i].tap_zero;
	}
	if (!next)
		return WS_OK;
	WSI_TRY(wsi_dft_create(&dft, cwt->wide, cwt->length));
	ws_status status = wsi_dft_add_inverse(&dft);
	if (status == WS_OK)
		status = wsi_dft_fill(&dft, progress);
	const size_t values = most_values(cwt);
	char *scratch = status == WS_OK ? aligned_alloc(64, values + wsi_dft_scratch(&dft)) : NULL;
	if (status == WS_OK && !scratch)
		status = WSI_FAIL(WS_E_NOMEM, "no memory for wavelets of %zu samples", cwt->length);
	for (size_t i = 0; status == WS_OK && i < cwt->count; ++i) {
		if (!cwt->scale[i].far)
			continue;
		fill_taps(cwt, &cwt->scale[i].response, &dft, (double *)scratch, next,
		          scratch + values);
		next += 2 * cwt->length;
		if (!wsi_goes_on(progress, 0))
			status = WSI_FAIL(WS_E_CANCELLED, "cancelled");
	}
	free(scratch);
	wsi_dft_destroy(&dft);
	return status;
}

ws_status
wsi_cwt_job_make(wsi_cwt_job *job, const wsi_cwt *cwt, size_t channels, int array)
{
	wsi_cwt_job_scale *scales = malloc(cwt->count * sizeof *scales);
	const size_t others = cwt->octaves > 1 ? (size_t)cwt->octaves - 1 : 0;
	wsi_cwt_job *next = malloc((others + 1) * sizeof *next);
	if (!scales || !next) {
		free(scales);
		free(next);
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", cwt->count);
	}
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_scale *s = &cwt->scale[i];
		scales[i] = (wsi_cwt_job_scale){ .response = s->response, .centre = s->centre,
			.tap_count = s->tap_count };
	}
	double *taps;
	const ws_status status = lay_out_taps(cwt, scales, &taps);
	if (status != WS_OK) {
		free(taps);
		free(scales);
		free(next);
		return status;
	}
	const wsi_cwt_octave all = { .count = cwt->count, .decimate = cwt->o.decimate,
		.outputs = cwt->outputs };
	for (size_t o = 0; o <= others; ++o) {
		const wsi_cwt_octave *alike = cwt->octaves ? &cwt->octave[o] : &all;
		*(o ? &next[o - 1] : job) = (wsi_cwt_job){
			.channels = channels, .samples = cwt->samples, .length = cwt->length,
			.decimate = alike->decimate, .outputs = alike->outputs, .type = cwt->type,
			.quantity = cwt->o.quantity, .padding = cwt->o.padding,
			.steps = cwt->steps, .centred = cwt->centred,
			.made = atomic_fetch_add(&made, 1) + 1, .array = array + (int)o,
			.count = alike->count, .scales = scales + alike->first,
			.owned_taps = o ? NULL : taps,
			.begin = alike->first, .next = o < others ? &next[o] : NULL,
		};
	}
	if (!others)
		free(next);
	return WS_OK;
}

void
wsi_cwt_job_free(wsi_cwt_job *job)
{
	free((void *)job->scales);
	free((void *)job->next);
	free(job->owned_taps);
}
