/*
 * rows.cu - rows of coefficients: the frequencies of a range by their classes, in batches.
 *
 * Twin: cpu/cwt/cwt_ways.c.
 */
#include <math.h>
#include <stdio.h>

#include "cuda/cwt/run.h"
#include "math/kaiser.h"

/* ---- Transforms --------------------------------------------------------------------------- */

void
cwt_transform(cwt_run *r, const fft_shape &shape, void *in, void *out, bool inverse)
{
	fft_plan *plan = NULL;
	if (r->status != WS_OK)
		return;
	r->status = fft_take(r->w.device, shape, &plan, r->why);
	if (r->status != WS_OK)
		return;
	if (plan->bytes > r->l.fft_bytes) {
		snprintf(r->why->text, sizeof r->why->text, "cuFFT wants more memory for %zu "
		         "transforms of %zu points than for more of them", shape.batch, shape.n);
		r->status = WS_E_BACKEND;
	} else {
		well(&r->w, fft_run(r->w.device, plan, in, out, inverse, at(r, r->l.fft),
		                    r->w.stream), "a Fourier transform");
	}
	fft_give(r->w.device, plan);
}

/* Batches are of as few sizes as may be, each of which needs a plan. */
static size_t
plan_rows(size_t most, size_t rows)
{
	size_t size = most;
	while ((size + 1) / 2 >= rows && size > 1)
		size = (size + 1) / 2;
	return size;
}

/* ---- Classes -------------------------------------------------------------------------------- */

/* A frequency as kernels know it. */
static cwt_scale
scale_of(const cwt_run *r, const cwt_class &k, size_t f, size_t row)
{
	const wsi_cwt_job_scale &from = r->job->scales[f];
	const int64_t n = (int64_t)r->job->length, m = (int64_t)k.m;
	const int64_t centre = k.way == CWT_INTERPOLATED ? from.centre : 0;
	const int64_t rotation = centre * (int64_t)r->job->decimate % n;
	cwt_scale s = {};
	s.wavelet = from.response.wavelet;
	s.step = from.response.step;
	s.gain = from.response.gain;
	s.k0 = (int)from.response.k0;
	s.k1 = (int)from.response.k1;
	s.centre = (int)centre;
	s.shift = (int)(((centre - from.response.k0) % m + m) % m);
	s.rotation = (unsigned)((rotation + n) % n);
	s.row = (unsigned)row;
	s.quarters = (short)from.response.quarters;
	s.halve_nyquist = from.response.halve_nyquist;
	s.tabled = from.table_bins > 0;
	s.values = from.table;
	s.plain0 = (int)from.response.plain0;
	s.plain1 = (int)from.response.plain1;
	if (k.way == CWT_TILES)
		cwt_place_in_tile(r, k, f, &s);
	if (k.folds && !k.table) {
		constexpr double unit = 0.84932180028801904272; /* sqrt(log2(e) / 2) */
		const double peak = rint(s.wavelet.a / s.step);
		s.peak = (int)peak;
		s.fold_step = (float)(unit * s.step);
		s.fold_rest = (float)(unit * (s.step * peak - s.wavelet.a));
	}
	return s;
}

/* Tables of the classes, which are those of all ranges. */
static void
make_windows(cwt_run *r, cudaStream_t stream)
{
	size_t weights = 0, flat = 0, roots = 0;
	cwt_windows windows = {};
	for (const cwt_class &k : r->classes) {
		char *mine = at(r, r->l.weights) + weights * element_of(r);
		double *its = (double *)at(r, r->l.flat) + flat;
		two<float> *its_roots = k.folds ? (two<float> *)at(r, r->l.roots) + roots : NULL;
		r->weights.push_back(mine);
		r->flat.push_back(its);
		r->roots.push_back(its_roots);
		weights += (size_t)k.ratio * (size_t)k.taps;
		flat += cwt_flat(k);
		roots += k.folds ? cwt_fold_roots(k.fold) : 0;
		if (!k.taps && !k.folds)
			continue;
		const double beta = k.taps ? kaiser_beta(k.taps, k.over) : 0.0;
		windows.window[windows.count++] = { k.ratio, k.taps, beta, kaiser_i0(beta), k.m,
			                            cwt_flat(k), its, mine, its_roots,
			                            k.fold.first.n, k.fold.second.n };
		if (windows.count == CWT_SEGMENTS) {
			well(&r->w, cwt_make_windows(windows, r->job->type, stream),
			     "making windows");
			windows.count = 0;
		}
	}
	if (windows.count)
		well(&r->w, cwt_make_windows(windows, r->job->type, stream), "making windows");
}

