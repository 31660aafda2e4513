/*
 * hht.cu - Hilbert-Huang spectra on a GPU: the analysis of modes (algo/hht.h), with the bits of the
 * CPU.
 *
 * A batch of channels at a time: a look at their modes, then chunks of their rows through amplitude,
 * phase, frequency and bins, then their spectra.  All is put into one stream; where arrays are in
 * the host's memory it waits once a batch for the numbers of modes.
 */
#include <stdio.h>

#include "cuda/hht/bins.cuh"
#include "cuda/hht/cycles.cuh"
#include "cuda/hht/envelope.cuh"
#include "cuda/hht/phase.cuh"
#include "cuda/work.h"
#include "base/arena.h"

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
	double *weights[5];     /* energy, moment; those of masked samples; outside */
	char *spectrum, *mode_spectrum, *power; /* on their way to the host */
	double *spectrum_room;
	unsigned spectrum_lanes, marginal_lanes, marginal_columns;

	/* Of a chunk */
	hht_phases phases;
	hilbert_view hilbert;
	hht_envelopes env;
	double *marginal_part, *marginal_room;
	char *to_amplitude, *to_frequency; /* on their way to the host */
	int32_t *to_cycle;

	/* Tables */
	hht_bin_view bins;
	double *edges, *twiddles[4], *lane[2], *group[2], *angles[2], *response[2];
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
	return !job->emd && job->smooth_phase == 1 && job->smooth_frequency == 3 && job->n >= 3;
}

/* Numbers of an axis's twiddles (ops/fft.c). */
static size_t
twiddle_numbers(const wsi_fft_axis *axis)
{
	size_t q = axis->n, numbers = 1;
	for (int pass = 0; pass < axis->passes; ++pass) {
		q /= (size_t)axis->radix[pass];
		numbers = axis->twiddle[pass] + 2 * q * (size_t)(axis->radix[pass] - 1);
	}
	return numbers;
}

static void
lay_out_axis(hht_gpu *g, int i, fft_axis_view *to, const wsi_fft_axis *axis, wsi_arena *arena)
{
	take(g->twiddles[i], arena, twiddle_numbers(axis));
	take(g->order[i], arena, axis->n);
	to->n = (unsigned)axis->n;
	to->passes = axis->passes;
	for (int pass = 0; pass < axis->passes; ++pass) {
		to->radix[pass] = axis->radix[pass];
		to->twiddle[pass] = (unsigned)axis->twiddle[pass];
	}
	to->twiddles = g->twiddles[i];
	to->order = g->order[i];
}

static void
lay_out_transform(hht_gpu *g, int i, fft_view *f, const wsi_fft *fft, wsi_arena *arena)
{
	f->n2 = (unsigned)fft->first.n;
	f->n1 = (unsigned)fft->second.n;
	lay_out_axis(g, 2 * i, &f->first, &fft->first, arena);
	lay_out_axis(g, 2 * i + 1, &f->second, &fft->second, arena);
	take(g->lane[i], arena, 2 * WSI_FFT_ACROSS * (size_t)f->n2);
	take(g->group[i], arena, 2 * (size_t)f->n2 * (f->n1 / WSI_FFT_ACROSS));
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
lay_out_hilbert(hht_gpu *g, wsi_arena *arena)
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
	h->lead = (unsigned)job->lead;
	h->behind = (unsigned)(job->padded - job->lead - job->n);
	h->mirrored = job->ends == WS_HHT_ENDS_MIRROR;
	lay_out_transform(g, 0, &h->there, t->fft, arena);
	lay_out_transform(g, 1, &h->back, t->back, arena);
	for (int i = 0; i < 2; ++i) {
		take(g->angles[i], arena, h->half);
		take(g->response[i], arena, h->at_once ? 0 : h->half);
	}
	h->cosine = g->angles[0];
	h->sine = g->angles[1];
	h->sum = g->response[0];
	h->difference = g->response[1];
	const size_t all = (size_t)g->rows * h->half;
	take(h->turned, arena, all);
	take(h->turned_back, arena, all);
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
	take(e->w, arena, some && g->job->emd ? knots : 0);
	take(e->count, arena, some ? rows * g->tiles : 0);
	take(e->sum, arena, some ? rows * g->tiles : 0);
	take(e->of, arena, some ? rows : 0);
}

static void
lay_out_chunk(hht_gpu *g, wsi_arena *arena)
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
	take(p->words, arena, tiles + 1);
	p->ticket = (unsigned *)(p->words + tiles);
	lay_out_hilbert(g, arena);
	lay_out_envelopes(g, arena);
	take(g->marginal_part, arena, tiles * bins);
	/* As many tiles for each warp, as far as that goes. */
	const unsigned columns = chain_columns(bins * sizeof(double), 2, g->shared);
	const unsigned most = (columns ? columns : 2) / 2, warps = (g->tiles + most - 1) / most;
	g->marginal_columns = columns ? columns : 2;
	g->marginal_lanes = 2 * ((g->tiles + warps - 1) / warps);
	g->marginal_room = NULL;
	if (!columns)
		take(g->marginal_room, arena, tiles * bins * g->marginal_columns);
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

