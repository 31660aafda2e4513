/* input_known.c - what is known of a signal about the times selected: gaps are mended by straight
 * lines, and beyond what is known lie its mirror images. */
#include "io/read/input_known.h"

#include <math.h>
#include <string.h>

#include "base/element.h"
#include "io/read/input_samples.h"

/* Straight lines across the gaps that were let pass. */
static void
mend(void *x, ws_type type, size_t n)
{
	for (size_t k = 1; k < n; k++) {
		if (isfinite(wsi_real_at(x, type, k)))
			continue;
		size_t end = k;
		while (end < n && !isfinite(wsi_real_at(x, type, end)))
			end++;
		double a = wsi_real_at(x, type, k - 1), b = end < n ? wsi_real_at(x, type, end) : a;
		for (size_t j = k; j < end; j++) {
			double v = a + (b - a) * ((double)(j - k + 1) / (double)(end - k + 1));
			wsi_real_put(x, type, j, v);
		}
		k = end;
	}
}

/* Up to where samples of signal i are known, from k on towards `end`.  A gap ends that, but where
 * what lies about the samples selected is handed out: there one that is to be mended does not. */
static size_t
known_to(const wsi_input *in, size_t i, const void *x, ws_type type, size_t k, size_t end)
{
	const size_t step = k < end ? 1 : (size_t)-1;
	const bool mends = in->interpolate && in->before + in->after > 0;
	const size_t most = mends ? wsi_input_longest_gap(in, i) : 0;
	size_t known = k;
	for (size_t gap = 0; k != end && gap <= most; k += step) {
		const bool finite = isfinite(wsi_real_at(x, type, step == 1 ? k : k - 1));
		gap = finite ? 0 : gap + 1;
		known = finite ? k + step : known;
	}
	return known;
}

void
wsi_input_trim(wsi_input *in, size_t i, void *x, ws_type type, size_t core, size_t n_core,
               size_t *from, size_t *to)
{
	const size_t low = known_to(in, i, x, type, core, *from);
	const size_t high = known_to(in, i, x, type, core + n_core, *to);
	const size_t size = wsi_type_size(type);
	if (in->interpolate)
		mend((char *)x + low * size, type, high - low);
	in->mirrored[i] = in->before + in->after > 0 && (low > *from || high < *to);
	*from = low;
	*to = high;
}

void
wsi_input_mirror(void *x, size_t size, size_t count, size_t from, size_t to)
{
	const size_t last = to - from - 1, period = last ? 2 * last : 1;
	char *known = (char *)x + from * size;
	for (size_t k = 0; k < count; k++) {
		if (k == from)
			k = to;
		if (k == count)
			return;
		const size_t at = (k < from ? from - k : k - from) % period;
		memcpy((char *)x + k * size, known + (at <= last ? at : period - at) * size, size);
	}
}
