/*
 * averages.h - --average: the means over epochs of the rows that a transform makes, instead of
 * those of each epoch, with half of the 95 % interval about each mean.
 *
 * Epochs come in any order, and wait in a spool; means are made in the order of epochs, so that
 * they are the same bits however the work was cut.
 */
#ifndef CLI_AVERAGES_H
#define CLI_AVERAGES_H

#include "base/kept.h"
#include "family.h"
#include "io/write/spool.h"

/* What a mode of some number is in the epochs of all channels. */
typedef struct cli_averaged_mode {
	double median, low, high;    /* of its frequency, Hz; NaN: no epoch has it */
	size_t epochs;               /* and channels that have it */
	bool mixed;                  /* in some it is as fast as another mode's median */
} cli_averaged_mode;

typedef struct cli_averages {
	const cli_outcome *of;       /* of the epochs */
	wsi_kept kept;
	wsi_input in;                /* the same input, as one whose epochs are gathered */
	cli_outputs outputs; /* arrays of the run, each in its place, then those that are new */
	cli_outcome outcome;         /* of all that */
	void **data;                 /* [array] of a channel */
	int *interval;               /* [array of the run] the number of its interval; or 0 */
	int range;                   /* number of frequency_low, before frequency_high and
	                                mode_epochs; 0: they are not made */
	int frequency;               /* number of that array; -1: it has none */
	size_t most;                 /* modes */
	uint32_t *modes;             /* [epoch][channel] */
	double *frequencies;         /* [epoch][channel][most] */
	cli_averaged_mode *found;    /* [most] */
	wsi_spool spool;             /* [epoch][channel] of all arrays, each at its place */
	uint64_t *place, entry;      /* bytes */
	bool open;
} cli_averages;

/* Declares what is made of a run; of is borrowed.  WS_E_ARG where there are no two epochs. */
ws_status cli_averages_plan(cli_averages *a, const cli_outcome *of);
/* memory: that may be used beside the run's, bytes. */
ws_status cli_averages_open(cli_averages *a, size_t memory);
/* Of a channel of an epoch, or a part of it. */
ws_status cli_averages_put(cli_averages *a, const ws_channel_result *r);
/* Hands over channel by channel, once all epochs were put. */
ws_status cli_averages_finish(cli_averages *a,
                              ws_status (*take)(void *user, const ws_channel_result *r),
                              void *user);
/* Words on standard error, of modes of one number that differ. */
void cli_averages_tell(const cli_averages *a);
/* A line for people: what each mode is in the epochs. */
void cli_averages_print(const cli_averages *a);
json_t *cli_averages_json(const cli_averages *a);
/* A closed or zeroed one is fine. */
void cli_averages_close(cli_averages *a);

#endif
