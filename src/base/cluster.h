/*
 * cluster.h - clusters of a grid: cells above a level that touch each other in row or column.
 */
#ifndef WSI_BASE_CLUSTER_H
#define WSI_BASE_CLUSTER_H

#include <stddef.h>
#include <stdint.h>

/* Takes the cell `at` of map [rows][columns], in which 0 is no cell, and all that are connected
 * with it, off the map.  Returns the sum of their numbers; *n of them, to cells, which has room
 * for all. */
static inline uint64_t
wsi_cluster_take(uint8_t *map, size_t rows, size_t columns, size_t at, size_t *cells, size_t *n)
{
	uint64_t mass = map[at];
	map[at] = 0;
	cells[0] = at;
	*n = 1;
	for (size_t k = 0; k < *n; ++k) {
		const size_t c = cells[k], column = c % columns;
		const size_t beside[4] = { c - columns, c + columns, c - 1, c + 1 };
		const int there[4] = { c >= columns, c + columns < rows * columns, column > 0,
			column + 1 < columns };
		for (int i = 0; i < 4; ++i)
			if (there[i] && map[beside[i]]) {
				mass += map[beside[i]];
				map[beside[i]] = 0;
				cells[(*n)++] = beside[i];
			}
	}
	return mass;
}

#endif
