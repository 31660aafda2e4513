/*
 * test_hht_kernels.c - the passes of Hilbert-Huang spectra: every instruction set gives the plain
 * twins' bits, and those do what they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/hht/hht.h"
#include "core_test.h"
#include "math/phase.h"
#include "ops/ops.h"

enum { MOST = 400 };

static const wsi_hht_ops *
ref(void)
{
	return wsi_ops_find("ref", WS_F64)->hht;
}

/* Kinds of rows: noise, a tone, zeros and plateaus, a few levels. */
static void
fill(rng *r, int kind, size_t n, double *x)
{
	for (size_t i = 0; i < n; ++i) {
		const double u = rng_uniform(r) - 0.5;
		x[i] = kind == 0 ? u : kind == 1 ? sin(0.3 * (double)i) + 0.01 * u
		       : kind == 2 ? (u < 0.0 ? 0.0 : u) : floor(5.0 * u);
	}
}

static void
same(const double *a, const double *b, size_t n, const char *what, const char *isa)
{
	for (size_t i = 0; i < n; ++i)
		if (memcmp(&a[i], &b[i], sizeof *a) != 0)
			fail_msg("%s of %s: number %zu of %zu is %.17g, not %.17g", what, isa, i, n,
			         a[i], b[i]);
}

/* A curve through random knots that enclose n samples. */
static void
random_curve(rng *r, size_t n, wsi_curve *c)
{
	double t = -1.0 - 3.0 * rng_uniform(r);
	for (c->n = 0; c->n < 2 || c->t[c->n - 1] < (double)n; ++c->n) {
		c->t[c->n] = rng_int(r, 0, 3) ? t : floor(t);
		c->v[c->n] = rng_normal(r);
		c->s[c->n] = rng_normal(r);
		t = c->t[c->n] + 1.0 + 9.0 * rng_uniform(r);
	}
}

/* Sums and counts over x[n], as it is and repeated so that there are several blocks of it. */
static void
compare_sums(const wsi_hht_ops *ops, const char *isa, const double *x, const double *y, size_t n)
{
	enum { TIMES = 25 };
	double *a = need(n * TIMES * sizeof *a), *f = need(n * TIMES * sizeof *f);
	for (size_t i = 0; i < n * TIMES; ++i) {
		a[i] = x[i % n] * (1.0 + 1e-3 * (double)(i / n));
		f[i] = y[i % n];
	}
	for (size_t times = 1; times <= TIMES; times += TIMES - 1) {
		size_t m = n * times, p[3], q[3];
		double u[3], v[3];
		u[0] = ops->facts(a, m, &p[0]);
		v[0] = ref()->facts(a, m, &q[0]);
		ops->weigh(a, f, m, &u[1], &u[2]);
		ref()->weigh(a, f, m, &v[1], &v[2]);
		same(u, v, 3, "sums", isa);
		int32_t *bin = need(m * sizeof *bin);
		for (size_t i = 0; i < m; ++i)
			bin[i] = i / 3000 % 2 || f[i] > 0.2 ? (int32_t)(i % 7) : -1;
		u[0] = ops->outside(a, bin, m);
		v[0] = ref()->outside(a, bin, m);
		same(u, v, 1, "sum outside", isa);
		free(bin);
		ops->count(f, m, 0.3, &p[1], &p[2]);
		ref()->count(f, m, 0.3, &q[1], &q[2]);
		assert_memory_equal(p, q, sizeof p);
	}
	free(a);
	free(f);
}

/* polar, unwrap, slope and weigh in one go, the frequency over what was read of y. */
static void
compare_follow(const wsi_hht_ops *ops, const char *isa, rng *r, size_t n, size_t lead)
{
	double *x = need(n * sizeof *x), *y = need((n + lead) * sizeof *y);
	double *a = need(n * sizeof *a), *p = need(n * sizeof *p), *f = need(n * sizeof *f);
	double *b = need(n * sizeof *b), *q = need(n * sizeof *q), u[2], v[2];
	const double turn = 3.0 * rng_uniform(r);
	for (size_t i = 0; i < n; ++i) {
		x[i] = cos(turn * (double)i) + 0.3 * (rng_uniform(r) - 0.5);
		y[lead + i] = sin(turn * (double)i) + 0.3 * (rng_uniform(r) - 0.5);
	}
	x[0] = 2.0;
	y[lead] = -0.0;
	ref()->polar(x, y + lead, n, b, q);
	ref()->unwrap(q, n, 0);
	ref()->slope(q, n, 3, 0.7, f);
	ref()->weigh(b, f, n, &v[0], &v[1]);
	ops->follow(x, y + lead, n, 0.7, a, p, y, &u[0], &u[1]);
	same(a, b, n, "modulus in one go", isa);
	same(p, q, n, "phase in one go", isa);
	same(y, f, n, "frequency in one go", isa);
	same(u, v, 2, "sums in one go", isa);
	double *const all[] = { x, y, a, p, f, b, q };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		free(all[i]);
}

