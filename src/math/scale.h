/*
 * scale.h - template: multiplication by powers of two of any size, exact but where the
 * result is subnormal, and then rounded once.
 */
#include "math/real.h"

#undef POWER_BIAS
#undef POWER_SHIFT
#undef POWER_BITS
#if REAL_BITS == 64
#define POWER_BIAS 1023
#define POWER_SHIFT 52
#define POWER_BITS int64_t
#else
#define POWER_BIAS 127
#define POWER_SHIFT 23
#define POWER_BITS int32_t
#endif

/* x 2^exponent is x * one * two. */
typedef struct FN(power) { REAL one, two; } FN(power);

/* 2^exponent where that is a normal number. */
WSI_FN REAL
FN(normal_power)(int exponent)
{
	const POWER_BITS bits = (POWER_BITS)(exponent + POWER_BIAS) << POWER_SHIFT;
	REAL p;
	memcpy(&p, &bits, sizeof p);
	return p;
}

/*
 * Any exponent that takes a number of the type to one near 1, or back.  Beyond the normal
 * numbers two factors share it: what the first makes subnormal is zero after the second, so that
 * nothing is rounded twice.
 */
WSI_FN FN(power)
FN(power_of_two)(int exponent)
{
	const bool normal = exponent > -POWER_BIAS && exponent <= POWER_BIAS;
	const int first = normal ? exponent : exponent / 2;
	const FN(power) p = { FN(normal_power)(first), FN(normal_power)(exponent - first) };
	return p;
}
