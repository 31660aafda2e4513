/* libm_fma.c - fma() of the system's library, by the processor's own instruction where it has one,
 * in libraries that zig links: its own, which would come first, is made of integers, 20 times as
 * slow.  Both round once. */
#include <dlfcn.h>

double fma(double a, double b, double c);
float fmaf(float a, float b, float c);

static double (*fma_f64)(double a, double b, double c);
static float (*fma_f32)(float a, float b, float c);

/* This file is linked with that library, so it is there. */
static __attribute__((constructor)) void
find(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	*(void **)&fma_f64 = dlsym(library, "fma");
	*(void **)&fma_f32 = dlsym(library, "fmaf");
}

double
fma(double a, double b, double c)
{
	return fma_f64(a, b, c);
}

float
fmaf(float a, float b, float c)
{
	return fma_f32(a, b, c);
}
