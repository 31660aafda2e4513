/* mat_pick.c - which array of a MAT file is the recording. */
#include "io/read/mat_pick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_array(const wsi_recording *rec, const wsi_mat_var *v)
{
	return (wsi_mat_is_numeric(v) || (rec->opts.masks && wsi_mat_is_complex(v)))
	       && (v->rank == 2 || v->rank == 3);
}

static bool
is_candidate(const wsi_recording *rec, const wsi_mat_var *v)
{
	return is_array(rec, v) && (v->dims[0] > 1 || v->dims[1] > 1);
}

bool
wsi_mat_pick_is_vector(const wsi_mat_var *v)
{
	return wsi_mat_is_numeric(v) && v->rank == 2 && v->n > 1
	       && (v->dims[0] == 1 || v->dims[1] == 1);
}

/* Times beside the signal, by their name. */
static bool
is_times(const wsi_mat_var *v)
{
	size_t i = 0;
	while (v->name && wsi_time_names[i] && strcmp(v->name, wsi_time_names[i]) != 0)
		++i;
	return v->name && wsi_time_names[i] && wsi_mat_pick_is_vector(v);
}

static bool
has_field(const wsi_mat_var *v, const char *name)
{
	for (size_t k = 0; k < v->n_fields; ++k)
		if (strcmp(v->fields[k], name) == 0)
			return true;
	return false;
}

/* What FieldTrip calls raw data, loaded. */
static bool
is_fieldtrip(const wsi_mat_var *v)
{
	return v && v->class == WSI_MAT_STRUCT && v->n == 1 && has_field(v, "trial")
	       && has_field(v, "label") && (has_field(v, "time") || has_field(v, "fsample"));
}

/* ---- Names for messages ------------------------------------------------------------------ */

typedef struct list {
	char text[512];
	size_t n;
} list;

static void
add_name(list *l, const char *of, const char *name)
{
	const size_t at = strlen(l->text);
	snprintf(l->text + at, sizeof l->text - at, "%s%s%s%s", l->n ? ", " : "", of ? of : "",
	         of ? "." : "", name ? name : "?");
	l->n++;
}

/* The fields of a struct that can be chosen. */
static ws_status
list_fields(const wsi_recording *rec, wsi_mat *m, wsi_mat_var *v, const char *of, list *l)
{
	for (size_t k = 0; k < v->n_fields && v->n == 1; ++k) {
		wsi_mat_var *field;
		WSI_TRY(wsi_mat_field(m, v, v->fields[k], 0, &field));
		if (is_candidate(rec, field))
			add_name(l, of, v->fields[k]);
		wsi_mat_free(field);
	}
	return WS_OK;
}

/* ---- Arrays of one shape ------------------------------------------------------------------ */

static ws_status
take_one(wsi_mat_pick *p, const wsi_recording *rec, wsi_mat_var *v)
{
	p->arrays = malloc(sizeof *p->arrays);
	if (!p->arrays) {
		wsi_mat_free(v);
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", rec->path);
	}
	p->arrays[0] = v;
	p->n = 1;
	return WS_OK;
}

static ws_status
refuse_lengths(const wsi_mat_pick *p, const wsi_recording *rec, const char *name)
{
	const wsi_mat_var *a = p->arrays[0], *b = p->arrays[p->n - 1];
	return WSI_FAIL(WS_E_FORMAT, "%s: the arrays of %s differ in size (%zu x %zu, and number "
	                "%zu %zu x %zu); choose one, such as `variable '%s{1}'`, or cut all to one "
	                "length", rec->path, name, a->dims[0], a->dims[1], p->n, b->dims[0],
	                b->dims[1], name);
}

