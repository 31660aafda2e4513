/* kept.cu - the tables of an execution. */
#include "cuda/conv/kept.h"

#include "cuda/conv/masks.h"

#include <string.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

/* Plans whose tables are kept, at most. */
constexpr size_t KEPT = 2;

struct conv_kept { conv_tables *at[KEPT]; /* or NULL; the last given first */ };

/* ---- Ranges -------------------------------------------------------------------------------- */

/* Packs the values of lines, so that all have step 1. */
static void
pack(const wsi_conv_job *j, const wsi_conv_line &line, std::vector<char> &to)
{
	const size_t size = conv_size_of(j->sums), at = to.size(), n = conv_length(line);
	to.resize(at + n * size);
	const char *from = (const char *)(line.method == WS_CONV_DIRECT ? j->direct_values
	                                  : j->other_values) + line.taps * size;
	for (size_t i = 0; i < n; ++i)
		memcpy(&to[at + i * size], from + i * line.step * size, size);
}

/* Adds a line to a range; rows are those of its method. */
static void
add_line(const wsi_conv_job *j, const wsi_conv_line &line, conv_range *range,
         std::vector<direct_row> &rows)
{
	rows.push_back({ range->values_count, line.d0, line.d1,
	                 (unsigned)(line.mask - range->first), line.mask, line.part, 1,
	                 j->exponents ? j->exponents[line.mask] : (short)0 });
	range->values_count += conv_length(line);
	if (!j->forms)
		pack(j, line, range->values);
}

/* Lines by transforms, in the order of their classes. */
static void
add_others(conv_tables *t, const wsi_conv_job *j)
{
	const conv_key &key = t->key;
	for (conv_range &range : t->ranges)
		range.classes = t->cut.classes;
	for (size_t k = 0; k < t->cut.classes.size(); ++k) {
		for (conv_range &range : t->ranges)
			range.classes[k].first = range.others.size();
		for (size_t i = j->direct; i < j->direct + j->others; ++i) {
			const wsi_conv_line &line = j->lines[i];
			if (line.mask < key.first || line.mask >= key.first + key.count ||
			    conv_find_class(t->cut.classes, conv_class_of(j, line)) != k)
				continue;
			conv_range &range = t->ranges[(line.mask - key.first) / t->cut.masks];
			add_line(j, line, &range, range.others);
		}
		for (conv_range &range : t->ranges)
			range.classes[k].lines = range.others.size() - range.classes[k].first;
	}
}

static void
make_ranges(conv_tables *t, const wsi_conv_job *j)
{
	const conv_key &key = t->key;
	const size_t each = t->cut.masks, n = (key.count + each - 1) / each;
	std::vector<std::vector<direct_row>> lines(n);
	t->ranges.resize(n);
	for (size_t k = 0; k < n; ++k) {
		t->ranges[k].first = key.first + k * each;
		t->ranges[k].count = std::min(each, key.count - k * each);
	}
	/* Shortest first stays so. */
	for (size_t i = 0; i < j->direct; ++i) {
		const wsi_conv_line &line = j->lines[i];
		if (line.mask < key.first || line.mask >= key.first + key.count)
			continue;
		const size_t k = (line.mask - key.first) / each;
		add_line(j, line, &t->ranges[k], lines[k]);
	}
	add_others(t, j);
	const size_t tile = (size_t)direct_tile(t->cut.kind);
	const size_t tiles = (t->cut.outputs + tile - 1) / tile * t->cut.channels;
	size_t values = 0, rows = 0, groups = 0;
	for (size_t k = 0; k < n; ++k) {
		conv_range &range = t->ranges[k];
		if (t->cut.resident) {
			for (direct_row &row : lines[k])
				row.taps += values;
			for (direct_row &row : range.others)
				row.taps += values;
		}
		range.direct = direct_group_lines(lines[k], t->cut.kind, tiles, t->cut.blocks);
		range.rows = rows;
		range.groups = groups;
		values += range.values_count;
		rows += lines[k].size() + range.others.size();
		groups += range.direct.groups.size();
	}
}

static void
make_values(conv_tables *t, cuda_work *w, const wsi_conv_job *j, const conv_range &range,
            size_t at)
{
	size_t longest = 0;
	for (const direct_row &row : range.direct.rows)
		longest = std::max(longest, (size_t)(row.d1 - row.d0));
	for (const direct_row &row : range.others)
		longest = std::max(longest, (size_t)(row.d1 - row.d0));
	const mask_shape shape = { j->sums, j->samples == WS_F32, j->rounding, j->seed, j->flip,
	                           j->complex ? 2 : 1 };
	/* Rows of a resident range count from the first value of all. */
	char *base = t->tables + (t->cut.resident ? 0 : at * conv_size_of(j->sums));
	well(w, masks_fill(shape, (const direct_row *)(t->tables + t->cut.rows) + range.rows,
	                   range.direct.rows.size() + range.others.size(), longest,
	                   (const wsi_conv_form *)(t->tables + t->cut.forms), base, w->stream),
	     "making masks");
}

