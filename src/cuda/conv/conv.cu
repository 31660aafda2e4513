/*
 * conv.cu - convolution with many masks: the row of the table of transforms.
 *
 * Portions (conv/cut.h) are summed directly (conv/direct.h) or by transforms (conv/spectra.h), by
 * tables that the device keeps (conv/kept.h).  Arrays in the device's memory are written at once.
 */
#include <stdio.h>
#include <time.h>

#include <algorithm>
#include <new>

#include "base/clock.h"
#include "cuda/conv/kept.h"
#include "cuda/conv/samples.h"

static ws_status
measure(wsi_device *d, const void *job, size_t part, size_t most, size_t *device, size_t *pinned,
        wsi_why *why)
try {
	const wsi_conv_job *j = (const wsi_conv_job *)job;
	const conv_masks masks = { 0, j->masks, part ? std::min(part, j->masks) : j->masks };
	conv_cut c;
	const ws_status status = conv_choose_cut(d, j, masks, most, &c, why);
	if (status != WS_OK)
		return status;
	*device = c.bytes + c.tables;
	*pinned = sizeof(conv_flags);
	return *device <= most ? WS_OK : WS_E_NOMEM;
} catch (const std::bad_alloc &) {
	snprintf(why->text, sizeof why->text, "no memory for tables of masks");
	return WS_E_BACKEND;
}

/* ---- The work --------------------------------------------------------------------------- */

struct conv_run {
	cuda_work w;
	const wsi_conv_job *j;
	conv_tables *t;
	char *memory;            /* to work in */
	int slab;
	ws_status status;        /* of cuFFT */
	wsi_why *why;
};

/* One channel's, or some channels', samples for a portion of outputs. */
struct conv_portion {
	size_t channel, channels, output, outputs;
	const char *x;           /* on the device */
	size_t x_stride;
	long long low, high;
};

/* Where the values are not all on the device, those of a range come. */
static void
put_values(conv_run *r, conv_range *range)
{
	if (r->t->cut.resident || r->t->there == range)
		return;
	conv_tables_values(r->t, &r->w, r->j, range, 0);
	r->t->there = range;
}

/* Lays the groups of a range out for a portion, unless they are. */
static void
put_groups(conv_run *r, conv_range *range, const direct_span &span)
{
	const direct_span &s = range->span;
	if (s.n0 == span.n0 && s.last == span.last && s.outputs == span.outputs &&
	    s.channels == span.channels)
		return;
	direct_lay_out(range->direct, r->t->cut.kind, span);
	range->span = span;
	cuda_work_table(&r->w, (direct_group *)(r->t->tables + r->t->cut.groups) + range->groups,
	                range->direct.groups.data(),
	                range->direct.groups.size() * sizeof(direct_group));
}

static void
sum_direct(conv_run *r, conv_range *range, const conv_portion &p, char *y, size_t y_channel,
           size_t y_row)
{
	cuda_work *w = &r->w;
	const wsi_conv_job *j = r->j;
	const conv_cut &c = r->t->cut;
	const direct_tables &t = range->direct;
	if (t.groups.empty())
		return;
	conv_flags *flags = (conv_flags *)(r->memory + c.flags);
	const long long n0 = j->first + (long long)p.output * j->every;
	put_groups(r, range, { (long long)j->n, n0, n0 + (long long)(p.outputs - 1) * j->every,
	                       (long long)p.outputs, (int)p.channels, c.blocks, c.partial });
	const direct_job job = {
		p.x, p.x_stride, p.low, p.high, (long long)j->n, n0, (int)j->every,
		(long long)p.outputs, (int)p.channels, j->complex ? 2 : 1, y, y_channel, y_row,
		(const unsigned long long *)(r->memory + c.largest) + p.channel, j->accumulators,
		r->t->tables, (const direct_group *)(r->t->tables + c.groups) + range->groups,
		(const direct_row *)(r->t->tables + c.rows) + range->rows, (int)t.groups.size(),
		t.items, r->memory + c.stack, t.levels, t.joins, r->memory + c.sums, &flags->next,
		&flags->high, (unsigned)p.channel,
	};
	if (w->error == cudaSuccess)
		well(w, direct_launch(c.kind, job, c.blocks, w->stream),
		     "direct convolution");
}

