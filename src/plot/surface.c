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

#include "base/newfile.h"
#include "base/status.h"
#include "plot/style.h"
#include "plot/text.h"

#define PNG_SCALE  2
#define PDF_SCALE  0.75   /* points per unit */

typedef enum format { PNG, SVG, PDF, UNKNOWN } format;

struct wsi_surface {
	format format;
	char *path;
	wsi_newfile newfile;    /* that gets this name */
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
wsi_surface_check(const char *path)
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

/* The file gets the name of the figure. */
static ws_status
put_in_place(wsi_surface *s)
{
	if (fclose(s->file) != 0)
		s->error = errno;
	s->file = NULL;
	wsi_newfile *file = &s->newfile;
	size_t failed;
	if (s->error == 0)
		s->error = wsi_newfile_commit(&file, 1, &failed);
	if (s->error == EEXIST && file->kept)
		return WSI_FAIL(WS_E_EXISTS, "%s: was created meanwhile by another program and is "
		                "kept; the figure is %s in its folder", s->path, file->kept);
	return s->error ? write_failed(s->path, s->error) : WS_OK;
}

static void
release(wsi_surface *s)
{
	cairo_destroy(s->cr);
	cairo_surface_destroy(s->target);
	if (s->file)
		fclose(s->file);
	wsi_newfile_close(&s->newfile);
	free(s->path);
	free(s);
}

void
wsi_surface_abort(wsi_surface *s)
{
	if (s)
		release(s);
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

/* Says in our words what cairo, or the disk under it, answered. */
static ws_status
check_drawn(const wsi_surface *s, cairo_status_t status)
{
	if (s->error)
		return write_failed(s->path, s->error);
	if (status == CAIRO_STATUS_NO_MEMORY)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", s->path);
	if (status == CAIRO_STATUS_INVALID_SIZE)
		return WSI_FAIL(WS_E_ARG, "%s: the figure is too large for its format; "
		                "choose fewer channels or modes", s->path);
	if (status != CAIRO_STATUS_SUCCESS)
		return WSI_FAIL(WS_E_INTERNAL, "%s: cairo cannot draw the figure: %s", s->path,
		                cairo_status_to_string(status));
	return WS_OK;
}

ws_status
wsi_surface_open(wsi_surface **surface, const char *path, double width, double height,
                 const char *title)
{
	*surface = NULL;
	WSI_TRY(wsi_surface_check(path));
	wsi_surface *s = calloc(1, sizeof *s);
	char *copy = strdup(path);
	if (!s || !copy) {
		free(s);
		free(copy);
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", path);
	}
	s->format = format_of(path);
	s->path = copy;
	int error = wsi_newfile_open(&s->newfile, path, true);
	s->file = error ? NULL : wsi_newfile_stream(&s->newfile);
	if (!s->file) {
		ws_status status = write_failed(path, error ? error : errno);
		release(s);
		return status;
	}
	make_target(s, width, height, title);
	ws_status status = check_drawn(s, cairo_status(s->cr));
	if (status != WS_OK) {
		wsi_surface_abort(s);
		return status;
	}
	*surface = s;
	return WS_OK;
}

cairo_t *
wsi_surface_cairo(wsi_surface *s)
{
	return s->cr;
}

ws_status
wsi_surface_commit(wsi_surface *s)
{
	ws_status status = check_drawn(s, cairo_status(s->cr));
	if (status == WS_OK) {
		cairo_status_t drawn = CAIRO_STATUS_SUCCESS;
		if (s->format == PNG)
			drawn = cairo_surface_write_to_png_stream(s->target, write_bytes, s);
		cairo_surface_finish(s->target);
		if (drawn == CAIRO_STATUS_SUCCESS)
			drawn = cairo_surface_status(s->target);
		status = check_drawn(s, drawn);
	}
	if (status == WS_OK)
		status = put_in_place(s);
	if (status != WS_OK) {
		wsi_surface_abort(s);
		return status;
	}
	release(s);
	return WS_OK;
}

ws_status
wsi_surface_end(wsi_surface *surface, ws_status status)
{
	if (status == WS_OK)
		return wsi_surface_commit(surface);
	wsi_surface_abort(surface);
	return status;
}
