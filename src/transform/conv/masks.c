/* masks.c - masks by formula, the taps of each scale; masks that are given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/line.h"
#include "base/status.h"
#include "math/band_limited.h"
#include "transform/conv/conv.h"
#include "transform/conv/errors.h"
#include "transform/conv/expression.h"
#include "transform/conv/scales.h"

/* ---- Masks ----------------------------------------------------------------------------- */

/* The struct that callers see, its arrays, and what its values are made of. */
typedef struct made {
	ws_masks masks;         /* first */
	size_t *lengths, *offsets;
	double *scales, *frequencies, *values;
	wsi_mask *forms;        /* NULL: they are given */
	wsi_correction *corrections; /* [mask]; NULL: none */
	size_t parts;
	bool by_expression;
} made;

/* While values are made: where from. */
typedef struct maker {
	const made *m;
	const wsi_ops *ops;
	const ws_masks *given;
	size_t *from;           /* [mask] of the given: the number of its first value */
	wsi_expression **evaluators; /* [thread] */
	int n_evaluators;
} maker;

void
wsi_masks_free(ws_masks *masks)
{
	made *m = (made *)masks;
	if (!m)
		return;
	free(m->lengths);
	free(m->offsets);
	free(m->scales);
	free(m->frequencies);
	free(m->values);
	free(m->forms);
	free(m->corrections);
	free(m);
}

/* Hz where the spectrum has its peak; 0: it has none to speak of. */
static double
frequency_of(const wsi_mask *mask, double scale, double fs)
{
	const double turn = 0x1.921fb54442d18p2;
	switch (mask->formula) {
	case WS_MASK_MEXICAN_HAT: return sqrt(2.0) * fs / (turn * scale);
	case WS_MASK_DOPPLER:     return 0.0;
	default:                  return fabs(mask->param) * fs / (turn * scale);
	}
}

static ws_status
lay_out(made *m, const ws_conv_opts *o, double fs, size_t *taps)
{
	wsi_scales at = wsi_scales_of(o);
	*taps = 0;
	for (size_t i = 0; i < o->scale_count; ++i) {
		ws_ratio s;
		WSI_TRY(wsi_scale_next(&at, &s));
		const double scale = (double)s.numerator / (double)s.denominator;
		m->forms[i] = (wsi_mask){ .formula = o->mask_formula,
		                          .param = o->mask_formula_param,
			.numerator = (double)s.numerator, .denominator = (double)s.denominator,
			.half = 8 * s.numerator / s.denominator };
		m->lengths[i] = 2 * (size_t)m->forms[i].half + 1;
		m->offsets[i] = *taps;
		m->scales[i] = scale;
		m->frequencies[i] = o->mask_expression[0] ? fs / scale
		                    : frequency_of(&m->forms[i], scale, fs);
		*taps += m->lengths[i];
	}
	return WS_OK;
}

/* ---- Given ----------------------------------------------------------------------------- */

/* Taps by which a mask that is moved grows at either end. */
static size_t
grown(const made *m, size_t i)
{
	const double shift = m->corrections ? m->corrections[i].shift : 0.0;
	return shift != 0.0 ? (size_t)ceil(fabs(shift)) + WSI_BAND_HALF : 0;
}

static ws_status
lay_out_given(made *m, const ws_masks *given, size_t *taps)
{
	*taps = 0;
	for (size_t i = 0; i < given->count; ++i) {
		m->lengths[i] = given->lengths[i] + 2 * grown(m, i);
		if (m->lengths[i] > WSI_MOST_SAMPLES)
			return WSI_FAIL(WS_E_ARG, "mask %zu has %zu taps when it is moved: "
			                WSI_MOST_SAMPLES_TEXT " are the most", WSI_NO(i),
			                m->lengths[i]);
		m->offsets[i] = *taps;
		*taps += m->lengths[i];
	}
	return WS_OK;
}

