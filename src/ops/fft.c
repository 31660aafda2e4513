/* fft.c - the tables of a transform: its roots and twiddles, and lengths that it can have. */
#include "ops/fft.h"

#include <stdlib.h>

#include "base/element.h"
#include "base/fused.h"
#include "base/status.h"
#include "math/gaussian.h"

/* e^{2 pi i a / n} to to[i] and to[i + apart]. */
static WSI_IN_BOTH void
put_twiddle(ws_type type, void *to, size_t i, size_t apart, size_t a, size_t n)
{
	double c, s;
	gaussian_turn((double)(a % n) / (double)n, &c, &s);
	wsi_real_put(to, type, i, c);
	wsi_real_put(to, type, i + apart, s);
}

/* What is left of n once all factors 2, 3 and 5 are taken out. */
static size_t
rough_part(size_t n)
{
	static const size_t primes[] = { 2, 3, 5 };
	for (int i = 0; i < 3; ++i)
		while (n && n % primes[i] == 0)
			n /= primes[i];
	return n;
}

bool
wsi_fft_fits(size_t n)
{
	return n && n % (WSI_FFT_ACROSS * WSI_FFT_ACROSS) == 0 && rough_part(n) == 1;
}

size_t
wsi_fft_length(size_t n, size_t multiple)
{
	const size_t need = n ? (n + multiple - 1) / multiple : 1;
	size_t best = 1;
	while (best < need)
		best *= 2;
	for (size_t five = 1; five < best; five *= 5)
		for (size_t three = five; three < best; three *= 3) {
			size_t m = three;
			while (m < need)
				m *= 2;
			best = m < best ? m : best;
		}
	return best * multiple;
}

/* n as two factors, both multiples of WSI_FFT_ACROSS, as near to each other as can be. */
static void
split(size_t n, size_t *small, size_t *large)
{
	const size_t m = n / (WSI_FFT_ACROSS * WSI_FFT_ACROSS);
	size_t best = 1;
	for (size_t f = 1; f * f <= m; ++f)
		best = m % f == 0 ? f : best;
	*small = WSI_FFT_ACROSS * best;
	*large = WSI_FFT_ACROSS * (m / best);
}

static void
choose_radices(wsi_fft_axis *axis, size_t n)
{
	static const int order[] = { 5, 3, 8, 4, 2 };
	axis->n = n;
	axis->passes = 0;
	size_t numbers = 0;
	for (int i = 0; i < 5; ++i)
		while (n % (size_t)order[i] == 0) {
			/* 4 x 4 is less work than 8 x 2. */
			if (order[i] == 8 && n == 16)
				break;
			n /= (size_t)order[i];
			axis->radix[axis->passes] = order[i];
			axis->twiddle[axis->passes++] = numbers;
			numbers += 2 * n * (size_t)(order[i] - 1);
		}
}

/* Numbers of an axis's twiddles. */
static size_t
twiddle_numbers(const wsi_fft_axis *axis)
{
	size_t numbers = 1, q = axis->n;
	for (int pass = 0; pass < axis->passes; ++pass) {
		q /= (size_t)axis->radix[pass];
		numbers = axis->twiddle[pass] + 2 * q * (size_t)(axis->radix[pass] - 1);
	}
	return numbers;
}

static WSI_IN_BOTH void
fill_axis(const wsi_fft_axis *axis, void *twiddles, ws_type type)
{
	const size_t n = axis->n;
	size_t q = n;
	for (int pass = 0; pass < axis->passes; ++pass) {
		const size_t radix = (size_t)axis->radix[pass], whole = q;
		q /= radix;
		for (size_t j = 0; j < q; ++j)
			for (size_t u = 1; u < radix; ++u)
				put_twiddle(type, twiddles,
				            axis->twiddle[pass] + 2 * ((radix - 1) * j + u - 1), 1,
				            j * u, whole);
	}
	/* The first pass parts t by t modulo its radix, and so on. */
	for (size_t t = 0; t < n; ++t) {
		size_t rest = t, at = 0, span = n;
		for (int pass = 0; pass < axis->passes; ++pass) {
			const size_t radix = (size_t)axis->radix[pass];
			span /= radix;
			at += rest % radix * span;
			rest /= radix;
		}
		axis->place[t] = (uint32_t)at;
	}
}

/* Numbers of the twiddles of lanes, and of groups. */
static size_t
lane_numbers(const wsi_fft *fft)
{
	return 2 * fft->first.n * WSI_FFT_ACROSS;
}

static size_t
group_numbers(const wsi_fft *fft)
{
	return 2 * fft->first.n * (fft->second.n / WSI_FFT_ACROSS);
}

