/* emd.h - the EMD family: what its rows (emd.c) share with their options, plan and execution. */
#ifndef WSI_TRANSFORM_EMD_H
#define WSI_TRANSFORM_EMD_H

#include "algo/algo.h"
#include "base/pool.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "transform/options.h"
#include "transform/transform.h"

typedef struct wsi_emd_plan {
	ws_plan base;
	wsi_params params;
	double *vectors;        /* params.vectors; WS_METHOD_MEMD only */
	const wsi_ops *ops;
	bool within;            /* all threads work on one signal at a time */
	int rows;               /* worked on together */
	int gathered;           /* channels of which a GPU works on so many together */
	int beside;             /* rows of noise that it sifts beside these */
	const char *way;        /* of its sifts on a GPU (wsi_engine); or NULL */
	int most_threads;       /* of the CPU, for what is done there beside a GPU's work */
} wsi_emd_plan;

static inline const wsi_emd_plan *
wsi_emd_plan_of(const ws_plan *plan)
{
	return (const wsi_emd_plan *)plan;
}

/* ---- Options ------------------------------------------------------------------------- */

/* The largest values, as the table of options and the check of the struct have them. */
enum {
	WSI_MOST_SIFTS = 1000000, WSI_EMD_MODES = 1000, WSI_MOST_REALIZATIONS = 1 << 24,
	WSI_MOST_DIRECTIONS = 1 << 20, WSI_MOST_NOISE_CHANNELS = 1 << 16
};

/* Options whose values are arrays; programs read the files. */
#define WSI_NOISE_FILE "noise-file"
#define WSI_DIRECTION_SET "direction-set"

extern const ws_option *const wsi_emd_options[], *const wsi_eemd_options[],
	*const wsi_ceemdan_options[], *const wsi_iceemdan_options[], *const wsi_memd_options[];

/* As in wsi_transform (emd/facts.c). */
ws_status wsi_emd_check_emd(const void *opts, const ws_option_file *files);
ws_status wsi_emd_check_eemd(const void *opts, const ws_option_file *files);
ws_status wsi_emd_check_ceemdan(const void *opts, const ws_option_file *files);
ws_status wsi_emd_check_iceemdan(const void *opts, const ws_option_file *files);
ws_status wsi_emd_check_memd(const void *opts, const ws_option_file *files);
void wsi_emd_line(const void *opts, const ws_option_file *files, wsi_line *to);

/* Parameters that a rule has, and of the rule of opts the i-th where none is given. */
int wsi_stop_params(ws_stop stop);
double wsi_stop_default(const ws_emd_opts *opts, int i);
/* How many sifts a mode takes at most where none are given. */
int wsi_stop_most(ws_stop stop);

/* A row of WSI_STOP_RULES (math/stop.h); NULL: there is no such rule. */
typedef struct wsi_stop_row {
	ws_stop number;
	int params;
	double defaults[3];
	bool single, joint;     /* of a channel by itself; of WS_METHOD_MEMD */
	bool counts;            /* sifts: its parameter is a whole number */
} wsi_stop_row;
const wsi_stop_row *wsi_stop_row_of(ws_stop stop);

/* Checks the options and resolves every default and reference; WS_E_ARG names
 * the option.  opts: of this version's size, or NULL. */
ws_status wsi_params_resolve(wsi_params *params, const ws_shape *shape, const ws_emd_opts *opts);

/* The method that opts ask for.  o: defaults not yet resolved, or NULL. */
ws_method wsi_opts_method(const ws_emd_opts *o);

/* What the command line calls the value of a choice, whose field lies at offset in ws_emd_opts; ""
 * where no method has it. */
const char *wsi_emd_name(size_t offset, int value);
#define WSI_EMD_NAME(o, field) wsi_emd_name(offsetof(ws_emd_opts, field), (int)(o)->field)

/* ---- Plan ---------------------------------------------------------------------------- */

