/*
 * hht_ops.h - the slots of Hilbert-Huang spectra: passes over the samples of one mode.  All in
 * double, see math/phase.h.  Twins: ops/ref/hht_ref.h.
 */
#ifndef WSI_HHT_OPS_H
#define WSI_HHT_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

/* Bins of frequency: bin b has edges[b] <= f < edges[b + 1]. */
typedef struct wsi_bins {
	int n;
	double *edges;          /* [n + 1] ascending */
	/* A bin that is not above that of any f whose leading bits (math/bins.h) are key + i. */
	int32_t *guess;         /* [keys] */
	uint32_t key, keys;
	int32_t steps;          /* the most bins that any f lies above its guess */
} wsi_bins;

/* A curve of cubics between knots. */
typedef struct wsi_curve {
	size_t n;               /* at least 2 */
	double *t, *v, *s;      /* time in samples, ascending; value; slope */
} wsi_curve;

/* The widest running median. */
#define WSI_WIDEST_MEDIAN 31

struct wsi_fft;

typedef struct wsi_hht_ops {
	/* The largest magnitude of a row; *finite becomes 0 where a sample is not. */
	double (*peak)(const void *row, ws_type type, size_t n, int *finite);
	/* The sum of squares, in the order of math/modes.h, and how many maxima there are. */
	double (*facts)(const double *x, size_t n, size_t *maxima);
	/* Modulus (or NULL) and angle of x + i y. */
	void (*polar)(const double *x, const double *y, size_t n, double *modulus, double *angle);
	/* Adds whole turns, in place: no step is larger than half a turn.  numpy: as numpy.unwrap
	 * does, which adds up the turns' rounding. */
	void (*unwrap)(double *angle, size_t n, int numpy);
	/* Maxima of |x[n]|, ascending: times and values to t and v, room for n / 2 + 1.  refined:
	 * of the sines through three samples, at least half a sample apart; else samples larger
	 * than both neighbours.  Returns how many. */
	size_t (*peaks)(const double *x, size_t n, int refined, double *t, double *v);
	/* Running medians of an odd width; y is not x.  Beyond the ends there are zeros, or, where
	 * !zeros, the window shrinks to what there is on both sides. */
	void (*median)(const double *x, size_t n, int width, int zeros, double *y);
	/* y[i] = scale times the slope of the line fitted to an odd width of samples about i, near
	 * the ends of that to the first, or last, so many.  n >= width >= 3. */
	void (*slope)(const double *x, size_t n, int width, double scale, double *y);
	/* The curve at samples 0 .. n - 1, which its knots enclose. */
	void (*curve)(const wsi_curve *curve, size_t n, double *y);
	/* The bin of each frequency; -1: none. */
	void (*bins)(const wsi_bins *bins, const double *f, size_t n, int32_t *bin);
	/* Sums of a^2 and of a^2 f, in the order of math/modes.h. */
	void (*weigh)(const double *a, const double *f, size_t n, double *energy, double *moment);
	/* Of n >= 3 samples polar, unwrap (!numpy), slope of width 3 and weigh in one go.
	 * frequency may begin where y does or before it: of y what has been read is overwritten.
	 * NULL: composed of these slots, same bits. */
	void (*follow)(const double *x, const double *y, size_t n, double scale, double *modulus,
	               double *angle, double *frequency, double *energy, double *moment);
	/* The sum of a^2 of samples whose bin is -1, in the order of math/modes.h. */
	double (*outside)(const double *a, const int32_t *bin, size_t n);
	/* How many frequencies lie below 0, and how many above a limit. */
	void (*count)(const double *f, size_t n, double limit, size_t *negative, size_t *above);
	/* math/hilbert.h for all bins of a transform of `half` points.  sum NULL: those are 0, and
	 * the differences are -1 / half but for the first, which is 0. */
	void (*respond)(size_t half, const double *re, const double *im, const double *sum,
	                const double *difference, const double *cosine, const double *sine,
	                double *y_re, double *y_im);
	/* The whole Hilbert transform of a period of 2 half samples: transform there, respond()
	 * without a sum, transform back.  The factors of `back` are those of `there`, exchanged.
	 * twiddles: cosines and sines of bins k + n2 s, in the order in which they are needed,
	 * [k / WSI_FFT_ACROSS][s][2][k % WSI_FFT_ACROSS].  scratch: wsi_hilbert_scratch() bytes; y
	 * may begin where it does.  NULL: composed of the slots above, same bits. */
	void (*hilbert)(const struct wsi_fft *there, const struct wsi_fft *back,
	                const double *twiddles, const double *x, double *y, void *scratch);
} wsi_hht_ops;

#endif
