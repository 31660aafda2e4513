/*
 * hht_tables.c - the tables that a summary of hht has for people: of a signal its modes, or of
 * several their means, the noise that they are compared with, and which modes are locked.
 */
#include "hht_tables.h"

#include <math.h>
#include <stdio.h>

#include "plot/axis.h"
#include "values.h"

#define OWN_TABLES 3 /* of more signals the means are told */

/* Up to which p a mode stands out, where so many signals do. */
#define LEVEL 0.05

/* ---- Figures over signals ------------------------------------------------------------ */

/* Signals, of which a table tells. */
typedef struct group {
	size_t first, n;
	size_t varying, moving;          /* that have shares of variance, of energy */
} group;

static bool
has_share(const cli_hht *s, cli_hht_figure f, size_t signal)
{
	bool some = f == HHT_VARIANCE && s->residue_share[signal] > 0;
	for (size_t k = 0; k < s->count[signal]; k++)
		some |= cli_hht_figures(s, f, signal)[k] > 0;
	return some;
}

static group
group_of(const cli_hht *s, size_t first, size_t n)
{
	group g = { .first = first, .n = n };
	for (size_t i = first; i < first + n; i++) {
		g.varying += has_share(s, HHT_VARIANCE, i);
		g.moving += has_share(s, HHT_ENERGY, i);
	}
	return g;
}

/* Signals of the group that have the mode, counted from 0. */
static size_t
having(const cli_hht *s, const group *g, size_t mode)
{
	size_t n = 0;
	for (size_t i = g->first; i < g->first + g->n; i++)
		n += mode < s->count[i];
	return n;
}

/* The mean over the signals that have the mode and the figure; NaN: none has.  Of shares over all
 * that have some, so that those of all modes add up to 1. */
static double
mean(const cli_hht *s, const group *g, cli_hht_figure f, size_t mode)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = g->first; i < g->first + g->n; i++) {
		const double value = mode < s->count[i] ? cli_hht_figures(s, f, i)[mode] : NAN;
		if (!isfinite(value))
			continue;
		sum += value;
		n++;
	}
	if (f == HHT_VARIANCE || f == HHT_ENERGY)
		return sum / (double)(f == HHT_ENERGY ? g->moving : g->varying);
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
print_title(const cli_hht *s, const cli_outcome *o, const group *g)
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
print_columns(const cli_hht *s, const group *g, wsi_frequency_unit unit)
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
print_p(const cli_hht *s, const group *g, size_t mode)
{
	size_t n = 0, small = 0;
	for (size_t i = g->first; i < g->first + g->n; i++) {
		const double p = mode < s->count[i] ? cli_hht_figures(s, HHT_P_ANY, i)[mode] : NAN;
		n += isfinite(p);
		small += p <= LEVEL;
	}
	const double *p = cli_hht_figures(s, HHT_P, g->first);
	const double *any = cli_hht_figures(s, HHT_P_ANY, g->first);
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
print_mode(const cli_hht *s, const group *g, size_t mode, wsi_frequency_unit unit)
{
	char text[32];
	printf("%8zu%11s", mode + 1,
	       cli_format_figures(mean(s, g, HHT_FREQUENCY, mode) * unit.seconds, 4, text));
	if (s->banded)
		print_band(mean(s, g, HHT_LOW, mode) * unit.seconds,
		           mean(s, g, HHT_HIGH, mode) * unit.seconds);
	printf("%10s", cli_format_figures(mean(s, g, HHT_PERIOD, mode) / unit.seconds, 4, text));
	if (s->banded)
		print_share(mean(s, g, HHT_VARIANCE, mode), 10);
	print_share(mean(s, g, HHT_ENERGY, mode), s->banded ? 8 : 14);
	print_share(mean(s, g, HHT_NEGATIVE, mode), 9);
	print_share(mean(s, g, HHT_OUTLIERS, mode), 8);
	if (s->lines)
		print_above(mean(s, g, HHT_ABOVE, mode), g);
	if (s->signals_of_noise)
		print_p(s, g, mode);
	if (g->n > 1)
		printf("%6zu", having(s, g, mode));
	printf("\n");
}

static void
print_residue(const cli_hht *s, const group *g)
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
print_models(const cli_hht *s, const group *g, wsi_frequency_unit unit)
{
	static const char *const names[] = { "none, as the signal is constant", "white", "AR(1)",
		"white and a power law", "a power law with a bend" };
	size_t of[HHT_MODELS] = { 0 };
	const char *comma = "";
	char bend[32];
	for (size_t i = g->first; i < g->first + g->n; i++)
		of[cli_hht_model(s, i)]++;
	for (int i = 1; i <= HHT_MODELS; i++) {
		const int m = i % HHT_MODELS;
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
is_elsewhere(const cli_hht *s, size_t signal)
{
	size_t below = 0, of = 0;
	for (size_t k = 0; k < s->count[signal]; k++) {
		const double p = cli_hht_figures(s, HHT_P, signal)[k];
		of += isfinite(p);
		below += p > 0.975;
	}
	return below >= 3 && 3 * below > of;
}

/* Of which signals the noise that was fitted says little. */
static void
print_misfit(const cli_hht *s, const group *g)
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
has_untested(const cli_hht *s, const group *g)
{
	size_t none = 0, all = s->count[g->first];
	for (size_t k = 0; k < all; k++)
		none += isnan(cli_hht_figures(s, HHT_P, g->first)[k]);
	return none > 0 && s->model[g->first] != 0;
}

/* What noise the modes are compared with, and how. */
static void
print_noise(const cli_hht *s, const cli_outcome *o, const group *g)
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
print_table(const cli_hht *s, const cli_outcome *o, size_t first, size_t n)
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
print_locking(const cli_hht *s, const cli_outcome *o)
{
	const ws_hht_opts *opts = ws_run_options(o->run);
	if (!s->pairs)
		return;
	printf("\nphase locking of a mode in two channels: %zu of %zu above the level that "
	       "unrelated channels\nstay below with probability %g, each for itself (%d times "
	       "with phases at random, decomposed alike)\n", s->locked, s->pairs,
	       0.5 + 0.5 * opts->confidence, opts->noise_signals);
	for (size_t i = 0; i < HHT_LOCKED && i < s->locked; i++) {
		const cli_hht_locking *l = &s->locked_most[i];
		char value[32], level[32];
		printf("  mode %zu of %s and %s: %s, level %s\n", l->mode + 1,
		       wsi_input_name(o->in, l->channel % o->in->n_channels),
		       wsi_input_name(o->in, l->with % o->in->n_channels),
		       cli_format_figures(l->value, 3, value),
		       cli_format_figures(l->level, 3, level));
	}
}

void
cli_hht_print(const void *state, const cli_outcome *o)
{
	const cli_hht *s = state;
	cli_family_print(NULL, o);
	if (s->signals > OWN_TABLES)
		print_table(s, o, 0, s->signals);
	for (size_t i = 0; i < s->signals && s->signals <= OWN_TABLES; i++)
		print_table(s, o, i, 1);
	print_locking(s, o);
}
