/*
 * conv.cu - convolution with many masks: blocks of channels, outputs and masks.
 *
 * A range of masks is summed together; its responses lie in one of two slabs, and while the host
 * fetches one, the other is filled.  Arrays in the device's memory are written at once, and one
 * range has all masks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "cuda/conv/direct.h"
#include "cuda/work.h"

/* Bytes of a slab: copies of some MiB run at the link's full rate, and a block's sums keep the
 * device busy. */
constexpr size_t SLAB = (size_t)32 << 20;
/* Of sums of branches, at most. */
constexpr size_t PARTIAL = (size_t)64 << 20;
/* Channels of a block: rows of a grid. */
constexpr size_t MOST_CHANNELS = 4096;

/* How the work is cut, and where in the device's memory things lie. */
struct conv_cut {
	size_t channels, masks, outputs; /* of a block */
	size_t samples;          /* of a channel, that a block reads */
	size_t range_values;     /* of a range of masks, at most */
	bool resident;           /* values of all masks are there at once */
	int blocks, levels;      /* of direct_launch */
	size_t partial;          /* sums of branches, at most */
	size_t flags, values, rows, groups, stack, sums, x, slab[2]; /* offsets, bytes */
	size_t bytes;
};

struct conv_flags { unsigned long long next, bad, high; };

/* ---- Sizes --------------------------------------------------------------------------------- */

static size_t
size_of(ws_type type)
{
	return type == WS_F32 ? 4 : 8;
}

static size_t
element_of(const wsi_conv_gpu_job *j)
{
	return size_of(j->samples) * (j->complex ? 2 : 1);
}

static direct_kind
kind_of_job(const wsi_conv_gpu_job *j)
{
	return { j->samples, j->sums, j->carried, j->every == 1 };
}

static size_t
length_of(const wsi_conv_line &line)
{
	return (size_t)(line.d1 - line.d0);
}

/* Samples low .. high - 1 that outputs o0 .. o0 + count - 1 take. */
static void
samples_of(const wsi_conv_gpu_job *j, size_t o0, size_t count, long long *low, long long *high)
{
	long long d0 = 0, d1 = 1;
	for (size_t i = 0; i < j->direct + j->others; ++i) {
		d0 = std::min(d0, (long long)j->lines[i].d0);
		d1 = std::max(d1, (long long)j->lines[i].d1);
	}
	const long long first = j->first + (long long)o0 * j->every;
	const long long last = first + (long long)(count - 1) * j->every;
	*low = std::min(std::max(first + d0, 0ll), (long long)j->n);
	*high = std::max(std::min(last + d1, (long long)j->n), *low);
}

static size_t
take(size_t *used, size_t bytes)
{
	const size_t at = *used;
	*used += (bytes + 255) / 256 * 256;
	return at;
}

/* Fills the offsets; the rest is there. */
static void
lay_out(conv_cut *c, const wsi_conv_gpu_job *j, size_t lines, size_t all_values)
{
	const direct_kind kind = kind_of_job(j);
	const size_t slab = c->channels * c->masks * c->outputs * element_of(j);
	c->bytes = 0;
	c->flags = take(&c->bytes, sizeof(conv_flags));
	c->values = take(&c->bytes, (c->resident ? all_values : c->range_values) *
	                            size_of(j->sums));
	c->rows = take(&c->bytes, lines * sizeof(direct_row));
	c->groups = take(&c->bytes, lines * sizeof(direct_group));
	c->stack = take(&c->bytes, direct_stack_bytes(kind) * c->blocks * c->levels);
	c->sums = take(&c->bytes, c->partial * size_of(j->sums));
	c->x = take(&c->bytes, c->channels * c->samples * size_of(j->samples));
	c->slab[0] = take(&c->bytes, slab);
	c->slab[1] = take(&c->bytes, slab);
}

/* The most values that lines of a range of masks have; part: masks of an execution. */
static size_t
most_values(const wsi_conv_gpu_job *j, size_t part, size_t range)
{
	std::vector<size_t> of_mask(j->masks, 0);
	for (size_t i = 0; i < j->direct; ++i)
		of_mask[j->lines[i].mask] += length_of(j->lines[i]);
	size_t most = 0;
	for (size_t p = 0; p < j->masks; p += part) {
		const size_t end = std::min(p + part, j->masks);
		for (size_t m = p; m < end; m += range) {
			size_t values = 0;
			for (size_t k = m; k < std::min(m + range, end); ++k)
				values += of_mask[k];
			most = std::max(most, values);
		}
	}
	return most;
}

