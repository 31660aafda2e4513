/*
 * peers.c - wavesift beside libeemd (Luukko et al. 2016), f64, one core,
 * S = 10, the same white noise, runs alternating; ratios are medians over
 * pairs of neighbouring runs.
 *
 *     WS_PEERS=DIR peers FOLDER     writes FOLDER/peers.json
 *
 * DIR/libeemd.so is built by gcc -O3 -march=native (libeemd.h); without it prints
 * NOT RUN.
 *
 * Sifts are counted alike on both sides, as passes over a signal that build
 * and subtract an envelope mean, those of the noise included: ours by a
 * counting table of operations.  libeemd makes S for each mode but the
 * residue, and in CEEMDAN S of the data and S of the noise for each stage and
 * realization, the last stage included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "libeemd.h"

enum { SIFTS = 10, PAIRS = 9, PATIENCE = 60 /* seconds */ };

static void
compare(json_t *rows, const libeemd *l, bool ensemble, size_t n, int realizations)
{
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = ensemble
		? WS_METHOD_ICEEMDAN : WS_METHOD_EMD,
		                .sifts = SIFTS, .realizations = ensemble ? realizations : 0,
		                .seed = 1 };
	bench_ours *ours = bench_ours_create(&o, WS_F64, n, NULL, 1, true);
	const size_t m = l->num_imfs(n);
	double *out = bench_alloc(n * m * sizeof *out);
	const double their_sifts = ensemble ? 2.0 * (double)m * realizations * SIFTS
	                                    : (double)(m - 1) * SIFTS;
	double t_ours[PAIRS], t_peer[PAIRS], ratio[PAIRS], whole[PAIRS];
	const double until = bench_now() + PATIENCE;
	int pairs = 0;
	for (; pairs < PAIRS && (pairs < 3 || bench_now() < until); ++pairs) {
		double t0 = bench_cpu();
		bench_ours_run(ours);
		double t1 = bench_cpu();
		libeemd_run(l, ours->x, n, ensemble ? (unsigned)realizations : 1, SIFTS, 1, out);
		double t2 = bench_cpu();
		t_ours[pairs] = (t1 - t0) * 1e9 / ((double)n * ours->sifts);
		t_peer[pairs] = (t2 - t1) * 1e9 / ((double)n * their_sifts);
		ratio[pairs] = t_peer[pairs] / t_ours[pairs];
		whole[pairs] = (t2 - t1) / (t1 - t0);
	}
	double a = bench_median(t_ours, pairs), b = bench_median(t_peer, pairs);
	double r = bench_median(ratio, pairs), w = bench_median(whole, pairs);
	const char *what = ensemble ? "iceemdan" : "emd", *theirs = ensemble ? "ceemdan" : "emd";
	printf("libeemd  %-8s %zu x %d: %.2f ns per sample per sift (%s, %.0f sifts), wavesift %.2f "
	       "(%s, %.0f sifts): %.1f x, whole run %.1f x\n", theirs, n, realizations, b, theirs,
	       their_sifts, a, what, ours->sifts, r, w);
	json_array_append_new(rows, json_pack(
		"{s:s, s:s, s:s, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i}", "peer", "libeemd",
		"theirs", theirs, "ours", what, "samples", (json_int_t)n, "realizations", realizations,
		"their_ns", b, "our_ns", a, "ratio", r, "whole_ratio", w, "their_sifts", their_sifts,
		"our_sifts", ours->sifts, "pairs", pairs));
	free(out);
	bench_ours_destroy(ours);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		bench_die("usage: WS_PEERS=DIR peers FOLDER");
	setvbuf(stdout, NULL, _IOLBF, 0);
	setenv("OMP_NUM_THREADS", "1", 1); /* read by libeemd's runtime when it is loaded */
	json_t *rows = json_array();
	libeemd l;
	if (libeemd_load(&l)) {
		compare(rows, &l, false, 100000, 1);
		compare(rows, &l, true, 10000, 100);
	}
	bench_write(argv[1], "peers", rows);
	return 0;
}
