/*
 * tile_rows.cu - coefficients by tiles: all classes of a block together, some channels at a time.
 */
#include <math.h>

#include "cuda/cwt/run.h"
#include "math/kaiser.h"

/* Of one class: its place in z, bytes. */
struct tile_place {
	size_t signal, spectra, taper;
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
	const double peak = from.filter.wavelet.a / from.filter.step;
	const double middle = k.ratio == 1 ? peak : (double)from.centre;
	const double wide = reach(r->job->type) / from.filter.step * bins;
	s->tile_first = (int)k.base;
	s->tile_bin = (int)rint((middle - (double)k.base) * bins);
	const double zero = k.ratio == 1 ? 0.0 : (double)s->tile_bin; /* bin 0 after the move */
	const double at_peak = (peak - (double)k.base) * bins - zero;
	const int tile = (int)CWT_TILE, first = k.ratio == 1 ? -tile / 4 : -tile / 2;
	for (int i = 0; i < tile / 32; ++i) {
		const int x = 32 * i < first + tile ? 32 * i : 32 * i - tile;
		if (x <= at_peak + wide && x + 31 >= at_peak - wide)
			s->tile_chunks |= 1u << i;
	}
	/* Of one output, in turns; exact to 2^-53 of a turn. */
	const double wave = (double)CWT_TILE * k.ratio;
	const unsigned bin = (unsigned)s->tile_bin & (CWT_TILE * (unsigned)k.ratio - 1);
	const __uint128_t turn = ((__uint128_t)s->turn << 64) / r->job->length;
	s->tile_step = (unsigned long long)turn + (unsigned long long)((double)bin / wave * 0x1p64);
}

/* Puts the signal of a class into a stream: bands by an inverse transform of whole length.  Channels
 * that the plan has beyond these are zeros. */
static void
make_signal(cwt_run *r, const cwt_class &k, size_t channels, const cwt_out &out, double *z,
            cudaStream_t stream)
{
	well(&r->w, cwt_tile_band(cwt_spectra_of(r, out), r->job->type, (unsigned)channels,
	                          (int)k.base, (int)k.first, (int)k.band, z, (unsigned)k.m,
	                          stream), "taking bands");
	const size_t rest = r->l.tile_channels - channels, bytes = k.m * sizeof(two<double>);
	if (rest && goes_on(r))
		well(&r->w, cudaMemsetAsync((char *)z + channels * bytes, 0, rest * bytes, stream),
		     "clearing memory");
}

/* The stream beside the work's own, and its events. */
static bool
open_aside(cwt_run *r)
{
	cuda_kit *kit = r->on_device ? &r->aside : &r->w.kit;
	if (r->on_device && !kit->aside)
		*kit = cuda_kit_take(r->w.device);
	cudaError_t error = cudaSuccess;
	if (!kit->aside)
		error = cudaStreamCreateWithFlags(&kit->aside, cudaStreamNonBlocking);
	for (int k = 0; k < 2 && error == cudaSuccess; ++k)
		if (!kit->event[k])
			error = cudaEventCreateWithFlags(&kit->event[k], cudaEventDisableTiming);
	return well(&r->w, error, "opening a stream");
}

/* The class whose signal is that of all classes at every sample; NULL: the block has none. */
static const cwt_class *
at_every_sample(const cwt_run *r, const std::vector<cwt_members> &all)
{
	for (const cwt_members &of : all) {
		const cwt_class &k = r->classes[of.number];
		if (k.way == CWT_TILES && r->classes[k.shares].ratio == 1)
			return &r->classes[k.shares];
	}
	return NULL;
}

