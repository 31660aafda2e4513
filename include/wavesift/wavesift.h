/*
 * wavesift.h - decomposition of non-stationary signals: the EMD family.
 *
 * Life of a call:  ws_ctx -> ws_plan -> ws_execute_emd, many times -> destroy.
 * For recordings that do not fit in memory at once: ws_ctx -> ws_run, which
 * cuts the channels into blocks and fetches and delivers them by callback.
 *
 * Plans are immutable and may be shared by threads; concurrent executions
 * bring their own workspace.  Execution does not allocate, print, abort or
 * exit.  "Borrowed" memory is yours and must stay valid during the call.
 *
 * Arrays are row major, time fastest: x[channel][time],
 * modes[channel][mode][time].  The element type is a field (ws_type).
 *
 * The results depend, bit for bit, on the input, the options, the type and
 * ws_numerics_version() only: not on threads, instruction set, GPU or machine.
 */
#ifndef WAVESIFT_H
#define WAVESIFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WS_VERSION_MAJOR 0
#define WS_VERSION_MINOR 1
#define WS_VERSION_PATCH 0

#if defined(__GNUC__)
#define WS_API __attribute__((visibility("default")))
#else
#define WS_API
#endif

/* ---- Status ----------------------------------------------------------- */

/* Append-only. */
typedef enum ws_status {
	WS_OK             =  0,
	WS_E_ARG          = -1, /* argument outside its documented range       */
	WS_E_NOMEM        = -2, /* host or device allocation failed            */
	WS_E_UNSUPPORTED  = -3, /* no kernel of this backend fits the problem  */
	WS_E_BACKEND      = -4, /* CUDA, NCCL or MPI reported an error         */
	WS_E_IO           = -5, /* a file cannot be opened, read or written    */
	WS_E_FORMAT       = -6, /* the content of a file or signal is invalid  */
	WS_E_NOSPACE      = -7, /* the disk is full                            */
	WS_E_EXISTS       = -8, /* the output exists already                   */
	WS_E_CANCELLED    = -9, /* the progress callback asked to stop         */
	WS_E_INTERNAL     = -10 /* a bug in wavesift                           */
} ws_status;

/* Name of a status, such as "WS_E_ARG".  Never NULL. */
WS_API const char *ws_status_name(ws_status status);

/* What, where and what to do about this thread's last failure; one line.
 * Never NULL; valid until the thread's next failing call. */
WS_API const char *ws_error_detail(void);

/* "0.1.0" */
WS_API const char *ws_version(void);

/* Changes whenever any result may change in any bit. */
WS_API int ws_numerics_version(void);

/* ---- Context ---------------------------------------------------------- */

typedef struct ws_ctx ws_ctx;

/* In every options struct size comes first and 0 means "default", so
 *     ws_ctx_opts o = { .size = sizeof o, .threads = 2 };
 * stays correct when later versions append fields. */
typedef struct ws_ctx_opts {
	size_t size;
	int threads;      /* default: the processors this process may use      */
	const char *isa;  /* "avx512", "avx2", "neon", "plain"; default: best  */
	const char *device; /* "cpu"; "cuda": the first usable GPU; "cuda:1"; "cuda:0,2":
	                       a run spreads over these, a plan takes the first; "auto"
	                       (default, but "cpu" where isa is given): a GPU where there
	                       is one and the work is worth it, else the CPU          */
	size_t device_memory; /* most bytes of a GPU that a plan may take; default: 90 %
	                         of what is free                                      */
} ws_ctx_opts;

/* opts may be NULL.  On failure *ctx is NULL. */
WS_API ws_status ws_ctx_create(ws_ctx **ctx, const ws_ctx_opts *opts);
WS_API void ws_ctx_destroy(ws_ctx *ctx);
WS_API int ws_ctx_threads(const ws_ctx *ctx);
WS_API const char *ws_ctx_isa(const ws_ctx *ctx);

/* The i-th instruction set this build and machine can run, best first;
 * NULL past the last. */
WS_API const char *ws_isa_name(int i);

