/*
 * sums_simd.h - template: slots add_epoch and add_pair, sums over epochs in double.  Twins:
 * ops/ref/cwt_ref.h.  Each element has its own sum, so that vectors change no bit.
 */

#ifdef WSI_ISA_AVX512
#ifndef WSI_CWT_SHARES
#define WSI_CWT_SHARES
/* 1 / size, and 0 where that is 0: by Newton's steps, which do not wait for the divider, as roots
 * do, and a test that they are right.  y is 1 / size correctly rounded where |1 - size y|, which
 * fma has exactly, is at most size times half of y's last digit; no 1 / size is nearly a power of
 * two, below which digits are finer.  Where one is not, and for 0, the divider makes all eight. */
WSI_FN __m512d
cwt_shares(__m512d size)
{
	const __m512d one = _mm512_set1_pd(1.0);
	__m512d y = _mm512_rcp14_pd(size);
	for (int i = 0; i < 3; ++i)
		y = _mm512_fmadd_pd(_mm512_fnmadd_pd(size, y, one), y, y);
	const __m512d power = _mm512_and_pd(y, _mm512_castsi512_pd(_mm512_set1_epi64(
		0x7ff0000000000000)));
	const __m512d error = _mm512_abs_pd(_mm512_fnmadd_pd(size, y, one));
	if (_mm512_cmp_pd_mask(error, size * (power * 0x1p-53), _CMP_LE_OQ) == 0xff)
		return y;
	const __mmask8 some = _mm512_cmp_pd_mask(size, _mm512_setzero_pd(), _CMP_GT_OQ);
	return _mm512_maskz_div_pd(some, one, size);
}

/* Roots, by Newton's steps too, for those that wait for the divider beside them.  y is the root of
 * x correctly rounded where |x - y y|, which fma has exactly, is below y times its last digit:
 * both are whole multiples of the square of that.  Where one is not, and for 0, the divider makes
 * all. */
WSI_FN __m512d
cwt_roots(__m512d x)
{
	const __m512d half = _mm512_set1_pd(0.5), near = _mm512_rsqrt14_pd(x);
	__m512d y = x * near, h = near * half;
	for (int i = 0; i < 2; ++i) {
		const __m512d rest = _mm512_fnmadd_pd(y, h, half);
		y = _mm512_fmadd_pd(y, rest, y);
		h = _mm512_fmadd_pd(h, rest, h);
	}
	y = _mm512_fmadd_pd(_mm512_fnmadd_pd(y, y, x), h, y);
	const __m512d power = _mm512_and_pd(y, _mm512_castsi512_pd(_mm512_set1_epi64(
		0x7ff0000000000000)));
	const __m512d error = _mm512_abs_pd(_mm512_fnmadd_pd(y, y, x));
	const __mmask8 sound = _mm512_cmp_pd_mask(x, _mm512_set1_pd(0x1p-900), _CMP_GT_OQ);
	if (_mm512_mask_cmp_pd_mask(sound, error, y * (power * 0x1p-52), _CMP_LT_OQ) == 0xff)
		return y;
	return _mm512_sqrt_pd(x);
}

WSI_FN void
cwt_add_eight(double *to, __m512d x)
{
	_mm512_storeu_pd(to, _mm512_loadu_pd(to) + x);
}
#endif

/* Eight complex numbers as doubles. */
WSI_FN void
FN(cwt_eight)(const REAL *w, __m512d *re, __m512d *im)
{
	double x[8], y[8];
	for (int i = 0; i < 8; ++i) {
		x[i] = w[2 * i];
		y[i] = w[2 * i + 1];
	}
	*re = _mm512_loadu_pd(x);
	*im = _mm512_loadu_pd(y);
}
#endif

#ifdef WSI_ISA_AVX2
#ifndef WSI_CWT_SHARES
#define WSI_CWT_SHARES
/* The same four at a time, by the divider alone: Newton's steps take more of what else there is to
 * do than it does. */
