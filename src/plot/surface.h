/* surface.h - a sheet to draw on: PNG at two pixels per unit, SVG or PDF. */
#ifndef WSI_PLOT_SURFACE_H
#define WSI_PLOT_SURFACE_H

#include <cairo.h>

#include "plot/sheet.h"

typedef struct wsi_surface wsi_surface;

/* A white page of width x height units of 1/96 inch.  The title, any
 * text, goes into the PDF's properties.  WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM; then
 * *surface is NULL and no file is left. */
ws_status wsi_surface_open(wsi_surface **surface, wsi_sheet *sheet, double width, double height,
                           const char *title);

/* Owned by the surface. */
cairo_t *wsi_surface_cairo(wsi_surface *surface);

/* Completes the sheet's file where status, of drawing, is WS_OK; else, or where that fails, removes
 * it.  Frees surface. */
ws_status wsi_surface_end(wsi_surface *surface, ws_status status);

#endif
