/* pairs.c - modes of two channels beside each other: phase locking, and how much of it there is by
 * chance; amplitude correlation. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "math/gaussian.h"
#include "math/phase.h"
#include "transform/hht/work.h"

/* Samples whose sums are added before they are added to the whole. */
#define BLOCK 1024
/* Sums that do not wait for one another. */
#define ACROSS 8
/* Changes the seed, so that noise of ensembles is drawn from other numbers. */
#define SEED 0x6c6f636b696e67u

void
wsi_hht_pairs_lay_out(wsi_hht_work *w, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t modes = plan->base.shape.channels * plan->modes;
	w->pairs = (wsi_hht_pairs){ NULL, NULL };
	if (!(plan->o.parts & WS_HHT_PART_CONNECTIVITY))
		return;
	w->pairs.rows = wsi_arena_take(arena, 3 * modes * plan->hht.n * sizeof *w->pairs.rows);
	w->pairs.kept = wsi_arena_take(arena, modes * sizeof *w->pairs.kept);
	if (arena->base)
		memset(w->pairs.kept, 0, modes * sizeof *w->pairs.kept);
}

/* ---- Levels ------------------------------------------------------------------------------- */

/* How many of so many signals of noise are above the level or, the last of them, are it. */
static size_t
above_level(const wsi_hht_plan *plan, double signals)
{
	return (size_t)floor(0.5 * (1.0 - plan->o.confidence) * (signals + 1.0) + 1e-9);
}

static bool
has_level(const wsi_hht_plan *plan)
{
	return plan->noise && plan->o.parts & WS_HHT_PART_CONNECTIVITY;
}

ws_status
wsi_hht_locking_resolve(wsi_hht_plan *plan)
{
	if (!has_level(plan))
		return WS_OK;
	if (above_level(plan, plan->o.noise_signals) == 0)
		return WSI_FAIL(WS_E_ARG, "a level of phase locking at a `confidence` of %g needs "
		                "%.0f `noise_signals` or more", plan->o.confidence,
		                ceil(2.0 / (1.0 - plan->o.confidence) - 1.0 - 1e-9));
	return wsi_dft_add_inverse(&plan->spectra);
}

static size_t
largest_bytes(const wsi_hht_plan *plan, const wsi_hht_locking *l)
{
	return plan->base.shape.channels * plan->modes * wsi_hht_together(&plan->base) *
	       (l->kept + 1) * sizeof(double);
}

void
wsi_hht_locking_lay_out(wsi_hht_work *w, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t channels = plan->base.shape.channels, n = plan->base.shape.samples;
	wsi_hht_locking *l = &w->locking;
	if (!has_level(plan))
		return;
	l->noise = (wsi_surrogates){ .noise = WS_SIGNIFICANCE_PHASE, .dft = plan->spectra,
		.seed = plan->o.emd.seed ^ SEED, .type = plan->base.shape.type };
	l->kept = above_level(plan, plan->o.noise_signals);
	l->x = wsi_arena_take(arena, channels * n * wsi_type_size(plan->base.shape.type));
	l->scratch = wsi_arena_take(arena, wsi_surrogate_scratch(&l->noise, n));
	l->largest = wsi_arena_take(arena, largest_bytes(plan, l));
}

void
wsi_hht_locking_draw(const wsi_hht_work *w, const wsi_io *io, size_t i)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t channels = plan->base.shape.channels, n = plan->base.shape.samples;
	const wsi_hht_locking *l = &w->locking;
	if (i == 0)
		memset(l->largest, 0, largest_bytes(plan, l));
	for (size_t c = 0; c < channels; ++c)
		wsi_surrogate_make(&l->noise, io->x + c * io->x_stride, n, io->first_channel + c, i,
		                   l->x + c * n * wsi_type_size(l->noise.type), l->scratch);
}

static double *
largest_of_pair(const wsi_hht_work *w, size_t c, size_t d, size_t k)
{
	const size_t together = wsi_hht_together(&w->plan->base);
	return w->locking.largest + ((c * w->plan->modes + k) * together + d % together) *
	       (w->locking.kept + 1);
}

/* One more of a pair, whose largest rise. */
static void
keep_locking(const wsi_hht_work *w, double *largest, double value)
{
	for (size_t i = 0; i < w->locking.kept && value > largest[i]; ++i) {
		if (i > 0)
			largest[i - 1] = largest[i];
		largest[i] = value;
	}
	largest[w->locking.kept] += 1.0;
}

/* Of a pair, among the signals of noise that have the mode; NAN: too few have it. */
static double
level_of(const wsi_hht_work *w, const double *largest)
{
	const size_t above = above_level(w->plan, largest[w->locking.kept]);
	return above ? largest[w->locking.kept - above] : NAN;
}

/* ---- Sums --------------------------------------------------------------------------------- */

static double *
row_of(const wsi_hht_work *w, size_t channel, size_t k)
{
	return w->pairs.rows + 3 * (channel * w->plan->modes + k) * w->plan->hht.n;
}

/* Sums of products of rows, in a fixed order: a b + c d, and c b - a d; or of a b alone. */
typedef struct sums {
	double together, apart;
} sums;

