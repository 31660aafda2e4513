/*
 * phase.cuh - from a mode and its transform to amplitude, phase and frequency (cpu/hht/hht_mode.c,
 * cpu/hht/hht_simd.h).
 *
 * Whole turns are counted in tiles, and those of the tiles before are added: they are integers, so
 * that the order does not matter.
 *
 * Fits      all methods; hht_phase_kernel, one pass for three, where phases are not smoothed.
 * Twin      cpu/hht/hht_mode.c, cpu/hht/hht_simd.h: the same bits.
 * Launch    HHT_THREADS over (tiles, rows); a warp a row as numpy.unwrap.  Each kernel says its
 *           own.
 * Memory    a tile of angles in shared memory; reads a mode and its transform, writes amplitude,
 *           phase and frequency once (else once a pass).
 */
#ifndef WSI_CUDA_HHT_PHASE_CUH
#define WSI_CUDA_HHT_PHASE_CUH

#include "cuda/hht/bins.cuh"
#include "cuda/hht/hilbert.cuh"

/* Buffers of a chunk, by its rows; [tile] of tiles. */
struct hht_phases {
	double *amplitude;      /* rows of the batch */
	double *phase, *smooth; /* angles, later unwrapped; another such */
	double *frequency;
	double *edges;          /* [2] first angle of a tile, last */
	int *turns;             /* whole turns in a tile, from the step into it on */
	unsigned long long *words; /* [tile] of look_back(); 0 before */
	unsigned *ticket;       /* blocks that have begun; 0 before */
	unsigned long long *tops; /* [tile] bits of its largest frequency above 0; 0 before */
	double *energy, *moment; /* rows of the batch: sums of a^2, a^2 f */
};

/* An angle and whole turns. */
__device__ __forceinline__ double
unwrapped(double angle, int turns)
{
	return fma((double)turns, PHASE_TURN, angle);
}

/* phase_turn() as an integer. */
__device__ __forceinline__ int
whole_turn(double before, double after)
{
	const double step = after - before;
	return (step < -PHASE_PI) - (step > PHASE_PI);
}

/* Where the other side of the triangle comes from. */
enum hht_side { SIDE_HILBERT, SIDE_QUADRATURE, SIDE_QUADRATURE_EMD };

struct hht_polar { double modulus, angle; };

/* A sample and the other side. */
struct hht_sides { double a, b; };

/* Samples of a thread that are fetched together. */
constexpr unsigned POLARS = 4;

template <class T, hht_side SIDE>
__device__ __forceinline__ hht_sides
sides_at(const hht_row<T> &x, const double *y, unsigned n, unsigned i)
{
	const double a = x[i];
	if (SIDE == SIDE_HILBERT)
		return { a, __ldg(y + i) };
	const bool forward = SIDE == SIDE_QUADRATURE_EMD;
	return { a, mode_quadrature(a, x[mode_before(i, n, forward)], x[mode_after(i, n)]) };
}

template <hht_side SIDE>
__device__ __forceinline__ hht_polar
polar_of(hht_sides s)
{
	return { SIDE == SIDE_HILBERT ? sqrt(fma(s.a, s.a, s.b * s.b)) : 0.0,
		 phase_angle(s.b, s.a) };
}

template <class T, hht_side SIDE>
__device__ __forceinline__ hht_polar
polar_at(const hht_row<T> &x, const double *y, unsigned n, unsigned i)
{
	return polar_of<SIDE>(sides_at<T, SIDE>(x, y, n, i));
}

