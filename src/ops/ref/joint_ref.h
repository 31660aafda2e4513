/*
 * joint_ref.h - template: slots project and joint_mean, the definition spelled
 * out: no vectors, no batches, intervals by searching the list of knots; one
 * direction, one channel, one sample after the other.  Fast twins:
 * cpu/emd/joint_project_simd.h, cpu/emd/joint_mean_simd.h.  joint_mean allocates, since there
 * may be any number of channels; without memory y is left as NaN.
 */

/* ---- project -------------------------------------------------------------------- */

static void
FN(put_bit)(uint64_t *row, size_t i, bool on)
{
	const uint64_t bit = (uint64_t)1 << (i % WSI_WORD);
	if (row)
		row[i / WSI_WORD] = on ? row[i / WSI_WORD] | bit : row[i / WSI_WORD] & ~bit;
}

/* The mean of the rows of a sample and the one before. */
static void
FN(put_middle)(const wsi_project_args *args, size_t sample)
{
	const size_t lanes = wsi_lanes(args->channels, sizeof(REAL));
	const REAL *h = (const REAL *)args->h + sample * lanes;
	for (size_t c = 0; c < lanes; ++c)
		((REAL *)args->middle)[sample * lanes + c] = FN(knot_between)(h[c - lanes], h[c]);
}

static void
FN(project)(const wsi_project_args *args)
{
	for (size_t d = 0; d < args->directions; ++d) {
		uint64_t *const rows[4] = {
			args->rise + d * args->words, args->fall + d * args->words,
			args->above ? args->above + d * args->words : NULL,
			args->above ? args->below + d * args->words : NULL };
		for (size_t i = args->word0 * WSI_WORD; i < args->word1 * WSI_WORD; ++i) {
			const bool valid = i < args->n, steps = valid && (i > 0 || args->cyclic);
			const REAL p = valid ? (REAL)FN(project_sample)(args, d, i) : (REAL)0;
			const size_t previous = i > 0 ? i - 1 : args->n - 1;
			const REAL before = steps ? (REAL)FN(project_sample)(args, d, previous) : p;
			const int way = FN(step)(before, p, (REAL)args->flat);
			FN(put_bit)(rows[0], i, steps && way > 0);
			FN(put_bit)(rows[1], i, steps && way < 0);
			FN(put_bit)(rows[2], i, valid && p > (REAL)0);
			FN(put_bit)(rows[3], i, valid && p < (REAL)0);
			if (args->middle && d < args->used && valid && i > 0 && way == 0)
				FN(put_middle)(args, i);
		}
	}
}

/* ---- joint_mean ------------------------------------------------------------------ */

/* The knots of one envelope that a tile sees, and what depends on their times. */
typedef struct FN(joint_window) {
	const wsi_knots *k;
	int lo, n;              /* first in the list, how many */
	bool left, right;       /* the list's own first, last knot is among them */
	FN(joint_row) row[WSI_JOINT_WINDOW]; /* after elimination L, Q, A, B (math/joint.h) */
	bool end[2];            /* [side] has an end slope of its own */
	FN(joint_end) slope[2];
} FN(joint_window);

/* A window's spline of one channel. */
typedef struct FN(joint_spline) {
	REAL v[WSI_JOINT_WINDOW], s[WSI_JOINT_WINDOW];
} FN(joint_spline);

/* The last knot at or before a sample, in the list; the first if there is none. */
static int
FN(joint_interval)(const wsi_knots *k, size_t sample)
{
	int j = 0, after = k->n;
	while (after - j > 1) {
		const int middle = j + (after - j) / 2;
		if (k->t[middle] <= WSI_TICKS * (int32_t)sample)
			j = middle;
		else
			after = middle;
	}
	return j;
}

static REAL
FN(joint_length)(const FN(joint_window) *w, int from, int to)
{
	return (REAL)(w->k->t[w->lo + to] - w->k->t[w->lo + from]) / (REAL)WSI_TICKS;
}

static REAL
FN(joint_inverse)(const FN(joint_window) *w, int from, int to)
{
	return (REAL)1 / FN(joint_length)(w, from, to);
}

