/* conv_masks.c - masks by formula, the taps of each scale; masks that are given. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/items.h"
#include "base/line.h"
#include "base/status.h"
#include "math/band_limited.h"
#include "transform/conv.h"
#include "transform/conv_errors.h"
#include "transform/conv_expression.h"
#include "transform/conv_scales.h"

/* ---- Masks ----------------------------------------------------------------------------- */

/* The struct that callers see, and its arrays. */
typedef struct made {
	ws_masks masks;         /* first */
	size_t *lengths, *offsets;
	double *scales, *frequencies, *values;
	wsi_mask *forms;
	wsi_correction *corrections; /* [mask]; NULL: none */
	const wsi_ops *ops;
	size_t parts;
	wsi_expression **evaluators; /* [thread]; NULL: a formula makes them */
	int n_evaluators;
	wsi_items items;
	atomic_size_t bad;      /* the first mask that is not finite; SIZE_MAX: none */
} made;

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
	for (int i = 0; i < m->n_evaluators; ++i)
		wsi_expression_destroy(m->evaluators[i]);
	free(m->evaluators);
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
		m->forms[i] = (wsi_mask){ .formula = o->formula, .param = o->formula_param,
			.numerator = (double)s.numerator, .denominator = (double)s.denominator,
			.half = 8 * s.numerator / s.denominator };
		m->lengths[i] = 2 * (size_t)m->forms[i].half + 1;
		m->offsets[i] = *taps;
		m->scales[i] = scale;
		m->frequencies[i] = o->expression[0] ? fs / scale
		                    : frequency_of(&m->forms[i], scale, fs);
		*taps += m->lengths[i];
	}
	return WS_OK;
}

static void
evaluate(made *m, wsi_expression *e, size_t i)
{
	const int64_t half = m->forms[i].half;
	double bad;
	size_t before = atomic_load(&m->bad);
	if (wsi_expression_mask(e, m->scales[i], half, m->forms[i].shift,
	                        m->values + m->offsets[i] * m->parts, &bad) > half)
		return;
	while (i < before && !atomic_compare_exchange_weak(&m->bad, &before, i))
		;
}

static void
fill(void *arg, int rank, int size)
{
	made *m = arg;
	(void)size;
	/* The longest are the last of most grids: they begin. */
	for (size_t k; wsi_items_next(&m->items, rank, &k);) {
		const size_t i = m->masks.count - 1 - k;
		if (m->evaluators) {
			evaluate(m, m->evaluators[rank], i);
			continue;
		}
		const wsi_mask_job job = { m->forms[i], 0, (int64_t)m->lengths[i],
			m->values + m->offsets[i] * m->parts };
		m->ops->conv->mask(&job);
	}
}

/* An evaluator for each thread: muParser's belong to one at a time. */
static ws_status
open_evaluators(made *m, const ws_conv_opts *o, double fs, int threads)
{
	m->evaluators = calloc((size_t)threads, sizeof *m->evaluators);
	if (!m->evaluators)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %d threads", threads);
	for (; m->n_evaluators < threads; ++m->n_evaluators)
		WSI_TRY(wsi_expression_create(&m->evaluators[m->n_evaluators], o, fs));
	return WS_OK;
}

static ws_status
refuse_values(made *m)
{
	const size_t i = atomic_load(&m->bad);
	double bad = 0.0;
	if (i == SIZE_MAX)
		return WS_OK;
	const int64_t x = wsi_expression_mask(m->evaluators[0], m->scales[i], m->forms[i].half,
	                                      m->forms[i].shift,
	                                      m->values + m->offsets[i] * m->parts, &bad);
	return WSI_FAIL(WS_E_ARG, "the expression is %g at x = %lld of mask %zu, scale %g: it must "
	                "be finite everywhere", bad, (long long)x, i + 1, m->scales[i]);
}

static ws_status
fill_all(made *m, const ws_conv_opts *o, double fs, size_t taps, int threads)
{
	if (taps <= 1 << 15)
		threads = 1;
	if (o->expression[0])
		WSI_TRY(open_evaluators(m, o, fs, threads));
	atomic_init(&m->bad, SIZE_MAX);
	wsi_worker *workers = malloc((size_t)threads * sizeof *workers);
	if (!workers)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %d threads", threads);
	wsi_pool pool;
	m->items = (wsi_items){ .count = m->masks.count };
	wsi_pool_start(&pool, threads, workers, NULL);
	wsi_pool_run(&pool, fill, m);
	wsi_pool_stop(&pool);
	free(workers);
	return refuse_values(m);
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
		if (m->lengths[i] >= (size_t)1 << 29)
			return WSI_FAIL(WS_E_ARG, "mask %zu has %zu taps when it is moved: 2^29 - "
			                "1 are the most", i + 1, m->lengths[i]);
		m->offsets[i] = *taps;
		*taps += m->lengths[i];
	}
	return WS_OK;
}

/* Number k of the values of a mask that begins at number `from`; part of either type. */
static double
given_value(const ws_masks *given, size_t from, size_t k)
{
	return wsi_type_part(given->type) == WS_F32
	       ? (double)((const float *)given->values)[from + k]
	       : ((const double *)given->values)[from + k];
}

