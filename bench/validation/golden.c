/*
 * golden.c - agreement with vectors that the reference codes made.
 *
 *     golden fix10       emd.m with 10 sifts: largest difference by the signal's std
 *     golden rilling     emd.m with its stop rule: modes and similarity
 *     golden colominas   ceemdan.m on the given noise: modes and similarity
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

typedef struct test {
	const char *x, *noise, *modes;
	ws_emd_opts opts;
} test;

typedef struct group {
	const char *name;
	double most_difference;   /* by std(x); 0: not asked for */
	double least_similarity;
	test tests[2];
} group;

static const group groups[] = {
	{ "fix10", 1e-9, 0.0,
	  { { "emd_synth_x", NULL, "emd_synth_fix10", { .reference = WS_REF_RILLING, .sifts = 10 } },
	    { "emd_eeg_x", NULL, "emd_eeg_fix10", { .reference = WS_REF_RILLING, .sifts = 10 } } } },
	{ "rilling", 0.0, 0.99999,
	  { { "emd_synth_x", NULL, "emd_synth_rilling", { .reference = WS_REF_RILLING } },
	    { "emd_eeg_x", NULL, "emd_eeg_rilling", { .reference = WS_REF_RILLING } } } },
	{ "colominas", 0.0, 0.9999,
	  { { "iceemdan_synth_x", "iceemdan_synth_noise", "iceemdan_synth_modes",
	      { .reference = WS_REF_COLOMINAS, .max_sifts = 300, .snr = WS_SNR_INCREASING } },
	    { "iceemdan_eeg_x", "iceemdan_eeg_noise", "iceemdan_eeg_modes",
	      { .reference = WS_REF_COLOMINAS, .max_sifts = 100, .snr = WS_SNR_CONSTANT,
	        .modes = 30 } } } },
};

static array
load(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "golden/%s.npy", name);
	return load_npy(data_folder(), path);
}

static bool
run(const group *g, const test *t)
{
	array x = load(t->x), golden = load(t->modes), noise = { .v = NULL };
	ws_emd_opts o = t->opts;
	o.size = sizeof o;
	o.tag = WS_TAG_EMD;
	if (t->noise) {
		noise = load(t->noise);
		o.realizations = (int)noise.rows;
	}
	decomposition d = decompose(x.v, x.n, &o, noise.v);
	const double std = std_of(x.v, x.n);
	double most = 0.0, least = 1.0;
	printf("%s: rows %zu theirs, %d ours\n", t->modes, golden.rows, d.modes + 1);
	for (int k = 0; k <= d.modes && k < (int)golden.rows; ++k) {
		const double *theirs = array_row(&golden, (size_t)k);
		const double difference = max_difference(mode_row(&d, k), theirs, x.n) / std;
		const double s = similarity(mode_row(&d, k), theirs, x.n);
		printf("  row %2d  max difference / std %.1e   1 - similarity %.1e\n", k + 1, difference,
		       fabs(1.0 - s));
		most = fmax(most, difference);
		least = fmin(least, s);
	}
	const bool pass = d.modes + 1 == (int)golden.rows && least >= g->least_similarity &&
	                  (g->most_difference == 0.0 || most <= g->most_difference);
	printf("%s: %s, largest difference / std %.1e, 1 - least similarity %.1e\n",
	       pass ? "PASS" : "FAIL", t->modes, most, fabs(1.0 - least));
	decomposition_free(&d);
	array_free(&x);
	array_free(&golden);
	array_free(&noise);
	return pass;
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof groups / sizeof *groups; ++i)
		if (strcmp(argv[1], groups[i].name) == 0) {
			const bool first = run(&groups[i], &groups[i].tests[0]);
			return !run(&groups[i], &groups[i].tests[1]) || !first;
		}
	die("usage: golden fix10|rilling|colominas");
}
