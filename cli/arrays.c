/* arrays.c - options of kind WS_OPTION_ARRAY, read from the files that they name. */
#include "arrays.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/new.h"
#include "input.h"
#include "io/read/open.h"
#include "io/read/read.h"

/* Checks the shape and settles the number of realizations. */
static ws_status
check_noise(const wsi_recording *rec, const wsi_input *in, ws_emd_opts *emd)
{
	if (rec->epochs || rec->n_channels == 0 || rec->n_channels > INT_MAX)
		return WSI_FAIL(WS_E_FORMAT, "%s: the noise must be an array [realization][time]",
		                rec->path);
	if (!emd->realizations)
		emd->realizations = (int)rec->n_channels;
	if (rec->n_channels < (size_t)emd->realizations)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds %zu realizations of noise, fewer than "
		                "--realizations %d", rec->path, rec->n_channels, emd->realizations);
	for (size_t i = 0; i < (size_t)emd->realizations; i++)
		if (rec->channels[i].samples != in->samples)
			return WSI_FAIL(WS_E_FORMAT, "%s: noise of %zu samples does not fit a "
			                "selection of %zu", rec->path, rec->channels[i].samples,
			                in->samples);
	return WS_OK;
}

/* what: a row is called.  x: its value at a column that is refused. */
static ws_status
refuse_value(const wsi_recording *rec, const char *what, size_t row, size_t column, double x)
{
	if (!isfinite(x))
		return WSI_FAIL(WS_E_FORMAT, "%s: %s %zu is not a finite number at column "
		                "%zu; mend the array", rec->path, what, row + 1, column + 1);
	return WSI_FAIL(WS_E_FORMAT, "%s: %s %zu is %g, more than the type holds, at "
	                "column %zu; scale the array", rec->path, what, row + 1, x, column + 1);
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

/* Counts what an array takes, before it is read; refuses more than --memory. */
static ws_status
count_bytes(cli_arrays *a, const wsi_recording *rec, const cli_args *args, size_t rows,
            size_t columns, size_t bytes)
{
	const size_t memory = cli_open_opts(args).memory;
	if (__builtin_mul_overflow(rows, columns, &columns) ||
	    __builtin_mul_overflow(bytes, columns, &bytes) ||
	    __builtin_add_overflow(a->bytes, bytes, &a->bytes) || (memory && a->bytes > memory))
		return WSI_FAIL(WS_E_NOMEM, "%s: %zu rows take more memory than --memory allows: "
		                "allow more, or use fewer", rec->path, rows);
	return WS_OK;
}

/* [realization][time].  Without --realizations as many as there are. */
static ws_status
read_noise(cli_arrays *a, wsi_recording *rec, const cli_args *args, const wsi_input *in)
{
	const ws_type type = (ws_type)args->precision;
	ws_emd_opts *emd = args->opts;
	WSI_TRY(check_noise(rec, in, emd));
	const size_t rows = (size_t)emd->realizations, bytes = wsi_type_size(type);
	WSI_TRY(count_bytes(a, rec, args, rows, in->samples, bytes));
	if (args->dry_run)
		return WS_OK;
	a->noise = malloc(rows * in->samples * bytes);
	WSI_HAVE(a->noise, "%s: not enough memory for %zu rows of noise", rec->path, rows);
	return read_rows(rec, "realization", rows, in->samples, type, wsi_largest(type), a->noise);
}

/* [direction][channel].  Without --directions as many as there are. */
static ws_status
read_directions(cli_arrays *a, wsi_recording *rec, const cli_args *args, const wsi_input *in)
{
	ws_emd_opts *emd = args->opts;
	const size_t channels = in->n_channels + (size_t)emd->noise_channels;
	if (!emd->directions)
		emd->directions = rec->n_channels < 1 << 20 ? (int)rec->n_channels : 1 << 20;
	if (rec->epochs || rec->n_channels < (size_t)emd->directions || rec->n_channels == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: the directions must be an array "
		                "[direction][channel], with %d or more directions, not %zu",
		                rec->path, emd->directions, rec->n_channels);
	for (size_t i = 0; i < (size_t)emd->directions; i++)
		if (rec->channels[i].samples != channels)
			return WSI_FAIL(WS_E_FORMAT, "%s: direction %zu has %zu numbers, but "
			                "there are %zu channels, noise included", rec->path, i + 1,
			                rec->channels[i].samples, channels);
	const size_t rows = (size_t)emd->directions;
	WSI_TRY(count_bytes(a, rec, args, rows, channels, sizeof *a->directions));
	WSI_NEW(a->directions, rows * channels, "%s: not enough memory", rec->path);
	emd->direction_vectors = a->directions;
	/* Directions may have any length. */
	return read_rows(rec, "direction", (size_t)emd->directions, channels, WS_F64, DBL_MAX,
	                 a->directions);
}

/* To *to, which the options point to. */
static ws_status
read_masks(cli_arrays *a, wsi_mask_file *to, const ws_masks **option, const char *path,
           const cli_args *args)
{
	const wsi_open_opts opts = { .memory = cli_open_opts(args).memory,
		.opened = args->opened };
	WSI_TRY(wsi_mask_file_read(to, path, &opts));
	a->bytes += to->bytes;
	*option = &to->masks;
	return WS_OK;
}

ws_status
cli_arrays_read(cli_arrays *a, const cli_args *args, const wsi_input *in)
{
	static const struct {
		const char *option;
		ws_status (*read)(cli_arrays *a, wsi_recording *rec, const cli_args *args,
		                  const wsi_input *in);
	} readers[] = { { "noise-file", read_noise }, { "direction-set", read_directions } };
	*a = (cli_arrays){ 0 };
	for (const ws_option_file *f = args->files; f->option; f++) {
		if (strcmp(f->option, "masks") == 0) {
			WSI_TRY(read_masks(a, &a->masks, &((ws_conv_opts *)args->opts)->masks,
			                   f->path, args));
			continue;
		}
		if (strcmp(f->option, "interpolation-kernel") == 0) {
			WSI_TRY(read_masks(a, &a->kernel, &((ws_conv_opts *)args->opts)->
			                   interpolation_kernel, f->path, args));
			continue;
		}
		size_t i = 0;
		while (i < sizeof readers / sizeof *readers
		       && strcmp(readers[i].option, f->option) != 0)
			i++;
		if (i == sizeof readers / sizeof *readers)
			return WSI_FAIL(WS_E_INTERNAL, "--%s has no reader in arrays.c", f->option);
		wsi_recording *rec;
		const wsi_open_opts opts = { .memory = cli_open_opts(args).memory,
			.opened = args->opened, .of_option = true };
		WSI_TRY(wsi_recording_open(&rec, f->path, &opts));
		cli_tell_notes(rec);
		const ws_status status = readers[i].read(a, rec, args, in);
		wsi_recording_close(rec);
		WSI_TRY(status);
	}
	return WS_OK;
}

void
cli_arrays_free(cli_arrays *a)
{
	free(a->noise);
	free(a->directions);
	wsi_mask_file_free(&a->masks);
	wsi_mask_file_free(&a->kernel);
	*a = (cli_arrays){ 0 };
}
