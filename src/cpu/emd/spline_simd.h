/*
 * spline_simd.h - template: slopes and cubics of a list of knots.
 * Arithmetic: math/spline.h, math/slopes.h, math/cubic.h.
 *
 * Truncated PCR runs in blocks of rows that stay in L1, each with the rows
 * it depends on; loops are plain so that the compiler vectorises them.
 */

#define PCR_BLOCK 512
/* Rows of a block with its reach, and room for neighbours that do not exist. */
#define PCR_ROWS (PCR_BLOCK + 2 * PCR_REACH + 2 * PCR_STRIDE)

typedef struct FN(rows) {
	REAL a[PCR_ROWS], c[PCR_ROWS], r[PCR_ROWS];
} FN(rows);

/* Two sets, read and written in turn. */
typedef struct FN(solver) { FN(rows) rows[2]; } FN(solver);

/* Chords and inverse lengths of the intervals first .. end - 2. */
static void
FN(chords)(FN(list) *restrict l)
{
	for (int j = l->first; j < l->end - 1; ++j) {
		REAL ih = (REAL)1 / (REAL)(l->t[j + 1] - l->t[j]);
		l->ih[j] = ih;
		l->d[j] = (l->v[j + 1] - l->v[j]) * ih;
	}
}

/* Rows lo .. hi of the list, stored from index lo - base. */
static void
FN(build_rows)(const FN(list) *restrict l, ws_spline spline, int lo, int hi, int base,
               FN(rows) *restrict m)
{
	const int32_t *restrict t = l->t;
	int inner_lo = lo > l->first ? lo : l->first + 1;
	int inner_hi = hi < l->end - 1 ? hi : l->end - 2;
	for (int j = inner_lo; j <= inner_hi; ++j)
		FN(spline_row)((REAL)(t[j] - t[j - 1]), (REAL)(t[j + 1] - t[j]), l->d[j - 1],
		               l->d[j], &m->a[j - base], &m->c[j - base], &m->r[j - base]);
	/* Both ends by one rule: `e` is the end knot, `step` leads inwards. */
	for (int side = WSI_LEFT; side <= WSI_RIGHT; ++side) {
		int e = side == WSI_LEFT ? l->first : l->end - 1;
		int step = side == WSI_LEFT ? 1 : -1;
		bool real_end = side == WSI_LEFT ? l->left_end : l->right_end;
		REAL *inward = side == WSI_LEFT ? m->c : m->a;
		REAL *outward = side == WSI_LEFT ? m->a : m->c;
		if (lo <= e && e <= hi) {
			int chord = side == WSI_LEFT ? e : e - 1;
			bool natural = spline == WS_SPLINE_NATURAL && real_end;
			outward[e - base] = (REAL)0;
			inward[e - base] = natural ? NATURAL_COUPLING : (REAL)0;
			m->r[e - base] = natural ? NATURAL_CHORD * l->d[chord] : (REAL)0;
		}
		int k = e + step;
		if (spline == WS_SPLINE_NOT_A_KNOT && real_end && lo <= k && k <= hi) {
			int c0 = side == WSI_LEFT ? e : e - 1, c1 = c0 + step;
			REAL h0 = (REAL)(t[c0 + 1] - t[c0]), h1 = (REAL)(t[c1 + 1] - t[c1]);
			REAL rhs = FN(not_a_knot_rhs)(h0, h1, l->d[c0], l->d[c1]);
			REAL *r = &m->r[k - base];
			*r = FN(not_a_knot_row_rhs)(outward[k - base], rhs, *r);
			inward[k - base] = (REAL)2 * inward[k - base];
			outward[k - base] = (REAL)0;
		}
	}
}

/* One PCR step over `n` rows from index i0; shift = 2^step. */
WSI_FN void
FN(pcr_pass)(const FN(rows) *restrict m, FN(rows) *restrict o, int i0, int n, int step)
{
	const int shift = 1 << step;
	const REAL *restrict a = m->a + i0, *restrict c = m->c + i0, *restrict r = m->r + i0;
	REAL *restrict a1 = o->a + i0, *restrict c1 = o->c + i0, *restrict r1 = o->r + i0;
	for (int i = 0; i < n; ++i)
		FN(pcr_step)(a[i], c[i], r[i], a[i - shift], c[i - shift], r[i - shift],
		             a[i + shift], c[i + shift], r[i + shift], step, &a1[i], &c1[i],
		             &r1[i]);
}

