/*
 * test_properties.c - what must hold of every decomposition, whatever the
 * signal: completeness, equivariance under scale, offset, sign, time and
 * rotation, limits, seeds, channels.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"

/* ---- Named signals ---------------------------------------------------------------- */

enum { NAMED = 5, NAMED_LENGTH = 2000 };

static const char *const named[NAMED] = {
	"two tones", "chirp + noise", "EEG", "vibration", "white noise",
};

/* Centred, of standard deviation 1 but for the EEG, which is as recorded. */
static void
make_named(int k, double *x)
{
	rng r = { 60 + (uint64_t)k };
	if (k == 2) {
		golden g = golden_read("emd_eeg_x");
		memcpy(x, g.v, NAMED_LENGTH * sizeof *x);
		free(g.v);
		return;
	}
	static const signal_kind kinds[NAMED] = {
		SIGNAL_TONES, SIGNAL_CHIRP_NOISE, 0, SIGNAL_VIBRATION, SIGNAL_WHITE,
	};
	signal_make(kinds[k], &r, NAMED_LENGTH, x);
}

static void
run_options(ws_emd_opts o, ws_type type, const double *x, size_t n, result *r)
{
	void *t = need(n * type_size(type));
	to_type(type, x, n, t);
	job j = { .shape = { .channels = 1, .samples = n, .type = type }, .o = o, .x = t };
	must_decompose(&j, r);
	free(t);
}

/* Largest of |a - scale b| over all modes and, less offset, the residue. */
static double
difference(const result *a, const result *b, double scale, double offset)
{
	double worst = 0.0;
	for (int k = 0; k <= a->count[0]; ++k) {
		const bool last = k == a->count[0];
		const void *ra = last ? residue_row(a, 0) : mode_row(a, 0, k);
		const void *rb = last ? residue_row(b, 0) : mode_row(b, 0, k);
		for (size_t i = 0; i < a->samples; ++i)
			worst = fmax(worst, fabs(get(a->type, ra, i) - (last ? offset : 0.0) -
			                         scale * get(b->type, rb, i)));
	}
	return worst;
}

/* ---- Completeness -------------------------------------------------------------------- */

static void
check_complete(ws_emd_opts o, ws_type type, const double *x, size_t n, const char *what)
{
	result r;
	run_options(o, type, x, n, &r);
	double largest = 0.0, worst = 0.0, parts = 0.0;
	for (size_t i = 0; i < n; ++i) {
		double sum = get(type, residue_row(&r, 0), i);
		for (int k = 0; k < r.count[0]; ++k) {
			double m = get(type, mode_row(&r, 0, k), i);
			sum += m;
			parts = fmax(parts, fabs(m));
		}
		const double want = type == WS_F64 ? x[i] : (double)(float)x[i];
		worst = fmax(worst, fabs(sum - want));
		largest = fmax(largest, fabs(want));
	}
	/* Modes may be larger than the signal; each subtraction rounds once. */
	const double epsilon = type == WS_F64 ? 0x1p-52 : 0x1p-23;
	if (!(worst <= 8.0 * epsilon * fmax(largest, parts)))
		fail_msg("%s: the sum is off by %.3g of %.3g", what, worst, fmax(largest, parts));
	result_free(&r);
}

