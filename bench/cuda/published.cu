/*
 * published.cu - the yardstick: sifting on a GPU as the papers on GPU EMD and CEEMDAN describe
 * it, one kernel a step over all rows, the splines by cuSPARSE's tridiagonal solver.
 *
 *     published SAMPLES ROWS f32|f64 [batch|each]
 *
 * prints one line of JSON (race.h).  `batch` solves the splines of all rows by
 * gtsv2StridedBatch (default for several rows), `each` by one gtsv2_nopivot a row.
 *
 * Steps of a sift, both envelopes through each: mark the extrema; scan the marks; compact the
 * extrema into lists; extend the slope to the ends, which are knots of both envelopes; set up
 * natural splines; solve; evaluate at every sample by binary search; subtract the mean.
 * The host reads three numbers back a sift: how many equations the longest lists need, so that
 * the later modes, which have few knots, solve small systems; and how many rows still sift.
 *
 * run.sh builds and runs it.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cub/cub.cuh>
#include <cusparse.h>

#include "race.h"

#define CUDA(call) check(call, #call, cudaGetErrorString)
#define SPARSE(call) check(call, #call, cusparseGetErrorString)

/* Both libraries' statuses are 0 where all is well. */
template <typename Status>
static void
check(Status status, const char *call, const char *(*text)(Status))
{
	if ((int)status == 0)
		return;
	fprintf(stderr, "published: %s: %s\n", call, text(status));
	exit(1);
}

template <typename T>
static T *
device_array(size_t count)
{
	T *p;
	CUDA(cudaMalloc((void **)&p, count * sizeof(T)));
	return p;
}

/* ---- Steps ------------------------------------------------------------------- */

enum { THREADS = 256, MOST_BLOCKS_Y = 65535, MOST_SYSTEMS = 32768 };

/* Threads along x are samples or knots; blocks along y take rows in turn. */
static dim3
grid(int count, int rows)
{
	return dim3((count + THREADS - 1) / THREADS, std::min(rows, (int)MOST_BLOCKS_Y));
}

#define FOR_ROWS(row) for (int row = blockIdx.y; row < rows; row += gridDim.y)
#define MY_INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)

/* Knots of one envelope, `most` places a row; both ends among them. */
template <typename T>
struct knots {
	int *mark, *rank;    /* [rows][n]: 1 at a knot; knots before this sample, of all rows */
	int *count;          /* [rows] */
	int *t;              /* [rows][most] */
	T *y;
	T *lower, *diagonal, *upper, *moment; /* equations; right side, then second derivatives */
	T *value;            /* [rows][n]: the envelope */
};

template <typename T>
__global__ void
mark_extrema(const T *h, int n, int rows, int *maxima, int *minima)
{
	const int i = MY_INDEX;
	if (i >= n)
		return;
	FOR_ROWS(row) {
		const size_t at = (size_t)row * n + i;
		const bool end = i == 0 || i == n - 1;
		maxima[at] = end || (h[at] > h[at - 1] && h[at] > h[at + 1]);
		minima[at] = end || (h[at] < h[at - 1] && h[at] < h[at + 1]);
	}
}

template <typename T>
__global__ void
compact(const T *h, int n, int rows, int most, knots<T> k)
{
	const int i = MY_INDEX;
	if (i >= n)
		return;
	FOR_ROWS(row) {
		const size_t first = (size_t)row * n, at = first + i;
		if (!k.mark[at])
			continue;
		const int j = k.rank[at] - k.rank[first];
		k.t[(size_t)row * most + j] = i;
		k.y[(size_t)row * most + j] = h[at];
		if (i == n - 1)
			k.count[row] = j + 1;
	}
}

/* The line through an end's two nearest extrema replaces its value where the line is
 * further out; sign: 1 maxima, -1 minima.  One thread per row and end. */
