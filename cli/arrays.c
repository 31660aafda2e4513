/* arrays.c - see arrays.h. */
#include "arrays.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/status.h"

/* Checks the shape and settles the number of realizations. */
static ws_status
check_shape(const wsi_recording *rec, const wsi_input *in, const cli_args *args, ws_emd_opts *emd)
{
	if (rec->epochs || rec->n_channels == 0 || rec->n_channels > INT_MAX)
		return WSI_FAIL(WS_E_FORMAT, "%s: the noise must be an array [realization][time]",
		                rec->path);
	if (!args->has_realizations)
		emd->realizations = (int)rec->n_channels;
	if (rec->n_channels < (size_t)emd->realizations)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds %zu realizations of noise, fewer than "
		                "--realizations %d", rec->path, rec->n_channels, emd->realizations);
	for (size_t i = 0; i < (size_t)emd->realizations; i++)
		if (rec->channels[i].samples != in->samples)
			return WSI_FAIL(WS_E_FORMAT, "%s: noise of %zu samples does not fit a selection of %zu",
			                rec->path, rec->channels[i].samples, in->samples);
	return WS_OK;
}

/* what: a row is called.  x: its value at a column that is refused. */
static ws_status
refuse_value(const wsi_recording *rec, const char *what, size_t row, size_t column, double x)
{
	if (!isfinite(x))
		return WSI_FAIL(WS_E_FORMAT, "%s: %s %zu is not a finite number at column %zu; mend the "
		                "array", rec->path, what, row + 1, column + 1);
	return WSI_FAIL(WS_E_FORMAT, "%s: %s %zu is %g, more than the type holds, at column %zu; scale "
	                "the array", rec->path, what, row + 1, x, column + 1);
}

/* largest: that a value may be. */
static ws_status
read_rows(wsi_recording *rec, const char *what, size_t rows, size_t samples, ws_type type,
          double largest, void *out)
{
	double *row = type == WS_F32 ? malloc(samples * sizeof *row) : NULL;
	if (type == WS_F32 && !row)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
	ws_status status = WS_OK;
	for (size_t i = 0; i < rows && status == WS_OK; i++) {
		double *x = row ? row : (double *)out + i * samples;
		status = wsi_recording_read(rec, 0, i, 0, samples, x);
		for (size_t k = 0; k < samples && status == WS_OK; k++) {
			if (!(fabs(x[k]) <= largest))
				status = refuse_value(rec, what, i, k, x[k]);
			if (row)
				((float *)out)[i * samples + k] = (float)x[k];
		}
	}
	free(row);
	return status;
}

ws_status
cli_noise_read(void **noise, size_t *bytes, const cli_args *args, const wsi_input *in,
               ws_emd_opts *emd)
{
	*noise = NULL;
	*bytes = 0;
	if (!args->noise_file)
		return WS_OK;
	wsi_recording *rec;
	WSI_TRY(wsi_recording_open(&rec, args->noise_file, NULL));
	ws_status status = check_shape(rec, in, args, emd);
	size_t rows = (size_t)emd->realizations;
	if (status == WS_OK
	    && (__builtin_mul_overflow(rows, in->samples, bytes)
	        || __builtin_mul_overflow(*bytes, args->precision == WS_F32 ? 4 : 8, bytes)))
		status = WSI_FAIL(WS_E_NOMEM, "%s: the noise is too large", rec->path);
	if (status == WS_OK && !args->dry_run) {
		*noise = malloc(*bytes);
		status = *noise ? read_rows(rec, "realization", rows, in->samples, args->precision,
		                            wsi_largest(args->precision), *noise)
		         : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for %zu bytes of noise", rec->path,
		                    *bytes);
	}
	wsi_recording_close(rec);
	if (status != WS_OK) {
		free(*noise);
		*noise = NULL;
	}
	return status;
}

/* Rows are directions, columns channels. */
static ws_status
read_directions(double **vectors, wsi_recording *rec, const wsi_input *in, ws_emd_opts *emd)
{
	const size_t channels = in->n_channels + (size_t)emd->noise_channels;
	if (!emd->directions)
		emd->directions = rec->n_channels < 1 << 20 ? (int)rec->n_channels : 1 << 20;
	if (rec->epochs || rec->n_channels < (size_t)emd->directions || rec->n_channels == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: the directions must be an array [direction][channel], with "
		                "%d or more directions, not %zu", rec->path, emd->directions, rec->n_channels);
	for (size_t i = 0; i < (size_t)emd->directions; i++)
		if (rec->channels[i].samples != channels)
			return WSI_FAIL(WS_E_FORMAT, "%s: direction %zu has %zu numbers, but there are %zu "
			                "channels, noise included", rec->path, i + 1, rec->channels[i].samples,
			                channels);
	*vectors = malloc((size_t)emd->directions * channels * sizeof **vectors);
	if (!*vectors)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
	emd->direction_vectors = *vectors;
	/* Directions may have any length. */
	return read_rows(rec, "direction", (size_t)emd->directions, channels, WS_F64, DBL_MAX, *vectors);
}

ws_status
cli_directions_read(double **vectors, const cli_args *args, const wsi_input *in, ws_emd_opts *emd)
{
	*vectors = NULL;
	if (!args->direction_file)
		return WS_OK;
	wsi_recording *rec;
	WSI_TRY(wsi_recording_open(&rec, args->direction_file, NULL));
	ws_status status = read_directions(vectors, rec, in, emd);
	wsi_recording_close(rec);
	return status;
}
