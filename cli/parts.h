/*
 * parts.h - the parts that a result has of each signal (modes, bands, what masks gave), and which
 * of them are dropped (--keep, --drop).
 *
 * What is in none of the rows is the last part: of modes the residue, and of an ensemble the noise
 * that its mean still has, too; of bands what lies beyond them.
 */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "args.h"
#include "io/result/array_list.h"

typedef struct cli_parts {
	wsi_recording *rec;      /* the result */
	const char *noun;        /* "mode" */
	const wsi_stored_array *rows, *signal; /* [signal][row][time], [signal][time] */
	size_t epochs, channels, most, samples; /* epochs: 1 where there are none; most: rows */
	size_t *count;           /* [signal] rows that it has */
	double *hz;              /* [signal][most] frequencies; NaN where they are not known */
	size_t n_chosen, *chosen; /* channels of the result that may change */
	unsigned char *dropped;  /* [signal][most + 1] */
} cli_parts;

/* Opens operand 0 and decides which parts are dropped.  On failure, too, cli_parts_close() is
 * due. */
ws_status cli_parts_open(cli_parts *p, const cli_args *args);
void cli_parts_close(cli_parts *p);

/* Of signal i = epoch * channels + channel; row most: what is in none. */
static inline bool
cli_parts_dropped(const cli_parts *p, size_t i, size_t row)
{
	return p->dropped[i * (p->most + 1) + row];
}
/* "1-3, rest" as far as there is room. */
const char *cli_parts_describe(const cli_parts *p, size_t i, char text[200]);

#endif
