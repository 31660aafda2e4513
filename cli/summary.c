/* summary.c - see summary.h. */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "io/mode_figures.h"
#include "json.h"
#include "machine.h"
#include "plot/axis.h"
#include "values.h"

#define BAR 24 /* characters of a share of 100 % */

ws_status
cli_summary_open(cli_summary *s, size_t signals, size_t max_modes)
{
	*s = (cli_summary){ .signals = signals, .max_modes = max_modes };
	size_t n = signals * (max_modes + 1);
	s->modes = calloc(signals, sizeof *s->modes);
	s->figures = calloc(n, sizeof *s->figures);
	s->sifts = calloc(n, sizeof *s->sifts);
	if (s->modes && s->figures && s->sifts)
		return WS_OK;
	cli_summary_close(s);
	return WSI_FAIL(WS_E_NOMEM, "not enough memory for the summary of %zu signals", signals);
}

void
cli_summary_close(cli_summary *s)
{
	free(s->modes);
	free(s->figures);
	free(s->sifts);
	*s = (cli_summary){ 0 };
}

const ws_mode_figures *
cli_summary_figures(const cli_summary *s, size_t signal)
{
	return s->figures + signal * (s->max_modes + 1);
}

ws_status
cli_summary_add(cli_summary *s, const ws_channel_result *r, const wsi_input *in, ws_type type)
{
	size_t at = r->channel * (s->max_modes + 1);
	WSI_TRY(wsi_channel_figures(r->mode_rows, (size_t)r->modes, r->residue, type, in->samples,
	                            in->fs, s->figures + at));
	for (int m = 0; m < r->modes; m++)
		s->sifts[at + (size_t)m] = r->sifts[m];
	s->modes[r->channel] = r->modes;
	s->unfinished += r->unfinished;
	s->done++;
	return WS_OK;
}

/* ---- Figures over all signals ------------------------------------------------ */

typedef struct row {
	double frequency, low, high, half_waves, share;
	size_t count; /* signals that have the mode */
} row;

static double
share_of(const cli_summary *s, size_t signal, size_t mode)
{
	return wsi_variance_share(cli_summary_figures(s, signal), (size_t)s->modes[signal], mode);
}

/* Signals whose variance has shares; a constant one has none. */
static size_t
varying(const cli_summary *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->signals; i++) {
		bool varies = false;
		for (int m = 0; m <= s->modes[i]; m++)
			varies |= cli_summary_figures(s, i)[m].deviation > 0;
		n += varies;
	}
	return n;
}

/* Means over the signals that have the mode; of the share over those that vary. */
static row
mode_row(const cli_summary *s, size_t mode)
{
	row r = { 0 };
	for (size_t i = 0; i < s->signals; i++) {
		if ((size_t)s->modes[i] <= mode)
			continue;
		const ws_mode_figures *f = &cli_summary_figures(s, i)[mode];
		r.frequency += f->frequency;
		r.low += f->band_low;
		r.high += f->band_high;
		r.half_waves += (double)f->half_waves;
		r.share += share_of(s, i, mode);
		r.count++;
	}
	const double count = r.count ? (double)r.count : 1;
	r.frequency /= count;
	r.low /= count;
	r.high /= count;
	r.half_waves /= count;
	size_t n = varying(s);
	r.share /= n ? (double)n : 1;
	return r;
}

static bool
is_ensemble(const ws_emd_opts *emd)
{
	return emd->method != WS_EMD && emd->method != WS_MEMD;
}

/* Sifts over all signals and realizations, or 0 where the library tells only
 * the largest of an ensemble.  Sifts of the noise itself are not counted, the
 * time they take is. */
static double
total_sifts(const cli_summary *s, const ws_emd_opts *emd)
{
	if (is_ensemble(emd) && emd->stop != WS_STOP_FIXED)
		return 0;
	double sum = 0;
	for (size_t i = 0; i < s->signals; i++)
		for (int m = 0; m < s->modes[i]; m++)
			sum += s->sifts[i * (s->max_modes + 1) + (size_t)m];
	return is_ensemble(emd) ? sum * emd->realizations : sum;
}

/* Nanoseconds for each of so many samples' steps; 0 where there were none. */
static double
ns_per(double steps, const wsi_input *in, const cli_outcome *o)
{
	double work = steps * (double)in->samples;
	return work > 0 ? 1e9 * o->sift_seconds / work : 0;
}

