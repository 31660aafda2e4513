/*
 * conv.c - direct convolution: tiles of 384 outputs of a group of masks, shared out to threads.
 *
 * A tile goes through the sections of math/conv.h in order of their index; the tree over them is a
 * stack of sums, one a level, as a binary counter has digits.
 */
#include "cpu/conv/conv.h"

#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "base/items.h"
#include "base/status.h"
#include "math/conv.h"

/* Tiles that a thread takes at a time: masks stay in its cache. */
#define RUN_TILES 8
/* Taps of a long mask between two questions to the user. */
#define HEARD_TAPS (16 * WSI_CONV_SECTION)

/* What a thread works in. */
typedef struct bench {
	char *window;           /* samples of a section */
	char *sums[WSI_CONV_LEVELS + 2]; /* [levels + 1] sums of a tile; one is free */
} bench;

typedef struct shared {
	const wsi_conv *c;
	const wsi_io *io;
	int array;
	wsi_progress *progress;
	size_t group0, groups;  /* that are wanted */
	size_t runs;            /* of tiles, of a channel and group */
	bench *benches;         /* [thread] */
	int16_t *exponents;     /* [channel] 2^e is above its largest sample; if c needs them */
	int levels;
	_Atomic uint64_t bad;   /* the first channel and sample that are not finite */
	_Atomic uint64_t high;  /* the first channel and mask whose response is not */
} shared;

#define NONE UINT64_MAX

/* ---- Workspace ------------------------------------------------------------------------- */

static bool
carries(const wsi_conv *c)
{
	return c->sums == WS_SUMS_COMPENSATED;
}

/* Sums that are kept of each output. */
static size_t
sums_of(const wsi_conv *c)
{
	return carries(c) ? 2 : (size_t)c->accumulators;
}

/* Does it matter how large samples are? */
static bool
needs_exponents(const wsi_conv *c)
{
	return c->accumulators > 1 || c->narrow;
}

/* Elements of the sums of a group's tile. */
static size_t
tile_elements(const wsi_conv *c, int rows)
{
	return (size_t)rows * WSI_CONV_OUTPUTS * sums_of(c);
}

/* Samples from one phase to the next, of a section's window. */
static size_t
window_stride(const wsi_conv *c)
{
	return WSI_CONV_OUTPUTS + (WSI_CONV_SECTION - 1) / (size_t)c->every + 1;
}

static size_t
window_elements(const wsi_conv *c)
{
	const size_t phases = c->every < WSI_CONV_SECTION ? (size_t)c->every : WSI_CONV_SECTION;
	return window_stride(c) * phases;
}

/* Levels of the tree that the longest mask needs below the two sides, and these. */
static int
tree_levels(const wsi_conv *c)
{
	const int64_t low = -(int64_t)(c->bank->longest / 2);
	int levels = 1;
	while (((int64_t)1 << (levels - 1)) < 1 - conv_section(low))
		levels++;
	return levels + 1;
}

static bench *
lay_out(const wsi_conv *c, int16_t **exponents, wsi_arena *arena)
{
	const size_t threads = (size_t)c->threads, element = c->ops->element;
	const int levels = tree_levels(c);
	bench *benches = wsi_arena_take(arena, threads * sizeof *benches);
	for (size_t t = 0; t < threads; ++t) {
		bench b = { .window = wsi_arena_take(arena, window_elements(c) * element) };
		for (int l = 0; l <= levels; ++l)
			b.sums[l] = wsi_arena_take(arena, tile_elements(c, WSI_CONV_ROWS) *
			                           element);
		if (benches)
			benches[t] = b;
	}
	*exponents = wsi_arena_take(arena, needs_exponents(c) ? c->channels * sizeof **exponents
	                            : 0);
	return benches;
}

