/* resume.c - work that is finished is not done again (--resume). */
#define _GNU_SOURCE /* st_mtim */
#include "resume.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "input.h"
#include "io/read/open.h"
#include "io/read/opened.h"
#include "io/read/readers.h"
#include "io/result/arrays.h"
#include "io/result/modes.h"
#include "io/result/sha256.h"
#include "json.h"
#include "options.h"
#include "values.h"

#define OPTIONS "options_given"
#define FILES "files_read"

static ws_status
no_memory(void)
{
	return WSI_FAIL(WS_E_NOMEM, "not enough memory for the record of the files");
}

/* Bytes of any kind, as text that no reader of results changes. */
static char *
dump(json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII)
	             : NULL;
	json_decref(value);
	return text;
}

/* ---- Options -------------------------------------------------------------------------- */

/* How, where and how fast a result is made, how that is told, and what is drawn of it, changes
 * nothing in it. */
static bool
decides(const ws_option *o)
{
	static const char *const others[] = { "device", "device-memory", "threads", "memory",
		"dry-run", "progress", "mpi", "resume", "overwrite", "plot-channels", "figure", "json",
		"quiet", "verbose" };
	cli_value value;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(o->name, others[i]) == 0)
			return false;
	return strcmp(o->group, CLI_MANY) != 0
	       && !(cli_option_is_own(o, &value) && value == VALUE_OUTPUT);
}

/* Tables beside a recording are told by their contents (FILES): they may be moved with it. */
static json_t *
value_of(const cli_given *g)
{
	const char *name = g->option->name;
	const bool table = strcmp(name, "events") == 0 || strcmp(name, "bads") == 0;
	return !g->text ? json_true() : cli_json_text(table ? cli_base_name(g->text) : g->text);
}

/* Those given, each with its last value. */
static json_t *
options_of(const cli_args *args)
{
	json_t *all = json_object();
	for (int i = 0; i < args->n_given; i++) {
		const cli_given *g = &args->given[i];
		if (decides(g->option))
			json_object_set_new(all, g->option->name, value_of(g));
	}
	return all;
}

static const char *
shown(const json_t *value)
{
	return json_is_string(value) ? json_string_value(value) : value ? "given" : "not given";
}

/* Of two sets of options the first that differs; NULL: none does. */
static const char *
difference(json_t *a, json_t *b)
{
	const char *key;
	json_t *value;
	json_object_foreach(a, key, value)
		if (!json_equal(value, json_object_get(b, key)))
			return key;
	json_object_foreach(b, key, value)
		if (!json_object_get(a, key))
			return key;
	return NULL;
}

static ws_status
check_options(const wsi_recording *rec, const cli_args *args, const char *output)
{
	const char *made_by = wsi_arrays_fact(rec, "transform");
	const int numerics = atoi(wsi_arrays_fact(rec, "numerics_version"));
	if (strcmp(made_by, args->command.name) != 0)
		return WSI_FAIL(WS_E_EXISTS, "%s: is a result of %s; `overwrite` replaces it",
		                output, made_by);
	if (numerics != ws_numerics_version())
		return WSI_FAIL(WS_E_EXISTS, "%s: was made by numerics version %d, this is %d; "
		                "`overwrite` replaces it", output, numerics, ws_numerics_version());
	json_t *then = json_loads(wsi_arrays_fact(rec, OPTIONS), 0, NULL), *now = options_of(args);
	ws_status status = then && now ? WS_OK
	                   : WSI_FAIL(WS_E_EXISTS, "%s: does not tell of which files and options "
	                              "it was made; `overwrite` replaces it", output);
	const char *key = status == WS_OK ? difference(then, now) : NULL;
	if (key)
		status = WSI_FAIL(WS_E_EXISTS, "%s: was made by other options (--%s: %.80s there, "
		                  "%.80s here); `overwrite` replaces it", output, key,
		                  shown(json_object_get(then, key)),
		                  shown(json_object_get(now, key)));
	json_decref(then);
	json_decref(now);
	return status;
}

/* ---- Files ------------------------------------------------------------------------------ */

/* Names in the recording's folder are kept without it: a data set may be moved as a whole. */
static size_t
folder_length(const cli_args *args)
{
	return (size_t)(cli_base_name(args->operands[0]) - args->operands[0]);
}

static json_t *
file_json(const struct wsi_opened_file *f, const cli_args *args, const char *sha256)
{
	char changed[48];
	const size_t folder = folder_length(args);
	const bool beside = strncmp(f->path, args->operands[0], folder) == 0
	                    && !strchr(f->path + folder, '/');
	char *whole = beside ? NULL : realpath(f->path, NULL);
	json_t *file = json_object();
	snprintf(changed, sizeof changed, "%lld.%09ld", (long long)f->changed.tv_sec,
	         f->changed.tv_nsec);
	json_object_set_new(file, "name", cli_json_text(beside ? f->path + folder
	                                                : whole ? whole : f->path));
	json_object_set_new(file, "bytes", json_integer((json_int_t)f->bytes));
	json_object_set_new(file, "changed", json_string(changed));
	json_object_set_new(file, "sha256", json_string(sha256));
	free(whole);
	return file;
}

