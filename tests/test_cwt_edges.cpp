/*
 * test_cwt_edges.cpp - spectra beside the edges at which responses are cut as a GPU makes them
 * (src/cuda/cwt/edge.cu, edge_map.cu), its lanes fibers of the CPU (lanes/lanes.h), by a map and
 * step by step, beside those that the CPU makes (cpu/cwt/cwt_edge.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <atomic>
#include <complex>
#include <vector>

extern "C" {
#include <cmocka.h>
}

extern "C" {
#include "ops/ops.h"
#include "transform/cwt/edge.h"
}

#include <cuda_runtime.h>

#include "cuda/cwt/edge.cu"
#include "cuda/cwt/edge_map.cu"
#include "cuda/cwt/split.cu"

/* What blocks have of dynamic shared memory. */
alignas(1024) thread_local two<double> shared[CWT_PASS_SHARED / sizeof(two<double>)];
alignas(1024) thread_local double bins[CWT_PASS_SHARED / sizeof(double)];

/* ---- The CPU's ------------------------------------------------------------------------------ */

struct edges {
	wsi_cwt_edge *plan;
	wsi_cwt_job_edge job;
	size_t length;

	edges(size_t n, ws_padding padding, ws_type type, double reach, bool at_zero, bool at_half)
	    : plan(NULL), job{}, length(n + (size_t)wsi_edge_gap(n, padding, type, reach))
	{
		length += length % 2;
		const wsi_ops *wide = wsi_ops_find("plain", WS_F64);
		assert_int_equal(wsi_edge_lay_out(&plan, wide, n, length, padding, type, reach),
		                 WS_OK);
		assert_non_null(plan);
		plan->at_zero = at_zero;
		plan->at_half = at_half;
		assert_int_equal(wsi_edge_fill(plan, NULL), WS_OK);
		job.at_zero = at_zero;
		job.at_half = at_half;
		job.mirrored = plan->mirrored;
		job.in = plan->in;
		job.out = plan->out;
		job.count = plan->count;
		job.line = plan->line->n;
		job.chirps = plan->chirps->n;
		job.period = plan->period;
		job.first = plan->first;
		job.table = plan->table;
		job.table_count = wsi_edge_places(plan, job.at);
	}

	~edges() { wsi_edge_destroy(plan); }
};

/* Bins -out .. N / 2 + out of a channel's spectrum, which falls from either edge. */
struct spectrum {
	std::vector<double> re, im;

	spectrum(const edges &e, unsigned seed)
	    : re(e.length / 2 + 1 + 2 * e.job.out), im(re.size())
	{
		for (size_t k = 0; k <= e.length / 2; ++k)
			for (std::vector<double> *part : { &re, &im }) {
				seed = seed * 1664525u + 1013904223u;
				(*part)[e.job.out + k] =
					((double)(seed >> 8) * 0x1p-24 - 0.5) /
					(double)(1 + std::min(k, e.length / 2 - k));
			}
		im[e.job.out] = im[e.job.out + e.length / 2] = 0.0;
	}

	void
	apply(const edges &e)
	{
		const size_t scratch = wsi_cwt_edge_scratch(e.plan), out = e.job.out;
		double *room = (double *)aligned_alloc(64, (scratch + 7) / 8 * 64);
		const wsi_cwt_beyond far =
			wsi_cwt_edge_apply(e.plan, &re[out], &im[out], room);
		for (size_t d = 1; d <= out; ++d) {
			if (e.job.at_zero) {
				re[out - d] = far.zero_re[d];
				im[out - d] = far.zero_im[d];
			}
			if (e.job.at_half) {
				re[out + e.length / 2 + d] = far.half_re[d];
				im[out + e.length / 2 + d] = far.half_im[d];
			}
		}
		free(room);
	}
};

/* ---- The lanes' ----------------------------------------------------------------------------- */

/* A transform back, by sums. */
static void
back(size_t n, size_t rows, const double *from, double *to)
{
	typedef std::complex<double> number;
	std::vector<number> root(n), y(n);
	for (size_t k = 0; k < n; ++k)
		root[k] = std::polar(1.0, 2.0 * M_PI * (double)k / (double)n);
	for (size_t r = 0; r < rows; ++r) {
		const number *x = (const number *)from + r * n;
		for (size_t k = 0; k < n; ++k) {
			y[k] = 0.0;
			for (size_t t = 0; t < n; ++t)
				y[k] += x[t] * root[k * t % n];
		}
		std::copy(y.begin(), y.end(), (number *)to + r * n);
	}
}