static void
lay_out(hht_gpu *g, wsi_arena *arena)
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
	take(g->edges, arena, bins + 1);
	take(g->guess, arena, job->bins.keys);
	lay_out_spectra(g, arena);
	lay_out_chunk(g, arena);
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
	g->knots = job->emd ? job->n + 16 : job->n / 2 + 8;
	g->element = job->type == WS_F64 ? 8 : 4;
}

/* Bytes of a batch of so many channels, and chunks of so many rows. */
static size_t
bytes_of(hht_gpu *g, size_t channels, size_t rows)
{
	wsi_arena arena = {};
	g->channels = (unsigned)channels;
	g->rows = (unsigned)rows;
	lay_out(g, &arena);
	return arena.used;
}

/* Rows of a launch, and rows that keep a device busy. */
constexpr size_t MOST_ROWS = 32768, ENOUGH_ROWS = 64;

/* The largest batch and chunk of at most so many bytes; false where there are none, and *bytes are
 * the least. */
static bool
choose_sizes(hht_gpu *g, size_t most, size_t *bytes)
{
	const wsi_hht_job *job = g->job;
	/* emd 0.8.1 divides by the largest of all modes: they are together. */
	const size_t least = job->emd && by_quadrature(job) ? job->modes : 1;
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

static ws_status
measure(wsi_device *d, const void *asked, size_t part, size_t most, size_t *device, size_t *pinned,
        wsi_why *why)
{
	const wsi_hht_job *job = (const wsi_hht_job *)asked;
	(void)part;
	(void)why;
	hht_gpu g;
	begin_layout(&g, d, job, true);
	size_t bytes;
	const bool fits = choose_sizes(&g, most > job->resident ? most - job->resident : 0, &bytes);
	*device = bytes + job->resident;
	*pinned = 0;
	return fits ? WS_OK : WS_E_NOMEM;
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
	cuda_work_table(w, g->twiddles[i], twiddles, twiddle_numbers(axis) * sizeof(double));
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
	const size_t turns = (groups > WSI_FFT_ACROSS ? groups : WSI_FFT_ACROSS) * f->n2;
	put_axis(w, g, 2 * i, &fft->first, fft->twiddles[0]);
	put_axis(w, g, 2 * i + 1, &fft->second, fft->twiddles[1]);
	if (w->error == cudaSuccess)
		well(w, hht_launch(w->stream, blocks_for(turns, FFT_THREADS), FFT_THREADS, 0,
		                   hilbert_turns_kernel, f->n1, f->n2, g->lane[i], g->group[i]),
		     "tables");
}

static void
put_tables(cuda_work *w, hht_gpu *g)
{
	const wsi_hht_job *job = g->job;
	const wsi_bins *b = &job->bins;
	const wsi_hilbert_tables *t = &job->hilbert;
	cuda_work_table(w, g->edges, b->edges, ((size_t)b->n + 1) * sizeof *b->edges);
	cuda_work_table(w, g->guess, b->guess, b->keys * sizeof *b->guess);
	g->bins = { b->n, g->edges, g->guess, b->key, b->keys, job->quantity != WS_HHT_AMPLITUDE,
		    job->wild, job->mask, (int)job->quantity };
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
	                   hilbert_angles_kernel, h.half, g->angles[0], g->angles[1]), "tables");
}

/* ---- A batch ------------------------------------------------------------------------------- */

template <class T> struct hht_batch {
	cuda_work *w;
	hht_gpu *g;
	size_t first;           /* channel */
	unsigned channels, rows; /* of it */
	hht_rows<T> modes, signal, residue;
};

/* Runs a kernel over a grid, by HHT_THREADS threads a block. */
template <class... P, class... A>
static void
go(cuda_work *w, dim3 grid, void (*kernel)(P...), A... arguments)
{
	if (w->error == cudaSuccess)
		well(w, hht_launch(w->stream, grid, HHT_THREADS, 0, kernel, arguments...),
		     "the analysis");
}

template <class... P, class... A>
static void
go_with(cuda_work *w, dim3 grid, int threads, size_t shared, void (*kernel)(P...), A... arguments)
{
	if (w->error == cudaSuccess)
		well(w, hht_launch(w->stream, grid, threads, shared, kernel, arguments...),
		     "the analysis");
}

/* Rows of the batch from where the caller has them, through a copy where that is the host. */
template <class T>
static hht_rows<T>
rows_of(hht_batch<T> &b, const wsi_hht_rows &from, char *copy, size_t modes, bool scaled)
{
	hht_gpu *g = b.g;
	const size_t row = g->job->n * sizeof(T);
	const wsi_hht_channel *of = scaled ? g->channel : NULL;
	const char *at = from.data + b.first * from.channel;
	if (from.on_device)
		return { at, from.channel, from.row, (int)modes, of };
	if (from.channel == modes * from.row || modes == 1)
		cuda_work_put(b.w, copy, row, at, modes == 1 ? from.channel : from.row, row,
		              b.channels * modes);
	else
		for (size_t c = 0; c < b.channels; ++c)
			cuda_work_put(b.w, copy + c * modes * row, row, at + c * from.channel,
			              from.row, row, modes);
	return { copy, modes * row, row, (int)modes, of };
}

