/*
 * cwt.cu - the continuous wavelet transform on a device: its row of the table of transforms.
 *
 * Twin: algo/cwt.c.  cwt/ways.cu chooses how each frequency is computed, cwt/layout.cu how memory
 * is shared out; kernels are in cwt/.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <new>

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/layout.h"
#include "math/kaiser.h"

/* Frequencies of a class in a block. */
struct cwt_members {
	size_t number;          /* of the class */
	size_t count;
	const cwt_scale *scales; /* on the device */
	const uint32_t *members;
};

/* A transform under way. */
struct cwt_run {
	cuda_work w;
	const wsi_cwt_device_job *job;
	std::vector<cwt_class> classes;
	cwt_layout l;
	std::vector<const char *> weights; /* of each class, on the device */
	std::vector<double *> flat;
	size_t first, count;    /* frequencies that are made */
	bool on_device;
	size_t group, channels; /* the channels whose spectra are there */
	int staging;            /* which of the two is next */
	/* Of the batch that is being filled: numbers that are taken, responses, and how many rows
	 * the plans of its segments have. */
	size_t z_used, hat_used, hats;
	std::vector<size_t> plans;
	ws_status status;       /* of cuFFT's plans, and of samples */
	wsi_why *why;
};

static bool
goes_on(cwt_run *r)
{
	return r->status == WS_OK && goes_on(&r->w);
}

static char *
at(cwt_run *r, size_t offset)
{
	return r->w.memory + offset;
}

static size_t
element_of(const cwt_run *r)
{
	return r->job->type == WS_F64 ? 8 : 4;
}

/* ---- Transforms --------------------------------------------------------------------------- */

/* rows of them; the plan may be of more, which then are of no use. */
static void
transform(cwt_run *r, const fft_shape &shape, void *in, void *out, bool inverse)
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

/* ---- Spectra ------------------------------------------------------------------------------ */

/* All samples of the group must be finite. */
static void
check_samples(cwt_run *r)
{
	unsigned long long *bad = (unsigned long long *)r->w.pinned;
	well(&r->w, cudaMemcpyAsync(bad, at(r, r->l.bad), r->channels * sizeof *bad,
	                            cudaMemcpyDeviceToHost, r->w.stream), "looking at samples");
	if (!cuda_work_wait(&r->w))
		return;
	for (size_t c = 0; c < r->channels; ++c) {
		if (bad[c] == ~0ull)
			continue;
		snprintf(r->why->text, sizeof r->why->text, "channel %zu, sample %llu is not "
		         "finite: mend or leave out that stretch",
		         r->w.io->first_channel + r->group + c + 1, bad[c] + 1);
		r->status = WS_E_FORMAT;
		return;
	}
}

static void
make_spectra(cwt_run *r)
{
	const wsi_cwt_device_job &job = *r->job;
	const size_t row = job.samples * element_of(r), half = job.length / 2 + 1;
	const char *x = r->w.io->x + r->group * r->w.io->x_stride;
	size_t stride = r->w.io->x_stride;
	if (!r->on_device) {
		cuda_work_put(&r->w, at(r, r->l.samples), row, x, stride, row, r->channels);
		x = at(r, r->l.samples);
		stride = row;
	}
	cwt_found *found = (cwt_found *)at(r, r->l.found);
	unsigned long long *bad = (unsigned long long *)at(r, r->l.bad);
	well(&r->w, cudaMemsetAsync(bad, 0xff, r->channels * sizeof *bad, r->w.stream),
	     "clearing memory");
	if (goes_on(r))
		well(&r->w, cwt_look(x, stride, (unsigned)r->channels, job, found, bad,
		                     r->w.stream), "looking at samples");
	if (!r->on_device)
		check_samples(r);
	cwt_head *heads = (cwt_head *)at(r, r->l.heads);
	for (size_t c = 0; c < r->channels && goes_on(r); c += r->l.forward) {
		const size_t n = r->channels - c < r->l.forward ? r->channels - c : r->l.forward;
		double *padded = (double *)at(r, r->l.padded);
		char *spectra = at(r, r->l.spectra) + c * half * 2 * element_of(r);
		void *to = job.type == WS_F64 ? spectra : at(r, r->l.wide);
		well(&r->w, cwt_pad(x + c * stride, stride, (unsigned)n, job,
		                    found + c * (size_t)cwt_look_blocks(job.samples), padded,
		                    heads + c, r->w.stream), "padding the signal");
		transform(r, cwt_forward_shape(job, n), padded, to, false);
		if (job.type == WS_F32 && goes_on(r))
			well(&r->w, cwt_narrow((const double *)to, (float *)spectra, n * half * 2,
			                       r->w.stream), "rounding spectra");
	}
}

