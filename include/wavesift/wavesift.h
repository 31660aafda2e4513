/*
 * wavesift.h - time-frequency analysis of non-stationary signals.
 *
 * Life of a call:  ws_ctx -> ws_plan -> ws_execute, many times -> destroy.
 * For recordings that do not fit in memory at once: ws_ctx -> ws_run, which
 * cuts the channels into blocks and fetches and delivers them by callback.
 *
 * A transform (ws_transform_at) is what is done: a name, options, and the arrays it
 * makes.  This header has what all transforms share.  A header for each family, which this one
 * includes, has their options and the numbers of their arrays:
 *     wavesift/emd.h   empirical mode decomposition into modes (intrinsic mode functions, IMFs):
 *                      "emd", "eemd", "ceemdan", "iceemdan", "memd"
 *     wavesift/hht.h   Hilbert-Huang spectra of modes: "hht"; their averages over epochs:
 *                      "hhtrials"
 *     wavesift/cwt.h   wavelets: "cwt", "bands", "superlets"; averages over epochs: "trials";
 *                      coherence of channels: "coherence"
 *     wavesift/conv.h  convolution with masks (kernels): "conv"
 *
 * The power of one channel over time and frequency, every status checked in a real program:
 *     ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = n, .fs = 250 };
 *     ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .quantity = WS_QUANTITY_POWER };
 *     ws_ctx_create(&ctx, NULL);
 *     ws_plan_create(&plan, ctx, "cwt", &shape, &o);
 *     ws_array a = { .size = sizeof a };
 *     ws_plan_array(plan, WS_CWT_POWER, &a);        a.extent: how large power is to be
 *     ws_buffer arrays[WS_CWT_ARRAYS] = { [WS_CWT_POWER] = { .data = power } };
 *     ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = WS_CWT_ARRAYS };
 *     ws_execute(plan, &io, workspace);             of ws_plan_workspace() bytes
 *
 * Plans are immutable and may be shared by threads; concurrent executions
 * bring their own workspace.  Execution does not print, abort or exit, and
 * works in that workspace: it allocates nothing but the stacks of its threads
 * and, the first time on a GPU, memory of the device and pinned memory of the
 * host, which the context keeps.  "Borrowed" memory is yours and must stay
 * valid during the call.
 *
 * Arrays are row major, time fastest: x[channel][time],
 * modes[channel][mode][time].  The element type is a field (ws_type).  Numbers count from 0.
 *
 * The results depend, bit for bit, on the input, the options, the type and
 * ws_numerics_version() only: not on threads, instruction set or machine.  A GPU
 * makes the same bits, except where it goes through Fourier transforms (wavelets,
 * convolution by transforms); there it agrees to rounding.
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

/* What, where and what to do about this thread's last failure; one line, in which options stand in
 * backticks by the names of their fields, maybe with a value: `max_sifts`, `device cpu`, and
 * channels, samples, epochs, modes, masks, taps and frequencies count from 0, as everywhere.  Calls
 * that succeed leave it, whatever they tried on the way and whatever their callbacks called; of a
 * callback that gave up without a failing call of its own it says which.  Never NULL; valid until
 * the thread's next call. */
WS_API const char *ws_error_detail(void);

/* "0.1.0" */
WS_API const char *ws_version(void);

/* Changes whenever any result may change in any bit. */
WS_API int ws_numerics_version(void);

/* ---- Context ---------------------------------------------------------- */

typedef struct ws_ctx ws_ctx;

/*
 * Every struct that a caller hands over begins with its size, and 0 means "default" in all that
 * are optional, so
 *     ws_ctx_opts o = { .size = sizeof o, .threads = 2 };
 * stays correct when later versions append fields.  Where a language lacks such initializers, 0
 * throughout and then the size is the same (C++: ws_shape s = {}; s.size = sizeof s;), but options
 * of transforms have a tag too: ws_cwt_opts_init() and the like.  What later versions promise:
 *   - Fields are appended only: none moves, goes or changes its meaning.
 *   - A program that was compiled with an older header hands over shorter structs: the fields
 *     that it does not know are at their default.
 *   - A program that was compiled with a newer header hands over longer ones: they are accepted
 *     where the fields that the library does not know are 0, and otherwise refused with
 *     WS_E_ARG and the name of the struct, rather than passed over.
 *   - ws_device, ws_array, ws_slab and ws_mode_figures, which the library fills, are filled as
 *     far as they reach; ws_fact and ws_channel_result, which it hands over, say how far that is.
 *   - ws_buffer, ws_range, ws_ratio, ws_choice and ws_option_file, of which there are arrays or
 *     which lie in other structs, never change.  ws_option and ws_transform only grow, and are
 *     handed out by pointer.
 *   - Numbers of arrays of a transform (ws_emd_array and the like) stay; new ones follow them.  The
 *     arrays of octaves follow all of these, whatever the version: ws_plan_find() finds them.
 */
