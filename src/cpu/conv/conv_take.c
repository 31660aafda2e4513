/*
 * conv_take.c - the taps of masks, from where they are or are made, into the values of a
 * convolution.
 */
#include "cpu/conv/conv_take.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/element.h"
#include "base/items.h"
#include "base/status.h"
#include "math/conv.h"
#include "math/narrow.h"
#include "math/rounding.h"

/* ---- All taps of all masks --------------------------------------------------------------- */

typedef struct walking {
	const wsi_mask_walk *w;
	size_t parts;
	double *rooms;          /* [thread][WSI_TAPS][parts] */
	wsi_progress *progress;
	_Atomic uint64_t bad;   /* the first; UINT64_MAX: none */
} walking;

static void
range_of(const wsi_mask_walk *w, size_t mask, size_t *first, size_t *end)
{
	*first = 0;
	*end = w->masks->lengths[mask];
	if (w->range)
		w->range(w->arg, mask, first, end);
}

/* False: it is bad, or nobody wants it. */
static bool
walk_mask(walking *k, int thread, size_t mask)
{
	const wsi_mask_walk *w = k->w;
	double *room = k->rooms + (size_t)thread * WSI_TAPS * k->parts;
	size_t first, end;
	range_of(w, mask, &first, &end);
	while (first < end) {
		const size_t count = end - first < WSI_TAPS ? end - first : WSI_TAPS;
		if (!wsi_goes_on(k->progress, thread))
			return true;
		if (!w->source->taps(w->source->of, thread, mask, first, count, room) ||
		    !w->put(w->arg, mask, first, count, room))
			return false;
		first += count;
	}
	return true;
}

static void
walk(void *arg, size_t i, int rank)
{
	walking *k = arg;
	/* The longest are the last of most grids: they begin. */
	const size_t mask = k->w->masks->count - 1 - i;
	if (!walk_mask(k, rank, mask))
		wsi_note_first(&k->bad, mask);
}

/* One thread where there is little to do. */
static int
threads_for(const wsi_mask_walk *w)
{
	size_t taps = 0;
	for (size_t i = 0; i < w->masks->count && taps <= 4 * WSI_TAPS; ++i) {
		size_t first, end;
		range_of(w, i, &first, &end);
		taps += end - first;
	}
	return taps > 4 * WSI_TAPS ? w->source->threads : 1;
}

ws_status
wsi_mask_walk_all(const wsi_mask_walk *w, wsi_progress *progress, size_t *bad)
{
	const int threads = threads_for(w);
	walking k = { .w = w, .parts = wsi_masks_complex(w->masks) ? 2 : 1,
		.progress = progress };
	wsi_worker *workers = malloc((size_t)threads * sizeof *workers);
	*bad = SIZE_MAX;
	k.rooms = malloc((size_t)threads * WSI_TAPS * k.parts * sizeof *k.rooms);
	if (!workers || !k.rooms) {
		free(workers);
		free(k.rooms);
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", w->masks->count);
	}
	atomic_init(&k.bad, UINT64_MAX);
	wsi_pool pool;
	wsi_pool_start(&pool, threads, workers, progress);
	wsi_pool_items(&pool, w->masks->count, walk, &k);
	wsi_pool_stop(&pool);
	free(workers);
	free(k.rooms);
	if (!wsi_goes_on(progress, 0))
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	*bad = (size_t)atomic_load(&k.bad);
	return *bad == SIZE_MAX ? WS_OK : WS_E_ARG;
}

/* ---- How large they are ------------------------------------------------------------------ */

typedef struct measuring {
	double *largest;
	size_t parts;
} measuring;

static bool
put_largest(void *arg, size_t mask, size_t first, size_t count, const double *taps)
{
	const measuring *m = arg;
	double most = first ? m->largest[mask] : 0.0;
	for (size_t k = 0; k < count * m->parts; ++k)
		most = fmax(most, fabs(taps[k]));
	m->largest[mask] = most;
	return true;
}

ws_status
wsi_conv_exponents(int16_t *exponents, double *largest, const ws_masks *m,
                   const wsi_mask_source *source, wsi_progress *progress, size_t *bad)
{
	measuring to = { largest, wsi_masks_complex(m) ? 2 : 1 };
	const wsi_mask_walk w = { m, source, put_largest, &to, NULL };
	WSI_TRY(wsi_mask_walk_all(&w, progress, bad));
	for (size_t i = 0; i < m->count; ++i)
		exponents[i] = (int16_t)conv_exponent(largest[i]);
	return WS_OK;
}

/* ---- As kernels want them ------------------------------------------------------------------ */

/* Where one part of a mask lies. */
typedef struct place {
	void *values;
	size_t at, step;        /* of the first tap that is kept, from one to the next */
	size_t first, end;      /* those kept, counted along the offsets */
} place;

typedef struct taking {
	const ws_masks *m;
	const wsi_conv_shaping *s;
	size_t parts;
	place *places;          /* [mask][part] */
	/* Of the first mask that has one: a tap that f32 does not hold. */
	pthread_mutex_t lock;
	size_t mask, tap;
	double value;
} taking;

/* To a 16-bit type, at the scale of the mask's largest tap. */
static double
narrowed(double v, const wsi_conv_shaping *s, uint32_t mask, uint64_t at)
{
	const int e = s->exponent[mask];
	const double w = ldexp(v, -e), low = narrow_down(w, s->narrow);
	const double high = narrow_up(w, s->narrow);
	uint64_t bits[2];
	switch (s->rounding) {
	case WS_ROUND_ZERO: return ldexp(w < 0.0 ? high : low, e);
	case WS_ROUND_UP: return ldexp(high, e);
	case WS_ROUND_DOWN: return ldexp(low, e);
	case WS_ROUND_DITHER:
		gaussian_bits(s->seed, 0x6d61736bu, mask, at, bits);
		return ldexp(high > low && w - low > (double)(int64_t)bits[0] * 0x1p-53 *
		             (high - low) ? high : low, e);
	default: return ldexp(narrow_nearest(w, s->narrow), e);
	}
}

