/*
 * decibel.h - decibels as a ratio of energies.  Rules compare with it, so that it is the same on
 * every machine; libm's pow is not.
 */
#ifndef WSI_MATH_DECIBEL_H
#define WSI_MATH_DECIBEL_H

#include <math.h>

#include "math/real.h"

/* A number as the sum of two, the second below the last digit of the first. */
typedef struct decibel_pair { double high, low; } decibel_pair;

WSI_FN decibel_pair
decibel_product(decibel_pair a, decibel_pair b)
{
	const double p = a.high * b.high;
	const double rest = fma(a.high, b.high, -p) + fma(a.high, b.low, a.low * b.high);
	const double sum = p + rest;
	const decibel_pair product = { sum, rest - (sum - p) };
	return product;
}

/* 10^k, 0 <= k <= 308. */
WSI_FN decibel_pair
decibel_power_of_ten(int k)
{
	decibel_pair power = { 1.0, 0.0 }, square = { 10.0, 0.0 };
	for (; k > 0; k /= 2) {
		if (k % 2)
			power = decibel_product(power, square);
		if (k > 1)
			square = decibel_product(square, square);
	}
	return power;
}

/*
 * 10^(db / 10) for db >= 0, within 1 ulp; exact where it is a whole number below 2^53.  Infinite
 * from 3090 dB on.  db = 10 k + f; 10^(f / 10) = 2^e exp(t), |t| <= ln(2) / 2, by Taylor's series,
 * whose first term left out is below 1e-18.
 */
WSI_FN double
decibel_ratio(double db)
{
	if (!(db < 3090.0))
		return HUGE_VAL;
	const double tens = floor(db / 10.0), f = fma(-10.0, tens, db);
	/* log2(10) / 10 = high + low */
	const double high = 0x1.542a5a12e1c5bp-2, low = -0x1.33e2bb36cd142p-56;
	const double product = f * high, e = floor(product + 0.5);
	const double part = product - e, part_low = fma(f, high, -product) + f * low;
	const double ln2 = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
	const double t = part * ln2;
	const double t_low = fma(part, ln2, -t) + fma(part, ln2_low, part_low * ln2);
	double series = 1.0 / 87178291200.0; /* 1 / 14! */
	const double inverse_factorial[14] = {
		1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
		1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0
	};
	for (int i = 13; i >= 2; --i)
		series = fma(series, t, inverse_factorial[i]);
	const double one = 1.0 + t;
	const double rest = (t - (one - 1.0)) + fma(series, t * t, fma(t, t_low, t_low));
	double scale = 1.0;
	for (int i = 0; i < (int)e; ++i)
		scale *= 2.0;
	const decibel_pair fraction = { one * scale, rest * scale };
	return decibel_product(fraction, decibel_power_of_ten((int)tens)).high;
}

/* e^x. */
WSI_FN double
decibel_exp(double x)
{
	const double decibels = x * 4.342944819032518;
	return decibels >= 0.0 ? decibel_ratio(decibels) : 1.0 / decibel_ratio(-decibels);
}

#endif
