/* options.c - options by their descriptors: set from text, and told as text. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/calendar.h"
#include "base/status.h"
#include "math/logarithm.h"
#include "transform/options.h"

/* ---- Fields ------------------------------------------------------------------------------- */

/* Below it a lower bound means "above 0". */
#define TINY 1e-300

static void *
field_of(const ws_option *o, void *opts)
{
	return (char *)opts + o->offset;
}

static ws_status
set_whole(const ws_option *o, void *opts, const char *text)
{
	char *end;
	errno = 0;
	const long long v = strtoll(text, &end, 10);
	const bool whole = end != text && *end == '\0' && errno == 0 &&
	                   !isspace((unsigned char)*text);
	if (o->kind == WS_OPTION_U64) {
		if (!whole || v < 0 || (double)v < o->low)
			return WSI_FAIL(WS_E_ARG, "a whole number of %.0f or more is needed",
			                o->low);
		*(uint64_t *)field_of(o, opts) = (uint64_t)v;
		return WS_OK;
	}
	if (!whole || (double)v < o->low || (double)v > o->high)
		return WSI_FAIL(WS_E_ARG, "a whole number from %.0f to %.0f is needed", o->low,
		                o->high);
	*(int *)field_of(o, opts) = (int)v;
	return WS_OK;
}

int
wsi_take_apart(const char *text, char separator, char (*parts)[WSI_PART], int most)
{
	const char end[] = { separator, '\0' };
	for (int n = 0; n < most; ++n) {
		const size_t width = strcspn(text, end);
		if (width >= WSI_PART)
			return 0;
		memcpy(parts[n], text, width);
		parts[n][width] = '\0';
		if (!text[width])
			return n + 1;
		text += width + 1;
	}
	return 0;
}

bool
wsi_parse_real(const char *text, double *value)
{
	char *end;
	wsi_c_locale l;
	wsi_c_locale_enter(&l);
	*value = strtod(text, &end);
	wsi_c_locale_leave(&l);
	return end != text && *end == '\0' && !isspace((unsigned char)*text) && isfinite(*value);
}

const char *
wsi_tell_frequency(double f, double fs, char text[WSI_FREQUENCY_TEXT])
{
	if (fs < 1e-4)
		snprintf(text, WSI_FREQUENCY_TEXT, "%.4g/y", f * WSI_YEAR);
	else
		snprintf(text, WSI_FREQUENCY_TEXT, "%g Hz", f);
	return text;
}

bool
wsi_parse_frequency(const char *text, double *value)
{
	static const struct { const char *name; double seconds; } times[] = {
		{ "s", 1.0 }, { "min", 60.0 }, { "h", 3600.0 }, { "d", WSI_DAY },
		{ "y", WSI_YEAR }, { "day", WSI_DAY }, { "year", WSI_YEAR },
	};
	char number[64];
	const size_t width = strcspn(text, "/");
	if (!text[width])
		return wsi_parse_real(text, value);
	if (width >= sizeof number)
		return false;
	memcpy(number, text, width);
	number[width] = '\0';
	for (size_t i = 0; i < sizeof times / sizeof *times; ++i)
		if (strcmp(text + width + 1, times[i].name) == 0) {
			const bool good = wsi_parse_real(number, value);
			*value /= times[i].seconds;
			return good;
		}
	return false;
}

static ws_status
set_real(const ws_option *o, void *opts, const char *text)
{
	double v;
	if (!wsi_parse_real(text, &v) || v < o->low || v > o->high) {
		if (o->high < HUGE_VAL)
			return WSI_FAIL(WS_E_ARG, "a number from %g to %.12g is needed", o->low,
			                o->high);
		return WSI_FAIL(WS_E_ARG, o->low > 0.0 && o->low < TINY
		                ? "a number above %g is needed"
		                : "a number of %g or more is needed", o->low < TINY ? 0.0 : o->low);
	}
	*(double *)field_of(o, opts) = v == 0.0 ? o->zero : v;
	return WS_OK;
}