/* A GPU of this machine. */
typedef struct ws_device {
	size_t size;
	char name[16];        /* "cuda:0", as ws_ctx_opts.device takes it */
	char model[128];
	char detail[128];     /* versions, for people */
	size_t memory, memory_free; /* bytes */
	int usable;
	char why[256];        /* it is not */
} ws_device;

/* Fills *device with the i-th GPU.  WS_E_BACKEND past the last; for i = 0 the
 * detail then says why there is none. */
WS_API ws_status ws_device_info(int i, ws_device *device);

/* ---- Options of the EMD family ---------------------------------------- */

typedef enum ws_type { WS_F64 = 0, WS_F32 = 1 } ws_type;

typedef struct ws_shape {
	size_t size;
	size_t channels; /* 1 .. 2^24 */
	size_t samples;  /* per channel, 1 .. 2^29 - 1 */
	ws_type type;    /* of the arrays and of the arithmetic */
	size_t together; /* WS_MEMD: channels of one multivariate signal, of which channels
	                    is a multiple (epochs, say); default: all                    */
} ws_shape;

typedef enum ws_method {
	WS_EMD      = 1, /* Huang et al. 1998 (default)                        */
	WS_EEMD     = 2, /* ensemble EMD, Wu & Huang 2009                      */
	WS_CEEMDAN  = 3, /* Torres et al. 2011                                 */
	WS_ICEEMDAN = 4, /* Improved CEEMDAN, Colominas et al. 2014            */
	WS_MEMD     = 5  /* multivariate EMD, Rehman & Mandic 2010: all channels together,
	                    so that mode k of every channel lies in the same band       */
} ws_method;

/* A published code whose result is to be reproduced, quirks included.  It
 * sets every option that the caller left at its default. */
typedef enum ws_reference {
	WS_REF_NONE        = 0,
	WS_REF_RILLING     = 1, /* emd.m, Rilling & Flandrin, 3.2007           */
	WS_REF_COLOMINAS   = 2, /* ceemdan.m, Colominas, 2.2015                */
	WS_REF_TORRES      = 3, /* CEEMDAN as first published, rilling inside  */
	WS_REF_LIBEEMD     = 4, /* libeemd 1.4 (Luukko et al. 2016)            */
	WS_REF_CEEMDAN_GPU = 5, /* CEEMDAN-GPU (Wang & Juhasz 2023)            */
	WS_REF_MEMD        = 6, /* memd.m, Rehman & Mandic, 10.2009            */
	WS_REF_MEMD_GPU    = 7  /* MEMD-GPU (Wang & Juhasz 2023): its envelopes and sifts, on
	                           the directions of memd.m                     */
} ws_reference;

typedef enum ws_boundary {
	WS_BOUNDARY_MIRROR      = 1, /* two extrema mirrored, Rilling's rule (default) */
	WS_BOUNDARY_EXTRAPOLATE = 2, /* end samples, or the line through the nearest two
	                                extrema where that is more extreme (libeemd)   */
	WS_BOUNDARY_SLOPE       = 3, /* the same, but the line only where four extrema of
	                                the kind exist (the published GPU codes)       */
	WS_BOUNDARY_PERIODIC    = 4  /* the signal is one period                       */
} ws_boundary;

typedef enum ws_spline {
	WS_SPLINE_NOT_A_KNOT = 1, /* cubic, C2 (default)                       */
	WS_SPLINE_NATURAL    = 2, /* cubic, C2, zero curvature at the ends     */
	WS_SPLINE_PCHIP      = 3, /* monotone, Fritsch & Butland 1984          */
	WS_SPLINE_AKIMA      = 4  /* Akima 1970                                */
} ws_spline;

/*
 * When a mode is finished.  h is the signal being sifted, m the mean of its
 * envelopes, a half their difference.  Parameters are stop_param[0..2]; 0
 * means the default given here.
 */