/* One Neumann term over `n` rows from index i0: out from s. */
WSI_FN void
FN(neumann_pass)(const FN(rows) *restrict m, const REAL *restrict s, REAL *restrict out, int i0,
                 int n)
{
	const REAL *restrict a = m->a + i0, *restrict c = m->c + i0, *restrict r = m->r + i0;
	for (int i = 0; i < n; ++i)
		out[i] = FN(neumann_term)(a[i], c[i], r[i], s[i0 + i - PCR_STRIDE],
		                          s[i0 + i + PCR_STRIDE]);
}

/* PCR_STRIDE rows from index i0: neighbours that do not exist. */
WSI_FN void
FN(no_rows)(FN(rows) *m, int i0)
{
	memset(m->a + i0, 0, PCR_STRIDE * sizeof(REAL));
	memset(m->c + i0, 0, PCR_STRIDE * sizeof(REAL));
	memset(m->r + i0, 0, PCR_STRIDE * sizeof(REAL));
}

/* Slopes of knots p .. q, at most PCR_BLOCK of them. */
static __attribute__((noinline)) void
FN(pcr_block)(FN(list) *restrict l, ws_spline spline, int p, int q, FN(solver) *restrict solver)
{
	FN(rows) *m = solver->rows;
	int lo = p - PCR_REACH, hi = q + PCR_REACH;
	lo = lo < l->first ? l->first : lo;
	hi = hi > l->end - 1 ? l->end - 1 : hi;
	const int base = lo - PCR_STRIDE;
	for (int set = 0; set < 2; ++set) {
		FN(no_rows)(&m[set], 0);
		FN(no_rows)(&m[set], hi + 1 - base);
	}
	FN(build_rows)(l, spline, lo, hi, base, &m[0]);
	/* The rows that the later steps still look at. */
	int reach = PCR_REACH;
#define FROM (p - reach < lo ? lo : p - reach)
#define COUNT ((q + reach > hi ? hi : q + reach) - FROM + 1)
#define PASS(step)                                                                          \
	if ((step) < PCR_STEPS) {                                                           \
		reach -= 1 << (step);                                                       \
		FN(pcr_pass)(&m[(step) & 1], &m[~(step) & 1], FROM - base, COUNT, (step));  \
	}
	PASS(0) PASS(1) PASS(2) PASS(3)
	const FN(rows) *done = &m[PCR_STEPS & 1];
	/* The other set is free now: its rows hold the terms in turn. */
	FN(rows) *other = &m[~PCR_STEPS & 1];
	const REAL *s = done->r;
	for (int term = 0; term < NEUMANN_TERMS - 1; ++term) {
		REAL *next = term & 1 ? other->c : other->r;
		reach -= PCR_STRIDE;
		FN(neumann_pass)(done, s, next + (FROM - base), FROM - base, COUNT);
		s = next;
	}
	FN(neumann_pass)(done, s, l->s + p, p - base, q - p + 1);
#undef PASS
#undef FROM
#undef COUNT
}

/* C2 splines: slopes of knots p .. q. */
static void
FN(slopes_c2)(FN(list) *l, ws_spline spline, int p, int q, FN(solver) *m)
{
	const int n = l->end - l->first, f = l->first;
	const bool whole = l->left_end && l->right_end;
	if (whole && n == 1) {
		l->s[f] = (REAL)0;
		return;
	}
	if (whole && n == 2) {
		l->s[f] = l->s[f + 1] = l->d[f];
		return;
	}
	if (whole && n == 3 && spline == WS_SPLINE_NOT_A_KNOT) {
		REAL h0 = (REAL)(l->t[f + 1] - l->t[f]), h1 = (REAL)(l->t[f + 2] - l->t[f + 1]);
		l->s[f + 1] = FN(parabola_slope)(h0, h1, l->d[f], l->d[f + 1]);
		l->s[f] = FN(parabola_end)(l->d[f], l->s[f + 1]);
		l->s[f + 2] = FN(parabola_end)(l->d[f + 1], l->s[f + 1]);
		return;
	}
	/* The end slopes of not-a-knot follow from their neighbours'. */
	bool end0 = spline == WS_SPLINE_NOT_A_KNOT && l->left_end && p == f;
	bool end1 = spline == WS_SPLINE_NOT_A_KNOT && l->right_end && q == l->end - 1;
	int p1 = end0 ? p + 1 : p, q1 = end1 ? q - 1 : q;
	if (end0 && q1 < p1)
		q1 = p1;
	if (end1 && p1 > q1)
		p1 = q1;
	for (int b = p1; b <= q1; b += PCR_BLOCK)
		FN(pcr_block)(l, spline, b, b + PCR_BLOCK - 1 < q1 ? b + PCR_BLOCK - 1 : q1, m);
	for (int side = WSI_LEFT; side <= WSI_RIGHT; ++side) {
		if (side == WSI_LEFT ? !end0 : !end1)
			continue;
		int e = side == WSI_LEFT ? f : l->end - 1, step = side == WSI_LEFT ? 1 : -1;
		int c0 = side == WSI_LEFT ? e : e - 1, c1 = c0 + step;
		REAL h0 = (REAL)(l->t[c0 + 1] - l->t[c0]), h1 = (REAL)(l->t[c1 + 1] - l->t[c1]);
		REAL rhs = FN(not_a_knot_rhs)(h0, h1, l->d[c0], l->d[c1]);
		l->s[e] = FN(not_a_knot_end)(FN(not_a_knot_coupling)(h0, h1), rhs, l->s[e + step]);
	}
}

