/* events_from.h - a channel of triggers as events. */
#ifndef WSI_IO_EVENTS_FROM_H
#define WSI_IO_EVENTS_FROM_H

#include "io/read/recording.h"

/* Takes the events from a channel of triggers (triggers.h), by name or number, instead of those
 * that there are; the channel is no signal then.  WS_E_ARG, or as reading fails. */
ws_status wsi_recording_events_from(wsi_recording *rec, const char *channel);

#endif