template <typename T>
__global__ void
extend_slope(int rows, int most, knots<T> k, T sign)
{
	const int row = MY_INDEX / 2;
	if (row >= rows || k.count[row] < 4)
		return;
	const bool right = MY_INDEX & 1;
	const size_t end = (size_t)row * most + (right ? k.count[row] - 1 : 0);
	const size_t near = right ? end - 1 : end + 1, far = right ? end - 2 : end + 2;
	const T slope = (k.y[far] - k.y[near]) / (T)(k.t[far] - k.t[near]);
	const T line = k.y[near] + slope * (T)(k.t[end] - k.t[near]);
	if (sign * (line - k.y[end]) > 0)
		k.y[end] = line;
}

/* census[0], [1]: longest lists; [2]: rows of at least three extrema. */
__global__ void
take_census(const int *maxima, const int *minima, int rows, int *census)
{
	const int row = MY_INDEX;
	if (row >= rows)
		return;
	atomicMax(&census[0], maxima[row]);
	atomicMax(&census[1], minima[row]);
	if (maxima[row] + minima[row] - 4 >= 3)
		atomicAdd(&census[2], 1);
}

/* Second derivatives of a natural spline; m equations, those past a row's knots say 0. */
template <typename T>
__global__ void
set_equations(int m, int rows, int most, knots<T> k)
{
	const int j = MY_INDEX;
	if (j >= m)
		return;
	FOR_ROWS(row) {
		const size_t at = (size_t)row * most + j;
		T before = 0, here = 1, after = 0, right = 0;
		if (j > 0 && j < k.count[row] - 1) {
			before = (T)(k.t[at] - k.t[at - 1]);
			after = (T)(k.t[at + 1] - k.t[at]);
			here = 2 * (before + after);
			right = 6 * ((k.y[at + 1] - k.y[at]) / after -
			             (k.y[at] - k.y[at - 1]) / before);
		}
		k.lower[at] = before;
		k.diagonal[at] = here;
		k.upper[at] = after;
		k.moment[at] = right;
	}
}

template <typename T>
__global__ void
evaluate(int n, int rows, int most, knots<T> k)
{
	const int i = MY_INDEX;
	if (i >= n)
		return;
	FOR_ROWS(row) {
		const size_t first = (size_t)row * most;
		const int *t = k.t + first;
		/* t[low] <= i always, i < t[high] but at the end. */
		int low = 0, high = k.count[row] - 1;
		while (high - low > 1) {
			const int middle = (low + high) / 2;
			if (t[middle] <= i)
				low = middle;
			else
				high = middle;
		}
		const T y0 = k.y[first + low], y1 = k.y[first + low + 1];
		const T m0 = k.moment[first + low], m1 = k.moment[first + low + 1];
		const T h = (T)(t[low + 1] - t[low]), u = (T)(i - t[low]);
		const T slope = (y1 - y0) / h - h * (2 * m0 + m1) / 6;
		const T bend = m0 / 2 + u * (m1 - m0) / (6 * h);
		k.value[(size_t)row * n + i] = y0 + u * (slope + u * bend);
	}
}

/* Rows of fewer than three extrema are left alone. */
template <typename T>
__global__ void
subtract_mean(T *h, int n, int rows, knots<T> top, knots<T> bottom)
{
	const int i = MY_INDEX;
	if (i >= n)
		return;
	FOR_ROWS(row) {
		const size_t at = (size_t)row * n + i;
		if (top.count[row] + bottom.count[row] - 4 >= 3)
			h[at] -= (top.value[at] + bottom.value[at]) / 2;
	}
}

template <typename T>
__global__ void
subtract_mode(T *r, const T *mode, size_t count)
{
	for (size_t i = MY_INDEX; i < count; i += (size_t)gridDim.x * blockDim.x)
		r[i] -= mode[i];
}

/* ---- cuSPARSE, by type ---------------------------------------------------------- */

template <typename T> struct sparse;

template <> struct sparse<float> {
	static constexpr auto batch_size = cusparseSgtsv2StridedBatch_bufferSizeExt;
	static constexpr auto batch = cusparseSgtsv2StridedBatch;
	static constexpr auto each_size = cusparseSgtsv2_nopivot_bufferSizeExt;
	static constexpr auto each = cusparseSgtsv2_nopivot;
};

template <> struct sparse<double> {
	static constexpr auto batch_size = cusparseDgtsv2StridedBatch_bufferSizeExt;
	static constexpr auto batch = cusparseDgtsv2StridedBatch;
	static constexpr auto each_size = cusparseDgtsv2_nopivot_bufferSizeExt;
	static constexpr auto each = cusparseDgtsv2_nopivot;
};

