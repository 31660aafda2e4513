/*
 * precision.c - f32 against f64: nine signals, each by four boundaries, 4096 samples, 10 sifts.
 *
 *     precision
 *
 * The samples are f32 in both.  A third decomposition is f64 with the resolution of f32 (steps
 * below 2^-21 of the largest sample are flat unless alone, docs/decisions/0004-resolution.md): how
 * it differs from f64 is what the rule does, how it differs from f32 is what rounding does.  A
 * fourth is f64 of samples moved by 2^-24 of themselves: what the method makes of the last digit of
 * f32.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "transform/emd/emd.h"

enum { N = 4096, SIGNALS = 9, BOUNDARIES = 4, MOST = 24 };

/* ---- Signals ----------------------------------------------------------------------- */

static void
make_signal(int which, double *x)
{
	const double pi = 3.14159265358979323846;
	double noise[N], sum = 0.0;
	white_noise(noise, N, 7 + (uint64_t)which);
	for (int i = 0; i < N; ++i) {
		const double t = (double)i;
		sum += noise[i];
		switch (which) {
		case 0: x[i] = noise[i]; break;
		case 1: x[i] = noise[i] + 3.0 * sin(2.0 * pi * t / 1500.0); break;
		case 2: x[i] = sin(2.0 * pi * t / 20.3) + 0.6 * sin(2.0 * pi * t / 171.0); break;
		case 3: x[i] = sin(2.0 * pi * t * (0.002 + 2e-5 * t)) + 0.1 * noise[i]; break;
		case 4: x[i] = sum; break;
		case 5: x[i] = rint(2.0 * noise[i]); break;
		case 6: x[i] = i % 1000 < 200 ? sin(2.0 * pi * t / 9.0) : 0.01 * noise[i]; break;
		case 7: x[i] = i % 90 == 0 ? 5.0 + noise[i] : 0.05 * noise[i]; break;
		default:
			x[i] = 1.5 * sin(2.0 * pi * t / 300.0) + 0.5 * noise[i];
			x[i] = fmax(-1.0, fmin(1.0, x[i]));
		}
		x[i] = (double)(float)x[i];
	}
}

/* By 2^-24 of itself up or down; equal samples, which are plateaus, stay equal. */
static double
nudged_sample(double x)
{
	const float f = (float)x;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	bits *= 2654435761u;
	return x * (bits >> 31 ? 1.0 + 0x1p-24 : 1.0 - 0x1p-24);
}

/* ---- Decompositions ------------------------------------------------------------------ */

typedef struct modes {
	int n;
	double rows[MOST][N];
} modes;

static void
check(ws_status status)
{
	if (status != WS_OK)
		die("%s: %s", ws_status_name(status), ws_error_detail());
}

static void
run(const double *x, ws_type type, bool coarse, int boundary, int spline, modes *out)
{
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = N, .type = type };
	const ws_ctx_opts c = { .size = sizeof c, .device = "cpu", .threads = 1 };
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
		.boundary = (ws_boundary)boundary,
		                .spline = (ws_spline)spline };
	ws_ctx *ctx;
	ws_plan *plan;
	check(ws_ctx_create(&ctx, &c));
	check(ws_plan_create(&plan, ctx, "emd", &shape, &o));
	if (coarse) {
		((wsi_emd_plan *)plan)->params.resolution = 0x1p-21;
		((wsi_emd_plan *)plan)->params.lone_steps = true;
		((wsi_emd_plan *)plan)->params.tiny_range = 1e-6;
	}
	const size_t element = type == WS_F64 ? sizeof(double) : sizeof(float);
	const int most = ws_plan_modes(plan);
	if (most > MOST)
		die("%d modes", most);
	char *in = xmalloc(N * element), *rows = xmalloc((size_t)most * N * element);
	char *residue = xmalloc(N * element);
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	for (int i = 0; i < N; ++i)
		if (type == WS_F64)
			((double *)in)[i] = x[i];
		else
			((float *)in)[i] = (float)x[i];
	int32_t count;
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = rows }, [WS_EMD_RESIDUE] = { .data = residue },
		[WS_EMD_MODE_COUNT] = { .data = &count },
	};
	const ws_io io = { .size = sizeof io, .x = in, .arrays = arrays,
		.n_arrays = WS_EMD_ARRAYS };
	check(ws_execute(plan, &io, workspace));
	out->n = count;
	for (int k = 0; k < count; ++k)
		for (int i = 0; i < N; ++i)
			out->rows[k][i] = type == WS_F64 ? ((double *)rows)[k * N + i]
			                                 : (double)((float *)rows)[k * N + i];
	free(in);
	free(rows);
	free(residue);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* Share of the power of a's modes in those that b has to similarity 0.999. */
static double
alike(const modes *a, const modes *b)
{
	double all = 0.0, same = 0.0;
	for (int k = 0; k < a->n; ++k) {
		const double std = std_of(a->rows[k], N);
		all += std * std;
		if (k < b->n && similarity(a->rows[k], b->rows[k], N) >= 0.999)
			same += std * std;
	}
	return same / all;
}

static int
by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* ---- One spline ------------------------------------------------------------------------ */

static void
compare(int spline, const char *name)
{
	static modes f64, f32, coarse, nudged;
	enum { RUNS = SIGNALS * BOUNDARIES };
	int counts[4] = { 0 };
	double of_f64[RUNS], of_coarse[RUNS], of_nudged[RUNS];
	for (int i = 0; i < RUNS; ++i) {
		double x[N], y[N];
		make_signal(i / BOUNDARIES, x);
		for (int k = 0; k < N; ++k)
			y[k] = nudged_sample(x[k]);
		const int boundary = 1 + i % BOUNDARIES;
		run(x, WS_F64, false, boundary, spline, &f64);
		run(x, WS_F64, true, boundary, spline, &coarse);
		run(x, WS_F32, false, boundary, spline, &f32);
		run(y, WS_F64, false, boundary, spline, &nudged);
		counts[0] += f32.n != f64.n;
		counts[1] += coarse.n != f64.n;
		counts[2] += f32.n != coarse.n;
		counts[3] += nudged.n != f64.n;
		of_f64[i] = alike(&f64, &f32);
		of_coarse[i] = alike(&coarse, &f32);
		of_nudged[i] = alike(&f64, &nudged);
	}
	qsort(of_f64, RUNS, sizeof *of_f64, by_size);
	qsort(of_coarse, RUNS, sizeof *of_coarse, by_size);
	qsort(of_nudged, RUNS, sizeof *of_nudged, by_size);
	printf("| %-10s | %d | %d | %d | %d | %.3f / %.3f | %.3f / %.3f | %.3f / %.3f |\n", name,
	       counts[0], counts[1], counts[2], counts[3], of_f64[RUNS / 10], of_f64[RUNS / 2],
	       of_coarse[RUNS / 10], of_coarse[RUNS / 2], of_nudged[RUNS / 10],
	       of_nudged[RUNS / 2]);
}

int
main(void)
{
	static const char *const names[] = { "not-a-knot", "natural", "pchip", "akima" };
	printf("of %d runs, other numbers of modes; power in modes alike to 0.999, tenth / half of "
	       "the runs\n", SIGNALS * BOUNDARIES);
	puts("| spline | f32, f64 | coarse, f64 | f32, coarse | nudged, f64 | f32 as f64 | "
	     "f32 as coarse | nudged as f64 |");
	for (int s = 0; s < 4; ++s)
		compare(s + 1, names[s]);
	return 0;
}