/* Angles, and with MODULUS amplitudes; turns and edges of tiles.  Launch: (tiles, rows). */
template <class T, hht_side SIDE, bool MODULUS>
__global__ void __launch_bounds__(HHT_THREADS)
hht_angle_kernel(hht_chunk c, hht_rows<T> rows, hilbert_view h, hht_phases p)
{
	__shared__ double angles[HHT_TILE + 1];
	const unsigned tile = blockIdx.x, r = blockIdx.y, i0 = tile * HHT_TILE;
	if (!hht_alive(c, r))
		return;
	const unsigned count = c.n - i0 < HHT_TILE ? c.n - i0 : HHT_TILE;
	const hht_row<T> x = rows(c.row0 + r);
	const double *y = SIDE == SIDE_HILBERT ? hilbert_result(h, r) : NULL;
	double *amplitude = p.amplitude + (size_t)(c.row0 + r) * c.stride;
	double *phase = p.phase + (size_t)r * c.stride;
#pragma unroll 4
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS) {
		const hht_polar v = polar_at<T, SIDE>(x, y, c.n, i0 + m);
		angles[m + 1] = v.angle;
		phase[i0 + m] = v.angle;
		if (MODULUS)
			amplitude[i0 + m] = v.modulus;
	}
	if (threadIdx.x == 0 && tile > 0)
		angles[0] = polar_at<T, SIDE>(x, y, c.n, i0 - 1).angle;
	__syncthreads();
	int turns = 0;
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS)
		if (i0 + m > 0)
			turns += whole_turn(angles[m], angles[m + 1]);
	int all;
	block_sum_before(turns, &all);
	if (threadIdx.x == 0) {
		double *edges = p.edges + 2 * ((size_t)r * c.tiles + tile);
		edges[0] = angles[1];
		edges[1] = angles[count];
		p.turns[(size_t)r * c.tiles + tile] = all;
	}
}

/* ---- Whole turns --------------------------------------------------------------------------- */

/* The unwrapped phases of a tile, in shared memory at 1 .. count. */
__device__ __forceinline__ void
unwrap_tile(const hht_chunk &c, const hht_phases &p, unsigned r, unsigned tile, unsigned count,
            double *s)
{
	const unsigned i0 = tile * HHT_TILE;
	const double *phase = p.phase + (size_t)r * c.stride + i0;
	const double *edges = p.edges + 2 * ((size_t)r * c.tiles + tile);
	const int *turns = p.turns + (size_t)r * c.tiles;
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS)
		s[skewed(m + 1)] = phase[m];
	const double before = tile > 0 ? edges[1 - 2] : 0.0;
	__syncthreads();
	int run[HHT_EACH], mine = 0;
	const unsigned own = threadIdx.x * HHT_EACH;
	for (unsigned k = 0; k < HHT_EACH; ++k) {
		const unsigned m = own + k;
		if (m < count && i0 + m > 0)
			mine += whole_turn(m ? s[skewed(m)] : before, s[skewed(m + 1)]);
		run[k] = mine;
	}
	int all, base = 0;
	const int ahead = block_sum_before(mine, &all);
	for (unsigned t = 0; t < tile; ++t)
		base += turns[t];
	for (unsigned k = 0; k < HHT_EACH; ++k)
		if (own + k < count && i0 + own + k > 0)
			s[skewed(own + k + 1)] = fma((double)(base + ahead + run[k]), PHASE_TURN,
			                             s[skewed(own + k + 1)]);
	__syncthreads();
}

/* Sums of a^2 and a^2 f of a tile whose thread has added up its own. */
__device__ __forceinline__ void
store_weights(const hht_chunk &c, const hht_phases &p, unsigned r, unsigned tile, double energy,
              double moment)
{
	const size_t at = (size_t)(c.row0 + r) * c.tiles + tile;
	const double v[2] = { energy, moment };
	double *const to[2] = { &p.energy[at], &p.moment[at] };
	block_wide_totals<2>(v, to);
}

/* Unwrapped phases, in place.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_unwrap_kernel(hht_chunk c, hht_phases p)
{
	__shared__ double s[HHT_TILE + 2 + (HHT_TILE + 2) / HHT_EACH];
	const unsigned tile = blockIdx.x, r = blockIdx.y, i0 = tile * HHT_TILE;
	if (!hht_alive(c, r))
		return;
	const unsigned count = c.n - i0 < HHT_TILE ? c.n - i0 : HHT_TILE;
	unwrap_tile(c, p, r, tile, count, s);
	double *phase = p.phase + (size_t)r * c.stride + i0;
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS)
		phase[m] = s[skewed(m + 1)];
}

/* As numpy.unwrap, which adds up the rounding of turns: a warp for each row, in order; plus shift.
 * In place.  Launch: (1, rows), a warp. */
