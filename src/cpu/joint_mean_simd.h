/*
 * joint_mean_simd.h - template: slot joint_mean.  Twin: ops/ref/joint_ref.h.
 *
 * Tile by tile, direction by direction.  What depends on knot times only is
 * worked out once a window: rows of the system one by one, their elimination
 * as a vector of windows (it is a chain of divisions).  The rest is vectors of
 * channels: slopes, cubics, and both envelopes added to a tile that stays near.
 */

enum { FN(batch) = LANES / 2 }; /* directions eliminated together, both kinds */

/* What one envelope of one direction looks like from a tile. */
typedef struct FN(window) {
	int n;                  /* knots */
	int own0, own1;         /* first and last interval of the tile's samples */
	bool last;              /* the window's last knot is the list's last */
	bool end[2];            /* [side] has an end slope of its own */
	FN(joint_end) slope[2];
	size_t row[WSI_JOINT_WINDOW];        /* of h, where the knot's values are */
	REAL length[WSI_JOINT_WINDOW], inverse[WSI_JOINT_WINDOW]; /* of intervals */
	int32_t interval[WSI_JOINT_TILE];    /* of each sample */
	REAL since[WSI_JOINT_TILE];          /* samples since its left knot */
} FN(window);

/* Rows of LANES windows, a, c, f, g; after elimination L, Q, A, B (math/joint.h). */
typedef struct FN(rows_of_windows) {
	REAL a[WSI_JOINT_WINDOW][LANES], c[WSI_JOINT_WINDOW][LANES];
	REAL f[WSI_JOINT_WINDOW][LANES], g[WSI_JOINT_WINDOW][LANES];
} FN(rows_of_windows);

/* The cubics of one vector of channels. */
typedef struct FN(cubics) {
	REAL v[WSI_JOINT_WINDOW][LANES], s[WSI_JOINT_WINDOW][LANES];
	REAL c2[WSI_JOINT_WINDOW][LANES], c3[WSI_JOINT_WINDOW][LANES];
} FN(cubics);

#define RECIPROCALS 512

typedef struct FN(joint_scratch_part) {
	FN(window) window[FN(batch)][2];
	FN(rows_of_windows) rows;
	FN(cubics) cubics[2];
	REAL reciprocal[RECIPROCALS];    /* of small whole numbers */
	REAL amplitude[4][WSI_JOINT_TILE], m2[WSI_JOINT_TILE], h2[WSI_JOINT_TILE];
	/* then [WSI_JOINT_TILE][lanes] five times: four sums, squares */
} FN(joint_scratch_part);

static size_t
FN(joint_scratch)(size_t channels)
{
	const size_t tile = WSI_JOINT_TILE * wsi_lanes(channels, sizeof(REAL)) * sizeof(REAL);
	return (sizeof(FN(joint_scratch_part)) + 63) / 64 * 64 + 5 * tile;
}

/* A tile at work. */
typedef struct FN(joint_tile) {
	const wsi_joint_mean_job *job;
	FN(joint_scratch_part) *part;
	size_t tile, first, count, lanes;
	REAL *sum[4], *squares; /* [sample][lane] */
	REAL *amplitude[4];     /* [sample] */
} FN(joint_tile);

/* ---- Windows: what depends on times ------------------------------------------ */

WSI_FN REAL
FN(inverse_of)(const FN(joint_scratch_part) *part, int32_t length)
{
	return length < RECIPROCALS ? part->reciprocal[length] : (REAL)1 / (REAL)length;
}

/* Intervals of the tile's samples; returns the last knot at or before any. */
static int
FN(find_intervals)(const FN(joint_tile) *t, const wsi_knots *k, FN(window) *w, int first)
{
	int32_t base = first;
	for (size_t i = 0; i < WSI_JOINT_TILE; i += 8) {
		uint64_t bits = k->bits[(t->first + i) / WSI_WORD] >> (i % WSI_WORD) & 255;
		if (i == 0)
			bits &= ~(uint64_t)1; /* counted already */
		for (int b = 0; b < 8; ++b)
			w->interval[i + (size_t)b] = base + rank_table[bits][b];
		base += rank_table[bits][7];
	}
	return base;
}

