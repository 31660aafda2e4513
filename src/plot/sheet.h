/*
 * sheet.h - the file of a figure.  What draws it opens the file, once it knows the size, and
 * completes it; its name is given later, alone or together with other files.
 */
#ifndef WSI_PLOT_SHEET_H
#define WSI_PLOT_SHEET_H

#include "base/newfile.h"
#include "wavesift/wavesift.h"

typedef struct wsi_sheet {
	const char *path;       /* that it will have; its ending is the format: .png .svg .pdf */
	wsi_newfile file;       /* whole once the figure is drawn */
} wsi_sheet;

/* WS_E_ARG where path ends neither in .png nor .svg nor .pdf. */
ws_status wsi_sheet_check(const char *path);

/* Where status, of drawing it, is WS_OK gives it its name, or leaves no file: WS_E_EXISTS, WS_E_IO,
 * WS_E_NOSPACE.  Else that status. */
ws_status wsi_sheet_place(wsi_sheet *sheet, ws_status status);

#endif
