/*
 * draw.h - what every figure is drawn with: strokes, axes, the title.
 */
#ifndef WSI_PLOT_DRAW_H
#define WSI_PLOT_DRAW_H

#include <cairo.h>
#include <stdbool.h>

#include "plot/axis.h"
#include "plot/layout.h"
#include "plot/plot.h"
#include "plot/style.h"

#define WSI_TEXT 512  /* bytes of a line of text */

void wsi_draw_colour(cairo_t *cr, wsi_colour colour);

/* The middle of a PNG's pixel, so that hairlines are sharp. */
double wsi_draw_crisp(double x);

void wsi_draw_hairline(cairo_t *cr, wsi_colour colour, double x0, double y0, double x1, double y1);

/* A hairline around box. */
void wsi_draw_frame(cairo_t *cr, const wsi_box *box);

/* Height of a value within box. */
double wsi_draw_y(const wsi_axis *axis, const wsi_box *box, double value);

/* Left of box: the line, the ticks and, where wanted, their labels; above it
 * the note. */
void wsi_draw_value_axis(cairo_t *cr, const wsi_axis *axis, const wsi_box *box, bool labels);

/* Lines through box at the ticks of a horizontal axis. */
void wsi_draw_grid(cairo_t *cr, const wsi_axis *axis, const wsi_box *box);

/* Below box: the line, the ticks and their labels. */
void wsi_draw_bottom_axis(cairo_t *cr, const wsi_axis *axis, const wsi_box *box);

/* Any text at the head of a page of that width; note stands right of subtitle. */
void wsi_draw_title(cairo_t *cr, double width, const char *title, const char *subtitle,
                    const char *note);

/* Those of a recording, with its start as the note. */
void wsi_draw_recording_title(cairo_t *cr, double width, const wsi_plot_data *data);

/* "IMF 1" in the left margin, in the middle of a row; under it what is smaller,
 * or "". */
void wsi_draw_row_label(cairo_t *cr, const wsi_box *box, const char *label, const char *small);

/* Widest tick label of an axis of values. */
double wsi_draw_tick_width(cairo_t *cr, const wsi_axis *axis);

#endif
