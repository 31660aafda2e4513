/* cmd_reconstruct.c - wavesift reconstruct: a recording without some parts of a result. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "commands.h"
#include "json.h"
#include "message.h"
#include "page.h"
#include "rebuild.h"
#include "signals.h"
#include "values.h"
#include "written.h"

#define SHOWN 20           /* signals that the summary lists */
#define MOST_REPORTED 1000 /* and a report */

/* ---- What was done --------------------------------------------------------------------------- */

/* The s-th of the signals that may change. */
static size_t
signal_at(const cli_rebuild *r, size_t s)
{
	const cli_parts *p = &r->parts;
	return s / p->n_chosen * p->channels + p->chosen[s % p->n_chosen];
}

/* Standard deviations of a signal before, and of what was taken off it. */
static void
deviations(const cli_rebuilt *t, double *before, double *taken)
{
	const double n = t->n > 0 ? t->n : 1, mean = t->sum / n, off = t->taken_sum / n;
	*before = sqrt(fmax(0, t->squares / n - mean * mean));
	*taken = sqrt(fmax(0, t->taken / n - off * off));
}

static json_t *
json_signal(const void *user, size_t s)
{
	const cli_rebuild *r = user;
	const cli_parts *p = &r->parts;
	const size_t i = signal_at(r, s), of = i % p->channels;
	json_t *o = json_object(), *dropped = json_array();
	double before, taken;
	deviations(&r->told[i], &before, &taken);
	json_object_set_new(o, "channel", cli_json_text(p->rec->channels[of].name));
	if (p->rec->epochs)
		json_object_set_new(o, "epoch", json_integer((json_int_t)(i / p->channels) + 1));
	for (size_t row = 0; row < p->count[i]; row++)
		if (cli_parts_dropped(p, i, row))
			json_array_append_new(dropped, json_integer((json_int_t)row + 1));
	json_object_set_new(o, "dropped", dropped);
	json_object_set_new(o, "rest_dropped", json_boolean(cli_parts_dropped(p, i, p->most)));
	json_object_set_new(o, "deviation_before", cli_json_real(before));
	json_object_set_new(o, "deviation_taken_off", cli_json_real(taken));
	json_object_set_new(o, "step", cli_json_real(wsi_patch_step(&r->patch, r->channels[of])));
	return o;
}

/* Printed, or the page of --report. */
static int
make_json(const cli_rebuild *r, const char *output, bool page)
{
	const cli_parts *p = &r->parts;
	const cli_json_list signals = { "signals", p->epochs * p->n_chosen, json_signal, r };
	json_t *root = json_object();
	json_object_set_new(root, "output", cli_json_text(output));
	json_object_set_new(root, "result", cli_json_text(r->args->operands[0]));
	json_object_set_new(root, "input", cli_json_text(r->args->operands[1]));
	json_object_set_new(root, "format", cli_json_text(r->rec->format));
	json_object_set_new(root, "first_sample", json_integer((json_int_t)r->first + 1));
	json_object_set_new(root, "samples", json_integer((json_int_t)p->samples));
	if (!page)
		return cli_json_print_lists(root, &signals, 1);
	char title[512];
	snprintf(title, sizeof title, "%s without some of its %ss", wsi_base_name(r->rec->path),
	         p->noun);
	return cli_page_write(&(cli_page){ .args = r->args, .title = title,
		.root = cli_json_gather(root, &signals, 1, MOST_REPORTED) });
}

static void
print_signal(const cli_rebuild *r, size_t s, int width)
{
	const cli_parts *p = &r->parts;
	const size_t i = signal_at(r, s), of = i % p->channels;
	const wsi_channel *c = &r->rec->channels[r->channels[of]];
	char name[CLI_SHOWN], epoch[24] = "", list[200], off[32], all[32];
	double before, taken;
	deviations(&r->told[i], &before, &taken);
	if (p->rec->epochs)
		snprintf(epoch, sizeof epoch, "%5zu  ", i / p->channels + 1);
	printf("%s%*s  %-16s  %10s of %s %s\n", epoch, width, cli_shown(c->name, name),
	       cli_parts_describe(p, i, list), cli_format_figures(taken, 4, off),
	       cli_format_figures(before, 4, all), c->unit);
}

/* How finely the file holds its samples. */
static void
print_steps(const cli_rebuild *r)
{
	const cli_parts *p = &r->parts;
	double least = HUGE_VAL, most = 0;
	const char *unit = r->rec->channels[r->channels[p->chosen[0]]].unit;
	char low[32], high[32];
	for (size_t k = 0; k < p->n_chosen; k++) {
		const double step = wsi_patch_step(&r->patch, r->channels[p->chosen[k]]);
		least = step < least ? step : least;
		most = step > most ? step : most;
	}
	cli_format_figures(least, 3, low);
	if (most == 0)
		printf("rounding  none: samples are floating point, or text\n");
	else if (least == most)
		printf("rounding  to the file's steps of %s%s%s\n", low, *unit ? " " : "", unit);
	else
		printf("rounding  to the file's steps of %s to %s\n", low,
		       cli_format_figures(most, 3, high));
}

