/* time_units.h - units of time by name, and times written in them. */
#ifndef WSI_IO_TIME_UNITS_H
#define WSI_IO_TIME_UNITS_H

/* Short names, "us", "ms", "s", "min", "h", "d" and "y": the unit in s, 0 where there is none of
 * this name; and the name of a unit, "s" where it has none. */
double wsi_time_unit(const char *name);
const char *wsi_time_unit_name(double seconds);

/* Writes t, in s, as a number of such units, without an exponent, into text, which is
 * returned: in the fewest digits that name it within a millionth of a sample, or within
 * the rounding of t and an origin, whichever is more. */
#define WSI_TIME_TEXT 40
const char *wsi_format_time(double t, double unit, double fs, char text[WSI_TIME_TEXT]);

/* Seconds in a unit "ms", "hours", "samples" (0); -1: none. */
double text_unit_seconds(const char *unit);

#endif
