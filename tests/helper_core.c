/* helper_core.c - what the tests of the core share. */
#include "core_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/gaussian.h"
#include "transform/emd/emd.h"

#ifndef WAVESIFT_SOURCE_DIR
#define WAVESIFT_SOURCE_DIR "."
#endif

static void
give_up(const char *what, const char *detail)
{
	fprintf(stderr, "%s: %s\n", what, detail);
	abort();
}

void *
need(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
	if (!p)
		give_up("helper_core", "no memory");
	return p;
}

/* ---- Numbers at random ------------------------------------------------------ */

/* splitmix64 (Steele, Lea & Flood 2014). */
uint64_t
rng_next(rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

int
rng_int(rng *r, int low, int high)
{
	return low + (int)(rng_next(r) % (uint64_t)(high - low + 1));
}

double
rng_uniform(rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

double
rng_normal(rng *r)
{
	double z[2];
	gaussian_pair(rng_next(r), 1u, 2u, 3u, z);
	return z[0];
}

/* ---- Signals ---------------------------------------------------------------- */

static const char *const names[SIGNAL_KINDS] = {
	"white", "tones", "chirp+noise", "vibration", "walk", "quantised", "stretches", "zero runs",
	"spikes", "ramp", "alternating", "pulses", "fading",
};

const char *
signal_name(signal_kind kind)
{
	return names[kind];
}

/* sin(2 pi turns), without libm: the same on every machine. */
static double
turn(double turns)
{
	double c, s;
	gaussian_turn(turns - floor(turns), &c, &s);
	return s;
}

/* Slopes then depend on knots as far away as the solver reaches. */
static void
make_fading(rng *r, size_t n, double *x)
{
	const double longer = 1.0 + 0.01 * rng_int(r, 2, 40), lower = 0.1 * rng_int(r, 3, 10);
	const bool reverse = rng_int(r, 0, 1);
	double period = rng_int(r, 3, 40), phase = 0.0, amplitude = 1.0;
	for (size_t i = 0; i < n; ++i) {
		x[reverse ? n - 1 - i : i] = amplitude * turn(phase);
		phase += 1.0 / period;
		if (phase < 1.0)
			continue;
		phase -= 1.0;
		period *= longer;
		amplitude *= lower;
	}
}

void
signal_make(signal_kind kind, rng *r, size_t n, double *x)
{
	double walk = 0.0, held = 0.0;
	size_t hold = 0;
	if (kind == SIGNAL_FADING) {
		make_fading(r, n, x);
		return;
	}
	for (size_t i = 0; i < n; ++i) {
		const double t = (double)i;
		switch (kind) {
		case SIGNAL_WHITE:
			x[i] = rng_normal(r);
			break;
		case SIGNAL_TONES:
			x[i] = turn(0.0437 * t) + 0.8 * turn(0.00713 * t + 0.3);
			break;
		case SIGNAL_CHIRP_NOISE:
			x[i] = turn((0.004 + 0.04 * t / (double)n) * t) + 0.1 * rng_normal(r);
			break;
		case SIGNAL_VIBRATION:
			x[i] = (1.0 + 0.7 * turn(0.0031 * t)) * turn(0.061 * t) +
			       0.3 * turn(0.0107 * t) + 0.02 * rng_normal(r);
			break;
		case SIGNAL_WALK:
			x[i] = walk += 0.1 * rng_normal(r);
			break;
		case SIGNAL_QUANTISED:
			x[i] = floor(1.5 * rng_normal(r));
			break;
		case SIGNAL_STRETCHES:
		case SIGNAL_ZERO_RUNS:
			if (hold == 0 && rng_int(r, 0, 40) == 0) {
				hold = (size_t)rng_int(r, 2, 300);
				held = kind == SIGNAL_ZERO_RUNS ? 0.0 : rng_normal(r);
			}
			x[i] = hold ? held : rng_normal(r);
			hold -= hold > 0;
			break;
		case SIGNAL_SPIKES:
			x[i] = rng_int(r, 0, 30) == 0 ? rng_normal(r) : 0.0;
			break;
		case SIGNAL_RAMP:
			x[i] = 1e-3 * t + (i / 256 % 3 == 0 ? 1e-3 * rng_normal(r) : 0.0);
			break;
		case SIGNAL_ALTERNATING:
			x[i] = (i & 1 ? -1.0 : 1.0) * (1.0 + 0.5 * turn(0.01 * t));
			break;
		case SIGNAL_PULSES:
			x[i] = i / 500 & 1 ? rng_normal(r) : turn(0.002 * t);
			break;
		default:
			x[i] = 0.0;
		}
	}
}

/* Some samples become a plateau above or below all others. */
static void
make_level(rng *r, double *x, size_t first, size_t end)
{
	const double v = (rng_int(r, 0, 1) ? 4.0 : -4.0) * (1.0 + 0.25 * rng_uniform(r));
	for (size_t i = first; i < end; ++i)
		x[i] = v;
}

/* Plateaus where a thread's, a warp's or a tile's samples end, and at the row's ends. */
static void
level_edges(rng *r, size_t n, double *x)
{
	for (size_t edge = 0; edge <= n + 48; edge += (size_t)(16 * rng_int(r, 1, 8))) {
		const bool tile = edge % 512 == 0;
		const size_t most = tile && rng_int(r, 0, 9) == 0 ? 3000 : tile &&
			rng_int(r, 0, 2) == 0 ? 40 : 6;
		const size_t before = (size_t)rng_int(r, 0, (int)most),
			after = (size_t)rng_int(r, 0, (int)most);
		const size_t first = before < edge ? edge - before : 0,
			end = edge + after < n ? edge + after : n;
		make_level(r, x, first, end);
		edge = edge + after > edge + 48 ? (edge + after) / 16 * 16 : edge;
	}
}

/* Sample i as its neighbour before, but for some last digits of f32 in units of 1; or not. */
static void
tie(rng *r, size_t n, double *x, size_t i)
{
	if (i == 0 || i >= n || rng_int(r, 0, 3) == 0)
		return;
	x[i - 1] = (double)(float)x[i - 1];
	x[i] = (double)(float)(x[i - 1] + 0x1p-23 * rng_int(r, -2, 2));
}

static void
tie_edges(rng *r, size_t n, double *x)
{
	for (size_t edge = 0; edge <= n + 16; edge += 16) {
		const size_t i = edge + (size_t)rng_int(r, 0, 4);
		tie(r, n, x, i < 2 ? 1 : i - 2);
		if (rng_int(r, 0, 7) == 0)
			tie(r, n, x, i < 1 ? 1 : i - 1);
		tie(r, n, x, edge + 8);
	}
	tie(r, n, x, 1);
	tie(r, n, x, n - 1);
}

void
plateaus_make(plateau_kind kind, rng *r, size_t n, double *x)
{
	double v = 1.0;
	size_t left = 0;
	for (size_t i = 0; i < n; ++i) {
		const double t = (double)i;
		switch (kind) {
		case PLATEAUS_QUANTISED:
			x[i] = floor(2048.0 *
			             (0.003 * rng_normal(r) + 0.4 * turn(0.0037 * t))) / 2048.0;
			break;
		case PLATEAUS_CLIPPED:
			x[i] = turn(0.013 * t) + 0.3 * turn(0.11 * t) + 0.01 * rng_normal(r);
			x[i] = x[i] > 0.8 ? 0.8 : x[i] < -0.8 ? -0.8 : x[i];
			break;
		case PLATEAUS_SQUARE:
			for (; left == 0; v = -v)
				left = (size_t)(rng_int(r, 0, 99) ? rng_int(r, 1, 9)
				                : rng_int(r, 500, 1200));
			x[i] = v;
			--left;
			break;
		default:
			x[i] = rng_normal(r);
		}
	}
	if (kind == PLATEAUS_AT_EDGES)
		level_edges(r, n, x);
	if (kind == PLATEAUS_NEAR_TIES)
		tie_edges(r, n, x);
}

/* ---- Arrays of either type --------------------------------------------------- */

size_t
type_size(ws_type type)
{
	return type == WS_F64 ? sizeof(double) : sizeof(float);
}

void
to_type(ws_type type, const double *from, size_t n, void *to)
{
	for (size_t i = 0; i < n; ++i)
		if (type == WS_F64)
			((double *)to)[i] = from[i];
		else
			((float *)to)[i] = (float)from[i];
}

double
get(ws_type type, const void *row, size_t i)
{
	return type == WS_F64 ? ((const double *)row)[i] : (double)((const float *)row)[i];
}

/* ---- Decompositions ----------------------------------------------------------- */

/* Rows past mode_count must be as they were; they are zeroed for comparisons. */
static void
take_unused_rows(result *r, size_t channel, int fill)
{
	const size_t row = r->samples * type_size(r->type);
	for (int k = r->count[channel]; k < r->rows; ++k) {
		unsigned char *p = (unsigned char *)r->modes +
			(channel * (size_t)r->rows + (size_t)k) * row;
		for (size_t i = 0; i < row; ++i)
			if (p[i] != (unsigned char)fill)
				give_up("helper_core", "a row past mode_count was written to");
		memset(p, 0, row);
	}
}

static ws_status
execute(const job *j, const ws_plan *plan, result *r)
{
	const size_t c = j->shape.channels, row = j->shape.samples * type_size(j->shape.type);
	*r = (result){ .type = j->shape.type, .channels = c, .samples = j->shape.samples,
		       .rows = ws_plan_modes(plan) };
	const size_t k = (size_t)r->rows, workspace = ws_plan_workspace(plan);
	struct { void **p; size_t bytes; } arrays[] = {
		{ &r->modes, c * k * row }, { &r->residue, c * row },
		{ (void **)&r->count, c * sizeof(int32_t) },
		{ (void **)&r->sifts, c * k * sizeof(int32_t) },
		{ (void **)&r->unfinished, c * sizeof(int32_t) },
	};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
		*arrays[i].p = need(arrays[i].bytes);
		memset(*arrays[i].p, j->fill, arrays[i].bytes);
	}
	void *w = need(workspace);
	memset(w, j->fill, workspace);
	ws_buffer buffers[WS_EMD_ARRAYS] = EMD_BUFFERS(r->modes, r->residue, r->count);
	buffers[WS_EMD_SIFTS].data = r->sifts;
	buffers[WS_EMD_UNFINISHED].data = r->unfinished;
	const ws_io io = {
		.size = sizeof io, .x = j->x, .first_channel = j->first_channel, .noise = j->noise,
		.arrays = buffers, .n_arrays = WS_EMD_ARRAYS, .progress = j->progress,
			.user = j->user,
	};
	ws_status status = ws_execute(plan, &io, w);
	free(w);
	for (size_t i = 0; status == WS_OK && i < c; ++i)
		take_unused_rows(r, i, j->fill);
	return status;
}

const char *
emd_name(const ws_emd_opts *o)
{
	static const char *const methods[] = { [WS_METHOD_EMD] = "emd", [WS_METHOD_EEMD] = "eemd",
		[WS_METHOD_CEEMDAN] = "ceemdan", [WS_METHOD_ICEEMDAN] = "iceemdan",
			[WS_METHOD_MEMD] = "memd" };
	const ws_method method = wsi_opts_method(o);
	return method >= WS_METHOD_EMD && method <= WS_METHOD_MEMD ? methods[method] : "emd";
}

const char *
emd_fit(ws_emd_opts *o)
{
	const ws_method method = wsi_opts_method(o);
	const bool joint = method == WS_METHOD_MEMD, ensemble = method >= WS_METHOD_EEMD && !joint;
	if (!ensemble) {
		o->realizations = 0;
		o->noise = 0.0;
		o->channel_noise = WS_NOISE_DEFAULT;
	}
	if (!ensemble && !joint)
		o->seed = 0;
	if (method != WS_METHOD_EEMD)
		o->pairs = 0;
	if (method != WS_METHOD_CEEMDAN && method != WS_METHOD_ICEEMDAN)
		o->snr = WS_SNR_DEFAULT;
	if (!joint) {
		o->directions = o->noise_channels = 0;
		o->direction_set = WS_DIRECTIONS_DEFAULT;
		o->direction_vectors = NULL;
		o->noise_power = 0.0;
	}
	if (ensemble && o->stop_rule == WS_STOP_TOLERANCE)
		o->stop_rule_param[1] = 0.0;
	return emd_name(o);
}

ws_status
decompose(const job *j, result *r)
{
	*r = (result){ 0 };
	ws_ctx_opts ctx_opts = { .size = sizeof ctx_opts, .threads = j->threads, .isa = j->isa,
		                 .device = j->device ? j->device : "cpu",
		                 .device_memory = j->device_memory };
	ws_shape shape = j->shape;
	ws_emd_opts o = j->o;
	shape.size = sizeof shape;
	o.size = sizeof o;
	o.tag = WS_TAG_EMD;
	ws_ctx *ctx;
	ws_plan *plan = NULL;
	ws_status status = ws_ctx_create(&ctx, &ctx_opts);
	if (status == WS_OK)
		status = ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o);
	if (status == WS_OK)
		status = execute(j, plan, r);
	if (status != WS_OK)
		result_free(r);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return status;
}

