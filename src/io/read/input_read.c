/* input_read.c - one pass over the samples of an input, signal by signal: each as the file has it,
 * or all transposed beforehand where that is quicker. */
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/element.h"
#include "base/new.h"
#include "io/read/hashing.h"
#include "io/read/input_checks.h"
#include "io/read/input_known.h"
#include "io/read/input_read.h"
#include "io/read/input_resample.h"
#include "io/read/input_samples.h"
#include "io/read/reference.h"
#include "io/write/spool.h"

/* Bytes of a file read in order that stand in memory; of one that is transposed as many as
 * keep what is written of each channel long. */
#define ORDERED_WINDOW ((size_t)1 << 20)
#define TRANSPOSE_WINDOW ((size_t)32 << 20)
#define LEAST_WINDOW ((size_t)64 << 10)

/* ---- Samples ----------------------------------------------------------------------- */

/* Reads and checks samples of signal i, of those that it needs, into x as in->type. */
static ws_status
read_part(wsi_input *in, size_t i, size_t first, size_t count, void *x)
{
	size_t start, all, core, samples;
	wsi_input_span(in, i, &start, &all, &core, &samples);
	const size_t before = core - start;
	for (size_t done = 0, n; done < count; done += n) {
		n = count - done < WSI_INPUT_CHUNK ? count - done : WSI_INPUT_CHUNK;
		double *part = in->type == WS_F64 ? (double *)x + done : in->part;
		const size_t at = first + done;
		WSI_TRY(wsi_input_samples(in, i, at, n, part));
		/* What lies about the times selected need not be finite. */
		const size_t from = at > before ? at : before;
		const size_t to = at + n < before + samples ? at + n : before + samples;
		if (from < to)
			WSI_TRY(in->readers > 1 && wsi_input_waits(in)
			        ? wsi_check_alone(in, i, from - before, to - from,
			                          part + (from - at))
			        : wsi_check_chunk(in, i, from - before, to - from, samples,
			                          part + (from - at)));
		for (size_t k = 0; k < n && in->type == WS_F32; k++)
			((float *)x)[done + k] = (float)part[k];
	}
	return WS_OK;
}

/* ---- The order of a file ----------------------------------------------------------- */

/* Rows of an epoch, one behind the other, are as long as their rates ask. */
static void
place_rows(wsi_input *in)
{
	size_t first, count, core, n_core;
	for (size_t c = 0; in->row_offset && c < in->n_channels; c++) {
		wsi_input_span(in, c, &first, &count, &core, &n_core);
		in->row_offset[c + 1] = in->row_offset[c] + count * wsi_type_size(in->type);
	}
}

/* Of signal i, as it is kept. */
static size_t
row_bytes(const wsi_input *in, size_t i)
{
	const size_t c = i % in->n_channels;
	return in->row_offset ? in->row_offset[c + 1] - in->row_offset[c]
	       : wsi_input_handed(in) * wsi_type_size(in->type);
}

/* Of all signals. */
static size_t
rows_bytes(const wsi_input *in)
{
	return in->n_epochs * (in->row_offset ? in->row_offset[in->n_channels]
	                       : in->n_channels * row_bytes(in, 0));
}

/* Where signal i begins among them. */
static size_t
row_at(const wsi_input *in, size_t i)
{
	if (!in->row_offset)
		return i * row_bytes(in, 0);
	return i / in->n_channels * in->row_offset[in->n_channels] +
	       in->row_offset[i % in->n_channels];
}

/* Samples of the longest row, at its own rate. */
static size_t
longest_row(const wsi_input *in)
{
	size_t most = 0, first, count, core, n_core;
	const size_t epochs = in->starts ? in->n_epochs : 1;
	for (size_t i = 0; i < epochs * in->n_channels; i++) {
		wsi_input_span(in, i, &first, &count, &core, &n_core);
		most = count > most ? count : most;
	}
	return most;
}

static bool
ascends(const size_t *numbers, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (numbers[i] < numbers[i - 1])
			return false;
	return true;
}

