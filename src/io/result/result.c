/* result.c - results read back: which format, what goes with the modes, and the row that is a
 * sum. */
#include "io/result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kept.h"
#include "io/read/open.h"
#include "io/read/readers.h"
#include "io/result/modes.h"

#define MOST_EPOCHS (1 << 24)

typedef struct result_state {
	wsi_result told;           /* first */
	wsi_kept kept;             /* what it holds */
	wsi_recording *rec;
	const wsi_stored_array *modes, *residue, *signal; /* residue, signal: or NULL */
	const wsi_stored_array *intervals[3]; /* of these */
} result_state;

/* The array of a name, if it has these axes.  What has others is damaged, but in files of others,
 * which may mean anything by it. */
static ws_status
find(const wsi_recording *rec, const char *name, int rank, const size_t *extent,
     const wsi_stored_array **array)
{
	const wsi_stored_array *a = wsi_arrays_find(rec, name);
	bool good = a && a->rank == rank && !wsi_type_complex(a->type);
	for (int i = 0; good && i < rank; ++i)
		good = a->extent[i] == extent[i];
	*array = good ? a : NULL;
	return good || !a || rec->arrays->by_others ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s does not match modes", rec->path, name);
}

static ws_status
find_rows(wsi_result *r, result_state *s)
{
	const wsi_stored_array *modes = s->modes = wsi_arrays_find(s->rec, "modes");
	const int rank = modes->rank - 1;
	size_t extent[WSI_STORED_AXES];
	memcpy(extent, modes->extent, sizeof extent);
	extent[rank - 1] = r->samples = wsi_stored_length(modes);
	r->max_modes = modes->extent[rank - 1];
	WSI_TRY(find(s->rec, "residue", rank, extent, &s->residue));
	WSI_TRY(find(s->rec, "signal", rank, extent, &s->signal));
	r->has_signal = s->signal != NULL;
	WSI_TRY(find(s->rec, "residue" WSI_INTERVAL, rank, extent, &s->intervals[1]));
	WSI_TRY(find(s->rec, "signal" WSI_INTERVAL, rank, extent, &s->intervals[2]));
	WSI_TRY(find(s->rec, "modes" WSI_INTERVAL, modes->rank, modes->extent, &s->intervals[0]));
	r->has_intervals = !r->epochs && s->intervals[0] && s->intervals[1] && s->intervals[2];
	if (!s->residue && r->max_modes-- == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: modes is empty and there is no residue",
		                s->rec->path);
	return WS_OK;
}

/* All lines of whole numbers; what is none becomes -1. */
static ws_status
read_numbers(wsi_recording *rec, const wsi_stored_array *a, int32_t *out)
{
	const size_t n = wsi_stored_length(a);
	double *line = malloc((n + 1) * sizeof *line);
	WSI_HAVE(line, "%s: no memory for %zu numbers", rec->path, n);
	ws_status status = WS_OK;
	for (size_t k = 0; k < a->lines && status == WS_OK; ++k) {
		status = wsi_arrays_read(rec, a, 0, k, 0, n, line);
		for (size_t i = 0; i < n && status == WS_OK; ++i)
			out[k * n + i] = line[i] >= 0 && line[i] <= INT32_MAX
			        ? (int32_t)line[i] : -1;
	}
	free(line);
	return status;
}

static ws_status
take_counts(wsi_result *r, result_state *s)
{
	const size_t extent[2] = { r->epochs, r->channels };
	const size_t n = (r->epochs ? r->epochs : 1) * r->channels;
	const wsi_stored_array *counts;
	r->mode_count = wsi_kept_new(&s->kept, n, sizeof *r->mode_count);
	WSI_HAVE(r->mode_count, "%s: no memory for %zu channels", s->rec->path, n);
	for (size_t i = 0; i < n; ++i)
		r->mode_count[i] = (int32_t)r->max_modes;
	WSI_TRY(find(s->rec, "mode_count", r->epochs ? 2 : 1, extent + !r->epochs, &counts));
	if (counts)
		WSI_TRY(read_numbers(s->rec, counts, r->mode_count));
	for (size_t i = 0; i < n; ++i)
		if (r->mode_count[i] < 0 || (size_t)r->mode_count[i] > r->max_modes)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: channel %zu claims %d "
			                "modes of %zu", s->rec->path, i % r->channels + 1,
			                (int)r->mode_count[i], r->max_modes);
	return WS_OK;
}

