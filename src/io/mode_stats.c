/* mode_stats.c - mean frequency and variance of a mode. */
#include "io/mode_stats.h"

static double
value(const void *row, ws_type type, size_t i)
{
	return type == WS_F64 ? ((const double *)row)[i] : (double)((const float *)row)[i];
}

static double
variance_of(const void *row, ws_type type, size_t n)
{
	double mean = 0;
	for (size_t i = 0; i < n; ++i)
		mean += value(row, type, i);
	mean /= (double)n;
	double squares = 0;
	for (size_t i = 0; i < n; ++i) {
		double d = value(row, type, i) - mean;
		squares += d * d;
	}
	return squares / (double)n;
}

static size_t
sign_changes(const void *row, ws_type type, size_t n)
{
	size_t changes = 0;
	int sign = 0;
	for (size_t i = 0; i < n; ++i) {
		double v = value(row, type, i);
		int s = (v > 0) - (v < 0);
		if (s != 0) {
			changes += sign == -s;
			sign = s;
		}
	}
	return changes;
}

void
wsi_mode_stats(const void *row, ws_type type, size_t n, double fs,
               double *mean_frequency, double *variance)
{
	if (mean_frequency)
		*mean_frequency = n ? 0.5 * (double)sign_changes(row, type, n) * fs / (double)n : 0;
	if (variance)
		*variance = n ? variance_of(row, type, n) : 0;
}

void
wsi_channel_stats(const void *modes, size_t n_modes, const void *residue, ws_type type, size_t n,
                  double fs, double *mean_frequency, double *share, double *residue_share)
{
	size_t row_bytes = n * (type == WS_F64 ? sizeof(double) : sizeof(float));
	wsi_mode_stats(residue, type, n, fs, NULL, residue_share);
	double sum = *residue_share;
	for (size_t m = 0; m < n_modes; ++m) {
		wsi_mode_stats((const char *)modes + m * row_bytes, type, n, fs, &mean_frequency[m],
		               &share[m]);
		sum += share[m];
	}
	for (size_t m = 0; m < n_modes; ++m)
		share[m] = sum > 0 ? share[m] / sum : 0;
	*residue_share = sum > 0 ? *residue_share / sum : 0;
}
