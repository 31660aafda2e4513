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
