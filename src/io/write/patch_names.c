/* patch_names.c - header and markers of BrainVision, which name the files of the recording. */
#include "io/write/patch.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/read/brainvision.h"
#include "io/read/ini.h"

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *
ending_of(const char *path)
{
	const char *dot = strrchr(last_part(path), '.');
	return dot ? dot + 1 : "";
}

static ws_status
add(wsi_patch *p, const char *from, char *path)
{
	p->files[p->n] = (struct wsi_patch_file){ .from = from, .path = path };
	return path ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory", p->files[p->n].from);
}

const char *
wsi_patch_original(const wsi_recording *rec)
{
	const bv_state *s = rec->state;
	return rec->reader == &wsi_reader_brainvision ? s->header_path : rec->path;
}

ws_status
wsi_patch_name_trio(wsi_patch *p, const char *output)
{
	const bv_state *s = p->rec->state;
	if (!wsi_name_ends(output, ending_of(s->header_path)))
		return WSI_FAIL(WS_E_ARG, "%s: is written as %s is; name it .%s", output,
		                s->header_path, ending_of(s->header_path));
	WSI_TRY(add(p, s->data_path, wsi_path_with_ext(output, ending_of(s->data_path))));
	p->n++;
	WSI_TRY(add(p, s->header_path, wsi_strdup(output)));
	p->n++;
	if (!s->marker_path)
		return WS_OK;
	WSI_TRY(add(p, s->marker_path, wsi_path_with_ext(output, ending_of(s->marker_path))));
	p->n++;
	return WS_OK;
}

/* What the value of a key becomes; NULL: it stays. */
static const char *
new_value(const wsi_patch *p, const ini_entry *e)
{
	static const char *const keys[] = { "DataFile", NULL, "MarkerFile" };
	for (size_t i = 0; i < p->n; ++i)
		if (keys[i] && ini_in_section(e, "Common Infos") && e->value_length > 0
		    && e->key_length == strlen(keys[i])
		    && strncasecmp(e->key, keys[i], e->key_length) == 0)
			return last_part(p->files[i].path);
	return NULL;
}

/* All of the text but for these values. */
static ws_status
write_text(const wsi_patch *p, const struct wsi_patch_file *f, const char *text, size_t n)
{
	const char *done = text;
	ini_entry e = { .rest = text };
	while (ini_next(&e)) {
		const char *value = new_value(p, &e);
		if (!value)
			continue;
		WSI_TRY(wsi_patch_append(f, done, (size_t)(e.value - done)));
		WSI_TRY(wsi_patch_append(f, value, strlen(value)));
		done = e.value + e.value_length;
	}
	return wsi_patch_append(f, done, (size_t)(text + n - done));
}

ws_status
wsi_patch_write_names(wsi_patch *p, const struct wsi_patch_file *f)
{
	wsi_file from;
	WSI_TRY(wsi_file_open(&from, f->from, p->rec->opts.opened));
	const size_t n = (size_t)from.bytes;
	char *text = malloc(n + 1);
	ws_status status = text ? wsi_file_read(&from, 0, text, n)
	                        : WSI_FAIL(WS_E_NOMEM, "%s: no memory", f->from);
	if (status == WS_OK) {
		text[n] = '\0';
		status = write_text(p, f, text, n);
	}
	free(text);
	wsi_file_close(&from);
	return status;
}
