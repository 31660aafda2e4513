/* cwt_ways.h - a plan of the wavelet transform on the CPU, and the ways of one scale. */
#ifndef WSI_CPU_CWT_WAYS_H
#define WSI_CPU_CWT_WAYS_H

#include <stdatomic.h>

#include "base/progress.h"
#include "cpu/cwt/cwt_edge.h"
#include "cpu/fft/dft.h"
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

struct wsi_cwt;

typedef struct wsi_cwt_scale {
	const struct wsi_cwt *of; /* whose spectra it is made of: the plan's, or its near part's */
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
	double cost;            /* ns of a channel, on one core of a server of 2023 */
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

/* What rows of a scale share, kept from one channel to the next: its response and its carriers,
 * made by the thread that first wants them. */
typedef struct wsi_cwt_kept {
	size_t bytes;           /* of all scales; 0: nothing is kept */
	char *memory;           /* bytes of them, in the order of the scales; NULL: not yet */
	size_t *at;             /* [count]: where in it a scale's begin */
	atomic_uchar *state;    /* [count]: not made, begun, made */
} wsi_cwt_kept;

typedef struct wsi_cwt {
	size_t samples;
	double fs;
	ws_type type;
	ws_cwt_opts o;          /* resolved; its arrays are not to be read */
	const wsi_ops *ops, *wide; /* of type, of WS_F64 */
	size_t length;          /* of the padded signal: N */
	struct wsi_cwt *near;   /* of wavelets that reach little, whose spectra are of a shorter
	                           padded signal; it has the plan's scale[].  Or NULL */
	size_t lead;            /* bytes of a channel's spectra before these: of a near part */
	size_t outputs;         /* of each frequency: ceil(samples / decimate); where there are
	                           octaves, the most that one has */
	int octaves;            /* 0: all frequencies are sampled alike */
	wsi_cwt_octave octave[WSI_CWT_OCTAVES];
	bool steps;             /* mirror images meet with a step, as in some references */
	bool centred;           /* the mean is taken off first: the wavelets do not see it */
	double *fade;           /* shares within the gap's middle fifth (math/padding.h); NULL: they
	                           are made as they are wanted */
	wsi_dft dft;            /* of N points */
	int grids;
	wsi_cwt_grid *grid;
	size_t count;           /* of frequencies */
	wsi_cwt_scale *scale;
	double *tap_store;
	struct wsi_far *far;    /* transform/cwt/far.h; NULL where no response is a table */
	wsi_cwt_kept kept;
	wsi_cwt_edge *edge;     /* or NULL: spectra are those of the padded signals */
	size_t below, above;    /* bins of a spectrum below 0, and beyond N / 2 */
	double seconds;         /* expected for one channel, one thread, of the near part too */
	double forward;         /* of them: those of the forward transform */
	double responses;       /* for all channels together, one thread */
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
	void *response, *carriers; /* of the scale that came last */
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

/* How a scale of a channel is computed: chosen at plan time from the plan alone. */
typedef struct wsi_cwt_way {
	const char *name;
	/* Can the scale be computed so?  *ratio, 1 before: outputs a point of the inverse transform
	 * that it would take, *taps, 0 before, of the interpolation after it; what costs least. */
	bool (*fits)(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int *ratio, int *taps);
	/* ns for each output, on one core of a server of 2023. */
	double (*cost)(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps);
	void (*run)(const wsi_cwt_line *line);
} wsi_cwt_way;

/* From the second on they work in double, and take no grid. */
enum { WSI_CWT_IN_DOUBLE = 2, WSI_CWT_WAYS = 4 };
extern const wsi_cwt_way wsi_cwt_ways[WSI_CWT_WAYS];

/* ns of a channel on one core of a server of 2023: of its forward transform; of a scale, by the way
 * that was chosen.  Numbers may depend on them: they are the same anywhere. */
double wsi_cwt_forward_cost(const wsi_cwt *cwt);
double wsi_cwt_scale_cost(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps);
/* Expected seconds of one core: of a scale of a channel, by its way, with the plan's instruction
 * set; of a scale's response, which is made once for channels that are worked on together. */
double wsi_cwt_scale_seconds(const wsi_cwt *cwt, const wsi_cwt_scale *scale, int ratio, int taps);
double wsi_cwt_response_seconds(const wsi_cwt_scale *scale);

/* Bytes of what rows of all scales share, but those of the near part; those in double share
 * nothing. */
size_t wsi_cwt_kept_bytes(const wsi_cwt *cwt);
/* Memory for it, if cwt->kept.bytes is set.  WS_E_NOMEM. */
ws_status wsi_cwt_kept_fill(wsi_cwt *cwt);
void wsi_cwt_kept_empty(wsi_cwt *cwt);
/* Takes what is kept of a scale into a thread's scratch; false: it is not there. */
bool wsi_cwt_take_kept(const wsi_cwt *cwt, const wsi_cwt_scale *scale, wsi_cwt_scratch *scratch);

/* Bytes of the largest arrays of a thread's scratch: response; each of z; of y; rest. */
void wsi_cwt_scratch_bytes(const wsi_cwt *cwt, size_t bytes[4]);

#endif
