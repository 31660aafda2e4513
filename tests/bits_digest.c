/*
 * bits_digest.c - a program that prints a digest of the results of a fixed set of configurations:
 * all methods, references, rules and types.  Machines of any kind must print the same lines, those
 * of data/bits.txt (check_bits.sh; check_aarch64.sh); signals come from integers and fma alone.
 *
 *     bits_digest [ISA | cuda [STEP]]
 *
 * ISA: instruction set, or the GPU; default: the best instruction set.  STEP: every STEP-th result
 * alone.
 * Exits 77 where there is no GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_test.h"

/* FNV-1a over bytes: both machines are little endian. */
static uint64_t
digest(uint64_t h, const void *data, size_t bytes)
{
	const unsigned char *p = data;
	for (size_t i = 0; i < bytes; ++i)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}

static uint64_t
digest_result(const result *r)
{
	const size_t row = r->samples * type_size(r->type), rows = r->channels * (size_t)r->rows;
	uint64_t h = digest(0xcbf29ce484222325u, r->modes, rows * row);
	h = digest(h, r->residue, r->channels * row);
	h = digest(h, r->count, r->channels * sizeof *r->count);
	return digest(h, r->sifts, rows * sizeof *r->sifts);
}

/* What does the work: one of them is not NULL, or neither. */
static const char *isa, *device;

/* Of all results every step-th is made. */
static int step = 1, counted;

static bool
is_passed_over(void)
{
	return counted++ % step != 0;
}

static void
print_case(ws_emd_opts o, ws_type type, size_t channels, size_t n,
           signal_kind kind)
{
	if (is_passed_over())
		return;
	rng r = { n };
	double *d = need(channels * n * sizeof *d);
	void *x = need(channels * n * type_size(type));
	signal_make(kind, &r, channels * n, d);
	to_type(type, d, channels * n, x);
	job j = { .shape = { .channels = channels, .samples = n, .type = type }, .o = o, .isa = isa,
		  .device = device, .threads = n > 10000 ? 2 : 1, .x = x };
	result got;
	must_decompose(&j, &got);
	printf("%016llx %s %zux%zu %s: method %d boundary %d spline %d stop %d reference %d snr %d\n",
	       (unsigned long long)digest_result(&got), type ? "f32" : "f64", channels, n,
	       signal_name(kind), o.method, o.boundary, o.spline, o.stop_rule, o.reference, o.snr);
	result_free(&got);
	free(d);
	free(x);
}

/* EMD: every boundary, spline and stop rule. */
static void
print_emd(ws_type type, int *k)
{
	for (int boundary = 1; boundary <= 4; ++boundary)
		for (int spline = 1; spline <= 4; ++spline)
			for (int stop = 1; stop <= 7; ++stop, ++*k)
				print_case((ws_emd_opts){ .boundary = (ws_boundary)boundary,
				                          .spline = (ws_spline)spline,
				                          .stop_rule = (ws_stop)stop,
				                          .max_sifts = stop == WS_STOP_FIXED ? 0 : 12,
				                          .check_every = 1 + *k % 3 },
				           type, 1, 777 + 64 * (size_t)(*k % 5),
				           (signal_kind)(*k % SIGNAL_KINDS));
	/* As long as threads, and blocks of a GPU, share. */
	print_case((ws_emd_opts){ .sifts = 3 }, type, 1, 20000, SIGNAL_PULSES);
	print_case((ws_emd_opts){ .stop_rule = WS_STOP_RILLING, .max_sifts = 5 }, type, 1, 70000,
	           SIGNAL_FADING);
}

static void
print_ensembles(ws_type type)
{
	for (int method = WS_METHOD_EEMD; method <= WS_METHOD_ICEEMDAN; ++method)
		for (int i = 0; i < 4; ++i)
			print_case((ws_emd_opts){ .method = (ws_method)method, .realizations = 6,
			                          .pairs = i % 2, .snr = (ws_snr)(1 + i % 2), .seed = 11,
			                          .channel_noise = (ws_channel_noise)(1 + i / 2),
			                          .sifts = i == 3 ? 4 : 0,
			                          .max_sifts = i == 3 ? 0 : 20 },
			           type, 2, 300, (signal_kind)(method + i));
}

