/*
 * events_file.h - events that stand in a file of their own beside the recording (--events).
 *
 * A table of words: columns onset, duration and label under their usual names (BIDS _events.tsv,
 * annotations of MNE), or without names in this order; onset, end and label apart by tabs, as
 * Audacity writes them.  Or a recording of any format that has events, such as a hypnogram in EDF+.
 */
#ifndef WSI_IO_EVENTS_FILE_H
#define WSI_IO_EVENTS_FILE_H

#include "io/read/recording.h"

/* The events of the file take the place of those that rec has.  Onsets are s from the first sample;
 * dates, and recordings that have a start, are set against the start of rec.  Events whose onset is
 * n/a are left out, which a note tells; a duration that is, is 0.  WS_E_ARG where rec
 * has epochs or no rate, WS_E_FORMAT where the file holds no events. */
ws_status wsi_events_read(wsi_recording *rec, const char *path);

#endif
