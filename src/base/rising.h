/* rising.h - numbers in rising order. */
#ifndef WSI_RISING_H
#define WSI_RISING_H

/* Of doubles, for qsort(). */
static inline int
wsi_rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

#endif
