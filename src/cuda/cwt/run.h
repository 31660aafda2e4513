/* run.h - a wavelet transform under way on a device: what cwt.cu and cwt/rows.cu share. */
#ifndef WSI_CUDA_CWT_RUN_H
#define WSI_CUDA_CWT_RUN_H

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/layout.h"

/* A transform under way. */
struct cwt_run {
	cuda_work w;
	const wsi_cwt_device_job *job;
	std::vector<cwt_class> classes;
	cwt_layout l;
	std::vector<const char *> weights; /* of each class, on the device */
	std::vector<double *> flat;
	size_t first, count;    /* frequencies that are made */
	bool on_device;
	size_t group, channels; /* the channels whose spectra are there */
	int staging;            /* which of the two is next */
	/* Of the batch that is being filled: numbers that are taken, responses, and how many rows
	 * the plans of its segments have. */
	size_t z_used, hat_used, hats;
	std::vector<size_t> plans;
	ws_status status;       /* of cuFFT's plans, and of samples */
	wsi_why *why;
};

inline bool
goes_on(cwt_run *r)
{
	return r->status == WS_OK && goes_on(&r->w);
}

inline char *
at(cwt_run *r, size_t offset)
{
	return r->w.memory + offset;
}

inline size_t
element_of(const cwt_run *r)
{
	return r->job->type == WS_F64 ? 8 : 4;
}

/* Puts so many transforms into the stream; not of more than the layout has memory for. */
void cwt_transform(cwt_run *r, const fft_shape &shape, void *in, void *out, bool inverse);

/* Tables of the classes, which are those of all blocks. */
void cwt_prepare(cwt_run *r);

/* Frequencies f .. f + frequencies - 1 of `channels` channels, those of out; their spectra are
 * there. */
void cwt_make_block(cwt_run *r, size_t channels, size_t f, size_t frequencies, const cwt_out &out);

#endif
