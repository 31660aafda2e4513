/* marks.h - the events that a figure marks. */
#ifndef CLI_MARKS_H
#define CLI_MARKS_H

#include "base/kept.h"
#include "io/read/recording.h"
#include "plot/plot.h"

/* Events that are placed (input_events.h), and the epoch of them that is drawn; 0: there is none.
 * about: what the moment 0 of epochs is called; NULL: nothing. */
typedef struct cli_marked {
	const wsi_event *events;
	size_t n, epoch;
	const char *about;
} cli_marked;

/* data->marks, kept: those whose labels are items of the list `shown` (names.h) or fit one that is
 * a pattern; NULL: all; "none".  Of an epoch about the moment 0 this is marked where no event is.
 * A list that none fits is told.  data is complete but for them.  WS_E_ARG, WS_E_NOMEM. */
ws_status cli_marks_take(wsi_kept *kept, const char *shown, const cli_marked *marked,
                         wsi_plot_data *data);

#endif
