/* family.c - the families, and what any transform gets. */
#include "family.h"

#include <stdio.h>
#include <string.h>

#include "input.h"
#include "io/result.h"
#include "values.h"

/* "[frequency 40, 1 - 100 Hz]" */
static void
print_axis(const cli_outputs *o, int array, int k)
{
	const ws_array *a = &o->arrays[array];
	const char *unit = wsi_axis_in_hz(a->axis[k]) ? " Hz"
	                   : a->axis[k] == WS_AXIS_TIME ? " s" : "";
	char low[32], high[32];
	const size_t n = a->extent[k];
	double first, last;
	printf("[%s %zu", wsi_axis_name(a->axis[k]), n);
	if (n && cli_axis_value(o, array, k, 0, &first)
	    && cli_axis_value(o, array, k, n - 1, &last))
		printf(", %s - %s%s", cli_format_figures(first, 4, low),
		       cli_format_figures(last, 4, high), unit);
	printf("]");
}

static bool
is_told(const ws_array *a)
{
	return !(a->flags & WS_ARRAY_SIGNAL) && cli_array_made(a);
}

static void
print(const void *state, const cli_outcome *o)
{
	int width = 7;
	(void)state;
	printf("\n");
	for (int i = 0; i < o->outputs->n; i++) {
		const int length = (int)strlen(o->outputs->arrays[i].name);
		if (is_told(&o->outputs->arrays[i]) && length > width)
			width = length;
	}
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		const int channel = a->axis[0] == WS_AXIS_CHANNEL;
		if (!is_told(a))
			continue;
		printf("%-*s ", width, a->name);
		/* Runs count channels through all epochs. */
		if (channel && cli_input_epochs(o->in))
			printf("[epoch %zu]", o->in->n_epochs);
		if (channel)
			printf("[channel %zu]", o->in->n_channels);
		for (int k = channel; k < a->rank; k++)
			print_axis(o->outputs, i, k);
		printf(" %s, %s\n", cli_type_name(a->type), a->text);
	}
}

static void
json(const void *state, const cli_outcome *o, json_t *root)
{
	json_t *arrays = json_array();
	(void)state;
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		if (!cli_array_made(a))
			continue;
		json_t *object = json_object(), *axes = json_array(), *extents = json_array();
		for (int k = 0; k < a->rank; k++) {
			json_array_append_new(axes, json_string(wsi_axis_name(a->axis[k])));
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
	static const cli_family any = { .print = print, .json = json };
	static const cli_family *const families[] = { &cli_family_emd };
	for (size_t i = 0; transform->family && i < sizeof families / sizeof *families; i++)
		if (strcmp(families[i]->name, transform->family) == 0)
			return families[i];
	return &any;
}
