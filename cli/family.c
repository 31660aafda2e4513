/* family.c - the families, and what any transform gets. */
#include "family.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "values.h"

static ws_status
check(const cli_outcome *o)
{
	const cli_args *a = o->args;
	if (a->strict)
		return WSI_FAIL(WS_E_ARG, "--strict means nothing for %s, which has no stop rule",
		                a->command.name);
	return WS_OK;
}

/* "1 - 100 Hz", of an axis that has values. */
static void
range_of(const ws_array *a, int k, const double *values, char *text, size_t size)
{
	const char *unit = a->axis[k] == WS_AXIS_FREQUENCY ? " Hz"
	                   : a->axis[k] == WS_AXIS_TIME ? " s" : "";
	char low[32], high[32];
	const size_t n = a->extent[k];
	*text = '\0';
	if (values && n)
		snprintf(text, size, " (%s - %s%s)", cli_format_figures(values[0], 4, low),
		         cli_format_figures(values[n - 1], 4, high), unit);
}

static void
print(const void *state, const cli_outcome *o)
{
	(void)state;
	printf("\n");
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		if (a->flags & WS_ARRAY_SIGNAL)
			continue;
		printf("%-7s", a->name);
		for (int k = 0; k < a->rank; k++) {
			char range[96];
			range_of(a, k, o->outputs->axes[i * WS_MOST_AXES + k], range, sizeof range);
			printf("%s%zu %s%s%s", k ? " x " : " ", a->extent[k],
			       cli_axis_name(a->axis[k]), a->extent[k] == 1 ? "" : "s", range);
		}
		printf(", %s: %s\n", cli_type_name(a->type), a->text);
	}
}

static void
json(const void *state, const cli_outcome *o, json_t *root)
{
	json_t *arrays = json_array();
	(void)state;
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		json_t *object = json_object(), *axes = json_array(), *extents = json_array();
		for (int k = 0; k < a->rank; k++) {
			json_array_append_new(axes, json_string(cli_axis_name(a->axis[k])));
			json_array_append_new(extents, json_integer((json_int_t)a->extent[k]));
		}
		json_object_set_new(object, "name", json_string(a->name));
		json_object_set_new(object, "type", json_string(cli_type_name(a->type)));
		json_object_set_new(object, "axes", axes);
		json_object_set_new(object, "extents", extents);
		json_array_append_new(arrays, object);
	}
	json_object_set_new(root, "arrays", arrays);
	json_object_set_new(root, "seconds", cli_json_real(o->seconds));
}

const cli_family *
cli_family_of(const ws_transform *transform)
{
	static const cli_family any = { .check = check, .print = print, .json = json };
	static const cli_family *const families[] = { &cli_family_emd };
	for (size_t i = 0; transform->family && i < sizeof families / sizeof *families; i++)
		if (strcmp(families[i]->name, transform->family) == 0)
			return families[i];
	return &any;
}