typedef struct ws_ctx_opts {
	size_t size;
	int threads;      /* default: the processors this process may use      */
	const char *isa;  /* "avx512", "avx2", "neon", "plain"; default: best  */
	const char *device; /* "cpu"; "cuda": the first usable GPU; "cuda:1", by the numbers of
	                       CUDA's runtime; "cuda:0,2":
	                       a run spreads over these, a plan takes the first; "auto"
	                       (default, but "cpu" where isa is given): a GPU where there
	                       is one and the work is worth it, else the CPU          */
	size_t device_memory; /* most bytes of a GPU that a plan may take; default: 90 %
	                         of what is free                                      */
	const char *backend; /* file of the GPU's backend; default: libwavesift_cuda.so beside
	                        this library, or seen from a program in ../lib.  Not opened
	                        where device is "cpu" */
} ws_ctx_opts;

/* Makes opts all defaults: 0 but for its size, sizeof *opts. */
WS_API void ws_ctx_opts_init(ws_ctx_opts *opts, size_t size);

/* opts may be NULL.  On failure *ctx is NULL.  WS_E_ARG; WS_E_UNSUPPORTED: the machine or the build
 * lacks opts->isa; WS_E_NOMEM; WS_E_BACKEND: opts->backend cannot be opened, or is of another
 * version or build of wavesift.  Whether a GPU is there is asked by ws_plan_create(), which fails
 * where opts->device names one that is not. */
WS_API ws_status ws_ctx_create(ws_ctx **ctx, const ws_ctx_opts *opts);
WS_API void ws_ctx_destroy(ws_ctx *ctx);

/*
 * Handles.  What asks a handle that is NULL gives 0, "", NULL or WS_E_ARG; to destroy NULL does
 * nothing.  Any thread may use a context and a plan, several at a time; of a run one executes at a
 * time, and the others only ask.  Nothing is destroyed while a call works with it or with what was
 * made from it: a context goes after its plans and runs.
 */
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
	char why[260];        /* it is not */
} ws_device;

/* Fills *device, whose size is set, with the i-th GPU, as the default backend or that of a context
 * sees it.  WS_E_BACKEND past the last; for i = 0 ws_error_detail() then says why there is none. */
WS_API ws_status ws_device_info(int i, ws_device *device);
WS_API ws_status ws_ctx_device_info(ws_ctx *ctx, int i, ws_device *device);

/* ---- Types and shapes -------------------------------------------------- */

/* What an element of an array is.  Append-only. */
typedef enum ws_type {
	WS_F64  = 0,
	WS_F32  = 1,
	WS_C128 = 2, /* real and imaginary part, f64 each */
	WS_C64  = 3, /* f32 each                          */
	WS_I32  = 4
} ws_type;

/* What is transformed. */
typedef struct ws_shape {
	size_t size;
	size_t channels; /* 1 .. 2^24 */
	size_t samples;  /* per channel, 1 .. 2^29 - 1 */
	ws_type type;    /* WS_F64 or WS_F32: of the samples and of the arithmetic */
	size_t recording_channels; /* channels of one recording; default: all.  `channels` is a
	                    multiple of it where several recordings follow each other.  Channels
	                    of one recording are analysed jointly by "memd", by "hht" with
	                    WS_METHOD_MEMD or WS_HHT_PART_CONNECTIVITY; to others it makes no
	                    difference */
	double fs;       /* samples a second, Hz; default 1: frequencies are in cycles a sample */
	size_t epochs;   /* of transforms over epochs (ws_transform.takes_epochs): rows of
	                    samples that each channel has, x[channel][epoch][time]; default 1.
	                    Others take epochs as channels: 0 or 1 of them      */
	double start;    /* s: time of the first sample of an epoch, such as -0.5, that times in
	                    options (ws_cwt_opts.baseline_from) count from; of transforms that have
	                    such options (ws_transform.takes_epochs 1); of others 0.  Not added to
	                    WS_AXIS_TIME */
	size_t before, after; /* of transforms that take the context of a part
	                    (ws_transform.takes_context): samples that each row of x has before
	                    and after those that results are of; default 0 */
} ws_shape;

