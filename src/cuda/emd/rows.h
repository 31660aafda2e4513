/*
 * rows.h - passes over whole rows on a device; the CPU's are in cpu/emd/rows_simd.h.
 * A row is some base + i * stride samples; all that is measured is f64.
 */
#ifndef WSI_CUDA_ROWS_H
#define WSI_CUDA_ROWS_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

template <class T> struct device_rows {
	T *base;
	size_t stride;
	int n;

	__host__ __device__ T *
	operator[](size_t i) const
	{
		return base + i * stride;
	}
};

/* Is there code of these passes, and so of all kernels, for the device in force? */
bool rows_have_code(void);
/* Brings them to it, see load.h. */
cudaError_t rows_load(void);

enum row_pass { PASS_COPY, PASS_ZERO, PASS_SUBTRACT, PASS_ADD, PASS_DIVIDE, PASS_SHIFT,
	        PASS_ADD_SCALED };

/* y from a and b; number and scale [row] as the pass has them, scale in
 * device memory. */
template <class T>
cudaError_t rows_pass(row_pass pass, device_rows<T> y, device_rows<T> a, device_rows<T> b,
                      double number, const double *scale, int samples, cudaStream_t stream);

/* Samples x of a row become x * one * two - offset: times a power of two (math/scale.h), both
 * factors numbers of the row's type. */
struct row_unit {
	double one, two, offset;
};

/* Row i by units[i], in device memory; where that is NULL, all by unit. */
template <class T>
cudaError_t rows_scale(device_rows<T> y, const row_unit *units, row_unit unit, int samples,
                       cudaStream_t stream);

/* Zeroes the rows of y that list names. */
template <class T>
cudaError_t rows_clear(device_rows<T> y, const int *list, int count, int samples,
                       cudaStream_t stream);

/* Row i is noise of realization (first + i) / repeat. */
template <class T>
cudaError_t rows_noise(device_rows<T> y, uint64_t seed, uint32_t stream_number, int first,
                       int repeat, int samples, cudaStream_t stream);

/* y[i] = the sum, in order, of as many rows as a has, from its row i * apart on. */
template <class T>
cudaError_t rows_sum(device_rows<T> y, device_rows<T> a, int apart, int samples,
                     cudaStream_t stream);

/* Extremes of each row, as order.cuh has them. */
template <class T>
cudaError_t rows_extremes(device_rows<T> a, unsigned long long *low, unsigned long long *high,
                          int samples, cudaStream_t stream);

/* Sums in the order of math/sum.h: of x, or of (x - mean[row])^2, a mean of 0
 * where mean is NULL and square is set.  nodes: [row][samples / NODE_SAMPLES,
 * rounded up]. */
constexpr int NODE_SAMPLES = 32768;
template <class T>
cudaError_t rows_total(device_rows<T> a, bool square, const double *mean, double *nodes,
                       double *total, int samples, cudaStream_t stream);

/* mean = total / samples; or std = sqrt(total / (samples - 1)). */
cudaError_t rows_mean(double *total, int rows, int samples, cudaStream_t stream);
cudaError_t rows_std(double *total, int rows, int samples, cudaStream_t stream);

#endif