/* Rows of the ends; the inner ones are there. */
static void
FN(joint_ends)(FN(joint_window) *w, ws_spline spline)
{
	const int last = w->n - 1;
	const REAL zero = (REAL)0;
	/* Where the window is cut, or there are but two knots, the chord is the slope. */
	w->row[0] = (FN(joint_row)){ zero, zero, zero,
	                             last > 0 ? FN(joint_inverse)(w, 0, 1) : zero };
	if (last > 0)
		w->row[last] =
			(FN(joint_row)){ zero, zero, FN(joint_inverse)(w, last - 1, last), zero };
	w->end[WSI_LEFT] = w->end[WSI_RIGHT] = false;
	if (last < 2)
		return;
	const bool whole = w->left && w->right;
	for (int side = 0; side < 2; ++side) {
		if (!(side == WSI_LEFT ? w->left : w->right))
			continue;
		/* The end knot, the next two; the outermost interval, the next. */
		const int a = side == WSI_LEFT ? 0 : last, b = side == WSI_LEFT ? 1 : last - 1;
		const int c = side == WSI_LEFT ? 2 : last - 2, i = side == WSI_LEFT ? 0 : last - 1;
		const REAL sign = side == WSI_LEFT ? (REAL)1 : (REAL)-1;
		const REAL h0 = sign * FN(joint_length)(w, a, b);
		const REAL h1 = sign * FN(joint_length)(w, b, c);
		const REAL i0 = (REAL)1 / h0, i1 = (REAL)1 / h1;
		const REAL i01 = (REAL)1 / (sign * FN(joint_length)(w, a, c));
		FN(joint_row) *const r = &w->row[b];
		if (spline == WS_SPLINE_NATURAL) {
			w->row[a] = side == WSI_LEFT
				? (FN(joint_row)){ zero, (REAL)-0.5, zero, (REAL)1.5 * i0 }
				: (FN(joint_row)){ (REAL)-0.5, zero, (REAL)1.5 * i0, zero };
		} else if (whole && last == 2) {
			if (i == 0)
				*r = FN(joint_parabola)(h0, h1, i0, i1, i01);
			w->end[side] = true;
			w->slope[side] = FN(joint_parabola_end)(i0);
		} else {
			w->end[side] = true;
			w->slope[side] = side == WSI_LEFT
				? FN(joint_not_a_knot)(h0, h1, i0, i1, i01, &r->a, &r->c, &r->f,
				                       &r->g)
				: FN(joint_not_a_knot)(h0, h1, i0, i1, i01, &r->c, &r->a, &r->g,
				                       &r->f);
		}
	}
}

/* What the tile of samples first .. last sees of an envelope. */
static void
FN(joint_open)(FN(joint_window) *w, const wsi_knots *k, ws_spline spline, size_t first, size_t last)
{
	const int own0 = FN(joint_interval)(k, first), own1 = FN(joint_interval)(k, last);
	const int lo = own0 > JOINT_REACH ? own0 - JOINT_REACH : 0;
	const int hi = own1 + 1 + JOINT_REACH < k->n ? own1 + 1 + JOINT_REACH : k->n - 1;
	w->k = k;
	w->lo = lo;
	w->n = hi - lo + 1;
	w->left = lo == 0;
	w->right = hi == k->n - 1;
	for (int j = 1; j < w->n - 1; ++j)
		w->row[j] = FN(joint_inner)(FN(joint_length)(w, j - 1, j),
		                            FN(joint_length)(w, j, j + 1),
		                            FN(joint_inverse)(w, j - 1, j),
		                            FN(joint_inverse)(w, j, j + 1),
		                            FN(joint_inverse)(w, j - 1, j + 1));
	FN(joint_ends)(w, spline);
	REAL q = (REAL)0;
	for (int j = 0; j < w->n; ++j) {
		FN(joint_row) *r = &w->row[j];
		const REAL pivot = FN(joint_pivot)(r->a, q);
		q = r->c * pivot;
		*r = (FN(joint_row)){ r->a * pivot, q, r->f * pivot, r->g * pivot };
	}
}

/* The values of knot j of a list, lane by lane. */
static const REAL *
FN(joint_values)(const wsi_joint_mean_args *args, const wsi_knots *k, int j)
{
	const size_t lanes = wsi_lanes(args->channels, sizeof(REAL));
	const REAL *h = args->h, *middle = args->middle;
	if (j < k->n_left)
		return h + (k->row_left + (size_t)j) * lanes;
	if (j >= k->n - k->n_right)
		return h + (k->row_right + (size_t)(j - (k->n - k->n_right))) * lanes;
	return (k->t[j] % WSI_TICKS ? middle : h) + (size_t)(k->t[j] + 1) / WSI_TICKS * lanes;
}

