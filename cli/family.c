/* family.c - the families, and what any transform gets. */
#include "family.h"

#include <stdio.h>
#include <string.h>

#include "input.h"
#include "io/read/pauses.h"
#include "io/read/time_units.h"
#include "io/result/result.h"
#include "plot/axis.h"
#include "values.h"

/* How the values of an axis are told: (value + first) * factor in the unit. */
typedef struct told_in {
	double first, factor;
	const char *unit;
} told_in;

/* As the figures tell them: frequencies of slow recordings by the day or year, times as the
 * recording counts them, from its own beginning on. */
static told_in
unit_of(ws_axis axis, const wsi_input *in)
{
	const wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	if (wsi_axis_in_hz(axis))
		return (told_in){ 0, unit.seconds, unit.name };
	if (axis != WS_AXIS_TIME)
		return (told_in){ 0, 1, "" };
	const char *name = wsi_time_unit_name(in->rec->time_unit);
	return (told_in){ wsi_input_first_time(in), in->fs_known ? 1 / wsi_time_unit(name) : 1,
		in->fs_known ? name : "" };
}

/* "[frequency 40, 1 - 100 Hz]"; of modes only the most that there may be are known. */
static void
print_axis(const cli_outcome *o, int array, int k)
{
	const ws_array *a = &o->outputs->arrays[array];
	const told_in t = unit_of(a->axis[k], o->in);
	char low[32], high[32];
	const size_t n = a->extent[k];
	double first, last;
	printf("[%s %s%zu", wsi_axis_name(a->axis[k]), a->axis[k] == WS_AXIS_MODE ? "<= " : "", n);
	if (n && cli_axis_value(o->outputs, array, k, 0, &first)
	    && cli_axis_value(o->outputs, array, k, n - 1, &last))
		printf(", %s - %s%s%s", cli_format_figures((first + t.first) * t.factor, 4, low),
		       cli_format_figures((last + t.first) * t.factor, 4, high), *t.unit ? " " : "",
		       t.unit);
	printf("]");
}

static bool
is_told(const ws_array *a)
{
	return !(a->flags & WS_ARRAY_SIGNAL) && cli_array_made(a);
}

void
cli_family_print(const void *state, const cli_outcome *o)
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
			print_axis(o, i, k);
		printf(" %s, %s\n", cli_type_name(a->type), a->text);
	}
}

void
cli_family_json(const void *state, const cli_outcome *o, json_t *root)
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

json_t *
cli_family_signal_json(const cli_outcome *o, size_t i)
{
	const wsi_input *in = o->in;
	json_t *object = json_object();
	json_object_set_new(object, "channel",
	                    cli_json_text(wsi_input_name(in, i % in->n_channels)));
	if (in->epoched)
		json_object_set_new(object, "epoch",
		                    json_integer((json_int_t)in->epochs[i / in->n_channels] + 1));
	return object;
}

static bool
is_of(const ws_transform *transform, const cli_family *family)
{
	return strcmp(family->name, transform->family) == 0
	       && (!family->transform || strcmp(family->transform, transform->name) == 0);
}

const cli_family *
cli_family_of(const ws_transform *transform)
{
	static const cli_family any = { .print = cli_family_print, .json = cli_family_json };
	static const cli_family *const families[] = { &cli_family_emd, &cli_family_hht,
		&cli_family_hhtrials, &cli_family_coherence };
	for (size_t i = 0; transform->family && i < sizeof families / sizeof *families; i++)
		if (is_of(transform, families[i]))
			return families[i];
	return &any;
}
