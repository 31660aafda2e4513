/*
 * two_tone.c - the two-tone signal of the Improved CEEMDAN paper: how close
 * modes come to the true components.
 *
 *     two_tone golden     ceemdan.m on its own noise, and our reference on the same
 *     two_tone defaults   the library's defaults over 20 seeds
 *     two_tone scan       stop rules, sifts, realizations, noise and snr over 20 seeds
 *
 * A component is the row, residue included, that is most similar to it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { SEEDS = 20 };

/* The goal for the defaults. */
static const double least_burst = 0.9963, least_tone = 0.9985;

static double x[TWO_TONE_SAMPLES], burst[TWO_TONE_SAMPLES], tone[TWO_TONE_SAMPLES];

static int
golden(void)
{
	const char *folder = data_folder();
	array given = load_npy(folder, "golden/iceemdan_synth_x.npy");
	array noise = load_npy(folder, "golden/iceemdan_synth_noise.npy");
	array modes = load_npy(folder, "golden/iceemdan_synth_modes.npy");
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_ICEEMDAN,
	                        .reference = WS_REF_COLOMINAS, .noise = 0.2,
	                        .realizations = (int)noise.rows, .max_sifts = 300 };
	decomposition d = decompose(given.v, given.n, &o, noise.v);
	decomposition theirs = { .n = modes.n, .modes = (int)modes.rows - 1, .rows = modes.v };
	const double *component[2] = { burst, tone };
	const char *name[2] = { "burst", "tone" };
	printf("signal differs from its formula by %.1e; rows: %d theirs, %d ours\n",
	       max_difference(given.v, x, given.n), theirs.modes + 1, d.modes + 1);
	double worst = 0.0;
	for (int k = 0; k < 2; ++k) {
		int a, b;
		const double s = best_similarity(&theirs, component[k], &a);
		const double ours = best_similarity(&d, component[k], &b);
		printf("%-5s ceemdan.m %.6f (row %d), ours %.6f (row %d), difference %.1e\n", name[k], s,
		       a + 1, ours, b + 1, fabs(s - ours));
		worst = fmax(worst, fabs(s - ours));
	}
	const bool pass = worst < 1e-4 && theirs.modes == d.modes;
	printf("%s: largest difference %.1e, goal below 1e-4\n", pass ? "PASS" : "FAIL", worst);
	decomposition_free(&d);
	array_free(&given);
	array_free(&noise);
	array_free(&modes);
	return !pass;
}

/* One line: smallest and mean similarity over the seeds. */
static bool
line(const char *name, ws_emd_opts o)
{
	double least[2] = { 1.0, 1.0 }, mean[2] = { 0.0, 0.0 }, sifts = 0.0, seconds = 0.0;
	int rows[2][16] = { { 0 } }, modes = 0;
	o.size = sizeof o;
	o.tag = WS_TAG_EMD;
	o.method = WS_METHOD_ICEEMDAN;
	for (int seed = 1; seed <= SEEDS; ++seed) {
		o.seed = (uint64_t)seed;
		decomposition d = decompose(x, TWO_TONE_SAMPLES, &o, NULL);
		for (int k = 0; k < 2; ++k) {
			int row;
			const double s = best_similarity(&d, k ? tone : burst, &row);
			least[k] = fmin(least[k], s);
			mean[k] += s / SEEDS;
			rows[k][row < 15 ? row : 15]++;
		}
		for (int k = 0; k < d.modes; ++k)
			sifts = fmax(sifts, d.sifts[k]);
		modes = d.modes > modes ? d.modes : modes;
		seconds += d.seconds / SEEDS;
		decomposition_free(&d);
	}
	int usual[2] = { 0, 0 };
	for (int k = 0; k < 2; ++k)
		for (int r = 1; r < 16; ++r)
			if (rows[k][r] > rows[k][usual[k]])
				usual[k] = r;
	const bool pass = least[0] >= least_burst && least[1] >= least_tone;
	printf("%-28s %.5f %.5f  %.5f %.5f   %d %d  %5d %6.0f %6.0f  %s\n", name, least[0], mean[0],
	       least[1], mean[1], usual[0] + 1, usual[1] + 1, modes, sifts, 1e3 * seconds,
	       pass ? "PASS" : "FAIL");
	fflush(stdout);
	return pass;
}

