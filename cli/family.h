/*
 * family.h - what the program knows of a family of transforms beyond their rows.
 *
 * Nothing is needed: a transform without a family gets a summary of its arrays and a figure of its
 * rows.  Functions that are NULL have nothing to tell.
 */
#ifndef CLI_FAMILY_H
#define CLI_FAMILY_H

#include "args.h"
#include "base/kept.h"
#include "input.h"
#include "io/result/provenance.h"
#include "json.h"
#include "outputs.h"

/* A transform at work, or done. */
typedef struct cli_outcome {
	const cli_args *args;
	const wsi_input *in;
	ws_ctx *ctx;
	const ws_run *run;               /* NULL, like ctx: the result is in a file (redraw.h) */
	const void *opts;                /* in force: those of the run, or that the file tells */
	const cli_outputs *outputs;
	size_t skipped, left;            /* samples of a result from a file that are not drawn, at
	                                    its beginning and its end */
	const char *output;              /* the result */
	double seconds;                  /* of the whole command */
	double kept;                     /* share of the work that an earlier command did */
	const struct cli_averages *averages; /* in place of epochs (averages.h); NULL: none */
} cli_outcome;

typedef struct cli_family {
	const char *name;                /* ws_transform.family */
	const char *transform;           /* the one of them that is meant; NULL: all */

	/* ---- The input, where it may be another than a recording; NULL: it may not (input.h). */
	ws_status (*open_input)(wsi_input *in, const cli_args *args);
	/* Fills x with what the run asks for of signal i. */
	ws_status (*read_input)(wsi_input *in, const cli_args *args, size_t i, void *x);

	/* ---- The plan. */
	/* What only the plan shows to be wrong, or worth a word. */
	ws_status (*check)(const cli_outcome *o);
	/* Goes on "time about 2 s". */
	const char *(*time_note)(const cli_outcome *o);
	void (*plan_json)(const cli_outcome *o, json_t *root);

	/* ---- What is found. */
	size_t size;                     /* of its state, which begins as zeros; 0: it has none */
	/* Takes memory for what the state holds.  NULL: nothing to do. */
	void (*open)(void *state, const cli_outcome *o, wsi_kept *kept);
	ws_status (*add)(void *state, const cli_outcome *o, const ws_channel_result *r);
	/* Does add() read an array that has a row of time for each channel?  NULL: none. */
	bool (*reads)(int array);
	/* Was it --strict that refused what add() was given? */
	bool (*strict_failed)(const void *state);
	/* Fills figures of modes for pictures; r has as many as the axis of modes. */
	void (*figures)(const ws_channel_result *r, ws_mode_figures *figures);
	void (*facts)(const void *state, wsi_provenance *p);
	/* Words on standard error. */
	void (*tell)(const void *state, const cli_outcome *o);
	/* What was found, for people; and how fast, on the line of the time. */
	void (*print)(const void *state, const cli_outcome *o);
	void (*print_speed)(const void *state, const cli_outcome *o);
	/* What was found, the seconds and how fast, for programs. */
	void (*json)(const void *state, const cli_outcome *o, json_t *root);
	/* A list beside it, which may be long: its key, or NULL, its length and its elements. */
	const char *list;
	size_t (*list_length)(const void *state);
	json_t *(*list_element)(const void *state, const cli_outcome *o, size_t i);
} cli_family;

/* Never NULL: without a family, what holds for any transform (family.c). */
const cli_family *cli_family_of(const ws_transform *transform);

/* What is told of any transform's arrays; state is not looked at. */
void cli_family_print(const void *state, const cli_outcome *o);
void cli_family_json(const void *state, const cli_outcome *o, json_t *root);
/* An object with the channel of a signal and, if there are epochs, its epoch. */
json_t *cli_family_signal_json(const cli_outcome *o, size_t signal);

/* wavesift/emd.h (modes.c) */
extern const cli_family cli_family_emd;
/* wavesift/hht.h: hht (hht.c), hhtrials (hhtrials.c) */
extern const cli_family cli_family_hht, cli_family_hhtrials;
/* wavesift/cwt.h: coherence (coherence.c) */
extern const cli_family cli_family_coherence;

#endif
