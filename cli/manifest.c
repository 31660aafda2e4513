/* manifest.c - what the blocks of a checkpoint are of. */
#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/newfile.h"
#include "base/status.h"
#include "base/whole.h"
#include "basis.h"
#include "io/result/provenance.h"
#include "io/write/outfile.h"
#include "json.h"

/* Of the layout of manifest and blocks. */
#define LAYOUT 1

/* Bytes that a manifest has at most. */
#define LARGEST ((off_t)64 << 20)

static ws_status
no_memory(const char *folder)
{
	return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for its manifest", folder);
}

const char *
cli_manifest_text(const cli_manifest *m, const char *key)
{
	const char *text = json_string_value(json_object_get(m->root, key));
	return text ? text : "";
}

static size_t
number_of(const json_t *root, const char *key)
{
	const json_int_t value = json_integer_value(json_object_get(root, key));
	return value > 0 ? (size_t)value : 0;
}

/* ---- Reading ------------------------------------------------------------------------ */

/* The whole file, with a zero behind it, to free(). */
static char *
read_file(int fd, size_t *n)
{
	struct stat st;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST)
		return NULL;
	char *text = malloc((size_t)st.st_size + 1);
	*n = text ? wsi_whole_read(fd, text, (size_t)st.st_size, 0) : 0;
	if (text)
		text[*n] = '\0';
	return text;
}

/* Text of a manifest whose checksum is right; NULL: it is none. */
static json_t *
parse(char *text, size_t n)
{
	char *end = memchr(text, '\n', n);
	uint32_t crc;
	if (!end || sscanf(end + 1, "%8" SCNx32, &crc) != 1
	    || crc != wsi_crc32(0, text, (size_t)(end - text)))
		return NULL;
	return json_loadb(text, (size_t)(end - text), 0, NULL);
}

