/* cmd_compare.c - wavesift compare: how like each other two results are. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "figure.h"
#include "input.h"
#include "json.h"
#include "matching.h"
#include "message.h"
#include "page.h"
#include "sheet.h"
#include "signals.h"
#include "similarity.h"
#include "values.h"
#include "written.h"

#define WIDE 11   /* of labels of modes that were matched */
#define MOST_REPORTED 2000 /* signals of a report */
#define COLUMNS 7 /* channels beside each other; more signals are summed up */

/* ---- JSON -------------------------------------------------------------------------- */

/* Modes of a (0) or b that are added up, the residue by its name. */
static json_t *
json_run(const cli_matched *m, int side, int modes, int residue)
{
	json_t *list = json_array();
	const int last = m->last[side] == residue ? modes - 1 : m->last[side];
	for (int i = m->first[side]; i <= last; i++)
		json_array_append_new(list, json_integer(i + 1));
	if (m->last[side] == residue)
		json_array_append_new(list, json_string("residue"));
	return list;
}

static json_t *
json_group(const cli_similarity *p, size_t group, const int modes[2], double rho)
{
	json_t *o = json_object();
	json_object_set_new(o, "a", json_run(&p->matched[group], 0, modes[0], (int)p->rows));
	json_object_set_new(o, "b", json_run(&p->matched[group], 1, modes[1], (int)p->rows));
	json_object_set_new(o, "similarity", cli_json_real(rho));
	return o;
}

/* How many signals have the group. */
static size_t
signals_with(const cli_similarity *p, size_t group)
{
	size_t n = 0;
	for (size_t s = 0; s < p->n_epochs * p->n_channels; s++)
		n += p->has[s * p->n_groups + group];
	return n;
}

static json_t *
json_signal(const void *user, size_t s)
{
	const cli_similarity *p = user;
	json_t *o = json_object(), *values = json_array();
	const double *rho = p->rho + s * p->n_groups;
	int modes[2];
	cli_similarity_modes(p, s, modes);
	json_object_set_new(o, "channel", cli_json_text(cli_similarity_name(p, s)));
	if (p->a->epochs)
		json_object_set_new(o, "epoch", json_integer(cli_similarity_epoch(p, s)));
	json_object_set_new(o, "modes_a", json_integer(modes[0]));
	json_object_set_new(o, "modes_b", json_integer(modes[1]));
	for (size_t m = 0; m < p->n_groups - !p->by_match; m++)
		if (p->by_match && p->has[s * p->n_groups + m])
			json_array_append_new(values, json_group(p, m, modes, rho[m]));
		else if (isfinite(rho[m]))
			json_array_append_new(values, cli_json_real(rho[m]));
	json_object_set_new(o, p->by_match ? "matched" : "similarity", values);
	if (!p->by_match)
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
	if (p->by_match)
		json_object_set_new(o, "matched", cli_json_text(p->groups[m].label));
	else
		json_object_set_new(o, "mode", m < p->rows ? json_integer((json_int_t)m + 1)
		                    : json_string("residue"));
	json_object_set_new(o, "signals", json_integer((json_int_t)signals_with(p, m)));
	json_object_set_new(o, "min", cli_json_real(t->least));
	for (size_t q = 0; q < 3; q++)
		json_object_set_new(o, quartiles[q], cli_json_real(t->quartile[q]));
	json_object_set_new(o, "mean", cli_json_real(t->mean));
	json_object_set_new(o, "max", cli_json_real(t->most));
	return o;
}

/* Printed, or of --report. */
static json_t *
make_json(const cli_similarity *p, const cli_args *args, const cli_json_list *signals, bool gather)
{
	json_t *root = json_object(), *summary = json_array();
	for (size_t m = 0; m < p->n_groups; m++)
		json_array_append_new(summary, json_summary(p, m));
	json_object_set_new(root, "a", cli_json_text(args->operands[0]));
	json_object_set_new(root, "b", cli_json_text(args->operands[1]));
	json_object_set_new(root, "summary", summary);
	if (args->plot)
		json_object_set_new(root, "figure", cli_json_text(args->plot));
	return gather ? cli_json_gather(root, signals, 1, MOST_REPORTED) : root;
}

