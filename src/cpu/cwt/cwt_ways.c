/*
 * cwt_ways.c - the ways of one scale of one channel.
 *
 * interpolated   the band alone, by a small inverse transform on a grid of at least two points for
 *                each of its periods, then between its points by a Kaiser-Bessel window
 * inverse        the band folded onto N / D bins, by an inverse transform: every D-th sample; of
 *                few outputs onto some more, of which one in so many is stored
 * any length     an inverse transform of N points in double, whatever N is
 * taps           the same with a response that comes from the wavelet in time: references only
 */
#include "cpu/cwt/cwt_ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/element.h"
#include "base/status.h"

/* ns a point of an inverse transform, bench/cwt. */
static double
transform_cost(ws_type type, size_t m)
{
	/* By a logarithm of our own: numbers depend on what is chosen by it. */
	const double octaves = wavelet_log((double)m) / 0.69314718055994530942 - 12.0;
	const double f32 = 1.1 + (octaves > 0.0 ? 0.15 * octaves : 0.0) +
	                   (octaves > 5.0 ? 0.7 * (octaves - 5.0) : 0.0);
	return type == WS_F64 ? 2.0 * f32 : f32;
}

/* What lies beside edges takes two transforms of a line's points, and four for convolutions. */
static double
edge_cost(const wsi_cwt_edge *edge)
{
	const double line = (double)edge->line->n, chirps = (double)edge->chirps->n;
	return 2.0 * line * transform_cost(WS_F64, edge->line->n) +
	       4.0 * chirps * transform_cost(WS_F64, edge->chirps->n);
}

/* Of the length, real samples are half as many complex ones; pads and rotations are 4 ns each. */
double
wsi_cwt_forward_cost(const wsi_cwt *cwt)
{
	const double n = (double)cwt->length, share = cwt->dft.half ? 0.5 : 1.0;
	return n * (4.0 + share * transform_cost(WS_F64, (size_t)(share * n))) +
	       (cwt->edge ? edge_cost(cwt->edge) : 0.0);
}

static size_t
band(const wsi_cwt_scale *scale)
{
	return (size_t)(scale->response.k1 - scale->response.k0);
}

/* ---- Interpolated ------------------------------------------------------- */

static double interpolated_cost(const wsi_cwt *, const wsi_cwt_scale *, int, int);

/* Can the grid of this ratio hold the band? */
static bool
grid_holds(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, bool few)
{
	const size_t outputs = cwt->length / scale->step, m = outputs / (size_t)ratio;
	const size_t bins = band(scale) + 2;
	return outputs % (size_t)ratio == 0 && wsi_fft_fits(m) &&
		m >= (few ? 2 * bins : bins + bins / 4 + 1);
}

static bool
interpolated_fits(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int *ratio, int *taps)
{
	const int bits = cwt->type == WS_F64 ? 64 : 32;
	double least = HUGE_VAL;
	if (scale->tap_count || cwt->length % scale->step || scale->step != scale->decimate)
		return false;
	for (int few = 0; few < 2; ++few)
		for (int r = WSI_CWT_RATIO; r >= 2; r /= 2) {
			const int t = few ? WSI_CWT_FEW_TAPS(bits) : WSI_CWT_MANY_TAPS(bits);
			if (!grid_holds(cwt, scale, r, few))
				continue;
			const double cost = interpolated_cost(cwt, scale, r, t);
			if (cost < least) {
				least = cost;
				*ratio = r;
				*taps = t;
			}
		}
	return least < HUGE_VAL;
}

/* ns an output, between the points of a grid. */
static double
between_cost(ws_type type, int taps)
{
	return type == WS_F64 ? 0.3 + 0.08 * taps : 0.25 + 0.03 * taps;
}

static double
interpolated_cost(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps)
{
	const double part = 1.0 / ratio;
	const size_t points = cwt->length / scale->step / (size_t)ratio;
	return between_cost(cwt->type, taps) + part * (transform_cost(cwt->type, points) + 0.4);
}

/* A band on its grid.  Bins below 0 are where they would be so many times around it later. */
typedef struct placed_band {
	int64_t around, k0, k1;
	size_t front, ends;     /* bins of its first and last group that it does not have */
	bool plain;             /* none is mirrored or rotated */
} placed_band;

