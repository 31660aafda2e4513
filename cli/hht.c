/*
 * hht.c - what the program knows of hht, gathered while it runs: the frequency, band and period of
 * the modes, their shares of variance and energy, the samples of negative frequency and outliers,
 * and, where noise is asked for, how much of it has as much energy.  hht_tables.c tells it.
 *
 * All are from arrays of the result, but for band and variance, which the modes themselves give.
 */
#include <math.h>
#include <string.h>

#include "hht_tables.h"
#include "message.h"
#include "stored.h"

/* ---- What is found ------------------------------------------------------------------- */

static bool
is_told(const cli_outcome *o)
{
	return o->args->json || o->args->report
	       || !(o->args->quiet || strcmp(o->output, "-") == 0);
}

static void
open_spectra(void *state, const cli_outcome *o, wsi_kept *kept)
{
	cli_hht *s = state;
	s->signals = o->in->n_channels * o->in->n_epochs;
	s->told = is_told(o);
	if (!s->told)
		return;
	s->most = o->outputs->arrays[WS_HHT_MODE_ENERGY].extent[1];
	s->banded = cli_array_made(&o->outputs->arrays[WS_HHT_MODES]);
	s->signals_of_noise = cli_array_made(&o->outputs->arrays[WS_HHT_P]);
	s->lines = !s->signals_of_noise
		&& cli_array_made(&o->outputs->arrays[WS_HHT_NOISE_HIGH]);
	s->count = wsi_kept_new(kept, s->signals, sizeof *s->count);
	s->model = wsi_kept_new(kept, s->signals, sizeof *s->model);
	s->slope = wsi_kept_new(kept, s->signals, sizeof *s->slope);
	s->bend = wsi_kept_new(kept, s->signals, sizeof *s->bend);
	s->figures = wsi_kept_new(kept, s->signals * s->most, HHT_FIGURES * sizeof *s->figures);
	s->residue_share = wsi_kept_new(kept, s->signals, sizeof *s->residue_share);
}

/* Band and standard deviation of row k of an array. */
static ws_mode_figures
measure(const cli_outcome *o, const ws_channel_result *r, ws_hht_array array, size_t k)
{
	const ws_type type = o->outputs->arrays[array].type;
	const size_t n = o->in->samples, bytes = type == WS_F64 ? 8 : 4;
	ws_mode_figures f = { .size = sizeof f };
	const char *data = r->slabs[array].data;
	if (ws_mode_stats(data + k * n * bytes, type, n, o->in->fs, &f) != WS_OK)
		f.band_low = f.band_high = f.deviation = NAN;
	return f;
}

/* Values of magnitude 1 at most, so that neither squares nor sums leave the range. */
static void
scale(double *values, size_t n, double *rest)
{
	double largest = *rest;
	for (size_t k = 0; k < n; k++)
		largest = fmax(largest, values[k]);
	for (size_t k = 0; k < n && largest > 0; k++)
		values[k] /= largest;
	*rest /= largest > 0 ? largest : 1;
}

/* Values over their sum with `rest`, which is made a share, too; 0 where the sum is. */
static void
divide(double *values, size_t n, double *rest)
{
	double sum = 0;
	for (size_t k = 0; k < n; k++)
		sum += values[k];
	sum += *rest;
	for (size_t k = 0; k < n && sum != 0; k++)
		values[k] /= sum;
	*rest /= sum != 0 ? sum : 1;
}

static void
add_bands(cli_hht *s, const cli_outcome *o, const ws_channel_result *r)
{
	const size_t i = r->channel, n = s->count[i];
	double *variance = cli_hht_figures(s, HHT_VARIANCE, i);
	for (size_t k = 0; k < n; k++) {
		const ws_mode_figures f = measure(o, r, WS_HHT_MODES, k);
		cli_hht_figures(s, HHT_LOW, i)[k] = f.band_low;
		cli_hht_figures(s, HHT_HIGH, i)[k] = f.band_high;
		variance[k] = f.deviation;
	}
	double *rest = &s->residue_share[i];
	*rest = measure(o, r, WS_HHT_RESIDUE, 0).deviation;
	scale(variance, n, rest);
	for (size_t k = 0; k < n; k++)
		variance[k] *= variance[k];
	*rest *= *rest;
	divide(variance, n, rest);
}

