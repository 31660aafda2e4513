/* averages.c - --average: means over epochs, and their intervals. */
#include "averages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/new.h"
#include "base/rising.h"
#include "io/result/result.h"
#include "io/write/writer_format.h"
#include "message.h"
#include "plot/axis.h"
#include "signals.h"
#include "values.h"

#define BLOCK ((size_t)1 << 13) /* samples of an epoch that are read at a time */

/* ---- What is made ---------------------------------------------------------------------------- */

/* Has it a row of time, or several, for each channel? */
static bool
is_rows(const ws_array *a)
{
	return a->rank >= 2 && a->rank <= 3 && a->axis[0] == WS_AXIS_CHANNEL
	       && a->axis[a->rank - 1] == WS_AXIS_TIME && (a->type == WS_F64 || a->type == WS_F32);
}

/* Adds an array like another, under a name and the axes that it has; its number. */
static int
add(cli_averages *a, const ws_array *like, int axes, const char *name, const char *text)
{
	const int i = a->outputs.n++;
	char *own = wsi_kept_text(&a->kept, name);
	a->outputs.arrays[i] = *like;
	a->outputs.arrays[i].name = own ? own : "";
	a->outputs.arrays[i].text = text;
	memcpy(a->outputs.axes + i * WS_MOST_AXES, a->of->outputs->axes + axes * WS_MOST_AXES,
	       WS_MOST_AXES * sizeof *a->outputs.axes);
	memcpy(a->outputs.every + i * WS_MOST_AXES, a->of->outputs->every + axes * WS_MOST_AXES,
	       WS_MOST_AXES * sizeof *a->outputs.every);
	return i;
}

/* An interval for each array of rows; for frequencies their range, and how many epochs there
 * are. */
static void
add_new(cli_averages *a)
{
	const int n = a->of->outputs->n;
	char name[80];
	for (int i = 0; i < n; i++) {
		ws_array like = a->outputs.arrays[i];
		if (!is_rows(&like) || !cli_array_made(&like))
			continue;
		like.flags = WSI_ARRAY_INTERVAL;
		snprintf(name, sizeof name, "%.60s" WSI_INTERVAL, like.name);
		a->interval[i] = add(a, &like, i, name, "half of the mean's 95 % interval");
	}
	if (a->frequency < 0)
		return;
	ws_array like = a->outputs.arrays[a->frequency];
	a->range = add(a, &like, a->frequency, "frequency_low", "lowest of an epoch, Hz");
	add(a, &like, a->frequency, "frequency_high", "highest of an epoch, Hz");
	like.type = WS_I32;
	add(a, &like, a->frequency, "mode_epochs", "epochs that have the mode");
}

/* Arrays of the run, with the channels of one epoch, and where they wait in the spool. */
static void
take_arrays(cli_averages *a)
{
	const cli_outputs *from = a->of->outputs;
	a->frequency = -1;
	for (int i = 0; i < from->n; i++) {
		ws_array *to = &a->outputs.arrays[add(a, &from->arrays[i], i, from->arrays[i].name,
		                                      from->arrays[i].text)];
		uint64_t bytes = wsi_type_size(to->type);
		if (to->axis[0] == WS_AXIS_CHANNEL)
			to->extent[0] = a->in.n_channels;
		for (int k = to->axis[0] == WS_AXIS_CHANNEL; k < to->rank; k++)
			bytes *= to->extent[k];
		a->place[i] = a->entry;
		a->entry += (bytes + 7) / 8 * 8;
		if (strcmp(to->name, "frequency") != 0 || to->rank != 2 || to->type != WS_F64)
			continue;
		a->frequency = i;
		a->most = to->extent[1];
	}
}

