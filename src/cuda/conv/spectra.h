/*
 * spectra.h - convolution by transforms on the device (cuFFT), overlap-save.
 *
 * Lines of like width W share a class.  A class cuts the outputs into units of B; a unit's M
 * samples are transformed, multiplied by the conjugate transform of each line, and transformed
 * back: real transforms of M = B + W - 1 points or more.  By "FFT" one unit has all outputs of a
 * portion (cut.h).  For widths up to 4096 one kernel (fused.cuh) makes products, transforms them
 * back and writes; others go in batches that stay in the second-level cache.
 */
#ifndef WSI_CUDA_CONV_SPECTRA_H
#define WSI_CUDA_CONV_SPECTRA_H

#include "cuda/conv/direct.h"
#include "cuda/fft/library.h"

/* Lines of a range whose offsets lie in -width / 2 .. width / 2 - 1. */
struct spectra_class {
	ws_type type;            /* of the transforms */
	size_t width;
	bool whole;              /* one unit has all outputs */
	size_t first, lines;     /* of the range's others */
};

/* What a class needs on portions of at most so many channels and outputs; sizes in bytes. */
struct spectra_shape {
	size_t m, outputs, units; /* M; B, of a unit; units of a channel */
	bool fused;              /* by fused.cuh */
	size_t step;             /* complex numbers of a transform */
	size_t lines;            /* whose transforms are kept at once */
	size_t batch, forward;   /* transforms at a time, back and forward */
	size_t spectra_bytes, batch_bytes, work_bytes;
};

/* span: of outputs, those between the ones wanted included; lines: of a class, at most. */
spectra_shape spectra_shape_of(const spectra_class &c, const cudaDeviceProp &facts, size_t span,
                               size_t channels, size_t lines);

/* Asks cuFFT for shape->work_bytes. */
ws_status spectra_work(wsi_device *d, const spectra_class &c, spectra_shape *shape, wsi_why *why);

inline size_t
spectra_bytes(const spectra_shape &s)
{
	return s.spectra_bytes + s.batch_bytes + s.work_bytes;
}

/* A portion of outputs. */
struct spectra_job {
	ws_type samples;
	const char *x;           /* [channel] samples low .. high - 1 */
	size_t x_stride;         /* bytes */
	long long low, high;
	long long n0;            /* sample of output 0 */
	long long every, outputs;
	int channels, parts;
	char *y;                 /* [channel][row][output][part] */
	size_t y_channel, y_row;
	const void *values;
	const direct_row *rows;  /* of the class */
	unsigned long long *high_response;
	unsigned first_channel;
	char *memory;            /* spectra_bytes() */
};

/* WS_E_BACKEND, WS_E_NOMEM where cuFFT has no plan; *error: what a launch said. */
ws_status spectra_launch(wsi_device *d, const spectra_class &c, const spectra_shape &shape,
                         const spectra_job &job, cudaStream_t stream, cudaError_t *error,
                         wsi_why *why);

#endif
