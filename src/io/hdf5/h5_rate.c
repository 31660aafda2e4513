/*
 * h5_rate.c - the sampling rate of an array in HDF5: an attribute of it, of a folder that it lies
 * in or of the file, a number beside it, or the times of its axis (a dimension scale, as netCDF has
 * them), which may have gaps; of a series of NWB what lies beside it.  Of both also the clock when
 * the recording's time is 0.
 */
#include "io/hdf5/h5_rate.h"

#include <hdf5_hl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/target.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_check.h"
#include "io/read/segments.h"
#include "io/read/text_time.h"
#include "io/read/time_units.h"

ws_status
wsi_h5_find_number(wsi_recording *rec, hid_t object, const char *name, double *value, bool *there)
{
	wsi_h5_attribute a;
	*there = false;
	WSI_TRY(wsi_h5_look(object, rec->path, name, &a));
	if (!a.there)
		return WS_OK;
	if (a.numbers && a.n == 1)
		return wsi_h5_get_real(object, rec->path, name, value, there);
	return wsi_recording_add_note(rec, "%s: its attribute %s is not one number, and is left "
	                              "out", rec->path, name);
}

/* ---- Told ------------------------------------------------------------------------------- */

static ws_status
find_attribute(wsi_recording *rec, hid_t object, double *fs, bool *there)
{
	*there = false;
	for (size_t i = 0; !*there && wsi_rate_names[i]; ++i) {
		WSI_TRY(wsi_h5_find_number(rec, object, wsi_rate_names[i], fs, there));
		if (*there)
			return wsi_recording_rate_of(rec, wsi_rate_names[i], fs);
	}
	double spacing;
	WSI_TRY(wsi_h5_find_number(rec, object, "Xspacing", &spacing, there));
	if (*there && !(spacing > 0)) {
		*there = false;
		return wsi_recording_add_note(rec, "%s: its attribute Xspacing is %g, which is no "
		                              "distance of samples, and is left out", rec->path,
		                              spacing);
	}
	if (*there)
		*fs = 1 / spacing;
	return WS_OK;
}

