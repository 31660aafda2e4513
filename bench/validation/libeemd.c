/*
 * libeemd.c - our libeemd reference against libeemd itself, which is looked
 * for as $WS_PEERS/libeemd.so.
 *
 *     libeemd emd        EMD: largest difference by the signal's std
 *     libeemd eemd       EEMD and
 *     libeemd ceemdan    CEEMDAN on libeemd's own noise: similarity
 *
 * A row that is all rounding, marked ~, counts by its difference.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* threads: of the R package's; the older libeemd has it not and looks at the others only. */
typedef int decomposer(const double *x, size_t n, double *out, size_t rows, unsigned members,
                       double noise, unsigned s_number, unsigned siftings, unsigned long seed,
                       int threads);

typedef struct peer {
	decomposer *eemd, *ceemdan;
	size_t (*rows)(size_t n);
	/* Of GSL, which it draws its noise from. */
	void *(*rng_alloc)(const void *type);
	void (*rng_set)(void *rng, unsigned long seed);
	void (*rng_free)(void *rng);
	double (*gaussian)(const void *rng, double sigma);
	const void **mt19937;
} peer;

static void *
symbol(void *library, const char *name)
{
	void *s = dlsym(library, name);
	if (!s)
		die("libeemd.so: no %s", name);
	return s;
}

static bool
open_peer(peer *p)
{
	const char *folder = getenv("WS_PEERS");
	char path[4096];
	snprintf(path, sizeof path, "%s/libeemd.so", folder ? folder : ".");
	void *library = folder ? dlopen(path, RTLD_NOW) : NULL;
	if (!library)
		return false;
	p->eemd = (decomposer *)symbol(library, "eemd");
	p->ceemdan = (decomposer *)symbol(library, "ceemdan");
	p->rows = (size_t (*)(size_t))symbol(library, "emd_num_imfs");
	p->rng_alloc = (void *(*)(const void *))symbol(library, "gsl_rng_alloc");
	p->rng_set = (void (*)(void *, unsigned long))symbol(library, "gsl_rng_set");
	p->rng_free = (void (*)(void *))symbol(library, "gsl_rng_free");
	p->gaussian = (double (*)(const void *, double))symbol(library, "gsl_ran_gaussian");
	p->mt19937 = (const void **)symbol(library, "gsl_rng_mt19937");
	return true;
}

/* The noise that its ensembles see: member i draws with seed + i. */
static double *
export_noise(const peer *p, size_t n, unsigned members, unsigned long seed)
{
	double *noise = xmalloc(members * n * sizeof *noise);
	void *rng = p->rng_alloc(*p->mt19937);
	for (unsigned i = 0; i < members; ++i) {
		p->rng_set(rng, seed + i);
		for (size_t t = 0; t < n; ++t)
			noise[i * n + t] = p->gaussian(rng, 1.0);
	}
	p->rng_free(rng);
	return noise;
}

/* ---- Signals ----------------------------------------------------------- */

/* The first three are short enough for ensembles. */
enum { SHORT_SIGNALS = 3, SIGNALS = 6 };

static array
noise_signal(size_t n)
{
	array a = { .rows = 1, .n = n, .v = xmalloc(n * sizeof *a.v) };
	white_noise(a.v, n, 1);
	return a;
}

static array
signal_of(int i, const char **name)
{
	static const char *const names[SIGNALS] = {
		"white noise 4096", "EEG 4096", "synth 2000",
		"white noise 100000", "EEG channel 4, 30504", "synth as whole numbers",
	};
	*name = names[i];
	if (i == 0 || i == 3)
		return noise_signal(i == 0 ? 4096 : 100000);
	if (i == 1)
		return load_npy(data_folder(), "golden/emd_eeg_x.npy");
	if (i == 4)
		return load_f32(data_folder(), "eeg/pannon/eegSampleDataCH4.bin");
	array a = load_npy(data_folder(), "golden/emd_synth_x.npy");
	/* Plateaus, of even and odd length. */
	for (size_t t = 0; i == 5 && t < a.n; ++t)
		a.v[t] = rint(2.0 * a.v[t]);
	return a;
}

/* ---- Comparison -------------------------------------------------------- */

/* A row whose std is below this share of the signal's, in both, is rounding: it has no similarity
 * worth a name, and counts by its largest difference, which is to be below the same share. */
#define ROUNDING 1e-12

typedef struct rule {
	const char *name;
	unsigned s_number, siftings;
	ws_emd_opts opts;
} rule;