static __global__ void
hht_unwrap_numpy_kernel(hht_chunk c, hht_phases p, double shift)
{
	const unsigned r = blockIdx.y, lane = threadIdx.x;
	if (!hht_alive(c, r))
		return;
	double *phase = p.phase + (size_t)r * c.stride;
	double turns = 0.0, before = 0.0;
	for (unsigned first = 0; first < c.n; first += 32) {
		const unsigned i = first + lane;
		const double angle = i < c.n ? phase[i] : 0.0;
		const double left = __shfl_up_sync(~0u, angle, 1);
		const double step = i > 0 && i < c.n
		                    ? phase_turn_numpy(lane ? left : before, angle) : 0.0;
		double mine = turns;
		for (unsigned todo = __ballot_sync(~0u, step != 0.0); todo; todo &= todo - 1) {
			const int next = __ffs(todo) - 1;
			turns += __shfl_sync(~0u, step, next);
			mine = (int)lane >= next ? turns : mine;
		}
		before = __shfl_sync(~0u, angle, 31);
		if (i < c.n)
			phase[i] = (i ? angle + mine : angle) + shift; /* 0, or a quarter turn */
	}
}

/* ---- All at once --------------------------------------------------------------------------- */

/* What a tile says of its turns, in one word, which is stored at once: those of its own, or with
 * all before it. */
constexpr unsigned long long TURNS_OWN = 1ull << 32, TURNS_ALL = 2ull << 32;

/*
 * Turns before a tile of a row, whose words are `words`; `own` are its own.  By a warp.  Tiles that
 * it waits for began before it did (Merrill & Garland 2016).
 */
__device__ __forceinline__ int
look_back(volatile unsigned long long *words, unsigned tile, int own)
{
	const int lane = (int)threadIdx.x % 32;
	int sum = 0;
	if (lane == 0 && tile > 0)
		words[tile] = TURNS_OWN | (unsigned)own;
	for (int at = (int)tile - 1; at >= 0; at -= 32) {
		unsigned long long word = TURNS_ALL;
		do {
			if (at >= lane)
				word = words[at - lane];
		} while (word < TURNS_OWN);
		const unsigned all = __ballot_sync(~0u, word >= TURNS_ALL);
		const int last = all ? __ffs(all) - 1 : 31;
		int part = lane <= last ? (int)(unsigned)word : 0;
		for (int d = 16; d > 0; d /= 2)
			part += __shfl_xor_sync(~0u, part, d);
		sum += part;
		if (all)
			break;
	}
	if (lane == 0)
		words[tile] = TURNS_ALL | (unsigned)(sum + own);
	return sum;
}

/*
 * Where the phase is not smoothed and three samples make a frequency: amplitudes (with MODULUS),
 * frequencies and their weights, and phases to out (data NULL: nowhere), in one pass.  With BINS,
 * where nothing is excluded, also what hht_bin_kernel gives, but for outliers, of which
 * nobody knows yet.
 * Launch: (tiles, rows); blocks take tiles in the order in which they begin.
 */
