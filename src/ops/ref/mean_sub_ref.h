/* mean_sub_ref.h - template: slot mean_sub over one list of all knots, one
 * sample after the other.  Fast twin: cpu/emd/mean_sub_simd.h.  Allocates, since
 * the list may be as long as the signal; without memory y is left as NaN. */

typedef struct FN(knots) {
	int n;
	int32_t *t;
	REAL *v, *s, *h, *d, *row[2][3];
} FN(knots);

static void
FN(knots_free)(FN(knots) *k)
{
	free(k->t);
	free(k->v);
}

static bool
FN(knots_alloc)(FN(knots) *k, size_t capacity)
{
	k->n = 0;
	k->t = malloc(capacity * sizeof *k->t);
	k->v = malloc(capacity * 10 * sizeof *k->v);
	if (!k->t || !k->v)
		return false;
	REAL *p = k->v + capacity;
	k->s = p, k->h = p += capacity, k->d = p += capacity;
	for (int i = 0; i < 6; ++i)
		k->row[i / 3][i % 3] = p += capacity;
	return true;
}

static void
FN(knots_add)(FN(knots) *k, int32_t t, REAL v)
{
	k->t[k->n] = t;
	k->v[k->n++] = v;
}

static void
FN(knots_collect)(const wsi_mean_args *args, int kind, FN(knots) *k)
{
	const REAL *x = args->x;
	size_t end = args->word1 * WSI_WORD;
	end = end < args->n ? end : args->n;
	for (int side = WSI_LEFT; side <= WSI_RIGHT; ++side) {
		const wsi_extras *e = &args->ends->extra[kind][side];
		for (int i = 0; i < e->n; ++i)
			FN(knots_add)(k, e->t[i], (REAL)e->v[i]);
		for (size_t i = args->word0 * WSI_WORD; side == WSI_LEFT && i < end; ++i) {
			if (!(args->marks[kind][i / WSI_WORD] >> (i % WSI_WORD) & 1))
				continue;
			if (args->half && args->half[i / WSI_WORD] >> (i % WSI_WORD) & 1)
				FN(knots_add)(k, (int32_t)i * WSI_TICKS - 1,
				              FN(knot_between)(x[i - 1], x[i]));
			else
				FN(knots_add)(k, (int32_t)i * WSI_TICKS, x[i]);
		}
	}
}

