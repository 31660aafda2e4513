/*
 * audio.c - the audio case of Waskito et al. 2011 (44.1 kHz, segments of 65 536 samples, 8 modes by
 * 1000 sifts) through modes and Hilbert spectrum, on the CPU and on a GPU:
 *
 *     audio VOICE.npy [SIFTS]                  bench/cuda/voice.py makes it, [segment][sample] f64
 *
 * Prints the seconds of each half on each, and how many arrays of the whole differ in any bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MODES = 8, RATE = 44100 };

typedef struct arrays { void *data[WS_HHT_ARRAYS]; size_t bytes[WS_HHT_ARRAYS]; } arrays;

static double *
read_npy(const char *path, size_t *segments, size_t *samples)
{
	char head[256];
	FILE *f = fopen(path, "rb");
	need(f && fread(head, 1, 10, f) == 10 && head[6] == 1, path);
	const size_t size = (unsigned char)head[8] + 256u * (unsigned char)head[9];
	need(size < sizeof head && fread(head, 1, size, f) == size, path);
	head[size - 1] = '\0';
	const char *shape = strstr(head, "'shape': (");
	need(shape && sscanf(shape, "'shape': (%zu, %zu", segments, samples) == 2, path);
	const size_t n = *segments * *samples;
	double *x = malloc(n * sizeof *x);
	need(x && fread(x, sizeof *x, n, f) == n, path);
	fclose(f);
	return x;
}

static arrays
take(const ws_plan *plan, ws_buffer *buffers)
{
	arrays a;
	memset(&a, 0, sizeof a);
	for (int i = 0; i < ws_plan_arrays(plan); ++i) {
		ws_array of = { .size = sizeof of };
		need(ws_plan_array(plan, i, &of) == WS_OK, "array");
		if (of.flags & WS_ARRAY_SIGNAL)
			continue;
		a.bytes[i] = of.type == WS_F64 ? 8 : 4;
		for (int k = 0; k < of.rank; ++k)
			a.bytes[i] *= of.extent[k];
		a.data[i] = calloc(1, a.bytes[i] + 1);
		buffers[i].data = a.bytes[i] ? a.data[i] : NULL;
	}
	return a;
}

/* Seconds of the best of `runs` executions. */
static double
run(const char *device, const char *transform, const void *opts, size_t channels, size_t n,
    const double *x, int runs, arrays *out)
{
	const ws_ctx_opts c = { .size = sizeof c, .device = device };
	const ws_shape shape = { .size = sizeof shape, .channels = channels, .samples = n,
		.fs = RATE };
	ws_ctx *ctx;
	ws_plan *plan;
	ws_buffer buffers[WS_HHT_ARRAYS];
	memset(buffers, 0, sizeof buffers);
	need(ws_ctx_create(&ctx, &c) == WS_OK, "context");
	need(ws_plan_create(&plan, ctx, transform, &shape, opts) == WS_OK, "plan");
	*out = take(plan, buffers);
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 127) / 64 * 64);
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_HHT_ARRAYS };
	double best = 1e99;
	while (runs-- > 0) {
		const double start = now();
		need(ws_execute(plan, &io, workspace) == WS_OK, "execution");
		const double seconds = now() - start;
		best = seconds < best ? seconds : best;
	}
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return best;
}

static int
differing(const arrays *a, const arrays *b)
{
	int differ = 0;
	for (int i = 0; i < WS_HHT_ARRAYS; ++i)
		differ += memcmp(a->data[i] ? a->data[i] : "", b->data[i] ? b->data[i] : "",
		                 a->bytes[i]) != 0;
	return differ;
}

static void
drop(arrays *a)
{
	for (int i = 0; i < WS_HHT_ARRAYS; ++i)
		free(a->data[i]);
}

int
main(int argc, char **argv)
{
	static const char *const devices[] = { "cpu", "cuda:0" };
	size_t channels, n;
	if (argc < 2)
		return 2;
	const double *x = read_npy(argv[1], &channels, &n);
	const int sifts = argc > 2 ? atoi(argv[2]) : 1000;
	ws_hht_opts whole = { .size = sizeof whole, .tag = WS_TAG_HHT, .parts = 63 };
	whole.emd.size = sizeof whole.emd;
	whole.emd.tag = WS_TAG_EMD;
	whole.emd.modes = MODES;
	whole.emd.sifts = sifts;
	ws_emd_opts emd = { .size = sizeof emd, .tag = WS_TAG_EMD, .modes = MODES, .sifts = sifts };
	ws_hht_opts half = { .size = sizeof half, .tag = WS_TAG_HHT, .parts = 63,
		.modes_given = MODES };
	arrays all[2];
	printf("%zu segments of %zu samples at %d Hz, %d modes by %d sifts, f64\n", channels, n,
	       RATE, MODES, sifts);
	for (int i = 0; i < 2; ++i) {
		arrays modes, spectra;
		const int runs = i ? 3 : 1;
		const double decomposing =
			run(devices[i], "emd", &emd, channels, n, x, runs, &modes);
		const double analysing = run(devices[i], "hht", &half, channels, n,
		                             modes.data[WS_EMD_MODES], runs, &spectra);
		const double both = run(devices[i], "hht", &whole, channels, n, x, runs, &all[i]);
		printf("%-7s modes %9.4f s   spectrum %9.4f s   in one %9.4f s\n", devices[i],
		       decomposing, analysing, both);
		drop(&modes);
		drop(&spectra);
	}
	printf("%d of %d arrays differ in any bit\n", differing(&all[0], &all[1]), WS_HHT_ARRAYS);
	return differing(&all[0], &all[1]) != 0;
}
