/*
 * cwt_sums.h - wavelet coefficients of signals between zeros or mirror images, by their definition.
 *
 * Between zeros a coefficient is the direct sum of all samples, each times the wavelet, which is an
 * integral over its response by Gauss and Legendre's rule; between mirror images it is the Fourier
 * series of x[0 .. N-1], x[N-2 .. 1] repeated, added up term by term.  Both in long double, by
 * the formulae of include/wavesift/cwt.h, in norm l1, without any transform of the library's own.
 */
#ifndef CWT_SUMS_H
#define CWT_SUMS_H

#include <complex.h>
#include <stddef.h>

#include "wavesift/cwt.h"

typedef struct known {
	ws_wavelet kind;
	long double a, b;
	long double peak, most; /* where |psi^| is largest, and its value there */
} known;

/* Parameters as of ws_cwt_opts.param. */
known known_wavelet(ws_wavelet kind, double a, double b);

/* out[]: coefficients 0, every, .. of n samples, by the wavelet of peak frequency f cycles a
 * sample. */
void between_zeros(const known *v, double f, const double *x, size_t n, size_t every,
                   double complex *out);
void between_mirrors(const known *v, double f, const double *x, size_t n, size_t every,
                     double complex *out);

#endif
