/* conv_fft.c - convolution by transforms (ops/fft.h), overlap-save. */
#include "cpu/conv/conv_fft.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/items.h"
#include "base/status.h"

/* ---- Methods --------------------------------------------------------------------------- */

/* Nanoseconds a point of a transform of 2^k points, k from 8 on; f64, AVX-512. */
static const double point_cost[] = { 1.4, 1.5, 1.9, 2.0, 2.1, 2.4, 2.8, 3.4, 4.3, 6.0, 11.4, 15.3,
	17.6 };
/* Of a product and of writing a response, likewise. */
#define PRODUCT_COST 1.0
#define STORE_COST 0.5
/* Of a tap of the direct method. */
#define TAP_COST 0.025
/* Widths of classes are powers of two from here on: transforms have 256 points at least. */
#define LEAST_WIDTH 64

void
wsi_conv_offsets(const wsi_conv_extent *e, size_t length, int64_t *d0, int64_t *d1)
{
	const int64_t last = e->first + (int64_t)(e->outputs - 1) * e->every;
	const int64_t low = -last, high = (int64_t)e->n - e->first;
	*d0 = -(int64_t)(length / 2);
	*d1 = *d0 + (int64_t)length;
	*d0 = *d0 > low ? *d0 : low;
	*d1 = *d1 < high ? *d1 : high;
	*d1 = *d1 > *d0 ? *d1 : *d0;
}

/* Outputs, those between the ones wanted included. */
static size_t
span_of(const wsi_conv_extent *e)
{
	return (e->outputs - 1) * (size_t)e->every + 1;
}

/* The class of a mask, without its transform. */
static wsi_conv_class
class_of(const wsi_conv_extent *e, size_t length, ws_conv_method method)
{
	int64_t d0, d1;
	wsi_conv_offsets(e, length, &d0, &d1);
	const int64_t reach = -d0 > d1 ? -d0 : d1;
	wsi_conv_class c = { .width = LEAST_WIDTH };
	while ((int64_t)c.width < 2 * reach)
		c.width *= 2;
	const size_t all = e->complex ? span_of(e) : (span_of(e) + 1) / 2;
	const size_t across = WSI_FFT_ACROSS * WSI_FFT_ACROSS;
	if (method == WS_CONV_FFT) {
		c.block = all;
		c.length = wsi_fft_length(all + c.width - 1, across);
	} else {
		c.block = 3 * c.width;
		c.length = 4 * c.width;
	}
	return c;
}

/* Transforms that all outputs of a mask take. */
static size_t
units_of(const wsi_conv_extent *e, const wsi_conv_class *c)
{
	const size_t outputs = e->complex ? c->block : 2 * c->block;
	return (span_of(e) + outputs - 1) / outputs;
}

double
wsi_conv_seconds(const wsi_conv_extent *e, size_t length, ws_conv_method method)
{
	const double parts = e->complex ? 2.0 : 1.0, half = e->type == WS_F32 ? 0.5 : 1.0;
	const double store = STORE_COST * parts * (double)e->outputs;
	if (method == WS_CONV_DIRECT) {
		int64_t d0, d1;
		wsi_conv_offsets(e, length, &d0, &d1);
		return 1e-9 * half * ((double)(d1 - d0) * TAP_COST * parts * (double)e->outputs +
		                      store);
	}
	const wsi_conv_class c = class_of(e, length, method);
	int k = 0;
	while (((size_t)256 << k) < c.length &&
	       k < (int)(sizeof point_cost / sizeof *point_cost) - 1)
		k++;
	/* Each unit, and the mask itself. */
	const double transforms = (double)units_of(e, &c) + 1.0;
	const double picked = e->every > 1 ? STORE_COST * parts * (double)span_of(e) : 0.0;
	return 1e-9 * half *
		(transforms * (double)c.length * (point_cost[k] + PRODUCT_COST) + store +
	                      picked);
}

/* How many times longer than the seconds above, which choose between methods and stay as they are.
 * Transforms have become faster since: with AVX-512 a point takes 1.1 to 1.5 ns (decision 13).
 * AVX2 was measured on a Zen 3 whose sifting takes so long as transform/emd/cost.c says: direct 2.6
 * to 2.8 times, transforms in f64 1.15, in f32 0.75 to 1.15.  NEON and plain code are by their
 * lanes. */
