/* spectra.cu - see spectra.h. */
#include "cuda/conv/spectra.h"

#include <algorithm>

#include "cuda/conv/fused.cuh"

constexpr int THREADS = 256;
/* Bytes of a batch: products, and what they become, stay in the second-level cache. */
constexpr size_t BATCH = (size_t)16 << 20;
/* Shorter signals are one transform of their own length.  Transforms of a batch are rows of a grid,
 * which has 65 535: so many of the 64 points that there are at least fit in BATCH. */
constexpr size_t LEAST_POINTS = 4096;

/* ---- Sizes --------------------------------------------------------------------------------- */

/* The least even number from n on without prime factors above 5. */
static size_t
smooth(size_t n)
{
	for (size_t m = n + n % 2;; m += 2) {
		size_t rest = m;
		for (size_t p : { (size_t)2, (size_t)3, (size_t)5 })
			while (rest % p == 0)
				rest /= p;
		if (rest == 1)
			return m;
	}
}

static size_t
size_of(ws_type type)
{
	return type == WS_F32 ? 4 : 8;
}

static size_t
rounded(size_t bytes)
{
	return (bytes + 255) / 256 * 256;
}

spectra_shape
spectra_shape_of(const spectra_class &c, const cudaDeviceProp &facts, size_t span, size_t channels,
                 size_t lines)
{
	spectra_shape s = {};
	const bool can_fuse = c.width <= FUSED_HALF &&
		fused_shared(c.type) <= facts.sharedMemPerBlockOptin;
	const size_t all = span + c.width - 1;
	const size_t each = can_fuse ? FUSED_POINTS : std::max(4 * c.width, LEAST_POINTS);
	s.m = c.whole || all <= (can_fuse ? LEAST_POINTS : each) ? smooth(all) : each;
	s.fused = can_fuse && !c.whole && s.m == FUSED_POINTS;
	/* Even: fused kernels write pairs. */
	s.block = std::min(s.m - c.width + (s.fused ? 0 : 1), span);
	s.units = (span + s.block - 1) / s.block;
	s.step = s.m / 2 + 1;
	const size_t bytes = s.step * 2 * size_of(c.type), most = std::max(BATCH / bytes, (size_t)1);
	s.lines = std::min(lines, std::max(2 * most, (size_t)1));
	const size_t products = s.lines * channels * s.units, batches = (products + most - 1) / most;
	s.batch = (products + batches - 1) / batches;
	s.forward = std::min(s.batch, std::max(channels * s.units, s.lines));
	s.samples_bytes = rounded(channels * s.units * bytes);
	s.lines_bytes = rounded(s.lines * bytes);
	s.batch_bytes = rounded(s.batch * bytes);
	return s;
}

/* Transforms of a batch, in place. */
static fft_shape
plan_shape(const spectra_class &c, const spectra_shape &s, bool back)
{
	fft_shape f = { back ? FFT_REAL_BACK : FFT_REAL_FORWARD, c.type, s.m,
		        back ? s.batch : s.forward, 2 * s.step, 2 * s.step };
	(back ? f.in_step : f.out_step) = s.step;
	return f;
}

ws_status
spectra_work(wsi_device *d, const spectra_class &c, spectra_shape *s, wsi_why *why)
{
	for (int back = 0; back < 2; ++back) {
		fft_plan *plan;
		const ws_status status = fft_take(d, plan_shape(c, *s, back), &plan, why);
		if (status != WS_OK)
			return status;
		s->work_bytes = std::max(s->work_bytes, rounded(plan->bytes));
		fft_give(d, plan);
	}
	return WS_OK;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

#define EACH(i, n) \
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
	     i += (long long)gridDim.x * blockDim.x)

