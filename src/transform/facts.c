/* facts.c - options of a row together: checked, recorded with results, and in words. */
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/status.h"
#include "transform/options.h"
#include "transform/transform.h"

void
wsi_fact_text(ws_fact_sink sink, void *user, const char *key, const char *text)
{
	sink(user, &(ws_fact){ .key = key, .kind = WS_OPTION_TEXT, .text = text });
}

void
wsi_fact_integer(ws_fact_sink sink, void *user, const char *key, int64_t value)
{
	sink(user, &(ws_fact){ .key = key, .kind = WS_OPTION_INT, .integer = value });
}

void
wsi_fact_real(ws_fact_sink sink, void *user, const char *key, double value)
{
	sink(user, &(ws_fact){ .key = key, .kind = WS_OPTION_REAL, .real = value });
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

static void
tell_option(const ws_option *o, const void *opts, const ws_option_file *files, ws_fact_sink sink,
            void *user)
{
	char key[64], text[256];
	const void *field = (const char *)opts + o->offset;
	const ws_option_file *file = wsi_option_file(files, o->name);
	if (file) {
		wsi_fact_text(sink, user, key_of(o, "", key), file->path);
		wsi_fact_text(sink, user, key_of(o, "_sha256", key), file->sha256);
		return;
	}
	ws_option_text(o, opts, text, sizeof text);
	key_of(o, "", key);
	if (!*text)
		return;
	if (o->kind == WS_OPTION_FLAG || o->kind == WS_OPTION_INT)
		wsi_fact_integer(sink, user, key, *(const int *)field);
	else if (o->kind == WS_OPTION_U64)
		wsi_fact_integer(sink, user, key, (int64_t)*(const uint64_t *)field);
	else if (o->kind == WS_OPTION_REAL)
		wsi_fact_real(sink, user, key, *(const double *)field == o->zero ? 0.0
		              : *(const double *)field);
	else
		wsi_fact_text(sink, user, key, text);
}

void
ws_options_facts(const ws_transform *about, const void *opts, const ws_option_file *files,
                 ws_fact_sink sink, void *user)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	if (!t || !opts || !sink)
		return;
	if (t->facts) {
		t->facts(opts, files, sink, user);
		return;
	}
	for (const ws_option *const *o = t->options; *o; ++o)
		tell_option(*o, opts, files, sink, user);
}

/* A line that grows. */
typedef struct line {
	char *text;
	size_t size, used;
} line;

static void
append(void *user, const ws_fact *f)
{
	line *l = user;
	char value[64];
	if (f->kind == WS_OPTION_INT)
		wsi_snprintf(value, sizeof value, "%lld", (long long)f->integer);
	else if (f->kind == WS_OPTION_REAL)
		wsi_snprintf(value, sizeof value, "%g", f->real);
	if (l->used + 1 < l->size)
		l->used += (size_t)wsi_snprintf(l->text + l->used, l->size - l->used, "%s%s %s",
		                                l->used ? ", " : "", f->key,
		                                f->kind == WS_OPTION_TEXT ? f->text : value);
}

/* A flag is its name alone. */
static void
append_option(line *l, const ws_option *o, const void *opts, const ws_option_file *files)
{
	if (o->kind != WS_OPTION_FLAG)
		tell_option(o, opts, files, append, l);
	else if (*(const int *)((const char *)opts + o->offset) && l->used + 1 < l->size)
		l->used += (size_t)wsi_snprintf(l->text + l->used, l->size - l->used, "%s%s",
		                                l->used ? ", " : "", o->name);
}

const char *
ws_options_line(const ws_transform *about, const void *opts, const ws_option_file *files,
                char *text, size_t size)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	line l = { text, size, 0 };
	if (size == 0)
		return text;
	*text = '\0';
	if (t && opts && t->line)
		t->line(opts, files, text, size);
	else if (t && opts && t->facts)
		t->facts(opts, files, append, &l);
	else if (t && opts)
		for (const ws_option *const *o = t->options; *o; ++o)
			append_option(&l, *o, opts, files);
	return text;
}

ws_status
ws_options_check(const ws_transform *about, const void *opts, const ws_option_file *files)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	if (!t || !opts)
		return WSI_FAIL(WS_E_ARG, "ws_options_check: transform and opts must not be NULL");
	return t->check ? t->check(opts, files) : WS_OK;
}
