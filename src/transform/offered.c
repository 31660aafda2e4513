/* offered.c - options that have no effect: others of the family have them, or another option makes
 * them meaningless. */
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/status.h"
#include "transform/transform.h"

#define LONGEST 64

/* NULL: it has none of that name. */
static const ws_option *
option_of(const wsi_transform *t, const char *name)
{
	for (const ws_option *const *o = t->options; *o; ++o)
		if (strcmp((*o)->name, name) == 0)
			return *o;
	return NULL;
}

/* Does a plan that was asked for nothing tell the same of it?  Options that a plan tells are taken
 * again. */
static bool
is_told(const wsi_transform *t, const ws_shape *shape, const ws_option *o, const char *text)
{
	const ws_plan like = { .transform = t, .shape = *shape, .isa = "plain", .threads = 1,
		.size = 1 };
	char told[LONGEST] = "";
	ws_plan *plan;
	void *opts = malloc(t->about.options_size);
	if (!opts)
		return false;
	ws_options_init(&t->about, opts, t->about.options_size);
	if (wsi_plan_make(&plan, &like, opts, false) == WS_OK)
		ws_option_text(o, plan->options, told, sizeof told);
	wsi_plan_free(plan);
	free(opts);
	return strcmp(told, text) == 0;
}

/* Is it at its default, or what a plan tells of it? */
static bool
is_default(const wsi_transform *t, const ws_shape *shape, const ws_option *o, const void *opts)
{
	char text[LONGEST];
	return !ws_option_text(o, opts, text, sizeof text) || is_told(t, shape, o, text);
}

/* The name of its field. */
static const char *
field_of(const ws_option *o, char name[LONGEST])
{
	wsi_line to = wsi_line_in(name, LONGEST);
	for (const char *c = o->name; *c; ++c)
		wsi_line_put(&to, "%c", *c == '-' ? '_' : *c);
	return name;
}

static ws_status
check_needs(const wsi_transform *t, const ws_shape *shape, const void *opts)
{
	char name[LONGEST];
	for (const wsi_need *need = t->needs; need && need->option; ++need) {
		const ws_option *o = option_of(t, need->option);
		if (o && !need->holds(shape, opts) && !is_default(t, shape, o, opts))
			return WSI_FAIL(WS_E_ARG, "`%s` means nothing %s: leave it at its default",
			                field_of(o, name), need->where);
	}
	return WS_OK;
}

ws_status
wsi_options_offered(const wsi_transform *t, const ws_shape *shape, const void *opts)
{
	const ws_transform *other;
	char name[LONGEST];
	for (int i = 0; (other = ws_transform_at(i)); ++i) {
		const wsi_transform *row = wsi_transform_find(other->name);
		for (int k = 0; other->options_tag == t->about.options_tag
		     && row->options[k]; ++k) {
			const ws_option *o = row->options[k];
			if (!option_of(t, o->name) && !is_default(t, shape, o, opts))
				return WSI_FAIL(WS_E_ARG, "%s has no `%s`: leave it at its default",
				                t->about.name, field_of(o, name));
		}
	}
	return check_needs(t, shape, opts);
}
