/* offered.c - options of a family that a transform of it does not have. */
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/status.h"
#include "transform/options.h"
#include "transform/transform.h"

#define LONGEST 64

static bool
has(const wsi_transform *t, const char *name)
{
	for (int i = 0; t->options[i]; ++i)
		if (strcmp(t->options[i]->name, name) == 0)
			return true;
	return false;
}

/* A plan of all defaults; or NULL. */
static ws_plan *
plan_of_defaults(const wsi_transform *t, const ws_shape *shape)
{
	ws_plan *plan = calloc(1, t->plan_size);
	void *opts = calloc(1, t->about.options_size);
	if (plan && opts) {
		ws_options_init(&t->about, opts, t->about.options_size);
		plan->transform = t;
		plan->shape = *shape;
		plan->isa = "plain";
		plan->threads = plan->size = 1;
		if (t->resolve(plan, opts) == WS_OK) {
			free(opts);
			return plan;
		}
	}
	free(opts);
	wsi_plan_free(plan);
	return NULL;
}

/* Does a plan that was asked for nothing tell the same of it?  Options that a plan tells are taken
 * again. */
static bool
is_told(const wsi_transform *t, const ws_shape *shape, const ws_option *o, const char *text)
{
	char told[LONGEST] = "";
	ws_plan *plan = plan_of_defaults(t, shape);
	if (plan)
		ws_option_text(o, plan->options, told, sizeof told);
	wsi_plan_free(plan);
	return strcmp(told, text) == 0;
}

ws_status
wsi_options_offered(const wsi_transform *t, const ws_shape *shape, const void *opts)
{
	const ws_transform *other;
	for (int i = 0; (other = ws_transform_at(i)); ++i) {
		const wsi_transform *row = wsi_transform_find(other->name);
		for (int k = 0; other->options_tag == t->about.options_tag && row->options[k]; ++k) {
			const ws_option *o = row->options[k];
			char text[LONGEST];
			if (has(t, o->name) || !ws_option_text(o, opts, text, sizeof text) ||
			    is_told(t, shape, o, text))
				continue;
			wsi_line name = wsi_line_in(text, sizeof text);
			for (const char *c = o->name; *c; ++c)
				wsi_line_put(&name, "%c", *c == '-' ? '_' : *c);
			return WSI_FAIL(WS_E_ARG, "%s has no `%s`: leave it at its default",
			                t->about.name, text);
		}
	}
	return WS_OK;
}
