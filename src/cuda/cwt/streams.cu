/*
 * streams.cu - streams beside the work's own: aside, for what tiles wait for, and one of low
 * priority for grids, which fill what the others leave idle.  Aside is of high priority where
 * arrays are in the device's memory; else it is the kit's, which has none.
 */
#include "cuda/cwt/run.h"

/* The kit that has them: the work's, or where arrays are in the device's memory one of r's own. */
static cuda_kit &
kit_of(cwt_run *r)
{
	return r->on_device ? r->own_kit : r->w.kit;
}

static cudaStream_t &
stream_of(cwt_run *r, cwt_beside which)
{
	return which == CWT_ASIDE ? kit_of(r).aside : kit_of(r).low;
}

static bool
open_stream(cwt_run *r, cwt_beside which)
{
	cuda_kit &kit = kit_of(r);
	if (r->on_device && !kit.aside)
		kit = cuda_kit_take(r->w.device);
	cudaStream_t &stream = stream_of(r, which);
	cudaError_t error = cudaSuccess;
	int least = 0, greatest = 0;
	if (!stream)
		error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
	if (!stream && error == cudaSuccess)
		error = cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
		                                     which == CWT_ASIDE ? greatest : least);
	return well(&r->w, error == cudaSuccess ? cuda_kit_events(&kit) : error,
	            "opening a stream");
}

bool
cwt_go(cwt_run *r, cwt_beside which)
{
	if (!goes_on(r) || !open_stream(r, which))
		return false;
	const cudaEvent_t so_far = kit_of(r).event[0];
	return well(&r->w, cudaEventRecord(so_far, r->w.stream), "going aside") &&
	       well(&r->w, cudaStreamWaitEvent(stream_of(r, which), so_far, 0), "going aside");
}

cudaStream_t
cwt_stream(cwt_run *r, cwt_beside which)
{
	return stream_of(r, which);
}

void
cwt_note(cwt_run *r, cwt_beside which)
{
	/* Also after a failure. */
	const cudaError_t error =
		cudaEventRecord(kit_of(r).event[1 + which], stream_of(r, which));
	well(&r->w, error, "noting what is aside");
	r->beside[which] = error == cudaSuccess;
}

void
cwt_join(cwt_run *r, cwt_beside which)
{
	if (r->beside[which])
		well(&r->w, cudaStreamWaitEvent(r->w.stream, kit_of(r).event[1 + which], 0),
		     "waiting for what is aside");
	r->beside[which] = false;
}

void
cwt_close_streams(cwt_run *r)
{
	/* The work's memory is given back in its own stream. */
	cwt_join(r, CWT_ASIDE);
	cwt_join(r, CWT_GRIDS);
	if (r->on_device && r->own_kit.aside)
		cuda_kit_give(r->w.device, &r->own_kit);
}