static const struct slowness {
	const char *isa;
	double direct, transforms;
} slownesses[] = {
	{ "avx512", 1.0, 0.75 }, { "avx2", 2.7, 1.0 }, { "neon", 4.0, 3.0 },
	{ "plain", 100.0, 75.0 }, { "ref", 100.0, 75.0 },
};

double
wsi_conv_slowness(const char *isa, ws_conv_method method, ws_sums sums, int accumulators)
{
	const struct slowness *slow = slownesses;
	for (size_t i = 0; i < sizeof slownesses / sizeof *slownesses; ++i)
		if (strcmp(slownesses[i].isa, isa) == 0)
			slow = &slownesses[i];
	return (method == WS_CONV_DIRECT ? slow->direct : slow->transforms) *
	       (sums == WS_SUMS_COMPENSATED ? 8.0 : 1.0) *
	       (accumulators > 1 ? 3.0 * accumulators : 1.0);
}

ws_conv_method
wsi_conv_choose(const wsi_conv_extent *e, size_t length, ws_conv_method forced)
{
	if (forced)
		return forced;
	ws_conv_method best = WS_CONV_DIRECT;
	double least = wsi_conv_seconds(e, length, best);
	for (ws_conv_method m = WS_CONV_FFT; m <= WS_CONV_OVERLAP_SAVE; ++m) {
		const double seconds = wsi_conv_seconds(e, length, m);
		if (seconds < least) {
			least = seconds;
			best = m;
		}
	}
	return best;
}

/* ---- Masks ----------------------------------------------------------------------------- */

/* The number of the class, which is added where it is new; -1: there is no room for more. */
static int
find_class(wsi_conv_spectra *s, wsi_conv_class c)
{
	int i = 0;
	while (i < s->classes && (s->class[i].width != c.width || s->class[i].block != c.block))
		i++;
	if (i == s->classes) {
		if (i == WSI_CONV_CLASSES)
			return -1;
		s->class[s->classes++] = c;
	}
	return i;
}

/* The class of each mask, -1: it goes directly. */
static ws_status
find_classes(wsi_conv_spectra *s, const ws_masks *m, const wsi_conv_shaping *shaping,
             const wsi_conv_extent *e, int8_t *class)
{
	for (size_t i = 0; i < m->count; ++i) {
		const ws_conv_method method = (ws_conv_method)shaping->method[i];
		class[i] = -1;
		if (method == WS_CONV_DIRECT)
			continue;
		class[i] = (int8_t)find_class(s, class_of(e, m->lengths[i], method));
		if (class[i] < 0)
			return WSI_FAIL(WS_E_INTERNAL, "more than %d kinds of transforms",
			                WSI_CONV_CLASSES);
		++s->rows;
	}
	return WS_OK;
}

static void
lay_out_rows(wsi_conv_spectra *s, const ws_masks *m, const wsi_conv_shaping *shaping,
             const wsi_conv_extent *e, const int8_t *class)
{
	/* Parts of the masks one after the other; a part's classes, too. */
	const size_t part = shaping->part ? shaping->part : m->count;
	wsi_conv_row *r = s->row;
	for (size_t from = 0; from < m->count; from += part) {
		bool any[WSI_CONV_CLASSES] = { false };
		for (size_t i = from; i < from + part && i < m->count; ++i)
			if (class[i] >= 0)
				any[class[i]] = true;
		for (int k = 0; k < s->classes; ++k)
			for (size_t i = from; any[k] && i < from + part && i < m->count; ++i) {
				if (class[i] != k)
					continue;
				*r = (wsi_conv_row){ .mask = (uint32_t)i, .class = k,
					.taps = s->count };
				wsi_conv_offsets(e, m->lengths[i], &r->d0, &r->d1);
				s->count += (size_t)(r->d1 - r->d0) * (e->complex ? 2 : 1);
				++r;
			}
	}
}

static ws_status
make(wsi_conv_spectra *s, const ws_masks *m, const wsi_conv_shaping *shaping,
     const wsi_conv_extent *e, int8_t *class)
{
	WSI_TRY(find_classes(s, m, shaping, e, class));
	s->row = s->rows ? malloc(s->rows * sizeof *s->row) : NULL;
	if (s->rows && !s->row)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
	lay_out_rows(s, m, shaping, e, class);
	for (int k = 0; k < s->classes; ++k)
		WSI_TRY(wsi_fft_create(&s->class[k].fft, shaping->type, s->class[k].length));
	return WS_OK;
}

