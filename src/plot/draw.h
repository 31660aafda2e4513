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

/* Of n colours, the first at 0, the last at n - 1, and between them by proportion; beyond them
 * these. */
wsi_colour wsi_draw_mix(const wsi_colour *stops, size_t n, double at);

/* The k-th of n modes of one picture, from the fastest, 0, on. */
wsi_colour wsi_draw_mode_colour(size_t k, size_t n);

/* A hairline around box. */
void wsi_draw_frame(cairo_t *cr, const wsi_box *box);

/* What is outside of box does not show until cairo_restore(). */
void wsi_draw_clip(cairo_t *cr, const wsi_box *box);

/* Height of a value within box. */
double wsi_draw_y(const wsi_axis *axis, const wsi_box *box, double value);

/* Left of box: the line, the ticks and, where wanted, their labels; above it
 * the note. */
void wsi_draw_value_axis(cairo_t *cr, const wsi_axis *axis, const wsi_box *box, bool labels);

/* Lines through box at the ticks of a horizontal axis, or of an upright one; and at 0. */
void wsi_draw_grid(cairo_t *cr, const wsi_axis *axis, const wsi_box *box);
void wsi_draw_levels(cairo_t *cr, const wsi_axis *axis, const wsi_box *box);
void wsi_draw_zero(cairo_t *cr, const wsi_axis *axis, const wsi_box *box);

/* Below box: the line, the ticks and their labels. */
void wsi_draw_bottom_axis(cairo_t *cr, const wsi_axis *axis, const wsi_box *box);

/* Lower: what the axis is of, in the middle of box, with the axis' note behind it. */
void wsi_draw_bottom_title(cairo_t *cr, const wsi_axis *axis, const wsi_box *box,
                           const char *title);

/* A bar of colours, whose foot is share 0 and whose head is 1; beside it the ticks of an axis that
 * lie on it. */
typedef wsi_colour (*wsi_draw_share)(const void *user, double share);
void wsi_draw_bar(cairo_t *cr, const wsi_box *bar, bool framed, const wsi_axis *axis,
                  wsi_draw_share colour, const void *user);

/* Any text at the head of a page of that width; note stands right of subtitle. */
void wsi_draw_title(cairo_t *cr, double width, const char *title, const char *subtitle,
                    const char *note);

/* Those of a figure, with the start of the recording as the note. */
void wsi_draw_recording_title(cairo_t *cr, double width, const wsi_plot_data *data);

/* The name of a channel, as wide as there is room, over a panel from x on. */
void wsi_draw_name(cairo_t *cr, double x, double y, double room, const char *name);

/* "IMF 1" in the left margin, in the middle of a row; under it what is smaller,
 * or "". */
void wsi_draw_row_label(cairo_t *cr, const wsi_box *box, const char *label, const char *small);

/* Widest tick label of an axis of values. */
double wsi_draw_tick_width(cairo_t *cr, const wsi_axis *axis);

/* Do neighbouring labels below a box of that width stand so far apart? */
bool wsi_draw_apart(cairo_t *cr, const wsi_axis *axis, double width, double space);

#endif
