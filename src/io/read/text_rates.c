/* text_rates.c - the sampling rate and the gaps of a table, from its times and from what is
 * told. */
#include "io/read/text_table.h"

#include <math.h>

#include "base/calendar.h"
#include "io/read/segments.h"

/* Says what is wrong with the times; a decomposition across a gap would pass
 * for one of the whole. */
static ws_status
refuse_times(const wsi_recording *rec, const text_spacing *t)
{
	static const char fs[] = "give `fs` to take the rows as evenly spaced";
	const text_state *s = rec->state;
	const size_t line = s->lines[t->row];
	const double unit = s->times == TEXT_NUMBERS ? s->unit : 1;
	const char *name = unit == 1 ? " s" : "";
	switch (t->found) {
	case TEXT_NO_TIME:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has no time; remove the line, or %s",
		                rec->path, line, fs);
	case TEXT_BACK:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the time goes back by %.6g%s; sort "
		                "the rows, or %s", rec->path, line, -t->interval / unit, name, fs);
	case TEXT_REPEATED:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu repeats the time of the line "
		                "before; remove one of them, or %s", rec->path, line, fs);
	default:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the times are not evenly spaced: "
		                "this one is off by %.3g%s of steps of %.6g%s; resample the "
		                "table, or %s", rec->path, line, t->off / unit, name,
		                t->step / unit, name, fs);
	}
}

/* Rows behind a gap are a segment.  Their times count from the first row; scale: of the times,
 * whose unit may be known by now. */
static ws_status
report_gaps(wsi_recording *rec, const text_spacing *spacing, double scale, double rate)
{
	const text_state *s = rec->state;
	const double *times = s->values + s->time_column;
	for (size_t i = 1, found = 0; i < s->rows && found < spacing->gaps; ++i) {
		const double time = times[i * s->columns];
		if (!text_is_gap(spacing, time - times[(i - 1) * s->columns]))
			continue;
		++found;
		WSI_TRY(wsi_recording_add_segment(rec, (double)i / rate, scale * time, NAN));
	}
	return WS_OK;
}

/* The rate that names or comments tell, beside that of the times: they agree, or the times are in a
 * unit that their name does not tell. */
static ws_status
reconcile(wsi_recording *rec, double told, double *rate)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
	text_state *s = rec->state;
	if (fabs(told - *rate) <= 0.01 * told) {
		*rate = told;
		return WS_OK;
	}
	for (size_t i = 0; i < 3 && s->times == TEXT_NUMBERS && s->time_name.unit == 0; ++i) {
		const double in_unit = *rate / units[i].seconds;
		if (s->unit != 1 || fabs(told - in_unit) > 0.01 * told)
			continue;
		s->unit = units[i].seconds;
		*rate = told;
		return wsi_recording_add_note(rec, "%s: its times are taken for %s, as %g Hz are "
		                              "told", rec->path, units[i].name, told);
	}
	return WSI_FAIL(WS_E_FORMAT, "%s: a rate of %g Hz is told where the times of its rows are "
	                "%g s apart; give the true rate with `fs`", rec->path, told, 1 / *rate);
}

/* Spreadsheets count days from 1900, MATLAB from year 0: steps that are a whole number of times in
 * a day look like 24 Hz and its multiples. */
static ws_status
note_days(wsi_recording *rec, double rate)
{
	const text_state *s = rec->state;
	const double first = s->first_time, part = rate / 24;
	const bool sheet = first >= 3e4 && first < 6e4, matlab = first >= 7e5 && first < 8e5;
	if (s->times != TEXT_NUMBERS || s->time_name.unit > 0 || s->unit != 1 || s->told.rate > 0
	    || !(sheet || matlab) || !(part > 0.9 && fabs(part - round(part)) < 1e-4 * part))
		return WS_OK;
	return wsi_recording_add_note(rec, "%s: its times begin at %.10g and are taken for "
	                              "seconds; if they are days, as %s count%s them, name "
	                              "their column 'time_days'", rec->path, first,
	                              sheet ? "spreadsheets" : "MATLAB", sheet ? "" : "s");
}