/* Taps first .. of mask i of the given at taps + shift; beyond its ends it is zero. */
static void
move(const maker *k, size_t i, size_t first, size_t count, double *to)
{
	const made *m = k->m;
	const double shift = m->corrections[i].shift, whole = floor(shift);
	double weights[2 * WSI_BAND_HALF + 1];
	for (int j = -WSI_BAND_HALF; j <= WSI_BAND_HALF; ++j)
		weights[j + WSI_BAND_HALF] = band_weight((double)j - (shift - whole));
	const int64_t length = (int64_t)k->given->lengths[i];
	const ws_type type = wsi_type_part(k->given->type);
	for (size_t tap = first; tap < first + count; ++tap) {
		const int64_t at = (int64_t)tap - (int64_t)grown(m, i) + (int64_t)whole;
		for (size_t part = 0; part < m->parts; ++part) {
			double sum = 0.0;
			for (int j = -WSI_BAND_HALF; j <= WSI_BAND_HALF; ++j)
				if (at + j >= 0 && at + j < length)
					sum = fma(weights[j + WSI_BAND_HALF],
					          wsi_real_at(k->given->values, type, k->from[i] +
					                      (size_t)(at + j) * m->parts + part),
					          sum);
			*to++ = sum;
		}
	}
}

/* ---- Errors of the instrument ------------------------------------------------------------ */

static ws_status
correct(made *m, const ws_conv_opts *o, wsi_errors *errors)
{
	for (size_t i = 0; i < m->masks.count; ++i) {
		wsi_correction *c = &m->corrections[i];
		WSI_TRY(wsi_errors_of(c, errors, m->scales[i], m->frequencies[i], i));
		if (!o->masks && !(fabs(c->shift) <= (double)m->forms[i].half))
			return WSI_FAIL(WS_E_ARG, "`timing_error`: %g samples move mask %zu of %zu "
			                "taps out of itself", c->shift, WSI_NO(i), m->lengths[i]);
		if (!o->masks)
			m->forms[i].shift = c->shift;
	}
	return WS_OK;
}

static ws_status
take_corrections(made *m, const ws_conv_opts *o, double fs)
{
	const size_t n = m->masks.count;
	wsi_errors *errors;
	if (!wsi_errors_any(o))
		return WS_OK;
	m->corrections = malloc(n * sizeof *m->corrections);
	if (!m->corrections)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", n);
	WSI_TRY(wsi_errors_open(&errors, o, fs, n));
	const ws_status status = correct(m, o, errors);
	wsi_errors_close(errors);
	return status;
}

/* ---- Values ------------------------------------------------------------------------------ */

/* A wsi_mask_source's. */
static bool
make_taps(const void *of, int thread, size_t i, size_t first, size_t count, double *to)
{
	const maker *k = of;
	const made *m = k->m;
	if (k->given && grown(m, i)) {
		move(k, i, first, count, to);
	} else if (k->given) {
		for (size_t v = 0; v < count * m->parts; ++v)
			to[v] = wsi_real_at(k->given->values, wsi_type_part(k->given->type),
			                    k->from[i] + first * m->parts + v);
	} else if (m->by_expression) {
		const int64_t from = (int64_t)first - m->forms[i].half;
		double bad;
		if (wsi_expression_mask(k->evaluators[thread], m->scales[i], from, count,
		                        m->forms[i].shift, to, &bad) < count)
			return false;
	} else {
		const wsi_mask_args args = { m->forms[i], (int64_t)first, (int64_t)(first + count),
			to };
		k->ops->conv->mask(&args);
	}
	for (size_t v = 0; m->corrections && v < count * m->parts; ++v)
		to[v] *= m->corrections[i].factor;
	return true;
}

static void
close_maker(maker *k)
{
	for (int i = 0; i < k->n_evaluators; ++i)
		wsi_expression_destroy(k->evaluators[i]);
	free(k->evaluators);
	free(k->from);
}

