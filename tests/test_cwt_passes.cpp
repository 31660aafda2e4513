/*
 * test_cwt_passes.cpp - transforms in two passes of wavelets on a GPU (src/cuda/cwt/spectrum.cu,
 * signal.cu, fold.cu), their lanes fibers of the CPU (lanes/lanes.h), against sums: padded real
 * channels with offsets, samples that are not finite; signals of bands on coarse grids, of bins
 * below 0; bands folded onto grids, as they are and with responses of every kind.  Results that are
 * formed of rows of coefficients (results.cu, sums.cu), in blocks of many sizes, against sums.
 */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <complex>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>

#include "cuda/cwt/fold.cu"
#include "cuda/cwt/layout.cu"
#include "cuda/cwt/results.cu"
#include "cuda/cwt/signal.cu"
#include "cuda/cwt/smooth.cu"
#include "cuda/cwt/spectrum.cu"
#include "cuda/cwt/split.cu"
#include "cuda/cwt/sums.cu"

/* What blocks have of dynamic shared memory. */
alignas(1024) thread_local two<double> shared[208 * 1024 / sizeof(two<double>)];

int
cwt_look_blocks(size_t)
{
	return 1;
}

typedef std::complex<double> point;

static point
turn(size_t a, size_t b, size_t n)
{
	return std::polar(1.0, 2.0 * M_PI * (double)(a * b % n) / (double)n);
}

template <class T> static double
distance(point a, two<T> b)
{
	return std::abs(a - point((double)b.x, (double)b.y));
}

/* ---- Spectra ------------------------------------------------------------------------------- */

struct spectrum {
	std::vector<two<float>> bins;
	cwt_head head;
	unsigned long long bad;
	size_t n;

	cwt_spectra
	as_input() const
	{
		return { bins.data(), bins.size(), (unsigned)n };
	}
};

/* Of noise about `offset` on four fifths of n points. */
static std::vector<float>
noise(size_t n, float offset)
{
	std::vector<float> x(n * 4 / 5 - 1);
	unsigned h = 12345;
	for (float &v : x) {
		h = h * 1664525u + 1013904223u;
		v = offset + (float)(h >> 8) * 0x1p-24f - 0.5f;
	}
	return x;
}

static wsi_cwt_job
job_of(const std::vector<float> &x, size_t n, ws_padding padding)
{
	wsi_cwt_job job = {};
	job.samples = x.size();
	job.length = n;
	job.type = WS_F32;
	job.padding = padding;
	job.centred = true;
	return job;
}

static spectrum
spectrum_of(const std::vector<float> &x, const wsi_cwt_job &job)
{
	cwt_split split;
	spectrum s = { std::vector<two<float>>(job.length / 2 + 1), {}, ~0ull, job.length };
	assert_true(cwt_split_of(job.length / 2, sizeof(two<double>), &split));
	std::vector<cwt_found> found((size_t)cwt_found_blocks(job, split));
	std::vector<two<double>> columns(job.length / 2);
	const cudaError_t error = cwt_spectrum((const char *)x.data(), 0, 1, job, split,
	                                       found.data(), &s.bad, (double *)columns.data(),
	                                       &s.head, s.as_input(), (unsigned)s.bins.size(),
	                                       NULL, NULL);
	assert_int_equal(error, cudaSuccess);
	return s;
}

static const size_t lengths[] = { 810, 1080, 2160, 4096, 2 * 17 * 16 };

static void
test_spectra(void **)
{
	for (size_t n : lengths) {
		cwt_split split;
		if (!cwt_split_of(n / 2, sizeof(two<double>), &split)) {
			assert_int_equal(n % 17, 0);
			continue;
		}
		const ws_padding padding = n % 4 ? WS_PADDING_ZERO : WS_PADDING_REFLECT;
		const std::vector<float> x = noise(n, 1000.0f);
		const wsi_cwt_job job = job_of(x, n, padding);
		const spectrum s = spectrum_of(x, job);
		assert_true(s.bad == ~0ull && s.head.scale == 1024.0);
		double worst = 0.0, most = 0.0, mean = 0.0;
		for (float v : x)
			mean += v;
		assert_true(fabs(s.head.offset - mean / (double)x.size() / 1024.0) < 1e-12);
		for (size_t k = 0; k <= n / 2; ++k) {
			point sum = 0.0;
			for (size_t t = 0; t < n; ++t)
				sum += (sample_at(spectrum_job{ NULL, 0, job.samples, n, padding },
				                  x.data(), t) / 1024.0 - s.head.offset) *
				       std::conj(turn(k, t, n));
			worst = std::max(worst, distance(sum, s.bins[k]));
			most = std::max(most, std::abs(sum));
		}
		printf("  %4zu = 2 x %d x %d: %.1e of the largest\n", n, split.first.n,
		       split.second.n, worst / most);
		assert_true(worst < 1e-7 * most);
	}
}

