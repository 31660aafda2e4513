/* outfile.c - see outfile.h. */
#include "io/outfile.h"

#include <errno.h>
#include <string.h>

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
		                "another with -o", path, strerror(errno));
	default:
		return WSI_FAIL(WS_E_IO, "%s: cannot be written: %s", path, strerror(errno));
	}
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

ws_status
wsi_put_in_place(wsi_newfile *f, const char *path)
{
	errno = wsi_newfile_commit(f);
	if (errno == 0)
		return WS_OK;
	if (errno == EEXIST && !f->replace)
		return WSI_FAIL(WS_E_EXISTS, "%s: was created meanwhile by another program and is "
		                "kept; this result, complete, is %s", path, f->kept);
	return wsi_write_fail(path);
}
