/*
 * writer_sidecar.c - NAME.npy.json, in which a NumPy file's names, times, events, figures of modes
 * and provenance stand (docs/result-format.md): the array has no room for them.
 */
#include "io/write/writer_sidecar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/line.h"
#include "io/read/clean.h"
#include "io/read/times.h"
#include "io/result/sidecar.h"

/* All of ours begin so. */
#define HEAD "{\n  \"format\": \"wavesift result\","

typedef struct wsi_sidecar {
	wsi_newfile file;
	char *path;
	unsigned char **figures; /* [array] of all entries, with the most modes there may be; or
	                            NULL */
	size_t n;
} wsi_sidecar;

/* Has it numbers of channels or modes alone, so few that they are kept and written as text? */
static bool
is_figure(const wsi_file_array *a)
{
	return a->made.axis[0] == WS_AXIS_CHANNEL && !wsi_type_complex(a->type) && !a->shared
	       && (a->made.rank == 1 || (a->made.rank == 2 && a->made.axis[1] == WS_AXIS_MODE));
}

static ws_status
make_room(wsi_writer *w)
{
	wsi_sidecar *s = w->sidecar;
	s->n = w->n_arrays;
	s->figures = calloc(s->n + 1, sizeof *s->figures);
	for (size_t i = 0; s->figures && i < s->n; ++i) {
		const wsi_file_array *a = &w->arrays[i];
		if (is_figure(a) && !(s->figures[i] = calloc(w->n_entries, a->bytes)))
			return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	}
	return s->figures ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
}

bool
wsi_sidecar_replaces(const char *path, bool overwrite)
{
	char *sidecar = wsi_sidecar_path(path), head[sizeof HEAD] = "";
	struct stat st;
	FILE *f = !overwrite && sidecar && lstat(path, &st) != 0 && stat(sidecar, &st) == 0
	          && S_ISREG(st.st_mode) ? fopen(sidecar, "r") : NULL;
	if (f && fread(head, 1, sizeof HEAD - 1, f) == sizeof HEAD - 1)
		overwrite = strcmp(head, HEAD) == 0;
	if (f)
		fclose(f);
	free(sidecar);
	return overwrite;
}

ws_status
wsi_sidecar_open(wsi_writer *w)
{
	wsi_sidecar *s = w->sidecar = calloc(1, sizeof *s);
	WSI_HAVE(s && (s->path = wsi_sidecar_path(w->path)), "%s: out of memory", w->path);
	errno = wsi_newfile_open(&s->file, s->path, wsi_sidecar_replaces(w->path, w->overwrite));
	return errno ? wsi_write_fail(s->path) : make_room(w);
}

static ws_status
keep(void *user, uint64_t at, const void *data, size_t bytes)
{
	memcpy((unsigned char *)user + at, data, bytes);
	return WS_OK;
}