void
must_decompose(const job *j, result *r)
{
	if (decompose(j, r) != WS_OK)
		give_up("a decomposition failed", ws_error_detail());
}

void
result_free(result *r)
{
	free(r->modes);
	free(r->residue);
	free(r->count);
	free(r->sifts);
	free(r->unfinished);
	*r = (result){ 0 };
}

const void *
mode_row(const result *r, size_t channel, int mode)
{
	size_t row = channel * (size_t)r->rows + (size_t)mode;
	return (const char *)r->modes + row * r->samples * type_size(r->type);
}

const void *
residue_row(const result *r, size_t channel)
{
	return (const char *)r->residue + channel * r->samples * type_size(r->type);
}

static bool
same_rows(const char *what, const void *a, const void *b, size_t channel, int mode,
          const result *r)
{
	const size_t e = type_size(r->type);
	if (memcmp(a, b, r->samples * e) == 0)
		return true;
	size_t i = 0;
	while (memcmp((const char *)a + i * e, (const char *)b + i * e, e) == 0)
		++i;
	printf("  channel %zu, %s %d, sample %zu: %a and %a\n", channel, what, mode, i,
	       get(r->type, a, i), get(r->type, b, i));
	return false;
}

bool
same_result(const result *a, const result *b)
{
	if (a->type != b->type || a->channels != b->channels || a->samples != b->samples ||
	    a->rows != b->rows) {
		printf("  the shapes differ\n");
		return false;
	}
	for (size_t c = 0; c < a->channels; ++c) {
		if (a->count[c] != b->count[c] || a->unfinished[c] != b->unfinished[c]) {
			printf("  channel %zu: %d and %d modes, %d and %d unfinished\n", c,
			       a->count[c], b->count[c], a->unfinished[c], b->unfinished[c]);
			return false;
		}
		for (int k = 0; k < a->rows; ++k) {
			size_t i = c * (size_t)a->rows + (size_t)k;
			if (a->sifts[i] != b->sifts[i]) {
				printf("  channel %zu, mode %d: %d and %d sifts\n", c, k,
				       a->sifts[i], b->sifts[i]);
				return false;
			}
			if (!same_rows("mode", mode_row(a, c, k), mode_row(b, c, k), c, k, a))
				return false;
		}
		if (!same_rows("residue", residue_row(a, c), residue_row(b, c), c, 0, a))
			return false;
	}
	return true;
}

