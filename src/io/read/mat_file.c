/* mat_file.c - MAT files of version 4, 5 and 7.3. */
#include "io/read/mat_file.h"

#include <stdlib.h>
#include <string.h>

#include "io/read/mat4.h"
#include "io/read/mat5.h"
#include "io/read/mat73.h"

#define HEAD_BYTES 128

/* ---- The file ------------------------------------------------------------------ */

/* Bytes 124..127 hold the version and "MI" in the writer's byte order. */
static int
version_of(const unsigned char *head, size_t n)
{
	if (n < HEAD_BYTES || memcmp(head, "MATLAB", 6) != 0)
		return 0;
	if (memcmp(head + 126, "IM", 2) == 0)
		return head[124] | head[125] << 8;
	if (memcmp(head + 126, "MI", 2) == 0)
		return head[125] | head[124] << 8;
	return 0;
}

bool
wsi_mat_probe(const unsigned char *head, size_t n)
{
	int version = version_of(head, n);
	return version == 0x0100 || version == 0x0200;
}

static ws_status
tell_version(wsi_mat *m)
{
	unsigned char head[4096];
	const size_t n = m->file.bytes < sizeof head ? (size_t)m->file.bytes : sizeof head;
	WSI_TRY(wsi_file_read(&m->file, 0, head, n));
	const int version = version_of(head, n);
	memcpy(m->head, head, n < sizeof m->head - 1 ? n : sizeof m->head - 1);
	m->version = version == 0x0100 ? 5 : version == 0x0200 ? 73
	             : wsi_mat4_probe(head, n) ? 4 : 0;
	m->big_endian = m->version == 5 && head[126] == 'M';
	if (m->version == 0 && n < HEAD_BYTES)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated: a MAT file begins with 128 bytes, "
		                "this has %zu", m->path, n);
	if (m->version == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: not a MAT file of version 4, 5 or 7.3; "
		                "save it with save(name, '-v7')", m->path);
	return WS_OK;
}

ws_status
wsi_mat_open(wsi_mat *m, const char *path, const char *source, size_t memory)
{
	*m = (wsi_mat){ .path = path, .source = source, .memory = memory, .file = { .fd = -1 },
		.hdf5 = -1 };
	WSI_TRY(wsi_file_open(&m->file, source, NULL));
	m->file.path = path;
	WSI_TRY(tell_version(m));
	return m->version == 73 ? wsi_mat73_open(m) : m->version == 5 ? wsi_mat5_index(m)
	       : wsi_mat4_index(m);
}

void
wsi_mat_close(wsi_mat *m)
{
	for (size_t i = 0; i < m->n_vars; ++i) {
		if (m->vars[i])
			free((char *)(uintptr_t)m->vars[i]->name);
		wsi_mat_destroy(m->vars[i]);
	}
	free(m->vars);
	m->vars = NULL;
	m->n_vars = 0;
	wsi_mat73_close(m);
	if (m->file.fd >= 0)
		wsi_file_close(&m->file);
	m->file.fd = -1;
}

const char *
wsi_mat_format_name(const wsi_mat *m)
{
	return m->version == 73 ? "MAT v7.3" : m->version == 5 ? "MAT v5" : "MAT v4";
}

/* ---- Variables ------------------------------------------------------------------- */

ws_status
wsi_mat_variable(wsi_mat *m, size_t i, wsi_mat_var **v)
{
	*v = NULL;
	if (m->version == 73)
		WSI_TRY(wsi_mat73_variable(m, i));
	*v = m->vars[i];
	return WS_OK;
}

ws_status
wsi_mat_field(wsi_mat *m, wsi_mat_var *v, const char *name, size_t i, wsi_mat_var **field)
{
	*field = NULL;
	if (!v || v->class != WSI_MAT_STRUCT)
		return WS_OK;
	WSI_TRY(wsi_mat_load(m, v));
	for (size_t k = 0; k < v->n_fields && i < v->n; ++k) {
		if (strcmp(v->fields[k], name) != 0)
			continue;
		if (m->version == 73)
			return wsi_mat73_field(m, v, k, i, field);
		*field = v->members[i * v->n_fields + k];
		break;
	}
	return WS_OK;
}

ws_status
wsi_mat_cell(wsi_mat *m, wsi_mat_var *v, size_t i, wsi_mat_var **cell)
{
	*cell = NULL;
	if (!v || v->class != WSI_MAT_CELL || i >= v->n)
		return WS_OK;
	WSI_TRY(wsi_mat_load(m, v));
	if (m->version == 73)
		return wsi_mat73_cell(m, v, i, cell);
	*cell = v->members[i];
	return WS_OK;
}

ws_status
wsi_mat_cell_text(wsi_mat *m, wsi_mat_var *v, size_t i, char **text)
{
	wsi_mat_var *cell;
	*text = NULL;
	WSI_TRY(wsi_mat_cell(m, v, i, &cell));
	const ws_status status = wsi_mat_text(m, cell, 0, text);
	wsi_mat_free(cell);
	return status;
}

/* ---- By name --------------------------------------------------------------------- */

static ws_status
find_top(wsi_mat *m, const char *name, size_t n, wsi_mat_var **v)
{
	*v = NULL;
	for (size_t i = 0; i < m->n_vars; ++i) {
		const char *its = m->vars[i]->name;
		if (its && strncmp(its, name, n) == 0 && its[n] == '\0')
			return wsi_mat_variable(m, i, v);
	}
	return WS_OK;
}

/* "(2)" or "{2}" at *at, counted from 1, is *i counted from 0, and *at moves on; false where there
 * is none such. */
static bool
take_index(const char **at, size_t *i)
{
	char *end;
	const char close = **at == '(' ? ')' : '}';
	if (**at != '(' && **at != '{')
		return false;
	const unsigned long long number = strtoull(*at + 1, &end, 10);
	if (number < 1 || *end != close)
		return false;
	*at = end + 1;
	*i = (size_t)(number - 1);
	return true;
}

/* The part of *v that follows; *v is that, or NULL. */
static ws_status
step(wsi_mat *m, const char **at, wsi_mat_var **v)
{
	wsi_mat_var *of = *v, *part = NULL;
	size_t i = 0;
	ws_status status = WS_OK;
	if (**at == '{') {
		status = take_index(at, &i) ? wsi_mat_cell(m, of, i, &part) : WS_OK;
	} else {
		char name[256];
		const bool indexed = take_index(at, &i);
		const size_t n = **at == '.' ? strcspn(*at + 1, ".({") : 0;
		if (n > 0 && n < sizeof name && (indexed || of->n == 1)) {
			memcpy(name, *at + 1, n);
			name[n] = '\0';
			*at += n + 1;
			status = wsi_mat_field(m, of, name, i, &part);
		}
	}
	if (part && !part->kept)
		part->below = of;
	else
		wsi_mat_free(of);
	*v = part;
	return status;
}

ws_status
wsi_mat_find(wsi_mat *m, const char *name, wsi_mat_var **v)
{
	WSI_TRY(find_top(m, name, strlen(name), v));
	if (*v)
		return WS_OK;
	const char *at = name + strcspn(name, ".({");
	WSI_TRY(find_top(m, name, (size_t)(at - name), v));
	while (*v && *at)
		WSI_TRY(step(m, &at, v));
	return WS_OK;
}

ws_status
wsi_mat_scalar(wsi_mat *m, const char *name, double *value, bool *there)
{
	wsi_mat_var *v;
	WSI_TRY(wsi_mat_find(m, name, &v));
	const ws_status status = wsi_mat_number(m, v, value, there);
	wsi_mat_free(v);
	return status;
}