/* ---- Classes -------------------------------------------------------------------------------- */

/* A frequency as kernels know it. */
static cwt_scale
scale_of(const cwt_run *r, const cwt_class &k, size_t f, size_t row)
{
	const wsi_cwt_job_scale &from = r->job->scales[f];
	const int64_t n = (int64_t)r->job->length, m = (int64_t)k.m;
	const int64_t centre = k.way == CWT_INTERPOLATED ? from.centre
		: k.way == CWT_TILES ? k.base : 0;
	const int64_t turn = centre * (int64_t)r->job->decimate % n;
	cwt_scale s = {};
	s.wavelet = from.filter.wavelet;
	s.step = from.filter.step;
	s.gain = from.filter.gain;
	s.k0 = (int)from.filter.k0;
	s.k1 = (int)from.filter.k1;
	s.centre = (int)centre;
	s.shift = (int)(((centre - from.filter.k0) % m + m) % m);
	s.turn = (unsigned)((turn + n) % n);
	s.row = (unsigned)row;
	s.quarters = (short)from.filter.quarters;
	s.halve_nyquist = from.filter.halve_nyquist;
	s.tile_first = (int)k.base;
	s.tile_bin = (int)rint((double)(from.centre - k.base) * (double)CWT_TILE / (double)m);
	return s;
}

/* Tables of the classes, which are those of all blocks. */
static void
prepare(cwt_run *r)
{
	size_t weights = 0, flat = 0;
	cwt_windows windows = {};
	for (const cwt_class &k : r->classes) {
		char *mine = at(r, r->l.weights) + weights * element_of(r);
		double *its = (double *)at(r, r->l.flat) + flat;
		r->weights.push_back(mine);
		r->flat.push_back(its);
		weights += (size_t)k.ratio * (size_t)k.taps;
		flat += cwt_flat(k);
		if (!k.taps)
			continue;
		const double beta = kaiser_beta(k.taps, k.over);
		windows.window[windows.count++] = { k.ratio, k.taps, beta, kaiser_i0(beta), k.m,
			                            cwt_flat(k), its, mine };
		if (windows.count == CWT_SEGMENTS) {
			well(&r->w, cwt_make_windows(windows, r->job->type, r->w.stream),
			     "making windows");
			windows.count = 0;
		}
	}
	if (windows.count)
		well(&r->w, cwt_make_windows(windows, r->job->type, r->w.stream), "making windows");
}

/* Spectra of the taps of a batch's frequencies, in place of responses. */
static void
transform_taps(cwt_run *r, const cwt_class &k, const uint32_t *members, size_t scales)
{
	for (size_t i = 0; i < scales && goes_on(r); ++i) {
		const wsi_cwt_job_scale &s = r->job->scales[members[i]];
		double *taps = (double *)at(r, r->l.taps);
		double *hat = (double *)at(r, r->l.hat) + 2 * i * k.m;
		cuda_work_table(&r->w, taps, s.taps, 2 * s.tap_count * sizeof(double));
		well(&r->w, cwt_lay_taps(taps, s.tap_count, s.tap_zero, hat, k.m, r->w.stream),
		     "laying out taps");
		transform(r, cwt_back_shape(k, 1), hat, hat, false);
	}
}

