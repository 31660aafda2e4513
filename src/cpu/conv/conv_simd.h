/*
 * conv_simd.h - template: slots of direct convolution (ops/conv_ops.h).  Twins: ops/ref/conv_ref.h.
 *
 * A register tile holds the sums of R masks at V vectors of outputs.  Each tap takes V loads of
 * samples and R broadcasts for R V multiply-adds.  Vectors of samples begin anywhere, and most of
 * them cross a cache line, which costs a second access; from R = 2 on the multiply-adds are still
 * the limit.  Tiles are as wide as the registers hold sums, and divide half of
 * WSI_CONV_OUTPUTS.
 */

/* Vectors of outputs in a tile, by masks. */
#ifndef CONV_WIDE_1
#if defined(WSI_ISA_AVX512) || defined(__ARM_NEON) /* 32 registers */
#define CONV_WIDE_1 12
#define CONV_WIDE_2 12
#define CONV_WIDE_3 8
#define CONV_WIDE_4 6
#define CONV_WIDE_5 4
#define CONV_WIDE_6 4
#else
#define CONV_WIDE_1 8
#define CONV_WIDE_2 6
#define CONV_WIDE_3 4
#define CONV_WIDE_4 3
#define CONV_WIDE_5 2
#define CONV_WIDE_6 2
#endif
#endif

/* Keeps a vector in a register: compilers would rather load it for each of its uses. */
#ifndef CONV_KEEP
#if defined(WSI_ISA_AVX512) || defined(WSI_ISA_AVX2)
#define CONV_KEEP(v) __asm__("" : "+v"(v))
#elif defined(__ARM_NEON)
#define CONV_KEEP(v) __asm__("" : "+w"(v))
#else
#define CONV_KEEP(v) (void)0
#endif
#endif

/* The next samples are read after the sums of these are made: clang would read all of a tap at
 * once, for which there are not enough registers, and keep sums in memory. */
#if defined(__clang__) && defined(__x86_64__)
#define CONV_IN_ORDER(sum) __asm__ volatile("" : "+v"(sum) : : "memory")
#elif defined(__clang__) && defined(__ARM_NEON)
#define CONV_IN_ORDER(sum) __asm__ volatile("" : "+w"(sum) : : "memory")
#else
#define CONV_IN_ORDER(sum) (void)0
#endif

/* One tap; x: its samples, m: its values. */
#define CONV_TAP(x, m)                                                           \
	do {                                                                     \
		FN(vec) value[WSI_CONV_ROWS];                                    \
		_Pragma("GCC unroll 6")                                          \
		for (int r = 0; r < R; ++r)                                      \
			value[r] = FN(vset1)((m)[r]);                            \
		_Pragma("GCC unroll 12")                                         \
		for (int v = 0; v < V; ++v) {                                    \
			FN(vec) sample = FN(vload)((x) + v * LANES);             \
			CONV_KEEP(sample);                                       \
			_Pragma("GCC unroll 6")                                  \
			for (int r = 0; r < R; ++r) {                            \
				s[r][v] = FN(vec_fma)(sample, value[r], s[r][v]); \
				CONV_IN_ORDER(s[r][v]);                           \
			}                                                        \
		}                                                                \
	} while (0)

/* A tile's sums of R masks, a constant in each call, at outputs from x on. */
WSI_FN void
FN(conv_tile)(const wsi_conv_args *args, const REAL *x, REAL *sums, const int R, const int V)
{
	const REAL *m = args->taps;
	const size_t every = args->every;
	FN(vec) s[WSI_CONV_ROWS][12];
	_Pragma("GCC unroll 6")
	for (int r = 0; r < R; ++r)
		_Pragma("GCC unroll 12")
		for (int v = 0; v < V; ++v)
			s[r][v] = FN(vset1)((REAL)0);
	size_t phase = 0;
	for (int t = 0; t < args->n_taps; ++t, m += R) {
		CONV_TAP(x, m);
		x += every == 1 ? 1 : args->stride;
		if (every > 1 && ++phase == every) {
			x -= every * args->stride - 1;
			phase = 0;
		}
	}
	_Pragma("GCC unroll 6")
	for (int r = 0; r < R; ++r)
		_Pragma("GCC unroll 12")
		for (int v = 0; v < V; ++v)
			FN(vstore)(sums + r * WSI_CONV_OUTPUTS + v * LANES, s[r][v]);
}

