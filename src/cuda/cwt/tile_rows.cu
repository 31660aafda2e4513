/*
 * tile_rows.cu - coefficients by tiles: all classes of a range together, some channels at a time.
 */
#include <math.h>

#include "cuda/cwt/run.h"
#include "math/kaiser.h"

/* Of one class: its places, bytes; the taper is among the tables. */
struct tile_place {
	size_t signal, spectra, taper;
};

/* What is made of frequencies: their responses; spectra of their tiles; outputs. */
enum tile_step { TILE_TABLES = 1, TILE_SPECTRA = 2, TILE_OUTPUTS = 4, TILE_ALL = 7 };

/* Tiles of a range, of some channels of it. */
struct tile_work {
	cwt_run *r;
	const std::vector<cwt_members> &all;
	std::vector<tile_place> places;
	size_t channels;
	cwt_out out;
};

static size_t
element(const cwt_run *r)
{
	return r->job->type == WS_F64 ? sizeof(double) : sizeof(float);
}

/* How far a Gaussian is needed, in deviations. */
static double
reach(ws_type type)
{
	return type == WS_F64 ? 9.7 : 7.5;
}

void
cwt_place_in_tile(const cwt_run *r, const cwt_class &k, size_t f, cwt_scale *s)
{
	const wsi_cwt_job_scale &from = r->job->scales[f];
	const double bins = (double)CWT_TILE / (double)k.m; /* of a tile, by one of the spectrum */
	/* At every sample the band may be cut at half the rate: its middle lies beside the peak. */
	const double peak = from.response.wavelet.a / from.response.step;
	const double middle = k.ratio == 1 ? peak : (double)from.centre;
	const double wide = reach(r->job->type) / from.response.step * bins;
	/* Products of matrices want a multiple of 32. */
	const double grain = r->job->type == WS_F32 ? 32.0 : 1.0;
	s->tile_bin = (int)(grain * rint(middle * bins / grain));
	const double zero = k.ratio == 1 ? 0.0 : (double)s->tile_bin; /* bin 0 after the move */
	const double at_peak = peak * bins - zero;
	const int first = k.ratio == 1 ? 32 * TILE_HALF_FIRST : -(int)CWT_TILE / 4;
	s->tile_half = at_peak - wide >= first && at_peak + wide <= first + (int)CWT_TILE / 2 - 1;
	const unsigned long long wave = CWT_TILE * (unsigned long long)k.ratio;
	s->tile_step = (unsigned long long)(long long)s->tile_bin * (~0ull / wave + 1);
}

/* Puts the signal of a class into a stream: bands by an inverse transform of whole length; work:
 * what the layout has for it.  By cuFFT, channels that the plan has beyond these are zeros. */
static void
make_signal(cwt_run *r, const cwt_class &k, size_t channels, const cwt_out &out, double *z,
            char *work, size_t bytes, cudaStream_t stream)
{
	const int64_t m = (int64_t)k.m, place = (k.first % m + m) % m;
	const cwt_band band = { (int)k.first, (int)k.band, (int)place };
	const cwt_spectra spectra = cwt_spectra_of(r, out);
	if (k.by_passes) {
		well(&r->w, cwt_tile_signal(spectra, r->job->type, (unsigned)channels, band,
		                            k.passes, (double *)work, z, (unsigned)k.m, stream),
		     "making a signal");
		return;
	}
	well(&r->w, cwt_tile_band(spectra, r->job->type, (unsigned)channels, band, z, (unsigned)k.m,
	                          stream), "taking bands");
	const size_t rest = r->l.tile_channels - channels, row = k.m * sizeof(two<double>);
	if (rest && goes_on(r))
		well(&r->w, cudaMemsetAsync((char *)z + channels * row, 0, rest * row, stream),
		     "clearing memory");
	fft_plan *plan = NULL;
	if (!goes_on(r))
		return;
	r->status = fft_take(r->w.device, cwt_back_shape(k, r->l.tile_channels), &plan, r->why);
	if (r->status != WS_OK)
		return;
	well(&r->w, plan->bytes > bytes ? cudaErrorMemoryAllocation
	     : fft_run(r->w.device, plan, z, z, true, work, stream), "a Fourier transform");
	fft_give(r->w.device, plan);
}

