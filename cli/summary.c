/* summary.c - see summary.h. */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "io/mode_stats.h"
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
	s->residue_share = calloc(signals, sizeof *s->residue_share);
	s->frequency = calloc(n, sizeof *s->frequency);
	s->share = calloc(n, sizeof *s->share);
	s->sifts = calloc(n, sizeof *s->sifts);
	if (s->modes && s->residue_share && s->frequency && s->share && s->sifts)
		return WS_OK;
	cli_summary_close(s);
	return WSI_FAIL(WS_E_NOMEM, "not enough memory for the summary of %zu signals", signals);
}

void
cli_summary_close(cli_summary *s)
{
	free(s->modes);
	free(s->residue_share);
	free(s->frequency);
	free(s->share);
	free(s->sifts);
	*s = (cli_summary){ 0 };
}

void
cli_summary_add(cli_summary *s, const ws_channel_result *r, const wsi_input *in, ws_type type)
{
	size_t at = r->channel * s->max_modes;
	wsi_channel_stats(r->mode_rows, (size_t)r->modes, r->residue, type, in->samples, in->fs,
	                  s->frequency + at, s->share + at, &s->residue_share[r->channel]);
	for (int m = 0; m < r->modes; m++)
		s->sifts[at + (size_t)m] = r->sifts[m];
	s->modes[r->channel] = r->modes;
	s->unfinished += r->unfinished;
	s->done++;
}

/* ---- Figures over all signals ------------------------------------------------ */

typedef struct row {
	double frequency, share;
	size_t count; /* signals that have the mode */
} row;

/* Signals whose variance has shares; a constant one has none. */
static size_t
varying(const cli_summary *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->signals; i++) {
		double sum = s->residue_share[i];
		for (int m = 0; m < s->modes[i]; m++)
			sum += s->share[i * s->max_modes + (size_t)m];
		n += sum > 0;
	}
	return n;
}

/* Mean frequency over the signals that have the mode, mean share over those
 * that vary. */
static row
mode_row(const cli_summary *s, size_t mode)
{
	row r = { 0 };
	for (size_t i = 0; i < s->signals; i++) {
		if ((size_t)s->modes[i] <= mode)
			continue;
		r.frequency += s->frequency[i * s->max_modes + mode];
		r.share += s->share[i * s->max_modes + mode];
		r.count++;
	}
	if (r.count)
		r.frequency /= (double)r.count;
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
			sum += s->sifts[i * s->max_modes + (size_t)m];
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
	char text[32];
	wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	for (size_t i = 0; i < s->signals; i++) {
		if ((size_t)s->modes[i] > most)
			most = (size_t)s->modes[i];
		residue += n ? s->residue_share[i] / (double)n : 0;
	}
	printf("\n    mode   mean frequency   share of variance");
	if (n > 0 && n < s->signals)
		printf("   (mean over %zu signals, the share over the %zu that vary%s)", s->signals, n,
		       n == 1 ? "s" : "");
	else if (s->signals > 1)
		printf("   (mean over %zu signals)", s->signals);
	printf("\n");
	for (size_t m = 0; m < most; m++) {
		row r = mode_row(s, m);
		printf("%8zu   %9s %-7s  %7.2f %%   ", m + 1,
		       cli_format_figures(r.frequency * unit.seconds, 4, text), unit.name, 100 * r.share);
		if (r.count < s->signals)
			printf("(%zu of %zu)  ", r.count, s->signals);
		print_bar(r.share);
	}
	printf(" residue   %9s %-7s  %7.2f %%   ", "", "", 100 * residue);
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
	json_t *o = json_object(), *frequency = json_array(), *share = json_array();
	json_t *sifts = json_array();
	for (size_t m = 0; m < (size_t)s->modes[i]; m++) {
		json_array_append_new(frequency, cli_json_real(s->frequency[i * s->max_modes + m]));
		json_array_append_new(share, cli_json_real(s->share[i * s->max_modes + m]));
		json_array_append_new(sifts, json_integer(s->sifts[i * s->max_modes + m]));
	}
	json_object_set_new(o, "channel", cli_json_text(wsi_input_name(in, i % in->n_channels)));
	if (in->epoched)
		json_object_set_new(o, "epoch",
		                    json_integer((json_int_t)in->epochs[i / in->n_channels] + 1));
	json_object_set_new(o, "modes", json_integer(s->modes[i]));
	json_object_set_new(o, "mean_frequency", frequency);
	json_object_set_new(o, "variance_share", share);
	json_object_set_new(o, "residue_share", cli_json_real(s->residue_share[i]));
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