WSI_FN __m256d
cwt_shares(__m256d size)
{
	const __m256d some = _mm256_cmp_pd(size, _mm256_setzero_pd(), _CMP_GT_OQ);
	return _mm256_and_pd(some, _mm256_set1_pd(1.0) / size);
}

WSI_FN void
cwt_add_four(double *to, __m256d x)
{
	_mm256_storeu_pd(to, _mm256_loadu_pd(to) + x);
}
#endif

/* Four complex numbers as doubles. */
WSI_FN void
FN(cwt_four)(const REAL *w, __m256d *re, __m256d *im)
{
#if REAL_BITS == 64
	const __m256d a = _mm256_loadu_pd(w), b = _mm256_loadu_pd(w + 4);
	const __m256d even = _mm256_permute2f128_pd(a, b, 0x20);
	const __m256d odd = _mm256_permute2f128_pd(a, b, 0x31);
	*re = _mm256_unpacklo_pd(even, odd);
	*im = _mm256_unpackhi_pd(even, odd);
#else
	const __m128 a = _mm_loadu_ps(w), b = _mm_loadu_ps(w + 4);
	*re = _mm256_cvtps_pd(_mm_shuffle_ps(a, b, 0x88));
	*im = _mm256_cvtps_pd(_mm_shuffle_ps(a, b, 0xdd));
#endif
}
#endif

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
	size_t t = 0;
#ifdef WSI_ISA_AVX512
	for (; t + 8 <= e->count; t += 8) {
		__m512d x, y;
		FN(cwt_eight)(w + 2 * t, &x, &y);
		const __m512d share = cwt_shares(_mm512_sqrt_pd(x * x + y * y));
		cwt_add_eight(re + t, x * share);
		cwt_add_eight(im + t, y * share);
	}
#elif defined(WSI_ISA_AVX2)
	for (; t + 4 <= e->count; t += 4) {
		__m256d x, y;
		FN(cwt_four)(w + 2 * t, &x, &y);
		const __m256d share = cwt_shares(_mm256_sqrt_pd(x * x + y * y));
		cwt_add_four(re + t, x * share);
		cwt_add_four(im + t, y * share);
	}
#endif
	for (; t < e->count; ++t) {
		const double x = w[2 * t], y = w[2 * t + 1];
		averages_add_unit(x, y, __builtin_sqrt(x * x + y * y), &re[t], &im[t]);
	}
}

