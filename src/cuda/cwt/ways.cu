/*
 * ways.cu - the table of ways.
 *
 * tiles          the bands of many frequencies by one inverse transform, then each tile of it
 *                forward, both in double; times a frequency's response, back, and between its
 *                points by a window, on the chip
 * interpolated   the band alone, by a small inverse transform on a grid of two points for each of
 *                its bins, then between its points by a Kaiser-Bessel window
 * inverse        the band folded onto N / D bins, by an inverse transform: every D-th sample
 * any length     an inverse transform of N points in double, whatever N and D are
 * taps           the same with a response that comes from the wavelet in time: references only
 *
 * Grids in single precision are made by two passes of our own (fold.cu) where their length has two
 * factors, else by cuFFT.
 *
 * Costs are ps an output, measured on one H200 (bench/cwt/gpu.cu).
 */
#include "cuda/cwt/ways.h"

#include <math.h>

#include <algorithm>

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/layout.h"

/* Candidates of one frequency; cost is INFINITY where there is none. */
struct candidate {
	double cost;
	int ratio, taps;
	double over;
};

struct way {
	const char *name;
	/* ratios: those that tiles may have, a bit each. */
	candidate (*best)(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale,
	                  unsigned ratios);
};

constexpr double PI = 3.14159265358979323846;

static const candidate NONE = { INFINITY, 1, 0, 1.0 };
constexpr int MOST_RATIO = 128;

static bool
is_f64(const wsi_cwt_job &job)
{
	return job.type == WS_F64;
}

/* Deviations that a class of tiles has: up to this one, or above it; and the least. */
constexpr double SHORT_DEVIATION = 7.25, LEAST_DEVIATION = 5.5;

static bool
folds(const wsi_cwt_job &job, size_t m, cwt_split *split)
{
	return !is_f64(job) && job.length <= CWT_FOLD_MOST && cwt_fold_of(m, split);
}

/* ps a point of a grid of m points: product, inverse transform, and reading what it left. */
static double
transform_cost(const wsi_cwt_job &job, size_t m, size_t bins)
{
	cwt_split split;
	if (folds(job, m, &split))
		return 8.0 + 1.5 * (double)bins / (double)m;
	return is_f64(job) ? 26.0 : 13.0;
}

/* The deviation of a Morlet wavelet in time, in points of a grid. */
static double
deviation(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale, int ratio)
{
	const double d = scale.response.step * (double)job.length / (2.0 * PI) /
	                 (double)job.decimate / ratio;
	/* What a tile's end leaves must lie near the bins that it comes from: at every sample the
	 * responses end in the middle of the other half of the spectrum. */
	return ratio == 1 && d < LEAST_DEVIATION ? LEAST_DEVIATION : d;
}

double
cwt_tile_middle(ws_type type)
{
	return type == WS_F64 ? 11.5 : 8.0;
}

static size_t
guard_of(const wsi_cwt_job &job, double deviation, int taps)
{
	const double fall = is_f64(job) ? 5.5 : 2.9; /* half of it, deviations */
	const size_t far = (size_t)ceil((cwt_tile_middle(job.type) + fall) * deviation);
	/* What a tile keeps begins and ends with a line of memory. */
	const size_t grain = taps ? 4 : 16;
	return (far + (size_t)taps / 2 + grain) / grain * grain;
}

/* ps a point of what the frequencies of a class of tiles share: their signal, and what is made of
 * it. */
constexpr double SIGNAL = 30.0, SEGMENT = 8.0, SHARED = SIGNAL + SEGMENT;

/* Outputs of a frequency, of all channels, that are sooner folded than waited for at each of the
 * steps that tiles take. */
constexpr size_t FEW = (size_t)1 << 18;

/* At every sample a tile has bins of -1/4 to 3/4 of the rate.  Where the response is cut there it
 * rings, and brings what the taper's ends have left, 2e-8 (f32 7e-4) of the signal, into what is
 * kept. */
static bool
ends_in_tile(const wsi_cwt_job &job, const wsi_cwt_response &f)
{
	const double quarter = 0.25 * f.step * (double)job.length;
	const double below = quarter + f.wavelet.a, above = 3.0 * quarter - f.wavelet.a;
	const double near = below < above ? below : above;
	return near > 0.0 && exp(-0.5 * near * near) < (is_f64(job) ? 1e-7 : 2e-3);
}

