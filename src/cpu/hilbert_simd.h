/*
 * hilbert_simd.h - template, of double only: the slot `hilbert` of ops/hht_ops.h in three steps, as
 * cuda/hht/fft.cuh does it:
 *
 *     columns   samples -> turned: the first step of the transform there (ops/fft.h)
 *     middle    turned -> turned back: the second step there, the answers (math/hilbert.h), the
 *               first step back
 *     lines     turned back -> samples: the second step back
 *
 * Fits where the period is that of the transform.  The reference composes the slots of the
 * transform and `respond`; the bits are the same.
 *
 * The middle works on LANES bins k modulo n2 and, beside them, on those of half - k, which the
 * answers need.  These are LANES neighbours, too, but in descending order, and shifted by one: the
 * first lane of a group on its way up answers to that of the group before on its way down.
 */

/* Lane 0 stays, the others in descending order. */
WSI_FN FN(vec)
FN(hilbert_back)(FN(vec) v)
{
#if LANES == 8
	return __builtin_shufflevector(v, v, 0, 7, 6, 5, 4, 3, 2, 1);
#elif LANES == 4
	return __builtin_shufflevector(v, v, 0, 3, 2, 1);
#else
	return v;
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
	FN(cvec) *bins;         /* [n1] their transforms, in the order of bins */
} FN(hilbert_group);

typedef struct FN(hilbert_room) {
	REAL *turned_re, *turned_im, *back_re, *back_im; /* both turned arrays */
	FN(hilbert_group) groups[4];
	FN(cvec) *x;            /* transforms along an axis */
	REAL *y_re, *y_im;      /* [n1][LANES] answers */
} FN(hilbert_room);

/* The second step there.  Forwards is backwards with real and imaginary parts exchanged. */
WSI_FN void
FN(hilbert_bins)(const wsi_fft *there, const FN(hilbert_room) *room, size_t first,
                 FN(hilbert_group) *group)
{
	const size_t stride = FN(fft_stride)(there);
	const FN(fft_source) from = { room->turned_re + first, room->turned_im + first, stride,
		NULL, 0, 0, 0, 0 };
	FN(fft_axis)(&there->second, there->twiddles[1], room->x, &from);
	for (size_t s = 0; s < there->second.n; ++s) {
		const FN(cvec) v = room->x[there->second.place[s]];
		group->bins[s] = FN(complex_of)(v.im, v.re);
	}
	group->first = first;
}

/* Answers of a group.  other: the group of half - k; next: the one whose lane 0 answers this
 * one's. */
WSI_FN void
FN(hilbert_answers)(const wsi_fft *there, const FN(hilbert_room) *room, const REAL *turns,
                    const FN(hilbert_group) *own, const FN(hilbert_group) *other,
                    const FN(hilbert_group) *next)
{
	const size_t n1 = there->second.n, half = there->n;
	const FN(vec) all = FN(vset1)(-1.0 / (double)half);
	const REAL *turn = turns + own->first / WSI_FFT_ACROSS * 2 * WSI_FFT_ACROSS * n1 +
	                   own->first % WSI_FFT_ACROSS;
	for (size_t s = 0; s < n1; ++s, turn += 2 * WSI_FFT_ACROSS) {
		const size_t at = n1 - 1 - s;
		/* Bin 0 modulo n2 answers itself. */
		const size_t first = own->first ? at : s ? n1 - s : 0;
		FN(cvec) back = { FN(hilbert_back)(other->bins[at].re),
			          FN(hilbert_back)(other->bins[at].im) };
		back.re[0] = next->bins[first].re[0];
		back.im[0] = next->bins[first].im[0];
		FN(vec) q = all;
		if (own->first + s == 0)
			q[0] = 0.0;
		const FN(cvec) y = FN(hilbert_answer)(own->bins[s], back, q, FN(vload)(turn),
		                                      FN(vload)(turn + WSI_FFT_ACROSS));
		FN(vstore)(room->y_re + s * LANES, y.re);
		FN(vstore)(room->y_im + s * LANES, y.im);
	}
}

/* The first step back of a group. */
WSI_FN void
FN(hilbert_turn)(const wsi_fft *back, const FN(hilbert_room) *room, size_t first)
{
	const FN(fft_source) from = { room->y_re, room->y_im, LANES, NULL, 0, 0, 0, 0 };
	FN(fft_first)(back, &from, first, room->x, room->back_re, room->back_im,
	              FN(fft_stride)(back));
}

WSI_FN void
FN(hilbert_middle)(const wsi_fft *there, const wsi_fft *back, const REAL *turns,
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
		FN(hilbert_answers)(there, room, turns, low, high, k ? before : low);
		FN(hilbert_turn)(back, room, low->first);
		FN(hilbert_answers)(there, room, turns, high, low, last ? high : next);
		FN(hilbert_turn)(back, room, high->first);
		FN(hilbert_group) *const swap = before, *const done = low;
		low = next;
		next = done;
		before = high;
		high = swap;
	}
}

static void
FN(hilbert)(const wsi_fft *there, const wsi_fft *back, const REAL *turns, const REAL *x, REAL *y,
            void *scratch)
{
	const size_t n1 = there->second.n, n2 = there->first.n, longer = n1 > n2 ? n1 : n2;
	const size_t stride = FN(fft_stride)(there), back_stride = FN(fft_stride)(back);
	FN(hilbert_room) room = { .turned_re = scratch };
	room.turned_im = room.turned_re + n1 * stride;
	room.back_re = room.turned_im + n1 * stride;
	room.back_im = room.back_re + n2 * back_stride;
	room.x = (FN(cvec) *)(room.back_im + n2 * back_stride);
	room.y_re = (REAL *)(room.x + longer);
	room.y_im = room.y_re + n1 * LANES;
	FN(cvec) *bins = (FN(cvec) *)(room.y_im + n1 * LANES);
	for (int i = 0; i < 4; ++i)
		room.groups[i].bins = bins + (size_t)i * n1;
	for (size_t k = 0; k < n1; k += LANES) {
		const FN(fft_source) from = { x + 2 * k, NULL, 2 * n1, NULL, 0, 0, 0, 0 };
		FN(fft_first)(there, &from, k, room.x, room.turned_re, room.turned_im, stride);
	}
	FN(hilbert_middle)(there, back, turns, &room);
	for (size_t t = 0; t < n1; t += LANES) {
		const FN(fft_source) from = { room.back_re + t, room.back_im + t, back_stride,
			NULL, 0, 0, 0, 0 };
		FN(fft_axis)(&back->second, back->twiddles[1], room.x, &from);
		for (size_t s = 0; s < n2; ++s) {
			const FN(cvec) v = room.x[back->second.place[s]];
			REAL *to = y + 2 * (t + n1 * s);
			FN(vstore)(to, FN(zip_low)(v.re, v.im));
			FN(vstore)(to + LANES, FN(zip_high)(v.re, v.im));
		}
	}
}
