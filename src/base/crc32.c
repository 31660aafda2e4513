/*
 * crc32.c - the checksum of zip, zlib and PNG, many bytes at a time.
 *
 * Polynomials over two elements, bits reflected: the lowest bit is the highest power.  Eight bytes
 * at a time by tables; on x86 sixteen by carryless products, four at once: some 10 bytes a cycle;
 * with such of 32 and of 64 bytes (AVX2, AVX-512) up to twice and three times as many.
 */
#include "base/crc32.h"

#include <pthread.h>
#include <stdbool.h>

#define POLYNOMIAL 0xedb88320u

/* table[k][b]: what byte b does to the sum when k more bytes follow. */
static uint32_t table[8][256];

static void
make_tables(void)
{
	for (uint32_t b = 0; b < 256; ++b) {
		uint32_t c = b;
		for (int i = 0; i < 8; ++i)
			c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
		table[0][b] = c;
	}
	for (int k = 1; k < 8; ++k)
		for (uint32_t b = 0; b < 256; ++b)
			table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

/* state: the complement of a sum. */
static uint32_t
by_tables(uint32_t state, const unsigned char *p, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_tables);
	for (; n >= 8; n -= 8, p += 8) {
		const uint32_t low = state ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8
		                              | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
		state = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255]
		        ^ table[4][low >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]]
		        ^ table[0][p[7]];
	}
	for (; n > 0; --n)
		state = state >> 8 ^ table[0][(state ^ *p++) & 255];
	return state;
}

#if defined(__x86_64__)

#include <immintrin.h>

/* Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel
 * 2009.  Powers of x modulo the polynomial: those that carry 128 bits over 16 x 128 bits, over
 * 4 x 128, over 128 and over 64; then the polynomial, and its quotient for Barrett's reduction. */
#define OVER_16 0x01322d1430, 0x011542778a
#define OVER_4 0x01c6e41596, 0x0154442bd4
#define OVER_1 0x00ccaa009e, 0x01751997d0

/* The sum of 64 bytes at x, which hold the state, and n more; n: a multiple of 16. */
__attribute__((target("pclmul,sse4.1"))) static uint32_t
go_on(__m128i x[4], const unsigned char *p, size_t n)
{
	const __m128i over4 = _mm_set_epi64x(OVER_4);
	const __m128i over1 = _mm_set_epi64x(OVER_1);
	const __m128i half = _mm_set_epi64x(0, 0x0163cd6124);
	const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
	const __m128i mask = _mm_setr_epi32(~0, 0, ~0, 0);
	for (; n >= 64; p += 64, n -= 64)
		for (int i = 0; i < 4; ++i) {
			const __m128i next =
				_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
			const __m128i low = _mm_clmulepi64_si128(x[i], over4, 0x00);
			const __m128i high = _mm_clmulepi64_si128(x[i], over4, 0x11);
			x[i] = _mm_xor_si128(_mm_xor_si128(low, high), next);
		}
	__m128i sum = x[0];
	for (int i = 1; i < 4 || n > 0; ++i) {
		__m128i next;
		if (i < 4) {
			next = x[i];
		} else {
			next = _mm_loadu_si128((const __m128i *)(const void *)p);
			p += 16;
			n -= 16;
		}
		const __m128i low = _mm_clmulepi64_si128(sum, over1, 0x00);
		const __m128i high = _mm_clmulepi64_si128(sum, over1, 0x11);
		sum = _mm_xor_si128(_mm_xor_si128(low, high), next);
	}
	__m128i t = _mm_clmulepi64_si128(sum, over1, 0x10);
	sum = _mm_xor_si128(_mm_srli_si128(sum, 8), t);
	t = _mm_srli_si128(sum, 4);
	sum = _mm_clmulepi64_si128(_mm_and_si128(sum, mask), half, 0x00);
	sum = _mm_xor_si128(sum, t);
	t = _mm_clmulepi64_si128(_mm_and_si128(sum, mask), barrett, 0x10);
	t = _mm_clmulepi64_si128(_mm_and_si128(t, mask), barrett, 0x00);
	return (uint32_t)_mm_extract_epi32(_mm_xor_si128(sum, t), 1);
}

/* Bytes that lie in memory are asked for so far ahead, also beyond the last: 18 GB/s for 13. */
#define AHEAD 1024
#define ASK(at) __builtin_prefetch((at) + AHEAD)

/* n: a multiple of 16, 64 at least. */
__attribute__((target("pclmul,sse4.1"))) static uint32_t
by_products(uint32_t state, const unsigned char *p, size_t n)
{
	__m128i x[4];
	for (int i = 0; i < 4; ++i)
		x[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
	x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)state));
	return go_on(x, p + 64, n - 64);
}

