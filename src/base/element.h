/* element.h - elements of arrays: how large they are, and what complex ones consist of. */
#ifndef WSI_ELEMENT_H
#define WSI_ELEMENT_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

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

#endif
