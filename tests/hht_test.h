/* hht_test.h - an execution of transform "hht" with all its arrays, for the tests of it. */
#ifndef HHT_TEST_H
#define HHT_TEST_H

#include <stddef.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

typedef struct hht {
	size_t channels, samples, modes, bins, times; /* extents */
	double *edges;          /* [bins + 1] */
	ws_type type;
	ws_hht_opts opts;       /* resolved */
	void *array[WS_HHT_ARRAYS]; /* NULL: not made */
	size_t bytes[WS_HHT_ARRAYS];
	char describe[1280];
} hht;

typedef struct hht_job {
	size_t channels, samples, together;
	double fs;
	ws_type type;
	int threads;            /* 0: one */
	const char *isa;
	const char *device;     /* NULL: the CPU */
	size_t device_memory;   /* bytes; 0: all */
	ws_ctx *ctx;            /* instead of one of these; or NULL */
	ws_hht_opts o;          /* size is filled in */
	const void *x;
	ws_progress progress;
	void *user;
} hht_job;

/* The status of plan or execution; h is empty where that is not WS_OK. */
ws_status hht_make(const hht_job *task, hht *h);
void hht_must(const hht_job *task, hht *h);
void hht_free(hht *h);

/* Number i of an array of real numbers or counts. */
double hht_at(const hht *h, int array, size_t i);

/* Fails where got is farther from want than that share of it. */
void hht_near(double got, double want, double relative, const char *what);

/* [n]: tones and noise. */
void hht_noisy(double *x, size_t n, uint64_t seed);

/* [channel][mode][sample]: modes of noise and tones; those of the third channel end with rows of
 * zeros. */
void hht_some_modes(double *x, size_t channels, size_t modes, size_t samples, uint64_t seed);

/* Are all arrays that both have the same, bit for bit? */
void hht_same(const hht *a, const hht *b, const char *what);

#endif
