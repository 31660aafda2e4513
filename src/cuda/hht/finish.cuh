/*
 * finish.cuh - what follows from the sums of a batch, for arrays that are all in the device's
 * memory: marginal spectra and figures of modes.
 *
 * Fits      results that stay on the device; others are finished by the host.
 * Twin      transform/hht/finish.c: the same bits.
 * Launch    HHT_THREADS over (bins or modes, channels), a thread each.
 * Memory    reads sums of rows, writes each figure once; nothing is shared.
 */
#ifndef WSI_CUDA_HHT_FINISH_CUH
#define WSI_CUDA_HHT_FINISH_CUH

#include "cuda/hht/batch.cuh"

/* An array of numbers of channels, of modes, or of bins; data NULL: not wanted. */
struct hht_numbers {
	char *data;
	size_t channel, row;    /* bytes from one to the next */

	template <class E> __device__ __forceinline__ void
	put(unsigned c, unsigned k, unsigned i, E value) const
	{
		if (data)
			((E *)(void *)(data + c * channel + k * row))[i] = value;
	}
};

struct hht_finish_job {
	int modes, bins, quantity;
	double n, fs, spread;
	const double *edges;
	const wsi_hht_sums *sums;
	const wsi_hht_channel *channel;
	const double *marginal, *squares; /* [channel][mode][bin]; [channel][bin] */
	hht_numbers count, mean_frequency, outside, negative, outliers, energy, period, noise_low,
		noise_high, orthogonality, cycles, all_marginal, mode_marginal, nonstationarity;
};

/* Bin b of a channel. */
__device__ __forceinline__ void
finish_bin(const hht_finish_job &f, unsigned c, unsigned b, double doubt)
{
	const wsi_hht_channel &ch = f.channel[c];
	const double width = f.edges[b + 1] - f.edges[b];
	const double factor = mode_factor(f.quantity, width, f.n, ch.scale) + doubt;
	double sum = 0.0;
	for (int k = 0; k < ch.count; ++k) {
		const double v = f.marginal[((size_t)c * f.modes + k) * f.bins + b];
		sum += v;
		f.mode_marginal.put(c, (unsigned)k, b, v * factor);
	}
	f.all_marginal.put(c, 0, b, sum * factor);
	if (f.nonstationarity.data)
		f.nonstationarity.put(c, 0, b, mode_nonstationarity(
			f.squares[(size_t)c * f.bins + b], sum, f.n) + doubt);
}

/* Mode k of a channel. */
__device__ __forceinline__ void
finish_mode(const hht_finish_job &f, unsigned c, unsigned k, double doubt)
{
	const double scale = f.channel[c].scale;
	const wsi_hht_sums &first = f.sums[c * f.modes], &s = f.sums[c * f.modes + k];
	const double maxima = (double)s.maxima;
	double low = 0.0, high = 0.0;
	if (first.maxima && s.maxima) {
		mode_noise(first.squares, (double)first.maxima, maxima, f.n, (int)k, f.spread, &low,
		           &high);
		low = mode_squared(low, scale);
		high = mode_squared(high, scale);
	}
	f.mean_frequency.put(c, 0, k, (s.kept > 0.0 ? s.moment / s.kept : 0.0) + doubt);
	f.outside.put(c, 0, k, (s.energy > 0.0 ? s.outside / s.energy : 0.0) + doubt);
	f.negative.put(c, 0, k, s.negative);
	f.outliers.put(c, 0, k, s.outliers);
	f.energy.put(c, 0, k, mode_squared(s.squares / f.n, scale) + doubt);
	f.period.put(c, 0, k, (s.maxima ? f.n / maxima / f.fs : 0.0) + doubt);
	f.noise_low.put(c, 0, k, low + doubt);
	f.noise_high.put(c, 0, k, high + doubt);
	f.cycles.put(c, 0, k, s.cycles);
}

/* Launch: (bins or modes, channels), a thread each; nothing shared. */
static __global__ void
hht_finish_kernel(hht_finish_job f)
{
	const unsigned c = blockIdx.y, i = blockIdx.x * HHT_THREADS + threadIdx.x;
	const wsi_hht_sums *sums = f.sums + (size_t)c * f.modes;
	const int count = f.channel[c].count;
	/* NaN where a sample of the channel is not finite, else 0: it is added to each figure, and
	 * 0 changes none, as none is -0. */
	double doubt = 0.0;
	for (int k = 0; k < f.modes; ++k)
		doubt = sums[k].bad == ~(uint64_t)0 ? doubt : NAN;
	if (i < (unsigned)f.bins)
		finish_bin(f, c, i, doubt);
	if (i < (unsigned)count)
		finish_mode(f, c, i, doubt);
	if (i > 0)
		return;
	double each = 0.0;
	for (int k = 0; k < count; ++k)
		each += sums[k].squares;
	each += f.channel[c].rest;
	f.orthogonality.put(c, 0, 0, mode_orthogonality(f.channel[c].whole, each) + doubt);
	f.count.put(c, 0, 0, count);
}

template <class T>
static hht_numbers
numbers_of(const hht_batch<T> &b, int array, int part)
{
	const wsi_io *io = b.w->io;
	const ws_buffer *a = &io->arrays[array];
	if ((part && !has_part(b.g->job, part)) || !a->data)
		return {};
	return { (char *)a->data + b.first * a->stride[0], a->stride[0], a->stride[1] };
}

template <class T>
static void
finish(const hht_batch<T> &b)
{
	const hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	const unsigned bins = (unsigned)job->bins.n, modes = (unsigned)job->modes;
	hht_finish_job f = { (int)modes, (int)bins, (int)job->quantity, (double)job->n, job->fs,
		         job->spread, g->edges, g->sums, g->channel, g->marginal, g->squares };
	if (!job->decomposes)
		f.count = numbers_of(b, WS_HHT_MODE_COUNT, 0);
	f.mean_frequency = numbers_of(b, WS_HHT_MEAN_FREQUENCY, 0);
	f.outside = numbers_of(b, WS_HHT_OUTSIDE, 0);
	f.negative = numbers_of(b, WS_HHT_NEGATIVE, 0);
	f.outliers = numbers_of(b, WS_HHT_OUTLIERS, 0);
	f.energy = numbers_of(b, WS_HHT_MODE_ENERGY, 0);
	f.period = numbers_of(b, WS_HHT_MEAN_PERIOD, 0);
	f.noise_low = numbers_of(b, WS_HHT_NOISE_LOW, 0);
	f.noise_high = numbers_of(b, WS_HHT_NOISE_HIGH, 0);
	f.orthogonality = numbers_of(b, WS_HHT_ORTHOGONALITY, 0);
	f.cycles = numbers_of(b, WS_HHT_CYCLE_COUNT, WS_HHT_PART_CYCLES);
	f.all_marginal = numbers_of(b, WS_HHT_MARGINAL, WS_HHT_PART_MARGINAL);
	f.mode_marginal = numbers_of(b, WS_HHT_MODE_MARGINAL, WS_HHT_PART_MARGINAL);
	f.nonstationarity = numbers_of(b, WS_HHT_NONSTATIONARITY, WS_HHT_PART_SPECTRUM);
	go(b.w, dim3(blocks_for(bins > modes ? bins : modes, HHT_THREADS), b.channels),
	   hht_finish_kernel, f);
}

#endif
