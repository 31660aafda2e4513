/* array_list.c - the arrays of a result that is open as a recording. */
#include "io/result/array_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "io/read/clean.h"
#include "io/read/file.h"

ws_status
wsi_arrays_make(wsi_recording *rec, size_t arrays, size_t facts)
{
	wsi_arrays *a = rec->arrays = calloc(1, sizeof *a);
	if (a) {
		a->items = calloc(arrays + 1, sizeof *a->items);
		a->facts = calloc(2 * facts + 2, sizeof *a->facts);
	}
	return a && a->items && a->facts ? WS_OK
	       : WSI_FAIL(WS_E_NOMEM, "%s: no memory for its arrays", rec->path);
}

void
wsi_arrays_free(wsi_arrays *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->items && i < a->n; ++i)
		free(a->items[i].name);
	for (size_t i = 0; a->facts && i < 2 * a->n_facts; ++i)
		free(a->facts[i]);
	free(a->items);
	free(a->facts);
	free(a);
}

bool
wsi_stored_count(wsi_stored_array *a)
{
	size_t all;
	a->lines = 1;
	for (int i = 0; i < a->rank - 1; ++i)
		if (!wsi_mul_size(a->lines, a->extent[i], &a->lines))
			return false;
	return wsi_mul_size(a->lines, wsi_stored_length(a), &all)
	       && wsi_mul_size(all, 2 * sizeof(double), &all);
}

ws_status
wsi_arrays_add(wsi_recording *rec, wsi_stored_array a, const char *name)
{
	wsi_arrays *to = rec->arrays;
	if (!wsi_stored_count(&a))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s claims more values than the file can "
		                "hold", rec->path, name);
	if (to->n == WSI_MOST_STORED)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: it has more than %d arrays", rec->path,
		                WSI_MOST_STORED);
	a.name = wsi_clean_name(name);
	WSI_HAVE(a.name, "%s: no memory for its arrays", rec->path);
	to->items[to->n++] = a;
	return WS_OK;
}

void
wsi_stored_place(const wsi_stored_array *a, size_t line, size_t first, size_t *start)
{
	start[a->rank - 1] = first;
	for (int i = a->rank - 2; i >= 0; --i) {
		start[i] = line % (a->extent[i] ? a->extent[i] : 1);
		line /= a->extent[i] ? a->extent[i] : 1;
	}
}

const wsi_stored_array *
wsi_arrays_find(const wsi_recording *rec, const char *name)
{
	for (size_t i = 0; i < rec->arrays->n; ++i)
		if (strcmp(rec->arrays->items[i].name, name) == 0)
			return &rec->arrays->items[i];
	return NULL;
}

bool
wsi_arrays_is_time(const wsi_recording *rec, const wsi_stored_array *a)
{
	const char *end = strrchr(a->name, '_');
	if (a->rank != 1 || strcmp(end ? end + 1 : a->name, "time") != 0)
		return false;
	bool of_array = !end || strcmp(a->name, WSI_COARSE_TIME) == 0;
	for (size_t i = 0; i < rec->arrays->n && !of_array; ++i) {
		const char *name = rec->arrays->items[i].name;
		const size_t n = strlen(name);
		of_array = n == (size_t)(end - a->name) && memcmp(name, a->name, n) == 0;
	}
	return of_array;
}

const char *
wsi_arrays_fact(const wsi_recording *rec, const char *name)
{
	char *const *facts = rec->arrays->facts;
	for (size_t i = 0; i < rec->arrays->n_facts; ++i)
		if (strcmp(facts[2 * i], name) == 0)
			return facts[2 * i + 1];
	return "";
}