typedef enum ws_spacing {
	WS_SPACING_DEFAULT = 0, /* that of the option: mostly logarithmic        */
	WS_SPACING_LOG     = 1,
	WS_SPACING_LINEAR  = 2
} ws_spacing;

/* An axis from low to high, both included; what is 0 has the default of its option. */
typedef struct ws_range {
	double low, high;
	size_t count;
	ws_spacing spacing;
} ws_range;

/* ---- Transforms -------------------------------------------------------- */

/* Append-only: a program leaves out options of kinds that it does not know. */
typedef enum ws_option_kind {
	WS_OPTION_NONE   = 0, /* of no option                                    */
	WS_OPTION_FLAG   = 1, /* an int: 1 where it is given                     */
	WS_OPTION_INT    = 2,
	WS_OPTION_U64    = 3, /* uint64_t                                        */
	WS_OPTION_REAL   = 4, /* double                                          */
	WS_OPTION_CHOICE = 5, /* an int: one of choices                          */
	WS_OPTION_TEXT   = 6, /* several fields, such as a name and its parameters */
	WS_OPTION_ARRAY  = 7, /* numbers from a file, or an int: one of choices            */
	WS_OPTION_RANGE  = 8, /* from one number to another: a ws_range, say; where it may be a
	                         list instead, that has fields of its own              */
	WS_OPTION_LIST   = 9  /* numbers: a pointer to them, and their count           */
} ws_option_kind;

/* Never changes. */
typedef struct ws_choice {
	const char *name;
	int value;              /* of the field */
} ws_choice;

/* One option of a transform: where it lies in the options struct, and what a program needs to
 * offer it.  Later versions append fields. */
typedef struct ws_option {
	const char *name;       /* "max-sifts"                                   */
	const char *argument;   /* "M", for its value; NULL: a flag              */
	const char *text;       /* what it means, and its default; other options in backticks,
	                           `max_sifts`                                    */
	ws_option_kind kind;
	size_t offset;          /* of its field; TEXT: of the first              */
	double low, high;       /* INT, REAL: may be, both included; U64: low    */
	double zero;            /* REAL: what the field holds for 0, where 0 in it means "default";
	                           TEXT: what a field of 0 is recorded as; else 0 */
	const ws_choice *choices; /* CHOICE, ARRAY; TEXT: names that it may be or begin with;
	                           ends with a NULL name                         */
} ws_option;

typedef struct ws_transform {
	const char *name;       /* "iceemdan", as a command is called            */
	const char *title;      /* "Improved CEEMDAN"                            */
	const char *summary;    /* half a line                                   */
	const char *text;       /* a paragraph                                   */
	const char *const *examples; /* command lines, each with what it does after a tab;
	                           ends with NULL                                */
	size_t options_size;    /* of its options struct, which begins with its size */
	const char *family;     /* "emd": wavesift/emd.h has its options and arrays; NULL: none */
	const char *group;      /* heading under which help lists it                 */
	const char *folder;     /* of its arrays in a file of results; NULL: the root */
	ws_type type;           /* of the arithmetic that the program takes by default */
	int takes_epochs;       /* 1: takes all epochs of a channel at once (ws_shape.epochs), and
	                           their times (ws_shape.start); 2: all epochs, or a signal without
	                           any, and no times; 0: epochs are channels         */
	int takes_context;      /* 1: a part of a recording has the whole's results where x has what
	                           lies about it (ws_shape.before, after); 0: it is cut off */
	unsigned options_tag;   /* WS_TAG_.., of its options struct                  */
} ws_transform;

/* The i-th transform; NULL past the last.  That of a name; NULL where there is none. */
WS_API const ws_transform *ws_transform_at(int i);
WS_API const ws_transform *ws_transform_find(const char *name);

/* The i-th option of a transform; NULL past the last. */
WS_API const ws_option *ws_transform_option(const ws_transform *transform, int i);

/*
 * Options structs of transforms begin with their size and their tag, the letters of their family,
 * by which a struct of another family is refused where it is handed over as void:
 *     ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .voices = 12 };
 * Where a language lacks such initializers the same is
 *     ws_cwt_opts o;  ws_cwt_opts_init(&o, sizeof o);  o.voices = 12;
 */