static void
head(void)
{
	printf("%-28s %-16s %-16s  %-4s %5s %6s %6s\n", "20 seeds", " burst min mean", " tone min mean",
	       "rows", "modes", "sifts", "cpu ms");
}

/* A stop rule at other noises, scalings and realizations. */
static void
scan_ensemble(const char *what, ws_emd_opts base)
{
	static const double noises[] = { 0.05, 0.1, 0.3 };
	static const int counts[] = { 20, 50, 200 };
	char name[128];
	ws_emd_opts o = base;
	snprintf(name, sizeof name, "%s", what);
	line(name, o);
	o.snr = WS_SNR_CONSTANT;
	snprintf(name, sizeof name, "%s, constant snr", what);
	line(name, o);
	for (size_t i = 0; i < sizeof noises / sizeof *noises; ++i) {
		o = base;
		o.noise = noises[i];
		snprintf(name, sizeof name, "%s, noise %g", what, noises[i]);
		line(name, o);
	}
	for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
		o = base;
		o.realizations = counts[i];
		snprintf(name, sizeof name, "%s, %d realizations", what, counts[i]);
		line(name, o);
	}
}

/* Where a line does not say otherwise: 100 realizations, noise 0.2, increasing snr. */
static void
scan(void)
{
	static const struct {
		const char *name;
		ws_emd_opts opts;
	} rules[] = {
		{ "colominas, 20 realizations", { .reference = WS_REF_COLOMINAS, .realizations = 20 } },
		{ "colominas, 50 realizations", { .reference = WS_REF_COLOMINAS, .realizations = 50 } },
		{ "colominas", { .reference = WS_REF_COLOMINAS } },
		{ "fixed 5", { .sifts = 5 } },
		{ "fixed 8", { .sifts = 8 } },
		{ "fixed 15", { .sifts = 15 } },
		{ "fixed 20", { .sifts = 20 } },
		{ "fixed 30", { .sifts = 30 } },
		{ "fixed 50", { .sifts = 50 } },
		{ "rilling, at most 10", { .stop_rule = WS_STOP_RILLING, .max_sifts = 10 } },
		{ "rilling, at most 30", { .stop_rule = WS_STOP_RILLING, .max_sifts = 30 } },
		{ "rilling, at most 100", { .stop_rule = WS_STOP_RILLING, .max_sifts = 100 } },
		{ "s-number", { .stop_rule = WS_STOP_S_NUMBER } },
		{ "sd", { .stop_rule = WS_STOP_SD } },
		{ "cauchy", { .stop_rule = WS_STOP_CAUCHY } },
		{ "tolerance", { .stop_rule = WS_STOP_TOLERANCE } },
		{ "energy, at most 100", { .stop_rule = WS_STOP_ENERGY, .max_sifts = 100 } },
	};
	head();
	for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
		line(rules[i].name, rules[i].opts);
	scan_ensemble("rilling", (ws_emd_opts){ .stop_rule = WS_STOP_RILLING });
	scan_ensemble("fixed 10", (ws_emd_opts){ .sifts = 10 });
}

int
main(int argc, char **argv)
{
	two_tone(x, burst, tone);
	if (argc == 2 && strcmp(argv[1], "golden") == 0)
		return golden();
	if (argc == 2 && strcmp(argv[1], "defaults") == 0) {
		head();
		return !line("defaults", (ws_emd_opts){ .seed = 0 });
	}
	if (argc == 2 && strcmp(argv[1], "scan") == 0) {
		scan();
		return 0;
	}
	die("usage: two_tone golden|defaults|scan");
}
