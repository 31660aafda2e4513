/* cwt_gpu.c - a plan of frequencies as a GPU's backend is asked for it. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/status.h"
#include "transform/cwt.h"

static atomic_uint_fast64_t made;

ws_status
wsi_cwt_job_make(wsi_cwt_device_job *job, const wsi_cwt *cwt, size_t channels, int array)
{
	wsi_cwt_job_scale *scales = malloc(cwt->count * sizeof *scales);
	const size_t others = cwt->octaves > 1 ? (size_t)cwt->octaves - 1 : 0;
	wsi_cwt_device_job *next = malloc((others + 1) * sizeof *next);
	if (!scales || !next) {
		free(scales);
		free(next);
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", cwt->count);
	}
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_scale *s = &cwt->scale[i];
		scales[i] = (wsi_cwt_job_scale){ .filter = s->filter, .centre = s->centre,
			.taps = s->taps, .tap_count = s->tap_count, .tap_zero = s->tap_zero };
	}
	const wsi_cwt_octave all = { .count = cwt->count, .decimate = cwt->o.decimate,
		.outputs = cwt->outputs };
	for (size_t o = 0; o <= others; ++o) {
		const wsi_cwt_octave *alike = cwt->octaves ? &cwt->octave[o] : &all;
		*(o ? &next[o - 1] : job) = (wsi_cwt_device_job){
			.channels = channels, .samples = cwt->samples, .length = cwt->length,
			.decimate = alike->decimate, .outputs = alike->outputs, .type = cwt->type,
			.quantity = cwt->o.quantity, .padding = cwt->o.padding,
			.steps = cwt->steps, .centred = cwt->centred,
			.made = atomic_fetch_add(&made, 1) + 1, .array = array + (int)o,
			.count = alike->count, .scales = scales + alike->first,
			.begin = alike->first, .next = o < others ? &next[o] : NULL,
		};
	}
	if (!others)
		free(next);
	return WS_OK;
}

void
wsi_cwt_job_free(wsi_cwt_device_job *job)
{
	free((void *)job->scales);
	free((void *)job->next);
}
