/*
 * kept.h - tables of Hilbert-Huang spectra that the device keeps for the next execution of the same
 * plan, so that one whose arrays are in its memory brings none from the host.
 */
#ifndef WSI_CUDA_HHT_KEPT_H
#define WSI_CUDA_HHT_KEPT_H

#include "cuda/device/device.h"

struct hht_tables {
	uint64_t made;           /* of the plan (ops/hht_job.h) */
	size_t bytes;
	char *memory;            /* on the device */
	cudaEvent_t last;        /* after all that wrote or read them; NULL: nobody has yet */
};

/* Those of a plan, for what comes next in a stream; the taker has them alone.  last NULL: they are
 * to be made. */
cudaError_t hht_tables_take(wsi_device *d, uint64_t made, size_t bytes, cudaStream_t stream,
                            hht_tables *tables);
/* The device keeps them, once all of the stream so far is done; good: they are made. */
cudaError_t hht_tables_give(wsi_device *d, cudaStream_t stream, hht_tables *tables, bool good);

#endif