/* Where the caller's array is on the device; data NULL where it is not wanted, or not there. */
template <class T, class E>
static hht_out<E>
caller_rows(const hht_batch<T> &b, int array, int part)
{
	const wsi_io *io = b.w->io;
	if (!has_part(b.g->job, part) || !io->on_device || !wsi_io_wants(io, array))
		return { NULL, 0, 0, 1 };
	const ws_buffer *to = &io->arrays[array];
	return { (char *)to->data + b.first * to->stride[0], to->stride[0], to->stride[1],
		 (int)b.g->job->modes };
}

static bool
host_wants(const cuda_work *w, const wsi_hht_job *job, int array, int part)
{
	return has_part(job, part) && !w->io->on_device && wsi_io_wants(w->io, array);
}

/* Rows of a chunk's buffer, `stride` bytes apart, by numbers of the batch. */
template <class E>
static hht_out<E>
chunk_rows(char *buffer, size_t stride, unsigned row0)
{
	return { buffer - row0 * stride, stride, 0, 1 };
}

template <class T>
static void
look_at(hht_batch<T> &b)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	cuda_work *w = b.w;
	const hht_chunk all = { 0, (unsigned)job->n, g->stride, g->tiles, g->alive, g->sums };
	const dim3 threads(blocks_for(b.rows, HHT_THREADS));
	go(w, threads, hht_clear_kernel, g->sums, b.rows);
	go(w, dim3(g->tiles < 16 ? g->tiles : 16, b.rows), hht_look_kernel<T>, all, b.modes);
	if (job->counts)
		cuda_work_table(w, g->counts, job->counts + b.first, b.channels * sizeof(int32_t));
	go(w, dim3(blocks_for(b.channels, HHT_THREADS)), hht_judge_kernel, g->sums,
	   job->counts ? g->counts : NULL, (int)job->modes, b.channels, g->channel, g->alive);
	go(w, dim3(g->tiles, b.channels), hht_facts_kernel<T>, all, b.modes, b.signal, b.residue,
	   g->channel, g->facts);
	go(w, dim3(blocks_for(b.rows + b.channels, HHT_THREADS)), hht_facts_total_kernel, all,
	   b.rows, b.channels, g->channel, g->facts);
	if (w->error == cudaSuccess)
		well(w, cudaMemsetAsync(g->largest, 0, b.channels * sizeof(double), w->stream),
		     "the analysis");
}

/* ---- A chunk: envelopes -------------------------------------------------------------------- */

template <hht_peaks KIND>
static void
find_peaks(cuda_work *w, hht_gpu *g, const hht_chunk &c, unsigned rows)
{
	go(w, dim3(g->tiles, rows), hht_count_peaks_kernel<KIND>, c, g->env);
	go(w, dim3(g->tiles, rows), hht_write_peaks_kernel<KIND>, c, g->env);
}

static void
divide(cuda_work *w, hht_gpu *g, const hht_chunk &c, unsigned rows, double *amplitude)
{
	const bool emd = g->job->emd;
	const dim3 tiles(g->tiles, rows), each(blocks_for(rows, HHT_THREADS));
	for (int k = 0; k < WSI_NORMALISATIONS; ++k) {
		if (emd)
			find_peaks<PEAKS_PLAIN>(w, g, c, rows);
		else
			find_peaks<PEAKS_REFINED>(w, g, c, rows);
		go(w, each, hht_outer_knots_kernel, c, g->env, emd ? 2u : 1u, k == 0, rows);
		go(w, dim3(g->tiles < 8 ? g->tiles : 8, rows), hht_pchip_kernel, g->env);
		if (k > 0 && emd)
			go(w, tiles, hht_envelope_sum_kernel, c, g->env);
		if (k > 0)
			go(w, each, hht_is_normal_kernel, c, g->env, emd, rows);
		go(w, tiles, hht_divide_kernel, c, g->env, amplitude, k == 0);
	}
}

