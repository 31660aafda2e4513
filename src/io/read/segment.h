/* segment.h - the segments of a recording, once they are in order (segments.h). */
#ifndef WSI_IO_SEGMENT_H
#define WSI_IO_SEGMENT_H

#include "io/read/recording.h"

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

/* The highest rate, and how long the recording is by samples alone. */
void wsi_recording_measure(const wsi_recording *rec, double *fs, double *length);
/* The sample nearest to a time, and of two the later one, as latencies of half samples mean
 * (EEGLAB); rounding does not make it the earlier one. */
double wsi_segment_nearest(double at, double fs);

#endif