/* Every cell is an epoch. */
static ws_status
take_cells(wsi_mat_pick *p, const wsi_recording *rec, wsi_mat *m, wsi_mat_var *v, const char *name)
{
	WSI_TRY(wsi_mat_load(m, v));
	if (v->n == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: %s is empty", rec->path, name);
	WSI_NEW(p->arrays, v->n, "%s: no memory for %zu epochs", rec->path, v->n);
	for (size_t i = 0; i < v->n; ++i) {
		WSI_TRY(wsi_mat_cell(m, v, i, &p->arrays[i]));
		p->n = i + 1;
		const wsi_mat_var *cell = p->arrays[i], *first = p->arrays[0];
		if (!wsi_mat_is_numeric(cell) || cell->rank != 2 || (rec->opts.masks && v->n > 1))
			return WSI_FAIL(WS_E_FORMAT, "%s: cell %zu of %s is not an array of real "
			                "numbers of two dimensions; choose another with "
			                "`variable`", rec->path, i + 1, name);
		if (cell->dims[0] != first->dims[0] || cell->dims[1] != first->dims[1])
			return refuse_lengths(p, rec, name);
	}
	return WS_OK;
}

/* Takes v, a FieldTrip structure called name. */
static ws_status
take_fieldtrip(wsi_mat_pick *p, const wsi_recording *rec, wsi_mat *m, wsi_mat_var *v,
               const char *name)
{
	wsi_mat_var *trials;
	char whole[300];
	p->in = v;
	p->fieldtrip = true;
	snprintf(whole, sizeof whole, "%s.trial", name);
	WSI_TRY(wsi_mat_field(m, v, "trial", 0, &trials));
	ws_status status;
	if (trials && trials->class == WSI_MAT_CELL)
		status = take_cells(p, rec, m, trials, whole);
	else
		status = WSI_FAIL(WS_E_FORMAT, "%s: %s is no cell array of trials, so not "
		                  "FieldTrip's raw data; choose an array with `variable`",
		                  rec->path, whole);
	wsi_mat_free(trials);
	return status;
}

/* ---- The only one -------------------------------------------------------------------------- */

typedef struct search {
	size_t arrays, structs;
	wsi_mat_var *array, *times, *fieldtrip;
	bool eeglab;
	list names, fields;
} search;

/* That what is no candidate is none, its checksum must confirm. */
static ws_status
consider(const wsi_recording *rec, wsi_mat *m, wsi_mat_var *v, search *s)
{
	s->eeglab = s->eeglab || (v->class == WSI_MAT_STRUCT && v->name
	                          && strcmp(v->name, "EEG") == 0);
	if (!s->times && !rec->opts.masks && is_times(v)) {
		s->times = v;
		return WS_OK;
	}
	if (is_candidate(rec, v)) {
		add_name(&s->names, NULL, v->name);
		s->arrays++;
		s->array = v;
		return WS_OK;
	}
	if (v->class != WSI_MAT_STRUCT || v->n != 1)
		return wsi_mat_verify(m, v);
	WSI_TRY(wsi_mat_load(m, v));
	if (is_fieldtrip(v)) {
		add_name(&s->names, NULL, v->name);
		s->structs++;
		s->fieldtrip = v;
		return WS_OK;
	}
	return list_fields(rec, m, v, v->name, &s->fields);
}

/* MATLAB users keep short vectors beside their data, so several candidates are told, not guessed
 * at. */
static ws_status
find_array(wsi_mat_pick *p, const wsi_recording *rec, wsi_mat *m)
{
	search s = { 0 };
	for (size_t i = 0; i < m->n_vars; ++i) {
		wsi_mat_var *v;
		WSI_TRY(wsi_mat_variable(m, i, &v));
		WSI_TRY(consider(rec, m, v, &s));
	}
	if (s.names.n > 1)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds several arrays; choose one with "
		                "`variable`: %s", rec->path, s.names.text);
	if (s.arrays || (s.times && !s.structs && !s.eeglab))
		return take_one(p, rec, s.arrays ? s.array : s.times);
	if (s.structs)
		return take_fieldtrip(p, rec, m, s.fieldtrip, s.fieldtrip->name);
	if (s.eeglab)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds an EEGLAB data set; name it .set",
		                rec->path);
	if (s.fields.n)
		return WSI_FAIL(WS_E_FORMAT, "%s: its arrays lie in a struct; choose one with "
		                "`variable`: %s", rec->path, s.fields.text);
	return WSI_FAIL(WS_E_FORMAT, "%s: holds no array of real numbers of two or three "
	                "dimensions", rec->path);
}