static void
test_follow(void **state)
{
	static const size_t lengths[] = { 3, 4, 255, 256, 257, 258, 511, 512, 513, 4095, 4096, 4097,
		4098, 8192, 8193, 10000 };
	const char *isa;
	(void)state;
	for (int k = 0; (isa = isa_to_test(k)); ++k) {
		const wsi_hht_ops *ops = wsi_ops_find(isa, WS_F64)->hht;
		rng r = { 12 };
		if (ops == ref()) /* composes it */
			continue;
		assert_non_null(ops->follow);
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
			compare_follow(ops, isa, &r, lengths[i], 0);
			compare_follow(ops, isa, &r, lengths[i], 77);
		}
	}
}

static void
compare_passes(const wsi_hht_ops *ops, const char *isa, rng *r)
{
	double x[MOST], y[MOST], a[MOST], b[MOST], c[MOST], d[MOST];
	double t[MOST + 16], v[MOST + 16], s[MOST + 16];
	const size_t n = (size_t)rng_int(r, 3, MOST);
	const int kind = rng_int(r, 0, 3);
	fill(r, kind, n, x);
	fill(r, rng_int(r, 0, 3), n, y);
	ops->polar(x, y, n, a, b);
	ref()->polar(x, y, n, c, d);
	same(a, c, n, "modulus", isa);
	same(b, d, n, "angle", isa);
	for (int numpy = 0; numpy < 2; ++numpy) {
		for (size_t i = 0; i < n; ++i)
			a[i] = c[i] = phase_angle(y[i], x[i]);
		ops->unwrap(a, n, numpy);
		ref()->unwrap(c, n, numpy);
		same(a, c, n, "unwrapped", isa);
	}
	for (int refined = 0; refined < 2; ++refined) {
		const size_t m = ops->peaks(x, n, refined, a, b);
		assert_int_equal(m, ref()->peaks(x, n, refined, c, d));
		same(a, c, m, "times of peaks", isa);
		same(b, d, m, "peaks", isa);
	}
	static const int widths[] = { 1, 3, 5, 7, 11, 31 };
	const int width = widths[rng_int(r, 0, 5)], zeros = rng_int(r, 0, 1);
	ops->median(x, n, width, zeros, a);
	ref()->median(x, n, width, zeros, c);
	same(a, c, n, "median", isa);
	if (width >= 3 && (size_t)width <= n) {
		ops->slope(x, n, width, 0.7, a);
		ref()->slope(x, n, width, 0.7, c);
		same(a, c, n, "slope", isa);
	}
	compare_sums(ops, isa, x, y, n);
	wsi_curve curve = { .t = t, .v = v, .s = s };
	random_curve(r, n, &curve);
	ops->curve(&curve, n, a);
	ref()->curve(&curve, n, c);
	same(a, c, n, "curve", isa);
}

static void
test_passes(void **state)
{
	const char *isa;
	(void)state;
	for (int k = 0; (isa = isa_to_test(k)); ++k) {
		rng r = { 20 };
		for (int i = 0; i < few(4000); ++i)
			compare_passes(wsi_ops_find(isa, i % 2 ? WS_F64 : WS_F32)->hht, isa, &r);
	}
	print_isas();
}