static void
test_complete(void **state)
{
	(void)state;
	double x[NAMED_LENGTH];
	const struct { const char *name; ws_emd_opts o; } methods[] = {
		{ "EMD", { .method = WS_METHOD_EMD } },
		{ "EEMD in pairs", { .method = WS_METHOD_EEMD, .pairs = 1, .realizations = 10 } },
		{ "CEEMDAN", { .method = WS_METHOD_CEEMDAN, .realizations = 10 } },
		{ "Improved CEEMDAN", { .method = WS_METHOD_ICEEMDAN, .realizations = 10 } },
		{ "Improved CEEMDAN, SNR 2",
		  { .method = WS_METHOD_ICEEMDAN, .realizations = 10, .snr = WS_SNR_CONSTANT } },
		{ "rilling", { .reference = WS_REF_RILLING } },
		{ "colominas", { .reference = WS_REF_COLOMINAS, .realizations = 5 } },
		{ "torres", { .reference = WS_REF_TORRES, .realizations = 5 } },
		{ "ceemdan-gpu", { .reference = WS_REF_CEEMDAN_GPU, .realizations = 5 } },
		{ "libeemd", { .reference = WS_REF_LIBEEMD } },
		{ "libeemd's CEEMDAN",
		  { .method = WS_METHOD_CEEMDAN, .reference = WS_REF_LIBEEMD, .realizations = 5 } },
	};
	for (int k = 0; k < NAMED; ++k) {
		make_named(k, x);
		for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
			for (int type = 0; type < 2; ++type)
				check_complete(methods[m].o, (ws_type)type, x, 1000, methods[m].name);
	}
	/* Every boundary, spline and stop rule. */
	for (int i = 1; i <= 4; ++i)
		for (int type = 0; type < 2; ++type) {
			make_named(i, x);
			check_complete((ws_emd_opts){ .boundary = (ws_boundary)i }, (ws_type)type, x,
			               NAMED_LENGTH, "boundary");
			check_complete((ws_emd_opts){ .spline = (ws_spline)i }, (ws_type)type, x,
			               NAMED_LENGTH, "spline");
			for (int s = 1; s <= 7; ++s)
				check_complete((ws_emd_opts){ .stop_rule = (ws_stop)s }, (ws_type)type, x,
				               NAMED_LENGTH, "stop rule");
		}
}

/* ---- Scale and offset ------------------------------------------------------------------ */

/* Powers of two change exponents only. */
static void
test_scale_exact(void **state)
{
	(void)state;
	double x[NAMED_LENGTH], y[NAMED_LENGTH];
	int n_cases = 0;
	for (int k = 0; k < NAMED; ++k) {
		make_named(k, x);
		for (int type = 0; type < 2; ++type)
			for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method)
				for (int variant = 0; variant < (method == WS_METHOD_EMD ? 13
				                                 : 2); ++variant) {
					ws_emd_opts o = { .method = (ws_method)method, .realizations = 4,
							  .pairs = variant };
					if (method == WS_METHOD_EMD && variant < 4)
						o.boundary = (ws_boundary)(variant + 1);
					else if (method == WS_METHOD_EMD && variant < 7)
						o.spline = (ws_spline)(variant - 2);
					else if (method == WS_METHOD_EMD)
						o.stop_rule = (ws_stop)(variant - 5);
					else
						o.snr = (ws_snr)(variant + 1);
					result a, b;
					run_options(o, (ws_type)type, x, 700, &a);
					static const int powers[] = { -30, -7, 1, 30 };
					for (int p = n_cases % 2; p < 4; p += 2) {
						for (int i = 0; i < 700; ++i)
							y[i] = ldexp(x[i], powers[p]);
						run_options(o, (ws_type)type, y, 700, &b);
						const double scale = ldexp(1.0, powers[p]);
						bool same = a.count[0] == b.count[0] &&
						            difference(&b, &a, scale, 0.0) == 0.0;
						if (!same)
							fail_msg("%s x 2^%d, type %d, method %d, variant %d: %d and %d "
							         "modes", named[k], powers[p], type, method, variant,
							         a.count[0], b.count[0]);
						result_free(&b);
						n_cases++;
					}
					result_free(&a);
				}
	}
	printf("%d scaled decompositions, the same significands\n", n_cases);
}

/* What other factors and offsets may change, in units of std.  In f32 a crest that is level to its
 * last digits has its knot at a sample or half a sample beside it, as rounding has it. */
static const double limits[] = { [WS_F64] = 1e-9, [WS_F32] = 1e-2 };

