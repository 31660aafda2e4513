/* modes_print.h - what is kept of the modes of a run's signals, and a table of them for people. */
#ifndef CLI_MODES_PRINT_H
#define CLI_MODES_PRINT_H

#include "alignment.h"
#include "capped.h"
#include "family.h"

typedef struct cli_modes {
	size_t signals, most;            /* sizes of the arrays below */
	int32_t *count;                  /* [signal] */
	double *of[WS_EMD_END_SHARE + 1]; /* of each of these figures: [signal][most] */
	double *residue_share;           /* [signal] */
	cli_alignment aligned;           /* values NULL: channels are not decomposed together */
	int32_t *sifts;                  /* [signal][most] */
	int64_t unfinished;              /* modes cut off by --max-sifts */
	cli_capped capped;
	bool strict_failed;
} cli_modes;

/* [most] of a signal. */
static inline double *
cli_modes_figure(const cli_modes *m, ws_emd_array figure, size_t signal)
{
	return m->of[figure] + signal * m->most;
}

/* state: a cli_modes. */
void cli_modes_print(const void *state, const cli_outcome *o);

#endif
