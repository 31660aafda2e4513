/*
 * knots_simd.h - template: the knots of one envelope over a tile, read off
 * the marks: up to WSI_HALO knots before the tile, its own, up to WSI_HALO
 * after it.
 *
 *     index    first ..    WSI_HALO ..          WSI_HALO + n_own ..    end
 *              before      in the tile          after
 */

/* Own knots that a tile may have, so that its lists stay in the nearest caches. */
#define TILE_KNOTS 1024
#define LIST_CAPACITY (TILE_KNOTS + 4 * WSI_HALO + WSI_WORD)

typedef struct FN(list) {
	int first, end, n_own;
	bool left_end, right_end;     /* no knot exists before first, from end on */
	int n_inside;                 /* extras inside the tile, at these samples */
	int32_t inside[2 * WSI_HALO];
	int32_t t[LIST_CAPACITY];     /* ticks */
	REAL v[LIST_CAPACITY];        /* values */
	REAL s[LIST_CAPACITY];        /* slopes */
	REAL d[LIST_CAPACITY];        /* chord slope of the interval to the right */
	REAL ih[LIST_CAPACITY];       /* 1 / its ticks */
	REAL c2[LIST_CAPACITY], c3[LIST_CAPACITY];
} FN(list);

/* The first sample at or after a tick. */
WSI_FN int64_t
FN(sample_of)(int32_t t)
{
	return ((int64_t)t + 1) >> 1;
}

/* The knot of the extremum marked at a sample. */
typedef struct FN(knot) { int32_t t; REAL v; } FN(knot);

WSI_FN FN(knot)
FN(knot_of)(const wsi_mean_args *args, size_t sample)
{
	const REAL *x = (const REAL *)args->x + sample;
	const bool half = args->half && args->half[sample / WSI_WORD] >> (sample % WSI_WORD) & 1;
	const FN(knot) k = { (int32_t)sample * WSI_TICKS - half,
		             half ? FN(knot_between)(x[-1], x[0]) : x[0] };
	return k;
}

/* A knot to the front (before the tile) or to the back; false when full. */
WSI_FN bool
FN(push_front)(FN(list) *l, int32_t t, REAL v)
{
	if (l->first == 0)
		return false;
	l->first--;
	l->t[l->first] = t;
	l->v[l->first] = v;
	return true;
}

WSI_FN void
FN(push_back)(FN(list) *l, int32_t t, REAL v)
{
	l->t[l->end] = t;
	l->v[l->end] = v;
	l->end++;
}

/* Which of the knots on a side is the first at or after a sample: sought from the
 * inside, where it is nearly always. */
static int
FN(first_from)(const wsi_extras *e, int side, int64_t sample)
{
	int i = side == WSI_LEFT ? e->n : 0;
	while (side == WSI_LEFT && i > 0 && FN(sample_of)(e->t[i - 1]) >= sample)
		--i;
	while (i < e->n && FN(sample_of)(e->t[i]) < sample)
		++i;
	return i;
}

/* Fills the part before sample `begin`; returns whether that is all there is. */
static bool
FN(collect_before)(const wsi_mean_args *args, int kind, int64_t begin, FN(list) *l)
{
	for (int side = WSI_RIGHT; ; side = WSI_LEFT) {
		const wsi_extras *e = &args->ends->extra[kind][side];
		for (int i = FN(first_from)(e, side, begin); i-- > 0;)
			if (!FN(push_front)(l, e->t[i], (REAL)e->v[i]))
				return false;
		if (side == WSI_LEFT)
			return true;
		/* Between the right extras and the left ones lie the extrema. */
		for (size_t w = (size_t)begin / WSI_WORD; w-- > args->word0;) {
			uint64_t m = args->marks[kind][w];
			while (m) {
				int bit = 63 - __builtin_clzll(m);
				const FN(knot) k = FN(knot_of)(args, w * WSI_WORD + (size_t)bit);
				if (!FN(push_front)(l, k.t, k.v))
					return false;
				m &= ~((uint64_t)1 << bit);
			}
		}
	}
}

static void
FN(collect_own_extras)(const wsi_mean_args *args, int kind, int side, int64_t begin, int64_t end,
                       FN(list) *l)
{
	const wsi_extras *e = &args->ends->extra[kind][side];
	for (int i = FN(first_from)(e, side, begin); i < e->n; ++i) {
		int64_t p = FN(sample_of)(e->t[i]);
		if (p >= end)
			break;
		FN(push_back)(l, e->t[i], (REAL)e->v[i]);
		l->inside[l->n_inside++] = (int32_t)p;
	}
}

