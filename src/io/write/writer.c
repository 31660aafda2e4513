/*
 * writer.c - a result on its way to disk: which format, under which name.
 *
 * Everything is written to a temporary name in the output's folder, flushed
 * to the disk and renamed, so that the output is whole or absent.
 */
#define _GNU_SOURCE /* asprintf, renameat2 */
#include "io/write/writer_format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/read/readers.h"
#include "io/result/sidecar.h"
#include "io/write/writer_sidecar.h"

static const wsi_writer_format *const formats[] = {
	&wsi_writer_hdf5, &wsi_writer_npy, &wsi_writer_mat, &wsi_writer_csv,
};

/* ---- Life of a writer ------------------------------------------------------ */

static void
destroy(wsi_writer *w)
{
	if (w->format)
		w->format->close(w);
	wsi_sidecar_close(w);
	wsi_newfile_close(&w->file);
	for (size_t i = 0; w->entries && i < w->n_entries; ++i)
		free(w->entries[i].got);
	free(w->part);
	free(w->path);
	wsi_kept_free(&w->kept);
	free(w);
}

/* n texts ("" for NULL) as one block; those that follow an equal one share it: of a million
 * channels few have a unit of their own. */
static const char *const *
copy_names(wsi_kept *kept, const char *const *names, size_t n)
{
	const char *last = NULL;
	size_t bytes = (n + 1) * sizeof(char *);
	for (size_t i = 0; i < n; ++i) {
		const char *name = names && names[i] ? names[i] : "";
		bytes += last && strcmp(name, last) == 0 ? 0 : strlen(name) + 1;
		last = name;
	}
	const char **copy = wsi_kept_new(kept, bytes, 1);
	char *to = (char *)(copy + n + 1);
	for (size_t i = 0; copy && i < n; ++i) {
		const char *name = names && names[i] ? names[i] : "";
		if (i > 0 && strcmp(name, copy[i - 1]) == 0) {
			copy[i] = copy[i - 1];
			continue;
		}
		copy[i] = to;
		to = stpcpy(to, name) + 1;
	}
	return copy;
}

/* 1, 2, .. where the caller has none. */
static const int32_t *
copy_epochs(wsi_kept *kept, const wsi_result_header *h)
{
	int32_t *copy = wsi_kept_new(kept, h->epochs, sizeof *copy);
	for (size_t i = 0; copy && i < h->epochs; ++i)
		copy[i] = h->epoch_numbers ? h->epoch_numbers[i] : (int32_t)i + 1;
	return copy;
}

static const ws_fact *
copy_facts(wsi_kept *kept, const wsi_result_header *h)
{
	ws_fact *copy = wsi_kept_new(kept, h->n_facts, sizeof *copy);
	if (copy && h->n_facts)
		memcpy(copy, h->facts, h->n_facts * sizeof *copy);
	return copy;
}

/* The header with its own copies of what is needed after open. */
static ws_status
copy_header(wsi_writer *w, const wsi_result_header *from)
{
	wsi_result_header *h = &w->header;
	wsi_kept *kept = &w->kept;
	*h = *from;
	h->channel_names = copy_names(kept, from->channel_names, from->channels);
	h->units = copy_names(kept, from->units, from->channels);
	h->start_time = wsi_kept_text(kept, from->start_time ? from->start_time : "");
	h->folder = wsi_kept_text(kept, from->folder ? from->folder : "");
	h->epoch_numbers = copy_epochs(kept, from);
	h->facts = copy_facts(kept, from);
	WSI_HAVE(!kept->failed, "%s: out of memory", w->path);
	return wsi_writer_take_arrays(w, from);
}

static ws_status
check_header(const char *path, const wsi_result_header *h)
{
	size_t entries;
	if (h->channels == 0 || h->samples == 0)
		return WSI_FAIL(WS_E_ARG, "%s: a result needs at least one channel and one sample",
		                path);
	if (!(h->fs > 0) || !isfinite(h->fs))
		return WSI_FAIL(WS_E_ARG, "%s: the sampling rate must be above 0, not %g", path,
		                h->fs);
	if (__builtin_mul_overflow(wsi_header_epochs(h), h->channels, &entries))
		return WSI_FAIL(WS_E_ARG, "%s: a result of %zu epochs and %zu channels is beyond "
		                "any file", path, h->epochs, h->channels);
	return WS_OK;
}

static const wsi_writer_format *
format_of(const char *path)
{
	if (strcmp(path, "-") == 0)
		return &wsi_writer_csv;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
		if (wsi_name_ends(path, formats[i]->ending))
			return formats[i];
	return NULL;
}

static ws_status
create_file(wsi_writer *w)
{
	errno = wsi_newfile_open(&w->file, w->path, w->overwrite);
	if (errno)
		return wsi_write_fail(w->path);
	w->temp = w->file.temp;
	return WS_OK;
}

static ws_status
take_header(wsi_writer *w, const char *path, const wsi_result_header *header)
{
	w->path = wsi_strdup(path);
	return w->path ? copy_header(w, header) : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
}