static bool
take_tables(wsi_fft *fft)
{
	const size_t bytes = wsi_type_size(fft->type);
	fft->twiddles[0] = malloc(twiddle_numbers(&fft->first) * bytes);
	fft->twiddles[1] = malloc(twiddle_numbers(&fft->second) * bytes);
	fft->first.place = malloc(fft->first.n * sizeof *fft->first.place);
	fft->second.place = malloc(fft->second.n * sizeof *fft->second.place);
	fft->lane_twiddles = aligned_alloc(64, lane_numbers(fft) * bytes);
	fft->group_twiddles = malloc(group_numbers(fft) * bytes);
	return fft->twiddles[0] && fft->twiddles[1] && fft->first.place && fft->second.place
	       && fft->lane_twiddles && fft->group_twiddles;
}

size_t
wsi_fft_tables(const wsi_fft *fft)
{
	const size_t numbers = twiddle_numbers(&fft->first) + twiddle_numbers(&fft->second)
	                       + lane_numbers(fft) + group_numbers(fft);
	return numbers * wsi_type_size(fft->type) +
	       (fft->first.n + fft->second.n) * sizeof(uint32_t);
}

void
wsi_fft_empty(wsi_fft *fft)
{
	if (!fft)
		return;
	void **const tables[] = { &fft->twiddles[0], &fft->twiddles[1], &fft->lane_twiddles,
		&fft->group_twiddles };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
		free(*tables[i]);
		*tables[i] = NULL;
	}
	free(fft->first.place);
	free(fft->second.place);
	fft->first.place = fft->second.place = NULL;
}

/* False where the user stops it. */
static WSI_IN_BOTH bool
fill(wsi_fft *fft, wsi_progress *progress)
{
	const size_t n1 = fft->second.n, n2 = fft->first.n, groups = n1 / WSI_FFT_ACROSS;
	fill_axis(&fft->first, fft->twiddles[0], fft->type);
	fill_axis(&fft->second, fft->twiddles[1], fft->type);
	for (size_t t = 0; t < n2; ++t) {
		if (!wsi_goes_on(progress, 0))
			return false;
		for (size_t lane = 0; lane < WSI_FFT_ACROSS; ++lane)
			put_twiddle(fft->type, fft->lane_twiddles, 2 * WSI_FFT_ACROSS * t + lane,
			            WSI_FFT_ACROSS, lane * t, fft->n);
		for (size_t g = 0; g < groups; ++g)
			put_twiddle(fft->type, fft->group_twiddles, 2 * (g * n2 + t), 1,
			            WSI_FFT_ACROSS * g * t, fft->n);
	}
	return true;
}

WSI_FUSED static bool
fill_fused(wsi_fft *fft, wsi_progress *progress)
{
	return fill(fft, progress);
}

static bool
fill_plain(wsi_fft *fft, wsi_progress *progress)
{
	return fill(fft, progress);
}

ws_status
wsi_fft_fill(wsi_fft *fft, wsi_progress *progress)
{
	if (fft->group_twiddles)
		return WS_OK;
	if (!take_tables(fft)) {
		wsi_fft_empty(fft);
		return WSI_FAIL(WS_E_NOMEM, "no memory for the tables of a transform of %zu points",
		                fft->n);
	}
	if (!(WSI_HAS_FUSED() ? fill_fused : fill_plain)(fft, progress)) {
		wsi_fft_empty(fft);
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	}
	return WS_OK;
}

static ws_status
create(wsi_fft **out, ws_type type, size_t n, bool transposed)
{
	*out = NULL;
	if (!wsi_fft_fits(n))
		return WSI_FAIL(WS_E_INTERNAL, "no transform of %zu points", n);
	wsi_fft *fft = calloc(1, sizeof *fft);
	if (!fft)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", n);
	fft->n = n;
	fft->type = type;
	size_t n1, n2;
	split(n, transposed ? &n2 : &n1, transposed ? &n1 : &n2);
	choose_radices(&fft->first, n2);
	choose_radices(&fft->second, n1);
	*out = fft;
	return WS_OK;
}

ws_status
wsi_fft_create(wsi_fft **out, ws_type type, size_t n)
{
	return create(out, type, n, false);
}

ws_status
wsi_fft_create_transposed(wsi_fft **out, ws_type type, size_t n)
{
	return create(out, type, n, true);
}

void
wsi_fft_destroy(wsi_fft *fft)
{
	wsi_fft_empty(fft);
	free(fft);
}

size_t
wsi_fft_scratch(const wsi_fft *fft)
{
	const size_t n1 = fft->second.n, n2 = fft->first.n, longer = n1 > n2 ? n1 : n2;
	const size_t transposed = 2 * (n1 + 1) * n2;
	return (transposed + 2 * WSI_FFT_ACROSS * longer) * wsi_type_size(fft->type);
}