/* Chooses the largest blocks that fit `most` bytes; where none does, c->bytes is the least. */
static cudaError_t
choose_cut(wsi_device *d, const wsi_conv_gpu_job *j, size_t part, size_t most, conv_cut *c)
{
	const size_t masks = part ? std::min(part, j->masks) : j->masks;
	const size_t row = j->outputs * element_of(j);
	const direct_kind kind = kind_of_job(j);
	*c = {};
	const cudaError_t error = direct_blocks(kind, d->facts, (int)j->every, &c->blocks);
	if (error != cudaSuccess)
		return error;
	c->outputs = j->outputs;
	c->masks = std::max(std::min(SLAB / row, masks), (size_t)1);
	c->channels = c->masks < masks ? 1
	              : std::max(std::min({ SLAB / (row * masks), j->channels, MOST_CHANNELS }),
	                         (size_t)1);
	c->levels = 1;
	size_t all_values = 0;
	for (size_t i = 0; i < j->direct; ++i) {
		const wsi_conv_line &line = j->lines[i];
		c->levels = std::max(c->levels, direct_levels(line.d0, line.d1));
		all_values += length_of(line);
	}
	const size_t parts = j->complex ? 2 : 1, lines = std::min(masks * parts, j->direct);
	for (;;) {
		long long low, high;
		size_t samples = 0;
		for (size_t o = 0; o < j->outputs; o += c->outputs) {
			samples_of(j, o, std::min(c->outputs, j->outputs - o), &low, &high);
			samples = std::max(samples, (size_t)(high - low));
		}
		c->samples = samples;
		c->resident = all_values <= most / 4 / size_of(j->sums);
		c->range_values = most_values(j, masks, c->masks);
		c->partial = j->direct ? std::min(PARTIAL, 8 * c->channels * c->masks * c->outputs *
		                         element_of(j)) / size_of(j->sums) : 0;
		lay_out(c, j, lines, all_values);
		if (c->bytes <= most)
			return cudaSuccess;
		if (c->channels > 1)
			c->channels = (c->channels + 1) / 2;
		else if (c->masks > 1)
			c->masks = (c->masks + 1) / 2;
		else if (c->outputs > 65536)
			c->outputs = (c->outputs + 1) / 2;
		else if (c->blocks > d->facts.multiProcessorCount / 4 + 1)
			c->blocks = (c->blocks + 1) / 2;
		else
			return cudaSuccess;
	}
}

static ws_status
measure(wsi_device *d, const void *job, size_t part, size_t most, size_t *device, size_t *pinned,
        wsi_why *why)
try {
	conv_cut c;
	const cudaError_t error = choose_cut(d, (const wsi_conv_gpu_job *)job, part, most, &c);
	if (error != cudaSuccess)
		return cuda_failed(error, "asking for the device's kernels", why);
	*device = c.bytes;
	*pinned = sizeof(conv_flags);
	return c.bytes <= most ? WS_OK : WS_E_NOMEM;
} catch (const std::bad_alloc &) {
	snprintf(why->text, sizeof why->text, "no memory for tables of masks");
	return WS_E_BACKEND;
}

/* ---- Samples that are not finite ------------------------------------------------------------ */

template <class X>
__global__ void
look_kernel(const X *x, size_t stride, size_t n, unsigned long long first, conv_flags *flags)
{
	const X *row = (const X *)((const char *)x + blockIdx.y * stride);
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x)
		if (!(row[i] - row[i] == (X)0))
			atomicMin(&flags->bad, first + ((unsigned long long)blockIdx.y << 32) + i);
}

/* ---- The work ------------------------------------------------------------------------------- */

/* A range of masks as the device has it. */
struct conv_range {
	size_t first, count;     /* masks, as given */
	direct_tables direct;
	std::vector<char> values; /* of its lines, one after the other; freed once on the device */
};