static void
test_not_finite(void **)
{
	std::vector<float> x = noise(1080, 0.0f);
	x[700] = INFINITY;
	x[411] = NAN;
	assert_int_equal(spectrum_of(x, job_of(x, 1080, WS_PADDING_REFLECT)).bad, 411);
}

/* ---- Signals of bands ---------------------------------------------------------------------- */

static void
test_signals(void **)
{
	const size_t n = 4320;
	const unsigned channels = 2;
	std::vector<two<float>> x(channels * (n / 2 + 1));
	const std::vector<float> v = noise(4 * x.size(), 0.0f);
	for (size_t k = 0; k < x.size(); ++k)
		x[k] = { v[2 * k], v[2 * k + 1] };
	/* Points; bins: all of them, around 0, beyond the grid's own. */
	static const int cases[][3] = { { 4320, 1, 2160 }, { 4320, -40, 500 }, { 1080, -30, 100 },
		{ 1080, 950, 400 }, { 540, 2000, 161 } };
	for (const int *c : cases) {
		const int m = c[0];
		const cwt_band band = { c[1], c[2], (c[1] % m + m) % m };
		cwt_split split;
		assert_true(cwt_split_of((size_t)m, sizeof(two<double>), &split));
		std::vector<two<double>> columns((size_t)m * channels), z(columns.size());
		assert_int_equal(cwt_tile_signal({ x.data(), n / 2 + 1, (unsigned)n }, WS_F32,
		                                 channels, band, split, (double *)columns.data(),
		                                 (double *)z.data(), (unsigned)m, NULL),
		                 cudaSuccess);
		double worst = 0.0, most = 0.0;
		for (unsigned channel = 0; channel < channels; ++channel)
			for (int t = 0; t < m; t += 7) {
				point sum = 0.0;
				for (int k = band.first; k < band.first + band.count; ++k) {
					const size_t bin = (size_t)(k < 0 ? -k : k);
					const two<float> a = x[channel * (n / 2 + 1) + bin];
					sum += point(a.x, k < 0 ? -a.y : a.y) *
					       turn((size_t)(k + m) % (size_t)m, (size_t)t,
					            (size_t)m);
				}
				const size_t at = (size_t)m * channel + (size_t)t;
				worst = std::max(worst, distance(sum, z[at]));
				most = std::max(most, std::abs(sum));
			}
		printf("  bins %d .. %d on %d = %d x %d points: %.1e of the largest\n", band.first,
		       band.first + band.count - 1, m, split.first.n, split.second.n,
		       worst / most);
		assert_true(worst < 1e-13 * most);
	}
}

/* ---- Grids -------------------------------------------------------------------------------- */

/* Frequencies of one grid, and what they are to give. */
struct grid {
	size_t m;
	int ratio;
	bool table, flat;
	std::vector<cwt_scale> scales;
	std::vector<float> values;
	std::vector<double> flatten;
	size_t band;
	std::vector<two<float>> roots;
};

static cwt_scale
scale_of(size_t m, size_t n, double peak, double deviation, bool halve)
{
	cwt_scale s = {};
	s.wavelet.a = 6.0;
	s.step = 6.0 / peak;
	s.gain = 0.75;
	deviation *= 6.0;
	s.k0 = (int)fmax(floor(peak - deviation), 1.0 - (double)n / 2.0);
	s.k1 = (int)fmin(ceil(peak + deviation), (double)n);
	s.centre = (int)peak;
	s.shift = (int)(((s.centre - s.k0) % (int)m + (int)m) % (int)m);
	s.halve_nyquist = halve;
	const double middle = rint(peak), unit = sqrt(0.5 / log(2.0));
	s.peak = (int)middle;
	s.fold_step = (float)(unit * s.step);
	s.fold_rest = (float)(unit * (s.step * middle - s.wavelet.a));
	s.quarters = (short)((int)peak % 4);
	return s;
}

