/* batch_log.c - the record of a batch: a line of JSON for each recording, added to a file. */
#include "batch_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new.h"
#include "io/write/outfile.h"
#include "json.h"
#include "values.h"

/* Does a line want its end, because a disk was full once? */
static bool
is_cut(int fd)
{
	struct stat st;
	char last = '\n';
	return fstat(fd, &st) == 0 && st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) == 1
	       && last != '\n';
}

ws_status
cli_batch_log_open(cli_batch_log *log, const char *folder, const char *name)
{
	*log = (cli_batch_log){ .path = cli_path_in(folder, name), .fd = -1 };
	WSI_HAVE(log->path, "not enough memory for the record of the recordings");
	log->fd = open(log->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	if (log->fd >= 0 && is_cut(log->fd) && write(log->fd, "\n", 1) == 1)
		errno = 0;
	if (log->fd >= 0)
		return WS_OK;
	const ws_status status = wsi_write_fail(log->path);
	cli_batch_log_close(log);
	return status;
}

ws_status
cli_batch_log_add(cli_batch_log *log, json_t *record)
{
	char *line = cli_json_line(record);
	const size_t n = line ? strlen(line) : 0;
	WSI_HAVE(line, "%s: not enough memory for a record", log->path);
	errno = ENOSPC;
	const ssize_t written = write(log->fd, line, n);
	free(line);
	return written == (ssize_t)n ? WS_OK : wsi_write_fail(log->path);
}

void
cli_batch_log_close(cli_batch_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
	*log = (cli_batch_log){ .fd = -1 };
}