static sums
sum_phasors(const double *c1, const double *s1, const double *c2, const double *s2, size_t n)
{
	sums all = { 0.0, 0.0 };
	for (size_t first = 0; first < n; first += BLOCK) {
		double re[ACROSS] = { 0 }, im[ACROSS] = { 0 };
		const size_t end = n - first < BLOCK ? n : first + BLOCK;
		for (size_t i = first; i < end; i += ACROSS) {
			const size_t m = end - i < ACROSS ? end - i : ACROSS;
			for (size_t j = 0; j < m; ++j) {
				re[j] += c1[i + j] * c2[i + j] + s1[i + j] * s2[i + j];
				im[j] += s1[i + j] * c2[i + j] - c1[i + j] * s2[i + j];
			}
		}
		for (size_t half = ACROSS / 2; half; half /= 2)
			for (size_t j = 0; j < half; ++j) {
				re[j] += re[j + half];
				im[j] += im[j + half];
			}
		all.together += re[0];
		all.apart += im[0];
	}
	return all;
}

static double
sum_products(const double *a, const double *b, size_t n)
{
	double all = 0.0;
	for (size_t first = 0; first < n; first += BLOCK) {
		double part[ACROSS] = { 0 };
		const size_t end = n - first < BLOCK ? n : first + BLOCK;
		for (size_t i = first; i < end; i += ACROSS) {
			const size_t m = end - i < ACROSS ? end - i : ACROSS;
			for (size_t j = 0; j < m; ++j)
				part[j] += a[i + j] * b[i + j];
		}
		for (size_t half = ACROSS / 2; half; half /= 2)
			for (size_t j = 0; j < half; ++j)
				part[j] += part[j + half];
		all += part[0];
	}
	return all;
}

/* Spread below this share of the mean is rounding. */
#define LEVEL 1e-12

/* to: the amplitude less its mean, of square 1; 0 where it is constant. */
static void
standardise(const double *amplitude, size_t n, double *to)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; ++i)
		sum += amplitude[i];
	const double mean = sum / (double)n;
	for (size_t i = 0; i < n; ++i)
		to[i] = amplitude[i] - mean;
	const double spread = sqrt(sum_products(to, to, n));
	const bool level = !(spread > LEVEL * fabs(mean) * sqrt((double)n));
	for (size_t i = 0; i < n; ++i)
		to[i] = level ? 0.0 : to[i] / spread;
}

void
wsi_hht_pairs_keep(wsi_hht_work *w, size_t channel, size_t k, const double *amplitude,
                   const double *phase)
{
	const size_t n = w->plan->hht.n;
	if (!w->pairs.rows)
		return;
	double *cosine = row_of(w, channel, k), *sine = cosine + n;
	for (size_t i = 0; i < n; ++i) {
		const double turns = phase[i] / PHASE_TURN;
		gaussian_turn(turns - floor(turns), &cosine[i], &sine[i]);
	}
	standardise(amplitude, n, sine + n);
	w->pairs.kept[channel * w->plan->modes + k] = true;
}

static void
put_pair(const wsi_hht_work *w, int array, size_t c, size_t k, size_t partner, double value)
{
	double *row = wsi_hht_out_row(w, array, WS_HHT_PART_CONNECTIVITY, c, k);
	if (row)
		row[partner] = value;
}

/* Mode k of channels c and d, into both places. */
static void
look_at(const wsi_hht_work *w, size_t c, size_t d, size_t k)
{
	const size_t n = w->plan->hht.n, modes = w->plan->modes;
	const size_t together = wsi_hht_together(&w->plan->base);
	const bool both = w->pairs.kept[c * modes + k] && w->pairs.kept[d * modes + k];
	double locking = 0.0, correlation = 0.0;
	if (both) {
		const double *x = row_of(w, c, k), *y = row_of(w, d, k);
		const sums s = sum_phasors(x, x + n, y, y + n, n);
		locking = sqrt(s.together * s.together + s.apart * s.apart) / (double)n;
		locking = c == d ? 1.0 : phase_upper(locking, 0.0);
		locking = phase_lower(locking, 1.0);
		correlation = sum_products(x + 2 * n, y + 2 * n, n);
		correlation = phase_upper(phase_lower(correlation, 1.0), -1.0);
		correlation = c == d && correlation > 0.0 ? 1.0 : correlation;
	}
	if (w->aside) {
		if (w->locking.x && c != d && both)
			keep_locking(w, largest_of_pair(w, c, d, k), locking);
		return;
	}
	/* Else the array is not made, and has no place. */
	if (w->locking.x) {
		const double level = c == d ? NAN : level_of(w, largest_of_pair(w, c, d, k));
		put_pair(w, WS_HHT_LOCKING_LEVEL, c, k, d % together, level);
		put_pair(w, WS_HHT_LOCKING_LEVEL, d, k, c % together, level);
	}
	put_pair(w, WS_HHT_PHASE_LOCKING, c, k, d % together, locking);
	put_pair(w, WS_HHT_PHASE_LOCKING, d, k, c % together, locking);
	put_pair(w, WS_HHT_AMPLITUDE_CORRELATION, c, k, d % together, correlation);
	put_pair(w, WS_HHT_AMPLITUDE_CORRELATION, d, k, c % together, correlation);
}

/* A channel and a mode at a time, beside the channels from it on. */
void
wsi_hht_pairs_of(void *arg, size_t i, int rank)
{
	wsi_hht_work *w = arg;
	const size_t modes = w->plan->modes, together = wsi_hht_together(&w->plan->base);
	const size_t c = i / modes, last = (c / together + 1) * together;
	for (size_t d = c; d < last && wsi_goes_on(w->progress, rank); ++d)
		look_at(w, c, d, i % modes);
}
