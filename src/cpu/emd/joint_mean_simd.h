/*
 * joint_mean_simd.h - template: slot joint_mean.  Twin: ops/ref/joint_ref.h.
 *
 * Tile by tile, direction by direction.  What depends on knot times only is
 * worked out once a window; elimination is a chain of divisions, so that several
 * windows go at once.  The rest is vectors of channels: slopes and cubics, which
 * are added up as they are, a block or a part at a time, in sums that stay near.
 */

#ifndef WSI_JOINT_BATCH
#define WSI_JOINT_BATCH 4       /* directions whose windows are eliminated together */
#define WSI_JOINT_RECIPROCALS 512
#endif

/* What one envelope of one direction looks like from a tile. */
typedef struct FN(window) {
	int n;                  /* knots */
	const int32_t *t;       /* their times in ticks */
	bool halves;            /* any of them lies between two samples */
	int own0, own1;         /* first and last interval of the tile's samples */
	bool last;              /* the window's last knot is the list's last */
	bool end[2];            /* [side] has an end slope of its own */
	FN(joint_end) slope[2];
	FN(joint_row) rows[WSI_JOINT_WINDOW]; /* after elimination L, Q, A, B (math/joint.h) */
	const REAL *at[WSI_JOINT_WINDOW];     /* [lane] the knot's values */
	REAL length[WSI_JOINT_WINDOW], inverse[WSI_JOINT_WINDOW]; /* of intervals */
	REAL inverse2[WSI_JOINT_WINDOW];      /* of both beside a knot together */
	int32_t interval[WSI_JOINT_TILE];     /* of each sample */
	REAL since[WSI_JOINT_TILE];           /* samples since its left knot: of each part's
	                                         first, or where above is wanted of all */
} FN(window);

/* A knot and the cubic of the interval that follows, of a vector of channels. */
typedef struct FN(joint_knot) { REAL v[LANES], s[LANES], c2[LANES], c3[LANES]; } FN(joint_knot);

typedef struct FN(joint_part) {
	FN(window) window[WSI_JOINT_BATCH][2];
	FN(joint_knot) knots[WSI_JOINT_WINDOW];
	REAL reciprocal[WSI_JOINT_RECIPROCALS];    /* of small whole numbers */
	REAL amplitude[4][WSI_JOINT_TILE], m2[WSI_JOINT_TILE], h2[WSI_JOINT_TILE];
	/* then, in rows of lanes, four sums and the tile's samples once more */
} FN(joint_part);

/* Layout of a sum, in rows: four coefficients for each block of samples, four for each part, and
 * two for each part: what is added to its third and its fourth sample. */
enum { FN(joint_part_row) = 4 * WSI_JOINT_BLOCKS,
       FN(joint_more_row) = FN(joint_part_row) + 4 * WSI_JOINT_PARTS,
       FN(joint_sum_rows) = FN(joint_more_row) + 2 * WSI_JOINT_PARTS,
       FN(joint_nowhere) = FN(joint_sum_rows) /* a row that is written, never read */ };

static size_t
FN(joint_scratch)(size_t channels)
{
	const size_t row = wsi_lanes(channels, sizeof(REAL)) * sizeof(REAL);
	return (sizeof(FN(joint_part)) + 63) / 64 * 64 +
	       (4 * (FN(joint_sum_rows) + 1) + WSI_JOINT_TILE) * row;
}

/* A tile at work. */
typedef struct FN(joint_tile) {
	const wsi_joint_mean_args *args;
	FN(joint_part) *part;
	size_t tile, first, count, lanes;
	REAL *sum[4];           /* [row][lane] */
	REAL *between;          /* [sample][lane] upper minus lower envelope */
	REAL *amplitude[4];     /* [sample] */
} FN(joint_tile);

/* ---- Windows: what depends on times ------------------------------------------ */

