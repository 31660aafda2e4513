/* provenance.c - what made a result, as facts to store beside it. */
#include "io/result/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/target.h"
#include "io/read/pauses.h"
#include "io/result/sha256.h"

static void
add(wsi_provenance *p, ws_fact fact)
{
	if (p->n == p->room) {
		const size_t room = 2 * p->room + 32;
		ws_fact *grown = realloc(p->items, room * sizeof *grown);
		if (!grown) {
			p->kept.failed = true;
			return;
		}
		p->items = grown;
		p->room = room;
	}
	p->items[p->n++] = fact;
}

static void
add_text(wsi_provenance *p, const char *key, const char *text)
{
	add(p, (ws_fact){ .key = key, .kind = WS_OPTION_TEXT, .text = text });
}

void
wsi_provenance_add(wsi_provenance *p, const char *key, int64_t value)
{
	add(p, (ws_fact){ .key = key, .kind = WS_OPTION_INT, .integer = value });
}

static void
add_real(wsi_provenance *p, const char *key, double value)
{
	add(p, (ws_fact){ .key = key, .kind = WS_OPTION_REAL, .real = value });
}

/* A copy that lives as long as p. */
static const char *
keep(wsi_provenance *p, const char *text)
{
	const char *copy = wsi_kept_text(&p->kept, text);
	return copy ? copy : "";
}

void
wsi_provenance_add_text(wsi_provenance *p, const char *key, const char *text)
{
	add_text(p, key, keep(p, text));
}

/* A ws_fact_sink. */
static void
add_option(void *user, const ws_fact *f)
{
	wsi_provenance *p = user;
	ws_fact kept = *f;
	kept.key = keep(p, f->key);
	kept.text = f->text ? keep(p, f->text) : NULL;
	add(p, kept);
}

char *
wsi_provenance_command(wsi_kept *kept, char **argv)
{
	size_t size = 1;
	for (char **a = argv; *a; a++)
		size += 4 * strlen(*a) + 3;
	char *line = wsi_kept_new(kept, size, 1), *to = line;
	for (char **a = argv; line && *a; a++) {
		/* argv[0] may be a path of the machine; the program's name says enough. */
		const char *word = a == argv ? "wavesift" : *a;
		bool plain = *word && !strpbrk(word, " \t\n\\\"'`$&|;<>()*?[]{}~#!");
		if (a > argv)
			*to++ = ' ';
		if (plain) {
			to = stpcpy(to, word);
			continue;
		}
		*to++ = '\'';
		for (; *word; word++)
			to = *word == '\'' ? stpcpy(to, "'\\''") : (*to = *word, to + 1);
		*to++ = '\'';
	}
	return line;
}

bool
wsi_gpu_model(const char *device, char model[WSI_GPU_MODEL])
{
	int i;
	ws_device d = { .size = sizeof d };
	if (sscanf(device, "cuda:%d", &i) != 1)
		return false;
	snprintf(model, WSI_GPU_MODEL, "%s", ws_device_info(i, &d) == WS_OK ? d.model : "unknown");
	return true;
}

/* What did the work. */
static void
add_place(wsi_provenance *p, const ws_ctx *ctx, const ws_run *run, int threads)
{
	char model[WSI_GPU_MODEL];
	if (wsi_gpu_model(ws_run_device(run), model)) {
		add_text(p, "backend", "cuda");
		add_text(p, "device", ws_run_device(run));
		add_text(p, "device_model", keep(p, model));
		return;
	}
	add_text(p, "backend", "cpu");
	add_text(p, "isa", ws_ctx_isa(ctx));
	wsi_provenance_add(p, "threads", threads ? threads : ws_ctx_threads(ctx));
}

static ws_status
hash_files(wsi_provenance *p, const ws_option_file *files)
{
	for (int i = 0; files && files[i].option; i++) {
		if (i == WSI_MOST_FILES)
			return WSI_FAIL(WS_E_INTERNAL, "%s: more than %d files are recorded",
			                files[i].path, WSI_MOST_FILES);
		p->files[i] = (ws_option_file){ files[i].option, files[i].path, p->sha256[i] };
		WSI_TRY(wsi_sha256_file(files[i].path, p->sha256[i]));
	}
	return WS_OK;
}

static const char *
name_of_input(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : wsi_base_name(path);
}

/* Rates that channels were brought from. */
static void
add_rates(wsi_provenance *p, const wsi_input *in)
{
	char *text = wsi_kept_new(&p->kept, in->n_resamplers + 1, 32);
	size_t length = 0;
	for (size_t i = 0; text && i < in->n_resamplers; i++)
		length += (size_t)sprintf(text + length, "%s%.10g", i ? "," : "",
		                          in->resamplers[i].from);
	add_real(p, "resampled_to", in->fs);
	add_text(p, "resampled_from", text ? text : "");
}

ws_status
wsi_provenance_check(const wsi_provenance *p)
{
	return p->kept.failed ? WSI_FAIL(WS_E_NOMEM, "not enough memory for the record of the "
	                                 "options")
	                 : WS_OK;
}

/* Epochs over which is averaged; 0: each has a result of its own. */
static size_t
averaged_epochs(const wsi_origin *o)
{
	return (o->transform->takes_epochs || o->average) && o->in->epoched && o->in->n_epochs > 1
	       ? o->in->n_epochs : 0;
}

