/* rising.h - numbers in rising order. */
#ifndef WSI_RISING_H
#define WSI_RISING_H

#include <stddef.h>

/* Of doubles, for qsort(). */
static inline int
wsi_rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of sizes. */
static inline int
wsi_rising_sizes(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

#endif
