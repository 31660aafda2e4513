/*
 * test_memd.c - what must hold of every multivariate decomposition: completeness,
 * scale, offset, order of channels, equal channels, one channel, little signals,
 * noise channels, epochs, limits.
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

enum { CHANNELS = 4, SAMPLES = 1000 };

/* ---- Signals ---------------------------------------------------------------------- */

enum { SETS = 3 };
static const char *const set_names[SETS] = { "EEG", "tones in noise", "white noise" };

/* CHANNELS x SAMPLES. */
static void
make_set(int set, double *x)
{
	rng r = { 100 + (uint64_t)set };
	if (set == 0) {
		golden g = golden_read("memd_eeg4_x");
		assert_true(g.rows == CHANNELS && g.n == SAMPLES);
		memcpy(x, g.v, CHANNELS * SAMPLES * sizeof *x);
		free(g.v);
		return;
	}
	for (int c = 0; c < CHANNELS; ++c)
		for (int i = 0; i < SAMPLES; ++i) {
			double v = rng_normal(&r);
			if (set == 1)
				v = sin(0.051 * i) + (c != 1 ? 0.8 * sin(0.4 * i + c) : 0.0) + 0.1 * v;
			x[c * SAMPLES + i] = v;
		}
}

static double
std_of_all(const double *x)
{
	double sum = 0.0;
	for (int c = 0; c < CHANNELS; ++c)
		sum += std_of(x + c * SAMPLES, SAMPLES);
	return sum / CHANNELS;
}

static void
run(ws_emd_opts o, ws_type type, const double *x, size_t channels, size_t together, size_t n,
    result *r)
{
	void *t = need(channels * n * type_size(type));
	to_type(type, x, channels * n, t);
	o.method = WS_METHOD_MEMD;
	if (!o.directions)
		o.directions = 12;
	job j = { .shape = { .channels = channels, .samples = n, .type = type,
		.recording_channels = together },
		  .o = o, .x = t };
	must_decompose(&j, r);
	free(t);
	/* All channels of a signal have as many modes, of as many sifts. */
	if (together == 0)
		together = channels;
	for (size_t c = 0; c < channels; ++c) {
		const size_t first = c - c % together, rows = (size_t)r->rows;
		assert_int_equal(r->count[c], r->count[first]);
		assert_int_equal(r->unfinished[c], r->unfinished[first]);
		assert_memory_equal(r->sifts + c * rows, r->sifts + first * rows, rows * sizeof *r->sifts);
	}
}

/* Row k of a channel as double, the residue last. */
static void
row(const result *r, size_t channel, int k, double *out)
{
	const void *p = k < r->count[channel] ? mode_row(r, channel, k) : residue_row(r, channel);
	for (size_t i = 0; i < r->samples; ++i)
		out[i] = get(r->type, p, i);
}

/* ---- Completeness -------------------------------------------------------------------- */

static void
check_complete(ws_emd_opts o, ws_type type, const double *x, const char *what)
{
	result r;
	run(o, type, x, CHANNELS, 0, SAMPLES, &r);
	double v[SAMPLES], worst = 0.0, parts = 0.0;
	for (size_t c = 0; c < CHANNELS; ++c) {
		double sum[SAMPLES] = { 0 };
		for (int k = r.count[c]; k >= 0; --k) {
			row(&r, c, k, v);
			for (int i = 0; i < SAMPLES; ++i) {
				sum[i] += v[i];
				parts = fmax(parts, fabs(v[i]));
			}
		}
		for (int i = 0; i < SAMPLES; ++i) {
			const double want = x[c * SAMPLES + (size_t)i];
			worst = fmax(worst, fabs(sum[i] - (type ? (double)(float)want : want)));
		}
	}
	/* Modes may be larger than the signal; each subtraction rounds once. */
	if (!(worst <= 8.0 * (type ? 0x1p-23 : 0x1p-52) * parts))
		fail_msg("%s: the sum is off by %.3g of %.3g", what, worst, parts);
	assert_true(r.count[0] > 0);
	result_free(&r);
}

