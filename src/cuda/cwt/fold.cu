/*
 * fold.cu - grids in single precision by two passes: a frequency's band times its response, folded
 * onto the m points of its grid, and transformed back,
 *
 *     z[t] = sum of response[k] x[k] e^{2 pi i (k - centre) t / m} over bins k of the band,
 *     (k - centre) mod m = k2 + n2 k1,  t = t1 + n1 t2,  m = first.n second.n
 *
 * Columns over k1, times e^{2 pi i k2 t1 / m}; rows over k2.  Where the points are the outputs,
 * the second pass stores them; others are for cwt_interpolate().
 *
 * Fits      f32, m with two factors that cwt_split_of() finds; else response.cu and cuFFT.
 * Twin      cwt_product and the inverse transform (cpu/cwt/cwt_simd.h), within rounding.
 * Launch    FOLD_THREADS a few columns, CWT_PASS_THREADS a few rows, of a row of the batch; all
 *           segments in one.
 * Memory    reads the band, writes m complex numbers and reads them, writes the outputs.  Numbers
 *           between passes lie as the second reads them: [t1 by second.columns][k2][t1].
 */
#include "cuda/emd/block/machine.cuh"
#include "cuda/cwt/transform.cuh"

constexpr int FOLD_AT_ONCE = 4; /* bins of a thread that are read together */
/* Blocks of a multiprocessor, at least; threads of a block of columns, among whom most stages
 * are shared out evenly. */
constexpr int FOLD_BLOCKS = 3, FOLD_COLUMN_BLOCKS = 4, FOLD_THREADS = 192;

struct fold_job {
	cwt_batch batch;
	cwt_spectra spectra;
	const float *responses;
	two<float> *z;
	cwt_out out;
};

/* What a block works on: `first`, of columns or rows, of a row of the batch. */
struct fold_place {
	const cwt_segment *segment;
	cwt_row row;
	unsigned number;        /* of the row, in its segment */
	unsigned first;
};

__host__ __device__ static unsigned
fold_blocks(const cwt_split &split, bool rows)
{
	const unsigned n = rows ? split.first.n : split.second.n;
	const unsigned columns = rows ? split.second.columns : split.first.columns;
	return (n + (1u << columns) - 1) >> columns;
}

__device__ static fold_place
fold_place_of(const cwt_batch &batch, bool rows)
{
	int i = 0;
	while (i + 1 < batch.segments && blockIdx.x >= batch.segment[i + 1].blocks[rows])
		++i;
	const cwt_segment &s = batch.segment[i];
	const unsigned block = blockIdx.x - s.blocks[rows];
	const unsigned number = (unsigned)(((float)block + 0.5f) * s.by_blocks[rows]);
	const unsigned columns = rows ? s.split.second.columns : s.split.first.columns;
	const unsigned row = s.first + number;
	const unsigned scale = (unsigned)(((float)row + 0.5f) * batch.by_channels);
	return { &s, { scale, row - scale * batch.channels }, number,
		 (block - number * fold_blocks(s.split, rows)) << columns };
}

/* To shared memory. */
__device__ __forceinline__ void
take_roots(const two<float> *from, unsigned n, two<float> *roots)
{
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
		roots[i] = from[i];
}

/* ---- Columns -------------------------------------------------------------------------------- */

/* What a row's bins are multiplied by. */
struct fold_response {
	const cwt_spectra &spectra;
	const two<float> *x;
	int n, m, first, band;  /* bins: the signal's, the grid's; the first, how many */
	int shift;
	bool halve_nyquist;
	/* A Gaussian's exponent, of two, is -d^2, d = (k - peak) step + rest of bin k; else
	 * values. */
	int peak;
	float step, rest;
	const float *values;       /* [band] */
	const double *flat;
	int middle;             /* of flat */
};

__device__ static fold_response
fold_response_of(const fold_job &job, const fold_place &p)
{
	const cwt_segment &s = *p.segment;
	const cwt_scale &scale = s.scales[p.row.scale];
	fold_response f = { job.spectra };
	f.x = (const two<float> *)job.spectra.x + p.row.channel * job.spectra.stride;
	f.n = (int)job.spectra.n;
	f.m = (int)s.m;
	f.first = scale.k0;
	f.band = scale.k1 - scale.k0;
	f.shift = scale.shift;
	f.halve_nyquist = scale.halve_nyquist;
	f.values = s.table ? job.responses + s.response + (size_t)p.row.scale * s.band : NULL;
	f.peak = scale.peak;
	f.step = scale.fold_step;
	f.rest = scale.fold_rest;
	f.flat = s.flat;
	f.middle = scale.centre - scale.k0;
	return f;
}

