/* cwt.c - the continuous wavelet transform of rows of samples on the CPU: padding, spectra,
 * rows. */
#include "cpu/cwt/cwt.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "base/element.h"
#include "base/fpenv.h"
#include "base/items.h"
#include "base/status.h"
#include "math/padding.h"

static void
on_pool(wsi_pool *pool, wsi_pool_work work, void *arg)
{
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	wsi_pool_run(pool, work, arg);
	wsi_fpenv_leave(&before);
}

/* ---- Spectra ------------------------------------------------------------- */

/* Before the two parts of a spectrum. */
typedef struct spectrum_head {
	double scale;           /* coefficients are to be multiplied by: a power of two */
} spectrum_head;

static size_t
part_bytes(const wsi_cwt *cwt)
{
	/* Whole groups of bins are read. */
	const size_t bins = cwt->below + cwt->length / 2 + 1 + cwt->above;
	const size_t bytes = (bins + WSI_FFT_ACROSS) * cwt->ops->element;
	return (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

size_t
wsi_cwt_own_spectrum_bytes(const wsi_cwt *cwt)
{
	return WSI_ALIGN + 2 * part_bytes(cwt);
}

size_t
wsi_cwt_spectrum_bytes(const wsi_cwt *cwt)
{
	const size_t near = cwt->near ? wsi_cwt_own_spectrum_bytes(cwt->near) : 0;
	return wsi_cwt_own_spectrum_bytes(cwt) + near;
}

/* As padding_at(), by the plan's table. */
static padding_place
place_by_table(const wsi_cwt *cwt, size_t t)
{
	const size_t n = cwt->samples, gap = cwt->length - n, first = padding_fade(gap), i = t - n;
	const double share = i < first ? 0.0 : i - first < padding_fades(gap)
	                     ? cwt->fade[i - first] : 1.0;
	return (padding_place){ padding_mirrored(n, t), padding_mirrored(n, cwt->length - t),
		                share };
}

/* Place t of the padded signal beyond its samples. */
static double
padding_value(const wsi_cwt *cwt, const void *x, size_t t)
{
	if (cwt->o.padding == WS_PADDING_ZERO)
		return 0.0;
	const padding_place p = cwt->fade ? place_by_table(cwt, t)
		: padding_at(cwt->o.padding, cwt->steps, cwt->samples, cwt->length, t);
	return padding_between(wsi_real_at(x, cwt->type, p.before),
	                       wsi_real_at(x, cwt->type, p.after), p.share);
}

typedef struct forward_shared {
	const wsi_cwt *cwt;
	const char *x;
	size_t stride;
	char *spectra, *workspace;
	size_t thread_bytes;
	wsi_items channels;
	atomic_size_t threads;  /* that have taken a channel */
	atomic_size_t bad;      /* channel + 1 with a sample that is not finite */
} forward_shared;

/* Takes offset and scale off; false where a sample is not finite. */
static bool
measure(const wsi_cwt *cwt, const void *x, double *offset, int *exponent)
{
	double sum = 0.0, low = HUGE_VAL, high = -HUGE_VAL;
	bool finite = true;
	for (size_t t = 0; t < cwt->samples; ++t) {
		const double v = wsi_real_at(x, cwt->type, t);
		finite = finite && isfinite(v);
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	if (!finite)
		return false;
	frexp(fabs(low) > fabs(high) ? low : high, exponent);
	const int most = WSI_CWT_EXPONENTS(cwt->type == WS_F64);
	*exponent = *exponent > most ? most : *exponent < -most + 1 ? -most + 1 : *exponent;
	const double scale = ldexp(1.0, -*exponent);
	const double first = wsi_real_at(x, cwt->type, 0) * scale;
	for (size_t t = 0; t < cwt->samples; ++t)
		sum += wsi_real_at(x, cwt->type, t) * scale - first;
	*offset = cwt->centred ? first + sum / (double)cwt->samples : 0.0;
	return true;
}

/* The samples themselves; type: a constant in each call. */
static inline void
put_samples(const wsi_cwt *cwt, const void *x, ws_type type, double scale, double offset,
            double *restrict re, double *restrict im)
{
	const size_t n = cwt->samples;
	size_t t = 0;
	for (; cwt->dft.half && t + 2 <= n; t += 2) {
		re[t / 2] = wsi_real_at(x, type, t) * scale - offset;
		im[t / 2] = -(wsi_real_at(x, type, t + 1) * scale - offset);
	}
	for (; t < n; ++t)
		wsi_dft_put(&cwt->dft, t, wsi_real_at(x, type, t) * scale - offset, re, im);
}

void
wsi_cwt_pad(const wsi_cwt *cwt, const void *x, int exponent, double offset, double *re, double *im)
{
	const wsi_dft *dft = &cwt->dft;
	const double scale = ldexp(1.0, -exponent);
	if (cwt->type == WS_F64)
		put_samples(cwt, x, WS_F64, scale, offset, re, im);
	else
		put_samples(cwt, x, WS_F32, scale, offset, re, im);
	size_t t = cwt->samples;
	/* The mirror image of the end, where it fades into that of the beginning, and that. */
	if (cwt->fade && cwt->o.padding != WS_PADDING_ZERO) {
		const size_t n = t, gap = cwt->length - n, fade = n + padding_fade(gap);
		for (; t < fade; ++t)
			wsi_dft_put(dft, t, wsi_real_at(x, cwt->type, padding_mirrored(n, t)) *
			            scale - offset, re, im);
		for (; t < fade + padding_fades(gap) && t < cwt->length; ++t)
			wsi_dft_put(dft, t, padding_value(cwt, x, t) * scale - offset, re, im);
		for (; t < cwt->length; ++t)
			wsi_dft_put(dft, t, wsi_real_at(x, cwt->type,
			                                padding_mirrored(n, cwt->length - t)) *
			            scale - offset, re, im);
	}
	/* Zeros have no offset: then nothing is taken off. */
	for (; t < cwt->length; ++t)
		wsi_dft_put(dft, t, padding_value(cwt, x, t) * scale - offset, re, im);
}

/* Where a thread's forward transform works, in double.  To save memory it works in the place of the
 * spectrum that is its result, as far as that has room: in f64 with both parts; in f32, whose
 * spectrum has half the bytes, with the real part, at the end of the place. */
typedef struct forward_parts {
	double *re, *im;
	void *rest;
	double *edge;           /* what its edges are made in */
} forward_parts;

/* Bin 0 of a spectrum's real and imaginary part. */
static char *
part_of(const wsi_cwt *cwt, char *spectrum, bool imaginary)
{
	/* Groups of bins are aligned. */
	return spectrum + WSI_ALIGN + (imaginary ? part_bytes(cwt) : 0) +
	       cwt->below * cwt->ops->element;
}

static forward_parts
take_forward(const wsi_cwt *cwt, char *spectrum, wsi_arena *arena)
{
	const size_t bytes = wsi_dft_forward_numbers(&cwt->dft) * sizeof(double);
	const bool fits = cwt->dft.half != NULL;
	forward_parts p = { .rest = wsi_arena_take(arena, wsi_dft_forward_scratch(&cwt->dft)) };
	if (cwt->edge)
		p.edge = wsi_arena_take(arena, wsi_cwt_edge_scratch(cwt->edge) * sizeof(double));
	if (fits && cwt->type == WS_F64) {
		p.re = (double *)part_of(cwt, spectrum, false);
		p.im = (double *)part_of(cwt, spectrum, true);
		return p;
	}
	p.re = fits ? (double *)(spectrum + wsi_cwt_own_spectrum_bytes(cwt) -
	                         (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN)
	            : wsi_arena_take(arena, bytes);
	p.im = wsi_arena_take(arena, bytes);
	return p;
}

static size_t
forward_bytes(const wsi_cwt *cwt)
{
	/* Where it would lie does not matter. */
	static char spectrum[WSI_ALIGN];
	if (!cwt->dft.n) /* no coefficient is wanted */
		return 0;
	wsi_arena arena = { .base = NULL };
	take_forward(cwt, spectrum, &arena);
	const size_t near = cwt->near ? forward_bytes(cwt->near) : 0;
	return arena.used > near ? arena.used : near;
}

/* One part of a spectrum, which may begin at or before its doubles, and end before theirs. */
static void
put_part(const wsi_cwt *cwt, const double *from, char *to)
{
	enum { BLOCK = 1024 };
	double wide[BLOCK];
	float narrow[BLOCK];
	const size_t bins = cwt->length / 2 + 1, element = cwt->ops->element;
	for (size_t k = 0; (char *)from != to && k < bins; k += BLOCK) {
		const size_t count = bins - k < BLOCK ? bins - k : BLOCK;
		memcpy(wide, from + k, count * sizeof *wide);
		for (size_t i = 0; i < count; ++i)
			narrow[i] = (float)wide[i];
		memcpy(to + k * element, cwt->type == WS_F64 ? (void *)wide : (void *)narrow,
		       count * element);
	}
	memset(to + (bins + cwt->above) * element, 0, WSI_FFT_ACROSS * element);
}

/* Bins beyond the edges, of both parts. */
static void
put_beyond(const wsi_cwt *cwt, const wsi_cwt_beyond *beyond, char *re, char *im)
{
	const wsi_cwt_edge *edge = cwt->edge;
	const bool f64 = cwt->type == WS_F64;
	const ptrdiff_t half = (ptrdiff_t)(cwt->length / 2), last = (ptrdiff_t)edge->out;
	for (ptrdiff_t d = -(ptrdiff_t)cwt->below; d <= last; ++d) {
		const size_t i = (size_t)(d < 0 ? -d : d);
		const ptrdiff_t at = d < 0 ? d : half + d;
		if (d == 0 || (d > 0 && !edge->at_half))
			continue;
		const double *from_re = d < 0 ? beyond->zero_re : beyond->half_re;
		const double *from_im = d < 0 ? beyond->zero_im : beyond->half_im;
		const double x = i <= edge->out ? from_re[i] : 0.0;
		const double y = i <= edge->out ? from_im[i] : 0.0;
		if (f64) {
			((double *)re)[at] = x;
			((double *)im)[at] = y;
		} else {
			((float *)re)[at] = (float)x;
			((float *)im)[at] = (float)y;
		}
	}
}

/* Bin k is the conjugate of another. */
static void
put_conjugate(const wsi_cwt *cwt, ptrdiff_t k, ptrdiff_t of, char *re, char *im)
{
	if (cwt->type == WS_F64) {
		((double *)re)[k] = ((double *)re)[of];
		((double *)im)[k] = -((double *)im)[of];
	} else {
		((float *)re)[k] = ((float *)re)[of];
		((float *)im)[k] = -((float *)im)[of];
	}
}

/* Without edges: bins below 0 and beyond half the rate, which mirror others, so that bands that
 * begin or end there are read like others. */
static void
put_mirrored(const wsi_cwt *cwt, char *re, char *im)
{
	const ptrdiff_t n = (ptrdiff_t)cwt->length;
	for (ptrdiff_t k = 1; k <= (ptrdiff_t)cwt->below; ++k)
		put_conjugate(cwt, -k, k, re, im);
	for (ptrdiff_t k = n / 2 + 1; k <= n / 2 + (ptrdiff_t)cwt->above; ++k)
		put_conjugate(cwt, k, n - k, re, im);
}

static void
put_spectrum(const wsi_cwt *cwt, const forward_parts *p, int exponent, char *spectrum)
{
	char *re = part_of(cwt, spectrum, false), *im = part_of(cwt, spectrum, true);
	wsi_cwt_beyond beyond = { NULL, NULL, NULL, NULL };
	if (cwt->edge)
		beyond = wsi_cwt_edge_apply(cwt->edge, p->re, p->im, p->edge);
	*(spectrum_head *)spectrum = (spectrum_head){ ldexp(1.0, exponent) };
	put_part(cwt, p->re, re);
	put_part(cwt, p->im, im);
	if (cwt->edge)
		put_beyond(cwt, &beyond, re, im);
	else
		put_mirrored(cwt, re, im);
}

/* The spectrum of one padded length; false where the user has asked to stop. */
static bool
transform(const wsi_cwt *cwt, const void *x, double offset, int exponent, char *spectrum,
          void *own, wsi_progress *progress, int rank)
{
	wsi_arena arena = { .base = own };
	const forward_parts p = take_forward(cwt, spectrum, &arena);
	if (!wsi_goes_on(progress, rank))
		return false;
	wsi_cwt_pad(cwt, x, exponent, offset, p.re, p.im);
	if (!wsi_goes_on(progress, rank))
		return false;
	wsi_dft_forward(&cwt->dft, p.re, p.im, p.rest);
	put_spectrum(cwt, &p, exponent, spectrum);
	return true;
}

static void
forward_channels(void *arg, int rank, int size)
{
	(void)size;
	forward_shared *all = arg;
	const wsi_cwt *cwt = all->cwt;
	char *own = NULL;
	for (size_t c; wsi_items_next(&all->channels, rank, &c);) {
		const void *x = all->x + c * all->stride;
		char *spectrum = all->spectra + c * wsi_cwt_spectrum_bytes(cwt);
		double offset;
		int exponent;
		/* There is room for as many threads as there are channels. */
		if (!own)
			own = all->workspace + atomic_fetch_add(&all->threads, 1) *
			      all->thread_bytes;
		if (!measure(cwt, x, &offset, &exponent)) {
			atomic_store(&all->bad, c + 1);
			continue;
		}
		for (const wsi_cwt *of = cwt; of; of = of->near)
			if (!transform(of, x, offset, exponent, spectrum + of->lead, own,
			               all->channels.progress, rank))
				return;
	}
}

ws_status
wsi_cwt_forward(const wsi_cwt *cwt, const void *x, size_t stride, size_t channels, void *spectra,
                wsi_pool *pool, wsi_progress *progress, void *workspace)
{
	forward_shared all = { .cwt = cwt, .x = x, .stride = stride, .spectra = spectra,
		.workspace = workspace, .thread_bytes = forward_bytes(cwt),
		.channels = { .count = channels, .progress = progress, .tells = true } };
	on_pool(pool, forward_channels, &all);
	const size_t bad = atomic_load(&all.bad);
	if (bad)
		return WSI_FAIL(WS_E_FORMAT, "channel %zu holds a sample that is not finite",
		                WSI_NO(bad - 1));
	return WS_OK;
}

void
wsi_cwt_spectrum(const wsi_cwt *cwt, const void *spectrum, const void **re, const void **im,
                 double *scale)
{
	const char *own = (const char *)spectrum + cwt->lead;
	*scale = ((const spectrum_head *)own)->scale;
	const char *first = own + WSI_ALIGN + cwt->below * cwt->ops->element;
	*re = first;
	*im = first + part_bytes(cwt);
}

/* ---- Coefficients ----------------------------------------------------------- */

static wsi_cwt_scratch
take_scratch(const wsi_cwt *cwt, wsi_arena *arena)
{
	size_t bytes[4];
	wsi_cwt_scratch_bytes(cwt, bytes);
	wsi_cwt_scratch s = { .scale = NULL };
	/* Places in the cache's ways that differ. */
	const size_t skew = 5 * WSI_ALIGN;
	s.response = wsi_arena_take(arena, bytes[0] + skew);
	s.carriers = wsi_arena_take(arena, WSI_CWT_CARRIERS * cwt->ops->element);
	s.z_re = wsi_arena_take(arena, bytes[1] + skew);
	s.z_im = wsi_arena_take(arena, bytes[1] + skew);
	s.y_re = bytes[2] ? wsi_arena_take(arena, bytes[2] + skew) : NULL;
	s.y_im = bytes[2] ? wsi_arena_take(arena, bytes[2] + skew) : NULL;
	s.rest = wsi_arena_take(arena, bytes[3]);
	return s;
}

static size_t
run_bytes(const wsi_cwt *cwt)
{
	wsi_arena arena = { .base = NULL };
	take_scratch(cwt, &arena);
	return arena.used;
}

/* A line of everything but its spectrum and what rows of a scale share. */
static void
run_line(wsi_cwt_line row, const void *spectrum, wsi_cwt_scratch *scratch)
{
	wsi_cwt_scratch own = *scratch;
	row.scratch = wsi_cwt_take_kept(row.cwt, row.scale, &own) ? &own : scratch;
	wsi_cwt_spectrum(row.cwt, spectrum, &row.x_re, &row.x_im, &row.store.scale);
	wsi_cwt_ways[row.scale->way].run(&row);
}

void
wsi_cwt_one(const wsi_cwt *cwt, const void *spectrum, size_t f, ws_quantity quantity, bool stream,
            size_t t0, size_t t1, void *out, wsi_cwt_scratch *scratch)
{
	run_line((wsi_cwt_line){ .cwt = cwt->scale[f].of, .scale = &cwt->scale[f],
		.store = { .quantity = quantity, .stream = stream }, .t0 = t0, .t1 = t1,
		.out = out }, spectrum, scratch);
}

void
wsi_cwt_add_power(const wsi_cwt *cwt, const void *spectrum, size_t f, double weight, size_t t0,
                  size_t t1, double *sums, wsi_cwt_scratch *scratch)
{
	run_line((wsi_cwt_line){ .cwt = cwt->scale[f].of, .scale = &cwt->scale[f],
		.store = { .quantity = WS_QUANTITY_POWER, .weight = weight }, .t0 = t0, .t1 = t1,
		.out = sums }, spectrum, scratch);
}

bool
wsi_cwt_goes_on(const wsi_cwt_scratch *scratch)
{
	return wsi_goes_on(scratch->progress, scratch->rank);
}

typedef struct items_shared {
	const wsi_cwt *cwt;
	const wsi_cwt_work *work;
	char *workspace;
	size_t thread_bytes;
	wsi_items items;
} items_shared;

static size_t
item_bytes(const wsi_cwt *cwt, size_t own_bytes)
{
	return run_bytes(cwt) + (own_bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

size_t
wsi_cwt_items_workspace(const wsi_cwt *cwt, size_t channels, int threads, size_t own_bytes)
{
	const size_t all = (size_t)threads, some = channels < all ? channels : all;
	const size_t forward = some * forward_bytes(cwt), items = all * item_bytes(cwt, own_bytes);
	return forward > items ? forward : items;
}

size_t
wsi_cwt_workspace(const wsi_cwt *cwt, size_t channels, int threads)
{
	return wsi_cwt_items_workspace(cwt, channels, threads, 0);
}

static void
run_items(void *arg, int rank, int size)
{
	(void)size;
	items_shared *j = arg;
	wsi_arena arena = { .base = j->workspace + (size_t)rank * j->thread_bytes };
	void *own = wsi_arena_take(&arena, j->work->own_bytes);
	wsi_cwt_scratch scratch = take_scratch(j->cwt, &arena);
	scratch.progress = j->items.progress;
	scratch.rank = rank;
	for (size_t i, end; wsi_items_some(&j->items, rank, &i, &end);)
		do
			j->work->item(j->work->user, i, &scratch, own);
		while (++i < end && wsi_cwt_goes_on(&scratch));
}

void
wsi_cwt_items(const wsi_cwt *cwt, const wsi_cwt_work *work, wsi_pool *pool,
              wsi_progress *progress, void *workspace)
{
	items_shared j = { .cwt = cwt, .work = work, .workspace = workspace,
		.thread_bytes = item_bytes(cwt, work->own_bytes),
		.items = { .count = work->items, .together = work->together,
			.progress = progress, .tells = true } };
	on_pool(pool, run_items, &j);
}

typedef struct run_shared {
	const wsi_cwt *cwt;
	const wsi_cwt_part *part;
	bool stream;
	size_t together;        /* channels of a block */
} run_shared;

/* Block by block, in each frequency by frequency, all channels of each. */
static void
run_row(void *user, size_t item, wsi_cwt_scratch *scratch, void *own)
{
	const run_shared *r = user;
	const wsi_cwt_part *part = r->part;
	const size_t first = item / (r->together * (part->f1 - part->f0)) * r->together;
	const size_t left = part->channels - first, some = left < r->together ? left : r->together;
	const size_t within = item - first * (part->f1 - part->f0);
	const size_t f = within / some, c = first + within % some;
	const char *spectrum = (const char *)part->spectra + c * wsi_cwt_spectrum_bytes(r->cwt);
	(void)own;
	wsi_cwt_one(r->cwt, spectrum, part->f0 + f, r->cwt->o.quantity, r->stream, part->t0,
	            part->t1,
	            part->out + c * part->channel_stride + f * part->frequency_stride, scratch);
}

/* Channels of a block: those whose spectra stay in a core's second cache while its frequencies are
 * made; all, where too few do for what is made once a frequency. */
static size_t
block_channels(const wsi_cwt *cwt, size_t channels)
{
	const size_t cache = (size_t)512 << 10, fit = cache / wsi_cwt_spectrum_bytes(cwt);
	return fit < 8 || fit > channels ? channels : fit;
}

void
wsi_cwt_run(const wsi_cwt *cwt, const wsi_cwt_part *part, wsi_pool *pool, wsi_progress *progress,
            void *workspace)
{
	const size_t scales = part->f1 - part->f0, items = scales * part->channels;
	/* What no cache can hold anyway. */
	const size_t number = wsi_cwt_numbers(cwt->o.quantity) * cwt->ops->element;
	run_shared r = { cwt, part, items * (part->t1 - part->t0) * number > (size_t)8 << 20,
		block_channels(cwt, part->channels) };
	/* A scale's channels go to one thread while there are scales enough: its response is
	 * kept. */
	const wsi_cwt_work work = { .items = items, .item = run_row, .user = &r,
		.together = scales >= 8 * (size_t)pool->size ? r.together : 1 };
	wsi_cwt_items(cwt, &work, pool, progress, workspace);
}
