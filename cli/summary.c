/* summary.c - what a transform found, on one screen or as JSON. */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "averages.h"
#include "io/read/pauses.h"
#include "io/read/times.h"
#include "plot/axis.h"
#include "ranks.h"
#include "values.h"

#define MOST_ELEMENTS 2000 /* of a list in a report */

/* ---- For people --------------------------------------------------------------- */

/* ", 1965-01-01 to 1969-12-01", of less than two days ", from 2009-08-24T00:20:03"; "" where
 * nothing tells. */
static const char *
dates_of(const wsi_input *in, char text[96])
{
	const double first = wsi_input_first_time(in), length = (double)(in->samples - 1) / in->fs;
	const char *start = wsi_input_start_time(in);
	const bool whole = length >= 2 * 86400;
	char from[32], to[32];
	wsi_format_date(first, start, in->rec->time_unit, from);
	snprintf(text, 96, whole ? ", %.31s to %.31s" : ", from %.31s", from,
	         wsi_format_date(first + length, start, in->rec->time_unit, to));
	return *from && !in->epoched && in->fs_known ? text : "";
}

static void
print_head(const cli_outcome *o, const char *options)
{
	char text[32], dates[96], name[CLI_SHOWN];
	const wsi_input *in = o->in;
	wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	printf("%s of %s (%s)\n", o->args->command.name, cli_shown(o->args->operands[0], name),
	       in->rec->format);
	printf("%zu channel%s", in->n_channels, in->n_channels == 1 ? "" : "s");
	if (in->n_channels == 1)
		printf(" (%s)", wsi_input_name(in, 0));
	if (in->epoched)
		printf(" x %zu epoch%s", in->n_epochs, in->n_epochs == 1 ? "" : "s");
	printf(", %zu sample%s", in->samples, in->samples == 1 ? "" : "s");
	if (in->fs_known)
		printf(" at %.*g %s (%s%s)", in->fs < 0.01 ? 5 : 6, in->fs * unit.seconds,
		       unit.name,
		       cli_format_seconds((double)in->samples / in->fs, text), dates_of(in, dates));
	if (in->before || in->after)
		printf(", read with %zu before and %zu after", in->before, in->after);
	if (in->segment && in->rec->n_segments)
		printf(", segment %zu of %zu", in->segment, in->rec->n_segments);
	printf("\n");
	/* In hertz they are as they were given; in another unit not much longer. */
	const size_t size = strlen(options) + 64;
	char *told = unit.name[0] == '/' ? malloc(size) : NULL;
	if (told)
		wsi_axis_range_in(told, size, options, unit);
	if (*options)
		printf("%s\n", told ? told : options);
	free(told);
}

static void
print_place(const cli_outcome *o)
{
	char model[WSI_GPU_MODEL];
	const int ranks = cli_ranks_count(o->args->ranks);
	const int threads = ranks > 1 ? cli_ranks_self(o->args->ranks).all_threads
	                    : ws_ctx_threads(o->ctx);
	if (ranks > 1)
		printf("%d ranks, ", ranks);
	if (wsi_gpu_model(ws_run_device(o->run), model))
		printf("%s (%s)", ws_run_device(o->run), model);
	else
		printf("%d thread%s, %s", threads, threads == 1 ? "" : "s", ws_ctx_isa(o->ctx));
}

void
cli_summary_print(const cli_outcome *o, const cli_family *family, const void *state,
                  const wsi_provenance *p)
{
	char text[32];
	print_head(o, p->options);
	family->print(state, o);
	if (o->averages)
		cli_averages_print(o->averages);
	printf("\ntime    %s on ", cli_format_seconds(o->seconds, text));
	print_place(o);
	printf(", %s", o->args->precision == WS_F32 ? "f32" : "f64");
	if (family->print_speed)
		family->print_speed(state, o);
	printf("\n");
	cli_print_file("result", o->output);
	if (o->args->cycles)
		cli_print_file("cycles", o->args->cycles);
	if (o->args->plot)
		cli_print_file("figure", o->args->plot);
}

/* ---- For programs ---------------------------------------------------------------- */

static json_t *
fact_json(const ws_fact *f)
{
	return f->kind == WS_OPTION_TEXT ? cli_json_text(f->text)
	       : f->kind == WS_OPTION_INT ? json_integer(f->integer) : cli_json_real(f->real);
}

typedef struct told {
	const cli_outcome *outcome;
	const cli_family *family;
	const void *state;
} told;

static json_t *
element(const void *user, size_t i)
{
	const told *t = user;
	return t->family->list_element(t->state, t->outcome, i);
}

/* Without its list. */
static json_t *
root_of(const cli_outcome *o, const cli_family *family, const void *state, const wsi_provenance *p)
{
	const cli_args *args = o->args;
	const wsi_input *in = o->in;
	json_t *root = json_object(), *provenance = json_object();
	char date[32];
	for (size_t i = 0; i < p->n; i++)
		json_object_set_new(provenance, p->items[i].key, fact_json(&p->items[i]));
	json_object_set_new(root, "command", cli_json_text(args->command.name));
	json_object_set_new(root, "input", cli_json_text(args->operands[0]));
	json_object_set_new(root, "output", cli_json_text(o->output));
	if (args->ranks)
		json_object_set_new(root, "ranks", json_integer(cli_ranks_count(args->ranks)));
	json_object_set_new(root, "plot", args->plot ? cli_json_text(args->plot) : json_null());
	json_object_set_new(root, "fs", in->fs_known ? cli_json_real(in->fs) : json_null());
	json_object_set_new(root, "first_time",
	                    cli_json_real(in->starts ? in->start : wsi_input_first_offset(in)));
	json_object_set_new(root, "time_origin", cli_json_real(in->rec->time_origin));
	if (!in->epoched && in->fs_known
	    && *wsi_format_date(wsi_input_first_time(in), wsi_input_start_time(in),
	                        in->rec->time_unit, date))
		json_object_set_new(root, "first_date", json_string(date));
	json_object_set_new(root, "samples", json_integer((json_int_t)in->samples));
	if (in->before || in->after) {
		json_object_set_new(root, "samples_before", json_integer((json_int_t)in->before));
		json_object_set_new(root, "samples_after", json_integer((json_int_t)in->after));
	}
	family->json(state, o, root);
	if (o->averages)
		json_object_set_new(root, "average", cli_averages_json(o->averages));
	json_object_set_new(root, "provenance", provenance);
	if (args->report)
		json_object_set_new(root, "report", cli_json_text(args->report));
	return root;
}

json_t *
cli_summary_json(const cli_outcome *o, const cli_family *family, const void *state,
                 const wsi_provenance *p)
{
	const told all = { o, family, state };
	const cli_json_list list = { .key = family->list, .element = element, .user = &all,
		.n = family->list ? family->list_length(state) : 0 };
	return cli_json_gather(root_of(o, family, state, p), &list, family->list != NULL,
	                       MOST_ELEMENTS);
}

int
cli_summary_print_json(const cli_outcome *o, const cli_family *family, const void *state,
                       const wsi_provenance *p)
{
	const told all = { o, family, state };
	const cli_json_list list = { .key = family->list, .element = element, .user = &all,
		.n = family->list ? family->list_length(state) : 0 };
	return cli_json_print_lists(root_of(o, family, state, p), &list, family->list != NULL);
}