/* 2^x, -120 < x <= 0 */
__device__ __forceinline__ float
power_of_two(float x)
{
#ifdef __CUDA_ARCH__
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
	return x;
#else
	return exp2f(x);
#endif
}

/* A response that is no Gaussian, or not as it is. */
__device__ static float
fold_other(const fold_response &f, int at, float gaussian)
{
	if (f.values)
		return f.values[at];
	const int k = f.first + at;
	const float half = f.halve_nyquist && (k < 0 ? -k : k) == f.n / 2 ? 0.5f : 1.0f;
	const float flat = f.flat ? (float)f.flat[at < f.middle ? f.middle - at : at - f.middle]
	                          : 1.0f;
	return gaussian * half * flat;
}

/* Places of a grid that a thread works on together. */
struct fold_places {
	int j[FOLD_AT_ONCE];    /* of the first bins, from the band's first */
	float far[FOLD_AT_ONCE]; /* of these, from the peak */
	two<float> sum[FOLD_AT_ONCE];
};

/* Adds bins `base` behind the first, times their responses.  PLAIN: Gaussians of bins that the
 * spectrum has, as they are.  WHOLE: all of these are bins of the band. */
template <bool PLAIN, bool WHOLE>
__device__ __forceinline__ void
fold_add(const fold_response &f, const two<float> *band, int base, fold_places &p)
{
	two<float> x[FOLD_AT_ONCE];
	bool in[FOLD_AT_ONCE];
#pragma unroll
	for (int e = 0; e < FOLD_AT_ONCE; ++e) {
		in[e] = WHOLE || p.j[e] + base < f.band;
		const unsigned at = in[e] ? (unsigned)(p.j[e] + base) : 0;
		if (PLAIN) {
			x[e] = band[at];
			continue;
		}
		x[e] = cwt_bin(f.spectra, f.x, f.first + (int)at);
	}
#pragma unroll
	for (int e = 0; e < FOLD_AT_ONCE; ++e) {
		const float d = fmaf(p.far[e] + (float)base, f.step, f.rest);
		float h = power_of_two(-d * d);
		if (!PLAIN && in[e])
			h = fold_other(f, p.j[e] + base, h);
		h = in[e] ? h : 0.0f;
		p.sum[e] = { fmaf(h, x[e].x, p.sum[e].x), fmaf(h, x[e].y, p.sum[e].y) };
	}
}

/* room[k1][column], k2 = first + column: places of the grid. */
template <bool PLAIN>
__device__ __forceinline__ void
fold(const fold_response &f, const cwt_split &split, unsigned first, two<float> *room)
{
	const cwt_pass &pass = split.first;
	const int points = pass.n << pass.columns, columns = (1 << pass.columns) - 1;
	const int n2 = split.second.n;
	const two<float> *const band = opaque(PLAIN ? f.x + f.first : f.x);
	const int k2 = (int)first + ((int)threadIdx.x & columns);
	for (int i = (int)threadIdx.x; i < points; i += FOLD_AT_ONCE * FOLD_THREADS) {
		fold_places p = {};
#pragma unroll
		for (int e = 0; e < FOLD_AT_ONCE; ++e) {
			const int q = k2 + n2 * ((i + e * FOLD_THREADS) >> pass.columns);
			const int j = q < f.m ? q + f.shift : f.shift;
			p.j[e] = j < f.m ? j : j - f.m;
			p.far[e] = (float)(f.first + p.j[e] - f.peak);
		}
		int base = 0;
		for (; base + f.m <= f.band; base += f.m)
			fold_add<PLAIN, true>(f, band, base, p);
		if (base < f.band)
			fold_add<PLAIN, false>(f, band, base, p);
#pragma unroll
		for (int e = 0; e < FOLD_AT_ONCE; ++e) {
			if (i + e * FOLD_THREADS < points)
				room[i + e * FOLD_THREADS] = k2 < n2 ? p.sum[e] : two<float>{};
		}
	}
}

/* The m-th roots of unity: n1-th roots times those of less than one of them. */
struct fold_roots {
	const two<float> *roots, *fine; /* e^{2 pi i k / n1}; e^{2 pi i k / m}, k < n2 */
	unsigned n2;
	float by_n2;