ws_status
cli_averages_plan(cli_averages *a, const cli_outcome *of)
{
	const wsi_input *in = of->in;
	const size_t n = (size_t)of->outputs->n, room = 2 * n + 3;
	if (!in->epoched || in->n_epochs < 2)
		return WSI_FAIL(WS_E_ARG, "%s: --average needs two epochs or more, and %s: cut "
		                "them around events (--epochs-at)", of->args->operands[0],
		                in->epoched ? "one is selected" : "it has none");
	*a = (cli_averages){ .of = of, .in = *in };
	a->in.gathered = true;
	a->outputs.fs = of->outputs->fs;
	a->outputs.arrays = wsi_kept_new(&a->kept, room, sizeof *a->outputs.arrays);
	a->outputs.axes = wsi_kept_new(&a->kept, room * WS_MOST_AXES, sizeof *a->outputs.axes);
	a->outputs.every = wsi_kept_new(&a->kept, room * WS_MOST_AXES, sizeof *a->outputs.every);
	a->data = wsi_kept_new(&a->kept, room, sizeof *a->data);
	a->interval = wsi_kept_new(&a->kept, n, sizeof *a->interval);
	a->place = wsi_kept_new(&a->kept, n, sizeof *a->place);
	if (!a->kept.failed)
		take_arrays(a);
	if (!a->kept.failed)
		add_new(a);
	a->outcome = *of;
	a->outcome.in = &a->in;
	a->outcome.outputs = &a->outputs;
	a->outcome.averages = a;
	return a->kept.failed ? WSI_FAIL(WS_E_NOMEM, "not enough memory for averages") : WS_OK;
}

/* ---- Epochs ---------------------------------------------------------------------------------- */

/* Of the arrays of rows of a channel: elements, the mean and the interval of each. */
static double
slab_bytes(const cli_averages *a)
{
	double bytes = 0;
	for (int i = 0; i < a->of->outputs->n; i++)
		if (a->interval[i])
			bytes += 2.0 * (double)a->in.samples * (double)wsi_type_size(
				a->outputs.arrays[i].type) *
				(double)(a->outputs.arrays[i].rank > 2 ?
				a->outputs.arrays[i].extent[1] : 1);
	return bytes;
}

ws_status
cli_averages_open(cli_averages *a, size_t memory)
{
	const size_t signals = a->in.n_channels * a->in.n_epochs;
	/* Means are made when the run has left its memory. */
	const double held = slab_bytes(a) + 3.0 * BLOCK * sizeof(double);
	if (held > (double)memory + (double)ws_run_bytes(a->of->run))
		return WSI_FAIL(WS_E_NOMEM, "%s: averages of a channel take %.0f bytes, more than "
		                "--memory leaves", a->of->output, held);
	a->modes = wsi_kept_new(&a->kept, signals, sizeof *a->modes);
	a->frequencies = wsi_kept_new(&a->kept, signals * a->most, sizeof *a->frequencies);
	a->found = wsi_kept_new(&a->kept, a->most, sizeof *a->found);
	if (a->kept.failed || a->entry > INT64_MAX / signals)
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for averages of %zu epochs",
		                a->in.n_epochs);
	const uint64_t bytes = a->entry * signals;
	WSI_TRY(wsi_spool_open(&a->spool, a->of->output, bytes,
	                       (double)bytes < (double)memory / 2));
	a->open = true;
	return WS_OK;
}

ws_status
cli_averages_put(cli_averages *a, const ws_channel_result *r)
{
	for (int i = 0; i < a->of->outputs->n; i++) {
		const ws_array *array = &a->of->outputs->arrays[i];
		const ws_slab *slab = &r->slabs[i];
		wsi_file_array as = { .made = *array, .type = array->type };
		if (!slab->data || !cli_array_made(array))
			continue;
		if (array->flags & WS_ARRAY_COUNT)
			a->modes[r->channel] = (uint32_t)*(const int32_t *)slab->data;
		if (i == a->frequency)
			memcpy(a->frequencies + r->channel * a->most, slab->data,
			       slab->extent[0] * sizeof *a->frequencies);
		/* What all channels share has no axis of them. */
		for (int k = as.made.rank; as.made.axis[0] != WS_AXIS_CHANNEL && k > 0; k--) {
			as.made.extent[k] = as.made.extent[k - 1];
			as.made.rank = array->rank + 1;
		}
		WSI_TRY(wsi_slab_spool(&as, slab, &a->spool,
		                       r->channel * a->entry + a->place[i]));
	}
	return WS_OK;
}