/* y = scale x + offset std against x: largest difference, in units of std. */
static double
changed(ws_method method, ws_type type, int k, size_t n, double scale, double offset)
{
	double x[NAMED_LENGTH], y[NAMED_LENGTH];
	make_named(k, x);
	const double std = std_of(x, n);
	for (size_t i = 0; i < n; ++i)
		y[i] = scale * (type == WS_F32 ? (double)(float)x[i] : x[i]) + offset * std;
	const ws_emd_opts o = { .method = method, .realizations = 8 };
	result a, b;
	run_options(o, type, x, n, &a);
	run_options(o, type, y, n, &b);
	double d = a.count[0] == b.count[0] ? difference(&b, &a, scale, offset * std) / (scale * std)
	                                    : HUGE_VAL;
	if (!(d <= limits[type]))
		print_error("%s x %g + %g std, %s, method %d: %d and %d modes, difference %.3g std\n",
		            named[k], scale, offset, type ? "f32" : "f64", method, a.count[0], b.count[0],
		            d);
	result_free(&a);
	result_free(&b);
	return d;
}

/* Other factors, and offsets, leave the modes what they are.  An offset of
 * ten std costs an f32 input its last digits before we see it, and which of
 * two nearly equal samples is the extremum turns on those: the noisy signals
 * are short there, and it is EMD only (the stop rules of ensembles decide
 * near ties of their own). */
static void
test_scale_and_offset(void **state)
{
	(void)state;
	static const double scales[] = { 1e-9, 3.7e-5, 1.0 / 3, 7, 1e9 };
	static const double offsets[2][4] = { { 1, -33.3, 1000, -1000 }, { 1, -3.33, 10, -10 } };
	for (int m = 0; m < 2; ++m)
		for (int type = 0; type < (m ? 1 : 2); ++type) {
			const ws_method method = m ? WS_METHOD_ICEEMDAN : WS_METHOD_EMD;
			double worst[2] = { 0 };
			for (int k = 0; k < 4; ++k) {
				for (int c = 0; c < 5; ++c)
					worst[0] = fmax(worst[0], changed(method, (ws_type)type, k, NAMED_LENGTH,
					                                  scales[c], 0.0));
				size_t n = type == WS_F64 || k % 2 == 0 ? NAMED_LENGTH : 1000;
				n = type == WS_F32 && k == 2 ? 500 : n;
				for (int c = 0; c < 4; ++c)
					worst[1] = fmax(worst[1], changed(method, (ws_type)type, k, n, 1.0,
					                                  offsets[type][c]));
			}
			printf("method %d, %s: scales 1e-9..1e9 change %.2g std, offsets to %d std %.2g std\n",
			       method, type ? "f32" : "f64", worst[0], type ? 10 : 1000, worst[1]);
			assert_true(fmax(worst[0], worst[1]) <= limits[type]);
		}
}

/* ---- Sign, time, rotation -------------------------------------------------------------------- */

static void
test_sign(void **state)
{
	(void)state;
	double x[NAMED_LENGTH], y[NAMED_LENGTH];
	for (int k = 0; k < NAMED; ++k)
		for (int variant = 0; variant < 16; ++variant) {
			make_named(k, x);
			for (int i = 0; i < NAMED_LENGTH; ++i)
				y[i] = -x[i];
			ws_emd_opts o = { .boundary = (ws_boundary)(variant / 4 + 1),
					  .spline = (ws_spline)(variant % 4 + 1),
					  .stop_rule = (ws_stop)(variant % 7 + 1) };
			result a, b;
			run_options(o, (ws_type)(k & 1), x, NAMED_LENGTH, &a);
			run_options(o, (ws_type)(k & 1), y, NAMED_LENGTH, &b);
			assert_int_equal(a.count[0], b.count[0]);
			assert_true(difference(&a, &b, -1.0, 0.0) == 0.0);
			result_free(&a);
			result_free(&b);
		}
}