/* Rows of a class that are worked on together. */
static size_t
batch_of(const cwt_run *r, const cwt_class &k, size_t channels, size_t rows)
{
	const cwt_layout &l = r->l;
	const size_t all = cwt_rows_of(k, k.members.size(), l.channels);
	const size_t most = cwt_together(k, l.channels, all, l.z_bytes, l.hat_bytes);
	const size_t here = cwt_together(k, channels, rows, l.z_bytes, l.hat_bytes);
	return here < most ? here : most;
}

/* The spectra of out's channels, which begin within a group. */
static cwt_spectra
spectra_of(cwt_run *r, const cwt_out &out)
{
	const size_t half = r->job->length / 2 + 1;
	const size_t before = (size_t)(out.heads - (const cwt_head *)at(r, r->l.heads));
	return { at(r, r->l.spectra) + before * half * 2 * element_of(r), half,
		 (unsigned)r->job->length };
}

/* All frequencies of a class of tiles. */
static void
make_tiles(cwt_run *r, const cwt_members &of, size_t channels, cwt_out out)
{
	const cwt_class &k = r->classes[of.number];
	const size_t count = of.count;
	const cwt_scale *scales = of.scales;
	const size_t most = cwt_together(k, r->l.channels, r->l.channels, r->l.z_bytes, r->l.hat_bytes);
	const size_t together = r->l.hat_bytes / (CWT_TILE * sizeof(double));
	double *z = (double *)at(r, r->l.z), *hat = (double *)at(r, r->l.hat);
	for (size_t c = 0; c < channels && goes_on(r); c += most) {
		const size_t n = channels - c < most ? channels - c : most;
		well(&r->w, cwt_tile_band(spectra_of(r, out), r->job->type, (unsigned)n, (int)k.base,
		                          (int)k.first, (int)k.band, z, (unsigned)k.m,
		                          r->w.stream), "taking bands");
		transform(r, cwt_back_shape(k, plan_rows(most, n)), z, z, true);
		for (size_t i = 0; i < count && goes_on(r); i += together) {
			const unsigned some = (unsigned)(count - i < together ? count - i : together);
			const cwt_tile_class tiles = { k.ratio, (unsigned)k.m,
				                       (unsigned)r->job->length, (unsigned)k.guard,
				                       some, scales + i, z, hat,
				                       r->weights[of.number] };
			well(&r->w, cwt_tile_response(scales + i, some, (unsigned)k.m, k.ratio, k.taps,
			                            k.over, hat, r->w.stream),
			     "making responses");
			if (goes_on(r))
				well(&r->w, cwt_tiles(tiles, (unsigned)n, r->job->type, out,
				                      r->w.stream), "working on tiles");
		}
		out.base += n * out.channel_stride;
		out.heads += n;
	}
}

/* Rows first .. first + count - 1 of a class as a segment behind those of the batch, of plan rows in
 * memory. */
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
	s.hats = (unsigned)r->hats;
	s.m = (unsigned)k.m;
	s.ratio = k.ratio;
	s.taps = k.taps;
	s.z = r->z_used;
	s.hat = r->hat_used;
	s.band = (unsigned)k.band;
	s.flat = k.way == CWT_INTERPOLATED ? r->flat[of.number] : NULL;
	s.weights = r->weights[of.number];
	batch->segment[batch->segments++] = s;
	const size_t scales = (s.first + count - 1) / batch->channels + 1;
	r->hats += scales;
	r->hat_used += scales * k.band;
	r->z_used += plan * k.m;
}

static cwt_batch
empty_batch(cwt_run *r, size_t channels)
{
	cwt_batch batch = {};
	batch.channels = (unsigned)channels;
	batch.n = (unsigned)r->job->length;
	batch.by_n = 1.0 / (double)r->job->length;
	r->hats = r->hat_used = r->z_used = 0;
	r->plans.clear();
	return batch;
}