/* Spectra of the taps of a batch's frequencies, in place of responses. */
static void
transform_taps(cwt_run *r, const cwt_class &k, const uint32_t *members, size_t scales)
{
	for (size_t i = 0; i < scales && goes_on(r); ++i) {
		const wsi_cwt_job_scale &s = r->job->scales[members[i]];
		double *taps = (double *)at(r, r->l.taps);
		double *response = (double *)at(r, r->l.grid_response) + 2 * i * k.m;
		cuda_work_table(&r->w, taps, s.taps, 2 * s.tap_count * sizeof(double));
		well(&r->w, cwt_lay_taps(taps, s.tap_count, s.tap_zero, response, k.m, r->w.stream),
		     "laying out taps");
		cwt_transform(r, cwt_back_shape(k, 1), response, response, false);
	}
}

/* Rows of a class that are worked on together. */
static size_t
batch_of(const cwt_run *r, const cwt_class &k, size_t channels, size_t rows)
{
	const cwt_layout &l = r->l;
	const size_t all = cwt_rows_of(k, k.members.size(), l.channels);
	const size_t most = cwt_together(k, l.channels, all, l.z_bytes, l.grid_response_bytes);
	const size_t here = cwt_together(k, channels, rows, l.z_bytes, l.grid_response_bytes);
	return here < most ? here : most;
}

/* Rows first .. first + count - 1 of a class as a segment behind those of the batch, with `plan`
 * rows in memory. */
static void
add_segment(cwt_run *r, cwt_batch *batch, const cwt_members &of, size_t first, size_t count,
            size_t plan)
{
	const cwt_class &k = r->classes[of.number];
	const size_t skipped = first / batch->channels;
	cwt_segment s = {};
	s.scales = of.scales + skipped;
	s.first = (unsigned)(first % batch->channels);
	s.begin = batch->count;
	s.end = batch->count += (unsigned)count;
	s.responses = (unsigned)r->responses;
	s.m = (unsigned)k.m;
	s.ratio = k.ratio;
	s.taps = k.taps;
	s.z = r->z_used;
	s.response = r->response_used;
	s.band = (unsigned)k.band;
	s.flat = k.way == CWT_INTERPOLATED ? r->flat[of.number] : NULL;
	s.weights = r->weights[of.number];
	s.table = k.table;
	s.roots = r->roots[of.number];
	s.split = k.fold;
	s.columns = r->z_used + (k.ratio > 1 ? plan * k.m : 0);
	s.room = k.folds ? cwt_fold_room(k.fold) : 0;
	batch->segment[batch->segments++] = s;
	const size_t scales = (s.first + count - 1) / batch->channels + 1;
	r->responses += scales;
	r->response_used += k.table ? scales * k.band : 0;
	r->z_used += plan * cwt_row_points(k);
}

static cwt_batch
empty_batch(cwt_run *r, size_t channels)
{
	cwt_batch batch = {};
	batch.channels = (unsigned)channels;
	batch.n = (unsigned)r->job->length;
	batch.by_n = 1.0 / (double)r->job->length;
	batch.by_channels = 1.0f / (float)channels;
	batch.values = r->tables + r->job->edge.table_count;
	r->responses = r->response_used = r->z_used = 0;
	r->plans.clear();
	return batch;
}

/* Transforms of the batch's segments by cuFFT. */
static void
transform_batch(cwt_run *r, const cwt_batch &batch, char *z)
{
	for (int i = 0; i < batch.segments && goes_on(r); ++i) {
		char *rows = z + batch.segment[i].z * 2 * element_of(r);
		const size_t m = batch.segment[i].m;
		const fft_shape shape = { FFT_COMPLEX, r->job->type, m, r->plans[(size_t)i], m, m };
		cwt_transform(r, shape, rows, rows, true);
	}
}

