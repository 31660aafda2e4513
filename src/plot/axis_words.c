/* axis_words.c - frequencies in words, in the unit that reads best. */
#include "plot/axis_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/calendar.h"
#include "base/line.h"

int
wsi_axis_decade(double x)
{
	return (int)floor(log10(x) + 1e-9);
}

wsi_frequency_unit
wsi_axis_frequency_unit(double fs, bool fs_known, size_t samples)
{
	if (!fs_known)
		return (wsi_frequency_unit){1, "/sample"};
	if (fs >= 0.01)
		return (wsi_frequency_unit){1, "Hz"};
	/* Months and weeks are told in years, however few there are. */
	const bool days = (double)samples < 3 * WSI_YEAR * fs && fs * WSI_YEAR > 100;
	return days ? (wsi_frequency_unit){WSI_DAY, "/day"} : (wsi_frequency_unit){WSI_YEAR,
	                                                                           "/year"};
}

int
wsi_axis_decimals(double x)
{
	int decimals = 2 - wsi_axis_decade(x * (1 + 1e-12));
	if (wsi_axis_decade(x + 0.5 * pow(10, -decimals)) > 2 - decimals)
		--decimals;
	return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

void
wsi_axis_frequency(char *out, size_t size, double f, wsi_frequency_unit unit)
{
	static const char *const prefix[] = {"n", "µ", "m", "", "k", "M", "G"};
	out[0] = '\0';
	if (!(f > 0) || !isfinite(f))
		return;
	size_t p = 3;
	f *= unit.seconds;
	bool hertz = unit.name[0] == 'H';
	if (hertz) {
		/* 0.05 Hz and 2000 Hz read better than 50 mHz and 2 kHz. */
		if (f < 0.00995)
			p = f >= 0.995e-3 ? 2 : f >= 0.995e-6 ? 1 : 0;
		else if (f >= 9995)
			p = f < 999.5e3 ? 4 : f < 999.5e6 ? 5 : 6;
		f /= pow(1000, (int)p - 3);
	}
	wsi_snprintf(out, size, "%.*f %s%s", wsi_axis_decimals(f), f, hertz ? prefix[p] : "",
	             unit.name);
}

void
wsi_axis_title(char *out, size_t size, const char *what, wsi_frequency_unit unit)
{
	snprintf(out, size, "%s (%s%s)", what, unit.name[0] == '/' ? "1" : "", unit.name);
}

void
wsi_axis_frequency_title(char *out, size_t size, bool periods, wsi_frequency_unit unit)
{
	if (!periods)
		wsi_axis_title(out, size, "frequency", unit);
	else /* "/year" */
		snprintf(out, size, "period (%ss)", unit.name[0] == '/' ? unit.name + 1 : "");
}

/* ---- Frequencies within a text ------------------------------------------- */

/* Where "LO to HI Hz" begins in text, its frequencies, and how long it is; NULL: nowhere. */
static const char *
find_range(const char *text, double f[2], int *length)
{
	wsi_c_locale locale;
	const char *found = NULL;
	wsi_c_locale_enter(&locale);
	for (const char *at = text; *at && !found; ++at) {
		*length = 0;
		if ((at == text || at[-1] == ' ') &&
		    sscanf(at, "%lf to %lf Hz%n", &f[0], &f[1], length) == 2 && *length > 0)
			found = at;
	}
	wsi_c_locale_leave(&locale);
	return found;
}

/* Where the frequencies of "freqs LO:HI:COUNT" or "bands LO:HI,.." begin in text; NULL: nowhere. */
static const char *
find_frequencies(const char *text)
{
	for (const char *at = text; *at; ++at)
		if ((at == text || at[-1] == ' ')
		    && (strncmp(at, "freqs ", 6) == 0 || strncmp(at, "bands ", 6) == 0)
		    && at[6] >= '0' && at[6] <= '9')
			return at + 6;
	return NULL;
}

/* text with those from `at` on in that unit, which stands behind them, up to where it returns.  Of
 * a range the third number is a count. */
static const char *
put_frequencies(wsi_line *to, const char *text, const char *at, wsi_frequency_unit unit)
{
	wsi_c_locale locale;
	wsi_line_put(to, "%.*s", (int)(at - text), text);
	for (int k = 0; *at && strncmp(at, ", ", 2) != 0 && *at != ';';) {
		char *end;
		wsi_c_locale_enter(&locale);
		const double f = strtod(at, &end);
		wsi_c_locale_leave(&locale);
		if (end > at)
			wsi_line_put(to, "%.4g", k++ < 2 ? f * unit.seconds : f);
		else
			wsi_line_put(to, "%c", *end++);
		k = *at == ',' ? 0 : k;
		at = end;
	}
	wsi_line_put(to, " %s", unit.name);
	return at;
}

void
wsi_axis_range_in(char *out, size_t size, const char *text, wsi_frequency_unit unit)
{
	double f[2];
	int length;
	const char *listed = find_frequencies(text);
	if (listed) {
		wsi_line to = wsi_line_in(out, size);
		for (; listed; listed = find_frequencies(text))
			text = put_frequencies(&to, text, listed, unit);
		wsi_line_put(&to, "%s", text);
		return;
	}
	const char *at = unit.name[0] == '/' ? find_range(text, f, &length) : NULL;
	if (at)
		wsi_snprintf(out, size, "%.*s%.3g to %.3g %s%s", (int)(at - text), text,
		             f[0] * unit.seconds, f[1] * unit.seconds, unit.name, at + length);
	else
		wsi_snprintf(out, size, "%s", text);
}
