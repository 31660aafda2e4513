/* sheet.h - --size and --dpi: the sheet of a figure. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "args.h"
#include "plot/sheet.h"

/* That of a file's name.  WS_E_ARG. */
ws_status cli_sheet_of(const cli_args *args, const char *path, wsi_sheet *sheet);

#endif