size_t
wsi_conv_bytes(const wsi_conv *c)
{
	wsi_arena arena = { 0 };
	int16_t *exponents;
	lay_out(c, &exponents, &arena);
	wsi_arena_take(&arena, (size_t)c->threads * sizeof(wsi_worker));
	return arena.used + wsi_conv_fft_bytes(c);
}

/* ---- A tile --------------------------------------------------------------------------- */

typedef struct tile {
	const wsi_conv *c;
	const wsi_conv_group *g;
	const char *x;          /* the channel's samples */
	int exponent;           /* of the channel; or 0 */
	wsi_progress *progress;
	int rank;               /* of the thread */
	int64_t n0;             /* of the first output */
	size_t outputs;
	bench *b;
	int levels;
	uint32_t present;       /* levels of the tree that hold a sum */
} tile;

/* Samples of the taps from offset a on. */
static void
take_samples(const tile *p, int64_t a, wsi_conv_args *s)
{
	const wsi_conv *c = p->c;
	const size_t taps = (size_t)s->n_taps;
	const int64_t from = p->n0 + a, n = (int64_t)c->n;
	const bool inside = from >= 0 && from + (int64_t)taps + WSI_CONV_OUTPUTS <= n;
	s->every = (size_t)c->every;
	s->stride = window_stride(c);
	if (c->every == 1 && inside && c->samples == c->ops && !c->narrow) {
		s->x = p->x + (size_t)from * c->ops->element;
		return;
	}
	s->x = p->b->window;
	wsi_conv_stage stage = { .x = p->x, .type = c->samples->type, .n = n, .every = c->every };
	const size_t phases = s->every < taps ? s->every : taps;
	for (size_t phase = 0; phase < phases; ++phase) {
		stage.first = from + (int64_t)phase;
		stage.count = WSI_CONV_OUTPUTS + (taps - 1 - phase) / s->every;
		stage.to = p->b->window + phase * s->stride * c->ops->element;
		c->ops->conv->stage(&stage);
		if (c->narrow)
			c->ops->conv->narrow(stage.to, stage.count, c->narrow, p->exponent);
	}
}

/* sums = other + sums */
static void
add(const tile *p, char *sums, const char *other)
{
	const wsi_conv_ops *ops = p->c->ops->conv;
	const size_t n = (size_t)p->g->rows * WSI_CONV_OUTPUTS;
	if (carries(p->c))
		ops->add_carried(sums, other, n);
	else
		ops->add(sums, other, n * (size_t)p->c->accumulators);
}

/* The magnitudes at which each row's accumulators begin: see ws_conv_opts. */
static void
part_magnitudes(const tile *p, double *least)
{
	const wsi_conv *c = p->c;
	const int bits = c->ops->type == WS_F32 ? 24 : 53, n = c->accumulators;
	for (int r = 0; r < p->g->rows; ++r)
		for (int k = 0; k < n; ++k)
			least[r * WS_MOST_ACCUMULATORS + k] = conv_least(
				p->exponent + c->exponent[p->g->mask[r]], k, n, bits);
}

/* All accumulators of a tile into the last, the smallest first; returns where it is. */
static const char *
join_accumulators(const tile *p, char *sums)
{
	const size_t n = (size_t)p->g->rows * WSI_CONV_OUTPUTS;
	const size_t bytes = n * p->c->ops->element, last = (size_t)p->c->accumulators - 1;
	for (size_t k = last; k-- > 0;)
		p->c->ops->conv->add(sums + last * bytes, sums + k * bytes, n);
	return sums + last * bytes;
}

/* Puts the sums of section j, which lie in the last buffer, into the tree. */
static void
into_tree(tile *p, int64_t j)
{
	char **sums = p->b->sums;
	char *leaf = sums[p->levels];
	int level = 0;
	for (; level < p->levels - 1 && (j & 1); ++level, j >>= 1)
		if (p->present >> level & 1) {
			add(p, leaf, sums[level]);
			p->present &= ~(1u << level);
		}
	sums[p->levels] = sums[level];
	sums[level] = leaf;
	p->present |= 1u << level;
}

