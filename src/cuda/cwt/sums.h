/* sums.h - results that are formed of rows of coefficients on a device (sums.cu, results.cu). */
#ifndef WSI_CUDA_CWT_SUMS_H
#define WSI_CUDA_CWT_SUMS_H

#include <cuda_runtime.h>

#include "cuda/device/math.cuh"
#include "ops/cwt_job.h"

/* A channel or a pair, whose results are an item. */
struct cwt_sums_item {
	unsigned w, v;          /* its channels, of those in the range; alike of one channel */
	unsigned place, other;  /* of its results, and of those of the pair exchanged; ~0: none */
};

/* Where an array's results go. */
struct cwt_sums_array {
	char *base;             /* of the first place and row; NULL: nowhere */
	size_t stride, row_stride; /* bytes, of places and of rows */
	size_t partner_stride;
	bool by_channel;        /* places of pairs are those of channel and partner */
};

/* Rows of coefficients of a range, of which results are formed as far as these go. */
struct cwt_sums {
	wsi_cwt_form form;
	const char *rows;       /* [signal][frequency][output] */
	size_t signal_stride, frequency_stride; /* bytes */
	unsigned frequency, frequencies; /* of the job's, those in the range */
	unsigned epoch, epochs, all_epochs; /* likewise */
	unsigned channel_step, epoch_step; /* signals from one to the next */
	unsigned row, row_count, items; /* results of the range: rows from `row` on */
	const wsi_cwt_job_row *row_list; /* of means and powers: of all rows */
	const wsi_cwt_job_member *members;
	const cwt_sums_item *item; /* [items]; NULL: a channel each, one after the other */
	double *state;          /* [item][row][cwt_sums_numbers()][outputs]: what is unfinished; of
	                         * times [item][frequency][..]: what is averaged */
	unsigned outputs, first, every; /* of results: every so many coefficients */
	bool wanted[WSI_CWT_FORMED]; /* arrays that are asked for */
	cwt_sums_array array[WSI_CWT_FORMED];
	ws_baseline baseline;
	unsigned baseline_first, baseline_last;
};

/* Doubles of an output of a result while it is unfinished. */
int cwt_sums_numbers(wsi_cwt_form form);

/* Adds a range's rows to the results; those that have all theirs are finished and stored, but for
 * powers that a baseline awaits, which cwt_sums_compare() stores.  type: of rows and arrays. */
cudaError_t cwt_sums_add(const cwt_sums &s, ws_type type, cudaStream_t stream);
cudaError_t cwt_sums_compare(const cwt_sums &s, ws_type type, cudaStream_t stream);

/* Of times (smooth.cu): sums of frequencies of pairs are averaged in time, `count` of them from
 * `first` on of [item][frequency].  The steps, between which are transforms of z: */
struct cwt_smooth {
	cwt_sums s;             /* rows of coefficients; items */
	unsigned first, count;
	unsigned room;          /* that are transformed: zeros behind `count` */
	two<double> *z;         /* [room][3][n]: of both powers, the cross-spectrum, phases */
	unsigned n, samples;
	const wsi_cwt_job_gaussian *gaussian;
	const double *parts;
	unsigned from, span;    /* frequencies of the state */
};
cudaError_t cwt_smooth_lay(const cwt_smooth &m, ws_type type, cudaStream_t stream);
cudaError_t cwt_smooth_multiply(const cwt_smooth &m, cudaStream_t stream);
cudaError_t cwt_smooth_take(const cwt_smooth &m, cudaStream_t stream);

#endif
