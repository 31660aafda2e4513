/* modes_print.c - the table of modes: means over all signals of their frequencies, bands and shares
 * of the variance. */
#include "modes_print.h"

#include <math.h>
#include <stdio.h>

#include "plot/plot.h"
#include "values.h"

#define BAR 24 /* characters of a share of 100 % */

/* Frequencies of a mode whose energy fewer half waves carry are not sharp. */
#define FEW_HALF_WAVES 12.0

/* ---- Figures over all signals ---------------------------------------------------------- */

typedef struct row {
	double frequency, low, high, median, half_waves, effective, share;
	size_t count; /* signals that have the mode */
} row;

/* Signals whose variance has shares; a constant one has none. */
static size_t
varying(const cli_modes *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->signals; i++) {
		bool varies = m->residue_share[i] > 0;
		for (int k = 0; k < m->count[i]; k++)
			varies |= cli_modes_figure(m, WS_EMD_VARIANCE_SHARE, i)[k] > 0;
		n += varies;
	}
	return n;
}

/* Signals that have the mode. */
static size_t
having(const cli_modes *m, size_t mode)
{
	size_t n = 0;
	for (size_t i = 0; i < m->signals; i++)
		n += mode < (size_t)m->count[i];
	return n;
}

/* The mean over the signals that have the mode; of the share over those that vary. */
static double
mean(const cli_modes *m, ws_emd_array figure, size_t mode)
{
	const size_t n = figure == WS_EMD_VARIANCE_SHARE ? varying(m) : having(m, mode);
	double sum = 0;
	for (size_t i = 0; i < m->signals; i++)
		if (mode < (size_t)m->count[i])
			sum += cli_modes_figure(m, figure, i)[mode];
	return sum / (n ? (double)n : 1);
}

static row
mode_row(const cli_modes *m, size_t mode)
{
	return (row){ .frequency = mean(m, WS_EMD_FREQUENCY, mode),
		.low = mean(m, WS_EMD_BAND_LOW, mode), .high = mean(m, WS_EMD_BAND_HIGH, mode),
		.median = mean(m, WS_EMD_MEDIAN_FREQUENCY, mode),
		.half_waves = mean(m, WS_EMD_HALF_WAVES, mode),
		.effective = mean(m, WS_EMD_EFFECTIVE_HALF_WAVES, mode),
		.share = mean(m, WS_EMD_VARIANCE_SHARE, mode), .count = having(m, mode) };
}

/* ---- The table ------------------------------------------------------------------------------- */

static void
print_bar(double share)
{
	for (int i = 0; i < (int)(share * BAR + 0.5); i++)
		putchar('#');
	putchar('\n');
}

static void
print_alignment(double alignment)
{
	if (isnan(alignment))
		printf("   %9s", "-");
	else
		printf("   %9.3f", alignment);
}

/* Skewed: the mean lies outside the quartiles, and the median says more. */
static bool
is_skewed(const row *r)
{
	return r->frequency < r->low || r->frequency > r->high;
}

/* Columns of the band: those of the widest, or more for a median. */
static int
band_width(const cli_modes *m, size_t most)
{
	for (size_t k = 0; k < most; k++) {
		const row r = mode_row(m, k);
		if (is_skewed(&r))
			return 38;
	}
	return 22;
}

static bool
is_few(const row *r)
{
	return r->effective < FEW_HALF_WAVES;
}

static void
print_mode(const cli_modes *m, size_t mode, wsi_frequency_unit unit, int width)
{
	const row r = mode_row(m, mode);
	char f[32], low[32], high[32], median[32], band[120];
	int used = snprintf(band, sizeof band, "(%s - %s",
	                    cli_format_figures(r.low * unit.seconds, 3, low),
	                    cli_format_figures(r.high * unit.seconds, 3, high));
	used += is_skewed(&r) ? snprintf(band + used, sizeof band - (size_t)used, ", median %s",
		cli_format_figures(r.median * unit.seconds, 3, median)) : 0;
	snprintf(band + used, sizeof band - (size_t)used, ")");
	printf("%8zu   %9s %-7s  %-*s %10.0f%s", mode + 1,
	       cli_format_figures(r.frequency * unit.seconds, 4, f), unit.name, width, band,
	       r.half_waves, is_few(&r) ? "*" : " ");
	if (m->aligned.values)
		print_alignment(cli_alignment_of(&m->aligned, mode));
	printf("   %7.2f %%   ", 100 * r.share);
	if (r.count < m->signals)
		printf("(%zu of %zu)  ", r.count, m->signals);
	print_bar(r.share);
}

/* Modes that have their energy at the ends of the recording: how many, and which has most there. */
static void
print_ends(const cli_modes *m, const cli_outcome *o)
{
	size_t n = 0, of = 0, mode = 0;
	double share = 0, steady = 0;
	for (size_t i = 0; i < m->signals; i++)
		for (size_t k = 0; k < (size_t)m->count[i]; k++) {
			const double f = cli_modes_figure(m, WS_EMD_FREQUENCY, i)[k];
			const double even = 2 * o->in->fs / (f * (double)o->in->samples);
			const double at = cli_modes_figure(m, WS_EMD_END_SHARE, i)[k];
			of++;
			if (!wsi_plot_at_ends(at, f, (double)o->in->samples / o->in->fs))
				continue;
			n++;
			if (at - even <= share - steady)
				continue;
			share = at;
			steady = even;
			mode = k + 1;
		}
	if (n == 0)
		return;
	printf("\nends: ");
	if (n > 1)
		printf("%zu of %zu modes have far more energy in their first and last period than "
		       "in others; the most,\n", n, of);
	printf("mode %zu has %.0f %% of its energy in its first and last period, a steady wave "
	       "%.0f %%: what it shows there may be the end's\n", mode, 100 * share, 100 * steady);
}

void
cli_modes_print(const void *state, const cli_outcome *o)
{
	const cli_modes *m = state;
	size_t most = 0, n = varying(m);
	double residue = 0;
	wsi_frequency_unit unit = wsi_axis_frequency_unit(o->in->fs, o->in->fs_known,
	                                                  o->in->samples);
	for (size_t i = 0; i < m->signals; i++) {
		if ((size_t)m->count[i] > most)
			most = (size_t)m->count[i];
		residue += n ? m->residue_share[i] / (double)n : 0;
	}
	const int width = band_width(m, most);
	printf("\n    mode          frequency (band)      %*shalf waves %s   share of variance",
	       width - 14, "", m->aligned.values ? "   alignment" : "");
	if (n > 0 && n < m->signals)
		printf("   (mean over %zu signals, the share over the %zu that %s)", m->signals,
		       n, n == 1 ? "varies" : "vary");
	else if (m->signals > 1)
		printf("   (mean over %zu signals)", m->signals);
	printf("\n");
	for (size_t k = 0; k < most; k++)
		print_mode(m, k, unit, width);
	printf(" residue   %9s %-7s  %-*s %10s %s   %7.2f %%   ", "", "", width, "", "",
	       m->aligned.values ? "            " : "", 100 * residue);
	print_bar(residue);
	for (size_t k = 0; k < most; k++) {
		const row r = mode_row(m, k);
		if (!is_few(&r))
			continue;
		printf("\n* few of the half waves carry the energy, fewer than %.0f: frequency and "
		       "band are not sharp\n", FEW_HALF_WAVES);
		break;
	}
	print_ends(m, o);
	if (m->aligned.values && !isnan(cli_alignment_of_all(&m->aligned)))
		printf("\nalignment of all modes, each by its share of variance: %.3f (1: the same "
		       "rhythm in all channels)\n", cli_alignment_of_all(&m->aligned));
}
