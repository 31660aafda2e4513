/* alignment.h - how far modes of multivariate EMD are one rhythm in all channels, over signals. */
#ifndef CLI_ALIGNMENT_H
#define CLI_ALIGNMENT_H

#include <stddef.h>
#include <stdint.h>

/* What signals have of each mode: WS_EMD_ALIGNMENT, WS_EMD_VARIANCE_SHARE [signal][most]. */
typedef struct cli_alignment {
	size_t signals, most;
	const int32_t *count;    /* [signal] modes that it has */
	const double *values;    /* NaN where there is none */
	const double *shares;
} cli_alignment;

/* The mean over the signals that have the mode, counted from 0, and the figure; NaN: none has. */
double cli_alignment_of(const cli_alignment *a, size_t mode);
/* Of all modes, each by its share of the variance; NaN: none has one. */
double cli_alignment_of_all(const cli_alignment *a);

#endif
