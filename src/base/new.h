/* new.h - memory for free(), and the failure where there is none. */
#ifndef WSI_BASE_NEW_H
#define WSI_BASE_NEW_H

#include <stdlib.h>

#include "base/status.h"

/* Returns WS_E_NOMEM from the function, with the detail that follows, where there is no
 * `memory`. */
#define WSI_HAVE(memory, ...)                                     \
	do {                                                      \
		if (!(memory))                                    \
			return WSI_FAIL(WS_E_NOMEM, __VA_ARGS__); \
	} while (0)

/* Makes n elements, zeros, for `pointer`, likewise; n may be 0. */
#define WSI_NEW(pointer, n, ...) \
	WSI_HAVE((pointer) = calloc((n) + ((n) == 0), sizeof *(pointer)), __VA_ARGS__)

#endif