	__device__ __forceinline__ two<float>
	operator()(unsigned k) const
	{
		const unsigned whole = (unsigned)(((float)k + 0.5f) * by_n2);
		return times(roots[whole], fine[k - whole * n2]);
	}
};

/* Points between the passes, times their twiddles. */
struct to_rows {
	two<float> *to;
	const two<float> *far;  /* [radix][columns]: e^{2 pi i k2 r before / m} */
	fold_roots root;
	two<float> gain;
	unsigned k2, n2;
	unsigned columns, rows; /* 2^columns of this pass, 2^rows of the next */

	template <int R>
	__device__ __forceinline__ void
	operator()(int first, int apart, int column, const two<float> (&v)[R]) const
	{
		if (k2 >= n2)
			return;
		const two<float> near = times(root(k2 * (unsigned)first), gain);
#pragma unroll
		for (int r = 0; r < R; ++r) {
			const unsigned t1 = (unsigned)(first + r * apart);
			const unsigned place = (((t1 >> rows) * n2 + k2) << rows) +
			                       (t1 & ((1u << rows) - 1));
			to[place] = times(v[r], times(near, far[(r << columns) + column]));
		}
	}
};

/* The gain of what is not in a table, times i^quarters. */
__device__ __forceinline__ two<float>
fold_gain(const cwt_scale &s, bool table)
{
	const float gain = table ? 1.0f : (float)s.gain, g = s.quarters & 2 ? -gain : gain;
	return s.quarters & 1 ? two<float>{ 0.0f, g } : two<float>{ g, 0.0f };
}

