/*
 * test_cwt_passes.cpp - transforms in two passes of wavelets on a GPU (src/cuda/cwt/spectrum.cu,
 * signal.cu), their lanes fibers of the CPU (lanes/lanes.h), against sums: padded real channels
 * with offsets, samples that are not finite; signals of bands on coarse grids, of bins below 0.
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

static wsi_cwt_device_job
job_of(const std::vector<float> &x, size_t n, ws_padding padding)
{
	wsi_cwt_device_job job = {};
	job.samples = x.size();
	job.length = n;
	job.type = WS_F32;
	job.padding = padding;
	job.centred = true;
	return job;
}

static spectrum
spectrum_of(const std::vector<float> &x, const wsi_cwt_device_job &job)
{
	cwt_split split;
	spectrum s = { std::vector<two<float>>(job.length / 2 + 1), {}, ~0ull, job.length };
	assert_true(cwt_split_of(job.length / 2, sizeof(two<double>), &split));
	std::vector<cwt_found> found((size_t)cwt_found_blocks(job, split));
	std::vector<two<double>> columns(job.length / 2);
	const cudaError_t error = cwt_spectrum((const char *)x.data(), 0, 1, job, split,
	                                       found.data(), &s.bad, (double *)columns.data(),
	                                       &s.head, s.as_input(), (unsigned)s.bins.size(),
	                                       NULL);
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
		const wsi_cwt_device_job job = job_of(x, n, padding);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spectra), cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_signals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