static placed_band
place_band(const wsi_cwt *cwt, const wsi_cwt_scale *scale, const wsi_cwt_grid *grid)
{
	const wsi_cwt_response *f = &scale->response;
	const int64_t across = WSI_FFT_ACROSS, m = (int64_t)grid->m;
	const int64_t last = (int64_t)(cwt->length / 2 + cwt->above);
	placed_band b = { .around = f->k0 < 0 ? (m - 1 - f->k0) / m * m : 0 };
	b.k0 = f->k0 + b.around;
	b.k1 = f->k1 + b.around;
	const int64_t ends = (across - b.k1 % across) % across;
	b.plain = f->k0 >= -(int64_t)cwt->below && f->k1 <= last + 1 && !f->quarters &&
	          b.k1 + ends - b.k0 / across * across <= m;
	b.front = b.plain ? (size_t)(b.k0 % across) : 0;
	b.ends = b.plain ? (size_t)ends : 0;
	return b;
}

/* The response of a scale, behind zeros up to its first bin. */
static void
make_response(const wsi_cwt *cwt, const wsi_cwt_scale *scale, const wsi_cwt_grid *grid,
              const placed_band *b, char *at)
{
	const size_t element = cwt->ops->element;
	char *response = at + b->front * element;
	const wsi_cwt_response_args made = { .response = &scale->response, .n = cwt->length,
		.flatten = grid->flatten, .centre = scale->centre, .values = response };
	cwt->ops->cwt->response(&made);
	memset(at, 0, b->front * element);
	memset(response + band(scale) * element, 0, b->ends * element);
}

/* What the grid's transform is of: the band of the spectrum, times the scale's response.  Bins that
 * are mirrored or rotated go through z. */
static wsi_fft_in
take_band(const wsi_cwt_line *line, const wsi_cwt_grid *grid)
{
	const wsi_cwt *cwt = line->cwt;
	const wsi_cwt_scale *scale = line->scale;
	wsi_cwt_scratch *s = line->scratch;
	const placed_band b = place_band(cwt, scale, grid);
	const size_t element = cwt->ops->element, around = (size_t)b.around * element;
	if (s->scale != scale) {
		make_response(cwt, scale, grid, &b, s->response);
		s->scale = scale;
	}
	if (b.plain)
		return (wsi_fft_in){ .re = (const char *)line->x_re - around,
			.im = (const char *)line->x_im - around, .response = s->response,
			.k0 = (size_t)b.k0, .k1 = (size_t)b.k1 };
	const wsi_cwt_product_args product = { .response = &scale->response,
		.values = s->response, .x_re = line->x_re, .x_im = line->x_im,
		.below = cwt->below, .above = cwt->above, .n = cwt->length, .m = grid->m,
		.y_re = s->z_re, .y_im = s->z_im };
	cwt->ops->cwt->product(&product);
	return (wsi_fft_in){ .re = s->z_re, .im = s->z_im };
}

/* Of a grid the points that outputs t0 .. t1 - 1 are made of: those of whole blocks, and taps
 * beside them. */
static void
want_points(const wsi_cwt_line *line, const wsi_cwt_grid *grid, wsi_fft_in *in)
{
	const size_t block = WSI_CWT_BLOCK, ratio = (size_t)grid->ratio, m = grid->m;
	const size_t taps = (size_t)grid->taps, before = taps / 2 - 1;
	const size_t first = line->t0 / block * block / ratio;
	const size_t points = (line->t1 + block - 1) / block * block / ratio - first + taps - 1;
	if (points < m) {
		in->wanted = (first + m - before % m) % m;
		in->wanted_count = points;
	}
}

/* That of a row's grid; where its points, outputs and carriers are the caller's. */
static wsi_cwt_interpolation
interpolation_of(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	const wsi_cwt_grid *grid = &cwt->grid[scale->grid];
	const int64_t n = (int64_t)cwt->length;
	const int64_t rotation = scale->centre * (int64_t)scale->step % n;
	return (wsi_cwt_interpolation){ .m = grid->m, .ratio = grid->ratio, .taps = grid->taps,
		.weights = grid->weights, .rotation = (uint64_t)((rotation + n) % n),
		.period = cwt->length };
}

