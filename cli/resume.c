/* resume.c - work that is finished is not done again (--resume). */
#include "resume.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "basis.h"
#include "batch_known.h"
#include "checkpoint.h"
#include "input.h"
#include "io/read/open.h"
#include "io/result/arrays.h"
#include "io/result/modes.h"
#include "json.h"

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
	const size_t how = JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII;
	char *text = value ? cli_json_dump(value, how) : NULL;
	json_decref(value);
	return text;
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
	char what[256];
	json_t *then = json_loads(wsi_arrays_fact(rec, OPTIONS), 0, NULL);
	ws_status status = then ? WS_OK
	                   : WSI_FAIL(WS_E_EXISTS, "%s: does not tell of which files and options "
	                              "it was made; `overwrite` replaces it", output);
	if (then && cli_basis_options_differ(then, args, what, sizeof what))
		status = WSI_FAIL(WS_E_EXISTS, "%s: was made by other options (%s); `overwrite` "
		                  "replaces it", output, what);
	json_decref(then);
	return status;
}

/* To the process that works on many (batch_known.h): what was read.  One line of it is short. */
static void
tell_batch(const char *files)
{
	char line[4000];
	if (!getenv(CLI_TELLS))
		return;
	const int n = snprintf(line, sizeof line, CLI_TELLS_FILES
	                       "{\"numerics\":%d,\"files\":%s}\n", ws_numerics_version(), files);
	if (n > 0 && (size_t)n < sizeof line)
		fputs(line, stderr);
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
	json_t *files;
	WSI_TRY(cli_basis_files(&files, args, in));
	char *text = dump(files);
	const ws_status status = text ? add_fact(p, OPTIONS, cli_basis_options(args)) : no_memory();
	if (status == WS_OK) {
		wsi_provenance_add_text(p, FILES, text);
		tell_batch(text);
	}
	free(text);
	return status;
}

static bool
are_as_they_were(const wsi_recording *rec, const cli_args *args)
{
	char what[256];
	json_t *files = json_loads(wsi_arrays_fact(rec, FILES), 0, NULL);
	const bool same = !cli_basis_files_differ(files, args, what, sizeof what);
	json_decref(files);
	return same;
}

/* ---- All ----------------------------------------------------------------------------------- */

/* A figure or table that was not made with it, or is gone. */
static bool
lacks_others(const cli_args *args)
{
	const char *const others[] = { args->plot, args->cycles, args->write_masks, args->report };
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
	/* Of what was begun its checkpoint tells. */
	if (!wsi_name_ends(output, ".h5") && cli_checkpoint_may_be_there(args, output))
		return WS_OK;
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
			if (*finished)
				tell_batch(wsi_arrays_fact(rec, FILES));
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