enum {
	WS_TAG_EMD  = 0x00646d65,
	WS_TAG_HHT  = 0x00746868,
	WS_TAG_CWT  = 0x00747763,
	WS_TAG_CONV = 0x766e6f63
};

/* Makes the `size` bytes of opts the options struct of a transform with all at their defaults: 0
 * but for its size, its tag and those of structs within it.  Of size 0 it does nothing. */
WS_API void ws_options_init(const ws_transform *transform, void *opts, size_t size);

/* Sets an option from text, as on a command line ("7", "rilling:0.05").  opts: the transform's
 * options struct, of ws_options_init() at first.  Lists of numbers lie in memory that
 * ws_options_free() frees.  A list of values for each mask is kept as text, borrowed as long as
 * opts.  WS_E_ARG: the detail says what is needed. */
WS_API ws_status ws_option_set(const ws_option *option, void *opts, const char *text);

/* Frees the lists that ws_option_set() made, and puts their fields to 0.  The same fields must not
 * have arrays of the caller's own. */
WS_API void ws_options_free(const ws_transform *transform, void *opts);

/* The value of an option as text that ws_option_set would take; "" where it is at its default, and
 * for arrays.  Returns its length, which nothing bounds; text[size] holds all of it where that is
 * below size, else its beginning, as of snprintf().  text may be NULL where size is 0. */
WS_API size_t ws_option_text(const ws_option *option, const void *opts, char *text, size_t size);

/* A file that programs read an option of kind WS_OPTION_ARRAY from.  Lists of them end with an
 * option of NULL; NULL is an empty list. */
typedef struct ws_option_file {
	const char *option;     /* "noise-file"                                  */
	const char *path;
	const char *sha256;     /* of the file, in hexadecimal digits            */
} ws_option_file;

/* Checks what the options of a transform say together, before there is a plan.  Planning refuses
 * options that only others of the family have, and those that another makes meaningless; but lets
 * pass what the options of a plan have, too (ws_plan_options()), such as `max_sifts` beside
 * `sifts`: here these are mistakes.  WS_E_ARG. */
WS_API ws_status ws_options_check(const ws_transform *transform, const void *opts,
                                  const ws_option_file *files);

/* What is recorded with a result. */
typedef struct ws_fact {
	size_t size;
	const char *key;        /* "max_sifts"                                   */
	ws_option_kind kind;    /* WS_OPTION_TEXT, WS_OPTION_INT or WS_OPTION_REAL */
	const char *text;
	int64_t integer;
	double real;
} ws_fact;

/* Takes one fact, valid during the call. */
typedef void (*ws_fact_sink)(void *user, const ws_fact *fact);

/* Gives sink the options in force (ws_run_options()), each whole and always in the same order: a
 * fact of an option's own name and value, text as ws_option_set() takes it.  Those that have no
 * value are
 * left out.  Of an array that was read from a file, its path, and as NAME_sha256 its checksum.
 * WS_E_NOMEM: some are missing. */
WS_API ws_status ws_options_facts(const ws_transform *transform, const void *opts,
                                  const ws_option_file *files, ws_fact_sink sink, void *user);

/* The same in one line for people, "100 realizations, noise 0.2, seed 0, 10 sifts"; may be "".
 * Returns its length, and takes text, as ws_option_text() does. */
WS_API size_t ws_options_line(const ws_transform *transform, const void *opts,
                              const ws_option_file *files, char *text, size_t size);

/* ---- Plan and execution ----------------------------------------------- */

/*
 * Floating point environment.  Plans and executions compute in the default one (rounding to
 * nearest, subnormal numbers kept, no exception trapped), whatever the caller's is, and give the
 * caller's back, exception flags included, when they return.  Callbacks run in the default one
 * too; what they change of it ends with the call that made them.
 *
 * Part of another process.  Signals and their handlers are left alone: the library's threads block
 * all signals, and end before the call that started them returns (those of CUDA's driver remain).
 * Numbers in texts have a decimal point whatever the locale is.
 */

typedef struct ws_plan ws_plan;

/* Plans a transform, by its name ("cwt"), of data of this shape.  opts: its options struct; NULL:
 * all at their defaults.  Borrows ctx, and of shape and opts nothing once it returns.  On failure
 * *plan is NULL.
 * WS_E_ARG; WS_E_BACKEND, WS_E_UNSUPPORTED: the GPU that the context names is not there, or has no
 * code for it; WS_E_NOMEM. */