struct conv_run {
	cuda_work w;
	const wsi_conv_gpu_job *j;
	conv_cut cut;
	std::vector<conv_range> ranges;
	const conv_range *there; /* whose rows are on the device */
	int slab;
};

/* One channel's, or some channels', samples for a block of outputs. */
struct conv_block {
	size_t channel, channels, output, outputs;
	const char *x;           /* on the device */
	size_t x_stride;
	long long low, high;
};

/* Packs the values of lines, so that all have step 1. */
static void
pack(const wsi_conv_gpu_job *j, const wsi_conv_line &line, std::vector<char> &to)
{
	const size_t size = size_of(j->sums), at = to.size(), n = length_of(line);
	to.resize(at + n * size);
	const char *from = (const char *)j->direct_values + line.taps * size;
	for (size_t i = 0; i < n; ++i)
		memcpy(&to[at + i * size], from + i * line.step * size, size);
}

/* Ranges of the masks first .. first + count - 1. */
static std::vector<conv_range>
make_ranges(const conv_run *r, size_t first, size_t count)
{
	const wsi_conv_gpu_job *j = r->j;
	const size_t each = r->cut.masks, n = (count + each - 1) / each;
	std::vector<conv_range> ranges(n);
	std::vector<std::vector<direct_row>> lines(n);
	for (size_t k = 0; k < n; ++k) {
		ranges[k].first = first + k * each;
		ranges[k].count = std::min(each, count - k * each);
	}
	/* Shortest first stays so. */
	for (size_t i = 0; i < j->direct; ++i) {
		const wsi_conv_line &line = j->lines[i];
		if (line.mask < first || line.mask >= first + count)
			continue;
		const size_t k = (line.mask - first) / each;
		const size_t at = ranges[k].values.size() / size_of(j->sums);
		lines[k].push_back({ at, line.d0, line.d1,
		                     (unsigned)(line.mask - ranges[k].first), line.mask, line.part,
		                     1 });
		pack(j, line, ranges[k].values);
	}
	size_t values = 0;
	for (size_t k = 0; k < n; ++k) {
		for (direct_row &row : lines[k])
			row.taps += r->cut.resident ? values : 0;
		values += ranges[k].values.size() / size_of(j->sums);
		ranges[k].direct = direct_group_lines(lines[k], kind_of_job(j));
	}
	return ranges;
}

static void
put_values(conv_run *r)
{
	size_t at = r->cut.values;
	for (conv_range &range : r->ranges) {
		cuda_work_table(&r->w, r->w.memory + at, range.values.data(), range.values.size());
		at += range.values.size();
		std::vector<char>().swap(range.values);
	}
}

/* Brings a range's tables to the device. */
static void
put_range(conv_run *r, conv_range *range)
{
	cuda_work *w = &r->w;
	const direct_tables &t = range->direct;
	cuda_work_table(w, w->memory + r->cut.groups, t.groups.data(),
	                t.groups.size() * sizeof(direct_group));
	if (r->there == range)
		return;
	cuda_work_table(w, w->memory + r->cut.rows, t.rows.data(),
	                t.rows.size() * sizeof(direct_row));
	if (!r->cut.resident)
		cuda_work_table(w, w->memory + r->cut.values, range->values.data(),
		                range->values.size());
	r->there = range;
}

static void
sum_direct(conv_run *r, conv_range *range, const conv_block &b, char *y, size_t y_channel,
           size_t y_row)
{
	cuda_work *w = &r->w;
	const wsi_conv_gpu_job *j = r->j;
	const direct_kind kind = kind_of_job(j);
	if (range->direct.groups.empty())
		return;
	conv_flags *flags = (conv_flags *)(w->memory + r->cut.flags);
	const long long n0 = j->first + (long long)b.output * j->every;
	const direct_span span = { (long long)j->n, n0,
		                   n0 + (long long)(b.outputs - 1) * j->every,
		                   (long long)b.outputs, (int)b.channels, r->cut.blocks,
		                   r->cut.partial };
	direct_lay_out(range->direct, kind, span);
	put_range(r, range);
	const direct_tables &t = range->direct;
	const direct_job job = {
		b.x, b.x_stride, b.low, b.high, (long long)j->n, n0, (int)j->every,
		(long long)b.outputs, (int)b.channels, j->complex ? 2 : 1, y, y_channel, y_row,
		w->memory + r->cut.values, (const direct_group *)(w->memory + r->cut.groups),
		(const direct_row *)(w->memory + r->cut.rows), (int)t.groups.size(), t.items,
		w->memory + r->cut.stack, t.levels, w->memory + r->cut.sums, &flags->next,
		&flags->high, (unsigned)b.channel,
	};
	if (w->error == cudaSuccess)
		well(w, direct_launch(kind, job, t.groups.data(), r->cut.blocks, w->stream),
		     "direct convolution");
}

