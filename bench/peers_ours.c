/*
 * peers_ours.c - our side for peers.py and commands.py, as a module for ctypes: one channel of
 * white noise, S = 10; f64 and one thread, or f32 and all of them.
 */
#include <string.h>

#include "bench.h"

WS_API void *ours_open(int method, size_t n, int realizations);
WS_API void *ours_open_sifting(size_t n, int modes);
WS_API void ours_signal(const void *ours, size_t n, double *x);
WS_API double ours_sifts(const void *ours);
WS_API double ours_run(void *ours);
WS_API double ours_wall(void *ours);

void *
ours_open(int method, size_t n, int realizations)
{
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = (ws_method)method,
		.sifts = 10,
		                .realizations = realizations, .seed = 1 };
	return bench_ours_create(&o, WS_F64, n, NULL, 1, true);
}

void *
ours_open_sifting(size_t n, int modes)
{
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_EMD,
		.sifts = 10,
		                .modes = modes };
	return bench_ours_create(&o, WS_F32, n, NULL, 0, false);
}

void
ours_signal(const void *ours, size_t n, double *x)
{
	memcpy(x, ((const bench_ours *)ours)->x, n * sizeof *x);
}

double
ours_sifts(const void *ours)
{
	return ((const bench_ours *)ours)->sifts;
}

/* Processor seconds of one run, by one thread. */
double
ours_run(void *ours)
{
	double t0 = bench_cpu();
	bench_ours_run(ours);
	return bench_cpu() - t0;
}

/* Seconds of one run. */
double
ours_wall(void *ours)
{
	double t0 = bench_now();
	bench_ours_run(ours);
	return bench_now() - t0;
}