static void
test_complete(void **state)
{
	(void)state;
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_FIX_H, WS_STOP_CAUCHY,
		WS_STOP_TOLERANCE, WS_STOP_ENERGY };
	double x[CHANNELS * SAMPLES];
	for (int set = 0; set < SETS; ++set)
		for (int type = 0; type < 2; ++type) {
			if (thinned_out(2 * set + type))
				continue;
			make_set(set, x);
			for (int i = 1; i <= 4; ++i)
				check_complete((ws_emd_opts){ .boundary = (ws_boundary)i,
				                              .max_sifts = 100 },
				               (ws_type)type, x, "boundary");
			for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
				check_complete((ws_emd_opts){ .stop_rule = rules[i], .spline = WS_SPLINE_NATURAL,
				                               .max_sifts = rules[i] == WS_STOP_FIXED ? 0 : 30 },
				               (ws_type)type, x, "stop rule");
			check_complete((ws_emd_opts){ .reference = WS_REF_MEMD }, (ws_type)type, x, "memd");
			check_complete((ws_emd_opts){ .reference = WS_REF_MEMD_GPU }, (ws_type)type, x,
			               "memd-gpu");
			check_complete((ws_emd_opts){ .noise_channels = 2 }, (ws_type)type, x, "noise");
		}
}

/* ---- Scale, offset, order ---------------------------------------------------------------- */

/* Powers of two, as far as the type goes, change exponents only, and round once what is
 * subnormal in the caller's unit; noise is scaled with the channels.  memd.m's rule is
 * absolute, so that its unit is not free. */
static void
test_scale_exact(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES], y[CHANNELS * SAMPLES], a_row[SAMPLES], b_row[SAMPLES];
	static const double nothing[CHANNELS * SAMPLES];
	static const int powers[2][4] = { { -960, -530, 30, 1000 }, { -100, -57, 1, 120 } };
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_FIX_H, WS_STOP_CAUCHY,
		WS_STOP_TOLERANCE, WS_STOP_ENERGY };
	for (int set = 0; set < SETS; ++set)
		for (int i = 0; i < 28; ++i) {
			if (thinned_out(28 * set + i))
				continue;
			ws_emd_opts o = { .stop_rule = rules[i % 6], .boundary = (ws_boundary)(1 + i % 4),
					  .noise_channels = i / 6 % 2, .max_sifts = i % 6 ? 12 : 0,
					  .directions = 13 + i };
			if (i >= 24)
				o = (ws_emd_opts){ .reference = WS_REF_MEMD_GPU };
			const ws_type type = (ws_type)(i / 2 & 1);
			const int power = powers[type][(i + i / 6 + set) % 4];
			make_set(set, x);
			const double largest = largest_difference(x, nothing, CHANNELS * SAMPLES);
			for (int k = 0; k < CHANNELS * SAMPLES; ++k) {
				x[k] = type ? (double)(float)(x[k] / largest) : x[k] / largest;
				y[k] = ldexp(x[k], power);
			}
			result a, b;
			run(o, type, x, CHANNELS, 0, SAMPLES, &a);
			run(o, type, y, CHANNELS, 0, SAMPLES, &b);
			assert_int_equal(a.count[0], b.count[0]);
			for (size_t c = 0; c < CHANNELS; ++c)
				for (int k = 0; k <= a.count[c]; ++k) {
					row(&a, c, k, a_row);
					row(&b, c, k, b_row);
					for (int s = 0; s < SAMPLES; ++s) {
						const double want = ldexp(a_row[s], power);
						if (b_row[s] != (type ? (double)(float)want : want))
							fail_msg("%s, variant %d, %s, times 2^%d: mode %d, sample %d",
							         set_names[set], i, type ? "f32" : "f64", power, k + 1, s);
					}
				}
			result_free(&a);
			result_free(&b);
		}
}

/* Are b's modes those of a but for a scale, and the residues for offsets too?  b's
 * channel i is a's order[i]. */
static void
expect_similar(const char *what, int set, const result *a, const result *b, const int *order)
{
	double a_row[SAMPLES], b_row[SAMPLES], least = 1.0;
	if (a->count[0] != b->count[0])
		fail_msg("%s, %s: %d and %d modes", set_names[set], what, a->count[0], b->count[0]);
	for (size_t c = 0; c < CHANNELS; ++c)
		for (int k = 0; k <= a->count[0]; ++k) {
			row(a, (size_t)order[c], k, a_row);
			row(b, c, k, b_row);
			least = fmin(least, similarity(a_row, b_row, SAMPLES));
		}
	if (!(least >= 0.9999))
		fail_msg("%s, %s: similarity %.6f", set_names[set], what, least);
}