/* All sums of the tree together; returns where they are. */
static char *
tree_total(const tile *p)
{
	char *total = NULL;
	for (int level = 0; level < p->levels; ++level) {
		if (!(p->present >> level & 1))
			continue;
		if (total)
			add(p, total, p->b->sums[level]);
		else
			total = p->b->sums[level];
	}
	if (!total) {
		total = p->b->sums[0];
		memset(total, 0, tile_elements(p->c, p->g->rows) * p->c->ops->element);
	}
	return total;
}

/* Of no use where the user has stopped. */
static const char *
sum_tile(tile *p)
{
	const wsi_conv *c = p->c;
	const int64_t last = p->n0 + (int64_t)(p->outputs - 1) * c->every;
	/* Offsets at which some output takes a sample of the signal. */
	const int64_t d0 = p->g->d0 > -last ? p->g->d0 : -last;
	const int64_t end = (int64_t)c->n - p->n0, d1 = p->g->d1 < end ? p->g->d1 : end;
	double least[WSI_CONV_ROWS * WS_MOST_ACCUMULATORS];
	p->present = 0;
	if (c->accumulators > 1)
		part_magnitudes(p, least);
	for (int64_t a = d0, heard = d0; a < d1;) {
		if (a - heard >= HEARD_TAPS) {
			if (!wsi_goes_on(p->progress, p->rank))
				break;
			heard = a;
		}
		const int64_t j = conv_section(a), next = conv_section_start(j + 1);
		const int64_t b = next < d1 ? next : d1;
		wsi_conv_args s = { .n_taps = (int)(b - a), .rows = p->g->rows,
			.outputs = p->outputs, .sums = p->b->sums[p->levels],
			.accumulators = c->accumulators, .least = least };
		s.taps = (const char *)c->bank->values +
		         (p->g->taps + (size_t)(a - p->g->d0) * (size_t)s.rows) * c->ops->element;
		take_samples(p, a, &s);
		if (carries(c))
			c->ops->conv->section_carried(&s);
		else if (c->accumulators > 1)
			c->ops->conv->section_parted(&s);
		else
			c->ops->conv->section(&s);
		into_tree(p, j);
		a = b;
	}
	char *total = tree_total(p);
	return c->accumulators > 1 ? join_accumulators(p, total) : total;
}

/* Writes the sums of a tile, whose first output is number `at`, to the responses. */
static void
deliver(const shared *j, const tile *p, size_t channel, size_t at, const char *sums)
{
	const wsi_conv *c = p->c;
	const size_t element = c->ops->element, row = WSI_CONV_OUTPUTS * element;
	const size_t parts = c->complex ? 2 : 1;
	for (int r = 0; r < p->g->rows; ++r) {
		const size_t mask = p->g->mask[r];
		char *out = wsi_io_row(j->io, j->array, channel, mask - j->io->first);
		const char *s = sums + (size_t)r * row;
		const char *rest = carries(c) ? s + (size_t)p->g->rows * row : NULL;
		out += (at * parts + p->g->part[r]) * c->samples->element;
		if (!c->ops->conv->store(s, rest, p->outputs, out, parts, c->samples->type))
			wsi_note_first(&((shared *)j)->high, (uint64_t)channel << 32 | mask);
	}
}

/* ---- All of them ----------------------------------------------------------------------- */

/* Looks at the samples of channels. */
static void
look(void *arg, size_t k, int rank)
{
	shared *j = arg;
	const wsi_conv *c = j->c;
	const char *x = j->io->x + k * j->io->x_stride;
	const size_t bad = c->samples->conv->not_finite(x, c->n);
	(void)rank;
	if (bad < c->n)
		wsi_note_first(&j->bad, (uint64_t)k << 32 | bad);
	else if (needs_exponents(c))
		j->exponents[k] = (int16_t)conv_exponent(c->samples->conv->largest(x, c->n));
}