/* ---- Text -------------------------------------------------------------------------- */

/* has: it is there, but nothing equals it. */
static void
print_rho(double rho, bool has)
{
	if (isnan(rho))
		printf(" %9s", has ? "alone" : "-");
	else
		printf(" %9.6f", rho);
}

/* Channels beside each other. */
static void
print_columns(const cli_similarity *p, size_t epoch)
{
	printf("\n%*s", p->by_match ? WIDE : 8, p->by_match ? "a=b" : "mode");
	for (size_t i = 0; i < p->n_channels; i++)
		printf(" %9.9s", cli_similarity_name(p, i));
	printf("\n");
	for (size_t m = 0; m < p->n_groups; m++) {
		printf("%*s", p->by_match ? WIDE : 8, p->groups[m].label);
		for (size_t i = 0; i < p->n_channels; i++) {
			const size_t at = (epoch * p->n_channels + i) * p->n_groups + m;
			print_rho(p->rho[at], p->by_match && p->has[at]);
		}
		printf("\n");
	}
}

/* The signal in which a mode is least similar; of equals the first. */
static size_t
least_signal(const cli_similarity *p, size_t m)
{
	size_t s = 0;
	while (p->rho[s * p->n_groups + m] != p->groups[m].summary.least)
		s++;
	return s;
}