static void
reverse(double *y, const double *x, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		y[i] = x[n - 1 - i];
}

/* Backwards, modes come out backwards to rounding: cubics are evaluated from
 * the other knot, so no bits are promised. */
static void
test_reversal(void **state)
{
	(void)state;
	double x[NAMED_LENGTH], y[NAMED_LENGTH], z[NAMED_LENGTH];
	double worst = 0.0;
	for (int k = 0; k < NAMED; ++k)
		for (int variant = 0; variant < 7; ++variant) {
			/* The EEG has plateaus of even length, whose middle is rounded up in time.
			 * PCHIP's envelopes have flat tops, where rounding decides. */
			if (k == 2 || variant == 5)
				continue;
			make_named(k, x);
			reverse(y, x, NAMED_LENGTH);
			ws_emd_opts o = { .boundary = (ws_boundary)(variant < 4 ? variant + 1 : 1),
					  .spline = (ws_spline)(variant < 4 ? 1 : variant - 2) };
			result a, b;
			run_options(o, WS_F64, x, NAMED_LENGTH, &a);
			run_options(o, WS_F64, y, NAMED_LENGTH, &b);
			assert_int_equal(a.count[0], b.count[0]);
			for (int m = 0; m < a.count[0]; ++m) {
				reverse(z, mode_row(&b, 0, m), NAMED_LENGTH);
				double d = largest_difference(mode_row(&a, 0, m), z, NAMED_LENGTH);
				worst = fmax(worst, d);
				if (!(d < 1e-9))
					fail_msg("%s, variant %d, mode %d: backwards it differs by %.3g", named[k],
					         variant, m + 1, d);
			}
			result_free(&a);
			result_free(&b);
		}
	printf("backwards: largest difference %.2g\n", worst);
}

/* A periodic signal may begin anywhere: with fixed sifts every mode is the
 * rotated one, bit for bit, as long as no plateau lies across the seam. */
static void
test_rotation(void **state)
{
	(void)state;
	double x[NAMED_LENGTH], y[NAMED_LENGTH], z[NAMED_LENGTH];
	rng r = { 70 };
	double worst = 0.0;
	int exact = 0, all = 0;
	for (int k = 0; k < NAMED; ++k)
		for (int i = 0; i < 8; ++i) {
			if (k == 2)
				continue;
			make_named(k, x);
			const int shift = rng_int(&r, 1, NAMED_LENGTH - 1);
			for (int s = 0; s < NAMED_LENGTH; ++s)
				y[s] = x[(s + shift) % NAMED_LENGTH];
			ws_emd_opts o = { .boundary = WS_BOUNDARY_PERIODIC,
					  .spline = (ws_spline)(i % 4 + 1) };
			result a, b;
			run_options(o, WS_F64, x, NAMED_LENGTH, &a);
			run_options(o, WS_F64, y, NAMED_LENGTH, &b);
			assert_int_equal(a.count[0], b.count[0]);
			for (int m = 0; m < a.count[0]; ++m) {
				const double *rotated = mode_row(&b, 0, m);
				for (int s = 0; s < NAMED_LENGTH; ++s)
					z[(s + shift) % NAMED_LENGTH] = rotated[s];
				double d = largest_difference(mode_row(&a, 0, m), z, NAMED_LENGTH);
				worst = fmax(worst, d);
				exact += d == 0.0;
				all++;
				assert_true(d < 1e-10);
			}
			result_free(&a);
			result_free(&b);
		}
	printf("rotated: %d of %d modes exactly, largest difference %.2g\n", exact, all, worst);
}

/* ---- Signals with little in them ----------------------------------------------------------------- */