static double
response_at(const grid &g, const cwt_scale &s, int j, size_t n)
{
	if (g.table)
		return g.values[(size_t)(&s - g.scales.data()) * g.band + (size_t)j];
	const double d = s.step * (double)(s.k0 + j) - s.wavelet.a;
	const double half = s.halve_nyquist && 2 * (size_t)(s.k0 + j) == n ? 0.5 : 1.0;
	return s.gain * half * exp(-0.5 * d * d) *
	       (g.flat ? g.flatten[(size_t)abs(j - (s.centre - s.k0))] : 1.0);
}

static point
sum_at(const grid &g, const cwt_scale &s, const two<float> *x, size_t n, size_t t)
{
	point sum = 0.0;
	for (int k = s.k0; k < s.k1; ++k) {
		const bool mirrored = k < 0 || 2 * (size_t)k > n;
		const two<float> a = x[k < 0 ? -k : mirrored ? (int)n - k : k];
		const int far = ((k - s.centre) % (int)g.m + (int)g.m) % (int)g.m;
		sum += response_at(g, s, k - s.k0, n) * point(a.x, mirrored ? -a.y : a.y) *
		       turn((size_t)far, t, g.m);
	}
	return sum * std::pow(point(0.0, 1.0), (int)s.quarters);
}

/* As window_kernel() makes them. */
static void
add_roots(grid *g)
{
	cwt_split split;
	assert_true(cwt_fold_of(g->m, &split));
	for (const size_t n : { (size_t)split.first.n, (size_t)split.second.n, g->m })
		for (size_t k = 0; k < (n == g->m ? split.second.n : n); ++k) {
			const point root = turn(1, k, n);
			g->roots.push_back({ (float)root.real(), (float)root.imag() });
		}
}

/* Grids of a signal of n points: of narrow and wide bands, beyond bin 0 and half the rate; with a
 * table; flattened. */
static std::vector<grid>
grids_of(size_t n)
{
	std::vector<grid> all;
	for (size_t m : { (size_t)2160, (size_t)2048, (size_t)1350 }) {
		const bool table = m == 1350, flat = m == 2048;
		grid g = { m, flat ? 2 : 1, table, flat, {}, {}, {}, 0, {} };
		g.scales.push_back(scale_of(m, n, 700.0, flat ? 60.0 : 110.0, false));
		if (!flat) {
			g.scales.push_back(scale_of(m, n, 2501.0, 600.0, true));
			g.scales.push_back(scale_of(m, n, 122.0, 40.0, false));
			g.scales.push_back(scale_of(m, n, 4103.0, 50.0, false));
		}
		for (const cwt_scale &s : g.scales)
			g.band = std::max(g.band, (size_t)(s.k1 - s.k0));
		for (size_t i = 0; i < g.scales.size(); ++i)
			g.scales[i].row = (unsigned)i;
		for (const float v : noise(table ? g.scales.size() * g.band * 2 : 4, 0.0f))
			g.values.push_back(v);
		for (size_t q = 0; flat && q < m; ++q)
			g.flatten.push_back(1.0 + 1e-6 * (double)(q * q));
		add_roots(&g);
		all.push_back(g);
	}
	return all;
}

static cwt_segment
segment_of(const grid &g, unsigned channels)
{
	cwt_segment s = {};
	s.scales = g.scales.data();
	s.m = (unsigned)g.m;
	s.ratio = g.ratio;
	s.band = (unsigned)g.band;
	s.table = g.table;
	s.flat = g.flat ? g.flatten.data() : NULL;
	s.end = channels * (unsigned)g.scales.size();
	assert_true(cwt_fold_of(g.m, &s.split));
	s.room = cwt_fold_room(s.split);
	s.roots = g.roots.data();
	return s;
}

/* Both kinds of rows, of two channels, in one batch; its first row is a second channel's.  Who
 * works with a number between the passes that nobody has written makes an invalid operation. */
