/* axis_dates.c - the time axis of long recordings that tell when they began. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/calendar.h"
#include "plot/axis.h"

/* Days from 1970-01-01 to a day of the Gregorian calendar; months beyond 12 are of later years. */
static int64_t
days_from(int64_t year, int64_t month, int64_t day)
{
	year += (month - 1) / 12;
	month = (month - 1) % 12 + 1;
	/* Years that begin in March have the day of February that may be there at their end. */
	const int64_t y = month > 2 ? year : year - 1, m = (month + 9) % 12;
	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719469;
}

typedef struct step {
	int days, months;  /* one of them */
} step;

static const step steps[] = {
	{ 1, 0 }, { 2, 0 }, { 5, 0 }, { 10, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 6 }, { 0, 12 },
	{ 0, 24 }, { 0, 60 }, { 0, 120 }, { 0, 240 }, { 0, 600 }, { 0, 1200 },
};

/* Ticks of a step, of days within each month so that they fall on its first; from the month of the
 * first sample on.  False where they are more than `most`. */
static bool
tick(wsi_axis *axis, step s, int64_t year, int64_t month, double start, size_t most)
{
	const int64_t first = s.months ? (12 * year + month - 1) / s.months * s.months
	                               : 12 * year + month - 1;
	axis->n = 0;
	for (int64_t m = first;; m += s.months ? s.months : 1) {
		const int64_t begin = days_from(m / 12, m % 12 + 1, 1);
		/* The last of a month would be next to the first of the other. */
		const int64_t end = s.months ? begin + 1
		                    : days_from(m / 12, m % 12 + 2, 1) - s.days / 2;
		for (int64_t d = begin; d < end; d += s.days ? s.days : 1) {
			const double at = (double)d * WSI_DAY - start;
			if (at > axis->hi + 1e-9 * (axis->hi - axis->lo))
				return axis->n > 0;
			if (at < axis->lo)
				continue;
			if (axis->n == most)
				return false;
			char *label = axis->label[axis->n];
			const int y = (int)(m / 12), mo = (int)(m % 12 + 1);
			if (s.months % 12 == 0 && s.months)
				snprintf(label, sizeof *axis->label, "%d", y);
			else if (s.months)
				snprintf(label, sizeof *axis->label, "%d-%02d", y, mo);
			else
				snprintf(label, sizeof *axis->label, "%d-%02d-%02d", y, mo,
				         (int)(d - begin + 1));
			axis->tick[axis->n++] = at;
		}
	}
}

bool
wsi_axis_dates(wsi_axis *axis, const char *start_time, double first, double last, size_t most)
{
	int year, month, day, hour = 0, minute = 0;
	double second = 0;
	if (!start_time || last - first < 2 * WSI_DAY || last - first > 1e6 * WSI_DAY
	    || sscanf(start_time, "%d-%d-%dT%d:%d:%lf", &year, &month, &day, &hour, &minute,
	              &second) < 3)
		return false;
	const double start = (double)days_from(year, month, day) * WSI_DAY + 3600.0 * hour
	                     + 60.0 * minute + second;
	/* Somewhat before the first sample, whichever month that is in. */
	const double months = 12.0 * year + month - 2 + floor(first / (31 * WSI_DAY));
	if (!(months > 12) || !(months < 12e4))
		return false;
	*axis = (wsi_axis){ .lo = first, .hi = last };
	most = most < WSI_AXIS_TICKS ? most : WSI_AXIS_TICKS;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
		if (tick(axis, steps[i], (int64_t)months / 12, (int64_t)months % 12 + 1, start,
		         most))
			return true;
	return false;
}
