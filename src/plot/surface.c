/* surface.c - PNG, SVG and PDF files by way of cairo's streams. */
#include "plot/surface.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "plot/style.h"
#include "plot/text.h"

#define PNG_SCALE  2
#define PDF_SCALE  0.75   /* points per unit */

typedef enum format { PNG, SVG, PDF, UNKNOWN } format;

struct wsi_surface {
	format format;
	wsi_sheet *sheet;
	FILE *file;
	int error;              /* errno of the first failed write */
	cairo_surface_t *target;
	cairo_t *cr;
};

static format
format_of(const char *path)
{
	static const char *const endings[] = {".png", ".svg", ".pdf"};
	const char *dot = strrchr(path, '.');
	for (format f = PNG; dot && f < UNKNOWN; ++f)
		if (strcasecmp(dot, endings[f]) == 0)
			return f;
	return UNKNOWN;
}

ws_status
wsi_sheet_check(const char *path)
{
	if (format_of(path) == UNKNOWN)
		return WSI_FAIL(WS_E_ARG, "%s: the format of a figure follows its name: "
		                "end it in .png, .svg or .pdf", path);
	return WS_OK;
}

/* ---- The file ------------------------------------------------------------- */

static ws_status
write_failed(const char *path, int error)
{
	bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
	return WSI_FAIL(full ? WS_E_NOSPACE : WS_E_IO, "%s: the figure cannot be written: %s; %s",
	                path, strerror(error),
	                full ? "free some space or choose another folder"
	                     : "check that its folder exists and may be written to");
}

/* Takes cairo's bytes. */
static cairo_status_t
write_bytes(void *user, const unsigned char *data, unsigned int length)
{
	wsi_surface *s = user;
	if (s->error == 0 && fwrite(data, 1, length, s->file) != length)
		s->error = errno ? errno : EIO;
	return s->error ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

ws_status
wsi_sheet_place(wsi_sheet *sheet, ws_status status)
{
	wsi_newfile *file = &sheet->file;
	size_t failed;
	if (status != WS_OK)
		return status;
	const int error = wsi_newfile_commit(&file, 1, &failed);
	if (error)
		status = write_failed(sheet->path, error);
	if (error == EEXIST && file->kept)
		status = WSI_FAIL(WS_E_EXISTS, "%s: was created meanwhile by another program and "
		                  "is kept; the figure is %s in its folder", sheet->path,
		                  file->kept);
	wsi_newfile_close(file);
	return status;
}

/* ---- The picture ----------------------------------------------------------- */

static void
make_target(wsi_surface *s, double width, double height, const char *title)
{
	double scale = 1;
	if (s->format == PNG) {
		scale = PNG_SCALE;
		s->target = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(scale * width),
		                                       (int)(scale * height));
	} else if (s->format == SVG) {
		s->target = cairo_svg_surface_create_for_stream(write_bytes, s, width, height);
		if (cairo_surface_status(s->target) == CAIRO_STATUS_SUCCESS)
			cairo_svg_surface_set_document_unit(s->target, CAIRO_SVG_UNIT_PX);
	} else {
		scale = PDF_SCALE;
		s->target = cairo_pdf_surface_create_for_stream(write_bytes, s, scale * width,
		                                                scale * height);
		if (cairo_surface_status(s->target) == CAIRO_STATUS_SUCCESS) {
			char text[512];
			wsi_text_clean(text, sizeof text, title);
			cairo_pdf_surface_set_metadata(s->target, CAIRO_PDF_METADATA_TITLE, text);
			cairo_pdf_surface_set_metadata(s->target, CAIRO_PDF_METADATA_CREATOR,
			                               "wavesift");
		}
	}
	s->cr = cairo_create(s->target);
	cairo_scale(s->cr, scale, scale);
	wsi_text_prepare(s->cr);
	cairo_set_source_rgb(s->cr, WSI_PAPER.r, WSI_PAPER.g, WSI_PAPER.b);
	cairo_paint(s->cr);
}

/* Where status is not WS_OK without its file. */
static ws_status
release(wsi_surface *s, ws_status status)
{
	cairo_destroy(s->cr);
	cairo_surface_destroy(s->target);
	if (s->file)
		fclose(s->file);
	if (status != WS_OK)
		wsi_newfile_close(&s->sheet->file);
	free(s);
	return status;
}

/* Says in our words what cairo, or the disk under it, answered. */
static ws_status
check_drawn(const wsi_surface *s, cairo_status_t status)
{
	if (s->error)
		return write_failed(s->sheet->path, s->error);
	if (status == CAIRO_STATUS_NO_MEMORY)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", s->sheet->path);
	if (status == CAIRO_STATUS_INVALID_SIZE)
		return WSI_FAIL(WS_E_ARG, "%s: the figure is too large for its format; "
		                "choose fewer channels or modes", s->sheet->path);
	if (status != CAIRO_STATUS_SUCCESS)
		return WSI_FAIL(WS_E_INTERNAL, "%s: cairo cannot draw the figure: %s",
		                s->sheet->path, cairo_status_to_string(status));
	return WS_OK;
}

ws_status
wsi_surface_open(wsi_surface **surface, wsi_sheet *sheet, double width, double height,
                 const char *title)
{
	*surface = NULL;
	WSI_TRY(wsi_sheet_check(sheet->path));
	wsi_surface *s = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", sheet->path);
	s->format = format_of(sheet->path);
	s->sheet = sheet;
	s->error = wsi_newfile_open(&sheet->file, sheet->path, true);
	s->file = s->error ? NULL : wsi_newfile_stream(&sheet->file);
	if (!s->file && !s->error)
		s->error = errno;
	if (s->file)
		make_target(s, width, height, title);
	const ws_status status = check_drawn(s, s->cr ? cairo_status(s->cr) : CAIRO_STATUS_SUCCESS);
	if (status != WS_OK)
		return release(s, status);
	*surface = s;
	return WS_OK;
}

cairo_t *
wsi_surface_cairo(wsi_surface *s)
{
	return s->cr;
}

ws_status
wsi_surface_end(wsi_surface *s, ws_status status)
{
	if (status == WS_OK)
		status = check_drawn(s, cairo_status(s->cr));
	if (status == WS_OK) {
		cairo_status_t drawn = CAIRO_STATUS_SUCCESS;
		if (s->format == PNG)
			drawn = cairo_surface_write_to_png_stream(s->target, write_bytes, s);
		cairo_surface_finish(s->target);
		if (drawn == CAIRO_STATUS_SUCCESS)
			drawn = cairo_surface_status(s->target);
		status = check_drawn(s, drawn);
	}
	if (status == WS_OK) {
		s->error = fclose(s->file) == 0 ? wsi_newfile_flush(&s->sheet->file) : errno;
		s->file = NULL;
		status = check_drawn(s, CAIRO_STATUS_SUCCESS);
	}
	return release(s, status);
}