/* ---- Sifting ---------------------------------------------------------------------- */

template <typename T>
struct published {
	int n, rows, most;
	bool each;
	T *x, *r, *h;        /* [rows][n]: input, what is left of it, what is sifted */
	knots<T> top, bottom;
	int *census;
	void *scan_space, *solve_space;
	size_t scan_bytes, solve_bytes;
	cusparseHandle_t handle;

	published(int n, int rows, bool each);
	int sift();
	int mode(double *sifts);
	void solve(int m, const knots<T> &k);
	size_t all() const { return (size_t)n * rows; }
};

template <typename T>
static knots<T>
make_knots(size_t all, size_t rows, size_t most)
{
	knots<T> k;
	k.mark = device_array<int>(all);
	k.rank = device_array<int>(all);
	k.count = device_array<int>(rows);
	k.t = device_array<int>(rows * most);
	for (T **p : { &k.y, &k.lower, &k.diagonal, &k.upper, &k.moment })
		*p = device_array<T>(rows * most);
	k.value = device_array<T>(all);
	return k;
}

template <typename T>
published<T>::published(int n_, int rows_, bool each_)
	: n(n_), rows(rows_), most(n_ / 2 + 2), each(each_), solve_space(nullptr), solve_bytes(0)
{
	for (T **p : { &x, &r, &h })
		*p = device_array<T>(all());
	top = make_knots<T>(all(), rows, most);
	bottom = make_knots<T>(all(), rows, most);
	census = device_array<int>(3);
	CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, top.mark, top.rank, (int)all()));
	scan_space = device_array<char>(scan_bytes);
	SPARSE(cusparseCreate(&handle));
	std::vector<double> row(n);
	std::vector<T> signals(all());
	for (int i = 0; i < rows; ++i) {
		race_row(row.data(), n, i);
		std::copy(row.begin(), row.end(), signals.begin() + (size_t)i * n);
	}
	CUDA(cudaMemcpy(x, signals.data(), all() * sizeof(T), cudaMemcpyHostToDevice));
}

/* The workspace grows while the warm-up runs. */
template <typename T>
void
published<T>::solve(int m, const knots<T> &k)
{
	const int systems = each ? 1 : std::min(rows, (int)MOST_SYSTEMS);
	size_t need;
	if (each)
		SPARSE(sparse<T>::each_size(handle, m, 1, k.lower, k.diagonal, k.upper, k.moment, m,
		                            &need));
	else
		SPARSE(sparse<T>::batch_size(handle, m, k.lower, k.diagonal, k.upper, k.moment,
		                             systems, most, &need));
	if (need > solve_bytes) {
		CUDA(cudaFree(solve_space));
		solve_space = device_array<char>(need);
		solve_bytes = need;
	}
	for (int row = 0; row < rows; row += systems) {
		const size_t at = (size_t)row * most;
		const T *lower = k.lower + at, *diagonal = k.diagonal + at, *upper = k.upper + at;
		T *right = k.moment + at;
		if (each)
			SPARSE(sparse<T>::each(handle, m, 1, lower, diagonal, upper, right, m,
			                       solve_space));
		else
			SPARSE(sparse<T>::batch(handle, m, lower, diagonal, upper, right,
			                        std::min(systems, rows - row), most, solve_space));
	}
}

