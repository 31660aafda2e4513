/* outfile.c - files that are written. */
#include "io/write/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

ws_status
wsi_write_fail(const char *path)
{
	if (strcmp(path, "-") == 0)
		path = "standard output";
	switch (errno) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return WSI_FAIL(WS_E_NOSPACE, "%s: the disk is full (%s); make room or "
		                "write elsewhere", path, strerror(errno));
	case ENOENT:
	case ENOTDIR:
		return WSI_FAIL(WS_E_IO, "%s: its folder does not exist; create it first", path);
	case ENAMETOOLONG:
		return WSI_FAIL(WS_E_IO, "%.80s..: its name is too long for a file; choose a "
		                "shorter one", path);
	case EACCES:
	case EPERM:
	case EROFS:
		return WSI_FAIL(WS_E_IO, "%s: its folder is not writable (%s); choose "
		                "another", path, strerror(errno));
	default:
		return WSI_FAIL(WS_E_IO, "%s: cannot be written: %s", path, strerror(errno));
	}
}

ws_status
wsi_output_check(const char *path, bool overwrite)
{
	struct stat st;
	if (wsi_target_stat(path, &st) != 0) {
		if (!overwrite && lstat(path, &st) == 0)
			return WSI_FAIL(WS_E_EXISTS, "%s: exists already, as a link to nothing; "
			                "add `overwrite` or choose another name", path);
		return WS_OK;
	}
	if (!S_ISREG(st.st_mode))
		return WSI_FAIL(WS_E_IO, "%s: is a folder or a device, not a file; give "
		                "a file name, or - for CSV on standard output", path);
	if (!overwrite)
		return WSI_FAIL(WS_E_EXISTS, "%s: exists already; add `overwrite` or "
		                "choose another name", path);
	return WS_OK;
}

ws_status
wsi_write_close(FILE *f, const char *path)
{
	errno = 0;
	bool whole = fflush(f) == 0 && !ferror(f);
	int error = errno;
	if (fclose(f) != 0 && whole) {
		whole = false;
		error = errno;
	}
	errno = error ? error : EIO;
	return whole ? WS_OK : wsi_write_fail(path);
}

/* Characters of its path that are its folder; 0 where that is a link to another one. */
static int
folder_length(const wsi_complete *f)
{
	const char *name = wsi_base_name(f->path);
	return f->file->place.name && strcmp(name, f->file->place.name) == 0 ? (int)(name - f->path)
	       : 0;
}

/* Where they are instead; the caller's text. */
static const char *
list_kept(const wsi_complete *files, size_t n, char *text, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; i < n && used < size; ++i)
		used += (size_t)snprintf(text + used, size - used, "%s%.*s%s", i ? " and " : "",
		                         folder_length(&files[i]), files[i].path,
		                         files[i].file->kept ? files[i].file->kept : "lost");
	return text;
}

ws_status
wsi_put_in_place(const wsi_complete *files, size_t n)
{
	wsi_newfile *list[WSI_MOST_COMPLETE];
	char kept[1200];
	size_t failed = 0;
	for (size_t i = 0; i < n; ++i)
		list[i] = files[i].file;
	errno = wsi_newfile_commit(list, n, &failed);
	if (errno == 0)
		return WS_OK;
	const char *path = files[failed].path;
	if (errno == EEXIST && files[failed].file->kept)
		return WSI_FAIL(WS_E_EXISTS, "%s: was created meanwhile by another program and is "
		                "kept; what was to be written, complete, is %s", path,
		                list_kept(files, n, kept, sizeof kept));
	return wsi_write_fail(path);
}
