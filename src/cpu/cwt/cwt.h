/*
 * cwt.h - the continuous wavelet transform of rows of samples on the CPU.
 *
 *     wsi_cwt_create (transform/cwt/cwt.h)  ->  for blocks of channels: wsi_cwt_forward, then
 *     wsi_cwt_run for blocks of frequencies and of time, in any order  ->  wsi_cwt_destroy
 *
 * A plan is immutable and may be shared by threads.  A coefficient has the same bits whatever block
 * it is asked for in, for any number of threads, and on any instruction set but "ref".
 */
#ifndef WSI_CPU_CWT_H
#define WSI_CPU_CWT_H

#include "cpu/cwt/cwt_edge.h"
#include "cpu/fft/dft.h"
#include "base/pool.h"
#include "base/progress.h"
#include "ops/cwt_ops.h"
#include "ops/ops.h"

/* The inverse transform of one size; shared by all scales that take it. */
typedef struct wsi_cwt_grid {
	int ratio;              /* outputs a point; 1: no interpolation */
	int taps;               /* of the interpolation */
	size_t m;               /* points */
	wsi_fft *fft;
	void *weights;          /* [taps][ratio] */
	double *flatten;        /* [reach]: 1 by the transform of the weights */
	size_t reach;           /* bins from the centre that it serves */
} wsi_cwt_grid;

typedef struct wsi_cwt_scale {
	double frequency, scale; /* Hz, s */
	double omega0;
	double cone, width_time; /* s */
	double width_frequency; /* Hz */
	wsi_cwt_response response;  /* its table is owned by the plan */
	int64_t centre;         /* bin in the middle of the band */
	int way;                /* index in wsi_cwt_ways */
	int grid;
	size_t decimate;        /* samples between outputs */
	size_t step;            /* samples between points of the transform that makes them; divides
	                           decimate */
	const double *taps;     /* references that convolve: [2][tap_count], a table of the plan */
	size_t tap_count;
	size_t tap_zero;        /* the tap that meets the output's own sample */
	double low, high;       /* w: where the shape ends */
	double reach;           /* samples that the wavelet reaches to either side, if not cut */
	bool far;               /* its response is a table: the padding is too short for it */
	bool cut_low, cut_high; /* its response ends with a step, at 0 or at half the rate */
} wsi_cwt_scale;

/* Frequencies of one octave, which are sampled alike. */
typedef struct wsi_cwt_octave {
	size_t first, count;    /* scales */
	size_t decimate, outputs;
} wsi_cwt_octave;

enum { WSI_CWT_OCTAVES = 32 };

typedef struct wsi_cwt {
	size_t samples;
	double fs;
	ws_type type;
	ws_cwt_opts o;          /* resolved; its arrays are not to be read */
	const wsi_ops *ops, *wide; /* of type, of WS_F64 */
	size_t length;          /* of the padded signal: N */
	size_t outputs;         /* of each frequency: ceil(samples / decimate); where there are
	                           octaves, the most that one has */
	int octaves;            /* 0: all frequencies are sampled alike */
	wsi_cwt_octave octave[WSI_CWT_OCTAVES];
	bool steps;             /* mirror images meet with a step, as in some references */
	bool centred;           /* the mean is taken off first: the wavelets do not see it */
	wsi_dft dft;            /* of N points */
	int grids;
	wsi_cwt_grid *grid;
	size_t count;           /* of frequencies */
	wsi_cwt_scale *scale;
	double *tap_store;
	struct wsi_far *far;    /* transform/cwt/far.h; NULL where no response is a table */
	wsi_cwt_edge *edge;     /* or NULL: spectra are those of the padded signals */
	size_t below, above;    /* bins of a spectrum below 0, and beyond N / 2 */
	double seconds;         /* expected for one channel, one thread */
	double forward;         /* of them: those of the forward transform */
} wsi_cwt;

/* Every `every`-th of so many samples, from the first on. */
static inline size_t
wsi_cwt_every(size_t samples, size_t every)
{
	return (samples + every - 1) / every;
}

static inline size_t
wsi_cwt_outputs(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	return wsi_cwt_every(cwt->samples, scale->decimate);
}

/* A thread's scratch. */
typedef struct wsi_cwt_scratch {
	void *response;              /* of the scale that came last */
	const wsi_cwt_scale *scale;
	void *z_re, *z_im;      /* what a transform makes, and, of a grid, of what */
	void *y_re, *y_im;      /* of ways in double; NULL where there are none */
	void *rest;             /* of the inverse transform */
	wsi_progress *progress; /* of the execution, or NULL */
	int rank;               /* of the thread */
} wsi_cwt_scratch;

