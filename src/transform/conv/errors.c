/*
 * errors.c - errors of an instrument as functions of scale or frequency, and what masks are
 * changed by so that responses are those without them.
 */
#include "transform/conv/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "math/exponential.h"
#include "math/gaussian.h"
#include "transform/conv/expression.h"
#include "transform/options.h"

#define MOST_POINTS 64
/* Jitter that leaves less of a tone cannot be made good. */
#define LEAST_LEFT 1e-3

typedef struct curve {
	enum { CONSTANT, POWER, TABLE, PHASE_NOISE, EXPRESSION, VALUES, FUNCTION } kind;
	bool of_frequency;
	double value, power;    /* value x^power; of phase noise the carrier, Hz */
	size_t n;
	double at[MOST_POINTS], y[MOST_POINTS];
	wsi_expression *expression; /* opened for the masks; or NULL */
	const char *rest;       /* of the values: those of masks to come */
} curve;

static const char *const names[WS_ERRORS] = {
	"`amplitude_error`", "`timing_error`", "`timing_jitter`"
};

struct wsi_errors {
	curve curves[WS_ERRORS];
	const ws_conv_opts *o;
	double fs;
};

/* ---- Texts ----------------------------------------------------------------------------------- */

static bool
number(const char *from, size_t n, double *v)
{
	char text[64];
	if (n == 0 || n >= sizeof text)
		return false;
	memcpy(text, from, n);
	text[n] = '\0';
	return wsi_parse_real(text, v);
}

/* "1=0.99,50=0.9", rising */
static bool
table(curve *c, const char *text)
{
	for (const char *p = text;; ++p) {
		const size_t rest = strcspn(p, ","), to = strcspn(p, "=");
		if (c->n == MOST_POINTS || to >= rest || !number(p, to, &c->at[c->n]) ||
		    !number(p + to + 1, rest - to - 1, &c->y[c->n]) || !(c->at[c->n] > 0.0) ||
		    (c->n > 0 && !(c->at[c->n] > c->at[c->n - 1])))
			return false;
		c->n++;
		p += rest;
		if (!*p)
			return true;
	}
}

/* The first of numbers with commas. */
static bool
next_value(const char **rest, double *v)
{
	const size_t n = strcspn(*rest, ",");
	if (!number(*rest, n, v))
		return false;
	*rest += n + ((*rest)[n] == ',');
	return true;
}

bool
wsi_errors_are_values(const char *text)
{
	const size_t n = strlen(text);
	double v;
	while (*text)
		if (!next_value(&text, &v))
			return false;
	return n > 0 && text[-1] != ',';
}

/* After "scale" or "frequency": "^P:C" or ":X=Y,.." */
static bool
dependent(curve *c, const char *text)
{
	if (*text == ':') {
		c->kind = TABLE;
		return table(c, text + 1);
	}
	const size_t n = strcspn(text, ":");
	c->kind = POWER;
	return *text == '^' && text[n] && number(text + 1, n - 1, &c->power) &&
	       fabs(c->power) <= 8.0 && number(text + n + 1, strlen(text + n + 1), &c->value);
}

/* What follows "expression:"; NULL: another form. */
static const char *
expression_of(const char *text)
{
	static const char prefix[] = "expression:";
	return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : NULL;
}

static bool
parse(curve *c, const char *text)
{
	*c = (curve){ .kind = CONSTANT };
	const char *words = expression_of(text);
	if (words) {
		c->kind = EXPRESSION;
		return words[strspn(words, " ")] != '\0';
	}
	if (strncmp(text, "scale", 5) == 0)
		return dependent(c, text + 5);
	if (strncmp(text, "frequency", 9) == 0) {
		c->of_frequency = true;
		return dependent(c, text + 9);
	}
	if (strncmp(text, "phase-noise:", 12) == 0) {
		const char *p = text + 12;
		const size_t n = strcspn(p, ":");
		c->kind = PHASE_NOISE;
		return p[n] && number(p, n, &c->value) && c->value > 0.0 && table(c, p + n + 1) &&
		       c->n > 1;
	}
	return number(text, strlen(text), &c->value);
}

#define FORMS "a number, scale^P:C, frequency^P:C, a table such as frequency:1=0.99,50=0.9, or " \
	"expression:TEXT of s and f, or masks:V,V,.. of each mask"

ws_status
wsi_errors_check_amplitude(const char *text)
{
	curve c;
	if (*text && (!parse(&c, text) || c.kind == PHASE_NOISE))
		return WSI_FAIL(WS_E_ARG, "must be " FORMS);
	return WS_OK;
}