static double
real(const ws_channel_result *r, ws_hht_array array, size_t k)
{
	return ((const double *)r->slabs[array].data)[k];
}

static double
count(const ws_channel_result *r, ws_hht_array array, size_t k)
{
	return ((const int32_t *)r->slabs[array].data)[k];
}

/* Its energy is not yet a share.  Without maxima there is neither period nor line. */
static void
add_mode(cli_hht *s, const cli_outcome *o, const ws_channel_result *r, size_t k)
{
	const size_t i = r->channel;
	const double n = (double)o->in->samples, energy = real(r, WS_HHT_MODE_ENERGY, k);
	const double period = real(r, WS_HHT_MEAN_PERIOD, k);
	const double line = s->lines ? real(r, WS_HHT_NOISE_HIGH, k) : 0;
	cli_hht_figures(s, HHT_FREQUENCY, i)[k] = real(r, WS_HHT_MEAN_FREQUENCY, k);
	cli_hht_figures(s, HHT_PERIOD, i)[k] = period > 0 ? period : NAN;
	cli_hht_figures(s, HHT_ENERGY, i)[k] = isfinite(energy) ? energy : NAN;
	cli_hht_figures(s, HHT_NEGATIVE, i)[k] = count(r, WS_HHT_NEGATIVE, k) / n;
	cli_hht_figures(s, HHT_OUTLIERS, i)[k] = count(r, WS_HHT_OUTLIERS, k) / n;
	cli_hht_figures(s, HHT_ABOVE, i)[k] = line > 0 && isfinite(line) && isfinite(energy)
		? energy > line : NAN;
	cli_hht_figures(s, HHT_P, i)[k] = s->signals_of_noise ? real(r, WS_HHT_P, k) : NAN;
	cli_hht_figures(s, HHT_P_ANY, i)[k] = s->signals_of_noise ? real(r, WS_HHT_P_ANY, k) : NAN;
}

/* Is a square infinite, or 0 though the mode is not? */
static bool
is_beyond(const ws_channel_result *r)
{
	const ws_slab *slabs = r->slabs;
	bool beyond = false;
	for (int32_t k = 0; slabs[WS_HHT_MODE_ENERGY].data && slabs[WS_HHT_MEAN_PERIOD].data &&
	     k < *(const int32_t *)slabs[WS_HHT_MODE_COUNT].data; k++) {
		const double energy = real(r, WS_HHT_MODE_ENERGY, (size_t)k);
		beyond |= isinf(energy) ||
			(energy == 0 && real(r, WS_HHT_MEAN_PERIOD, (size_t)k) > 0);
	}
	return beyond;
}

/* Pairs of a channel with those before it, of its epoch. */
static void
add_locking(cli_hht *s, const ws_channel_result *r)
{
	const ws_slab *value = &r->slabs[WS_HHT_PHASE_LOCKING];
	const ws_slab *level = &r->slabs[WS_HHT_LOCKING_LEVEL];
	const size_t together = level->data ? value->extent[1] : 0;
	for (size_t k = 0; together && k < value->extent[0]; k++)
		for (size_t d = 0; d < r->channel % together; d++) {
			cli_hht_locking l = { k, r->channel, r->channel - r->channel % together + d,
				((const double *)value->data)[k * together + d],
				((const double *)level->data)[k * together + d] };
			s->pairs += l.value > 0 && !isnan(l.level);
			s->locked += l.value > l.level;
			for (int i = 0; l.value > l.level && i < HHT_LOCKED; i++) {
				const cli_hht_locking here = s->locked_most[i];
				if (l.value - l.level <= here.value - here.level)
					continue;
				s->locked_most[i] = l;
				l = here;
			}
		}
}

