/* info_result.c - what wavesift info tells of a result: how it was made, and what is in it. */
#include "info_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/result/arrays.h"
#include "json.h"
#include "plot/axis.h"
#include "values.h"

/* Modes that are told as they are; of files that claim more none. */
#define MOST_MODES 4096

/* All of an array, [lines][length], into *values for free(); NULL where there is none, or it has
 * too many lines to be figures. */
static ws_status
read_whole(wsi_recording *rec, const wsi_stored_array *a, double **values)
{
	const size_t n = a ? wsi_stored_length(a) : 0;
	if (!n || n > MOST_MODES || a->lines > SIZE_MAX / 8 / n)
		return WS_OK;
	if (!(*values = malloc(a->lines * n * sizeof **values)))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for `%s`", rec->path, a->name);
	for (size_t k = 0; k < a->lines; k++)
		WSI_TRY(wsi_arrays_read(rec, a, 0, k, 0, n, *values + k * n));
	return WS_OK;
}

static const char *const keys[] = { "frequency", "band_low", "band_high" };

static ws_status
take_medians(const wsi_recording *rec, cli_info_modes *m, size_t which)
{
	double *own = malloc((m->signals + 1) * sizeof *own);
	double *median = m->figure[which].median = malloc((m->most + 1) * sizeof *median);
	for (size_t k = 0; own && median && k < m->most; k++) {
		size_t n = 0;
		for (size_t s = 0; s < m->signals; s++) {
			const double v = m->figure[which].all[s * m->most + k];
			if ((double)k < m->count[s] && isfinite(v))
				own[n++] = v;
		}
		median[k] = cli_median(own, n);
	}
	const bool there = own && median;
	free(own);
	return there ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for modes", rec->path);
}

static ws_status
read_modes(wsi_recording *rec, cli_info_modes *m)
{
	const size_t signals = (rec->epochs ? rec->epochs : 1) * rec->n_channels;
	const wsi_stored_array *counts = wsi_arrays_find(rec, "mode_count");
	if (!counts || counts->lines * wsi_stored_length(counts) != signals)
		return WS_OK;
	WSI_TRY(read_whole(rec, counts, &m->count));
	if (!m->count)
		return WS_OK;
	m->signals = signals;
	for (size_t i = 0; i < 3; i++) {
		/* Of hht `frequency` is an axis. */
		const wsi_stored_array *a = i ? NULL : wsi_arrays_find(rec, "mean_frequency");
		a = a ? a : wsi_arrays_find(rec, keys[i]);
		if (!a || a->lines != signals || (i > 0 && wsi_stored_length(a) != m->most))
			continue;
		m->most = wsi_stored_length(a);
		WSI_TRY(read_whole(rec, a, &m->figure[i].all));
		if (m->figure[i].all)
			WSI_TRY(take_medians(rec, m, i));
	}
	if (!(m->found = calloc(m->most + 1, sizeof *m->found)))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu modes", rec->path, m->most);
	for (size_t s = 0; s < signals; s++)
		for (size_t k = 0; k < m->most && (double)k < m->count[s]; k++)
			m->found[k]++;
	return WS_OK;
}

static ws_status
read_frequencies(cli_info_result *r, wsi_recording *rec)
{
	const wsi_stored_array *a = wsi_arrays_find(rec, "frequency");
	const size_t n = a && a->lines == 1 ? wsi_stored_length(a) : 0;
	if (!n || (wsi_arrays_find(rec, "modes") && !wsi_arrays_find(rec, "mean_frequency")))
		return WS_OK;
	for (size_t i = 0; i < 2; i++)
		WSI_TRY(wsi_arrays_read(rec, a, 0, 0, i * (n - 1), 1, &r->ends[i]));
	r->frequencies = n;
	return WS_OK;
}

ws_status
cli_info_result_read(cli_info_result *r, wsi_recording *rec)
{
	*r = (cli_info_result){ .rec = rec };
	WSI_TRY(read_modes(rec, &r->modes));
	return read_frequencies(r, rec);
}