/* "a, b or c" */
static void
choice_names(const ws_choice *choices, char *text, size_t size)
{
	size_t used = 0;
	*text = '\0';
	for (const ws_choice *c = choices; c->name && used < size; ++c)
		used += (size_t)snprintf(text + used, size - used, "%s%s", c == choices ? ""
		                         : c[1].name ? ", " : " or ", c->name);
}

const ws_choice *
wsi_choice_of(const ws_choice *choices, const char *text, size_t length)
{
	for (const ws_choice *c = choices; c->name; ++c)
		if (strlen(c->name) == length && strncmp(c->name, text, length) == 0)
			return c;
	return NULL;
}

const char *
wsi_choice_name(const ws_choice *choices, int value)
{
	for (const ws_choice *c = choices; c->name; ++c)
		if (c->value == value)
			return c->name;
	return "";
}

ws_status
wsi_choice_take(const ws_choice **choice, const ws_choice *choices, const char *text,
                size_t length)
{
	char names[256];
	*choice = wsi_choice_of(choices, text, length);
	if (*choice)
		return WS_OK;
	choice_names(choices, names, sizeof names);
	return WSI_FAIL(WS_E_ARG, "must be %s", names);
}

static ws_status
set_choice(const ws_option *o, void *opts, const char *text)
{
	const ws_choice *c;
	WSI_TRY(wsi_choice_take(&c, o->choices, text, strlen(text)));
	*(int *)field_of(o, opts) = c->value;
	return WS_OK;
}

/* ---- Of several fields ------------------------------------------------------------------ */

const ws_choice wsi_spacings[] = {
	{ "log", WS_SPACING_LOG }, { "lin", WS_SPACING_LINEAR }, { NULL, 0 },
};

size_t
wsi_range_count(const ws_range *r, double an_octave)
{
	const bool good = r->low > 0.0 && r->high > r->low && r->high / r->low < HUGE_VAL;
	const double octaves = good ? portable_log(r->high / r->low) * 1.4426950408889634 : 0.0;
	return (size_t)fmax(1.0, floor(octaves * an_octave + 0.5));
}

ws_status
wsi_range_set(const ws_option *o, void *opts, const char *text)
{
	char part[4][WSI_PART];
	ws_range r = { .spacing = 0 };
	double count = 0.0;
	const int n = wsi_take_apart(text, ':', part, 4);
	const bool low = n >= 2 && *part[0], high = n >= 2 && *part[1];
	bool good = n >= 2 && (!low || (wsi_parse_frequency(part[0], &r.low) && r.low >= o->low)) &&
	            (!high || (wsi_parse_frequency(part[1], &r.high) && r.high >= r.low));
	for (int i = 2; good && i < n; ++i) {
		const ws_choice *c = wsi_choice_of(wsi_spacings, part[i], strlen(part[i]));
		if (c)
			r.spacing = (ws_spacing)c->value;
		else
			good = i == 2 && wsi_parse_real(part[i], &count) && count >= 1.0 &&
			       count == floor(count) && count <= o->high;
	}
	if (!good && strchr(text, '/'))
		return WSI_FAIL(WS_E_ARG, "LOW:HIGH is needed, LOW < HIGH, each with its own unit "
		                "of s, min, h, d or y, such as 0.05/y:2/y%s", o->low > 0.0
		                ? ", or a list, such as 0.1/y,0.5/y" : "");
	if (!good || (r.spacing == WS_SPACING_LINEAR && count == 0.0))
		return WSI_FAIL(WS_E_ARG, "LOW:HIGH, LOW:HIGH:COUNT or LOW:HIGH:COUNT:lin is "
		                "needed, LOW < HIGH, such as 1:100 or 1:40:79:lin%s",
		                o->low > 0.0 ? ", or a list, such as 4,8,12.5" : "");
	if (low && r.low == 0.0 && r.spacing != WS_SPACING_LINEAR)
		return WSI_FAIL(WS_E_ARG, "logarithmic bins cannot begin at 0: give a LOW above "
		                "it, or give their number and lin, such as 0:40:80:lin");
	if (o->zero > 0.0 && !r.spacing)
		r.spacing = WS_SPACING_LOG;
	r.count = (size_t)count;
	if (!r.count && o->zero > 0.0 && low && high)
		r.count = wsi_range_count(&r, o->zero);
	*(ws_range *)field_of(o, opts) = r;
	return WS_OK;
}

