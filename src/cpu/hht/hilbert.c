/*
 * hilbert.c - the Hilbert transform of a period by Fourier transforms.
 *
 * A Hilbert transform is a convolution with an odd response, whose own transform is i r[k] with r
 * real and odd.  Lengths that ops/fft.h has go so at once: r[k] is -1 for k below n / 2.  Others go
 * by the response to a pulse, a period of the cotangent, and transforms of at least 2 n samples.
 *
 * The transform of m real samples is one of m / 2 complex numbers, of which the even samples are
 * the real parts and the odd ones the imaginary parts.
 */
#include "cpu/hht/hilbert.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/status.h"
#include "math/gaussian.h"
#include "math/hilbert.h"
#include "ops/cwt_ops.h"
#include "ops/hht_ops.h"

/* What both halves of a length are multiples of. */
#define ACROSS (WSI_FFT_ACROSS * WSI_FFT_ACROSS)
/* Numbers of a table between two questions whether to go on. */
#define ASK ((size_t)1 << 16)

struct wsi_hilbert {
	size_t n, half;         /* samples; m / 2 */
	bool at_once;
	const wsi_ops *ops;
	wsi_fft *fft, *back;    /* of half: there, and back with its factors exchanged, so that who
	                           has some bins of the one can begin with the other */
	/* [half]: of r[k] and r[k + m / 2] half their sum and half their difference, over m / 2 */
	double *sum, *difference;
	double *cosine, *sine;  /* [half] of 2 pi k / m */
	double *twiddles;       /* the same as the slot `hilbert` takes them; or NULL */
};