ws_status
wsi_conv_spectra_lay_out(wsi_conv_spectra *s, const ws_masks *m, const wsi_conv_shaping *shaping,
                         const wsi_conv_extent *e)
{
	*s = (wsi_conv_spectra){ 0 };
	int8_t *class = malloc(m->count);
	const ws_status status = class ? make(s, m, shaping, e, class)
	                         : WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
	free(class);
	if (status != WS_OK)
		wsi_conv_spectra_free(s);
	return status;
}

ws_status
wsi_conv_spectra_fill(wsi_conv_spectra *s, wsi_progress *progress)
{
	for (int k = 0; k < s->classes; ++k)
		WSI_TRY(wsi_fft_fill(s->class[k].fft, progress));
	return WS_OK;
}

size_t
wsi_conv_spectra_tables(const wsi_conv_spectra *s)
{
	size_t bytes = 0;
	for (int k = 0; k < s->classes; ++k)
		bytes += wsi_fft_tables(s->class[k].fft);
	return bytes;
}

void
wsi_conv_spectra_empty(wsi_conv_spectra *s)
{
	for (int k = 0; k < s->classes; ++k)
		wsi_fft_empty(s->class[k].fft);
}

void
wsi_conv_spectra_free(wsi_conv_spectra *s)
{
	for (int k = 0; k < s->classes; ++k)
		wsi_fft_destroy(s->class[k].fft);
	free(s->row);
	free(s->values);
	*s = (wsi_conv_spectra){ 0 };
}

/* ---- The work -------------------------------------------------------------------------- */

/* Bytes of the transformed samples of the channels that are worked on together, if one does not
 * take more. */
#define BATCH_BYTES ((size_t)16 << 20)
/* Units of a mask that a thread takes at a time, at least; the mask is transformed for each. */
#define LEAST_UNITS 8
/* Points from which on a thread hears the user between transforms. */
#define HEARD_LENGTH ((size_t)1 << 16)

/* What a thread works in: pairs of real and imaginary parts of the longest transform. */
typedef struct desk {
	char *mask[2], *product[2], *response[2], *scratch;
} desk;

typedef struct shared {
	const wsi_conv *c;
	const wsi_conv_spectra *s;
	wsi_conv_extent e;
	const wsi_io *io;
	int array;
	wsi_progress *progress;
	_Atomic uint64_t *high;
	const int16_t *exponents; /* [channel] if samples are rounded */
	desk *desks;            /* [thread] */
	char *samples;          /* [channel of the batch][unit][2][M] their transforms */
	size_t channel0, channels; /* of the batch */
	const wsi_conv_class *class;
	size_t row0, rows;      /* of the class and part */
	size_t units, run;      /* of a row; that are taken at a time */
} shared;

static wsi_conv_extent
extent_of(const wsi_conv *c)
{
	return (wsi_conv_extent){ c->n, c->first, c->every, c->outputs, c->complex, c->ops->type };
}

static size_t
unit_bytes(const wsi_conv *c, const wsi_conv_class *class)
{
	return 2 * class->length * c->ops->element;
}

static size_t
batch_of(const wsi_conv *c, const wsi_conv_class *class)
{
	const wsi_conv_extent e = extent_of(c);
	const size_t bytes = units_of(&e, class) * unit_bytes(c, class);
	const size_t fit = BATCH_BYTES / bytes;
	return fit < 1 ? 1 : fit < c->channels ? fit : c->channels;
}

static desk *
lay_out(const wsi_conv *c, char **samples, wsi_arena *arena)
{
	const wsi_conv_spectra *s = c->spectra;
	const wsi_conv_extent e = extent_of(c);
	size_t longest = 0, scratch = 0, all = 0;
	for (int k = 0; k < s->classes; ++k) {
		const wsi_conv_class *class = &s->class[k];
		const size_t own = wsi_fft_scratch(class->fft);
		const size_t batch =
			batch_of(c, class) * units_of(&e, class) * unit_bytes(c, class);
		longest = class->length > longest ? class->length : longest;
		scratch = own > scratch ? own : scratch;
		all = batch > all ? batch : all;
	}
	*samples = wsi_arena_take(arena, all);
	desk *desks = wsi_arena_take(arena, (size_t)c->threads * sizeof *desks);
	for (int t = 0; t < c->threads; ++t) {
		desk d;
		for (int i = 0; i < 2; ++i) {
			d.mask[i] = wsi_arena_take(arena, longest * c->ops->element);
			d.product[i] = wsi_arena_take(arena, longest * c->ops->element);
			d.response[i] = wsi_arena_take(arena, longest * c->ops->element);
		}
		d.scratch = wsi_arena_take(arena, scratch);
		if (desks)
			desks[t] = d;
	}
	return desks;
}

