/* coherence_put.h - template (math/both_types.h): what is formed of sums over epochs of two
 * channels' coefficients. */
/* out: coherence, phase locking, cross-spectrum, the imaginary part of coherency; NULL: not
 * wanted. */
static void
FN(put)(const own_parts *own, size_t n, double epochs, void *const out[4])
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
		if (out[3])
			((SCALAR *)out[3])[t] = (SCALAR)(powers > 0.0 ? fmax(fmin(
				own->im[t] / sqrt(own->power_w[t]) / sqrt(own->power_v[t]), 1.0),
				-1.0) : 0.0);
	}
}
