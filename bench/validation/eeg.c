/*
 * eeg.c - channel 4 of the EEG sample, Improved CEEMDAN with independent
 * noises: ours against ceemdan.m's, and each against itself for scale.
 *
 *     eeg SAMPLES MODES [THEIRS.f64 ...]
 *
 * THEIRS are results of ceemdan_peer.m on the same samples with various
 * seeds: rows of float64, the residue last.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { MOST_MODES = 12, MOST_RUNS = 8 };

/* As in the runs of ceemdan.m. */
static const int realizations = 50, max_sifts = 300;

/* What the CEEMDAN-GPU paper reports for this channel. */
static const double least_mean = 0.89;

typedef struct variant {
	const char *name;
	bool judged;      /* the others show what their rules change */
	ws_emd_opts opts;
} variant;

static const variant variants[] = {
	{ "reference colominas", true, { .reference = WS_REF_COLOMINAS } },
	{ "defaults", true, { .method = WS_METHOD_ICEEMDAN } },
	{ "rilling, at most 30", false, {
	   .method = WS_METHOD_ICEEMDAN, .stop_rule = WS_STOP_RILLING, .max_sifts = 30 } },
	{ "rilling, at most 10", false, {
	   .method = WS_METHOD_ICEEMDAN, .stop_rule = WS_STOP_RILLING, .max_sifts = 10 } },
	{ "fixed 10", false, { .method = WS_METHOD_ICEEMDAN, .sifts = 10 } },
};

/* Similarity of modes 1 .. modes of two results; returns their mean. */
static double
compare(const char *what, const decomposition *a, const decomposition *b, int modes)
{
	double sum = 0.0;
	int count = 0;
	printf("%-42s", what);
	for (int k = 0; k < modes && k < a->modes && k < b->modes; ++k, ++count) {
		const double s = similarity(mode_row(a, k), mode_row(b, k), a->n);
		printf(" %.3f", s);
		sum += s;
	}
	printf("  mean %.4f of %d (%d and %d modes)\n", sum / count, count, a->modes, b->modes);
	return sum / count;
}

static decomposition
ours(const array *x, const variant *v, uint64_t seed)
{
	ws_emd_opts o = v->opts;
	o.size = sizeof o;
	o.tag = WS_TAG_EMD;
	o.realizations = realizations;
	if (o.reference)
		o.max_sifts = max_sifts;
	o.seed = seed;
	return decompose(x->v, x->n, &o, NULL);
}

/* One variant against itself with another seed, and against their runs. */
static bool
try_variant(const variant *v, const array *x, int modes, const decomposition *theirs, int runs)
{
	char what[128];
	decomposition a = ours(x, v, 1), b = ours(x, v, 2);
	printf("%s: %.2f s of processor time, sifts (the most of any realization):", v->name,
	       a.seconds);
	for (int k = 0; k < a.modes; ++k)
		printf(" %d", a.sifts[k]);
	putchar('\n');
	snprintf(what, sizeof what, "%s, seed 1 and seed 2", v->name);
	compare(what, &a, &b, modes);
	/* How the slow modes fall out is a matter of the noise: on average over both
	 * seeds and all runs. */
	double sum = 0.0;
	for (int i = 0; i < 2 * runs; ++i) {
		snprintf(what, sizeof what, "%s, seed %d and ceemdan.m run %d", v->name, i % 2 + 1, i / 2 + 1);
		sum += compare(what, i % 2 ? &b : &a, &theirs[i / 2], modes);
	}
	const double mean = runs ? sum / (2 * runs) : 0.0;
	const bool pass = runs == 0 || !v->judged || mean > least_mean;
	if (runs > 0 && v->judged)
		printf("%s: %s, mean similarity to ceemdan.m %.4f, above %g\n", pass ? "PASS" : "FAIL",
		       v->name, mean, least_mean);
	else if (runs > 0)
		printf("measured: %s, mean similarity to ceemdan.m %.4f\n", v->name, mean);
	decomposition_free(&a);
	decomposition_free(&b);
	return pass;
}

int
main(int argc, char **argv)
{
	if (argc < 3 || argc > 3 + MOST_RUNS)
		die("usage: eeg SAMPLES MODES [THEIRS.f64 ...]");
	array x = load_f32(data_folder(), "eeg/pannon/eegSampleDataCH4.bin");
	const size_t n = strtoul(argv[1], NULL, 10);
	const int modes = atoi(argv[2]), runs = argc - 3;
	if (n < 1000 || n > x.n || modes < 1 || modes > MOST_MODES)
		die("samples 1000..%zu, modes 1..%d", x.n, MOST_MODES);
	x.n = n;
	decomposition theirs[MOST_RUNS];
	for (int i = 0; i < runs; ++i) {
		array a = load_f64(argv[3 + i], n);
		theirs[i] = (decomposition){ .n = n, .modes = (int)a.rows - 1, .rows = a.v };
	}
	printf("%zu samples, %d realizations\n", n, realizations);
	for (int i = 1; i < runs; ++i) {
		char what[128];
		snprintf(what, sizeof what, "ceemdan.m run 1 and run %d", i + 1);
		compare(what, &theirs[0], &theirs[i], modes);
	}
	bool pass = true;
	for (size_t v = 0; v < sizeof variants / sizeof *variants; ++v)
		pass &= try_variant(&variants[v], &x, modes, theirs, runs);
	if (runs == 0)
		puts("NOT RUN: no ceemdan.m in WS_PEERS, or no octave-cli");
	for (int i = 0; i < runs; ++i)
		decomposition_free(&theirs[i]);
	array_free(&x);
	return !pass;
}
