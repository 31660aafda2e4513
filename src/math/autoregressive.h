/*
 * autoregressive.h - a band-limited Gaussian process whose spectrum is that of an autoregressive
 * model, and what it expects between samples.
 *
 * The model's coefficients come from the samples' autocorrelation (Yule-Walker, by Levinson and
 * Durbin).  Its spectrum up to half the sampling rate gives the covariance at any distance, whole
 * or not.  What is expected at a place is a sum of the samples about it by weights w = C^-1 c: C
 * has the covariances of these samples, c those of each with the place (Wiener; in geostatistics
 * simple kriging).
 */
#ifndef WSI_MATH_AUTOREGRESSIVE_H
#define WSI_MATH_AUTOREGRESSIVE_H

#include "math/gaussian.h"

#define WSI_AR_ORDER 16
/* Samples to either side. */
#define WSI_AR_HALF 16
#define WSI_AR_TAPS (2 * WSI_AR_HALF)
/* Frequencies at which the spectrum is taken. */
#define WSI_AR_GRID 2048
/* White noise that the model adds to the samples, of their variance: tones would leave C
 * singular. */
#define WSI_AR_NOISE 1e-9

typedef struct ar_model {
	int factor;             /* R: places lie k / R apart */
	double covariance[4 * WSI_AR_TAPS]; /* at distance k / R, over the variance */
	double root[WSI_AR_TAPS][WSI_AR_TAPS]; /* of C, lower (Cholesky) */
	double spectrum[WSI_AR_GRID];
} ar_model;

/* Coefficients a[1 ..] of order `order` from the autocorrelation r[0 .. order], r[0] > 0. */
WSI_FN void
ar_levinson(const double *r, int order, double *a)
{
	double error = r[0], before[WSI_AR_ORDER + 1];
	a[0] = 1.0;
	for (int k = 1; k <= order; ++k) {
		double sum = r[k];
		for (int i = 1; i < k; ++i)
			sum += a[i] * r[k - i];
		const double reflection = -sum / error;
		for (int i = 0; i < k; ++i)
			before[i] = a[i];
		for (int i = 1; i < k; ++i)
			a[i] = before[i] + reflection * before[k - i];
		a[k] = reflection;
		error = error * (1.0 - reflection * reflection);
	}
}

/* At frequencies (m + 1/2) / (2 WSI_AR_GRID) of the sampling rate, but for a factor. */
WSI_FN void
ar_spectrum(const double *a, int order, double *spectrum)
{
	for (int m = 0; m < WSI_AR_GRID; ++m) {
		double re = 1.0, im = 0.0;
		for (int k = 1; k <= order; ++k) {
			const double turns = ((double)m + 0.5) * (double)k / (2.0 * WSI_AR_GRID);
			double c, s;
			gaussian_turn(turns - floor(turns), &c, &s);
			re += a[k] * c;
			im += a[k] * s;
		}
		spectrum[m] = 1.0 / (re * re + im * im);
	}
}

/* r: autocorrelation up to `order`; r[0] 0: of samples that are all alike. */
WSI_FN void
ar_model_make(ar_model *model, const double *r, int order, int factor)
{
	double a[WSI_AR_ORDER + 1], noisy[WSI_AR_ORDER + 1];
	for (int k = 0; k <= order; ++k)
		noisy[k] = r[k];
	noisy[0] = r[0] * (1.0 + WSI_AR_NOISE);
	if (!(r[0] > 0.0))
		order = 0;
	if (order > 0)
		ar_levinson(noisy, order, a);
	ar_spectrum(a, order, model->spectrum);
	model->factor = factor;
	for (int k = 0; k < factor * WSI_AR_TAPS; ++k) {
		double sum = 0.0, c, s;
		for (int m = 0; m < WSI_AR_GRID; ++m) {
			const double turns = ((double)m + 0.5) * (double)k /
			                     (2.0 * WSI_AR_GRID * (double)factor);
			gaussian_turn(turns - floor(turns), &c, &s);
			sum += model->spectrum[m] * c;
		}
		model->covariance[k] = sum;
	}
	for (int k = factor * WSI_AR_TAPS - 1; k >= 0; --k)
		model->covariance[k] /= model->covariance[0];
	for (int i = 0; i < WSI_AR_TAPS; ++i)
		for (int j = 0; j <= i; ++j) {
			double sum = model->covariance[(i - j) * factor] +
			             (i == j ? WSI_AR_NOISE : 0.0);
			for (int k = 0; k < j; ++k)
				sum -= model->root[i][k] * model->root[j][k];
			model->root[i][j] = i == j ? sqrt(sum) : sum / model->root[j][j];
		}
}

/* Weights of `count` samples at place q / R behind number `left` of them, from 0.  C of fewer
 * samples is a corner of that of all, and so is its root. */
WSI_FN void
ar_weights(const ar_model *model, int left, int count, int q, double *weights)
{
	for (int i = 0; i < count; ++i) {
		const int away = (i - left) * model->factor - q;
		double sum = model->covariance[away < 0 ? -away : away];
		for (int k = 0; k < i; ++k)
			sum -= model->root[i][k] * weights[k];
		weights[i] = sum / model->root[i][i];
	}
	for (int i = count - 1; i >= 0; --i) {
		double sum = weights[i];
		for (int k = i + 1; k < count; ++k)
			sum -= model->root[k][i] * weights[k];
		weights[i] = sum / model->root[i][i];
	}
}

#endif
