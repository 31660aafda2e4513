/* packed.h - a finished channel, or part of one, as bytes: for another process, or for later. */
#ifndef CLI_PACKED_H
#define CLI_PACKED_H

#include <stdint.h>

#include "outputs.h"

/* sums [outputs->n][n_sums[i]], of what was written of each array, go with it; NULL, NULL: none. */

/* Bytes that it becomes, a multiple of 16. */
size_t cli_packed_bytes(const cli_outputs *outputs, const ws_channel_result *result,
                        const size_t *n_sums);

/* Hands them over, some at a time; what put() gives where that is not WS_OK. */
typedef ws_status (*cli_packed_put)(void *user, const void *bytes, size_t n);
ws_status cli_pack(const cli_outputs *outputs, const ws_channel_result *result,
                   const uint32_t *const *sums, const size_t *n_sums, cli_packed_put put,
                   void *user);

/* Of such bytes, aligned to 8, the result, which points into them and into slabs [outputs->n], and
 * likewise sums [outputs->n], or NULL where none were packed.  WS_E_FORMAT: they are none of such
 * arrays. */
ws_status cli_unpack(const cli_outputs *outputs, const void *bytes, size_t n, ws_slab *slabs,
                     ws_channel_result *result, const uint32_t **sums);

#endif