/* "EEMD of recording.edf", and the options in words. */
static ws_status
put_in_words(wsi_provenance *p, const wsi_origin *o, const void *opts)
{
	const char *name = name_of_input(o->input);
	const size_t title = strlen(o->transform->title) + strlen(name) + 5;
	const size_t options = ws_options_line(o->transform, opts, p->files, NULL, 0) + 80;
	p->title = wsi_kept_new(&p->kept, title, 1);
	p->options = wsi_kept_new(&p->kept, options, 1);
	WSI_TRY(wsi_provenance_check(p));
	snprintf(p->title, title, "%s of %s", o->transform->title, name);
	const size_t used = ws_options_line(o->transform, opts, p->files, p->options, options);
	if (averaged_epochs(o))
		snprintf(p->options + used, options - used, "%s%s%zu epochs%s", used ? ", " : "",
		         o->average ? "mean of " : "", averaged_epochs(o),
		         o->average ? " and its 95 % interval" : "");
	return WS_OK;
}

/* Tables beside the recording, and their checksums. */
static ws_status
add_sidecars(wsi_provenance *p, const wsi_recording *rec)
{
	if (rec->events_file) {
		WSI_TRY(wsi_sha256_file(rec->events_file, p->events_sha256));
		add_text(p, "events_file", rec->events_file);
		add_text(p, "events_sha256", p->events_sha256);
	}
	if (rec->channels_file) {
		WSI_TRY(wsi_sha256_file(rec->channels_file, p->channels_sha256));
		add_text(p, "channels_file", rec->channels_file);
		add_text(p, "channels_sha256", p->channels_sha256);
	}
	return WS_OK;
}

ws_status
wsi_provenance_collect(wsi_provenance *p, const wsi_origin *o)
{
	const void *opts = ws_run_options(o->run);
	char clock[32];
	*p = (wsi_provenance){ 0 };
	if (o->command_line && !(p->command = wsi_provenance_command(&p->kept, o->command_line)))
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for the command line");
	WSI_TRY(hash_files(p, o->files));
	WSI_TRY(put_in_words(p, o, opts));
	add_text(p, "title", p->title);
	add_text(p, "options", p->options);
	if (p->command)
		add_text(p, "command", p->command);
	add_text(p, "transform", o->transform->name);
	add_text(p, "input", o->input);
	add_text(p, "input_format", o->in->rec->format);
	if (o->in->rec->dated)
		wsi_provenance_add(p, "dated", 1);
	if (o->epochs)
		add_text(p, "epochs", o->epochs);
	WSI_TRY(add_sidecars(p, o->in->rec));
	if (o->epochs_at) {
		add_text(p, "epochs_at", o->epochs_at);
		add_real(p, "tmin", o->in->start);
		add_real(p, "tmax", o->in->start + (double)o->in->samples / o->in->fs);
	}
	if (o->in->segment)
		wsi_provenance_add(p, "segment", (int64_t)o->in->segment);
	if (wsi_input_segment_clock(o->in, clock))
		add_text(p, "segment_start", keep(p, clock));
	if (o->in->joined) {
		add_text(p, "gaps", "join");
		wsi_provenance_add(p, "segments_joined", (int64_t)o->in->joined);
	}
	if (o->in->before || o->in->after) {
		wsi_provenance_add(p, "samples_before", (int64_t)o->in->before);
		wsi_provenance_add(p, "samples_after", (int64_t)o->in->after);
	}
	if (averaged_epochs(o))
		wsi_provenance_add(p, "epochs_averaged", (int64_t)averaged_epochs(o));
	if (o->average)
		wsi_provenance_add(p, "average", 1);
	if (o->in->left_out)
		wsi_provenance_add(p, "epochs_not_whole", (int64_t)o->in->left_out);
	if (o->in->crossing)
		wsi_provenance_add(p, "epochs_cut_by_pauses", (int64_t)o->in->crossing);
	if (o->in->missing)
		add_text(p, "missing", o->in->missing);
	add_text(p, "nan", o->in->interpolate != 0 ? "interpolate" : "refuse");
	if (o->in->interpolate > 0)
		add_real(p, "longest_gap", o->in->interpolate);
	if (o->in->rereference) {
		add_text(p, "rereference", o->in->rereference);
		wsi_provenance_add(p, "reference_channels", (int64_t)o->in->n_reference);
	}
	if (o->in->unit_variance)
		wsi_provenance_add(p, "unit_variance", 1);
	add_text(p, "version", ws_version());
	wsi_provenance_add(p, "numerics_version", ws_numerics_version());
	add_place(p, o->ctx, o->run, o->threads);
	if (o->in->n_resamplers)
		add_rates(p, o->in);
	add_text(p, "precision", o->in->type == WS_F32 ? "f32" : "f64");
	WSI_TRY(ws_options_facts(o->transform, opts, p->files, add_option, p));
	return wsi_provenance_check(p);
}

size_t
wsi_input_mended(const wsi_input *in)
{
	size_t sum = 0;
	for (size_t i = 0; i < in->n_channels * in->n_epochs; i++)
		sum += in->mended[i];
	return sum;
}

size_t
wsi_provenance_finish(wsi_provenance *p, const wsi_input *in, double seconds)
{
	const size_t before = p->n;
	if (in->sha256[0])
		add_text(p, "input_sha256", in->sha256);
	if (in->interpolate != 0)
		wsi_provenance_add(p, "interpolated", (int64_t)wsi_input_mended(in));
	add(p, (ws_fact){ .key = "seconds", .kind = WS_OPTION_REAL, .real = seconds });
	return before;
}

void
wsi_provenance_free(wsi_provenance *p)
{
	wsi_kept_free(&p->kept);
	free(p->items);
	*p = (wsi_provenance){ 0 };
}
