/*
 * rules.c - stop rules on one signal: sifts of each mode, number of modes,
 * index of orthogonality, similarity to the modes of Rilling's rule.
 *
 *     rules stop          all rules, EMD
 *     rules check-every   rilling and tolerance, tested every 1, 2, 5, 10 sifts;
 *                         EMD, and Improved CEEMDAN with 20 realizations;
 *                         what a test costs
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static void
print_sifts(const decomposition *d)
{
	long total = 0;
	for (int k = 0; k < d->modes; ++k)
		total += d->sifts[k];
	printf("%2d modes, %5ld sifts:", d->modes, total);
	for (int k = 0; k < d->modes; ++k)
		printf(" %d", d->sifts[k]);
	putchar('\n');
}

static void
print_similarities(const decomposition *d, const decomposition *other)
{
	double sum = 0.0;
	int count = 0;
	printf("    similarity:");
	for (int k = 0; k < d->modes && k < other->modes; ++k, ++count) {
		const double s = similarity(mode_row(d, k), mode_row(other, k), d->n);
		printf(" %.3f", s);
		sum += s;
	}
	printf("; mean %.4f\n", sum / count);
}

static void
stop(const array *x)
{
	static const struct {
		const char *name;
		ws_emd_opts opts;
	} rules[] = {
		{ "rilling 0.05, 0.5, 0.05", { .stop_rule = WS_STOP_RILLING } },
		{ "fixed 10", { .sifts = 10 } },
		{ "s-number 4", { .stop_rule = WS_STOP_S_NUMBER } },
		{ "sd 0.25", { .stop_rule = WS_STOP_SD } },
		{ "cauchy 0.05", { .stop_rule = WS_STOP_CAUCHY } },
		{ "tolerance 0.2", { .stop_rule = WS_STOP_TOLERANCE } },
		{ "energy 50 dB", { .stop_rule = WS_STOP_ENERGY } },
	};
	decomposition first = { .n = 0 };
	for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
		ws_emd_opts o = rules[i].opts;
		o.size = sizeof o;
		o.tag = WS_TAG_EMD;
		decomposition d = decompose(x->v, x->n, &o, NULL);
		printf("%-24s orthogonality %+.4f, %d unfinished, ", rules[i].name,
		       orthogonality(&d, x->v), d.unfinished);
		print_sifts(&d);
		if (i == 0) {
			first = d;
			continue;
		}
		print_similarities(&d, &first);
		decomposition_free(&d);
	}
	decomposition_free(&first);
}

static void
check_every(const array *x)
{
	static const struct {
		const char *name;
		ws_emd_opts opts;
	} runs[] = {
		{ "EMD, rilling", { .stop_rule = WS_STOP_RILLING } },
		{ "EMD, tolerance", { .stop_rule = WS_STOP_TOLERANCE } },
		{ "Improved CEEMDAN, rilling",
		  { .method = WS_METHOD_ICEEMDAN, .stop_rule = WS_STOP_RILLING, .realizations = 20,
		    .seed = 1 } },
		{ "Improved CEEMDAN, tolerance",
		  { .method = WS_METHOD_ICEEMDAN, .stop_rule = WS_STOP_TOLERANCE,
			.realizations = 20,
		    .seed = 1 } },
	};
	static const int every[] = { 1, 2, 5, 10 };
	for (size_t r = 0; r < sizeof runs / sizeof *runs; ++r) {
		decomposition first = { .n = 0 };
		for (size_t i = 0; i < sizeof every / sizeof *every; ++i) {
			ws_emd_opts o = runs[r].opts;
			o.size = sizeof o;
			o.tag = WS_TAG_EMD;
			o.check_every = every[i];
			decomposition d = decompose(x->v, x->n, &o, NULL);
			printf("%s, every %2d: ", runs[r].name, every[i]);
			print_sifts(&d);
			if (i == 0) {
				first = d;
				continue;
			}
			print_similarities(&d, &first);
			decomposition_free(&d);
		}
		decomposition_free(&first);
	}
}

/* 10 sifts of 4 modes of white noise by rules that never hold: what the test
 * adds to a sift.  Best of many runs that take turns. */
static void
test_cost(void)
{
	enum { SAMPLES = 50000, MODES = 4, SIFTS = 10, RUNS = 20 };
	static const struct {
		const char *name;
		ws_emd_opts opts;
	} rules[] = {
		{ "no test", { .sifts = SIFTS } },
		{ "rilling, every sift", { .stop_rule = WS_STOP_RILLING,
		                          .stop_rule_param = { 1e-9, 1e-9, 1e-9 } } },
		{ "rilling, every 10th", { .stop_rule = WS_STOP_RILLING, .stop_rule_param = { 1e-9, 1e-9, 1e-9 },
		                           .check_every = 10 } },
		{ "tolerance, every sift", { .stop_rule = WS_STOP_TOLERANCE,
		                            .stop_rule_param = { 1e-30, 1e3 } } },
		{ "tolerance, every 10th", { .stop_rule = WS_STOP_TOLERANCE, .stop_rule_param = { 1e-30, 1e3 },
		                             .check_every = 10 } },
	};
	enum { RULES = sizeof rules / sizeof *rules };
	double best[RULES];
	double *x = xmalloc(SAMPLES * sizeof *x);
	white_noise(x, SAMPLES, 1);
	for (int run = 0; run < RUNS; ++run)
		for (int i = 0; i < RULES; ++i) {
			ws_emd_opts o = rules[i].opts;
			o.size = sizeof o;
			o.tag = WS_TAG_EMD;
			o.modes = MODES;
			o.max_sifts = SIFTS;
			decomposition d = decompose(x, SAMPLES, &o, NULL);
			best[i] = run && best[i] < d.seconds ? best[i] : d.seconds;
			decomposition_free(&d);
		}
	for (int i = 0; i < RULES; ++i)
		printf("%-22s %.2f ns of processor time per sample and sift\n", rules[i].name,
		       best[i] / (SAMPLES * MODES * SIFTS) * 1e9);
	free(x);
}

int
main(int argc, char **argv)
{
	array x = load_npy(data_folder(), "golden/emd_eeg_x.npy");
	printf("EEG, %zu samples\n", x.n);
	if (argc == 2 && strcmp(argv[1], "stop") == 0) {
		stop(&x);
	} else if (argc == 2 && strcmp(argv[1], "check-every") == 0) {
		check_every(&x);
		test_cost();
	} else {
		die("usage: rules stop|check-every");
	}
	array_free(&x);
	return 0;
}