/* No mode at all: the residue is the signal, bit for bit. */
static void
expect_no_mode(const double *x, size_t n, int last_boundary)
{
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method)
		for (int boundary = 1; boundary <= last_boundary; ++boundary)
			for (int type = 0; type < 2; ++type) {
				if (method == WS_METHOD_EEMD)
					continue; /* its members have noise to decompose */
				ws_emd_opts o = { .method = (ws_method)method, .realizations = 4,
						  .boundary = (ws_boundary)boundary };
				result r;
				run_options(o, (ws_type)type, x, n, &r);
				assert_int_equal(r.count[0], 0);
				assert_int_equal(r.unfinished[0], 0);
				for (size_t i = 0; i < n; ++i) {
					double want = type ? (double)(float)x[i] : x[i];
					assert_true(get((ws_type)type, residue_row(&r, 0), i) == want);
				}
				for (int k = 0; k < r.rows; ++k)
					for (size_t i = 0; i < n; ++i)
						assert_true(get((ws_type)type, mode_row(&r, 0, k), i) == 0.0);
				result_free(&r);
			}
}

static void
test_little(void **state)
{
	(void)state;
	double x[200];
	for (int i = 0; i < 200; ++i)
		x[i] = 3.25;
	for (size_t n = 1; n <= 200; n += n < 5 ? 1 : 39)
		expect_no_mode(x, n, WS_BOUNDARY_PERIODIC); /* constant */
	for (int i = 0; i < 200; ++i)
		x[i] = 0.0;
	expect_no_mode(x, 200, WS_BOUNDARY_PERIODIC);
	/* A cyclic ramp has two extrema at its seam, too few as well. */
	for (int i = 0; i < 200; ++i)
		x[i] = 0.01 * i * i;
	for (size_t n = 1; n <= 200; n += n < 5 ? 1 : 39)
		expect_no_mode(x, n, WS_BOUNDARY_PERIODIC);
	/* Two extrema (and two more at the seam, were it periodic). */
	for (int i = 0; i < 200; ++i)
		x[i] = i < 60 ? i : i < 130 ? 120 - i : i - 140;
	expect_no_mode(x, 200, WS_BOUNDARY_SLOPE);
	/* Two and three samples of any values. */
	const double few[3] = { 1.5, -2.0, 9.0 };
	expect_no_mode(few, 2, WS_BOUNDARY_PERIODIC);
	expect_no_mode(few, 3, WS_BOUNDARY_PERIODIC);
	/* EEMD of so little still adds up, with pairs. */
	for (size_t n = 1; n <= 3; ++n)
		for (int type = 0; type < 2; ++type)
			check_complete((ws_emd_opts){ .method = WS_METHOD_EEMD, .pairs = 1,
				.realizations = 4 },
			               (ws_type)type, few, n, "few samples");
}

/* Three extrema are enough for a mode. */
static void
test_three_extrema(void **state)
{
	(void)state;
	double x[200];
	for (int i = 0; i < 200; ++i)
		x[i] = i < 50 ? i : i < 100 ? 100 - i : i < 150 ? i - 100 : 200 - i;
	for (int boundary = 1; boundary <= 3; ++boundary) {
		result r;
		run_options((ws_emd_opts){ .boundary = (ws_boundary)boundary }, WS_F64, x, 200, &r);
		assert_true(r.count[0] >= 1);
		result_free(&r);
	}
}

/* ---- Limits, seeds, noise, channels ----------------------------------------------------------------- */

static void
test_mode_limit(void **state)
{
	(void)state;
	double x[NAMED_LENGTH], sum[NAMED_LENGTH];
	make_named(2, x);
	const size_t n = 800;
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method) {
		ws_emd_opts o = { .method = (ws_method)method, .realizations = 6, .pairs = 1 };
		result all, some;
		run_options(o, WS_F64, x, n, &all);
		assert_true(all.count[0] > 4);
		for (int limit = 1; limit <= 4; ++limit) {
			o.modes = limit;
			run_options(o, WS_F64, x, n, &some);
			assert_int_equal(some.rows, limit);
			assert_int_equal(some.count[0], limit);
			for (int k = 0; k < limit; ++k)
				assert_memory_equal(mode_row(&some, 0, k), mode_row(&all, 0, k),
				                    n * sizeof(double));
			memcpy(sum, residue_row(&all, 0), n * sizeof *sum);
			for (int k = limit; k < all.count[0]; ++k)
				for (size_t i = 0; i < n; ++i)
					sum[i] += ((const double *)mode_row(&all, 0, k))[i];
			assert_true(largest_difference(sum, residue_row(&some, 0), n) < 1e-12 * std_of(x, n));
			result_free(&some);
		}
		result_free(&all);
	}
}