static const int same_order[CHANNELS] = { 0, 1, 2, 3 };

/* Other factors and offsets, of all channels or of each its own, leave the modes
 * what they are, whatever rule decides about them. */
static void
test_scale_and_offset(void **state)
{
	(void)state;
	static const struct { const char *what; double scale, offset, tilt; } changes[] = {
		{ "x 1e-7", 1e-7, 0, 0 }, { "x 1e9", 1e9, 0, 0 }, { "x 3.7e-5", 3.7e-5, 0, 0 },
		{ "+ 50", 1, 50, 0 }, { "- 50", 1, -50, 0 }, { "+ 1, 0, -1, -2", 1, 1, -1 },
	};
	static const ws_stop rules[] = { 0, WS_STOP_FIXED, WS_STOP_FIX_H, WS_STOP_CAUCHY, WS_STOP_ENERGY };
	double x[CHANNELS * SAMPLES], y[CHANNELS * SAMPLES];
	for (int set = 0; set < SETS; ++set)
		for (size_t rule = 0; rule < sizeof rules / sizeof *rules; ++rule) {
			if (thinned_out(5 * set + (int)rule))
				continue;
			const ws_emd_opts o = { .stop_rule = rules[rule],
						.max_sifts = rules[rule] == WS_STOP_ENERGY ? 30 : 0 };
			make_set(set, x);
			result a, b;
			run(o, WS_F64, x, CHANNELS, 0, SAMPLES, &a);
			for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
				const double std = std_of_all(x);
				for (int k = 0; k < CHANNELS * SAMPLES; ++k)
					y[k] = changes[i].scale * x[k] +
					       std * (changes[i].offset + k / SAMPLES * changes[i].tilt);
				run(o, WS_F64, y, CHANNELS, 0, SAMPLES, &b);
				expect_similar(changes[i].what, set, &a, &b, same_order);
				result_free(&b);
			}
			result_free(&a);
		}
}

/* Channels in another order, the columns of the directions with them. */
static void
test_order(void **state)
{
	(void)state;
	static const int order[CHANNELS] = { 2, 0, 3, 1 };
	enum { V = 37 };
	double x[CHANNELS * SAMPLES], y[CHANNELS * SAMPLES], u[V][CHANNELS], w[V][CHANNELS];
	rng r = { 110 };
	for (int d = 0; d < V; ++d) {
		for (int c = 0; c < CHANNELS; ++c)
			u[d][c] = rng_normal(&r);
		for (int c = 0; c < CHANNELS; ++c)
			w[d][c] = u[d][order[c]];
	}
	for (int set = 0; set < SETS; ++set) {
		make_set(set, x);
		for (int c = 0; c < CHANNELS; ++c)
			memcpy(y + c * SAMPLES, x + order[c] * SAMPLES, SAMPLES * sizeof *y);
		result a, b;
		run((ws_emd_opts){ .directions = V, .direction_vectors = u[0] }, WS_F64, x, CHANNELS, 0,
		    SAMPLES, &a);
		run((ws_emd_opts){ .directions = V, .direction_vectors = w[0] }, WS_F64, y, CHANNELS, 0,
		    SAMPLES, &b);
		expect_similar("permuted", set, &a, &b, order);
		result_free(&a);
		result_free(&b);
	}
}

/* Upside down: every projection's envelopes change places. */
static void
test_sign(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES], y[CHANNELS * SAMPLES];
	for (int set = 0; set < SETS; ++set) {
		make_set(set, x);
		for (int k = 0; k < CHANNELS * SAMPLES; ++k)
			y[k] = -x[k];
		result a, b;
		run((ws_emd_opts){ .sifts = 8 }, WS_F64, x, CHANNELS, 0, SAMPLES, &a);
		run((ws_emd_opts){ .sifts = 8 }, WS_F64, y, CHANNELS, 0, SAMPLES, &b);
		double *modes = b.modes, *residue = b.residue;
		for (size_t i = 0; i < CHANNELS * (size_t)b.rows * SAMPLES; ++i)
			modes[i] = -modes[i];
		for (size_t i = 0; i < CHANNELS * SAMPLES; ++i)
			residue[i] = -residue[i];
		expect_similar("upside down", set, &a, &b, same_order);
		result_free(&a);
		result_free(&b);
	}
}

