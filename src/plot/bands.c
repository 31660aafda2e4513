/* bands.c - spectra on a logarithmic axis. */
#include "plot/bands.h"

#include <math.h>

#include "base/new.h"

#define PER_OCTAVE 6

/* First bin of the band after the one that begins at bin first. */
static size_t
next_band(size_t first, size_t bins)
{
	size_t next = (size_t)round((double)first * exp2(1.0 / PER_OCTAVE));
	next = next > first ? next : first + 1;
	return next <= bins ? next : bins + 1;
}

ws_status
wsi_bands_make(wsi_bands *b, wsi_kept *kept, size_t length, double fs)
{
	size_t bins = length / 2, n = 0;
	for (size_t k = 1; k <= bins; k = next_band(k, bins))
		++n;
	*b = (wsi_bands){.n = n, .first = wsi_kept_new(kept, n + 1, sizeof *b->first),
	                 .frequency = wsi_kept_new(kept, n, sizeof *b->frequency),
	                 .width = wsi_kept_new(kept, n, sizeof *b->width)};
	WSI_HAVE(!kept->failed, "not enough memory for %zu bands of frequency", n);
	double bin = fs / (double)length;
	b->first[0] = 1;
	for (size_t i = 0; i < n; ++i) {
		size_t first = b->first[i], next = b->first[i + 1] = next_band(first, bins);
		b->frequency[i] = bin * sqrt((double)first * (double)(next - 1));
		b->width[i] = bin * (double)(next - first);
	}
	return WS_OK;
}

void
wsi_bands_mean(const wsi_bands *b, const double *density, double *out)
{
	for (size_t i = 0; i < b->n; ++i) {
		double sum = 0;
		for (size_t k = b->first[i]; k < b->first[i + 1]; ++k)
			sum += density[k];
		out[i] = sum / (double)(b->first[i + 1] - b->first[i]);
	}
}

double
wsi_bands_power(const wsi_bands *b, const double *density)
{
	double power = 0;
	for (size_t i = 0; i < b->n; ++i)
		power += density[i] * b->width[i];
	return power;
}

bool
wsi_bands_shape(const wsi_bands *b, const double *density, double *out)
{
	double power = wsi_bands_power(b, density);
	for (size_t i = 0; power > 0 && i < b->n; ++i)
		out[i] = density[i] / power * b->frequency[i] * M_LN2;
	return power > 0;
}

double
wsi_bands_overlap(const wsi_bands *bands, const double *a, const double *b)
{
	double of_a = wsi_bands_power(bands, a), of_b = wsi_bands_power(bands, b);
	if (!(of_a > 0) || !(of_b > 0))
		return NAN;
	double common = 0;
	for (size_t i = 0; i < bands->n; ++i)
		common += bands->width[i] * fmin(a[i] / of_a, b[i] / of_b);
	return common;
}