static void
interpolated_run(const wsi_cwt_line *line)
{
	const wsi_cwt *cwt = line->cwt;
	const wsi_cwt_grid *grid = &cwt->grid[line->scale->grid];
	wsi_cwt_scratch *s = line->scratch;
	const bool again = s->scale == line->scale;
	wsi_fft_in in = take_band(line, grid);
	want_points(line, grid, &in);
	cwt->ops->cwt->inverse(grid->fft, &in, s->z_re, s->z_im, s->rest);
	wsi_cwt_interpolation i = interpolation_of(cwt, line->scale);
	i.z_re = s->z_re;
	i.z_im = s->z_im;
	i.t0 = line->t0;
	i.t1 = line->t1;
	i.store = line->store;
	i.out = line->out;
	i.carriers = s->carriers;
	i.carried = again;
	cwt->ops->cwt->interpolate(&i);
}

/* ---- Inverse --------------------------------------------------------------- */

static bool
inverse_fits(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int *ratio, int *taps)
{
	(void)ratio, (void)taps;
	return !scale->tap_count && cwt->length % scale->step == 0 &&
	       wsi_fft_fits(cwt->length / scale->step);
}

static double
inverse_cost(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps)
{
	(void)ratio, (void)taps;
	return (double)(scale->decimate / scale->step) *
	       (0.4 + transform_cost(cwt->type, cwt->length / scale->step));
}

/* Of z every `every`-th point, from output t0 on, in place. */
static void
thin(const wsi_cwt_line *line, size_t every)
{
	const wsi_cwt_scratch *s = line->scratch;
	const ws_type type = line->cwt->type;
	for (size_t t = line->t0; t < line->t1; ++t) {
		wsi_real_put(s->z_re, type, t, wsi_real_at(s->z_re, type, t * every));
		wsi_real_put(s->z_im, type, t, wsi_real_at(s->z_im, type, t * every));
	}
}

/* As complex numbers, from the first on, of every `every`-th point of the transform: of all? */
static bool
is_whole(const wsi_cwt_line *line, size_t every)
{
	return line->store.quantity == WS_QUANTITY_COMPLEX && line->t0 == 0 && every == 1;
}

/* Of a transform every `every`-th sample is an output. */
static void
want_outputs(const wsi_cwt_line *line, size_t every, wsi_fft_in *in)
{
	in->wanted = line->t0 * every;
	in->wanted_count = (line->t1 - line->t0 - 1) * every + 1;
}

static void
inverse_run(const wsi_cwt_line *line)
{
	const wsi_cwt *cwt = line->cwt;
	const wsi_cwt_grid *grid = &cwt->grid[line->scale->grid];
	wsi_cwt_scratch *s = line->scratch;
	wsi_fft_in in = take_band(line, grid);
	const size_t every = line->scale->decimate / line->scale->step;
	if (is_whole(line, every)) {
		cwt->ops->cwt->inverse_store(grid->fft, &in, &line->store, line->t1, line->out,
		                             s->rest);
		return;
	}
	want_outputs(line, every, &in);
	cwt->ops->cwt->inverse(grid->fft, &in, s->z_re, s->z_im, s->rest);
	if (every > 1)
		thin(line, every);
	const size_t first = line->t0 * cwt->ops->element;
	cwt->ops->cwt->store(&line->store, (const char *)s->z_re + first,
	                     (const char *)s->z_im + first, line->t1 - line->t0, line->out);
}

/* ---- In double ---------------------------------------------------------------- */

static bool
any_fits(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int *ratio, int *taps)
{
	(void)ratio, (void)taps;
	(void)cwt;
	return !scale->tap_count;
}

static double
any_cost(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps)
{
	(void)ratio, (void)taps;
	return (cwt->dft.longer ? 5.0 : 1.0) * (double)scale->decimate *
	       (2.0 + 2.0 * transform_cost(cwt->type, cwt->length));
}

/* The spectrum as doubles, from bin -below on. */
static void
widen(const wsi_cwt_line *line, double *re, double *im)
{
	const wsi_cwt *cwt = line->cwt;
	const size_t before = cwt->below * cwt->ops->element;
	const size_t count = cwt->below + cwt->length / 2 + 1 + cwt->above;
	for (size_t k = 0; k < count; ++k) {
		re[k] = wsi_real_at((const char *)line->x_re - before, cwt->type, k);
		im[k] = wsi_real_at((const char *)line->x_im - before, cwt->type, k);
	}
}

