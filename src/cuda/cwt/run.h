/* run.h - a wavelet transform under way on a device: what cwt.cu and cwt/rows.cu share. */
#ifndef WSI_CUDA_CWT_RUN_H
#define WSI_CUDA_CWT_RUN_H

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/kept.h"

/* A transform under way. */
struct cwt_run {
	cuda_work &w;           /* shared by octaves */
	const wsi_cwt_device_job *job;
	cwt_kept_plan *plan;
	const std::vector<cwt_class> &classes; /* of the plan, like its layout */
	const cwt_layout &l;
	std::vector<const char *> weights; /* of each class, on the device */
	std::vector<double *> flat;
	std::vector<two<float> *> roots;
	size_t first, count;    /* frequencies that are made */
	bool on_device;
	size_t group, channels; /* the channels whose spectra are there */
	int staging;            /* which of the two is next */
	/* Of the batch that is being filled: numbers that are taken, responses, and how many rows
	 * the plans of its segments have. */
	size_t z_used, hat_used, hats;
	std::vector<size_t> plans;
	/* Tiles at every sample: their signal is made beside other work, and not joined yet; the
	 * stream that it is made in, of arrays in the device's memory. */
	bool beside;
	cuda_kit aside;
	ws_status status;       /* of cuFFT's plans, and of samples */
	wsi_why *why;
};

/* Frequencies of a class in a block. */
struct cwt_members {
	size_t number;          /* of the class */
	size_t count;
	const cwt_scale *scales; /* on the device */
	const uint32_t *members;
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

/* The spectra of out's channels, which begin within a group. */
cwt_spectra cwt_spectra_of(cwt_run *r, const cwt_out &out);

/* What tiles have to know of frequency f of a class (tile_rows.cu). */
void cwt_place_in_tile(const cwt_run *r, const cwt_class &k, size_t f, cwt_scale *s);

/* All classes of tiles of a block (tile_rows.cu); begin: what may go on beside other classes;
 * close: at the end. */
void cwt_begin_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels,
                     const cwt_out &out);
void cwt_close_aside(cwt_run *r);
void cwt_make_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels, cwt_out out);

/* Tables of the classes, which are those of all blocks. */
void cwt_prepare(cwt_run *r);

/* Frequencies f .. f + frequencies - 1 of `channels` channels, those of out; their spectra are
 * there. */
void cwt_make_block(cwt_run *r, size_t channels, size_t f, size_t frequencies, const cwt_out &out);

#endif