/* A batch of classes that work in the job's type. */
static void
make_batch(cwt_run *r, const cwt_batch &batch, const cwt_out &out)
{
	const ws_type type = r->job->type;
	char *hat = at(r, r->l.hat), *z = at(r, r->l.z);
	if (!batch.count || !goes_on(r))
		return;
	well(&r->w, cwt_response(batch, type, hat, r->w.stream), "making responses");
	well(&r->w, cwt_product(batch, spectra_of(r, out), type, hat, z, type, r->w.stream),
	     "multiplying");
	for (int i = 0; i < batch.segments && goes_on(r); ++i) {
		char *rows = z + batch.segment[i].z * 2 * element_of(r);
		const fft_shape shape = { FFT_COMPLEX, type, batch.segment[i].m, r->plans[(size_t)i],
			                  batch.segment[i].m, batch.segment[i].m };
		transform(r, shape, rows, rows, true);
	}
	if (goes_on(r))
		well(&r->w, cwt_interpolate(batch, z, type, out, r->w.stream),
		     "storing coefficients");
}

/* Rows of a class that may join a batch: all of `left`, or as many as an empty batch has room for;
 * 0: none do. */
static size_t
joins(const cwt_run *r, const cwt_batch &batch, const cwt_class &k, size_t most, size_t first,
      size_t left)
{
	const size_t z = r->l.z_bytes / (2 * element_of(r)), hat = r->l.hat_bytes / element_of(r);
	const size_t rows = left < most ? left : most;
	const size_t scales = (first % batch.channels + rows - 1) / batch.channels + 1;
	const bool fits = r->z_used + plan_rows(most, rows) * k.m <= z &&
	                  r->hat_used + scales * k.band <= hat &&
	                  batch.segments < CWT_SEGMENTS && batch.count + rows <= CWT_MOST_ROWS;
	return fits || batch.count == 0 ? rows : 0;
}

static void
make_grids(cwt_run *r, const std::vector<cwt_members> &all, size_t channels, const cwt_out &out)
{
	cwt_batch batch = empty_batch(r, channels);
	for (const cwt_members &of : all) {
		const cwt_class &k = r->classes[of.number];
		if (k.way != CWT_INTERPOLATED && k.way != CWT_INVERSE)
			continue;
		const size_t rows = of.count * channels;
		const size_t most = batch_of(r, k, channels, rows);
		for (size_t row = 0; row < rows && goes_on(r);) {
			const size_t n = joins(r, batch, k, most, row, rows - row);
			if (n) {
				const size_t plan = plan_rows(most, n);
				add_segment(r, &batch, of, row, n, plan);
				r->plans.push_back(plan);
				row += n;
			} else {
				make_batch(r, batch, out);
				batch = empty_batch(r, channels);
			}
		}
	}
	make_batch(r, batch, out);
}

