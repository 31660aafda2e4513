/* batch_outputs.c - where what is made of each recording of a batch goes. */
#include "batch_outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new.h"
#include "base/target.h"
#include "io/read/readers.h"
#include "io/write/outfile.h"
#include "message.h"

/* The first of the endings is taken where none is told. */
static const struct {
	const char *option, *word, *suffix, *endings[4];
} kinds[MADE_KINDS] = {
	[MADE_RESULT] = { "output", "result", "", { ".h5", ".npy", ".mat", ".csv" } },
	[MADE_FIGURE] = { "plot", "figure", "", { ".png", ".svg", ".pdf" } },
	[MADE_CYCLES] = { "cycle-table", "cycles", "_cycles", { ".csv" } },
	[MADE_MASKS]  = { "write-masks", "masks", "_masks", { ".h5" } },
	[MADE_REPORT] = { "report", "report", "", { ".html" } },
};

const char *
cli_made_option(cli_made kind)
{
	return kinds[kind].option;
}

const char *
cli_made_word(cli_made kind)
{
	return kinds[kind].word;
}

static const char *
given(cli_made kind, const cli_args *a)
{
	const char *const all[MADE_KINDS] = { a->output, a->plot, a->cycles, a->write_masks,
		a->report };
	return all[kind];
}

/* Is it one of a kind's endings alone, such as ".npy"? */
static bool
is_ending(cli_made kind, const char *name)
{
	for (int i = 0; i < 4 && kinds[kind].endings[i]; i++)
		if (strcasecmp(kinds[kind].endings[i], name) == 0)
			return true;
	return false;
}

ws_status
cli_made_path(char **path, cli_made kind, const cli_recording *r, const cli_args *args)
{
	const char *told = given(kind, args), *ending = kinds[kind].endings[0];
	*path = NULL;
	if (!told && kind != MADE_RESULT)
		return WS_OK;
	/* "figures/.svg": folder and ending; ".svg": beside the results. */
	const char *folder = told ? told : args->output_dir, *last = wsi_base_name(folder);
	size_t length = strlen(folder);
	if (is_ending(kind, last)) {
		ending = last;
		length = (size_t)(last - folder);
		if (length == 0) {
			folder = args->output_dir;
			length = strlen(folder);
		}
	}
	while (length > 1 && folder[length - 1] == '/')
		length--;
	const char *slash = folder[length - 1] == '/' ? "" : "/";
	const size_t size = length + strlen(r->label) + strlen(kinds[kind].suffix)
	                    + strlen(ending) + 2;
	WSI_NEW(*path, size, "not enough memory for the name of a result");
	snprintf(*path, size, "%.*s%s%s%s%s", (int)length, folder, slash, r->label,
	         kinds[kind].suffix, ending);
	return WS_OK;
}

int
cli_made_check(const cli_args *a)
{
	if (a->output && !is_ending(MADE_RESULT, a->output))
		return cli_fail(EXIT_USAGE, "--output %s: with --output-dir it is the ending of "
		                "all results: .h5, .npy, .mat or .csv", a->output);
	for (int kind = MADE_FIGURE; kind < MADE_KINDS; kind++) {
		const char *told = given((cli_made)kind, a), *option = kinds[kind].option;
		if (!told)
			continue;
		const char *last = wsi_base_name(told);
		if (!*told || strcmp(told, "-") == 0)
			return cli_fail(EXIT_USAGE, "--%s %s: with --output-dir it names a folder",
			                option, told);
		for (int i = 0; i < 4 && kinds[kind].endings[i]; i++)
			if (!is_ending((cli_made)kind, last)
			    && wsi_name_ends(last, kinds[kind].endings[i]))
				return cli_fail(EXIT_USAGE, "--%s %s: with --output-dir it names a "
				                "folder, such as figures or, to tell the ending, "
				                "figures/%s", option, told, kinds[kind].endings[i]);
	}
	return -1;
}

/* ---- No input is an output --------------------------------------------------------- */

static int
by_number(const void *a, const void *b)
{
	const struct stat *x = a, *y = b;
	return x->st_ino != y->st_ino ? (x->st_ino > y->st_ino) - (x->st_ino < y->st_ino)
	       : (x->st_dev > y->st_dev) - (x->st_dev < y->st_dev);
}

static ws_status
check_made(const cli_recording *r, const cli_args *args, const struct stat *files, size_t n)
{
	ws_status status = WS_OK;
	for (int kind = 0; kind < MADE_KINDS && status == WS_OK; kind++) {
		char *path;
		struct stat st;
		WSI_TRY(cli_made_path(&path, (cli_made)kind, r, args));
		if (path && stat(path, &st) == 0 && bsearch(&st, files, n, sizeof st, by_number))
			status = WSI_FAIL(WS_E_ARG, "%s: is an input and cannot be the output; "
			                  "choose another folder", path);
		free(path);
	}
	return status;
}

ws_status
cli_made_check_inputs(const cli_inputs *in, const cli_args *args)
{
	struct stat *files = malloc((in->n + 1) * sizeof *files);
	size_t n = 0;
	ws_status status = files ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "not enough memory for %zu recordings", in->n);
	for (size_t i = 0; files && i < in->n; i++)
		n += stat(in->all[i].path, &files[n]) == 0;
	if (files)
		qsort(files, n, sizeof *files, by_number);
	for (size_t i = 0; i < in->n && status == WS_OK; i++)
		status = check_made(&in->all[i], args, files, n);
	free(files);
	return status;
}

/* ---- Folders -------------------------------------------------------------------- */

static int
make_one(const char *path, int *made)
{
	struct stat st;
	if (mkdir(path, 0777) == 0) {
		++*made;
		return 0;
	}
	const int error = errno;
	if (stat(path, &st) != 0)
		return error;
	return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

/* Makes all folders above path, and, if whole, path itself; their number is added to *made. */
static ws_status
make(const char *path, bool whole, int *made)
{
	char *name = strdup(path);
	WSI_HAVE(name, "not enough memory for the name of a folder");
	int error = 0;
	for (char *c = name + 1; *name && *c && !error; c++)
		if (*c == '/') {
			*c = '\0';
			error = make_one(name, made);
			if (!error)
				*c = '/';
		}
	if (whole && !error)
		error = make_one(name, made);
	errno = error;
	const ws_status status = error == ENOSPC || error == EDQUOT ? wsi_write_fail(name) : error
		? WSI_FAIL(WS_E_IO, "%s: the folder cannot be made: %s", name, strerror(error))
		: WS_OK;
	free(name);
	return status;
}

ws_status
cli_folder_make(const char *path)
{
	int made = 0;
	return make(path, true, &made);
}

ws_status
cli_folder_make_of(const char *path, int *made)
{
	return make(path, false, made);
}

void
cli_folder_unmake_of(const char *path, int made)
{
	char *name = strdup(path), *slash;
	for (; name && made > 0 && (slash = strrchr(name, '/')); made--) {
		*slash = '\0';
		(void)rmdir(name);
	}
	free(name);
}