/* A channel's spectrum, and one scale of it. */
typedef struct wsi_cwt_line {
	const wsi_cwt *cwt;
	const wsi_cwt_scale *scale;
	const void *x_re, *x_im; /* as of wsi_cwt_spectrum() */
	wsi_cwt_store store;
	size_t t0, t1;
	void *out;
	wsi_cwt_scratch *scratch;
} wsi_cwt_line;

/* How a scale of a channel is computed: chosen at plan time from the job alone. */
typedef struct wsi_cwt_way {
	const char *name;
	/* Can the scale be computed so?  *ratio: outputs a point of the inverse transform that
	 * it would take, *taps of the interpolation after it; what costs least. */
	bool (*fits)(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int *ratio, int *taps);
	/* ns for each output, on one core of a server of 2023. */
	double (*cost)(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps);
	void (*run)(const wsi_cwt_line *line);
} wsi_cwt_way;

/* From the second on they work in double, and take no grid. */
enum { WSI_CWT_IN_DOUBLE = 2, WSI_CWT_WAYS = 4 };
extern const wsi_cwt_way wsi_cwt_ways[WSI_CWT_WAYS];

/* Seconds that a channel's forward transform takes one core. */
double wsi_cwt_forward_seconds(const wsi_cwt *cwt);

/* Bytes of the largest arrays of a thread's scratch: response; each of z; of y; rest. */
void wsi_cwt_scratch_bytes(const wsi_cwt *cwt, size_t bytes[4]);

/* Which rows of memory a spectrum is: wsi_cwt_spectrum_bytes each, aligned to 64. */
size_t wsi_cwt_spectrum_bytes(const wsi_cwt *cwt);

/* Bytes of workspace of wsi_cwt_forward() of so many channels at a time, and of wsi_cwt_run(), with
 * so many threads; aligned to 64. */
size_t wsi_cwt_workspace(const wsi_cwt *cwt, size_t channels, int threads);

/* Spectra of channels whose samples lie `stride` bytes apart.  WS_E_FORMAT: a sample is not
 * finite.  progress: or NULL; told how far the step at work is, and looked at between channels:
 * where the user asks to stop, spectra are left out.  So do the calls below, between rows. */
ws_status wsi_cwt_forward(const wsi_cwt *cwt, const void *x, size_t stride, size_t channels,
                          void *spectra, wsi_pool *pool, wsi_progress *progress,
                          void *workspace);

/* The padded signal, x 2^-exponent - offset, where wsi_dft_forward() takes it from. */
void wsi_cwt_pad(const wsi_cwt *cwt, const void *x, int exponent, double offset, double *re,
                 double *im);

/* A spectrum of wsi_cwt_forward: bins -below .. N / 2 + above, to be multiplied by *scale, a power
 * of two; *re, *im: of bin 0. */
void wsi_cwt_spectrum(const wsi_cwt *cwt, const void *spectrum, const void **re, const void **im,
                      double *scale);

/* Outputs t0 .. t1 - 1 of frequency f of one channel, as `quantity`.  stream: past the caches. */
void wsi_cwt_one(const wsi_cwt *cwt, const void *spectrum, size_t f, ws_quantity quantity,
                 bool stream, size_t t0, size_t t1, void *out, wsi_cwt_scratch *scratch);

/* Between rows of a long item: false where the user has asked to stop.  Thread 0 asks. */
bool wsi_cwt_goes_on(const wsi_cwt_scratch *scratch);

/* Work that is formed from rows of coefficients: item 0 .. items - 1, each by one thread, in any
 * order. */
typedef struct wsi_cwt_work {
	size_t items;
	size_t together;        /* neighbours that one thread takes at a time; 0: one */
	size_t own_bytes;       /* of a thread */
	void (*item)(void *user, size_t item, wsi_cwt_scratch *scratch, void *own);
	void *user;
} wsi_cwt_work;

void wsi_cwt_items(const wsi_cwt *cwt, const wsi_cwt_work *work, wsi_pool *pool,
                   wsi_progress *progress, void *workspace);
/* Bytes of its workspace, and of that of wsi_cwt_forward() of so many channels at a time. */
size_t wsi_cwt_items_workspace(const wsi_cwt *cwt, size_t channels, int threads, size_t own_bytes);

/* What is computed, and where it goes. */
typedef struct wsi_cwt_part {
	const void *spectra;    /* of wsi_cwt_forward */
	size_t channels;
	size_t f0, f1;          /* frequencies */
	size_t t0, t1;          /* outputs */
	char *out;              /* of channel 0, frequency f0, output t0; best aligned to 64 */
	size_t channel_stride, frequency_stride; /* bytes */
} wsi_cwt_part;

void wsi_cwt_run(const wsi_cwt *cwt, const wsi_cwt_part *job, wsi_pool *pool,
                 wsi_progress *progress, void *workspace);

#endif
