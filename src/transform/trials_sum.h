/* trials_sum.h - template (math/both_types.h): adds one epoch's coefficients to the sums. */
static void
FN(add_epoch)(const own_parts *own, size_t n, bool units)
{
	const SCALAR *w = own->row;
	for (size_t t = 0; t < n; ++t) {
		const double re = w[2 * t], im = w[2 * t + 1];
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
