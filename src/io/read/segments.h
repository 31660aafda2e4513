/*
 * segments.h - the interruptions of a recording.
 *
 * A recording may have been paused, cut or put together: its samples are then several segments,
 * within which they follow each other.  Readers report where segments begin, by
 * wsi_recording_add_segment(), and no more; what follows from it is decided where samples are
 * selected (pauses.c).
 *
 * Three times are told apart, all in s from the first sample (samples where no rate is known):
 *     at      counts samples only: sample / rate
 *     start   what the file itself counts.  Formats that name samples (BrainVision, EEGLAB, BDF,
 *             sound) go on across a pause as if it took no time, so there it is `at`; formats
 *             that tell times (EDF+D, tables) have the pause in it.  Events and axes are in it
 *     pause   that went by before the segment; NAN where it is not known
 */
#ifndef WSI_IO_SEGMENTS_H
#define WSI_IO_SEGMENTS_H

#include "io/read/timeline.h"

/* For readers, in any order: a segment begins at `at`, and the file says `start`; NAN: its time
 * goes on.  at may lie anywhere, as in epochs one behind the other; what turns out not to lie
 * between two samples is no pause. */
ws_status wsi_recording_add_segment(wsi_recording *rec, double at, double start, double pause);

/* Takes the times of all n samples, in a unit of so many s: the rate, the origin, and segments
 * where they have gaps.  WS_E_FORMAT: they are not evenly spaced. */
ws_status wsi_recording_take_times(wsi_recording *rec, const double *times, size_t n, double unit,
                                   double *fs);
/* The same of an array of a name of wsi_time_names, for the rate of all channels, with a note; and
 * where it is no such thing, a note of that. */
ws_status wsi_recording_take_array(wsi_recording *rec, const char *name, const double *times,
                                   size_t n);

/* After the reader and whatever adds events: adds what events tell of pauses, and makes
 * rec->segments all of them, in order, from sample 0 on; none where there is one only.  May be
 * called again. */
ws_status wsi_recording_find_segments(wsi_recording *rec);

#endif
