/*
 * plot.h - what figures are of, and figures of decompositions: PNG, SVG or PDF from one drawing.
 */
#ifndef WSI_PLOT_H
#define WSI_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/kept.h"
#include "plot/axis.h"
#include "plot/sheet.h"

/* Fills out[count] with row `row` of channel `channel` from sample first:
 * row 0 the signal, 1..modes the modes, modes + 1 the residue if there is one. */
typedef ws_status (*wsi_plot_read)(void *user, size_t channel, size_t row,
                                   size_t first, size_t count, double *out);

typedef struct wsi_mark {
	double time;             /* s after the first sample (samples where no rate is known) */
	const char *label;
} wsi_mark;

typedef struct wsi_plot_data {
	const char *source;      /* the file of the rows, for messages */
	const char *title;       /* "Improved CEEMDAN of recording.edf" */
	const char *subtitle;    /* parameters, one line; may be "" */
	size_t n_channels;       /* columns of the figure */
	const char *const *channel_names;
	const char *const *units;       /* per channel; "" unknown */
	const size_t *modes;            /* per channel, without the residue */
	const size_t *numbers;          /* of the modes, where these are some of all, rising; NULL:
	                                   1, 2, .. */
	bool no_residue;                /* none is drawn */
	const char *const *labels;      /* what the modes are called, where these are other rows and
	                                   no residue follows; else NULL */
	const char *row_unit;           /* then: what stands below them; or NULL */
	bool from_zero;                 /* and their axes begin at 0 */
	bool periods;                   /* axes of frequencies tell periods */
	const ws_mode_figures *const *figures; /* per channel and mode, in Hz (cycles per
	                                          sample where !fs_known); may be NULL */
	const double *alignment;        /* per mode, of modes that hold one rhythm in all channels:
	                                   of multivariate EMD; NaN where there is none; or NULL */
	size_t samples;
	double fs;
	bool fs_known;           /* false: the time axis counts samples */
	double first_time;       /* of sample 0 on the axis, s */
	double time_unit;        /* that the recording counts time in, s; 0: not told */
	const char *start_time;  /* ISO 8601 or "" */
	const wsi_mark *marks;   /* events, by time */
	size_t n_marks;
	wsi_plot_read read;
	wsi_plot_read interval;  /* half of the interval about each number of a row, which is
	                            shaded; NULL: there is none */
	void *user;
} wsi_plot_data;

/* What its frequencies are told in. */
static inline wsi_frequency_unit
wsi_plot_unit(const wsi_plot_data *data)
{
	return wsi_axis_frequency_unit(data->fs, data->fs_known, data->samples);
}

/* Number of the mode in a row; row 1 has the first. */
static inline size_t
wsi_plot_number(const wsi_plot_data *data, size_t row)
{
	return data->numbers ? data->numbers[row - 1] : row;
}

/* Has a mode its energy at the ends of a recording of so many seconds?  Its first and last period
 * have more than three times the energy of as many others: of modes of white noise 3 in a hundred
 * have, of a random walk 6. */
static inline bool
wsi_plot_at_ends(double end_share, double frequency, double duration)
{
	return frequency > 0 && end_share * frequency * duration > 3.0 * 2.0;
}

/* Of a channel in one figure, at most: what a PNG can be high. */
#define WSI_MOST_MODES 380

/* What both figures below refuse: WS_E_ARG.  Needs source, n_channels, samples, fs,
 * fs_known and first_time alone, and modes where they are known already, as the checks
 * of each figure do, so that what cannot be drawn is refused before it is computed. */
ws_status wsi_plot_check(const wsi_plot_data *data, const char *path);
ws_status wsi_plot_decomposition_check(const wsi_plot_data *data, const char *path);
ws_status wsi_plot_spectra_check(const wsi_plot_data *data, const char *path);

/* WS_E_NOMEM where there was no memory for a part of a figure. */
ws_status wsi_plot_kept(const wsi_kept *kept, const char *path);

/* WS_E_FORMAT: that a sample, counted from 0, of a row as read() numbers them has
 * a value that cannot be "drawn", say. */
ws_status wsi_plot_refuse(const wsi_plot_data *data, size_t channel, size_t row, size_t sample,
                          double value, const char *done);

/* Channels of a figure of modes, at most. */
#define WSI_MOST_CHANNELS 256

/* Draws signal, modes and residue of each channel on a common time axis, a few channels on a page;
 * channels of one unit on common scales.  WS_E_ARG, WS_E_IO, WS_E_NOSPACE. */
ws_status wsi_plot_decomposition(const wsi_plot_data *data, wsi_sheet *sheet);

/* Draws the power spectral density of each mode over all channels, of any
 * number, on one logarithmic frequency axis, and how far each mode holds the
 * same frequencies in all of them.  WS_E_ARG also where rows are too short. */
ws_status wsi_plot_spectra(const wsi_plot_data *data, wsi_sheet *sheet);

#endif
