/* input.c - see input.h. */
#include "input.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/readers.h"
#include "message.h"
#include "selection.h"

#define CHUNK 65536

const char *
cli_input_name(const cli_input *in, size_t channel)
{
	return in->rec->channels[in->channels[channel]].name;
}

/* ---- Selection ------------------------------------------------------------- */

static ws_status
select_channels(cli_input *in, const cli_args *args)
{
	wsi_recording *rec = in->rec;
	size_t n = rec->n_channels;
	if (args->channels) {
		const char **names = calloc(n + 1, sizeof *names);
		if (!names)
			return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
		for (size_t i = 0; i < n; i++)
			names[i] = rec->channels[i].name;
		ws_status status = cli_select(args->channels, n, names, "--channels", rec->path,
		                              &in->channels, &in->n_channels);
		free(names);
		return status;
	}
	in->channels = calloc(n + 1, sizeof *in->channels);
	if (!in->channels)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < n; i++)
		if (rec->channels[i].is_signal)
			in->channels[in->n_channels++] = i;
	if (in->n_channels == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no signal channel; wavesift info shows what it has",
		                rec->path);
	return WS_OK;
}

static bool
alike(const wsi_channel *a, const wsi_channel *b)
{
	return a->fs == b->fs && a->samples == b->samples;
}

/* All selected channels must share rate and length; where they do not, the
 * message names the largest set that does. */
static ws_status
check_rates(const cli_input *in)
{
	const wsi_recording *rec = in->rec;
	const wsi_channel *first = &rec->channels[in->channels[0]], *best = first, *other = NULL;
	size_t most = 0;
	for (size_t i = 0; i < in->n_channels; i++) {
		const wsi_channel *c = &rec->channels[in->channels[i]];
		size_t count = 0;
		for (size_t j = 0; j < in->n_channels; j++)
			count += alike(&rec->channels[in->channels[j]], c);
		if (!other && !alike(c, first))
			other = c;
		if (count > most) {
			most = count;
			best = c;
		}
	}
	if (!other)
		return WS_OK;
	unsigned char *chosen = calloc(rec->n_channels, 1);
	if (!chosen)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < in->n_channels; i++)
		chosen[in->channels[i]] = alike(&rec->channels[in->channels[i]], best);
	char list[128];
	cli_describe_list(chosen, rec->n_channels, list, sizeof list);
	free(chosen);
	if (first->fs != other->fs)
		return WSI_FAIL(WS_E_FORMAT, "%s: channels %s (%g Hz) and %s (%g Hz) differ in rate; select "
		                "channels of one rate, such as --channels %s", rec->path, first->name,
		                first->fs, other->name, other->fs, list);
	return WSI_FAIL(WS_E_FORMAT, "%s: channels %s (%zu samples) and %s (%zu samples) differ in "
	                "length; select channels of one length, such as --channels %s", rec->path,
	                first->name, first->samples, other->name, other->samples, list);
}

static ws_status
select_epochs(cli_input *in, const cli_args *args)
{
	in->epoched = in->rec->epochs > 0;
	if (args->epochs) {
		if (!in->epoched)
			return WSI_FAIL(WS_E_ARG, "--epochs %s: %s is continuous; use --from and --to",
			                args->epochs, in->rec->path);
		return cli_select(args->epochs, in->rec->epochs, NULL, "--epochs", in->rec->path,
		                  &in->epochs, &in->n_epochs);
	}
	in->n_epochs = in->epoched ? in->rec->epochs : 1;
	in->epochs = calloc(in->n_epochs, sizeof *in->epochs);
	if (!in->epochs)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", in->rec->path);
	for (size_t i = 0; i < in->n_epochs; i++)
		in->epochs[i] = i;
	return WS_OK;
}

