/* packed.h - a finished channel, or part of one, as bytes: for another process, or for later. */
#ifndef CLI_PACKED_H
#define CLI_PACKED_H

#include "outputs.h"

/* Bytes that it becomes, a multiple of 16. */
size_t cli_packed_bytes(const cli_outputs *outputs, const ws_channel_result *result);

/* Hands them over, some at a time; what put() gives where that is not WS_OK. */
typedef ws_status (*cli_packed_put)(void *user, const void *bytes, size_t n);
ws_status cli_pack(const cli_outputs *outputs, const ws_channel_result *result, cli_packed_put put,
                   void *user);

/* Of such bytes, aligned to 8, the result, which points into them and into slabs [outputs->n].
 * WS_E_FORMAT: they are none of such arrays. */
ws_status cli_unpack(const cli_outputs *outputs, const void *bytes, size_t n, ws_slab *slabs,
                     ws_channel_result *result);

#endif
