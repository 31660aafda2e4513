/*
 * hht.c - what the program knows of hht: it tells the frequency, band and period of the modes,
 * their shares of variance and energy, the samples of negative frequency and outliers, and, where
 * noise is asked for, how much of it has as much energy.
 *
 * All are from arrays of the result, but for band and variance, which the modes themselves give.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capped.h"
#include "family.h"
#include "message.h"
#include "plot/axis.h"
#include "stored.h"
#include "values.h"

#define OWN_TABLES 3 /* of more signals the means are told */

/* Up to which p a mode stands out, where so many signals do. */
#define LEVEL 0.05

/* Of a mode; NaN where there is none. */
typedef enum figure {
	FREQUENCY, LOW, HIGH, PERIOD, VARIANCE, ENERGY, NEGATIVE, OUTLIERS, ABOVE, P, P_ANY, FIGURES
} figure;

/* A mode of two channels, whose phase locking is above its level. */
typedef struct locking {
	size_t mode, channel, with;
	double value, level;
} locking;

enum { LOCKED_TOLD = 6 };

typedef struct spectra {
	cli_capped capped;
	size_t beyond;                   /* signals whose energies f64 does not hold */
	bool told;                       /* there is a summary; else nothing below is kept */
	size_t signals, most;            /* sizes of the arrays below */
	bool banded;                     /* the modes are there, and so LOW, HIGH, VARIANCE */
	bool lines, signals_of_noise;    /* there are lines of a formula; there is p */
	int32_t *model;                  /* [signal] ws_background */
	double *slope, *bend;            /* [signal] its lag 1, or exponent; Hz, or 0 */
	size_t *count;                   /* [signal] modes */
	double *figures;                 /* [figure][signal][most] */
	double *residue_share;           /* [signal] of the variance */
	size_t pairs, locked;            /* of a mode in two channels; above their level */
	locking locked_most[LOCKED_TOLD]; /* of these some, by how far above, falling */
} spectra;

/* ws_background and how many there are. */
#define MODELS 5

static size_t
model_of(const spectra *s, size_t signal)
{
	return (size_t)s->model[signal] % MODELS;
}