static void
test_grids(void **)
{
	const size_t n = 8640;
	const unsigned channels = 2;
	std::vector<two<float>> x(channels * (n / 2 + 1));
	const std::vector<float> v = noise(4 * x.size(), 0.0f);
	for (size_t k = 0; k < x.size(); ++k)
		x[k] = { v[2 * k], v[2 * k + 1] };
	const cwt_head heads[channels] = { { 2.0, 0.0 }, { 0.5, 0.0 } };
	for (const grid &g : grids_of(n)) {
		cwt_batch batch = {};
		cwt_segment s = segment_of(g, channels);
		s.first = 1;
		--s.end;
		s.columns = g.ratio > 1 ? s.end * g.m : 0;
		batch.channels = channels;
		batch.by_channels = 1.0f / channels;
		batch.count = s.end;
		batch.n = (unsigned)n;
		batch.segments = 1;
		batch.segment[0] = s;
		const unsigned outputs = (unsigned)g.m - 11;
		const float unwritten = __builtin_nansf("");
		std::vector<two<float>> z(s.columns + s.end * s.room, { unwritten, unwritten });
		std::vector<two<float>> stored(channels * g.scales.size() * g.m);
		const cwt_out out = { (char *)stored.data(), g.scales.size() * g.m * 8, g.m * 8,
			              heads, WS_QUANTITY_COMPLEX, outputs };
		feclearexcept(FE_INVALID);
		assert_int_equal(cwt_fold(batch, { x.data(), n / 2 + 1, (unsigned)n },
		                          g.values.data(), z.data(), out, NULL), cudaSuccess);
		assert_false(fetestexcept(FE_INVALID));
		double worst = 0.0;
		for (unsigned r = 1; r <= s.end; ++r) {
			const unsigned channel = r % channels, scale = r / channels;
			const two<float> *got = g.ratio > 1 ? z.data() + (r - 1) * g.m
				: stored.data() + (channel * g.scales.size() + scale) * g.m;
			const double unit = g.ratio > 1 ? 1.0 : heads[channel].scale;
			double error = 0.0, most = 0.0;
			for (size_t t = 0; t < g.m; t += 5) {
				const point sum = unit * sum_at(g, g.scales[scale],
				                                x.data() + channel * (n / 2 + 1),
				                                n, t);
				if (g.ratio > 1 || t < outputs)
					error = std::max(error, distance(sum, got[t]));
				else
					assert_true(got[t].x == 0.0f && got[t].y == 0.0f);
				most = std::max(most, std::abs(sum));
			}
			worst = std::max(worst, error / most);
		}
		printf("  %zu = %d x %d points%s%s: %.1e of each row's largest\n", g.m,
		       s.split.first.n, s.split.second.n, g.table ? ", table" : "",
		       g.flat ? ", flattened" : "", worst);
		assert_true(worst < 4e-7);
	}
}

/* ---- Results ------------------------------------------------------------------------------- */

ws_status
fft_take(wsi_device *, const fft_shape &, fft_plan **, wsi_why *)
{
	return WS_E_BACKEND;
}

size_t
cwt_edge_map(const wsi_cwt_job_edge &)
{
	return 0;
}

extern "C" void wsi_progress_part(wsi_progress *, double) { }
void fft_give(wsi_device *, fft_plan *) { }
cwt_kept_plan::~cwt_kept_plan() { }