WS_API ws_status ws_plan_create(ws_plan **plan, ws_ctx *ctx, const char *transform,
                                const ws_shape *shape, const void *opts);
/* Not while a call works with it, nor from a callback of such a call: see Handles. */
WS_API void ws_plan_destroy(ws_plan *plan);

/* Bytes of workspace that one execution needs; any number, 0 among them. */
WS_API size_t ws_plan_workspace(const ws_plan *plan);
/* "cpu", or the GPU that works, such as "cuda:0". */
WS_API const char *ws_plan_device(const ws_plan *plan);
/* Bytes of that GPU's memory; the context keeps them from the first execution on. */
WS_API size_t ws_plan_device_bytes(const ws_plan *plan);
/* Bytes of this machine's memory besides the workspace: of what the plan keeps (masks), or, kept
 * likewise, of the residues of realizations where the GPU's does not suffice. */
WS_API size_t ws_plan_host_bytes(const ws_plan *plan);
/* The options struct with every default and reference resolved; the plan's. */
WS_API const void *ws_plan_options(const ws_plan *plan);
/* Expected run time in seconds, from stored measured constants. */
WS_API double ws_plan_seconds(const ws_plan *plan);
/* What will run where, for people; several lines, owned by the plan. */
WS_API const char *ws_plan_describe(const ws_plan *plan);

/* Append-only. */
typedef enum ws_axis {
	WS_AXIS_NONE      = 0,
	WS_AXIS_CHANNEL   = 1, /* of the shape                                   */
	WS_AXIS_MODE      = 2, /* fastest first                                  */
	WS_AXIS_FREQUENCY = 3, /* Hz; of a bin its middle: the root of the product of its edges
	                          where bins are spaced logarithmically, else their mean */
	WS_AXIS_TIME      = 4, /* s after the first sample, of an epoch after its own first, without
	                          ws_shape.start; of a time bin the mean of its samples' times */
	WS_AXIS_MASK      = 5, /* the scale of a mask, or its number             */
	WS_AXIS_BAND      = 6, /* Hz: the middle of a band on a logarithmic axis */
	WS_AXIS_PARTNER   = 7, /* the other channel of a pair: of "coherence" every channel, of
	                          "hht" every one of the recording; itself among them */
	WS_AXIS_MODULATION = 8, /* frequency of an amplitude, Hz                 */
	WS_AXIS_CELL      = 9  /* of a sparse array: a place for a cell          */
} ws_axis;

/* An array has at most so many axes.  This number never changes. */
#define WS_MOST_AXES 8

/* What is special about an array. */
enum {
	WS_ARRAY_SIGNAL   = 1, /* the samples themselves: x, which nobody writes      */
	WS_ARRAY_OPTIONAL = 2, /* execution may leave it out, and then spends no work on it */
	WS_ARRAY_COUNT    = 4, /* how many modes a channel has; what other arrays have beyond
	                          them is left alone                                  */
	WS_ARRAY_REPORT   = 8, /* for reports; files of results do not have it        */
	WS_ARRAY_MAIN     = 16, /* what files of one array hold; several [channel][..][time] are
	                          joined in order, one after the other                */
	WS_ARRAY_OWN_AXES = 32 /* its name ends in a number, and its axes in files are its own:
	                          "power_3_time" of "power_3"                          */
};

/* An array that a plan makes.  Its first axis is the channel, but of what all channels share.
 * In the headers of families: arrays with a time axis are of the shape's type, complex ones pairs
 * of it, and all others f64, where no other type is named; where no axes are named they are those
 * of the array before. */
typedef struct ws_array {
	size_t size;
	const char *name;       /* "modes" of WS_EMD_MODES: the number's own without its family, in
	                           small letters                                 */
	const char *text;       /* what it holds, half a line                    */
	ws_type type;
	unsigned flags;
	int rank;
	ws_axis axis[WS_MOST_AXES];     /* slowest first                         */
	size_t extent[WS_MOST_AXES];    /* of modes: the most that there may be  */
} ws_array;

/* The i-th array that plans of a transform may make, whose size is set, without extents, and of the
 * type that it has in plans of transform->type (of conv, with real masks).  WS_E_ARG past the
 * last.  Octaves are none of them. */
WS_API ws_status ws_transform_array(const ws_transform *transform, int i, ws_array *array);