static double *
figures_of(const spectra *s, figure f, size_t signal)
{
	return s->figures + ((size_t)f * s->signals + signal) * s->most;
}

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
	spectra *s = state;
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
	s->figures = wsi_kept_new(kept, s->signals * s->most, FIGURES * sizeof *s->figures);
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
add_bands(spectra *s, const cli_outcome *o, const ws_channel_result *r)
{
	const size_t i = r->channel, n = s->count[i];
	double *variance = figures_of(s, VARIANCE, i);
	for (size_t k = 0; k < n; k++) {
		const ws_mode_figures f = measure(o, r, WS_HHT_MODES, k);
		figures_of(s, LOW, i)[k] = f.band_low;
		figures_of(s, HIGH, i)[k] = f.band_high;
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
add_mode(spectra *s, const cli_outcome *o, const ws_channel_result *r, size_t k)
{
	const size_t i = r->channel;
	const double n = (double)o->in->samples, energy = real(r, WS_HHT_MODE_ENERGY, k);
	const double period = real(r, WS_HHT_MEAN_PERIOD, k);
	const double line = s->lines ? real(r, WS_HHT_NOISE_HIGH, k) : 0;
	figures_of(s, FREQUENCY, i)[k] = real(r, WS_HHT_MEAN_FREQUENCY, k);
	figures_of(s, PERIOD, i)[k] = period > 0 ? period : NAN;
	figures_of(s, ENERGY, i)[k] = isfinite(energy) ? energy : NAN;
	figures_of(s, NEGATIVE, i)[k] = count(r, WS_HHT_NEGATIVE, k) / n;
	figures_of(s, OUTLIERS, i)[k] = count(r, WS_HHT_OUTLIERS, k) / n;
	figures_of(s, ABOVE, i)[k] = line > 0 && isfinite(line) && isfinite(energy) ? energy > line
		: NAN;
	figures_of(s, P, i)[k] = s->signals_of_noise ? real(r, WS_HHT_P, k) : NAN;
	figures_of(s, P_ANY, i)[k] = s->signals_of_noise ? real(r, WS_HHT_P_ANY, k) : NAN;
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
add_locking(spectra *s, const ws_channel_result *r)
{
	const ws_slab *value = &r->slabs[WS_HHT_PHASE_LOCKING];
	const ws_slab *level = &r->slabs[WS_HHT_LOCKING_LEVEL];
	const size_t together = level->data ? value->extent[1] : 0;
	for (size_t k = 0; together && k < value->extent[0]; k++)
		for (size_t d = 0; d < r->channel % together; d++) {
			locking l = { k, r->channel, r->channel - r->channel % together + d,
				((const double *)value->data)[k * together + d],
				((const double *)level->data)[k * together + d] };
			s->pairs += l.value > 0 && !isnan(l.level);
			s->locked += l.value > l.level;
			for (int i = 0; l.value > l.level && i < LOCKED_TOLD; i++) {
				const locking here = s->locked_most[i];
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
	spectra *s = state;
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
	scale(figures_of(s, ENERGY, i), s->count[i], &rest);
	divide(figures_of(s, ENERGY, i), s->count[i], &rest);
	if (s->banded)
		add_bands(s, o, r);
	return WS_OK;
}

static void
facts(const void *state, wsi_provenance *p)
{
	wsi_provenance_add(p, "capped", ((const spectra *)state)->capped.oscillating);
}

static void
tell(const void *state, const cli_outcome *o)
{
	const spectra *s = state;
	const ws_hht_opts *opts = ws_run_options(o->run);
	if (((const ws_hht_opts *)o->args->opts)->emd.modes == 0)
		cli_capped_tell(&s->capped, s->signals, "signal", opts->emd.modes);
	if (s->beyond)
		cli_note("%zu of %zu signal%s: squares are more or less than f64 holds, and infinite or 0 "
		         "in the arrays of energy and power; another unit mends that", s->beyond,
		         s->signals, s->signals == 1 ? "" : "s");
}

/* ---- Figures over signals ------------------------------------------------------------ */

/* Signals, of which a table tells. */
typedef struct group {
	size_t first, n;
	size_t varying, moving;          /* that have shares of variance, of energy */
} group;

static bool
has_share(const spectra *s, figure f, size_t signal)
{
	bool some = f == VARIANCE && s->residue_share[signal] > 0;
	for (size_t k = 0; k < s->count[signal]; k++)
		some |= figures_of(s, f, signal)[k] > 0;
	return some;
}

static group
group_of(const spectra *s, size_t first, size_t n)
{
	group g = { .first = first, .n = n };
	for (size_t i = first; i < first + n; i++) {
		g.varying += has_share(s, VARIANCE, i);
		g.moving += has_share(s, ENERGY, i);
	}
	return g;
}

/* Signals of the group that have the mode, counted from 0. */
static size_t
having(const spectra *s, const group *g, size_t mode)
{
	size_t n = 0;
	for (size_t i = g->first; i < g->first + g->n; i++)
		n += mode < s->count[i];
	return n;
}

/* The mean over the signals that have the mode and the figure; NaN: none has.  Of shares over all
 * that have some, so that those of all modes add up to 1. */
static double
mean(const spectra *s, const group *g, figure f, size_t mode)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = g->first; i < g->first + g->n; i++) {
		const double value = mode < s->count[i] ? figures_of(s, f, i)[mode] : NAN;
		if (!isfinite(value))
			continue;
		sum += value;
		n++;
	}
	if (f == VARIANCE || f == ENERGY)
		return sum / (double)(f == ENERGY ? g->moving : g->varying);
	return n ? sum / (double)n : NAN;
}

/* ---- For people ---------------------------------------------------------------------- */

/* "(s)", "(years)", "(samples)" */
static void
name_period(wsi_frequency_unit unit, char text[32])
{
	if (unit.name[0] == '/')
		snprintf(text, 32, "(%ss)", unit.name + 1);
	else
		snprintf(text, 32, "(s)");
}

static void
print_title(const spectra *s, const cli_outcome *o, const group *g)
{
	const wsi_input *in = o->in;
	char name[CLI_SHOWN];
	if (g->n == 1) {
		printf("\n%s", cli_shown(wsi_input_name(in, g->first % in->n_channels), name));
		if (in->epoched)
			printf(", epoch %zu", in->epochs[g->first / in->n_channels] + 1);
	} else {
		printf("\nmean over %zu signals", g->n);
		if (s->banded && g->varying < g->n)
			printf("; variance over the %zu that vary", g->varying);
		if (g->moving < g->n)
			printf("; energy over the %zu with modes", g->moving);
	}
	printf("\n");
}

/* Columns of the table, as print_mode() fills them. */
static void
print_columns(const spectra *s, const group *g, wsi_frequency_unit unit)
{
	char in_unit[32], band[48], period[32];
	const bool one = g->n == 1;
	snprintf(in_unit, sizeof in_unit, "(%s%s)", unit.name[0] == '/' ? "1" : "", unit.name);
	name_period(unit, period);
	snprintf(band, sizeof band, "band %s", in_unit);
	printf("%8s%11s", "", "frequency");
	if (s->banded)
		printf("  %-21s", "half-energy");
	printf("%10s%*s%17s%s%s\n", "per max.", s->banded ? 18 : 14, "share of (%)", "samples (%)",
	       s->lines ? "  above" : !s->signals_of_noise ? "" : one ? "   p of noise" : "  p any",
	       one ? "" : " found");
	printf("%8s%11s", "mode", in_unit);
	if (s->banded)
		printf("  %-21s", band);
	printf("%10s", period);
	if (s->banded)
		printf("%10s", "variance");
	printf("%*s%9s%8s%s%s\n", s->banded ? 8 : 14, "energy", "negative", "outlier",
	       s->lines ? "  noise" : !s->signals_of_noise ? "" : one ? "  mode    any" : " < 0.05",
	       one ? "" : "    in");
}

static void
print_band(double low, double high)
{
	char a[32], b[32], band[80];
	snprintf(band, sizeof band, "(%s - %s)", cli_format_figures(low, 3, a),
	         cli_format_figures(high, 3, b));
	printf("  %-21s", band);
}

/* A share as so many percent. */
static void
print_share(double share, int width)
{
	if (isfinite(share))
		printf("%*.2f", width, 100 * share);
	else
		printf("%*s", width, "-");
}

/* "yes"; of several signals "67 %" of them. */
static void
print_above(double above, const group *g)
{
	if (!isfinite(above))
		printf("%7s", "-");
	else if (g->n == 1)
		printf("%7s", above > 0 ? "yes" : "no");
	else
		printf("%5.0f %%", 100 * above);
}

/* Shares p and p_any of noise; of several signals how many of them p_any is small for. */
static void
print_p(const spectra *s, const group *g, size_t mode)
{
	size_t n = 0, small = 0;
	for (size_t i = g->first; i < g->first + g->n; i++) {
		const double p = mode < s->count[i] ? figures_of(s, P_ANY, i)[mode] : NAN;
		n += isfinite(p);
		small += p <= LEVEL;
	}
	const double *p = figures_of(s, P, g->first), *any = figures_of(s, P_ANY, g->first);
	if (g->n > 1 && n > 0)
		printf("%5.0f %%", 100 * (double)small / (double)n);
	else if (g->n > 1)
		printf("%7s", "-");
	else if (n == 0)
		printf("%6s%7s", "-", "-");
	else
		printf("%6.*f%7.*f", p[mode] < 0.001 ? 4 : 3, p[mode], any[mode] < 0.001 ? 4 : 3,
		       any[mode]);
}

static void
print_mode(const spectra *s, const group *g, size_t mode, wsi_frequency_unit unit)
{
	char text[32];
	printf("%8zu%11s", mode + 1,
	       cli_format_figures(mean(s, g, FREQUENCY, mode) * unit.seconds, 4, text));
	if (s->banded)
		print_band(mean(s, g, LOW, mode) * unit.seconds,
		           mean(s, g, HIGH, mode) * unit.seconds);
	printf("%10s", cli_format_figures(mean(s, g, PERIOD, mode) / unit.seconds, 4, text));
	if (s->banded)
		print_share(mean(s, g, VARIANCE, mode), 10);
	print_share(mean(s, g, ENERGY, mode), s->banded ? 8 : 14);
	print_share(mean(s, g, NEGATIVE, mode), 9);
	print_share(mean(s, g, OUTLIERS, mode), 8);
	if (s->lines)
		print_above(mean(s, g, ABOVE, mode), g);
	if (s->signals_of_noise)
		print_p(s, g, mode);
	if (g->n > 1)
		printf("%6zu", having(s, g, mode));
	printf("\n");
}

static void
print_residue(const spectra *s, const group *g)
{
	double sum = 0;
	for (size_t i = g->first; i < g->first + g->n; i++)
		sum += s->residue_share[i];
	printf("%8s%11s  %21s%10s", "residue", "", "", "");
	print_share(sum / (double)g->varying, 10);
	printf("\n");
}

/* "AR(1), lag-1 autocorrelation 0.91"; of several signals how many have which. */
static void
print_models(const spectra *s, const group *g, wsi_frequency_unit unit)
{
	static const char *const names[] = { "none, as the signal is constant", "white", "AR(1)",
		"white and a power law", "a power law with a bend" };
	size_t of[MODELS] = { 0 };
	const char *comma = "";
	char bend[32];
	for (size_t i = g->first; i < g->first + g->n; i++)
		of[model_of(s, i)]++;
	for (int i = 1; i <= MODELS; i++) {
		const int m = i % MODELS;
		if (!of[m])
			continue;
		printf("%s%s", comma, names[m]);
		if (g->n > 1)
			printf(" for %zu", of[m]);
		else if (m == WS_BACKGROUND_AR1)
			printf(", lag-1 autocorrelation %.4g", s->slope[g->first]);
		else if (m == WS_BACKGROUND_POWER_LAW)
			printf(", exponent %.3g", s->slope[g->first]);
		else if (m == WS_BACKGROUND_BEND)
			printf(" at %s %s, exponent %.3g above it",
			       cli_format_figures(s->bend[g->first] * unit.seconds, 3, bend),
			       unit.name, s->slope[g->first]);
		comma = ", ";
	}
}

/* Have more than a third of a signal's modes less energy than nearly all of the noise's of their
 * periods?  One in forty would by chance. */
static bool
is_elsewhere(const spectra *s, size_t signal)
{
	size_t below = 0, of = 0;
	for (size_t k = 0; k < s->count[signal]; k++) {
		const double p = figures_of(s, P, signal)[k];
		of += isfinite(p);
		below += p > 0.975;
	}
	return below >= 3 && 3 * below > of;
}

/* Of which signals the noise that was fitted says little. */
static void
print_misfit(const spectra *s, const group *g)
{
	size_t n = 0;
	for (size_t i = g->first; i < g->first + g->n; i++)
		n += is_elsewhere(s, i);
	if (n == 0)
		return;
	if (g->n > 1)
		printf("%zu of %zu signals: ", n, g->n);
	printf("more than a third of the modes have less energy than that noise has there:\n"
	       "it does not describe them, and p says little (--significance names another)\n");
}

/* Has a signal that has a p also a mode without one? */
static bool
has_untested(const spectra *s, const group *g)
{
	size_t none = 0, all = s->count[g->first];
	for (size_t k = 0; k < all; k++)
		none += isnan(figures_of(s, P, g->first)[k]);
	return none > 0 && s->model[g->first] != 0;
}

/* What noise the modes are compared with, and how. */
static void
print_noise(const spectra *s, const cli_outcome *o, const group *g)
{
	const ws_hht_opts *opts = ws_run_options(o->run);
	if (s->lines)
		printf("noise: white, of which mode 1 is taken to be (Wu & Huang 2004)\n");
	if (!s->signals_of_noise)
		return;
	printf("noise: ");
	print_models(s, g, wsi_axis_frequency_unit(o->in->fs, o->in->fs_known, o->in->samples));
	printf("; %d signals of it were decomposed alike\n", opts->noise_signals);
	if (g->n > 1)
		printf("p any: at most 0.05 for so many: share of those signals with a mode that "
		       "stands out as far\n");
	else
		printf("p: share of their modes of that period with as much energy; any: corrected "
		       "for all modes%s\n", has_untested(s, g)
		       ? ";\n-: not tested, as there are fewer than six periods" : "");
	print_misfit(s, g);
}

static void
print_table(const spectra *s, const cli_outcome *o, size_t first, size_t n)
{
	const wsi_input *in = o->in;
	const wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	const group g = group_of(s, first, n);
	print_title(s, o, &g);
	print_columns(s, &g, unit);
	if (having(s, &g, 0) == 0)
		printf("%8s\n", "none");
	for (size_t k = 0; having(s, &g, k) > 0; k++)
		print_mode(s, &g, k, unit);
	if (s->banded)
		print_residue(s, &g);
	print_noise(s, o, &g);
}

/* How many modes are locked beyond chance, and which most. */
static void
print_locking(const spectra *s, const cli_outcome *o)
{
	const ws_hht_opts *opts = ws_run_options(o->run);
	if (!s->pairs)
		return;
	printf("\nphase locking of a mode in two channels: %zu of %zu above the level that unrelated "
	       "channels\nstay below with probability %g, each for itself (%d times with phases at "
	       "random, decomposed alike)\n", s->locked, s->pairs, 0.5 + 0.5 * opts->confidence,
	       opts->noise_signals);
	for (size_t i = 0; i < LOCKED_TOLD && i < s->locked; i++) {
		const locking *l = &s->locked_most[i];
		char value[32], level[32];
		printf("  mode %zu of %s and %s: %s, level %s\n", l->mode + 1,
		       wsi_input_name(o->in, l->channel % o->in->n_channels),
		       wsi_input_name(o->in, l->with % o->in->n_channels),
		       cli_format_figures(l->value, 3, value), cli_format_figures(l->level, 3, level));
	}
}

static void
print(const void *state, const cli_outcome *o)
{
	const spectra *s = state;
	cli_family_print(NULL, o);
	if (s->signals > OWN_TABLES)
		print_table(s, o, 0, s->signals);
	for (size_t i = 0; i < s->signals && s->signals <= OWN_TABLES; i++)
		print_table(s, o, i, 1);
	print_locking(s, o);
}

/* ---- For programs -------------------------------------------------------------------- */

static size_t
signals_told(const void *state)
{
	return ((const spectra *)state)->signals;
}

static json_t *
value_json(figure f, double value)
{
	return f == ABOVE && isfinite(value) ? json_boolean(value > 0) : cli_json_real(value);
}

static bool
is_told_of(const spectra *s, figure f)
{
	return f == LOW || f == HIGH || f == VARIANCE ? s->banded : f == ABOVE ? s->lines
	       : f == P || f == P_ANY ? s->signals_of_noise : true;
}

static json_t *
signal_json(const void *state, const cli_outcome *o, size_t i)
{
	static const char *const names[] = { "mean_frequency", "band_low", "band_high",
		"mean_period", "variance_share", "energy_share", "negative_share", "outlier_share",
		"above_noise", "p", "p_any" };
	static const char *const models[MODELS] = { "none", "white", "ar1", "power-law", "bend" };
	const spectra *s = state;
	json_t *object = cli_family_signal_json(o, i);
	json_object_set_new(object, "modes", json_integer((json_int_t)s->count[i]));
	for (figure f = 0; f < FIGURES; f++) {
		json_t *values = json_array();
		for (size_t k = 0; k < s->count[i]; k++)
			json_array_append_new(values, value_json(f, figures_of(s, f, i)[k]));
		if (is_told_of(s, f))
			json_object_set_new(object, names[f], values);
		else
			json_decref(values);
	}
	if (s->banded)
		json_object_set_new(object, "residue_share", cli_json_real(s->residue_share[i]));
	if (s->signals_of_noise) {
		json_object_set_new(object, "noise_model", json_string(models[model_of(s, i)]));
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
	.read_input = cli_stored_read, .size = sizeof(spectra), .open = open_spectra,
	.add = add, .reads = reads, .facts = facts, .tell = tell, .print = print,
	.json = cli_family_json, .list = "signals",
	.list_length = signals_told, .list_element = signal_json,
};
