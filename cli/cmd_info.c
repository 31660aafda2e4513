/* cmd_info.c - wavesift info: what is in a recording, or a result. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alignment.h"
#include "commands.h"
#include "info_result.h"
#include "input.h"
#include "io/decode/decoder.h"
#include "io/read/open.h"
#include "io/read/recording.h"
#include "io/read/times.h"
#include "io/result/modes.h"
#include "io/result/result.h"
#include "json.h"
#include "message.h"
#include "options.h"
#include "page.h"
#include "plot/axis.h"
#include "unfinished.h"
#include "values.h"
#include "written.h"

/* Events and channels shown of a long list; --json has all. */
#define SHOWN_EVENTS 10
#define SHOWN_SEGMENTS 20
#define MOST_REPORTED  2000

static json_t *
json_channel(const void *user, size_t i)
{
	const wsi_channel *c = &((const wsi_recording *)user)->channels[i];
	json_t *o = json_object();
	json_object_set_new(o, "name", cli_json_text(c->name));
	json_object_set_new(o, "unit", cli_json_text(c->unit));
	json_object_set_new(o, "fs", json_real(c->fs));
	json_object_set_new(o, "samples", json_integer((json_int_t)c->samples));
	json_object_set_new(o, "signal", json_boolean(c->is_signal));
	json_object_set_new(o, "type", c->type ? cli_json_text(c->type) : json_null());
	if (c->fault)
		json_object_set_new(o, "fault", cli_json_text(c->fault));
	return o;
}

static json_t *
json_event(const void *user, size_t i)
{
	const wsi_event *e = &((const wsi_recording *)user)->events[i];
	json_t *o = json_object();
	json_object_set_new(o, "onset", cli_json_real(e->onset));
	json_object_set_new(o, "duration", cli_json_real(e->duration));
	json_object_set_new(o, "label", cli_json_text(e->label));
	return o;
}

/* The lines of rec->note. */
static json_t *
json_notes(const wsi_recording *rec)
{
	json_t *list = json_array();
	for (const char *note = rec->note; note && *note;) {
		char line[1000], dashed[CLI_SHOWN];
		const size_t n = strcspn(note, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, note);
		json_array_append_new(list, cli_json_text(cli_dashed(line, dashed)));
		note += n + (note[n] == '\n');
	}
	return list;
}

static const wsi_channel *
longest_channel(const wsi_recording *rec)
{
	const wsi_channel *longest = NULL;
	for (size_t i = 0; i < rec->n_channels; i++) {
		const wsi_channel *c = &rec->channels[i];
		if (!longest || (double)c->samples / c->fs > (double)longest->samples / longest->fs)
			longest = c;
	}
	return longest;
}

typedef struct part {
	double start, duration; /* on the recording's own axis, s */
} part;

typedef struct parts {
	const wsi_recording *rec;
	double length;          /* s */
} parts;

static parts
parts_of(const wsi_recording *rec)
{
	const wsi_channel *c = longest_channel(rec);
	return (parts){ rec, c ? (double)c->samples / c->fs : 0 };
}

/* Segment k; a recording without a pause is one. */
static part
part_of(const parts *all, size_t k)
{
	const wsi_recording *rec = all->rec;
	const wsi_segment *s = rec->segments;
	const double length = all->length;
	if (rec->n_segments == 0)
		return (part){ rec->time_origin, length };
	return (part){ rec->time_origin + s[k].start,
		(k + 1 < rec->n_segments ? s[k + 1].at : length) - s[k].at };
}

static json_t *
json_segment(const void *user, size_t i)
{
	const wsi_recording *rec = ((const parts *)user)->rec;
	const part p = part_of(user, i);
	json_t *o = json_object();
	json_object_set_new(o, "start", cli_json_real(p.start));
	json_object_set_new(o, "duration", cli_json_real(p.duration));
	json_object_set_new(o, "pause", i > 0 && !isnan(rec->segments[i].pause)
	                    ? cli_json_real(rec->segments[i].pause) : json_null());
	return o;
}

