/*
 * cwt.cu - the continuous wavelet transform on a device: its row of the table of transforms.
 *
 * Twin: algo/cwt.c.  cwt/ways.cu chooses how each frequency is computed, cwt/layout.cu how memory
 * is shared out; kernels are in cwt/.
 */
#include <stdio.h>
#include <string.h>

#include <new>

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/layout.h"
#include "math/kaiser.h"

/* A transform under way. */
struct cwt_run {
	cuda_work w;
	const wsi_cwt_device_job *job;
	std::vector<cwt_class> classes;
	cwt_layout l;
	size_t first, count;    /* frequencies that are made */
	bool on_device;
	size_t group, channels; /* the channels whose spectra are there */
	int staging;            /* which of the two is next */
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
	const int64_t centre = k.way == CWT_INTERPOLATED ? from.centre : 0;
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
	return s;
}

/* Weights of an interpolation, [ratio][taps]. */
template <class T>
static void
put_weights(cwt_run *r, const cwt_class &k)
{
	std::vector<T> weights((size_t)k.ratio * (size_t)k.taps);
	const double beta = kaiser_beta(k.taps, k.over), peak = kaiser_i0(beta);
	for (int p = 0; p < k.ratio; ++p)
		for (int j = 0; j < k.taps; ++j)
			weights[(size_t)(p * k.taps + j)] = (T)kaiser_weight(
				k.taps, beta, peak, j, (double)p / (double)k.ratio);
	cuda_work_table(&r->w, at(r, r->l.weights), weights.data(), weights.size() * sizeof(T));
}

/* What a class needs besides its rows. */
static void
prepare(cwt_run *r, const cwt_class &k)
{
	if (k.way != CWT_INTERPOLATED)
		return;
	if (k.type == WS_F64)
		put_weights<double>(r, k);
	else
		put_weights<float>(r, k);
	well(&r->w, cwt_flatten((double *)at(r, r->l.flat), k.band / 2 + 2, k.taps, k.over, k.m,
	                        r->w.stream), "making a window");
}

/* Spectra of the taps of a batch's frequencies, in place of responses. */
static void
transform_taps(cwt_run *r, const cwt_class &k, const uint32_t *members, size_t scales)
{
	for (size_t i = 0; i < scales && goes_on(r); ++i) {
		const wsi_cwt_job_scale &s = r->job->scales[members[i]];
		double *taps = (double *)at(r, r->l.weights);
		double *hat = (double *)at(r, r->l.hat) + 2 * i * k.m;
		cuda_work_table(&r->w, taps, s.taps, 2 * s.tap_count * sizeof(double));
		well(&r->w, cwt_lay_taps(taps, s.tap_count, s.tap_zero, hat, k.m, r->w.stream),
		     "laying out taps");
		transform(r, cwt_back_shape(k, 1), hat, hat, false);
	}
}

static void
make_rows(cwt_run *r, const cwt_class &k, const cwt_rows &rows, const uint32_t *members,
          size_t plan, const cwt_out &out)
{
	const wsi_cwt_device_job &job = *r->job;
	const unsigned n = (unsigned)job.length, m = (unsigned)k.m;
	const size_t skipped = rows.first / rows.channels;
	const size_t scales = (rows.first + rows.count - 1) / rows.channels - skipped + 1;
	void *hat = at(r, r->l.hat), *z = at(r, r->l.z);
	/* Blocks of channels begin within a group. */
	const size_t half = job.length / 2 + 1;
	const size_t before = (size_t)(out.heads - (const cwt_head *)at(r, r->l.heads));
	const cwt_spectra spectra = { at(r, r->l.spectra) + before * half * 2 * element_of(r), half,
		                      n };
	if (k.way == CWT_TAPS) {
		transform_taps(r, k, members + skipped, scales);
		if (goes_on(r))
			well(&r->w, cwt_product_taps(rows, spectra, job.type, (double *)hat,
			                             (double *)z, r->w.stream), "multiplying");
	} else {
		const double *flat = k.way == CWT_INTERPOLATED
		                     ? (const double *)at(r, r->l.flat) : NULL;
		well(&r->w, cwt_response(rows.scales + skipped, (unsigned)scales, n, flat, k.type,
		                         hat, k.band, r->w.stream), "making responses");
		well(&r->w, cwt_product(rows, spectra, job.type, hat, k.band, z, m, k.type,
		                        r->w.stream), "multiplying");
	}
	transform(r, cwt_back_shape(k, plan), z, z, true);
	if (!goes_on(r))
		return;
	const cwt_grid grid = { k.ratio, k.taps, m, n, at(r, r->l.weights) };
	const unsigned step = k.way == CWT_INVERSE ? 1 : (unsigned)job.decimate;
	well(&r->w, k.way == CWT_INTERPOLATED
	     ? cwt_interpolate(rows, z, grid, job.type, out, r->w.stream)
	     : cwt_put(rows, z, k.m, step, k.type, job.type, out, r->w.stream),
	     "storing coefficients");
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Frequencies f .. f + frequencies - 1 of `channels` channels, those of out. */
static void
make_block(cwt_run *r, size_t channels, size_t f, size_t frequencies, const cwt_out &out)
{
	std::vector<cwt_scale> scales;
	std::vector<uint32_t> members;
	std::vector<size_t> ends;
	for (const cwt_class &k : r->classes) {
		for (uint32_t i : k.members)
			if (i >= f && i < f + frequencies) {
				scales.push_back(scale_of(r, k, i, i - f));
				members.push_back(i);
			}
		ends.push_back(scales.size());
	}
	cwt_scale *there = (cwt_scale *)at(r, r->l.scales);
	cuda_work_table(&r->w, there, scales.data(), scales.size() * sizeof(cwt_scale));
	for (size_t c = 0, begin = 0; c < ends.size(); begin = ends[c++]) {
		const cwt_class &k = r->classes[c];
		const size_t all = (ends[c] - begin) * channels;
		if (!all || !goes_on(r))
			continue;
		prepare(r, k);
		const size_t most = cwt_batch(k, r->l.channels, k.members.size() * r->l.channels,
		                              r->l.z_bytes, r->l.hat_bytes);
		/* Fewer channels: more responses a row. */
		const size_t each = cwt_batch(k, channels, all, r->l.z_bytes, r->l.hat_bytes);
		const size_t step = each < most ? each : most;
		for (size_t row = 0; row < all && goes_on(r); row += step) {
			const size_t n = all - row < step ? all - row : step;
			const cwt_rows rows = { there + begin, (unsigned)channels, (unsigned)row,
				                (unsigned)n };
			make_rows(r, k, rows, members.data() + begin, plan_rows(most, n), out);
		}
	}
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
	const ws_status status = cwt_lay_out(d, job, cwt_choose(job), part ? part : job.count, most,
	                                     &l, why);
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
	r.classes = cwt_choose(*r.job);
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
	(void)d;
	for (const cwt_class &k : cwt_choose(job)) {
		const size_t used = strlen(ways);
		char grid[64] = "";
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