static void
transform(conv_run *r, const conv_range *range, const conv_portion &p, char *y, size_t y_channel,
          size_t y_row)
{
	cuda_work *w = &r->w;
	const wsi_conv_job *j = r->j;
	const conv_cut &c = r->t->cut;
	conv_flags *flags = (conv_flags *)(r->memory + c.flags);
	const direct_row *rows = (const direct_row *)(r->t->tables + c.rows) + range->rows +
	                         range->direct.rows.size();
	for (size_t k = 0; k < range->classes.size(); ++k) {
		const spectra_class &of = range->classes[k];
		if (of.lines == 0 || w->error != cudaSuccess || r->status != WS_OK)
			continue;
		const spectra_job job = {
			j->samples, p.x, p.x_stride, p.low, p.high,
			j->first + (long long)p.output * j->every, j->every,
			(long long)p.outputs, (int)p.channels, j->complex ? 2 : 1, y, y_channel,
			y_row, r->t->tables, rows + of.first, &flags->high, (unsigned)p.channel,
			r->memory + c.spectra,
		};
		cudaError_t error = cudaSuccess;
		r->status = spectra_launch(w->device, of, c.shapes[k], job, w->stream, &error,
		                           r->why);
		well(w, error, "convolution by transforms");
	}
}

/* All responses of a range on a portion. */
static void
respond(conv_run *r, conv_range *range, const conv_portion &p, char *y, size_t y_channel,
        size_t y_row)
{
	put_values(r, range);
	sum_direct(r, range, p, y, y_channel, y_row);
	transform(r, range, p, y, y_channel, y_row);
}

/* Waits for what was launched.  Once the user has cancelled, direct sums end with the items that
 * blocks have drawn, or where these are long in the middle of them. */
static void
watch(conv_run *r)
{
	constexpr double PATIENCE = 0.01; /* then the processor is others' between two looks */
	constexpr struct timespec DOZE = { 0, 100000 };
	cuda_work *w = &r->w;
	if (w->io->on_device || w->error != cudaSuccess)
		return;
	conv_flags *const flags = (conv_flags *)(r->memory + r->t->cut.flags);
	conv_flags *const none_left = (conv_flags *)w->pinned;
	const double since = wsi_now();
	cudaError_t state;
	while ((state = cudaStreamQuery(w->stream)) == cudaErrorNotReady) {
		wsi_progress_poll(w->progress);
		if (wsi_cancelled(w->progress)) {
			none_left->next = DIRECT_STOP;
			well(w, cudaMemcpyAsync(&flags->next, &none_left->next,
			                        sizeof none_left->next, cudaMemcpyHostToDevice,
			                        w->kit.aside), "cancelling");
			well(w, cudaStreamSynchronize(w->kit.aside), "cancelling");
		}
		if (wsi_now() - since > PATIENCE)
			nanosleep(&DOZE, NULL);
	}
	well(w, state, "convolution");
}

/* A slab's rows to the caller. */
static void
fetch(conv_run *r, const conv_range *range, const conv_portion &p, const char *slab)
{
	const wsi_io *io = r->w.io;
	const size_t element = conv_element(r->j), bytes = p.outputs * element;
	const ws_buffer *a = &io->arrays[r->j->array];
	const size_t masks = io->count ? io->count : r->j->masks;
	char *to = (char *)wsi_io_row(io, r->j->array, p.channel, range->first - io->first) +
	           p.output * element;
	if (range->count == masks && a->stride[0] == masks * a->stride[1]) {
		cuda_work_get(&r->w, to, a->stride[1], slab, bytes, bytes, p.channels * masks,
		              true);
		return;
	}
	for (size_t c = 0; c < p.channels; ++c)
		cuda_work_get(&r->w, to + c * a->stride[0], a->stride[1],
		              slab + c * range->count * bytes, bytes, bytes, range->count, true);
}

static void
do_range(conv_run *r, conv_range *range, const conv_portion &p)
{
	const wsi_io *io = r->w.io;
	const size_t element = conv_element(r->j);
	if (io->on_device) {
		const ws_buffer *a = &io->arrays[r->j->array];
		respond(r, range, p, (char *)wsi_io_row(io, r->j->array, p.channel,
		        range->first - io->first) + p.output * element, a->stride[0], a->stride[1]);
		return;
	}
	char *slab = r->memory + r->t->cut.slab[r->slab];
	r->slab = 1 - r->slab;
	respond(r, range, p, slab, range->count * p.outputs * element, p.outputs * element);
	fetch(r, range, p, slab);
}

