/*
 * memory.cuh - the memory that Hilbert-Huang spectra take on a GPU: how it is laid out, batches and
 * chunks that fit, and the tables in it.
 */
#ifndef WSI_CUDA_HHT_MEMORY_CUH
#define WSI_CUDA_HHT_MEMORY_CUH

#include <stdlib.h>

#include "base/arena.h"
#include "cuda/hht/bins.cuh"
#include "cuda/hht/envelope.cuh"
#include "cuda/hht/phase.cuh"
#include "cuda/device/grid.h"
#include "cuda/device/work.h"

/* ---- Memory -------------------------------------------------------------------------------- */

struct hht_gpu {
	const wsi_hht_job *job;
	size_t shared;          /* bytes that a block may have */
	bool host_arrays;
	unsigned channels, rows; /* of a batch; of a chunk */
	unsigned tiles;
	size_t stride, knots, element;

	/* Of a batch */
	char *modes, *signal, *residue; /* those that come from the host */
	wsi_hht_sums *sums;
	wsi_hht_channel *channel;
	int *alive, *counts;
	double *amplitude, *largest, *marginal, *squares_part, *squares;
	int32_t *bin;
	hht_facts_parts facts;
	double *weights[5];     /* energy, moment; those of excluded samples; outside */
	char *spectrum, *mode_spectrum, *power; /* on their way to the host */
	double *spectrum_room;
	unsigned spectrum_lanes, marginal_lanes;

	/* Of a chunk */
	hht_phases phases;
	hilbert_view hilbert;
	hht_envelopes env;
	double *marginal_part, *marginal_room;
	char *to_amplitude, *to_frequency; /* on their way to the host */
	int32_t *to_cycle;

	/* Tables */
	bool made;              /* they are there already */
	hht_bin_view bins;
	double *edges, *response[2];
	hht_pair *twiddles[4], *lane[2], *group[2], *angles;
	int32_t *guess;
	uint32_t *order[4];     /* of the axes there, of those back */
};

template <class T>
static void
take(T *&to, wsi_arena *arena, size_t n)
{
	to = (T *)wsi_arena_take(arena, n * sizeof(T));
}

static bool
has_part(const wsi_hht_job *job, int part)
{
	return (job->parts & part) != 0;
}

static bool
makes_spectra(const wsi_hht_job *job)
{
	return has_part(job, WS_HHT_PART_SPECTRUM | WS_HHT_PART_MODE_SPECTRUM);
}

static bool
by_quadrature(const wsi_hht_job *job)
{
	return job->method == WS_HHT_QUADRATURE;
}

/* Frequencies are the slopes of three samples of a phase that is not smoothed. */
static bool
is_plain(const wsi_hht_job *job)
{
	return !job->emd_py && job->smooth_phase == 1 && job->smooth_frequency == 3 && job->n >= 3;
}

/* Pairs of an axis's twiddles (ops/fft.c). */
static size_t
twiddle_pairs(const wsi_fft_axis *axis)
{
	size_t q = axis->n, numbers = 2;
	for (int pass = 0; pass < axis->passes; ++pass) {
		q /= (size_t)axis->radix[pass];
		numbers = axis->twiddle[pass] + 2 * q * (size_t)(axis->radix[pass] - 1);
	}
	return numbers / 2;
}

static void
lay_out_axis(hht_gpu *g, int i, fft_axis_view *to, const wsi_fft_axis *axis, wsi_arena *tables)
{
	take(g->twiddles[i], tables, twiddle_pairs(axis));
	take(g->order[i], tables, axis->n);
	to->n = (unsigned)axis->n;
	to->passes = axis->passes;
	unsigned q = to->n;
	for (int pass = 0; pass < axis->passes; ++pass) {
		to->radix[pass] = axis->radix[pass];
		to->twiddle[pass] = (unsigned)(axis->twiddle[pass] / 2);
		q /= (unsigned)axis->radix[pass];
		to->magic[pass] = q > 1 ? (unsigned)(((1ull << 32) + q - 1) / q) : 0;
	}
	to->twiddles = g->twiddles[i];
	to->order = g->order[i];
}

