/* batch_names.c - what the result of each recording of a batch is called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "batch_inputs.h"
#include "bids.h"
#include "values.h"

/* Of names, the part that the label has: without ending, or whole. */
static int
label_length(const cli_recording *r, bool whole)
{
	const char *name = wsi_base_name(r->path);
	return whole ? (int)strlen(name) : cli_stem_length(name);
}

/* folders: the part of the folder's name that the label begins with, and a slash; or "". */
static ws_status
set_label(cli_recording *r, const char *folders, bool whole, const char *command)
{
	const char *name = wsi_base_name(r->path);
	const int length = label_length(r, whole);
	const size_t size = strlen(folders) + (size_t)length + strlen(command) + 3;
	WSI_NEW(r->label, size, "not enough memory for the names of results");
	snprintf(r->label, size, "%s%s%.*s_%s", folders, *folders ? "/" : "", length, name,
	         command);
	return WS_OK;
}

static int
compare_stems(const cli_recording *a, const cli_recording *b)
{
	const int n = label_length(a, false), m = label_length(b, false);
	const int order = strncmp(wsi_base_name(a->path), wsi_base_name(b->path),
	                          (size_t)(n < m ? n : m));
	return order ? order : (n > m) - (n < m);
}

static int
by_stem(const void *a, const void *b)
{
	const cli_recording *x = a, *y = b;
	int order = (y->dataset != NULL) - (x->dataset != NULL);
	if (order == 0)
		order = compare_stems(x, y);
	if (order == 0)
		order = strcmp(x->folder, y->folder);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int
by_label(const void *a, const void *b)
{
	const cli_recording *x = a, *y = b;
	const int order = strcmp(x->label, y->label);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* How much of both names is the same folders, with the slash behind them. */
static size_t
common_folders(const char *a, const char *b)
{
	size_t n = 0, folders = 0;
	while (a[n] && a[n] == b[n])
		if (a[n++] == '/')
			folders = n;
	/* One may lie in the other's folder. */
	if (!a[n] && (!b[n] || b[n] == '/'))
		return n + (b[n] == '/');
	return !b[n] && a[n] == '/' ? n + 1 : folders;
}

static const char *
behind(const char *folder, size_t common)
{
	return strlen(folder) > common ? folder + common : "";
}

/* Recordings of one stem, by folder. */
static ws_status
name_group(cli_recording *r, size_t n, const char *command)
{
	size_t common = strlen(r[0].folder) + 1;
	for (size_t i = 0; i < n; i++) {
		const size_t shared = common_folders(r[0].folder, r[i].folder);
		common = shared < common ? shared : common;
	}
	for (size_t i = 0; i < n; i++) {
		const bool whole = (i > 0 && strcmp(r[i].folder, r[i - 1].folder) == 0)
		                   || (i + 1 < n && strcmp(r[i].folder, r[i + 1].folder) == 0);
		WSI_TRY(set_label(&r[i], behind(r[i].folder, common), whole, command));
	}
	return WS_OK;
}

static ws_status
check_apart(cli_inputs *in)
{
	qsort(in->all, in->n, sizeof *in->all, by_label);
	for (size_t i = 1; i < in->n; i++)
		if (strcmp(in->all[i - 1].label, in->all[i].label) == 0)
			return WSI_FAIL(WS_E_ARG, "%s and %s: their results would have one name; "
			                "analyse them into different folders", in->all[i - 1].path,
			                in->all[i].path);
	return WS_OK;
}

ws_status
cli_inputs_name(cli_inputs *in, const char *command)
{
	ws_status status = WS_OK;
	qsort(in->all, in->n, sizeof *in->all, by_stem);
	size_t first = 0;
	for (; first < in->n && in->all[first].dataset && status == WS_OK; first++)
		status = cli_bids_name(&in->all[first], command);
	for (size_t i = first, end; i < in->n && status == WS_OK; i = end) {
		for (end = i + 1; end < in->n && compare_stems(&in->all[i], &in->all[end]) == 0;)
			end++;
		status = name_group(&in->all[i], end - i, command);
	}
	if (status == WS_OK)
		status = check_apart(in);
	cli_inputs_sort(in);
	return status;
}
