/* reference.c - channels against another reference, or in units of their standard deviation. */
#include "io/read/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/new.h"
#include "io/read/input_resample.h"
#include "io/read/read.h"
#include "io/read/selection.h"
#include "io/read/types.h"

#define CHUNK 65536

static const wsi_channel *
channel_of(const wsi_input *in, size_t c)
{
	return &in->rec->channels[in->channels[c]];
}

/* A unit whose first letter may be either sign for micro, or u. */
static const char *
behind_micro(const char *unit, bool *micro)
{
	const size_t n = strncmp(unit, "\xc2\xb5", 2) == 0 || strncmp(unit, "\xce\xbc", 2) == 0
	                 ? 2 : *unit == 'u';
	*micro = n > 0;
	return unit + n;
}

static bool
units_differ(const char *a, const char *b)
{
	bool x, y;
	const char *p = behind_micro(a, &x), *q = behind_micro(b, &y);
	return *a != '\0' && *b != '\0' && (x != y || strcmp(p, q) != 0);
}

/* A reference must have rate, length and unit of the channels that are set against it. */
static ws_status
check_alike(const wsi_input *in, const wsi_channel *first, const char *list)
{
	for (size_t k = 0; k < in->n_reference; k++) {
		const wsi_channel *c = &in->rec->channels[in->reference[k]];
		WSI_TRY(wsi_channel_check(in->rec, in->reference[k]));
		if (c->fs != first->fs || c->samples != first->samples)
			return WSI_FAIL(WS_E_ARG, "`rereference %s`: channels %s and %s of %s "
			                "differ in rate or length; choose channels that share both",
			                list, c->name, first->name, in->rec->path);
		if (units_differ(c->unit, first->unit))
			return WSI_FAIL(WS_E_ARG, "`rereference %s`: channels %s (%s) and %s (%s) "
			                "of %s differ in unit; choose channels that share it", list,
			                c->name, c->unit, first->name, first->unit, in->rec->path);
	}
	return WS_OK;
}

ws_status
wsi_reference_choose(wsi_input *in, const char *list)
{
	bool known = false;
	size_t n = 0;
	in->rereference = list;
	in->referenced = wsi_kept_new(&in->kept, in->n_channels, sizeof *in->referenced);
	WSI_HAVE(in->referenced, "%s: not enough memory", in->rec->path);
	for (size_t c = 0; c < in->n_channels; c++)
		known |= wsi_type_is_referenced(channel_of(in, c)->type);
	for (size_t c = 0; c < in->n_channels; c++) {
		in->referenced[c] = !known || wsi_type_is_referenced(channel_of(in, c)->type);
		n += in->referenced[c];
	}
	if (strcmp(list, "average") != 0) {
		WSI_TRY(wsi_select_channels(list, in->rec, "rereference", &in->reference,
		                            &in->n_reference));
	} else {
		if (n < 2)
			return WSI_FAIL(WS_E_ARG, "`rereference average`: %s has %zu such channel "
			                "among those selected (`channels`); two are needed at "
			                "least", in->rec->path, n);
		WSI_NEW(in->reference, n, "%s: not enough memory", in->rec->path);
		for (size_t c = 0; c < in->n_channels; c++)
			if (in->referenced[c])
				in->reference[in->n_reference++] = in->channels[c];
	}
	/* Each of them has the rate of the others or is refused. */
	for (size_t c = 0; c < in->n_channels; c++)
		if (in->referenced[c])
			WSI_TRY(check_alike(in, channel_of(in, c), list));
	while (!in->referenced[in->first_referenced])
		in->first_referenced++;
	return WS_OK;
}

/* Samples that an epoch has of it. */
static size_t
span_of(const wsi_input *in, size_t epoch, size_t *first)
{
	size_t count, core, n_core;
	wsi_input_span(in, epoch * in->n_channels + in->first_referenced, first, &count, &core,
	               &n_core);
	return count;
}

static size_t
longest_span(const wsi_input *in)
{
	size_t most = 0, first;
	for (size_t e = 0; e < in->n_epochs; e++) {
		const size_t n = span_of(in, e, &first);
		most = n > most ? n : most;
	}
	return most;
}

size_t
wsi_reference_bytes(const wsi_input *in)
{
	return in->referenced ? in->n_epochs * longest_span(in) * sizeof(double) : 0;
}

static ws_status
add_channel(wsi_input *in, size_t epoch, size_t channel, size_t first, size_t n, double *sum)
{
	WSI_TRY(wsi_recording_read(in->rec, in->starts ? 0 : in->epochs[epoch], channel, first, n,
	                           in->part));
	wsi_input_take_missing(in, in->part, n);
	for (size_t k = 0; k < n; k++) {
		if (!isfinite(in->part[k]))
			return WSI_FAIL(WS_E_FORMAT, "%s: channel %s, a reference, is not a finite "
			                "number at sample %zu; leave it out (`rereference`, "
			                "`channels`)", in->rec->path,
			                in->rec->channels[channel].name, first + k + 1);
		sum[k] += in->part[k];
	}
	return WS_OK;
}

ws_status
wsi_reference_read(wsi_input *in)
{
	if (!in->referenced)
		return WS_OK;
	in->reference_length = longest_span(in);
	in->reference_rows = wsi_kept_new(&in->kept, in->n_epochs * in->reference_length,
	                                  sizeof *in->reference_rows);
	WSI_HAVE(in->reference_rows, "%s: no memory for its reference", in->rec->path);
	for (size_t e = 0; e < in->n_epochs; e++) {
		size_t first;
		const size_t count = span_of(in, e, &first);
		for (size_t done = 0, n; done < count; done += n) {
			double *row = in->reference_rows + e * in->reference_length + done;
			n = count - done < CHUNK ? count - done : CHUNK;
			for (size_t k = 0; k < in->n_reference; k++)
				WSI_TRY(add_channel(in, e, in->reference[k], first + done, n, row));
			for (size_t k = 0; k < n; k++)
				row[k] /= (double)in->n_reference;
		}
	}
	return WS_OK;
}

void
wsi_reference_subtract(const wsi_input *in, size_t i, size_t first, size_t count, double *x)
{
	if (!in->referenced || !in->referenced[i % in->n_channels])
		return;
	const double *row = in->reference_rows + i / in->n_channels * in->reference_length + first;
	for (size_t k = 0; k < count; k++)
		x[k] -= row[k];
}

void
wsi_unit_variance(const wsi_input *in, void *x)
{
	const size_t first = in->before, n = in->samples;
	double mean = 0, squares = 0;
	for (size_t k = 0; k < n; k++)
		mean += wsi_real_at(x, in->type, first + k) / (double)n;
	for (size_t k = 0; k < n; k++) {
		const double d = wsi_real_at(x, in->type, first + k) - mean;
		squares += d * d / (double)n;
	}
	const double scale = sqrt(squares);
	for (size_t k = 0; scale > 0 && k < wsi_input_handed(in); k++)
		wsi_real_put(x, in->type, k, wsi_real_at(x, in->type, k) / scale);
}