/* ---- Means ----------------------------------------------------------------------------------- */

/* Half of the 95 % interval of a mean of n, in standard errors: Student's t of n - 1 degrees of
 * freedom, by its expansion about the normal distribution (Abramowitz and Stegun 26.7.5) to
 * 1e-4. */
static double
half_interval(size_t n)
{
	static const double few[] = { 12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052 };
	const double v = 1 / (double)(n - 1);
	return n < 6 ? few[n - 2]
	       : 1.9599639845 + v * (2.3722712 + v * (2.8224986 + v * (2.5558497 + v * 1.5895341)));
}

/* A row of an array of a channel: its mean over epochs from sample `first` on, and the interval;
 * epochs that lack the row have zeros. */
static ws_status
average_block(const cli_averages *a, int array, size_t channel, size_t row, size_t first, size_t n,
              double *block, double *mean, double *square)
{
	const ws_type type = a->outputs.arrays[array].type;
	const size_t size = wsi_type_size(type), epochs = a->in.n_epochs;
	const size_t samples = a->outputs.arrays[array].extent[a->outputs.arrays[array].rank - 1];
	memset(mean, 0, n * sizeof *mean);
	memset(square, 0, n * sizeof *square);
	for (size_t e = 0; e < epochs; e++) {
		const uint64_t entry = e * a->in.n_channels + channel;
		WSI_TRY(wsi_spool_read(&a->spool, entry * a->entry + a->place[array]
		                       + (row * samples + first) * size, block, n * size));
		for (size_t i = 0; i < n; i++) {
			const double x = wsi_real_at(block, type, i), d = x - mean[i];
			mean[i] += d / (double)(e + 1);
			square[i] += d * (x - mean[i]);
		}
	}
	const double scale = half_interval(epochs) / sqrt((double)epochs * (double)(epochs - 1));
	for (size_t i = 0; i < n; i++)
		square[i] = scale * sqrt(square[i]);
	return WS_OK;
}

static ws_status
average_rows(const cli_averages *a, int array, size_t channel, size_t rows, double *block,
             void *mean, void *interval)
{
	const ws_array *of = &a->outputs.arrays[array];
	const size_t samples = of->extent[of->rank - 1];
	for (size_t row = 0; row < rows; row++)
		for (size_t first = 0, n; first < samples; first += n) {
			n = samples - first < BLOCK ? samples - first : BLOCK;
			if (cli_signalled())
				return WSI_FAIL(WS_E_CANCELLED, "cancelled");
			WSI_TRY(average_block(a, array, channel, row, first, n, block,
			                      block + BLOCK, block + 2 * BLOCK));
			for (size_t i = 0; i < n; i++) {
				const size_t at = row * samples + first + i;
				wsi_real_put(mean, of->type, at, block[BLOCK + i]);
				wsi_real_put(interval, of->type, at, block[2 * BLOCK + i]);
			}
		}
	return WS_OK;
}

/* Element k of an array without time: of f64 the median over the epochs that have it, of i32 the
 * largest.  x: [epoch]; *n: how many it then has, in rising order. */
static ws_status
gather(const cli_averages *a, int array, size_t channel, size_t k, double *x, size_t *n)
{
	const ws_array *of = &a->outputs.arrays[array];
	const size_t size = wsi_type_size(of->type);
	const bool modes = of->axis[of->rank - 1] == WS_AXIS_MODE;
	*n = 0;
	for (size_t e = 0; e < a->in.n_epochs; e++) {
		const uint64_t entry = e * a->in.n_channels + channel;
		int32_t whole = 0;
		double value = 0;
		if (modes && k >= a->modes[entry])
			continue;
		WSI_TRY(wsi_spool_read(&a->spool, entry * a->entry + a->place[array] + k * size,
		                       of->type == WS_I32 ? (void *)&whole : (void *)&value, size));
		value = of->type == WS_I32 ? whole : value;
		if (!isnan(value))
			x[(*n)++] = value;
	}
	qsort(x, *n, sizeof *x, wsi_rising);
	return WS_OK;
}