/* An evaluator for each thread: muParser's belong to one at a time. */
static ws_status
open_evaluators(maker *k, const ws_conv_opts *o, double fs, int threads)
{
	k->evaluators = calloc((size_t)threads, sizeof *k->evaluators);
	if (!k->evaluators)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %d threads", threads);
	for (; k->n_evaluators < threads; ++k->n_evaluators)
		WSI_TRY(wsi_expression_create(&k->evaluators[k->n_evaluators], o, fs));
	return WS_OK;
}

static ws_status
open_maker(maker *k, const made *m, const ws_conv_opts *o, const ws_masks *given, double fs,
           const wsi_ops *ops, int threads)
{
	*k = (maker){ .m = m, .ops = ops, .given = given };
	if (m->by_expression)
		return open_evaluators(k, o, fs, threads);
	if (!given)
		return WS_OK;
	k->from = malloc(given->count * sizeof *k->from);
	if (!k->from)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", given->count);
	for (size_t i = 0, at = 0; i < given->count; at += given->lengths[i++])
		k->from[i] = (given->offsets ? given->offsets[i] : at) * m->parts;
	return WS_OK;
}

/* The expression is not finite somewhere in mask i. */
static ws_status
refuse_values(const maker *k, size_t i)
{
	enum { FEW = 256 }; /* stacks are small */
	const made *m = k->m;
	double bad = 0.0, room[2 * FEW];
	int64_t x = -m->forms[i].half;
	for (size_t first = 0; first < m->lengths[i]; first += FEW) {
		const size_t left = m->lengths[i] - first;
		const size_t count = left < FEW ? left : FEW;
		const size_t good = wsi_expression_mask(k->evaluators[0], m->scales[i], x, count,
		                                        m->forms[i].shift, room, &bad);
		x += (int64_t)good;
		if (good < count)
			break;
	}
	return WSI_FAIL(WS_E_ARG, "the expression is %g at x = %lld of mask %zu, scale %g: it must "
	                "be finite everywhere", bad, (long long)x, WSI_NO(i), m->scales[i]);
}

ws_status
wsi_masks_with_source(const ws_masks *masks, const ws_conv_opts *o, const ws_masks *given,
                      double fs, const wsi_ops *ops, int threads, wsi_masks_user *user, void *arg)
{
	maker k;
	size_t bad = SIZE_MAX;
	const wsi_mask_source source = { make_taps, &k, threads };
	ws_status status = open_maker(&k, (const made *)masks, o, given, fs, ops, threads);
	if (status == WS_OK)
		status = user(arg, &source, &bad);
	if (status == WS_E_ARG && bad != SIZE_MAX)
		status = refuse_values(&k, bad);
	close_maker(&k);
	return status;
}

/* ---- Either ---------------------------------------------------------------------------- */

/* All but the values; *taps: of all. */
static ws_status
lay_out_all(made *m, const ws_conv_opts *o, double fs, size_t *taps)
{
	const size_t n = m->masks.count;
	*taps = 0;
	m->lengths = malloc(n * sizeof *m->lengths);
	m->offsets = malloc(n * sizeof *m->offsets);
	m->scales = malloc(n * sizeof *m->scales);
	m->frequencies = malloc(n * sizeof *m->frequencies);
	m->forms = o->masks ? NULL : malloc(n * sizeof *m->forms);
	if (!m->lengths || !m->offsets || !m->scales || !m->frequencies ||
	    (!o->masks && !m->forms))
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", n);
	if (m->by_expression) { /* does it parse? */
		wsi_expression *e;
		WSI_TRY(wsi_expression_create(&e, o, fs));
		wsi_expression_destroy(e);
	}
	if (!o->masks)
		WSI_TRY(lay_out(m, o, fs, taps));
	for (size_t i = 0; o->masks && i < n; ++i) {
		m->scales[i] = o->masks->scales ? o->masks->scales[i] : 0.0;
		m->frequencies[i] = o->masks->frequencies ? o->masks->frequencies[i] : 0.0;
	}
	WSI_TRY(take_corrections(m, o, fs));
	if (o->masks)
		WSI_TRY(lay_out_given(m, o->masks, taps));
	m->masks.lengths = m->lengths;
	m->masks.offsets = m->offsets;
	m->masks.scales = o->masks && !o->masks->scales ? NULL : m->scales;
	m->masks.frequencies = o->masks && !o->masks->frequencies ? NULL
	                       : o->mask_formula == WS_MASK_DOPPLER ? NULL : m->frequencies;
	return WS_OK;
}