/* Modes of a chunk to g->env.x, normalised, and their amplitudes. */
template <class T>
static void
normalise(hht_batch<T> &b, const hht_chunk &c, unsigned rows)
{
	hht_gpu *g = b.g;
	cuda_work *w = b.w;
	const bool emd = g->job->emd;
	const dim3 tiles(g->tiles, rows);
	go(w, tiles, hht_load_kernel<T>, c, b.modes, g->env);
	if (emd) {
		find_peaks<PEAKS_MAXIMA>(w, g, c, rows);
		go_with(w, dim3(1, rows), 1, 0, hht_emd_knots_kernel, c, g->env);
		go(w, tiles, hht_emd_amplitude_kernel<T>, c, b.modes, g->env, g->amplitude);
	}
	divide(w, g, c, rows, emd ? NULL : g->amplitude);
	const double *largest = g->largest;
	if (by_quadrature(g->job) && emd) {
		go(w, tiles, hht_emd_largest_kernel, c, g->env, (int)g->job->modes, g->channel,
		   g->largest);
		go(w, tiles, hht_normalised_kernel<T, FINISH_EMD>, c, b.modes, g->env,
		   g->amplitude, largest);
	} else if (by_quadrature(g->job)) {
		go(w, tiles, hht_normalised_kernel<T, FINISH_QUADRATURE>, c, b.modes, g->env,
		   g->amplitude, largest);
	} else if (!emd) {
		go(w, tiles, hht_normalised_kernel<T, FINISH_NHT>, c, b.modes, g->env,
		   g->amplitude, largest);
	}
}

/* ---- A chunk: amplitude and phase ---------------------------------------------------------- */

template <class E>
static void
transform(cuda_work *w, hht_gpu *g, const hht_chunk &c, const hht_rows<E> &from, unsigned rows)
{
	const hilbert_view &h = g->hilbert;
	const int ends = h.there.first.log_across, middle = h.there.second.log_across;
	const unsigned n1 = h.there.n1, n2 = h.there.n2;
	const size_t one = h.room ? 0 : (n2 * sizeof(hht_pair)) << ends;
	const size_t two = h.room ? 0 : (2 * n1 * sizeof(hht_pair)) << middle;
	if (h.mirrored)
		go(w, dim3(2, rows), hilbert_ends_kernel<E>, c, from, (unsigned *)h.about);
	go_with(w, dim3(n1 >> ends, rows), FFT_THREADS, one, hilbert_columns_kernel<E>, h, c, from);
	go_with(w, dim3(n2 >> middle, rows), FFT_THREADS, two, hilbert_middle_kernel, h, c);
	go_with(w, dim3(n1 >> ends, rows), FFT_THREADS, one, hilbert_lines_kernel, h, c);
}

/* Where amplitudes and frequencies of a chunk are to be seen, on the device or on their way from
 * there. */
template <class T>
static hht_seen<T>
seen_of(hht_batch<T> &b, const hht_chunk &c)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	const int part = WS_HHT_PART_INSTANTANEOUS;
	const size_t row = job->n * sizeof(T);
	hht_seen<T> seen = { caller_rows<T, T>(b, WS_HHT_INST_AMPLITUDE, part),
		             caller_rows<T, T>(b, WS_HHT_INST_FREQUENCY, part), (int)job->modes,
		             g->channel };
	if (host_wants(b.w, job, WS_HHT_INST_AMPLITUDE, part))
		seen.amplitude = chunk_rows<T>(g->to_amplitude, row, c.row0);
	if (host_wants(b.w, job, WS_HHT_INST_FREQUENCY, part))
		seen.frequency = chunk_rows<T>(g->to_frequency, row, c.row0);
	return seen;
}

static hht_bin_buffers
bin_buffers(const hht_gpu *g)
{
	return { g->amplitude, g->bin, g->phases.frequency, g->weights[2], g->weights[3],
		 g->weights[4] };
}

/* Are bins found in the same pass as frequencies? */
static bool
bins_at_once(const wsi_hht_job *job)
{
	return is_plain(job) && job->mask == WS_HHT_MASK_NONE;
}

/* Amplitudes and angles of rows; where that is all there is to do also frequencies, and phases to
 * out. */
template <class E, hht_side SIDE, bool MODULUS, class T>
static void
find_phases(hht_batch<T> &b, const hht_chunk &c, const hht_rows<E> &rows, unsigned n_rows,
            const hht_out<double> &out)
{
	hht_gpu *g = b.g;
	cuda_work *w = b.w;
	const hht_phases &p = g->phases;
	const dim3 tiles(g->tiles, n_rows);
	if (!is_plain(g->job)) {
		go(w, tiles, hht_angle_kernel<E, SIDE, MODULUS>, c, rows, g->hilbert, p);
		return;
	}
	if (w->error == cudaSuccess)
		well(w, cudaMemsetAsync(p.words, 0, ((size_t)g->rows * g->tiles + 1) *
		                        sizeof *p.words, w->stream), "the analysis");
	const double by = g->job->fs / PHASE_TURN / 2.0;
	if (bins_at_once(g->job))
		go(w, tiles, hht_phase_kernel<E, T, SIDE, MODULUS, true>, c, rows, g->hilbert, p, by,
		   out, g->bins, bin_buffers(g), seen_of(b, c));
	else
		go(w, tiles, hht_phase_kernel<E, T, SIDE, MODULUS, false>, c, rows, g->hilbert, p,
		   by, out, g->bins, bin_buffers(g), seen_of(b, c));
}