/* Fills n elements, and of frequencies what is told of their range. */
static ws_status
average_small(const cli_averages *a, int array, size_t channel, size_t n)
{
	double *x = malloc((a->in.n_epochs + 1) * sizeof *x);
	ws_status status = x ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory for averages");
	for (size_t k = 0; k < n && status == WS_OK; k++) {
		size_t found;
		status = gather(a, array, channel, k, x, &found);
		const double middle = cli_median(x, found);
		if (a->outputs.arrays[array].type == WS_I32)
			((int32_t *)a->data[array])[k] = found ? (int32_t)x[found - 1] : 0;
		else
			((double *)a->data[array])[k] = middle;
		if (array != a->frequency)
			continue;
		((double *)a->data[a->range])[k] = found ? x[0] : NAN;
		((double *)a->data[a->range + 1])[k] = found ? x[found - 1] : NAN;
		((int32_t *)a->data[a->range + 2])[k] = (int32_t)found;
	}
	free(x);
	return status;
}

/* Modes that any epoch of a channel has. */
static size_t
modes_of(const cli_averages *a, size_t channel)
{
	size_t most = 0;
	for (size_t e = 0; e < a->in.n_epochs; e++)
		most = a->modes[e * a->in.n_channels + channel] > most
		       ? a->modes[e * a->in.n_channels + channel] : most;
	return most;
}

/* The slabs of a channel, as a run hands them over, in memory that lasts as long as a. */
static ws_status
make_slabs(cli_averages *a, ws_slab *slabs)
{
	for (int i = 0; i < a->outputs.n; i++) {
		const ws_array *of = &a->outputs.arrays[i];
		const int own = of->axis[0] == WS_AXIS_CHANNEL;
		size_t n = 1;
		for (int k = own; k < of->rank; k++)
			n *= slabs[i].extent[k - own] = of->extent[k];
		a->data[i] = cli_array_made(of) ? wsi_kept_new(&a->kept, n, wsi_type_size(of->type))
		             : NULL;
		slabs[i].data = a->data[i];
	}
	return a->kept.failed ? WSI_FAIL(WS_E_NOMEM, "not enough memory for averages") : WS_OK;
}

static ws_status
average_channel(cli_averages *a, size_t channel, double *block, ws_slab *slabs)
{
	const size_t modes = modes_of(a, channel);
	for (int i = 0; i < a->outputs.n; i++)
		for (int k = 1; k < a->outputs.arrays[i].rank; k++)
			if (a->outputs.arrays[i].axis[k] == WS_AXIS_MODE)
				slabs[i].extent[k - 1] = modes;
	for (int i = 0; i < a->of->outputs->n; i++) {
		const ws_array *of = &a->outputs.arrays[i];
		size_t n = 1;
		if (!slabs[i].data)
			continue;
		if (a->interval[i]) {
			WSI_TRY(average_rows(a, i, channel, of->rank > 2 ? slabs[i].extent[0] : 1,
			                     block, a->data[i], a->data[a->interval[i]]));
			continue;
		}
		for (int k = of->axis[0] == WS_AXIS_CHANNEL; k < of->rank; k++)
			n *= slabs[i].extent[k - (of->axis[0] == WS_AXIS_CHANNEL)];
		WSI_TRY(average_small(a, i, channel, n));
	}
	return WS_OK;
}

