/* hht_mode.c - amplitude, phase and frequency of one mode. */
#include <math.h>
#include <string.h>

#include "cpu/hht/hht.h"
#include "math/hilbert.h"
#include "math/modes.h"

/* Samples whose sums are added before they are added to the whole. */
#define BLOCK WSI_WIDE_BLOCK

void
wsi_hht_pad(wsi_hht *h)
{
	h->lead = 0;
	h->padded = h->n;
	if (h->ends == WS_HHT_ENDS_PERIODIC)
		return;
	/* What is farther away weighs less than its distance. */
	size_t lead = h->n / 8 + 64;
	lead = lead < h->n ? lead : h->n - 1;
	h->padded = wsi_hilbert_length(h->n + 2 * lead);
	h->lead = (h->padded - h->n) / 2;
}

wsi_hht_scratch
wsi_hht_scratch_take(const wsi_hht *h, wsi_arena *arena)
{
	const size_t row = h->n * sizeof(double), knots = row + 16 * sizeof(double);
	const size_t padded = h->padded * sizeof(double);
	const size_t bins = ((size_t)h->bins.n + 1) * sizeof(double);
	wsi_hht_scratch s;
	s.x = wsi_arena_take(arena, padded);
	s.fft = wsi_arena_take(arena, h->hilbert ? wsi_hilbert_scratch(h->hilbert) : 0);
	/* Both where the transform has worked, which has room for twice y: the less memory is met,
	 * the more of it is in the caches. */
	const size_t behind_y = (padded + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
	s.y = h->hilbert ? s.fft : wsi_arena_take(arena, padded);
	s.phase = !h->hilbert ? wsi_arena_take(arena, row)
	          : s.fft ? (double *)(void *)((char *)s.fft + behind_y) : NULL;
	s.smooth = wsi_arena_take(arena, row);
	s.knots = (wsi_curve){ .t = wsi_arena_take(arena, knots),
		               .v = wsi_arena_take(arena, knots),
		               .s = wsi_arena_take(arena, knots) };
	s.rows = wsi_arena_take(arena, knots);
	s.block = wsi_arena_take(arena, 2 * WSI_HHT_BLOCKS * bins);
	s.cells = wsi_arena_take(arena, 2 * WSI_HHT_ACROSS * bins);
	return s;
}

/* ---- Beyond the ends -------------------------------------------------------------------- */

/* Sample i counted from an end inwards. */
static double
inwards(const double *x, size_t n, bool right, size_t i)
{
	return x[right ? n - 1 - i : i];
}

/* Distance of the extremum nearest an end; 0 where there is none. */
static size_t
nearest_extremum(const double *x, size_t n, bool right)
{
	for (size_t i = 1; i + 1 < n; ++i) {
		if (hilbert_is_extremum(inwards(x, n, right, i - 1), inwards(x, n, right, i),
		                        inwards(x, n, right, i + 1)))
			return i;
	}
	return 0;
}

/* Fills `room` samples beyond an end of x[n] with its mirror image about the extremum nearest that
 * end.  The farther half fades to zero. */
static void
mirror(double *x, size_t n, bool right, size_t room)
{
	const size_t about = nearest_extremum(x, n, right);
	/* The nearer half is not faded. */
	const size_t half = room - room / 2, near = 2 * about + half < n ? half : 0;
	for (size_t i = 1; i <= near; ++i)
		*(right ? x + n - 1 + i : x - i) = inwards(x, n, right, 2 * about + i);
	for (size_t i = near + 1; i <= room; ++i) {
		const size_t from = 2 * about + i;
		const double v = from < n ? inwards(x, n, right, from) : 0.0;
		*(right ? x + n - 1 + i : x - i) = hilbert_fade(room, i) * v;
	}
}

/* s->y: the Hilbert transform of s->x, continued beyond its ends. */
static void
transform(const wsi_hht *h, wsi_hht_scratch *s)
{
	const size_t behind = h->padded - h->lead - h->n;
	double *x = s->x + h->lead;
	if (h->ends == WS_HHT_ENDS_MIRROR) {
		mirror(x, h->n, false, h->lead);
		mirror(x, h->n, true, behind);
	} else {
		memset(s->x, 0, h->lead * sizeof *x);
		memset(x + h->n, 0, behind * sizeof *x);
	}
	wsi_hilbert_run(h->hilbert, s->x, s->y, s->fft);
}

/* ---- Normalised ------------------------------------------------------------------------- */

static double
largest_magnitude(const wsi_hht *h, const double *x)
{
	int finite = 1;
	return h->ops->peak(x, WS_F64, h->n, &finite);
}

/* Divides x by its envelope until that is 1.  amplitude: what it was divided by, in all; or NULL.
 * env: scratch.  False where there is no envelope: x stays as it is. */
static bool
normalise(const wsi_hht *h, wsi_hht_scratch *s, double *x, double *env, double *amplitude)
{
	const size_t n = h->n;
	bool good = wsi_hht_envelope_of_magnitude(h, s, x);
	if (!good)
		return false;
	for (size_t i = 0; amplitude && i < n; ++i)
		amplitude[i] = 1.0;
	for (int k = 0; k < WSI_NORMALISATIONS && good; ++k) {
		h->ops->curve(&s->knots, n, env);
		if (k > 0 && h->emd_py && fabs(wide_sum(env, n) - (double)n) < WSI_NORMAL_EMD)
			break;
		for (size_t i = 0; i < n; ++i)
			x[i] /= env[i];
		for (size_t i = 0; amplitude && i < n; ++i)
			amplitude[i] *= env[i];
		good = k + 1 < WSI_NORMALISATIONS &&
		       wsi_hht_envelope_of_magnitude(h, s, x);
		double off = 0.0;
		for (size_t i = 0; i < s->knots.n; ++i)
			off = phase_upper(fabs(s->knots.v[i] - 1.0), off);
		if (!h->emd_py && off < WSI_NORMAL)
			break;
	}
	return true;
}

double
wsi_hht_normalise(const wsi_hht *h, wsi_hht_scratch *s, const double *x, double scale,
                  wsi_hht_mode *mode)
{
	memcpy(mode->amplitude, x, h->n * sizeof *x);
	if (!normalise(h, s, mode->amplitude, s->y, NULL))
		for (size_t i = 0; i < h->n; ++i)
			mode->amplitude[i] *= scale;
	return largest_magnitude(h, mode->amplitude);
}

/* The quadrature q[n] of samples f[n] within -1 .. 1: +-sqrt(1 - f^2), above 0 where f falls.
 * forward: f falls where the next sample is not larger; else the samples on both sides decide. */
static void
quadrature(const double *f, size_t n, bool forward, double *q)
{
	for (size_t i = 0; i < n; ++i)
		q[i] = mode_quadrature(f[i], f[mode_before(i, n, forward)], f[mode_after(i, n)]);
}

/* ---- Amplitude and phase ------------------------------------------------------------------ */

static void
level(double *amplitude, size_t n, double v)
{
	for (size_t i = 0; i < n; ++i)
		amplitude[i] = v;
}

static void
by_hilbert(const wsi_hht *h, wsi_hht_scratch *s, double *amplitude)
{
	transform(h, s);
	h->ops->polar(s->x + h->lead, s->y + h->lead, h->n, amplitude, s->phase);
}

/* The amplitude that emd gives beside a normalised mode. */
static void
emd_amplitude(const wsi_hht *h, wsi_hht_scratch *s, const double *x, double *amplitude)
{
	if (wsi_hht_envelope_of_maxima(s, x, h->n))
		h->ops->curve(&s->knots, h->n, amplitude);
	else
		level(amplitude, h->n, largest_magnitude(h, x));
}

static void
by_nht(const wsi_hht *h, wsi_hht_scratch *s, double *amplitude)
{
	double *x = s->x + h->lead;
	const double peak = largest_magnitude(h, x);
	if (h->emd_py)
		emd_amplitude(h, s, x, amplitude);
	if (!normalise(h, s, x, s->smooth, h->emd_py ? NULL : amplitude) && !h->emd_py)
		level(amplitude, h->n, peak);
	transform(h, s);
	h->ops->polar(x, s->y + h->lead, h->n, NULL, s->phase);
}

static void
by_quadrature(const wsi_hht *h, wsi_hht_scratch *s, double *amplitude, double largest)
{
	double *x = s->x + h->lead, *y = s->y + h->lead;
	const double peak = largest_magnitude(h, x);
	if (h->emd_py) {
		/* amplitude holds the normalised mode. */
		memcpy(s->smooth, amplitude, h->n * sizeof *x);
		emd_amplitude(h, s, x, amplitude);
		for (size_t i = 0; i < h->n; ++i)
			x[i] = s->smooth[i] / (largest + 1e-8);
	} else {
		if (!normalise(h, s, x, s->smooth, amplitude)) {
			level(amplitude, h->n, peak);
			for (size_t i = 0; peak > 0.0 && i < h->n; ++i)
				x[i] /= peak;
		}
		for (size_t i = 0; i < h->n; ++i)
			x[i] = phase_upper(phase_lower(x[i], 1.0), -1.0);
	}
	quadrature(x, h->n, h->emd_py, y);
	h->ops->polar(x, y, h->n, NULL, s->phase);
}

/* ---- Frequency, and what the mode adds up to ------------------------------------------------ */

/* s->phase smoothed, its slope in s->y. */
static void
frequency(const wsi_hht *h, wsi_hht_scratch *s)
{
	const size_t n = h->n;
	h->ops->unwrap(s->phase, n, h->emd_py);
	if (h->smooth_phase > 1) {
		h->ops->median(s->phase, n, h->smooth_phase, h->emd_py, s->smooth);
		double *swap = s->phase;
		s->phase = s->smooth;
		s->smooth = swap;
	}
	if (h->emd_py)
		for (size_t i = 0; i < n; ++i)
			s->phase[i] += PHASE_PI / 2.0;
	int width = h->smooth_frequency;
	while ((size_t)width > n)
		width -= 2;
	if (width >= 3)
		h->ops->slope(s->phase, n, width, h->fs / PHASE_TURN, s->y);
	else
		memset(s->y, 0, n * sizeof *s->y);
}

/* Counts negative frequencies and those above limit, and puts NaN where they are to be left out. */
static void
judge(const wsi_hht *h, double limit, double *f, const double *a, size_t n, wsi_hht_mode *m)
{
	size_t negatives, outliers;
	h->ops->count(f, n, limit, &negatives, &outliers);
	m->negative += negatives;
	m->outliers += outliers;
	if (h->exclude == WS_HHT_EXCLUDE_NONE)
		return;
	double energy[WSI_WIDE] = { 0 }, moment[WSI_WIDE] = { 0 };
	for (size_t i = 0; i < n; ++i)
		if (f[i] < 0.0 || (f[i] > limit && h->exclude == WS_HHT_EXCLUDE_OUTLIERS)) {
			energy[i % WSI_WIDE] += a[i] * a[i];
			moment[i % WSI_WIDE] += a[i] * a[i] * f[i];
			f[i] = NAN;
		}
	m->kept -= wide_total(energy, WSI_WIDE);
	m->moment -= wide_total(moment, WSI_WIDE);
}

/* Adds samples i .. n - 1, i even, to own[2][row], the even ones and the odd ones apart. */
static inline void
add_apart(const double *a, const int32_t *bin, size_t i, size_t n, bool squares, double *own,
          size_t row)
{
	for (; i < n; ++i)
		own[(i & 1) * row + 1 + (size_t)(ptrdiff_t)bin[i]] += squares ? a[i] * a[i] : a[i];
}

/* Blocks whose samples are added together. */
#define TOGETHER WSI_HHT_BLOCKS

/* Adds blocks that follow each other to cells[block][2][1 + bins]: those of a block's even samples
 * and of its odd ones, each behind one for what is in no bin.  Additions to one cell wait for one
 * another, those of several blocks and of neighbours do not.  n: samples of the last. */
static inline void
add_blocks(const double *a, const int32_t *bin, int blocks, size_t n, bool squares, double *cells,
           size_t bins)
{
	const size_t row = bins + 1, both = n / 2 * 2;
	memset(cells, 0, 2 * (size_t)blocks * row * sizeof *cells);
	if (blocks < TOGETHER) {
		for (int b = 0; b < blocks; ++b)
			add_apart(a + (size_t)b * BLOCK, bin + (size_t)b * BLOCK, 0,
			          b + 1 < blocks ? BLOCK : n, squares, cells + 2 * (size_t)b * row,
			          row);
		return;
	}
	for (size_t i = 0; i < both; i += 2)
		for (size_t b = 0; b < TOGETHER; ++b)
			add_apart(a + b * BLOCK, bin + b * BLOCK, i, i + 2, squares,
			          cells + 2 * b * row, row);
	for (size_t b = 0; b < TOGETHER; ++b)
		add_apart(a + b * BLOCK, bin + b * BLOCK, both, b + 1 < TOGETHER ? BLOCK : n,
		          squares, cells + 2 * b * row, row);
}

static void
add_to_bins(const double *a, const int32_t *bin, int blocks, size_t n, bool squares, double *cells,
            size_t bins)
{
	if (squares)
		add_blocks(a, bin, blocks, n, true, cells, bins);
	else
		add_blocks(a, bin, blocks, n, false, cells, bins);
}

/* Counts, bins, the marginal spectrum, and what is in none. */
static void
add_up(const wsi_hht *h, wsi_hht_scratch *s, wsi_hht_mode *m)
{
	const size_t bins = (size_t)h->bins.n;
	const bool squares = h->quantity != WS_HHT_QUANTITY_AMPLITUDE;
	const double times = m->energy > 0.0 ? h->outlier_ratio * m->moment / m->energy : 0.0;
	const double limit = times > 0.0 ? times : HUGE_VAL;
	memset(m->marginal, 0, bins * sizeof *m->marginal);
	m->negative = m->outliers = 0;
	m->outside = 0.0;
	for (size_t i = 0; i < h->n; i += TOGETHER * BLOCK) {
		const size_t left = (h->n - i + BLOCK - 1) / BLOCK;
		const int blocks = left < TOGETHER ? (int)left : TOGETHER;
		size_t n = 0;
		for (size_t b = i; b < i + (size_t)blocks * BLOCK; b += BLOCK) {
			n = h->n - b < BLOCK ? h->n - b : BLOCK;
			judge(h, limit, s->y + b, m->amplitude + b, n, m);
			h->ops->bins(&h->bins, s->y + b, n, m->bin + b);
			m->outside += h->ops->outside(m->amplitude + b, m->bin + b, n);
		}
		add_to_bins(m->amplitude + i, m->bin + i, blocks, n, squares, s->block, bins);
		for (int b = 0; b < blocks; ++b) {
			const double *even = s->block + 2 * (size_t)b * (bins + 1) + 1;
			const double *odd = even + bins + 1;
			for (size_t k = 0; k < bins; ++k)
				m->marginal[k] += even[k] + odd[k];
		}
	}
}

void
wsi_hht_analyse(const wsi_hht *h, wsi_hht_scratch *s, wsi_hht_mode *mode, double largest)
{
	if (h->method == WS_HHT_HILBERT && h->ops->follow && !h->emd_py && h->smooth_phase == 1 &&
	    h->smooth_frequency == 3 && h->n >= 3) {
		transform(h, s);
		h->ops->follow(s->x + h->lead, s->y + h->lead, h->n, h->fs / PHASE_TURN,
		               mode->amplitude, s->phase, s->y, &mode->energy, &mode->moment);
		mode->kept = mode->energy;
		add_up(h, s, mode);
		return;
	}
	if (h->method == WS_HHT_NHT)
		by_nht(h, s, mode->amplitude);
	else if (h->method == WS_HHT_QUADRATURE)
		by_quadrature(h, s, mode->amplitude, largest);
	else
		by_hilbert(h, s, mode->amplitude);
	frequency(h, s);
	h->ops->weigh(mode->amplitude, s->y, h->n, &mode->energy, &mode->moment);
	mode->kept = mode->energy;
	add_up(h, s, mode);
}