/* Modes over all signals and realizations. */
static double
total_modes(const cli_summary *s, const ws_emd_opts *emd)
{
	double sum = 0;
	for (size_t i = 0; i < s->signals; i++)
		sum += s->modes[i];
	return is_ensemble(emd) ? sum * emd->realizations : sum;
}

/* ---- For people --------------------------------------------------------------- */

static void
print_head(const cli_args *args, const wsi_input *in, const cli_outcome *o)
{
	char text[32], options[256];
	wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	printf("%s of %s (%s)\n", args->command->name, args->operands[0], in->rec->format);
	printf("%zu channel%s", in->n_channels, in->n_channels == 1 ? "" : "s");
	if (in->n_channels == 1)
		printf(" (%s)", wsi_input_name(in, 0));
	if (in->epoched)
		printf(" x %zu epoch%s", in->n_epochs, in->n_epochs == 1 ? "" : "s");
	printf(", %zu sample%s", in->samples, in->samples == 1 ? "" : "s");
	if (in->fs_known)
		printf(" at %.*g %s (%s)", in->fs < 0.01 ? 5 : 6, in->fs * unit.seconds, unit.name,
		       cli_format_seconds((double)in->samples / in->fs, text));
	cli_describe_options(o->emd, args->noise_file != NULL, options, sizeof options);
	printf("\n%s\n", options);
}

static void
print_bar(double share)
{
	for (int i = 0; i < (int)(share * BAR + 0.5); i++)
		putchar('#');
	putchar('\n');
}

static void
print_modes(const cli_summary *s, const wsi_input *in)
{
	size_t most = 0, n = varying(s);
	double residue = 0;
	wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	for (size_t i = 0; i < s->signals; i++) {
		if ((size_t)s->modes[i] > most)
			most = (size_t)s->modes[i];
		residue += n ? share_of(s, i, (size_t)s->modes[i]) / (double)n : 0;
	}
	printf("\n    mode          frequency (band)              half waves   share of variance");
	if (n > 0 && n < s->signals)
		printf("   (mean over %zu signals, the share over the %zu that vary%s)", s->signals, n,
		       n == 1 ? "s" : "");
	else if (s->signals > 1)
		printf("   (mean over %zu signals)", s->signals);
	printf("\n");
	for (size_t m = 0; m < most; m++) {
		row r = mode_row(s, m);
		char f[32], low[32], high[32], band[80];
		snprintf(band, sizeof band, "(%s - %s)", cli_format_figures(r.low * unit.seconds, 3, low),
		         cli_format_figures(r.high * unit.seconds, 3, high));
		printf("%8zu   %9s %-7s  %-22s %10.0f   %7.2f %%   ", m + 1,
		       cli_format_figures(r.frequency * unit.seconds, 4, f), unit.name, band,
		       r.half_waves, 100 * r.share);
		if (r.count < s->signals)
			printf("(%zu of %zu)  ", r.count, s->signals);
		print_bar(r.share);
	}
	printf(" residue   %9s %-7s  %-22s %10s   %7.2f %%   ", "", "", "", "", 100 * residue);
	print_bar(residue);
}

static void
print_file(const char *what, const char *path)
{
	struct stat st;
	char text[32];
	if (stat(path, &st) == 0)
		printf("%-7s %s (%s)\n", what, path, cli_format_size((double)st.st_size, text));
}

static void
print_place(const cli_outcome *o)
{
	char model[128];
	int threads = ws_ctx_threads(o->ctx);
	if (cli_gpu_model(ws_run_device(o->run), model))
		printf("%s (%s)", ws_run_device(o->run), model);
	else
		printf("%d thread%s, %s", threads, threads == 1 ? "" : "s", ws_ctx_isa(o->ctx));
}

void
cli_summary_print(const cli_summary *s, const cli_args *args, const wsi_input *in,
                  const cli_outcome *o)
{
	char text[32];
	print_head(args, in, o);
	print_modes(s, in);
	printf("\ntime    %s on ", cli_format_seconds(o->seconds, text));
	print_place(o);
	printf(", %s", args->precision == WS_F32 ? "f32" : "f64");
	double sift = ns_per(total_sifts(s, o->emd), in, o);
	double mode = ns_per(total_modes(s, o->emd), in, o);
	if (sift > 0)
		printf("; %s ns per sample and sift", cli_format_figures(sift, 3, text));
	else if (mode > 0)
		printf("; %s ns per sample%s and mode", cli_format_figures(mode, 3, text),
		       is_ensemble(o->emd) ? ", realization" : "");
	printf("\n");
	print_file("result", o->output);
	if (o->plot)
		print_file("figure", o->plot);
}

