/*
 * gpu.cu - speed of the spline solvers of solver_math.h at block and warp scope.
 *
 * A tile of knots (own + halo) sits in shared memory; rows are built from it,
 * solved, and slopes written to shared memory, `reps` times.  The cost of a
 * solve is the difference between many and one, so that loading and storing
 * the tile, which a fused sift does not do, is not counted.
 * Prints registers, blocks per SM, ps per own knot, and the hash that cpu.c prints.
 */
#include "knots.h"
#include "solver_math.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                        \
	do {                                                               \
		cudaError_t e_ = (call);                                   \
		if (e_ != cudaSuccess) {                                   \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				cudaGetErrorString(e_));                   \
			exit(1);                                           \
		}                                                          \
	} while (0)

enum { SERIES, MIXED, DIVIDE }; /* how 1 / (1 - x) is had */
enum { BLOCK, WARP };           /* who shares a tile, and by what: shared memory, shuffles */

/* K consecutive rows a thread, THREADS threads a tile; column = thread. */
template <int SCOPE_, int K_, int BLOCK_, int FULL_, int LIGHT_, bool FUSED_, int HOW_>
struct pcr_solver {
	static constexpr int SCOPE = SCOPE_, K = K_, TPB = BLOCK_, FULL = FULL_, LIGHT = LIGHT_,
			     HOW = HOW_;
	static constexpr bool FUSED = FUSED_;
	static constexpr int COLUMNS = SCOPE == WARP ? 32 : TPB, TILES = TPB / COLUMNS;
	static constexpr int WHOLE = LIGHT ? FULL : FULL - 1;
	static constexpr int LEFT = (1 << FULL) + 1 + (LIGHT << FULL) * (LIGHT > 0), RIGHT = LEFT;
	static constexpr int OWN = K * COLUMNS - LEFT - RIGHT;
	static constexpr int PADS = 32 / K + 2, WIDTH = COLUMNS + 2 * PADS;
	static constexpr int SCRATCH = SCOPE == WARP ? 0 : 6 * K * WIDTH;

	struct tile {
		const int32_t *t;
		const real *v;
		real *slope, *scratch;
		long base, n;
		int col;
	};

	static __device__ __forceinline__ void
	join()
	{
		if (SCOPE == WARP)
			__syncwarp();
		else
			__syncthreads();
	}

	/* x[i] of this thread for 0 <= i < K, else of the thread that owns it. */
	static __device__ __forceinline__ real
	fetch(const real (&x)[K], const real *s, int i)
	{
		const int q = i >= 0 ? i / K : -((K - 1 - i) / K), r = i - q * K;
		if (q == 0)
			return x[r];
		if (SCOPE == WARP)
			return q < 0 ? __shfl_up_sync(~0u, x[r], -q)
				     : __shfl_down_sync(~0u, x[r], q);
		return s[r * WIDTH + q];
	}

	/* Lets neighbours fetch() the rows of x that stride S needs. */
	static __device__ __forceinline__ void
	share(const real (&x)[K], real *s, int S)
	{
		if (SCOPE == BLOCK)
#pragma unroll
			for (int i = 0; i < K; i++)
				if (i < S || i >= K - S)
					s[i * WIDTH] = x[i];
	}

	static __device__ __forceinline__ int
	terms(int step)
	{
		return HOW == DIVIDE               ? DIVIDE_ANY
		       : HOW == MIXED && step == 0 ? DIVIDE_FIRST
						   : terms_of(step);
	}

