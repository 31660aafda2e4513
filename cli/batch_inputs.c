/* batch_inputs.c - the recordings of a batch: operands, folders, lists. */
#include "batch_inputs.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "bids.h"
#include "io/read/readers.h"
#include "message.h"
#include "values.h"

/* ---- Folders ---------------------------------------------------------------------- */

static bool
ends_as_one_of(const char *name, const char *const *endings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wsi_name_ends(name, endings[i]))
			return true;
	return false;
}

/* Is it what wavesift writes by default, such as night_emd.h5? */
static bool
is_result(const char *name)
{
	cli_command c;
	const size_t stem = (size_t)cli_stem_length(name);
	for (int i = 0; cli_command_at(i, &c); i++) {
		const size_t n = strlen(c.name);
		if (c.transform && stem > n + 1 && name[stem - n - 1] == '_'
		    && strncmp(name + stem - n, c.name, n) == 0)
			return true;
	}
	return false;
}

/* Of the files of a folder, those that look like recordings by their names.  Plain text (.txt) is
 * seldom one, and tables of BIDS tell about others. */
static bool
is_recording(const char *name, const cli_args *args)
{
	static const char *const formats[] = { ".edf", ".bdf", ".vhdr", ".set", ".mat", ".h5",
		".hdf5", ".npy", ".npz", ".csv", ".tsv", ".wav", ".aif", ".aiff", ".flac", ".ogg",
		".oga" };
	static const char *const tables[] = { "_events.tsv", "_channels.tsv", "_electrodes.tsv",
		"_scans.tsv", "_sessions.tsv", "_coordsystem.tsv", "_cycles.csv", "_masks.h5",
		"participants.tsv", "samples.tsv" };
	return *name != '.'
	       && (args->raw || ends_as_one_of(name, formats, sizeof formats / sizeof *formats))
	       && !ends_as_one_of(name, tables, sizeof tables / sizeof *tables) && !is_result(name);
}

typedef struct search {
	cli_inputs *in;
	const cli_args *args;
	const struct stat *results;  /* the folder of these */
} search;

static ws_status
take_entry(void *user, const char *root, FTS *walk, FTSENT *e)
{
	const search *s = user;
	const struct stat *results = s->results;
	(void)root;
	switch (e->fts_info) {
	case FTS_D:
		/* Where results go beside the recordings they are told by their names. */
		if (e->fts_level > 0
		    && (*e->fts_name == '.' || (e->fts_statp->st_dev == results->st_dev
		                                && e->fts_statp->st_ino == results->st_ino)))
			fts_set(walk, e, FTS_SKIP);
		return WS_OK;
	case FTS_DC:
		cli_note("%s: leads back to a folder above it; left out", e->fts_path);
		return WS_OK;
	case FTS_F:
	case FTS_SLNONE:
	case FTS_NS:
		return is_recording(e->fts_name, s->args) ? cli_inputs_add(s->in, e->fts_path)
		       : WS_OK;
	default:
		return WS_OK;
	}
}

static ws_status
add_folder(cli_inputs *in, const char *path, const cli_args *args, const struct stat *results)
{
	if (cli_bids_is(path))
		return cli_bids_add(in, path, args);
	const size_t before = in->n;
	search s = { in, args, results };
	WSI_TRY(cli_inputs_walk(in, path, take_entry, &s));
	return in->n > before ? WS_OK
	       : WSI_FAIL(WS_E_IO, "%s: holds no recording (by the endings of names); name files "
	                  "of other endings one by one", path);
}

/* ---- Operands and lists ------------------------------------------------------------- */

static ws_status
add_named(cli_inputs *in, const char *path, const cli_args *args, const struct stat *results)
{
	struct stat st;
	if (strcmp(path, "-") == 0)
		return WSI_FAIL(WS_E_ARG, "-: standard input is one recording; give it without "
		                "--output-dir");
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? add_folder(in, path, args, results)
	       : cli_inputs_add(in, path);
}

/* All of a file as text with a 0 behind it; *n: its bytes.  NULL: errno says why. */
static char *
read_all(FILE *f, size_t *n)
{
	char *text = NULL, *grown;
	size_t room = 0;
	*n = 0;
	do {
		room = 2 * room + 65536;
		grown = realloc(text, room);
		if (!grown)
			break;
		text = grown;
		*n += fread(text + *n, 1, room - 1 - *n, f);
	} while (*n == room - 1);
	if (!grown || ferror(f)) {
		free(text);
		return NULL;
	}
	text[*n] = '\0';
	return text;
}

/* A line of the list has a name; or, as find -print0 writes them, a 0 ends each. */
static ws_status
add_list(cli_inputs *in, const char *list, const cli_args *args, const struct stat *results)
{
	FILE *f = strcmp(list, "-") == 0 ? stdin : fopen(list, "r");
	size_t n, before = in->n;
	char *text = f ? read_all(f, &n) : NULL;
	const int error = errno;
	if (f && f != stdin)
		fclose(f);
	if (!text)
		return WSI_FAIL(WS_E_IO, "@%s: the list cannot be read: %s; a file of such a "
		                "name is ./@%s", list, strerror(error), list);
	const bool zeros = memchr(text, 0, n) != NULL;
	ws_status status = WS_OK;
	for (char *name = text; name < text + n && status == WS_OK;) {
		size_t length = zeros ? strlen(name) : strcspn(name, "\n");
		char *next = name + length + 1;
		while (!zeros && length > 0 && name[length - 1] == '\r')
			length--;
		name[length] = '\0';
		if (*name)
			status = add_named(in, name, args, results);
		name = next;
	}
	free(text);
	return status == WS_OK && in->n == before
	       ? WSI_FAIL(WS_E_IO, "@%s: the list names no recording", list) : status;
}

/* ---- All ----------------------------------------------------------------------------- */

static int
by_file(const void *a, const void *b)
{
	const cli_recording *x = a, *y = b;
	int order = strcmp(x->folder, y->folder);
	if (order == 0)
		order = strcmp(wsi_base_name(x->path), wsi_base_name(y->path));
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* A file that is named more than once, by whatever way to its folder, is one recording.  Links of
 * other names are others: what they are called is what somebody meant. */
static void
leave_out_repeated(cli_inputs *in)
{
	size_t n = 0;
	qsort(in->all, in->n, sizeof *in->all, by_file);
	for (size_t i = 0; i < in->n; i++) {
		const cli_recording *last = n > 0 ? &in->all[n - 1] : NULL;
		if (last && strcmp(last->folder, in->all[i].folder) == 0
		    && strcmp(wsi_base_name(last->path), wsi_base_name(in->all[i].path)) == 0)
			cli_recording_free(&in->all[i]);
		else
			in->all[n++] = in->all[i];
	}
	in->repeated = in->n - n;
	in->n = n;
	cli_inputs_sort(in);
	for (size_t i = 0; i < n; i++)
		in->all[i].place = i;
}

ws_status
cli_inputs_find(cli_inputs *in, const cli_args *args)
{
	struct stat results = { 0 };
	if (stat(args->output_dir, &results) != 0 && !args->dry_run)
		return WSI_FAIL(WS_E_IO, "%s: cannot be examined: %s", args->output_dir,
		                strerror(errno));
	*in = (cli_inputs){ 0 };
	for (int i = 0; i < args->n_inputs; i++) {
		const char *name = args->inputs[i];
		WSI_TRY(*name == '@' && name[1] ? add_list(in, name + 1, args, &results)
		        : add_named(in, name, args, &results));
	}
	WSI_TRY(cli_bids_check(in, args));
	leave_out_repeated(in);
	return WS_OK;
}
