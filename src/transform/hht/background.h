/*
 * background.h - the spectrum of the noise that a signal stands on: white, AR(1), or white plus a
 * power law, fitted to its periodogram by the likelihood of Whittle 1953, made robust.
 *
 * The periodogram is that of the samples times a Hann window, so that neither a trend nor a strong
 * line leaks over it.  An ordinate over the spectrum, u, is exponentially distributed.  The
 * likelihood takes u as at most CLIP (background.c): a line draws the spectrum up no more than any
 * other large ordinate does.  Medians of neighbouring ordinates serve that end in Mann & Lees 1996.
 *  Of more than 2^13 samples the ordinates are thinned: 2048 an octave, with weights.
 */
#ifndef WSI_TRANSFORM_BACKGROUND_H
#define WSI_TRANSFORM_BACKGROUND_H

#include "base/arena.h"
#include "cpu/fft/dft.h"
#include "wavesift/hht.h"

/* AR(1) of lag1 = 1: its level alone is fitted.  Callers are told of WS_BACKGROUND_AR1. */
#define WSI_BACKGROUND_WALK ((ws_background)5)
#define WSI_BACKGROUNDS 6 /* with WS_BACKGROUND_NONE */
/* Fewest samples that a spectrum is fitted to. */
#define WSI_BACKGROUND_LEAST 32

/* Density at f, 0 < f <= 1/2 cycles a sample, one-sided:
 *     white      e^level
 *     AR(1)      e^level / |1 - lag1 e^{-2 pi i f}|^2, lag1 = tanh(shape)
 *     power law  e^level f^-shape + e^floor
 *     bend       e^level f^-shape (1 + (f / e^bend)^2)^-(steeper / 2)
 *     walk       e^level / (2 sin(pi f))^2 */
typedef struct wsi_background {
	ws_background model;    /* WS_BACKGROUND_NONE: the signal is constant */
	double level, shape, floor, steeper, bend;
} wsi_background;

/* What fits of signals of one length have in common. */
typedef struct wsi_ordinates {
	const wsi_dft *dft;     /* of that length */
	size_t n, count;        /* samples, ordinates */
	double *window;         /* [n] */
	double *number;         /* [count] of an ordinate: f = number / n */
	double *log_f, *chord;  /* [count] ln f; (2 sin(pi f))^2 */
	double *weight;         /* [count] ordinates that it stands for */
	double information;     /* of a unit of the loss, in independent ordinates */
} wsi_ordinates;

/* Takes the tables from the arena, and fills them unless it measures. */
void wsi_ordinates_make(wsi_ordinates *o, const wsi_dft *dft, size_t n, wsi_arena *arena);

/* Bytes of scratch of a fit; a multiple of 64. */
size_t wsi_background_scratch(const wsi_ordinates *o);

/* Fits each model to x[n], in any unit: those of `models`, a bit for each ws_background.
 * *of[model]: the fit, and loss[model] its loss; or WS_BACKGROUND_NONE. */
void wsi_background_fit(const wsi_ordinates *o, const double *x, unsigned models,
                        wsi_background of[WSI_BACKGROUNDS], double loss[WSI_BACKGROUNDS],
                        void *scratch);

/* The fit to x[n] of the model of another fit that is not far. */
wsi_background wsi_background_refit(const wsi_ordinates *o, const double *x,
                                    const wsi_background *near, void *scratch);

/* share[model]: how likely each fit is, by its loss and number of parameters: Akaike weights
 * (Wagenmakers & Farrell 2004), which add up to 1.  Returns the likeliest; WS_BACKGROUND_NONE:
 * there are no fits. */
ws_background wsi_background_weigh(const wsi_ordinates *o, const wsi_background *of,
                                   const double *loss, double share[WSI_BACKGROUNDS]);

/* ln of the density at f. */
double wsi_background_at(const wsi_background *b, double f);
/* ln of a mode's energy (mean square) over density times frequency at its period, in samples. */
double wsi_background_excess(const wsi_background *b, double energy, double period);
/* Its lag-1 autocorrelation, or its exponent; 0 of white noise. */
double wsi_background_slope(const wsi_background *b);

#endif