/* ---- For programs ---------------------------------------------------------------- */

static json_t *
signal_json(const cli_summary *s, size_t i, const wsi_input *in)
{
	json_t *o = json_object(), *figures[WSI_FIGURES], *sifts = json_array();
	const size_t modes = (size_t)s->modes[i];
	const ws_mode_figures *f = cli_summary_figures(s, i);
	for (int kind = 0; kind < WSI_FIGURES; kind++)
		figures[kind] = json_array();
	for (size_t m = 0; m < modes; m++) {
		json_array_append_new(figures[WSI_FREQUENCY], cli_json_real(f[m].frequency));
		json_array_append_new(figures[WSI_BAND_LOW], cli_json_real(f[m].band_low));
		json_array_append_new(figures[WSI_BAND_HIGH], cli_json_real(f[m].band_high));
		json_array_append_new(figures[WSI_HALF_WAVES], json_integer((json_int_t)f[m].half_waves));
		json_array_append_new(figures[WSI_EFFECTIVE_HALF_WAVES],
		                      cli_json_real(f[m].effective_half_waves));
		json_array_append_new(figures[WSI_CROSSING_FREQUENCY],
		                      cli_json_real(f[m].crossing_frequency));
		json_array_append_new(figures[WSI_VARIANCE_SHARE], cli_json_real(share_of(s, i, m)));
		json_array_append_new(sifts, json_integer(s->sifts[i * (s->max_modes + 1) + m]));
	}
	json_object_set_new(o, "channel", cli_json_text(wsi_input_name(in, i % in->n_channels)));
	if (in->epoched)
		json_object_set_new(o, "epoch",
		                    json_integer((json_int_t)in->epochs[i / in->n_channels] + 1));
	json_object_set_new(o, "modes", json_integer(s->modes[i]));
	for (int kind = 0; kind < WSI_FIGURES; kind++)
		json_object_set_new(o, wsi_figure_names[kind], figures[kind]);
	json_object_set_new(o, "residue_share", cli_json_real(share_of(s, i, modes)));
	json_object_set_new(o, "sifts", sifts);
	return o;
}

static json_t *
fact_json(const wsi_fact *f)
{
	return f->kind == WSI_FACT_TEXT ? cli_json_text(f->text)
	       : f->kind == WSI_FACT_INT ? json_integer(f->integer) : cli_json_real(f->real);
}

int
cli_summary_print_json(const cli_summary *s, const cli_args *args, const wsi_input *in,
                       const cli_outcome *o, const cli_facts *facts)
{
	json_t *root = json_object(), *provenance = json_object(), *signals = json_array();
	for (size_t i = 0; i < facts->n; i++)
		json_object_set_new(provenance, facts->items[i].key, fact_json(&facts->items[i]));
	for (size_t i = 0; i < s->signals; i++)
		json_array_append_new(signals, signal_json(s, i, in));
	json_object_set_new(root, "command", cli_json_text(args->command->name));
	json_object_set_new(root, "input", cli_json_text(args->operands[0]));
	json_object_set_new(root, "output", cli_json_text(o->output));
	json_object_set_new(root, "plot", o->plot ? cli_json_text(o->plot) : json_null());
	json_object_set_new(root, "fs", in->fs_known ? cli_json_real(in->fs) : json_null());
	json_object_set_new(root, "first_time", cli_json_real((double)in->first / in->fs));
	json_object_set_new(root, "time_origin", cli_json_real(in->rec->time_origin));
	json_object_set_new(root, "samples", json_integer((json_int_t)in->samples));
	json_object_set_new(root, "signals", signals);
	json_object_set_new(root, "unfinished", json_integer(s->unfinished));
	json_object_set_new(root, "seconds", cli_json_real(o->seconds));
	double sift = ns_per(total_sifts(s, o->emd), in, o);
	json_object_set_new(root, "ns_per_sample_per_sift", sift > 0 ? cli_json_real(sift)
	                    : json_null());
	json_object_set_new(root, "ns_per_sample_per_mode",
	                    cli_json_real(ns_per(total_modes(s, o->emd), in, o)));
	json_object_set_new(root, "provenance", provenance);
	return cli_json_print(root);
}
