/*
 * ways.cu - the table of ways.
 *
 * interpolated   the band alone, by a small inverse transform on a grid of 1.25 or 2 points for
 *                each of its bins, then between its points by a Kaiser-Bessel window
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

static const candidate NONE = { INFINITY, 1, 0, 1.0 };
constexpr int MOST_RATIO = 32;

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

static candidate
interpolated(const wsi_cwt_device_job &job, const wsi_cwt_job_scale &scale)
{
	candidate best = NONE;
	const size_t bins = (size_t)(scale.filter.k1 - scale.filter.k0) + 2;
	if (scale.taps || job.length % job.decimate)
		return best;
	const size_t outputs = job.length / job.decimate;
	const int bits = is_f64(job) ? 64 : 32;
	for (int few = 0; few < 2; ++few)
		for (int ratio = 2; ratio <= MOST_RATIO; ratio *= 2) {
			const size_t m = outputs / (size_t)ratio;
			if (outputs % (size_t)ratio || m < (few ? 2 * bins : bins + bins / 4 + 1))
				continue;
			const int taps = few ? WSI_CWT_FEW_TAPS(bits) : WSI_CWT_MANY_TAPS(bits);
			const double each = is_f64(job) ? 2.4 + 0.12 * taps : 1.8 + 0.05 * taps;
			const double cost = each + transform_cost(job) / ratio;
			if (cost < best.cost)
				best = { cost, ratio, taps, few ? 2.0 : 1.25 };
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

/* The class that a frequency joins. */
static cwt_class &
class_of(std::vector<cwt_class> &classes, const wsi_cwt_device_job &job, cwt_way way,
         const candidate &c)
{
	for (cwt_class &k : classes)
		if (k.way == way && k.ratio == c.ratio && k.taps == c.taps)
			return k;
	const bool wide = way == CWT_ANY || way == CWT_TAPS;
	const size_t m = wide ? job.length : job.length / job.decimate / (size_t)c.ratio;
	classes.push_back({ way, c.ratio, c.taps, c.over, m, wide ? WS_F64 : job.type, 0, {} });
	return classes.back();
}

std::vector<cwt_class>
cwt_choose(const wsi_cwt_device_job &job)
{
	std::vector<cwt_class> classes;
	for (size_t f = 0; f < job.count; ++f) {
		const wsi_cwt_job_scale &scale = job.scales[f];
		candidate best = NONE;
		int chosen = CWT_ANY;
		for (int w = 0; w < CWT_WAYS; ++w) {
			const candidate c = ways[w].best(job, scale);
			if (c.cost < best.cost) {
				best = c;
				chosen = w;
			}
		}
		cwt_class &k = class_of(classes, job, (cwt_way)chosen, best);
		const size_t band = (size_t)(scale.filter.k1 - scale.filter.k0);
		k.band = band > k.band ? band : k.band;
		k.members.push_back((uint32_t)f);
	}
	return classes;
}