/* The largest magnitude of rows of both types, in which a sample may not be finite. */
static void
test_largest(void **state)
{
	static const double odd[] = { 0.0, 0.0, NAN, HUGE_VAL, -HUGE_VAL };
	const char *isa;
	rng r = { 33 };
	(void)state;
	for (int round = 0; round < few(2000); ++round) {
		double x[MOST];
		float y[MOST];
		const size_t n = (size_t)rng_int(&r, 1, MOST);
		fill(&r, round % 4, n, x);
		const double v = odd[rng_int(&r, 0, 4)];
		if (v != 0.0)
			x[rng_int(&r, 0, (int)n - 1)] = v;
		for (size_t i = 0; i < n; ++i)
			y[i] = (float)x[i];
		for (int k = 0; (isa = isa_to_test(k)); ++k) {
			const wsi_hht_ops *ops = wsi_ops_find(isa, WS_F64)->hht;
			int good[4] = { 1, 1, 1, 1 };
			const double p = ops->peak(x, WS_F64, n, &good[0]);
			const double q = ref()->peak(x, WS_F64, n, &good[1]);
			const double s = ops->peak(y, WS_F32, n, &good[2]);
			const double t = ref()->peak(y, WS_F32, n, &good[3]);
			assert_int_equal(good[0], v == 0.0);
			assert_true(good[0] == good[1] && good[0] == good[2] &&
			            good[0] == good[3]);
			/* Of rows that are refused nothing is asked. */
			if (good[0])
				assert_true(p == q && s == t);
		}
	}
}

/* The answer to the bins of a transform, with tables and without. */
static void
test_respond(void **state)
{
	const char *isa;
	rng r = { 34 };
	(void)state;
	for (int round = 0; round < few(400); ++round) {
		double in[6][MOST], a[2][MOST], b[2][MOST];
		const size_t half = (size_t)rng_int(&r, 1, MOST);
		for (int i = 0; i < 6; ++i)
			fill(&r, 0, half, in[i]);
		const double *sum = round % 2 ? in[2] : NULL;
		ref()->respond(half, in[0], in[1], sum, in[3], in[4], in[5], b[0], b[1]);
		for (int k = 0; (isa = isa_to_test(k)); ++k) {
			wsi_ops_find(isa, WS_F64)->hht->respond(half, in[0], in[1], sum, in[3],
			                                        in[4], in[5], a[0], a[1]);
			same(a[0], b[0], half, "real parts", isa);
			same(a[1], b[1], half, "imaginary parts", isa);
		}
	}
}

/* Frequencies at, just below and just above edges, and anywhere else. */
static void
test_bins(void **state)
{
	const char *isa;
	rng r = { 7 };
	(void)state;
	for (int round = 0; round < few(400); ++round) {
		wsi_bins b;
		assert_int_equal(wsi_bins_take(&b, rng_int(&r, 1, 60)), WS_OK);
		double edge = rng_int(&r, 0, 1) ? 0.0 : pow(10.0, rng_int(&r, -300, 2));
		for (int i = 0; i <= b.n; ++i) {
			b.edges[i] = edge;
			edge = round % 3 == 0 ? edge + 1.0 : round % 3 == 1
			       ? edge * (1.0 + rng_uniform(&r)) + 1e-3 : nextafter(edge, 1e300);
		}
		wsi_bins_guess(&b);
		double f[MOST];
		int32_t bin[MOST], want[MOST];
		for (int i = 0; i < MOST; ++i) {
			const double at = b.edges[rng_int(&r, 0, b.n)];
			f[i] = i % 4 == 0 ? at : i % 4 == 1 ? nextafter(at, -1.0)
			       : i % 4 == 2 ? nextafter(at, 1e300)
			       : rng_uniform(&r) * 1.2 * b.edges[b.n] - 0.1;
		}
		/* Stretches below and above all bins, here and there interrupted. */
		for (int i = 60; i < 330 && round % 2; ++i) {
			const int other = rng_int(&r, 0, 99);
			f[i] = i < 200 ? b.edges[0] - 1.0 : b.edges[b.n] + 1.0;
			f[i] = other == 0 ? NAN : other == 1 ? b.edges[0]
			       : other == 2 ? -f[i] : other == 3 ? HUGE_VAL : f[i];
		}
		/* A walk through neighbouring bins and beyond them. */
		const int wide = rng_int(&r, 1, 30), from = rng_int(&r, -3, b.n);
		for (int i = 60; i < 330 && round % 4 == 2; ++i) {
			const int at = from + rng_int(&r, 0, wide), other = rng_int(&r, 0, 99);
			f[i] = at < 0 ? -1.0 : b.edges[at < b.n ? at : b.n];
			f[i] = other < 2 ? NAN : other < 30 ? nextafter(f[i], -1.0) : f[i];
		}
		f[3] = NAN;
		f[7] = -HUGE_VAL;
		f[11] = HUGE_VAL;
		f[15] = -0.0;
		ref()->bins(&b, f, MOST, want);
		for (int k = 0; (isa = isa_to_test(k)); ++k) {
			wsi_ops_find(isa, WS_F64)->hht->bins(&b, f, MOST, bin);
			for (int i = 0; i < MOST; ++i)
				if (bin[i] != want[i])
					fail_msg("%s: %.17g in bin %d, not %d", isa, f[i], bin[i],
					         want[i]);
		}
		wsi_bins_free(&b);
	}
}