WS_API int ws_plan_arrays(const ws_plan *plan);
/* Fills *array, whose size is set, with the i-th array.  WS_E_ARG past the last. */
WS_API ws_status ws_plan_array(const ws_plan *plan, int i, ws_array *array);
/* The number of the array of that name that has elements, such as "power" or "responses"; -1 where
 * the plan makes none. */
WS_API int ws_plan_find(const ws_plan *plan, const char *name);
/* The values of an axis of the i-th array, as many as its extent: Hz, s, or numbers from 0.
 * room: values that there is room for.  WS_E_ARG where these are fewer, or the array has no such
 * axis. */
WS_API ws_status ws_plan_axis(const ws_plan *plan, int i, ws_axis axis, double *values,
                              size_t room);

/* Called now and then from one thread at a time with the share done, 0..1.
 * A nonzero answer cancels: the call returns WS_E_CANCELLED.  Of ws_execute() the thread may be one
 * of the library's, of ws_run_execute() it is the caller's. */
typedef int (*ws_progress)(void *user, double done);

/* Where an array goes.  Never changes. */
typedef struct ws_buffer {
	void *data;             /* NULL: not wanted.  An array that has elements must be given, but
	                           for WS_ARRAY_OPTIONAL and WS_ARRAY_SIGNAL; one that has none
	                           (an extent is 0) is never written             */
	size_t stride[WS_MOST_AXES]; /* bytes from one element of an axis to the next; 0: as in an
	                           array without gaps.  The last axis has none   */
} ws_buffer;

typedef enum ws_memory {
	WS_MEMORY_HOST   = 0,
	WS_MEMORY_DEVICE = 1, /* of the GPU that the plan works on             */
	WS_MEMORY_DEVICE_ALL = 2 /* likewise, and so are arrays without a time axis: of hht alone */
} ws_memory;

typedef struct ws_io {
	size_t size;
	const void *x;          /* [channel][time] of the shape's type; see ws_shape.epochs and
	                           ws_hht_opts.modes_given, whose rows follow each other without
	                           gaps                                          */
	size_t x_stride;        /* bytes from one channel to the next; 0: no gap */
	size_t first_channel;   /* number of x[0] in the recording: picks independent noise */
	const void *noise;      /* ensembles: [realization][time] of the shape's type, for all
	                           channels, used instead of drawn noise, so of standard deviation
	                           1; with `pairs` the first half of them is used.  Or NULL */
	const ws_buffer *arrays; /* [n_arrays], by the numbers of the plan's arrays */
	int n_arrays;           /* how many there are, at least 1.  Arrays of the plan beyond them
	                           are left out, and must be optional or without elements; what is
	                           beyond the plan's must have no data           */
	ws_memory memory;       /* where x, noise, and the arrays with a time axis lie; others lie
	                           in the host's, and are ready when ws_execute() returns.  No
	                           sample of those visits the host               */
	ws_progress progress;   /* or NULL                                       */
	void *user;             /* of progress                                   */
	void *cuda_stream;      /* Of arrays in a GPU's memory: the cudaStream_t after whose work so
	                           far they may be touched; NULL: the default one.  cwt and the
	                           others of its family, conv and, by WS_MEMORY_DEVICE_ALL, hht only
	                           put work on it; others return when arrays are ready */
} ws_io;

/* workspace: ws_plan_workspace() bytes of the host's memory, 64-byte aligned, not NULL where they
 * are 0 either; borrowed, as io and what it points to are, until the call returns: of arrays in a
 * GPU's memory those and x until ws_io.cuda_stream has come so far. Errors: WS_E_ARG an array that
 * must be given is not, or the like; WS_E_FORMAT a sample is not finite (channel and sample named),
 * or a result is more than the type holds; WS_E_CANCELLED; on a GPU WS_E_NOMEM and WS_E_BACKEND. */
WS_API ws_status ws_execute(const ws_plan *plan, const ws_io *io, void *workspace);

/* ---- Recordings of any size ------------------------------------------- */

typedef struct ws_run ws_run;

/* As ws_plan_create(), for ws_run_execute().  Cuts shape into blocks of channels (of whole
 * recordings, shape->recording_channels, where their channels are analysed jointly) whose arrays
 * and workspace fit in memory bytes (0: no limit), and in the GPU's.  Where one channel alone does
 * not, it is cut by frequencies ("cwt", "superlets", "trials", "coherence") or masks ("conv"),
 * never by time.  Several GPUs share the blocks out.  On failure *run is NULL.  WS_E_NOMEM where
 * the smallest block does not fit; tables of transforms that alone would forbid it may take up to
 * 32 MiB more. */