ws_status
wsi_errors_check_timing(const char *text)
{
	return wsi_errors_check_amplitude(text);
}

ws_status
wsi_errors_check_jitter(const char *text)
{
	curve c;
	if (*text && !parse(&c, text))
		return WSI_FAIL(WS_E_ARG, "must be " FORMS ", or "
		                "phase-noise:CARRIER:HZ=DBC,HZ=DBC..");
	return WS_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* x > 0 */
static double
logarithm(double x)
{
	return x <= 1.0 ? gaussian_log(x) : -gaussian_log(1.0 / x);
}

/* Straight between points, level beyond them. */
static double
look_up(const curve *c, double x)
{
	size_t i = 0;
	while (i < c->n && c->at[i] < x)
		i++;
	if (i == 0 || i == c->n)
		return c->y[i ? c->n - 1 : 0];
	const double t = (x - c->at[i - 1]) / (c->at[i] - c->at[i - 1]);
	return c->y[i - 1] + t * (c->y[i] - c->y[i - 1]);
}

/* Rms jitter, s, of an oscillator whose single-sideband phase noise is L(f), dB below the carrier
 * in 1 Hz: sqrt(2 integral of 10^(L/10) df) / (2 pi carrier).  Between points L is straight in dB
 * over log f, which is integrated exactly. */
static double
jitter_of(const curve *c)
{
	const double ln10 = 0x1.26bb1bbb55516p1, turn = 0x1.921fb54442d18p2;
	double area = 0.0;
	for (size_t i = 0; i + 1 < c->n; ++i) {
		const double a = exponential(c->y[i] / 10.0 * ln10);
		const double b = exponential(c->y[i + 1] / 10.0 * ln10);
		const double ratio = logarithm(c->at[i + 1] / c->at[i]);
		/* a (f / f0)^p from f0 to f1 */
		const double p = logarithm(b / a) / ratio;
		area += fabs(p + 1.0) < 1e-9 ? a * c->at[i] * ratio
		        : (b * c->at[i + 1] - a * c->at[i]) / (p + 1.0);
	}
	return sqrt(2.0 * area) / (turn * c->value);
}

static const char *
text_of(const ws_conv_opts *o, int kind)
{
	return kind == WS_ERROR_AMPLITUDE ? o->amplitude_error
	       : kind == WS_ERROR_TIMING ? o->timing_error : o->timing_jitter;
}

static bool
given(const ws_conv_opts *o, int kind)
{
	return o->error_function[kind] || o->error_values[kind] || text_of(o, kind)[0];
}

bool
wsi_errors_any(const ws_conv_opts *o)
{
	return given(o, WS_ERROR_AMPLITUDE) || given(o, WS_ERROR_TIMING) ||
	       given(o, WS_ERROR_JITTER);
}

static ws_status
value_of(double *v, wsi_errors *e, int kind, double s, double f, size_t mask)
{
	curve *c = &e->curves[kind];
	const bool of_curve = c->kind == POWER || c->kind == TABLE, by = c->kind == EXPRESSION;
	const bool scale = by ? wsi_expression_needs_scale(c->expression)
	                   : of_curve && !c->of_frequency;
	const bool frequency = by ? wsi_expression_needs_frequency(c->expression)
	                       : of_curve && c->of_frequency;
	if ((scale && !(s > 0.0)) || (frequency && !(f > 0.0)))
		return WSI_FAIL(WS_E_ARG, "%s depends on the %s, and mask %zu has none",
		                names[kind], scale && !(s > 0.0) ? "scale" : "frequency",
		                WSI_NO(mask));
	const double x = c->of_frequency ? f : s;
	switch (c->kind) {
	case POWER: *v = c->value * exponential(c->power * logarithm(x)); break;
	case TABLE: *v = look_up(c, x); break;
	case PHASE_NOISE: *v = jitter_of(c); break;
	case FUNCTION: *v = e->o->error_function[kind](e->o->error_user, s, f); break;
	case EXPRESSION: *v = wsi_expression_value(c->expression, s, f); break;
	case VALUES:
		if (!next_value(&c->rest, v))
			return WSI_FAIL(WS_E_ARG, "%s: the value of mask %zu is no number",
			                names[kind], WSI_NO(mask));
		break;
	default: *v = c->value; break;
	}
	return WS_OK;
}

ws_status
wsi_errors_of(wsi_correction *c, wsi_errors *e, double s, double f, size_t mask)
{
	double v;
	*c = (wsi_correction){ .factor = 1.0 };
	if (given(e->o, WS_ERROR_AMPLITUDE)) {
		WSI_TRY(value_of(&v, e, WS_ERROR_AMPLITUDE, s, f, mask));
		c->error[WS_ERROR_AMPLITUDE] = v;
		if (!(v > 0.0 && v <= 1e6 && 1.0 / v <= 1e6))
			return WSI_FAIL(WS_E_ARG, "`amplitude_error`: a gain of %g for mask %zu; "
			                "it must be from 1e-6 to 1e6", v, WSI_NO(mask));
		c->factor = 1.0 / v;
	}
	if (given(e->o, WS_ERROR_JITTER)) {
		WSI_TRY(value_of(&v, e, WS_ERROR_JITTER, s, f, mask));
		c->error[WS_ERROR_JITTER] = v;
		if (!(v >= 0.0))
			return WSI_FAIL(WS_E_ARG, "`timing_jitter`: %g s for mask %zu; it must be "
			                "0 or more", v, WSI_NO(mask));
		if (!(f > 0.0))
			return WSI_FAIL(WS_E_ARG, "`timing_jitter` depends on the frequency, and "
			                "mask %zu has none", WSI_NO(mask));
		const double phase = 0x1.921fb54442d18p2 * f * v;
		const double left = exponential(-0.5 * phase * phase);
		if (!(left >= LEAST_LEFT))
			return WSI_FAIL(WS_E_ARG, "`timing_jitter`: %g s leave %g of a tone of %g "
			                "Hz, too little to be made good", v, left, f);
		c->factor /= left;
	}
	if (given(e->o, WS_ERROR_TIMING)) {
		WSI_TRY(value_of(&v, e, WS_ERROR_TIMING, s, f, mask));
		c->error[WS_ERROR_TIMING] = v;
		c->shift = v * e->fs;
		if (!(fabs(c->shift) <= 1e6))
			return WSI_FAIL(WS_E_ARG, "`timing_error`: %g s are %g samples for mask "
			                "%zu; 1e6 are the most", v, c->shift, WSI_NO(mask));
	}
	return WS_OK;
}

/* ---- Of options ------------------------------------------------------------------------------ */

bool
wsi_errors_by_expression(const ws_conv_opts *o)
{
	return expression_of(o->amplitude_error) || expression_of(o->timing_error) ||
	       expression_of(o->timing_jitter);
}

static ws_status
open_values(curve *c, int kind, const char *values, size_t masks)
{
	size_t n = 1;
	for (const char *p = values; *p; ++p)
		n += *p == ',';
	if (!wsi_errors_are_values(values) || n != masks)
		return WSI_FAIL(WS_E_ARG, "%s: %zu values for %zu masks; each needs one number",
		                names[kind], n, masks);
	c->kind = VALUES;
	c->rest = values;
	return WS_OK;
}

static ws_status
open_one(wsi_errors *e, int kind, size_t masks)
{
	const ws_conv_opts *o = e->o;
	curve *c = &e->curves[kind];
	const char *text = text_of(o, kind);
	if (!given(o, kind))
		return WS_OK;
	if (!!*text + !!o->error_function[kind] + !!o->error_values[kind] > 1)
		return WSI_FAIL(WS_E_ARG, "%s is given in two ways: leave out one", names[kind]);
	if (o->error_values[kind])
		return open_values(c, kind, o->error_values[kind], masks);
	if (o->error_function[kind]) {
		c->kind = FUNCTION;
		return WS_OK;
	}
	if (!parse(c, text))
		return WSI_FAIL(WS_E_ARG, "%s: \"%.80s\" is not understood", names[kind], text);
	if (c->kind != EXPRESSION)
		return WS_OK;
	return wsi_expression_of_mask(&c->expression, names[kind], expression_of(text),
	                              o->mask_constants, e->fs);
}

ws_status
wsi_errors_open(wsi_errors **out, const ws_conv_opts *o, double fs, size_t masks)
{
	wsi_errors *e = calloc(1, sizeof *e);
	*out = NULL;
	if (!e)
		return WSI_FAIL(WS_E_NOMEM, "no memory for errors of the instrument");
	e->o = o;
	e->fs = fs;
	for (int kind = 0; kind < WS_ERRORS; ++kind) {
		const ws_status status = open_one(e, kind, masks);
		if (status != WS_OK) {
			wsi_errors_close(e);
			return status;
		}
	}
	*out = e;
	return WS_OK;
}

void
wsi_errors_close(wsi_errors *e)
{
	for (int kind = 0; e && kind < WS_ERRORS; ++kind)
		wsi_expression_destroy(e->curves[kind].expression);
	free(e);
}
