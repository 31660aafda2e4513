/*
 * hilbert_simd.h - template, of double only: the slot `hilbert` of ops/hht_ops.h in three steps, as
 * cuda/hht/hilbert.cuh does it:
 *
 *     columns   samples -> transposed: the first step of the transform there (ops/fft.h)
 *     middle    transposed -> transposed back: the second step there, the answers (math/hilbert.h),
 *               the first step back
 *     lines     transposed back -> samples: the second step back
 *
 * Fits where the period is that of the transform.  The reference composes the slots of the
 * transform and `respond`; the bits are the same.
 *
 * The middle works on LANES bins k modulo n2 and, beside them, on those of half - k, which the
 * answers need.  These are LANES neighbours, too, but in descending order, and shifted by one: the
 * first lane of a group on its way up answers to that of the group before on its way down.
 */

/* Lane 0 of the other, then its own from the last to lane 1. */
WSI_FN FN(vec)
FN(hilbert_back)(FN(vec) v, FN(vec) other)
{
#if LANES == 8
	return __builtin_shufflevector(v, other, 8, 7, 6, 5, 4, 3, 2, 1);
#elif LANES == 4
	return __builtin_shufflevector(v, other, 4, 3, 2, 1);
#else
	return __builtin_shufflevector(v, other, 2, 1);
#endif
}

/* hilbert_bin() of LANES bins, where half the sum of the responses is 0. */
WSI_FN FN(cvec)
FN(hilbert_answer)(FN(cvec) z, FN(cvec) back, FN(vec) q, FN(vec) c, FN(vec) s)
{
	const FN(vec) half = FN(vset1)(0.5), p = FN(vset1)(0.0);
	const FN(vec) e_re = half * (z.re + back.re), e_im = half * (z.im - back.im);
	const FN(vec) o_re = half * (z.im + back.im), o_im = half * (back.re - z.re);
	const FN(vec) wo_re = c * o_re + s * o_im, wo_im = c * o_im - s * o_re;
	const FN(vec) we_re = c * e_re - s * e_im, we_im = c * e_im + s * e_re;
	const FN(vec) a_re = p * e_re + q * wo_re, a_im = p * e_im + q * wo_im;
	const FN(vec) b_re = q * we_re + p * o_re, b_im = q * we_im + p * o_im;
	return FN(complex_of)(-a_im - b_re, a_re - b_im);
}

/* A group of LANES bins k modulo n2. */
typedef struct FN(hilbert_group) {
	size_t first;           /* k modulo n2 of lane 0 */
	FN(cvec) *bins;         /* [n1] their transforms, where the second step there leaves them;
	                           real and imaginary parts exchanged */
} FN(hilbert_group);

typedef struct FN(hilbert_room) {
	REAL *transposed, *back; /* both transposed arrays */
	FN(hilbert_group) groups[4];
	FN(cvec) *x;            /* transforms along an axis */
} FN(hilbert_room);

/* The second step there.  Forwards is backwards with real and imaginary parts exchanged. */
WSI_FN void
FN(hilbert_bins)(const wsi_fft *there, const FN(hilbert_room) *room, size_t first,
                 FN(hilbert_group) *group)
{
	const FN(fft_source) from = FN(fft_transposed)(there, room->transposed, first);
	FN(fft_axis)(&there->second, there->twiddles[1], group->bins, &from);
	group->first = first;
}

/* Whose answers are asked for.  other: the group of half - k; next: the one whose lane 0 answers
 * this one's. */
typedef struct FN(hilbert_asks) {
	const FN(hilbert_group) *own, *other, *next;
	const uint32_t *place;  /* of bin s in a group */
	const REAL *twiddles;   /* of the group */
	size_t n1;
	REAL all;               /* half the difference of the responses */
} FN(hilbert_asks);

/* Answer s of a group. */
WSI_FN FN(cvec)
FN(hilbert_ask)(const FN(hilbert_asks) *a, size_t s)
{
	const size_t at = a->n1 - 1 - s;
	/* Bin 0 modulo n2 answers itself. */
	const size_t first = a->own->first ? at : s ? a->n1 - s : 0;
	const FN(cvec) *own = a->own->bins + a->place[s];
	const FN(cvec) *other = a->other->bins + a->place[at];
	const FN(cvec) *next = a->next->bins + a->place[first];
	const REAL *twiddle = a->twiddles + s * 2 * WSI_FFT_ACROSS;
	FN(vec) q = FN(vset1)(a->all);
	if (a->own->first + s == 0)
		q[0] = 0.0;
	return FN(hilbert_answer)(FN(complex_of)(own->im, own->re),
	                          FN(complex_of)(FN(hilbert_back)(other->im, next->im),
	                                         FN(hilbert_back)(other->re, next->re)),
	                          q, FN(vload)(twiddle), FN(vload)(twiddle + WSI_FFT_ACROSS));
}

/* The first pass of the first step back, of answers. */
WSI_FN void
FN(hilbert_pass)(const FN(hilbert_asks) *a, FN(cvec) *x, const REAL *w, const int radix)
{
	const size_t q = a->n1 / (size_t)radix;
	for (size_t j = 0; j < q; ++j, w += 2 * (radix - 1)) {
		FN(cvec) v[8];
		for (int u = 0; u < radix; ++u)
			v[u] = FN(hilbert_ask)(a, j + (size_t)u * q);
		if (j == 0)
			FN(fft_butterfly)(v, x, q, w, radix, false);
		else
			FN(fft_butterfly)(v, x + j, q, w, radix, true);
	}
}

