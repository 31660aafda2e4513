/*
 * libeemd.h - libeemd (Luukko et al. 2016) as a peer, loaded from
 * $WS_PEERS/libeemd.so: version 1.4, or the sources of Rlibeemd.
 */
#ifndef BENCH_LIBEEMD_H
#define BENCH_LIBEEMD_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct libeemd {
	void *eemd, *ceemdan;
	size_t (*num_imfs)(size_t n);
	bool takes_threads;
} libeemd;

/* A function found by name. */
static inline void *
libeemd_entry(void *handle, const char *name)
{
	void *p = dlsym(handle, name);
	if (!p) {
		fprintf(stderr, "libeemd has no %s\n", name);
		exit(1);
	}
	return p;
}

/* False, and a line that says so, where it is not there. */
static inline bool
libeemd_load(libeemd *l)
{
	const char *folder = getenv("WS_PEERS");
	char path[4096];
	snprintf(path, sizeof path, "%s/libeemd.so", folder ? folder : "");
	void *handle = folder ? dlopen(path, RTLD_NOW) : NULL;
	if (!handle) {
		printf("libeemd  NOT RUN: %s\n", folder ? dlerror() : "WS_PEERS is not set");
		return false;
	}
	l->eemd = libeemd_entry(handle, "eemd");
	l->ceemdan = libeemd_entry(handle, "ceemdan");
	*(void **)&l->num_imfs = libeemd_entry(handle, "emd_num_imfs");
	/* What Rlibeemd left out tells the two apart. */
	l->takes_threads = !dlsym(handle, "emd_report_if_error");
	return true;
}

/* One run on x[n] with so many sifts a mode, by as many threads as OpenMP gives, or the
 * number asked for; out: modes x n; members: of CEEMDAN, or 1 for EMD. */
static inline void
libeemd_run(const libeemd *l, const double *x, size_t n, unsigned members, unsigned sifts, int threads,
            double *out)
{
	typedef int plain_fn(const double *, size_t, double *, size_t, unsigned, double, unsigned, unsigned,
	                     unsigned long);
	typedef int threads_fn(const double *, size_t, double *, size_t, unsigned, double, unsigned,
	                       unsigned, unsigned long, int);
	const double noise = members > 1 ? 0.2 : 0.0;
	void *const f = members > 1 ? l->ceemdan : l->eemd;
	plain_fn *plain;
	threads_fn *threaded;
	*(void **)&plain = f;
	*(void **)&threaded = f;
	const int error = l->takes_threads ? threaded(x, n, out, 0, members, noise, 0, sifts, 1, threads)
	                                   : plain(x, n, out, 0, members, noise, 0, sifts, 1);
	if (error) {
		fprintf(stderr, "libeemd reports error %d\n", error);
		exit(1);
	}
}

#endif
