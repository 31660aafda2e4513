/* basis.c - of which options and files something is made. */
#define _GNU_SOURCE /* st_mtim */
#include "basis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "base/target.h"
#include "io/read/opened.h"
#include "io/result/sha256.h"
#include "json.h"
#include "options.h"

/* ---- Options -------------------------------------------------------------------------- */

/* How, where and how fast a result is made, how that is told, and what is drawn of it, changes
 * nothing in it. */
static bool
decides(const ws_option *o)
{
	static const char *const others[] = { "device", "device-memory", "threads", "memory",
		"dry-run", "progress", "mpi", "resume", "checkpoint", "max-time", "overwrite",
		"plot-channels", "events-shown", "figure", "json", "quiet", "verbose" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(o->name, others[i]) == 0)
			return false;
	return !cli_option_of_many(o) && !cli_option_is_written(o);
}

/* Tables beside a recording are told by their contents (FILES): they may be moved with it. */
static json_t *
value_of(const cli_given *g)
{
	const char *name = g->option->name;
	const bool table = strcmp(name, "events") == 0 || strcmp(name, "bads") == 0;
	return !g->text ? json_true() : cli_json_text(table ? wsi_base_name(g->text) : g->text);
}

json_t *
cli_basis_options(const cli_args *args)
{
	json_t *all = json_object();
	for (int i = 0; i < args->n_given; i++) {
		const cli_given *g = &args->given[i];
		if (decides(g->option) &&
		    json_object_set_new(all, g->option->name, value_of(g)) != 0) {
			json_decref(all);
			return NULL;
		}
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

bool
cli_basis_options_differ(json_t *then, const cli_args *args, char *what, size_t size)
{
	json_t *now = cli_basis_options(args);
	const char *key = then && now ? difference(then, now) : NULL;
	if (key)
		snprintf(what, size, "--%s: %.80s there, %.80s here", key,
		         shown(json_object_get(then, key)), shown(json_object_get(now, key)));
	else if (!now)
		snprintf(what, size, "not enough memory to compare them");
	const bool same = now && !key;
	json_decref(now);
	return !same;
}

/* ---- Files ------------------------------------------------------------------------------ */

/* Names in the recording's folder are kept without it: a data set may be moved as a whole. */
static size_t
folder_length(const cli_args *args)
{
	return (size_t)(wsi_base_name(args->operands[0]) - args->operands[0]);
}

/* NULL: out of memory. */
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
	const char *name = beside ? f->path + folder : whole ? whole : f->path;
	if (json_object_set_new(file, "name", cli_json_text(name)) != 0 ||
	    json_object_set_new(file, "bytes", json_integer((json_int_t)f->bytes)) != 0 ||
	    json_object_set_new(file, "changed", json_string(changed)) != 0 ||
	    json_object_set_new(file, "sha256", json_string(sha256)) != 0) {
		json_decref(file);
		file = NULL;
	}
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

ws_status
cli_basis_files(json_t **all, const cli_args *args, const wsi_input *in)
{
	*all = json_array();
	for (size_t i = 0; i < args->opened->n; i++) {
		char hex[65];
		ws_status status = checksum(&args->opened->files[i], in, hex);
		if (status == WS_OK &&
		    json_array_append_new(*all, file_json(&args->opened->files[i], args, hex)) != 0)
			status = WSI_FAIL(WS_E_NOMEM, "not enough memory for the record of the "
			                  "files");
		if (status != WS_OK) {
			json_decref(*all);
			*all = NULL;
			return status;
		}
	}
	return WS_OK;
}

/* Where the file is now, to free(); NULL: no memory, or it has no name. */
static char *
path_of(const json_t *file, const cli_args *args)
{
	const char *name = json_string_value(json_object_get(file, "name"));
	const size_t folder = name && *name == '/' ? 0 : folder_length(args);
	const size_t size = folder + (name ? strlen(name) : 0) + 1;
	char *path = name ? malloc(size) : NULL;
	if (path)
		snprintf(path, size, "%.*s%s", (int)folder, args->operands[0], name);
	return path;
}

/* How it differs from what it was; NULL: it does not.  One whose size and time are the same is not
 * read, unless all are. */
static const char *
change_of(const json_t *file, const char *path, const cli_args *args)
{
	const char *then = json_string_value(json_object_get(file, "changed"));
	const char *sha256 = json_string_value(json_object_get(file, "sha256"));
	const json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
	char changed[48], hex[65];
	struct stat st;
	if (!then || !sha256)
		return "nothing is known of what it was";
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return "it is not there";
	if ((json_int_t)st.st_size != bytes)
		return "its size is another";
	snprintf(changed, sizeof changed, "%lld.%09ld", (long long)st.st_mtim.tv_sec,
	         st.st_mtim.tv_nsec);
	if (!(args->resume && *args->resume) && strcmp(changed, then) == 0)
		return NULL;
	const bool same = wsi_sha256_file(path, hex) == WS_OK && strcmp(hex, sha256) == 0;
	return same ? NULL : "its contents are others";
}

/* The recording is among them: of the same name, in what folder ever. */
bool
cli_basis_files_differ(const json_t *files, const cli_args *args, char *what, size_t size)
{
	const char *recording = wsi_base_name(args->operands[0]);
	bool has_it = false;
	const json_t *file;
	size_t i;
	json_array_foreach(files, i, file) {
		const char *name = json_string_value(json_object_get(file, "name"));
		char *path = path_of(file, args);
		const char *change = path ? change_of(file, path, args)
		                     : "there is no memory to compare it";
		has_it |= name && strcmp(name, recording) == 0;
		if (change)
			snprintf(what, size, "%.200s: %s", path ? path : "a file", change);
		free(path);
		if (change)
			return true;
	}
	if (!has_it)
		snprintf(what, size, "%.200s: it is another recording", args->operands[0]);
	return !has_it;
}
