/* mat_values.c - the numbers and texts of a MAT file's variables. */
#include "io/read/mat_values.h"

#include <math.h>
#include <stdlib.h>

#include "io/read/mat4.h"
#include "io/read/mat5.h"
#include "io/read/mat73.h"

/* ---- Numbers --------------------------------------------------------------------- */

bool
wsi_mat_is_numeric(const wsi_mat_var *v)
{
	return v && v->class == WSI_MAT_NUMBER && !v->complex && v->n > 0;
}

bool
wsi_mat_is_complex(const wsi_mat_var *v)
{
	return v && v->class == WSI_MAT_NUMBER && v->complex && v->n > 0;
}

ws_status
wsi_mat_check(const wsi_mat *m, const wsi_mat_var *v)
{
	/* What a sparse matrix claims it need not hold. */
	if (!v->sparse && v->n / WSI_MAT_SHRINK > m->file.bytes)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s claims more values "
		                "than the file can hold", m->path, wsi_mat_name(v));
	return WS_OK;
}

ws_status
wsi_mat_load(wsi_mat *m, wsi_mat_var *v)
{
	WSI_TRY(wsi_mat_check(m, v));
	if (v->class == WSI_MAT_NUMBER && !v->values)
		WSI_TRY(wsi_mat_fits(m, v));
	return m->version == 73 ? wsi_mat73_load(m, v) : m->version == 5 ? wsi_mat5_load(m, v)
	       : wsi_mat4_load(m, v);
}

ws_status
wsi_mat_load_together(wsi_mat *m, wsi_mat_var **v, size_t n)
{
	return m->version == 5 ? wsi_mat5_load_together(m, v, n) : WS_OK;
}

ws_status
wsi_mat_verify(wsi_mat *m, wsi_mat_var *v)
{
	return m->version == 5 ? wsi_mat5_verify(m, v) : WS_OK;
}

/* Is a value laid out as the file has it, and that the other way round? */
static bool
is_swapped(const wsi_mat *m, const wsi_mat_var *v)
{
	return m->big_endian && !v->sparse;
}

double
wsi_mat_value(const wsi_mat *m, const wsi_mat_var *v, size_t i)
{
	double value;
	if (!v || !v->values || i >= v->n_values)
		return NAN;
	const size_t size = wsi_sample_bytes(v->type);
	wsi_decode(v->values + i * size, size, 1, v->type, is_swapped(m, v), &value);
	return value;
}

ws_status
wsi_mat_number(wsi_mat *m, wsi_mat_var *v, double *value, bool *there)
{
	*there = false;
	if (!v || (v->n == 0 && v->class != WSI_MAT_OTHER))
		return WS_OK;
	if (!wsi_mat_is_numeric(v) || v->n != 1)
		return WSI_FAIL(WS_E_FORMAT, "%s: %s is not one real number; correct it, or "
		                "leave it out", m->path, wsi_mat_name(v));
	WSI_TRY(wsi_mat_load(m, v));
	*value = wsi_mat_value(m, v, 0);
	*there = true;
	return WS_OK;
}

ws_status
wsi_mat_line(wsi_mat *m, wsi_mat_var *v, const size_t *start, int axis, size_t count, int part,
             double *out)
{
	if (m->version == 73 && !v->values && !v->sparse)
		return wsi_mat73_line(m, v, start, axis, count, part, out);
	WSI_TRY(wsi_mat_load(m, v));
	size_t at = 0, step = 1, stride = 1;
	for (int i = 0; i < v->rank; ++i) {
		at += start[i] * stride;
		if (i == axis)
			step = stride;
		stride *= v->dims[i];
	}
	const unsigned char *values = part ? v->imaginary : v->values;
	const size_t size = wsi_sample_bytes(v->type);
	if (!values)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s has no such part", m->path,
		                wsi_mat_name(v));
	wsi_decode(values + at * size, step * size, count, v->type, is_swapped(m, v), out);
	return WS_OK;
}

/* ---- Texts ------------------------------------------------------------------------- */

static size_t
put_utf8(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	out[0] = (char)(lead[more] | code >> (6 * more));
	for (int i = 1; i <= more; ++i)
		out[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
	return (size_t)more + 1;
}

/* Code unit i of a row. */
static uint32_t
unit(const wsi_mat *m, const wsi_mat_var *v, size_t row, size_t i)
{
	const double value = wsi_mat_value(m, v, row + i * v->dims[0]);
	return value > 0 && value < 0x110000 ? (uint32_t)value : 0;
}

ws_status
wsi_mat_text(wsi_mat *m, wsi_mat_var *v, size_t row, char **text)
{
	*text = NULL;
	if (!v || v->class != WSI_MAT_CHAR || v->rank != 2)
		return WS_OK;
	WSI_TRY(wsi_mat_load(m, v));
	const size_t rows = v->dims[0];
	if (row >= rows && v->n > 0)
		return WS_OK;
	/* In one row of UTF-8 a letter may take several bytes. */
	const size_t n = rows == 1 ? v->n_values : rows ? v->n_values / rows : 0;
	const bool bytes = wsi_sample_bytes(v->type) == 1;
	char *out = malloc(4 * n + 1);
	WSI_HAVE(out, "%s: no memory for %s", m->path, wsi_mat_name(v));
	size_t length = 0;
	for (size_t i = 0; i < n; ++i) {
		uint32_t code = unit(m, v, row, i);
		const uint32_t next = i + 1 < n && !bytes ? unit(m, v, row, i + 1) : 0;
		/* It ends where it ends, whatever it claims. */
		if (code == 0)
			break;
		if ((code & 0xfffffc00) == 0xd800 && (next & 0xfffffc00) == 0xdc00) {
			code = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff);
			++i;
		}
		if (bytes)
			out[length++] = (char)code;
		else
			length += put_utf8(code, out + length);
	}
	while (length > 0 && out[length - 1] == ' ')
		--length;
	out[length] = '\0';
	*text = out;
	return WS_OK;
}