static void
test_angle(void **state)
{
	rng r = { 3 };
	(void)state;
	for (int i = 0; i < 200000; ++i) {
		const double x = rng_normal(&r), y = rng_normal(&r) * pow(10.0, rng_int(&r, -9, 9));
		const double error = fabs(phase_angle(y, x) - atan2(y, x));
		if (error > 9e-16)
			fail_msg("angle of (%.17g, %.17g): %.17g", x, y, phase_angle(y, x));
	}
	assert_true(phase_angle(0.0, 0.0) == 0.0);
	assert_float_equal(phase_angle(0.0, -1.0), PHASE_PI, 0.0);
	assert_float_equal(phase_angle(-2.0, 0.0), -PHASE_PI / 2, 0.0);
}

/* The sine through three samples finds the peak of a sine, from 2.2 samples a wave on. */
static void
test_peak(void **state)
{
	rng r = { 4 };
	(void)state;
	for (int i = 0; i < 20000; ++i) {
		const double w = 0.01 + 2.8 * rng_uniform(&r), p = w * (rng_uniform(&r) - 0.5);
		double behind;
		const double left = 3 * cos(-w - p), middle = 3 * cos(-p), right = 3 * cos(w - p);
		if (!(middle > left && middle >= right))
			continue;
		const double peak = phase_peak(left, middle, right, &behind);
		if (fabs(peak - 3) > 1e-10 || fabs(behind - p / w) > 1e-8)
			fail_msg("frequency %g, phase %g: peak %.15g at %.15g", w, p, peak, behind);
	}
}

/* Against the definition, for all lengths up to 100 and some beyond, primes among them. */
static void
test_hilbert(void **state)
{
	static double x[1024], y[1024], want[1024];
	rng r = { 5 };
	(void)state;
	for (size_t n = 1; n <= 1009; n += n < 100 ? 1 : 101) {
		wsi_hilbert *h;
		const wsi_ops *ops = wsi_ops_find(isa_to_test(1), WS_F64);
		assert_int_equal(wsi_hilbert_create(&h, ops, n), WS_OK);
		assert_int_equal(wsi_hilbert_fill(h, NULL), WS_OK);
		for (size_t i = 0; i < n; ++i)
			x[i] = rng_normal(&r) + 10;
		memset(want, 0, sizeof want);
		for (size_t k = 1; 2 * k < n; ++k) {
			double c = 0, s = 0;
			for (size_t i = 0; i < n; ++i) {
				const double turn = 2 * PHASE_PI * (double)(k * i % n) / (double)n;
				c += 2 * x[i] * cos(turn) / (double)n;
				s += 2 * x[i] * sin(turn) / (double)n;
			}
			for (size_t i = 0; i < n; ++i) {
				const double turn = 2 * PHASE_PI * (double)(k * i % n) / (double)n;
				want[i] += c * sin(turn) - s * cos(turn);
			}
		}
		double *in = need(n * sizeof *in), *out = need(n * sizeof *out);
		void *scratch = need(wsi_hilbert_scratch(h));
		memcpy(in, x, n * sizeof *in);
		wsi_hilbert_run(h, in, out, scratch);
		memcpy(y, out, n * sizeof *out);
		assert_memory_equal(in, x, n * sizeof *in);
		if (largest_difference(y, want, n) > 1e-12)
			fail_msg("%zu samples: off by %.2e", n, largest_difference(y, want, n));
		free(in);
		free(out);
		free(scratch);
		wsi_hilbert_destroy(h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passes), cmocka_unit_test(test_largest),
		cmocka_unit_test(test_respond), cmocka_unit_test(test_bins),
		cmocka_unit_test(test_angle), cmocka_unit_test(test_peak),
		cmocka_unit_test(test_hilbert),
		cmocka_unit_test(test_follow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