/* All sums in one pass, while the divider makes roots and quotients. */
WSI_FN void
FN(add_all)(const wsi_cwt_epoch *e, double *restrict power, double *restrict mean_re,
            double *restrict mean_im, double *restrict about, double *restrict unit_re,
            double *restrict unit_im)
{
	const REAL *restrict w = e->w;
	const double before = (double)e->before;
	size_t t = 0;
#ifdef WSI_ISA_AVX512
	const __m512d part = _mm512_set1_pd(before > 0.0 ? 1.0 / before : 0.0);
	const __m512d weight = _mm512_set1_pd(before / (before + 1.0));
	for (; t + 8 <= e->count; t += 8) {
		__m512d x, y;
		FN(cwt_eight)(w + 2 * t, &x, &y);
		const __m512d squares = x * x + y * y, size = _mm512_sqrt_pd(squares);
		const __m512d re = _mm512_loadu_pd(mean_re + t), im = _mm512_loadu_pd(mean_im + t);
		const __m512d a = x - re * part, b = y - im * part;
		cwt_add_eight(power + t, squares);
		cwt_add_eight(about + t, (a * a + b * b) * weight);
		_mm512_storeu_pd(mean_re + t, re + x);
		_mm512_storeu_pd(mean_im + t, im + y);
		const __m512d share = cwt_shares(size);
		cwt_add_eight(unit_re + t, x * share);
		cwt_add_eight(unit_im + t, y * share);
	}
#elif defined(WSI_ISA_AVX2)
	const __m256d part = _mm256_set1_pd(before > 0.0 ? 1.0 / before : 0.0);
	const __m256d weight = _mm256_set1_pd(before / (before + 1.0));
	for (; t + 4 <= e->count; t += 4) {
		__m256d x, y;
		FN(cwt_four)(w + 2 * t, &x, &y);
		const __m256d squares = x * x + y * y, size = _mm256_sqrt_pd(squares);
		const __m256d re = _mm256_loadu_pd(mean_re + t), im = _mm256_loadu_pd(mean_im + t);
		const __m256d a = x - re * part, b = y - im * part;
		cwt_add_four(power + t, squares);
		cwt_add_four(about + t, (a * a + b * b) * weight);
		_mm256_storeu_pd(mean_re + t, re + x);
		_mm256_storeu_pd(mean_im + t, im + y);
		const __m256d share = cwt_shares(size);
		cwt_add_four(unit_re + t, x * share);
		cwt_add_four(unit_im + t, y * share);
	}
#endif
	for (; t < e->count; ++t) {
		const double x = w[2 * t], y = w[2 * t + 1], squares = x * x + y * y;
		power[t] += squares;
		averages_add(x, y, before, &mean_re[t], &mean_im[t], &about[t]);
		averages_add_unit(x, y, __builtin_sqrt(squares), &unit_re[t], &unit_im[t]);
	}
}

static void
FN(cwt_add_epoch)(const wsi_cwt_epoch *e)
{
	if (e->power && e->re && e->unit_re) {
		FN(add_all)(e, e->power, e->re, e->im, e->about, e->unit_re, e->unit_im);
		return;
	}
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
	size_t t = 0;
#ifdef WSI_ISA_AVX512
	for (; t + 8 <= count; t += 8) {
		__m512d a, b, c, d;
		FN(cwt_eight)(w + 2 * t, &a, &b);
		FN(cwt_eight)(v + 2 * t, &c, &d);
		const __m512d pw = a * a + b * b, pv = c * c + d * d;
		const __m512d x = a * c + b * d, y = b * c - a * d;
		const __m512d share = cwt_shares(_mm512_sqrt_pd(pw) * cwt_roots(pv));
		cwt_add_eight(power_w + t, pw);
		cwt_add_eight(power_v + t, pv);
		cwt_add_eight(re + t, x);
		cwt_add_eight(im + t, y);
		cwt_add_eight(unit_re + t, x * share);
		cwt_add_eight(unit_im + t, y * share);
	}
#elif defined(WSI_ISA_AVX2)
	for (; t + 4 <= count; t += 4) {
		__m256d a, b, c, d;
		FN(cwt_four)(w + 2 * t, &a, &b);
		FN(cwt_four)(v + 2 * t, &c, &d);
		const __m256d pw = a * a + b * b, pv = c * c + d * d;
		const __m256d x = a * c + b * d, y = b * c - a * d;
		const __m256d share = cwt_shares(_mm256_sqrt_pd(pw) * _mm256_sqrt_pd(pv));
		cwt_add_four(power_w + t, pw);
		cwt_add_four(power_v + t, pv);
		cwt_add_four(re + t, x);
		cwt_add_four(im + t, y);
		cwt_add_four(unit_re + t, x * share);
		cwt_add_four(unit_im + t, y * share);
	}
#endif
	for (; t < count; ++t)
		averages_add_pair(w[2 * t], w[2 * t + 1], v[2 * t], v[2 * t + 1], &power_w[t],
		                  &power_v[t], &re[t], &im[t], &unit_re[t], &unit_im[t]);
}

static void
FN(cwt_add_pair)(const wsi_cwt_pair *p)
{
	FN(add_both)(p->w, p->v, p->count, p->power_w, p->power_v, p->re, p->im, p->unit_re,
	             p->unit_im);
}
