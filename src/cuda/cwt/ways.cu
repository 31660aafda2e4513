/*
 * ways.cu - the table of ways.
 *
 * tiles          the bands of many frequencies by one inverse transform, then each tile of it
 *                forward, times a frequency's response, back, and between its points by a window:
 *                all on the chip, in double
 * interpolated   the band alone, by a small inverse transform on a grid of two points for each of
 *                its bins, then between its points by a Kaiser-Bessel window
 * inverse        the band folded onto N / D bins, by an inverse transform: every D-th sample
 * any length     an inverse transform of N points in double, whatever N and D are
 * taps           the same with a response that comes from the wavelet in time: references only
 *
 * Costs are ps an output, measured on one H200 (bench/cwt/gpu.c).
 */
#include "cuda/cwt/ways.h"

#include <math.h>

/* Candidates of one frequency; cost is INFINITY where there is none. */
struct candidate {
	double cost;
	int ratio, taps;
	double over;
};

struct way {
	const char *name;
	candidate (*best)(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale);
};

constexpr double PI = 3.14159265358979323846;

static const candidate NONE = { INFINITY, 1, 0, 1.0 };
constexpr int MOST_RATIO = 128;

static bool
is_f64(const wsi_cwt_device_job &job)
{
	return job.type == WS_F64;
}

/* ps a point: product, inverse transform, and reading what it left. */
static double
transform_cost(const wsi_cwt_device_job &job)
{
	return is_f64(job) ? 26.0 : 13.0;
}

/* Where a Gaussian ends in a tile, in deviations: what lies beyond is less than rounding although
 * slow waves be 10^4 times as strong. */
constexpr double REACH = 7.2;

/* The deviation of a Morlet wavelet in time, in samples. */
static double
deviation(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale)
{
	return scale.filter.step * (double)job.length / (2.0 * PI);
}

static size_t
guard_of(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale, int ratio, int taps)
{
	const double points = deviation(job, scale) / (double)job.decimate / ratio;
	return (size_t)ceil(REACH * points) + (size_t)taps / 2 + 1;
}

/* ps a point of what the frequencies of a class of tiles share. */
constexpr double SHARED = 34.0;

/* Without what frequencies share. */
static candidate
tiles(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale)
{
	const wsi_cwt_filter &f = scale.filter;
	candidate best = NONE;
	/* What is left of strong slow waves in a tile is 1e-15 of them: too much for f64, and for
	 * wavelets that do not hear them at all. */
	if (is_f64(job) || scale.taps || f.wavelet.kind > WS_MORLET_FULL || f.halve_nyquist ||
	    job.length % job.decimate || f.k1 > (int64_t)job.length / 2 + 1 ||
	    f.k0 < -(int64_t)job.length / 2)
		return best;
	const size_t outputs = job.length / job.decimate, bins = (size_t)(f.k1 - f.k0) + 2;
	const int taps = WSI_CWT_FEW_TAPS(32);
	for (int ratio = 1; ratio <= CWT_TILE_RATIO; ratio *= 2) {
		const size_t m = outputs / (size_t)ratio;
		if (outputs % (size_t)ratio || m < CWT_TILE / 2 ||
		    guard_of(job, scale, ratio, taps) > CWT_TILE / 8)
			continue;
		/* At every sample the response must end within the tile's bins. */
		if (ratio == 1 ? job.decimate > 1 || PI * deviation(job, scale) < REACH
		    : m < 2 * bins)
			continue;
		/* Whole tiles are worked on. */
		const size_t useful = CWT_TILE - 2 * guard_of(job, scale, ratio, taps);
		const size_t points = job.outputs / (size_t)ratio + 1;
		const double work = 8.0 * (double)((points + useful - 1) / useful * CWT_TILE) /
		                    (double)points;
		const double each = 2.2 + work / ratio;
		if (each < best.cost)
			best = { each, ratio, ratio == 1 ? 0 : taps, 2.0 };
	}
	return best;
}

static candidate
interpolated(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale)
{
	candidate best = NONE;
	const size_t bins = (size_t)(scale.filter.k1 - scale.filter.k0) + 2;
	if (scale.taps || job.length % job.decimate)
		return best;
	const size_t outputs = job.length / job.decimate;
	const int taps = WSI_CWT_FEW_TAPS(is_f64(job) ? 64 : 32);
	for (int ratio = 2; ratio <= MOST_RATIO; ratio *= 2) {
		const size_t m = outputs / (size_t)ratio;
		if (outputs % (size_t)ratio || m < 2 * bins)
			continue;
		const double cost = (is_f64(job) ? 4.4 : 2.2) + transform_cost(job) / ratio;
		if (cost < best.cost)
			best = { cost, ratio, taps, 2.0 };
	}
	return best;
}

