/*
 * core_test.h - what the tests of the core share: numbers at random from
 * integers alone (the same on every machine), named signals, decompositions
 * with their arrays, and the golden vectors.
 */
#ifndef CORE_TEST_H
#define CORE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

/* ---- Numbers at random ------------------------------------------------------ */

typedef struct rng { uint64_t state; } rng;

uint64_t rng_next(rng *r);
int rng_int(rng *r, int low, int high);      /* low .. high, both included */
double rng_uniform(rng *r);                  /* 0 <= u < 1 */
double rng_normal(rng *r);

/* ---- Signals ---------------------------------------------------------------- */

typedef enum signal_kind {
	SIGNAL_WHITE,
	SIGNAL_TONES,           /* two steady sines */
	SIGNAL_CHIRP_NOISE,     /* a chirp and a little noise */
	SIGNAL_VIBRATION,       /* a carrier with amplitude modulation, its harmonic, noise */
	SIGNAL_WALK,            /* random walk: slow waves */
	SIGNAL_QUANTISED,       /* noise of few levels: plateaus everywhere */
	SIGNAL_STRETCHES,       /* noise with long constant stretches */
	SIGNAL_ZERO_RUNS,       /* noise with runs of zeros */
	SIGNAL_SPIKES,          /* zero but for few spikes */
	SIGNAL_RAMP,            /* a ramp with a little noise on parts of it */
	SIGNAL_ALTERNATING,     /* +1, -1, .. with changing amplitude */
	SIGNAL_PULSES,          /* dense and sparse stretches in turn */
	SIGNAL_FADING,          /* waves, each longer and lower than the one before, or after */
	SIGNAL_KINDS
} signal_kind;

const char *signal_name(signal_kind kind);
void signal_make(signal_kind kind, rng *r, size_t n, double *x);

/* Signals whose extrema are plateaus, many of them of even length. */
typedef enum plateau_kind {
	PLATEAUS_QUANTISED,     /* noise and a slow sine, by steps of 1 / 2048 */
	PLATEAUS_CLIPPED,       /* a tone with noise, its peaks cut off */
	PLATEAUS_AT_EDGES,      /* noise, and plateaus of 2 to 3000 samples across multiples of 16 .. 4096 and
	                           at both ends */
	PLATEAUS_SQUARE,        /* +1 and -1 in turn, for 1 to 9 samples, now and then for more: sifting
	                           leaves it as it is */
	PLATEAUS_NEAR_TIES,     /* noise, with steps of some last digits of f32, alone and in pairs, at
	                           and near multiples of 16 and at both ends; some are 0 */
	PLATEAU_KINDS
} plateau_kind;

void plateaus_make(plateau_kind kind, rng *r, size_t n, double *x);

/* ---- Arrays of either type --------------------------------------------------- */

size_t type_size(ws_type type);
/* Rounds n doubles to the type. */
void to_type(ws_type type, const double *from, size_t n, void *to);
double get(ws_type type, const void *row, size_t i);

/* Memory or the test fails. */
void *need(size_t bytes);

/* ---- Decompositions ----------------------------------------------------------- */

typedef struct job {
	ws_shape shape;         /* size is filled in */
	ws_emd_opts o;          /* size is filled in */
	const char *isa;        /* NULL: the best */
	const char *device;     /* NULL: the CPU */
	size_t device_memory;   /* 0: as much as there is */
	int threads;            /* 0: all */
	size_t first_channel;
	const void *x, *noise;
	int fill;               /* byte that outputs and workspace hold before */
	ws_progress progress;
	void *user;
} job;

typedef struct result {
	ws_type type;
	size_t channels, samples;
	int rows;               /* room for modes of a channel */
	void *modes, *residue;  /* [channel][rows][time], [channel][time] */
	int32_t *count, *sifts, *unfinished;
} result;

/* The transform of these options' method, or of their reference's; "emd" of none. */
const char *emd_name(const ws_emd_opts *o);
/* The same; options that it does not have, and would refuse, become their defaults: tests draw
 * all. */
const char *emd_fit(ws_emd_opts *o);

/* The buffers of an execution that wants no more than what must be there. */
#define EMD_BUFFERS(modes_, residue_, count_)                                            \
	{ [WS_EMD_MODES] = { .data = modes_ }, [WS_EMD_RESIDUE] = { .data = residue_ },  \
	  [WS_EMD_MODE_COUNT] = { .data = count_ }, [WS_EMD_ARRAYS - 1] = { .data = NULL } }

/* The status of plan or execution; result is empty where that is not WS_OK. */
ws_status decompose(const job *j, result *r);
/* The same; any failure fails the test. */
void must_decompose(const job *j, result *r);
void result_free(result *r);

const void *mode_row(const result *r, size_t channel, int mode);
const void *residue_row(const result *r, size_t channel);

/* Are all bits the same?  Else says on stdout where they first differ. */
bool same_result(const result *a, const result *b);

/* The i-th table of kernels to test: "ref" first, then what the machine has. */
const char *isa_to_test(int i);
/* Prints which were tested, and which this machine has not. */
void print_isas(void);

/* ---- Statistics ----------------------------------------------------------------- */

double std_of(const double *x, size_t n);
double largest_difference(const double *a, const double *b, size_t n);
/* cov(a, b) / sqrt(var a var b), the similarity index of the EMD papers. */
double similarity(const double *a, const double *b, size_t n);

/* ---- Golden vectors ---------------------------------------------------------------- */

/* Of [channel][mode][time] rows are all modes of one channel after the other. */
typedef struct golden { size_t rows, n; double *v; } golden;

/* tests/data/golden/NAME.npy; the test fails where it cannot be read. */
golden golden_read(const char *name);

/* Does the environment ask for the slow tier (WAVESIFT_SLOW=1), or the fast one
 * (WAVESIFT_FAST=1)? */
bool slow_tier(void);
bool fast_tier(void);

/* Of n cases at random: an eighth in the fast tier, a sixteenth under a sanitizer. */
int few(int n);

/* Is case i of a dear list passed over?  In the fast tier all but about one in eight are, under a
 * sanitizer, where a case takes some ten times as long, one in sixteen: by a hash, so that lists in
 * step with 2 and 4 are not thinned to one of their options.  Case 0 stays. */
bool thinned_out(int i);

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
