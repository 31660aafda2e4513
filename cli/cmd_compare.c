/* cmd_compare.c - wavesift compare: how like each other two results are. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "figure.h"
#include "input.h"
#include "json.h"
#include "message.h"
#include "signals.h"
#include "similarity.h"
#include "values.h"
#include "written.h"

#define COLUMNS 7 /* channels beside each other; more signals are summed up */

/* ---- JSON -------------------------------------------------------------------------- */

static json_t *
json_signal(const void *user, size_t s)
{
	const cli_similarity *p = user;
	json_t *o = json_object(), *values = json_array();
	const double *rho = p->rho + s * (p->rows + 1);
	int modes[2];
	cli_similarity_modes(p, s, modes);
	json_object_set_new(o, "channel", cli_json_text(cli_similarity_name(p, s)));
	if (p->a->epochs)
		json_object_set_new(o, "epoch", json_integer(cli_similarity_epoch(p, s)));
	json_object_set_new(o, "modes_a", json_integer(modes[0]));
	json_object_set_new(o, "modes_b", json_integer(modes[1]));
	for (size_t m = 0; m < p->rows; m++)
		if (isfinite(rho[m]))
			json_array_append_new(values, cli_json_real(rho[m]));
	json_object_set_new(o, "similarity", values);
	json_object_set_new(o, "residue", cli_json_real(rho[p->rows]));
	return o;
}

/* Of mode m over the signals; the residue is no mode. */
static json_t *
json_summary(const cli_similarity *p, size_t m)
{
	static const char *const quartiles[] = { "first_quartile", "median", "third_quartile" };
	const wsi_tukey *t = &p->groups[m].summary;
	json_t *o = json_object();
	json_object_set_new(o, "mode", m < p->rows ? json_integer((json_int_t)m + 1)
	                    : json_string("residue"));
	json_object_set_new(o, "signals", json_integer((json_int_t)t->n));
	json_object_set_new(o, "min", cli_json_real(t->least));
	for (size_t q = 0; q < 3; q++)
		json_object_set_new(o, quartiles[q], cli_json_real(t->quartile[q]));
	json_object_set_new(o, "mean", cli_json_real(t->mean));
	json_object_set_new(o, "max", cli_json_real(t->most));
	return o;
}

static int
print_json(const cli_similarity *p, const cli_args *args)
{
	const cli_json_list signals = { "signals", p->n_epochs * p->n_channels, json_signal, p };
	json_t *root = json_object(), *summary = json_array();
	for (size_t m = 0; m <= p->rows; m++)
		json_array_append_new(summary, json_summary(p, m));
	json_object_set_new(root, "a", cli_json_text(args->operands[0]));
	json_object_set_new(root, "b", cli_json_text(args->operands[1]));
	json_object_set_new(root, "summary", summary);
	if (args->plot)
		json_object_set_new(root, "figure", cli_json_text(args->plot));
	return cli_json_print_lists(root, &signals, 1);
}

/* ---- Text -------------------------------------------------------------------------- */

static void
print_rho(double rho)
{
	if (isnan(rho))
		printf(" %9s", "-");
	else
		printf(" %9.6f", rho);
}

/* Channels beside each other. */
static void
print_columns(const cli_similarity *p, size_t epoch)
{
	printf("\n%8s", "mode");
	for (size_t i = 0; i < p->n_channels; i++)
		printf(" %9.9s", cli_similarity_name(p, i));
	printf("\n");
	for (size_t m = 0; m <= p->rows; m++) {
		printf("%8s", p->groups[m].label);
		for (size_t i = 0; i < p->n_channels; i++)
			print_rho(p->rho[(epoch * p->n_channels + i) * (p->rows + 1) + m]);
		printf("\n");
	}
}

/* The signal in which a mode is least similar; of equals the first. */
static size_t
least_signal(const cli_similarity *p, size_t m)
{
	size_t s = 0;
	while (p->rho[s * (p->rows + 1) + m] != p->groups[m].summary.least)
		s++;
	return s;
}

