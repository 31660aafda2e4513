/*
 * test_fft_wanted.c - transforms of which some samples are wanted: those are what they are where
 * all are, to the bit, in two arrays and as complex numbers, for any length and instruction set.
 * Convolutions are two transforms and a product between them, to the bit, too; nothing is read
 * where they have zeros.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"
#include "ops/cwt_ops.h"
#include "ops/fft.h"
#include "ops/ops.h"

typedef struct bench {
	wsi_fft *fft;
	ws_type type;
	size_t n, bytes;        /* of a number */
	char *x[2], *want[2], *got[2]; /* [n]; of got the first has room for both */
	void *scratch;
} bench;

static void *
lines(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
	assert_non_null(p);
	return p;
}

static bench
begin(size_t n, ws_type type)
{
	bench b = { .type = type, .n = n, .bytes = type_size(type) };
	rng r = { n };
	assert_int_equal(wsi_fft_create(&b.fft, type, n), WS_OK);
	assert_int_equal(wsi_fft_fill(b.fft, NULL), WS_OK);
	b.scratch = lines(wsi_fft_scratch(b.fft));
	for (int part = 0; part < 2; ++part) {
		b.x[part] = lines(n * b.bytes);
		b.want[part] = lines(n * b.bytes);
		b.got[part] = lines(2 * n * b.bytes);
		for (size_t t = 0; t < n; ++t) {
			const double v = rng_normal(&r);
			to_type(type, &v, 1, b.x[part] + t * b.bytes);
		}
	}
	const wsi_fft_in in = { .re = b.x[0], .im = b.x[1] };
	wsi_ops_find("plain", type)->cwt->inverse(b.fft, &in, b.want[0], b.want[1], b.scratch);
	return b;
}

static void
end(bench *b)
{
	for (int part = 0; part < 2; ++part) {
		free(b->x[part]);
		free(b->want[part]);
		free(b->got[part]);
	}
	free(b->scratch);
	wsi_fft_destroy(b->fft);
}

static void
in_two_arrays(bench *b, const char *isa, size_t first, size_t count)
{
	const wsi_fft_in in = { .re = b->x[0], .im = b->x[1], .wanted = first,
		.wanted_count = count };
	const size_t e = b->bytes, whole = b->n - first < count ? b->n - first : count;
	for (int part = 0; part < 2; ++part)
		memset(b->got[part], 255, b->n * e);
	wsi_ops_find(isa, b->type)->cwt->inverse(b->fft, &in, b->got[0], b->got[1], b->scratch);
	for (int part = 0; part < 2; ++part)
		if (memcmp(b->got[part] + first * e, b->want[part] + first * e, whole * e) != 0 ||
		    memcmp(b->got[part], b->want[part], (count - whole) * e) != 0)
			fail_msg("%s, %zu bytes: %zu of %zu samples from %zu on", isa, e, count,
			         b->n, first);
}

static void
as_complex_numbers(bench *b, const char *isa, size_t count, bool stream)
{
	const wsi_fft_in in = { .re = b->x[0], .im = b->x[1] };
	const wsi_cwt_store how = { .quantity = WS_QUANTITY_COMPLEX, .scale = 1.0,
		.stream = stream };
	const size_t e = b->bytes;
	memset(b->got[0], 255, 2 * b->n * e);
	wsi_ops_find(isa, b->type)->cwt->inverse_store(b->fft, &in, &how, count, b->got[0],
	                                               b->scratch);
	for (size_t i = 0; i < 2 * b->n; ++i) {
		static const unsigned char none[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
		const char *want = i / 2 < count ? b->want[i % 2] + i / 2 * e : (const char *)none;
		if (memcmp(b->got[0] + i * e, want, e) != 0)
			fail_msg("%s, %zu bytes: complex number %zu, %zu of %zu wanted", isa, e,
			         i / 2, count, b->n);
	}
}

static void
of_length(size_t n, ws_type type)
{
	bench b = begin(n, type);
	const size_t counts[] = { 1, n / 4, n / 16 * 5, n / 16 * 5 + 1, n / 2 + 3, n - 1, n };
	const size_t firsts[] = { 0, 7, n / 2, n - 3 };
	const char *isa;
	for (int i = 1; (isa = isa_to_test(i)); ++i)
		for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
			for (size_t f = 0; f < sizeof firsts / sizeof *firsts; ++f)
				if (counts[k] < n || firsts[f] == 0)
					in_two_arrays(&b, isa, firsts[f], counts[k]);
			as_complex_numbers(&b, isa, counts[k], false);
			as_complex_numbers(&b, isa, counts[k], true);
		}
	end(&b);
}

