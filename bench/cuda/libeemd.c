/*
 * libeemd.c - Improved CEEMDAN on a GPU beside libeemd's CEEMDAN on all
 * processors, whole runs in turn: f64, the modes that libeemd makes, everything counted.
 *
 *     WS_PEERS=DIR libeemd SAMPLES REALIZATIONS [DEVICE]
 *
 * prints one line of JSON, medians of three pairs after one to warm up.  What the two do for a
 * stage and realization is the same: one mode of residue plus noise, one more of the noise.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../libeemd.h"
#include "race.h"
#include "runner.h"

enum { PAIRS = 3 };

int
main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: WS_PEERS=DIR libeemd SAMPLES REALIZATIONS [DEVICE]\n");
		return 2;
	}
	const size_t n = (size_t)atol(argv[1]);
	const int realizations = atoi(argv[2]);
	const int threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
	libeemd peer;
	if (!libeemd_load(&peer))
		return 0;
	const size_t rows = peer.num_imfs(n);
	const ws_shape shape = {
		.size = sizeof shape, .channels = 1, .samples = n, .type = WS_F64
	};
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
		                .method = WS_METHOD_ICEEMDAN,
		                .realizations = realizations,
		                .modes = (int)rows - 1,
		                .sifts = RACE_SIFTS,
		                .seed = 1 };
	const ws_ctx_opts c = { .size = sizeof c, .device = argc > 3 ? argv[3] : "cuda" };
	ws_ctx *ctx;
	ws_plan *plan;
	must(ws_ctx_create(&ctx, &c));
	must(ws_plan_create(&plan, ctx, "iceemdan", &shape, &o));
	double *x = need(n * sizeof *x), *theirs = need(rows * n * sizeof *theirs);
	race_row(x, n, 0);
	int32_t count;
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = need((size_t)ws_plan_modes(plan) * n * sizeof *x) },
		[WS_EMD_RESIDUE] = { .data = need(n * sizeof *x) },
		[WS_EMD_MODE_COUNT] = { .data = &count },
	};
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = WS_EMD_ARRAYS };
	void *workspace = need(ws_plan_workspace(plan));
	double ours_s[PAIRS], theirs_s[PAIRS], ratio[PAIRS];
	for (int pair = -1; pair < PAIRS; ++pair) {
		const double t0 = wsi_now();
		must(ws_execute(plan, &io, workspace));
		const double t1 = wsi_now();
		if (pair < 0)
			continue;
		libeemd_run(&peer, x, n, (unsigned)realizations, RACE_SIFTS, threads, theirs);
		const double t2 = wsi_now();
		ours_s[pair] = t1 - t0;
		theirs_s[pair] = t2 - t1;
		ratio[pair] = theirs_s[pair] / ours_s[pair];
	}
	printf("{\"what\": \"iceemdan\", \"peer\": \"libeemd\", \"n\": %zu, \"realizations\": %d, "
	       "\"modes\": %d, \"device\": \"%s\", \"threads\": %d, \"seconds\": %.4f, "
	       "\"peer_seconds\": %.3f, \"ratio\": %.1f}\n",
	       n, realizations, count, ws_plan_device(plan), threads, race_median(ours_s, PAIRS),
	       race_median(theirs_s, PAIRS), race_median(ratio, PAIRS));
	return 0;
}