/* Where a table of all signals would be a wall of numbers. */
static void
print_summary(const cli_similarity *p)
{
	printf("\n%*s %8s %9s %9s %9s %9s  %s\n", p->by_match ? WIDE : 8,
	       p->by_match ? "a=b" : "mode", p->a->epochs ? "signals" : "channels",
	       "min", "median", "mean", "max", "min in");
	for (size_t m = 0; m < p->n_groups; m++) {
		const wsi_tukey *t = &p->groups[m].summary;
		printf("%*s %8zu", p->by_match ? WIDE : 8, p->groups[m].label, signals_with(p, m));
		const double columns[] = { t->least, t->quartile[1], t->mean, t->most };
		for (size_t i = 0; i < 4; i++)
			print_rho(columns[i], p->by_match && t->n == 0);
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

/* How many signals have modes that moved, that are several of the other result, or nothing
 * there. */
static void
print_matched(const cli_similarity *p)
{
	size_t counts[3] = { 0 };
	for (size_t s = 0; s < p->n_epochs * p->n_channels; s++) {
		bool kinds[3] = { false };
		for (size_t g = 0; g < p->n_groups; g++) {
			const cli_matched *m = &p->matched[g];
			const int n[2] = { m->last[0] - m->first[0] + 1,
			                   m->last[1] - m->first[1] + 1 };
			if (!p->has[s * p->n_groups + g])
				continue;
			kinds[n[0] == 0 || n[1] == 0 ? 2 : n[0] != 1 || n[1] != 1] |= n[0] != 1
				|| n[1] != 1 || m->first[0] != m->first[1];
		}
		for (size_t k = 0; k < 3; k++)
			counts[k] += kinds[k];
	}
	const size_t signals = p->n_epochs * p->n_channels;
	printf("\na=b: modes that match (r: the residue); of %zu signal%s with modes that moved: "
	       "%zu,\nthat are several of the other result: %zu, that nothing equals: %zu\n",
	       signals, signals == 1 ? "" : "s", counts[0], counts[1], counts[2]);
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
	for (size_t m = 0; m < p->n_groups; m++)
		if (p->matched[m].first[0] < (int)p->rows)
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
	if (p->by_match)
		print_matched(p);
	if (isfinite(least))
		printf("\nleast similarity of a mode: %.12g\n", least);
	if (unequal)
		printf("%zu of %zu signals differ in their number of modes\n", unequal, signals);
}

/* ---- The figure --------------------------------------------------------------------- */

static ws_status
draw(const cli_similarity *p, const cli_args *args, wsi_sheet *sheet)
{
	char title[512], subtitle[200], epochs[40] = "";
	snprintf(title, sizeof title, "Similarity of %s and %s", wsi_base_name(args->operands[0]),
	         wsi_base_name(args->operands[1]));
	if (p->a->epochs)
		snprintf(epochs, sizeof epochs, " of %zu epoch%s", p->n_epochs,
		         p->n_epochs > 1 ? "s" : "");
	snprintf(subtitle, sizeof subtitle, "%zu channel%s%s; box: quartiles; whiskers: within 1.5 "
	         "of its height; dots: beyond, or each of fewer than 5", p->n_channels,
	         p->n_channels > 1 ? "s" : "", epochs);
	const char *told = title, *below = subtitle;
	cli_figure_title(args, &told, &below);
	/* What nothing equals has no number. */
	wsi_box_group *shown = calloc(p->n_groups, sizeof *shown);
	size_t n = 0;
	WSI_HAVE(shown, "not enough memory for the figure");
	for (size_t m = 0; m < p->n_groups; m++)
		if (!p->by_match || p->groups[m].summary.n)
			shown[n++] = p->groups[m];
	wsi_boxplot plot = { .title = told, .subtitle = below, .quantity = "Similarity index",
		.axis_title = p->by_match ? "modes of the first = those of the second that match "
		                            "(r: the residue), number of signals"
			: p->a->epochs ? "mode, number of signals" : "mode, number of channels",
		.top = 1, .n_groups = n, .groups = shown };
	cli_signals_hold();
	const ws_status status = wsi_plot_boxes(&plot, sheet);
	free(shown);
	return status;
}

static ws_status
draw_figure(const cli_similarity *p, const cli_args *args)
{
	wsi_sheet sheet;
	WSI_TRY(cli_sheet_of(args, args->plot, &sheet));
	return wsi_sheet_place(&sheet, draw(p, args, &sheet));
}

typedef struct drawing {
	const cli_similarity *p;
	const cli_args *args;
} drawing;

/* A cli_page's draw. */
static ws_status
draw_again(void *user, int i, wsi_sheet *sheet)
{
	const drawing *d = user;
	(void)i;
	return draw(d->p, d->args, sheet);
}

static int
write_report(const cli_similarity *p, const cli_args *args, const cli_json_list *signals)
{
	drawing again = { p, args };
	char title[512];
	snprintf(title, sizeof title, "Similarity of %s and %s", wsi_base_name(args->operands[0]),
	         wsi_base_name(args->operands[1]));
	return cli_page_write(&(cli_page){ .args = args, .title = title,
		.root = make_json(p, args, signals, true), .figures = 1, .draw = draw_again,
		.user = &again });
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
	status = cli_page_check(args);
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
		status = cli_similarity_choose(&p, args->channels);
		if (status == WS_OK)
			status = args->match ? cli_matching_make(&p) : cli_similarity_compare(&p);
		if (status == WS_OK)
			status = cli_similarity_summarise(&p);
		code = cli_report(status);
	}
	if (status == WS_OK && args->plot) {
		status = draw_figure(&p, args);
		code = cli_report_output(status);
	}
	const cli_json_list signals = { "signals", p.n_epochs * p.n_channels, json_signal, &p };
	if (status == WS_OK && args->json)
		code = cli_json_print_lists(make_json(&p, args, &signals, false), &signals, 1);
	else if (status == WS_OK)
		print_text(&p, args);
	if (status == WS_OK && args->plot && !args->json)
		cli_print_file("figure", args->plot);
	if (status == WS_OK && code == EXIT_DONE && args->report)
		code = write_report(&p, args, &signals);
	cli_similarity_free(&p);
	return code;
}