void
cwt_begin_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels,
                const cwt_out &out)
{
	const cwt_class *k = at_every_sample(r, all);
	if (!k || !goes_on(r) || !open_aside(r))
		return;
	cuda_kit &kit = r->on_device ? r->aside : r->w.kit;
	const size_t n = channels < r->l.tile_channels ? channels : r->l.tile_channels;
	double *z = (double *)at(r, r->l.signal);
	fft_plan *plan = NULL;
	r->status = fft_take(r->w.device, cwt_back_shape(*k, r->l.tile_channels), &plan, r->why);
	if (r->status != WS_OK)
		return;
	well(&r->w, cudaEventRecord(kit.event[0], r->w.stream), "waiting for spectra");
	well(&r->w, cudaStreamWaitEvent(kit.aside, kit.event[0], 0), "waiting for spectra");
	make_signal(r, *k, n, out, z, kit.aside);
	if (plan->bytes <= r->l.signal_fft_bytes)
		well(&r->w, fft_run(r->w.device, plan, z, z, true, at(r, r->l.signal_fft),
		                    kit.aside), "a Fourier transform");
	else
		well(&r->w, cudaErrorMemoryAllocation, "a Fourier transform");
	fft_give(r->w.device, plan);
	/* Also after a failure. */
	const cudaError_t error = cudaEventRecord(kit.event[1], kit.aside);
	well(&r->w, error, "waiting for a signal");
	r->beside = error == cudaSuccess;
}

/* What follows in the work's stream comes after the signal at every sample. */
static void
join_aside(cwt_run *r)
{
	cuda_kit &kit = r->on_device ? r->aside : r->w.kit;
	if (r->beside)
		well(&r->w, cudaStreamWaitEvent(r->w.stream, kit.event[1], 0),
		     "waiting for a signal");
	r->beside = false;
}

void
cwt_close_aside(cwt_run *r)
{
	join_aside(r); /* the work's memory is given back in its own stream */
	if (r->on_device && r->aside.aside)
		cuda_kit_give(r->w.device, &r->aside);
}

/* Signals of the other classes, of so many channels. */
static void
make_signals(cwt_run *r, const std::vector<cwt_members> &all,
             const std::vector<tile_place> &places, size_t channels, const cwt_out &out)
{
	std::vector<bool> made(r->classes.size(), false);
	for (const cwt_members &of : all) {
		const size_t number = r->classes[of.number].shares;
		const cwt_class &k = r->classes[number];
		if (r->classes[of.number].way != CWT_TILES || k.ratio == 1 || made[number] ||
		    !goes_on(r))
			continue;
		made[number] = true;
		double *z = (double *)(at(r, r->l.z) + places[number].signal);
		make_signal(r, k, channels, out, z, r->w.stream);
		cwt_transform(r, cwt_back_shape(k, r->l.tile_channels), z, z, true);
	}
}

/* Frequencies `from` .. of a class that fit behind a batch; 0: none do. */
static size_t
add_tiling(cwt_run *r, cwt_tilings *job, const tile_place &place, const tile_place &shared,
           const cwt_members &of, size_t from, size_t room)
{
	const cwt_class &k = r->classes[of.number];
	const size_t left = of.count - from, count = left < room ? left : room;
	if (!count || job->count == CWT_TILINGS)
		return 0;
	const unsigned outputs = (unsigned)r->job->outputs, ratio = (unsigned)k.ratio;
	cwt_tiling t = {};
	t.ratio = k.ratio;
	t.taps = k.taps;
	t.m = (unsigned)k.m;
	t.guard = (unsigned)k.guard;
	t.useful = (unsigned)(CWT_TILE - 2 * k.guard);
	t.tiles = ((outputs + ratio - 1) / ratio + t.useful - 1) / t.useful;
	t.by_tiles = 1.0f / (float)t.tiles;
	t.by_all = t.by_tiles / (float)job->channels;
	t.count = (unsigned)count;
	t.deviation = k.deviation;
	t.middle = cwt_tile_middle(r->job->type);
	t.steep = r->job->type == WS_F64 ? 1.0 : 1.1;
	t.sub = (int)(r->classes[k.shares].m / k.m);
	t.window = k.window;
	t.beta = k.taps ? kaiser_beta(k.taps, k.over) : 0.0;
	t.peak = k.taps ? kaiser_i0(t.beta) : 1.0;
	if (job->count) {
		const cwt_tiling &last = job->tiling[job->count - 1];
		t.hats = last.hats + last.count;
	}
	t.forward = job->blocks;
	const unsigned tiles = CWT_TILE_SUBS / (unsigned)t.sub; /* of a block */
	job->blocks += (t.tiles * job->channels + tiles - 1) / tiles;
	t.items = job->items;
	const unsigned together = (t.count + CWT_TILE_TOGETHER - 1) / CWT_TILE_TOGETHER;
	job->items += t.tiles * job->channels * together;
	t.scales = of.scales + from;
	t.z = (const two<double> *)(r->classes[k.shares].ratio > 1 ? at(r, r->l.z) + shared.signal
	                            : at(r, r->l.signal));
	t.spectra = at(r, r->l.z) + place.spectra;
	t.taper = (double *)(at(r, r->l.z) + place.taper);
	t.hat = at(r, r->l.hat) + t.hats * CWT_TILE * element(r);
	t.weights = r->weights[of.number];
	job->tiling[job->count++] = t;
	return count;
}

