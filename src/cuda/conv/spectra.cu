/*
 * spectra.cu - convolution by spectra (overlap-save): spectra of units of samples and of masks,
 * their products in batches, and inverse transforms by cuFFT; or by conv/fused.cuh.
 *
 * Fits      masks whose method is not direct, of any width; spectra_shape_of() chooses M, B and
 *           batch.
 * Twin      cpu/conv/conv_fft.c, within rounding: another transform sums in another order.
 * Launch    THREADS (256), four numbers each or more, over (numbers of a row, rows: units, lines or
 *           products of a batch).
 * Memory    writes spectra once; of each product reads two, writes one, and reads what cuFFT made
 *           of it.  A batch is BATCH bytes, which stay in the second-level cache.
 */
#include "cuda/conv/spectra.h"

#include <algorithm>

#include "cuda/conv/fused.cuh"

constexpr int THREADS = 256;
/* Bytes of a batch: products, and what they become, stay in the second-level cache. */
constexpr size_t BATCH = (size_t)16 << 20;
/* Shorter signals are one transform of their own length. */
constexpr size_t LEAST_POINTS = 4096;

/* ---- Sizes ------------------------------------------------------------------------------ */

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
	s.outputs = std::min(s.m - c.width + (s.fused ? 0 : 1), span);
	s.units = (span + s.outputs - 1) / s.outputs;
	s.step = s.m / 2 + 1;
	const size_t bytes = s.step * 2 * size_of(c.type);
	const size_t most = std::max(BATCH / bytes, (size_t)1);
	s.lines = std::min(lines, 2 * most);
	const size_t products = s.lines * channels * s.units;
	const size_t batches = (products + most - 1) / most;
	const size_t spectra = channels * s.units + s.lines;
	s.batch = (products + batches - 1) / batches;
	s.forward = std::min(spectra, most);
	s.spectra_bytes = rounded((spectra + s.forward) * bytes);
	s.batch_bytes = s.fused ? 0 : rounded(s.batch * bytes);
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
	for (int back = 0; back < (s->fused ? 1 : 2); ++back) {
		fft_plan *plan;
		const ws_status status = fft_take(d, plan_shape(c, *s, back), &plan, why);
		if (status != WS_OK)
			return status;
		s->work_bytes = std::max(s->work_bytes, rounded(plan->bytes));
		fft_give(d, plan);
	}
	return WS_OK;
}

/* ---- Kernels ---------------------------------------------------------------------------- */

#define EACH(i, n) \
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
	     i += (long long)gridDim.x * blockDim.x)