static void
lay_out_transform(hht_gpu *g, int i, fft_view *f, const wsi_fft *fft, wsi_arena *tables)
{
	f->n2 = (unsigned)fft->first.n;
	f->n1 = (unsigned)fft->second.n;
	lay_out_axis(g, 2 * i, &f->first, &fft->first, tables);
	lay_out_axis(g, 2 * i + 1, &f->second, &fft->second, tables);
	take(g->lane[i], tables, WSI_FFT_ACROSS * (size_t)f->n2);
	take(g->group[i], tables, (size_t)f->n2 * (f->n1 / WSI_FFT_ACROSS));
	f->lane = g->lane[i];
	f->group = g->group[i];
}

/* How many transforms of so many bytes a block does: as many as have room in blocks beside each
 * other, or else in one; -1: not even two. */
static int
log_across(const hht_gpu *g, size_t one)
{
	int log = 3;
	while (log > 1 && one << log > g->shared / FFT_BLOCKS)
		--log;
	while (log < 3 && one << (log + 1) <= g->shared)
		++log;
	return one << log <= g->shared ? log : -1;
}

static void
lay_out_hilbert(hht_gpu *g, wsi_arena *arena, wsi_arena *tables)
{
	const wsi_hht_job *job = g->job;
	const wsi_hilbert_tables *t = &job->hilbert;
	hilbert_view *h = &g->hilbert;
	*h = {};
	if (!t->fft)
		return;
	h->period = (unsigned)t->n;
	h->half = (unsigned)t->half;
	h->at_once = t->at_once;
	h->over = -1.0 / (double)t->half;
	h->lead = (unsigned)job->lead;
	h->behind = (unsigned)(job->padded - job->lead - job->n);
	h->mirrored = job->ends == WS_HHT_ENDS_MIRROR;
	lay_out_transform(g, 0, &h->there, t->fft, tables);
	lay_out_transform(g, 1, &h->back, t->back, tables);
	take(g->angles, tables, h->half);
	for (int i = 0; i < 2; ++i)
		take(g->response[i], tables, h->at_once ? 0 : h->half);
	h->angles = g->angles;
	h->sum = g->response[0];
	h->difference = g->response[1];
	const size_t all = (size_t)g->rows * h->half;
	take(h->transposed, arena, all);
	take(h->transposed_back, arena, all);
	unsigned *about;
	take(about, arena, 2 * (size_t)g->rows);
	h->about = about;
	/* The middle has bins besides; what no block has room for is in the device's memory. */
	const size_t n1 = h->there.n1 * sizeof(hht_pair), n2 = h->there.n2 * sizeof(hht_pair);
	const int ends = log_across(g, n2), middle = log_across(g, 2 * n1);
	const bool room = ends < 0 || middle < 0;
	h->there.first.log_across = h->back.second.log_across = room ? 3 : ends;
	h->there.second.log_across = h->back.first.log_across = room ? 3 : middle;
	h->room = NULL;
	if (room)
		take(h->room, arena, 2 * all);
}

static void
lay_out_envelopes(hht_gpu *g, wsi_arena *arena)
{
	const size_t rows = g->rows, knots = rows * g->knots;
	const bool some = g->job->method != WS_HHT_HILBERT;
	hht_envelopes *e = &g->env;
	e->stride = g->knots;
	take(e->x, arena, some ? rows * g->stride : 0);
	take(e->t, arena, some ? knots : 0);
	take(e->v, arena, some ? knots : 0);
	take(e->s, arena, some ? knots : 0);
	take(e->w, arena, some && g->job->emd_py ? knots : 0);
	take(e->count, arena, some ? rows * g->tiles : 0);
	take(e->sum, arena, some ? rows * g->tiles : 0);
	take(e->of, arena, some ? rows : 0);
}

static void
lay_out_chunk(hht_gpu *g, wsi_arena *arena, wsi_arena *tables)
{
	const wsi_hht_job *job = g->job;
	const size_t rows = g->rows, samples = rows * g->stride, tiles = rows * g->tiles;
	const bool seen = g->host_arrays && has_part(job, WS_HHT_PART_INSTANTANEOUS);
	const size_t bins = (size_t)job->bins.n;
	hht_phases *p = &g->phases;
	take(p->phase, arena, samples);
	take(p->smooth, arena, job->smooth_phase > 1 ? samples : 0);
	take(p->frequency, arena, samples);
	take(p->edges, arena, 2 * tiles);
	take(p->turns, arena, tiles);
	take(p->words, arena, 2 * tiles + 1);
	p->tops = p->words + tiles;
	p->ticket = (unsigned *)(p->tops + tiles);
	lay_out_hilbert(g, arena, tables);
	lay_out_envelopes(g, arena);
	take(g->marginal_part, arena, tiles * bins);
	const unsigned lanes = chain_columns(bins * sizeof(double), 2, g->shared);
	g->marginal_lanes = lanes ? lanes : 2;
	g->marginal_room = NULL;
	if (!lanes)
		take(g->marginal_room, arena, 2 * tiles * bins);
	take(g->to_amplitude, arena, seen ? rows * job->n * g->element : 0);
	take(g->to_frequency, arena, seen ? rows * job->n * g->element : 0);
	take(g->to_cycle, arena, g->host_arrays && has_part(job, WS_HHT_PART_CYCLES)
	     ? rows * job->n : 0);
}