/* What a convolution with x for `times` is, of parts that are x backwards but for zeros, into
 * want. */
static void
by_transforms(bench *b, size_t zero, size_t end, bool back)
{
	const wsi_cwt_ops *plain = wsi_ops_find("plain", b->type)->cwt;
	double *re = (double *)b->want[0], *im = (double *)b->want[1];
	const double *c = (double *)b->x[0], *d = (double *)b->x[1];
	const wsi_fft_in in = { .re = re, .im = im };
	for (size_t k = 0; k < b->n; ++k) {
		re[k] = k >= zero && k < end ? 0.0 : c[b->n - 1 - k];
		im[k] = k >= zero && k < end ? 0.0 : d[b->n - 1 - k];
	}
	plain->inverse(b->fft, &in, re, im, b->scratch);
	for (size_t k = 0; k < b->n; ++k) {
		const size_t at = back ? (b->n - k) % b->n : k;
		const double x = re[k], y = im[k];
		re[k] = 0.25 * (x * c[at] - y * d[at]);
		im[k] = -0.25 * (x * d[at] + y * c[at]);
	}
	plain->inverse(b->fft, &in, re, im, b->scratch);
}

static void
convolve(bench *b, const char *isa, size_t zero, size_t end, bool back, size_t count)
{
	double *parts = (double *)b->got[0];
	const double *c = (double *)b->x[0], *d = (double *)b->x[1];
	for (size_t k = 0; k < b->n; ++k) {
		const bool none = k >= zero && k < end;
		parts[k] = none ? NAN : c[b->n - 1 - k];
		parts[b->n + k] = none ? NAN : d[b->n - 1 - k];
	}
	double *more = lines(2 * (b->n + 1) * sizeof *more);
	memcpy(more, c, b->n * sizeof *c);
	memcpy(more + b->n + 1, d, b->n * sizeof *d);
	more[b->n] = c[0];
	more[2 * b->n + 1] = d[0];
	const wsi_fft_convolution of = { .parts = parts, .zero = zero, .end = end,
		.times_re = more, .times_im = more + b->n + 1, .share = 0.25, .back = back,
		.wanted_count = count };
	wsi_ops_find(isa, b->type)->cwt->convolve(b->fft, &of, b->scratch);
	if (memcmp(parts, b->want[0], count * sizeof *parts) != 0 ||
	    memcmp(parts + b->n, b->want[1], count * sizeof *parts) != 0)
		fail_msg("%s: %zu of %zu, zeros from %zu to %zu, back %d", isa, count, b->n, zero,
		         end, back);
	free(more);
}

static void
convolutions_of(size_t n)
{
	bench b = begin(n, WS_F64);
	const size_t gaps[][2] = { { 0, 0 }, { n, n }, { n / 2 - 3, n }, { 5, n - 2 }, { 17, 19 },
		{ n / 3, n / 3 + 40 }, { 1, n }, { 0, n - 1 }, { 16, n - 16 } };
	const char *isa;
	for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g)
		for (int back = 0; back < 2; ++back) {
			by_transforms(&b, gaps[g][0], gaps[g][1], back);
			for (int i = 1; (isa = isa_to_test(i)); ++i)
				convolve(&b, isa, gaps[g][0], gaps[g][1], back,
				         g % 2 ? n : n / 3 + 1);
		}
	end(&b);
}

static void
any_convolution(void **state)
{
	(void)state;
	for (size_t n = 256; n <= 6400; n += 256)
		if (wsi_fft_fits(n))
			convolutions_of(n);
	convolutions_of(36864);
	convolutions_of(81920);
}

/* The last two ask for rows ahead. */
static void
any_length(void **state)
{
	(void)state;
	for (ws_type type = WS_F64; type <= WS_F32; ++type) {
		for (size_t n = 256; n <= 6400; n += 256)
			if (wsi_fft_fits(n))
				of_length(n, type);
		of_length(36864, type);
		of_length(81920, type);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_length),
		cmocka_unit_test(any_convolution),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
