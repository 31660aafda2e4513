/*
 * fft.h - inverse discrete Fourier transforms whose vectors hold neighbouring bins, or
 * neighbouring samples, never parts of one small transform.
 *
 *     out[t] = sum over k of in[k] e^{+2 pi i k t / n}         (not divided by n)
 *
 * n = n1 n2, both multiples of WSI_FFT_ACROSS with no prime factor beyond 5.  With k = k1 + n1 k2
 * and t = t2 + n2 t1 (Bailey 1990, "four steps"):
 *
 *     for every k1   transform along k2, times e^{2 pi i k1 t2 / n}
 *     transpose      rows of k1 to rows of t2
 *     for every t2   transform along k1
 *
 * Each step works on as many neighbouring k1, or t2, as a vector has lanes, so that no lane ever
 * needs another but in the transpose.  A coefficient goes through the same operations in the same
 * order on any machine: the bits depend on n and the type only.
 */
#ifndef WSI_OPS_FFT_H
#define WSI_OPS_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/progress.h"
#include "wavesift/wavesift.h"

/* Both factors of a length are multiples of this: the lanes of the widest vector. */
#define WSI_FFT_ACROSS 16
#define WSI_FFT_PASSES 24

/* A transform along one axis, in place, decimation in frequency. */
typedef struct wsi_fft_axis {
	size_t n;
	int passes;
	int radix[WSI_FFT_PASSES];
	size_t twiddle[WSI_FFT_PASSES]; /* first number of each pass */
	uint32_t *place;        /* [n] where out[t] is left */
} wsi_fft_axis;

/* Immutable once made; shared by all threads. */
typedef struct wsi_fft {
	size_t n;
	ws_type type;
	wsi_fft_axis first, second; /* along k2, of n2; along k1, of n1 */
	/* REAL; cosine and sine alternating where not said otherwise */
	void *twiddles[2];      /* of both axes: [pass][j][u - 1] */
	void *lane_twiddles;    /* [t2][2][WSI_FFT_ACROSS]: e^{2 pi i lane t2 / n} */
	void *group_twiddles;   /* [k1 / WSI_FFT_ACROSS][t2]: e^{2 pi i k1 t2 / n} */
} wsi_fft;

/*
 * What is transformed: the n bins re[k], im[k].  With response a band of a longer spectrum instead:
 * bins k0 .. k1 - 1, none below 0, at most n of them.  Each goes, times response, to place k mod n;
 * the other places are zero.  The band is read in whole aligned groups of WSI_FFT_ACROSS bins, so
 * that re, im and response must have all of every group that it meets; no two of these groups share
 * a place.  response begins with the first group and is zero outside the band.
 * With taps, in double alone, x conj(taps) / n instead: x[k], the spectrum of real samples, is
 * re[k] + i im[k] up to n / 2, and conj(x[n - k]) beyond.
 * Of what comes out wanted_count samples from `wanted` on, around the circle, are wanted; 0: all.
 * Others are left as they are, or overwritten. */
typedef struct wsi_fft_in {
	const void *re, *im;
	const void *response;        /* or NULL */
	size_t k0, k1;
	const double *taps_re, *taps_im; /* [n], or NULL */
	size_t wanted, wanted_count; /* below n; at most n */
} wsi_fft_in;

/*
 * A convolution in place: the inverse transform of parts is multiplied by `times` (number k by
 * times[k]; back: by times[n - k]) and by share, conjugated, and transformed in the same direction
 * again.  With the inverse transform of h for `times`, what comes out is the conjugate of the
 * circular convolution with h, times n and share.
 * Of the samples wanted_count from 0 on are wanted, as of wsi_fft_in.
 */
typedef struct wsi_fft_convolution {
	void *parts;                 /* [2][n]: real, imaginary */
	size_t zero, end;            /* from zero on to end parts are 0, whatever is there */
	const void *times_re, *times_im; /* [n]; back: [n + 1], the last as the first */
	double share;
	bool back;
	size_t wanted_count;
} wsi_fft_convolution;

/* The least length of at least n that a transform can have and that is a multiple of `multiple`,
 * itself a power of two times WSI_FFT_ACROSS^2. */
size_t wsi_fft_length(size_t n, size_t multiple);

/* Can a transform have this length? */
bool wsi_fft_fits(size_t n);

/* Lays a transform out, without its tables: what they take is known, and it cannot be run yet.
 * WS_E_NOMEM.  On failure *fft is NULL. */
ws_status wsi_fft_create(wsi_fft **fft, ws_type type, size_t n);
/* The same with n1 and n2 exchanged.  Bins k1 + n1 k2 of one k1 are then those which the second
 * step of the other leaves together. */
ws_status wsi_fft_create_transposed(wsi_fft **fft, ws_type type, size_t n);
/* Makes its tables, once; WS_E_NOMEM, WS_E_CANCELLED, and then there are none.  progress, or NULL:
 * is asked now and then. */
ws_status wsi_fft_fill(wsi_fft *fft, wsi_progress *progress);
/* Bytes of them. */
size_t wsi_fft_tables(const wsi_fft *fft);
/* Frees them; NULL is fine. */
void wsi_fft_empty(wsi_fft *fft);
void wsi_fft_destroy(wsi_fft *fft);

/* Bytes of scratch that one transform needs. */
size_t wsi_fft_scratch(const wsi_fft *fft);

#endif