/* ---- Channels alike, one channel ------------------------------------------------------------ */

static void
test_equal_channels(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES], many[9 * SAMPLES];
	for (int set = 0; set < SETS; ++set)
		for (int type = 0; type < 2; ++type) {
			make_set(set, x);
			for (int c = 0; c < 9; ++c)
				memcpy(many + c * SAMPLES, x, SAMPLES * sizeof *x);
			result r;
			run((ws_emd_opts){ .max_sifts = 30 }, (ws_type)type, many, 9, 0, SAMPLES, &r);
			assert_true(r.count[0] > 2);
			const size_t bytes = SAMPLES * type_size((ws_type)type);
			for (size_t c = 1; c < 9; ++c) {
				for (int k = 0; k < r.count[0]; ++k)
					assert_memory_equal(mode_row(&r, c, k), mode_row(&r, 0, k), bytes);
				assert_memory_equal(residue_row(&r, c), residue_row(&r, 0), bytes);
			}
			result_free(&r);
		}
}

/* One channel is EMD by another solver of the same splines. */
static void
test_one_channel(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES], a_row[SAMPLES], b_row[SAMPLES], worst = 0.0;
	for (int set = 0; set < SETS; ++set)
		for (int i = 0; i < 8; ++i) {
			make_set(set, x);
			const ws_emd_opts o = { .sifts = 10, .boundary = (ws_boundary)(1 + i % 4),
						.spline = (ws_spline)(1 + i / 4), .modes = 6 };
			result joint, emd;
			run(o, WS_F64, x, 1, 0, SAMPLES, &joint);
			job j = { .shape = { .channels = 1, .samples = SAMPLES }, .o = o, .x = x };
			must_decompose(&j, &emd);
			assert_int_equal(joint.count[0], emd.count[0]);
			for (int k = 0; k <= emd.count[0]; ++k) {
				row(&joint, 0, k, a_row);
				row(&emd, 0, k, b_row);
				worst = fmax(worst, largest_difference(a_row, b_row, SAMPLES) / std_of(x, SAMPLES));
			}
			result_free(&joint);
			result_free(&emd);
		}
	printf("one channel: off EMD by %.2g std\n", worst);
	assert_true(worst < 1e-10);
}

/* ---- Signals with little in them --------------------------------------------------------------- */

static void
expect_no_mode(const double *x, size_t channels, size_t n)
{
	for (int boundary = 1; boundary <= 4; ++boundary)
		for (int i = 0; i < 4; ++i) {
			ws_emd_opts o = { .boundary = (ws_boundary)boundary };
			if (i >= 2)
				o.reference = i == 2 ? WS_REF_MEMD : WS_REF_MEMD_GPU;
			const ws_type type = (ws_type)(i & 1);
			result r;
			run(o, type, x, channels, 0, n, &r);
			assert_int_equal(r.count[0], 0);
			for (size_t c = 0; c < channels; ++c)
				for (size_t s = 0; s < n; ++s) {
					const double want = x[c * n + s];
					assert_true(get(type, residue_row(&r, c), s) ==
					            (type ? (double)(float)want : want));
				}
			result_free(&r);
		}
}

static void
test_little(void **state)
{
	(void)state;
	double x[3 * 400];
	for (size_t n = 1; n <= 400; n += n < 5 ? 1 : 79) {
		for (size_t c = 0; c < 3; ++c)
			for (size_t i = 0; i < n; ++i)
				x[c * n + i] = c == 2 ? 0.0 : 3.25 - 7.0 * (double)c;
		expect_no_mode(x, 3, n); /* constant */
		for (size_t c = 0; c < 3; ++c)
			for (size_t i = 0; i < n; ++i)
				x[c * n + i] = (double)c - 0.5 * (double)i;
		expect_no_mode(x, 3, n); /* lines: no projection turns */
	}
	static const double few[6] = { 1.5, -2.0, 9.0, 3.0, 8.0, -1.0 };
	expect_no_mode(few, 3, 2);
	expect_no_mode(few, 2, 3);
}