/* The longest masks first: threads end together. */
static void
work(void *arg, size_t i, int rank)
{
	shared *j = arg;
	const wsi_conv *c = j->c;
	const size_t channel = i / j->runs % c->channels;
	const size_t group = j->groups - 1 - i / j->runs / c->channels;
	tile p = { .c = c, .g = &c->bank->group[j->group0 + group],
		.x = j->io->x + channel * j->io->x_stride, .b = &j->benches[rank],
		.levels = j->levels, .progress = j->progress, .rank = rank,
		.exponent = needs_exponents(c) ? j->exponents[channel] : 0 };
	size_t at = i % j->runs * RUN_TILES * WSI_CONV_OUTPUTS;
	for (int k = 0; k < RUN_TILES && at < c->outputs; ++k, at += WSI_CONV_OUTPUTS) {
		p.n0 = c->first + (int64_t)at * c->every;
		p.outputs = c->outputs - at < WSI_CONV_OUTPUTS ? c->outputs - at
		            : WSI_CONV_OUTPUTS;
		const char *sums = sum_tile(&p);
		if (wsi_cancelled(j->progress))
			return;
		deliver(j, &p, channel, at, sums);
	}
}

/* The groups of the masks that io wants. */
static void
choose_part(shared *j)
{
	const wsi_conv_bank *bank = j->c->bank;
	const size_t from = j->io->first, count = j->io->count;
	j->group0 = 0;
	j->groups = bank->groups;
	if (count == 0)
		return;
	while (j->group0 < bank->groups &&
	       bank->group[j->group0].mask[0] / bank->part < from / bank->part)
		j->group0++;
	size_t end = j->group0;
	while (end < bank->groups && bank->group[end].mask[0] < from + count &&
	       bank->group[end].mask[0] >= from)
		end++;
	j->groups = end - j->group0;
}

ws_status
wsi_conv_run(const wsi_conv *c, const wsi_io *io, int array, wsi_progress *progress,
             void *workspace)
{
	const size_t tiles = (c->outputs + WSI_CONV_OUTPUTS - 1) / WSI_CONV_OUTPUTS;
	wsi_arena arena = { .base = workspace };
	shared j = { .c = c, .io = io, .array = array, .progress = progress,
		.runs = (tiles + RUN_TILES - 1) / RUN_TILES, .levels = tree_levels(c) };
	j.benches = lay_out(c, &j.exponents, &arena);
	wsi_worker *workers = wsi_arena_take(&arena, (size_t)c->threads * sizeof *workers);
	atomic_init(&j.bad, NONE);
	atomic_init(&j.high, NONE);
	choose_part(&j);
	wsi_progress_step(progress, 0.0, 1.0);
	wsi_pool pool;
	wsi_pool_start(&pool, c->threads, workers, progress);
	wsi_pool_items(&pool, c->channels, look, &j);
	const uint64_t bad = atomic_load(&j.bad);
	if (bad == NONE && j.groups)
		wsi_pool_items_told(&pool, c->channels * j.groups * j.runs, work, &j);
	if (bad == NONE && !wsi_cancelled(progress))
		wsi_conv_fft_run(c, io, array, j.exponents, &pool, progress, &j.high,
		                 arena.base + arena.used);
	wsi_pool_stop(&pool);
	if (bad != NONE)
		return WSI_FAIL(WS_E_FORMAT, "channel %zu, sample %zu is not finite: mend or leave "
		                "out that stretch", WSI_NO(io->first_channel + (size_t)(bad >> 32)),
		                WSI_NO(bad & 0xffffffffu));
	const uint64_t high = atomic_load(&j.high);
	if (high != NONE)
		return WSI_FAIL(WS_E_FORMAT, "channel %zu: the response to mask %zu is more than "
		                "the type holds; scale the signal or the mask",
		                WSI_NO(io->first_channel + (size_t)(high >> 32)),
		                WSI_NO(high & 0xffffffffu));
	return WS_OK;
}