static const rule rules[] = {
	{ "10 sifts", 0, 10, { .sifts = 10 } },
	{ "S 4, at most 50", 4, 50,
		{ .stop_rule = WS_STOP_S_NUMBER, .stop_rule_param = { 4.0 }, .max_sifts = 50 } },
};

typedef struct ensemble {
	ws_method method;
	unsigned members;   /* 1: plain EMD */
	double noise;
	double most_difference, least_similarity; /* of every row; 0: not asked for */
} ensemble;

static bool
compare(const peer *p, const ensemble *e, const rule *r, int which)
{
	const char *name;
	array x = signal_of(which, &name);
	const unsigned long seed = 1234;
	decomposition theirs = { .n = x.n, .modes = (int)p->rows(x.n) - 1 };
	theirs.rows = xmalloc((size_t)(theirs.modes + 1) * x.n * sizeof *theirs.rows);
	decomposer *f = e->method == WS_METHOD_CEEMDAN ? p->ceemdan : p->eemd;
	const int status = f(x.v, x.n, theirs.rows, (size_t)theirs.modes + 1, e->members, e->noise,
	                     r->s_number, r->siftings, seed, 1);
	if (status)
		die("libeemd: error %d", status);
	ws_emd_opts o = r->opts;
	o.size = sizeof o;
	o.tag = WS_TAG_EMD;
	o.reference = WS_REF_LIBEEMD;
	o.method = e->method;
	const bool ensemble = e->members > 1;
	o.noise = ensemble ? e->noise : 0.0;
	o.realizations = ensemble ? (int)e->members : 0;
	double *noise = ensemble ? export_noise(p, x.n, e->members, seed) : NULL;
	decomposition d = decompose(x.v, x.n, &o, noise);
	const double std = std_of(x.v, x.n);
	double most = 0.0, most_rounding = 0.0, least = 1.0;
	printf("%s, %s: rows %d theirs, %d ours\n ", name, r->name, theirs.modes + 1, d.modes + 1);
	for (int k = 0; k <= d.modes && k <= theirs.modes; ++k) {
		const double difference = max_difference(mode_row(&d, k), mode_row(&theirs, k),
		                                         x.n) / std;
		const bool rounding = std_of(mode_row(&d, k), x.n) < ROUNDING * std &&
		                      std_of(mode_row(&theirs, k), x.n) < ROUNDING * std;
		const double s =
			rounding ? 1.0 : similarity(mode_row(&d, k), mode_row(&theirs, k), x.n);
		const bool by_difference = rounding || e->most_difference > 0.0;
		printf(" %s%.1e", rounding ? "~" : "", by_difference ? difference : fabs(1.0 - s));
		most = fmax(most, difference);
		most_rounding = rounding ? fmax(most_rounding, difference) : most_rounding;
		/* Not fmin: what is no number is a failure. */
		least = s >= least ? least : s;
	}
	const bool pass = d.modes == theirs.modes && most_rounding < ROUNDING &&
	                  (e->least_similarity == 0.0 || least >= e->least_similarity) &&
	                  (e->most_difference == 0.0 || most <= e->most_difference);
	printf("\n%s: %s, %s, largest difference / std %.1e", pass ? "PASS" : "FAIL", name, r->name,
	       most);
	if (e->least_similarity > 0.0)
		printf(", 1 - least similarity %.1e", fabs(1.0 - least));
	putchar('\n');
	free(noise);
	array_free(&x);
	decomposition_free(&d);
	decomposition_free(&theirs);
	return pass;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		ensemble e;
	} programs[] = {
		{ "emd", { WS_METHOD_EMD, 1, 0.0, 1e-9, 0.0 } },
		{ "eemd", { WS_METHOD_EEMD, 50, 0.2, 0.0, 0.9999 } },
		{ "ceemdan", { WS_METHOD_CEEMDAN, 50, 0.2, 0.0, 0.9999 } },
	};
	for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; ++i) {
		if (strcmp(argv[1], programs[i].name) != 0)
			continue;
		peer p;
		if (!open_peer(&p)) {
			puts("NOT RUN: no libeemd.so in WS_PEERS");
			return 0;
		}
		bool pass = true;
		printf("row by row: %s\n", programs[i].e.most_difference > 0.0 ? "largest "
		       "difference / std"
		                                                               : "1 - similarity");
		for (int s = 0; s < (programs[i].e.members > 1 ? SHORT_SIGNALS : SIGNALS); ++s)
			for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r)
				pass &= compare(&p, &programs[i].e, &rules[r], s);
		return !pass;
	}
	die("usage: libeemd emd|eemd|ceemdan");
}
