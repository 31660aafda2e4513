/* surface.c - PNG, SVG and PDF files by way of cairo's streams. */
#include "plot/surface.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/crc32.h"
#include "base/new.h"
#include "plot/style.h"
#include "plot/text.h"

#define PDF_SCALE  0.75   /* points per unit */
#define HEAD       45.0   /* of a page, which its title and subtitle take */
#define PNG_HEAD   33     /* bytes before the second chunk of a PNG */
#define SVG_END    "</svg>\n"

typedef enum format { PNG, SVG, PDF, UNKNOWN } format;

struct wsi_surface {
	format format;
	wsi_sheet *sheet;
	FILE *file;
	FILE *sink;             /* takes cairo's bytes: the file, or of an SVG its document */
	int error;              /* errno of the first failed write */
	size_t written;         /* bytes */
	cairo_surface_t *target;
	cairo_t *cr;
	double zoom, x;         /* of the figure on its page, whose left edge is x */
	double pixels;          /* of a unit, or points */
	double height, cut;     /* of a page as it is laid out, and what is cut off at its head */
	char *words, *document; /* of an SVG: its text, as text, and all else */
	size_t words_size, document_size;
	FILE *words_file, *document_file;
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

double
wsi_sheet_height(const wsi_sheet *sheet, double natural, const char *title)
{
	return sheet->height > 0 ? sheet->height + (*title ? 0 : HEAD) : natural;
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

static void
write_all(wsi_surface *s, const void *data, size_t length)
{
	if (s->error == 0 && fwrite(data, 1, length, s->sink) != length)
		s->error = errno ? errno : EIO;
}

/* The chunk of a PNG that tells its pixels per metre, which follows its head. */
static void
write_density(wsi_surface *s)
{
	const uint32_t density = (uint32_t)(s->pixels * 96 / 0.0254 + 0.5);
	unsigned char chunk[21] = { 0, 0, 0, 9, 'p', 'H', 'Y', 's', [16] = 1 };
	for (int i = 0; i < 8; ++i)
		chunk[8 + i] = (unsigned char)(density >> (24 - 8 * (i % 4)));
	const uint32_t sum = wsi_crc32(0, chunk + 4, 13);
	for (int i = 0; i < 4; ++i)
		chunk[17 + i] = (unsigned char)(sum >> (24 - 8 * i));
	write_all(s, chunk, sizeof chunk);
}

/* Takes cairo's bytes. */
static cairo_status_t
write_bytes(void *user, const unsigned char *data, unsigned int length)
{
	wsi_surface *s = user;
	const bool splits = s->format == PNG && s->written < PNG_HEAD
	                    && s->written + length >= PNG_HEAD;
	const size_t head = splits ? PNG_HEAD - s->written : length;
	write_all(s, data, head);
	if (splits)
		write_density(s);
	write_all(s, data + head, length - head);
	s->written += length;
	return s->error ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* An SVG, with its text before its end. */
static void
write_svg(wsi_surface *s)
{
	const size_t end = strlen(SVG_END);
	if (fflush(s->words_file) != 0 || fflush(s->document_file) != 0 || ferror(s->words_file) ||
	    ferror(s->document_file) || s->document_size < end) {
		s->error = ENOMEM;
		return;
	}
	s->sink = s->file;
	write_all(s, s->document, s->document_size - end);
	write_all(s, s->words, s->words_size);
	write_all(s, SVG_END, strlen(SVG_END));
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

/* Those of a page, as it is laid out, to the size of the sheet. */
static void
fit(wsi_surface *s, double *width, double *height)
{
	const wsi_sheet *sheet = s->sheet;
	double page = *width;
	s->zoom = sheet->width > 0 ? sheet->width / *width : 1;
	if (sheet->height > 0)
		s->zoom = fmin(s->zoom, sheet->height / (s->height - s->cut));
	if (sheet->width > 0)
		page = sheet->width;
	s->x = (page - s->zoom * *width) / 2;
	*width = page;
	*height *= s->zoom;
	if (sheet->height > 0 && *height < sheet->height)
		*height = sheet->height;
}

static void
make_target(wsi_surface *s, double width, size_t pages, const char *title)
{
	double height = s->height - s->cut;
	s->pixels = s->format == PNG ? wsi_sheet_pixels(s->sheet) : s->format == SVG ? 1
	            : PDF_SCALE;
	if (s->format != PDF)
		height += (double)(pages - 1) * (s->height - HEAD);
	fit(s, &width, &height);
	width *= s->pixels;
	height *= s->pixels;
	if (s->format == PNG) {
		s->target = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width + 1e-6),
		                                       (int)(height + 1e-6));
	} else if (s->format == SVG) {
		s->target = cairo_svg_surface_create_for_stream(write_bytes, s, width, height);
		if (cairo_surface_status(s->target) == CAIRO_STATUS_SUCCESS)
			cairo_svg_surface_set_document_unit(s->target, CAIRO_SVG_UNIT_PX);
		wsi_text_keep(s->target, s->words_file);
	} else {
		s->target = cairo_pdf_surface_create_for_stream(write_bytes, s, width, height);
		if (cairo_surface_status(s->target) == CAIRO_STATUS_SUCCESS) {
			char text[512];
			wsi_text_clean(text, sizeof text, title);
			cairo_pdf_surface_set_metadata(s->target, CAIRO_PDF_METADATA_TITLE, text);
			cairo_pdf_surface_set_metadata(s->target, CAIRO_PDF_METADATA_CREATOR,
			                               "wavesift");
		}
	}
	s->cr = cairo_create(s->target);
	wsi_text_prepare(s->cr);
	wsi_surface_page(s, 0);
}

/* Of PNG and SVG a further page has no space for a title. */
bool
wsi_surface_page(wsi_surface *s, size_t page)
{
	const bool follows = page > 0 && s->format != PDF;
	const double top = follows ? (s->height - s->cut) - HEAD +
	                   (double)(page - 1) * (s->height - HEAD) : -s->cut;
	if (page > 0 && s->format == PDF)
		cairo_show_page(s->cr);
	cairo_identity_matrix(s->cr);
	if (!follows) {
		cairo_set_source_rgb(s->cr, WSI_PAPER.r, WSI_PAPER.g, WSI_PAPER.b);
		cairo_paint(s->cr);
	}
	cairo_scale(s->cr, s->pixels, s->pixels);
	cairo_translate(s->cr, s->x, 0);
	cairo_scale(s->cr, s->zoom, s->zoom);
	cairo_translate(s->cr, 0, top);
	return !follows;
}

/* Where status is not WS_OK without its file. */
static ws_status
release(wsi_surface *s, ws_status status)
{
	cairo_destroy(s->cr);
	cairo_surface_destroy(s->target);
	if (s->file && !s->sheet->into)
		fclose(s->file);
	if (s->words_file)
		fclose(s->words_file);
	if (s->document_file)
		fclose(s->document_file);
	free(s->words);
	free(s->document);
	if (status != WS_OK && !s->sheet->into)
		wsi_newfile_close(&s->sheet->file);
	free(s);
	return status;
}

/* Says in our words what cairo, or the disk under it, answered. */
static ws_status
check_drawn(const wsi_surface *s, cairo_status_t status)
{
	if (s->error && s->error != ENOMEM)
		return write_failed(s->sheet->path, s->error);
	if (s->error || status == CAIRO_STATUS_NO_MEMORY)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", s->sheet->path);
	if (status == CAIRO_STATUS_INVALID_SIZE)
		return WSI_FAIL(WS_E_ARG, "%s: the figure is too large for its format; "
		                "choose fewer channels or modes, or a lower `dpi`", s->sheet->path);
	if (status != CAIRO_STATUS_SUCCESS)
		return WSI_FAIL(WS_E_INTERNAL, "%s: cairo cannot draw the figure: %s",
		                s->sheet->path, cairo_status_to_string(status));
	return WS_OK;
}

/* Where bytes go; an error otherwise. */
static void
open_file(wsi_surface *s)
{
	wsi_sheet *sheet = s->sheet;
	if (!sheet->into)
		s->error = wsi_newfile_open(&sheet->file, sheet->path, true);
	s->file = sheet->into ? sheet->into : s->error ? NULL : wsi_newfile_stream(&sheet->file);
	if (!s->file && !s->error)
		s->error = errno;
	s->sink = s->file;
	if (s->format != SVG || !s->file)
		return;
	s->words_file = open_memstream(&s->words, &s->words_size);
	s->document_file = open_memstream(&s->document, &s->document_size);
	s->sink = s->words_file ? s->document_file : NULL;
	if (!s->sink)
		s->error = ENOMEM;
}

ws_status
wsi_surface_open_pages(wsi_surface **surface, wsi_sheet *sheet, double width, double height,
                       size_t pages, const char *title)
{
	*surface = NULL;
	WSI_TRY(wsi_sheet_check(sheet->path));
	wsi_surface *s;
	WSI_NEW(s, 1, "%s: not enough memory for the figure", sheet->path);
	s->format = format_of(sheet->path);
	s->sheet = sheet;
	s->height = height;
	s->cut = *title ? 0 : HEAD;
	open_file(s);
	if (s->sink)
		make_target(s, width, pages, title);
	ws_status status = check_drawn(s, s->cr ? cairo_status(s->cr) : CAIRO_STATUS_SUCCESS);
	if (status != WS_OK)
		return release(s, status);
	*surface = s;
	return WS_OK;
}

ws_status
wsi_surface_open(wsi_surface **surface, wsi_sheet *sheet, double width, double height,
                 const char *title)
{
	return wsi_surface_open_pages(surface, sheet, width, height, 1, title);
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
		if (s->format == SVG)
			write_svg(s);
		if (drawn == CAIRO_STATUS_SUCCESS)
			drawn = cairo_surface_status(s->target);
		status = check_drawn(s, drawn);
	}
	if (status == WS_OK) {
		if (!s->sheet->into) {
			s->error = fclose(s->file) == 0 ? wsi_newfile_flush(&s->sheet->file)
			        : errno;
			s->file = NULL;
		}
		status = check_drawn(s, CAIRO_STATUS_SUCCESS);
	}
	return release(s, status);
}
