/* writer_mat_arrays.c - what both versions of a MAT result share. */
#include "io/write/writer_mat_arrays.h"

#include <stdlib.h>

#include "base/line.h"

/* A row is what lies along the last axis of a channel's array.  Rows go through the axes of
 * the file in their order, the first fastest. */
static void
fill_rows(const wsi_mat_array *a, const wsi_writer *w, const wsi_file_array *of,
          wsi_spool_row *rows)
{
	const ws_array *made = &of->made;
	const size_t size = wsi_type_size(of->type);
	const size_t epochs = of->shared ? 1 : wsi_header_epochs(&w->header);
	const size_t channels = of->shared ? 1 : w->header.channels;
	const int leading = of->rank - made->rank; /* of the file's axes before those of made */
	for (size_t r = 0; r < a->n_rows; ++r) {
		const size_t epoch = r % epochs, channel = r / epochs % channels;
		size_t rest = r / epochs / channels;
		uint64_t at = 0, index[WS_MOST_AXES] = { 0 };
		for (int i = 1; i < made->rank - 1; ++i) {
			const size_t extent = wsi_axis_extent(w, of->axes[i + leading]);
			index[i] = rest % extent;
			rest /= extent;
		}
		for (int i = 1; i < made->rank; ++i)
			at = at * made->extent[i] + index[i];
		at = at * size + wsi_spooled_place(w, of, epoch * channels + channel);
		rows[r] = (wsi_spool_row){ at, size };
	}
}

static ws_status
put_array(const wsi_writer *w, const wsi_file_array *of, const wsi_mat_sink *sink, void *user)
{
	wsi_mat_array a = { .name = of->made.name, .type = of->type, .n_rows = 1, .count = 1,
		.timed = wsi_array_timed(of) };
	if (of->rank == 1)
		a.dims[a.rank++] = 1;
	for (int i = 0; i < of->rank; ++i)
		a.dims[a.rank++] = wsi_axis_extent(w, of->axes[i]);
	for (int i = 0; i < a.rank; ++i)
		a.n_rows *= a.dims[i];
	if (of->made.rank > 1) {
		a.count = a.dims[a.rank - 1];
		a.n_rows /= a.count ? a.count : 1;
	}
	wsi_spool_row *rows;
	WSI_NEW(rows, a.n_rows, "%s: out of memory", w->path);
	fill_rows(&a, w, of, rows);
	a.rows = rows;
	const ws_status status = sink->array(user, &a);
	free(rows);
	return status;
}

static ws_status
put_axis(const wsi_writer *w, const wsi_file_axis *axis, const wsi_mat_sink *sink, void *user)
{
	double *values = malloc(axis->extent * sizeof *values);
	WSI_HAVE(values, "%s: out of memory", w->path);
	for (size_t i = 0; i < axis->extent; ++i)
		values[i] = wsi_axis_value(w, axis, i);
	const ws_status status = sink->numbers(user, axis->name, WS_F64, values, axis->extent);
	free(values);
	return status;
}

/* provenance, a struct with a field for each fact. */
static ws_status
put_facts(const ws_fact *facts, size_t n, const char **fields, const wsi_mat_sink *sink,
          void *user)
{
	WSI_TRY(sink->open(user, "provenance"));
	for (size_t i = 0; i < n; ++i) {
		const ws_fact *f = &facts[i];
		const double number = f->kind == WS_OPTION_INT ? (double)f->integer : f->real;
		fields[i] = f->key;
		WSI_TRY(f->kind == WS_OPTION_TEXT ? sink->text(user, f->key, f->text ? f->text : "")
		        : sink->numbers(user, f->key, WS_F64, &number, 1));
	}
	return sink->close(user, "provenance", fields, n);
}

/* events, a struct of lists. */
static ws_status
put_events(const wsi_result_header *h, double *times, const char **labels,
           const wsi_mat_sink *sink, void *user)
{
	static const char *const fields[] = { "onset", "duration", "epoch", "time", "label" };
	const size_t n = h->n_events;
	WSI_TRY(sink->open(user, "events"));
	for (size_t k = 0; k < 4; ++k) {
		for (size_t i = 0; i < n; ++i) {
			const wsi_event *e = &h->events[i];
			times[i] = k == 0 ? e->onset : k == 1 ? e->duration
			           : k == 2 ? (double)e->epoch : e->time;
		}
		WSI_TRY(sink->numbers(user, fields[k], WS_F64, times, n));
	}
	for (size_t i = 0; i < n; ++i)
		labels[i] = h->events[i].label;
	WSI_TRY(sink->texts(user, fields[4], labels, n));
	return sink->close(user, "events", fields, 5);
}

