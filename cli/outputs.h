/* outputs.h - the arrays that a run makes, as it declares them. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

typedef struct cli_outputs {
	ws_array *arrays;        /* [n], as of ws_run_array() */
	double **axes;           /* [n][WS_MOST_AXES] values; NULL where they are numbers from 1, or
	                            times of the samples, or of */
	size_t *every;           /* [n][WS_MOST_AXES] how many of them a step is; else 0 */
	int n;
	double fs;
} cli_outputs;

/* samples: of the signal, fs a second. */
ws_status cli_outputs_open(cli_outputs *o, const ws_run *run, size_t samples, double fs);
void cli_outputs_close(cli_outputs *o);

/* Do the options of this run make it? */
bool cli_array_made(const ws_array *array);
/* Value i of an axis that has values of its own; else false. */
bool cli_axis_value(const cli_outputs *o, int array, int axis, size_t i, double *value);
/* Bytes that all are likely to take, of signals of so many samples, in a file whose samples are of
 * type `store`; or the arrays with times that one of those formats has, before compression. */
typedef enum cli_stored { CLI_STORED_ALL, CLI_STORED_NPY, CLI_STORED_TEXT } cli_stored;
double cli_outputs_bytes(const cli_outputs *o, double samples, ws_type store, cli_stored format);
/* The array that has the intervals of another one (--average); -1: none has. */
int cli_outputs_interval(const cli_outputs *o, int array);
/* Place of an axis in an array; -1: it has none such. */
int cli_axis_place(const ws_array *array, ws_axis axis);
/* "f64", "complex f32" */
const char *cli_type_name(ws_type type);

#endif
