/* result.c - results read back: which format, and the row that is a sum. */
#include "io/result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/decode/decoder.h"
#include "io/read/mat_file.h"
#include "io/read/readers.h"
#include "io/result/result_format.h"
#include "io/decode/wire.h"

typedef struct result_state {
	const wsi_result_format *format;
	void *own;
	wsi_decoder *decoder;  /* that holds it open instead; or NULL */
	char *path;
} result_state;

static const wsi_result_format *
format_of(const unsigned char *head, size_t n)
{
	if (n >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0)
		return &wsi_result_hdf5;
	if (n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0)
		return &wsi_result_npy;
	return wsi_mat_probe(head, n) ? &wsi_result_mat : NULL;
}

static ws_status
pick_format(result_state *s, const wsi_open_opts *opts)
{
	wsi_file f;
	unsigned char head[128];
	WSI_TRY(wsi_file_open(&f, s->path, opts ? opts->opened : NULL));
	size_t n = f.bytes < sizeof head ? (size_t)f.bytes : sizeof head;
	ws_status status = wsi_file_read(&f, 0, head, n);
	wsi_file_close(&f);
	WSI_TRY(status);
	s->format = format_of(head, n);
	if (!s->format)
		return WSI_FAIL(WS_E_FORMAT, "%s: not a result: neither HDF5 nor NPY nor "
		                "MAT (5, 7.3)", s->path);
	return WS_OK;
}

static ws_status
check_counts(const wsi_result *r, const char *path)
{
	size_t n = (r->epochs ? r->epochs : 1) * r->channels;
	for (size_t i = 0; i < n; ++i)
		if (r->mode_count[i] < 0 || (size_t)r->mode_count[i] > r->max_modes)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: channel %zu claims %d "
			                "modes of %zu", path, i % r->channels + 1,
			                (int)r->mode_count[i], r->max_modes);
	return WS_OK;
}

static ws_status
check_times(wsi_result *r, const char *path)
{
	if (!(r->fs > 0) || !isfinite(r->fs) || !isfinite((double)r->samples / r->fs))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its sampling rate is %g", path, r->fs);
	if (!isfinite(r->first_time + r->time_origin))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its times begin at %g", path,
		                r->first_time + r->time_origin);
	if (!(r->time_unit > 0) || !isfinite(r->time_unit))
		r->time_unit = 0;
	return WS_OK;
}

static ws_status
open_result(wsi_result *r, result_state *s, const wsi_open_opts *opts)
{
	WSI_TRY(pick_format(s, opts));
	const bool here = s->format == &wsi_result_npy
	                  || (opts && opts->decoder && strcmp(opts->decoder, WSI_IN_PROCESS) == 0);
	if (here)
		WSI_TRY(s->format->open(r, s->path, s->path, opts ? opts->memory : 0, &s->own));
	else
		WSI_TRY(wsi_decoder_open_result(&s->decoder, r, s->path,
		                                s->format == &wsi_result_hdf5
		                                ? WSI_WIRE_RESULT_HDF5 : WSI_WIRE_RESULT_MAT,
		                                opts));
	WSI_TRY(check_counts(r, s->path));
	return check_times(r, s->path);
}

ws_status
wsi_result_open(wsi_result **result, const char *path, const wsi_open_opts *opts)
{
	*result = NULL;
	wsi_result *r = calloc(1, sizeof *r);
	result_state *s = calloc(1, sizeof *s);
	if (s)
		s->path = wsi_strdup(path);
	if (!r || !s || !s->path) {
		free(r);
		free(s);
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
	}
	r->state = s;
	r->fs = 1;
	ws_status status = open_result(r, s, opts);
	if (status != WS_OK)
		wsi_result_close(r);
	else
		*result = r;
	return status;
}

bool
wsi_result_may_have_events(const wsi_result *r)
{
	return ((const result_state *)r->state)->format == &wsi_result_hdf5;
}

void
wsi_result_close(wsi_result *r)
{
	if (!r)
		return;
	result_state *s = r->state;
	if (s->format)
		s->format->close(s->own);
	wsi_decoder_close(s->decoder);
	for (size_t i = 0; i < r->channels; ++i) {
		if (r->channel_names)
			free(r->channel_names[i]);
		if (r->units)
			free(r->units[i]);
	}
	free(r->channel_names);
	free(r->units);
	free(r->epoch_numbers);
	free(r->mode_count);
	free(r->title);
	free(r->options);
	free(s->path);
	free(s);
	free(r);
}

ws_status
wsi_result_set_shape(wsi_result *r, const char *path, int rank, const size_t *dims)
{
	size_t rows, values;
	r->samples = dims[rank - 1];
	r->max_modes = dims[rank - 2];
	size_t channels = rank >= 3 ? dims[rank - 3] : 1;
	r->epochs = rank >= 4 ? dims[rank - 4] : 0;
	if (r->samples == 0 || channels == 0 || (rank >= 4 && r->epochs == 0)
	    || !wsi_mul_size(channels, r->epochs ? r->epochs : 1, &rows)
	    || !wsi_mul_size(rows, r->samples, &values) || r->max_modes > INT32_MAX)
		return WSI_FAIL(WS_E_FORMAT, "%s: its array of modes is empty or too large", path);
	r->channel_names = calloc(channels, sizeof *r->channel_names);
	r->units = calloc(channels, sizeof *r->units);
	r->mode_count = calloc(rows, sizeof *r->mode_count);
	r->title = wsi_strdup("");
	r->options = wsi_strdup("");
	if (!r->channel_names || !r->units || !r->mode_count || !r->title || !r->options)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu channels", path, channels);
	r->channels = channels;
	for (size_t i = 0; i < channels; ++i) {
		char name[24];
		snprintf(name, sizeof name, "%zu", i + 1);
		r->channel_names[i] = wsi_strdup(name);
		r->units[i] = wsi_strdup("");
		if (!r->channel_names[i] || !r->units[i])
			return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu channels", path,
			                channels);
	}
	for (size_t i = 0; i < rows; ++i)
		r->mode_count[i] = (int32_t)r->max_modes;
	return WS_OK;
}

void
wsi_result_take_epochs(wsi_result *r, int32_t *numbers)
{
	bool good = numbers != NULL;
	for (size_t i = 0; good && i < r->epochs; ++i)
		good = numbers[i] >= 1 && numbers[i] <= WSI_MOST_EPOCHS;
	r->epoch_numbers = good ? numbers : NULL;
	if (!good)
		free(numbers);
}

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
	return s->decoder ? wsi_decoder_read(s->decoder, epoch, channel, row, first, count,
	                                     r->samples, out)
	                  : s->format->read(s->own, epoch, channel, row, first, count, out);
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
		                "outside the result", s->path, epoch + 1, channel + 1, count,
		                first);
	if (count == 0)
		return WS_OK;
	if (row == WSI_ROW_SIGNAL && !r->has_signal)
		return sum_rows(r, epoch, channel, first, count, out);
	return read_row(r, epoch, channel, row, first, count, out);
}
