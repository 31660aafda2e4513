/* coherence_level.c - levels of coherence: formulae over epochs, signals of noise, quantiles;
 * clusters of what is above them. */
#include "transform/cwt/coherence_level.h"

#include <math.h>

#include "base/cluster.h"

/* ---- Formulae ---------------------------------------------------------------------------- */

double
wsi_level_coherence(size_t epochs, double level)
{
	return 1.0 - exponential(wavelet_log(1.0 - level) / (double)(epochs - 1));
}

/* Of n phases of mean length r, P(r) = exp(sqrt(1 + 4n + 4n^2 (1 - r^2)) - (1 + 2n)), solved for
 * r. */
double
wsi_level_locking(size_t epochs, double level)
{
	const double n = (double)epochs, least = -wavelet_log(1.0 - level);
	const double square = least * (2.0 + 4.0 * n - least) / (4.0 * n * n);
	/* So few phases may agree by chance that no agreement is beyond it. */
	return least < 1.0 + 2.0 * n && square < 1.0 ? sqrt(square) : 1.0;
}

/* ---- Quantiles ----------------------------------------------------------------------------- */

double
wsi_level_among(const double *sorted, size_t n, double level)
{
	/* A value more is above this one in 1 - level of cases, whatever they come from. */
	const double place = ceil(level * (double)(n + 1) - 1e-9);
	return place <= (double)n ? sorted[(size_t)fmax(place, 1.0) - 1] : 1.0;
}

double
wsi_level_with(const double *sorted, size_t n, double level, double value)
{
	const double among = wsi_level_among(sorted, n, level);
	const double place = ceil(level * (double)(n + 1) - 1e-9);
	if (value > among || place > (double)n)
		return among;
	return place > 1.0 ? fmax(sorted[(size_t)place - 2], value) : value;
}

void
wsi_level_count(wsi_level_counts *c, double value)
{
	const int cell = (int)(value * WSI_LEVEL_CELLS);
	c->cell[cell < 0 ? 0 : cell < WSI_LEVEL_CELLS ? cell : WSI_LEVEL_CELLS - 1]++;
	c->all++;
}

double
wsi_level_of(const wsi_level_counts *c, double level)
{
	const double want = level * (double)c->all;
	double below = 0.0;
	if (c->all == 0)
		return NAN;
	for (int i = 0; i < WSI_LEVEL_CELLS; ++i) {
		const double here = (double)c->cell[i];
		if (here > 0.0 && below + here >= want)
			return ((double)i + (want - below) / here) / WSI_LEVEL_CELLS;
		below += here;
	}
	return 1.0;
}

/* ---- Clusters ------------------------------------------------------------------------------- */

uint8_t
wsi_cluster_cell(double value, double level)
{
	return value > level ? (uint8_t)(1.0 + 254.0 * fmin((value - level) / (1.0 - level), 1.0))
	                     : 0;
}

uint64_t
wsi_cluster_largest(const wsi_clusters *c, uint8_t *map)
{
	uint64_t largest = 0;
	size_t n;
	for (size_t at = 0; at < c->rows * c->columns; ++at)
		if (map[at]) {
			const uint64_t mass = wsi_cluster_take(map, c->rows, c->columns, at,
			                                       c->cells, &n);
			largest = mass > largest ? mass : largest;
		}
	return largest;
}

void
wsi_clusters_p(const wsi_clusters *c, uint8_t *map, double *p)
{
	const size_t all = c->rows * c->columns;
	for (size_t at = 0; at < all; ++at)
		p[at] = 1.0;
	for (size_t at = 0, n; at < all; ++at) {
		if (!map[at])
			continue;
		const uint64_t mass = wsi_cluster_take(map, c->rows, c->columns, at, c->cells, &n);
		size_t as_large = 1;
		for (size_t i = 0; i < c->signals; ++i)
			as_large += c->largest[i] >= mass;
		for (size_t k = 0; k < n; ++k)
			p[c->cells[k]] = (double)as_large / (double)(c->signals + 1);
	}
}