void
cuda_work_table(cuda_work *, void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

void
cuda_work_get(cuda_work *, void *to, size_t to_stride, const void *from, size_t from_stride,
              size_t bytes, size_t rows, bool)
{
	for (size_t i = 0; i < rows; ++i)
		memcpy((char *)to + i * to_stride, (const char *)from + i * from_stride, bytes);
}

void
cwt_transform(cwt_run *, const fft_shape &shape, void *in, void *out, bool inverse)
{
	const size_t n = shape.n;
	for (size_t b = 0; b < shape.batch; ++b) {
		const point *x = (const point *)in + b * n;
		std::vector<point> y(n, 0.0);
		for (size_t k = 0; k < n; ++k)
			for (size_t t = 0; t < n; ++t)
				y[k] += x[t] * (inverse ? turn(k, t, n) : std::conj(turn(k, t, n)));
		std::copy(y.begin(), y.end(), (point *)out + b * n);
	}
}

static size_t spectra_made;

void
cwt_make_spectra(cwt_run *)
{
	++spectra_made;
}

/* Any numbers. */
static point
coefficient(size_t channel, size_t epoch, size_t f, size_t t)
{
	const double v = 0.3 * (double)t + 1.7 * (double)channel + 2.3 * (double)(epoch * epoch) +
	                 0.11 * (double)(f * (1 + epoch));
	const double size = f % 5 == 4 ? 0.0 : 1.0 + (double)f;
	return size * point(sin(v) + 0.2 * (double)epoch, cos(1.3 * v));
}

template <class T> static double
rounded(const wsi_cwt_job &job, size_t channel, size_t epoch, size_t f, size_t t, bool imaginary)
{
	const point w = coefficient(channel, epoch, f, t);
	const T x = (T)w.real(), y = (T)w.imag();
	if (job.quantity == WS_QUANTITY_COMPLEX)
		return imaginary ? y : x;
	const double power = (double)x * x + (double)y * y;
	return (T)(job.quantity == WS_QUANTITY_POWER ? power : sqrt(power));
}

template <class T> static void
fill_rows(cwt_run *r, size_t signals, size_t f, size_t n, const cwt_out &out)
{
	const size_t first = (size_t)(out.heads - (const cwt_head *)at(r, r->l.heads));
	const bool pairs = cwt_of_pairs(*r->job);
	const size_t all = r->job->channels / r->job->sums.epochs;
	const size_t numbers = wsi_cwt_numbers(r->job->quantity);
	for (size_t s = first; s < first + signals; ++s)
		for (size_t i = 0; i < n; ++i) {
			const size_t channel = pairs ? s % all : r->group + s / r->epochs;
			const size_t epoch = r->epoch + (pairs ? s / all : s % r->epochs);
			T *to = (T *)(out.base + (s - first) * out.channel_stride +
			              i * out.frequency_stride);
			for (size_t t = 0; t < out.outputs; ++t)
				for (size_t k = 0; k < numbers; ++k)
					to[t * numbers + k] = (T)rounded<T>(*r->job, channel, epoch,
					                                    f + i, t, k);
		}
}

void
cwt_make_range(cwt_run *r, size_t signals, size_t f, size_t n, const cwt_out &out)
{
	assert_true(signals * n * r->l.row_bytes <= r->l.sums_rows_bytes);
	if (r->job->type == WS_F64)
		fill_rows<double>(r, signals, f, n, out);
	else
		fill_rows<float>(r, signals, f, n, out);
}

/* Arrays [channel][partner, of all pairs][row][outputs] of numbers, of all rows. */
struct formed {
	std::vector<double> array[WSI_CWT_FORMED];
};

template <class T> static formed
formed_by(const wsi_cwt_job &job, const cwt_layout &l, size_t first, size_t count, bool there)
{
	const wsi_cwt_job_sums &s = job.sums;
	const size_t channels = job.channels / s.epochs;
	const bool all = cwt_of_all_pairs(job);
	const size_t places = all ? channels * channels : channels;
	std::vector<char> memory(l.total + 1), samples(1);
	std::vector<T> out[WSI_CWT_FORMED];
	ws_buffer buffers[WSI_CWT_FORMED] = {};
	for (int k = 0; k < WSI_CWT_FORMED; ++k) {
		const size_t row = s.outputs * cwt_formed_bytes(job, k);
		out[k].resize(places * count * row / sizeof(T), (T)NAN);
		buffers[k].data = row ? out[k].data() : NULL;
		buffers[k].stride[0] = (all ? channels : 1) * count * row;
		buffers[k].stride[1] = all ? count * row : row;
		buffers[k].stride[2] = row;
	}
	wsi_io io = {};
	io.arrays = buffers;
	io.x = samples.data();
	cuda_work w = {};
	static wsi_progress progress;
	w.io = &io;
	w.progress = &progress;
	w.memory = memory.data();
	std::vector<cwt_class> classes;
	cwt_run r = { w, &job, NULL, classes, l, NULL };
	r.first = first;
	r.count = count;
	r.on_device = there;
	const size_t step = l.channels / l.epochs;
	for (r.group = 0; r.group < channels; r.group += step)
		cwt_make_results(&r, std::min(step, channels - r.group));
	formed f;
	for (int k = 0; k < WSI_CWT_FORMED; ++k)
		f.array[k].assign(out[k].begin(), out[k].end());
	return f;
}

/* Row i of an array of a channel and its partner by the definition. */
template <class T> static std::vector<double>
expected(const wsi_cwt_job &job, int k, size_t channel, size_t partner, size_t i)
{
	const wsi_cwt_job_sums &s = job.sums;
	std::vector<double> v;
	const double n = (double)s.epochs;
	for (size_t o = 0; o < s.outputs; ++o) {
		const size_t t = s.first + o * s.every;
		double sum = 0.0, log = 0.0, pw = 0.0, pv = 0.0;
		point mean = 0.0, unit = 0.0, cross = 0.0;
		for (size_t m = 0; s.row && m < s.row[i].count; ++m) {
			const wsi_cwt_job_member &of = s.member[s.row[i].first + m];
			const double x = rounded<T>(job, channel, 0, of.frequency, t, false);
			sum += of.weight * x;
			log += of.weight * ::log(x);
		}
		for (size_t e = 0; e < s.epochs && !s.row; ++e) {
			const point w(rounded<T>(job, channel, e, i, t, false),
			              rounded<T>(job, channel, e, i, t, true));
			const point u(rounded<T>(job, partner, e, i, t, false),
			              rounded<T>(job, partner, e, i, t, true));
			const bool pairs = s.form == WSI_CWT_PAIRS;
			const point x = pairs ? w * std::conj(u) : w;
			pw += std::norm(w);
			pv += std::norm(u);
			cross += x;
			unit += std::abs(x) > 0.0 ? x / std::abs(x) : 0.0;
		}
		mean = cross / n;
		double about = 0.0;
		for (size_t e = 0; e < s.epochs && s.form == WSI_CWT_EPOCHS; ++e)
			about += std::norm(point(rounded<T>(job, channel, e, i, t, false),
			                         rounded<T>(job, channel, e, i, t, true)) - mean);
		const bool some = pw > 0.0 && pv > 0.0;
		const double averages[] = { pw / n, std::norm(mean), about / n,
			                    std::abs(unit) / n };
		const double pair[] = { some ? std::norm(cross) / pw / pv : 0.0, std::abs(unit) / n,
			                mean.real(), some ? cross.imag() / sqrt(pw * pv) : 0.0 };
		v.push_back(s.form == WSI_CWT_MEANS ? exp(s.row[i].power * log)
		            : s.form == WSI_CWT_POWERS ? sum
		            : s.form == WSI_CWT_EPOCHS ? averages[k] : pair[k]);
		if (s.form == WSI_CWT_PAIRS && k == 2)
			v.push_back(mean.imag());
	}
	double before = 0.0;
	for (size_t t = s.baseline_first; t <= s.baseline_last; ++t)
		before += v[t] / (double)(s.baseline_last - s.baseline_first + 1);
	for (double &x : v)
		if (s.baseline && k < 3)
			x = 100.0 * (x - before) / before;
	return v;
}

/* The same of times: sums of a pair at a frequency, averaged in time. */
typedef std::vector<std::vector<double>> pair_sums;

static pair_sums
averaged(const wsi_cwt_job &job, size_t channel, size_t partner, size_t f)
{
	const wsi_cwt_job_gaussian &g = job.sums.gaussian[f];
	const size_t n = job.samples, length = job.length;
	std::vector<double> window(length, 0.0);
	for (size_t d = 0; d < length; ++d)
		for (size_t k = 0; k < length; ++k) {
			const double w = 2.0 * M_PI * g.deviation / (double)length *
			                 (double)std::min(k, length - k);
			window[d] += exp(-0.5 * w * w) / (double)length * turn(k, d, length).real();
		}
	pair_sums sums(6, std::vector<double>(n)), means(6, std::vector<double>(n, 0.0));
	for (size_t t = 0; t < n; ++t) {
		const point w(rounded<double>(job, channel, 0, f, t, false),
		              rounded<double>(job, channel, 0, f, t, true));
		const point u(rounded<double>(job, partner, 0, f, t, false),
		              rounded<double>(job, partner, 0, f, t, true));
		const point x = w * std::conj(u), unit = std::abs(x) > 0.0 ? x / std::abs(x) : 0.0;
		const double v[] = { std::norm(w), std::norm(u), x.real(), x.imag(), unit.real(),
			             unit.imag() };
		for (size_t i = 0; i < 6; ++i)
			sums[i][t] = v[i];
	}
	for (size_t i = 0; i < 6; ++i)
		for (size_t t = 0; t < n; ++t) {
			double share = 0.0;
			for (size_t u = 0; u < n; ++u) {
				const double d = (double)u - (double)t;
				means[i][t] += sums[i][u] * window[(t + length - u) % length];
				share += exp(-0.5 * d * d / (g.deviation * g.deviation));
			}
			means[i][t] *= g.whole != 0.0 ? g.whole / share : 1.0;
		}
	return means;
}

static void
compare_times(const wsi_cwt_job &job, const cwt_layout &l, size_t first, size_t count, bool there)
{
	const wsi_cwt_job_sums &s = job.sums;
	const size_t channels = job.channels;
	const formed got = formed_by<double>(job, l, first, count, there);
	size_t number = 0;
	for (size_t c = 0; c < channels; ++c)
		for (size_t p = 0; p < (cwt_of_all_pairs(job) ? channels : 1); ++p)
			for (size_t i = first; i < first + count; ++i) {
				pair_sums v(6, std::vector<double>(job.samples, 0.0));
				for (size_t k = 0; k < s.row[i].count; ++k) {
					const wsi_cwt_job_member &m = s.member[s.row[i].first + k];
					const size_t with = cwt_of_all_pairs(job) ? p
						: (size_t)s.against;
					const pair_sums of = averaged(job, c, with, m.frequency);
					for (size_t j = 0; j < 6; ++j)
						for (size_t t = 0; t < job.samples; ++t)
							v[j][t] += m.weight * of[j][t];
				}
				for (size_t o = 0; o < s.outputs; ++o, ++number) {
					const size_t t = o * s.every;
					const double powers = v[0][t] * v[1][t];
					const double cross = v[2][t] * v[2][t] + v[3][t] * v[3][t];
					const double want = powers > 0.0 ? cross / powers : 0.0;
					assert_true(fabs(got.array[0][number] - want) < 1e-9);
					assert_true(fabs(got.array[2][2 * number + 1] - v[3][t]) <
					            1e-9 * (1.0 + fabs(v[3][t])));
				}
			}
}

static void
test_times(void **)
{
	static const wsi_cwt_job_row list[] = { { 0, 2, 1.0 }, { 2, 3, 1.0 }, { 5, 2, 1.0 } };
	static const wsi_cwt_job_member members[] = { { 0, 0.7 }, { 1, 0.3 }, { 0, 0.2 },
		{ 1, 0.5 }, { 2, 0.3 }, { 1, 0.4 }, { 2, 0.6 } };
	std::vector<double> parts;
	wsi_cwt_job_gaussian gaussians[3];
	for (int kind = 0; kind < 4; ++kind) {
		wsi_cwt_job job = {};
		wsi_cwt_job_sums &s = job.sums;
		job.channels = 2;
		job.type = WS_F64;
		job.samples = job.outputs = 50;
		job.length = 72;
		job.decimate = 1;
		job.count = s.rows = 3;
		job.quantity = WS_QUANTITY_COMPLEX;
		parts.clear();
		for (size_t f = 0; f < 3; ++f) {
			const double deviation = 1.5 + 2.0 * (double)f;
			const size_t reach = f < 2 ? (size_t)ceil(9.0 * deviation)
				: job.samples - 1;
			gaussians[f] = { deviation, 0.0, parts.size(), reach };
			double sum = 0.0;
			for (size_t k = 0; k <= reach; ++k)
				parts.push_back(sum += exp(-0.5 * (double)(k * k) / (deviation *
				                                                     deviation)));
			gaussians[f].whole = kind % 2 ? 0.0 : 2.0 * sum - 1.0;
		}
		s = { WSI_CWT_TIMES, 3, list, members, 7, gaussians, parts.data(), parts.size(), 1,
		      0, kind < 2 ? 1u : 3u, kind < 2 ? 50u : 17u, { 0, 1, 2, 3 },
		      WS_BASELINE_NONE, 0, 0, kind < 3 ? WS_AGAINST_ALL : 1 };
		wsi_device d = {};
		for (int shrinks = 0; shrinks < 19; shrinks += shrinks ? 3 : 12) {
			cwt_layout l = {};
			const size_t first = shrinks == 15;
			choose_sizes(&d, job, {}, 3 - first, job.channels, shrinks, &l);
			l.own = true;
			place(job, {}, &l);
			compare_times(job, l, first, 3 - first, shrinks % 2 == 0);
		}
	}
}

static void
differ(const wsi_cwt_job &job, const cwt_layout &l, int k, size_t c, size_t p, size_t i, double x,
       double v)
{
	fail_msg("form %d, array %d, channel %zu, partner %zu, row %zu: %g, not %g; blocks of %zu "
	         "of %zu epochs, %zu items, %zu rows", (int)job.sums.form, k, c, p, i, x, v,
	         l.row_epochs, job.sums.epochs, l.items, l.result_rows);
}

template <class T> static void
compare_formed(const wsi_cwt_job &job, const cwt_layout &l, size_t first, size_t count, bool there)
{
	const wsi_cwt_job_sums &s = job.sums;
	const size_t channels = job.channels / s.epochs;
	const bool all = cwt_of_all_pairs(job);
	const formed got = formed_by<T>(job, l, first, count, there);
	for (int k = 0; k < WSI_CWT_FORMED; ++k) {
		const double *at = got.array[k].data();
		for (size_t c = 0; c < channels && s.arrays[k] >= 0; ++c)
			for (size_t p = 0; p < (all ? channels : 1); ++p)
				for (size_t i = first; i < first + count; ++i)
					for (double v : expected<T>(job, k, c, all ? p
					     : (size_t)s.against, i)) {
						const double x = *at++, d = fabs(x - v);
						if (!(d <= (sizeof(T) == 4 ? 2e-6 : 1e-11) *
						      (1.0 + fabs(v))) && !(isnan(x) && isnan(v)))
							differ(job, l, k, c, p, i, x, v);
					}
	}
}

static void
test_results(void **)
{
	/* Rows of other frequencies, some of which two have. */
	static const wsi_cwt_job_row list[] = { { 0, 3, 1.0 / 3.0 }, { 3, 1, 2.0 },
		{ 4, 5, 2.0 / 4.5 }, { 9, 2, 0.7 } };
	static const wsi_cwt_job_member members[] = { { 0, 1.0 }, { 1, 1.0 }, { 2, 1.0 },
		{ 2, 1.0 }, { 1, 1.0 }, { 2, 1.0 }, { 3, 1.0 }, { 5, 1.0 }, { 6, 0.5 },
		{ 6, 1.0 }, { 7, 0.25 } };
	size_t most = 0;
	for (int kind = 0; kind < 24; ++kind) {
		wsi_cwt_job job = {};
		wsi_cwt_job_sums &s = job.sums;
		const size_t channels = 1 + (size_t)kind % 5;
		s.form = (wsi_cwt_form)(WSI_CWT_MEANS + kind % 4);
		const bool epochs = s.form >= WSI_CWT_EPOCHS, rows = !epochs;
		s.epochs = epochs ? 2 + (size_t)kind / 3 : 1;
		job.channels = channels * s.epochs;
		job.type = kind / 4 % 2 ? WS_F64 : WS_F32;
		job.samples = job.outputs = 267;
		job.length = 432;
		job.decimate = 1;
		job.count = s.rows = 8;
		job.quantity = epochs ? WS_QUANTITY_COMPLEX : s.form == WSI_CWT_MEANS
			? WS_QUANTITY_MAGNITUDE : WS_QUANTITY_POWER;
		if (rows) {
			s.rows = 4;
			s.row = list;
			s.member = members;
			s.members = sizeof members / sizeof *members;
		}
		s.first = s.form == WSI_CWT_POWERS ? 7 : 0;
		s.every = s.form == WSI_CWT_POWERS ? 3 : 1;
		s.outputs = s.form == WSI_CWT_POWERS ? 87 : 267;
		for (int k = 0; k < WSI_CWT_FORMED; ++k)
			s.arrays[k] = epochs && (kind < 16 || k != 1) ? k : k ? -1 : 0;
		s.baseline = s.form == WSI_CWT_EPOCHS && kind % 3 == 0 ? WS_BASELINE_PERCENT
			: WS_BASELINE_NONE;
		s.baseline_first = 11;
		s.baseline_last = 11 + (size_t)kind * 5;
		s.against = kind % 8 == 3 ? WS_AGAINST_ALL : (int)channels - 1;
		wsi_device d = {};
		for (int shrinks = 0; shrinks < 22; shrinks += shrinks ? 3 : 12) {
			cwt_layout l = {};
			const size_t first = shrinks % 2 ? s.rows / 4 : 0, count = s.rows - first;
			choose_sizes(&d, job, {}, count, job.channels, shrinks, &l);
			l.own = true;
			place(job, {}, &l);
			spectra_made = 0;
			if (job.type == WS_F64)
				compare_formed<double>(job, l, first, count, shrinks % 4 == 0);
			else
				compare_formed<float>(job, l, first, count, shrinks % 4 == 0);
			most = std::max(most, spectra_made);
		}
	}
	assert_true(most > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spectra), cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_signals), cmocka_unit_test(test_grids),
		cmocka_unit_test(test_results), cmocka_unit_test(test_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
