/*
 * results.cu - results that are formed of rows of coefficients, which no more than a range of is
 * there of at a time: superlets, powers of bands, averages over epochs, coherence.
 *
 *     ranges of results (rows, and items: channels or pairs), of a group of channels:
 *       parts of the epochs:  samples -> spectra, where those are not there
 *         ranges of rows:  coefficients -> added to what the results have so far (sums.cu); without
 *         epochs -> sums of pairs, averaged in time (smooth.cu), then over frequencies (sums.cu)
 *       results -> staging, or the caller's arrays
 *
 * Twin: work() of transform/cwt/superlets.c, bands.c and trials.c; coherence.c.
 */
#include <algorithm>

#include "cuda/cwt/run.h"
#include "cuda/cwt/sums.h"

/* Whose results lie in a place, among the caller's. */
struct results_place {
	size_t channel, partner;
};

/* A range of results, and the range of rows that is there. */
struct results_range {
	size_t row, rows;
	size_t item, items;
	size_t channels;        /* of the group */
	std::vector<cwt_sums_item> pairs;
	std::vector<results_place> places;
	size_t signal, signals, frequency, frequencies;
	cwt_sums sums;
	cwt_smooth smooth;
};

/* ---- Places ---------------------------------------------------------------------------------- */

/* Channel and partner of an item. */
static results_place
pair_of(const cwt_run *r, size_t channels, size_t item)
{
	if (!cwt_of_all_pairs(*r->job))
		return { item, cwt_of_pairs(*r->job) ? (size_t)r->job->sums.against : 0 };
	size_t partner = 0;
	while (item >= channels - partner)
		item -= channels - partner++;
	return { partner + item, partner };
}

/* The pairs of a range: places in the order that the caller's arrays have. */
static void
list_places(const cwt_run *r, results_range *b)
{
	const auto before = [](const results_place &a, const results_place &c) {
		return a.channel != c.channel ? a.channel < c.channel : a.partner < c.partner;
	};
	b->places.clear();
	b->pairs.clear();
	for (size_t i = 0; i < b->items; ++i) {
		const results_place p = pair_of(r, b->channels, b->item + i);
		b->places.push_back({ r->group + p.channel, p.partner });
		if (cwt_of_all_pairs(*r->job) && p.channel != p.partner)
			b->places.push_back({ p.partner, p.channel });
	}
	std::sort(b->places.begin(), b->places.end(), before);
	for (size_t i = 0; cwt_of_pairs(*r->job) && i < b->items; ++i) {
		const results_place p = pair_of(r, b->channels, b->item + i);
		const auto place = [&](const results_place &of) {
			return (unsigned)(std::lower_bound(b->places.begin(), b->places.end(), of,
			                                   before) - b->places.begin());
		};
		const bool two = cwt_of_all_pairs(*r->job) && p.channel != p.partner;
		b->pairs.push_back({ (unsigned)p.channel, (unsigned)p.partner, place(p),
		                     two ? place({ p.partner, p.channel }) : ~0u });
	}
}

/* Bytes from one row of an array of results to the next. */
static size_t
row_stride(const cwt_run *r, const ws_buffer &to)
{
	return to.stride[cwt_of_all_pairs(*r->job) ? 2 : 1];
}

/* Where the range's first row of a place is in the caller's array. */
static char *
place_in(const cwt_run *r, const ws_buffer &to, const results_range &b, const results_place &p)
{
	return (char *)to.data + p.channel * to.stride[0] +
	       (cwt_of_all_pairs(*r->job) ? p.partner * to.stride[1] : 0) +
	       (b.row - r->first) * row_stride(r, to);
}

/* The caller's array k, or NULL where it is not wanted. */
static const ws_buffer *
array_of(const cwt_run *r, int k)
{
	const int array = r->job->sums.arrays[k];
	return array >= 0 && r->w.io->arrays[array].data ? &r->w.io->arrays[array] : NULL;
}

static void
place_arrays(cwt_run *r, results_range *b)
{
	char *staging = at(r, r->l.staging + (size_t)r->staging * r->l.staging_bytes);
	for (int k = 0; k < WSI_CWT_FORMED; ++k) {
		const ws_buffer *to = array_of(r, k);
		const size_t bytes = cwt_formed_bytes(*r->job, k) * r->job->sums.outputs;
		cwt_sums_array *a = &b->sums.array[k];
		*a = {};
		b->sums.wanted[k] = to != NULL;
		if (to && r->on_device) {
			const size_t first = cwt_of_pairs(*r->job) ? 0 : r->group + b->item;
			*a = { place_in(r, *to, *b, { first, 0 }), to->stride[0],
			       row_stride(r, *to), cwt_of_all_pairs(*r->job) ? to->stride[1] : 0,
			       cwt_of_pairs(*r->job) };
		} else if (to) {
			*a = { staging, b->rows * bytes, bytes, 0, false };
			staging += b->places.size() * b->rows * bytes;
		}
	}
}

