/*
 * limits.c - what the machine can do at most: copying within a set of bytes,
 * and multiply-adds in registers, by instruction set.
 *
 * Built with -ffp-contract=fast, so that a * b + c on vectors is one
 * instruction where the instruction set has it.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct copy_job {
	char *from, *to;
	size_t bytes;
} copy_job;

static void
copy(void *arg)
{
	copy_job *c = arg;
	memcpy(c->to, c->from, c->bytes);
	__asm__ volatile("" : : "r"(c->to) : "memory");
}

double
bench_copy_rate(size_t set)
{
	copy_job c = { .bytes = set / 2 };
	c.from = bench_alloc(c.bytes);
	c.to = bench_alloc(c.bytes);
	double seconds = bench_time(copy, &c, 15, 1e-3);
	free(c.from);
	free(c.to);
	return 2.0 * (double)c.bytes / (seconds * 1e9);
}

#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#if defined(__x86_64__)
typedef double v512_f64 __attribute__((vector_size(64)));
typedef float v512_f32 __attribute__((vector_size(64)));
typedef double v256_f64 __attribute__((vector_size(32)));
typedef float v256_f32 __attribute__((vector_size(32)));
#define TARGET __attribute__((target("avx512f,fma")))
#define FN(name) name##_avx512_f64
#define VEC v512_f64
#include "fma_loop.h"
#define FN(name) name##_avx512_f32
#define VEC v512_f32
#include "fma_loop.h"
#undef TARGET
#define TARGET __attribute__((target("avx2,fma")))
#define FN(name) name##_avx2_f64
#define VEC v256_f64
#include "fma_loop.h"
#define FN(name) name##_avx2_f32
#define VEC v256_f32
#include "fma_loop.h"
#undef TARGET
#elif defined(__aarch64__)
typedef double v128_f64 __attribute__((vector_size(16)));
typedef float v128_f32 __attribute__((vector_size(16)));
#define TARGET
#define FN(name) name##_neon_f64
#define VEC v128_f64
#include "fma_loop.h"
#define FN(name) name##_neon_f32
#define VEC v128_f32
#include "fma_loop.h"
#undef TARGET
#endif

/* Without vectors: fma() itself, as the plain kernels call it. */
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(a, b, c) fma((a), (b), (c))
#define TARGET
#define FN(name) name##_plain_f64
#define VEC double
#include "fma_loop.h"
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#define FN(name) name##_plain_f32
#define VEC float
#include "fma_loop.h"

static const struct fma_kernel {
	const char *isa;
	void (*loop[2])(long rounds);   /* by ws_type */
	int bytes;                      /* of a vector; 0: one element */
} kernels[] = {
#if defined(__x86_64__)
	{ "avx512", { fma_loop_avx512_f64, fma_loop_avx512_f32 }, 64 },
	{ "avx2", { fma_loop_avx2_f64, fma_loop_avx2_f32 }, 32 },
#elif defined(__aarch64__)
	{ "neon", { fma_loop_neon_f64, fma_loop_neon_f32 }, 16 },
#endif
	{ "plain", { fma_loop_plain_f64, fma_loop_plain_f32 }, 0 },
};

static const struct fma_kernel *
kernel_of(const char *isa)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
		if (strcmp(kernels[i].isa, isa) == 0)
			return &kernels[i];
	bench_die("no multiply-add loop for instruction set %s", isa);
}

void
bench_fma(const char *isa, ws_type type, long rounds)
{
	kernel_of(isa)->loop[type](rounds);
}

typedef struct fma_job {
	const char *isa;
	ws_type type;
} fma_job;

enum { RATE_ROUNDS = 10000 };

static void
fma_call(void *arg)
{
	const fma_job *j = arg;
	bench_fma(j->isa, j->type, RATE_ROUNDS);
}

double
bench_fma_rate(const char *isa, ws_type type)
{
	fma_job j = { isa, type };
	const int bytes = kernel_of(isa)->bytes;
	const double lanes = bytes ? bytes / (type == WS_F64 ? 8.0 : 4.0) : 1.0;
	double seconds = bench_time(fma_call, &j, 15, 1e-3);
	return 12.0 * RATE_ROUNDS * lanes / (seconds * 1e9);
}