/* Signals of the classes aside, or of the others. */
static void
make_signals(const tile_work &t, bool aside)
{
	cwt_run *r = t.r;
	std::vector<bool> made(r->classes.size(), false);
	for (const cwt_members &of : t.all) {
		const size_t number = r->classes[of.number].shares;
		const cwt_class &k = r->classes[number];
		if (r->classes[of.number].way != CWT_TILES || k.aside != aside || made[number] ||
		    !goes_on(r))
			continue;
		made[number] = true;
		if (aside)
			make_signal(r, k, t.channels, t.out, (double *)at(r, r->l.signal),
			            at(r, r->l.signal_fft), r->l.signal_fft_bytes,
			            cwt_stream(r, CWT_ASIDE));
		else
			make_signal(r, k, t.channels, t.out,
			            (double *)(at(r, r->l.tiles) + t.places[number].signal),
			            at(r, r->l.fft), r->l.fft_bytes, r->w.stream);
	}
}

/* Frequencies `from` .. of a class that fit behind a batch; 0: none do.  responses: responses in
 * memory before the batch's. */
static size_t
add_segment(cwt_run *r, cwt_tile_batch *batch, const tile_place &place, const tile_place &shared,
            const cwt_members &of, size_t from, size_t room, size_t responses)
{
	const cwt_class &k = r->classes[of.number];
	const size_t left = of.count - from, count = left < room ? left : room;
	if (!count || batch->count == CWT_TILE_SEGMENTS)
		return 0;
	const unsigned outputs = (unsigned)r->job->outputs, ratio = (unsigned)k.ratio;
	cwt_tile_segment t = {};
	t.ratio = k.ratio;
	t.taps = k.taps;
	t.m = (unsigned)k.m;
	t.guard = (unsigned)k.guard;
	t.useful = (unsigned)(CWT_TILE - 2 * k.guard);
	t.tiles = ((outputs + ratio - 1) / ratio + t.useful - 1) / t.useful;
	t.by_tiles = 1.0f / (float)t.tiles;
	t.count = (unsigned)count;
	t.deviation = k.deviation;
	t.middle = cwt_tile_middle(r->job->type);
	t.steep = r->job->type == WS_F64 ? 1.0 : 1.1;
	t.sub = (int)(r->classes[k.shares].m / k.m);
	t.window = k.window;
	t.beta = k.taps ? kaiser_beta(k.taps, k.over) : 0.0;
	t.peak = k.taps ? kaiser_i0(t.beta) : 1.0;
	if (batch->count) {
		const cwt_tile_segment &last = batch->segment[batch->count - 1];
		t.responses = last.responses + last.count;
	}
	t.forward = batch->forward_blocks;
	const unsigned tiles = CWT_TILE_SUBS / (unsigned)t.sub; /* of a block */
	batch->forward_blocks += (t.tiles * batch->channels + tiles - 1) / tiles;
	t.deals = (t.count + CWT_TILE_TOGETHER - 1) / CWT_TILE_TOGETHER;
	t.scales = of.scales + from;
	t.z = (const two<double> *)(k.aside ? at(r, r->l.signal)
	                                    : at(r, r->l.tiles) + shared.signal);
	t.spectra = at(r, r->l.tiles) + place.spectra;
	t.taper = (double *)(at(r, r->l.tables) + place.taper);
	t.response = at(r, r->l.tile_response) + (responses + t.responses) * CWT_TILE * element(r);
	t.weights = r->weights[of.number];
	batch->segment[batch->count++] = t;
	return count;
}

/* Instructions of a warp, about: for a tile's points; for 32 outputs between them. */
constexpr double POINTS_WORK = 1100.0, BETWEEN_WORK = 28.0;
/* Blocks for each that the device holds; what a warp does in a block, at most. */
constexpr double WAVES = 2.0, MOST_WORK = 12000.0;

