/* surface.h - a sheet to draw on: PNG, SVG or PDF; one page or several. */
#ifndef WSI_PLOT_SURFACE_H
#define WSI_PLOT_SURFACE_H

#include <cairo.h>
#include <stdbool.h>

#include "plot/sheet.h"

typedef struct wsi_surface wsi_surface;

/* A white page of width x height units of 1/96 inch, brought to the size of the sheet where that
 * is another.  The title, any text, goes into the PDF's properties; without one the space of titles
 * at the head is cut off.  WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM; then
 * *surface is NULL and no file is left. */
ws_status wsi_surface_open(wsi_surface **surface, wsi_sheet *sheet, double width, double height,
                           const char *title);

/* The same of several pages, which of PNG and SVG stand below each other; each begins with
 * wsi_surface_page(), the first is 0.  True: it has a title of its own. */
ws_status wsi_surface_open_pages(wsi_surface **surface, wsi_sheet *sheet, double width,
                                 double height, size_t pages, const char *title);
bool wsi_surface_page(wsi_surface *surface, size_t page);

/* Owned by the surface. */
cairo_t *wsi_surface_cairo(wsi_surface *surface);

/* Completes the sheet's file where status, of drawing, is WS_OK; else, or where that fails, removes
 * it.  Frees surface. */
ws_status wsi_surface_end(wsi_surface *surface, ws_status status);

#endif