typedef enum ws_stop {
	WS_STOP_FIXED     = 1, /* after exactly `sifts` sifts, 10 (default of EMD, EEMD) */
	WS_STOP_RILLING   = 2, /* Rilling et al. 2003: |m| <= p0 |a| but for a share p2 of the
	                          samples, |m| <= p1 |a| for all, and as many zero crossings
	                          as extrema, give or take one; 0.05, 0.5, 0.05.  Tested
	                          before a sift: a signal that is a mode is left alone.
	                          (default of CEEMDAN and Improved CEEMDAN)             */
	WS_STOP_S_NUMBER  = 3, /* Huang et al. 2003: p0 sifts in a row that leave the numbers
	                          of extrema (one may come or go), maxima > 0 > minima; 4 */
	WS_STOP_SD        = 4, /* Huang et al. 1998: sum (m / h)^2 < p0; 0.25.  Grows with the
	                          number of samples: prefer WS_STOP_CAUCHY              */
	WS_STOP_CAUCHY    = 5, /* sum m^2 < p0 sum h^2; 0.05                            */
	WS_STOP_TOLERANCE = 6, /* MATLAB's emd: the same with 0.2, at most 100 sifts; ends the
	                          decomposition too, once the input has p1 dB more energy
	                          than the residue; 0.2, 20                             */
	WS_STOP_ENERGY    = 7, /* Rato et al. 2008: h has p0 dB more energy than m; 50  */
	WS_STOP_FIX_H     = 8  /* WS_MEMD: p0 tests in a row of which each finds a direction with as
	                          many zero crossings as extrema, give or take one; 2       */
} ws_stop;

/*
 * Of these WS_MEMD has WS_STOP_FIXED, FIX_H and, on vectors, RILLING (its default: |m| is
 * the length of the mean over the directions, |a| the mean of half the distances between
 * the envelopes; 0.075, 0.75, 0.075), CAUCHY, TOLERANCE and ENERGY (sums over all channels).
 * None of them judges before the second sift, but for references: the first takes off
 * offsets, on which no verdict is to depend.
 */

/* Directions on which WS_MEMD projects the channels. */
typedef enum ws_direction_set {
	WS_DIRECTIONS_SCRAMBLED  = 1, /* evenly spread over the sphere for any number of
	                                 channels, docs/decisions/0008-memd.md (default) */
	WS_DIRECTIONS_HAMMERSLEY = 2, /* those of memd.m: uneven from some ten channels on */
	WS_DIRECTIONS_GAUSSIAN   = 3, /* independent, by seed                            */
	WS_DIRECTIONS_GIVEN      = 4  /* direction_vectors                               */
} ws_direction_set;

/* Scale of the noise mode E_k(w) that stage k >= 2 adds to the residue r. */
typedef enum ws_snr {
	WS_SNR_INCREASING = 1, /* noise * std(r) * E_k(w)                      */
	WS_SNR_CONSTANT   = 2  /* noise * std(r) * E_k(w) / std(E_k(w))        */
} ws_snr;

typedef enum ws_channel_noise {
	WS_NOISE_SHARED      = 1, /* all channels see the same noise (default) */
	WS_NOISE_INDEPENDENT = 2
} ws_channel_noise;

typedef struct ws_emd_opts {
	size_t size;
	ws_method method;
	ws_reference reference;
	ws_boundary boundary;
	ws_spline spline;
	ws_stop stop;
	double stop_param[3];
	int sifts;        /* sifts a mode of WS_STOP_FIXED; giving it selects that rule */
	int max_sifts;    /* bound of the other rules; default 1000           */
	int check_every;  /* sifts between two stop tests; default 1          */
	int max_modes;    /* K, without the residue.  The modes found are the same as
	                     without the limit; all that is slower stays in the residue.
	                     Default: log2(samples); EMD, MEMD and WS_REF_TORRES 8 more,
	                     which they rarely need */
	/* Ensembles */
	int realizations; /* default 100                                      */
	int pairs;        /* EEMD: nonzero adds and subtracts each noise; realizations even */
	double noise;     /* in units of the signal's std; default 0.2; negative: none */
	ws_snr snr;       /* default: WS_SNR_INCREASING                       */
	uint64_t seed;
	ws_channel_noise channel_noise;
	/* WS_MEMD */
	int directions;   /* V; default 64, or twice the channels if that is more:
	                     fewer than twice the channels are too few            */
	ws_direction_set direction_set;
	const double *direction_vectors; /* [V][channels + noise_channels], of any length but 0,
	                     borrowed while planning; selects WS_DIRECTIONS_GIVEN */
	int noise_channels; /* NA-MEMD (Rehman & Mandic 2011): channels of white noise that are
	                     sifted along and dropped; they spread the modes evenly over the
	                     octaves; default none                                */
	double noise_power; /* of each, in shares of the mean power of the channels;
	                     default 0.05                                         */
} ws_emd_opts;