/* A channel at rest beside others stays at rest. */
static void
test_channel_at_rest(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES];
	for (int type = 0; type < 2; ++type)
		for (int boundary = 1; boundary <= 4; ++boundary) {
			make_set(1, x);
			for (int i = 0; i < SAMPLES; ++i)
				x[2 * SAMPLES + i] = -41.5;
			result r;
			run((ws_emd_opts){ .boundary = (ws_boundary)boundary, .max_sifts = 100 },
			    (ws_type)type, x, CHANNELS, 0, SAMPLES, &r);
			assert_true(r.count[2] > 2);
			for (int k = 0; k < r.count[2]; ++k)
				for (size_t i = 0; i < SAMPLES; ++i)
					assert_true(get((ws_type)type, mode_row(&r, 2, k), i) == 0.0);
			for (size_t i = 0; i < SAMPLES; ++i)
				assert_true(get((ws_type)type, residue_row(&r, 2), i) == -41.5);
			result_free(&r);
		}
}

/* ---- Noise, epochs, limits ------------------------------------------------------------------------ */

static bool
same_modes(const result *a, const result *b)
{
	return a->count[0] == b->count[0] &&
	       memcmp(mode_row(a, 0, 0), mode_row(b, 0, 0), SAMPLES * sizeof(double)) == 0;
}

static void
test_noise_channels(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES];
	make_set(1, x);
	const ws_emd_opts o = { .noise_channels = 2, .seed = 1, .max_sifts = 20 };
	ws_emd_opts changed[] = { o, o, o, o };
	changed[0].seed = 2;
	changed[1].seed = 1 + ((uint64_t)1 << 32);
	changed[2].noise_power = 0.5;
	changed[3].noise_channels = 3;
	result a, b;
	run(o, WS_F64, x, CHANNELS, 0, SAMPLES, &a);
	assert_int_equal(a.channels, CHANNELS);
	run(o, WS_F64, x, CHANNELS, 0, SAMPLES, &b);
	assert_true(same_result(&a, &b));
	result_free(&b);
	for (size_t i = 0; i < sizeof changed / sizeof *changed; ++i) {
		run(changed[i], WS_F64, x, CHANNELS, 0, SAMPLES, &b);
		assert_false(same_modes(&a, &b));
		result_free(&b);
	}
	/* Without them the seed, which the directions do not use, changes nothing. */
	result_free(&a);
	run((ws_emd_opts){ .max_sifts = 20, .seed = 1 }, WS_F64, x, CHANNELS, 0, SAMPLES, &a);
	run((ws_emd_opts){ .max_sifts = 20, .seed = 2 }, WS_F64, x, CHANNELS, 0, SAMPLES, &b);
	assert_true(same_result(&a, &b));
	result_free(&a);
	result_free(&b);
}

/* Channels of noise carry the dense modes where the signal has none: their modes
 * take the first octaves, and a slow tone comes later than without. */
static void
test_noise_assists(void **state)
{
	(void)state;
	double x[2 * SAMPLES], v[SAMPLES];
	for (int i = 0; i < SAMPLES; ++i) {
		x[i] = sin(0.05 * i);
		x[SAMPLES + i] = cos(0.05 * i);
	}
	int fullest[2];
	for (int noise = 0; noise < 2; ++noise) {
		result r;
		run((ws_emd_opts){ .noise_channels = 2 * noise, .sifts = 10 }, WS_F64, x, 2, 0, SAMPLES, &r);
		double most = 0.0;
		for (int k = 0; k < r.count[0]; ++k) {
			row(&r, 0, k, v);
			if (std_of(v, SAMPLES) > most) {
				most = std_of(v, SAMPLES);
				fullest[noise] = k;
			}
		}
		result_free(&r);
	}
	printf("a tone is mode %d, with noise channels %d\n", fullest[0] + 1, fullest[1] + 1);
	assert_int_equal(fullest[0], 0);
	assert_in_range(fullest[1], 3, 6);
}

