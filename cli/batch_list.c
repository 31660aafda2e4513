/* batch_list.c - the recordings of a batch: added one by one or found in folders, each with its
 * size, in the order in which they were named. */
#include "batch_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "base/target.h"
#include "io/read/file.h"

static ws_status
no_memory(const cli_inputs *in)
{
	return WSI_FAIL(WS_E_NOMEM, "not enough memory for the names of %zu recordings", in->n);
}

static uint64_t
size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/* A header's samples lie beside it. */
static uint64_t
size_with_samples(const char *path)
{
	static const struct { const char *header, *samples[2]; } pairs[] = {
		{ ".vhdr", { "eeg", "dat" } }, { ".set", { "fdt", "dat" } },
	};
	uint64_t bytes = size_of(path);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (int k = 0; k < 2 && wsi_name_ends(path, pairs[i].header); k++) {
			char *beside = wsi_path_with_ext(path, pairs[i].samples[k]);
			bytes += beside ? size_of(beside) : 0;
			free(beside);
		}
	return bytes;
}

/* The folder of a file, without links. */
static char *
folder_of(const char *path)
{
	const char *name = wsi_base_name(path);
	char *named = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
	char *real = named ? realpath(named, NULL) : NULL;
	if (!real)
		return named;
	free(named);
	return real;
}

ws_status
cli_inputs_add(cli_inputs *in, const char *path)
{
	if (in->n == in->room) {
		const size_t room = 2 * in->room + 64;
		cli_recording *grown = realloc(in->all, room * sizeof *grown);
		if (!grown)
			return no_memory(in);
		in->all = grown;
		in->room = room;
	}
	cli_recording *r = &in->all[in->n++];
	*r = (cli_recording){ .path = strdup(path), .folder = folder_of(path), .place = in->n - 1,
		.bytes = size_with_samples(path) };
	return r->path && r->folder ? WS_OK : no_memory(in);
}

void
cli_recording_free(cli_recording *r)
{
	free(r->path);
	free(r->folder);
	free(r->label);
	free(r->dataset);
}

void
cli_inputs_free(cli_inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		cli_recording_free(&in->all[i]);
	free(in->all);
	*in = (cli_inputs){ 0 };
}

/* ---- Folders ---------------------------------------------------------------------- */

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

ws_status
cli_inputs_walk(const cli_inputs *in, const char *folder, cli_walk_take take, void *user)
{
	char *root = strdup(folder);
	char *roots[] = { root, NULL };
	/* "study/" would give "study//a.edf". */
	for (size_t n = root ? strlen(root) : 0; n > 1 && root[n - 1] == '/'; n--)
		root[n - 1] = '\0';
	FTS *walk = root ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name) : NULL;
	ws_status status = walk ? WS_OK : no_memory(in);
	for (FTSENT *e; status == WS_OK && (errno = 0, e = fts_read(walk));)
		status = e->fts_info != FTS_DNR && e->fts_info != FTS_ERR
		         ? take(user, root, walk, e)
		         : WSI_FAIL(WS_E_IO, "%s: the folder cannot be read: %s", e->fts_path,
		                    strerror(e->fts_errno));
	if (status == WS_OK && errno)
		status = WSI_FAIL(WS_E_IO, "%s: the folder cannot be read: %s", folder,
		                  strerror(errno));
	if (walk)
		fts_close(walk);
	free(root);
	return status;
}

static int
by_place(const void *a, const void *b)
{
	const cli_recording *x = a, *y = b;
	return (x->place > y->place) - (x->place < y->place);
}

void
cli_inputs_sort(cli_inputs *in)
{
	qsort(in->all, in->n, sizeof *in->all, by_place);
}