/* A batch of classes that work in the job's type, all of which fold, or none: such go in the work's
 * own stream. */
static void
make_batch(cwt_run *r, cwt_batch &batch, const cwt_out &out, bool folds, cudaStream_t stream)
{
	const ws_type type = r->job->type;
	char *response = at(r, r->l.grid_response), *z = at(r, r->l.z);
	bool table = false, between = !folds;
	if (!batch.count || !goes_on(r))
		return;
	for (int i = 0; i < batch.segments; ++i) {
		table = table || batch.segment[i].table;
		between = between || batch.segment[i].ratio > 1;
	}
	const cwt_spectra spectra = cwt_spectra_of(r, out);
	if (table)
		well(&r->w, cwt_response(batch, type, response, stream), "making responses");
	if (folds) {
		well(&r->w, cwt_fold(batch, spectra, response, z, out, stream),
		     "making grids");
	} else {
		well(&r->w, cwt_product(batch, spectra, type, response, z, type, stream),
		     "multiplying");
		transform_batch(r, batch, z);
	}
	if (between && goes_on(r))
		well(&r->w, cwt_interpolate(batch, z, type, out, stream),
		     "storing coefficients");
}

/* Rows of a class that may join a batch: all of `left`, or as many as an empty batch has room for;
 * 0: none do. */
static size_t
joins(const cwt_run *r, const cwt_batch &batch, const cwt_class &k, size_t most, size_t first,
      size_t left)
{
	const size_t z = r->l.z_bytes / (2 * element_of(r)),
		response = r->l.grid_response_bytes / element_of(r);
	const size_t rows = left < most ? left : most;
	const size_t scales = (first % batch.channels + rows - 1) / batch.channels + 1;
	const size_t plan = k.folds ? rows : plan_rows(most, rows);
	const bool fits = r->z_used + plan * cwt_row_points(k) <= z &&
	                  r->response_used + (k.table ? scales * k.band : 0) <= response &&
	                  batch.segments < CWT_SEGMENTS && batch.count + rows <= CWT_MOST_ROWS;
	return fits || batch.count == 0 ? rows : 0;
}

/* Grids of classes that fold, or of the others. */
static void
make_grids(cwt_run *r, const std::vector<cwt_members> &all, size_t channels, const cwt_out &out,
           bool folds, cudaStream_t stream)
{
	cwt_batch batch = empty_batch(r, channels);
	for (const cwt_members &of : all) {
		const cwt_class &k = r->classes[of.number];
		if ((k.way != CWT_INTERPOLATED && k.way != CWT_INVERSE) || k.folds != folds)
			continue;
		const size_t rows = of.count * channels;
		const size_t most = batch_of(r, k, channels, rows);
		for (size_t row = 0; row < rows && goes_on(r);) {
			const size_t n = joins(r, batch, k, most, row, rows - row);
			if (n) {
				const size_t plan = folds ? n : plan_rows(most, n);
				add_segment(r, &batch, of, row, n, plan);
				r->plans.push_back(plan);
				row += n;
			} else {
				make_batch(r, batch, out, folds, stream);
				batch = empty_batch(r, channels);
			}
		}
	}
	make_batch(r, batch, out, folds, stream);
}