void
wsi_range_tell(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_range *r = (const void *)((const char *)opts + o->offset);
	if (r->low == 0.0 && r->high == 0.0 && !r->count)
		return;
	if (r->low != 0.0 || (r->high != 0.0 && o->low == 0.0))
		wsi_line_put_real(to, r->low);
	wsi_line_put(to, ":");
	if (r->high != 0.0)
		wsi_line_put_real(to, r->high);
	if (r->count)
		wsi_line_put(to, ":%zu", r->count);
	if (r->count && (o->zero > 0.0 || r->spacing == WS_SPACING_LINEAR))
		wsi_line_put(to, r->spacing == WS_SPACING_LINEAR ? ":lin" : ":log");
}

void
wsi_list_put(const wsi_list *o, void *opts, void *list, size_t count)
{
	void **field = (void **)(void *)((char *)opts + o->list);
	free(*field);
	*field = list;
	*(size_t *)(void *)((char *)opts + o->count) = count;
}

ws_status
wsi_list_set(const ws_option *o, void *opts, const char *text)
{
	size_t n = 1;
	for (const char *p = text; *p; ++p)
		n += *p == ',';
	double *list = malloc(n * sizeof *list);
	if (!list)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a list of %zu numbers", n);
	bool good = true;
	for (size_t i = 0; i < n && good; ++i) {
		char number[WSI_PART];
		const size_t width = strcspn(text, ",");
		good = width < sizeof number;
		memcpy(number, text, good ? width : 0);
		number[good ? width : 0] = '\0';
		good = good && (o->high > 0.0 ? wsi_parse_frequency(number, &list[i])
		                : wsi_parse_real(number, &list[i])) && list[i] > 0.0;
		text += width + (text[width] == ',');
	}
	if (!good) {
		free(list);
		return WSI_FAIL(WS_E_ARG, "numbers above 0 are needed, such as 4,8,12.5%s",
		                o->high > 0.0 ? ", or 0.1/y,0.5/y of s, min, h, d or y" : "");
	}
	wsi_list_put(wsi_list_of(o), opts, list, n);
	return WS_OK;
}

void
wsi_list_tell(const ws_option *o, const void *opts, wsi_line *to)
{
	const wsi_list *t = wsi_list_of(o);
	const double *list = *(const double *const *)(const void *)((const char *)opts + t->list);
	const size_t n = *(const size_t *)(const void *)((const char *)opts + t->count);
	for (size_t i = 0; list && i < n; ++i) {
		wsi_line_put(to, i ? "," : "");
		wsi_line_put_real(to, list[i]);
	}
}

ws_status
wsi_names_set(const ws_option *o, void *opts, const char *text)
{
	int all = 0;
	for (const char *p = text;; ++p) {
		const size_t width = strcspn(p, ",");
		const ws_choice *c = wsi_choice_of(o->choices, p, width);
		if (!c) {
			char names[256];
			choice_names(o->choices, names, sizeof names);
			return WSI_FAIL(WS_E_ARG, "must be some of %s, with commas", names);
		}
		all |= c->value;
		p += width;
		if (!*p)
			break;
	}
	*(int *)field_of(o, opts) = all;
	return WS_OK;
}