/* ---- Plan and execution ----------------------------------------------- */

/*
 * Floating point environment.  Plans and executions compute in the default one (rounding to
 * nearest, subnormal numbers kept, no exception trapped), whatever the caller's is, and give the
 * caller's back, exception flags included, when they return.  Callbacks run in the default one
 * too; what they change of it ends with the call that made them.
 */

typedef struct ws_plan ws_plan;

/* Borrows ctx.  opts may be NULL.  On failure *plan is NULL. */
WS_API ws_status ws_plan_emd(ws_plan **plan, ws_ctx *ctx,
                             const ws_shape *shape, const ws_emd_opts *opts);
WS_API void ws_plan_destroy(ws_plan *plan);

/* Bytes of workspace that one execution needs. */
WS_API size_t ws_plan_workspace(const ws_plan *plan);
/* "cpu", or the GPU that works, such as "cuda:0". */
WS_API const char *ws_plan_device(const ws_plan *plan);
/* Bytes of that GPU's memory; the context keeps them from the first execution on. */
WS_API size_t ws_plan_device_bytes(const ws_plan *plan);
/* Bytes of this machine's memory besides the workspace, kept likewise, for the
 * residues of realizations where the GPU's does not suffice; else 0. */
WS_API size_t ws_plan_host_bytes(const ws_plan *plan);
/* Modes that the caller's array must have room for, per channel. */
WS_API int ws_plan_modes(const ws_plan *plan);
/* The options in force, every default and reference resolved. */
WS_API const ws_emd_opts *ws_plan_options(const ws_plan *plan);
/* Expected run time in seconds, from stored measured constants. */
WS_API double ws_plan_seconds(const ws_plan *plan);
/* What will run where, for people; several lines, owned by the plan. */
WS_API const char *ws_plan_describe(const ws_plan *plan);

/* Called now and then from one thread at a time with the share done, 0..1.
 * A nonzero answer cancels: the call returns WS_E_CANCELLED. */
typedef int (*ws_progress)(void *user, double done);

typedef struct ws_emd_io {
	size_t size;
	const void *x;       /* [channel][time]                                */
	size_t first_channel; /* number of x[0] in the recording: picks independent noise */
	const void *noise;   /* [realization][time], used instead of drawn noise; or NULL */
	void *modes;         /* [channel][ws_plan_modes()][time]; rows past mode_count are left alone */
	void *residue;       /* [channel][time]                                */
	int32_t *mode_count; /* [channel]                                      */
	int32_t *sifts;      /* [channel][ws_plan_modes()] sifts made (ensembles:
	                        the largest of all realizations; WS_MEMD: the same for
	                        all channels); or NULL                         */
	int32_t *unfinished; /* [channel] modes cut off by max_sifts before their
	                        stop rule held; or NULL                        */
	ws_progress progress; /* or NULL */
	void *user;
} ws_emd_io;

/* workspace: ws_plan_workspace() bytes, 64-byte aligned, borrowed.
 * Errors: WS_E_FORMAT a sample is not finite (channel and sample named), or a mode more than the
 * type holds; WS_E_NOMEM, WS_E_BACKEND on a GPU;
 * WS_E_CANCELLED; on a GPU WS_E_NOMEM and WS_E_BACKEND.  The sum of modes and residue is x to rounding for every
 * method but unpaired EEMD, whose noise averages out only as 1/sqrt(I). */
WS_API ws_status ws_execute_emd(const ws_plan *plan, const ws_emd_io *io,
                                void *workspace);

/* ---- What a mode holds ------------------------------------------------ */