/* Work of a warp between the points of a tile. */
static double
work_between(const cwt_tile_segment &t)
{
	return t.ratio > 1 ? BETWEEN_WORK / 32.0 * t.useful * t.ratio : 0.0;
}

/* Blocks of all segments: some for each of the `blocks` that the device holds, so that none is
 * waited for long. */
static void
deal(cwt_tile_batch *batch, unsigned blocks)
{
	double all = 0.0;
	for (int i = 0; i < batch->count; ++i) {
		const cwt_tile_segment &t = batch->segment[i];
		all += (POINTS_WORK + work_between(t)) * t.tiles * batch->channels * t.count;
	}
	double most = all / (WAVES * CWT_TILE_WARPS * blocks);
	most = most > MOST_WORK ? MOST_WORK : most;
	batch->output_blocks = 0;
	for (int i = 0; i < batch->count; ++i) {
		cwt_tile_segment &t = batch->segment[i];
		const double outputs = work_between(t);
		t.parts = outputs > 1.5 * most ? (unsigned)(outputs / most + 0.5) : 1;
		t.parts = t.parts > 8 ? 8 : t.parts;
		const double task = POINTS_WORK + outputs / t.parts;
		const unsigned of_warp = most > task ? (unsigned)(most / task) : 1;
		const unsigned size = (t.count + t.deals - 1) / t.deals;
		t.each = CWT_TILE_WARPS * of_warp;
		t.per_deal = (size * t.parts * t.tiles * batch->channels + t.each - 1) / t.each;
		t.outputs_before = batch->output_blocks;
		batch->output_blocks += t.deals * t.per_deal;
	}
}

static void
make_batch(cwt_run *r, cwt_tile_batch *batch, int steps, cudaStream_t stream)
{
	const ws_type type = r->job->type;
	if (!batch->count || !goes_on(r))
		return;
	const int multiprocessors = r->w.device->facts.multiProcessorCount;
	deal(batch, (unsigned)multiprocessors * cwt_tile_blocks(type));
	if (steps & TILE_TABLES)
		well(&r->w, cwt_tile_tables(*batch, type, stream), "making responses");
	if (steps & TILE_SPECTRA)
		well(&r->w, cwt_tile_spectra(*batch, type, multiprocessors, stream),
		     "spectra of tiles");
	if (steps & TILE_OUTPUTS)
		well(&r->w, cwt_tiles(*batch, type, stream), "working on tiles");
}

/* What all launches of segments know; second: they have the second place for roots. */
static cwt_tile_batch
empty_batch(const tile_work &t, bool second)
{
	cwt_tile_batch batch = {};
	batch.channels = (unsigned)t.channels;
	batch.roots = (two<double> *)at(t.r, t.r->l.tables) + (second ? 2 * CWT_TILE : 0);
	batch.twiddles = batch.roots + CWT_TILE;
	batch.out = t.out;
	return batch;
}

static size_t
most_responses(const cwt_run *r)
{
	return r->l.tile_response_bytes / (CWT_TILE * element(r));
}

/* Frequencies by tiles; those of classes aside. */
struct tile_count {
	size_t all, aside;
};

static tile_count
count_tiles(const cwt_run *r, const std::vector<cwt_members> &all)
{
	tile_count n = { 0, 0 };
	for (const cwt_members &of : all) {
		n.all += r->classes[of.number].way == CWT_TILES ? of.count : 0;
		n.aside += r->classes[of.number].aside ? of.count : 0;
	}
	return n;
}

/* Have the tables of all frequencies room in memory together, and are two launches enough? */
static bool
all_fit(const cwt_run *r, const std::vector<cwt_members> &all)
{
	return count_tiles(r, all).all <= most_responses(r) && all.size() <= CWT_TILE_SEGMENTS;
}

/* Segments of the classes aside, or of the others.  Long tiles come first, so that the last are
 * short. */