const char *
isa_to_test(int i)
{
	return i == 0 ? "ref" : ws_isa_name(i - 1);
}

void
print_isas(void)
{
	static const char *const all[] = { "avx512", "avx2", "neon", "plain" };
	printf("kernels tested: ref");
	const char *name;
	for (int i = 0; (name = ws_isa_name(i)); ++i)
		printf(" %s", name);
	printf("; not on this machine:");
	for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
		bool has = false;
		for (int i = 0; (name = ws_isa_name(i)); ++i)
			has |= strcmp(name, all[k]) == 0;
		if (!has)
			printf(" %s", all[k]);
	}
	printf("\n");
}

/* ---- Statistics ----------------------------------------------------------------- */

static double
mean_of(const double *x, size_t n)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; ++i)
		sum += x[i];
	return sum / (double)n;
}

double
std_of(const double *x, size_t n)
{
	double mean = mean_of(x, n), sum = 0.0;
	for (size_t i = 0; i < n; ++i)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

double
largest_difference(const double *a, const double *b, size_t n)
{
	double worst = 0.0;
	for (size_t i = 0; i < n; ++i)
		worst = fmax(worst, fabs(a[i] - b[i]));
	return worst;
}

double
similarity(const double *a, const double *b, size_t n)
{
	double ma = mean_of(a, n), mb = mean_of(b, n), aa = 0.0, bb = 0.0, ab = 0.0;
	for (size_t i = 0; i < n; ++i) {
		aa += (a[i] - ma) * (a[i] - ma);
		bb += (b[i] - mb) * (b[i] - mb);
		ab += (a[i] - ma) * (b[i] - mb);
	}
	return ab / sqrt(aa * bb);
}

/* ---- Golden vectors ---------------------------------------------------------------- */

golden
golden_read(const char *name)
{
	char path[512], header[129] = "";
	snprintf(path, sizeof path, "%s/tests/data/golden/%s.npy", WAVESIFT_SOURCE_DIR, name);
	FILE *f = fopen(path, "rb");
	if (!f || fread(header, 1, 128, f) != 128)
		give_up(path, "cannot be read");
	golden g = { 0, 0, NULL };
	const char *shape = strstr(header + 10, "'shape': (");
	size_t d[3];
	int dims = shape ? sscanf(shape, "'shape': (%zu, %zu, %zu)", &d[0], &d[1], &d[2]) : 0;
	if (dims < 1 || !strstr(header + 10, "'<f8'") ||
	    strstr(header + 10, "'fortran_order': True"))
		give_up(path, "is not what golden vectors look like");
	g.n = d[dims - 1];
	g.rows = (dims > 1 ? d[dims - 2] : 1) * (dims > 2 ? d[0] : 1);
	g.v = need(g.rows * g.n * sizeof *g.v);
	if (fread(g.v, sizeof *g.v, g.rows * g.n, f) != g.rows * g.n)
		give_up(path, "is too short");
	fclose(f);
	return g;
}

static bool
asked_for(const char *name)
{
	const char *value = getenv(name);
	return value && strcmp(value, "0") != 0;
}

bool
slow_tier(void)
{
	return asked_for("WAVESIFT_SLOW");
}

bool
fast_tier(void)
{
	return asked_for("WAVESIFT_FAST") && !slow_tier();
}

int
few(int n)
{
	return SANITIZED ? (n + 15) / 16 : fast_tier() ? (n + 7) / 8 : n;
}

bool
thinned_out(int i)
{
	return (SANITIZED || fast_tier()) && (uint32_t)i * 0x9e3779b9u >> (SANITIZED ? 28 : 29) != 0;
}