__global__ void __launch_bounds__(FOLD_THREADS, FOLD_COLUMN_BLOCKS)
fold_columns_kernel(const __grid_constant__ fold_job job)
{
	extern __shared__ two<double> shared[];
	const fold_place p = fold_place_of(job.batch, false);
	const cwt_segment &s = *p.segment;
	const cwt_pass &pass = s.split.first;
	const unsigned n2 = s.split.second.n, mask = (1u << pass.columns) - 1;
	const unsigned k2 = p.first + (threadIdx.x & mask), safe = k2 < n2 ? k2 : n2 - 1;
	const unsigned radix = pass.radix[pass.stages - 1], before = pass.n / radix;
	const fold_response f = fold_response_of(job, p);
	two<float> *const roots = (two<float> *)shared, *const far = roots + pass.n;
	two<float> *const room = far + (radix << pass.columns);
	const fold_roots root = { s.roots, s.roots + pass.n + n2, n2, 1.0f / (float)n2 };
	take_roots(s.roots, pass.n, roots);
	for (unsigned i = threadIdx.x; i < radix << pass.columns; i += FOLD_THREADS)
		far[i] = root(safe * before * (i >> pass.columns));
	const bool plain = !f.values && !f.flat && !f.halve_nyquist &&
	                   f.first >= -job.spectra.below &&
	                   f.first + f.band <= f.n / 2 + 1 + job.spectra.above;
	if (plain)
		fold<true>(f, s.split, p.first, room);
	else
		fold<false>(f, s.split, p.first, room);
	const to_rows to = { job.z + s.columns + (size_t)p.number * s.room, far,
		             { roots, root.fine, n2, root.by_n2 },
		             fold_gain(s.scales[p.row.scale], s.table), k2, n2, pass.columns,
		             s.split.second.columns };
	__syncthreads();
	block_columns_between(pass, roots, room + ((int)pass.n << pass.columns), room,
	                      from_room<float>{ room }, to);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Outputs, or points that others read between; t = t1 + n1 t2. */
template <bool COMPLEX> struct to_outputs {
	float *to;
	float unit;
	ws_quantity quantity;
	unsigned t1, n1, end;   /* t from here on are nobody's */
	bool between;

	template <int R>
	__device__ __forceinline__ void
	operator()(int first, int apart, int, const two<float> (&v)[R]) const
	{
		unsigned t = t1 + n1 * (unsigned)first;
		const unsigned by = n1 * (unsigned)apart;
#pragma unroll
		for (int r = 0; r < R; ++r, t += by) {
			if (t1 >= n1 || t >= end)
				return;
			if (between)
				((two<float> *)to)[t] = v[r];
			else if (COMPLEX)
				stream((two<float> *)to + t,
				       two<float>{ v[r].x * unit, v[r].y * unit });
			else
				stream(to + t, quantity_of(quantity, v[r], unit));
		}
	}
};

template <bool COMPLEX>
__global__ void __launch_bounds__(CWT_PASS_THREADS, FOLD_BLOCKS)
fold_rows_kernel(const __grid_constant__ fold_job job)
{
	extern __shared__ two<double> shared[];
	const fold_place p = fold_place_of(job.batch, true);
	const cwt_segment &s = *p.segment;
	const cwt_pass &pass = s.split.second;
	two<float> *const roots = (two<float> *)shared, *const room = roots + pass.n;
	const bool between = s.ratio > 1;
	const to_outputs<COMPLEX> to = {
		between ? (float *)(job.z + s.z + (size_t)p.number * s.m)
		        : place_of<float>(job.out, p.row, s.scales[p.row.scale]),
		(float)job.out.heads[p.row.channel].scale, job.out.quantity,
		p.first + (threadIdx.x & ((1u << pass.columns) - 1)), s.split.first.n,
		between ? s.m : job.out.outputs, between };
	take_roots(s.roots + s.split.first.n, pass.n, roots);
	/* Where a row would be beyond the last, a thread works on its block's first: nobody has
	 * written such a row, and `to` takes nothing of it. */
	const unsigned beyond = to.t1 < to.n1 ? 0 : to.t1 - p.first;
	block_columns_between(pass, roots, room, room + ((int)pass.n << pass.columns),
	                      from_room<float>{ job.z + s.columns + (size_t)p.number * s.room +
	                                        (size_t)p.first * pass.n - beyond }, to);
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Roots, twiddles, rooms. */
static size_t
fold_bytes(const cwt_pass &pass, bool rows)
{
	const size_t points = (size_t)pass.n << pass.columns;
	return (pass.n + (rows && pass.stages < 3 ? 1 : 2) * points +
	        (rows ? 0 : (size_t)pass.radix[pass.stages - 1] << pass.columns)) *
	       sizeof(two<float>);
}

bool
cwt_fold_of(size_t m, cwt_split *split)
{
	constexpr size_t most = 48 << 10; /* what every card has */
	if (m < CWT_FOLD_LEAST || !cwt_split_of(m, sizeof(two<float>), split))
		return false;
	for (bool rows : { false, true }) {
		cwt_pass &pass = rows ? split->second : split->first;
		pass.columns = rows && pass.stages == 2 ? 4 : pass.columns;
		while (pass.columns > 2 && fold_bytes(pass, rows) > most)
			--pass.columns;
		if (fold_bytes(pass, rows) > most || pass.stages < 2)
			return false;
	}
	return true;
}

size_t
cwt_fold_room(const cwt_split &split)
{
	return ((size_t)fold_blocks(split, true) << split.second.columns) * split.second.n;
}

cudaError_t
cwt_fold(cwt_batch &batch, const cwt_spectra &spectra, const void *responses, void *z,
         const cwt_out &out, cudaStream_t stream)
{
	unsigned blocks[2] = { 0, 0 };
	size_t bytes[2] = { 0, 0 };
	for (int i = 0; i < batch.segments; ++i) {
		cwt_segment &s = batch.segment[i];
		for (int rows = 0; rows < 2; ++rows) {
			const size_t some = fold_bytes(rows ? s.split.second : s.split.first, rows);
			bytes[rows] = some > bytes[rows] ? some : bytes[rows];
			const unsigned each = fold_blocks(s.split, rows);
			s.blocks[rows] = blocks[rows];
			s.by_blocks[rows] = 1.0f / (float)each;
			blocks[rows] += (s.end - s.begin) * each;
		}
	}
	const fold_job job = { batch, spectra, (const float *)responses, (two<float> *)z, out };
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(blocks[0]);
	config.blockDim = dim3(FOLD_THREADS);
	config.dynamicSmemBytes = bytes[0];
	config.stream = stream;
	cudaError_t error = cudaLaunchKernelEx(&config, fold_columns_kernel, job);
	config.gridDim = dim3(blocks[1]);
	config.blockDim = dim3(CWT_PASS_THREADS);
	config.dynamicSmemBytes = bytes[1];
	if (error != cudaSuccess)
		return error;
	return out.quantity == WS_QUANTITY_COMPLEX
		? cudaLaunchKernelEx(&config, fold_rows_kernel<true>, job)
		: cudaLaunchKernelEx(&config, fold_rows_kernel<false>, job);
}