/* Samples of units first .. first + gridDim.y - 1, counted through channels. */
template <class X, class T>
__global__ void
samples_kernel(spectra_job job, spectra_shape s, size_t first, long long width, T *to)
{
	const size_t unit = first + blockIdx.y;
	const X *x = (const X *)(job.x + unit / s.units * job.x_stride);
	const long long at = job.n0 + (long long)(unit % s.units * s.block) - width / 2;
	to += blockIdx.y * 2 * s.step;
	EACH(i, (long long)s.m) {
		const long long k = at + i;
		to[i] = k >= job.low && k < job.high ? (T)x[k - job.low] : (T)0;
	}
}

/* Taps of lines first .. */
template <class T>
__global__ void
taps_kernel(spectra_job job, spectra_shape s, size_t first, long long width, T *to)
{
	const direct_row row = job.rows[first + blockIdx.y];
	const T *taps = (const T *)job.values + row.taps;
	to += blockIdx.y * 2 * s.step;
	EACH(i, (long long)s.m) {
		const long long d = i - width / 2;
		to[i] = d >= row.d0 && d < row.d1 ? taps[d - row.d0] : (T)0;
	}
}

template <class T>
__global__ void
keep_kernel(spectra_shape s, const pair_of<T> *from, pair_of<T> *to)
{
	from += blockIdx.y * s.step;
	to += blockIdx.y * s.step;
	EACH(i, (long long)s.step)
		to[i] = from[i];
}

/* Products first .. of all lines by all units: [line][channel][unit]. */
template <class T>
__global__ void
multiply_kernel(spectra_shape s, size_t first, size_t units, const pair_of<T> *x,
                const pair_of<T> *m, pair_of<T> *to)
{
	const size_t product = first + blockIdx.y;
	const T by = (T)1 / (T)s.m;
	x += product % units * s.step;
	m += product / units * s.step;
	to += blockIdx.y * s.step;
	EACH(i, (long long)s.step) {
		const pair_of<T> a = x[i], b = m[i];
		to[i] = { fma(a.re, b.re, a.im * b.im) * by, fma(a.im, b.re, -(a.re * b.im)) * by };
	}
}

template <class X, class T>
__global__ void
write_kernel(spectra_job job, spectra_shape s, size_t first, size_t line0, const T *from)
{
	const size_t product = first + blockIdx.y, unit = product % s.units;
	const size_t channel = product / s.units % job.channels;
	const direct_row row = job.rows[line0 + product / s.units / job.channels];
	const long long at = (long long)(unit * s.block), end = at + (long long)s.block;
	const long long i0 = (at + job.every - 1) / job.every;
	long long i1 = (end + job.every - 1) / job.every;
	i1 = i1 < job.outputs ? i1 : job.outputs;
	X *y = (X *)(job.y + channel * job.y_channel + row.row * job.y_row) + row.part;
	bool bad = false;
	from += blockIdx.y * 2 * s.step;
	EACH(k, i1 - i0) {
		const X z = (X)(from[(i0 + k) * job.every - at] + (T)0);
		y[(i0 + k) * job.parts] = z;
		bad |= !(z - z == (X)0);
	}
	if (bad)
		atomicMin(job.high_response, (unsigned long long)(job.first_channel + channel) << 32
		          | row.mask);
}

/* ---- A block -------------------------------------------------------------------------------- */

static dim3
grid(size_t numbers, size_t rows)
{
	return dim3((unsigned)std::min((numbers + THREADS * 4 - 1) / (THREADS * 4), (size_t)4096),
	            (unsigned)rows);
}

struct spectra_run {
	wsi_device *device;
	const spectra_class *c;
	const spectra_shape *s;
	const spectra_job *job;
	cudaStream_t stream;
	fft_plan *plans[2];      /* forward, back */
	char *samples, *lines, *batch, *work;
};

static cudaError_t
transform(const spectra_run &r, bool back)
{
	return fft_run(r.device, r.plans[back], r.batch, r.batch, back, r.work, r.stream);
}

