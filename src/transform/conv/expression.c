/*
 * expression.c - masks, and errors, by an expression of the user, evaluated by muParser on
 * the host.
 */
#define _GNU_SOURCE /* RTLD_NODELETE */
#include "transform/conv/expression.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/status.h"
#include "transform/options.h"

/* The functions of muParser's C interface (muParserDLL.h) that are called. */
typedef struct parser_library {
	void *file;
	void *(*create)(int base);
	void (*release)(void *parser);
	void (*set_expression)(void *parser, const char *text);
	void (*define_variable)(void *parser, const char *name, double *value);
	void (*define_constant)(void *parser, const char *name, double value);
	double (*evaluate)(void *parser);
	int (*failed)(void *parser);
	const char *(*message)(void *parser);
} parser_library;

struct wsi_expression {
	parser_library library;
	void *parsers[2];       /* of the real and the imaginary part; or NULL */
	double x, s, f, fs;
	const char *option;     /* of messages; NULL: a mask's */
	bool needs_scale, needs_frequency; /* of an expression of both */
};

/* The function of that name; POSIX lets a pointer to data be one to a function. */
#define FIND(l, member, name) (*(void **)&(l)->member = dlsym((l)->file, name))

static ws_status
open_library(parser_library *l)
{
	/* C++ may hold on to what it unloads. */
	const int how = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
	l->file = dlopen("libmuparser.so.2", how);
	if (!l->file)
		l->file = dlopen("libmuparser.so", how);
	if (!l->file)
		return WSI_FAIL(WS_E_UNSUPPORTED, "expressions need muParser, and there is no "
		                "libmuparser.so.2: install it (Debian: libmuparser2v5), or give "
		                "the masks as a file");
	if (!FIND(l, create, "mupCreate") || !FIND(l, release, "mupRelease") ||
	    !FIND(l, set_expression, "mupSetExpr") || !FIND(l, define_variable, "mupDefineVar") ||
	    !FIND(l, define_constant, "mupDefineConst") || !FIND(l, evaluate, "mupEval") ||
	    !FIND(l, failed, "mupError") || !FIND(l, message, "mupGetErrorMsg"))
		return WSI_FAIL(WS_E_UNSUPPORTED, "libmuparser.so.2 lacks functions that "
		                "expressions need: install muParser 2.3");
	return WS_OK;
}

/* What muParser says went wrong last, in one line. */
static ws_status
refuse(const wsi_expression *e, void *parser, const char *text)
{
	char said[160];
	snprintf(said, sizeof said, "%s", e->library.message(parser));
	/* So it calls an exception that is not its own, such as that of memory that runs out. */
	if (strncmp(said, "Internal error", 14) == 0)
		return WSI_FAIL(WS_E_NOMEM, "muParser failed at the expression \"%.80s\"; is there "
		                "enough memory?", text);
	for (char *c = said; *c; ++c)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	return WSI_FAIL(WS_E_ARG, "%s%sthe expression \"%.80s\" does not parse: %s (known are %ss, "
	                "f, fs, pi, e, what `mask_constants` names, and the functions of muParser)",
	                e->option ? e->option : "", e->option ? ": " : "", text, said,
	                e->option ? "" : "x, ");
}

/* "w=5,b=0.5" */
static ws_status
define_constants(const wsi_expression *e, void *parser, const char *text)
{
	static const char *const taken[] = { "x", "s", "f", "fs", "pi", "e" };
	for (const char *p = text; p && *p;) {
		char name[32], value[64];
		double v;
		const size_t n = strcspn(p, "="), rest = strcspn(p, ",");
		bool good = n > 0 && n < rest && n < sizeof name && rest - n < sizeof value;
		for (size_t i = 0; good && i < n; ++i)
			good = isalpha((unsigned char)p[i]) || p[i] == '_' ||
			       (i > 0 && isdigit((unsigned char)p[i]));
		if (good) {
			memcpy(name, p, n);
			name[n] = '\0';
			memcpy(value, p + n + 1, rest - n - 1);
			value[rest - n - 1] = '\0';
			good = wsi_parse_real(value, &v);
		}
		for (size_t i = 0; good && i < sizeof taken / sizeof *taken; ++i)
			good = strcmp(name, taken[i]) != 0;
		if (!good)
			return WSI_FAIL(WS_E_ARG, "`mask_constants`: \"%.*s\" must be NAME=NUMBER, "
			                "and not one of x, s, f, fs, pi and e", (int)(rest < 80
			                ? rest : 80), p);
		e->library.define_constant(parser, name, v);
		if (e->library.failed(parser))
			return WSI_FAIL(WS_E_ARG, "`mask_constants`: %s is no name that muParser "
			                "takes", name);
		p += rest + (p[rest] == ',');
	}
	return WS_OK;
}

