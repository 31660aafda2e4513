/*
 * peers_ours.c - our side for peers.py, as a module for ctypes: one channel of
 * white noise, f64, one thread, S = 10.
 */
#include <string.h>

#include "bench.h"

WS_API void *ours_open(int method, size_t n, int realizations);
WS_API void ours_signal(const void *ours, size_t n, double *x);
WS_API double ours_sifts(const void *ours);
WS_API double ours_run(void *ours);

void *
ours_open(int method, size_t n, int realizations)
{
	const ws_emd_opts o = { .size = sizeof o, .method = (ws_method)method, .sifts = 10,
		                .realizations = realizations, .seed = 1 };
	return bench_ours_create(&o, WS_F64, n, NULL, 1, true);
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

/* Seconds of one run. */
double
ours_run(void *ours)
{
	double t0 = bench_cpu();
	bench_ours_run(ours);
	return bench_cpu() - t0;
}