/* Figures of modes, where the file has them for each: *figures, or NULL. */
static ws_status
take_figures(const wsi_result *r, result_state *s, const char *name, double **figures)
{
	const size_t extent[3] = { r->epochs, r->channels, r->max_modes };
	const wsi_stored_array *a;
	*figures = NULL;
	WSI_TRY(find(s->rec, name, r->epochs ? 3 : 2, extent + !r->epochs, &a));
	if (!a || !r->max_modes)
		return WS_OK;
	*figures = wsi_kept_new(&s->kept, a->lines * r->max_modes, sizeof **figures);
	WSI_HAVE(*figures, "%s: no memory for the figures of %zu channels", s->rec->path, a->lines);
	for (size_t k = 0; k < a->lines; ++k)
		WSI_TRY(wsi_arrays_read(s->rec, a, 0, k, 0, r->max_modes,
		                        *figures + k * r->max_modes));
	return WS_OK;
}

/* Those of the alignment, which only some results have; of averages also what cannot be measured
 * anew. */
static ws_status
take_all_figures(wsi_result *r, result_state *s)
{
	WSI_TRY(take_figures(r, s, "alignment", &r->alignment));
	if (r->alignment)
		WSI_TRY(take_figures(r, s, "variance_share", &r->variance_share));
	if (!r->has_intervals)
		return WS_OK;
	WSI_TRY(take_figures(r, s, "frequency", &r->frequency));
	WSI_TRY(take_figures(r, s, "band_low", &r->band_low));
	WSI_TRY(take_figures(r, s, "band_high", &r->band_high));
	WSI_TRY(take_figures(r, s, "half_waves", &r->half_waves));
	return take_figures(r, s, "end_share", &r->end_share);
}

/* Numbers that no epoch has are left out: a result is whole without them. */
static ws_status
take_epochs(wsi_result *r, result_state *s)
{
	const wsi_stored_array *epochs = NULL;
	if (r->epochs)
		WSI_TRY(find(s->rec, "epoch", 1, &r->epochs, &epochs));
	if (!epochs)
		return WS_OK;
	r->epoch_numbers = wsi_kept_new(&s->kept, r->epochs, sizeof *r->epoch_numbers);
	WSI_HAVE(r->epoch_numbers, "%s: no memory for %zu epochs", s->rec->path, r->epochs);
	WSI_TRY(read_numbers(s->rec, epochs, r->epoch_numbers));
	for (size_t i = 0; i < r->epochs; ++i)
		if (r->epoch_numbers[i] < 1 || r->epoch_numbers[i] > MOST_EPOCHS) {
			r->epoch_numbers = NULL;
			break;
		}
	return WS_OK;
}

/* Those of an epoch count from its first sample. */
static void
place_events(wsi_result *r, result_state *s)
{
	const double length = (double)r->samples / r->fs;
	for (size_t i = 0; i < s->rec->n_events; ++i) {
		wsi_event *e = &s->rec->events[i];
		/* An onset may lie less than a rounding before its epoch. */
		const double epoch = r->epochs ? floor(e->onset / length + 1e-9) : 0;
		e->epoch = r->epochs && epoch >= 0 ? (size_t)fmin(epoch, MOST_EPOCHS) + 1 : 0;
		e->time = r->time_origin + r->first_time + e->onset - epoch * length;
	}
	r->events = s->rec->events;
	r->n_events = s->rec->n_events;
}

static ws_status
take(wsi_result *r, result_state *s)
{
	const wsi_recording *rec = s->rec;
	const wsi_arrays *told = rec->arrays;
	size_t rows, values;
	r->epochs = rec->epochs;
	r->channels = rec->n_channels;
	WSI_TRY(find_rows(r, s));
	if (!wsi_mul_size(r->channels, r->epochs ? r->epochs : 1, &rows)
	    || !wsi_mul_size(rows, r->samples, &values))
		return WSI_FAIL(WS_E_FORMAT, "%s: its array of modes is too large", rec->path);
	r->channel_names = wsi_kept_new(&s->kept, r->channels, sizeof *r->channel_names);
	r->units = wsi_kept_new(&s->kept, r->channels, sizeof *r->units);
	WSI_HAVE(r->channel_names && r->units, "%s: no memory for %zu channels", rec->path,
	         r->channels);
	for (size_t i = 0; i < r->channels; ++i) {
		r->channel_names[i] = rec->channels[i].name;
		r->units[i] = rec->channels[i].unit;
	}
	r->named = told->named;
	r->fs = rec->channels[0].fs;
	r->fs_known = rec->fs_known;
	r->first_time = told->first_time;
	r->timed = told->timed;
	r->time_origin = told->time_origin;
	r->time_unit = rec->time_unit;
	r->start_time = rec->start_time;
	r->title = wsi_arrays_fact(rec, "title");
	r->options = wsi_arrays_fact(rec, "options");
	r->epochs_at = wsi_arrays_fact(rec, "epochs_at");
	r->transform = wsi_arrays_fact(rec, "decomposition");
	if (!*r->transform)
		r->transform = wsi_arrays_fact(rec, "transform");
	WSI_TRY(take_counts(r, s));
	WSI_TRY(take_all_figures(r, s));
	place_events(r, s);
	return take_epochs(r, s);
}