static void
FN(joint_solve)(const wsi_joint_mean_args *args, const FN(joint_window) *w, size_t channel,
                FN(joint_spline) *out)
{
	const int last = w->n - 1;
	REAL *const v = out->v, *const s = out->s, d[2] = { 0, 0 }, p = (REAL)0;
	for (int j = 0; j <= last; ++j)
		v[j] = FN(joint_values)(args, w->k, w->lo + j)[channel];
	for (int j = 0; j <= last; ++j) {
		const FN(joint_row) *r = &w->row[j];
		d[0] = j > 0 ? v[j] - v[j - 1] : (REAL)0;
		d[1] = j < last ? v[j + 1] - v[j] : (REAL)0;
		p = s[j] = FN(joint_forward)(r->f, r->g, r->a, d[0], d[1], p);
	}
	for (int j = last; j >= 0; --j)
		s[j] = FN(joint_backward)(w->row[j].c, s[j], j < last ? s[j + 1] : (REAL)0);
	if (w->end[WSI_LEFT])
		s[0] = FN(joint_end_slope)(w->slope[WSI_LEFT].f, w->slope[WSI_LEFT].g,
		                           w->slope[WSI_LEFT].q, v[1] - v[0], v[2] - v[1], s[1]);
	if (w->end[WSI_RIGHT])
		s[last] = FN(joint_end_slope)(w->slope[WSI_RIGHT].f, w->slope[WSI_RIGHT].g,
		                              w->slope[WSI_RIGHT].q, v[last] - v[last - 1],
		                              v[last - 1] - v[last - 2], s[last - 1]);
}

/* The cubic at a sample, and the time since its knot. */
static REAL
FN(joint_cubic_at)(const FN(joint_window) *w, const FN(joint_spline) *e, size_t sample, REAL c[4])
{
	const int in_list = FN(joint_interval)(w->k, sample), j = in_list - w->lo;
	c[0] = e->v[j], c[1] = e->s[j], c[2] = c[3] = (REAL)0;
	/* The last knot of all may lie on the last sample: its value stands. */
	if (j < w->n - 1) {
		const REAL i = FN(joint_inverse)(w, j, j + 1);
		FN(joint_cubic)(e->v[j + 1] - e->v[j], i, i * i, e->s[j], e->s[j + 1], &c[2],
		                &c[3]);
	}
	return (REAL)(WSI_TICKS * (int32_t)sample - w->k->t[in_list]) / (REAL)WSI_TICKS;
}

static REAL
FN(joint_at)(const FN(joint_window) *w, const FN(joint_spline) *e, size_t sample)
{
	REAL c[4];
	const REAL u = FN(joint_cubic_at)(w, e, sample, c);
	return FN(cubic_at)(c[0], c[1], c[2], c[3], u);
}

/* A tile at work, and its sums over directions d, d + 8, ... */
typedef struct FN(joint_tile) {
	const wsi_joint_mean_args *args;
	size_t first, count, lanes;
	REAL *more[WSI_JOINT_SUMS];     /* [sample][channel] than their part's cubic */
	REAL *part[WSI_JOINT_SUMS];     /* [part][coefficient][channel] */
	REAL *block[WSI_JOINT_SUMS];    /* [block][coefficient][channel] */
	REAL *between;                  /* [sample][channel] upper minus lower envelope */
	REAL amplitude[WSI_JOINT_SUMS][WSI_JOINT_TILE];
} FN(joint_tile);

/* Does the sample start an interval? */
static bool
FN(joint_starts)(const FN(joint_tile) *t, const FN(joint_window) *w, size_t i)
{
	return t->first + i < t->args->n &&
	       FN(joint_interval)(w->k, t->first + i) != FN(joint_interval)(w->k, t->first + i - 1);
}

/* Adds the spline's cubic at sample i of the tile to `cubics` of so many samples. */
static void
FN(joint_add_cubic)(const FN(joint_tile) *t, const FN(joint_window) *w, const FN(joint_spline) *e,
                    size_t i, size_t samples, REAL *cubics)
{
	REAL c[4];
	const REAL u = FN(joint_cubic_at)(w, e, t->first + i, c);
	FN(joint_recentre)(&c[0], &c[1], &c[2], c[3], u);
	for (size_t k = 0; k < 4; ++k)
		cubics[(4 * (i / samples) + k) * t->args->channels] += c[k];
}