/* A time between knots in samples; exact. */
WSI_FN REAL
FN(samples_of)(int32_t ticks)
{
	return (REAL)ticks * (REAL)(1.0 / WSI_TICKS);
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

/* One over each interval up to knot `last`, and over both beside a knot together: in loops of one
 * kind of step each, which can be vectors. */
static void
FN(invert_intervals)(const FN(joint_part) *part, const int32_t *restrict t, int last, FN(window) *w)
{
	int32_t longest = 0;
	for (int j = 0; j < last; ++j)
		longest = t[j + 1] - t[j] > longest ? t[j + 1] - t[j] : longest;
	if (!w->halves && 2 * (longest / WSI_TICKS) < WSI_JOINT_RECIPROCALS) {
		const REAL *restrict reciprocal = part->reciprocal;
		for (int j = 0; j < last; ++j)
			w->inverse[j] = reciprocal[(uint32_t)(t[j + 1] - t[j]) / WSI_TICKS];
		for (int j = 1; j < last; ++j)
			w->inverse2[j] = reciprocal[(uint32_t)(t[j + 1] - t[j - 1]) / WSI_TICKS];
	} else {
		for (int j = 0; j < last; ++j)
			w->inverse[j] = (REAL)1 / FN(samples_of)(t[j + 1] - t[j]);
		for (int j = 1; j < last; ++j)
			w->inverse2[j] = (REAL)1 / FN(samples_of)(t[j + 1] - t[j - 1]);
	}
}

/* The system of a window, row by row. */
static void
FN(fill_rows)(const FN(joint_tile) *tile, const wsi_knots *k, FN(window) *w, int lo)
{
	const FN(joint_part) *part = tile->part;
	const int32_t *restrict t = k->t + lo;
	const int last = w->n - 1;
	const bool left = lo == 0, right = w->last;
	const REAL zero = (REAL)0;
	FN(joint_row) *restrict rows = w->rows;
	FN(invert_intervals)(part, t, last, w);
	for (int j = 0; j < last; ++j)
		w->length[j] = FN(samples_of)(t[j + 1] - t[j]);
	for (int j = 1; j < last; ++j)
		rows[j] = FN(joint_inner)(w->length[j - 1], w->length[j], w->inverse[j - 1],
		                          w->inverse[j], w->inverse2[j]);
	/* Where the window is cut, or there are but two knots, the chord is the slope. */
	w->end[WSI_LEFT] = w->end[WSI_RIGHT] = false;
	rows[0] = (FN(joint_row)){ zero, zero, zero, last > 0 ? w->inverse[0] : zero };
	if (last > 0)
		rows[last] = (FN(joint_row)){ zero, zero, w->inverse[last - 1], zero };
	if (last < 2)
		return;
	if (tile->args->spline == WS_SPLINE_NATURAL) {
		if (left)
			rows[0] = (FN(joint_row)){ zero, (REAL)-0.5, zero,
			                           (REAL)1.5 * w->inverse[0] };
		if (right)
			rows[last] = (FN(joint_row)){ (REAL)-0.5, zero,
			                              (REAL)1.5 * w->inverse[last - 1], zero };
	} else if (left && right && last == 2) {
		rows[1] = FN(joint_parabola)(w->length[0], w->length[1], w->inverse[0],
		                             w->inverse[1], w->inverse2[1]);
		for (int side = 0; side < 2; ++side) {
			w->end[side] = true;
			w->slope[side] = FN(joint_parabola_end)(w->inverse[side]);
		}
	} else {
		w->end[WSI_LEFT] = left;
		w->end[WSI_RIGHT] = right;
		FN(joint_row) *r = &rows[1];
		if (left)
			w->slope[WSI_LEFT] = FN(joint_not_a_knot)(
				w->length[0], w->length[1], w->inverse[0], w->inverse[1],
				w->inverse2[1], &r->a, &r->c, &r->f, &r->g);
		r = &rows[last - 1];
		if (right)
			w->slope[WSI_RIGHT] = FN(joint_not_a_knot)(
				w->length[last - 1], w->length[last - 2], w->inverse[last - 1],
				w->inverse[last - 2], w->inverse2[last - 1], &r->c, &r->a, &r->g,
				&r->f);
	}
}

/* Where the values of a window's knots are: of knots of the list from lo to hi. */
static void
FN(find_values)(const FN(joint_tile) *t, const wsi_knots *k, FN(window) *w, int lo, int hi)
{
	const REAL *h = t->args->h, *middle = t->args->middle;
	const int right = k->n - k->n_right;
	const int inner = k->n_left > lo ? k->n_left : lo, end = right <= hi ? right : hi + 1;
	const int32_t *restrict times = k->t;
	int32_t odd = 0;
	for (int i = lo; i < k->n_left; ++i)
		w->at[i - lo] = h + (k->row_left + (size_t)i) * t->lanes;
	for (int i = inner; i < end; ++i)
		w->at[i - lo] = h + (size_t)((uint32_t)times[i] / WSI_TICKS) * t->lanes;
	for (int i = right > lo ? right : lo; i <= hi; ++i)
		w->at[i - lo] = h + (k->row_right + (size_t)(i - right)) * t->lanes;
	for (int i = lo; i <= hi; ++i)
		odd |= times[i];
	w->halves = odd % WSI_TICKS;
	for (int i = inner; w->halves && i < end; ++i)
		if (times[i] % WSI_TICKS)
			w->at[i - lo] = middle + (size_t)((times[i] + 1) / WSI_TICKS) * t->lanes;
}

static void
FN(open_window)(const FN(joint_tile) *t, const wsi_knots *k, FN(window) *w)
{
	const int before = k->before[t->tile], first = before > 0 ? before - 1 : 0;
	const int last = FN(find_intervals)(t, k, w, first);
	const int lo = first > JOINT_REACH ? first - JOINT_REACH : 0;
	const int hi = k->n - 1 - (last + 1) > JOINT_REACH ? last + 1 + JOINT_REACH : k->n - 1;
	w->n = hi - lo + 1;
	w->t = k->t + lo;
	w->own0 = first - lo;
	w->own1 = last - lo;
	w->last = hi == k->n - 1;
	FN(find_values)(t, k, w, lo, hi);
	const int32_t now = (int32_t)t->first, *restrict times = k->t;
	int32_t *restrict interval = w->interval;
	REAL *restrict since = w->since;
	for (int i = 0; i < WSI_JOINT_TILE; i += t->args->want_above ? 1 : WSI_JOINT_PART)
		since[i] = FN(samples_of)(WSI_TICKS * (now + i) - times[interval[i]]);
	for (int i = 0; i < WSI_JOINT_TILE; ++i)
		interval[i] -= lo;
	FN(fill_rows)(t, k, w, lo);
}

/* Both windows of a batch of directions: n of them, the others idle along. */
static void
FN(open_windows)(const FN(joint_tile) *t, const size_t *directions, int n)
{
	FN(window) *w = t->part->window[0];
	int longest = 0;
	for (int i = 0; i < 2 * n; ++i) {
		FN(open_window)(t, &t->args->knots[directions[i / 2]][i % 2], &w[i]);
		longest = w[i].n > longest ? w[i].n : longest;
	}
	for (int i = 0; i < 2 * WSI_JOINT_BATCH; ++i)
		for (int j = i < 2 * n ? w[i].n : 0; j < longest; ++j)
			w[i].rows[j] = (FN(joint_row)){ (REAL)0, (REAL)0, (REAL)0, (REAL)0 };
	REAL q[2 * WSI_JOINT_BATCH] = { 0 };
	for (int j = 0; j < longest; ++j)
		for (int i = 0; i < 2 * WSI_JOINT_BATCH; ++i) {
			FN(joint_row) *r = &w[i].rows[j];
			const REAL k = FN(joint_pivot)(r->a, q[i]);
			q[i] = r->c * k;
			*r = (FN(joint_row)){ r->a * k, q[i], r->f * k, r->g * k };
		}
}

/* ---- Envelopes: a vector of channels ------------------------------------------- */

WSI_FN FN(vec)
FN(rise)(const FN(joint_knot) *k)
{
	return FN(vload)(k[1].v) - FN(vload)(k[0].v);
}

/* Values, slopes and cubics of a window at the lanes from `lane` on. */
static void
FN(solve)(const FN(window) *w, size_t lane, FN(joint_knot) *knots)
{
	const int last = w->n - 1;
	const FN(vec) zero = FN(vset1)((REAL)0);
	FN(vec) v = FN(vload)(w->at[0] + lane), d0 = zero, p = zero;
	for (int j = 0; j <= last; ++j) {
		const FN(joint_row) *r = &w->rows[j];
		const FN(vec) next = FN(vload)(w->at[j < last ? j + 1 : last] + lane);
		const FN(vec) d1 = next - v;
		p = FN(joint_forward)(FN(vset1)(r->f), FN(vset1)(r->g), FN(vset1)(r->a), d0, d1, p);
		FN(vstore)(knots[j].v, v);
		FN(vstore)(knots[j].s, p);
		v = next;
		d0 = d1;
	}
	FN(vec) s = zero;
	for (int j = last; j >= w->own0; --j) {
		s = FN(joint_backward)(FN(vset1)(w->rows[j].c), FN(vload)(knots[j].s), s);
		FN(vstore)(knots[j].s, s);
	}
	for (int side = 0; side < 2; ++side) {
		if (!w->end[side])
			continue;
		const FN(joint_end) *e = &w->slope[side];
		const int end = side == WSI_LEFT ? 0 : last, step = side == WSI_LEFT ? 1 : -1;
		const int outer = side == WSI_LEFT ? 0 : last - 1; /* intervals */
		FN(vstore)(knots[end].s,
		           FN(joint_end_slope)(FN(vset1)(e->f), FN(vset1)(e->g), FN(vset1)(e->q),
		                               FN(rise)(&knots[outer]),
		                               FN(rise)(&knots[outer + step]),
		                               FN(vload)(knots[end + step].s)));
	}
	for (int j = w->own0; j <= w->own1; ++j) {
		FN(vec) c2 = zero, c3 = zero;
		/* The last knot of all may lie on the last sample: its value stands. */
		if (j < last)
			FN(joint_cubic)(FN(rise)(&knots[j]), FN(vset1)(w->inverse[j]),
			                FN(vset1)(w->inverse[j] * w->inverse[j]),
			                FN(vload)(knots[j].s), FN(vload)(knots[j + 1].s), &c2, &c3);
		FN(vstore)(knots[j].c2, c2);
		FN(vstore)(knots[j].c3, c3);
	}
}

WSI_FN FN(vec)
FN(envelope_at)(const FN(joint_tile) *t, const FN(window) *w, size_t i)
{
	const FN(joint_knot) *k = &t->part->knots[w->interval[i]];
	return FN(cubic_at)(FN(vload)(k->v), FN(vload)(k->s), FN(vload)(k->c2), FN(vload)(k->c3),
	                    FN(vset1)(w->since[i]));
}

WSI_FN void
FN(vadd_to)(REAL *sum, FN(vec) x)
{
	FN(vstore)(sum, FN(vload)(sum) + x);
}

/* Adds the cubic from sample i on to that of four rows. */
static void
FN(add_cubic)(const FN(joint_tile) *t, const FN(window) *w, size_t i, size_t row_of_sum,
              size_t lane)
{
	const FN(joint_knot) *k = &t->part->knots[w->interval[i]];
	const FN(vec) c3 = FN(vload)(k->c3);
	FN(vec) c0 = FN(vload)(k->v), c1 = FN(vload)(k->s), c2 = FN(vload)(k->c2);
	FN(joint_recentre)(&c0, &c1, &c2, c3, FN(vset1)(w->since[i]));
	REAL *row = t->sum[3] + row_of_sum * t->lanes + lane;
	FN(vadd_to)(row, c0);
	FN(vadd_to)(row + t->lanes, c1);
	FN(vadd_to)(row + 2 * t->lanes, c2);
	FN(vadd_to)(row + 3 * t->lanes, c3);
}

/* Adds what changes at a knot of the tile to the later samples of its part.  It has no branches,
 * since they could not be predicted: what belongs to no sample is added to the row
 * joint_nowhere. */
static void
FN(add_jump)(const FN(joint_tile) *t, const FN(window) *w, int j, size_t lane)
{
	const FN(joint_knot) *k = &t->part->knots[j];
	const size_t sample = (size_t)w->t[j] / WSI_TICKS - t->first, at = sample % WSI_JOINT_PART;
	const size_t more = FN(joint_more_row) + sample / WSI_JOINT_PART * 2;
	const size_t first[WSI_JOINT_PART] = { FN(joint_nowhere), more, more + 1,
	                                       FN(joint_nowhere) };
	FN(vec) one, two;
	FN(joint_jump)(FN(vload)(k[-1].c2), FN(vload)(k[-1].c3), FN(vset1)(w->length[j - 1]),
	               FN(vload)(k->c2), FN(vload)(k->c3), &one, &two);
	FN(vadd_to)(t->sum[3] + first[at] * t->lanes + lane, one);
	FN(vadd_to)(t->sum[3] + (at == 1 ? more + 1 : FN(joint_nowhere)) * t->lanes + lane, two);
}

/* The same for a knot that lies half a sample before a sample of the tile. */
static void
FN(add_half_jump)(const FN(joint_tile) *t, const FN(window) *w, int j, size_t lane)
{
	const FN(joint_knot) *k = &t->part->knots[j];
	const size_t sample = (size_t)(w->t[j] + 1) / WSI_TICKS - t->first;
	const size_t at = sample % WSI_JOINT_PART;
	REAL *part = t->sum[3] + (FN(joint_part_row) + sample - at) * t->lanes + lane;
	REAL *more = t->sum[3] + (FN(joint_more_row) + sample / WSI_JOINT_PART * 2) * t->lanes +
	             lane;
	const FN(vec) half = FN(vset1)((REAL)0.5);
	FN(vec) j2, j3, a[4];
	FN(joint_bend)(FN(vload)(k[-1].c2), FN(vload)(k[-1].c3), FN(vset1)(w->length[j - 1]),
	               FN(vload)(k->c2), FN(vload)(k->c3), &j2, &j3);
	if (at == 1) {
		FN(joint_part_jump)(j2, j3, -half, FN(vset1)((REAL)(11.0 / 6.0)),
		                    FN(vset1)((REAL)(1.0 / 6.0)), &a[1], &a[2], &a[3]);
		for (size_t i = 1; i < 4; ++i)
			FN(vadd_to)(part + i * t->lanes, a[i]);
	} else if (at == 2) {
		FN(vadd_to)(more, FN(joint_jump_at)(j2, j3, half));
		FN(vadd_to)(more + t->lanes, FN(joint_jump_at)(j2, j3, FN(vset1)((REAL)1.5)));
	} else if (at == 3) {
		FN(vadd_to)(more + t->lanes, FN(joint_jump_at)(j2, j3, half));
	}
}

/* Adds an envelope, LANES channels of it, to the sums of the tile. */
static void
FN(add_envelope)(const FN(joint_tile) *t, const FN(window) *w, size_t lane)
{
	for (size_t block = 0; block < t->count; block += WSI_JOINT_BLOCK) {
		if (w->interval[block] == w->interval[block + WSI_JOINT_BLOCK - 1]) {
			FN(add_cubic)(t, w, block, 4 * (block / WSI_JOINT_BLOCK), lane);
			continue;
		}
		for (size_t i = block; i < block + WSI_JOINT_BLOCK; i += WSI_JOINT_PART)
			FN(add_cubic)(t, w, i, FN(joint_part_row) + i, lane);
	}
	for (int j = w->own0 + 1; !w->halves && j <= w->own1; ++j)
		FN(add_jump)(t, w, j, lane);
	for (int j = w->own0 + 1; w->halves && j <= w->own1; ++j)
		if (w->t[j] % WSI_TICKS)
			FN(add_half_jump)(t, w, j, lane);
		else
			FN(add_jump)(t, w, j, lane);
}

/* Notes the envelope itself, or how far it is from the other. */
static void
FN(compare_envelope)(const FN(joint_tile) *t, const FN(window) *w, int kind, size_t lane)
{
	REAL *between = t->between + lane;
	for (size_t i = 0; i < t->count; ++i, between += t->lanes) {
		const FN(vec) e = FN(envelope_at)(t, w, i);
		if (kind == WSI_MAX)
			FN(vstore)(between, e);
		else
			FN(vstore)(between, FN(vload)(between) - e);
	}
}

/* Both envelopes of a direction, the upper first. */
static void
FN(add_envelopes)(const FN(joint_tile) *t, const FN(window) *w)
{
	for (size_t lane = 0; lane < t->lanes; lane += LANES)
		for (int kind = 0; kind < 2; ++kind) {
			FN(solve)(&w[kind], lane, t->part->knots);
			FN(add_envelope)(t, &w[kind], lane);
			if (t->args->want_above)
				FN(compare_envelope)(t, &w[kind], kind, lane);
		}
	for (size_t i = 0; t->args->want_above && i < t->count; ++i)
		t->amplitude[3][i] += FN(square_root)(
			FN(square_sum)(t->between + i * t->lanes, t->args->channels));
}

/* ---- Tiles ------------------------------------------------------------------------ */

/* Sum g of the directions, into the last of the four. */
static void
FN(sum_directions)(FN(joint_tile) *t, size_t g)
{
	size_t batch[WSI_JOINT_BATCH];
	int n = 0;
	memset(t->sum[3], 0, FN(joint_sum_rows) * t->lanes * sizeof(REAL));
	memset(t->amplitude[3], 0, t->count * sizeof(REAL));
	for (size_t d = g; d < t->args->directions; d += WSI_JOINT_SUMS) {
		if (t->args->active[d])
			batch[n++] = d;
		if (n == 0 || (n < WSI_JOINT_BATCH && d + WSI_JOINT_SUMS < t->args->directions))
			continue;
		FN(open_windows)(t, batch, n);
		for (int i = 0; i < n; ++i)
			FN(add_envelopes)(t, t->part->window[i]);
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
			for (size_t i = 0; i < FN(joint_sum_rows) * t->lanes; ++i)
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

/* The cubic of four rows. */
WSI_FN FN(vec)
FN(rows_at)(const REAL *row, size_t lanes, size_t u)
{
	return FN(cubic_at)(FN(vload)(row), FN(vload)(row + lanes), FN(vload)(row + 2 * lanes),
	                    FN(vload)(row + 3 * lanes), FN(vset1)((REAL)u));
}

/* The sums of samples, where `between` was. */
static REAL *
FN(sum_samples)(const FN(joint_tile) *t)
{
	const size_t lanes = t->lanes;
	for (size_t i = 0; i < t->count; ++i) {
		const size_t at = i % WSI_JOINT_PART, first = i - at;
		const REAL *block = t->sum[3] + 4 * (i / WSI_JOINT_BLOCK) * lanes;
		const REAL *part = t->sum[3] + (FN(joint_part_row) + first) * lanes;
		const REAL *more = t->sum[3] + (FN(joint_more_row) + first / 2 + at - 2) * lanes;
		for (size_t lane = 0; lane < lanes; lane += LANES) {
			FN(vec) x = FN(rows_at)(part + lane, lanes, at);
			if (at >= 2)
				x = x + FN(vload)(more + lane);
			FN(vstore)(t->between + i * lanes + lane,
			           x + FN(rows_at)(block + lane, lanes, i % WSI_JOINT_BLOCK));
		}
	}
	return t->between;
}

static void
FN(joint_mean)(const wsi_joint_mean_args *args, wsi_mean_counts *counts)
{
	FN(joint_part) *part = args->scratch;
	const size_t lanes = wsi_lanes(args->channels, sizeof(REAL));
	FN(joint_tile) t = { .args = args, .part = part, .lanes = lanes };
	REAL *arrays = (REAL *)((char *)args->scratch + (sizeof *part + 63) / 64 * 64);
	for (size_t i = 0; i < 4; ++i) {
		t.sum[i] = arrays + i * (FN(joint_sum_rows) + 1) * lanes;
		t.amplitude[i] = part->amplitude[i];
	}
	t.between = arrays + 4 * (FN(joint_sum_rows) + 1) * lanes;
	for (int i = 1; i < WSI_JOINT_RECIPROCALS; ++i)
		part->reciprocal[i] = (REAL)1 / (REAL)i;
	/* Half of the sum is the mean of two envelopes. */
	const REAL share = (REAL)(0.5 / args->n_active);
	const bool measured = args->want_above || args->want_sums;
	for (t.tile = args->tile0; t.tile < args->tile1; ++t.tile) {
		t.first = t.tile * WSI_JOINT_TILE;
		t.count = args->n - t.first < WSI_JOINT_TILE ? args->n - t.first : WSI_JOINT_TILE;
		FN(sum_tile)(&t);
		const REAL *h = (const REAL *)args->h + t.first * lanes;
		REAL *y = (REAL *)args->y + t.first * lanes, *sum = FN(sum_samples)(&t);
		for (size_t i = 0; i < t.count * lanes; ++i)
			y[i] = FMA(-share, sum[i], h[i]);
		if (!measured)
			continue;
		for (size_t i = 0; i < t.count * lanes; ++i)
			sum[i] *= share;
		for (size_t i = 0; i < t.count; ++i) {
			part->m2[i] = FN(square_sum)(sum + i * lanes, args->channels);
			part->h2[i] = args->want_sums
			                      ? FN(square_sum)(h + i * lanes, args->channels)
			                      : (REAL)0;
			t.amplitude[3][i] *= share;
		}
		FN(joint_statistics)(args, t.tile, part->m2, part->h2, t.amplitude[3], counts);
	}
}