/* What the mode of each number is in all epochs and channels. */
static ws_status
look_at_modes(cli_averages *a)
{
	const size_t signals = a->in.n_channels * a->in.n_epochs;
	double *x = malloc((signals + 1) * sizeof *x);
	WSI_HAVE(x, "not enough memory for averages");
	for (size_t k = 0; k < a->most; k++) {
		cli_averaged_mode *m = &a->found[k];
		for (size_t i = 0; i < signals; i++)
			if (a->modes[i] > k)
				x[m->epochs++] = a->frequencies[i * a->most + k];
		m->median = cli_median(x, m->epochs);
		m->low = m->epochs ? x[0] : NAN;
		m->high = m->epochs ? x[m->epochs - 1] : NAN;
	}
	for (size_t k = 0; k < a->most; k++)
		a->found[k].mixed = (k > 0 && a->found[k].high >= a->found[k - 1].median)
			|| (k + 1 < a->most && a->found[k].low <= a->found[k + 1].median);
	free(x);
	return WS_OK;
}

ws_status
cli_averages_finish(cli_averages *a, ws_status (*take)(void *user, const ws_channel_result *r),
                    void *user)
{
	ws_slab *slabs = wsi_kept_new(&a->kept, (size_t)a->outputs.n, sizeof *slabs);
	double *block = wsi_kept_new(&a->kept, 3 * BLOCK, sizeof *block);
	WSI_TRY(look_at_modes(a));
	if (!a->kept.failed)
		WSI_TRY(make_slabs(a, slabs));
	WSI_HAVE(!a->kept.failed, "not enough memory for averages");
	for (size_t c = 0; c < a->in.n_channels; c++) {
		const ws_channel_result r = { .size = sizeof r, .channel = c, .slabs = slabs };
		WSI_TRY(average_channel(a, c, block, slabs));
		WSI_TRY(take(user, &r));
	}
	return WS_OK;
}

/* ---- What is told ---------------------------------------------------------------------------- */

static size_t
modes_found(const cli_averages *a)
{
	size_t n = 0;
	while (n < a->most && a->found[n].epochs)
		n++;
	return n;
}

void
cli_averages_tell(const cli_averages *a)
{
	const size_t n = modes_found(a);
	const char *dot = strrchr(a->of->output, '.');
	size_t mixed = 0;
	for (size_t k = 0; k < n; k++)
		mixed += a->found[k].mixed;
	if (dot && strcmp(dot, ".npy") == 0)
		cli_note("%s: has the means alone; .h5, .mat and .csv have their intervals, too",
		         a->of->output);
	if (mixed)
		cli_note("modes are averaged by number, and %zu of %zu are in some epochs as fast "
		         "as another mode is in most: their averages mix rhythms (bands keep them "
		         "apart)", mixed, n);
}

void
cli_averages_print(const cli_averages *a)
{
	const wsi_frequency_unit unit = wsi_axis_frequency_unit(a->in.fs, a->in.fs_known,
	                                                        a->in.samples);
	const size_t n = modes_found(a);
	char middle[32], low[32], high[32];
	printf("\naverage over %zu epochs, with the 95 %% interval of each mean", a->in.n_epochs);
	for (size_t k = 0; k < n; k++)
		printf("%s%zu: %s (%s - %s)%s", k ? ", " : "; frequency of modes, median (range): ",
		       k + 1, cli_format_figures(a->found[k].median * unit.seconds, 3, middle),
		       cli_format_figures(a->found[k].low * unit.seconds, 3, low),
		       cli_format_figures(a->found[k].high * unit.seconds, 3, high),
		       a->found[k].mixed ? " mixed" : "");
	printf("%s%s\n", n ? " " : "", n ? unit.name : "");
}

json_t *
cli_averages_json(const cli_averages *a)
{
	json_t *modes = json_array();
	for (size_t k = 0; k < modes_found(a); k++) {
		const cli_averaged_mode *m = &a->found[k];
		json_array_append_new(modes, json_pack("{s:o, s:o, s:o, s:b}", "frequency",
			cli_json_real(m->median), "lowest", cli_json_real(m->low), "highest",
			cli_json_real(m->high), "mixed", m->mixed));
	}
	return json_pack("{s:I, s:o}", "epochs", (json_int_t)a->in.n_epochs, "modes", modes);
}

void
cli_averages_close(cli_averages *a)
{
	if (a->open)
		wsi_spool_close(&a->spool);
	wsi_kept_free(&a->kept);
	*a = (cli_averages){ 0 };
}