/* Without what frequencies share. */
static candidate
tiles(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale, unsigned ratios)
{
	const wsi_cwt_response &f = scale.response;
	candidate best = NONE;
	/* Other wavelets do not end in time, or hear no slow waves at all. */
	if (scale.tap_count || scale.table_bins || f.wavelet.kind > WS_WAVELET_MORLET_FULL ||
	    job.quantity == WS_QUANTITY_SIGNAL ||
	    f.halve_nyquist || job.length % job.decimate ||
	    f.k1 > (int64_t)(job.length / 2 + 1 + cwt_above(job)) ||
	    f.k0 < -(int64_t)job.length / 32)
		return best;
	const size_t outputs = job.length / job.decimate, bins = (size_t)(f.k1 - f.k0) + 2;
	cwt_split split;
	if (job.decimate > 1 && job.outputs * job.channels < FEW && folds(job, outputs, &split))
		return best;
	for (int ratio = 1; ratio <= CWT_TILE_RATIO; ratio *= 2) {
		const size_t m = outputs / (size_t)ratio;
		const int taps = ratio == 1 ? 0 : WSI_CWT_FEW_TAPS(is_f64(job) ? 64 : 32);
		const size_t guard = guard_of(job, deviation(job, scale, ratio), taps);
		if (!(ratios & (unsigned)ratio) || outputs % (size_t)ratio || m < CWT_TILE ||
		    guard > CWT_TILE / 4 ||
		    (ratio == 1 ? job.decimate > 1 || !ends_in_tile(job, f) : m < 2 * bins))
			continue;
		/* Whole tiles are worked on. */
		const size_t useful = CWT_TILE - 2 * guard;
		const size_t points = job.outputs / (size_t)ratio + 1;
		const double work = (double)((points + useful - 1) / useful * CWT_TILE) /
		                    (double)points / ratio;
		const double between = ratio == 1 ? 0.0 : ratio == 2 ? 0.4 : 0.2;
		const double each = is_f64(job) ? 4.2 + 3.0 * work + 5.0 * between
			: 1.9 + 0.4 * work + between;
		if (each < best.cost)
			best = { each, ratio, taps, 2.0 };
	}
	return best;
}

static candidate
interpolated(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale, unsigned)
{
	candidate best = NONE;
	const size_t bins = (size_t)(scale.response.k1 - scale.response.k0) + 2;
	if (scale.tap_count || job.length % job.decimate || job.quantity == WS_QUANTITY_SIGNAL)
		return best;
	const size_t outputs = job.length / job.decimate;
	const int taps = WSI_CWT_FEW_TAPS(is_f64(job) ? 64 : 32);
	for (int ratio = 2; ratio <= MOST_RATIO; ratio *= 2) {
		const size_t m = outputs / (size_t)ratio;
		if (outputs % (size_t)ratio || m < 2 * bins)
			continue;
		const double cost = (is_f64(job) ? 4.4 : 2.2) +
		                    transform_cost(job, m, bins) / ratio;
		if (cost < best.cost)
			best = { cost, ratio, taps, 2.0 };
	}
	return best;
}

static candidate
inverse(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale, unsigned)
{
	if (scale.tap_count || job.length % job.decimate || job.quantity == WS_QUANTITY_SIGNAL)
		return NONE;
	const size_t bins = (size_t)(scale.response.k1 - scale.response.k0);
	return { 2.0 + transform_cost(job, job.length / job.decimate, bins), 1, 0, 1.0 };
}

static candidate
any(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale, unsigned)
{
	return scale.tap_count ? NONE : candidate{ 60.0 * (double)job.decimate, 1, 0, 1.0 };
}

static candidate
taps(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale, unsigned)
{
	return scale.tap_count ? candidate{ 90.0 * (double)job.decimate, 1, 0, 1.0 } : NONE;
}

static const way ways[CWT_WAYS] = {
	{ "tiles", tiles },
	{ "interpolated", interpolated },
	{ "inverse", inverse },
	{ "any length", any },
	{ "taps", taps },
};

const char *
cwt_way_name(cwt_way way)
{
	return ways[way].name;
}

/* ---- Classes ------------------------------------------------------------------------------ */