/* Channels whose scale is another one than it was. */
static void
tell_widened(const cli_rebuild *r, const char *output)
{
	size_t n = 0, first = 0;
	for (size_t c = r->rec->n_channels; c-- > 0;)
		if (r->patch.widened[c]) {
			first = c;
			n++;
		}
	if (n > 0)
		cli_note("%s: %zu channel%s (%s%s) %s a wider scale, so that all samples there "
		         "were rounded anew", output, n, n == 1 ? "" : "s",
		         r->rec->channels[first].name,
		         n == 1 ? "" : ", ..", n == 1 ? "has" : "have");
}

static void
print_text(const cli_rebuild *r, const char *output)
{
	const cli_parts *p = &r->parts;
	const size_t signals = p->epochs * p->n_chosen;
	size_t others = r->rec->n_channels - p->n_chosen;
	int width = 7;
	for (size_t s = 0; s < signals && s < SHOWN; s++) {
		const int n = (int)strlen(p->rec->channels[signal_at(r, s) % p->channels].name);
		width = n > width && n < 24 ? n : width;
	}
	printf("%s%*s  dropped %ss   taken off, as standard deviations\n",
	       p->rec->epochs ? "epoch  " : "", width, "channel", p->noun);
	for (size_t s = 0; s < signals && s < SHOWN; s++)
		print_signal(r, s, width);
	if (signals > SHOWN)
		printf("%*s  and %zu more (--json has all)\n", width, "", signals - SHOWN);
	printf("\nsamples   %zu to %zu of %zu", r->first + 1, r->first + p->samples,
	       r->rec->channels[r->channels[p->chosen[0]]].samples);
	if (others)
		printf("; %zu other channel%s as before", others, others == 1 ? " is" : "s are");
	putchar('\n');
	print_steps(r);
	cli_print_file("result ", output);
}

/* ---- The command ----------------------------------------------------------------------------- */

static ws_status
name_output(const cli_rebuild *r, char output[CLI_PATH])
{
	const char *from = wsi_base_name(wsi_patch_original(r->rec));
	return cli_name_output(output, r->args->output, from, "reconstruct",
	                       from + cli_stem_length(from));
}

static ws_status
open_output(cli_rebuild *r, const char *output)
{
	const cli_args *a = r->args;
	wsi_complete files[WSI_PATCH_FILES];
	WSI_TRY(cli_written_hold(a, output));
	WSI_TRY(cli_written_check(a, output));
	cli_signals_hold();
	WSI_TRY(wsi_patch_open(&r->patch, r->rec, output, a->overwrite));
	for (size_t i = 0, n = wsi_patch_complete(&r->patch, files); i < n; i++)
		cli_signals_temporary(files[i].file);
	if (a->rescale && !r->patch.layout.channels[r->channels[0]].scale_at[0])
		return WSI_FAIL(WS_E_ARG, "--rescale: %s (%s) has no scale in its header that "
		                "could be widened; leave it out", r->rec->path, r->rec->format);
	return WS_OK;
}

/* Gives the files their names. */
static ws_status
commit(cli_rebuild *r)
{
	wsi_complete files[WSI_PATCH_FILES];
	const size_t n = wsi_patch_complete(&r->patch, files);
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	WSI_TRY(wsi_put_in_place(files, n));
	cli_signals_release();
	return WS_OK;
}

static int
run(cli_rebuild *r)
{
	const cli_args *a = r->args;
	char output[CLI_PATH];
	ws_status status = cli_rebuild_open(r, a);
	if (status == WS_OK)
		status = name_output(r, output);
	if (status != WS_OK)
		return cli_report(status);
	status = cli_page_check(a);
	if (status == WS_OK)
		status = open_output(r, output);
	if (status != WS_OK)
		return cli_report_output(status);
	status = cli_rebuild_make(r);
	if (status != WS_OK)
		return cli_report(status);
	status = commit(r);
	if (status != WS_OK)
		return cli_report_output(status);
	tell_widened(r, output);
	int code = EXIT_DONE;
	if (a->json)
		code = make_json(r, output, false);
	else if (!a->quiet)
		print_text(r, output);
	return code == EXIT_DONE && a->report ? make_json(r, output, true) : code;
}

int
cli_cmd_reconstruct(const cli_args *args)
{
	cli_rebuild r = { .args = args };
	const int code = run(&r);
	cli_rebuild_close(&r);
	return code;
}