size_t
wsi_conv_fft_bytes(const wsi_conv *c)
{
	wsi_arena arena = { 0 };
	char *samples;
	if (c->spectra->rows)
		lay_out(c, &samples, &arena);
	return arena.used;
}

static char *
samples_of(const shared *j, size_t channel, size_t unit, int part)
{
	const size_t bytes = unit_bytes(j->c, j->class);
	return j->samples + (channel * j->units + unit) * bytes + (size_t)part * bytes / 2;
}

static void
inverse(const wsi_conv *c, const wsi_fft *fft, const char *in_re, const char *in_im, char *out_re,
        char *out_im, char *scratch)
{
	const wsi_fft_in in = { .re = in_re, .im = in_im };
	c->ops->cwt->inverse(fft, &in, out_re, out_im, scratch);
}

/* Blocks of a unit. */
static int
blocks(const shared *j)
{
	return j->c->complex ? 1 : 2;
}

/* Transforms the samples of units. */
static void
transform_samples(void *arg, size_t i, int rank)
{
	shared *j = arg;
	const wsi_conv *c = j->c;
	const wsi_conv_class *k = j->class;
	desk *d = &j->desks[rank];
	const size_t channel = i / j->units, unit = i % j->units;
	for (int b = 0; b < 2; ++b) {
		const size_t block = unit * (size_t)blocks(j) + (size_t)b;
		if (b == blocks(j)) {
			memset(d->product[b], 0, k->length * c->ops->element);
			continue;
		}
		const wsi_conv_stage stage = {
			.x = j->io->x + (j->channel0 + channel) * j->io->x_stride,
			.type = c->samples->type, .n = (int64_t)c->n, .every = 1,
			.first = c->first + (int64_t)(block * k->block) -
			         (int64_t)(k->width / 2),
			.count = k->length, .to = d->product[b] };
		c->ops->conv->stage(&stage);
		if (c->narrow)
			c->ops->conv->narrow(stage.to, stage.count, c->narrow,
			                     j->exponents[j->channel0 + channel]);
	}
	/* The inverse transform with its parts exchanged is the transform. */
	inverse(c, k->fft, d->product[1], d->product[0], samples_of(j, channel, unit, 1),
	        samples_of(j, channel, unit, 0), d->scratch);
}

/* d->mask = sum over taps of m[d] e^{2 pi i k (d + W / 2) / M} / M */
static void
transform_mask(const shared *j, desk *d, const wsi_conv_row *r)
{
	const wsi_conv *c = j->c;
	const size_t element = c->ops->element, taps = (size_t)(r->d1 - r->d0);
	const size_t lead = (size_t)(r->d0 + (int64_t)(j->class->width / 2));
	for (int part = 0; part < 2; ++part) {
		memset(d->product[part], 0, j->class->length * element);
		if (part == 0 || c->complex)
			memcpy(d->product[part] + lead * element, (const char *)j->s->values +
			       (r->taps + (size_t)part * taps) * element, taps * element);
	}
	inverse(c, j->class->fft, d->product[0], d->product[1], d->mask[0], d->mask[1], d->scratch);
	c->ops->conv->scale(d->mask[0], 1.0 / (double)j->class->length, j->class->length);
	c->ops->conv->scale(d->mask[1], 1.0 / (double)j->class->length, j->class->length);
}