/* Every D-th of z from t0 on, stored by way of y where they do not lie as they are wanted. */
static void
store_some(const wsi_cwt_line *line)
{
	const wsi_cwt *cwt = line->cwt;
	const wsi_cwt_scratch *s = line->scratch;
	const double *z_re = s->z_re, *z_im = s->z_im;
	const size_t every = line->scale->decimate;
	if (cwt->type == WS_F64 && every == 1) {
		cwt->ops->cwt->store(&line->store, z_re + line->t0, z_im + line->t0,
		                     line->t1 - line->t0, line->out);
		return;
	}
	for (size_t t = line->t0; t < line->t1; ++t) {
		wsi_real_put(s->y_re, cwt->type, t - line->t0, z_re[t * every]);
		wsi_real_put(s->y_im, cwt->type, t - line->t0, z_im[t * every]);
	}
	cwt->ops->cwt->store(&line->store, s->y_re, s->y_im, line->t1 - line->t0, line->out);
}

static void
any_run(const wsi_cwt_line *line)
{
	const wsi_cwt *cwt = line->cwt;
	wsi_cwt_scratch *s = line->scratch;
	widen(line, s->z_re, s->z_im);
	const wsi_cwt_response_args made = { .response = &line->scale->response, .n = cwt->length,
		.values = s->response };
	cwt->wide->cwt->response(&made);
	s->scale = NULL;
	const wsi_cwt_product_args product = { .response = &line->scale->response,
		.values = s->response,
		.x_re = (double *)s->z_re + cwt->below, .x_im = (double *)s->z_im + cwt->below,
		.below = cwt->below, .above = cwt->above, .n = cwt->length, .m = cwt->length,
		.y_re = s->y_re, .y_im = s->y_im };
	cwt->wide->cwt->product(&product);
	wsi_dft_inverse(&cwt->dft, s->y_re, s->y_im, s->z_re, s->z_im, s->rest);
	store_some(line);
}

static bool
taps_fits(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int *ratio, int *taps)
{
	(void)ratio, (void)taps;
	(void)cwt;
	return scale->tap_count > 0;
}

/* Rows up to this keep the transform of a scale's taps for the next row. */
#define KEPT_TAPS ((size_t)1 << 16)

/* The inverse transform of a scale's taps, conjugated, into z. */
static void
transform_taps(const wsi_cwt_line *line, double *z_re, double *z_im)
{
	const wsi_cwt *cwt = line->cwt;
	const wsi_cwt_scale *scale = line->scale;
	double *y_re = line->scratch->y_re, *y_im = line->scratch->y_im;
	const size_t n = cwt->length;
	memset(y_re, 0, n * sizeof *y_re);
	memset(y_im, 0, n * sizeof *y_im);
	/* The transform forward is the inverse one between two conjugations. */
	for (size_t j = 0; j < scale->tap_count; ++j) {
		const size_t at = (j + n - scale->tap_zero) % n;
		y_re[at] += scale->taps[j];
		y_im[at] -= scale->taps[scale->tap_count + j];
	}
	wsi_dft_inverse(&cwt->dft, y_re, y_im, z_re, z_im, line->scratch->rest);
}

/* y = x conj(z) / n, x being the spectrum of real samples, whose upper half mirrors the lower. */
static void
multiply_taps(size_t n, const double *x_re, const double *x_im, const double *z_re,
              const double *z_im, double *y_re, double *y_im)
{
	const double share = 1.0 / (double)n;
	/* From the top: y may be x. */
	for (size_t k = n; k-- > 0;) {
		const bool mirrored = k > n / 2;
		const double a = x_re[mirrored ? n - k : k];
		const double b = mirrored ? -x_im[n - k] : x_im[k];
		y_re[k] = (a * z_re[k] + b * z_im[k]) * share;
		y_im[k] = (b * z_re[k] - a * z_im[k]) * share;
	}
}