/* ---- By name -------------------------------------------------------------------------------- */

/* The struct that a name goes through last, "s" of "s.x{2}"; of "data.trial{2}" also which. */
static ws_status
find_around(wsi_mat_pick *p, wsi_mat *m, const char *name)
{
	char around[256];
	const char *dot = strrchr(name, '.');
	if (!dot || (size_t)(dot - name) >= sizeof around)
		return WS_OK;
	memcpy(around, name, (size_t)(dot - name));
	around[dot - name] = '\0';
	WSI_TRY(wsi_mat_find(m, around, &p->in));
	if (p->in && p->in->class != WSI_MAT_STRUCT) {
		wsi_mat_free(p->in);
		p->in = NULL;
	}
	p->fieldtrip = is_fieldtrip(p->in)
	               && strcspn(dot + 1, "{(") == 5 && strncmp(dot + 1, "trial", 5) == 0;
	p->one_trial = p->fieldtrip && dot[6] == '{';
	if (p->one_trial)
		p->trial = strtoul(dot + 7, NULL, 10) - 1;
	return WS_OK;
}

static ws_status
refuse_struct(const wsi_recording *rec, wsi_mat *m, wsi_mat_var *v, const char *name)
{
	list fields = { .n = 0 };
	WSI_TRY(list_fields(rec, m, v, name, &fields));
	if (fields.n == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: %s is a struct without an array of real numbers",
		                rec->path, name);
	return WSI_FAIL(WS_E_FORMAT, "%s: %s is a struct; choose one of its arrays with "
	                "`variable`: %s", rec->path, name, fields.text);
}

static ws_status
take_named(wsi_mat_pick *p, const wsi_recording *rec, wsi_mat *m, const char *name)
{
	wsi_mat_var *v;
	ws_status status;
	WSI_TRY(wsi_mat_find(m, name, &v));
	if (!v)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no variable %s", rec->path, name);
	if (is_array(rec, v)) {
		WSI_TRY(take_one(p, rec, v));
		return find_around(p, m, name);
	}
	status = wsi_mat_load(m, v);
	if (status == WS_OK && is_fieldtrip(v))
		return take_fieldtrip(p, rec, m, v, name);
	if (status == WS_OK && v->class == WSI_MAT_CELL) {
		status = take_cells(p, rec, m, v, name);
		if (status == WS_OK)
			status = find_around(p, m, name);
	} else if (status == WS_OK && v->class == WSI_MAT_STRUCT) {
		status = refuse_struct(rec, m, v, name);
	} else if (status == WS_OK) {
		status = WSI_FAIL(WS_E_FORMAT, "%s: variable %s is not an array of real numbers of "
		                  "two or three dimensions; choose another with `variable`",
		                  rec->path, name);
	}
	wsi_mat_free(v);
	return status;
}

ws_status
wsi_mat_pick_open(wsi_mat_pick *p, wsi_recording *rec, wsi_mat *m)
{
	const char *name = rec->opts.variable;
	*p = (wsi_mat_pick){ .ours = strstr(m->head, WSI_MAT_OURS) != NULL };
	if (p->ours && !name && !rec->opts.masks) {
		wsi_mat_var *signal;
		WSI_TRY(wsi_mat_find(m, "signal", &signal));
		name = signal ? "signal" : NULL;
		wsi_mat_free(signal);
	}
	p->ours = p->ours && name && strcmp(name, "signal") == 0;
	return name ? take_named(p, rec, m, name) : find_array(p, rec, m);
}

void
wsi_mat_pick_close(wsi_mat_pick *p)
{
	for (size_t i = 0; i < p->n; ++i)
		wsi_mat_free(p->arrays[i]);
	free(p->arrays);
	wsi_mat_free(p->in);
	*p = (wsi_mat_pick){ 0 };
}
