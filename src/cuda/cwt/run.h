/* run.h - a wavelet transform under way on a device: what cwt.cu and cwt/rows.cu share. */
#ifndef WSI_CUDA_CWT_RUN_H
#define WSI_CUDA_CWT_RUN_H

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/kept.h"

/* A transform under way. */
struct cwt_run {
	cuda_work &w;           /* shared by octaves */
	const wsi_cwt_job *job;
	cwt_kept_plan *plan;
	const std::vector<cwt_class> &classes; /* of the plan, like its layout */
	const cwt_layout &l;
	const double *tables;   /* of all jobs, as the first one's plan keeps them */
	std::vector<const char *> weights; /* of each class, on the device */
	std::vector<double *> flat;
	std::vector<two<float> *> roots;
	size_t first, count;    /* frequencies that are made */
	bool on_device;
	size_t group, channels; /* the channels whose spectra are there */
	size_t epoch, epochs;   /* of sums: those of each; channels is their number times that */
	int staging;            /* which of the two is next */
	/* Of the batch that is being filled: */
	size_t z_used, response_used; /* numbers of z, and of responses, that its rows take */
	size_t responses;       /* how many responses those are */
	std::vector<size_t> plans; /* [segment] rows of its plan of cuFFT */
	bool begun;             /* the tables of the plan's range are there */
	bool beside[2];         /* those streams have work that the work's own has not waited for */
	cuda_kit own_kit;       /* has them, where arrays are in the device's memory */
	ws_status status;       /* of cuFFT's plans, and of samples */
	wsi_why *why;
};

/* Frequencies of a class in a range. */
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

/* The spectra of a group's channels from `channel` on. */
inline cwt_spectra
cwt_spectra_from(cwt_run *r, size_t channel)
{
	const size_t bins = cwt_bins(*r->job), below = cwt_below(*r->job);
	return { at(r, r->l.spectra) + (channel * bins + below) * 2 * element_of(r), bins,
		 (unsigned)r->job->length, (int)below, (int)cwt_above(*r->job) };
}

/* Those of out's channels, which begin within a group. */
inline cwt_spectra
cwt_spectra_of(cwt_run *r, const cwt_out &out)
{
	return cwt_spectra_from(r, (size_t)(out.heads - (const cwt_head *)at(r, r->l.heads)));
}

/* Puts so many transforms into the stream; not of more than the layout has memory for. */
void cwt_transform(cwt_run *r, const fft_shape &shape, void *in, void *out, bool inverse);

/* What tiles have to know of frequency f of a class (tile_rows.cu). */
void cwt_place_in_tile(const cwt_run *r, const cwt_class &k, size_t f, cwt_scale *s);

/* Streams beside the work's own (streams.cu).  go: one waits for what is in the work's; false: it
 * cannot be had.  note: what is in it so far is what join makes the work's stream wait for. */
enum cwt_beside { CWT_ASIDE, CWT_GRIDS };
bool cwt_go(cwt_run *r, cwt_beside which);
cudaStream_t cwt_stream(cwt_run *r, cwt_beside which);
void cwt_note(cwt_run *r, cwt_beside which);
void cwt_join(cwt_run *r, cwt_beside which);
void cwt_close_streams(cwt_run *r); /* at the end */

/* All classes of tiles of a range (tile_rows.cu).  tables: of all its frequencies, if they fit;
 * begin: what may go on beside other classes, of the first channels; end: the rest. */
void cwt_make_tables(cwt_run *r, const std::vector<cwt_members> &all, cudaStream_t stream);
void cwt_begin_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels,
                     const cwt_out &out);
void cwt_end_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels, cwt_out out);

/* Frequencies f .. f + frequencies - 1: what does not depend on samples, beside what is under way.
 * Nothing, where that has been done. */
void cwt_begin_range(cwt_run *r, size_t f, size_t frequencies);

/* Frequencies f .. f + frequencies - 1 of `channels` channels, those of out; their spectra are
 * there. */
void cwt_make_range(cwt_run *r, size_t channels, size_t f, size_t frequencies, const cwt_out &out);

/* Spectra of the channels, or of their epochs, that r names (group.cu). */
void cwt_make_spectra(cwt_run *r);

/* Results that are formed of rows, of so many channels from r->group on (results.cu). */
void cwt_make_results(cwt_run *r, size_t channels);

#endif