static bool
put_values(void *arg, size_t mask, size_t first, size_t count, const double *taps)
{
	made *m = arg;
	memcpy(m->values + (m->offsets[mask] + first) * m->parts, taps,
	       count * m->parts * sizeof *taps);
	return true;
}

/* A wsi_masks_user. */
static ws_status
make_values(void *arg, const wsi_mask_source *source, size_t *bad)
{
	made *m = arg;
	const size_t last = m->masks.count - 1, taps = m->offsets[last] + m->lengths[last];
	m->values = malloc(taps * m->parts * sizeof *m->values);
	if (!m->values)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks of %zu taps in all",
		                m->masks.count, taps);
	m->masks.values = m->values;
	const wsi_mask_walk walk = { &m->masks, source, put_values, m, NULL };
	return wsi_mask_walk_all(&walk, NULL, bad);
}

static made *
create(const ws_conv_opts *o)
{
	made *m = calloc(1, sizeof *m);
	const bool complex = o->masks ? wsi_masks_complex(o->masks)
	                     : o->mask_formula == WS_MASK_GABOR || o->mask_imaginary[0];
	if (!m)
		return NULL;
	m->masks = (ws_masks){ .size = sizeof m->masks,
		.count = o->masks ? o->masks->count : o->scale_count,
		.type = complex ? WS_C128 : WS_F64 };
	m->parts = complex ? 2 : 1;
	m->by_expression = !o->masks && o->mask_expression[0];
	return m;
}

ws_status
wsi_masks_lay_out(ws_masks **out, const ws_conv_opts *o, double fs)
{
	size_t taps;
	made *m = create(o);
	*out = NULL;
	if (!m)
		return WSI_FAIL(WS_E_NOMEM, "no memory for masks");
	const ws_status status = lay_out_all(m, o, fs, &taps);
	if (status != WS_OK) {
		wsi_masks_free(&m->masks);
		return status;
	}
	*out = &m->masks;
	return WS_OK;
}

ws_status
wsi_masks_make(ws_masks **out, const ws_conv_opts *o, double fs, const wsi_ops *ops, int threads)
{
	WSI_TRY(wsi_masks_lay_out(out, o, fs));
	const ws_status status = wsi_masks_with_source(*out, o, o->masks, fs, ops, threads,
	                                               make_values, *out);
	if (status != WS_OK) {
		wsi_masks_free(*out);
		*out = NULL;
	}
	return status;
}

ws_status
wsi_masks_forms(wsi_conv_form **forms, const ws_masks *masks)
{
	const made *m = (const made *)masks;
	*forms = malloc(masks->count * sizeof **forms);
	if (!*forms)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", masks->count);
	for (size_t i = 0; i < masks->count; ++i)
		(*forms)[i] = (wsi_conv_form){ m->forms[i],
			m->corrections ? m->corrections[i].factor : 1.0 };
	return WS_OK;
}

char *
wsi_masks_error_text(const ws_masks *masks, int kind)
{
	const made *m = (const made *)masks;
	char *text = NULL;
	/* First how long it is. */
	for (wsi_line to = wsi_line_in(NULL, 0);; to = wsi_line_in(text, to.used + 1)) {
		for (size_t i = 0; i < m->masks.count; ++i) {
			wsi_line_put(&to, "%s", i ? "," : "");
			wsi_line_put_real(&to, m->corrections[i].error[kind]);
		}
		if (text || !(text = malloc(to.used + 1)))
			return text;
	}
}
