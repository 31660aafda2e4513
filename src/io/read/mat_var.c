/* mat_var.c - the variables of a MAT file of any version, and the memory that they take. */
#include "io/read/mat_var.h"

#include <stdlib.h>

const char *
wsi_mat_name(const wsi_mat_var *v)
{
	return v->name ? v->name : "(a cell)";
}

ws_status
wsi_mat_take(wsi_mat *m, size_t bytes)
{
	if (m->memory && (m->taken > m->memory || bytes > m->memory - m->taken))
		return WSI_FAIL(WS_E_NOMEM, "%s: its variables take more memory than `memory` "
		                "leaves; give more, or save the signal alone", m->path);
	m->taken += bytes;
	return WS_OK;
}

ws_status
wsi_mat_new(wsi_mat *m, bool top, size_t bytes, wsi_mat_var **v)
{
	WSI_TRY(wsi_mat_take(m, sizeof **v + bytes));
	*v = calloc(1, sizeof **v);
	if (*v)
		(*v)->place = calloc(1, bytes);
	/* Grows by doubling: it is full at each power of two. */
	if (*v && (*v)->place && top && (m->n_vars & (m->n_vars - 1)) == 0) {
		void *more = realloc(m->vars, (m->n_vars ? 2 * m->n_vars : 1) * sizeof *m->vars);
		m->vars = more ? more : m->vars;
		if (!more) {
			free((*v)->place);
			(*v)->place = NULL;
		}
	}
	if (!*v || !(*v)->place) {
		free(*v);
		*v = NULL;
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its variables", m->path);
	}
	(*v)->kept = true;
	if (top)
		m->vars[m->n_vars++] = *v;
	return WS_OK;
}

void
wsi_mat_destroy(wsi_mat_var *v)
{
	if (!v)
		return;
	wsi_mat_drop(v);
	if (v->release)
		v->release(v);
	for (size_t i = 0; i < v->n_fields; ++i)
		free(v->fields[i]);
	free(v->fields);
	wsi_mat_free(v->below);
	free(v->place);
	free(v);
}

void
wsi_mat_drop(wsi_mat_var *v)
{
	free(v->values);
	free(v->imaginary);
	v->values = v->imaginary = NULL;
	for (size_t i = 0; i < v->n_members; ++i)
		wsi_mat_destroy(v->members[i]);
	free(v->members);
	v->members = NULL;
	v->n_members = 0;
}

void
wsi_mat_free(wsi_mat_var *v)
{
	if (v && !v->kept)
		wsi_mat_destroy(v);
}

ws_status
wsi_mat_set_dims(wsi_mat *m, wsi_mat_var *v, int rank, const size_t *dims)
{
	v->rank = rank;
	v->n = 1;
	bool empty = false, fits = true;
	for (int i = 0; i < rank; ++i) {
		if (i < WSI_MAT_RANK)
			v->dims[i] = dims[i];
		empty = empty || dims[i] == 0;
		fits = fits && (dims[i] == 0 || wsi_mul_size(v->n, dims[i], &v->n));
	}
	if (empty)
		v->n = 0;
	size_t bytes;
	if (!empty && (!fits || !wsi_mul_size(v->n, sizeof(double), &bytes)))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s claims more values than "
		                "any file can hold", m->path, wsi_mat_name(v));
	return WS_OK;
}

size_t
wsi_mat_held(const wsi_mat *m, const wsi_mat_var *v)
{
	if (m->version == 73 && !v->sparse)
		return 0;
	return v->n * (v->sparse ? sizeof(double) : wsi_sample_bytes(v->type))
	       * (v->complex ? 2 : 1);
}

ws_status
wsi_mat_fits(const wsi_mat *m, const wsi_mat_var *v)
{
	const size_t bytes = wsi_mat_held(m, v);
	const bool all = v->sparse && v->complex && v->n > SIZE_MAX / 16;
	if (m->memory && (all || bytes > m->memory))
		return WSI_FAIL(WS_E_NOMEM, "%s: variable %s has %zu bytes and is held in memory "
		                "whole, more than `memory` leaves; give more, or save %s",
		                m->path, wsi_mat_name(v), bytes,
		                v->sparse ? "it as a full matrix with -v7.3"
		                          : "the file with -v7.3");
	return WS_OK;
}

ws_status
wsi_mat_fill(wsi_mat *m, wsi_mat_var *v, size_t nz, const double *rows, const double *starts,
             const double *real, const double *imaginary)
{
	WSI_TRY(wsi_mat_fits(m, v));
	const size_t height = v->dims[0], width = v->dims[1];
	double *re = calloc(v->n + 1, sizeof *re), *im = NULL;
	bool good = true;
	v->values = (unsigned char *)re;
	v->type = WSI_F64;
	v->n_values = v->n;
	if (re && imaginary)
		im = calloc(v->n + 1, sizeof *im);
	v->imaginary = (unsigned char *)im;
	if (!re || (imaginary && !im))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for variable %s", m->path,
		                wsi_mat_name(v));
	for (size_t c = 0; c < width && good; ++c) {
		good = starts[c] >= 0 && starts[c] <= starts[c + 1]
		       && starts[c + 1] <= (double)nz;
		for (size_t k = (size_t)(good ? starts[c] : 0);
		     good && (double)k < starts[c + 1]; ++k) {
			good = rows[k] >= 0 && rows[k] < (double)height;
			if (good)
				re[c * height + (size_t)rows[k]] = real[k];
			if (good && im)
				im[c * height + (size_t)rows[k]] = imaginary[k];
		}
	}
	return good ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: damaged: the sparse matrix %s has values "
	                               "outside of it", m->path, wsi_mat_name(v));
}
