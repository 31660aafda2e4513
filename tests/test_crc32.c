/* test_crc32.c - the checksum of results: its value is zlib's, however it is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/crc32.h"
#include "wavesift/checksum.h"

/* Bit by bit, of the definition. */
static uint32_t
defined(uint32_t crc, const unsigned char *p, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; ++i)
		for (int bit = 0; bit < 8; ++bit) {
			const uint32_t one = (crc ^ (uint32_t)p[i] >> bit) & 1;
			crc = crc >> 1 ^ (one ? 0xedb88320u : 0);
		}
	return ~crc;
}

static void
known(void **state)
{
	(void)state;
	assert_int_equal(ws_crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(ws_crc32(0, "", 0), 0);
	assert_int_equal(ws_crc32(7, NULL, 0), 7);
}

/* Of any length and place, by products of any width, in one piece or two; and of zeros. */
static void
any_length(void **state)
{
	enum { MOST = 1200 };
	static unsigned char bytes[MOST + 64];
	(void)state;
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof bytes; ++i)
		bytes[i] = (unsigned char)((x = x * 1664525u + 1013904223u) >> 24);
	for (size_t n = 0; n < MOST; ++n) {
		const unsigned char *p = bytes + n % 37;
		const uint32_t first = (uint32_t)n * 2654435761u, want = defined(first, p, n);
		assert_int_equal(wsi_crc32(first, p, n), want);
		for (size_t most = 0; most <= 64; most = most ? 2 * most : 16)
			assert_int_equal(wsi_crc32_by(most, first, p, n), want);
		const uint32_t half = ws_crc32(first, p, n / 3);
		assert_int_equal(ws_crc32(half, p + n / 3, n - n / 3), want);
	}
	unsigned char *zeros = calloc(10000, 1);
	for (size_t n = 0; n < 10000; n += 997)
		assert_int_equal(wsi_crc32_zeros(n), defined(0, zeros, n));
	free(zeros);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known), cmocka_unit_test(any_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
