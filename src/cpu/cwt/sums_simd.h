/*
 * sums_simd.h - template: slots add_epoch and add_pair, sums over epochs in double.  Twins:
 * ops/ref/cwt_ref.h.  Each element has its own sum, so that vectors change no bit.
 */

WSI_FN void
FN(add_means)(const wsi_cwt_epoch *e, double *restrict re, double *restrict im,
              double *restrict about)
{
	const REAL *restrict w = e->w;
	const double before = (double)e->before;
	for (size_t t = 0; t < e->count; ++t)
		averages_add(w[2 * t], w[2 * t + 1], before, &re[t], &im[t], &about[t]);
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
		averages_add_unit(x, y, __builtin_sqrt(x * x + y * y), &re[t], &im[t]);
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
	for (size_t t = 0; t < count; ++t)
		averages_add_pair(w[2 * t], w[2 * t + 1], v[2 * t], v[2 * t + 1], &power_w[t],
		                  &power_v[t], &re[t], &im[t], &unit_re[t], &unit_im[t]);
}

static void
FN(cwt_add_pair)(const wsi_cwt_pair *p)
{
	FN(add_both)(p->w, p->v, p->count, p->power_w, p->power_v, p->re, p->im, p->unit_re,
	             p->unit_im);
}
