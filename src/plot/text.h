/*
 * text.h - measured text on a cairo context.
 *
 * Widths are those of the outlines, the same for PNG, SVG and PDF.
 */
#ifndef WSI_PLOT_TEXT_H
#define WSI_PLOT_TEXT_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plot/style.h"
#include "wavesift/wavesift.h"

typedef enum wsi_align { WSI_LEFT, WSI_CENTRE, WSI_RIGHT } wsi_align;

/* Font options that keep widths independent of the surface. */
void wsi_text_prepare(cairo_t *cr);

/* From now on text drawn on this surface, of SVG, is written there as elements of it instead, so
 * that it stays text.  NULL: as outlines. */
void wsi_text_keep(cairo_surface_t *surface, FILE *words);

/* A context to measure text before there is a page.  wsi_text_scratch_end()
 * frees it: WS_E_INTERNAL where the text could not be measured. */
cairo_t *wsi_text_scratch(void);
ws_status wsi_text_scratch_end(cairo_t *cr);

/* Copies text as valid UTF-8 on one line: bytes that are not UTF-8 are taken
 * as Latin-1, control characters become spaces, what does not fit is cut. */
void wsi_text_clean(char *out, size_t size, const char *text);

/* The name of a channel, cleaned: of one that is a number "channel 1". */
void wsi_text_channel(char *out, size_t size, const char *name);

/* A unit of measurement, cleaned; files of ASCII write u for micro. */
void wsi_text_unit(char *out, size_t size, const char *unit);

/* The same in text; "unit" where there is none. */
const char *wsi_text_unit_or(const char *unit, char text[32]);

double wsi_text_width(cairo_t *cr, wsi_font font, const char *text);

/* Shortens text, in place, with an ellipsis until it is at most width wide. */
void wsi_text_fit(cairo_t *cr, wsi_font font, char *text, size_t size, double width);

/* y is the baseline. */
void wsi_text_draw(cairo_t *cr, wsi_font font, wsi_colour colour, wsi_align align, double x,
                   double y, const char *text);

/* The same upwards, beside a page or a box. */
void wsi_text_draw_up(cairo_t *cr, wsi_font font, wsi_colour colour, wsi_align align, double x,
                      double y, const char *text);

/* Baseline that centres digits and capitals on y. */
double wsi_text_middle(wsi_font font, double y);

#endif