static ws_status
open_parts(wsi_writer *w, const char *path, const wsi_result_header *header,
           const wsi_writer_format *format)
{
	WSI_TRY(take_header(w, path, header));
	if (strcmp(path, "-") != 0)
		WSI_TRY(create_file(w));
	w->format = format;
	return format->open(w);
}

ws_status
wsi_folder_check(const char *path)
{
	errno = wsi_target_check_folder(path);
	return errno ? wsi_write_fail(path) : WS_OK;
}

ws_status
wsi_writer_check(const char *path, bool overwrite)
{
	if (!format_of(path))
		return WSI_FAIL(WS_E_ARG, "%s: the ending of an output must be .h5, .npy, "
		                ".mat or .csv", path);
	if (strcmp(path, "-") == 0)
		return WS_OK;
	WSI_TRY(wsi_output_check(path, overwrite));
	if (format_of(path) == &wsi_writer_npy) {
		char *sidecar = wsi_sidecar_path(path);
		const ws_status status = sidecar ? wsi_output_check(sidecar,
		                                 wsi_sidecar_replaces(path, overwrite))
		                         : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
		free(sidecar);
		WSI_TRY(status);
	}
	return wsi_folder_check(path);
}

ws_status
wsi_writer_open(wsi_writer **writer, const char *path,
                const wsi_result_header *header, bool overwrite)
{
	*writer = NULL;
	WSI_TRY(check_header(path, header));
	WSI_TRY(wsi_writer_check(path, overwrite));
	const wsi_writer_format *format = format_of(path);
	wsi_writer *w;
	WSI_NEW(w, 1, "%s: out of memory", path);
	w->overwrite = overwrite;
	ws_status status = open_parts(w, path, header, format);
	if (status != WS_OK)
		destroy(w);
	else
		*writer = w;
	return status;
}

/* ---- Several processes ----------------------------------------------------- */

ws_status
wsi_writer_places(wsi_writer *w, wsi_places *places)
{
	struct stat st;
	*places = (wsi_places){ 0 };
	if (!w->format->places || !w->temp || strlen(w->temp) >= sizeof places->temp
	    || fstat(w->file.fd, &st) != 0)
		return WS_OK;
	strcpy(places->temp, w->temp);
	places->inode = st.st_ino;
	return w->format->places(w, places);
}

static ws_status
join_parts(wsi_writer *w, const char *path, const wsi_result_header *header,
           const wsi_places *places)
{
	WSI_TRY(take_header(w, path, header));
	errno = wsi_newfile_join(&w->file, path, places->temp, places->inode);
	if (errno)
		return wsi_write_fail(path);
	w->temp = w->file.temp;
	w->format = &wsi_writer_joined;
	return wsi_joined_open(w, places);
}

ws_status
wsi_writer_join(wsi_writer **writer, const char *path, const wsi_result_header *header,
                const wsi_places *places)
{
	*writer = NULL;
	WSI_TRY(check_header(path, header));
	wsi_writer *w;
	WSI_NEW(w, 1, "%s: out of memory", path);
	const ws_status status = join_parts(w, path, header, places);
	if (status != WS_OK)
		destroy(w);
	else
		*writer = w;
	return status;
}

bool
wsi_writer_is_shared(const wsi_writer *w)
{
	return wsi_newfile_is_shared(&w->file);
}

ws_status
wsi_writer_settle(wsi_writer *w)
{
	return w->format->finish(w, NULL, 0);
}

void
wsi_writer_expect(wsi_writer *w, const uint32_t *const *sums)
{
	w->expected = sums;
}

ws_fact *
wsi_writer_facts(const wsi_writer *w, const ws_fact *facts, size_t n_facts, size_t *n)
{
	const size_t told = w->header.n_facts;
	ws_fact *all = malloc((told + n_facts + 1) * sizeof *all);
	*n = 0;
	for (size_t i = 0; all && i < told + n_facts; ++i) {
		const ws_fact *fact = i < told ? &w->header.facts[i] : &facts[i - told];
		size_t at = 0;
		while (at < *n && strcmp(all[at].key, fact->key) != 0)
			++at;
		all[at] = *fact;
		*n += at == *n;
	}
	return all;
}

const char *
wsi_writer_faint(const wsi_writer *w, const char **channel)
{
	*channel = w->faint_channel;
	return w->faint;
}

/* ---- Commit ---------------------------------------------------------------- */

ws_status
wsi_writer_finish(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	if (w->n_complete != w->n_entries)
		return WSI_FAIL(WS_E_ARG, "%s: %zu of %zu channels were put", w->path,
		                w->n_complete, w->n_entries);
	return w->format->finish(w, facts, n_facts);
}

size_t
wsi_writer_complete(const wsi_writer *w, wsi_complete files[2])
{
	files[0] = (wsi_complete){ (wsi_newfile *)&w->file, w->path };
	if (w->sidecar)
		wsi_sidecar_complete(w, &files[1]);
	return w->temp ? 1 + (w->sidecar != NULL) : 0;
}

void
wsi_writer_abort(wsi_writer *w)
{
	if (w)
		destroy(w);
}