/* Fills the part from sample `end` on; returns whether that is all there is. */
static bool
FN(collect_after)(const wsi_mean_args *args, int kind, int64_t end, size_t w1, FN(list) *l)
{
	const int full = l->end + WSI_HALO;
	for (int side = WSI_LEFT; ; side = WSI_RIGHT) {
		const wsi_extras *e = &args->ends->extra[kind][side];
		for (int i = FN(first_from)(e, side, end); i < e->n; ++i) {
			if (l->end == full)
				return false;
			FN(push_back)(l, e->t[i], (REAL)e->v[i]);
		}
		if (side == WSI_RIGHT)
			return true;
		for (size_t w = w1; w < args->word1; ++w)
			for (uint64_t m = args->marks[kind][w]; m; m &= m - 1) {
				if (l->end == full)
					return false;
				const size_t s = w * WSI_WORD + (size_t)__builtin_ctzll(m);
				const FN(knot) k = FN(knot_of)(args, s);
				FN(push_back)(l, k.t, k.v);
			}
	}
}

/* The marked samples of a word as knots; t and v have room for LANES more. */
WSI_FN int
FN(pack_word)(const REAL *x, size_t w, uint64_t m, int32_t *t, REAL *v)
{
	const int n = __builtin_popcountll(m);
	const size_t s0 = w * WSI_WORD;
#ifdef WSI_ISA_AVX512
	if (n > WSI_WORD / LANES) {
		FN(ticks) ticks = FN(ticks_at)((int32_t)s0 * WSI_TICKS);
		int k = 0;
		for (int i = 0; i < WSI_WORD; i += LANES, ticks = FN(ticks_next)(ticks)) {
			unsigned lanes = (unsigned)(m >> i) & (unsigned)((1u << LANES) - 1);
			FN(vpack)(lanes, x + s0 + i, ticks, t + k, v + k);
			k += __builtin_popcount(lanes);
		}
		return n;
	}
#endif
	for (int k = 0; m; m &= m - 1, ++k) {
		size_t p = s0 + (size_t)__builtin_ctzll(m);
		t[k] = (int32_t)p * WSI_TICKS;
		v[k] = x[p];
	}
	return n;
}

/* Does any mark of words w0 .. w1 - 1 lie half a sample earlier? */
WSI_FN bool
FN(any_half)(const uint64_t *half, size_t w0, size_t w1)
{
	uint64_t any = 0;
	for (size_t w = w0; half && w < w1; ++w)
		any |= half[w];
	return any != 0;
}

/* Moves those of the tile's knots, which begin at k, that lie half a sample earlier. */
static __attribute__((noinline)) void
FN(move_halves)(const wsi_mean_args *args, int kind, size_t w0, size_t w1, int k, FN(list) *l)
{
	for (size_t w = w0; w < w1; ++w) {
		const uint64_t m = args->marks[kind][w];
		for (uint64_t half = args->half[w] & m; half; half &= half - 1) {
			const int bit = __builtin_ctzll(half);
			const int i = k + __builtin_popcountll(m & (((uint64_t)1 << bit) - 1));
			const REAL *p = (const REAL *)args->x + w * WSI_WORD + bit;
			l->t[i]--;
			l->v[i] = FN(knot_between)(p[-1], p[0]);
		}
		k += __builtin_popcountll(m);
	}
}

/* The knots of `kind` around words w0 .. w1 - 1. */
static __attribute__((noinline)) void
FN(collect)(const wsi_mean_args *args, int kind, size_t w0, size_t w1, FN(list) *l)
{
	const REAL *x = args->x;
	int64_t begin = (int64_t)(w0 * WSI_WORD), end = (int64_t)(w1 * WSI_WORD);
	if (end > (int64_t)args->n)
		end = (int64_t)args->n;
	l->first = l->end = WSI_HALO;
	l->n_inside = 0;
	l->left_end = FN(collect_before)(args, kind, begin, l);
	FN(collect_own_extras)(args, kind, WSI_LEFT, begin, end, l);
	int k = l->end;
	for (size_t w = w0; w < w1; ++w)
		if (args->marks[kind][w])
			k += FN(pack_word)(x, w, args->marks[kind][w], l->t + k, l->v + k);
	if (FN(any_half)(args->half, w0, w1))
		FN(move_halves)(args, kind, w0, w1, l->end, l);
	l->end = k;
	FN(collect_own_extras)(args, kind, WSI_RIGHT, begin, end, l);
	l->n_own = l->end - WSI_HALO;
	l->right_end = FN(collect_after)(args, kind, end, w1, l);
}

/* The end of a tile from word w0 on: at most TILE_KNOTS of either kind. */
static size_t
FN(tile_end)(const wsi_mean_args *args, size_t w0)
{
	int own[2] = { 0, 0 };
	for (size_t w = w0; w < args->word1; ++w)
		for (int k = 0; k < 2; ++k) {
			own[k] += __builtin_popcountll(args->marks[k][w]);
			if (own[k] > TILE_KNOTS && w > w0)
				return w;
		}
	return args->word1;
}
