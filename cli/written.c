/* written.c - the files that a command writes. */
#include "written.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/target.h"
#include "base/status.h"
#include "io/read/opened.h"
#include "io/read/readers.h"
#include "io/write/outfile.h"
#include "io/write/writer_sidecar.h"
#include "options.h"

#define MOST_WRITTEN 8
#define MOST_NAME 4104

typedef struct written {
	const char *option, *path;
} written;

/* All of them; how many.  beside: room for the name of what stands beside a .npy. */
static int
list(const cli_args *args, const char *output, char beside[MOST_NAME], written to[MOST_WRITTEN])
{
	const ws_option *o;
	int n = 0;
	if (output && wsi_name_ends(output, ".npy") && strlen(output) < MOST_NAME - 5) {
		sprintf(beside, "%s.json", output);
		to[n++] = (written){ "output", beside };
	}
	for (int i = 0; (o = cli_option_at(&args->command, i)) && n < MOST_WRITTEN; i++) {
		if (!cli_option_is_written(o))
			continue;
		const char *path = *(const char *const *)((const char *)args + o->offset);
		if (strcmp(o->name, "output") == 0)
			path = output;
		if (path && strcmp(path, "-") != 0)
			to[n++] = (written){ o->name, path };
	}
	return n;
}

/* Is it the file that a descriptor of ours has open? */
static bool
is_open_as(int fd, const char *path)
{
	struct stat x, y;
	return fstat(fd, &x) == 0 && S_ISREG(x.st_mode) && wsi_target_stat(path, &y) == 0
	       && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

ws_status
cli_written_hold(const cli_args *args, const char *output)
{
	written all[MOST_WRITTEN];
	char beside[MOST_NAME];
	const int n = list(args, output, beside, all);
	for (int i = 0; i < n; i++) {
		const bool sidecar = all[i].path == beside;
		errno = wsi_target_hold(all[i].path, sidecar ? wsi_sidecar_replaces(output,
		                        args->overwrite) : args->overwrite);
		if (errno)
			return wsi_write_fail(all[i].path);
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if (wsi_target_same(wsi_target_held(all[i].path, NULL),
			                   wsi_target_held(all[k].path, NULL)))
				return WSI_FAIL(WS_E_ARG, "--%s %s: is the file of --%s, too; "
				                "choose another name", all[i].option, all[i].path,
				                all[k].option);
	return WS_OK;
}

ws_status
cli_written_check(const cli_args *args, const char *output)
{
	written all[MOST_WRITTEN];
	char beside[MOST_NAME];
	const int n = list(args, output, beside, all);
	for (int i = 0; i < n; i++) {
		WSI_TRY(wsi_opened_check(args->opened, all[i].path));
		if (is_open_as(STDOUT_FILENO, all[i].path)
		    || is_open_as(STDERR_FILENO, all[i].path))
			return WSI_FAIL(WS_E_ARG, "%s: standard output or standard error goes "
			                "there; choose another name", all[i].path);
	}
	return WS_OK;
}