/* The best of the ways from `first` on. */
static candidate
best_way(const wsi_cwt_job &job, const wsi_cwt_job_scale &scale, int first, unsigned ratios,
         cwt_way *way)
{
	candidate best = NONE;
	*way = CWT_ANY;
	for (int w = first; w < CWT_WAYS; ++w) {
		const candidate c = ways[w].best(job, scale, ratios);
		if (c.cost < best.cost) {
			best = c;
			*way = (cwt_way)w;
		}
	}
	return best;
}

/* Can a class of tiles have this frequency, too: does its signal hold these bins, and are wavelets
 * as long? */
static bool
holds(const cwt_class &k, const wsi_cwt_response &f, double deviation)
{
	if (k.ratio == 1 && k.deviation > SHORT_DEVIATION != deviation > SHORT_DEVIATION)
		return false;
	const int64_t end = k.first + (int64_t)k.band;
	const int64_t low = f.k0 < k.first ? f.k0 : k.first, high = f.k1 > end ? f.k1 : end;
	return k.ratio == 1 || (high - low) * 16 <= (int64_t)k.m * 15;
}

static cwt_class &
class_of(std::vector<cwt_class> &classes, const wsi_cwt_job &job, cwt_way way,
         const candidate &c, const wsi_cwt_job_scale &scale)
{
	const wsi_cwt_response &f = scale.response;
	const double wide = way == CWT_TILES ? deviation(job, scale, c.ratio) : 0.0;
	for (cwt_class &k : classes)
		if (k.way == way && k.ratio == c.ratio && k.taps == c.taps &&
		    (way != CWT_TILES || holds(k, f, wide)))
			return k;
	const bool whole = way == CWT_ANY || way == CWT_TAPS, in_double = whole || way == CWT_TILES;
	const size_t m = whole ? job.length : job.length / job.decimate / (size_t)c.ratio;
	classes.push_back({ way, c.ratio, c.taps, c.over, m, in_double ? WS_F64 : job.type, 0, f.k0,
	                    0, wide, 0, false, false, {}, 0, false, true, {}, {} });
	cwt_class &k = classes.back();
	k.folds = !in_double && folds(job, m, &k.fold);
	k.table = !k.folds;
	return classes.back();
}

static void
join(std::vector<cwt_class> &classes, const wsi_cwt_job &job, uint32_t f, cwt_way way,
     const candidate &c)
{
	const wsi_cwt_job_scale &scale = job.scales[f];
	const int64_t k0 = scale.response.k0, k1 = scale.response.k1;
	cwt_class &k = class_of(classes, job, way, c, scale);
	k.members.push_back(f);
	k.table = k.table || scale.table_bins ||
		scale.response.wavelet.kind > WS_WAVELET_MORLET_FULL;
	if (way == CWT_TILES) {
		const int64_t end = k.first + (int64_t)k.band, high = k1 > end ? k1 : end;
		k.first = k0 < k.first ? k0 : k.first;
		k.band = (size_t)(high - k.first);
		k.deviation = fmax(k.deviation, deviation(job, scale, k.ratio));
		k.guard = guard_of(job, k.deviation, k.taps);
	} else {
		/* A filter may have no bins at all. */
		k.band = std::max({ k.band, (size_t)(k1 - k0), (size_t)1 });
	}
}

/* Is what the class's frequencies share worth it? */
static bool
pays(const wsi_cwt_job &job, const cwt_class &k, unsigned ratios)
{
	double saved = -SHARED / k.ratio;
	for (uint32_t f : k.members) {
		cwt_way way;
		saved += best_way(job, job.scales[f], CWT_TILES + 1, ratios, &way).cost -
		         tiles(job, job.scales[f], ratios).cost;
	}
	return saved > 0.0;
}

/* Has the signal of class j room for class i, too?  It has more points for each output. */
static bool
can_share(const std::vector<cwt_class> &classes, size_t j, size_t i)
{
	const cwt_class &a = classes[j], &b = classes[i];
	if (a.way != CWT_TILES || a.shares != j || b.ratio < a.ratio ||
	    b.ratio > a.ratio * CWT_TILE_SUBS || (a.ratio == 1 && b.ratio > 2))
		return false;
	const int64_t low = a.first < b.first ? a.first : b.first;
	const int64_t a_end = a.first + (int64_t)a.band, b_end = b.first + (int64_t)b.band;
	return a.ratio == 1 || ((a_end > b_end ? a_end : b_end) - low) * 16 <= (int64_t)a.m * 15;
}