/* Rows of a window into column `column`. */
static void
FN(fill_rows)(const FN(joint_tile) *tile, const wsi_knots *k, FN(window) *w, int lo, int column)
{
	const FN(joint_scratch_part) *part = tile->part;
	FN(rows_of_windows) *rows = &tile->part->rows;
	const int32_t *t = k->t + lo;
	const int n = w->n, last = n - 1;
	const bool left = lo == 0, right = w->last;
	const bool natural = tile->job->spline == WS_SPLINE_NATURAL;
	for (int j = 0; j < last; ++j) {
		w->length[j] = (REAL)(t[j + 1] - t[j]);
		w->inverse[j] = FN(inverse_of)(part, t[j + 1] - t[j]);
	}
#define ROW(j, A, C, F, G) \
	(rows->a[j][column] = (A), rows->c[j][column] = (C), rows->f[j][column] = (F), \
	 rows->g[j][column] = (G))
	for (int j = 1; j < last; ++j) {
		const FN(joint_row) r = FN(joint_inner)(w->length[j - 1], w->length[j], w->inverse[j - 1],
		                                        w->inverse[j],
		                                        FN(inverse_of)(part, t[j + 1] - t[j - 1]));
		ROW(j, r.a, r.c, r.f, r.g);
	}
	/* Where the window is cut, or there are but two knots, the chord is the slope. */
	const REAL zero = (REAL)0;
	w->end[WSI_LEFT] = w->end[WSI_RIGHT] = false;
	ROW(0, zero, zero, zero, n > 1 ? w->inverse[0] : zero);
	if (n > 1)
		ROW(last, zero, zero, w->inverse[last - 1], zero);
	if (n < 3)
		return;
	if (natural) {
		if (left)
			ROW(0, zero, (REAL)-0.5, zero, (REAL)1.5 * w->inverse[0]);
		if (right)
			ROW(last, (REAL)-0.5, zero, (REAL)1.5 * w->inverse[last - 1], zero);
		return;
	}
	if (left && right && n == 3) {
		const FN(joint_row) r = FN(joint_parabola)(w->length[0], w->length[1], w->inverse[0],
		                                           w->inverse[1], FN(inverse_of)(part, t[2] - t[0]));
		ROW(1, r.a, r.c, r.f, r.g);
		for (int side = 0; side < 2; ++side) {
			w->end[side] = true;
			w->slope[side] = FN(joint_parabola_end)(w->inverse[side]);
		}
		return;
	}
	if (left) {
		w->end[WSI_LEFT] = true;
		w->slope[WSI_LEFT] = FN(joint_not_a_knot)(
			w->length[0], w->length[1], w->inverse[0], w->inverse[1],
			FN(inverse_of)(part, t[2] - t[0]), &rows->a[1][column], &rows->c[1][column],
			&rows->f[1][column], &rows->g[1][column]);
	}
	if (right) {
		w->end[WSI_RIGHT] = true;
		w->slope[WSI_RIGHT] = FN(joint_not_a_knot)(
			w->length[last - 1], w->length[last - 2], w->inverse[last - 1], w->inverse[last - 2],
			FN(inverse_of)(part, t[last] - t[last - 2]), &rows->c[last - 1][column],
			&rows->a[last - 1][column], &rows->g[last - 1][column], &rows->f[last - 1][column]);
	}
#undef ROW
}

static void
FN(open_window)(const FN(joint_tile) *t, const wsi_knots *k, FN(window) *w, int column)
{
	const int before = k->before[t->tile], first = before > 0 ? before - 1 : 0;
	const int last = FN(find_intervals)(t, k, w, first);
	const int lo = first > JOINT_REACH ? first - JOINT_REACH : 0;
	const int hi = k->n - 1 - (last + 1) > JOINT_REACH ? last + 1 + JOINT_REACH : k->n - 1;
	w->n = hi - lo + 1;
	w->own0 = first - lo;
	w->own1 = last - lo;
	w->last = hi == k->n - 1;
	for (int i = lo; i <= hi; ++i)
		w->row[i - lo] = i < k->n_left ? k->row_left + (size_t)i
		                 : i >= k->n - k->n_right
		                         ? k->row_right + (size_t)(i - (k->n - k->n_right))
		                         : (size_t)k->t[i];
	const int32_t now = (int32_t)t->first;
	for (int i = 0; i < WSI_JOINT_TILE; ++i) {
		w->since[i] = (REAL)(now + i - k->t[w->interval[i]]);
		w->interval[i] -= lo;
	}
	FN(fill_rows)(t, k, w, lo, column);
}

/* The chain of divisions, for all columns at once. */
static void
FN(eliminate)(FN(rows_of_windows) *r, int n)
{
	const FN(vec) one = FN(vset1)((REAL)1);
	FN(vec) q = FN(vset1)((REAL)0);
	for (int j = 0; j < n; ++j) {
		const FN(vec) a = FN(vload)(r->a[j]);
		const FN(vec) k = one / FN(vec_fma)(-a, q, one);
		FN(vstore)(r->f[j], FN(vload)(r->f[j]) * k);
		FN(vstore)(r->g[j], FN(vload)(r->g[j]) * k);
		FN(vstore)(r->a[j], a * k);
		q = FN(vload)(r->c[j]) * k;
		FN(vstore)(r->c[j], q);
	}
}

