/*
 * chunk.cuh - the launches that take a chunk of rows from modes to bins.
 */
#ifndef WSI_CUDA_HHT_CHUNK_CUH
#define WSI_CUDA_HHT_CHUNK_CUH

#include "cuda/hht/batch.cuh"
#include "cuda/hht/cycles.cuh"

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
	const bool emd_py = g->job->emd_py;
	const dim3 tiles(g->tiles, rows), each(blocks_for(rows, HHT_THREADS));
	for (int k = 0; k < WSI_NORMALISATIONS; ++k) {
		if (emd_py)
			find_peaks<PEAKS_PLAIN>(w, g, c, rows);
		else
			find_peaks<PEAKS_REFINED>(w, g, c, rows);
		go(w, each, hht_outer_knots_kernel, c, g->env, emd_py ? 2u : 1u, k == 0, rows);
		go(w, dim3(g->tiles < 8 ? g->tiles : 8, rows), hht_pchip_kernel, g->env);
		if (k > 0 && emd_py)
			go(w, tiles, hht_envelope_sum_kernel, c, g->env);
		if (k > 0)
			go(w, each, hht_is_normal_kernel, c, g->env, emd_py, rows);
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
	const bool emd_py = g->job->emd_py;
	const dim3 tiles(g->tiles, rows);
	go(w, tiles, hht_load_kernel<T>, c, b.modes, g->env);
	if (emd_py) {
		find_peaks<PEAKS_MAXIMA>(w, g, c, rows);
		go_with(w, dim3(1, rows), 1, 0, hht_emd_py_knots_kernel, c, g->env);
		go(w, tiles, hht_emd_amplitude_kernel<T>, c, b.modes, g->env, g->amplitude);
	}
	divide(w, g, c, rows, emd_py ? NULL : g->amplitude);
	const double *largest = g->largest;
	if (by_quadrature(g->job) && emd_py) {
		go(w, tiles, hht_emd_largest_kernel, c, g->env, (int)g->job->modes, g->channel,
		   g->largest);
		go(w, tiles, hht_normalised_kernel<T, FINISH_EMD>, c, b.modes, g->env,
		   g->amplitude, largest);
	} else if (by_quadrature(g->job)) {
		go(w, tiles, hht_normalised_kernel<T, FINISH_QUADRATURE>, c, b.modes, g->env,
		   g->amplitude, largest);
	} else if (!emd_py) {
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
	const dim3 outer(n1 >> ends, rows), inner(n2 >> middle, rows);
	const size_t one = (n2 * sizeof(hht_pair)) << ends;
	const size_t two = (2 * n1 * sizeof(hht_pair)) << middle;
	if (h.mirrored)
		go(w, dim3(2, rows), hilbert_ends_kernel<E>, c, from, (unsigned *)h.about);
	if (h.room) {
		go_with(w, outer, FFT_THREADS, 0, hilbert_columns_kernel<E, true>, h, c, from);
		go_with(w, inner, FFT_THREADS, 0, hilbert_middle_kernel<true>, h, c);
		go_with(w, outer, FFT_THREADS, 0, hilbert_lines_kernel<true>, h, c);
		return;
	}
	go_with(w, outer, FFT_THREADS, one, hilbert_columns_kernel<E, false>, h, c, from);
	go_with(w, inner, FFT_THREADS, two, hilbert_middle_kernel<false>, h, c);
	go_with(w, outer, FFT_THREADS, one, hilbert_lines_kernel<false>, h, c);
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
	hht_seen<T> seen = { caller_rows<T, T>(b, WS_HHT_AMPLITUDE, part),
		             caller_rows<T, T>(b, WS_HHT_INSTANTANEOUS_FREQUENCY, part),
		             (int)job->modes,
		             g->channel };
	if (host_wants(b.w, job, WS_HHT_AMPLITUDE, part))
		seen.amplitude = chunk_rows<T>(g->to_amplitude, row, c.row0);
	if (host_wants(b.w, job, WS_HHT_INSTANTANEOUS_FREQUENCY, part))
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
	return is_plain(job) && job->exclude == WS_HHT_EXCLUDE_NONE;
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
		well(w, cudaMemsetAsync(p.words, 0, (2 * (size_t)g->rows * g->tiles + 1) *
		                        sizeof *p.words, w->stream), "the analysis");
	const double by = g->job->fs / PHASE_TURN / 2.0;
	if (bins_at_once(g->job))
		go(w, tiles, hht_phase_kernel<E, T, SIDE, MODULUS, true>, c, rows, g->hilbert, p,
		   by, out, g->bins, bin_buffers(g), seen_of(b, c));
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
	} else if (g->job->emd_py) {
		find_phases<double, SIDE_QUADRATURE_EMD, false>(b, c, x, rows, out);
	} else {
		find_phases<double, SIDE_QUADRATURE, false>(b, c, x, rows, out);
	}
}

