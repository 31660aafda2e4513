/*
 * sums_simd.h - template: slots add_epoch and add_pair, sums over epochs in double.  Twins:
 * ops/ref/cwt_ref.h.  Each element has its own sum, so that vectors change no bit.
 */

/* Sums of coefficients, and of squares about their mean as Youngs and Cramer (1971) add them: from
 * the mean of the epochs before, so that nothing cancels where all epochs are nearly alike. */
WSI_FN void
FN(add_means)(const wsi_cwt_epoch *e, double *restrict re, double *restrict im,
              double *restrict about)
{
	const REAL *restrict w = e->w;
	const double share = e->before ? 1.0 / (double)e->before : 0.0;
	const double weight = (double)e->before / ((double)e->before + 1.0);
	for (size_t t = 0; t < e->count; ++t) {
		const double x = w[2 * t], y = w[2 * t + 1];
		const double a = x - re[t] * share, b = y - im[t] * share;
		about[t] += (a * a + b * b) * weight;
		re[t] += x;
		im[t] += y;
	}
}

WSI_FN void
FN(add_power)(const wsi_cwt_epoch *e, double *restrict power)
{
	const REAL *restrict w = e->w;
	for (size_t t = 0; t < e->count; ++t) {
		const double x = w[2 * t], y = w[2 * t + 1];
		power[t] += x * x + y * y;
	}
}

WSI_FN void
FN(add_units)(const wsi_cwt_epoch *e, double *restrict re, double *restrict im)
{
	const REAL *restrict w = e->w;
	for (size_t t = 0; t < e->count; ++t) {
		const double x = w[2 * t], y = w[2 * t + 1];
		const double size = __builtin_sqrt(x * x + y * y);
		/* Nothing has no phase. */
		const double share = size > 0.0 ? 1.0 / size : 0.0;
		re[t] += x * share;
		im[t] += y * share;
	}
}

static void
FN(cwt_add_epoch)(const wsi_cwt_epoch *e)
{
	if (e->power)
		FN(add_power)(e, e->power);
	if (e->re)
		FN(add_means)(e, e->re, e->im, e->about);
	if (e->unit_re)
		FN(add_units)(e, e->unit_re, e->unit_im);
}

WSI_FN void
FN(add_both)(const REAL *restrict w, const REAL *restrict v, size_t count,
             double *restrict power_w, double *restrict power_v, double *restrict re,
             double *restrict im, double *restrict unit_re, double *restrict unit_im)
{
	for (size_t t = 0; t < count; ++t) {
		const double a = w[2 * t], b = w[2 * t + 1], c = v[2 * t], d = v[2 * t + 1];
		const double pw = a * a + b * b, pv = c * c + d * d;
		/* w conj(v) */
		const double x = a * c + b * d, y = b * c - a * d;
		const double size = __builtin_sqrt(pw) * __builtin_sqrt(pv);
		/* Nothing has no phase. */
		const double share = size > 0.0 ? 1.0 / size : 0.0;
		power_w[t] += pw;
		power_v[t] += pv;
		re[t] += x;
		im[t] += y;
		unit_re[t] += x * share;
		unit_im[t] += y * share;
	}
}

static void
FN(cwt_add_pair)(const wsi_cwt_pair *p)
{
	FN(add_both)(p->w, p->v, p->count, p->power_w, p->power_v, p->re, p->im, p->unit_re,
	             p->unit_im);
}