static candidate
inverse(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale)
{
	if (scale.taps || job.length % job.decimate)
		return NONE;
	return { 2.0 + transform_cost(job), 1, 0, 1.0 };
}

static candidate
any(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale)
{
	return scale.taps ? NONE : candidate{ 60.0 * (double)job.decimate, 1, 0, 1.0 };
}

static candidate
taps(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale)
{
	return scale.taps ? candidate{ 90.0 * (double)job.decimate, 1, 0, 1.0 } : NONE;
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
best_way(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale, int first, cwt_way *way)
{
	candidate best = NONE;
	*way = CWT_ANY;
	for (int w = first; w < CWT_WAYS; ++w) {
		const candidate c = ways[w].best(job, scale);
		if (c.cost < best.cost) {
			best = c;
			*way = (cwt_way)w;
		}
	}
	return best;
}

/* Can the signal of a class of tiles hold these bins, too? */
static bool
holds(const cwt_class &k, const wsi_cwt_filter &f)
{
	const int64_t end = k.first + (int64_t)k.band;
	const int64_t low = f.k0 < k.first ? f.k0 : k.first, high = f.k1 > end ? f.k1 : end;
	return k.way != CWT_TILES || k.ratio == 1 || (high - low) * 16 <= (int64_t)k.m * 15;
}

static cwt_class &
class_of(std::vector<cwt_class> &classes, const wsi_cwt_device_job &job, cwt_way way,
         const candidate &c, const wsi_cwt_filter &f)
{
	for (cwt_class &k : classes)
		if (k.way == way && k.ratio == c.ratio && k.taps == c.taps && holds(k, f))
			return k;
	const bool whole = way == CWT_ANY || way == CWT_TAPS, wide = whole || way == CWT_TILES;
	const size_t m = whole ? job.length : job.length / job.decimate / (size_t)c.ratio;
	classes.push_back({ way, c.ratio, c.taps, c.over, m, wide ? WS_F64 : job.type, 0, f.k0, 0,
	                    0, {} });
	return classes.back();
}

static void
join(std::vector<cwt_class> &classes, const wsi_cwt_device_job &job, uint32_t f, cwt_way way,
     const candidate &c)
{
	const wsi_cwt_job_scale &scale = job.scales[f];
	const int64_t k0 = scale.filter.k0, k1 = scale.filter.k1;
	cwt_class &k = class_of(classes, job, way, c, scale.filter);
	k.members.push_back(f);
	if (way == CWT_TILES) {
		const int64_t end = k.first + (int64_t)k.band, high = k1 > end ? k1 : end;
		k.first = k0 < k.first ? k0 : k.first;
		k.band = (size_t)(high - k.first);
		k.base = k.ratio == 1 ? 0 : k.first;
		const size_t guard = guard_of(job, scale, k.ratio, k.taps);
		k.guard = guard > k.guard ? guard : k.guard;
	} else {
		k.band = (size_t)(k1 - k0) > k.band ? (size_t)(k1 - k0) : k.band;
	}
}

/* Is what the class's frequencies share worth it? */
static bool
pays(const wsi_cwt_device_job &job, const cwt_class &k)
{
	double saved = -SHARED / k.ratio;
	for (uint32_t f : k.members) {
		cwt_way way;
		saved += best_way(job, job.scales[f], CWT_TILES + 1, &way).cost -
		         tiles(job, job.scales[f]).cost;
	}
	return saved > 0.0;
}

std::vector<cwt_class>
cwt_choose(const wsi_cwt_device_job &job, bool slow_double)
{
	std::vector<cwt_class> by_tiles, classes;
	std::vector<bool> done(job.count, false);
	for (size_t f = 0; f < job.count && !slow_double; ++f) {
		cwt_way way;
		const candidate c = best_way(job, job.scales[f], 0, &way);
		if (way == CWT_TILES)
			join(by_tiles, job, (uint32_t)f, way, c);
	}
	for (const cwt_class &k : by_tiles) {
		if (!pays(job, k))
			continue;
		for (uint32_t f : k.members)
			done[f] = true;
		classes.push_back(k);
	}
	for (size_t f = 0; f < job.count; ++f) {
		cwt_way way;
		if (done[f])
			continue;
		const candidate c = best_way(job, job.scales[f], CWT_TILES + 1, &way);
		join(classes, job, (uint32_t)f, way, c);
	}
	return classes;
}