/* Where a table of all signals would be a wall of numbers. */
static void
print_summary(const cli_similarity *p)
{
	printf("\n%8s %8s %9s %9s %9s %9s  %s\n", "mode", p->a->epochs ? "signals" : "channels",
	       "min", "median", "mean", "max", "min in");
	for (size_t m = 0; m <= p->rows; m++) {
		const wsi_tukey *t = &p->groups[m].summary;
		printf("%8s %8zu", p->groups[m].label, t->n);
		const double columns[] = { t->least, t->quartile[1], t->mean, t->most };
		for (size_t i = 0; i < 4; i++)
			print_rho(columns[i]);
		if (t->n) {
			size_t s = least_signal(p, m);
			printf("  %s", cli_similarity_name(p, s));
			if (p->a->epochs)
				printf(", epoch %d", cli_similarity_epoch(p, s));
		}
		printf("\n");
	}
	printf("\neach channel: --json, or at most %d of them by --channels\n", COLUMNS);
}

static void
print_text(const cli_similarity *p, const cli_args *args)
{
	double least = NAN;
	size_t unequal = 0, signals = p->n_epochs * p->n_channels;
	for (size_t s = 0; s < signals; s++) {
		int modes[2];
		cli_similarity_modes(p, s, modes);
		unequal += modes[0] != modes[1];
	}
	for (size_t m = 0; m < p->rows; m++)
		least = fmin(least, p->groups[m].summary.least);
	char a[CLI_SHOWN], b[CLI_SHOWN];
	printf("similarity of %s and %s\n", cli_shown(args->operands[0], a),
	       cli_shown(args->operands[1], b));
	if (signals > COLUMNS)
		print_summary(p);
	for (size_t epoch = 0; signals <= COLUMNS && epoch < p->n_epochs; epoch++) {
		if (p->a->epochs)
			printf("\nepoch %d\n", cli_similarity_epoch(p, epoch * p->n_channels));
		print_columns(p, epoch);
	}
	if (isfinite(least))
		printf("\nleast similarity of a mode: %.12g\n", least);
	if (unequal)
		printf("%zu of %zu signals differ in their number of modes\n", unequal, signals);
}

/* ---- The figure --------------------------------------------------------------------- */

static ws_status
draw(const cli_similarity *p, const cli_args *args)
{
	char title[512], subtitle[200], epochs[40] = "";
	snprintf(title, sizeof title, "Similarity of %s and %s", cli_base_name(args->operands[0]),
	         cli_base_name(args->operands[1]));
	if (p->a->epochs)
		snprintf(epochs, sizeof epochs, " of %zu epoch%s", p->n_epochs,
		         p->n_epochs > 1 ? "s" : "");
	snprintf(subtitle, sizeof subtitle, "%zu channel%s%s; box: quartiles; whiskers: within 1.5 "
	         "of its height; dots: beyond, or each of fewer than 5", p->n_channels,
	         p->n_channels > 1 ? "s" : "", epochs);
	wsi_boxplot plot = { .title = title, .subtitle = subtitle, .quantity = "Similarity index",
		.axis_title = p->a->epochs ? "mode, number of signals" : "mode, number of channels",
		.top = 1, .n_groups = p->rows + 1, .groups = p->groups };
	cli_signals_hold();
	wsi_sheet sheet = { .path = args->plot };
	return wsi_sheet_place(&sheet, wsi_plot_boxes(&plot, &sheet));
}

int
cli_cmd_compare(const cli_args *args)
{
	cli_similarity p = { 0 };
	wsi_open_opts opts = cli_open_opts(args);
	opts.memory /= 2;
	ws_status status = cli_written_hold(args, NULL);
	if (status != WS_OK)
		return cli_report_output(status);
	status = cli_similarity_open(&p, args->operands[0], args->operands[1], &opts);
	int code = cli_report(status);
	if (status == WS_OK && args->plot) {
		status = cli_written_check(args, NULL);
		if (status == WS_OK)
			status = cli_figure_check(args, args->plot);
		code = cli_report_output(status);
	}
	if (status == WS_OK) {
		status = cli_similarity_make(&p, args->channels);
		code = cli_report(status);
	}
	if (status == WS_OK && args->plot) {
		status = draw(&p, args);
		code = cli_report_output(status);
	}
	if (status == WS_OK && args->json)
		code = print_json(&p, args);
	else if (status == WS_OK)
		print_text(&p, args);
	if (status == WS_OK && args->plot && !args->json)
		cli_print_file("figure", args->plot);
	cli_similarity_free(&p);
	return code;
}
