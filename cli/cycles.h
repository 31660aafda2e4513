/*
 * cycles.h - the cycles of all modes as a table (hht --cycle-table FILE.csv), a row each.
 *
 * Columns: epoch (of epoched recordings), channel, mode and cycle, counted from 1; start, duration;
 * frequency, the mean over its samples; amplitude, the largest; peak, descending_zero and trough,
 * times from the start; peak_to_trough, the part before the descending zero less the part after it,
 * and ascending_to_descending, the rising parts less the falling one, over the duration;
 * frequency_1 .. frequency_8, in the middle of each eighth of a turn of the phase.  Times are in
 * the unit of the recording's own axis, frequencies cycles of that unit.
 */
#ifndef CLI_CYCLES_H
#define CLI_CYCLES_H

#include <stdio.h>

#include "base/newfile.h"
#include "family.h"

typedef struct cli_cycles {
	const char *path;
	wsi_newfile newfile;     /* that gets this name */
	FILE *file;
	FILE *lines;             /* where cycles go until all are there: they come of several ranks,
	                            in any order; else the file */
	long (*places)[2];       /* then: [signal] from where to where its lines lie */
	size_t signals;
	double *row;             /* [3][samples]: mode, amplitude, frequency */
	const char *unit_name;
	double unit;             /* s */
	size_t count;
} cli_cycles;

/* WS_E_ARG where the transform or its options give no cycles; makes --parts have what is needed. */
ws_status cli_cycles_check(const cli_args *args);
/* What cli_cycles_open would refuse, creating nothing. */
ws_status cli_cycles_rehearse(const cli_args *args);
ws_status cli_cycles_open(cli_cycles *t, const cli_outcome *o);
ws_status cli_cycles_put(cli_cycles *t, const cli_outcome *o, const ws_channel_result *r);
/* Completes the file, which is then to be put in place. */
ws_status cli_cycles_finish(cli_cycles *t);
/* Removes what is half written; a closed or zeroed one is fine. */
void cli_cycles_close(cli_cycles *t);

#endif
