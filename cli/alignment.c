/* alignment.c - means of the alignment of modes. */
#include "alignment.h"

#include <math.h>

double
cli_alignment_of(const cli_alignment *a, size_t mode)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < a->signals; i++) {
		const double x = mode < (size_t)a->count[i] ? a->values[i * a->most + mode] : NAN;
		sum += isnan(x) ? 0 : x;
		n += !isnan(x);
	}
	return n ? sum / (double)n : NAN;
}

double
cli_alignment_of_all(const cli_alignment *a)
{
	double sum = 0, shares = 0;
	for (size_t i = 0; i < a->signals; i++)
		for (size_t k = 0; k < (size_t)a->count[i]; k++) {
			const double x = a->values[i * a->most + k];
			const double share = a->shares[i * a->most + k];
			sum += isnan(x) ? 0 : share * x;
			shares += isnan(x) ? 0 : share;
		}
	return shares > 0 ? sum / shares : NAN;
}
