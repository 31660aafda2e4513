/*
 * half_waves_ref.h - template: slots sum_and_peak and half_waves, sample after sample.  Sums in the
 * order that the slot promises: of a word (64 samples) without a crossing by
 * halves, of the others through runs of 8 samples, then over the runs.
 */
static double
FN(sum_and_peak)(const void *x, size_t n, double *peak)
{
	const REAL *xr = x;
	wsi_growing_sum sum = { .n = 0 };
	*peak = 0.0;
	for (size_t i0 = 0; i0 < n; i0 += WSI_SUM_BLOCK) {
		double v[WSI_SUM_BLOCK];
		for (size_t i = 0; i < WSI_SUM_BLOCK; ++i) {
			v[i] = i0 + i < n ? (double)xr[i0 + i] : 0.0;
			*peak = fabs(v[i]) > *peak ? fabs(v[i]) : *peak;
		}
		growing_add(&sum, sum32_f64(v));
	}
	return growing_total(&sum);
}

static double
FN(offset)(const void *x, size_t n, size_t i, double scale, double mean)
{
	return i < n ? (double)((const REAL *)x)[i] * scale - mean : 0.0;
}

/* The square of sample i of the row, or of the step to it. */
static double
FN(square)(const void *x, size_t n, size_t i, double scale, double mean, bool of_step)
{
	if (i >= n || (of_step && i == 0))
		return 0.0;
	double d = FN(offset)(x, n, i, scale, mean);
	if (of_step)
		d -= FN(offset)(x, n, i - 1, scale, mean);
	return d * d;
}

static bool
FN(crosses)(const void *x, size_t n, size_t i, double scale, double mean)
{
	return i > 0 && i < n && (FN(offset)(x, n, i, scale, mean) > 0.0)
	       != (FN(offset)(x, n, i - 1, scale, mean) > 0.0);
}

/* Of samples 64 w .. i - 1; i = 64 (w + 1): the whole word. */
static double
FN(sum_in_word)(const void *x, size_t n, size_t w, size_t i, double scale, double mean,
                bool of_step)
{
	double sum = 0.0, run = 0.0;
	for (size_t k = w * WSI_WORD; k < i; ++k) {
		run += FN(square)(x, n, k, scale, mean, of_step);
		if (k % 8 == 7) {
			sum += run;
			run = 0.0;
		}
	}
	return sum + run;
}

static double
FN(sum_by_halves)(const void *x, size_t n, size_t w, double scale, double mean, bool of_step)
{
	double v[WSI_WORD];
	for (size_t i = 0; i < WSI_WORD; ++i)
		v[i] = FN(square)(x, n, w * WSI_WORD + i, scale, mean, of_step);
	for (int i = 0; i < 32; ++i)
		v[i] += v[i + 32];
	return sum32_f64(v);
}

/* Crossing `here`, and what lies between it and the one before: number i of all. */
static void
FN(add_one)(wsi_half_waves *h, size_t i, wsi_crossing here, double energy, double slopes)
{
	wsi_wave_end *first = &h->ends[0], *last = &h->ends[1];
	const wsi_crossing before = last->at;
	*last = (wsi_wave_end){ .at = here, .beside = before, .whole_energy = energy,
		.whole_slopes = slopes };
	if (i == 0) {
		*first = (wsi_wave_end){ .at = here, .energy = energy, .slopes = slopes };
		return;
	}
	if (i == 1) {
		first->beside = here;
		first->whole_energy = energy;
		first->whole_slopes = slopes;
	}
	const double f = half_wave_frequency((here.sample - before.sample) +
	                                     (here.part - before.part), energy, slopes);
	const int c = half_wave_bin(f);
	half_wave_add(h, i, c, energy, f);
	half_waves_reach(h, c, c);
	h->squares += energy * energy;
}

static void
FN(half_waves)(const void *x, size_t n, double scale, double mean, wsi_half_waves *h)
{
	half_waves_begin(h, n);
	double energy = 0.0, slopes = 0.0;
	wsi_growing_sum total = { .n = 0 };
	for (size_t w = 0; w < WSI_WORDS(n); ++w) {
		/* What lies before the last crossing of this word. */
		double e0 = -energy, q0 = -slopes;
		bool here = false;
		for (size_t i = w * WSI_WORD; i < (w + 1) * WSI_WORD; ++i) {
			if (!FN(crosses)(x, n, i, scale, mean))
				continue;
			const double a = FN(offset)(x, n, i - 1, scale, mean);
			const double b = FN(offset)(x, n, i, scale, mean), u = a / (a - b);
			const double e1 = FN(sum_in_word)(x, n, w, i, scale, mean, false);
			const double q1 = FN(sum_in_word)(x, n, w, i, scale, mean, true)
			                  + u * FN(square)(x, n, i, scale, mean, true);
			const double e = e1 - e0 > 0.0 ? e1 - e0 : 0.0;
			FN(add_one)(h, h->crossings++, (wsi_crossing){ (double)i, u }, e, q1 - q0);
			e0 = e1;
			q0 = q1;
			here = true;
		}
		if (here) {
			const size_t end = (w + 1) * WSI_WORD;
			const double e = FN(sum_in_word)(x, n, w, end, scale, mean, false);
			energy = e - e0;
			slopes = FN(sum_in_word)(x, n, w, end, scale, mean, true) - q0;
			growing_add(&total, e);
		} else {
			const double e = FN(sum_by_halves)(x, n, w, scale, mean, false);
			energy += e;
			slopes += FN(sum_by_halves)(x, n, w, scale, mean, true);
			growing_add(&total, e);
		}
	}
	h->energy = growing_total(&total);
	if (h->crossings > 0) {
		h->ends[1].energy = energy > 0.0 ? energy : 0.0;
		h->ends[1].slopes = slopes;
		half_waves_end(h, (double)n);
	}
}
