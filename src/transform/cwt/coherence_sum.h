/* coherence_sum.h - template (math/both_types.h): sums over epochs of two channels' coefficients,
 * and what is formed of them. */
static void
FN(add_epoch)(const own_parts *own, size_t n)
{
	const SCALAR *w = own->w, *v = own->v;
	for (size_t t = 0; t < n; ++t) {
		const double a = w[2 * t], b = w[2 * t + 1], c = v[2 * t], d = v[2 * t + 1];
		const double pw = a * a + b * b, pv = c * c + d * d;
		/* w conj(v) */
		const double re = a * c + b * d, im = b * c - a * d;
		const double size = sqrt(pw) * sqrt(pv);
		/* Nothing has no phase. */
		const double share = size > 0.0 ? 1.0 / size : 0.0;
		own->power_w[t] += pw;
		own->power_v[t] += pv;
		own->re[t] += re;
		own->im[t] += im;
		own->unit_re[t] += re * share;
		own->unit_im[t] += im * share;
	}
}

/* out: coherence, phase locking, cross-spectrum; NULL: not wanted. */
static void
FN(put)(const own_parts *own, size_t n, double epochs, void *const out[3])
{
	for (size_t t = 0; t < n; ++t) {
		const double powers = fmin(own->power_w[t], own->power_v[t]);
		const double cross = own->re[t] * own->re[t] + own->im[t] * own->im[t];
		const double units = own->unit_re[t] * own->unit_re[t] +
			own->unit_im[t] * own->unit_im[t];
		const double coherence = powers > 0.0
			? fmin(cross / own->power_w[t] / own->power_v[t], 1.0) : 0.0;
		if (out[0])
			((SCALAR *)out[0])[t] = (SCALAR)coherence;
		if (out[1])
			((SCALAR *)out[1])[t] = (SCALAR)fmin(sqrt(units) / epochs, 1.0);
		if (out[2]) {
			((SCALAR *)out[2])[2 * t] = (SCALAR)(own->re[t] / epochs);
			((SCALAR *)out[2])[2 * t + 1] = (SCALAR)(own->im[t] / epochs);
		}
	}
}