static void
lay_out_spectra(hht_gpu *g, wsi_arena *arena)
{
	const wsi_hht_job *job = g->job;
	const size_t bins = (size_t)job->bins.n, cells = bins * job->time_bins;
	const size_t channels = g->channels, stretches = job->stretches;
	const bool one = makes_spectra(job), each = has_part(job, WS_HHT_PART_MODE_SPECTRUM);
	const bool staged = g->host_arrays, all = has_part(job, WS_HHT_PART_SPECTRUM);
	take(g->squares_part, arena, one ? channels * stretches * bins : 0);
	take(g->squares, arena, one ? channels * bins : 0);
	take(g->spectrum, arena, staged && all ? channels * cells * g->element : 0);
	take(g->mode_spectrum, arena,
	     staged && each ? channels * job->modes * cells * g->element : 0);
	take(g->power, arena, staged && all ? channels * job->time_bins * sizeof(double) : 0);
	const size_t bytes = bins * sizeof(double) * (each ? 2 : 1);
	g->spectrum_lanes = chain_columns(bytes, 1, g->shared);
	const bool room = g->spectrum_lanes == 0;
	g->spectrum_lanes = room ? 1 : g->spectrum_lanes;
	g->spectrum_room = NULL;
	if (room && one)
		take(g->spectrum_room, arena, channels * stretches * bins * (each ? 2 : 1));
}

/* tables: where they are to lie; may be `arena`, too. */
static void
lay_out(hht_gpu *g, wsi_arena *arena, wsi_arena *tables)
{
	const wsi_hht_job *job = g->job;
	const size_t channels = g->channels, rows = channels * job->modes;
	const size_t row = job->n * g->element, bins = (size_t)job->bins.n;
	take(g->modes, arena, job->given.on_device ? 0 : rows * row);
	const bool decomposed = job->decomposes && !job->given.on_device;
	take(g->signal, arena, decomposed ? channels * row : 0);
	take(g->residue, arena, decomposed ? channels * row : 0);
	take(g->sums, arena, rows);
	take(g->channel, arena, channels);
	take(g->alive, arena, rows);
	take(g->counts, arena, channels);
	take(g->amplitude, arena, rows * g->stride);
	take(g->bin, arena, rows * g->stride);
	take(g->largest, arena, channels);
	take(g->marginal, arena, rows * bins);
	take(g->facts.squares, arena, rows * g->tiles);
	take(g->facts.whole, arena, channels * g->tiles);
	take(g->facts.rest, arena, channels * g->tiles);
	for (int i = 0; i < 5; ++i)
		take(g->weights[i], arena, rows * g->tiles);
	take(g->edges, tables, bins + 1);
	take(g->guess, tables, job->bins.keys);
	lay_out_spectra(g, arena);
	lay_out_chunk(g, arena, tables);
}

static void
begin_layout(hht_gpu *g, wsi_device *d, const wsi_hht_job *job, bool host_arrays)
{
	*g = {};
	g->job = job;
	g->shared = d->facts.sharedMemPerBlockOptin - 1024;
	g->host_arrays = host_arrays;
	g->tiles = (unsigned)((job->n + HHT_TILE - 1) / HHT_TILE);
	g->stride = (job->n + 2 + 31) / 32 * 32;
	g->knots = job->emd_py ? job->n + 16 : job->n / 2 + 8;
	g->element = job->type == WS_F64 ? 8 : 4;
}

/* Bytes of a batch of so many channels, and chunks of so many rows. */
static size_t
bytes_of(hht_gpu *g, size_t channels, size_t rows)
{
	wsi_arena arena = {};
	g->channels = (unsigned)channels;
	g->rows = (unsigned)rows;
	lay_out(g, &arena, &arena);
	return arena.used;
}