/* Writes the outputs of one block, which lie at y, to a part of the responses. */
static void
deliver(const shared *j, const wsi_conv_row *r, size_t channel, size_t block, char *y, size_t part)
{
	const wsi_conv *c = j->c;
	const size_t element = c->ops->element, every = (size_t)c->every;
	const size_t parts = c->complex ? 2 : 1, from = block * j->class->block;
	const size_t to = from + j->class->block;
	const size_t first = (from + every - 1) / every, end = (to + every - 1) / every;
	const size_t last = end < c->outputs ? end : c->outputs;
	if (first >= last)
		return;
	for (size_t i = first; every > 1 && i < last; ++i)
		memcpy(y + (i - first) * element, y + (i * every - from) * element, element);
	char *out = wsi_io_row(j->io, j->array, channel, r->mask - j->io->first);
	out += (first * parts + part) * c->samples->element;
	if (!c->ops->conv->store(y, NULL, last - first, out, parts, c->samples->type))
		wsi_note_first(j->high, (uint64_t)channel << 32 | r->mask);
}

/* Of units that are taken together. */
static size_t
runs_of(const shared *j)
{
	return (j->units + j->run - 1) / j->run;
}

static void
work(void *arg, size_t i, int rank)
{
	shared *j = arg;
	const wsi_conv *c = j->c;
	desk *d = &j->desks[rank];
	const size_t runs = runs_of(j);
	/* Short transforms hear the user between items alone. */
	const int asks = j->class->length >= HEARD_LENGTH ? rank : -1;
	const wsi_conv_row *r = &j->s->row[j->row0 + i / runs / j->channels];
	const size_t channel = i / runs % j->channels, unit0 = i % runs * j->run;
	transform_mask(j, d, r);
	for (size_t u = unit0; u < unit0 + j->run && u < j->units; ++u) {
		if (!wsi_goes_on(j->progress, asks))
			return;
		c->ops->conv->multiply(d->product[0], d->product[1],
		                       samples_of(j, channel, u, 0),
		                       samples_of(j, channel, u, 1), d->mask[0], d->mask[1],
		                       j->class->length);
		inverse(c, j->class->fft, d->product[0], d->product[1], d->response[0],
		        d->response[1], d->scratch);
		for (size_t b = 0; b < 2; ++b)
			deliver(j, r, j->channel0 + channel, c->complex ? u : 2 * u + b,
			        d->response[b], c->complex ? b : 0);
	}
}

/* One class of masks on all channels. */
static void
run_class(shared *j, wsi_pool *pool)
{
	const wsi_conv *c = j->c;
	const size_t batch = batch_of(c, j->class);
	j->units = units_of(&j->e, j->class);
	for (j->channel0 = 0; j->channel0 < c->channels; j->channel0 += batch) {
		const size_t rest = c->channels - j->channel0;
		j->channels = rest < batch ? rest : batch;
		/* A mask's units are shared out where masks and channels do not suffice. */
		const size_t shares = (4 * (size_t)c->threads + j->rows * j->channels - 1) /
		                      (j->rows * j->channels);
		const size_t run = (j->units + shares - 1) / shares;
		j->run = shares == 1 ? j->units : run > LEAST_UNITS ? run : LEAST_UNITS;
		wsi_pool_items(pool, j->channels * j->units, transform_samples, j);
		wsi_pool_items(pool, j->rows * runs_of(j) * j->channels, work, j);
		if (wsi_cancelled(j->progress))
			return;
	}
}

void
wsi_conv_fft_run(const wsi_conv *c, const wsi_io *io, int array, const int16_t *exponents,
                 wsi_pool *pool, wsi_progress *progress, _Atomic uint64_t *high, void *workspace)
{
	const wsi_conv_spectra *s = c->spectra;
	wsi_arena arena = { .base = workspace };
	if (s->rows == 0)
		return;
	shared j = { .c = c, .s = s, .e = extent_of(c), .io = io, .array = array,
		.progress = progress, .high = high, .exponents = exponents };
	j.desks = lay_out(c, &j.samples, &arena);
	const size_t from = io->first, end = io->count ? from + io->count : SIZE_MAX;
	for (size_t i = 0; i < s->rows;) {
		const wsi_conv_row *r = &s->row[i];
		if (r->mask < from || r->mask >= end) {
			++i;
			continue;
		}
		j.row0 = i;
		while (i < s->rows && s->row[i].class == r->class && s->row[i].mask >= from &&
		       s->row[i].mask < end)
			++i;
		j.rows = i - j.row0;
		j.class = &s->class[r->class];
		run_class(&j, pool);
		if (wsi_cancelled(progress))
			return;
	}
}