/* From times that are even, or so but for jitter around a rate that is told. */
static ws_status
take_even_times(wsi_recording *rec, double told, double *rate)
{
	text_state *s = rec->state;
	text_spacing spacing;
	const bool dates = s->times != TEXT_NUMBERS && s->times != TEXT_CLOCK;
	const double unit = s->unit;
	if (!text_examine(s->values + s->time_column, s->rows, s->columns,
	                  dates ? &s->first_date : NULL, s->resolution, &spacing))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to look at its times", rec->path);
	if (spacing.found == TEXT_MONTHS) {
		/* Dates are left behind: years of such months begin elsewhere in days. */
		*rate = 12 / spacing.step / WSI_YEAR;
		rec->time_unit = WSI_YEAR;
		rec->time_origin = text_years_of((double)s->first_date.seconds
		                                 + s->first_date.fraction) * WSI_YEAR;
		s->dated = false;
		return wsi_recording_add_note(rec, "%s: its times step by calendar months, which "
		                              "are taken to be as long as each other: %g a year",
		                              rec->path, 12 / spacing.step);
	}
	if (spacing.found == TEXT_JITTER && told > 0 &&
	    spacing.gaps == 0 && fabs(told * spacing.step - 1) <= 0.01) {
		*rate = told;
		WSI_TRY(wsi_recording_add_note(rec, "%s: its times are not evenly spaced, by %.3g "
		                               "s at worst; the %g Hz that are told are taken",
		                               rec->path, spacing.off, told));
	} else if (spacing.found != TEXT_EVEN) {
		return refuse_times(rec, &spacing);
	} else {
		*rate = spacing.rate;
		if (told > 0)
			WSI_TRY(reconcile(rec, told, rate));
		else if (spacing.slack > 2e-3)
			WSI_TRY(wsi_recording_add_note(rec, "%s: its times, rounded or uneven, "
			                               "tell its rate to %.1g %% only: %g Hz are "
			                               "taken; `fs` gives the true one",
			                               rec->path, 100 * spacing.slack, *rate));
		WSI_TRY(note_days(rec, *rate));
		WSI_TRY(report_gaps(rec, &spacing, s->unit != unit ? s->unit / unit : 1, *rate));
	}
	/* Dates count from the first one, which start_time tells. */
	if (!dates)
		rec->time_origin = s->first_time * (s->times == TEXT_NUMBERS ? s->unit : 1);
	rec->time_unit = dates ? 0 : s->times == TEXT_NUMBERS ? s->unit : 1;
	return WS_OK;
}

/* Is the column of times empty?  LabVIEW leaves it so where a rate is told. */
static bool
no_times(const text_state *s)
{
	size_t i = 0;
	while (i < s->rows && isnan(s->values[i * s->columns + s->time_column]))
		++i;
	return i == s->rows;
}

/* Twelve times the rate of years that are whole. */
static ws_status
take_years(wsi_recording *rec, double *rate)
{
	WSI_TRY(take_even_times(rec, 0, rate));
	if (rec->n_segments > 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: its years of 12 months have gaps; add the years "
		                "that lack, of missing values", rec->path);
	*rate *= 12;
	return wsi_recording_add_note(rec, "%s: its years of 12 months are read as one signal of "
	                              "months from the first January on", rec->path);
}

ws_status
text_take_times(wsi_recording *rec, double *rate)
{
	text_state *s = rec->state;
	const double told = s->time_name.rate > 0 ? s->time_name.rate : s->told.differ ? 0
	                    : s->told.rate;
	*rate = 0;
	if (s->times != TEXT_UNTIMED && no_times(s)) {
		s->times = TEXT_UNTIMED;
		s->months = false;
	}
	if (rec->opts.fs != 0)
		return WS_OK;
	if (s->months && s->rows > 1)
		return take_years(rec, rate);
	if (s->times != TEXT_UNTIMED && s->rows > 1)
		return take_even_times(rec, told, rate);
	if (s->told.differ)
		return wsi_recording_add_note(rec, "%s: its comments tell several sampling rates, "
		                              "so none is taken; give it with `fs`", rec->path);
	*rate = told;
	return told > 0 ? wsi_recording_add_note(rec, "%s: its sampling rate, %g Hz, is what the "
	                                         "lines before its numbers tell", rec->path, told)
	                : WS_OK;
}