/* The same by the method that is asked for. */
template <class T>
static void
find_angles(hht_batch<T> &b, const hht_chunk &c, unsigned rows, const hht_out<double> &out)
{
	hht_gpu *g = b.g;
	cuda_work *w = b.w;
	if (g->job->method == WS_HHT_HILBERT) {
		transform(w, g, c, b.modes, rows);
		find_phases<T, SIDE_HILBERT, true>(b, c, b.modes, rows, out);
		return;
	}
	normalise(b, c, rows);
	const size_t row = g->stride * sizeof(double);
	const hht_rows<double> x = { (char *)g->env.x - c.row0 * row, row, 0, 1, NULL };
	if (!by_quadrature(g->job)) {
		transform(w, g, c, x, rows);
		find_phases<double, SIDE_HILBERT, false>(b, c, x, rows, out);
	} else if (g->job->emd) {
		find_phases<double, SIDE_QUADRATURE_EMD, false>(b, c, x, rows, out);
	} else {
		find_phases<double, SIDE_QUADRATURE, false>(b, c, x, rows, out);
	}
}

/* Frequencies of phases that are smoothed, or made as emd makes them; gives where the latter are. */
static hht_out<double>
find_slopes(cuda_work *w, hht_gpu *g, const hht_chunk &c, unsigned rows)
{
	const wsi_hht_job *job = g->job;
	const dim3 tiles(g->tiles, rows);
	int width = job->smooth_frequency;
	while ((size_t)width > job->n)
		width -= 2;
	double squares = 0.0;
	for (size_t k = 1; k <= (size_t)width / 2; ++k)
		squares += 2.0 * (double)(k * k);
	const double by = job->fs / PHASE_TURN / squares;
	/* emd's phase begins a quarter turn earlier. */
	const double shift = job->emd ? PHASE_PI / 2.0 : 0.0;
	const bool smooth = job->smooth_phase > 1;
	hht_phases p = g->phases;
	if (job->emd)
		go_with(w, dim3(1, rows), 32, 0, hht_unwrap_numpy_kernel, c, p, smooth ? 0.0 : shift);
	else
		go(w, tiles, hht_unwrap_kernel, c, p);
	if (smooth) {
		go(w, tiles, hht_median_kernel, c, p, job->smooth_phase, job->emd, shift);
		p.phase = p.smooth;
	}
	go(w, tiles, hht_slope_kernel, c, p, width, by);
	return chunk_rows<double>((char *)p.phase, g->stride * sizeof(double), c.row0);
}

/* Amplitudes, frequencies, and phases to where they are asked for; gives where the latter are. */
template <class T>
static hht_out<double>
find_frequencies(hht_batch<T> &b, const hht_chunk &c, unsigned rows)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	cuda_work *w = b.w;
	const int part = WS_HHT_PART_INSTANTANEOUS;
	const hht_out<double> none = { NULL, 0, 0, 1 };
	const hht_out<double> own = chunk_rows<double>((char *)g->phases.phase,
	                                               g->stride * sizeof(double), c.row0);
	const hht_out<double> to = caller_rows<T, double>(b, WS_HHT_INST_PHASE, part);
	const bool seen = has_part(job, WS_HHT_PART_CYCLES) ||
	                  host_wants(w, job, WS_HHT_INST_PHASE, part);
	const hht_out<double> out = to.data ? to : seen ? own : none;
	find_angles(b, c, rows, out);
	if (is_plain(job))
		return out;
	const hht_out<double> made = find_slopes(w, g, c, rows);
	if (!to.data)
		return made;
	go(w, dim3(g->tiles, rows), hht_copy_kernel, c, made, to);
	return to;
}

/* ---- A chunk: what is seen of it ------------------------------------------------------------ */

/* Rows of a chunk to the host, those that there are. */
static void
get_rows(cuda_work *w, const hht_gpu *g, size_t first, const hht_chunk &c, unsigned rows, int array,
         const char *from, size_t from_stride, size_t element)
{
	const size_t modes = g->job->modes;
	for (unsigned r = 0; r < rows;) {
		const size_t ch = (c.row0 + r) / modes, k = (c.row0 + r) % modes;
		const size_t left = modes - k < rows - r ? modes - k : rows - r;
		const size_t count = (size_t)g->job->channel[first + ch].count;
		const size_t there = count > k ? count - k : 0;
		if (there)
			cuda_work_get(w, wsi_io_row(w->io, array, first + ch, k),
			              w->io->arrays[array].stride[1], from + r * from_stride,
			              from_stride, g->job->n * element, there < left ? there : left,
			              false);
		r += (unsigned)left;
	}
}