template <class T, class S, hht_side SIDE, bool MODULUS, bool BINS>
__global__ void __launch_bounds__(HHT_THREADS, 3)
hht_phase_kernel(hht_chunk c, hht_rows<T> rows, hilbert_view h, hht_phases p, double by,
                 hht_out<double> out, hht_bin_view v, hht_bin_buffers b, hht_seen<S> seen)
{
	__shared__ double s[HHT_TILE + 2 + (HHT_TILE + 2) / HHT_EACH];
	__shared__ double before_last;
	__shared__ unsigned ticket;
	__shared__ int turns_before;
	if (threadIdx.x == 0)
		ticket = atomicAdd(p.ticket, 1u);
	__syncthreads();
	const unsigned r = ticket / c.tiles, tile = ticket % c.tiles, i0 = tile * HHT_TILE;
	const unsigned row = c.row0 + r;
	if (!hht_alive(c, r))
		return;
	const unsigned count = c.n - i0 < HHT_TILE ? c.n - i0 : HHT_TILE;
	const hht_row<T> x = rows(c.row0 + r);
	const double *y = SIDE == SIDE_HILBERT ? hilbert_result(h, r) : NULL;
	double *amplitude = p.amplitude + (size_t)(c.row0 + r) * c.stride + i0;
	/* Places of a thread's first sample and of its neighbours; of the next ones SKEW on. */
	constexpr unsigned SKEW = HHT_THREADS + HHT_THREADS / HHT_EACH;
	const unsigned left = skewed(threadIdx.x), here = skewed(threadIdx.x + 1);
	const unsigned right = skewed(threadIdx.x + 2);
	double a[HHT_EACH];
#pragma unroll
	for (unsigned k0 = 0; k0 < HHT_EACH; k0 += POLARS) {
		hht_sides sides[POLARS];
#pragma unroll
		for (unsigned k = 0; k < POLARS; ++k) {
			const unsigned m = threadIdx.x + (k0 + k) * HHT_THREADS;
			sides[k] = sides_at<T, SIDE>(x, y, c.n, i0 + (m < count ? m : count - 1));
		}
#pragma unroll
		for (unsigned k = 0; k < POLARS; ++k) {
			const unsigned m = threadIdx.x + (k0 + k) * HHT_THREADS;
			const hht_polar polar = polar_of<SIDE>(sides[k]);
			a[k0 + k] = polar.modulus;
			if (m >= count)
				continue;
			s[here + (k0 + k) * SKEW] = polar.angle;
			if (MODULUS)
				amplitude[m] = polar.modulus;
		}
	}
	if (!MODULUS)
		own_of_tile(a, count, 0, [=](unsigned m) { return amplitude[m]; });
	if (threadIdx.x == 0 && tile > 0)
		s[0] = polar_at<T, SIDE>(x, y, c.n, i0 - 1).angle;
	if (threadIdx.x == 32 && tile + 1 < c.tiles)
		s[skewed(count + 1)] = polar_at<T, SIDE>(x, y, c.n, i0 + count).angle;
	/* The last sample may have a tile of its own; its frequency is that of the one before. */
	if (threadIdx.x == 64 && count == 1)
		before_last = polar_at<T, SIDE>(x, y, c.n, i0 - 2).angle;
	__syncthreads();
	int run[HHT_EACH], mine = 0;
	const unsigned own = threadIdx.x * HHT_EACH;
#pragma unroll
	for (unsigned k = 0; k < HHT_EACH; ++k) {
		const unsigned m = own + k;
		if (m < count && i0 + m > 0)
			mine += whole_turn(s[skewed(m)], s[skewed(m + 1)]);
		run[k] = mine;
	}
	const double before = s[0], last = s[skewed(count)];
	const double after = s[skewed(count + 1)];
	int all;
	const int ahead = block_sum_before(mine, &all);
	if (threadIdx.x < 32) {
		const int turns = look_back(p.words + (size_t)r * c.tiles, tile, all);
		if (threadIdx.x == 0)
			turns_before = turns;
	}
	__syncthreads();
	const int base = turns_before;
#pragma unroll
	for (unsigned k = 0; k < HHT_EACH; ++k) {
		double *at = &s[skewed(own + k + 1)];
		if (own + k < count && i0 + own + k > 0)
			*at = fma((double)(base + ahead + run[k]), PHASE_TURN, *at);
	}
	if (threadIdx.x == 0 && tile > 0)
		s[0] = fma((double)base, PHASE_TURN, before);
	if (threadIdx.x == 0 && tile + 1 < c.tiles)
		s[skewed(count + 1)] = fma((double)(base + all + whole_turn(last, after)),
		                           PHASE_TURN, after);
	__syncthreads();
	double *to = out.data ? out(c.row0 + r) + i0 : NULL;
	double *frequency = p.frequency + (size_t)r * c.stride + i0;
	const hht_seen_row<S> at_hand = BINS ? seen(row, i0) : hht_seen_row<S>{};
	int32_t *bin = b.bin + (size_t)row * c.stride + i0;
	double sums[3] = {}, top = 0.0;
	int negative = 0;
#pragma unroll
	for (unsigned k = 0; k < HHT_EACH; ++k) {
		const unsigned m = threadIdx.x + k * HHT_THREADS;
		if (m >= count)
			break;
		double f = s[right + k * SKEW] - s[left + k * SKEW];
		/* At the ends that of the neighbour. */
		if (i0 + m == 0)
			f = s[skewed(3)] - s[skewed(1)];
		else if (i0 + m + 1 == c.n)
			f = m > 0 ? s[skewed(m + 1)] - s[skewed(m - 1)]
			    : s[skewed(1)] - unwrapped(before_last, base -
			                               whole_turn(before_last, before));
		f *= by;
		const double e = a[k] * a[k];
		sums[0] += e;
		sums[1] += e * f;
		frequency[m] = f;
		if (to)
			to[m] = s[here + k * SKEW];
		if (!BINS)
			continue;
		const int32_t in = find_bin(v, f);
		bin[m] = in;
		if (in < 0)
			sums[2] += e;
		negative += f < 0.0;
		top = f > top ? f : top;
		at_hand.store(m, a[k], f);
	}
	const size_t at = (size_t)row * c.tiles + tile;
	double *const totals[3] = { &p.energy[at], &p.moment[at], &b.outside[at] };
	block_wide_totals<3>(sums, totals, BINS ? 3 : 2);
	if (BINS) {
		for (int d = 16; d > 0; d /= 2)
			negative += __shfl_xor_sync(~0u, negative, d);
		if (threadIdx.x % 32 == 0 && negative)
			atomicAdd(&c.sums[row].negative, negative);
		keep_largest((double *)(void *)&p.tops[(size_t)r * c.tiles + tile], top);
	}
}

