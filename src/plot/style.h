/*
 * style.h - how figures look: colours, type and lines, in one place.
 *
 * Lengths are in pixels of 1/96 inch.  Ink, blue and vermilion stay apart for
 * every kind of colour vision and in print without colour.
 */
#ifndef WSI_PLOT_STYLE_H
#define WSI_PLOT_STYLE_H

#include <stdbool.h>

typedef struct wsi_colour {
	double r, g, b;
} wsi_colour;

typedef struct wsi_font {
	double size;
	bool bold;
} wsi_font;

#define WSI_BYTE(hex, shift) (((hex) >> (shift) & 255) / 255.0)
#define WSI_RGB(hex) ((wsi_colour){WSI_BYTE(hex, 16), WSI_BYTE(hex, 8), WSI_BYTE(hex, 0)})

#define WSI_PAPER   WSI_RGB(0xFFFFFF)
#define WSI_INK     WSI_RGB(0x1F2328)  /* titles, labels, the signal */
#define WSI_GREY    WSI_RGB(0x6B737C)  /* ticks, units, second lines */
#define WSI_SPINE   WSI_RGB(0xA9B0B7)  /* axis lines */
#define WSI_GRID    WSI_RGB(0xE9ECEF)  /* lines through the picture */
#define WSI_ZERO    WSI_RGB(0xC9CED4)
#define WSI_ENDS    WSI_RGB(0xFBEBDD)  /* behind what an end may have made */
#define WSI_MODE    WSI_RGB(0x2B6A9E)
#define WSI_RESIDUE WSI_RGB(0xC2571A)

/* Modes in one picture, fastest to slowest; between these by proportion. */
#define WSI_MODES \
	{WSI_RGB(0x5B2A86), WSI_RGB(0x2B6A9E), WSI_RGB(0x1B9A8B), WSI_RGB(0x6FA52A), \
	 WSI_RGB(0xD09400), WSI_RGB(0xC2571A), WSI_RGB(0x9C2542)}

/* From a pale yellow, which stands out from paper, by green to a deep blue. */
#define WSI_PALE_TO_DEEP \
	{WSI_RGB(0xF3EFC3), WSI_RGB(0xA9D6A5), WSI_RGB(0x3FA7A8), WSI_RGB(0x2B6A9E), \
	 WSI_RGB(0x1B2A5C)}

#define WSI_FONT_TITLE  ((wsi_font){15, true})
#define WSI_FONT_HEAD   ((wsi_font){10.5, true})
#define WSI_FONT_LABEL  ((wsi_font){10, false})
#define WSI_FONT_SMALL  ((wsi_font){8.5, false})
#define WSI_FONT_TICK   ((wsi_font){7.5, false})

#define WSI_HAIRLINE  0.5
#define WSI_THIN_LINE 0.6
#define WSI_LINE      0.8
#define WSI_BOLD_LINE 1.6
#define WSI_DOT       1.5   /* radius */

#endif
