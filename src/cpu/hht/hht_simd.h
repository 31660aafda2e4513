/*
 * hht_simd.h - the slots of ops/hht_ops.h.  Loops without branches, which the compiler makes
 * vectors of.
 */
#include "math/bins.h"
#include "math/hilbert.h"
#include "math/modes.h"
#include "ops/hht_ops.h"

/* Samples that go through several loops while they are in the first cache. */
#define HHT_FEW 256

static double
hht_peak(const void *row, ws_type type, size_t n, int *finite)
{
	/* Lane by lane, so that no comparison waits for the one before. */
	enum { LANES_APART = 32 };
	double peak[LANES_APART] = { 0 }, odd[LANES_APART] = { 0 }, copy[HHT_FEW];
	for (size_t first = 0; first < n; first += HHT_FEW) {
		const size_t some = n - first < HHT_FEW ? n - first : HHT_FEW;
		const double *x = type == WS_F64 ? (const double *)row + first : copy;
		for (size_t i = 0; type != WS_F64 && i < some; ++i)
			copy[i] = (double)((const float *)row)[first + i];
		for (size_t i = 0; i < some; i += LANES_APART) {
			const size_t lanes = some - i < LANES_APART ? some - i : LANES_APART;
			for (size_t k = 0; k < lanes; ++k) {
				const double v = fabs(x[i + k]);
				peak[k] = v > peak[k] ? v : peak[k];
				/* Nothing, but where v is not finite. */
				odd[k] += v - v;
			}
		}
	}
	double largest = 0.0;
	for (int k = 0; k < LANES_APART; ++k) {
		largest = peak[k] > largest ? peak[k] : largest;
		*finite &= odd[k] == 0.0;
	}
	return largest;
}

static double
hht_facts(const double *x, size_t n, size_t *maxima)
{
	double squares = 0.0;
	for (size_t first = 0; first < n; first += WSI_WIDE_BLOCK) {
		double part[WSI_WIDE] = { 0 };
		const size_t end = n - first < WSI_WIDE_BLOCK ? n : first + WSI_WIDE_BLOCK;
		size_t i = first;
		for (; i + WSI_WIDE <= end; i += WSI_WIDE)
			for (size_t j = 0; j < WSI_WIDE; ++j)
				part[j] += x[i + j] * x[i + j];
		for (size_t j = 0; i + j < end; ++j)
			part[j] += x[i + j] * x[i + j];
		squares += wide_total(part, WSI_WIDE);
	}
	size_t count = 0;
	for (size_t i = 1; i + 1 < n; ++i)
		count += (x[i] > x[i - 1]) & (x[i] >= x[i + 1]);
	*maxima = count;
	return squares;
}

static void
hht_weigh(const double *restrict a, const double *restrict f, size_t n, double *energy,
          double *moment)
{
	*energy = *moment = 0.0;
	for (size_t first = 0; first < n; first += WSI_WIDE_BLOCK) {
		double es[WSI_WIDE] = { 0 }, ms[WSI_WIDE] = { 0 };
		const size_t end = n - first < WSI_WIDE_BLOCK ? n : first + WSI_WIDE_BLOCK;
		for (size_t i = first; i < end; i += WSI_WIDE) {
			const size_t some = end - i < WSI_WIDE ? end - i : WSI_WIDE;
			for (size_t j = 0; j < some; ++j) {
				const double e = a[i + j] * a[i + j];
				es[j] += e;
				ms[j] += e * f[i + j];
			}
		}
		*energy += wide_total(es, WSI_WIDE);
		*moment += wide_total(ms, WSI_WIDE);
	}
}

static double
hht_outside(const double *restrict a, const int32_t *restrict bin, size_t n)
{
	double sum = 0.0;
	for (size_t first = 0; first < n; first += WSI_WIDE_BLOCK) {
		double part[WSI_WIDE] = { 0 };
		const size_t end = n - first < WSI_WIDE_BLOCK ? n : first + WSI_WIDE_BLOCK;
		int32_t any = 0;
		for (size_t i = first; i < end; ++i)
			any |= bin[i];
		for (size_t i = first; any < 0 && i < end; i += WSI_WIDE) {
			const size_t some = end - i < WSI_WIDE ? end - i : WSI_WIDE;
			for (size_t j = 0; j < some; ++j)
				part[j] += bin[i + j] < 0 ? a[i + j] * a[i + j] : 0.0;
		}
		sum += wide_total(part, WSI_WIDE);
	}
	return sum;
}