/* Frequencies of phases that are smoothed, or made as emd makes them; gives where the latter
 * are. */
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
	const double shift = job->emd_py ? PHASE_PI / 2.0 : 0.0;
	const bool smooth = job->smooth_phase > 1;
	hht_phases p = g->phases;
	if (job->emd_py)
		go_with(w, dim3(1, rows), 32, 0, hht_unwrap_numpy_kernel, c, p,
		        smooth ? 0.0 : shift);
	else
		go(w, tiles, hht_unwrap_kernel, c, p);
	if (smooth) {
		go(w, tiles, hht_median_kernel, c, p, job->smooth_phase, job->emd_py, shift);
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
	const hht_out<double> to = caller_rows<T, double>(b, WS_HHT_PHASE, part);
	const bool seen = has_part(job, WS_HHT_PART_CYCLES) ||
	                  host_wants(w, job, WS_HHT_PHASE, part);
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
	const bool host = host_wants(w, job, WS_HHT_CYCLE, WS_HHT_PART_CYCLES);
	hht_out<int32_t> to = caller_rows<T, int32_t>(b, WS_HHT_CYCLE, WS_HHT_PART_CYCLES);
	if (host)
		to = chunk_rows<int32_t>((char *)g->to_cycle, job->n * sizeof(int32_t), c.row0);
	if (!to.data)
		return;
	const hht_rows<double> from = { phases.data, phases.channel, phases.row, phases.modes,
		                        NULL };
	go_with(w, dim3(1, rows), 32, 0, hht_cycles_kernel, c, from,
	        job->emd_py ? 0.0 : PHASE_PI / 2.0, to);
	if (host)
		get_rows(w, g, b.first, c, rows, WS_HHT_CYCLE, (char *)g->to_cycle,
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
	const bool host[2] = { host_wants(w, job, WS_HHT_AMPLITUDE, part),
		               host_wants(w, job, WS_HHT_INSTANTANEOUS_FREQUENCY, part) };
	const size_t row = job->n * sizeof(T);
	const hht_bin_buffers buffers = bin_buffers(g);
	const unsigned bins = (unsigned)job->bins.n;
	const double *frequencies = buffers.frequency;
	if (!bins_at_once(job))
		go(w, dim3(g->tiles, rows), hht_bin_kernel<T>, c, g->bins, buffers, seen_of(b, c));
	else if (wsi_io_wants(w->io, WS_HHT_OUTLIERS))
		go(w, dim3(g->tiles, rows), hht_outlier_kernel, c, job->outlier_ratio, frequencies,
		   (const unsigned long long *)g->phases.tops);
	go(w, dim3(blocks_for(rows, HHT_THREADS)), hht_bin_total_kernel, c, buffers,
	   job->exclude != WS_HHT_EXCLUDE_NONE, rows);
	const unsigned lanes = g->marginal_lanes;
	const size_t cells = bins * lanes * sizeof(double);
	const dim3 warps(blocks_for((size_t)g->tiles * rows, lanes / 2));
	if (g->marginal_room)
		go_with(w, warps, 32, CHAIN_BYTES<CHAIN_FEW>, hht_marginal_kernel<CHAIN_FEW, true>,
		        c, g->bins, buffers, rows, lanes, g->marginal_room, g->marginal_part);
	else if (lanes == CHAIN_MOST)
		go_with(w, warps, 32, CHAIN_BYTES<CHAIN_MOST> + cells,
		        hht_marginal_kernel<CHAIN_MOST, false>, c, g->bins, buffers, rows, lanes,
		        g->marginal_room, g->marginal_part);
	else
		go_with(w, warps, 32, CHAIN_BYTES<CHAIN_FEW> + cells,
		        hht_marginal_kernel<CHAIN_FEW, false>, c, g->bins, buffers, rows, lanes,
		        g->marginal_room, g->marginal_part);
	go(w, dim3(blocks_for(bins, HHT_THREADS), rows), hht_marginal_total_kernel, c, bins,
	   g->marginal_part, g->marginal);
	if (host[0])
		get_rows(w, g, b.first, c, rows, WS_HHT_AMPLITUDE, g->to_amplitude, row,
		         sizeof(T));
	if (host[1])
		get_rows(w, g, b.first, c, rows, WS_HHT_INSTANTANEOUS_FREQUENCY,
		         g->to_frequency, row, sizeof(T));
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
	if (host_wants(w, g->job, WS_HHT_PHASE, WS_HHT_PART_INSTANTANEOUS))
		get_rows(w, g, b.first, c, rows, WS_HHT_PHASE,
		         phases.data + row0 * phases.channel, phases.channel, sizeof(double));
	cut_cycles(b, c, rows, phases);
	bin_chunk(b, c, rows);
}

#endif
