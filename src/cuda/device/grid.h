/* grid.h - how many rows of data a launch takes along one axis of its grid. */
#ifndef WSI_CUDA_GRID_H
#define WSI_CUDA_GRID_H

#include <stddef.h>

/* The device allows 65535 blocks; half of that is a power of two. */
constexpr size_t GRID_ROWS = 32768;

/* Blocks for so many rows; where these are more, each block takes every GRID_ROWS-th one. */
static inline unsigned
grid_rows(size_t rows)
{
	return (unsigned)(rows < GRID_ROWS ? rows : GRID_ROWS);
}

#endif
