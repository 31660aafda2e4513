/* shown_modes.h - --plot-modes: of a decomposition some modes are drawn. */
#ifndef CLI_SHOWN_MODES_H
#define CLI_SHOWN_MODES_H

#include "base/kept.h"
#include "plot/plot.h"

/* WS_E_ARG where the list, or NULL, is none of modes. */
ws_status cli_shown_modes_check(const char *list);

/* What is drawn of data's modes, figures, alignment and rows becomes those of the list; all where
 * it is NULL.  What that takes is kept.  WS_E_ARG where none of them is there. */
ws_status cli_shown_modes(const char *list, wsi_plot_data *data, wsi_kept *kept);

#endif