template <class T>
static void
cut_cycles(hht_batch<T> &b, const hht_chunk &c, unsigned rows, const hht_out<double> &phases)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	cuda_work *w = b.w;
	const bool host = host_wants(w, job, WS_HHT_CYCLES, WS_HHT_PART_CYCLES);
	hht_out<int32_t> to = caller_rows<T, int32_t>(b, WS_HHT_CYCLES, WS_HHT_PART_CYCLES);
	if (host)
		to = chunk_rows<int32_t>((char *)g->to_cycle, job->n * sizeof(int32_t), c.row0);
	if (!to.data)
		return;
	const hht_rows<double> from = { phases.data, phases.channel, phases.row, phases.modes,
		                        NULL };
	go_with(w, dim3(1, rows), 32, 0, hht_cycles_kernel, c, from,
	        job->emd ? 0.0 : PHASE_PI / 2.0, to);
	if (host)
		get_rows(w, g, b.first, c, rows, WS_HHT_CYCLES, (char *)g->to_cycle,
		         job->n * sizeof(int32_t), sizeof(int32_t));
}

template <class T>
static void
bin_chunk(hht_batch<T> &b, const hht_chunk &c, unsigned rows)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	cuda_work *w = b.w;
	const int part = WS_HHT_PART_INSTANTANEOUS;
	const bool host[2] = { host_wants(w, job, WS_HHT_INST_AMPLITUDE, part),
		               host_wants(w, job, WS_HHT_INST_FREQUENCY, part) };
	const size_t row = job->n * sizeof(T);
	const hht_bin_buffers buffers = bin_buffers(g);
	const unsigned bins = (unsigned)job->bins.n;
	const double *frequencies = buffers.frequency;
	if (!bins_at_once(job))
		go(w, dim3(g->tiles, rows), hht_bin_kernel<T>, c, g->bins, buffers, seen_of(b, c));
	else if (wsi_io_wants(w->io, WS_HHT_WILD))
		go(w, dim3(g->tiles, rows), hht_wild_kernel, c, job->wild, frequencies);
	go(w, dim3(blocks_for(rows, HHT_THREADS)), hht_bin_total_kernel, c, buffers,
	   job->mask != WS_HHT_MASK_NONE, rows);
	const unsigned lanes = g->marginal_lanes, columns = g->marginal_columns;
	const dim3 warps(blocks_for(g->tiles, lanes / 2), rows);
	if (g->marginal_room)
		go_with(w, warps, 32, CHAIN_BYTES, hht_marginal_kernel<true>, c, g->bins, buffers,
		        lanes, columns, g->marginal_room, g->marginal_part);
	else
		go_with(w, warps, 32, CHAIN_BYTES + (size_t)bins * columns * sizeof(double),
		        hht_marginal_kernel<false>, c, g->bins, buffers, lanes, columns,
		        g->marginal_room, g->marginal_part);
	go(w, dim3(blocks_for(bins, HHT_THREADS), rows), hht_marginal_total_kernel, c, bins,
	   g->marginal_part, g->marginal);
	if (host[0])
		get_rows(w, g, b.first, c, rows, WS_HHT_INST_AMPLITUDE, g->to_amplitude, row,
		         sizeof(T));
	if (host[1])
		get_rows(w, g, b.first, c, rows, WS_HHT_INST_FREQUENCY, g->to_frequency, row,
		         sizeof(T));
}

template <class T>
static void
analyse_chunk(hht_batch<T> &b, unsigned row0, unsigned rows)
{
	hht_gpu *g = b.g;
	cuda_work *w = b.w;
	const hht_chunk c = { row0, (unsigned)g->job->n, g->stride, g->tiles, g->alive, g->sums };
	g->phases.amplitude = g->amplitude;
	g->phases.energy = g->weights[0];
	g->phases.moment = g->weights[1];
	const hht_out<double> phases = find_frequencies(b, c, rows);
	go(w, dim3(blocks_for(rows, HHT_THREADS)), hht_weigh_kernel, c, g->phases, rows);
	if (host_wants(w, g->job, WS_HHT_INST_PHASE, WS_HHT_PART_INSTANTANEOUS))
		get_rows(w, g, b.first, c, rows, WS_HHT_INST_PHASE,
		         phases.data + row0 * phases.channel, phases.channel, sizeof(double));
	cut_cycles(b, c, rows, phases);
	bin_chunk(b, c, rows);
}

/* ---- Spectra ------------------------------------------------------------------------------- */

template <class T>
static void
get_spectra(hht_batch<T> &b)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	cuda_work *w = b.w;
	const size_t bins = (size_t)job->bins.n, line = job->time_bins * sizeof(T);
	const size_t cells = bins * line;
	for (size_t c = 0; c < b.channels; ++c) {
		const size_t ch = b.first + c;
		if (host_wants(w, job, WS_HHT_SPECTRUM, WS_HHT_PART_SPECTRUM))
			cuda_work_get(w, wsi_io_row(w->io, WS_HHT_SPECTRUM, ch, 0),
			              w->io->arrays[WS_HHT_SPECTRUM].stride[1],
			              g->spectrum + c * cells, line, line, bins, false);
		if (host_wants(w, job, WS_HHT_TIME_POWER, WS_HHT_PART_SPECTRUM))
			cuda_work_get(w, wsi_io_row(w->io, WS_HHT_TIME_POWER, ch, 0), 0,
			              g->power + c * job->time_bins * sizeof(double), 0,
			              job->time_bins * sizeof(double), 1, false);
		if (!host_wants(w, job, WS_HHT_MODE_SPECTRUM, WS_HHT_PART_MODE_SPECTRUM))
			continue;
		for (size_t k = 0; k < (size_t)job->channel[ch].count; ++k)
			cuda_work_get(w, wsi_io_row(w->io, WS_HHT_MODE_SPECTRUM, ch, k),
			              w->io->arrays[WS_HHT_MODE_SPECTRUM].stride[2],
			              g->mode_spectrum + (c * job->modes + k) * cells, line, line,
			              bins, false);
	}
}