/* A slab's rows to the caller. */
static void
fetch(conv_run *r, const conv_range *range, const conv_block &b, const char *slab)
{
	const wsi_io *io = r->w.io;
	const size_t element = element_of(r->j), bytes = b.outputs * element;
	const ws_buffer *a = &io->arrays[r->j->array];
	const size_t masks = io->count ? io->count : r->j->masks;
	char *to = (char *)wsi_io_row(io, r->j->array, b.channel, range->first - io->first) +
	           b.output * element;
	if (range->count == masks && a->stride[0] == masks * a->stride[1]) {
		cuda_work_get(&r->w, to, a->stride[1], slab, bytes, bytes, b.channels * masks, true);
		return;
	}
	for (size_t c = 0; c < b.channels; ++c)
		cuda_work_get(&r->w, to + c * a->stride[0], a->stride[1],
		              slab + c * range->count * bytes, bytes, bytes, range->count, true);
}

static void
do_range(conv_run *r, conv_range *range, const conv_block &b)
{
	const wsi_io *io = r->w.io;
	const size_t element = element_of(r->j);
	if (io->on_device) {
		const ws_buffer *a = &io->arrays[r->j->array];
		sum_direct(r, range, b, (char *)wsi_io_row(io, r->j->array, b.channel,
		           range->first - io->first) + b.output * element, a->stride[0],
		           a->stride[1]);
		return;
	}
	char *slab = r->w.memory + r->cut.slab[r->slab];
	r->slab = 1 - r->slab;
	sum_direct(r, range, b, slab, range->count * b.outputs * element, b.outputs * element);
	fetch(r, range, b, slab);
}

/* The samples of a block; from the host they are looked at. */
static void
take_samples(conv_run *r, conv_block *b)
{
	cuda_work *w = &r->w;
	const wsi_io *io = w->io;
	const size_t size = size_of(r->j->samples);
	samples_of(r->j, b->output, b->outputs, &b->low, &b->high);
	const char *from = io->x + b->channel * io->x_stride + b->low * size;
	b->x = from;
	b->x_stride = io->x_stride;
	if (io->on_device)
		return;
	const size_t n = (size_t)(b->high - b->low);
	b->x = w->memory + r->cut.x;
	b->x_stride = n * size;
	if (n == 0)
		return;
	cuda_work_put(w, (void *)b->x, b->x_stride, from, io->x_stride, n * size, b->channels);
	if (w->error != cudaSuccess)
		return;
	conv_flags *flags = (conv_flags *)(w->memory + r->cut.flags);
	const dim3 grid((unsigned)std::min((n + 1023) / 1024, (size_t)1024), (unsigned)b->channels);
	const unsigned long long first = ((unsigned long long)b->channel << 32) +
	                                 (unsigned long long)b->low;
	if (r->j->samples == WS_F64)
		look_kernel<<<grid, 256, 0, w->stream>>>((const double *)b->x, b->x_stride, n,
		                                         first, flags);
	else
		look_kernel<<<grid, 256, 0, w->stream>>>((const float *)b->x, b->x_stride, n, first,
		                                         flags);
	well(w, cudaGetLastError(), "looking at the samples");
}