ws_status
wsi_sidecar_put(const wsi_writer *w, const wsi_file_array *a, size_t entry, const ws_slab *slab)
{
	unsigned char *figures = w->sidecar->figures[a - w->arrays];
	return figures ? wsi_slab_stretches(a, slab, keep, figures + entry * a->bytes) : WS_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void
put_text(FILE *f, const char *text)
{
	char *clean = wsi_clean_text(text ? text : "", text ? strlen(text) : 0);
	fputc('"', f);
	for (const char *c = clean ? clean : ""; *c; ++c) {
		if (*c == '"' || *c == '\\')
			fputc('\\', f);
		fputc(*c, f);
	}
	fputc('"', f);
	free(clean);
}

static void
put_real(FILE *f, double value)
{
	char digits[32];
	wsi_line line = wsi_line_in(digits, sizeof digits);
	wsi_line_put_real(&line, value);
	fputs(isfinite(value) ? digits : "null", f);
}

static void
put_key(FILE *f, const char *name)
{
	fputs(",\n  ", f);
	put_text(f, name);
	fputs(": ", f);
}

static void
put_texts(FILE *f, const char *name, const char *const *texts, size_t n)
{
	put_key(f, name);
	for (size_t i = 0; i < n; ++i) {
		fputs(i ? ", " : "[", f);
		put_text(f, texts[i]);
	}
	fputc(']', f);
}

/* Of each channel, and of each of its modes: those that it has not are 0, or NaN as null. */
static void
put_figures(FILE *f, const wsi_writer *w, size_t number)
{
	const wsi_file_array *a = &w->arrays[number];
	const size_t size = wsi_type_size(a->type);
	const size_t n = a->made.rank == 1 ? 1 : wsi_axis_extent(w, a->axes[a->rank - 1]);
	const char *start = "[";
	for (size_t e = 0; e < w->n_entries; ++e)
		for (size_t i = 0; i < n; ++i, start = ", ") {
			const unsigned char *at = w->sidecar->figures[number] + e * a->bytes + i *
			        size;
			fputs(start, f);
			if (a->type == WS_I32)
				fprintf(f, "%d", (int)*(const int32_t *)(const void *)at);
			else
				put_real(f, wsi_real_at(at, a->type, 0));
		}
	fputs(*start == '[' ? "[]" : "]", f);
}

static void
put_axis(FILE *f, const wsi_writer *w, const wsi_file_axis *axis)
{
	for (size_t i = 0; i < axis->extent; ++i) {
		fputs(i ? ", " : "[", f);
		put_real(f, wsi_axis_value(w, axis, i));
	}
	fputs(axis->extent ? "]" : "[]", f);
}

/* Figures, numbers of epochs, and the axes that are no mere numbers, each as a list. */
static void
put_lists(FILE *f, const wsi_writer *w)
{
	const wsi_result_header *h = &w->header;
	const char *start = "\n    \"";
	for (int rank = 1; rank <= 2; ++rank) {
		put_key(f, rank == 1 ? "of_channels" : "of_modes");
		fputc('{', f);
		start = "\n    \"";
		for (size_t i = 0; i < w->n_arrays; ++i) {
			const wsi_file_array *a = &w->arrays[i];
			if (!w->sidecar->figures[i] || wsi_array_absent(a) || a->made.rank != rank)
				continue;
			fprintf(f, "%s%s\": ", start, a->made.name);
			put_figures(f, w, i);
			start = ",\n    \"";
		}
		fputs("\n  }", f);
	}
	put_key(f, "axes");
	fputc('{', f);
	start = "\n    \"";
	for (size_t i = 0; i < w->n_axes; ++i)
		if (w->axes[i].values || w->axes[i].every) {
			fprintf(f, "%s%s\": ", start, w->axes[i].name);
			put_axis(f, w, &w->axes[i]);
			start = ",\n    \"";
		}
	for (size_t i = 0; i < h->epochs; ++i)
		fprintf(f, "%s%s%d", i ? "" : start, i ? ", " : "epoch\": [",
		        (int)h->epoch_numbers[i]);
	fputs(h->epochs ? "]\n  }" : "\n  }", f);
}

/* What its times count from, and the dates of months. */
static void
put_dates(FILE *f, const wsi_writer *w)
{
	const wsi_result_header *h = &w->header;
	char text[WSI_TIME_UNITS];
	if (*wsi_header_time_units(h, text)) {
		put_key(f, "time_units");
		put_text(f, text);
	}
	for (size_t i = 0; i < w->n_axes; ++i) {
		const wsi_file_axis *axis = &w->axes[i];
		if (!wsi_axis_steps_by_months(w, axis))
			continue;
		put_key(f, wsi_axis_of_days(axis).name);
		for (size_t k = 0; k < axis->extent; ++k)
			fprintf(f, "%s\"%s\"", k ? ", " : "[",
			        wsi_format_date(wsi_axis_value(w, axis, k), NULL, h->time_unit,
			                        text));
		fputs(axis->extent ? "]" : "[]", f);
	}
}

static void
put_events(FILE *f, const wsi_result_header *h)
{
	put_key(f, "events");
	fputc('[', f);
	for (size_t i = 0; i < h->n_events; ++i) {
		fputs(i ? ",\n    {\"onset\": " : "\n    {\"onset\": ", f);
		put_real(f, h->events[i].onset);
		fputs(", \"duration\": ", f);
		put_real(f, h->events[i].duration);
		fprintf(f, ", \"epoch\": %zu, \"time\": ", h->events[i].epoch);
		put_real(f, h->events[i].time);
		fputs(", \"label\": ", f);
		put_text(f, h->events[i].label);
		fputc('}', f);
	}
	fputs(h->n_events ? "\n  ]" : "]", f);
}

static void
put_facts(FILE *f, const ws_fact *facts, size_t n)
{
	put_key(f, "provenance");
	fputc('{', f);
	for (size_t i = 0; i < n; ++i) {
		fputs(i ? ",\n    " : "\n    ", f);
		put_text(f, facts[i].key);
		fputs(": ", f);
		if (facts[i].kind == WS_OPTION_TEXT)
			put_text(f, facts[i].text);
		else if (facts[i].kind == WS_OPTION_INT)
			fprintf(f, "%lld", (long long)facts[i].integer);
		else
			put_real(f, facts[i].real);
	}
	fputs("\n  }", f);
}

/* Rows of several arrays that have one each get an axis of their own. */
static void
put_dimensions(FILE *f, const wsi_file_array *a, bool joined)
{
	const int rows = a->rank - a->made.rank + 1; /* where their axis is */
	const bool added = joined && a->made.rank == 2 && a->made.axis[1] != WS_AXIS_MODE;
	put_key(f, "dimensions");
	for (int i = 0; i < a->rank; ++i) {
		fputs(i == 0 ? "[" : added && i == rows ? ", \"row\", " : ", ", f);
		fprintf(f, "\"%s\"", a->axes[i]->name);
	}
	fputc(']', f);
}

ws_status
wsi_sidecar_finish(wsi_writer *w, const wsi_file_array *array, bool joined, const char *shape,
                   const ws_fact *facts, size_t n_facts)
{
	const wsi_result_header *h = &w->header;
	wsi_sidecar *s = w->sidecar;
	FILE *f = wsi_newfile_stream(&s->file);
	if (!f)
		return wsi_write_fail(s->path);
	fputs(HEAD "\n  \"format_version\": 1", f);
	put_key(f, "array");
	put_text(f, array->made.name);
	put_key(f, "shape");
	fprintf(f, "[%s]", shape);
	put_dimensions(f, array, joined);
	const struct { const char *name; double value; } numbers[] = {
		{ "fs", h->fs }, { "samples", (double)h->samples }, { "first_time", h->first_time },
		{ "time_origin", h->time_origin }, { "time_unit", h->time_unit } };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
		put_key(f, numbers[i].name);
		put_real(f, numbers[i].value);
	}
	put_key(f, "fs_known");
	fputs(h->fs_known ? "true" : "false", f);
	put_key(f, "start_time");
	put_text(f, h->start_time);
	put_dates(f, w);
	put_texts(f, "channel_names", h->channel_names, h->channels);
	put_texts(f, "units", h->units, h->channels);
	put_lists(f, w);
	put_events(f, h);
	put_facts(f, facts, n_facts);
	fputs("\n}\n", f);
	return wsi_write_close(f, s->path);
}

void
wsi_sidecar_complete(const wsi_writer *w, wsi_complete *file)
{
	*file = (wsi_complete){ &w->sidecar->file, w->sidecar->path };
}

void
wsi_sidecar_close(wsi_writer *w)
{
	wsi_sidecar *s = w->sidecar;
	if (!s)
		return;
	wsi_newfile_close(&s->file);
	for (size_t i = 0; s->figures && i < s->n; ++i)
		free(s->figures[i]);
	free(s->figures);
	free(s->path);
	free(s);
	w->sidecar = NULL;
}
