/* unfinished.c - wavesift info FOLDER: work that was stopped and did not go on. */
#include "unfinished.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "batch_list.h"
#include "checkpoint_blocks.h"
#include "checkpoint_folder.h"
#include "io/read/file.h"
#include "io/result/provenance.h"
#include "json.h"
#include "manifest.h"
#include "message.h"
#include "values.h"

typedef struct unfinished {
	const cli_args *args;
	json_t *all;            /* --json */
	size_t n;
} unfinished;

bool
cli_unfinished_is_meant(const cli_args *args)
{
	struct stat st;
	return stat(args->operands[0], &st) == 0 && S_ISDIR(st.st_mode);
}

/* The command line as it was typed, with --resume; NULL: no memory. */
static const char *
command_of(const cli_manifest *m, wsi_kept *kept)
{
	const json_t *words = json_object_get(m->root, "arguments");
	const size_t n = json_array_size(words);
	char **argv = wsi_kept_new(kept, n + 2, sizeof *argv);
	bool resumes = false;
	for (size_t i = 0; argv && i < n; i++) {
		const char *word = json_string_value(json_array_get(words, i));
		argv[i] = wsi_kept_text(kept, word ? word : "");
		resumes |= argv[i] && strncmp(argv[i], "--resume", 8) == 0;
	}
	if (!argv || kept->failed)
		return NULL;
	if (!resumes)
		argv[n] = wsi_kept_text(kept, "--resume");
	return wsi_provenance_command(kept, argv);
}

static void
print(const char *result, const char *command, const cli_manifest *m, const cli_blocks *b,
      double share, bool held)
{
	char name[CLI_SHOWN], size[32];
	printf("%s: %.0f %% finished, %s kept, begun %s%s\n", cli_shown(result, name), 100 * share,
	       cli_format_size((double)b->bytes, size), cli_manifest_text(m, "begun"),
	       held ? "; a run works on it" : "");
	printf("    in %s", cli_shown(cli_manifest_text(m, "in"), name));
	printf(": %s\n", cli_shown(command, name));
}

static json_t *
as_json(const char *folder, const char *result, const char *command, const cli_manifest *m,
        const cli_blocks *b, double share, bool held)
{
	json_t *o = json_object();
	json_object_set_new(o, "folder", cli_json_text(folder));
	json_object_set_new(o, "result", cli_json_text(result));
	json_object_set_new(o, "finished", cli_json_real(share));
	json_object_set_new(o, "bytes", json_integer((json_int_t)b->bytes));
	json_object_set_new(o, "running", json_boolean(held));
	json_object_set_new(o, "command", cli_json_text(command));
	json_object_set_new(o, "in", cli_json_text(cli_manifest_text(m, "in")));
	json_object_set_new(o, "host", cli_json_text(cli_manifest_text(m, "host")));
	json_object_set_new(o, "begun", cli_json_text(cli_manifest_text(m, "begun")));
	return o;
}

/* A folder of blocks that has a manifest. */
static ws_status
tell(unfinished *u, const char *folder, const cli_manifest *m)
{
	cli_blocks b;
	wsi_kept kept = { 0 };
	ws_status status = cli_blocks_list(&b, folder, m->id, NULL, 0);
	const char *command = command_of(m, &kept);
	char *result = wsi_kept_text(&kept, folder);
	if (status == WS_OK && (!command || !result))
		status = WSI_FAIL(WS_E_NOMEM, "%s: not enough memory to tell of it", folder);
	if (status == WS_OK) {
		const double share = m->cells ? (double)b.cells / (double)m->cells : 0;
		const bool held = cli_kept_is_held(folder);
		result[strlen(result) - strlen(CLI_KEPT_ENDING)] = '\0';
		u->n++;
		if (u->args->json)
			json_array_append_new(u->all, as_json(folder, result, command, m, &b, share,
			                                      held));
		else
			print(result, command, m, &b, share, held);
	}
	cli_blocks_free(&b);
	wsi_kept_free(&kept);
	return status;
}

static ws_status
take(void *user, const char *root, FTS *walk, FTSENT *e)
{
	unfinished *u = user;
	cli_manifest m;
	(void)root;
	if (e->fts_info != FTS_D || !wsi_name_ends(e->fts_path, CLI_KEPT_ENDING))
		return WS_OK;
	/* Of a folder that is only called so nothing is known. */
	if (cli_manifest_read(&m, e->fts_path) == WS_E_FORMAT) {
		cli_note("%s/" CLI_MANIFEST " is damaged", e->fts_path);
		return WS_OK;
	}
	if (!m.root)
		return WS_OK;
	fts_set(walk, e, FTS_SKIP);
	const ws_status status = tell(u, e->fts_path, &m);
	cli_manifest_free(&m);
	return status;
}

int
cli_unfinished_list(const cli_args *args)
{
	char name[CLI_SHOWN];
	unfinished u = { .args = args, .all = args->json ? json_array() : NULL };
	const cli_inputs none = { 0 };
	const ws_status status = cli_inputs_walk(&none, args->operands[0], take, &u);
	if (status != WS_OK) {
		json_decref(u.all);
		return cli_report(status);
	}
	if (args->json) {
		json_t *root = json_object();
		json_object_set_new(root, "folder", cli_json_text(args->operands[0]));
		json_object_set_new(root, "unfinished", u.all);
		return cli_json_print(root);
	}
	if (u.n == 0)
		printf("%s: no work in it was stopped (--checkpoint)\n",
		       cli_shown(args->operands[0], name));
	return EXIT_DONE;
}