/* out[t] = sum over j of taps[j] x[t - (j - tap_zero)] */
static void
taps_run(const wsi_cwt_line *line)
{
	const wsi_cwt *cwt = line->cwt;
	wsi_cwt_scratch *s = line->scratch;
	const size_t n = cwt->length;
	const bool keeps = n <= KEPT_TAPS;
	double *z_re = keeps ? s->response : s->z_re, *z_im = keeps ? z_re + n : s->z_im;
	if (!keeps || s->scale != line->scale)
		transform_taps(line, z_re, z_im);
	s->scale = keeps ? line->scale : NULL;
	wsi_fft_in in = { .re = line->x_re, .im = line->x_im, .taps_re = z_re, .taps_im = z_im };
	if (cwt->type != WS_F64) {
		widen(line, s->y_re, s->y_im);
		in.re = (double *)s->y_re + cwt->below;
		in.im = (double *)s->y_im + cwt->below;
	}
	const wsi_cwt_ops *wide = cwt->wide->cwt;
	if (cwt->dft.longer) {
		multiply_taps(n, in.re, in.im, z_re, z_im, s->y_re, s->y_im);
		wsi_dft_inverse(&cwt->dft, s->y_re, s->y_im, s->z_re, s->z_im, s->rest);
	} else if (cwt->type == WS_F64 && is_whole(line, line->scale->decimate)) {
		wide->inverse_store(cwt->dft.fft, &in, &line->store, line->t1, line->out, s->rest);
		return;
	} else {
		want_outputs(line, line->scale->decimate, &in);
		wide->inverse(cwt->dft.fft, &in, s->z_re, s->z_im, s->rest);
	}
	store_some(line);
}

const wsi_cwt_way wsi_cwt_ways[WSI_CWT_WAYS] = {
	{ "interpolated", interpolated_fits, interpolated_cost, interpolated_run },
	{ "inverse", inverse_fits, inverse_cost, inverse_run },
	{ "any length", any_fits, any_cost, any_run },
	{ "taps", taps_fits, any_cost, taps_run },
};

/* ---- What rows of a scale share ------------------------------------------------ */

/* Carriers, and the response behind them. */
#define CARRIERS_BYTES(cwt) (WSI_CWT_CARRIERS * (cwt)->ops->element)

static size_t
kept_bytes(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	const size_t bytes = CARRIERS_BYTES(cwt) +
	                     (band(scale) + 2 * WSI_FFT_ACROSS) * cwt->ops->element;
	return scale->way < WSI_CWT_IN_DOUBLE ? (bytes + 63) / 64 * 64 : 0;
}

size_t
wsi_cwt_kept_bytes(const wsi_cwt *cwt)
{
	size_t bytes = 0;
	for (size_t f = 0; f < cwt->count && cwt->dft.n; ++f)
		bytes += cwt->scale[f].of == cwt ? kept_bytes(cwt, &cwt->scale[f]) : 0;
	return bytes;
}

ws_status
wsi_cwt_kept_fill(wsi_cwt *cwt)
{
	wsi_cwt_kept *k = &cwt->kept;
	size_t at = 0;
	if (!k->bytes || k->memory)
		return WS_OK;
	k->memory = wsi_block_take(k->bytes);
	k->at = calloc(cwt->count, sizeof *k->at);
	k->state = calloc(cwt->count, sizeof *k->state);
	if (!k->memory || !k->at || !k->state)
		return WSI_FAIL(WS_E_NOMEM, "no memory for the responses of %zu frequencies",
		                cwt->count);
	for (size_t f = 0; f < cwt->count; ++f) {
		k->at[f] = at;
		at += cwt->scale[f].of == cwt ? kept_bytes(cwt, &cwt->scale[f]) : 0;
	}
	return WS_OK;
}

void
wsi_cwt_kept_empty(wsi_cwt *cwt)
{
	wsi_cwt_kept *k = &cwt->kept;
	free(k->memory);
	free(k->at);
	free(k->state);
	*k = (wsi_cwt_kept){ .bytes = k->bytes };
}

static void
make_kept(const wsi_cwt *cwt, const wsi_cwt_scale *scale, char *to)
{
	const wsi_cwt_grid *grid = &cwt->grid[scale->grid];
	const placed_band b = place_band(cwt, scale, grid);
	make_response(cwt, scale, grid, &b, to + CARRIERS_BYTES(cwt));
	wsi_cwt_interpolation none = interpolation_of(cwt, scale);
	none.carriers = to;
	if (grid->ratio > 1)
		cwt->ops->cwt->interpolate(&none);
}

