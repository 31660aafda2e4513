/* axis.c - nice ticks for amplitudes, frequencies and times. */
#include "plot/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/calendar.h"

#define MINUS "\u2212"

/* ---- Numbers ------------------------------------------------------------ */

static double
largest(const wsi_axis *axis, double offset)
{
	double mag = 0;
	for (size_t i = 0; i < axis->n; ++i)
		mag = fmax(mag, fabs(axis->tick[i] - offset));
	return mag;
}

/* A decimal number with a typographic minus; decimals < 0: seven digits. */
static void
format_number(char *out, size_t size, double value, int decimals, bool sign)
{
	char digits[21];
	const char *lead = value < 0 ? MINUS : sign && value > 0 ? "+" : "";
	if (value == 0)
		strcpy(digits, "0");
	else if (decimals < 0)
		wsi_snprintf(digits, sizeof digits, "%.7g", fabs(value));
	else
		wsi_snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
	snprintf(out, size, "%s%s", lead, digits);
}

/* "×10⁻⁶" after lead "×" */
static void
format_power(char *out, size_t size, const char *lead, int power)
{
	static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴",
	                                     "⁵", "⁶", "⁷", "⁸", "⁹"};
	char digits[16];
	snprintf(digits, sizeof digits, "%d", power < 0 ? -power : power);
	size_t used = (size_t)snprintf(out, size, "%s10%s", lead, power < 0 ? "⁻" : "");
	for (const char *d = digits; *d && used < size; ++d)
		used += (size_t)snprintf(out + used, size - used, "%s", raised[*d - '0']);
}

/* Adds "+101325" to the note: a number whose last significant digit has
 * position last; zeros after the point say nothing. */
static void
note_offset(wsi_axis *axis, double offset, int last)
{
	int digits = last < 0 ? -last : 0;
	double hair = 1e-3 * pow(10, last);
	while (digits > 0 && fabs(remainder(offset, pow(10, 1 - digits))) < hair)
		--digits;
	size_t used = strlen(axis->note);
	used += (size_t)snprintf(axis->note + used, sizeof axis->note - used, "%s%s",
	                         used ? " " : "", offset < 0 ? "" : "+");
	format_number(axis->note + used, sizeof axis->note - used, offset, digits, false);
}

/* Labels of ticks whose last significant digit has position last. */
static void
label_amplitudes(wsi_axis *axis, int last, bool constant)
{
	double offset = 0;
	double mag = largest(axis, 0);
	if (!constant && mag > 0 && wsi_axis_decade(mag) - last >= 5) {
		offset = axis->tick[axis->n / 2];
		mag = largest(axis, offset);
	}
	int power = 0;
	bool many_zeros = mag < 0.01 || (mag < 1 && last < -4);
	if (mag > 0 && (mag >= (constant ? 1e7 : 1e5) || many_zeros))
		power = 3 * (int)floor(wsi_axis_decade(mag) / 3.0);
	int decimals = constant ? -1 : power > last ? power - last : 0;
	for (size_t i = 0; i < axis->n; ++i)
		format_number(axis->label[i], sizeof axis->label[i],
		              (axis->tick[i] - offset) / pow(10, power), decimals, offset != 0);

	axis->note[0] = '\0';
	if (power)
		format_power(axis->note, sizeof axis->note, "×", power);
	if (offset != 0)
		note_offset(axis, offset, last);
}

/* ---- Ticks -------------------------------------------------------------- */

/* Multiples of step in lo..hi, a hair beyond included. */
static double
count_ticks(double lo, double hi, double step)
{
	return floor(hi / step + 1e-9) - ceil(lo / step - 1e-9) + 1;
}

static void
set_ticks(wsi_axis *axis, double lo, double hi, double step)
{
	double first = ceil(lo / step - 1e-9);
	double n = fmin(count_ticks(lo, hi, step), WSI_AXIS_TICKS);
	axis->n = n > 0 ? (size_t)n : 0;
	for (size_t i = 0; i < axis->n; ++i)
		axis->tick[i] = (first + (double)i) * step;
}

static void
one_tick(wsi_axis *axis, double value)
{
	axis->n = 1;
	axis->tick[0] = value;
}

