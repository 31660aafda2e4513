/*
 * marks.h - the vocabulary of a sift: kinds of extrema, marks, halo, the knots
 * beyond the ends, and the counts that stop rules consume.
 *
 * An extremum is marked by a bit at a sample s.  A plateau (math/plateau.h) of samples i .. k is
 * marked at s = (i + k + 1) / 2.  If i + k is odd, its knot lies half a sample earlier, at tick
 * 2 s - 1, with the mean of samples s - 1 and s for its value; a second bit at s, `half`, says so.
 * Then the knot of a signal read backwards is the same one.  Sample s is the first at or after its
 * knot either way, so that intervals are counted by marks alone.
 */
#ifndef WSI_MATH_MARKS_H
#define WSI_MATH_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WSI_MAX = 0, WSI_MIN = 1 };   /* kinds of extrema, hence of envelopes */
enum { WSI_LEFT = 0, WSI_RIGHT = 1 };

/* Samples of one word of marks.  Every array of samples that a slot reads or
 * writes is padded to whole words; what the padding holds does not matter. */
#define WSI_WORD 64
#define WSI_WORDS(n) (((size_t)(n) + WSI_WORD - 1) / WSI_WORD)

/* Knots that a tile needs beyond each of its ends, in f64 (f32 needs fewer):
 * the solver's reach in rows, one for the row's data, one for the interval. */
#define WSI_HALO 49

typedef struct wsi_counts {
	int64_t extrema[2];     /* per kind */
	int64_t zero_crossings; /* a run of zeros counts once */
	int64_t wrong_sign;     /* maxima <= 0 and minima >= 0 */
} wsi_counts;

typedef struct wsi_mean_counts {
	int64_t above_sd, above_sd2;  /* samples with |mean| > threshold * amplitude */
} wsi_mean_counts;

/* Knots beyond a range of words that are enough for whoever works on it: the
 * halo, and one that tells that the signal's knots do not end with it. */
#define WSI_BEYOND (WSI_HALO + 1)

/*
 * Knots of one kind on one side of a range of words, ascending: extrema, then
 * what a boundary rule adds beyond the signal's end.  These may lie inside the
 * range, but only beyond all extrema of their kind, and as extrema do: no two at
 * neighbouring samples, but for a knot at an end sample.
 */
typedef struct wsi_extras {
	int n;
	int32_t t[WSI_BEYOND];  /* ticks */
	double v[WSI_BEYOND];
} wsi_extras;

typedef struct wsi_ends {
	wsi_extras extra[2][2]; /* [kind][side] */
} wsi_ends;

#endif