/* Do signals, in their order, lie one behind the other in the file? */
static bool
is_in_order(const wsi_input *in)
{
	const bool transposed = in->gathered && in->n_epochs > 1 && in->n_channels > 1;
	if (!in->rec->file || transposed || !ascends(in->epochs, in->n_epochs))
		return false;
	if (in->rec->order == WSI_ORDER_CHANNELS)
		return ascends(in->channels, in->n_channels);
	return in->rec->order == WSI_ORDER_SAMPLES && in->n_channels == 1;
}

void
wsi_input_plan(wsi_input *in, size_t memory)
{
	const wsi_file *f = in->rec->file;
	place_rows(in);
	const size_t rows = rows_bytes(in);
	size_t room = memory / 4;
	in->reading = WSI_READ_AS_IT_COMES;
	/* Epochs around events may overlap. */
	if (in->starts) {
		room = 0;
	} else if (is_in_order(in)) {
		in->reading = WSI_READ_ONCE;
		room = room < ORDERED_WINDOW ? room : ORDERED_WINDOW;
	} else if (f && in->rec->order == WSI_ORDER_SAMPLES) {
		in->reading = in->readers < 2 && rows <= memory - room ? WSI_READ_TRANSPOSED
		              : WSI_READ_SPOOLED;
		room = room < TRANSPOSE_WINDOW ? room : TRANSPOSE_WINDOW;
	} else {
		room = 0;
	}
	in->reading_bytes = room + (in->reading == WSI_READ_TRANSPOSED ? rows : 0);
	in->reading_bytes += wsi_reference_bytes(in);
	if (in->resamplers)
		in->reading_bytes += longest_row(in) * sizeof *in->source;
	room = room > LEAST_WINDOW ? room : LEAST_WINDOW;
	in->window.room = f && room > f->bytes ? (size_t)f->bytes : room;
}

/* ---- Transposing ------------------------------------------------------------------- */

static ws_status
put_transposed(wsi_input *in, const char *output, size_t i, size_t first, size_t count,
                   const void *x)
{
	const size_t size = wsi_type_size(in->type);
	return wsi_spool_file_write(in->spool, output, row_at(in, i) + first * size, x,
	                            count * size);
}

typedef struct placed {
	size_t in_file, in_input; /* channel */
} placed;

static int
by_place(const void *a, const void *b)
{
	const size_t x = ((const placed *)a)->in_file, y = ((const placed *)b)->in_file;
	return x < y ? -1 : x > y;
}

/* Channels by their place in the file, so that a stretch of it is gone through once. */
static placed *
place_channels(const wsi_input *in)
{
	placed *order = calloc(in->n_channels, sizeof *order);
	for (size_t i = 0; order && i < in->n_channels; i++)
		order[i] = (placed){ in->channels[i], i };
	if (order)
		qsort(order, in->n_channels, sizeof *order, by_place);
	return order;
}

/* All channels of one epoch, in so many steps: a step is the same time of all, whatever their
 * rates. */
static ws_status
transpose_epoch(wsi_input *in, const char *output, size_t epoch, const placed *order, size_t steps,
                void *x, bool (*stop)(void))
{
	const size_t size = wsi_type_size(in->type), readers = in->readers > 1 ? in->readers : 1;
	const size_t end_step = steps * (in->reader + 1) / readers;
	for (size_t step = steps * in->reader / readers; step < end_step; step++) {
		for (size_t k = 0; k < in->n_channels; k++) {
			const size_t i = epoch * in->n_channels + order[k].in_input;
			const size_t all = row_bytes(in, i) / size;
			const size_t first = all / steps * step + all % steps * step / steps;
			const size_t end = all / steps * (step + 1) +
			                   all % steps * (step + 1) / steps;
			char *to = in->transposed
			                   ? (char *)in->transposed + row_at(in, i) + first * size
			                   : x;
			WSI_TRY(read_part(in, i, first, end - first, to));
			if (!in->transposed)
				WSI_TRY(put_transposed(in, output, i, first, end - first, x));
		}
		if (stop && stop())
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	}
	return WS_OK;
}

