/*
 * sheet.h - the file of a figure.  What draws it opens the file, once it knows the size, and
 * completes it; its name is given later, alone or together with other files.
 */
#ifndef WSI_PLOT_SHEET_H
#define WSI_PLOT_SHEET_H

#include <stdio.h>

#include "base/newfile.h"
#include "wavesift/wavesift.h"

typedef struct wsi_sheet {
	const char *path;       /* that it will have; its ending is the format: .png .svg .pdf */
	FILE *into;             /* an SVG goes there instead of to a file of its own; or NULL */
	double width, height;   /* of a page, in 1/96 inch; 0: as the figure needs */
	double dpi; /* pixels per inch of a PNG, and of pictures within others; 0: 192 */
	wsi_newfile file;       /* whole once the figure is drawn */
} wsi_sheet;

/* WS_E_ARG where path ends neither in .png nor .svg nor .pdf. */
ws_status wsi_sheet_check(const char *path);

/* What a figure of that natural width, or height with its title, is laid out for. */
static inline double
wsi_sheet_width(const wsi_sheet *sheet, double natural)
{
	return sheet->width > 0 ? sheet->width : natural;
}

double wsi_sheet_height(const wsi_sheet *sheet, double natural, const char *title);

/* Pixels per 1/96 inch. */
static inline double
wsi_sheet_pixels(const wsi_sheet *sheet)
{
	return (sheet->dpi > 0 ? sheet->dpi : 192) / 96;
}

/* Where status, of drawing it, is WS_OK gives it its name, or leaves no file: WS_E_EXISTS, WS_E_IO,
 * WS_E_NOSPACE.  Else that status. */
ws_status wsi_sheet_place(wsi_sheet *sheet, ws_status status);

#endif