static void
do_all(conv_run *r)
{
	cuda_work *w = &r->w;
	const wsi_conv_gpu_job *j = r->j;
	const conv_cut &cut = r->cut;
	const size_t blocks = (j->outputs + cut.outputs - 1) / cut.outputs;
	const size_t total = (j->channels + cut.channels - 1) / cut.channels * blocks *
	                     r->ranges.size();
	size_t done = 0;
	for (size_t c = 0; c < j->channels; c += cut.channels)
		for (size_t o = 0; o < j->outputs; o += cut.outputs) {
			conv_block b = { c, std::min(cut.channels, j->channels - c), o,
			                 std::min(cut.outputs, j->outputs - o) };
			if (!goes_on(w))
				return;
			take_samples(r, &b);
			for (conv_range &range : r->ranges) {
				if (!goes_on(w))
					return;
				do_range(r, &range, b);
				wsi_progress_part(w->progress, (double)++done / (double)total);
			}
		}
}

/* What the flags say, once all is done. */
static ws_status
read_flags(conv_run *r, wsi_why *why)
{
	cuda_work *w = &r->w;
	if (w->io->on_device || w->error != cudaSuccess || wsi_cancelled(w->progress))
		return WS_OK;
	well(w, cudaMemcpyAsync(w->pinned, w->memory + r->cut.flags, sizeof(conv_flags),
	                        cudaMemcpyDeviceToHost, w->stream), "reading flags");
	if (!cuda_work_wait(w))
		return WS_OK;
	const conv_flags f = *(const conv_flags *)w->pinned;
	const unsigned long long none = ~0ull, low = 0xffffffffu;
	const size_t first = w->io->first_channel;
	if (f.bad != none)
		snprintf(why->text, sizeof why->text, "channel %zu, sample %zu is not finite: mend "
		         "or leave out that stretch", first + (size_t)(f.bad >> 32) + 1,
		         (size_t)(f.bad & low) + 1);
	else if (f.high != none)
		snprintf(why->text, sizeof why->text, "channel %zu: the response to mask %zu is "
		         "more than the type holds; scale the signal or the mask",
		         first + (size_t)(f.high >> 32) + 1, (size_t)(f.high & low) + 1);
	return f.bad != none || f.high != none ? WS_E_FORMAT : WS_OK;
}

static ws_status
run_whole(conv_run *r, wsi_device *d, const wsi_io *io, size_t device, wsi_why *why)
{
	const wsi_conv_gpu_job *j = r->j;
	const size_t masks = io->count ? io->count : j->masks;
	const cudaError_t error = choose_cut(d, j, masks, device, &r->cut);
	if (error != cudaSuccess)
		return cuda_failed(error, "asking for the device's kernels", why);
	if (io->on_device) {
		r->cut.outputs = j->outputs;
		r->cut.channels = std::min(j->channels, MOST_CHANNELS);
		if (r->cut.resident)
			r->cut.masks = masks;
	}
	r->ranges = make_ranges(r, io->first, masks);
	well(&r->w, cudaMemsetAsync(r->w.memory + r->cut.flags, 0xff, sizeof(conv_flags),
	                            r->w.stream), "clearing flags");
	if (r->cut.resident)
		put_values(r);
	do_all(r);
	return read_flags(r, why);
}

static ws_status
run(wsi_device *d, const void *job, const wsi_io *io, size_t device, size_t pinned,
    wsi_progress *progress, wsi_why *why)
{
	conv_run r = {};
	/* The plan counts its masks as memory of the host, too. */
	(void)pinned;
	r.j = (const wsi_conv_gpu_job *)job;
	ws_status status = cuda_work_begin(&r.w, d, io, device, sizeof(conv_flags), progress, why);
	if (status != WS_OK)
		return status;
	try {
		status = run_whole(&r, d, io, device, why);
	} catch (const std::bad_alloc &) {
		snprintf(why->text, sizeof why->text, "no memory for tables of masks");
		status = WS_E_NOMEM;
	}
	const ws_status end = cuda_work_end(&r.w, why);
	return end != WS_OK ? end : status;
}

static void
describe(wsi_device *d, const void *job, char *text, size_t size)
{
	const wsi_conv_gpu_job *j = (const wsi_conv_gpu_job *)job;
	const direct_kind kind = kind_of_job(j);
	(void)d;
	snprintf(text, size, "  kernels    cuda/%s, groups of %d masks, tiles of %d outputs\n",
	         j->sums == WS_F64 ? "f64" : "f32", direct_rows(kind), direct_tile(kind));
}

extern const wsi_device_transform cuda_transform_conv = {
	"conv", sizeof(wsi_conv_gpu_job), measure, run, describe,
};
