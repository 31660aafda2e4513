/* moving_rms.h - options and arrays of the transform `rms`, the example of
 * docs/adding-a-transform.md. */
#ifndef MOVING_RMS_H
#define MOVING_RMS_H

#include <stddef.h>

typedef enum moving_rms_edge {
	MOVING_RMS_SHRINK = 1, /* the window keeps the samples that there are (default) */
	MOVING_RMS_ZERO   = 2  /* beyond the ends there are zeros                       */
} moving_rms_edge;

#define MOVING_RMS_TAG 0x00736d72u /* "rms" */

typedef struct moving_rms_opts {
	size_t size;
	unsigned tag;          /* MOVING_RMS_TAG */
	double window;         /* s, 0 < window; default 0.1 */
	moving_rms_edge edge;
} moving_rms_opts;

enum { MOVING_RMS_SIGNAL, MOVING_RMS_RMS, MOVING_RMS_PEAK, MOVING_RMS_ARRAYS };

#endif