/* Where the part of a reader of several ends in the file, about; headers lie before the samples. */
static void
limit_window(wsi_input *in)
{
	const wsi_channel *c = &in->rec->channels[in->channels[0]];
	size_t first, count, core, n_core;
	if (in->readers < 2 || in->n_epochs > 1 || c->samples == 0)
		return;
	wsi_input_span(in, 0, &first, &count, &core, &n_core);
	const double share = (double)(in->reader + 1) / (double)in->readers;
	const double to = ((double)first + (double)count * share) / (double)c->samples;
	const uint64_t end = (uint64_t)(to * (double)in->window.end) + ORDERED_WINDOW;
	in->window.end = end < in->window.end ? end : in->window.end;
}

static ws_status
transpose(wsi_input *in, const char *output, bool (*stop)(void))
{
	const wsi_recording *rec = in->rec;
	const size_t epochs = rec->epochs ? rec->epochs : 1, longest = longest_row(in);
	size_t most = 1;
	for (size_t i = 0; i < in->n_channels; i++)
		if (rec->channels[in->channels[i]].samples > most)
			most = rec->channels[in->channels[i]].samples;
	/* The other half of the window is for records that lie across. */
	const size_t frame = (size_t)(rec->file->bytes / (most * epochs)) + 1;
	size_t some = in->window.room / 2 / frame;
	some = some < 1 ? 1 : some > WSI_INPUT_CHUNK ? WSI_INPUT_CHUNK : some;
	placed *order = place_channels(in);
	void *x = malloc((some + 1) * sizeof(double));
	ws_status status = order && x ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
	for (size_t e = 0; e < in->n_epochs && status == WS_OK; e++)
		status = transpose_epoch(in, output, e, order, (longest + some - 1) / some, x,
		                         stop);
	free(order);
	free(x);
	return status;
}

static ws_status
open_store(wsi_input *in, const char *output)
{
	const size_t rows = rows_bytes(in);
	if (in->reading == WSI_READ_SPOOLED)
		return in->readers > 1 ? WS_OK : wsi_spool_file(&in->spool, output);
	in->transposed = wsi_block_take(rows);
	return in->transposed ? WS_OK
	       : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu bytes of it", in->rec->path, rows);
}

bool
wsi_input_waits(const wsi_input *in)
{
	return in->reading == WSI_READ_TRANSPOSED || in->reading == WSI_READ_SPOOLED;
}

/* ---- Life -------------------------------------------------------------------------- */

/* Files that are read from beginning to end have their checksum taken on the way, if
 * they are what was named: a header may stand for others. */
static bool
hashes_on_the_way(const wsi_input *in)
{
	return in->reading != WSI_READ_AS_IT_COMES
	       && strcmp(in->rec->file->path, in->rec->path) == 0;
}

static ws_status
finish_window(wsi_input *in)
{
	if (!in->window.memory)
		return WS_OK;
	if (in->window.hashes)
		WSI_TRY(wsi_window_finish(&in->window, in->rec->file, hashes_on_the_way(in)
		                          ? in->sha256 : in->samples_sha256));
	wsi_window_close(&in->window, in->rec->file);
	return WS_OK;
}

ws_status
wsi_input_start(wsi_input *in, const char *output, bool (*stop)(void))
{
	const size_t signals = in->n_channels * in->n_epochs;
	wsi_recording *rec = in->rec;
	in->part = wsi_kept_new(&in->kept, WSI_INPUT_CHUNK, sizeof *in->part);
	in->gap = wsi_kept_new(&in->kept, signals, sizeof *in->gap);
	in->small = wsi_kept_new(&in->kept, signals, sizeof *in->small);
	if (in->resamplers)
		in->source = wsi_kept_new(&in->kept, longest_row(in), sizeof *in->source);
	WSI_HAVE(!in->kept.failed, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < signals; i++)
		in->gap[i] = in->small[i] = SIZE_MAX;
	memcpy(in->sha256, rec->sha256, sizeof in->sha256);
	if (!in->unhashed && !hashes_on_the_way(in) && !in->sha256[0]
	    && strcmp(rec->path, "-") != 0)
		WSI_TRY(wsi_sha256_file(rec->path, in->sha256));
	WSI_TRY(wsi_reference_read(in));
	if (in->reading == WSI_READ_AS_IT_COMES)
		return WS_OK;
	/* Who reads a part of the file has its checksum taken elsewhere. */
	const bool apart = in->readers > 1 && wsi_input_waits(in);
	if (apart && !in->unhashed)
		WSI_TRY(wsi_hashing_start(&in->hashing, rec->file));
	WSI_TRY(wsi_window_open(&in->window, rec->file, in->window.room, !in->unhashed && !apart));
	if (in->reading == WSI_READ_ONCE)
		return WS_OK;
	WSI_TRY(open_store(in, output));
	limit_window(in);
	WSI_TRY(transpose(in, output, stop));
	return finish_window(in);
}

