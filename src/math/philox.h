/*
 * philox.h - Philox4x32-10: random bits as a pure function of a counter and a key (Salmon, Moraes,
 * Dror & Shaw 2011, Parallel random numbers: as easy as 1, 2, 3).
 */
#ifndef WSI_MATH_PHILOX_H
#define WSI_MATH_PHILOX_H

#include "math/real.h"

WSI_FN void
philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
	uint32_t even = key[0], odd = key[1];
	for (int round = 0; round < 10; ++round) {
		const uint64_t p = (uint64_t)0xd2511f53u * a, q = (uint64_t)0xcd9e8d57u * c;
		a = (uint32_t)(q >> 32) ^ b ^ even;
		b = (uint32_t)q;
		c = (uint32_t)(p >> 32) ^ d ^ odd;
		d = (uint32_t)p;
		even += 0x9e3779b9u;
		odd += 0xbb67ae85u;
	}
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = d;
}

#endif
