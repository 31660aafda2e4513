/* welch.c - Welch's method over an FFT (fft.h). */
#include "plot/welch.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "plot/fft.h"

/* Two million samples in memory; longer waves than a segment do not show. */
#define LONGEST ((size_t)1 << 20)

struct wsi_welch {
	wsi_fft fft;
	size_t length, filled, segments;
	double fs;
	double *window, *row;     /* [length]; row: samples of the segment being filled */
	double *power;            /* [length / 2 + 1], summed over segments */
	double *in;               /* [length], the FFT's, as are out and plan */
	fftw_complex *out;        /* [length / 2 + 1] */
	fftw_plan plan;
};

/* Even and without prime factors beyond 5, which FFTW is fast at. */
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
 * need the resolution; where bins are many, bands steady them (bands.h). */
static size_t
segment_length(size_t samples)
{
	size_t n = samples / 2 < LONGEST ? samples / 2 : LONGEST;
	while (!is_smooth(n))
		--n;
	return n;
}

ws_status
wsi_welch_create(wsi_welch **welch, size_t samples, double fs)
{
	size_t n = segment_length(samples);
	wsi_welch *w = *welch = calloc(1, sizeof *w);
	if (!w)
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for a spectrum");
	w->length = n;
	w->fs = fs;
	w->window = malloc(n * sizeof *w->window);
	w->row = malloc(n * sizeof *w->row);
	w->power = calloc(n / 2 + 1, sizeof *w->power);
	ws_status status = wsi_fft_open(&w->fft);
	if (status != WS_OK) {
		wsi_welch_destroy(w);
		*welch = NULL;
		return status;
	}
	w->in = w->fft.allocate(n * sizeof *w->in);
	w->out = w->fft.allocate((n / 2 + 1) * sizeof *w->out);
	if (w->in && w->out)
		w->plan = w->fft.plan((int)n, w->in, w->out, FFTW_ESTIMATE);
	if (!w->window || !w->row || !w->power || !w->plan) {
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
	if (w->plan)
		w->fft.destroy_plan(w->plan);
	if (w->fft.library) {
		w->fft.release(w->in);
		w->fft.release(w->out);
	}
	wsi_fft_close(&w->fft);
	free(w->window);
	free(w->row);
	free(w->power);
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
		w->in[i] = (w->row[i] - mean) * w->window[i];
	w->fft.execute(w->plan);
	for (size_t k = 0; k <= w->length / 2; ++k)
		w->power[k] += w->out[k][0] * w->out[k][0] + w->out[k][1] * w->out[k][1];
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
