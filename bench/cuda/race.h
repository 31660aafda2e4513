/*
 * race.h - what the runners of this folder share, C and CUDA alike: the input,
 * the number of sifts and modes, how times are summed up, the line they print.
 *
 * A runner is called as `RUNNER SAMPLES ROWS f32|f64`.  It decomposes ROWS signals
 * (race_row) at once, RACE_SIFTS sifts a mode, race_modes() modes at most, on data that lies on
 * the device, after one run to warm up, and prints one line (race_line) with medians of
 * RACE_RUNS runs:
 *
 *     first mode   time of the first mode / (samples x rows x sifts)
 *     all modes    time of the decomposition / (samples x sifts of all rows and modes);
 *                  a row's sifts count as long as it has three extrema
 */
#ifndef RACE_H
#define RACE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RACE_SIFTS = 10, RACE_RUNS = 5 };

/* 64 bits that look random, from a counter (splitmix64). */
static inline uint64_t
race_bits(uint64_t counter)
{
	uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Signal number `row`: two tones of periods 50 and 400, the same in every row, and white
 * Gaussian noise of unit variance, another in every row. */
static inline void
race_row(double *x, size_t n, size_t row)
{
	const double turn = 6.283185307179586;
	for (size_t i = 0; i < n; ++i) {
		const uint64_t bits = race_bits((uint64_t)row * n + i);
		const double u = ((double)(bits >> 32) + 0.5) / 4294967296.0;
		const double v = (double)(bits & 0xffffffffu) / 4294967296.0;
		x[i] = sqrt(-2.0 * log(u)) * cos(turn * v) + sin(turn * (double)i / 50.0) +
		       2.0 * sin(turn * (double)i / 400.0);
	}
}

/* floor(log2 n): as many modes as white noise has. */
static inline int
race_modes(size_t n)
{
	int modes = 0;
	while (n >>= 1)
		++modes;
	return modes;
}

static inline int
race_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts v. */
static inline double
race_median(double *v, int count)
{
	qsort(v, (size_t)count, sizeof *v, race_compare);
	return v[count / 2];
}

/* error: of the first mode, relative to a plain double-precision sift; NAN: not measured. */
static inline void
race_line(const char *what, size_t n, size_t rows, const char *type, double first_mode_ps,
          double all_modes_ps, int modes, double error)
{
	printf("{\"what\": \"%s\", \"n\": %zu, \"rows\": %zu, \"type\": \"%s\", "
	       "\"first_mode_ps\": %.3f, \"all_modes_ps\": %.3f, \"modes\": %d", what, n, rows,
	       type, first_mode_ps, all_modes_ps, modes);
	if (!isnan(error))
		printf(", \"error\": %.2e", error);
	puts("}");
}

#endif
