/*
 * test_directions.c - the directions of multivariate EMD: the numbers they are
 * made of against libm, memd.m's construction by angles, unit length, evenness.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "core_test.h"
#include "math/quasi.h"
#include "transform/emd/directions.h"
#include "transform/emd/emd.h"

/* ---- Numbers ------------------------------------------------------------------- */

static void
test_radical_inverse(void **state)
{
	(void)state;
	static const double of_2[] = { 0.0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875 };
	for (uint32_t n = 0; n < 8; ++n)
		assert_true(radical_inverse(n, 2) == of_2[n]);
	assert_true(radical_inverse(0x80000000u, 2) == 0x1p-32);
	assert_true(fabs(radical_inverse(5, 3) - (2.0 / 3 + 1.0 / 9)) < 1e-16);
	assert_true(fabs(radical_inverse(123456, 10) - 0.654321) < 2e-16);
	assert_true(fabs(radical_inverse(7918, 7919) - 7918.0 / 7919) < 1e-16);
}

/* Against Newton's method on erfcl, from both tails to the middle. */
static void
test_normal_quantile(void **state)
{
	(void)state;
	rng r = { 90 };
	double worst = 0.0, at = 0.0;
	for (int i = 0; i < 200000; ++i) {
		const double p = i % 4 == 0   ? ldexp(1.0 + rng_uniform(&r), -rng_int(&r, 2, 54))
		                 : i % 4 == 1 ? 1.0 - ldexp(1.0 + rng_uniform(&r),
		                                            -rng_int(&r, 2, 50))
		                              : fmax(rng_uniform(&r), 0x1p-54);
		const double x = normal_quantile(p);
		long double exact = x;
		for (int k = 0; k < 3; ++k) {
			const long double root2 = 1.41421356237309504880168872420969808L;
			const long double density = 0.398942280401432677939946059934382L *
			                            expl(-exact * exact / 2);
			/* On the side of the smaller tail, where digits are. */
			const long double off = exact < 0 ? erfcl(-exact / root2) / 2 - p
			                                  : (1.0L - p) - erfcl(exact / root2) / 2;
			exact -= off / density;
		}
		const double error = (double)fabsl(x - exact) / fmax(fabs(x), 1e-3);
		if (error > worst) {
			worst = error;
			at = p;
		}
	}
	printf("normal quantile: relative error %.2g, at %.3g\n", worst, at);
	assert_true(worst < 1e-15);
	assert_true(normal_quantile(0.5) == 0.0);
	for (int i = 1; i < 50; ++i)
		assert_true(normal_quantile(ldexp(1.0, -i)) == -normal_quantile(1.0 - ldexp(1.0,
		                                                                            -i)));
}

/* ---- Sets ----------------------------------------------------------------------- */

static double *
make_by(bool plain, ws_direction_set set, size_t channels, size_t directions, uint64_t seed)
{
	wsi_params p = { .together = channels, .plain_hammersley = plain };
	p.o.directions = (int)directions;
	p.o.direction_set = set;
	p.o.seed = seed;
	double *v;
	if (wsi_directions_make(&v, &p, NULL) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return v;
}

static double *
make(ws_direction_set set, size_t channels, size_t directions, uint64_t seed)
{
	return make_by(false, set, channels, directions, seed);
}

static double
dot(const double *a, const double *b, size_t n)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; ++i)
		sum += a[i] * b[i];
	return sum;
}

static void
test_unit_length(void **state)
{
	(void)state;
	static const size_t channels[] = { 1, 2, 3, 4, 5, 16, 33, 128, 500 };
	static const size_t directions[] = { 1, 2, 3, 7, 64, 1000 };
	double worst = 0.0;
	for (int set = WS_DIRECTIONS_SCRAMBLED; set <= WS_DIRECTIONS_GAUSSIAN; ++set)
		for (size_t c = 0; c < sizeof channels / sizeof *channels; ++c)
			for (size_t d = 0; d < sizeof directions / sizeof *directions; ++d) {
				const size_t n = channels[c];
				/* Of one channel there is one direction. */
				if (n == 1 && set == WS_DIRECTIONS_HAMMERSLEY && directions[d] > 1)
					continue;
				double *v = make((ws_direction_set)set, n, directions[d], 3);
				for (size_t i = 0; i < directions[d]; ++i)
					worst = fmax(worst,
					             fabs(dot(v + i * n, v + i * n, n) - 1.0));
				free(v);
			}
	printf("squares of lengths off 1 by %.2g\n", worst);
	assert_true(worst < 1e-14); /* our own sum of 500 squares rounds, too */
}

