/*
 * gaussian.h - white Gaussian noise as a pure function of (seed, stream,
 * realization, sample): Philox4x32-10 (philox.h) and Box & Muller 1958 with
 * logarithm and sine of our own, so that every machine draws the same bits.
 *
 * Samples 2 i and 2 i + 1 share one counter { i low, i high, realization,
 * stream } and are the cosine and sine of one angle.
 */
#ifndef WSI_MATH_GAUSSIAN_H
#define WSI_MATH_GAUSSIAN_H

#include <math.h>
#include <string.h>
#ifdef __CUDACC__
#include <Random123/philox.h>
#endif

#include "math/cos_sin.h"
#include "math/philox.h"

/* ln(u), 0 < u <= 1, within 2 ulp: u = m 2^e with m in [sqrt(1/2), sqrt(2)),
 * ln(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716.  This gives s and e. */
WSI_FN double
gaussian_log_ratio(double u, double *exponent)
{
	uint64_t bits;
	memcpy(&bits, &u, sizeof bits);
	/* Adding the distance from sqrt(1/2) to 1 rounds the exponent there. */
	const uint64_t biased = (bits + 0x00095f619980c433u) >> 52;
	/* Of 32 bits: AVX2 makes no doubles of longer integers. */
	*exponent = (double)((int32_t)biased - 1023);
	bits -= (biased - 1023u) << 52;
	double m;
	memcpy(&m, &bits, sizeof m);
	return (m - 1.0) / (m + 1.0);
}

WSI_FN double
gaussian_log_of(double s, double e)
{
	double z = s * s;
	double p = 1.0 / 23.0;
	p = fma(p, z, 1.0 / 21.0);
	p = fma(p, z, 1.0 / 19.0);
	p = fma(p, z, 1.0 / 17.0);
	p = fma(p, z, 1.0 / 15.0);
	p = fma(p, z, 1.0 / 13.0);
	p = fma(p, z, 1.0 / 11.0);
	p = fma(p, z, 1.0 / 9.0);
	p = fma(p, z, 1.0 / 7.0);
	p = fma(p, z, 1.0 / 5.0);
	p = fma(p, z, 1.0 / 3.0);
	double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
	double tail = fma(e, ln2_low, 2.0 * s * z * p);
	return fma(e, ln2_high, fma(2.0, s, tail));
}

WSI_FN double
gaussian_log(double u)
{
	double e;
	const double s = gaussian_log_ratio(u, &e);
	return gaussian_log_of(s, e);
}

/* cos and sin of 2 pi v, 0 <= v < 1: whole quarter turns are exact. */
WSI_FN void
gaussian_turn(double v, double *cosine, double *sine)
{
	double quarter = floor(fma(4.0, v, 0.5));
	double t = fma(-0.25, quarter, v) * 0x1.921fb54442d18p2; /* |t| <= pi / 4 */
	cos_sin(t, quarter, cosine, sine);
}

/* The random bits of samples 2 pair and 2 pair + 1: two integers of 53 bits. */
WSI_FN void
gaussian_bits(uint64_t seed, uint32_t stream, uint32_t realization, uint64_t pair, uint64_t bits[2])
{
#ifdef __CUDACC__
	/* The same function of Random123, with which the kernels were tried out on GPUs. */
	philox4x32_ctr_t counter = { { (uint32_t)pair, (uint32_t)(pair >> 32), realization,
	                               stream } };
	philox4x32_key_t key = { { (uint32_t)seed, (uint32_t)(seed >> 32) } };
	philox4x32_ctr_t r = philox4x32(counter, key);
	bits[0] = ((uint64_t)r.v[1] << 32 | r.v[0]) >> 11;
	bits[1] = ((uint64_t)r.v[3] << 32 | r.v[2]) >> 11;
#else
	const uint32_t counter[4] = { (uint32_t)pair, (uint32_t)(pair >> 32), realization, stream };
	const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
	uint32_t r[4];
	philox(counter, key, r);
	bits[0] = ((uint64_t)r[1] << 32 | r[0]) >> 11;
	bits[1] = ((uint64_t)r[3] << 32 | r[2]) >> 11;
#endif
}

/* The two samples that they stand for. */
WSI_FN void
gaussian_from_bits(uint64_t a, uint64_t b, double *z0, double *z1)
{
	/* Below 2^53 integers convert exactly, signed or not. */
	double radius = sqrt(-2.0 * gaussian_log((double)(int64_t)(a + 1) * 0x1p-53));
	double c, s;
	gaussian_turn((double)(int64_t)b * 0x1p-53, &c, &s);
	*z0 = radius * c;
	*z1 = radius * s;
}

/* Samples 2 pair and 2 pair + 1. */
WSI_FN void
gaussian_pair(uint64_t seed, uint32_t stream, uint32_t realization, uint64_t pair, double z[2])
{
	uint64_t bits[2];
	gaussian_bits(seed, stream, realization, pair, bits);
	gaussian_from_bits(bits[0], bits[1], &z[0], &z[1]);
}

#endif