static void
make_batch(cwt_run *r, const cwt_tilings &job)
{
	const ws_type type = r->job->type;
	if (!job.count || !goes_on(r))
		return;
	well(&r->w, cwt_tile_tables(job, type, r->w.stream), "making responses");
	const int multiprocessors = r->w.device->facts.multiProcessorCount;
	well(&r->w, cwt_tile_spectra(job, type, multiprocessors, r->w.stream), "spectra of tiles");
	well(&r->w, cwt_tiles(job, type, multiprocessors, r->w.stream), "working on tiles");
}

static cwt_tilings
empty_tilings(cwt_run *r, size_t channels, const cwt_out &out)
{
	cwt_tilings job = {};
	job.channels = (unsigned)channels;
	job.n = (unsigned)r->job->length;
	job.by_n = 1.0 / (double)r->job->length;
	job.roots = (two<double> *)at(r, r->l.z);
	job.out = out;
	return job;
}

/* Tilings whose signal is made beside the one at every sample, or of that one.  Long items come
 * first, so that the last are short. */
static void
make_ratios(cwt_run *r, const std::vector<cwt_members> &all, const std::vector<tile_place> &places,
            size_t channels, const cwt_out &out, bool beside)
{
	const size_t together = r->l.hat_bytes / (CWT_TILE * element(r));
	cwt_tilings job = empty_tilings(r, channels, out);
	size_t hats = 0;
	for (int ratio = CWT_TILE_RATIO; ratio > 0; ratio /= 2)
		for (const cwt_members &of : all) {
			const cwt_class &k = r->classes[of.number];
			if (k.way != CWT_TILES || k.ratio != ratio ||
			    (r->classes[k.shares].ratio > 1) != beside)
				continue;
			for (size_t from = 0; from < of.count && goes_on(r);) {
				const size_t added = add_tiling(r, &job, places[of.number],
				                                places[k.shares], of, from,
				                                together - hats);
				from += added;
				hats += added;
				if (!added) {
					make_batch(r, job);
					job = empty_tilings(r, channels, out);
					hats = 0;
				}
			}
		}
	make_batch(r, job);
}

void
cwt_make_tiles(cwt_run *r, const std::vector<cwt_members> &all, size_t channels, cwt_out out)
{
	std::vector<tile_place> places;
	const size_t most = r->l.tile_channels;
	size_t used = CWT_TILE_HEAD;
	for (size_t i = 0; i < r->classes.size(); ++i) {
		const cwt_class &k = r->classes[i];
		const cwt_tile_bytes bytes = cwt_bytes_of_tiles(*r->job, k, k.shares == i);
		const size_t signal = k.ratio > 1 ? bytes.signal * most : 0;
		places.push_back({ used, used + signal, used + signal + bytes.spectra * most });
		used += signal + bytes.spectra * most + bytes.taper;
	}
	for (size_t c = 0; most && c < channels && goes_on(r); c += most) {
		const size_t n = channels - c < most ? channels - c : most;
		if (c > 0)
			cwt_begin_tiles(r, all, n, out);
		make_signals(r, all, places, n, out);
		make_ratios(r, all, places, n, out, true);
		join_aside(r);
		make_ratios(r, all, places, n, out, false);
		out.base += n * out.channel_stride;
		out.heads += n;
	}
}
