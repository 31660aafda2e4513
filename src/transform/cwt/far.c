/*
 * far.c - responses of wavelets that reach further than the padding of a signal: those longer
 * than the signal, those whose tails fall slowly, and those that are cut at 0 or at half the
 * sampling rate.
 *
 * A coefficient is a sum over all lags j of h(j) x(t - j).  Of h, the transform of the response H,
 * only lags of fewer than N samples meet a signal between zeros; between mirror images, whose
 * period is P = 2N - 2, the sums h_P(j) of h over all j + mP do.  So h is multiplied by a window g
 * that ends in time, and the padded length has room for it:
 *
 *     zeros          g = 1 for |j| < N, then falls:          c(j) = g(j) h(j)
 *     mirror images  sum of g over all j + mP is 1:           c(j) = g(j) h_P(j)
 *
 * g is a rectangle of M samples folded with a Kaiser-Bessel window of half width a, so its
 * transform is M S(v), S(v) = sinc(M v / 2) B(v), nearly nothing beyond v = beta / a.  The
 * transform of c is H folded with it: an integral over H, or a sum over the harmonics of P, real
 * as H is, and as narrow as H but for beta / a on either side.
 */
#include "transform/cwt/far.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fused.h"
#include "base/status.h"

/* ---- The window ------------------------------------------------------------------------------ */

wsi_far
wsi_far_of(size_t samples, ws_padding padding, ws_type type)
{
	const double n = (double)samples;
	wsi_far far = { .zero = padding == WS_PADDING_ZERO, .beta = type == WS_F64 ? 36.0 : 22.0 };
	far.fall = floor(fmax(n / 8.0, 32.0));
	far.period = samples > 1 ? 2.0 * (n - 1.0) : 1.0;
	far.width = far.zero ? 2.0 * (n - 1.0) + 2.0 * far.fall : far.period;
	far.flat = 0.5 * far.width - far.fall;
	far.reach = 0.5 * far.width + far.fall;
	return far;
}

/* B(v), 1 at 0, by its formula. */
static double
fall_by_formula(const wsi_far *far, double v)
{
	const double x = far->fall * v, rest = far->beta * far->beta - x * x;
	const double root = sqrt(fmax(rest, 0.0)), most = exponential(-2.0 * far->beta);
	const double up = exponential(root - far->beta), down = exponential(-root - far->beta);
	const double share = root > 1e-3 ? (up - down) / root : 2.0 * exponential(-far->beta);
	return share * far->beta / (1.0 - most);
}

void
wsi_far_prepare(wsi_far *far)
{
	far->apart = far->beta / far->fall / WSI_FAR_VALUES;
	for (int i = 0; i < WSI_FAR_VALUES + 8; ++i)
		far->falls[i] = fall_by_formula(far, far->apart * (i - 3));
}

/* The same between eight of these values: the polynomial through them. */
static WSI_IN_BOTH double
fall_at(const wsi_far *far, double v)
{
	static const double by[8] = { -1.0 / 5040.0, 1.0 / 720.0, -1.0 / 240.0, 1.0 / 144.0,
		-1.0 / 144.0, 1.0 / 240.0, -1.0 / 720.0, 1.0 / 5040.0 };
	const double place = fabs(v) / far->apart;
	if (!(place < WSI_FAR_VALUES))
		return 0.0;
	const int before = (int)place;
	const double u = place - before, *f = far->falls + before;
	double left[8], right = 1.0, sum = 0.0;
	left[0] = 1.0;
	for (int i = 1; i < 8; ++i)
		left[i] = left[i - 1] * (u + (double)(4 - i));
	for (int i = 7; i >= 0; --i) {
		sum += f[i] * by[i] * left[i] * right;
		right *= u + (double)(3 - i);
	}
	return sum;
}