static void
FN(slopes_pchip)(FN(list) *l, int p, int q)
{
	const int f = l->first, e = l->end - 1;
	for (int j = p; j <= q; ++j) {
#define H(i) ((REAL)(l->t[(i) + 1] - l->t[i]))
		if (j > f && j < e)
			l->s[j] = FN(pchip_slope)(H(j - 1), H(j), l->d[j - 1], l->d[j]);
		else if (e == f)
			l->s[j] = (REAL)0;
		else if (e == f + 1)
			l->s[j] = l->d[f];
		else if (j == f)
			l->s[j] = FN(pchip_end)(H(f), H(f + 1), l->d[f], l->d[f + 1]);
		else
			l->s[j] = FN(pchip_end)(H(e - 1), H(e - 2), l->d[e - 1], l->d[e - 2]);
#undef H
	}
}

WSI_FN REAL
FN(akima_near_end)(const FN(list) *l, int j)
{
	const int first = l->first, last = l->end - 2; /* chords */
	return FN(akima_slope)(FN(akima_chord)(l->d, first, last, j - 2),
	                       FN(akima_chord)(l->d, first, last, j - 1),
	                       FN(akima_chord)(l->d, first, last, j),
	                       FN(akima_chord)(l->d, first, last, j + 1));
}

static void
FN(slopes_akima)(FN(list) *l, int p, int q)
{
	if (l->end - l->first == 1) {
		l->s[l->first] = (REAL)0;
		return;
	}
	int j = p;
	for (; j <= q && j < l->first + 2; ++j)
		l->s[j] = FN(akima_near_end)(l, j);
	/* All chords are there: a loop that is vectorised. */
	const int last = q < l->end - 3 ? q : l->end - 3;
	for (; j <= last; ++j)
		l->s[j] = FN(akima_slope)(l->d[j - 2], l->d[j - 1], l->d[j], l->d[j + 1]);
	for (; j <= q; ++j)
		l->s[j] = FN(akima_near_end)(l, j);
}

/* Slopes and cubics of every interval that reaches into the tile. */
static __attribute__((noinline)) void
FN(spline)(FN(list) *restrict l, ws_spline spline, FN(solver) *m)
{
	int p = WSI_HALO - 1, q = WSI_HALO + l->n_own;
	p = p < l->first ? l->first : p;
	q = q > l->end - 1 ? l->end - 1 : q;
	FN(chords)(l);
	if (spline == WS_SPLINE_PCHIP)
		FN(slopes_pchip)(l, p, q);
	else if (spline == WS_SPLINE_AKIMA)
		FN(slopes_akima)(l, p, q);
	else
		FN(slopes_c2)(l, spline, p, q, m);
	for (int j = p; j < q; ++j) {
		l->c2[j] = FN(cubic_c2)(l->s[j], l->s[j + 1], l->d[j], l->ih[j]);
		l->c3[j] = FN(cubic_c3)(l->s[j], l->s[j + 1], l->d[j], l->ih[j]);
	}
	/* The last knot of all may lie on the last sample: its value stands. */
	if (q == l->end - 1)
		l->s[q] = l->c2[q] = l->c3[q] = (REAL)0;
}