ws_status
wsi_result_of(wsi_result **result, wsi_recording *rec)
{
	*result = NULL;
	result_state *s = calloc(1, sizeof *s);
	if (!s) {
		wsi_recording_close(rec);
		return WSI_FAIL(WS_E_NOMEM, "out of memory");
	}
	wsi_result *r = &s->told;
	r->state = s;
	r->rec = s->rec = rec;
	const ws_status status = take(r, s);
	if (status != WS_OK)
		wsi_result_close(r);
	else
		*result = r;
	return status;
}

ws_status
wsi_result_open(wsi_result **result, const char *path, const wsi_open_opts *opts)
{
	wsi_recording *rec;
	wsi_open_opts plain = { 0 };
	*result = NULL;
	if (opts)
		plain = (wsi_open_opts){ .memory = opts->memory, .decoder = opts->decoder,
			.opened = opts->opened, .with_events = opts->with_events };
	WSI_TRY(wsi_modes_open(&rec, path, &plain));
	return wsi_result_of(result, rec);
}

void
wsi_result_close(wsi_result *r)
{
	if (!r)
		return;
	result_state *s = r->state;
	wsi_recording_close(s->rec);
	wsi_kept_free(&s->kept);
	free(s);
}

/* ---- Read ------------------------------------------------------------------------------------ */

int32_t
wsi_result_epoch(const wsi_result *r, size_t epoch)
{
	return r->epoch_numbers ? r->epoch_numbers[epoch] : (int32_t)epoch + 1;
}

static ws_status
read_row(const wsi_result *r, size_t epoch, size_t channel, size_t row, size_t first, size_t count,
         double *out)
{
	const result_state *s = r->state;
	const wsi_stored_array *a = row == WSI_ROW_SIGNAL ? s->signal
	                            : row == WSI_ROW_RESIDUE && s->residue ? s->residue : s->modes;
	size_t line = epoch * r->channels + channel;
	if (a == s->modes) {
		const size_t rows = a->extent[a->rank - 2];
		line = line * rows + (row == WSI_ROW_RESIDUE ? rows - 1 : row);
	}
	return wsi_arrays_read(s->rec, a, 0, line, first, count, out);
}

/* The signal of files that do not hold it. */
static ws_status
sum_rows(const wsi_result *r, size_t epoch, size_t channel, size_t first, size_t count,
         double *out)
{
	double part[1024];
	size_t modes = (size_t)r->mode_count[epoch * r->channels + channel];
	WSI_TRY(read_row(r, epoch, channel, WSI_ROW_RESIDUE, first, count, out));
	for (size_t m = 0; m < modes; ++m)
		for (size_t done = 0; done < count;) {
			size_t n = count - done < 1024 ? count - done : 1024;
			WSI_TRY(read_row(r, epoch, channel, m, first + done, n, part));
			for (size_t i = 0; i < n; ++i)
				out[done + i] += part[i];
			done += n;
		}
	return WS_OK;
}

ws_status
wsi_result_read(wsi_result *r, size_t epoch, size_t channel, size_t row,
                size_t first, size_t count, double *out)
{
	const result_state *s = r->state;
	if (epoch >= (r->epochs ? r->epochs : 1) || channel >= r->channels
	    || (row != WSI_ROW_SIGNAL && row != WSI_ROW_RESIDUE && row >= r->max_modes)
	    || first > r->samples || count > r->samples - first)
		return WSI_FAIL(WS_E_ARG, "%s: epoch %zu, channel %zu, %zu samples from %zu are "
		                "outside the result", s->rec->path, epoch + 1, channel + 1, count,
		                first);
	if (count == 0)
		return WS_OK;
	if (row == WSI_ROW_SIGNAL && !r->has_signal)
		return sum_rows(r, epoch, channel, first, count, out);
	return read_row(r, epoch, channel, row, first, count, out);
}

ws_status
wsi_result_read_interval(wsi_result *r, size_t channel, size_t row, size_t first, size_t count,
                         double *out)
{
	const result_state *s = r->state;
	const int which = row == WSI_ROW_RESIDUE ? 1 : row == WSI_ROW_SIGNAL ? 2 : 0;
	const wsi_stored_array *a = s->intervals[which];
	const size_t line = which ? channel : channel * a->extent[a->rank - 2] + row;
	return wsi_arrays_read(s->rec, a, 0, line, first, count, out);
}