void
conv_tables_values(conv_tables *t, cuda_work *w, const wsi_conv_job *j, conv_range *range,
                   size_t at)
{
	if (w->error != cudaSuccess)
		return;
	if (j->forms)
		make_values(t, w, j, *range, at);
	else
		cuda_work_table(w, t->tables + at * conv_size_of(j->sums), range->values.data(),
		                range->values.size());
}

/* Brings all but groups, which depend on the portion, to the device. */
static void
upload(conv_tables *t, cuda_work *w, const wsi_conv_job *j)
{
	size_t at = 0;
	if (j->forms)
		cuda_work_table(w, t->tables + t->cut.forms, j->forms,
		                j->masks * sizeof *j->forms);
	if (j->over.kernel)
		cuda_work_table(w, t->tables + t->cut.kernel, j->over.kernel,
		                conv_kernel_bytes(j));
	for (conv_range &range : t->ranges) {
		direct_row *rows = (direct_row *)(t->tables + t->cut.rows) + range.rows;
		const size_t direct = range.direct.rows.size();
		cuda_work_table(w, rows, range.direct.rows.data(), direct * sizeof *rows);
		cuda_work_table(w, rows + direct, range.others.data(),
		                range.others.size() * sizeof *rows);
		if (!t->cut.resident)
			continue;
		conv_tables_values(t, w, j, &range, at);
		at += range.values_count;
		std::vector<char>().swap(range.values);
	}
}

/* ---- Tables -------------------------------------------------------------------------------- */

void
conv_tables_close(conv_tables *t, cuda_work *w)
{
	if (w && t->last)
		cudaStreamWaitEvent(w->stream, t->last, 0);
	else if (t->last)
		cudaEventSynchronize(t->last);
	for (char *memory : { t->tables, t->work })
		if (memory && w)
			cudaFreeAsync(memory, w->stream);
		else if (memory)
			cudaFree(memory);
	if (t->last)
		cudaEventDestroy(t->last);
	delete t;
}

static conv_tables *
find_kept(wsi_device *d, const conv_key &key)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	if (!d->conv)
		d->conv = new conv_kept();
	for (conv_tables *&t : d->conv->at)
		if (t && t->key == key)
			return std::exchange(t, nullptr);
	return NULL;
}

ws_status
conv_tables_take(wsi_device *d, const wsi_conv_job *j, const conv_key &key,
                 conv_tables **tables, wsi_why *why)
{
	*tables = find_kept(d, key);
	if (*tables)
		return WS_OK;
	std::unique_ptr<conv_tables> t(new conv_tables());
	t->key = key;
	const ws_status status = conv_choose_cut(d, j, { key.first, key.count, key.count },
	                                         key.device, &t->cut, why);
	if (status != WS_OK)
		return status;
	/* Nothing is cut for the way to the host; transforms and copies of samples have room for
	 * such portions only. */
	if (key.on_device && j->others == 0 && !j->narrow && j->over.factor == 1) {
		t->cut.outputs = j->outputs;
		t->cut.channels = std::min(j->channels, CONV_MOST_CHANNELS);
	}
	if (key.on_device && t->cut.resident)
		t->cut.masks = key.count;
	make_ranges(t.get(), j);
	*tables = t.release();
	return WS_OK;
}

ws_status
conv_tables_ready(conv_tables *t, cuda_work *w, const wsi_conv_job *j, wsi_why *why)
{
	if (t->last) {
		well(w, cudaStreamWaitEvent(w->stream, t->last, 0), "waiting for tables");
		return WS_OK;
	}
	cudaError_t error = cudaMallocAsync((void **)&t->tables, t->cut.tables, w->stream);
	if (error == cudaSuccess && t->key.on_device)
		error = cudaMallocAsync((void **)&t->work, t->cut.work, w->stream);
	if (error == cudaSuccess)
		error = cudaEventCreateWithFlags(&t->last, cudaEventDisableTiming);
	if (error != cudaSuccess)
		return cuda_failed(error, "device memory for masks", why);
	upload(t, w, j);
	return WS_OK;
}

void
conv_tables_keep(conv_tables *t, cuda_work *w)
{
	well(w, cudaEventRecord(t->last, w->stream), "keeping tables");
	{
		/* Each moves on to the next place, up to one that is free. */
		const std::lock_guard<std::mutex> guard(*(std::mutex *)w->device->lock);
		for (size_t i = 0; i < KEPT && t; ++i)
			std::swap(t, w->device->conv->at[i]);
	}
	if (t)
		conv_tables_close(t, w);
}

void
conv_kept_close(conv_kept *kept)
{
	if (!kept)
		return;
	for (conv_tables *t : kept->at)
		if (t)
			conv_tables_close(t, NULL);
	delete kept;
}