/* The gaps of signal i, of which processes that read parts of it could not tell. */
static ws_status
check_row(wsi_input *in, size_t i, const void *x)
{
	size_t start, all, core, samples;
	wsi_input_span(in, i, &start, &all, &core, &samples);
	in->gap[i] = SIZE_MAX;
	for (size_t done = 0, n; done < samples; done += n) {
		n = samples - done < WSI_INPUT_CHUNK ? samples - done : WSI_INPUT_CHUNK;
		for (size_t k = 0; k < n; k++)
			in->part[k] = wsi_real_at(x, in->type, core - start + done + k);
		WSI_TRY(wsi_check_chunk(in, i, done, n, samples, in->part));
	}
	return WS_OK;
}

/* Signal i as it is in the recording: all samples that it needs. */
static ws_status
read_row(wsi_input *in, size_t i, size_t count, void *x)
{
	const size_t bytes = count * wsi_type_size(in->type);
	if (in->transposed) {
		memcpy(x, (char *)in->transposed + row_at(in, i), bytes);
		return WS_OK;
	}
	if (in->spool >= 0) {
		WSI_TRY(wsi_spool_file_read(in->spool, in->rec->path, row_at(in, i), x, bytes));
		return in->readers > 1 && in->interpolate ? check_row(in, i, x) : WS_OK;
	}
	return read_part(in, i, 0, count, x);
}

static ws_status
read_resampled(wsi_input *in, size_t i, const wsi_resample *r, void *x)
{
	size_t first, count, core, n_core, from = 0;
	wsi_input_span(in, i, &first, &count, &core, &n_core);
	double *source = in->source, part[1024];
	WSI_TRY(read_row(in, i, count, source));
	for (size_t k = count; k-- > 0 && in->type == WS_F32;)
		source[k] = (double)((float *)source)[k];
	core -= first;
	size_t to = count;
	wsi_input_trim(in, i, source, WS_F64, core, n_core, &from, &to);
	const size_t start = in->starts ? in->starts[i / in->n_channels] : in->first - in->before;
	const size_t handed = wsi_input_handed(in);
	for (size_t done = 0, n; done < handed; done += n) {
		n = handed - done < 1024 ? handed - done : 1024;
		double *y = in->type == WS_F64 ? (double *)x + done : part;
		wsi_resample_run(r, source + from, first + from, to - from, start + done, n, y);
		for (size_t k = 0; k < n && in->type == WS_F32; k++)
			((float *)x)[done + k] = (float)part[k];
	}
	return WS_OK;
}

static ws_status
read_signal(wsi_input *in, size_t i, void *x)
{
	const size_t c = i % in->n_channels;
	if (in->resampler && in->resampler[c] != SIZE_MAX)
		return read_resampled(in, i, &in->resamplers[in->resampler[c]], x);
	const size_t handed = wsi_input_handed(in);
	WSI_TRY(read_row(in, i, handed, x));
	size_t from = 0, to = handed;
	wsi_input_trim(in, i, x, in->type, in->before, in->samples, &from, &to);
	wsi_input_mirror(x, wsi_type_size(in->type), handed, from, to);
	return WS_OK;
}

ws_status
wsi_input_read(wsi_input *in, size_t i, void *x)
{
	WSI_TRY(read_signal(in, i, x));
	if (in->unit_variance)
		wsi_unit_variance(in, x);
	return WS_OK;
}

ws_status
wsi_input_finish(wsi_input *in)
{
	WSI_TRY(finish_window(in));
	if (in->hashing)
		WSI_TRY(wsi_hashing_finish(&in->hashing, hashes_on_the_way(in) ? in->sha256
		                           : in->samples_sha256));
	return WS_OK;
}
