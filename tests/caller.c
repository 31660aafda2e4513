/*
 * caller.c - a program as users compile it, of one source for three public headers: an older one,
 * today's, and one of the future (header_ages.sh).  So today's library has fields, an array, an
 * option and an axis more than the first knows, and fewer than the last.  All print the same digest
 * of the same work.  check_callers.sh runs them.
 *
 *     caller           prints the digest
 *     caller STRUCT    sets the future's field of that struct; prints why it was refused
 *     caller within    that of the options of a decomposition within those of hht
 *     caller array     asks for the array of the future
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wavesift/wavesift.h>

#define CHANNELS 2
#define SAMPLES 500
#define MODES 3

#ifdef NEWER
#define LATER(name, o) (o)->later = strcmp(asked, name) == 0
#else
#define LATER(name, o) (void)(o)
#endif

/* A struct, and behind it what a library must not look at. */
#define GUARDED(type, name, ...)                                        \
	struct { type o; unsigned char behind[256]; } name;             \
	memset(&name, 0xff, sizeof name);                               \
	name.o = (type){ .size = sizeof(type), __VA_ARGS__ };           \
	LATER(#type, &name.o)

/* The same of a struct that the library fills. */
#define GUARDED_ALONE(type, name)                                       \
	struct { type o; unsigned char behind[256]; } name;             \
	memset(&name, 0xff, sizeof name);                               \
	name.o.size = sizeof(type)

#define DO(call)                                                        \
	do {                                                            \
		if ((call) != WS_OK) {                                  \
			puts(ws_error_detail());                        \
			return 1;                                       \
		}                                                       \
	} while (0)

static const char *asked = "";
static ws_ctx *ctx;
static ws_plan *plan;
static ws_run *run;
static void *workspace;
static double x[CHANNELS * SAMPLES];
static uint64_t digest = 0xcbf29ce484222325u;

static void
add(const void *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; ++i)
		digest = (digest ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
}

static ws_status
read_channel(void *user, size_t channel, void *to)
{
	(void)user;
	memcpy(to, x + channel * SAMPLES, SAMPLES * sizeof *x);
	return WS_OK;
}

static ws_status
write_channel(void *user, const ws_channel_result *result)
{
	(void)user;
	for (int i = WS_EMD_MODES; i <= WS_EMD_RESIDUE; ++i) {
		GUARDED_ALONE(ws_slab, slab);
		const ws_status status = ws_result_slab(result, i, &slab.o);
		if (status != WS_OK || slab.behind[0] != 0xff)
			return WS_E_INTERNAL;
		const size_t rows = i == WS_EMD_MODES ? slab.o.extent[0] : 1;
		add(slab.o.data, rows * SAMPLES * sizeof *x);
	}
	return WS_OK;
}

static int
execute(void)
{
	static double modes[CHANNELS * MODES * SAMPLES], residue[CHANNELS * SAMPLES];
	int32_t count[CHANNELS];
	workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	double frequency[CHANNELS * MODES] = { 0 };
	/* Behind them lies what must not be taken for buffers. */
	ws_buffer arrays[WS_EMD_ARRAYS + 8];
	memset(arrays, 0xff, sizeof arrays);
	memset(arrays, 0, WS_EMD_ARRAYS * sizeof *arrays);
	arrays[WS_EMD_MODES].data = modes;
	arrays[WS_EMD_RESIDUE].data = residue;
	arrays[WS_EMD_MODE_COUNT].data = count;
	arrays[WS_EMD_FREQUENCY].data = frequency;
#ifdef NEWER
	arrays[WS_EMD_LATER].data = strcmp(asked, "array") == 0 ? modes : NULL;
#endif
	GUARDED(ws_io, io, .x = x, .arrays = arrays, .n_arrays = WS_EMD_ARRAYS);
	DO(ws_execute(plan, &io.o, workspace));
	add(modes, sizeof modes);
	add(residue, sizeof residue);
	add(count, sizeof count);
	add(frequency, sizeof frequency);
	return 0;
}

static int
convolve(const ws_shape *shape)
{
	static const double values[] = { 1, -2, 1 };
	static const size_t lengths[] = { 1, 2 };
	ws_plan *own;
	GUARDED(ws_masks, masks, .count = 2, .lengths = lengths, .values = values);
	GUARDED(ws_conv_opts, opts, .tag = WS_TAG_CONV, .masks = &masks.o);
	DO(ws_plan_create(&own, ctx, "conv", shape, &opts.o));
	ws_plan_destroy(own);
	return 0;
}

/* Options with others within them, and those of wavelets, by the functions that begin them. */
static int
plan_others(const ws_shape *shape)
{
	ws_plan *own;
	GUARDED_ALONE(ws_hht_opts, hht);
	ws_hht_opts_init(&hht.o, sizeof hht.o);
	LATER("ws_hht_opts", &hht.o);
	LATER("within", &hht.o.emd);
	hht.o.emd.modes = MODES;
	DO(ws_plan_create(&own, ctx, "hht", shape, &hht.o));
	const ws_hht_opts *resolved = (const ws_hht_opts *)ws_plan_options(own);
	add(&resolved->emd.modes, sizeof resolved->emd.modes);
	add(&resolved->parts, sizeof resolved->parts);
	ws_plan_destroy(own);
	GUARDED_ALONE(ws_cwt_opts, cwt);
	ws_cwt_opts_init(&cwt.o, sizeof cwt.o);
	LATER("ws_cwt_opts", &cwt.o);
	DO(ws_plan_create(&own, ctx, "cwt", shape, &cwt.o));
	add(&((const ws_cwt_opts *)ws_plan_options(own))->voices, sizeof(int));
	ws_plan_destroy(own);
	return hht.behind[0] == 0xff && cwt.behind[0] == 0xff ? 0 : 1;
}

static int
work(void)
{
	uint32_t state = 1;
	for (size_t i = 0; i < CHANNELS * SAMPLES; ++i) {
		state = state * 1664525u + 1013904223u;
		x[i] = (double)(state >> 16);
	}
	GUARDED(ws_ctx_opts, context, .threads = 2, .isa = ws_isa_name(0));
	GUARDED(ws_shape, shape, .channels = CHANNELS, .samples = SAMPLES);
	GUARDED(ws_emd_opts, opts, .tag = WS_TAG_EMD, .method = WS_METHOD_EEMD, .sifts = 3,
	        .modes = MODES,
	        .realizations = 4, .seed = 7);
	GUARDED(ws_stream, stream, .read = read_channel, .write = write_channel);
	DO(ws_ctx_create(&ctx, &context.o));
	DO(ws_plan_create(&plan, ctx, "eemd", &shape.o, &opts.o));
	if (execute() != 0)
		return 1;
	if (convolve(&shape.o) != 0 || plan_others(&shape.o) != 0)
		return 1;
	DO(ws_run_create(&run, ctx, "eemd", &shape.o, &opts.o, 0));
	DO(ws_run_execute(run, &stream.o));
	printf("%016llx\n", (unsigned long long)digest);
	return 0;
}

int
main(int argc, char **argv)
{
	asked = argc > 1 ? argv[1] : "";
	const int status = work();
	ws_run_destroy(run);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return status;
}
