/* outputs.c - the arrays that a run makes, as it declares them. */
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/new.h"
#include "io/result/result.h"
#include "run/program.h"

int
cli_axis_place(const ws_array *array, ws_axis axis)
{
	for (int k = 0; k < array->rank; k++)
		if (array->axis[k] == axis)
			return k;
	return -1;
}

/* Has an axis values other than numbers from 1 and the times of the samples? */
static bool
has_values(const ws_array *a, int k, size_t samples)
{
	return a->axis[k] != WS_AXIS_CHANNEL && a->axis[k] != WS_AXIS_MODE
	       && a->axis[k] != WS_AXIS_PARTNER && a->axis[k] != WS_AXIS_CELL
	       && !(a->axis[k] == WS_AXIS_TIME && a->extent[k] == samples);
}

static ws_status
fill(cli_outputs *o, const ws_run *run, size_t samples)
{
	for (int i = 0; i < o->n; i++) {
		ws_array *a = &o->arrays[i];
		a->size = sizeof *a;
		WSI_TRY(ws_run_array(run, i, a));
		for (int k = 0; k < a->rank; k++) {
			if (!has_values(a, k, samples))
				continue;
			const size_t every = a->axis[k] == WS_AXIS_TIME ? wsi_run_every(run, i) : 0;
			o->every[i * WS_MOST_AXES + k] = every;
			if (every)
				continue;
			double *values = calloc(a->extent[k] + 1, sizeof *values);
			o->axes[i * WS_MOST_AXES + k] = values;
			WSI_HAVE(values, "not enough memory for an axis");
			WSI_TRY(ws_run_axis(run, i, a->axis[k], values, a->extent[k]));
			/* Masks without scales have numbers, which are from 1 in files. */
			const bool numbers = a->axis[k] == WS_AXIS_MASK && values[0] == 0.0;
			for (size_t v = 0; numbers && v < a->extent[k]; v++)
				values[v] += 1.0;
		}
	}
	return WS_OK;
}

ws_status
cli_outputs_open(cli_outputs *o, const ws_run *run, size_t samples, double fs)
{
	const int n = ws_run_arrays(run);
	*o = (cli_outputs){ .n = n, .fs = fs };
	o->arrays = calloc((size_t)n, sizeof *o->arrays);
	o->axes = calloc((size_t)n * WS_MOST_AXES, sizeof *o->axes);
	o->every = calloc((size_t)n * WS_MOST_AXES, sizeof *o->every);
	ws_status status = o->arrays && o->axes && o->every ? fill(o, run, samples)
	                   : WSI_FAIL(WS_E_NOMEM, "not enough memory for %d arrays", n);
	if (status != WS_OK)
		cli_outputs_close(o);
	return status;
}

void
cli_outputs_close(cli_outputs *o)
{
	for (int i = 0; o->axes && i < o->n * WS_MOST_AXES; i++)
		free(o->axes[i]);
	free(o->axes);
	free(o->every);
	free(o->arrays);
	*o = (cli_outputs){ 0 };
}

bool
cli_axis_value(const cli_outputs *o, int array, int axis, size_t i, double *value)
{
	const int at = array * WS_MOST_AXES + axis;
	if (o->axes[at])
		*value = o->axes[at][i];
	else if (o->every[at])
		*value = (double)(i * o->every[at]) / o->fs;
	return o->axes[at] || o->every[at];
}

bool
cli_array_made(const ws_array *a)
{
	for (int i = 0; i < a->rank; i++)
		if (a->extent[i] == 0)
			return false;
	return true;
}

/* How many there are likely to be of an axis.  A recording has some two modes fewer than its length
 * has bits, where there may be as many as there are; a number that was asked for is believed. */
static double
likely_extent(const ws_array *a, int axis, double samples)
{
	const double extent = (double)a->extent[axis], modes = fmax(floor(log2(samples) - 1.5), 1);
	return a->axis[axis] == WS_AXIS_MODE && extent > log2(samples) ? modes : extent;
}

/* Of a number as text, with its comma, for each byte that it has else: all digits of f64 are 20
 * characters, of f32 11. */
#define TEXT_BYTE 2.5

/* Does a file of that format have the array?  NPY has the main ones, tables also the signal and
 * intervals. */
static bool
is_stored(const ws_array *a, cli_stored format)
{
	const unsigned flags = WS_ARRAY_MAIN | (format == CLI_STORED_TEXT
	                       ? WS_ARRAY_SIGNAL | WSI_ARRAY_INTERVAL : 0);
	return format == CLI_STORED_ALL
	       || (a->flags & flags && a->rank > 0 && a->axis[a->rank - 1] == WS_AXIS_TIME);
}

double
cli_outputs_bytes(const cli_outputs *o, double samples, ws_type store, cli_stored format)
{
	double bytes = 0;
	for (int i = 0; i < o->n; i++) {
		const ws_type type = o->arrays[i].type;
		const bool halved = store == WS_F32 && (type == WS_F64 || type == WS_C128);
		double numbers = is_stored(&o->arrays[i], format);
		for (int k = 0; k < o->arrays[i].rank; k++)
			numbers *= likely_extent(&o->arrays[i], k, samples);
		bytes += numbers * (double)wsi_type_size(type) / (halved ? 2 : 1);
	}
	return format == CLI_STORED_TEXT ? bytes * TEXT_BYTE : bytes;
}

int
cli_outputs_interval(const cli_outputs *o, int array)
{
	const char *name = o->arrays[array].name;
	const size_t n = strlen(name);
	for (int i = 0; i < o->n; i++)
		if (o->arrays[i].flags & WSI_ARRAY_INTERVAL
		    && strncmp(o->arrays[i].name, name, n) == 0
		    && strcmp(o->arrays[i].name + n, WSI_INTERVAL) == 0)
			return i;
	return -1;
}

const char *
cli_type_name(ws_type type)
{
	static const char *const names[] = { "f64", "f32", "complex f64", "complex f32", "i32" };
	return names[type];
}