static void
test_given(void **state)
{
	(void)state;
	static const double lengths[] = { 5e-324, 1e-200, 1.0, 1e200, 1.7e308 };
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
		const double v[2][2] = { { lengths[i], -lengths[i] }, { 0.0, lengths[i] } };
		wsi_params p = { .together = 2 };
		p.o.directions = 2;
		p.o.direction_set = WS_DIRECTIONS_GIVEN;
		p.o.direction_vectors = v[0];
		double *out;
		assert_int_equal(wsi_directions_make(&out, &p, NULL), WS_OK);
		assert_true(fabs(out[0] - sqrt(0.5)) < 1e-15 && out[1] == -out[0]);
		assert_true(out[2] == 0.0 && out[3] == 1.0);
		free(out);
	}
	static const double bad[] = { 0.0, NAN, INFINITY, -INFINITY };
	for (int i = 0; i < 12; ++i) {
		double v[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
		v[i % 3][i / 3 % 2] = bad[i / 3];
		if (bad[i / 3] == 0.0)
			v[i % 3][1] = 0.0;
		wsi_params p = { .together = 2 };
		p.o.directions = 3;
		p.o.direction_set = WS_DIRECTIONS_GIVEN;
		p.o.direction_vectors = v[0];
		double *out = v[0];
		char words[64];
		snprintf(words, sizeof words, "direction %d is zero or not finite", i % 3);
		assert_int_equal(wsi_directions_make(&out, &p, NULL), WS_E_ARG);
		assert_null(out);
		assert_non_null(strstr(ws_error_detail(), words));
	}
}

/* One channel: the channel.  Two: equal angles on the half circle.  Three: equal
 * heights of the half sphere, turned by van der Corput. */
static void
test_few_channels(void **state)
{
	(void)state;
	const double pi = 3.14159265358979323846;
	double *v = make(WS_DIRECTIONS_SCRAMBLED, 1, 1, 0);
	assert_true(v[0] == 1.0);
	free(v);
	for (size_t n = 1; n <= 65; ++n) {
		v = make(WS_DIRECTIONS_SCRAMBLED, 2, n, 0);
		for (size_t d = 0; d < n; ++d) {
			const double angle = pi * ((double)d + 0.5) / (double)n;
			assert_true(fabs(v[2 * d] - cos(angle)) < 1e-15);
			assert_true(fabs(v[2 * d + 1] - sin(angle)) < 1e-15);
		}
		free(v);
		v = make(WS_DIRECTIONS_SCRAMBLED, 3, n, 0);
		for (size_t d = 0; d < n; ++d) {
			const double z = ((double)d + 0.5) / (double)n, radius = sqrt(1.0 - z * z);
			const double turn = 2.0 * pi * radical_inverse((uint32_t)d, 2);
			assert_true(fabs(v[3 * d] - radius * cos(turn)) < 1e-15);
			assert_true(fabs(v[3 * d + 1] - radius * sin(turn)) < 1e-15);
			assert_true(fabs(v[3 * d + 2] - z) < 1e-15);
		}
		free(v);
	}
}

/* memd.m, restated: b in the cube -1..1 from (n + 0.5) / V and radical inverses
 * of n in its primes, the angles of the hypersphere, the direction of the angles.
 * plain: MEMD-GPU, which has no case of three channels and takes each prime once. */
static void
memd_direction(bool plain, size_t n, size_t channels, size_t directions, double *out)
{
	static const uint32_t primes[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47,
		53, 59,
		61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149,
			151, 157,
		163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241,
			251, 257,
		263, 269, 271, 277, 281, 283, 293, 307 };
	double b[64], product = 1.0;
	const double u = ((double)n + 0.5) / (double)directions;
	if (channels == 3 && !plain) {
		const double turn = radical_inverse((uint32_t)n, 2) * 2.0 * 3.14159265358979323846;
		const double z = fmin(fmax(2.0 * u - 1.0, -1.0), 1.0), radius = sqrt(1.0 - z * z);
		out[0] = radius * cos(turn);
		out[1] = radius * sin(turn);
		out[2] = z;
		return;
	}
	b[0] = 2.0 * u - 1.0;
	for (size_t c = 1; c < channels; ++c)
		b[c] = 2.0 * radical_inverse((uint32_t)n,
		                             primes[c < 36 || plain ? c - 1 : c - 2]) - 1.0;
	for (size_t c = 0; c < channels; ++c) {
		double rest = 0.0;
		for (size_t k = c + 1; k < channels; ++k)
			rest += b[k] * b[k];
		const double angle = atan2(sqrt(rest), b[c]);
		out[c] = c + 1 < channels ? cos(angle) * product : product;
		product *= sin(angle);
	}
}

