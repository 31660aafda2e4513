/*
 * math_cuda.cu - src/math on the GPU: the same functions, of the same source,
 * on both sides, bit for bit, over a million random arguments.
 * tests/check_cuda.sh compiles it, and runs it where there is a GPU.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "math/boundary.h"
#include "math/gaussian.h"
#include "math/stop.h"
#include "math/sum.h"

#define REAL double
#define REAL_BITS 64
#define FN(name) name##_f64
#define FMA(a, b, c) fma((a), (b), (c))
#include "math/cubic.h"
#include "math/envelope.h"
#include "math/slopes.h"
#include "math/spline.h"
#undef REAL
#undef REAL_BITS
#undef FN
#undef FMA

#define REAL float
#define REAL_BITS 32
#define FN(name) name##_f32
#define FMA(a, b, c) fmaf((a), (b), (c))
#include "math/cubic.h"
#include "math/envelope.h"
#include "math/slopes.h"
#include "math/spline.h"

enum { CASES = 1 << 20, RESULTS = 16 };

/* All results of one type from two spacings and two chords. */
#define RESULTS_OF(T, name)                                                                    \
	static __host__ __device__ void name(T h0, T h1, T d0, T d1, T *out)                   \
	{                                                                                      \
		T a, c, r, a1, c1, r1;                                                         \
		RESULT(spline_row)(h0, h1, d0, d1, &a, &c, &r);                                \
		out[0] = r;                                                                    \
		for (int step = 0; step < PCR_STEPS; ++step) {                                 \
			RESULT(pcr_step)(a, c, r, a, c, r, c, a, d1, step, &a1, &c1, &r1);     \
			out[1 + step] = r1 + a1 * c1;                                          \
		}                                                                              \
		out[5] = RESULT(neumann_term)(a, c, r, d0, d1);                                \
		out[6] = RESULT(not_a_knot_rhs)(h0, h1, d0, d1);                               \
		out[7] = RESULT(not_a_knot_end)(RESULT(not_a_knot_coupling)(h0, h1), out[6], out[5]); \
		out[8] = RESULT(not_a_knot_row_rhs)(a, out[6], r);                             \
		out[9] = RESULT(parabola_slope)(h0, h1, d0, d1);                               \
		out[10] = RESULT(pchip_slope)(h0, h1, d0, d1);                                 \
		out[11] = RESULT(pchip_end)(h0, h1, d0, d1);                                   \
		out[12] = RESULT(akima_slope)(d0, d1, r, out[9]);                              \
		out[13] = RESULT(cubic_c2)(out[5], out[9], d0, (T)1 / h0);                     \
		out[14] = RESULT(cubic_c3)(out[5], out[9], d0, (T)1 / h0);                     \
		out[15] = RESULT(minus_half)(                                                  \
			d1, RESULT(cubic_at)(d0, out[5], out[13], out[14], h1), (T)-0.5);      \
	}
#define RESULT(name) name##_f32
RESULTS_OF(float, results_f32)
#undef RESULT
#define RESULT(name) name##_f64
RESULTS_OF(double, results_f64)

typedef struct outcome {
	double f64[RESULTS], noise[2], ends[6];
	float f32[RESULTS];
} outcome;

/* Everything for case i; its arguments come from the noise. */
static __host__ __device__ void
one_case(int i, outcome *o)
{
	double z[2], w[2];
	gaussian_pair(7, 1, 2, (uint64_t)i, z);
	gaussian_pair(7, 2, 2, (uint64_t)i, w);
	const int h0 = 2 + (int)(fabs(w[0]) * (i % 3 ? 8 : 3e4)), h1 = 2 + (int)(fabs(w[1]) * 8);
	results_f64(h0, h1, z[0], z[1], o->f64);
	results_f32((float)h0, (float)h1, (float)z[0], (float)z[1], o->f32);
	o->noise[0] = z[0];
	o->noise[1] = z[1];
	wsi_near near[2] = {};
	wsi_beyond beyond[2] = {};
	for (int kind = 0; kind < 2; ++kind)
		for (int k = 0; k < 4; ++k) {
			near[kind].u[k] = 2 + kind * h0 + k * (h0 + h1);
			near[kind].v[k] = kind ? -fabs(z[k & 1]) : fabs(w[k & 1]);
			near[kind].n = k + 1;
		}
	boundary_mirror(near, i & 1, z[0] * 0.1, 0.0, beyond);
	for (int kind = 0; kind < 2; ++kind) {
		o->ends[kind] = beyond[kind].v[0] + beyond[kind].u[0];
		boundary_extrapolated(WS_BOUNDARY_EXTRAPOLATE, &near[kind], kind, z[1], &beyond[kind]);
		o->ends[2 + kind] = beyond[kind].v[0];
		int32_t u;
		boundary_periodic(near[kind].u, near[kind].n, 1000000, i & 31, &u);
		o->ends[4 + kind] = u;
	}
}

static __global__ void
all_cases(outcome *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < CASES)
		one_case(i, &out[i]);
}

int
main()
{
	outcome *device, *out = (outcome *)malloc(CASES * sizeof *out);
	if (cudaMalloc(&device, CASES * sizeof *device) != cudaSuccess) {
		printf("SKIPPED: %s\n", cudaGetErrorString(cudaGetLastError()));
		return 77;
	}
	cudaMemset(device, 0, CASES * sizeof *device);
	all_cases<<<CASES / 128, 128>>>(device);
	if (cudaMemcpy(out, device, CASES * sizeof *out, cudaMemcpyDeviceToHost) != cudaSuccess) {
		printf("the kernel failed: %s\n", cudaGetErrorString(cudaGetLastError()));
		return 1;
	}
	int differ = 0;
	for (int i = 0; i < CASES; ++i) {
		outcome here;
		memset(&here, 0, sizeof here);
		one_case(i, &here);
		if (memcmp(&here, &out[i], sizeof here) == 0)
			continue;
		if (differ++ < 5)
			for (int k = 0; k < RESULTS; ++k)
				if (memcmp(&here.f64[k], &out[i].f64[k], 8) || memcmp(&here.f32[k], &out[i].f32[k], 4))
					printf("case %d, result %d: %a %a, %a %a\n", i, k, here.f64[k], out[i].f64[k],
					       here.f32[k], out[i].f32[k]);
	}
	printf("%d of %d cases differ between CPU and GPU\n", differ, CASES);
	return differ != 0;
}
