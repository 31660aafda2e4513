/* row.c - the rows of the EMD family: emd, eemd, ceemdan, iceemdan, memd. */
#include "transform/emd/emd.h"

#include <math.h>
#include <stdlib.h>

#include "algo/row_sum.h"
#include "base/status.h"
#include "cpu/emd/engine.h"
#include "math/joint_grid.h"
#include "transform/emd/directions.h"

/* ---- Arrays ------------------------------------------------------------------------- */

#define FIGURE(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_CHANNEL, WS_AXIS_MODE }, WS_ARRAY_OPTIONAL }

static const wsi_array arrays[WS_EMD_ARRAYS] = {
	[WS_EMD_SIGNAL] = { "signal", "the samples", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_TIME }, WS_ARRAY_SIGNAL },
	[WS_EMD_MODES] = { "modes", "oscillations, fastest first", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_MODE, WS_AXIS_TIME }, WS_ARRAY_MAIN },
	[WS_EMD_RESIDUE] = { "residue", "what is left", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_TIME }, WS_ARRAY_MAIN },
	[WS_EMD_MODE_COUNT] = { "mode_count", "modes of a channel", WSI_I32,
		{ WS_AXIS_CHANNEL }, WS_ARRAY_COUNT },
	[WS_EMD_SIFTS] = { "sifts", "sifts made", WSI_I32, { WS_AXIS_CHANNEL, WS_AXIS_MODE },
		WS_ARRAY_OPTIONAL },
	[WS_EMD_UNFINISHED] = { "unfinished", "modes that were cut off by max-sifts", WSI_I32,
		{ WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL },
	[WS_EMD_FREQUENCY] = FIGURE("frequency", "centroid of the power spectrum, Hz"),
	[WS_EMD_BAND_LOW] = FIGURE("band_low", "a quarter of the energy lies below, Hz"),
	[WS_EMD_BAND_HIGH] = FIGURE("band_high", "a quarter of the energy lies above, Hz"),
	[WS_EMD_HALF_WAVES] = FIGURE("half_waves", "crossings of the mean"),
	[WS_EMD_EFFECTIVE_HALF_WAVES] = FIGURE("effective_half_waves",
		"half waves that carry the energy"),
	[WS_EMD_ZERO_CROSSING_FREQUENCY] = FIGURE("zero_crossing_frequency",
		"half the crossings over the duration, Hz"),
	[WS_EMD_VARIANCE_SHARE] = FIGURE("variance_share", "share of the variance"),
	[WS_EMD_RESIDUE_SHARE] = { "residue_share", "share of the variance", WSI_F64,
		{ WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL },
	[WS_EMD_ALIGNMENT] = FIGURE("alignment", "how far a mode is one rhythm in all channels"),
	[WS_EMD_CAPPED] = { "capped", "1: as many modes as there may be, but not all",
		WSI_I32, { WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL },
	[WS_EMD_MEDIAN_FREQUENCY] = FIGURE("median_frequency",
		"half of the energy lies below, half above, Hz"),
	[WS_EMD_END_SHARE] = FIGURE("end_share", "share of the energy in the first and last "
	                            "period"),
};

static size_t
extent(const ws_plan *plan, int array, ws_axis axis)
{
	if (array == WS_EMD_ALIGNMENT && !wsi_emd_aligns(wsi_emd_plan_of(plan)))
		return 0;
	return axis == WS_AXIS_MODE ? (size_t)wsi_emd_plan_of(plan)->params.o.modes
	                            : plan->shape.samples;
}

/* ---- Plan --------------------------------------------------------------------------- */

/* Chooses how many threads work: no more than find work, and one where the problem is too small
 * to wake others. */
static void
choose_threads(wsi_emd_plan *plan)
{
	const size_t signals = wsi_emd_rows(plan);
	const int threads = plan->most_threads = plan->base.threads;
	plan->base.threads = 1;
	if (plan->base.gpu || wsi_emd_cost(plan) < WSI_ALONE)
		return;
	plan->base.threads = threads;
	if (plan->params.o.method == WS_METHOD_MEMD)
		return;
	plan->within = wsi_cpu_shares_rows(&plan->params, threads, signals);
	if (!plan->within && signals < (size_t)threads)
		plan->base.threads = (int)signals;
}

static ws_status
resolve(ws_plan *base, const void *asked, ws_method method)
{
	wsi_emd_plan *plan = (wsi_emd_plan *)base;
	ws_emd_opts opts = *(const ws_emd_opts *)asked;
	if (opts.method && opts.method != method)
		return WSI_FAIL(WS_E_ARG, "`method` is not that of %s: leave it 0",
		                base->transform->about.name);
	opts.method = method;
	WSI_TRY(wsi_params_resolve(&plan->params, &base->shape, &opts));
	if (method == WS_METHOD_MEMD && plan->params.o.direction_set == WS_DIRECTIONS_GIVEN)
		WSI_TRY(wsi_directions_make(&plan->vectors, &plan->params, NULL));
	plan->params.o.direction_vectors = NULL; /* borrowed until here */
	plan->params.vectors = plan->vectors;
	base->tables = method == WS_METHOD_MEMD ? wsi_directions_bytes(&plan->params) : 0;
	base->options = &plan->params.o;
	plan->ops = wsi_ops_find(base->isa, base->shape.type);
	choose_threads(plan);
	base->seconds = wsi_emd_cost(plan);
	return WS_OK;
}

/* Directions that were given are there from the start, and stay. */
static ws_status
memd_fill(ws_plan *base, wsi_progress *progress)
{
	wsi_emd_plan *plan = (wsi_emd_plan *)base;
	if (plan->vectors)
		return WS_OK;
	WSI_TRY(wsi_directions_make(&plan->vectors, &plan->params, progress));
	plan->params.vectors = plan->vectors;
	return WS_OK;
}

static void
memd_empty(ws_plan *base)
{
	wsi_emd_plan *plan = (wsi_emd_plan *)base;
	if (plan->params.o.direction_set == WS_DIRECTIONS_GIVEN)
		return;
	free(plan->vectors);
	plan->vectors = NULL;
	plan->params.vectors = NULL;
}

static void
release(ws_plan *plan)
{
	free(((wsi_emd_plan *)plan)->vectors);
}

static ws_status
on_gpu(const ws_shape *shape, const void *opts)
{
	(void)shape;
	(void)opts;
	return WS_OK;
}

/* A GPU counts times since a knot in f32, which holds half samples exactly up to 2^23. */
static ws_status
memd_on_gpu(const ws_shape *shape, const void *opts)
{
	(void)opts;
	if (shape->type == WS_F32 && shape->samples > (size_t)1 << 23)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%zu samples: multivariate EMD in f32 takes at "
		                "most 2^23 on a GPU; use f64 or the CPU", shape->samples);
	return WS_OK;
}

static size_t
memd_unit(const ws_shape *shape, const void *opts)
{
	(void)opts;
	return shape->recording_channels ? shape->recording_channels : shape->channels;
}

/* Realizations are dealt out in blocks.  A reference that counts extrema on the host does so in the
 * caller's arrays. */
static int
most_peers(const ws_plan *base)
{
	const wsi_params *p = &wsi_emd_plan_of(base)->params;
	return p->ends_by_extrema ? 1 : wsi_blocks_of(p->o.realizations);
}

/* Samples by channels by directions that a GPU should have, so that a sift takes longer (0.3 ms on
 * an H100) than to exchange what it makes. */
#define MEMD_SHARE 1.2e8

/* Tiles of samples are dealt out (cuda/emd/joint_share.h). */
static int
memd_peers(const ws_plan *base)
{
	const wsi_params *p = &wsi_emd_plan_of(base)->params;
	const double all = (double)p->samples * (double)p->together * p->o.directions;
	const double tiles = ceil((double)p->samples / WSI_JOINT_TILE);
	return (int)fmin(fmin(fmax(all / MEMD_SHARE, 1.0), tiles), WSI_MOST_PEERS);
}

/* ---- Rows --------------------------------------------------------------------------- */

#define RESOLVE(name, method)                                  \
	static ws_status                                       \
	resolve_##name(ws_plan *plan, const void *opts)        \
	{                                                      \
		return resolve(plan, opts, method);            \
	}

RESOLVE(emd, WS_METHOD_EMD)
RESOLVE(eemd, WS_METHOD_EEMD)
RESOLVE(ceemdan, WS_METHOD_CEEMDAN)
RESOLVE(iceemdan, WS_METHOD_ICEEMDAN)
RESOLVE(memd, WS_METHOD_MEMD)

static bool
takes_noise(const ws_plan *plan)
{
	const ws_method method = wsi_emd_plan_of(plan)->params.o.method;
	return method != WS_METHOD_EMD && method != WS_METHOD_MEMD;
}

#define TEXTS(...) (const char *const[]){ __VA_ARGS__, NULL }
#define ENSEMBLE .fewer = "realizations, modes or samples", .costly = true, .most_peers = most_peers
#define IN_EMD_H sizeof(ws_emd_opts), "emd", "Decompose", NULL, WS_F64, 0, 0, WS_TAG_EMD
#define FAMILY(method)                                                                   \
	.options = wsi_##method##_options, .options_name = "ws_emd_opts",                \
	.arrays = arrays, .n_arrays = WS_EMD_ARRAYS,  \
	.plan_size = sizeof(wsi_emd_plan), .resolve = resolve_##method, .extent = extent, \
	.measure = wsi_emd_measure, .run = wsi_emd_run, .describe = wsi_emd_describe,    \
	.release = release, .takes_noise = takes_noise,                                  \
	.check = wsi_emd_check_##method, .line = wsi_emd_line, .same_anywhere = wsi_same_anywhere

const wsi_transform wsi_transform_emd = {
	{ "emd", "EMD", "empirical mode decomposition",
	  "Splits every channel into oscillating modes, fastest first, and a residue; their sum is "
	  "the signal (Huang et al. 1998). Quick, but neighbouring modes may mix.",
	  TEXTS("wavesift emd night.edf --channels Cz\tone channel, 10 sifts a mode",
	        "wavesift emd bearing.wav --stop-rule rilling --modes 6\tat most 6 modes",
	        "wavesift emd x.csv --fs 250 --reference rilling -o x.mat\tas emd.m does",
	        "wavesift emd erp.vhdr --epochs-at 'S 1' --average --plot erp.png\tmeans of modes "
	        "around an event, with their intervals"),
	  IN_EMD_H },
	FAMILY(emd), .on_gpu = on_gpu, .fewer = "modes or samples",
};

const wsi_transform wsi_transform_eemd = {
	{ "eemd", "EEMD", "ensemble EMD",
	  "Averages the modes of many copies of the signal, each with its own noise added (Wu & "
	  "Huang 2009). Modes mix less; a little noise stays unless the noise comes in pairs.",
	  TEXTS("wavesift eemd night.edf --channels 1-4 --realizations 200\tfour channels",
	        "wavesift eemd night.edf --pairs\tcomplementary: each noise added and "
	        "subtracted"),
	  IN_EMD_H },
	FAMILY(eemd), .on_gpu = on_gpu, ENSEMBLE,
};

const wsi_transform wsi_transform_ceemdan = {
	{ "ceemdan", "CEEMDAN", "complete ensemble EMD, adaptive noise",
	  "Takes the ensemble average mode by mode, so that modes and residue add up to the signal "
	  "(Torres et al. 2011).",
	  TEXTS("wavesift ceemdan night.edf --channels Cz --seed 1",
	        "wavesift ceemdan night.edf --reference libeemd\tas libeemd does"),
	  IN_EMD_H },
	FAMILY(ceemdan), .on_gpu = on_gpu, ENSEMBLE,
};

const wsi_transform wsi_transform_iceemdan = {
	{ "iceemdan", "Improved CEEMDAN", "improved CEEMDAN (recommended)",
	  "Averages local means instead of modes: less noise in the modes and no spurious ones "
	  "(Colominas et al. 2014). All channels see the same noise, so that their modes can be "
	  "compared.",
	  TEXTS("wavesift iceemdan night.edf --dry-run\tplan, memory and time only",
	        "wavesift iceemdan night.edf --channels Cz --to 60 --plot cz.png\t"
	        "a minute of one channel, drawn",
	        "wavesift iceemdan x.npy --fs 500 --reference colominas -o x.h5\tas ceemdan.m "
	        "does"),
	  IN_EMD_H },
	FAMILY(iceemdan), .on_gpu = on_gpu, ENSEMBLE,
};

const wsi_transform wsi_transform_memd = {
	{ "memd", "MEMD", "multivariate EMD: all channels together",
	  "Sifts all channels as one signal, by the envelopes of its projections on "
	  "many directions (Rehman & Mandic 2010): mode k lies in the same band in every channel, "
	  "and all have as many modes. Channels should share a unit, or be scaled alike. With "
	  "channels of noise sifted along (noise-assisted MEMD, 2011) the modes spread evenly over "
	  "the octaves.",
	  TEXTS("wavesift memd night.edf --channels 1-8 --plot aligned.png --figure spectra\t"
	        "eight channels, and how well their modes are aligned",
	        "wavesift memd night.edf --noise-channels 2 --sifts 10\tnoise-assisted",
	        "wavesift memd x.npy --fs 500 --reference memd -o x.mat\tas memd.m does"),
	  IN_EMD_H },
	FAMILY(memd), .fill = memd_fill, .empty = memd_empty, .on_gpu = memd_on_gpu,
	.fewer = "channels, directions, modes or samples", .unit = memd_unit,
	.most_peers = memd_peers,
};
