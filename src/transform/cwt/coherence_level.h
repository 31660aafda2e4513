/*
 * coherence_level.h - what coherence and phase locking of channels that have nothing to do with
 * each other seldom exceed: over independent epochs by formulae, or by epochs in another order;
 * over time by signals of noise; and the clusters of what does.
 */
#ifndef WSI_TRANSFORM_COHERENCE_LEVEL_H
#define WSI_TRANSFORM_COHERENCE_LEVEL_H

#include "transform/cwt/cwt.h"
#include "transform/surrogate.h"

/* Coherence over so many independent epochs of Gaussian signals stays below it with probability
 * `level`: 1 - (1 - level)^(1 / (epochs - 1)) (Halliday et al. 1995). */
double wsi_level_coherence(size_t epochs, double level);
/* The phase-locking value, likewise: Rayleigh's test (in the form of Zar 1999). */
double wsi_level_locking(size_t epochs, double level);

/* What one of 1 / (1 - level) values like the n sorted ones exceeds; 1: n are too few. */
double wsi_level_among(const double *sorted, size_t n, double level);
/* The same with one value more among them, so that it is as often above as each of the others is: a
 * value that is above wsi_level_among() is above this. */
double wsi_level_with(const double *sorted, size_t n, double level, double value);

/* How often values from 0 to 1 came, by cells of 1/4096. */
enum { WSI_LEVEL_CELLS = 4096 };
typedef struct wsi_level_counts {
	uint64_t all;
	uint32_t cell[WSI_LEVEL_CELLS];
} wsi_level_counts;

void wsi_level_count(wsi_level_counts *c, double value);
/* What a share `level` of them stays below, on a line within its cell; NaN of none. */
double wsi_level_of(const wsi_level_counts *c, double level);

/* ---- Clusters ----------------------------------------------------------------------------- */

/* Maps [rows][columns] of what a value exceeds its level by, in 255 steps, of the signals
 * themselves and of signals of noise. */
typedef struct wsi_clusters {
	size_t rows, columns, signals;
	uint64_t *largest;      /* [signals]: the largest cluster's mass (Maris & Oostenveld
	                           2007) */
	size_t *cells;          /* [rows][columns], where clusters are gathered */
} wsi_clusters;

uint8_t wsi_cluster_cell(double value, double level);
/* Of a map, which is cleared. */
uint64_t wsi_cluster_largest(const wsi_clusters *c, uint8_t *map);
/* Of the signals' own map, which is cleared: to p [rows][columns] the share of the signals of
 * noise, with these themselves, whose largest cluster is as large; 1 where there is no cluster. */
void wsi_clusters_p(const wsi_clusters *c, uint8_t *map, double *p);

#endif
