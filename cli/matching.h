/* matching.h - modes of two results that are matched in their order. */
#ifndef CLI_MATCHING_H
#define CLI_MATCHING_H

#include "similarity.h"

/* Fills matched, rho and has; sets by_match. */
ws_status cli_matching_make(cli_similarity *s);

#endif