/* The samples of a portion; from the host they are looked at.  Those of 16 bits are rounded. */
static void
take_samples(conv_run *r, conv_portion *p)
{
	cuda_work *w = &r->w;
	const wsi_io *io = w->io;
	const size_t size = conv_size_of(r->j->samples);
	conv_samples_of(r->t->cut, r->j, p->output, p->outputs, &p->low, &p->high);
	const size_t n = (size_t)(p->high - p->low);
	const char *from = io->x + p->channel * io->x_stride + p->low * size;
	const unsigned channels = (unsigned)p->channels;
	const bool given = io->on_device && r->j->over.factor == 1;
	char *own = r->memory + r->t->cut.x;
	p->x = given ? from : own;
	p->x_stride = given ? io->x_stride : n * size;
	if (n == 0)
		return;
	if (io->on_device && !given) {
		const sample_rows rows = { r->j->samples, io->x + p->channel * io->x_stride,
		                           io->x_stride, r->j->over.n, channels };
		well(w, samples_oversample(rows, r->j->over,
		                           (const double *)(r->t->tables + r->t->cut.kernel),
		                           p->low, p->high, own, n * size, w->stream),
		     "oversampling");
		return;
	}
	if (!io->on_device) {
		conv_flags *flags = (conv_flags *)(r->memory + r->t->cut.flags);
		const unsigned long long first = ((unsigned long long)p->channel << 32) +
		                                 (unsigned long long)p->low;
		cuda_work_put(w, own, p->x_stride, from, io->x_stride, n * size, p->channels);
		if (w->error == cudaSuccess)
			well(w, samples_look({ r->j->samples, p->x, p->x_stride, n, channels },
			                     first, &flags->bad, w->stream),
			     "looking at the samples");
	}
	if (!r->j->narrow || w->error != cudaSuccess)
		return;
	const unsigned long long *largest =
		(const unsigned long long *)(r->memory + r->t->cut.largest) + p->channel;
	well(w, samples_narrow({ r->j->samples, p->x, p->x_stride, n, channels }, largest,
	                       r->j->narrow, own, n * size, w->stream), "rounding samples");
	p->x = own;
	p->x_stride = n * size;
}

/* How large the samples of each channel are, of all that it has. */
static void
find_largest(conv_run *r)
{
	cuda_work *w = &r->w;
	const wsi_io *io = w->io;
	const wsi_conv_job *j = r->j;
	unsigned long long *largest = (unsigned long long *)(r->memory + r->t->cut.largest);
	if (!conv_needs_largest(j))
		return;
	if (!io->on_device) {
		std::vector<unsigned long long> found(j->channels);
		for (size_t c = 0; c < j->channels; ++c)
			found[c] = samples_largest_on_host(j->samples, io->x + c * io->x_stride,
			                                   j->n);
		cuda_work_table(w, largest, found.data(), j->channels * sizeof *largest);
		return;
	}
	for (size_t c = 0; c < j->channels && w->error == cudaSuccess; c += CONV_MOST_CHANNELS)
		well(w, samples_largest({ j->samples, io->x + c * io->x_stride, io->x_stride, j->n,
		                          (unsigned)std::min(j->channels - c, CONV_MOST_CHANNELS) },
		                        largest + c, w->stream), "looking at the samples");
}

static void
do_all(conv_run *r)
{
	cuda_work *w = &r->w;
	const wsi_conv_job *j = r->j;
	const conv_cut &cut = r->t->cut;
	const size_t portions = (j->outputs + cut.outputs - 1) / cut.outputs;
	const size_t total = (j->channels + cut.channels - 1) / cut.channels * portions *
	                     r->t->ranges.size();
	size_t done = 0;
	for (size_t c = 0; c < j->channels; c += cut.channels)
		for (size_t o = 0; o < j->outputs; o += cut.outputs) {
			conv_portion p = { c, std::min(cut.channels, j->channels - c), o,
			                   std::min(cut.outputs, j->outputs - o) };
			if (!goes_on(w))
				return;
			take_samples(r, &p);
			for (conv_range &range : r->t->ranges) {
				watch(r);
				if (!goes_on(w) || r->status != WS_OK)
					return;
				do_range(r, &range, p);
				wsi_progress_part(w->progress, (double)++done / (double)total);
			}
		}
	watch(r);
}

