/* facts.c - options of a row together: checked, recorded with results, and in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/status.h"
#include "transform/options.h"
#include "transform/transform.h"

static void
fact_text(ws_fact_sink sink, void *user, const char *key, const char *text)
{
	sink(user, &(ws_fact){ .size = sizeof(ws_fact), .key = key, .kind = WS_OPTION_TEXT,
		.text = text });
}

static void
fact_integer(ws_fact_sink sink, void *user, const char *key, int64_t value)
{
	sink(user, &(ws_fact){ .size = sizeof(ws_fact), .key = key, .kind = WS_OPTION_INT,
		.integer = value });
}

static void
fact_real(ws_fact_sink sink, void *user, const char *key, double value)
{
	sink(user, &(ws_fact){ .size = sizeof(ws_fact), .key = key, .kind = WS_OPTION_REAL,
		.real = value });
}

const ws_option_file *
wsi_option_file(const ws_option_file *files, const char *option)
{
	for (; files && files->option; ++files)
		if (strcmp(files->option, option) == 0)
			return files;
	return NULL;
}

/* ---- What any row gets ------------------------------------------------------------------ */

/* "max-sifts" as the key of a fact, with what is appended. */
static const char *
key_of(const ws_option *o, const char *end, char key[64])
{
	snprintf(key, 64, "%s%s", o->name, end);
	for (char *c = key; *c; ++c)
		if (*c == '-')
			*c = '_';
	return key;
}

/* zeros: a 0 is told, too, where the option can be set to it. */
static void
tell_number(const ws_option *o, const void *opts, bool zeros, const char *key, ws_fact_sink sink,
            void *user)
{
	const void *field = (const char *)opts + o->offset;
	if (o->kind == WS_OPTION_REAL) {
		const double value = *(const double *)field;
		if (value != 0.0 || (zeros && o->zero != 0.0))
			fact_real(sink, user, key, value == o->zero ? 0.0 : value);
		return;
	}
	const int64_t value = o->kind == WS_OPTION_U64 ? (int64_t)*(const uint64_t *)field
	                      : *(const int *)field;
	if (value || (zeros && o->low <= 0.0))
		fact_integer(sink, user, key, value);
}

static ws_status
tell_text(const ws_option *o, const void *opts, const char *key, ws_fact_sink sink, void *user)
{
	const size_t length = ws_option_text(o, opts, NULL, 0);
	if (length == 0 && o->kind == WS_OPTION_TEXT && o->zero != 0.0) {
		char number[32];
		wsi_snprintf(number, sizeof number, "%g", o->zero);
		fact_text(sink, user, key, number);
	}
	if (length == 0)
		return WS_OK;
	char *text = malloc(length + 1);
	if (!text)
		return WSI_FAIL(WS_E_NOMEM, "no memory for the record of `%s`", o->name);
	ws_option_text(o, opts, text, length + 1);
	fact_text(sink, user, key, text);
	free(text);
	return WS_OK;
}

static ws_status
tell_option(const ws_option *o, const void *opts, const ws_option_file *files, bool zeros,
            ws_fact_sink sink, void *user)
{
	char key[64];
	const ws_option_file *file = wsi_option_file(files, o->name);
	if (file) {
		fact_text(sink, user, key_of(o, "", key), file->path);
		fact_text(sink, user, key_of(o, "_sha256", key), file->sha256);
		return WS_OK;
	}
	key_of(o, "", key);
	switch (o->kind) {
	case WS_OPTION_FLAG:
	case WS_OPTION_INT:
	case WS_OPTION_U64:
	case WS_OPTION_REAL:
		tell_number(o, opts, zeros, key, sink, user);
		return WS_OK;
	default:
		return tell_text(o, opts, key, sink, user);
	}
}

ws_status
ws_options_facts(const ws_transform *about, const void *opts, const ws_option_file *files,
                 ws_fact_sink sink, void *user)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	if (!t || !opts || !sink)
		return WSI_FAIL(WS_E_ARG, "ws_options_facts: transform, opts and sink must not be "
		                "NULL");
	WSI_TRY(wsi_options_whole(t, opts));
	for (const ws_option *const *o = t->options; *o; ++o)
		WSI_TRY(tell_option(*o, opts, files, true, sink, user));
	return WS_OK;
}

static const char *
comma(const wsi_line *to)
{
	return to->used ? ", " : "";
}

/* A ws_fact_sink. */
static void
append(void *user, const ws_fact *f)
{
	wsi_line *to = user;
	wsi_line_put(to, "%s%s ", comma(to), f->key);
	if (f->kind == WS_OPTION_INT)
		wsi_line_put(to, "%lld", (long long)f->integer);
	else if (f->kind == WS_OPTION_REAL)
		wsi_line_put(to, "%g", f->real);
	else
		wsi_line_put(to, "%s", f->text);
}

/* A flag is its name alone.  Text needs no memory here. */
static void
append_option(wsi_line *to, const ws_option *o, const void *opts, const ws_option_file *files)
{
	char key[64];
	const bool number = o->kind == WS_OPTION_INT || o->kind == WS_OPTION_U64 ||
	                    o->kind == WS_OPTION_REAL;
	if (o->kind == WS_OPTION_FLAG) {
		if (*(const int *)((const char *)opts + o->offset))
			wsi_line_put(to, "%s%s", comma(to), o->name);
	} else if (number || wsi_option_file(files, o->name)) {
		(void)tell_option(o, opts, files, false, append, to);
	} else if (ws_option_text(o, opts, NULL, 0)) {
		wsi_line_put(to, "%s%s ", comma(to), key_of(o, "", key));
		const size_t left = to->used < to->size ? to->size - to->used : 0;
		to->used += ws_option_text(o, opts, left ? to->text + to->used : NULL, left);
	}
}

size_t
ws_options_line(const ws_transform *about, const void *opts, const ws_option_file *files,
                char *text, size_t size)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	wsi_line to = wsi_line_in(text, text ? size : 0);
	if (t && opts && wsi_options_whole(t, opts) != WS_OK)
		return 0;
	if (t && opts && t->line)
		t->line(opts, files, &to);
	else if (t && opts)
		for (const ws_option *const *o = t->options; *o; ++o)
			append_option(&to, *o, opts, files);
	return to.used;
}

ws_status
ws_options_check(const ws_transform *about, const void *opts, const ws_option_file *files)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	if (!t || !opts)
		return WSI_FAIL(WS_E_ARG, "ws_options_check: transform and opts must not be NULL");
	WSI_TRY(wsi_options_whole(t, opts));
	return t->check ? t->check(opts, files) : WS_OK;
}
