/*
 * axis_words.h - frequencies in words, in the unit that reads best: beside axes and in titles.
 */
#ifndef WSI_PLOT_AXIS_WORDS_H
#define WSI_PLOT_AXIS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Position of the leading digit: 0 for 1..9.99, -1 for 0.1.  x > 0. */
int wsi_axis_decade(double x);

/* Decimals with which a number above 0 has three digits. */
int wsi_axis_decimals(double x);

/* What frequencies of a recording are told in: Hz, of slow ones /day or /year,
 * and /sample where no rate is known. */
typedef struct wsi_frequency_unit {
	double seconds;             /* f cycles a second are f * seconds of the unit */
	const char *name;
} wsi_frequency_unit;

wsi_frequency_unit wsi_axis_frequency_unit(double fs, bool fs_known, size_t samples);

/* "12.3 Hz", "31.7 mHz", "0.0213 /sample"; "" where f is not a positive number. */
void wsi_axis_frequency(char *out, size_t size, double f, wsi_frequency_unit unit);

/* "frequency (Hz)", "frequency (1/year)": what is told in that unit. */
void wsi_axis_title(char *out, size_t size, const char *what, wsi_frequency_unit unit);

/* The same of "frequency", or "period (s)", "period (years)". */
void wsi_axis_frequency_title(char *out, size_t size, bool periods, wsi_frequency_unit unit);

/* text with its first "LO to HI Hz", or "freqs LO:HI" or "bands LO:HI,..", in that unit: "0.0156 to
 * 0.5 /year".  The same text where it has none. */
void wsi_axis_range_in(char *out, size_t size, const char *text, wsi_frequency_unit unit);

#endif