/* What reading told already, else by reading once more. */
static ws_status
checksum(const struct wsi_opened_file *f, const wsi_input *in, char hex[65])
{
	const wsi_recording *rec = in->rec;
	const char *known = strcmp(f->path, rec->path) == 0 ? in->sha256
	                    : rec->file && strcmp(f->path, rec->file->path) == 0
	                    ? in->samples_sha256 : "";
	if (!*known)
		return wsi_sha256_file(f->path, hex);
	strcpy(hex, known);
	return WS_OK;
}

static ws_status
add_fact(wsi_provenance *p, const char *key, json_t *value)
{
	char *text = dump(value);
	if (!text)
		return no_memory();
	wsi_provenance_add_text(p, key, text);
	free(text);
	return WS_OK;
}

ws_status
cli_resume_tell(wsi_provenance *p, const cli_args *args, const wsi_input *in)
{
	json_t *files = json_array();
	for (size_t i = 0; i < args->opened->n; i++) {
		char hex[65];
		const ws_status status = checksum(&args->opened->files[i], in, hex);
		if (status != WS_OK) {
			json_decref(files);
			return status;
		}
		json_array_append_new(files, file_json(&args->opened->files[i], args, hex));
	}
	WSI_TRY(add_fact(p, OPTIONS, options_of(args)));
	return add_fact(p, FILES, files);
}

/* Is the file as it was?  One whose size and time are the same is not read, unless all are. */
static bool
is_as_it_was(const json_t *file, const cli_args *args)
{
	const char *name = json_string_value(json_object_get(file, "name"));
	const char *then = json_string_value(json_object_get(file, "changed"));
	const char *sha256 = json_string_value(json_object_get(file, "sha256"));
	const json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
	char changed[48], hex[65];
	struct stat st;
	if (!name || !then || !sha256)
		return false;
	const size_t folder = *name == '/' ? 0 : folder_length(args);
	const size_t size = folder + strlen(name) + 1;
	char *path = malloc(size);
	if (!path)
		return false;
	snprintf(path, size, "%.*s%s", (int)folder, args->operands[0], name);
	bool same = stat(path, &st) == 0 && S_ISREG(st.st_mode) && (json_int_t)st.st_size == bytes;
	if (same) {
		snprintf(changed, sizeof changed, "%lld.%09ld", (long long)st.st_mtim.tv_sec,
		         st.st_mtim.tv_nsec);
		if (*args->resume || strcmp(changed, then) != 0)
			same = wsi_sha256_file(path, hex) == WS_OK && strcmp(hex, sha256) == 0;
	}
	free(path);
	return same;
}

/* The recording is among them: of the same name, in what folder ever. */
static bool
are_as_they_were(const wsi_recording *rec, const cli_args *args)
{
	json_t *files = json_loads(wsi_arrays_fact(rec, FILES), 0, NULL), *file;
	const char *recording = cli_base_name(args->operands[0]);
	bool same = true, has_it = false;
	size_t i;
	json_array_foreach(files, i, file) {
		const char *name = json_string_value(json_object_get(file, "name"));
		has_it |= name && strcmp(name, recording) == 0;
		same = same && is_as_it_was(file, args);
	}
	json_decref(files);
	return same && has_it;
}

/* ---- All ----------------------------------------------------------------------------------- */

/* A figure or table that was not made with it, or is gone. */
static bool
lacks_others(const cli_args *args)
{
	const char *const others[] = { args->plot, args->cycles, args->write_masks };
	struct stat st;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i] && stat(others[i], &st) != 0)
			return true;
	return false;
}

ws_status
cli_resume_check(const cli_args *args, const char *output, bool *finished, bool *replace)
{
	struct stat st;
	*finished = *replace = false;
	if (strcmp(args->operands[0], "-") == 0)
		return WSI_FAIL(WS_E_ARG, "`resume`: standard input cannot be compared with what "
		                "was read; name a file");
	if (!wsi_name_ends(output, ".h5"))
		return WSI_FAIL(WS_E_ARG, "`resume`: %s would not tell of what it was made; .h5 "
		                "results do", output);
	if (stat(output, &st) != 0)
		return WS_OK;
	wsi_open_opts opts = cli_open_opts(args);
	opts.opened = NULL;
	wsi_recording *rec;
	const char *folder = args->command.transform->folder;
	ws_status status = folder && *folder ? wsi_arrays_open(&rec, output, &opts)
	                   : wsi_modes_open(&rec, output, &opts);
	if (status == WS_OK) {
		status = check_options(rec, args, output);
		if (status == WS_OK) {
			*finished = !lacks_others(args) && are_as_they_were(rec, args);
			*replace = !*finished;
		}
		wsi_recording_close(rec);
	} else if (status != WS_E_NOMEM && status != WS_E_IO) {
		status = WSI_FAIL(WS_E_EXISTS, "%s: is no whole result of %s; `overwrite` replaces "
		                  "it", output, args->command.name);
	}
	if (status == WS_E_EXISTS && args->overwrite) {
		*replace = true;
		return WS_OK;
	}
	return status;
}