static void
test_hammersley(void **state)
{
	(void)state;
	double worst = 0.0, want[64];
	for (size_t channels = 2; channels <= 64; ++channels)
		for (size_t n = 1; n <= 200; n += n < 5 ? 1 : 13)
			for (int plain = 0; plain < 2; ++plain) {
				double *v = make_by(plain, WS_DIRECTIONS_HAMMERSLEY, channels,
				                    n, 0);
				for (size_t d = 0; d < n; ++d) {
					memd_direction(plain, d + 1, channels, n, want);
					worst = fmax(worst, largest_difference(v + d * channels,
					                                       want, channels));
				}
				free(v);
			}
	printf("memd.m's angles: largest difference %.2g\n", worst);
	assert_true(worst < 2e-15);
}

/* Reference memd-gpu takes the plain construction, memd does not. */
static void
test_references(void **state)
{
	(void)state;
	for (int reference = WS_REF_MEMD; reference <= WS_REF_MEMD_GPU; ++reference) {
		const ws_shape shape = { .size = sizeof shape, .channels = 3, .samples = 100 };
		const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
			.reference = (ws_reference)reference };
		wsi_params p;
		assert_int_equal(wsi_params_resolve(&p, &shape, &o), WS_OK);
		assert_int_equal(p.plain_hammersley, reference == WS_REF_MEMD_GPU);
	}
}

/* Share of pairs of coordinates that correlate beyond 0.5 over the set. */
static double
correlated(ws_direction_set set, size_t channels, size_t directions)
{
	double *v = make(set, channels, directions, 0), *a = need(directions * sizeof *a),
	       *b = need(directions * sizeof *b);
	int beyond = 0, pairs = 0;
	for (size_t i = 0; i < channels; ++i)
		for (size_t k = 0; k < i; ++k, ++pairs) {
			for (size_t d = 0; d < directions; ++d) {
				a[d] = v[d * channels + i];
				b[d] = v[d * channels + k];
			}
			beyond += fabs(similarity(a, b, directions)) > 0.5;
		}
	free(v);
	free(a);
	free(b);
	return (double)beyond / pairs;
}

static void
test_evenness(void **state)
{
	(void)state;
	static const size_t shapes[][2] = { { 4, 64 }, { 8, 64 }, { 16, 64 }, { 32, 64 },
		{ 128, 256 } };
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
		const size_t c = shapes[i][0], v = shapes[i][1];
		const double ours = correlated(WS_DIRECTIONS_SCRAMBLED, c, v);
		const double theirs = correlated(WS_DIRECTIONS_HAMMERSLEY, c, v);
		printf("%zu channels, %zu directions: %.2g of the pairs of coordinates correlate "
		       "beyond 0.5, memd.m's %.2g\n", c, v, ours, theirs);
		assert_true(ours <= 0.001);
		assert_true(c < 32 || theirs > 0.15);
	}
}

/* Only the Gaussian set has a seed. */
static void
test_seed(void **state)
{
	(void)state;
	for (int set = WS_DIRECTIONS_SCRAMBLED; set <= WS_DIRECTIONS_GAUSSIAN; ++set) {
		double *a = make((ws_direction_set)set, 6, 20, 1),
			*b = make((ws_direction_set)set, 6, 20, 1);
		double *other = make((ws_direction_set)set, 6, 20, 2);
		assert_memory_equal(a, b, 120 * sizeof *a);
		assert_int_equal(memcmp(a, other, 120 * sizeof *a) != 0,
		                 set == WS_DIRECTIONS_GAUSSIAN);
		free(a);
		free(b);
		free(other);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_radical_inverse), cmocka_unit_test(test_normal_quantile),
		cmocka_unit_test(test_unit_length),     cmocka_unit_test(test_given),
		cmocka_unit_test(test_few_channels),    cmocka_unit_test(test_hammersley),
		cmocka_unit_test(test_evenness),        cmocka_unit_test(test_seed),
		cmocka_unit_test(test_references),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