/* Rows of a launch, and rows that keep a device busy. */
constexpr size_t MOST_ROWS = GRID_ROWS, ENOUGH_ROWS = 64;

/* The largest batch and chunk of at most so many bytes; false where there are none, and *bytes are
 * the least. */
static bool
choose_sizes(hht_gpu *g, size_t most, size_t *bytes)
{
	const wsi_hht_job *job = g->job;
	/* emd 0.8.1 divides by the largest of all modes: they are together. */
	const size_t least = job->emd_py && by_quadrature(job) ? job->modes : 1;
	size_t channels = job->channels;
	while (channels > 1 && channels * job->modes > MOST_ROWS)
		channels = (channels + 1) / 2;
	for (;; channels = (channels + 1) / 2) {
		const size_t all = channels * job->modes;
		const size_t few = all < ENOUGH_ROWS ? all : ENOUGH_ROWS;
		for (size_t rows = all < MOST_ROWS ? all : MOST_ROWS;; rows = (rows + 1) / 2) {
			rows = (rows + least - 1) / least * least;
			*bytes = bytes_of(g, channels, rows);
			if (*bytes <= most)
				return true;
			if (rows <= least || (channels > 1 && rows <= few))
				break;
		}
		if (channels == 1)
			return false;
	}
}

/* ---- Tables -------------------------------------------------------------------------------- */

static unsigned
blocks_for(size_t n, size_t each)
{
	return (unsigned)((n + each - 1) / each);
}

static void
put_axis(cuda_work *w, hht_gpu *g, int i, const wsi_fft_axis *axis, const void *twiddles)
{
	cuda_work_table(w, g->twiddles[i], twiddles, twiddle_pairs(axis) * sizeof(hht_pair));
	uint32_t *order = (uint32_t *)malloc(axis->n * sizeof *order);
	if (!order) {
		well(w, cudaErrorMemoryAllocation, "tables of a transform");
		return;
	}
	for (size_t t = 0; t < axis->n; ++t)
		order[axis->place[t]] = (uint32_t)t;
	cuda_work_table(w, g->order[i], order, axis->n * sizeof *order);
	free(order);
}

static void
put_transform(cuda_work *w, hht_gpu *g, int i, const fft_view *f, const wsi_fft *fft)
{
	const size_t groups = f->n1 / WSI_FFT_ACROSS;
	const size_t twiddles = (groups > WSI_FFT_ACROSS ? groups : WSI_FFT_ACROSS) * f->n2;
	put_axis(w, g, 2 * i, &fft->first, fft->twiddles[0]);
	put_axis(w, g, 2 * i + 1, &fft->second, fft->twiddles[1]);
	if (w->error == cudaSuccess)
		well(w, hht_launch(w->stream, blocks_for(twiddles, FFT_THREADS), FFT_THREADS, 0,
		                   hilbert_twiddles_kernel, f->n1, f->n2, g->lane[i], g->group[i]),
		     "tables");
}

/* Brings them to the device. */
static void
put_tables(cuda_work *w, hht_gpu *g)
{
	const wsi_hht_job *job = g->job;
	const wsi_bins *b = &job->bins;
	const wsi_hilbert_tables *t = &job->hilbert;
	cuda_work_table(w, g->edges, b->edges, ((size_t)b->n + 1) * sizeof *b->edges);
	cuda_work_table(w, g->guess, b->guess, b->keys * sizeof *b->guess);
	if (!t->fft)
		return;
	put_transform(w, g, 0, &g->hilbert.there, t->fft);
	put_transform(w, g, 1, &g->hilbert.back, t->back);
	if (!t->at_once) {
		cuda_work_table(w, g->response[0], t->sum, t->half * sizeof(double));
		cuda_work_table(w, g->response[1], t->difference, t->half * sizeof(double));
	}
	const hilbert_view &h = g->hilbert;
	well(w, hht_launch(w->stream, blocks_for(h.half, FFT_THREADS), FFT_THREADS, 0,
	                   hilbert_angles_kernel, h.half, g->angles), "tables");
}

/* What kernels are told of bins. */
static hht_bin_view
bin_view(const hht_gpu *g)
{
	const wsi_hht_job *job = g->job;
	const wsi_bins *b = &job->bins;
	return { b->n, b->edges[0], b->edges[b->n], g->edges, g->guess, b->key, b->keys,
		 job->quantity != WS_HHT_QUANTITY_AMPLITUDE, job->outlier_ratio, job->exclude,
		 (int)job->quantity };
}

#endif
