/* rebuild.c - finds where a result lies in its recording, and takes dropped rows off, in blocks. */
#include "rebuild.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "input.h"
#include "io/read/number.h"
#include "io/read/open.h"
#include "io/read/read.h"
#include "io/read/segment.h"
#include "io/read/times.h"
#include "io/result/arrays.h"
#include "signals.h"

#define MOST_BLOCK 65536

/* ---- Where the result lies in the recording -------------------------------------------------- */

static ws_status
differs(const cli_rebuild *r, const char *why)
{
	return WSI_FAIL(WS_E_ARG, "%s: is not the recording that %s was made of, or has changed "
	                "since: %s", r->rec->path, r->parts.rec->path, why);
}

/* What became of the samples before they were decomposed, so that they are not those of the
 * file. */
static ws_status
check_facts(const cli_rebuild *r)
{
	static const struct { const char *fact, *option; } changes[] = {
		{ "resampled_to", "resample" }, { "rereference", "rereference" },
		{ "unit_variance", "unit-variance" }, { "epochs_at", "epochs-at" },
		{ "average", "average" },
	};
	const wsi_recording *result = r->parts.rec;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (*wsi_arrays_fact(result, changes[i].fact))
			return WSI_FAIL(WS_E_ARG, "%s: was made with --%s, so its samples are not "
			                "those of %s; decompose without --%s", result->path,
			                changes[i].option, r->rec->path, changes[i].option);
	if ((result->epochs > 0) != (r->rec->epochs > 0))
		return differs(r, "one of them has epochs, the other not");
	return WS_OK;
}

/* Each channel of the result by its name; of several that share one in their order. */
static ws_status
find_channels(cli_rebuild *r)
{
	const cli_parts *p = &r->parts;
	bool *taken = calloc(r->rec->n_channels, sizeof *taken);
	r->channels = calloc(p->channels, sizeof *r->channels);
	ws_status status = taken && r->channels ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "%s: no memory", r->rec->path);
	for (size_t i = 0; status == WS_OK && i < p->channels; i++) {
		const char *name = p->rec->channels[i].name;
		char why[200];
		size_t c = 0;
		while (c < r->rec->n_channels
		       && (taken[c] || strcmp(r->rec->channels[c].name, name) != 0))
			c++;
		snprintf(why, sizeof why, "it has no channel %.150s", name);
		if (c == r->rec->n_channels)
			status = differs(r, why);
		else
			taken[r->channels[i] = c] = true;
	}
	free(taken);
	return status;
}

static ws_status
find_times(cli_rebuild *r)
{
	const wsi_recording *result = r->parts.rec, *rec = r->rec;
	const double fs = result->channels[0].fs, time = result->arrays->first_time;
	const wsi_channel *c = &rec->channels[r->channels[0]];
	char *end;
	const double segment = wsi_decimal(wsi_arrays_fact(result, "segment"), &end);
	double at = time * fs;
	if (segment >= 1 && segment <= (double)rec->n_segments) {
		const size_t k = (size_t)segment - 1;
		at = (time - rec->segments[k].start) * fs
		     + (double)wsi_segment_first(rec, k, c->fs, c->samples);
	}
	r->first = at > 0 ? (size_t)llround(at) : 0;
	for (size_t i = 0; i < r->parts.channels; i++) {
		const size_t has = rec->channels[r->channels[i]].samples;
		if (r->first > has || r->parts.samples > has - r->first)
			return differs(r, "it has fewer samples");
	}
	return WS_OK;
}

static void
take_missing(cli_rebuild *r)
{
	const char *at = wsi_arrays_fact(r->parts.rec, "missing");
	char *end;
	while (*at && r->n_missing < sizeof r->missing / sizeof *r->missing) {
		const double value = wsi_decimal(at, &end);
		if (end == at)
			return;
		r->missing[r->n_missing++] = value;
		at = end + (*end == ',');
	}
}

ws_status
cli_rebuild_open(cli_rebuild *r, const cli_args *args)
{
	wsi_open_opts opts = cli_open_opts(args);
	opts.keeps_lines = true;
	*r = (cli_rebuild){ .args = args };
	WSI_TRY(cli_parts_open(&r->parts, args));
	const char *missing = wsi_arrays_fact(r->parts.rec, "missing");
	opts.missing = *missing ? missing : NULL;
	WSI_TRY(wsi_recording_open(&r->rec, args->operands[1], &opts));
	cli_tell_notes(r->rec);
	WSI_TRY(check_facts(r));
	WSI_TRY(find_channels(r));
	WSI_TRY(find_times(r));
	take_missing(r);
	r->told = calloc(r->parts.epochs * r->parts.channels, sizeof *r->told);
	r->before = malloc(3 * MOST_BLOCK * sizeof *r->before);
	WSI_HAVE(r->told && r->before, "%s: no memory", r->rec->path);
	r->after = r->before + MOST_BLOCK;
	r->part = r->after + MOST_BLOCK;
	return WS_OK;
}

void
cli_rebuild_close(cli_rebuild *r)
{
	wsi_patch_close(&r->patch);
	wsi_recording_close(r->rec);
	cli_parts_close(&r->parts);
	free(r->channels);
	free(r->told);
	free(r->before);
}

/* ---- Samples --------------------------------------------------------------------------------- */

static bool
is_missing(const cli_rebuild *r, double x)
{
	for (size_t k = 0; k < r->n_missing; k++)
		if (x == r->missing[k])
			return true;
	return !isfinite(x);
}