static void
hht_count(const double *f, size_t n, double limit, size_t *negative, size_t *above)
{
	int64_t low = 0, high = 0;
	for (size_t i = 0; i < n; ++i) {
		low += f[i] < 0.0;
		high += f[i] > limit;
	}
	*negative = (size_t)low;
	*above = (size_t)high;
}

static void
hht_respond(size_t half, const double *restrict re, const double *restrict im,
            const double *restrict sum, const double *restrict difference,
            const double *restrict cosine, const double *restrict sine, double *restrict y_re,
            double *restrict y_im)
{
	const double p = 0.0, q = -1.0 / (double)half;
	hilbert_bin(re[0], im[0], re[0], im[0], sum ? sum[0] : 0.0, sum ? difference[0] : 0.0,
	            cosine[0], sine[0], &y_re[0], &y_im[0]);
	if (sum)
		for (size_t k = 1; k < half; ++k)
			hilbert_bin(re[k], im[k], re[half - k], im[half - k], sum[k], difference[k],
			            cosine[k], sine[k], &y_re[k], &y_im[k]);
	else
		for (size_t k = 1; k < half; ++k)
			hilbert_bin(re[k], im[k], re[half - k], im[half - k], p, q, cosine[k],
			            sine[k], &y_re[k], &y_im[k]);
}

static void
hht_polar(const double *restrict x, const double *restrict y, size_t n, double *restrict modulus,
          double *restrict angle)
{
	/* Square roots and divisions keep one unit busy, the rest of an angle others. */
	if (modulus)
		for (size_t i = 0; i < n; ++i) {
			modulus[i] = sqrt(fma(x[i], x[i], y[i] * y[i]));
			angle[i] = phase_angle(y[i], x[i]);
		}
	else
		for (size_t i = 0; i < n; ++i)
			angle[i] = phase_angle(y[i], x[i]);
}

/* Whole turns are integers, so that they can be found together, and added up on their own. */
static void
hht_unwrap_plain(double *angle, size_t n)
{
	double before = n ? angle[0] : 0.0;
	int32_t turns = 0, turn[HHT_FEW];
	for (size_t first = 1; first < n; first += HHT_FEW) {
		const size_t some = n - first < HHT_FEW ? n - first : HHT_FEW;
		double *a = angle + first;
		turn[0] = (int32_t)phase_turn(before, a[0]);
		for (size_t i = 1; i < some; ++i)
			turn[i] = (int32_t)phase_turn(a[i - 1], a[i]);
		before = a[some - 1];
		for (size_t i = 0; i < some; ++i) {
			turns += turn[i];
			turn[i] = turns;
		}
		for (size_t i = 0; i < some; ++i)
			a[i] = fma((double)turn[i], PHASE_TURN, a[i]);
	}
}

/* As numpy.unwrap: what each step asks for is found together, and added up sample by sample. */
static void
hht_unwrap_numpy(double *angle, size_t n)
{
	double before = n ? angle[0] : 0.0, turns = 0.0, turn[HHT_FEW];
	for (size_t first = 1; first < n; first += HHT_FEW) {
		const size_t some = n - first < HHT_FEW ? n - first : HHT_FEW;
		double *a = angle + first;
		turn[0] = phase_turn_numpy(before, a[0]);
		for (size_t i = 1; i < some; ++i)
			turn[i] = phase_turn_numpy(a[i - 1], a[i]);
		before = a[some - 1];
		for (size_t i = 0; i < some; ++i) {
			turns += turn[i];
			turn[i] = turns;
		}
		for (size_t i = 0; i < some; ++i)
			a[i] += turn[i];
	}
}

static void
hht_unwrap(double *angle, size_t n, int numpy)
{
	if (numpy)
		hht_unwrap_numpy(angle, n);
	else
		hht_unwrap_plain(angle, n);
}

/* ---- In one go --------------------------------------------------------------------------- */

_Static_assert(HHT_FEW == WSI_WIDE && WSI_WIDE_BLOCK % HHT_FEW == 0,
               "a step adds to each sum once");

/* Unwraps a[n], which follow a sample whose angle was `before`, by so many turns.  first: a[0] is
 * the first of all.  Returns the turns of the last. */