static void
go_by_steps(cwt_edge_rows &e, ws_type type, const cwt_spectra &spectra)
{
	const size_t chirps = e.edge.chirps, line = e.edge.line;
	std::vector<double> a(2 * e.rows * chirps), b(a), points(2 * e.rows * line), mean(e.rows);
	e.a = a.data();
	e.b = b.data();
	e.line = points.data();
	e.mean = mean.data();
	const auto convolved = [&] {
		back(chirps, e.rows, e.a, e.b);
		assert_int_equal(cwt_edge_convolve(e, NULL), cudaSuccess);
		back(chirps, e.rows, e.a, e.b);
	};
	assert_int_equal(cwt_edge_take(e, spectra, NULL), cudaSuccess);
	assert_int_equal(cwt_edge_begin(e, NULL), cudaSuccess);
	convolved();
	assert_int_equal(cwt_edge_lay(e, NULL), cudaSuccess);
	back(line, e.rows, e.line, e.line);
	assert_int_equal(cwt_edge_side(e, NULL), cudaSuccess);
	back(line, e.rows, e.line, e.line);
	assert_int_equal(cwt_edge_end(e, NULL), cudaSuccess);
	convolved();
	assert_int_equal(cwt_edge_put(e, type, spectra, NULL), cudaSuccess);
}

/* The largest difference from what the CPU makes of the same spectra, of the largest bin. */
static double
distance(const edges &of, size_t channels, bool by_steps)
{
	const size_t bins = of.length / 2 + 1 + 2 * of.job.out, out = of.job.out;
	std::vector<spectrum> want;
	std::vector<two<double>> x(channels * bins);
	for (size_t c = 0; c < channels; ++c) {
		want.emplace_back(of, (unsigned)(7 + c));
		for (size_t k = 0; k < bins; ++k)
			x[c * bins + k] = { want[c].re[k], want[c].im[k] };
	}
	cwt_edge_rows e = {};
	e.edge = of.job;
	e.length = (unsigned)of.length;
	e.edges = of.job.at_zero + of.job.at_half;
	e.rows = channels * (size_t)e.edges;
	std::vector<double> near(2 * e.rows * cwt_edge_near(of.job));
	e.near = near.data();
	const cwt_spectra spectra = { x.data() + out, bins, (unsigned)of.length, (int)out,
		                      (int)out };
	if (by_steps) {
		go_by_steps(e, WS_F64, spectra);
	} else {
		std::vector<double> map(cwt_edge_map(e.edge));
		assert_true(map.size() > 0);
		e.map = map.data();
		assert_int_equal(cwt_edge_make_map(e.edge, e.length, map.data(), NULL),
		                 cudaSuccess);
		assert_int_equal(cwt_edge_take(e, spectra, NULL), cudaSuccess);
		assert_int_equal(cwt_edge_apply(e, WS_F64, spectra, NULL), cudaSuccess);
	}
	double worst = 0.0, most = 0.0;
	for (size_t c = 0; c < channels; ++c) {
		want[c].apply(of);
		for (size_t k = 0; k < bins; ++k) {
			const two<double> got = x[c * bins + k];
			worst = fmax(worst, hypot(got.x - want[c].re[k], got.y - want[c].im[k]));
			most = fmax(most, hypot(want[c].re[k], want[c].im[k]));
		}
	}
	printf("  %zu samples and padding, %zu channels, %d edges, %zu and %zu points, %s: %.1e\n",
	       of.length, channels, e.edges, of.job.chirps, of.job.line,
	       by_steps ? "steps" : "a map", worst / most);
	return worst / most;
}

static const struct {
	size_t n;
	ws_padding padding;
	ws_type type;
	double reach;
	bool at_zero, at_half;
} cases[] = {
	{ 3000, WS_PADDING_REFLECT, WS_F32, 200.0, true, true },
	{ 3000, WS_PADDING_REFLECT, WS_F32, 900.0, true, false },
	{ 2500, WS_PADDING_ZERO, WS_F32, 300.0, true, true },
	{ 5000, WS_PADDING_REFLECT, WS_F32, 300.0, false, true },
	{ 4000, WS_PADDING_REFLECT, WS_F64, 700.0, true, true },
	{ 4000, WS_PADDING_ZERO, WS_F64, 700.0, false, true },
};

static void
test_by_a_map(void **)
{
	size_t channels = 1;
	for (const auto &c : cases) {
		const edges e(c.n, c.padding, c.type, c.reach, c.at_zero, c.at_half);
		lanes::in_order = (enum lanes::order)(channels % lanes::ORDERS);
		assert_true(distance(e, channels, false) < 1e-14);
		channels = channels % 5 + 1;
	}
	lanes::in_order = lanes::FORWARD;
}

static void
test_by_steps(void **)
{
	for (const auto &c : { cases[0], cases[2] }) {
		const edges e(c.n, c.padding, c.type, c.reach, c.at_zero, c.at_half);
		assert_true(distance(e, 2, true) < 1e-14);
	}
}

/* A block has no room for many points, nor radices for some; large maps are none. */
static void
test_maps(void **)
{
	wsi_cwt_job_edge edge = {};
	edge.at_zero = true;
	edge.table_count = 1;
	edge.in = 250;
	edge.out = 400;
	edge.chirps = edge.line = 2048;
	assert_int_equal(cwt_edge_map(edge), 502 * 1604);
	edge.line = 17 * 16;
	assert_int_equal(cwt_edge_map(edge), 0);
	edge.line = edge.chirps = 4096;
	assert_int_equal(cwt_edge_map(edge), 0);
	edge.line = edge.chirps = 2048;
	edge.in = edge.out = 1000;
	assert_int_equal(cwt_edge_map(edge), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_a_map), cmocka_unit_test(test_by_steps),
		cmocka_unit_test(test_maps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