/* A class that works in double, whatever the job's type. */
static void
make_in_double(cwt_run *r, const cwt_members &of, size_t channels, const cwt_out &out)
{
	const cwt_class &k = r->classes[of.number];
	const size_t rows = of.count * channels, most = batch_of(r, k, channels, rows);
	const ws_type type = r->job->type;
	double *hat = (double *)at(r, r->l.hat), *z = (double *)at(r, r->l.z);
	for (size_t row = 0; row < rows && goes_on(r); row += most) {
		const size_t n = rows - row < most ? rows - row : most;
		cwt_batch batch = empty_batch(r, channels);
		add_segment(r, &batch, of, row, n, n);
		if (k.way == CWT_TAPS) {
			transform_taps(r, k, of.members + row / channels, r->hats);
			if (goes_on(r))
				well(&r->w, cwt_product_taps(batch, spectra_of(r, out), type, hat, z,
				                             r->w.stream), "multiplying");
		} else {
			well(&r->w, cwt_response(batch, WS_F64, hat, r->w.stream),
			     "making responses");
			well(&r->w, cwt_product(batch, spectra_of(r, out), type, hat, z, WS_F64,
			                        r->w.stream), "multiplying");
		}
		transform(r, cwt_back_shape(k, plan_rows(most, n)), z, z, true);
		if (goes_on(r))
			well(&r->w, cwt_put(batch, z, (unsigned)r->job->decimate, type, out,
			                    r->w.stream), "storing coefficients");
	}
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Frequencies f .. f + frequencies - 1 of `channels` channels, those of out. */
static void
make_block(cwt_run *r, size_t channels, size_t f, size_t frequencies, const cwt_out &out)
{
	std::vector<cwt_scale> scales;
	std::vector<uint32_t> members;
	std::vector<cwt_members> all;
	scales.reserve(frequencies);
	members.reserve(frequencies);
	const cwt_scale *there = (const cwt_scale *)at(r, r->l.scales);
	for (size_t c = 0; c < r->classes.size(); ++c) {
		const size_t first = scales.size();
		for (uint32_t i : r->classes[c].members)
			if (i >= f && i < f + frequencies) {
				scales.push_back(scale_of(r, r->classes[c], i, i - f));
				members.push_back(i);
			}
		if (scales.size() > first)
			all.push_back({ c, scales.size() - first, there + first,
			                members.data() + first });
	}
	cuda_work_table(&r->w, at(r, r->l.scales), scales.data(), scales.size() * sizeof(cwt_scale));
	for (const cwt_members &of : all) {
		const cwt_way way = r->classes[of.number].way;
		if (way == CWT_TILES && goes_on(r))
			make_tiles(r, of, channels, out);
		else if ((way == CWT_ANY || way == CWT_TAPS) && goes_on(r))
			make_in_double(r, of, channels, out);
	}
	make_grids(r, all, channels, out);
}

/* Arrays in the device's memory are filled in place. */
static void
make_in_place(cwt_run *r)
{
	const ws_buffer &to = r->w.io->arrays[r->job->array];
	for (size_t f = 0; f < r->count && goes_on(r); f += r->l.listed) {
		const size_t n = r->count - f < r->l.listed ? r->count - f : r->l.listed;
		const cwt_out out = { (char *)to.data + r->group * to.stride[0] + f * to.stride[1],
			              to.stride[0], to.stride[1],
			              (const cwt_head *)at(r, r->l.heads), r->job->quantity,
			              (unsigned)r->job->outputs };
		make_block(r, r->channels, r->first + f, n, out);
	}
}

/* Arrays in the host's memory: one block leaves while the next is made. */
static void
make_and_send(cwt_run *r)
{
	const ws_buffer &to = r->w.io->arrays[r->job->array];
	const cwt_layout &l = r->l;
	const bool dense = to.stride[0] == r->count * to.stride[1];
	const size_t step = dense && l.frequencies >= r->count ? l.block_channels : 1;
	for (size_t c = 0; c < r->channels && goes_on(r); c += step)
		for (size_t f = 0; f < r->count && goes_on(r); f += l.frequencies) {
			const size_t channels = r->channels - c < step ? r->channels - c : step;
			const size_t n = r->count - f < l.frequencies ? r->count - f
				: l.frequencies;
			char *mine = at(r, l.staging + (size_t)r->staging * l.staging_bytes);
			r->staging = 1 - r->staging;
			const cwt_out out = { mine, n * l.row_bytes, l.row_bytes,
				              (const cwt_head *)at(r, l.heads) + c,
				              r->job->quantity, (unsigned)r->job->outputs };
			make_block(r, channels, r->first + f, n, out);
			if (goes_on(r))
				cuda_work_get(&r->w, (char *)to.data +
				              (r->group + c) * to.stride[0] + f * to.stride[1],
				              to.stride[1], mine, l.row_bytes, l.row_bytes,
				              channels * n, true);
			const double done = (double)(r->group + c) * (double)r->count +
			                    (double)(f + n) * (double)channels;
			wsi_progress_part(r->w.progress, done / (double)r->job->channels /
			                  (double)r->count);
		}
}

/* ---- The row ------------------------------------------------------------------------------ */

/* Devices for pictures have a 32nd or a 64th of their rate in double. */
static bool
slow_double(const wsi_device *d)
{
	int times = 0;
	return cudaDeviceGetAttribute(&times, cudaDevAttrSingleToDoublePrecisionPerfRatio,
	                              d->number) != cudaSuccess || times > 4;
}

static ws_status
no_memory(wsi_why *why)
{
	snprintf(why->text, sizeof why->text, "no memory of the host for a plan");
	return WS_E_BACKEND;
}

static ws_status
measure(wsi_device *d, const void *asked, size_t part, size_t most, size_t *device, size_t *pinned,
        wsi_why *why)
try {
	const wsi_cwt_device_job &job = *(const wsi_cwt_device_job *)asked;
	cwt_layout l = {};
	const ws_status status = cwt_lay_out(d, job, cwt_choose(job, slow_double(d)),
	                                     part ? part : job.count, most, &l, why);
	*device = l.total;
	*pinned = l.channels * sizeof(unsigned long long);
	return status;
} catch (const std::bad_alloc &) {
	return no_memory(why);
}

static ws_status
run_all(cwt_run *r, size_t device, size_t pinned, wsi_device *d, const wsi_io *io,
        wsi_progress *progress)
{
	/* Nothing is staged on the way to arrays in the device's memory. */
	const size_t bytes = io->on_device ? r->l.staging : device;
	ws_status status = cuda_work_begin(&r->w, d, io, bytes, pinned, progress, r->why);
	if (status != WS_OK)
		return status;
	prepare(r);
	for (r->group = 0; r->group < r->job->channels && goes_on(r); r->group += r->l.channels) {
		const size_t left = r->job->channels - r->group;
		r->channels = left < r->l.channels ? left : r->l.channels;
		make_spectra(r);
		if (!goes_on(r))
			break;
		if (r->on_device)
			make_in_place(r);
		else
			make_and_send(r);
	}
	status = cuda_work_end(&r->w, r->why);
	return status != WS_OK ? status : r->status;
}

static ws_status
run(wsi_device *d, const void *asked, const wsi_io *io, size_t device, size_t pinned,
    wsi_progress *progress, wsi_why *why)
try {
	cwt_run r = {};
	r.job = (const wsi_cwt_device_job *)asked;
	r.classes = cwt_choose(*r.job, slow_double(d));
	r.first = io->count ? io->first : 0;
	r.count = io->count ? io->count : r.job->count;
	r.on_device = io->on_device;
	r.why = why;
	const size_t frequencies = r.count;
	const ws_status status = cwt_lay_out(d, *r.job, r.classes, frequencies, device, &r.l, why);
	return status == WS_OK ? run_all(&r, device, pinned, d, io, progress) : status;
} catch (const std::bad_alloc &) {
	return no_memory(why);
}

static void
describe(wsi_device *d, const void *asked, char *text, size_t size)
try {
	const wsi_cwt_device_job &job = *(const wsi_cwt_device_job *)asked;
	char ways[400] = "";
	for (const cwt_class &k : cwt_choose(job, slow_double(d))) {
		const size_t used = strlen(ways);
		char grid[64] = "";
		if (k.way == CWT_TILES)
			snprintf(grid, sizeof grid, " (%d output%s a point)", k.ratio,
			         k.ratio > 1 ? "s" : "");
		if (k.way == CWT_INTERPOLATED)
			snprintf(grid, sizeof grid, " (%zu points, %d outputs each, %d taps)", k.m,
			         k.ratio, k.taps);
		snprintf(ways + used, sizeof ways - used, "%s%zu by %s%s", used ? ", " : "",
		         k.members.size(), cwt_way_name(k.way), grid);
	}
	snprintf(text, size, "  scales     %s\n  kernels    cuda/cwt/%s\n", ways,
	         job.type == WS_F64 ? "f64" : "f32");
} catch (const std::bad_alloc &) {
	snprintf(text, size, "  kernels    cuda/cwt\n");
}

const wsi_device_transform cuda_transform_cwt = {
	"cwt", sizeof(wsi_cwt_device_job), measure, run, describe,
};
