/* welch.c - power spectral density of a row, read in blocks. */
#include "plot/welch.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/fft/dft.h"
#include "base/cpu_probe.h"
#include "base/kept.h"
#include "base/new.h"

/* Two million samples in memory; longer waves than a segment do not show. */
#define LONGEST ((size_t)1 << 20)

struct wsi_welch {
	wsi_dft dft;
	size_t length, filled, segments;
	double fs;
	double *window, *row;     /* [length]; row: samples of the segment being filled */
	double *power;            /* [length / 2 + 1], summed over segments */
	wsi_kept kept;            /* all these, and the next two */
	double *re, *im;          /* what the transform works in, and its scratch */
	void *scratch;
};

/* Even and without prime factors beyond 5: quickly transformed. */
static bool
is_smooth(size_t n)
{
	static const size_t primes[] = {2, 3, 5};
	if (n % 2 != 0)
		return false;
	for (size_t i = 0; i < 3; ++i)
		while (n % primes[i] == 0)
			n /= primes[i];
	return n == 1;
}

/* Half a row, so three segments: slow modes swing once or twice in a row and
 * need the resolution; where bins are many, bands steady them (bands.h).  Long ones are multiples
 * of 512, which ops/fft.h takes as they are. */
static size_t
segment_length(size_t samples)
{
	size_t n = samples / 2 < LONGEST ? samples / 2 : LONGEST;
	const size_t step = n < 1 << 14 ? 1 : 512;
	for (n -= n % step; !is_smooth(n); n -= step)
		continue;
	return n;
}

ws_status
wsi_welch_create(wsi_welch **welch, size_t samples, double fs)
{
	size_t n = segment_length(samples);
	wsi_welch *w = *welch = calloc(1, sizeof *w);
	WSI_HAVE(w, "not enough memory for a spectrum");
	w->length = n;
	w->fs = fs;
	w->window = wsi_kept_new(&w->kept, n, sizeof *w->window);
	w->row = wsi_kept_new(&w->kept, n, sizeof *w->row);
	w->power = wsi_kept_new(&w->kept, n / 2 + 1, sizeof *w->power);
	ws_status status = wsi_dft_create(&w->dft, wsi_ops_find(wsi_cpu_isa(0), WS_F64), n);
	if (status == WS_OK)
		status = wsi_dft_fill(&w->dft, NULL);
	if (status == WS_OK) {
		const size_t numbers = wsi_dft_forward_numbers(&w->dft);
		w->re = wsi_kept_new(&w->kept, numbers, sizeof *w->re);
		w->im = wsi_kept_new(&w->kept, numbers, sizeof *w->im);
		w->scratch = aligned_alloc(64, wsi_dft_forward_scratch(&w->dft) + 64);
	}
	if (w->kept.failed || !w->scratch) {
		wsi_welch_destroy(w);
		*welch = NULL;
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for spectra of %zu samples", n);
	}
	for (size_t i = 0; i < n; ++i)
		w->window[i] = 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)n);
	return WS_OK;
}

void
wsi_welch_destroy(wsi_welch *w)
{
	if (!w)
		return;
	wsi_dft_destroy(&w->dft);
	wsi_kept_free(&w->kept);
	free(w->scratch);
	free(w);
}

size_t
wsi_welch_length(const wsi_welch *w)
{
	return w->length;
}

static void
add_segment(wsi_welch *w)
{
	double mean = 0;
	for (size_t i = 0; i < w->length; ++i)
		mean += w->row[i] / (double)w->length;
	for (size_t i = 0; i < w->length; ++i)
		wsi_dft_put(&w->dft, i, (w->row[i] - mean) * w->window[i], w->re, w->im);
	wsi_dft_forward(&w->dft, w->re, w->im, w->scratch);
	for (size_t k = 0; k <= w->length / 2; ++k)
		w->power[k] += w->re[k] * w->re[k] + w->im[k] * w->im[k];
	++w->segments;
}

void
wsi_welch_push(wsi_welch *w, const double *x, size_t count)
{
	while (count > 0) {
		size_t room = w->length - w->filled;
		size_t taken = count < room ? count : room;
		memcpy(w->row + w->filled, x, taken * sizeof *x);
		w->filled += taken;
		x += taken;
		count -= taken;
		if (w->filled < w->length)
			return;
		add_segment(w);
		w->filled = w->length / 2;
		memcpy(w->row, w->row + w->filled, w->filled * sizeof *w->row);
	}
}

void
wsi_welch_finish(wsi_welch *w, double *density)
{
	/* A Hann window's mean square is 3/8. */
	double scale = 1 / (0.375 * (double)w->length * w->fs * (double)w->segments);
	for (size_t k = 0; k <= w->length / 2; ++k) {
		bool has_twin = k > 0 && k < w->length / 2;
		density[k] = w->power[k] * scale * (has_twin ? 2 : 1);
	}
	memset(w->power, 0, (w->length / 2 + 1) * sizeof *w->power);
	w->filled = w->segments = 0;
}
