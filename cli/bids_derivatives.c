/* bids_derivatives.c - what results are called among the derivatives of a data set, and their
 * description. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/newfile.h"
#include "bids.h"
#include "io/write/outfile.h"
#include "json.h"
#include "values.h"

ws_status
cli_bids_name(cli_recording *r, const char *command)
{
	const size_t root = strlen(r->dataset);
	const char *below = r->path + root + (r->path[root] == '/');
	const char *suffix = cli_bids_suffix(below);
	const int kind = (int)strcspn(suffix, ".");
	const size_t size = strlen(below) + strlen(command) + 16;
	r->label = malloc(size);
	if (!r->label)
		return cli_bids_no_memory();
	snprintf(r->label, size, "%.*sdesc-%s_%.*s", (int)(suffix - below), below, command, kind,
	         suffix);
	return WS_OK;
}

/* The name of a data set, as its description has it. */
static json_t *
name_of(const char *root)
{
	char *path = cli_path_in(root, CLI_BIDS_DESCRIPTION);
	json_t *description = path ? json_load_file(path, 0, NULL) : NULL;
	json_t *name = json_incref(json_object_get(description, "Name"));
	json_decref(description);
	free(path);
	return json_is_string(name) ? name : json_string("data set");
}

static json_t *
description(const char *root, const cli_args *args)
{
	char *real = realpath(root, NULL), *url = NULL;
	json_t *all = json_object(), *by = json_object(), *from = json_object();
	json_t *set = name_of(root);
	json_object_set_new(all, "Name", json_sprintf("%s: %s", json_string_value(set),
	                                              args->command.name));
	json_decref(set);
	json_object_set_new(all, "BIDSVersion", json_string("1.9.0"));
	json_object_set_new(all, "DatasetType", json_string("derivative"));
	json_object_set_new(by, "Name", json_string("wavesift"));
	json_object_set_new(by, "Version", json_string(ws_version()));
	json_object_set_new(all, "GeneratedBy", json_pack("[o]", by));
	url = real ? cli_path_in("file:/", real) : NULL;
	json_object_set_new(from, "URL", cli_json_text(url ? url : root));
	json_object_set_new(all, "SourceDatasets", json_pack("[o]", from));
	free(real);
	free(url);
	return all;
}

static ws_status
write_text(const char *path, const char *text)
{
	wsi_newfile file, *files[] = { &file };
	size_t failed;
	errno = wsi_newfile_open(&file, path, true);
	if (errno)
		return wsi_write_fail(path);
	FILE *f = wsi_newfile_stream(&file);
	ws_status status = f ? WS_OK : wsi_write_fail(path);
	if (f) {
		fputs(text, f);
		status = wsi_write_close(f, path);
	}
	if (status == WS_OK && (errno = wsi_newfile_commit(files, 1, &failed)))
		status = wsi_write_fail(path);
	wsi_newfile_close(&file);
	return status;
}

ws_status
cli_bids_describe(const cli_inputs *in, const cli_args *args)
{
	const cli_recording *of = NULL;
	for (size_t i = 0; i < in->n && !of; i++)
		of = in->all[i].dataset ? &in->all[i] : NULL;
	if (!of || cli_bids_is(args->output_dir))
		return WS_OK;
	char *path = cli_path_in(args->output_dir, CLI_BIDS_DESCRIPTION);
	char *text = cli_json_line(description(of->dataset, args));
	const ws_status status = path && text ? write_text(path, text) : cli_bids_no_memory();
	free(path);
	free(text);
	return status;
}