/* One sift of h; the number of rows that were sifted. */
template <typename T>
int
published<T>::sift()
{
	const dim3 samples = grid(n, rows);
	int host[3];
	mark_extrema<<<samples, THREADS>>>(h, n, rows, top.mark, bottom.mark);
	for (knots<T> *k : { &top, &bottom }) {
		CUDA(cub::DeviceScan::ExclusiveSum(scan_space, scan_bytes, k->mark, k->rank,
		                                   (int)all()));
		compact<<<samples, THREADS>>>(h, n, rows, most, *k);
		const T sign = k == &top ? 1 : -1;
		extend_slope<<<grid(2 * rows, 1), THREADS>>>(rows, most, *k, sign);
	}
	CUDA(cudaMemsetAsync(census, 0, sizeof host));
	take_census<<<grid(rows, 1), THREADS>>>(top.count, bottom.count, rows, census);
	CUDA(cudaMemcpy(host, census, sizeof host, cudaMemcpyDeviceToHost));
	if (host[2] == 0)
		return 0;
	for (knots<T> *k : { &top, &bottom }) {
		const int m = std::max(host[k == &bottom], 3); /* the least that cuSPARSE takes */
		set_equations<<<grid(m, rows), THREADS>>>(m, rows, most, *k);
		solve(m, *k);
		evaluate<<<samples, THREADS>>>(n, rows, most, *k);
	}
	subtract_mean<<<samples, THREADS>>>(h, n, rows, top, bottom);
	CUDA(cudaGetLastError());
	return host[2];
}

/* Sifts h into a mode; adds its sifts, a row one each.  0: nothing was left to sift. */
template <typename T>
int
published<T>::mode(double *sifts)
{
	for (int s = 0; s < RACE_SIFTS; ++s) {
		const int sifted = sift();
		if (sifted == 0)
			return s > 0;
		*sifts += sifted;
	}
	return 1;
}

/* ---- Timing -------------------------------------------------------------------------- */

/* Seconds on the device between two calls; the first one's value means nothing. */
static double
lap()
{
	static cudaEvent_t last, now;
	float ms = 0.0f;
	if (!last) {
		CUDA(cudaEventCreate(&last));
		CUDA(cudaEventCreate(&now));
		CUDA(cudaEventRecord(last));
	}
	CUDA(cudaEventRecord(now));
	CUDA(cudaEventSynchronize(now));
	CUDA(cudaEventElapsedTime(&ms, last, now));
	std::swap(last, now);
	return ms * 1e-3;
}

template <typename T>
static double
time_first_mode(published<T> &p, double *sifts)
{
	CUDA(cudaMemcpy(p.h, p.x, p.all() * sizeof(T), cudaMemcpyDeviceToDevice));
	*sifts = 0;
	lap();
	p.mode(sifts);
	return lap();
}

template <typename T>
static double
time_all_modes(published<T> &p, double *sifts, int *modes)
{
	const size_t bytes = p.all() * sizeof(T);
	CUDA(cudaMemcpy(p.r, p.x, bytes, cudaMemcpyDeviceToDevice));
	*sifts = 0;
	lap();
	for (*modes = 0; *modes < race_modes(p.n); ++*modes) {
		CUDA(cudaMemcpyAsync(p.h, p.r, bytes, cudaMemcpyDeviceToDevice));
		if (!p.mode(sifts))
			break;
		subtract_mode<<<1024, THREADS>>>(p.r, p.h, p.all());
	}
	return lap();
}

/* ---- The plain sift ---------------------------------------------------------------------- */

/* The same envelope on the host: sign 1 upper, -1 lower; added to `sum`.  Number of extrema. */
static int
plain_envelope(const std::vector<double> &h, double sign, std::vector<double> &sum)
{
	const int n = (int)h.size();
	std::vector<int> t = { 0 };
	for (int i = 1; i < n - 1; ++i)
		if (sign * (h[i] - h[i - 1]) > 0 && sign * (h[i] - h[i + 1]) > 0)
			t.push_back(i);
	t.push_back(n - 1);
	const int k = (int)t.size();
	std::vector<double> y(k), m(k, 0.0), factor(k, 0.0);
	for (int j = 0; j < k; ++j)
		y[j] = h[t[j]];
	if (k >= 4) {
		const double left = y[1] - (y[2] - y[1]) / (t[2] - t[1]) * (t[1] - t[0]);
		const double right = y[k - 2] + (y[k - 2] - y[k - 3]) / (t[k - 2] - t[k - 3]) *
		                                (t[k - 1] - t[k - 2]);
		y[0] = sign * std::max(sign * y[0], sign * left);
		y[k - 1] = sign * std::max(sign * y[k - 1], sign * right);
	}
	for (int j = 1; j < k - 1; ++j) {
		const double a = t[j] - t[j - 1], c = t[j + 1] - t[j];
		const double pivot = 2 * (a + c) - a * factor[j - 1];
		factor[j] = c / pivot;
		m[j] = (6 * ((y[j + 1] - y[j]) / c - (y[j] - y[j - 1]) / a) - a * m[j - 1]) / pivot;
	}
	for (int j = k - 2; j > 0; --j)
		m[j] -= factor[j] * m[j + 1];
	for (int i = 0, j = 0; i < n; ++i) {
		if (j < k - 2 && i >= t[j + 1])
			++j;
		const double w = t[j + 1] - t[j], b = (i - t[j]) / w, a = 1 - b;
		sum[i] += a * y[j] + b * y[j + 1] +
		          ((a * a * a - a) * m[j] + (b * b * b - b) * m[j + 1]) * w * w / 6;
	}
	return k - 2;
}