/* Samples of units, counted through channels. */
template <class X, class T>
__global__ void
samples_kernel(spectra_job job, spectra_shape s, long long width, T *to)
{
	const size_t unit = blockIdx.y + (size_t)blockIdx.z * gridDim.y;
	if (unit >= s.units * (size_t)job.channels)
		return;
	const X *x = (const X *)(job.x + unit / s.units * job.x_stride);
	const long long at = job.n0 + (long long)(unit % s.units * s.outputs) - width / 2;
	to += unit * 2 * s.step;
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

/* Products first .. of all lines by all units: [line][channel][unit]. */
template <class T>
__global__ void
multiply_kernel(spectra_shape s, size_t first, size_t units, const two<T> *x,
                const two<T> *m, two<T> *to)
{
	const size_t product = first + blockIdx.y;
	const T by = (T)1 / (T)s.m;
	x += product % units * s.step;
	m += product / units * s.step;
	to += blockIdx.y * s.step;
	EACH(i, (long long)s.step) {
		const two<T> a = x[i], b = m[i];
		const two<T> product = times_conjugate(a, b);
		to[i] = { product.x * by, product.y * by };
	}
}

template <class X, class T>
__global__ void
write_kernel(spectra_job job, spectra_shape s, size_t first, size_t line0, const T *from)
{
	const size_t product = first + blockIdx.y, unit = product % s.units;
	const size_t channel = product / s.units % job.channels;
	const direct_row row = job.rows[line0 + product / s.units / job.channels];
	const long long at = (long long)(unit * s.outputs), end = at + (long long)s.outputs;
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

/* ---- A portion -------------------------------------------------------------------------- */

static dim3
grid(size_t numbers, size_t rows)
{
	return dim3((unsigned)std::min((numbers + THREADS * 4 - 1) / (THREADS * 4), (size_t)4096),
	            (unsigned)rows);
}

/* Rows of a grid, at most. */
constexpr size_t MOST_ROWS = 65535;

struct spectra_run {
	wsi_device *device;
	const spectra_class *c;
	const spectra_shape *s;
	const spectra_job *job;
	cudaStream_t stream;
	fft_plan *plans[2];      /* forward, back */
	char *spectra, *batch, *work; /* spectra of all units, then of some lines */
};

/* Transforms count rows of samples or taps from row `first` of the spectra on, in place; what
 * follows them in the last batch is of no use. */
static cudaError_t
forward(const spectra_run &r, size_t first, size_t count)
{
	const size_t bytes = r.s->step * 2 * size_of(r.c->type);
	cudaError_t error = cudaGetLastError();
	for (size_t i = 0; i < count && error == cudaSuccess; i += r.s->forward) {
		char *rows = r.spectra + (first + i) * bytes;
		error = fft_run(r.device, r.plans[0], rows, rows, false, r.work, r.stream);
	}
	return error;
}

/* Products of lines line0 .. by all units, whose spectra are there. */
template <class X, class T>
static cudaError_t
back(const spectra_run &r, size_t line0, size_t lines)
{
	const spectra_shape &s = *r.s;
	const size_t units = s.units * (size_t)r.job->channels;
	const two<T> *samples = (const two<T> *)r.spectra;
	const two<T> *taps = samples + units * s.step;
	if (s.fused)
		return fused_launch<X, T>(*r.job, s, line0, lines, samples, taps,
		                          r.device->facts.multiProcessorCount, r.stream);
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < lines * units && error == cudaSuccess; i += s.batch) {
		const size_t n = std::min(s.batch, lines * units - i);
		multiply_kernel<T><<<grid(s.step, n), THREADS, 0, r.stream>>>(s, i, units, samples,
			taps, (two<T> *)r.batch);
		error = fft_run(r.device, r.plans[1], r.batch, r.batch, true, r.work, r.stream);
		write_kernel<X, T><<<grid(s.outputs, n), THREADS, 0, r.stream>>>(*r.job, s, i,
			line0, (const T *)r.batch);
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
	T *rows = (T *)r.spectra;
	dim3 blocks = grid(s.m, std::min(units, MOST_ROWS));
	blocks.z = (unsigned)((units + MOST_ROWS - 1) / MOST_ROWS);
	samples_kernel<X, T><<<blocks, THREADS, 0, r.stream>>>(*r.job, s, width, rows);
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < r.c->lines && error == cudaSuccess; i += s.lines) {
		const size_t lines = std::min(s.lines, r.c->lines - i);
		taps_kernel<T><<<grid(s.m, lines), THREADS, 0, r.stream>>>(*r.job, s, i, width,
			rows + units * 2 * s.step);
		error = i ? forward(r, units, lines) : forward(r, 0, units + lines);
		if (error == cudaSuccess)
			error = back<X, T>(r, i, lines);
	}
	return error;
}

ws_status
spectra_launch(wsi_device *d, const spectra_class &c, const spectra_shape &full,
               const spectra_job &job, cudaStream_t stream, cudaError_t *error, wsi_why *why)
{
	/* The last portion may have fewer units; plans stay those of full ones. */
	spectra_shape s = full;
	const size_t span = (size_t)(job.outputs - 1) * (size_t)job.every + 1;
	s.units = (span + s.outputs - 1) / s.outputs;
	spectra_run r = { d, &c, &s, &job, stream, {}, job.memory };
	r.batch = r.spectra + s.spectra_bytes;
	r.work = r.batch + s.batch_bytes;
	ws_status status = WS_OK;
	for (int back = 0; back < (s.fused ? 1 : 2) && status == WS_OK; ++back)
		status = fft_take(d, plan_shape(c, s, back), &r.plans[back], why);
	/* What a batch leaves free is transformed too. */
	if (status == WS_OK && s.batch_bytes)
		*error = cudaMemsetAsync(r.batch, 0, s.batch_bytes, stream);
	const size_t filled = s.units * (size_t)job.channels + std::min(s.lines, c.lines);
	const size_t row = s.step * 2 * size_of(c.type);
	if (status == WS_OK && *error == cudaSuccess)
		*error = cudaMemsetAsync(r.spectra + filled * row, 0, s.forward * row, stream);
	if (status == WS_OK && *error == cudaSuccess && c.type == WS_F32)
		*error = do_class<float, float>(r);
	else if (status == WS_OK && *error == cudaSuccess)
		*error = job.samples == WS_F32 ? do_class<float, double>(r)
		                               : do_class<double, double>(r);
	fft_give(d, r.plans[0]);
	fft_give(d, r.plans[1]);
	return status;
}
