/*
 * modes.c - what the program knows of the EMD family: it keeps how many modes there are, their
 * frequencies, bands and shares of the variance, of multivariate EMD their alignment, and the modes
 * whose stop rule did not hold, and tells them to programs; modes_print.c tells people.
 */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "family.h"
#include "message.h"
#include "modes_print.h"
#include "values.h"

/* Figures of a mode that are told, in their order. */
static const ws_emd_array told[] = { WS_EMD_FREQUENCY, WS_EMD_BAND_LOW, WS_EMD_BAND_HIGH,
	WS_EMD_HALF_WAVES, WS_EMD_EFFECTIVE_HALF_WAVES, WS_EMD_ZERO_CROSSING_FREQUENCY,
	WS_EMD_VARIANCE_SHARE, WS_EMD_MEDIAN_FREQUENCY, WS_EMD_END_SHARE, WS_EMD_ALIGNMENT };
enum { FIGURES = sizeof told / sizeof *told };

static const ws_emd_opts *
options_of(const cli_outcome *o)
{
	return ws_run_options(o->run);
}

/* ---- The plan ---------------------------------------------------------------------- */

/* "a, b (uV), c (m/s)": the channels of each unit, as far as there is room; returns how many units
 * there are. */
static int
name_units(const wsi_input *in, char *text, size_t size)
{
	size_t used = 0, named = 0;
	int units = 0;
	text[0] = '\0';
	for (size_t i = 0; i < in->n_channels; i++) {
		const char *unit = in->rec->channels[in->channels[i]].unit;
		size_t before = 0;
		while (before < i && strcmp(in->rec->channels[in->channels[before]].unit, unit))
			before++;
		if (before < i)
			continue;
		size_t others = 0;
		for (size_t k = i + 1; k < in->n_channels; k++)
			others += strcmp(in->rec->channels[in->channels[k]].unit, unit) == 0;
		units++;
		if (used + 80 > size || named == 4)
			continue;
		named++;
		used += (size_t)snprintf(text + used, size - used, "%s%.24s", units > 1 ? ", " : "",
		                         wsi_input_name(in, i));
		if (others)
			used += (size_t)snprintf(text + used, size - used, " and %zu more", others);
		used += (size_t)snprintf(text + used, size - used, " (%.12s)", *unit ? unit : "-");
	}
	return units;
}

/* What people give to multivariate EMD that is not for it. */
static void
note_channels(const cli_outcome *o)
{
	char units[400];
	const ws_emd_opts *given = o->args->opts;
	if (o->in->n_channels == 1 && !given->reference)
		cli_note("memd decomposes channels together, and there is one: emd or iceemdan is "
		         "for that");
	if (o->in->n_channels > 1 && !given->standardize
	    && name_units(o->in, units, sizeof units) > 1)
		cli_note("channels of different units are sifted as one signal, in which the one "
		         "of the largest numbers decides: %s; --standardize scales them alike for "
		         "that, modes keep their units", units);
}

static ws_status
check(const cli_outcome *o)
{
	const ws_emd_opts *emd = options_of(o);
	const int together = (int)o->in->n_channels + emd->noise_channels;
	if (emd->method == WS_METHOD_MEMD)
		note_channels(o);
	if (emd->method == WS_METHOD_MEMD && together > 1 && emd->directions < 2 * together)
		cli_note("%d directions are few for %d channels%s; at least %d are recommended "
		         "(--directions)", emd->directions, together,
		         emd->noise_channels ? " with the noise" : "", 2 * together);
	if (emd->stop_rule == WS_STOP_FIXED && o->args->strict)
		return WSI_FAIL(WS_E_ARG, "--strict means nothing where the sifts are fixed; add "
		                "--stop-rule");
	return WS_OK;
}

static const char *
time_note(const cli_outcome *o)
{
	return options_of(o)->stop_rule == WS_STOP_FIXED ? "" : "; the stop rule decides";
}

static void
plan_json(const cli_outcome *o, json_t *root)
{
	json_object_set_new(root, "most_modes", json_integer(ws_run_modes(o->run)));
}

/* ---- What is found ------------------------------------------------------------------- */