/* One part of mask i at taps + shift; beyond its ends it is zero. */
static void
move(const made *m, const ws_masks *given, size_t i, size_t from, size_t part)
{
	const double shift = m->corrections[i].shift, whole = floor(shift);
	double weights[2 * WSI_BAND_HALF + 1];
	for (int j = -WSI_BAND_HALF; j <= WSI_BAND_HALF; ++j)
		weights[j + WSI_BAND_HALF] = band_weight((double)j - (shift - whole));
	const int64_t length = (int64_t)given->lengths[i];
	for (size_t k = 0; k < m->lengths[i]; ++k) {
		const int64_t at = (int64_t)k - (int64_t)grown(m, i) + (int64_t)whole;
		double sum = 0.0;
		for (int j = -WSI_BAND_HALF; j <= WSI_BAND_HALF; ++j)
			if (at + j >= 0 && at + j < length)
				sum = fma(weights[j + WSI_BAND_HALF],
				          given_value(given, from, (size_t)(at + j) * m->parts +
				                      part), sum);
		m->values[(m->offsets[i] + k) * m->parts + part] = sum;
	}
}

static void
fill_given(made *m, const ws_masks *given)
{
	size_t at = 0;
	for (size_t i = 0; i < given->count; at += given->lengths[i++]) {
		const size_t from = (given->offsets ? given->offsets[i] : at) * m->parts;
		for (size_t part = 0; grown(m, i) && part < m->parts; ++part)
			move(m, given, i, from, part);
		double *to = m->values + m->offsets[i] * m->parts;
		for (size_t k = 0; !grown(m, i) && k < m->lengths[i] * m->parts; ++k)
			to[k] = given_value(given, from, k);
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
			return WSI_FAIL(WS_E_ARG, "timing-error: %g samples move mask %zu of %zu "
			                "taps out of itself", c->shift, i + 1, m->lengths[i]);
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

static void
scale_taps(made *m)
{
	for (size_t i = 0; m->corrections && i < m->masks.count; ++i)
		for (size_t k = 0; k < m->lengths[i] * m->parts; ++k)
			m->values[m->offsets[i] * m->parts + k] *= m->corrections[i].factor;
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
	                       : o->formula == WS_MASK_DOPPLER ? NULL : m->frequencies;
	return WS_OK;
}

static ws_status
make_values(made *m, const ws_conv_opts *o, double fs, size_t taps, int threads, size_t memory)
{
	const size_t n = m->masks.count, bytes = taps * m->parts * sizeof *m->values;
	/* Kernels need them a second time. */
	if (memory && 2 * bytes > memory)
		return WSI_FAIL(WS_E_NOMEM, "%zu masks of %zu taps in all take %.1f MiB and %.1f "
		                "MiB may be used: allow more memory (--memory), or fewer or "
		                "smaller scales", n, taps, (double)bytes / 524288.0,
		                (double)memory / 1048576.0);
	m->values = malloc(bytes);
	if (!m->values)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks of %zu taps in all", n, taps);
	if (o->masks)
		fill_given(m, o->masks);
	else
		WSI_TRY(fill_all(m, o, fs, taps, threads));
	scale_taps(m);
	m->masks.values = m->values;
	return WS_OK;
}

static made *
create(const ws_conv_opts *o)
{
	made *m = calloc(1, sizeof *m);
	const bool complex = o->masks ? wsi_masks_complex(o->masks)
	                     : o->formula == WS_MASK_GABOR || o->imaginary[0];
	if (!m)
		return NULL;
	m->masks = (ws_masks){ .size = sizeof m->masks,
		.count = o->masks ? o->masks->count : o->scale_count,
		.type = complex ? WS_C128 : WS_F64 };
	m->parts = complex ? 2 : 1;
	return m;
}

ws_status
wsi_masks_make(ws_masks **out, const ws_conv_opts *o, double fs, const wsi_ops *ops, int threads,
               size_t memory)
{
	size_t taps;
	made *m = create(o);
	*out = NULL;
	if (!m)
		return WSI_FAIL(WS_E_NOMEM, "no memory for masks");
	m->ops = ops;
	ws_status status = lay_out_all(m, o, fs, &taps);
	if (status == WS_OK)
		status = make_values(m, o, fs, taps, threads, memory);
	if (status != WS_OK) {
		wsi_masks_free(&m->masks);
		return status;
	}
	*out = &m->masks;
	return WS_OK;
}

static ws_status
take_forms(wsi_conv_form **forms, const made *m)
{
	*forms = malloc(m->masks.count * sizeof **forms);
	if (!*forms)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->masks.count);
	for (size_t i = 0; i < m->masks.count; ++i)
		(*forms)[i] = (wsi_conv_form){ m->forms[i],
			m->corrections ? m->corrections[i].factor : 1.0 };
	return WS_OK;
}

ws_status
wsi_masks_lay_out(ws_masks **out, wsi_conv_form **forms, const ws_conv_opts *o, double fs)
{
	size_t taps;
	made *m = create(o);
	*out = NULL;
	*forms = NULL;
	if (!m)
		return WSI_FAIL(WS_E_NOMEM, "no memory for masks");
	ws_status status = lay_out_all(m, o, fs, &taps);
	if (status == WS_OK)
		status = take_forms(forms, m);
	if (status != WS_OK) {
		wsi_masks_free(&m->masks);
		return status;
	}
	*out = &m->masks;
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
