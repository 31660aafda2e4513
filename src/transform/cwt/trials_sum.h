/* trials_sum.h - template (math/both_types.h): adds one epoch's coefficients to the sums, the k-th
 * from 0 on.  Squares about the mean as Youngs and Cramer (1971) add them: from the mean of the
 * epochs before, so that nothing cancels where all epochs are nearly alike. */
static void
FN(add_epoch)(const own_parts *own, size_t n, size_t k, bool units)
{
	const SCALAR *w = own->row;
	const double before = k ? 1.0 / (double)k : 0.0;
	const double weight = (double)k / ((double)k + 1.0);
	for (size_t t = 0; t < n; ++t) {
		const double re = w[2 * t], im = w[2 * t + 1];
		const double a = re - own->re[t] * before, b = im - own->im[t] * before;
		own->about[t] += (a * a + b * b) * weight;
		own->power[t] += re * re + im * im;
		own->re[t] += re;
		own->im[t] += im;
	}
	for (size_t t = 0; units && t < n; ++t) {
		const double re = w[2 * t], im = w[2 * t + 1];
		const double size = sqrt(re * re + im * im);
		/* Nothing has no phase. */
		const double share = size > 0.0 ? 1.0 / size : 0.0;
		own->unit_re[t] += re * share;
		own->unit_im[t] += im * share;
	}
}
