/*
 * kernels.h - the steps of the wavelet transform on the device; each is put into a stream.
 *
 *     cwt_look, cwt_pad  ->  cuFFT forward, in double  ->  cwt_narrow (f32)
 *     for batches of rows:  cwt_flatten, cwt_response, cwt_product  ->  cuFFT back  ->
 *     cwt_interpolate or cwt_put
 *
 * A row is a channel at a frequency.  Complex numbers are two<T> (cuda/math.cuh).
 */
#ifndef WSI_CUDA_CWT_KERNELS_H
#define WSI_CUDA_CWT_KERNELS_H

#include "cuda/math.cuh"
#include "cuda/work.h"
#include "ops/cwt_job.h"

/* ---- What kernels know ------------------------------------------------------------------ */

/* What was taken off a channel's samples, which are (x / scale) - offset in its spectrum. */
struct cwt_head {
	double scale;           /* a power of two */
	double offset;
};

/* What one block found in its stretch of a channel. */
struct cwt_found {
	double low, high;
	double sum;             /* of (x - the first sample) CWT_SUM_UNIT */
};
constexpr int CWT_LOOK_BLOCKS = 64; /* of a channel, at most */
constexpr double CWT_SUM_UNIT = 0x1p-40; /* sums of the largest numbers stay numbers */

/* A frequency. */
struct cwt_scale {
	wsi_wavelet wavelet;
	double step, gain;
	int k0, k1;             /* the band: bins k0 .. k1 - 1 */
	int centre;             /* bin that goes to bin 0 of the grid */
	int shift;              /* (centre - k0) mod m */
	unsigned turn;          /* centre * decimate mod N */
	unsigned row;           /* its place in the arrays */
	short quarters;
	bool halve_nyquist;
};

/* Rows first .. first + count - 1 of a list that has `channels` rows for each of its scales. */
struct cwt_rows {
	const cwt_scale *scales;
	unsigned channels, first, count;
};

/* Where coefficients go, and as what. */
struct cwt_out {
	char *base;             /* of the first channel and place 0 */
	size_t channel_stride, frequency_stride; /* bytes */
	const cwt_head *heads;  /* of these channels */
	ws_quantity quantity;
	unsigned outputs;
};

/* The padded signal's spectrum of each channel: bins 0 .. N / 2. */
struct cwt_spectra {
	const void *x;          /* [channel][stride] */
	size_t stride;          /* complex numbers */
	unsigned n;             /* N */
};

/* ---- Forward (forward.cu) ----------------------------------------------------------------- */

/* found[channel][blocks]; bad[channel]: the least sample that is not finite, else ~0, which it must
 * be before.  blocks: cwt_look_blocks(). */
int cwt_look_blocks(size_t samples);
cudaError_t cwt_look(const char *x, size_t stride, unsigned channels, const wsi_cwt_device_job &job,
                     cwt_found *found, unsigned long long *bad, cudaStream_t stream);
/* padded[channel][N] in double, and heads. */
cudaError_t cwt_pad(const char *x, size_t stride, unsigned channels, const wsi_cwt_device_job &job,
                    const cwt_found *found, double *padded, cwt_head *heads, cudaStream_t stream);
/* count numbers in double to single precision. */
cudaError_t cwt_narrow(const double *from, float *to, size_t count, cudaStream_t stream);

/* ---- Responses and products (response.cu) --------------------------------------------------- */

/* flat[reach]: 1 by the transform of the window of an interpolation on m points. */
cudaError_t cwt_flatten(double *flat, size_t reach, int taps, double over, size_t m,
                        cudaStream_t stream);
/* hat[scale][stride], of the bins of each scale's band, times flat (or NULL). */
cudaError_t cwt_response(const cwt_scale *scales, unsigned count, unsigned n, const double *flat,
                         ws_type type, void *hat, size_t stride, cudaStream_t stream);
/* y[row][m], type: its own and hat's; from: the spectra's. */
cudaError_t cwt_product(const cwt_rows &rows, const cwt_spectra &spectra, ws_type from,
                        const void *hat, size_t stride, void *y, unsigned m, ws_type type,
                        cudaStream_t stream);
/* References that convolve, in double: taps laid out for a transform of N points; their spectrum
 * times the signal's by N. */
cudaError_t cwt_lay_taps(const double *taps, size_t count, size_t zero, double *y, size_t n,
                         cudaStream_t stream);
cudaError_t cwt_product_taps(const cwt_rows &rows, const cwt_spectra &spectra, ws_type from,
                             const double *hat, double *y, cudaStream_t stream);

/* ---- Stores (put.cu, interpolate.cu) ------------------------------------------------------ */

/* Every step-th of z[row][stride], of type `from`, to arrays of type `to`. */
cudaError_t cwt_put(const cwt_rows &rows, const void *z, size_t stride, unsigned step, ws_type from,
                    ws_type to, const cwt_out &out, cudaStream_t stream);

/* out[t] = e^{2 pi i turn t / turns} sum over j < taps of
 *          z[row][(t / ratio + j - taps / 2 + 1) mod m] weights[t % ratio][j] */
struct cwt_grid {
	int ratio, taps;
	unsigned m, turns;
	const void *weights;    /* [ratio][taps] */
};
cudaError_t cwt_interpolate(const cwt_rows &rows, const void *z, const cwt_grid &grid, ws_type type,
                            const cwt_out &out, cudaStream_t stream);

#endif