bool
wsi_h5_read_values(hid_t array, size_t n, double *values)
{
	const hid_t space = H5Dget_space(array);
	const bool alike = H5Sget_simple_extent_npoints(space) == (hssize_t)n;
	wsi_h5_close(space);
	return alike && wsi_h5_is_numeric(array) &&
	       H5Dread(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

ws_status
wsi_h5_open_beside(wsi_recording *rec, hid_t folder, const char *name, hid_t *array)
{
	bool there;
	*array = -1;
	WSI_TRY(wsi_h5_has(folder, rec->path, name, &there));
	if (!there)
		return WS_OK;
	WSI_TRY(wsi_h5_check_link(folder, rec->path, name));
	*array = H5Dopen2(folder, name, H5P_DEFAULT);
	return *array < 0 ? WS_OK : wsi_h5_check(*array, rec->path, name, rec->opts.memory);
}

/* A number called so in a folder. */
static ws_status
find_dataset(wsi_recording *rec, hid_t folder, double *fs, bool *there)
{
	*there = false;
	for (size_t i = 0; !*there && wsi_rate_names[i]; ++i) {
		hid_t array;
		const ws_status status = wsi_h5_open_beside(rec, folder, wsi_rate_names[i], &array);
		*there = status == WS_OK && array >= 0 && wsi_h5_read_values(array, 1, fs);
		wsi_h5_close(array);
		WSI_TRY(status);
		if (*there)
			return wsi_recording_rate_of(rec, wsi_rate_names[i], fs);
	}
	return WS_OK;
}

/* In the folders that the array lies in, from the innermost to the file's own. */
static ws_status
find_around(wsi_recording *rec, hid_t data, double *fs, bool *there)
{
	char path[1024];
	const ssize_t n = H5Iget_name(data, path, sizeof path);
	char *end = n > 0 && (size_t)n < sizeof path ? strrchr(path, '/') : NULL;
	for (*there = false; !*there && end; end = end == path ? NULL : strrchr(path, '/')) {
		end[end == path] = '\0';
		const hid_t folder = H5Gopen2(data, path, H5P_DEFAULT);
		ws_status status = folder < 0 ? WS_OK : find_attribute(rec, folder, fs, there);
		if (status == WS_OK && folder >= 0 && !*there)
			status = find_dataset(rec, folder, fs, there);
		wsi_h5_close(folder);
		WSI_TRY(status);
		end[0] = end == path ? '/' : '\0';
		end[end == path] = '\0';
	}
	return WS_OK;
}

/* ---- The times of its axis ---------------------------------------------------------------- */

/* The scale that is a time; it is left open. */
static herr_t
take_scale(hid_t array, unsigned axis, hid_t scale, void *user)
{
	hid_t *found = user;
	(void)array;
	(void)axis;
	H5Iinc_ref(scale);
	*found = scale;
	return 1;
}

/* s in the unit of a scale: "ms", "days since 1970-01-01"; 0: it is no time. */
static ws_status
unit_of(const wsi_recording *rec, hid_t scale, double *unit)
{
	char name[256] = "", *units = NULL;
	bool there;
	WSI_TRY(wsi_h5_get_text(scale, rec->path, "units", &units, &there));
	H5Iget_name(scale, name, sizeof name);
	const text_time_name t = text_read_time_name(wsi_base_name(name), NULL);
	if (units)
		units[strcspn(units, " ")] = '\0';
	*unit = units && *units ? text_unit_seconds(units) : !t.is_time ? 0 : t.unit > 0
	        ? t.unit : 1;
	free(units);
	return WS_OK;
}

/* The rate that an array of times tells, if it is one. */
static ws_status
take_array(wsi_recording *rec, hid_t array, double unit, double *fs, bool *there)
{
	const size_t n = rec->channels[0].samples;
	double *times;
	WSI_NEW(times, n, "%s: no memory for its times", rec->path);
	*there = wsi_h5_read_values(array, n, times);
	const ws_status status = *there ? wsi_recording_take_times(rec, times, n, unit, fs) : WS_OK;
	free(times);
	return status;
}

/* Times of CF, "days since 1970-01-01", are dates, and then count from the first one, unless their
 * calendar is another than that of dates; before 1582 one of that name is. */
static ws_status
take_dates(wsi_recording *rec, hid_t scale)
{
	static const char *const calendars[] = { "standard", "gregorian", "proleptic_gregorian" };
	const int64_t reform = INT64_C(-12219292800);
	wsi_h5_attribute calendar;
	char *units = NULL;
	bool there;
	text_date date;
	WSI_TRY(wsi_h5_look(scale, rec->path, "calendar", &calendar));
	bool usual = !calendar.there;
	for (int i = 0; i < 3 && !usual; ++i)
		WSI_TRY(wsi_h5_text_is(scale, rec->path, "calendar", calendars[i], &usual));
	WSI_TRY(wsi_h5_get_text(scale, rec->path, "units", &units, &there));
	const char *since = there ? strstr(units, " since ") : NULL;
	rec->dated = usual && since && text_parse_date(since + 7, false, &date) && !date.open
	             && date.seconds >= reform && fabs(rec->time_origin) < 1e12;
	free(units);
	if (!rec->dated)
		return WS_OK;
	const double first = date.fraction + rec->time_origin;
	date.seconds += (int64_t)floor(first);
	date.fraction = first - floor(first);
	text_format_date(&date, rec->start_time);
	rec->time_origin = 0;
	return WS_OK;
}

static ws_status
find_times(wsi_recording *rec, hid_t data, int axis, double *fs, bool *there)
{
	hid_t scale = -1;
	double unit = 0;
	bool empty = false;
	char *name = NULL;
	if (H5DSiterate_scales(data, (unsigned)axis, NULL, take_scale, &scale) <= 0 || scale < 0)
		return WS_OK;
	ws_status status = wsi_h5_check(scale, rec->path, "the scale of its times",
	                                rec->opts.memory);
	/* Of netCDF, a dimension that has a length and no values. */
	if (status == WS_OK)
		status = wsi_h5_get_text(scale, rec->path, "NAME", &name, &empty);
	empty = empty && strncmp(name, "This is a netCDF dimension but not", 34) == 0;
	if (status == WS_OK && !empty)
		status = unit_of(rec, scale, &unit);
	if (status == WS_OK && unit > 0)
		status = take_array(rec, scale, unit, fs, there);
	if (status == WS_OK && *there)
		status = take_dates(rec, scale);
	free(name);
	wsi_h5_close(scale);
	return status;
}

/* ---- Series of NWB ------------------------------------------------------------------------ */

hid_t
wsi_h5_series_of(hid_t data)
{
	char path[1024];
	const ssize_t n = H5Iget_name(data, path, sizeof path);
	char *last = n > 0 && (size_t)n < sizeof path ? strrchr(path, '/') : NULL;
	if (!last || strcmp(last, "/data") != 0
	    || H5Aexists_by_name(data, "/", "nwb_version", H5P_DEFAULT) <= 0)
		return -1;
	last[last == path] = '\0';
	const hid_t group = H5Gopen2(data, path, H5P_DEFAULT);
	if (group >= 0 && (H5Lexists(group, "starting_time", H5P_DEFAULT) > 0
	                   || H5Lexists(group, "timestamps", H5P_DEFAULT) > 0))
		return group;
	wsi_h5_close(group);
	return -1;
}

/* A moment that a dataset of one text tells, as start_time; nothing where it is anything else. */
static void
take_moment(wsi_recording *rec, hid_t array)
{
	const hid_t type = H5Dget_type(array), space = H5Dget_space(array);
	const bool variable = H5Tis_variable_str(type) > 0;
	char fixed[WSI_MOMENT_BYTES] = "", *text = NULL;
	text_date date;
	if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1
	    && (variable || H5Tget_size(type) < sizeof fixed)
	    && H5Dread(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
	               variable ? (void *)&text : fixed) >= 0
	    && text_parse_date(text ? text : fixed, false, &date) && !date.open)
		text_format_date(&date, rec->start_time);
	H5free_memory(text);
	wsi_h5_close(type, space);
}

/* The clock when the times of series are 0: it may be told, else it is when the session began. */
static ws_status
take_clock(wsi_recording *rec, hid_t series)
{
	static const char *const names[] = { "/timestamps_reference_time", "/session_start_time" };
	for (int i = 0; i < 2 && !rec->start_time[0]; ++i) {
		hid_t array;
		WSI_TRY(wsi_h5_open_beside(rec, series, names[i], &array));
		if (array >= 0)
			take_moment(rec, array);
		wsi_h5_close(array);
	}
	return WS_OK;
}

/* The rate is an attribute of the time at which it starts; else each sample has its time. */
static ws_status
find_series(wsi_recording *rec, hid_t series, double *fs, bool *there)
{
	hid_t start, times = -1;
	ws_status status = wsi_h5_open_beside(rec, series, "starting_time", &start);
	if (status == WS_OK && start >= 0)
		status = wsi_h5_find_number(rec, start, "rate", fs, there);
	if (*there && !wsi_h5_read_values(start, 1, &rec->time_origin))
		rec->time_origin = 0;
	if (status == WS_OK && !*there)
		status = wsi_h5_open_beside(rec, series, "timestamps", &times);
	if (status == WS_OK && times >= 0)
		status = take_array(rec, times, 1, fs, there);
	wsi_h5_close(start, times);
	return status == WS_OK && *there ? take_clock(rec, series) : status;
}

/* Of the array itself: times of its axis, or of the series that it is. */
static ws_status
find_axis(wsi_recording *rec, hid_t data, int axis, double *fs, bool *there)
{
	*there = false;
	if (rec->channels[0].samples < 2)
		return WS_OK;
	const hid_t series = wsi_h5_series_of(data);
	const ws_status status = series >= 0 ? find_series(rec, series, fs, there)
	                         : find_times(rec, data, axis, fs, there);
	wsi_h5_close(series);
	return status;
}

ws_status
wsi_h5_take_rate(wsi_recording *rec, hid_t file, hid_t data, int time_axis, bool ours)
{
	double fs, known = 1;
	bool there, told;
	WSI_TRY(find_attribute(rec, data, &fs, &there));
	if (!there)
		WSI_TRY(find_around(rec, data, &fs, &there));
	WSI_TRY(wsi_h5_find_number(rec, file, "fs_known", &known, &told));
	if (!there && !ours && rec->opts.fs == 0 && !rec->opts.masks)
		WSI_TRY(find_axis(rec, data, time_axis, &fs, &there));
	if (!there || known == 0)
		return WS_OK;
	for (size_t i = 0; i < rec->n_channels; ++i)
		rec->channels[i].fs = fs;
	rec->fs_known = true;
	return WS_OK;
}