/* A class that works in double, whatever the job's type. */
static void
make_in_double(cwt_run *r, const cwt_members &of, size_t channels, const cwt_out &out)
{
	const cwt_class &k = r->classes[of.number];
	const size_t rows = of.count * channels, most = batch_of(r, k, channels, rows);
	const ws_type type = r->job->type;
	double *response = (double *)at(r, r->l.grid_response), *z = (double *)at(r, r->l.z);
	for (size_t row = 0; row < rows && goes_on(r); row += most) {
		const size_t n = rows - row < most ? rows - row : most;
		cwt_batch batch = empty_batch(r, channels);
		add_segment(r, &batch, of, row, n, n);
		if (k.way == CWT_TAPS) {
			transform_taps(r, k, of.members + row / channels, r->responses);
			if (goes_on(r))
				well(&r->w, cwt_product_taps(batch, cwt_spectra_of(r, out), type,
				                             response, z, r->w.stream),
				     "multiplying");
		} else {
			well(&r->w, cwt_response(batch, WS_F64, response, r->w.stream),
			     "making responses");
			well(&r->w, cwt_product(batch, cwt_spectra_of(r, out), type, response, z,
			                        WS_F64, r->w.stream), "multiplying");
		}
		cwt_transform(r, cwt_back_shape(k, plan_rows(most, n)), z, z, true);
		if (goes_on(r))
			well(&r->w, cwt_put(batch, z, (unsigned)r->job->first,
			                    (unsigned)r->job->decimate, type, out, r->w.stream),
			     "storing coefficients");
	}
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* Frequencies f .. f + count - 1; the last range's are kept. */
static const cwt_range &
range_of(cwt_run *r, size_t f, size_t count)
{
	cwt_range &b = r->plan->range;
	if (b.count == count && b.first == f)
		return b;
	b = {};
	b.scales.reserve(count);
	b.members.reserve(count);
	for (const cwt_class &k : r->classes) {
		for (uint32_t i : k.members)
			if (i >= f && i < f + count) {
				b.scales.push_back(scale_of(r, k, i, i - f));
				b.members.push_back(i);
			}
		b.ends.push_back(b.scales.size());
	}
	b.first = f;
	b.count = count;
	return b;
}

static std::vector<cwt_members>
members_of(cwt_run *r, const cwt_range &range)
{
	const cwt_scale *there = (const cwt_scale *)at(r, r->l.scales);
	std::vector<cwt_members> all;
	size_t first = 0;
	for (size_t c = 0; c < r->classes.size(); first = range.ends[c++])
		if (range.ends[c] > first)
			all.push_back({ c, range.ends[c] - first, there + first,
			                range.members.data() + first });
	return all;
}

void
cwt_begin_range(cwt_run *r, size_t f, size_t frequencies)
{
	const cwt_range &last = r->plan->range;
	if (r->begun && last.first == f && last.count == frequencies)
		return;
	const cwt_range &range = range_of(r, f, frequencies);
	cuda_work_table(&r->w, at(r, r->l.scales), range.scales.data(),
	                range.scales.size() * sizeof(cwt_scale));
	if (!cwt_go(r, CWT_ASIDE))
		return;
	if (r->weights.empty())
		make_windows(r, cwt_stream(r, CWT_ASIDE));
	cwt_make_tables(r, members_of(r, range), cwt_stream(r, CWT_ASIDE));
	cwt_note(r, CWT_ASIDE);
	r->begun = true;
}

/* May grids go on beside tiles?  Where neither needs cuFFT: its plans work in memory that all
 * share. */
static bool
grids_beside_tiles(const cwt_run *r, const std::vector<cwt_members> &all)
{
	bool tiles = false, grids = false;
	for (const cwt_members &of : all) {
		const cwt_class &k = r->classes[of.number];
		const bool tile = k.way == CWT_TILES;
		if (tile ? !r->classes[k.shares].by_passes : !k.folds)
			return false;
		tiles = tiles || tile;
		grids = grids || !tile;
	}
	return tiles && grids;
}

void
cwt_make_range(cwt_run *r, size_t channels, size_t f, size_t frequencies, const cwt_out &out)
{
	cwt_begin_range(r, f, frequencies);
	cwt_join(r, CWT_ASIDE);
	if (!goes_on(r))
		return;
	const std::vector<cwt_members> all = members_of(r, r->plan->range);
	const bool beside = grids_beside_tiles(r, all) && cwt_go(r, CWT_GRIDS);
	cwt_begin_tiles(r, all, channels, out);
	for (const cwt_members &of : all) {
		const cwt_way way = r->classes[of.number].way;
		if ((way == CWT_ANY || way == CWT_TAPS) && goes_on(r))
			make_in_double(r, of, channels, out);
	}
	make_grids(r, all, channels, out, true,
	           beside ? cwt_stream(r, CWT_GRIDS) : r->w.stream);
	make_grids(r, all, channels, out, false, r->w.stream);
	if (beside)
		cwt_note(r, CWT_GRIDS);
	cwt_end_tiles(r, all, channels, out);
	cwt_join(r, CWT_GRIDS);
}