static void
test_seeds(void **state)
{
	(void)state;
	double x[NAMED_LENGTH];
	make_named(3, x);
	for (int method = WS_METHOD_EEMD; method <= WS_METHOD_ICEEMDAN; ++method) {
		ws_emd_opts o = { .method = (ws_method)method, .realizations = 4, .seed = 1 };
		result a, same, other, high;
		run_options(o, WS_F64, x, 500, &a);
		run_options(o, WS_F64, x, 500, &same);
		o.seed = 2;
		run_options(o, WS_F64, x, 500, &other);
		o.seed = 1 + ((uint64_t)1 << 32);
		run_options(o, WS_F64, x, 500, &high);
		assert_true(same_result(&a, &same));
		assert_memory_not_equal(mode_row(&a, 0, 0), mode_row(&other, 0, 0), 500 * sizeof(double));
		assert_memory_not_equal(mode_row(&a, 0, 0), mode_row(&high, 0, 0), 500 * sizeof(double));
		result_free(&a);
		result_free(&same);
		result_free(&other);
		result_free(&high);
	}
}

/* Without noise every member is the signal itself: ensembles are EMD. */
static void
test_no_noise(void **state)
{
	(void)state;
	double x[NAMED_LENGTH];
	for (int k = 0; k < NAMED; ++k) {
		make_named(k, x);
		const size_t n = 1000;
		result emd, r;
		run_options((ws_emd_opts){ .sifts = 10, .modes = 5 }, WS_F64, x, n, &emd);
		for (int method = WS_METHOD_EEMD; method <= WS_METHOD_ICEEMDAN; ++method) {
			run_options((ws_emd_opts){ .method = (ws_method)method, .noise = -1.0, .sifts = 10,
						   .realizations = 2, .modes = 5 },
			            WS_F64, x, n, &r);
			assert_int_equal(r.count[0], emd.count[0]);
			double d = difference(&r, &emd, 1.0, 0.0);
			/* The mean of two equal members is exact. */
			if (method == WS_METHOD_ICEEMDAN ? !(d <= 1e-12 * std_of(x, n)) : d != 0.0)
				fail_msg("%s, method %d: differs from EMD by %.3g", named[k], method, d);
			result_free(&r);
		}
		result_free(&emd);
	}
}

/* Shared noise: a channel alone is the channel among others.  Independent
 * noise: it is, when it says which channel it is. */
static void
test_channels(void **state)
{
	(void)state;
	enum { C = 3, N = 400 };
	double x[C * N];
	rng r = { 71 };
	for (int c = 0; c < C; ++c)
		signal_make((signal_kind)(2 * c), &r, N, x + c * N);
	memcpy(x + 2 * N, x, N * sizeof *x); /* channel 2 is channel 0 again */
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method)
		for (int noise = WS_NOISE_SHARED; noise <= WS_NOISE_INDEPENDENT; ++noise) {
			job j = { .shape = { .channels = C, .samples = N },
				  .o = { .method = (ws_method)method, .realizations = 5,
				         .channel_noise = (ws_channel_noise)noise },
				  .x = x, .first_channel = 10 };
			result all, one;
			must_decompose(&j, &all);
			for (int c = 0; c < C; ++c) {
				j.shape.channels = 1;
				j.x = x + c * N;
				j.first_channel = noise == WS_NOISE_SHARED ? 0 : 10 + (size_t)c;
				must_decompose(&j, &one);
				assert_int_equal(one.count[0], all.count[c]);
				for (int k = 0; k < one.rows; ++k)
					assert_memory_equal(mode_row(&one, 0, k), mode_row(&all, (size_t)c, k),
					                    N * sizeof *x);
				assert_memory_equal(residue_row(&one, 0), residue_row(&all, (size_t)c),
				                    N * sizeof *x);
				result_free(&one);
			}
			/* Equal channels: equal modes exactly where their noise is equal. */
			bool same = memcmp(mode_row(&all, 0, 0), mode_row(&all, 2, 0), N * sizeof *x) == 0;
			assert_int_equal(same, method == WS_METHOD_EMD || noise == WS_NOISE_SHARED);
			result_free(&all);
		}
}