/* r->part has what the result says was decomposed. */
static ws_status
compare(const cli_rebuild *r, size_t channel, size_t first, size_t n)
{
	char why[320 + WSI_MOMENT_TEXT], when[WSI_MOMENT_TEXT] = "";
	const double fs = r->parts.rec->channels[channel].fs;
	for (size_t k = 0; k < n; k++) {
		const double is = r->before[k], was = r->part[k];
		const size_t at = r->first + first + k;
		if (is == was || (float)is == was || is_missing(r, is))
			continue;
		if (r->rec->fs_known)
			wsi_tell_moment(r->rec,
			                r->rec->time_origin + wsi_segment_time(r->rec, at, fs),
			                fs, when);
		snprintf(why, sizeof why, "sample %zu%s%s%s of channel %.150s is %.10g, %.10g was "
		         "decomposed", at + 1, *when ? " (" : "", when, *when ? ")" : "",
		         r->parts.rec->channels[channel].name, is, was);
		return differs(r, why);
	}
	return WS_OK;
}

/* r->after: samples without what is dropped of them. */
static ws_status
take_off(cli_rebuild *r, size_t i, size_t first, size_t n)
{
	const cli_parts *p = &r->parts;
	const bool sums = cli_parts_dropped(p, i, p->most);
	for (size_t k = 0; k < n; k++)
		r->after[k] = sums ? 0 : r->before[k];
	for (size_t row = 0; row < p->count[i]; row++) {
		if (cli_parts_dropped(p, i, row) == sums)
			continue;
		WSI_TRY(wsi_arrays_read(p->rec, p->rows, 0, i * p->most + row, first, n, r->part));
		for (size_t k = 0; k < n; k++)
			r->after[k] += sums ? r->part[k] : -r->part[k];
	}
	for (size_t k = 0; k < n; k++)
		if (is_missing(r, r->before[k]))
			r->after[k] = r->before[k];
	return WS_OK;
}

static void
tell(cli_rebuild *r, size_t i, size_t n)
{
	cli_rebuilt *t = &r->told[i];
	for (size_t k = 0; k < n; k++) {
		const double before = r->before[k], after = r->after[k], taken = before - after;
		if (is_missing(r, before))
			continue;
		if (t->n++ == 0)
			t->low = t->high = after;
		t->low = after < t->low ? after : t->low;
		t->high = after > t->high ? after : t->high;
		t->sum += before;
		t->squares += before * before;
		t->taken += taken * taken;
		t->taken_sum += taken;
	}
}

/* A block of a signal of the result; puts: into the copy. */
static ws_status
block(cli_rebuild *r, size_t i, size_t first, size_t n, bool puts)
{
	const cli_parts *p = &r->parts;
	const size_t of = i % p->channels, epoch = i / p->channels, channel = r->channels[of];
	const wsi_stored_array *numbers = wsi_arrays_find(p->rec, "epoch");
	size_t in = epoch;
	double number;
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	if (p->rec->epochs && numbers) {
		WSI_TRY(wsi_arrays_read(p->rec, numbers, 0, 0, epoch, 1, &number));
		in = number >= 1 ? (size_t)number - 1 : SIZE_MAX;
	}
	WSI_TRY(wsi_recording_read(r->rec, in, channel, r->first + first, n, r->before));
	WSI_TRY(wsi_arrays_read(p->rec, p->signal, 0, i, first, n, r->part));
	WSI_TRY(compare(r, of, first, n));
	WSI_TRY(take_off(r, i, first, n));
	if (!puts || !r->args->rescale)
		tell(r, i, n);
	return puts ? wsi_patch_put(&r->patch, in, channel, r->first + first, n, r->before,
	                            r->after)
	       : WS_OK;
}

/* All blocks of the signals that may change: where channels lie together in the file, together. */
static ws_status
all_blocks(cli_rebuild *r, bool puts)
{
	const cli_parts *p = &r->parts;
	const size_t each = wsi_patch_block(&r->patch), signals = p->epochs * p->n_chosen;
	const size_t blocks = (p->samples + each - 1) / each;
	const bool together = r->rec->order == WSI_ORDER_SAMPLES;
	for (size_t k = 0; k < blocks * signals; k++) {
		const size_t s = together ? k % signals : k / blocks;
		const size_t first = (together ? k / signals : k % blocks) * each;
		const size_t left = p->samples - first;
		const size_t i = s / p->n_chosen * p->channels + p->chosen[s % p->n_chosen];
		WSI_TRY(block(r, i, first, left < each ? left : each, puts));
	}
	return WS_OK;
}

/* Channels of EDF get the scales that they will need. */
static ws_status
widen(cli_rebuild *r)
{
	const cli_parts *p = &r->parts;
	WSI_TRY(all_blocks(r, false));
	for (size_t k = 0; k < p->n_chosen; k++) {
		const cli_rebuilt *t = &r->told[p->chosen[k]];
		const size_t channel = r->channels[p->chosen[k]];
		double low, high;
		wsi_patch_range(&r->patch, channel, &low, &high);
		if (t->low < low || t->high > high)
			WSI_TRY(wsi_patch_widen(&r->patch, channel, t->low, t->high));
	}
	return WS_OK;
}

ws_status
cli_rebuild_make(cli_rebuild *r)
{
	WSI_TRY(wsi_patch_copy(&r->patch, cli_signalled));
	if (r->args->rescale)
		WSI_TRY(widen(r));
	WSI_TRY(all_blocks(r, true));
	return wsi_patch_finish(&r->patch);
}
