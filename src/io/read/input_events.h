/* input_events.h - the events that lie in what is taken of a recording (input.h). */
#ifndef WSI_IO_INPUT_EVENTS_H
#define WSI_IO_INPUT_EVENTS_H

#include "io/read/input.h"

/* in->events, once samples and epochs are chosen: what begins, or lasts, at one of its samples; of
 * several epochs those of each in turn.  WS_E_NOMEM. */
ws_status wsi_input_place_events(wsi_input *in);

#endif