void
wsi_names_tell(const ws_option *o, const void *opts, wsi_line *to)
{
	const int all = *(const int *)(const void *)((const char *)opts + o->offset);
	const char *comma = "";
	for (const ws_choice *c = o->choices; c->name; ++c)
		if (all & c->value) {
			wsi_line_put(to, "%s%s", comma, c->name);
			comma = ",";
		}
}

int
wsi_take_params(const char *text, double *p, int most)
{
	char part[4][WSI_PART];
	const size_t length = strcspn(text, ":");
	if (!text[length])
		return 0;
	const int n = wsi_take_apart(text + length + 1, ',', part, most);
	for (int i = 0; i < n; ++i)
		if (!wsi_parse_real(part[i], &p[i]))
			return -1;
	return n > 0 ? n : most + 1;
}

void
wsi_params_tell(const ws_choice *choices, int value, const double *p, int n, wsi_line *to)
{
	wsi_line_put(to, "%s", wsi_choice_name(choices, value));
	for (int i = 0; value && i < n && p[i] != 0.0; ++i) {
		wsi_line_put(to, i ? "," : ":");
		wsi_line_put_real(to, p[i]);
	}
}

/* ---- Any option ------------------------------------------------------------------------- */

ws_status
ws_option_set(const ws_option *o, void *opts, const char *text)
{
	if (!o || !opts || (!text && o->kind != WS_OPTION_FLAG))
		return WSI_FAIL(WS_E_ARG, "ws_option_set: option, opts and text must not be NULL");
	switch (o->kind) {
	case WS_OPTION_FLAG:
		*(int *)field_of(o, opts) = 1;
		return WS_OK;
	case WS_OPTION_INT:
	case WS_OPTION_U64:
		return set_whole(o, opts, text);
	case WS_OPTION_REAL:
		return set_real(o, opts, text);
	case WS_OPTION_CHOICE:
		return set_choice(o, opts, text);
	case WS_OPTION_TEXT:
	case WS_OPTION_RANGE:
	case WS_OPTION_LIST:
		return wsi_text_of(o)->set(o, opts, text);
	case WS_OPTION_ARRAY:
		if (o->choices)
			return set_choice(o, opts, text);
		/* fall through */
	default:
		return WSI_FAIL(WS_E_ARG, "is an array, and cannot be set from text");
	}
}

void
ws_options_free(const ws_transform *transform, void *opts)
{
	const ws_option *o;
	for (int i = 0; opts && (o = ws_transform_option(transform, i)); ++i)
		if ((o->kind == WS_OPTION_RANGE || o->kind == WS_OPTION_LIST) &&
		    wsi_list_of(o)->list)
			wsi_list_put(wsi_list_of(o), opts, NULL, 0);
}

size_t
ws_option_text(const ws_option *o, const void *opts, char *text, size_t size)
{
	wsi_line to = wsi_line_in(text, text ? size : 0);
	if (!o || !opts)
		return 0;
	const void *field = (const char *)opts + o->offset;
	switch (o->kind) {
	case WS_OPTION_FLAG:
	case WS_OPTION_INT:
		if (*(const int *)field)
			wsi_line_put(&to, "%d", *(const int *)field);
		break;
	case WS_OPTION_U64:
		if (*(const uint64_t *)field)
			wsi_line_put(&to, "%llu",
			             (unsigned long long)*(const uint64_t *)field);
		break;
	case WS_OPTION_REAL:
		if (*(const double *)field != 0.0)
			wsi_line_put_real(&to, *(const double *)field == o->zero ? 0.0
			                  : *(const double *)field);
		break;
	case WS_OPTION_ARRAY:
		if (!o->choices)
			break;
		/* fall through */
	case WS_OPTION_CHOICE:
		wsi_line_put(&to, "%s", wsi_choice_name(o->choices, *(const int *)field));
		break;
	case WS_OPTION_TEXT:
	case WS_OPTION_RANGE:
	case WS_OPTION_LIST:
		wsi_text_of(o)->tell(o, opts, &to);
		break;
	default:
		break;
	}
	return to.used;
}