void
wsi_axis_symmetric(wsi_axis *axis, double lo, double hi)
{
	static const double nice[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
	double most = fmax(fabs(lo), fabs(hi));
	if (most < 1e-300) {
		axis->lo = -1;
		axis->hi = 1;
		one_tick(axis, 0);
		label_amplitudes(axis, 0, true);
		return;
	}
	axis->lo = -1.06 * most;
	axis->hi = 1.06 * most;
	int digit = wsi_axis_decade(most);
	double unit = pow(10, digit);
	size_t i = sizeof nice / sizeof nice[0] - 1;
	while (i > 0 && nice[i] * unit > most * (1 + 1e-9))
		--i;
	double t = nice[i] * unit;
	axis->n = 3;
	axis->tick[0] = -t;
	axis->tick[1] = 0;
	axis->tick[2] = t;
	label_amplitudes(axis, nice[i] == 1.5 ? digit - 1 : digit, false);
}

void
wsi_axis_about(wsi_axis *axis, double middle, double span)
{
	wsi_axis_symmetric(axis, -span / 2, span / 2);
	/* The offset is rounded to what a tenth of a tick shows. */
	int last = wsi_axis_decade(axis->tick[axis->n - 1] + (axis->n == 1)) - 1;
	double offset = round(middle / pow(10, last)) * pow(10, last);
	axis->lo += offset;
	axis->hi += offset;
	for (size_t i = 0; i < axis->n; ++i)
		axis->tick[i] += offset;
	if (offset != 0)
		note_offset(axis, offset, last);
}

void
wsi_axis_range(wsi_axis *axis, double lo, double hi)
{
	wsi_axis_ticks(axis, lo, hi, 3);
}

/* Ticks of even steps in axis->lo .. hi, for values whose span this is. */
static void
even_ticks(wsi_axis *axis, double span, size_t most)
{
	/* Three or fewer multiples of a step, with four or more of the step before,
	 * are never fewer than two: consecutive steps differ by 2 or 5/4. */
	static const double nice[] = {1, 2, 2.5, 5};
	int digit = wsi_axis_decade(span) - 1;
	double step;
	size_t i = 0;
	while (count_ticks(axis->lo, axis->hi, step = nice[i] * pow(10, digit)) > (double)most) {
		if (++i == sizeof nice / sizeof nice[0]) {
			i = 0;
			++digit;
		}
	}
	set_ticks(axis, axis->lo, axis->hi, step);
	label_amplitudes(axis, nice[i] == 2.5 ? digit - 1 : digit, false);
}

void
wsi_axis_ticks(wsi_axis *axis, double lo, double hi, size_t most)
{
	double mag = fmax(fabs(lo), fabs(hi));
	double span = hi - lo;
	if (span <= 1e-9 * mag || span < 1e-300) {
		double room = mag < 1e-300 ? 1 : mag / 2;
		axis->lo = lo - room;
		axis->hi = hi + room;
		one_tick(axis, mag < 1e-300 ? 0 : lo + span / 2);
		label_amplitudes(axis, 0, true);
		return;
	}
	axis->lo = lo - 0.06 * span;
	axis->hi = hi + 0.06 * span;
	even_ticks(axis, span, most);
}

void
wsi_axis_exact(wsi_axis *axis, double lo, double hi, size_t most)
{
	wsi_axis_ticks(axis, lo, hi, most);
	axis->lo = lo;
	axis->hi = hi;
	if (axis->n > 1)
		even_ticks(axis, hi - lo, most);
}

/* Ticks at decades, every step-th; with step 0 also at 2 and 5 between them. */
static size_t
set_decades(wsi_axis *axis, int step)
{
	static const int within[] = {1, 2, 5};
	size_t n = 0;
	for (int d = (int)floor(axis->lo); d <= axis->hi; ++d)
		for (int i = 0; i < (step ? 1 : 3); ++i) {
			double at = d + log10(within[i]);
			bool shown = at >= axis->lo - 1e-9 && at <= axis->hi + 1e-9;
			if (!shown || (step && d % step != 0) || n++ >= WSI_AXIS_TICKS)
				continue;
			axis->tick[n - 1] = at;
			char *label = axis->label[n - 1];
			if (d < -3 || d > 3)
				format_power(label, sizeof axis->label[0],
				             within[i] == 1 ? "" : within[i] == 2 ? "2×" : "5×", d);
			else
				format_number(label, sizeof axis->label[0], within[i] * pow(10, d),
				              d < 0 ? -d : 0, false);
		}
	return axis->n = n;
}

/* Ticks of even steps, where there are fewer than two others: of less than an octave, say.  Not
 * where their labels would need a note. */
static void
set_even(wsi_axis *axis, double lo, double hi, size_t most)
{
	wsi_axis even;
	size_t n = 0;
	wsi_axis_ticks(&even, lo, hi, most);
	if (even.note[0])
		return;
	for (size_t i = 0; i < even.n; ++i) {
		if (!(even.tick[i] >= lo && even.tick[i] <= hi))
			continue;
		even.tick[n] = log10(even.tick[i]);
		memmove(even.label[n++], even.label[i], sizeof even.label[i]);
	}
	if (n < 2)
		return;
	memcpy(axis->tick, even.tick, n * sizeof *even.tick);
	memcpy(axis->label, even.label, n * sizeof *even.label);
	axis->n = n;
}

/* Ticks at 1, 2 and 5 of each decade, each so many'th. */
static void
set_some(wsi_axis *axis, size_t most)
{
	const size_t all = set_decades(axis, 0);
	const size_t n = all < WSI_AXIS_TICKS ? all : WSI_AXIS_TICKS, every = (n + most - 1) / most;
	axis->n = 0;
	for (size_t i = 0; i < n; i += every) {
		axis->tick[axis->n] = axis->tick[i];
		memmove(axis->label[axis->n++], axis->label[i], sizeof axis->label[i]);
	}
}

void
wsi_axis_log(wsi_axis *axis, double lo, double hi, size_t most)
{
	axis->lo = log10(lo);
	axis->hi = log10(hi);
	axis->note[0] = '\0';
	most = most < WSI_AXIS_TICKS ? most : WSI_AXIS_TICKS;
	for (int step = 0; set_decades(axis, step) > most;)
		++step;
	if (axis->n < 2)
		set_some(axis, most);
	if (axis->n < 2)
		set_even(axis, lo, hi, most);
	if (axis->n == 0) {
		one_tick(axis, (axis->lo + axis->hi) / 2);
		format_number(axis->label[0], sizeof axis->label[0], pow(10, axis->tick[0]), -1,
		              false);
	}
}

void
wsi_axis_periods(wsi_axis *axis, double lo, double hi, bool linear, size_t most)
{
	wsi_axis periods;
	wsi_axis_log(&periods, 1 / hi, 1 / fmax(lo, linear ? 1e-3 * hi : 0), most);
	*axis = (wsi_axis){ .lo = axis->lo, .hi = axis->hi, .n = periods.n };
	for (size_t i = 0; i < axis->n; ++i) {
		/* The longest is the lowest frequency. */
		const size_t of = axis->n - 1 - i;
		axis->tick[i] = linear ? pow(10, -periods.tick[of]) : -periods.tick[of];
		memcpy(axis->label[i], periods.label[of], sizeof axis->label[i]);
	}
}

double
wsi_axis_place(const wsi_axis *axis, double value)
{
	return (value - axis->lo) / (axis->hi - axis->lo);
}

/* ---- Time --------------------------------------------------------------- */

/* A unit of the labels and the span from which it is used. */
typedef struct time_unit {
	double size, from;
	const char *title;
	const double *steps;  /* of the unit, ascending, 0 last; beyond them, and
	                         where NULL, 1, 2 and 5 times powers of ten */
} time_unit;


static const double minute_steps[] = {1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 0};
static const double hour_steps[] = {0.5, 1, 2, 3, 6, 12, 24, 48, 72, 120, 0};
static const double month_steps[] = {1 / 12.0, 1 / 6.0, 0.25, 0.5, 1, 0};

static const time_unit time_units[] = {
	{1e-6, 0, "time (µs)", NULL},
	{1e-3, 1e-3, "time (ms)", NULL},
	{1, 1, "time (s)", NULL},
	{60, 600, "time (min)", minute_steps},
	{3600, 6 * 3600, "time (h)", hour_steps},
	{WSI_DAY, 5 * WSI_DAY, "time (d)", NULL},
	{WSI_YEAR, 3 * WSI_YEAR, "time (years)", NULL},
};

static const time_unit count_units[] = {
	{1, 0, "sample", NULL},
	{1e3, 1e5, "sample (thousands)", NULL},
	{1e6, 2e6, "sample (millions)", NULL},
};

#define N_TIME_UNITS  (sizeof time_units / sizeof time_units[0])
#define N_COUNT_UNITS (sizeof count_units / sizeof count_units[0])

/* The last unit whose span is reached. */
static size_t
widest(const time_unit *units, size_t n, double span)
{
	size_t u = n - 1;
	while (u > 0 && span < units[u].from * (1 - 1e-9))
		--u;
	return u;
}

/* Far from 0 the recording's own unit: days of a calendar in years, say, would
 * tell nothing. */
static size_t
time_unit_of(double span, double from, double own)
{
	for (size_t u = 0; from >= span && u < N_TIME_UNITS; ++u)
		if (fabs(time_units[u].size - own) < 1e-9 * own)
			return u;
	return widest(time_units, N_TIME_UNITS, span);
}

/* The smallest step of the unit, at least least, with at most most ticks. */
static double
time_step(const time_unit *unit, double lo, double hi, double least, size_t most)
{
	for (const double *s = unit->steps; s && *s > 0; ++s)
		if (count_ticks(lo, hi, *s) <= (double)most)
			return *s;
	static const double nice[] = {1, 2, 5};
	for (int digit = wsi_axis_decade(fmax(hi - lo, least)) - 2;; ++digit)
		for (size_t i = 0; i < 3; ++i) {
			double step = nice[i] * pow(10, digit);
			if (step >= least * (1 - 1e-9) &&
			    count_ticks(lo, hi, step) <= (double)most)
				return step;
		}
}

const char *
wsi_axis_time(wsi_axis *axis, double first, double last, double step, bool seconds, double unit,
              size_t most, bool brief)
{
	const time_unit *units = seconds ? time_units : count_units;
	/* One sample has room around it, as wide as the time it stands for. */
	double room = last > first ? 0 : step / 2;
	axis->lo = first - room;
	axis->hi = last + room;
	/* Ten seconds of samples end at 10 s, where the last one's time does not show. */
	if (step < (last - first) / 200)
		axis->hi = last + step;
	axis->note[0] = '\0';

	size_t u = seconds ? time_unit_of(axis->hi - axis->lo, fabs(first), unit)
	                   : widest(count_units, N_COUNT_UNITS, axis->hi - axis->lo);
	double size = units[u].size;
	double lo = axis->lo / size, hi = axis->hi / size;
	most = most < WSI_AXIS_TICKS ? most : WSI_AXIS_TICKS;
	/* Years of a calendar have months, and labels of them more room. */
	const bool calendar = !brief && size == WSI_YEAR && lo > 1000 && hi - lo < (double)most;
	const time_unit months = {WSI_YEAR, 0, "date", month_steps};
	double tick = time_step(calendar ? &months : &units[u], lo, hi, seconds ? 0 : 1 / size,
	                        most);
	set_ticks(axis, lo, hi, tick);
	if (axis->n == 0)
		one_tick(axis, first / size);
	/* Digits that all times share, but for one. */
	const int above = wsi_axis_decade(hi - lo) + 1;
	const double offset = brief ? floor(lo / pow(10, above)) * pow(10, above) : 0;
	if (offset != 0)
		note_offset(axis, offset, above);
	/* As many decimals as the step has: 0.25 has two. */
	int decimals = 0;
	while (decimals < 12 && fabs(remainder(tick, pow(10, -decimals))) > 1e-6 * tick)
		++decimals;
	for (size_t i = 0; i < axis->n; ++i) {
		format_number(axis->label[i], sizeof axis->label[i], axis->tick[i] - offset,
		              decimals, false);
		const double month = round(12 * axis->tick[i]);
		if (calendar && tick < 1)
			snprintf(axis->label[i], sizeof axis->label[i], "%.0f-%02.0f",
			         floor(month / 12), fmod(month, 12) + 1);
		axis->tick[i] *= size;
	}
	return calendar && tick < 1 ? months.title : units[u].title;
}

/* ---- Durations ----------------------------------------------------------- */

void
wsi_axis_duration(char *out, size_t size, double seconds, double span, bool fs_known)
{
	out[0] = '\0';
	if (!(seconds > 0) || !isfinite(seconds))
		return;
	const time_unit *unit = &time_units[widest(time_units, N_TIME_UNITS, span)];
	/* "ms" of "time (ms)" */
	const char *name = strchr(unit->title, '(') + 1;
	const double value = fs_known ? seconds / unit->size : seconds;
	wsi_snprintf(out, size, "%.*f %.*s", wsi_axis_decimals(value), value,
	             fs_known ? (int)strcspn(name, ")") : 7, fs_known ? name : "samples");
}