void
cli_info_result_free(cli_info_result *r)
{
	cli_info_modes *m = &r->modes;
	for (size_t i = 0; i < 3; i++) {
		free(m->figure[i].all);
		free(m->figure[i].median);
	}
	free(m->count);
	free(m->found);
	*m = (cli_info_modes){ 0 };
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *
json_arrays(const wsi_arrays *all)
{
	json_t *list = json_array();
	for (size_t i = 0; i < all->n; i++) {
		const wsi_stored_array *a = &all->items[i];
		json_t *o = json_object(), *shape = json_array();
		json_object_set_new(o, "name", cli_json_text(a->name));
		for (int k = 0; k < a->rank; k++)
			json_array_append_new(shape, json_integer((json_int_t)a->extent[k]));
		json_object_set_new(o, "shape", shape);
		json_object_set_new(o, "complex", json_boolean(wsi_type_complex(a->type)));
		json_array_append_new(list, o);
	}
	return list;
}

static void
json_modes(json_t *o, const cli_info_modes *m)
{
	json_t *counts = json_array(), *list = json_array();
	for (size_t s = 0; s < m->signals; s++)
		json_array_append_new(counts, json_integer((json_int_t)m->count[s]));
	for (size_t k = 0; k < m->most; k++) {
		json_t *mode = json_object();
		json_object_set_new(mode, "mode", json_integer((json_int_t)k + 1));
		json_object_set_new(mode, "signals", json_integer((json_int_t)m->found[k]));
		for (size_t i = 0; i < 3; i++)
			if (m->figure[i].median)
				json_object_set_new(mode, keys[i],
				                    cli_json_real(m->figure[i].median[k]));
		json_array_append_new(list, mode);
	}
	if (m->signals) {
		json_object_set(o, "mode_count", counts);
		json_object_set(o, "modes", list);
	}
	json_decref(counts);
	json_decref(list);
}

json_t *
cli_info_result_json(const cli_info_result *r)
{
	const wsi_recording *rec = r->rec;
	const wsi_arrays *all = rec->arrays;
	json_t *o = json_object(), *facts = json_object();
	json_object_set_new(o, "transform", cli_json_text(wsi_arrays_fact(rec, "transform")));
	for (size_t i = 0; i < all->n_facts; i++)
		json_object_set_new(facts, all->facts[2 * i], cli_json_text(all->facts[2 * i + 1]));
	json_object_set_new(o, "provenance", facts);
	json_object_set_new(o, "arrays", json_arrays(all));
	if (r->frequencies)
		json_object_set_new(o, "frequencies", json_pack(
			"{s:I,s:o,s:o}", "count", (json_int_t)r->frequencies, "first",
			cli_json_real(r->ends[0]), "last", cli_json_real(r->ends[1])));
	json_modes(o, &r->modes);
	return o;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* "options  ..", wrapped beside it behind a comma and a blank. */
static void
print_fact(const char *label, const char *text)
{
	int at = printf("%-9s", label);
	for (const char *end; *text; text = end) {
		end = strstr(text, ", ");
		end = end ? end + 2 : text + strlen(text);
		if (at > 9 && at + (int)(end - text) > 81)
			at = printf("\n%9s", "") - 1;
		at += printf("%.*s", (int)(end - text), text);
	}
	printf("\n");
}

static void
print_arrays(const wsi_arrays *all)
{
	int at = printf("%-9s", "arrays");
	for (size_t i = 0; i < all->n; i++) {
		const wsi_stored_array *a = &all->items[i];
		char text[256];
		int n = snprintf(text, sizeof text, "%.80s ", a->name);
		for (int k = 0; k < a->rank; k++)
			n += snprintf(text + n, sizeof text - (size_t)n, "%s%zu", k ? " x " : "",
			              a->extent[k]);
		if (wsi_type_complex(a->type))
			n += snprintf(text + n, sizeof text - (size_t)n, " complex");
		if (at > 9 && at + 2 + n > 80)
			at = printf(",\n%9s", "") - 2;
		else if (i)
			at += printf(", ");
		at += printf("%s", text);
	}
	printf("\n");
}

static void
print_modes(const cli_info_modes *m, wsi_frequency_unit per)
{
	char low[32], high[32], middle[32];
	if (m->figure[0].median)
		printf("\n%8s %8s  frequency%s\n", "mode", m->signals > 1 ? "signals" : "",
		       m->figure[1].median && m->figure[2].median ? " (band)" : "");
	for (size_t k = 0; m->figure[0].median && k < m->most; k++) {
		char found[32] = "";
		if (m->signals > 1)
			snprintf(found, sizeof found, "%zu", m->found[k]);
		printf("%8zu %8s  %s %s", k + 1, found, cli_format_figures(
			       m->figure[0].median[k] * per.seconds, 4, middle), per.name);
		if (m->figure[1].median && m->figure[2].median)
			printf(" (%s - %s)",
			       cli_format_figures(m->figure[1].median[k] * per.seconds, 3, low),
			       cli_format_figures(m->figure[2].median[k] * per.seconds, 3, high));
		printf("\n");
	}
	if (m->figure[0].median && m->signals > 1)
		printf("%8s           medians over the signals that have the mode\n", "");
}

void
cli_info_result_print(const cli_info_result *r)
{
	const wsi_recording *rec = r->rec;
	static const char *const rows[][2] = { { "options", "options" }, { "command", "command" },
		{ "input", "input" }, { "SHA-256", "input_sha256" }, { "version", "version" },
		{ "device", "device_model" } };
	const wsi_channel *c = &rec->channels[0];
	const wsi_frequency_unit per = wsi_axis_frequency_unit(c->fs, rec->fs_known, c->samples);
	char low[32], high[32], shown[CLI_SHOWN], line[CLI_SHOWN];
	printf("\n%s\n", cli_shown(wsi_arrays_fact(rec, "title"), shown));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *told = wsi_arrays_fact(rec, rows[i][1]);
		if (i == 0 && per.name[0] == '/') {
			wsi_axis_range_in(line, sizeof line, told, per);
			told = line;
		}
		if (*told)
			print_fact(rows[i][0], cli_shown(told, shown));
	}
	print_arrays(rec->arrays);
	if (r->frequencies)
		printf("%zu frequencies from %s to %s %s\n", r->frequencies,
		       cli_format_figures(r->ends[0] * per.seconds, 4, low),
		       cli_format_figures(r->ends[1] * per.seconds, 4, high), per.name);
	print_modes(&r->modes, per);
}