static ws_status
add(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	cli_hht *s = state;
	const ws_slab *slabs = r->slabs;
	s->beyond += is_beyond(r);
	add_locking(s, r);
	if (slabs[WS_HHT_CAPPED].data)
		cli_capped_add(&s->capped, *(const int32_t *)slabs[WS_HHT_CAPPED].data);
	if (!s->told)
		return WS_OK;
	const size_t i = r->channel;
	double rest = 0;
	s->count[i] = (size_t)*(const int32_t *)slabs[WS_HHT_MODE_COUNT].data;
	for (size_t k = 0; k < s->count[i]; k++)
		add_mode(s, o, r, k);
	if (s->signals_of_noise) {
		s->model[i] = *(const int32_t *)slabs[WS_HHT_NOISE_MODEL].data;
		s->slope[i] = real(r, WS_HHT_NOISE_SLOPE, 0);
		s->bend[i] = real(r, WS_HHT_NOISE_BEND, 0);
	}
	scale(cli_hht_figures(s, HHT_ENERGY, i), s->count[i], &rest);
	divide(cli_hht_figures(s, HHT_ENERGY, i), s->count[i], &rest);
	if (s->banded)
		add_bands(s, o, r);
	return WS_OK;
}

static void
facts(const void *state, wsi_provenance *p)
{
	wsi_provenance_add(p, "capped", ((const cli_hht *)state)->capped.oscillating);
}

static void
tell(const void *state, const cli_outcome *o)
{
	const cli_hht *s = state;
	const ws_hht_opts *opts = ws_run_options(o->run);
	if (((const ws_hht_opts *)o->args->opts)->emd.modes == 0)
		cli_capped_tell(&s->capped, s->signals, "signal", opts->emd.modes);
	if (s->beyond)
		cli_note("%zu of %zu signal%s: squares are more or less than f64 holds, and "
		         "infinite or 0 in the arrays of energy and power; another unit mends that",
		         s->beyond, s->signals, s->signals == 1 ? "" : "s");
}

/* ---- For programs -------------------------------------------------------------------- */

static size_t
signals_told(const void *state)
{
	return ((const cli_hht *)state)->signals;
}

static json_t *
value_json(cli_hht_figure f, double value)
{
	return f == HHT_ABOVE && isfinite(value) ? json_boolean(value > 0) : cli_json_real(value);
}

static bool
is_told_of(const cli_hht *s, cli_hht_figure f)
{
	return f == HHT_LOW || f == HHT_HIGH || f == HHT_VARIANCE ? s->banded
	       : f == HHT_ABOVE ? s->lines
	       : f == HHT_P || f == HHT_P_ANY ? s->signals_of_noise : true;
}

static json_t *
signal_json(const void *state, const cli_outcome *o, size_t i)
{
	static const char *const names[] = { "mean_frequency", "band_low", "band_high",
		"mean_period", "variance_share", "energy_share", "negative_share", "outlier_share",
		"above_noise", "p", "p_any" };
	static const char *const models[HHT_MODELS] = { "none", "white", "ar1", "power-law",
		"bend" };
	const cli_hht *s = state;
	json_t *object = cli_family_signal_json(o, i);
	json_object_set_new(object, "modes", json_integer((json_int_t)s->count[i]));
	for (cli_hht_figure f = 0; f < HHT_FIGURES; f++) {
		json_t *values = json_array();
		for (size_t k = 0; k < s->count[i]; k++)
			json_array_append_new(values, value_json(f, cli_hht_figures(s, f, i)[k]));
		if (is_told_of(s, f))
			json_object_set_new(object, names[f], values);
		else
			json_decref(values);
	}
	if (s->banded)
		json_object_set_new(object, "residue_share", cli_json_real(s->residue_share[i]));
	if (s->signals_of_noise) {
		json_object_set_new(object, "noise_model",
		                    json_string(models[cli_hht_model(s, i)]));
		json_object_set_new(object, "noise_slope", cli_json_real(s->slope[i]));
		json_object_set_new(object, "noise_bend", cli_json_real(s->bend[i]));
	}
	return object;
}

/* Of modes it measures the bands, and what is left. */
static bool
reads(int array)
{
	return array == WS_HHT_RESIDUE;
}

const cli_family cli_family_hht = {
	.name = "hht", .transform = "hht", .open_input = cli_stored_open,
	.read_input = cli_stored_read, .size = sizeof(cli_hht), .open = open_spectra,
	.add = add, .reads = reads, .facts = facts, .tell = tell, .print = cli_hht_print,
	.json = cli_family_json, .list = "signals",
	.list_length = signals_told, .list_element = signal_json,
};