/* ---- Smoothing ----------------------------------------------------------------------------- */

/* Running medians of p.phase to p.smooth, plus shift.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_median_kernel(hht_chunk c, hht_phases p, int width, bool zeros, double shift)
{
	const unsigned r = blockIdx.y, n = c.n;
	if (!hht_alive(c, r))
		return;
	const double *x = p.phase + (size_t)r * c.stride;
	double *y = p.smooth + (size_t)r * c.stride;
	const unsigned end = (blockIdx.x + 1) * HHT_TILE < n ? (blockIdx.x + 1) * HHT_TILE : n;
	for (unsigned i = blockIdx.x * HHT_TILE + threadIdx.x; i < end; i += HHT_THREADS) {
		unsigned half = (unsigned)width / 2;
		const bool inside = i >= half && i + half < n;
		double m;
		if (inside && width == 3) {
			m = phase_median3(x[i - 1], x[i], x[i + 1]);
		} else if (inside && width == 5) {
			m = phase_median5(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]);
		} else {
			double v[WSI_WIDEST_MEDIAN];
			if (!inside && !zeros) {
				half = i < half ? i : half;
				half = n - 1 - i < half ? n - 1 - i : half;
			}
			for (unsigned k = 0; k < 2 * half + 1; ++k)
				v[k] = i + k < half || i + k - half >= n ? 0.0 : x[i + k - half];
			m = phase_middle(v, (int)(2 * half + 1));
		}
		y[i] = shift != 0.0 ? m + shift : m;
	}
}

/* Slopes of p.phase to p.frequency, and their weights.  width: odd, or less than 3: no slope.
 * Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_slope_kernel(hht_chunk c, hht_phases p, int width, double by)
{
	const unsigned tile = blockIdx.x, r = blockIdx.y, n = c.n, half = (unsigned)width / 2;
	if (!hht_alive(c, r))
		return;
	const double *x = p.phase + (size_t)r * c.stride;
	const double *amplitude = p.amplitude + (size_t)(c.row0 + r) * c.stride;
	double *frequency = p.frequency + (size_t)r * c.stride;
	const unsigned end = (tile + 1) * HHT_TILE < n ? (tile + 1) * HHT_TILE : n;
	double energy = 0.0, moment = 0.0;
	for (unsigned i = tile * HHT_TILE + threadIdx.x; i < end; i += HHT_THREADS) {
		double f = 0.0;
		if (width >= 3) {
			const unsigned at = i < half ? half : i + half >= n ? n - 1 - half : i;
			f = x[at + 1] - x[at - 1];
			for (unsigned k = 2; k <= half; ++k)
				f = fma((double)k, x[at + k] - x[at - k], f);
			f *= by;
		}
		const double a = amplitude[i], e = a * a;
		energy += e;
		moment += e * f;
		frequency[i] = f;
	}
	store_weights(c, p, r, tile, energy, moment);
}

/* Copies phases.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_copy_kernel(hht_chunk c, hht_out<double> from, hht_out<double> to)
{
	const unsigned row = c.row0 + blockIdx.y;
	if (!hht_alive(c, blockIdx.y))
		return;
	const double *x = from(row);
	double *y = to(row);
	const unsigned end = (blockIdx.x + 1) * HHT_TILE < c.n ? (blockIdx.x + 1) * HHT_TILE : c.n;
	for (unsigned i = blockIdx.x * HHT_TILE + threadIdx.x; i < end; i += HHT_THREADS)
		y[i] = x[i];
}

/* Joins the weights of tiles.  Launch: a thread a row of the chunk. */
static __global__ void
hht_weigh_kernel(hht_chunk c, hht_phases p, unsigned rows)
{
	const unsigned r = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (r >= rows || !hht_alive(c, r))
		return;
	const size_t at = (size_t)(c.row0 + r) * c.tiles;
	wsi_hht_sums *s = &c.sums[c.row0 + r];
	s->energy = s->kept = tiles_total(p.energy + at, c.tiles);
	s->moment = tiles_total(p.moment + at, c.tiles);
}

#endif