bool
wsi_cwt_take_kept(const wsi_cwt *cwt, const wsi_cwt_scale *scale, wsi_cwt_scratch *s)
{
	enum { NONE, BEGUN, MADE };
	const wsi_cwt_kept *k = &cwt->kept;
	if (!k->memory || scale->way >= WSI_CWT_IN_DOUBLE)
		return false;
	const size_t f = (size_t)(scale - cwt->scale);
	char *kept = k->memory + k->at[f];
	unsigned char state = NONE;
	if (atomic_compare_exchange_strong(&k->state[f], &state, BEGUN)) {
		make_kept(cwt, scale, kept);
		atomic_store(&k->state[f], MADE);
	} else if (state == BEGUN) {
		/* Another thread is at it: this one makes its own. */
		return false;
	}
	s->carriers = kept;
	s->response = kept + CARRIERS_BYTES(cwt);
	s->scale = scale;
	return true;
}

/* ---- Time -------------------------------------------------------------------- */

/* How many times longer than the costs above: what lies between points; transforms.  AVX2 as
 * measured on a Zen 3, beside sifting and what transform/emd/cost.c says of that: between points
 * 1.35; transforms of 256 to 8192 points 0.6 to 1.1 in f32 and 0.7 to 1.0 in f64, of 16 384 to
 * 262 144 1.0 to 1.2 and 1.3 to 2.3, of 1 048 576 1.5 and 1.6.  The others are by their lanes. */
static const struct slowness {
	const char *isa;
	double between, transforms;
} slownesses[] = {
	{ "avx512", 1.0, 1.0 }, { "avx2", 1.35, 1.15 }, { "neon", 2.5, 2.5 },
	{ "plain", 30.0, 30.0 },
};

/* ns of a bin of a response, f32, on that Zen 3. */
#define RESPONSE_COST 3.0

double
wsi_cwt_response_seconds(const wsi_cwt_scale *scale)
{
	return scale->tap_count ? 0.0 : 1e-9 * RESPONSE_COST * (double)band(scale);
}

/* A way's cost is that of an output of a signal without padding: transforms are of all points. */
static double
cost_of(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps,
        const struct slowness *slow)
{
	const double cost = wsi_cwt_ways[scale->way].cost(cwt, scale, ratio, taps);
	const double between = taps ? between_cost(cwt->type, taps) : 0.0;
	const double outputs = (double)wsi_cwt_outputs(cwt, scale);
	const double of_all = (double)cwt->length / (double)scale->decimate;
	return outputs * between * slow->between + of_all * (cost - between) * slow->transforms;
}

double
wsi_cwt_scale_cost(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps)
{
	return cost_of(cwt, scale, ratio, taps, &slownesses[0]);
}

double
wsi_cwt_scale_seconds(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps)
{
	const struct slowness *slow = slownesses;
	for (size_t i = 0; i < sizeof slownesses / sizeof *slownesses; ++i)
		if (strcmp(slownesses[i].isa, cwt->ops->isa) == 0)
			slow = &slownesses[i];
	return 1e-9 * cost_of(cwt, scale, ratio, taps, slow);
}

void
wsi_cwt_scratch_bytes(const wsi_cwt *all, size_t bytes[4])
{
	bytes[0] = bytes[1] = bytes[2] = bytes[3] = 0;
	for (size_t f = 0; f < all->count && all->dft.n; ++f) {
		const wsi_cwt_scale *scale = &all->scale[f];
		const wsi_cwt *cwt = scale->of;
		const bool wide = scale->way >= WSI_CWT_IN_DOUBLE;
		const wsi_cwt_grid *grid = &cwt->grid[scale->grid];
		const bool kept = scale->tap_count && cwt->length <= KEPT_TAPS;
		const size_t response = kept ? 2 * cwt->length * sizeof(double)
			: (band(scale) + 2 * WSI_FFT_ACROSS) *
			(wide ? sizeof(double) : cwt->ops->element);
		const size_t array = wide ? cwt->length * sizeof(double)
			: grid->m * cwt->ops->element;
		const size_t rest = wide ? wsi_dft_scratch(&cwt->dft) : wsi_fft_scratch(grid->fft);
		bytes[0] = response > bytes[0] ? response : bytes[0];
		bytes[1] = array > bytes[1] ? array : bytes[1];
		/* Inverse transforms of grids go in place. */
		bytes[2] = wide && array > bytes[2] ? array : bytes[2];
		bytes[3] = rest > bytes[3] ? rest : bytes[3];
	}
}