/* Not inlined, so that each has all registers. */
#define CONV_TILES(R)                                                                          \
	static __attribute__((noinline)) void                                                  \
	FN(conv_tiles_##R)(const wsi_conv_args *args)                                            \
	{                                                                                      \
		for (size_t j = 0; j < args->outputs; j += CONV_WIDE_##R * LANES)               \
			FN(conv_tile)(args, (const REAL *)args->x + j, (REAL *)args->sums + j,    \
			              (R), CONV_WIDE_##R);                                     \
	}

CONV_TILES(1)
CONV_TILES(2)
CONV_TILES(3)
CONV_TILES(4)
CONV_TILES(5)
CONV_TILES(6)
#undef CONV_TILES
#undef CONV_TAP
#undef CONV_IN_ORDER

static void
FN(conv_section)(const wsi_conv_args *args)
{
	switch (args->rows) {
	case 1: FN(conv_tiles_1)(args); break;
	case 2: FN(conv_tiles_2)(args); break;
	case 3: FN(conv_tiles_3)(args); break;
	case 4: FN(conv_tiles_4)(args); break;
	case 5: FN(conv_tiles_5)(args); break;
	default: FN(conv_tiles_6)(args); break;
	}
}

/* ---- Sums that carry their errors ------------------------------------------------------- */

/* One mask at four vectors of outputs: the seven additions of a tap depend on each other. */
#define CARRIED_WIDE 4

static void
FN(conv_section_carried)(const wsi_conv_args *args)
{
	const size_t every = args->every;
	for (int r = 0; r < args->rows; ++r)
		for (size_t j = 0; j < args->outputs; j += CARRIED_WIDE * LANES) {
			const REAL *x = (const REAL *)args->x + j;
			const REAL *m = (const REAL *)args->taps + r;
			FN(carried) s[CARRIED_WIDE];
			for (int v = 0; v < CARRIED_WIDE; ++v)
				s[v].sum = s[v].rest = FN(vset1)((REAL)0);
			size_t phase = 0;
			for (int t = 0; t < args->n_taps; ++t, m += args->rows) {
				const FN(vec) value = FN(vset1)(*m);
				for (int v = 0; v < CARRIED_WIDE; ++v)
					s[v] = FN(carried_fma)(s[v], FN(vload)(x + v * LANES),
					                           value);
				x += every == 1 ? 1 : args->stride;
				if (every > 1 && ++phase == every) {
					x -= every * args->stride - 1;
					phase = 0;
				}
			}
			REAL *to = (REAL *)args->sums + r * WSI_CONV_OUTPUTS + j;
			for (int v = 0; v < CARRIED_WIDE; ++v) {
				FN(vstore)(to + v * LANES, s[v].sum);
				FN(vstore)(to + args->rows * WSI_CONV_OUTPUTS + v * LANES,
				           s[v].rest);
			}
		}
}
#undef CARRIED_WIDE

static void
FN(conv_add_carried)(void *a, const void *b, size_t n)
{
	REAL *to = a;
	const REAL *from = b;
	for (size_t i = 0; i < n; i += LANES) {
		const FN(carried) sum = FN(carried_add)(
			(FN(carried)){ FN(vload)(from + i), FN(vload)(from + n + i) },
			(FN(carried)){ FN(vload)(to + i), FN(vload)(to + n + i) });
		FN(vstore)(to + i, sum.sum);
		FN(vstore)(to + n + i, sum.rest);
	}
}
