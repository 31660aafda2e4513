/*
 * surface.h - a file to draw on: PNG at two pixels per unit, SVG or PDF.
 *
 * The file is written beside its final place under a temporary name and
 * renamed by wsi_surface_commit(): a half-written figure never looks whole.
 */
#ifndef WSI_PLOT_SURFACE_H
#define WSI_PLOT_SURFACE_H

#include <cairo.h>

#include "wavesift/wavesift.h"

typedef struct wsi_surface wsi_surface;

/* WS_E_ARG where path ends neither in .png nor .svg nor .pdf. */
ws_status wsi_surface_check(const char *path);

/* A white page of width x height units of 1/96 inch.  The title, any
 * text, goes into the PDF's properties.  WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM; then
 * *surface is NULL and no file is left. */
ws_status wsi_surface_open(wsi_surface **surface, const char *path, double width, double height,
                           const char *title);

/* Owned by the surface. */
cairo_t *wsi_surface_cairo(wsi_surface *surface);

/* Finishes the file under its name, or leaves none; frees surface. */
ws_status wsi_surface_commit(wsi_surface *surface);

/* That where status is WS_OK, else removes the temporary file, and status it is. */
ws_status wsi_surface_end(wsi_surface *surface, ws_status status);

/* Removes the temporary file; frees surface.  NULL is fine. */
void wsi_surface_abort(wsi_surface *surface);

#endif