/* Both windows of the directions given, and their elimination. */
static void
FN(open_windows)(const FN(joint_tile) *t, const size_t *directions, int n)
{
	FN(rows_of_windows) *r = &t->part->rows;
	int longest = 0, column = 0;
	for (int i = 0; i < n; ++i)
		for (int kind = 0; kind < 2; ++kind, ++column) {
			FN(window) *w = &t->part->window[i][kind];
			FN(open_window)(t, &t->job->knots[directions[i]][kind], w, column);
			longest = w->n > longest ? w->n : longest;
		}
	/* Columns are of different lengths, and some not in use. */
	for (column = 0; column < LANES; ++column) {
		const int used = column < 2 * n ? t->part->window[column / 2][column % 2].n : 0;
		for (int j = used; j < longest; ++j)
			r->a[j][column] = r->c[j][column] = r->f[j][column] = r->g[j][column] = (REAL)0;
	}
	FN(eliminate)(r, longest);
}

/* ---- Envelopes: a vector of channels ------------------------------------------- */

/* Values, slopes and cubics of the window at lanes lane .. */
static void
FN(solve)(const FN(joint_tile) *t, const FN(window) *w, int column, size_t lane, FN(cubics) *o)
{
	const FN(rows_of_windows) *r = &t->part->rows;
	const REAL *h = (const REAL *)t->job->h + lane;
	const int last = w->n - 1;
	const FN(vec) zero = FN(vset1)((REAL)0);
	FN(vec) v = FN(vload)(h + w->row[0] * t->lanes), d0 = zero, p = zero;
	FN(vstore)(o->v[0], v);
	for (int j = 0; j <= last; ++j) {
		FN(vec) d1 = zero;
		if (j < last) {
			const FN(vec) next = FN(vload)(h + w->row[j + 1] * t->lanes);
			d1 = next - v;
			v = next;
			FN(vstore)(o->v[j + 1], v);
		}
		p = FN(joint_forward)(FN(vset1)(r->f[j][column]), FN(vset1)(r->g[j][column]),
		                      FN(vset1)(r->a[j][column]), d0, d1, p);
		FN(vstore)(o->s[j], p);
		d0 = d1;
	}
	FN(vec) s = zero;
	for (int j = last; j >= w->own0; --j) {
		s = FN(joint_backward)(FN(vset1)(r->c[j][column]), FN(vload)(o->s[j]), s);
		FN(vstore)(o->s[j], s);
	}
	for (int side = 0; side < 2; ++side) {
		if (!w->end[side])
			continue;
		const int e = side == WSI_LEFT ? 0 : last, step = side == WSI_LEFT ? 1 : -1;
		const int low0 = side == WSI_LEFT ? 0 : last - 1, low1 = low0 + step;
		const FN(vec) outer = FN(vload)(o->v[low0 + 1]) - FN(vload)(o->v[low0]);
		const FN(vec) inner = FN(vload)(o->v[low1 + 1]) - FN(vload)(o->v[low1]);
		FN(vstore)(o->s[e], FN(joint_end_slope)(FN(vset1)(w->slope[side].f), FN(vset1)(w->slope[side].g),
		                                        FN(vset1)(w->slope[side].q), outer, inner,
		                                        FN(vload)(o->s[e + step])));
	}
	for (int j = w->own0; j <= w->own1; ++j) {
		FN(vec) c2 = zero, c3 = zero;
		/* The last knot of all may lie on the last sample: its value stands. */
		if (j < last)
			FN(joint_cubic)(FN(vload)(o->v[j + 1]) - FN(vload)(o->v[j]), FN(vset1)(w->inverse[j]),
			                FN(vset1)(w->inverse[j] * w->inverse[j]), FN(vload)(o->s[j]),
			                FN(vload)(o->s[j + 1]), &c2, &c3);
		FN(vstore)(o->c2[j], c2);
		FN(vstore)(o->c3[j], c3);
	}
}

WSI_FN FN(vec)
FN(envelope_at)(const FN(cubics) *o, const FN(window) *w, size_t i)
{
	const int j = w->interval[i];
	return FN(cubic_at)(FN(vload)(o->v[j]), FN(vload)(o->s[j]), FN(vload)(o->c2[j]),
	                    FN(vload)(o->c3[j]), FN(vset1)(w->since[i]));
}

