/*
 * hht.cu - Hilbert-Huang spectra on a GPU: the analysis of modes (cpu/hht/hht.h), with the bits of
 * the CPU.
 *
 * A batch of channels at a time: a look at their modes, then chunks of their rows through
 * amplitude, phase, frequency and bins, then their spectra.  All is put into one stream, except
 * that sums of modes go to the host by a second one while spectra are made.  Where arrays are in
 * the host's memory, the host waits once a batch, for the numbers of modes.  Where all arrays are
 * in the device's memory, nothing goes to the host and nothing waits.
 */
#include <stdio.h>

#include "cuda/hht/chunk.cuh"
#include "cuda/hht/finish.cuh"
#include "cuda/hht/kept.h"

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
		if (host_wants(w, job, WS_HHT_POWER, WS_HHT_PART_SPECTRUM))
			cuda_work_get(w, wsi_io_row(w->io, WS_HHT_POWER, ch, 0), 0,
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
	s.stretches = stretches;
	const unsigned lanes = g->spectrum_lanes;
	s.together = s.each < lanes ? lanes / s.each : 1;
	s.squares = g->squares_part;
	const bool all = has_part(job, WS_HHT_PART_SPECTRUM);
	const ws_buffer *one = &io->arrays[WS_HHT_SPECTRUM];
	const ws_buffer *each = &io->arrays[WS_HHT_MODE_SPECTRUM];
	const ws_buffer *power = &io->arrays[WS_HHT_POWER];
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
	const size_t shared = (size_t)bins * lanes * sizeof(double) *
	                      (has_part(job, WS_HHT_PART_MODE_SPECTRUM) ? 2 : 1);
	const dim3 warps(blocks_for(stretches, s.together), b.channels);
	if (g->spectrum_room)
		go_with(w, warps, 32, CHAIN_BYTES<CHAIN_FEW>,
		        hht_spectrum_kernel<T, CHAIN_FEW, true>, c, g->bins, buffers,
		        (int)job->modes, g->channel, lanes, g->spectrum_room, s);
	else if (lanes == CHAIN_MOST)
		go_with(w, warps, 32, CHAIN_BYTES<CHAIN_MOST> + shared,
		        hht_spectrum_kernel<T, CHAIN_MOST, false>, c, g->bins, buffers,
		        (int)job->modes, g->channel, lanes, g->spectrum_room, s);
	else
		go_with(w, warps, 32, CHAIN_BYTES<CHAIN_FEW> + shared,
		        hht_spectrum_kernel<T, CHAIN_FEW, false>, c, g->bins, buffers,
		        (int)job->modes, g->channel, lanes, g->spectrum_room, s);
	go(w, dim3(blocks_for(bins, HHT_THREADS), b.channels), hht_squares_total_kernel, bins,
	   stretches, g->squares_part, g->squares);
	get_spectra(b);
}

/* ---- All ----------------------------------------------------------------------------------- */

/* Small results, which are in the host's memory always. */
static void
get_numbers(cuda_work *w, cudaStream_t stream, void *to, const void *from, size_t bytes)
{
	if (w->error == cudaSuccess && to && bytes)
		well(w, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream),
		     "copying from the device");
}

/* What is put into the second stream from here on follows what is in the first by now. */
static void
follow(cuda_work *w)
{
	if (w->error == cudaSuccess &&
	    well(w, cudaEventRecord(w->kit.event[0], w->stream), "the analysis"))
		well(w, cudaStreamWaitEvent(w->kit.aside, w->kit.event[0], 0), "the analysis");
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
	/* While the device has something to do. */
	if (first == 0 && !g->made)
		put_tables(w, g);
	g->bins = bin_view(g);
	if (!w->io->on_device) {
		get_numbers(w, w->stream, job->channel + first, g->channel,
		            channels * sizeof *g->channel);
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
	if (w->io->all_on_device) {
		make_spectra(b);
		finish(b);
		return;
	}
	/* The numbers of modes go to the host while spectra are made. */
	const size_t bins = (size_t)job->bins.n;
	const cudaStream_t aside = w->kit.aside;
	follow(w);
	make_spectra(b);
	get_numbers(w, aside, job->sums + first * job->modes, g->sums, b.rows * sizeof *g->sums);
	get_numbers(w, aside, job->channel + first, g->channel, channels * sizeof *g->channel);
	get_numbers(w, aside, job->marginal + first * job->modes * bins, g->marginal,
	            b.rows * bins * sizeof(double));
	if (makes_spectra(job))
		get_numbers(w, w->stream, job->squares + first * bins, g->squares,
		            channels * bins * sizeof(double));
	/* Copies to pinned memory return before they are done: wait for those aside. */
	if (w->error == cudaSuccess)
		well(w, cudaStreamSynchronize(aside), "waiting for the device");
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

static void
run_batches(cuda_work *w, hht_gpu *g)
{
	const wsi_hht_job *job = g->job;
	for (size_t first = 0; first < job->channels && goes_on(w); first += g->channels) {
		const size_t left = job->channels - first;
		const unsigned channels = (unsigned)(left < g->channels ? left : g->channels);
		if (job->type == WS_F64)
			run_batch<double>(w, g, first, channels);
		else
			run_batch<float>(w, g, first, channels);
	}
}

/* All arrays are in the device's memory: the work is only put into the stream. */
static ws_status
enqueue(wsi_device *d, cuda_work *w, hht_gpu *g, wsi_why *why)
{
	wsi_arena arena = {}, tables = {};
	lay_out(g, &arena, &tables);
	hht_tables kept = {};
	well(w, hht_tables_take(d, g->job->made, tables.used, w->stream, &kept), "tables");
	void *memory = NULL;
	ws_status status = WS_OK;
	if (w->error == cudaSuccess)
		status = cuda_borrow_in(d, w->stream, arena.used, &memory, why);
	if (w->error == cudaSuccess && status == WS_OK) {
		arena = { (char *)memory, 0 };
		tables = { kept.memory, 0 };
		lay_out(g, &arena, &tables);
		g->made = kept.last != NULL;
		run_batches(w, g);
		if (g->job->awaited)
			cuda_work_wait(w);
	}
	/* A cancelled one may have left tables out. */
	const bool good = w->error == cudaSuccess && status == WS_OK && goes_on(w);
	const cudaError_t given = cuda_give_back_in(d, w->stream, memory);
	well(w, given, "giving memory back");
	well(w, hht_tables_give(d, w->stream, &kept, good), "keeping tables");
	return status;
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
	if (io->all_on_device) {
		status = enqueue(d, &w, &g, why);
		const ws_status end = cuda_work_end(&w, why);
		return end != WS_OK ? end : status;
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
	if (io->on_device) {
		w.kit = cuda_kit_take(d);
		well(&w, cuda_kit_complete(&w.kit, d->number, 0), "starting the device");
	}
	wsi_arena arena = { (char *)memory, 0 };
	lay_out(&g, &arena, &arena);
	run_batches(&w, &g);
	/* Numbers of the host's memory are to be there. */
	cuda_work_wait(&w);
	if (io->on_device && w.error == cudaSuccess)
		cuda_kit_give(d, &w.kit);
	else if (io->on_device)
		cuda_kit_close(&w.kit);
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