	static __device__ __forceinline__ void
	solve(const tile &m)
	{
		constexpr int E = FUSED ? 1 : 0; /* rows built beyond the thread's own */
		real h[K + 1 + 2 * E], d[K + 1 + 2 * E], a[K], c[K], q[K];
		{
			int32_t t[K + 2 + 2 * E];
			real v[K + 2 + 2 * E];
#pragma unroll
			for (int i = 0; i < K + 2 + 2 * E; i++) {
				const int j = i - 1 - E, col = j >= 0 ? j / K : -1, r = j - col * K;
				t[i] = m.t[r * WIDTH + col];
				v[i] = m.v[r * WIDTH + col];
			}
#pragma unroll
			for (int i = 0; i < K + 1 + 2 * E; i++) {
				h[i] = (real)(t[i + 1] - t[i]);
				d[i] = chord(v[i], v[i + 1], h[i]);
			}
		}
		const long j0 = m.base + (long)m.col * K;
		const bool inner = j0 > 2 && j0 + K + 2 < m.n;
		struct raw e[K + 2 * E];
#pragma unroll
		for (int i = 0; i < K + 2 * E; i++)
			e[i] = raw_row(h[i], h[i + 1], d[i], d[i + 1]);
		if (!inner)
#pragma unroll
			for (int i = 0; i < K + 2 * E; i++) {
				long j = j0 + i - E;
				if (j < 0 || j >= m.n)
					e[i] = raw_outside();
				else if (j == 0)
					e[i] = raw_natural_first(d[i + 1]);
				else if (j == m.n - 1)
					e[i] = raw_natural_last(d[i]);
			}
#pragma unroll
		for (int i = 0; i < K; i++) {
			struct row o =
				FUSED ? pcr_first(e[i], e[i + E], e[i + 2 * E]) : normalise(e[i]);
			a[i] = o.a;
			c[i] = o.c;
			q[i] = o.d;
		}
		real *s = m.scratch;
		constexpr int PLANE = K * WIDTH;
		int buffer = 0;
#pragma unroll
		for (int step = FUSED ? 1 : 0; step < WHOLE; step++) {
			const int S = 1 << step;
			real *sa = s + buffer * 3 * PLANE, *sc = sa + PLANE, *sq = sc + PLANE;
			share(a, sa, S);
			share(c, sc, S);
			share(q, sq, S);
			join();
			real na[K], nc[K], nq[K];
#pragma unroll
			for (int i = 0; i < K; i++) {
				struct row l = {fetch(a, sa, i - S), fetch(c, sc, i - S),
						fetch(q, sq, i - S)};
				struct row r = {fetch(a, sa, i + S), fetch(c, sc, i + S),
						fetch(q, sq, i + S)};
				struct row o = {a[i], c[i], q[i]};
				o = pcr(l, o, r, terms(step));
				na[i] = o.a;
				nc[i] = o.c;
				nq[i] = o.d;
			}
#pragma unroll
			for (int i = 0; i < K; i++) {
				a[i] = na[i];
				c[i] = nc[i];
				q[i] = nq[i];
			}
			buffer ^= 1;
		}
		real x[K];
		if (LIGHT == 0) {
			const int S = 1 << WHOLE, n = terms(WHOLE);
			real *sa = s + buffer * 3 * PLANE, *sc = sa + PLANE, *sq = sc + PLANE;
			if (n != 0) {
				share(a, sa, S);
				share(c, sc, S);
			}
			share(q, sq, S);
			join();
#pragma unroll
			for (int i = 0; i < K; i++) {
				struct row l = {0, n ? fetch(c, sc, i - S) : 0,
						fetch(q, sq, i - S)};
				struct row r = {n ? fetch(a, sa, i + S) : 0, 0,
						fetch(q, sq, i + S)};
				struct row o = {a[i], c[i], q[i]};
				x[i] = pcr_last(l, o, r, n);
			}
		} else {
#pragma unroll
			for (int i = 0; i < K; i++)
				x[i] = q[i];
#pragma unroll
			for (int k = 0; k < LIGHT; k++) {
				const int S = 1 << FULL;
				real *sx = s + buffer * 3 * PLANE, y[K];
				share(x, sx, S);
				join();
#pragma unroll
				for (int i = 0; i < K; i++) {
					struct row o = {a[i], c[i], q[i]};
					y[i] = neumann(o, fetch(x, sx, i - S), fetch(x, sx, i + S));
				}
#pragma unroll
				for (int i = 0; i < K; i++)
					x[i] = y[i];
				buffer ^= 1;
			}
		}
#pragma unroll
		for (int i = 0; i < K; i++)
			m.slope[i * WIDTH] = x[i];
	}
};