static bool
same_kind(const wsi_channel *a, const wsi_channel *b)
{
	return a->fs == b->fs && a->samples == b->samples && a->is_signal == b->is_signal
	       && !a->fault && !b->fault && strcmp(a->unit, b->unit) == 0;
}

/* Columns that text takes: UTF-8 continues letters with bytes 10xxxxxx. */
static int
width(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Names of the channels from first to last, wrapped beside what stands at the
 * left. */
static void
print_names(const wsi_recording *rec, size_t first, size_t last, int indent)
{
	int at = indent;
	char number[32] = "";
	size_t numbered = first;
	for (bool plain = true; plain && numbered <= last; numbered += plain) {
		snprintf(number, sizeof number, "%zu", numbered + 1);
		plain = strcmp(rec->channels[numbered].name, number) == 0;
	}
	/* Names that say no more than the numbers beside them. */
	if (numbered > last && last > first + 1) {
		printf("%zu to %zu", first + 1, last + 1);
		return;
	}
	for (size_t i = first; i <= last; i++) {
		int n = width(rec->channels[i].name);
		if (i > first && at + 2 + n > 80) {
			printf(",\n%*s", indent, "");
			at = indent;
		} else if (i > first) {
			at += printf(", ");
		}
		printf("%s", rec->channels[i].name);
		at += n;
	}
}

/* One line for channels in a row that differ in name only. */
static void
print_channels(const wsi_recording *rec)
{
	printf("\n%8s %10s %9s  %-5s %s\n", "channel", rec->fs_known ? "rate" : "", "samples",
	       "unit", "name");
	for (size_t i = 0, last; i < rec->n_channels; i = last + 1) {
		const wsi_channel *c = &rec->channels[i];
		const char *unit = *c->unit ? c->unit : "-";
		char number[32], rate[32] = "";
		wsi_frequency_unit per = wsi_axis_frequency_unit(c->fs, rec->fs_known, c->samples);
		last = i;
		while (last + 1 < rec->n_channels && same_kind(c, &rec->channels[last + 1]))
			last++;
		snprintf(number, sizeof number, last > i ? "%zu-%zu" : "%zu", i + 1, last + 1);
		if (rec->fs_known)
			snprintf(rate, sizeof rate, "%.*g %s", c->fs < 0.01 ? 5 : 6,
			         c->fs * per.seconds, per.name);
		int at = printf("%8s %10s %9zu  ", number, rate, c->samples);
		printf("%s%*s ", unit, width(unit) < 5 ? 5 - width(unit) : 0, "");
		print_names(rec, i, last, at + (width(unit) < 5 ? 5 : width(unit)) + 1);
		if (c->fault)
			printf("  (cannot be read: %s)", c->fault);
		printf("%s\n", c->is_signal ? "" : "  (no signal: left out unless named)");
	}
}

/* What lies between pauses. */
static void
print_segments(const wsi_recording *rec)
{
	char from[WSI_MOMENT_TEXT], to[WSI_MOMENT_TEXT], pause[WSI_MOMENT_TEXT];
	const parts all = parts_of(rec);
	const wsi_channel *c = longest_channel(rec);
	if (rec->n_segments == 0)
		return;
	printf("\n%zu segments, with pauses between them (--segment chooses one)\n",
	       rec->n_segments);
	for (size_t k = 0; k < rec->n_segments && k < SHOWN_SEGMENTS; k++) {
		const part p = part_of(&all, k);
		const double before = rec->segments[k].pause;
		printf("%8zu  %s to %s", k + 1, wsi_tell_moment(rec, p.start, c->fs, from),
		       wsi_tell_moment(rec, p.start + p.duration, c->fs, to));
		if (k > 0 && before < 0)
			printf(", begins before the one before ends");
		else if (k > 0 && !isnan(before))
			printf(", after a pause of %s",
			       wsi_tell_length(rec, before, c->fs, pause));
		printf("\n");
	}
	if (rec->n_segments > SHOWN_SEGMENTS)
		printf("%8s  and %zu more (--json lists all)\n", "..",
		       rec->n_segments - SHOWN_SEGMENTS);
}

static void
print_text(const wsi_recording *rec)
{
	char text[32], moment[WSI_MOMENT_TEXT], name[CLI_SHOWN];
	size_t signals = 0;
	const wsi_channel *longest = longest_channel(rec);
	for (size_t i = 0; i < rec->n_channels; i++)
		signals += rec->channels[i].is_signal;
	printf("%s: %s, %zu signal%s", cli_shown(rec->path, name), rec->format, signals,
	       signals == 1 ? "" : "s");
	if (rec->epochs)
		printf(", %zu epoch%s", rec->epochs, rec->epochs == 1 ? "" : "s");
	if (longest && rec->fs_known)
		printf(", %s%s", cli_format_seconds((double)longest->samples / longest->fs, text),
		       rec->epochs ? " each" : "");
	if (rec->start_time[0])
		printf(", from %s", rec->dated ? wsi_format_date(0, rec->start_time, 0, text)
		       : rec->start_time);
	if (rec->time_origin != 0)
		printf(", times from %s", wsi_tell_moment(rec, rec->time_origin,
		                                          longest ? longest->fs : 1, moment));
	printf("\n");
	if (!rec->fs_known && signals)
		printf("no sampling rate: times count samples, unless --fs gives one\n");
	if (rec->n_channels)
		print_channels(rec);
	print_segments(rec);
	if (rec->n_events)
		printf("\n%zu event%s\n", rec->n_events, rec->n_events == 1 ? "" : "s");
	for (size_t i = 0; i < rec->n_events && i < SHOWN_EVENTS; i++)
		printf("%9.3f s  %s\n", rec->events[i].onset, rec->events[i].label);
	if (rec->n_events > SHOWN_EVENTS)
		printf("%9s    and %zu more (--json lists all)\n", "..",
		       rec->n_events - SHOWN_EVENTS);
}

/* Of modes of multivariate EMD, how far each is one rhythm in all channels; *r NULL: it has
 * none. */
static ws_status
aligned_modes(const cli_args *args, const wsi_recording *rec, wsi_result **r)
{
	const wsi_open_opts opts = cli_open_opts(args);
	*r = NULL;
	if (!rec->arrays || !wsi_arrays_find(rec, "alignment"))
		return WS_OK;
	WSI_TRY(wsi_result_open(r, args->operands[0], &opts));
	if (!(*r)->alignment || !(*r)->variance_share) {
		wsi_result_close(*r);
		*r = NULL;
	}
	return WS_OK;
}

static cli_alignment
alignment_of(const wsi_result *r)
{
	return (cli_alignment){ (r->epochs ? r->epochs : 1) * r->channels, r->max_modes,
		                r->mode_count, r->alignment, r->variance_share };
}

static json_t *
json_alignment(const wsi_result *r)
{
	const cli_alignment a = alignment_of(r);
	json_t *o = json_object(), *modes = json_array();
	for (size_t k = 0; k < a.most; k++)
		json_array_append_new(modes, cli_json_real(cli_alignment_of(&a, k)));
	json_object_set_new(o, "modes", modes);
	json_object_set_new(o, "all", cli_json_real(cli_alignment_of_all(&a)));
	return o;
}

static void
print_alignment(const wsi_result *r)
{
	const cli_alignment a = alignment_of(r);
	if (isnan(cli_alignment_of_all(&a)))
		return;
	printf("\nalignment of modes (1: the same rhythm in all channels)\n%8s  %.3f\n", "all",
	       cli_alignment_of_all(&a));
	for (size_t k = 0; k < a.most; k++)
		if (!isnan(cli_alignment_of(&a, k)))
			printf("%8zu  %.3f\n", k + 1, cli_alignment_of(&a, k));
}

/* Printed, or the page of --report. */
static int
make_json(const cli_args *args, const wsi_recording *rec, const cli_info_result *result,
          const wsi_result *modes, bool page)
{
	const parts all = parts_of(rec);
	const cli_json_list lists[] = { { "channels", rec->n_channels, json_channel, rec },
		{ "segments", rec->epochs ? 0 : rec->n_segments ? rec->n_segments : 1,
		  json_segment, &all },
		{ "events", rec->n_events, json_event, rec } };
	json_t *root = json_object();
	json_object_set_new(root, "input", cli_json_text(rec->path));
	json_object_set_new(root, "format", cli_json_text(rec->format));
	if (rec->start_time[0])
		json_object_set_new(root, "start_time", cli_json_text(rec->start_time));
	json_object_set_new(root, "fs_known", json_boolean(rec->fs_known));
	json_object_set_new(root, "time_origin", cli_json_real(rec->time_origin));
	if (rec->note)
		json_object_set_new(root, "notes", json_notes(rec));
	if (rec->epochs)
		json_object_set_new(root, "epochs", json_integer((json_int_t)rec->epochs));
	if (rec->arrays)
		json_object_set_new(root, "result", cli_info_result_json(result));
	if (modes)
		json_object_set_new(root, "alignment", json_alignment(modes));
	if (!page)
		return cli_json_print_lists(root, lists, 3);
	return cli_page_write(&(cli_page){ .args = args, .title = wsi_base_name(rec->path),
		.root = cli_json_gather(root, lists, 3, MOST_REPORTED) });
}

/* Has a result the checksums with which it was written? */
static int
verify(const cli_args *args)
{
	const wsi_open_opts opts = cli_open_opts(args);
	char name[CLI_SHOWN];
	size_t arrays, chunks;
	const ws_status status = wsi_decoder_verify(args->operands[0], &opts, &arrays, &chunks);
	if (status != WS_OK)
		return cli_report(status);
	if (args->json) {
		json_t *root = json_object();
		json_object_set_new(root, "input", cli_json_text(args->operands[0]));
		json_object_set_new(root, "arrays", json_integer((json_int_t)arrays));
		json_object_set_new(root, "pieces", json_integer((json_int_t)chunks));
		return cli_json_print(root);
	}
	printf("%s: %zu pieces of %zu arrays have the checksums with which they were written\n",
	       cli_shown(args->operands[0], name), chunks, arrays);
	return EXIT_DONE;
}

/* A result as such, unless it is to be looked at as a recording: all its arrays. */
static ws_status
open_input(wsi_recording **rec, const cli_args *args)
{
	const wsi_open_opts opts = cli_open_opts(args);
	const bool plain = args->raw || args->variable || args->fs != 0 || args->events
		|| args->events_from || args->bads || strcmp(args->operands[0], "-") == 0;
	const ws_status status = plain ? WS_E_UNSUPPORTED
		: wsi_any_result_open(rec, args->operands[0], &opts);
	if (status == WS_OK)
		cli_tell_notes(*rec);
	return status == WS_E_UNSUPPORTED ? cli_recording_open(rec, args) : status;
}

static int
tell_input(const cli_args *args, const wsi_recording *rec, const cli_info_result *result,
           const wsi_result *modes)
{
	int code = EXIT_DONE;
	if (args->json)
		code = make_json(args, rec, result, modes, false);
	else
		print_text(rec);
	if (rec->arrays && !args->json)
		cli_info_result_print(result);
	if (modes && !args->json)
		print_alignment(modes);
	if (code == EXIT_DONE && args->report)
		code = make_json(args, rec, result, modes, true);
	return code;
}

int
cli_cmd_info(const cli_args *args)
{
	wsi_recording *rec;
	if (args->verify)
		return verify(args);
	if (cli_unfinished_is_meant(args))
		return cli_unfinished_list(args);
	ws_status status = cli_written_hold(args, NULL);
	if (status == WS_OK)
		status = cli_page_check(args);
	if (status != WS_OK)
		return cli_report_output(status);
	status = open_input(&rec, args);
	if (status != WS_OK)
		return cli_report(status);
	wsi_result *modes;
	cli_info_result result = { 0 };
	status = aligned_modes(args, rec, &modes);
	if (status == WS_OK && rec->arrays)
		status = cli_info_result_read(&result, rec);
	const int code = status == WS_OK ? tell_input(args, rec, &result, modes)
	                                 : cli_report(status);
	cli_info_result_free(&result);
	wsi_result_close(modes);
	wsi_recording_close(rec);
	return code;
}