static void
FN(slopes_pcr)(FN(knots) *k, ws_spline spline)
{
	const int n = k->n;
	REAL *const h = k->h, *const d = k->d;
	REAL **in = k->row[0], **out = k->row[1];
	for (int j = 1; j < n - 1; ++j)
		FN(spline_row)(h[j - 1], h[j], d[j - 1], d[j], &in[0][j], &in[1][j], &in[2][j]);
	const bool natural = spline == WS_SPLINE_NATURAL;
	in[0][0] = in[1][n - 1] = (REAL)0;
	in[1][0] = in[0][n - 1] = natural ? NATURAL_COUPLING : (REAL)0;
	in[2][0] = natural ? NATURAL_CHORD * d[0] : (REAL)0;
	in[2][n - 1] = natural ? NATURAL_CHORD * d[n - 2] : (REAL)0;
	REAL end[2] = { 0, 0 };
	if (!natural) {
		end[0] = FN(not_a_knot_rhs)(h[0], h[1], d[0], d[1]);
		end[1] = FN(not_a_knot_rhs)(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
		in[2][1] = FN(not_a_knot_row_rhs)(in[0][1], end[0], in[2][1]);
		in[1][1] = (REAL)2 * in[1][1];
		in[0][1] = (REAL)0;
		in[2][n - 2] = FN(not_a_knot_row_rhs)(in[1][n - 2], end[1], in[2][n - 2]);
		in[0][n - 2] = (REAL)2 * in[0][n - 2];
		in[1][n - 2] = (REAL)0;
	}
	for (int step = 0; step < PCR_STEPS; ++step) {
		const int shift = 1 << step;
		for (int j = 0; j < n; ++j) {
			int l = j - shift, r = j + shift;
			REAL left[3] = { 0, 0, 0 }, right[3] = { 0, 0, 0 };
			for (int f = 0; f < 3; ++f) {
				left[f] = l >= 0 ? in[f][l] : (REAL)0;
				right[f] = r < n ? in[f][r] : (REAL)0;
			}
			FN(pcr_step)(in[0][j], in[1][j], in[2][j], left[0], left[1], left[2],
			             right[0], right[1], right[2], step, &out[0][j], &out[1][j],
			             &out[2][j]);
		}
		REAL **swap = in;
		in = out;
		out = swap;
	}
	memcpy(k->s, in[2], (size_t)n * sizeof(REAL));
	for (int term = 0; term < NEUMANN_TERMS; ++term) {
		for (int j = 0; j < n; ++j)
			out[2][j] = FN(neumann_term)(in[0][j], in[1][j], in[2][j],
			                     j >= PCR_STRIDE ? k->s[j - PCR_STRIDE] : (REAL)0,
			                     j + PCR_STRIDE < n ? k->s[j + PCR_STRIDE] : (REAL)0);
		memcpy(k->s, out[2], (size_t)n * sizeof(REAL));
	}
	if (!natural) {
		k->s[0] = FN(not_a_knot_end)(FN(not_a_knot_coupling)(h[0], h[1]), end[0], k->s[1]);
		k->s[n - 1] = FN(not_a_knot_end)(FN(not_a_knot_coupling)(h[n - 2], h[n - 3]),
		                                 end[1], k->s[n - 2]);
	}
}

static void
FN(slopes)(FN(knots) *k, ws_spline spline)
{
	const int n = k->n;
	REAL *const s = k->s, *const h = k->h, *const d = k->d;
	for (int j = 0; j < n - 1; ++j) {
		h[j] = (REAL)(k->t[j + 1] - k->t[j]);
		d[j] = (k->v[j + 1] - k->v[j]) * ((REAL)1 / h[j]);
	}
	if (n == 1) {
		s[0] = (REAL)0;
	} else if (spline == WS_SPLINE_AKIMA) {
		for (int j = 0; j < n; ++j)
			s[j] = FN(akima_slope)(FN(akima_chord)(d, 0, n - 2, j - 2),
			                       FN(akima_chord)(d, 0, n - 2, j - 1),
			                       FN(akima_chord)(d, 0, n - 2, j),
			                       FN(akima_chord)(d, 0, n - 2, j + 1));
	} else if (n == 2) {
		s[0] = s[1] = d[0];
	} else if (spline == WS_SPLINE_PCHIP) {
		for (int j = 1; j < n - 1; ++j)
			s[j] = FN(pchip_slope)(h[j - 1], h[j], d[j - 1], d[j]);
		s[0] = FN(pchip_end)(h[0], h[1], d[0], d[1]);
		s[n - 1] = FN(pchip_end)(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
	} else if (n == 3 && spline == WS_SPLINE_NOT_A_KNOT) {
		s[1] = FN(parabola_slope)(h[0], h[1], d[0], d[1]);
		s[0] = FN(parabola_end)(d[0], s[1]);
		s[2] = FN(parabola_end)(d[1], s[1]);
	} else {
		FN(slopes_pcr)(k, spline);
	}
}

/* The envelope at a sample; *j is the interval of the sample before. */
static REAL
FN(envelope_at)(const FN(knots) *k, size_t sample, int *j)
{
	const int32_t tick = (int32_t)sample * WSI_TICKS;
	while (*j + 1 < k->n && k->t[*j + 1] <= tick)
		++*j;
	if (*j == k->n - 1)
		return k->v[*j];
	REAL ih = (REAL)1 / k->h[*j];
	return FN(cubic_at)(k->v[*j], k->s[*j], FN(cubic_c2)(k->s[*j], k->s[*j + 1], k->d[*j], ih),
	                    FN(cubic_c3)(k->s[*j], k->s[*j + 1], k->d[*j], ih),
	                    (REAL)(tick - k->t[*j]));
}

static REAL
FN(magnitude)(REAL x)
{
	return x < (REAL)0 ? -x : x;
}

static void
FN(mean_sub)(const wsi_mean_args *args, wsi_mean_counts *counts)
{
	const REAL *x = args->x;
	REAL *y = args->y;
	const size_t blocks = 2 * WSI_WORDS(args->n), first = args->word0 * WSI_WORD;
	size_t end = args->word1 * WSI_WORD;
	end = end < args->n ? end : args->n;
	FN(knots) knots[2];
	bool ok = true;
	for (int kind = 0; kind < 2; ++kind) {
		ok &= FN(knots_alloc)(&knots[kind], args->n + 2 * WSI_BEYOND);
		if (!ok)
			continue;
		FN(knots_collect)(args, kind, &knots[kind]);
		FN(slopes)(&knots[kind], args->spline);
	}
	int j[2] = { 0, 0 };
	REAL m2[32], h2[32], q2[32];
	for (size_t i = first; i < end; ++i) {
		REAL e[2] = { (REAL)NAN, (REAL)NAN };
		for (int kind = 0; ok && kind < 2; ++kind)
			e[kind] = FN(envelope_at)(&knots[kind], i, &j[kind]);
		y[i] = FN(minus_half)(x[i], e[WSI_MAX] + e[WSI_MIN], (REAL)-0.5);
		if (!args->want_above && !args->want_sums)
			continue;
		REAL m = FN(magnitude)((REAL)0.5 * (e[WSI_MAX] + e[WSI_MIN]));
		REAL a = FN(magnitude)((REAL)0.5 * (e[WSI_MAX] - e[WSI_MIN]));
		counts->above_sd += m > (REAL)args->sd * a;
		counts->above_sd2 += m > (REAL)args->sd2 * a;
		const size_t lane = i % 32;
		if (lane == 0)
			for (int l = 0; l < 32; ++l)
				m2[l] = h2[l] = q2[l] = (REAL)0;
		m2[lane] = m * m;
		h2[lane] = x[i] * x[i];
		q2[lane] = h2[lane] > (REAL)0 ? m2[lane] / h2[lane] : (REAL)0;
		if (args->want_sums && (lane == 31 || i == end - 1)) {
			args->block_sums[i / 32] = (double)FN(sum32)(m2);
			args->block_sums[blocks + i / 32] = (double)FN(sum32)(h2);
			args->block_sums[2 * blocks + i / 32] = (double)FN(sum32)(q2);
		}
	}
	/* A last word may hold one block only. */
	for (size_t b = (end + 31) / 32; args->want_sums && b < 2 * args->word1; ++b)
		for (size_t f = 0; f < 3; ++f)
			args->block_sums[f * blocks + b] = 0.0;
	for (int kind = 0; kind < 2; ++kind)
		FN(knots_free)(&knots[kind]);
}
