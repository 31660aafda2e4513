/* element.h - elements of arrays: how large they are, what complex ones consist of, real ones of
 * either type, and how many a signal may have. */
#ifndef WSI_ELEMENT_H
#define WSI_ELEMENT_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

/* Samples of a channel, and taps of a mask: a knot mirrored beyond the far end still is a tick
 * (half a sample) of 32 bits. */
#define WSI_SAMPLES_BOUND (1 << 29) /* above any number of samples */
#define WSI_MOST_SAMPLES ((size_t)WSI_SAMPLES_BOUND - 1)
#define WSI_MOST_SAMPLES_TEXT "2^29 - 1"

static inline bool
wsi_type_complex(ws_type type)
{
	return type == WS_C64 || type == WS_C128;
}

/* Of a complex number's parts; of others the same. */
static inline ws_type
wsi_type_part(ws_type type)
{
	return type == WS_C64 ? WS_F32 : type == WS_C128 ? WS_F64 : type;
}

/* Bytes. */
static inline size_t
wsi_type_size(ws_type type)
{
	const size_t part = wsi_type_part(type) == WS_F64 ? 8 : 4;
	return wsi_type_complex(type) ? 2 * part : part;
}

/* Number i of a row of WS_F64 or WS_F32. */
static inline double
wsi_real_at(const void *row, ws_type type, size_t i)
{
	return type == WS_F64 ? ((const double *)row)[i] : (double)((const float *)row)[i];
}

static inline void
wsi_real_put(void *row, ws_type type, size_t i, double value)
{
	if (type == WS_F64)
		((double *)row)[i] = value;
	else
		((float *)row)[i] = (float)value;
}

#endif