/* Several signals of some channels each: what each is by itself. */
static void
test_together(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES];
	make_set(0, x);
	for (int noise = 0; noise < 2; ++noise)
		for (size_t together = 1; together <= CHANNELS; together *= 2) {
			const ws_emd_opts o = { .noise_channels = noise, .max_sifts = 20, .directions = 20 };
			result all, one;
			run(o, WS_F64, x, CHANNELS, together, SAMPLES, &all);
			for (size_t first = 0; first < CHANNELS; first += together) {
				run(o, WS_F64, x + first * SAMPLES, together, 0, SAMPLES, &one);
				for (size_t c = 0; c < together; ++c) {
					assert_int_equal(one.count[c], all.count[first + c]);
					for (int k = 0; k < one.rows; ++k)
						assert_memory_equal(mode_row(&one, c, k), mode_row(&all, first + c, k),
						                    SAMPLES * sizeof *x);
					assert_memory_equal(residue_row(&one, c), residue_row(&all, first + c),
					                    SAMPLES * sizeof *x);
				}
				result_free(&one);
			}
			result_free(&all);
		}
}

static void
test_mode_limit(void **state)
{
	(void)state;
	double x[CHANNELS * SAMPLES];
	make_set(2, x);
	result all, some;
	run((ws_emd_opts){ .max_sifts = 15 }, WS_F64, x, CHANNELS, 0, SAMPLES, &all);
	assert_true(all.count[0] > 4);
	for (int limit = 1; limit <= 4; ++limit) {
		run((ws_emd_opts){ .max_sifts = 15, .modes = limit }, WS_F64, x, CHANNELS, 0, SAMPLES,
		    &some);
		assert_int_equal(some.count[0], limit);
		for (size_t c = 0; c < CHANNELS; ++c)
			for (int k = 0; k < limit; ++k)
				assert_memory_equal(mode_row(&some, c, k), mode_row(&all, c, k),
				                    SAMPLES * sizeof *x);
		result_free(&some);
	}
	result_free(&all);
}

/* Rules that adapt: what max_sifts cuts off is told, what holds is not. */
static void
test_unfinished(void **state)
{
	(void)state;
	static const ws_stop rules[] = { WS_STOP_RILLING, WS_STOP_FIX_H, WS_STOP_CAUCHY };
	double x[CHANNELS * SAMPLES];
	make_set(2, x);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
		result r;
		run((ws_emd_opts){ .stop_rule = rules[i], .max_sifts = 1, .modes = 2 }, WS_F64, x, CHANNELS,
		    0, SAMPLES, &r);
		assert_int_equal(r.unfinished[0], 2);
		assert_int_equal(r.sifts[0], 1);
		result_free(&r);
		run((ws_emd_opts){ .stop_rule = rules[i], .modes = 2 }, WS_F64, x, CHANNELS, 0, SAMPLES, &r);
		assert_int_equal(r.unfinished[0], 0);
		assert_true(r.sifts[0] > 1);
		result_free(&r);
		/* Tested every 7 sifts, a rule ends at one of those. */
		run((ws_emd_opts){ .stop_rule = rules[i], .modes = 1, .check_every = 7 }, WS_F64, x, CHANNELS,
		    0, SAMPLES, &r);
		assert_int_equal(r.sifts[0] % 7, 0);
		result_free(&r);
	}
	result r;
	run((ws_emd_opts){ .sifts = 3, .modes = 2 }, WS_F64, x, CHANNELS, 0, SAMPLES, &r);
	assert_int_equal(r.sifts[0], 3);
	assert_int_equal(r.unfinished[0], 0);
	result_free(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete),         cmocka_unit_test(test_scale_exact),
		cmocka_unit_test(test_scale_and_offset), cmocka_unit_test(test_order),
		cmocka_unit_test(test_sign),             cmocka_unit_test(test_equal_channels),
		cmocka_unit_test(test_one_channel),      cmocka_unit_test(test_little),
		cmocka_unit_test(test_channel_at_rest),  cmocka_unit_test(test_noise_channels),
		cmocka_unit_test(test_noise_assists),    cmocka_unit_test(test_together),
		cmocka_unit_test(test_mode_limit),       cmocka_unit_test(test_unfinished),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