/* S(v); sine: of half of M v. */
static WSI_IN_BOTH double
window_at(const wsi_far *far, double v, double sine)
{
	const double phase = 0.5 * far->width * v;
	if (fabs(phase) < 0.5) { /* the sine may have lost its digits */
		double c;
		if (fabs(phase) < 1e-9)
			return fall_at(far, v);
		gaussian_turn(phase / (2.0 * WSI_PI), &c, &sine);
	}
	return fall_at(far, v) * sine / phase;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* A scale in radians a sample. */
typedef struct response {
	const wsi_far *far;
	const wsi_wavelet *wavelet;
	double s;               /* its scale, samples */
	double low, high;       /* where it is not 0 */
	size_t length;          /* padded: L */
	double bin;             /* of it, radians a sample */
	int64_t bins;           /* that the window reaches to either side */
} response;

static WSI_IN_BOTH double
shape_at(const response *r, double w)
{
	return wavelet_shape(r->wavelet, r->s * w);
}

/* Between mirror images: the harmonics of their period that count. */
typedef struct harmonics {
	double step;            /* radians a sample */
	int64_t first, end;
	double *value;          /* [end - first] */
} harmonics;

/* That of half the rate belongs to both sides, half to each. */
static WSI_IN_BOTH void
take_shapes(const response *r, const harmonics *h)
{
	for (int64_t q = h->first; q < h->end; ++q)
		h->value[q - h->first] = shape_at(r, h->step * (double)q) *
			(2.0 * fabs((double)q) == r->far->period ? 0.5 : 1.0);
}

WSI_FUSED static void
take_shapes_fused(const response *r, const harmonics *h)
{
	take_shapes(r, h);
}

static void
take_shapes_plain(const response *r, const harmonics *h)
{
	take_shapes(r, h);
}

static ws_status
make_harmonics(const response *r, double from, double to, harmonics *h)
{
	const double half = floor(0.5 * r->far->period);
	h->step = 2.0 * WSI_PI / r->far->period;
	h->first = (int64_t)fmax(ceil(from / h->step - 1e-9), -half);
	h->end = (int64_t)fmin(floor(to / h->step + 1e-9), half) + 1;
	h->end = h->end > h->first ? h->end : h->first;
	const size_t count = (size_t)(h->end - h->first);
	h->value = malloc((count + 1) * sizeof *h->value);
	if (!h->value)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu harmonics", count);
	(WSI_HAS_FUSED() ? take_shapes_fused : take_shapes_plain)(r, h);
	return WS_OK;
}

/* Harmonics that the windows at WSI_FAR_BINS neighbours meet, at most: these bins are no further
 * apart than harmonics. */
static size_t
row_width(const wsi_far *far)
{
	return (size_t)(far->beta / far->fall * far->period / WSI_PI) + 2 + WSI_FAR_BINS;
}

/* k times so many, as a multiple of L and what is left of it, 0 .. L - 1: both are exact, though
 * the product may be beyond 64 bits. */
static WSI_IN_BOTH int64_t
multiple_of(size_t length, int64_t k, double times, int64_t *left)
{
	int64_t whole = (int64_t)floor((double)k * times / (double)length);
	*left = (int64_t)((uint64_t)k * (uint64_t)times - (uint64_t)whole * (uint64_t)length);
	while (*left < 0) {
		*left += (int64_t)length;
		--whole;
	}
	while (*left >= (int64_t)length) {
		*left -= (int64_t)length;
		++whole;
	}
	return whole;
}

/* The window at bin k into `row`, every WSI_FAR_BINS-th number of it, of harmonics from .. to; 0
 * where it does not reach.  Bin k lies left / L of a harmonic above the harmonic `at`: so the
 * distance of both has all its digits, which the difference of two frequencies near pi has not. */
static WSI_IN_BOTH void
take_row(const response *r, const harmonics *h, int64_t k, int64_t from, int64_t to, double *row)
{
	const wsi_far *far = r->far;
	const double w = r->bin * (double)k, most = far->beta / far->fall;
	const int64_t first = (int64_t)ceil((w - most) / h->step);
	const int64_t last = (int64_t)floor((w + most) / h->step);
	const double length = (double)r->length, share = h->step / length;
	int64_t left;
	const int64_t at = multiple_of(r->length, k, far->period, &left);
	double c, s;
	gaussian_turn(0.5 * (double)left / length, &c, &s);
	s = at % 2 == 0 ? s : -s;
	for (int64_t q = from; q <= to; ++q, row += WSI_FAR_BINS) { /* half turns apart */
		const double apart = (double)left + (double)(at - q) * length;
		*row = q < first || q > last ? 0.0
			: window_at(far, share * apart, q % 2 == 0 ? s : -s);
	}
}

/* Windows at WSI_FAR_BINS bins, from k on, of harmonics *from .. *to: [harmonic][bin]. */
static WSI_IN_BOTH const double *
take_rows(const response *r, const harmonics *h, int64_t k, wsi_far_rows *rows, int64_t *from,
          int64_t *to)
{
	const double most = r->far->beta / r->far->fall;
	const size_t at = (size_t)(k / WSI_FAR_BINS) % WSI_FAR_ROWS;
	double *row = rows->values + at * WSI_FAR_BINS * row_width(r->far);
	*from = (int64_t)ceil((r->bin * (double)k - most) / h->step);
	*to = (int64_t)floor((r->bin * (double)(k + WSI_FAR_BINS - 1) + most) / h->step);
	for (int64_t i = 0; rows->bin[at] != k && i < WSI_FAR_BINS; ++i)
		take_row(r, h, k + i, *from, *to, row + i);
	rows->bin[at] = k;
	return row;
}

static ws_status
make_rows(const wsi_far *far, wsi_far_rows *rows)
{
	const size_t numbers = WSI_FAR_BINS * row_width(far);
	if (rows->bin)
		return WS_OK;
	rows->bin = malloc(WSI_FAR_ROWS * sizeof *rows->bin);
	rows->values = malloc(WSI_FAR_ROWS * numbers * sizeof *rows->values);
	if (!rows->bin || !rows->values)
		return WSI_FAIL(WS_E_NOMEM, "no memory for windows of %zu harmonics",
		                row_width(far));
	for (size_t i = 0; i < WSI_FAR_ROWS; ++i)
		rows->bin[i] = INT64_MAX;
	return WS_OK;
}

/* Neighbours' numbers. */
typedef double four
	__attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Bins first .. end - 1 into out: the response at harmonics times the window there, added up in
 * their order. */
static WSI_IN_BOTH void
add_harmonics(const response *r, const harmonics *h, int64_t first, int64_t end,
              wsi_far_rows *rows, double *out)
{
	const int64_t below = first % WSI_FAR_BINS, around = below < 0 ? WSI_FAR_BINS : 0;
	for (int64_t k = first - below - around; k < end; k += WSI_FAR_BINS) {
		int64_t from, to;
		const double *row = take_rows(r, h, k, rows, &from, &to);
		const int64_t begin = from > h->first ? from : h->first;
		const int64_t last = to < h->end ? to : h->end - 1;
		four sum[WSI_FAR_BINS / 4] = { { 0.0 } };
		for (int64_t q = begin; q <= last; ++q) {
			const double value = h->value[q - h->first];
			const four *w = (const four *)(row + (q - from) * WSI_FAR_BINS);
			for (int i = 0; i < WSI_FAR_BINS / 4; ++i)
				sum[i] += value * w[i];
		}
		for (int64_t i = 0; i < WSI_FAR_BINS; ++i)
			if (k + i >= first && k + i < end)
				out[k + i - first] = sum[i / 4][i % 4];
	}
}

WSI_FUSED static void
add_harmonics_fused(const response *r, const harmonics *h, int64_t first, int64_t end,
                    wsi_far_rows *rows, double *out)
{
	add_harmonics(r, h, first, end, rows, out);
}

static void
add_harmonics_plain(const response *r, const harmonics *h, int64_t first, int64_t end,
                    wsi_far_rows *rows, double *out)
{
	add_harmonics(r, h, first, end, rows, out);
}

/* Gauss and Legendre, of 16 points: half of each. */
enum { NODES = 16 };
static const double places[NODES / 2] = { 0.0950125098376374402, 0.2816035507792589132,
	0.4580167776572273863, 0.6178762444026437484, 0.7554044083550030339,
	0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326 };
static const double weights[NODES / 2] = { 0.1894506104550684963, 0.1826034150449235889,
	0.1691565193950025382, 0.1495959888165767321, 0.1246289712555338720,
	0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949 };

/* Between zeros: an integral, over panels in which the response and the window are smooth. */
typedef struct panels {
	size_t count;           /* of nodes */
	double each;            /* a panel, turns a sample */
	double *node, *beside;  /* turns a sample: the sum of both, to more digits than one has */
	double *value;          /* of the response, by the integral's weight */
	double *cosine, *sine;  /* of M / 2 times the node */
} panels;

/* One more panel: half of it lies to either side of middle + rest, turns a sample. */
static void
add_panel(const response *r, double middle, double rest, double half, panels *p)
{
	const double m = 0.5 * r->far->width, share = 2.0 * m * half;
	/* Many turns, and what their product is rounded by. */
	const double turn = m * middle, rounded = fma(m, middle, -turn);
	for (int i = 0; i < NODES; ++i) {
		const int side = i < NODES / 2 ? NODES / 2 - 1 - i : i - NODES / 2;
		const double place = i < NODES / 2 ? -places[side] : places[side];
		const double beside = rest + half * place;
		const double turns = turn - floor(turn) + (rounded + m * beside);
		const double w = 2.0 * WSI_PI * (middle + beside);
		p->node[p->count] = middle;
		p->beside[p->count] = beside;
		p->value[p->count] = shape_at(r, w) * share * weights[side];
		gaussian_turn(turns - floor(turns), &p->cosine[p->count], &p->sine[p->count]);
		p->count++;
	}
}

static ws_status
make_panels(const response *r, double from, double to, panels *p)
{
	/* A bump's ends are steep, if smooth.  A power of w may have no derivative at 0: panels
	 * get shorter towards it. */
	enum { SHORTER = 48 };
	const bool power = r->wavelet->kind == WS_WAVELET_MORSE && from <= 0.0;
	const double shares = r->wavelet->kind == WS_WAVELET_BUMP ? 48.0 : 16.0;
	const double most = fmin(8.0 * WSI_PI / r->far->width, (r->high - r->low) / shares);
	/* So many to half the rate: responses that are cut there or at 0 end with a panel. */
	const double all = ceil(WSI_PI / most), each = 0.5 / all;
	const double first = fmax(floor(from / WSI_PI * all), -all);
	const double end = fmin(ceil(to / WSI_PI * all), all);
	const size_t room = NODES * ((size_t)(end - first) + SHORTER);
	p->node = malloc(5 * room * sizeof *p->node);
	if (!p->node)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a wavelet of %zu nodes", room);
	p->beside = p->node + room;
	p->value = p->beside + room;
	p->cosine = p->value + room;
	p->sine = p->cosine + room;
	p->count = 0;
	p->each = each;
	for (int i = SHORTER - 1; power && i > 0; --i)
		add_panel(r, ldexp(1.5 * each, -i), 0.0, ldexp(0.5 * each, -i), p);
	for (double i = first + power; i < end; i += 1.0) {
		const double turns = 0.25 * (2.0 * i + 1.0), middle = turns / all;
		add_panel(r, middle, fma(-middle, all, turns) / all, 0.5 * each, p);
	}
	return WS_OK;
}

/* The window at bin k, of all nodes.  How far these are from it is told by turns in L samples, to
 * the last digit, as in take_row(). */
static void
window_of_panels(const response *r, const panels *p, int64_t k, double *window)
{
	const double length = (double)r->length, w = (double)k / length;
	const double most = r->far->beta / r->far->fall / (2.0 * WSI_PI);
	size_t first = 0, end = p->count;
	while (first < end) { /* the first node that the window meets */
		const size_t middle = first + (end - first) / 2;
		if (p->node[middle] + p->beside[middle] < w - most)
			first = middle + 1;
		else
			end = middle;
	}
	int64_t left;
	const int64_t half_turns = multiple_of(r->length, k, r->far->width, &left);
	double c, s;
	gaussian_turn(0.5 * (double)left / length, &c, &s);
	c = half_turns % 2 == 0 ? c : -c;
	s = half_turns % 2 == 0 ? s : -s;
	memset(window, 0, p->count * sizeof *window);
	for (size_t i = first; i < p->count && p->node[i] + p->beside[i] <= w + most; ++i) {
		const double turns = fma(-p->node[i], length, (double)k) - p->beside[i] * length;
		window[i] = window_at(r->far, r->bin * turns,
		                      s * p->cosine[i] - c * p->sine[i]);
	}
}

/* The same: bins first .. end - 1 into out.  kept: its windows are taken where they are of the same
 * nodes, else it becomes these; or NULL. */
static ws_status
add_panels(const response *r, const panels *p, double from, double to, int64_t first, int64_t end,
           wsi_far_nodes *kept, double *out)
{
	const size_t bins = (size_t)(end - first), nodes = p->count;
	const bool same = kept && kept->values && kept->from == from && kept->to == to &&
		kept->first == first && kept->end == end && kept->nodes == nodes &&
		kept->each == p->each;
	double *window = same ? kept->values
		: malloc((kept ? bins : 1) * (nodes + 1) * sizeof *window);
	if (!window)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a window of %zu nodes", nodes);
	for (size_t k = 0; k < bins; ++k) {
		double *row = window + (kept ? k * (nodes + 1) : 0), sum = 0.0;
		if (!same)
			window_of_panels(r, p, first + (int64_t)k, row);
		for (size_t i = 0; i < nodes; ++i)
			sum += p->value[i] * row[i];
		out[k] = sum;
	}
	if (!kept) {
		free(window);
	} else if (!same) {
		free(kept->values);
		*kept = (wsi_far_nodes){ from, to, p->each, first, end, nodes, window };
	}
	return WS_OK;
}

/* ---- Tables ------------------------------------------------------------------------------ */

/* Bins first .. end - 1 of the transform of c, into out.  alike: between zeros, its windows are
 * those of other scales. */
static ws_status
fill(const response *r, int64_t first, int64_t end, bool alike, wsi_far_kept *kept, double *out)
{
	const double reach = (double)r->bins * r->bin;
	const double from = fmax(r->low, r->bin * (double)first - reach);
	const double to = fmin(r->high, r->bin * (double)(end - 1) + reach);
	const int at = r->bin * (double)(first + end) > WSI_PI;
	panels p = { .node = NULL };
	harmonics h = { .value = NULL };
	ws_status status;
	if (!r->far->zero) {
		WSI_TRY(make_harmonics(r, from, to, &h));
		status = make_rows(r->far, &kept->rows[at]);
		if (status == WS_OK)
			(WSI_HAS_FUSED() ? add_harmonics_fused
			 : add_harmonics_plain)(r, &h, first, end, &kept->rows[at], out);
	} else {
		if (to > from)
			WSI_TRY(make_panels(r, from, to, &p));
		status = add_panels(r, &p, from, to, first, end, alike ? &kept->nodes[at] : NULL,
		                    out);
	}
	free(p.node);
	free(h.value);
	return status;
}

void
wsi_far_free(wsi_far_kept *kept)
{
	for (int at = 0; at < 2; ++at) {
		free(kept->nodes[at].values);
		free(kept->rows[at].bin);
		free(kept->rows[at].values);
	}
}

/* How far a wavelet would reach but for what its response's ends add: Paul's and Morse's at 0,
 * those of a bump.  These are seen in the bins beside them only. */
static double
core_of(const wsi_wavelet *v, double s, double reach)
{
	const double core = v->kind == WS_WAVELET_PAUL ? 16.0 : v->kind == WS_WAVELET_MORSE ? 64.0
		: v->kind == WS_WAVELET_BUMP ? 64.0 / v->b : HUGE_VAL;
	return fmin(reach, core * s);
}

/* The response of a scale, the bins of its table, and in which of them it is folded. */
static response
response_of(const wsi_far *far, size_t length, const wsi_cwt_scale *scale, int64_t bins[4])
{
	const wsi_cwt_response *f = &scale->response;
	const double bin = 2.0 * WSI_PI / (double)length, s = f->step / bin;
	const bool two_sided = wavelet_two_sided(&f->wavelet);
	response r = { .far = far, .wavelet = &f->wavelet, .s = s, .length = length, .bin = bin,
		.low = fmax(scale->low / s, two_sided ? -WSI_PI : 0.0),
		.high = fmin(scale->high / s, WSI_PI),
		.bins = (int64_t)ceil(far->beta / far->fall / bin) };
	if (!two_sided && scale->low < 1e-6 * f->wavelet.peak)
		r.low = 0.0;
	if (!(r.high > r.low)) /* nothing below half the sampling rate */
		r.low = r.high = WSI_PI;
	/* Inside a smooth response the window's moments are those of a delta. */
	const bool smooth = scale->reach <= far->flat;
	const bool cut_low = !smooth || scale->low / s <= r.low;
	const bool cut_high = !smooth || scale->high / s >= WSI_PI;
	const int64_t first = (int64_t)floor(r.low / bin), end = (int64_t)ceil(r.high / bin) + 1;
	int64_t k0 = first - (cut_low ? r.bins : 0), k1 = end + (cut_high ? r.bins : 0);
	/* Either cut is seen as far as the window is wide. */
	k0 = cut_high && end - r.bins < k0 ? end - r.bins : k0;
	k1 = cut_low && first + r.bins > k1 ? first + r.bins : k1;
	int64_t left = cut_low ? first + r.bins : k0, right = cut_high ? end - r.bins : k1;
	if (!(core_of(&f->wavelet, s, scale->reach) <= far->flat) || left >= right)
		left = right = k1;
	bins[0] = k0;
	bins[1] = left;
	bins[2] = right;
	bins[3] = k1;
	return r;
}

/* Bins beyond the circle of n belong to its other side. */
static bool
is_folded(const int64_t bins[4], int64_t n)
{
	return bins[0] < -(n / 2) || bins[3] > n;
}

void
wsi_far_lay_out(const wsi_far *far, size_t length, wsi_cwt_scale *scale)
{
	const int64_t n = (int64_t)length;
	wsi_cwt_response *f = &scale->response;
	int64_t bins[4];
	response_of(far, length, scale, bins);
	const bool folded = is_folded(bins, n);
	f->k0 = folded ? 1 - n / 2 : bins[0];
	f->k1 = folded ? n / 2 + 1 : bins[3];
	f->plain0 = folded ? f->k1 : bins[1];
	f->plain1 = folded ? f->k1 : bins[2];
}

/* Bins of a table. */
static size_t
table_bins(const wsi_cwt_response *f)
{
	return (size_t)(f->plain0 - f->k0) + (size_t)(f->k1 - f->plain1);
}

size_t
wsi_far_tables(const wsi_far *far, size_t length, const wsi_cwt_scale *scale, size_t *making)
{
	/* Between zeros panels of 16 nodes, five numbers each, a quarter of a bin's or fewer,
	 * and 96 at least; between mirror images a harmonic for a bin, or fewer.  The parts to
	 * either side of the formula one after the other. */
	int64_t bins[4];
	const response r = response_of(far, length, scale, bins);
	const size_t before = (size_t)(bins[1] - bins[0]), behind = (size_t)(bins[3] - bins[2]);
	const size_t part = before > behind ? before : behind;
	const ws_wavelet kind = r.wavelet->kind;
	const size_t shorter = kind == WS_WAVELET_MORSE ? 70 : kind == WS_WAVELET_BUMP ? 54 : 22;
	size_t nodes = part + (size_t)r.bins + 2;
	nodes = far->zero ? 4 * nodes + NODES * shorter : nodes;
	size_t numbers = far->zero ? 5 * nodes : nodes;
	/* Windows at both ends. */
	numbers += !far->zero ? 2 * WSI_FAR_ROWS * (WSI_FAR_BINS * row_width(far) + 1)
		: (bins[2] > bins[1] ? before + behind : 1) * (nodes + 1);
	if (is_folded(bins, (int64_t)length))
		numbers += (size_t)(bins[3] - bins[0]);
	*making = numbers * sizeof(double);
	return table_bins(&scale->response) * sizeof(double);
}

/* The bins of `bins` but those of the formula, one after the other. */
static ws_status
fill_ends(const response *r, const int64_t bins[4], wsi_far_kept *kept, double *out)
{
	/* Where the formula has no bins the wavelet is long, and its window its own. */
	const bool alike = bins[2] > bins[1];
	if (bins[1] > bins[0])
		WSI_TRY(fill(r, bins[0], bins[1], alike, kept, out));
	return bins[3] > bins[2] ? fill(r, bins[2], bins[3], alike, kept,
	                                out + (bins[1] - bins[0])) : WS_OK;
}

/* The same, all bins of the circle. */
static ws_status
fill_circle(const response *r, int64_t n, const int64_t bins[4], const wsi_cwt_response *plain,
            const wsi_ops *wide, wsi_far_kept *kept, double *out)
{
	const int64_t first = bins[0], left = bins[1], right = bins[2], end = bins[3];
	double *line = malloc((size_t)(end - first) * sizeof *line);
	if (!line)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a response of %zu bins",
		                (size_t)(end - first));
	ws_status status = left > first ? fill(r, first, left, false, kept, line) : WS_OK;
	if (right > left) { /* the formula; its gain comes below */
		wsi_cwt_response middle = *plain;
		middle.gain = 1.0;
		middle.k0 = left;
		middle.k1 = right;
		wide->cwt->response(&(wsi_cwt_response_args){ .response = &middle, .n = (size_t)n,
		                                              .values = line + (left - first) });
	}
	if (status == WS_OK && right < end)
		status = fill(r, right, end, false, kept, line + (right - first));
	memset(out, 0, (size_t)n * sizeof *out);
	for (int64_t k = first; status == WS_OK && k < end; ++k)
		out[(((k + n / 2 - 1) % n) + n) % n] += line[k - first];
	free(line);
	return status;
}

ws_status
wsi_far_fill(const wsi_far *far, const wsi_ops *wide, size_t length, wsi_cwt_scale *scale,
             wsi_far_kept *kept)
{
	const int64_t n = (int64_t)length;
	wsi_cwt_response *f = &scale->response;
	int64_t bins[4];
	const response r = response_of(far, length, scale, bins);
	const size_t count = table_bins(f);
	double *table = malloc((count + 1) * sizeof *table);
	if (!table)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a response of %zu bins", count);
	const ws_status status = is_folded(bins, n) ? fill_circle(&r, n, bins, f, wide,
	                                                           kept, table)
		: fill_ends(&r, bins, kept, table);
	if (status != WS_OK) {
		free(table);
		return status;
	}
	for (size_t i = 0; i < count; ++i)
		table[i] *= f->gain;
	f->table = table;
	return WS_OK;
}
