/*
 * cwt_ops.h - the slots of the continuous wavelet transform (wsi_ops.cwt).
 *
 * Complex arrays are two arrays, real and imaginary parts, of the table's element type.
 */
#ifndef WSI_CWT_OPS_H
#define WSI_CWT_OPS_H

#include "math/averages.h"
#include "math/geometric.h"
#include "math/quantities.h"
#include "math/wavelets.h"
#include "ops/fft.h"

/* The largest exponent of the power of two that is taken off a channel, as which it and its inverse
 * are numbers of the type; the smallest is one more than its negative. */
#define WSI_CWT_EXPONENTS(f64) ((f64) ? 1000 : 127)

/* The response of one scale: bins k0 .. k1 - 1 of a transform of n points, k below 0 and beyond
 * n / 2 included where they count. */
typedef struct wsi_cwt_response {
	wsi_wavelet wavelet;
	double step;            /* w = step k */
	double gain;            /* of the shape */
	int64_t k0, k1;
	int quarters;           /* times i^quarters */
	bool halve_nyquist;     /* bins n / 2 and -n / 2 count half */
	bool whole;             /* an analytic Morlet wavelet's formula goes on below 0, where the
	                           spectrum has bins of its own (cpu/cwt/cwt_edge.h) */
	const double *table;    /* gain and shape of each bin but those from plain0 to plain1 - 1;
	                           NULL: all bins by the formula, or, for a GPU's backend, they are
	                           with all others (ops/cwt_job.h) */
	int64_t plain0, plain1; /* k0 <= plain0 <= plain1 <= k1: by the formula, where others are a
	                           table */
} wsi_cwt_response;

/* values[k - k0] = gain shape(step k) flatten[|k - centre|]; flatten: or NULL */
typedef struct wsi_cwt_response_args {
	const wsi_cwt_response *response;
	size_t n;
	const double *flatten;
	int64_t centre;
	void *values;
} wsi_cwt_response_args;

/* y[k mod m] = sum of x[k] values[k - k0]; x[n - k] = conj(x[k]) where x has not both. */
typedef struct wsi_cwt_product_args {
	const wsi_cwt_response *response;
	const void *values;
	const void *x_re, *x_im; /* bins -below .. n / 2 + above; of bin 0 */
	size_t below, above;
	size_t n, m;
	void *y_re, *y_im;      /* [m] */
} wsi_cwt_product_args;

/* How complex numbers are stored: times scale, a power of two; power times its square. */
typedef struct wsi_cwt_store {
	ws_quantity quantity;
	double scale;
	bool stream;            /* past the caches */
	double weight;          /* of powers; not 0: so many times each is added to doubles there */
} wsi_cwt_store;

/* Outputs of one block of an interpolation. */
#define WSI_CWT_BLOCK 512
/* Taps of an interpolation on twice as many grid points as the band has bins, and on a quarter
 * more. */
#define WSI_CWT_FEW_TAPS(bits) ((bits) == 64 ? 16 : 8)
#define WSI_CWT_MANY_TAPS(bits) ((bits) == 64 ? 24 : 12)
#define WSI_CWT_TAPS 24         /* most */
#define WSI_CWT_RATIO 64        /* most outputs a grid point */
/* Numbers of e^{i kappa t} that a block needs: of its outputs and of its grid points. */
#define WSI_CWT_CARRIERS (2 * WSI_CWT_BLOCK + 2 * (WSI_CWT_BLOCK + WSI_CWT_TAPS))

/*
 * out[t] = e^{i kappa t} sum over j < taps of u[t / ratio + j - taps / 2 + 1] weights[j][t % ratio]
 * where z[l] = u[l] e^{i kappa ratio l} is given, and periodic: the values of a band about kappa on
 * a grid of one point for `ratio` outputs.  j ascending, fma; then the rotation.
 */
typedef struct wsi_cwt_interpolation {
	const void *z_re, *z_im; /* [m] */
	size_t m;
	int ratio;              /* 2, 4, .. WSI_CWT_RATIO */
	int taps;               /* WSI_CWT_FEW_TAPS or _MANY_ */
	const void *weights;    /* [taps][ratio] */
	uint64_t rotation, period; /* kappa = 2 pi rotation / period */
	size_t t0, t1;          /* outputs wanted */
	wsi_cwt_store store;
	void *out;              /* of t0 */
	void *carriers;         /* scratch of WSI_CWT_CARRIERS numbers; aligned to 64 */
	bool carried;           /* as the call before left it, of the same kappa, ratio and taps */
} wsi_cwt_interpolation;

/* out = (share 2^exponent last^weight)^power (math/geometric.h); last: or NULL. */
typedef struct wsi_cwt_mean_args {
	const double *share, *exponent;
	const void *last;
	double weight, power;
	size_t count;
	void *out;
} wsi_cwt_mean_args;

/* An epoch's coefficients w, to be added to sums over epochs; NULL: a sum is not wanted. */
typedef struct wsi_cwt_epoch {
	const void *w;          /* [count] complex */
	size_t count;
	size_t before;          /* epochs that have been added */
	double *power;          /* [count] of |w|^2 */
	double *re, *im, *about; /* of w, and of squared distances from its mean: all three, or
	                           none */
	double *unit_re, *unit_im; /* of w / |w|, and of 0 where w is 0 */
} wsi_cwt_epoch;

/* The same of two channels: powers, and w conj(v) as w above. */
typedef struct wsi_cwt_pair {
	const void *w, *v;      /* [count] complex */
	size_t count;
	double *power_w, *power_v, *re, *im, *unit_re, *unit_im; /* [count] */
} wsi_cwt_pair;

typedef struct wsi_cwt_ops {
	/* out may be in, where there is no response. */
	void (*inverse)(const wsi_fft *fft, const wsi_fft_in *in, void *out_re, void *out_im,
	                void *scratch);
	/* The first count samples of it as complex numbers. */
	void (*inverse_store)(const wsi_fft *fft, const wsi_fft_in *in, const wsi_cwt_store *how,
	                      size_t count, void *out, void *scratch);
	void (*convolve)(const wsi_fft *fft, const wsi_fft_convolution *of, void *scratch);
	void (*response)(const wsi_cwt_response_args *args);
	void (*product)(const wsi_cwt_product_args *args);
	void (*interpolate)(const wsi_cwt_interpolation *args);
	/* out[0 .. count) from re, im. */
	void (*store)(const wsi_cwt_store *how, const void *re, const void *im, size_t count,
	              void *out);
	/* share 2^exponent times each of a row of magnitudes; before: rows that it was multiplied
	 * by, since it was 1 2^0. */
	void (*multiply)(const void *row, size_t count, size_t before, double *share,
	                 double *exponent);
	void (*mean)(const wsi_cwt_mean_args *args);
	void (*add_epoch)(const wsi_cwt_epoch *epoch);
	void (*add_pair)(const wsi_cwt_pair *pair);
} wsi_cwt_ops;

/* Numbers of the element type that an output takes. */
static inline size_t
wsi_cwt_numbers(ws_quantity quantity)
{
	return quantity == WS_QUANTITY_COMPLEX ? 2 : 1;
}

/* Bytes of an output, of numbers of so many. */
static inline size_t
wsi_cwt_stored_bytes(const wsi_cwt_store *how, size_t element)
{
	return how->weight != 0.0 ? sizeof(double) : wsi_cwt_numbers(how->quantity) * element;
}

#endif