/* A chunk of K knots a thread, chunks counted from the list's first knot. */
template <int K_, int BLOCK_, int STEPS> struct chunk_solver {
	static constexpr int K = K_, TPB = BLOCK_, COLUMNS = TPB, TILES = 1, SCOPE = BLOCK;
	static constexpr int LEFT = K << STEPS, RIGHT = LEFT, OWN = K * COLUMNS - LEFT - RIGHT;
	static constexpr int PADS = 1 << STEPS, WIDTH = COLUMNS + 2 * PADS, SCRATCH = 6 * WIDTH;

	struct tile {
		const int32_t *t;
		const real *v;
		real *slope, *scratch;
		long base, n;
		int col;
	};

	static __device__ __forceinline__ void
	join()
	{
		__syncthreads();
	}

	static __device__ __forceinline__ void
	solve(const tile &m)
	{
		struct row e[K];
		const long j0 = m.base + (long)m.col * K;
		const bool inner = j0 > 0 && j0 + K < m.n;
		int32_t t = m.t[0];
		real v = m.v[0];
		real hl = (real)(t - m.t[(K - 1) * WIDTH - 1]);
		real dl = chord(m.v[(K - 1) * WIDTH - 1], v, hl);
		struct row last = {1, 0, 0};
#pragma unroll
		for (int i = 0; i < K; i++) {
			const int at = i + 1 < K ? (i + 1) * WIDTH : 1;
			int32_t tn = m.t[at];
			real vn = m.v[at], h = (real)(tn - t), d = chord(v, vn, h);
			struct raw w = raw_row(hl, h, dl, d);
			if (!inner) {
				long j = j0 + i;
				if (j < 0 || j >= m.n)
					w = raw_outside();
				else if (j == 0)
					w = raw_natural_first(d);
				else if (j == m.n - 1)
					w = raw_natural_last(dl);
			}
			e[i] = normalise(w);
			if (i > 0)
				e[i] = chunk_forward(last, e[i]);
			last = e[i];
			t = tn;
			v = vn;
			hl = h;
			dl = d;
		}
		struct row f = {0, 1, 0};
#pragma unroll
		for (int i = K - 2; i >= 0; i--)
			f = chunk_backward(e[i], f);
		real *s = m.scratch;
		s[3 * WIDTH] = f.a;
		s[4 * WIDTH] = f.c;
		s[5 * WIDTH] = f.d;
		join();
		struct row next = {s[3 * WIDTH + 1], s[4 * WIDTH + 1], s[5 * WIDTH + 1]};
		struct row o = chunk_join(e[K - 1], next);
#pragma unroll
		for (int step = 0; step < STEPS; step++) {
			const int S = 1 << step;
			real *w = s + (step & 1) * 3 * WIDTH;
			w[0] = o.a;
			w[WIDTH] = o.c;
			w[2 * WIDTH] = o.d;
			join();
			struct row l = {w[-S], w[WIDTH - S], w[2 * WIDTH - S]};
			struct row r = {w[S], w[WIDTH + S], w[2 * WIDTH + S]};
			o = pcr(l, o, r, chunk_terms(K, step));
		}
		real *w = s + (STEPS & 1) * 3 * WIDTH;
		w[0] = o.d;
		join();
		real before = w[-1], x = o.d;
		m.slope[(K - 1) * WIDTH] = x;
#pragma unroll
		for (int i = K - 2; i >= 0; i--) {
			x = neumann(e[i], before, x);
			m.slope[i * WIDTH] = x;
		}
	}
};

