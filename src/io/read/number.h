/* number.h - decimal numbers in texts of files. */
#ifndef WSI_IO_NUMBER_H
#define WSI_IO_NUMBER_H

/* strtod() of decimal numbers alone: "0x10", "inf" and "nan" are none.  The number that text
 * begins with, *end behind it; without one NaN, and *end is text. */
double wsi_decimal(const char *text, char **end);

#endif