static int32_t
hht_unwrap_few(double *restrict a, size_t n, int first, double before, int32_t turns)
{
	int32_t turn[HHT_FEW], any = 0;
	turn[0] = first ? 0 : (int32_t)phase_turn(before, a[0]);
	for (size_t i = 1; i < n; ++i)
		turn[i] = (int32_t)phase_turn(a[i - 1], a[i]);
	for (size_t i = 0; i < n; ++i)
		any |= turn[i];
	for (size_t i = 0; !any && i < n; ++i)
		turn[i] = turns;
	for (size_t i = 0; any && i < n; ++i) {
		turns += turn[i];
		turn[i] = turns;
	}
	for (size_t i = first ? 1 : 0; i < n; ++i)
		a[i] = fma((double)turn[i], PHASE_TURN, a[i]);
	return turns;
}

static void
hht_slope_few(const double *restrict angle, size_t n, double by, double *restrict frequency)
{
	for (size_t i = 0; i < n; ++i)
		frequency[i] = (angle[i + 2] - angle[i]) * by;
}

static void
hht_weigh_few(const double *restrict a, const double *restrict f, size_t n, double *restrict es,
              double *restrict ms)
{
	for (size_t j = 0; j < n; ++j) {
		const double e = a[j] * a[j];
		es[j] += e;
		ms[j] += e * f[j];
	}
}

/* Angles are a step ahead: a slope needs the sample behind it. */
static void
hht_follow(const double *x, const double *y, size_t n, double scale, double *modulus, double *angle,
           double *frequency, double *energy, double *moment)
{
	double es[WSI_WIDE] = { 0 }, ms[WSI_WIDE] = { 0 }, before = 0.0;
	int32_t turns = 0;
	*energy = *moment = 0.0;
	for (size_t ahead = 0; ahead < n + HHT_FEW; ahead += HHT_FEW) {
		if (ahead < n) {
			const size_t some = n - ahead < HHT_FEW ? n - ahead : HHT_FEW;
			hht_polar(x + ahead, y + ahead, some, modulus + ahead, angle + ahead);
			const double last = angle[ahead + some - 1];
			turns = hht_unwrap_few(angle + ahead, some, ahead == 0, before, turns);
			before = last;
		}
		if (ahead == 0)
			continue;
		const size_t first = ahead - HHT_FEW, end = ahead < n ? ahead : n;
		const size_t from = first ? first : 1, to = end < n ? end : n - 1;
		if (to > from)
			hht_slope_few(angle + from - 1, to - from, scale / 2.0, frequency + from);
		if (first == 0)
			frequency[0] = frequency[1];
		if (end == n)
			frequency[n - 1] = frequency[n - 2];
		hht_weigh_few(modulus + first, frequency + first, end - first, es, ms);
		if (end % WSI_WIDE_BLOCK == 0 || end == n) {
			*energy += wide_total(es, WSI_WIDE);
			*moment += wide_total(ms, WSI_WIDE);
			memset(es, 0, sizeof es);
			memset(ms, 0, sizeof ms);
		}
	}
}

/* ---- Envelopes and smoothing ------------------------------------------------------------- */

static size_t
hht_peaks(const double *x, size_t n, int refined, double *t, double *v)
{
	size_t peaks = 0;
	for (size_t i = 1; i + 1 < n; ++i) {
		const double l = fabs(x[i - 1]), m = fabs(x[i]), r = fabs(x[i + 1]);
		if (!(m > l) || !(refined ? m >= r : m > r))
			continue;
		double behind = 0.0, value = m;
		if (refined)
			value = phase_peak(x[i] < 0.0 ? -x[i - 1] : x[i - 1], m,
			                   x[i] < 0.0 ? -x[i + 1] : x[i + 1], &behind);
		const double at = (double)i + behind;
		if (peaks && at < t[peaks - 1] + 0.5)
			continue;
		t[peaks] = at;
		v[peaks++] = value;
	}
	return peaks;
}

/* Sample i, whose window does not lie within the samples. */
static double
hht_median_near_end(const double *x, size_t n, size_t i, int width, int zeros)
{
	double v[WSI_WIDEST_MEDIAN];
	size_t half = (size_t)width / 2;
	if (!zeros) {
		half = i < half ? i : half;
		half = n - 1 - i < half ? n - 1 - i : half;
	}
	int m = 0;
	for (size_t k = 0; k < 2 * half + 1; ++k)
		v[m++] = i + k < half || i + k - half >= n ? 0.0 : x[i + k - half];
	return phase_middle(v, m);
}