template <class T>
static void
make_spectra(hht_batch<T> &b)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	cuda_work *w = b.w;
	const wsi_io *io = w->io;
	if (!makes_spectra(job))
		return;
	const unsigned bins = (unsigned)job->bins.n, stretches = (unsigned)job->stretches;
	const size_t line = job->time_bins * sizeof(T), cells = bins * line;
	hht_spectra s = {};
	s.time_bin = (unsigned)job->time_bin;
	s.time_bins = (unsigned)job->time_bins;
	s.each = (s.time_bins + stretches - 1) / stretches;
	s.squares = g->squares_part;
	const bool all = has_part(job, WS_HHT_PART_SPECTRUM);
	const ws_buffer *one = &io->arrays[WS_HHT_SPECTRUM];
	const ws_buffer *each = &io->arrays[WS_HHT_MODE_SPECTRUM];
	const ws_buffer *power = &io->arrays[WS_HHT_TIME_POWER];
	if (!io->on_device) {
		s.spectrum = host_wants(w, job, WS_HHT_SPECTRUM, WS_HHT_PART_SPECTRUM)
		             ? g->spectrum : NULL;
		s.channel = cells;
		s.bin = s.mode_bin = line;
		s.mode_spectrum = host_wants(w, job, WS_HHT_MODE_SPECTRUM,
		                             WS_HHT_PART_MODE_SPECTRUM) ? g->mode_spectrum : NULL;
		s.mode_channel = job->modes * cells;
		s.mode = cells;
		s.power = all ? g->power : NULL;
		s.power_channel = job->time_bins * sizeof(double);
	} else {
		if (all && one->data)
			s.spectrum = (char *)one->data + b.first * one->stride[0];
		s.channel = one->stride[0];
		s.bin = one->stride[1];
		if (has_part(job, WS_HHT_PART_MODE_SPECTRUM) && each->data)
			s.mode_spectrum = (char *)each->data + b.first * each->stride[0];
		s.mode_channel = each->stride[0];
		s.mode = each->stride[1];
		s.mode_bin = each->stride[2];
		if (all && power->data)
			s.power = (char *)power->data + b.first * power->stride[0];
		s.power_channel = power->stride[0];
	}
	const hht_chunk c = { 0, (unsigned)job->n, g->stride, g->tiles, g->alive, g->sums };
	const hht_bin_buffers buffers = { g->amplitude, g->bin };
	const size_t shared = (size_t)bins * g->spectrum_lanes * sizeof(double) *
	                      (has_part(job, WS_HHT_PART_MODE_SPECTRUM) ? 2 : 1);
	const dim3 warps(stretches, b.channels);
	if (g->spectrum_room)
		go_with(w, warps, 32, CHAIN_BYTES, hht_spectrum_kernel<T, true>, c, g->bins, buffers,
		        (int)job->modes, g->channel, g->spectrum_lanes, g->spectrum_room, s);
	else
		go_with(w, warps, 32, CHAIN_BYTES + shared, hht_spectrum_kernel<T, false>, c,
		        g->bins, buffers, (int)job->modes, g->channel, g->spectrum_lanes,
		        g->spectrum_room, s);
	go(w, dim3(blocks_for(bins, HHT_THREADS), b.channels), hht_squares_total_kernel, bins,
	   stretches, g->squares_part, g->squares);
	get_spectra(b);
}

/* ---- All ----------------------------------------------------------------------------------- */

/* Small results, which are in the host's memory always. */
static void
get_numbers(cuda_work *w, void *to, const void *from, size_t bytes)
{
	if (w->error == cudaSuccess && to && bytes)
		well(w, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, w->stream),
		     "copying from the device");
}

/* Modes that a decomposition has left on the device, for a caller who wants them in the host's
 * memory. */
template <class T>
static void
get_modes(hht_batch<T> &b)
{
	const wsi_hht_job *job = b.g->job;
	cuda_work *w = b.w;
	if (!job->decomposes || !job->given.on_device)
		return;
	const size_t bytes = job->n * sizeof(T);
	for (size_t c = b.first; c < b.first + b.channels; ++c) {
		if (host_wants(w, job, WS_HHT_MODES, WS_HHT_PART_MODES) && job->counts[c] > 0)
			cuda_work_get(w, wsi_io_row(w->io, WS_HHT_MODES, c, 0),
			              w->io->arrays[WS_HHT_MODES].stride[1],
			              job->given.data + c * job->given.channel, job->given.row,
			              bytes, (size_t)job->counts[c], false);
		if (host_wants(w, job, WS_HHT_RESIDUE, WS_HHT_PART_MODES))
			cuda_work_get(w, wsi_io_row(w->io, WS_HHT_RESIDUE, c, 0), 0,
			              job->residue.data + c * job->residue.channel, 0, bytes, 1,
			              false);
	}
}

