/* calendar.h - seconds of a day, and of the Gregorian calendar's mean year. */
#ifndef WSI_CALENDAR_H
#define WSI_CALENDAR_H

#define WSI_DAY 86400.0
#define WSI_YEAR (365.2425 * WSI_DAY)

#endif
