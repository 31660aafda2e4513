/*
 * sums.cu - results formed of rows of coefficients: geometric means, weighted powers, averages over
 * epochs of a channel and of two.
 *
 * Fits      any range of rows; what a range leaves unfinished is kept for the next.
 * Twin      cpu/cwt/sums_simd.h, cwt_multiply and cwt_mean of cwt_simd.h, add_power() of
 *           transform/cwt/bands_run.c, form() of trials.c, coherence_put.h, and
 *           average_frequencies() of coherence_pair.c: of the same coefficients the same bits,
 *           since each output has its sums in their order.
 * Launch    SUMS_THREADS (256), an output each, over (outputs, items times rows);
 *           compare_kernel: a block for each row of an item.
 * Memory    reads each coefficient once, those of pairs once a pair; writes the results.
 */
#include "cuda/cwt/sums.h"

#include "cuda/device/math.cuh"
#include "math/averages.h"
#include "math/geometric.h"

constexpr int SUMS_THREADS = 256;
enum { MOST_NUMBERS = 6 };

/* Of all that a result is formed of, what is in the range. */
struct sums_range {
	unsigned from, to, all;
};

/* What a thread makes: an output of a row of an item. */
struct sums_place {
	unsigned row, number, t; /* row, and number of the item, of the range's */
	cwt_sums_item item;
};

template <class T>
__device__ __forceinline__ const T *
row_at(const cwt_sums &s, unsigned channel, unsigned epoch, unsigned frequency)
{
	const unsigned signal = channel * s.channel_step + epoch * s.epoch_step;
	return (const T *)(s.rows + signal * s.signal_stride + frequency * s.frequency_stride);
}

/* An array's place of a result; exchanged: of the pair exchanged. */
template <class T>
__device__ __forceinline__ T *
result_at(const cwt_sums &s, int array, const sums_place &at, bool exchanged)
{
	const cwt_sums_array &a = s.array[array];
	const unsigned x = exchanged ? at.item.v : at.item.w, y = exchanged ? at.item.w : at.item.v;
	const size_t place = a.by_channel ? x * a.stride + y * a.partner_stride
		: (exchanged ? at.item.other : at.item.place) * a.stride;
	return (T *)(a.base + place + at.row * a.row_stride);
}

template <class T>
__device__ __forceinline__ void
put_result(const cwt_sums &s, int array, const sums_place &at, bool exchanged, double v)
{
	if (s.array[array].base)
		result_at<T>(s, array, at, exchanged)[at.t] = (T)v;
}

/* ---- Members of other frequencies ---------------------------------------------------------- */

