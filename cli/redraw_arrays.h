/* redraw_arrays.h - a result on disk as its transform's outcome: arrays as a run declares them. */
#ifndef CLI_REDRAW_ARRAYS_H
#define CLI_REDRAW_ARRAYS_H

#include "family.h"
#include "io/result/arrays.h"

/* An array of the transform, beside the same of cli_outputs. */
typedef struct cli_redrawn {
	const wsi_stored_array *from; /* NULL: the file has none */
	bool timed;              /* its last axis is time: it is read by lines */
	bool drawn;              /* and it is: a main array, or the signal */
	size_t skipped;          /* outputs of a line before those that are drawn */
	size_t count;            /* of others: elements of a channel */
	void *data;              /* likewise, f64 or i32 */
} cli_redrawn;

typedef struct cli_redrawing {
	cli_args args;           /* as of the command that made it */
	wsi_input in;
	cli_outputs outputs;
	cli_outcome outcome;
	cli_redrawn *arrays;     /* [outputs.n] */
	ws_slab *slabs;          /* likewise */
	size_t epoch;            /* in the file */
	size_t modes;            /* that the file has room for; SIZE_MAX: it has no such axis */
	size_t memory, used;     /* bytes */
	wsi_kept kept;           /* what follows, and data and slabs of arrays */
	double *line;            /* as it is read: [2][elements] */
	void *typed;             /* and of the array's type */
	void *signal;            /* of a channel, likewise */
} cli_redrawing;

/* Fills the outputs with the arrays that pictures of this transform know, all of which have their
 * place; what the file has not has no extent. */
ws_status cli_redraw_outputs(cli_redrawing *s);

/* Counts memory.  WS_E_NOMEM: --memory does not leave it. */
ws_status cli_redraw_take(cli_redrawing *s, double bytes);

/* count elements of an array from element at on, as if it had one axis. */
ws_status cli_redraw_elements(cli_redrawing *s, const wsi_stored_array *a, size_t at, size_t count,
                              double *out);

ws_status cli_redraw_damaged(const cli_redrawing *s, const char *name, const char *what);

#endif