/* Answers of a group, and the first step back. */
static void
FN(hilbert_answers)(const wsi_fft *there, const wsi_fft *back, const FN(hilbert_room) *room,
                    const REAL *twiddles, const FN(hilbert_group) *own,
                    const FN(hilbert_group) *other, const FN(hilbert_group) *next)
{
	const wsi_fft_axis *axis = &back->first;
	const size_t n1 = there->second.n, across = WSI_FFT_ACROSS;
	const FN(hilbert_asks) asks = { own, other, next, there->second.place,
		twiddles + own->first / across * 2 * across * n1 + own->first % across, n1,
		-1.0 / (double)there->n };
	const REAL *w = back->twiddles[0];
	FN(cvec) *x = room->x;
	switch (axis->radix[0]) {
	case 2: FN(hilbert_pass)(&asks, x, w, 2); break;
	case 3: FN(hilbert_pass)(&asks, x, w, 3); break;
	case 4: FN(hilbert_pass)(&asks, x, w, 4); break;
	case 5: FN(hilbert_pass)(&asks, x, w, 5); break;
	default: FN(hilbert_pass)(&asks, x, w, 8); break;
	}
	FN(fft_passes)(axis, w, x, 1, axis->passes);
	FN(fft_transpose)(back, own->first, x, room->back);
}

WSI_FN void
FN(hilbert_middle)(const wsi_fft *there, const wsi_fft *back, const REAL *twiddles,
                   FN(hilbert_room) *room)
{
	const size_t n2 = there->first.n;
	FN(hilbert_group) *low = &room->groups[0], *next = &room->groups[1];
	FN(hilbert_group) *high = &room->groups[2], *before = &room->groups[3];
	FN(hilbert_bins)(there, room, 0, low);
	for (size_t k = 0; k < n2 / 2; k += LANES) {
		const bool last = k + LANES == n2 / 2;
		FN(hilbert_bins)(there, room, n2 - k - LANES, high);
		if (!last)
			FN(hilbert_bins)(there, room, k + LANES, next);
		FN(hilbert_answers)(there, back, room, twiddles, low, high, k ? before : low);
		FN(hilbert_answers)(there, back, room, twiddles, high, low, last ? high : next);
		FN(hilbert_group) *const swap = before, *const done = low;
		low = next;
		next = done;
		before = high;
		high = swap;
	}
}

/* The last pass of the second step back of samples t .. modulo n1, to y. */
WSI_FN void
FN(hilbert_store)(const wsi_fft_axis *axis, const FN(cvec) *x, size_t n1, REAL *y, const int radix)
{
	const size_t q = axis->n / (size_t)radix;
	for (size_t s = 0; s < q; ++s) {
		FN(cvec) v[8];
		FN(fft_last_points)(axis, x, s, v, radix);
		for (int u = 0; u < radix; ++u) {
			REAL *to = y + 2 * n1 * (s + (size_t)u * q);
			FN(vstore)(to, FN(zip_low)(v[u].re, v[u].im));
			FN(vstore)(to + LANES, FN(zip_high)(v[u].re, v[u].im));
		}
	}
}

/* The second step back. */
WSI_FN void
FN(hilbert_lines)(const wsi_fft *back, const FN(hilbert_room) *room, REAL *y)
{
	const wsi_fft_axis *axis = &back->second;
	const size_t n1 = back->first.n;
	const int last = axis->passes - 1;
	for (size_t t = 0; t < n1; t += LANES) {
		const FN(fft_source) from = FN(fft_transposed)(back, room->back, t);
		FN(fft_begin)(axis, back->twiddles[1], room->x, &from);
		FN(fft_passes)(axis, back->twiddles[1], room->x, 1, last);
		switch (axis->radix[last]) {
		case 2: FN(hilbert_store)(axis, room->x, n1, y + 2 * t, 2); break;
		case 3: FN(hilbert_store)(axis, room->x, n1, y + 2 * t, 3); break;
		case 4: FN(hilbert_store)(axis, room->x, n1, y + 2 * t, 4); break;
		case 5: FN(hilbert_store)(axis, room->x, n1, y + 2 * t, 5); break;
		default: FN(hilbert_store)(axis, room->x, n1, y + 2 * t, 8); break;
		}
	}
}

static void
FN(hilbert)(const wsi_fft *there, const wsi_fft *back, const REAL *twiddles, const REAL *x, REAL *y,
            void *scratch)
{
	const size_t n1 = there->second.n, n2 = there->first.n, longer = n1 > n2 ? n1 : n2;
	FN(hilbert_room) room = { .transposed = scratch };
	room.back = room.transposed + FN(fft_numbers)(there);
	room.x = (FN(cvec) *)(room.back + FN(fft_numbers)(back));
	for (int i = 0; i < 4; ++i)
		room.groups[i].bins = room.x + longer + (size_t)i * n1;
	for (size_t k = 0; k < n1; k += LANES) {
		const FN(fft_source) from = { .re = x + 2 * k, .stride = 2 * n1,
			.ahead = 2 * LANES };
		FN(fft_first)(there, &from, k, room.x, room.transposed);
	}
	FN(hilbert_middle)(there, back, twiddles, &room);
	FN(hilbert_lines)(back, &room, y);
}
