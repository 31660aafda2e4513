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
	if (!scales)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", cwt->count);
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_scale *s = &cwt->scale[i];
		scales[i] = (wsi_cwt_job_scale){ .filter = s->filter, .centre = s->centre,
			.taps = s->taps, .tap_count = s->tap_count, .tap_zero = s->tap_zero };
	}
	*job = (wsi_cwt_device_job){
		.channels = channels, .samples = cwt->samples, .length = cwt->length,
		.decimate = cwt->o.decimate, .outputs = cwt->outputs, .type = cwt->type,
		.quantity = cwt->o.quantity, .padding = cwt->o.padding, .steps = cwt->steps,
		.centred = cwt->centred, .made = atomic_fetch_add(&made, 1) + 1, .array = array,
		.count = cwt->count, .scales = scales,
	};
	return WS_OK;
}

void
wsi_cwt_job_free(wsi_cwt_device_job *job)
{
	free((void *)job->scales);
}