template <class T>
static void
run_batch(cuda_work *w, hht_gpu *g, size_t first, unsigned channels)
{
	const wsi_hht_job *job = g->job;
	hht_batch<T> b = { w, g, first, channels, channels * (unsigned)job->modes, {}, {}, {} };
	b.modes = rows_of(b, job->given, g->modes, job->modes, true);
	if (job->decomposes) {
		b.signal = rows_of(b, job->signal, g->signal, 1, false);
		b.residue = rows_of(b, job->residue, g->residue, 1, false);
	}
	look_at(b);
	if (!w->io->on_device) {
		get_numbers(w, job->channel + first, g->channel, channels * sizeof *g->channel);
		if (!cuda_work_wait(w))
			return;
	}
	get_modes(b);
	for (unsigned row = 0; row < b.rows && goes_on(w); row += g->rows) {
		analyse_chunk(b, row, b.rows - row < g->rows ? b.rows - row : g->rows);
		const double done = (double)(first * job->modes + row) /
		                    (double)(job->channels * job->modes);
		if (!w->io->on_device)
			wsi_progress_part(w->progress, job->before + (1.0 - job->before) * done);
	}
	if (!goes_on(w))
		return;
	make_spectra(b);
	const size_t bins = (size_t)job->bins.n;
	get_numbers(w, job->sums + first * job->modes, g->sums, b.rows * sizeof *g->sums);
	get_numbers(w, job->channel + first, g->channel, channels * sizeof *g->channel);
	get_numbers(w, job->marginal + first * job->modes * bins, g->marginal,
	            b.rows * bins * sizeof(double));
	if (makes_spectra(job))
		get_numbers(w, job->squares + first * bins, g->squares,
		            channels * bins * sizeof(double));
}

static ws_status
run(wsi_device *d, const void *asked, const wsi_io *io, size_t device, size_t pinned,
    wsi_progress *progress, wsi_why *why)
{
	const wsi_hht_job *job = (const wsi_hht_job *)asked;
	const size_t own = device - job->resident, row = job->n * (job->type == WS_F64 ? 8 : 4);
	const bool put = job->task == WSI_HHT_PUT;
	cuda_work w;
	hht_gpu g;
	size_t bytes;
	begin_layout(&g, d, job, true);
	if (!put && !choose_sizes(&g, own, &bytes)) {
		snprintf(why->text, sizeof why->text, "the plan is of another device");
		return WS_E_BACKEND;
	}
	ws_status status = cuda_work_begin(&w, d, io, 0, pinned, progress, why);
	if (status != WS_OK)
		return status;
	if (put) {
		cuda_work_put(&w, job->put, row, io->x, io->x_stride, row, job->channels);
		return cuda_work_end(&w, why);
	}
	/* The device's own, which it keeps for the next: this work has ended when this returns,
	 * wherever the arrays are. */
	void *memory;
	status = cuda_borrow(d, WSI_DEVICE_MEMORY, own, &memory, why);
	if (status != WS_OK) {
		wsi_why later = {};
		cuda_work_end(&w, &later);
		return status;
	}
	wsi_arena arena = { (char *)memory, 0 };
	lay_out(&g, &arena);
	put_tables(&w, &g);
	for (size_t first = 0; first < job->channels && goes_on(&w); first += g.channels) {
		const size_t left = job->channels - first;
		const unsigned channels = (unsigned)(left < g.channels ? left : g.channels);
		if (job->type == WS_F64)
			run_batch<double>(&w, &g, first, channels);
		else
			run_batch<float>(&w, &g, first, channels);
	}
	/* Numbers of the host's memory are to be there. */
	cuda_work_wait(&w);
	status = cuda_work_end(&w, why);
	cuda_give_back(d, WSI_DEVICE_MEMORY, memory);
	return status;
}

static void
describe(wsi_device *d, const void *asked, char *text, size_t size)
{
	const wsi_hht_job *job = (const wsi_hht_job *)asked;
	hht_gpu g;
	begin_layout(&g, d, job, true);
	if (!job->hilbert.fft)
		snprintf(text, size, "  kernels    cuda/hht, no transform\n");
	else
		snprintf(text, size, "  kernels    cuda/hht, transforms of 2 x %zu x %zu samples\n",
		         job->hilbert.fft->second.n, job->hilbert.fft->first.n);
}

const wsi_device_transform cuda_transform_hht = {
	"hht", sizeof(wsi_hht_job), measure, run, describe,
};
