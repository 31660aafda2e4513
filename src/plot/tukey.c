/* tukey.c - quartiles by linear interpolation; whiskers to the last values that are no further from
 * these than 1.5 times their distance. */
#include "plot/tukey.h"

#include <math.h>
#include <stdlib.h>

#include "base/rising.h"

#define WHISKER 1.5

static double
quantile(const double *values, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t i = (size_t)at;
	double next = i + 1 < n ? values[i + 1] : values[i];
	return values[i] + (at - (double)i) * (next - values[i]);
}

wsi_tukey
wsi_tukey_of(double *values, size_t n)
{
	if (n == 0)
		return (wsi_tukey){0, NAN, NAN, NAN, {NAN, NAN, NAN}, NAN, NAN};
	qsort(values, n, sizeof *values, wsi_rising);
	wsi_tukey t = {.n = n, .least = values[0], .most = values[n - 1]};
	for (size_t i = 0; i < n; ++i)
		t.mean += values[i] / (double)n;
	for (size_t q = 0; q < 3; ++q)
		t.quartile[q] = quantile(values, n, 0.25 * (double)(q + 1));
	double reach = WHISKER * (t.quartile[2] - t.quartile[0]);
	size_t low = 0, high = n - 1;
	while (values[low] < t.quartile[0] - reach)
		++low;
	while (values[high] > t.quartile[2] + reach)
		--high;
	t.low = values[low];
	t.high = values[high];
	return t;
}
