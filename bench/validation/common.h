/*
 * common.h - what the validation programs share: reading arrays, running the
 * library, comparing results.  A program that cannot go on says why and exits.
 */
#ifndef VALIDATION_COMMON_H
#define VALIDATION_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

typedef struct array {
	size_t rows, n;   /* one row for a vector */
	double *v;        /* [rows][n] */
} array;

typedef struct decomposition {
	size_t n;
	int modes;
	double *rows;     /* [modes + 1][n], the residue last */
	int32_t *sifts;   /* [modes] */
	int unfinished;
	double seconds;   /* of all processors together */
} decomposition;

/* NPY of float64 in C order, under folder. */
array load_npy(const char *folder, const char *name);
/* Raw numbers of the machine's own byte order: a vector; rows of n. */
array load_f32(const char *folder, const char *name);
array load_f64(const char *path, size_t n);
void array_free(array *a);
const double *array_row(const array *a, size_t row);

/* The folder of recordings and golden vectors: $WAVESIFT_DATA. */
const char *data_folder(void);

/* noise: [realizations][n] or NULL. */
decomposition decompose(const double *x, size_t n, const ws_emd_opts *opts, const double *noise);
void decomposition_free(decomposition *d);
const double *mode_row(const decomposition *d, int row);

double std_of(const double *x, size_t n);
/* Correlation coefficient: the similarity index of the papers. */
double similarity(const double *a, const double *b, size_t n);
double max_difference(const double *a, const double *b, size_t n);
/* Similarity of the row, residue included, that is most like x. */
double best_similarity(const decomposition *d, const double *x, int *row);
/* sum over i != j of <c_i, c_j>, by the energy of x; residue included. */
double orthogonality(const decomposition *d, const double *x);

/* n samples of white noise, the same in every run. */
void white_noise(double *x, size_t n, uint64_t seed);

/* The two tones of the Improved CEEMDAN paper, 1000 samples: a burst of
 * frequency 0.255 on a tone of 0.065. */
enum { TWO_TONE_SAMPLES = 1000 };
void two_tone(double *x, double *burst, double *tone);

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *xmalloc(size_t bytes);

#endif
