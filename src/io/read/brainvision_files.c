/* brainvision_files.c - the files of which a BrainVision recording is made: the header, and those
 * that it names. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/read/brainvision.h"
#include "io/read/ini.h"

static bool
is_there(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0;
}

ws_status
bv_find_header(wsi_recording *rec)
{
	bv_state *s = rec->state;
	const char *path = rec->path;
	const bool averages = wsi_name_ends(path, ".avg") || wsi_name_ends(path, ".amrk");
	const bool beside = averages || wsi_name_ends(path, ".eeg") || wsi_name_ends(path, ".vmrk");
	s->header_path = beside ? wsi_path_with_ext(path, averages ? "ahdr" : "vhdr")
	                        : wsi_strdup(path);
	if (beside && s->header_path && !is_there(s->header_path)) {
		char *other = wsi_path_with_ext(path, averages ? "vhdr" : "ahdr");
		if (other && is_there(other)) {
			free(s->header_path);
			s->header_path = other;
		} else {
			free(other);
		}
	}
	WSI_HAVE(s->header_path, "%s: no memory", path);
	wsi_file f;
	if (beside && wsi_file_open(&f, s->header_path, rec->opts.opened) != WS_OK)
		return WSI_FAIL(WS_E_IO, "%s: its BrainVision header %s cannot be opened; "
		                "name the .vhdr file that belongs to it", path, s->header_path);
	if (beside)
		wsi_file_close(&f);
	return WS_OK;
}

ws_status
bv_named_file(const bv_state *s, const char *ini, const char *key, char **path)
{
	*path = NULL;
	char *text = ini_text(ini, "Common Infos", key);
	WSI_HAVE(text, "%s: no memory", s->header_path);
	const char *name = text;
	for (const char *p = text; *p != '\0'; ++p)
		if (*p == '/' || *p == '\\')
			name = p + 1;
	if (*name != '\0')
		*path = strncmp(name, "$b.", 3) == 0 ? wsi_path_with_ext(s->header_path, name + 3)
		                                      : wsi_path_beside(s->header_path, name);
	const bool failed = *name != '\0' && !*path;
	free(text);
	return failed ? WSI_FAIL(WS_E_NOMEM, "%s: no memory", s->header_path) : WS_OK;
}

ws_status
bv_find_renamed(wsi_recording *rec, const char *what, const char *const endings[], char **path)
{
	const bv_state *s = rec->state;
	for (int i = 0; !is_there(*path) && endings[i]; ++i) {
		char *own = wsi_path_with_ext(s->header_path, endings[i]);
		WSI_HAVE(own, "%s: no memory", s->header_path);
		if (!is_there(own)) {
			free(own);
			continue;
		}
		const ws_status status = wsi_recording_add_note(
			rec, "%s: the %s that it names, %s, is not there; %s is read, which is "
			"called as the header is", s->header_path, what, *path, own);
		free(*path);
		*path = own;
		return status;
	}
	return WS_OK;
}