/* variables: which of x, s and f are known. */
static ws_status
open_parser(wsi_expression *e, int part, const char *text, const char *constants,
            const char *variables)
{
	const parser_library *l = &e->library;
	void *p = e->parsers[part] = l->create(0);
	if (!p)
		return WSI_FAIL(WS_E_NOMEM, "no memory for the expression");
	if (strchr(variables, 'x'))
		l->define_variable(p, "x", &e->x);
	if (strchr(variables, 's'))
		l->define_variable(p, "s", &e->s);
	if (strchr(variables, 'f'))
		l->define_variable(p, "f", &e->f);
	l->define_constant(p, "fs", e->fs);
	l->define_constant(p, "pi", 0x1.921fb54442d18p1);
	l->define_constant(p, "e", 0x1.5bf0a8b145769p1);
	WSI_TRY(define_constants(e, p, constants));
	l->set_expression(p, text);
	/* It is parsed when it is evaluated. */
	e->x = 1.0;
	e->s = 1.0;
	e->f = e->fs;
	l->evaluate(p);
	return l->failed(p) ? refuse(e, p, text) : WS_OK;
}

/* An expression without parsers, and the C locale, in which these are made; end() is due. */
static ws_status
begin(wsi_expression **out, double fs, wsi_c_locale *locale)
{
	*out = calloc(1, sizeof **out);
	wsi_c_locale_enter(locale);
	if (!*out)
		return WSI_FAIL(WS_E_NOMEM, "no memory for the expression");
	(*out)->fs = fs;
	return open_library(&(*out)->library);
}

static ws_status
end(wsi_expression **e, wsi_c_locale *locale, ws_status status)
{
	wsi_c_locale_leave(locale);
	if (status != WS_OK) {
		wsi_expression_destroy(*e);
		*e = NULL;
	}
	return status;
}

ws_status
wsi_expression_create(wsi_expression **e, const ws_conv_opts *o, double fs)
{
	wsi_c_locale locale;
	ws_status status = begin(e, fs, &locale);
	if (status == WS_OK)
		status = open_parser(*e, 0, o->mask_expression, o->mask_constants, "xsf");
	if (status == WS_OK && o->mask_imaginary[0])
		status = open_parser(*e, 1, o->mask_imaginary, o->mask_constants, "xsf");
	return end(e, &locale, status);
}

void
wsi_expression_destroy(wsi_expression *e)
{
	for (int i = 0; e && i < 2; ++i)
		if (e->parsers[i])
			e->library.release(e->parsers[i]);
	if (e && e->library.file)
		dlclose(e->library.file);
	free(e);
}

size_t
wsi_expression_mask(wsi_expression *e, double s, int64_t from, size_t count, double shift,
                    double *values, double *bad)
{
	const int parts = e->parsers[1] ? 2 : 1;
	for (size_t i = 0; i < count; ++i)
		for (int p = 0; p < parts; ++p) {
			/* An expression may assign to them. */
			e->x = (double)(from + (int64_t)i) + shift;
			e->s = s;
			e->f = e->fs / s;
			const double v = e->library.evaluate(e->parsers[p]);
			if (e->library.failed(e->parsers[p]) || !isfinite(v)) {
				*bad = isnan(v) ? fabs(v) : v;
				return i;
			}
			*values++ = v;
		}
	return count;
}

/* Does an expression that parses depend on what `others` leaves out?  Only then it does not parse
 * without. */
static bool
needs_more(wsi_expression *e, const char *text, const char *constants, const char *others)
{
	const bool more = open_parser(e, 1, text, constants, others) != WS_OK;
	if (e->parsers[1])
		e->library.release(e->parsers[1]);
	e->parsers[1] = NULL;
	return more;
}

ws_status
wsi_expression_of_mask(wsi_expression **out, const char *option, const char *text,
                       const char *constants, double fs)
{
	wsi_c_locale locale;
	ws_status status = begin(out, fs, &locale);
	wsi_expression *e = *out;
	if (status == WS_OK) {
		e->option = option;
		status = open_parser(e, 0, text, constants, "sf");
	}
	if (status == WS_OK) {
		e->needs_scale = needs_more(e, text, constants, "f");
		e->needs_frequency = needs_more(e, text, constants, "s");
	}
	return end(out, &locale, status);
}

bool
wsi_expression_needs_scale(const wsi_expression *e)
{
	return e->needs_scale;
}

bool
wsi_expression_needs_frequency(const wsi_expression *e)
{
	return e->needs_frequency;
}

double
wsi_expression_value(wsi_expression *e, double s, double f)
{
	e->s = s;
	e->f = f;
	const double v = e->library.evaluate(e->parsers[0]);
	return e->library.failed(e->parsers[0]) || isnan(v) ? (double)NAN : v;
}