static void
open_modes(void *state, const cli_outcome *o, wsi_kept *kept)
{
	cli_modes *m = state;
	m->signals = o->in->n_channels * o->in->n_epochs;
	m->most = (size_t)ws_run_modes(o->run);
	m->count = wsi_kept_new(kept, m->signals, sizeof *m->count);
	m->residue_share = wsi_kept_new(kept, m->signals, sizeof *m->residue_share);
	m->sifts = wsi_kept_new(kept, m->signals * m->most, sizeof *m->sifts);
	for (int f = 0; f < FIGURES; f++)
		if (cli_array_made(&o->outputs->arrays[told[f]]))
			m->of[told[f]] = wsi_kept_new(kept, m->signals * m->most, sizeof **m->of);
	m->aligned = (cli_alignment){ m->signals, m->most, m->count, m->of[WS_EMD_ALIGNMENT],
		m->of[WS_EMD_VARIANCE_SHARE] };
}

static ws_status
add(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	cli_modes *m = state;
	const size_t i = r->channel;
	const ws_slab *slabs = r->slabs;
	const int32_t unfinished = *(const int32_t *)slabs[WS_EMD_UNFINISHED].data;
	if (o->args->strict && unfinished) {
		m->strict_failed = true;
		return WSI_FAIL(WS_E_FORMAT, "%s: channel %s reached --max-sifts %d in %d "
		                "mode%s before the stop rule held (--strict); nothing was written",
		                o->args->operands[0], wsi_input_name(o->in, i % o->in->n_channels),
		                options_of(o)->max_sifts, unfinished, unfinished == 1 ? "" : "s");
	}
	m->unfinished += unfinished;
	m->count[i] = *(const int32_t *)slabs[WS_EMD_MODE_COUNT].data;
	const size_t count = (size_t)m->count[i];
	for (int f = 0; f < FIGURES; f++)
		if (m->of[told[f]])
			memcpy(cli_modes_figure(m, told[f], i), slabs[told[f]].data,
			       count * sizeof(double));
	memcpy(m->sifts + i * m->most, slabs[WS_EMD_SIFTS].data, count * sizeof *m->sifts);
	m->residue_share[i] = *(const double *)slabs[WS_EMD_RESIDUE_SHARE].data;
	cli_capped_add(&m->capped, *(const int32_t *)slabs[WS_EMD_CAPPED].data);
	return WS_OK;
}

static void
picture_figures(const ws_channel_result *r, ws_mode_figures *figures)
{
	const ws_slab *s = r->slabs;
	const size_t count = s[WS_EMD_FREQUENCY].extent[0];
	for (size_t k = 0; k < count; k++)
		figures[k] = (ws_mode_figures){ .size = sizeof *figures,
			.frequency = ((const double *)s[WS_EMD_FREQUENCY].data)[k],
			.band_low = ((const double *)s[WS_EMD_BAND_LOW].data)[k],
			.band_high = ((const double *)s[WS_EMD_BAND_HIGH].data)[k],
			.half_waves = (size_t)((const double *)s[WS_EMD_HALF_WAVES].data)[k],
			.end_share = ((const double *)s[WS_EMD_END_SHARE].data)[k] };
}

static bool
strict_failed(const void *state)
{
	return ((const cli_modes *)state)->strict_failed;
}

static void
facts(const void *state, wsi_provenance *p)
{
	wsi_provenance_add(p, "unfinished", ((const cli_modes *)state)->unfinished);
	wsi_provenance_add(p, "capped", ((const cli_modes *)state)->capped.oscillating);
}

static void
tell(const void *state, const cli_outcome *o)
{
	const cli_modes *m = state;
	if (m->unfinished)
		cli_note("%lld mode%s reached --max-sifts %d before the stop rule held",
		         (long long)m->unfinished, m->unfinished == 1 ? "" : "s",
		         options_of(o)->max_sifts);
	/* Who asks for a number of modes knows. */
	if (((const ws_emd_opts *)o->args->opts)->modes == 0)
		cli_capped_tell(&m->capped, m->signals, "signal", (int)m->most);
}

/* ---- Speed -------------------------------------------------------------------------------- */

static bool
is_ensemble(const ws_emd_opts *emd)
{
	return emd->method != WS_METHOD_EMD && emd->method != WS_METHOD_MEMD;
}

/* Sifts over all signals and realizations, or 0 where the library tells only
 * the largest of an ensemble.  Sifts of the noise itself are not counted, the
 * time they take is. */