__attribute__((target("avx512f,vpclmulqdq"))) static inline __m512i
carry(__m512i x, __m512i over, __m512i next)
{
	return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(x, over, 0x00),
	                                 _mm512_clmulepi64_epi128(x, over, 0x11), next, 0x96);
}

/* The same, 256 at least: four such at once. */
__attribute__((target("avx512f,vpclmulqdq"))) static uint32_t
by_wide_products(uint32_t state, const unsigned char *p, size_t n)
{
	const __m512i over16 = _mm512_broadcast_i32x4(_mm_set_epi64x(OVER_16));
	const __m512i over4 = _mm512_broadcast_i32x4(_mm_set_epi64x(OVER_4));
	__m512i x[4];
	__m128i rest[4];
	for (int i = 0; i < 4; ++i)
		x[i] = _mm512_loadu_si512(p + 64 * i);
	x[0] = _mm512_xor_si512(x[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)state)));
	for (p += 256, n -= 256; n >= 256; p += 256, n -= 256)
		for (int i = 0; i < 4; ++i) {
			ASK(p + 64 * i);
			x[i] = carry(x[i], over16, _mm512_loadu_si512(p + 64 * i));
		}
	for (int i = 1; i < 4; ++i)
		x[i] = carry(x[i - 1], over4, x[i]);
	_mm512_storeu_si512(rest, x[3]);
	return go_on(rest, p, n);
}

__attribute__((target("avx2,vpclmulqdq"))) static inline __m256i
carry_two(__m256i x, __m256i over, __m256i next)
{
	const __m256i low = _mm256_clmulepi64_epi128(x, over, 0x00);
	const __m256i high = _mm256_clmulepi64_epi128(x, over, 0x11);
	return _mm256_xor_si256(_mm256_xor_si256(low, high), next);
}

/* The same by products of 32 bytes. */
__attribute__((target("avx2,vpclmulqdq"))) static uint32_t
by_double_products(uint32_t state, const unsigned char *p, size_t n)
{
	const __m256i over16 = _mm256_broadcastsi128_si256(_mm_set_epi64x(OVER_16));
	const __m256i over4 = _mm256_broadcastsi128_si256(_mm_set_epi64x(OVER_4));
	__m256i x[8];
	__m128i rest[4];
	for (int i = 0; i < 8; ++i)
		x[i] = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32 * i));
	x[0] = _mm256_xor_si256(x[0], _mm256_zextsi128_si256(_mm_cvtsi32_si128((int)state)));
	for (p += 256, n -= 256; n >= 256; p += 256, n -= 256)
		for (int i = 0; i < 8; ++i) {
			if (i % 2 == 0)
				ASK(p + 32 * i);
			x[i] = carry_two(x[i], over16, _mm256_loadu_si256(
				(const __m256i *)(const void *)(p + 32 * i)));
		}
	for (int i = 2; i < 8; ++i)
		x[i] = carry_two(x[i - 2], over4, x[i]);
	_mm256_storeu_si256((__m256i *)(void *)rest, x[6]);
	_mm256_storeu_si256((__m256i *)(void *)(rest + 2), x[7]);
	return go_on(rest, p, n);
}

/* By the widest products that there are, of at most so many bytes, as many bytes of n as these can
 * take. */
static size_t
begin(size_t most, uint32_t *state, const unsigned char *p, size_t n)
{
	const size_t taken = n / 16 * 16;
	if (most < 16 || n < 64 || !__builtin_cpu_supports("pclmul") ||
	    !__builtin_cpu_supports("sse4.1"))
		return 0;
	const bool wide = n >= 256 && __builtin_cpu_supports("vpclmulqdq");
	if (wide && most >= 64 && __builtin_cpu_supports("avx512f"))
		*state = by_wide_products(*state, p, taken);
	else if (wide && most >= 32 && __builtin_cpu_supports("avx2"))
		*state = by_double_products(*state, p, taken);
	else
		*state = by_products(*state, p, taken);
	return taken;
}

#else

static size_t
begin(size_t most, uint32_t *state, const unsigned char *p, size_t n)
{
	(void)most, (void)state, (void)p, (void)n;
	return 0;
}

#endif

uint32_t
wsi_crc32_by(size_t most, uint32_t crc, const void *bytes, size_t n)
{
	uint32_t state = ~crc;
	const size_t taken = begin(most, &state, bytes, n);
	return ~by_tables(state, (const unsigned char *)bytes + taken, n - taken);
}

uint32_t
wsi_crc32(uint32_t crc, const void *bytes, size_t n)
{
	return wsi_crc32_by(64, crc, bytes, n);
}

uint32_t
wsi_crc32_zeros(uint64_t n)
{
	static const unsigned char zeros[4096];
	uint32_t crc = 0;
	for (uint64_t left = n, step; left > 0; left -= step) {
		step = left < sizeof zeros ? left : sizeof zeros;
		crc = wsi_crc32(crc, zeros, (size_t)step);
	}
	return crc;
}