/* Rows of a channel, or channels, that can be worked on at the same time. */
static inline size_t
wsi_emd_signals(const wsi_emd_plan *plan)
{
	const ws_emd_opts *o = &plan->params.o;
	if (o->method == WS_METHOD_MEMD)
		return 1; /* all threads work on all channels */
	return o->method == WS_METHOD_EMD ? plan->base.shape.channels : (size_t)o->realizations;
}

/* Are realizations of several channels worked on together? */
static inline bool
wsi_emd_gathers(const wsi_emd_plan *plan)
{
	const ws_emd_opts *o = &plan->params.o;
	return o->method == WS_METHOD_EEMD ||
	       ((o->method == WS_METHOD_CEEMDAN || o->method == WS_METHOD_ICEEMDAN) &&
	        o->channel_noise == WS_NOISE_SHARED);
}

/* Rows that the CPU can work on at the same time. */
static inline size_t
wsi_emd_rows(const wsi_emd_plan *plan)
{
	return wsi_emd_signals(plan) * (wsi_emd_gathers(plan) ? plan->base.shape.channels : 1);
}

/* Expected seconds of execution, from stored measured constants (emd/cost.c). */
double wsi_emd_cost(const wsi_emd_plan *plan);

/* emd/describe.c, emd/run.c: as in wsi_transform. */
void wsi_emd_describe(const ws_plan *plan, wsi_line *to);
ws_status wsi_emd_measure(ws_plan *plan, bool aside);
ws_status wsi_emd_run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                      void *workspace);

/* ---- Samples ------------------------------------------------------------------------- */

/* Bytes of the array `ranges` of wsi_look_at_samples(), including scratch.  Afterwards it holds
 * a range for each channel, then one for each realization of noise that the caller gave. */
size_t wsi_ranges_bytes(const wsi_emd_plan *plan);

/* Checks all samples and all noise that the caller gave, on all threads of pool (NULL: on this
 * thread) and fills ranges.  WS_E_FORMAT names a sample that is not finite. */
ws_status wsi_look_at_samples(const wsi_emd_plan *plan, const wsi_io *io, wsi_pool *pool,
                              wsi_range *ranges);

/* Checks the modes of signals near the largest number of the type: WS_E_FORMAT where one is
 * beyond it. */
ws_status wsi_check_results(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges);

/* Fills WS_EMD_CAPPED, if it is wanted (emd/capped.c). */
void wsi_emd_capped(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges);

/* ---- Figures of modes ---------------------------------------------------------------- */

/* What figures are made of. */
typedef struct wsi_emd_scratch {
	double *figures;        /* [channel][max_modes + 1], the residue's after the modes':
	                           standard deviations, then shares of the variance */
	size_t per_channel;     /* max_modes + 1 */
	double *spectra;        /* [channel][max_modes][points]; WS_METHOD_MEMD only */
	double *sum;            /* [points] */
	size_t points;
} wsi_emd_scratch;

/* Its bytes, of which wsi_emd_figures() is given as many. */
size_t wsi_emd_figures_bytes(const wsi_emd_plan *plan);

static inline double *
wsi_emd_scratch_figure(const wsi_emd_scratch *s, size_t channel, size_t row)
{
	return s->figures + channel * s->per_channel + row;
}

static inline double *
wsi_emd_spectrum(const wsi_emd_scratch *s, size_t channel, size_t mode)
{
	return s->spectra + (channel * (s->per_channel - 1) + mode) * s->points;
}

bool wsi_emd_wants_figures(const wsi_io *io);

/* Fills the figures that are wanted, on all threads of pool. */
ws_status wsi_emd_figures(const wsi_emd_plan *plan, const wsi_io *io, wsi_pool *pool,
                          double *scratch);

/* Are there several channels, decomposed together (emd/alignment.c)? */
bool wsi_emd_aligns(const wsi_emd_plan *plan);
/* Points of the spectra of which alignment is made; 0: of none. */
size_t wsi_emd_spectrum_points(const wsi_emd_plan *plan);

/* Fills the alignment of all modes, from the shares of the variance and the spectra, which it
 * changes. */
void wsi_emd_alignment(const wsi_emd_plan *plan, const wsi_io *io, const wsi_emd_scratch *s);

#endif
