/*
 * dft.h - template: complex numbers, and inverse transforms of two to five and of eight points, of
 * which ops/fft.h makes longer ones.
 *
 * Besides REAL and FN (real.h) whoever includes it defines
 *     VEC              REAL, or a vector of it
 *     VEC_SET(c)       a REAL as a VEC
 *     VEC_FMA(a,b,c)   a * b + c rounded once
 */
#include "math/real.h"

typedef struct FN(cvec) { VEC re, im; } FN(cvec);

WSI_FN FN(cvec)
FN(complex_of)(VEC re, VEC im)
{
	FN(cvec) c;
	c.re = re;
	c.im = im;
	return c;
}

WSI_FN FN(cvec)
FN(cadd)(FN(cvec) a, FN(cvec) b)
{
	return FN(complex_of)(a.re + b.re, a.im + b.im);
}

WSI_FN FN(cvec)
FN(csub)(FN(cvec) a, FN(cvec) b)
{
	return FN(complex_of)(a.re - b.re, a.im - b.im);
}

/* i a */
WSI_FN FN(cvec)
FN(ctimes_i)(FN(cvec) a)
{
	return FN(complex_of)(-a.im, a.re);
}

/* a (c + i s) */
WSI_FN FN(cvec)
FN(cmul)(FN(cvec) a, VEC c, VEC s)
{
	return FN(complex_of)(VEC_FMA(a.re, c, -(a.im * s)), VEC_FMA(a.re, s, a.im * c));
}

/* a + c b */
WSI_FN FN(cvec)
FN(cadd_scaled)(FN(cvec) a, REAL c, FN(cvec) b)
{
	const VEC v = VEC_SET(c);
	return FN(complex_of)(VEC_FMA(b.re, v, a.re), VEC_FMA(b.im, v, a.im));
}

/* All in place. */
WSI_FN void
FN(dft2)(FN(cvec) *x)
{
	const FN(cvec) a = x[0], b = x[1];
	x[0] = FN(cadd)(a, b);
	x[1] = FN(csub)(a, b);
}

WSI_FN void
FN(dft3)(FN(cvec) *x)
{
	const REAL sine = (REAL)0.86602540378443864676;
	const FN(cvec) sum = FN(cadd)(x[1], x[2]);
	const FN(cvec) middle = FN(cadd_scaled)(x[0], (REAL)-0.5, sum);
	const FN(cvec) side = FN(ctimes_i)(FN(csub)(x[1], x[2]));
	x[0] = FN(cadd)(x[0], sum);
	x[1] = FN(cadd_scaled)(middle, sine, side);
	x[2] = FN(cadd_scaled)(middle, -sine, side);
}

WSI_FN void
FN(dft4)(FN(cvec) *x)
{
	const FN(cvec) a = FN(cadd)(x[0], x[2]), b = FN(csub)(x[0], x[2]);
	const FN(cvec) c = FN(cadd)(x[1], x[3]), d = FN(ctimes_i)(FN(csub)(x[1], x[3]));
	x[0] = FN(cadd)(a, c);
	x[1] = FN(cadd)(b, d);
	x[2] = FN(csub)(a, c);
	x[3] = FN(csub)(b, d);
}

WSI_FN void
FN(dft5)(FN(cvec) *x)
{
	const REAL c1 = (REAL)0.30901699437494742410, c2 = (REAL)-0.80901699437494742410;
	const REAL s1 = (REAL)0.95105651629515357212, s2 = (REAL)0.58778525229247312917;
	const FN(cvec) p = FN(cadd)(x[1], x[4]), q = FN(cadd)(x[2], x[3]);
	const FN(cvec) d = FN(ctimes_i)(FN(csub)(x[1], x[4])),
		e = FN(ctimes_i)(FN(csub)(x[2], x[3]));
	const FN(cvec) a = FN(cadd_scaled)(FN(cadd_scaled)(x[0], c1, p), c2, q);
	const FN(cvec) b = FN(cadd_scaled)(FN(cadd_scaled)(x[0], c2, p), c1, q);
	x[0] = FN(cadd)(x[0], FN(cadd)(p, q));
	x[1] = FN(cadd_scaled)(FN(cadd_scaled)(a, s1, d), s2, e);
	x[4] = FN(cadd_scaled)(FN(cadd_scaled)(a, -s1, d), -s2, e);
	x[2] = FN(cadd_scaled)(FN(cadd_scaled)(b, s2, d), -s1, e);
	x[3] = FN(cadd_scaled)(FN(cadd_scaled)(b, -s2, d), s1, e);
}

WSI_FN void
FN(dft8)(FN(cvec) *x)
{
	const REAL h = (REAL)0.70710678118654752440;
	FN(cvec) even[4] = { x[0], x[2], x[4], x[6] }, odd[4] = { x[1], x[3], x[5], x[7] };
	FN(dft4)(even);
	FN(dft4)(odd);
	const FN(cvec) one = FN(complex_of)(odd[1].re - odd[1].im, odd[1].re + odd[1].im);
	const FN(cvec) two = FN(ctimes_i)(odd[2]);
	const FN(cvec) three = FN(complex_of)(-(odd[3].re + odd[3].im), odd[3].re - odd[3].im);
	x[0] = FN(cadd)(even[0], odd[0]);
	x[4] = FN(csub)(even[0], odd[0]);
	x[1] = FN(cadd_scaled)(even[1], h, one);
	x[5] = FN(cadd_scaled)(even[1], -h, one);
	x[2] = FN(cadd)(even[2], two);
	x[6] = FN(csub)(even[2], two);
	x[3] = FN(cadd_scaled)(even[3], h, three);
	x[7] = FN(cadd_scaled)(even[3], -h, three);
}