template <class P>
__global__ void
__launch_bounds__(P::TPB) kernel(const int32_t *t, const real *v, real *slope, long n, int reps)
{
	extern __shared__ double room[];
	constexpr int PLANE = P::K * P::WIDTH, TILE = 2 * PLANE + P::SCRATCH;
	const int which = threadIdx.x / P::COLUMNS, col = threadIdx.x % P::COLUMNS;
	real *sv = (real *)room + which * TILE, *ss = sv + PLANE, *scratch = ss + PLANE;
	int32_t *st = (int32_t *)((real *)room + P::TILES * TILE) + which * PLANE;
	const long base = ((long)blockIdx.x * P::TILES + which) * P::OWN - P::LEFT;

	for (int i = col; i < P::SCRATCH; i += P::COLUMNS)
		scratch[i] = 0;
	/* Two rows beyond the tile let its edge rows, all halo, be built too. */
	for (int i = col - 2; i < P::K * P::COLUMNS + 2; i += P::COLUMNS) {
		long j = min(max(base + i, 0L), n - 1);
		int q = i >= 0 ? i / P::K : -((P::K - 1 - i) / P::K),
		    at = (i - q * P::K) * P::WIDTH + q + P::PADS;
		st[at] = t[j];
		sv[at] = v[j];
	}
	const int mine = P::PADS + col;
	typename P::tile m = {st + mine, sv + mine, ss + mine, scratch + mine, base, n, col};
	for (int r = 0; r < reps; r++) {
		P::join();
		P::solve(m);
	}
	P::join();
	for (int i = P::LEFT + col; i < P::LEFT + P::OWN; i += P::COLUMNS)
		if (base + i < n)
			slope[base + i] = ss[i % P::K * P::WIDTH + i / P::K + P::PADS];
}

struct problem {
	struct knots l;
	int32_t *t;
	real *v, *s;
};

static problem
upload(struct knots l)
{
	problem p = {l, nullptr, nullptr, nullptr};
	CHECK(cudaMalloc(&p.t, l.n * sizeof *p.t));
	CHECK(cudaMalloc(&p.v, l.n * sizeof *p.v));
	CHECK(cudaMalloc(&p.s, l.n * sizeof *p.s));
	CHECK(cudaMemcpy(p.t, l.t, l.n * sizeof *p.t, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(p.v, l.v, l.n * sizeof *p.v, cudaMemcpyHostToDevice));
	return p;
}

template <class P>
static void
launch(const problem &p, int reps)
{
	constexpr int PLANE = P::K * P::WIDTH;
	const size_t bytes =
		P::TILES * ((2 * PLANE + P::SCRATCH) * sizeof(real) + PLANE * sizeof(int32_t));
	CHECK(cudaFuncSetAttribute(kernel<P>, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   (int)bytes));
	const long own = (long)P::OWN * P::TILES;
	kernel<P><<<(unsigned)((p.l.n + own - 1) / own), P::TPB, bytes>>>(p.t, p.v, p.s, p.l.n,
									  reps);
	CHECK(cudaGetLastError());
}

template <class P>
static float
timed(const problem &p, int reps)
{
	cudaEvent_t a, b;
	CHECK(cudaEventCreate(&a));
	CHECK(cudaEventCreate(&b));
	std::vector<float> ms;
	for (int r = 0; r < 9; r++) {
		CHECK(cudaEventRecord(a));
		launch<P>(p, reps);
		CHECK(cudaEventRecord(b));
		CHECK(cudaEventSynchronize(b));
		float x;
		CHECK(cudaEventElapsedTime(&x, a, b));
		ms.push_back(x);
	}
	std::sort(ms.begin(), ms.end());
	return ms[4];
}

template <class P>
static void
race(const char *name, const problem &big, const std::vector<problem> &small)
{
	uint64_t h = hash_start;
	for (const problem &p : small) {
		std::vector<real> s(p.l.n);
		CHECK(cudaMemset(p.s, 0xff, p.l.n * sizeof(real)));
		launch<P>(p, 1);
		CHECK(cudaMemcpy(s.data(), p.s, p.l.n * sizeof(real), cudaMemcpyDeviceToHost));
		h = hash(h, s.data(), p.l.n);
	}
	float once = timed<P>(big, 1), many = timed<P>(big, 9);
	cudaFuncAttributes f;
	CHECK(cudaFuncGetAttributes(&f, kernel<P>));
	constexpr int PLANE = P::K * P::WIDTH;
	const size_t bytes =
		P::TILES * ((2 * PLANE + P::SCRATCH) * sizeof(real) + PLANE * sizeof(int32_t));
	int blocks;
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel<P>, P::TPB, bytes));
	printf("%-22s %4d %4d %5d %6zu %5d  %7.2f %7.2f %7.2f  %016llx\n", name, f.numRegs,
	       (int)f.localSizeBytes, P::OWN, bytes, blocks * P::TPB, once * 1e9 / big.l.n,
	       (many - once) / 8 * 1e9 / big.l.n,
	       (many - once) / 8 * 1e9 / big.l.n * P::OWN / (P::K * P::COLUMNS),
	       (unsigned long long)h);
}