/* Every reference with every method that it has, but the multivariate ones. */
static void
print_references(ws_type type)
{
	static const struct { ws_reference reference; ws_method method; } all[] = {
		{ WS_REF_RILLING, WS_METHOD_EMD }, { WS_REF_RILLING, WS_METHOD_EEMD },
			{ WS_REF_COLOMINAS, 0 },
		{ WS_REF_TORRES, 0 }, { WS_REF_LIBEEMD, WS_METHOD_EMD }, { WS_REF_LIBEEMD,
			WS_METHOD_EEMD },
		{ WS_REF_LIBEEMD, WS_METHOD_CEEMDAN }, { WS_REF_CEEMDAN_GPU, 0 },
	};
	static const signal_kind kinds[] = { SIGNAL_QUANTISED, SIGNAL_CHIRP_NOISE };
	for (size_t i = 0; i < 2 * sizeof all / sizeof *all; ++i)
		print_case((ws_emd_opts){ .method = all[i / 2].method, .reference = all[i / 2].reference,
		                          .realizations = 4, .max_sifts = 30 },
		           type, 1, 400, kinds[i % 2]);
}

/* Multivariate EMD: every boundary, spline, stop rule, set of directions and reference. */
static void
print_joint_case(int i, ws_type type)
{
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_FIX_H, WS_STOP_CAUCHY,
		WS_STOP_TOLERANCE, WS_STOP_ENERGY };
	static const size_t channels[] = { 1, 2, 3, 5, 8, 17, 33 };
	ws_emd_opts o = { .method = WS_METHOD_MEMD, .boundary = (ws_boundary)(1 + i % 4),
			  .spline = (ws_spline)(1 + i / 4 % 2), .stop_rule = rules[i / 8],
			  .max_sifts = i < 8 ? 0 : 5, .sifts = i < 8 ? 4 : 0, .modes = 3,
			  .directions = 1 + 13 * (i % 6), .direction_set = (ws_direction_set)(1 + i % 3),
			  .noise_channels = i % 5 ? 0 : 2, .seed = 5 };
	if (i % 8 > 5)
		o = (ws_emd_opts){ .reference = i % 2 ? WS_REF_MEMD : WS_REF_MEMD_GPU, .modes = 3,
				   .directions = 20, .max_sifts = i % 2 ? 5 : 0 };
	print_case(o, type, channels[i % 7], 130 + 37 * (size_t)(i % 9),
	           (signal_kind)(i % SIGNAL_KINDS));
}

/* ---- Convolution ---------------------------------------------------------------------------- */

static void
must(ws_status status, const char *what)
{
	if (status == WS_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, ws_error_detail());
	exit(1);
}

/* WS_E_UNSUPPORTED on a GPU: the CPU does it, and standard error says so. */
static ws_plan *
plan_conv(ws_ctx **ctx, const ws_conv_opts *o, const ws_shape *shape)
{
	const ws_ctx_opts c = { .size = sizeof c, .isa = isa, .threads = 2,
				.device = device ? device : "cpu" };
	ws_plan *plan;
	must(ws_ctx_create(ctx, &c), "context");
	ws_status status = ws_plan_create(&plan, *ctx, "conv", shape, o);
	if (status == WS_E_UNSUPPORTED && device) {
		fprintf(stderr, "conv on the CPU: %s\n", ws_error_detail());
		ws_ctx_destroy(*ctx);
		must(ws_ctx_create(ctx, &(ws_ctx_opts){ .size = sizeof c, .device = "cpu" }),
		     "context");
		status = ws_plan_create(&plan, *ctx, "conv", shape, o);
	}
	must(status, "plan of conv");
	return plan;
}