/* dimensions, a struct that has the axes of each array: "channel,mode,time". */
static ws_status
put_dimensions(const wsi_writer *w, const char **fields, const wsi_mat_sink *sink, void *user)
{
	size_t n = 0;
	WSI_TRY(sink->open(user, "dimensions"));
	for (size_t i = 0; i < w->n_arrays; ++i) {
		const wsi_file_array *a = &w->arrays[i];
		char text[WSI_FILE_AXES * (sizeof a->axes[0]->name + 1)];
		wsi_line axes = wsi_line_in(text, sizeof text);
		if (wsi_array_absent(a))
			continue;
		for (int k = 0; k < a->rank; ++k)
			wsi_line_put(&axes, "%s%s", k ? "," : "", a->axes[k]->name);
		fields[n++] = a->made.name;
		WSI_TRY(sink->text(user, a->made.name, text));
	}
	return sink->close(user, "dimensions", fields, n);
}

static ws_status
put_structs(const wsi_writer *w, const ws_fact *facts, size_t n_facts, const wsi_mat_sink *sink,
            void *user)
{
	const wsi_result_header *h = &w->header;
	size_t n;
	ws_fact *all = wsi_writer_facts(w, facts, n_facts, &n);
	const char **texts = malloc((n + h->n_events + w->n_arrays + 1) * sizeof *texts);
	double *times = malloc((h->n_events + 1) * sizeof *times);
	ws_status status = all && texts && times ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	if (status == WS_OK && n)
		status = put_facts(all, n, texts, sink, user);
	if (status == WS_OK)
		status = put_dimensions(w, texts, sink, user);
	if (status == WS_OK && h->n_events)
		status = put_events(h, times, texts, sink, user);
	free(all);
	free(texts);
	free(times);
	return status;
}

ws_status
wsi_mat_put(const wsi_writer *w, const ws_fact *facts, size_t n_facts, const wsi_mat_sink *sink,
            void *user)
{
	const wsi_result_header *h = &w->header;
	const struct { const char *name; double value; } numbers[] = { { "fs", h->fs },
		{ "fs_known", h->fs_known }, { "samples", (double)h->samples },
		{ "first_time", h->first_time }, { "time_origin", h->time_origin },
		{ "time_unit", h->time_unit } };
	char units[WSI_TIME_UNITS];
	for (size_t i = 0; i < w->n_arrays; ++i)
		if (!wsi_array_absent(&w->arrays[i]))
			WSI_TRY(put_array(w, &w->arrays[i], sink, user));
	for (size_t i = 0; i < w->n_axes; ++i)
		if (w->axes[i].values || w->axes[i].every)
			WSI_TRY(put_axis(w, &w->axes[i], sink, user));
	for (size_t i = 0; i < w->n_axes; ++i) {
		const wsi_file_axis days = wsi_axis_of_days(&w->axes[i]);
		if (wsi_axis_steps_by_months(w, &w->axes[i]))
			WSI_TRY(put_axis(w, &days, sink, user));
	}
	if (h->epochs)
		WSI_TRY(sink->numbers(user, "epoch", WS_I32, h->epoch_numbers, h->epochs));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
		WSI_TRY(sink->numbers(user, numbers[i].name, WS_F64, &numbers[i].value, 1));
	WSI_TRY(sink->text(user, "start_time", h->start_time));
	if (*wsi_header_time_units(h, units))
		WSI_TRY(sink->text(user, "time_units", units));
	WSI_TRY(put_structs(w, facts, n_facts, sink, user));
	WSI_TRY(sink->texts(user, "channel_names", h->channel_names, h->channels));
	return sink->texts(user, "units", h->units, h->channels);
}

/* One code unit, or two, of the character at *s, which moves on.  Bytes that
 * are not UTF-8 are taken as Latin-1. */
static size_t
utf16_units(const unsigned char **s, uint16_t out[2])
{
	const unsigned char *p = *s;
	int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc2 ? 1 : 0;
	uint32_t code = more == 3 ? p[0] & 7u : more == 2 ? p[0] & 15u : more ? p[0] & 31u : p[0];
	for (int i = 1; i <= more; ++i) {
		if ((p[i] & 0xc0) != 0x80) {
			more = 0;
			code = p[0];
			break;
		}
		code = code << 6 | (p[i] & 0x3fu);
	}
	*s += more + 1;
	if (code < 0x10000 || code > 0x10ffff) {
		out[0] = (uint16_t)code;
		return 1;
	}
	out[0] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
	out[1] = (uint16_t)(0xdc00 + ((code - 0x10000) & 0x3ff));
	return 2;
}

size_t
wsi_utf16(const char *text, uint16_t *out)
{
	size_t n = 0;
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		uint16_t units[2];
		size_t k = utf16_units(&s, units);
		for (size_t i = 0; out && i < k; ++i)
			out[n + i] = units[i];
		n += k;
	}
	return n;
}
