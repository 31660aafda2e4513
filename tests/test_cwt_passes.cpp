/*
 * test_cwt_passes.cpp - transforms in two passes of wavelets on a GPU (src/cuda/cwt/spectrum.cu,
 * signal.cu, fold.cu), their lanes fibers of the CPU (lanes/lanes.h), against sums: padded real
 * channels with offsets, samples that are not finite; signals of bands on coarse grids, of bins
 * below 0; bands folded onto grids, as they are and with responses of every kind.
 */
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
#include "cuda/cwt/signal.cu"
#include "cuda/cwt/spectrum.cu"
#include "cuda/cwt/split.cu"

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

/* Both kinds of rows, of two channels, in one batch; its first row is a second channel's. */
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
		std::vector<two<float>> z(s.columns + s.end * s.room);
		std::vector<two<float>> stored(channels * g.scales.size() * g.m);
		const cwt_out out = { (char *)stored.data(), g.scales.size() * g.m * 8, g.m * 8,
			              heads, WS_QUANTITY_COMPLEX, outputs };
		assert_int_equal(cwt_fold(batch, { x.data(), n / 2 + 1, (unsigned)n },
		                          g.values.data(), z.data(), out, NULL), cudaSuccess);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spectra), cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_signals), cmocka_unit_test(test_grids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
