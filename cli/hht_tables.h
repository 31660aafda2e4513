/* hht_tables.h - what the program found of the modes of hht, and the tables of it for people. */
#ifndef CLI_HHT_TABLES_H
#define CLI_HHT_TABLES_H

#include "capped.h"
#include "family.h"

/* Of a mode; NaN where there is none. */
typedef enum cli_hht_figure {
	HHT_FREQUENCY, HHT_LOW, HHT_HIGH, HHT_PERIOD, HHT_VARIANCE,
	HHT_ENERGY, HHT_NEGATIVE, HHT_OUTLIERS, HHT_ABOVE, HHT_P,
	HHT_P_ANY, HHT_FIGURES
} cli_hht_figure;

/* A mode of two channels, whose phase locking is above its level. */
typedef struct cli_hht_locking {
	size_t mode, channel, with;
	double value, level;
} cli_hht_locking;

/* Pairs that are kept; values of ws_background. */
enum { HHT_LOCKED = 6, HHT_MODELS = 5 };

typedef struct cli_hht {
	cli_capped capped;
	size_t beyond;                   /* signals whose energies f64 does not hold */
	bool told;                       /* there is a summary; else nothing below is kept */
	size_t signals, most;            /* sizes of the arrays below */
	bool banded;                     /* the modes are there, and so their bands and variance */
	bool lines, signals_of_noise;    /* there are lines of a formula; there is p */
	int32_t *model;                  /* [signal] ws_background */
	double *slope, *bend;            /* [signal] its lag 1, or exponent; Hz, or 0 */
	size_t *count;                   /* [signal] modes */
	double *figures;                 /* [figure][signal][most] */
	double *residue_share;           /* [signal] of the variance */
	size_t pairs, locked;            /* of a mode in two channels; above their level */
	cli_hht_locking locked_most[HHT_LOCKED]; /* of these some, by how far above, falling */
} cli_hht;

static inline size_t
cli_hht_model(const cli_hht *s, size_t signal)
{
	return (size_t)s->model[signal] % HHT_MODELS;
}

static inline double *
cli_hht_figures(const cli_hht *s, cli_hht_figure f, size_t signal)
{
	return s->figures + ((size_t)f * s->signals + signal) * s->most;
}

/* As in cli_family: a table of each signal, or of more than three one of their means. */
void cli_hht_print(const void *state, const cli_outcome *o);

#endif