static size_t
row_bytes(size_t half)
{
	return (half * sizeof(double) + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

size_t
wsi_hilbert_length(size_t n)
{
	return 2 * wsi_fft_length((n + 1) / 2, ACROSS);
}

/* Transform of the complex numbers that stand for x[n], zeros after them. */
static void
forward(const wsi_hilbert *h, const double *x, size_t n, double *re, double *im, double *z_re,
        double *z_im, void *scratch)
{
	for (size_t k = 0; k < n / 2; ++k) {
		re[k] = x[2 * k];
		im[k] = x[2 * k + 1];
	}
	memset(re + n / 2, 0, (h->half - n / 2) * sizeof *re);
	memset(im + n / 2, 0, (h->half - n / 2) * sizeof *im);
	if (n % 2)
		re[n / 2] = x[n - 1];
	/* Forwards is backwards with real and imaginary parts exchanged. */
	h->ops->cwt->inverse(h->fft, &(wsi_fft_in){ .re = im, .im = re }, z_im, z_re, scratch);
}

/*
 * The response y[k] to a pulse at 0, -n < k < n, of a period of m samples. n even: 2/n cot(pi k /
 * n) for odd k, 0 for even ones.  n odd: (cot(pi k / n) - (-1)^k / sin(pi k / n)) / n.
 * False where the user stops it.
 */
static bool
fill_response(double *x, size_t n, size_t m, wsi_progress *progress)
{
	memset(x, 0, m * sizeof *x);
	for (size_t k = 1; k < n; ++k) {
		double c, s, y = 0.0;
		if (k % ASK == 0 && !wsi_goes_on(progress, 0))
			return false;
		gaussian_turn(0.5 * (double)k / (double)n, &c, &s);
		if (n % 2)
			y = (c + (k % 2 ? 1.0 : -1.0)) / s / (double)n;
		else if (k % 2)
			y = 2.0 / (double)n * (c / s);
		x[k] = y;
		x[m - k] = -y;
	}
	return wsi_goes_on(progress, 0);
}

/* Sums and differences of r, from the transform of the response. */
static ws_status
take_response(wsi_hilbert *h, wsi_progress *progress)
{
	const size_t half = h->half, row = row_bytes(half) / sizeof(double);
	double *x = aligned_alloc(WSI_ALIGN, 2 * row * sizeof *x);
	char *scratch = aligned_alloc(WSI_ALIGN, wsi_hilbert_scratch(h));
	const bool room = x && scratch;
	if (!room || !fill_response(x, h->n, 2 * half, progress)) {
		free(x);
		free(scratch);
		return room ? WSI_FAIL(WS_E_CANCELLED, "cancelled")
		       : WSI_FAIL(WS_E_NOMEM, "no memory to plan a transform of %zu samples", h->n);
	}
	double *re = (double *)(void *)scratch, *im = re + row, *z_re = im + row;
	double *z_im = z_re + row;
	forward(h, x, 2 * half, re, im, z_re, z_im, z_im + row);
	for (size_t k = 0; k < half; ++k) {
		const size_t back = k ? half - k : 0;
		/* X[k] = E + w O is i r[k], X[k + m / 2] = E - w O is i r[k + m / 2]. */
		const double e_im = 0.5 * (z_im[k] - z_im[back]);
		const double o_re = 0.5 * (z_im[k] + z_im[back]);
		const double o_im = 0.5 * (z_re[back] - z_re[k]);
		h->sum[k] = e_im / (double)half;
		h->difference[k] = (h->cosine[k] * o_im - h->sine[k] * o_re) / (double)half;
	}
	free(x);
	free(scratch);
	return WS_OK;
}

/* Cosines and sines in the order of the slot `hilbert`. */
static void
fill_twiddles(wsi_hilbert *h)
{
	const size_t n1 = h->fft->second.n, n2 = h->fft->first.n, across = WSI_FFT_ACROSS;
	for (size_t k = 0; k < h->half; ++k) {
		const size_t first = k % n2, s = k / n2;
		double *at = h->twiddles + (first / across * n1 + s) * 2 * across + first % across;
		at[0] = h->cosine[k];
		at[across] = h->sine[k];
	}
}

static size_t
table_bytes(const wsi_hilbert *h)
{
	return (h->at_once && h->ops->hht->hilbert ? 6 : 4) * row_bytes(h->half);
}

static ws_status
create(wsi_hilbert *h)
{
	h->at_once = h->n % 2 == 0 && wsi_fft_fits(h->n / 2);
	h->half = h->at_once ? h->n / 2 : wsi_hilbert_length(2 * h->n) / 2;
	WSI_TRY(wsi_fft_create(&h->fft, WS_F64, h->half));
	return wsi_fft_create_transposed(&h->back, WS_F64, h->half);
}

ws_status
wsi_hilbert_create(wsi_hilbert **out, const wsi_ops *ops, size_t n)
{
	*out = NULL;
	wsi_hilbert *h = calloc(1, sizeof *h);
	if (!h)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	h->n = n;
	h->ops = ops;
	const ws_status status = create(h);
	if (status != WS_OK) {
		wsi_hilbert_destroy(h);
		return status;
	}
	*out = h;
	return WS_OK;
}

static ws_status
fill(wsi_hilbert *h, wsi_progress *progress)
{
	WSI_TRY(wsi_fft_fill(h->fft, progress));
	WSI_TRY(wsi_fft_fill(h->back, progress));
	const size_t row = row_bytes(h->half);
	const bool twiddles = h->at_once && h->ops->hht->hilbert;
	h->sum = aligned_alloc(WSI_ALIGN, table_bytes(h));
	if (!h->sum)
		return WSI_FAIL(WS_E_NOMEM, "no memory to plan a transform of %zu samples", h->n);
	h->difference = h->sum + row / sizeof(double);
	h->cosine = h->difference + row / sizeof(double);
	h->sine = h->cosine + row / sizeof(double);
	for (size_t k = 0; k < h->half; ++k) {
		if (k % ASK == 0 && !wsi_goes_on(progress, 0))
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
		gaussian_turn(0.5 * (double)k / (double)h->half, &h->cosine[k], &h->sine[k]);
		h->sum[k] = 0.0;
		h->difference[k] = k ? -1.0 / (double)h->half : 0.0;
	}
	h->twiddles = twiddles ? h->sine + row / sizeof(double) : NULL;
	if (twiddles)
		fill_twiddles(h);
	return h->at_once ? WS_OK : take_response(h, progress);
}

ws_status
wsi_hilbert_fill(wsi_hilbert *h, wsi_progress *progress)
{
	const ws_status status = h->sum ? WS_OK : fill(h, progress);
	if (status != WS_OK)
		wsi_hilbert_empty(h);
	return status;
}

size_t
wsi_hilbert_tables_bytes(const wsi_hilbert *h, size_t *making)
{
	*making = h->at_once ? 0 : 2 * row_bytes(h->half) + wsi_hilbert_scratch(h);
	return table_bytes(h) + wsi_fft_tables(h->fft) + wsi_fft_tables(h->back);
}

void
wsi_hilbert_empty(wsi_hilbert *h)
{
	wsi_fft_empty(h->fft);
	wsi_fft_empty(h->back);
	free(h->sum);
	h->sum = h->twiddles = NULL;
}

void
wsi_hilbert_destroy(wsi_hilbert *h)
{
	if (!h)
		return;
	wsi_hilbert_empty(h);
	wsi_fft_destroy(h->fft);
	wsi_fft_destroy(h->back);
	free(h);
}

size_t
wsi_hilbert_scratch(const wsi_hilbert *h)
{
	const size_t there = wsi_fft_scratch(h->fft), back = wsi_fft_scratch(h->back);
	const size_t n1 = h->fft->second.n, n2 = h->fft->first.n, group = 2 * WSI_FFT_ACROSS;
	const size_t composed = 4 * row_bytes(h->half) + (there > back ? there : back);
	/* Both transposed arrays; of LANES rows along an axis, answers, and bins of four groups. */
	const size_t at_once = there + back + 5 * group * (n1 > n2 ? n1 : n2) * sizeof(double);
	const size_t bytes = h->at_once && at_once > composed ? at_once : composed;
	return (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

/* By the slots of the transform and `respond`. */
static void
run_composed(const wsi_hilbert *h, const double *x, double *y, void *scratch)
{
	const size_t row = row_bytes(h->half) / sizeof(double);
	double *re = scratch, *im = re + row, *z_re = im + row, *z_im = z_re + row;
	void *rest = z_im + row;
	forward(h, x, h->n, re, im, z_re, z_im, rest);
	h->ops->hht->respond(h->half, z_re, z_im, h->at_once ? NULL : h->sum, h->difference,
	                     h->cosine, h->sine, re, im);
	h->ops->cwt->inverse(h->back, &(wsi_fft_in){ .re = re, .im = im }, z_re, z_im, rest);
	for (size_t k = 0; k < h->n / 2; ++k) {
		y[2 * k] = z_re[k];
		y[2 * k + 1] = z_im[k];
	}
	if (h->n % 2)
		y[h->n - 1] = z_re[h->n / 2];
}

void
wsi_hilbert_run(const wsi_hilbert *h, const double *x, double *y, void *scratch)
{
	if (h->twiddles)
		h->ops->hht->hilbert(h->fft, h->back, h->twiddles, x, y, scratch);
	else
		run_composed(h, x, y, scratch);
}

wsi_hilbert_tables
wsi_hilbert_look(const wsi_hilbert *h)
{
	return (wsi_hilbert_tables){ .n = h->n, .half = h->half, .at_once = h->at_once,
		                     .fft = h->fft, .back = h->back, .sum = h->sum,
		                     .difference = h->difference,
		                     .cosine = h->cosine, .sine = h->sine };
}
