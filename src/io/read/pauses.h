/* pauses.h - the times of an input, and the pauses in them. */
#ifndef WSI_IO_PAUSES_H
#define WSI_IO_PAUSES_H

#include "io/read/input.h"

/* Chooses samples by time and by segment, and refuses those that a pause cuts (WS_E_FORMAT). */
ws_status wsi_input_select_time(wsi_input *in, const wsi_pick *pick);
/* The samples of segment k that --from and --to leave, first .. end - 1; there may be none. */
void wsi_input_bounds(const wsi_input *in, const wsi_pick *pick, size_t k, size_t *first,
                      size_t *end);

/* The clock when that time is 0, ISO 8601; "" where it is not known, as of a segment whose file
 * does not count the time that pauses took. */
const char *wsi_input_start_time(const wsi_input *in);
/* The clock when the segment that was chosen began; false: it is not known. */
bool wsi_input_segment_clock(const wsi_input *in, char text[32]);
/* Of the first sample selected on the recording's time axis, the file's own time, or from the
 * event. */
double wsi_input_first_time(const wsi_input *in);
/* The same from the recording's first sample. */
double wsi_input_first_offset(const wsi_input *in);

#endif
