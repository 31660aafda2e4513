/* scales.c - scales of masks that are made, as exact ratios. */
#include "transform/conv/scales.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/status.h"
#include "math/exponential.h"
#include "math/gaussian.h"

/* Of numerators and denominators: products with a tap's place stay exact in f64. */
#define MOST_RATIO ((int64_t)1 << 46)
#define LOG_STEPS (1 << 20)
/* Scales below that make masks of too many taps. */
#define MOST_SCALE (1 << 25)

static int64_t
common_divisor(int64_t a, int64_t b)
{
	while (b) {
		const int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* ---- Texts ------------------------------------------------------------------------------ */

bool
wsi_digits(const char *text, int64_t *value, int *count, const char **end)
{
	*count = 0;
	for (; isdigit((unsigned char)*text); ++text, ++*count) {
		if (*count == 15)
			return false;
		*value = 10 * *value + (*text - '0');
	}
	*end = text;
	return true;
}

bool
wsi_scale_parse(const char *text, ws_ratio *r)
{
	int whole, rest = 0;
	*r = (ws_ratio){ 0, 1 };
	if (!wsi_digits(text, &r->numerator, &whole, &text))
		return false;
	if (*text == '.') {
		if (!wsi_digits(text + 1, &r->numerator, &rest, &text) || whole + rest > 15)
			return false;
		for (int i = 0; i < rest; ++i)
			r->denominator *= 10;
	} else if (*text == '/') {
		r->denominator = 0;
		if (whole == 0 || !wsi_digits(text + 1, &r->denominator, &rest, &text) || rest == 0)
			return false;
	}
	return whole + rest > 0 && *text == '\0' && r->numerator > 0 && r->denominator > 0;
}

/* Takes the first scale of a list, in lowest terms: those may fit where 75/100 does not. */
static bool
take(const char **list, ws_ratio *r)
{
	char word[40];
	const size_t width = strcspn(*list, ",");
	if (width >= sizeof word)
		return false;
	memcpy(word, *list, width);
	word[width] = '\0';
	if (!wsi_scale_parse(word, r))
		return false;
	const int64_t divisor = common_divisor(r->numerator, r->denominator);
	*r = (ws_ratio){ r->numerator / divisor, r->denominator / divisor };
	*list += width + ((*list)[width] == ',');
	return true;
}

ws_status
wsi_scales_parse(const char *list, ws_ratio **scales, size_t *count)
{
	const size_t length = strlen(list);
	size_t n = 1;
	for (const char *p = list; *p; ++p)
		n += *p == ',';
	*count = 0;
	*scales = NULL;
	if (length == 0 || list[length - 1] == ',')
		return WSI_FAIL(WS_E_ARG, "scales must be LO:HI:COUNT[:lin|log], or a list such "
		                "as 1,3/2,7/3 that does not end in a comma");
	ws_ratio *taken = malloc(n * sizeof *taken);
	if (!taken)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a list of %zu scales", n);
	for (const char *p = list; *p; ++*count) {
		const size_t width = strcspn(p, ",");
		if (!take(&p, &taken[*count])) {
			free(taken);
			return WSI_FAIL(WS_E_ARG, "scale %zu of the list, \"%.*s\", must be a "
			                "number above 0 of at most 15 digits, such as 3, 0.75 or "
			                "3/4", *count + 1, width < 40 ? (int)width : 40, p);
		}
	}
	*scales = taken;
	return WS_OK;
}

void
wsi_scales_tell(const ws_ratio *scales, size_t count, wsi_line *to)
{
	for (size_t i = 0; i < count; ++i) {
		wsi_line_put(to, "%s%lld", i ? "," : "", (long long)scales[i].numerator);
		if (scales[i].denominator != 1)
			wsi_line_put(to, "/%lld", (long long)scales[i].denominator);
	}
}

/* ---- Scales ----------------------------------------------------------------------------- */

static ws_status
check_scale(ws_ratio s)
{
	if (s.numerator <= 0 || s.denominator <= 0 || s.numerator > MOST_RATIO ||
	    s.denominator > MOST_RATIO)
		return WSI_FAIL(WS_E_ARG, "scale %lld/%lld: both must be from 1 to 2^46",
		                (long long)s.numerator, (long long)s.denominator);
	if (s.numerator / s.denominator >= MOST_SCALE)
		return WSI_FAIL(WS_E_ARG, "scale %lld/%lld: must be below 2^25",
		                (long long)s.numerator, (long long)s.denominator);
	return WS_OK;
}

/* low + i (high - low) / steps; false: numbers of more than 63 bits. */
static bool
between(ws_ratio low, ws_ratio high, int64_t i, int64_t steps, ws_ratio *s)
{
	int64_t a, b, both, first, second;
	if (__builtin_mul_overflow(low.numerator, high.denominator, &a) ||
	    __builtin_mul_overflow(high.numerator, low.denominator, &b) ||
	    __builtin_mul_overflow(low.denominator, high.denominator, &both) ||
	    __builtin_mul_overflow(a, steps - i, &first) ||
	    __builtin_mul_overflow(b, i, &second) ||
	    __builtin_add_overflow(first, second, &s->numerator) ||
	    __builtin_mul_overflow(both, steps, &s->denominator))
		return false;
	const int64_t divisor = common_divisor(s->numerator, s->denominator);
	s->numerator /= divisor;
	s->denominator /= divisor;
	return true;
}

/* low (high / low)^(i / steps), to a multiple of 1 / LOG_STEPS; the ends are exact. */
static ws_ratio
between_log(ws_ratio low, ws_ratio high, int64_t i, int64_t steps)
{
	const double a = (double)low.numerator / (double)low.denominator;
	const double b = (double)high.numerator / (double)high.denominator;
	if (i == 0 || i == steps)
		return i ? high : low;
	const double log = b < a ? gaussian_log(b / a) : -gaussian_log(a / b);
	const double s = a * exponential(log * ((double)i / (double)steps));
	const double n = floor(s * LOG_STEPS + 0.5);
	ws_ratio r = { n < 1.0 ? 1 : (int64_t)n, LOG_STEPS };
	const int64_t divisor = common_divisor(r.numerator, r.denominator);
	return (ws_ratio){ r.numerator / divisor, r.denominator / divisor };
}

wsi_scales
wsi_scales_of(const ws_conv_opts *o)
{
	return (wsi_scales){ .o = o };
}

ws_status
wsi_scale_next(wsi_scales *at, ws_ratio *s)
{
	const ws_conv_opts *o = at->o;
	const size_t i = at->i++;
	if (o->scales) {
		*s = o->scales[i];
		return check_scale(*s);
	}
	WSI_TRY(check_scale(o->scale_low));
	WSI_TRY(check_scale(o->scale_high));
	*s = o->scale_low;
	if (o->scale_count > 1) {
		const int64_t steps = (int64_t)o->scale_count - 1;
		if (o->scale_spacing == WS_SPACING_LOG)
			*s = between_log(o->scale_low, o->scale_high, (int64_t)i, steps);
		else if (!between(o->scale_low, o->scale_high, (int64_t)i, steps, s))
			return WSI_FAIL(WS_E_ARG, "`scales`: scale %zu has too many digits; round "
			                "both ends", i + 1);
	}
	return check_scale(*s);
}

/* ---- Kept ------------------------------------------------------------------------------- */

ws_status
wsi_scales_keep(ws_conv_opts *o, wsi_kept *kept)
{
	/* Beside masks that are given nobody looked at an array. */
	const bool looked_at = o->mask_formula || o->mask_expression[0];
	const ws_ratio *given = o->scales;
	ws_ratio *scales = NULL;
	if (given && looked_at) {
		scales = wsi_kept_new(kept, o->scale_count, sizeof *scales);
		if (!scales)
			return WSI_FAIL(WS_E_NOMEM, "no memory for a list of %zu scales",
			                o->scale_count);
		memcpy(scales, given, o->scale_count * sizeof *scales);
	}
	o->scales = scales;
	return WS_OK;
}