/* Transforms of all units, or of lines line0 .., in batches; from fill(first, count). */
template <class T, class F>
static cudaError_t
forward(const spectra_run &r, size_t total, char *to, F &&fill)
{
	const spectra_shape &s = *r.s;
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < total && error == cudaSuccess; i += s.forward) {
		const size_t n = std::min(s.forward, total - i);
		fill(i, n);
		error = transform(r, false);
		keep_kernel<T><<<grid(s.step, n), THREADS, 0, r.stream>>>(s,
			(const pair_of<T> *)r.batch, (pair_of<T> *)to + i * s.step);
		error = error == cudaSuccess ? cudaGetLastError() : error;
	}
	return error;
}

template <class X, class T>
static cudaError_t
do_lines(const spectra_run &r, size_t line0, size_t lines)
{
	const spectra_shape &s = *r.s;
	const size_t units = s.units * (size_t)r.job->channels;
	const long long width = (long long)r.c->width;
	cudaError_t error = forward<T>(r, lines, r.lines, [&](size_t first, size_t n) {
		taps_kernel<T><<<grid(s.m, n), THREADS, 0, r.stream>>>(*r.job, s, line0 + first,
			width, (T *)r.batch);
	});
	if (s.fused && error == cudaSuccess)
		return fused_launch<X, T>(*r.job, s, line0, lines, r.samples, r.lines,
		                          r.device->facts.multiProcessorCount, r.stream);
	for (size_t i = 0; i < lines * units && error == cudaSuccess; i += s.batch) {
		const size_t n = std::min(s.batch, lines * units - i);
		multiply_kernel<T><<<grid(s.step, n), THREADS, 0, r.stream>>>(s, i, units,
			(const pair_of<T> *)r.samples, (const pair_of<T> *)r.lines,
			(pair_of<T> *)r.batch);
		error = transform(r, true);
		write_kernel<X, T><<<grid(s.block, n), THREADS, 0, r.stream>>>(*r.job, s, i, line0,
			(const T *)r.batch);
		error = error == cudaSuccess ? cudaGetLastError() : error;
	}
	return error;
}

template <class X, class T>
static cudaError_t
do_class(const spectra_run &r)
{
	const spectra_shape &s = *r.s;
	const size_t units = s.units * (size_t)r.job->channels;
	const long long width = (long long)r.c->width;
	cudaError_t error = forward<T>(r, units, r.samples, [&](size_t first, size_t n) {
		samples_kernel<X, T><<<grid(s.m, n), THREADS, 0, r.stream>>>(*r.job, s, first, width,
			(T *)r.batch);
	});
	for (size_t i = 0; i < r.c->lines && error == cudaSuccess; i += s.lines)
		error = do_lines<X, T>(r, i, std::min(s.lines, r.c->lines - i));
	return error;
}

ws_status
spectra_launch(wsi_device *d, const spectra_class &c, const spectra_shape &full,
               const spectra_job &job, cudaStream_t stream, cudaError_t *error, wsi_why *why)
{
	/* The last block may have fewer units; plans stay those of full ones. */
	spectra_shape s = full;
	const size_t span = (size_t)(job.outputs - 1) * (size_t)job.every + 1;
	s.units = (span + s.block - 1) / s.block;
	spectra_run r = { d, &c, &s, &job, stream, {}, job.memory };
	r.lines = r.samples + s.samples_bytes;
	r.batch = r.lines + s.lines_bytes;
	r.work = r.batch + s.batch_bytes;
	ws_status status = WS_OK;
	for (int back = 0; back < 2 && status == WS_OK; ++back)
		status = fft_take(d, plan_shape(c, s, back), &r.plans[back], why);
	/* What a batch leaves free is transformed too. */
	if (status == WS_OK)
		*error = cudaMemsetAsync(r.batch, 0, s.batch_bytes, stream);
	if (status == WS_OK && *error == cudaSuccess && c.type == WS_F32)
		*error = do_class<float, float>(r);
	else if (status == WS_OK && *error == cudaSuccess)
		*error = job.samples == WS_F32 ? do_class<float, double>(r)
		                               : do_class<double, double>(r);
	fft_give(d, r.plans[0]);
	fft_give(d, r.plans[1]);
	return status;
}
