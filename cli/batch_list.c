/* batch_list.c - a list of recordings. */
#include "batch_list.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "io/read/file.h"
#include "values.h"

ws_status
cli_inputs_no_memory(const cli_inputs *in)
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
	const char *name = cli_base_name(path);
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
			return cli_inputs_no_memory(in);
		in->all = grown;
		in->room = room;
	}
	cli_recording *r = &in->all[in->n++];
	*r = (cli_recording){ .path = strdup(path), .folder = folder_of(path), .place = in->n - 1,
		.bytes = size_with_samples(path) };
	return r->path && r->folder ? WS_OK : cli_inputs_no_memory(in);
}

void
cli_recording_free(cli_recording *r)
{
	free(r->path);
	free(r->folder);
	free(r->label);
	free(r->dataset);
	free(r->channels);
	free(r->events);
}

void
cli_inputs_free(cli_inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		cli_recording_free(&in->all[i]);
	free(in->all);
	*in = (cli_inputs){ 0 };
}