/* Results to the caller's arrays in the host's memory, as many rows at a time as lie evenly. */
static void
send(cwt_run *r, const results_range &b)
{
	for (int k = 0; k < WSI_CWT_FORMED; ++k) {
		const ws_buffer *to = array_of(r, k);
		const size_t bytes = cwt_formed_bytes(*r->job, k) * r->job->sums.outputs;
		for (size_t i = 0, n; to && i < b.places.size() && goes_on(r); i += n) {
			char *first = place_in(r, *to, b, b.places[i]);
			size_t stride = row_stride(r, *to);
			if (b.rows == 1 && i + 1 < b.places.size())
				stride = (size_t)(place_in(r, *to, b, b.places[i + 1]) - first);
			for (n = 1; i + n < b.places.size(); ++n)
				if (place_in(r, *to, b, b.places[i + n]) !=
				    first + n * b.rows * stride)
					break;
			cuda_work_get(&r->w, first, stride,
			              b.sums.array[k].base + i * b.rows * bytes, bytes, bytes,
			              n * b.rows, true);
		}
	}
	r->staging = 1 - r->staging;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Spectra of n epochs from e on, where they are not there. */
static void
take_spectra(cwt_run *r, results_range *b, size_t e, size_t n)
{
	if (r->epochs == n && r->epoch == e)
		return;
	r->epoch = e;
	r->epochs = n;
	r->channels = b->channels * n;
	b->frequencies = 0;
	cwt_make_spectra(r);
}

static void
make_rows(cwt_run *r, results_range *b, size_t signal, size_t signals, size_t f, size_t n)
{
	if (b->signal == signal && b->signals == signals && b->frequency == f &&
	    b->frequencies == n)
		return;
	b->signal = signal;
	b->signals = signals;
	b->frequency = f;
	b->frequencies = n;
	const cwt_out out = { at(r, r->l.sums_rows), n * r->l.row_bytes, r->l.row_bytes,
		              (const cwt_head *)at(r, r->l.heads) + signal, r->job->quantity,
		              (unsigned)r->job->outputs };
	cwt_make_range(r, signals, f, n, out);
}

/* Epochs e .. e + n - 1 of those whose spectra are there. */
static void
add_epochs(cwt_run *r, results_range *b, size_t e, size_t n)
{
	const size_t signals = cwt_of_pairs(*r->job) ? n * b->channels : n * b->items;
	const size_t signal = cwt_of_pairs(*r->job) ? e * b->channels : b->item * r->epochs + e;
	size_t f;
	const size_t end = cwt_frequencies_of(*r->job, b->row, b->rows, &f);
	cwt_sums *s = &b->sums;
	s->epoch = (unsigned)(r->epoch + e);
	s->epochs = (unsigned)n;
	s->channel_step = cwt_of_pairs(*r->job) ? 1 : (unsigned)n;
	s->epoch_step = cwt_of_pairs(*r->job) ? (unsigned)b->channels : 1;
	for (; f < end && goes_on(r); f += r->l.frequencies) {
		s->frequency = (unsigned)f;
		s->frequencies = (unsigned)std::min(r->l.frequencies, end - f);
		make_rows(r, b, signal, signals, f, s->frequencies);
		s->frequency_stride = r->l.row_bytes;
		s->signal_stride = s->frequencies * r->l.row_bytes;
		if (goes_on(r))
			well(&r->w, cwt_sums_add(*s, r->job->type, r->w.stream), "forming results");
	}
}

static void
add_all(cwt_run *r, results_range *b)
{
	const cwt_layout &l = r->l;
	const size_t epochs = r->job->sums.epochs;
	for (size_t e = 0; e < epochs && goes_on(r); e += l.epochs) {
		take_spectra(r, b, e, std::min(l.epochs, epochs - e));
		for (size_t i = 0; i < r->epochs && goes_on(r); i += l.row_epochs)
			add_epochs(r, b, i, std::min(l.row_epochs, r->epochs - i));
	}
}

/* ---- Means in time --------------------------------------------------------------------------- */

/* All sums of a range of rows, in batches. */
static void
smooth_rows(cwt_run *r, results_range *b)
{
	cwt_smooth *m = &b->smooth;
	const size_t all = b->items * b->sums.frequencies;
	const fft_shape shape = cwt_smooth_shape(*r->job, r->l.smoothed);
	m->s = b->sums;
	m->room = (unsigned)r->l.smoothed;
	for (size_t first = 0; first < all && goes_on(r); first += r->l.smoothed) {
		m->first = (unsigned)first;
		m->count = (unsigned)std::min(r->l.smoothed, all - first);
		well(&r->w, cwt_smooth_lay(*m, r->job->type, r->w.stream), "laying out sums");
		cwt_transform(r, shape, m->z, m->z, false);
		if (goes_on(r))
			well(&r->w, cwt_smooth_multiply(*m, r->w.stream), "averaging in time");
		cwt_transform(r, shape, m->z, m->z, true);
		if (goes_on(r))
			well(&r->w, cwt_smooth_take(*m, r->w.stream), "averaging in time");
	}
}

static void
average_times(cwt_run *r, results_range *b)
{
	size_t from;
	const size_t end = cwt_frequencies_of(*r->job, b->row, b->rows, &from);
	cwt_sums *s = &b->sums;
	b->smooth.from = (unsigned)from;
	b->smooth.span = (unsigned)(end - from);
	take_spectra(r, b, 0, 1);
	for (size_t f = from; f < end && goes_on(r); f += r->l.frequencies) {
		const size_t n = std::min(r->l.frequencies, end - f);
		make_rows(r, b, 0, b->channels, f, n);
		s->frequency = (unsigned)f;
		s->frequencies = (unsigned)n;
		s->frequency_stride = r->l.row_bytes;
		s->signal_stride = n * r->l.row_bytes;
		smooth_rows(r, b);
	}
	s->frequency = (unsigned)from;
	s->frequencies = (unsigned)(end - from);
	if (goes_on(r))
		well(&r->w, cwt_sums_add(*s, r->job->type, r->w.stream), "forming results");
}

/* ---- Results --------------------------------------------------------------------------------- */

/* A table behind those that are there. */
template <class T>
static const T *
take_table(cwt_run *r, size_t *used, const T *from, size_t count)
{
	char *to = at(r, r->l.sums_tables) + *used;
	if (!from)
		return NULL;
	cuda_work_table(&r->w, to, from, count * sizeof *from);
	*used += count * sizeof *from;
	return (const T *)to;
}

/* Tables of all ranges, behind the items of one. */
static void
take_tables(cwt_run *r, results_range *b)
{
	const wsi_cwt_job_sums &of = r->job->sums;
	size_t used = r->l.items * sizeof(cwt_sums_item);
	b->sums.row_list = take_table(r, &used, of.row, of.rows);
	b->sums.members = take_table(r, &used, of.member, of.members);
	b->smooth.gaussian = take_table(r, &used, of.gaussian, r->job->count);
	b->smooth.parts = take_table(r, &used, of.parts, of.part_count);
}

static void
make_range(cwt_run *r, results_range *b)
{
	list_places(r, b);
	place_arrays(r, b);
	b->sums.row = (unsigned)b->row;
	b->sums.row_count = (unsigned)b->rows;
	b->sums.items = (unsigned)b->items;
	if (cwt_of_pairs(*r->job)) {
		cuda_work_table(&r->w, at(r, r->l.sums_tables), b->pairs.data(),
		                b->items * sizeof(cwt_sums_item));
		b->sums.item = (const cwt_sums_item *)at(r, r->l.sums_tables);
	}
	if (b->sums.form == WSI_CWT_TIMES)
		average_times(r, b);
	else
		add_all(r, b);
	if (b->sums.baseline && goes_on(r))
		well(&r->w, cwt_sums_compare(b->sums, r->job->type, r->w.stream),
		     "comparing with a baseline");
	if (!r->on_device)
		send(r, *b);
}

void
cwt_make_results(cwt_run *r, size_t channels)
{
	const wsi_cwt_job_sums &of = r->job->sums;
	const size_t items = cwt_of_pairs(*r->job) ? cwt_items(*r->job) : channels;
	const size_t all = r->job->channels / of.epochs;
	results_range b = {};
	b.channels = channels;
	b.sums.form = of.form;
	b.sums.rows = at(r, r->l.sums_rows);
	b.sums.state = (double *)at(r, r->l.sums_state);
	b.sums.all_epochs = (unsigned)of.epochs;
	b.sums.outputs = (unsigned)of.outputs;
	b.sums.first = (unsigned)of.first;
	b.sums.every = (unsigned)of.every;
	b.sums.baseline = of.baseline;
	b.sums.baseline_first = (unsigned)of.baseline_first;
	b.sums.baseline_last = (unsigned)of.baseline_last;
	b.smooth.z = (two<double> *)at(r, r->l.smooth);
	b.smooth.n = (unsigned)r->job->length;
	b.smooth.samples = (unsigned)r->job->samples;
	take_tables(r, &b);
	r->epochs = 0;
	for (size_t row = 0; row < r->count && goes_on(r); row += r->l.result_rows)
		for (size_t item = 0; item < items && goes_on(r); item += r->l.items) {
			b.row = r->first + row;
			b.rows = std::min(r->l.result_rows, r->count - row);
			b.item = item;
			b.items = std::min(r->l.items, items - item);
			make_range(r, &b);
			const double rows = (double)row * (double)items +
			                    (double)(item + b.items) * (double)b.rows;
			wsi_progress_part(r->w.progress, ((double)r->group + rows /
			                  (double)(r->count * items) * (double)channels) /
			                  (double)all);
		}
}
