/* opened.c - files that were read, by device and inode: so that none is written to. */
#include "io/read/opened.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/target.h"

static bool
has(const wsi_opened *o, const struct stat *st)
{
	for (size_t i = 0; i < o->n; ++i)
		if (o->files[i].device == st->st_dev && o->files[i].number == st->st_ino)
			return true;
	return false;
}

ws_status
wsi_opened_add(wsi_opened *o, int fd, const char *path)
{
	struct stat st;
	if (!o)
		return WS_OK;
	if (fstat(fd, &st) != 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be examined: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || has(o, &st))
		return WS_OK;
	if (o->n == o->room) {
		const size_t room = o->room ? 2 * o->room : 8;
		struct wsi_opened_file *grown = realloc(o->files, room * sizeof *grown);
		WSI_HAVE(grown, "%s: no memory to open it", path);
		o->files = grown;
		o->room = room;
	}
	char *kept = strdup(path);
	WSI_HAVE(kept, "%s: no memory to open it", path);
	o->files[o->n++] = (struct wsi_opened_file){ st.st_dev, st.st_ino, kept,
		(uint64_t)st.st_size, st.st_mtim };
	return WS_OK;
}

ws_status
wsi_opened_check(const wsi_opened *o, const char *path)
{
	struct stat st;
	if (wsi_target_stat(path, &st) != 0 || !has(o, &st))
		return WS_OK;
	return WSI_FAIL(WS_E_ARG, "%s: is an input and cannot be the output; choose another name",
	                path);
}

void
wsi_opened_free(wsi_opened *o)
{
	for (size_t i = 0; i < o->n; ++i)
		free(o->files[i].path);
	free(o->files);
	*o = (wsi_opened){ 0 };
}
