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

#include "io/read/recording.h"

/* For readers, in any order: a segment begins at `at`, and the file says `start`; NAN: its time
 * goes on.  at may lie anywhere, as in epochs one behind the other; what turns out not to lie
 * between two samples is no pause. */
ws_status wsi_recording_add_segment(wsi_recording *rec, double at, double start, double pause);

/* After the reader and whatever adds events: adds what events tell (wsi_tells_pause), and makes
 * rec->segments all of them, in order, from sample 0 on; none where there is one only.  May be
 * called again. */
ws_status wsi_recording_find_segments(wsi_recording *rec);

/* Is this the label of an event that programs put where a recording was interrupted? */
bool wsi_tells_pause(const char *label);

/* The first sample of segment k at a rate; of k = n_segments the end of all. */
size_t wsi_segment_first(const wsi_recording *rec, size_t k, double fs, size_t samples);
/* The segment of a sample. */
size_t wsi_segment_of(const wsi_recording *rec, size_t sample, double fs);
/* The file's own time of a sample, s from the first. */
double wsi_segment_time(const wsi_recording *rec, size_t sample, double fs);

/* How much more went by on the clock until segment k began than the file counts, s; NAN: that is
 * not known. */
double wsi_segment_lag(const wsi_recording *rec, size_t k);

/* "1 (0 s to 4 s), 2 (6 s to 10 s)" of the first ones, for messages; times are those that --from
 * takes. */
#define WSI_SEGMENTS_TEXT 1024
const char *wsi_describe_segments(const wsi_recording *rec, double fs, size_t samples,
                                  char text[WSI_SEGMENTS_TEXT]);

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