static void
print_conv_case(ws_conv_opts o, ws_type type, size_t n)
{
	if (is_passed_over())
		return;
	const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = n, .type = type };
	rng r = { n };
	double *d = need(2 * n * sizeof *d);
	void *x = need(2 * n * type_size(type));
	signal_make(SIGNAL_CHIRP_NOISE, &r, 2 * n, d);
	to_type(type, d, 2 * n, x);
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	ws_ctx *ctx;
	ws_plan *plan = plan_conv(&ctx, &o, &shape);
	const int array = WS_CONV_RESPONSES;
	ws_array a = { .size = sizeof a };
	must(ws_plan_array(plan, array, &a), "array");
	const size_t bytes = a.extent[0] * a.extent[1] * a.extent[2] * type_size(type) *
			     (o.mask_formula == WS_MASK_GABOR ? 2 : 1);
	char *y = need(bytes), *workspace = need(ws_plan_workspace(plan));
	ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { NULL, { 0 } } };
	buffers[array].data = y;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	must(ws_execute(plan, &io, workspace), "conv");
	printf("%016llx %s 2x%zu conv: formula %d method %d sums %d output %d decimate %d "
	       "flip %d accumulators %d narrow %d\n",
	       (unsigned long long)digest(0xcbf29ce484222325u, y, bytes), type ? "f32" : "f64", n,
	       o.mask_formula, o.method, o.sums, o.extent, o.decimate, o.flip,
	       o.accumulators, o.narrow);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	free(workspace);
	free(y);
	free(d);
	free(x);
}

/* The direct method, whose bits are the same on GPUs, too: every formula, kind of sums and
 * outputs. */
static void
print_conv(ws_type type)
{
	for (int formula = WS_MASK_MORLET; formula <= WS_MASK_DOPPLER; ++formula)
		for (int sums = WS_SUMS_PLAIN; sums <= WS_SUMS_COMPENSATED; ++sums) {
			if (sums == WS_SUMS_F64 && type == WS_F64) /* those are plain ones */
				continue;
			print_conv_case((ws_conv_opts){ .mask_formula = (ws_mask_formula)formula,
				.scale_count = 13, .scale_low = { 1, 3 }, .scale_high = { 90, 1 },
				.sums = (ws_sums)sums, .method = WS_CONV_DIRECT,
				.extent = (ws_extent)(1 + (formula + sums) % 2),
				.decimate = formula == sums ? 3 : 1, .flip = sums % 2 }, type,
				2345);
		}
	for (int n = 2; n <= WS_MOST_ACCUMULATORS; n += 3)
		print_conv_case((ws_conv_opts){ .mask_formula = WS_MASK_GABOR, .scale_count = 7,
			.scale_high = { 90, 1 }, .accumulators = n, .decimate = n }, type, 1500);
	for (int narrow = WS_NARROW_F16; type == WS_F32 && narrow <= WS_NARROW_BF16; ++narrow)
		print_conv_case((ws_conv_opts){ .mask_formula = WS_MASK_MORLET, .scale_count = 7,
			.scale_high = { 90, 1 }, .accumulators = narrow, .method = WS_CONV_DIRECT,
			.narrow = (ws_narrow)narrow }, type, 1500);
}

int
main(int argc, char **argv)
{
	isa = argc > 1 ? argv[1] : NULL;
	step = argc > 2 ? atoi(argv[2]) : 1;
	if (step < 1)
		return 2;
	if (isa && strcmp(isa, "cuda") == 0) {
		ws_device d = { .size = sizeof d };
		device = isa;
		isa = NULL;
		if (ws_device_info(0, &d) != WS_OK) {
			printf("SKIPPED: no GPU (%s)\n", ws_error_detail());
			return 77;
		}
	}
	printf("numerics version %d\n", ws_numerics_version());
	int k = 0;
	for (int type = 0; type < 2; ++type) {
		print_emd((ws_type)type, &k);
		print_ensembles((ws_type)type);
		print_references((ws_type)type);
		for (int i = 0; i < 48; ++i)
			print_joint_case(i, (ws_type)type);
		print_conv((ws_type)type);
	}
	return fflush(stdout) != 0;
}
