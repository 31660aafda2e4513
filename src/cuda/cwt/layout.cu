/* layout.cu - the device memory of a wavelet transform, and the ranges that it is done in. */
#include "cuda/cwt/layout.h"

#include "cuda/cwt/kernels.h"
#include "cuda/cwt/sums.h"
#include "cuda/fft/library.h"

/* What is worked on together at best. */
constexpr size_t GOOD_Z = (size_t)48 << 20;       /* bytes: the transforms stay in the cache */
constexpr size_t GOOD_FOLD = (size_t)96 << 20;     /* of grids that fold */
constexpr size_t GOOD_TILES = (size_t)128 << 20;
constexpr size_t GOOD_STAGING = (size_t)256 << 20;
constexpr size_t GOOD_SPECTRA = (size_t)8 << 30;
constexpr size_t GOOD_SUMS = (size_t)512 << 20;    /* rows that results are formed of */
constexpr int MOST_SHRINKS = 40;

static size_t
least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t
most_of(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t
complex_bytes(ws_type type)
{
	return type == WS_F64 ? sizeof(two<double>) : sizeof(two<float>);
}

size_t
cwt_batch_scales(size_t channels, size_t rows)
{
	return (rows - 1) / channels + (channels > 1 && rows > 1 ? 2 : 1);
}

/* Bytes of a response of a class. */
static size_t
response_bytes(const cwt_class &k)
{
	if (!k.table)
		return 1;
	return k.way == CWT_TAPS ? k.m * sizeof(two<double>)
	                         : k.band * (k.type == WS_F64 ? 8 : 4);
}

size_t
cwt_flat(const cwt_class &k)
{
	return k.way == CWT_INTERPOLATED ? k.band / 2 + 2 : 0;
}

size_t
cwt_row_points(const cwt_class &k)
{
	return k.folds ? cwt_fold_room(k.fold) + (k.ratio > 1 ? k.m : 0) : k.m;
}

size_t
cwt_rows_of(const cwt_class &k, size_t frequencies, size_t channels)
{
	return frequencies * channels;
}

size_t
cwt_together(const cwt_class &k, size_t channels, size_t rows, size_t z_bytes,
             size_t room)
{
	const size_t fit = z_bytes / (cwt_row_points(k) * complex_bytes(k.type));
	size_t most = least_of(least_of(fit, rows), CWT_MOST_ROWS);
	const size_t scales = room / response_bytes(k);
	if (scales < cwt_batch_scales(channels, most_of(most, 1)))
		most = scales < 2 ? 1 : channels == 1 ? least_of(most, scales)
			: least_of(most, (scales - 2) * channels + 1);
	most = most_of(most, 1);
	/* As even as can be. */
	const size_t batches = (rows + most - 1) / most;
	return (rows + batches - 1) / batches;
}

cwt_tile_bytes
cwt_bytes_of_tiles(const wsi_cwt_job &job, const cwt_class &k, bool signal)
{
	if (k.way != CWT_TILES)
		return { 0, 0, 0 };
	const size_t useful = CWT_TILE - 2 * k.guard, ratio = (size_t)k.ratio;
	const size_t tiles = ((job.outputs + ratio - 1) / ratio + useful - 1) / useful;
	return { signal ? k.m * sizeof(two<double>) : 0,
		 tiles * CWT_TILE * complex_bytes(job.type),
		 CWT_TILE / 4 * CWT_TILE_SUBS * sizeof(double) };
}

/* Of all tiles together: channels, and their memory. */
static void
choose_tiles(const wsi_cwt_job &job, const std::vector<cwt_class> &classes, int shrinks,
             cwt_layout *l)
{
	size_t each = 0, aside = 0, tables = CWT_TILE_HEAD, responses = 0;
	for (size_t i = 0; i < classes.size(); ++i) {
		const cwt_tile_bytes b = cwt_bytes_of_tiles(job, classes[i],
		                                            classes[i].shares == i);
		each += (classes[i].aside ? 0 : b.signal) + b.spectra;
		aside += classes[i].aside ? b.signal : 0;
		tables += b.taper;
		responses += classes[i].way == CWT_TILES ? classes[i].members.size() : 0;
	}
	l->tile_channels = l->signal_bytes = 0;
	l->tiles_bytes = l->tables_bytes = l->tile_response_bytes = 0;
	if (!responses)
		return;
	const size_t fit = (GOOD_TILES >> shrinks) / (each + aside);
	const size_t most = most_of(1, least_of(l->channels, fit));
	const size_t batches = (l->channels + most - 1) / most;
	l->tile_channels = (l->channels + batches - 1) / batches;
	l->signal_bytes = aside * l->tile_channels;
	const size_t one = CWT_TILE * complex_bytes(job.type) / 2;
	l->tiles_bytes = each * l->tile_channels;
	l->tables_bytes = tables;
	l->tile_response_bytes = least_of(responses * one, most_of(one, GOOD_Z >> shrinks));
}

/* A place of so many bytes behind *used. */
static size_t
take(size_t *used, size_t bytes)
{
	const size_t at = *used;
	*used = (at + bytes + 255) / 256 * 256;
	return at;
}

fft_shape
cwt_forward_shape(const wsi_cwt_job &job, size_t channels)
{
	return { FFT_REAL_FORWARD, WS_F64, job.length, channels, job.length, cwt_bins(job) };
}

fft_shape
cwt_edge_shape(size_t points, size_t rows)
{
	return { FFT_COMPLEX, WS_F64, points, rows, points, points };
}

fft_shape
cwt_back_shape(const cwt_class &k, size_t rows)
{
	return { FFT_COMPLEX, k.type, k.m, rows, k.m, k.m };
}

static ws_status
work_of(wsi_device *d, const fft_shape &shape, size_t *bytes, wsi_why *why)
{
	fft_plan *plan = NULL;
	const ws_status status = fft_take(d, shape, &plan, why);
	if (status != WS_OK)
		return status;
	*bytes = most_of(*bytes, plan->bytes);
	fft_give(d, plan);
	return WS_OK;
}

/* Can spectra be made in two passes? */
static bool
choose_passes(const wsi_device *d, const wsi_cwt_job &job, cwt_split *split)
{
	constexpr size_t bytes = sizeof(two<double>);
	return job.length % 2 == 0 && cwt_split_of(job.length / 2, bytes, split) &&
	       most_of(cwt_pass_bytes(split->first, bytes), cwt_pass_bytes(split->second, bytes)) <=
	       d->facts.sharedMemPerBlockOptin;
}

/* ---- Results formed of rows ---------------------------------------------------------------- */

size_t
cwt_items(const wsi_cwt_job &job)
{
	const size_t channels = job.channels / job.sums.epochs;
	return cwt_of_all_pairs(job) ? channels * (channels + 1) / 2 : channels;
}

size_t
cwt_formed_bytes(const wsi_cwt_job &job, int k)
{
	const bool complex = cwt_of_pairs(job) && k == 2;
	return job.sums.arrays[k] < 0 ? 0 : (complex ? 2 : 1) * (job.type == WS_F64 ? 8 : 4);
}

size_t
cwt_result_bytes(const wsi_cwt_job &job)
{
	size_t bytes = 0;
	for (int k = 0; k < WSI_CWT_FORMED; ++k)
		bytes += cwt_formed_bytes(job, k);
	return cwt_of_all_pairs(job) ? 2 * bytes : bytes;
}

/* At least 1, and at most so many. */
static size_t
some_of(size_t most, size_t fit)
{
	return most_of(1, least_of(most, fit));
}

/* Whose spectra are there: epochs of all channels (pairs), of one, or all of some channels. */
static void
choose_epochs(const wsi_cwt_job &job, cwt_layout *l)
{
	const size_t each = job.channels / job.sums.epochs;
	if (cwt_of_pairs(job)) {
		l->epochs = some_of(job.sums.epochs, l->channels / each);
		l->channels = l->epochs * each;
	} else {
		l->epochs = some_of(job.sums.epochs, l->channels);
		l->channels = l->channels / l->epochs * l->epochs;
	}
}

/* Ranges of rows, and of the results that are formed of them: as many frequencies and items as
 * `good` bytes hold of either; of epochs, which come in parts where they must, a range of rows is
 * one of results. */
static void
choose_sums(const wsi_cwt_job &job, size_t rows, size_t good, cwt_layout *l)
{
	const wsi_cwt_job_sums &s = job.sums;
	const bool pairs = cwt_of_pairs(job), epochs = pairs || s.form == WSI_CWT_EPOCHS;
	const size_t each = pairs ? job.channels / s.epochs : 1; /* signals of an epoch */
	const size_t result = s.outputs * ((size_t)cwt_sums_numbers(s.form) * sizeof(double) +
	                                   2 * cwt_result_bytes(job));
	l->row_epochs = some_of(l->epochs, good / (each * l->row_bytes));
	const bool whole = l->row_epochs == s.epochs;
	l->items = pairs ? cwt_items(job)
		: l->row_epochs < l->epochs ? 1
		: some_of(l->channels / l->epochs, good / (l->epochs * l->row_bytes));
	l->items = some_of(l->items, good / result);
	l->range_channels = l->row_epochs * (pairs ? each : l->items);
	l->frequencies = whole ? some_of(l->listed, good / (l->range_channels * l->row_bytes)) : 1;
	l->items = least_of(l->items, CWT_MOST_ROWS);
	l->result_rows = some_of(rows, least_of(good / (l->items * result),
	                                        CWT_MOST_ROWS / l->items));
	if (epochs)
		l->result_rows = l->frequencies = least_of(l->result_rows, l->frequencies);
	l->sums_rows_bytes = l->range_channels * l->frequencies * l->row_bytes;
	const size_t results = l->items * l->result_rows * s.outputs;
	l->sums_state_bytes = results * (size_t)cwt_sums_numbers(s.form) * sizeof(double);
	l->staging_bytes = results * cwt_result_bytes(job);
}

/* The most frequencies that so many rows of results, from any on, are formed of. */
static size_t
span_of(const wsi_cwt_job &job, size_t rows)
{
	size_t most = 1, first;
	for (size_t row = 0; row < job.sums.rows; ++row) {
		const size_t left = job.sums.rows - row;
		const size_t end = cwt_frequencies_of(job, row, least_of(rows, left), &first);
		most = most_of(most, end - first);
	}
	return most;
}

/* The same of times: the sums of all frequencies that a range's results are averages of are there,
 * in double. */
static void
choose_times(const wsi_cwt_job &job, size_t rows, size_t good, cwt_layout *l)
{
	const wsi_cwt_job_sums &s = job.sums;
	const size_t sums = s.outputs * (size_t)cwt_sums_numbers(s.form) * sizeof(double);
	const size_t result = s.outputs * 2 * cwt_result_bytes(job);
	const size_t point = 3 * job.length * sizeof(two<double>);
	size_t span;
	for (l->result_rows = rows;; l->result_rows = (l->result_rows + 1) / 2) {
		span = span_of(job, l->result_rows);
		if (l->result_rows == 1 || span * sums + l->result_rows * result <= good)
			break;
	}
	l->items = some_of(cwt_items(job), good / (span * sums + l->result_rows * result));
	l->items = least_of(l->items, most_of(1, CWT_MOST_ROWS / l->result_rows));
	l->row_epochs = 1;
	l->range_channels = job.channels;
	l->frequencies = some_of(least_of(span, l->listed), good / (job.channels * l->row_bytes));
	const size_t all = l->items * l->frequencies;
	const size_t most = some_of(least_of(all, CWT_MOST_ROWS / 3), good / point);
	const size_t batches = (all + most - 1) / most;
	l->smoothed = (all + batches - 1) / batches;
	l->sums_rows_bytes = job.channels * l->frequencies * l->row_bytes;
	l->sums_state_bytes = l->items * span * sums;
	l->staging_bytes = l->items * l->result_rows * s.outputs * cwt_result_bytes(job);
}

static size_t
tables_of_sums(const wsi_cwt_job &job, size_t items)
{
	const wsi_cwt_job_sums &s = job.sums;
	return items * sizeof(cwt_sums_item) + (s.row ? s.rows * sizeof *s.row : 0) +
	       s.members * sizeof *s.member + s.part_count * sizeof *s.parts +
	       (s.gaussian ? job.count * sizeof *s.gaussian : 0);
}

size_t
cwt_frequencies_of(const wsi_cwt_job &job, size_t row, size_t rows, size_t *first)
{
	const wsi_cwt_job_sums &s = job.sums;
	size_t end = row + rows;
	*first = row;
	for (size_t i = 0; s.row && i < rows; ++i) {
		const wsi_cwt_job_row &r = s.row[row + i];
		const size_t from = s.member[r.first].frequency;
		const size_t to = s.member[r.first + r.count - 1].frequency + 1;
		*first = i ? least_of(*first, from) : from;
		end = i ? most_of(end, to) : to;
	}
	return end;
}

fft_shape
cwt_smooth_shape(const wsi_cwt_job &job, size_t smoothed)
{
	return { FFT_COMPLEX, WS_F64, job.length, 3 * smoothed, job.length, job.length };
}

/* All but offsets, from targets that are halved `shrinks` times. */
static void
choose_sizes(const wsi_device *d, const wsi_cwt_job &job,
             const std::vector<cwt_class> &classes, size_t frequencies, size_t channels,
             int shrinks, cwt_layout *l)
{
	const size_t element = job.type == WS_F64 ? 8 : 4;
	const size_t spectrum = cwt_bins(job) * 2 * element;
	l->channels = most_of(1, least_of(channels, (GOOD_SPECTRA >> shrinks) / spectrum));
	l->channels = least_of(l->channels, CWT_MOST_ROWS);
	if (job.sums.form)
		choose_epochs(job, l);
	l->own = choose_passes(d, job, &l->split);
	l->found_blocks = l->own ? (size_t)cwt_found_blocks(job, l->split) : CWT_LOOK_BLOCKS;
	const size_t padded = l->own ? job.length * 8 : job.length * 24 + 16;
	l->forward = most_of(1, least_of(l->channels, (GOOD_Z >> shrinks) * 2 / padded));
	l->row_bytes = job.outputs * element * wsi_cwt_numbers(job.quantity);
	const size_t rows = most_of(1, (GOOD_STAGING >> shrinks) / l->row_bytes);
	l->listed = least_of(job.sums.row ? job.count : frequencies, 65536);
	l->frequencies = least_of(l->listed, rows);
	l->range_channels = l->frequencies < frequencies ? 1
		: least_of(l->channels, most_of(1, rows / frequencies));
	l->staging_bytes = l->frequencies * l->range_channels * l->row_bytes;
	if (job.sums.form == WSI_CWT_TIMES)
		choose_times(job, frequencies, GOOD_SUMS >> shrinks, l);
	else if (job.sums.form)
		choose_sums(job, frequencies, GOOD_SUMS >> shrinks, l);
	l->sums_tables_bytes = tables_of_sums(job, l->items);
	size_t z = 0, responses = 0; /* of classes that may be worked on together */
	size_t good = GOOD_Z >> shrinks;
	for (const cwt_class &k : classes)
		good = k.folds ? GOOD_FOLD >> shrinks : good;
	l->z_bytes = l->grid_response_bytes = 1;
	for (const cwt_class &k : classes) {
		if (k.way == CWT_TILES)
			continue;
		const size_t row = cwt_row_points(k) * complex_bytes(k.type);
		const size_t response = response_bytes(k);
		const size_t rows = cwt_rows_of(k, k.members.size(), l->channels);
		const size_t one = least_of(row * rows, most_of(row, good));
		const size_t scales = cwt_batch_scales(l->range_channels, most_of(1, one / row));
		const size_t some = least_of(response * scales,
		                             most_of(response, GOOD_Z >> shrinks));
		const bool grid = k.way == CWT_INTERPOLATED || k.way == CWT_INVERSE;
		z = grid ? z + row * rows : z;
		responses = grid ? responses + response * k.members.size() : responses;
		l->z_bytes = most_of(l->z_bytes, one);
		l->grid_response_bytes = most_of(l->grid_response_bytes, some);
	}
	l->z_bytes = most_of(l->z_bytes, least_of(z, good));
	l->grid_response_bytes =
		most_of(l->grid_response_bytes, least_of(responses, GOOD_Z >> shrinks));
	choose_tiles(job, classes, shrinks, l);
}

static ws_status
plan_transforms(wsi_device *d, const wsi_cwt_job &job, const std::vector<cwt_class> &classes,
                cwt_layout *l, wsi_why *why)
{
	l->fft_bytes = l->signal_fft_bytes = 0;
	ws_status status = l->own ? WS_OK
		: work_of(d, cwt_forward_shape(job, l->forward), &l->fft_bytes, why);
	if (l->smoothed && status == WS_OK)
		status = work_of(d, cwt_smooth_shape(job, l->smoothed), &l->fft_bytes, why);
	const size_t edges = cwt_edge_count(job, l->forward);
	for (size_t points : { job.edge.chirps, job.edge.line })
		if (edges && !l->edge_mapped && status == WS_OK)
			status = work_of(d, cwt_edge_shape(points, edges), &l->fft_bytes, why);
	for (size_t i = 0; i < classes.size() && status == WS_OK; ++i) {
		const cwt_class &k = classes[i];
		if (k.way == CWT_TILES) {
			size_t *bytes = k.aside ? &l->signal_fft_bytes : &l->fft_bytes;
			if (k.shares == i && k.by_passes)
				*bytes = most_of(*bytes, k.m * l->tile_channels *
				                         sizeof(two<double>));
			else if (k.shares == i)
				status = work_of(d, cwt_back_shape(k, l->tile_channels), bytes,
				                 why);
			continue;
		}
		if (k.folds)
			continue;
		const size_t rows = cwt_together(k, l->channels,
		                              cwt_rows_of(k, k.members.size(), l->channels),
		                              l->z_bytes, l->grid_response_bytes);
		status = work_of(d, cwt_back_shape(k, rows), &l->fft_bytes, why);
		if (k.way == CWT_TAPS && status == WS_OK)
			status = work_of(d, cwt_back_shape(k, 1), &l->fft_bytes, why);
	}
	return status;
}

static void
place(const wsi_cwt_job &job, const std::vector<cwt_class> &classes, cwt_layout *l)
{
	const size_t element = job.type == WS_F64 ? 8 : 4, bins = cwt_bins(job);
	const size_t edges = cwt_edge_count(job, l->forward);
	size_t used = 0, weights = 0, flat = 0, roots = 0, taps = 0;
	for (const cwt_class &k : classes) {
		weights += (size_t)k.ratio * (size_t)k.taps * element;
		flat += cwt_flat(k);
		roots += k.folds ? cwt_fold_roots(k.fold) : 0;
		for (size_t i = 0; k.way == CWT_TAPS && i < k.members.size(); ++i)
			taps = most_of(taps, job.scales[k.members[i]].tap_count);
	}
	l->heads = take(&used, l->channels * sizeof(cwt_head));
	l->bad = take(&used, l->channels * sizeof(unsigned long long));
	l->spectra = take(&used, l->channels * bins * 2 * element);
	l->scales = take(&used, l->listed * sizeof(cwt_scale));
	l->weights = take(&used, weights);
	l->flat = take(&used, flat * sizeof(double));
	l->roots = take(&used, roots * sizeof(two<float>));
	l->taps = take(&used, 2 * taps * sizeof(double));
	l->tables = take(&used, l->tables_bytes);
	l->tile_response = take(&used, l->tile_response_bytes);
	l->fft = take(&used, l->fft_bytes);
	l->work = used;
	l->samples = take(&used, l->channels * job.samples * element);
	l->found = take(&used, l->channels * l->found_blocks * sizeof(cwt_found));
	l->padded = take(&used, l->forward * job.length * sizeof(double));
	l->wide = take(&used, element == 8 || l->own ? 0 : l->forward * bins * sizeof(two<double>));
	l->edge_near = take(&used, edges * cwt_edge_near(job.edge) * sizeof(two<double>));
	const size_t stepped = l->edge_mapped ? 0 : edges;
	l->edge_a = take(&used, stepped * job.edge.chirps * sizeof(two<double>));
	l->edge_b = take(&used, stepped * job.edge.chirps * sizeof(two<double>));
	l->edge_line = take(&used, stepped * job.edge.line * sizeof(two<double>));
	l->edge_mean = take(&used, stepped * sizeof(double));
	size_t other = l->work;
	l->z = take(&other, l->z_bytes);
	l->grid_response = take(&other, l->grid_response_bytes);
	l->tiles = take(&other, l->tiles_bytes);
	l->signal = take(&other, l->signal_bytes);
	l->signal_fft = take(&other, l->signal_fft_bytes);
	used = most_of(used, other);
	l->sums_tables = take(&used, l->sums_tables_bytes);
	l->sums_rows = take(&used, l->sums_rows_bytes);
	l->sums_state = take(&used, l->sums_state_bytes);
	l->smooth = take(&used, l->smoothed * 3 * job.length * sizeof(two<double>));
	l->staging_bytes = (l->staging_bytes + 255) / 256 * 256;
	l->staging = take(&used, 2 * l->staging_bytes);
	l->total = used;
}

ws_status
cwt_lay_out(wsi_device *d, const wsi_cwt_job &job, const std::vector<cwt_class> &classes,
            size_t frequencies, size_t channels, size_t most, bool mapped, cwt_layout *out,
            wsi_why *why)
{
	for (int shrinks = 0;; ++shrinks) {
		cwt_layout l = {};
		l.edge_mapped = mapped && cwt_edge_map(job.edge);
		choose_sizes(d, job, classes, frequencies, channels, shrinks, &l);
		place(job, classes, &l); /* without what cuFFT works in: is it worth a plan? */
		if (l.total <= most || shrinks == MOST_SHRINKS) {
			const ws_status status = plan_transforms(d, job, classes, &l, why);
			if (status != WS_OK)
				return status;
			place(job, classes, &l);
		}
		*out = l;
		if (l.total <= most)
			return WS_OK;
		if (shrinks == MOST_SHRINKS)
			return WS_E_NOMEM;
	}
}