/* The caller's own noise: the built-in rows handed in give the built-in result. */
static void
test_own_noise(void **state)
{
	(void)state;
	enum { N = 600, R = 6 };
	double x[NAMED_LENGTH];
	make_named(1, x);
	rng r = { 72 };
	double *noise = need(R * N * sizeof *noise);
	signal_make(SIGNAL_WHITE, &r, R * N, noise);
	for (int method = WS_METHOD_EEMD; method <= WS_METHOD_ICEEMDAN; ++method) {
		job j = { .shape = { .channels = 1, .samples = N },
			  .o = { .method = (ws_method)method, .realizations = R, .seed = 5 }, .x = x,
			  .noise = noise };
		result a, b;
		must_decompose(&j, &a);
		j.o.seed = 6; /* not used */
		must_decompose(&j, &b);
		assert_true(same_result(&a, &b));
		result_free(&b);
		j.noise = NULL;
		must_decompose(&j, &b);
		assert_memory_not_equal(mode_row(&a, 0, 0), mode_row(&b, 0, 0), N * sizeof *x);
		result_free(&a);
		result_free(&b);
	}
	free(noise);
}

/* ---- Overshoot ------------------------------------------------------------------------ */

static double
range_of(const double *x, size_t n)
{
	double low = x[0], high = x[0];
	for (size_t i = 1; i < n; ++i) {
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	return high - low;
}

/* What two clean tones leave is flat but for its ends. Splines from one end to the other
 * are no modes; and the rest is what it was before such a mode was tried, bit by bit. */
static void
test_overshoot(void **state)
{
	(void)state;
	enum { N = 60000 };
	const double turn = 6.283185307179586;
	double *x = need(N * sizeof *x);
	for (size_t i = 0; i < N; ++i) {
		const double t = (double)i / 1000.0;
		x[i] = sin(turn * 10.0 * t) + 0.5 * sin(turn * 100.0 * t);
	}
	job j = { .shape = { .channels = 1, .samples = N, .type = WS_F64 }, .x = x };
	result r;
	must_decompose(&j, &r);
	assert_in_range(r.count[0], 2, 10);
	for (int k = 0; k < r.count[0]; ++k) {
		const double *mode = mode_row(&r, 0, k);
		assert_true(range_of(mode, N) <= 2.0 * range_of(x, N));
		for (size_t i = 0; i < N; ++i)
			x[i] -= mode[i];
	}
	assert_memory_equal(x, residue_row(&r, 0), N * sizeof *x);
	result_free(&r);
	free(x);
}

/* Splines overshoot where recordings have a gap of level samples; they have modes all the same, beside
 * which the noise is as fast as it is without the gap. */
static void
test_gap(void **state)
{
	(void)state;
	enum { RECORDINGS = 20, N = 2000, FROM = 800, TO = 1100, BESIDE = FROM - 20 };
	rng random = { 71 };
	double *x = need(RECORDINGS * N * sizeof *x);
	for (size_t i = 0; i < RECORDINGS * N; ++i)
		x[i] = i % N >= FROM && i % N < TO ? 0.0 : rng_normal(&random);
	job j = { .shape = { .channels = RECORDINGS, .samples = N, .type = WS_F64 }, .x = x };
	result r;
	must_decompose(&j, &r);
	for (size_t c = 0; c < RECORDINGS; ++c) {
		assert_in_range(r.count[c], 4, 14);
		const double *fast = mode_row(&r, c, 0);
		assert_true(range_of(fast, BESIDE) <= range_of(x + c * N, N));
		int crossings = 0;
		for (size_t i = 1; i < BESIDE; ++i)
			crossings += (fast[i] > 0.0) != (fast[i - 1] > 0.0);
		assert_in_range(crossings, BESIDE / 2, BESIDE * 3 / 4);
	}
	result_free(&r);
	free(x);
}

/* ---- f32 beside f64 ------------------------------------------------------------------- */

/* A voice of 220 Hz at 44.1 kHz with vibrato and tremolo, from sample `first` on. */
static void
make_voice(rng *r, size_t first, size_t n, double *x)
{
	const double turn = 6.283185307179586;
	for (size_t i = 0; i < n; ++i) {
		const double t = (double)(first + i) / 44100.0;
		const double phase = turn * 220.0 * t - 6.0 / 5.5 * cos(turn * 5.5 * t);
		double sum = 0.0;
		for (int k = 1; k < 9; ++k)
			sum += sin(k * phase) / pow(k, 1.5);
		x[i] = (double)(float)((1.0 + 0.3 * sin(turn * 4.0 * t)) * sum +
		                       0.02 * rng_normal(r));
	}
}

/* Hundreds of sifts leave f32 with f64: a step near the crest of a quick wave that is smaller than
 * the resolution counts, while the crests of slow waves keep their one extremum (math/plateau.h).
 * Root mean square of what the first modes differ by, in units of theirs, over all segments. */
static void
test_many_sifts(void **state)
{
	enum { N = 8192, SEGMENTS = 12, SIFTS = 300, MODES_COMPARED = 3 };
	static double x[N];
	double drift[MODES_COMPARED] = { 0 };
	rng r = { 1 };
	(void)state;
	for (size_t segment = 0; segment < SEGMENTS; ++segment) {
		const ws_emd_opts o = { .modes = MODES_COMPARED, .sifts = SIFTS };
		result wide, narrow;
		make_voice(&r, segment * N, N, x);
		run_options(o, WS_F64, x, N, &wide);
		run_options(o, WS_F32, x, N, &narrow);
		assert_int_equal(wide.count[0], MODES_COMPARED);
		assert_int_equal(narrow.count[0], MODES_COMPARED);
		for (int k = 0; k < MODES_COMPARED; ++k) {
			const double *a = mode_row(&wide, 0, k);
			double sum = 0.0;
			for (size_t i = 0; i < N; ++i) {
				const double d = a[i] - get(WS_F32, mode_row(&narrow, 0, k), i);
				sum += d * d;
			}
			drift[k] += sqrt(sum / N) / std_of(a, N) / SEGMENTS;
		}
		result_free(&wide);
		result_free(&narrow);
	}
	printf("f32 after %d sifts: %.2g %.2g %.2g of a mode\n", SIFTS, drift[0], drift[1],
	       drift[2]);
	assert_true(drift[0] < 1e-3 && drift[1] < 0.01 && drift[2] < 0.05);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete),      cmocka_unit_test(test_scale_exact),
		cmocka_unit_test(test_scale_and_offset), cmocka_unit_test(test_sign),
		cmocka_unit_test(test_reversal),      cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_little),        cmocka_unit_test(test_three_extrema),
		cmocka_unit_test(test_mode_limit),    cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_no_noise),      cmocka_unit_test(test_channels),
		cmocka_unit_test(test_own_noise),     cmocka_unit_test(test_overshoot),
		cmocka_unit_test(test_gap),           cmocka_unit_test(test_many_sifts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
