/*
 * family.h - what the rows of the wavelet family share: how their plans begin, their arrays of
 * frequencies, threads, workspace and progress, and the way through the epochs of a recording.
 */
#ifndef WSI_TRANSFORM_CWT_FAMILY_H
#define WSI_TRANSFORM_CWT_FAMILY_H

#include "base/pool.h"
#include "transform/cwt/cwt.h"

/* How plans of the family begin; resolve() fills it. */
typedef struct wsi_cwt_plan {
	ws_plan base;
	wsi_cwt *cwt;
	double *lists[4];       /* frequencies, scales, cycles, bands of the options, kept */
	size_t epochs;          /* of a channel, where the row works over epochs; else 0 */
	size_t spectra;         /* that an execution holds at a time */
	bool squares; /* its arrays hold squares of magnitudes, which must fit their type */
	const char *other;      /* a quantity of the row that is none; or NULL */
	size_t own_bytes;       /* that a thread works in, besides the transform's scratch */
	size_t shared_bytes;    /* that all threads work in; may change with base.part */
	wsi_cwt_job job;        /* on a GPU */
} wsi_cwt_plan;

/* The arrays that tell of each frequency's wavelet. */
#define WSI_CWT_ROW_ARRAY(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL }
#define WSI_CWT_ROW_ARRAYS(prefix, of_what) \
	[prefix##_SCALE] = WSI_CWT_ROW_ARRAY("scale", "scale, s"), \
	[prefix##_WIDTH_TIME] = WSI_CWT_ROW_ARRAY("width_time", \
		"deviation of the wavelet in time, s"), \
	[prefix##_WIDTH_FREQUENCY] = WSI_CWT_ROW_ARRAY("width_frequency", \
		"deviation of the wavelet in frequency, Hz"), \
	[prefix##_CONE] = WSI_CWT_ROW_ARRAY("cone", "how far the ends of " of_what " reach, s")

/* Fills them for the part of the frequencies that io names; first: the array of scales. */
void wsi_cwt_put_rows(const wsi_cwt *cwt, const wsi_io *io, int first);

/* The exponent of a power of two: magnitudes are below it times a channel's scale. */
int wsi_cwt_power_gain(const wsi_cwt *cwt);

/* The transform behind a plan whose result has a row for each of its wavelets; NULL: the plan is of
 * another row of the table. */
const wsi_cwt *wsi_cwt_of_rows(const ws_plan *plan);

/* ---- Functions of rows -------------------------------------------------------------------- */

/* Of all frequencies and outputs, for arrays that are made. */
size_t wsi_cwt_extent(const ws_plan *plan, int array, ws_axis axis);
/* Frequencies in Hz. */
bool wsi_cwt_axis_values(const ws_plan *plan, int array, ws_axis axis, double *values);
size_t wsi_cwt_every_of(const ws_plan *plan, int array);
ws_status wsi_cwt_measure(ws_plan *plan, bool aside);
/* As in wsi_transform: the tables of the transform. */
ws_status wsi_cwt_fill_plan(ws_plan *plan, wsi_progress *progress);
void wsi_cwt_empty_plan(ws_plan *plan);
void wsi_cwt_release(ws_plan *plan);

/* ---- Plans ---------------------------------------------------------------------------------- */

/* Makes plan->cwt for the samples and options of a plan. */
ws_status wsi_cwt_make(wsi_cwt_plan *plan, const ws_cwt_opts *asked);
/* Takes the epochs of a plan's shape, at least so many.  WS_E_ARG: fewer, too many. */
ws_status wsi_cwt_take_epochs(wsi_cwt_plan *plan, size_t least);
/* Keeps what rows of a frequency share: for the blocks that follow, where it takes little memory,
 * and if wanted for channels of this one, where it takes no more than their spectra. */
void wsi_cwt_keep(wsi_cwt_plan *plan, bool wanted);
/* Of so many frequencies those that one execution makes. */
size_t wsi_cwt_at_once(const ws_plan *plan, size_t count);
/* Threads and time of work that takes one thread so many seconds and has so many items. */
void wsi_cwt_share(ws_plan *plan, double seconds, size_t items);
/* Makes the job of a plan on a GPU, and its time: coefficients of so many signals, as they are
 * (sums NULL; into that array), or what is formed of them. */
ws_status wsi_cwt_on_gpu(wsi_cwt_plan *plan, size_t signals, int array,
                         const wsi_cwt_job_sums *sums);
/* on_gpu() of rows whose options have that quantity: WS_E_UNSUPPORTED where only the CPU has it. */
ws_status wsi_cwt_gpu_takes(const ws_shape *shape, const void *opts);
/* Appends to a description: how many frequencies go each way, kernels and workspace. */
void wsi_cwt_describe_scales(const ws_plan *plan, wsi_line *to);
void wsi_cwt_describe_work(const ws_plan *plan, wsi_line *to);

/* ---- Executions ----------------------------------------------------------------------------- */

typedef struct wsi_cwt_execution {
	const wsi_cwt_plan *plan;
	const wsi_io *io;
	wsi_progress *progress;
	wsi_pool *pool;
	size_t first, count;    /* frequencies that are made */
	char *spectra;          /* [plan->spectra] */
	void *shared;
	void *scratch;
} wsi_cwt_execution;

/* Lays the workspace out and starts the threads; the caller stops them. */
wsi_cwt_execution wsi_cwt_begin(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                                void *workspace, wsi_pool *pool);

/* Spectra of all channels or, where the plan has epochs, of those of one channel.  WS_E_FORMAT
 * names the sample that is not finite, or the channel whose power the type does not hold. */
ws_status wsi_cwt_take(const wsi_cwt_execution *e, size_t channel, char *spectra);
/* WS_E_FORMAT: names the first of so many samples of a channel that is not finite. */
ws_status wsi_cwt_refuse(const wsi_cwt_execution *e, size_t channel, size_t samples);

/* What the forward transforms of all channels, or of the epochs of one, are of a part of the
 * execution's time. */
double wsi_cwt_forward_share(const wsi_cwt_execution *e, double part);
/* Takes all channels, makes the items and stops the threads. */
ws_status wsi_cwt_finish(const wsi_cwt_execution *e, const wsi_cwt_work *items);

/* A channel of an execution over epochs, or two, as items see it. */
typedef struct wsi_epochs_channel {
	const wsi_cwt_execution *execution;
	size_t channel, with;   /* with: the channel that it is compared with */
	const char *beside;     /* [epoch] its spectra */
} wsi_epochs_channel;

/* Item i of a channel; user: the wsi_epochs_channel. */
typedef void wsi_epochs_item(void *user, size_t i, wsi_cwt_scratch *scratch, void *own);

/* What is done with each channel, or with each pair of them. */
typedef struct wsi_epochs_work {
	wsi_epochs_item *item;  /* for each frequency of the part: item i makes frequency e->first
	                           + i, which is row i of arrays */
	wsi_epochs_item *before; /* for i below before_items, all of them first; or NULL */
	size_t before_items;
	size_t with, with_end;  /* channels that every channel is compared with; none where equal */
	bool once;              /* a pair comes once: channel >= with */
	/* After a pair's items, which then are 1 of so many parts of its work; or NULL.  The step
	 * of the progress is that from `from` to `to`. */
	ws_status (*after)(const wsi_epochs_channel *pair, double from, double to);
	double parts;
	int scales;             /* the array of scales */
} wsi_epochs_work;

ws_status wsi_epochs_run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                         void *workspace, const wsi_epochs_work *work);

#endif