static double
total_sifts(const cli_modes *m, const ws_emd_opts *emd)
{
	if (is_ensemble(emd) && emd->stop_rule != WS_STOP_FIXED)
		return 0;
	double sum = 0;
	for (size_t i = 0; i < m->signals; i++)
		for (int k = 0; k < m->count[i]; k++)
			sum += m->sifts[i * m->most + (size_t)k];
	return is_ensemble(emd) ? sum * emd->realizations : sum;
}

/* Modes over all signals and realizations. */
static double
total_modes(const cli_modes *m, const ws_emd_opts *emd)
{
	double sum = 0;
	for (size_t i = 0; i < m->signals; i++)
		sum += m->count[i];
	return is_ensemble(emd) ? sum * emd->realizations : sum;
}

/* Nanoseconds for each of so many samples' steps; 0 where there were none. */
static double
ns_per(double steps, const cli_outcome *o)
{
	double work = steps * (double)o->in->samples * (1 - o->kept);
	return work > 0 ? 1e9 * ws_run_worked(o->run) / work : 0;
}

static void
print_speed(const void *state, const cli_outcome *o)
{
	const ws_emd_opts *emd = options_of(o);
	char text[32];
	double sift = ns_per(total_sifts(state, emd), o);
	double mode = ns_per(total_modes(state, emd), o);
	if (sift > 0)
		printf("; %s ns per sample and sift", cli_format_figures(sift, 3, text));
	else if (mode > 0)
		printf("; %s ns per sample%s and mode", cli_format_figures(mode, 3, text),
		       is_ensemble(emd) ? ", realization" : "");
}

/* ---- For programs ---------------------------------------------------------------------------- */

static json_t *
figure_json(const cli_modes *m, ws_emd_array figure, size_t signal)
{
	json_t *values = json_array();
	for (int k = 0; k < m->count[signal]; k++) {
		const double x = cli_modes_figure(m, figure, signal)[k];
		json_array_append_new(values, figure == WS_EMD_HALF_WAVES
		                      ? json_integer((json_int_t)x) : cli_json_real(x));
	}
	return values;
}

static size_t
signals_told(const void *state)
{
	return ((const cli_modes *)state)->signals;
}

static json_t *
signal_json(const void *state, const cli_outcome *o, size_t i)
{
	const cli_modes *m = state;
	json_t *object = cli_family_signal_json(o, i), *sifts = json_array();
	json_object_set_new(object, "modes", json_integer(m->count[i]));
	for (int f = 0; f < FIGURES; f++) {
		if (told[f] == WS_EMD_ALIGNMENT)
			json_object_set_new(object, "residue_share",
			                    cli_json_real(m->residue_share[i]));
		if (m->of[told[f]])
			json_object_set_new(object, o->outputs->arrays[told[f]].name,
			                    figure_json(m, told[f], i));
	}
	for (int k = 0; k < m->count[i]; k++)
		json_array_append_new(sifts, json_integer(m->sifts[i * m->most + (size_t)k]));
	json_object_set_new(object, "sifts", sifts);
	return object;
}

static void
json(const void *state, const cli_outcome *o, json_t *root)
{
	const cli_modes *m = state;
	const ws_emd_opts *emd = options_of(o);
	json_object_set_new(root, "unfinished", json_integer(m->unfinished));
	json_object_set_new(root, "capped", json_integer(m->capped.oscillating));
	if (m->aligned.values)
		json_object_set_new(root, "alignment",
		                    cli_json_real(cli_alignment_of_all(&m->aligned)));
	json_object_set_new(root, "seconds", cli_json_real(o->seconds));
	double sift = ns_per(total_sifts(m, emd), o);
	json_object_set_new(root, "ns_per_sample_per_sift", sift > 0 ? cli_json_real(sift)
	                    : json_null());
	json_object_set_new(root, "ns_per_sample_per_mode",
	                    cli_json_real(ns_per(total_modes(m, emd), o)));
}

const cli_family cli_family_emd = {
	.name = "emd", .check = check, .time_note = time_note, .plan_json = plan_json,
	.size = sizeof(cli_modes), .open = open_modes, .add = add, .strict_failed = strict_failed,
	.figures = picture_figures, .facts = facts, .tell = tell, .print = cli_modes_print,
	.print_speed = print_speed, .json = json, .list = "signals", .list_length = signals_told,
	.list_element = signal_json,
};