static void
plain_sift(std::vector<double> &h)
{
	std::vector<double> sum(h.size(), 0.0);
	const int extrema = plain_envelope(h, 1, sum) + plain_envelope(h, -1, sum);
	if (extrema < 3)
		return;
	for (size_t i = 0; i < h.size(); ++i)
		h[i] -= sum[i] / 2;
}

/* Of the first mode in h: rms over samples against the plain sift of the same input, relative;
 * the first and the last row.  Some 1e-7 in f32; where its rounding has made or unmade an
 * extremum, which takes some million samples, 1e-5 to 1e-4. */
template <typename T>
static double
first_mode_error(const published<T> &p)
{
	double wrong = 0, whole = 0;
	std::vector<T> in(p.n), out(p.n);
	for (int row : { 0, p.rows - 1 }) {
		const size_t at = (size_t)row * p.n, bytes = p.n * sizeof(T);
		CUDA(cudaMemcpy(in.data(), p.x + at, bytes, cudaMemcpyDeviceToHost));
		CUDA(cudaMemcpy(out.data(), p.h + at, bytes, cudaMemcpyDeviceToHost));
		std::vector<double> plain(in.begin(), in.end());
		for (int s = 0; s < RACE_SIFTS; ++s)
			plain_sift(plain);
		for (int i = 0; i < p.n; ++i) {
			wrong += (out[i] - plain[i]) * (out[i] - plain[i]);
			whole += plain[i] * plain[i];
		}
	}
	return sqrt(wrong / whole);
}

/* ---- The run ------------------------------------------------------------------------------- */

template <typename T>
static void
run(int n, int rows, const char *type, bool each)
{
	published<T> p(n, rows, each);
	double first_sifts, all_sifts, first[RACE_RUNS], all[RACE_RUNS];
	int modes;
	time_first_mode(p, &first_sifts);
	const double error = first_mode_error(p);
	for (double &seconds : first)
		seconds = time_first_mode(p, &first_sifts);
	time_all_modes(p, &all_sifts, &modes);
	for (double &seconds : all)
		seconds = time_all_modes(p, &all_sifts, &modes);
	const double first_ps = race_median(first, RACE_RUNS) * 1e12 / first_sifts / n;
	const double all_ps = race_median(all, RACE_RUNS) * 1e12 / all_sifts / n;
	race_line("published", n, rows, type, first_ps, all_ps, modes, error);
}

int
main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 0, rows = argc > 2 ? atol(argv[2]) : 0;
	const char *type = argc > 3 ? argv[3] : "", *solver = argc > 4 ? argv[4] : "";
	const bool f64 = strcmp(type, "f64") == 0;
	/* The scan's positions are ints. */
	if (n < 64 || rows < 1 || n > 0x7fffffff / rows || (!f64 && strcmp(type, "f32") != 0) ||
	    (*solver && strcmp(solver, "each") != 0 && strcmp(solver, "batch") != 0)) {
		fprintf(stderr, "usage: published SAMPLES ROWS f32|f64 [batch|each]\n"
		        "       (64 SAMPLES at least, SAMPLES x ROWS below 2^31)\n");
		return 2;
	}
	const bool each = *solver ? strcmp(solver, "each") == 0 : rows == 1;
	if (f64)
		run<double>((int)n, (int)rows, type, each);
	else
		run<float>((int)n, (int)rows, type, each);
	return 0;
}