/*
 * Figures of one row.  A half wave is what lies between two crossings of the
 * row's mean, interpolated linearly.  One of length L has the frequency
 * 1/(2 L), raised (at most doubled) by the third harmonic that the
 * energy of its differences asks for; what lies before the first crossing and after the
 * last is taken with its mirror image for a half wave.  Weighted with the
 * energies of the half waves, the mean of their frequencies is the centroid of
 * the row's power spectrum, the quartiles are its band.  Against the
 * periodogram of the row and its mirror image: within 5 % for modes of 30 half
 * waves or more (docs/validation.md).  With a dozen neither figure is sharp, nor
 * where nearly all energy lies in a dozen of them (effective_half_waves).
 */
typedef struct ws_mode_figures {
	size_t size;
	double frequency;      /* Hz; 0 for a constant row                     */
	double band_low, band_high; /* Hz; a quarter of the energy lies below, a quarter above */
	size_t half_waves;     /* crossings of the mean: whole half waves, and half of one at
	                          each end                                     */
	double effective_half_waves; /* (sum e)^2 / sum e^2 over their energies e: how many
	                          carry the energy                             */
	double crossing_frequency; /* Hz: half_waves / 2 over the duration n / fs; counts quiet
	                          stretches as much as loud ones               */
	double mean;           /* in the unit of the samples                   */
	double deviation;      /* standard deviation about the mean (divided by n), likewise;
	                          its square is the variance                   */
} ws_mode_figures;

/* Fills *figures, whose size is set, for x[n] at fs samples a second.  The same
 * bits on every machine, and for a row times a power of two; may be called from
 * several threads.  Errors: WS_E_ARG; WS_E_FORMAT a sample is not finite. */
WS_API ws_status ws_mode_stats(const void *x, ws_type type, size_t n, double fs,
                               ws_mode_figures *figures);

/* ---- Recordings of any size ------------------------------------------- */

typedef struct ws_run ws_run;

/* Cuts shape into blocks of channels (WS_MEMD: of shape->together) whose arrays
 * and workspace fit in memory bytes (0: no limit), and in the GPU's.  Several GPUs
 * share them out.  WS_E_NOMEM where the smallest block does not fit. */
WS_API ws_status ws_run_create(ws_run **run, ws_ctx *ctx, const ws_shape *shape,
                               const ws_emd_opts *opts, size_t memory);
WS_API void ws_run_destroy(ws_run *run);
WS_API const char *ws_run_describe(const ws_run *run);
WS_API size_t ws_run_bytes(const ws_run *run);    /* host memory it will hold */
WS_API const char *ws_run_device(const ws_run *run);     /* "cpu", "cuda:0", "cuda:0,2" */
WS_API size_t ws_run_device_bytes(const ws_run *run);    /* memory of each GPU */
WS_API double ws_run_seconds(const ws_run *run);  /* expected */
/* Seconds of work in the last execution, without the reading and writing beside it. */
WS_API double ws_run_worked(const ws_run *run);
WS_API const ws_emd_opts *ws_run_options(const ws_run *run);
WS_API int ws_run_modes(const ws_run *run);       /* most modes a channel can have */

/* One finished channel, valid during the callback. */
typedef struct ws_channel_result {
	size_t channel;
	int modes;
	const void *x;           /* [time] */
	const void *mode_rows;   /* [modes][time] */
	const void *residue;     /* [time] */
	const int32_t *sifts;    /* [modes] */
	int unfinished;
} ws_channel_result;

/* All are called one at a time, by the thread that called ws_run_execute.  Blocks go
 * through memory in two sets of buffers where it suffices: the next is read, and the one
 * before written, while one is worked on. */
typedef struct ws_stream {
	size_t size;
	/* Fills x[samples] with one channel.  Not WS_OK ends the run with it. */
	ws_status (*read)(void *user, size_t channel, void *x);
	/* Takes one finished channel; channels come in order. */
	ws_status (*write)(void *user, const ws_channel_result *result);
	ws_progress progress;    /* or NULL */
	const void *noise;       /* as in ws_emd_io; or NULL */
	void *user;
} ws_stream;

WS_API ws_status ws_run_execute(ws_run *run, const ws_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