/* Adds both envelopes of a direction to the sums of its tile. */
static void
FN(add_envelopes)(const FN(joint_tile) *t, int slot)
{
	const FN(window) *w = t->part->window[slot];
	const FN(cubics) *o = t->part->cubics;
	const bool above = t->job->want_above;
	for (size_t lane = 0; lane < t->lanes; lane += LANES) {
		for (int kind = 0; kind < 2; ++kind)
			FN(solve)(t, &w[kind], 2 * slot + kind, lane, &t->part->cubics[kind]);
		REAL *sum = t->sum[3] + lane, *squares = t->squares + lane;
		for (size_t i = 0; i < t->count; ++i, sum += t->lanes, squares += t->lanes) {
			const FN(vec) upper = FN(envelope_at)(&o[WSI_MAX], &w[WSI_MAX], i);
			const FN(vec) lower = FN(envelope_at)(&o[WSI_MIN], &w[WSI_MIN], i);
			FN(vstore)(sum, FN(vload)(sum) + upper + lower);
			if (above)
				FN(vstore)(squares, upper - lower);
		}
	}
	for (size_t i = 0; above && i < t->count; ++i)
		t->amplitude[3][i] += FN(square_root)(
			FN(square_sum)(t->squares + i * t->lanes, t->job->channels));
}

/* ---- Tiles ------------------------------------------------------------------------ */

/* Sum g of the directions, into the last of the four. */
static void
FN(sum_directions)(FN(joint_tile) *t, size_t g)
{
	size_t batch[FN(batch)];
	int n = 0;
	memset(t->sum[3], 0, t->count * t->lanes * sizeof(REAL));
	memset(t->amplitude[3], 0, t->count * sizeof(REAL));
	for (size_t d = g; d < t->job->directions; d += WSI_JOINT_SUMS) {
		if (t->job->active[d])
			batch[n++] = d;
		if (n == 0 || (n < FN(batch) && d + WSI_JOINT_SUMS < t->job->directions))
			continue;
		FN(open_windows)(t, batch, n);
		for (int i = 0; i < n; ++i)
			FN(add_envelopes)(t, i);
		n = 0;
	}
}

/* Binary tree over the eight sums; the total is in the last of the four. */
static void
FN(sum_tile)(FN(joint_tile) *t)
{
	for (size_t g = 0; g < WSI_JOINT_SUMS; ++g) {
		FN(sum_directions)(t, g);
		int level = 0;
		for (; g >> level & 1; ++level) {
			for (size_t i = 0; i < t->count * t->lanes; ++i)
				t->sum[3][i] = t->sum[level][i] + t->sum[3][i];
			for (size_t i = 0; i < t->count; ++i)
				t->amplitude[3][i] = t->amplitude[level][i] + t->amplitude[3][i];
		}
		if (g + 1 == WSI_JOINT_SUMS)
			break;
		REAL *sum = t->sum[level], *amplitude = t->amplitude[level];
		t->sum[level] = t->sum[3], t->amplitude[level] = t->amplitude[3];
		t->sum[3] = sum, t->amplitude[3] = amplitude;
	}
}

static void
FN(joint_mean)(const wsi_joint_mean_job *job, wsi_mean_counts *counts)
{
	FN(joint_scratch_part) *part = job->scratch;
	const size_t lanes = wsi_lanes(job->channels, sizeof(REAL));
	FN(joint_tile) t = { .job = job, .part = part, .lanes = lanes };
	REAL *arrays = (REAL *)((char *)job->scratch + (sizeof *part + 63) / 64 * 64);
	for (size_t i = 0; i < 4; ++i) {
		t.sum[i] = arrays + i * WSI_JOINT_TILE * lanes;
		t.amplitude[i] = part->amplitude[i];
	}
	t.squares = arrays + 4 * WSI_JOINT_TILE * lanes;
	for (int i = 1; i < RECIPROCALS; ++i)
		part->reciprocal[i] = (REAL)1 / (REAL)i;
	/* Half of the sum is the mean of two envelopes. */
	const REAL share = (REAL)(0.5 / job->n_active);
	const bool measured = job->want_above || job->want_sums;
	for (t.tile = job->tile0; t.tile < job->tile1; ++t.tile) {
		t.first = t.tile * WSI_JOINT_TILE;
		t.count = job->n - t.first < WSI_JOINT_TILE ? job->n - t.first : WSI_JOINT_TILE;
		FN(sum_tile)(&t);
		const REAL *h = (const REAL *)job->h + t.first * lanes;
		REAL *y = (REAL *)job->y + t.first * lanes, *sum = t.sum[3];
		for (size_t i = 0; i < t.count * lanes; ++i)
			y[i] = FMA(-share, sum[i], h[i]);
		if (!measured)
			continue;
		for (size_t i = 0; i < t.count * lanes; ++i)
			sum[i] *= share;
		for (size_t i = 0; i < t.count; ++i) {
			part->m2[i] = FN(square_sum)(sum + i * lanes, job->channels);
			part->h2[i] = job->want_sums ? FN(square_sum)(h + i * lanes, job->channels) : (REAL)0;
			t.amplitude[3][i] *= share;
		}
		FN(joint_statistics)(job, t.tile, part->m2, part->h2, t.amplitude[3], counts);
	}
}

#undef RECIPROCALS
#undef GROUP_VECS