static ws_status
select_time(cli_input *in, const cli_args *args)
{
	const wsi_recording *rec = in->rec;
	const wsi_channel *c = &rec->channels[in->channels[0]];
	const cli_time_axis axis = { .path = rec->path, .samples = c->samples, .fs = c->fs,
		.origin = rec->time_origin, .unit = rec->time_unit, .fs_known = rec->fs_known };
	if (c->samples == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no samples", rec->path);
	in->fs = c->fs;
	in->fs_known = rec->fs_known;
	return cli_select_time(&axis, &args->from, &args->to, &in->first, &in->samples);
}

/* NumPy users keep samples in rows about as often as in columns. */
static void
warn_of_swapped_axes(const cli_input *in, const cli_args *args)
{
	const wsi_recording *rec = in->rec;
	if (args->quiet || rec->reader != &wsi_reader_npy || rec->epochs
	    || rec->n_channels <= rec->channels[0].samples)
		return;
	cli_say("%s: read as [channel][time], %zu channels of %zu samples; if it is [time][channel], "
	        "save it transposed", rec->path, rec->n_channels, rec->channels[0].samples);
}

ws_status
cli_recording_open(wsi_recording **rec, const cli_args *args)
{
	wsi_open_opts opts = { .raw = args->raw, .variable = args->variable, .fs = args->fs };
	WSI_TRY(wsi_recording_open(rec, args->operands[0], &opts));
	const wsi_reader *reader = (*rec)->reader;
	bool arrays = reader == &wsi_reader_mat || reader == &wsi_reader_hdf5
	              || strcmp((*rec)->format, "NPZ") == 0;
	if (!args->variable || arrays) {
		/* Such as that it was cut short: it is worth reading all the same. */
		if ((*rec)->note && !args->quiet)
			cli_say("%s", (*rec)->note);
		return WS_OK;
	}
	ws_status status = WSI_FAIL(WS_E_ARG, "--variable %s: %s is %s, which has no arrays to choose "
	                            "from; leave it out", args->variable, args->operands[0],
	                            (*rec)->format);
	wsi_recording_close(*rec);
	*rec = NULL;
	return status;
}

ws_status
cli_input_open(cli_input *in, const cli_args *args)
{
	*in = (cli_input){ .interpolate = args->interpolate, .quiet = args->quiet,
		.type = args->precision };
	WSI_TRY(cli_recording_open(&in->rec, args));
	ws_status status = select_channels(in, args);
	if (status == WS_OK)
		status = check_rates(in);
	if (status == WS_OK)
		status = select_epochs(in, args);
	if (status == WS_OK)
		status = select_time(in, args);
	if (status != WS_OK) {
		cli_input_close(in);
		return status;
	}
	warn_of_swapped_axes(in, args);
	return WS_OK;
}

void
cli_input_close(cli_input *in)
{
	wsi_recording_close(in->rec);
	free(in->channels);
	free(in->epochs);
	*in = (cli_input){ 0 };
}

double
cli_input_first_time(const cli_input *in)
{
	return in->rec->time_origin + (double)in->first / in->fs;
}

/* ---- Samples --------------------------------------------------------------- */

static ws_status
read_part(cli_input *in, size_t i, size_t first, size_t count, double *out)
{
	return wsi_recording_read(in->rec, in->epochs[i / in->n_channels],
	                          in->channels[i % in->n_channels], in->first + first, count, out);
}

/* Gaps up to this are mended: 1 s or 10 samples. */
static size_t
longest_gap(const cli_input *in)
{
	double second = in->fs_known ? floor(in->fs) : 0;
	return second > 10 ? (size_t)second : 10;
}

/* what: is wrong with a sample of signal i. */
static ws_status
refuse_sample(const cli_input *in, size_t i, size_t sample, const char *what, const char *advice)
{
	size_t at = in->first + sample;
	char when[112] = "", time[CLI_MOMENT_TEXT];
	if (in->epoched)
		snprintf(when, sizeof when, " of epoch %zu", in->epochs[i / in->n_channels] + 1);
	if (in->fs_known)
		snprintf(when + strlen(when), sizeof when - strlen(when), " (%s)",
		         cli_format_moment(in->rec->time_origin + (double)at / in->fs,
		                           in->rec->time_unit, in->fs, true, time));
	return WSI_FAIL(WS_E_FORMAT, "%s: channel %s is %s at sample %zu%s; %s", in->rec->path,
	                cli_input_name(in, i % in->n_channels), what, at + 1, when, advice);
}

static ws_status
not_finite(const cli_input *in, size_t i, size_t sample, const char *advice)
{
	return refuse_sample(in, i, sample, "not a finite number", advice);
}

static ws_status
too_large(const cli_input *in, size_t i, size_t sample, double value)
{
	char what[80];
	snprintf(what, sizeof what, "%g, more than f32 holds,", value);
	return refuse_sample(in, i, sample, what, "use --precision f64");
}

/* Follows the gaps of one signal chunk by chunk; gap: where the open one
 * began, or SIZE_MAX. */
static ws_status
check_chunk(const cli_input *in, size_t i, size_t first, size_t count, const double *x,
            size_t *gap)
{
	static const char too_long[] = "the gap is too long to interpolate; choose channels or times "
	                               "without it (--channels, --from, --to)";
	for (size_t k = 0; k < count; k++) {
		size_t at = first + k;
		bool finite = isfinite(x[k]);
		if (finite && in->type == WS_F32 && fabs(x[k]) > (double)FLT_MAX)
			return too_large(in, i, at, x[k]);
		if (!finite && !in->interpolate)
			return not_finite(in, i, at, "--nan interpolate mends short gaps");
		if (!finite && *gap == SIZE_MAX) {
			if (at == 0)
				return not_finite(in, i, at, "a gap at the beginning cannot be interpolated; "
				                  "start later with --from");
			*gap = at;
		}
		if (*gap != SIZE_MAX && at - *gap + !finite > longest_gap(in))
			return not_finite(in, i, *gap, too_long);
		if (finite)
			*gap = SIZE_MAX;
	}
	if (first + count == in->samples && *gap != SIZE_MAX)
		return not_finite(in, i, *gap, "a gap at the end cannot be interpolated; stop earlier "
		                  "with --to");
	return WS_OK;
}

/* Of each channel selected, mended[i] samples. */
static void
count_mended(cli_input *in, const size_t *mended)
{
	char names[256] = "";
	size_t samples = 0, channels = 0, length = 0;
	bool more = false;
	for (size_t i = 0; i < in->n_channels; i++) {
		if (!mended[i])
			continue;
		samples += mended[i];
		channels++;
		if (length < 160)
			length += (size_t)snprintf(names + length, sizeof names - length, "%s%.48s",
			                           length ? ", " : "", cli_input_name(in, i));
		else
			more = true;
	}
	in->mended = samples;
	if (samples && !in->quiet)
		cli_say("%s: interpolated %zu sample%s in %zu channel%s (%s%s)", in->rec->path, samples,
		        samples == 1 ? "" : "s", channels, channels == 1 ? "" : "s", names,
		        more ? ", .." : "");
}

ws_status
cli_input_check(cli_input *in)
{
	size_t signals = in->n_epochs * in->n_channels;
	double *x = malloc(CHUNK * sizeof *x);
	size_t *mended = calloc(in->n_channels, sizeof *mended);
	ws_status status = x && mended ? WS_OK
	                 : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", in->rec->path);
	for (size_t i = 0; i < signals && status == WS_OK; i++) {
		size_t gap = SIZE_MAX;
		for (size_t first = 0; first < in->samples && status == WS_OK; first += CHUNK) {
			size_t count = in->samples - first < CHUNK ? in->samples - first : CHUNK;
			status = read_part(in, i, first, count, x);
			if (status == WS_OK)
				status = check_chunk(in, i, first, count, x, &gap);
			for (size_t k = 0; k < count && status == WS_OK; k++)
				mended[i % in->n_channels] += !isfinite(x[k]);
		}
	}
	if (status == WS_OK)
		count_mended(in, mended);
	free(mended);
	free(x);
	return status;
}

static double
get(const void *x, ws_type type, size_t k)
{
	return type == WS_F64 ? ((const double *)x)[k] : (double)((const float *)x)[k];
}

/* Straight lines across the gaps that cli_input_check let pass. */
static void
mend(void *x, ws_type type, size_t n)
{
	for (size_t k = 1; k < n; k++) {
		if (isfinite(get(x, type, k)))
			continue;
		size_t end = k;
		while (end < n && !isfinite(get(x, type, end)))
			end++;
		double a = get(x, type, k - 1), b = end < n ? get(x, type, end) : a;
		for (size_t j = k; j < end; j++) {
			double v = a + (b - a) * ((double)(j - k + 1) / (double)(end - k + 1));
			if (type == WS_F64)
				((double *)x)[j] = v;
			else
				((float *)x)[j] = (float)v;
		}
		k = end;
	}
}

static ws_status
read_f32(cli_input *in, size_t i, float *x)
{
	double *part = malloc(CHUNK * sizeof *part);
	if (!part)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", in->rec->path);
	ws_status status = WS_OK;
	for (size_t first = 0; first < in->samples && status == WS_OK; first += CHUNK) {
		size_t count = in->samples - first < CHUNK ? in->samples - first : CHUNK;
		status = read_part(in, i, first, count, part);
		for (size_t k = 0; k < count && status == WS_OK; k++)
			x[first + k] = (float)part[k];
	}
	free(part);
	return status;
}

ws_status
cli_input_read(cli_input *in, size_t i, void *x)
{
	if (in->type == WS_F64)
		WSI_TRY(read_part(in, i, 0, in->samples, x));
	else
		WSI_TRY(read_f32(in, i, x));
	if (in->interpolate)
		mend(x, in->type, in->samples);
	return WS_OK;
}