static void
hht_median(const double *restrict x, size_t n, int width, int zeros, double *restrict y)
{
	const size_t half = (size_t)width / 2;
	const size_t first = half < n ? half : n, last = n > 2 * half ? n - half : first;
	for (size_t i = 0; i < first; ++i)
		y[i] = hht_median_near_end(x, n, i, width, zeros);
	for (size_t i = last; i < n; ++i)
		y[i] = hht_median_near_end(x, n, i, width, zeros);
	if (width == 1)
		memcpy(y, x, n * sizeof *y);
	else if (width == 3)
		for (size_t i = first; i < last; ++i)
			y[i] = phase_median3(x[i - 1], x[i], x[i + 1]);
	else if (width == 5)
		for (size_t i = first; i < last; ++i)
			y[i] = phase_median5(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]);
	else
		for (size_t i = first; i < last; ++i) {
			double v[WSI_WIDEST_MEDIAN];
			memcpy(v, x + i - half, (size_t)width * sizeof *v);
			y[i] = phase_middle(v, width);
		}
}

static void
hht_slope(const double *restrict x, size_t n, int width, double scale, double *restrict y)
{
	const size_t half = (size_t)width / 2;
	double squares = 0.0;
	for (size_t k = 1; k <= half; ++k)
		squares += 2.0 * (double)(k * k);
	const double by = scale / squares;
	for (size_t i = half; i < n - half; ++i)
		y[i] = x[i + 1] - x[i - 1];
	for (size_t k = 2; k <= half; ++k)
		for (size_t i = half; i < n - half; ++i)
			y[i] = fma((double)k, x[i + k] - x[i - k], y[i]);
	for (size_t i = half; i < n - half; ++i)
		y[i] *= by;
	for (size_t i = 0; i < half; ++i) {
		y[i] = y[half];
		y[n - 1 - i] = y[n - 1 - half];
	}
}

static void
hht_curve(const wsi_curve *c, size_t n, double *restrict y)
{
	size_t i = 0;
	for (size_t k = 0; k + 1 < c->n && i < n; ++k) {
		const double t = c->t[k], end = c->t[k + 1], h = end - t;
		const double d = (c->v[k + 1] - c->v[k]) / h, ih = 1.0 / h;
		const double v = c->v[k], s = c->s[k];
		const double c2 = cubic_c2_f64(s, c->s[k + 1], d, ih);
		const double c3 = cubic_c3_f64(s, c->s[k + 1], d, ih);
		if (end <= (double)i)
			continue;
		const size_t stop = end >= (double)n || k + 2 == c->n ? n : (size_t)ceil(end);
		for (; i < stop; ++i)
			y[i] = mode_curve((double)i, t, v, s, c2, c3);
	}
}

/* Where a bin may be farther from its guess it is searched for by each sample alone. */
#define HHT_STEPS 4

/* Samples that are looked at together: most modes stay in a bin for longer. */
#define HHT_RUN 64

#ifdef WSI_ISA_AVX512
/* Edges that each sample of a run is compared with at most. */
#define HHT_NEAR 16

/* The bins of a run of frequencies, if they lie in some neighbouring ones: else returns 0.  Numbers
 * that are none are in no bin, and have no say in which others are. */