/* What the flags say, once all is done. */
static ws_status
read_flags(conv_run *r, wsi_why *why)
{
	cuda_work *w = &r->w;
	if (w->io->on_device || w->error != cudaSuccess || wsi_cancelled(w->progress))
		return WS_OK;
	well(w, cudaMemcpyAsync(w->pinned, r->memory + r->t->cut.flags, sizeof(conv_flags),
	                        cudaMemcpyDeviceToHost, w->stream), "reading flags");
	if (!cuda_work_wait(w))
		return WS_OK;
	const conv_flags f = *(const conv_flags *)w->pinned;
	const unsigned long long none = ~0ull, low = 0xffffffffu;
	const size_t from = w->io->numbers_from, first = w->io->first_channel + from;
	if (f.bad != none)
		snprintf(why->text, sizeof why->text, "channel %zu, sample %zu is not finite: mend "
		         "or leave out that stretch", first + (size_t)(f.bad >> 32),
		         (size_t)(f.bad & low) + from);
	else if (f.high != none)
		snprintf(why->text, sizeof why->text, "channel %zu: the response to mask %zu is "
		         "more than the type holds; scale the signal or the mask",
		         first + (size_t)(f.high >> 32), (size_t)(f.high & low) + from);
	return f.bad != none || f.high != none ? WS_E_FORMAT : WS_OK;
}

static ws_status
run_whole(conv_run *r, wsi_why *why)
{
	cuda_work *w = &r->w;
	ws_status status = conv_tables_ready(r->t, w, r->j, why);
	if (status != WS_OK)
		return status;
	r->memory = r->t->key.on_device ? r->t->work : w->memory;
	well(w, cudaMemsetAsync(r->memory + r->t->cut.flags, 0xff, sizeof(conv_flags), w->stream),
	     "clearing flags");
	find_largest(r);
	do_all(r);
	status = r->status == WS_OK ? read_flags(r, why) : r->status;
	return status;
}

static ws_status
run(wsi_device *d, const void *job, const wsi_io *io, size_t device, size_t pinned,
    wsi_progress *progress, wsi_why *why)
try {
	conv_run r = {};
	r.j = (const wsi_conv_job *)job;
	r.why = why;
	const conv_key key = { r.j, r.j->made, io->first, io->count ? io->count : r.j->masks,
	                       device, io->on_device };
	/* The plan counts its masks as memory of the host, too. */
	(void)pinned;
	ws_status status = conv_tables_take(d, r.j, key, &r.t, why);
	if (status != WS_OK)
		return status;
	status = cuda_work_begin(&r.w, d, io, io->on_device ? 0 : r.t->cut.bytes,
	                         sizeof(conv_flags), progress, why);
	if (status != WS_OK) {
		conv_tables_close(r.t, NULL);
		return status;
	}
	status = run_whole(&r, why);
	if (r.w.error == cudaSuccess && (status == WS_OK || status == WS_E_FORMAT))
		conv_tables_keep(r.t, &r.w);
	else
		conv_tables_close(r.t, &r.w);
	const ws_status end = cuda_work_end(&r.w, why);
	return end != WS_OK ? end : status;
} catch (const std::bad_alloc &) {
	snprintf(why->text, sizeof why->text, "no memory for tables of masks");
	return WS_E_NOMEM;
}

static void
describe(wsi_device *d, const void *job, char *text, size_t size)
{
	const wsi_conv_job *j = (const wsi_conv_job *)job;
	const direct_kind kind = conv_kind(j, d->facts);
	snprintf(text, size, "  kernels    cuda/%s, groups of %d masks, tiles of %d outputs%s\n",
	         j->sums == WS_F64 ? "f64" : "f32", direct_rows(kind),
	         kind.tensor ? TENSOR_TILE : direct_tile(kind),
	         kind.tensor ? ", tensor cores" : "");
}

extern const wsi_device_transform cuda_transform_conv = {
	"conv", sizeof(wsi_conv_job), measure, run, describe,
};
