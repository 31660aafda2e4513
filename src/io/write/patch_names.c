/* patch_names.c - the names in header and markers of BrainVision become those of the copies. */
#include "io/write/patch_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/target.h"
#include "io/read/brainvision.h"
#include "io/read/ini.h"

ws_status
wsi_patch_name_beside(const char *from, const char *output, wsi_patch_file *files, size_t *n)
{
	const char *dot = strrchr(wsi_base_name(from), '.');
	char *path = wsi_path_with_ext(output, dot ? dot + 1 : "");
	files[*n] = (wsi_patch_file){ .from = from, .path = path };
	*n += path != NULL;
	return path ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory", from);
}

ws_status
wsi_patch_name_trio(const wsi_recording *rec, const char *header, wsi_patch_file *files, size_t *n)
{
	const bv_state *s = rec->state;
	WSI_TRY(wsi_patch_name_beside(s->data_path, header, files, n));
	WSI_TRY(wsi_patch_name_beside(s->header_path, header, files, n));
	return s->marker_path ? wsi_patch_name_beside(s->marker_path, header, files, n)
	       : WS_OK;
}

/* What the value of a key becomes; NULL: it stays. */
static const char *
new_value(const wsi_patch_file *files, size_t n, const ini_entry *e)
{
	static const char *const keys[] = { "DataFile", NULL, "MarkerFile" };
	for (size_t i = 0; i < n; ++i)
		if (keys[i] && ini_in_section(e, "Common Infos") && e->value_length > 0
		    && e->key_length == strlen(keys[i])
		    && strncasecmp(e->key, keys[i], e->key_length) == 0)
			return wsi_base_name(files[i].path);
	return NULL;
}

/* All of the text but for these values. */
static void
write_text(const wsi_patch_file *files, size_t n, const char *text, size_t length, FILE *out)
{
	const char *done = text;
	ini_entry e = { .rest = text };
	while (ini_next(&e)) {
		const char *value = new_value(files, n, &e);
		if (!value)
			continue;
		fwrite(done, 1, (size_t)(e.value - done), out);
		fputs(value, out);
		done = e.value + e.value_length;
	}
	fwrite(done, 1, (size_t)(text + length - done), out);
}

ws_status
wsi_patch_write_names(const wsi_recording *rec, const wsi_patch_file *files, size_t n, size_t i)
{
	const wsi_patch_file *f = &files[i];
	wsi_file from;
	WSI_TRY(wsi_file_open(&from, f->from, rec->opts.opened));
	const size_t length = (size_t)from.bytes;
	char *text = malloc(length + 1);
	ws_status status = text ? wsi_file_read(&from, 0, text, length)
	                        : WSI_FAIL(WS_E_NOMEM, "%s: no memory", f->from);
	FILE *out = status == WS_OK ? wsi_newfile_stream(&f->file) : NULL;
	if (status == WS_OK && !out)
		status = wsi_write_fail(f->path);
	if (out) {
		text[length] = '\0';
		write_text(files, n, text, length, out);
		status = wsi_write_close(out, f->path);
	}
	free(text);
	wsi_file_close(&from);
	return status;
}