WS_API ws_status ws_run_create(ws_run **run, ws_ctx *ctx, const char *transform,
                               const ws_shape *shape, const void *opts, size_t memory);
/* Likewise: first cancel ws_run_execute() by its progress callback, and let it return. */
WS_API void ws_run_destroy(ws_run *run);
WS_API const char *ws_run_describe(const ws_run *run);
WS_API size_t ws_run_bytes(const ws_run *run);    /* host memory it will hold */
WS_API const char *ws_run_device(const ws_run *run);     /* "cpu", "cuda:0", "cuda:0,2" */
WS_API size_t ws_run_device_bytes(const ws_run *run);    /* memory of each GPU */
WS_API double ws_run_seconds(const ws_run *run);  /* expected */
/* Seconds of work in the last execution, without the reading and writing beside it. */
WS_API double ws_run_worked(const ws_run *run);
WS_API const void *ws_run_options(const ws_run *run);    /* as ws_plan_options() */
WS_API size_t ws_run_blocks(const ws_run *run);
/* As of plans; the channel axis has all channels. */
WS_API int ws_run_arrays(const ws_run *run);
WS_API ws_status ws_run_array(const ws_run *run, int i, ws_array *array);
WS_API int ws_run_find(const ws_run *run, const char *name);
WS_API ws_status ws_run_axis(const ws_run *run, int i, ws_axis axis, double *values,
                             size_t room);

/* Part of an array: that of one channel.  Its axes are those of the array after the channel; of an
 * array that channels share all, and it comes with every channel. */
typedef struct ws_slab {
	size_t size;
	const void *data;       /* without gaps; NULL where the array has no elements,
		or is not made */
	size_t first[WS_MOST_AXES];  /* of each axis: where in the array it begins */
	size_t extent[WS_MOST_AXES]; /* how many it has; of modes: as many as were found */
} ws_slab;

/* One finished channel, valid during the callback, and so is all that it points to. */
typedef struct ws_channel_result {
	size_t size;
	size_t channel;         /* from 0, of the recording */
	size_t block;           /* number of the block that it was in, below ws_run_blocks() */
	const ws_slab *slabs;   /* for ws_result_slab(), which knows their size   */
	size_t n_slabs;         /* ws_run_arrays() */
} ws_channel_result;

/* Fills *slab, whose size is set, with what a finished channel has of the run's i-th array.
 * WS_E_ARG past the last. */
WS_API ws_status ws_result_slab(const ws_channel_result *result, int i, ws_slab *slab);

/* All are called one at a time, by the thread that called ws_run_execute.  Blocks go
 * through memory in two sets of buffers where it suffices: the next is read, and the one
 * before written, while one is worked on. */
typedef struct ws_stream {
	size_t size;
	/* Fills x with one channel, elements of the shape's type without gaps: of each of
	 * ws_shape.epochs the samples with those before and after them,
	 * x[epochs][before + samples + after].  Not WS_OK ends the run with it. */
	ws_status (*read)(void *user, size_t channel, void *x);
	/* Takes one finished channel, or of a channel that is cut (ws_run_create) a part:
	 * ws_slab.first and extent say which.  Blocks come in the order in which they were begun,
	 * channels of a block in theirs.  Not WS_OK ends the run with it. */
	ws_status (*write)(void *user, const ws_channel_result *result);
	ws_progress progress;    /* or NULL.  Called with 0 first, never with less than before, and
	                            with 1 when all is delivered */
	const void *noise;       /* as in ws_io; or NULL */
	void *user;
	/* Which block is begun next: *block, below ws_run_blocks(); that number ends the run.  Any
	 * order will do, and not all need to come, so blocks may be shared out among processes, or
	 * those left out that an earlier execution of the same run delivered.  NULL: all in
	 * order. */
	ws_status (*next)(void *user, size_t *block);
} ws_stream;

/* Allocates the memory of the run, and frees it.  Errors: what a callback returned, WS_E_CANCELLED,
 * and those of ws_execute(); WS_E_NOMEM. */
WS_API ws_status ws_run_execute(ws_run *run, const ws_stream *stream);

#ifdef __cplusplus
}
#endif

#include "wavesift/conv.h"
#include "wavesift/cwt.h"
#include "wavesift/emd.h"
#include "wavesift/hht.h"

#endif