static void
make_ratios(const tile_work &t, bool aside, int steps, cudaStream_t stream)
{
	cwt_run *r = t.r;
	const bool fit = all_fit(r, t.all);
	/* Behind the responses of classes aside. */
	const size_t before = fit && !aside ? count_tiles(r, t.all).aside : 0;
	const size_t together = most_responses(r) - before;
	cwt_tile_batch batch = empty_batch(t, fit && aside);
	size_t responses = 0;
	for (int ratio = CWT_TILE_RATIO; ratio > 0; ratio /= 2)
		for (const cwt_members &of : t.all) {
			const cwt_class &k = r->classes[of.number];
			if (k.way != CWT_TILES || k.ratio != ratio || k.aside != aside)
				continue;
			for (size_t from = 0; from < of.count && goes_on(r);) {
				const size_t added = add_segment(r, &batch, t.places[of.number],
				                                 t.places[k.shares], of, from,
				                                 together - responses, before);
				from += added;
				responses += added;
				if (!added) {
					make_batch(r, &batch, steps, stream);
					batch = empty_batch(t, fit && aside);
					responses = 0;
				}
			}
		}
	make_batch(r, &batch, steps, stream);
}

/* Where each class has its signal, spectra and taper. */
static std::vector<tile_place>
places_of(const cwt_run *r)
{
	std::vector<tile_place> places;
	size_t used = 0, tables = CWT_TILE_HEAD;
	for (size_t i = 0; i < r->classes.size(); ++i) {
		const cwt_class &k = r->classes[i];
		const cwt_tile_bytes bytes = cwt_bytes_of_tiles(*r->job, k, k.shares == i);
		const size_t signal = k.aside ? 0 : bytes.signal * r->l.tile_channels;
		places.push_back({ used, used + signal, tables });
		used += signal + bytes.spectra * r->l.tile_channels;
		tables += bytes.taper;
	}
	return places;
}

static tile_work
work_of(cwt_run *r, const std::vector<cwt_members> &all, size_t channels, const cwt_out &out)
{
	const size_t n = channels < r->l.tile_channels ? channels : r->l.tile_channels;
	return { r, all, places_of(r), n, out };
}

void
cwt_make_tables(cwt_run *r, const std::vector<cwt_members> &all, cudaStream_t stream)
{
	if (!count_tiles(r, all).all || !all_fit(r, all))
		return;
	const tile_work t = work_of(r, all, 1, {});
	make_ratios(t, true, TILE_TABLES, stream);
	make_ratios(t, false, TILE_TABLES, stream);
}

void
cwt_begin_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels,
                const cwt_out &out)
{
	const tile_count count = count_tiles(r, all);
	if (!count.all)
		return;
	const tile_work t = work_of(r, all, channels, out);
	const bool fit = all_fit(r, all);
	if (count.aside && cwt_go(r, CWT_ASIDE)) {
		make_signals(t, true);
		if (fit)
			make_ratios(t, true, TILE_SPECTRA | TILE_OUTPUTS, cwt_stream(r, CWT_ASIDE));
		cwt_note(r, CWT_ASIDE);
	}
	make_signals(t, false);
	if (fit)
		make_ratios(t, false, TILE_SPECTRA, r->w.stream);
}

void
cwt_end_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels, cwt_out out)
{
	const size_t most = r->l.tile_channels;
	if (!count_tiles(r, all).all)
		return;
	const int steps = all_fit(r, all) ? TILE_OUTPUTS : TILE_ALL;
	for (size_t c = 0; c < channels && goes_on(r); c += most) {
		const tile_work t = work_of(r, all, channels - c, out);
		if (c > 0)
			cwt_begin_tiles(r, all, t.channels, out);
		make_ratios(t, false, steps, r->w.stream);
		cwt_join(r, CWT_ASIDE);
		if (steps == TILE_ALL)
			make_ratios(t, true, steps, r->w.stream);
		out.base += t.channels * out.channel_stride;
		out.heads += t.channels;
	}
}