/* The first member of a row whose frequency is not below f. */
__device__ __forceinline__ unsigned
member_from(const cwt_sums &s, const wsi_cwt_job_row &row, unsigned f)
{
	unsigned low = 0, high = (unsigned)row.count;
	while (low < high) {
		const unsigned middle = (low + high) / 2;
		if (s.members[row.first + middle].frequency < f)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

__device__ __forceinline__ sums_range
members_range(const cwt_sums &s, unsigned row)
{
	const wsi_cwt_job_row &r = s.row_list[s.row + row];
	return { member_from(s, r, s.frequency), member_from(s, r, s.frequency + s.frequencies),
		 (unsigned)r.count };
}

__device__ __forceinline__ const wsi_cwt_job_member &
member_of(const cwt_sums &s, unsigned row, unsigned k)
{
	return s.members[s.row_list[s.row + row].first + k];
}

template <class T>
__device__ __forceinline__ double
member_value(const cwt_sums &s, const sums_place &at, const wsi_cwt_job_member &m)
{
	const T *row = row_at<T>(s, at.item.w, 0, (unsigned)m.frequency - s.frequency);
	return row[s.first + (size_t)at.t * s.every];
}

/* share 2^exponent, and the magnitude that counts less than once */
template <class T> struct sums_means {
	static constexpr int NUMBERS = 3;

	__device__ static sums_range
	range(const cwt_sums &s, unsigned row)
	{
		return members_range(s, row);
	}

	__device__ static double begin(int i) { return i == 1 ? 0.0 : 1.0; }

	__device__ static void
	add(const cwt_sums &s, const sums_place &at, unsigned k, double *v)
	{
		const wsi_cwt_job_member &m = member_of(s, at.row, k);
		const double x = member_value<T>(s, at, m);
		if (m.weight == 1.0)
			geometric_take(&v[0], &v[1], x);
		else
			v[2] = x;
	}

	__device__ static void
	finish(const cwt_sums &s, const sums_place &at, double *v)
	{
		const wsi_cwt_job_row &r = s.row_list[s.row + at.row];
		const double weight = s.members[r.first + r.count - 1].weight;
		put_result<T>(s, 0, at, false,
		              geometric_mean(v[0], v[1], v[2], weight == 1.0 ? 0.0 : weight,
		                             r.power));
	}
};

template <class T> struct sums_powers {
	static constexpr int NUMBERS = 1;

	__device__ static sums_range
	range(const cwt_sums &s, unsigned row)
	{
		return members_range(s, row);
	}

	__device__ static double begin(int) { return 0.0; }

	__device__ static void
	add(const cwt_sums &s, const sums_place &at, unsigned k, double *v)
	{
		const wsi_cwt_job_member &m = member_of(s, at.row, k);
		v[0] += m.weight * member_value<T>(s, at, m);
	}

	__device__ static void
	finish(const cwt_sums &s, const sums_place &at, double *v)
	{
		put_result<T>(s, 0, at, false, v[0]);
	}
};

/* ---- Epochs ---------------------------------------------------------------------------------- */

template <class T>
__device__ __forceinline__ two<T>
epoch_value(const cwt_sums &s, const sums_place &at, unsigned channel, unsigned k)
{
	return ((const two<T> *)row_at<T>(s, channel, k - s.epoch, at.row))[at.t];
}

/* Sums of six numbers over all epochs. */
struct sums_over_epochs {
	static constexpr int NUMBERS = 6;

	__device__ static sums_range
	range(const cwt_sums &s, unsigned)
	{
		return { s.epoch, s.epoch + s.epochs, s.all_epochs };
	}

	__device__ static double begin(int) { return 0.0; }
};

/* power, re, im, about, unit_re, unit_im; powers come first of the averages, in this order: */
enum { SUMS_TOTAL, SUMS_EVOKED, SUMS_INDUCED, SUMS_ITC };

template <class T> struct sums_epochs : sums_over_epochs {
	__device__ static void
	add(const cwt_sums &s, const sums_place &at, unsigned k, double *v)
	{
		const two<T> w = epoch_value<T>(s, at, at.item.w, k);
		const double x = w.x, y = w.y, power = x * x + y * y;
		v[0] += power;
		if (s.wanted[SUMS_EVOKED] || s.wanted[SUMS_INDUCED])
			averages_add(x, y, (double)k, &v[1], &v[2], &v[3]);
		if (s.wanted[SUMS_ITC])
			averages_add_unit(x, y, sqrt(power), &v[4], &v[5]);
	}

	__device__ static void
	finish(const cwt_sums &s, const sums_place &at, double *v)
	{
		const double n = (double)s.all_epochs;
		const double re = v[1] / n, im = v[2] / n, unit_re = v[4] / n, unit_im = v[5] / n;
		const double powers[3] = { v[0] / n, re * re + im * im, v[3] / n };
		for (int a = 0; a < 3; ++a) {
			v[a] = powers[a];
			if (!s.baseline)
				put_result<T>(s, a, at, false, powers[a]);
		}
		put_result<T>(s, SUMS_ITC, at, false, sqrt(unit_re * unit_re + unit_im * unit_im));
	}
};

/* ---- Pairs ----------------------------------------------------------------------------------- */

template <class T>
__device__ __forceinline__ void
put_pair(const cwt_sums &s, const sums_place &at, bool exchanged, const double *v)
{
	const double n = (double)s.all_epochs;
	const double im = exchanged ? -v[3] : v[3];
	put_result<T>(s, 0, at, exchanged, averages_coherence(v[0], v[1], v[2], im));
	put_result<T>(s, 1, at, exchanged, averages_locking(v[4], v[5], n));
	if (s.array[2].base) {
		T *to = result_at<T>(s, 2, at, exchanged) + 2 * (size_t)at.t;
		to[0] = (T)(v[2] / n);
		to[1] = (T)(im / n);
	}
	put_result<T>(s, 3, at, exchanged, averages_imaginary(v[0], v[1], im));
}

/* power_w, power_v, re, im, unit_re, unit_im */
template <class T> struct sums_pairs : sums_over_epochs {
	__device__ static void
	add(const cwt_sums &s, const sums_place &at, unsigned k, double *v)
	{
		const two<T> w = epoch_value<T>(s, at, at.item.w, k);
		const two<T> u = epoch_value<T>(s, at, at.item.v, k);
		averages_add_pair(w.x, w.y, u.x, u.y, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]);
	}

	__device__ static void
	finish(const cwt_sums &s, const sums_place &at, double *v)
	{
		put_pair<T>(s, at, false, v);
		if (at.item.other != ~0u)
			put_pair<T>(s, at, true, v);
	}
};

/* The same of sums that are averages in time, over neighbouring frequencies. */
template <class T> struct sums_times {
	static constexpr int NUMBERS = 6;

	__device__ static sums_range
	range(const cwt_sums &s, unsigned row)
	{
		const unsigned count = (unsigned)s.row_list[s.row + row].count;
		return { 0, count, count };
	}

	__device__ static double begin(int) { return 0.0; }

	__device__ static void
	add(const cwt_sums &s, const sums_place &at, unsigned k, double *v)
	{
		const wsi_cwt_job_member &m = member_of(s, at.row, k);
		const size_t row = at.number * s.frequencies + (unsigned)m.frequency - s.frequency;
		const double *sums = s.state + row * NUMBERS * s.outputs + at.t;
		for (int i = 0; i < NUMBERS; ++i)
			v[i] += m.weight * sums[(size_t)i * s.outputs];
	}

	__device__ static void
	finish(const cwt_sums &s, const sums_place &at, double *v)
	{
		sums_pairs<T>::finish(s, at, v);
	}
};

/* ---- Kernels --------------------------------------------------------------------------------- */

__device__ __forceinline__ cwt_sums_item
item_of(const cwt_sums &s, unsigned i)
{
	return s.item ? s.item[i] : cwt_sums_item{ i, i, i, ~0u };
}

template <class T, template <class> class S>
__global__ void __launch_bounds__(SUMS_THREADS)
sums_kernel(const __grid_constant__ cwt_sums s)
{
	constexpr int n = S<T>::NUMBERS;
	const unsigned i = blockIdx.y / s.row_count;
	const sums_place at = { blockIdx.y % s.row_count, i,
		                blockIdx.x * SUMS_THREADS + threadIdx.x, item_of(s, i) };
	const sums_range here = S<T>::range(s, at.row);
	if (at.t >= s.outputs || here.from >= here.to)
		return;
	double *state = s.state + (size_t)blockIdx.y * n * s.outputs + at.t, v[n];
	for (int k = 0; k < n; ++k)
		v[k] = here.from > 0 ? state[(size_t)k * s.outputs] : S<T>::begin(k);
#pragma unroll 4
	for (unsigned k = here.from; k < here.to; ++k)
		S<T>::add(s, at, k, v);
	const bool done = here.to == here.all;
	if (done)
		S<T>::finish(s, at, v);
	for (int k = 0; (!done || s.baseline) && k < n; ++k)
		state[(size_t)k * s.outputs] = v[k];
}

/* Adds values first .. last in their order; all lanes of a warp have the sum. */
template <class F>
__device__ __forceinline__ double
sum_in_order(unsigned first, unsigned last, F value)
{
	double sum = 0.0;
	for (unsigned t = first; t <= last; t += 32) {
		const unsigned mine = t + threadIdx.x % 32;
		const double v = mine <= last ? value(mine) : 0.0;
		const int count = (int)(last - t < 31 ? last - t : 31);
		for (int lane = 0; lane <= count; ++lane)
			sum += __shfl_sync(0xffffffff, v, lane);
	}
	return sum;
}

template <class T>
__global__ void __launch_bounds__(SUMS_THREADS)
compare_kernel(const __grid_constant__ cwt_sums s)
{
	const unsigned i = blockIdx.y / s.row_count;
	const sums_place row = { blockIdx.y % s.row_count, i, 0, item_of(s, i) };
	const double *state = s.state + (size_t)blockIdx.y * MOST_NUMBERS * s.outputs;
	const unsigned first = s.baseline_first, last = s.baseline_last;
	const double samples = (double)(last - first + 1);
	for (int a = 0; a < SUMS_ITC; ++a) {
		const double *p = state + (size_t)a * s.outputs;
		if (!s.array[a].base)
			continue;
		/* Each warp for itself. */
		const double mean = sum_in_order(first, last, [p](unsigned t) { return p[t]; }) /
		                    samples;
		const double square = sum_in_order(first, last, [p, mean](unsigned t) {
			return (p[t] - mean) * (p[t] - mean);
		});
		const double deviation = sqrt(square / samples);
		for (unsigned t = threadIdx.x; t < s.outputs; t += SUMS_THREADS)
			put_result<T>(s, a, sums_place{ row.row, i, t, row.item }, false,
			              averages_compared(s.baseline, p[t], mean, deviation));
	}
}

/* ---- Launches -------------------------------------------------------------------------------- */

int
cwt_sums_numbers(wsi_cwt_form form)
{
	return form == WSI_CWT_MEANS ? sums_means<float>::NUMBERS
		: form == WSI_CWT_POWERS ? sums_powers<float>::NUMBERS : MOST_NUMBERS;
}

static cudaError_t
launch(void (*kernel)(cwt_sums), const cwt_sums &s, unsigned across, cudaStream_t stream)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(across, s.items * s.row_count);
	config.blockDim = dim3(SUMS_THREADS);
	config.stream = stream;
	return cudaLaunchKernelEx(&config, kernel, s);
}

template <class T>
static cudaError_t
add_of(const cwt_sums &s, cudaStream_t stream)
{
	return launch(s.form == WSI_CWT_MEANS ? sums_kernel<T, sums_means>
	              : s.form == WSI_CWT_POWERS ? sums_kernel<T, sums_powers>
	              : s.form == WSI_CWT_EPOCHS ? sums_kernel<T, sums_epochs>
	              : s.form == WSI_CWT_PAIRS ? sums_kernel<T, sums_pairs>
	              : sums_kernel<T, sums_times>,
	              s, (s.outputs + SUMS_THREADS - 1) / SUMS_THREADS, stream);
}

cudaError_t
cwt_sums_add(const cwt_sums &s, ws_type type, cudaStream_t stream)
{
	return type == WS_F64 ? add_of<double>(s, stream) : add_of<float>(s, stream);
}

cudaError_t
cwt_sums_compare(const cwt_sums &s, ws_type type, cudaStream_t stream)
{
	return launch(type == WS_F64 ? compare_kernel<double> : compare_kernel<float>, s, 1,
	              stream);
}
