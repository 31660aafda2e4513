/* tukey.h - what a box plot shows of some numbers (Tukey 1977). */
#ifndef WSI_PLOT_TUKEY_H
#define WSI_PLOT_TUKEY_H

#include <stddef.h>

typedef struct wsi_tukey {
	size_t n;
	double least, most, mean;
	double quartile[3];   /* the middle one is the median; between two numbers linear,
	                         as NumPy and R do */
	double low, high;     /* ends of the whiskers: the last numbers within 1.5 times the
	                         distance of the quartiles from the box */
} wsi_tukey;

/* Sorts values[n], rising; none may be NaN.  All NaN where n is 0. */
wsi_tukey wsi_tukey_of(double *values, size_t n);

#endif
