/* timeline.h - where times lie in a recording of several segments. */
#ifndef WSI_IO_TIMELINE_H
#define WSI_IO_TIMELINE_H

#include "io/read/segment.h"

/* Where times lie in a recording of several segments, which may overlap. */
typedef struct wsi_timeline wsi_timeline;
ws_status wsi_timeline_make(wsi_timeline **line, const wsi_recording *rec, double fs,
                            size_t samples);
/* The same by the highest rate of its channels. */
ws_status wsi_timeline_of(wsi_timeline **line, const wsi_recording *rec);
#define WSI_TIMELINE_BYTES 48 /* of each segment */
void wsi_timeline_free(wsi_timeline *line);
/* The only segment that has a sample within half a step of t, the file's own time; SIZE_MAX:
 * none, or more than one. */
size_t wsi_timeline_find(const wsi_timeline *line, double t);

/* Does t lie before all segments or behind them?  Then k is the first, or the last. */
bool wsi_timeline_outside(const wsi_timeline *line, double t, size_t *k);

/* Makes one of all segments: events move to where samples count them, and pauses take no time.
 * What lies in a pause moves to its end. */
ws_status wsi_recording_join(wsi_recording *rec);

#endif
