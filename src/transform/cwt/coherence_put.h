/* coherence_put.h - template (math/both_types.h): what is formed of sums over epochs of two
 * channels' coefficients. */
/* out: coherence, phase locking, cross-spectrum, the imaginary part of coherency; NULL: not
 * wanted. */
static void
FN(put)(const wsi_coherence_own *own, size_t n, double epochs, void *const out[4])
{
	for (size_t t = 0; t < n; ++t) {
		const double w = own->power_w[t], v = own->power_v[t];
		const double re = own->re[t], im = own->im[t];
		if (out[0])
			((SCALAR *)out[0])[t] = (SCALAR)averages_coherence(w, v, re, im);
		if (out[1])
			((SCALAR *)out[1])[t] = (SCALAR)averages_locking(own->unit_re[t],
			                                                 own->unit_im[t], epochs);
		if (out[2]) {
			((SCALAR *)out[2])[2 * t] = (SCALAR)(re / epochs);
			((SCALAR *)out[2])[2 * t + 1] = (SCALAR)(im / epochs);
		}
		if (out[3])
			((SCALAR *)out[3])[t] = (SCALAR)averages_imaginary(w, v, im);
	}
}