static int
hht_bins_near(const wsi_bins *b, const double *f, int32_t *bin)
{
	enum { VECTORS = HHT_RUN / 8 };
	const double *edges = b->edges, low = edges[0], high = edges[b->n];
	__m512d v[VECTORS], least = _mm512_set1_pd(HUGE_VAL), most = _mm512_set1_pd(-HUGE_VAL);
	for (int i = 0; i < VECTORS; ++i) {
		v[i] = _mm512_loadu_pd(f + 8 * i);
		/* The second operand, where the first is not a number. */
		least = _mm512_min_pd(v[i], least);
		most = _mm512_max_pd(v[i], most);
	}
	const double from = _mm512_reduce_min_pd(least), to = _mm512_reduce_max_pd(most);
	if (!(from < high && to >= low))
		return 0;
	const int32_t first = from < low ? 0 : bins_find(edges, b->n, b->guess, b->key, b->keys,
	                                                 from);
	const int32_t last = to < high ? bins_find(edges, b->n, b->guess, b->key, b->keys, to)
	                     : b->n - 1;
	if (last - first > HHT_NEAR)
		return 0;
	for (int i = 0; i < VECTORS; ++i) {
		__m512i at = _mm512_set1_epi64(first);
		for (int32_t k = first; k < last; ++k) {
			const __mmask8 above = _mm512_cmp_pd_mask(v[i],
			                                          _mm512_set1_pd(edges[k + 1]),
			                                          _CMP_GE_OQ);
			at = _mm512_mask_add_epi64(at, above, at, _mm512_set1_epi64(1));
		}
		const __mmask8 reached = _mm512_cmp_pd_mask(v[i], _mm512_set1_pd(low), _CMP_GE_OQ);
		const __mmask8 in = _mm512_mask_cmp_pd_mask(reached, v[i], _mm512_set1_pd(high),
		                                            _CMP_LT_OQ);
		at = _mm512_mask_mov_epi64(_mm512_set1_epi64(-1), in, at);
		_mm256_storeu_si256((__m256i *)(void *)(bin + 8 * i), _mm512_cvtepi64_epi32(at));
	}
	return 1;
}
#endif

/* The bins of n frequencies, n at most HHT_RUN, each from the guess of its leading bits. */
static void
hht_bins_few(const wsi_bins *b, const double *f, size_t n, int32_t *bin)
{
	const double *edges = b->edges, low = edges[0], high = edges[b->n];
	const int32_t key = (int32_t)b->key, last = (int32_t)b->keys - 1;
	double inside[HHT_RUN];
	int32_t at[HHT_RUN];
	for (size_t i = 0; i < n; ++i)
		inside[i] = f[i] >= low && f[i] < high ? f[i] + 0.0 : low + 0.0;
	for (size_t i = 0; i < n; ++i) {
		const int32_t k = (int32_t)bins_key(inside[i]) - key;
		at[i] = k < 0 ? 0 : k > last ? last : k;
	}
	for (size_t i = 0; i < n; ++i)
		at[i] = b->guess[at[i]];
	for (int step = 0; step < b->steps; ++step)
		for (size_t i = 0; i < n; ++i)
			at[i] += inside[i] >= edges[at[i] + 1];
	for (size_t i = 0; i < n; ++i)
		bin[i] = f[i] >= low && f[i] < high ? at[i] : -1;
}

static void
hht_bins(const wsi_bins *b, const double *f, size_t n, int32_t *bin)
{
	if (b->steps > HHT_STEPS) {
		for (size_t i = 0; i < n; ++i)
			bin[i] = bins_find(b->edges, b->n, b->guess, b->key, b->keys, f[i]);
		return;
	}
	const double *edges = b->edges, low = edges[0], high = edges[b->n];
	double from = high, to = low; /* the bin of the last sample */
	for (size_t first = 0; first < n; first += HHT_RUN) {
		const size_t some = n - first < HHT_RUN ? n - first : HHT_RUN;
		int64_t others = 0;
		for (size_t i = 0; i < some; ++i)
			others += !(f[first + i] >= from && f[first + i] < to);
		if (!others) {
			const int32_t same = bin[first - 1];
			for (size_t i = 0; i < some; ++i)
				bin[first + i] = same;
			continue;
		}
#ifdef WSI_ISA_AVX512
		if (some < HHT_RUN || !hht_bins_near(b, f + first, bin + first))
#endif
			hht_bins_few(b, f + first, some, bin + first);
		const int32_t last_bin = bin[first + some - 1];
		const double last_f = f[first + some - 1];
		from = last_bin >= 0 ? edges[last_bin] : last_f < low ? -HUGE_VAL : high;
		to = last_bin >= 0 ? edges[last_bin + 1] : last_f < low ? low : HUGE_VAL;
	}
}

static const wsi_hht_ops hht_ops = {
	.polar = hht_polar, .unwrap = hht_unwrap, .peaks = hht_peaks, .median = hht_median,
	.slope = hht_slope, .curve = hht_curve, .bins = hht_bins, .peak = hht_peak,
	.facts = hht_facts, .weigh = hht_weigh, .follow = hht_follow, .outside = hht_outside,
	.count = hht_count, .respond = hht_respond,
	.hilbert = hilbert_f64,
};