/* Counts where recip() differs from the library's correctly rounded one: every
 * f32 significand, or as many random f64 ones, at exponents 0 and 31. */
__global__ void
check_recip(unsigned long long *wrong)
{
	const uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
	for (int e = 0; e < 32; e += 31) {
#if PRECISION == 32
		float x = ldexpf(__uint_as_float(0x3f800000u | (uint32_t)i), e);
		if (recip(x) != __frcp_rn(x))
			atomicAdd(wrong, 1);
#else
		uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
		z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9u;
		double x =
			ldexp(__longlong_as_double(0x3ff0000000000000 | (long long)(z >> 12)), e);
		if (recip(x) != __drcp_rn(x))
			atomicAdd(wrong, 1);
#endif
	}
}

int
main()
{
	unsigned long long *wrong, bad = 1;
	CHECK(cudaMalloc(&wrong, sizeof bad));
	CHECK(cudaMemset(wrong, 0, sizeof bad));
	check_recip<<<PRECISION == 32 ? 1 << 15 : 1 << 21, 256>>>(wrong);
	CHECK(cudaMemcpy(&bad, wrong, sizeof bad, cudaMemcpyDeviceToHost));
	printf("# reciprocals that differ from the library's: %llu\n", bad);
	cudaDeviceProp d;
	CHECK(cudaGetDeviceProperties(&d, 0));
	std::vector<problem> small;
	for (int s = 0; s < SPACINGS; s++)
		small.push_back(upload(knots_make(s, 4000)));
	small.push_back(upload(knots_make(NOISE, 1 << 16)));
	problem big = upload(knots_make(NOISE, 1 << 24));
	printf("# %s, f%d; own: knots of a tile beside its halo; first: one solve with the tile's "
	       "traffic;\n"
	       "# solve: ps per own knot; row: ps per row, halo counted\n"
	       "%-22s %4s %4s %5s %6s %5s  %7s %7s %7s  hash\n",
	       d.name, PRECISION, "", "regs", "spil", "own", "shared", "thr", "first", "solve",
	       "row");
#define RACE(name, ...) race<__VA_ARGS__>(name, big, small)
#if PRECISION == 32
	RACE("pcr4_mixed block 4", pcr_solver<BLOCK, 4, 128, 4, 0, false, MIXED>);
	RACE("pcr5_divide block 4", pcr_solver<BLOCK, 4, 128, 5, 0, false, DIVIDE>);
	RACE("pcr5_mixed block 1", pcr_solver<BLOCK, 1, 512, 5, 0, false, MIXED>);
	RACE("pcr5_mixed block 4", pcr_solver<BLOCK, 4, 128, 5, 0, false, MIXED>);
	RACE("pcr5_mixed warp 8", pcr_solver<WARP, 8, 128, 5, 0, false, MIXED>);
	RACE("pcr5_mixed warp 12", pcr_solver<WARP, 12, 128, 5, 0, false, MIXED>);
	RACE("pcr5_series warp 8", pcr_solver<WARP, 8, 128, 5, 0, false, SERIES>);
	RACE("pcr5_fused warp 8", pcr_solver<WARP, 8, 128, 5, 0, true, SERIES>);
	RACE("pcr3_tail2 block 1", pcr_solver<BLOCK, 1, 512, 3, 2, false, MIXED>);
	RACE("pcr3_tail2 block 4", pcr_solver<BLOCK, 4, 128, 3, 2, false, MIXED>);
	RACE("pcr3_tail2 block 8", pcr_solver<BLOCK, 8, 64, 3, 2, false, MIXED>);
	RACE("pcr3_tail2 warp 8", pcr_solver<WARP, 8, 128, 3, 2, false, MIXED>);
	RACE("pcr3_tail2 warp 12", pcr_solver<WARP, 12, 128, 3, 2, false, MIXED>);
	RACE("pcr3_tail2 warp 16", pcr_solver<WARP, 16, 64, 3, 2, false, MIXED>);
	RACE("pcr3_tail3 warp 8", pcr_solver<WARP, 8, 128, 3, 3, false, MIXED>);
	RACE("pcr3_tail3 warp 12", pcr_solver<WARP, 12, 128, 3, 3, false, MIXED>);
	RACE("chunk4", chunk_solver<4, 128, 3>);
	RACE("chunk8", chunk_solver<8, 64, 2>);
	RACE("chunk8 (1024 rows)", chunk_solver<8, 128, 2>);
	RACE("chunk16", chunk_solver<16, 64, 1>);
#else
	RACE("pcr5_mixed block 4", pcr_solver<BLOCK, 4, 128, 5, 0, false, MIXED>);
	RACE("pcr6_divide block 4", pcr_solver<BLOCK, 4, 128, 6, 0, false, DIVIDE>);
	RACE("pcr6_mixed block 1", pcr_solver<BLOCK, 1, 512, 6, 0, false, MIXED>);
	RACE("pcr6_mixed block 4", pcr_solver<BLOCK, 4, 128, 6, 0, false, MIXED>);
	RACE("pcr6_mixed warp 8", pcr_solver<WARP, 8, 64, 6, 0, false, MIXED>);
	RACE("pcr6_mixed warp 12", pcr_solver<WARP, 12, 64, 6, 0, false, MIXED>);
	RACE("pcr6_series warp 8", pcr_solver<WARP, 8, 64, 6, 0, false, SERIES>);
	RACE("pcr6_fused warp 8", pcr_solver<WARP, 8, 64, 6, 0, true, SERIES>);
	RACE("pcr4_tail2 block 1", pcr_solver<BLOCK, 1, 512, 4, 2, false, MIXED>);
	RACE("pcr4_tail2 block 4", pcr_solver<BLOCK, 4, 128, 4, 2, false, MIXED>);
	RACE("pcr4_tail2 block 8", pcr_solver<BLOCK, 8, 64, 4, 2, false, MIXED>);
	RACE("pcr4_tail2 warp 8", pcr_solver<WARP, 8, 64, 4, 2, false, MIXED>);
	RACE("pcr4_tail2 warp 12", pcr_solver<WARP, 12, 64, 4, 2, false, MIXED>);
	RACE("pcr3_tail6 warp 8", pcr_solver<WARP, 8, 64, 3, 6, false, MIXED>);
	RACE("pcr3_tail6 warp 12", pcr_solver<WARP, 12, 64, 3, 6, false, MIXED>);
	RACE("chunk4", chunk_solver<4, 128, 4>);
	RACE("chunk8", chunk_solver<8, 64, 3>);
	RACE("chunk8 (1024 rows)", chunk_solver<8, 128, 3>);
	RACE("chunk16", chunk_solver<16, 64, 2>);
#endif
	return 0;
}