/* Classes share signals, those of more points first. */
static void
share_signals(std::vector<cwt_class> &classes)
{
	std::stable_sort(classes.begin(), classes.end(),
	                 [](const cwt_class &a, const cwt_class &b) { return a.ratio < b.ratio; });
	for (size_t i = 0; i < classes.size(); ++i) {
		cwt_class &k = classes[i];
		k.shares = i;
		for (size_t j = 0; j < i && k.way == CWT_TILES && k.shares == i; ++j)
			if (can_share(classes, j, i))
				k.shares = j;
		cwt_class &first = classes[k.shares];
		const int64_t a = first.first + (int64_t)first.band, b = k.first + (int64_t)k.band;
		first.first = first.first < k.first ? first.first : k.first;
		first.band = (size_t)((a > b ? a : b) - first.first);
	}
	size_t aside = classes.size();
	for (size_t i = 0; i < classes.size(); ++i) {
		cwt_class &k = classes[i];
		if (k.way != CWT_TILES)
			continue;
		/* The longest signal: the first. */
		aside = aside < i ? aside : i;
		k.aside = k.shares == aside;
		const cwt_class &first = classes[k.shares];
		k.by_passes = k.shares == i &&
		              cwt_split_of(k.m, sizeof(double[2]), &k.passes);
		/* Bins of a tile; the middle of what the class needs lies in the middle. */
		const double middle = (double)k.first + 0.5 * (double)k.band;
		const double window = middle * (double)CWT_TILE / (double)k.m - 0.5 * CWT_TILE;
		k.window = first.m == k.m ? 0 : (int)floor(window);
	}
}

/* Grids whose bands are wide take longer: the hardware hands out the others as these end. */
static void
widest_first(const wsi_cwt_job &job, std::vector<cwt_class> &classes)
{
	const auto band = [&job](uint32_t f) {
		return job.scales[f].response.k1 - job.scales[f].response.k0;
	};
	for (cwt_class &k : classes)
		if (k.folds)
			std::stable_sort(k.members.begin(), k.members.end(),
			                 [&band](uint32_t a, uint32_t b) {
			                         return band(a) > band(b);
			                 });
}

/* Tiles of these ratios, and the other ways for the other frequencies.  cost: ps a sample. */
static std::vector<cwt_class>
choose_with(const wsi_cwt_job &job, unsigned ratios, double *cost)
{
	std::vector<cwt_class> by_tiles, classes;
	std::vector<bool> done(job.count, false);
	*cost = 0.0;
	for (size_t f = 0; f < job.count && ratios; ++f) {
		cwt_way way;
		const candidate c = best_way(job, job.scales[f], 0, ratios, &way);
		if (way == CWT_TILES)
			join(by_tiles, job, (uint32_t)f, way, c);
	}
	for (const cwt_class &k : by_tiles) {
		if (!pays(job, k, ratios))
			continue;
		for (uint32_t f : k.members) {
			done[f] = true;
			*cost += tiles(job, job.scales[f], ratios).cost;
		}
		classes.push_back(k);
	}
	for (size_t f = 0; f < job.count; ++f) {
		cwt_way way;
		if (done[f])
			continue;
		const candidate c = best_way(job, job.scales[f], CWT_TILES + 1, ratios, &way);
		join(classes, job, (uint32_t)f, way, c);
		*cost += c.cost;
	}
	share_signals(classes);
	widest_first(job, classes);
	for (size_t i = 0; i < classes.size(); ++i)
		if (classes[i].way == CWT_TILES)
			*cost += (classes[i].shares == i ? SIGNAL : 0.0) / classes[i].ratio +
			         SEGMENT / classes[i].ratio;
	return classes;
}

std::vector<cwt_class>
cwt_choose(const wsi_cwt_job &job, bool slow_double)
{
	constexpr unsigned all = 2 * CWT_TILE_RATIO - 1;
	double least = INFINITY;
	std::vector<cwt_class> best;
	/* Signals at every sample, or every other one, cost most. */
	for (unsigned without = 0; without < 4; ++without) {
		double cost;
		std::vector<cwt_class> with =
			choose_with(job, slow_double ? 0 : all & ~without, &cost);
		if (cost < least) {
			least = cost;
			best.swap(with);
		}
	}
	return best;
}