static double
rounded(double v, const wsi_conv_shaping *s, uint32_t mask, uint64_t at)
{
	if (s->rounded != WS_F32)
		return v;
	if (s->narrow)
		return narrowed(v, s, mask, at);
	return rounding_tap(v, s->rounding, s->seed, mask, at);
}

static void
range(const void *arg, size_t mask, size_t *first, size_t *end)
{
	const taking *t = arg;
	const place *p = &t->places[mask * t->parts];
	const size_t length = t->m->lengths[mask];
	*first = t->s->flip ? length - p->end : p->first;
	*end = t->s->flip ? length - p->first : p->end;
}

static bool
too_large(taking *t, size_t mask, size_t tap, double value)
{
	pthread_mutex_lock(&t->lock);
	if (mask < t->mask) {
		t->mask = mask;
		t->tap = tap;
		t->value = value;
	}
	pthread_mutex_unlock(&t->lock);
	return false;
}

static bool
put(void *arg, size_t mask, size_t first, size_t count, const double *taps)
{
	taking *t = arg;
	const size_t length = t->m->lengths[mask];
	for (size_t part = 0; part < t->parts; ++part) {
		const place *p = &t->places[mask * t->parts + part];
		for (size_t i = 0; i < count; ++i) {
			const size_t tap = first + i, k = t->s->flip ? length - 1 - tap : tap;
			const size_t to = p->at + (k - p->first) * p->step;
			const double v = taps[i * t->parts + part];
			const double value = rounded(v, t->s, (uint32_t)mask,
			                             tap * t->parts + part);
			if (!isfinite(value))
				return too_large(t, mask, tap, v);
			wsi_real_put(p->values, t->s->type, to, value);
		}
	}
	return true;
}

static void
find_places(taking *t, const wsi_conv_bank *bank, const wsi_conv_spectra *spectra)
{
	for (size_t g = 0; g < bank->groups; ++g) {
		const wsi_conv_group *group = &bank->group[g];
		for (int r = 0; r < group->rows; ++r) {
			const size_t length = t->m->lengths[group->mask[r]];
			const size_t lead = (size_t)(-(int64_t)(length / 2) - group->d0);
			const size_t rows = (size_t)group->rows;
			t->places[group->mask[r] * t->parts + group->part[r]] = (place){
				bank->values, group->taps + lead * rows + (size_t)r, rows, 0,
				length };
		}
	}
	for (size_t i = 0; i < spectra->rows; ++i) {
		const wsi_conv_row *r = &spectra->row[i];
		const size_t taps = (size_t)(r->d1 - r->d0);
		const size_t first = (size_t)(r->d0 + (int64_t)(t->m->lengths[r->mask] / 2));
		for (size_t part = 0; part < t->parts; ++part)
			t->places[r->mask * t->parts + part] = (place){ spectra->values,
				r->taps + part * taps, 1, first, first + taps };
	}
}

static ws_status
take(taking *t, wsi_conv_bank *bank, wsi_conv_spectra *spectra, const wsi_mask_source *source,
     wsi_progress *progress, size_t *bad)
{
	const size_t element = wsi_type_size(t->s->type);
	t->places = calloc(t->m->count * t->parts, sizeof *t->places);
	/* Groups have zeros at both ends of the shorter masks. */
	bank->values = bank->count ? calloc(bank->count, element) : NULL;
	spectra->values = spectra->count ? malloc(spectra->count * element) : NULL;
	if (!t->places || (bank->count && !bank->values) || (spectra->count && !spectra->values))
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks of %zu taps in all",
		                t->m->count, bank->count + spectra->count);
	find_places(t, bank, spectra);
	const wsi_mask_walk w = { t->m, source, put, t, range };
	const ws_status status = wsi_mask_walk_all(&w, progress, bad);
	if (status != WS_E_ARG || *bad != t->mask)
		return status;
	*bad = SIZE_MAX;
	return WSI_FAIL(WS_E_ARG, "mask %zu, tap %zu is %g, more than f32 holds", WSI_NO(t->mask),
	                WSI_NO(t->tap), t->value);
}

ws_status
wsi_conv_take(wsi_conv_bank *bank, wsi_conv_spectra *spectra, const ws_masks *m,
              const wsi_conv_shaping *s, const wsi_mask_source *source, wsi_progress *progress,
              size_t *bad)
{
	taking t = { .m = m, .s = s, .parts = wsi_masks_complex(m) ? 2 : 1, .mask = SIZE_MAX };
	*bad = SIZE_MAX;
	pthread_mutex_init(&t.lock, NULL);
	const ws_status status = take(&t, bank, spectra, source, progress, bad);
	pthread_mutex_destroy(&t.lock);
	free(t.places);
	if (status != WS_OK)
		wsi_conv_drop(bank, spectra);
	return status;
}

size_t
wsi_conv_take_bytes(const wsi_conv_bank *bank, const wsi_conv_spectra *spectra,
                    const ws_masks *m, int threads, size_t *making)
{
	const size_t parts = wsi_masks_complex(m) ? 2 : 1;
	*making = m->count * parts * sizeof(place) +
		(size_t)threads * (WSI_TAPS * parts * sizeof(double) + sizeof(wsi_worker));
	return (bank->count + spectra->count) * wsi_type_size(bank->type);
}

void
wsi_conv_drop(wsi_conv_bank *bank, wsi_conv_spectra *spectra)
{
	free(bank->values);
	free(spectra->values);
	bank->values = spectra->values = NULL;
}
