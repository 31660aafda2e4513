/* cwt_row.h - what the row of cwt shares with its options. */
#ifndef WSI_TRANSFORM_CWT_ROW_H
#define WSI_TRANSFORM_CWT_ROW_H

#include <stdbool.h>

#include "wavesift/cwt.h"

extern const ws_option *const wsi_cwt_options[];

/* Takes the first number off a list "1,2,5"; false where it is none. */
bool wsi_list_next(const char **text, double *value);

#endif