ws_status
cli_manifest_read(cli_manifest *m, const char *folder)
{
	char path[4200];
	size_t n;
	*m = (cli_manifest){ 0 };
	snprintf(path, sizeof path, "%s/" CLI_MANIFEST, folder);
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return WS_OK;
	if (fd < 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
	char *text = read_file(fd, &n);
	close(fd);
	m->root = text ? parse(text, n) : NULL;
	free(text);
	if (!m->root || sscanf(cli_manifest_text(m, "id"), "%" SCNx64, &m->id) != 1) {
		cli_manifest_free(m);
		return WSI_FAIL(WS_E_FORMAT, "%s: is damaged; `overwrite` begins anew", path);
	}
	m->block = number_of(m->root, "block");
	m->part = number_of(m->root, "part");
	m->cells = number_of(m->root, "cells");
	return WS_OK;
}

void
cli_manifest_free(cli_manifest *m)
{
	json_decref(m->root);
	*m = (cli_manifest){ 0 };
}

/* ---- Writing ------------------------------------------------------------------------ */

/* What makes its bits: "any" device, or one of a kind. */
static void
name_device(const ws_run *run, char device[WSI_GPU_MODEL + 64])
{
	char model[WSI_GPU_MODEL];
	if (!wsi_run_depends_on_device(run))
		strcpy(device, "any");
	else if (!wsi_gpu_model(ws_run_device(run), model))
		strcpy(device, "cpu");
	else
		snprintf(device, WSI_GPU_MODEL + 64, "cuda, %s, parts of %zu", model,
		         wsi_run_cut_of(run).part);
}

/* "modes f64 8x14x30504, ..", to free(). */
static char *
name_arrays(const cli_outputs *o)
{
	size_t size = 1, used = 0;
	for (int i = 0; i < o->n; i++)
		size += strlen(o->arrays[i].name) + 32 + 24 * WS_MOST_AXES;
	char *text = calloc(size, 1);
	for (int i = 0; text && i < o->n; i++) {
		const ws_array *a = &o->arrays[i];
		used += (size_t)snprintf(text + used, size - used, "%s%s %s ", i ? ", " : "",
		                         a->name, cli_type_name(a->type));
		for (int k = 0; k < a->rank; k++)
			used += (size_t)snprintf(text + used, size - used, "%s%zu", k ? "x" : "",
			                         a->extent[k]);
	}
	return text;
}

static uint64_t
new_id(void)
{
	uint64_t id;
	if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
		id = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
	return id >> 2; /* ranks agree on numbers of 63 bits */
}

/* Writes text and its checksum, each a line. */
static ws_status
write_text(const char *folder, const char *text)
{
	char path[4200], line[16];
	wsi_newfile file, *const files[] = { &file };
	size_t failed;
	snprintf(path, sizeof path, "%s/" CLI_MANIFEST, folder);
	snprintf(line, sizeof line, "\n%08" PRIx32 "\n", wsi_crc32(0, text, strlen(text)));
	errno = wsi_newfile_open(&file, path, true);
	if (errno)
		return wsi_write_fail(path);
	errno = ENOSPC;
	const bool written = write(file.fd, text, strlen(text)) == (ssize_t)strlen(text)
	                     && write(file.fd, line, strlen(line)) == (ssize_t)strlen(line);
	if (written)
		errno = wsi_newfile_commit(files, 1, &failed);
	const ws_status status = written && !errno ? WS_OK : wsi_write_fail(path);
	wsi_newfile_close(&file);
	return status;
}

static void
add_command(json_t *root, const cli_args *args)
{
	char clock[32] = "", folder[4096], host[256] = "";
	const time_t now = time(NULL);
	struct tm tm;
	if (gmtime_r(&now, &tm))
		strftime(clock, sizeof clock, "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_t *words = json_array();
	for (char **word = args->command_line; *word; word++)
		json_array_append_new(words, cli_json_text(*word));
	json_object_set_new(root, "arguments", words);
	json_object_set_new(root, "begun", json_string(clock));
	if (getcwd(folder, sizeof folder))
		json_object_set_new(root, "in", cli_json_text(folder));
	if (gethostname(host, sizeof host - 1) == 0)
		json_object_set_new(root, "host", cli_json_text(host));
}

ws_status
cli_manifest_write(cli_manifest *m, const char *folder, const cli_args *args, const wsi_input *in,
                   const ws_run *run, const cli_outputs *outputs)
{
	const wsi_run_rows last = wsi_run_rows_of(run, ws_run_blocks(run) - 1);
	const wsi_run_cut cut = wsi_run_cut_of(run);
	char device[WSI_GPU_MODEL + 64], id[32];
	json_t *files;
	*m = (cli_manifest){ .id = new_id(), .block = cut.block, .part = cut.part,
		.cells = (last.channel + last.channels) * (last.row + last.rows) };
	WSI_TRY(cli_basis_files(&files, args, in));
	char *arrays = name_arrays(outputs);
	name_device(run, device);
	snprintf(id, sizeof id, "%016" PRIx64, m->id);
	m->root = json_object();
	json_object_set_new(m->root, "layout", json_integer(LAYOUT));
	json_object_set_new(m->root, "id", json_string(id));
	json_object_set_new(m->root, "version", json_string(ws_version()));
	json_object_set_new(m->root, "numerics_version", json_integer(ws_numerics_version()));
	json_object_set_new(m->root, "command", cli_json_text(args->command.name));
	add_command(m->root, args);
	json_object_set_new(m->root, "options", cli_basis_options(args));
	json_object_set_new(m->root, "files", files);
	json_object_set_new(m->root, "device", cli_json_text(device));
	json_object_set_new(m->root, "arrays", json_string(arrays ? arrays : ""));
	json_object_set_new(m->root, "cells", json_integer((json_int_t)m->cells));
	json_object_set_new(m->root, "block", json_integer((json_int_t)m->block));
	json_object_set_new(m->root, "part", json_integer((json_int_t)m->part));
	char *text = cli_json_dump(m->root, JSON_COMPACT | JSON_ENSURE_ASCII);
	const bool whole = arrays && text && json_object_size(m->root) >= 13;
	const ws_status status = whole ? write_text(folder, text) : no_memory(folder);
	free(arrays);
	free(text);
	return status;
}

/* ---- Comparing ------------------------------------------------------------------------ */

/* what: differs, and how. */
static ws_status
refuse(const char *folder, const char *what)
{
	return WSI_FAIL(WS_E_EXISTS, "%s: was begun %s; `overwrite` begins anew", folder, what);
}

ws_status
cli_manifest_check(const cli_manifest *m, const char *folder, const cli_args *args)
{
	const char *version = cli_manifest_text(m, "version");
	const char *command = cli_manifest_text(m, "command");
	const size_t numerics = number_of(m->root, "numerics_version");
	char what[512], differs[600];
	if (number_of(m->root, "layout") != LAYOUT || strcmp(version, ws_version()) != 0
	    || (int)numerics != ws_numerics_version())
		snprintf(differs, sizeof differs, "by wavesift %.40s, numerics version %zu, this "
		         "is %s, %d", version, numerics, ws_version(), ws_numerics_version());
	else if (strcmp(command, args->command.name) != 0)
		snprintf(differs, sizeof differs, "by %.40s", command);
	else if (cli_basis_options_differ(json_object_get(m->root, "options"), args, what,
	                                  sizeof what))
		snprintf(differs, sizeof differs, "with other options (%s)", what);
	else if (cli_basis_files_differ(json_object_get(m->root, "files"), args, what, sizeof what))
		snprintf(differs, sizeof differs, "with another input (%s)", what);
	else
		return WS_OK;
	return refuse(folder, differs);
}

ws_status
cli_manifest_check_run(const cli_manifest *m, const char *folder, const ws_run *run,
                       const cli_outputs *outputs)
{
	char device[WSI_GPU_MODEL + 64];
	const char *then = cli_manifest_text(m, "device");
	name_device(run, device);
	if (strcmp(then, device) != 0)
		return WSI_FAIL(WS_E_EXISTS, "%s: was begun on another device (%.80s there, %s "
		                "here), whose Fourier transforms differ in last digits; choose it "
		                "by `device`, or `overwrite` begins anew", folder, then, device);
	char *arrays = name_arrays(outputs);
	if (!arrays)
		return no_memory(folder);
	const bool same = strcmp(arrays, cli_manifest_text(m, "arrays")) == 0;
	free(arrays);
	return same ? WS_OK : refuse(folder, "for other arrays");
}

/* Is a file, of name and contents, among these of other contents? */
static bool
differs_from(const json_t *file, const json_t *files)
{
	const json_t *other;
	size_t i;
	json_array_foreach(files, i, other)
		if (json_equal(json_object_get(file, "name"), json_object_get(other, "name")))
			return !json_equal(json_object_get(file, "sha256"),
			                   json_object_get(other, "sha256"));
	return false;
}

ws_status
cli_manifest_check_read(const cli_manifest *m, const char *folder, const cli_args *args,
                        const wsi_input *in)
{
	json_t *now, *file;
	char what[300];
	ws_status status = WS_OK;
	size_t i;
	WSI_TRY(cli_basis_files(&now, args, in));
	json_array_foreach(now, i, file) {
		if (!differs_from(file, json_object_get(m->root, "files")))
			continue;
		snprintf(what, sizeof what, "with another input (%.200s: its contents are others)",
		         json_string_value(json_object_get(file, "name")));
		status = refuse(folder, what);
	}
	json_decref(now);
	return status;
}