/* Adds what changes at a knot on sample i, or half a sample before, to the rest of its part. */
static void
FN(joint_add_jump)(const FN(joint_tile) *t, const FN(joint_window) *w, const FN(joint_spline) *e,
                   size_t i, REAL *more, REAL *part)
{
	const size_t channels = t->args->channels, at = i % WSI_JOINT_PART;
	const int knot = FN(joint_interval)(w->k, t->first + i) - w->lo;
	const bool half = w->k->t[w->lo + knot] % WSI_TICKS;
	const REAL u = FN(joint_length)(w, knot - 1, knot);
	REAL c[4], next[4], jump[2], j2, j3, a[4];
	FN(joint_cubic_at)(w, e, t->first + i - 1, c);
	FN(joint_cubic_at)(w, e, t->first + i, next);
	if (!half) {
		FN(joint_jump)(c[2], c[3], u, next[2], next[3], &jump[0], &jump[1]);
		for (size_t k = i + 1; k % WSI_JOINT_PART; ++k)
			more[k * channels] += jump[k - i - 1];
		return;
	}
	FN(joint_bend)(c[2], c[3], u, next[2], next[3], &j2, &j3);
	for (size_t k = i; at > 1 && k % WSI_JOINT_PART; ++k)
		more[k * channels] += FN(joint_jump_at)(j2, j3, (REAL)(k - i) + (REAL)0.5);
	if (at > 1)
		return;
	FN(joint_part_jump)(j2, j3, (REAL)-0.5, (REAL)(11.0 / 6.0), (REAL)(1.0 / 6.0), &a[1], &a[2],
	                    &a[3]);
	for (size_t k = 1; k < 4; ++k)
		part[(4 * (i / WSI_JOINT_PART) + k) * channels] += a[k];
}

/* Adds the spline of a channel. */
static void
FN(joint_add_spline)(FN(joint_tile) *t, size_t d, const FN(joint_window) *w,
                     const FN(joint_spline) *e, size_t channel)
{
	const size_t g = d % WSI_JOINT_SUMS;
	for (size_t block = 0; block < t->count; block += WSI_JOINT_BLOCK) {
		bool whole = true;
		for (size_t i = block + 1; i < block + WSI_JOINT_BLOCK; ++i)
			whole = whole && !FN(joint_starts)(t, w, i);
		if (whole) {
			FN(joint_add_cubic)(t, w, e, block, WSI_JOINT_BLOCK, t->block[g] + channel);
			continue;
		}
		for (size_t i = block; i < block + WSI_JOINT_BLOCK && i < t->count; ++i)
			if (i % WSI_JOINT_PART == 0)
				FN(joint_add_cubic)(t, w, e, i, WSI_JOINT_PART,
				                    t->part[g] + channel);
			else if (FN(joint_starts)(t, w, i))
				FN(joint_add_jump)(t, w, e, i, t->more[g] + channel,
				                   t->part[g] + channel);
	}
}

static void
FN(joint_add_direction)(FN(joint_tile) *t, size_t d)
{
	const wsi_joint_mean_args *args = t->args;
	const size_t channels = args->channels, last = t->first + WSI_JOINT_TILE - 1;
	REAL *const amplitude = t->amplitude[d % WSI_JOINT_SUMS];
	FN(joint_window) w[2];
	FN(joint_spline) spline;
	for (int kind = 0; kind < 2; ++kind)
		FN(joint_open)(&w[kind], &args->knots[d][kind], args->spline, t->first,
		               last < args->n ? last : args->n - 1);
	for (int kind = 0; kind < 2; ++kind)
		for (size_t c = 0; c < channels; ++c) {
			FN(joint_solve)(args, &w[kind], c, &spline);
			FN(joint_add_spline)(t, d, &w[kind], &spline, c);
			for (size_t i = 0; i < t->count; ++i) {
				const REAL e = FN(joint_at)(&w[kind], &spline, t->first + i);
				if (kind == WSI_MAX)
					t->between[i * channels + c] = e;
				else
					t->between[i * channels + c] -= e;
			}
		}
	for (size_t i = 0; i < t->count; ++i) {
		const REAL square = FN(square_sum)(t->between + i * channels, channels);
		amplitude[i] += FN(scalar_sqrt)(square);
	}
}

/* The eight sums by a binary tree. */
static REAL
FN(joint_total)(const REAL sum[WSI_JOINT_SUMS])
{
	return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* The sum of cubics of so many samples at one of the tile. */
static REAL
FN(joint_cubics_at)(REAL *const cubics[WSI_JOINT_SUMS], size_t samples, size_t i, size_t channels)
{
	REAL eight[WSI_JOINT_SUMS], c[4];
	for (size_t k = 0; k < 4; ++k) {
		for (int g = 0; g < WSI_JOINT_SUMS; ++g)
			eight[g] = cubics[g][(4 * (i / samples) + k) * channels];
		c[k] = FN(joint_total)(eight);
	}
	return FN(cubic_at)(c[0], c[1], c[2], c[3], (REAL)(i % samples));
}

/* The sum of envelopes at a sample of the tile. */
static REAL
FN(joint_sum_at)(const FN(joint_tile) *t, size_t i, size_t channel)
{
	const size_t channels = t->args->channels;
	REAL eight[WSI_JOINT_SUMS], *part[WSI_JOINT_SUMS], *block[WSI_JOINT_SUMS];
	for (int g = 0; g < WSI_JOINT_SUMS; ++g) {
		eight[g] = t->more[g][i * channels + channel];
		part[g] = t->part[g] + channel;
		block[g] = t->block[g] + channel;
	}
	return (FN(joint_cubics_at)(part, WSI_JOINT_PART, i, channels) + FN(joint_total)(eight)) +
	       FN(joint_cubics_at)(block, WSI_JOINT_BLOCK, i, channels);
}

/* y of the tile, and its statistics. */
static void
FN(joint_close)(FN(joint_tile) *t, size_t tile, wsi_mean_counts *counts)
{
	const wsi_joint_mean_args *args = t->args;
	const size_t channels = args->channels;
	const REAL share = (REAL)(0.5 / args->n_active);
	REAL m2[WSI_JOINT_TILE] = { 0 }, h2[WSI_JOINT_TILE] = { 0 }, a[WSI_JOINT_TILE] = { 0 };
	REAL eight[WSI_JOINT_SUMS];
	for (size_t i = 0; i < t->count; ++i) {
		const REAL *h = (const REAL *)args->h + (t->first + i) * t->lanes;
		REAL *y = (REAL *)args->y + (t->first + i) * t->lanes;
		REAL *m = t->between + i * channels;
		for (size_t c = channels; c < t->lanes; ++c)
			y[c] = (REAL)0;
		for (size_t c = 0; c < channels; ++c) {
			const REAL sum = FN(joint_sum_at)(t, i, c);
			y[c] = FMA(-share, sum, h[c]);
			m[c] = sum * share;
		}
		for (int g = 0; g < WSI_JOINT_SUMS; ++g)
			eight[g] = t->amplitude[g][i];
		a[i] = FN(joint_total)(eight) * share;
		m2[i] = FN(square_sum)(m, channels);
		h2[i] = FN(square_sum)(h, channels);
	}
	FN(joint_statistics)(args, tile, m2, h2, a, counts);
}

static size_t
FN(joint_scratch)(size_t channels)
{
	(void)channels;
	return 0;
}

static void
FN(joint_mean)(const wsi_joint_mean_args *args, wsi_mean_counts *counts)
{
	const size_t samples = WSI_JOINT_TILE * args->channels;
	const size_t parts = 4 * WSI_JOINT_PARTS * args->channels;
	const size_t sums = samples + parts + 4 * WSI_JOINT_BLOCKS * args->channels;
	FN(joint_tile) t = { .args = args, .lanes = wsi_lanes(args->channels, sizeof(REAL)) };
	REAL *memory = malloc((WSI_JOINT_SUMS * sums + samples) * sizeof *memory);
	for (size_t tile = args->tile0; tile < args->tile1; ++tile) {
		t.first = tile * WSI_JOINT_TILE;
		t.count = args->n - t.first < WSI_JOINT_TILE ? args->n - t.first : WSI_JOINT_TILE;
		for (size_t i = 0; !memory && i < t.count * t.lanes; ++i)
			((REAL *)args->y)[t.first * t.lanes + i] = (REAL)NAN;
		if (!memory)
			continue;
		for (size_t i = 0; i < WSI_JOINT_SUMS * sums; ++i)
			memory[i] = (REAL)0;
		for (size_t g = 0; g < WSI_JOINT_SUMS; ++g) {
			t.more[g] = memory + g * sums;
			t.part[g] = t.more[g] + samples;
			t.block[g] = t.part[g] + parts;
		}
		t.between = memory + WSI_JOINT_SUMS * sums;
		memset(t.amplitude, 0, sizeof t.amplitude);
		for (size_t d = 0; d < args->directions; ++d)
			if (args->active[d])
				FN(joint_add_direction)(&t, d);
		FN(joint_close)(&t, tile, counts);
	}
	free(memory);
}
